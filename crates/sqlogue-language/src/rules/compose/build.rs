//! Building: from a frame with its slots filled to a plan.

use super::absent;
use super::bind::Binding;
use super::conditions;
use super::extremum;
use super::frame::{Connective, Filter, Frame, Measure, Superlative};
use super::grouping::{self, Grouping};
use super::oracle::Oracle;
use crate::rules::joins::{JoinEdge, JoinTree};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use sqlogue_sql::plan::{
    Aggregate, Arithmetic, ColumnRef, Comparison, Condition, Expr, Join, Order, Projection, QueryPlan,
    Select, SetOperation, SetOperator, Source,
};

/// Which rows come first, and how many of them.
struct Ranking {
    orders: Vec<Order>,
    limit: Option<u64>,
    /// Conditions on what is largest or smallest.
    nested: Vec<Condition>,
}

/// Builds one plan.
#[derive(Debug)]
pub(crate) struct Builder<'a> {
    pub knowledge: &'a Knowledge,
    pub frame: &'a Frame,
    pub binding: &'a Binding,
    pub oracle: &'a mut Oracle,
    /// The tables that the plan must join.
    pub tables: Vec<TableId>,
    /// The joins taken.
    pub tree: JoinTree,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(
        knowledge: &'a Knowledge,
        frame: &'a Frame,
        binding: &'a Binding,
        oracle: &'a mut Oracle,
    ) -> Self {
        Self { knowledge, frame, binding, oracle, tables: Vec::new(), tree: JoinTree::default() }
    }

    /// The plan, or none where its tables cannot be joined.
    pub(crate) fn build(mut self, mandatory: &[TableId]) -> Option<(QueryPlan, JoinTree)> {
        let outputs = self.outputs()?;
        let mut select = Select { distinct: self.frame.distinct, ..Select::default() };
        let mut grouping = grouping::grouping(&mut self, &outputs);
        let projection = self.projection(&outputs, &grouping);
        if projection.is_empty() {
            return None;
        }
        select.distinct |= self.lists_kinds(&projection, &grouping);
        // Ordering comes first: it may bring in tables.
        let mut ranking = self.ranking(&outputs, &projection)?;
        self.superlatives(&outputs, &projection, &mut grouping, &mut ranking);
        let Ranking { mut orders, limit, nested } = ranking;
        let (wheres, havings, both) = self.conditions(&grouping)?;
        let taken_away = absent::taken_away(&mut self, &projection);
        let absent = if taken_away.is_some() { None } else { absent::condition(&mut self) };
        self.mentions();
        self.counted(&grouping);
        mandatory.iter().for_each(|table| self.need(*table));
        let from = self.connect()?;
        select.distinct |= self.names_once(&projection, &grouping, both.is_some());
        select.from = from.0;
        select.joins = from.1;
        select.group_by = grouping.by;
        let mut all = wheres;
        all.extend(nested);
        all.extend(absent.flatten());
        select.having = Condition::all(havings);
        select.projection = projection.into_iter().map(Projection::from).collect();
        grouping::sort_groups(self.knowledge, &select, &mut orders)?;
        let sorted = orders.iter().map(|order| &order.expr);
        grouping::complete(self.knowledge, &mut select, sorted);
        let mut plan = QueryPlan { order_by: Order::once(orders), limit, ..QueryPlan::default() };
        match both {
            None => {
                select.filter = Condition::all(all);
                plan.select = select;
            }
            Some(conditions) => {
                // Rows of the one kind that are also of the other.
                let mut selects = conditions.into_iter().map(|condition| {
                    let mut conditions = all.clone();
                    conditions.push(condition);
                    Select { filter: Condition::all(conditions), distinct: false, ..select.clone() }
                });
                plan.select = selects.next()?;
                plan.set_operations =
                    selects.map(|select| SetOperation { operator: SetOperator::Intersect, select }).collect();
            }
        }
        if let Some(select) = taken_away {
            plan.set_operations.push(SetOperation { operator: SetOperator::Except, select });
        }
        Some((plan, self.tree))
    }

    /// What is returned: the outputs, and what tells the groups apart.
    fn projection(&mut self, outputs: &[Measure], grouping: &Grouping) -> Vec<Expr> {
        let mut projection: Vec<Expr> = Vec::new();
        let returned: Vec<Expr> = outputs.iter().flat_map(|output| self.returned(output)).collect();
        for expr in returned.into_iter().chain(grouping.returned.iter().cloned()) {
            if !projection.contains(&expr) {
                projection.push(expr);
            }
        }
        projection
    }

    /// The orders that are asked for.
    fn ranking(&mut self, outputs: &[Measure], projection: &[Expr]) -> Option<Ranking> {
        let mut orders: Vec<Order> = Vec::new();
        for (measure, direction) in &self.frame.orders {
            let expr = match measure {
                // Everything about a thing is no order; its name is.
                Measure::First => match projection.first() {
                    Some(Expr::All(_)) => self.expr(outputs.first()?),
                    first => first.cloned(),
                },
                other => self.expr(other),
            };
            // Grouped rows can only be ordered by what all rows of a group share.
            orders.extend(expr.map(|expr| Order { expr, direction: *direction }));
        }
        Some(Ranking { orders, limit: self.frame.limit, nested: Vec::new() })
    }

    /// Superlatives sort and limit the rows, or compare them with the largest in a nested query.
    fn superlatives(
        &mut self,
        outputs: &[Measure],
        projection: &[Expr],
        grouping: &mut Grouping,
        ranking: &mut Ranking,
    ) {
        let only_summaries = projection.iter().all(Expr::is_aggregate) && grouping.by.is_empty();
        for superlative in &self.frame.superlatives {
            let grouped = !matches!(superlative.measure, Measure::Plain(_));
            let nest = superlative.count == 1
                && !grouped
                && (only_summaries
                    || (!grouping.by.is_empty() && grouping.has_counts)
                    || !ranking.orders.is_empty()
                    || !self.oracle.decide("superlative_sorts", true));
            if extremum::nest_in_groups(grouping, superlative)
                && let Some(condition) = self.extremum_of_group(superlative, grouping)
            {
                ranking.nested.push(condition);
                grouping.by.clear();
            } else if let Some(slot) = self.described(superlative, outputs)
                && self.oracle.decide("most_common_value_described", true)
            {
                ranking.nested.extend(self.most_common(slot, superlative.direction));
            } else if nest {
                ranking.nested.extend(self.extremum(&superlative.measure, superlative.direction));
            } else if let Some(expr) = self.expr(&superlative.measure) {
                ranking.orders.insert(0, Order { expr, direction: superlative.direction });
                ranking.limit = Some(superlative.count);
            }
        }
    }

    /// The column whose commonest value is described and not returned: *products of the most common brand*.
    pub(super) fn described(&self, superlative: &Superlative, outputs: &[Measure]) -> Option<usize> {
        superlative.of.filter(|slot| {
            let column = self.binding.fillers.get(*slot).and_then(|filler| filler.column);
            column.is_some()
                && superlative.count == 1
                && !outputs.iter().any(|output| {
                    output == &Measure::Plain(*slot)
                        || self.filler(output).is_some_and(|filler| filler.column == column)
                })
        })
    }

    /// The slot of the thing the question is about.
    pub(crate) fn main_slot(&self) -> Option<usize> {
        self.frame
            .entity
            .or_else(|| self.frame.outputs.iter().find_map(slot_of))
            .or_else(|| self.frame.groups.first().copied())
            .or_else(|| self.frame.mentions.first().copied())
            .or_else(|| self.frame.filters.iter().find_map(|filter| slot_of(&filter.measure)))
    }

    /// The table the question is about.
    pub(crate) fn main_table(&self) -> Option<TableId> {
        self.main_slot().and_then(|slot| self.binding.fillers.get(slot)).map(|filler| filler.table)
    }

    /// A measure as an expression.
    pub(crate) fn expr(&mut self, measure: &Measure) -> Option<Expr> {
        match measure {
            Measure::Plain(slot) => {
                let filler = self.binding.fillers.get(*slot)?.clone();
                match filler.column {
                    Some(column) => Some(self.column(column)),
                    None => {
                        let entry = self.knowledge.table(filler.table);
                        let column = entry.label.first().or(entry.key.first()).copied()?;
                        Some(self.column(column))
                    }
                }
            }
            Measure::Summary(function, distinct, slot) => {
                let column = self.binding.fillers.get(*slot)?.column?;
                let argument = Box::new(self.column(column));
                Some(Expr::Aggregate { function: *function, distinct: *distinct, argument })
            }
            Measure::Product(function, left, right) => {
                let left = self.binding.fillers.get(*left)?.column?;
                let right = self.binding.fillers.get(*right)?.column?;
                let argument = Box::new(Expr::Arithmetic {
                    operator: Arithmetic::Multiply,
                    left: Box::new(self.column(left)),
                    right: Box::new(self.column(right)),
                });
                Some(Expr::Aggregate { function: *function, distinct: false, argument })
            }
            Measure::Count(slot, distinct) => {
                let filler = slot.and_then(|slot| self.binding.fillers.get(slot)).cloned();
                if let Some(filler) = &filler {
                    self.need(filler.table);
                }
                let column = filler.as_ref().and_then(|filler| filler.column);
                let shares = |column: ColumnId| self.knowledge.column(column).shared_number;
                match (column, *distinct || column.is_some_and(shares)) {
                    (Some(column), true) => {
                        let argument = Box::new(self.column(column));
                        Some(Expr::Aggregate { function: Aggregate::Count, distinct: true, argument })
                    }
                    (None, true) => {
                        let key = self.knowledge.table(filler?.table).key.first().copied()?;
                        let argument = Box::new(self.column(key));
                        Some(Expr::Aggregate { function: Aggregate::Count, distinct: true, argument })
                    }
                    (None, false) if filler.is_some() && self.counts_things() => {
                        // *how many customers have an order*: each of them once.
                        let key =
                            filler.and_then(|filler| self.knowledge.table(filler.table).key.first().copied());
                        match key.filter(|_| !self.oracle.decide("counts_every_row", true)) {
                            Some(key) => {
                                let argument = Box::new(self.column(key));
                                Some(Expr::Aggregate { function: Aggregate::Count, distinct: true, argument })
                            }
                            None => Some(Expr::count_all()),
                        }
                    }
                    _ => Some(Expr::count_all()),
                }
            }
            Measure::First => None,
            Measure::Combined(operator, left, right) => Some(Expr::Arithmetic {
                operator: *operator,
                left: Box::new(self.expr(left)?),
                right: Box::new(self.expr(right)?),
            }),
        }
    }

    /// True where the question asks for a number of things and speaks of other tables too.
    fn counts_things(&self) -> bool {
        let frame = self.frame;
        frame.groups.is_empty()
            && frame.outputs.len() == 1
            && matches!(frame.outputs.first(), Some(Measure::Count(Some(_), _)))
            && (!frame.mentions.is_empty()
                || self.binding.fillers.iter().any(|filler| {
                    filler.table != self.binding.fillers.first().map_or(filler.table, |first| first.table)
                }))
    }

    /// A column, whose table the plan then needs.
    pub(crate) fn column(&mut self, column: ColumnId) -> Expr {
        let entry = self.knowledge.column(column);
        self.need(entry.table);
        Expr::Column(ColumnRef::new(&self.knowledge.table(entry.table).name, &entry.name))
    }

    /// Notes that a table must be joined.
    pub(crate) fn need(&mut self, table: TableId) {
        if !self.tables.contains(&table) {
            self.tables.push(table);
        }
    }

    /// The conditions on rows, those on groups, and the alternatives of *both … and …*.
    #[expect(clippy::type_complexity, reason = "three lists that belong together only here")]
    fn conditions(
        &mut self,
        grouping: &Grouping,
    ) -> Option<(Vec<Condition>, Vec<Condition>, Option<Vec<Condition>>)> {
        let mut wheres: Vec<Condition> = Vec::new();
        let mut havings: Vec<Condition> = Vec::new();
        let mut both: Option<Vec<Condition>> = None;
        let mut last_was_where = false;
        let frame = self.frame;
        for filter in frame.filters.iter().filter(|filter| !filter.absent) {
            let condition = conditions::condition(self, filter)?;
            if wheres.contains(&condition) || havings.contains(&condition) {
                continue;
            }
            let on_groups = is_on_groups(filter) && !grouping.by.is_empty();
            if filter.connective == Connective::Both && (!wheres.is_empty() || both.is_some()) && !on_groups {
                let mut all = both.take().unwrap_or_else(|| wheres.pop().into_iter().collect());
                all.push(condition);
                both = Some(all);
                continue;
            }
            if !on_groups
                && both.is_none()
                && filter.connective == Connective::And
                && let Some(at) = wheres.iter().position(|other| other.excludes(&condition))
            {
                // *older than 40 and younger than 30* speaks of two rows.
                both = Some(vec![wheres.remove(at), condition]);
                continue;
            }
            let list = if on_groups { &mut havings } else { &mut wheres };
            match list.pop() {
                Some(previous) if filter.connective == Connective::Or && last_was_where != on_groups => {
                    list.push(either(previous, condition));
                }
                previous => {
                    list.extend(previous);
                    list.push(condition);
                }
            }
            last_was_where = !on_groups;
        }
        Some((wheres, havings, both))
    }

    /// The tables that the question only speaks of.
    fn mentions(&mut self) {
        let frame = self.frame;
        for slot in frame.mentions.iter().copied().chain(frame.entity) {
            let Some(filler) = self.binding.fillers.get(slot) else { continue };
            let table = filler.table;
            let score = filler.score;
            if self.tables.is_empty() {
                self.need(table);
            } else if !self.tables.contains(&table) {
                let main = self.main_table();
                // A table that only says of which rows is joined; one whose rows all have a partner need not be.
                let usual = score > 0.6 && (main.is_some() || Some(slot) == frame.entity);
                if self.oracle.decide("mentioned_table_joined", usual) {
                    self.need(table);
                }
            }
        }
    }

    /// Rows counted for each thing are rows of a table that refers to it; where the question does not say which
    /// (*the product ordered most often*), each such table is a reading.
    fn counted(&mut self, grouping: &Grouping) {
        let ([only], [Expr::Column(key)]) = (self.tables.as_slice(), grouping.by.as_slice()) else { return };
        let only = *only;
        let table = self.knowledge.table(only);
        let own_key = matches!(table.key.as_slice(), [id] if self.knowledge.column(*id).name == key.column);
        let counts = |measure: &Measure| matches!(measure, Measure::Count(None, _));
        let counted = self.frame.superlatives.iter().any(|superlative| counts(&superlative.measure))
            || self.frame.filters.iter().any(|filter| !filter.absent && counts(&filter.measure));
        if !own_key || !counted {
            return;
        }
        let joins = self.knowledge.joins();
        let mut children: Vec<TableId> = joins
            .neighbours(only)
            .into_iter()
            .filter(|other| joins.between(only, *other).iter().any(|edge| edge.to == only))
            .collect();
        // The table with most rows is the one whose rows people count.
        children.sort_by_key(|child| std::cmp::Reverse(self.knowledge.table(*child).rows.unwrap_or(0)));
        children.truncate(4);
        let taken = self.oracle.choose("counted_table", children.len());
        if let Some(child) = children.get(taken) {
            self.need(*child);
        }
    }

    /// The joins for all tables needed.
    pub(super) fn connect(&mut self) -> Option<(Source, Vec<Join>)> {
        let tree = self.knowledge.joins().connect(&self.tables)?;
        let mut tree = tree;
        // Where two tables can be joined on several keys, each is a reading.
        for at in 0..tree.edges.len() {
            let edge = tree.edges.get(at)?.clone();
            let others: Vec<JoinEdge> =
                self.knowledge.joins().between(edge.from, edge.to).into_iter().cloned().collect();
            let same = |other: &&JoinEdge| **other != edge && other.declared >= edge.declared;
            let alternatives: Vec<JoinEdge> = others.iter().filter(same).cloned().collect();
            let taken = self.oracle.choose("join_key", (alternatives.len() + 1).min(3));
            if let Some(other) = taken.checked_sub(1).and_then(|taken| alternatives.get(taken))
                && let Some(place) = tree.edges.get_mut(at)
            {
                *place = other.clone();
            }
        }
        let source = tree.source(self.knowledge);
        self.tree = tree;
        source
    }

    /// A column's reference, without needing its table.
    pub(crate) fn reference(&self, column: ColumnId) -> ColumnRef {
        let entry = self.knowledge.column(column);
        ColumnRef::new(&self.knowledge.table(entry.table).name, &entry.name)
    }

    /// The filler of a measure's slot.
    pub(crate) fn filler(&self, measure: &Measure) -> Option<&'a super::frame::Filler> {
        slot_of(measure).and_then(|slot| self.binding.fillers.get(slot))
    }
}

/// The slot a measure is about.
pub(crate) fn slot_of(measure: &Measure) -> Option<usize> {
    match measure {
        Measure::Plain(slot) | Measure::Summary(_, _, slot) | Measure::Product(_, slot, _) => Some(*slot),
        Measure::Count(slot, _) => *slot,
        Measure::First => None,
        Measure::Combined(_, left, right) => slot_of(left).or_else(|| slot_of(right)),
    }
}

/// One of two conditions holds.
fn either(one: Condition, other: Condition) -> Condition {
    match one {
        Condition::Or(mut all) => {
            all.push(other);
            Condition::Or(all)
        }
        one => Condition::Or(vec![one, other]),
    }
}

/// True for a condition on how many, or on a summary.
pub(crate) fn is_on_groups(filter: &Filter) -> bool {
    !matches!(filter.measure, Measure::Plain(_))
}

/// The comparison, or its opposite where it is negated.
pub(crate) fn applied(comparison: Comparison, negated: bool) -> Comparison {
    if negated { comparison.negated() } else { comparison }
}
