//! Tables as prompts describe them, as much as there is room for.

use std::collections::HashSet;

use super::budget::{Fill, Filled};
use super::data::{self, quoted};
use super::tokens::Tokenizer;
use crate::conversation::SentCells;
use crate::schema::{Column, Schema, Table, Value};

/// Sample values shown of one column.
const SAMPLES: usize = 3;

/// Tokens below which it is not worth looking for something that still fits.
const CRUMB: usize = 5;

/// Tables with those of their columns that matter, the most important table first.
pub(super) struct Described<'a> {
    blocks: Vec<Block<'a>>,
}

pub(super) struct Block<'a> {
    pub(super) table: &'a Table,
    pub(super) columns: Vec<&'a Column>,
}

/// What can be said of a column beside its name, in the order in which it is left out last.
const DETAILS: [fn(&Table, &Column) -> Option<String>; 3] = [key, samples, note];
const DETAIL_NAMES: [&str; 3] = ["keys", SAMPLE_VALUES, "descriptions"];
const SAMPLE_VALUES: &str = "sample values";

impl<'a> Described<'a> {
    pub(super) fn new(blocks: Vec<Block<'a>>) -> Self {
        Self { blocks }
    }

    /// All columns of these tables.
    pub(super) fn whole(tables: impl IntoIterator<Item = &'a Table>) -> Self {
        let block = |table: &'a Table| Block { table, columns: table.columns.iter().collect() };
        Self::new(tables.into_iter().map(block).collect())
    }

    /// These tables with these columns, and the columns by which they can be joined.
    pub(super) fn chosen(
        schema: &'a Schema,
        chosen: impl IntoIterator<Item = (&'a str, &'a [String])>,
    ) -> Self {
        let mut blocks = Vec::new();
        for (name, columns) in chosen {
            let Some(table) = schema.table(name) else { continue };
            let names: HashSet<&str> = columns.iter().map(String::as_str).collect();
            let is_chosen = |column: &&Column| {
                columns.is_empty()
                    || column.primary_key
                    || names.contains(column.name.as_str())
                    || table.foreign_keys.iter().any(|key| key.columns.contains(&column.name))
            };
            blocks.push(Block { table, columns: table.columns.iter().filter(is_chosen).collect() });
        }
        Self::new(blocks)
    }

    /// Cuts one table into parts whose names and keys fit into `room` each.
    pub(super) fn parts(table: &'a Table, room: usize, tokenizer: &dyn Tokenizer) -> Vec<Self> {
        let head = tokenizer.count(&escaped(&heading(table, true)));
        let mut parts = Vec::new();
        let mut columns = Vec::new();
        let mut used = head;
        for column in &table.columns {
            let line = format!("{}{}\n", name(column), key(table, column).unwrap_or_default());
            let cost = tokenizer.count(&escaped(&line)) + 1;
            if used + cost > room && !columns.is_empty() {
                parts.push(Self::new(vec![Block { table, columns: std::mem::take(&mut columns) }]));
                used = head;
            }
            used += cost;
            columns.push(column);
        }
        parts.push(Self::new(vec![Block { table, columns }]));
        parts
    }

    /// Whether all names and keys fit into `room`, whatever becomes of the other details.
    pub(super) fn fits_by_name(&self, room: usize, tokenizer: &dyn Tokenizer) -> bool {
        let columns: usize = self.blocks.iter().map(|block| block.columns.len()).sum();
        if columns.saturating_mul(4) > room {
            return false;
        }
        let lines = self.blocks.iter().flat_map(|block| {
            let of_column = |column: &&Column| {
                format!("{}{}", name(column), key(block.table, column).unwrap_or_default())
            };
            std::iter::once(heading(block.table, true)).chain(block.columns.iter().map(of_column))
        });
        lines.map(|line| tokenizer.count(&escaped(&line)) + 1).sum::<usize>() <= room
    }

    /// Whether all of it, details included, fits into `room`.
    pub(super) fn fits(&self, room: usize, tokenizer: &dyn Tokenizer) -> bool {
        // A column takes several tokens; counting what is far too large would be slow.
        let columns: usize = self.blocks.iter().map(|block| block.columns.len()).sum();
        columns.saturating_mul(4) <= room && {
            let filled = self.fill(room, tokenizer);
            filled.left_out.is_empty()
        }
    }
}

impl Fill for Described<'_> {
    fn fill(&self, room: usize, tokenizer: &dyn Tokenizer) -> Filled {
        let mut left = Left { room, misses: 0, tokenizer };
        let mut shown: Vec<Shown<'_>> = Vec::new();
        let (mut tables, mut columns) = (0_usize, 0_usize);
        for block in &self.blocks {
            let full = heading(block.table, true);
            let heading = if left.take(&full) { full } else { self::heading(block.table, false) };
            if !heading.ends_with('\n') && !left.take(&heading) {
                tables += 1;
                columns += block.columns.len();
                continue;
            }
            shown.push(Shown { table: block.table, heading, columns: Vec::new(), wanted: &block.columns });
        }
        // One column of each table in turn, so that no table takes the room of all others.
        let longest = shown.iter().map(|shown| shown.wanted.len()).max().unwrap_or(0);
        for at in 0..longest {
            for shown in &mut shown {
                let Some(column) = shown.wanted.get(at) else { continue };
                if left.is_full() {
                    columns += 1;
                    continue;
                }
                let line = name(column);
                match left.take(&line) {
                    true => shown.columns.push((column, line)),
                    false => columns += 1,
                }
            }
        }
        let mut left_out = Vec::new();
        if tables > 0 {
            left_out.push(format!("{tables} tables"));
        }
        if columns > 0 {
            left_out.push(format!("{columns} columns"));
        }
        let mut cells = Vec::new();
        for (detail, what) in DETAILS.iter().zip(DETAIL_NAMES) {
            // Details are shorter than names, so they get another chance.
            left.misses = 0;
            let mut dropped = 0_usize;
            for shown in &mut shown {
                for (column, line) in &mut shown.columns {
                    let Some(text) = detail(shown.table, column) else { continue };
                    match left.take(&text) {
                        true => {
                            line.push_str(&text);
                            cells.extend((what == SAMPLE_VALUES).then(|| sampled(shown.table, column)));
                        }
                        false => dropped += 1,
                    }
                }
            }
            if dropped > 0 {
                left_out.push(format!("the {what} of {dropped} columns"));
            }
        }
        let mut text = String::new();
        for shown in shown {
            text.push_str(shown.heading.trim_end());
            for (_, line) in shown.columns {
                text.push('\n');
                text.push_str(&line);
            }
            text.push('\n');
        }
        Filled { text: text.trim_end().to_owned(), left_out, cells }
    }
}

struct Shown<'a> {
    table: &'a Table,
    heading: String,
    columns: Vec<(&'a Column, String)>,
    wanted: &'a [&'a Column],
}

struct Left<'a> {
    room: usize,
    /// Texts in a row that did not fit.
    misses: usize,
    tokenizer: &'a dyn Tokenizer,
}

/// After so many texts in a row that did not fit, nothing is looked for any more: counting the rest of a large schema
/// would only cost time.
const MISSES: usize = 24;

impl Left<'_> {
    fn is_full(&self) -> bool {
        self.room < CRUMB || self.misses >= MISSES
    }

    /// Takes the room for a text, if there is enough.
    fn take(&mut self, text: &str) -> bool {
        if self.is_full() {
            return false;
        }
        let cost = self.tokenizer.count(&escaped(text)) + 1;
        if cost > self.room {
            self.misses += 1;
            return false;
        }
        self.misses = 0;
        self.room -= cost;
        true
    }
}

/// A text as it stands in the body of a request, where line ends and quotes take a character more.
pub(super) fn escaped(text: &str) -> String {
    let json = serde_json::to_string(text).unwrap_or_default();
    json.get(1..json.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// A table's name; with everything known of it, or alone. The full one ends with a line end.
fn heading(table: &Table, full: bool) -> String {
    let mut heading = format!("table {}", quoted(&table.name, data::NAME));
    if !full {
        return heading;
    }
    if let Some(rows) = table.row_count {
        heading.push_str(&format!(", {rows} rows"));
    }
    if let Some(description) = &table.description {
        heading.push_str(&format!(", comment {}", quoted(description, data::COMMENT)));
    }
    heading.push('\n');
    heading
}

fn name(column: &Column) -> String {
    let declared: String =
        column.declared_type.chars().filter(|character| !character.is_control()).take(30).collect();
    format!("- {} {}", quoted(&column.name, data::NAME), data::fenced(&declared)).trim_end().to_owned()
}

fn key(table: &Table, column: &Column) -> Option<String> {
    let mut text = String::new();
    if column.primary_key {
        text.push_str(", primary key");
    }
    for key in &table.foreign_keys {
        let pair =
            key.columns.iter().zip(&key.references).find(|(own, _)| own.eq_ignore_ascii_case(&column.name));
        if let Some((_, other)) = pair {
            let (table, other) = (quoted(&key.table, data::NAME), quoted(other, data::NAME));
            text.push_str(&format!(", references {table}.{other}"));
        }
    }
    (!text.is_empty()).then_some(text)
}

fn samples(_: &Table, column: &Column) -> Option<String> {
    let values: Vec<String> = shown_samples(column).map(data::value).collect();
    (!values.is_empty()).then(|| format!(", e.g. {}", values.join(", ")))
}

fn shown_samples(column: &Column) -> impl Iterator<Item = &Value> {
    column.samples.iter().filter(|value| !value.is_null()).take(SAMPLES)
}

/// The cells in the samples of a column.
fn sampled(table: &Table, column: &Column) -> SentCells {
    let cells = shown_samples(column).map(data::cell).collect();
    SentCells { column: format!("{}.{}", table.name, column.name), cells }
}

fn note(_: &Table, column: &Column) -> Option<String> {
    let description = column.description.as_deref().map(str::trim).filter(|text| !text.is_empty())?;
    Some(format!(", comment {}", quoted(description, data::COMMENT)))
}
