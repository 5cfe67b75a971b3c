//! Text files as they lie on the disk, or unpacked from gzip.
//!
//! A packed file is unpacked once, piece by piece, into a private file without a name: it is read several times from its
//! beginning, and unpacking takes longer than reading.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read as _, Write as _};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::kind::Kind;
use super::{LoadError, Loader, io as failed, shown, too_large, unreadable};
use crate::DatabaseError;
use sqlogue_base::{files, input};

/// How much is unpacked at once.
const PIECE: usize = 64 << 10;

/// A file whose text can be read from its beginning as often as is needed.
pub(super) fn open(path: &Path, kind: Kind, loader: &mut Loader<'_>) -> Result<File, LoadError> {
    input::refuse_devices(path).map_err(|error| failed(path, &error))?;
    let file = File::open(path).map_err(|error| failed(path, &error))?;
    if kind.packed { unpacked(&file, path, loader) } else { Ok(file) }
}

/// What tells that a file was written anew.
pub(super) fn stamp(file: &File) -> Option<(u64, Option<std::time::SystemTime>)> {
    file.metadata().map(|metadata| (metadata.len(), metadata.modified().ok())).ok()
}

fn unpacked(packed: &File, path: &Path, loader: &mut Loader<'_>) -> Result<File, LoadError> {
    let before = stamp(packed);
    let length = before.map_or(0, |(length, _)| length);
    let most = loader.room(length);
    let no_place = |error: &io::Error| unreadable(path, &format!("there is no place to unpack it: {error}"));
    let folder = files::temporary_folder().map_err(|error| no_place(&error))?;
    let mut plain = tempfile::tempfile_in(folder.path()).map_err(|error| no_place(&error))?;
    let mut reader = MultiGzDecoder::new(BufReader::with_capacity(PIECE, packed));
    let mut piece = vec![0; PIECE];
    let mut bytes = 0;
    loop {
        let read = match reader.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(damaged(path, length, &error).into()),
        };
        bytes += read as u64;
        if bytes > most {
            let problem = format!("it unpacks to more than the {} MB that may still be loaded", most >> 20);
            return Err(too_large(path, problem).into());
        }
        plain.write_all(piece.get(..read).unwrap_or_default()).map_err(|error| no_place(&error))?;
    }
    if stamp(packed) != before {
        return Err(DatabaseError::Changing { path: shown(path) }.into());
    }
    loader.unpacks(length, bytes);
    Ok(plain)
}

fn damaged(path: &Path, length: u64, error: &io::Error) -> DatabaseError {
    match error.kind() {
        _ if length == 0 => unreadable(path, "the file is empty"),
        ErrorKind::UnexpectedEof => unreadable(path, "it is packed with gzip, and its end is missing"),
        ErrorKind::InvalidInput | ErrorKind::InvalidData => {
            unreadable(path, &format!("it is not packed with gzip, or damaged: {error}"))
        }
        _ => failed(path, error),
    }
}
