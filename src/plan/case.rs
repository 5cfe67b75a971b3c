//! Values that depend on conditions: bands, counts and totals of some rows, shares.

use serde::{Deserialize, Serialize};

use super::{Aggregate, Arithmetic, CastType, Condition, Expr, Function};
use crate::schema::Value;

/// One branch of an [`Expr::Case`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    /// When it is taken.
    pub when: Condition,
    /// The value then.
    pub then: Expr,
}

/// What separates the parts where several columns are counted as one.
const BETWEEN_PARTS: &str = " | ";

impl Expr {
    /// The value of the first branch whose condition holds; without any, `otherwise`, or else NULL.
    #[must_use]
    pub fn case(branches: Vec<(Condition, Expr)>, otherwise: Option<Expr>) -> Self {
        let branches = branches.into_iter().map(|(when, then)| Branch { when, then }).collect();
        Self::Case { branches, otherwise: otherwise.map(Box::new) }
    }

    /// `then` where a condition holds, NULL elsewhere.
    #[must_use]
    pub fn only_where(condition: Condition, then: Expr) -> Self {
        Self::case(vec![(condition, then)], None)
    }

    /// The number of rows for which a condition holds.
    #[must_use]
    pub fn count_where(condition: Condition) -> Self {
        Self::aggregate(Aggregate::Count, Self::only_where(condition, Self::literal(1)))
    }

    /// A summary of those rows for which a condition holds.
    #[must_use]
    pub fn aggregate_where(function: Aggregate, argument: Expr, condition: Condition) -> Self {
        Self::aggregate(function, Self::only_where(condition, argument))
    }

    /// The number of different values, or of different combinations of values where there are several expressions. As
    /// with one value, combinations with a NULL do not count.
    #[must_use]
    pub fn count_distinct(of: Vec<Expr>) -> Self {
        let argument = if of.len() == 1 {
            of.into_iter().next().unwrap_or(Self::All(None))
        } else {
            let mut parts = Vec::with_capacity(of.len() * 2);
            for expr in of {
                if !parts.is_empty() {
                    parts.push(Self::literal(BETWEEN_PARTS));
                }
                parts.push(Self::cast(CastType::Text, expr));
            }
            Self::concat(parts)
        };
        Self::Aggregate { function: Aggregate::Count, distinct: true, argument: Box::new(argument) }
    }

    /// 1 where a condition holds, 0 where it does not, NULL where that is unknown.
    #[must_use]
    pub fn test(condition: Condition) -> Self {
        Self::Test(Box::new(condition))
    }

    /// A quotient with its fraction; NULL where the divisor is zero.
    #[must_use]
    pub fn ratio(of: Expr, to: Expr) -> Self {
        Self::arithmetic(Arithmetic::Divide, of, to)
    }

    /// A part of a whole in percent; NULL where the whole is zero.
    #[must_use]
    pub fn percent(part: Expr, whole: Expr) -> Self {
        Self::ratio(Self::arithmetic(Arithmetic::Multiply, Self::literal(100.0), part), whole)
    }

    /// The growth from one value to another in percent; NULL where the first is zero.
    #[must_use]
    pub fn growth(from: Expr, to: Expr) -> Self {
        Self::percent(Self::arithmetic(Arithmetic::Subtract, to, from.clone()), from)
    }

    /// The label of the band that a number lies in. `edges` ascend, and each begins a new band: `labels` has one more.
    #[must_use]
    pub fn bands(number: Expr, edges: &[Value], labels: &[String]) -> Self {
        let below = |edge: &Value| {
            Condition::compare(number.clone(), super::Comparison::Less, Self::Literal(edge.clone()))
        };
        let label = |label: &String| Self::literal(label.as_str());
        let mut branches: Vec<_> =
            edges.iter().zip(labels).map(|(edge, name)| (below(edge), label(name))).collect();
        // What is unknown is in no band.
        if let Some(last) = labels.get(edges.len()) {
            let known = Condition::IsNull { expr: number.clone(), negated: true };
            branches.push((known, label(last)));
        }
        Self::case(branches, None)
    }

    /// Texts one after the other; NULL where one of them is.
    #[must_use]
    pub fn concat(texts: Vec<Expr>) -> Self {
        Self::function(Function::Concat, texts)
    }
}
