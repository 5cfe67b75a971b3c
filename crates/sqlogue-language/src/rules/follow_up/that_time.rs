//! Times that a follow-up points at: *how many orders were there that year?* after the revenue of 2025.

use jiff::ToSpan;
use jiff::civil::Date;
use sqlogue_base::calendar;
use sqlogue_sql::plan::{Comparison, Condition, Expr, QueryPlan};
use sqlogue_sql::schema::Value;

/// Words before a time that stay before it.
const BEFORE: &[&str] =
    &["in", "during", "of", "for", "from", "since", "after", "before", "until", "over", "within"];

/// A follow-up that says the time of the query before in the place of *that year* or *the same month*; none where nothing points at
/// one, or where the query before is of no such time.
pub(super) fn spelled_out(input: &str, previous: &QueryPlan) -> Option<String> {
    let words: Vec<&str> = input.split_whitespace().collect();
    let bare = |word: &&str| word.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
    let lower: Vec<String> = words.iter().map(bare).collect();
    let (start, end) = (0..lower.len()).find_map(|at| {
        let points = match (lower.get(at).map(String::as_str)?, lower.get(at + 1).map(String::as_str)) {
            ("the" | "that" | "this", Some("same")) => at + 2,
            ("that", _) => at + 1,
            _ => return None,
        };
        let unit = lower.get(points).map(String::as_str)?;
        matches!(unit, "year" | "month" | "quarter" | "day").then_some((at, points))
    })?;
    let time = time_of(previous, lower.get(end)?)?;
    let has_word = start.checked_sub(1).and_then(|before| lower.get(before));
    let preposition = match has_word {
        Some(word) if BEFORE.contains(&word.as_str()) => "",
        _ => "in ",
    };
    let (head, rest) = words.split_at_checked(start)?;
    let (pointing, tail) = rest.split_at_checked(end + 1 - start)?;
    // The mark behind the words stays.
    let last = pointing.last()?;
    let mark = last.trim_start_matches(|sign: char| sign.is_alphanumeric());
    let said = format!("{preposition}{time}{mark}");
    Some(
        head.iter().copied().chain([said.as_str()]).chain(tail.iter().copied()).collect::<Vec<_>>().join(" "),
    )
}

/// The question that such a follow-up is by itself: who says the time again says all of it. None for what only changes the answer before.
pub(super) fn in_full(said: &str) -> Option<&str> {
    const ASKS: [&str; 6] = ["how", "what", "which", "who", "when", "where"];
    let mut rest = said.trim_start();
    loop {
        let (word, behind) = rest.split_once([' ', ','])?;
        match word.to_lowercase().as_str() {
            "and" | "also" | "so" | "then" | "" => rest = behind.trim_start(),
            word => return ASKS.contains(&word).then_some(rest),
        }
    }
}

/// The whole year, month, quarter or day that a query is of, as people say it.
fn time_of(plan: &QueryPlan, unit: &str) -> Option<String> {
    let parts: Vec<Condition> = plan.select.filter.iter().flat_map(Condition::parts).collect();
    parts.iter().find_map(|part| match part.as_period() {
        Some(period) => {
            let day = |text: &str| text.get(..10)?.parse::<Date>().ok();
            whole(day(period.from?)?, day(period.until?)?, unit)
        }
        None => year_of(part).filter(|_| unit == "year"),
    })
}

fn whole(from: Date, until: Date, unit: &str) -> Option<String> {
    let span = match unit {
        "year" => 1.year(),
        "quarter" => 3.months(),
        "month" => 1.month(),
        _ => 1.day(),
    };
    let is_whole = from.checked_add(span).is_ok_and(|end| end == until);
    let month = usize::try_from(from.month() - 1).ok()?;
    let year = from.year();
    is_whole
        .then(|| match unit {
            "year" if from.month() == 1 && from.day() == 1 => Some(year.to_string()),
            "quarter" if month % 3 == 0 && from.day() == 1 => Some(format!("Q{} {year}", month / 3 + 1)),
            "month" if from.day() == 1 => calendar::MONTHS.get(month).map(|name| format!("{name} {year}")),
            "day" => Some(from.to_string()),
            _ => None,
        })
        .flatten()
}

/// The year that a column of years has by a condition.
fn year_of(condition: &Condition) -> Option<String> {
    match condition {
        Condition::Compare {
            left: Expr::Column(column),
            operator: Comparison::Equal,
            right: Expr::Literal(Value::Integer(year)),
        } => {
            let is_year = column.column.to_lowercase().contains("year") && (1800..=2100).contains(year);
            is_year.then(|| year.to_string())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlogue_sql::plan::Select;

    #[test]
    fn times_that_are_pointed_at_are_those_of_the_query_before() {
        let of = |from: &str, until: &str| {
            let day = |text: &str| text.parse().ok();
            let filter = Condition::period(Expr::column("orders", "placed"), day(from), day(until));
            QueryPlan::from(Select { filter, ..Select::from_table("orders") })
        };
        let year = of("2025-01-01", "2026-01-01");
        let said = |text: &str, plan: &QueryPlan| spelled_out(text, plan);
        assert_eq!(
            said("how many orders were there that year?", &year).as_deref(),
            Some("how many orders were there in 2025?")
        );
        assert_eq!(
            said("and the revenue in the same year", &year).as_deref(),
            Some("and the revenue in 2025")
        );
        assert_eq!(said("how many in that month?", &year), None);
        assert_eq!(
            said("how many in that month?", &of("2026-03-01", "2026-04-01")).as_deref(),
            Some("how many in March 2026?")
        );
        assert_eq!(said("how many this year?", &year), None);
    }
}
