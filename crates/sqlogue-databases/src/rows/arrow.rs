//! Rows as an Arrow record batch.

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, NullArray, RecordBatch, RecordBatchOptions, StringArray,
};
use arrow_schema::{ArrowError, Field, Schema};

use super::Rows;
use sqlogue_sql::schema::Value;

impl Rows {
    /// The rows as one Arrow record batch; every column may hold NULL.
    ///
    /// The type of a column is that of its values: `Boolean`, `Int64`, `Float64` (also where whole numbers and others stand
    /// in one column), `Utf8`, `Binary`, and `Null` where it holds nothing. Where values of several kinds stand in one
    /// column, all of them become text.
    ///
    /// # Errors
    /// The batch is more than Arrow can hold.
    pub fn to_arrow(&self) -> Result<RecordBatch, ArrowError> {
        let mut fields = Vec::with_capacity(self.columns.len());
        let mut arrays = Vec::with_capacity(self.columns.len());
        for (at, name) in self.columns.iter().enumerate() {
            let values: Vec<&Value> =
                self.rows.iter().map(|row| row.get(at).unwrap_or(&Value::Null)).collect();
            let array = array(&values);
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        // A result without columns still has a number of rows.
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows.len()));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
    }
}

/// The values of one column as an array of the narrowest type that holds them all.
fn array(values: &[&Value]) -> ArrayRef {
    let given = || values.iter().filter(|value| !value.is_null());
    let all = |fits: fn(&Value) -> bool| given().all(|value| fits(value));
    if given().next().is_none() {
        return Arc::new(NullArray::new(values.len()));
    }
    if all(|value| matches!(value, Value::Boolean(_))) {
        return Arc::new(BooleanArray::from_iter(values.iter().map(|value| match value {
            Value::Boolean(truth) => Some(*truth),
            _ => None,
        })));
    }
    if all(|value| matches!(value, Value::Integer(_))) {
        return Arc::new(Int64Array::from_iter(values.iter().map(|value| match value {
            Value::Integer(number) => Some(*number),
            _ => None,
        })));
    }
    if all(|value| value.as_f64().is_some()) {
        return Arc::new(Float64Array::from_iter(values.iter().map(|value| value.as_f64())));
    }
    if all(|value| matches!(value, Value::Blob(_))) {
        let mut builder = BinaryBuilder::new();
        for value in values {
            match value {
                Value::Blob(bytes) => builder.append_value(bytes),
                _ => builder.append_null(),
            }
        }
        return Arc::new(builder.finish());
    }
    Arc::new(StringArray::from_iter(values.iter().map(|value| (!value.is_null()).then(|| value.to_string()))))
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray as _;
    use arrow_array::types::{Float64Type, Int64Type};
    use arrow_schema::DataType;

    use super::*;

    #[test]
    fn columns_take_the_type_of_their_values() {
        let row = |values: [Value; 7]| -> Vec<Value> { values.into_iter().collect() };
        let rows = Rows {
            columns: ["n", "x", "t", "truth", "raw", "none", "mixed"].map(str::to_owned).to_vec(),
            rows: vec![
                row([
                    1.into(),
                    2.into(),
                    "a".into(),
                    true.into(),
                    Value::Blob(vec![7]),
                    Value::Null,
                    1.into(),
                ]),
                row([
                    Value::Null,
                    2.5.into(),
                    Value::Null,
                    Value::Null,
                    Value::Null,
                    Value::Null,
                    "one".into(),
                ]),
            ],
            ..Rows::default()
        };
        let batch = rows.to_arrow().unwrap();
        let types: Vec<DataType> =
            batch.schema().fields().iter().map(|field| field.data_type().clone()).collect();
        assert_eq!(
            types,
            [
                DataType::Int64,
                DataType::Float64,
                DataType::Utf8,
                DataType::Boolean,
                DataType::Binary,
                DataType::Null,
                DataType::Utf8
            ]
        );
        assert_eq!((batch.num_rows(), batch.column(0).null_count()), (2, 1));
        assert_eq!(batch.column(0).as_primitive::<Int64Type>().value(0), 1);
        assert_eq!(batch.column(1).as_primitive::<Float64Type>().values(), &[2.0, 2.5]);
        assert_eq!(batch.column(6).as_string::<i32>().value(1), "one");
    }

    #[test]
    fn no_columns_still_have_rows() {
        assert_eq!(Rows { rows: vec![Vec::new()], ..Rows::default() }.to_arrow().unwrap().num_rows(), 1);
    }
}
