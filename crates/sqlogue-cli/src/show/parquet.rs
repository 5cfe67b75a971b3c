//! Rows as a Parquet file.

use std::collections::HashSet;
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::Type;

use sqlogue::schema::Value;

/// What a column holds: the narrowest of these that all of its values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Truth,
    Integer,
    Real,
    Bytes,
    Text,
}

impl Kind {
    fn of<'a>(values: impl Iterator<Item = &'a Value> + Clone) -> Self {
        let given = values.filter(|value| !value.is_null());
        let all = |fits: fn(&Value) -> bool| given.clone().all(fits);
        match () {
            () if given.clone().next().is_none() => Self::Text,
            () if all(|value| matches!(value, Value::Boolean(_))) => Self::Truth,
            () if all(|value| matches!(value, Value::Integer(_))) => Self::Integer,
            () if all(|value| value.as_f64().is_some()) => Self::Real,
            () if all(|value| matches!(value, Value::Blob(_))) => Self::Bytes,
            () => Self::Text,
        }
    }

    fn physical(self) -> Physical {
        match self {
            Self::Truth => Physical::BOOLEAN,
            Self::Integer => Physical::INT64,
            Self::Real => Physical::DOUBLE,
            Self::Bytes | Self::Text => Physical::BYTE_ARRAY,
        }
    }
}

/// A Parquet file with one group of rows, packed with Snappy. Every column may hold NULL. A column whose values are of several
/// kinds is text, and columns of one name are numbered.
///
/// # Errors
/// The rows are more than such a file can hold.
pub(crate) fn parquet(columns: &[String], rows: &[Vec<Value>]) -> Result<Vec<u8>, String> {
    write(columns, rows).map_err(|error| error.to_string())
}

fn write(columns: &[String], rows: &[Vec<Value>]) -> Result<Vec<u8>, ParquetError> {
    let values = |at: usize| rows.iter().map(move |row| row.get(at).unwrap_or(&Value::Null));
    let kinds: Vec<Kind> = (0..columns.len()).map(|at| Kind::of(values(at))).collect();
    let mut fields = Vec::with_capacity(columns.len());
    for (name, kind) in names(columns).iter().zip(&kinds) {
        let field = Type::primitive_type_builder(name, kind.physical()).with_repetition(Repetition::OPTIONAL);
        let logical = (*kind == Kind::Text).then_some(LogicalType::String);
        fields.push(Arc::new(field.with_logical_type(logical).build()?));
    }
    let schema = Arc::new(Type::group_type_builder("rows").with_fields(fields).build()?);
    let properties = Arc::new(WriterProperties::builder().set_compression(Compression::SNAPPY).build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties)?;
    let mut group = writer.next_row_group()?;
    for (at, kind) in kinds.iter().enumerate() {
        match kind {
            Kind::Truth => column::<BoolType>(&mut group, values(at), |value| match value {
                Value::Boolean(truth) => Some(*truth),
                _ => None,
            })?,
            Kind::Integer => column::<Int64Type>(&mut group, values(at), |value| match value {
                Value::Integer(number) => Some(*number),
                _ => None,
            })?,
            Kind::Real => column::<DoubleType>(&mut group, values(at), Value::as_f64)?,
            Kind::Bytes => column::<ByteArrayType>(&mut group, values(at), |value| match value {
                Value::Blob(bytes) => Some(ByteArray::from(bytes.clone())),
                _ => None,
            })?,
            Kind::Text => column::<ByteArrayType>(&mut group, values(at), |value| {
                (!value.is_null()).then(|| ByteArray::from(value.to_string().into_bytes()))
            })?,
        }
    }
    group.close()?;
    writer.into_inner()
}

/// Writes one column. A value that is none of its kind is NULL.
fn column<'a, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: impl Iterator<Item = &'a Value>,
    read: impl Fn(&Value) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let read: Vec<Option<T::T>> = values.map(read).collect();
    let levels: Vec<i16> = read.iter().map(|value| i16::from(value.is_some())).collect();
    let given: Vec<T::T> = read.into_iter().flatten().collect();
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("there is no such column".to_owned()));
    };
    column.typed::<T>().write_batch(&given, Some(&levels), None)?;
    column.close()
}

/// Names of which no two are equal.
fn names(columns: &[String]) -> Vec<String> {
    let mut taken = HashSet::new();
    let free = |name: &String| {
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
        let free = free.unwrap_or_else(|| name.clone());
        taken.insert(free.clone());
        free
    };
    columns.iter().map(free).collect()
}
