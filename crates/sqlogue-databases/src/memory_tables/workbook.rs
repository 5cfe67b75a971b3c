//! Reading workbooks: Excel's formats and OpenDocument.

use std::fs::{self, File};
use std::io::{BufReader, Cursor};
use std::panic::catch_unwind;
use std::path::Path;

use calamine::{
    Data, DataRef, Reader as _, SheetVisible, Xls, Xlsb, XlsbError, Xlsx, XlsxError, open_workbook,
};
use rusqlite::Connection;

pub(crate) use super::cell::Cell;
use super::guess::Holds;
use super::table::{COLUMNS, Shape, Stored, Survey};
use super::xls::Unfit;
use super::{LoadError, LoadedTable, Loader, Note, heading, io, ods, too_large, unpacking, unreadable, xls};
use crate::DatabaseError;
use sqlogue_base::input;

/// What is in a workbook takes several times as much as its file; the file may be so much smaller than what is in it.
const PACKED: u64 = 5;

/// The most rows of a sheet that any of the formats has.
const ROWS: usize = 1 << 20;

/// A sheet with everything that is on it.
pub(crate) struct Sheet {
    /// The name on its tab.
    pub(crate) name: String,
    /// How many empty rows there are before the first one with anything on it.
    pub(crate) first: usize,
    /// The rows from there on; a row ends at its last cell.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// The visible sheets of a workbook that have anything on them. It may unpack to `most` bytes, and its cells may take as
/// many in memory.
///
/// # Errors
/// Where the file is no workbook, or one that is too large.
pub(crate) fn sheets(path: &Path, most: u64) -> Result<Vec<Sheet>, DatabaseError> {
    input::refuse_devices(path).map_err(|error| io(path, &error))?;
    let size = fs::metadata(path).map_err(|error| io(path, &error))?.len();
    if size > most / PACKED {
        let problem =
            format!("it takes {} MB, and at most {} MB are read", size >> 20, (most / PACKED) >> 20);
        return Err(too_large(path, problem));
    }
    let is_archive = unpacking::check(path, most)?;
    let is_called = |names: &[&str]| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| names.iter().any(|known| extension.eq_ignore_ascii_case(known)))
    };
    let failed = |error: &dyn std::fmt::Display| unreadable(path, &error.to_string());
    let mut reading = Reading { path, bytes: 0, most, sheets: Vec::new() };
    if is_called(&["xlsb"]) {
        let mut workbook: Xlsb<BufReader<File>> = open_workbook(path).map_err(|error| failed(&error))?;
        for name in visible(workbook.sheets_metadata()) {
            let failed = |error: XlsbError| unreadable(path, &format!("sheet `{name}`: {error}"));
            let mut cells = workbook.worksheet_cells_reader(&name).map_err(failed)?;
            reading.sheet(&name, || Ok(cells.next_cell().map_err(failed)?.map(placed)))?;
        }
    } else if is_archive && is_called(&["ods"]) {
        ods::read(path, &mut reading)?;
    } else if is_archive || !is_called(&["xls", "ods"]) {
        let mut workbook: Xlsx<BufReader<File>> = open_workbook(path).map_err(|error| match error {
            // A workbook is an archive; what the archive lacks says nothing to people.
            XlsxError::Zip(_) => unreadable(path, "it is no Excel workbook, or damaged"),
            error => failed(&error),
        })?;
        for name in visible(workbook.sheets_metadata()) {
            let failed = |error: XlsxError| unreadable(path, &format!("sheet `{name}`: {error}"));
            let mut cells = workbook.worksheet_cells_reader(&name).map_err(failed)?;
            reading.sheet(&name, || Ok(cells.next_cell().map_err(failed)?.map(placed)))?;
        }
    } else {
        reading.old_workbook()?;
    }
    let mut sheets = reading.sheets;
    for sheet in &mut sheets {
        let first = sheet.rows.iter().position(|row| !row.is_empty()).unwrap_or(sheet.rows.len());
        sheet.rows.drain(..first);
        sheet.first = first;
    }
    sheets.retain(|sheet| !sheet.rows.is_empty());
    Ok(sheets)
}

fn visible(sheets: &[calamine::Sheet]) -> Vec<String> {
    let seen = sheets.iter().filter(|sheet| {
        sheet.visible == SheetVisible::Visible && sheet.typ == calamine::SheetType::WorkSheet
    });
    seen.map(|sheet| sheet.name.clone()).collect()
}

/// A cell with its row and column.
pub(super) type Placed = (usize, usize, Cell);

fn placed(found: calamine::Cell<DataRef<'_>>) -> Placed {
    let (row, column) = found.get_position();
    (row as usize, column as usize, cell_ref(found.get_value()))
}

/// The sheets so far, and what they take.
pub(super) struct Reading<'a> {
    path: &'a Path,
    bytes: u64,
    most: u64,
    sheets: Vec<Sheet>,
}

impl Reading<'_> {
    /// Reads a sheet cell by cell, because a single cell in a far corner makes a sheet of billions of empty ones.
    pub(super) fn sheet(
        &mut self,
        name: &str,
        mut next: impl FnMut() -> Result<Option<Placed>, DatabaseError>,
    ) -> Result<(), DatabaseError> {
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        while let Some((row, column, cell)) = next()? {
            if cell.is_blank() {
                continue;
            }
            if column >= COLUMNS || row >= ROWS {
                let problem = format!("sheet `{name}` has more than {COLUMNS} columns or {ROWS} rows");
                return Err(unreadable(self.path, &problem));
            }
            self.take((row + 1).saturating_sub(rows.len()) * size_of::<Vec<Cell>>() + cell.length())?;
            if rows.len() <= row {
                rows.resize_with(row + 1, Vec::new);
            }
            let Some(cells) = rows.get_mut(row) else { continue };
            self.take((column + 1).saturating_sub(cells.len()) * size_of::<Cell>())?;
            if cells.len() <= column {
                cells.resize(column + 1, Cell::Empty);
            }
            if let Some(place) = cells.get_mut(column) {
                *place = cell;
            }
        }
        self.sheets.push(Sheet { name: name.to_owned(), first: 0, rows });
        Ok(())
    }

    /// Reads the sheets of an `.xls` file, which come as a whole and are measured first.
    fn old_workbook(&mut self) -> Result<(), DatabaseError> {
        let damaged = || unreadable(self.path, "it is no Excel workbook, or damaged");
        let file = input::bytes(self.path, self.most).map_err(|error| io(self.path, &error))?;
        xls::check(&file, self.most).map_err(|unfit| match unfit {
            Unfit::Damaged => damaged(),
            Unfit::TooLarge => self.too_many_cells(),
        })?;
        // The reader takes some damage for impossible; that is no reason to end the program.
        let opened = catch_unwind(|| Xls::new(Cursor::new(file))).map_err(|_| damaged())?;
        let failed = |error: calamine::XlsError| unreadable(self.path, &error.to_string());
        let mut workbook = opened.map_err(failed)?;
        for name in visible(workbook.sheets_metadata()) {
            let range = workbook.worksheet_range(&name);
            let range = range.map_err(|error| unreadable(self.path, &error.to_string()))?;
            let mut rows = Vec::new();
            for row in range.rows() {
                let row = trimmed(row.iter().map(cell).collect());
                let texts: usize = row.iter().map(Cell::length).sum();
                self.take(size_of::<Vec<Cell>>() + row.len() * size_of::<Cell>() + texts)?;
                rows.push(row);
            }
            self.sheets.push(Sheet { name, first: 0, rows });
        }
        Ok(())
    }

    fn take(&mut self, bytes: usize) -> Result<(), DatabaseError> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        if self.bytes > self.most { Err(self.too_many_cells()) } else { Ok(()) }
    }

    fn too_many_cells(&self) -> DatabaseError {
        too_large(self.path, format!("its cells take more than {} MB of memory", self.most >> 20))
    }
}

fn trimmed(mut row: Vec<Cell>) -> Vec<Cell> {
    while row.last().is_some_and(Cell::is_blank) {
        row.pop();
    }
    row
}

fn cell(data: &Data) -> Cell {
    match data {
        Data::Int(number) => Cell::Number(*number as f64),
        Data::Float(number) => Cell::Number(*number),
        Data::String(text) => Cell::Text(text.clone()),
        Data::Bool(truth) => Cell::Truth(*truth),
        Data::DateTime(moment) => moment_cell(*moment),
        Data::DateTimeIso(text) => Cell::Moment(text.replacen('T', " ", 1)),
        Data::DurationIso(text) => Cell::Text(text.clone()),
        Data::Error(_) | Data::Empty => Cell::Empty,
    }
}

fn cell_ref(data: &DataRef<'_>) -> Cell {
    match data {
        DataRef::SharedString(text) => Cell::Text((*text).to_owned()),
        other => cell(&Data::from(other.clone())),
    }
}

/// A moment as Excel counts them: days since its epoch, with a fraction.
fn moment_cell(moment: calamine::ExcelDateTime) -> Cell {
    let days = moment.as_f64();
    if moment.is_duration() {
        return Cell::Number(days);
    }
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    let time = format!("{hour:02}:{minute:02}:{second:02}");
    if (0.0..1.0).contains(&days) {
        return Cell::Moment(time);
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    Cell::Moment(if days.fract() == 0.0 { date } else { format!("{date} {time}") })
}

pub(super) fn load(connection: &Connection, path: &Path, loader: &mut Loader<'_>) -> Result<(), LoadError> {
    let sheets = sheets(path, loader.limits.workbook)?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_single = sheets.len() == 1;
    for sheet in sheets {
        // A workbook with one sheet is named by its file; nobody renames the only sheet.
        let name = loader.free_name(if is_single { &stem } else { &sheet.name });
        let source = if is_single { file.clone() } else { format!("{file}, sheet {}", sheet.name) };
        loader.tell(&name, 0, 0);
        load_sheet(connection, &sheet, name, source, loader)?;
    }
    Ok(())
}

fn load_sheet(
    connection: &Connection,
    sheet: &Sheet,
    name: String,
    source: String,
    loader: &mut Loader<'_>,
) -> Result<(), LoadError> {
    let mut notes = Vec::new();
    let first: Vec<Vec<String>> = sheet
        .rows
        .iter()
        .take(heading::LOOKED_AT)
        .map(|row| row.iter().map(|cell| cell.text().into_owned()).collect())
        .collect();
    let heading::Headings { names: headings, rows: start, missing } = heading::of(&first);
    notes.extend(missing.then_some(Note::NoHeading));
    let rows = sheet.rows.iter().skip(start).filter(|row| row.iter().any(|cell| !cell.is_blank()));
    let mut rows: Vec<&[Cell]> = rows.map(Vec::as_slice).collect();
    if let Some(label) = rows.last().and_then(|row| total(row)).filter(|_| rows.len() > heading::FEW) {
        notes.push(Note::TotalRow { label });
        rows.pop();
    }
    let mut survey = Survey::new(&heading::names(&headings, headings.len()));
    for row in &rows {
        for (at, cell) in row.iter().enumerate() {
            let Some(guess) = survey.guess(at) else { continue };
            match cell {
                Cell::Empty => {}
                Cell::Text(text) => guess.text(text),
                Cell::Number(number) => guess.number_cell(*number),
                Cell::Truth(_) => guess.truth_cell(),
                Cell::Moment(text) => guess.moment_cell(text),
            }
            survey.key_value(at, &cell.text());
        }
    }
    if survey.guesses.len() > headings.len() {
        notes.push(Note::ExtraCells);
    }
    let shape = survey.shape(name, &headings, false, &mut notes);
    let mut filler = shape.create(connection)?;
    for row in &rows {
        for at in 0..shape.width() {
            let cell = row.get(at).unwrap_or(&Cell::Empty);
            let text = cell.text();
            filler.set(at, stored(&shape, at, cell, &text))?;
        }
        filler.end_row()?;
        if filler.rows % 20_000 == 0 {
            loader.tell(&shape.name, filler.rows, 0);
        }
    }
    if filler.cut > 0 {
        notes.push(Note::CutCells { count: filler.cut });
    }
    let rows = filler.rows;
    drop(filler);
    loader.tables.push(LoadedTable { name: shape.name, source, rows, notes });
    Ok(())
}

/// What a row calls itself that holds the totals of the others.
fn total(row: &[Cell]) -> Option<String> {
    let texts: Vec<_> = row.iter().map(Cell::text).collect();
    heading::total(texts.iter().map(AsRef::as_ref))
}

fn stored<'a>(shape: &Shape, at: usize, cell: &Cell, text: &'a str) -> Stored<'a> {
    match (cell, shape.holds(at)) {
        (Cell::Number(number), Holds::Whole(_)) => Stored::Whole(*number as i64),
        (Cell::Number(number), Holds::Fraction(_)) => Stored::Fraction(*number),
        // Moments have been written in one way already, whatever the texts beside them look like.
        (Cell::Moment(_), Holds::DateTime(_)) if text.len() == 10 => {
            Stored::Written(format!("{text} 00:00:00"))
        }
        (Cell::Moment(_), _) => Stored::Text(text),
        _ => shape.stored(at, text),
    }
}
