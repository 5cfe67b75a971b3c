//! Courtesies: what people say to be friendly, without asking for anything.

/// What a courtesy expects in return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Courtesy {
    /// `hello`, `good morning`.
    Greeting,
    /// `thanks`, `thank you very much`.
    Thanks,
    /// `bye`, `that's all`.
    Farewell,
    /// `yes`, `that's right`: the last answer is what was meant.
    Agreement,
    /// `ok`, `great`, `I see`.
    Remark,
}

/// The courtesy that an input consists of; none where it says anything else besides.
///
/// ```
/// use sqlogue::intent::{Courtesy, courtesy};
///
/// assert_eq!(courtesy("Great, thank you!"), Some(Courtesy::Thanks));
/// assert_eq!(courtesy("Thanks, and in Rome?"), None);
/// ```
pub fn courtesy(input: &str) -> Option<Courtesy> {
    let words: Vec<String> = input
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(MAX_WORDS + 1)
        .map(str::to_lowercase)
        .collect();
    if words.len() > MAX_WORDS || input.contains(['"', '\'', '`']) && !input.contains("'s") {
        return None;
    }
    let mut rest = words.as_slice();
    let mut found: Option<Courtesy> = None;
    while !rest.is_empty() {
        let (kind, length) = opens(rest)?;
        rest = rest.get(length..).unwrap_or_default();
        // Of several the one that says most is answered: `ok, thanks` is thanks.
        found = match (found, kind) {
            (None | Some(Courtesy::Remark), Some(kind)) => Some(kind),
            (found, _) => found,
        };
    }
    found
}

/// A longer input is about something.
const MAX_WORDS: usize = 12;

const PHRASES: &[(Courtesy, &[&str])] = &[
    (
        Courtesy::Greeting,
        &[
            "good morning",
            "good afternoon",
            "good evening",
            "good day",
            "how are you",
            "hello",
            "hallo",
            "hi",
            "hey",
            "greetings",
        ],
    ),
    (
        Courtesy::Thanks,
        &["thank you", "thanks", "thank", "thx", "ty", "cheers", "i appreciate it", "appreciated"],
    ),
    (
        Courtesy::Farewell,
        &[
            "good bye",
            "good night",
            "see you",
            "that is all",
            "that s all",
            "that is it",
            "that s it",
            "that will be all",
            "goodbye",
            "bye",
        ],
    ),
    (
        Courtesy::Agreement,
        &[
            "that s right",
            "that is right",
            "that s correct",
            "that is correct",
            "that was right",
            "that s it exactly",
            "that is what i meant",
            "that s what i meant",
            "that is what i wanted",
            "that s what i wanted",
            "exactly",
            "correct",
            "right",
            "looks right",
            "confirmed",
            "yes",
            "yeah",
            "yep",
        ],
    ),
    (
        Courtesy::Remark,
        &[
            "all right",
            "got it",
            "i see",
            "sounds good",
            "looks good",
            "that s great",
            "that is great",
            "that s good",
            "that is good",
            "well done",
            "good job",
            "good to know",
            "makes sense",
            "never mind",
            "very good",
            "very nice",
            "ok",
            "okay",
            "alright",
            "great",
            "good",
            "nice",
            "cool",
            "perfect",
            "wonderful",
            "awesome",
            "excellent",
            "amazing",
            "lovely",
            "brilliant",
            "super",
            "understood",
            "interesting",
            "wow",
            "hm",
            "hmm",
            "oh",
            "ah",
            "aha",
            "sure",
            "no",
            "nope",
            "sorry",
            "please",
            "nevermind",
        ],
    ),
];

/// What goes along with a courtesy and is none by itself.
const ALONG: &[&str] = &[
    "very much",
    "so much",
    "a lot",
    "a million",
    "for your help",
    "for the help",
    "for that",
    "for now",
    "for today",
    "then",
    "now",
    "there",
    "you",
    "so",
    "and",
    "again",
    "indeed",
    "really",
    "very",
    "many",
    "much",
    "everyone",
    "all",
    "today",
    "later",
    "sqlogue",
];

/// The phrase that the words open with: what it is, if it is a courtesy by itself, and how many words it has.
fn opens(words: &[String]) -> Option<(Option<Courtesy>, usize)> {
    let reads = |phrase: &str| {
        let mut parts = phrase.split(' ');
        let read = words.iter().zip(parts.by_ref()).take_while(|(word, part)| word == part).count();
        (read == phrase.split(' ').count()).then_some(read)
    };
    let courtesies = PHRASES.iter().flat_map(|(kind, phrases)| {
        phrases.iter().filter_map(move |phrase| Some((Some(*kind), reads(phrase)?)))
    });
    let along = ALONG.iter().filter_map(|phrase| Some((None, reads(phrase)?)));
    courtesies.chain(along).max_by_key(|(_, length)| *length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courtesies_are_told_from_questions() {
        for (input, kind) in [
            ("hi", Courtesy::Greeting),
            ("Hello there!", Courtesy::Greeting),
            ("Good morning", Courtesy::Greeting),
            ("thanks", Courtesy::Thanks),
            ("ok, thank you very much!", Courtesy::Thanks),
            ("Thanks a lot for your help", Courtesy::Thanks),
            ("that's all for now", Courtesy::Farewell),
            ("that's all, thanks", Courtesy::Farewell),
            ("ok", Courtesy::Remark),
            ("Great!", Courtesy::Remark),
            ("I see.", Courtesy::Remark),
            ("Yes, that's right.", Courtesy::Agreement),
            ("ok, correct", Courtesy::Agreement),
        ] {
            assert_eq!(courtesy(input), Some(kind), "{input}");
        }
        for input in [
            "",
            "?",
            "all",
            "now",
            "and",
            "'good'",
            "thanks, and in Rome?",
            "ok, sort by name",
            "hi, how many orders are there?",
            "no, only the ones from Berlin",
            "good products",
            "thank you notes",
            &"ok ".repeat(1000),
        ] {
            assert_eq!(courtesy(input), None, "{input}");
        }
    }
}
