//! After a number of rows, the rows that were counted: what is said next is often said of them.

use super::{FollowUp, Way};
use sqlogue_sql::plan::{Aggregate, Branch, Expr, PlanEdit, Projection, QueryPlan, Select, Source, TableUse};

/// Words that point at rows which were only counted.
const POINTS: &[&str] =
    &["they", "them", "their", "its", "his", "her", "these", "those", "ones", "who", "which"];

/// The plan of what was counted, where a follow-up may speak of it: some of the rows always, and the rows of another query
/// where something points at them.
pub(super) fn asked(input: &str, previous: &QueryPlan) -> Option<QueryPlan> {
    match Counted::of(previous)? {
        Counted::Some(plan) => Some(plan),
        Counted::Rows(plan) => {
            let said = input.to_lowercase();
            let mut words = said.split(|letter: char| !letter.is_alphanumeric());
            words.any(|word| POINTS.contains(&word)).then_some(plan)
        }
    }
}

/// What a plan that returns one number counted.
enum Counted {
    /// Rows of which a condition holds, counted beside others: the same number of these alone, by a condition of the query.
    Some(QueryPlan),
    /// The rows of another query, which is this one.
    Rows(QueryPlan),
}

impl Counted {
    /// What a plan counts in a way that hides it from those who ask for more; none of one that counts rows as they are.
    fn of(plan: &QueryPlan) -> Option<Self> {
        let QueryPlan { with, select, set_operations, limit: None, offset: None, .. } = plan else {
            return None;
        };
        let [
            Projection {
                expr: Expr::Aggregate { function: Aggregate::Count, distinct: false, argument },
                ..
            },
        ] = select.projection.as_slice()
        else {
            return None;
        };
        let is_whole = set_operations.is_empty() && select.group_by.is_empty() && select.having.is_none();
        match &**argument {
            Expr::Case { branches, otherwise: None } if is_whole => {
                let [Branch { when, then: Expr::Literal(_) }] = branches.as_slice() else { return None };
                let filter = match &select.filter {
                    Some(filter) => filter.clone().and(when.clone()),
                    None => when.clone(),
                };
                let projection = vec![Projection::from(Expr::count_all())];
                let select = Select { projection, filter: Some(filter), ..select.clone() };
                Some(Self::Some(QueryPlan { select, ..plan.clone() }))
            }
            Expr::All(_) if is_whole && select.filter.is_none() && select.joins.is_empty() => {
                match (&select.from, with.as_slice()) {
                    (Source::Query { query, .. }, []) => Some(Self::Rows((**query).clone())),
                    (Source::Table(TableUse { table, .. }), [named]) if *table == named.name => {
                        Some(Self::Rows(unnamed(&named.query)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// A query as it is by itself, where nobody has to refer to its columns by other names.
fn unnamed(query: &QueryPlan) -> QueryPlan {
    let mut query = query.clone();
    for shown in &mut query.select.projection {
        shown.alias = None;
    }
    query
}

impl Way {
    /// The same as a change of the plan that returned the number.
    pub(super) fn after_number(mut self, before: &QueryPlan) -> Self {
        if let FollowUp::Edits { edits, plan, .. } = &mut self.follow_up {
            *edits = vec![PlanEdit::restate(before, (**plan).clone())];
        }
        self
    }
}
