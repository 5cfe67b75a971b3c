//! Rows as CSV.

use std::borrow::Cow;

use crate::schema::Value;

/// What becomes of a text in CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    /// It is made harmless to whoever opens the file: nothing in it is a formula or controls a terminal.
    Harmless,
    /// It stays as it is.
    Raw,
}

impl Texts {
    /// The text as it is written so.
    pub fn written(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Harmless => harmless(text),
            Self::Raw => Cow::Borrowed(text),
        }
    }
}

/// CSV as RFC 4180 has it: a heading, commas, `\r\n` after each record, NULL as nothing.
pub fn csv(columns: &[String], rows: &[Vec<Value>], texts: Texts) -> String {
    let mut csv = String::new();
    record(&mut csv, columns.iter().map(|name| field(name, texts)));
    for row in rows {
        record(
            &mut csv,
            row.iter().map(|value| match value {
                Value::Null => String::new(),
                // An empty text is not NULL.
                Value::Text(text) if text.is_empty() => "\"\"".to_owned(),
                Value::Text(text) => field(text, texts),
                value => value.to_string(),
            }),
        );
    }
    csv
}

fn record(csv: &mut String, fields: impl Iterator<Item = String>) {
    for (position, field) in fields.enumerate() {
        if position > 0 {
            csv.push(',');
        }
        csv.push_str(&field);
    }
    csv.push_str("\r\n");
}

fn field(text: &str, texts: Texts) -> String {
    let text = texts.written(text);
    // Some spreadsheets cut at semicolons and tabs too.
    let quoted =
        text.contains([',', ';', '\t', '"', '\n', '\r']) || text.starts_with(' ') || text.ends_with(' ');
    if quoted { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into_owned() }
}

/// The text as no formula, and without characters that control a terminal.
///
/// A spreadsheet takes a cell that begins with one of these signs for a formula, which can read other cells and send them
/// away; the apostrophe says that it is text. That is what OWASP recommends against CSV injection. Numbers stay as they are,
/// also where a database gives them as text.
fn harmless(text: &str) -> Cow<'_, str> {
    let begins = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let is_number =
        || text.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c)) && text.parse::<f64>().is_ok();
    let is_formula = begins && !is_number();
    let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !is_formula && !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mark = |c: char| if is_control(c) { '\u{fffd}' } else { c };
    let apostrophe = is_formula.then_some('\'');
    apostrophe.into_iter().chain(text.replace("\r\n", "\n").chars().map(mark)).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> (Vec<String>, Vec<Vec<Value>>) {
        let rows = vec![
            vec![Value::from("a,\"b\"\n|"), Value::from(1), Value::Null],
            vec![Value::from(""), Value::from(2.5), Value::Blob(vec![255])],
        ];
        (["name", "n", "name"].map(str::to_owned).to_vec(), rows)
    }

    #[test]
    fn csv_keeps_every_cell() {
        let (columns, rows) = rows();
        assert_eq!(
            csv(&columns, &rows, Texts::Harmless),
            "name,n,name\r\n\"a,\"\"b\"\"\n|\",1,\r\n\"\",2.5,x'ff'\r\n"
        );
    }

    #[test]
    fn no_cell_is_a_formula() {
        let written = |text: &str, texts| csv(&["a".to_owned()], &[vec![Value::from(text)]], texts);
        for (text, shown) in [
            ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
            ("+49 170", "'+49 170"),
            ("-3 days", "'-3 days"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "\"'\t=1\""),
            ("\r=1", "'\u{fffd}=1"),
            ("＝1+1", "'＝1+1"),
            ("=1,\"a\"", "\"'=1,\"\"a\"\"\""),
            ("a;=1", "\"a;=1\""),
            // Numbers are none, also where they are text.
            ("-12345678901234567890.50", "-12345678901234567890.50"),
            ("+1e5", "+1e5"),
            ("a\u{1b}[31m\u{7}b", "a\u{fffd}[31m\u{fffd}b"),
            ("one\r\ntwo", "\"one\ntwo\""),
        ] {
            assert_eq!(written(text, Texts::Harmless), format!("a\r\n{shown}\r\n"), "{text:?}");
        }
        assert_eq!(written("=1\u{1b}", Texts::Raw), "a\r\n=1\u{1b}\r\n");
        assert_eq!(csv(&["=x".to_owned()], &[vec![Value::from(-1)]], Texts::Harmless), "'=x\r\n-1\r\n");
    }
}
