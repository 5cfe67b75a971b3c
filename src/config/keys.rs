//! The names of the settings, wherever they are set.

use std::path::PathBuf;

use toml::{Table, Value};

use super::{ConfigError, ENV_PREFIX, Settings};
use crate::base::near;
use crate::base::secret::redact;
use crate::model::ModelSettings;

/// Environment variables with names of their own.
const ENV_NAMES: [(&str, &str); 1] = [("CONVERSATION_MAX_TURNS", "max_conversation_turns")];

/// Settings of the section `model` that may also be written without it.
const SHORT: [&str; 1] = ["max_tokens"];

/// Environment variables of the command line that begin like settings and are none.
const ENV_OTHERS: [&str; 3] = ["SQLOGUE_LOG", "SQLOGUE_CONFIG", "SQLOGUE_TOKEN"];

/// Sections whose keys are names that people choose.
const FREE: [&str; 1] = ["databases"];

/// Every setting with its default, or with a text where it has none.
pub(super) fn known() -> Result<Table, ConfigError> {
    let nowhere = Some(PathBuf::new());
    let model = ModelSettings {
        ca_file: nowhere.clone(),
        prompts: nowhere.clone(),
        record: nowhere.clone(),
        replay: nowhere.clone(),
        ..ModelSettings::default()
    };
    let settings = Settings { dictionary: nowhere.clone(), model, ..Settings::default() };
    let table =
        Table::try_from(settings).map_err(|error| ConfigError::Invalid { problem: error.to_string() })?;
    Ok(flat(table).into_iter().collect())
}

/// Where a text is no TOML, without the text.
pub(super) fn syntax(path: &str, text: &str, error: &toml::de::Error) -> ConfigError {
    let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
    ConfigError::Syntax { path: path.to_owned(), line, column, problem: redact(error.message()).into_owned() }
}

/// The settings of a table whose keys are known.
pub(super) fn typed(table: Table) -> Result<Settings, ConfigError> {
    let read = |table: Table| Value::Table(table).try_into::<Settings>();
    read(table.clone()).map_err(|error| {
        // One setting at a time tells which of them it is.
        let wrong = flat(table).into_iter().find_map(|(key, value)| {
            let mut alone = Table::new();
            set(&mut alone, &key, value);
            read(alone).err().map(|error| (key, error))
        });
        let problem = match &wrong {
            Some((key, error)) => format!("`{key}` does not fit: {}", expected(error.message())),
            None => expected(error.message()),
        };
        ConfigError::Invalid { problem }
    })
}

/// What was expected. What was found is not repeated: it may be a key or a password in the wrong place.
fn expected(message: &str) -> String {
    match message.rsplit_once("expected ") {
        Some((_, expected)) => format!("expected {expected}"),
        None => redact(message).into_owned(),
    }
}

/// The settings of a table, those of a section with its name before theirs: `model.base_url`.
pub(super) fn flat(table: Table) -> Vec<(String, Value)> {
    let of_section = |section: &str, table: Table| -> Vec<_> {
        table.into_iter().map(|(key, value)| (format!("{section}.{key}"), value)).collect()
    };
    table
        .into_iter()
        .flat_map(|(key, value)| match value {
            Value::Table(section) => of_section(&key, section),
            value => vec![(key, value)],
        })
        .map(
            |(key, value)| {
                if SHORT.contains(&key.as_str()) { (format!("model.{key}"), value) } else { (key, value) }
            },
        )
        .collect()
}

/// Puts a value where the flat name of its setting says.
pub(super) fn set(settings: &mut Table, key: &str, value: Value) {
    let Some((section, key)) = key.split_once('.') else {
        settings.insert(key.to_owned(), value);
        return;
    };
    let section = settings.entry(section).or_insert_with(|| Value::Table(Table::new()));
    if let Value::Table(section) = section {
        section.insert(key.to_owned(), value);
    }
}

/// The setting that an environment variable sets, if it sets one.
pub(super) fn setting_of(name: &str, known: &Table) -> Option<String> {
    if let Some((_, key)) = ENV_NAMES.iter().find(|(own, _)| *own == name) {
        return Some((*key).to_owned());
    }
    if ENV_OTHERS.contains(&name) {
        return None;
    }
    let key = name.strip_prefix(ENV_PREFIX)?.to_ascii_lowercase();
    if SHORT.contains(&key.as_str()) {
        return Some(format!("model.{key}"));
    }
    // `SQLOGUE_MODEL_BASE_URL` sets `base_url` in the section `model`.
    let in_section = key.replacen('_', ".", 1);
    Some(if known.contains_key(&in_section) || is_free(&in_section) { in_section } else { key })
}

/// Whether a flat name is one that people choose, in a section for such names.
fn is_free(key: &str) -> bool {
    key.split_once('.').is_some_and(|(section, name)| FREE.contains(&section) && !name.is_empty())
}

pub(super) fn check_key(place: &str, key: &str, known: &Table) -> Result<(), ConfigError> {
    if known.contains_key(key) || is_free(key) {
        return Ok(());
    }
    let near = near::nearest(key, known.keys().map(String::as_str), 0.4);
    let hint = near.map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default();
    let key: String = key.chars().filter(|character| !character.is_control()).take(80).collect();
    Err(ConfigError::UnknownKey { place: place.to_owned(), key, hint })
}

/// A number or truth value written as text.
pub(super) fn scalar(text: &str) -> Value {
    if let Ok(number) = text.parse::<i64>() {
        return Value::Integer(number);
    }
    if let Ok(number) = text.parse::<f64>() {
        return Value::Float(number);
    }
    match text {
        "true" | "yes" | "on" => Value::Boolean(true),
        "false" | "no" | "off" => Value::Boolean(false),
        _ => Value::String(text.to_owned()),
    }
}
