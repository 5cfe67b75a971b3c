//! A cell's value.

use std::fmt;

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

/// One cell: what a database returns, and what a literal in a query is.
///
/// In JSON it is the plain JSON value; what JSON cannot say is an object with one key, so that every value
/// survives a round trip: bytes are `{"$blob": "0aff"}`, numbers that are not finite `{"$real": "NaN"}`.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// The absence of a value.
    Null,
    /// True or false.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// Text; dates and times are text in ISO 8601 form.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl Value {
    /// True for [`Value::Null`].
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The number this value is, if it is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            _ => None,
        }
    }

    /// About how many bytes the value takes when it is written.
    pub fn size(&self) -> usize {
        match self {
            Self::Null | Self::Boolean(_) => 4,
            Self::Integer(_) | Self::Real(_) => 8,
            Self::Text(text) => text.len(),
            Self::Blob(bytes) => bytes.len().saturating_mul(2),
        }
    }

    /// The text this value is, if it is text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Boolean(truth)
    }
}

/// For people: text as it is, `NULL` for null, bytes as `x'0aff'`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Boolean(truth) => write!(f, "{truth}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Real(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::Blob(bytes) => write!(f, "x'{}'", hex(bytes)),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok()).collect()
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Boolean(truth) => serializer.serialize_bool(*truth),
            Self::Integer(number) => serializer.serialize_i64(*number),
            Self::Real(number) if number.is_finite() => serializer.serialize_f64(*number),
            Self::Real(number) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("$real", &number.to_string())?;
                map.end()
            }
            Self::Text(text) => serializer.serialize_str(text),
            Self::Blob(bytes) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("$blob", &hex(bytes))?;
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a cell value: null, true, false, a number, text, {\"$blob\": …} or {\"$real\": …}")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: de::Error>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Boolean(truth))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Integer(number))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Value, E> {
        Ok(i64::try_from(number).map_or(Value::Real(number as f64), Value::Integer))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Real(number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let Some((key, text)) = map.next_entry::<String, String>()? else {
            return Err(de::Error::custom("an empty object is no cell value"));
        };
        let value = match key.as_str() {
            "$blob" => unhex(&text).map(Value::Blob),
            "$real" => text.parse().ok().map(Value::Real),
            _ => None,
        };
        let value =
            value.ok_or_else(|| de::Error::custom(format_args!("`{key}` names no kind of cell value")))?;
        match map.next_key::<String>()? {
            None => Ok(value),
            Some(extra) => Err(de::Error::custom(format_args!("unexpected key `{extra}` in a cell value"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_survives_a_round_trip() {
        let values = vec![
            Value::Null,
            Value::Boolean(true),
            Value::Integer(i64::MIN),
            Value::Real(0.1),
            Value::Real(f64::INFINITY),
            Value::Text("it's".into()),
            Value::Blob(vec![0, 10, 255]),
        ];
        let json = serde_json::to_string(&values).unwrap();
        assert_eq!(json, r#"[null,true,-9223372036854775808,0.1,{"$real":"inf"},"it's",{"$blob":"000aff"}]"#);
        assert_eq!(serde_json::from_str::<Vec<Value>>(&json).unwrap(), values);
    }

    #[test]
    fn damaged_values_are_refused() {
        for json in [
            "{}",
            r#"{"$blob":"0"}"#,
            r#"{"$blob":"é0"}"#,
            r#"{"x":"1"}"#,
            r#"{"$real":"NaN","y":"1"}"#,
            "[1]",
        ] {
            assert!(serde_json::from_str::<Value>(json).is_err(), "{json}");
        }
    }
}
