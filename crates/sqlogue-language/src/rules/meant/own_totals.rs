//! What an order came to is told by its own total, before the prices of its lines: these may leave out a discount, the postage or the
//! tax.

use crate::rules::grammar::amounts::{is_whole, ranked_amount};
use crate::rules::grammar::columns::price_and_quantity;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::propose::Proposal;
use crate::rules::text::Question;
use sqlogue_sql::plan::{Aggregate, Arithmetic, Expr, QueryPlan, Select};

/// Drops the readings that multiply the prices and quantities of lines, where another adds up the totals of the same rows that the lines
/// belong to.
pub(super) fn of_rows_first(all: &mut Vec<Proposal>, asked: &Question, knowledge: &Knowledge) {
    const OF_LINES: [&str; 7] = ["price", "prices", "quantity", "qty", "gross", "list", "line"];
    let says = |word: &str| OF_LINES.contains(&word);
    if asked.tokens.iter().any(|token| says(&token.lower) || says(&token.stem)) {
        return;
    }
    let by_totals: Vec<(TableId, Select)> = all
        .iter()
        .filter(|one| one.account.left_out.is_empty())
        .filter_map(|one| Some((whole_of(&one.draft.plan, knowledge)?, one.draft.plan.select.clone())))
        .collect();
    all.retain(|one| {
        let plan = &one.draft.plan;
        let Some(lines) = multiplied(plan, knowledge) else { return true };
        let words = knowledge.table_words(lines);
        let is_said = asked.tokens.iter().any(|token| words.contains(&token.stem));
        let above: Vec<TableId> = knowledge.joins().above(lines).collect();
        let same = |(table, select): &(TableId, Select)| {
            above.contains(table)
                && select.filter == plan.select.filter
                && select.group_by == plan.select.group_by
                && select.projection.len() == plan.select.projection.len()
        };
        is_said || !by_totals.iter().any(same)
    });
}

/// The table whose rows' own totals a plan adds up.
fn whole_of(plan: &QueryPlan, knowledge: &Knowledge) -> Option<TableId> {
    let summed = summed(plan)?;
    let Expr::Column(column) = summed else { return None };
    let id: ColumnId = knowledge.column_in(plan, column)?;
    let table = knowledge.column(id).table;
    let (_, own) = ranked_amount(knowledge, table)?;
    (own == id && (is_whole(knowledge, id) || is_plain(knowledge, id))).then_some(table)
}

/// The table of lines whose prices and quantities a plan multiplies.
fn multiplied(plan: &QueryPlan, knowledge: &Knowledge) -> Option<TableId> {
    let Expr::Arithmetic { operator: Arithmetic::Multiply, left, right } = summed(plan)? else { return None };
    let (Expr::Column(one), Expr::Column(other)) = (left.as_ref(), right.as_ref()) else { return None };
    let (price, quantity) = (knowledge.column_in(plan, one)?, knowledge.column_in(plan, other)?);
    let table = knowledge.column(price).table;
    (price_and_quantity(knowledge, table) == Some((price, quantity))).then_some(table)
}

/// What a plan adds up, where that is one thing.
fn summed(plan: &QueryPlan) -> Option<&Expr> {
    let mut sums = plan.select.projection.iter().filter_map(|shown| match &shown.expr {
        Expr::Aggregate { function: Aggregate::Sum, argument, .. } => Some(argument.as_ref()),
        _ => None,
    });
    sums.next().filter(|_| sums.next().is_none())
}

/// True for a column that is called an amount, and of no part: `amount`, or the `order_amount` of orders.
fn is_plain(knowledge: &Knowledge, id: ColumnId) -> bool {
    let entry = knowledge.column(id);
    let own = knowledge.table_words(entry.table);
    let mut words = entry.forms.first().into_iter().flatten().peekable();
    words.peek().is_some()
        && words.all(|word| matches!(word.as_str(), "amount" | "amt") || own.contains(word))
}
