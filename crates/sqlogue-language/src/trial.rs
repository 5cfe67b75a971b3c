//! What came of running a reading before it was chosen.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};
use sqlogue_sql::schema::Value;

/// What running a reading's query tells of it. Readings that give the same rows are as good as one; what gives nothing is
/// rarely what was meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trial {
    /// It was not run, or not to the end.
    #[default]
    Untried,
    /// The database refused it.
    Failed,
    /// It gave rows.
    Rows {
        /// So many of them; rows of nothing but NULL do not count.
        count: usize,
        /// Equal for the same rows, whatever the order of rows and columns.
        digest: u64,
    },
}

impl Trial {
    /// The trial of a query that gave these rows.
    pub fn of(rows: &[Vec<Value>]) -> Self {
        let count = rows.iter().filter(|row| row.iter().any(|value| *value != Value::Null)).count();
        let digest = rows.iter().map(|row| row_digest(row)).fold(0, u64::wrapping_add);
        Self::Rows { count, digest }
    }

    /// How many rows it gave; none where it gave no rows at all.
    pub fn count(self) -> Option<usize> {
        match self {
            Self::Rows { count, .. } => Some(count),
            Self::Untried | Self::Failed => None,
        }
    }

    /// True where it was run, whatever came of it.
    pub fn is_tried(self) -> bool {
        self != Self::Untried
    }
}

fn row_digest(row: &[Value]) -> u64 {
    let mut cells: Vec<String> = row.iter().map(cell).collect();
    cells.sort_unstable();
    let mut hasher = DefaultHasher::new();
    cells.hash(&mut hasher);
    hasher.finish()
}

/// Numbers are equal whatever their type, to nine digits.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Boolean(truth) => format!("n{:.8e}", f64::from(u8::from(*truth))),
        Value::Integer(whole) => format!("n{:.8e}", *whole as f64),
        Value::Real(real) => format!("n{:.8e}", if *real == 0.0 { 0.0 } else { *real }),
        Value::Text(text) => format!("t{text}"),
        Value::Blob(bytes) => format!("b{bytes:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_rows_in_another_order_are_the_same_trial() {
        let row = |number: i64, text: &str| vec![Value::Integer(number), Value::Text(text.to_owned())];
        let turned = |text: &str, number: f64| vec![Value::Text(text.to_owned()), Value::Real(number)];
        assert_eq!(Trial::of(&[row(1, "a"), row(2, "b")]), Trial::of(&[turned("b", 2.0), turned("a", 1.0)]));
        assert_ne!(Trial::of(&[row(1, "a")]), Trial::of(&[row(1, "a"), row(1, "a")]));
        assert_ne!(Trial::of(&[row(1, "1")]), Trial::of(&[vec![Value::Integer(1), Value::Integer(1)]]));
        assert!(matches!(Trial::of(&[vec![Value::Null]]), Trial::Rows { count: 0, .. }));
    }
}
