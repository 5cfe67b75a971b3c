//! Conditions that no row fulfils both.

use super::{Comparison, Condition, Expr, Function};
use crate::schema::Value;

impl Condition {
    /// True where it speaks of the same value as another condition, and no row fulfils both. It need not notice every such
    /// pair: only what is so whatever the database.
    pub fn excludes(&self, other: &Self) -> bool {
        if self.leaves_unknown(other) || other.leaves_unknown(self) {
            return true;
        }
        if self.subject().is_none() || self.subject() != other.subject() {
            return false;
        }
        if let (Some(one), Some(other)) = (self.as_period(), other.as_period()) {
            return one.excludes(&other);
        }
        if let (Self::IsNull { negated: one, .. }, Self::IsNull { negated: other, .. }) = (self, other) {
            return one != other;
        }
        let is_missing = |condition: &Self| matches!(condition, Self::IsNull { negated: false, .. });
        let needs_value = |condition: &Self| !matches!(condition, Self::IsNull { .. } | Self::Not(_));
        if is_missing(self) && needs_value(other) || is_missing(other) && needs_value(self) {
            return true;
        }
        match (self, other) {
            (
                Self::Compare { operator: first, right: low, .. },
                Self::Compare { operator: second, right: high, .. },
            ) => apart((*first, low), (*second, high)) || apart((*second, high), (*first, low)),
            _ => false,
        }
    }

    /// True where a value is missing of which the other condition compares the difference to something else, which is unknown then.
    fn leaves_unknown(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::IsNull { expr: Expr::Column(missing), negated: false }, Self::Compare { left, .. }) => {
                let needs = |expr: &Expr| {
                    let of = match expr {
                        Expr::Arithmetic { .. } => expr.parts(),
                        Expr::Function { function: Function::Elapsed(_), arguments } => {
                            arguments.iter().collect()
                        }
                        _ => Vec::new(),
                    };
                    of.into_iter().any(|part| matches!(part, Expr::Column(column) if column == missing))
                };
                needs(left)
            }
            _ => false,
        }
    }
}

impl Expr {
    /// How two constants compare, where that is known whatever the database: texts are sorted by each in its own way.
    pub fn compared(&self, other: &Self) -> Option<std::cmp::Ordering> {
        let (Self::Literal(one), Self::Literal(other)) = (self, other) else { return None };
        match (one, other) {
            (Value::Text(one), Value::Text(other)) => {
                let day = |text: &str| text.parse::<jiff::civil::Date>().ok();
                Some(day(one)?.cmp(&day(other)?))
            }
            (one, other) => one.as_f64()?.partial_cmp(&other.as_f64()?),
        }
    }
}

/// True where nothing compares so with both.
fn apart((first, one): (Comparison, &Expr), (second, other): (Comparison, &Expr)) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let Some(order) = one.compared(other) else {
        return first == Comparison::Equal && second == Comparison::Equal && are_other_texts(one, other);
    };
    match (first, second) {
        (Comparison::Equal, Comparison::Equal) => order != Equal,
        (Comparison::Equal, Comparison::NotEqual) => order == Equal,
        (Comparison::Equal, Comparison::Less) => order != Less,
        (Comparison::Equal, Comparison::LessOrEqual) => order == Greater,
        (Comparison::Equal, Comparison::Greater) => order != Greater,
        (Comparison::Equal, Comparison::GreaterOrEqual) => order == Less,
        (Comparison::Greater, Comparison::Less | Comparison::LessOrEqual)
        | (Comparison::GreaterOrEqual, Comparison::Less) => order != Less,
        (Comparison::GreaterOrEqual, Comparison::LessOrEqual) => order == Greater,
        _ => false,
    }
}

/// True for two texts that are not the same in whatever case.
fn are_other_texts(one: &Expr, other: &Expr) -> bool {
    match (one, other) {
        (Expr::Literal(Value::Text(one)), Expr::Literal(Value::Text(other))) => {
            one.to_lowercase() != other.to_lowercase()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Arithmetic;

    fn price(operator: Comparison, value: impl Into<Value>) -> Condition {
        Condition::compare(Expr::column("book", "price"), operator, Expr::literal(value))
    }

    #[test]
    fn no_row_is_both_below_and_above() {
        use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual};
        for (one, other, excludes) in [
            (price(Less, 20), price(Greater, 40), true),
            (price(Less, 20), price(GreaterOrEqual, 20), true),
            (price(LessOrEqual, 20), price(GreaterOrEqual, 20), false),
            (price(Less, 40), price(Greater, 20), false),
            (price(Equal, 20), price(Equal, 21), true),
            (price(Equal, "a"), price(Equal, "A"), false),
            (price(Equal, "a"), price(Less, "b"), false),
            (price(Less, "2003-01-01"), price(Greater, "2003-01-01"), true),
        ] {
            assert_eq!(one.excludes(&other), excludes, "{one} and {other}");
            assert_eq!(other.excludes(&one), excludes, "{other} and {one}");
        }
    }

    #[test]
    fn what_is_missing_is_not_compared() {
        let missing = Condition::IsNull { expr: Expr::column("book", "price"), negated: false };
        assert!(missing.excludes(&price(Comparison::Less, 20)));
        let margin = Expr::arithmetic(Arithmetic::Subtract, Expr::column("book", "price"), Expr::literal(5));
        let margin = Condition::compare(margin, Comparison::Greater, Expr::literal(20));
        assert!(missing.excludes(&margin) && margin.excludes(&missing));
        let other = Condition::compare(Expr::column("book", "pages"), Comparison::Less, Expr::literal(20));
        assert!(!missing.excludes(&other));
    }
}
