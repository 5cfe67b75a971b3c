//! Every setting of a model, its default and its meaning.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Secret;

/// How a model is reached and what it may cost: the `[model]` section of the settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSettings {
    /// Where the server is, as far as `/chat/completions`: `http://localhost:11434/v1`. A query string is kept and sent
    /// with every request (`…/deployments/NAME?api-version=2024-10-21`).
    pub base_url: String,
    /// The model's name at the server.
    pub model: String,
    /// The key. Better set by the environment (`OPENAI_API_KEY`) than by a file.
    pub api_key: Secret,
    /// How the key is sent.
    pub auth: AuthStyle,
    /// The organisation that is billed.
    pub organization: String,
    /// The project that is billed.
    pub project: String,
    /// Headers sent with every request. Their values are treated as secrets.
    pub headers: BTreeMap<String, Secret>,
    /// A file of certificates (PEM) that are trusted beside those of the system.
    pub ca_file: Option<PathBuf>,
    /// Seconds until a connection must stand.
    pub connect_timeout: f64,
    /// Seconds until the first byte of an answer, and between two pieces of it.
    pub first_byte_timeout: f64,
    /// Seconds that one call may take, all its attempts together.
    pub call_timeout: f64,
    /// Seconds that the model may take in one turn.
    pub turn_timeout: f64,
    /// Attempts for one call, the first included.
    pub attempts: u32,
    /// Tokens that one request may have, prompt and answer together.
    pub max_tokens: u32,
    /// Tokens of these that are kept for the answer.
    pub answer_tokens: u32,
    /// How freely the model chooses its words; 0 for the likeliest.
    pub temperature: f32,
    /// Texts at which the model stops.
    pub stop: Vec<String>,
    /// Requests that may be under way at once.
    pub concurrency: usize,
    /// Whether a question is put in one call or found out phase by phase.
    pub phases: PhaseUse,
    /// How often the model's answers are right, from 0 to 1, where nobody judges them but itself.
    pub reliability: f64,
    /// How often the model is asked for its query at most, where it and the embedded rules come to different answers; 1 for once.
    pub samples: u32,
    /// Whether a follow-up shows the model the first rows of the answer before; its columns are shown always.
    pub share_rows: bool,
    /// Calls that one turn may make beside the phases of planning.
    pub max_calls: u32,
    /// Tokens that one turn may cost; 0 for no limit.
    pub turn_token_limit: u64,
    /// Tokens that one conversation may cost; 0 for no limit.
    pub session_token_limit: u64,
    /// How tokens are counted.
    pub tokenizer: TokenizerKind,
    /// Answers that are kept in memory, so that the same prompt is asked once; 0 for none.
    pub cache: usize,
    /// A folder of prompt templates that replace the embedded ones of the same name.
    pub prompts: Option<PathBuf>,
    /// A file to which every exchange is written.
    pub record: Option<PathBuf>,
    /// A recorded file from which requests are answered, without any server.
    pub replay: Option<PathBuf>,
}

/// How the key is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthStyle {
    /// As `api-key` to hosts under `azure.com`, as a bearer token elsewhere.
    #[default]
    Auto,
    /// `Authorization: Bearer KEY`.
    Bearer,
    /// `api-key: KEY`.
    ApiKey,
}

/// Whether a question is put in one call or found out phase by phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseUse {
    /// In one call where the schema fits one prompt, phase by phase elsewhere.
    #[default]
    Auto,
    /// Phase by phase, also where the schema is small.
    Always,
    /// In one call, with as much of the schema as one prompt has room for.
    Never,
}

/// How tokens are counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenizerKind {
    /// By the model's name: `cl100k` for GPT-4 and GPT-3.5, `o200k` for all others.
    #[default]
    Auto,
    /// The tokenizer of GPT-4o and later.
    O200k,
    /// The tokenizer of GPT-4 and GPT-3.5.
    Cl100k,
    /// A count that is never too low and needs no tables: one token a byte where text is not plain, three bytes a token
    /// where it is.
    Estimate,
}

/// The longest time any setting may ask for; beyond it additions of times could overflow.
const LONGEST_SECONDS: f64 = 86_400.0;

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            base_url: "https://api.openai.com/v1".to_owned(),
            model: "gpt-4o-mini".to_owned(),
            api_key: Secret::default(),
            auth: AuthStyle::Auto,
            organization: String::new(),
            project: String::new(),
            headers: BTreeMap::new(),
            ca_file: None,
            connect_timeout: 5.0,
            first_byte_timeout: 30.0,
            call_timeout: 30.0,
            turn_timeout: 60.0,
            attempts: 3,
            max_tokens: 4000,
            answer_tokens: 700,
            temperature: 0.0,
            stop: vec!["<|im_end|>".to_owned()],
            concurrency: 4,
            phases: PhaseUse::Auto,
            reliability: 0.7,
            samples: 1,
            share_rows: false,
            max_calls: 5,
            turn_token_limit: 500_000,
            session_token_limit: 2_000_000,
            tokenizer: TokenizerKind::Auto,
            cache: 0,
            prompts: None,
            record: None,
            replay: None,
        }
    }
}

impl ModelSettings {
    /// The same with what the environment says: `OPENAI_BASE_URL`, `OPENAI_API_KEY`, `OPENAI_MODEL`, `OPENAI_ORG_ID`
    /// and `OPENAI_PROJECT_ID`.
    #[must_use]
    pub fn with_environment(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        for (name, value) in variables {
            let value = value.trim().to_owned();
            if value.is_empty() {
                continue;
            }
            match name.as_str() {
                "OPENAI_BASE_URL" => self.base_url = value,
                "OPENAI_API_KEY" => self.api_key = Secret::new(value),
                "OPENAI_MODEL" => self.model = value,
                "OPENAI_ORG_ID" => self.organization = value,
                "OPENAI_PROJECT_ID" => self.project = value,
                _ => {}
            }
        }
        self
    }

    /// What is wrong with the settings, if anything is.
    pub fn problem(&self) -> Option<String> {
        let seconds = [
            ("connect_timeout", self.connect_timeout),
            ("first_byte_timeout", self.first_byte_timeout),
            ("call_timeout", self.call_timeout),
            ("turn_timeout", self.turn_timeout),
        ];
        for (name, value) in seconds {
            if !(0.001..=LONGEST_SECONDS).contains(&value) {
                return Some(format!("`{name}` must lie between 0.001 and {LONGEST_SECONDS} seconds"));
            }
        }
        if self.model.trim().is_empty() {
            return Some("`model` must name a model".to_owned());
        }
        if self.max_tokens < 600 {
            return Some("`max_tokens` must be at least 600".to_owned());
        }
        if self.answer_tokens < 50 || self.answer_tokens > self.max_tokens / 2 {
            return Some("`answer_tokens` must lie between 50 and half of `max_tokens`".to_owned());
        }
        if !(1..=3).contains(&self.attempts) {
            return Some("`attempts` must lie between 1 and 3".to_owned());
        }
        if !(1..=64).contains(&self.concurrency) {
            return Some("`concurrency` must lie between 1 and 64".to_owned());
        }
        if !(0.05..=0.95).contains(&self.reliability) {
            return Some("`reliability` must lie between 0.05 and 0.95".to_owned());
        }
        if !(1..=9).contains(&self.samples) {
            return Some("`samples` must lie between 1 and 9".to_owned());
        }
        if !(0.0..=2.0).contains(&self.temperature) {
            return Some("`temperature` must lie between 0 and 2".to_owned());
        }
        None
    }

    /// How long all requests of a turn may take together.
    pub fn turn_deadline(&self) -> Duration {
        seconds(self.turn_timeout)
    }
}

/// A time, whatever the number.
pub(crate) fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value.clamp(0.0, LONGEST_SECONDS)).unwrap_or(Duration::from_secs(30))
}
