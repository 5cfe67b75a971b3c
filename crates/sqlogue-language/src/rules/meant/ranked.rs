//! What is ranked: groups that are known, by a number. *The top 3 cities* are not the last ones of the alphabet, and *the coupon that
//! is used most* is not the missing one.

use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::link::{Link, Target};
use crate::rules::propose::Proposal;
use crate::rules::stem::root;
use crate::rules::text::{Question, Token};
use sqlogue_sql::plan::{
    Aggregate, ColumnRef, Condition, Direction, Expr, Projection, QueryPlan, Select, WindowFunction,
};

/// True where a plan takes the first rows by how a text is spelt, or by yes and no, though the question asks for the top or the most.
pub(super) fn ranks_by_spelling(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let says = |words: &[&str]| question.tokens.iter().any(|token| words.contains(&token.lower.as_str()));
    let ranks = says(&[
        "top", "bottom", "most", "least", "biggest", "largest", "leading", "main", "highest", "lowest",
    ]);
    let spells = says(&["alphabetically", "alphabetical", "name", "names", "a-z"]);
    let is_text = |id: ColumnId| {
        let entry = knowledge.column(id);
        entry.kind.is_flag().is_some()
            || entry.words && matches!(entry.kind, ColumnKind::Code | ColumnKind::Name | ColumnKind::Text)
    };
    // *top complaint reasons* is no last word of the alphabet.
    let last_of_alphabet = |shown: &Projection| match &shown.expr {
        Expr::Aggregate { function: Aggregate::Max | Aggregate::Min, argument, .. } => {
            match argument.as_ref() {
                Expr::Column(column) => known(plan, column, knowledge).is_some_and(is_text),
                _ => false,
            }
        }
        _ => false,
    };
    if ranks && !spells && plan.select.projection.iter().any(last_of_alphabet) {
        return true;
    }
    let Some(Expr::Column(column)) = plan.order_by.first().map(|order| &order.expr) else { return false };
    // *the most departures* are many of them, and not the last one; nor is the track *played most* the one that was played last.
    let most = |token: &str| matches!(token, "most" | "least" | "fewest");
    let counts = |id: ColumnId| {
        let entry = knowledge.column(id);
        entry.kind.is_temporal()
            && question.tokens.windows(2).any(|pair| match pair {
                [first, what] => {
                    most(&first.lower)
                        && (what.lower.ends_with('s') || what.lower.ends_with("ed"))
                        && entry.forms.iter().flatten().any(|word| root(word) == what.root)
                }
                _ => false,
            })
    };
    let ranked = known(plan, column, knowledge).filter(|_| plan.limit.is_some());
    ranked.is_some_and(|id| ranks && !spells && is_text(id) || counts(id))
}

/// True where a number of rows, or their total, stands beside the date of the first of them, and only one thing is asked for: *how many
/// first orders* are not all of them and a date.
pub(super) fn tells_date_for_first(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let says = |words: &[&str]| question.tokens.iter().any(|token| words.contains(&token.lower.as_str()));
    let shown = plan.select.projection.iter().map(|shown| &shown.expr);
    let is_number =
        |expr: &Expr| matches!(expr, Expr::Aggregate { function: Aggregate::Count | Aggregate::Sum, .. });
    let is_date = |expr: &Expr| match expr {
        Expr::Aggregate { function: Aggregate::Min | Aggregate::Max, argument, .. } => {
            match argument.as_ref() {
                Expr::Column(column) => {
                    known(plan, column, knowledge).is_some_and(|id| knowledge.column(id).kind.is_temporal())
                }
                _ => false,
            }
        }
        _ => false,
    };
    plan.select.group_by.is_empty()
        && shown.clone().any(is_number)
        && shown.clone().any(is_date)
        && says(&["first", "last"])
        && !says(&["and", ",", "when", "date", "day", "plus", "with"])
}

/// True where as many rows are taken as a part in percent is said to have: *the first 10 percent* are no ten.
pub(super) fn takes_percent_for_number(plan: &QueryPlan, question: &Question) -> bool {
    let is_sign = |word: &str| matches!(word, "%" | "percent" | "pct");
    let said = |number: &Token| number.lower.parse::<u64>().ok();
    let percents = question.tokens.windows(2).filter_map(|pair| match pair {
        [number, sign] if is_sign(&sign.lower) => said(number),
        _ => None,
    });
    let is_limit = |number: u64| plan.limit == Some(number);
    let is_plain =
        |at: usize, token: &Token| said(token).is_some_and(is_limit) && !is_sign(question.word(at + 1));
    let tokens = question.tokens.iter().enumerate();
    percents.into_iter().any(is_limit) && !tokens.into_iter().any(|(at, token)| is_plain(at, token))
}

/// True where a plan adds up or averages what one row is chosen by: who teaches *the longest course* is not who teaches most hours.
pub(super) fn adds_up_single_rows(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    const OF_ONE: [&str; 8] =
        ["longest", "shortest", "largest", "biggest", "smallest", "cheapest", "priciest", "dearest"];
    let by = plan.order_by.first().map(|order| &order.expr).filter(|_| plan.limit == Some(1));
    let Some(Expr::Aggregate { function: Aggregate::Sum | Aggregate::Avg, argument, .. }) = by else {
        return false;
    };
    let Expr::Column(column) = argument.as_ref() else { return false };
    let Some(table) = known(plan, column, knowledge).map(|id| knowledge.column(id).table) else {
        return false;
    };
    let groups_rows = plan.select.group_by.iter().any(|key| {
        let Expr::Column(key) = key else { return false };
        known(plan, key, knowledge).is_some_and(|id| knowledge.column(id).table == table)
    });
    let names = |word: &str| knowledge.table(table).forms.iter().flatten().any(|own| root(own) == word);
    // *the largest invoice total* adds up.
    let adds = |word: &str| matches!(word, "total" | "sum" | "amount" | "value" | "volume");
    let is_one = |(at, size): (usize, &Token)| {
        let rows = question.tokens.get(at + 1);
        OF_ONE.contains(&size.lower.as_str())
            && rows.is_some_and(|rows| rows.stem == rows.lower && names(&rows.root))
            && !adds(question.word(at + 2))
    };
    !groups_rows && question.tokens.iter().enumerate().any(is_one)
}

/// True where a plan shows the highest of numbers for the latest: *the most recent price of each product* is no highest price.
pub(super) fn takes_highest_for_latest(
    plan: &QueryPlan,
    question: &Question,
    links: &[Link],
    knowledge: &Knowledge,
) -> bool {
    let word = |back: usize, at: usize| at.checked_sub(back).map_or("", |at| question.word(at));
    let is_latest = |at: usize| {
        matches!(word(1, at), "latest" | "last" | "newest" | "current")
            || matches!((word(2, at), word(1, at)), ("most", "recent"))
    };
    let said: Vec<ColumnId> = links
        .iter()
        .filter(|link| is_latest(link.start))
        .filter_map(|link| match link.target {
            Target::Column(id) => Some(id),
            _ => None,
        })
        .collect();
    let is_highest = |expr: &Expr| match expr {
        Expr::Aggregate { function: Aggregate::Max | Aggregate::Min, argument, .. } => {
            match argument.as_ref() {
                Expr::Column(column) => known(plan, column, knowledge)
                    .is_some_and(|id| said.contains(&id) && !knowledge.column(id).kind.is_temporal()),
                _ => false,
            }
        }
        _ => false,
    };
    !said.is_empty() && plan.select.projection.iter().any(|shown| is_highest(&shown.expr))
}

/// True where a plan ranks things by what others beside them cost, though they have a price of their own: *the dearest property* is not
/// the one with the dearest repairs.
pub(super) fn ranks_by_price_of_others(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    const DEAR: [&str; 5] = ["dearest", "cheapest", "priciest", "costliest", "expensive"];
    if plan.with.is_empty() {
        return false;
    }
    let names = |token: &Token, table: TableId| {
        knowledge
            .table(table)
            .forms
            .iter()
            .any(|form| matches!(form.as_slice(), [only] if root(only) == token.root))
    };
    let mut pairs = question.tokens.windows(2);
    let said = pairs.find_map(|pair| match pair {
        [size, rows] if DEAR.contains(&size.lower.as_str()) => {
            knowledge.tables().map(|(table, _)| table).find(|table| names(rows, *table))
        }
        _ => None,
    });
    let is_money = |id: &ColumnId| matches!(knowledge.column(*id).kind, ColumnKind::Money(_));
    let is_priced = |table: &TableId| knowledge.table(*table).columns.iter().any(is_money);
    let Some(table) = said.filter(is_priced) else { return false };
    let of_others = |expr: &Expr| {
        let mut columns = expr.columns().into_iter().filter_map(|column| {
            let named = knowledge.table_named(&column.table)?;
            knowledge.column_named(named, &column.column)
        });
        columns.next().is_some_and(|first| knowledge.column(first).table != table)
    };
    let named = plan.with.iter().flat_map(|named| named.query.selects());
    let mut windows = named.flat_map(Select::exprs).filter_map(|expr| match expr {
        Expr::Window(window) => window.order_by.first(),
        _ => None,
    });
    windows.any(|order| order.expr.is_aggregate() && of_others(&order.expr))
}

/// Drops the readings that take the first few of all groups together, where the first few *in each* are asked for and another reading
/// takes them there.
pub(super) fn places_in_each_first(all: &mut Vec<Proposal>, question: &Question) {
    let within = |word: &str| matches!(word, "in" | "of" | "for" | "within" | "from");
    let each = |word: &str| matches!(word, "each" | "every");
    let ranks = |word: &str| {
        matches!(
            word,
            "top" | "best" | "bottom" | "worst" | "largest" | "biggest" | "highest" | "lowest" | "smallest"
        )
    };
    let Some(at) = question.tokens.iter().position(|token| ranks(&token.lower)) else { return };
    let rest = question.tokens.get(at..).unwrap_or_default();
    let of_each = rest
        .windows(2)
        .position(|pair| matches!(pair, [one, other] if within(&one.lower) && each(&other.lower)));
    let unit = |word: &str| matches!(word, "day" | "week" | "month" | "quarter" | "year");
    let of_time = of_each.and_then(|at| rest.get(at + 2)).is_some_and(|token| unit(&token.lower));
    let is_placed = |one: &Proposal| {
        let named = one.draft.plan.with.iter();
        let mut exprs = named.flat_map(|named| named.query.selects().flat_map(Select::exprs));
        one.account.left_out.is_empty() && exprs.any(Expr::is_windowed)
    };
    let is_of_all = |one: &Proposal| {
        let plan = &one.draft.plan;
        let is_time = |key: &Expr| !matches!(key, Expr::Column(_));
        // *the best customer of each month* is no month.
        let several =
            plan.select.group_by.len() > 1 || of_time && plan.select.group_by.first().is_some_and(is_time);
        let is_cut = plan.limit.is_some() && plan.with.is_empty();
        is_cut && (several && of_each.is_some() || plan.offset.is_some())
    };
    let says_per = rest.iter().any(|token| token.lower == "per");
    if (of_each.is_some() || says_per) && all.iter().any(is_placed) {
        all.retain(|one| !is_of_all(one));
    }
}

/// Leaves out the group of what is missing where the first groups are taken by a summary.
pub(super) fn known_groups_only(plan: &mut QueryPlan, knowledge: &Knowledge) {
    // Rows that refer to nobody are nobody's when the mean of all is asked for.
    let is_mean =
        plan.select.group_by.is_empty() && plan.select.projection.iter().all(|one| one.expr.is_aggregate());
    for named in plan.with.iter_mut().filter(|_| is_mean) {
        let [Expr::Column(column)] = named.query.select.group_by.as_slice() else { continue };
        let column = column.clone();
        let refers =
            known(&named.query, &column, knowledge).is_some_and(|id| knowledge.column(id).is_foreign);
        if refers {
            only_known(&mut named.query, &column, knowledge);
        }
    }
    let by_summary = plan.order_by.first().is_some_and(|order| order.expr.is_aggregate());
    let [Expr::Column(column)] = plan.select.group_by.as_slice() else { return };
    if !by_summary || plan.limit.is_none() || !plan.set_operations.is_empty() {
        return;
    }
    let column = column.clone();
    only_known(plan, &column, knowledge);
}

/// Leaves out the rows in which a column is empty, where it may be and nothing is said of it.
fn only_known(plan: &mut QueryPlan, column: &ColumnRef, knowledge: &Knowledge) {
    let may_miss = known(plan, column, knowledge).is_some_and(|id| knowledge.column(id).nullable);
    let bounded = plan.select.filter.iter().any(|filter| filter.columns().contains(&column));
    if may_miss && !bounded {
        let present = Condition::IsNull { expr: Expr::Column(column.clone()), negated: true };
        plan.select.filter = Some(also(plan.select.filter.take(), present));
    }
}

/// Leaves out the rows of which nothing is known where the first rows are taken, of all or of each group, by a column that may be
/// empty: the *oldest* are not those without a date of birth.
pub(super) fn known_rows_only(plan: &mut QueryPlan, knowledge: &Knowledge) {
    for named in &mut plan.with {
        known_rows_only(&mut named.query, knowledge);
    }
    let gives_place = |function: WindowFunction| {
        matches!(function, WindowFunction::RowNumber | WindowFunction::Rank | WindowFunction::DenseRank)
    };
    let place = |shown: &Projection| match &shown.expr {
        Expr::Window(window) if gives_place(window.function) => window.order_by.first().cloned(),
        _ => None,
    };
    let whole = plan.order_by.first().filter(|_| plan.limit.is_some()).cloned();
    let order = whole.or_else(|| plan.select.projection.iter().find_map(place));
    let Some(order) = order.filter(|order| order.direction == Direction::Ascending) else { return };
    let Expr::Column(column) = &order.expr else { return };
    let is_list = plan.select.group_by.is_empty() && plan.set_operations.is_empty();
    if is_list {
        let column = column.clone();
        only_known(plan, &column, knowledge);
    }
}

/// Drops the readings that take single rows where the most of something is asked for that things have in several rows, and another
/// reading adds it up: the vehicles *with the most maintenance cost* are not those of the dearest jobs.
pub(super) fn totals_first(all: &mut Vec<Proposal>, question: &Question, knowledge: &Knowledge) {
    let words = |id: ColumnId| knowledge.column(id).forms.iter().flatten().map(|word| root(word));
    let most_of = |id: ColumnId| {
        let at = question.tokens.iter().position(|token| matches!(token.lower.as_str(), "most" | "least"));
        let Some(at) = at else { return false };
        let after = question.tokens.iter().skip(at + 1).take(3);
        let names: Vec<String> = words(id).collect();
        after.into_iter().any(|token| names.contains(&token.root))
    };
    let of_several = |proposal: &Proposal| {
        let plan = &proposal.draft.plan;
        let Some(Expr::Column(by)) = plan.order_by.first().map(|order| &order.expr) else { return None };
        let others = plan.select.projection.iter().flat_map(|shown| shown.expr.columns());
        let of_others = others.into_iter().all(|column| column.table != by.table);
        let is_list = plan.select.group_by.is_empty() && plan.limit.is_some() && of_others;
        known(plan, by, knowledge).filter(|id| is_list && most_of(*id))
    };
    let adds_up = |proposal: &Proposal, id: ColumnId| {
        let plan = &proposal.draft.plan;
        let by = plan.order_by.first().map(|order| &order.expr);
        let Some(Expr::Aggregate { function: Aggregate::Sum, argument, .. }) = by else { return false };
        let Expr::Column(column) = argument.as_ref() else { return false };
        proposal.account.left_out.is_empty() && known(plan, column, knowledge) == Some(id)
    };
    let single: Vec<bool> = all
        .iter()
        .map(|one| of_several(one).is_some_and(|id| all.iter().any(|other| adds_up(other, id))))
        .collect();
    let mut keep = single.iter().map(|single| !single);
    all.retain(|_| keep.next().unwrap_or(true));
}

fn also(filter: Option<Condition>, condition: Condition) -> Condition {
    match filter {
        Some(filter) => filter.and(condition),
        None => condition,
    }
}

fn known(plan: &QueryPlan, column: &ColumnRef, knowledge: &Knowledge) -> Option<ColumnId> {
    let table = plan.select.tables().find(|table| table.name() == column.table)?;
    knowledge.column_named(knowledge.table_named(&table.table)?, &column.column)
}
/// True for the one who did something most, where it is asked what is done most: *what did each customer order most?*
pub(super) fn ranks_doers(plan: &QueryPlan, asked: &Question, knowledge: &Knowledge) -> bool {
    let asks = asked.word(0) == "what"
        && matches!(asked.word(1), "do" | "does" | "did" | "have" | "has" | "had")
        && asked.tokens.iter().any(|token| token.lower == "most");
    let is_doer = |column: &ColumnRef| {
        knowledge.column_in(plan, column).is_some_and(|id| {
            let forms = &knowledge.table(knowledge.column(id).table).forms;
            let says = |word: &String| asked.tokens.iter().skip(2).take(3).any(|token| token.stem == *word);
            forms.iter().any(|form| form.iter().all(says))
        })
    };
    let keys = || plan.select.group_by.iter().flat_map(Expr::columns);
    asks && plan.limit == Some(1) && keys().next().is_some() && keys().all(is_doer)
}
