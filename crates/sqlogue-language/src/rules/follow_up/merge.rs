//! Merging a composed follow-up with the previous plan: what the words say from them, the rest from before.

use super::previous::Previous;
use super::reading::Reading;
use super::resolve::Resolved;
use super::single;
use super::ways::{TRUSTED, changed};
use super::{Composed, FollowUp, judge};
use crate::rules::cue::Cue;
use sqlogue_sql::plan::{
    ColumnRef, Comparison, Condition, Confidence, Expr, Join, PlanEdit, QueryPlan, Select, Source, TableUse,
};

/// Merges.
pub(super) fn merge(
    reading: &Reading,
    previous: &Previous<'_>,
    resolved: &Resolved,
    composed: Composed,
) -> FollowUp {
    let question = resolved.question.clone();
    let confidence = composed.confidence.min(Confidence::Medium);
    let anew = |plan: &QueryPlan, evidence: String| {
        // *and …* adds to what was asked before, and *per …* groups it.
        let adds = matches!(reading.question.word(0), "and" | "also" | "plus" | "per" | "by");
        let doubts = judge::of_new_plan(reading, resolved.refers || adds, previous, plan);
        let confidence = if doubts.is_empty() { confidence } else { Confidence::Low };
        let (question, plan) = (question.clone(), Box::new(plan.clone()));
        FollowUp::NewQuestion { question, plan, evidence: vec![evidence], confidence, doubts }
    };
    let stands_alone = || anew(&composed.plan, format!("read as: {question}"));
    // What is to go must not come instead: `remove …` of something that is no condition.
    let restricts = composed.plan.select.filter.is_some() || composed.plan.select.having.is_some();
    let is_empty = says_nothing_known(reading, &composed)
        || resolved.negative && !restricts
        || !previous.stays_sound(&composed.plan)
        || lists_a_table(&composed.plan) && !may_ask_for_rows(reading, resolved);
    if composed.probability < TRUSTED || is_empty {
        return FollowUp::NotUnderstood { evidence: vec![format!("read as: {question}")] };
    }
    let carries = resolved.refers || !resolved.names_entity || reading.only;
    if !carries || !previous.plan.set_operations.is_empty() {
        return stands_alone();
    }
    // `those that are not used by any order`, asked of what was joined with orders: the join goes.
    if excludes_joined(previous, &composed.plan) {
        let mut plan = composed.plan.clone();
        let fits = previous
            .plan
            .select
            .projection
            .iter()
            .flat_map(|shown| shown.expr.columns())
            .all(|column| plan.select.tables().any(|table| table.name() == column.table));
        if fits && resolved.keeps_columns && !previous.is_one_summary() {
            plan.select.projection = previous.plan.select.projection.clone();
        }
        return FollowUp::NewQuestion {
            question,
            plan: Box::new(plan),
            evidence: vec!["what was joined is left out".to_owned()],
            confidence,
            doubts: Vec::new(),
        };
    }
    let edits = edits(reading, previous, resolved, &composed.plan);
    let edited = edits.and_then(|edits| single::applied(edits, previous.plan));
    match edited.filter(|(plan, edits)| !edits.is_empty() && previous.stays_sound(plan)) {
        Some((plan, _)) if plan == *previous.plan && !resolved.names_entity && !resolved.refers => {
            FollowUp::NotUnderstood { evidence: vec![format!("read as: {question}")] }
        }
        Some((plan, edits)) => {
            let account = changed(reading, previous, &plan);
            FollowUp::Edits {
                edits,
                plan: Box::new(plan),
                evidence: vec![format!("read as: {question}")],
                is_clear: false,
                confidence: account.bound(confidence),
                account,
            }
        }
        _ => stands_alone(),
    }
}

/// True where everything of weight in the follow-up itself was left out of what was composed.
fn says_nothing_known(reading: &Reading, composed: &Composed) -> bool {
    // Words that give a question its structure say nothing of what it asks for.
    let content: Vec<_> = reading.content(&[]).into_iter().filter(|chunk| chunk.cue.is_none()).collect();
    let is_ignored = |text: &str| {
        text.split(' ').all(|word| composed.ignored.iter().any(|words| words.split(' ').any(|w| w == word)))
    };
    !content.is_empty() && content.iter().all(|chunk| is_ignored(&chunk.text))
}

/// True for a plan that shows a table as it is.
fn lists_a_table(plan: &QueryPlan) -> bool {
    let select = &plan.select;
    select.projection.iter().all(|shown| matches!(shown.expr, Expr::All(_)))
        && select.filter.is_none()
        && select.joins.is_empty()
        && select.group_by.is_empty()
        && plan.order_by.is_empty()
        && plan.limit.is_none()
        && plan.set_operations.is_empty()
}

/// True where a follow-up can mean whole rows: it names what they are, speaks of them, or asks for all.
fn may_ask_for_rows(reading: &Reading, resolved: &Resolved) -> bool {
    let names_table = reading.chunks.iter().any(|chunk| chunk.table_score() > 0.6);
    resolved.refers
        || resolved.names_entity
        || names_table
        || reading.cue(Cue::All)
        || reading.cue(Cue::Details)
}

/// The edits that bring what is new in a composed plan into the previous one.
fn edits(
    reading: &Reading,
    previous: &Previous<'_>,
    resolved: &Resolved,
    new: &QueryPlan,
) -> Option<Vec<PlanEdit>> {
    let Source::Table(_) = &new.select.from else { return None };
    let is_one_query =
        new.set_operations.is_empty() && !new.select.tables().any(|table| table.alias.is_some());
    if !is_one_query || matches!(previous.plan.select.from, Source::Query { .. }) {
        return None;
    }
    let joins = missing_joins(previous, &new.select)?;
    let joined = !joins.is_empty();
    let merging = Merging {
        reading,
        previous,
        resolved,
        new,
        groups: !new.select.group_by.is_empty(),
        summarises: new.select.projection.iter().any(|shown| shown.expr.is_aggregate()),
        sorts: reading.only_sorts() || reading.starts(&["sort", "order", "rank", "arrange"]),
    };
    let (groups, shown) = merging.grouped()?;
    let keeps = merging.keeps_columns(&groups, &shown);
    let mut edits = Vec::new();
    if joined {
        edits.push(PlanEdit::AddJoin { joins });
    }
    if let Groups::New(by) = groups {
        let measures = shown.iter().filter(|expr| expr.is_aggregate()).cloned().collect();
        edits.push(PlanEdit::GroupBy { by, measures });
    }
    edits.extend(merging.columns(keeps, shown));
    if merging.shows_once(keeps && joined) {
        edits.push(PlanEdit::SetDistinct { distinct: true });
    }
    edits.extend(merging.conditions());
    edits.extend(merging.order());
    Some(edits)
}

/// A composed plan beside the previous one.
struct Merging<'a> {
    reading: &'a Reading,
    previous: &'a Previous<'a>,
    resolved: &'a Resolved,
    new: &'a QueryPlan,
    /// Whether the composed plan groups.
    groups: bool,
    /// Whether it shows a summary.
    summarises: bool,
    /// Whether it is only to be sorted.
    sorts: bool,
}

/// What a composed plan makes of the groups before it.
enum Groups {
    /// It has none.
    None,
    /// They stay.
    Kept,
    New(Vec<Expr>),
}

impl Merging<'_> {
    fn old(&self) -> &Select {
        &self.previous.plan.select
    }

    /// The groups, and what is shown of them or of the rows; none where other groups were there.
    fn grouped(&self) -> Option<(Groups, Vec<Expr>)> {
        let (by, old) = (&self.new.select.group_by, self.old());
        let mut shown: Vec<Expr> = expressions(&self.new.select).collect();
        if !self.groups {
            return Some((Groups::None, shown));
        }
        let own = is_own_key(self.previous, by);
        // `which of them have more than …` after a summary for each: its groups stay.
        if own && !old.group_by.is_empty() {
            return Some((Groups::Kept, expressions(old).filter(|expr| !expr.is_aggregate()).collect()));
        }
        if !old.group_by.is_empty() && old.group_by != *by {
            return None;
        }
        // `which one is shared by the most …` after an attribute was shown: the groups are its values.
        let speaks_of_them = self.resolved.refers || self.resolved.keeps_columns;
        let attribute = self.previous.shared_column().filter(|_| own && speaks_of_them).map(Expr::Column);
        let Some(attribute) = attribute else { return Some((Groups::New(by.clone()), shown)) };
        for expr in shown.iter_mut().filter(|expr| !expr.is_aggregate()) {
            *expr = attribute.clone();
        }
        Some((Groups::New(vec![attribute]), shown))
    }

    /// True where the columns stay as they were.
    fn keeps_columns(&self, groups: &Groups, shown: &[Expr]) -> bool {
        // Where no column was recognised, nothing was said of columns.
        let says_no_column = shown.iter().all(|expr| matches!(expr, Expr::All(_)))
            && !may_ask_for_rows(self.reading, self.resolved);
        says_no_column
            || !matches!(groups, Groups::Kept)
                && (self.resolved.keeps_columns || self.sorts)
                && !self.summarises
                // Rows that were summarised are asked about again as rows.
                && !self.previous.is_one_summary()
    }

    fn columns(&self, keeps: bool, shown: Vec<Expr>) -> Vec<PlanEdit> {
        if keeps && !self.groups {
            return Vec::new();
        }
        if keeps {
            return vec![PlanEdit::ReplaceColumns { columns: expressions(self.old()).collect() }];
        }
        if self.reading.also && !self.summarises && !self.groups && !self.previous.is_one_summary() {
            let there = self.previous.shown();
            let more = shown.into_iter().filter(|expr| !there.contains(expr));
            return more.map(|expr| PlanEdit::AddColumn { expr }).collect();
        }
        vec![PlanEdit::ReplaceColumns { columns: shown }]
    }

    /// True where equal rows are to be shown once: a table that was joined only to restrict the rows must not show one of
    /// them twice.
    fn shows_once(&self, joined_to_columns: bool) -> bool {
        let old = self.old();
        let of_entity =
            |expr: Expr| expr.columns().iter().all(|column| column.table == self.previous.entity().0);
        let restricts = joined_to_columns
            && !self.groups
            && old.group_by.is_empty()
            && !old.projection.is_empty()
            && expressions(old).all(of_entity);
        (self.new.select.distinct || restricts || self.asks_for_others()) && !old.distinct
    }

    /// *Which customers placed them?*: other things than the rows that were shown, of which several may have the same.
    fn asks_for_others(&self) -> bool {
        let knowledge = self.previous.knowledge;
        let names_others = |expr: Expr| match expr {
            Expr::Column(column) if column.table != self.previous.entity().0 => {
                let table = self.new.table_in_use(&column.table).and_then(|name| knowledge.table_named(name));
                table.is_some_and(|table| {
                    let id = knowledge.column_named(table, &column.column);
                    id.is_some_and(|id| knowledge.table(table).label.contains(&id))
                })
            }
            _ => false,
        };
        self.resolved.refers
            && self.reading.starts(&["which", "who", "what"])
            && !self.groups
            && !self.summarises
            && self.old().group_by.is_empty()
            && !self.new.select.projection.is_empty()
            && expressions(&self.new.select).all(names_others)
    }

    fn conditions(&self) -> Vec<PlanEdit> {
        let said = self.new.select.filter.iter().chain(&self.new.select.having).flat_map(Condition::parts);
        said.map(|condition| if self.resolved.negative { opposite_of(condition) } else { condition })
            .filter(|condition| !self.previous.conditions().any(|other| other == condition))
            .map(|condition| self.condition(condition))
            .collect()
    }

    fn condition(&self, condition: Condition) -> PlanEdit {
        let clashes = self.previous.conditions().any(|other| {
            other.subject().is_some()
                && other.subject() == condition.subject()
                // `before 2003` and `after 2003`: no row is both, so the second replaces the first.
                && (is_equality(other) && is_equality(&condition) || other.excludes(&condition))
        });
        let several_shown = self.previous.plan.limit.is_some_and(|limit| limit > 1);
        if clashes && !self.reading.also {
            PlanEdit::ReplaceFilter { condition }
        } else if several_shown && self.resolved.refers && !condition.is_aggregate() {
            PlanEdit::FilterShown { condition, key: self.previous.key() }
        } else {
            PlanEdit::AddFilter { condition }
        }
    }

    fn order(&self) -> Vec<PlanEdit> {
        let old = self.previous.plan;
        if !self.new.order_by.is_empty() {
            let limit = self.new.limit.filter(|_| !self.sorts).map(|limit| PlanEdit::SetLimit { limit });
            let order = PlanEdit::SetOrder { order: self.new.order_by.clone() };
            return std::iter::once(order).chain(limit).collect();
        }
        let is_idle = self.summarises && !self.groups && old.limit.is_none() && !old.order_by.is_empty();
        if is_idle { vec![PlanEdit::ClearOrder] } else { Vec::new() }
    }
}

/// What a query shows.
fn expressions(select: &Select) -> impl Iterator<Item = Expr> {
    select.projection.iter().map(|shown| shown.expr.clone())
}

/// True where a plan leaves out what has a partner in a table that the previous plan joins.
fn excludes_joined(previous: &Previous<'_>, new: &QueryPlan) -> bool {
    let joined = |name: &str| previous.select().joins.iter().any(|join| join.table.table == name);
    new.select.filter.iter().flat_map(Condition::conjuncts).any(|condition| match condition {
        Condition::InQuery { query, negated: true, .. } => {
            query.select.tables().any(|table| joined(&table.table))
        }
        _ => false,
    })
}

fn opposite_of(condition: Condition) -> Condition {
    match condition {
        Condition::Compare { left, operator, right } => {
            Condition::Compare { left, operator: operator.negated(), right }
        }
        Condition::In { expr, list, negated } => Condition::In { expr, list, negated: !negated },
        Condition::InQuery { expr, query, negated } => Condition::InQuery { expr, query, negated: !negated },
        Condition::Like { expr, pattern, negated } => Condition::Like { expr, pattern, negated: !negated },
        Condition::IsNull { expr, negated } => Condition::IsNull { expr, negated: !negated },
        other => Condition::Not(Box::new(other)),
    }
}

/// The groups are the rows of what was asked about.
fn is_own_key(previous: &Previous<'_>, groups: &[Expr]) -> bool {
    let key = previous.key().map(Expr::Column);
    matches!(groups, [one] if Some(one) == key.as_ref())
}

fn is_equality(condition: &Condition) -> bool {
    matches!(
        condition,
        Condition::Compare { operator: Comparison::Equal, .. } | Condition::In { negated: false, .. }
    )
}

/// The joins that bring in the tables of a selection that the previous plan does not use.
fn missing_joins(previous: &Previous<'_>, new: &Select) -> Option<Vec<Join>> {
    // A table under another name in the previous plan would need every column renamed.
    if previous.tables.iter().any(|(name, id)| previous.knowledge.table(*id).name != *name) {
        return None;
    }
    let used = |name: &str| previous.tables.iter().any(|(table, _)| table == name);
    let mut there: Vec<String> = previous.tables.iter().map(|(name, _)| name.clone()).collect();
    let mut waiting: Vec<(TableUse, Vec<(ColumnRef, ColumnRef)>)> = Vec::new();
    let Source::Table(first) = &new.from else { return None };
    let mut pairs: Vec<(ColumnRef, ColumnRef)> = new.joins.iter().flat_map(|join| join.on.clone()).collect();
    for table in std::iter::once(first).chain(new.joins.iter().map(|join| &join.table)) {
        if !used(table.name()) {
            waiting.push((table.clone(), Vec::new()));
        }
    }
    let mut joins = Vec::new();
    // Each round brings in a table that is tied to one that is there.
    while !waiting.is_empty() {
        let at = waiting.iter().position(|(table, _)| {
            pairs.iter().any(|(left, right)| {
                ties(left, right, table.name(), &there) || ties(right, left, table.name(), &there)
            })
        })?;
        let (table, _) = waiting.remove(at);
        let mut on = Vec::new();
        pairs.retain(|(left, right)| {
            if ties(left, right, table.name(), &there) {
                on.push((left.clone(), right.clone()));
                false
            } else if ties(right, left, table.name(), &there) {
                on.push((right.clone(), left.clone()));
                false
            } else {
                true
            }
        });
        there.push(table.name().to_owned());
        joins.push(Join::new(sqlogue_sql::plan::JoinKind::Inner, table, on));
    }
    Some(joins)
}

fn ties(from: &ColumnRef, to: &ColumnRef, table: &str, there: &[String]) -> bool {
    to.table == table && there.contains(&from.table)
}
