//! What is left out: *cancelled orders not counted*, *skip those without a price*, *from outside Norway*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::Pred;
use crate::rules::grammar::matched::Matched;
use crate::rules::text::TokenKind;

pub(super) const RULES: &[Rule] = &[
    Rule { name: "such_only", pattern: ",|(|-|–|; WHERE NOUN? only|alone", make: such_only },
    Rule { name: "only_such", pattern: ",|(|-|–|; only|just WHERE NOUN?", make: such_only },
    Rule {
        name: "looking_only_at_such",
        pattern: ",|(? looking|counting|considering|taking|including|based only|just at|on? WHERE NOUN?",
        make: such_only,
    },
    Rule { name: "of_such", pattern: "( of_those|of_the_ones|among_those WHERE )", make: such_only },
    Rule { name: "left_out", pattern: "WHERE NOUN? ones|rows|entries? $drop_after", make: left_out },
    Rule { name: "rows_left_out", pattern: "NOUN WHERE $drop_after", make: left_out },
    Rule {
        name: "both_left_out",
        pattern: "WHERE NOUN? and|or|nor|as_well_as|& WHERE NOUN? ones|rows|entries? $drop_after",
        make: |found| {
            // *samples and cancelled orders excluded*
            let rows = (0..2).map_while(|at| found.noun(at)).all(|noun| noun.as_table().is_some());
            let parts = [0, 1].map(|at| found.pred(at).and_then(opposite).map(Part::Where));
            let [Some(one), Some(other)] = parts else { return None };
            (rows && !goes_out(found)).then(|| Phrase::Part(Part::All(vec![one, other])))
        },
    },
    Rule {
        name: "leavers_left_out",
        pattern: "leavers|those_who_left|people_who_left|former_ones|past_ones $drop_after",
        make: |_| Some(Phrase::Part(Part::Where(Pred::Open { end: None, late_on: None }))),
    },
    Rule {
        name: "leaving_out_time",
        pattern: ",? $leaving_out|$leave_out in|from|of|for|those_of|what_was_in? WINDOW",
        make: |found| Some(Phrase::Part(Part::Where(Pred::Outside(None, found.window(0)?)))),
    },
    Rule {
        name: "leaving_out",
        pattern: "$leaving_out those|ones|the_ones|rows|anything|everything|all? that_are|who_are|which_are|that|who|which? WHERE NOUN?",
        make: left_out,
    },
    Rule {
        name: "leaving_out_rows",
        pattern: "$leaving_out|$leave_out the|any|all? NOUN that_are|who_are|which_are|that_were|which_were|who_were|that|who|which only|just|still? WHERE",
        make: left_out,
    },
    Rule {
        name: "outside_of",
        pattern: "from? outside|outside_of the? VALUE",
        make: |found| {
            let others = Pred::Is { values: vec![found.value(0)?], column: None, negated: true };
            Some(Phrase::Part(Part::Where(others)))
        },
    },
    Rule {
        name: "outside_of_both",
        pattern: "from? outside|outside_of the? VALUE and|or|nor|& the? VALUE",
        make: |found| {
            let values = vec![found.value(0)?, found.value(1)?];
            Some(Phrase::Part(Part::Where(Pred::Is { values, column: None, negated: true })))
        },
    },
    Rule {
        name: "leaving_out_both",
        pattern: "$not|$leaving_out the|any|all|those? VALUE NOUN? ones? or|and|nor|as_well_as|& the|any|all|those? VALUE NOUN? ones?",
        make: |found| {
            let rows = (0..2).map_while(|at| found.noun(at)).all(|noun| noun.as_table().is_some());
            let values = vec![found.value(0)?, found.value(1)?];
            let both = Pred::Is { values, column: None, negated: true };
            rows.then_some(Phrase::Part(Part::Where(both)))
        },
    },
];

/// True where *out* belongs to a verb: *filled out of all* and *paid out as a percentage* leave out nothing.
pub(super) fn goes_out(found: &Matched<'_>) -> bool {
    let next = found.lattice.question.tokens.get(found.words.end);
    let ends = matches!(
        found.lattice.question.word(found.words.end.saturating_sub(2)),
        "left" | "leave" | "take" | "taken"
    );
    found.lattice.question.word(found.words.end.saturating_sub(1)) == "out"
        && !ends
        && next.is_some_and(|next| next.kind == TokenKind::Word)
}

/// *finished runs only*: what the rows themselves are, and no rows that belong to them.
fn such_only(found: &Matched<'_>) -> Option<Phrase> {
    let which = found.pred(0).filter(|pred| !matches!(pred, Pred::Related(..) | Pred::Used(..)))?;
    let mut parts = vec![Part::Where(which)];
    if let Some(rows) = found.noun(0) {
        parts.push(Part::Noun(rows.as_table()?));
    }
    Some(Phrase::Part(Part::All(parts)))
}

fn left_out(found: &Matched<'_>) -> Option<Phrase> {
    let rows = !goes_out(found) && found.noun(0).is_none_or(|rows| rows.as_table().is_some());
    rows.then(|| opposite(found.pred(0)?).map(|pred| Phrase::Part(Part::Where(pred)))).flatten()
}

/// The condition that holds for the other rows; none where that is no plain condition.
pub(super) fn opposite(pred: Pred) -> Option<Pred> {
    Some(match pred {
        Pred::Is { values, column, negated } => Pred::Is { values, column, negated: !negated },
        Pred::In(noun, window) => Pred::Outside(noun, window),
        Pred::On(noun, times) => Pred::On(noun, times.others()),
        Pred::Compare(attr, operator, value) => Pred::Compare(attr, operator.negated(), value),
        Pred::Flag(noun, holds) => Pred::Flag(noun, !holds),
        Pred::Happened(noun, holds) => Pred::Happened(noun, !holds),
        Pred::Known(noun, known) => Pred::Known(noun, !known),
        Pred::Related(group, exist) => Pred::Related(group, !exist),
        Pred::Used(verb, preds, used) => Pred::Used(verb, preds, !used),
        Pred::Late(end, late) => Pred::Late(end, !late),
        Pred::Open { end: None, late_on: None } => Pred::Ended(None),
        Pred::Ended(None) => Pred::Open { end: None, late_on: None },
        _ => return None,
    })
}
