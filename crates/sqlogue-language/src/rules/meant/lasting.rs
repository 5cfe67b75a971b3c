//! Times that are said in a unit, and columns of times that may be in another: *longer than 3 hours*.

use crate::rules::grammar::{columns::start_and_end, is_rate, measured, measured_one, paid_unit, unit_of};
use crate::rules::kind::Tally;
use crate::rules::knowledge::{ColumnEntry, ColumnId, Knowledge};
use crate::rules::text::{Question, TokenKind};
use sqlogue_sql::plan::{Aggregate, ColumnRef, Condition, Expr, Projection, QueryPlan, Select, TimeUnit};
use sqlogue_sql::schema::Value;

/// Names of columns that say how long something lasts and not in which unit.
const LENGTHS: [&str; 4] = ["length", "duration", "runtime", "running"];
/// How many minutes films, lessons and meetings last.
const MINUTES: std::ops::RangeInclusive<f64> = 20.0..=260.0;

/// True for a column that says how long its table's rows last, in a unit that its name does not tell and that its numbers
/// look like minutes.
pub(in crate::rules) fn looks_like_minutes(entry: &ColumnEntry, table: &[String], tally: &Tally) -> bool {
    let words = entry.forms.first().map_or(&[][..], Vec::as_slice);
    let says = |word: &String| LENGTHS.contains(&word.as_str()) || word == "time" || table.contains(word);
    let named = words.iter().all(says) && words.iter().any(|word| LENGTHS.contains(&word.as_str()));
    named && tally.numbers_within(&MINUTES)
}

/// The times that a question says, each with its unit.
fn said(question: &Question) -> Vec<(f64, TimeUnit)> {
    let pairs = question.tokens.windows(2);
    let said = pairs.filter_map(|pair| match pair {
        [number, unit] if number.kind == TokenKind::Number => {
            let measured = measured(&unit.lower).or_else(|| measured_one(&unit.lower))?;
            Some((number.lower.replace(',', "").parse().ok()?, measured))
        }
        _ => None,
    });
    said.filter(|(_, unit)| !matches!(unit, TimeUnit::Month | TimeUnit::Year)).collect()
}

/// What a plan compares with a time that is said: the column, whether it is taken as it is, and the unit.
fn compared(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> Vec<(ColumnId, bool, TimeUnit)> {
    let said = said(question);
    if said.is_empty() {
        return Vec::new();
    }
    let of = |select: &Select, expr: &Expr| {
        let [column] = expr.columns()[..] else { return None };
        let table = select.tables().find(|table| table.name() == column.table)?;
        knowledge.column_named(knowledge.table_named(&table.table)?, &column.column)
    };
    let mut found = Vec::new();
    for select in plan.selects() {
        for condition in select.filter.iter().flat_map(Condition::conjuncts) {
            let Condition::Compare { left, right: Expr::Literal(value), .. } = condition else { continue };
            let unit = said.iter().find(|(number, _)| value.as_f64() == Some(*number)).map(|(_, unit)| *unit);
            let is_bare = matches!(left, Expr::Column(_));
            let is_scaled = matches!(left, Expr::Arithmetic { .. });
            if let (Some(unit), Some(id), true) = (unit, of(select, left), is_bare || is_scaled) {
                found.push((id, is_bare, unit));
            }
        }
    }
    found
}

/// True where a plan compares a number of hours with a column that counts minutes, as if they were the same, or a number of days
/// with hours of work, though it is told when the work began and ended.
pub(in crate::rules) fn ignores_unit(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let is_fine = |unit: TimeUnit| matches!(unit, TimeUnit::Second | TimeUnit::Minute | TimeUnit::Hour);
    let is_work = |id: ColumnId, unit: TimeUnit| {
        !is_fine(unit)
            && unit_of(knowledge, id).is_some_and(is_fine)
            && start_and_end(knowledge, knowledge.column(id).table).is_some()
    };
    compared(plan, question, knowledge).into_iter().any(|(id, is_bare, unit)| {
        is_work(id, unit) || is_bare && unit_of(knowledge, id).is_some_and(|own| own != unit)
    })
}

/// True where a plan counts rows for hours or minutes that are asked for: *hours billed per lawyer* are not how many entries there are.
pub(in crate::rules) fn counts_rows_for_hours(plan: &QueryPlan, question: &Question) -> bool {
    const BEFORE: [&str; 12] =
        ["how", "many", "total", "number", "of", "the", "show", "list", "what", "are", "sum", "all"];
    let head = question.tokens.iter().find(|token| !BEFORE.contains(&token.lower.as_str()));
    let asks = head.is_some_and(|token| matches!(token.lower.as_str(), "hours" | "minutes"));
    let shown = || plan.select.projection.iter().filter(|shown| shown.expr.is_aggregate());
    let counts = |expr: &Expr| matches!(expr, Expr::Aggregate { function: Aggregate::Count, .. });
    asks && shown().next().is_some() && shown().all(|shown| counts(&shown.expr))
}

/// True where a plan counts rows, or shows the first day, beside a mean time, where *how many* asks for the days alone: *how many days late
/// are late deliveries?*
pub(in crate::rules) fn counts_rows_beside_time(plan: &QueryPlan, question: &Question) -> bool {
    let mut counts = (0..question.tokens.len()).filter(|at| question.asks_number(*at));
    let of_time = counts.next().is_some_and(|at| measured(question.word(at + 2)).is_some());
    let is_mean = |shown: &Projection| matches!(shown.expr, Expr::Aggregate { function: Aggregate::Avg, .. });
    let is_beside = |shown: &Projection| match &shown.expr {
        Expr::Aggregate { function: Aggregate::Min | Aggregate::Max, argument, .. } => {
            matches!(argument.as_ref(), Expr::Column(_))
        }
        expr => *expr == Expr::count_all(),
    };
    let shown = &plan.select.projection;
    of_time && counts.next().is_none() && shown.iter().any(is_mean) && shown.iter().any(is_beside)
}

/// True where a plan keeps rows that are so for what asks how long rows stay so: *how long does a claim stay open?* speaks of those
/// that were closed.
pub(in crate::rules) fn keeps_what_stays_so(plan: &QueryPlan, question: &Question) -> bool {
    const STAYS: [&str; 8] = ["stay", "stays", "stayed", "remain", "remains", "remained", "sit", "sits"];
    let stays = question.tokens.iter().position(|token| STAYS.contains(&token.lower.as_str()));
    let Some(state) = stays.map(|at| question.word(at + 1)) else { return false };
    let is_state = |condition: &Condition| match condition {
        Condition::Compare { right: Expr::Literal(Value::Text(text)), .. } => text.to_lowercase() == state,
        Condition::IsNull { negated, .. } => !negated,
        _ => false,
    };
    let mut conditions = plan.select.filter.iter().flat_map(Condition::conjuncts);
    let takes_time = |expr: &Expr| matches!(expr, Expr::Aggregate { function: Aggregate::Avg, .. });
    plan.select.projection.iter().any(|shown| takes_time(&shown.expr)) && conditions.any(is_state)
}

/// True where a plan compares what is said to be paid *a day* or *per kg* with an amount for something else, though it reads
/// a table that tells the rate.
pub(in crate::rules) fn ignores_rate(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let each = |word: &str| matches!(word, "a" | "an" | "per" | "each" | "every" | "/");
    let said = question.tokens.windows(3).find_map(|three| match three {
        [number, article, unit] if number.kind == TokenKind::Number && each(&article.lower) => {
            let number: f64 = number.lower.replace(',', "").parse().ok()?;
            Some((number, paid_unit(&unit.lower)?))
        }
        _ => None,
    });
    let Some((number, unit)) = said else { return false };
    plan.selects().any(|select| {
        let mut tables = select.tables().filter_map(|table| knowledge.table_named(&table.table));
        let tells =
            tables.any(|table| knowledge.table(table).columns.iter().any(|id| is_rate(knowledge, *id, unit)));
        let is_paid = |column: &ColumnRef| {
            let table = select.tables().find(|table| table.name() == column.table);
            let table = table.and_then(|table| knowledge.table_named(&table.table));
            let id = table.and_then(|table| knowledge.column_named(table, &column.column));
            id.is_some_and(|id| is_rate(knowledge, id, unit))
        };
        let is_other = |condition: &Condition| match condition {
            Condition::Compare { left, right: Expr::Literal(value), .. } => {
                value.as_f64() == Some(number) && !left.columns().iter().any(|column| is_paid(column))
            }
            _ => false,
        };
        tells && select.filter.iter().chain(&select.having).flat_map(Condition::conjuncts).any(is_other)
    })
}

/// True where a plan shows what is paid for another unit of time than is said: the *hourly rate* is no rate for a day.
pub(in crate::rules) fn shows_other_rate(
    plan: &QueryPlan,
    question: &Question,
    knowledge: &Knowledge,
) -> bool {
    const UNITS: [(&str, &str); 5] = [
        ("hourly", "hour"),
        ("daily", "day"),
        ("nightly", "night"),
        ("weekly", "week"),
        ("monthly", "month"),
    ];
    const PAID: [&str; 9] = ["rate", "rates", "wage", "wages", "fee", "fees", "pay", "charge", "price"];
    let said = question.tokens.windows(2).find_map(|pair| match pair {
        [unit, paid] if PAID.contains(&paid.lower.as_str()) => {
            UNITS.iter().find(|(word, _)| *word == unit.lower).map(|(_, unit)| *unit)
        }
        _ => None,
    });
    let Some(said) = said else { return false };
    let others = || UNITS.iter().map(|(_, unit)| *unit).filter(|unit| *unit != said);
    plan.selects().flat_map(|select| &select.projection).any(|shown| {
        shown.expr.columns().iter().any(|column| {
            knowledge.column_in(plan, column).is_some_and(|id| {
                !is_rate(knowledge, id, said) && others().any(|unit| is_rate(knowledge, id, unit))
            })
        })
    })
}

/// The column that is compared with a time, and whose unit is a guess.
pub(in crate::rules) fn any_unit(
    plan: &QueryPlan,
    question: &Question,
    knowledge: &Knowledge,
) -> Option<String> {
    let is_guess = |(id, is_bare, _): &(ColumnId, bool, TimeUnit)| {
        unit_of(knowledge, *id).is_none() || !is_bare && knowledge.column(*id).minutes
    };
    let (id, ..) = compared(plan, question, knowledge).into_iter().find(is_guess)?;
    let entry = knowledge.column(id);
    Some(format!("{}.{}", knowledge.table(entry.table).name, entry.name))
}

impl Tally {
    /// True where most numbers that were kept lie in a range, and none beyond it by much.
    fn numbers_within(&self, range: &std::ops::RangeInclusive<f64>) -> bool {
        let numbers: Vec<f64> = self.kept().iter().filter_map(Value::as_f64).collect();
        let inside = numbers.iter().filter(|number| range.contains(number)).count();
        !numbers.is_empty()
            && inside * 10 >= numbers.len() * 8
            && numbers.iter().all(|number| (0.0..=2.0 * range.end()).contains(number))
    }
}
