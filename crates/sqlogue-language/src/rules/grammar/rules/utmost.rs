//! Rows by when the first or the last of what refers to them came to be: *new customers by month of their first order*, *customers
//! whose last order was before May*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::Utmost;
use crate::rules::grammar::matched::Matched;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "first_time",
        pattern: "for_the_first_time|their_first_time|first_time|first-time|for_their_first_time",
        make: |_| Some(Phrase::Part(Part::Utmost(Utmost { rows: None, last: false }))),
    },
    Rule {
        name: "first_ever",
        pattern: "had|placed|made|came_for|came_to|took|of|by? $their first ever|time? NOUN",
        make: of_rows,
    },
    Rule {
        name: "had_their_last",
        pattern: "had|has|have|placed|made|took|booked|gave $their last|latest|most_recent|very_last NOUN",
        make: of_rows,
    },
    Rule {
        name: "whose_first",
        pattern: "whose first|earliest|very_first ever? NOUN was|were|is|dates|dates_back|dates_from|lies?",
        make: of_rows,
    },
    Rule {
        name: "whose_last",
        pattern: "whose last|latest|most_recent|newest|very_last NOUN was|were|is|dates|dates_back|dates_from|lies?",
        make: of_rows,
    },
    Rule { name: "who_first_did", pattern: "who|that|which first NOUN", make: of_rows },
    Rule { name: "who_last_did", pattern: "who|that|which last|most_recently NOUN", make: of_rows },
];

fn of_rows(found: &Matched<'_>) -> Option<Phrase> {
    let rows = Some(found.noun(0)?.as_table()?);
    let last = (found.words.start..found.words.end)
        .any(|at| matches!(found.lattice.question.word(at), "last" | "latest" | "most" | "newest"));
    Some(Phrase::Part(Part::Utmost(Utmost { rows, last })))
}
