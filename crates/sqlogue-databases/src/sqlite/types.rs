//! The family of a column's type, from its declaration and from what is in it.

use sqlogue_sql::schema::{ColumnType, Value};

/// The family that a declared type stands for, by SQLite's rules of affinity and by names that other databases use.
pub(super) fn declared(declared: &str) -> Option<ColumnType> {
    let upper = declared.to_ascii_uppercase();
    let has = |part: &str| upper.contains(part);
    Some(if upper.trim().is_empty() {
        return None;
    } else if has("BOOL") {
        ColumnType::Boolean
    } else if has("DATETIME") || has("TIMESTAMP") {
        ColumnType::DateTime
    } else if has("DATE") {
        ColumnType::Date
    } else if upper.starts_with("TIME") {
        ColumnType::Time
    } else if has("INT") || has("SERIAL") {
        ColumnType::Integer
    } else if has("CHAR") || has("CLOB") || has("TEXT") || has("STRING") || has("UUID") || has("ENUM") {
        ColumnType::Text
    } else if has("BLOB") || has("BINARY") || has("BYTEA") {
        ColumnType::Blob
    } else if has("REAL") || has("FLOA") || has("DOUB") {
        ColumnType::Real
    } else if has("NUM") || has("DEC") || has("MONEY") || has("CURRENCY") {
        if is_whole(&upper) { ColumnType::Integer } else { ColumnType::Real }
    } else if upper.trim() == "YEAR" {
        ColumnType::Integer
    } else if has("JSON") {
        ColumnType::Other
    } else {
        return None;
    })
}

/// True for `DECIMAL(10, 0)` and its like.
fn is_whole(declared: &str) -> bool {
    let scale = declared.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(inner, _)| inner);
    scale.is_some_and(|inner| inner.split_once(',').is_some_and(|(_, scale)| scale.trim() == "0"))
}

/// The family of a column, where the values seen may say more than the declaration does.
pub(super) fn family(declared_type: &str, values: &[Value]) -> ColumnType {
    let declared = declared(declared_type);
    let seen = seen(values);
    match (declared, seen) {
        (None, Some(seen)) => seen,
        (None, None) => ColumnType::Text,
        // Dates live in text columns, and years and fractions in columns declared as something near.
        (Some(ColumnType::Text), Some(seen)) if seen.is_temporal() || seen == ColumnType::Time => seen,
        (Some(ColumnType::Date), Some(ColumnType::DateTime)) => ColumnType::DateTime,
        (Some(ColumnType::DateTime), Some(ColumnType::Date)) => ColumnType::Date,
        // What was declared a date but holds other text or numbers cannot be asked for its month.
        (Some(ColumnType::Date | ColumnType::DateTime | ColumnType::Time), Some(seen)) => seen,
        (Some(ColumnType::Integer), Some(ColumnType::Real)) => ColumnType::Real,
        (Some(ColumnType::Integer | ColumnType::Real), Some(ColumnType::Text)) => ColumnType::Text,
        (Some(declared), _) => declared,
    }
}

/// The family of the values themselves, where they agree.
fn seen(values: &[Value]) -> Option<ColumnType> {
    let mut families = values.iter().filter_map(|value| match value {
        Value::Null => None,
        Value::Boolean(_) => Some(ColumnType::Boolean),
        Value::Integer(_) => Some(ColumnType::Integer),
        Value::Real(_) => Some(ColumnType::Real),
        Value::Text(text) if text.is_empty() => None,
        Value::Text(text) => Some(text_family(text)),
        Value::Blob(_) => Some(ColumnType::Blob),
    });
    let first = families.next()?;
    families.try_fold(first, |one, next| match (one, next) {
        (one, next) if one == next => Some(one),
        (ColumnType::Integer, ColumnType::Real) | (ColumnType::Real, ColumnType::Integer) => {
            Some(ColumnType::Real)
        }
        (ColumnType::Date, ColumnType::DateTime) | (ColumnType::DateTime, ColumnType::Date) => {
            Some(ColumnType::DateTime)
        }
        (ColumnType::Text, _) | (_, ColumnType::Text) => Some(ColumnType::Text),
        _ => None,
    })
}

/// Dates and times in the forms that SQLite's own functions read.
fn text_family(text: &str) -> ColumnType {
    let bytes = text.as_bytes();
    let matches = |bytes: &[u8], pattern: &str| {
        bytes.len() == pattern.len()
            && bytes.iter().zip(pattern.bytes()).all(|(byte, expected)| match expected {
                b'0' => byte.is_ascii_digit(),
                other => *byte == other,
            })
    };
    let is_time = |bytes: &[u8]| {
        matches(bytes, "00:00") || bytes.get(..8).is_some_and(|start| matches(start, "00:00:00"))
    };
    let Some((date, rest)) = bytes.split_at_checked(10).filter(|(date, _)| matches(date, "0000-00-00"))
    else {
        return if is_time(bytes) && text.len() <= 15 { ColumnType::Time } else { ColumnType::Text };
    };
    let in_range = |range: std::ops::Range<usize>, most: u8| {
        let digits = date.get(range).unwrap_or_default();
        let number = digits.iter().fold(0_u8, |number, digit| number * 10 + (digit - b'0'));
        (1..=most).contains(&number)
    };
    match rest.split_first() {
        _ if !(in_range(5..7, 12) && in_range(8..10, 31)) => ColumnType::Text,
        None => ColumnType::Date,
        Some((b' ' | b'T', time)) if is_time(time) => ColumnType::DateTime,
        Some(_) => ColumnType::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_and_values_are_weighed() {
        let texts = |texts: &[&str]| texts.iter().map(|text| Value::from(*text)).collect::<Vec<_>>();
        for (declared, values, expected) in [
            ("VARCHAR(20)", texts(&["x"]), ColumnType::Text),
            ("TEXT", texts(&["2024-01-31", "2023-12-01"]), ColumnType::Date),
            ("TEXT", texts(&["2024-01-31", "2023-12-01 10:00:00"]), ColumnType::DateTime),
            ("TEXT", texts(&["2024-01-31", "unknown"]), ColumnType::Text),
            ("TEXT", texts(&["2024-13-31"]), ColumnType::Text),
            ("TEXT", texts(&["10:30", "23:59:59"]), ColumnType::Time),
            ("DATETIME", texts(&["2024-01-31"]), ColumnType::Date),
            ("DATE", texts(&["Spring"]), ColumnType::Text),
            ("DATE", vec![Value::Integer(2008)], ColumnType::Integer),
            ("bool", vec![Value::Integer(1)], ColumnType::Boolean),
            ("DECIMAL(10,0)", vec![], ColumnType::Integer),
            ("NUMERIC", vec![Value::Integer(3)], ColumnType::Real),
            ("INTEGER", vec![Value::Integer(3), Value::Real(0.5)], ColumnType::Real),
            ("", vec![], ColumnType::Text),
            ("", vec![Value::Integer(3), Value::Null], ColumnType::Integer),
            ("year", vec![], ColumnType::Integer),
        ] {
            assert_eq!(family(declared, &values), expected, "{declared} {values:?}");
        }
    }
}
