//! Tables made of files, kept for the next time that the same files are opened.
//!
//! What is kept is the private SQLite file that loading made, beside a note of what it was made of: the path, size, times and
//! number (inode) of each file, the limits, and this very program. Only where all of it is the same is the copy used. A file
//! that changes within the grain of the clock of its file system could be taken for unchanged, so one that is younger than
//! [`SETTLED`] is neither kept nor looked up. Elsewhere than on Unix files have no number, and nothing is kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{LoadLimits, Loaded, LoadedTable};
use crate::SqliteDatabase;
use crate::sqlite::remembered::values_of;
use sqlogue_base::files;

/// How old a file has to be: the grain of the coarsest clock in use (FAT) is two seconds.
const SETTLED: Duration = Duration::from_secs(2);

/// Less than this is read anew in no time, and not kept.
const WORTH_IT: u64 = 1 << 20;

/// What nobody has used for so long goes, and what a process that died has left goes with it.
const FORGOTTEN: Duration = Duration::from_secs(30 * 24 * 3600);

/// What a process that is gone did not finish is that old.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Raised when the same files are loaded into other tables.
const FORM: u32 = 1;

/// A folder in which tables made of files are kept for the next time.
///
/// Only its owner may enter it, and every file in it is its owner's alone. What goes wrong with it costs time and no answer:
/// the files are read anew then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableCache {
    folder: PathBuf,
    most: u64,
}

/// What tables were made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Origin {
    form: u32,
    version: String,
    program: Stamp,
    limits: (u64, u64),
    /// The path that was given: it names the database.
    given: PathBuf,
    files: Vec<(PathBuf, Stamp)>,
}

/// What tells a file from what it was before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    size: u64,
    /// When its content was changed, in seconds and nanoseconds.
    modified: (i64, i64),
    /// When anything about it was changed; nobody can set it back.
    changed: (i64, i64),
    device: u64,
    inode: u64,
}

/// The note beside a kept file.
#[derive(Serialize, Deserialize)]
struct Entry {
    origin: Origin,
    /// The name of the file.
    data: String,
    tables: Vec<LoadedTable>,
}

/// A copy that nobody can find yet; it goes with the value.
pub(super) struct Staged {
    path: PathBuf,
    name: String,
}

impl Drop for Staged {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.path));
    }
}

impl Stamp {
    #[cfg(unix)]
    fn of(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let data = fs::metadata(path)?;
        Ok(Self {
            size: data.size(),
            modified: (data.mtime(), data.mtime_nsec()),
            changed: (data.ctime(), data.ctime_nsec()),
            device: data.dev(),
            inode: data.ino(),
        })
    }

    #[cfg(not(unix))]
    fn of(_: &Path) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// True where the last change was long enough ago that the next one will have another time. A time to come is none.
    fn is_settled(&self, now: SystemTime) -> bool {
        let (seconds, nanoseconds) = self.modified.max(self.changed);
        let since_epoch = u64::try_from(seconds).ok().zip(u32::try_from(nanoseconds).ok());
        let last = since_epoch.map(|(seconds, rest)| SystemTime::UNIX_EPOCH + Duration::new(seconds, rest));
        last.and_then(|last| now.duration_since(last).ok()).is_some_and(|age| age > SETTLED)
    }
}

impl Origin {
    /// What the files are now; none where they are too small or too young, or where the system does not say.
    pub(super) fn of<'a>(
        given: &Path,
        files: impl IntoIterator<Item = &'a Path>,
        limits: LoadLimits,
    ) -> Option<Self> {
        let now = SystemTime::now();
        let stamped = |file: &Path| -> io::Result<(PathBuf, Stamp)> {
            let file = fs::canonicalize(file)?;
            Stamp::of(&file).map(|stamp| (file, stamp))
        };
        let files = files.into_iter().map(stamped).collect::<io::Result<Vec<_>>>().ok()?;
        let size: u64 = files.iter().map(|(_, stamp)| stamp.size).sum();
        let is_settled = files.iter().all(|(_, stamp)| stamp.is_settled(now));
        (is_settled && size >= WORTH_IT).then_some(())?;
        Some(Self {
            form: FORM,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            program: Stamp::of(&std::env::current_exe().ok()?).ok()?,
            limits: (limits.files, limits.workbook),
            given: std::path::absolute(given).ok()?,
            files,
        })
    }

    /// The name of its note: the same for the same path, so that a file that changed replaces what was kept of it.
    fn name(&self) -> String {
        // FNV-1a. Two paths that share a name only drive each other out.
        let hash =
            self.given.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
            });
        format!("{hash:016x}")
    }
}

impl TableCache {
    /// A cache in this folder, which is made when it is needed, of at most so many bytes.
    pub fn new(folder: impl Into<PathBuf>, most: u64) -> Self {
        Self { folder: folder.into(), most }
    }

    /// The tables that were made of these very files.
    pub(super) fn find(&self, origin: &Origin, name: &str) -> Option<Loaded> {
        private(&self.folder).ok()?;
        let note = self.note(origin);
        let entry: Entry = serde_json::from_slice(&fs::read(&note).ok()?).ok()?;
        if entry.origin != *origin || !is_name(&entry.data) {
            return None;
        }
        let database = SqliteDatabase::kept(&self.folder.join(&entry.data), name);
        match database {
            Ok(database) => {
                // What was used last goes last.
                drop(fs::File::open(&note).and_then(|note| note.set_modified(SystemTime::now())));
                tracing::debug!(database = name, "tables were kept from the last time");
                Some(Loaded::new(database, entry.tables))
            }
            Err(error) => {
                tracing::warn!(database = name, %error, "kept tables cannot be used; the files are read anew");
                drop(fs::remove_file(note));
                None
            }
        }
    }

    /// Copies tables that were just made, where they fit.
    pub(super) fn stage(&self, made: &Path) -> io::Result<Staged> {
        let size = fs::metadata(made)?.len();
        if size > self.most {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than the cache"));
        }
        private(&self.folder)?;
        self.make_room(size);
        let name = format!("{}.sqlite", Uuid::new_v4().simple());
        let staged = Staged { path: self.folder.join(&name), name };
        files::copy(made, &staged.path)?;
        // Otherwise the note could survive a power cut, and the tables not.
        fs::File::open(&staged.path)?.sync_all()?;
        Ok(staged)
    }

    /// Makes a copy findable.
    pub(super) fn keep(
        &self,
        staged: Staged,
        origin: Origin,
        tables: Vec<LoadedTable>,
    ) -> io::Result<PathBuf> {
        let note = self.note(&origin);
        let before = fs::read(&note).ok().and_then(|note| serde_json::from_slice::<Entry>(&note).ok());
        let entry = Entry { origin, data: staged.name.clone(), tables };
        files::replace(&note, &serde_json::to_vec(&entry)?)?;
        // Now it is found, so it stays.
        let kept = staged.path.clone();
        std::mem::forget(staged);
        if let Some(before) = before.filter(|before| is_name(&before.data)) {
            remove(&self.folder.join(before.data));
        }
        Ok(kept)
    }

    fn note(&self, origin: &Origin) -> PathBuf {
        self.folder.join(origin.name()).with_extension("json")
    }

    /// Removes what was used longest ago until `size` more bytes fit, and what nobody will ever use.
    fn make_room(&self, size: u64) {
        let now = SystemTime::now();
        let age = |path: &Path| {
            let modified = fs::metadata(path).and_then(|data| data.modified());
            modified.ok().and_then(|modified| now.duration_since(modified).ok()).unwrap_or_default()
        };
        let listed = fs::read_dir(&self.folder).into_iter().flatten().filter_map(Result::ok);
        let (notes, others): (Vec<PathBuf>, Vec<PathBuf>) = listed
            .map(|entry| entry.path())
            .partition(|path| path.extension().is_some_and(|extension| extension == "json"));
        let mut kept: Vec<(Duration, PathBuf, PathBuf, u64)> = Vec::new();
        for note in notes {
            let entry = fs::read(&note).ok().and_then(|note| serde_json::from_slice::<Entry>(&note).ok());
            let Some(entry) = entry.filter(|entry| is_name(&entry.data)) else {
                drop(fs::remove_file(note));
                continue;
            };
            let data = self.folder.join(entry.data);
            let size = [data.as_path(), &values_of(&data)]
                .map(|file| fs::metadata(file).map_or(0, |data| data.len()))
                .iter()
                .sum();
            kept.push((age(&note), note, data, size));
        }
        for other in others {
            let is_kept = |data: &Path| data == other || values_of(data) == other;
            if age(&other) > ABANDONED && !kept.iter().any(|(_, _, data, _)| is_kept(data)) {
                drop(fs::remove_file(other));
            }
        }
        kept.sort();
        let mut taken = size;
        for (age, note, data, size) in kept {
            taken = taken.saturating_add(size);
            if taken > self.most || age > FORGOTTEN {
                drop(fs::remove_file(note));
                remove(&data);
            }
        }
    }
}

/// Removes a kept file with what was found out about it.
fn remove(data: &Path) {
    drop(fs::remove_file(data));
    drop(fs::remove_file(values_of(data)));
}

/// True for a name that [`TableCache::stage`] gives; a note that was tampered with must not lead elsewhere.
fn is_name(name: &str) -> bool {
    let stem = name.strip_suffix(".sqlite").unwrap_or_default();
    !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Sees to it that the folder is there and only its owner may enter it; somebody else's is refused.
fn private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if fs::symlink_metadata(folder)?.permissions().mode() & 0o777 != 0o700 {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs::FileTimes;
    use std::os::unix::fs::PermissionsExt as _;

    use super::super::{LoadLimits, load_cached};
    use super::*;

    /// A file of values that is large enough to be kept.
    fn write(path: &Path, rows: usize) {
        let mut text = "city,amount\n".to_owned();
        (0..rows).for_each(|row| text += &format!("a city with a name that is long number {row},{row}\n"));
        fs::write(path, text).unwrap();
    }

    /// Waits until a file that was just written counts as settled.
    fn settle() {
        std::thread::sleep(SETTLED + Duration::from_millis(100));
    }

    fn load(path: &Path, cache: &TableCache) -> (u64, bool) {
        let mut was_read = false;
        let limits = LoadLimits::default();
        let loaded = load_cached(path, limits, Some(cache), &mut |_| was_read = true).unwrap();
        (loaded.tables[0].rows, was_read)
    }

    fn kept(cache: &TableCache) -> usize {
        fs::read_dir(&cache.folder).map_or(0, |entries| {
            entries.filter(|entry| entry.as_ref().unwrap().path().extension().unwrap() == "sqlite").count()
        })
    }

    #[test]
    fn an_unchanged_file_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let cache = TableCache::new(folder.path().join("cache"), 1 << 30);
        let path = folder.path().join("sales.csv");
        write(&path, 30_000);
        // Too young to be told from what it may be changed into.
        assert_eq!((load(&path, &cache), kept(&cache)), ((30_000, true), 0));
        settle();
        assert_eq!((load(&path, &cache), kept(&cache)), ((30_000, true), 1));
        assert_eq!(load(&path, &cache), (30_000, false));
        for entry in fs::read_dir(&cache.folder).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                0o600,
                "{}",
                path.display()
            );
        }
        assert_eq!(fs::metadata(&cache.folder).unwrap().permissions().mode() & 0o777, 0o700);

        // The same size and the same time of change, as some programs that copy files make them.
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        let text = fs::read_to_string(&path).unwrap().replace("number 1,", "number X,");
        fs::write(&path, text).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_times(FileTimes::new().set_modified(modified)).unwrap();
        assert_eq!(load(&path, &cache), (30_000, true));
        write(&path, 31_000);
        settle();
        assert_eq!(load(&path, &cache), (31_000, true));
        assert_eq!((load(&path, &cache), kept(&cache)), ((31_000, false), 1));

        // What is damaged is dropped, and a cache that cannot be used costs nothing but time.
        let data = fs::read_dir(&cache.folder).unwrap().map(|entry| entry.unwrap().path());
        let data = data.into_iter().find(|path| path.extension().unwrap() == "sqlite").unwrap();
        fs::write(&data, "no database").unwrap();
        assert_eq!(load(&path, &cache), (31_000, true));
        let nowhere = TableCache::new("/dev/null/cache", 1 << 30);
        assert_eq!(load(&path, &nowhere), (31_000, true));
    }

    #[tokio::test]
    async fn values_are_found_once() {
        use crate::{ColumnValues, Database as _, ValueLimits};
        let folder = tempfile::tempdir().unwrap();
        let cache = TableCache::new(folder.path().join("cache"), 1 << 30);
        let path = folder.path().join("sales.csv");
        let values = async || -> Vec<ColumnValues> {
            let loaded = load_cached(&path, LoadLimits::default(), Some(&cache), &mut |_| {}).unwrap();
            let schema = loaded.database.introspect().await.unwrap();
            assert_eq!(schema.tables[0].row_count, Some(loaded.tables[0].rows));
            loaded.database.text_values(&schema, &ValueLimits::default()).await.unwrap()
        };
        let beside = || -> PathBuf {
            let files = fs::read_dir(&cache.folder).unwrap().map(|entry| entry.unwrap().path());
            let mut files = files.filter(|path| path.extension().unwrap() == "values");
            let found = files.next().unwrap();
            assert_eq!(
                (files.next(), fs::metadata(&found).unwrap().permissions().mode() & 0o777),
                (None, 0o600)
            );
            found
        };
        write(&path, 30_000);
        settle();
        let first = values().await;
        assert!(first[0].values.contains(&"a city with a name that is long number 1".to_owned()));
        // The next who opens the file takes what is there, unless it is no answer to what is asked.
        let kept = fs::read_to_string(beside()).unwrap();
        fs::write(beside(), kept.replace("number 1\"", "number X\"")).unwrap();
        assert!(values().await[0].values.contains(&"a city with a name that is long number X".to_owned()));
        for other in [kept.replace("\"per_column\":5000", "\"per_column\":1"), "damaged".to_owned()] {
            fs::write(beside(), other).unwrap();
            assert_eq!(values().await, first);
            assert_eq!(fs::read_to_string(beside()).unwrap(), kept);
        }
        // It goes with the tables that it was found in.
        write(&path, 31_000);
        settle();
        let before = beside();
        assert_ne!(values().await, Vec::new());
        assert_ne!(beside(), before);
    }

    #[test]
    fn the_oldest_make_room() {
        let folder = tempfile::tempdir().unwrap();
        let cache = TableCache::new(folder.path().join("cache"), 6 << 20);
        let paths = ["a.csv", "b.csv", "c.csv"].map(|name| folder.path().join(name));
        paths.iter().for_each(|path| write(path, 40_000));
        settle();
        for path in &paths {
            assert_eq!(load(path, &cache), (40_000, true));
            // The times of their notes differ.
            std::thread::sleep(Duration::from_millis(20));
        }
        let size: u64 =
            fs::read_dir(&cache.folder).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
        assert!(size <= (6 << 20) + 10_000 && kept(&cache) >= 1, "{size} bytes, {} kept", kept(&cache));
        assert_eq!(load(&paths[2], &cache), (40_000, false));
        assert_eq!(load(&paths[0], &cache), (40_000, true));
        let tiny = TableCache::new(folder.path().join("tiny"), 1000);
        assert_eq!((load(&paths[0], &tiny), kept(&tiny)), ((40_000, true), 0));
    }
}
