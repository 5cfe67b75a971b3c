//! By which date windows and units of time count, where that is not said.

use jiff::civil::Date;

use super::Lowering;
use super::grain::Grain;
use crate::rules::event_date;
use crate::rules::grammar::columns::is_date;
use crate::rules::grammar::form::{Attr, By, Compare, Having, Key, Measure, Noun, Per, Pred, Show, Take};
use crate::rules::grammar::time::Window;
use crate::rules::grammar::units::Unit;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, TableId};
use crate::rules::link::families;
use crate::rules::stem::stem;
use sqlogue_sql::plan::{Comparison, Condition, Expr};
use sqlogue_sql::schema::Value;

impl Lowering<'_> {
    /// True for a column of dates that is called as what happened then: *sign-ups*, *cancellations*, but not *the sign-up day*.
    pub(super) fn is_event(&self, noun: &Noun) -> bool {
        let date =
            self.bound(noun).and_then(|filler| filler.column).is_some_and(|id| is_date(self.knowledge, id));
        date && self.query.date.as_ref() != Some(noun) && !noun.says_when
    }

    /// The columns of a table that hold dates, those first that say when its rows came to be.
    pub(super) fn dates(&self, table: TableId) -> Vec<ColumnId> {
        let mut dates = self.knowledge.dates(table).to_vec();
        // *members who joined in May*: nobody's birth tells when.
        dates.retain(|id| !event_date::is_of_life(self.knowledge.column(*id)));
        if let Some(told) = self.date_of_family(&dates) {
            dates.retain(|id| *id != told);
            dates.insert(0, told);
        }
        dates
    }

    /// The date that counts: the one that is named, else that of the entity, else that of a table beside it. `None` where
    /// one is needed and there is none.
    #[expect(clippy::option_option, reason = "no date needed is not the same as none found")]
    fn date_needed(&self) -> Option<Option<ColumnId>> {
        if let Some(noun) = &self.query.date {
            return Some(self.bound(noun).and_then(|filler| filler.column));
        }
        // *paid by month in 2026*: the window is of the date that the months are of.
        let of_key = self.query.keys.iter().find_map(|key| match key {
            Key::Time(_, noun) => noun.as_ref(),
            _ => None,
        });
        if let Some(noun) = of_key {
            return Some(self.bound(noun).and_then(|filler| filler.column));
        }
        // *cars by model year since 2020*: the years that they are grouped by.
        if let Some(years) = self.grouped_years().filter(|_| self.asks_for_years()) {
            return Some(Some(years));
        }
        // *sign-ups per month* are counted by when they happened.
        let counted = self.query.show.iter().find_map(|show| match show {
            Show::Measure(Measure::Count(Some(noun))) | Show::Noun(noun) if self.is_event(noun) => Some(noun),
            _ => None,
        });
        if let Some(noun) = counted {
            return Some(self.bound(noun).and_then(|filler| filler.column));
        }
        let subject = self.query.subject.as_ref().and_then(|noun| self.table(noun));
        let has_years = |table: TableId| {
            let columns = &self.knowledge.table(table).columns;
            columns.iter().any(|id| self.knowledge.column(*id).kind == ColumnKind::Year)
        };
        let keys = self.query.keys.iter().any(|key| match key {
            Key::Time(Unit::Decade, None) => !subject.is_some_and(has_years),
            Key::Time(_, None) => true,
            _ => false,
        });
        let is_timed = |pred: &Pred| {
            matches!(
                pred,
                Pred::In(None, _) | Pred::Outside(None, _) | Pred::On(None, _) | Pred::LastDay(None)
            )
        };
        // *share of orders placed on weekends*: the days are told of a part of what is measured.
        let in_part = |show: &Show| matches!(show, Show::Measure(measure) if measured_preds(measure).iter().any(is_timed));
        // *who spent more this year than last year*: so are the parts that are compared.
        let in_bound = |having: &Having| measured_preds(&having.measure).iter().any(is_timed);
        // *which category grew the most this year*: so are those that decide.
        let decides = |take: &Take| matches!(&take.by, By::Measure(measure) if measured_preds(measure).iter().any(is_timed));
        let preds = self.query.preds.iter().any(is_timed)
            || self.query.take.as_ref().is_some_and(decides)
            || self.query.show.iter().any(in_part)
            || self.query.having.iter().any(in_bound);
        let in_periods = self.query.having.iter().any(|having| matches!(having.measure, Measure::Periods(_)));
        let per_time = |show: &Show| matches!(show, Show::Measure(Measure::Mean(_, Per::Time(_))));
        // *moving average of loans*: the months are not said.
        let over_time = self.query.compare.is_some_and(|compare| compare != Compare::Rank);
        let keys = keys || over_time || !self.query.versus.is_empty() || self.query.show.iter().any(per_time);
        let takes = self.query.take.as_ref().is_some_and(|take| take.each.is_some() && take.by == By::Shown);
        (keys || preds || takes || in_periods).then_some(None)
    }

    #[expect(clippy::option_option, reason = "no date needed is not the same as none found")]
    pub(super) fn date_of(&self, grain: &Grain) -> Option<Option<ColumnId>> {
        match self.date_needed() {
            None => return Some(None),
            Some(Some(named)) => return Some(Some(named)),
            Some(None) => {}
        }
        let own = self.dates(grain.entity);
        let mut dates = self.dates_between(grain);
        self.supply("date", if own.len() > 1 || !dates.is_empty() { 0.1 } else { 0.02 });
        dates.extend(own);
        if dates.is_empty() && self.asks_for_years() {
            dates.extend(self.only_years(grain.entity));
        }
        if let Some(told) = self.date_of_deed(grain) {
            dates.retain(|id| *id != told);
            dates.insert(0, told);
        }
        let comes_after = |id: &ColumnId| event_date::comes_after(self.knowledge, *id);
        if dates.iter().all(comes_after) {
            // Lines of orders that tell when some came back are of the day of the order.
            let above = self.dates_above(grain.entity);
            if !above.is_empty() {
                dates = above;
            }
        } else if self.style.date > 0 && dates.len() == 1 {
            return None;
        }
        dates.get(self.style.date).copied().map(Some)
    }

    /// The column of years that groups are made by.
    fn grouped_years(&self) -> Option<ColumnId> {
        self.query.keys.iter().find_map(|key| {
            let Key::Noun(noun) = key else { return None };
            let column = self.bound(noun)?.column?;
            (self.knowledge.column(column).kind == ColumnKind::Year).then_some(column)
        })
    }

    /// The column of years of a table that has just one.
    fn only_years(&self, table: TableId) -> Option<ColumnId> {
        let columns = self.knowledge.table(table).columns.iter().copied();
        let mut years = columns.filter(|id| self.knowledge.column(*id).kind == ColumnKind::Year);
        years.next().filter(|_| years.next().is_none())
    }

    /// True where whole years are all that is asked for by time: *films before 2000*.
    fn asks_for_years(&self) -> bool {
        let in_years = |pred: &Pred| match pred {
            Pred::In(None, window) | Pred::Outside(None, window) => years_of(window).is_some(),
            Pred::On(None, _) | Pred::LastDay(None) => false,
            _ => true,
        };
        let finer =
            |key: &Key| matches!(key, Key::Time(unit, _) if !matches!(unit, Unit::Year | Unit::Decade));
        let by_time = self.query.keys.iter().any(finer);
        !by_time && self.query.versus.is_empty() && self.query.preds.iter().all(in_years)
    }

    /// A column of years within a window; none for a window of parts of years.
    pub(super) fn within_years(&self, id: ColumnId, window: &Window) -> Option<Condition> {
        let bound =
            |operator, year: i16| Condition::compare(self.expr(id), operator, Expr::literal(i64::from(year)));
        let (from, until) = years_of(window)?;
        if let (Some(from), Some(until)) = (from, until)
            && until - from == 1
        {
            return Some(bound(Comparison::Equal, from));
        }
        let from = from.map(|year| bound(Comparison::GreaterOrEqual, year));
        Condition::all(from.into_iter().chain(until.map(|year| bound(Comparison::Less, year))).collect())
    }

    /// *litres packaged per month* are counted by `packaged_on`: the date whose name says what was done with what is measured.
    fn date_of_deed(&self, grain: &Grain) -> Option<ColumnId> {
        let dates = self.dates(grain.entity);
        grain.measures.iter().find_map(|measure| {
            let Measure::Of(_, Attr::Noun(noun)) = measure else { return None };
            let of = self.knowledge.column(self.bound(noun)?.column?);
            let words = of.name.split(['_', ' ', '-']);
            let deeds: Vec<String> = words
                .filter(|word| word.len() > 4 && word.to_lowercase().ends_with("ed"))
                .map(stem)
                .collect();
            dates
                .iter()
                .copied()
                .find(|id| self.knowledge.column(*id).forms.iter().flatten().any(|word| deeds.contains(word)))
        })
    }

    /// *deals won last month* were closed then, where their state is `Closed Won`: the date that bears the word which the state shares
    /// with others.
    fn date_of_family(&self, dates: &[ColumnId]) -> Option<ColumnId> {
        let parts = self.query.show.iter().filter_map(|show| match show {
            Show::Measure(measure) => Some(measured_preds(measure)),
            _ => None,
        });
        let mut preds = self.query.preds.iter().chain(parts.flatten());
        let day = preds.find_map(|pred| {
            let Pred::Is { values, negated: false, .. } = pred else { return None };
            let [named] = values.as_slice() else { return None };
            let filler = self.filler(named.words)?;
            let (Some(id), Some(Value::Text(state))) = (filler.column, &filler.value) else { return None };
            families::day_of(self.knowledge, id, state)
        });
        day.filter(|day| dates.contains(day))
    }

    /// The dates of what lies between the entity and what groups or bounds it: *customers by product this year* are those
    /// who ordered this year, whenever they became customers.
    fn dates_between(&self, grain: &Grain) -> Vec<ColumnId> {
        let joins = self.knowledge.joins();
        let Some(tree) = joins.connect(&self.tables(grain)) else { return Vec::new() };
        let refers = |table: &TableId| {
            tree.edges
                .iter()
                .any(|edge| edge.from == *table && edge.to == grain.entity && edge.from != edge.to)
        };
        let events = tree.tables.iter().filter(|table| refers(table));
        events.filter_map(|table| self.dates(*table).first().copied()).collect()
    }

    /// The dates of the tables that the entity's rows refer to: those first of what the rows are parts of (*order lines* of
    /// orders), and then those that say best when something happened.
    pub(super) fn dates_above(&self, entity: TableId) -> Vec<ColumnId> {
        let own = self.knowledge.table_words(entity);
        let above = self.knowledge.joins().above(entity);
        let mut dates: Vec<(bool, i32, ColumnId)> = above
            .filter_map(|table| {
                let date = self.dates(table).first().copied()?;
                let is_whole = self.knowledge.table_words(table).iter().any(|word| own.contains(word));
                Some((!is_whole, event_date::strangeness_of(self.knowledge, date), date))
            })
            .collect();
        dates.sort_by_key(|(is_other, strangeness, _)| (*is_other, *strangeness));
        dates.into_iter().map(|(.., date)| date).collect()
    }

    /// A column of months within a window; none for one that begins within a month. One that ends within a month, as *the last
    /// three months* do today, has that month in it.
    pub(super) fn within_months(&self, id: ColumnId, window: &Window) -> Option<Condition> {
        let month = |day: Date| Expr::literal(format!("{:04}-{:02}", day.year(), day.month()));
        let bound = |operator, day| Condition::compare(self.expr(id), operator, month(day));
        let mut bounds = Vec::new();
        if let Some(from) = window.from {
            bounds.push((from.day() == 1).then(|| bound(Comparison::GreaterOrEqual, from))?);
        }
        bounds.extend(window.until.map(|until| match until.day() {
            1 => bound(Comparison::Less, until),
            _ => bound(Comparison::LessOrEqual, until),
        }));
        Condition::all(bounds)
    }
}

/// The year in which a window of whole years begins, and the one before which it ends; none for other windows.
fn years_of(window: &Window) -> Option<(Option<i16>, Option<i16>)> {
    let is_start = |day: &Date| day.month() == 1 && day.day() == 1;
    let whole = window.from.iter().chain(&window.until).all(is_start);
    whole.then(|| (window.from.map(Date::year), window.until.map(Date::year)))
}

/// The conditions on a part of what is measured.
fn measured_preds(measure: &Measure) -> &[Pred] {
    match measure {
        Measure::Where(_, preds) => preds,
        Measure::Share(part, _) | Measure::Less(part, _) => measured_preds(part),
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::table;
    use crate::rules::{Knowledge, Options, understand};
    use sqlogue_sql::schema::{ColumnType, Schema, Value};
    use sqlogue_sql::sql::{Dialect, render};

    #[test]
    fn months_are_dates_too() {
        use ColumnType::{Integer, Text};
        let columns = [("usage_id", Integer), ("month", Text), ("megabytes", Integer)];
        let schema = Schema { tables: vec![table("usage", &columns, &[])] };
        let mut builder = Knowledge::builder(&schema, 1 << 20);
        builder.values("usage", "month", ["2026-01", "2026-02", "2026-11"].map(Value::from));
        let knowledge = builder.finish();
        let today = "2026-07-01".parse().unwrap_or_default();
        let options = Options { today, ..Options::default() };
        for (question, wanted) in [
            ("total megabytes in May", "month >= '2026-05' AND month < '2026-06'"),
            ("total megabytes this year", "month >= '2026-01' AND month < '2027-01'"),
            ("total megabytes by month", "GROUP BY month"),
            ("total megabytes by year", "strftime('%Y', month || '-01')"),
        ] {
            let read = understand(question, &knowledge, &options);
            let sql = read.candidates.first().map(|one| render(&one.plan, Dialect::Sqlite));
            assert!(sql.as_deref().is_some_and(|sql| sql.contains(wanted)), "{question}: {sql:?}");
        }
    }
}
