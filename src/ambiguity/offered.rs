//! A name that was offered in the place of one that is not there (*Did you mean `customers`?*), and what *yes* makes of it.

use super::answer::{numbered, plain};

/// What ends with the names that are offered.
const OFFER: &str = "id you mean ";

/// The last input with the names that were offered for it, where `said` takes them: *yes*, *yes, the first*, *the second
/// one*, or the name itself. `told` is what was said to the last input.
pub(crate) fn accepted(said: &str, last: &str, told: &str) -> Option<String> {
    let said = plain(said);
    let mut input = last.to_owned();
    let mut offers = told.lines().filter(|line| line.contains(OFFER)).peekable();
    offers.peek()?;
    for line in offers {
        let (before, offered) = line.rsplit_once(OFFER)?;
        let (missing, names) = (*quoted(before).first()?, quoted(offered));
        let name = names.get(place(&said, &names)?)?;
        input = replaced(&input, missing, name)?;
    }
    Some(input)
}

/// Which of the names is taken; *yes* takes one only where it is the only one.
fn place(said: &str, names: &[&str]) -> Option<usize> {
    let agrees = |said: &str| AGREEMENTS.contains(&said);
    if agrees(said) {
        return (names.len() == 1).then_some(0);
    }
    let (lead, rest) = said.split_once([' ', ',']).unwrap_or(("", said));
    let rest = if agrees(lead.trim_end_matches(',')) {
        plain(rest.trim_start_matches([',', ' ']))
    } else {
        said.to_owned()
    };
    if agrees(&rest) {
        return (names.len() == 1).then_some(0);
    }
    let is_name = |name: &&str| name.eq_ignore_ascii_case(rest.trim_matches('`'));
    numbered(&rest).or_else(|| names.iter().position(is_name))
}

/// How people agree to what is offered.
const AGREEMENTS: &[&str] = &[
    "yes",
    "yeah",
    "yep",
    "yup",
    "y",
    "sure",
    "right",
    "correct",
    "exactly",
    "ok",
    "okay",
    "please",
    "please do",
    "that one",
    "i did",
    "i do",
    "of course",
    "that's right",
    "it is",
];

/// The texts between back ticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// An input with a name in the place of a word of it; none where the word is not in it.
fn replaced(input: &str, word: &str, name: &str) -> Option<String> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let (lower, word) = (input.to_ascii_lowercase(), word.to_ascii_lowercase());
    let mut output = String::new();
    let mut from = 0;
    for (at, found) in lower.match_indices(&word) {
        let end = at + found.len();
        let starts = !lower.get(..at)?.ends_with(is_part);
        let ends = !lower.get(end..)?.starts_with(is_part);
        if starts && ends && at >= from {
            output.push_str(input.get(from..at)?);
            output.push_str(name);
            from = end;
        }
    }
    output.push_str(input.get(from..)?);
    (from > 0).then_some(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_takes_the_name_that_was_offered() {
        let told = "There is no table `custmers`. Did you mean `customers`?";
        for said in [
            "yes",
            "Yes.",
            "yes please",
            "yep",
            "yes, customers",
            "customers",
            "yes, the first",
            "`customers`",
        ] {
            let input = accepted(said, "describe custmers", told);
            assert_eq!(input.as_deref(), Some("describe customers"), "{said}");
        }
        for said in ["no", "the second one", "how many customers are there?", "yes, of Rome", ""] {
            assert_eq!(accepted(said, "describe custmers", told), None, "{said}");
        }
    }

    #[test]
    fn of_several_names_one_is_said() {
        let told = "There is no column `stats` in `orders`; did you mean `status` or `state`?";
        let sql = "SELECT orders.stats, stats_of FROM orders WHERE STATS = 'new'";
        let said = |words: &str| accepted(words, sql, told);
        assert_eq!(said("yes"), None);
        let second = "SELECT orders.state, stats_of FROM orders WHERE state = 'new'";
        for words in ["the second one", "2", "yes, the second", "state"] {
            assert_eq!(said(words).as_deref(), Some(second), "{words}");
        }
    }

    #[test]
    fn every_name_that_is_missing_is_replaced() {
        let told = "There is no table `order`; did you mean `orders`?\nThere is no column `nme` in `orders`; did you mean `name`?";
        assert_eq!(
            accepted("yes", "SELECT nme FROM order", told).as_deref(),
            Some("SELECT name FROM orders")
        );
        assert_eq!(accepted("yes", "SELECT 1", told), None);
        assert_eq!(accepted("yes", "how many orders?", "There are 3."), None);
    }
}
