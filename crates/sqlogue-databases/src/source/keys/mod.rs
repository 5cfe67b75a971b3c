//! Keys that nobody declared.
//!
//! Many databases declare none. Which columns are keys, and which refer to them, is found out from values and names
//! together, never from names against the values, and from values alone only where they could hardly agree by chance:
//!
//! ```text
//! profile     the first rows of each table, read once, within a budget
//! primary     the column that names each row, or the columns that do so together
//! names       how far a name says what it refers to (words: abbreviations, prefixes, roles)
//! references  names and values weighed against each other
//! coded       codes of several kinds in one table, and which column holds which
//! ```
//!
//! On a server nothing is read but the first rows, and where a table has more, what was not seen speaks for nothing.

mod candidates;
mod coded;
mod composite;
mod names;
mod primary;
mod profile;
mod read;
mod references;
mod words;

use std::collections::{BTreeMap, HashMap};

use candidates::Candidates;
use names::Agreement;
use profile::Reader;
use read::Read;
use references::{Circumstances, Found};

use crate::Database;
use sqlogue_sql::schema::{Column, ColumnType, ForeignKey, KeyEvidence, Schema, Table, TableKind};

/// From here on a reference is taken for one: three in four.
const ENOUGH: f32 = 1.1;

/// Two references of one column that are no further apart than this are about equally likely.
const CLOSE: f32 = 0.6;

/// A table and a column of it.
type Place = (usize, usize);

/// A reference that was found, before it is compared with the others of its column.
#[derive(Debug, Clone)]
struct Reference {
    from: Place,
    to: Place,
    score: f32,
    because: Vec<String>,
}

/// Adds the primary and foreign keys that names and values speak for, with the evidence for each.
///
/// What is declared, or was written down by people, stays as it is.
pub async fn infer_keys(database: &dyn Database, schema: &mut Schema) {
    let read = Read::of(schema);
    let mut reader = Reader::new(database, schema.tables.len());
    let perhaps = single_keys(&mut reader, schema, &read).await;
    let mut candidates = Candidates::of(&reader, schema, &read, &perhaps);
    let mut found: Vec<Reference> = Vec::new();
    for at in 0..schema.tables.len() {
        found.extend(references_of(&mut reader, schema, &read, &mut candidates, at).await);
    }
    for reference in chosen(found) {
        add(schema, &reference);
    }
    coded::find(&mut reader, schema, &read).await;
    referred_to(schema, &perhaps);
    composite::keys(&reader, schema, &read, &perhaps);
    composite::shared(&reader, schema, &read);
    composite::references(&reader, schema, &read);
}

/// Columns that are keys where something else speaks for them too.
type Perhaps = BTreeMap<(usize, usize), primary::Single>;

/// Finds the key of each table that declares none.
async fn single_keys(reader: &mut Reader<'_>, schema: &mut Schema, read: &Read) -> Perhaps {
    let mut perhaps = Perhaps::new();
    for at in 0..schema.tables.len() {
        let is_open = |table: &&Table| table.kind == TableKind::Table && table.primary_key().next().is_none();
        if schema.tables.get(at).filter(is_open).is_none() {
            continue;
        }
        reader.read(&schema.tables, at).await;
        let Some((table, names)) = schema.tables.get_mut(at).zip(read.tables.get(at)) else { continue };
        let names_other = |column: usize| read.names_other((at, column));
        let keys = primary::single(table, &names.name, &read.columns(at), reader.profile(at), names_other);
        for (rank, key) in keys.into_iter().enumerate() {
            if rank == 0 && key.sure {
                become_key(table, key.column, key.evidence);
                break;
            }
            perhaps.insert((at, key.column), key);
        }
    }
    perhaps
}

fn become_key(table: &mut Table, column: usize, evidence: KeyEvidence) {
    if let Some(column) = table.columns.get_mut(column) {
        (column.primary_key, column.unique, column.key_evidence) = (true, true, Some(evidence));
    }
}

/// Makes keys of what may be one and is referred to.
fn referred_to(schema: &mut Schema, perhaps: &Perhaps) {
    // Which table refers to a column, the first of several.
    let mut referring: HashMap<(String, String), String> = HashMap::new();
    for table in &schema.tables {
        for key in &table.foreign_keys {
            if let [column] = key.references.as_slice() {
                let to = (key.table.clone(), column.clone());
                referring.entry(to).or_insert_with(|| table.name.clone());
            }
        }
    }
    let mut likeliest: Vec<(&(usize, usize), &primary::Single)> = perhaps.iter().collect();
    likeliest.sort_by_key(|(_, single)| std::cmp::Reverse(single.evidence.percent));
    for (&(at, column), single) in likeliest {
        let Some(table) = schema.tables.get_mut(at).filter(|table| table.primary_key().next().is_none())
        else {
            continue;
        };
        let Some(name) = table.columns.get(column).map(|column| column.name.clone()) else { continue };
        let Some(from) = referring.get(&(table.name.clone(), name)) else { continue };
        let mut evidence = single.evidence.clone();
        evidence.percent = evidence.percent.max(85);
        evidence.because.push(format!("`{from}` refers to it"));
        become_key(table, column, evidence);
    }
}

/// The likely references of one table's columns.
async fn references_of(
    reader: &mut Reader<'_>,
    schema: &Schema,
    read: &Read,
    candidates: &mut Candidates,
    at: usize,
) -> Vec<Reference> {
    let mut found = Vec::new();
    let Some(table) = schema.tables.get(at) else { return found };
    for (place, column) in table.columns.iter().enumerate() {
        let known = table.foreign_keys.iter().any(|key| key.columns.contains(&column.name));
        if known || matches!(column.column_type, ColumnType::Boolean | ColumnType::Blob | ColumnType::Time) {
            continue;
        }
        for (to, names) in candidates.of_column(read, schema, (at, place)) {
            let same = reader.is_local() || same_family(column, schema, to);
            if !same {
                continue;
            }
            if let Some(reference) = weigh(reader, schema, read, (at, place), to, names).await {
                found.push(reference);
            }
        }
    }
    found
}

/// Weighs one column against one key.
async fn weigh(
    reader: &mut Reader<'_>,
    schema: &Schema,
    read: &Read,
    from: (usize, usize),
    to: (usize, usize),
    names: Agreement,
) -> Option<Reference> {
    reader.read(&schema.tables, from.0).await;
    reader.read(&schema.tables, to.0).await;
    let (table, target) = (schema.tables.get(from.0)?, schema.tables.get(to.0)?);
    let (column, key) = (table.columns.get(from.1)?, target.columns.get(to.1)?);
    let names = match reader.profile(to.0) {
        Some(profile) if says_role(profile, read.column(from), read.is_anyone(to.0)) => {
            names.or(Agreement::VALUE)
        }
        _ => names,
    };
    let found = compared(reader, schema, from, to, names.score > 0.0).await;
    let seen = reader.profile(from.0).and_then(|profile| profile.column(from.1));
    let from_key = column.primary_key && table.primary_key().count() == 1;
    let score = references::score(
        names,
        &found,
        Circumstances {
            from_key,
            from_own_name: from_key && read.bears_own_name(from),
            to_anyone: read.is_anyone(to.0),
            to_primary: key.primary_key,
            column_type: column.column_type,
            is_flag: seen.is_some_and(profile::Seen::is_flag),
        },
    )?;
    let because = references::because(names, &found, &format!("{}.{}", target.name, key.name));
    (score >= ENOUGH).then_some(Reference { from, to, score, because })
}

/// True where the name of a column is what some rows of a table are said to be: `mechanic_id`, and employees whose job is
/// *Mechanic*. In a table of people this may be any word.
fn says_role(profile: &profile::Profile, names: &[words::Name], of_people: bool) -> bool {
    let roles = names.iter().filter(|name| name.says_key() && (of_people || name.core_roles.role));
    roles.filter_map(|name| name.core().last()).any(|role| profile.says(role))
}

/// Compares the values of a column with those of a key.
async fn compared(
    reader: &mut Reader<'_>,
    schema: &Schema,
    from: (usize, usize),
    to: (usize, usize),
    named: bool,
) -> Found {
    let Some(column) = reader.profile(from.0).and_then(|profile| profile.column(from.1)) else {
        return Found::Unseen;
    };
    let Some(profile) = reader.profile(to.0) else { return Found::Unseen };
    let Some(keys) = profile.column(to.1) else { return Found::Unseen };
    // Numbers that count up hold all small numbers, whatever those mean.
    if !named && !keys.is_sparse() {
        return Found::Unseen;
    }
    let found = references::compare(column, keys, profile.whole);
    if found != Found::Unclear {
        return found;
    }
    let column = column.clone();
    if let Some(keys) = reader.keys(&schema.tables, to.0, to.1).await {
        return references::compare(&column, keys, true);
    }
    let Some(target) = schema.tables.get(to.0) else { return found };
    match reader.looked_up(target, to.1, &column).await {
        Some((hits, asked)) => references::of_looked_up(hits, asked),
        None => Found::Unclear,
    }
}

/// Of each column the best reference, and a second where it is about as likely.
fn chosen(mut found: Vec<Reference>) -> Vec<Reference> {
    found.sort_by(|one, other| one.from.cmp(&other.from).then(other.score.total_cmp(&one.score)));
    let places: HashMap<(Place, Place), f32> =
        found.iter().map(|reference| ((reference.from, reference.to), reference.score)).collect();
    let mut chosen: Vec<Reference> = Vec::new();
    for reference in found {
        // Of two keys that refer to each other, the better one does.
        let back = places.get(&(reference.to, reference.from));
        if back.is_some_and(|back| (*back, reference.to) > (reference.score, reference.from)) {
            continue;
        }
        let best = chosen.iter().find(|known| known.from == reference.from);
        match best {
            None => chosen.push(reference),
            Some(best) => {
                // A key that refers to the other one is a part of it, and no rival.
                let chained = places.contains_key(&(reference.to, best.to))
                    || places.contains_key(&(best.to, reference.to));
                let first = chosen.iter().filter(|known| known.from == reference.from).count() == 1;
                if first && !chained && best.score - reference.score < CLOSE {
                    chosen.push(reference);
                }
            }
        }
    }
    chosen
}

/// Writes a reference into the schema.
fn add(schema: &mut Schema, reference: &Reference) {
    let name = |(table, column): (usize, usize)| {
        let table = schema.tables.get(table)?;
        Some((table.name.clone(), table.columns.get(column)?.name.clone()))
    };
    let (Some((_, column)), Some((target, key))) = (name(reference.from), name(reference.to)) else { return };
    let evidence = KeyEvidence { percent: percent(reference.score), because: reference.because.clone() };
    if let Some(table) = schema.tables.get_mut(reference.from.0) {
        table.foreign_keys.push(ForeignKey {
            columns: vec![column],
            table: target,
            references: vec![key],
            declared: false,
            evidence: Some(evidence),
        });
    }
}

/// The probability that belongs to the logarithm of the odds, in percent.
fn percent(score: f32) -> u8 {
    (100.0 / (1.0 + (-score).exp())).clamp(1.0, 99.0) as u8
}

/// True where the database compares values of both columns with each other.
fn same_family(column: &Column, schema: &Schema, to: (usize, usize)) -> bool {
    let Some(key) = schema.tables.get(to.0).and_then(|table| table.columns.get(to.1)) else { return false };
    let (one, other) = (column.column_type, key.column_type);
    one == other || (one.is_numeric() && other.is_numeric()) || (one.is_temporal() && other.is_temporal())
}
