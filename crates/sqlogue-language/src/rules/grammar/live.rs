//! Which phrases can be anything in this database. A flag where no column says yes or no, a total of what is no number: such phrases
//! explain words and lead nowhere, and in a beam they take the places of those that do.

use super::add::added;
use super::amounts::amounts_of;
use super::bind::can_bind;
use super::chart::{Item, Phrase};
use super::form::{Measure, Query};
use super::merge::part;
use crate::rules::knowledge::{Knowledge, TableId};

/// The phrases of a chart without those that can be bound to nothing.
pub(super) fn live(mut chart: Vec<Vec<Item>>, knowledge: &Knowledge) -> Vec<Vec<Item>> {
    for items in &mut chart {
        items.retain(|item| {
            if counts_what_is_worth_something(item, knowledge) {
                return false;
            }
            let Some(part) = part(&item.phrase) else { return true };
            let alone = added(&Query::default(), &part);
            // What makes sense only beside something else is judged with it.
            alone.is_empty() || alone.iter().any(|(query, ..)| can_bind(query, knowledge))
        });
    }
    chart
}

/// True for *total fines* as a number of fines: what its rows say they are worth is summed.
fn counts_what_is_worth_something(item: &Item, knowledge: &Knowledge) -> bool {
    let Phrase::Measure(Measure::Count(Some(noun))) = &item.phrase else { return false };
    let own = |(table, _): &(TableId, f32)| amounts_of(knowledge, *table) == Some(*table);
    item.rules.first() == Some(&"count_total") && noun.tables.first().is_some_and(own)
}
