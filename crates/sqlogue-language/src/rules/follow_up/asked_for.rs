//! Ways to take a follow-up that give something else than what it asks for: a number in the place of things, one more condition where
//! rows are to be added, or everything once more.

use super::impossible::holds_in;
use super::previous::Previous;
use super::reading::Reading;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::ColumnId;
use sqlogue_sql::plan::{Condition, Expr, QueryPlan};

/// What fits a column as well as the best, but for so much, may be meant by the same word.
const AS_WELL: f32 = 0.15;

/// True for a plan that gives something else than what is asked for.
pub(super) fn is_missed(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    counts_things(reading, plan)
        || narrows(reading, previous, plan)
        || sorts_by_another(reading, previous, plan)
        || forgets_somebody(reading, previous, plan)
        || adds_another_ones(reading, previous, plan)
        || shows_all_again(reading, previous, plan)
        || groups_by_numbers(reading, previous, plan)
}

/// *which of them are from Norway?* asks for those, also where their number was asked for before.
fn counts_things(reading: &Reading, plan: &QueryPlan) -> bool {
    const ASKS: &[&str] = &["which of them", "which of these", "which of those", "which ones", "who of them"];
    let says_number = reading.has(&["how many", "number", "count", "many"]);
    let select = &plan.select;
    reading.starts(ASKS)
        && !says_number
        && select.group_by.is_empty()
        && !select.projection.is_empty()
        && select.projection.iter().all(|one| one.expr == Expr::count_all())
}

/// *also include those that are new* asks for more rows, and not for fewer.
fn narrows(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    const WIDENS: &[&str] = &[
        "also include those",
        "also include the ones",
        "include also",
        "include those",
        "also add those",
        "add those",
        "add the ones",
        "as well as those",
        "plus those",
        "and include those",
    ];
    if !reading.starts(WIDENS) {
        return false;
    }
    let now: Vec<&Condition> =
        plan.select.filter.iter().chain(&plan.select.having).flat_map(Condition::conjuncts).collect();
    let mut before = previous.conditions().peekable();
    before.peek().is_some() && now.len() > 1 && before.all(|condition| now.contains(&condition))
}

/// *and in descending order?* keeps what the rows are sorted by.
fn sorts_by_another(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    const DIRECTIONS: &[&str] =
        &["ascending", "descending", "reverse order", "opposite order", "reversed order"];
    let names = reading.chunks.iter().any(|chunk| chunk.is_schema());
    let sorted =
        |plan: &QueryPlan| plan.order_by.iter().map(|order| order.expr.clone()).collect::<Vec<Expr>>();
    let before = sorted(previous.plan);
    reading.has(DIRECTIONS) && !names && !before.is_empty() && sorted(plan) != before
}

/// *what has been bought by him?* is asked of somebody.
fn forgets_somebody(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    const SOMEBODY: &[&str] = &[
        "by him", "by her", "to him", "to her", "for him", "for her", "from him", "from her", "of him",
        "of her",
    ];
    let mut conditions = previous.conditions().peekable();
    reading.has(SOMEBODY)
        && conditions.peek().is_some()
        && plan.set_operations.is_empty()
        && !conditions.any(|condition| holds_in(plan, condition))
}

/// *add their descriptions* asks for those of the rows that are shown, where these have some.
fn adds_another_ones(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let shows_columns = previous.select().projection.iter().all(|one| matches!(one.expr, Expr::Column(_)));
    if !reading.has(&["their", "its", "his", "her"]) || !shows_columns {
        return false;
    }
    let knowledge = previous.knowledge;
    let of = |plan: &QueryPlan| -> Vec<ColumnId> {
        let columns = plan.select.projection.iter().filter_map(|one| match &one.expr {
            Expr::Column(column) => knowledge.column_in(plan, column),
            _ => None,
        });
        columns.collect()
    };
    let (before, now) = (of(previous.plan), of(plan));
    let uses = |id: ColumnId| previous.uses(knowledge.column(id).table).is_some();
    let is_own = |id: ColumnId| uses(id) && !knowledge.column(id).is_foreign;
    // *their checking account balances* says whose.
    let says_whose = |id: ColumnId| {
        let table = knowledge.column(id).table;
        reading
            .chunks
            .iter()
            .any(|chunk| chunk.tables.iter().any(|(known, score)| *known == table && *score > 0.4))
    };
    let mut added = now.iter().filter(|id| !before.contains(id) && !uses(**id) && !says_whose(**id));
    added.any(|id| {
        reading.chunks.iter().filter(|chunk| chunk.end == chunk.start + 1).any(|chunk| {
            let fit = chunk.columns.iter().find(|(known, _)| known == id).map(|(_, score)| *score);
            fit.is_some_and(|fit| {
                let mut own =
                    chunk.columns.iter().filter(|(known, _)| is_own(*known) && !before.contains(known));
                own.any(|(_, score)| *score + AS_WELL >= fit)
            })
        })
    })
}

/// *what college do they attend?* asks for the college, and not for everything once more.
fn shows_all_again(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let shows_all =
        |plan: &QueryPlan| plan.select.projection.iter().any(|one| matches!(one.expr, Expr::All(_)));
    let joins_more = plan.select.joins.len() > previous.select().joins.len();
    let says_all = reading.has(&["everything", "all", "information", "details"]);
    reading.starts(&["what", "and what"])
        && reading.refers()
        && !says_all
        && joins_more
        && shows_all(previous.plan)
        && plan.select.projection == previous.select().projection
}

/// *add the minutes used* to totals of groups asks for their total too, and for no more groups.
fn groups_by_numbers(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let before = &previous.select().group_by;
    let adds_up = previous.select().projection.iter().any(|one| one.expr.is_aggregate());
    let is_measure = |key: &Expr| match key {
        Expr::Column(column) => previous.knowledge.column_in(plan, column).is_some_and(|id| {
            let entry = previous.knowledge.column(id);
            // The price of an item is one number of each item.
            let is_of_group = before.iter().flat_map(Expr::columns).any(|column| {
                let key = previous.knowledge.column_in(plan, column).map(|id| previous.knowledge.column(id));
                key.is_some_and(|key| key.table == entry.table && key.is_key)
            });
            let is_amount = entry.few_values.is_empty() && entry.kind != ColumnKind::Year && !is_of_group;
            entry.numeric && !entry.is_key && !entry.is_foreign && is_amount
        }),
        _ => false,
    };
    !before.is_empty()
        && adds_up
        && reading.also
        && !reading.has(&["by", "per", "each", "every", "group", "grouped", "for each"])
        && plan.select.group_by.len() > before.len()
        && plan.select.group_by.iter().any(|key| !before.contains(key) && is_measure(key))
}
