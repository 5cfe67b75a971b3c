//! Tables of codes of several kinds: the ranks, the states of an order and the channels in one table, with a column that
//! says which are which. A column refers to the rows of one kind, which no foreign key can say.

use std::collections::BTreeMap;

use super::profile::{Profile, Reader, Seen};
use super::read::Read;
use super::words::alike;
use sqlogue_sql::schema::{
    Codes, Column, ColumnType, Schema, Table, TableKind, Value, is_subsequence, pieces, plain_name,
};

/// A table of codes has no more columns and no more rows.
const COLUMNS: usize = 7;
const ROWS: usize = 2_000;
/// What tables of codes are called.
const CODES: &[&str] = &[
    "cd",
    "cde",
    "lookup",
    "lookups",
    "lkp",
    "lov",
    "ref",
    "reference",
    "references",
    "domain",
    "domains",
    "enum",
    "enums",
    "dictionary",
    "dict",
];
/// What columns of codes are called, and those of their kinds.
const KEYS: &[&str] = &["code", "cd", "cde", "cod", "key", "val", "value", "abbr", "short"];
const KINDS: &[&str] =
    &["type", "typ", "kind", "domain", "group", "grp", "category", "cat", "class", "set", "list"];
/// Kinds whose names agree less with a column's say nothing.
const AGREES: f32 = 0.5;

/// The codes of one kind.
struct Kind {
    codes: Codes,
    seen: Seen,
}

/// Finds which columns hold codes of which kind, and takes back the references of such columns to the table of codes.
pub(super) async fn find(reader: &mut Reader<'_>, schema: &mut Schema, read: &Read) {
    for at in 0..schema.tables.len() {
        let kinds = kinds_of(reader, &schema.tables, at).await;
        if kinds.len() < 2 {
            continue;
        }
        let mut found: Vec<(usize, usize, Codes)> = Vec::new();
        for (place, table) in schema.tables.iter().enumerate().filter(|(place, _)| *place != at) {
            reader.read(&schema.tables, place).await;
            let Some(profile) = reader.profile(place) else { continue };
            for (column, _) in table.columns.iter().enumerate().filter(|(_, column)| is_open(table, column)) {
                let Some(seen) = profile.column(column) else { continue };
                if let Some(kind) = kind_of(seen, &kinds, read, (place, column)) {
                    found.push((place, column, kind.codes.clone()));
                }
            }
        }
        for (place, column, codes) in found {
            let Some(table) = schema.tables.get_mut(place) else { continue };
            let Some(column) = table.columns.get_mut(column) else { continue };
            let refers = |key: &sqlogue_sql::schema::ForeignKey| {
                !key.declared && key.table == codes.table && key.columns.contains(&column.name)
            };
            table.foreign_keys.retain(|key| !refers(key));
            column.codes = Some(codes);
        }
    }
}

/// True for a column that may hold codes and refers to nothing yet for certain.
fn is_open(table: &Table, column: &Column) -> bool {
    let is_declared = table.foreign_keys.iter().any(|key| key.declared && key.columns.contains(&column.name));
    !is_declared
        && !column.unique
        && column.codes.is_none()
        && matches!(column.column_type, ColumnType::Text | ColumnType::Integer)
}

/// The kinds of codes in a table; none where it is no such table.
async fn kinds_of(reader: &mut Reader<'_>, tables: &[Table], at: usize) -> Vec<Kind> {
    let Some(table) = tables.get(at).filter(|table| table.kind == TableKind::Table) else {
        return Vec::new();
    };
    // A server's table is read only where it is known to be small.
    let is_small = table.row_count.map_or(reader.is_local(), |rows| rows <= ROWS as u64);
    if !is_small || !(3..=COLUMNS).contains(&table.columns.len()) || !says_codes(table) && !says_kinds(table)
    {
        return Vec::new();
    }
    reader.read(tables, at).await;
    let Some([kind, code, text]) = reader.profile(at).and_then(|profile| columns_of(table, profile)) else {
        return Vec::new();
    };
    let Some(rows) = reader.rows(table, &[kind, code, text], ROWS).await else { return Vec::new() };
    let name = |at: usize| table.columns.get(at).map(|column| column.name.clone()).unwrap_or_default();
    let mut kinds: BTreeMap<String, Kind> = BTreeMap::new();
    for row in rows {
        let [kind_value, code_value, Value::Text(meaning)] = row.as_slice() else { continue };
        let found = kinds.entry(kind_value.to_string()).or_insert_with(|| Kind {
            codes: Codes {
                table: table.name.clone(),
                kind_column: name(kind),
                kind: kind_value.to_string(),
                code_column: name(code),
                text_column: name(text),
                meanings: Vec::new(),
            },
            seen: Seen::default(),
        });
        found.seen.add(code_value);
        found.codes.meanings.push((code_value.to_string(), meaning.clone()));
    }
    kinds.into_values().collect()
}

/// True for a table whose name says that it explains codes.
fn says_codes(table: &Table) -> bool {
    let ends_so = |word: &String| ["cod", "code", "codes"].iter().any(|end| word.ends_with(end));
    pieces(plain_name(&table.name)).iter().any(|word| CODES.contains(&word.as_str()) || ends_so(word))
}

/// True for a table with a column for codes and one for their kinds, by their names.
fn says_kinds(table: &Table) -> bool {
    let says = |words: &[&str]| {
        table
            .columns
            .iter()
            .any(|column| pieces(&column.name).iter().any(|word| words.contains(&word.as_str())))
    };
    says(KINDS) && says(KEYS)
}

/// The columns of a table of codes: the kind, the code, what it stands for. A kind has several codes, kind and code together
/// are a key, and what a code stands for is longer than the code. Where no two kinds share a code, the table is perhaps one of
/// things with their kinds, unless its name says that it is one of codes.
fn columns_of(table: &Table, profile: &Profile) -> Option<[usize; 3]> {
    if !profile.whole || !(4..=ROWS).contains(&profile.rows) {
        return None;
    }
    let full = |at: &usize| profile.column(*at).is_some_and(|seen| seen.filled == profile.rows);
    let places: Vec<usize> = (0..table.columns.len()).filter(full).collect();
    let seen = |at: usize| profile.column(at);
    let says_codes = says_codes(table);
    let mut best: Option<(usize, [usize; 3])> = None;
    for &kind in &places {
        let kinds = seen(kind)?;
        if !kinds.is_words() || kinds.values.len() < 2 || kinds.values.len() * 2 > profile.rows {
            continue;
        }
        for &code in places.iter().filter(|code| **code != kind) {
            if !seen(code)?.is_words()
                || !profile.is_unique(&[kind, code])
                || profile.is_unique(&[code]) && !says_codes
            {
                continue;
            }
            for &text in places.iter().filter(|text| ![kind, code].contains(*text)) {
                let texts = seen(text)?;
                if !texts.is_words() || texts.length() <= seen(code)?.length() || texts.length() <= 3 {
                    continue;
                }
                let shorter = usize::MAX - seen(code)?.length();
                if best.as_ref().is_none_or(|(known, _)| shorter > *known) {
                    best = Some((shorter, [kind, code, text]));
                }
            }
        }
    }
    best.map(|(_, columns)| columns)
}

/// The kind of which a column holds codes: all of its values are among them, and where several kinds have them all, or
/// where the values are too few to say, the names agree.
fn kind_of<'k>(seen: &Seen, kinds: &'k [Kind], read: &Read, place: (usize, usize)) -> Option<&'k Kind> {
    let contained = kinds.iter().filter(|kind| seen.values.is_subset(&kind.seen.values));
    let mut found: Vec<(f32, &Kind)> =
        contained.map(|kind| (agreement(&kind.codes.kind, read, place), kind)).collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    match found.as_slice() {
        [(agrees, kind)] if *agrees >= AGREES || seen.values.len() >= 3 && seen.is_words() => Some(kind),
        [(agrees, kind), (other, _), ..] if *agrees >= AGREES && agrees > other => Some(kind),
        _ => None,
    }
}

/// How far the name of a kind agrees with that of a column, or of its table, from 0 to 1.
fn agreement(kind: &str, read: &Read, place: (usize, usize)) -> f32 {
    let kind: String = kind.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
    let of_column = read.column(place).iter().map(|name| {
        let words = name.words.iter().map(|word| alike(&kind, word)).fold(0.0, f32::max);
        let flat = if is_subsequence(&kind, &name.flat) { 0.7 } else { 0.0 };
        words.max(flat)
    });
    let of_table = read.tables.get(place.0).map_or(0.0, |table| {
        table.name.words.iter().map(|word| alike(&kind, word) * 0.8).fold(0.0, f32::max)
    });
    of_column.fold(of_table, f32::max)
}
