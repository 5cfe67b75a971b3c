//! Every setting, its default and where it comes from.
//!
//! `sqlogue.toml` (or the file named by `--config`) is overridden by the environment, and that by flags. A key that is
//! not known is an error that names the nearest one: a misspelt limit that is silently ignored is worse than none.

mod keys;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;
use toml::{Table, Value};

use crate::base::input;
use crate::base::secret::redact;
use crate::model::ModelSettings;
use keys::{check_key, flat, known, scalar, set, setting_of, syntax, typed};

/// The name of the settings file that is read from the current folder when there is one.
pub const FILE_NAME: &str = "sqlogue.toml";

/// The prefix of the environment variables that set a setting: `SQLOGUE_RESULT_LIMIT=20`.
pub const ENV_PREFIX: &str = "SQLOGUE_";

/// The environment variable that has a model tell follow-ups from new questions, or not.
const ENV_INTENT: &str = "CONVERSATION_INTENT_LLM";

/// Environment variables that name a model, as OpenAI's own programs do. One of them chooses the reasoner where nothing else
/// does.
const ENV_MODEL: [&str; 2] = ["OPENAI_API_KEY", "OPENAI_BASE_URL"];

/// A longer file is none that people wrote.
const LARGEST: u64 = 1 << 20;

/// All settings.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The database that is asked when none is named: a path or a URL. Empty: the embedded sample.
    pub database: String,
    /// Databases by the names that a conversation may call them by: a path or a URL each.
    pub databases: BTreeMap<String, String>,
    /// Where conversations are kept: a file, or a `postgres://` URL. Empty: nowhere, unless a session is asked for.
    pub store: String,
    /// Whether the rows of results and the samples of columns are kept with conversations.
    pub keep_rows: bool,
    /// What a turn in a store that is a file survives: `process_death`, or a `power_cut` too.
    pub store_safety: StoreSafety,
    /// How many conversations `batch` keeps in memory; the others wait in a private temporary file.
    pub sessions_in_memory: u32,
    /// The folder of the lessons. Empty: nothing is learnt, and nothing remembered.
    pub memory_folder: String,
    /// Whether lessons are learnt and used where there is a folder for them.
    pub apply_memory: bool,
    /// A data dictionary in Excel that says what the database's tables and columns mean; none unless named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dictionary: Option<PathBuf>,
    /// Who judges: `rules`, `openai` or `hybrid`. Where nobody says, `openai` if the environment names a model's server or
    /// key, and `rules` if not.
    pub reasoner: ReasonerKind,
    /// How often SQL that failed is repaired in one turn.
    pub max_sql_attempts: u32,
    /// How often SQL that returned nothing is refined in one turn.
    pub max_refinements: u32,
    /// How many corrections one question may take.
    pub max_correction_attempts: u32,
    /// Below this confidence (0 to 1) a join with several candidates is asked about.
    pub confidence_threshold: f64,
    /// Whether follow-ups refine the previous query; if not, every input is a new query.
    pub enable_dialog_refinement: bool,
    /// Who tells follow-ups from new questions: `rules`, `llm` or `hybrid`.
    pub intent_detection_strategy: IntentStrategy,
    /// How many turns a conversation keeps.
    pub max_conversation_turns: usize,
    /// How many rows of a result a conversation keeps.
    pub result_limit: usize,
    /// Whether people see a line with the totals below the numbers of a table that may be added up.
    pub totals: bool,
    /// How many rows one query may return at most.
    pub max_rows: usize,
    /// How many seconds one query may take.
    pub query_timeout: f64,
    /// How much memory the index of a database's values may take, in megabytes; values that do not fit are not
    /// recognised in questions.
    pub index_megabytes: usize,
    /// How many megabytes files of data may take together, unpacked.
    pub load_megabytes: u32,
    /// How many megabytes of tables made of files are kept for the next time that the files are opened. 0: none.
    pub file_cache_megabytes: u32,
    /// How many megabytes one workbook may unpack to, and its cells may take in memory.
    pub workbook_megabytes: u32,
    /// How a language model is reached and what it may cost.
    pub model: ModelSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            database: String::new(),
            databases: BTreeMap::new(),
            store: String::new(),
            keep_rows: false,
            store_safety: StoreSafety::ProcessDeath,
            sessions_in_memory: 64,
            memory_folder: String::new(),
            apply_memory: true,
            dictionary: None,
            reasoner: ReasonerKind::Rules,
            max_sql_attempts: 3,
            max_refinements: 1,
            max_correction_attempts: 3,
            confidence_threshold: 0.75,
            enable_dialog_refinement: true,
            intent_detection_strategy: IntentStrategy::Rules,
            max_conversation_turns: 10,
            result_limit: 100,
            totals: true,
            max_rows: 10_000,
            query_timeout: 5.0,
            index_megabytes: 64,
            load_megabytes: 2048,
            file_cache_megabytes: 1024,
            workbook_megabytes: 512,
            model: ModelSettings::default(),
        }
    }
}

/// What a finished turn in a store that is a file survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreSafety {
    /// The death of the process. After a power cut the file is whole, and may lack the last turns.
    #[default]
    ProcessDeath,
    /// A power cut too: the end of a turn waits for the disk.
    PowerCut,
}

/// Who judges.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonerKind {
    /// The embedded rules: no model, no key, no network.
    #[default]
    Rules,
    /// A language model behind a server that speaks OpenAI's protocol.
    Openai,
    /// The rules where they are sure, the model elsewhere.
    Hybrid,
}

/// Who tells follow-ups from new questions. A model can be asked only where the reasoner has one; elsewhere, and where it
/// cannot be reached, the rules decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntentStrategy {
    /// The embedded rules, in microseconds.
    #[default]
    Rules,
    /// The language model, for every follow-up.
    Llm,
    /// The rules where they are sure, the language model elsewhere.
    Hybrid,
}

/// Why the settings cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("the settings file `{path}` cannot be read: {problem}")]
    Unreadable {
        /// The file.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// The file is no TOML.
    #[error("the settings file `{path}` is not valid TOML in line {line}, column {column}: {problem}")]
    Syntax {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong. The line itself is not repeated: a key or a password may stand in it.
        problem: String,
    },
    /// A key that does not exist.
    #[error("{place} sets `{key}`, which is no setting{hint}")]
    UnknownKey {
        /// Where it is set.
        place: String,
        /// The key.
        key: String,
        /// The nearest key that exists, ready to be read after the rest.
        hint: String,
    },
    /// A value that does not fit.
    #[error("the settings do not fit: {problem}")]
    Invalid {
        /// What is wrong.
        problem: String,
    },
}

/// Without the passwords that may stand in addresses.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = Table::try_from(self).map_err(|_| fmt::Error)?.to_string();
        write!(f, "Settings {{ {} }}", redact(&shown).trim_end().replace('\n', ", "))
    }
}

impl Settings {
    /// The settings of `file`, or of `sqlogue.toml` in the current folder if there is one, overridden by the
    /// environment.
    ///
    /// # Errors
    /// A [`ConfigError`] names the file or variable and the key.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        let file = file.or_else(|| Some(Path::new(FILE_NAME)).filter(|path| path.is_file()));
        let text = match file {
            Some(path) => Some((path.display().to_string(), read(path)?)),
            None => None,
        };
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self::from_sources(text.as_ref().map(|(path, text)| (path.as_str(), text.as_str())), environment)
    }

    /// The settings of a file's text and of environment variables.
    ///
    /// # Errors
    /// As [`Settings::load`].
    pub fn from_sources(
        file: Option<(&str, &str)>,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let environment: Vec<(String, String)> = environment.into_iter().collect();
        let known = known()?;
        let mut settings = Table::new();
        if let Some((path, text)) = file {
            let table = text.parse().map_err(|error| syntax(path, text, &error))?;
            for (key, value) in flat(table) {
                check_key(&format!("the settings file `{path}`"), &key, &known)?;
                set(&mut settings, &key, value);
            }
        }
        if let Some((_, text)) = environment.iter().find(|(name, _)| name == ENV_INTENT) {
            let strategy = match scalar(text) {
                Value::Boolean(true) => "llm",
                Value::Boolean(false) => "rules",
                _ => {
                    let problem = format!("`{ENV_INTENT}` must be `true` or `false`");
                    return Err(ConfigError::Invalid { problem });
                }
            };
            set(&mut settings, "intent_detection_strategy", Value::String(strategy.to_owned()));
        }
        for (name, text) in &environment {
            let Some(key) = setting_of(name, &known) else { continue };
            check_key(&format!("the environment variable `{name}`"), &key, &known)?;
            let value = match known.get(&key) {
                Some(Value::String(_)) | None => Value::String(text.clone()),
                Some(_) => scalar(text),
            };
            set(&mut settings, &key, value);
        }
        let names_a_model =
            |(name, value): &(String, String)| ENV_MODEL.contains(&name.as_str()) && !value.trim().is_empty();
        if !settings.contains_key("reasoner") && environment.iter().any(names_a_model) {
            set(&mut settings, "reasoner", Value::String("openai".to_owned()));
        }
        let mut settings = typed(settings)?;
        settings.model = settings.model.with_environment(environment);
        settings.validate()
    }

    fn validate(self) -> Result<Self, ConfigError> {
        let invalid = |problem: &str| Err(ConfigError::Invalid { problem: problem.to_owned() });
        if !(0.0..=1.0).contains(&self.confidence_threshold) {
            return invalid("`confidence_threshold` must lie between 0 and 1");
        }
        if self.index_megabytes > 16_384 {
            return invalid("`index_megabytes` must lie between 0 and 16384");
        }
        if self.load_megabytes == 0 || self.workbook_megabytes == 0 {
            return invalid("`load_megabytes` and `workbook_megabytes` must be at least 1");
        }
        if !(0.01..=3600.0).contains(&self.query_timeout) {
            return invalid("`query_timeout` must lie between 0.01 and 3600 seconds");
        }
        if self.sessions_in_memory == 0 {
            return invalid("`sessions_in_memory` must be at least 1");
        }
        if self.max_conversation_turns == 0 {
            return invalid("`max_conversation_turns` must be at least 1");
        }
        if self.max_sql_attempts > 100 || self.max_refinements > 100 {
            return invalid("`max_sql_attempts` and `max_refinements` must be at most 100");
        }
        match self.model.problem() {
            Some(problem) => invalid(&problem),
            None => Ok(self),
        }
    }
}

fn read(path: &Path) -> Result<String, ConfigError> {
    input::text(path, LARGEST).map_err(|error| ConfigError::Unreadable {
        path: path.display().to_string(),
        problem: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(file: &str, environment: &[(&str, &str)]) -> Result<Settings, String> {
        let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Settings::from_sources(Some(("sqlogue.toml", file)), environment).map_err(|error| error.to_string())
    }

    #[test]
    fn the_environment_overrides_the_file() {
        let settings = load(
            "result_limit = 7\nmax_sql_attempts = 1",
            &[("SQLOGUE_RESULT_LIMIT", "20"), ("CONVERSATION_MAX_TURNS", "4"), ("PATH", "/bin")],
        );
        let settings = settings.unwrap();
        assert_eq!(
            (settings.result_limit, settings.max_sql_attempts, settings.max_conversation_turns),
            (20, 1, 4)
        );
    }

    #[test]
    fn the_intent_strategy_has_a_variable_of_its_own() {
        let strategy = |file: &str, environment: &[(&str, &str)]| {
            load(file, environment).map(|settings| settings.intent_detection_strategy)
        };
        assert_eq!(strategy("", &[]), Ok(IntentStrategy::Rules));
        assert_eq!(strategy("intent_detection_strategy = 'hybrid'", &[]), Ok(IntentStrategy::Hybrid));
        assert_eq!(strategy("", &[("CONVERSATION_INTENT_LLM", "true")]), Ok(IntentStrategy::Llm));
        assert_eq!(
            strategy("intent_detection_strategy = 'llm'", &[("CONVERSATION_INTENT_LLM", "false")]),
            Ok(IntentStrategy::Rules)
        );
        let named = ("SQLOGUE_INTENT_DETECTION_STRATEGY", "hybrid");
        assert_eq!(strategy("", &[named, ("CONVERSATION_INTENT_LLM", "true")]), Ok(IntentStrategy::Hybrid));
        assert!(strategy("", &[("CONVERSATION_INTENT_LLM", "perhaps")]).is_err());
        assert!(strategy("intent_detection_strategy = 'guess'", &[]).is_err());
    }

    #[test]
    fn unknown_keys_name_the_nearest_known_one() {
        assert_eq!(
            load("reslt_limit = 7", &[]).unwrap_err(),
            "the settings file `sqlogue.toml` sets `reslt_limit`, which is no setting (did you mean `result_limit`?)"
        );
        let error = load("", &[("SQLOGUE_MAX_ROW", "1")]).unwrap_err();
        assert!(error.contains("`SQLOGUE_MAX_ROW`") && error.contains("`max_rows`"), "{error}");
    }

    #[test]
    fn a_model_is_set_by_its_section_and_by_the_environment() {
        let settings = load(
            "max_tokens = 3000\n[model]\nmodel = 'small'\nbase_url = 'http://one/v1'\n[model.headers]\nx-team = 'blue'",
            &[
                ("SQLOGUE_MODEL_ATTEMPTS", "2"),
                ("OPENAI_BASE_URL", "http://two/v1"),
                ("OPENAI_API_KEY", "sk-1234"),
            ],
        );
        let settings = settings.unwrap();
        let model = &settings.model;
        assert_eq!((model.model.as_str(), model.base_url.as_str()), ("small", "http://two/v1"));
        assert_eq!((model.max_tokens, model.attempts, model.headers.len()), (3000, 2, 1));
        assert_eq!(settings.reasoner, ReasonerKind::Openai);
        assert!(!format!("{settings:?}").contains("sk-1234"));
        let chosen = load("reasoner = 'rules'", &[("OPENAI_API_KEY", "sk-1234")]).unwrap();
        assert_eq!(chosen.reasoner, ReasonerKind::Rules);
        assert_eq!(load("", &[("OPENAI_API_KEY", " ")]).unwrap().reasoner, ReasonerKind::Rules);
        let error = load("[model]\nbase_ur = 'x'", &[]).unwrap_err();
        assert!(error.contains("`model.base_ur`") && error.contains("`model.base_url`"), "{error}");
        assert!(load("[model]\nmax_tokens = 10", &[]).unwrap_err().contains("at least 600"));
    }

    #[test]
    fn databases_are_named_as_people_like() {
        let settings = load(
            "[databases]\nsales = 'sales.db'\n'old.stock' = 'postgres://reader@db.example/stock'",
            &[("SQLOGUE_DATABASES_PARTS", "parts.db")],
        );
        let databases = settings.unwrap().databases;
        assert_eq!(
            databases.into_iter().map(|(name, url)| format!("{name} {url}")).collect::<Vec<_>>(),
            ["old.stock postgres://reader@db.example/stock", "parts parts.db", "sales sales.db",]
        );
        let error = load("databases = 'postgres://u:PW@h'", &[]).unwrap_err();
        assert!(error.contains("`databases`") && !error.contains("PW"), "{error}");
        let error = load("[databases]\nsales = 7", &[]).unwrap_err();
        assert!(error.contains("`databases.sales`"), "{error}");
    }

    #[test]
    fn messages_repeat_no_secret() {
        for (file, said) in [
            ("result_limit = 7\nstore = 'postgres://u:hunter2@h", "line 2"),
            ("[model]\napi_key = \"hunter2\n", "line 2"),
            ("[model]\napi_key = hunter2\n", "line 2"),
            ("[model]\napi_key = 'hunter2' hunter2\n", "line 2"),
            ("api_key: hunter2\n", "line 1"),
            ("reasoner = 'hunter2'", "`reasoner`"),
            ("[model]\nheaders = 'hunter2'", "`model.headers`"),
            ("result_limit = 'postgres://u:hunter2@h'", "`result_limit`"),
            ("[model]\nattempts = 'hunter2'", "`model.attempts`"),
        ] {
            let error = load(file, &[]).unwrap_err();
            assert!(error.contains(said) && !error.contains("hunter2"), "{file:?} gave {error}");
        }
        let settings =
            load("database = 'postgres://u:hunter2@h/x'\nstore = 'postgres://u:hunter2@h/y'", &[]).unwrap();
        assert!(!format!("{settings:?}").contains("hunter2"), "{settings:?}");
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        for file in [
            "result_limit = 'many'",
            "result_limit = -1",
            "confidence_threshold = 2.0",
            "query_timeout = 0.0",
            "workbook_megabytes = 0",
        ] {
            assert!(load(file, &[]).is_err(), "{file}");
        }
    }
}
