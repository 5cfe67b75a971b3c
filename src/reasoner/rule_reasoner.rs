//! The embedded reasoner behind the trait: what the rules understand, in the terms of the graph's phases.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::civil::Date;

use super::alternatives::alternatives;
use super::constraints::{self, options, today};
use super::rules::Understanding;
use super::rules::follow_up::{self, FollowUp};
use super::statement::Statement;
use super::{
    Alternatives, Ask, Assurance, Judged, Judgement, Planned, Reasoner, ReasonerError, RouterOutput, Trial,
    WrittenQuery, repair, statement,
};
use crate::ambiguity::{Correction, detect};
use crate::conversation::{ErrorKind, Failure, Route, RouterMode, TurnError, Usage};
use crate::lesson::LessonId;
use crate::plan::{
    self, Confidence, EditWeight, JoinInference, PlanEdit, PlannedTable, PlannerOutput, QueryPlan,
    QueryUnderstanding, TableRefinement, TableRelevance,
};
use crate::sql;

/// Judges by embedded rules: deterministic, in milliseconds, without a model, a key or a network.
///
/// A question is understood as a whole at once; the phases of the planner are views of that one understanding, which is
/// kept until a few others have come.
#[derive(Debug, Default)]
pub struct RuleReasoner {
    understood: Mutex<VecDeque<(Key, Arc<Understanding>)>>,
}

/// How many understandings are kept: a turn needs one, and a few turns may be under way at once.
const KEPT: usize = 16;

/// What an understanding depends on.
#[derive(Debug, PartialEq)]
struct Key {
    knowledge: u64,
    question: String,
    today: Date,
    corrections: Vec<Correction>,
    lessons: Vec<LessonId>,
}

impl RuleReasoner {
    fn understand(&self, ask: Ask<'_>) -> Arc<Understanding> {
        let key = Key {
            knowledge: ask.knowledge.id(),
            question: ask.question.to_owned(),
            today: today(ask),
            corrections: ask.state.corrections.clone(),
            lessons: ask.lessons.iter().map(|lesson| lesson.id.clone()).collect(),
        };
        let mut understood = self.understood.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, understanding)) = understood.iter().find(|(known, _)| *known == key) {
            return Arc::clone(understanding);
        }
        let understanding = Arc::new(constraints::read(ask));
        if understood.len() >= KEPT {
            understood.pop_front();
        }
        understood.push_back((key, Arc::clone(&understanding)));
        understanding
    }

    /// The best reading of the question as a plan, or why there is none.
    fn planned(&self, ask: Ask<'_>, trials: &[Trial]) -> Result<(PlannerOutput, Vec<String>), TurnError> {
        if let Some(rewritten) = rewritten(ask) {
            return Ok(rewritten);
        }
        if let Some(sql) = statement::stored(ask) {
            return Ok(typed(ask, &sql, "A query is stored for this question."));
        }
        match statement::recognise(ask) {
            Some(Statement::Refused(error)) => return Err(error),
            Some(Statement::Query(sql)) => {
                return Ok(typed(ask, &sql, "The question is SQL and was taken as it is."));
            }
            None => {}
        }
        if let Some(chosen) = chosen(ask) {
            return Ok(chosen);
        }
        let understanding = self.understand(ask);
        match understanding.answer_after(trials) {
            Some(best) => {
                let reasons = best.explanation();
                let output = PlannerOutput::from_plan(&best.plan, reasons.join(" "), best.confidence);
                Ok((PlannerOutput { left_out: best.account.left_out, ..output }, reasons))
            }
            None => Err(TurnError::new(ErrorKind::NotUnderstood, not_understood(&understanding))),
        }
    }

    fn follow_up(&self, ask: Ask<'_>, previous: &QueryPlan) -> FollowUp {
        let before =
            ask.state.turns.iter().rev().find(|turn| turn.query.is_some()).map(|turn| turn.input.as_str());
        let words = ask.knowledge.words();
        follow_up::propose(ask.question, previous, before.unwrap_or_default(), words, &options(ask))
    }
}

fn ready<'a, T: Send + 'a>(value: T) -> Judgement<'a, T> {
    Box::pin(std::future::ready(Ok(Judged::free(value))))
}

fn judged<'a, T: Send + 'a>(value: Result<T, TurnError>) -> Judgement<'a, T> {
    let judged = value.map(Judged::free).map_err(|error| ReasonerError { error, usage: Usage::default() });
    Box::pin(std::future::ready(judged))
}

impl Reasoner for RuleReasoner {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn route<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, RouterOutput> {
        if statement::stored(ask).is_some() {
            return ready(RouterOutput::New);
        }
        match statement::recognise(ask) {
            Some(Statement::Refused(error)) => return ready(RouterOutput::Failed(error)),
            Some(Statement::Query(_)) => return ready(RouterOutput::New),
            None => {}
        }
        let Some(previous) = current_plan(ask) else { return ready(RouterOutput::New) };
        let follow_up = self.follow_up(ask, &previous);
        let understanding = self.understand(ask);
        if !follow_up.is_clear() && understanding.is_foreign(ask.question) {
            let error = TurnError::new(ErrorKind::NotUnderstood, not_understood(&understanding));
            return ready(RouterOutput::Failed(error));
        }
        ready(match follow_up {
            FollowUp::Edits { edits, plan, evidence, confidence, account, .. } => {
                let reasons = account.lines();
                let assurance = Assurance { confidence, left_out: account.left_out, reasons };
                match plan::weight(&edits) {
                    Some(EditWeight::Inline) | None => RouterOutput::Inline {
                        query: sql::render(&plan, ask.dialect),
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
                    left_out: Vec::new(),
                    reasons: doubts.iter().map(ToString::to_string).collect(),
                }),
            },
            FollowUp::NotUnderstood { evidence } => {
                RouterOutput::Failed(TurnError::new(ErrorKind::NotUnderstood, not_a_change(&evidence)))
            }
        })
    }

    fn needs_no_table(&self, ask: Ask<'_>) -> bool {
        let stored = statement::stored(ask);
        stored.is_some()
            && self.planned(ask, &ask.state.scratch.trials).is_ok_and(|(output, _)| output.tables.is_empty())
            || matches!(statement::recognise(ask), Some(Statement::Query(sql))
                if typed(ask, &sql, "").0.tables.is_empty())
    }

    fn evaluate_tables<'a>(
        &'a self,
        ask: Ask<'a>,
        tables: &'a [String],
    ) -> Judgement<'a, Vec<TableRelevance>> {
        judged(self.planned(ask, &ask.state.scratch.trials).map(|(output, _)| {
            let also = look_alikes(ask, &output);
            let judge = |table: &String| {
                let planned = output.tables.iter().find(|planned| planned.name.eq_ignore_ascii_case(table));
                TableRelevance {
                    table: table.clone(),
                    is_relevant: planned.is_some() || also.contains(&table.as_str()),
                    confidence: certainty(output.confidence),
                    relevant_columns: planned.map(|planned| planned.columns.clone()).unwrap_or_default(),
                    reasoning: match planned {
                        None if also.contains(&table.as_str()) => {
                            "It looks like the table that is named.".to_owned()
                        }
                        Some(_) => "The question's words lead here.".to_owned(),
                        None => "No word of the question leads here.".to_owned(),
                    },
                }
            };
            tables.iter().map(judge).collect()
        }))
    }

    fn refine_tables<'a>(
        &'a self,
        ask: Ask<'a>,
        candidates: &'a [TableRelevance],
    ) -> Judgement<'a, TableRefinement> {
        judged(self.planned(ask, &ask.state.scratch.trials).map(|(output, _)| {
            let also = look_alikes(ask, &output);
            let needed = |name: &str| {
                also.contains(&name)
                    || output.tables.iter().any(|planned| planned.name.eq_ignore_ascii_case(name))
            };
            let (stay, go): (Vec<_>, Vec<_>) =
                candidates.iter().partition(|candidate| needed(&candidate.table));
            let names =
                |tables: Vec<&TableRelevance>| tables.into_iter().map(|table| table.table.clone()).collect();
            TableRefinement {
                final_tables: names(stay),
                removed_tables: names(go),
                reasoning: "These are the tables of the best reading.".to_owned(),
            }
        }))
    }

    fn synthesize<'a>(
        &'a self,
        ask: Ask<'a>,
        tables: &'a [PlannedTable],
    ) -> Judgement<'a, QueryUnderstanding> {
        let alike = |output: &PlannerOutput| {
            let alike = look_alikes(ask, output);
            let kept = tables.iter().filter(|table| alike.contains(&table.name.as_str()));
            output.tables.iter().chain(kept).cloned().collect()
        };
        judged(self.planned(ask, &ask.state.scratch.trials).map(|(output, _)| QueryUnderstanding {
            // Tables that a nested query or a set operation brings together are joined in the sense of the question.
            joins_needed: output.tables.len() > 1,
            tables: alike(&output),
            filters: output.filters,
            aggregations: output.aggregations,
            grouping: output.grouping,
            ordering: output.ordering,
            limit: output.limit,
            reasoning: output.reasoning,
        }))
    }

    fn infer_joins<'a>(
        &'a self,
        ask: Ask<'a>,
        _understanding: &'a QueryUnderstanding,
    ) -> Judgement<'a, JoinInference> {
        judged(self.planned(ask, &ask.state.scratch.trials).map(|(output, _)| JoinInference {
            joins: output.joins,
            confidence: 1.0,
            candidates: Vec::new(),
            reasoning: "The cheapest way along the keys.".to_owned(),
        }))
    }

    fn worth_trying(&self, ask: Ask<'_>) -> Vec<QueryPlan> {
        let is_settled =
            rewritten(ask).is_some() || chosen(ask).is_some() || statement::stored(ask).is_some();
        if is_settled || statement::recognise(ask).is_some() {
            return Vec::new();
        }
        self.understand(ask).worth_trying()
    }

    fn alternatives(&self, ask: Ask<'_>, trials: &[Trial]) -> Vec<Alternatives> {
        // Whoever has just chosen a reading is not asked about it again.
        match self.planned(ask, trials) {
            Ok((output, _)) if chosen(ask).is_none() && statement::stored(ask).is_none() => {
                alternatives(&self.understand(ask), &output, trials)
            }
            _ => Vec::new(),
        }
    }

    fn compose_plan<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Planned> {
        let planned = self.planned(ask, &ask.state.scratch.trials);
        judged(planned.map(|(output, explanation)| Planned::Plan { output: Box::new(output), explanation }))
    }

    fn update_plan<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Planned> {
        let Some(previous) = current_plan(ask) else {
            let message = "There is no earlier query that could be changed.";
            return judged(Err(TurnError::new(ErrorKind::NotUnderstood, message)));
        };
        let edits = &ask.state.router_edits;
        judged(match previous.apply_all(edits) {
            Ok(plan) => {
                let reasoning = ask.state.router_instructions.clone().unwrap_or_default();
                let explanation = edits.iter().map(PlanEdit::instruction).collect();
                let output = Box::new(edited(&plan, reasoning, ask));
                Ok(Planned::Plan { output, explanation })
            }
            Err(error) => Err(TurnError::new(
                ErrorKind::NotUnderstood,
                format!("The last query cannot be changed so: {error}."),
            )),
        })
    }

    fn generate_sql<'a>(&'a self, ask: Ask<'a>, plan: &'a PlannerOutput) -> Judgement<'a, WrittenQuery> {
        if let Some(sql) = statement::stored(ask) {
            let note = "Taken as it was stored.".to_owned();
            return ready(WrittenQuery { sql, plan: plan.query_plan.clone(), note });
        }
        judged(match &plan.query_plan {
            Some(plan) => Ok(WrittenQuery {
                sql: sql::render(plan, ask.dialect),
                plan: Some(plan.clone()),
                note: "Rendered from the plan.".to_owned(),
            }),
            // SQL that a person typed and that is more than the plan language can say runs as it was typed.
            None => match statement::recognise(ask) {
                Some(Statement::Query(sql)) => {
                    Ok(WrittenQuery { sql, plan: None, note: "Taken as it was typed.".to_owned() })
                }
                _ => Err(TurnError::new(ErrorKind::NotUnderstood, "The plan has no typed query to render.")),
            },
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
        ready(repair::refine(ask, plan))
    }
}

/// The tables that look like the one table of a plan, unless the person has said which is meant.
fn look_alikes<'a>(ask: Ask<'a>, output: &PlannerOutput) -> Vec<&'a str> {
    // Whoever types SQL names the table in so many words.
    if statement::stored(ask).is_some() || statement::recognise(ask).is_some() {
        return Vec::new();
    }
    let settled = |correction: &Correction| matches!(correction, Correction::TableSelection { .. });
    match output.tables.as_slice() {
        [table] if !ask.state.corrections.iter().any(settled) => {
            let forbidden = options(ask).forbidden_tables;
            let mut alike = detect::look_alikes(&table.name, ask.knowledge.schema());
            alike.retain(|other| !forbidden.iter().any(|table| table.eq_ignore_ascii_case(other)));
            alike
        }
        _ => Vec::new(),
    }
}

/// The plan of SQL that a person typed or stored, and why it is taken.
fn typed(ask: Ask<'_>, sql: &str, reason: &str) -> (PlannerOutput, Vec<String>) {
    let reasons = vec![reason.to_owned()];
    let reasoning = reasons.join(" ");
    let output = match sql::lift(sql, ask.knowledge.schema(), ask.dialect) {
        Some(plan) => PlannerOutput::from_plan(&plan, reasoning, Confidence::High),
        None => {
            let lower = sql.to_lowercase();
            let named = ask
                .knowledge
                .schema()
                .tables
                .iter()
                .filter(|table| lower.contains(&table.name.to_lowercase()));
            let tables =
                named.map(|table| PlannedTable { name: table.name.clone(), columns: Vec::new() }).collect();
            PlannerOutput { tables, reasoning, confidence: Confidence::High, ..PlannerOutput::default() }
        }
    };
    (output, reasons)
}

fn to_planner(mode: RouterMode, edits: Vec<PlanEdit>, assurance: Assurance) -> RouterOutput {
    let instructions = plan::instructions(&edits);
    RouterOutput::Plan { mode, instructions, edits, question: None, assurance: Some(assurance) }
}

/// A plan that the router's edits made, as sure as the router was of them.
fn edited(plan: &QueryPlan, reasoning: String, ask: Ask<'_>) -> PlannerOutput {
    let confidence = ask.state.answer_confidence.unwrap_or(Confidence::Medium);
    let left_out = ask.state.left_out.clone();
    PlannerOutput { left_out, ..PlannerOutput::from_plan(plan, reasoning, confidence) }
}

/// The reading that the person has just chosen.
fn chosen(ask: Ask<'_>) -> Option<(PlannerOutput, Vec<String>)> {
    if ask.state.route != Some(Route::Correction) {
        return None;
    }
    let Some(Correction::Reading { query_plan, .. }) = ask.state.corrections.last() else { return None };
    let reason = "That reading was chosen.".to_owned();
    Some((PlannerOutput::from_plan(query_plan, reason.clone(), Confidence::High), vec![reason]))
}

/// The plan that the router's edits make: a rewrite that could be put as edits needs no second reading.
fn rewritten(ask: Ask<'_>) -> Option<(PlannerOutput, Vec<String>)> {
    if ask.state.router_mode != Some(RouterMode::Rewrite) || ask.state.router_edits.is_empty() {
        return None;
    }
    let previous = current_plan(ask)?;
    let plan = previous.apply_all(&ask.state.router_edits).ok()?;
    let reasoning = ask.state.router_instructions.clone().unwrap_or_default();
    Some((edited(&plan, reasoning.clone(), ask), vec![reasoning]))
}

/// The typed query that a follow-up changes: the one behind the last SQL that succeeded, or that SQL read back.
fn current_plan(ask: Ask<'_>) -> Option<QueryPlan> {
    let known = ask.state.current_plan.clone();
    known.or_else(|| sql::lift(ask.state.current_query.as_deref()?, ask.knowledge.schema(), ask.dialect))
}

fn certainty(confidence: Confidence) -> f64 {
    match confidence {
        Confidence::High => 0.95,
        Confidence::Medium => 0.75,
        Confidence::Low => 0.5,
    }
}

/// Why there is no answer: what was recognised, and what was not.
fn not_understood(understanding: &Understanding) -> String {
    format!("I do not understand the question well enough to answer it. {}.", understanding.not_understood())
}

fn not_a_change(evidence: &[String]) -> String {
    let recognised = match evidence {
        [] => String::new(),
        evidence => format!(" ({})", evidence.join("; ")),
    };
    format!(
        "I do not see how that changes the last query{recognised}. Say it in full, or begin anew with /new."
    )
}
