//! Values as the API writes them: nearly everything is text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use serde_json::{Map, Value as Json};

use super::wire::{Field, TableRow};
use sqlogue_sql::schema::{ColumnType, Value};

/// The cells of a row.
pub(super) fn row(fields: &[Field], row: TableRow) -> Vec<Value> {
    let mut cells = row.f.into_iter();
    fields.iter().map(|field| cells.next().map_or(Value::Null, |cell| value(field, cell.v))).collect()
}

/// The family of a type, by its name in the API or in SQL.
pub(super) fn family(kind: &str) -> ColumnType {
    let upper = kind.to_ascii_uppercase();
    let name = upper.split(['(', '<']).next().unwrap_or_default().trim();
    match name {
        "INTEGER" | "INT64" => ColumnType::Integer,
        "FLOAT" | "FLOAT64" | "NUMERIC" | "BIGNUMERIC" | "DECIMAL" | "BIGDECIMAL" => ColumnType::Real,
        "STRING" => ColumnType::Text,
        "BOOLEAN" | "BOOL" => ColumnType::Boolean,
        "DATE" => ColumnType::Date,
        "DATETIME" | "TIMESTAMP" => ColumnType::DateTime,
        "TIME" => ColumnType::Time,
        "BYTES" => ColumnType::Blob,
        _ => ColumnType::Other,
    }
}

fn value(field: &Field, cell: Json) -> Value {
    let is_repeated = field.mode.as_deref() == Some("REPEATED");
    match cell {
        Json::Null => Value::Null,
        cell if is_repeated || is_struct(field) => Value::Text(json(field, cell).to_string()),
        Json::String(text) => scalar(&field.kind, text),
        Json::Bool(truth) => Value::Boolean(truth),
        other => scalar(&field.kind, other.to_string()),
    }
}

fn is_struct(field: &Field) -> bool {
    matches!(field.kind.as_str(), "RECORD" | "STRUCT")
}

/// A cell as JSON, where it is an array or a struct, or in one.
fn json(field: &Field, cell: Json) -> Json {
    match cell {
        Json::Array(elements) if field.mode.as_deref() == Some("REPEATED") => {
            let one = Field { mode: None, ..field.clone() };
            Json::Array(elements.into_iter().map(|element| json(&one, inner(element))).collect())
        }
        Json::Object(mut object) if is_struct(field) => {
            let Some(Json::Array(cells)) = object.remove("f") else { return Json::Null };
            let members = field.fields.iter().zip(cells);
            Json::Object(
                members
                    .map(|(member, cell)| (member.name.clone(), json(member, inner(cell))))
                    .collect::<Map<_, _>>(),
            )
        }
        Json::Null => Json::Null,
        cell => match (field.kind.as_str(), value(field, cell)) {
            ("JSON", Value::Text(text)) => serde_json::from_str(&text).unwrap_or(Json::String(text)),
            (_, Value::Real(number)) if !number.is_finite() => Json::String(number.to_string()),
            (_, value) => serde_json::to_value(value).unwrap_or(Json::Null),
        },
    }
}

/// What is in `{"v": …}`.
fn inner(cell: Json) -> Json {
    match cell {
        Json::Object(mut object) if object.contains_key("v") => object.remove("v").unwrap_or(Json::Null),
        other => other,
    }
}

fn scalar(kind: &str, text: String) -> Value {
    match kind {
        "INTEGER" | "INT64" => text.parse().map_or(Value::Text(text), Value::Integer),
        "FLOAT" | "FLOAT64" => match text.as_str() {
            "Infinity" | "+Infinity" => Value::Real(f64::INFINITY),
            "-Infinity" => Value::Real(f64::NEG_INFINITY),
            _ => text.parse().map_or(Value::Text(text), Value::Real),
        },
        "NUMERIC" | "BIGNUMERIC" | "DECIMAL" | "BIGDECIMAL" => numeric(text),
        "BOOLEAN" | "BOOL" => Value::Boolean(text.eq_ignore_ascii_case("true")),
        "BYTES" => STANDARD.decode(&text).map_or(Value::Text(text), Value::Blob),
        "TIMESTAMP" => timestamp(&text).map_or(Value::Text(text), Value::Text),
        "DATETIME" => Value::Text(text.replacen('T', " ", 1)),
        _ => Value::Text(text),
    }
}

/// A number of up to 38 digits and more: text where a floating-point number would lose some.
fn numeric(text: String) -> Value {
    if let Ok(whole) = text.parse() {
        return Value::Integer(whole);
    }
    let significant = text.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0').count();
    match text.parse() {
        Ok(number) if significant <= 15 => Value::Real(number),
        _ => Value::Text(text),
    }
}

/// Microseconds since 1970, or seconds with a fraction where the server does not know how to write the former.
fn timestamp(text: &str) -> Option<String> {
    let micros: i64 = match text.parse() {
        Ok(micros) => micros,
        Err(_) => (text.parse::<f64>().ok()? * 1e6).round() as i64,
    };
    let moment = Timestamp::from_microsecond(micros).ok()?;
    Some(moment.strftime("%Y-%m-%d %H:%M:%S%.f+00:00").to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(field: Json, cell: Json) -> Value {
        value(&serde_json::from_value(field).unwrap(), cell)
    }

    #[test]
    fn every_type_is_read() {
        let simple = |kind: &str, text: &str| read(json!({ "name": "x", "type": kind }), json!(text));
        assert_eq!(simple("INTEGER", "-5"), (-5).into());
        assert_eq!(simple("FLOAT", "0.5"), 0.5.into());
        assert_eq!(simple("FLOAT", "-Infinity"), f64::NEG_INFINITY.into());
        assert_eq!(simple("BOOLEAN", "true"), true.into());
        assert_eq!(simple("NUMERIC", "12.5"), 12.5.into());
        assert_eq!(simple("NUMERIC", "12"), 12.into());
        assert_eq!(simple("BIGNUMERIC", "1.23456789012345678"), "1.23456789012345678".into());
        assert_eq!(simple("TIMESTAMP", "1706695200250000"), "2024-01-31 10:00:00.25+00:00".into());
        assert_eq!(simple("TIMESTAMP", "1.7066952E9"), "2024-01-31 10:00:00+00:00".into());
        assert_eq!(simple("DATETIME", "2024-01-31T10:00:00"), "2024-01-31 10:00:00".into());
        assert_eq!(simple("DATE", "2024-01-31"), "2024-01-31".into());
        assert_eq!(simple("BYTES", "AP8="), Value::Blob(vec![0, 255]));
        assert_eq!(simple("GEOGRAPHY", "POINT(1 2)"), "POINT(1 2)".into());
        assert_eq!(read(json!({ "name": "x", "type": "STRING" }), Json::Null), Value::Null);
        let list = json!({ "name": "x", "type": "INTEGER", "mode": "REPEATED" });
        assert_eq!(read(list, json!([{ "v": "1" }, { "v": "2" }])), "[1,2]".into());
        let nested = json!({ "name": "x", "type": "RECORD", "mode": "REPEATED", "fields": [
            { "name": "a", "type": "INTEGER" }, { "name": "j", "type": "JSON" },
            { "name": "r", "type": "RECORD", "fields": [{ "name": "b", "type": "STRING" }] } ] });
        let cell = json!([{ "v": { "f": [{ "v": "1" }, { "v": "{\"k\":1}" }, { "v": { "f": [{ "v": null }] } }] } }]);
        assert_eq!(read(nested, cell), r#"[{"a":1,"j":{"k":1},"r":{"b":null}}]"#.into());
    }
}
