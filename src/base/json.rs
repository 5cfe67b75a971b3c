//! JSON whose objects are objects.
//!
//! serde reads a list as a structure too, field after field, so that `"usage": []` would pass for a usage of nothing. Where a
//! text comes from outside it is compared with what was made of it: a list must have become a list.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Reads a text, and refuses a list where an object is meant.
///
/// # Errors
/// What is wrong, and where.
pub(crate) fn read<T: DeserializeOwned + Serialize>(text: &str) -> Result<T, String> {
    let read: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let given: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    same_shape(&given, &read).map(|()| read)
}

/// Whether every object in what was read was an object in what was given.
///
/// # Errors
/// Where one was a list.
pub(crate) fn same_shape(given: &Value, read: &impl Serialize) -> Result<(), String> {
    let read = serde_json::to_value(read).map_err(|error| error.to_string())?;
    match list_for_object(given, &read) {
        None => Ok(()),
        Some(path) if path.is_empty() => Err("it must be an object, and is a list".to_owned()),
        Some(path) => Err(format!("`{path}` must be an object, and is a list")),
    }
}

/// Reads a field that is left out when nothing is in it, so that comparing what was read with the text would miss it.
///
/// # Errors
/// It is no object, or not that of the type.
pub(crate) fn object<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<T, D::Error> {
    let value = Value::deserialize(deserializer)?;
    if value.is_array() {
        return Err(D::Error::custom("an object was expected, and a list is there"));
    }
    T::deserialize(value).map_err(D::Error::custom)
}

/// The path to the first list that was read as an object; empty for the whole.
fn list_for_object(given: &Value, read: &Value) -> Option<String> {
    match (given, read) {
        (Value::Array(_), Value::Object(_)) => Some(String::new()),
        (Value::Object(given), Value::Object(read)) => read.iter().find_map(|(name, read)| {
            let inner = list_for_object(given.get(name)?, read)?;
            Some(join(name, &inner))
        }),
        (Value::Array(given), Value::Array(read)) => {
            given.iter().zip(read).enumerate().find_map(|(number, (given, read))| {
                let inner = list_for_object(given, read)?;
                Some(join(&format!("[{number}]"), &inner))
            })
        }
        _ => None,
    }
}

fn join(outer: &str, inner: &str) -> String {
    match inner.chars().next() {
        None => outer.to_owned(),
        Some('[') => format!("{outer}{inner}"),
        Some(_) => format!("{outer}.{inner}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Inner {
        #[serde(default)]
        a: u32,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Outer {
        one: Inner,
        #[serde(default)]
        many: Vec<Inner>,
    }

    #[test]
    fn a_list_is_no_object() {
        let good = read::<Outer>(r#"{"one": {"a": 1}, "many": [{}], "unknown": []}"#).unwrap();
        assert_eq!(good, Outer { one: Inner { a: 1 }, many: vec![Inner { a: 0 }] });
        for (text, place) in [
            (r#"{"one": [], "many": []}"#, "`one`"),
            (r#"{"one": {}, "many": [{}, [1]]}"#, "`many[1]`"),
            ("[[1], []]", "it must"),
        ] {
            let error = read::<Outer>(text).unwrap_err();
            assert!(error.starts_with(place) && error.ends_with("is a list"), "{error}");
        }
    }
}
