//! Reading JSON: an object a line, or a list of objects.
//!
//! A file is read three times, object by object, and never as a whole: what it is encoded in, what its columns hold, and its
//! rows. The keys of all objects are the columns, in the order in which they are first seen. What is within an object of
//! an object is a column too (`address_city`); lists, and what lies deeper than [`columns::DEEPEST`], are JSON as text.

mod columns;
mod records;

use std::borrow::Cow;
use std::path::Path;

use rusqlite::Connection;

use self::columns::{Columns, Scalar};
use self::records::Records;
use super::decode::Encoding;
use super::guess::Holds;
use super::kind::{self, Kind};
use super::table::{Shape, Stored, Survey};
use super::{LoadError, LoadedTable, Loader, Note, gzip, heading, shown, unreadable};
use crate::DatabaseError;

/// How many rows pass between two reports.
const REPORT: u64 = 20_000;

pub(super) fn load(
    connection: &Connection,
    path: &Path,
    kind: Kind,
    loader: &mut Loader<'_>,
) -> Result<(), LoadError> {
    let mut notes = Vec::new();
    let file = gzip::open(path, kind, loader)?;
    let before = gzip::stamp(&file);
    let encoding = Encoding::of(&file, path, &mut notes)?;
    let name = loader.free_name(&kind::stem(path).unwrap_or_default());
    let open = || Records::open(&file, encoding, path);

    let mut columns = Columns::default();
    let (survey, rows) = survey(open()?, &mut columns, &name, loader)?;
    if rows == 1 && open()?.is_document() {
        return Err(unreadable(path, "it is one object and no list of objects").into());
    }
    let (shape, places) = shape(survey, &columns, name, path, &mut notes)?;
    let length = before.map_or(0, |(length, _)| length);
    let (rows, cut) = fill(connection, open()?, &mut columns, &shape, &places, length, loader)?;
    if gzip::stamp(&file) != before {
        // Half of the old and half of the new is neither.
        return Err(DatabaseError::Changing { path: shown(path) }.into());
    }
    if cut > 0 {
        notes.push(Note::CutCells { count: cut });
    }
    let source = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    loader.tables.push(LoadedTable { name: shape.name, source, rows, notes });
    Ok(())
}

/// Finds out what the columns are and what they hold.
fn survey(
    mut records: Records<'_>,
    columns: &mut Columns,
    table: &str,
    loader: &mut Loader<'_>,
) -> Result<(Survey, u64), LoadError> {
    let mut survey = None;
    let mut rows = 0;
    while let Some(record) = records.next()? {
        let row = columns.row(&record).map_err(|error| record.unfit(&error))?;
        // A column that the first row does not have is missing there, and so no key.
        let survey = survey
            .get_or_insert_with(|| Survey::new(&heading::names(columns.names(), columns.names().len())));
        for at in 0..columns.names().len() {
            let scalar = row.get(at).unwrap_or(&Scalar::Null);
            if let Some(guess) = survey.guess(at) {
                match scalar {
                    Scalar::Null => {}
                    Scalar::Whole(_) => guess.whole_cell(),
                    Scalar::Fraction(_) => guess.fraction_cell(),
                    Scalar::Truth(_) => guess.truth_cell(),
                    Scalar::Text(text) => guess.text_cell(text),
                }
            }
            if survey.is_key(at) {
                survey.key_value(at, &text(scalar));
            }
        }
        rows += 1;
        if rows % REPORT == 0 {
            loader.tell(table, 0, records.done());
        }
    }
    Ok((survey.unwrap_or_else(|| Survey::new(&[])), rows))
}

/// Settles what the columns hold, and which of them each key's values go to.
fn shape(
    mut survey: Survey,
    columns: &Columns,
    name: String,
    path: &Path,
    notes: &mut Vec<Note>,
) -> Result<(Shape, Vec<usize>), LoadError> {
    let mut names = columns.names().to_vec();
    let mut places: Vec<usize> = (0..names.len()).collect();
    // Where a key holds objects or nothing, nothing is no column beside theirs.
    for at in columns.outer().into_iter().rev() {
        if survey.leave_out(at) {
            names.remove(at);
            places.remove(at);
        }
    }
    if names.is_empty() {
        return Err(unreadable(path, "there is no object with a key in it").into());
    }
    Ok((survey.shape(name, &names, false, notes), places))
}

fn fill(
    connection: &Connection,
    mut records: Records<'_>,
    columns: &mut Columns,
    shape: &Shape,
    places: &[usize],
    length: u64,
    loader: &mut Loader<'_>,
) -> Result<(u64, u64), LoadError> {
    let mut filler = shape.create(connection)?;
    while let Some(record) = records.next()? {
        let row = columns.row(&record).map_err(|error| record.unfit(&error))?;
        for (at, place) in places.iter().enumerate() {
            filler.set(at, row.get(*place).map_or(Stored::Null, |scalar| stored(shape, at, scalar)))?;
        }
        filler.end_row()?;
        if filler.rows % REPORT == 0 {
            loader.tell(&shape.name, filler.rows, length + records.done());
        }
    }
    loader.tell(&shape.name, filler.rows, length * 2);
    Ok((filler.rows, filler.cut))
}

fn text<'a>(scalar: &'a Scalar<'_>) -> Cow<'a, str> {
    match scalar {
        Scalar::Null => "".into(),
        Scalar::Whole(number) => number.to_string().into(),
        Scalar::Fraction(number) => number.to_string().into(),
        Scalar::Truth(truth) => truth.to_string().into(),
        Scalar::Text(text) => text.as_ref().into(),
    }
}

fn stored<'a>(shape: &Shape, at: usize, scalar: &'a Scalar<'_>) -> Stored<'a> {
    match (scalar, shape.holds(at)) {
        (Scalar::Null, _) => Stored::Null,
        (Scalar::Whole(number), Holds::Whole(_)) => Stored::Whole(*number),
        (Scalar::Whole(number), Holds::Fraction(_)) => Stored::Fraction(*number as f64),
        (Scalar::Fraction(number), Holds::Fraction(_)) => Stored::Fraction(*number),
        (Scalar::Truth(truth), Holds::Truth) => Stored::Whole(i64::from(*truth)),
        // The file itself says that it is a text, even if it is the word `NULL`.
        (Scalar::Text(text), Holds::Text) if !text.trim().is_empty() => Stored::Text(text),
        (Scalar::Text(text), _) => shape.stored(at, text),
        (other, _) => Stored::Written(text(other).into_owned()),
    }
}

#[cfg(test)]
mod tests;
