//! Lowering: from a bound query to a plan.
//!
//! What a row of the result stands for (its grain) is settled first: the *entity* whose rows are listed or summarised, the
//! keys that group them, the measures. Then what was left open is supplied: the measure of a group that names none, the date
//! that a window counts by, the label of a row, the joins. A plan whose joins would count a row twice is not made.

mod again;
mod apart;
mod averaged;
mod banded;
mod beside;
mod condition;
mod dating;
mod defined;
mod discount;
mod ends;
mod events;
mod extremes;
mod first_rows;
mod grain;
mod hours;
mod intervals;
mod joined_once;
mod joins;
mod lengths;
mod list;
mod measure;
mod of_each;
mod others;
mod over;
mod own_column;
mod own_kind;
mod portion;
mod recurring;
mod redundant;
mod related;
mod roles;
mod rounded;
mod rows;
mod side;
mod since;
mod spread;
pub(super) mod states;
mod summary;
mod tables;
pub(super) mod takings;
mod together;
mod utmost;
pub(super) mod who;

pub(in crate::rules) use summary::EACH;
pub(in crate::rules) use who::{has_people, people_of};

use std::cell::{Cell, RefCell};

use jiff::civil::{Date, Weekday};

use self::roles::Role;
use super::amounts::amount;
use super::bind::{Binding, Filler};
use super::columns::{
    is_date, is_duration, line_total, price_and_cost, price_and_quantity, price_and_units, worth_and_quantity,
};
use super::form::{Attr, By, Columns, Noun, Query, Show, Waiting, Words};
use super::levels::{self, price_and_stock};
use super::units::Unit;
use crate::rules::joins::JoinTree;
use crate::rules::kind::{ColumnKind, MoneyUnit};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use sqlogue_sql::plan::{Arithmetic, CastType, Condition, DatePart, DateUnit, Expr, Function, QueryPlan};
use sqlogue_sql::schema::Value;

/// A plan, with what speaks for it.
#[derive(Debug, Clone)]
pub struct Lowered {
    /// The plan.
    pub plan: QueryPlan,
    /// Its joins.
    pub joins: JoinTree,
    /// What was supplied that nobody said, by name.
    pub supplied: Vec<&'static str>,
    /// What that costs.
    pub price: f32,
}

/// How a query is completed where its words leave it open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// The rows of a group are shown with their key too.
    pub keyed: bool,
    /// The measure that sorts or bounds is shown.
    pub shown: bool,
    /// Which of the dates that could be meant is taken.
    pub date: usize,
    /// The first rows are taken of all groups, and not of each.
    pub over_all: bool,
    /// Rows are shown by their names too where columns are asked for.
    pub named: bool,
    /// Rows are shown by the columns that are asked for alone, and not by their names.
    pub unnamed: bool,
    /// A reference is shown as it is stored, and not as the row that it refers to.
    pub bare: bool,
    /// Every measure is made by a query of its own.
    pub apart: bool,
}

/// Makes plans of one query.
pub(super) struct Lowering<'a> {
    knowledge: &'a Knowledge,
    query: &'a Query,
    binding: &'a Binding,
    today: Date,
    style: Style,
    roles: RefCell<Vec<Role>>,
    /// True while conditions of rows are made that stand in a query of their own.
    nested: Cell<bool>,
    /// True once the end that is said has led to rows.
    side_led: Cell<bool>,
    supplied: RefCell<Vec<&'static str>>,
    price: RefCell<f32>,
}

/// The plans that a bound query may mean, the usual completion first.
pub fn lower(query: &Query, binding: &Binding, knowledge: &Knowledge, today: Date) -> Vec<Lowered> {
    let mut made: Vec<Lowered> = Vec::new();
    // Nobody knows whose columns are named.
    if query.columns != Columns::Unsaid && query.subject.is_none() {
        return made;
    }
    let asks_things = who::asks_things(query, binding, knowledge);
    let asked_who = who::asked_who(query, binding, knowledge);
    let (query, binding) = asked_who.as_ref().map_or((query, binding), |(query, binding)| (query, binding));
    let Some(full) = in_full(query, binding, knowledge, today) else { return Vec::new() };
    let query = &full;
    let spread = query.pivot.as_ref().and_then(|of| others::spread(query, of.as_ref(), binding, knowledge));
    if query.pivot.is_some() && spread.is_none() {
        return Vec::new();
    }
    let query = spread.as_ref().unwrap_or(query);
    let shared = others::shared(query);
    let of_all = shared.is_some().then_some(query);
    let query = shared.as_ref().unwrap_or(query);
    let mut add = |query: &Query, style: Style, name: Option<&'static str>, price: f32| {
        let lowering = Lowering {
            knowledge,
            query,
            binding,
            today,
            style,
            roles: RefCell::default(),
            nested: Cell::default(),
            side_led: Cell::default(),
            supplied: RefCell::new(name.into_iter().collect()),
            price: RefCell::new(price),
        };
        if asks_things {
            lowering.supply("names_of_things", 1.0);
        }
        let Some((plan, joins)) = lowering.plan() else { return };
        if lowering.lacks_side(&joins) {
            return;
        }
        let plan = joined_once::joined_once(plan);
        let Some(plan) = (match query.decimals {
            Some(decimals) => rounded::rounded(plan, decimals),
            None => Some(plan),
        }) else {
            return;
        };
        if made.iter().all(|other| other.plan != plan) {
            let supplied = lowering.supplied.into_inner();
            made.push(Lowered { plan, joins, supplied, price: lowering.price.into_inner() });
        }
    };
    let usual = Style { shown: true, ..Style::default() };
    for (price, style) in [
        (0.0, usual),
        (0.25, Style { shown: false, ..usual }),
        (0.4, Style { keyed: true, ..usual }),
        (0.5, Style { date: 1, ..usual }),
        (0.35, Style { over_all: true, ..usual }),
        (0.2, Style { named: true, ..usual }),
        (0.2, Style { unnamed: true, ..usual }),
        (0.3, Style { bare: true, ..usual }),
        (0.15, Style { apart: true, ..usual }),
    ] {
        // Who names the columns one by one wants these, and neither more nor fewer.
        let other_columns = style.named || style.unnamed || style.bare || style.keyed;
        if query.columns == Columns::Unsaid || !other_columns {
            add(query, style, None, price);
        }
    }
    if let Some(of_all) = of_all {
        add(of_all, usual, Some("share_of_all_groups"), 0.3);
    }
    for other in others::readings(query, binding, knowledge) {
        add(&other.query, usual, Some(other.name), other.price);
    }
    made
}

/// True for a query that summarises rows, or takes or bounds them by a summary.
fn summarises(query: &Query) -> bool {
    let takes = query.take.as_ref().is_some_and(|take| matches!(take.by, By::Measure(_) | By::Shown));
    let shows = query.show.iter().any(|show| matches!(show, Show::Measure(_)));
    shows || takes || query.counts || !query.having.is_empty() || !query.keys.is_empty()
}

/// The query with what its words imply; none where they can imply nothing.
fn in_full(query: &Query, binding: &Binding, knowledge: &Knowledge, today: Date) -> Option<Query> {
    let summed = query.altogether.then(|| others::summed(query, binding, knowledge)).flatten();
    // *never sold together* adds nothing up.
    if query.altogether && summed.is_none() && !summarises(query) {
        return None;
    }
    let mut full = summed.unwrap_or_else(|| query.clone());
    full = levels::of_last_day(&full, binding, knowledge).unwrap_or(full);
    if full.averaged {
        full = averaged::averaged(&full, binding, knowledge)?;
    }
    full = recurring::of_running(full, binding, knowledge)?;
    averaged::own_means(&mut full, binding);
    redundant::drop_keys(&mut full, binding, knowledge);
    full = others::aged_today(&full, today).unwrap_or(full);
    full = events::done_with(&full, binding, knowledge).unwrap_or(full);
    full = others::worth_below(&full, binding, knowledge).unwrap_or(full);
    Some(others::sorted(&full, binding, knowledge).unwrap_or(full))
}

impl<'a> Lowering<'a> {
    fn plan(&self) -> Option<(QueryPlan, JoinTree)> {
        if let Some(utmost) = &self.query.utmost {
            let events = match &utmost.rows {
                Some(rows) => self.table(rows)?,
                None => self.event_of(self.table(self.query.subject.as_ref()?)?)?,
            };
            return self.by_utmost(events, utmost.last);
        }
        if let Some(things) = &self.query.together {
            return self.sold_together(self.table(things)?);
        }
        let grain = self.grain()?;
        let (plan, joins) = match grain.measures.is_empty() && grain.keys.is_empty() {
            true => self.list(&grain),
            false => self.summary(&grain),
        }?;
        match &self.query.portion {
            Some(portion) => Some((self.first_part(plan, portion)?, joins)),
            None => Some((plan, joins)),
        }
    }

    /// Notes something that nobody said, with its price.
    fn supply(&self, name: &'static str, price: f32) {
        self.supplied.borrow_mut().push(name);
        *self.price.borrow_mut() += price;
    }

    fn filler(&self, words: Words) -> Option<&'a Filler> {
        self.binding.fillers.get(&words)
    }

    fn bound(&self, noun: &Noun) -> Option<&'a Filler> {
        self.filler(noun.words)
    }

    /// The table a noun belongs to, or is.
    fn table(&self, noun: &Noun) -> Option<TableId> {
        self.bound(noun).map(|filler| filler.table)
    }

    fn expr(&self, id: ColumnId) -> Expr {
        let column = self.knowledge.column(id);
        Expr::column(self.knowledge.table(column.table).name.clone(), column.name.clone())
    }

    /// A value of one row.
    fn attr(&self, attr: &Attr) -> Option<Expr> {
        Some(match attr {
            Attr::Noun(noun) => {
                let id = self.bound(noun)?.column?;
                self.of_side(noun, id).unwrap_or_else(|| self.value(id))
            }
            Attr::Between(from, to, unit) => self.passed(from, to, *unit)?,
            Attr::When(noun) => self.date_expr(*self.dates(self.table(noun)?).first()?),
            Attr::Use(..) => self.date_expr(*self.dates(self.attr_table(attr)?).first()?),
            Attr::Amount(_) => {
                let table = self.attr_table(attr)?;
                match amount(self.knowledge, table) {
                    Some(id)
                        if price_and_quantity(self.knowledge, table).is_none()
                            && self.knowledge.column(id).per_unit().is_none() =>
                    {
                        self.value(id)
                    }
                    _ => self.taken_in(table)?,
                }
            }
            Attr::Revenue(words) => {
                let filler = self.filler(*words)?;
                match filler.column {
                    Some(id) => self.value(id),
                    None => self.taken_in(filler.table)?,
                }
            }
            Attr::Net(words, discount) => self.net(self.filler(*words)?.table, discount.as_ref())?,
            Attr::Profit(words) => self.profit(self.filler(*words)?)?,
            Attr::Stock(words) => {
                let (price, quantity) = price_and_stock(self.knowledge, self.filler(*words)?.table)?;
                Expr::arithmetic(Arithmetic::Multiply, self.expr(price), self.expr(quantity))
            }
            Attr::Pieces(noun) => self.expr(price_and_quantity(self.knowledge, self.lines_of(noun)?)?.1),
            Attr::Sold(words) => self.expr(worth_and_quantity(self.knowledge, self.filler(*words)?.table)?.1),
            Attr::Level(words, level) => self.expr(level.of(self.knowledge, self.filler(*words)?.table)?),
            Attr::Adjective(words, _) => self.expr(self.filler(*words)?.column?),
            Attr::Price(words) | Attr::Rate(words, _) | Attr::Recurring(words) => self.whole(*words)?,
            Attr::Begin(noun) => {
                let filler = self.bound(noun)?;
                let first = *self.dates(filler.table).first()?;
                if filler.column == Some(first) {
                    return None;
                }
                self.date_expr(first)
            }
            Attr::Math(operator, one, other) => {
                Expr::arithmetic(*operator, self.attr(one)?, self.attr(other)?)
            }
            Attr::Times(factor, of) => {
                Expr::arithmetic(Arithmetic::Multiply, Expr::literal(*factor), self.attr(of)?)
            }
            Attr::Given(expr, _) => expr.as_ref().clone(),
            Attr::Since(date, unit) => self.since(self.date_attr(date)?, *unit)?,
            Attr::Lasting(words, _, unit) => self.lasting(self.filler(*words)?, *unit)?,
            Attr::Waited(words, how, unit) => {
                let table = self.filler(*words)?.table;
                // *tenure of members* is not that of the staff.
                let said = self.query.subject.as_ref().and_then(|noun| self.table(noun));
                if *how == Waiting::Belonging && said.is_some_and(|said| said != table) {
                    return None;
                }
                self.waited(table, how, self.query.in_unit.unwrap_or(*unit))?
            }
            Attr::Age(words, _) => {
                let id = self.filler(*words)?.column?;
                match self.knowledge.column(id).kind {
                    _ if is_date(self.knowledge, id) => {
                        Expr::age(self.date_expr(id), Expr::literal(self.today.to_string()))
                    }
                    ColumnKind::Year => {
                        let year = Expr::literal(i64::from(self.today.year()));
                        Expr::arithmetic(Arithmetic::Subtract, year, self.expr(id))
                    }
                    _ => self.expr(id),
                }
            }
        })
    }

    /// What people say in whole money, however it is stored: prices, and what comes in each month.
    fn whole(&self, words: Words) -> Option<Expr> {
        Some(self.money(self.filler(words)?.column?, true))
    }

    /// A number of one row, money and times in the unit that is asked for.
    fn value(&self, id: ColumnId) -> Expr {
        match self.query.in_unit {
            Some(unit) if is_duration(self.knowledge, id) => {
                self.converted(id, unit).unwrap_or_else(|| self.expr(id))
            }
            _ => self.money(id, self.query.whole_money),
        }
    }

    /// A number of one row; cents as whole money where that is meant.
    fn money(&self, id: ColumnId, whole: bool) -> Expr {
        match self.knowledge.column(id).kind {
            ColumnKind::Money(MoneyUnit::Cents) if whole => {
                Expr::arithmetic(Arithmetic::Divide, self.expr(id), Expr::literal(100.0))
            }
            _ => self.expr(id),
        }
    }

    /// What is left of what a row came to: as it is stored, or else the price less the cost, times the quantity.
    fn profit(&self, filler: &Filler) -> Option<Expr> {
        if let Some(stored) = filler.column {
            return Some(self.value(stored));
        }
        let (price, cost, sold) = price_and_cost(self.knowledge, filler.table)?;
        let of_one = Expr::arithmetic(Arithmetic::Subtract, self.expr(price), self.expr(cost));
        Some(match sold {
            Some(sold) => Expr::arithmetic(Arithmetic::Multiply, of_one, self.expr(sold)),
            None => of_one,
        })
    }

    /// What the lines of a table came to: as it is stored, or else the price times the quantity.
    fn taken_in(&self, table: TableId) -> Option<Expr> {
        if self.query.less_discount {
            return self.net(table, None);
        }
        match line_total(self.knowledge, table) {
            Some(total) => Some(self.value(total)),
            None => self.price_times_quantity(table),
        }
    }

    fn price_times_quantity(&self, table: TableId) -> Option<Expr> {
        let (price, quantity) = price_and_units(self.knowledge, table)?;
        Some(Expr::arithmetic(Arithmetic::Multiply, self.expr(price), self.expr(quantity)))
    }

    fn date_attr(&self, attr: &Attr) -> Option<Expr> {
        match attr {
            Attr::Noun(noun) => Some(self.date_expr(self.bound(noun)?.column?)),
            other => self.attr(other),
        }
    }

    /// A column of dates as a date, however it is stored.
    fn date_expr(&self, id: ColumnId) -> Expr {
        if let Some(parts) = self.knowledge.column(id).parts {
            return parts.date(self.expr(id), |part| self.expr(part));
        }
        match self.knowledge.column(id).kind {
            ColumnKind::Epoch(unit) => Expr::from_epoch(unit, self.expr(id)),
            ColumnKind::DateKey => Expr::from_date_key(self.expr(id)),
            // The first day of a month: `2026-04` with `-01` behind it.
            ColumnKind::Month => {
                let day = Expr::function(Function::Concat, vec![self.expr(id), Expr::literal("-01")]);
                Expr::cast(CastType::Timestamp, day)
            }
            _ => self.expr(id),
        }
    }

    /// A date cut to a unit, as people write it; none where a column of years is to be cut to months.
    fn bucket(&self, unit: Unit, id: ColumnId) -> Option<Expr> {
        let column = self.knowledge.column(id);
        Some(match (unit, column.parts, &column.kind) {
            (Unit::Year, Some(_), _) | (Unit::Year, None, ColumnKind::Year) => self.expr(id),
            (Unit::Decade, None, ColumnKind::Year) => decade(self.expr(id)),
            (_, None, ColumnKind::Year) => return None,
            (Unit::MonthOfYear, Some(parts), _) if !parts.quarters => self.expr(parts.month),
            (_, Some(parts), _) if parts.quarters => {
                return parts.cut_to(unit, self.expr(id), self.expr(parts.month));
            }
            (Unit::Month, None, ColumnKind::Month) => self.expr(id),
            _ => Self::bucket_of(unit, self.date_expr(id)),
        })
    }

    fn bucket_of(unit: Unit, date: Expr) -> Expr {
        match unit {
            Unit::Hour => Expr::truncate(DateUnit::Hour, date),
            Unit::Day => Expr::truncate(DateUnit::Day, date),
            Unit::Week => Expr::truncate(DateUnit::Week, date),
            Unit::Month => Expr::label(DateUnit::Month, date),
            Unit::Quarter => Expr::label(DateUnit::Quarter, date),
            Unit::Year => Expr::part(DatePart::Year, date),
            Unit::Decade => decade(Expr::part(DatePart::Year, date)),
            Unit::Weekday => Expr::function(sqlogue_sql::plan::Function::WeekdayName, vec![date]),
            Unit::HourOfDay => Expr::part(DatePart::Hour, date),
            Unit::MonthOfYear => Expr::part(DatePart::Month, date),
            Unit::QuarterOfYear => Expr::part(DatePart::Quarter, date),
            Unit::Weekend => {
                let number = |day: Weekday| Expr::literal(i64::from(day.to_sunday_zero_offset()));
                let is_weekend = Condition::In {
                    expr: Expr::part(DatePart::Weekday, date.clone()),
                    list: [Weekday::Saturday, Weekday::Sunday].map(number).to_vec(),
                    negated: false,
                };
                let is_known = Condition::IsNull { expr: date, negated: true };
                let branches =
                    vec![(is_weekend, Expr::literal("weekend")), (is_known, Expr::literal("weekday"))];
                Expr::case(branches, None)
            }
        }
    }

    /// The tables of the nouns and values that a walk finds.
    fn note_table(tables: &mut Vec<TableId>, table: Option<TableId>) {
        if let Some(table) = table
            && !tables.contains(&table)
        {
            tables.push(table);
        }
    }

    fn text(&self, value: &Value) -> Expr {
        Expr::Literal(value.clone())
    }
}

/// The first year of the decade that a year lies in.
pub(super) fn decade(year: Expr) -> Expr {
    let past = Expr::arithmetic(Arithmetic::Remainder, year.clone(), Expr::literal(10));
    Expr::arithmetic(Arithmetic::Subtract, year, past)
}
