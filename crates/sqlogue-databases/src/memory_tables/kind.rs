//! Which files are read, by their names, and what tables made of them are called.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::{io, unreadable};
use crate::DatabaseError;

/// What a file is by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Kind {
    pub(super) form: Form,
    /// Whether it is packed with gzip.
    pub(super) packed: bool,
}

/// How a file writes its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    Text,
    Json,
    Parquet,
    Workbook,
}

pub(super) fn kind(path: &Path) -> Option<Kind> {
    let packed = is_packed(path);
    let extension = inner(path).extension()?.to_str()?.to_ascii_lowercase();
    let form = match extension.as_str() {
        "csv" | "tsv" | "tab" => Form::Text,
        "jsonl" | "ndjson" | "json" => Form::Json,
        "parquet" => Form::Parquet,
        "xlsx" | "xlsm" | "xlsb" | "xls" | "ods" => Form::Workbook,
        _ => return None,
    };
    // Workbooks and Parquet files are packed in themselves.
    (!packed || matches!(form, Form::Text | Form::Json)).then_some(Kind { form, packed })
}

/// True where the file's name ends with one of these, whatever it is packed with.
pub(super) fn is_called(path: &Path, extension: &str) -> bool {
    inner(path).extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// A file's name without what says how it is written and packed.
pub(super) fn stem(path: &Path) -> Option<String> {
    inner(path).file_stem().map(|stem| stem.to_string_lossy().into_owned())
}

fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
}

/// The path without the `.gz` that it may end with.
fn inner(path: &Path) -> &Path {
    if is_packed(path) { path.file_stem().map_or(path, Path::new) } else { path }
}

/// The files that a path stands for: itself, or those in the folder that it is.
pub(super) fn files(path: &Path) -> Result<Vec<(PathBuf, Kind)>, DatabaseError> {
    if !path.is_dir() {
        let kind = kind(path).ok_or_else(|| {
            unreadable(path, "it is neither CSV nor JSON, nor a Parquet file or an Excel workbook")
        })?;
        fs::metadata(path).map_err(|error| io(path, &error))?;
        return Ok(vec![(path.to_owned(), kind)]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(|error| io(path, &error))? {
        let file = entry.map_err(|error| io(path, &error))?.path();
        // Excel and editors leave hidden files beside those they have open.
        let is_hidden = file.file_name().is_none_or(|name| {
            name.as_encoded_bytes().starts_with(b".") || name.as_encoded_bytes().starts_with(b"~$")
        });
        if let Some(kind) = kind(&file)
            && !is_hidden
            && file.is_file()
            && (!is_called(&file, "json") || begins_as_rows(&file, kind))
        {
            files.push((file, kind));
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(unreadable(path, "there is no CSV, JSON, Parquet or Excel file in the folder"));
    }
    Ok(files)
}

/// True where a `.json` file begins as a list of objects. Settings and descriptions often lie beside data and end the
/// same; nobody meant them as tables.
fn begins_as_rows(path: &Path, kind: Kind) -> bool {
    /// Nobody writes more spaces before the first sign.
    const START: u64 = 4096;
    let Ok(file) = File::open(path) else { return true };
    let mut start = Vec::new();
    // What cannot be read here cannot be read later, and is told then.
    let read = if kind.packed {
        MultiGzDecoder::new(std::io::BufReader::new(file)).take(START).read_to_end(&mut start)
    } else {
        file.take(START).read_to_end(&mut start)
    };
    // Every second byte of a text in UTF-16 is zero, and a mark may stand before it.
    let mut signs = start
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace() && !matches!(byte, 0 | 0xEF | 0xBB | 0xBF | 0xFE | 0xFF));
    read.is_err() || (signs.next() == Some(&b'[') && signs.next() == Some(&b'{'))
}
