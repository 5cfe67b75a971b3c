//! A date that a table tells in several columns: a year, a month, perhaps a day, or a year and a quarter.

use jiff::ToSpan;
use jiff::civil::Date;

use super::event_date;
use super::grammar::units::Unit;
use super::kind::{ColumnKind, Tally};
use super::knowledge::{ColumnEntry, ColumnId, Knowledge, TableEntry};
use super::text::Question;
use sqlogue_sql::plan::{
    Aggregate, Arithmetic, CastType, ColumnRef, Comparison, Condition, Expr, Function, QueryPlan, Select,
};
use sqlogue_sql::schema::Value;

/// The columns that stand beside a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateParts {
    /// The month, from 1 to 12, or the quarter, from 1 to 4.
    pub month: ColumnId,
    /// The day of the month.
    pub day: Option<ColumnId>,
    /// True where quarters stand in the place of months.
    pub quarters: bool,
}

impl DateParts {
    /// The date as one value: `20240501` as a day. Without a column of days it is the first of the month, or of the quarter.
    pub(super) fn date(self, year: Expr, column: impl Fn(ColumnId) -> Expr) -> Expr {
        let times = |expr, factor: i64| Expr::arithmetic(Arithmetic::Multiply, expr, Expr::literal(factor));
        let plus = |one, other| Expr::arithmetic(Arithmetic::Add, one, other);
        let day = self.day.map_or_else(|| Expr::literal(1), &column);
        let month = match self.quarters {
            true => plus(times(column(self.month), 3), Expr::literal(-2)),
            false => column(self.month),
        };
        let month = plus(times(year, 10_000), times(month, 100));
        Expr::from_date_key(plus(month, day))
    }

    /// A year and a quarter cut to a unit: the quarter as people write it, `2026-Q1`, or of whatever year; none for what is shorter.
    pub(super) fn cut_to(self, unit: Unit, year: Expr, quarter: Expr) -> Option<Expr> {
        let text = |expr| Expr::cast(CastType::Text, expr);
        match unit {
            Unit::Quarter => {
                let parts = vec![text(year), Expr::literal("-Q"), text(quarter)];
                Some(Expr::function(Function::Concat, parts))
            }
            Unit::QuarterOfYear => Some(quarter),
            _ => None,
        }
    }

    /// What the column of months or quarters holds on a day.
    pub(super) fn part_at(self, day: Date) -> i64 {
        i64::from(if self.quarters { (day.month() + 2) / 3 } else { day.month() })
    }

    /// True for a span of one month, or of one quarter.
    pub(super) fn holds(self, from: Date, until: Date) -> bool {
        let months = if self.quarters { 3 } else { 1 };
        from.checked_add(months.months()).ok() == Some(until) && self.tell([from].iter())
    }

    /// False where days lie within a quarter, which no column of quarters tells.
    pub(super) fn tell<'d>(self, mut days: impl Iterator<Item = &'d Date>) -> bool {
        !self.quarters || days.all(|day| day.day() == 1 && day.month() % 3 == 1)
    }
}

/// True where a plan takes the year of *in 2024* for an amount: `sales = 2024`.
pub(super) fn takes_year_for_amount(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let is_year = |value: &Value| {
        let Value::Integer(year @ 1900..=2100) = value else { return false };
        let said = year.to_string();
        question.tokens.windows(2).any(|pair| {
            matches!(pair, [before, token] if token.lower == said && matches!(before.lower.as_str(), "in" | "during" | "since" | "throughout"))
        })
    };
    let is_amount = |column: &ColumnRef| {
        let id = knowledge.column_in(plan, column);
        id.is_some_and(|id| matches!(knowledge.column(id).kind, ColumnKind::Money(_) | ColumnKind::Number))
    };
    let takes = |condition: &Condition| match condition {
        Condition::Compare {
            left: Expr::Column(column),
            operator: Comparison::Equal,
            right: Expr::Literal(value),
        } => is_year(value) && is_amount(column),
        _ => false,
    };
    let own = plan.select.filter.iter().flat_map(Condition::conjuncts);
    own.into_iter().any(takes)
        || plan.queries().into_iter().any(|query| takes_year_for_amount(query, question, knowledge))
}

/// True where a plan compares a year with a number that is none: `built_year > 20` for what is older than 20 years.
pub(super) fn takes_amount_for_year(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    let is_year = |expr: &Expr| {
        let Expr::Column(column) = expr else { return false };
        knowledge.column_in(plan, column).is_some_and(|id| knowledge.column(id).kind == ColumnKind::Year)
    };
    let is_none = |condition: &Condition| match condition {
        Condition::Compare { left, right: Expr::Literal(Value::Integer(number)), .. } => {
            is_year(left) && (1..1000).contains(number)
        }
        _ => false,
    };
    let own = plan.select.filter.iter().flat_map(Condition::conjuncts);
    own.into_iter().any(is_none)
        || plan.queries().into_iter().any(|query| takes_amount_for_year(query, knowledge))
}

/// True where a plan adds up years.
pub(super) fn adds_up_years(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    let is_year = |expr: &Expr| match expr {
        Expr::Aggregate { function: Aggregate::Sum, argument, .. } => knowledge
            .column_of(plan, argument)
            .is_some_and(|id| knowledge.column(id).kind == ColumnKind::Year),
        _ => false,
    };
    plan.selects().flat_map(Select::exprs).any(is_year)
}

/// The year of a table's date in parts, with the others; none where a column holds whole dates, or where two could be meant.
pub(super) fn of_table<'t>(
    table: &TableEntry,
    column: impl Fn(ColumnId) -> &'t ColumnEntry,
    tally: impl Fn(ColumnId) -> Option<&'t Tally>,
) -> Option<(ColumnId, DateParts)> {
    let only = |fits: &dyn Fn(&ColumnEntry, ColumnId) -> bool| {
        let mut found = table.columns.iter().copied().filter(|id| fits(column(*id), *id));
        let first = found.next();
        if found.next().is_none() { first } else { None }
    };
    let called = |entry: &ColumnEntry, names: &[&str]| {
        let words = entry.forms.first().map_or(&[][..], Vec::as_slice);
        let rest: Vec<_> =
            words.iter().filter(|word| !table.forms.iter().flatten().any(|own| own == *word)).collect();
        matches!(rest.as_slice(), [word] if names.contains(&word.as_str()))
    };
    if table.columns.iter().any(|id| event_date::holds_days(column(*id))) {
        return None;
    }
    let counts = |id: ColumnId, most: i64| {
        let entry = column(id);
        !entry.is_foreign && entry.numeric && tally(id).is_some_and(|tally| tally.counts_up_to(most))
    };
    let year = only(&|entry, _| entry.kind == ColumnKind::Year && !entry.text_numbers)?;
    let month =
        only(&|entry, id| called(entry, &["month", "mon", "mth", "mnth", "mo", "mm"]) && counts(id, 12));
    let quarter = || only(&|entry, id| called(entry, &["quarter", "qtr", "qrt"]) && counts(id, 4));
    let (month, quarters) = match month {
        Some(month) => (month, false),
        None => (quarter()?, true),
    };
    let day = only(&|entry, id| !quarters && called(entry, &["day", "dom", "dy", "dd"]) && counts(id, 31));
    Some((year, DateParts { month, day, quarters }))
}

/// True where groups are made by a month of whatever year, and nobody speaks of *the month of the year*.
pub(super) fn mixes_years(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let words: Vec<&str> = question.tokens.iter().map(|token| token.lower.as_str()).collect();
    let whatever_year =
        words.iter().any(|word| matches!(*word, "calendar" | "seasonal" | "season" | "regardless"))
            || words.windows(3).any(|three| matches!(three, ["of", "the", "year"] | ["across", _, "years"]))
            || words.windows(2).any(|two| matches!(two, ["which" | "what", "month"] | ["across", "years"]));
    !whatever_year && plan.selects().any(|select| groups_by_month_only(select, knowledge))
}

fn groups_by_month_only(select: &Select, knowledge: &Knowledge) -> bool {
    let of = |column: &ColumnRef| {
        let table = select.tables().find(|table| table.name() == column.table)?;
        knowledge.column_named(knowledge.table_named(&table.table)?, &column.column)
    };
    let keys: Vec<ColumnId> = select.group_by.iter().flat_map(Expr::columns).filter_map(of).collect();
    let year_of = |month: ColumnId| {
        let columns = &knowledge.table(knowledge.column(month).table).columns;
        columns
            .iter()
            .copied()
            .find(|id| knowledge.column(*id).parts.is_some_and(|parts| parts.month == month))
    };
    keys.iter().filter_map(|key| year_of(*key)).any(|year| {
        let mut bound = select.filter.iter().flat_map(Condition::columns).filter_map(of);
        !keys.contains(&year) && !bound.any(|column| column == year)
    })
}

impl Tally {
    /// True where all that was kept of the values are whole numbers from one up to `most`.
    fn counts_up_to(&self, most: i64) -> bool {
        let counts = |value: &Value| matches!(value, Value::Integer(number) if (1..=most).contains(number));
        !self.kept().is_empty() && self.kept().iter().all(counts)
    }
}
