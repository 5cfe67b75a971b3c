//! Reading CSV: the signs between cells, ragged rows.
//!
//! A file is read three times, row by row, and never as a whole: what it is encoded in, what its columns hold, and its
//! rows.

use std::fs::File;
use std::io::{self, Read};
use std::mem;
use std::path::Path;

use csv::{ByteRecord, ReaderBuilder, StringRecord};
use rusqlite::Connection;

use super::decode::{Decoder, Encoding};
use super::kind::{self, Kind};
use super::table::{COLUMNS, Shape, Stored, Survey};
use super::{LoadError, LoadedTable, Loader, Note, gzip, heading, io as failed, shown, unreadable};
use crate::DatabaseError;

/// How much of a file is looked at for the sign between cells.
const LOOKED_AT: u64 = 64 << 10;

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
    let mut source = Source::of(&file, path, &mut notes)?;
    let name = loader.free_name(&kind::stem(path).unwrap_or_default());
    let headings = source.headings(&mut notes)?;

    let mut survey = Survey::new(&heading::names(&headings, headings.len()));
    let mut rows = 0;
    // A row that may hold the totals waits for the next one, which would make it a row like any other.
    let mut held: Option<(String, StringRecord)> = None;
    source.each(|record, read| {
        if let Some((_, held)) = held.take() {
            see(&mut survey, &held);
        }
        rows += 1;
        match heading::total(record.iter()).filter(|_| rows > heading::FEW as u64) {
            Some(label) => held = Some((label, record.clone())),
            None => see(&mut survey, record),
        }
        if rows % REPORT == 0 {
            loader.tell(&name, 0, read);
        }
        Ok(())
    })?;
    if let Some((label, _)) = held {
        notes.push(Note::TotalRow { label });
        rows -= 1;
    }
    if survey.guesses.len() > headings.len() {
        notes.push(Note::ExtraCells);
    }
    let columns = survey.leave_out_nameless(&headings);
    let headings: Vec<String> =
        columns.iter().map(|at| headings.get(*at).cloned().unwrap_or_default()).collect();
    let shape = survey.shape(name, &headings, source.delimiter == b';', &mut notes);
    let (rows, cut) = fill(connection, &source, &shape, (&columns, rows), loader)?;
    if gzip::stamp(&file) != before {
        // Half of the old and half of the new is neither.
        return Err(DatabaseError::Changing { path: shown(path) }.into());
    }
    if cut > 0 {
        notes.push(Note::CutCells { count: cut });
    }
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    loader.tables.push(LoadedTable { name: shape.name, source: file, rows, notes });
    Ok(())
}

/// Takes note of what is in a row.
fn see(survey: &mut Survey, record: &StringRecord) {
    for (at, text) in record.iter().enumerate() {
        survey.text(at, text);
    }
}

/// Puts the first so many rows into the table, from the columns at these places.
fn fill(
    connection: &Connection,
    source: &Source<'_>,
    shape: &Shape,
    (columns, most): (&[usize], u64),
    loader: &mut Loader<'_>,
) -> Result<(u64, u64), LoadError> {
    let mut filler = shape.create(connection)?;
    let length = source.file.metadata().map_or(0, |metadata| metadata.len());
    source.each(|record, read| {
        if filler.rows == most {
            return Ok(());
        }
        for (at, place) in columns.iter().enumerate() {
            let value = record.get(*place).map_or(Stored::Null, |text| shape.stored(at, text));
            filler.set(at, value)?;
        }
        filler.end_row()?;
        if filler.rows % REPORT == 0 {
            loader.tell(&shape.name, filler.rows, length + read);
        }
        Ok(())
    })?;
    loader.tell(&shape.name, filler.rows, length * 2);
    Ok((filler.rows, filler.cut))
}

struct Source<'a> {
    file: &'a File,
    path: &'a Path,
    encoding: Encoding,
    delimiter: u8,
    /// The rows before the first one with data.
    skipped: usize,
}

impl<'a> Source<'a> {
    fn of(file: &'a File, path: &'a Path, notes: &mut Vec<Note>) -> Result<Self, LoadError> {
        let encoding = Encoding::of(file, path, notes)?;
        let mut start = Vec::new();
        let mut read = || Decoder::new(file, encoding)?.take(LOOKED_AT).read_to_end(&mut start);
        read().map_err(|error| failed(path, &error))?;
        let is_tabbed = !kind::is_called(path, "csv");
        let delimiter = if is_tabbed && start.contains(&b'\t') { b'\t' } else { delimiter(&start) };
        Ok(Self { file, path, encoding, delimiter, skipped: 0 })
    }

    fn reader(&self) -> Result<csv::Reader<Decoder<'a>>, LoadError> {
        let decoder = Decoder::new(self.file, self.encoding).map_err(|error| failed(self.path, &error))?;
        Ok(reader(decoder, self.delimiter))
    }

    /// The headings. What they and what stands above them take is not data.
    fn headings(&mut self, notes: &mut Vec<Note>) -> Result<Vec<String>, LoadError> {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for record in self.reader()?.into_byte_records().take(heading::LOOKED_AT) {
            let record = record.map_err(|error| unreadable(self.path, &error.to_string()))?;
            rows.push(record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect());
        }
        let is_all = rows.len() < heading::LOOKED_AT;
        if is_all && rows.iter().flatten().all(|cell| cell.trim().is_empty()) {
            return Err(unreadable(self.path, "the file is empty").into());
        }
        let found = heading::of(&rows);
        notes.extend(found.missing.then_some(Note::NoHeading));
        self.skipped = found.rows;
        Ok(found.names)
    }

    /// Shows every row with data, and how many bytes were read by then.
    fn each(
        &self,
        mut see: impl FnMut(&StringRecord, u64) -> Result<(), LoadError>,
    ) -> Result<(), LoadError> {
        let mut reader = self.reader()?;
        let mut bytes = ByteRecord::new();
        let mut number = 0;
        while reader
            .read_byte_record(&mut bytes)
            .map_err(|error| LoadError::Ours(unreadable(self.path, &error.to_string())))?
        {
            reader.get_mut().looked();
            number += 1;
            // What is no character is shown as one that stands for none.
            let record = StringRecord::from_byte_record_lossy(mem::take(&mut bytes));
            let is_blank = record.iter().all(str::is_empty);
            if number > self.skipped && !is_blank {
                if record.len() > COLUMNS {
                    let line = record.position().map_or(0, csv::Position::line);
                    let problem = format!("line {line} has more than {COLUMNS} cells");
                    return Err(unreadable(self.path, &problem).into());
                }
                see(&record, reader.get_ref().done)?;
            }
            bytes = record.into_byte_record();
        }
        Ok(())
    }
}

fn reader<R: io::Read>(source: R, delimiter: u8) -> csv::Reader<R> {
    ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .buffer_capacity(256 << 10)
        .from_reader(source)
}

/// The sign that cuts the first rows into the most equally long ones.
fn delimiter(start: &[u8]) -> u8 {
    let score = |delimiter: u8| {
        let widths: Vec<usize> = reader(start, delimiter)
            .into_byte_records()
            .take(30)
            .map_while(Result::ok)
            .map(|record| record.len())
            .collect();
        let width =
            widths.iter().copied().max_by_key(|width| widths.iter().filter(|other| *other == width).count());
        match width {
            Some(width) if width > 1 => (widths.iter().filter(|other| **other == width).count(), width),
            _ => (0, 0),
        }
    };
    // Of equals the last is taken.
    [b'|', b'\t', b';', b','].into_iter().max_by_key(|delimiter| score(*delimiter)).unwrap_or(b',')
}
