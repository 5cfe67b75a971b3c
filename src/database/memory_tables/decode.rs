//! The text of a file, whatever it is encoded in, piece by piece.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::Path;

use super::{LoadError, Note, io as failed, unreadable};

/// How much is read of a file at once.
const PIECE: usize = 64 << 10;

/// The most bytes between two looks of whoever reads: a row is never longer, unless a quote is not closed.
const ROW: u64 = 16 << 20;

/// How a file spells its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// UTF-8, whose first bytes say so or do not.
    Utf8 {
        marked: bool,
    },
    Utf16 {
        big: bool,
    },
    Windows1252,
}

impl Encoding {
    /// Finds out by reading the file once.
    pub(super) fn of(mut file: &File, path: &Path, notes: &mut Vec<Note>) -> Result<Self, LoadError> {
        let mut start = [0; 4];
        let mut piece = vec![0; PIECE];
        file.seek(SeekFrom::Start(0)).map_err(|error| failed(path, &error))?;
        let length = fill(&mut file, &mut start).map_err(|error| failed(path, &error))?;
        match start.get(..length).unwrap_or_default() {
            [0xEF, 0xBB, 0xBF, ..] => return Ok(Self::Utf8 { marked: true }),
            [0xFF, 0xFE, ..] => return Ok(Self::Utf16 { big: false }),
            [0xFE, 0xFF, ..] => return Ok(Self::Utf16 { big: true }),
            [b'P', b'K', 3, 4] => {
                let problem = "it is a ZIP file, perhaps an Excel workbook by another name";
                return Err(unreadable(path, problem).into());
            }
            _ => {}
        }
        file.seek(SeekFrom::Start(0)).map_err(|error| failed(path, &error))?;
        // What a piece ends with may be the beginning of a character.
        let (mut kept, mut is_utf8, mut has_nul) = (0, true, false);
        while let Some(free) = piece.get_mut(kept..) {
            let read = fill(&mut file, free).map_err(|error| failed(path, &error))?;
            let bytes = piece.get(..kept + read).unwrap_or_default();
            has_nul |= bytes.contains(&0);
            let left = match str::from_utf8(bytes) {
                Ok(_) => 0,
                Err(error) if error.error_len().is_none() && read > 0 => bytes.len() - error.valid_up_to(),
                Err(_) => {
                    is_utf8 = false;
                    0
                }
            };
            if read == 0 {
                break;
            }
            let end = kept + read;
            piece.copy_within(end - left..end, 0);
            kept = left;
        }
        match (is_utf8, has_nul) {
            (true, _) => Ok(Self::Utf8 { marked: false }),
            (false, true) => Err(unreadable(path, "it is not text").into()),
            (false, false) => {
                notes.push(Note::OldEncoding);
                Ok(Self::Windows1252)
            }
        }
    }
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while let Some(free) = buffer.get_mut(length..).filter(|free| !free.is_empty()) {
        match file.read(free) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// A file as UTF-8. What was marked as UTF-8 and is not, passes as it is.
pub(super) struct Decoder<'a> {
    file: &'a File,
    encoding: Encoding,
    /// What was decoded and not read yet, and how much of it was read.
    text: Vec<u8>,
    at: usize,
    /// The first byte of a unit, or the first unit of a character, that is not whole yet.
    byte: Option<u8>,
    unit: Option<u16>,
    /// The bytes of the file so far.
    pub(super) done: u64,
    /// The bytes since somebody last looked.
    since: u64,
}

impl<'a> Decoder<'a> {
    /// Begins at the beginning of the file.
    pub(super) fn new(mut file: &'a File, encoding: Encoding) -> io::Result<Self> {
        let mark = match encoding {
            Encoding::Utf8 { marked: true } => 3,
            Encoding::Utf16 { .. } => 2,
            Encoding::Utf8 { marked: false } | Encoding::Windows1252 => 0,
        };
        file.seek(SeekFrom::Start(mark))?;
        Ok(Self { file, encoding, text: Vec::new(), at: 0, byte: None, unit: None, done: mark, since: 0 })
    }

    /// Says that a row was read.
    pub(super) fn looked(&mut self) {
        self.since = 0;
    }

    fn count(&mut self, bytes: usize) -> io::Result<()> {
        self.done += bytes as u64;
        self.since += bytes as u64;
        if self.since > ROW {
            let problem = format!("a row is longer than {} MB; perhaps a quote is not closed", ROW >> 20);
            return Err(io::Error::other(problem));
        }
        Ok(())
    }

    /// Decodes the next piece. Nothing is left to read where it stays empty.
    fn decode(&mut self) -> io::Result<()> {
        let mut piece = [0; PIECE / 4];
        self.text.clear();
        self.at = 0;
        while self.text.is_empty() {
            let read = self.file.read(&mut piece)?;
            self.count(read)?;
            let bytes = piece.get(..read).unwrap_or_default();
            if let Encoding::Utf16 { big } = self.encoding {
                self.utf16(bytes, big)?;
            } else {
                let text: String = bytes.iter().map(|byte| windows_1252(*byte)).collect();
                self.text = text.into_bytes();
            }
            if read == 0 {
                break;
            }
        }
        Ok(())
    }

    fn utf16(&mut self, bytes: &[u8], big: bool) -> io::Result<()> {
        let broken = || io::Error::new(io::ErrorKind::InvalidData, "it begins as UTF-16 but is not");
        let mut text = String::new();
        for byte in bytes {
            let Some(first) = self.byte.take() else {
                self.byte = Some(*byte);
                continue;
            };
            let unit =
                if big { u16::from_be_bytes([first, *byte]) } else { u16::from_le_bytes([first, *byte]) };
            let (one, two);
            let units: &[u16] = match self.unit.take() {
                Some(high) => {
                    two = [high, unit];
                    &two
                }
                // The first half of a character that takes two.
                None if (0xD800..0xDC00).contains(&unit) => {
                    self.unit = Some(unit);
                    continue;
                }
                None => {
                    one = [unit];
                    &one
                }
            };
            for character in char::decode_utf16(units.iter().copied()) {
                text.push(character.map_err(|_| broken())?);
            }
        }
        if bytes.is_empty() && self.unit.is_some() {
            return Err(broken());
        }
        self.text = text.into_bytes();
        Ok(())
    }
}

impl Read for Decoder<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Encoding::Utf8 { .. } = self.encoding {
            let read = self.file.read(buffer)?;
            self.count(read)?;
            return Ok(read);
        }
        if self.at >= self.text.len() {
            self.decode()?;
        }
        let read = self.text.get(self.at..).unwrap_or_default().read(buffer)?;
        self.at += read;
        Ok(read)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> Result<(Encoding, String), String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        std::fs::write(&path, bytes).unwrap();
        let file = File::open(&path).unwrap();
        let encoding = match Encoding::of(&file, &path, &mut Vec::new()) {
            Ok(encoding) => encoding,
            Err(LoadError::Ours(error)) => return Err(error.to_string()),
            Err(LoadError::Sqlite(error)) => return Err(error.to_string()),
        };
        let mut decoder = Decoder::new(&file, encoding).unwrap();
        let mut text = String::new();
        decoder.read_to_string(&mut text).map_err(|error| error.to_string())?;
        assert_eq!(decoder.done, bytes.len() as u64);
        Ok((encoding, text))
    }

    /// Longer than several pieces, so that every kind of character lies across the end of one somewhere.
    fn long() -> String {
        "a\u{e9}€😀".repeat(30_000)
    }

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = long();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (bytes, encoding) in [
            (text.clone().into_bytes(), Encoding::Utf8 { marked: false }),
            ([b"\xEF\xBB\xBF", text.as_bytes()].concat(), Encoding::Utf8 { marked: true }),
            ([b"\xFE\xFF", big.as_slice()].concat(), Encoding::Utf16 { big: true }),
            ([b"\xFF\xFE", little.as_slice()].concat(), Encoding::Utf16 { big: false }),
        ] {
            assert_eq!(decoded(&bytes).unwrap(), (encoding, text.clone()));
        }
        let old: Vec<u8> = b"K\xf6ln \x80 ".repeat(20_000);
        assert_eq!(decoded(&old).unwrap(), (Encoding::Windows1252, "Köln € ".repeat(20_000)));
        // A character that is cut off at the very end is none.
        assert_eq!(decoded(b"abc\xc3").unwrap().0, Encoding::Windows1252);
    }

    #[test]
    fn what_is_no_text_is_said() {
        assert!(decoded(b"a\0b\xff").unwrap_err().contains("it is not text"));
        assert!(decoded(b"PK\x03\x04 and so on").unwrap_err().contains("ZIP"));
        assert!(decoded(b"\xFE\xFF\xD8\x00\x00a").unwrap_err().contains("begins as UTF-16 but is not"));
        assert!(decoded(b"\xFE\xFF\xD8\x00").unwrap_err().contains("begins as UTF-16 but is not"));
        let endless = decoded(&vec![b'a'; 17 << 20]).unwrap_err();
        assert_eq!(endless, "a row is longer than 16 MB; perhaps a quote is not closed");
    }
}
