//! Rows as a web page of one table.

use std::fmt::Write as _;

use super::answer::Result as Shown;
use super::{table, text};
use sqlogue::schema::Value;

/// What the page looks like: it needs nothing from elsewhere, and prints well.
const STYLE: &str = "body{font:15px system-ui,sans-serif;margin:2em}table{border-collapse:collapse}\
    th,td{padding:.25em .75em;border-bottom:1px solid #ccc;text-align:left;white-space:pre-wrap}\
    thead th{position:sticky;top:0;background:#fff;border-bottom:2px solid #888}\
    td.n{text-align:right;font-variant-numeric:tabular-nums}td.null{color:#888}";

/// A page with the question above its rows. Cells are text, whatever they look like: nothing in them runs.
pub(crate) fn page(question: &str, result: &Shown<'_>, rows: &[Vec<Value>]) -> String {
    let title = if question.trim().is_empty() { "Answer" } else { question.trim() };
    let title = escaped(title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title}</title>\n\
         <style>{STYLE}</style></head>\n<body>\n<h1>{title}</h1>\n<table>\n<thead><tr>"
    );
    // Writing to a string cannot fail.
    for name in result.columns {
        let _ = write!(page, "<th scope=\"col\">{}</th>", escaped(name));
    }
    page += "</tr></thead>\n<tbody>\n";
    for row in rows {
        page += "<tr>";
        for value in row {
            let _ = match value {
                Value::Null => write!(page, "<td class=\"null\">NULL</td>"),
                Value::Integer(_) | Value::Real(_) => write!(page, "<td class=\"n\">{value}</td>"),
                value => write!(page, "<td>{}</td>", escaped(&table::cell(value))),
            };
        }
        page += "</tr>\n";
    }
    page += "</tbody>\n</table>\n";
    if let Some(cut) = result.cut(rows.len()) {
        let _ = writeln!(page, "<p>{}</p>", escaped(&cut));
    }
    page + "</body>\n</html>\n"
}

/// A text as HTML. Signs that turn the direction of writing, or hide what is there, are made visible as on a terminal.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text::clean_lines(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            character => escaped.push(character),
        }
    }
    escaped
}
