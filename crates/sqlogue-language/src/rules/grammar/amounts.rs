//! What a row is worth, by the names of its columns of money.

use super::columns::{is_number, named, price_and_quantity, price_and_units, sold_for};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::stem::stem;

/// The column that says what a row of a table is worth, where it has one: *invoices* have an amount, *payments* a total.
pub fn amount(knowledge: &Knowledge, table: TableId) -> Option<ColumnId> {
    knowledge.worth(table).map(|(_, id)| id)
}

/// The place from which on [`ranked_amount`] finds names of what may be a part of the worth only.
const FIRST_OF_PARTS: u8 = 15;

/// The same, found among its columns, with the place of its name among those that say so, the plainest first. Ask
/// [`Knowledge::worth`] for it.
pub fn ranked_amount(knowledge: &Knowledge, table: TableId) -> Option<(u8, ColumnId)> {
    const NAMES: [&str; 18] = [
        "amount",
        "amt",
        "total",
        "value",
        "revenue",
        "sum",
        "net",
        "gross",
        "paid",
        "principal",
        "premium",
        "donation",
        "fare",
        "fine",
        "charge",
        "cost",
        "price",
        "fee",
    ];
    // What is declared, insured or allowed was not taken in.
    const NEVER: [&str; 10] = [
        "declared",
        "insured",
        "credit",
        "limit",
        "replacement",
        "minimum",
        "maximum",
        "min",
        "max",
        "target",
    ];
    // The targets of a table of targets are what its rows are worth.
    let sets_targets = knowledge
        .table_words(table)
        .iter()
        .any(|word| matches!(word.as_str(), "target" | "quota" | "goal" | "budget" | "forecast"));
    let never: Vec<String> =
        NEVER.iter().filter(|word| !(sets_targets && **word == "target")).map(|word| stem(word)).collect();
    let is_worth = |id: &ColumnId| {
        let column = knowledge.column(*id);
        let mut words = column.forms.iter().flatten();
        // `is_premium` says which articles are for sale, and not for how much.
        let is_flag = column.kind.is_flag().is_some();
        is_number(knowledge, *id) && !is_flag && !words.any(|word| never.contains(word))
    };
    let columns = || knowledge.table(table).columns.iter().copied().filter(is_worth);
    let called =
        |name: &str| -> Vec<ColumnId> { columns().filter(|id| named(knowledge, *id, &[name])).collect() };
    let own = knowledge.table_words(table);
    let sold = (0..).zip(NAMES).find_map(|(rank, name)| {
        let called = called(name);
        // What was paid for it is more than what was asked, and that more than what we paid.
        let first = |test: &dyn Fn(ColumnId) -> bool| called.iter().copied().find(|id| test(*id));
        let is_sold_for = |id| named(knowledge, id, &["sale", "sold", "selling", "final"]);
        // `amount`, `invoice_amount`: the name says of no part that it is meant.
        let is_plain = |id: ColumnId| {
            let mut words = knowledge.column(id).forms.first().into_iter().flatten();
            words.all(|word| *word == stem(name) || own.contains(word))
        };
        first(&is_sold_for)
            .or_else(|| first(&|id| is_whole(knowledge, id)))
            .or_else(|| first(&is_plain))
            .or_else(|| first(&|id| sold_for(knowledge, id).is_none()))
            .map(|id| (rank, id))
    });
    sold.or_else(|| (0..).zip(NAMES).find_map(|(rank, name)| Some((rank, *called(name).first()?))))
}

/// True for a column that is called a total.
pub fn is_whole(knowledge: &Knowledge, id: ColumnId) -> bool {
    named(knowledge, id, &["total", "grand", "overall"])
}

/// The table whose rows say what the rows of a table are worth: itself, or one of prices and quantities below it.
pub fn amounts_of(knowledge: &Knowledge, table: TableId) -> Option<TableId> {
    let lines =
        || knowledge.joins().below(table).find(|other| price_and_quantity(knowledge, *other).is_some());
    match knowledge.worth(table) {
        // Neither a delivery fee nor what was paid so far is what an order is worth, where its lines say that.
        Some((rank, id)) if rank >= FIRST_OF_PARTS || named(knowledge, id, &["paid"]) => {
            Some(lines().unwrap_or(table))
        }
        Some(_) => Some(table),
        None if price_and_units(knowledge, table).is_some() => Some(table),
        None => lines(),
    }
}
