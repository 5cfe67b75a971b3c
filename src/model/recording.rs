//! Exchanges written to a file, and answers from one.
//!
//! A recording is a text file, one exchange a line, as JSON. It holds what was asked and what came of it; keys are in
//! neither, and errors are cleaned of them before they get here.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::{ClientFuture, ModelClient, ModelError, ModelErrorKind, Reply, Request};
use crate::base::{input, json};
use crate::files;

/// A larger recording is none of a conversation.
const LARGEST: u64 = 256 << 20;

#[derive(Serialize, Deserialize)]
struct Exchange {
    model: String,
    request: Request,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply: Option<Reply>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Passes requests on and writes down every exchange.
pub struct Recorder {
    client: Arc<dyn ModelClient>,
    file: Mutex<File>,
}

impl Recorder {
    /// Writes what `client` is asked and answers to a new file at `path`, which only its owner may read.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(client: Arc<dyn ModelClient>, path: &Path) -> Result<Self, ModelError> {
        let file = files::create(path).map_err(|error| unusable(path, &error))?;
        Ok(Self { client, file: Mutex::new(file) })
    }

    fn write(&self, request: &Request, outcome: &Result<Reply, ModelError>) {
        let exchange = Exchange {
            model: self.client.model().to_owned(),
            request: request.clone(),
            reply: outcome.as_ref().ok().cloned(),
            error: outcome.as_ref().err().map(ToString::to_string),
        };
        let Ok(mut line) = serde_json::to_string(&exchange) else { return };
        line.push('\n');
        let written = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
        if let Err(error) = written {
            tracing::warn!(%error, "an exchange with the model could not be recorded");
        }
    }
}

impl ModelClient for Recorder {
    fn model(&self) -> &str {
        self.client.model()
    }

    fn complete<'a>(&'a self, request: &'a Request) -> ClientFuture<'a> {
        Box::pin(async move {
            let outcome = self.client.complete(request).await;
            self.write(request, &outcome);
            outcome
        })
    }
}

/// Answers from a recording, each exchange once; requests may come in another order than they were recorded in.
pub struct Replay {
    model: String,
    exchanges: Mutex<Vec<Option<Exchange>>>,
}

impl Replay {
    /// Reads a recording.
    ///
    /// # Errors
    /// The file cannot be read or is no recording; the error names the line.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let text = input::text(path, LARGEST).map_err(|error| unusable(path, &error))?;
        Self::from_text(&text)
    }

    /// Reads a recording's text.
    ///
    /// # Errors
    /// As [`Replay::open`].
    pub fn from_text(text: &str) -> Result<Self, ModelError> {
        let mut exchanges = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let exchange: Exchange = json::read(line).map_err(|error| {
                let detail = format!("line {} of the recording is damaged: {error}", number + 1);
                ModelError::new(ModelErrorKind::Setup, detail)
            })?;
            exchanges.push(Some(exchange));
        }
        let model = exchanges
            .iter()
            .flatten()
            .next()
            .map_or_else(|| "replay".to_owned(), |first| first.model.clone());
        Ok(Self { model, exchanges: Mutex::new(exchanges) })
    }

    fn answer(&self, request: &Request) -> Result<Reply, ModelError> {
        let mut exchanges = self.exchanges.lock().unwrap_or_else(PoisonError::into_inner);
        let found = exchanges.iter_mut().find(|slot| {
            slot.as_ref().is_some_and(|exchange| difference(&exchange.request, request).is_none())
        });
        let Some(exchange) = found.and_then(Option::take) else {
            let left: Vec<&Exchange> = exchanges.iter().flatten().collect();
            return Err(ModelError::new(ModelErrorKind::NotRecorded, mismatch(&left, request)));
        };
        match (exchange.reply, exchange.error) {
            (Some(reply), _) => Ok(reply),
            // What the fault was is known only in words; that it was one is what matters to whoever replays it.
            (None, error) => Err(ModelError::new(ModelErrorKind::Server, error.unwrap_or_default())),
        }
    }
}

impl ModelClient for Replay {
    fn model(&self) -> &str {
        &self.model
    }

    fn complete<'a>(&'a self, request: &'a Request) -> ClientFuture<'a> {
        Box::pin(std::future::ready(self.answer(request)))
    }
}

/// What differs first between two requests.
fn difference(recorded: &Request, asked: &Request) -> Option<String> {
    if recorded.task != asked.task {
        return Some(format!("the task was `{}` and is `{}`", recorded.task, asked.task));
    }
    for (part, recorded, asked) in
        [("system", &recorded.system, &asked.system), ("user", &recorded.user, &asked.user)]
    {
        if recorded == asked {
            continue;
        }
        let (mut old, mut new) = (recorded.lines(), asked.lines());
        let mut number = 0_usize;
        loop {
            number += 1;
            match (old.next(), new.next()) {
                (None, None) => return Some(format!("the {part} text differs in its line ends")),
                (old, new) if old == new => {}
                (old, new) => {
                    let (old, new) = (shown(old), shown(new));
                    return Some(format!("line {number} of the {part} text was {old} and is {new}"));
                }
            }
        }
    }
    if recorded.schema != asked.schema {
        return Some("the shape of the answer differs".to_owned());
    }
    if recorded.max_tokens != asked.max_tokens {
        return Some(format!("`max_tokens` was {} and is {}", recorded.max_tokens, asked.max_tokens));
    }
    None
}

fn shown(line: Option<&str>) -> String {
    match line {
        Some(line) => format!("`{}`", line.chars().take(80).collect::<String>()),
        None => "missing".to_owned(),
    }
}

/// How the nearest exchange that is left differs: the one of the same task whose text agrees longest.
fn mismatch(left: &[&Exchange], asked: &Request) -> String {
    let agreeing = |exchange: &&&Exchange| {
        let same = exchange.request.user.bytes().zip(asked.user.bytes()).take_while(|(old, new)| old == new);
        (exchange.request.task == asked.task, same.count())
    };
    match left.iter().max_by_key(agreeing) {
        Some(nearest) => difference(&nearest.request, asked).unwrap_or_default(),
        None => format!("all exchanges were used before `{}`", asked.task),
    }
}

fn unusable(path: &Path, error: &std::io::Error) -> ModelError {
    ModelError::new(
        ModelErrorKind::Setup,
        format!("the recording `{}` cannot be used: {error}", path.display()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Scripted;

    #[tokio::test]
    async fn what_was_recorded_is_replayed_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("talk.jsonl");
        let recorder = Recorder::create(Arc::new(Scripted::new(["one", "two"])), &path).unwrap();
        let (first, second) =
            (Request::new("a", "s", "first", 10), Request::new("a", "s", "second\nline", 10));
        recorder.complete(&first).await.unwrap();
        recorder.complete(&second).await.unwrap();

        let replay = Replay::open(&path).unwrap();
        assert_eq!(replay.complete(&second).await.unwrap().text, "two");
        let other = Request::new("a", "s", "firts", 10);
        let error = replay.complete(&other).await.unwrap_err();
        assert_eq!(error.detail, "line 1 of the user text was `first` and is `firts`");
        assert_eq!(replay.complete(&first).await.unwrap().text, "one");
        let error = replay.complete(&first).await.unwrap_err();
        assert_eq!(error.detail, "all exchanges were used before `a`");
    }

    #[test]
    fn a_damaged_recording_names_its_line() {
        let error = Replay::from_text("\n{}").err().unwrap();
        assert!(error.detail.starts_with("line 2 of the recording is damaged"), "{error}");
    }
}
