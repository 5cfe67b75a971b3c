//! Conditions: from what was said to what SQL compares.

use jiff::ToSpan;
use jiff::civil::Date;

use super::Lowering;
use super::grain::Grain;
use super::related::Ends;
use crate::rules::grammar::amounts::{amount, amounts_of};
use crate::rules::grammar::columns::{end_date, flag, is_date, is_number, named};
use crate::rules::grammar::form::{Among, Attr, Key, Like, Named, Noun, Pred, Trade};
use crate::rules::grammar::time::Window;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, TableId};
use sqlogue_sql::plan::{
    Aggregate, Arithmetic, ColumnRef, Comparison, Condition, DateUnit, Expr, QueryPlan, Select, Source,
    TableUse,
};
use sqlogue_sql::schema::{ColumnType, Value};
use sqlogue_sql::sql::Definition;

/// A verb that fits a table so well names its rows.
const NAMED: f32 = 0.6;

/// A word that fits a column less well than this is none of its own.
const OWN_WORD: f32 = 0.8;

impl Lowering<'_> {
    /// A number that is compared with a column. Where the column holds fractions of one, more than one is a percentage.
    pub(super) fn as_stored(&self, attr: &Attr, value: &Value) -> Expr {
        let column = match attr {
            Attr::Noun(noun) => self.bound(noun).and_then(|filler| filler.column),
            _ => None,
        };
        let is_percentage = value.as_f64().is_some_and(|number| number > 1.0);
        match column.filter(|_| is_percentage) {
            Some(id) => Expr::Literal(self.knowledge.column(id).percentage(value)),
            None => self.text(value),
        }
    }

    /// All conditions of the query on rows.
    pub(super) fn conditions(&self, grain: &Grain) -> Option<Vec<Condition>> {
        if self.began_today() {
            return None;
        }
        let mut conditions = self.all(&self.query.preds, grain)?;
        if let Some(known) = self.dated(grain) {
            merge(&mut conditions, known);
        }
        // What is not known lies in no band.
        for key in &grain.keys {
            let Key::Bands(attr, _) = key else { continue };
            for column in self.attr(attr)?.columns() {
                if self.is_nullable(column) {
                    let known = Condition::IsNull { expr: Expr::Column(column.clone()), negated: true };
                    merge(&mut conditions, known);
                }
            }
        }
        Some(conditions)
    }

    /// What has not happened belongs to no month: the date that units of time are of is known, unless it is the one that every
    /// row has or a window bounds it.
    fn dated(&self, grain: &Grain) -> Option<Condition> {
        let id = grain.keys.iter().find_map(|key| match key {
            Key::Time(_, Some(noun)) => self.bound(noun)?.column,
            Key::Time(_, None) => grain.date,
            _ => None,
        })?;
        let first = self.dates(self.knowledge.column(id).table).first() == Some(&id);
        let bounded = self.query.preds.iter().any(|pred| matches!(pred, Pred::In(..)));
        (!first && !bounded && is_date(self.knowledge, id))
            .then(|| Condition::IsNull { expr: self.expr(id), negated: true })
    }

    pub(super) fn all(&self, preds: &[Pred], grain: &Grain) -> Option<Vec<Condition>> {
        let mut conditions: Vec<Condition> = Vec::new();
        for pred in preds {
            if self.is_joined(pred, grain) {
                continue;
            }
            let condition = self.condition(pred, grain)?;
            merge(&mut conditions, condition);
        }
        Some(conditions)
    }

    /// True where rows that must exist are joined already, as the customers are for *orders by country of customers*.
    fn is_joined(&self, pred: &Pred, grain: &Grain) -> bool {
        let Pred::Related(group, true) = pred else { return false };
        let Some(table) = self.table(&group.of).filter(|_| group.preds.is_empty()) else { return false };
        let rest = self.query.preds.iter().filter(|other| *other != pred);
        let mut tables = vec![grain.entity];
        rest.for_each(|pred| self.pred_tables(pred, grain, &mut tables));
        for key in &grain.keys {
            self.key_tables(key, grain, &mut tables);
        }
        let tree = self.knowledge.joins().connect(&tables);
        table != grain.entity
            && tables.contains(&table)
            && tree.is_some_and(|tree| !self.repeats(grain.entity, &tree))
    }

    fn is_nullable(&self, column: &ColumnRef) -> bool {
        let id = self.knowledge.table_named(&column.table);
        let id = id.and_then(|table| self.knowledge.column_named(table, &column.column));
        id.is_none_or(|id| self.knowledge.column(id).nullable)
    }

    /// A summary of a column that a row compares with.
    fn summary_among(
        &self,
        attr: &Attr,
        function: Aggregate,
        among: &Among,
        grain: &Grain,
    ) -> Option<QueryPlan> {
        const OTHERS: &str = "others";
        let id = self.summarised_column(attr)?;
        let column = self.knowledge.column(id);
        let name = &self.knowledge.table(column.table).name;
        let of = Expr::aggregate(function, self.attr(attr)?);
        let all = || Select::from_table(name.clone()).project(of.clone());
        Some(QueryPlan::from(match among {
            Among::All => all(),
            Among::These => {
                let rest = |pred: &&Pred| !matches!(pred, Pred::Summary(..));
                let preds: Vec<Pred> = self.query.preds.iter().filter(rest).cloned().collect();
                let mut tables = vec![column.table];
                preds.iter().for_each(|pred| self.pred_tables(pred, grain, &mut tables));
                let (mut select, tree) = self.joined(&tables)?;
                if preds.is_empty() || self.repeats(column.table, &tree) {
                    return None;
                }
                select.filter = Condition::all(self.all(&preds, grain)?);
                select.project(of)
            }
            Among::Same(noun) => {
                let same = self.knowledge.column(self.bound(noun)?.column.filter(|own| *own != id)?);
                let is_stored = matches!(attr, Attr::Price(_)) || self.attr(attr)? == self.expr(id);
                if same.table != column.table || !is_stored {
                    return None;
                }
                let others = TableUse { table: name.clone(), alias: Some(OTHERS.to_owned()) };
                let [inner, outer] = [OTHERS, name].map(|table| Expr::column(table, same.name.clone()));
                let of = Expr::aggregate(function, Expr::column(OTHERS, column.name.clone()));
                let select = Select { from: Source::Table(others), ..Select::default() };
                select.project(of).filter(Condition::compare(inner, Comparison::Equal, outer))
            }
        }))
    }

    /// The column of which a summary is made that rows compare with.
    fn summarised_column(&self, attr: &Attr) -> Option<ColumnId> {
        match attr {
            Attr::Noun(noun) => self.bound(noun)?.column,
            Attr::Price(words) => self.filler(*words)?.column,
            // What the lines of an order add up to is no column.
            Attr::Amount(noun) => {
                let table = self.table(noun)?;
                amount(self.knowledge, table).filter(|_| amounts_of(self.knowledge, table) == Some(table))
            }
            _ => None,
        }
    }

    /// A row's own value beside a summary of it, or beside a multiple of the summary.
    fn beside_summary(
        &self,
        attr: &Attr,
        operator: Comparison,
        function: Aggregate,
        among: &Among,
        grain: &Grain,
    ) -> Option<Condition> {
        // *more than twice the average*: the summary is multiplied, not the row's own value.
        let (times, attr) = match attr {
            Attr::Times(times, of) => (Some(*times), of.as_ref()),
            plain => (None, plain),
        };
        let nested = Expr::Query(Box::new(self.summary_among(attr, function, among, grain)?));
        let nested = match times {
            Some(times) => Expr::arithmetic(Arithmetic::Multiply, Expr::literal(times), nested),
            None => nested,
        };
        let own = match among {
            // Both sides are as they are stored.
            Among::Same(_) => self.expr(self.summarised_column(attr)?),
            Among::All | Among::These => self.attr(attr)?,
        };
        Some(Condition::compare(own, operator, nested))
    }

    fn condition(&self, pred: &Pred, grain: &Grain) -> Option<Condition> {
        match pred {
            Pred::Is { values, negated, .. } => self.is(values, *negated),
            Pred::Compare(attr, operator, value) => self.beside_number(attr, *operator, value),
            Pred::Range(attr, low, high) => Some(Condition::Between {
                expr: self.as_compared(attr)?,
                low: self.as_stored(attr, low),
                high: self.as_stored(attr, high),
            }),
            Pred::Attrs(one, operator, Attr::Noun(other)) if self.leads_on(one, other) => {
                self.than_above(one, *operator, other)
            }
            Pred::Beside(attr, operator, named) => self.than_named(attr, *operator, named),
            Pred::Superior(is_so) => self.superior(*is_so, grain),
            Pred::Under(named, by) => self.under(named, by.as_ref(), grain),
            Pred::Attrs(took @ (Attr::Lasting(..) | Attr::Waited(..)), operator, Attr::Noun(allowed)) => {
                self.took_beside(took, *operator, allowed, grain)
            }
            Pred::Attrs(one, operator, other) => self.beside_each_other(one, *operator, other),
            Pred::Summary(attr, operator, function, among) => {
                self.beside_summary(attr, *operator, *function, among, grain)
            }
            Pred::In(None, window) if self.is_of_year(window, grain) => None,
            Pred::In(noun, window) => self.within(self.date(noun.as_ref(), grain)?, window),
            Pred::Outside(noun, window) => {
                let inside = self.within(self.date(noun.as_ref(), grain)?, window)?;
                Some(Condition::Not(Box::new(inside)))
            }
            Pred::On(noun, times) => self.recurs(self.date(noun.as_ref(), grain)?, times),
            Pred::Flag(noun, holds) => self.flagged(noun, *holds),
            Pred::Happened(noun, holds) => {
                let filler = self.bound(noun)?;
                let date = filler.column?;
                // *activities logged* are not those of an account that was once created: that every account was.
                let is_of_others = filler.table != grain.entity && !self.knowledge.column(date).nullable;
                if is_of_others && filler.score < OWN_WORD {
                    return None;
                }
                self.happened(date, *holds)
            }
            Pred::Key(noun, value) => {
                let [id] = self.knowledge.table(self.table(noun)?).key.as_slice() else { return None };
                Some(Condition::compare(self.expr(*id), Comparison::Equal, Expr::Literal(value.clone())))
            }
            Pred::Overdue(noun, today) => self.overdue(noun, *today),
            Pred::Known(noun, known) => self.known(noun, *known),
            Pred::Holds(noun, like, text) => self.holds(noun, *like, text),
            Pred::Related(group, exists) => {
                self.related(self.table(&group.of)?, None, &group.preds, *exists, grain)
            }
            Pred::Used(verb, preds, used) => self.used(verb.as_ref(), preds, *used, grain),
            Pred::Assigned(to, held) => self.assigned(to.as_ref(), *held, grain),
            Pred::Through(named, sold, preds, holds) => {
                self.through(named, sold.as_ref(), preds, *holds, grain)
            }
            Pred::OpenRows(rows) => self.open_rows(self.table(rows)?, grain),
            Pred::Open { end, late_on } => self.open(end.as_deref(), *late_on, grain, pred),
            Pred::Ended(window) => self.ended(window.as_ref(), grain, pred),
            Pred::State(state) => self.state(state, grain, pred),
            Pred::Late(end, late) => self.late(end.as_ref(), *late, grain),
            Pred::LastDay(day) => self.last_day((*day).or(grain.date)?),
            // Levels are as they are now on their last day (`levels.rs`); of other things it says nothing that can be asked.
            Pred::Current => None,
            Pred::Given(condition, _) => Some(condition.as_ref().clone()),
            Pred::Only(named, trade) => self.only(named, trade.as_ref(), grain),
            Pred::Way(from, to) => self.way(from, to, grain),
            Pred::Result(outcome, side) => self.ended_so(*outcome, *side, grain),
            Pred::SameEnds(noun, same) => self.same_ends(noun, *same, grain),
            Pred::SameAs(column, rows, same) => self.same_as(column, rows, *same, grain),
            Pred::Again(again) => self.again(again, grain),
            Pred::Utmost(rows, end, holds) => self.at_end(rows, *end, *holds),
            Pred::Defined(term) => match &term.meaning {
                Definition::Rows(condition) => Some(condition.clone()),
                Definition::Measure(_) => None,
            },
            Pred::Any(preds) => {
                let any: Vec<Condition> =
                    preds.iter().map(|pred| self.condition(pred, grain)).collect::<Option<_>>()?;
                Some(Condition::Or(any))
            }
        }
    }

    /// Rows that have something in a column, or have it not.
    fn known(&self, noun: &Noun, known: bool) -> Option<Condition> {
        let id = self.bound(noun)?.column?;
        // *without newsletter*, where a column says yes or no.
        if self.knowledge.column(id).kind.is_flag().is_some() {
            return self.flagged(noun, known);
        }
        // *with a tip*, *without a tip*: where every row has a number, it is zero or it is not.
        if !self.knowledge.column(id).nullable && is_number(self.knowledge, id) {
            let operator = if known { Comparison::Greater } else { Comparison::Equal };
            return Some(Condition::compare(self.expr(id), operator, Expr::literal(0)));
        }
        if !known && is_number(self.knowledge, id) {
            // *no stock* is none left.
            self.supply("number_is_missing", 0.5);
        }
        (!self.knowledge.column(id).is_key).then(|| Condition::IsNull { expr: self.expr(id), negated: known })
    }

    /// Rows with a text in a column, or in what they are looked up by.
    fn holds(&self, noun: &Noun, like: Like, text: &str) -> Option<Condition> {
        let pattern = match like {
            Like::Within => format!("%{text}%"),
            Like::Start => format!("{text}%"),
            Like::End => format!("%{text}"),
        };
        let bound = self.bound(noun)?;
        let id = bound.column.or_else(|| self.text_of(bound.table))?;
        Some(Condition::Like { expr: self.expr(id), pattern, negated: false })
    }

    /// Rows with events of their own, or without: those that a verb names, else the usual ones.
    fn used(&self, verb: Option<&Noun>, preds: &[Pred], used: bool, grain: &Grain) -> Option<Condition> {
        let subject = self.subject_of(grain)?;
        let said = verb.and_then(|verb| self.event_named(subject, verb));
        // *returned in 2025* is told by rows that do not refer to customers themselves, and by no others.
        if said.is_none() && !preds.is_empty() && verb.is_some_and(|verb| verb.table_score() >= NAMED) {
            return None;
        }
        let done = verb.and_then(|verb| self.event_done(subject, verb));
        match (done, said) {
            (Some((events, Some(by))), _) => self.related_by(events, by, preds, used, grain),
            (_, Some(events)) | (Some((events, None)), None) => {
                self.related(events, None, preds, used, grain)
            }
            (None, None) => self.related(self.event_of(subject)?, None, preds, used, grain),
        }
    }

    /// Rows that have to do with something named, by way of a table between them.
    fn through(
        &self,
        named: &Named,
        sold: Option<&Trade>,
        preds: &[Pred],
        holds: bool,
        grain: &Grain,
    ) -> Option<Condition> {
        let table = self.filler(named.words)?.table;
        let by = sold.and_then(|trade| self.filler(trade.words)).map(|lines| lines.table);
        let is = Pred::Is { values: vec![named.clone()], column: None, negated: false };
        let all: Vec<Pred> = std::iter::once(is).chain(preds.iter().cloned()).collect();
        self.related(table, by, &all, holds, grain)
    }

    /// Rows that have come to their end, in a window or ever.
    fn ended(&self, window: Option<&Window>, grain: &Grain, pred: &Pred) -> Option<Condition> {
        let table = match self.ends(grain, pred) {
            Ends::Here(table) => table,
            Ends::Below(condition) => return condition,
        };
        let end = end_date(self.knowledge, table, None)?;
        match window {
            Some(window) => self.within(end, window),
            None => Some(Condition::IsNull { expr: self.expr(end), negated: true }),
        }
    }

    /// The text that rows are looked up by: their name, else what is written of them.
    fn text_of(&self, table: TableId) -> Option<ColumnId> {
        let entry = self.knowledge.table(table);
        match entry.label.as_slice() {
            [name] => Some(*name),
            _ => {
                let is_prose = |id: &ColumnId| self.knowledge.column(*id).kind == ColumnKind::Text;
                entry.columns.iter().copied().find(is_prose)
            }
        }
    }

    fn date(&self, noun: Option<&Noun>, grain: &Grain) -> Option<ColumnId> {
        match noun {
            Some(noun) => self.bound(noun)?.column,
            None => grain.date,
        }
    }

    pub(super) fn is(&self, values: &[Named], negated: bool) -> Option<Condition> {
        let mut column: Option<ColumnId> = None;
        let mut list = Vec::new();
        for named in values {
            let filler = self.filler(named.words)?;
            let id = filler.column?;
            // Alternatives are said of one column.
            if column.is_some_and(|known| known != id) {
                return None;
            }
            column = Some(id);
            list.push(Expr::Literal(filler.value.clone()?));
        }
        let expr = self.expr(column?);
        Some(match (list.len(), negated) {
            (1, _) => {
                let operator = if negated { Comparison::NotEqual } else { Comparison::Equal };
                Condition::compare(expr, operator, list.pop()?)
            }
            (_, negated) => Condition::In { expr, list, negated },
        })
    }

    /// A column within a half-open window, as the column stores time.
    pub(super) fn within(&self, id: ColumnId, window: &Window) -> Option<Condition> {
        let entry = self.knowledge.column(id);
        if entry.kind == ColumnKind::Year && entry.parts.is_none() {
            return self.within_years(id, window);
        }
        if !is_date(self.knowledge, id) {
            return None;
        }
        if let Some(parts) = entry.parts {
            let ends = window.from.zip(window.until).filter(|(from, _)| from.day() == 1);
            let year = |from: Date| Condition::equal(self.expr(id), Expr::literal(i64::from(from.year())));
            match ends {
                Some((from, until))
                    if from.month() == 1 && from.checked_add(1.year()).ok() == Some(until) =>
                {
                    return Some(year(from));
                }
                Some((from, until)) if parts.holds(from, until) => {
                    let part = Expr::literal(parts.part_at(from));
                    return Some(year(from).and(Condition::equal(self.expr(parts.month), part)));
                }
                _ if !parts.tell(window.from.iter().chain(&window.until)) => return None,
                _ => {}
            }
        }
        if self.knowledge.column(id).kind == ColumnKind::Month {
            return self.within_months(id, window);
        }
        Condition::period(self.date_expr(id), window.from, window.until)
    }

    /// The last day of a column of dates.
    fn last_day(&self, id: ColumnId) -> Option<Condition> {
        let table = self.knowledge.table(self.knowledge.column(id).table).name.clone();
        let day = match self.knowledge.column(id).kind {
            ColumnKind::Date | ColumnKind::DateKey => self.expr(id),
            ColumnKind::Year => self.date_expr(id),
            _ => Expr::truncate(DateUnit::Day, self.date_expr(id)),
        };
        let last = Select::from_table(table).project(Expr::aggregate(Aggregate::Max, day.clone()));
        Some(Condition::equal(day, Expr::Query(Box::new(QueryPlan::from(last)))))
    }

    /// *active*, *cancelled*: a column that says yes or no, or one that has a date once it happened.
    pub(super) fn flagged(&self, noun: &Noun, holds: bool) -> Option<Condition> {
        let id = self.bound(noun)?.column?;
        // *do not contact* is what `do_not_contact` says, and no denial of it, unless the whole name is denied.
        let name = self.knowledge.column(id).forms.first().map_or(0, Vec::len);
        let is_part = noun.words.end - noun.words.start < name;
        let holds = holds || is_part && named(self.knowledge, id, &["not", "no", "non", "never"]);
        if let Some((yes, no)) = flag(self.knowledge, id) {
            let value = if holds { yes } else { no };
            return Some(Condition::equal(self.expr(id), Expr::Literal(value)));
        }
        if self.knowledge.column(id).column_type == ColumnType::Boolean {
            return Some(Condition::equal(self.expr(id), Expr::Literal(Value::Boolean(holds))));
        }
        None
    }
}

/// Adds a condition; two values of one column side by side are alternatives, for no cell holds both.
fn merge(conditions: &mut Vec<Condition>, condition: Condition) {
    if conditions.contains(&condition) {
        return;
    }
    if let Condition::Compare { left, operator: Comparison::Equal, right } = &condition
        && matches!(right, Expr::Literal(_))
    {
        for known in conditions.iter_mut() {
            match known {
                Condition::Compare { left: other, operator: Comparison::Equal, right: value }
                    if other == left && matches!(value, Expr::Literal(_)) =>
                {
                    if value != right {
                        let list = vec![value.clone(), right.clone()];
                        *known = Condition::In { expr: left.clone(), list, negated: false };
                    }
                    return;
                }
                Condition::In { expr, list, negated: false } if expr == left => {
                    list.push(right.clone());
                    return;
                }
                _ => {}
            }
        }
    }
    if !conditions.contains(&condition) {
        conditions.push(condition);
    }
}

/// The columns that a condition compares, for those who ask whether it may stand in an outer query.
pub(super) fn column_of(expr: &Expr) -> Option<&ColumnRef> {
    match expr {
        Expr::Column(column) => Some(column),
        _ => None,
    }
}
