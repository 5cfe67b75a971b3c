//! Where conversations and lessons are kept, by the settings.

use std::path::PathBuf;
use std::sync::Arc;

use etcetera::BaseStrategy as _;

use super::open::refuse_half_address;
use crate::config::{Settings, StoreSafety};
use crate::database::memory_tables::TableCache;
use crate::error::Error;
use crate::lesson::{LessonFiles, LessonMemory};
use crate::store::{Keep, Safety, SqliteOptions, SqliteStore, Store};

/// The store that the settings name; none where they name none.
///
/// # Errors
/// It cannot be opened.
pub fn open_store(settings: &Settings) -> Result<Option<Arc<dyn Store>>, Error> {
    let location = settings.store.as_str();
    if location.is_empty() {
        return Ok(None);
    }
    refuse_half_address(location)?;
    let keep = if settings.keep_rows { Keep::Rows } else { Keep::Shape };
    let scheme = location.split_once("://").map(|(scheme, _)| scheme);
    match scheme {
        #[cfg(feature = "postgres")]
        Some("postgres" | "postgresql") => {
            Ok(Some(Arc::new(crate::store::PostgresStore::at(location, keep)?)))
        }
        Some(_) => Err(crate::config::ConfigError::Invalid {
            problem: "`store` is neither a file nor a `postgres://` URL".to_owned(),
        }
        .into()),
        None => {
            let safety = match settings.store_safety {
                StoreSafety::ProcessDeath => Safety::ProcessDeath,
                StoreSafety::PowerCut => Safety::PowerCut,
            };
            let options = SqliteOptions { keep, safety, ..SqliteOptions::default() };
            Ok(Some(Arc::new(SqliteStore::open(location, options)?)))
        }
    }
}

/// The file of conversations where somebody asks for one and no place is set: `sqlogue/sessions.sqlite` in the folder in
/// which this system keeps the data of programs. None where the system does not say whose home this is.
pub fn default_store() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(folders.data_dir().join("sqlogue").join("sessions.sqlite"))
}

/// Where tables made of files are kept for the next time: `sqlogue/tables` in the folder in which this system keeps what
/// programs can make anew. None where the settings switch it off, or the system does not say whose home this is.
pub(super) fn table_cache(settings: &Settings) -> Option<TableCache> {
    let most = u64::from(settings.file_cache_megabytes) << 20;
    let folders = etcetera::choose_base_strategy().ok().filter(|_| most > 0)?;
    Some(TableCache::new(folders.cache_dir().join("sqlogue").join("tables"), most))
}

/// The lessons that the settings name; none where they name none or switch them off.
pub fn open_lessons(settings: &Settings) -> Option<Arc<dyn LessonMemory>> {
    (settings.apply_memory && !settings.memory_folder.is_empty())
        .then(|| Arc::new(LessonFiles::new(&settings.memory_folder)) as Arc<dyn LessonMemory>)
}
