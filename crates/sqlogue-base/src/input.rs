//! Files that a person named: read up to a size, and only where they end.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// The content of a file of at most `most` bytes.
///
/// A pipe is read too, so that one program can hand a text to another (`--config <(…)`); a device such as `/dev/zero`
/// never ends and is refused before it is opened.
///
/// # Errors
/// What the system says, a file that is none, or one that is too long.
pub fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    refuse_devices(path).map_err(plain)?;
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(plain)?;
    // What is not there cannot be reserved; then reading says so.
    let length = file.metadata().map_or(0, |metadata| metadata.len().min(most));
    bytes.try_reserve_exact(usize::try_from(length).unwrap_or(0)).map_err(|_| ErrorKind::OutOfMemory)?;
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(ErrorKind::FileTooLarge, format!("it is larger than {}", size(most))));
    }
    Ok(bytes)
}

/// An error of the system without its number, where a person needs no more than a few words.
fn plain(error: io::Error) -> io::Error {
    let words = match error.kind() {
        ErrorKind::NotFound => "there is no such file",
        ErrorKind::PermissionDenied => "you may not read it",
        _ => return error,
    };
    io::Error::new(error.kind(), words)
}

/// The same as text.
///
/// # Errors
/// As [`bytes`], and where it is not UTF-8.
pub fn text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(bytes(path, most)?)
        .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not text in UTF-8"))
}

/// Refuses what is neither a file nor a pipe, for readers of their own.
///
/// # Errors
/// What it is instead.
pub fn refuse_devices(path: &Path) -> io::Result<()> {
    let kind = fs::metadata(path)?.file_type();
    let problem = match () {
        () if kind.is_dir() => "it is a folder",
        () if kind.is_file() || is_pipe(kind) || path == Path::new("/dev/null") => return Ok(()),
        () => "it is neither a file nor a pipe",
    };
    Err(io::Error::new(ErrorKind::InvalidInput, problem))
}

#[cfg(unix)]
fn is_pipe(kind: fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(not(unix))]
fn is_pipe(_: fs::FileType) -> bool {
    false
}

fn size(bytes: u64) -> String {
    match (bytes >> 20, bytes >> 10) {
        (0, 0) => format!("{bytes} bytes"),
        (0, kilobytes) => format!("{kilobytes} KB"),
        (megabytes, _) => format!("{megabytes} MB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ends_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "four").unwrap();
        assert_eq!(text(&file, 4).unwrap(), "four");
        assert_eq!(text(&file, 3).unwrap_err().to_string(), "it is larger than 3 bytes");
        assert_eq!(bytes(folder.path(), 9).unwrap_err().to_string(), "it is a folder");
        fs::write(&file, b"\xff").unwrap();
        assert_eq!(text(&file, 9).unwrap_err().to_string(), "it is not text in UTF-8");
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_refused_and_nothing_is_empty() {
        for device in ["/dev/zero", "/dev/random", "/dev/full"] {
            let error = bytes(Path::new(device), 100).unwrap_err();
            assert_eq!(error.to_string(), "it is neither a file nor a pipe");
        }
        assert_eq!(bytes(Path::new("/dev/null"), 9).unwrap(), b"");
    }
}
