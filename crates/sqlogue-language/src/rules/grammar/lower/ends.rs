//! Rows with two ends: groups by both (*trips from depot to depot*), one end alone (*away matches per team*), both ends at once
//! where they are alike (*matches of each team*), and what begins and what ends at a place, side by side.

use super::Lowering;
use super::grain::Grain;
use super::measure::Over;
use super::rows::Grouped;
use crate::rules::ends::Ends;
use crate::rules::grammar::bind::Filler;
use crate::rules::grammar::form::{Key, Measure, Named, Noun, Outcome, Pred, Unsaid};
use crate::rules::joins::JoinTree;
use crate::rules::knowledge::{ColumnId, TableId};
use sqlogue_sql::plan::{
    Arithmetic, ColumnRef, Comparison, Condition, Expr, Join, JoinKind, Order, Projection, QueryPlan, Select,
};

impl<'a> Lowering<'a> {
    /// The two ends that a noun stands for.
    pub(super) fn way_of(&self, noun: &Noun) -> Option<&'a Ends> {
        let filler = self.bound(noun).filter(|_| noun.unsaid == Some(Unsaid::Way))?;
        self.knowledge.ends(filler.table)
    }

    /// A row at one of its ends: by the name of what is there.
    fn end(&self, id: ColumnId, kind: JoinKind) -> Grouped {
        let role = self.role(id, kind);
        let (by, called) = role.unwrap_or_else(|| (vec![self.expr(id)], vec![self.expr(id)]));
        let sorts = self.expr(id);
        let shown = called.into_iter().map(Projection::from).collect();
        Grouped { by, shown, sorts, in_order: false }
    }

    /// Groups by both ends.
    pub(super) fn by_way(&self, ends: &Ends) -> Grouped {
        let [start, end] = [ends.start, ends.end].map(|id| self.end(id, JoinKind::Inner));
        let sorts = start.shown.first().map_or(start.sorts, |shown| shown.expr.clone());
        Grouped {
            by: start.by.into_iter().chain(end.by).collect(),
            shown: start.shown.into_iter().chain(end.shown).collect(),
            sorts,
            in_order: false,
        }
    }

    /// Both ends as they are shown.
    pub(super) fn shown_way(&self, ends: &Ends) -> Vec<Projection> {
        [ends.start, ends.end].into_iter().flat_map(|id| self.end(id, JoinKind::Left).shown).collect()
    }

    /// The ends that a join leads to, with the join's place among all.
    fn joined_ends(&self, tree: &JoinTree) -> Option<(usize, &'a Ends)> {
        tree.edges.iter().enumerate().find_map(|(at, edge)| {
            let ends = self.knowledge.ends(edge.from)?;
            let [(column, _)] = edge.columns.as_slice() else { return None };
            let leads = ends.to.is_some_and(|(to, _)| to == edge.to);
            (leads && [ends.start, ends.end].contains(column)).then_some((at, ends))
        })
    }

    /// True where rows belong to each of what they refer to, and not to one end of it alone.
    pub(super) fn at_either_end(&self, ends: &Ends) -> bool {
        if !ends.alike || self.query.side.is_some() || self.nested.get() {
            return false;
        }
        let Some((to, _)) = ends.to else { return false };
        let is_row = |noun: &Noun| {
            self.bound(noun).is_some_and(|filler| filler.column.is_none() && filler.table == to)
        };
        let is_named = |named: &Named| {
            let column = self.filler(named.words).and_then(|filler| filler.column);
            column.is_some_and(|id| self.knowledge.table(to).label == [id])
        };
        let of_key = self.query.keys.iter().any(|key| matches!(key, Key::Noun(noun) if is_row(noun)));
        let of_subject = self.query.subject.as_ref().is_some_and(is_row);
        let of_value = |pred: &Pred| match pred {
            Pred::Is { values, negated: false, .. } => matches!(values.as_slice(), [one] if is_named(one)),
            _ => false,
        };
        of_key || of_subject || self.query.preds.iter().any(of_value)
    }

    /// Leads a join to the end that is said, or to either where both are alike.
    pub(super) fn lead_to_end(&self, tree: &JoinTree, joins: &mut [Join]) {
        let Some((at, ends)) = self.joined_ends(tree) else { return };
        let Some(((_, key), join)) = ends.to.zip(joins.get_mut(at)) else { return };
        let side = match self.query.side {
            Some(true) => ends.start,
            Some(false) => ends.end,
            None if self.at_either_end(ends) => {
                let is = |id: ColumnId| Condition::equal(self.expr(id), self.expr(key));
                join.on.clear();
                join.filter = Some(Condition::Or(vec![is(ends.start), is(ends.end)]));
                return;
            }
            None => return,
        };
        let is_end =
            |column: &ColumnRef| [ends.start, ends.end].into_iter().any(|id| self.reference(id) == *column);
        for column in join.on.iter_mut().flat_map(|(one, other)| [one, other]) {
            if is_end(column) {
                *column = self.reference(side);
            }
        }
    }

    /// At which ends of the rows of a table those of another are meant: the one that is said, or both where they are alike; none
    /// where its rows have no such ends.
    pub(super) fn sides(&self, table: TableId, to: TableId, preds: &[Pred]) -> Vec<bool> {
        let leads = |ends: &&Ends| ends.to.is_some_and(|(table, _)| table == to);
        let Some(ends) = self.knowledge.ends(table).filter(leads) else { return Vec::new() };
        let said = preds.iter().find_map(|pred| match pred {
            Pred::Result(_, side) => *side,
            _ => None,
        });
        match said.or(self.query.side) {
            Some(side) => {
                self.side_led.set(true);
                vec![side]
            }
            None if ends.alike => vec![true, false],
            None => Vec::new(),
        }
    }

    /// The column of that end.
    pub(super) fn side_of(&self, table: TableId, first: bool) -> Option<ColumnId> {
        self.knowledge.ends(table).map(|ends| if first { ends.start } else { ends.end })
    }

    /// True where an end is said, and no rows are at it.
    pub(super) fn lacks_side(&self, tree: &JoinTree) -> bool {
        self.query.side.is_some() && !self.side_led.get() && self.joined_ends(tree).is_none()
    }

    /// What begins and what ends at each row of a table: *departures and arrivals per port*. Each is counted alone.
    pub(super) fn at_each_end(&self, grain: &Grain) -> Option<(QueryPlan, JoinTree)> {
        let [Key::Noun(key)] = grain.keys.as_slice() else { return None };
        let filler = self.bound(key).filter(|filler| filler.column.is_none())?;
        let plain = self.query.having.is_empty()
            && grain.attrs.is_empty()
            && grain.each.is_none()
            && self.query.compare.is_none()
            && self.query.versus.is_empty();
        if !plain {
            return None;
        }
        let ends = self.knowledge.ends(grain.entity)?;
        let (_, to) = ends.to.filter(|(to, _)| *to == filler.table)?;
        let tables: Vec<TableId> =
            self.tables(grain).into_iter().filter(|table| *table != filler.table).collect();
        let (select, tree) = self.joined(&tables)?;
        let conditions = self.conditions(grain)?;
        let groups = self.rows_of(filler.table)?;
        let (mut outer, _) = self.joined(&[filler.table])?;
        outer.projection = groups.shown;
        for measure in &grain.measures {
            let Measure::At(measure, begins) = measure else { return None };
            let over = Over { grain, tree: &tree, grouped: false, optional: false };
            let value = self.measure(measure, over)?;
            let end = if *begins { ends.start } else { ends.end };
            let here = Condition::equal(self.expr(end), self.expr(to));
            let mut nested = select.clone();
            nested.filter = Condition::all(conditions.iter().cloned().chain([here]).collect());
            let nested = Expr::Query(Box::new(QueryPlan::from(nested.project(value))));
            let called = self.called_without_ending(end).to_lowercase();
            outer.projection.push(Projection { expr: nested, alias: Some(format!("{called}_count")) });
        }
        let mut plan = QueryPlan::from(outer);
        let sorts = self.query.order.first().map(|(_, direction)| *direction);
        let taken = self.query.take.as_ref().map(|take| take.direction);
        if let Some(direction) = taken.or(sorts) {
            // By what is counted first.
            let by = plan.select.projection.iter().find(|shown| shown.alias.is_some())?.expr.clone();
            plan.order_by = vec![Order { expr: by, direction }];
        }
        if taken.is_some() {
            plan.limit = Some(self.query.limit.unwrap_or(1));
        }
        Some((plan, tree))
    }

    /// Rows whose one end is this value, and whose other is that; both are it where it is the same.
    pub(super) fn way(&self, from: &Named, to: &Named, grain: &Grain) -> Option<Condition> {
        let (one, other) = (self.filler(from.words)?, self.filler(to.words)?);
        if one.table != other.table || one.value == other.value && from.words != to.words {
            return None;
        }
        let ends = self.knowledge.ends(grain.entity)?;
        let leads = |end: ColumnId, filler: &Filler| {
            let (id, value) = (filler.column?, Expr::Literal(filler.value.clone()?));
            let Some((table, key)) = ends.to else {
                let is_end = [ends.start, ends.end].contains(&id);
                return is_end.then(|| Condition::equal(self.expr(end), value));
            };
            if filler.table != table {
                return None;
            }
            let mut rows = Select::from_table(self.knowledge.table(table).name.clone());
            rows.projection = vec![Projection::from(self.expr(key))];
            rows.filter = Some(Condition::equal(self.expr(id), value));
            let query = Box::new(QueryPlan::from(rows));
            Some(Condition::InQuery { expr: self.expr(end), query, negated: false })
        };
        Condition::all(vec![leads(ends.start, one)?, leads(ends.end, other)?])
    }

    /// How a row ended for the side that is meant: that of the row it is joined with, the one that is said, or any.
    pub(super) fn ended_so(&self, outcome: Outcome, said: Option<bool>, grain: &Grain) -> Option<Condition> {
        let ends = self.knowledge.ends(grain.entity)?;
        let (first, second) = ends.score?;
        let [first, second] = [first, second].map(|id| self.expr(id));
        match outcome {
            Outcome::Drawn => return Some(Condition::equal(first, second)),
            Outcome::Played => return Some(Condition::IsNull { expr: first, negated: true }),
            Outcome::Awaited => return Some(Condition::IsNull { expr: first, negated: false }),
            Outcome::Won | Outcome::Lost => {}
        }
        let side = said.or(self.query.side);
        let of = |is_first: bool| {
            let (own, other) = if is_first { (&first, &second) } else { (&second, &first) };
            let operator = if outcome == Outcome::Won { Comparison::Greater } else { Comparison::Less };
            Condition::compare(own.clone(), operator, other.clone())
        };
        let (_, key) = ends.to?;
        let sides = [true, false].into_iter().filter(|is_first| side.is_none_or(|side| side == *is_first));
        if self.at_either_end(ends) {
            let end = |is_first: bool| self.expr(if is_first { ends.start } else { ends.end });
            let ended = |is_first: bool| Condition::equal(end(is_first), self.expr(key)).and(of(is_first));
            let all: Vec<Condition> = sides.map(ended).collect();
            return Some(if all.len() > 1 { Condition::Or(all) } else { Condition::all(all)? });
        }
        match side {
            Some(is_first) => Some(of(is_first)),
            // Somebody won where nobody says who.
            None => Some(Condition::compare(first.clone(), Comparison::NotEqual, second.clone())),
        }
    }

    /// What is told of the side that is meant, where two columns tell it of both sides and the noun names them alike: the goals of
    /// a team, or those of both.
    pub(super) fn of_side(&self, noun: &Noun, id: ColumnId) -> Option<Expr> {
        let ends = self.knowledge.ends(self.knowledge.column(id).table)?;
        let (first, second) = ends.score.filter(|(first, second)| [*first, *second].contains(&id))?;
        let fits = |id: ColumnId| noun.columns.iter().find(|(own, _)| *own == id).map(|(_, score)| *score);
        let alike = fits(first).zip(fits(second)).is_some_and(|(one, other)| (one - other).abs() < 0.01);
        if !alike {
            return None;
        }
        let (_, key) = ends.to?;
        Some(match self.query.side {
            Some(is_first) => self.expr(if is_first { first } else { second }),
            None if self.at_either_end(ends) => {
                let is_first = Condition::equal(self.expr(ends.start), self.expr(key));
                Expr::case(vec![(is_first, self.expr(first))], Some(self.expr(second)))
            }
            None => Expr::arithmetic(Arithmetic::Add, self.expr(first), self.expr(second)),
        })
    }
}
