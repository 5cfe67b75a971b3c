//! Parts of a whole as they are spoken of: *of all the bids that come in, how many percent get accepted*, *what share of the time
//! recorded is billable*, *planned stops as a percentage of all of them*.

use super::shares::part_of;
use super::versus::total_of;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Key, Measure, Pred, Whole, Words};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Aggregate;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "share_of_all_on_record",
        pattern: "out_of|of all|every? NOUN $on_record ,? in? what|how_many|which percentage|percent|per_cent|share|part|proportion|fraction|% $turned_out|was_the? from|in|of|for|with|by? WHERE",
        make: |found| Some(Phrase::Measure(part_of(total_of(&found.noun(0)?)?, found.pred(0)?))),
    },
    Rule {
        name: "hundred_on_record",
        pattern: "out_of|of|in a|every|each|one hundred|100 NOUN $on_record? ,? how_many do|does|are|is|get|got|go|come? $turned_out? from|in|of|for|with|by? WHERE",
        make: |found| Some(Phrase::Measure(part_of(total_of(&found.noun(0)?)?, found.pred(0)?))),
    },
    Rule {
        name: "in_percent_how_many",
        pattern: "in percent|%|per_cent|percentage_terms ,? how_many|what_part|what_share of our|all|the? NOUN $turned_out? from|in|of|with|by|at|for|who|that|do|does|did? WHERE",
        make: |found| Some(Phrase::Measure(part_of(total_of(&found.noun(0)?)?, found.pred(0)?))),
    },
    Rule {
        name: "how_many_in_percent",
        pattern: "$how_many of? our|all|the|these? NOUN $turned_out? from|in|of|with|by|at|for|who|that|do|does|did? WHERE ,|-|(? in|as|as_a percent|percentage|%|per_cent|share",
        make: |found| Some(Phrase::Measure(part_of(total_of(&found.noun(0)?)?, found.pred(0)?))),
    },
    Rule {
        name: "how_often_percent",
        pattern: "how_often|how_frequently ,? in percent|%|per_cent ,? do|does|did|are|is|was|were|has|have? a|an|the? NOUN $turned_out? get|got|been|be|from|in|of|with? WHERE",
        make: |found| Some(Phrase::Measure(part_of(total_of(&found.noun(0)?)?, found.pred(0)?))),
    },
    Rule {
        name: "share_of_each_ones",
        pattern: "$share each|every NOUN 's|' NOUN $turned_out? WHERE",
        make: |found| {
            let key = Part::Key(Key::Noun(found.noun(0)?));
            let part = part_of(total_of(&found.noun(1)?)?, found.pred(0)?);
            Some(Phrase::Part(Part::All(vec![key, Part::Measure(part)])))
        },
    },
    Rule {
        name: "such_rows_of_all",
        pattern: "GROUP as|in|: a|the|what? percent|percentage|share|proportion|part|% of all|the_total of_them|of_these|of_those|together? NOUN?",
        make: |found| {
            let group = found.group(0).filter(|group| !group.preds.is_empty())?;
            let rows = Measure::Count(Some(group.of));
            let part = Measure::Where(Box::new(rows), group.preds);
            Some(Phrase::Measure(Measure::Share(Box::new(part), Whole::Rows)))
        },
    },
    Rule {
        name: "share_of_values",
        pattern: "$share all|the? NOUN given|recorded|awarded|on_record|that_were_given? are|is|were|was|lie|fall? OP NUM",
        make: |found| {
            let column = found.noun(0)?.as_column()?;
            let compare = Pred::Compare(Attr::Noun(column.clone()), found.operator()?, found.number(0)?);
            let known = Part::Where(Pred::Known(column, true));
            let part = Part::Measure(part_of(Measure::Count(None), compare));
            Some(Phrase::Part(Part::All(vec![known, part])))
        },
    },
    Rule {
        name: "share_of_time",
        pattern: "$share|%|percent our|the|all? working? time|hours|minutes $participle|spent|we_put_in|put_in|logged|worked? WHERE? $turned_out? WHERE",
        make: share_of_time,
    },
    Rule {
        name: "share_of_such_time",
        pattern: "%|percent|percentage_of|share_of|percent_of|proportion_of WHERE time|hours|minutes",
        make: share_of_time,
    },
    Rule {
        name: "share_of_ones_time",
        pattern: "$share each|every? NOUN 's|' working? time|hours $turned_out? WHERE",
        make: |found| {
            let key = Part::Key(Key::Noun(found.noun(0)?));
            let Some(Phrase::Part(share)) = share_of_time(found) else { return None };
            Some(Phrase::Part(Part::All(vec![key, share])))
        },
    },
];

/// How much of the time that was recorded a condition holds for: the last one; those before it say of which time.
fn share_of_time(found: &Matched<'_>) -> Option<Phrase> {
    let is_time = |at: &usize| matches!(found.lattice.question.word(*at), "time" | "hours" | "minutes");
    let said = (found.words.start..found.words.end).find(is_time)?;
    let time = Attr::Lasting(Words::new(said, said + 1), None, None);
    let (when, which) = match found.pred(1) {
        Some(which) => (found.pred(0), which),
        None => (None, found.pred(0)?),
    };
    let mut parts: Vec<Part> = when.map(Part::Where).into_iter().collect();
    parts.push(Part::Measure(part_of(Measure::Of(Aggregate::Sum, time), which)));
    Some(Phrase::Part(Part::All(parts)))
}
