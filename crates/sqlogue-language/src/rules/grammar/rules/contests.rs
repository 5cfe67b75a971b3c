//! Rows in which two sides meet, each with a score: *wins per team*, *teams that never lost at home*, *share of draws*.

use super::conditions::condition;
use super::ends::either_way;
use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Group, Measure, Outcome, Pred};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::words::WordLists;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "at_home",
        pattern: "at_home|on_home_ground|in_home_games|in_home_matches",
        make: |found| side_of_contest(found, true),
    },
    Rule {
        name: "on_the_road",
        pattern: "away|away_from_home|on_the_road|in_away_games|in_away_matches",
        make: |found| side_of_contest(found, false),
    },
    Rule {
        name: "contest_is_played",
        pattern: "play|plays|score|scores|scored",
        make: |found| {
            found.lattice.contests(found.words)?;
            all(Vec::new())
        },
    },
    Rule {
        name: "was_played",
        pattern: "that|which|were|was|has|have|had|been? played|already_played|finished",
        make: |found| known(found, true),
    },
    Rule {
        name: "still_to_play",
        pattern: "that|which|were|was|are|have|has? not_yet_played|yet_to_be_played|still_to_be_played|unplayed|not_been_played|to_be_played|left_to_play|upcoming",
        make: |found| known(found, false),
    },
    Rule {
        name: "one_against_the_other",
        pattern: "between|of? VALUE vs|versus|against|v|meets|plays|played|playing VALUE",
        make: |found| {
            found.lattice.contests(found.words)?;
            either_way(found)
        },
    },
    Rule {
        name: "results",
        pattern: "$at_start|$at_end? $wins|$losses|$draws",
        make: |found| {
            let result = result(found)?;
            Some(Phrase::Group(Group { of: found.lattice.contests(found.words)?, preds: vec![result] }))
        },
    },
    Rule {
        name: "results_counted",
        pattern: "$at_start|$at_end? $results",
        make: |found| {
            let rows = Measure::Count(Some(found.lattice.contests(found.words)?));
            Some(Phrase::Measure(Measure::Where(Box::new(rows), vec![result(found)?])))
        },
    },
    Rule {
        name: "results_listed",
        pattern: "$at_start|$at_end? $results",
        make: |found| {
            let rows = Part::Noun(found.lattice.contests(found.words)?);
            all(vec![rows, Part::Where(result(found)?)])
        },
    },
    Rule {
        name: "ended_so",
        pattern: "that|which|were|was|has|have|had|did? won|win|lost|lose|drawn|drew|tied|ended_in_a_draw|ended_level|ended_in_draws|end_in_a_draw|were_draws at_home|away|on_the_road?",
        make: |found| condition(result(found)?),
    },
];

/// How a contest ended, for the side that is said.
fn result(found: &Matched<'_>) -> Option<Pred> {
    found.lattice.contests(found.words)?;
    let lists = WordLists::embedded();
    let says = |list: &str| {
        (found.words.start..found.words.end).any(|at| lists.has(list, found.lattice.question.word(at)))
    };
    let outcome = match (says("wins"), says("losses")) {
        (true, _) => Outcome::Won,
        (_, true) => Outcome::Lost,
        _ => Outcome::Drawn,
    };
    let side = match (says("at_start"), says("at_end") || says("road")) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    Some(Pred::Result(outcome, side))
}

/// One side of a contest.
fn side_of_contest(found: &Matched<'_>, first: bool) -> Option<Phrase> {
    found.lattice.contests(found.words)?;
    all(vec![Part::Side(first)])
}

/// Whether both sides have their score.
fn known(found: &Matched<'_>, known: bool) -> Option<Phrase> {
    found.lattice.contests(found.words)?;
    condition(Pred::Result(if known { Outcome::Played } else { Outcome::Awaited }, None))
}
