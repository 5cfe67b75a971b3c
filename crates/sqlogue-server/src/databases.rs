//! The databases that a server answers about: opened when it starts, and shared by all conversations.

use std::sync::Arc;

use sqlogue::Error;
use sqlogue::dialog;
use sqlogue::engine::Engine;
use sqlogue::store::Sessions;

/// Engines by the names of their databases. Cheap to clone.
#[derive(Clone)]
pub struct Databases {
    open: Arc<[Engine]>,
    closed: Arc<[(String, String)]>,
}

impl Databases {
    /// The one that is asked where nobody names one, and others; `closed` are those that could not be opened, with why.
    pub fn new(first: Engine, others: Vec<Engine>, closed: Vec<(String, String)>) -> Self {
        Self { open: std::iter::once(first).chain(others).collect(), closed: closed.into() }
    }

    /// The same databases, whose conversations are kept there.
    pub(crate) fn keeping(&self, sessions: &Sessions) -> Self {
        let open = self.open.iter().map(|engine| engine.with_store(Arc::clone(sessions.store()))).collect();
        Self { open, closed: Arc::clone(&self.closed) }
    }

    /// The engines, the first one first.
    pub(crate) fn engines(&self) -> &[Engine] {
        &self.open
    }

    /// Those that could not be opened, and why.
    pub(crate) fn closed(&self) -> &[(String, String)] {
        &self.closed
    }

    /// The engine of a database; the first one where none is named.
    pub(crate) fn engine(&self, name: Option<&str>) -> Option<&Engine> {
        match name {
            None => self.open.first(),
            Some(name) => self.open.iter().find(|engine| engine.database().name() == name),
        }
    }
}

impl dialog::Databases for Databases {
    fn names(&self) -> Vec<String> {
        self.open.iter().map(|engine| engine.database().name().to_owned()).collect()
    }

    fn open(&self, name: &str) -> Result<Engine, Error> {
        self.engine(Some(name))
            .cloned()
            .ok_or_else(|| Error::NoDatabase { name: name.to_owned(), known: dialog::Databases::names(self) })
    }
}
