//! Rows that refer to others: that exist or do not, that have come to their end or are late.

use jiff::civil::Date;

use super::Lowering;
use super::grain::Grain;
use super::states::told_by;
use super::who::{has_people, is_called};
use crate::rules::grammar::columns::{due_date, end_date, flag, named};
use crate::rules::grammar::form::{Named, Noun, Pred, Trade};
use crate::rules::grammar::words::WordLists;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use sqlogue_sql::plan::{Comparison, Condition, DateUnit, Expr, Projection, QueryPlan};
use sqlogue_sql::schema::Value;

impl Lowering<'_> {
    /// Rows of another table that refer to this one exist, or none do. `by` is a table that the way leads through.
    pub(super) fn related(
        &self,
        other: TableId,
        by: Option<TableId>,
        preds: &[Pred],
        exists: bool,
        grain: &Grain,
    ) -> Option<Condition> {
        let subject = self.subject_of(grain)?;
        let sides = if by.is_none() { self.sides(other, subject, preds) } else { Vec::new() };
        if sides.is_empty() {
            return self.related_at(other, by, preds, exists, grain, None);
        }
        let at = |side: &bool| {
            let preds: Vec<Pred> = preds.iter().map(|pred| at_side(pred, *side)).collect();
            self.related_at(other, by, &preds, exists, grain, Some(*side))
        };
        let all: Vec<Condition> = sides.iter().map(at).collect::<Option<_>>()?;
        match exists && all.len() > 1 {
            true => Some(Condition::Or(all)),
            false => Condition::all(all),
        }
    }

    /// The same of rows that refer to the subject by several columns, by one of them.
    pub(super) fn related_by(
        &self,
        other: TableId,
        by: ColumnId,
        preds: &[Pred],
        exists: bool,
        grain: &Grain,
    ) -> Option<Condition> {
        let mut condition = self.related(other, None, preds, exists, grain)?;
        let Condition::InQuery { query, .. } = &mut condition else { return Some(condition) };
        // What is looked for is the column that says so, with nothing else in between.
        if query.select.joins.is_empty() && query.select.from.name() == self.knowledge.table(other).name {
            let usual = query.select.projection.first()?.expr.clone();
            let of = self.expr(by);
            let put = |part: &Expr| (*part == usual).then(|| of.clone());
            query.select.projection = vec![Projection::from(of.clone())];
            query.select.filter.iter_mut().for_each(|filter| filter.replace(&mut |part| put(part)));
        }
        Some(condition)
    }

    /// The same of rows with two ends at one of them, true for the first.
    fn related_at(
        &self,
        other: TableId,
        by: Option<TableId>,
        preds: &[Pred],
        exists: bool,
        grain: &Grain,
        side: Option<bool>,
    ) -> Option<Condition> {
        let subject = self.subject_of(grain)?;
        // What is true of the subject is no condition on its rows in the other table.
        let is_own = |pred: &Pred| {
            matches!(pred, Pred::Through(..) | Pred::Only(..))
                || self.pred_table(pred) == Some(subject) && by.is_none()
        };
        if other == subject || preds.iter().any(is_own) {
            return None;
        }
        // The way from the subject to the other table; its first step is the column that both hold.
        let way = self.knowledge.joins().connect(&[subject, by.unwrap_or(other)])?;
        let first = way.edges.first()?;
        // What was sold belongs to one buyer.
        if let Some(lines) = by
            && self.repeats(lines, &self.knowledge.joins().connect(&[lines, subject])?)
        {
            return None;
        }
        // What is dated is what links the two: *listened to jazz this year* is dated by the listening.
        let link = if first.from == subject { other } else { first.from };
        let dated = |table: TableId| self.dates(table).first().copied();
        let above = || self.bearer(link).filter(|table| *table != subject).and_then(dated);
        // *accounts without an event this week*: rows far below have times of their own.
        let is_below =
            way.edges.len() > 1 && way.edges.iter().zip(&way.tables).all(|(edge, above)| edge.to == *above);
        let own = || dated(other).filter(|_| is_below);
        let date = own().or_else(|| dated(link)).or_else(above).or_else(|| dated(other));
        let inner = Grain { entity: other, date, ..grain.clone() };
        let mut tables = vec![other];
        for pred in preds {
            self.pred_tables(pred, &inner, &mut tables);
        }
        tables.retain(|table| *table != subject);
        let (near, far) = first.columns.first().map(|(from, to)| match first.from == subject {
            true => (*from, *to),
            false => (*to, *from),
        })?;
        let far = side.and_then(|side| self.side_of(other, side)).unwrap_or(far);
        // *customers without an adviser*: the reference itself is missing.
        if !exists && preds.is_empty() && first.from == subject && way.edges.len() == 1 {
            let missing = Condition::IsNull { expr: self.expr(near), negated: false };
            return self.knowledge.column(near).nullable.then_some(missing);
        }
        for table in way.tables.iter().skip(1) {
            if !tables.contains(table) {
                tables.push(*table);
            }
        }
        let (mut select, _) = self.joined(&tables)?;
        let nested = self.nested.replace(true);
        let conditions = self.all(preds, &inner);
        self.nested.set(nested);
        let mut conditions = conditions?;
        if !exists {
            // NOT IN with a NULL inside is never true.
            conditions.push(Condition::IsNull { expr: self.expr(far), negated: true });
        }
        select.projection = vec![Projection::from(self.expr(far))];
        select.filter = Condition::all(conditions);
        Some(Condition::InQuery {
            expr: self.expr(near),
            query: Box::new(QueryPlan::from(select)),
            negated: !exists,
        })
    }

    /// Rows that lead to a value exist, and none that lead to another.
    pub(super) fn only(&self, named: &Named, sold: Option<&Trade>, grain: &Grain) -> Option<Condition> {
        let table = self.filler(named.words)?.table;
        let by = sold.and_then(|trade| self.filler(trade.words)).map(|lines| lines.table);
        // It is said of what was done, and one row does nothing twice.
        let subject = self.subject_of(grain)?;
        let way = self.knowledge.joins().connect(&[subject, table])?;
        way.edges.first().filter(|edge| edge.from != subject)?;
        let is = |negated| Pred::Is { values: vec![named.clone()], column: None, negated };
        let any = self.related(table, by, &[is(false)], true, grain)?;
        Some(any.and(self.related(table, by, &[is(true)], false, grain)?))
    }

    /// *unpaid*, *still open*, *overdue*: the date of the end is missing, and the day it was due has gone by.
    pub(super) fn open(
        &self,
        end: Option<&str>,
        late_on: Option<Date>,
        grain: &Grain,
        pred: &Pred,
    ) -> Option<Condition> {
        if end.is_none()
            && late_on.is_none()
            && let Some(kept) = self.in_use(grain.entity)
        {
            return Some(kept);
        }
        // *unpaid invoices* are those that are `open`, before it is asked which of their payments were made.
        if end.is_none_or(|end| matches!(end, "paid" | "settled"))
            && late_on.is_none()
            && end_date(self.knowledge, grain.entity, end).is_none()
            && let Some(open) = self.in_open_state(grain.entity)
        {
            return Some(open);
        }
        let table = match self.ends(grain, pred) {
            Ends::Here(table) => table,
            Ends::Below(condition) => return condition,
        };
        let still_open = match end_date(self.knowledge, table, end) {
            Some(end) => Condition::IsNull { expr: self.expr(end), negated: false },
            None => self.in_open_state(table).filter(|_| late_on.is_some())?,
        };
        let mut conditions = vec![still_open];
        conditions.extend(self.not_called_off(table));
        if let Some(day) = late_on {
            let due = due_date(self.knowledge, table)?;
            conditions.push(Condition::period(self.date_expr(due), None, Some(day))?);
        }
        Condition::all(conditions)
    }

    /// Rows whose state says that something is still to come: invoices that are `open` or `sent`, where no date tells when they were
    /// paid.
    fn in_open_state(&self, table: TableId) -> Option<Condition> {
        let (state, mut list) = self.states_called(table, "open_states")?;
        Some(match list.len() {
            1 => Condition::compare(state, Comparison::Equal, list.pop()?),
            _ => Condition::In { expr: state, list, negated: false },
        })
    }

    /// What was called off is not open, though it never came to its end; none where the question says the state itself, as in
    /// *cancelled orders not delivered yet*.
    fn not_called_off(&self, table: TableId) -> Option<Condition> {
        let (state, mut list) = self.states_called(table, "called_off")?;
        let is_state = |value: &Named| {
            let filler = self.filler(value.words);
            filler.and_then(|filler| filler.column).is_some_and(|id| self.expr(id) == state)
        };
        let says_state = |pred: &Pred| match pred {
            Pred::Is { values, negated: false, .. } => values.iter().any(is_state),
            _ => false,
        };
        if self.query.preds.iter().any(says_state) {
            return None;
        }
        Some(match list.len() {
            1 => Condition::compare(state, Comparison::NotEqual, list.pop()?),
            _ => Condition::In { expr: state, list, negated: true },
        })
    }

    /// The column that tells in which state rows are, with those of its values that are in a list of words.
    fn states_called(&self, table: TableId, list: &str) -> Option<(Expr, Vec<Expr>)> {
        let list = WordLists::embedded().list(list);
        let is_listed = |value: &&Value| match value {
            Value::Text(text) => {
                let words = text.to_lowercase().replace(['_', '-'], " ");
                list.contains(&words.split_whitespace().collect::<Vec<_>>())
            }
            _ => false,
        };
        let columns = self.knowledge.table(table).columns.iter();
        let mut states = columns.filter(|id| named(self.knowledge, **id, &["status", "state", "stage"]));
        states.find_map(|id| {
            let called = self.knowledge.column(*id).few_values.iter().filter(is_listed).cloned();
            let called: Vec<Expr> = called.map(Expr::Literal).collect();
            (!called.is_empty()).then(|| (self.expr(*id), called))
        })
    }

    /// *orders of current customers*: the customers are, whatever end the orders have.
    pub(super) fn open_rows(&self, table: TableId, grain: &Grain) -> Option<Condition> {
        match end_date(self.knowledge, table, None) {
            Some(end) => Some(Condition::IsNull { expr: self.expr(end), negated: false }),
            None => self.in_use(table).or_else(|| {
                let open = Pred::Open { end: None, late_on: None };
                self.open(None, None, grain, &open)
            }),
        }
    }

    /// *current beers*, *beers we still make*: by the flag that says so, where no date tells of an end.
    fn in_use(&self, table: TableId) -> Option<Condition> {
        if end_date(self.knowledge, table, None).is_some() {
            return None;
        }
        let columns = || self.knowledge.table(table).columns.iter().copied();
        let is = |names: &'static [&'static str]| columns().filter(|id| named(self.knowledge, *id, names));
        let says = |id: ColumnId, holds: bool| {
            let (yes, no) = flag(self.knowledge, id)?;
            let value = if holds { yes } else { no };
            Some(Condition::compare(self.expr(id), Comparison::Equal, Expr::literal(value)))
        };
        let in_use = is(&["active", "current"]).find_map(|id| says(id, true));
        in_use.or_else(|| {
            is(&["discontinued", "retired", "archived", "obsolete"]).find_map(|id| says(id, false))
        })
    }

    /// Whose end is spoken of: that of the entity's rows, of rows that are joined, or of rows that refer to the entity, as
    /// *overdue books* are books with a loan that is overdue.
    pub(super) fn ends(&self, grain: &Grain, pred: &Pred) -> Ends {
        let has_end = |table: &TableId| match pred {
            Pred::Open { end, late_on } => {
                let ends = || end_date(self.knowledge, *table, end.as_deref()).is_some();
                match late_on {
                    None => ends(),
                    Some(_) => {
                        due_date(self.knowledge, *table).is_some()
                            && (ends() || self.in_open_state(*table).is_some())
                    }
                }
            }
            Pred::State(state) => told_by(self.knowledge, *table, state).is_some(),
            _ => end_date(self.knowledge, *table, None).is_some(),
        };
        if has_end(&grain.entity) {
            return Ends::Here(grain.entity);
        }
        if let Some(joined) = self.tables(grain).into_iter().find(has_end) {
            return Ends::Here(joined);
        }
        let below = self.knowledge.joins().below(grain.entity).find(has_end);
        self.supply("ends_below", 0.2);
        Ends::Below(
            below.and_then(|table| self.related(table, None, std::slice::from_ref(pred), true, grain)),
        )
    }

    /// *paid late*, *delivered on time*: the day it came to its end against the day it was due.
    pub(super) fn late(&self, end: Option<&Noun>, late: bool, grain: &Grain) -> Option<Condition> {
        let end = match end {
            Some(noun) => self.bound(noun)?.column?,
            None => end_date(self.knowledge, grain.entity, None)?,
        };
        let due = due_date(self.knowledge, self.knowledge.column(end).table)?;
        let is_moment = |id: ColumnId| self.knowledge.column(id).kind == ColumnKind::Timestamp;
        // What was promised for eleven is late at noon; what is due on a day is not.
        let by_moment = is_moment(end) && is_moment(due);
        let day = |id: ColumnId| match self.knowledge.column(id).kind {
            ColumnKind::Date => self.date_expr(id),
            _ if by_moment => self.date_expr(id),
            _ => Expr::truncate(DateUnit::Day, self.date_expr(id)),
        };
        let operator = if late { Comparison::Greater } else { Comparison::LessOrEqual };
        (end != due).then(|| Condition::compare(day(end), operator, day(due)))
    }

    /// *overdue for inspection*: the day of the next one has gone by.
    pub(super) fn overdue(&self, noun: &Noun, today: Date) -> Option<Condition> {
        const COMES: [&str; 10] = [
            "next",
            "due",
            "expiry",
            "expire",
            "expires",
            "renewal",
            "until",
            "valid",
            "deadline",
            "scheduled",
        ];
        let day = self.bound(noun)?.column.filter(|id| named(self.knowledge, *id, &COMES))?;
        Condition::period(self.date_expr(day), None, Some(today))
    }

    /// True for a table whose rows were due one day, and came to their end on another.
    pub(super) fn falls_due(&self, table: TableId) -> bool {
        falls_due(self.knowledge, table)
    }

    /// The nearest rows that belong to those of a table and were due one day.
    pub(super) fn due_below(&self, table: TableId) -> Option<TableId> {
        let joins = self.knowledge.joins();
        let far = || joins.below(table).flat_map(|near| joins.below(near));
        joins.below(table).chain(far()).find(|below| self.falls_due(*below))
    }

    /// Rows for which somebody is put down, or nobody: by the column that is called so, else by the one that refers to people,
    /// or to what is named.
    pub(super) fn assigned(&self, to: Option<&Noun>, held: bool, grain: &Grain) -> Option<Condition> {
        let subject = self.subject_of(grain)?;
        let called = |id: &ColumnId| named(self.knowledge, *id, &["assigned", "assignee", "allocated"]);
        let own = || self.knowledge.table(subject).columns.iter().copied().find(called);
        let to = to.and_then(|noun| self.bound(noun)).map(|filler| filler.table);
        let joins = self.knowledge.joins();
        let leads =
            |table: &TableId| to.map_or_else(|| has_people(self.knowledge, *table), |to| to == *table);
        let mut references: Vec<ColumnId> = joins
            .neighbours(subject)
            .into_iter()
            .filter(leads)
            .flat_map(|table| joins.between(subject, table))
            .filter(|edge| edge.from == subject && edge.to != subject)
            .filter_map(|edge| edge.columns.first().map(|(column, _)| *column))
            .collect();
        references.dedup();
        let column = match (own(), references.as_slice()) {
            (Some(own), _) => own,
            (None, [only]) => *only,
            // *claims with nobody assigned* have no `adjuster`.
            (None, []) => {
                let mut own = self.knowledge.table(subject).columns.iter().copied();
                own.find(|id| does_work(self.knowledge, *id))?
            }
            // *tickets with nobody assigned*: of agents and customers, those who do the work.
            (None, several) => {
                let works = |id: &&ColumnId| {
                    let table = joins.reference(**id).map(|edge| edge.to);
                    table.is_some_and(|table| is_called(self.knowledge, table, "sellers"))
                };
                *several.iter().find(works)?
            }
        };
        Some(Condition::IsNull { expr: self.expr(column), negated: held })
    }

    /// The table of which existence is said: what is listed, or what groups stand for.
    pub(super) fn subject_of(&self, grain: &Grain) -> Option<TableId> {
        let subject = self.query.subject.as_ref().and_then(|noun| self.table(noun));
        // *the course with the highest refund rate*: the refunds are those of what each course was sold by.
        Some(subject.filter(|_| !self.is_ranked_by_rate()).unwrap_or(grain.entity))
    }
}

/// True for a table with a date of the end beside the date when it was due.
pub(super) fn falls_due(knowledge: &Knowledge, table: TableId) -> bool {
    let due = due_date(knowledge, table);
    due.is_some() && end_date(knowledge, table, None).is_some_and(|end| Some(end) != due)
}

/// A condition with the side for which it is meant, where it says none.
fn at_side(pred: &Pred, side: bool) -> Pred {
    match pred {
        Pred::Result(outcome, None) => Pred::Result(*outcome, Some(side)),
        pred => pred.clone(),
    }
}

/// Where an end is that is spoken of.
pub(super) enum Ends {
    /// In a table that is joined.
    Here(TableId),
    /// In rows that refer to the entity, as a condition; none where there are no such rows.
    Below(Option<Condition>),
}

/// True for a column that tells who does the work: `adjuster`, `agent_id`.
fn does_work(knowledge: &Knowledge, id: ColumnId) -> bool {
    let lists = WordLists::embedded();
    let tells = |word: &String| {
        let is_role = ["sellers", "people_roles"].iter().any(|list| lists.has(list, word));
        is_role || word.len() > 6 && (word.ends_with("er") || word.ends_with("or"))
    };
    let form = knowledge.column(id).forms.first();
    form.is_some_and(|form| form.iter().any(tells) && !form.iter().any(|word| lists.has("buyers", word)))
}
