//! The query behind a plan that nobody put in words that are known: typed SQL, a model's answer, an edited plan.
//!
//! What the logical form has a place for is taken apart; conditions and numbers that it has none for are carried as they
//! are. A lifted query that makes another plan than the one it came from is said to be loose: what is made of it is less
//! sure.

use std::collections::HashMap;
use std::rc::Rc;

use super::Asked;
use crate::rules::grammar::bind::{Binding, Filler};
use crate::rules::grammar::form::{
    Against, Attr, By, Having, Key, Measure, Named, Noun, Pred, Query, Show, Take, Words,
};
use crate::rules::grammar::lower::lower;
use crate::rules::grammar::time::Window;
use crate::rules::grammar::units::Unit;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::link::ValueLink;
use crate::rules::meant::cents::in_cents;
use crate::rules::values::MatchKind;
use jiff::civil::Date;
use sqlogue_sql::plan::{
    Aggregate, Arithmetic, Comparison, Condition, DatePart, DateUnit, Expr, Function, JoinKind, Order,
    QueryPlan, Source, compare,
};
use sqlogue_sql::schema::Value;

/// Words that nobody said stand behind all that are said.
const UNSAID: usize = 1 << 20;

/// The query behind a plan; none where it would not make the same plan.
pub(super) fn lifted(plan: &QueryPlan, knowledge: &Knowledge, today: Date) -> Option<Asked> {
    let tables: Vec<TableId> =
        plan.select.tables().filter_map(|table| knowledge.table_named(&table.table)).collect();
    let mut loose = None;
    // Whose rows they are is not written in a plan: those that are shown first, or those that it starts from.
    for of_shown in [true, false] {
        let mut lifting = Lifting { knowledge, fillers: HashMap::new() };
        let Some(query) = lifting.query(plan, of_shown, &tables) else { continue };
        let binding = Binding { fillers: lifting.fillers, score: 0.0 };
        // A query does not say which rows are kept without a partner.
        let is_inner = plan.select.joins.iter().all(|join| join.kind == JoinKind::Inner);
        let same = |made: &QueryPlan| {
            made == plan || is_inner && compare(plan, made).is_empty() && joins(made) == joins(plan)
        };
        let made = lower(&query, &binding, knowledge, today);
        let asked = Asked { query, fillers: binding.fillers, is_loose: true };
        if made.iter().any(|made| same(&made.plan)) {
            return Some(Asked { is_loose: false, ..asked });
        }
        if !made.is_empty() && loose.is_none() {
            loose = Some(asked);
        }
    }
    loose
}

/// The pairs of columns that a plan joins on, in one order.
fn joins(plan: &QueryPlan) -> Vec<String> {
    let pairs = plan.select.joins.iter().flat_map(|join| &join.on);
    let mut pairs: Vec<String> = pairs
        .map(|(one, other)| {
            let (low, high) = if one <= other { (one, other) } else { (other, one) };
            format!("{}.{}={}.{}", low.table, low.column, high.table, high.column)
        })
        .collect();
    pairs.sort_unstable();
    pairs
}

/// A plan as it is taken apart.
struct Lifting<'a> {
    knowledge: &'a Knowledge,
    fillers: HashMap<Words, Filler>,
}

impl Lifting<'_> {
    fn query(&mut self, plan: &QueryPlan, of_shown: bool, tables: &[TableId]) -> Option<Query> {
        let select = &plan.select;
        let is_plain = plan.with.is_empty()
            && plan.set_operations.is_empty()
            && matches!(select.from, Source::Table(_))
            && select.tables().all(|table| table.alias.is_none())
            && select.joins.iter().all(|join| matches!(join.kind, JoinKind::Inner | JoinKind::Left));
        if !is_plain || tables.len() != select.tables().count() {
            return None;
        }
        let mut query = Query { distinct: select.distinct, ..Query::default() };
        let groups = &select.group_by;
        let summary = !groups.is_empty() || select.projection.iter().any(|shown| shown.expr.is_aggregate());
        for shown in &select.projection {
            if let Some(cents) = self.in_whole_money(&shown.expr) {
                query.whole_money = true;
                query.show.push(match cents {
                    Expr::Column(_) => Show::Noun(self.noun(cents)?),
                    summary => Show::Measure(self.measure(summary)?),
                });
                continue;
            }
            match &shown.expr {
                Expr::All(None) if select.projection.len() == 1 => query.whole = true,
                Expr::All(_) => return None,
                expr if groups.contains(expr) => {}
                Expr::Column(_) => query.show.push(Show::Noun(self.noun(&shown.expr)?)),
                expr => query.show.push(Show::Measure(self.measure(expr)?)),
            }
        }
        query.whole |= select.projection.is_empty();
        if summary {
            self.keys(
                groups,
                &select.projection.iter().map(|shown| &shown.expr).collect::<Vec<_>>(),
                &mut query,
            )?;
        }
        for condition in select.filter.iter().flat_map(Condition::parts) {
            let pred = self.condition(&condition)?;
            query.preds.push(pred);
        }
        for condition in select.having.iter().flat_map(Condition::conjuncts) {
            let Condition::Compare { left, operator, right: Expr::Literal(value) } = condition else {
                return None;
            };
            let measure = self.measure(left)?;
            query.having.push(Having { measure, operator: *operator, with: Against::Value(value.clone()) });
        }
        self.order(plan, &mut query)?;
        let shown = select
            .projection
            .iter()
            .find_map(|shown| shown.expr.columns().first().map(|column| (*column).clone()));
        let subject = match (of_shown, shown) {
            (true, Some(column)) if !summary => self.knowledge.table_named(&column.table)?,
            (true, _) => *tables.first()?,
            (false, _) if summary => *tables.get(1)?,
            (false, _) => *tables.first()?,
        };
        query.subject = Some(self.table(subject));
        Some(query)
    }

    fn keys(&mut self, groups: &[Expr], shown: &[&Expr], query: &mut Query) -> Option<()> {
        let mut done: Vec<TableId> = Vec::new();
        for group in groups {
            match group {
                Expr::Column(column) => {
                    let id = self.column(group)?;
                    let table = self.knowledge.table_named(&column.table)?;
                    let entry = self.knowledge.table(table);
                    if done.contains(&table) {
                        continue;
                    }
                    // Groups by a key that is not shown are rows, which are shown by their names.
                    if entry.key.contains(&id) && !shown.contains(&group) {
                        done.push(table);
                        let label =
                            |expr: &&Expr| self.column(expr).is_some_and(|id| entry.label.contains(&id));
                        let named = shown.iter().any(label);
                        query.show.retain(|show| match show {
                            Show::Noun(noun) => !self
                                .fillers
                                .get(&noun.words)
                                .and_then(|filler| filler.column)
                                .is_some_and(|id| entry.label.contains(&id)),
                            Show::Measure(_) => true,
                        });
                        if !named {
                            return None;
                        }
                        let noun = self.table(table);
                        query.keys.push(Key::Noun(noun));
                    } else {
                        let noun = self.noun(group)?;
                        query.keys.push(Key::Noun(noun));
                    }
                }
                _ => {
                    let (unit, date) = unit_of(group)?;
                    let noun = self.noun(date)?;
                    query.keys.push(Key::Time(unit, Some(noun)));
                }
            }
        }
        Some(())
    }

    fn order(&mut self, plan: &QueryPlan, query: &mut Query) -> Option<()> {
        let mut by = Vec::new();
        for Order { expr, direction } in &plan.order_by {
            let grouped = plan.select.group_by.contains(expr) && unit_of(expr).is_some();
            // Units of time are in order by themselves.
            if grouped && plan.limit.is_none() {
                continue;
            }
            let expr = self.in_whole_money(expr).unwrap_or(expr);
            let one = match expr.is_aggregate() {
                true => By::Measure(self.measure(expr)?),
                false => By::Attr(self.attr(expr)?),
            };
            by.push((one, *direction));
        }
        query.limit = plan.limit;
        query.skip = plan.offset;
        match (plan.limit, by.as_slice()) {
            (None, _) => query.order = by,
            (Some(_), [(by, direction)]) => {
                query.take = Some(Take {
                    by: by.clone(),
                    direction: *direction,
                    open: false,
                    each: None,
                    alone: false,
                });
            }
            (Some(_), _) => return None,
        }
        Some(())
    }

    /// What is divided by a hundred to be whole money: a column of cents, or what sums one up.
    fn in_whole_money<'e>(&self, expr: &'e Expr) -> Option<&'e Expr> {
        let Expr::Arithmetic { operator: Arithmetic::Divide, left, right } = expr else { return None };
        let by_hundred = match right.as_ref() {
            Expr::Literal(Value::Integer(number)) => *number == 100,
            Expr::Literal(Value::Real(number)) => *number == 100.0,
            _ => false,
        };
        let column = match left.as_ref() {
            Expr::Aggregate { argument, .. } => argument.as_ref(),
            column => column,
        };
        let in_cents = |id: ColumnId| in_cents(id, self.knowledge);
        (by_hundred && self.column(column).is_some_and(in_cents)).then_some(left.as_ref())
    }

    fn measure(&mut self, expr: &Expr) -> Option<Measure> {
        let Expr::Aggregate { function, distinct, argument } = expr else { return None };
        Some(match (function, distinct, argument.as_ref()) {
            (Aggregate::Count, false, Expr::All(_)) => Measure::Count(None),
            (Aggregate::Count, true, column @ Expr::Column(_)) => Measure::Distinct(self.noun(column)?),
            (Aggregate::Count, ..) | (_, true, _) => return None,
            (Aggregate::Percentile(percent), _, of) => Measure::Percentile(*percent, self.attr(of)?),
            (function, _, of) => Measure::Of(*function, self.attr(of)?),
        })
    }

    fn attr(&mut self, expr: &Expr) -> Option<Attr> {
        if let Expr::Column(_) = expr {
            return Some(Attr::Noun(self.noun(expr)?));
        }
        let column = expr.columns().first().map(|column| (*column).clone())?;
        Some(Attr::Given(Box::new(expr.clone()), self.knowledge.table_named(&column.table)?))
    }

    fn condition(&mut self, condition: &Condition) -> Option<Pred> {
        if let Some(period) = condition.as_period()
            && let Expr::Column(_) = period.expr
        {
            let day = |text: Option<&str>| text.map_or(Some(None), |text| text.parse().ok().map(Some));
            if let (Some(from), Some(until)) = (day(period.from), day(period.until)) {
                return Some(Pred::In(Some(self.noun(period.expr)?), Window { from, until }));
            }
        }
        match condition {
            Condition::Compare { left: left @ Expr::Column(_), operator, right: Expr::Literal(value) } => {
                if let (Comparison::Equal | Comparison::NotEqual, Value::Text(_)) = (operator, value) {
                    let values = vec![self.named(left, value)?];
                    return Some(Pred::Is {
                        values,
                        column: None,
                        negated: *operator == Comparison::NotEqual,
                    });
                }
                return Some(Pred::Compare(self.attr(left)?, *operator, value.clone()));
            }
            Condition::In { expr: expr @ Expr::Column(_), list, negated } => {
                let values = list.iter().map(|one| match one {
                    Expr::Literal(value) => self.named(expr, value),
                    _ => None,
                });
                return Some(Pred::Is {
                    values: values.collect::<Option<_>>()?,
                    column: None,
                    negated: *negated,
                });
            }
            Condition::IsNull { expr: expr @ Expr::Column(_), negated }
                if self.column(expr).is_some_and(|id| !self.knowledge.column(id).is_key) =>
            {
                return Some(Pred::Known(self.noun(expr)?, *negated));
            }
            _ => {}
        }
        let mut tables: Vec<TableId> = Vec::new();
        for column in condition.columns() {
            // A column of a nested query's own tables joins nothing here.
            if let Some(table) = self.knowledge.table_named(&column.table)
                && !tables.contains(&table)
            {
                tables.push(table);
            }
        }
        Some(Pred::Given(Box::new(condition.clone()), tables))
    }

    fn column(&self, expr: &Expr) -> Option<ColumnId> {
        let Expr::Column(column) = expr else { return None };
        self.knowledge.column_named(self.knowledge.table_named(&column.table)?, &column.column)
    }

    /// A place for words that nobody said.
    fn words(&self) -> Words {
        let at = UNSAID + 2 * self.fillers.len();
        Words::new(at, at + 1)
    }

    fn noun(&mut self, expr: &Expr) -> Option<Noun> {
        let id = self.column(expr)?;
        let words = self.words();
        let table = self.knowledge.column(id).table;
        self.fillers
            .insert(words, Filler { table, column: Some(id), value: None, score: 1.0, shrinks: false });
        let (tables, columns) = (Rc::from([]), Rc::from([(id, 1.0)]));
        Some(Noun { words, tables, columns, says_when: true, unsaid: None })
    }

    fn table(&mut self, table: TableId) -> Noun {
        let words = self.words();
        self.fillers.insert(words, Filler { table, column: None, value: None, score: 1.0, shrinks: false });
        let (tables, columns) = (Rc::from([(table, 1.0)]), Rc::from([]));
        Noun { words, tables, columns, says_when: false, unsaid: None }
    }

    fn named(&mut self, column: &Expr, value: &Value) -> Option<Named> {
        let id = self.column(column)?;
        let words = self.words();
        let table = self.knowledge.column(id).table;
        let value = value.clone();
        self.fillers.insert(
            words,
            Filler { table, column: Some(id), value: Some(value.clone()), score: 1.0, shrinks: false },
        );
        let link = ValueLink { column: Some(id), value, kind: MatchKind::Exact, score: 1.0, quoted: false };
        Some(Named { words, links: Rc::from([link]) })
    }
}

/// The unit that a date is cut to, with the date.
fn unit_of(expr: &Expr) -> Option<(Unit, &Expr)> {
    let Expr::Function { function, arguments } = expr else { return None };
    let date = arguments.first().filter(|date| matches!(date, Expr::Column(_)))?;
    let unit = match function {
        Function::Truncate(unit) | Function::Label(unit) => match unit {
            DateUnit::Hour => Unit::Hour,
            DateUnit::Day => Unit::Day,
            DateUnit::Week => Unit::Week,
            DateUnit::Month => Unit::Month,
            DateUnit::Quarter => Unit::Quarter,
            DateUnit::Year => Unit::Year,
        },
        Function::Extract(part) => match part {
            DatePart::Year => Unit::Year,
            DatePart::Month => Unit::MonthOfYear,
            DatePart::Quarter => Unit::QuarterOfYear,
            DatePart::Hour => Unit::HourOfDay,
            _ => return None,
        },
        Function::WeekdayName => Unit::Weekday,
        _ => return None,
    };
    Some((unit, date))
}
