//! OpenDocument spreadsheets, read cell by cell.
//!
//! A cell and a row say how often they are repeated, so that a few bytes can stand for billions of cells. What is empty
//! is stepped over, and what is not is handed on one by one to a reader that counts.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

use jiff::SignedDuration;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::QName;
use zip::ZipArchive;
use zip::read::ZipFile;

use super::cell::Cell;
use super::table::COLUMNS;
use super::workbook::{Placed, Reading};
use super::{io, unreadable};
use crate::database::DatabaseError;

/// Where the sheets stand in the archive, and where it says whether they are encrypted.
const CONTENT: &str = "content.xml";
const MANIFEST: &str = "META-INF/manifest.xml";

/// The most of the manifest that is looked at.
const LONGEST_MANIFEST: u64 = 1 << 20;

/// The most spaces that one element may stand for; a longer run is cut, for no value depends on it.
const SPACES: usize = 1_000;

type Xml<'a> = quick_xml::Reader<BufReader<ZipFile<'a, BufReader<File>>>>;

/// Reads the visible sheets.
pub(super) fn read(path: &Path, reading: &mut Reading<'_>) -> Result<(), DatabaseError> {
    let file = File::open(path).map_err(|error| io(path, &error))?;
    let damaged = || unreadable(path, "it is no spreadsheet, or damaged");
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|_| damaged())?;
    if let Ok(manifest) = archive.by_name(MANIFEST) {
        let mut text = Vec::new();
        manifest.take(LONGEST_MANIFEST).read_to_end(&mut text).map_err(|_| damaged())?;
        if String::from_utf8_lossy(&text).contains("encryption-data") {
            return Err(unreadable(path, "it is protected by a password"));
        }
    }
    let content = archive.by_name(CONTENT).map_err(|_| damaged())?;
    let mut xml = quick_xml::Reader::from_reader(BufReader::new(content));
    xml.config_mut().expand_empty_elements = true;
    sheets(&mut xml, reading).map_err(|error| match error {
        Stop::Ours(error) => error,
        Stop::Xml(error) => unreadable(path, &format!("its content is damaged: {error}")),
    })
}

/// What ends the reading.
enum Stop {
    Xml(quick_xml::Error),
    Ours(DatabaseError),
}

impl From<quick_xml::Error> for Stop {
    fn from(error: quick_xml::Error) -> Self {
        Self::Xml(error)
    }
}

fn sheets(xml: &mut Xml<'_>, reading: &mut Reading<'_>) -> Result<(), Stop> {
    let mut buffer = Vec::new();
    let mut style = None;
    let mut hidden = HashSet::new();
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer)? {
            Event::Start(element) => match element.name().as_ref() {
                "style:style" => style = attribute(&element, "style:name"),
                "style:table-properties"
                    if attribute(&element, "table:display").as_deref() == Some("false") =>
                {
                    hidden.extend(style.take());
                }
                "table:table" => {
                    let is_hidden =
                        attribute(&element, "table:style-name").is_some_and(|name| hidden.contains(&name));
                    match attribute(&element, "table:name") {
                        Some(name) if !is_hidden => sheet(xml, &name, reading)?,
                        _ => skip(xml, &element)?,
                    }
                }
                _ => {}
            },
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

fn sheet(xml: &mut Xml<'_>, name: &str, reading: &mut Reading<'_>) -> Result<(), Stop> {
    let mut rows = Rows { xml, row: 0, times: 0, cells: Vec::new(), at: 0, handed: 0 };
    // The reader knows errors of ours only, so one of the other kind waits here.
    let mut failed = None;
    reading
        .sheet(name, || {
            rows.next().or_else(|error| {
                failed = Some(error);
                Ok(None)
            })
        })
        .map_err(Stop::Ours)?;
    failed.map_or(Ok(()), |error| Err(Stop::Xml(error)))
}

/// The cells of a sheet that are not empty.
struct Rows<'x, 'a> {
    xml: &'x mut Xml<'a>,
    /// The row that is handed on, and how often it still is, this time included.
    row: usize,
    times: usize,
    cells: Vec<Repeated>,
    /// Which of the cells is next, and how often it was handed on.
    at: usize,
    handed: usize,
}

/// A cell, where it stands, and in how many columns from there on.
struct Repeated {
    column: usize,
    times: usize,
    cell: Cell,
}

impl Rows<'_, '_> {
    fn next(&mut self) -> Result<Option<Placed>, quick_xml::Error> {
        loop {
            if self.times == 0 && !self.read_row()? {
                return Ok(None);
            }
            match self.cells.get(self.at) {
                Some(found) if self.handed < found.times => {
                    let column = found.column.saturating_add(self.handed);
                    self.handed += 1;
                    return Ok(Some((self.row, column, found.cell.clone())));
                }
                Some(_) => (self.at, self.handed) = (self.at + 1, 0),
                None => {
                    // A row without cells is over at once, however often it is repeated.
                    let over = if self.cells.is_empty() { self.times } else { 1 };
                    self.row = self.row.saturating_add(over);
                    self.times -= over;
                    self.at = 0;
                }
            }
        }
    }

    /// Reads the next row. False where the sheet is over.
    fn read_row(&mut self) -> Result<bool, quick_xml::Error> {
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            match self.xml.read_event_into(&mut buffer)? {
                Event::Start(element) => match element.name().as_ref() {
                    "table:table-row" => {
                        self.times = repeats(&element, "table:number-rows-repeated");
                        (self.at, self.handed) = (0, 0);
                        self.read_cells()?;
                        return Ok(true);
                    }
                    // Drawings can hold tables of their own.
                    "table:shapes" => skip(self.xml, &element)?,
                    _ => {}
                },
                Event::End(element) if element.name() == QName("table:table") => return Ok(false),
                Event::Eof => return Ok(false),
                _ => {}
            }
        }
    }

    fn read_cells(&mut self) -> Result<(), quick_xml::Error> {
        self.cells.clear();
        let mut column = 0_usize;
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            match self.xml.read_event_into(&mut buffer)? {
                Event::Start(element) => match element.name().as_ref() {
                    "table:table-cell" | "table:covered-table-cell" => {
                        let times = repeats(&element, "table:number-columns-repeated");
                        let cell = read_cell(self.xml, &element)?;
                        // The first cell too far to the right is enough to refuse the sheet.
                        let is_over = self.cells.last().is_some_and(|last| last.column >= COLUMNS);
                        if !cell.is_blank() && !is_over {
                            self.cells.push(Repeated { column, times, cell });
                        }
                        column = column.saturating_add(times);
                    }
                    _ => skip(self.xml, &element)?,
                },
                Event::End(element) if element.name() == QName("table:table-row") => return Ok(()),
                Event::Eof => return Ok(()),
                _ => {}
            }
        }
    }
}

/// Reads a cell to its end.
fn read_cell(xml: &mut Xml<'_>, element: &BytesStart<'_>) -> Result<Cell, quick_xml::Error> {
    let value = |name| attribute(element, name);
    let is_error = value("calcext:value-type").as_deref() == Some("error");
    let cell = match value("office:value-type").as_deref() {
        _ if is_error => Some(Cell::Empty),
        Some("float" | "percentage" | "currency") => {
            value("office:value").and_then(|text| text.trim().parse().ok()).map(Cell::Number)
        }
        Some("boolean") => value("office:boolean-value").map(|text| Cell::Truth(text == "true")),
        Some("date") => value("office:date-value").map(|text| {
            let whole = text.split_once('.').map_or(text.as_str(), |(whole, _)| whole);
            Cell::Moment(whole.replacen('T', " ", 1))
        }),
        Some("time") => value("office:time-value").map(time),
        _ => value("office:string-value").map(Cell::Text),
    };
    match cell {
        Some(cell) => skip(xml, element).map(|()| cell),
        None => text(xml, element).map(Cell::Text),
    }
}

/// A time of day, or days where it is longer, as in Excel's formats.
fn time(written: String) -> Cell {
    let Ok(duration) = written.parse::<SignedDuration>() else { return Cell::Text(written) };
    match duration.as_secs() {
        seconds @ 0..86_400 => {
            let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            Cell::Moment(format!("{hour:02}:{minute:02}:{second:02}"))
        }
        _ => Cell::Number(duration.as_secs_f64() / 86_400.0),
    }
}

/// The text of a cell to its end, a line for each paragraph, without comments and drawings.
fn text(xml: &mut Xml<'_>, cell: &BytesStart<'_>) -> Result<String, quick_xml::Error> {
    let mut text = String::new();
    let mut paragraphs = 0;
    let mut inside = false;
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match xml.read_event_into(&mut buffer)? {
            Event::Start(element) => match element.name().as_ref() {
                "text:p" => {
                    if paragraphs > 0 {
                        text.push('\n');
                    }
                    paragraphs += 1;
                    inside = true;
                }
                "text:s" => text.extend(std::iter::repeat_n(' ', repeats(&element, "text:c").min(SPACES))),
                "text:tab" => text.push('\t'),
                "text:line-break" => text.push('\n'),
                "office:annotation" | "table:table" => skip(xml, &element)?,
                name if name.starts_with("draw:") => skip(xml, &element)?,
                _ => {}
            },
            Event::End(element) if element.name() == cell.name() => return Ok(text),
            Event::End(element) if element.name() == QName("text:p") => inside = false,
            Event::Text(found) if inside => text.push_str(&found.xml10_content()),
            Event::CData(found) if inside => text.push_str(&found.xml10_content()),
            Event::GeneralRef(found) if inside => match found.resolve_char_ref()? {
                Some(character) => text.push(character),
                None => text.push_str(quick_xml::escape::resolve_xml_entity(&found).unwrap_or_default()),
            },
            Event::Eof => return Ok(text),
            _ => {}
        }
    }
}

/// Reads on to the end of an element.
fn skip(xml: &mut Xml<'_>, element: &BytesStart<'_>) -> Result<(), quick_xml::Error> {
    xml.read_to_end_into(element.name(), &mut Vec::new()).map(drop)
}

/// How often something is repeated: once where nothing is said, or nothing that is a number.
fn repeats(element: &BytesStart<'_>, name: &str) -> usize {
    attribute(element, name).and_then(|times| times.parse().ok()).unwrap_or(1)
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.attributes().flatten().find(|attribute| attribute.key == QName(name))?;
    found.normalized_value(XmlVersion::Implicit1_0).ok().map(std::borrow::Cow::into_owned)
}
