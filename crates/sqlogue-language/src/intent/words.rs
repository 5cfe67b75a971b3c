//! An input as words: lower case, typing slips repaired, quoted text kept whole, politeness set aside.

use super::lexicon::{self, Class};

/// An input cut into words.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// The words after leading politeness (`ok, now please …`).
    pub(super) list: Vec<Word>,
    /// Whether what was set aside goes on from something (`now`, `and`, `so`).
    pub(super) continues: Option<&'static str>,
}

/// One word, number or quoted text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Word {
    /// The word in lower case, repaired if mistyped, without `'s`.
    pub(super) text: Box<str>,
    /// Its class; none for a content word.
    pub(super) class: Option<Class>,
    /// How the person wrote it.
    pub(super) shape: Shape,
    /// Whether a comma, semicolon, colon, full stop or question mark stands before it.
    pub(super) after_break: bool,
}

/// How a word was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// In lower case, or as the first word.
    Plain,
    /// With a capital letter inside a sentence: likely a name.
    Proper,
    /// In quotes.
    Quoted,
    /// With a digit.
    Number,
}

/// Intent does not hide behind the four-hundredth word; the limit keeps a pasted document from costing time.
const MAX_WORDS: usize = 400;
const MAX_BYTES: usize = 8_000;

impl Words {
    /// Reads an input.
    pub(super) fn read(input: &str) -> Self {
        let mut list = split(input);
        order_as_a_noun(&mut list);
        let (polite, continues) = politeness(&list);
        list.drain(..polite);
        Self { list, continues }
    }

    /// True where the word at `at` and those after it read as `phrase`.
    pub(super) fn has_at(&self, at: usize, phrase: &str) -> bool {
        reads(self.list.get(at..).unwrap_or_default(), phrase)
    }

    /// The text of the word at `at`.
    pub(super) fn text(&self, at: usize) -> Option<&str> {
        self.list.get(at).map(|word| &*word.text)
    }

    /// The class of the word at `at`.
    pub(super) fn class(&self, at: usize) -> Option<Class> {
        self.list.get(at).and_then(|word| word.class)
    }
}

impl Word {
    /// True for a word that names something of the database: no function word, number or quoted text.
    pub(super) fn is_content(&self) -> bool {
        self.class.is_none() && matches!(self.shape, Shape::Plain | Shape::Proper)
    }

    /// The word without its ending.
    pub(super) fn stem(&self) -> &str {
        stem(&self.text)
    }
}

/// Cuts the endings by which forms of one noun or verb differ (`cities`, `city`; `orders`, `ordered`).
///
/// It is for comparing words with each other, not for showing: `city` becomes `cit`.
pub(super) fn stem(word: &str) -> &str {
    if word.len() < 4 || !word.is_ascii() {
        return word;
    }
    let base = ["ies", "es", "s"]
        .iter()
        .find_map(|ending| {
            let base = word.strip_suffix(ending)?;
            let fits = match *ending {
                "es" => ["s", "x", "z", "ch", "sh"].iter().any(|before| base.ends_with(before)),
                "s" => !base.ends_with(['s', 'u', 'i']),
                _ => base.len() > 1,
            };
            fits.then_some(base)
        })
        .unwrap_or(word);
    let base =
        base.strip_suffix("ing").or(base.strip_suffix("ed")).filter(|base| base.len() > 3).unwrap_or(base);
    base.strip_suffix(['y', 'e']).filter(|base| base.len() > 2).unwrap_or(base)
}

/// `the order items`, `each order`: the word that sorts is also a thing that people buy.
fn order_as_a_noun(words: &mut [Word]) {
    let mut before: Option<(Option<Class>, bool)> = None;
    for word in words {
        if &*word.text == "order" {
            let noun = before.is_some_and(|(class, is_in)| match class {
                Some(Class::Determiner | Class::Quantifier | Class::Person | Class::Number) => true,
                Some(Class::Preposition) => !is_in,
                Some(Class::Superlative | Class::Question) => true,
                _ => false,
            });
            word.class = word.class.filter(|_| !noun);
        }
        before = Some((word.class, &*word.text == "in"));
    }
}

fn reads(words: &[Word], phrase: &str) -> bool {
    let mut words = words.iter();
    phrase.split(' ').all(|part| words.next().is_some_and(|word| &*word.text == part))
}

/// What people say before they come to the point. Longer ones first, since they are tried in order.
const POLITE: &[&str] = &[
    "thank you very much",
    "thank you",
    "i would like you to",
    "i would like to",
    "i would like",
    "i d like to",
    "i d like",
    "i want you to",
    "i want to",
    "i need to",
    "i want",
    "i need",
    "would you mind",
    "would you like to",
    "can you",
    "can we",
    "can i",
    "could you",
    "could we",
    "would you",
    "will you",
    "are you able to",
    "do you know",
    "let me",
    "let us",
    "let",
    "lets",
    "help me",
    "very good",
    "got it",
    "i see",
];

fn politeness(words: &[Word]) -> (usize, Option<&'static str>) {
    let mut at = 0;
    let mut continues = None;
    while let Some(word) = words.get(at) {
        let rest = words.get(at..).unwrap_or_default();
        if let Some(phrase) = POLITE.iter().find(|phrase| reads(rest, phrase)) {
            at += phrase.split(' ').count();
        } else if word.class == Some(Class::Polite) {
            at += 1;
        } else if let Some(going_on) =
            ["now", "then", "and", "so", "next", "well", "or"].into_iter().find(|w| *w == &*word.text)
        {
            continues = continues.or(Some(going_on).filter(|word| *word != "well"));
            at += 1;
        } else {
            break;
        }
    }
    // An input of nothing but courtesy is itself the input.
    if at >= words.len() { (0, None) } else { (at, continues) }
}

fn split(input: &str) -> Vec<Word> {
    let mut words = Vec::with_capacity(24);
    let mut rest = clipped(input);
    let mut after_break = false;
    let mut previous = ' ';
    while let Some(first) = rest.chars().next() {
        if words.len() >= MAX_WORDS {
            break;
        }
        if let Some((inside, after)) = quoted(rest, previous) {
            words.push(Word {
                text: inside.to_lowercase().into(),
                class: None,
                shape: Shape::Quoted,
                after_break,
            });
            (rest, previous, after_break) = (after, '"', false);
        } else if first.is_alphanumeric() {
            let end = rest.find(|c: char| !is_inside(c)).unwrap_or(rest.len());
            let (text, after) = rest.split_at(end);
            words.push(word(text, words.is_empty() || after_break, after_break));
            (rest, previous, after_break) = (without_possessive(after), 'a', false);
        } else {
            after_break |= matches!(first, ',' | ';' | ':' | '.' | '?' | '!');
            previous = first;
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    words
}

fn clipped(input: &str) -> &str {
    let end = (0..=MAX_BYTES.min(input.len())).rev().find(|end| input.is_char_boundary(*end));
    end.and_then(|end| input.get(..end)).unwrap_or_default()
}

/// Letters, digits, and what joins the parts of a name; a hyphen joins too (`two-year`).
fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

fn without_possessive(rest: &str) -> &str {
    ["'s", "’s"]
        .iter()
        .find_map(|ending| rest.strip_prefix(ending))
        .filter(|after| !after.starts_with(char::is_alphanumeric))
        .unwrap_or(rest)
}

/// The text between a pair of quotes that opens at the start of `rest`, and what follows it.
fn quoted(rest: &str, previous: char) -> Option<(&str, &str)> {
    let open = rest.chars().next()?;
    let close = match open {
        '"' => '"',
        '\'' | '`' => open,
        '“' | '”' => '”',
        '‘' => '’',
        _ => return None,
    };
    // A single quote after a letter is an apostrophe.
    if previous.is_alphanumeric() && close != '"' {
        return None;
    }
    let inside = rest.get(open.len_utf8()..)?;
    inside.match_indices(close).find_map(|(end, _)| {
        let after = inside.get(end + close.len_utf8()..)?;
        let closes = close == '"' || !after.starts_with(char::is_alphanumeric);
        (closes && end > 0).then(|| inside.get(..end).map(|text| (text, after)))?
    })
}

fn word(text: &str, first: bool, after_break: bool) -> Word {
    let shape = if text.contains(|c: char| c.is_ascii_digit()) {
        Shape::Number
    } else if !first && text.starts_with(char::is_uppercase) {
        Shape::Proper
    } else {
        Shape::Plain
    };
    let lower = text.to_lowercase();
    let class = lexicon::class_of(&lower);
    match (class, shape) {
        (None, Shape::Plain) => match lexicon::repaired(&lower) {
            Some(right) => Word { text: right.into(), class: lexicon::class_of(right), shape, after_break },
            None => Word { text: lower.into(), class, shape, after_break },
        },
        _ => Word { text: lower.into(), class, shape, after_break },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(input: &str) -> Vec<String> {
        Words::read(input).list.iter().map(|word| word.text.to_string()).collect()
    }

    #[test]
    fn politeness_is_set_aside() {
        assert_eq!(texts("Ok, now please show me the shop's names"), ["show", "me", "the", "shop", "names"]);
        assert_eq!(Words::read("Ok, now please show me").continues, Some("now"));
        assert_eq!(texts("I'd like to see them"), ["see", "them"]);
        assert_eq!(texts("thanks!"), ["thanks"]);
    }

    #[test]
    fn quoted_text_is_one_word() {
        assert_eq!(
            texts("those in 'New York' or “Los Angeles”?"),
            ["those", "in", "new york", "or", "los angeles"]
        );
        assert_eq!(texts("the teachers' names aren't"), ["the", "teachers", "names", "aren", "t"]);
    }

    #[test]
    fn forms_of_a_word_share_their_stem() {
        for (one, other) in
            [("cities", "city"), ("orders", "ordered"), ("classes", "class"), ("names", "name")]
        {
            assert_eq!(stem(one), stem(other), "{one} {other}");
        }
        assert_ne!(stem("status"), stem("statue"));
    }

    #[test]
    fn any_text_is_read() {
        for input in ["", "'", "''", "“", "İİİ", "\u{0}\u{1}", "’s", "日本の顧客", "a'b'c'"] {
            let _ = Words::read(input);
        }
        assert!(Words::read(&"é ".repeat(100_000)).list.len() <= MAX_WORDS);
    }
}
