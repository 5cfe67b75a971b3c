//! Merging: a walk over the question from left to right that puts its phrases together to queries.
//!
//! A beam of the best partial queries is kept for every token. A token is read as part of a phrase of the chart, or left
//! out at a price; so no word disappears for nothing, and word order decides little.

use super::chart::{Item, Part, Phrase};
use super::form::{
    Attr, By, Compare, Follows, Group, Key, Measure, Noun, Pred, Query, Show, Take, Wish, Words,
};
use super::lattice::Lattice;
use sqlogue_sql::plan::{Aggregate, Direction};

/// How many partial queries are kept for a token.
const BEAM: usize = 40;
/// How many whole queries are looked at.
pub const READINGS: usize = 60;
/// How many are handed on: those behind are looked at only where nothing can be made of those before them.
const FINAL: usize = 300;

/// A query as far as the question has been read.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// What was asked for so far.
    pub query: Query,
    /// How much of the question it explains, less what it costs.
    pub score: f32,
    /// The rules it was made by.
    pub rules: Vec<&'static str>,
    /// The spans that were read.
    pub read: Vec<Words>,
    /// The tokens that were left out.
    pub skipped: Vec<usize>,
}

/// The likeliest readings of a question, best first, not yet bound to columns. `span` are the tokens that are read, and
/// `begin` is what is known before the first.
pub fn merge(lattice: &Lattice<'_>, chart: &[Vec<Item>], span: Words, begin: &Query) -> Vec<Reading> {
    let mut beams: Vec<Vec<Reading>> = vec![Vec::new(); span.end + 1];
    if let Some(first) = beams.get_mut(span.start) {
        first.push(Reading { query: begin.clone(), ..Reading::default() });
    }
    for at in span.start..span.end {
        let readings = std::mem::take(beams.get_mut(at).unwrap_or(&mut Vec::new()));
        for reading in best(readings, BEAM) {
            let mut skipped = reading.clone();
            skipped.score -= lattice.skip(at);
            skipped.skipped.push(at);
            push(&mut beams, at + 1, skipped);
            for item in chart.get(at).into_iter().flatten() {
                let Some(part) = part(&item.phrase) else { continue };
                for (query, price, name) in added(&reading.query, &part) {
                    let mut next = reading.clone();
                    next.query = query;
                    next.score += item.worth - price;
                    next.rules.extend(item.rules.iter().copied());
                    next.rules.push(name);
                    next.read.push(Words::new(at, item.end));
                    push(&mut beams, item.end, next);
                }
            }
        }
    }
    let last = std::mem::take(beams.last_mut().unwrap_or(&mut Vec::new()));
    let mut last: Vec<Reading> = last.into_iter().filter(|reading| !reading.read.is_empty()).collect();
    last.sort_by(|one, other| other.score.total_cmp(&one.score));
    last.dedup_by(|one, other| one.query == other.query);
    last.truncate(FINAL);
    last
}

fn push(beams: &mut [Vec<Reading>], at: usize, reading: Reading) {
    if let Some(beam) = beams.get_mut(at) {
        beam.push(reading);
    }
}

/// The best of a beam, the same query once.
fn best(mut readings: Vec<Reading>, width: usize) -> Vec<Reading> {
    readings.sort_by(|one, other| other.score.total_cmp(&one.score));
    let mut kept: Vec<Reading> = Vec::with_capacity(width);
    for reading in readings {
        if kept.len() >= width {
            break;
        }
        if !kept.iter().any(|other| other.query == reading.query) {
            kept.push(reading);
        }
    }
    kept
}

/// A phrase as a part of a query; none for what is only part of other phrases.
pub(super) fn part(phrase: &Phrase) -> Option<Part> {
    match phrase {
        Phrase::Noun(noun) => Some(Part::Noun(noun.clone())),
        Phrase::Measure(measure) => Some(Part::Measure(measure.clone())),
        Phrase::Part(part) => Some(part.clone()),
        _ => None,
    }
}

/// The queries that come of adding a part, each with its price and the name of the way it was added.
pub(super) fn added(query: &Query, part: &Part) -> Vec<(Query, f32, &'static str)> {
    let with = |change: &dyn Fn(&mut Query)| {
        let mut query = query.clone();
        change(&mut query);
        query
    };
    match part {
        Part::Noun(noun) => noun_added(query, noun),
        Part::Subject(noun) => match &query.subject {
            None => vec![(with(&|query| query.subject = Some(noun.clone())), 0.0, "subject")],
            Some(known) if same_table(known, noun) => vec![(query.clone(), 0.0, "subject_again")],
            Some(_) => Vec::new(),
        },
        Part::Measure(measure) => measure_added(query, measure),
        Part::Key(key) => match query.keys.contains(key) {
            true => vec![(query.clone(), 0.2, "key_again")],
            false => vec![(with(&|query| query.keys.push(key.clone())), 0.0, "key")],
        },
        Part::Where(pred) => where_added(query, pred),
        Part::Having(having) => vec![(with(&|query| query.having.push(having.clone())), 0.0, "having")],
        Part::Order(by, direction) => match (&query.take, by, query.order.is_empty()) {
            // *top 5 …, highest first*: the order of what is taken already.
            (Some(take), By::Shown, _) if take.direction == *direction => {
                vec![(query.clone(), 0.0, "order_of_take")]
            }
            (Some(_), By::Shown, _) => {
                let turned = with(&|query| {
                    if let Some(take) = &mut query.take {
                        take.direction = *direction;
                    }
                });
                vec![(turned, 0.3, "order_turns_take")]
            }
            (_, _, true) => {
                let by = by.clone();
                vec![(with(&|query| query.order.push((by.clone(), *direction))), 0.0, "order")]
            }
            _ => Vec::new(),
        },
        Part::Take(take) => match &query.take {
            None => vec![(with(&|query| query.take = Some(take.clone())), 0.0, "take")],
            // *top 5 products by revenue*: what decides is said later.
            Some(known) if known.by == By::Shown && take.by != By::Shown => {
                let direction = known.direction;
                let taken = with(&|query| {
                    query.take = Some(Take { direction, ..take.clone() });
                });
                vec![(taken, 0.0, "take_decided")]
            }
            Some(known) if take.by == By::Shown && known.direction == take.direction => {
                vec![(query.clone(), 0.0, "take_again")]
            }
            Some(_) => Vec::new(),
        },
        Part::Decide(by) => {
            let direction = query.take.as_ref().map_or(Direction::Descending, |take| take.direction);
            // *the most popular genre by loans*: what is counted is said at last.
            // *our best customer by number of orders*: what *best* means by itself gives way.
            let is_usual = |by: &By| {
                matches!(by, By::Measure(Measure::Of(Aggregate::Sum, Attr::Revenue(_) | Attr::Sold(_))))
            };
            let gives_way = |known: &By| is_usual(known) && matches!(by, By::Measure(_));
            let decides = |take: &Take| {
                take.by != By::Shown && take.by != By::Measure(Measure::Count(None)) && !gives_way(&take.by)
            };
            if query.take.as_ref().is_some_and(decides) {
                return Vec::new();
            }
            let open = query.take.is_none();
            let taken = with(&|query| {
                query.take = Some(Take { by: by.clone(), direction, open, each: None, alone: false });
            });
            vec![(taken, 0.0, "decide")]
        }
        Part::Limit(rows) => match query.limit {
            None => vec![(with(&|query| query.limit = Some(*rows)), 0.0, "limit")],
            Some(known) if known == *rows => vec![(query.clone(), 0.0, "limit_again")],
            Some(_) => Vec::new(),
        },
        Part::Skip(rows) => match query.skip {
            None => vec![(with(&|query| query.skip = Some(*rows)), 0.0, "skip")],
            Some(_) => Vec::new(),
        },
        Part::First(first) => match query.first {
            None => vec![(with(&|query| query.first = Some(first.clone())), 0.0, "first")],
            Some(_) => Vec::new(),
        },
        Part::Names => vec![(with(&|query| query.names = true), 0.0, "names")],
        Part::ShareOfTotal => share_of_total(query),
        Part::Compare(compare, measure) => {
            // *growth against last year*: the second says what the first compares with.
            if query
                .compare
                .is_some_and(|known| !(known == Compare::Growth && *compare == Compare::YearOnYear))
            {
                return Vec::new();
            }
            let made = with(&|query| {
                query.compare = Some(*compare);
                query.show.extend(measure.clone().map(Show::Measure));
            });
            vec![(made, 0.0, "compare")]
        }
        Part::Zeros => vec![(with(&|query| query.zeros = true), 0.0, "zeros")],
        Part::Shown(noun) => {
            let shown = Show::Noun(noun.as_column().unwrap_or_else(|| noun.clone()));
            match query.show.contains(&shown) {
                true => vec![(query.clone(), 0.1, "shown_again")],
                false => vec![(with(&|query| query.show.push(shown.clone())), 0.0, "shown")],
            }
        }
        Part::InUnit(unit) => match query.in_unit {
            None => vec![(with(&|query| query.in_unit = Some(*unit)), 0.0, "in_unit")],
            Some(_) => Vec::new(),
        },
        Part::When => {
            let happened = query.preds.iter().rev().find_map(|pred| match pred {
                Pred::Happened(noun, true) | Pred::In(Some(noun), _) => Some(noun.clone()),
                _ => None,
            });
            let shown = |noun: Noun| with(&|query| query.show.push(Show::Noun(noun.clone())));
            match (happened, &query.take) {
                (Some(noun), _) => vec![(shown(noun), 0.0, "when")],
                // *our oldest customer, and when were they born*: what decides is shown.
                (None, Some(Take { by: By::Attr(_), .. })) => {
                    vec![(with(&|query| query.names = true), 0.0, "when")]
                }
                (None, _) => Vec::new(),
            }
        }
        Part::Altogether => vec![(with(&|query| query.altogether = true), 0.0, "altogether")],
        Part::Versus(windows) => match query.versus.is_empty() {
            true => vec![(with(&|query| query.versus.clone_from(windows)), 0.0, "versus")],
            false => Vec::new(),
        },
        Part::Date(noun) => match query.date {
            None => vec![(with(&|query| query.date = Some(noun.clone())), 0.0, "date_said")],
            Some(_) => Vec::new(),
        },
        Part::Pivot(noun) => match &query.pivot {
            None => vec![(with(&|query| query.pivot = Some(noun.clone())), 0.0, "pivot")],
            Some(_) => Vec::new(),
        },
        Part::InPercent => in_percent(query),
        Part::Worth(function) => {
            // What is counted beside it, else what the groups are made of.
            let counted = query.show.iter().rev().find_map(|show| match show {
                Show::Measure(Measure::Count(noun)) => noun.as_ref(),
                _ => None,
            });
            let grouped = query.keys.iter().rev().find_map(|key| match key {
                Key::Noun(noun) => Some(noun),
                _ => None,
            });
            let of = query.subject.as_ref().or(counted).or(grouped);
            let worth = of.map(|of| Show::Measure(Measure::Of(*function, Attr::Amount(of.clone()))));
            worth
                .map(|worth| (with(&|query| query.show.push(worth.clone())), 0.0, "worth"))
                .into_iter()
                .collect()
        }
        Part::Defined(measure) => defined(query, measure),
        Part::ShareOfAll => share_of_all(query),
        Part::HowMany => match query.take.is_some() || !query.having.is_empty() {
            // Who asks how much it is wants to know what it is, too.
            true => vec![(with(&|query| query.names = true), 0.0, "how_many_of_take")],
            false => Vec::new(),
        },
        Part::WholeMoney => vec![(with(&|query| query.whole_money = true), 0.0, "whole_money")],
        Part::ShareOfGroups => vec![(with(&|query| query.share_of_groups = true), 0.0, "share_of_groups")],
        Part::Decimals(decimals) => match query.decimals {
            None => vec![(with(&|query| query.decimals = Some(*decimals)), 0.0, "decimals")],
            Some(_) => Vec::new(),
        },
        Part::Also => follows(query, "also", |follows| follows.also = true),
        Part::Instead => follows(query, "instead", |follows| follows.instead = true),
        Part::Same => follows(query, "same", |follows| follows.same = true),
        Part::Only => follows(query, "only", |follows| follows.only = true),
        Part::Wish(wish) => follows(query, "wish", |follows| follows.wishes.push(wish.clone())),
        Part::Distinct => vec![(with(&|query| query.distinct = true), 0.1, "distinct")],
        Part::All(parts) => {
            let mut made = vec![(query.clone(), 0.0, "several")];
            for part in parts {
                made = made
                    .into_iter()
                    .flat_map(|(query, price, name)| {
                        added(&query, part)
                            .into_iter()
                            .map(move |(query, more, _)| (query, price + more, name))
                    })
                    .collect();
            }
            made
        }
    }
}

/// A change of the query before; nothing where there is none.
fn follows(
    query: &Query,
    name: &'static str,
    change: impl Fn(&mut Follows),
) -> Vec<(Query, f32, &'static str)> {
    let mut next = query.clone();
    let Some(follows) = &mut next.follows else { return Vec::new() };
    change(follows);
    vec![(next, 0.0, name)]
}

/// The measure before it as a share of the total; the total of a number, or the count, where none is said.
fn share_of_total(query: &Query) -> Vec<(Query, f32, &'static str)> {
    let whole =
        |measure: Measure| Show::Measure(Measure::Share(Box::new(measure), super::form::Whole::Total));
    let mut made = query.clone();
    let last = query.show.iter().rev().find_map(|show| match show {
        Show::Measure(measure) => Some(measure.clone()),
        Show::Noun(_) => None,
    });
    if last.is_none() && query.follows.is_some() {
        return follows(query, "share_of_that", |follows| follows.wishes.push(Wish::Share));
    }
    let number =
        query.show.iter().rposition(|show| matches!(show, Show::Noun(noun) if noun.tables.is_empty()));
    match (last, number) {
        (Some(measure), _) => made.show.push(whole(measure)),
        (None, Some(at)) => {
            if let Some(Show::Noun(noun)) = query.show.get(at) {
                let total = Measure::Of(Aggregate::Sum, Attr::Noun(noun.clone()));
                made.show.splice(at..=at, [Show::Measure(total.clone()), whole(total)]);
            }
        }
        (None, None) => {
            made.show.push(Show::Measure(Measure::Count(None)));
            made.show.push(whole(Measure::Count(None)));
        }
    }
    vec![(made, 0.0, "share_of_total")]
}

/// Two windows in percent of each other, or a share or growth that is in percent already.
fn in_percent(query: &Query) -> Vec<(Query, f32, &'static str)> {
    let measures = || {
        query.show.iter().filter_map(|show| match show {
            Show::Measure(measure) => Some(measure),
            Show::Noun(_) => None,
        })
    };
    let is_percent = |measure: &Measure| {
        matches!(measure, Measure::Share(..) | Measure::Percent(..) | Measure::Change(..))
    };
    let mut made = query.clone();
    match (query.versus.len(), query.compare) {
        (2, None) => made.compare = Some(Compare::Growth),
        (_, Some(Compare::Growth | Compare::YearOnYear)) => {}
        _ if query.share_of_groups || measures().any(is_percent) => {}
        _ => {
            // *clicks per view in percent*.
            let Some(Show::Measure(last)) = made.show.last_mut() else { return Vec::new() };
            let Measure::Ratio(one, other) = last else { return Vec::new() };
            *last = Measure::Percent(one.clone(), other.clone());
        }
    }
    vec![(made, 0.0, "in_percent")]
}

/// A measure in the place of the word that it explains: of what was taken in, or of a word that names nothing here.
fn defined(query: &Query, measure: &Measure) -> Vec<(Query, f32, &'static str)> {
    let is_taken_in =
        |show: &Show| matches!(show, Show::Measure(Measure::Of(Aggregate::Sum, Attr::Revenue(_))));
    let mut made = query.clone();
    match made.show.iter_mut().rev().find(|show| is_taken_in(show)) {
        Some(said) => *said = Show::Measure(measure.clone()),
        None => made.show.push(Show::Measure(measure.clone())),
    }
    vec![(made, 0.0, "defined")]
}

/// How many there are, and what part of all that is: what was a condition on rows is one on what is counted, but for the
/// time that is spoken of.
pub(super) fn share_of_all(query: &Query) -> Vec<(Query, f32, &'static str)> {
    let (when, which): (Vec<Pred>, Vec<Pred>) = query
        .preds
        .iter()
        .cloned()
        .partition(|pred| matches!(pred, Pred::In(..) | Pred::Outside(..) | Pred::On(..)));
    let measure = query.show.iter().rev().find_map(|show| match show {
        Show::Measure(measure) => Some(measure.clone()),
        Show::Noun(_) => None,
    });
    if which.is_empty() {
        return Vec::new();
    }
    let part = Measure::Where(Box::new(measure.unwrap_or(Measure::Count(None))), which);
    let share = Measure::Share(Box::new(part.clone()), super::form::Whole::Rows);
    let show = vec![Show::Measure(part), Show::Measure(share)];
    vec![(Query { show, preds: when, ..query.clone() }, 0.0, "share_of_all")]
}

/// A bare noun is what is listed, something returned, or a mention of what is known already.
fn noun_added(query: &Query, noun: &Noun) -> Vec<(Query, f32, &'static str)> {
    let mut made = Vec::new();
    let table = noun.table_score();
    if let Some(as_table) = noun.as_table() {
        let loss = (noun.score() - table).max(0.0);
        match &query.subject {
            None => {
                let mut next = query.clone();
                next.subject = Some(as_table.clone());
                made.push((next, loss, "noun_is_subject"));
            }
            Some(known) if same_table(known, &as_table) => made.push((query.clone(), loss, "noun_again")),
            Some(_) => {}
        }
        // *departments that offer courses*: there must be such rows.
        if query.subject.as_ref().is_some_and(|known| !same_table(known, &as_table)) {
            let mut next = query.clone();
            let group = Group { of: as_table.clone(), preds: Vec::new() };
            next.preds.push(Pred::Related(group, true));
            made.push((next, loss + 0.35, "noun_exists"));
        }
        // A table that is only spoken of joins, and is shown by its name.
        let mut next = query.clone();
        next.show.push(Show::Noun(as_table));
        made.push((next, loss + 0.25, "noun_is_shown_row"));
    }
    if let Some(as_column) = noun.as_column() {
        let loss = (noun.score() - noun.column_score()).max(0.0);
        let mut next = query.clone();
        next.show.push(Show::Noun(as_column.clone()));
        let weak = 1.2 * (1.0 - noun.column_score()).max(0.0);
        made.push((next, loss + 0.1 + weak, "noun_is_shown"));
        // *customers* are people sooner than a `customer_id` that is known.
        if noun.column_score() > noun.table_score() {
            let mut next = query.clone();
            next.preds.push(Pred::Known(as_column.clone(), true));
            made.push((next, loss + 0.9, "noun_is_known"));
        }
        if query.date.is_none() {
            let mut next = query.clone();
            next.date = Some(as_column);
            made.push((next, loss + 0.3, "noun_is_date"));
        }
    }
    made
}

fn measure_added(query: &Query, measure: &Measure) -> Vec<(Query, f32, &'static str)> {
    let mut next = query.clone();
    let name = match measure {
        Measure::Count(Some(noun)) if next.subject.is_none() && !noun.tables.is_empty() => {
            next.subject = noun.as_table();
            next.counts = true;
            "count_is_subject"
        }
        _ => "measure",
    };
    // *how many tickets were sold* is one number.
    let counted = query.show.last() == Some(&Show::Measure(Measure::Count(None)));
    let is_pieces = matches!(measure, Measure::Of(Aggregate::Sum, Attr::Pieces(_) | Attr::Sold(_)));
    next.show.push(Show::Measure(measure.clone()));
    vec![(next, if counted && is_pieces { 0.5 } else { 0.0 }, name)]
}

/// A condition; two values of one column side by side are alternatives, as no cell holds both.
fn where_added(query: &Query, pred: &Pred) -> Vec<(Query, f32, &'static str)> {
    let mut next = query.clone();
    next.preds.push(pred.clone());
    let price = match pred {
        Pred::Flag(..) => 0.05,
        Pred::Happened(..) => 0.12,
        Pred::Open { end: None, .. } | Pred::Ended(_) => 0.1,
        Pred::Known(..) => 0.3,
        // *paid late* is one thing.
        Pred::Late(None, _) => 0.1,
        _ => 0.0,
    };
    vec![(next, price, "where")]
}

/// True where two nouns may name the same table.
fn same_table(one: &Noun, other: &Noun) -> bool {
    match (one.tables.first(), other.tables.first()) {
        (Some((one, _)), Some((other, _))) => one == other,
        _ => false,
    }
}
