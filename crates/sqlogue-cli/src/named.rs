//! The databases that a chat can go over to: those that the settings name, and the one it began with.

use std::sync::Arc;

use sqlogue::Error;
use sqlogue::config::Settings;
use sqlogue::dialog::Databases;
use sqlogue::engine::Engine;
use sqlogue::store::Sessions;

/// Databases by their names in the settings.
pub(super) struct NamedDatabases {
    settings: Settings,
    first: Engine,
}

impl NamedDatabases {
    /// Those of the settings, beside the one of an engine.
    pub(super) fn new(settings: Settings, first: Engine) -> Self {
        Self { settings, first }
    }
}

impl Databases for NamedDatabases {
    fn names(&self) -> Vec<String> {
        let first = self.first.database().name();
        let others = self.settings.databases.keys().filter(|name| *name != first);
        std::iter::once(first).chain(others.map(String::as_str)).map(str::to_owned).collect()
    }

    fn open(&self, name: &str) -> Result<Engine, Error> {
        if self.first.database().name() == name {
            return Ok(self.first.clone());
        }
        // The store is open already, and shared.
        let settings = Settings { database: name.to_owned(), store: String::new(), ..self.settings.clone() };
        let builder = Engine::builder().settings(settings);
        match self.first.sessions().map(Sessions::store) {
            Some(store) => builder.store(Arc::clone(store)).build(),
            None => builder.build(),
        }
    }
}
