//! A name, a number or a year in the place of its like, wherever in the query that stands: inside a share, in a comparison
//! with another row, in a bound, in a month.

use super::unify::{Talk, Ways, changed};
use crate::rules::grammar::form::{Against, Group, Measure, Named, Pred, Query, Show};
use crate::rules::grammar::time::Window;
use sqlogue_sql::schema::Value;

impl Talk<'_> {
    /// *what about 20?* after a bound: the number in the place of the only one there.
    pub(super) fn number_replaced(&self, query: &Query, number: u64) -> Ways {
        let Ok(number) = i64::try_from(number) else { return Vec::new() };
        let mut made = query.clone();
        let mut numbers: Vec<&mut Value> = made.preds.iter_mut().filter_map(bound).collect();
        numbers.extend(made.having.iter_mut().filter_map(|having| match &mut having.with {
            Against::Value(value) => Some(value),
            Against::Overall
            | Against::MeanOfGroups(_)
            | Against::MeanOfKind(_)
            | Against::Own(_)
            | Against::Named(_)
            | Against::AllThereAre => None,
        }));
        let [value] = numbers.as_mut_slice() else { return Vec::new() };
        **value = Value::Integer(number);
        // Of a bound and a number of rows either may be meant.
        let price = if query.limit.is_some() { 0.3 } else { 0.0 };
        vec![(made, price, "number_replaced")]
    }

    /// *and delivered?* after the share of what was cancelled, *and Hamburg?* after what is more than in Berlin.
    pub(super) fn name_replaced(&self, query: &Query, pred: &Pred) -> Ways {
        let Pred::Is { values, negated: false, .. } = pred else { return Vec::new() };
        let mut made = Vec::new();
        let mut measured = query.clone();
        for show in &mut measured.show {
            if let Show::Measure(measure) = show {
                self.replace_in(measure, pred);
            }
        }
        if measured != *query {
            made.push((measured, 0.0, "measured_value_replaced"));
        }
        if let [value] = values.as_slice() {
            let compared = changed(query, 0.0, "compared_name_replaced", |query| {
                query.preds.iter_mut().filter_map(name).for_each(|named| self.rename(named, value));
                for having in &mut query.having {
                    if let Against::Named(named) = &mut having.with {
                        self.rename(named, value);
                    }
                }
            });
            if compared.0 != *query {
                made.push(compared);
            }
        }
        made
    }

    /// *2025 instead* after a month or a quarter: the same of that year.
    pub(super) fn year_replaced(&self, query: &Query, said: &Window) -> Option<Query> {
        let year = said.one_year()?;
        let mut made = query.clone();
        let mut windows = made.preds.iter_mut().filter_map(|pred| match pred {
            Pred::In(_, window) => Some(window),
            _ => None,
        });
        let window = windows.next()?;
        if windows.next().is_some() {
            return None;
        }
        *window = part_of_year(window, year)?;
        Some(made)
    }

    /// *how about 2025?* after *with no orders in 2026*: the window in the place of the only one there, inside a condition or a
    /// measure.
    pub(super) fn inner_window_replaced(&self, query: &Query, said: &Window) -> Option<Query> {
        let mut made = query.clone();
        let mut windows = Vec::new();
        made.preds.iter_mut().for_each(|pred| windows_in(pred, &mut windows));
        for show in &mut made.show {
            if let Show::Measure(measure) = show {
                windows_of(measure, &mut windows);
            }
        }
        let [window] = windows.as_mut_slice() else { return None };
        **window = said.one_year().and_then(|year| part_of_year(window, year)).unwrap_or(*said);
        (made != *query).then_some(made)
    }

    fn replace_in(&self, measure: &mut Measure, said: &Pred) {
        match measure {
            Measure::Where(of, preds) => {
                preds.iter_mut().filter(|pred| self.alike(said, pred)).for_each(|pred| *pred = said.clone());
                self.replace_in(of, said);
            }
            Measure::Share(part, _) => self.replace_in(part, said),
            _ => {}
        }
    }

    /// Puts another value of the same column in the place of a name.
    fn rename(&self, named: &mut Named, value: &Named) {
        let column = self.known.get(&named.words).and_then(|filler| filler.column);
        if value.links.iter().take(6).any(|link| link.column.is_some() && link.column == column) {
            *named = value.clone();
        }
    }
}

/// The number that a condition compares with.
fn bound(pred: &mut Pred) -> Option<&mut Value> {
    match pred {
        Pred::Compare(_, _, value) => Some(value),
        _ => None,
    }
}

/// The row that a condition names to compare with.
fn name(pred: &mut Pred) -> Option<&mut Named> {
    match pred {
        Pred::Beside(_, _, named)
        | Pred::Under(named, _)
        | Pred::Only(named, _)
        | Pred::Through(named, ..) => Some(named),
        _ => None,
    }
}

/// Puts a month that is said without a year into the year that was asked about before.
pub(super) fn into_year_of(before: &Query, said: &mut Query) {
    let year = before.preds.iter().find_map(|pred| match pred {
        Pred::In(_, window) => Some(window.from?.year()),
        _ => None,
    });
    for pred in &mut said.preds {
        if let (Pred::In(_, window) | Pred::Outside(_, window), Some(year)) = (pred, year)
            && let Some(moved) = part_of_year(window, year)
        {
            *window = moved;
        }
    }
}

/// The same part of another year; none for a window that is a year or more.
pub(super) fn part_of_year(window: &Window, year: i16) -> Option<Window> {
    let within = window.last()?.year() == window.from?.year() && window.one_year().is_none();
    window.in_year(year).filter(|moved| within && moved != window)
}

/// The windows of a condition, those of conditions inside it included.
fn windows_in<'a>(pred: &'a mut Pred, found: &mut Vec<&'a mut Window>) {
    match pred {
        Pred::In(_, window) | Pred::Outside(_, window) | Pred::Ended(Some(window)) => found.push(window),
        Pred::Related(Group { preds, .. }, _)
        | Pred::Used(_, preds, _)
        | Pred::Through(_, _, preds, _)
        | Pred::Any(preds) => preds.iter_mut().for_each(|pred| windows_in(pred, found)),
        _ => {}
    }
}

fn windows_of<'a>(measure: &'a mut Measure, found: &mut Vec<&'a mut Window>) {
    match measure {
        Measure::Where(of, preds) => {
            preds.iter_mut().for_each(|pred| windows_in(pred, found));
            windows_of(of, found);
        }
        Measure::Share(part, _) => windows_of(part, found),
        _ => {}
    }
}
