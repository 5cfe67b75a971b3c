//! Commands and resets: what is addressed to the session instead of the database.

/// The rest of an input that asks to start over, with the words that say so; none for other inputs.
///
/// `/new show customers` gives (`/new`, `show customers`), and `Another thing: who buys most?` (`another thing`, `who buys
/// most?`).
pub fn resets(input: &str) -> Option<(&'static str, &str)> {
    let input = input.trim();
    starts_over(input).or_else(|| changes_topic(input))
}

/// What people say before a question that has nothing to do with the last one. Alone it says nothing.
fn changes_topic(input: &str) -> Option<(&'static str, &str)> {
    const BEFORE: &[&str] = &["sorry", "ok", "okay", "now", "well", "let me ask", "and now", "on"];
    const TOPICS: &[&str] = &[
        "another thing",
        "another question",
        "another topic",
        "new topic",
        "different topic",
        "different question",
        "a different question",
        "something new",
        "something else",
        "something different",
        "changing the subject",
        "change of subject",
        "to change the subject",
        "to another topic",
    ];
    let is_one = |list: &[&'static str], said: &str| {
        list.iter().copied().find(|phrase| phrase.eq_ignore_ascii_case(said))
    };
    let mut rest = input;
    // Not by recursion: somebody may say *ok* ten thousand times.
    let (before, question) = loop {
        let (before, question) = rest.split_once([':', '.', ',', '-', '–', '—', '!'])?;
        rest = question.trim();
        if is_one(BEFORE, before.trim()).is_none() {
            break (before.trim(), rest);
        }
    };
    if question.is_empty() {
        return None;
    }
    if let Some(topic) = is_one(TOPICS, before) {
        return Some((topic, question));
    }
    let lower = before.to_lowercase();
    let bare = BEFORE.iter().find_map(|opening| lower.strip_prefix(opening)?.strip_prefix(' '))?;
    // *Now something about stock: …* names the topic too.
    if bare.starts_with("something about ") {
        return Some(("something about", question));
    }
    is_one(TOPICS, bare).map(|topic| (topic, question))
}

fn starts_over(input: &str) -> Option<(&'static str, &str)> {
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
    fn a_change_of_topic_starts_over() {
        for input in [
            "Another thing: who buys most?",
            "Sorry, new topic. who buys most?",
            "changing the subject, who buys most?",
            "Let me ask something new: who buys most?",
            "Now something about customers: who buys most?",
        ] {
            assert_eq!(resets(input).map(|(_, question)| question), Some("who buys most?"), "{input}");
        }
        assert_eq!(resets(&"ok, ".repeat(100_000)), None);
        for input in
            ["another thing", "now, the oldest", "sorry, only Berlin", "ok, something", "now by month"]
        {
            assert_eq!(resets(input), None, "{input}");
        }
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
