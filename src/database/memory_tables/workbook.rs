//! Reading workbooks: Excel's formats and OpenDocument.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use calamine::{
    Data, DataRef, Reader as _, SheetVisible, Sheets, Xlsx, XlsxError, open_workbook, open_workbook_auto,
};
use rusqlite::Connection;

pub(crate) use super::cell::Cell;
use super::guess::Holds;
use super::table::{COLUMNS, Shape, Stored, Survey};
use super::{LoadError, LoadedTable, Loader, Note, heading, io, unreadable};
use crate::base::input;
use crate::database::DatabaseError;

/// The largest workbook in bytes; what is in it takes several times as much.
const LARGEST: u64 = 100 << 20;

/// The most cells of one sheet.
const CELLS: usize = 30_000_000;

/// A sheet with everything that is on it.
pub(crate) struct Sheet {
    /// The name on its tab.
    pub(crate) name: String,
    /// How many empty rows there are before the first one with anything on it.
    pub(crate) first: usize,
    /// The rows from there on; a row ends at its last cell.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// The visible sheets of a workbook that have anything on them.
///
/// # Errors
/// Where the file is no workbook, or one that is too large.
pub(crate) fn sheets(path: &Path) -> Result<Vec<Sheet>, DatabaseError> {
    input::refuse_devices(path).map_err(|error| io(path, &error))?;
    let size = fs::metadata(path).map_err(|error| io(path, &error))?.len();
    if size > LARGEST {
        return Err(DatabaseError::Limit {
            what: "room for a workbook",
            limit: format!("{} MB", LARGEST >> 20),
        });
    }
    let failed = |error: &dyn std::fmt::Display| unreadable(path, &error.to_string());
    let is_xlsx = path
        .extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| ["xlsx", "xlsm"].iter().any(|known| extension.eq_ignore_ascii_case(known)));
    let mut sheets = Vec::new();
    if is_xlsx {
        // Cell by cell, because a single cell in a far corner makes a sheet of billions of empty ones.
        let mut workbook: Xlsx<BufReader<File>> = open_workbook(path).map_err(|error| match error {
            // A workbook is an archive; what the archive lacks says nothing to people.
            XlsxError::Zip(_) => unreadable(path, "it is no Excel workbook, or damaged"),
            error => failed(&error),
        })?;
        for name in visible(workbook.sheets_metadata()) {
            let rows = streamed(&mut workbook, &name, path)?;
            sheets.push(Sheet { name, first: 0, rows });
        }
    } else {
        let mut workbook: Sheets<BufReader<File>> =
            open_workbook_auto(path).map_err(|error| failed(&error))?;
        for name in visible(workbook.sheets_metadata()) {
            let range = workbook.worksheet_range(&name).map_err(|error| failed(&error))?;
            let rows = range.rows().map(|row| trimmed(row.iter().map(cell).collect())).collect();
            sheets.push(Sheet { name, first: 0, rows });
        }
    }
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

fn streamed(
    workbook: &mut Xlsx<BufReader<File>>,
    name: &str,
    path: &Path,
) -> Result<Vec<Vec<Cell>>, DatabaseError> {
    let failed = |error: XlsxError| unreadable(path, &format!("sheet `{name}`: {error}"));
    let mut reader = workbook.worksheet_cells_reader(name).map_err(failed)?;
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut count = 0_usize;
    while let Some(found) = reader.next_cell().map_err(failed)? {
        let (row, column) = found.get_position();
        let (row, column) = (row as usize, column as usize);
        let cell = cell_ref(found.get_value());
        if cell.is_blank() {
            continue;
        }
        if rows.len() <= row {
            rows.resize_with(row + 1, Vec::new);
        }
        let Some(cells) = rows.get_mut(row) else { continue };
        count += (column + 1).saturating_sub(cells.len());
        if column >= COLUMNS || count > CELLS {
            return Err(unreadable(
                path,
                &format!("sheet `{name}` has more than {COLUMNS} columns or {CELLS} cells"),
            ));
        }
        if cells.len() <= column {
            cells.resize(column + 1, Cell::Empty);
        }
        if let Some(place) = cells.get_mut(column) {
            *place = cell;
        }
    }
    Ok(rows)
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
    let sheets = sheets(path)?;
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
    let at = heading::row(&first);
    let mut headings = first.get(at).cloned().unwrap_or_default();
    let mut start = at + 1;
    if heading::is_data(&headings) {
        notes.push(Note::NoHeading);
        headings.iter_mut().for_each(String::clear);
        start = at;
    }
    let rows = || sheet.rows.iter().skip(start).filter(|row| row.iter().any(|cell| !cell.is_blank()));
    let mut survey = Survey::new(&heading::names(&headings, headings.len()));
    for row in rows() {
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
    for row in rows() {
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
