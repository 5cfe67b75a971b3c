//! Values as they come over the wire, in binary form.

use mysql_async::consts::{ColumnFlags, ColumnType as Wire};
use mysql_async::{Column, Value as Cell};

use crate::decimal::decimal;
use sqlogue_sql::schema::Value;

/// The number of the character set of what is no text.
const BINARY: u16 = 63;

/// How the values of one column are read.
pub(super) struct Reading {
    wire: Wire,
    /// How many digits or bits are declared, or characters.
    length: u32,
    decimals: u8,
    /// True for what is stored in a table, and not computed.
    declared: bool,
    binary: bool,
}

impl Reading {
    pub(super) fn of(column: &Column) -> Self {
        Self {
            wire: column.column_type(),
            length: column.column_length(),
            decimals: column.decimals(),
            declared: !column.org_table_ref().is_empty(),
            binary: column.character_set() == BINARY && column.flags().contains(ColumnFlags::BINARY_FLAG),
        }
    }

    pub(super) fn value(&self, cell: Cell) -> Value {
        match cell {
            Cell::NULL => Value::Null,
            // `boolean` is a name for numbers of one digit.
            Cell::Int(number @ (0 | 1)) if self.is_truth() => Value::Boolean(number == 1),
            Cell::Int(number) => Value::Integer(number),
            Cell::UInt(number) => match i64::try_from(number) {
                Ok(number) => Value::Integer(number),
                Err(_) => Value::Text(number.to_string()),
            },
            // By way of its shortest decimal form, so that 0.1 stays 0.1.
            Cell::Float(number) => number.to_string().parse().map_or(Value::Null, Value::Real),
            Cell::Double(number) => Value::Real(number),
            Cell::Date(year, month, day, hour, minute, second, micros) => {
                let date = format!("{year:04}-{month:02}-{day:02}");
                Value::Text(match self.wire {
                    Wire::MYSQL_TYPE_DATE | Wire::MYSQL_TYPE_NEWDATE => date,
                    _ => format!("{date} {hour:02}:{minute:02}:{second:02}{}", fraction(micros)),
                })
            }
            Cell::Time(negative, days, hours, minutes, seconds, micros) => {
                let sign = if negative { "-" } else { "" };
                let hours = u64::from(days) * 24 + u64::from(hours);
                Value::Text(format!("{sign}{hours:02}:{minutes:02}:{seconds:02}{}", fraction(micros)))
            }
            Cell::Bytes(bytes) => self.bytes(bytes),
        }
    }

    fn is_truth(&self) -> bool {
        self.wire == Wire::MYSQL_TYPE_TINY && self.length == 1
    }

    fn bytes(&self, bytes: Vec<u8>) -> Value {
        match self.wire {
            Wire::MYSQL_TYPE_NEWDECIMAL | Wire::MYSQL_TYPE_DECIMAL => {
                let text = text(bytes);
                decimal(text.clone(), usize::from(self.decimals), self.declared).unwrap_or(Value::Text(text))
            }
            Wire::MYSQL_TYPE_BIT if bytes.len() <= 7 => {
                let number = bytes.iter().fold(0_i64, |number, byte| (number << 8) | i64::from(*byte));
                if self.length == 1 { Value::Boolean(number == 1) } else { Value::Integer(number) }
            }
            Wire::MYSQL_TYPE_BIT | Wire::MYSQL_TYPE_GEOMETRY => Value::Blob(bytes),
            Wire::MYSQL_TYPE_JSON => Value::Text(text(bytes)),
            _ if self.binary => Value::Blob(bytes),
            _ => Value::Text(text(bytes)),
        }
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// `.25`, and nothing for no fraction.
fn fraction(micros: u32) -> String {
    if micros == 0 {
        return String::new();
    }
    format!(".{}", format!("{micros:06}").trim_end_matches('0'))
}
