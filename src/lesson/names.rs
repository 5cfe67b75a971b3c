//! Words of questions and of names, in a form in which they can be compared.

/// The words of a question or a name: lower case, singular, split at everything that is no letter or digit and where
/// a capital follows a small letter (`CustomerOrders` is `customer order`).
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut after_small = false;
    for character in text.chars() {
        let joins = character.is_alphanumeric() && !(character.is_uppercase() && after_small);
        if !joins && !word.is_empty() {
            words.push(singular(&std::mem::take(&mut word)));
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        after_small = character.is_lowercase();
    }
    if !word.is_empty() {
        words.push(singular(&word));
    }
    words
}

/// The words of `text` that carry meaning, each once.
pub(super) fn key_words(text: &str) -> Vec<String> {
    const EMPTY: [&str; 38] = [
        "a", "all", "an", "and", "any", "are", "at", "be", "by", "do", "each", "every", "find", "for", "from", "get",
        "give", "have", "how", "in", "is", "list", "many", "me", "much", "of", "on", "or", "our", "please", "show",
        "that", "the", "to", "wa", "what", "which", "with",
    ];
    let mut kept: Vec<String> = Vec::new();
    for word in words(text) {
        if !EMPTY.contains(&word.as_str()) && !kept.contains(&word) {
            kept.push(word);
        }
    }
    kept
}

/// A phrase as words with single spaces: equal for phrases that differ in case, number and punctuation only.
pub(super) fn phrase(text: &str) -> String {
    words(text).join(" ")
}

/// Whether the words `phrase` stand in `text` side by side.
pub(super) fn contains_phrase(text: &[String], phrase: &[String]) -> bool {
    !phrase.is_empty() && text.windows(phrase.len()).any(|window| window == phrase)
}

fn singular(word: &str) -> String {
    // Short words and words with digits are names and codes; "is" is no plural.
    if word.len() < 3 || word.chars().any(|character| !character.is_ascii_alphabetic()) {
        return word.to_owned();
    }
    pluralizer::pluralize(word, 1, false)
}

/// One line without control characters, at most `limit` characters: what comes from people, models and databases is
/// shown to people and put into prompts.
pub(super) fn plain(text: &str, limit: usize) -> String {
    let line: String =
        text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    let line = line.trim();
    match line.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default().trim_end()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_questions_come_to_the_same_words() {
        assert_eq!(words("PROD_Customers"), ["prod", "customer"]);
        assert_eq!(words("CustomerOrders2"), ["customer", "orders2"]);
        assert_eq!(key_words("Show me all the customers' orders, and customers"), ["customer", "order"]);
        assert_eq!(phrase("Sales Regions!"), "sale region");
        assert!(contains_phrase(&words("revenue by sales region"), &words("Sales Region")));
        assert!(!contains_phrase(&words("revenue"), &[]));
    }

    #[test]
    fn what_is_shown_is_one_short_line() {
        assert_eq!(plain("a\u{1b}[31m\nb", 80), "a [31m b");
        assert_eq!(plain("äöüß", 2), "äö…");
    }
}
