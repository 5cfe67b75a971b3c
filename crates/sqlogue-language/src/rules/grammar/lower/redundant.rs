//! Keys that say nothing more: a column beside the bands of it (*age split: under 30, 30 and over*), the unit of a price (*the
//! most expensive products per kilo*), and the row itself of which a mean is taken (*average seats per booking*).

use crate::rules::event_date;
use crate::rules::grammar::bind::Binding;
use crate::rules::grammar::columns::{is_number, named};
use crate::rules::grammar::form::{Attr, Key, Measure, Noun, Pred, Query, Show};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use sqlogue_sql::plan::Aggregate;

/// Leaves out what groups nothing.
pub(super) fn drop_keys(query: &mut Query, binding: &Binding, knowledge: &Knowledge) {
    let column = |noun: &Noun| binding.fillers.get(&noun.words).and_then(|filler| filler.column);
    let banded: Vec<Attr> = query.keys.iter().filter_map(attr_of_bands).collect();
    let is_banded = |id: ColumnId| {
        banded.iter().any(|attr| match attr {
            Attr::Noun(noun) => column(noun) == Some(id),
            Attr::Age(..) => event_date::is_of_life(knowledge.column(id)) || named(knowledge, id, &["age"]),
            _ => false,
        })
    };
    let is_unit = |id: ColumnId| is_number(knowledge, id) && named(knowledge, id, &["per"]);
    let is_left = |noun: &Noun| !column(noun).is_some_and(|id| is_banded(id) || is_unit(id));
    query.keys.retain(|key| !matches!(key, Key::Noun(noun) if !is_left(noun)));
    if let Some(rows) = mean_of_rows(query, binding) {
        let is_row = |noun: &Noun| {
            binding.fillers.get(&noun.words).is_some_and(|row| row.column.is_none() && row.table == rows)
        };
        query.keys.retain(|key| !matches!(key, Key::Noun(noun) if is_row(noun)));
    }
    if !banded.is_empty() {
        query.show.retain(|show| !matches!(show, Show::Noun(noun) if !is_left(noun)));
    }
}

/// The table of which one number's mean is all that is asked for: *average seats per booking*, where a booking says how many seats
/// it is for. The mean of one row would be the number itself.
fn mean_of_rows(query: &Query, binding: &Binding) -> Option<TableId> {
    let [Show::Measure(Measure::Of(Aggregate::Avg, Attr::Noun(summed)))] = query.show.as_slice() else {
        return None;
    };
    let filler = binding.fillers.get(&summed.words).filter(|filler| filler.column.is_some())?;
    // Where another name is there as well, it is what groups them.
    let is_plain = !query.preds.iter().any(|pred| matches!(pred, Pred::Known(..) | Pred::Attrs(..)));
    (is_plain && query.take.is_none() && query.having.is_empty()).then_some(filler.table)
}

fn attr_of_bands(key: &Key) -> Option<Attr> {
    match key {
        Key::Bands(attr, _) => Some(attr.clone()),
        _ => None,
    }
}
