//! Attributes beside numbers, and rows beside single other rows: *earn more than their manager*, *dearer than the oak desk*, *who reports to Ann Smith*.

use jiff::Span;

use super::Lowering;
use super::grain::Grain;
use crate::rules::event_date;
use crate::rules::grammar::columns::{is_date, is_number, leads_up};
use crate::rules::grammar::form::{Attr, Named, Noun, Words};
use crate::rules::joins::JoinEdge;
use crate::rules::knowledge::ColumnId;
use sqlogue_sql::plan::{
    Comparison, Condition, Expr, Function, QueryPlan, Select, Source, TableUse, TimeUnit,
};
use sqlogue_sql::schema::Value;

/// The name of the row above in the query.
const ABOVE: &str = "above";

impl Lowering<'_> {
    /// An attribute as numbers are compared with it: a price as it is stored, whatever it is shown in (`cents.rs`).
    pub(super) fn as_compared(&self, attr: &Attr) -> Option<Expr> {
        match attr {
            Attr::Price(words) => Some(self.expr(self.filler(*words)?.column?)),
            _ => self.attr(attr),
        }
    }

    /// An attribute beside a number, on the side that its adjective says.
    pub(super) fn beside_number(
        &self,
        attr: &Attr,
        operator: Comparison,
        value: &Value,
    ) -> Option<Condition> {
        let operator = match attr {
            Attr::Adjective(words, _) if self.filler(*words)?.shrinks => operator.turned(),
            _ => operator,
        };
        let compared = self.as_compared(attr)?;
        if let (Attr::Age(..), Value::Integer(year @ 1500..=2200)) = (attr, value) {
            return since_year(&compared, operator, *year);
        }
        // Whole years say that somebody is over 65; a contract of two years and a day has lasted for more than two.
        let lived = |words: &Words| {
            let id = self.filler(*words).and_then(|filler| filler.column);
            id.is_none_or(|id| event_date::is_of_life(self.knowledge.column(id)))
        };
        let in_whole = matches!(attr, Attr::Age(words, said) if !said || lived(words));
        match (&compared, value) {
            (Expr::Function { function: Function::Elapsed(unit), arguments }, Value::Integer(count))
                if !in_whole && matches!(unit, TimeUnit::Month | TimeUnit::Year) =>
            {
                let [from, to] = arguments.as_slice() else { return None };
                // Until today it has lasted since a day that is known.
                if matches!(to, Expr::Literal(_)) {
                    let length = match unit {
                        TimeUnit::Year => Span::new().try_years(*count).ok()?,
                        _ => Span::new().try_months(*count).ok()?,
                    };
                    let day = Expr::literal(self.today.checked_sub(length).ok()?.to_string());
                    return Some(Condition::compare(from.clone(), operator.turned(), day));
                }
                let end = Expr::shift(*unit, from.clone(), Expr::literal(*count));
                Some(Condition::compare(to.clone(), operator, end))
            }
            _ => Some(Condition::compare(compared, operator, self.as_stored(attr, value))),
        }
    }

    /// The column of an attribute that is one.
    fn column_of(&self, attr: &Attr) -> Option<ColumnId> {
        match attr {
            Attr::Noun(noun) => self.bound(noun)?.column,
            Attr::Price(words) | Attr::Adjective(words, _) => self.filler(*words)?.column,
            _ => None,
        }
    }

    /// True where the noun is a reference to rows of the same table, and the attribute is none: *a salary above their
    /// manager's*.
    pub(super) fn leads_on(&self, attr: &Attr, noun: &Noun) -> bool {
        let own = self.column_of(attr).filter(|id| self.knowledge.joins().reference(*id).is_none());
        own.is_some_and(|own| self.above(own, noun).is_some())
    }

    /// The reference that the noun names, from the table of a column to itself.
    fn above(&self, of: ColumnId, noun: &Noun) -> Option<&JoinEdge> {
        let edge = self.knowledge.joins().reference(self.bound(noun)?.column?)?;
        (edge.from == edge.to && edge.from == self.knowledge.column(of).table).then_some(edge)
    }

    /// An attribute against that of the row that a reference leads to.
    pub(super) fn than_above(&self, attr: &Attr, operator: Comparison, noun: &Noun) -> Option<Condition> {
        let id = self.column_of(attr)?;
        let edge = self.above(id, noun)?;
        let [(from, to)] = edge.columns.as_slice() else { return None };
        let table = self.knowledge.table(edge.to).name.clone();
        let of_above = |id: ColumnId| Expr::column(ABOVE, self.knowledge.column(id).name.clone());
        let from_above = Source::Table(TableUse { table, alias: Some(ABOVE.to_owned()) });
        let select = Select { from: from_above, ..Select::default() }
            .project(of_above(id))
            .filter(Condition::compare(of_above(*to), Comparison::Equal, self.expr(*from)));
        Some(Condition::compare(self.expr(id), operator, Expr::Query(Box::new(QueryPlan::from(select)))))
    }

    /// An attribute against that of the one row that bears a name.
    pub(super) fn than_named(&self, attr: &Attr, operator: Comparison, named: &Named) -> Option<Condition> {
        let id = self.column_of(attr)?;
        let row = self.filler(named.words)?;
        let bears = row.column?;
        let table = self.knowledge.table(row.table);
        let is_name = table.label == [bears] || self.knowledge.column(bears).unique;
        let compares = is_number(self.knowledge, id) || is_date(self.knowledge, id);
        if row.table != self.knowledge.column(id).table || !is_name || !compares {
            return None;
        }
        let operator = match attr {
            Attr::Adjective(words, _) => {
                let entry = self.knowledge.column(id);
                // Who was hired earlier is not older.
                if entry.kind.is_date() && !event_date::is_of_life(entry) {
                    return None;
                }
                if self.filler(*words)?.shrinks { operator.turned() } else { operator }
            }
            _ => operator,
        };
        let of_row = Select::from_table(table.name.clone())
            .project(self.expr(id))
            .filter(Condition::equal(self.expr(bears), Expr::Literal(row.value.clone()?)));
        Some(Condition::compare(self.expr(id), operator, Expr::Query(Box::new(QueryPlan::from(of_row)))))
    }

    /// Two values of a row; a price as it is stored, where it is beside another column.
    pub(super) fn beside_each_other(
        &self,
        one: &Attr,
        operator: Comparison,
        other: &Attr,
    ) -> Option<Condition> {
        let left = match other {
            Attr::Noun(_) => self.as_compared(one)?,
            _ => self.attr(one)?,
        };
        let right = self.attr(other)?;
        (left != right).then(|| Condition::compare(left, operator, right))
    }

    /// Whether the two references of a row to one table lead to the same row of it.
    pub(super) fn same_ends(&self, noun: &Noun, same: bool, grain: &Grain) -> Option<Condition> {
        let operator = if same { Comparison::Equal } else { Comparison::NotEqual };
        if let Some(ends) = self.way_of(noun) {
            return Some(Condition::compare(self.expr(ends.start), operator, self.expr(ends.end)));
        }
        let table = self.table(noun)?;
        let own = |edge: &&JoinEdge| edge.from == grain.entity && edge.columns.len() == 1;
        let edges: Vec<&JoinEdge> =
            self.knowledge.joins().between(grain.entity, table).into_iter().filter(own).collect();
        let [one, other] = edges.as_slice() else { return None };
        let ends = [one, other].map(|edge| edge.columns.first().map(|(from, _)| self.expr(*from)));
        let [Some(one), Some(other)] = ends else { return None };
        Some(Condition::compare(one, operator, other))
    }

    /// A column of what is asked for against the column of the same name in the rows of another table.
    pub(super) fn same_as(&self, column: &Noun, rows: &Noun, same: bool, grain: &Grain) -> Option<Condition> {
        let other = self.table(rows)?;
        let bound = self.bound(column)?.column?;
        let own = self.knowledge.column(bound).table;
        // The word is bound to one of the two tables, whichever it is.
        let beside = if own == other { self.subject_of(grain)? } else { other };
        let called = &self.knowledge.column(bound).forms;
        let is_called = |id: &ColumnId| self.knowledge.column(*id).forms == *called;
        let counterpart = self.knowledge.table(beside).columns.iter().copied().find(is_called)?;
        let operator = if same { Comparison::Equal } else { Comparison::NotEqual };
        let differ = beside != own && !self.knowledge.column(bound).is_key;
        differ.then(|| Condition::compare(self.expr(bound), operator, self.expr(counterpart)))
    }

    /// Rows whose superior bears a name.
    pub(super) fn under(&self, of: &Named, by: Option<&Noun>, grain: &Grain) -> Option<Condition> {
        let row = self.filler(of.words)?;
        let joins = self.knowledge.joins();
        let edge = match by {
            Some(noun) => joins.reference(self.bound(noun)?.column?).filter(|edge| edge.to == row.table)?,
            None => {
                let own = joins.self_references(grain.entity);
                let mut edges = joins.between(grain.entity, row.table).into_iter().chain(own);
                edges.find(|edge| {
                    let is_up = |(from, _): &(ColumnId, ColumnId)| leads_up(self.knowledge, *from);
                    edge.from == grain.entity && edge.to == row.table && edge.columns.iter().any(is_up)
                })?
            }
        };
        let [(from, to)] = edge.columns.as_slice() else { return None };
        let above = Select::from_table(self.knowledge.table(row.table).name.clone())
            .project(self.expr(*to))
            .filter(Condition::equal(self.expr(row.column?), Expr::Literal(row.value.clone()?)));
        Some(Condition::InQuery {
            expr: self.expr(*from),
            query: Box::new(QueryPlan::from(above)),
            negated: false,
        })
    }

    /// Rows to which others of their table refer as theirs, or the others.
    pub(super) fn superior(&self, is_so: bool, grain: &Grain) -> Option<Condition> {
        let mut own = self.knowledge.joins().self_references(grain.entity);
        let (from, to) = own.find_map(|edge| match edge.columns.as_slice() {
            [(from, to)] if leads_up(self.knowledge, *from) => Some((*from, *to)),
            _ => None,
        })?;
        let referring = Select::from_table(self.knowledge.table(grain.entity).name.clone())
            .project(self.expr(from))
            .filter(Condition::IsNull { expr: self.expr(from), negated: true });
        Some(Condition::InQuery {
            expr: self.expr(to),
            query: Box::new(QueryPlan::from(referring)),
            negated: !is_so,
        })
    }
}

/// *older than 2020*: what began before that year; none where an age is stored.
fn since_year(age: &Expr, operator: Comparison, year: i64) -> Option<Condition> {
    let later = matches!(operator, Comparison::Less | Comparison::GreaterOrEqual);
    match age {
        Expr::Arithmetic { right, .. } => {
            Some(Condition::compare((**right).clone(), operator.turned(), Expr::literal(year)))
        }
        Expr::Function { function: Function::Elapsed(_), arguments } => {
            let [from, _] = arguments.as_slice() else { return None };
            // Who is younger than the year was born after its end.
            let first = if later { year + 1 } else { year };
            let operator = match operator.turned() {
                Comparison::Greater => Comparison::GreaterOrEqual,
                Comparison::LessOrEqual => Comparison::Less,
                other => other,
            };
            let day = Expr::literal(format!("{first:04}-01-01"));
            Some(Condition::compare(from.clone(), operator, day))
        }
        _ => None,
    }
}
