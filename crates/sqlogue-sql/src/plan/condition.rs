//! Conditions: which rows, or which groups, count.

use serde::{Deserialize, Serialize};

use super::{Expr, QueryPlan, Select, Source};
use crate::schema::Value;

/// Something that holds for a row (in a filter) or a group (in `having`), or does not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// All of these hold.
    And(Vec<Condition>),
    /// At least one of these holds.
    Or(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// Two values compare as said.
    Compare {
        /// The left side.
        left: Expr,
        /// How they compare.
        operator: Comparison,
        /// The right side.
        right: Expr,
    },
    /// A value lies between two others, both included.
    Between {
        /// The value.
        expr: Expr,
        /// The smallest value allowed.
        low: Expr,
        /// The largest value allowed.
        high: Expr,
    },
    /// A value is one of a list.
    In {
        /// The value.
        expr: Expr,
        /// The list.
        list: Vec<Expr>,
        /// True for `NOT IN`.
        #[serde(default)]
        negated: bool,
    },
    /// A value is among the rows of a nested query of one column.
    InQuery {
        /// The value.
        expr: Expr,
        /// The nested query.
        query: Box<QueryPlan>,
        /// True for `NOT IN`.
        #[serde(default)]
        negated: bool,
    },
    /// A text matches a pattern in which `%` stands for any text, ignoring case as far as the database does.
    Like {
        /// The text.
        expr: Expr,
        /// The pattern.
        pattern: String,
        /// True for `NOT LIKE`.
        #[serde(default)]
        negated: bool,
    },
    /// A value is missing.
    IsNull {
        /// The value.
        expr: Expr,
        /// True for `IS NOT NULL`.
        #[serde(default)]
        negated: bool,
    },
    /// A nested query has rows.
    Exists {
        /// The nested query.
        query: Box<QueryPlan>,
        /// True for `NOT EXISTS`.
        #[serde(default)]
        negated: bool,
    },
}

/// How two values compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// The same.
    Equal,
    /// Not the same.
    NotEqual,
    /// Smaller.
    Less,
    /// Smaller or the same.
    LessOrEqual,
    /// Larger.
    Greater,
    /// Larger or the same.
    GreaterOrEqual,
}

impl Condition {
    /// `left operator right`.
    pub fn compare(left: Expr, operator: Comparison, right: Expr) -> Self {
        Self::Compare { left, operator, right }
    }

    /// `left = right`.
    pub fn equal(left: Expr, right: Expr) -> Self {
        Self::compare(left, Comparison::Equal, right)
    }

    /// The value is among the rows of a query of one column.
    pub fn among(expr: Expr, query: QueryPlan) -> Self {
        Self::InQuery { expr, query: Box::new(query), negated: false }
    }

    /// The value is not among the rows of a query of one column. The query's NULLs are left out, because with one of
    /// them `NOT IN` holds for nothing.
    pub fn none_of(expr: Expr, mut query: QueryPlan) -> Self {
        let known = |expr: &Expr| Self::IsNull { expr: expr.clone(), negated: true };
        let is_cut = query.limit.is_some() || query.offset.is_some();
        let of_rows = |select: &Select| match select.projection.as_slice() {
            [shown] => (!shown.expr.is_aggregate() && !shown.expr.is_windowed()).then(|| known(&shown.expr)),
            _ => None,
        };
        match of_rows(&query.select) {
            Some(known) if query.set_operations.is_empty() && !is_cut => {
                query.select = query.select.filter(known);
            }
            _ => {
                let name = "listed";
                if let Some(shown) = query.select.projection.first_mut() {
                    let value =
                        Expr::column(name, shown.alias.get_or_insert_with(|| "value".to_owned()).clone());
                    let from = Source::Query { query: Box::new(query), alias: name.to_owned() };
                    let select = Select { from, ..Select::default() }.project(value.clone());
                    query = QueryPlan::from(select.filter(known(&value)));
                }
            }
        }
        Self::InQuery { expr, query: Box::new(query), negated: true }
    }

    /// This condition and another, as one flat list.
    #[must_use]
    pub fn and(self, other: Condition) -> Self {
        let mut all = self.into_conjuncts();
        all.extend(other.into_conjuncts());
        Self::And(all)
    }

    /// The conditions that must all hold, as a list of one or more.
    pub fn conjuncts(&self) -> &[Condition] {
        match self {
            Self::And(all) => all,
            one => std::slice::from_ref(one),
        }
    }

    /// The one value that an expression has wherever this holds; none where it may have several.
    pub fn fixed(&self, expr: &Expr) -> Option<&Value> {
        self.conjuncts().iter().find_map(|one| match one {
            Self::Compare { left, operator: Comparison::Equal, right: Expr::Literal(value) }
                if left == expr =>
            {
                Some(value)
            }
            _ => None,
        })
    }

    /// The conditions that all have to hold, to change them.
    pub fn conjuncts_mut(&mut self) -> &mut [Condition] {
        match self {
            Self::And(all) => all,
            one => std::slice::from_mut(one),
        }
    }

    fn into_conjuncts(self) -> Vec<Condition> {
        match self {
            Self::And(all) => all,
            one => vec![one],
        }
    }

    /// One condition for those that must all hold, as one flat list; none for an empty list.
    pub fn all(conditions: Vec<Condition>) -> Option<Self> {
        let mut all: Vec<Self> = conditions.into_iter().flat_map(Self::into_conjuncts).collect();
        match all.len() {
            0 | 1 => all.pop(),
            _ => Some(Self::And(all)),
        }
    }
}

impl Comparison {
    /// The comparison that holds exactly where this one does not (NULLs aside).
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterOrEqual,
            Self::LessOrEqual => Self::Greater,
            Self::Greater => Self::LessOrEqual,
            Self::GreaterOrEqual => Self::Less,
        }
    }

    /// The comparison that holds of two values in the other order: `<` for `>`.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            same => same,
        }
    }

    /// The operator as SQL writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}
