//! What a prompt shows of the conversation: exactly what the planner's mode allows.

use serde_json::{Map, Value, json};

use super::ModelReasoner;
use super::budget::{CellLines, Lines, Parts};
use super::call::Turn;
use super::data::{self, quoted};
use crate::ambiguity::Correction;
use crate::conversation::{RouterMode, SentCells, Status};
use crate::plan::{JoinCondition, PlannerOutput};

/// Earlier questions that are shown at most.
const HISTORY: usize = 6;

/// Earlier questions with their SQL that are shown as examples.
const EXAMPLES: usize = 3;

/// Rows of the previous answer that are shown where that is allowed.
const SHOWN_ROWS: usize = 3;

/// Characters of a statement in a history.
const STATEMENT: usize = 600;

impl ModelReasoner {
    /// What every prompt of the planner has, by mode: the question and what was settled; in a rewrite also the
    /// instructions, the previous plan and the history.
    pub(super) fn planning_parts<'p>(&self, turn: &Turn<'_>) -> Parts<'p> {
        let state = turn.ask.state;
        let mut parts = self.basic_parts(turn);
        if state.scratch.asked.mode == Some(RouterMode::Rewrite)
            || state.router_mode == Some(RouterMode::Rewrite)
        {
            parts = self.instructed(turn, parts);
            if let Some(plan) = previous_plan(turn) {
                parts = parts
                    .need("previous_plan", self.budget.cut(&data::fenced(&plan), self.budget.room() / 4));
            }
            parts = self.after_answer(turn, parts).wish("history", history(turn));
        }
        self.hinted(turn, parts)
    }

    /// The question, the date, the dialect and what was settled.
    pub(super) fn basic_parts<'p>(&self, turn: &Turn<'_>) -> Parts<'p> {
        let question = self.budget.cut(&data::fenced(turn.ask.question), self.budget.room() / 4);
        let today: String = turn.ask.now.to_string().chars().take(10).collect();
        Parts::default()
            .need("question", question)
            .need("today", today)
            .need("dialect", dialect(turn))
            .need("constraints", constraints(turn))
    }

    /// What the router told the planner to do.
    pub(super) fn instructed<'p>(&self, turn: &Turn<'_>, parts: Parts<'p>) -> Parts<'p> {
        let state = turn.ask.state;
        let instructions = state.scratch.asked.instructions.as_ref().or(state.router_instructions.as_ref());
        match instructions {
            Some(text) => {
                parts.need("instructions", self.budget.cut(&data::fenced(text), self.budget.room() / 8))
            }
            None => parts,
        }
    }

    /// What the answer before looks like: its columns, and its first rows where they may be shown.
    pub(super) fn after_answer<'p>(&self, turn: &Turn<'_>, parts: Parts<'p>) -> Parts<'p> {
        let Some(result) = &turn.ask.state.current_result else { return parts };
        let columns: Vec<String> = result.columns.iter().map(|column| quoted(column, data::NAME)).collect();
        let mut lines = vec![(
            format!("columns: {}; number of rows: {}", columns.join(", "), result.row_count),
            Vec::new(),
        )];
        let shown = if self.manner.share_rows { SHOWN_ROWS } else { 0 };
        for row in result.rows.iter().take(shown) {
            let cells: Vec<String> = row.iter().map(data::value).collect();
            let sent = result.columns.iter().zip(row).filter(|(_, value)| !value.is_null());
            let sent = sent.map(|(column, value)| SentCells::one(column.clone(), data::cell(value)));
            lines.push((format!("row: {}", cells.join(", ")), sent.collect()));
        }
        parts.wish("previous_answer", CellLines { what: "lines of the previous answer", lines })
    }

    /// What others know of the question.
    pub(super) fn hinted<'p>(&self, turn: &Turn<'_>, parts: Parts<'p>) -> Parts<'p> {
        let hints = self.hints(&turn.ask);
        let lessons = hints
            .lessons
            .iter()
            .map(|lesson| format!("- {}", data::fenced(&data::cut(lesson, 300))))
            .collect();
        let confirmed = hints.confirmed.iter().map(|(question, sql)| asked(question, sql)).collect();
        parts
            .wish("hints", CellLines { what: "hints", lines: hints.lines() })
            .wish("lessons", Lines { what: "lessons", lines: lessons, reversed: false })
            .wish("confirmed", Lines { what: "earlier questions", lines: confirmed, reversed: false })
    }
}

fn dialect(turn: &Turn<'_>) -> &'static str {
    match turn.ask.dialect {
        crate::sql::Dialect::Sqlite => "SQLite",
        crate::sql::Dialect::Postgres => "PostgreSQL",
        crate::sql::Dialect::BigQuery => "BigQuery",
        crate::sql::Dialect::MySql => "MySQL",
        crate::sql::Dialect::DuckDb => "DuckDB",
    }
}

/// What the person settled, as constraints.
fn constraints(turn: &Turn<'_>) -> String {
    let mut lines = Vec::new();
    for correction in &turn.ask.state.corrections {
        match correction {
            Correction::TableSelection { selected_table, rejected_tables } => {
                lines.push(format!("- MANDATORY TABLE: use {}", quoted(selected_table, data::NAME)));
                if !rejected_tables.is_empty() {
                    let tables: Vec<String> =
                        rejected_tables.iter().map(|name| quoted(name, data::NAME)).collect();
                    lines.push(format!("- DO NOT use: {}", tables.join(", ")));
                }
            }
            Correction::JoinClarification { left, right } => lines.push(format!(
                "- MANDATORY JOIN: {}.{} = {}.{}",
                quoted(&left.table, data::NAME),
                quoted(&left.column, data::NAME),
                quoted(&right.table, data::NAME),
                quoted(&right.column, data::NAME)
            )),
            Correction::ColumnSelection { term, selected } => lines.push(format!(
                "- {} MEANS {}.{}",
                quoted(term, data::VALUE),
                quoted(&selected.table, data::NAME),
                quoted(&selected.column, data::NAME)
            )),
            Correction::ValueSelection { column, selected, rejected } => lines.push(format!(
                "- COMPARE {}.{} with {}, not with {}",
                quoted(&column.table, data::NAME),
                quoted(&column.column, data::NAME),
                quoted(selected, data::VALUE),
                quoted(rejected, data::VALUE)
            )),
            Correction::Reading { .. } | Correction::Statement { .. } => {}
        }
    }
    let state = turn.ask.state;
    let asked = &state.scratch.asked.wanted;
    let wanted = if state.wanted.is_empty() { asked } else { &state.wanted };
    if let Some(time) = &wanted.time_filter {
        lines.push(format!("- ONLY ROWS OF THE TIME {}", quoted(time, data::VALUE)));
    }
    if let Some(order) = &wanted.sort_order {
        lines.push(format!("- SORTED BY {}", quoted(order, data::VALUE)));
    }
    if let Some(rows) = wanted.result_limit {
        lines.push(format!("- AT MOST {rows} ROWS"));
    }
    lines.join("\n")
}

/// The plan before this turn's.
pub(super) fn previous_plan(turn: &Turn<'_>) -> Option<String> {
    turn.ask.state.planner_outputs.last().map(plan_json)
}

/// A plan as JSON, without what is empty, what only people read, and the typed query.
pub(super) fn plan_json(plan: &PlannerOutput) -> String {
    let mut object = Map::new();
    object.insert("tables".to_owned(), json!(plan.tables));
    let joins: Vec<String> = plan.joins.iter().map(join).collect();
    for (name, list) in [
        ("joins", &joins),
        ("filters", &plan.filters),
        ("aggregations", &plan.aggregations),
        ("grouping", &plan.grouping),
        ("ordering", &plan.ordering),
    ] {
        if !list.is_empty() {
            object.insert(name.to_owned(), json!(list));
        }
    }
    if let Some(limit) = plan.limit {
        object.insert("limit".to_owned(), json!(limit));
    }
    Value::Object(object).to_string()
}

fn join(condition: &JoinCondition) -> String {
    let JoinCondition { left, right } = condition;
    format!("{}.{} = {}.{}", left.table, left.column, right.table, right.column)
}

/// The questions so far with what they ran, the latest first.
pub(super) fn history(turn: &Turn<'_>) -> Lines {
    let state = turn.ask.state;
    let lines = state.turns.iter().rev().take(HISTORY).map(|past| match &past.query {
        Some(sql) => asked(&past.input, sql),
        None => quoted(&past.input, 300),
    });
    Lines { what: "earlier turns", lines: lines.collect(), reversed: true }
}

/// Questions of this conversation that were answered, with their SQL, the latest first.
pub(super) fn examples(turn: &Turn<'_>) -> Lines {
    let done = turn.ask.state.turns.iter().rev().filter(|past| past.status == Status::Completed);
    let lines = done.take(EXAMPLES).filter_map(|past| past.query.as_ref().map(|sql| asked(&past.input, sql)));
    Lines { what: "examples", lines: lines.collect(), reversed: true }
}

/// A question with its SQL, on one line.
fn asked(question: &str, sql: &str) -> String {
    format!("{} -> {}", quoted(question, 300), statement(sql))
}

fn statement(sql: &str) -> String {
    let line = sql.split_whitespace().collect::<Vec<_>>().join(" ");
    data::fenced(&data::cut(&line, STATEMENT))
}
