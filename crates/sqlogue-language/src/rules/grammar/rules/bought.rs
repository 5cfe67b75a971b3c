//! What is bought, where no word names the things: *what sells best*, *what do business customers buy most*, *our customers' favourite
//! product*.

use super::takes::{FEW, all, first_few, most_or_least, take};
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, By, Key, Measure, Pred, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::noun::{Noun, Unsaid};
use sqlogue_sql::plan::{Aggregate, Direction};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "what_sells_best",
        pattern: "what|which_things|which_items do_we|did_we|do_you|is|are|has_been|have_we? sells|sell|sold|selling best|most|the_most|the_best|most_often",
        make: |found| things_most_sold(found, Vec::new()),
    },
    Rule {
        name: "what_they_buy_most",
        pattern: "what|which_things|which_items do|does|did|are|have|has our|the|all? people|customers|clients|buyers|everybody|everyone|shoppers usually|mostly|typically|normally? buy|bought|buying|order|ordered|ordering|purchase|purchased most|the_most|most_often|the_most_often",
        make: |found| things_most_sold(found, Vec::new()),
    },
    Rule {
        name: "what_those_buy_most",
        pattern: "what|which_things|which_items do|does|did|are|have|has our|the|all? GROUP usually|mostly|typically|normally? buy|bought|buying|order|ordered|ordering|purchase|purchased most|the_most|most_often|the_most_often",
        make: |found| {
            let preds = found.group(0)?.preds;
            let conditions: Vec<Part> = preds.into_iter().map(Part::Where).collect();
            (!conditions.is_empty()).then(|| things_most_sold(found, conditions)).flatten()
        },
    },
    Rule {
        name: "favourite_of",
        pattern: "our|the? NUM? favourite|favorite|most_popular|best_loved NOUN of|among|for|with|by our|the|all? GROUP",
        make: |found| {
            let said = Words::new(found.words.start, found.noun(0)?.words.start);
            let first =
                first_few(found, Measure::Of(Aggregate::Sum, Attr::Sold(said)), Direction::Descending)?;
            let Phrase::Part(first) = first else { return None };
            let conditions = found.group(0)?.preds.into_iter().map(Part::Where);
            all(conditions.chain([first]).collect())
        },
    },
    Rule {
        name: "most_popular_of_kind",
        pattern: "our|the|my|top? NUM? $best_selling|most_popular|most_ordered|most_often_ordered|favourite|favorite|most_loved|least_popular VALUE",
        make: |found| {
            let kind = found.value(0)?;
            let last = found.lattice.question.tokens.get(kind.words.end.checked_sub(1)?)?;
            let few = if last.stem == last.lower { 1 } else { FEW };
            let said = Words::new(kind.words.start - 1, kind.words.start);
            let things = Noun::unsaid(Words::new(found.words.start, kind.words.end), Unsaid::Sold);
            let most = By::Measure(Measure::Of(Aggregate::Sum, Attr::Sold(said)));
            let is = Pred::Is { values: vec![kind], column: None, negated: false };
            all(vec![
                Part::Limit(found.count().unwrap_or(few)),
                take(most, most_or_least(found)),
                Part::Key(Key::Noun(things)),
                Part::Where(is),
            ])
        },
    },
];

/// The things of which most pieces were sold, under some conditions.
fn things_most_sold(found: &Matched<'_>, conditions: Vec<Part>) -> Option<Phrase> {
    let Words { start, end } = found.words;
    let things = Noun::unsaid(Words::new(start, start + 1), Unsaid::Sold);
    let most = By::Measure(Measure::Of(Aggregate::Sum, Attr::Sold(Words::new(end - 1, end))));
    let first = [Part::Limit(1), take(most, Direction::Descending), Part::Key(Key::Noun(things))];
    all(conditions.into_iter().chain(first).collect())
}
