//! A column without lists and groups: what its numbers and bytes mean, and its values one after the other.

use ::parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type, Int96, Int96Type,
};
use ::parquet::errors::Result;
use ::parquet::file::reader::RowGroupReader;
use ::parquet::schema::types::ColumnDescriptor;
use std::borrow::Cow;

use super::super::date::Order;
use super::super::guess::Holds;
use super::super::number::Style;
use super::super::table::Stored;
use super::moment;

/// More digits than this are no whole number of SQLite's.
const DIGITS: i32 = 18;

/// What a column's values are, beside how they are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Truth,
    Whole,
    /// A whole number that has no sign.
    Unsigned,
    Fraction,
    /// A number with so many digits behind the point, and so many in all.
    Decimal {
        scale: i32,
        digits: i32,
    },
    Date,
    Time(TimeUnit),
    Moment(TimeUnit),
    Text,
    Uuid,
    /// A fraction of two bytes.
    Half,
    Bytes,
}

impl Meaning {
    pub(super) fn of(column: &ColumnDescriptor) -> Self {
        let is_bytes = matches!(column.physical_type(), Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY);
        let logical = column.logical_type_ref().and_then(|logical| Self::logical(logical, is_bytes));
        let meaning = logical.or_else(|| Self::converted(column, is_bytes));
        match column.physical_type() {
            Type::BOOLEAN => Self::Truth,
            Type::INT32 | Type::INT64 => meaning.unwrap_or(Self::Whole),
            Type::INT96 => Self::Moment(TimeUnit::NANOS),
            Type::FLOAT | Type::DOUBLE => Self::Fraction,
            Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => meaning.unwrap_or(Self::Bytes),
        }
    }

    fn logical(logical: &LogicalType, is_bytes: bool) -> Option<Self> {
        match logical {
            LogicalType::Decimal(decimal) => {
                Some(Self::Decimal { scale: decimal.scale, digits: decimal.precision })
            }
            LogicalType::String | LogicalType::Enum | LogicalType::Json if is_bytes => Some(Self::Text),
            LogicalType::Uuid if is_bytes => Some(Self::Uuid),
            LogicalType::Float16 if is_bytes => Some(Self::Half),
            _ if is_bytes => None,
            LogicalType::Date => Some(Self::Date),
            LogicalType::Time(time) => Some(Self::Time(time.unit)),
            LogicalType::Timestamp(moment) => Some(Self::Moment(moment.unit)),
            LogicalType::Integer(whole) if !whole.is_signed => Some(Self::Unsigned),
            _ => None,
        }
    }

    /// What older files say.
    fn converted(column: &ColumnDescriptor, is_bytes: bool) -> Option<Self> {
        match column.converted_type() {
            ConvertedType::DECIMAL => {
                Some(Self::Decimal { scale: column.type_scale(), digits: column.type_precision() })
            }
            ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON if is_bytes => Some(Self::Text),
            _ if is_bytes => None,
            ConvertedType::DATE => Some(Self::Date),
            ConvertedType::TIME_MILLIS => Some(Self::Time(TimeUnit::MILLIS)),
            ConvertedType::TIME_MICROS => Some(Self::Time(TimeUnit::MICROS)),
            ConvertedType::TIMESTAMP_MILLIS => Some(Self::Moment(TimeUnit::MILLIS)),
            ConvertedType::TIMESTAMP_MICROS => Some(Self::Moment(TimeUnit::MICROS)),
            ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64 => Some(Self::Unsigned),
            _ => None,
        }
    }

    pub(super) fn holds(self) -> Holds {
        match self {
            Self::Truth => Holds::Truth,
            Self::Whole | Self::Unsigned => Holds::Whole(Style::Point),
            Self::Decimal { scale: 0, digits } if digits <= DIGITS => Holds::Whole(Style::Point),
            Self::Fraction | Self::Decimal { .. } | Self::Half => Holds::Fraction(Style::Point),
            Self::Date => Holds::Date(Order::YearFirst),
            Self::Time(_) => Holds::Time,
            Self::Moment(_) => Holds::DateTime(Order::YearFirst),
            Self::Text | Self::Uuid => Holds::Text,
            Self::Bytes => Holds::Bytes,
        }
    }

    /// True for what the rows of a table can be told apart by.
    pub(super) fn names_rows(self) -> bool {
        matches!(self, Self::Whole | Self::Unsigned | Self::Text | Self::Uuid)
    }

    fn whole(self, number: i64, unsigned: u64) -> Stored<'static> {
        match self {
            // What SQLite cannot count with is at least as large as it was.
            Self::Unsigned => {
                i64::try_from(unsigned).map_or(Stored::Fraction(unsigned as f64), Stored::Whole)
            }
            Self::Decimal { scale: 0, digits } if digits <= DIGITS => Stored::Whole(number),
            Self::Decimal { scale, .. } => decimal(number as f64, scale),
            Self::Date => Stored::Written(moment::date(number)),
            Self::Time(unit) => Stored::Written(moment::time(number, unit)),
            Self::Moment(unit) => Stored::Written(moment::moment(number, unit)),
            _ => Stored::Whole(number),
        }
    }

    fn bytes(self, bytes: &[u8]) -> Stored<'_> {
        match (self, bytes) {
            (Self::Decimal { scale: 0, digits }, _) if digits <= DIGITS => Stored::Whole(whole(bytes) as i64),
            (Self::Decimal { scale, .. }, _) => decimal(whole(bytes) as f64, scale),
            (Self::Half, [low, high]) => Stored::Fraction(half(u16::from_le_bytes([*low, *high]))),
            (Self::Uuid, _) => match uuid::Uuid::from_slice(bytes) {
                Ok(uuid) => Stored::Written(uuid.to_string()),
                Err(_) => Stored::Bytes(bytes),
            },
            (Self::Text, _) => match String::from_utf8_lossy(bytes) {
                // As in every other file, what is nothing but spaces means nothing.
                text if text.trim().is_empty() => Stored::Null,
                Cow::Borrowed(text) => Stored::Text(text),
                Cow::Owned(text) => Stored::Written(text),
            },
            _ => Stored::Bytes(bytes),
        }
    }
}

fn decimal(number: f64, scale: i32) -> Stored<'static> {
    Stored::Fraction(number / 10_f64.powi(scale))
}

/// A number of up to 16 bytes, the highest first. No writer makes longer ones.
fn whole(bytes: &[u8]) -> i128 {
    let is_negative = bytes.first().is_some_and(|first| first & 0x80 != 0);
    let start = if is_negative { -1 } else { 0 };
    bytes.iter().fold(start, |number: i128, byte| number.wrapping_shl(8) | i128::from(*byte))
}

/// A fraction of two bytes: a sign, five bits of exponent, ten of digits.
fn half(bits: u16) -> f64 {
    let (exponent, digits) = (i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
    let size = match exponent {
        0 => digits * 2_f64.powi(-24),
        0x1F if digits > 0.0 => f64::NAN,
        0x1F => f64::INFINITY,
        _ => (1024.0 + digits) * 2_f64.powi(exponent - 25),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

/// A column of a group of rows while it is read.
pub(super) struct Column {
    values: Values,
    meaning: Meaning,
    /// The level of a value that is there; 0 where all are.
    full: i16,
    levels: Vec<i16>,
    /// The next row, and the next value that is there.
    row: usize,
    at: usize,
}

enum Values {
    Truth(Reading<BoolType>),
    Short(Reading<Int32Type>),
    Long(Reading<Int64Type>),
    Old(Reading<Int96Type>),
    Single(Reading<FloatType>),
    Double(Reading<DoubleType>),
    Bytes(Reading<ByteArrayType>),
    Fixed(Reading<FixedLenByteArrayType>),
}

struct Reading<T: DataType> {
    reader: ColumnReaderImpl<T>,
    values: Vec<T::T>,
}

impl<T: DataType> Reading<T> {
    fn new(reader: ColumnReaderImpl<T>) -> Self {
        Self { reader, values: Vec::new() }
    }

    fn read(&mut self, rows: usize, levels: &mut Vec<i16>) -> Result<usize> {
        self.values.clear();
        levels.clear();
        let (rows, _, _) = self.reader.read_records(rows, Some(levels), None, &mut self.values)?;
        Ok(rows)
    }
}

impl Column {
    pub(super) fn open(group: &dyn RowGroupReader, leaf: usize, meaning: Meaning) -> Result<Self> {
        let full = group.metadata().schema_descr().column(leaf).max_def_level();
        let values = match group.get_column_reader(leaf)? {
            ColumnReader::BoolColumnReader(reader) => Values::Truth(Reading::new(reader)),
            ColumnReader::Int32ColumnReader(reader) => Values::Short(Reading::new(reader)),
            ColumnReader::Int64ColumnReader(reader) => Values::Long(Reading::new(reader)),
            ColumnReader::Int96ColumnReader(reader) => Values::Old(Reading::new(reader)),
            ColumnReader::FloatColumnReader(reader) => Values::Single(Reading::new(reader)),
            ColumnReader::DoubleColumnReader(reader) => Values::Double(Reading::new(reader)),
            ColumnReader::ByteArrayColumnReader(reader) => Values::Bytes(Reading::new(reader)),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => Values::Fixed(Reading::new(reader)),
        };
        Ok(Self { values, meaning, full, levels: Vec::new(), row: 0, at: 0 })
    }

    /// Reads up to so many rows, and says how many there were.
    pub(super) fn read(&mut self, rows: usize) -> Result<usize> {
        (self.row, self.at) = (0, 0);
        let levels = &mut self.levels;
        match &mut self.values {
            Values::Truth(reading) => reading.read(rows, levels),
            Values::Short(reading) => reading.read(rows, levels),
            Values::Long(reading) => reading.read(rows, levels),
            Values::Old(reading) => reading.read(rows, levels),
            Values::Single(reading) => reading.read(rows, levels),
            Values::Double(reading) => reading.read(rows, levels),
            Values::Bytes(reading) => reading.read(rows, levels),
            Values::Fixed(reading) => reading.read(rows, levels),
        }
    }

    /// The value of the next row.
    pub(super) fn next(&mut self) -> Stored<'_> {
        let is_there = self.full == 0 || self.levels.get(self.row).is_some_and(|level| *level == self.full);
        self.row += 1;
        if !is_there {
            return Stored::Null;
        }
        let at = self.at;
        self.at += 1;
        let meaning = self.meaning;
        let value = match &self.values {
            Values::Truth(reading) => reading.values.get(at).map(|truth| Stored::Whole(i64::from(*truth))),
            Values::Short(reading) => {
                // Without a sign, the highest bit counts.
                let number = reading.values.get(at);
                number.map(|number| meaning.whole(i64::from(*number), u64::from(number.cast_unsigned())))
            }
            Values::Long(reading) => {
                reading.values.get(at).map(|number| meaning.whole(*number, number.cast_unsigned()))
            }
            Values::Old(reading) => reading.values.get(at).map(old),
            Values::Single(reading) => {
                reading.values.get(at).map(|number| Stored::Fraction(widened(*number)))
            }
            Values::Double(reading) => reading.values.get(at).map(|number| Stored::Fraction(*number)),
            Values::Bytes(reading) => reading.values.get(at).map(|bytes| meaning.bytes(bytes.data())),
            Values::Fixed(reading) => {
                reading.values.get(at).map(|bytes| meaning.bytes(ByteArray::data(bytes)))
            }
        };
        value.unwrap_or(Stored::Null)
    }
}

fn old(moment: &Int96) -> Stored<'static> {
    let [low, high, day] = *moment.data() else { return Stored::Null };
    let nanoseconds = i64::from(high) << 32 | i64::from(low);
    // Days are counted from the year 4713 before ours.
    Stored::Written(moment::old_moment(i64::from(day.cast_signed()) - 2_440_588, nanoseconds))
}

/// The number that people would write: 1.1 and not 1.10000002384185791015625.
fn widened(number: f32) -> f64 {
    let exact = f64::from(number);
    if exact.fract() == 0.0 { exact } else { number.to_string().parse().unwrap_or(exact) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_made_of_bytes() {
        assert_eq!(whole(&[]), 0);
        assert_eq!(whole(&[0x04, 0xD2]), 1234);
        assert_eq!(whole(&[0xFB, 0x2E]), -1234);
        assert_eq!(whole(&[0xFF; 16]), -1);
        for (bits, expected) in [
            (0, 0.0),
            (0x3C00, 1.0),
            (0xC100, -2.5),
            (0x7BFF, 65504.0),
            (1, 2_f64.powi(-24)),
            (0x7C00, f64::INFINITY),
        ] {
            assert_eq!(half(bits), expected);
        }
        assert!(half(0x7E00).is_nan());
        assert_eq!(widened(1.1), 1.1);
    }
}
