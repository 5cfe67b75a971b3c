//! Whose rows are spoken of: the table of a measure, of a value of one row, of a condition.

use super::Lowering;
use crate::rules::grammar::amounts::amounts_of;
use crate::rules::grammar::columns::{has_price, price_and_quantity};
use crate::rules::grammar::form::{Attr, By, Key, Measure, Noun, Pred, Take};
use crate::rules::knowledge::TableId;
use sqlogue_sql::plan::{Expr, TimeUnit};

impl Lowering<'_> {
    /// The table whose rows a measure summarises.
    pub(super) fn home(&self, measure: &Measure) -> Option<TableId> {
        match measure {
            Measure::Count(None) => {
                // *the most popular product*: what is ranked is what is counted for.
                let ranked = || match self.query.keys.first() {
                    Some(Key::Noun(noun)) if self.bound(noun)?.column.is_none() => self.table(noun),
                    _ => None,
                };
                let subject = self.query.subject.as_ref().and_then(|noun| self.table(noun));
                let subject = subject.or_else(ranked)?;
                let counted = By::Measure(Measure::Count(None));
                let decides = self.query.take.as_ref().is_some_and(|take| take.by == counted);
                let of_groups = decides || !self.query.having.is_empty() && self.query.keys.is_empty();
                // *no-shows per doctor*: a kind stands for its rows, which belong to a doctor each.
                let kind = || {
                    let mut told = self.query.preds.iter().filter_map(|pred| self.pred_table(pred));
                    told.find(|table| {
                        self.query.subject.is_none() && self.knowledge.joins().refers(*table, subject)
                    })
                };
                let late = || self.query.preds.iter().any(|pred| matches!(pred, Pred::Late(None, true)));
                // *which customers pay late most often*: the rows that have a day when they were due.
                if of_groups && late() && !self.falls_due(subject) {
                    return self.due_below(subject);
                }
                if of_groups { self.event_of(subject) } else { kind().or(Some(subject)) }
            }
            Measure::Count(Some(noun)) | Measure::Distinct(noun) | Measure::Interval(_, noun, ..) => {
                self.table(noun)
            }
            Measure::Of(_, attr) | Measure::Percentile(_, attr) | Measure::Spread(attr) => {
                self.attr_table(attr)
            }
            Measure::Ratio(one, other)
            | Measure::Percent(one, other)
            | Measure::Less(one, other)
            | Measure::Change(one, other) => self.home(one).or_else(|| self.home(other)),
            Measure::Where(part, preds) => {
                let told = |pred: &Pred| match pred {
                    // *refund rate*: refunds are of orders.
                    Pred::Related(group, true) if group.preds.is_empty() => {
                        self.told_of(self.table(&group.of)?)
                    }
                    _ => self.bearer_of_code(pred).or_else(|| self.pred_table(pred)),
                };
                let of_preds = || preds.iter().find_map(told);
                match part.as_ref() {
                    // *no-show rate by doctor*, *the doctor with the highest no-show rate*: the rows that do not show up, and not
                    // the doctors.
                    Measure::Count(None) if self.query.subject.is_none() || self.is_ranked_by_rate() => {
                        of_preds().or_else(|| self.home(part))
                    }
                    part => self.home(part).or_else(of_preds),
                }
            }
            Measure::Periods(_) => {
                let subject = self.query.subject.as_ref().and_then(|noun| self.table(noun));
                subject.and_then(|table| self.event_of(table))
            }
            Measure::Share(part, _) | Measure::Mean(part, _) | Measure::At(part, _) => self.home(part),
            Measure::Defined(term) => term.tables.first().copied(),
        }
    }

    /// True where a rate decides which of the subject's rows are meant.
    pub(super) fn is_ranked_by_rate(&self) -> bool {
        let is_rate = |measure: &Measure| matches!(measure, Measure::Share(..) | Measure::Percent(..));
        let decides = |take: &Take| matches!(&take.by, By::Measure(measure) if is_rate(measure));
        self.query.take.as_ref().is_some_and(decides)
            || self.query.having.iter().any(|having| is_rate(&having.measure))
    }

    /// The rows that tell how many pieces were sold: those of the table itself, or the lines that refer to it. Of orders, which have
    /// such lines too, there are no pieces.
    pub(super) fn lines_of(&self, things: &Noun) -> Option<TableId> {
        let things = self.table(things)?;
        let tells = |table: &TableId| price_and_quantity(self.knowledge, *table).is_some();
        let own = self.knowledge.table_words(things);
        let is_part =
            |lines: TableId| self.knowledge.table_words(lines).iter().any(|word| own.contains(word));
        let happened = !self.dates(things).is_empty();
        let is_thing = |lines: &TableId| !happened || has_price(self.knowledge, things) && !is_part(*lines);
        let mut lines = self.knowledge.joins().below(things).filter(|lines| tells(lines) && is_thing(lines));
        if tells(&things) { Some(things) } else { lines.next() }
    }

    pub(super) fn attr_table(&self, attr: &Attr) -> Option<TableId> {
        match attr {
            Attr::Noun(noun) => self.table(noun),
            Attr::Pieces(noun) => self.lines_of(noun),
            // Of two tables, the one whose rows refer to the other's: each has its own time.
            Attr::Between(from, to, _) | Attr::Math(_, from, to) => {
                match (self.attr_table(from), self.attr_table(to)) {
                    (Some(from), Some(to)) if from != to => {
                        let edges = self.knowledge.joins().between(from, to);
                        Some(if edges.iter().any(|edge| edge.from == to) { to } else { from })
                    }
                    (from, to) => from.or(to),
                }
            }
            Attr::Given(_, table) => Some(*table),
            Attr::Times(_, of) | Attr::Since(of, _) => self.attr_table(of),
            Attr::Begin(noun) => self.table(noun),
            Attr::Price(words) | Attr::Rate(words, _) => self.filler(*words).map(|filler| filler.table),
            Attr::When(noun) => self.table(noun),
            Attr::Use(noun, verb) => {
                let table = self.table(noun)?;
                let said = verb.as_ref().and_then(|verb| self.event_named(table, verb));
                said.or_else(|| self.event_of(table))
            }
            Attr::Amount(noun) => amounts_of(self.knowledge, self.table(noun)?),
            Attr::Revenue(words)
            | Attr::Recurring(words)
            | Attr::Net(words, _)
            | Attr::Profit(words)
            | Attr::Stock(words)
            | Attr::Level(words, _)
            | Attr::Sold(words)
            | Attr::Adjective(words, _)
            | Attr::Age(words, _)
            | Attr::Waited(words, ..)
            | Attr::Lasting(words, ..) => self.filler(*words).map(|filler| filler.table),
        }
    }

    /// The time from one date to another.
    pub(super) fn passed(&self, from: &Attr, to: &Attr, unit: TimeUnit) -> Option<Expr> {
        self.belong_together(from, to)?;
        // *how long until the order is closed, in minutes*
        let unit = self.query.in_unit.unwrap_or(unit);
        Some(Expr::elapsed(unit, self.date_attr(from)?, self.date_attr(to)?))
    }

    /// Nothing where two dates are those of rows that have nothing to do with each other than whose they are: the order after which
    /// a customer wrote a review is any.
    fn belong_together(&self, from: &Attr, to: &Attr) -> Option<()> {
        let [from, to] = [self.attr_table(from)?, self.attr_table(to)?];
        let tree = self.knowledge.joins().connect(&[from, to])?;
        (!self.repeats(from, &tree) || !self.repeats(to, &tree)).then_some(())
    }

    /// The table a condition speaks of.
    pub(super) fn pred_table(&self, pred: &Pred) -> Option<TableId> {
        match pred {
            Pred::Is { values, .. } => {
                values.first().and_then(|named| self.filler(named.words)).map(|filler| filler.table)
            }
            Pred::Compare(attr, ..)
            | Pred::Range(attr, ..)
            | Pred::Summary(attr, ..)
            | Pred::Attrs(attr, ..) => self.attr_table(attr),
            Pred::In(noun, _) | Pred::Outside(noun, _) | Pred::On(noun, _) => {
                noun.as_ref().and_then(|noun| self.table(noun))
            }
            Pred::Flag(noun, _)
            | Pred::Happened(noun, _)
            | Pred::Overdue(noun, _)
            | Pred::Known(noun, _)
            | Pred::OpenRows(noun)
            | Pred::Key(noun, _)
            | Pred::Holds(noun, ..) => self.table(noun),
            Pred::Given(_, tables) => tables.first().copied(),
            Pred::Beside(attr, ..) => self.attr_table(attr),
            Pred::Under(named, None) => self.filler(named.words).map(|filler| filler.table),
            Pred::Under(_, Some(by)) => self.table(by),
            Pred::Through(..) | Pred::Only(..) | Pred::Way(..) | Pred::SameEnds(..) | Pred::Result(..) => {
                None
            }
            Pred::SameAs(column, ..) => self.table(column),
            Pred::Defined(term) => term.tables.first().copied(),
            Pred::Any(preds) => preds.iter().find_map(|pred| self.pred_table(pred)),
            Pred::Late(end, _) => end.as_ref().and_then(|noun| self.table(noun)),
            Pred::LastDay(day) => day.map(|id| self.knowledge.column(id).table),
            Pred::Utmost(rows, ..) => self.table(rows),
            Pred::Again(_) => None,
            Pred::Related(..) | Pred::Used(..) | Pred::Assigned(..) | Pred::Current | Pred::Superior(_) => {
                None
            }
            Pred::Open { .. } | Pred::Ended(_) | Pred::State(_) => None,
        }
    }
}
