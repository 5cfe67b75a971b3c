//! States that dates tell of: *exhibitions on now*, *living artists*, *not logged in since June*, *still to be delivered*.

use super::conditions::condition;
use crate::rules::grammar::chart::{Phrase, Rule};
use crate::rules::grammar::form::{Noun, Pred, State};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::time::Window;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "on_now",
        pattern: "$yes? $on_now",
        make: |found| condition(Pred::State(State::OnNow(found.lattice.today))),
    },
    Rule {
        name: "on_now_and_open",
        pattern: "$yes? $open",
        make: |found| condition(Pred::State(State::OnNow(found.lattice.today))),
    },
    Rule { name: "alive", pattern: "$yes? $alive", make: |_| condition(Pred::State(State::Alive(true))) },
    Rule { name: "dead", pattern: "$yes? $dead", make: |_| condition(Pred::State(State::Alive(false))) },
    Rule {
        name: "not_done_since",
        pattern: "$never|nobody_has|no_one_has been? WORD in|up|on|out? since|after|for|in|within|during|within_the? WINDOW",
        make: |found| {
            let window = found.window(0)?;
            condition(Pred::State(State::NotSince(verb(found)?, window)))
        },
    },
    Rule {
        name: "not_done_for_long",
        pattern: "$never been? WORD in|up|on|out? for|in over|more_than|at_least? WINDOW",
        make: |found| {
            let window = found.window(0)?;
            condition(Pred::State(State::NotSince(verb(found)?, window)))
        },
    },
    Rule {
        name: "last_done_before",
        pattern: "last|most_recently WORD in|up|on|out? before WINDOW",
        make: |found| {
            let window = found.window(0)?;
            condition(Pred::State(State::NotSince(verb(found)?, window)))
        },
    },
    Rule {
        name: "never_done_yet",
        pattern: "$never ever|yet|been|once? WORD in|up|on|out? yet|at_all|so_far?",
        make: |found| {
            // *not logged in since June* has a time of its own.
            let behind = found.lattice.question.word(found.words.end);
            let timed = !found.lattice.times(found.words.end).is_empty() || is_particle(behind);
            let never = (!timed).then_some(State::NeverDone(verb(found)?));
            condition(Pred::State(never?))
        },
    },
    Rule {
        name: "not_done_yet",
        pattern: "$never been? yet|been? WORD yet|so_far|by_now?",
        make: |found| {
            let word = |at: usize| found.lattice.question.word(at);
            let yet =
                (found.words.start..found.words.end).any(|at| matches!(word(at), "yet" | "far" | "now"));
            let verb = found.named_word().filter(|verb| yet && is_participle(verb))?;
            condition(Pred::Open { end: Some(verb), late_on: None })
        },
    },
    Rule {
        name: "ends_in",
        pattern: "that|which|who|whose? will? end|ends|run_out|runs_out|running_out|expire|expires|expiring|ending|are_up|come_to_an_end|comes_to_an_end|finish|finishes|are_due_to_end|is_due_to_end|lapse|lapses in|on|by|during|within|before? WINDOW",
        make: |found| {
            let window = found.window(0)?;
            condition(Pred::State(State::EndsIn(window)))
        },
    },
    Rule {
        name: "has_run_out",
        pattern: "whose|the|with? NOUN has|have|is|are|had? already? run_out|runs_out|expired|lapsed|run_down|not_valid_any_more|no_longer_valid",
        make: |found| ran_out(found, found.noun(0)?.as_column()?),
    },
    Rule {
        name: "run_out_already",
        pattern: "$with|of? expired|lapsed|out_of NOUN",
        make: |found| {
            let noun = found.noun(0)?;
            ran_out(found, noun.as_column().filter(|_| noun.column_score() > noun.table_score())?)
        },
    },
    Rule {
        name: "should_have_been_done",
        pattern: "that|which|who? should|ought_to have been? WORD NOUN? back? already|by_now|long_ago? ,? but|and|yet has|have|is|are|was|were not|never been|yet? WORD? back? yet?",
        make: |found| {
            let late_on = Some(found.lattice.today);
            let done = is_participle(&found.named_word()?);
            done.then(|| condition(Pred::Open { end: None, late_on })).flatten()
        },
    },
    Rule {
        name: "should_have_been_done_before",
        pattern: "that|which|who should|ought_to have been? WORD NOUN? back? before_today|by_now|by_today|already",
        make: |found| {
            let late_on = Some(found.lattice.today);
            let done = is_participle(&found.named_word()?);
            done.then(|| condition(Pred::Open { end: None, late_on })).flatten()
        },
    },
    Rule {
        name: "has_no_end",
        pattern: "$without|no|with_no an|any|a? end|closing|finishing|expiry|expiration date|day|dates",
        make: |_| condition(Pred::Open { end: None, late_on: None }),
    },
    Rule {
        name: "out_now",
        pattern: "$yes? $out_now",
        make: |found| {
            let behind = found.lattice.question.word(found.words.end);
            let is_said = found.words.end > found.words.start + 1;
            (is_said && !matches!(behind, "of" | "for" | "to"))
                .then(|| condition(Pred::Open { end: Some("returned".to_owned()), late_on: None }))
                .flatten()
        },
    },
    Rule {
        name: "to_be_done",
        pattern: "still|yet|have_yet|has_yet|waiting|that_are|which_are|have|has|left|are|is? to_be|to_get|for_being WORD",
        make: |found| {
            let verb = found.lattice.question.word(found.words.end - 1);
            is_participle(verb).then(|| condition(Pred::State(State::Awaits(verb.to_owned())))).flatten()
        },
    },
];

/// The day that a column tells is gone.
fn ran_out(found: &Matched<'_>, day: Noun) -> Option<Phrase> {
    condition(Pred::In(Some(day), Window { from: None, until: Some(found.lattice.today) }))
}

/// The rows that such a word belongs to where the question speaks of several tables: *current customers*, *members still with us*.
pub(super) fn rows_beside(found: &Matched<'_>) -> Option<Noun> {
    const PLAINLY: f32 = 0.6;
    let lattice = found.lattice;
    let is_rows = |noun: &&Noun| noun.table_score() >= PLAINLY && noun.table_score() > noun.column_score();
    let all = || (0..lattice.question.tokens.len()).flat_map(|at| lattice.nouns(at)).filter(is_rows);
    let goes_behind = lattice.question.word(found.words.start) == "still";
    let beside = |noun: &&Noun| match goes_behind {
        true => noun.words.end == found.words.start,
        false => noun.words.start == found.words.end,
    };
    let rows = all().filter(beside).max_by_key(|noun| noun.words.end - noun.words.start)?;
    let table = rows.tables.first().map(|(table, _)| *table);
    let others = all().any(|noun| noun.tables.first().map(|(table, _)| *table) != table);
    others.then(|| rows.as_table()).flatten()
}

/// The words of the verb that was said: the participle, and the particle behind it.
pub(super) fn verb(found: &Matched<'_>) -> Option<Vec<String>> {
    let word = |at: usize| found.lattice.question.word(at);
    let at =
        (found.words.start..found.words.end).find(|at| is_participle(word(*at)) && word(*at) != "been")?;
    let particle = Some(word(at + 1)).filter(|next| is_particle(next));
    Some(std::iter::once(word(at)).chain(particle).map(str::to_owned).collect())
}

fn is_particle(word: &str) -> bool {
    matches!(word, "in" | "up" | "on" | "out")
}

/// True for what ends as participles do: *logged*, *seen*, *sent*.
pub(in crate::rules) fn is_participle(word: &str) -> bool {
    ["ed", "en", "wn", "nt", "id", "lt", "ght", "ld"].iter().any(|ending| word.ends_with(ending))
}
