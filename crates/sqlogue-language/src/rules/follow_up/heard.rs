//! How what a follow-up changes goes with its words: what the ranking of its ways learns from beside who made them.
//!
//! A way may show a column that nobody named, or one that is named less well than another; it may join a table of which
//! nothing is said, or leave a superlative alone. Each is told here as a number, of what is new in the plan only: what was
//! asked before needs no words.

use std::collections::BTreeSet;

use super::previous::Previous;
use super::reading::{Reading, is_soft_word};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::link::Chunk;
use crate::rules::rank::Features;
use crate::rules::rank::features::of_plan;
use crate::rules::stem::stem;
use sqlogue_sql::plan::{ColumnRef, Condition, Expr, QueryPlan};
use sqlogue_sql::schema::Value;

/// A column is named by what names it so well.
const NAMED: f32 = 0.6;

/// What every way is compared with.
pub(super) struct Before {
    /// What was shown.
    shown: Vec<Expr>,
    /// The stems of the names and texts that the plan uses.
    stems: BTreeSet<String>,
}

impl Before {
    pub(super) fn new(previous: &Previous<'_>) -> Self {
        Self { shown: previous.shown(), stems: stems(previous.plan, previous.knowledge) }
    }

    /// How the changes of a plan go with the words.
    pub(super) fn heard(&self, reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> Features {
        let heard = Heard { before: self, reading, previous, plan };
        let mut features = of_plan(&reading.chunks, plan);
        heard.shown(&mut features);
        heard.named(&mut features);
        heard.conditions(&mut features);
        heard.tables(&mut features);
        heard.kept(&mut features);
        heard.words(&mut features);
        features.retain(|(_, value)| *value != 0.0);
        features
    }
}

/// A plan beside the words that ask for it and the plan before.
struct Heard<'a> {
    before: &'a Before,
    reading: &'a Reading,
    previous: &'a Previous<'a>,
    plan: &'a QueryPlan,
}

impl Heard<'_> {
    fn id(&self, column: &ColumnRef) -> Option<ColumnId> {
        let knowledge = self.previous.knowledge;
        let table = knowledge.table_named(self.plan.table_in_use(&column.table)?)?;
        knowledge.column_named(table, &column.column)
    }

    /// The words that name a column best, and how well they do.
    fn name_of(&self, id: ColumnId) -> Option<(&Chunk, f32)> {
        let entry = self.previous.knowledge.column(id);
        let label = &self.previous.knowledge.table(entry.table).label;
        let score = |chunk: &Chunk| {
            let own = chunk.columns.iter().find(|(other, _)| *other == id).map_or(0.0, |(_, score)| *score);
            // The rows of a table are shown by their names.
            let rows = chunk.tables.iter().find(|(table, _)| *table == entry.table && label.contains(&id));
            own.max(rows.map_or(0.0, |(_, score)| *score))
        };
        let named = self.reading.chunks.iter().map(|chunk| (chunk, score(chunk)));
        named.filter(|(_, score)| *score > 0.0).max_by(|one, other| one.1.total_cmp(&other.1))
    }

    /// What is shown that was not: whether it is named, and whether another column is named better by the same words.
    fn shown(&self, features: &mut Features) {
        let before = &self.before.shown;
        let (mut worst, mut beaten, mut unnamed, mut new) = (1.0_f32, 0.0_f32, 0.0, 0.0);
        let mut tables: Vec<TableId> = Vec::new();
        for shown in &self.plan.select.projection {
            let is_new = !before.contains(&shown.expr);
            for column in shown.expr.columns() {
                let Some(id) = self.id(column).filter(|_| is_new) else { continue };
                new += 1.0;
                let table = self.previous.knowledge.column(id).table;
                if !tables.contains(&table) {
                    tables.push(table);
                }
                let Some((chunk, score)) = self.name_of(id).filter(|(_, score)| *score >= 0.4) else {
                    unnamed += 1.0;
                    continue;
                };
                worst = worst.min(score);
                beaten = beaten.max(chunk.column_score() - score);
            }
        }
        if new == 0.0 {
            return;
        }
        for (name, value) in [
            ("new shown", f32::min(new, 4.0)),
            ("new shown unnamed", f32::min(unnamed, 3.0)),
            ("new shown worst", worst),
            ("new shown beaten", beaten),
            ("new shown of tables", (tables.len() as f32 - 1.0).max(0.0)),
        ] {
            features.push((name.to_owned(), value));
        }
    }

    /// Columns that are named plainly: whether they are shown, or have a part elsewhere, or none.
    fn named(&self, features: &mut Features) {
        let is_shown = |id: ColumnId| {
            let shown = &self.plan.select.projection;
            shown.is_empty()
                || shown.iter().any(|one| {
                    matches!(one.expr, Expr::All(_))
                        || one.expr.columns().iter().any(|column| self.id(column) == Some(id))
                })
        };
        let mut used: Vec<ColumnId> = Vec::new();
        for select in
            std::iter::once(&self.plan.select).chain(self.plan.queries().iter().map(|plan| &plan.select))
        {
            let exprs = select.exprs();
            let columns = exprs.into_iter().flat_map(Expr::columns);
            let conditions = select.filter.iter().chain(&select.having).flat_map(Condition::columns);
            used.extend(columns.chain(conditions).filter_map(|column| self.id(column)));
        }
        used.extend(
            self.plan.order_by.iter().flat_map(|order| order.expr.columns()).filter_map(|one| self.id(one)),
        );
        let (mut shown, mut elsewhere, mut idle) = (0.0, 0.0, 0.0);
        for chunk in &self.reading.chunks {
            let plain = chunk.column_score() >= 0.8
                && chunk.column_score() + 0.05 >= chunk.table_score()
                && !chunk.values.iter().any(|value| value.score >= chunk.column_score());
            if !plain {
                continue;
            }
            let named: Vec<ColumnId> = chunk
                .columns
                .iter()
                .filter(|(_, score)| *score + 0.1 >= chunk.column_score())
                .map(|(id, _)| *id)
                .collect();
            if named.iter().any(|id| is_shown(*id)) {
                shown += 1.0;
            } else if named.iter().any(|id| used.contains(id)) {
                elsewhere += 1.0;
            } else {
                idle += 1.0;
            }
        }
        for (name, value) in [("named shown", shown), ("named elsewhere", elsewhere), ("named idle", idle)] {
            features.push((name.to_owned(), f32::min(value, 4.0)));
        }
    }

    /// New conditions: how well their values are said, whether others are said better, and what columns they are on.
    fn conditions(&self, features: &mut Features) {
        let own = self.plan.select.filter.iter().chain(&self.plan.select.having);
        let parts: Vec<Condition> = own.flat_map(Condition::parts).collect();
        let new =
            parts.iter().filter(|condition| !self.previous.conditions().any(|known| known == *condition));
        let (mut beaten, mut worst, mut unnamed, mut missing, mut hidden) = (0.0_f32, 1.0_f32, 0.0, 0.0, 0.0);
        let shown = &self.before.shown;
        for condition in new {
            if matches!(condition, Condition::IsNull { .. }) {
                missing += 1.0;
            }
            for column in condition.columns() {
                let Some(id) = self.id(column) else { continue };
                let link = |chunk: &Chunk| {
                    let best = chunk.values.first().map_or(0.0, |value| value.score);
                    let own = chunk.values.iter().find(|value| value.column == Some(id))?.score;
                    Some((own, best - own))
                };
                let value = self
                    .reading
                    .chunks
                    .iter()
                    .filter_map(link)
                    .max_by(|one, other| one.0.total_cmp(&other.0));
                let named = self.name_of(id).map_or(0.0, |(_, score)| score);
                match value {
                    Some((score, behind)) => {
                        worst = worst.min(score);
                        beaten = beaten.max(behind);
                    }
                    None if named < NAMED => unnamed += 1.0,
                    None => {}
                }
                if !shown.iter().any(|expr| expr.columns().contains(&column)) {
                    hidden += 1.0;
                }
            }
        }
        for (name, value) in [
            ("new value beaten", beaten),
            ("new value doubt", 1.0 - worst),
            ("new condition unnamed", f32::min(unnamed, 3.0)),
            ("new condition missing", f32::min(missing, 2.0)),
            ("new condition not shown", f32::min(hidden, 3.0)),
        ] {
            features.push((name.to_owned(), value));
        }
    }

    /// Tables that come or go, and whether anything is said of those that come.
    fn tables(&self, features: &mut Features) {
        let knowledge = self.previous.knowledge;
        let ids = |plan: &QueryPlan| -> Vec<TableId> {
            plan.tables().iter().filter_map(|table| knowledge.table_named(&table.table)).collect()
        };
        let (before, after) = (ids(self.previous.plan), ids(self.plan));
        let is_said = |table: &TableId| {
            self.reading.chunks.iter().any(|chunk| {
                let of_table = |id: ColumnId| knowledge.column(id).table == *table;
                chunk.tables.iter().any(|(known, score)| known == table && *score >= 0.5)
                    || chunk.columns.iter().any(|(id, score)| *score >= NAMED && of_table(*id))
                    || chunk
                        .values
                        .iter()
                        .any(|value| value.score >= NAMED && value.column.is_some_and(of_table))
            })
        };
        let mut new: Vec<TableId> = after.iter().filter(|table| !before.contains(table)).copied().collect();
        new.sort_unstable();
        new.dedup();
        let unsaid = new.iter().filter(|table| !is_said(table)).count();
        let gone: Vec<&TableId> = before.iter().filter(|table| !after.contains(table)).collect();
        let gone_said = gone.iter().filter(|table| is_said(table)).count();
        // A table that is named as such, and has no part.
        let named =
            |chunk: &&Chunk| chunk.table_score() >= 0.8 && chunk.table_score() > chunk.column_score() + 0.05;
        let idle = self.reading.chunks.iter().filter(named).filter(|chunk| {
            !chunk.tables.iter().any(|(table, score)| *score >= 0.6 && after.contains(table))
        });
        for (name, value) in [
            ("tables new", new.len()),
            ("tables new unsaid", unsaid),
            ("tables gone", gone.len()),
            ("tables gone said", gone_said),
            ("tables said idle", idle.count()),
            ("tables", after.len()),
        ] {
            features.push((name.to_owned(), value.min(4) as f32));
        }
    }

    /// Words with content that are part of no name and no value which the plan uses, and those that are part of what is new
    /// in it: *checking* of *checking balance* speaks for one balance and against another.
    fn words(&self, features: &mut Features) {
        let before = &self.before.stems;
        let now = stems(self.plan, self.previous.knowledge);
        let (mut unheard, mut elsewhere, mut new) = (0.0, 0.0, 0.0);
        for chunk in &self.reading.chunks {
            for word in chunk.text.split(' ') {
                let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
                let stemmed = stem(plain);
                if plain.len() < 3 || is_soft_word(plain) {
                    continue;
                }
                if now.contains(&stemmed) {
                    new += f32::from(u8::from(!before.contains(&stemmed)));
                } else if chunk.is_schema() || !chunk.values.is_empty() {
                    elsewhere += 1.0;
                } else if chunk.cue.is_none() && chunk.number.is_none() {
                    unheard += 1.0;
                }
            }
        }
        for (name, value) in [
            ("words unheard", unheard),
            ("words that name something else", elsewhere),
            ("words of new names", new),
        ] {
            features.push((name.to_owned(), f32::min(value, 5.0)));
        }
    }

    /// What of the plan before stays, beside the words that point back at what was shown.
    fn kept(&self, features: &mut Features) {
        let before = self.previous.plan;
        let shown = |expr: &Expr| self.plan.select.projection.iter().any(|one| one.expr == *expr);
        let all = &before.select.projection;
        let kept = all.iter().filter(|one| shown(&one.expr)).count();
        let columns = match kept {
            _ if all.is_empty() => "whole rows",
            0 => "none",
            kept if kept == all.len() => "all",
            _ => "some",
        };
        let points = [
            "which", "who", "whose", "what", "list", "only", "also", "all", "their", "its", "his", "her",
            "each", "these", "those", "this", "that", "them", "they", "it", "ones", "one",
        ];
        let order = match (before.order_by.is_empty(), before.order_by == self.plan.order_by) {
            (true, _) => "none",
            (false, true) => "kept",
            (false, false) => "changed",
        };
        let cut = match (before.limit, self.plan.limit) {
            (None, None) => "never",
            (None, Some(_)) => "now",
            (Some(_), None) => "no more",
            (one, other) if one == other => "as before",
            _ => "otherwise",
        };
        let conditions = self.previous.conditions().count();
        let own: Vec<Condition> = self
            .plan
            .select
            .filter
            .iter()
            .chain(&self.plan.select.having)
            .flat_map(Condition::parts)
            .collect();
        let held = self.previous.conditions().filter(|condition| own.contains(condition)).count();
        let rows = match held {
            _ if conditions == 0 => "free",
            held if held == conditions => "kept",
            0 => "dropped",
            _ => "partly",
        };
        let mut add = |name: String| features.push((name, 1.0));
        add(format!("columns kept {columns}"));
        add(format!("order {order}"));
        add(format!("cut {cut}"));
        add(format!("conditions {rows}"));
        for word in points.iter().filter(|word| self.reading.has(&[word])) {
            add(format!("says {word} columns kept {columns}"));
            add(format!("says {word} conditions {rows}"));
            add(format!("says {word} cut {cut}"));
        }
        let pair = format!("{} {}", self.reading.question.word(0), self.reading.question.word(1));
        if PAIRS.contains(&pair.as_str()) {
            add(format!("opens {pair} columns kept {columns}"));
            add(format!("opens {pair} conditions {rows}"));
            add(format!("opens {pair} cut {cut}"));
        }
    }
}

/// The stems of all names and texts that a plan uses.
fn stems(plan: &QueryPlan, knowledge: &Knowledge) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    for table in plan.tables().iter().filter_map(|table| knowledge.table_named(&table.table)) {
        stems.extend(knowledge.table(table).forms.iter().flatten().cloned());
    }
    let mut plans = vec![plan];
    while let Some(one) = plans.pop() {
        plans.extend(one.queries());
        for select in one.selects() {
            let mut exprs = select.exprs();
            exprs.extend(one.order_by.iter().map(|order| &order.expr));
            let conditions = || select.filter.iter().chain(&select.having);
            exprs.extend(conditions().flat_map(Condition::exprs));
            for expr in exprs {
                for column in expr.columns() {
                    let id = || {
                        let table = knowledge.table_named(one.table_in_use(&column.table)?)?;
                        knowledge.column_named(table, &column.column)
                    };
                    if let Some(id) = id() {
                        stems.extend(knowledge.column(id).forms.iter().flatten().cloned());
                    }
                }
                expr.for_each(&mut |part| {
                    if let Expr::Literal(Value::Text(text)) = part {
                        stems.extend(text.split(|c: char| !c.is_alphanumeric()).map(stem));
                    }
                });
            }
        }
    }
    stems
}

/// Two words that many follow-ups open with.
const PAIRS: &[&str] = &[
    "what is",
    "what are",
    "what about",
    "how about",
    "how many",
    "show me",
    "show the",
    "show their",
    "list the",
    "list their",
    "give me",
    "give the",
    "tell me",
    "which one",
    "which ones",
    "which of",
    "who is",
    "who are",
    "what were",
    "what was",
    "of those",
    "of these",
    "among those",
    "among these",
    "and the",
    "can you",
    "only show",
    "just show",
    "also show",
    "also list",
    "please list",
    "sort by",
    "order by",
    "sort them",
    "order them",
];
