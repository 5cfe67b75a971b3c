//! The embedded reasoner behind the trait: what the rules understand, in the terms of the graph.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jiff::civil::Date;

use super::constraints::{self, options, today};
use super::rules::follow_up::{self, Answered, FollowUp, Understood};
use super::rules::{Doubt, RankedReadings};
use super::statement::Statement;
use super::whole::Basis;
use super::{
    Ask, Assurance, Judged, Judgement, Reading, Reasoner, ReasonerError, RouterOutput, Whole, WrittenQuery,
    alternatives, repair, statement,
};
use crate::ambiguity::{Correction, detect};
use crate::conversation::{ErrorKind, Failure, Route, RouterMode, Turn, TurnError};
use crate::lesson::LessonId;
use crate::plan::{self, Confidence, EditWeight, PlanEdit, PlannedTable, PlannerOutput, QueryPlan};
use crate::sql;

/// Judges by embedded rules: deterministic, in milliseconds, without a model, a key or a network.
///
/// A question is understood as a whole, once; what was understood is kept until a few other questions have come.
#[derive(Debug, Default)]
pub struct RuleReasoner {
    read: Mutex<VecDeque<(Key, Arc<Read>)>>,
}

/// How many questions are kept: a turn needs one, and a few turns may be under way at once.
const KEPT: usize = 16;

/// So many words are no change of a question, but one of their own.
const LONG: usize = 9;

/// What the reading of a question's words depends on.
#[derive(Debug, PartialEq)]
struct Key {
    knowledge: u64,
    question: String,
    today: Date,
    corrections: Vec<Correction>,
    lessons: Vec<LessonId>,
}

/// A question whose words were read.
#[derive(Debug)]
struct Read {
    readings: Arc<RankedReadings>,
    /// What it means, where nothing but its words says so.
    whole: OnceLock<Option<Arc<Whole>>>,
}

impl RuleReasoner {
    /// What a question means, or why nothing can be made of it.
    pub(super) fn whole(&self, ask: Ask<'_>) -> Result<Arc<Whole>, TurnError> {
        if let Some((best, basis)) = settled(ask)? {
            let readings = (!basis.is_final()).then(|| Arc::clone(&self.read(ask).readings));
            let alike = look_alikes(ask, &best.output);
            return Ok(Arc::new(Whole::new(best, basis, alike, readings)));
        }
        let read = self.read(ask);
        let answer = || {
            let best = Reading::from(read.readings.answer()?.clone());
            let alike = look_alikes(ask, &best.output);
            Some(Arc::new(Whole::new(best, Basis::Words, alike, Some(Arc::clone(&read.readings)))))
        };
        let error = || TurnError::new(ErrorKind::NotUnderstood, not_understood(&read.readings));
        read.whole.get_or_init(answer).clone().ok_or_else(error)
    }

    /// The readings of the question's words.
    pub(super) fn readings(&self, ask: Ask<'_>) -> Arc<RankedReadings> {
        Arc::clone(&self.read(ask).readings)
    }

    fn read(&self, ask: Ask<'_>) -> Arc<Read> {
        let key = Key {
            knowledge: ask.knowledge.id(),
            question: ask.question.to_owned(),
            today: today(ask),
            corrections: ask.state.corrections.clone(),
            lessons: ask.lessons.iter().map(|lesson| lesson.id.clone()).collect(),
        };
        let mut kept = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, read)) = kept.iter().find(|(known, _)| *known == key) {
            return Arc::clone(read);
        }
        let read = Arc::new(Read { readings: Arc::new(constraints::read(ask)), whole: OnceLock::new() });
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back((key, Arc::clone(&read)));
        read
    }

    /// Where a follow-up goes.
    pub(super) fn routed(&self, ask: Ask<'_>) -> RouterOutput {
        if statement::stored(ask).is_some() {
            return RouterOutput::New;
        }
        match statement::recognise(ask) {
            Some(Statement::Refused(error)) => return RouterOutput::Failed(error),
            Some(Statement::Query(_)) => return RouterOutput::New,
            None => {}
        }
        let Some(previous) = current_plan(ask) else { return RouterOutput::New };
        let Understood { follow_up, others, stands_alone } = self.follow_up(ask, &previous);
        let readings = &self.read(ask).readings;
        if !follow_up.is_clear() && readings.is_foreign(ask.question) {
            let error = TurnError::new(ErrorKind::NotUnderstood, not_understood(readings));
            return RouterOutput::Failed(error);
        }
        match follow_up {
            FollowUp::Edits { edits, plan, evidence, confidence, account, .. } => {
                let doubts = in_words(&account.doubts);
                let alternatives = alternatives::of_follow_up(&previous, &plan, &others);
                let left_out = account.left_out;
                let assurance = Assurance { confidence, left_out, doubts, alternatives, stands_alone };
                match plan::weight(&edits) {
                    Some(EditWeight::Inline) | None => RouterOutput::Inline {
                        query: sql::render_named(&plan, ask.dialect),
                        plan: Some(plan),
                        explanation: evidence,
                        assurance,
                    },
                    Some(EditWeight::Update) => to_planner(RouterMode::Update, edits, assurance),
                    Some(EditWeight::Rewrite) => to_planner(RouterMode::Rewrite, edits, assurance),
                }
            }
            FollowUp::NewQuestion { question, confidence, doubts, .. } => RouterOutput::Plan {
                mode: RouterMode::Rewrite,
                instructions: format!("Answer: {question}"),
                edits: Vec::new(),
                question: Some(question),
                assurance: Some(Assurance {
                    confidence,
                    doubts: in_words(&doubts),
                    stands_alone,
                    ..Assurance::default()
                }),
            },
            FollowUp::NotUnderstood { evidence } => {
                let said = match ask.question.split_whitespace().count() {
                    // So much is a whole question, and no change of one.
                    LONG.. => not_understood(readings),
                    _ => not_a_change(ask.question, &evidence),
                };
                RouterOutput::Failed(TurnError::new(ErrorKind::NotUnderstood, said))
            }
        }
    }

    fn follow_up(&self, ask: Ask<'_>, previous: &QueryPlan) -> Understood {
        let earlier: Vec<Answered<'_>> = ask.state.turns.iter().filter_map(answered).collect();
        let words = ask.knowledge.words();
        let intent = ask.state.intent.zip(ask.state.confidence);
        follow_up::propose(ask.question, previous, &earlier, intent, words, &options(ask))
    }
}

/// A turn with the plan of its answer.
fn answered(turn: &Turn) -> Option<Answered<'_>> {
    turn.query.as_ref()?;
    Some(Answered { said: &turn.input, plan: turn.query_plan.as_ref()? })
}

fn ready<'a, T: Send + 'a>(value: T) -> Judgement<'a, T> {
    Box::pin(std::future::ready(Ok(Judged::free(value))))
}

fn judged<'a, T: Send + 'a>(value: Result<T, TurnError>) -> Judgement<'a, T> {
    let judged = value.map(Judged::free).map_err(ReasonerError::from);
    Box::pin(std::future::ready(judged))
}

impl Reasoner for RuleReasoner {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn route<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, RouterOutput> {
        ready(self.routed(ask))
    }

    fn understand<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, super::Understanding<'a>> {
        judged(self.whole(ask).map(super::Understanding::Whole))
    }

    fn update_plan<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Result<Reading, TurnError>> {
        judged(updated(ask).map(Ok))
    }

    fn generate_sql<'a>(&'a self, ask: Ask<'a>, plan: &'a PlannerOutput) -> Judgement<'a, WrittenQuery> {
        judged(match &plan.query_plan {
            Some(plan) => Ok(WrittenQuery {
                sql: sql::render_named(plan, ask.dialect),
                plan: Some(plan.clone()),
                note: "Rendered from the plan.".to_owned(),
            }),
            None => Err(TurnError::new(ErrorKind::NotUnderstood, "The plan has no typed query to render.")),
        })
    }

    fn repair<'a>(&'a self, ask: Ask<'a>, failure: &'a Failure) -> Judgement<'a, Option<WrittenQuery>> {
        // What somebody stored is not changed behind their back.
        if statement::stored(ask).is_some() {
            return ready(None);
        }
        ready(repair::repair(ask, failure, ask.state.scratch.query_plan.as_ref()))
    }

    fn refine<'a>(
        &'a self,
        ask: Ask<'a>,
        _sql: &'a str,
        plan: Option<&'a QueryPlan>,
    ) -> Judgement<'a, Option<WrittenQuery>> {
        if statement::stored(ask).is_some() {
            return ready(None);
        }
        ready(repair::respelt(ask, plan))
    }
}

/// The reading of a question that needs no look at its words, with what it rests on; `None` for all others.
fn settled(ask: Ask<'_>) -> Result<Option<(Reading, Basis)>, TurnError> {
    // Another way to take a follow-up was chosen, and not the edits that were made first.
    if let Some(chosen) = choice(ask) {
        return Ok(Some((chosen, Basis::Choice)));
    }
    if let Some(rewritten) = rewritten(ask) {
        return Ok(Some((rewritten, Basis::Edits)));
    }
    if let Some(sql) = statement::stored(ask) {
        let reading = typed(ask, &sql, "A query is stored for this question.");
        return Ok(Some((Reading { sql: Some(sql), ..reading }, Basis::Stored)));
    }
    match statement::recognise(ask) {
        Some(Statement::Refused(error)) => return Err(error),
        Some(Statement::Query(sql)) => {
            let reading = typed(ask, &sql, "The question is SQL and was taken as it is.");
            // What is more than the plan language can say runs as it was typed.
            let sql = reading.output.query_plan.is_none().then_some(sql);
            return Ok(Some((Reading { sql, ..reading }, Basis::Statement)));
        }
        None => {}
    }
    Ok(None)
}

/// The previous plan, changed by the router's edits.
pub(super) fn updated(ask: Ask<'_>) -> Result<Reading, TurnError> {
    let not_understood = |message: String| TurnError::new(ErrorKind::NotUnderstood, message);
    let Some(previous) = current_plan(ask) else {
        return Err(not_understood("There is no earlier query that could be changed.".to_owned()));
    };
    let edits = ask.state.router_edits();
    let plan = previous
        .apply_all(edits)
        .map_err(|error| not_understood(format!("The last query cannot be changed so: {error}.")))?;
    let reasoning = ask.state.router_instructions.clone().unwrap_or_default();
    Ok(Reading::new(edited(&plan, reasoning, ask), edits.iter().map(PlanEdit::instruction).collect()))
}

/// The tables that look like the one table of a plan, unless the person has said which is meant.
fn look_alikes(ask: Ask<'_>, output: &PlannerOutput) -> Vec<String> {
    let settled = |correction: &Correction| matches!(correction, Correction::TableSelection { .. });
    match output.tables.as_slice() {
        [table] if !ask.state.corrections.iter().any(settled) => {
            let forbidden = options(ask).forbidden_tables;
            let mut alike = detect::look_alikes(&table.name, ask.knowledge.schema());
            alike.retain(|other| !forbidden.iter().any(|table| table.eq_ignore_ascii_case(other)));
            alike.into_iter().map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// SQL that a person typed or stored, and why it is taken.
pub(super) fn typed(ask: Ask<'_>, sql: &str, reason: &str) -> Reading {
    let reasoning = reason.to_owned();
    let output = match sql::lift(sql, ask.knowledge.schema(), ask.dialect) {
        Some(plan) => PlannerOutput::from_plan(&plan, reasoning, Confidence::High),
        None => {
            let lower = sql.to_lowercase();
            let named = ask.knowledge.schema().tables.iter();
            let named = named.filter(|table| lower.contains(&table.name.to_lowercase()));
            let tables =
                named.map(|table| PlannedTable { name: table.name.clone(), columns: Vec::new() }).collect();
            PlannerOutput { tables, reasoning, confidence: Confidence::High, ..PlannerOutput::default() }
        }
    };
    Reading::new(output, vec![reason.to_owned()])
}

fn to_planner(mode: RouterMode, edits: Vec<PlanEdit>, assurance: Assurance) -> RouterOutput {
    let instructions = plan::instructions(&edits);
    RouterOutput::Plan { mode, instructions, edits, question: None, assurance: Some(assurance) }
}

/// A plan that the router's edits made, as sure as the router was of them.
fn edited(plan: &QueryPlan, reasoning: String, ask: Ask<'_>) -> PlannerOutput {
    let confidence = ask.state.answer_confidence.unwrap_or(Confidence::Medium);
    let (left_out, doubts) = (ask.state.left_out.clone(), ask.state.doubts.clone());
    PlannerOutput { left_out, doubts, ..PlannerOutput::from_plan(plan, reasoning, confidence) }
}

/// Doubts as people read them.
pub(super) fn in_words(doubts: &[Doubt]) -> Vec<String> {
    doubts.iter().map(ToString::to_string).collect()
}

/// The reading that the person has just chosen, as what the question means.
pub(super) fn chosen(ask: Ask<'_>) -> Option<Whole> {
    choice(ask).map(|chosen| Whole::new(chosen, Basis::Choice, Vec::new(), None))
}

fn choice(ask: Ask<'_>) -> Option<Reading> {
    if ask.state.route != Some(Route::Correction) {
        return None;
    }
    match ask.state.corrections.last() {
        Some(Correction::Reading { query_plan, .. }) => Some(Reading::chosen(query_plan)),
        Some(Correction::Statement { sql }) => {
            Some(Reading { sql: Some(sql.clone()), ..typed(ask, sql, "That reading was chosen.") })
        }
        _ => None,
    }
}

/// The plan that the router's edits make: a rewrite that could be put as edits needs no second reading.
fn rewritten(ask: Ask<'_>) -> Option<Reading> {
    if ask.state.router_mode != Some(RouterMode::Rewrite) || ask.state.router_edits().is_empty() {
        return None;
    }
    let previous = current_plan(ask)?;
    let plan = previous.apply_all(ask.state.router_edits()).ok()?;
    let reasoning = ask.state.router_instructions.clone().unwrap_or_default();
    Some(Reading::new(edited(&plan, reasoning.clone(), ask), vec![reasoning]))
}

/// The typed query that a follow-up changes: the one behind the last SQL that succeeded, or that SQL read back.
fn current_plan(ask: Ask<'_>) -> Option<QueryPlan> {
    let known = ask.state.current_plan().cloned();
    known.or_else(|| sql::lift(ask.state.current_query.as_deref()?, ask.knowledge.schema(), ask.dialect))
}

/// Why there is no answer: what was recognised, and what was not.
fn not_understood(understanding: &RankedReadings) -> String {
    format!("I do not understand the question well enough to answer it. {}.", understanding.not_understood())
}

/// Why nothing follows from a few words that were said after an answer.
fn not_a_change(said: &str, evidence: &[String]) -> String {
    if said.trim().parse::<u32>().is_ok() {
        return format!("The last answer offers no other reading that `{said}` could take.");
    }
    let recognised = match evidence {
        [] => String::new(),
        evidence => format!(" ({})", evidence.join("; ")),
    };
    format!(
        "I do not see how that changes the last query{recognised}. Say it in full, or begin anew with /new."
    )
}
