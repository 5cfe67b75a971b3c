//! Rows for other programs: CSV, Markdown, JSON, JSON lines.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

use super::answer::Result as Shown;
use super::table;
use crate::args::Format;
use sqlogue::schema::Value;
use sqlogue_base::text;

/// The first rows of a result, at most so many, as programs read them. Where a format has room for a remark, it says that
/// rows are missing.
pub(crate) fn written(result: &Shown<'_>, format: Format, most: usize, texts: Texts) -> String {
    let (columns, rows) = (result.columns, result.first(most));
    match format {
        Format::Csv => csv(columns, rows, texts),
        Format::Jsonl => json_lines(columns, rows),
        Format::Json => json(columns, rows),
        _ => {
            let cut = result.cut(rows.len()).map(|cut| format!("\n({cut})\n")).unwrap_or_default();
            markdown(columns, rows) + &cut
        }
    }
}

/// What becomes of a text in CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Texts {
    /// It is made harmless to whoever opens the file: nothing in it is a formula or controls a terminal.
    Harmless,
    /// It stays as it is.
    Raw,
}

/// CSV as RFC 4180 has it: a heading, commas, `\r\n` after each record, NULL as nothing.
pub(crate) fn csv(columns: &[String], rows: &[Vec<Value>], texts: Texts) -> String {
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
    let text = match texts {
        Texts::Harmless => harmless(text),
        Texts::Raw => Cow::Borrowed(text),
    };
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

/// A table as GitHub draws it.
pub(crate) fn markdown(columns: &[String], rows: &[Vec<Value>]) -> String {
    let numeric = |column: usize| {
        let mut values =
            rows.iter().filter_map(|row| row.get(column)).filter(|value| !value.is_null()).peekable();
        values.peek().is_some() && values.all(|value| value.as_f64().is_some())
    };
    let mut lines = String::from("|");
    for name in columns {
        // Writing to a String cannot fail, here and below.
        let _ = write!(lines, " {} |", text::markdown(name));
    }
    lines.push_str("\n|");
    for column in 0..columns.len() {
        lines.push_str(if numeric(column) { " ---: |" } else { " --- |" });
    }
    lines.push('\n');
    for row in rows {
        lines.push('|');
        for value in row {
            let _ = write!(lines, " {} |", text::markdown(&table::cell(value)));
        }
        lines.push('\n');
    }
    lines
}

/// An array with one object a row.
pub(crate) fn json(columns: &[String], rows: &[Vec<Value>]) -> String {
    let names = distinct(columns);
    let objects: Vec<String> = rows.iter().map(|row| object(&names, row)).collect();
    if objects.is_empty() { "[]\n".to_owned() } else { format!("[\n  {}\n]\n", objects.join(",\n  ")) }
}

/// One object a row and line.
pub(crate) fn json_lines(columns: &[String], rows: &[Vec<Value>]) -> String {
    let names = distinct(columns);
    rows.iter().map(|row| object(&names, row) + "\n").collect()
}

fn object(names: &[String], row: &[Value]) -> String {
    let cells = names
        .iter()
        .zip(row)
        .map(|(name, value)| (name.clone(), serde_json::to_value(value).unwrap_or(Json::Null)));
    Json::Object(cells.collect::<Map<_, _>>()).to_string()
}

/// The names of columns as keys of an object: a name that comes again gets a number, so that no cell is lost.
fn distinct(columns: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(columns.len());
    for column in columns {
        let mut name = column.clone();
        let mut number = 2;
        while names.contains(&name) {
            name = format!("{column}_{number}");
            number += 1;
        }
        names.push(name);
    }
    names
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

    #[test]
    fn markdown_holds_no_html() {
        let rows = [vec![Value::from("<script>alert(1)</script>")]];
        let shown = markdown(&["<b>".to_owned()], &rows);
        assert_eq!(shown, "| &lt;b&gt; |\n| --- |\n| &lt;script&gt;alert(1)&lt;/script&gt; |\n");
    }

    #[test]
    fn markdown_is_one_line_a_row() {
        let (columns, rows) = rows();
        assert_eq!(
            markdown(&columns, &rows),
            "| name | n | name |\n| --- | ---: | --- |\n| a,\"b\" \\| | 1 | NULL |\n|  | 2.5 | x'ff' |\n"
        );
    }

    #[test]
    fn json_loses_no_column_of_the_same_name() {
        let (columns, rows) = rows();
        assert_eq!(
            json_lines(&columns, &rows),
            "{\"name\":\"a,\\\"b\\\"\\n|\",\"n\":1,\"name_2\":null}\n{\"name\":\"\",\"n\":2.5,\"name_2\":{\"$blob\":\"ff\"}}\n"
        );
        assert_eq!(json(&columns, &[]), "[]\n");
    }
}
