//! The pages of a file, of which only so much is held in memory at once.
//!
//! A page says itself to how much it unpacks, room is made for that at once, and a small file can say anything. So what a page
//! says is looked at before the reader sees it.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::sync::{Mutex, PoisonError};

use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::reader::{ChunkReader, Length};
use bytes::Bytes;

/// The kind of a page that holds a column's dictionary, which stays while the others come and go.
const DICTIONARY: u64 = 2;

/// The pages take more memory than they may.
#[derive(Debug, thiserror::Error)]
#[error("the pages take more than {most} bytes")]
pub(super) struct TooMuch {
    pub(super) most: u64,
}

pub(super) struct Pages {
    file: File,
    /// Where each column of each group of rows lies, and the column's number, in the order of the file.
    chunks: Vec<Chunk>,
    most: u64,
    held: Mutex<Vec<Held>>,
}

struct Chunk {
    start: u64,
    end: u64,
    column: usize,
}

/// What a column has in memory.
#[derive(Clone, Copy, Default)]
struct Held {
    dictionary: u64,
    page: u64,
}

impl Pages {
    pub(super) fn new(file: File, metadata: &ParquetMetaData, most: u64) -> Result<Self> {
        let mut chunks = Vec::new();
        let mut width = 0;
        for group in metadata.row_groups() {
            width = width.max(group.columns().len());
            for (column, chunk) in group.columns().iter().enumerate() {
                let (start, length) = chunk.byte_range();
                chunks.push(Chunk { start, end: start.saturating_add(length), column });
            }
        }
        chunks.sort_unstable_by_key(|chunk| chunk.start);
        let overlap = chunks.iter().zip(chunks.iter().skip(1)).any(|(one, next)| one.end > next.start);
        if overlap {
            return Err(ParquetError::General("its columns lie over each other".into()));
        }
        Ok(Self { file, chunks, most, held: Mutex::new(vec![Held::default(); width]) })
    }

    /// Takes note of the page that begins with these bytes.
    fn note(&self, start: u64, header: &[u8]) -> Result<()> {
        let at = self.chunks.partition_point(|chunk| chunk.start <= start);
        let chunk = at.checked_sub(1).and_then(|at| self.chunks.get(at)).filter(|chunk| start < chunk.end);
        // What lies outside of the columns is no page.
        let Some(chunk) = chunk else { return Ok(()) };
        let mut rest = header;
        let (Some(kind), Some(size)) = (number(&mut rest), number(&mut rest)) else {
            return Err(ParquetError::General("the beginning of a page cannot be read".into()));
        };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = held.get_mut(chunk.column) {
            *held = match kind {
                DICTIONARY => Held { dictionary: size, page: 0 },
                _ => Held { page: size, ..*held },
            };
        }
        let all = held.iter().fold(0_u64, |all, held| all.saturating_add(held.dictionary + held.page));
        if all > self.most {
            return Err(ParquetError::External(Box::new(TooMuch { most: self.most })));
        }
        Ok(())
    }
}

/// One of the first fields of a page, which are all 32-bit numbers and follow each other: the page's kind, its size unpacked,
/// and its size.
fn number(header: &mut &[u8]) -> Option<u64> {
    /// A number, and the field after the one before.
    const FIELD: u8 = 0x15;
    let (first, mut rest) = header.split_first()?;
    if *first != FIELD {
        return None;
    }
    let mut number: u64 = 0;
    for shift in [0, 7, 14, 21, 28] {
        let (byte, after) = rest.split_first()?;
        rest = after;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            *header = rest;
            // The lowest bit is the sign. None of them is negative.
            return (number & 1 == 0).then_some(number >> 1);
        }
    }
    None
}

impl Length for Pages {
    fn len(&self) -> u64 {
        Length::len(&self.file)
    }
}

impl ChunkReader for Pages {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let mut reader = self.file.get_read(start)?;
        self.note(start, reader.fill_buf()?)?;
        Ok(reader)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if length as u64 > self.most {
            return Err(ParquetError::External(Box::new(TooMuch { most: self.most })));
        }
        self.file.get_bytes(start, length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_fields_of_a_page_are_read() {
        // A dictionary of 300 bytes.
        let mut header: &[u8] = &[0x15, 4, 0x15, 0xD8, 4, 0x15, 2];
        assert_eq!(number(&mut header), Some(2));
        assert_eq!(number(&mut header), Some(300));
        assert_eq!(number(&mut header), Some(1));
        assert_eq!(number(&mut header), None);
        for broken in [&[0x15][..], &[0x19, 2], &[0x15, 1], &[0x15, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0]] {
            assert_eq!(number(&mut &*broken), None, "{broken:?}");
        }
    }
}
