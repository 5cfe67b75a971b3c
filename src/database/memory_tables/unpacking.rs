//! What a workbook unpacks to, measured before anything is made of it.
//!
//! Most workbooks are ZIP archives, and a small archive can unpack to any size. What an archive says of its sizes may be
//! wrong, so it is unpacked once for nothing but to count.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use zip::ZipArchive;

use super::{io, too_large, unreadable};
use crate::database::DatabaseError;

/// The most bytes that all parts of a workbook may unpack to.
const MOST: u64 = 512 << 20;

/// The most parts of a workbook.
const PARTS: usize = 20_000;

/// A count of texts stands before them in the part that holds the texts of all cells; room is made for that many.
const COUNT: &[u8] = b"uniqueCount";

/// How the name of that part ends.
const TEXTS: &[u8] = b"sharedstrings.xml";

/// Checks that a file unpacks to what can be read. True where it is an archive at all.
pub(super) fn check(path: &Path) -> Result<bool, DatabaseError> {
    let mut file = File::open(path).map_err(|error| io(path, &error))?;
    let mut start = [0; 4];
    let is_archive = file.read_exact(&mut start).is_ok() && start == *b"PK\x03\x04";
    if !is_archive {
        return Ok(false);
    }
    let damaged = || unreadable(path, "it is no Excel workbook, or damaged");
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|_| damaged())?;
    if archive.len() > PARTS {
        return Err(too_large(path, format!("it has {} parts, and at most {PARTS} are read", archive.len())));
    }
    let much = |bytes: u128| {
        let problem =
            format!("it unpacks to {} MB or more, and at most {} MB are read", bytes >> 20, MOST >> 20);
        too_large(path, problem)
    };
    match archive.decompressed_size() {
        Some(declared) if declared > u128::from(MOST) => return Err(much(declared)),
        _ => {}
    }
    let mut left = MOST;
    for part in 0..archive.len() {
        let part = archive.by_index(part).map_err(|_| damaged())?;
        let has_texts = part.name_raw().to_ascii_lowercase().ends_with(TEXTS);
        let mut counted = Counted { has_texts, bytes: 0, announced: None };
        let mut part = part.take(left + 1);
        counted.read(&mut part).map_err(|error| unreadable(path, &error.to_string()))?;
        left = left.checked_sub(counted.bytes).ok_or_else(|| much(u128::from(MOST)))?;
        // The shortest text is `<si/>`, or a record of as many bytes.
        if counted.announced.is_some_and(|texts| texts > counted.bytes / 4) {
            return Err(unreadable(path, "it says that it holds more texts than it has room for"));
        }
    }
    Ok(true)
}

/// What was seen of one part.
struct Counted {
    has_texts: bool,
    bytes: u64,
    /// The greatest number that it says it holds.
    announced: Option<u64>,
}

impl Counted {
    fn read(&mut self, part: &mut impl Read) -> std::io::Result<()> {
        /// So much of a piece is looked at again with the next one, for what lies across its end.
        const AGAIN: usize = 64;
        let mut piece = vec![0; 64 << 10];
        let mut kept = 0;
        loop {
            let read = match piece.get_mut(kept..) {
                Some(free) => part.read(free)?,
                None => 0,
            };
            if read == 0 {
                return Ok(());
            }
            self.bytes += read as u64;
            let end = kept + read;
            if self.has_texts {
                self.look(piece.get(..end).unwrap_or_default());
            }
            kept = end.min(AGAIN);
            piece.copy_within(end - kept..end, 0);
        }
    }

    /// Takes note of the numbers that are announced in a piece of text.
    fn look(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some(at) = rest.windows(COUNT.len()).position(|window| window == COUNT) {
            rest = rest.get(at + COUNT.len()..).unwrap_or_default();
            let is_sign =
                |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'=' | b'"' | b'\'' | b'+');
            let signs = rest.iter().take_while(is_sign).count();
            let digits = rest.iter().skip(signs).take_while(|byte| byte.is_ascii_digit());
            let number = digits.fold(0_u64, |number, digit| {
                number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
            });
            self.announced = self.announced.max(Some(number));
        }
    }
}
