//! How a column stores what people say otherwise: percentages, and words for one of a few labels.

use super::knowledge::ColumnEntry;
use sqlogue_sql::schema::Value;

impl ColumnEntry {
    /// A percentage as the column stores it: as a fraction of one, where its numbers are such.
    pub fn percentage(&self, value: &Value) -> Value {
        let fraction = value.as_f64().filter(|_| self.fractions).map(|number| number / 100.0);
        // Through the decimal places of the text, so that 7 % is 0.07 and not 0.07000000000000001.
        let fraction = fraction.and_then(|number| format!("{number:.10}").parse().ok());
        fraction.map_or_else(|| value.clone(), Value::Real)
    }

    /// What is said of one unit, and the unit, where the name says so: `price_per_litre`. Such numbers do not add up.
    pub(super) fn per_unit(&self) -> Option<(&str, &str)> {
        let form = self.forms.first()?;
        let at = form.iter().position(|word| word == "per")?;
        Some((form.get(at.checked_sub(1)?)?, form.get(at + 1)?))
    }
}

/// True for the name of a type that holds any text.
pub(super) fn is_text(declared: &str) -> bool {
    let declared = declared.to_ascii_lowercase();
    declared.is_empty()
        || ["char", "text", "string", "name", "clob"].iter().any(|part| declared.contains(part))
}

/// True for numbers none of which is larger than one, and some of which lie between.
pub(super) fn are_fractions(values: &[Value]) -> bool {
    let numbers: Vec<f64> = values.iter().filter_map(Value::as_f64).collect();
    numbers.iter().all(|number| number.abs() <= 1.0) && numbers.iter().any(|number| number.fract() != 0.0)
}

/// True for a text that people write where a value is missing.
pub(super) fn is_missing(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    !text.contains(char::is_alphanumeric)
        || ["null", "nil", "none", "nan", "na", "n/a", "unknown", "missing", "tbd"].contains(&text.as_str())
}
