//! All of some kind, and no less: *customers who bought something from every category*, *members who visited all branches*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Having, Measure};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::Comparison;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "did_with_every",
        pattern: "who|that|which|whose|have|has have|has|were|was|are|is? $used|$light_verb|$participle|$neutral|$trading something|anything|things? from|in|of|at|by|for|with|to|on? every|all|each_and_every|every_one_of|every_single|all_of NOUN",
        make: every,
    },
    Rule {
        name: "verb_with_every",
        pattern: "who|that|which|whose|have|has have|has|were|was|are|is? WORD something|anything|things? from|in|of|at|by|for|with|to|on? every|all|each_and_every|every_one_of|every_single|all_of NOUN",
        make: every,
    },
    Rule {
        name: "which_did_with_every",
        pattern: "which|what|how_many|the? NOUN have|has|were|was|are|is? $used|$light_verb|$participle|$neutral|$trading something|anything|things? from|in|of|at|by|for|with|to|on? every|all|each_and_every|every_one_of|every_single|all_of NOUN",
        make: |found| {
            let how_many = found.lattice.question.word(found.words.start) == "how";
            let subject = found.noun(0)?.as_table()?;
            let counts = how_many.then(|| Part::Measure(Measure::Count(Some(subject.clone()))));
            let parts = [Part::Subject(subject), Part::Having(of(found, 1)?)].into_iter().chain(counts);
            Some(Phrase::Part(Part::All(parts.collect())))
        },
    },
    Rule {
        name: "did_in_every_period",
        pattern: "who|that|which|have|has? have|has|were|was? $used|$light_verb|$participle|$neutral|$trading|NOUN|WORD something|anything|things|a|an|us? NOUN? in|during? UNIT",
        make: |found| {
            let word = |at: usize| found.lattice.question.word(at);
            let words = || found.words.start..found.words.end;
            // *orders every month* are groups of them, and *who ordered every month* did so in all of them.
            let tells_deed = |word: &str| {
                matches!(word, "who" | "that" | "which") || word.len() > 4 && word.ends_with("ed")
            };
            let is_deed = words().take(3).any(|at| tells_deed(word(at)));
            let says_every = words().any(|at| word(at) == "every");
            let with = Against::AllThereAre;
            let having =
                Having { measure: Measure::Periods(found.unit()?), operator: Comparison::Equal, with };
            (is_deed && says_every).then_some(Phrase::Part(Part::Having(having)))
        },
    },
    Rule {
        name: "rows_of_every",
        pattern: "with|who_have|that_have|having|have|has|had NOUN from|in|of|at|by|for|with|to|on every|each_and_every|every_one_of|every_single|all_of NOUN",
        make: every_last,
    },
];

/// Groups that have as many different ones as there are.
fn of(found: &Matched<'_>, at: usize) -> Option<Having> {
    let measure = Measure::Distinct(found.noun(at)?);
    Some(Having { measure, operator: Comparison::Equal, with: Against::AllThereAre })
}

fn every(found: &Matched<'_>) -> Option<Phrase> {
    // *who ordered at all* ordered anything.
    let word = |at: usize| found.lattice.question.word(at);
    if (found.words.start..found.words.end).any(|at| word(at) == "at" && word(at + 1) == "all") {
        return None;
    }
    Some(Phrase::Part(Part::Having(of(found, 0)?)))
}

fn every_last(found: &Matched<'_>) -> Option<Phrase> {
    Some(Phrase::Part(Part::Having(of(found, 1)?)))
}
