//! A span of days as a condition on a column, in the way in which its cells hold dates.

use jiff::civil::{Date, date};

use super::date_cells::DateCells;
use super::dates::DateRange;
use super::knowledge::ColumnEntry;
use crate::plan::{Comparison, Condition, Expr};

/// How a column can be asked for a span of days.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Asked {
    /// Its cells compare with days.
    Days,
    /// Its cells compare with the first days of years.
    Years,
    /// Its cells are years, as numbers.
    YearNumbers,
    /// Its cells can be searched for a year.
    Searched,
}

fn asked(entry: &ColumnEntry) -> Option<Asked> {
    if entry.column_type.is_numeric() || entry.seen && entry.numeric {
        return Some(Asked::YearNumbers);
    }
    match entry.date_cells {
        Some(DateCells::Iso) => Some(Asked::Days),
        Some(DateCells::YearFirst) => Some(Asked::Years),
        Some(DateCells::HoldYears) => Some(Asked::Searched),
        // Of cells that nobody has seen the best is hoped.
        None => (!entry.seen).then_some(Asked::Days),
    }
}

/// `left`, which holds what the column holds, lies in a span of days, or beside it as the comparison says; none where the
/// column's cells cannot be asked that.
pub(super) fn within(
    entry: &ColumnEntry,
    left: Expr,
    range: &DateRange,
    comparison: Comparison,
) -> Option<Condition> {
    match asked(entry)? {
        Asked::Days => days(left, range, comparison),
        Asked::Years if range.is_whole_years() => days(left, range, comparison),
        Asked::Years => None,
        Asked::YearNumbers => Some(year_numbers(left, range, comparison)),
        Asked::Searched => searched(left, range, comparison),
    }
}

/// The same for whole years, the last included.
pub(super) fn within_years(
    entry: &ColumnEntry,
    left: Expr,
    (first, last): (i64, i64),
    comparison: Comparison,
) -> Option<Condition> {
    within(entry, left, &DateRange::years(first, last)?, comparison)
}

fn days(left: Expr, range: &DateRange, comparison: Comparison) -> Option<Condition> {
    let (first, end) = (Some(range.first), range.end());
    match comparison {
        Comparison::Equal => Condition::period(left, first, end),
        Comparison::NotEqual => Some(Condition::Not(Box::new(Condition::period(left, first, end)?))),
        Comparison::Less => Condition::period(left, None, first),
        Comparison::GreaterOrEqual => Condition::period(left, first, None),
        // Nothing comes after the last day that there is, and everything before.
        Comparison::Greater => Condition::period(left, end, None),
        Comparison::LessOrEqual => Condition::period(left, None, end),
    }
}

fn year_numbers(left: Expr, range: &DateRange, comparison: Comparison) -> Condition {
    let number = |day: Date| Expr::literal(i64::from(day.year()));
    let (first, last) = (number(range.first), number(range.last));
    match comparison {
        Comparison::Greater | Comparison::LessOrEqual => Condition::compare(left, comparison, last),
        Comparison::Less | Comparison::GreaterOrEqual => Condition::compare(left, comparison, first),
        Comparison::Equal | Comparison::NotEqual if first == last => {
            Condition::compare(left, comparison, first)
        }
        Comparison::Equal => Condition::Between { expr: left, low: first, high: last },
        Comparison::NotEqual => {
            Condition::Not(Box::new(Condition::Between { expr: left, low: first, high: last }))
        }
    }
}

/// Texts in a spelling that does not compare are searched for a year; for anything else there is no asking them.
fn searched(left: Expr, range: &DateRange, comparison: Comparison) -> Option<Condition> {
    let one_year = range.is_whole_years() && range.first.year() == range.last.year();
    let negated = match comparison {
        Comparison::Equal => false,
        Comparison::NotEqual => true,
        _ => return None,
    };
    let pattern = format!("%{:04}%", range.first.year());
    one_year.then_some(Condition::Like { expr: left, pattern, negated })
}

impl DateRange {
    /// The whole years from the first to the last.
    pub fn years(first: i64, last: i64) -> Option<Self> {
        let year = |year: i64| i16::try_from(year).ok().filter(|year| (0..=9998).contains(year));
        Some(Self { first: date(year(first)?, 1, 1), last: date(year(last)?, 12, 31) })
    }

    /// The day after the last; none where the calendar ends.
    pub fn end(&self) -> Option<Date> {
        self.last.tomorrow().ok()
    }

    /// True where it begins and ends with a year.
    pub fn is_whole_years(&self) -> bool {
        (self.first.month(), self.first.day()) == (1, 1) && (self.last.month(), self.last.day()) == (12, 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reasoner::rules::Knowledge;
    use crate::schema::{Column, ColumnType, Schema, Table, Value};

    /// A condition on a column of that type with these cells; none where it cannot be asked.
    fn said(
        column_type: ColumnType,
        cells: &[&str],
        range: &DateRange,
        comparison: Comparison,
    ) -> Option<String> {
        let column = Column { name: "day".into(), column_type, ..Column::default() };
        let table = Table { name: "t".into(), columns: vec![column], ..Table::default() };
        let mut builder = Knowledge::builder(&Schema { tables: vec![table] }, 1 << 10);
        builder.values("t", "day", cells.iter().map(|cell| Value::from(*cell)));
        let knowledge = builder.finish();
        let table = knowledge.table_named("t").unwrap();
        let entry = knowledge.column(knowledge.column_named(table, "day").unwrap());
        let condition = within(entry, Expr::column("t", "day"), range, comparison)?;
        let plan = crate::plan::Select::from_table("t").filter(condition);
        let sql = crate::sql::render(&plan.into(), crate::sql::Dialect::Sqlite);
        sql.split_once(" WHERE ").map(|(_, condition)| condition.to_owned())
    }

    #[test]
    fn every_comparison_is_right_to_the_day() {
        let may = DateRange { first: date(2024, 5, 1), last: date(2024, 5, 31) };
        for column_type in [ColumnType::Date, ColumnType::DateTime] {
            for (comparison, condition) in [
                (Comparison::Equal, "day >= '2024-05-01' AND day < '2024-06-01'"),
                (Comparison::NotEqual, "NOT (day >= '2024-05-01' AND day < '2024-06-01')"),
                (Comparison::Greater, "day >= '2024-06-01'"),
                (Comparison::GreaterOrEqual, "day >= '2024-05-01'"),
                (Comparison::Less, "day < '2024-05-01'"),
                (Comparison::LessOrEqual, "day < '2024-06-01'"),
            ] {
                assert_eq!(said(column_type, &[], &may, comparison).as_deref(), Some(condition));
            }
        }
    }

    #[test]
    fn texts_compare_as_far_as_their_spelling_does() {
        let may = DateRange { first: date(2024, 5, 1), last: date(2024, 5, 31) };
        let year = DateRange::years(2024, 2024).unwrap();
        let text =
            |cells: &[&str], range: &DateRange, comparison| said(ColumnType::Text, cells, range, comparison);
        let iso = ["2024-05-31 23:10", "2024-06-01"];
        let in_may = "day >= '2024-05-01' AND day < '2024-06-01'";
        assert_eq!(text(&iso, &may, Comparison::Equal).as_deref(), Some(in_may));
        let slashes = ["2024/05/31"];
        assert_eq!(text(&slashes, &may, Comparison::Equal), None);
        assert_eq!(text(&slashes, &year, Comparison::Greater).as_deref(), Some("day >= '2025-01-01'"));
        let american = ["May 31, 2024"];
        assert_eq!(text(&american, &may, Comparison::Equal), None);
        assert_eq!(text(&american, &year, Comparison::Greater), None);
        assert_eq!(text(&american, &year, Comparison::Equal).as_deref(), Some("day LIKE '%2024%'"));
        assert_eq!(text(&["soon", "later"], &year, Comparison::Equal), None);
    }

    #[test]
    fn columns_of_years_compare_as_numbers() {
        let years = DateRange::years(2020, 2022).unwrap();
        let number =
            |range: &DateRange, comparison| said(ColumnType::Integer, &[], range, comparison).unwrap();
        assert_eq!(number(&years, Comparison::Equal), "day BETWEEN 2020 AND 2022");
        assert_eq!(number(&years, Comparison::Greater), "day > 2022");
        assert_eq!(number(&DateRange::years(2020, 2020).unwrap(), Comparison::NotEqual), "day != 2020");
    }
}
