//! Running a reading of the question before it is the answer: to see how far readings agree, and to show what the choices
//! of a question back would give.
//!
//! There is one way to do so. It runs only where a query costs nobody anything and nobody waits to approve what runs,
//! every run is journaled, and what a reading gave is kept for the answer, in case that reading is taken.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::FullRows;
use crate::ambiguity::{Ambiguity, Choice, Correction, Preview};
use crate::conversation::{Change, ProposedQuery, TriedReading};
use crate::database::{Database, DatabaseError, Limits, Rows};
use crate::graph::Context;
use crate::plan::{self, Expr, QueryPlan, Select};
use crate::reasoner::{Alternatives, Ask, Trial, WrittenQuery, fits, renamed, respelt};
use crate::schema::Value;
use crate::sql::{self, guard};

/// The likeliest reading of a question, or a query that somebody wrote, may take so long: it mostly is the answer, and its rows are
/// kept. To stop it earlier would be to begin it once more.
const ANSWER_TIME: Duration = Duration::from_secs(2);

/// So long may the readings take together that are offered beside an answer.
pub(super) const BESIDE_TIME: Duration = Duration::from_millis(500);

/// So long after that one was begun no other is tried any more.
const TIME: Duration = Duration::from_millis(100);

/// Readings are compared by so many rows at most.
const ROWS: usize = 1_000;

/// Readings are compared by so many bytes at most.
const BYTES: usize = 1 << 20;

/// So many rows show what a choice means.
const SHOWN: usize = 3;

/// A preview with more bytes of cells is left out.
const SHOWN_BYTES: usize = 4096;

/// What came of running a reading.
#[derive(Clone)]
enum Run {
    /// It was not run, or not to the end.
    Not,
    /// The guard or the database refused it.
    Failed,
    /// It gave rows.
    Rows(Arc<Rows>),
}

/// Runs the readings of one question for one node, and writes down that it did.
pub(super) struct Readings<'a> {
    trying: &'a Trying,
    context: &'a Context,
    tried: Vec<TriedReading>,
}

/// Runs readings before one is answered, and keeps their rows for the answer.
#[derive(Clone)]
pub struct Trying {
    pub(super) database: Arc<dyn Database>,
    pub(super) limits: Limits,
    pub(super) full_rows: Arc<FullRows>,
}

impl Trying {
    /// Whether nobody has to pay for what is run.
    pub(super) fn is_free(&self) -> bool {
        self.database.is_local()
    }

    /// The runs of readings for one node; none is run where somebody would have to pay for it, wait for it or approve it.
    pub(super) fn readings<'a>(&'a self, context: &'a Context) -> Readings<'a> {
        Readings { trying: self, context, tried: Vec::new() }
    }
}

impl Readings<'_> {
    /// What came of running each of these plans.
    pub(super) async fn trials(&mut self, plans: &[QueryPlan]) -> Vec<Trial> {
        let mut trials = Vec::new();
        let begun = Instant::now();
        for (place, plan) in plans.iter().enumerate() {
            let time = if place == 0 { ANSWER_TIME } else { TIME };
            let left = time.saturating_sub(begun.elapsed());
            let run = if left.is_zero() { Run::Not } else { self.run(plan, left).await };
            trials.push(match run {
                Run::Not => Trial::Untried,
                Run::Failed => Trial::Failed,
                Run::Rows(rows) => Trial::of(&rows.rows),
            });
        }
        trials
    }

    /// A query that was written for the question, as it is worth answering with: where it fails for a name, with a name that
    /// comes near, and where it finds nothing, with a value that does. Also which of `plans`, which were tried before, come to
    /// the same.
    pub(super) async fn proposed(
        &mut self,
        query: WrittenQuery,
        plans: &[QueryPlan],
        ask: Ask<'_>,
        proposal: &ProposedQuery,
    ) -> ProposedQuery {
        let mut tried = vec![(query.clone(), self.written(&query, ask).await)];
        // Where nobody else has read the question, nobody could tell whether a correction is right.
        match tried.first() {
            _ if plans.is_empty() => {}
            Some((_, Run::Failed)) => {
                for way in renamed(ask, &query.sql) {
                    let run = self.written(&way, ask).await;
                    tried.push((way, run));
                }
            }
            Some((_, Run::Rows(rows))) if rows.is_empty() => {
                if let Some(way) = respelt(ask, query.plan.as_ref()) {
                    let run = self.written(&way, ask).await;
                    tried.push((way, run));
                }
            }
            _ => {}
        }
        let mut best: Option<(bool, ProposedQuery)> = None;
        for (way, run) in tried {
            let like = self.like(&way, &run, plans);
            let trial = match &run {
                Run::Not => Trial::Untried,
                Run::Failed => Trial::Failed,
                Run::Rows(rows) => Trial::of(&rows.rows),
            };
            // What both judges come to is right, whichever name it took; else the first that gives rows.
            let is_better = match &best {
                None => true,
                Some((gives_rows, known)) => {
                    known.like.is_empty() && !like.is_empty()
                        || !gives_rows && trial.count().is_some_and(|count| count > 0)
                }
            };
            if is_better {
                let note = Some(way.note).filter(|note| !note.is_empty());
                let proposal = ProposedQuery {
                    sql: Some(way.sql),
                    notes: proposal.notes.iter().cloned().chain(note).collect(),
                    trial,
                    like,
                    ..proposal.clone()
                };
                best = Some((trial.count().is_some_and(|count| count > 0), proposal));
            }
        }
        best.map_or_else(|| proposal.clone(), |(_, proposal)| proposal)
    }

    /// The query that most samples of its author come to by their rows; of those that are as many, the earliest. Samples that
    /// fail do not count.
    pub(super) async fn majority(
        &mut self,
        first: ProposedQuery,
        samples: Vec<WrittenQuery>,
        plans: &[QueryPlan],
        ask: Ask<'_>,
    ) -> ProposedQuery {
        if samples.is_empty() {
            return first;
        }
        let mut all = vec![first.clone()];
        for query in samples {
            let (sql, reasoning) = (Some(query.sql.clone()), query.note.clone());
            let fresh = ProposedQuery { sql, reasoning, notes: Vec::new(), ..first.clone() };
            all.push(self.proposed(query, plans, ask, &fresh).await);
        }
        let alike = |one: &ProposedQuery| all.iter().filter(|other| is_alike(one, other, ask)).count();
        let (mut best, mut most) = (0, 0);
        for (at, proposal) in all.iter().enumerate().filter(|(_, proposal)| proposal.trial != Trial::Failed) {
            let alike = alike(proposal);
            if alike > most {
                (best, most) = (at, alike);
            }
        }
        let count = all.len();
        let mut taken = all.swap_remove(best);
        taken.notes.push(format!("Asked {count} times, the model came to the same {most} times."));
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        ProposedQuery { samples: number(count), alike: number(most), ..taken }
    }

    /// The plans that come to the same as a query: those with the same rows, or where nothing may run those that are the same
    /// query. To find nothing is no agreement: too many queries do.
    fn like(&self, query: &WrittenQuery, run: &Run, plans: &[QueryPlan]) -> Vec<usize> {
        let own = query.plan.as_ref();
        let is_like = |plan: &QueryPlan| match run {
            Run::Failed => false,
            Run::Not => own.is_some_and(|own| plan::compare(own, plan).is_empty()),
            Run::Rows(rows) => {
                let sql = sql::render_named(plan, self.trying.database.dialect());
                let tried = self.trying.full_rows.tried(self.context.run(), &sql);
                tried.is_some_and(|other| is_same(&rows.rows, &other.rows, own, plan))
            }
        };
        plans.iter().enumerate().filter(|(_, plan)| is_like(plan)).map(|(at, _)| at).collect()
    }

    /// Runs a query that somebody wrote, if it names nothing that is not there.
    async fn written(&mut self, query: &WrittenQuery, ask: Ask<'_>) -> Run {
        if !self.may_run() {
            return Run::Not;
        }
        if fits(&query.sql, ask.knowledge.schema(), ask.dialect).is_err() {
            return Run::Failed;
        }
        self.run_sql(query.sql.clone(), ANSWER_TIME).await
    }

    /// The same question with the first rows of every table to choose from; what cannot run has none.
    pub(super) async fn previewed(&mut self, mut ambiguity: Ambiguity) -> Ambiguity {
        for choice in ambiguity.options_mut() {
            if let Correction::TableSelection { selected_table, .. } = &choice.correction {
                let plan = QueryPlan::from(Select::from_table(selected_table).project(Expr::All(None)));
                let plan = QueryPlan { limit: Some(SHOWN as u64), ..plan };
                if let Run::Rows(rows) = self.run(&plan, Duration::MAX).await {
                    choice.preview = Some(preview(&rows));
                }
            }
        }
        ambiguity
    }

    /// The first of these questions whose readings give different rows, that of the answer first; `None` where all give the
    /// same, and there is nothing to choose. Where readings may not be run, it is the first question, without a preview.
    ///
    /// What fails is no choice, and neither is what finds nothing where the likeliest finds something. What does not end in
    /// `time`, which all of them share, is a choice without a preview.
    pub(super) async fn apart(&mut self, questions: &[Alternatives], time: Duration) -> Option<Ambiguity> {
        if !self.may_run() {
            let choices = |question: &Alternatives| {
                question.readings.iter().map(|(choice, _)| choice.clone()).collect()
            };
            let ask = |question: &Alternatives| {
                Ambiguity::new(question.kind, question.question.clone(), choices(question))
            };
            return questions.iter().find_map(ask);
        }
        let begun = Instant::now();
        // Where the likeliest reading fails there is no question to ask but an error to repair.
        let (choice, plan) = questions.first()?.readings.first()?;
        let likeliest = self.shown(choice, plan, time).await?;
        for question in questions {
            let mut found = vec![likeliest.clone()];
            if let Some((choice, _)) = question.readings.first() {
                // What it is called differs from question to question.
                found.iter_mut().for_each(|(known, _)| {
                    *known = Choice { preview: known.preview.take(), ..choice.clone() };
                });
            }
            for (choice, plan) in question.readings.iter().skip(1) {
                let left = time.saturating_sub(begun.elapsed());
                let Some((choice, rows)) = self.shown(choice, plan, left).await else { continue };
                let differs = |rows: &Vec<Vec<Value>>| {
                    !rows.is_empty() && found.iter().all(|(_, known)| known.as_ref() != Some(rows))
                };
                if rows.as_ref().is_none_or(differs) {
                    found.push((choice, rows));
                }
            }
            let options = found.into_iter().map(|(choice, _)| choice).collect();
            let ambiguity = Ambiguity::new(question.kind, question.question.clone(), options);
            if ambiguity.is_some() {
                return ambiguity;
            }
        }
        None
    }

    /// What is to be journaled of it; none where nothing was run.
    pub(super) fn change(self, trials: Vec<Trial>) -> Option<Change> {
        let has_run = !self.tried.is_empty() || trials.iter().any(|trial| trial.is_tried());
        has_run.then_some(Change::ReadingsTried { readings: self.tried, trials })
    }

    /// A choice with its first rows, and the rows to compare it by where they came in time; `None` where its query fails.
    async fn shown(
        &mut self,
        choice: &Choice,
        plan: &QueryPlan,
        time: Duration,
    ) -> Option<(Choice, Option<Vec<Vec<Value>>>)> {
        let run = if time.is_zero() { Run::Not } else { self.run(plan, time).await };
        let found = match run {
            // What had all the time there is, and gave nothing, has failed too.
            Run::Not if time < Duration::MAX => return Some((choice.clone(), None)),
            Run::Failed | Run::Not => return None,
            Run::Rows(found) => found,
        };
        let mut rows = found.rows.clone();
        if plan.order_by.is_empty() {
            rows.sort_by_cached_key(|row| format!("{row:?}"));
        }
        Some((Choice { preview: Some(preview(&found)), ..choice.clone() }, Some(rows)))
    }

    /// Whether readings may be run before anybody asked for their rows.
    fn may_run(&self) -> bool {
        self.trying.is_free() && !self.context.awaits_approval()
    }

    /// Runs one reading, unless it was run in this turn already.
    async fn run(&mut self, plan: &QueryPlan, deadline: Duration) -> Run {
        if !self.may_run() {
            return Run::Not;
        }
        self.run_sql(sql::render_named(plan, self.trying.database.dialect()), deadline).await
    }

    async fn run_sql(&mut self, sql: String, deadline: Duration) -> Run {
        let Trying { database, limits, full_rows } = self.trying;
        if let Some(rows) = full_rows.tried(self.context.run(), &sql) {
            return Run::Rows(rows);
        }
        let Ok(checked) = guard::check(&sql, database.dialect()) else { return Run::Failed };
        let limits = Limits {
            rows: ROWS.min(limits.rows),
            bytes: BYTES.min(limits.bytes),
            deadline: deadline.min(limits.deadline),
        };
        let found = database.execute(&checked, &limits, self.context.cancellation()).await;
        let count = found.as_ref().ok().map(|rows| rows.len() as u64);
        tracing::info!(sql, verdict = "allowed", rows = count, "reading tried");
        self.tried.push(TriedReading { sql: sql.clone(), rows: count });
        match found {
            Ok(rows) => {
                let rows = Arc::new(rows);
                full_rows.keep_tried(self.context.run(), sql, Arc::clone(&rows));
                Run::Rows(rows)
            }
            Err(DatabaseError::Refused(_) | DatabaseError::Query { .. }) => Run::Failed,
            Err(_) => Run::Not,
        }
    }
}

/// Beside an answer the rows of the choices would only make the conversation larger.
pub(super) fn without_rows(mut readings: Ambiguity) -> Ambiguity {
    readings.options_mut().iter_mut().for_each(|choice| choice.preview = None);
    readings
}

/// Whether two samples come to the same: by their rows, or where nothing may run as queries.
fn is_alike(one: &ProposedQuery, other: &ProposedQuery, ask: Ask<'_>) -> bool {
    let plan = |proposal: &ProposedQuery| {
        sql::lift(proposal.sql.as_deref().unwrap_or_default(), ask.knowledge.schema(), ask.dialect)
    };
    one.sql == other.sql
        || match (one.trial, other.trial) {
            (Trial::Rows { .. }, Trial::Rows { .. }) => one.trial == other.trial,
            (Trial::Untried, Trial::Untried) => {
                plan(one).zip(plan(other)).is_some_and(|(one, other)| plan::compare(&one, &other).is_empty())
            }
            _ => false,
        }
}

/// Whether two results are the same: as rows in any order, and in order where both queries ask for one.
fn is_same(one: &[Vec<Value>], other: &[Vec<Value>], own: Option<&QueryPlan>, plan: &QueryPlan) -> bool {
    let trial = Trial::of(one);
    let ordered = !plan.order_by.is_empty() && own.is_some_and(|own| !own.order_by.is_empty());
    let in_order = || {
        one.iter().zip(other).all(|(one, other)| {
            Trial::of(std::slice::from_ref(one)) == Trial::of(std::slice::from_ref(other))
        })
    };
    trial.count().is_some_and(|count| count > 0) && trial == Trial::of(other) && (!ordered || in_order())
}

/// The first few rows. A preview travels with the conversation, which has to stay small.
fn preview(rows: &Rows) -> Preview {
    let mut shown: Vec<Vec<Value>> = rows.rows.iter().take(SHOWN).cloned().collect();
    if shown.iter().flatten().map(Value::size).sum::<usize>() > SHOWN_BYTES {
        shown.clear();
    }
    Preview { columns: rows.columns.clone(), rows: shown }
}
