//! One cell as people read it.

use std::borrow::Cow;

use crate::base::number::real;
use crate::base::text;
use crate::schema::Value;

/// A value as it stands in a table. A text that reads `NULL` is quoted, so that it is not taken for none.
pub fn cell(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed("NULL"),
        Value::Text(text) if text == "NULL" => Cow::Borrowed("'NULL'"),
        Value::Text(text) => text::clean(text),
        Value::Real(number) => real(*number).into(),
        Value::Blob(bytes) if bytes.len() > 16 => format!("({} bytes)", bytes.len()).into(),
        value => value.to_string().into(),
    }
}
