//! Numbers that only say which row is meant: *staff who served more than 100 sales* have served many, and none with a number above 100.

use crate::rules::knowledge::{Knowledge, TableId};
use crate::rules::text::Question;
use sqlogue_sql::plan::{Aggregate, ColumnRef, Comparison, Condition, Expr, QueryPlan};
use sqlogue_sql::schema::Value;

/// True where a plan asks which references to other rows are above or below a number, and nobody spoke of their numbers.
pub(super) fn compares_references(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let speaks = |word: &str| matches!(word, "id" | "ids" | "number" | "numbers" | "no" | "key" | "code");
    if question.tokens.iter().any(|token| speaks(&token.lower)) {
        return false;
    }
    let refers = |column: &ColumnRef| {
        knowledge.column_in(plan, column).is_some_and(|id| knowledge.column(id).is_foreign)
    };
    let compares = |part: &Condition| match part {
        Condition::Compare { left: Expr::Column(column), operator, right: Expr::Literal(value) } => {
            let is_number = matches!(value, Value::Integer(_) | Value::Real(_));
            let by_size = !matches!(operator, Comparison::Equal | Comparison::NotEqual);
            is_number && by_size && refers(column)
        }
        _ => false,
    };
    plan.select.filter.iter().flat_map(Condition::conjuncts).any(compares)
}

/// True where a plan counts what only says whose rows are meant: *customer orders by month* are orders, and nobody asked for a number
/// of customers.
pub(super) fn counts_owners(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let is_count = |expr: &Expr| matches!(expr, Expr::Aggregate { function: Aggregate::Count, .. });
    if !plan.select.projection.iter().any(|shown| is_count(&shown.expr)) {
        return false;
    }
    let named = |stem: &str, whole: bool| {
        let bears =
            |form: &Vec<String>| form.last().is_some_and(|last| last == stem) && (!whole || form.len() == 1);
        let found: Vec<TableId> =
            knowledge.tables().filter(|(_, table)| table.forms.iter().any(bears)).map(|(id, _)| id).collect();
        found
    };
    let joins = knowledge.joins();
    let once = |stem: &String| question.tokens.iter().filter(|token| token.stem == *stem).count() == 1;
    let owners = question.tokens.windows(2).flat_map(|pair| match pair {
        [of, rows] if of.stem == of.lower && rows.stem != rows.lower && once(&of.stem) => {
            let rows = named(&rows.stem, false);
            let is_owner = |owner: &TableId| rows.iter().any(|table| joins.leads(*table, *owner));
            named(&of.stem, true).into_iter().filter(is_owner).collect()
        }
        _ => Vec::new(),
    });
    let owners: Vec<TableId> = owners.collect();
    let counts = |expr: &Expr| match expr {
        Expr::Aggregate { function: Aggregate::Count, argument, .. } => match argument.as_ref() {
            Expr::All(_) => {
                let from = plan.select.tables().next();
                let joined = plan.select.joins.is_empty();
                from.and_then(|table| knowledge.table_named(&table.table))
                    .is_some_and(|id| joined && owners.contains(&id))
            }
            Expr::Column(column) => knowledge.column_in(plan, column).is_some_and(|id| {
                let entry = knowledge.column(id);
                entry.is_key && owners.contains(&entry.table)
            }),
            _ => false,
        },
        _ => false,
    };
    !owners.is_empty() && plan.select.projection.iter().any(|shown| counts(&shown.expr))
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::of_office;

    #[test]
    fn references_are_compared_where_their_numbers_are_meant_only() {
        let compares =
            |question: &str| of_office(question).iter().any(|sql| sql.contains("district_id > 100"));
        assert!(!compares("districts with more than 100 requests"));
        assert!(!compares("requests of more than 100 districts"));
    }
}
