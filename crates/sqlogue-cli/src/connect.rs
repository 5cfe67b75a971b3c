//! From flags and settings to an engine.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;

use super::args::{Common, Format};
use super::failure::Failure;
use super::loading;
use super::output::Output;
use super::pager;
use super::password;
use super::show::answer::{Layout, View};
use super::show::delimited::Texts;
use super::show::style::Style;
use sqlogue::Error;
use sqlogue::config::{ReasonerKind, Settings};
use sqlogue::conversation::MAX_SAVED_BYTES;
use sqlogue::database::Limits;
use sqlogue::engine::{Engine, EngineBuilder, default_store, open_store};
use sqlogue::reasoner::Reasoner;
use sqlogue::store::{Sessions, StoreError};
use sqlogue_base::input;

/// What every command starts from.
#[derive(Debug)]
pub(super) struct Setup {
    /// The settings of the file, the environment and the flags.
    pub(super) settings: Settings,
    /// At most so many rows are shown, where somebody said so.
    pub(super) result_limit: Option<usize>,
    /// Whether a flag or the environment names a database.
    pub(super) has_database: bool,
    /// What becomes of texts in CSV.
    pub(super) texts: Texts,
    /// The day that is taken for today, where somebody said so.
    today: Option<Date>,
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
        if let Some(phases) = common.phases {
            settings.model.phases = phases;
        }
        if let Some(samples) = common.samples {
            settings.model.samples = samples;
        }
        if let Some(rows) = common.result_limit {
            settings.result_limit = rows;
        }
        if let Some(store) = common.store {
            settings.store = store;
        }
        if common.no_file_cache {
            settings.file_cache_megabytes = 0;
        }
        if common.password {
            password::ask(&mut settings)?;
        }
        let has_database = !settings.database.is_empty();
        let texts = if common.raw { Texts::Raw } else { Texts::Harmless };
        Ok(Self {
            settings,
            result_limit: common.result_limit,
            has_database,
            texts,
            today: common.today,
            format: common.format,
        })
    }

    /// The engine for the database of the settings.
    pub(super) fn engine(&self) -> Result<Engine, Failure> {
        Ok(self.builder(self.settings.clone())?.build()?)
    }

    /// The same with another judge, which keeps nothing.
    pub(super) fn engine_judging_by(&self, reasoner: Arc<dyn Reasoner>) -> Result<Engine, Failure> {
        let settings = Settings { store: String::new(), ..self.settings.clone() };
        Ok(self.builder(settings)?.reasoner(reasoner).build()?)
    }

    /// Makes sure that conversations are kept somewhere: where the settings say, or in the usual place.
    pub(super) fn keep(&mut self) -> Result<(), Failure> {
        if self.settings.store.is_empty() {
            let place = default_store().and_then(|place| place.to_str().map(str::to_owned));
            self.settings.store = place.ok_or_else(|| {
                Failure::usage("nothing says where conversations are kept").hint("name a file with `--store`")
            })?;
        }
        Ok(())
    }

    /// The stored conversations.
    pub(super) fn sessions(&mut self) -> Result<Sessions, Failure> {
        self.keep()?;
        match open_store(&self.settings).map_err(|error| self.in_store(error))? {
            Some(store) => Ok(Sessions::new(store)),
            None => Err(Failure::internal("no store was opened")),
        }
    }

    /// An error of the store with the place where it is; never with a password.
    pub(super) fn in_store(&self, error: Error) -> Failure {
        let place = &self.settings.store;
        match Failure::from(error) {
            Failure::Told { exit, message, hint } if !place.contains("://") => {
                Failure::Told { exit, message: format!("`{place}`: {message}"), hint }
            }
            failure => failure,
        }
    }

    /// The engine for a stored conversation: about the database where the conversation stands, if the settings know it by
    /// name, and otherwise about the one that is asked for.
    pub(super) async fn engine_of_session(&mut self, id: &str) -> Result<Engine, Failure> {
        self.keep()?;
        self.stored(Some(id)).await.map_err(|error| self.in_store(error))
    }

    /// The engine for a conversation that is kept if a session is named or the settings say so. Where the store cannot be
    /// used, nothing is kept, and the error says why.
    pub(super) async fn kept_engine(
        &mut self,
        session: Option<&str>,
    ) -> Result<(Engine, Option<Failure>), Failure> {
        if session.is_some() {
            self.keep()?;
        }
        if self.settings.store.is_empty() {
            return Ok((self.engine()?, None));
        }
        match self.stored(session).await {
            Ok(engine) => Ok((engine, None)),
            Err(error) if error.is_storage() => {
                let failure = self.in_store(error);
                self.settings.store.clear();
                Ok((self.engine()?, Some(failure)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The engine for conversations that are kept where the settings say, and nowhere if they do not. A store that cannot be
    /// used is an error.
    #[cfg(feature = "serve")]
    pub(super) async fn stored_engine(&self) -> Result<Engine, Failure> {
        self.stored(None).await.map_err(|error| match error.is_storage() {
            true => self.in_store(error),
            false => error.into(),
        })
    }

    async fn stored(&self, session: Option<&str>) -> Result<Engine, Error> {
        let mut settings = self.settings.clone();
        let Some(store) = open_store(&settings)? else { return self.builder(settings)?.build() };
        if let Some(id) = session {
            let database = match Sessions::new(Arc::clone(&store)).open(id).await {
                Ok(opened) => Some(opened.state.database),
                Err(StoreError::UnknownSession { .. }) => None,
                Err(error) => return Err(error.into()),
            };
            if let Some(database) = database.filter(|database| settings.databases.contains_key(database)) {
                settings.database = database;
            }
        } else {
            // A store on a server is reached now, so that what is wrong with it is told before the first answer.
            store.size().await?;
        }
        self.builder(settings)?.store(store).build()
    }

    /// The engine for another database.
    pub(super) fn engine_for(&self, database: String) -> Result<Engine, Error> {
        // Questions by the line are no conversations that somebody comes back to.
        self.builder(Settings { database, store: String::new(), ..self.settings.clone() })?.build()
    }

    /// What an engine for these settings is built from. The database is opened here, where somebody sees how far the
    /// loading of files is.
    fn builder(&self, settings: Settings) -> Result<EngineBuilder, Error> {
        let database = loading::open(&settings)?;
        let builder = Engine::builder().settings(settings).database(database);
        Ok(match self.today {
            Some(day) => builder.today(day),
            None => builder,
        })
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
            layout: Layout::default(),
            counted: false,
            totals: self.settings.totals,
            sideways: pager::shows_sideways(),
            ask_why,
            ask_wide: "(cut to the width of the terminal; `--format json` has all of it)",
        }
    }
}

/// The limits within which a query runs that is no turn of a conversation: those of the settings, as for every other.
pub(super) fn limits(settings: &Settings) -> Limits {
    let deadline = Duration::from_secs_f64(settings.query_timeout);
    Limits { rows: settings.max_rows, deadline, ..Limits::default() }
}

/// Reads a file that holds a saved conversation or the like.
pub(super) fn read_text(what: &str, path: &Path) -> Result<String, Failure> {
    read_file(what, path, MAX_SAVED_BYTES as u64)
}

/// Reads a file of text of at most `most` bytes.
pub(super) fn read_file(what: &str, path: &Path, most: u64) -> Result<String, Failure> {
    input::text(path, most)
        .map_err(|error| Failure::usage(format!("the {what} `{}` cannot be read: {error}", path.display())))
}
