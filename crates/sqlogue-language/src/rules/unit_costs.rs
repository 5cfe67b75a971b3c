//! What one piece costs is no cost of all: where a row says how many pieces it is about, totals are of both together.

use super::grammar::columns::{counts_pieces, is_number, named, price_and_units};
use super::knowledge::{ColumnId, Knowledge};
use super::text::Question;
use sqlogue_sql::plan::{Aggregate, Arithmetic, ColumnRef, Expr, QueryPlan};

/// Makes of a total of costs of one piece that of what all pieces cost, unless *unit* is said: *material cost by supplier*. Where the
/// *value* of pieces is asked for, of a total of pieces that of what they are worth.
pub(super) fn multiply_by_quantity(plan: &mut QueryPlan, asked: &Question, knowledge: &Knowledge) {
    let says = |words: &[&str]| asked.tokens.iter().any(|token| words.contains(&token.lower.as_str()));
    let of_unit = says(&["unit", "piece"]);
    let of_value = says(&["value", "worth"]);
    let whole = plan.clone();
    plan.for_each_expr_mut(&mut |expr| {
        let Expr::Aggregate { function: Aggregate::Sum, argument, distinct: false } = expr else { return };
        let Expr::Column(column) = argument.as_ref() else { return };
        let Some(id) = knowledge.column_in(&whole, column) else { return };
        let other = match () {
            () if !of_unit && is_cost_of_one(knowledge, id) => quantity_beside(knowledge, id),
            () if of_value => price_beside(knowledge, id),
            () => None,
        };
        if let Some(other) = other {
            let other =
                Expr::Column(ColumnRef::new(column.table.clone(), knowledge.column(other).name.clone()));
            let own = argument.as_ref().clone();
            *argument = Box::new(Expr::arithmetic(Arithmetic::Multiply, own, other));
        }
    });
}

/// True for what one piece costs: `unit_cost`, `cost_per_bag`.
fn is_cost_of_one(knowledge: &Knowledge, id: ColumnId) -> bool {
    named(knowledge, id, &["cost", "price"]) && named(knowledge, id, &["unit"])
}

/// The column of the same table that says how many pieces a row is about.
fn quantity_beside(knowledge: &Knowledge, id: ColumnId) -> Option<ColumnId> {
    let columns = &knowledge.table(knowledge.column(id).table).columns;
    columns
        .iter()
        .copied()
        .find(|other| *other != id && is_number(knowledge, *other) && counts_pieces(knowledge, *other))
}

/// The column of the same table that says what one of the pieces costs that a column counts.
fn price_beside(knowledge: &Knowledge, id: ColumnId) -> Option<ColumnId> {
    let (price, first) = price_and_units(knowledge, knowledge.column(id).table)?;
    let counts_same = || {
        let words = |id: ColumnId| knowledge.column(id).forms.first().cloned().unwrap_or_default();
        let known = words(first);
        words(id).iter().any(|word| known.contains(word))
    };
    (price != id && (id == first || counts_same())).then_some(price)
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::table;
    use crate::rules::{Knowledge, Options, understand};
    use sqlogue_sql::schema::{ColumnType, Schema};
    use sqlogue_sql::sql::{Dialect, render};

    #[test]
    fn totals_are_of_all_pieces() {
        use ColumnType::{Date, Integer, Real, Text};
        let deliveries = table(
            "deliveries",
            &[
                ("delivery_id", Integer),
                ("supplier", Text),
                ("delivered_on", Date),
                ("quantity", Integer),
                ("unit_cost", Real),
            ],
            &[],
        );
        let sacks = table(
            "sacks",
            &[
                ("sack_id", Integer),
                ("mill", Text),
                ("bags_asked", Integer),
                ("bags_sent", Integer),
                ("price_per_bag", Real),
            ],
            &[],
        );
        let knowledge = Knowledge::from_schema(&Schema { tables: vec![deliveries, sacks] });
        let first = |question: &str| {
            let read = understand(question, &knowledge, &Options::default());
            read.candidates.first().map(|one| render(&one.plan, Dialect::Sqlite)).unwrap_or_default()
        };
        assert!(first("cost of deliveries by supplier").contains("sum(unit_cost * quantity)"));
        assert!(first("value of bags sent by mill").contains("sum(bags_sent * price_per_bag)"));
        assert!(!first("bags sent by mill").contains('*'));
    }
}
