//! Both ends of one order: *the cheapest and the most expensive product*, *the depots with the most and the fewest bays*,
//! *which author joined first and which last?*

use super::takes::{all, take};
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, By, Measure, Noun, Pred, Take, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::lexicon::Lexicon;
use sqlogue_sql::plan::{Aggregate, Direction};

pub(super) const RULES: &[Rule] = &[
    Rule { name: "both_ends", pattern: "ADJ and|or|&|,|as_well_as and? ADJ WHERE? NOUN", make: both_ends },
    Rule {
        name: "both_ends_of_column",
        pattern: "ADJ and|or|&|,|as_well_as and? ADJ WHERE? NOUN",
        make: both_ends_of_first,
    },
    Rule {
        name: "both_ends_of_value",
        pattern: "ADJ and|or|&|,|as_well_as and? ADJ VALUE NOUN",
        make: both_ends_of_first,
    },
    Rule {
        name: "which_are_both_ends",
        pattern: "NOUN is|are|was|were|has|have? ADJ and which|what|who? NOUN? is|are|was|were|has|have? ADJ",
        make: both_ends,
    },
    Rule {
        name: "one_end_and_the_other_end",
        pattern: "which|what|who|whose? NOUN? TAKE and|, which|what|who|whose? one|ones? NOUN? TAKE",
        make: |found| {
            let (first, second) = (found.take(0)?, found.take(1)?);
            ends(found, first, second.by.clone(), second.direction)
        },
    },
    Rule {
        name: "one_end_and_the_opposite",
        pattern: "which|what|who|whose? NOUN? TAKE and|, which|what|who|whose? one|ones? NOUN? has|have|is|are|was|costs|cost|earns|gets? the? most|least|highest|lowest|largest|smallest|biggest|greatest|longest|shortest|best|worst|fewest one?",
        make: |found| {
            let first = found.take(0)?;
            let last = word_of_end(found).filter(|_| goes_no_further(found))?;
            let opposite = first.direction.opposite();
            let is_low = matches!(last, "least" | "lowest" | "smallest" | "shortest" | "worst" | "fewest");
            let by = first.by.clone();
            (is_low == (opposite == Direction::Ascending)).then(|| ends(found, first, by, opposite))?
        },
    },
    Rule {
        name: "both_ends_of_one_adjective",
        pattern: "best|highest|most|top|worst|lowest|least and ADJ NOUN",
        make: |found| {
            let (direction, index, words) = found.adjective()?;
            let opposite = direction.opposite();
            let said = Words::new(found.words.start, found.words.start + 1);
            let other = Part::Ends(By::Attr(Attr::Adjective(said, index)), opposite);
            all(vec![
                take(By::Attr(Attr::Adjective(words, index)), direction),
                other,
                Part::Noun(found.noun(0)?),
            ])
        },
    },
    Rule {
        name: "with_both_ends",
        pattern: "$holding? $end and|or|&|,|as_well_as and? NOUN? $holding? $end number_of|count_of|amount_of|total|number? NOUN",
        make: |found| {
            let value = last_noun(found)?;
            // *the highest and the lowest price* are two values, and no rows.
            let holds = found.lattice.question.word(found.words.start);
            let is_held = !is_end(holds);
            (is_held || value.table_score() < value.column_score() && found.noun(1).is_some())
                .then(|| by_both(found, &value, None))?
        },
    },
    Rule {
        name: "with_one_end_and_the_other",
        pattern: "$holding? $end number_of|count_of|amount_of|total? NOUN and|but|,|or and? which|what|who|whose|that|the_one|one|those|ones? NOUN? $holding? $end one|ones|of_them|of_all? number_of|count_of|amount_of? NOUN?",
        make: |found| {
            let value = found.noun(0)?;
            let text = |noun: &Noun| {
                found.lattice.question.span_text(noun.words.start, noun.words.end).to_lowercase()
            };
            // *the most bays and the fewest vans* are ends of two orders.
            let last = last_noun(found)?;
            let ends_on_noun = last.words.end == found.words.end && last.words != value.words;
            let same = if ends_on_noun { text(&last) == text(&value) } else { goes_no_further(found) };
            same.then(|| by_both(found, &value, None))?
        },
    },
    Rule {
        name: "both_ends_by",
        pattern: "$end and|or|&|,|as_well_as and? $end NOUN $by|in|in_terms_of number_of|count_of|amount_of|total? NOUN",
        make: |found| by_both(found, &found.noun(1)?, found.noun(0)),
    },
    Rule {
        name: "both_ends_of_deed",
        pattern: "who|which|what NOUN? WORD $end and|but|, who|which|what? NOUN? WORD? $end NOUN",
        make: |found| {
            let rows = last_noun(found)?.as_table()?;
            let who = found.lattice.question.word(found.words.start) == "who";
            let mut parts: Vec<Part> = who.then_some(Part::Names).into_iter().collect();
            let named = found
                .noun(0)
                .filter(|noun| noun.words != rows.words && noun.words.start == found.words.start + 1);
            parts.extend(named.and_then(|noun| noun.as_table()).map(Part::Noun));
            parts.extend(two_ends(found, By::Measure(Measure::Count(Some(rows))))?);
            all(parts)
        },
    },
    Rule {
        name: "both_ends_of_length",
        pattern: "longest|shortest|quickest|fastest|slowest and|or|&|,|as_well_as and? longest|shortest|quickest|fastest|slowest NOUN",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            let said = Words::new(found.words.start, rows.words.start);
            let by = By::Attr(Attr::Lasting(said, Some(rows.clone()), None));
            let mut parts = two_ends(found, by)?;
            parts.push(Part::Subject(rows));
            all(parts)
        },
    },
    Rule {
        name: "both_ends_of_worth",
        pattern: "largest|biggest|highest|greatest|smallest|lowest and|or|&|,|as_well_as and? largest|biggest|highest|greatest|smallest|lowest NOUN",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            let mut parts = two_ends(found, By::Attr(Attr::Amount(rows.clone())))?;
            parts.push(Part::Subject(rows));
            all(parts)
        },
    },
    Rule {
        name: "first_and_last_to_join",
        pattern: "first|earliest|last|latest|newest and|or|&|,|as_well_as and? first|earliest|last|latest|newest NOUN to|who|that join|joined|sign_up|signed_up|register|registered|subscribe|subscribed|be_hired|was_hired|start|started|be_added|was_added|enrol|enrolled|arrive|arrived|come|came",
        make: |found| by_time(found, None),
    },
    Rule {
        name: "first_and_last_done",
        pattern: "first|earliest|last|latest|newest and|or|&|,|as_well_as and? first|earliest|last|latest|newest NOUN to|who|that|which? we|you|they? was|were|be|have|has? been? NOUN",
        make: |found| by_time(found, Some(date(found.noun(1)?)?)),
    },
    Rule {
        name: "dates_of_first_and_last",
        pattern: "first|earliest and last|latest|most_recent|newest NOUN KEY",
        make: |found| {
            let rows = found.noun(0)?.as_table()?;
            let date = |end| Part::Measure(Measure::Of(end, Attr::When(rows.clone())));
            all(vec![Part::Key(found.key()?), date(Aggregate::Min), date(Aggregate::Max)])
        },
    },
    Rule {
        name: "did_first_and_last",
        pattern: "which|what|who NOUN? was|were|has|have|had|did? we|you? been? NOUN first|earliest|last|latest and|but|,|or and? which|what|who? one|ones? was|were|has|have|had|did? we|you? been? NOUN? first|earliest|last|latest|most_recently",
        make: |found| did_both(found),
    },
    Rule {
        name: "joined_first_and_last",
        pattern: "which|what|who NOUN? joined|started|came|arrived|registered|enrolled|subscribed|signed_up first|earliest|last|latest and|but|,|or and? which|what|who? one|ones? joined|started|came|arrived|registered|enrolled|subscribed|signed_up? first|earliest|last|latest|most_recently",
        make: |found| by_time(found, None),
    },
];

/// *the cheapest and the most expensive product*.
fn both_ends(found: &Matched<'_>) -> Option<Phrase> {
    let (direction, index, words) = found.nth_adjective(0)?;
    let (opposite, other, said) = found.nth_adjective(1)?;
    let ends = Part::Ends(By::Attr(Attr::Adjective(said, other)), opposite);
    let mut parts = vec![take(By::Attr(Attr::Adjective(words, index)), direction), ends];
    parts.extend(found.pred(0).map(Part::Where));
    parts.push(Part::Noun(found.noun(0)?));
    all(parts)
}

/// Both ends of one order, of the rows that are named or of people.
fn ends(found: &Matched<'_>, first: &Take, by: By, direction: Direction) -> Option<Phrase> {
    let comparable =
        matches!((&first.by, &by), (By::Attr(_), By::Attr(_)) | (By::Measure(_), By::Measure(_)));
    if !comparable || first.direction == direction {
        return None;
    }
    let who =
        (found.words.start..found.words.end).any(|at| found.lattice.question.word(at).starts_with("who"));
    let mut parts = vec![Part::Take(first.clone()), Part::Ends(by, direction)];
    parts.extend(who.then_some(Part::Names));
    parts.extend(found.noun(0).map(Part::Noun));
    all(parts)
}

/// The word at the end that says which end is meant.
fn word_of_end<'a>(found: &'a Matched<'_>) -> Option<&'a str> {
    let last = found.words.end.checked_sub(1)?;
    let word = found.lattice.question.word(last);
    Some(if word == "one" { found.lattice.question.word(last.checked_sub(1)?) } else { word })
}

/// Both ends of the column that the first adjective speaks of, where the second names its other end: *newest and oldest*.
fn both_ends_of_first(found: &Matched<'_>) -> Option<Phrase> {
    let (direction, index, words) = found.nth_adjective(0)?;
    let (_, other, _) = found.nth_adjective(1)?;
    if !Lexicon::embedded().are_opposite(index, other) {
        return None;
    }
    let by = By::Attr(Attr::Adjective(words, index));
    let mut parts = vec![take(by.clone(), direction), Part::Ends(by, direction.opposite())];
    parts.extend(found.pred(0).map(Part::Where));
    let is_value = |named| Part::Where(Pred::Is { values: vec![named], column: None, negated: false });
    parts.extend(found.value(0).map(is_value));
    parts.push(Part::Noun(found.noun(0)?));
    all(parts)
}

/// The end of an order that a word names.
fn end(word: &str) -> Option<Direction> {
    const HIGH: [&str; 12] = [
        "most", "highest", "largest", "biggest", "greatest", "longest", "best", "top", "last", "latest",
        "newest", "slowest",
    ];
    const LOW: [&str; 12] = [
        "fewest", "least", "lowest", "smallest", "shortest", "worst", "bottom", "first", "earliest",
        "oldest", "quickest", "fastest",
    ];
    if HIGH.contains(&word) {
        return Some(Direction::Descending);
    }
    LOW.contains(&word).then_some(Direction::Ascending)
}

fn is_end(word: &str) -> bool {
    end(word).is_some()
}

/// What takes both ends of an order; none where the words name one end only, or more than two.
fn two_ends(found: &Matched<'_>, by: By) -> Option<Vec<Part>> {
    let said = (found.words.start..found.words.end).filter_map(|at| end(found.lattice.question.word(at)));
    match said.collect::<Vec<_>>().as_slice() {
        [one, other] if one != other => {
            Some(vec![Part::Limit(1), take(by.clone(), *one), Part::Ends(by, *other)])
        }
        _ => None,
    }
}

/// The noun at the end of what was found.
fn last_noun(found: &Matched<'_>) -> Option<Noun> {
    (0..4).rev().find_map(|at| found.noun(at))
}

/// Both ends by a value of a row, or by how many rows there are of what the noun names.
fn by_both(found: &Matched<'_>, value: &Noun, rows: Option<Noun>) -> Option<Phrase> {
    let by = match value.table_score() >= value.column_score() {
        true => By::Measure(Measure::Count(Some(value.as_table()?))),
        false => By::Attr(Attr::Noun(value.as_column()?)),
    };
    let mut parts = two_ends(found, by)?;
    parts.extend(rows.map(Part::Noun));
    all(parts)
}

/// The date that a verb names.
fn date(verb: Noun) -> Option<Attr> {
    let is_date = verb.column_score() > verb.table_score();
    verb.as_column().filter(|_| is_date).map(Attr::Noun)
}

/// The rows that came first and last: by the date that a verb names, else by when they came to be.
fn by_time(found: &Matched<'_>, date: Option<Attr>) -> Option<Phrase> {
    let who = found.lattice.question.word(found.words.start) == "who";
    let mut parts: Vec<Part> = who.then_some(Part::Names).into_iter().collect();
    let rows = found.noun(0).and_then(|noun| noun.as_table());
    let by = date.or_else(|| rows.clone().map(Attr::When))?;
    parts.extend(two_ends(found, By::Attr(by))?);
    parts.extend(rows.map(Part::Subject));
    all(parts)
}

/// *which van was bought first and which last*, *who was hired first and who last*.
fn did_both(found: &Matched<'_>) -> Option<Phrase> {
    let word = found.lattice.question.word(found.words.start);
    let (rows, verb) = match word {
        "who" => (None, found.noun(0)?),
        _ => (Some(found.noun(0)?.as_table()?), found.noun(1)?),
    };
    let by = By::Attr(date(verb)?);
    let mut parts: Vec<Part> = (word == "who").then_some(Part::Names).into_iter().collect();
    parts.extend(two_ends(found, by)?);
    parts.extend(rows.map(Part::Subject));
    all(parts)
}

/// True where no noun follows: *the most bays and the fewest* of what comes next are ends of two orders.
fn goes_no_further(found: &Matched<'_>) -> bool {
    const NAMED: f32 = 0.6;
    let names = |at: usize| found.lattice.nouns(at).iter().any(|noun| noun.score() >= NAMED);
    !names(found.words.end)
}
