//! The end of a file, where its columns are described, looked at before the reader sees it.
//!
//! The reader follows groups within groups as deep as they go, and makes room for as many fields as a group says that it has.
//! A few bytes can say anything. So this walks over the description once, in the compact encoding of Thrift, and makes nothing
//! of it.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

/// The deepest group within a group.
const DEEPEST: usize = 64;

/// What the file begins and ends with.
const MARK: &[u8] = b"PAR1";

// The kinds of values.
const STOP: u8 = 0;
const NUMBERS: [u8; 3] = [4, 5, 6];
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Why a file is not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    /// It is no Parquet file, or something in its description leads nowhere.
    Damaged,
    /// The description takes more than is allowed.
    TooLarge,
}

/// Checks the description of a file's columns, which may take so many bytes.
pub(super) fn check(file: &File, most: u64) -> io::Result<Result<(), Unfit>> {
    let mut file = file;
    let length = file.metadata()?.len();
    let mut tail = [0; 8];
    // The mark, the description's length and the mark again.
    if length < 12 {
        return Ok(Err(Unfit::Damaged));
    }
    file.seek(SeekFrom::Start(length - 8))?;
    file.read_exact(&mut tail)?;
    let [one, two, three, four, mark @ ..] = tail;
    let size = u64::from(u32::from_le_bytes([one, two, three, four]));
    // Another mark says that the description is encrypted; the reader has words for that.
    if mark != MARK {
        return Ok(Ok(()));
    }
    if size > length - 12 {
        return Ok(Err(Unfit::Damaged));
    }
    if size > most {
        return Ok(Err(Unfit::TooLarge));
    }
    file.seek(SeekFrom::Start(length - 8 - size))?;
    let mut description = Vec::new();
    file.take(size).read_to_end(&mut description)?;
    Ok(Walk(&description).description().ok_or(Unfit::Damaged))
}

/// What is left of the description.
struct Walk<'a>(&'a [u8]);

impl Walk<'_> {
    /// The whole of it: its second field is the list of columns.
    fn description(&mut self) -> Option<()> {
        let mut last = 0;
        while let Some((id, kind)) = self.field(&mut last)? {
            if id == 2 && kind == LIST {
                self.columns()?;
            } else {
                self.skip(kind, 0)?;
            }
        }
        Some(())
    }

    /// Groups and columns in the order in which they lie within each other; each says how many follow that belong to it.
    fn columns(&mut self) -> Option<()> {
        let (mut left, kind) = self.list()?;
        if kind != STRUCT {
            return None;
        }
        let mut open: Vec<u64> = Vec::new();
        while left > 0 {
            left -= 1;
            let inner = self.column()?;
            if inner > left {
                return None;
            }
            if let Some(last) = open.last_mut() {
                *last -= 1;
            }
            if inner > 0 {
                open.push(inner);
            }
            while open.last() == Some(&0) {
                open.pop();
            }
            if open.len() > DEEPEST {
                return None;
            }
        }
        Some(())
    }

    /// A column or a group, and how many it says are in it.
    fn column(&mut self) -> Option<u64> {
        let (mut last, mut inner) = (0, 0);
        while let Some((id, kind)) = self.field(&mut last)? {
            if id == 5 && NUMBERS.contains(&kind) {
                let number = self.number()?;
                // The lowest bit is the sign.
                inner = if number & 1 == 0 { number >> 1 } else { return None };
            } else {
                self.skip(kind, 0)?;
            }
        }
        Some(inner)
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn bytes(&mut self, count: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// The next field's number and kind; none inside where there is no other.
    fn field(&mut self, last: &mut u64) -> Option<Option<(u64, u8)>> {
        let head = self.byte()?;
        let (step, kind) = (u64::from(head >> 4), head & 0xF);
        if kind == STOP {
            return Some(None);
        }
        *last = if step == 0 { self.number()? >> 1 } else { last.checked_add(step)? };
        Some(Some((*last, kind)))
    }

    /// The length of a list, and the kind of what is in it.
    fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let length = if head >> 4 == 15 { self.number()? } else { u64::from(head >> 4) };
        Some((length, head & 0xF))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            // The kind of a truth value is the value.
            1 | 2 => Some(()),
            3 => self.bytes(1),
            kind if NUMBERS.contains(&kind) => self.number().map(drop),
            7 => self.bytes(8),
            8 => {
                let length = self.number()?;
                self.bytes(length)
            }
            LIST | 10 => {
                let (length, kind) = self.list()?;
                (0..length).try_for_each(|_| self.element(kind, depth))
            }
            11 => {
                let length = self.number()?;
                let kinds = if length > 0 { self.byte()? } else { 0 };
                (0..length).try_for_each(|_| {
                    self.element(kinds >> 4, depth)?;
                    self.element(kinds & 0xF, depth)
                })
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip(kind, depth + 1)?;
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Something in a list, where truth values take a byte as everything does.
    fn element(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            1 | 2 => self.bytes(1),
            kind => self.skip(kind, depth + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A description of nothing but columns, of which each says how many are in it.
    fn description(counts: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x15, 2, 0x19, 0xFC];
        let length = u8::try_from(counts.len()).unwrap();
        bytes.extend([length & 0x7F | 0x80, length >> 7]);
        for count in counts {
            // The name `a` as the fourth field, and the number as the fifth.
            bytes.extend([0x48, 1, b'a', 0x15, count * 2, 0]);
        }
        bytes.push(0);
        bytes
    }

    #[test]
    fn groups_that_are_too_deep_or_say_too_much_are_found() {
        let check = |bytes: &[u8]| Walk(bytes).description().is_some();
        assert!(check(&description(&[2, 0, 1, 0])));
        assert!(check(&description(&[3, 0, 0, 0])));
        assert!(!check(&description(&[2, 0, 9, 0])));
        assert!(check(&description(&[[1; 60].as_slice(), &[0]].concat())));
        assert!(!check(&description(&[[1; 70].as_slice(), &[0]].concat())));
        let whole = description(&[2, 0, 0]);
        for end in 0..whole.len() {
            assert!(!check(&whole[..end]), "{end}");
        }
        // Structures without end.
        assert!(!check(&[0x1C; 1000]));
        // A list of many truth values takes as many bytes.
        assert!(!check(&[0x39, 0xF1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0]));
    }
}
