//! Whether what is summed is a number, and what is compared is of one kind.
//!
//! SQLite answers `avg(date)` and `name >= 5` with something; other databases refuse to. Where the database checks types
//! ([`Knowledge::checks_types`]) everything must fit as it would have to there; elsewhere only what means nothing is
//! refused, and texts that are all numbers, but for marks of missing values, are numbers.

use crate::rules::date_cells::DateCells;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnEntry, Knowledge, TableId};
use sqlogue_sql::plan::{
    Aggregate, Branch, CastType, ColumnRef, Comparison, Condition, Expr, Function, QueryPlan, Select, Source,
};
use sqlogue_sql::schema::{ColumnType, Value};

/// A family of values that compare with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
    Truth,
    Day,
    Time,
    /// One of a few fixed labels.
    Label,
    /// Anything else, which only the database knows how to compare.
    Other,
}

/// True where every part of the plan has values of fitting kinds.
pub(super) fn is_sound(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    Types { knowledge, strict: knowledge.checks_types(), scope: Vec::new() }.plan(plan)
}

/// What is known of the kinds of values inside one selection.
struct Types<'a> {
    knowledge: &'a Knowledge,
    strict: bool,
    /// The tables that can be spoken of, the innermost last.
    scope: Vec<(&'a str, TableId)>,
}

impl<'a> Types<'a> {
    /// The same inside a selection.
    fn inside(&self, select: &'a Select) -> Types<'a> {
        let tables = select
            .tables()
            .filter_map(|table| Some((table.name(), self.knowledge.table_named(&table.table)?)));
        let scope = self.scope.iter().copied().chain(tables).collect();
        Types { knowledge: self.knowledge, strict: self.strict, scope }
    }

    fn plan(&self, plan: &'a QueryPlan) -> bool {
        let sorted = plan.order_by.iter().map(|order| &order.expr);
        let first = self.inside(&plan.select);
        plan.selects().all(|select| self.inside(select).select(select))
            && sorted.into_iter().all(|expr| first.expr(expr))
            && plan.set_operations.iter().all(|operation| {
                let other = self.inside(&operation.select);
                let kinds = |types: &Types<'a>, select: &'a Select| -> Vec<Option<Kind>> {
                    select.projection.iter().map(|shown| types.kind(&shown.expr)).collect()
                };
                let (one, other) = (kinds(&first, &plan.select), kinds(&other, &operation.select));
                one.len() == other.len()
                    && one.into_iter().zip(other).all(|(one, other)| self.alike(one, other))
            })
    }

    fn select(&self, select: &'a Select) -> bool {
        let from = match &select.from {
            Source::Query { query, .. } => self.plan(query),
            Source::Table(_) => true,
        };
        let kind = |column: &ColumnRef| {
            self.column(&column.table, &column.column).map(|entry| self.of_column(entry))
        };
        let mut pairs = select.joins.iter().flat_map(|join| &join.on);
        let joined = pairs.all(|(left, right)| self.alike(kind(left), kind(right)));
        from && joined
            && select
                .projection
                .iter()
                .map(|shown| &shown.expr)
                .chain(&select.group_by)
                .all(|expr| self.expr(expr))
            && select.filter.iter().chain(&select.having).all(|condition| self.condition(condition))
    }

    fn condition(&self, condition: &'a Condition) -> bool {
        match condition {
            Condition::And(all) | Condition::Or(all) => all.iter().all(|one| self.condition(one)),
            Condition::Not(one) => self.condition(one),
            Condition::Compare { left, operator, right } => self.comparison(left, *operator, right),
            Condition::Between { expr, low, high } => {
                self.comparison(expr, Comparison::GreaterOrEqual, low)
                    && self.comparison(expr, Comparison::LessOrEqual, high)
            }
            Condition::In { expr, list, .. } => {
                list.iter().all(|item| self.comparison(expr, Comparison::Equal, item))
            }
            Condition::InQuery { expr, query, .. } => {
                self.expr(expr) && self.plan(query) && self.alike(self.kind(expr), self.of_query(query))
            }
            Condition::Like { expr, .. } => {
                self.expr(expr) && (!self.strict || matches!(self.kind(expr), None | Some(Kind::Text)))
            }
            Condition::IsNull { expr, .. } => self.expr(expr),
            Condition::Exists { query, .. } => self.plan(query),
        }
    }

    /// True where an expression is computed from values of fitting kinds.
    fn expr(&self, expr: &'a Expr) -> bool {
        match expr {
            Expr::Aggregate { function, argument, distinct, .. } => {
                // Of yes and no there are two, which nobody counts.
                let counts_two = *distinct && self.is_flag(argument);
                self.expr(argument) && self.summarises(*function, argument) && !counts_two
            }
            Expr::Arithmetic { left, right, .. } => {
                let is_number = |side: &'a Expr| self.expr(side) && self.adds(side);
                // The days between two dates are a number too.
                let days = |side: &'a Expr| self.kind(side) == Some(Kind::Day);
                is_number(left) && is_number(right) || days(left) && days(right)
            }
            Expr::Function { function, arguments } => {
                // The time from one date to another has two of them.
                let dates = if matches!(function, Function::Elapsed(_)) { arguments.len() } else { 1 };
                arguments.iter().all(|argument| self.expr(argument))
                    && arguments.iter().take(dates).all(|argument| self.takes(*function, argument))
            }
            Expr::Query(query) => self.plan(query),
            Expr::Case { branches, otherwise } => {
                let fits = |branch: &'a Branch| self.condition(&branch.when) && self.expr(&branch.then);
                branches.iter().all(fits) && otherwise.iter().all(|expr| self.expr(expr))
            }
            _ => true,
        }
    }

    fn takes(&self, function: Function, argument: &'a Expr) -> bool {
        let kind = self.kind(argument);
        match function {
            Function::Lower | Function::Upper | Function::Length => {
                !self.strict || matches!(kind, None | Some(Kind::Text))
            }
            Function::Abs | Function::Round => self.adds(argument),
            Function::Extract(_) => !self.strict || matches!(kind, None | Some(Kind::Day | Kind::Time)),
            Function::Elapsed(_) => {
                let fits = matches!(kind, None | Some(Kind::Day | Kind::Time));
                !self.strict || fits || matches!(argument, Expr::Literal(_))
            }
            _ => true,
        }
    }

    fn summarises(&self, function: Aggregate, argument: &'a Expr) -> bool {
        match function {
            Aggregate::Count => true,
            // Percentages do not add up, and neither do prices of one litre.
            Aggregate::Sum
                if self.entry(argument).is_some_and(|entry| {
                    matches!(entry.kind, ColumnKind::Percentage(_)) || entry.per_unit().is_some()
                }) =>
            {
                false
            }
            Aggregate::Sum
            | Aggregate::Avg
            | Aggregate::Deviation
            | Aggregate::Variance
            | Aggregate::Percentile(_)
            | Aggregate::PercentileValue(_) => self.adds(argument),
            Aggregate::Min | Aggregate::Max => {
                !self.strict || !matches!(self.kind(argument), Some(Kind::Truth | Kind::Other))
            }
        }
    }

    /// True for a column of yes and no.
    fn is_flag(&self, expr: &'a Expr) -> bool {
        self.entry(expr).is_some_and(|entry| entry.kind.is_flag().is_some())
    }

    /// True for what can be added up.
    fn adds(&self, expr: &'a Expr) -> bool {
        // Numbers that only say which one it is make no sum and no mean.
        if self.entry(expr).is_some_and(ColumnEntry::says_which) {
            return false;
        }
        match self.kind(expr) {
            None | Some(Kind::Number) => true,
            // Elsewhere the true ones are counted.
            Some(Kind::Truth) => !self.strict,
            Some(Kind::Text) => !self.strict && self.entry(expr).is_none_or(|entry| !entry.words),
            Some(Kind::Day | Kind::Time | Kind::Label | Kind::Other) => false,
        }
    }

    fn comparison(&self, left: &'a Expr, operator: Comparison, right: &'a Expr) -> bool {
        let fits = match (left, right) {
            (Expr::Literal(_), Expr::Literal(_)) => true,
            (expr, Expr::Literal(value)) | (Expr::Literal(value), expr) => self.fits(expr, operator, value),
            _ => self.alike(self.kind(left), self.kind(right)) && self.are_in_order(left, operator, right),
        };
        fits && self.expr(left) && self.expr(right)
    }

    /// A number that only says which one it is is neither more nor less than a price or a day, and neither is a day or a *yes*.
    fn are_in_order(&self, left: &'a Expr, operator: Comparison, right: &'a Expr) -> bool {
        let orders = !matches!(operator, Comparison::Equal | Comparison::NotEqual);
        let Some((one, other)) = self.entry(left).zip(self.entry(right)) else { return true };
        // A year is a number that bounds dates.
        let day = |entry: &ColumnEntry| entry.kind.is_date() && entry.kind != ColumnKind::Year;
        let amount = |entry: &ColumnEntry| entry.numeric && !entry.kind.is_date();
        // Nor is a name.
        let name = |entry: &ColumnEntry| entry.words && !entry.numeric && !entry.kind.is_date();
        let mixed = |one: &ColumnEntry, other: &ColumnEntry| (day(one) || name(one)) && amount(other);
        let which = one.says_which() != other.says_which();
        let flag = one.kind.is_flag().is_some() != other.kind.is_flag().is_some();
        !orders || !(which || flag || mixed(one, other) || mixed(other, one))
    }

    /// True where a value of that kind can be compared with a constant.
    fn fits(&self, expr: &'a Expr, operator: Comparison, value: &Value) -> bool {
        let Some(kind) = self.kind(expr) else { return true };
        let same = matches!(operator, Comparison::Equal | Comparison::NotEqual);
        let entry = self.entry(expr);
        match (kind, value) {
            // Of yes and no, none is more than five.
            (Kind::Number, Value::Integer(2..))
                if entry.is_some_and(|entry| entry.kind.is_flag().is_some()) =>
            {
                false
            }
            (_, Value::Null) | (Kind::Number, Value::Integer(_) | Value::Real(_)) => true,
            (Kind::Truth, Value::Boolean(_)) => true,
            (Kind::Text, Value::Text(_)) => true,
            (Kind::Number, Value::Text(text)) => {
                text.parse::<f64>().is_ok()
                    || !self.strict && same && entry.is_none_or(|entry| entry.words || !entry.numeric)
            }
            // No day is called *November*.
            (Kind::Day, Value::Text(text)) => {
                let days = entry.is_some_and(|entry| entry.date_cells == Some(DateCells::Iso));
                begins_with_day(text) || !(self.strict || same && days && !begins_with_digit(text))
            }
            (Kind::Time, Value::Text(text)) => !self.strict || text.contains(':') && begins_with_digit(text),
            (Kind::Label, Value::Text(text)) => {
                let known = entry.map(|entry| entry.few_values.as_slice()).unwrap_or_default();
                same && (known.is_empty() || known.iter().any(|label| label.as_str() == Some(text)))
            }
            (Kind::Truth, Value::Text(text)) => {
                !self.strict && entry.is_none_or(|entry| is_flag(text) || entry.few_values.contains(value))
            }
            (Kind::Truth, Value::Integer(0 | 1)) => !self.strict,
            // Numbers stored as text are equal where they are spelt alike.
            (Kind::Text, Value::Integer(_) | Value::Real(_)) => {
                !self.strict && (same || entry.is_none_or(|entry| !entry.words))
            }
            (Kind::Other, Value::Text(text)) => !self.strict || same && uuid::Uuid::parse_str(text).is_ok(),
            _ => !self.strict && same,
        }
    }

    fn alike(&self, one: Option<Kind>, other: Option<Kind>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) => !self.strict || one == other,
            _ => true,
        }
    }

    /// The kind of an expression's values, where it is known.
    fn kind(&self, expr: &'a Expr) -> Option<Kind> {
        match expr {
            Expr::Column(column) => Some(self.of_column(self.column(&column.table, &column.column)?)),
            Expr::Aggregate { function, argument, .. } => match function {
                Aggregate::Min | Aggregate::Max => self.kind(argument),
                _ => Some(Kind::Number),
            },
            Expr::Arithmetic { .. } => Some(Kind::Number),
            Expr::Function { function, arguments } => match function {
                Function::Lower
                | Function::Upper
                | Function::Concat
                | Function::Label(_)
                | Function::WeekdayName
                | Function::MonthName
                | Function::Cast(CastType::Text) => Some(Kind::Text),
                Function::Length
                | Function::Abs
                | Function::Round
                | Function::Extract(_)
                | Function::Elapsed(_)
                | Function::ToNumber
                | Function::Cast(CastType::Integer | CastType::Real) => Some(Kind::Number),
                Function::Truncate(_)
                | Function::Shift(_)
                | Function::FromEpoch(_)
                | Function::FromDateKey
                | Function::Cast(CastType::Timestamp) => Some(Kind::Day),
                Function::NullIf => arguments.first().and_then(|argument| self.kind(argument)),
                Function::Coalesce => arguments.iter().find_map(|argument| self.kind(argument)),
            },
            Expr::Query(query) => self.of_query(query),
            _ => None,
        }
    }

    /// The kind of what a nested query returns.
    fn of_query(&self, query: &'a QueryPlan) -> Option<Kind> {
        let shown = query.select.projection.first()?;
        self.inside(&query.select).kind(&shown.expr)
    }

    fn of_column(&self, entry: &ColumnEntry) -> Kind {
        match entry.column_type {
            ColumnType::Integer | ColumnType::Real => Kind::Number,
            ColumnType::Text if entry.labels && self.strict => Kind::Label,
            ColumnType::Text => Kind::Text,
            ColumnType::Boolean => Kind::Truth,
            ColumnType::Date | ColumnType::DateTime => Kind::Day,
            ColumnType::Time => Kind::Time,
            ColumnType::Blob | ColumnType::Other => Kind::Other,
        }
    }

    /// What is known of the column that an expression is, or whose smallest or largest value it is.
    fn entry(&self, expr: &'a Expr) -> Option<&'a ColumnEntry> {
        match expr {
            Expr::Column(column) => self.column(&column.table, &column.column),
            Expr::Aggregate { function: Aggregate::Min | Aggregate::Max, argument, .. } => {
                self.entry(argument)
            }
            _ => None,
        }
    }

    fn column(&self, table: &str, column: &str) -> Option<&'a ColumnEntry> {
        let (_, id) = self.scope.iter().rev().find(|(name, _)| *name == table)?;
        Some(self.knowledge.column(self.knowledge.column_named(*id, column)?))
    }
}

fn begins_with_day(text: &str) -> bool {
    text.get(..10).is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok())
}

fn begins_with_digit(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_digit())
}

/// True for a word that people store for yes or no.
fn is_flag(text: &str) -> bool {
    ["true", "false", "t", "f", "yes", "no", "y", "n", "on", "off", "0", "1"]
        .contains(&text.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlogue_sql::schema::{Column, Schema, Table};

    /// One table with a column of each type, in a database that checks types or in one that does not.
    fn knowledge(strict: bool) -> Knowledge {
        let column = |name: &str, column_type, declared: &str| Column {
            name: name.into(),
            column_type,
            declared_type: declared.into(),
            ..Column::default()
        };
        let columns = vec![
            column("number", ColumnType::Integer, "integer"),
            column("word", ColumnType::Text, "text"),
            column("digits", ColumnType::Text, "text"),
            column("day", ColumnType::Date, "date"),
            column("flag", ColumnType::Boolean, "boolean"),
            column("label", ColumnType::Text, "mood"),
            column("thing", ColumnType::Other, "json"),
        ];
        let table = Table { name: "t".into(), columns, ..Table::default() };
        let mut builder = Knowledge::builder(&Schema { tables: vec![table] }, 1 << 10);
        builder.values("t", "word", ["red", "blue"].map(Value::from));
        builder.values("t", "digits", ["10", "9", "n/a", ""].map(Value::from));
        builder.values("t", "label", ["sad", "glad"].map(Value::from));
        let mut knowledge = builder.finish();
        knowledge.check_types(strict);
        knowledge
    }

    fn t(column: &str) -> Expr {
        Expr::column("t", column)
    }

    fn than(column: &str, operator: Comparison, value: impl Into<Value>) -> Condition {
        Condition::compare(t(column), operator, Expr::literal(value))
    }

    /// Whether a condition is sound where types are checked, and where they are not.
    fn holds(condition: Condition) -> (bool, bool) {
        let plan = QueryPlan::from(Select::from_table("t").project(t("number")).filter(condition));
        (is_sound(&plan, &knowledge(true)), is_sound(&plan, &knowledge(false)))
    }

    fn summed(function: Aggregate, column: &str) -> (bool, bool) {
        let plan = QueryPlan::from(Select::from_table("t").project(Expr::aggregate(function, t(column))));
        (is_sound(&plan, &knowledge(true)), is_sound(&plan, &knowledge(false)))
    }

    #[test]
    fn only_numbers_are_added() {
        for (column, strict, lax) in [
            ("number", true, true),
            ("word", false, false),
            ("digits", false, true),
            ("day", false, false),
            ("flag", false, true),
            ("label", false, false),
        ] {
            assert_eq!(summed(Aggregate::Avg, column), (strict, lax), "{column}");
        }
        assert_eq!(summed(Aggregate::Max, "day"), (true, true));
        assert_eq!(summed(Aggregate::Max, "flag"), (false, true));
    }

    #[test]
    fn what_is_compared_is_of_one_kind() {
        use Comparison::{Equal, Greater};
        for (condition, strict, lax) in [
            (than("number", Greater, 5), true, true),
            (than("number", Greater, "cheap"), false, false),
            (than("word", Greater, 5), false, false),
            (than("word", Equal, "red"), true, true),
            (than("digits", Greater, 5), false, true),
            (than("digits", Equal, "9"), true, true),
            (than("day", Greater, "2024-05-01"), true, true),
            (than("day", Greater, 5), false, false),
            (than("day", Equal, "soon"), false, false),
            (than("flag", Equal, true), true, true),
            (than("flag", Equal, "the whole sentence"), false, false),
            (than("flag", Equal, 1), false, true),
            (than("label", Equal, "glad"), true, true),
            (than("label", Equal, "mad"), false, true),
            (than("thing", Equal, "x"), false, true),
            (Condition::Like { expr: t("day"), pattern: "%2024%".into(), negated: false }, false, true),
            (Condition::Like { expr: t("label"), pattern: "%g%".into(), negated: false }, false, true),
            (Condition::Like { expr: t("word"), pattern: "%r%".into(), negated: false }, true, true),
            (Condition::compare(t("word"), Equal, t("number")), false, true),
            (Condition::compare(Expr::aggregate(Aggregate::Max, t("day")), Greater, t("day")), true, true),
        ] {
            assert_eq!(holds(condition.clone()), (strict, lax), "{condition}");
        }
    }

    #[test]
    fn nested_queries_and_combinations_fit_too() {
        let of = |column: &str| QueryPlan::from(Select::from_table("t").project(t(column)));
        let among = |column: &str| Condition::InQuery {
            expr: t("number"),
            query: Box::new(of(column)),
            negated: true,
        };
        assert_eq!(holds(among("number")), (true, true));
        assert_eq!(holds(among("word")), (false, true));
        let mut both = of("number");
        both.set_operations = vec![sqlogue_sql::plan::SetOperation {
            operator: sqlogue_sql::plan::SetOperator::Union,
            select: of("day").select,
        }];
        assert!(!is_sound(&both, &knowledge(true)) && is_sound(&both, &knowledge(false)));
    }
}
