//! The same understanding table by table: for planners that evaluate tables, refine the list, then infer joins.

use super::knowledge::Knowledge;
use super::link::{Linked, link};
use super::understand::{Options, Understanding};

/// How one table bears on a question.
#[derive(Debug, Clone, PartialEq)]
pub struct TableRelevance {
    /// The table's name.
    pub table: String,
    /// True where some reading of the question needs it.
    pub is_relevant: bool,
    /// How sure that is, 0 to 1.
    pub confidence: f32,
    /// Its columns that words of the question name, or that readings use.
    pub columns: Vec<String>,
    /// Why, in a sentence.
    pub reasoning: String,
}

/// A join that readings agree on, or do not.
#[derive(Debug, Clone, PartialEq)]
pub struct InferredJoin {
    /// `(table, column)` of the referring side.
    pub from: (String, String),
    /// `(table, column)` referred to.
    pub to: (String, String),
    /// The share of the readings of these tables that join them so, weighed by how likely they are; lower for a key
    /// that is inferred from names.
    pub confidence: f32,
}

/// What an inferred key counts against a declared one.
const INFERRED: f32 = 0.8;

impl Understanding {
    /// How each table of the database bears on the question, in the schema's order.
    pub fn tables(&self, question: &str, knowledge: &Knowledge, options: &Options) -> Vec<TableRelevance> {
        let linked = link(question, knowledge, options.today);
        knowledge.tables().map(|(_, table)| self.relevance(&table.name, &linked, knowledge)).collect()
    }

    /// How one table bears on the question, by its linked words and by the readings.
    pub fn relevance(&self, table: &str, linked: &Linked, knowledge: &Knowledge) -> TableRelevance {
        let total: f32 = self.candidates.iter().map(|candidate| candidate.probability).sum();
        let uses = |plan: &sqlogue_sql::plan::QueryPlan| {
            tables_of(plan).iter().any(|used| used.eq_ignore_ascii_case(table))
        };
        let using: f32 = self
            .candidates
            .iter()
            .filter(|candidate| uses(&candidate.plan))
            .map(|candidate| candidate.probability)
            .sum();
        let share = if total > 0.0 { using / total } else { 0.0 };
        let mut columns: Vec<String> = Vec::new();
        let mut words: Vec<String> = Vec::new();
        for candidate in self.candidates.iter().filter(|candidate| uses(&candidate.plan)).take(2) {
            for meaning in &candidate.evidence.meanings {
                if !meaning.meaning.table.eq_ignore_ascii_case(table) {
                    continue;
                }
                if let Some(column) =
                    meaning.meaning.column.clone().filter(|column| !columns.contains(column))
                {
                    columns.push(column);
                }
                if !words.contains(&meaning.words) {
                    words.push(meaning.words.clone());
                }
            }
        }
        let named = linked.cuts.first().and_then(|(chunks, _)| {
            let names = |chunk: &&super::link::Chunk| {
                chunk
                    .tables
                    .iter()
                    .any(|(id, score)| *score > 0.8 && knowledge.table(*id).name.eq_ignore_ascii_case(table))
            };
            chunks
                .iter()
                .find(names)
                .map(|chunk| linked.question.span_text(chunk.start, chunk.end).to_owned())
        });
        let is_relevant = share >= 0.5;
        let reasoning = match (is_relevant, words.is_empty(), &named) {
            (true, false, _) => format!("the question speaks of it: {}", words.join(", ")),
            (true, true, _) => "it joins tables that the question speaks of".to_owned(),
            (false, _, Some(word)) => format!("`{word}` may name it, but no likely reading needs it"),
            (false, _, None) => "nothing in the question names it".to_owned(),
        };
        let confidence = if is_relevant { share } else { 1.0 - share };
        TableRelevance { table: table.to_owned(), is_relevant, confidence, columns, reasoning }
    }

    /// The tables of the best reading, in the order they are joined.
    pub fn final_tables(&self) -> Vec<String> {
        self.candidates.first().map(|candidate| tables_of(&candidate.plan)).unwrap_or_default()
    }

    /// The joins of the best reading, each with how far the other readings agree.
    pub fn joins(&self) -> Vec<InferredJoin> {
        let Some(best) = self.candidates.first() else { return Vec::new() };
        best.evidence
            .joins
            .iter()
            .map(|join| {
                let joins_both = |candidate: &&super::understand::Candidate| {
                    candidate.evidence.joins.iter().any(|other| {
                        (other.from.0 == join.from.0 && other.to.0 == join.to.0)
                            || (other.from.0 == join.to.0 && other.to.0 == join.from.0)
                    })
                };
                let all: f32 =
                    self.candidates.iter().filter(joins_both).map(|candidate| candidate.probability).sum();
                let same: f32 = self
                    .candidates
                    .iter()
                    .filter(|candidate| candidate.evidence.joins.contains(join))
                    .map(|candidate| candidate.probability)
                    .sum();
                let agreement = if all > 0.0 { same / all } else { 1.0 };
                let confidence = agreement * if join.declared { 1.0 } else { INFERRED };
                InferredJoin { from: join.from.clone(), to: join.to.clone(), confidence }
            })
            .collect()
    }
}

/// The tables of a plan's selections, nested queries left out.
fn tables_of(plan: &sqlogue_sql::plan::QueryPlan) -> Vec<String> {
    let selects =
        std::iter::once(&plan.select).chain(plan.set_operations.iter().map(|operation| &operation.select));
    let mut tables: Vec<String> = Vec::new();
    for table in selects.flat_map(|select| select.tables()) {
        if !tables.contains(&table.table) {
            tables.push(table.table.clone());
        }
    }
    tables
}

/// The tables of a plan, nested queries included.
pub(super) fn all_tables(plan: &sqlogue_sql::plan::QueryPlan) -> Vec<String> {
    let mut tables = tables_of(plan);
    let selects =
        std::iter::once(&plan.select).chain(plan.set_operations.iter().map(|operation| &operation.select));
    for condition in selects.flat_map(|select| select.filter.iter().chain(&select.having)) {
        nested_tables(condition, &mut tables);
    }
    tables
}

fn nested_tables(condition: &sqlogue_sql::plan::Condition, tables: &mut Vec<String>) {
    use sqlogue_sql::plan::{Condition, Expr};
    match condition {
        Condition::And(all) | Condition::Or(all) => all.iter().for_each(|one| nested_tables(one, tables)),
        Condition::Not(one) => nested_tables(one, tables),
        Condition::InQuery { query, .. } | Condition::Exists { query, .. } => {
            tables.extend(all_tables(query))
        }
        Condition::Compare { left, right, .. } => {
            for side in [left, right] {
                if let Expr::Query(query) = side {
                    tables.extend(all_tables(query));
                }
            }
        }
        Condition::Between { .. }
        | Condition::In { .. }
        | Condition::Like { .. }
        | Condition::IsNull { .. } => {}
    }
}
