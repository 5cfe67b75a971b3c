//! Values of Arrow arrays.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, IntervalDayTimeType, IntervalMonthDayNanoType, IntervalYearMonthType,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use jiff::civil::{Date, Time};
use jiff::{SignedDuration, Span, Timestamp, tz::TimeZone};
use serde_json::{Map, Value as Json};

use crate::decimal::decimal;
use sqlogue_sql::schema::Value;

/// The digits that a sum of decimal numbers has; those of a column are its own choice, and fewer.
const COMPUTED: u8 = 38;

/// The values of one column of a batch.
pub(super) struct Reading<'a> {
    array: &'a dyn Array,
}

impl<'a> Reading<'a> {
    pub(super) fn of(array: &'a dyn Array) -> Self {
        Self { array }
    }

    pub(super) fn value(&self, at: usize) -> Value {
        value(self.array, at)
    }
}

/// One of an array's values. An index that it does not have, and a type that is not known, is NULL.
fn value(array: &dyn Array, at: usize) -> Value {
    if at >= array.len() || array.is_null(at) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Boolean => Value::Boolean(array.as_boolean().value(at)),
        DataType::Int8 => Value::Integer(i64::from(number::<Int8Type>(array, at))),
        DataType::Int16 => Value::Integer(i64::from(number::<Int16Type>(array, at))),
        DataType::Int32 => Value::Integer(i64::from(number::<Int32Type>(array, at))),
        DataType::Int64 => Value::Integer(number::<Int64Type>(array, at)),
        DataType::UInt8 => Value::Integer(i64::from(number::<UInt8Type>(array, at))),
        DataType::UInt16 => Value::Integer(i64::from(number::<UInt16Type>(array, at))),
        DataType::UInt32 => Value::Integer(i64::from(number::<UInt32Type>(array, at))),
        DataType::UInt64 => {
            let number = number::<UInt64Type>(array, at);
            i64::try_from(number).map_or_else(|_| Value::Text(number.to_string()), Value::Integer)
        }
        DataType::Float16 => Value::Real(number::<Float16Type>(array, at).to_f64()),
        // By way of its shortest decimal form, so that 0.1 stays 0.1.
        DataType::Float32 => {
            number::<Float32Type>(array, at).to_string().parse().map_or(Value::Null, Value::Real)
        }
        DataType::Float64 => Value::Real(number::<Float64Type>(array, at)),
        DataType::Decimal128(precision, scale) => {
            let text = array.as_primitive::<Decimal128Type>().value_as_string(at);
            let scale = usize::try_from(*scale).unwrap_or_default();
            decimal(text.clone(), scale, *precision < COMPUTED).unwrap_or(Value::Text(text))
        }
        DataType::Utf8 => Value::Text(array.as_string::<i32>().value(at).to_owned()),
        DataType::LargeUtf8 => Value::Text(array.as_string::<i64>().value(at).to_owned()),
        DataType::Utf8View => Value::Text(array.as_string_view().value(at).to_owned()),
        DataType::Binary => Value::Blob(array.as_binary::<i32>().value(at).to_vec()),
        DataType::LargeBinary => Value::Blob(array.as_binary::<i64>().value(at).to_vec()),
        DataType::BinaryView => Value::Blob(array.as_binary_view().value(at).to_vec()),
        DataType::FixedSizeBinary(_) => Value::Blob(array.as_fixed_size_binary().value(at).to_vec()),
        DataType::Dictionary(_, _) => array
            .as_any_dictionary_opt()
            .and_then(|dictionary| {
                Some(value(dictionary.values().as_ref(), *dictionary.normalized_keys().get(at)?))
            })
            .unwrap_or(Value::Null),
        DataType::Null => Value::Null,
        _ => moment(array, at).or_else(|| nested(array, at)).map_or(Value::Null, Value::Text),
    }
}

fn number<T: ArrowPrimitiveType>(array: &dyn Array, at: usize) -> T::Native {
    let array: &PrimitiveArray<T> = array.as_primitive();
    array.value(at)
}

/// A date, a time, a length of time, as text.
fn moment(array: &dyn Array, at: usize) -> Option<String> {
    match array.data_type() {
        DataType::Date32 => day(i64::from(number::<Date32Type>(array, at))),
        DataType::Date64 => day(number::<Date64Type>(array, at).div_euclid(86_400_000)),
        DataType::Timestamp(unit, _) => {
            let (number, nanos) = match unit {
                TimeUnit::Second => (number::<TimestampSecondType>(array, at), 1_000_000_000),
                TimeUnit::Millisecond => (number::<TimestampMillisecondType>(array, at), 1_000_000),
                TimeUnit::Microsecond => (number::<TimestampMicrosecondType>(array, at), 1_000),
                TimeUnit::Nanosecond => (number::<TimestampNanosecondType>(array, at), 1),
            };
            let moment = Timestamp::from_nanosecond(i128::from(number) * nanos).ok()?;
            let moment = TimeZone::UTC.to_datetime(moment);
            Some(format!("{} {}", moment.date(), moment.time()))
        }
        DataType::Time32(TimeUnit::Second) => {
            time(i64::from(number::<Time32SecondType>(array, at)).checked_mul(1_000_000_000)?)
        }
        DataType::Time32(_) => {
            time(i64::from(number::<Time32MillisecondType>(array, at)).checked_mul(1_000_000)?)
        }
        DataType::Time64(TimeUnit::Nanosecond) => time(number::<Time64NanosecondType>(array, at)),
        DataType::Time64(_) => time(number::<Time64MicrosecondType>(array, at).checked_mul(1_000)?),
        DataType::Duration(unit) => {
            let (number, nanos) = match unit {
                TimeUnit::Second => (number::<DurationSecondType>(array, at), 1_000_000_000),
                TimeUnit::Millisecond => (number::<DurationMillisecondType>(array, at), 1_000_000),
                TimeUnit::Microsecond => (number::<DurationMicrosecondType>(array, at), 1_000),
                TimeUnit::Nanosecond => (number::<DurationNanosecondType>(array, at), 1),
            };
            Some(lasting(0, 0, i128::from(number) * nanos))
        }
        DataType::Interval(IntervalUnit::YearMonth) => {
            Some(lasting(number::<IntervalYearMonthType>(array, at), 0, 0))
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            let length = number::<IntervalDayTimeType>(array, at);
            Some(lasting(0, length.days, i128::from(length.milliseconds) * 1_000_000))
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let length = number::<IntervalMonthDayNanoType>(array, at);
            Some(lasting(length.months, length.days, i128::from(length.nanoseconds)))
        }
        _ => None,
    }
}

fn day(since_1970: i64) -> Option<String> {
    let days = Span::new().try_days(since_1970).ok()?;
    Some(Date::constant(1970, 1, 1).checked_add(days).ok()?.to_string())
}

fn time(nanos: i64) -> Option<String> {
    Some(Time::midnight().checked_add(SignedDuration::from_nanos(nanos)).ok()?.to_string())
}

/// `1 year 2 months 3 days 04:05:06`.
fn lasting(months: i32, days: i32, nanos: i128) -> String {
    let mut parts = Vec::new();
    for (number, unit) in [(months / 12, "year"), (months % 12, "month"), (days, "day")] {
        match number {
            0 => {}
            1 | -1 => parts.push(format!("{number} {unit}")),
            _ => parts.push(format!("{number} {unit}s")),
        }
    }
    if nanos != 0 || parts.is_empty() {
        let (sign, nanos) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
        let (seconds, fraction) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
        let clock = format!("{sign}{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
        let fraction = if fraction > 0 { format!(".{fraction:09}") } else { String::new() };
        parts.push(format!("{clock}{}", fraction.trim_end_matches('0')));
    }
    parts.join(" ")
}

/// A list, a structure or a map as JSON.
fn nested(array: &dyn Array, at: usize) -> Option<String> {
    json(array, at).map(|json| json.to_string())
}

/// A value as JSON; none where its type is not known.
pub(super) fn json(array: &dyn Array, at: usize) -> Option<Json> {
    if array.is_null(at) {
        return Some(Json::Null);
    }
    let list = |values: &dyn Array| (0..values.len()).map(|at| json(values, at)).collect::<Option<Vec<_>>>();
    match array.data_type() {
        DataType::List(_) => list(array.as_list::<i32>().value(at).as_ref()).map(Json::Array),
        DataType::LargeList(_) => list(array.as_list::<i64>().value(at).as_ref()).map(Json::Array),
        DataType::FixedSizeList(_, _) => list(array.as_fixed_size_list().value(at).as_ref()).map(Json::Array),
        DataType::Struct(fields) => {
            let array = array.as_struct();
            let pairs = fields.iter().zip(array.columns());
            let pairs = pairs.map(|(field, column)| Some((field.name().clone(), json(column.as_ref(), at)?)));
            pairs.collect::<Option<Map<_, _>>>().map(Json::Object)
        }
        DataType::Map(_, _) => {
            let entries = array.as_map().value(at);
            let [keys, values] = entries.columns() else { return None };
            let pairs = (0..entries.len())
                .map(|at| Some((value(keys.as_ref(), at).to_string(), json(values.as_ref(), at)?)));
            pairs.collect::<Option<Map<_, _>>>().map(Json::Object)
        }
        _ => Some(match value(array, at) {
            Value::Boolean(truth) => Json::Bool(truth),
            Value::Integer(number) => number.into(),
            Value::Real(number) => number.into(),
            Value::Null => Json::Null,
            Value::Text(text) => Json::String(text),
            blob @ Value::Blob(_) => Json::String(blob.to_string()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{Int32Builder, ListBuilder};
    use arrow_array::{
        ArrayRef, Date32Array, Decimal128Array, DictionaryArray, Time64MicrosecondArray,
        TimestampMicrosecondArray, UInt64Array,
    };

    use super::*;

    fn shown(array: ArrayRef) -> String {
        value(array.as_ref(), 0).to_string()
    }

    #[test]
    fn values_are_what_people_write() {
        let decimal = |number: i128, precision, scale| {
            value(&Decimal128Array::from(vec![number]).with_precision_and_scale(precision, scale).unwrap(), 0)
        };
        assert_eq!(decimal(1250, 10, 2), Value::Real(12.5));
        assert_eq!(decimal(42, 38, 0), Value::Integer(42));
        assert_eq!(decimal(12_345_678_901_234_567_801, 20, 2), Value::Text("123456789012345678.01".into()));
        assert_eq!(shown(Arc::new(UInt64Array::from(vec![u64::MAX]))), u64::MAX.to_string());
        assert_eq!(shown(Arc::new(Date32Array::from(vec![-1]))), "1969-12-31");
        assert_eq!(shown(Arc::new(Date32Array::from(vec![19_782]))), "2024-02-29");
        let moment = TimestampMicrosecondArray::from(vec![1_700_000_000_250_000]).with_timezone("Asia/Tokyo");
        assert_eq!(shown(Arc::new(moment)), "2023-11-14 22:13:20.25");
        assert_eq!(shown(Arc::new(Time64MicrosecondArray::from(vec![28_800_000_000]))), "08:00:00");
        assert_eq!(lasting(14, 3, 3_661_500_000_000), "1 year 2 months 3 days 01:01:01.5");
        let labels: DictionaryArray<Int8Type> = vec!["glad"].into_iter().collect();
        assert_eq!(shown(Arc::new(labels)), "glad");
        let mut list = ListBuilder::new(Int32Builder::new());
        list.append_value([Some(1), None]);
        assert_eq!(shown(Arc::new(list.finish())), "[1,null]");
    }
}
