//! Between which dates something waits: from when it began until it was done, from the booking until it takes place.

use super::columns::{due_date, end_date, is_date, named, start_and_end};
use super::lower::who::{has_people, is_called};
use crate::rules::event_date;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::lexicon::Lexicon;
use crate::rules::stem::root;

/// What is waited for.
#[derive(Debug, Clone, PartialEq)]
pub enum Waiting {
    /// What a verb says is done: *how long until it is fixed*.
    Until(String),
    /// It goes on: from its beginning until today: *how long have they been waiting*.
    Still,
    /// People belong to it: from when they came until they left, or until today.
    Belonging,
    /// It is late: from the day it was due until today.
    Overdue,
    /// It was done, counted from the day it was due: *how many days late on average*.
    Late,
    /// What was booked takes place: *how many days ahead do people book*.
    Ahead,
}

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
    ["booking", "booked", "made", "reserved", "created", "ordered", "order", "placed", "purchase"];
const HELD: [&str; 18] = [
    "start",
    "begin",
    "departure",
    "depart",
    "visit",
    "travel",
    "pickup",
    "arrival",
    "arrive",
    "event",
    "show",
    "held",
    "perform",
    "schedule",
    "appointment",
    "for",
    "check in",
    "take place",
];

/// The two dates, of which one may be that of a row that is referred to; none where a table does not tell them.
pub(super) fn waits(knowledge: &Knowledge, table: TableId, how: &Waiting) -> Option<(ColumnId, ColumnId)> {
    match how {
        Waiting::Until(verb) => {
            let end = done(knowledge, table, verb)?;
            let first = knowledge.dates(table).first().copied()?;
            match first != end {
                true => Some((first, end)),
                false => Some((above(knowledge, table).into_iter().next()?, end)),
            }
        }
        // Until today, which no column holds.
        Waiting::Still => {
            let begun = knowledge.dates(table).first().copied()?;
            Some((begun, begun))
        }
        Waiting::Belonging => {
            let is_person = has_people(knowledge, table)
                || ["buyers", "sellers"].iter().any(|list| is_called(knowledge, table, list));
            let dates = knowledge.dates(table);
            let came = dates
                .iter()
                .copied()
                .find(|id| !named(knowledge, *id, &["birth", "born"]))
                .filter(|_| is_person)?;
            Some(start_and_end(knowledge, table).unwrap_or((came, came)))
        }
        Waiting::Overdue => due_date(knowledge, table).map(|due| (due, due)),
        Waiting::Late => {
            let due = due_date(knowledge, table)?;
            let end = end_date(knowledge, table, None)?;
            (end != due).then_some((due, end))
        }
        Waiting::Ahead => {
            let bears = |words: &'static [&str]| {
                move |id: &ColumnId| {
                    let own = knowledge.column(*id).forms.iter().flatten();
                    own.into_iter().any(|own| words.iter().any(|word| root(word) == root(own)))
                }
            };
            let own = knowledge.dates(table);
            let held = own.iter().copied().find(bears(&HELD));
            let booked = own.iter().copied().find(|id| Some(*id) != held && bears(&BOOKED)(id))?;
            let above = || above(knowledge, table).into_iter().find(bears(&HELD));
            Some((booked, held.or_else(above)?))
        }
    }
}

/// True for a date whose name says when something takes place: what is planned has one, too.
pub(super) fn may_lie_ahead(knowledge: &Knowledge, id: ColumnId) -> bool {
    let own = knowledge.column(id).forms.iter().flatten();
    own.into_iter().any(|own| HELD.iter().any(|word| root(word) == root(own)))
}

/// Other verbs for how something came to its end, and then others for what was done.
pub(super) fn said_alike(verb: &str) -> Vec<&'static str> {
    let ends = ALIKE.iter().filter(|verbs| verbs.contains(&verb)).flat_map(|verbs| verbs.iter().copied());
    ends.chain(Lexicon::embedded().deeds(verb)).collect()
}

/// The date whose name bears the verb, or one that says the same.
fn done(knowledge: &Knowledge, table: TableId, verb: &str) -> Option<ColumnId> {
    let roots: Vec<String> = std::iter::once(verb).chain(said_alike(verb)).map(root).collect();
    let columns = &knowledge.table(table).columns;
    let dates = || columns.iter().copied().filter(|id| is_date(knowledge, *id));
    roots.iter().find_map(|wanted| {
        dates().find(|id| knowledge.column(*id).forms.iter().flatten().any(|own| root(own) == *wanted))
    })
}

/// The first dates of the tables that a table refers to, but no birthdays.
fn above(knowledge: &Knowledge, table: TableId) -> Vec<ColumnId> {
    let dates = |other: TableId| knowledge.dates(other).iter().copied();
    // Things come before people: how long a house was on the market is told by the house.
    let mut tables: Vec<TableId> = knowledge.joins().above(table).collect();
    tables.sort_by_key(|other| {
        is_called(knowledge, *other, "buyers") || is_called(knowledge, *other, "sellers")
    });
    let above = tables.into_iter().flat_map(dates);
    above.filter(|id| !event_date::is_of_life(knowledge.column(*id))).collect()
}
