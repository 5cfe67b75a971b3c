//! What sorting writes to temporary files.
//!
//! SQLite sorts what does not fit into a few megabytes in temporary files: made for their owner only, without a name, in
//! the folder that `SQLITE_TMPDIR` or `TMPDIR` names, or in `/var/tmp`. It has no limit for them, so they are measured.

use std::fs::{self, Metadata};
use std::io::Write as _;
use std::sync::OnceLock;
use std::time::Duration;

use crate::files;

/// The most bytes of temporary files that a query may write; queries that run at the same time share it.
pub(super) const MOST: u64 = 1 << 30;

/// How often they are measured. A disk writes some ten megabytes meanwhile.
pub(super) const STEP: Duration = Duration::from_millis(20);

/// The files that this process has open, where the system lists them.
const OPEN: &str = "/dev/fd";

/// True where sorting can use files: there is a place for them, and their size can be seen.
pub(super) fn is_possible() -> bool {
    static POSSIBLE: OnceLock<bool> = OnceLock::new();
    *POSSIBLE.get_or_init(|| {
        let seen = || {
            let folder = files::temporary_folder().ok()?;
            let before = size();
            let mut file = tempfile::tempfile_in(folder.path()).ok()?;
            file.write_all(&[0; SEEN as usize]).ok()?;
            Some(size() >= before + SEEN)
        };
        seen().unwrap_or(false)
    })
}

/// So many bytes are written to see that they can be seen.
const SEEN: u64 = 4096;

/// The bytes of all open files of this process that have no name, as temporary files have none.
pub(super) fn size() -> u64 {
    let Ok(entries) = fs::read_dir(OPEN) else { return 0 };
    // An entry is a link or the file itself, as the system has it; both lead to the file.
    let open = entries.flatten().filter_map(|entry| fs::metadata(entry.path()).ok());
    open.filter(is_nameless).map(|metadata| metadata.len()).sum()
}

#[cfg(unix)]
fn is_nameless(metadata: &Metadata) -> bool {
    metadata.is_file() && std::os::unix::fs::MetadataExt::nlink(metadata) == 0
}

#[cfg(not(unix))]
fn is_nameless(_: &Metadata) -> bool {
    false
}
