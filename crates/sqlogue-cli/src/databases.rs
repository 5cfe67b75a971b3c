//! Databases by name, for the commands that read JSON lines.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::connect::Setup;
use sqlogue::engine::Engine;

/// So many databases stay open. Lines usually come sorted by database; what is older is opened again when it is needed.
const OPEN: usize = 48;

/// The engines of one run, each opened when a line first names its database.
pub(super) struct Databases {
    setup: Setup,
    folder: Option<PathBuf>,
    open: HashMap<String, (u64, Result<Engine, String>)>,
    uses: u64,
}

impl Databases {
    /// Databases from a folder; without a name, the one of the settings.
    pub(super) fn new(setup: Setup, folder: Option<PathBuf>) -> Self {
        Self { setup, folder, open: HashMap::new(), uses: 0 }
    }

    /// The engine for a line that names this database, or none.
    pub(super) fn engine(&mut self, name: Option<&str>) -> Result<Engine, String> {
        let name = name.unwrap_or_default();
        self.uses += 1;
        if let Some((used, engine)) = self.open.get_mut(name) {
            *used = self.uses;
            return engine.clone();
        }
        let engine = self.open(name);
        if self.open.len() >= OPEN {
            let oldest = self.open.iter().min_by_key(|(_, (used, _))| *used).map(|(name, _)| name.clone());
            oldest.and_then(|name| self.open.remove(&name));
        }
        self.open.insert(name.to_owned(), (self.uses, engine.clone()));
        engine
    }

    fn open(&self, name: &str) -> Result<Engine, String> {
        let database = match &self.folder {
            _ if name.is_empty() => self.setup.settings.database.clone(),
            Some(folder) => {
                file_of(folder, name)?.to_str().ok_or("the path is not text in UTF-8")?.to_owned()
            }
            None => {
                return Err(format!("`{}` is named, and no `--database-dir` says where it is", shown(name)));
            }
        };
        self.setup.engine_for(database).map_err(|error| error.to_string())
    }
}

/// `FOLDER/name/name.sqlite` or `FOLDER/name.sqlite`.
pub(super) fn file_of(folder: &Path, name: &str) -> Result<PathBuf, String> {
    // A name comes from the input, and must not lead out of the folder.
    if name.contains(['/', '\\', ':']) || name.starts_with('.') || name.contains(char::is_control) {
        return Err(format!("`{}` is no name of a database", shown(name)));
    }
    let file = format!("{name}.sqlite");
    let paths = [folder.join(name).join(&file), folder.join(&file)];
    let found = paths.into_iter().find(|path| path.is_file());
    found.ok_or_else(|| format!("there is no database `{}` in `{}`", shown(name), folder.display()))
}

fn shown(name: &str) -> String {
    super::show::text::clean(name).chars().take(80).collect()
}
