//! Rows that refer to rows of the same table by what was done: *who was recommended by Ann Smith*, *whom did she invite*, *who
//! invited the most others*.

use super::conditions::condition;
use super::takes::{all, most_or_least};
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Attr, By, Having, Key, Measure, Noun, Pred, Take, Unsaid};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::{Comparison, Direction};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "superiors",
        pattern: "$superiors",
        make: |found| {
            let rows = Noun::unsaid(found.words, Unsaid::Superiors);
            all(vec![Part::Subject(rows), Part::Where(Pred::Superior(true))])
        },
    },
    Rule {
        name: "is_superior",
        pattern: "NOUN who|that|which? is|are|were not|also|themselves? a|an|the|anybody_'s|anyone_'s? $superior",
        make: |found| {
            let is_so = Pred::Superior(!found.says(&["not"]));
            all(vec![Part::Noun(found.noun(0)?.as_table()?), Part::Where(is_so)])
        },
    },
    Rule {
        name: "has_no_superior",
        pattern: "who|that|which|do|does? not? report|reports|answer|answers directly? to nobody|no_one|noone|anybody|anyone",
        make: |found| condition(Pred::Known(Noun::unsaid(found.words, Unsaid::Superior), false)),
    },
    Rule {
        name: "has_most_below",
        pattern: "who has|have|had|with the? most|fewest|largest_number_of|greatest_number_of $subordinates",
        make: most_below,
    },
    Rule {
        name: "leads_most",
        pattern: "who manages|manage|supervises|supervise|leads|lead|heads|oversees the? most|fewest NOUN|people|staff",
        make: most_below,
    },
    Rule {
        name: "largest_team",
        pattern: "who|manager|managers|supervisor|boss has|have|with|leads|runs|manages the? largest|biggest|smallest team",
        make: most_below,
    },
    Rule {
        name: "done_by_their_own",
        pattern: "who|that|which? $yes? NOUN by their|its|the_same|his|her own? NOUN",
        make: |found| {
            // *boats skippered by their owner*: both references lead to one row.
            let [Some(one), Some(other)] = [0, 1].map(|at| reference(found, at)) else { return None };
            condition(Pred::Attrs(Attr::Noun(one), Comparison::Equal, Attr::Noun(other)))
        },
    },
    Rule {
        name: "done_by_value",
        pattern: "who|that|which? $yes? NOUN by|to|under VALUE VALUE?",
        make: |found| under(found, Some(reference(found, 0)?)),
    },
    Rule {
        name: "whom_value_did",
        pattern: "did|has|have VALUE VALUE? NOUN",
        make: |found| under(found, Some(reference(found, 0)?)),
    },
    Rule {
        name: "works_under",
        pattern: "who|that|which|directly? $works_under VALUE VALUE?",
        make: |found| match under(found, None)? {
            Phrase::Part(under) => all(vec![Part::Names, under]),
            _ => None,
        },
    },
    Rule {
        name: "did_to_most_others",
        pattern: "who|that|which? has|have|had? NOUN the? most|largest_number_of|greatest_number_of other|new|further? NOUN",
        make: |found| {
            let by = Part::Key(Key::Noun(reference(found, 0)?));
            let others = By::Measure(Measure::Count(Some(found.noun(1)?.as_table()?)));
            let direction = Direction::Descending;
            // Who is ranked are those who did it, and nothing else stands for a row.
            let most = Take { by: others, direction, open: false, each: None, alone: true };
            all(vec![by, Part::Take(most)])
        },
    },
    Rule {
        name: "did_to_so_many_others",
        pattern: "who|that|which? has|have|had? NOUN OP NUM others|other|people|more|new|further NOUN?",
        make: |found| {
            let by = reference(found, 0)?;
            let with = Against::Value(found.number(0)?);
            let many = Having { measure: Measure::Count(None), operator: found.operator()?, with };
            all(vec![
                Part::Where(Pred::Known(by.clone(), true)),
                Part::Key(Key::Noun(by)),
                Part::Having(many),
            ])
        },
    },
    Rule {
        name: "name_of_superior",
        pattern: "and|with|,|plus|next_to_them|next_to_each|next_to_it|beside_them the? name|names of|for their|the|his|its? NOUN",
        make: |found| Some(Phrase::Part(Part::Shown(reference(found, 0)?))),
    },
    Rule {
        name: "people_below_each",
        pattern: "$under_each NOUN",
        make: |found| {
            let above = reference(found, 0)?;
            all(vec![Part::Key(Key::Noun(above)), Part::Measure(Measure::Count(None))])
        },
    },
];

/// Those who have the most below them, or the fewest.
fn most_below(found: &Matched<'_>) -> Option<Phrase> {
    let (by, direction) = (By::Measure(Measure::Count(None)), most_or_least(found));
    let key = Part::Key(Key::Noun(Noun::unsaid(found.words, Unsaid::Superior)));
    all(vec![key, Part::Take(Take { by, direction, open: false, each: None, alone: true }), Part::Limit(1)])
}

/// The superior bears the name, of which the first and the last may stand in two columns.
fn under(found: &Matched<'_>, by: Option<Noun>) -> Option<Phrase> {
    let first = Pred::Under(found.value(0)?, by.clone());
    match found.value(1) {
        None => condition(first),
        Some(last) => all(vec![Part::Where(first), Part::Where(Pred::Under(last, by))]),
    }
}

/// The noun of that number as what may refer to rows of its own table: whether it does is seen when it is bound.
fn reference(found: &Matched<'_>, at: usize) -> Option<Noun> {
    found.noun(at)?.as_column()
}
