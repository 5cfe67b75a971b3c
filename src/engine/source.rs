//! What an engine is told of its database.

use std::sync::Arc;

use crate::database::{Database, SqliteDatabase};

/// A database by its path or URL, or one that is open already.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum DatabaseSource {
    /// A path, a URL, or a name in the settings.
    Url(String),
    /// A database that is open.
    Open(Arc<dyn Database>),
}

impl From<&str> for DatabaseSource {
    fn from(url: &str) -> Self {
        Self::Url(url.to_owned())
    }
}

impl From<String> for DatabaseSource {
    fn from(url: String) -> Self {
        Self::Url(url)
    }
}

impl From<Arc<dyn Database>> for DatabaseSource {
    fn from(database: Arc<dyn Database>) -> Self {
        Self::Open(database)
    }
}

impl<D: Database + 'static> From<Arc<D>> for DatabaseSource {
    fn from(database: Arc<D>) -> Self {
        Self::Open(database)
    }
}

impl From<SqliteDatabase> for DatabaseSource {
    fn from(database: SqliteDatabase) -> Self {
        Self::Open(Arc::new(database))
    }
}
