//! What is wished of the query before as a whole: its number, its rows, a share, an earlier time, all of it again.

use super::unify::{Talk, Ways, changed};
use crate::rules::grammar::add::share_of_all;
use crate::rules::grammar::bind::Filler;
use crate::rules::grammar::form::{
    Against, Attr, By, Having, Key, Measure, Noun, Pred, Query, Show, Statistic, Take, Whole, Wish,
};
use crate::rules::knowledge::ColumnId;
use sqlogue_sql::plan::{Aggregate, Comparison};
use sqlogue_sql::schema::Value;

impl Talk<'_> {
    /// What is wished of the query before as a whole.
    pub(super) fn wished(&self, query: &Query, wish: &Wish) -> Ways {
        match wish {
            Wish::Count => vec![changed(query, 0.0, "counted", |query| {
                query.show = vec![Show::Measure(Measure::Count(query.subject.clone()))];
                query.order.clear();
                query.take = None;
                query.limit = None;
            })],
            Wish::Rows => self.rows(query),
            Wish::Share => self.share(query),
            Wish::Plain => plain(query),
            Wish::Summary(summary) => summarised_by(query, *summary),
            Wish::Against(window) => self.against(query, *window),
            Wish::Earlier(months) => {
                let mut moved = query.clone();
                for pred in &mut moved.preds {
                    if let Pred::In(_, window) = pred {
                        let earlier = match months {
                            Some(months) => window.months_earlier(*months),
                            None => window.before(),
                        };
                        let Some(earlier) = earlier else { return Vec::new() };
                        *window = earlier;
                    }
                }
                if moved == *query { Vec::new() } else { vec![(moved, 0.0, "earlier")] }
            }
            Wish::Bound(operator, value) => bounded(query, *operator, value),
            Wish::Drop(noun) => self.dropped(query, noun),
            Wish::NamesOnly => vec![changed(query, 0.0, "names_only", |query| {
                query.show.clear();
                query.names = true;
                query.whole = false;
            })],
            Wish::All(noun) => self.all(query, noun.as_ref()),
            Wish::AllTimes => vec![changed(query, 0.0, "all_times", |query| {
                query.preds.retain(|pred| !matches!(pred, Pred::In(..) | Pred::Outside(..) | Pred::On(..)));
                query.versus.clear();
            })],
            Wish::Forget(value) => {
                let mut kept = query.clone();
                for pred in &mut kept.preds {
                    if let Pred::Is { values, .. } = pred {
                        values.retain(|one| !self.same_value(one, value));
                    }
                }
                kept.preds.retain(|pred| !matches!(pred, Pred::Is { values, .. } if values.is_empty()));
                if kept == *query { Vec::new() } else { vec![(kept, 0.0, "forgotten")] }
            }
            Wish::Swap => {
                let swapped = query.keys.len() > 1 && query.pivot.is_none();
                let swap = changed(query, 0.0, "swapped", |query| query.keys.reverse());
                if swapped { vec![swap] } else { Vec::new() }
            }
            Wish::Take(direction) => vec![changed(query, 0.0, "end_taken", |query| {
                let by = query.take.as_ref().map_or(By::Shown, |take| take.by.clone());
                let (each, alone) =
                    query.take.as_ref().map_or((None, true), |take| (take.each.clone(), take.alone));
                // *and the worst?* after the best five: as many.
                let turned = query.take.as_ref().is_some_and(|take| take.direction != *direction);
                let as_many = query.limit.filter(|_| turned).unwrap_or(1);
                query.order.clear();
                query.take = Some(Take { by, direction: *direction, open: false, each, alone });
                query.limit = self.said.limit.or(Some(as_many));
                query.skip = self.said.skip;
            })],
        }
    }

    /// The rows that were counted.
    pub(super) fn rows(&self, query: &Query) -> Ways {
        let counted = query.show.iter().find_map(|show| match show {
            Show::Measure(Measure::Count(noun)) => noun.clone(),
            _ => None,
        });
        let measures = query.show.iter().any(|show| matches!(show, Show::Measure(_)));
        let counts = query.counts
            || query.show.iter().any(|show| matches!(show, Show::Measure(Measure::Count(_))))
            || !measures && !query.keys.is_empty();
        // *list them for Rome* after a number for each city are the rows of one of them.
        let chosen = !self.said.preds.is_empty();
        if !counts || !query.keys.is_empty() && !chosen {
            return Vec::new();
        }
        vec![changed(query, 0.0, "rows", |query| {
            query.subject = query.subject.take().or_else(|| counted.and_then(|noun| noun.as_table()));
            query.show.retain(|show| matches!(show, Show::Noun(_)));
            if !query.keys.is_empty() {
                query.keys.clear();
                query.having.clear();
                query.order.clear();
                query.take = None;
                query.limit = None;
            }
            query.counts = false;
            query.names = true;
        })]
    }

    /// What was measured as a share: of the total of all groups, or of the rows that the conditions leave out.
    pub(super) fn share(&self, query: &Query) -> Ways {
        if let Some(part) = part_beside_all(query).filter(|_| !self.follows.also) {
            // *as a rate* after a number and how many of these are cancelled.
            return vec![changed(query, 0.0, "share_of_all", |query| {
                query.show.retain(|show| !matches!(show, Show::Measure(_)));
                query.show.push(Show::Measure(Measure::Share(Box::new(part), Whole::Rows)));
            })];
        }
        let mut made = Vec::new();
        let is_condition = |pred: &Pred| !matches!(pred, Pred::In(..) | Pred::On(..));
        let by_noun = query.keys.iter().any(|key| !matches!(key, Key::Time(..)));
        if query.preds.iter().any(is_condition) {
            let price = if by_noun { 0.3 } else { 0.0 };
            let only_share = |mut made: Query| {
                made.show.retain(|show| matches!(show, Show::Measure(Measure::Share(..))));
                made
            };
            made.extend(
                share_of_all(query)
                    .into_iter()
                    .map(|(made, more, _)| (only_share(made), price + more, "share_of_all")),
            );
        }
        if !query.keys.is_empty() {
            let price = if made.is_empty() || by_noun { 0.0 } else { 0.3 };
            made.push(changed(query, price, "share_of_total", |query| {
                let also = self.follows.also;
                let share = |measure: Measure| Show::Measure(Measure::Share(Box::new(measure), Whole::Total));
                let last = query.show.iter().rposition(|show| matches!(show, Show::Measure(_)));
                match last.and_then(|at| query.show.get_mut(at)) {
                    Some(Show::Measure(measure)) => {
                        let measure = measure.clone();
                        if also {
                            query.show.push(share(measure));
                        } else if let Some(at) = last
                            && let Some(show) = query.show.get_mut(at)
                        {
                            *show = share(measure);
                        }
                    }
                    _ => query.show.push(share(Measure::Count(query.subject.clone()))),
                }
            }));
        }
        made
    }

    /// Something that is no longer shown: a column, a measure, or what the result is cut by.
    pub(super) fn dropped(&self, query: &Query, noun: &Noun) -> Ways {
        let mut kept = query.clone();
        kept.show.retain(|show| match show {
            Show::Noun(other) => !self.names(noun, other),
            Show::Measure(Measure::Of(_, Attr::Noun(other))) => !self.names(noun, other),
            Show::Measure(_) => true,
        });
        if kept != *query && !kept.show.is_empty() {
            return vec![(kept, 0.0, "column_dropped")];
        }
        let mut kept = query.clone();
        kept.keys.retain(|key| !matches!(key, Key::Noun(other) if self.names(noun, other)));
        if kept != *query { vec![(kept, 0.1, "key_dropped")] } else { Vec::new() }
    }

    /// All rows of a kind again: what restricts them goes.
    pub(super) fn all(&self, query: &Query, noun: Option<&Noun>) -> Ways {
        let mut kept = query.clone();
        let Some(noun) = noun else {
            kept.preds.clear();
            kept.having.clear();
            kept.take = None;
            kept.limit = None;
            return vec![(kept, 0.0, "all_rows")];
        };
        let of_noun = |id: ColumnId, filler: &Filler| {
            noun.columns.iter().any(|(known, score)| *known == id && *score >= 0.6)
                || noun.tables.iter().any(|(table, score)| *table == filler.table && *score >= 0.6)
        };
        let stays = |pred: &Pred| match pred {
            Pred::Is { values, .. } => !values.iter().any(|value| {
                let filler = self.known.get(&value.words);
                filler.is_some_and(|filler| filler.column.is_some_and(|id| of_noun(id, filler)))
            }),
            Pred::Flag(of, _) | Pred::Happened(of, _) | Pred::Known(of, _) => {
                let filler = self.known.get(&of.words);
                !filler.is_some_and(|filler| filler.column.is_some_and(|id| of_noun(id, filler)))
            }
            _ => true,
        };
        kept.preds.retain(stays);
        for show in &mut kept.show {
            if let Show::Measure(measure) = show {
                *measure = freed(measure, &stays);
            }
        }
        let names_taken = query.take.is_some();
        if kept == *query && names_taken {
            kept.order = query.take.iter().map(|take| (By::Shown, take.direction)).collect();
            kept.take = None;
            kept.limit = None;
            // Without its end the query lists groups, as many as there are.
            if let Some(Take { by: By::Measure(measure), .. }) = &query.take
                && !kept.show.iter().any(|show| matches!(show, Show::Measure(_)))
            {
                kept.show.push(Show::Measure(measure.clone()));
                if let Some(subject) = kept.subject.take() {
                    kept.keys.push(Key::Noun(subject));
                }
            }
        }
        if kept == *query { Vec::new() } else { vec![(kept, 0.0, "all_of_them")] }
    }
}

/// The second of the two measures that are shown, where it is the first for some of the rows.
fn part_beside_all(query: &Query) -> Option<Measure> {
    let mut measures = query.show.iter().filter_map(|show| match show {
        Show::Measure(measure) => Some(measure),
        Show::Noun(_) => None,
    });
    match (measures.next()?, measures.next()?, measures.next()) {
        (all, part @ Measure::Where(of, _), None) if **of == *all => Some(part.clone()),
        _ => None,
    }
}

/// The numbers that are shown, summed up in another way; those of rows that were only counted have none.
fn summarised_by(query: &Query, summary: Statistic) -> Ways {
    let mut made = query.clone();
    let measures = made.show.iter_mut().filter_map(|show| match show {
        Show::Measure(measure) => Some(measure),
        Show::Noun(_) => None,
    });
    let takes = made.take.iter_mut().filter_map(|take| match &mut take.by {
        By::Measure(measure) => Some(measure),
        _ => None,
    });
    measures.chain(takes).for_each(|measure| summarise(measure, summary));
    if made == *query { Vec::new() } else { vec![(made, 0.0, "another_summary")] }
}

fn summarise(measure: &mut Measure, summary: Statistic) {
    match measure {
        Measure::Of(_, attr) | Measure::Percentile(_, attr) => {
            let attr = attr.clone();
            *measure = match summary {
                Statistic::Of(function) => Measure::Of(function, attr),
                Statistic::Median => Measure::Percentile(50, attr),
            };
        }
        // The mean of what each order comes to is the total of all of them, once the total is asked for.
        Measure::Mean(of_each, _) if summary == Statistic::Of(Aggregate::Sum) => {
            *measure = of_each.as_ref().clone();
        }
        Measure::Where(of, _) => summarise(of, summary),
        _ => {}
    }
}

/// What was measured without what was made of it: a share, a percentage, a running total.
fn plain(query: &Query) -> Ways {
    let mut kept = Query { compare: None, ..query.clone() };
    for show in &mut kept.show {
        if let Show::Measure(measure @ (Measure::Share(..) | Measure::Percent(..))) = show
            && let Measure::Share(part, _) | Measure::Percent(part, _) = measure.clone()
        {
            *measure = *part;
        }
    }
    if kept == *query { Vec::new() } else { vec![(kept, 0.0, "plain")] }
}

/// The query with a bound of one of the numbers that it shows: of the last, or else of another.
fn bounded(query: &Query, operator: Comparison, value: &Value) -> Ways {
    let measures = query.show.iter().rev().filter_map(|show| match show {
        Show::Measure(measure) => Some(measure.clone()),
        Show::Noun(_) => None,
    });
    let counted = (!query.keys.is_empty()).then(|| Measure::Count(query.subject.clone()));
    let mut measures: Vec<Measure> = measures.collect();
    if measures.is_empty() {
        measures.extend(counted);
    }
    let price = |place: usize| if place == 0 { 0.0 } else { 0.4 };
    let bound = |(place, measure): (usize, Measure)| {
        let having = Having { measure, operator, with: Against::Value(value.clone()) };
        changed(query, price(place), "bound", |query| {
            query.having = vec![having];
            // *Those* are several, so they are not some of the one that came first.
            if query.limit == Some(1) && query.take.take().is_some() {
                query.limit = None;
            }
        })
    };
    measures.into_iter().enumerate().map(bound).collect()
}

/// A measure without conditions of its own but for those that stay. The share of all rows in all rows says nothing: it is the
/// measure itself then.
fn freed(measure: &Measure, stays: &dyn Fn(&Pred) -> bool) -> Measure {
    match measure {
        Measure::Where(of, preds) => {
            let kept: Vec<Pred> = preds.iter().filter(|pred| stays(pred)).cloned().collect();
            let of = freed(of, stays);
            if kept.is_empty() { of } else { Measure::Where(Box::new(of), kept) }
        }
        Measure::Share(part, Whole::Rows) => match freed(part, stays) {
            part @ Measure::Where(..) => Measure::Share(Box::new(part), Whole::Rows),
            all => all,
        },
        other => other.clone(),
    }
}
