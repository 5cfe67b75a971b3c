//! Operators and signed numbers as people type them: `>=`, `<>`, `≤`, `-5`, `$9.50`, `.5`.

use std::borrow::Cow;

use super::text::TokenKind;

/// The operators, longest first, with the one spelling under which the lexicon has each.
const OPERATORS: &[(&str, &str)] = &[
    (">=", ">="),
    ("=>", ">="),
    ("≥", ">="),
    ("⩾", ">="),
    ("<=", "<="),
    ("=<", "<="),
    ("≤", "<="),
    ("⩽", "<="),
    ("<>", "!="),
    ("!=", "!="),
    ("≠", "!="),
    ("==", "="),
    ("=", "="),
    (">", ">"),
    ("<", "<"),
];

/// Signs of money before a number. What a number counts is said by its column.
const MONEY: &[char] = &['$', '€', '£', '¥', '₹'];

/// The number that a token's text is, and whether it can be a year.
pub(super) fn value(text: &str) -> Option<(f64, bool)> {
    let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let digits = rest.trim_start_matches(MONEY);
    let number = digits.replace(',', "").parse::<f64>().ok().filter(|number| number.is_finite())?;
    // A year has neither a sign nor thousands set apart.
    let bare = text.chars().all(|letter| letter.is_ascii_digit());
    Some((if negative { -number } else { number }, bare))
}

/// True for a number's text with a sign of money.
pub(super) fn is_money(text: &str) -> bool {
    text.contains(MONEY)
}

/// The operator or the signed number that starts at a byte of a text: how it is written, what it is, and where it ends.
pub(super) fn read(text: &str, at: usize) -> Option<(Cow<'_, str>, TokenKind, usize)> {
    if let Some((operator, end)) = operator(text, at) {
        return Some((Cow::Borrowed(operator), TokenKind::Mark, end));
    }
    let before = text.get(..at)?.chars().next_back();
    let rest = text.get(at..)?;
    let unsigned = rest.trim_start_matches(['-', '−', '–', '$', '€', '£', '¥', '₹', ' ']);
    let signs = rest.get(..rest.len() - unsigned.len())?;
    let digits = number(unsigned)?;
    let negative = match signs {
        // `.5`, but not the end of a sentence and not a part of a name.
        "" if unsigned.starts_with('.') => false,
        "" => return None,
        _ => is_signed(signs)?,
    };
    // A dash between two things joins them.
    let joins =
        before.is_some_and(|letter| letter.is_alphanumeric() || matches!(letter, ')' | '_' | '.' | '-'));
    if joins {
        return None;
    }
    let end = at + signs.len() + digits.len();
    // The sign of money stays, for 2000 of money is no year.
    let money = signs.chars().find(|sign| MONEY.contains(sign));
    let text = match (negative, money) {
        (false, None) => Cow::Borrowed(digits),
        (negative, money) => {
            let sign = if negative { "-" } else { "" };
            Cow::Owned(format!("{sign}{}{digits}", money.map(String::from).unwrap_or_default()))
        }
    };
    Some((text, TokenKind::Number, end))
}

fn operator(text: &str, at: usize) -> Option<(&'static str, usize)> {
    let rest = text.get(at..)?;
    let (written, operator) = OPERATORS.iter().find(|(written, _)| rest.starts_with(written))?;
    let end = at + written.len();
    // `> =` is one operator too.
    let after = text.get(end..)?;
    let second = after.trim_start_matches(' ');
    let spaced = match (*operator, second.starts_with('=') && second.len() < after.len()) {
        (">", true) => ">=",
        ("<", true) => "<=",
        _ => return Some((operator, end)),
    };
    Some((spaced, end + after.len() - second.len() + 1))
}

/// Whether the signs before a number make it negative; none where they are no signs of one.
fn is_signed(signs: &str) -> Option<bool> {
    let minus = |letter: char| matches!(letter, '-' | '−' | '–');
    let (mut minuses, mut money) = (0, 0);
    let mut letters = signs.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' if money == 0 || letters.peek().is_some() => return None,
            ' ' => {}
            letter if minus(letter) => minuses += 1,
            letter if MONEY.contains(&letter) => money += 1,
            _ => return None,
        }
    }
    (minuses <= 1 && money <= 1).then_some(minuses == 1)
}

/// The digits at the start of a text, with their thousands and fraction; none where a word or a date begins there.
fn number(text: &str) -> Option<&str> {
    let mut end = 0;
    let mut previous = ' ';
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map_or(' ', |(_, next)| *next);
        let inside = letter.is_ascii_digit()
            || matches!(letter, '.' | ',')
                && next.is_ascii_digit()
                && (previous.is_ascii_digit() || at == 0 && letter == '.');
        if !inside {
            break;
        }
        end = at + letter.len_utf8();
        previous = letter;
    }
    let goes_on = text.get(end..)?.starts_with(|next: char| next.is_alphanumeric() || next == '_')
        || text
            .get(end..)?
            .strip_prefix(['-', '/', ':'])
            .is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    (end > 0 && !goes_on).then(|| text.get(..end)).flatten()
}

#[cfg(test)]
mod tests {
    use crate::reasoner::rules::text::{Question, TokenKind};

    fn tokens(text: &str) -> Vec<String> {
        let kind = |kind| match kind {
            TokenKind::Number => "#",
            TokenKind::Mark => "!",
            _ => "",
        };
        let tokens = Question::new(text).tokens;
        tokens.into_iter().map(|token| format!("{}{}", kind(token.kind), token.lower)).collect()
    }

    #[test]
    fn operators_are_one_token_with_and_without_spaces() {
        for text in
            ["price>=9.5", "price >= 9.5", "price >=9.5", "price > = 9.5", "price ≥ 9.5", "price => 9.5"]
        {
            assert_eq!(tokens(text), ["price", "!>=", "#9.5"], "{text}");
        }
        for text in ["price<>9", "price != 9", "price≠9"] {
            assert_eq!(tokens(text), ["price", "!!=", "#9"], "{text}");
        }
        assert_eq!(tokens("price<9 or price=10"), ["price", "!<", "#9", "or", "price", "!=", "#10"]);
    }

    #[test]
    fn signs_belong_to_their_numbers() {
        assert_eq!(tokens("below -5"), ["below", "#-5"]);
        assert_eq!(tokens("balance<-1,200.50"), ["balance", "!<", "#-1,200.50"]);
        assert_eq!(tokens("over $9.50 and -$3"), ["over", "#$9.50", "and", "#-$3"]);
        assert_eq!(tokens("over € 20"), ["over", "#€20"]);
        assert_eq!(tokens("discount > .05"), ["discount", "!>", "#.05"]);
    }

    #[test]
    fn dashes_and_dots_between_things_join_or_end_them() {
        assert_eq!(tokens("on 2019-05-01, t-shirt"), ["on", "2019-05-01", "!,", "t-shirt"]);
        assert_eq!(tokens("from 10 - 20"), ["from", "#10", "!-", "#20"]);
        assert_eq!(tokens("how many in 2020.5 are there"), ["how", "many", "in", "#2020.5", "are", "there"]);
        assert_eq!(tokens("name -3rd"), ["name", "!-", "3rd"]);
    }
}
