//! What is shown, and what it is cut by: the rows, columns, measures and keys that a fragment names.

use super::unify::{Talk, Ways, as_it_is, changed, keep_cheapest};
use crate::rules::grammar::form::{Attr, By, Key, Measure, Noun, Query, Show};

impl Talk<'_> {
    /// A table that is named: what is spoken of already, other rows, or what the result is to be cut by.
    pub(super) fn rows_said(&self, query: &Query) -> Ways {
        // What is counted is named by the measure itself.
        let counted = self.said.counts && self.before.subject.is_some();
        let Some(rows) = self.said.subject.as_ref().filter(|_| !counted) else { return as_it_is(query) };
        let mut made = Vec::new();
        let spoken_of = self
            .known
            .values()
            .any(|filler| rows.tables.first().is_some_and(|(table, _)| *table == filler.table));
        let is_subject = query.subject.as_ref().is_some_and(|subject| self.names(rows, subject));
        if spoken_of {
            made.push((
                query.clone(),
                self.price(0.3, 0.3, if is_subject { 0.0 } else { 0.2 }),
                "rows_again",
            ));
        }
        if !is_subject {
            let other = changed(query, self.price(1.0, 0.1, 0.45), "other_rows", |query| {
                query.subject = Some(rows.clone());
                for show in &mut query.show {
                    if let Show::Measure(Measure::Count(noun @ Some(_))) = show {
                        *noun = Some(rows.clone());
                    }
                }
                // Columns of other rows are not asked for.
                query.show.retain(|show| matches!(show, Show::Measure(_)));
            });
            made.push(other);
            made.extend(self.by_noun(query, rows, 0.2));
        }
        made
    }

    /// A noun as what the result is cut by, in the place of another or on top of it.
    pub(super) fn by_noun(&self, query: &Query, noun: &Noun, price: f32) -> Ways {
        let mut made = Vec::new();
        let is_noun = |key: &Key| matches!(key, Key::Noun(_));
        if query.keys.iter().any(is_noun) {
            made.push(changed(query, price + self.price(0.6, 0.0, 0.3), "noun_replaces_key", |query| {
                query.keys.retain(|key| !is_noun(key));
                query.keys.push(Key::Noun(noun.clone()));
            }));
        }
        if let Some(subject) = query.subject.as_ref().filter(|_| query.take.is_some()) {
            let subject = subject.clone();
            made.push(changed(query, price + self.price(0.8, 0.1, 0.4), "noun_replaces_taken", |query| {
                query.subject = Some(noun.clone());
                query.show.retain(|show| !matches!(show, Show::Noun(other) if *other == subject));
            }));
        }
        made
    }

    /// Measures and columns that are named.
    pub(super) fn shown(&self, query: &Query) -> Ways {
        if self.said.show.is_empty() {
            return as_it_is(query);
        }
        let (measures, nouns): (Vec<Show>, Vec<Show>) =
            self.said.show.iter().cloned().partition(|show| matches!(show, Show::Measure(_)));
        let mut made = match measures.is_empty() {
            true => as_it_is(query),
            false => self.measured(query, &measures),
        };
        for noun in nouns {
            let Show::Noun(noun) = noun else { continue };
            made = made
                .into_iter()
                .flat_map(|(query, price, way)| {
                    let more = self.noun_shown(&query, &noun);
                    more.into_iter().map(move |(query, more, name)| {
                        (query, price + more, if name.is_empty() { way } else { name })
                    })
                })
                .collect();
            keep_cheapest(&mut made);
        }
        made
    }

    pub(super) fn measured(&self, query: &Query, measures: &[Show]) -> Ways {
        let was: Vec<&Show> = query.show.iter().filter(|show| matches!(show, Show::Measure(_))).collect();
        let mut made = Vec::new();
        // *top 5 by number of orders*: the measure decides, and is shown as the lowering sees fit.
        if measures.len() == 1 && self.said.take.as_ref().is_some_and(|take| take.by == By::Shown) {
            made.push((query.clone(), 0.0, "measure_decides"));
        }
        let summarised = !was.is_empty() || !query.keys.is_empty() || query.counts;
        if summarised && !self.only_instead() {
            made.push(changed(query, self.price(0.0, 0.6, 0.35), "measure_too", |query| {
                // What was counted without a word of it stays beside the measure that is named.
                if query.show.iter().all(|show| matches!(show, Show::Noun(_))) {
                    query.show.push(Show::Measure(Measure::Count(query.subject.clone())));
                }
                // The order stays the one by what was measured before.
                if let Some(Show::Measure(before)) = was.first() {
                    sort_by(query, before);
                }
                query.show.extend(measures.iter().filter(|one| !was.contains(one)).cloned());
            }));
        }
        made.push(changed(query, self.price(0.7, 0.0, 0.15), "measure_replaced", |query| {
            query.show.retain(|show| matches!(show, Show::Noun(_)) && summarised);
            query.show.extend(measures.iter().cloned());
            // Who asks for something of what was shown does not choose anew what is shown.
            if let Some(take) = &mut query.take
                && (self.follows.instead || self.follows.same)
                && matches!(take.by, By::Measure(_))
                && let Some(Show::Measure(measure)) = measures.last()
            {
                take.by = By::Measure(measure.clone());
            }
        }));
        made
    }

    /// A column that is named: shown too, shown alone, what is measured, what the result is cut by.
    pub(super) fn noun_shown(&self, query: &Query, noun: &Noun) -> Ways {
        let show = Show::Noun(noun.clone());
        let measures = query.show.iter().any(|show| matches!(show, Show::Measure(_)));
        let is_list = !measures && query.keys.is_empty() && !query.counts;
        let only = self.follows.only;
        let mut made = Vec::new();
        if !only {
            made.push(changed(query, self.price(0.0, 0.5, 0.25), "noun_too", |query| {
                // The order stays the one by what was measured before.
                let measured = query.show.iter().find_map(|show| match show {
                    Show::Measure(measure) => Some(measure.clone()),
                    Show::Noun(_) => None,
                });
                if let Some(before) = measured {
                    sort_by(query, &before);
                }
                query.show.push(show.clone());
            }));
        }
        if only
            && let Some(at) =
                query.keys.iter().position(|key| matches!(key, Key::Noun(key) if self.names(noun, key)))
        {
            // *only the countries* of what was measured for each.
            made.push(changed(query, 0.0, "keys_alone", |query| {
                let key = query.keys.swap_remove(at);
                query.show.clear();
                if let Key::Noun(key) = key {
                    query.show.push(Show::Noun(key));
                }
                query.distinct = true;
            }));
        } else if is_list || only {
            let price = if only { 0.0 } else { self.price(0.6, 0.05, 0.25) };
            made.push(changed(query, price, "noun_alone", |query| {
                query.show.retain(|show| matches!(show, Show::Measure(_)) && !only);
                query.show.push(show.clone());
                query.names = false;
                query.whole = false;
            }));
        }
        if measures && let Some(other) = self.other_attribute(query, noun) {
            made.push((other, self.price(0.9, 0.15, 0.5), "noun_measured"));
        }
        if !is_list {
            made.extend(self.by_noun(query, noun, 0.05));
        }
        made
    }

    /// The same measure of another column: *the same for the weight* after an average price.
    pub(super) fn other_attribute(&self, query: &Query, noun: &Noun) -> Option<Query> {
        let mut query = query.clone();
        let mut found = false;
        for show in &mut query.show {
            if let Show::Measure(
                Measure::Of(_, attr @ (Attr::Noun(_) | Attr::Revenue(_) | Attr::Amount(_) | Attr::Sold(_)))
                | Measure::Percentile(_, attr @ Attr::Noun(_)),
            ) = show
            {
                *attr = Attr::Noun(noun.clone());
                found = true;
            }
        }
        found.then_some(query)
    }

    /// What the result is cut by.
    pub(super) fn keys(&self, query: &Query) -> Ways {
        if self.said.keys.is_empty() {
            return as_it_is(query);
        }
        let said = &self.said.keys;
        let is_time = |key: &Key| matches!(key, Key::Time(..));
        let like = |key: &Key| said.iter().any(|one| is_time(one) == is_time(key));
        let has_like = query.keys.iter().any(like);
        let mut made = Vec::new();
        // *per year* after *per month* is never both.
        let both_times = said.iter().any(is_time) && query.keys.iter().any(is_time);
        if !both_times && !self.only_instead() {
            let price = self.price(0.0, 0.6, if has_like { 0.3 } else { 0.1 });
            made.push(changed(query, price, "key_too", |query| query.keys.extend(said.iter().cloned())));
        }
        if has_like {
            let price = self.price(if both_times { 0.1 } else { 0.5 }, 0.0, 0.1);
            made.push(changed(query, price, "key_replaced", |query| {
                query.keys.retain(|key| !like(key));
                query.keys.extend(said.iter().cloned());
            }));
        } else if !query.keys.is_empty() {
            made.push(changed(query, self.price(0.8, 0.0, 0.3), "keys_replaced", |query| {
                query.keys.clone_from(said)
            }));
        }
        let measures = query.show.iter().any(|show| matches!(show, Show::Measure(_)));
        if self.only_instead() && query.keys.is_empty() && measures {
            // *roll that up to category*: what was shown of each row gives way to what the rows have in common.
            made.push(changed(query, 0.0, "keys_replaced", |query| {
                query.show.retain(|show| matches!(show, Show::Measure(_)));
                query.keys.clone_from(said);
            }));
        }
        if query.take.is_some() && self.said.take.is_none() && said.iter().all(|key| !is_time(key)) {
            // *by city* after *top 5 customers*: the first five cities.
            made.extend(match said.as_slice() {
                [Key::Noun(noun)] => self.by_noun(query, noun, 0.25),
                _ => Vec::new(),
            });
        }
        made
    }
}

/// Says by which measure rows are sorted, where they are by the one that is shown.
fn sort_by(query: &mut Query, measure: &Measure) {
    let by = By::Measure(measure.clone());
    query
        .order
        .iter_mut()
        .filter(|(shown, _)| *shown == By::Shown)
        .for_each(|(shown, _)| *shown = by.clone());
    if let Some(take) = query.take.as_mut().filter(|take| take.by == By::Shown) {
        take.by = by;
    }
}
