//! Levels: balances, stocks, headcounts. They add up over things, and never over days.
//!
//! Where a table has a row for each thing and day, the last day is meant if none is said: *current balance*, *stock by
//! product*.

use super::bind::Binding;
use super::columns::{is_date, is_number, named};
use super::form::{Attr, By, Key, Measure, Pred, Query, Show};
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::stem::stem;
use sqlogue_sql::plan::{Aggregate, ColumnRef, Condition, Expr, QueryPlan, Select};

/// Words for levels, as stems.
const WORDS: [&str; 8] =
    ["balance", "stock", "inventory", "hand", "headcount", "outstanding", "holding", "backlog"];

/// Words for what there has to be, as stems: `min_stock`, `reorder_level`.
const WANTED: [&str; 12] = [
    "min",
    "minimum",
    "max",
    "maximum",
    "target",
    "reorder",
    "safety",
    "limit",
    "level",
    "threshold",
    "par",
    "ideal",
];

/// How many pieces of something there are, or how many there have to be at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// What is in stock.
    OnHand,
    /// What has to be there: below that, more is ordered.
    Wanted,
}

impl Level {
    /// The column of a table that tells it.
    pub(super) fn of(self, knowledge: &Knowledge, table: TableId) -> Option<ColumnId> {
        let columns =
            || knowledge.table(table).columns.iter().copied().filter(|id| is_number(knowledge, *id));
        let is_wanted = |id: &ColumnId| {
            let least = ["min", "minimum", "reorder", "safety", "threshold", "par"].map(stem);
            knowledge.column(*id).forms.first().into_iter().flatten().any(|word| least.contains(word))
        };
        match self {
            Self::OnHand => {
                let said = columns().find(|id| says_on_hand(knowledge, *id));
                said.or_else(|| columns().find(|id| is_level(knowledge, *id) && !is_wanted(id)))
            }
            Self::Wanted => columns().find(|id| is_wanted(id) && Self::OnHand.of(knowledge, table).is_some()),
        }
    }
}

/// True for a column of how many there are in stock; what there has to be is not what there is.
pub fn says_on_hand(knowledge: &Knowledge, id: ColumnId) -> bool {
    let forms = &knowledge.column(id).forms;
    let wanted = WANTED.map(stem);
    if forms.first().into_iter().flatten().any(|word| wanted.contains(word)) {
        return false;
    }
    let of_stock = || {
        let stored = ["stock", "inventory"].map(stem);
        knowledge.table(knowledge.column(id).table).forms.iter().flatten().any(|word| stored.contains(word))
    };
    if named(knowledge, id, &["quantity", "qty"]) && of_stock() {
        return true;
    }
    forms.iter().any(|form| {
        let says = |word: &str| form.iter().any(|own| own == word);
        says("hand") || says("stock") || says("inventory") || says("oh") && says("quantity")
    })
}

/// A column of what one piece costs and one of how many there are: what they make is what the stock is worth. The price may be that
/// of the things themselves, which the rows refer to.
pub fn price_and_stock(knowledge: &Knowledge, table: TableId) -> Option<(ColumnId, ColumnId)> {
    let columns = |table: TableId| {
        let columns = knowledge.table(table).columns.iter().copied();
        columns.filter(|id| is_number(knowledge, *id))
    };
    let quantity = columns(table).find(|id| says_on_hand(knowledge, *id))?;
    let priced = |table: TableId, word: &str| {
        columns(table).find(|id| named(knowledge, *id, &[word]) && *id != quantity)
    };
    // What it cost, where that is known, and not what it is sold for.
    let price = |table: TableId| ["cost", "price"].iter().find_map(|word| priced(table, word));
    let price = price(table).or_else(|| knowledge.joins().above(table).find_map(price))?;
    Some((price, quantity))
}

/// True for a word that names a level.
pub(super) fn is_word_of_level(word: &str) -> bool {
    WORDS.contains(&stem(word).as_str())
}

/// True for a column of levels: its name says so, or it is the quantity in a table of such.
pub(super) fn is_level(knowledge: &Knowledge, id: ColumnId) -> bool {
    let entry = knowledge.column(id);
    let says = |word: &String| WORDS.contains(&word.as_str());
    let is_quantity = || {
        let quantity = ["quantity", "qty", "unit", "level", "amount"];
        entry.forms.iter().flatten().any(|word| quantity.contains(&word.as_str()))
            && knowledge.table_words(entry.table).iter().any(says)
    };
    is_number(knowledge, id) && (entry.forms.iter().flatten().any(says) || is_quantity())
}

/// The day of a table that has a row for each thing and day and tells a level of it: the day is a part of its key, or the
/// table has nothing but keys, references, numbers and the one day.
fn day_of_levels(knowledge: &Knowledge, table: TableId) -> Option<ColumnId> {
    let entry = knowledge.table(table);
    if !entry.columns.iter().any(|id| is_level(knowledge, *id)) {
        return None;
    }
    let mut days = entry.columns.iter().copied().filter(|id| is_date(knowledge, *id));
    let day = days.next()?;
    let is_bare = || {
        let refers = |id: &ColumnId| knowledge.column(*id).is_foreign;
        let is_part =
            |id: &ColumnId| *id == day || is_number(knowledge, *id) || refers(id) || entry.key == [*id];
        entry.columns.iter().all(is_part) && entry.columns.iter().any(refers)
    };
    let is_in_key = entry.key.len() > 1 && entry.key.contains(&day);
    let is_day = !matches!(knowledge.column(day).kind, ColumnKind::Epoch(_));
    (days.next().is_none() && is_day && (is_in_key || is_bare())).then_some(day)
}

/// A query for levels with the last day where it says none; none where it is as it should be.
pub(super) fn of_last_day(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<Query> {
    let is_current = query.preds.iter().any(|pred| matches!(pred, Pred::Current));
    let column = |attr: &Attr| match attr {
        Attr::Noun(noun) => binding.fillers.get(&noun.words)?.column,
        _ => None,
    };
    let measured = |measure: &Measure| match measure {
        Measure::Of(function, attr) if is_current || *function == Aggregate::Sum => column(attr),
        _ => None,
    };
    let shown = query.show.iter().find_map(|show| match show {
        Show::Noun(noun) => binding.fillers.get(&noun.words)?.column,
        Show::Measure(measure) => measured(measure),
    });
    let ranked = query.take.as_ref().and_then(|take| match &take.by {
        By::Attr(attr) => column(attr),
        By::Measure(measure) => measured(measure),
        By::Shown | By::Date | By::Name => None,
    });
    let level = shown.or(ranked).filter(|id| is_level(knowledge, *id))?;
    let day = day_of_levels(knowledge, knowledge.column(level).table);
    let names_day = |noun: &super::form::Noun| {
        binding.fillers.get(&noun.words).is_some_and(|filler| filler.column.is_some() && filler.column == day)
    };
    let is_timed = query.preds.iter().any(|pred| {
        matches!(pred, Pred::In(..) | Pred::Outside(..) | Pred::On(..) | Pred::LastDay(_) | Pred::Given(..))
    }) || query.keys.iter().any(|key| match key {
        Key::Time(..) => true,
        Key::Noun(noun) => names_day(noun),
        _ => false,
    }) || query.show.iter().any(|show| matches!(show, Show::Noun(noun) if names_day(noun)))
        || query.date.is_some()
        || query.compare.is_some()
        || !query.versus.is_empty();
    if is_timed || day.is_none() && !is_current {
        return None;
    }
    let mut query = query.clone();
    query.preds.retain(|pred| !matches!(pred, Pred::Current));
    query.preds.extend(day.map(|day| Pred::LastDay(Some(day))));
    Some(query)
}

/// True where levels of several days are added up: nothing in a part of the plan is said of the day.
pub fn adds_up_days(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    plan.selects().any(|select| {
        let of = |column: &ColumnRef| column_of(select, column, knowledge);
        select.projection.iter().any(|shown| {
            let Expr::Aggregate { function: Aggregate::Sum, argument, .. } = &shown.expr else {
                return false;
            };
            let Expr::Column(column) = argument.as_ref() else { return false };
            let Some(level) = of(column).filter(|id| is_level(knowledge, *id)) else { return false };
            let Some(day) = day_of_levels(knowledge, knowledge.column(level).table) else { return false };
            let speaks = |expr: &Expr| expr.columns().into_iter().any(|column| of(column) == Some(day));
            let mut bound = select.filter.iter().flat_map(Condition::columns);
            !select.group_by.iter().any(speaks) && !bound.any(|column| of(column) == Some(day))
        })
    })
}

fn column_of(select: &Select, column: &ColumnRef, knowledge: &Knowledge) -> Option<ColumnId> {
    let table = select.tables().find(|table| table.name() == column.table)?;
    knowledge.column_named(knowledge.table_named(&table.table)?, &column.column)
}
