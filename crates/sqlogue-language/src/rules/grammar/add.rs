//! Adding a phrase to a query: what may come of it, at what price, and by which way.

use super::chart::Part;
use super::form::{
    Attr, By, Columns, Compare, Follows, Group, Key, Measure, Noun, Pred, Query, Show, State, Take, Unsaid,
    Whole, Wish,
};
use crate::rules::lexicon::Lexicon;
use sqlogue_sql::plan::{Aggregate, Direction};

/// Queries, each with its price and the name of the way it was made.
pub(super) type Ways = Vec<(Query, f32, &'static str)>;

/// The queries that come of adding a part.
pub(super) fn added(query: &Query, part: &Part) -> Ways {
    match part {
        Part::Noun(noun) => noun_added(query, noun),
        Part::Subject(noun) => subject(query, noun),
        Part::Measure(measure) => measure_added(query, measure),
        Part::Key(_) if query.columns != Columns::Unsaid => Ways::new(),
        Part::Key(key) if query.keys.contains(key) => as_it_is(query, 0.2, "key_again"),
        Part::Key(Key::Noun(noun)) if is_way(noun) && has_way(query) => as_it_is(query, 0.0, "way_again"),
        Part::Key(key) => set(query, "key", |query| query.keys.push(key.clone())),
        Part::Where(pred) => where_added(query, pred),
        Part::Having(having) => set(query, "having", |query| query.having.push(having.clone())),
        Part::Order(by, direction) => order(query, by, *direction),
        Part::Take(take) => taken(query, take),
        Part::Decide(by) => decided(query, by),
        Part::Limit(rows) if query.limit == Some(*rows) => as_it_is(query, 0.0, "limit_again"),
        Part::Limit(rows) => once(query, "limit", *rows, |query| &mut query.limit),
        Part::Portion(portion) => once(query, "portion", *portion, |query| &mut query.portion),
        Part::Ends(by, direction) => once(query, "ends", (by.clone(), *direction), |query| &mut query.ends),
        Part::Some(_) if query.limit.is_some() => Ways::new(),
        Part::Some(rows) => set(query, "some", |query| {
            query.limit = Some(*rows);
            query.any = true;
        }),
        Part::Skip(rows) => once(query, "skip", *rows, |query| &mut query.skip),
        Part::Utmost(utmost) => once(query, "utmost", utmost.clone(), |query| &mut query.utmost),
        Part::Whole => set(query, "whole", |query| query.whole = true),
        Part::Names => set(query, "names", |query| query.names = true),
        Part::ShareOfTotal => share_of_total(query),
        Part::Compare(compare, measure) => compared(query, *compare, measure.as_ref()),
        Part::Within(noun) => once(query, "within", noun.clone(), |query| &mut query.within),
        Part::BesideOverall => set(query, "beside_overall", |query| query.beside_overall = true),
        Part::PlainToo => set(query, "plain_too", |query| query.plain_too = true),
        Part::Zeros => set(query, "zeros", |query| query.zeros = true),
        Part::Shown(noun) => shown(query, noun),
        Part::Column(noun) => set(query, "column", |query| query.show.push(Show::Noun(noun.clone()))),
        Part::Columns(columns) => columns_named(query, *columns),
        Part::InUnit(unit) => once(query, "in_unit", *unit, |query| &mut query.in_unit),
        Part::When => when(query),
        Part::Together(noun) => once(query, "together", noun.clone(), |query| &mut query.together),
        Part::Altogether => set(query, "altogether", |query| query.altogether = true),
        Part::OfEachPerson => set(query, "of_each_person", |query| query.of_each_person = true),
        Part::ByNumber => set(query, "by_number", |query| query.by_number = true),
        Part::ShareOfFirst => set(query, "share_of_first", |query| query.share_of_first = true),
        Part::Averaged if query.averaged => Ways::new(),
        Part::Averaged => set(query, "averaged", |query| query.averaged = true),
        Part::Counted => counted(query),
        Part::Versus(_) if !query.versus.is_empty() => Ways::new(),
        Part::Versus(windows) => set(query, "versus", |query| query.versus.clone_from(windows)),
        Part::Date(noun) => once(query, "date_said", noun.clone(), |query| &mut query.date),
        Part::Pivot(noun) => once(query, "pivot", noun.clone(), |query| &mut query.pivot),
        Part::Side(first) => once(query, "side", *first, |query| &mut query.side),
        Part::InPercent => in_percent(query),
        Part::Worth(function) => worth(query, *function),
        Part::Defined(measure) => defined(query, measure),
        Part::ShareOfAll => share_of_all(query),
        // Who asks how much it is wants to know what it is, too.
        Part::HowMany if query.take.is_some() || !query.having.is_empty() => {
            set(query, "how_many_of_take", |query| query.names = true)
        }
        Part::HowMany => Ways::new(),
        Part::WholeMoney => set(query, "whole_money", |query| query.whole_money = true),
        Part::LessDiscount => set(query, "less_discount", |query| query.less_discount = true),
        Part::ShareOfGroups => set(query, "share_of_groups", |query| query.share_of_groups = true),
        Part::OfDoers => set(query, "of_doers", |query| query.of_doers = true),
        Part::Decimals(decimals) => once(query, "decimals", *decimals, |query| &mut query.decimals),
        Part::Also => follows(query, "also", |follows| follows.also = true),
        Part::Instead => follows(query, "instead", |follows| follows.instead = true),
        Part::Same => follows(query, "same", |follows| follows.same = true),
        Part::Only => follows(query, "only", |follows| follows.only = true),
        Part::Wish(wish) => follows(query, "wish", |follows| follows.wishes.push(wish.clone())),
        Part::Distinct => priced(query, 0.1, "distinct", |query| query.distinct = true),
        Part::All(parts) => several(query, parts),
    }
}

/// The columns of rows are named one by one: of each of those that are spoken of, but not of groups that are summed up.
fn columns_named(query: &Query, columns: Columns) -> Ways {
    let mut next = Query { columns, ..query.clone() };
    match query.keys.as_slice() {
        _ if !query.show.is_empty() => return Ways::new(),
        [] => {}
        // *the most recent batch of each beer: beer, code and date*
        [_] if query.take.is_some() && query.subject.is_some() => {}
        // *for each agent: name, phone*
        [Key::Noun(each)] if query.subject.as_ref().is_none_or(|subject| same_table(subject, each)) => {
            let Some(rows) = each.as_table() else { return Ways::new() };
            next.subject = Some(rows);
            next.keys.clear();
        }
        _ => return Ways::new(),
    }
    vec![(next, 0.0, "columns")]
}

/// One way to change a query, at a price.
fn priced(query: &Query, price: f32, way: &'static str, change: impl FnOnce(&mut Query)) -> Ways {
    let mut query = query.clone();
    change(&mut query);
    vec![(query, price, way)]
}

/// One way to change a query, at no price.
fn set(query: &Query, way: &'static str, change: impl FnOnce(&mut Query)) -> Ways {
    priced(query, 0.0, way, change)
}

/// The query stays: what is added says nothing that it does not say.
fn as_it_is(query: &Query, price: f32, way: &'static str) -> Ways {
    vec![(query.clone(), price, way)]
}

/// What can be said only once; nothing where it was said before.
fn once<T>(query: &Query, way: &'static str, said: T, place: impl Fn(&mut Query) -> &mut Option<T>) -> Ways {
    let mut query = query.clone();
    let place = place(&mut query);
    if place.is_some() {
        return Ways::new();
    }
    *place = Some(said);
    vec![(query, 0.0, way)]
}

fn several(query: &Query, parts: &[Part]) -> Ways {
    parts.iter().fold(as_it_is(query, 0.0, "several"), |made, part| {
        let more = |(query, price, way): (Query, f32, &'static str)| {
            added(&query, part).into_iter().map(move |(query, more, _)| (query, price + more, way))
        };
        made.into_iter().flat_map(more).collect()
    })
}

fn is_way(noun: &Noun) -> bool {
    noun.unsaid == Some(Unsaid::Way)
}

/// True where both ends of rows are spoken of already: *the routes from depot to depot*.
fn has_way(query: &Query) -> bool {
    let keys = query.keys.iter().any(|key| matches!(key, Key::Noun(noun) if is_way(noun)));
    keys || query.subject.iter().any(is_way)
}

fn subject(query: &Query, noun: &Noun) -> Ways {
    match &query.subject {
        None => set(query, "subject", |query| query.subject = Some(noun.clone())),
        Some(known) if same_table(known, noun) => as_it_is(query, 0.0, "subject_again"),
        Some(_) => Ways::new(),
    }
}

/// True where rows are sorted by one column so far, and not by this one.
fn sorts_by_another(order: &[(By, Direction)], by: &By) -> bool {
    matches!(order, [(known @ By::Attr(Attr::Noun(_)), _)] if known != by)
}

fn order(query: &Query, by: &By, direction: Direction) -> Ways {
    match (&query.take, by) {
        // *top 5 …, highest first*: the order of what is taken already.
        (Some(take), By::Shown) if take.direction == direction => as_it_is(query, 0.0, "order_of_take"),
        (Some(take), By::Shown) => priced(query, 0.3, "order_turns_take", |query| {
            query.take = Some(Take { direction, ..take.clone() });
        }),
        // *sorted by price, highest first*: what it is sorted by is said already.
        (None, By::Shown | By::Attr(Attr::Adjective(..))) if query.order.len() == 1 => {
            set(query, "order_turned", |query| {
                for (known_by, known) in &mut query.order {
                    *known = match (direction, turns(by, known_by)) {
                        (Direction::Ascending, true) | (Direction::Descending, false) => {
                            Direction::Descending
                        }
                        _ => Direction::Ascending,
                    };
                }
            })
        }
        _ if query.order.is_empty() => set(query, "order", |query| query.order.push((by.clone(), direction))),
        // *sorted by city and then by name*
        (None, By::Attr(Attr::Noun(_))) if sorts_by_another(&query.order, by) => {
            set(query, "order_then", |query| query.order.push((by.clone(), direction)))
        }
        _ => Ways::new(),
    }
}

/// True for an adjective that the column shrinks with: the *earliest* date is the smallest.
fn turns(adjective: &By, by: &By) -> bool {
    let By::Attr(Attr::Adjective(_, index)) = adjective else { return false };
    let says_when = matches!(by, By::Attr(Attr::Noun(noun)) if noun.says_when);
    let adjective = Lexicon::embedded().adjective(*index);
    adjective.is_some_and(|one| one.grows.is_empty() || says_when && !one.shrinks.is_empty())
}

fn taken(query: &Query, take: &Take) -> Ways {
    match &query.take {
        None => set(query, "take", |query| query.take = Some(take.clone())),
        // *top 5 products by revenue*: what decides is said later.
        Some(known) if known.by == By::Shown && take.by != By::Shown => set(query, "take_decided", |query| {
            let each = take.each.clone().or_else(|| known.each.clone());
            query.take = Some(Take { direction: known.direction, each, ..take.clone() });
        }),
        Some(known) if take.by == By::Shown && known.direction == take.direction => {
            as_it_is(query, 0.0, "take_again")
        }
        Some(_) => Ways::new(),
    }
}

fn decided(query: &Query, by: &By) -> Ways {
    let direction = query.take.as_ref().map_or(Direction::Descending, |take| take.direction);
    // *the most popular genre by loans*: what is counted is said at last.
    // *our best customer by number of orders*: what *best* means by itself gives way.
    let is_usual =
        |by: &By| matches!(by, By::Measure(Measure::Of(Aggregate::Sum, Attr::Revenue(_) | Attr::Sold(_))));
    let gives_way = |known: &By| is_usual(known) && matches!(by, By::Measure(_));
    let decides = |take: &Take| {
        take.by != By::Shown && take.by != By::Measure(Measure::Count(None)) && !gives_way(&take.by)
    };
    if query.take.as_ref().is_some_and(decides) {
        return Ways::new();
    }
    let open = query.take.is_none();
    let each = query.take.as_ref().and_then(|take| take.each.clone());
    set(query, "decide", |query| {
        query.take = Some(Take { by: by.clone(), direction, open, each, alone: false });
    })
}

fn compared(query: &Query, compare: Compare, measure: Option<&Measure>) -> Ways {
    // *growth against last year*: the second says what the first compares with.
    if query.compare.is_some_and(|known| {
        !(matches!(known, Compare::Growth | Compare::Change) && compare == Compare::YearOnYear)
    }) {
        return Ways::new();
    }
    set(query, "compare", |query| {
        query.compare = Some(compare);
        query.show.extend(measure.cloned().map(Show::Measure));
    })
}

fn shown(query: &Query, noun: &Noun) -> Ways {
    let shown = Show::Noun(noun.as_column().unwrap_or_else(|| noun.clone()));
    if query.show.contains(&shown) {
        return as_it_is(query, 0.1, "shown_again");
    }
    set(query, "shown", |query| query.show.push(shown))
}

fn when(query: &Query) -> Ways {
    let happened = query.preds.iter().rev().find_map(|pred| match pred {
        Pred::Happened(noun, true) | Pred::In(Some(noun), _) => Some(noun.clone()),
        _ => None,
    });
    match (happened, &query.take) {
        (Some(noun), _) => set(query, "when", |query| query.show.push(Show::Noun(noun))),
        // *our oldest customer, and when were they born*: what decides is shown.
        (None, Some(Take { by: By::Attr(_), .. })) => set(query, "when", |query| query.names = true),
        (None, _) => Ways::new(),
    }
}

fn in_percent(query: &Query) -> Ways {
    match (query.versus.len(), query.compare, query.show.last()) {
        (2, None, _) => set(query, "change_in_percent", |query| query.compare = Some(Compare::Growth)),
        (2, Some(Compare::Growth), _) => as_it_is(query, 0.0, "change_in_percent"),
        (_, Some(Compare::Difference | Compare::Change), _) => {
            set(query, "change_in_percent", |query| query.compare = Some(Compare::Growth))
        }
        (_, Some(Compare::Growth | Compare::YearOnYear), _) => as_it_is(query, 0.0, "in_percent"),
        _ if query.share_of_groups || query.show.iter().any(is_share) => as_it_is(query, 0.0, "in_percent"),
        // *clicks per view in percent*.
        (_, _, Some(Show::Measure(Measure::Ratio(one, other)))) => set(query, "in_percent", |query| {
            query.show.pop();
            query.show.push(Show::Measure(Measure::Percent(one.clone(), other.clone())));
        }),
        _ => Ways::new(),
    }
}

/// True for what is given in percent anyhow.
fn is_share(show: &Show) -> bool {
    matches!(show, Show::Measure(Measure::Share(..) | Measure::Percent(..) | Measure::Change(..)))
}

/// How many there are, where nothing else is measured: *members from Oslo, just the number*.
fn counted(query: &Query) -> Ways {
    if query.show.iter().any(|show| matches!(show, Show::Measure(_))) {
        return as_it_is(query, 0.0, "counted_already");
    }
    set(query, "counted_at_last", |query| {
        query.counts |= query.subject.is_some();
        query.show.push(Show::Measure(Measure::Count(None)));
    })
}

/// A summary of what is counted beside it, else of what the groups are made of.
fn worth(query: &Query, function: Aggregate) -> Ways {
    let counted = query.show.iter().rev().find_map(|show| match show {
        Show::Measure(Measure::Count(noun)) => noun.as_ref(),
        _ => None,
    });
    let grouped = query.keys.iter().rev().find_map(|key| match key {
        Key::Noun(noun) => Some(noun),
        _ => None,
    });
    let Some(of) = query.subject.as_ref().or(counted).or(grouped) else { return Ways::new() };
    let worth = Measure::Of(function, Attr::Amount(of.clone()));
    set(query, "worth", |query| query.show.push(Show::Measure(worth)))
}

/// A change of the query before; nothing where there is none.
fn follows(query: &Query, way: &'static str, change: impl FnOnce(&mut Follows)) -> Ways {
    let mut next = query.clone();
    let Some(follows) = &mut next.follows else { return Ways::new() };
    change(follows);
    vec![(next, 0.0, way)]
}

/// The measure before it as a share of the total; the total of a number, or the count, where none is said.
fn share_of_total(query: &Query) -> Ways {
    let whole = |measure: Measure| Show::Measure(Measure::Share(Box::new(measure), Whole::Total));
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

/// A measure in the place of the word that it explains: of what was taken in, or of a word that names nothing here.
fn defined(query: &Query, measure: &Measure) -> Ways {
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
pub(super) fn share_of_all(query: &Query) -> Ways {
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
        return Ways::new();
    }
    let part = Measure::Where(Box::new(measure.unwrap_or(Measure::Count(None))), which);
    let share = Measure::Share(Box::new(part.clone()), Whole::Rows);
    let show = vec![Show::Measure(part), Show::Measure(share)];
    vec![(Query { show, preds: when, ..query.clone() }, 0.0, "share_of_all")]
}

/// A bare noun is what is listed, something returned, or a mention of what is known already.
fn noun_added(query: &Query, noun: &Noun) -> Ways {
    let mut made = Ways::new();
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

fn measure_added(query: &Query, measure: &Measure) -> Ways {
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
fn where_added(query: &Query, pred: &Pred) -> Ways {
    let mut next = query.clone();
    next.preds.push(pred.clone());
    let price = match pred {
        Pred::Flag(..) => 0.05,
        Pred::Happened(..) => 0.12,
        Pred::Open { end: None, .. } | Pred::OpenRows(_) | Pred::Ended(_) | Pred::State(State::OnNow(_)) => {
            0.1
        }
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
