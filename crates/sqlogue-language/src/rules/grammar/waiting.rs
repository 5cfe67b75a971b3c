//! Between which dates something waits: from when it began until it was done, from the booking until it takes place.

use super::columns::{is_date, named};
use super::form::Waiting;
use crate::rules::event_date;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::stem::{root, stem};

/// Verbs that say alike how something came to its end.
const ALIKE: [&[&str]; 7] = [
    &["finish", "finished", "complete", "completed", "completion", "end", "ended", "done"],
    &["return", "returned", "brought", "back"],
    &["close", "closed", "resolve", "resolved", "settle", "settled", "solve", "solved", "answered"],
    &["deliver", "delivered", "delivery", "receive", "received", "arrive", "arrived"],
    &["repair", "repaired", "fix", "fixed", "mend", "mended"],
    &["pay", "paid", "payment", "settle", "settled"],
    &["ship", "shipped", "send", "sent", "dispatch", "dispatched"],
];

/// What the dates are called at which something was booked, and at which it takes place.
const BOOKED: [&str; 9] =
    ["book", "booked", "made", "reserved", "created", "ordered", "order", "placed", "purchase"];
const HELD: [&str; 18] = [
    "start", "begin", "departure", "depart", "visit", "travel", "pickup", "arrival", "arrive", "event", "show",
    "held", "perform", "schedule", "appointment", "for", "check in", "take place",
];

/// The two dates, of which one may be that of a row that is referred to; none where a table does not tell them.
pub(super) fn waits(
    knowledge: &Knowledge,
    table: TableId,
    how: &Waiting,
) -> Option<(ColumnId, ColumnId)> {
    match how {
        Waiting::Until(verb) => {
            let end = done(knowledge, table, verb)?;
            let first = event_date::in_order(knowledge, table).into_iter().next()?;
            match first != end {
                true => Some((first, end)),
                false => Some((above(knowledge, table).into_iter().next()?, end)),
            }
        }
        Waiting::Ahead => {
            let bears = |words: &'static [&str]| {
                move |id: &ColumnId| {
                    let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
                    let stems: Vec<&str> = stems.iter().map(String::as_str).collect();
                    named(knowledge, *id, &stems)
                }
            };
            let own: Vec<ColumnId> = event_date::in_order(knowledge, table);
            let held = own.iter().copied().find(bears(&HELD));
            let booked = own.iter().copied().find(|id| Some(*id) != held && bears(&BOOKED)(id))?;
            let above = || above(knowledge, table).into_iter().find(bears(&HELD));
            Some((booked, held.or_else(above)?))
        }
    }
}

/// The date whose name bears the verb, or one that says the same.
fn done(knowledge: &Knowledge, table: TableId, verb: &str) -> Option<ColumnId> {
    let alike = ALIKE.iter().filter(|verbs| verbs.contains(&verb)).flat_map(|verbs| verbs.iter().copied());
    let roots: Vec<String> = std::iter::once(verb).chain(alike).map(root).collect();
    let columns = &knowledge.table(table).columns;
    let dates = || columns.iter().copied().filter(|id| is_date(knowledge, *id));
    roots.iter().find_map(|wanted| {
        dates().find(|id| knowledge.column(*id).forms.iter().flatten().any(|own| root(own) == *wanted))
    })
}

/// The first dates of the tables that a table refers to, but no birthdays.
fn above(knowledge: &Knowledge, table: TableId) -> Vec<ColumnId> {
    let joins = knowledge.joins();
    let up = |other: &TableId| joins.between(table, *other).iter().any(|edge| edge.from == table);
    let dates = |other: TableId| event_date::in_order(knowledge, other);
    let above = joins.neighbours(table).into_iter().filter(up).flat_map(dates);
    above.filter(|id| !event_date::is_of_life(knowledge.column(*id))).collect()
}
