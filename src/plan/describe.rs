//! Plans in words for people: compact, and the same whatever the dialect.
//!
//! [`std::fmt::Display`] names columns with their tables (`customers.city = 'Rome'`); `{:#}` leaves the tables out
//! (`city = 'Rome'`), for places where only one table is spoken of.

mod expr;

use std::fmt::{self, Display, Formatter};

use super::{ColumnRef, Condition, Direction, Expr, Order, QueryPlan, SetOperator, Source};
use crate::schema::Value;

impl Display for ColumnRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if f.alternate() || self.table.is_empty() {
            f.write_str(&self.column)
        } else {
            write!(f, "{}.{}", self.table, self.column)
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column(column) => column.fmt(f),
            Self::All(None) => f.write_str("*"),
            Self::All(Some(table)) => write!(f, "{table}.*"),
            Self::Literal(Value::Text(text)) => write!(f, "'{}'", text.replace('\'', "''")),
            Self::Literal(value) => value.fmt(f),
            Self::Aggregate { function, distinct, argument } => {
                expr::aggregate(*function, *distinct, argument, f)
            }
            Self::Arithmetic { operator, left, right } => {
                operand(left, f)?;
                write!(f, " {} ", operator.symbol())?;
                operand(right, f)
            }
            Self::Function { function, arguments } => expr::function(*function, arguments, f),
            Self::Query(query) => nested(query, f),
            Self::Case { branches, otherwise } => expr::case(branches, otherwise.as_deref(), f),
            Self::Test(condition) => {
                f.write_str("whether ")?;
                condition.fmt(f)
            }
            Self::Window(window) => expr::window(window, f),
        }
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let not = |negated: &bool| if *negated { "not " } else { "" };
        if let Some(window) = self.as_period() {
            window.expr.fmt(f)?;
            f.write_str(" ")?;
            return window.said(f);
        }
        match self {
            Self::And(_) => joined(&self.parts(), " and ", f),
            Self::Or(all) => {
                f.write_str("(")?;
                joined(all, " or ", f)?;
                f.write_str(")")
            }
            Self::Not(inner) => {
                if let Some(window) = inner.as_period() {
                    window.expr.fmt(f)?;
                    f.write_str(" not ")?;
                    return window.said(f);
                }
                f.write_str("not (")?;
                inner.fmt(f)?;
                f.write_str(")")
            }
            Self::Compare { left, operator, right } => {
                left.fmt(f)?;
                write!(f, " {} ", operator.symbol())?;
                right.fmt(f)
            }
            Self::Between { expr, low, high } => {
                expr.fmt(f)?;
                f.write_str(" between ")?;
                low.fmt(f)?;
                f.write_str(" and ")?;
                high.fmt(f)
            }
            Self::In { expr, list: values, negated } => {
                expr.fmt(f)?;
                write!(f, " {}in (", not(negated))?;
                list(values, f)?;
                f.write_str(")")
            }
            Self::InQuery { expr, query, negated } => {
                expr.fmt(f)?;
                write!(f, " {}in ", not(negated))?;
                nested(query, f)
            }
            Self::Like { expr, pattern, negated } => {
                expr.fmt(f)?;
                like(pattern, *negated, f)
            }
            Self::IsNull { expr, negated } => {
                expr.fmt(f)?;
                f.write_str(if *negated { " is known" } else { " is missing" })
            }
            Self::Exists { query, negated } => {
                f.write_str(if *negated { "there is none of " } else { "there is one of " })?;
                nested(query, f)
            }
        }
    }
}

impl Display for Order {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.expr.fmt(f)?;
        match self.direction {
            Direction::Ascending => Ok(()),
            Direction::Descending => f.write_str(" descending"),
        }
    }
}

/// `name from customers where city = 'Rome'`.
impl Display for QueryPlan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, select) in self.selects().enumerate() {
            if let Some(operation) = at.checked_sub(1).and_then(|at| self.set_operations.get(at)) {
                write!(f, " {} ", operation.operator.name())?;
            }
            if select.distinct {
                f.write_str("distinct ")?;
            }
            if select.projection.is_empty() {
                f.write_str("*")?;
            }
            for (at, projection) in select.projection.iter().enumerate() {
                f.write_str(if at == 0 { "" } else { ", " })?;
                projection.expr.fmt(f)?;
            }
            match &select.from {
                Source::Table(table) => write!(f, " from {}", table.table)?,
                Source::Query { query, .. } => {
                    f.write_str(" from ")?;
                    nested(query, f)?;
                }
            }
            for join in &select.joins {
                write!(f, ", {}", join.table.table)?;
                if let Some(filter) = &join.filter {
                    f.write_str(" with ")?;
                    filter.fmt(f)?;
                }
            }
            clause(" where ", select.filter.as_ref(), f)?;
            if !select.group_by.is_empty() {
                f.write_str(" for each ")?;
                list(&select.group_by, f)?;
            }
            clause(" having ", select.having.as_ref(), f)?;
        }
        if !self.order_by.is_empty() {
            f.write_str(" sorted by ")?;
            joined(&self.order_by, ", ", f)?;
        }
        if let Some(limit) = self.limit {
            write!(f, " limit {limit}")?;
        }
        for (at, named) in self.with.iter().enumerate() {
            write!(f, "{} {} is ", if at == 0 { ", where" } else { "," }, named.name)?;
            nested(&named.query, f)?;
        }
        Ok(())
    }
}

fn clause(word: &str, condition: Option<&Condition>, f: &mut Formatter<'_>) -> fmt::Result {
    let Some(condition) = condition else { return Ok(()) };
    f.write_str(word)?;
    condition.fmt(f)
}

fn nested(query: &QueryPlan, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str("(")?;
    query.fmt(f)?;
    f.write_str(")")
}

fn operand(expr: &Expr, f: &mut Formatter<'_>) -> fmt::Result {
    let is_phrase = matches!(expr, Expr::Arithmetic { .. } | Expr::Window(_) | Expr::Test(_));
    if !is_phrase {
        return expr.fmt(f);
    }
    f.write_str("(")?;
    expr.fmt(f)?;
    f.write_str(")")
}

fn list(exprs: &[Expr], f: &mut Formatter<'_>) -> fmt::Result {
    joined(exprs, ", ", f)
}

fn joined<T: Display>(items: &[T], between: &str, f: &mut Formatter<'_>) -> fmt::Result {
    for (at, item) in items.iter().enumerate() {
        f.write_str(if at == 0 { "" } else { between })?;
        item.fmt(f)?;
    }
    Ok(())
}

fn like(pattern: &str, negated: bool, f: &mut Formatter<'_>) -> fmt::Result {
    let inner = pattern.trim_matches('%').replace('\'', "''");
    let (does, does_not) = match (pattern.starts_with('%'), pattern.ends_with('%')) {
        _ if inner.contains(['%', '_']) => {
            return write!(f, " {}like '{}'", if negated { "not " } else { "" }, pattern.replace('\'', "''"));
        }
        (true, true) => ("contains", "does not contain"),
        (false, true) => ("starts with", "does not start with"),
        (true, false) => ("ends with", "does not end with"),
        (false, false) => ("is", "is not"),
    };
    write!(f, " {} '{inner}'", if negated { does_not } else { does })
}

impl SetOperator {
    /// The operator in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Union => "union",
            Self::UnionAll => "union all",
            Self::Intersect => "intersect",
            Self::Except => "except",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Comparison, Select};

    #[test]
    fn conditions_read_well() {
        let city = || Expr::column("customers", "city");
        let rome = Condition::equal(city(), Expr::literal("L'Aquila"));
        assert_eq!(rome.to_string(), "customers.city = 'L''Aquila'");
        assert_eq!(format!("{rome:#}"), "city = 'L''Aquila'");
        let like = Condition::Like { expr: city(), pattern: "%om%".to_owned(), negated: true };
        assert_eq!(like.to_string(), "customers.city does not contain 'om'");
        let either = Condition::Or(vec![rome, Condition::IsNull { expr: city(), negated: false }]);
        assert_eq!(format!("{either:#}"), "(city = 'L''Aquila' or city is missing)");
        let many = Condition::compare(Expr::count_all(), Comparison::Greater, Expr::literal(5));
        assert_eq!(many.to_string(), "count(*) > 5");
    }

    #[test]
    fn nested_queries_read_well() {
        let open = Condition::equal(Expr::column("orders", "status"), Expr::literal("open"));
        let buyers = QueryPlan::from(
            Select::from_table("orders").project(Expr::column("orders", "customer_id")).filter(open),
        );
        let without = Condition::InQuery {
            expr: Expr::column("customers", "id"),
            query: Box::new(buyers),
            negated: true,
        };
        assert_eq!(format!("{without:#}"), "id not in (customer_id from orders where status = 'open')");
    }
}
