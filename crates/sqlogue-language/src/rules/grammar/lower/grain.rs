//! The grain: whose rows are meant, what groups them, what is summarised.

use super::Lowering;
use super::rows::key_start;
use super::who::{is_called, taken};
use crate::rules::grammar::columns::{adds_up, flag, is_number};
use crate::rules::grammar::form::{Attr, By, Compare, Key, Measure, Named, Noun, Pred, Show, Take};
use crate::rules::grammar::time::Window;
use crate::rules::grammar::units::Unit;
use crate::rules::knowledge::{ColumnId, TableId};
use sqlogue_sql::plan::Aggregate;

/// What a result is about.
#[derive(Debug, Clone)]
pub(super) struct Grain {
    /// The table whose rows are listed or summarised.
    pub(super) entity: TableId,
    /// What one row of the result stands for, besides the entity's rows.
    pub(super) keys: Vec<Key>,
    /// What is summarised, in the order in which it is shown.
    pub(super) measures: Vec<Measure>,
    /// How many of the measures are shown; those behind only sort or bound.
    pub(super) shown: usize,
    /// How many of the measures were asked for.
    pub(super) asked: usize,
    /// What else is shown.
    pub(super) attrs: Vec<Noun>,
    /// By what the first few are taken or the rows are sorted, where a measure decides.
    pub(super) by: Option<Measure>,
    /// The date that windows and units of time count by.
    pub(super) date: Option<ColumnId>,
    /// Of each of these the first rows are taken.
    pub(super) each: Option<Key>,
    /// True where the groups that conditions leave are counted.
    pub(super) counts_groups: bool,
}

impl Lowering<'_> {
    pub(super) fn grain(&self) -> Option<Grain> {
        let query = self.query;
        if query.take.as_ref().is_some_and(|take| take.open)
            && query.limit.is_none()
            && query.portion.is_none()
        {
            return None;
        }
        if self.rates_people() {
            return None;
        }
        let mut keys = query.keys.clone();
        let (mut measures, mut attrs) = self.asked_for(&keys);
        let counts_groups = self.counts_groups(&measures, &keys);
        if counts_groups {
            self.supply("counts_groups", 0.0);
            measures.clear();
        }
        self.keys_compared(&mut keys);
        let each = self.each(&mut keys);
        if each.is_none() && measures.is_empty() && self.ranks_kinds_for_rows(&keys) {
            return None;
        }
        let by = self.deciding(&keys, &measures);
        let of_groups = by.is_some() || !query.having.is_empty();
        if of_groups && keys.is_empty() {
            // *members with the most loans*: what is counted belongs to what is listed.
            let noun = query.subject.clone().or_else(|| attrs.first().cloned())?;
            if attrs.first() == Some(&noun) {
                attrs.remove(0);
            }
            keys.push(Key::Noun(noun));
        }
        if measures.is_empty() && by.is_none() && query.having.is_empty() && self.lists_each(&keys, &attrs) {
            keys.clear();
        }
        if !keys.is_empty() && measures.is_empty() && by.is_none() && query.having.is_empty() {
            self.implicit(&mut measures, &mut attrs);
        }
        if !query.versus.is_empty() {
            measures = self.side_by_side(measures, &mut keys)?;
        }
        let shown_before = measures.len();
        for measure in by.iter().chain(query.having.iter().map(|having| &having.measure)) {
            if !measures.contains(measure) {
                measures.push(measure.clone());
            }
        }
        let shown = match (self.style.shown, shown_before) {
            // Somebody who asks for the top sees by how much.
            (true, _) => measures.len(),
            (false, shown) => shown,
        };
        if keys.is_empty()
            && !measures.is_empty()
            && let Some(subject) = &query.subject
            && let Some(home) = measures.iter().find_map(|measure| self.home(measure))
            && self.table(subject).is_some_and(|table| table != home)
            && !query.counts
        {
            // *reps and the number of their accounts*: each row is one of those named first.
            keys.push(Key::Noun(subject.clone()));
        }
        let listed = match query.keys.as_slice() {
            [Key::Noun(key)] if keys.is_empty() && measures.is_empty() && query.take.is_none() => {
                self.table(key)
            }
            _ => None,
        };
        let entity = listed.or_else(|| self.entity(&measures, &keys, &attrs))?;
        let asked = shown_before;
        let undated =
            Grain { entity, keys, measures, shown, asked, attrs, by, date: None, each, counts_groups };
        let date = self.date_of(&undated)?;
        Some(Grain { date, ..undated })
    }

    /// The summaries that are asked for, and what else is shown.
    fn asked_for(&self, keys: &[Key]) -> (Vec<Measure>, Vec<Noun>) {
        let query = self.query;
        let (mut measures, mut attrs) = (Vec::new(), Vec::new());
        let counted = self.counted_beside(keys);
        let summarised = counted || query.show.iter().any(|show| matches!(show, Show::Measure(_)));
        let subject = query.subject.iter().filter(|_| counted).cloned();
        measures.extend(subject.map(|noun| Measure::Count(Some(noun))));
        for show in &query.show {
            match show {
                Show::Measure(measure) => measures.push(measure.clone()),
                Show::Noun(noun) => match self.summary_of(noun).filter(|_| summarised && !keys.is_empty()) {
                    Some(measure) => measures.push(measure),
                    None => attrs.push(noun.clone()),
                },
            }
        }
        (measures, attrs)
    }

    /// Every measure for each window, and by how many percent two differ where that is asked for.
    fn side_by_side(&self, mut measures: Vec<Measure>, keys: &mut [Key]) -> Option<Vec<Measure>> {
        let windows = &self.query.versus;
        let compare = self.query.compare;
        for key in keys {
            let Key::Time(unit, _) = key else { continue };
            // A month lies in one of the windows, and has nothing beside it: *by month* means the months of a year.
            *unit = match &*unit {
                // How each month grew is asked of the months in a row.
                Unit::Month | Unit::Quarter if compare.is_some() => return None,
                Unit::Month if windows.iter().all(Window::is_years) => Unit::MonthOfYear,
                Unit::Quarter if windows.iter().all(Window::is_years) => Unit::QuarterOfYear,
                again if again.comes_again() => *again,
                _ => return None,
            };
        }
        if compare.is_some_and(|compare| {
            !matches!(compare, Compare::Growth | Compare::Change | Compare::Difference)
        }) {
            return None;
        }
        if measures.is_empty() {
            measures.push(Measure::Count(self.query.subject.clone()));
        }
        let beside = |measure: Measure| {
            let of =
                |window: &Window| Measure::Where(Box::new(measure.clone()), vec![Pred::In(None, *window)]);
            if let ([first, second], Some(Compare::Difference)) = (windows.as_slice(), compare) {
                return vec![Measure::Less(Box::new(of(first)), Box::new(of(second)))];
            }
            let change = match windows.as_slice() {
                [first, second] if compare.is_some() => {
                    let (from, to) = if first.from < second.from { (first, second) } else { (second, first) };
                    Some(Measure::Change(Box::new(of(from)), Box::new(of(to))))
                }
                _ => None,
            };
            windows.iter().map(of).chain(change).collect::<Vec<_>>()
        };
        Some(measures.into_iter().flat_map(beside).collect())
    }

    /// True for *loans and fines by city*: the rows of several tables are counted for each group.
    fn counted_beside(&self, keys: &[Key]) -> bool {
        let table = |noun: &Noun| {
            self.bound(noun).filter(|filler| filler.column.is_none()).map(|filler| filler.table)
        };
        let Some(subject) = self.query.subject.as_ref().and_then(table) else { return false };
        let is_key = |table: TableId| {
            keys.iter().any(|key| matches!(key, Key::Noun(noun) if self.table(noun) == Some(table)))
        };
        let counts = |show: &Show| match show {
            Show::Noun(noun) => table(noun).is_some_and(|table| table != subject && !is_key(table)),
            Show::Measure(_) => false,
        };
        let plain =
            self.query.take.is_none() && !self.query.show.iter().any(|show| matches!(show, Show::Measure(_)));
        plain
            && !keys.is_empty()
            && !is_key(subject)
            && !self.query.show.is_empty()
            && self.query.show.iter().all(counts)
    }

    /// What a noun is beside other summaries of groups: *orders, revenue and guests per area*.
    fn summary_of(&self, noun: &Noun) -> Option<Measure> {
        let filler = self.bound(noun)?;
        let of_key = self.query.keys.iter().any(|key| match key {
            Key::Noun(key) => {
                let bound = self.bound(key);
                bound.is_some_and(|bound| bound.table == filler.table && bound.column.is_none())
            }
            _ => false,
        });
        let measure = match filler.column {
            None if !of_key => Measure::Count(Some(noun.clone())),
            Some(id) if is_number(self.knowledge, id) && flag(self.knowledge, id).is_none() => {
                let adds = adds_up(self.knowledge, id);
                let function = if adds { Aggregate::Sum } else { Aggregate::Avg };
                Measure::Of(function, Attr::Noun(noun.clone()))
            }
            _ => return None,
        };
        self.supply("summed_beside", 0.15);
        Some(measure)
    }

    /// True for *the name and city of each member*: every row is listed, and nothing is summarised.
    fn lists_each(&self, keys: &[Key], attrs: &[Noun]) -> bool {
        let [Key::Noun(key)] = keys else { return false };
        let Some(filler) = self.bound(key) else { return false };
        let own = |noun: &Noun| {
            self.table(noun).is_some_and(|table| {
                table == filler.table || self.knowledge.joins().refers(filler.table, table)
            })
        };
        let subject =
            self.query.subject.as_ref().is_none_or(|subject| self.table(subject) == Some(filler.table));
        filler.column.is_none() && subject && !attrs.is_empty() && attrs.iter().all(own)
    }

    /// True for *how many customers have at least two orders*: what is counted is the groups themselves.
    fn counts_groups(&self, measures: &[Measure], keys: &[Key]) -> bool {
        let of_subject = |noun: &Option<Noun>| match (noun, &self.query.subject) {
            (None, Some(_)) => true,
            (Some(noun), Some(subject)) => self.table(noun) == self.table(subject),
            _ => false,
        };
        match measures {
            [Measure::Count(noun)] => !self.query.having.is_empty() && keys.is_empty() && of_subject(noun),
            _ => false,
        }
    }

    /// *top 3 products in each category*: the key within which the first rows are taken, where rows are named that are
    /// something else.
    fn each(&self, keys: &mut Vec<Key>) -> Option<Key> {
        let take = self.query.take.as_ref()?;
        if take.each.is_some() || take.alone || self.style.over_all {
            return take.each.clone();
        }
        if let [first, second] = keys.as_slice()
            && !(take.open || matches!(take.by, By::Attr(_)))
            && self.query.subject.as_ref().is_none_or(|subject| self.counts_other(subject, take))
        {
            // *the most popular genre in each branch*: what is ranked is named first, or is a time.
            let (first_key, second_key) = (first, second);
            let (first, second) = (key_start(first), key_start(second));
            let each = match (first, second) {
                (Some(first), Some(second)) => usize::from(second > first),
                (None, Some(_)) => 1,
                (Some(_), None) => 0,
                // *the busiest month of each year*
                (None, None) => usize::from(is_longer(second_key, first_key)?),
            };
            self.supply("first_of_each", 0.0);
            return Some(keys.remove(each));
        }
        if self.query.subject.is_none() && self.names_rows_by_value(take, keys) {
            self.supply("first_of_each", 0.0);
            return keys.pop();
        }
        let subject = self.query.subject.as_ref()?;
        let other = match keys.as_slice() {
            [Key::Noun(key)] => self.bound(key)?.column.is_some() || self.table(key) != self.table(subject),
            // *the top product by revenue each month*: the months are not what is ranked.
            [Key::Time(..)] => matches!(take.by, By::Measure(_)) && !self.counts_other(subject, take),
            _ => false,
        };
        let rows =
            self.query.limit.is_some() || self.query.portion.is_some() || !take.open && take.by != By::Shown;
        if !other || !rows {
            return None;
        }
        self.supply("first_of_each", 0.0);
        let each = keys.pop();
        if matches!(take.by, By::Measure(_)) {
            keys.push(Key::Noun(subject.clone()));
        }
        each
    }

    /// True where the first groups would be taken by how many rows they have, while the first rows are asked for: *top 3 customers
    /// per country* are no countries.
    fn ranks_kinds_for_rows(&self, keys: &[Key]) -> bool {
        let Some(take) = &self.query.take else { return false };
        let of_rows = self.query.limit.is_some() && take.by == By::Shown && !take.open && !take.alone;
        let [Key::Noun(key)] = keys else { return false };
        let named = |subject: &Noun| key.words.start >= subject.words.end;
        of_rows && self.query.having.is_empty() && self.query.subject.as_ref().is_some_and(named)
    }

    /// True for *the cheapest house in each district*: a kind stands for its rows, and a column of theirs decides.
    fn names_rows_by_value(&self, take: &Take, keys: &[Key]) -> bool {
        let ([Key::Noun(key)], By::Attr(attr @ Attr::Adjective(..))) = (keys, &take.by) else { return false };
        let Some((rows, by)) = self.bound(key).zip(self.attr_table(attr)) else { return false };
        let is_kind =
            |pred: &Pred| matches!(pred, Pred::Is { .. }) && self.pred_table(pred) == Some(rows.table);
        rows.column.is_some() && rows.table == by && self.query.preds.iter().any(is_kind)
    }

    /// True where what decides is how many rows of the subject there are.
    fn counts_other(&self, subject: &Noun, take: &Take) -> bool {
        match &take.by {
            By::Measure(Measure::Count(Some(noun))) => self.table(noun) == self.table(subject),
            By::Measure(Measure::Count(None)) | By::Shown => true,
            _ => false,
        }
    }

    /// The measure by which the first few are taken or groups are sorted, where it is not a value of the entity itself.
    fn deciding(&self, keys: &[Key], measures: &[Measure]) -> Option<Measure> {
        let by = match &self.query.take {
            Some(take) => &take.by,
            None => self.query.order.first().map(|(by, _)| by)?,
        };
        match by {
            By::Measure(measure) => Some(measure.clone()),
            By::Shown | By::Date | By::Name => None,
            // What an order is worth may be told by its lines alone: they are summed.
            By::Attr(attr @ Attr::Amount(noun)) => (self.attr_table(attr)? != self.table(noun)?)
                .then(|| Measure::Of(Aggregate::Sum, attr.clone())),
            By::Attr(attr) => {
                let filler = match attr {
                    Attr::Noun(noun) => self.bound(noun)?,
                    Attr::Adjective(words, _) => self.filler(*words)?,
                    _ => return None,
                };
                let id = filler.column?;
                if !is_number(self.knowledge, id) || !measures.is_empty() {
                    return None;
                }
                let own = match (&self.query.subject, keys.first()) {
                    (_, Some(Key::Noun(key))) => {
                        self.table(key) == Some(filler.table) && self.bound(key)?.column.is_none()
                    }
                    (_, Some(Key::Time(..) | Key::Bands(..) | Key::ColumnOf(_) | Key::Place(..))) => false,
                    (Some(subject), None) => self.table(subject) == Some(filler.table),
                    (None, None) => true,
                };
                let function = if adds_up(self.knowledge, id) { Aggregate::Sum } else { Aggregate::Avg };
                (!own).then(|| Measure::Of(function, attr.clone()))
            }
        }
    }

    /// True where people would be put in order by how something else was rated: *best customers* are not those who rate best.
    fn rates_people(&self) -> bool {
        let rated_by = |take: &Take| match &take.by {
            By::Attr(Attr::Adjective(words, _)) => self.filler(*words).map(|filler| filler.table),
            _ => None,
        };
        let rated = self.query.take.as_ref().and_then(rated_by);
        let subject = self.query.subject.as_ref().and_then(|noun| self.table(noun));
        rated
            .zip(subject)
            .is_some_and(|(rated, subject)| rated != subject && is_called(self.knowledge, subject, "buyers"))
    }

    fn entity(&self, measures: &[Measure], keys: &[Key], attrs: &[Noun]) -> Option<TableId> {
        let of_measures = measures.iter().find_map(|measure| self.home(measure));
        let subject = self.query.subject.as_ref().and_then(|noun| self.table(noun));
        let of_preds = || self.query.preds.iter().find_map(|pred| self.pred_table(pred));
        let of_attrs = || attrs.iter().find_map(|noun| self.table(noun));
        let of_keys = || {
            keys.iter().find_map(|key| match key {
                Key::Noun(noun) => self.table(noun),
                Key::Time(_, noun) => noun.as_ref().and_then(|noun| self.table(noun)),
                Key::Bands(attr, _) => self.attr_table(attr),
                Key::ColumnOf(Named { words, .. }) | Key::Place(words, _) => {
                    self.filler(*words).map(|filler| filler.table)
                }
            })
        };
        if let (Some(home), Some(subject)) = (of_measures, subject) {
            // *repeat customers*: the rows counted are those that refer to the subject.
            let counts_subject =
                self.query.having.iter().any(|having| having.measure == Measure::Count(None));
            // Of *loans by member, more than 2* it is the loans themselves that are counted.
            let is_subject = |noun: &Noun| {
                self.bound(noun).is_some_and(|filler| filler.column.is_none() && filler.table == subject)
            };
            let groups_subject = keys.iter().all(|key| matches!(key, Key::Noun(noun) if is_subject(noun)));
            if counts_subject && groups_subject && home == subject {
                return self.event_of(subject);
            }
        }
        let of_words = of_measures.or(subject).or_else(of_attrs);
        let of_words = of_words.or_else(|| self.told_by_code()).or_else(of_keys).or_else(of_preds);
        of_words.or_else(|| taken(self.query, self.binding)).or_else(|| self.main_event(keys))
    }
}

/// True where the first of two keys is a longer unit of time than the second; none where they are not two units.
fn is_longer(one: &Key, other: &Key) -> Option<bool> {
    let length = |key: &Key| match key {
        Key::Time(unit, _) => Some(match unit {
            Unit::Hour | Unit::HourOfDay => 0,
            Unit::Day | Unit::Weekday | Unit::Weekend => 1,
            Unit::Week => 2,
            Unit::Month | Unit::MonthOfYear => 3,
            Unit::Quarter | Unit::QuarterOfYear => 4,
            Unit::Year => 5,
            Unit::Decade => 6,
        }),
        _ => None,
    };
    Some(length(one)? > length(other)?)
}
