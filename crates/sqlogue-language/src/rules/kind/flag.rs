//! Columns that say yes or no, however they are stored.

use super::{Looks, is_unknown};
use sqlogue_sql::schema::{ColumnType, Value};

/// How texts say yes and no.
pub(in crate::rules) const PAIRS: &[(&str, &str)] =
    &[("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("on", "off"), ("1", "0")];

impl Looks<'_> {
    /// The values that say yes and no.
    pub(super) fn flag(&self) -> Option<(Value, Value)> {
        let values: Vec<&Value> = self.tally.few().iter().filter(|value| !is_unknown(value)).collect();
        let is_boolean = self.column_type == ColumnType::Boolean;
        if let Some(Value::Text(_)) = values.first()
            && let Some(pair) = self.texts_of_flag(&values)
        {
            return Some(pair);
        }
        if is_boolean {
            return Some((Value::Boolean(true), Value::Boolean(false)));
        }
        // Access writes yes as -1.
        let yes = if values.contains(&&Value::Integer(-1)) { -1 } else { 1 };
        let is_bit = |value: &&Value| matches!(value, Value::Integer(bit) if *bit == 0 || *bit == yes);
        let all_bits = !values.is_empty() && values.iter().all(is_bit);
        // A number that happens to be 0 or 1 in the few rows there are is still a number.
        let describes = || self.words.last().is_some_and(|word| is_adjective(word)) && !self.says("quantity");
        let said = self.says("flag") || describes();
        let many = values.len() == 2 && self.rows.is_some_and(|rows| rows >= 40);
        (all_bits && (said || many && !self.says("quantity")))
            .then_some((Value::Integer(yes), Value::Integer(0)))
    }

    /// The texts by which the column says yes and no, spelt as they are stored.
    fn texts_of_flag(&self, values: &[&Value]) -> Option<(Value, Value)> {
        let texts: Vec<&str> = values.iter().filter_map(|value| value.as_str()).collect();
        let of = |text: &&str, word: &str| text.eq_ignore_ascii_case(word);
        let (yes, no) = PAIRS
            .iter()
            .find(|(yes, no)| texts.iter().all(|text| of(text, yes) || of(text, no)))
            .filter(|_| texts.len() == values.len())?;
        // `F` alone may be anything; with `T` beside it, or where the name asks for yes or no, it says no.
        if texts.len() != 2 && yes.len() == 1 && self.column_type != ColumnType::Boolean && !self.says("flag")
        {
            return None;
        }
        let upper = texts.iter().any(|text| text.chars().next().is_some_and(char::is_uppercase));
        let lower = texts.iter().any(|text| text.chars().skip(1).any(char::is_lowercase));
        let stored = |word: &str| {
            let known = texts.iter().find(|text| of(text, word)).map(|text| (*text).to_owned());
            // A text that no row has yet is spelt as the other one is.
            Value::Text(known.unwrap_or_else(|| match (upper, lower) {
                (true, false) => word.to_uppercase(),
                (true, true) => {
                    word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect()
                }
                _ => word.to_owned(),
            }))
        };
        Some((stored(yes), stored(no)))
    }
}

/// True for words that say how a thing is: *discontinued*, *available*, *active*.
fn is_adjective(word: &str) -> bool {
    word.len() > 4 && ["ed", "ing", "able", "ible", "ive"].iter().any(|end| word.ends_with(end))
}
