//! Values beside those of other rows: running totals, growth, ranks, the first of each group.

use super::Lowering;
use super::grain::Grain;
use super::rows::Grouped;
use crate::rules::grammar::form::{Compare, Key, Noun, Pred};
use crate::rules::grammar::units::Unit;
use sqlogue_sql::plan::{
    Aggregate, Arithmetic, Comparison, Condition, Direction, Expr, NamedQuery, Order, Projection, QueryPlan,
    Select, Source, TableUse, Window,
};

/// The name of the query whose rows are compared, of the query in which they are, and of what is compared.
const GROUPS: &str = "summed";
const COMPARED: &str = "compared";
const VALUE: &str = "value";
const BEFORE: &str = "before";
const PERIOD: &str = "period";
const GROWTH: &str = "growth_percent";
const DIFFERENCE: &str = "difference";
const PLACE: &str = "place";

impl Lowering<'_> {
    /// The place of each group in the order of its measure.
    pub(super) fn ranked(
        &self,
        mut plan: QueryPlan,
        measure: Expr,
        direction: Direction,
        grain: &Grain,
    ) -> Option<QueryPlan> {
        let within = self.among(grain)?;
        let rank = within.into_iter().fold(Window::rank(), Window::per).by(measure, direction);
        plan.select.projection.push(Projection { expr: Expr::from(rank), alias: Some("rank".to_owned()) });
        Some(plan)
    }

    /// What groups are made by that is not said: the periods that are compared, and what places and shares are told within.
    pub(super) fn keys_compared(&self, keys: &mut Vec<Key>) {
        let query = self.query;
        let compares_time =
            query.versus.is_empty() && query.compare.is_some_and(|compare| compare != Compare::Rank);
        if compares_time && !keys.iter().any(|key| matches!(key, Key::Time(..))) {
            // *growth from 2023 to 2024* is that of the years.
            let spans_years = query.preds.iter().any(|pred| match pred {
                Pred::In(None, window) => match (window.from, window.until) {
                    (Some(from), Some(until)) => until.year() - from.year() > 1,
                    _ => false,
                },
                _ => false,
            });
            self.supply("by_month", if spans_years { 0.6 } else { 0.1 });
            let unit = match query.compare {
                Some(Compare::Moving(_, unit)) => unit,
                _ => Unit::Month,
            };
            keys.insert(0, Key::Time(unit, None));
        }
        // *ranked within their subject*: the subjects are groups too.
        if let Some(within) = query.within.clone().map(Key::Noun)
            && !keys.contains(&within)
        {
            keys.insert(0, within);
        }
    }

    /// Among whose groups places and shares are told: of all where nothing is said.
    pub(super) fn among(&self, grain: &Grain) -> Option<Vec<Expr>> {
        let Some(noun) = &self.query.within else { return Some(Vec::new()) };
        // Nothing has a place among itself alone.
        let place = |noun: &Noun| self.bound(noun).map(|filler| (filler.table, filler.column));
        let is_other = |key: &Key| match key {
            Key::Noun(other) if other == noun => None,
            Key::Noun(other) => Some(place(other) != place(noun)),
            _ => Some(true),
        };
        let others: Vec<bool> = grain.keys.iter().filter_map(is_other).collect();
        let splits = !others.is_empty() && others.iter().all(|other| *other);
        splits.then(|| self.grouped(&Key::Noun(noun.clone()), grain)).flatten().map(|among| among.by)
    }

    /// The first groups within each value of a key.
    pub(super) fn top_of_each(
        &self,
        plan: QueryPlan,
        each: &Grouped,
        by: Expr,
        direction: Direction,
    ) -> Option<QueryPlan> {
        let mut select = plan.select;
        for projection in each.shown.iter().rev() {
            select.projection.retain(|other| other.expr != projection.expr);
            select.projection.insert(0, projection.clone());
        }
        for expr in &each.by {
            if !select.group_by.contains(expr) {
                select.group_by.push(expr.clone());
            }
        }
        let mut outer = Select { from: Source::Table(TableUse::new(COMPARED)), ..Select::default() };
        name_columns(&mut select, &mut outer, COMPARED);
        let mut place = Window::row_number();
        for key in &each.by {
            place = place.per(key.clone());
        }
        select = select.project_as(Expr::from(place.by(by, direction)), PLACE);
        outer.filter = Some(self.kept(Expr::column(COMPARED, PLACE))?);
        let mut outer = QueryPlan::from(outer);
        outer.with = vec![NamedQuery::new(COMPARED, select)];
        Some(outer)
    }

    /// Each period's measure beside that of the periods before it.
    pub(super) fn against_before(
        &self,
        plan: QueryPlan,
        compare: Compare,
        time: &Grouped,
        unit: Unit,
        measure: Expr,
    ) -> Option<QueryPlan> {
        let mut inner = plan.select;
        let called = |expr: &Expr, otherwise: &str| {
            let name = inner.heading(expr).unwrap_or_else(|| otherwise.to_owned());
            unlike(name, |name| [BEFORE, GROWTH, DIFFERENCE].contains(&name))
        };
        let period_name = called(&time.sorts, PERIOD);
        let value_name = unlike(called(&measure, VALUE), |name| name == period_name);
        let total_name = match compare {
            Compare::Running => format!("running_{value_name}"),
            _ => format!("moving_{value_name}"),
        };
        inner.projection = vec![
            Projection { expr: time.sorts.clone(), alias: Some(period_name.clone()) },
            Projection { expr: measure, alias: Some(value_name.clone()) },
        ];
        inner.group_by = time.by.clone();
        let period = || Expr::column(GROUPS, period_name.clone());
        let value = || Expr::column(GROUPS, value_name.clone());
        let ascending = Direction::Ascending;
        let over = beside_before(compare, value(), period(), unit)?;
        let outer = Select::from_table(GROUPS).project(period());
        // The periods before the window are needed to compare with, and left out afterwards.
        let from = self.query.preds.iter().find_map(|pred| match pred {
            Pred::In(_, window) => window.from,
            _ => None,
        });
        let from = from.filter(|_| compare != Compare::Running);
        if from.is_some() {
            inner.filter = inner.filter.and_then(without_lower_bound);
        }
        if matches!(compare, Compare::Running | Compare::Moving(..)) {
            let mut outer = outer;
            if self.query.plain_too {
                outer = outer.project(value());
            }
            let summed = outer.project_as(Expr::from(over), total_name.clone());
            let mut shown = QueryPlan::from(summed.clone());
            shown.with = vec![NamedQuery::new(GROUPS, inner)];
            let mut sorts = period();
            if let Some(from) = from {
                sorts = Expr::column(COMPARED, period_name.clone());
                let within = Condition::compare(
                    sorts.clone(),
                    Comparison::GreaterOrEqual,
                    Expr::literal(label(unit, from)?),
                );
                let total = Expr::column(COMPARED, total_name);
                let mut kept = Select::from_table(COMPARED).project(sorts.clone());
                if self.query.plain_too {
                    kept = kept.project(Expr::column(COMPARED, value_name.clone()));
                }
                shown.select = kept.project(total).filter(within);
                shown.with.push(NamedQuery::new(COMPARED, summed));
            }
            shown.order_by = vec![Order { expr: sorts, direction: ascending }];
            return Some(shown);
        }
        let compared = outer.project(value()).project_as(Expr::from(over), BEFORE);
        let [period, value, before] =
            [&period_name, &value_name, BEFORE].map(|name| Expr::column(COMPARED, name));
        let change = Expr::arithmetic(Arithmetic::Subtract, value.clone(), before.clone());
        let shown = Select::from_table(COMPARED).project(period.clone()).project(value);
        let mut shown = match compare {
            Compare::Difference => shown.project_as(change, DIFFERENCE),
            Compare::Change => {
                let percent = Expr::percent(change.clone(), before);
                shown.project_as(change, DIFFERENCE).project_as(percent, GROWTH)
            }
            _ => shown.project_as(Expr::percent(change, before), GROWTH),
        };
        if let Some(from) = from {
            let first = label(unit, from)?;
            shown.filter =
                Some(Condition::compare(period.clone(), Comparison::GreaterOrEqual, Expr::literal(first)));
        }
        let mut shown = QueryPlan::from(shown);
        shown.order_by = vec![Order { expr: period, direction: ascending }];
        shown.with = vec![NamedQuery::new(GROUPS, inner), NamedQuery::new(COMPARED, compared)];
        Some(shown)
    }
}

/// What a period's value is shown beside: all up to it, the mean of the last ones, or an earlier one.
fn beside_before(compare: Compare, value: Expr, period: Expr, unit: Unit) -> Option<Window> {
    let window = match compare {
        Compare::Running => Window::running(Aggregate::Sum, value),
        Compare::Moving(rows, _) => Window::moving(Aggregate::Avg, value, u32::try_from(rows).ok()?),
        Compare::Growth | Compare::Change | Compare::Difference => Window::lag(value, 1),
        Compare::YearOnYear => Window::lag(value, periods(unit)?),
        Compare::Rank => return None,
    };
    Some(window.by(period, Direction::Ascending))
}

/// Gives every column of the inner query a name, and returns it in the outer one.
pub(super) fn name_columns(inner: &mut Select, outer: &mut Select, name: &str) {
    let called = |projection: &Projection| match (&projection.alias, &projection.expr) {
        (Some(alias), _) => alias.clone(),
        (None, Expr::Column(column)) => column.column.clone(),
        (None, expr) => inner.heading(expr).unwrap_or_else(|| VALUE.to_owned()),
    };
    let wanted: Vec<String> = inner.projection.iter().map(called).collect();
    let mut names: Vec<String> = Vec::new();
    for (projection, wanted) in inner.projection.iter_mut().zip(wanted) {
        let unique = unlike(wanted, |name| names.iter().any(|known| known == name));
        names.push(unique.clone());
        projection.alias = Some(unique.clone());
        outer.projection.push(Projection::from(Expr::column(name, unique)));
    }
}

/// A name that is not taken yet: as wanted, or with a number.
pub(super) fn unlike(wanted: String, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{wanted}_{number}"));
    std::iter::once(wanted.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(wanted)
}

/// How many periods a year has.
fn periods(unit: Unit) -> Option<u32> {
    match unit {
        Unit::Month => Some(12),
        Unit::Quarter => Some(4),
        Unit::Year => Some(1),
        _ => None,
    }
}

/// A period as [`Lowering::bucket`] writes it.
fn label(unit: Unit, day: jiff::civil::Date) -> Option<sqlogue_sql::schema::Value> {
    use sqlogue_sql::schema::Value;
    Some(match unit {
        Unit::Year => Value::Integer(i64::from(day.year())),
        Unit::Quarter => Value::Text(format!("{:04}-Q{}", day.year(), (day.month() - 1) / 3 + 1)),
        Unit::Month => Value::Text(format!("{:04}-{:02}", day.year(), day.month())),
        Unit::Day | Unit::Week => Value::Text(day.to_string()),
        _ => return None,
    })
}

/// A filter without the conditions that say from when on.
fn without_lower_bound(filter: Condition) -> Option<Condition> {
    let is_lower = |condition: &Condition| {
        matches!(
            condition,
            Condition::Compare {
                operator: Comparison::GreaterOrEqual,
                right: Expr::Literal(sqlogue_sql::schema::Value::Text(_)),
                ..
            }
        )
    };
    let mut kept = Vec::new();
    for condition in filter.conjuncts() {
        match condition {
            Condition::And(all) => kept.extend(all.iter().filter(|one| !is_lower(one)).cloned()),
            one if is_lower(one) => {}
            one => kept.push(one.clone()),
        }
    }
    Condition::all(kept)
}
