//! Answers to a question that the system asked.
//!
//! This only tells *that* an input is an answer; what it chooses is read where corrections are applied.

use super::words::{Word, Words};

/// Whether an input answers the open question, and the words that say so.
///
/// Answers are `use table X`, `table X`, `select X not Y`, `join A.x with B.y`, `A.x = B.y`, the structured form (a
/// JSON object with a `type`), and the number, ordinal or name of an option.
pub fn is_correction(input: &str, options: &[String]) -> Option<String> {
    let trimmed = input.trim().trim_end_matches(['.', '!', '?']);
    if trimmed.starts_with('{') {
        return trimmed.contains("\"type\"").then(|| "structured form".to_owned());
    }
    if trimmed.len() > MAX_ANSWER_BYTES {
        return None;
    }
    let words = Words::read(trimmed);
    let list = words.list.as_slice();
    let answers = chooses(list, options) || names_a_table(list, options) || joins(trimmed, list);
    (answers && list.len() <= MAX_ANSWER_WORDS).then(|| trimmed.to_owned())
}

/// An answer is short; a longer input that starts like one is a question.
const MAX_ANSWER_WORDS: usize = 16;
const MAX_ANSWER_BYTES: usize = 400;

const ORDINALS: &[&str] =
    &["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
const NUMBERS: &[&str] = &["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// Words around a choice that do not change it.
const AROUND: &[&str] = &[
    "use", "the", "option", "number", "no", "choice", "one", "table", "i", "mean", "meant", "take", "pick",
    "choose", "select", "it", "is", "my", "answer", "go", "with", "a", "that", "s", "let", "please", "join",
    "want", "prefer",
];

/// The number, ordinal or name of an option, and nothing else of weight.
fn chooses(words: &[Word], options: &[String]) -> bool {
    let rest: Vec<&str> =
        words.iter().map(|word| &*word.text).filter(|word| !AROUND.contains(word)).collect();
    match rest.as_slice() {
        [] => options.len() == 1 || matches!(words, [word] if &*word.text == "one"),
        [choice] if is_number_of(choice, options.len()) => true,
        // An option may be a name, or a sentence with the name in it (`orders: 120 rows`).
        _ => options.iter().any(|option| names(&rest, option)),
    }
}

fn is_number_of(choice: &str, count: usize) -> bool {
    if choice == "last" {
        return count > 0;
    }
    let at = |list: &[&str]| list.iter().position(|entry| *entry == choice).map(|at| at + 1);
    let digits = choice.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']).parse().ok();
    digits
        .or_else(|| at(ORDINALS))
        .or_else(|| at(NUMBERS))
        .is_some_and(|number| (1..=count).contains(&number))
}

fn names(said: &[&str], option: &str) -> bool {
    let lower = option.to_lowercase();
    let said = said.join(" ");
    let name = lower.split([':', '(', ',', ' ']).next().unwrap_or_default();
    lower == said || name == said || name.replace('_', " ") == said || slipped(&said, name)
}

fn slipped(said: &str, name: &str) -> bool {
    name.len() > 4 && strsim::osa_distance(said, name) == 1
}

/// `use table X`, `table X`, `select X not Y`, and `use X` where X is an option.
fn names_a_table(words: &[Word], options: &[String]) -> bool {
    let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    match texts.as_slice() {
        ["use", "table", _] | ["use", "the", "table", _] | ["use", "the", _, "table"] | ["table", _] => true,
        ["select" | "use" | "take" | "pick", .., "not", _] => true,
        [one, "not", other] => options.iter().any(|option| names(&[one], option) || names(&[other], option)),
        ["use" | "take" | "pick" | "choose", rest @ ..] => options.iter().any(|option| names(rest, option)),
        _ => false,
    }
}

/// `join A.x with B.y`, `A.x = B.y`.
fn joins(input: &str, words: &[Word]) -> bool {
    let starts_with_join = words.first().is_some_and(|word| &*word.text == "join");
    let sides = input.split_whitespace().filter(|word| is_column_path(word.trim_matches(',')));
    if starts_with_join {
        return sides.count() >= 2 || input.contains('=');
    }
    input
        .split_once('=')
        .is_some_and(|(left, right)| is_column_path(left.trim()) && is_column_path(right.trim()))
}

fn is_column_path(word: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    word.rsplit_once('.').is_some_and(|(table, column)| table.split('.').all(is_name) && is_name(column))
        && word.contains(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Vec<String> {
        ["Customers", "PROD_Customers"].map(str::to_owned).to_vec()
    }

    #[test]
    fn answers_are_recognised() {
        for input in [
            "use table Customers",
            "table PROD_Customers",
            "select PROD_Customers not Customers",
            "join orders.customer_id with customers.id",
            "join a.x and b.y",
            "orders.customer_id = customers.id",
            "2",
            "#1",
            "option 2",
            "the second one",
            "The first.",
            "last",
            "customers",
            "prod customers",
            "use PROD_Customers",
            "PROD_Custmers",
            "the prod_customers table please",
            "{\"type\": \"table_selection\", \"selected_table\": \"Customers\"}",
        ] {
            assert!(is_correction(input, &options()).is_some(), "{input}");
        }
    }

    #[test]
    fn questions_are_not_answers() {
        for input in [
            "3",
            "Show me all customers",
            "how many orders did the first customer place?",
            "join the customers with their orders",
            "",
            "total = 5",
        ] {
            assert!(is_correction(input, &options()).is_none(), "{input}");
        }
    }
}
