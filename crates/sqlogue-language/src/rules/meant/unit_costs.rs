//! What one piece costs is no cost of all: where a row says how many pieces it is about, totals are of both together.

use crate::rules::grammar::amounts::amounts_of;
use crate::rules::grammar::columns::{counts_pieces, is_number, named, price_and_units};
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, Knowledge, TableEntry, TableId};
use crate::rules::stem::root;
use crate::rules::text::Question;
use sqlogue_sql::plan::{Aggregate, Arithmetic, ColumnRef, Comparison, Condition, Expr, QueryPlan, Select};

/// Makes of a total of costs of one piece that of what all pieces cost, unless *unit* is said: *material cost by supplier*. Where the
/// *value* of pieces is asked for, of a total of pieces that of what they are worth.
pub(super) fn multiply_by_quantity(plan: &mut QueryPlan, asked: &Question, knowledge: &Knowledge) {
    let says = |words: &[&str]| asked.tokens.iter().any(|token| words.contains(&token.lower.as_str()));
    let of_unit = says(&["unit", "piece"]);
    let of_value = says(&["value", "worth"]);
    if !adds_up(plan) {
        return;
    }
    let whole = plan.clone();
    plan.for_each_expr_mut(&mut |expr| {
        let Expr::Aggregate { function: Aggregate::Sum, argument, distinct: false } = expr else { return };
        let Expr::Column(column) = argument.as_ref() else { return };
        let Some(id) = knowledge.column_in(&whole, column) else { return };
        let other = if !of_unit && is_cost_of_one(knowledge, id) {
            quantity_beside(knowledge, id)
        } else {
            price_beside(knowledge, id).filter(|_| of_value)
        };
        if let Some(other) = other {
            let other =
                Expr::Column(ColumnRef::new(column.table.clone(), knowledge.column(other).name.clone()));
            let own = argument.as_ref().clone();
            **argument = Expr::arithmetic(Arithmetic::Multiply, own, other);
        }
    });
}

/// True where a plan or a query in it adds something up.
fn adds_up(plan: &QueryPlan) -> bool {
    let is_sum = |expr: &Expr| matches!(expr, Expr::Aggregate { function: Aggregate::Sum, .. });
    let has_sum = |expr: &Expr| {
        let mut found = false;
        expr.for_each(&mut |part| found |= is_sum(part));
        found
    };
    let own = plan.selects().flat_map(Select::exprs).chain(plan.order_by.iter().map(|order| &order.expr));
    own.into_iter().any(has_sum) || plan.queries().into_iter().any(adds_up)
}

/// True where a plan compares what one piece costs, or some other number that nobody named, where rows are asked for whose worth their
/// lines tell: *orders over 500* come to more than that.
pub(super) fn compares_pieces(plan: &QueryPlan, asked: &Question, knowledge: &Knowledge) -> bool {
    if plan.select.filter.is_none() {
        return false;
    }
    let says =
        |word: &String| asked.tokens.iter().any(|token| token.stem == *word || token.root == root(word));
    let told_by_lines = |(table, entry): (TableId, &TableEntry)| {
        let named = entry.forms.iter().any(|form| matches!(form.as_slice(), [only] if says(only)));
        named && amounts_of(knowledge, table).is_some_and(|lines| lines != table)
    };
    let wholes: Vec<TableId> =
        knowledge.tables().filter(|table| told_by_lines(*table)).map(|(table, _)| table).collect();
    let [whole] = wholes.as_slice() else { return false };
    let is_unsaid = |column: &ColumnRef| {
        knowledge.column_in(plan, column).is_some_and(|id| {
            let entry = knowledge.column(id);
            let of_lines = knowledge.table(entry.table).forms.first().and_then(|form| form.last());
            let is_money = matches!(entry.kind, ColumnKind::Money(_))
                || named(knowledge, id, &["price", "cost", "amount", "salary"]);
            entry.table != *whole
                && is_money
                && !entry.forms.iter().flatten().any(says)
                && !of_lines.is_some_and(says)
        })
    };
    let by_size = |operator: &Comparison| !matches!(operator, Comparison::Equal | Comparison::NotEqual);
    let compares = |part: &Condition| match part {
        Condition::Compare { left: Expr::Column(column), operator, right: Expr::Literal(_) } => {
            by_size(operator) && is_unsaid(column)
        }
        Condition::Between { expr: Expr::Column(column), .. } => is_unsaid(column),
        _ => false,
    };
    plan.select.filter.iter().flat_map(Condition::conjuncts).any(compares)
}

/// True for what one piece costs: `unit_cost`, `unit_price`.
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
