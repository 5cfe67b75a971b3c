//! Other readings of one query: what people mean who leave out the word that says it.

use jiff::civil::Date;

use super::Lowering;
use super::grain::Grain;
use crate::rules::grammar::amounts::amounts_of;
use crate::rules::grammar::bind::Binding;
use crate::rules::grammar::columns::{adds_up, flag, is_number};
use crate::rules::grammar::form::{
    Against, Among, Attr, By, Group, Having, Key, Measure, Named, Noun, Pred, Query, Show, Whole, Words,
};
use crate::rules::grammar::lower::takings::summed_rows;
use crate::rules::grammar::time::Window;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use sqlogue_sql::plan::{Aggregate, Comparison, Condition, Direction, Expr};
use sqlogue_sql::schema::Value;

/// A query that another may mean.
pub(super) struct Other {
    /// The query.
    pub(super) query: Query,
    /// What was read into it.
    pub(super) name: &'static str,
    /// What that costs.
    pub(super) price: f32,
}

/// The other readings of a query.
pub(super) fn readings(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Vec<Other> {
    [
        counted(query).map(|query| Other { query, name: "rows_are_counted", price: 0.35 }),
        summed(query, binding, knowledge).map(|query| Other { query, name: "number_is_summed", price: 0.3 }),
        split(query, binding).map(|query| Other { query, name: "values_are_groups", price: 0.3 }),
        pivoted(query, binding).map(|query| Other { query, name: "values_are_columns", price: 0.35 }),
        moved(query).map(|query| Other { query, name: "window_of_related", price: 0.15 }),
        totalled(query, binding, knowledge).map(|query| Other { query, name: "total_compares", price: 0.05 }),
        flagged(query, binding, knowledge).map(|query| Other {
            query,
            name: "flags_are_columns",
            price: 0.0,
        }),
        counted_too(query, binding).map(|query| Other { query, name: "subject_is_counted", price: 0.0 }),
        summed_rows(query, binding, knowledge).map(|query| Other {
            query,
            name: "rows_are_summed",
            price: 0.4,
        }),
        of_year(query, binding, knowledge).map(|query| Other { query, name: "year_is_meant", price: 0.0 }),
        among_these(query).map(|query| Other { query, name: "average_of_these", price: 0.1 }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// *viewings last week*: how many there were.
fn counted(query: &Query) -> Option<Query> {
    let lists = query.show.is_empty()
        && query.keys.is_empty()
        && query.having.is_empty()
        && query.order.is_empty()
        && query.take.is_none()
        && query.limit.is_none()
        && query.subject.is_some();
    lists.then(|| Query { show: vec![Show::Measure(Measure::Count(None))], ..query.clone() })
}

/// *products by price*: in that order, since hardly two of them have the same price.
pub(super) fn sorted(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<Query> {
    let (Some(subject), [Key::Noun(key)]) = (&query.subject, query.keys.as_slice()) else { return None };
    let table = binding.fillers.get(&subject.words).filter(|rows| rows.column.is_none())?.table;
    let column = binding.fillers.get(&key.words)?.column?;
    let entry = knowledge.column(column);
    let is_money = matches!(entry.kind, ColumnKind::Money(_)) && is_number(knowledge, column);
    let tells_apart = entry.table == table
        && entry.few_values.is_empty()
        && (is_money || entry.seen && knowledge.table(table).label.contains(&column));
    let says_no_more = query.show.is_empty()
        && query.having.is_empty()
        && query.take.is_none()
        && query.versus.is_empty()
        && query.compare.is_none()
        && query.pivot.is_none()
        && !query.zeros
        && !query.counts;
    (tells_apart && says_no_more).then(|| Query {
        keys: Vec::new(),
        show: vec![Show::Noun(key.clone())],
        order: vec![(By::Attr(Attr::Noun(key.clone())), Direction::Ascending)],
        names: true,
        ..query.clone()
    })
}

/// *commission last quarter*: its total.
pub(super) fn summed(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<Query> {
    let column = |noun: &Noun| binding.fillers.get(&noun.words).and_then(|filler| filler.column);
    if query.altogether && query.show.is_empty() && query.keys.is_empty() && query.take.is_none() {
        let worth = Measure::Of(Aggregate::Sum, Attr::Amount(query.subject.clone()?));
        return Some(Query { show: vec![Show::Measure(worth)], subject: None, ..query.clone() });
    }
    if query.show.is_empty() || !query.keys.is_empty() || !query.order.is_empty() || query.take.is_some() {
        return None;
    }
    let total = |show: &Show| match show {
        Show::Noun(noun) => {
            let id = column(noun)?;
            let adds = is_number(knowledge, id) && adds_up(knowledge, id) && flag(knowledge, id).is_none();
            adds.then(|| Show::Measure(Measure::Of(Aggregate::Sum, Attr::Noun(noun.clone()))))
        }
        Show::Measure(_) => None,
    };
    let show: Vec<Show> = query.show.iter().map(total).collect::<Option<_>>()?;
    Some(Query { show, subject: None, ..query.clone() })
}

/// *how many adults, children and seniors*: one number for each.
fn split(query: &Query, binding: &Binding) -> Option<Query> {
    let (_, first) = *alternatives(query, binding)?.first()?;
    let mut values = query.preds.iter().flat_map(|pred| match pred {
        Pred::Is { values, .. } => values.as_slice(),
        _ => &[],
    });
    let named = values.find(|named| named.words == first)?.clone();
    let mut other = query.clone();
    other.keys.push(Key::ColumnOf(named));
    Some(other)
}

/// *tickets per team: open, pending, closed*: one column for each.
fn pivoted(query: &Query, binding: &Binding) -> Option<Query> {
    let values = alternatives(query, binding)?;
    let ours = |named: &Named| values.iter().any(|(_, words)| *words == named.words);
    let (split, preds): (Vec<Pred>, Vec<Pred>) =
        query.preds.iter().cloned().partition(
            |pred| matches!(pred, Pred::Is { values, negated: false, .. } if values.iter().all(ours)),
        );
    let named = split.into_iter().flat_map(|pred| match pred {
        Pred::Is { values, .. } => values,
        _ => Vec::new(),
    });
    let measured: Vec<Measure> = query
        .show
        .iter()
        .filter_map(|show| match show {
            Show::Measure(measure) => Some(measure.clone()),
            Show::Noun(_) => None,
        })
        .collect();
    let (true, [] | [_]) = (measured.len() == query.show.len(), measured.as_slice()) else { return None };
    let measure = measured.into_iter().next().unwrap_or(Measure::Count(query.subject.clone()));
    let column = |named: Named| {
        let is = Pred::Is { values: vec![named], column: None, negated: false };
        Show::Measure(Measure::Where(Box::new(measure.clone()), vec![is]))
    };
    Some(Query { show: named.map(column).collect(), preds, ..query.clone() })
}

/// So many values have columns of their own at most.
const COLUMNS: usize = 12;

/// *tickets per team, one column per status*: a measure for each value that is named, or that the column holds.
pub(super) fn spread(
    query: &Query,
    of: Option<&Noun>,
    binding: &Binding,
    knowledge: &Knowledge,
) -> Option<Query> {
    let divides = |show: &Show| matches!(show, Show::Measure(Measure::Ratio(..) | Measure::Percent(..)));
    if query.show.iter().any(divides) {
        return None;
    }
    if let Some(pivoted) = pivoted(query, binding) {
        return Some(pivoted);
    }
    let noun = of?;
    let id = binding.fillers.get(&noun.words)?.column?;
    let values = &knowledge.column(id).few_values;
    if values.len() < 2 || values.len() > COLUMNS {
        return None;
    }
    let measure = match query.show.as_slice() {
        [] => Measure::Count(query.subject.clone()),
        [Show::Measure(measure)] => measure.clone(),
        _ => return None,
    };
    let column = |value: &Value| {
        let is = Pred::Compare(Attr::Noun(noun.clone()), Comparison::Equal, value.clone());
        Show::Measure(Measure::Where(Box::new(measure.clone()), vec![is]))
    };
    // Whoever names the column as what groups are made by too means the same columns.
    let other = |key: &Key| !matches!(key, Key::Noun(key) if binding.fillers.get(&key.words).and_then(|filler| filler.column) == Some(id));
    let keys = query.keys.iter().filter(|key| other(key)).cloned().collect();
    Some(Query { show: values.iter().map(column).collect(), keys, ..query.clone() })
}

/// Values of one column that are named side by side, with the words of each.
fn alternatives(query: &Query, binding: &Binding) -> Option<Vec<(ColumnId, Words)>> {
    let mut found: Vec<(ColumnId, Words)> = Vec::new();
    for pred in &query.preds {
        let Pred::Is { values, negated: false, .. } = pred else { continue };
        for value in values {
            if let Some(id) = binding.fillers.get(&value.words).and_then(|filler| filler.column) {
                found.push((id, value.words));
            }
        }
    }
    let column =
        found.iter().map(|(id, _)| *id).find(|id| found.iter().filter(|(own, _)| own == id).count() > 1)?;
    found.retain(|(id, _)| *id == column);
    Some(found)
}

/// *average age today*: an age is of today, whatever the date of the rows.
pub(super) fn aged_today(query: &Query, today: Date) -> Option<Query> {
    let speaks_of_age = query.show.iter().any(|show| {
        matches!(show, Show::Measure(Measure::Of(_, Attr::Age(..)) | Measure::Percentile(_, Attr::Age(..))))
    }) || query.keys.iter().any(|key| matches!(key, Key::Bands(Attr::Age(..), _)));
    let is_today = |pred: &Pred| match pred {
        Pred::In(None, window) => window.from == Some(today) && window.until == today.tomorrow().ok(),
        _ => false,
    };
    let preds: Vec<Pred> = query.preds.iter().filter(|pred| !is_today(pred)).cloned().collect();
    let says_today = preds.len() < query.preds.len();
    (speaks_of_age && says_today).then(|| Query { preds, ..query.clone() })
}

/// *percentage of members who pay by card, per city*: of the members of each city, and not of those who pay by card.
pub(super) fn shared(query: &Query) -> Option<Query> {
    let (when, which): (Vec<Pred>, Vec<Pred>) = query
        .preds
        .iter()
        .cloned()
        .partition(|pred| matches!(pred, Pred::In(..) | Pred::Outside(..) | Pred::On(..)));
    let [Show::Measure(Measure::Share(part, Whole::Total))] = query.show.as_slice() else { return None };
    if which.is_empty() || !matches!(**part, Measure::Count(_)) {
        return None;
    }
    let part = Measure::Where(part.clone(), which);
    let show = vec![Show::Measure(Measure::Share(Box::new(part), Whole::Rows))];
    Some(Query { show, preds: when, ..query.clone() })
}

/// *products with more than 500 sold pieces*: in all, and not in one row that refers to the product.
fn totalled(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<Query> {
    let subject = binding.fillers.get(&query.subject.as_ref()?.words)?.table;
    let total = |pred: &Pred| {
        let Pred::Compare(Attr::Noun(noun), operator, value) = pred else { return None };
        let id = binding.fillers.get(&noun.words)?.column?;
        let table = knowledge.column(id).table;
        let refers = knowledge.joins().refers(table, subject);
        let adds = table != subject && refers && is_number(knowledge, id) && adds_up(knowledge, id);
        let measure = Measure::Of(Aggregate::Sum, Attr::Noun(noun.clone()));
        adds.then(|| Having { measure, operator: *operator, with: Against::Value(value.clone()) })
    };
    let (mut preds, mut having) = (Vec::new(), query.having.clone());
    for pred in &query.preds {
        match total(pred) {
            Some(total) => having.push(total),
            None => preds.push(pred.clone()),
        }
    }
    (having.len() > query.having.len()).then(|| Query { preds, having, ..query.clone() })
}

/// *planned and unplanned stops per machine*: a column for each, since nothing is both.
fn flagged(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<Query> {
    let of = |words: &Words| binding.fillers.get(words).and_then(|filler| filler.column);
    let column = |pred: &Pred| match pred {
        Pred::Flag(noun, _) => of(&noun.words),
        Pred::Is { values, negated: false, .. } => match values.as_slice() {
            [value] => of(&value.words).filter(|id| flag(knowledge, *id).is_some()),
            _ => None,
        },
        _ => None,
    };
    let flags: Vec<ColumnId> = query.preds.iter().filter_map(column).collect();
    let id = *flags.iter().enumerate().find(|(at, id)| flags.iter().skip(at + 1).any(|own| own == *id))?.1;
    let (sides, preds): (Vec<Pred>, Vec<Pred>) =
        query.preds.iter().cloned().partition(|pred| column(pred) == Some(id));
    let measure = match query.show.as_slice() {
        [] => Measure::Count(query.subject.clone()),
        [Show::Measure(measure)] => measure.clone(),
        _ => return None,
    };
    let side = |pred: Pred| Show::Measure(Measure::Where(Box::new(measure.clone()), vec![pred]));
    Some(Query { show: sides.into_iter().map(side).collect(), preds, ..query.clone() })
}

/// *runs and good quantity by machine*: what is named beside numbers is counted.
fn counted_too(query: &Query, binding: &Binding) -> Option<Query> {
    let subject = query.subject.as_ref()?;
    let table = |noun: &Noun| binding.fillers.get(&noun.words).map(|filler| filler.table);
    let is_column =
        |noun: &Noun| binding.fillers.get(&noun.words).is_some_and(|filler| filler.column.is_some());
    let is_key = query
        .keys
        .iter()
        .any(|key| matches!(key, Key::Noun(noun) if !is_column(noun) && table(noun) == table(subject)));
    // Nothing but a comma or *and* lies between it and the next.
    let beside = query.show.iter().any(|show| match show {
        Show::Noun(noun) => {
            let gap = noun.words.start.saturating_sub(subject.words.end);
            is_column(noun) && (1..=2).contains(&gap)
        }
        Show::Measure(_) => false,
    });
    let counts = !query.counts && !query.keys.is_empty() && !is_key && beside;
    counts.then(|| {
        let mut show = vec![Show::Measure(Measure::Count(Some(subject.clone())))];
        show.extend(query.show.iter().cloned());
        Query { show, ..query.clone() }
    })
}

/// *orders over 1000 euros*: what an order is worth is told by its lines alone, and their total is compared.
pub(super) fn worth_below(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<Query> {
    let subject = query.subject.as_ref()?;
    let table = binding.fillers.get(&subject.words).filter(|filler| filler.column.is_none())?.table;
    if knowledge.worth(table).is_some() {
        return None;
    }
    amounts_of(knowledge, table).filter(|below| *below != table)?;
    let (mut preds, mut having) = (Vec::new(), query.having.clone());
    let bound = |operator: Comparison, value: &Value| {
        let measure = Measure::Of(Aggregate::Sum, Attr::Amount(subject.clone()));
        Having { measure, operator, with: Against::Value(value.clone()) }
    };
    for pred in &query.preds {
        match pred {
            Pred::Compare(Attr::Price(_), operator, value) => having.push(bound(*operator, value)),
            Pred::Range(Attr::Price(_), low, high) => {
                having.push(bound(Comparison::GreaterOrEqual, low));
                having.push(bound(Comparison::LessOrEqual, high));
            }
            other => preds.push(other.clone()),
        }
    }
    (having.len() > query.having.len()).then(|| Query { preds, having, ..query.clone() })
}

/// *desserts that cost more than the average dessert*: the average of those that are spoken of.
fn among_these(query: &Query) -> Option<Query> {
    let mut other = query.clone();
    let mut found = false;
    for pred in &mut other.preds {
        if let Pred::Summary(_, _, _, among @ Among::All) = pred {
            (*among, found) = (Among::These, true);
        }
    }
    (found && other.preds.len() > 1).then_some(other)
}

impl Lowering<'_> {
    /// True for a century where what is asked for has a year of its own: no other date of it is meant.
    pub(super) fn is_of_year(&self, window: &Window, grain: &Grain) -> bool {
        is_century(window) && written_year(grain.entity, self.knowledge).is_some()
    }
}

fn is_century(window: &Window) -> bool {
    matches!(window, Window { from: Some(from), until: Some(until) } if until.year() - from.year() == 100)
}

/// The column of years of a table; none where it has none.
fn written_year(table: TableId, knowledge: &Knowledge) -> Option<ColumnId> {
    let is_year = |id: &ColumnId| knowledge.column(*id).kind == ColumnKind::Year;
    knowledge.table(table).columns.iter().copied().find(is_year)
}

/// *works of the 19th century*: no database was kept then, so that it is said of a year that is written down.
fn of_year(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<Query> {
    let subject = query.subject.as_ref()?;
    let table = binding.fillers.get(&subject.words)?.table;
    let year = written_year(table, knowledge)?;
    let column = &knowledge.column(year).name;
    let expr = Expr::column(knowledge.table(table).name.clone(), column.clone());
    let long_ago = |pred: &Pred| match pred {
        Pred::In(None, window) if is_century(window) => {
            let years = [window.from?.year(), window.last()?.year()];
            let [low, high] = years.map(|year| Expr::literal(i64::from(year)));
            let within = Condition::Between { expr: expr.clone(), low, high };
            Some(Pred::Given(Box::new(within), vec![table]))
        }
        _ => None,
    };
    let at = query.preds.iter().position(|pred| long_ago(pred).is_some())?;
    let mut meant = query.clone();
    let pred = meant.preds.get_mut(at)?;
    *pred = long_ago(pred)?;
    Some(meant)
}

/// *customers who ordered in May*: the window is that of the orders, and not of the customers.
fn moved(query: &Query) -> Option<Query> {
    let is_window = |pred: &Pred| matches!(pred, Pred::In(None, _) | Pred::On(None, _));
    let (windows, mut rest): (Vec<Pred>, Vec<Pred>) = query.preds.iter().cloned().partition(is_window);
    let inner: Vec<&mut Vec<Pred>> = rest
        .iter_mut()
        .filter_map(|pred| match pred {
            Pred::Related(Group { preds, .. }, _)
            | Pred::Used(_, preds, _)
            | Pred::Through(_, _, preds, _) => Some(preds),
            _ => None,
        })
        .filter(|preds| !preds.iter().any(is_window))
        .collect();
    if windows.is_empty() || inner.is_empty() {
        return None;
    }
    inner.into_iter().for_each(|preds| preds.extend(windows.iter().cloned()));
    Some(Query { preds: rest, ..query.clone() })
}
