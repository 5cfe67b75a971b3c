//! Times that lie after everything a database tells: the answer says so, and offers the last such time before that.

use jiff::civil::Date;
use jiff::{Span, ToSpan};

use crate::ambiguity::{Ambiguity, AmbiguityKind, Choice, Correction};
use crate::conversation::{Change, ConversationState};
use crate::database::Rows;
use crate::plan::{Aggregate, ColumnRef, Comparison, Condition, Expr, QueryPlan, Select};
use crate::schema::Value;
use crate::sql::{self, Dialect};

/// A window of time that a query is bounded by.
struct Window {
    /// The column of dates.
    column: ColumnRef,
    /// Its first day.
    from: Date,
    /// The day after its last, where it has one.
    until: Option<Date>,
}

/// A query that found nothing, and the time that it asks for.
pub(super) struct Empty<'a> {
    state: &'a ConversationState,
    plan: &'a QueryPlan,
    window: Window,
}

impl<'a> Empty<'a> {
    /// The query of a turn with its rows; none where it found something, or is bounded by no time.
    pub(super) fn of(state: &'a ConversationState, rows: &Rows) -> Option<Self> {
        let plan = state.scratch.query_plan.as_ref().filter(|_| state.refined_count == 0)?;
        let window = window(plan).filter(|_| found_nothing(rows))?;
        Some(Self { state, plan, window })
    }

    /// The query for the last date that there is.
    pub(super) fn last_date(&self, dialect: Dialect) -> String {
        let column = &self.window.column;
        let table = self.plan.table_in_use(&column.table).unwrap_or(&column.table);
        let last = Expr::aggregate(Aggregate::Max, Expr::column(table, &column.column));
        sql::render(&QueryPlan::from(Select::from_table(table).project(last)), dialect)
    }

    /// What is to be said where the time lies after the last date, which is given as the database writes it.
    pub(super) fn changes(&self, last: &Value, dialect: Dialect) -> Vec<Change> {
        let Self { state, plan, window } = self;
        let last = last.as_str().and_then(|day| day.get(..10)?.parse::<Date>().ok());
        let Some(last) = last.filter(|last| *last < window.from) else { return Vec::new() };
        let table = plan.table_in_use(&window.column.table).unwrap_or(&window.column.table);
        let mut note = format!("Nothing in `{table}.{}` is later than {last}.", window.column.column);
        let mut changes = Vec::new();
        let earlier = window.before(last).and_then(|earlier| Some((window.moved(plan, &earlier)?, earlier)));
        if let Some((moved, earlier)) = earlier {
            let said = earlier.to_string();
            note.push_str(&format!(" The last such time before that is {said}."));
            changes.extend(offered(state, plan, &moved, &said, dialect));
        }
        changes.push(Change::Noted { note });
        changes
    }
}

/// True where there are no rows, or one that says nothing.
fn found_nothing(rows: &Rows) -> bool {
    let says_nothing = |value: &Value| match value {
        Value::Null | Value::Integer(0) => true,
        Value::Real(number) => *number == 0.0,
        _ => false,
    };
    match rows.rows.as_slice() {
        [] => true,
        [row] => row.iter().all(says_nothing),
        _ => false,
    }
}

/// The first window of the conditions that all rows must meet.
fn window(plan: &QueryPlan) -> Option<Window> {
    let conditions = plan.select.filter.iter().flat_map(Condition::conjuncts).collect::<Vec<_>>();
    let bound = |wanted: Comparison| {
        conditions.iter().filter_map(move |condition| match condition {
            Condition::Compare {
                left: Expr::Column(column),
                operator,
                right: Expr::Literal(Value::Text(day)),
            } if *operator == wanted => Some((column, day.parse::<Date>().ok()?)),
            _ => None,
        })
    };
    let (column, from) = bound(Comparison::GreaterOrEqual).next()?;
    let until = bound(Comparison::Less).find(|(other, _)| *other == column).map(|(_, until)| until);
    Some(Window { column: column.clone(), from, until })
}

impl Window {
    /// The last window of the kind that begins no later than a day: the same months of an earlier year, or as many days up to it.
    fn before(&self, last: Date) -> Option<Self> {
        let until = self.until?;
        let is_of_months = self.from.day() == 1 && until.day() == 1;
        let (from, until) = if is_of_months {
            let back: Span = i64::from(self.from.year() - last.year()).years();
            let moved = (self.from.checked_sub(back).ok()?, until.checked_sub(back).ok()?);
            match moved.0 > last {
                true => (moved.0.checked_sub(1.year()).ok()?, moved.1.checked_sub(1.year()).ok()?),
                false => moved,
            }
        } else {
            let days = self.from.until(until).ok()?;
            let end = last.checked_add(1.day()).ok()?;
            (end.checked_sub(days).ok()?, end)
        };
        Some(Self { column: self.column.clone(), from, until: Some(until) })
    }

    /// The plan with another window in the place of this one.
    fn moved(&self, plan: &QueryPlan, other: &Self) -> Option<QueryPlan> {
        let mut plan = plan.clone();
        for condition in plan.select.filter.as_mut()?.conjuncts_mut() {
            let Condition::Compare { left: Expr::Column(column), operator, right } = condition else {
                continue;
            };
            let day = match operator {
                _ if *column != self.column => continue,
                Comparison::GreaterOrEqual => other.from,
                Comparison::Less => other.until?,
                _ => continue,
            };
            *right = Expr::literal(day.to_string());
        }
        Some(plan)
    }
}

/// In a person's words: its first and its last day.
impl std::fmt::Display for Window {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.from)?;
        match self.until.and_then(|until| until.checked_sub(1.day()).ok()) {
            Some(last) => write!(f, " to {last}"),
            None => Ok(()),
        }
    }
}

/// The query of the earlier time, as a reading beside the answer.
fn offered(
    state: &ConversationState,
    plan: &QueryPlan,
    moved: &QueryPlan,
    said: &str,
    dialect: Dialect,
) -> Option<Change> {
    let choice = |label: &str, meaning: String, plan: &QueryPlan| Choice {
        label: label.to_owned(),
        meaning,
        correction: Correction::Reading { query_plan: Box::new(plan.clone()), means: None },
        sql: Some(sql::render_named(plan, dialect)),
        preview: None,
    };
    let earlier = choice(said, format!("the same, {said}"), moved);
    let (question, mut choices) = match &state.scratch.readings {
        Some(known) => (known.question.clone(), known.options().to_vec()),
        None => {
            let asked = choice("as asked", "the time that was asked for".to_owned(), plan);
            ("Which time is meant?".to_owned(), vec![asked])
        }
    };
    choices.insert(1.min(choices.len()), earlier);
    let readings = Ambiguity::new(AmbiguityKind::Reading, question, choices)?;
    Some(Change::ReadingsOffered { readings: Box::new(readings) })
}
