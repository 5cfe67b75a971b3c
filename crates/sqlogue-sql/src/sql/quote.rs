//! Names and literals as SQL text.

use std::fmt::Write as _;

use super::Dialect;
use super::keywords::is_reserved;
use crate::schema::Value;

/// Appends a name, quoted where it would not be read back as the same name.
pub fn name(out: &mut String, name: &str, dialect: Dialect) {
    if is_plain(name, dialect) {
        out.push_str(name);
    } else {
        quoted_name(out, name, dialect);
    }
}

/// Appends a table's name. Everywhere but in SQLite a dot in it separates the schema from the table.
pub fn table(out: &mut String, table: &str, dialect: Dialect) {
    match dialect {
        Dialect::Sqlite => name(out, table, dialect),
        Dialect::Postgres | Dialect::BigQuery | Dialect::MySql | Dialect::DuckDb => {
            for (at, part) in table.split('.').enumerate() {
                if at > 0 {
                    out.push('.');
                }
                name(out, part, dialect);
            }
        }
    }
}

/// A query for the first rows of some columns of a table.
pub fn first_rows(from: &str, columns: &[&str], rows: usize, dialect: Dialect) -> String {
    let mut sql = "SELECT ".to_owned();
    for (at, column) in columns.iter().enumerate() {
        sql.push_str(if at > 0 { ", t." } else { "t." });
        name(&mut sql, column, dialect);
    }
    sql.push_str(" FROM ");
    table(&mut sql, from, dialect);
    // Writing to a String cannot fail.
    let _ = write!(sql, " AS t LIMIT {rows}");
    sql
}

/// A query for those of some values that a column has.
pub fn which_of(from: &str, column: &str, values: &[Value], dialect: Dialect) -> String {
    let mut sql = "SELECT t.".to_owned();
    name(&mut sql, column, dialect);
    sql.push_str(" FROM ");
    table(&mut sql, from, dialect);
    sql.push_str(" AS t WHERE t.");
    name(&mut sql, column, dialect);
    sql.push_str(" IN (");
    for (at, value) in values.iter().enumerate() {
        sql.push_str(if at > 0 { ", " } else { "" });
        literal(&mut sql, value, dialect);
    }
    // Writing to a String cannot fail.
    let _ = write!(sql, ") LIMIT {}", values.len());
    sql
}

fn is_plain(name: &str, dialect: Dialect) -> bool {
    let mut bytes = name.bytes();
    let starts_well = bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    let goes_on_well = bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    // PostgreSQL folds unquoted names to lower case.
    let keeps_case = dialect != Dialect::Postgres || !name.bytes().any(|byte| byte.is_ascii_uppercase());
    starts_well && goes_on_well && keeps_case && !is_reserved(name, dialect)
}

fn quoted_name(out: &mut String, name: &str, dialect: Dialect) {
    // No dialect allows NUL in a name, quoted or not.
    let characters = name.chars().filter(|character| *character != '\0');
    match dialect {
        Dialect::Sqlite | Dialect::Postgres | Dialect::DuckDb => doubled(out, characters, '"'),
        Dialect::MySql => doubled(out, characters, '`'),
        Dialect::BigQuery => {
            out.push('`');
            for character in characters {
                escape(out, character, '`');
            }
            out.push('`');
        }
    }
}

/// Appends characters between quotes, which are doubled where they stand inside.
fn doubled(out: &mut String, characters: impl Iterator<Item = char>, quote: char) {
    out.push(quote);
    for character in characters {
        if character == quote {
            out.push(quote);
        }
        out.push(character);
    }
    out.push(quote);
}

/// Appends a constant.
pub(super) fn literal(out: &mut String, value: &Value, dialect: Dialect) {
    match value {
        Value::Null => out.push_str("NULL"),
        Value::Boolean(truth) => out.push_str(match (dialect, truth) {
            (Dialect::Sqlite, true) => "1",
            (Dialect::Sqlite, false) => "0",
            (_, true) => "TRUE",
            (_, false) => "FALSE",
        }),
        // PostgreSQL reads the digits first, as a number too large for its integers.
        Value::Integer(i64::MIN) if dialect == Dialect::Postgres => {
            out.push_str("(-9223372036854775807 - 1)");
        }
        Value::Integer(number) => push(out, format_args!("{number}")),
        Value::Real(number) => real(out, *number, dialect),
        Value::Text(text) => string(out, text, dialect),
        Value::Blob(bytes) => {
            let (before, after) = match dialect {
                Dialect::Sqlite | Dialect::MySql => ("x'", "'"),
                Dialect::Postgres => ("decode('", "', 'hex')"),
                Dialect::BigQuery | Dialect::DuckDb => ("from_hex('", "')"),
            };
            out.push_str(before);
            hex(out, bytes);
            out.push_str(after);
        }
    }
}

fn real(out: &mut String, number: f64, dialect: Dialect) {
    if number.is_finite() {
        // Debug keeps the point (`2.0`), which keeps the number a fraction in every dialect.
        return push(out, format_args!("{number:?}"));
    }
    let (nan, infinity, minus_infinity) = match dialect {
        // SQLite itself turns NaN into NULL, and reads a number too large as infinity.
        Dialect::Sqlite => ("NULL", "9e999", "-9e999"),
        Dialect::Postgres | Dialect::DuckDb => (
            "CAST('NaN' AS double precision)",
            "CAST('Infinity' AS double precision)",
            "CAST('-Infinity' AS double precision)",
        ),
        Dialect::BigQuery => ("CAST('nan' AS float64)", "CAST('inf' AS float64)", "CAST('-inf' AS float64)"),
        // MySQL has none of the three; what is nearest to infinity is the largest number.
        Dialect::MySql => ("NULL", "1.7976931348623157e308", "-1.7976931348623157e308"),
    };
    out.push_str(if number.is_nan() {
        nan
    } else if number > 0.0 {
        infinity
    } else {
        minus_infinity
    });
}

/// Appends a text literal.
pub fn string(out: &mut String, text: &str, dialect: Dialect) {
    let is_odd = |character: char| character.is_control() && !matches!(character, '\n' | '\r' | '\t');
    match dialect {
        // A NUL would end the statement, and other control characters do not survive every way a statement
        // travels; as bytes they do.
        Dialect::Sqlite if text.contains(is_odd) => {
            out.push_str("CAST(x'");
            hex(out, text.as_bytes());
            out.push_str("' AS TEXT)");
        }
        Dialect::Sqlite => doubled(out, text.chars(), '\''),
        // No text literal can hold a NUL, and so no value that is asked for.
        Dialect::DuckDb => doubled(out, text.replace('\0', "\u{fffd}").chars(), '\''),
        Dialect::Postgres => {
            // The prefix fixes the meaning of backslashes whatever the server's settings say.
            if text.contains('\\') {
                out.push('E');
            }
            out.push('\'');
            for character in text.chars() {
                match character {
                    '\'' => out.push_str("''"),
                    '\\' => out.push_str("\\\\"),
                    // PostgreSQL's text cannot hold NUL, so no value can be equal to this one.
                    '\0' => out.push(char::REPLACEMENT_CHARACTER),
                    other => out.push(other),
                }
            }
            out.push('\'');
        }
        Dialect::BigQuery => {
            out.push('\'');
            for character in text.chars() {
                escape(out, character, '\'');
            }
            out.push('\'');
        }
        Dialect::MySql if text.contains(is_odd) => {
            out.push_str("CONVERT(x'");
            hex(out, text.as_bytes());
            out.push_str("' USING utf8mb4)");
        }
        Dialect::MySql => {
            let escaped = text.replace('\\', "\\\\");
            doubled(out, escaped.chars(), '\'');
        }
    }
}

/// Appends a character as it stands between BigQuery's quotes.
fn escape(out: &mut String, character: char, quote: char) {
    match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\\' => out.push_str("\\\\"),
        other if other == quote => {
            out.push('\\');
            out.push(other);
        }
        other if other.is_control() => push(out, format_args!("\\u{:04x}", u32::from(other))),
        other => out.push(other),
    }
}

fn hex(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        push(out, format_args!("{byte:02x}"));
    }
}

/// Appends formatted text.
pub(super) fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = out.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(write: impl Fn(&mut String, Dialect)) -> [String; 5] {
        Dialect::ALL.map(|dialect| {
            let mut out = String::new();
            write(&mut out, dialect);
            out
        })
    }

    #[test]
    fn names_are_quoted_where_needed() {
        let names = |text: &'static str| all(move |out, dialect| name(out, text, dialect));
        assert_eq!(names("orders"), ["orders"; 5]);
        assert_eq!(names("Companies"), ["Companies", "\"Companies\"", "Companies", "Companies", "Companies"]);
        assert_eq!(names("order"), ["\"order\"", "\"order\"", "`order`", "`order`", "\"order\""]);
        assert_eq!(names("key"), ["key", "key", "key", "`key`", "key"]);
        assert_eq!(
            names("unit price"),
            ["\"unit price\"", "\"unit price\"", "`unit price`", "`unit price`", "\"unit price\""]
        );
        assert_eq!(names("a\"`\0b"), ["\"a\"\"`b\"", "\"a\"\"`b\"", "`a\"\\`b`", "`a\"``b`", "\"a\"\"`b\""]);
        assert_eq!(names(""), ["\"\"", "\"\"", "``", "``", "\"\""]);
        assert_eq!(names("größe"), ["\"größe\"", "\"größe\"", "`größe`", "`größe`", "\"größe\""]);
    }

    #[test]
    fn literals_keep_their_value() {
        let literals = |value: Value| all(move |out, dialect| literal(out, &value, dialect));
        assert_eq!(literals("it's".into()), ["'it''s'", "'it''s'", "'it\\'s'", "'it''s'", "'it''s'"]);
        assert_eq!(literals("a\\b".into()), ["'a\\b'", "E'a\\\\b'", "'a\\\\b'", "'a\\\\b'", "'a\\b'"]);
        assert_eq!(
            literals("a\0".into()),
            [
                "CAST(x'6100' AS TEXT)",
                "'a\u{fffd}'",
                "'a\\u0000'",
                "CONVERT(x'6100' USING utf8mb4)",
                "'a\u{fffd}'"
            ]
        );
        assert_eq!(literals(2.0.into()), ["2.0"; 5]);
        assert_eq!(literals(f64::NAN.into())[0], "NULL");
        assert_eq!(literals(f64::NEG_INFINITY.into())[0], "-9e999");
        assert_eq!(literals(i64::MIN.into())[1], "(-9223372036854775807 - 1)");
        assert_eq!(literals(true.into()), ["1", "TRUE", "TRUE", "TRUE", "TRUE"]);
        assert_eq!(
            literals(Value::Blob(vec![0, 255])),
            ["x'00ff'", "decode('00ff', 'hex')", "from_hex('00ff')", "x'00ff'", "from_hex('00ff')"]
        );
    }
}
