//! Which phrases can be anything in this database. A flag where no column says yes or no, a total of what is no number: such phrases
//! explain words and lead nowhere, and in a beam they take the places of those that do.

use super::add::added;
use super::bind::can_bind;
use super::chart::Item;
use super::form::Query;
use super::merge::part;
use crate::rules::knowledge::Knowledge;

/// The phrases of a chart without those that can be bound to nothing.
pub(super) fn live(mut chart: Vec<Vec<Item>>, knowledge: &Knowledge) -> Vec<Vec<Item>> {
    for items in &mut chart {
        items.retain(|item| {
            let Some(part) = part(&item.phrase) else { return true };
            let alone = added(&Query::default(), &part);
            // What makes sense only beside something else is judged with it.
            alone.is_empty() || alone.iter().any(|(query, ..)| can_bind(query, knowledge))
        });
    }
    chart
}
