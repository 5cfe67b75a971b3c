//! From flags and settings to an engine.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::args::{Common, Format};
use super::failure::Failure;
use super::loading;
use super::output::Output;
use super::show::answer::View;
use super::show::style::Style;
use crate::config::{ReasonerKind, Settings};
use crate::conversation::MAX_SAVED_BYTES;
use crate::engine::Engine;
use crate::error::Error;

/// What every command starts from.
#[derive(Debug)]
pub(super) struct Setup {
    /// The settings of the file, the environment and the flags.
    pub(super) settings: Settings,
    /// At most so many rows are shown, where somebody said so.
    pub(super) result_limit: Option<usize>,
    /// Whether a flag or the environment names a database.
    pub(super) has_database: bool,
    format: Option<Format>,
}

impl Setup {
    /// Reads the settings and lets the flags override them.
    pub(super) fn new(common: Common) -> Result<Self, Failure> {
        let mut settings = Settings::load(common.config.as_deref()).map_err(Error::from)?;
        if let Some(database) = common.db {
            settings.database = database;
        }
        if common.dictionary.is_some() {
            settings.dictionary = common.dictionary;
        }
        if let Some(reasoner) = common.reasoner {
            settings.reasoner = reasoner;
        } else if common.replay.is_some() && settings.reasoner == ReasonerKind::Rules {
            // Who names a recorded model wants it to be asked.
            settings.reasoner = ReasonerKind::Openai;
        }
        if common.record.is_some() || common.replay.is_some() {
            settings.model.record = common.record;
            settings.model.replay = common.replay;
        }
        if let Some(rows) = common.result_limit {
            settings.result_limit = rows;
        }
        let has_database = !settings.database.is_empty();
        Ok(Self { settings, result_limit: common.result_limit, has_database, format: common.format })
    }

    /// The engine for the database of the settings.
    pub(super) fn engine(&self) -> Result<Engine, Failure> {
        let builder = Engine::builder().settings(self.settings.clone());
        let builder = match loading::load(&self.settings.database).map_err(Error::from)? {
            Some(database) => builder.database(database),
            None => builder,
        };
        Ok(builder.build()?)
    }

    /// The engine for another database.
    pub(super) fn engine_for(&self, database: String) -> Result<Engine, Error> {
        Engine::builder().settings(Settings { database, ..self.settings.clone() }).build()
    }

    /// The format that was asked for, if it is one of those that the command has; the first of them if none was.
    pub(super) fn format(&self, command: &str, formats: &[Format]) -> Result<Format, Failure> {
        let first = formats.first().copied().unwrap_or(Format::Json);
        let format = self.format.unwrap_or(first);
        if formats.contains(&format) {
            return Ok(format);
        }
        let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
        Err(Failure::usage(format!("`{command}` does not print `{}`", format.name()))
            .hint(format!("use one of: {}", names.join(", "))))
    }

    /// How answers look on that output.
    pub(super) fn view(&self, output: &Output, ask_why: &'static str) -> View {
        View {
            places: output.terminal().map(|size| size.width),
            style: Style::new(output.colour()),
            sql: true,
            rows: self.result_limit.unwrap_or(usize::MAX),
            ask_why,
        }
    }
}

/// Reads a file that holds a saved conversation or the like.
pub(super) fn read_text(what: &str, path: &Path) -> Result<String, Failure> {
    read_file(what, path, MAX_SAVED_BYTES as u64 + 1)
}

/// Reads a file of text; what is longer than `most` bytes is not read to its end.
pub(super) fn read_file(what: &str, path: &Path, most: u64) -> Result<String, Failure> {
    let problem = |problem: &dyn std::fmt::Display| {
        Failure::usage(format!("the {what} `{}` cannot be read: {problem}", path.display()))
    };
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(most).read_to_end(&mut bytes))
        .map_err(|error| problem(&error))?;
    String::from_utf8(bytes).map_err(|_| problem(&"it is not text in UTF-8"))
}
