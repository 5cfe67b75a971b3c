//! JSON whose objects are objects.
//!
//! serde reads a list as a structure too, field after field, so that `"usage": []` would pass for a usage of nothing. Where a
//! text comes from outside it is compared with what was made of it: a list must have become a list.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Reads a text, and refuses a list where an object is meant.
///
/// # Errors
/// What is wrong, and where.
pub fn read<T: DeserializeOwned + Serialize>(text: &str) -> Result<T, String> {
    let read: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let given: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    same_shape(&given, &read).map(|()| read)
}

/// Whether every object in what was read was an object in what was given.
///
/// # Errors
/// Where one was a list.
pub fn same_shape(given: &Value, read: &impl Serialize) -> Result<(), String> {
    let read = value(read).map_err(|error| error.to_string())?;
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
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(Fields(PhantomData))
}

/// Reads a type from the fields of an object.
struct Fields<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
    type Value = T;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("an object, not a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields))
    }
}

/// What is written of a value. By way of text, because all types are written as text anyway: what writes a large type straight
/// into a [`Value`] is a second copy of that code in the program.
///
/// # Errors
/// The value cannot be written as JSON.
pub fn value(of: &impl Serialize) -> Result<Value, serde_json::Error> {
    serde_json::from_str(&serde_json::to_string(of)?)
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
