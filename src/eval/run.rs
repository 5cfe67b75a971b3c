//! Running a file of questions: the answers of whoever answers, scored against the gold queries.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::compare;
use super::load::Example;
use super::report::Scored;
use crate::database::{BoxFuture, Database, Limits, Rows};
use crate::plan::Confidence;
use crate::sql::guard;

/// What was answered to one turn.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The query; none where no answer was given.
    pub sql: Option<String>,
    /// How sure it was.
    pub confidence: Confidence,
    /// The time to the query, its execution left out.
    pub elapsed: Duration,
}

/// Somebody who answers the turns of one conversation, each on their own history.
pub trait Answerer: Send {
    /// Answers the next turn.
    fn answer<'a>(&'a mut self, question: &'a str) -> BoxFuture<'a, Answer>;
}

/// Limits for scoring: results are compared whole, so more rows are kept than a user would see.
pub fn scoring_limits() -> Limits {
    Limits { rows: 200_000, bytes: 256 << 20, deadline: Duration::from_secs(10) }
}

/// Asks all turns of one conversation and scores them. Turns that are not to be scored are asked all the same: they
/// are part of the history.
pub async fn conversation(
    example: &Example,
    number: usize,
    database: &dyn Database,
    answerer: &mut dyn Answerer,
    limits: &Limits,
) -> Vec<Scored> {
    let mut scored = Vec::new();
    for turn in &example.turns {
        let answer = answerer.answer(&turn.question).await;
        if !turn.scored {
            continue;
        }
        let gold = rows(database, &turn.gold, limits).await;
        let (right, error) = match (&answer.sql, gold) {
            (None, _) => (false, None),
            (Some(sql), gold) => match (rows(database, sql, limits).await, gold) {
                (Ok(answer), Ok(gold)) if !answer.truncated && !gold.truncated => {
                    (compare::same(&gold.rows, &answer.rows, compare::is_ordered(&turn.gold)), None)
                }
                (Ok(_), _) => (false, None),
                (Err(error), _) => (false, Some(error)),
            },
        };
        scored.push(Scored {
            database: example.database.clone(),
            conversation: number,
            question: turn.question.clone(),
            gold: turn.gold.clone(),
            answer: answer.sql,
            confidence: answer.confidence,
            right,
            error,
            elapsed: answer.elapsed,
        });
    }
    scored
}

async fn rows(database: &dyn Database, sql: &str, limits: &Limits) -> Result<Rows, String> {
    let checked = guard::check(sql.trim_end_matches([';', ' ']), database.dialect())
        .map_err(|refusal| refusal.to_string())?;
    database.execute(&checked, limits, &CancellationToken::new()).await.map_err(|error| error.to_string())
}
