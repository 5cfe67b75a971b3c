//! One question to the model: a prompt that fits, the call, a lenient reading, one more try with what was wrong.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use tokio::time::Instant;

use super::answers::{Answer, SqlAnswer};
use super::at_once::nothing;
use super::book::Open;
use super::budget::{Fitted, Parts, Unfit};
use super::data;
use super::prompts::Task;
use super::{ModelReasoner, coerce, lenient, shape};
use crate::conversation::{ErrorKind, SentCells, TurnError, Usage};
use crate::graph::Context;
use crate::model::{ModelError, ModelErrorKind, ProgressSink, Reply, Request};
use crate::reasoner::{Ask, Judged, ReasonerError};

/// Characters of a wrong answer that are shown to the model again.
const SHOWN_ANSWER: usize = 400;

/// How freely a model chooses its words when it is asked for the same again: enough that samples may differ.
const FREELY: f32 = 0.7;

/// One judgement under way: what it may look at, until when, and what it has cost so far.
pub(super) struct Turn<'a> {
    pub(super) ask: Ask<'a>,
    /// True in the phases of planning, whose calls have no cap of their own.
    pub(super) phase: bool,
    pub(super) open: Open<'a>,
    spent: Mutex<Usage>,
    sent: Mutex<Vec<SentCells>>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    #[error("{0}")]
    Model(#[from] ModelError),
    #[error("{0}")]
    Unfit(#[from] Unfit),
    #[error("the model's answer could not be used: {0} (try again, or use a larger model)")]
    Unusable(String),
    #[error("{0}")]
    Cap(String),
    /// The model says that there is nothing to answer with, for this reason.
    #[error("nothing in the database fits the question")]
    Nothing(String),
}

impl<'a> Turn<'a> {
    pub(super) fn new(ask: Ask<'a>, phase: bool, open: Open<'a>) -> Self {
        Self { ask, phase, open, spent: Mutex::default(), sent: Mutex::default() }
    }

    fn spend(&self, usage: Usage) {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += usage;
    }

    pub(super) fn spent(&self) -> Usage {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers which cells a request held.
    fn show(&self, cells: &[SentCells]) {
        SentCells::add(&mut self.sent.lock().unwrap_or_else(PoisonError::into_inner), cells);
    }

    fn sent(&self) -> Vec<SentCells> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was judged, with its cost.
    pub(super) fn judged<T>(&self, value: T) -> Judged<T> {
        Judged { usage: self.spent(), cells: self.sent(), ..Judged::free(value) }
    }

    /// That nothing could be judged, with the cost.
    pub(super) fn failed(&self, trouble: &Trouble) -> ReasonerError {
        let error = match trouble {
            Trouble::Nothing(reasoning) => nothing(reasoning),
            trouble => TurnError::new(ErrorKind::Model, trouble.to_string()),
        };
        ReasonerError { error, usage: self.spent(), cells: self.sent() }
    }
}

impl ModelReasoner {
    /// Asks, reads and checks. What `check` does not accept is asked again once, with what is wrong.
    pub(super) async fn ask_model<'p, A: Answer, T>(
        &self,
        turn: &Turn<'_>,
        task: Task,
        parts: impl Fn() -> Parts<'p>,
        check: impl Fn(A) -> Result<T, String>,
    ) -> Result<T, Trouble> {
        let shape = shape::schema::<A>();
        let mut again: Option<String> = None;
        loop {
            let mut parts = parts();
            if let Some(again) = &again {
                parts = parts.need("again", again.clone());
            }
            let reply = self.send::<A>(turn, task, &parts, &shape).await?;
            let problem = match read::<A>(&reply.text, &shape).and_then(&check) {
                Ok(value) => return Ok(value),
                Err(problem) => problem,
            };
            tracing::debug!(task = task.name(), %problem, "the model's answer cannot be used");
            // A second try must not take what is left for the rest of the turn.
            if again.is_some() || !turn.open.take_call(self.caps.max_calls) {
                return Err(Trouble::Unusable(problem));
            }
            let answer = data::fenced(&data::cut(&reply.text, SHOWN_ANSWER));
            again = Some(format!(
                "You answered:\n<answer>\n{answer}\n</answer>\nThat cannot be used: {}. Answer again in the given form.",
                data::cut(&problem, 400)
            ));
        }
    }

    /// Sends a prompt that fits. Where the server takes less than the settings say, it is packed again, smaller, and later
    /// prompts are packed so from the start.
    async fn send<A: Answer>(
        &self,
        turn: &Turn<'_>,
        task: Task,
        parts: &Parts<'_>,
        shape: &Value,
    ) -> Result<Reply, Trouble> {
        loop {
            let budget = self.budget.within(self.taken.load(Ordering::Relaxed));
            let fitted = budget.fit(&self.prompts, task, parts, self.shape_tokens(shape))?;
            let too_long = match self.send_fitted::<A>(turn, task, &fitted, shape, parts.sample).await {
                Err(Trouble::Model(error)) if error.kind == ModelErrorKind::ContextLength => error,
                outcome => return outcome,
            };
            let Some(smaller) = budget.smaller() else { return Err(Trouble::Model(too_long)) };
            tracing::warn!(
                task = task.name(),
                tokens = fitted.tokens,
                smaller,
                "the prompt was too long for the server"
            );
            self.taken.fetch_min(smaller, Ordering::Relaxed);
        }
    }

    async fn send_fitted<A: Answer>(
        &self,
        turn: &Turn<'_>,
        task: Task,
        fitted: &Fitted,
        shape: &Value,
        sample: u8,
    ) -> Result<Reply, Trouble> {
        if !fitted.left_out.is_empty() {
            tracing::info!(task = task.name(), left_out = %fitted.left_out.join(", "), "the prompt has no room for all");
            turn.open.left_out(task.name(), &fitted.left_out);
        }
        let answer_tokens = self.budget.answer_tokens;
        self.within_caps(turn, (fitted.tokens + answer_tokens) as u64)?;
        let mut request = Request::new(
            task.name(),
            fitted.rendered.system.clone(),
            fitted.rendered.user.clone(),
            u32::try_from(answer_tokens).unwrap_or(u32::MAX),
        )
        .schema(A::NAME, shape.clone());
        request.temperature = match sample {
            0 => self.caps.temperature,
            // No two samples have the same, so that a cache tells them apart.
            sample => self.caps.temperature.max(FREELY) + f32::from(sample) * 0.01,
        };
        request.progress = turn.ask.progress.and_then(Context::teller).map(|tell| {
            ProgressSink::new(move |progress| {
                tell(&format!("the model has written {} characters", progress.received))
            })
        });
        let deadline = turn.open.deadline;
        if Instant::now() < deadline {
            turn.show(&fitted.cells);
        }
        let outcome = match Instant::now() >= deadline {
            true => Err(()),
            false => tokio::time::timeout_at(deadline, self.client.complete(&request)).await.map_err(|_| ()),
        };
        let Ok(outcome) = outcome else {
            turn.spend(Usage { llm_calls: 1, prompt_tokens: fitted.tokens as u64, completion_tokens: 0 });
            return Err(Trouble::Cap(format!(
                "the model has taken the {:.0} s that one turn may take (raise `turn_timeout`, or use a faster model)",
                self.caps.turn_time.as_secs_f64()
            )));
        };
        turn.spend(self.cost(&outcome, fitted.tokens));
        Ok(outcome?)
    }

    /// What a call has cost: what the server says, or else our own count.
    fn cost(&self, outcome: &Result<Reply, ModelError>, prompt: usize) -> Usage {
        match outcome {
            Ok(reply) => Usage {
                llm_calls: u64::from(reply.requests),
                prompt_tokens: reply.usage.prompt_tokens.unwrap_or(prompt as u64),
                completion_tokens: reply
                    .usage
                    .completion_tokens
                    .unwrap_or_else(|| self.budget.tokenizer.count(&reply.text) as u64),
            },
            Err(error) => Usage { llm_calls: u64::from(error.requests), ..Usage::default() },
        }
    }

    /// Whether a request of so many tokens may be sent.
    fn within_caps(&self, turn: &Turn<'_>, tokens: u64) -> Result<(), Trouble> {
        let spent = turn.spent();
        let state = turn.ask.state;
        for (what, setting, limit, before) in [
            ("turn", "turn_token_limit", self.caps.turn_tokens, state.usage),
            ("conversation", "session_token_limit", self.caps.session_tokens, state.total_usage()),
        ] {
            let used = before.prompt_tokens
                + before.completion_tokens
                + spent.prompt_tokens
                + spent.completion_tokens;
            if limit > 0 && used.saturating_add(tokens) > limit {
                return Err(Trouble::Cap(format!(
                    "this {what} has used {used} of the {limit} model tokens it may cost, and the next call needs up to \
                     {tokens} (raise `{setting}`, or start a new conversation)"
                )));
            }
        }
        Ok(())
    }

    pub(super) fn shape_tokens(&self, shape: &Value) -> usize {
        self.budget.tokenizer.count(&shape.to_string())
    }
}

/// An answer of a shape, however it was written.
fn read<A: Answer>(text: &str, shape: &Value) -> Result<A, String> {
    let mut problem = None;
    for object in lenient::objects(text) {
        let read = coerce::coerce(object, shape, A::NEEDED)
            .and_then(|value| serde_json::from_value::<A>(value).map_err(|error| error.to_string()));
        match read {
            Ok(answer) => return Ok(answer),
            Err(error) => problem = problem.or(Some(error)),
        }
    }
    if let Some(answer) = A::from_text(text) {
        return Ok(answer);
    }
    Err(problem.unwrap_or_else(|| "there is no JSON object in it".to_owned()))
}

/// SQL that was written without JSON around it.
pub(super) fn plain_sql(text: &str) -> Option<SqlAnswer> {
    let begins = |text: &str| {
        let first =
            text.split(|character: char| !character.is_ascii_alphabetic()).find(|word| !word.is_empty());
        first.is_some_and(|word| ["select", "with"].contains(&word.to_ascii_lowercase().as_str()))
    };
    let fences = lenient::fences(text);
    let fenced = fences.iter().find(|(label, body)| label == "sql" || label == "sqlite" || begins(body));
    let sql = match fenced {
        Some((_, body)) => body.clone(),
        None if begins(text.trim()) => text.trim().to_owned(),
        None => return None,
    };
    (!sql.is_empty()).then(|| SqlAnswer { sql: Some(sql), reasoning: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reasoner::model::answers::{RelevanceAnswer, RouterAnswer};

    fn sql(text: &str) -> Result<Option<String>, String> {
        read::<SqlAnswer>(text, &shape::schema::<SqlAnswer>()).map(|answer| answer.sql)
    }

    #[test]
    fn sql_is_found_with_and_without_json() {
        for text in [
            r#"{"sql": "SELECT 1", "reasoning": ""}"#,
            "```json\n{\"SQL\": \"SELECT 1\"}\n```",
            "Here you are:\n```sql\nSELECT 1\n```",
            "```\nSELECT 1\n```",
            "SELECT 1",
        ] {
            assert_eq!(sql(text), Ok(Some("SELECT 1".to_owned())), "{text}");
        }
        assert!(sql("I cannot do that").is_err());
        assert_eq!(sql(r#"{"sql": null}"#), Ok(None));
    }

    #[test]
    fn an_answer_may_be_wrapped() {
        let shape = shape::schema::<RelevanceAnswer>();
        for text in [
            r#"[{"is_relevant": true}]"#,
            r#"{"table_relevance": {"is_relevant": true}}"#,
            r#"{"note": 1} {"is_relevant": true}"#,
        ] {
            assert!(read::<RelevanceAnswer>(text, &shape).unwrap().is_relevant, "{text}");
        }
        assert!(read::<RouterAnswer>("{}", &shape::schema::<RouterAnswer>()).is_err());
    }
}
