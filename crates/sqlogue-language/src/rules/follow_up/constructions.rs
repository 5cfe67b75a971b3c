//! The table of constructions: what edits the plan before, by the words alone.

use super::{
    Construction, bound, columns, count, counted, extreme, flipped, group, holds, lifted, opposite, order,
    sets, sort, totals, value, who, whole, window,
};

/// The constructions that edit a plan, by name, those first that are the clearest.
pub(super) const CONSTRUCTIONS: &[(&str, Construction)] = &[
    ("most_of_groups", order::most_of_groups),
    ("most_of_groups", order::first_of_sorted),
    ("other_end", order::other_end),
    ("other_end", extreme::by_another),
    ("other_summary", count::other_summary),
    ("limit", order::limit),
    ("direction", order::direction),
    ("sort", sort::sort),
    ("of_each_shown", group::of_each_shown),
    ("measured", group::measured),
    ("totals", totals::totals),
    ("counted", counted::values),
    ("counted", counted::of_each),
    ("count", count::count),
    ("summary", count::summary),
    ("opposite", opposite::opposite),
    ("sets", sets::of_both),
    ("sets", sets::with_both_values),
    ("flipped", flipped::comparison),
    ("flipped", flipped::value),
    ("flipped", flipped::of_column),
    ("changed", flipped::nested_value),
    ("holds", holds::holds),
    ("whole", whole::rows),
    ("whole", whole::groups),
    ("first", whole::first),
    ("most_common", whole::most_common),
    ("with_this_value", whole::with_this_value),
    ("group", group::group),
    ("distinct", columns::distinct),
    ("lifted", lifted::lifted),
    ("window", window::window),
    ("changed", value::changed),
    ("than_that", bound::than_that),
    ("used_up", bound::used_up),
    ("bound", bound::bound),
    ("when", columns::when),
    ("added", columns::place),
    ("earliest", columns::earliest),
    ("removed", columns::removed),
    ("added", columns::added),
    ("replaced", extreme::row),
    ("replaced", who::who),
    ("replaced", columns::replaced),
    ("beside", columns::kept),
];

/// Those whose words may as well mean something else, so that it speaks for them only what is learnt of them.
pub(super) const UNCLEAR: &[&str] = &["beside"];
