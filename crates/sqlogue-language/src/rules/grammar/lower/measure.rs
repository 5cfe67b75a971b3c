//! Measures as expressions.

use super::Lowering;
use super::apart::or_zero;
use super::grain::Grain;
use super::takings::is_money;
use crate::rules::grammar::columns::{adds_up, flag, is_date, is_number};
use crate::rules::grammar::form::{Attr, Measure, Noun, Pred, Whole};
use crate::rules::joins::JoinTree;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::TableId;
use sqlogue_sql::plan::{Aggregate, Arithmetic, Condition, Expr, Window};

/// What a summary is made over.
#[derive(Clone, Copy)]
pub(super) struct Over<'a> {
    /// The grain.
    pub(super) grain: &'a Grain,
    /// The joins.
    pub(super) tree: &'a JoinTree,
    /// Whether rows are grouped.
    pub(super) grouped: bool,
    /// Whether rows of the entity may be missing, as where groups without rows are kept.
    pub(super) optional: bool,
}

impl Measure {
    /// True for what does not grow with the number of rows: means, ratios, shares of rows.
    pub fn is_mean(&self) -> bool {
        matches!(
            self,
            Self::Of(Aggregate::Avg, _)
                | Self::Percentile(..)
                | Self::Ratio(..)
                | Self::Percent(..)
                | Self::Share(_, Whole::Rows)
        )
    }
}

impl Lowering<'_> {
    /// The measure of groups that name none: the total of a number that is shown, else how many there are.
    pub(super) fn implicit(&self, measures: &mut Vec<Measure>, attrs: &mut Vec<Noun>) {
        let is_sum = |noun: &Noun| {
            self.bound(noun).and_then(|filler| filler.column).is_some_and(|id| is_number(self.knowledge, id))
        };
        let (sums, rest): (Vec<Noun>, Vec<Noun>) = attrs.drain(..).partition(is_sum);
        // *sign-ups per month*: what bears a date's name and is no date is what happened then.
        let (events, rest): (Vec<Noun>, Vec<Noun>) = rest.into_iter().partition(|noun| self.is_event(noun));
        *attrs = rest;
        if !events.is_empty() {
            self.supply("events_counted", 0.1);
            measures.extend(events.into_iter().map(|noun| Measure::Count(Some(noun))));
            return;
        }
        if sums.is_empty() {
            self.supply("implicit_count", 0.1);
            if self.query.subject.is_none() && self.query.preds.is_empty() {
                self.supply("counts_unsaid", 0.0);
            }
            measures.push(Measure::Count(self.query.subject.clone()));
            // *payments by method* may ask how many or how much, and both stand side by side.
            let plain = self.query.versus.is_empty()
                && self.query.compare.is_none()
                && self.query.take.is_none()
                && self.query.pivot.is_none();
            if let Some(rows) = self.query.subject.as_ref().filter(|rows| plain && self.is_money(rows)) {
                self.supply("count_and_total", 0.0);
                measures.push(Measure::Of(Aggregate::Sum, Attr::Amount(rows.clone())));
            }
        } else {
            self.supply("implicit_sum", 0.15);
            // *salary costs by department* speaks of one number, and not of two tables'.
            let first = sums.first().and_then(|noun| self.table(noun));
            if sums.iter().any(|noun| self.table(noun) != first) {
                self.supply("sums_of_several_tables", 3.0);
            }
            for noun in sums {
                let id = self.bound(&noun).and_then(|filler| filler.column);
                let adds = id.is_none_or(|id| adds_up(self.knowledge, id));
                let function = if adds { Aggregate::Sum } else { Aggregate::Avg };
                measures.push(Measure::Of(function, Attr::Noun(noun)));
            }
        }
    }

    /// True for rows that are money: payments, expenses, refunds.
    fn is_money(&self, rows: &Noun) -> bool {
        self.table(rows).is_some_and(|table| is_money(self.knowledge, table))
    }

    /// A measure as an expression; none where it would count rows twice.
    pub(super) fn measure(&self, measure: &Measure, over: Over<'_>) -> Option<Expr> {
        self.measure_where(measure, None, over)
    }

    /// True for money that may be added up, and that no join repeats: *how much was rejected* is all of it, where what a thing costs is
    /// told in one place.
    fn is_all_of_it(&self, measure: &Measure, over: Over<'_>) -> bool {
        let Measure::Of(Aggregate::Max, Attr::Price(words)) = measure else { return false };
        let Some(filler) = self.filler(*words) else { return false };
        filler.column.is_some_and(|id| adds_up(self.knowledge, id)) && !self.repeats(filler.table, over.tree)
    }

    /// Whether a summary of what one row says can be made; none where it cannot.
    fn can_be_summed(&self, function: Aggregate, attr: &Attr, home: TableId, over: Over<'_>) -> Option<()> {
        // A total over rows that a join repeats is wrong; the largest stays the largest.
        if self.repeats(home, over.tree) && !matches!(function, Aggregate::Min | Aggregate::Max) {
            return None;
        }
        // *total customers* counts them: what is told by other rows is asked for in more words.
        if let Attr::Amount(noun) = attr
            && self.table(noun) != Some(home)
        {
            self.supply("worth_by_other_rows", 0.8);
        }
        Some(())
    }

    /// What is left of one measure once another is taken off.
    fn left_of(
        &self,
        one: &Measure,
        other: &Measure,
        only: Option<Condition>,
        over: Over<'_>,
    ) -> Option<Expr> {
        // Who bought nothing last year spent more this year by all of it.
        let may_be_nothing = |part: &Measure| match part {
            Measure::Where(part, _) => !matches!(**part, Measure::Count(_)),
            _ => false,
        };
        let is_between = may_be_nothing(one) && may_be_nothing(other);
        let made = |expr: Expr| if is_between { or_zero(expr) } else { expr };
        let one = made(self.measure_where(one, only.clone(), over)?);
        let other = made(self.measure_where(other, only, over)?);
        // Nothing is left of a number without itself.
        (one != other).then(|| less(one, other))
    }

    fn measure_where(&self, measure: &Measure, only: Option<Condition>, over: Over<'_>) -> Option<Expr> {
        Some(match measure {
            Measure::Count(noun) => self.count(noun.as_ref(), only, over)?,
            // Made by `at_each_end`, and nowhere else.
            Measure::At(..) => return None,
            Measure::Distinct(noun) => {
                let filler = self.bound(noun).filter(|_| self.way_of(noun).is_none())?;
                let of = match filler.column {
                    Some(id) => self.expr(id),
                    None => self.key_of(filler.table)?,
                };
                distinct(restricted(of, only))
            }
            Measure::Periods(unit) => distinct(restricted(self.bucket(*unit, over.grain.date?)?, only)),
            Measure::Of(Aggregate::Min | Aggregate::Max, Attr::Noun(noun)) if self.has_no_highest(noun) => {
                return None;
            }
            // What one row is worth may be told by several rows below it: their mean is not that of the rows.
            Measure::Of(Aggregate::Avg, Attr::Amount(noun)) if self.table(noun) != self.home(measure) => {
                let total = Measure::Of(Aggregate::Sum, Attr::Amount(noun.clone()));
                let total = self.measure_where(&total, only.clone(), over)?;
                Expr::ratio(total, self.count(Some(noun), only, over)?)
            }
            // What is granted in percent of a price is worth a part of it: *total discount*.
            Measure::Of(Aggregate::Sum, Attr::Noun(noun)) if self.granted(noun).is_some() => {
                if self.repeats(self.home(measure)?, over.tree) {
                    return None;
                }
                Expr::aggregate(Aggregate::Sum, restricted(self.granted(noun)?, only))
            }
            Measure::Of(Aggregate::Min, Attr::Since(date, unit)) => self.since_last(date, *unit, only)?,
            Measure::Of(function, attr) => {
                self.can_be_summed(*function, attr, self.home(measure)?, over)?;
                let function = if self.is_all_of_it(measure, over) { Aggregate::Sum } else { *function };
                Expr::aggregate(function, restricted(self.attr(attr)?, only))
            }
            Measure::Spread(attr) => {
                let of = restricted(self.attr(attr)?, only);
                let [highest, lowest] =
                    [Aggregate::Max, Aggregate::Min].map(|end| Expr::aggregate(end, of.clone()));
                Expr::arithmetic(Arithmetic::Subtract, highest, lowest)
            }
            Measure::Percentile(_, Attr::Amount(noun)) if self.table(noun) != self.home(measure) => {
                return None;
            }
            Measure::Percentile(percent, attr) => {
                if self.repeats(self.home(measure)?, over.tree) {
                    return None;
                }
                Expr::aggregate(Aggregate::Percentile(*percent), restricted(self.attr(attr)?, only))
            }
            // Made by `of_each` and `intervals`, and nowhere else.
            Measure::Mean(..) | Measure::Interval(..) => return None,
            Measure::Defined(term) => self.defined(term, only.as_ref(), over)?,
            Measure::Ratio(one, other) => Expr::ratio(
                self.measure_where(one, only.clone(), over)?,
                self.measure_where(other, only, over)?,
            ),
            Measure::Percent(one, other) => Expr::percent(
                self.measure_where(one, only.clone(), over)?,
                self.measure_where(other, only, over)?,
            ),
            Measure::Less(one, other) => self.left_of(one, other, only, over)?,
            Measure::Change(from, to) => Expr::growth(
                self.measure_where(from, only.clone(), over)?,
                self.measure_where(to, only, over)?,
            ),
            Measure::Where(inner, preds) => {
                let mut conditions = self.all(preds, over.grain)?;
                conditions.extend(only);
                self.measure_where(inner, Condition::all(conditions), over)?
            }
            Measure::Share(part, Whole::Rows) => self.share_of_rows(part, only, over)?,
            Measure::Share(part, Whole::Total) => {
                if !over.grouped || self.sums_flags(part) {
                    return None;
                }
                let part = self.measure_where(part, only, over)?;
                let total = Window::aggregate(Aggregate::Sum, part.clone());
                let total = Expr::from(self.among(over.grain)?.into_iter().fold(total, Window::per));
                Expr::percent(part, total)
            }
        })
    }

    /// True for names and references, of which nothing is the highest: *top genre by loans* ranks genres.
    fn has_no_highest(&self, noun: &Noun) -> bool {
        use ColumnKind::{Code, Flag, Name, Reference, Text};
        let column = self.bound(noun).and_then(|filler| filler.column);
        column.is_some_and(|id| {
            matches!(self.knowledge.column(id).kind, Code | Flag { .. } | Name | Reference | Text)
        })
    }

    /// The rows that conditions leave, as a part of all.
    fn share_of_rows(&self, part: &Measure, only: Option<Condition>, over: Over<'_>) -> Option<Expr> {
        let Measure::Where(inner, preds) = part else { return None };
        // Whether something came late is known of what has come.
        let come = preds.iter().filter_map(|pred| match pred {
            Pred::Late(Some(end), _) => Some(Pred::Known(end.clone(), true)),
            Pred::Late(None, _) => Some(Pred::Ended(None)),
            _ => None,
        });
        let come = self.all(&come.collect::<Vec<_>>(), over.grain)?;
        let all = Condition::all(only.clone().into_iter().chain(come).collect());
        Some(Expr::percent(self.measure_where(part, only, over)?, self.measure_where(inner, all, over)?))
    }

    /// True for the total of a column that says yes or no: *percentage of batches dumped* is that of each group's rows, and no
    /// part of all that were dumped.
    fn sums_flags(&self, measure: &Measure) -> bool {
        let Measure::Of(Aggregate::Sum, Attr::Noun(noun)) = measure else { return false };
        let column = self.bound(noun).and_then(|filler| filler.column);
        column.is_some_and(|id| flag(self.knowledge, id).is_some())
    }

    /// How many rows, or how many different values of a column.
    fn count(&self, noun: Option<&Noun>, only: Option<Condition>, over: Over<'_>) -> Option<Expr> {
        let filler = noun.and_then(|noun| self.bound(noun));
        if noun.is_some_and(|noun| self.way_of(noun).is_some()) {
            return None;
        }
        let column = filler.and_then(|filler| filler.column);
        let table = filler.map_or(over.grain.entity, |filler| filler.table);
        if let Some(id) = column {
            // *number of subscribers* of a column that says yes or no.
            if let Some((yes, _)) = flag(self.knowledge, id) {
                let holds = Condition::equal(self.expr(id), Expr::Literal(yes));
                let home = self.knowledge.column(id).table;
                if self.repeats(home, over.tree) {
                    return None;
                }
                return Some(Expr::count_where(Condition::all(only.into_iter().chain([holds]).collect())?));
            }
            // *number of employees* of a column of numbers is a stored count: it is summed.
            if is_number(self.knowledge, id) && !self.knowledge.column(id).says_which() {
                if self.repeats(table, over.tree) {
                    return None;
                }
                self.supply("stored_count", 0.25);
                let number = noun.and_then(|noun| self.of_side(noun, id)).unwrap_or_else(|| self.expr(id));
                return Some(Expr::aggregate(Aggregate::Sum, restricted(number, only)));
            }
            // *how many delivered orders* counts no days; *on how many days* does.
            if is_date(self.knowledge, id) && noun.is_some_and(|noun| !noun.says_when) {
                return None;
            }
            self.supply("count_of_column", 0.1);
            return Some(distinct(restricted(self.expr(id), only)));
        }
        if table != over.grain.entity || self.repeats(table, over.tree) {
            let key = self.key_of(table)?;
            return Some(distinct(restricted(key, only)));
        }
        Some(match (only, over.optional) {
            (Some(condition), _) => Expr::count_where(condition),
            (None, true) => Expr::aggregate(Aggregate::Count, self.key_of(table)?),
            (None, false) => Expr::count_all(),
        })
    }

    /// The single column that tells the rows of a table apart.
    fn key_of(&self, table: TableId) -> Option<Expr> {
        match self.knowledge.table(table).key.as_slice() {
            [id] => Some(self.expr(*id)),
            _ => None,
        }
    }

    /// True where the joins repeat the rows of a table: somewhere on the way from it they go to rows that refer back.
    pub(super) fn repeats(&self, table: TableId, tree: &JoinTree) -> bool {
        let mut reached = vec![table];
        let mut grew = true;
        while grew {
            grew = false;
            for edge in &tree.edges {
                let (from, to) = (reached.contains(&edge.from), reached.contains(&edge.to));
                if to && !from {
                    return true;
                }
                if from && !to {
                    reached.push(edge.to);
                    grew = true;
                }
            }
        }
        false
    }
}

pub(super) fn restricted(expr: Expr, only: Option<Condition>) -> Expr {
    match only {
        Some(condition) => Expr::only_where(condition, expr),
        None => expr,
    }
}

/// What is left of one number once another is taken off.
pub(super) fn less(one: Expr, other: Expr) -> Expr {
    Expr::arithmetic(Arithmetic::Subtract, one, other)
}

fn distinct(of: Expr) -> Expr {
    Expr::count_distinct(vec![of])
}
