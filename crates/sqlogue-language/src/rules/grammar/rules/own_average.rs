//! Rows beside the average of their own kind, and beside a multiple of an average: *priced above the average of their subject*,
//! *more than twice the average price of its category*, *dearer than their style's average*.

use super::columns_compared::times;
use super::conditions::condition;
use super::takes::all;
use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Against, Among, Attr, Having, Key, Measure, Pred};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::{Aggregate, Comparison};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "priced_above_their_average",
        pattern: "priced|pricier|dearer|costlier|costing|cost|costs|more_expensive at|higher|more|above|over|than? than|above? average|mean|usual|the_average price? of|for|in|within|among $their|its|the_same|same|own own? NOUN",
        make: |found| priced(found, Comparison::Greater),
    },
    Rule {
        name: "priced_below_their_average",
        pattern: "priced|cheaper|costing|cost|costs|less_expensive at|lower|less|below|under|than than|below? average|mean|usual|the_average price? of|for|in|within|among $their|its|the_same|same|own own? NOUN",
        make: |found| priced(found, Comparison::Less),
    },
    Rule {
        name: "above_multiple_of_average_of_their",
        pattern: "$with? NOUN? $yes|beats|exceeds? $more|above|over|beats|exceeds twice|double|half|triple $avg NOUN? of|for|in|within|among|at $their|its|the_same|same|own own? NOUN",
        make: |found| multiple(found, Comparison::Greater, true),
    },
    Rule {
        name: "above_so_many_times_average_of_their",
        pattern: "$with? NOUN? $yes|beats|exceeds? $more|above|over|beats|exceeds NUM times $avg NOUN? of|for|in|within|among|at $their|its|the_same|same|own own? NOUN",
        make: |found| multiple(found, Comparison::Greater, true),
    },
    Rule {
        name: "below_part_of_average_of_their",
        pattern: "$with? NOUN? $yes? $less|below|under half|half_of|a_third_of|a_quarter_of $avg NOUN? of|for|in|within|among|at $their|its|the_same|same|own own? NOUN",
        make: |found| multiple(found, Comparison::Less, true),
    },
    Rule {
        name: "above_multiple_of_average",
        pattern: "$with? NOUN? $yes|beats|exceeds? $more|above|over|beats|exceeds twice|double|half|triple $avg NOUN?",
        make: |found| multiple(found, Comparison::Greater, false),
    },
    Rule {
        name: "above_so_many_times_average",
        pattern: "$with? NOUN? $yes|beats|exceeds? $more|above|over|beats|exceeds NUM times $avg NOUN?",
        make: |found| multiple(found, Comparison::Greater, false),
    },
    Rule {
        name: "below_part_of_average",
        pattern: "$with? NOUN? $yes? $less|below|under half|half_of|a_third_of|a_quarter_of $avg NOUN?",
        make: |found| multiple(found, Comparison::Less, false),
    },
    Rule {
        name: "above_average_in_their_own",
        pattern: "$with? NOUN? $yes|beats|exceeds? $more|above|over|beats|exceeds $avg NOUN? of|for|in|within|among|at $their|its own NOUN",
        make: |found| beside_own(found, Comparison::Greater),
    },
    Rule {
        name: "below_average_in_their_own",
        pattern: "$with? NOUN? $yes? $less|below|under $avg NOUN? of|for|in|within|among|at $their|its own NOUN",
        make: |found| beside_own(found, Comparison::Less),
    },
    Rule {
        name: "above_their_kinds_average",
        pattern: "NOUN $yes|beats|exceeds? $more|above|over|beats|exceeds $their|its own? NOUN 's|'|s? average|mean",
        make: |found| beside_own(found, Comparison::Greater),
    },
    Rule {
        name: "below_their_kinds_average",
        pattern: "NOUN $yes? $less|below|under $their|its own? NOUN 's|'|s? average|mean",
        make: |found| beside_own(found, Comparison::Less),
    },
    Rule {
        name: "worth_above_their_kinds_average",
        pattern: "NOUN worth|that_are|which_are|with_a_total|with_a_value? above|over|$more|exceeding|exceed|beyond $their NOUN 's|'|s? average|mean|usual|typical value|amount|total? NOUN?",
        make: |found| worth_beside_kind(found, Comparison::Greater),
    },
    Rule {
        name: "worth_below_their_kinds_average",
        pattern: "NOUN worth|that_are|which_are|with_a_total|with_a_value? below|under|$less $their NOUN 's|'|s? average|mean|usual|typical value|amount|total? NOUN?",
        make: |found| worth_beside_kind(found, Comparison::Less),
    },
];

/// *orders above the customer's average*: what each is worth beside what those of the same customer are worth on average.
fn worth_beside_kind(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let (rows, kind) = (found.noun(0)?.as_table()?, found.noun(1)?.as_table()?);
    let measure = Measure::Of(Aggregate::Sum, Attr::Amount(rows.clone()));
    let above = Having { measure, operator, with: Against::MeanOfKind(kind) };
    all(vec![Part::Key(Key::Noun(rows)), Part::Having(above)])
}

/// *priced above the average of their subject*: the price is not named.
fn priced(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let group = found.noun(0)?.as_column()?;
    condition(Pred::Summary(Attr::Price(found.words), operator, Aggregate::Avg, Among::Same(group)))
}

/// *above the average price of their own style*: the column is the first noun, the kind the last.
fn beside_own(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let nouns: Vec<_> = (0..3).map_while(|at| found.noun(at)).collect();
    let (group, named) = nouns.split_last()?;
    let of = Attr::Noun(named.first()?.as_column()?);
    condition(Pred::Summary(of, operator, Aggregate::Avg, Among::Same(group.as_column()?)))
}

/// *more than twice the average shelf price of their department*, or of all. The price of a row is meant where nothing else is
/// named.
fn multiple(found: &Matched<'_>, operator: Comparison, own: bool) -> Option<Phrase> {
    let nouns: Vec<_> = (0..3).map_while(|at| found.noun(at)).collect();
    let (among, named) = match own {
        true => {
            let (group, named) = nouns.split_last()?;
            (Among::Same(group.as_column()?), named)
        }
        false => (Among::All, nouns.as_slice()),
    };
    let of = match named.first() {
        Some(noun) => Attr::Noun(noun.as_column()?),
        None => Attr::Price(found.words),
    };
    let of = Attr::Times(times(found)?, Box::new(of));
    condition(Pred::Summary(of, operator, Aggregate::Avg, among))
}
