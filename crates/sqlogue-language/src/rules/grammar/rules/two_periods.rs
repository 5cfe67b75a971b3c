//! More than before, one by one: *customers who spent more this year than last year*, *products whose sales dropped this year*.

use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Attr, Having, Measure, Pred, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::time::Window;
use sqlogue_sql::plan::{Aggregate, Comparison};
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "spent_more_than_then",
        pattern: "who|that|which? have|has|had? $spent|$earning|$selling more|less|better|worse money? in|during? WINDOW than in|during|they_did_in|it_did_in|they_did|it_did? WINDOW",
        make: |found| compared(found, takings(found), found.window(1)),
    },
    Rule {
        name: "more_rows_than_then",
        pattern: "who|that|which|with|having? have|has|had|made|placed? more|fewer NOUN in|during? WINDOW than in|during|they_did_in|it_did_in|they_did|it_did? WINDOW",
        make: |found| compared(found, Measure::Count(Some(found.noun(0)?.as_table()?)), found.window(1)),
    },
    Rule {
        name: "whose_measure_changed",
        pattern: "whose MEASURE increased|grew|rose|went_up|has_grown|has_risen|has_increased|dropped|fell|declined|decreased|went_down|shrank|has_fallen|has_dropped|has_declined in|during? WINDOW compared_to|compared_with|against|over|from? in|during? WINDOW?",
        make: |found| compared(found, found.measure(0)?, found.window(1)),
    },
    Rule {
        name: "changed_their_spending",
        pattern: "who|that|which? have|has? increased|raised|decreased|reduced|cut their|its? spending|spend|purchases|purchasing|buying in|during? WINDOW compared_to|compared_with|against|over|from? in|during? WINDOW?",
        make: |found| compared(found, takings(found), found.window(1)),
    },
];

/// What was taken in, by the words of the whole phrase.
fn takings(found: &Matched<'_>) -> Measure {
    Measure::Of(Aggregate::Sum, Attr::Revenue(Words::new(found.words.start, found.words.start + 1)))
}

/// The measure of the first window is above that of the other, or below where it is said to be less; the other is the time just
/// before where none is said.
fn compared(found: &Matched<'_>, measure: Measure, other: Option<Window>) -> Option<Phrase> {
    const LESS: [&str; 12] = [
        "less",
        "fewer",
        "worse",
        "dropped",
        "fell",
        "declined",
        "decreased",
        "reduced",
        "cut",
        "shrank",
        "down",
        "fallen",
    ];
    let window = found.window(0)?;
    let within = |window: Window| Measure::Where(Box::new(measure.clone()), vec![Pred::In(None, window)]);
    let difference =
        Measure::Less(Box::new(within(window)), Box::new(within(other.or_else(|| window.before())?)));
    let operator = if found.says(&LESS) { Comparison::Less } else { Comparison::Greater };
    all(vec![Part::Having(Having { measure: difference, operator, with: Against::Value(Value::Integer(0)) })])
}
