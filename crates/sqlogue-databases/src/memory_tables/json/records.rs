//! The objects of a file, one after the other, as they are written.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;

use super::super::decode::{Decoder, Encoding};
use super::super::{LoadError, io as failed, kind, unreadable};
use crate::DatabaseError;

/// The most bytes of an object, as many as of a row of CSV.
const LONGEST: usize = 16 << 20;

/// How much is read at once.
const PIECE: usize = 256 << 10;

/// How the objects follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Lines,
    List,
}

pub(super) struct Records<'a> {
    reader: BufReader<Decoder<'a>>,
    path: &'a Path,
    layout: Layout,
    /// The number of the line where the next object begins.
    line: u64,
    text: Vec<u8>,
    /// Whether an object of the list was read, and whether its end was.
    begun: bool,
    ended: bool,
}

/// An object as it is written.
pub(super) struct Record<'a> {
    pub(super) text: &'a [u8],
    line: u64,
    path: &'a Path,
    is_document: bool,
}

impl Record<'_> {
    /// Why it is no row.
    pub(super) fn unfit(&self, error: &serde_json::Error) -> DatabaseError {
        // What the parser calls a line is one of this object.
        let line = self.line + (error.line() as u64).saturating_sub(1);
        let told = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let problem = told.strip_suffix(&place).unwrap_or(&told);
        let problem = if self.is_document && self.line == 1 {
            format!("it is neither a list of objects nor an object a line: {problem}")
        } else {
            format!("line {line}: {problem}")
        };
        unreadable(self.path, &problem)
    }
}

impl<'a> Records<'a> {
    pub(super) fn open(file: &'a File, encoding: Encoding, path: &'a Path) -> Result<Self, LoadError> {
        let decoder = Decoder::new(file, encoding).map_err(|error| failed(path, &error))?;
        let reader = BufReader::with_capacity(PIECE, decoder);
        let (text, layout) = (Vec::new(), Layout::Lines);
        let mut records = Self { reader, path, layout, line: 1, text, begun: false, ended: false };
        match records.skip_spaces().map_err(|error| failed(path, &error))? {
            None => return Err(unreadable(path, "the file is empty").into()),
            Some(b'[') => {
                records.reader.consume(1);
                records.layout = Layout::List;
            }
            Some(_) => {}
        }
        Ok(records)
    }

    /// The bytes of the file so far.
    pub(super) fn done(&self) -> u64 {
        self.reader.get_ref().done
    }

    /// True for a file that by its name is one value, and is none but an object a line.
    pub(super) fn is_document(&self) -> bool {
        self.layout == Layout::Lines && kind::is_called(self.path, "json")
    }

    /// The next object.
    pub(super) fn next(&mut self) -> Result<Option<Record<'_>>, LoadError> {
        let is_document = self.is_document();
        match self.advance() {
            Ok(None) => Ok(None),
            Ok(Some(line)) => Ok(Some(Record { text: &self.text, line, path: self.path, is_document })),
            Err(error) => Err(failed(self.path, &error).into()),
        }
    }

    /// Reads the next object, and says on which line it begins.
    fn advance(&mut self) -> io::Result<Option<u64>> {
        let first = self.skip_spaces()?;
        let line = self.line;
        self.text.clear();
        match (self.layout, first) {
            (Layout::Lines, None) => return Ok(None),
            (Layout::Lines, Some(_)) => self.read_line()?,
            (Layout::List, None) if self.ended => return Ok(None),
            (Layout::List, Some(_)) if self.ended => {
                return Err(io::Error::other(format!("line {line}: something follows the end of its list")));
            }
            (Layout::List, Some(b']')) if !self.begun => {
                self.reader.consume(1);
                self.ended = true;
                return self.advance();
            }
            (Layout::List, _) => {
                self.read_element()?;
                if self.text.is_empty() {
                    let problem = format!("line {line}: nothing stands behind a comma of its list");
                    return Err(io::Error::other(problem));
                }
            }
        }
        Ok(Some(line))
    }

    /// Goes on to the next byte that is no space, and shows it.
    fn skip_spaces(&mut self) -> io::Result<Option<u8>> {
        loop {
            self.reader.get_mut().looked();
            let piece = self.reader.fill_buf()?;
            if piece.is_empty() {
                return Ok(None);
            }
            let spaces = piece.iter().take_while(|byte| byte.is_ascii_whitespace());
            let (mut count, mut lines) = (0, 0);
            for space in spaces {
                count += 1;
                lines += u64::from(*space == b'\n');
            }
            let found = piece.get(count).copied();
            self.line += lines;
            self.reader.consume(count);
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    fn read_line(&mut self) -> io::Result<()> {
        loop {
            self.reader.get_mut().looked();
            let read = self.reader.by_ref().take(PIECE as u64).read_until(b'\n', &mut self.text)?;
            self.check_length()?;
            if self.text.last() == Some(&b'\n') {
                self.line += 1;
                return Ok(());
            }
            if read == 0 {
                return Ok(());
            }
        }
    }

    /// Reads up to the comma behind an object of the list, or up to the end of the list.
    fn read_element(&mut self) -> io::Result<()> {
        self.begun = true;
        let mut scan = Scan::default();
        loop {
            self.reader.get_mut().looked();
            let piece = self.reader.fill_buf()?;
            if piece.is_empty() {
                return Err(io::Error::other(format!(
                    "line {}: its list has no end",
                    self.line + scan.lines
                )));
            }
            let end = scan.end(piece);
            let length = end.unwrap_or(piece.len());
            self.text.extend_from_slice(piece.get(..length).unwrap_or_default());
            self.ended = end.is_some_and(|end| piece.get(end) == Some(&b']'));
            self.reader.consume(length + usize::from(end.is_some()));
            self.check_length()?;
            if end.is_some() {
                self.line += scan.lines;
                return Ok(());
            }
        }
    }

    fn check_length(&self) -> io::Result<()> {
        if self.text.len() <= LONGEST {
            return Ok(());
        }
        let problem = format!("line {}: an object takes more than {} MB", self.line, LONGEST >> 20);
        Err(io::Error::other(problem))
    }
}

/// Where in an object of a list one is.
#[derive(Default)]
struct Scan {
    depth: usize,
    in_text: bool,
    escaped: bool,
    lines: u64,
}

impl Scan {
    /// Where the comma or the bracket behind the object is, if it is in this piece. Whether what stands before is an object
    /// at all is the parser's to say.
    fn end(&mut self, piece: &[u8]) -> Option<usize> {
        for (at, byte) in piece.iter().enumerate() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_text => self.escaped = true,
                b'"' => self.in_text = !self.in_text,
                b'\n' => self.lines += 1,
                _ if self.in_text => {}
                b'{' | b'[' => self.depth += 1,
                b',' | b']' if self.depth == 0 => return Some(at),
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        None
    }
}
