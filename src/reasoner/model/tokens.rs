//! Counting tokens.

#[cfg(feature = "tokenizer")]
mod tables;

use std::sync::Arc;

#[cfg(feature = "tokenizer")]
use tables::Table;

use crate::model::TokenizerKind;

/// Somebody who counts the tokens of a text.
pub trait Tokenizer: Send + Sync {
    /// How many tokens a text has.
    fn count(&self, text: &str) -> usize;
}

/// The counter that the settings ask for.
///
/// The tables of the real tokenizers are in the program, packed; they are read when the first text is counted, once for the
/// whole process. A program that was built without the feature `tokenizer` has no tables and estimates.
#[cfg_attr(
    not(feature = "tokenizer"),
    expect(unused_variables, reason = "without tables there is one way to count")
)]
pub fn tokenizer(kind: TokenizerKind, model: &str) -> Arc<dyn Tokenizer> {
    #[cfg(feature = "tokenizer")]
    let older = model.starts_with("gpt-4-") || model == "gpt-4" || model.starts_with("gpt-3.5");
    match kind {
        #[cfg(feature = "tokenizer")]
        TokenizerKind::Auto if older => Arc::new(Table::Cl100k),
        #[cfg(feature = "tokenizer")]
        TokenizerKind::Cl100k => Arc::new(Table::Cl100k),
        #[cfg(feature = "tokenizer")]
        TokenizerKind::Auto | TokenizerKind::O200k => Arc::new(Table::O200k),
        _ => Arc::new(Estimate),
    }
}

/// Counts without tables, rather too much than too little.
#[derive(Debug, Clone, Copy, Default)]
pub struct Estimate;

impl Tokenizer for Estimate {
    fn count(&self, text: &str) -> usize {
        let (mut tokens, mut word) = (0_usize, 0_usize);
        for character in text.chars() {
            if character.is_ascii_alphabetic() {
                word += 1;
                continue;
            }
            tokens += word.div_ceil(3);
            word = 0;
            // A space mostly belongs to the word after it.
            tokens += if character == ' ' { 0 } else { character.len_utf8() };
        }
        tokens + word.div_ceil(3)
    }
}

#[cfg(all(test, feature = "tokenizer"))]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_tokenizer_also_for_long_texts() {
        let o200k = tokenizer(TokenizerKind::Auto, "gpt-4o-mini");
        assert_eq!(o200k.count("SELECT count(*) FROM singer"), 5);
        let long = "How many singers are there in each country? ".repeat(200);
        let exact = tiktoken_rs::o200k_base_singleton().count_ordinary(&long);
        assert!(o200k.count(&long).abs_diff(exact) <= 10);
        assert!(Estimate.count(&long) >= exact);
    }

    #[test]
    fn texts_without_words_are_counted_in_linear_time() {
        for text in ["a".repeat(100_000), " ".repeat(100_000), "é\u{0}😀".repeat(20_000)] {
            assert!(tokenizer(TokenizerKind::O200k, "").count(&text) > 100);
        }
    }
}
