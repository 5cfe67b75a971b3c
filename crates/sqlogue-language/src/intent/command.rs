//! Commands and resets: what is addressed to the session instead of the database.

/// The rest of an input that asks to start over, with the words that say so; none for other inputs.
///
/// `/new show customers` gives (`/new`, `show customers`).
pub fn resets(input: &str) -> Option<(&'static str, &str)> {
    let input = input.trim();
    RESETS.iter().copied().find_map(|words| {
        let start = input.get(..words.len())?;
        let rest = input.get(words.len()..)?;
        let whole =
            start.eq_ignore_ascii_case(words) && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        whole.then(|| {
            (
                words,
                rest.trim_start_matches(|c: char| {
                    c.is_whitespace() || matches!(c, ':' | ',' | '.' | '!' | '-')
                }),
            )
        })
    })
}

const RESETS: &[&str] =
    &["/new", "new query", "new question", "start over", "start again", "start from scratch"];

/// The command that an input is (`/history`), if it is one.
///
/// A path (`/data/shop.csv …`) is not a command: its first word holds a second slash or a dot.
pub(super) fn command(input: &str) -> Option<&str> {
    let word = input.trim_start().strip_prefix('/')?.split_whitespace().next()?;
    let named = word.starts_with(|c: char| c.is_ascii_alphabetic());
    (named && !word.contains(['/', '.'])).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resets_keep_the_question() {
        assert_eq!(resets("/new show customers"), Some(("/new", "show customers")));
        assert_eq!(resets(" Start over: who buys most?"), Some(("start over", "who buys most?")));
        assert_eq!(resets("/newest orders"), None);
        assert_eq!(resets("/new"), Some(("/new", "")));
    }

    #[test]
    fn commands_are_words_after_a_slash() {
        assert_eq!(command("/history"), Some("history"));
        assert_eq!(command("/export out.csv"), Some("export"));
        assert_eq!(command("/data/shop.csv"), None);
        assert_eq!(command("/"), None);
        assert_eq!(command("a/b"), None);
    }
}
