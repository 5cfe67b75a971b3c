//! Writing files so that they are the old or the new version at every moment.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Replaces the content of a file, or makes the file. A crash leaves the old version or the new one.
pub(super) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    // A link stays a link: the file that it leads to is the one that is meant.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        // A device or a pipe has no old version, and must not be replaced by a file.
        return OpenOptions::new().write(true).open(&path)?.write_all(content);
    }
    let (new, mut file) = beside(&path)?;
    let written = file.write_all(content).and_then(|()| file.sync_all()).and_then(|()| {
        if let Ok(metadata) = fs::metadata(&path) {
            fs::set_permissions(&new, metadata.permissions())?;
        }
        fs::rename(&new, &path)
    });
    if written.is_err() {
        // What is wrong is told by the error; a file that cannot be removed adds nothing to it.
        drop(fs::remove_file(&new));
    }
    written
}

/// A new file in the same folder: only within one file system is renaming a single step.
fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name =
        path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it is no file name"))?;
    let mut number = 0_u32;
    loop {
        let mut new = std::ffi::OsString::from(".");
        new.push(name);
        new.push(format!(".{}-{number}.new", std::process::id()));
        let new = path.with_file_name(new);
        match OpenOptions::new().write(true).create_new(true).open(&new) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 1000 => number += 1,
            opened => return Ok((new, opened?)),
        }
    }
}
