//! Lists: rows of the entity, as many as conditions leave.

use super::Lowering;
use super::grain::Grain;
use super::over::unlike;
use crate::rules::grammar::columns::{end_date, is_date, is_number};
use crate::rules::grammar::form::{Attr, By, Columns, Key, Noun, Pred};
use crate::rules::joins::JoinTree;
use crate::rules::knowledge::{ColumnId, TableId};
use sqlogue_sql::plan::{
    Comparison, Condition, Direction, Expr, JoinKind, Order, Projection, QueryPlan, Select, Source, TableUse,
    Window,
};

/// The name under which rows are numbered, and the name of their numbers.
const RANKED: &str = "ranked";
const PLACE: &str = "place";

impl Lowering<'_> {
    pub(super) fn list(&self, grain: &Grain) -> Option<(QueryPlan, JoinTree)> {
        // A share is asked for, and rows tell none.
        if self.query.share_of_groups {
            return None;
        }
        let tables = self.tables(grain);
        if self.lacks_any(&tables) {
            return None;
        }
        let (mut select, tree) = self.joined(&tables)?;
        select.projection = self.projection(grain)?;
        self.join_roles(&mut select);
        self.show_own_columns(&mut select, grain);
        select.filter = Condition::all(self.conditions(grain)?);
        let shows_own_rows = grain.attrs.iter().all(|noun| self.table(noun) == Some(grain.entity));
        select.distinct = self.query.distinct || Self::multiplies(&tree) && shows_own_rows;
        let mut plan = QueryPlan::from(select);
        for (by, direction) in &self.query.order {
            let direction = self.direction(by, *direction);
            plan.order_by.push(Order { expr: self.sorts(by, grain)?, direction });
        }
        if let Some(take) = &self.query.take {
            let expr = self.sorts(&take.by, grain)?;
            if let Some(ends) = &self.query.ends {
                let plan = match &grain.each {
                    Some(each) => {
                        self.are_ends(take, ends)?;
                        let same = self.sorts(&ends.0, grain)? == expr;
                        same.then(|| self.first_of_each(plan.select, each, expr, grain)).flatten()?
                    }
                    None if !grain.keys.is_empty() => return None,
                    None => self.both_ends(plan.select, take, ends, expr)?,
                };
                return Some((plan, tree));
            }
            if let Some(each) = &grain.each {
                return Some((self.first_of_each(plan.select, each, expr, grain)?, tree));
            }
            if self.style.shown && take.by != By::Shown {
                let shown = Projection::from(expr.clone());
                if !plan
                    .select
                    .projection
                    .iter()
                    .any(|other| matches!(other.expr, Expr::All(_)) || *other == shown)
                {
                    plan.select.projection.push(shown);
                }
            }
            plan.order_by = vec![Order { expr, direction: self.direction(&take.by, take.direction) }];
            plan.limit = Some(self.query.limit.unwrap_or(1));
            plan.offset = self.query.skip;
        } else if self.query.limit.is_some() {
            // *customers with 5 orders*: no five of them are meant, where neither an order is given nor any will do.
            if plan.order_by.is_empty() && !self.query.any {
                return None;
            }
            plan.limit = self.query.limit;
        }
        Some((plan, tree))
    }

    /// True where the rows are told by what they lack, and it would be joined: rows without calls have none whose start is known.
    fn lacks_any(&self, tables: &[TableId]) -> bool {
        self.query.preds.iter().any(|pred| match pred {
            Pred::Related(group, false) => self.table(&group.of).is_some_and(|table| tables.contains(&table)),
            _ => false,
        })
    }

    fn projection(&self, grain: &Grain) -> Option<Vec<Projection>> {
        let mut shown: Vec<Projection> = Vec::new();
        let examples = self.query.any && self.query.take.is_none() && grain.attrs.is_empty();
        let whole = self.query.whole || examples;
        let alone = self.query.columns == Columns::Alone;
        if whole {
            let joined = self.tables(grain).len() > 1;
            let table = self.knowledge.table(grain.entity).name.clone();
            shown.push(Projection::from(Expr::All(joined.then_some(table))));
        }
        let named = !whole && self.style.named
            || self.query.names
            || self.said_before(grain)
            || grain.attrs.iter().any(|noun| self.names_superior(noun, grain));
        let only_rows = grain.attrs.iter().all(|noun| self.is_row_of_other(noun, grain));
        let unnamed = (self.style.unnamed || alone && !self.query.names) && !grain.attrs.is_empty();
        if !whole && (named || only_rows) && !unnamed {
            let label = self.label(grain.entity);
            if self.knowledge.table(grain.entity).label.is_empty() {
                // Who says which columns are wanted wants no others.
                let key = &self.knowledge.table(grain.entity).key;
                match grain.attrs.is_empty() || self.style.named {
                    true => shown.push(Projection::from(Expr::All(None))),
                    // *orders with the customer's name*: by nothing else can an order be told from the next.
                    false if !self.query.distinct && self.query.columns == Columns::Unsaid => {
                        shown.extend(key.iter().map(|id| Projection::from(self.expr(*id))));
                    }
                    false => {}
                }
            } else {
                shown.extend(label.into_iter().map(|id| Projection::from(self.expr(id))));
            }
        }
        let mut asked: Vec<Projection> = Vec::new();
        for noun in &grain.attrs {
            let columns = self.shown(noun)?;
            // Who names two columns means two.
            if self.query.columns != Columns::Unsaid && columns.iter().all(|column| asked.contains(column)) {
                return None;
            }
            asked.extend(columns.iter().cloned());
            for projection in columns {
                if !shown.contains(&projection) {
                    shown.push(projection);
                }
            }
        }
        Some(shown)
    }

    /// All columns are those of the rows that are listed, whatever they are joined with.
    fn show_own_columns(&self, select: &mut Select, grain: &Grain) {
        if select.joins.is_empty() {
            return;
        }
        let own = Expr::All(Some(self.knowledge.table(grain.entity).name.clone()));
        for shown in select.projection.iter_mut().filter(|shown| shown.expr == Expr::All(None)) {
            shown.expr = own.clone();
        }
    }

    /// *the manager of each employee*: who is above says nothing without who is below.
    fn names_superior(&self, noun: &Noun, grain: &Grain) -> bool {
        let column = self.bound(noun).and_then(|filler| filler.column);
        let edge = column.and_then(|id| self.knowledge.joins().reference(id));
        edge.is_some_and(|edge| edge.from == edge.to && edge.from == grain.entity)
    }

    /// *products with their price*: what is named before its columns is shown too.
    fn said_before(&self, grain: &Grain) -> bool {
        let subject = self.query.subject.as_ref().map(|noun| noun.words.start);
        let first = grain.attrs.iter().map(|noun| noun.words.start).min();
        matches!((subject, first), (Some(subject), Some(first)) if subject < first)
    }

    /// The end that comes first; an adjective turns a column that shrinks with it.
    pub(super) fn direction(&self, by: &By, direction: Direction) -> Direction {
        let shrinks = match by {
            By::Attr(Attr::Adjective(words, _)) => self.filler(*words).is_some_and(|filler| filler.shrinks),
            _ => false,
        };
        match (direction, shrinks) {
            (direction, false) => direction,
            (Direction::Ascending, true) => Direction::Descending,
            (Direction::Descending, true) => Direction::Ascending,
        }
    }

    /// The places within a group that are kept: the first few, or the one that is asked for.
    pub(super) fn kept(&self, place: Expr) -> Option<Condition> {
        let (operator, last) = match self.query.skip {
            Some(before) => (Comparison::Equal, before.checked_add(1)?),
            None => (Comparison::LessOrEqual, self.query.limit.unwrap_or(1)),
        };
        Some(Condition::compare(place, operator, Expr::literal(i64::try_from(last).ok()?)))
    }

    /// True for a noun that names the rows of another table: they are shown beside those of the entity.
    fn is_row_of_other(&self, noun: &Noun, grain: &Grain) -> bool {
        self.bound(noun).is_some_and(|filler| filler.column.is_none() && filler.table != grain.entity)
    }

    fn sorts(&self, by: &By, grain: &Grain) -> Option<Expr> {
        match by {
            By::Attr(attr) => {
                let column = match attr {
                    Attr::Adjective(words, _) => self.filler(*words).and_then(|filler| filler.column),
                    _ => None,
                };
                let is_of_date = column.is_some_and(|column| is_date(self.knowledge, column));
                match self.date_of_window(grain).filter(|_| is_of_date) {
                    Some(date) => Some(self.date_expr(date)),
                    None => self.attr(attr),
                }
            }
            By::Measure(_) => None,
            By::Name => {
                let label = self.knowledge.table(grain.entity).label.first().map(|id| self.expr(*id));
                label.or_else(|| self.attr(&Attr::Noun(grain.attrs.first()?.clone())))
            }
            // *the first 5*, *latest first*: by the date that counts, or by what is shown first.
            By::Date if self.date_of_rows(grain).is_some() => {
                self.date_of_rows(grain).map(|date| self.date_expr(date))
            }
            // *the 10 biggest invoices: number, date, amount*
            By::Shown if self.query.columns != Columns::Unsaid && self.number_shown(grain).is_some() => {
                self.number_shown(grain)
            }
            // *the largest reservation this month* is not the last one.
            By::Shown if self.is_ranked(grain) => match self.date_of_window(grain).or(grain.date) {
                Some(_) => None,
                None => self.number_shown(grain),
            },
            By::Shown | By::Date => match self.date_of_window(grain).or(grain.date) {
                Some(date) => Some(self.date_expr(date)),
                None => {
                    let number = self.number_shown(grain);
                    let date = || {
                        let id = grain.attrs.iter().filter_map(|noun| self.bound(noun)?.column);
                        id.into_iter().find(|id| is_date(self.knowledge, *id)).map(|id| self.date_expr(id))
                    };
                    let first = || grain.attrs.first().and_then(|noun| self.attr(&Attr::Noun(noun.clone())));
                    number.or_else(|| if self.query.take.is_none() { date().or_else(first) } else { None })
                }
            },
        }
    }

    /// True where the first of all rows are taken by something that is not said.
    fn is_ranked(&self, grain: &Grain) -> bool {
        self.query.take.as_ref().is_some_and(|take| take.each.is_none()) && grain.each.is_none()
    }

    /// The first number that is shown.
    fn number_shown(&self, grain: &Grain) -> Option<Expr> {
        let columns = grain.attrs.iter().filter_map(|noun| self.bound(noun)?.column);
        columns.into_iter().find(|id| is_number(self.knowledge, *id)).map(|id| self.expr(id))
    }

    /// The date by which the newest of the rows are told.
    fn date_of_rows(&self, grain: &Grain) -> Option<ColumnId> {
        let shown = || {
            let columns = grain.attrs.iter().filter_map(|noun| self.bound(noun)?.column);
            columns.into_iter().find(|id| is_date(self.knowledge, *id))
        };
        let own = || self.dates(grain.entity).first().copied();
        self.date_of_window(grain).or(grain.date).or_else(shown).or_else(own)
    }

    /// *those who left since July, latest first*: the date that is named with the window.
    fn date_of_window(&self, grain: &Grain) -> Option<ColumnId> {
        self.query.preds.iter().find_map(|pred| match pred {
            Pred::Ended(Some(_)) => end_date(self.knowledge, grain.entity, None),
            Pred::In(Some(noun), _) => {
                let column = self.bound(noun)?.column?;
                is_date(self.knowledge, column).then_some(column)
            }
            _ => None,
        })
    }

    /// True for a column of the rows that make the groups, which cannot say what comes first in any: when customers joined, for *the
    /// latest booking of each customer*.
    fn is_of_group(&self, by: &Expr, each: &Key) -> bool {
        let Key::Noun(each) = each else { return false };
        let Some(rows) = self.bound(each).filter(|filler| filler.column.is_none()) else { return false };
        let table = &self.knowledge.table(rows.table).name;
        matches!(by, Expr::Column(column) if column.table == *table)
    }

    /// The first rows of each group: rows are numbered within it, and the first numbers kept.
    fn first_of_each(&self, mut select: Select, each: &Key, by: Expr, grain: &Grain) -> Option<QueryPlan> {
        let take = self.query.take.as_ref()?;
        let groups = self.grouped(each, grain)?;
        if self.is_of_group(&by, each) {
            return None;
        }
        let named = |at: usize| format!("c{}", at + 1);
        // Rows without a name are shown by all that is known of them.
        let columns = &self.knowledge.table(grain.entity).columns;
        let own = || columns.iter().map(|id| Projection::from(self.expr(*id)));
        select.projection = select
            .projection
            .into_iter()
            .flat_map(|shown| match shown.expr {
                Expr::All(_) => own().collect(),
                _ => vec![shown],
            })
            .collect();
        // Who names the columns one by one wants no others.
        let alone = self.query.columns == Columns::Alone;
        for projection in groups.shown.into_iter().rev().filter(|_| !alone) {
            select.projection.retain(|other| other.expr != projection.expr);
            select.projection.insert(0, projection);
        }
        select.projection.dedup();
        if !alone && !select.projection.iter().any(|projection| projection.expr == by) {
            select.projection.push(Projection::from(by.clone()));
        }
        let mut outer = Select { from: Source::Table(TableUse::new(RANKED)), ..Select::default() };
        let mut names: Vec<String> = Vec::new();
        for (at, projection) in select.projection.iter_mut().enumerate() {
            let wanted = match &projection.expr {
                Expr::Column(column) => column.column.clone(),
                _ => named(at),
            };
            // A boat and its harbour may both have a `name`.
            let name = unlike(wanted, |name| names.iter().any(|known| known == name));
            names.push(name.clone());
            projection.alias = Some(name.clone());
            outer.projection.push(Projection::from(Expr::column(RANKED, name)));
        }
        if self.query.ends.is_some() {
            select = Self::ends_within(select, &mut outer, groups.by, &by, RANKED)?;
        } else {
            let place = groups.by.into_iter().fold(Window::row_number(), Window::per);
            let place = place.by(by, self.direction(&take.by, take.direction));
            select = select.project_as(Expr::from(place), PLACE);
            outer.filter = Some(self.kept(Expr::column(RANKED, PLACE))?);
        }
        let mut plan = QueryPlan::from(outer);
        plan.with = vec![sqlogue_sql::plan::NamedQuery::new(RANKED, select)];
        Some(plan)
    }
}

/// The kind of join that keeps rows without partners.
pub(super) const KEEPS: JoinKind = JoinKind::Left;
/// The end that most questions mean by *top*.
pub(super) const LARGEST: Direction = Direction::Descending;
