//! Counting tokens.

use std::sync::Arc;

#[cfg(feature = "tokenizer")]
use tiktoken_rs::CoreBPE;

use crate::model::TokenizerKind;

/// Somebody who counts the tokens of a text.
pub trait Tokenizer: Send + Sync {
    /// How many tokens a text has.
    fn count(&self, text: &str) -> usize;
}

/// The counter that the settings ask for.
///
/// The tables of the real tokenizers are in the program; they are read when the first text is counted, once for the
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
        TokenizerKind::Auto if older => Arc::new(Cl100k),
        #[cfg(feature = "tokenizer")]
        TokenizerKind::Cl100k => Arc::new(Cl100k),
        #[cfg(feature = "tokenizer")]
        TokenizerKind::Auto | TokenizerKind::O200k => Arc::new(O200k),
        _ => Arc::new(Estimate),
    }
}

#[cfg(feature = "tokenizer")]
struct O200k;
#[cfg(feature = "tokenizer")]
struct Cl100k;

/// Counts without tables, rather too much than too little.
#[derive(Debug, Clone, Copy, Default)]
pub struct Estimate;

/// The tokenizer works on words; cutting a text that has none every so many bytes keeps its cost linear.
#[cfg(feature = "tokenizer")]
const PIECE: usize = 1000;

#[cfg(feature = "tokenizer")]
fn count(tables: &CoreBPE, text: &str) -> usize {
    let mut rest = text;
    let mut tokens = 0;
    while !rest.is_empty() {
        let piece =
            rest.get(..rest.floor_char_boundary(PIECE)).filter(|piece| !piece.is_empty()).unwrap_or(rest);
        // A cut at the last break between words counts as the whole would.
        let end = match piece.len() < rest.len() {
            true => piece.rfind([' ', '\n']).filter(|at| *at > 0).unwrap_or(piece.len()),
            false => piece.len(),
        };
        let (now, later) = rest.split_at_checked(end).unwrap_or((rest, ""));
        tokens += tables.count_ordinary(now);
        rest = later;
    }
    tokens
}

#[cfg(feature = "tokenizer")]
impl Tokenizer for O200k {
    fn count(&self, text: &str) -> usize {
        count(tiktoken_rs::o200k_base_singleton(), text)
    }
}

#[cfg(feature = "tokenizer")]
impl Tokenizer for Cl100k {
    fn count(&self, text: &str) -> usize {
        count(tiktoken_rs::cl100k_base_singleton(), text)
    }
}

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
