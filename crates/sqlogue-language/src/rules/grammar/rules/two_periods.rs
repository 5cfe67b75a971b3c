//! More than before, one by one: *customers who spent more this year than last year*, *products whose sales dropped this year*.

use super::takes::{all, one_or_few, take};
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Attr, By, Having, Key, Measure, Pred, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::time::Window;
use sqlogue_sql::plan::{Aggregate, Comparison, Direction};
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
        name: "whose_measure_changed_most",
        pattern: "NOUN whose? MEASURE grew|grown|increased|rose|gained|improved|declined|dropped|fell|shrank|decreased|went_up|went_down the? most|fastest|quickest|strongest|least in|during|over|since|compared_to|compared_with|against|from? WINDOW compared_to|compared_with|against|over|than|from? WINDOW?",
        make: |found| changed_most(found, found.measure(0)?),
    },
    Rule {
        name: "changed_most_in",
        pattern: "NOUN has|have|that|which|who? has|have? grew|grown|increased|rose|gained|improved|declined|dropped|fell|shrank|decreased|lost the? most|fastest|quickest|strongest|least in|by MEASURE in|during|over|since|compared_to|compared_with|against|from? WINDOW compared_to|compared_with|against|over|than|from? WINDOW?",
        make: |found| changed_most(found, found.measure(0)?),
    },
    Rule {
        name: "changed_most",
        pattern: "NOUN has|have|that|which|who? has|have? grew|grown|increased|rose|gained|improved|declined|dropped|fell|shrank|decreased|lost the? most|fastest|quickest|strongest|least in|during|over|since|compared_to|compared_with|against|from? WINDOW compared_to|compared_with|against|over|than|from? WINDOW?",
        make: |found| {
            let verb = found.noun(0)?.words.end;
            let takings = Attr::Revenue(Words::new(verb, verb + 1));
            changed_most(found, Measure::Of(Aggregate::Sum, takings))
        },
    },
    Rule {
        name: "largest_change_of_measure",
        pattern: "NOUN with|had|has|have|having|saw|shows|show|showed the? biggest|largest|highest|greatest|strongest|most|smallest|lowest growth|increase|rise|gain|improvement|decline|drop|decrease|fall in|of MEASURE in|during|over|since|compared_to|compared_with|against|from? WINDOW compared_to|compared_with|against|over|than|from? WINDOW?",
        make: |found| changed_most(found, found.measure(0)?),
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

/// What says that there is less than before.
const LESS: [&str; 17] = [
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
    "lost",
    "decline",
    "drop",
    "decrease",
    "fall",
];

/// How far a measure of one window lies above that of another.
fn difference(measure: &Measure, later: Window, earlier: Window) -> Measure {
    let within = |window| Box::new(Measure::Where(Box::new(measure.clone()), vec![Pred::In(None, window)]));
    Measure::Less(within(later), within(earlier))
}

/// The first by how far a measure rose, or fell, from one time to the next: *which category grew the most this year?* A time that it
/// is compared with alone is the one before.
fn changed_most(found: &Matched<'_>, measure: Measure) -> Option<Phrase> {
    let rows = found.noun(0)?;
    let one = found.window(0)?;
    let last = found.lattice.question.word(found.words.end.checked_sub(1)?);
    if matches!(last, "to" | "with" | "against" | "over" | "than" | "from") {
        return None;
    }
    let compared = found.says(&["compared", "against", "since", "from"]);
    let (later, earlier) = match found.window(1) {
        Some(other) if other.from < one.from => (one, other),
        Some(other) => (other, one),
        None if compared => (one.next()?, one),
        None => (one, one.before()?),
    };
    let falls = found.says(&LESS) != found.says(&["least", "smallest", "lowest"]);
    let direction = if falls { Direction::Ascending } else { Direction::Descending };
    let limit = found.count().or_else(|| one_or_few(found, &rows))?;
    let first = take(By::Measure(difference(&measure, later, earlier)), direction);
    all(vec![Part::Key(Key::Noun(rows)), Part::Limit(limit), first])
}

/// The measure of the first window is above that of the other, or below where it is said to be less; the other is the time just
/// before where none is said.
fn compared(found: &Matched<'_>, measure: Measure, other: Option<Window>) -> Option<Phrase> {
    let window = found.window(0)?;
    let difference = difference(&measure, window, other.or_else(|| window.before())?);
    let operator = if found.says(&LESS) { Comparison::Less } else { Comparison::Greater };
    all(vec![Part::Having(Having { measure: difference, operator, with: Against::Value(Value::Integer(0)) })])
}
