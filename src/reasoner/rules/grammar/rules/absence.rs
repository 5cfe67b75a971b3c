//! Related rows that exist or do not: *members without a loan this year*, *who never borrowed*, *with at least two orders*.

use crate::plan::Comparison;
use crate::reasoner::rules::grammar::chart::{Matched, Part, Phrase, Rule};
use crate::reasoner::rules::grammar::form::{Group, Having, Measure, Pred};
use crate::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "rows",
        pattern: "NOUN from|in|of|for|with|that_are|who_are|which_are|that_were|who_were|whose|having|are|were? WHERE? and? WHERE?",
        make: |found| {
            let preds = [0, 1].into_iter().filter_map(|at| found.pred(at)).collect();
            Some(Phrase::Group(Group { of: found.noun(0)?.as_table()?, preds }))
        },
    },
    Rule {
        name: "rows_before",
        pattern: "WHERE NOUN WHERE?",
        make: |found| {
            let preds = [0, 1].into_iter().filter_map(|at| found.pred(at)).collect();
            Some(Phrase::Group(Group { of: found.noun(0)?.as_table()?, preds }))
        },
    },
    Rule { name: "never", pattern: "$never $light_verb? $any? GROUP", make: |found| related(found, false) },
    Rule { name: "without", pattern: "$without $any? GROUP", make: |found| related(found, false) },
    Rule { name: "with", pattern: "$with $any? GROUP", make: |found| related(found, true) },
    Rule {
        name: "did",
        pattern: "who|that|which|have|has|had? $light_verb? $any? GROUP",
        make: |found| {
            let group = found.group()?;
            let said = !group.preds.is_empty();
            said.then_some(Phrase::Part(Part::Where(Pred::Related(group, true))))
        },
    },
    Rule {
        name: "repeat",
        pattern: "repeat|returning|recurring NOUN",
        make: |found| {
            let subject = Part::Subject(found.noun(0)?.as_table()?);
            let more = Having {
                measure: Measure::Count(None),
                operator: Comparison::GreaterOrEqual,
                value: Value::Integer(2),
            };
            Some(Phrase::Part(Part::All(vec![subject, Part::Having(more)])))
        },
    },
    Rule {
        name: "more_than_once",
        pattern: "NOUN more_than_once|multiple_times|at_least_twice|twice_or_more|several_times|repeatedly",
        make: |found| {
            Some(Phrase::Part(Part::Having(Having {
                measure: Measure::Count(Some(found.noun(0)?.as_table()?)),
                operator: Comparison::GreaterOrEqual,
                value: Value::Integer(2),
            })))
        },
    },
    Rule { name: "zeros", pattern: "$zeros", make: |_| Some(Phrase::Part(Part::Zeros)) },
];

fn related(found: &Matched<'_>, exists: bool) -> Option<Phrase> {
    Some(Phrase::Part(Part::Where(Pred::Related(found.group()?, exists))))
}
