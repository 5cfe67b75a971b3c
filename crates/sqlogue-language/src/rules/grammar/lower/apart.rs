//! Measures of several tables side by side: *albums, tracks and plays of each artist*.
//!
//! A join of two tables that both refer to a third repeats the rows of each for every row of the other. So each measure is
//! made by a query of its own, and the groups are joined to what these return; a group without rows keeps its place.

use super::Lowering;
use super::grain::Grain;
use super::measure::{Over, less};
use super::over::unlike;
use crate::rules::grammar::form::{Attr, By, Key, Measure, Noun, Pred, Whole};
use crate::rules::joins::JoinTree;
use crate::rules::knowledge::TableId;
use sqlogue_sql::plan::{
    Aggregate, ColumnRef, Condition, Expr, Function, Join, JoinKind, NamedQuery, Order, Projection,
    QueryPlan, Select, TableUse,
};

/// The query of the groups where they are values of a column, and the name of what groups are joined by.
const GROUPS: &str = "all_groups";
const ONE: &str = "one";

/// Measures that one query can make, as they stand among all.
struct Part<'a> {
    home: TableId,
    measures: Vec<&'a Measure>,
}

impl Lowering<'_> {
    /// True where the measures are of tables of which one repeats the other's rows, or loses those it has nothing for.
    pub(super) fn is_apart(&self, grain: &Grain) -> bool {
        let plain = |measure: &&Measure| !matches!(measure, Measure::Distinct(_));
        let leaves = grain.measures.iter().flat_map(leaves).filter(plain);
        let homes: Vec<TableId> = leaves.filter_map(|measure| self.home(measure)).collect();
        let repeat = |one: &TableId, other: &TableId| {
            let tree = self.knowledge.joins().connect(&[*one, *other]);
            tree.is_some_and(|tree| self.repeats(*one, &tree) || self.repeats(*other, &tree))
        };
        homes.iter().enumerate().any(|(at, one)| homes.iter().skip(at + 1).any(|other| repeat(one, other)))
    }

    /// The groups with each measure made apart; none where one query can make them all, or where more is asked for than that.
    pub(super) fn apart(&self, grain: &Grain) -> Option<(QueryPlan, JoinTree)> {
        let query = self.query;
        let [Key::Noun(key)] = grain.keys.as_slice() else { return None };
        let more = query.zeros
            || !query.having.is_empty()
            || query.compare.is_some()
            || grain.each.is_some()
            || grain.counts_groups
            || !grain.attrs.is_empty()
            || grain.measures.iter().any(is_of_all_groups);
        if more {
            return None;
        }
        let owner = self.table(key)?;
        let own = |measure: &Measure| {
            self.bound(key).is_some_and(|filler| filler.column.is_none()) && self.home(measure) == Some(owner)
        };
        let leaves: Vec<&Measure> = grain.measures.iter().flat_map(leaves).collect();
        if leaves.iter().any(|leaf| own(leaf) && !matches!(leaf, Measure::Of(..))) {
            return None;
        }
        let parts = self.parts(leaves.iter().copied().filter(|leaf| !own(leaf)))?;
        // The groups themselves can be told apart by what they are or by what is counted, and by nothing else.
        let homes: Vec<TableId> = parts.iter().map(|part| part.home).collect();
        let is_told = |pred: &Pred| match self.pred_table(pred) {
            Some(table) => table == owner || homes.contains(&table),
            None => {
                matches!(
                    pred,
                    Pred::In(None, _) | Pred::Outside(None, _) | Pred::On(None, _) | Pred::LastDay(None)
                )
            }
        };
        if !query.preds.iter().all(is_told) {
            return None;
        }
        if parts.len() + usize::from(leaves.iter().any(|leaf| own(leaf))) < 2 {
            return None;
        }
        let (mut outer, on, mut with) = self.groups(key, grain)?;
        let mut made: Vec<(&Measure, Expr)> = Vec::new();
        for leaf in leaves.iter().copied().filter(|leaf| own(leaf)) {
            let Measure::Of(_, attr) = leaf else { return None };
            made.push((leaf, self.attr(attr)?));
        }
        for (number, part) in parts.iter().enumerate() {
            let name = format!("part_{}", number + 1);
            let (select, values) = self.part(part, key, grain)?;
            with.push(NamedQuery::new(name.clone(), select));
            for (measure, value) in part.measures.iter().zip(values) {
                let value = Expr::column(name.clone(), value);
                made.push((measure, if counts(measure) { or_zero(value) } else { value }));
            }
            let on = vec![(on.clone(), ColumnRef::new(name.clone(), ONE))];
            outer.joins.push(Join::new(JoinKind::Left, TableUse::new(name), on));
        }
        for measure in grain.measures.iter().take(grain.shown) {
            let expr = rebuilt(measure, &made)?;
            if outer.projection.iter().all(|shown| shown.expr != expr) {
                let name = self.heading(measure, &outer);
                outer.projection.push(Projection { expr, alias: Some(name) });
            }
        }
        let mut plan = QueryPlan::from(outer);
        plan.with = with;
        self.in_order(&mut plan, grain, &made)?;
        self.supply("measures_apart", 0.0);
        let tables: Vec<TableId> = std::iter::once(owner).chain(homes).collect();
        Some((plan, self.knowledge.joins().connect(&tables)?))
    }

    /// The measures by the tables whose rows they summarise. How many different ones there are belongs to the rows that
    /// refer to them, where others count these.
    fn parts<'m>(&self, measures: impl Iterator<Item = &'m Measure>) -> Option<Vec<Part<'m>>> {
        let mut parts: Vec<Part<'m>> = Vec::new();
        let (distinct, plain): (Vec<_>, Vec<_>) =
            measures.partition(|measure| matches!(measure, Measure::Distinct(_)));
        for measure in plain.into_iter().chain(distinct) {
            let home = self.home(measure)?;
            let fits = |part: &&mut Part<'_>| {
                part.home == home
                    || matches!(measure, Measure::Distinct(_))
                        && self
                            .knowledge
                            .joins()
                            .connect(&[part.home, home])
                            .is_some_and(|tree| !self.repeats(part.home, &tree))
            };
            match parts.iter_mut().find(fits) {
                Some(part) => part.measures.push(measure),
                None => parts.push(Part { home, measures: vec![measure] }),
            }
        }
        Some(parts)
    }

    /// The groups, the column by which parts are joined to them, and the query that makes them where one is needed.
    fn groups(&self, key: &Noun, grain: &Grain) -> Option<(Select, ColumnRef, Vec<NamedQuery>)> {
        let filler = self.bound(key)?;
        let table = self.knowledge.table(filler.table).name.clone();
        let own = self.query.preds.iter().filter(|pred| self.pred_table(pred) == Some(filler.table));
        let conditions = self.all(&own.cloned().collect::<Vec<_>>(), grain)?;
        match filler.column {
            None => {
                let [id] = self.knowledge.table(filler.table).key.as_slice() else { return None };
                let mut select = Select::from_table(table);
                select.projection =
                    self.label(filler.table).into_iter().map(|id| Projection::from(self.expr(id))).collect();
                select.filter = Condition::all(conditions);
                Some((select, self.reference(*id), Vec::new()))
            }
            Some(id) => {
                let mut all = Select::from_table(table).project_as(self.expr(id), ONE);
                all.distinct = true;
                // Rows without a value are in no group, and would be joined to nothing.
                let known = Condition::IsNull { expr: self.expr(id), negated: true };
                all.filter = Condition::all(std::iter::once(known).chain(conditions).collect());
                let name = self.knowledge.column(id).name.clone();
                let select = Select::from_table(GROUPS).project_as(Expr::column(GROUPS, ONE), name);
                Some((select, ColumnRef::new(GROUPS, ONE), vec![NamedQuery::new(GROUPS, all)]))
            }
        }
    }

    /// The query of one part: what groups are joined by, and its measures, with what each is called in it.
    fn part(&self, part: &Part<'_>, key: &Noun, grain: &Grain) -> Option<(Select, Vec<String>)> {
        let measures: Vec<Measure> = part.measures.iter().map(|measure| (*measure).clone()).collect();
        let own = Grain {
            entity: part.home,
            shown: measures.len(),
            measures,
            by: None,
            date: grain.date.and(self.dates(part.home).first().copied()),
            ..grain.clone()
        };
        let tables = self.tables(&own);
        let (mut select, tree) = self.joined(&tables)?;
        if self.repeats(part.home, &tree) {
            return None;
        }
        select.filter = Condition::all(self.conditions(&own)?);
        let filler = self.bound(key)?;
        let by = match filler.column {
            Some(id) => self.expr(id),
            None => self.expr(*self.knowledge.table(filler.table).key.first()?),
        };
        let over = Over { grain: &own, tree: &tree, grouped: true, optional: false };
        select.group_by.push(by.clone());
        select = select.project_as(by, ONE);
        let mut values = Vec::new();
        for measure in &part.measures {
            let value = self.measure(measure, over)?;
            let known = select.projection.iter().find(|shown| shown.expr == value);
            let name = match known.and_then(|shown| shown.alias.clone()) {
                Some(name) => name,
                None => {
                    let name = format!("value_{}", select.projection.len());
                    select = select.project_as(value, name.clone());
                    name
                }
            };
            values.push(name);
        }
        Some((select, values))
    }

    /// What the column of a measure is called: by the rows that are counted, or by what is summarised. No two are called alike.
    fn heading(&self, measure: &Measure, shown: &Select) -> String {
        let named = |noun: &Noun| {
            self.bound(noun).map(|filler| match filler.column {
                Some(id) => self.knowledge.column(id).name.to_lowercase(),
                None => self.knowledge.table(filler.table).name.to_lowercase(),
            })
        };
        let attr = |attr: &Attr| match attr {
            Attr::Noun(noun) | Attr::Amount(noun) => named(noun),
            Attr::Revenue(_) => Some("revenue".to_owned()),
            _ => None,
        };
        let name = match measure {
            Measure::Count(Some(noun)) => named(noun),
            Measure::Count(None) => self.query.subject.as_ref().and_then(named),
            Measure::Distinct(noun) => named(noun).map(|name| format!("different_{name}")),
            Measure::Periods(_) => Some("periods".to_owned()),
            Measure::Of(function, of) => {
                let how = match function {
                    Aggregate::Sum => "total",
                    Aggregate::Avg => "average",
                    Aggregate::Min => "lowest",
                    Aggregate::Max => "highest",
                    _ => "value",
                };
                attr(of).map(|name| format!("{how}_{name}"))
            }
            Measure::Percentile(50, of) => attr(of).map(|name| format!("median_{name}")),
            Measure::Percentile(percent, of) => attr(of).map(|name| format!("percentile_{percent}_{name}")),
            Measure::Spread(of) => attr(of).map(|name| format!("{name}_range")),
            Measure::Ratio(..) => Some("ratio".to_owned()),
            Measure::Percent(..) => Some("percent".to_owned()),
            Measure::Less(..) => Some("difference".to_owned()),
            Measure::Change(..) => Some("change_in_percent".to_owned()),
            Measure::Defined(term) => Some(Self::defined_name(term)),
            _ => None,
        };
        let name = name.unwrap_or_else(|| "value".to_owned());
        let taken = |wanted: &str| {
            shown.projection.iter().any(|shown| match (&shown.alias, &shown.expr) {
                (Some(alias), _) => alias == wanted,
                (None, Expr::Column(column)) => column.column.eq_ignore_ascii_case(wanted),
                _ => false,
            })
        };
        unlike(name, taken)
    }

    fn in_order(&self, plan: &mut QueryPlan, grain: &Grain, made: &[(&Measure, Expr)]) -> Option<()> {
        let shown = plan.select.projection.first().map(|first| first.expr.clone());
        let by = |by: &By| match by {
            By::Measure(measure) => rebuilt(measure, made),
            By::Shown => grain.by.as_ref().or(grain.measures.last()).and_then(|last| rebuilt(last, made)),
            By::Name => shown.clone(),
            By::Attr(_) | By::Date => None,
        };
        if let Some(take) = &self.query.take {
            plan.order_by.push(Order { expr: by(&take.by)?, direction: take.direction });
            plan.limit = Some(self.query.limit.unwrap_or(1));
            plan.offset = self.query.skip;
            return Some(());
        }
        for (said, direction) in &self.query.order {
            plan.order_by.push(Order { expr: by(said)?, direction: *direction });
        }
        Some(())
    }
}

/// The measures that a measure is made of.
fn leaves(measure: &Measure) -> Vec<&Measure> {
    match measure {
        Measure::Ratio(one, other)
        | Measure::Percent(one, other)
        | Measure::Less(one, other)
        | Measure::Change(one, other) => leaves(one).into_iter().chain(leaves(other)).collect(),
        other => vec![other],
    }
}

/// A measure of what its parts were made as.
fn rebuilt(measure: &Measure, made: &[(&Measure, Expr)]) -> Option<Expr> {
    match measure {
        Measure::Ratio(one, other) => Some(Expr::ratio(rebuilt(one, made)?, rebuilt(other, made)?)),
        Measure::Percent(one, other) => Some(Expr::percent(rebuilt(one, made)?, rebuilt(other, made)?)),
        Measure::Less(one, other) => Some(less(rebuilt(one, made)?, rebuilt(other, made)?)),
        Measure::Change(one, other) => Some(Expr::growth(rebuilt(one, made)?, rebuilt(other, made)?)),
        leaf => made.iter().find(|(known, _)| *known == leaf).map(|(_, expr)| expr.clone()),
    }
}

fn is_of_all_groups(measure: &Measure) -> bool {
    matches!(measure, Measure::Share(_, Whole::Total) | Measure::Mean(..))
}

fn counts(measure: &Measure) -> bool {
    match measure {
        Measure::Count(_) | Measure::Distinct(_) => true,
        Measure::Where(inner, _) => counts(inner),
        _ => false,
    }
}

pub(super) fn or_zero(value: Expr) -> Expr {
    Expr::function(Function::Coalesce, vec![value, Expr::literal(0)])
}
