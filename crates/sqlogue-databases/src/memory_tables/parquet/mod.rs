//! Reading Parquet: a file that says itself what its columns hold.
//!
//! The columns of a group of rows are read side by side, some rows at a time, so that memory holds a page of each and no
//! more. Nothing is surveyed but the column that may be the key. What is a list or a group itself becomes JSON as text.

mod column;
mod footer;
mod moment;
mod nested;
mod pages;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use ::parquet::basic::{Compression, Repetition};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use ::parquet::file::reader::{FileReader, RowGroupReader};
use ::parquet::file::serialized_reader::SerializedFileReader;
use ::parquet::record::reader::RowIter;
use ::parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use rusqlite::Connection;

use self::column::{Column, Meaning};
use self::footer::Unfit;
use self::pages::{Pages, TooMuch};
use super::guess::Holds;
use super::kind;
use super::table::{COLUMNS, Filler, Shape, Stored, Survey};
use super::{LoadError, LoadedTable, Loader, Note, gzip, heading, io, shown, too_large, unreadable};
use crate::DatabaseError;
use sqlogue_base::input;

/// How many rows of all columns are read at once.
const ROWS: usize = 1024;

/// What is described takes several times as much as its description.
const DESCRIBED: u64 = 16;

/// How many rows pass between two reports.
const REPORT: u64 = 20_000;

pub(super) fn load(connection: &Connection, path: &Path, loader: &mut Loader<'_>) -> Result<(), LoadError> {
    // The reader takes some damage for impossible; that is no reason to end the program.
    let read = catch_unwind(AssertUnwindSafe(|| read(connection, path, loader)));
    read.unwrap_or_else(|_| Err(unreadable(path, "it is no Parquet file, or damaged").into()))
}

fn read(connection: &Connection, path: &Path, loader: &mut Loader<'_>) -> Result<(), LoadError> {
    input::refuse_devices(path).map_err(|error| io(path, &error))?;
    let file = File::open(path).map_err(|error| io(path, &error))?;
    let before = gzip::stamp(&file);
    let told = |error: ParquetError| told(path, &error);
    let most = loader.limits.workbook / DESCRIBED;
    footer::check(&file, most).map_err(|error| io(path, &error))?.map_err(|unfit| match unfit {
        Unfit::Damaged => unreadable(path, "it is no Parquet file, or damaged"),
        Unfit::TooLarge => {
            too_large(path, format!("its columns take more than {} MB to describe", most >> 20))
        }
    })?;
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&file).map_err(told)?;
    let unpacked = check(&metadata, path, loader)?;
    loader.unpacks(before.map_or(0, |(length, _)| length), unpacked);
    let sources = sources(metadata.file_metadata().schema_descr());
    if sources.is_empty() || sources.len() > COLUMNS {
        let problem = format!("it has {} columns, and 1 to {COLUMNS} are read", sources.len());
        return Err(unreadable(path, &problem).into());
    }
    let pages = file.try_clone().map_err(|error| io(path, &error))?;
    let pages = Pages::new(pages, &metadata, loader.limits.workbook).map_err(told)?;
    let reader = SerializedFileReader::new(pages).map_err(told)?;

    let headings: Vec<String> = sources.iter().map(|source| source.name().to_owned()).collect();
    let names = heading::names(&headings, headings.len());
    let key = key(&reader, &sources, &names).map_err(told)?;
    let holds = sources.iter().map(Source::holds).collect();
    let name = loader.free_name(&kind::stem(path).unwrap_or_default());
    let shape = Shape::declared(name, names, holds, key);
    let (rows, cut) = fill(connection, path, &reader, &sources, &shape, unpacked, loader)?;
    if gzip::stamp(&file) != before {
        return Err(DatabaseError::Changing { path: shown(path) }.into());
    }
    let notes = if cut > 0 { vec![Note::CutCells { count: cut }] } else { Vec::new() };
    let source = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    loader.tables.push(LoadedTable { name: shape.name, source, rows, notes });
    Ok(())
}

/// Why a file is not read.
fn told(path: &Path, error: &ParquetError) -> DatabaseError {
    if let ParquetError::External(inner) = error
        && let Some(TooMuch { most }) = inner.downcast_ref()
    {
        let problem = format!("its pages take more than {} MB of memory at once", most >> 20);
        return too_large(path, problem);
    }
    let problem = match error {
        ParquetError::General(problem) | ParquetError::EOF(problem) | ParquetError::NYI(problem) => {
            problem.clone()
        }
        other => other.to_string(),
    };
    unreadable(path, &format!("it is no Parquet file, or damaged: {problem}"))
}

/// Checks that a file is packed in a way that can be unpacked, and to no more than may be loaded. What it says of that may be
/// wrong: each page is measured when it is read.
fn check(metadata: &ParquetMetaData, path: &Path, loader: &Loader<'_>) -> Result<u64, DatabaseError> {
    let mut unpacked: u64 = 0;
    for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
        // The reader takes for granted that no column lies before the beginning of the file.
        let places = [
            column.data_page_offset(),
            column.dictionary_page_offset().unwrap_or(0),
            column.compressed_size(),
        ];
        if places.iter().any(|place| *place < 0) {
            return Err(unreadable(path, "it is no Parquet file, or damaged"));
        }
        unpacked = unpacked.saturating_add(u64::try_from(column.uncompressed_size()).unwrap_or(u64::MAX));
        match column.compression() {
            Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) | Compression::ZSTD(_) => {
            }
            Compression::BROTLI(_) => return Err(not_unpacked(path, "Brotli")),
            Compression::LZO => return Err(not_unpacked(path, "LZO")),
            Compression::LZ4 | Compression::LZ4_RAW => return Err(not_unpacked(path, "LZ4")),
        }
    }
    let most = loader.room(0);
    if unpacked > most {
        let (unpacked, most) = (unpacked >> 20, most >> 20);
        let problem = format!("it unpacks to {unpacked} MB, and {most} MB may still be loaded");
        return Err(too_large(path, problem));
    }
    Ok(unpacked)
}

fn not_unpacked(path: &Path, how: &str) -> DatabaseError {
    unreadable(path, &format!("it is packed with {how}; write it with Snappy, gzip or Zstandard"))
}

/// Where the values of a column come from.
enum Source {
    /// A leaf of the schema, by its number.
    Flat { name: String, leaf: usize, meaning: Meaning },
    /// A list, a map or a group.
    Nested(TypePtr),
}

impl Source {
    fn name(&self) -> &str {
        match self {
            Self::Flat { name, .. } => name,
            Self::Nested(field) => field.name(),
        }
    }

    fn holds(&self) -> Holds {
        match self {
            Self::Flat { meaning, .. } => meaning.holds(),
            Self::Nested(_) => Holds::Text,
        }
    }
}

fn sources(schema: &SchemaDescriptor) -> Vec<Source> {
    let mut sources = Vec::new();
    let mut last = None;
    for (leaf, column) in schema.columns().iter().enumerate() {
        let root = schema.get_column_root_idx(leaf);
        if last.replace(root) == Some(root) {
            continue;
        }
        let field = schema.get_column_root_ptr(leaf);
        let is_repeated = field.get_basic_info().has_repetition()
            && field.get_basic_info().repetition() == Repetition::REPEATED;
        sources.push(if field.is_primitive() && !is_repeated {
            Source::Flat { name: field.name().to_owned(), leaf, meaning: Meaning::of(column) }
        } else {
            Source::Nested(field)
        });
    }
    sources
}

type Reader = SerializedFileReader<Pages>;

/// The column that is the key, if there is one.
fn key(reader: &Reader, sources: &[Source], names: &[String]) -> Result<Option<usize>, ParquetError> {
    let mut survey = Survey::new(names);
    let Some(at) = (0..names.len()).find(|at| survey.is_key(*at)) else { return Ok(None) };
    let Some(Source::Flat { leaf, meaning, .. }) = sources.get(at) else { return Ok(None) };
    if !meaning.names_rows() {
        return Ok(None);
    }
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group)?;
        let mut column = Column::open(&*group, *leaf, *meaning)?;
        loop {
            let rows = column.read(ROWS)?;
            if rows == 0 {
                break;
            }
            for _ in 0..rows {
                match column.next() {
                    Stored::Whole(number) => survey.key_value(at, &number.to_string()),
                    Stored::Text(text) => survey.key_value(at, text),
                    Stored::Written(text) => survey.key_value(at, &text),
                    _ => return Ok(None),
                }
            }
            if !survey.is_key(at) {
                return Ok(None);
            }
        }
    }
    Ok(survey.key())
}

fn fill(
    connection: &Connection,
    path: &Path,
    reader: &Reader,
    sources: &[Source],
    shape: &Shape,
    unpacked: u64,
    loader: &mut Loader<'_>,
) -> Result<(u64, u64), LoadError> {
    let told = |error: ParquetError| told(path, &error);
    let mut filler = shape.create(connection)?;
    let all = reader.metadata().file_metadata().num_rows();
    let all = u64::try_from(all).unwrap_or(0).max(1);
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(told)?;
        let mut columns = Columns::open(&*group, sources).map_err(told)?;
        let mut left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        while left > 0 {
            let rows = left.min(ROWS);
            columns.read(rows).map_err(told)?;
            for _ in 0..rows {
                columns.row(&mut filler, told)?;
            }
            left -= rows;
            if filler.rows % REPORT < rows as u64 {
                let share = u128::from(unpacked) * 2 * u128::from(filler.rows.min(all)) / u128::from(all);
                loader.tell(&shape.name, filler.rows, u64::try_from(share).unwrap_or(u64::MAX));
            }
        }
    }
    loader.tell(&shape.name, filler.rows, unpacked * 2);
    Ok((filler.rows, filler.cut))
}

/// The columns of a group of rows.
struct Columns<'g> {
    /// Those that are read by themselves; the others come row by row.
    flat: Vec<Option<Column>>,
    nested: Option<RowIter<'g>>,
}

impl<'g> Columns<'g> {
    fn open(group: &'g dyn RowGroupReader, sources: &[Source]) -> Result<Self, ParquetError> {
        let mut flat = Vec::with_capacity(sources.len());
        let mut nested = Vec::new();
        for source in sources {
            flat.push(match source {
                Source::Flat { leaf, meaning, .. } => Some(Column::open(group, *leaf, *meaning)?),
                Source::Nested(field) => {
                    nested.push(Arc::clone(field));
                    None
                }
            });
        }
        let nested = if nested.is_empty() {
            None
        } else {
            let root = group.metadata().schema_descr().root_schema().name();
            let wanted = Type::group_type_builder(root).with_fields(nested).build()?;
            Some(RowIter::from_row_group(Some(wanted), group)?)
        };
        Ok(Self { flat, nested })
    }

    /// Makes so many rows ready.
    fn read(&mut self, rows: usize) -> Result<(), ParquetError> {
        for column in self.flat.iter_mut().flatten() {
            if column.read(rows)? != rows {
                return Err(ParquetError::EOF("a column ends before its rows do".into()));
            }
        }
        Ok(())
    }

    /// Puts the next row into the table.
    fn row(
        &mut self,
        filler: &mut Filler<'_>,
        told: impl Fn(ParquetError) -> DatabaseError,
    ) -> Result<(), LoadError> {
        let fields = match &mut self.nested {
            Some(rows) => match rows.next() {
                Some(row) => row.map_err(&told)?.into_columns(),
                None => return Err(told(ParquetError::EOF("its rows end too soon".into())).into()),
            },
            None => Vec::new(),
        };
        let mut fields = fields.into_iter();
        for (at, column) in self.flat.iter_mut().enumerate() {
            match column {
                Some(column) => filler.set(at, column.next())?,
                None => {
                    let field = fields.next().and_then(|(_, field)| nested::text(&field));
                    filler.set(at, field.map_or(Stored::Null, Stored::Written))?;
                }
            }
        }
        Ok(filler.end_row()?)
    }
}

#[cfg(test)]
mod tests;
