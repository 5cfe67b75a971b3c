//! Which rows and groups count: conditions that replace their like, come on top, or take a value away.

use super::unify::{Talk, Ways, as_it_is, changed, keep_cheapest};
use crate::rules::grammar::form::{Attr, Named, Pred, Query};
use crate::rules::grammar::time::Window;
use sqlogue_sql::plan::Comparison;

impl Talk<'_> {
    /// Conditions: one on the same column or of the same kind gives way.
    pub(super) fn conditions(&self, query: &Query) -> Ways {
        let mut made = as_it_is(query);
        for pred in &self.said.preds {
            made = made
                .into_iter()
                .flat_map(|(query, price, way)| {
                    let more = self.condition(&query, pred);
                    more.into_iter().map(move |(query, more, name)| {
                        (query, price + more, if name.is_empty() { way } else { name })
                    })
                })
                .collect();
            keep_cheapest(&mut made);
        }
        made
    }

    pub(super) fn condition(&self, query: &Query, pred: &Pred) -> Ways {
        let mut made = Vec::new();
        let likes: Vec<usize> = query
            .preds
            .iter()
            .enumerate()
            .filter(|(_, other)| self.alike(pred, other))
            .map(|(at, _)| at)
            .collect();
        let add = |price: f32| changed(query, price, "condition_too", |query| query.preds.push(pred.clone()));
        let removed = |query: &mut Query| {
            let mut at = 0;
            query.preds.retain(|_| {
                at += 1;
                !likes.contains(&(at - 1))
            });
        };
        made.extend(self.name_replaced(query, pred));
        made.extend(self.either(query, pred));
        if let Pred::In(_, window) = pred
            && let Some(moved) = self.year_replaced(query, window)
        {
            made.push((moved, self.price(0.4, 0.0, 0.1), "year_replaced"));
        }
        if let Pred::In(_, window) = pred
            && likes.is_empty()
            && let Some(moved) = self.inner_window_replaced(query, window)
        {
            made.push((moved, 0.0, "inner_window_replaced"));
        }
        match pred {
            // Several windows side by side give way to the one that is said.
            Pred::In(..) if !query.versus.is_empty() => {
                made.push(changed(query, 0.1, "window_replaces_several", |query| {
                    query.versus.clear();
                    query.preds.push(pred.clone());
                }));
            }
            // *only after May* of what was asked for a year ends where the year does; *what about* begins anew.
            Pred::In(_, said) if !self.follows.same && self.narrowed(query, said).is_some() => {
                made.extend(self.narrowed(query, said).map(|query| (query, 0.0, "window_narrowed")));
            }
            Pred::Is { values, negated: true, .. } => {
                made.push(match self.without(query, values) {
                    Some(kept) => (kept, 0.0, "value_dropped"),
                    None => add(0.0),
                });
            }
            _ if likes.is_empty() => {
                made.push(add(self.price(0.1, 0.2, 0.0)));
                made.extend(self.value_of_other_column(query, pred));
            }
            _ => {
                made.push(changed(query, self.price(0.6, 0.0, 0.0), "condition_replaced", |query| {
                    removed(query);
                    query.preds.push(pred.clone());
                }));
                if let Pred::Is { values, negated: false, .. } = pred {
                    made.push(changed(query, self.price(0.0, 0.8, 0.6), "value_too", |query| {
                        for other in &mut query.preds {
                            if self.alike(pred, other)
                                && let Pred::Is { values: held, .. } = other
                            {
                                held.extend(values.iter().cloned());
                            }
                        }
                    }));
                } else {
                    made.push(add(self.price(0.1, 0.7, 0.5)));
                }
            }
        }
        made
    }

    /// *also those above 10*, after those below 5 or those in Rome: rows of either kind.
    fn either(&self, query: &Query, pred: &Pred) -> Option<(Query, f32, &'static str)> {
        let [other] = query.preds.as_slice() else { return None };
        let bounds = |pred: &Pred| matches!(pred, Pred::Compare(..) | Pred::Range(..) | Pred::Any(..));
        let holds =
            |pred: &Pred| bounds(pred) || matches!(pred, Pred::Is { negated: false, .. } | Pred::Flag(..));
        // *also those in Rome* after those in Paris widens the one condition.
        let mixed = holds(other) && holds(pred) && (bounds(other) || bounds(pred));
        if !self.follows.also || !mixed {
            return None;
        }
        Some(changed(query, 0.0, "either_condition", |query| {
            query.preds = vec![Pred::Any(vec![other.clone(), pred.clone()])];
        }))
    }

    /// *what about Hamburg?* with nothing of its kind before: a value in the place of the only other.
    fn value_of_other_column(&self, query: &Query, pred: &Pred) -> Option<(Query, f32, &'static str)> {
        let is_value = |other: &Pred| matches!(other, Pred::Is { negated: false, .. });
        let only = query.preds.iter().filter(|other| is_value(other)).count() == 1;
        if !matches!(pred, Pred::Is { .. }) || !self.follows.same || !only {
            return None;
        }
        Some(changed(query, 0.4, "value_of_other_column", |query| {
            if let Some(other) = query.preds.iter_mut().find(|other| is_value(other)) {
                *other = pred.clone();
            }
        }))
    }

    /// The query with its window cut where a window with one end begins or ends; none where it has no such window.
    fn narrowed(&self, query: &Query, said: &Window) -> Option<Query> {
        let mut query = query.clone();
        for pred in &mut query.preds {
            if let Pred::In(_, window) = pred
                && let Some(narrowed) = window.narrowed(said)
            {
                *window = narrowed;
                return Some(query);
            }
        }
        None
    }

    /// The query without values that it asks for; none where it asks for none of them: *without France* after France and
    /// Spain.
    fn without(&self, query: &Query, values: &[Named]) -> Option<Query> {
        let mut kept = query.clone();
        for other in &mut kept.preds {
            if let Pred::Is { values: held, negated: false, .. } = other {
                held.retain(|one| !values.iter().any(|value| self.same_value(one, value)));
            }
        }
        kept.preds.retain(|other| !matches!(other, Pred::Is { values, .. } if values.is_empty()));
        (kept != *query).then_some(kept)
    }

    /// True where a condition speaks of the same as another, so that both would be one too many.
    pub(super) fn alike(&self, said: &Pred, before: &Pred) -> bool {
        match (said, before) {
            (Pred::In(..), Pred::In(..)) | (Pred::On(..), Pred::On(..)) => true,
            (Pred::Is { values, .. }, Pred::Is { values: held, .. }) => {
                let column = held
                    .first()
                    .and_then(|named| self.known.get(&named.words))
                    .and_then(|filler| filler.column);
                values.first().is_some_and(|value| {
                    value.links.iter().take(6).any(|link| link.column.is_some() && link.column == column)
                })
            }
            (Pred::Compare(said, one, _), Pred::Compare(before, other, _)) => {
                let equal =
                    |operator: &Comparison| matches!(operator, Comparison::Equal | Comparison::NotEqual);
                self.same_attr(said, before) && (one == other || equal(one) || equal(other))
            }
            (Pred::Range(said, ..), Pred::Compare(before, ..) | Pred::Range(before, ..))
            | (Pred::Compare(said, ..), Pred::Range(before, ..)) => self.same_attr(said, before),
            (Pred::Flag(said, _), Pred::Flag(before, _))
            | (Pred::Happened(said, _), Pred::Happened(before, _))
            | (Pred::Known(said, _), Pred::Known(before, _)) => self.names(said, before),
            (Pred::Key(said, _), Pred::Key(before, _)) => self.names(said, before),
            (Pred::Open { .. } | Pred::Ended(_), Pred::Open { .. } | Pred::Ended(_)) => true,
            _ => false,
        }
    }

    pub(super) fn same_attr(&self, said: &Attr, before: &Attr) -> bool {
        match (said, before) {
            (Attr::Noun(said), Attr::Noun(before)) => self.names(said, before),
            (Attr::Price(_), Attr::Price(_)) | (Attr::Age(..), Attr::Age(..)) => true,
            _ => false,
        }
    }

    pub(super) fn same_value(&self, before: &Named, said: &Named) -> bool {
        let Some(filler) = self.known.get(&before.words) else { return false };
        said.links
            .iter()
            .any(|link| link.column == filler.column && Some(&link.value) == filler.value.as_ref())
    }

    /// Conditions on groups: those that are said take the place of those before.
    pub(super) fn groups(&self, query: &Query) -> Ways {
        match self.said.having.is_empty() {
            true => as_it_is(query),
            false => vec![
                changed(query, self.price(0.5, 0.0, 0.1), "having_replaced", |query| {
                    query.having.clone_from(&self.said.having)
                }),
                changed(query, self.price(0.0, 0.5, 0.4), "having_too", |query| {
                    query.having.extend(self.said.having.iter().cloned());
                }),
            ],
        }
    }
}
