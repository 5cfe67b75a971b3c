//! Lists, maps and groups as JSON.

use ::parquet::record::{Field, Row};
use serde_json::{Map, Number, Value};

use super::moment;
use ::parquet::basic::TimeUnit;

/// The JSON of a field; none where it holds nothing.
pub(super) fn text(field: &Field) -> Option<String> {
    match field {
        Field::Null => None,
        field => Some(json(field).to_string()),
    }
}

fn json(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(truth) => Value::Bool(*truth),
        Field::Byte(number) => Value::from(*number),
        Field::Short(number) => Value::from(*number),
        Field::Int(number) => Value::from(*number),
        Field::Long(number) => Value::from(*number),
        Field::UByte(number) => Value::from(*number),
        Field::UShort(number) => Value::from(*number),
        Field::UInt(number) => Value::from(*number),
        Field::ULong(number) => Value::from(*number),
        Field::Float16(number) => fraction(&number.to_string()),
        Field::Float(number) => fraction(&number.to_string()),
        Field::Double(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
        // A decimal is shown as a number by the reader.
        Field::Decimal(_) => fraction(&field.to_string()),
        Field::Str(text) => Value::from(text.as_str()),
        Field::Bytes(bytes) => match str::from_utf8(bytes.data()) {
            Ok(text) => Value::from(text),
            Err(_) => Value::from(bytes.data().iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
        },
        Field::Date(days) => Value::from(moment::date(i64::from(*days))),
        Field::TimeMillis(since) => Value::from(moment::time(i64::from(*since), TimeUnit::MILLIS)),
        Field::TimeMicros(since) => Value::from(moment::time(*since, TimeUnit::MICROS)),
        Field::TimestampMillis(since) => Value::from(moment::moment(*since, TimeUnit::MILLIS)),
        Field::TimestampMicros(since) => Value::from(moment::moment(*since, TimeUnit::MICROS)),
        Field::Group(row) => object(row),
        Field::ListInternal(list) => Value::Array(list.elements().iter().map(json).collect()),
        Field::MapInternal(map) => {
            let entries = map.entries().iter().map(|(key, value)| {
                let key = match json(key) {
                    Value::String(key) => key,
                    key => key.to_string(),
                };
                (key, json(value))
            });
            Value::Object(entries.collect())
        }
    }
}

fn object(row: &Row) -> Value {
    let fields = row.get_column_iter().map(|(name, field)| (name.clone(), json(field)));
    Value::Object(fields.collect::<Map<String, Value>>())
}

/// A number with as many digits as it was written with.
fn fraction(text: &str) -> Value {
    text.parse().ok().and_then(Number::from_f64).map_or(Value::Null, Value::Number)
}
