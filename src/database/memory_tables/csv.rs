//! Reading CSV: the signs between cells, the encoding, ragged rows.

use std::borrow::Cow;
use std::path::Path;

use csv::{ReaderBuilder, StringRecord};
use rusqlite::Connection;

use super::table::{COLUMNS, Shape, Stored, Survey};
use super::{LARGEST, LoadError, LoadedTable, Loader, Note, heading, io, unreadable};
use crate::base::input;

/// How much of a file is looked at for the sign between cells.
const LOOKED_AT: usize = 64 << 10;

/// How many rows pass between two reports.
const REPORT: u64 = 20_000;

pub(super) fn load(connection: &Connection, path: &Path, loader: &mut Loader<'_>) -> Result<(), LoadError> {
    let mut notes = Vec::new();
    let bytes = input::bytes(path, LARGEST).map_err(|error| io(path, &error))?;
    let text = text(&bytes, path, &mut notes)?;
    if text.trim().is_empty() {
        return Err(unreadable(path, "the file is empty").into());
    }
    let is_tabbed = path.extension().is_some_and(|extension| extension != "csv" && extension != "CSV");
    let delimiter = if is_tabbed && text.contains('\t') { b'\t' } else { delimiter(&text) };
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = loader.free_name(&stem);
    let (headings, skipped) = headings(&text, delimiter, &mut notes);
    let source = Source { text: &text, delimiter, skipped, path };

    let mut survey = Survey::new(&heading::names(&headings, headings.len()));
    let mut rows = 0;
    source.each(|record, read| {
        for (at, text) in record.iter().enumerate() {
            survey.text(at, text);
        }
        rows += 1;
        if rows % REPORT == 0 {
            loader.tell(&name, 0, read);
        }
        Ok(())
    })?;
    if survey.guesses.len() > headings.len() {
        notes.push(Note::ExtraCells);
    }
    let shape = survey.shape(name, &headings, delimiter == b';', &mut notes);
    let (rows, cut) = fill(connection, &source, &shape, loader)?;
    if cut > 0 {
        notes.push(Note::CutCells { count: cut });
    }
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    loader.tables.push(LoadedTable { name: shape.name, source: file, rows, notes });
    Ok(())
}

fn fill(
    connection: &Connection,
    source: &Source<'_>,
    shape: &Shape,
    loader: &mut Loader<'_>,
) -> Result<(u64, u64), LoadError> {
    let mut filler = shape.create(connection)?;
    let length = source.text.len() as u64;
    source.each(|record, read| {
        for at in 0..shape.width() {
            let value = record.get(at).map_or(Stored::Null, |text| shape.stored(at, text));
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
    text: &'a str,
    delimiter: u8,
    /// The rows before the first one with data.
    skipped: usize,
    path: &'a Path,
}

impl Source<'_> {
    /// Shows every row with data, and how many bytes were read by then.
    fn each(
        &self,
        mut see: impl FnMut(&StringRecord, u64) -> Result<(), LoadError>,
    ) -> Result<(), LoadError> {
        let mut reader = reader(self.text, self.delimiter);
        let mut record = StringRecord::new();
        let mut number = 0;
        while reader
            .read_record(&mut record)
            .map_err(|error| LoadError::Ours(unreadable(self.path, &error.to_string())))?
        {
            number += 1;
            let is_blank = record.iter().all(str::is_empty);
            if number <= self.skipped || is_blank {
                continue;
            }
            if record.len() > COLUMNS {
                let line = record.position().map_or(0, csv::Position::line);
                return Err(
                    unreadable(self.path, &format!("line {line} has more than {COLUMNS} cells")).into()
                );
            }
            see(&record, reader.position().byte())?;
        }
        Ok(())
    }
}

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .buffer_capacity(256 << 10)
        .from_reader(text.as_bytes())
}

/// The headings, and how many rows they and what stands above them take.
fn headings(text: &str, delimiter: u8, notes: &mut Vec<Note>) -> (Vec<String>, usize) {
    let rows: Vec<Vec<String>> = reader(text, delimiter)
        .into_records()
        .take(heading::LOOKED_AT)
        .map_while(Result::ok)
        .map(|record| record.iter().map(str::to_owned).collect())
        .collect();
    let at = heading::row(&rows);
    let headings = rows.get(at).cloned().unwrap_or_default();
    if heading::is_data(&headings) {
        notes.push(Note::NoHeading);
        return (vec![String::new(); headings.len()], at);
    }
    (headings, at + 1)
}

/// The sign that cuts the first rows into the most equally long ones.
fn delimiter(text: &str) -> u8 {
    let end = (0..=LOOKED_AT.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let start = text.get(..end).unwrap_or_default();
    let score = |delimiter: u8| {
        let widths: Vec<usize> = reader(start, delimiter)
            .into_records()
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

/// The file as text, whatever it is encoded in.
fn text<'a>(bytes: &'a [u8], path: &Path, notes: &mut Vec<Note>) -> Result<Cow<'a, str>, LoadError> {
    let wide = |from: fn([u8; 2]) -> u16, rest: &[u8]| {
        let units: Vec<u16> = rest.as_chunks().0.iter().map(|pair| from(*pair)).collect();
        String::from_utf16(&units)
            .map_err(|_| LoadError::Ours(unreadable(path, "it begins as UTF-16 but is not")))
    };
    Ok(match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest),
        [0xFF, 0xFE, rest @ ..] => wide(u16::from_le_bytes, rest)?.into(),
        [0xFE, 0xFF, rest @ ..] => wide(u16::from_be_bytes, rest)?.into(),
        [b'P', b'K', 3, 4, ..] => {
            return Err(
                unreadable(path, "it is a ZIP file, perhaps an Excel workbook by another name").into()
            );
        }
        _ => match str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) if bytes.contains(&0) => return Err(unreadable(path, "it is not text").into()),
            Err(_) => {
                notes.push(Note::OldEncoding);
                bytes.iter().map(|byte| windows_1252(*byte)).collect::<String>().into()
            }
        },
    })
}

fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9F => HIGH.get(usize::from(byte - 0x80)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
        other => char::from(other),
    }
}
