//! Kinds side by side: *prepaid compared with postpaid*, *business and private customers separately*, *organic and other products*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Key, Pred};
use crate::rules::grammar::matched::Matched;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "value_against_value",
        pattern: "VALUE NOUN? ,? $versus with|to|the|those_of|that_of? VALUE ones|one?",
        make: both,
    },
    Rule {
        name: "values_apart",
        pattern: "VALUE and|, VALUE NOUN? ,? separately|apart|side_by_side|next_to_each_other|compared|each|each_on_its_own|in_two_columns",
        make: both,
    },
    Rule {
        name: "such_and_others",
        pattern: "WHERE NOUN? and|vs|versus|against|,|compared_with|compared_to|to the|all|of? other|others|the_rest|rest|remaining NOUN?",
        make: flag_is_key,
    },
    Rule {
        name: "side_by_side",
        pattern: ",|in|both? side_by_side|next_to_each_other|both_figures|in_two_columns|as_two_columns|both_numbers",
        make: |_| Some(Phrase::Part(Part::All(Vec::new()))),
    },
    Rule {
        name: "with_and_without",
        pattern: "with and|or|vs|versus without NOUN",
        make: |found| Some(Phrase::Part(Part::Key(Key::Noun(found.noun(0)?.as_column()?)))),
    },
];

/// Two values of one column: a group for each.
fn both(found: &Matched<'_>) -> Option<Phrase> {
    let values = vec![found.value(0)?, found.value(1)?];
    let held = |column| values.iter().all(|named| named.links.iter().any(|link| link.column == column));
    if !values.first()?.links.iter().any(|link| held(link.column)) {
        return None;
    }
    let mut parts = vec![Part::Key(Key::ColumnOf(values.first()?.clone()))];
    parts.push(Part::Where(Pred::Is { values, column: None, negated: false }));
    parts.extend(found.noun(0).map(Part::Noun));
    Some(Phrase::Part(Part::All(parts)))
}

/// *organic and other products*: yes and no are groups.
fn flag_is_key(found: &Matched<'_>) -> Option<Phrase> {
    let mut parts = match found.pred(0)? {
        Pred::Flag(noun, true) => vec![Part::Key(Key::Noun(noun))],
        _ => return None,
    };
    parts.extend(found.noun(0).map(Part::Noun));
    Some(Phrase::Part(Part::All(parts)))
}
