//! Windows of time: `only 2024`, `what about March?`, `between May and July 2024`, `until last week`, `since then`.

use jiff::civil::Date;
use jiff::{Span, ToSpan as _};

use super::Proposal;
use super::previous::{Found, Previous};
use super::reading::{self, Reading};
use crate::rules::cue::Cue;
use crate::rules::dates::{self, DateRange};
use crate::rules::event_date;
use crate::rules::knowledge::TableId;
use crate::rules::link::Chunk;
use crate::rules::stem::root;
use crate::rules::when::{self, When};
use crate::rules::window::within;
use sqlogue_sql::plan::{Comparison, Condition, Expr, Period, PlanEdit};
use sqlogue_sql::schema::Value;

/// Words beside a span of time that say no more than that it is meant.
const FRAME: &[&str] = &[
    "only",
    "keep",
    "filter",
    "limit",
    "restrict",
    "narrow",
    "change",
    "make",
    "use",
    "period",
    "time",
    "date",
    "dates",
    "year",
    "month",
    "quarter",
    "day",
    "during",
    "placed",
    "made",
    "dated",
    "happened",
    "down",
    "range",
    "thing",
    "want",
    "get",
    "list",
    "not",
    "except",
    "exclude",
    "excluding",
    "without",
    "remove",
    "drop",
    "omit",
    "skip",
    "leave",
    "inside",
    "within",
    "go",
    "back",
    "look",
    "at",
];

/// How people say that a span is to be left out.
const NEGATIVE: &[&str] = &[
    "not",
    "except",
    "exclude",
    "excluding",
    "without",
    "remove",
    "drop",
    "omit",
    "skip",
    "leave out",
    "not in",
];

/// A span of time in the place of the one there, or as a further condition.
pub(super) fn window(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    if reading.starts(&["how many", "count", "sort", "order", "group", "when", "who", "which"])
        || reading.starts(&["how much", "how often", "how long"])
        || reading.refers() && previous.plan.limit.is_some()
    {
        return None;
    }
    let there = previous.conditions().find(|condition| is_about_dates(condition, previous));
    // What is there and no window (a part of a date, a search) is changed in its own way.
    if there.is_some_and(|there| parts_of(there).is_none()) {
        return None;
    }
    let old = there.and_then(parts_of);
    let (at, when) = spoken(reading, previous, old.as_ref())?;
    let column = column(reading, previous, (at, when.end), there)?;
    let entry = previous.knowledge.column(column.id);
    let negative = reading.has(NEGATIVE);
    let comparison = if negative { when.comparison.negated() } else { when.comparison };
    let shift =
        matches!(comparison, Comparison::Equal) && reading.again && says_year(reading, (at, when.end));
    let range = match old.as_ref().filter(|_| shift) {
        Some(old) => in_year(old, when.range.first.year()).unwrap_or(when.range),
        None => when.range,
    };
    let same = there.filter(|there| there.subject() == Some(&column.expr()));
    let new = match (same.and_then(Condition::as_period), shift) {
        // `what about 2024?` after `since 2023`: since 2024.
        (Some(open), true) if open.until.is_none() => {
            within(entry, column.expr(), &range, Comparison::GreaterOrEqual)
        }
        (Some(open), true) if open.from.is_none() => within(entry, column.expr(), &range, Comparison::Less),
        _ => within(entry, column.expr(), &range, comparison),
    }?;
    let mut edits = Vec::new();
    if !column.joins.is_empty() {
        edits.push(PlanEdit::AddJoin { joins: column.joins.clone() });
    }
    edits.push(match same {
        Some(there) => PlanEdit::ReplaceFilter { condition: combined(there, new, reading)? },
        None => PlanEdit::AddFilter { condition: new },
    });
    Some(Proposal::new("a span of time", edits))
}

/// The condition that words of time stand for by themselves, and the date that it is about.
pub(super) fn named(reading: &Reading, previous: &Previous<'_>) -> Option<(Found, Condition)> {
    let (at, when) = spoken(reading, previous, None)?;
    let column = column(reading, previous, (at, when.end), None)?;
    let comparison = if reading.has(NEGATIVE) { when.comparison.negated() } else { when.comparison };
    let condition = within(previous.knowledge.column(column.id), column.expr(), &when.range, comparison)?;
    Some((column, condition))
}

/// The span that is spoken of, and where; none where there is more than one.
fn spoken(reading: &Reading, previous: &Previous<'_>, old: Option<&Ends>) -> Option<(usize, When)> {
    let chunks = &reading.chunks;
    let day = |at: usize| day(reading, previous, old, at);
    let first = |from: usize| (from..chunks.len()).find_map(|at| Some((at, when::spoken(chunks, at, &day)?)));
    let (at, when) = first(0)?;
    first(when.end).is_none().then_some((at, when))
}

/// The days named at a chunk: a date, a year, a month or a quarter of the year that was spoken of, the one before it.
fn day(
    reading: &Reading,
    previous: &Previous<'_>,
    old: Option<&Ends>,
    at: usize,
) -> Option<(DateRange, usize)> {
    let chunk = reading.chunks.get(at)?;
    if let Some(neighbour) = neighbour(reading, old, at) {
        return Some(neighbour);
    }
    if let Some(found) = when::dated(&reading.chunks, at) {
        return Some(found);
    }
    if let Some(number) = chunk.number.as_ref().filter(|number| number.year) {
        let Value::Integer(year) = number.value else { return None };
        return Some((DateRange::years(year, year)?, at + 1));
    }
    let question = &reading.question;
    let named = dates::quarter(question, chunk.start)
        .map(|(quarter, length)| (Named::Quarter(quarter), length))
        .or_else(|| {
            dates::without_year(question, chunk.start).map(|(days, length)| (Named::Days(days), length))
        });
    let (named, length) = named?;
    let end = chunk.start + length;
    let next = reading.chunks.iter().position(|chunk| chunk.start >= end).unwrap_or(reading.chunks.len());
    Some((named.of(old, previous.today)?, next))
}

/// What is named without its year.
enum Named {
    Quarter(i8),
    Days(dates::WithoutYear),
}

impl Named {
    fn in_year(&self, year: i64) -> Option<DateRange> {
        match self {
            Self::Quarter(quarter) => dates::whole_quarter(year, *quarter),
            Self::Days(days) => days.of(year),
        }
    }

    /// In the year that was spoken of, or else the latest that has begun.
    fn of(&self, old: Option<&Ends>, today: Date) -> Option<DateRange> {
        let spoken_of = old.and_then(|old| old.from.or(old.until.and_then(|until| until.yesterday().ok())));
        if let Some(day) = spoken_of {
            return self.in_year(i64::from(day.year()));
        }
        let this = self.in_year(i64::from(today.year()))?;
        if this.first <= today { Some(this) } else { self.in_year(i64::from(today.year()) - 1) }
    }
}

/// `the month before`, `the previous year`, `the next quarter`: the window there, moved.
fn neighbour(reading: &Reading, old: Option<&Ends>, at: usize) -> Option<(DateRange, usize)> {
    let old = old?;
    let (from, until) = (old.from?, old.until?);
    let chunk = reading.chunks.get(at)?;
    let word = |ahead: usize| reading.question.word(chunk.start + ahead);
    let skip = usize::from(word(0) == "the");
    let article =
        skip == 1 || chunk.start.checked_sub(1).is_some_and(|before| reading.question.word(before) == "the");
    let (first, second) = (word(skip), word(skip + 1));
    let back = ["previous", "preceding", "prior", "before", "earlier"];
    let ahead = ["following", "next", "after", "later"];
    let sign = |word: &str| match () {
        () if back.contains(&word) => Some(-1_i64),
        () if ahead.contains(&word) => Some(1),
        () => None,
    };
    let (unit, sign) = sign(first)
        .map(|sign| (second, sign))
        .or_else(|| sign(second).filter(|_| article).map(|sign| (first, sign)))?;
    let step: Span = match unit {
        "day" => sign.days(),
        "week" => sign.weeks(),
        "month" => sign.months(),
        "quarter" => (3 * sign).months(),
        "year" => sign.years(),
        _ => return None,
    };
    let range = DateRange {
        first: from.checked_add(step).ok()?,
        last: until.checked_add(step).ok()?.yesterday().ok()?,
    };
    let end = chunk.start + skip + 2;
    let next = reading.chunks.iter().position(|chunk| chunk.start >= end).unwrap_or(reading.chunks.len());
    Some((range, next))
}

/// True where the words name a whole year and nothing smaller.
fn says_year(reading: &Reading, (at, end): (usize, usize)) -> bool {
    let year =
        |chunk: &Chunk| chunk.number.as_ref().is_some_and(|number| number.year) && chunk.date.is_none();
    let mut named = reading.chunks.iter().take(end).skip(at).filter(|chunk| !reading::is_soft(chunk));
    named.next().is_some_and(year) && named.next().is_none()
}

/// The days of a window, as far as it has whole days for ends.
struct Ends {
    from: Option<Date>,
    until: Option<Date>,
}

/// The ends of a window, or of several of which one holds.
fn parts_of(condition: &Condition) -> Option<Ends> {
    let ends = |window: Period<'_>| Ends { from: window.first(), until: window.end() };
    match condition {
        Condition::Not(inner) => inner.as_period().map(ends),
        Condition::Or(any) => any.last()?.as_period().map(ends),
        other => other.as_period().map(ends),
    }
}

/// The same days of another year, where they lie in one.
fn in_year(old: &Ends, year: i16) -> Option<DateRange> {
    let (from, last) = (old.from?, old.until?.yesterday().ok()?);
    if from.year() != last.year() {
        return None;
    }
    let moved = (year - from.year()).years();
    let first = from.checked_add(moved).ok()?;
    // The end of February is its end in every year.
    let end = old.until?.checked_add(moved).ok()?;
    Some(DateRange { first, last: end.yesterday().ok()? })
}

/// True for a condition on a date.
fn is_about_dates(condition: &Condition, previous: &Previous<'_>) -> bool {
    condition.subject().into_iter().flat_map(Expr::columns).any(|column| {
        previous.id_of(column).is_some_and(|id| event_date::is_date(previous.knowledge.column(id)))
    })
}

/// The date that is meant: the one that is named, the one with a condition, or the one that bears the event. None where the
/// words say something else besides.
fn column(
    reading: &Reading,
    previous: &Previous<'_>,
    (at, end): (usize, usize),
    there: Option<&Condition>,
) -> Option<Found> {
    let mut named: Option<Found> = None;
    for (place, chunk) in reading.chunks.iter().enumerate() {
        let in_span = (at..end).contains(&place);
        let is_frame = in_span
            || reading::is_soft(chunk)
            || chunk.text.split(' ').all(|word| FRAME.contains(&word))
            || reading::is_known_table(chunk, previous)
            || matches!(
                chunk.cue,
                Some(
                    Cue::Show
                        | Cue::Be
                        | Cue::Relative
                        | Cue::Have
                        | Cue::Stop
                        | Cue::Comma
                        | Cue::All
                        | Cue::Not
                        | Cue::NotEqual
                )
            ) && !chunk.is_schema();
        let happened = || (place + 1 == at).then(|| what_happened(chunk, previous)).flatten();
        let date = reading::column(chunk, previous)
            .filter(|found| event_date::is_date(previous.knowledge.column(found.id)))
            .or_else(happened)
            .filter(|_| !in_span);
        match date {
            Some(found) if named.is_none() => named = Some(found),
            _ if is_frame => {}
            _ => return None,
        }
    }
    let bearing = || {
        let knowledge = previous.knowledge;
        // What is summarised happened when its own rows did, and not when there first was what it is of.
        let plainest = |table: TableId| {
            let first = knowledge.dates(table).first().copied();
            first.filter(|id| {
                !previous.summaries().is_empty() && !event_date::is_of_life(knowledge.column(*id))
            })
        };
        let mut tables = tables_by_event(previous).into_iter();
        let id =
            tables.find_map(|table| event_date::of_table(knowledge, table).or_else(|| plainest(table)))?;
        previous.find(&[(id, 1.0)])
    };
    let conditioned = || {
        let column = there?.subject()?.columns().into_iter().next()?;
        Some(Found { column: column.clone(), id: previous.id_of(column)?, joins: Vec::new(), score: 1.0 })
    };
    named.or_else(conditioned).or_else(bearing)
}

/// The date that a verb before its span speaks of: *shipped after …* of a `shipped_date`.
fn what_happened(chunk: &Chunk, previous: &Previous<'_>) -> Option<Found> {
    let said = root(&chunk.text);
    let columns = previous.tables.iter().flat_map(|(_, table)| &previous.knowledge.table(*table).columns);
    let of_date = columns.copied().find(|id| {
        let entry = previous.knowledge.column(*id);
        event_date::is_date(entry) && entry.forms.iter().flatten().any(|word| root(word) == said)
    });
    previous.find(&[(of_date?, 1.0)])
}

/// The tables in use, that first whose rows happened: where rows are summarised those that are counted, and otherwise what
/// was asked about.
pub(super) fn tables_by_event(previous: &Previous<'_>) -> Vec<TableId> {
    let entity = previous.entity().1;
    let mut tables: Vec<TableId> = previous.tables.iter().map(|(_, table)| *table).collect();
    tables.sort_by_key(|table| *table != entity);
    if !previous.summaries().is_empty() {
        let joins = previous.knowledge.joins();
        let depth = |table: &TableId| tables.iter().filter(|other| joins.leads(**other, *table)).count();
        let depths: Vec<usize> = tables.iter().map(depth).collect();
        let mut by_depth: Vec<(usize, TableId)> = depths.into_iter().zip(tables).collect();
        by_depth.sort_by_key(|(depth, _)| *depth);
        tables = by_depth.into_iter().map(|(_, table)| table).collect();
    }
    tables
}

/// What becomes of the condition there: it is replaced, widened by `also`, or narrowed by a bound inside it.
fn combined(there: &Condition, new: Condition, reading: &Reading) -> Option<Condition> {
    if reading.also {
        return Some(match there {
            Condition::Or(any) => Condition::Or(any.iter().cloned().chain([new]).collect()),
            one => Condition::Or(vec![one.clone(), new]),
        });
    }
    let (Some(old), Some(bound)) = (there.as_period(), new.as_period()) else { return Some(new) };
    let one_sided = bound.from.is_none() || bound.until.is_none();
    let same_side =
        old.from.is_some() == bound.from.is_some() && old.until.is_some() == bound.until.is_some();
    if !one_sided || same_side || reading.again || old.excludes(&bound) {
        return Some(new);
    }
    let expr = old.expr.clone();
    let from = old.first().max(bound.first());
    let until = match (old.end(), bound.end()) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    Condition::period(expr, from, until)
}

#[cfg(test)]
mod tests {
    use crate::rules::follow_up::Answered;
    use jiff::civil::date;

    use super::super::tests::{KNOWLEDGE, follow, list, said};
    use super::*;
    use sqlogue_sql::plan::{ColumnRef, Join, JoinKind, QueryPlan, Select, TableUse};

    fn placed(from: Option<Date>, until: Option<Date>) -> QueryPlan {
        let mut plan = list("orders", &["id"]);
        let window = Condition::period(Expr::column("orders", "order_date"), from, until);
        plan.select.filter = window;
        plan
    }

    fn october() -> QueryPlan {
        placed(Some(date(2024, 10, 1)), Some(date(2024, 11, 1)))
    }

    /// What becomes of the rows meant by a plan, in words.
    fn after(plan: &QueryPlan, input: &str) -> String {
        let earlier = [Answered { said: "Show the orders", plan }];
        let said = said(&follow(input, plan, &earlier, None, &KNOWLEDGE));
        said.split_once(" where ").map_or(said.clone(), |(_, condition)| condition.to_owned())
    }

    #[test]
    fn another_window_takes_the_place_of_the_one_there() {
        for (input, expected) in [
            ("what about March?", "order_date in March 2024"),
            ("how about March 2025?", "order_date in March 2025"),
            ("and in Q2?", "order_date in Q2 2024"),
            ("what about the third quarter of 2025?", "order_date in Q3 2025"),
            ("what about 2023?", "order_date in October 2023"),
            ("only 2024", "order_date in 2024"),
            ("in 2025 instead", "order_date in October 2025"),
            ("and the month before?", "order_date in September 2024"),
            ("what about the following month?", "order_date in November 2024"),
            ("what about the previous year?", "order_date in October 2023"),
            ("what about last month?", "order_date in October 2026"),
            ("between 2024-05-03 and 2024-05-20", "order_date from 2024-05-03 to 2024-05-20"),
            ("only those between May and July 2024", "order_date from 2024-05-01 to 2024-07-31"),
            ("from 2024-05-03 to 2024-05-20", "order_date from 2024-05-03 to 2024-05-20"),
            ("only on 2024-10-31", "order_date on 2024-10-31"),
            ("also November", "(order_date in October 2024 or order_date in November 2024)"),
            ("not in October 2024", "order_date not in October 2024"),
        ] {
            assert_eq!(after(&october(), input), expected, "{input}");
        }
    }

    #[test]
    fn bounds_narrow_widen_and_turn_to_the_day() {
        let year = placed(Some(date(2024, 1, 1)), Some(date(2025, 1, 1)));
        for (input, expected) in [
            ("only after 2024-05-03", "order_date from 2024-05-04 to 2024-12-31"),
            ("only those since 2024-05-03", "order_date from 2024-05-03 to 2024-12-31"),
            ("on or after 2024-05-03", "order_date from 2024-05-03 to 2024-12-31"),
            ("until 2024-05-03", "order_date from 2024-01-01 to 2024-05-03"),
            ("on or before May 3, 2024", "order_date from 2024-01-01 to 2024-05-03"),
            ("what about before 2024-05-03?", "order_date before 2024-05-03"),
            ("after 2025-06-30", "order_date from 2025-07-01 on"),
        ] {
            assert_eq!(after(&year, input), expected, "{input}");
        }
        // A month keeps the year that was asked about.
        assert_eq!(after(&year, "before May"), "order_date from 2024-01-01 to 2024-04-30");
        let since = placed(Some(date(2023, 1, 1)), None);
        // It could be 2024 itself as well; since 2024 is what takes the place of since 2023.
        assert_eq!(after(&since, "what about 2024?"), "order_date from 2024-01-01 on");
        assert_eq!(after(&since, "before 2024-05-03"), "order_date from 2023-01-01 to 2024-05-02");
    }

    #[test]
    fn a_first_window_falls_on_the_date_of_what_happened() {
        let all = list("orders", &["id"]);
        assert_eq!(after(&all, "only 2024"), "order_date in 2024");
        assert_eq!(after(&all, "what about May 2024?"), "order_date in May 2024");
        assert_eq!(after(&all, "only those shipped after 2024-05-03"), "shipped_date from 2024-05-04 on");
        // Orders are counted for each customer, so that the year is that of the orders.
        let mut counted = QueryPlan::from(
            Select::from_table("customers")
                .project(Expr::column("customers", "name"))
                .project(Expr::count_all()),
        );
        counted.select.joins.push(Join {
            kind: JoinKind::Inner,
            table: TableUse::new("orders"),
            on: vec![(ColumnRef::new("customers", "id"), ColumnRef::new("orders", "customer_id"))],
            filter: None,
        });
        counted.select.group_by = vec![Expr::column("customers", "id")];
        let earlier = [Answered { said: "How many orders has each customer?", plan: &counted }];
        let result = follow("only 2025", &counted, &earlier, None, &KNOWLEDGE);
        assert_eq!(
            said(&result),
            "name, count(*) from customers, orders where order_date in 2025 for each id"
        );
    }
}
