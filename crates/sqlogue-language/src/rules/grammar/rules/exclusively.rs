//! Nothing but one value: *customers who only ever paid by card*, *bidders who bid online and through no other channel*.

use super::beside::trade;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::Pred;
use crate::rules::grammar::matched::Matched;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "only_value",
        pattern: "who|that|which have|has? only|exclusively|solely|always ever? $used|$light_verb|$participle|$neutral|$trading? in|by|via|with|through|on|from|to|at|for|as? VALUE",
        make: only,
    },
    Rule {
        name: "only_rows_of_value",
        pattern: "with|having|who|that|which have|has|had? only|exclusively|solely|nothing_but VALUE NOUN",
        make: only_such_rows,
    },
    Rule {
        name: "all_of_theirs",
        pattern: "whose NOUN is|are|was|were|have_been|have|has_been all|always been? VALUE",
        make: only_such_rows,
    },
    Rule {
        name: "all_of_whose",
        pattern: "all_of whose NOUN is|are|was|were|have_been? VALUE",
        make: only_such_rows,
    },
    Rule {
        name: "only_value_by_noun",
        pattern: "who|that|which have|has? only|exclusively|solely|always ever? NOUN in|by|via|with|through|on|from|to|at|for|as? VALUE",
        make: only,
    },
    Rule {
        name: "done_only_with_value",
        pattern: "who|that|which have|has? $used|$light_verb|$participle|$neutral|$trading only|exclusively|solely|always|nothing_but|nothing_other_than in|by|via|with|through|on|from|to|at|for|as? VALUE",
        make: only,
    },
    Rule {
        name: "noun_only_with_value",
        pattern: "who|that|which have|has? NOUN only|exclusively|solely|always|nothing_but|nothing_other_than in|by|via|with|through|on|from|to|at|for|as? VALUE",
        make: only,
    },
    Rule {
        name: "value_and_no_other",
        pattern: "who|that|which NOUN? in|by|via|with|through|on|from|to|at|for|as? VALUE and|but in|by|via|with|through|on|from|to|at|for|as? no|nothing|never_by|never other|others|else|another NOUN?",
        make: only,
    },
];

/// Rows that belong to somebody are all of one kind.
fn only_such_rows(found: &Matched<'_>) -> Option<Phrase> {
    found.noun(0)?.as_table()?;
    Some(Phrase::Part(Part::Where(Pred::Only(found.value(0)?, None))))
}

fn only(found: &Matched<'_>) -> Option<Phrase> {
    Some(Phrase::Part(Part::Where(Pred::Only(found.value(0)?, trade(found)))))
}
