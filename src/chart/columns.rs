//! What each column of a result is: a time, a name, a number that was measured, or a key that says nothing.

use super::time::{self, Grain};
use crate::plan::{
    Aggregate, DatePart, DateUnit, Expr, Function, QueryPlan, Source, TimeUnit, WindowFunction,
};
use crate::schema::{Value, pieces, plain_name};
use crate::totals::adds_up;

/// A result whose columns are understood.
pub(super) struct Table<'a> {
    pub(super) columns: Vec<Column>,
    pub(super) rows: &'a [Vec<Value>],
    /// Whether a row stands for a group; none where the plan is not known.
    pub(super) grouped: Option<bool>,
    pub(super) sorted: Sorted,
}

/// How the query sorted its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sorted {
    /// It did not, so that their order says nothing.
    No,
    /// By the column at this place first.
    By(usize),
    /// By something that is not among the columns.
    Otherwise,
}

/// One column of a result.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    /// Where it stands in a row.
    pub(super) index: usize,
    /// What it is, in words.
    pub(super) title: String,
    pub(super) unit: Option<String>,
    pub(super) role: Role,
    /// Whether its numbers may be added up over groups.
    pub(super) adds_up: bool,
}

/// What a column is good for in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A time.
    Time(Grain),
    /// Names with an order of their own: weekdays, months of the year, numbers that rows are grouped by.
    Steps,
    /// Names without one.
    Name,
    /// A number that was measured.
    Measure,
    /// A number that only tells rows apart.
    Key,
    /// Nothing that can be drawn.
    Other,
}

impl<'a> Table<'a> {
    pub(super) fn new(columns: &[String], rows: &'a [Vec<Value>], plan: Option<&QueryPlan>) -> Self {
        // A plan of which it is not clear which expression stands in which column is of no help.
        let plan = plan.filter(|plan| {
            let projection = &plan.select.projection;
            projection.len() == columns.len()
                && !projection.iter().any(|one| matches!(one.expr, Expr::All(_)))
        });
        let described = columns.iter().enumerate().map(|(index, name)| {
            let expr = plan.and_then(|plan| plan.select.projection.get(index)).map(|one| &one.expr);
            Column::new(index, name, rows, expr, plan)
        });
        let mut table = Self {
            columns: described.collect(),
            rows,
            grouped: plan.map(|plan| !plan.select.group_by.is_empty() || plan.select.distinct),
            sorted: plan.map_or(Sorted::No, Sorted::of),
        };
        table.take_keys_for_names(plan);
        table
    }

    /// A key that rows are grouped by is the only name they have, where there is no other. Beside a time it says whose each line is.
    fn take_keys_for_names(&mut self, plan: Option<&QueryPlan>) {
        let has_name = self.columns.iter().any(|column| matches!(column.role, Role::Name | Role::Steps));
        let groups = plan.map_or(&[][..], |plan| &plan.select.group_by);
        if has_name || groups.is_empty() {
            return;
        }
        for (column, one) in self.columns.iter_mut().zip(plan.iter().flat_map(|plan| &plan.select.projection))
        {
            if column.role == Role::Key && groups.contains(&one.expr) {
                column.role = Role::Name;
            }
        }
    }

    /// The columns of these roles, in their order.
    pub(super) fn of(&self, is: impl Fn(Role) -> bool) -> Vec<&Column> {
        self.columns.iter().filter(|column| is(column.role)).collect()
    }
}

impl Sorted {
    fn of(plan: &QueryPlan) -> Self {
        let Some(first) = plan.order_by.first() else { return Self::No };
        let place = plan.select.projection.iter().position(|one| one.expr == first.expr);
        place.map_or(Self::Otherwise, Self::By)
    }
}

impl Column {
    fn new(
        index: usize,
        name: &str,
        rows: &[Vec<Value>],
        expr: Option<&Expr>,
        plan: Option<&QueryPlan>,
    ) -> Self {
        let expr = expr.map(bare);
        let is_group = expr
            .zip(plan)
            .is_some_and(|(expr, plan)| plan.select.group_by.iter().any(|key| bare(key) == expr));
        let values = || rows.iter().filter_map(|row| row.get(index)).filter(|value| !value.is_null());
        let role = match expr.and_then(|expr| role_of_plan(expr, values())) {
            Some(role) => role,
            None => role_of_values(name, values(), is_group),
        };
        let (title, unit) = heading(name, expr, plan);
        let adds_up = role == Role::Measure && expr.is_some_and(adds_up);
        Self { index, title, unit, role, adds_up }
    }

    /// The number in a row, where it is one that can be drawn.
    pub(super) fn number(&self, row: &[Value]) -> Option<f64> {
        row.get(self.index).and_then(Value::as_f64).filter(|number| number.is_finite())
    }

    /// What is written in a row; none for NULL.
    pub(super) fn text(&self, row: &[Value]) -> Option<String> {
        match row.get(self.index)? {
            Value::Null => None,
            Value::Real(number) => Some(super::scale::exact(*number)),
            Value::Text(text) => Some(crate::base::text::clean(text).into_owned()),
            value => Some(value.to_string()),
        }
    }

    /// The time in a row.
    pub(super) fn time(&self, row: &[Value]) -> Option<f64> {
        moment(row.get(self.index)?).map(|(seconds, _)| seconds)
    }
}

/// An expression without what only changes how it is written.
fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Function { function: Function::Round | Function::Cast(_) | Function::Coalesce, arguments } => {
            arguments.first().map_or(expr, bare)
        }
        expr => expr,
    }
}

fn moment(value: &Value) -> Option<(f64, Grain)> {
    match value {
        Value::Text(text) => time::parse(text),
        Value::Integer(year) => time::of_year(*year).map(|seconds| (seconds, Grain::Year)),
        _ => None,
    }
}

/// The role of a column where its expression decides it.
fn role_of_plan<'a>(expr: &Expr, mut values: impl Iterator<Item = &'a Value>) -> Option<Role> {
    let Expr::Function { function, .. } = expr else {
        // Whatever was computed was computed to be read.
        let computed = matches!(expr, Expr::Aggregate { .. } | Expr::Window(_) | Expr::Arithmetic { .. });
        let measured = computed && values.all(|value| value.as_f64().is_some());
        return measured.then_some(Role::Measure);
    };
    match function {
        Function::Extract(DatePart::Year) => Some(Role::Time(Grain::Year)),
        Function::Extract(_) | Function::WeekdayName | Function::MonthName => Some(Role::Steps),
        Function::Label(unit) | Function::Truncate(unit) => {
            let grain = match unit {
                DateUnit::Year => Grain::Year,
                DateUnit::Quarter => Grain::Quarter,
                DateUnit::Month => Grain::Month,
                DateUnit::Week | DateUnit::Day => Grain::Day,
                DateUnit::Hour => Grain::Second,
            };
            let drawn = values.all(|value| moment(value).is_some());
            Some(if drawn { Role::Time(grain) } else { Role::Steps })
        }
        _ => None,
    }
}

/// The role of a column by its name and its values.
fn role_of_values<'a>(name: &str, values: impl Iterator<Item = &'a Value>, is_group: bool) -> Role {
    let values: Vec<&Value> = values.collect();
    let words = pieces(name);
    let called = |word: &str| words.last().is_some_and(|last| last == word);
    let all = |is: fn(&Value) -> bool| !values.is_empty() && values.iter().all(|value| is(value));
    if all(|value| value.as_f64().is_some()) {
        let years = || all(|value| matches!(value, Value::Integer(_)) && moment(value).is_some());
        return match () {
            () if called("year") && years() => Role::Time(Grain::Year),
            () if ["id", "uuid", "zip", "postcode"].into_iter().any(called) => Role::Key,
            () if is_group => Role::Steps,
            () => Role::Measure,
        };
    }
    if all(|value| matches!(value, Value::Text(_)) && moment(value).is_some()) {
        let grain = values.iter().filter_map(|value| moment(value)).map(|(_, grain)| grain).max();
        return Role::Time(grain.unwrap_or_default());
    }
    match all(|value| matches!(value, Value::Text(_) | Value::Boolean(_))) {
        true => Role::Name,
        false => Role::Other,
    }
}

/// Units that names of columns end in, and how they are written.
const UNITS: &[(&str, &str)] = &[
    ("percent", "%"),
    ("pct", "%"),
    ("kg", "kg"),
    ("grams", "g"),
    ("lb", "lb"),
    ("lbs", "lb"),
    ("km", "km"),
    ("cm", "cm"),
    ("mm", "mm"),
    ("ms", "ms"),
    ("secs", "s"),
    ("seconds", "s"),
    ("minutes", "minutes"),
    ("hours", "hours"),
    ("days", "days"),
    ("months", "months"),
    ("eur", "EUR"),
    ("usd", "USD"),
    ("gbp", "GBP"),
    ("chf", "CHF"),
    ("kb", "kB"),
    ("mb", "MB"),
    ("gb", "GB"),
    ("kwh", "kWh"),
    ("celsius", "°C"),
];

/// Words that say how something was summarised, and not what.
const SUMMARIES: &[&str] =
    &["average", "avg", "mean", "median", "total", "sum", "min", "max", "lowest", "highest", "number"];

/// What a column is called in a picture, and its unit where that is known.
fn heading(name: &str, expr: Option<&Expr>, plan: Option<&QueryPlan>) -> (String, Option<String>) {
    let mut words = pieces(name);
    if let (["name" | "title"], Some(thing)) = (
        words.iter().map(String::as_str).collect::<Vec<_>>().as_slice(),
        expr.and_then(|expr| thing(expr, plan?)),
    ) {
        return (thing, None);
    }
    if name.contains(['(', '|', '*']) {
        words = expr.map_or(words, |expr| words_of(expr, plan));
    }
    let measured = words.last().and_then(|last| UNITS.iter().find(|(word, _)| word == last));
    // `price per kg` is a price, and `days` alone is what was measured.
    let stands_behind = words.len() > 1
        && !words.iter().any(|word| word == "per")
        && !words.first().is_some_and(|word| words.len() == 2 && SUMMARIES.contains(&word.as_str()));
    let unit = match measured.filter(|_| stands_behind) {
        Some((_, unit)) => {
            words.pop();
            Some((*unit).to_owned())
        }
        None => {
            expr.and_then(unit_of).filter(|unit| !words.iter().any(|word| word == unit)).map(str::to_owned)
        }
    };
    let title = words.join(" ");
    let title = if title.is_empty() { crate::base::text::clean(name).into_owned() } else { title };
    (crate::base::text::cut(&title, 60).into_owned(), unit)
}

/// What a row of the table is called that a column belongs to: the name of a product is that of the product.
fn thing(expr: &Expr, plan: &QueryPlan) -> Option<String> {
    let Expr::Column(column) = expr else { return None };
    let table = plan.select.tables().find(|table| table.name() == column.table)?;
    let words = pieces(plain_name(&table.table)).join(" ");
    Some(pluralizer::pluralize(&words, 1, false))
}

/// The words for an expression that has no name of its own.
fn words_of(expr: &Expr, plan: Option<&QueryPlan>) -> Vec<String> {
    let table = |plan: Option<&QueryPlan>| match plan.map(|plan| &plan.select.from) {
        Some(Source::Table(table)) => pieces(&table.table),
        _ => vec!["rows".to_owned()],
    };
    let behind = |first: &str, rest: Vec<String>| std::iter::once(first.to_owned()).chain(rest).collect();
    match expr {
        Expr::Column(column) => pieces(&column.column),
        Expr::Aggregate { function: Aggregate::Count, argument, .. } => match argument.as_ref() {
            Expr::Column(column) => behind("number of", pieces(&column.column)),
            _ => behind("number of", table(plan)),
        },
        Expr::Aggregate { function, argument, .. } => {
            let summary = match function {
                Aggregate::Sum => "total",
                Aggregate::Avg => "average",
                Aggregate::Min => "lowest",
                Aggregate::Max => "highest",
                _ => "median",
            };
            behind(summary, words_of(argument, plan))
        }
        Expr::Function { function: Function::Label(unit) | Function::Truncate(unit), .. } => {
            vec![format!("{unit:?}").to_lowercase()]
        }
        Expr::Function { function: Function::Extract(part), .. } => vec![format!("{part:?}").to_lowercase()],
        expr => pieces(&expr.to_string()),
    }
}

/// The unit of an expression that measures time.
fn unit_of(expr: &Expr) -> Option<&'static str> {
    match expr {
        Expr::Function { function: Function::Elapsed(unit), .. } => Some(match unit {
            TimeUnit::Second => "seconds",
            TimeUnit::Minute => "minutes",
            TimeUnit::Hour => "hours",
            TimeUnit::Day => "days",
            TimeUnit::Month => "months",
            TimeUnit::Year => "years",
        }),
        Expr::Function { function: Function::Round | Function::Abs, arguments } => {
            arguments.first().and_then(unit_of)
        }
        Expr::Aggregate { function: Aggregate::Count, .. } => None,
        Expr::Aggregate { argument, .. } => unit_of(argument),
        Expr::Window(window) if matches!(window.function, WindowFunction::Aggregate(_)) => {
            window.arguments.first().and_then(unit_of)
        }
        _ => None,
    }
}
