//! Rows as structures of the caller's own, by serde.

use std::fmt;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::Row;
use sqlogue_sql::schema::Value;

/// Why a row is no value of the type that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowError {
    row: Option<u64>,
    column: Option<String>,
    problem: String,
}

impl RowError {
    /// The number of the row, from 1, where one of several was read.
    pub fn row(&self) -> Option<u64> {
        self.row
    }

    /// The name of the column, where it is the fault of one.
    pub fn column(&self) -> Option<&str> {
        self.column.as_deref()
    }

    pub(super) fn in_row(self, number: u64) -> Self {
        Self { row: Some(number), ..self }
    }

    fn in_column(self, name: &str) -> Self {
        Self { column: self.column.or_else(|| Some(name.to_owned())), ..self }
    }
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(row) = self.row {
            write!(f, "row {row}")?;
        }
        if let Some(column) = &self.column {
            let comma = if self.row.is_some() { ", " } else { "" };
            write!(f, "{comma}column `{column}`")?;
        }
        let colon = if self.row.is_some() || self.column.is_some() { ": " } else { "" };
        write!(f, "{colon}{}", self.problem)
    }
}

impl std::error::Error for RowError {}

impl de::Error for RowError {
    fn custom<T: fmt::Display>(problem: T) -> Self {
        Self { row: None, column: None, problem: problem.to_string() }
    }
}

/// A row is a map from names to values, a list of values, or, where it has one column, its value.
impl<'de> Deserializer<'de> for Row<'_> {
    type Error = RowError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match (self.columns, self.values) {
            ([name], [value]) => Cell { name, value }.deserialize_any(visitor),
            _ => self.deserialize_map(visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        let cells = self.columns.iter().zip(self.values);
        visitor
            .visit_map(MapDeserializer::new(cells.map(|(name, value)| (name.as_str(), Cell { name, value }))))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        let cells = self.columns.iter().zip(self.values);
        let mut cells = SeqDeserializer::new(cells.map(|(name, value)| Cell { name, value }));
        let read = visitor.visit_seq(&mut cells)?;
        // A tuple shorter than the row would leave columns out without a word.
        cells.end()?;
        Ok(read)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, RowError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RowError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        self.only()?.deserialize_bool(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        self.only()?.deserialize_option(visitor)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct enum identifier
        ignored_any
    }
}

impl<'a> Row<'a> {
    /// The one value of a row of one column.
    fn only(&self) -> Result<Cell<'a>, RowError> {
        match (self.columns, self.values) {
            ([name], [value]) => Ok(Cell { name, value }),
            (columns, _) => Err(de::Error::custom(format!(
                "the row has {} columns, and one value is to be read from it",
                columns.len()
            ))),
        }
    }
}

/// A value on its way into a field, with the name of its column for what goes wrong.
#[derive(Clone, Copy)]
struct Cell<'a> {
    name: &'a str,
    value: &'a Value,
}

impl<'de> IntoDeserializer<'de, RowError> for Cell<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Cell<'_> {
    type Error = RowError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        let read: Result<V::Value, RowError> = match self.value {
            Value::Null => visitor.visit_unit().map_err(|_: RowError| {
                de::Error::custom("it is NULL, and the field takes no NULL (hint: make it an `Option`)")
            }),
            Value::Boolean(truth) => visitor.visit_bool(*truth),
            Value::Integer(number) => visitor.visit_i64(*number),
            Value::Real(number) => visitor.visit_f64(*number),
            Value::Text(text) => visitor.visit_str(text),
            Value::Blob(bytes) => visitor.visit_bytes(bytes),
        };
        read.map_err(|error| error.in_column(self.name))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.value {
            Value::Integer(truth @ (0 | 1)) => visitor.visit_bool(*truth == 1),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self).map_err(|error: RowError| error.in_column(self.name)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, RowError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, RowError> {
        let Value::Text(text) = self.value else { return self.deserialize_any(visitor) };
        let read: Result<V::Value, RowError> = visitor.visit_enum(text.as_str().into_deserializer());
        read.map_err(|error| error.in_column(self.name))
    }

    /// Bytes are a list of numbers to whoever asks for a `Vec<u8>`.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, RowError> {
        match self.value {
            Value::Blob(bytes) => visitor.visit_seq(SeqDeserializer::new(bytes.iter().copied())),
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::civil::Date;
    use serde::Deserialize;

    use super::super::Rows;
    use super::*;

    fn rows() -> Rows {
        let columns = ["name", "size", "price", "open", "day", "kind", "raw"].map(str::to_owned).to_vec();
        let day = Value::from("2026-07-01");
        let first = vec![
            Value::from("Ada"),
            Value::from(3),
            Value::from(2.5),
            Value::from(1),
            day.clone(),
            Value::from("cash"),
            Value::Blob(vec![1, 255]),
        ];
        let second = vec![
            Value::from("Bo"),
            Value::Null,
            Value::from(4),
            Value::from(true),
            day,
            Value::from("card"),
            Value::Blob(Vec::new()),
        ];
        Rows { columns, rows: vec![first, second], ..Rows::default() }
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Cash,
        Card,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Sale {
        name: String,
        size: Option<u8>,
        price: f64,
        open: bool,
        day: Date,
        kind: Kind,
        raw: Vec<u8>,
    }

    #[test]
    fn a_row_becomes_a_structure() {
        let day = "2026-07-01".parse().unwrap();
        assert_eq!(
            rows().deserialize::<Sale>().unwrap(),
            [
                Sale {
                    name: "Ada".into(),
                    size: Some(3),
                    price: 2.5,
                    open: true,
                    day,
                    kind: Kind::Cash,
                    raw: vec![1, 255]
                },
                Sale {
                    name: "Bo".into(),
                    size: None,
                    price: 4.0,
                    open: true,
                    day,
                    kind: Kind::Card,
                    raw: vec![]
                },
            ]
        );
    }

    #[test]
    fn a_row_is_also_a_tuple_a_map_or_its_only_value() {
        let one = |value: Value| Rows {
            columns: vec!["count(*)".into()],
            rows: vec![vec![value]],
            ..Rows::default()
        };
        assert_eq!(one(7.into()).deserialize::<u64>().unwrap(), [7]);
        assert_eq!(one(7.into()).deserialize::<(i32,)>().unwrap(), [(7,)]);
        assert_eq!(one(Value::Null).deserialize::<Option<f64>>().unwrap(), [None]);
        assert_eq!(one("x".into()).deserialize::<String>().unwrap(), ["x"]);
        let map = one(7.into()).deserialize::<BTreeMap<String, i64>>().unwrap();
        assert_eq!(map[0]["count(*)"], 7);
        let two = Rows {
            columns: vec!["a".into(), "b".into()],
            rows: vec![vec![1.into(), "x".into()]],
            ..Rows::default()
        };
        assert_eq!(two.deserialize::<(u8, String)>().unwrap(), [(1, "x".to_owned())]);
    }

    #[test]
    fn what_does_not_fit_says_where() {
        #[derive(Debug, Deserialize)]
        struct Sized {
            #[expect(dead_code, reason = "it is never read")]
            size: u8,
        }
        let error = rows().deserialize::<Sized>().unwrap_err();
        assert_eq!(
            (error.row(), error.column(), error.to_string()),
            (
                Some(2),
                Some("size"),
                "row 2, column `size`: it is NULL, and the field takes no NULL (hint: make it an `Option`)"
                    .to_owned()
            )
        );
        #[derive(Debug, Deserialize)]
        struct Missing {
            #[expect(dead_code, reason = "it is never read")]
            colour: String,
        }
        let error = rows().deserialize::<Missing>().unwrap_err().to_string();
        assert_eq!(error, "row 1: missing field `colour`");
        let error = rows().deserialize::<u8>().unwrap_err().to_string();
        assert!(error.starts_with("row 1: "), "{error}");
        let error = rows().deserialize::<(String, u8)>().unwrap_err().to_string();
        assert!(error.contains("length 7"), "{error}");
    }
}
