//! How people put a question when they speak: what is wanted comes at last (*…, just the number*), or what is meant is said of
//! the whole (*on average*, *twice or more*).

use super::measures::worth_of;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Attr, By, Compare, Having, Key, Measure, Noun, Per, Pred, Take};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::units::Unit;
use crate::rules::text::TokenKind;
use sqlogue_sql::plan::{Aggregate, Comparison, Direction};
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "how_many_at_last",
        pattern: "$how_many_at_last",
        make: |found| ends_sentence(found).then_some(Phrase::Part(Part::Counted)),
    },
    Rule {
        name: "how_many_of_each",
        pattern: "with|and|,? the|their? number|count|numbers|counts|how_many of|in|for|on|at|from? each|them|these|those|every_one? of_them?",
        make: |found| (says_of(found) && ends_sentence(found)).then_some(Phrase::Part(Part::Counted)),
    },
    Rule { name: "on_average_at_last", pattern: "$averaged", make: |_| Some(Phrase::Part(Part::Averaged)) },
    Rule {
        name: "more_often_than_once",
        pattern: "$more_than_once",
        make: |_| so_often(Comparison::Greater, Value::Integer(1)),
    },
    Rule {
        name: "so_many_times",
        pattern: "OP NUM times|x",
        make: |found| so_often(found.operator()?, found.number(0)?),
    },
    Rule {
        name: "times_or_more",
        pattern: "NUM times|x $or_more",
        make: |found| so_often(Comparison::GreaterOrEqual, found.number(0)?),
    },
    Rule {
        name: "so_many_rows_or_more",
        pattern: "NUM NOUN $or_more",
        make: |found| {
            let rows = found.noun(0)?;
            let rows = rows.as_table().filter(|_| rows.table_score() > rows.column_score())?;
            having(Measure::Count(Some(rows)), Comparison::GreaterOrEqual, found.number(0)?)
        },
    },
    Rule {
        name: "only_so_many_rows",
        pattern: "only|just|exactly NUM NOUN",
        make: |found| {
            let rows = found.noun(0)?;
            let rows = rows.as_table().filter(|_| rows.table_score() > rows.column_score())?;
            having(Measure::Count(Some(rows)), Comparison::Equal, found.number(0)?)
        },
    },
    Rule {
        name: "done_only_once",
        pattern: "NOUN only|just|exactly once|one_time|a_single_time",
        make: |found| {
            having(Measure::Count(Some(found.noun(0)?.as_rows()?)), Comparison::Equal, Value::Integer(1))
        },
    },
    Rule {
        name: "only_done_once",
        pattern: "only|just ever? WORD once|one_time",
        make: |found| {
            let at = found.named_place()?;
            let rows = found.lattice.nouns(at).iter().find_map(|noun| noun.as_rows())?;
            having(Measure::Count(Some(rows)), Comparison::Equal, Value::Integer(1))
        },
    },
    Rule {
        name: "days_and_so_on",
        pattern: "on|for|at? DAYS ,|or|and? $and_so_on",
        make: |_| Some(Phrase::Part(Part::Key(Key::Time(Unit::Weekday, None)))),
    },
    Rule {
        name: "each_with_figures",
        pattern: "$per NOUN :|,|, $figures_follow? how_many|number_of|the|the_number_of? NOUN ,|and|& and? how_many|number_of|the|the_number_of? NOUN ,|and|&? and? how_many|number_of|the|the_number_of? NOUN?",
        make: figures_of_each,
    },
    Rule {
        name: "figures_each",
        pattern: "NOUN by NOUN",
        make: |found| {
            let [one, other] = [found.noun(0)?, found.noun(1)?];
            let word = |noun: &Noun| {
                found.lattice.question.span_text(noun.words.start, noun.words.end).to_lowercase()
            };
            (word(&one) == word(&other)).then_some(Phrase::Part(Part::Key(Key::Noun(other))))
        },
    },
    Rule {
        name: "running_at_last",
        pattern: "$running_at_last",
        make: |_| Some(Phrase::Part(Part::Compare(Compare::Running, None))),
    },
    Rule {
        name: "how_much_each_did",
        pattern: "for? how_much|what do|does|did|has|have|is|are our|each|every|all|the? $different|each|every|single NOUN NOUN",
        make: |found| {
            let done = found.noun(1)?.as_table().filter(|rows| rows.table_score() >= 0.5)?;
            let by = Part::Key(Key::Noun(found.noun(0)?));
            let total = Measure::Of(Aggregate::Sum, Attr::Amount(done));
            Some(Phrase::Part(Part::All(vec![by, Part::Measure(total)])))
        },
    },
    Rule {
        name: "what_one_comes_to",
        pattern: "how_much|what|how_high|how_large do|does|did|is|are a|an|one|each|the|our|every|single? NOUN come_to|cost_us|amount_to|bring_in|bring_us|add_up_to|total|total_up_to|worth_to_us",
        make: |found| {
            let rows = found.noun(0)?.as_table().filter(|rows| rows.table_score() >= 0.5)?;
            Some(Phrase::Measure(Measure::Of(Aggregate::Sum, Attr::Amount(rows))))
        },
    },
    Rule {
        name: "what_the_average_one_comes_to",
        pattern: "how_much|what|how_high|how_large do|does|did|is|are|was average|typical|usual|normal|mean NOUN come_to|cost|costs|cost_us|amount_to|bring_in|bring_us|earn|make|add_up_to|total|worth|bring|paid|pay? us?",
        make: |found| {
            let rows = found.noun(0)?.as_table().filter(|rows| rows.table_score() >= 0.5)?;
            Some(Phrase::Measure(Measure::Of(Aggregate::Avg, Attr::Amount(rows))))
        },
    },
    Rule {
        name: "what_the_average_one_adds_up_to",
        pattern: "how_much|what do|does|did|is average|typical|usual|normal NOUN come_to|cost|costs|cost_us|amount_to|bring_in|bring_us|add_up_to|worth? us?",
        make: |found| {
            let rows = found.noun(0)?.as_table().filter(|rows| rows.table_score() >= 0.5)?;
            let total = Box::new(Measure::Of(Aggregate::Sum, Attr::Amount(rows.clone())));
            Some(Phrase::Measure(Measure::Mean(total, Per::Row(rows))))
        },
    },
    Rule {
        name: "with_this_and_that",
        pattern: "with|having|that_have|which_have|have|has both? NOUN ,|and|& and? NOUN ,|and? and? NOUN?",
        make: |found| {
            let flags = (0..3).map_while(|at| found.noun(at));
            let flag = |noun: Noun| Some(Part::Where(Pred::Flag(noun.as_column()?, true)));
            Some(Phrase::Part(Part::All(flags.map(flag).collect::<Option<_>>()?)))
        },
    },
    Rule {
        name: "windows_with_how_many",
        pattern: "in|during|of|for WINDOW ,|and and? how_many|how_much in|during|of|for? WINDOW ,|and? and? how_many|how_much? in|during|of|for? WINDOW?",
        make: |found| {
            let windows: Vec<_> = (0..3).map_while(|at| found.window(at)).collect();
            let rise = windows.windows(2).all(|pair| matches!(pair, [one, other] if one.until <= other.from));
            rise.then_some(Phrase::Part(Part::Versus(windows)))
        },
    },
    Rule {
        name: "each_the_first_few",
        pattern: "$per|in_each|in_every NOUN ,|: show|name|list|give|tell_me|which|what_is|what_are? the|its|their? NUM|one|single NOUN",
        make: |found| {
            let (each, rows) = (found.noun(0)?, found.noun(1)?.as_table()?);
            let each = Some(Key::Noun(each));
            let direction = Direction::Descending;
            let take = Take { by: By::Shown, direction, open: false, each, alone: false };
            let limit = Part::Limit(found.count().unwrap_or(1));
            Some(Phrase::Part(Part::All(vec![limit, Part::Take(take), Part::Subject(rows)])))
        },
    },
    Rule {
        name: "who_did_how_many",
        pattern: "who has|have|on|in|at|of|from? WORD? in|on|at|has|have? WORD? in|out? how_many NOUN",
        make: |found| of_each_person(Measure::Count(Some(found.noun(0)?.as_table()?))),
    },
    Rule {
        name: "who_did_how_much",
        pattern: "who has|have|on|in|at|of|from? WORD? in|on|at|has|have? WORD? in|out? how_much|what in? NOUN",
        make: |found| of_each_person(Measure::Of(Aggregate::Sum, worth_of(&found.noun(0)?)?)),
    },
    Rule {
        name: "half_lie_below",
        pattern: "half of? our|all|the|what? NOUN $lie? $more|$less|above|below which|what NOUN|amount|sum|value|number|price|figure?",
        make: |found| {
            let noun = found.noun(0)?;
            let attr = match noun.table_score() > noun.column_score() {
                true => Attr::Amount(noun.as_table()?),
                false => Attr::Noun(noun.as_column()?),
            };
            Some(Phrase::Measure(Measure::Percentile(50, attr)))
        },
    },
    Rule {
        name: "the_one_in_the_middle",
        pattern: "NOUN right|exactly? in_the_middle|in_the_very_middle",
        make: |found| {
            let noun = found.noun(0)?;
            Some(Phrase::Measure(Measure::Percentile(50, Attr::Noun(noun.as_column()?))))
        },
    },
];

/// True where nothing follows in the sentence but marks and *please*.
fn ends_sentence(found: &Matched<'_>) -> bool {
    let tokens = &found.lattice.question.tokens;
    let is_end = |token: &crate::rules::text::Token| token.kind == TokenKind::Mark || token.lower == "please";
    tokens.iter().skip(found.words.end).take_while(|token| token.lower != ",").all(is_end)
}

/// *with the numbers*, *and the number of each*, but not *number* alone.
fn says_of(found: &Matched<'_>) -> bool {
    found.words.end - found.words.start > 1
}

fn of_each_person(measure: Measure) -> Option<Phrase> {
    Some(Phrase::Part(Part::All(vec![Part::OfEachPerson, Part::Measure(measure)])))
}

fn so_often(operator: Comparison, times: Value) -> Option<Phrase> {
    having(Measure::Count(None), operator, times)
}

fn having(measure: Measure, operator: Comparison, number: Value) -> Option<Phrase> {
    Some(Phrase::Part(Part::Having(Having { measure, operator, with: Against::Value(number) })))
}

/// *per make: cars, rentals, kilometres*: rows are counted, numbers are summed.
fn figures_of_each(found: &Matched<'_>) -> Option<Phrase> {
    let mut parts = vec![Part::Key(Key::Noun(found.noun(0)?))];
    let mut counted = false;
    for noun in (1..4).map_while(|at| found.noun(at)) {
        let is_rows = noun.table_score() > noun.column_score();
        counted |= is_rows;
        parts.push(match is_rows {
            true => Part::Measure(Measure::Count(noun.as_table())),
            false => Part::Shown(noun.as_column()?),
        });
    }
    counted.then_some(Phrase::Part(Part::All(parts)))
}
