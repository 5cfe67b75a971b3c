//! Files that hold data or words of people: only their owner may read them, from the first byte on.
//!
//! What is written as a whole goes through [`replace`]; what grows while the program runs is begun with [`create`] or
//! [`ensure`]. Nothing else in this crate makes such a file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

/// How the names of files end that are not whole yet. They begin with a dot and the name that the file will have.
pub(crate) const SUFFIX: &str = ".new";

/// Replaces the content of a file, or makes the file. At every moment, after a crash too, it is the old version or the
/// new one, and afterwards only its owner may read it, whoever could read the old one.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(mut device) = device(path)? {
        return device.write_all(content);
    }
    let (mut new, path) = beside(path)?;
    new.write_all(content)?;
    // Otherwise the new name could survive a power cut, and its content not.
    new.as_file().sync_all()?;
    new.persist(&path).map_err(|error| error.error)?;
    if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
        // Not every file system can do it; without it a power cut may bring the old file back, whole.
        drop(folder.sync_all());
    }
    Ok(())
}

/// A new, empty file in place of whatever had this name, to be written while the program runs.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    match device(path)? {
        Some(device) => Ok(device),
        None => {
            let (new, path) = beside(path)?;
            new.persist(path).map_err(|error| error.error)
        }
    }
}

/// Copies a file to a new one.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    // The system's own copying would take the permissions along.
    io::copy(&mut File::open(from)?, &mut ensure(to)?).map(drop)
}

/// Opens a file, and makes an empty one where there is none. One that is there is left as it is.
pub(crate) fn ensure(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A new folder that only its owner may enter; it goes with what is in it when the value does. It is made where SQLite
/// puts its temporary files too, so that one setting (`SQLITE_TMPDIR`, `TMPDIR`) moves both.
pub(crate) fn temporary_folder() -> io::Result<TempDir> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let usual =
        if cfg!(unix) { ["/var/tmp", "/usr/tmp", "/tmp"].map(PathBuf::from).into() } else { Vec::new() };
    let mut builder = tempfile::Builder::new();
    builder.prefix("sqlogue-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let places = [set("SQLITE_TMPDIR"), set("TMPDIR")].into_iter().flatten().chain(usual);
    let made = places.filter_map(|place| builder.tempdir_in(place).ok()).next();
    made.map_or_else(|| builder.tempdir_in(std::env::temp_dir()).map_err(plain), Ok)
}

/// Takes a file away from everybody but its owner; for files that an earlier release left open to all.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// The device or pipe at this path. It has no old version, and must not be replaced by a file.
fn device(path: &Path) -> io::Result<Option<File>> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return OpenOptions::new().write(true).open(path).map(Some);
    }
    Ok(None)
}

/// A new file in the folder of `path`, where renaming is a single step, and the path that it will take.
fn beside(path: &Path) -> io::Result<(NamedTempFile, PathBuf)> {
    // A link stays a link: the file that it leads to is the one that is meant.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if path.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let name =
        path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it is no file name"))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Short enough that the whole is a name wherever the file's own is.
    let prefix = format!(".{}.", name.to_string_lossy().chars().take(40).collect::<String>());
    // `tempfile` makes files for their owner only.
    let new = tempfile::Builder::new().prefix(&prefix).suffix(SUFFIX).tempfile_in(folder);
    Ok((new.map_err(plain)?, path))
}

/// The system's own error: the name of a file that is no more helps nobody.
fn plain(error: io::Error) -> io::Error {
    let inner = error.get_ref().and_then(std::error::Error::source);
    match inner.and_then(|inner| inner.downcast_ref::<io::Error>()).and_then(io::Error::raw_os_error) {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error,
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_file_is_private_whatever_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        replace(&path, b"one").unwrap();
        assert_eq!((mode(&path), fs::read(&path).unwrap()), (0o600, b"one".to_vec()));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        replace(&path, b"two").unwrap();
        assert_eq!((mode(&path), fs::read(&path).unwrap()), (0o600, b"two".to_vec()));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        create(&path).unwrap().write_all(b"three").unwrap();
        assert_eq!((mode(&path), fs::read(&path).unwrap()), (0o600, b"three".to_vec()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn whoever_reads_the_old_version_never_sees_the_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let mut opened = File::open(&path).unwrap();
        create(&path).unwrap().write_all(b"words").unwrap();
        let mut seen = String::new();
        io::Read::read_to_string(&mut opened, &mut seen).unwrap();
        assert_eq!(seen, "old");
    }

    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("state.json"), folder.path().join("link"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        replace(Path::new("/dev/null"), b"gone").unwrap();
        create(Path::new("/dev/null")).unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        let error = replace(folder.path(), b"x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
    }

    #[test]
    fn a_file_that_is_there_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.sqlite");
        ensure(&path).unwrap();
        assert_eq!(mode(&path), 0o600);
        fs::write(&path, "kept").unwrap();
        ensure(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"kept");
    }
}
