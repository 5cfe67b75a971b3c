//! From sheets to a schema.

use super::Dictionary;
use super::headings::{Headings, Meaning, plain};
use crate::memory_tables::workbook::{Cell, Sheet};
use sqlogue_sql::schema::{Column, ColumnType, ForeignKey, Schema, Table, TableKind, Value};

/// The longest description in characters; what is longer is a document.
const LONGEST: usize = 2_000;

/// How many samples a column keeps.
const SAMPLES: usize = 10;

pub(super) fn dictionary(sheets: &[Sheet]) -> Dictionary {
    let mut reading = Reading::default();
    for sheet in sheets {
        match Headings::find(&sheet.rows) {
            Some(headings) if headings.is_list_of_tables() => reading.tables(sheet, &headings),
            Some(headings) => reading.columns(sheet, &headings),
            None => reading.problem(sheet, None, "has no headings of a data dictionary and was left out"),
        }
    }
    reading.finish()
}

#[derive(Default)]
struct Reading {
    dictionary: Dictionary,
    /// Descriptions of tables from sheets that list tables.
    descriptions: Vec<(String, String)>,
    /// Keys whose target may be described later: the table, its column, and the words for the target.
    references: Vec<(String, String, String)>,
}

impl Reading {
    fn problem(&mut self, sheet: &Sheet, row: Option<usize>, problem: &str) {
        let place = row.map_or_else(String::new, |row| format!(", row {}", sheet.first + row + 1));
        self.dictionary.problems.push(format!("sheet `{}`{place} {problem}", sheet.name));
    }

    /// A sheet with a row for each table.
    fn tables(&mut self, sheet: &Sheet, headings: &Headings) {
        for row in sheet.rows.iter().skip(headings.row + 1) {
            let description = headings
                .cell(row, Meaning::TableDescription)
                .or_else(|| headings.cell(row, Meaning::Description));
            if let (Some(table), Some(description)) = (headings.cell(row, Meaning::Table), description) {
                self.descriptions.push((table, shortened(&description)));
            }
        }
    }

    /// A sheet with a row for each column, of one table or of many.
    fn columns(&mut self, sheet: &Sheet, headings: &Headings) {
        let mut table = if headings.has(Meaning::Table) { None } else { Some(named_above(sheet, headings)) };
        if let Some(name) = &table
            && let Some(description) = described_above(sheet, headings, name)
        {
            self.descriptions.push((name.clone(), description));
        }
        for (number, row) in sheet.rows.iter().enumerate().skip(headings.row + 1) {
            if row.iter().all(Cell::is_blank) {
                continue;
            }
            // Merged cells name the table once, on its first row.
            if let Some(name) = headings.cell(row, Meaning::Table) {
                if let Some(description) = headings.cell(row, Meaning::TableDescription) {
                    self.descriptions.push((name.clone(), shortened(&description)));
                }
                table = Some(name);
            }
            let Some(column) = headings.cell(row, Meaning::Column) else {
                // A row that only names a table begins its section.
                if headings.cell(row, Meaning::Table).is_none() {
                    self.problem(sheet, Some(number), "names no column and was left out");
                }
                continue;
            };
            let Some(table) = table.clone() else {
                self.problem(sheet, Some(number), "names no table and was left out");
                continue;
            };
            // Headings are sometimes repeated for each table.
            if plain(&column) == "column name" || plain(&column) == "column" {
                continue;
            }
            self.column(sheet, number, headings, row, &table, column);
        }
    }

    fn column(
        &mut self,
        sheet: &Sheet,
        number: usize,
        headings: &Headings,
        row: &[Cell],
        table: &str,
        name: String,
    ) {
        let text = |meaning| headings.cell(row, meaning);
        let is_yes = |meaning| text(meaning).is_some_and(|text| yes(&text));
        let declared_type = text(Meaning::Type).unwrap_or_default();
        let key = text(Meaning::Key).map(|text| plain(&text)).unwrap_or_default();
        let key_words: Vec<&str> = key.split(' ').collect();
        let primary_key = is_yes(Meaning::PrimaryKey)
            || key_words.iter().any(|word| matches!(*word, "pk" | "primary" | "pri"));
        let nullable = match (text(Meaning::Nullable), text(Meaning::Required)) {
            (Some(text), _) => yes(&text) || plain(&text) == "null",
            (None, Some(text)) => !yes(&text),
            (None, None) => !primary_key,
        };
        let target = match (text(Meaning::RefersToTable), text(Meaning::RefersToColumn)) {
            (Some(target), Some(column)) => Some(format!("{target}.{column}")),
            (Some(target), None) => Some(target),
            // A column that says yes or no, and not where to.
            _ => text(Meaning::ForeignKey).filter(|target| !says_only_whether(target)),
        };
        let target = target.or_else(|| reference_in(&text(Meaning::Key).unwrap_or_default()));
        let samples = text(Meaning::Samples).map(|text| samples(&text)).unwrap_or_default();
        let column = Column {
            column_type: family(&declared_type),
            declared_type,
            nullable: nullable && !primary_key,
            primary_key,
            unique: is_yes(Meaning::Unique)
                || key_words.iter().any(|word| matches!(*word, "unique" | "uk" | "uq")),
            description: text(Meaning::Description).map(|text| shortened(&text)),
            samples,
            name,
            ..Column::default()
        };
        if let Some(target) = target {
            self.references.push((table.to_owned(), column.name.clone(), target));
        }
        let tables = &mut self.dictionary.schema.tables;
        let at = match tables.iter().position(|known| known.name.eq_ignore_ascii_case(table)) {
            Some(at) => at,
            None => {
                tables.push(Table { name: table.to_owned(), kind: TableKind::Table, ..Table::default() });
                tables.len() - 1
            }
        };
        let Some(known) = tables.get_mut(at) else { return };
        if known.column(&column.name).is_some() {
            let problem = format!("describes `{}.{}` again and was left out", table, column.name);
            return self.problem(sheet, Some(number), &problem);
        }
        known.columns.push(column);
    }

    fn finish(mut self) -> Dictionary {
        for (table, description) in std::mem::take(&mut self.descriptions) {
            let mut tables = self.dictionary.schema.tables.iter_mut();
            if let Some(table) = tables.find(|known| known.name.eq_ignore_ascii_case(&table)) {
                table.description.get_or_insert(description);
            }
        }
        for (table, column, target) in std::mem::take(&mut self.references) {
            match resolved(&self.dictionary.schema, &target) {
                Some((to, references)) => {
                    let mut tables = self.dictionary.schema.tables.iter_mut();
                    if let Some(table) = tables.find(|known| known.name.eq_ignore_ascii_case(&table)) {
                        let key = ForeignKey {
                            columns: vec![column],
                            table: to,
                            references: vec![references],
                            declared: true,
                            ..ForeignKey::default()
                        };
                        table.foreign_keys.push(key);
                    }
                }
                None => self
                    .dictionary
                    .problems
                    .push(format!("`{table}.{column}` refers to `{target}`, which is not described")),
            }
        }
        for table in &mut self.dictionary.schema.tables {
            if table.primary_key().count() == 1 {
                table
                    .columns
                    .iter_mut()
                    .filter(|column| column.primary_key)
                    .for_each(|column| column.unique = true);
            }
        }
        self.dictionary
    }
}

/// The table that a sheet of its own describes: named above the headings as `Table: orders`, or by the tab.
fn named_above(sheet: &Sheet, headings: &Headings) -> String {
    labelled(sheet, headings, &["table", "table name", "entity"])
        .unwrap_or_else(|| sheet.name.trim().to_owned())
}

/// What is said about the table above the headings.
fn described_above(sheet: &Sheet, headings: &Headings, name: &str) -> Option<String> {
    if let Some(text) = labelled(sheet, headings, &["description", "table description", "purpose", "comment"])
    {
        return Some(shortened(&text));
    }
    // A sentence that stands alone above the headings.
    let rows = sheet.rows.iter().take(headings.row);
    let mut lone = rows.filter_map(|row| {
        let mut filled = row.iter().filter(|cell| !cell.is_blank());
        filled.next().filter(|_| filled.next().is_none()).map(|cell| cell.text().trim().to_owned())
    });
    lone.find(|text| {
        text.contains(' ') && !plain(text).eq_ignore_ascii_case(&plain(name)) && !text.contains(':')
    })
    .map(|text| shortened(&text))
}

/// The text behind one of these labels above the headings, in the same cell or the next.
fn labelled(sheet: &Sheet, headings: &Headings, labels: &[&str]) -> Option<String> {
    for row in sheet.rows.iter().take(headings.row) {
        let mut cells = row.iter().filter(|cell| !cell.is_blank()).map(Cell::text);
        let Some(first) = cells.next() else { continue };
        let (label, rest) = first.split_once(':').unwrap_or((&first, ""));
        if labels.contains(&plain(label).as_str()) {
            let rest = rest.trim();
            let text = if rest.is_empty() {
                cells.next().map(|cell| cell.trim().to_owned())
            } else {
                Some(rest.to_owned())
            };
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                return Some(text);
            }
        }
    }
    None
}

/// The table and column that words for them mean: `customers.id`, `customers(id)`, `customers`.
fn resolved(schema: &Schema, target: &str) -> Option<(String, String)> {
    let target = target.trim_start_matches(['>', '-', '→', ' ']);
    let parts: Vec<&str> =
        target.split(['.', '(', ')', '[', ']', ' ']).filter(|part| !part.is_empty()).collect();
    let known = |name: &str| schema.table(name);
    let (table, column) = match parts.as_slice() {
        [table] => (known(table)?, None),
        [table, column] if known(table).is_some() => (known(table)?, Some(*column)),
        // A schema or a database may stand before the table.
        [.., table, column] if known(table).is_some() => (known(table)?, Some(*column)),
        [.., table] => (known(table)?, None),
        [] => return None,
    };
    let column = match column {
        Some(column) => table.column(column)?,
        None => {
            let mut keys = table.primary_key();
            keys.next().filter(|_| keys.next().is_none()).or_else(|| table.column("id"))?
        }
    };
    Some((table.name.clone(), column.name.clone()))
}

/// `FK -> customers.id` in a column for keys of all kinds.
fn reference_in(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let start = ["references ", "->", "→", "fk:", "fk to ", "fk ("]
        .into_iter()
        .find_map(|sign| Some(lower.find(sign)? + sign.len()))?;
    let rest = text.get(start..)?.trim().trim_end_matches(')');
    (!rest.is_empty()).then(|| rest.to_owned())
}

fn yes(text: &str) -> bool {
    matches!(
        plain(text).as_str(),
        "y" | "yes" | "true" | "1" | "x" | "pk" | "primary" | "primary key" | "unique"
    ) || matches!(text.trim(), "✓" | "✔" | "☑")
}

fn says_only_whether(text: &str) -> bool {
    yes(text)
        || matches!(
            plain(text).as_str(),
            "" | "n" | "no" | "false" | "0" | "none" | "na" | "n a" | "fk" | "foreign key"
        )
}

fn samples(text: &str) -> Vec<Value> {
    let sign = if text.contains(';') {
        ';'
    } else if text.contains('|') {
        '|'
    } else {
        ','
    };
    let texts = text.split(sign).map(|part| part.trim().trim_matches(['"', '\'']).to_owned());
    texts.filter(|text| !text.is_empty()).take(SAMPLES).map(Value::Text).collect()
}

fn shortened(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(LONGEST).collect()
}

/// The family of a type in whatever words people use.
fn family(declared: &str) -> ColumnType {
    let lower = declared.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["bool", "yes/no", "flag"]) || lower == "bit" {
        ColumnType::Boolean
    } else if has(&["datetime", "timestamp", "date time", "date/time"]) {
        ColumnType::DateTime
    } else if has(&["date"]) {
        ColumnType::Date
    } else if lower.starts_with("time") {
        ColumnType::Time
    } else if has(&["json", "array", "struct", "record", "geo", "interval"]) {
        ColumnType::Other
    } else if has(&["int", "serial", "whole"]) {
        ColumnType::Integer
    } else if has(&["num", "dec", "float", "double", "real", "money", "currency", "percent"]) {
        ColumnType::Real
    } else if has(&["blob", "binary", "bytes", "bytea"]) {
        ColumnType::Blob
    } else {
        ColumnType::Text
    }
}
