//! Dates as SQLite and PostgreSQL compute with them: formats, modifiers, intervals.

use sqlparser::ast::{BinaryOperator, Expr as Tree, FunctionArgExpr, Value as Literal};

use super::Lifter;
use super::call::call;
use super::idioms::bare;
use super::kind::Kind;
use super::scope::Scope;
use crate::plan::{CastType, DatePart, DateUnit, EpochUnit, Expr, Function, TimeUnit};
use crate::schema::Value;
use crate::sql::Dialect;

impl Lifter<'_> {
    /// A part of a date as SQLite's text: which part, how many digits it has, and of what.
    pub(super) fn date_text(&self, tree: &Tree, scope: &Scope<'_>) -> Option<(DatePart, usize, Expr)> {
        let (format, date) = self.strftime(tree, scope)?;
        let (part, width) = match format.as_str() {
            "%Y" => (DatePart::Year, 4),
            "%m" => (DatePart::Month, 2),
            "%d" => (DatePart::Day, 2),
            "%j" => (DatePart::DayOfYear, 3),
            "%w" => (DatePart::Weekday, 1),
            "%H" => (DatePart::Hour, 2),
            "%M" => (DatePart::Minute, 2),
            _ => return None,
        };
        Some((part, width, date))
    }

    /// The same as a number, with the number of its digits.
    pub(super) fn digits(&self, tree: &Tree, scope: &Scope<'_>) -> Option<(Expr, usize)> {
        // A year as text is a period's name.
        let (part, width, date) = self.date_text(tree, scope)?;
        (part != DatePart::Year).then(|| (Expr::part(part, date), width))
    }

    /// SQLite's text of the seconds since the beginning of 1970, which an operator of numbers makes a number.
    pub(super) fn seconds_text(&self, tree: &Tree, scope: &Scope<'_>) -> Option<Expr> {
        let (format, date) = self.strftime(tree, scope)?;
        (format == "%s").then(|| since_1970(vec![date]))?
    }

    fn strftime(&self, tree: &Tree, scope: &Scope<'_>) -> Option<(String, Expr)> {
        let Tree::Function(function) = bare(tree) else { return None };
        if self.dialect != Dialect::Sqlite {
            return None;
        }
        let (name, arguments, distinct) = call(function)?;
        let [FunctionArgExpr::Expr(format), date @ ..] = arguments.as_slice() else { return None };
        if name != "strftime" || distinct {
            return None;
        }
        let format = text(format)?.to_owned();
        Some((format, self.modified(date, scope)?))
    }

    /// A call of one of SQLite's date functions that is no idiom by itself.
    pub(super) fn sqlite_date(&self, tree: &Tree, scope: &Scope<'_>) -> Option<Expr> {
        if let Some((format, date)) = self.strftime(tree, scope) {
            return Some(match format.as_str() {
                "%Y" => Expr::label(DateUnit::Year, date),
                "%Y-%m" => Expr::label(DateUnit::Month, date),
                "%Y-%m-%d" => Expr::truncate(DateUnit::Day, date),
                "%Y-%m-01" => Expr::truncate(DateUnit::Month, date),
                "%Y-01-01" => Expr::truncate(DateUnit::Year, date),
                "%Y-%m-%d %H:00:00" => Expr::truncate(DateUnit::Hour, date),
                _ => return None,
            });
        }
        let Tree::Function(function) = bare(tree) else { return None };
        let (name, arguments, false) = call(function)? else { return None };
        match name.as_str() {
            "date" => {
                let date = self.modified(&arguments, scope)?;
                let is_day = arguments.len() > 1 && self.kind(&date, scope) == Kind::Day;
                Some(if is_day { date } else { Expr::truncate(DateUnit::Day, date) })
            }
            "datetime" => {
                let date = self.modified(&arguments, scope)?;
                let is_time = arguments.len() > 1 && is_time(&date);
                Some(if is_time { date } else { Expr::cast(CastType::Timestamp, date) })
            }
            "min" => self.month_shift(&arguments, scope),
            _ => None,
        }
    }

    /// A date with SQLite's modifiers, which are applied from left to right.
    fn modified(&self, arguments: &[&FunctionArgExpr], scope: &Scope<'_>) -> Option<Expr> {
        let [FunctionArgExpr::Expr(date), modifiers @ ..] = arguments else { return None };
        let mut rest: Vec<&str> = Vec::with_capacity(modifiers.len());
        for modifier in modifiers {
            let FunctionArgExpr::Expr(modifier) = modifier else { return None };
            rest.push(text(modifier)?);
        }
        let mut rest = rest.as_slice();
        // What `now` is changes with every run.
        if text(date).is_some_and(|text| text.eq_ignore_ascii_case("now")) {
            return None;
        }
        let mut date = match rest {
            ["unixepoch", more @ ..] => {
                rest = more;
                self.epoch(date, scope)?
            }
            _ => self.expr(date, scope)?,
        };
        while let [modifier, more @ ..] = rest {
            rest = more;
            date = match (*modifier, more) {
                ("start of day", _) => Expr::truncate(DateUnit::Day, date),
                ("start of month", _) => Expr::truncate(DateUnit::Month, date),
                ("start of year", _) => Expr::truncate(DateUnit::Year, date),
                ("weekday 0", ["-6 days" | "-6 day", others @ ..])
                | ("-6 days" | "-6 day", ["weekday 1", others @ ..]) => {
                    rest = others;
                    Expr::truncate(DateUnit::Week, date)
                }
                _ => self.moved(date, modifier)?,
            };
        }
        Some(date)
    }

    fn epoch(&self, number: &Tree, scope: &Scope<'_>) -> Option<Expr> {
        if let Tree::BinaryOp { left, op: BinaryOperator::Divide, right } = bare(number)
            && number_in(right).is_some_and(|number| number == "1000")
        {
            return Some(Expr::from_epoch(EpochUnit::Millisecond, self.expr(left, scope)?));
        }
        Some(Expr::from_epoch(EpochUnit::Second, self.expr(number, scope)?))
    }

    /// A date moved as a modifier says.
    fn moved(&self, date: Expr, modifier: &str) -> Option<Expr> {
        let (number, unit) = step(modifier)?;
        // A month too short for the day runs over into the next in SQLite, which the plan does not do.
        let is_safe = match unit {
            TimeUnit::Month | TimeUnit::Year => is_early(&date),
            _ => true,
        };
        is_safe.then(|| Expr::shift(unit, date, Expr::literal(number)))
    }

    /// What is rendered for a date moved by a known number of months: the earlier of two dates.
    fn month_shift(&self, arguments: &[&FunctionArgExpr], scope: &Scope<'_>) -> Option<Expr> {
        let [FunctionArgExpr::Expr(first), FunctionArgExpr::Expr(last)] = arguments else { return None };
        let arguments_of = |tree: &Tree| match bare(tree) {
            Tree::Function(function) => {
                let (name, arguments, _) = call(function)?;
                let trees = arguments.into_iter().map(|argument| match argument {
                    FunctionArgExpr::Expr(tree) => Some(tree.clone()),
                    _ => None,
                });
                (name == "date").then(|| trees.collect::<Option<Vec<_>>>()).flatten()
            }
            _ => None,
        };
        let (first, last) = (arguments_of(first)?, arguments_of(last)?);
        let ([date, by], [other, start, by_more, back]) = (first.as_slice(), last.as_slice()) else {
            return None;
        };
        let (number, TimeUnit::Month) = step(text(by)?)? else { return None };
        let (more, TimeUnit::Month) = step(text(by_more)?)? else { return None };
        let is_last_day = text(start)? == "start of month" && text(back)? == "-1 days";
        if date != other || !is_last_day || number.checked_add(1)? != more {
            return None;
        }
        Some(Expr::shift(TimeUnit::Month, self.expr(date, scope)?, Expr::literal(number)))
    }

    /// PostgreSQL's and BigQuery's dates with intervals: `day + interval '3 days'`.
    pub(super) fn with_interval(
        &self,
        date: &Tree,
        interval: &Tree,
        subtracted: bool,
        scope: &Scope<'_>,
    ) -> Option<Expr> {
        let Tree::Interval(interval) = bare(interval) else { return None };
        let (number, unit) = match &interval.leading_field {
            None => step(text(&interval.value)?)?,
            Some(field) => {
                let number = match bare(&interval.value) {
                    Tree::Value(value) => match &value.value {
                        Literal::Number(digits, _) | Literal::SingleQuotedString(digits) => {
                            digits.parse().ok()?
                        }
                        _ => return None,
                    },
                    _ => return None,
                };
                (number, unit(&field.to_string())?)
            }
        };
        let number: i64 = if subtracted { number.checked_neg()? } else { number };
        let date = self.expr(date, scope)?;
        // A time keeps its time of day where it is moved by days, which the plan's do not.
        let is_day = matches!(unit, TimeUnit::Day | TimeUnit::Month | TimeUnit::Year);
        let fits = !is_day || self.kind(&date, scope) == Kind::Day;
        fits.then(|| Expr::shift(unit, date, Expr::literal(number)))
    }
}

/// The seconds from the beginning of 1970 to a date.
pub(super) fn since_1970(mut arguments: Vec<Expr>) -> Option<Expr> {
    Some(Expr::elapsed(TimeUnit::Second, Expr::literal("1970-01-01"), arguments.pop()?))
}

/// The text that a tree is.
fn text(tree: &Tree) -> Option<&str> {
    match bare(tree) {
        Tree::Value(value) => match &value.value {
            Literal::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// The digits of the number that a tree is.
pub(super) fn number_in(tree: &Tree) -> Option<&str> {
    match bare(tree) {
        Tree::Value(value) => match &value.value {
            Literal::Number(digits, _) => Some(digits),
            _ => None,
        },
        _ => None,
    }
}

/// `+3 days`, `-1 month`.
fn step(text: &str) -> Option<(i64, TimeUnit)> {
    let (number, name) = text.trim().split_once(' ')?;
    Some((number.parse().ok()?, unit(name)?))
}

fn unit(name: &str) -> Option<TimeUnit> {
    let name = name.trim().to_ascii_lowercase();
    Some(match name.strip_suffix('s').unwrap_or(&name) {
        "second" => TimeUnit::Second,
        "minute" => TimeUnit::Minute,
        "hour" => TimeUnit::Hour,
        "day" => TimeUnit::Day,
        "month" => TimeUnit::Month,
        "year" => TimeUnit::Year,
        _ => return None,
    })
}

/// True for what has a time of day.
fn is_time(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Function {
            function: Function::FromEpoch(_)
                | Function::Shift(TimeUnit::Second | TimeUnit::Minute | TimeUnit::Hour)
                | Function::Truncate(DateUnit::Hour),
            ..
        }
    )
}

/// True for a day that every month has.
fn is_early(expr: &Expr) -> bool {
    match expr {
        Expr::Function {
            function: Function::Truncate(DateUnit::Month | DateUnit::Quarter | DateUnit::Year),
            ..
        } => true,
        Expr::Function { function: Function::Shift(TimeUnit::Month | TimeUnit::Year), arguments } => {
            arguments.first().is_some_and(is_early)
        }
        Expr::Literal(Value::Text(text)) => {
            text.get(8..10).and_then(|day| day.parse::<u8>().ok()).is_some_and(|day| (1..=28).contains(&day))
        }
        _ => false,
    }
}
