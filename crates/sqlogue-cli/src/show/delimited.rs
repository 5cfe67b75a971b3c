//! Rows for other programs: CSV, Markdown, JSON, JSON lines.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

use super::answer::Result as Shown;
use super::table;
use crate::args::Format;
pub(crate) use sqlogue::answer::{Texts, csv};
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
