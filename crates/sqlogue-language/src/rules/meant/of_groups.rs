//! One figure of some groups together: *share of revenue from repeat customers*, *average order value of customers with more than
//! three orders*. Who they are says a query inside.

use crate::rules::grammar::{WordLists, is_participle};
use crate::rules::knowledge::{Knowledge, TableId};
use crate::rules::link::{Link, Target};
use crate::rules::text::Question;
use sqlogue_sql::plan::{Aggregate, ColumnRef, Condition, Expr, Projection, QueryPlan, Select};

/// How well words fit a table that they name.
const NAMED: f32 = 0.6;

/// Puts one figure of all in the place of one of each, where groups that a condition picks are only what the figure is of.
pub(super) fn figure_of_all(plan: &mut QueryPlan, asked: &Question, links: &[Link], knowledge: &Knowledge) {
    let select = &plan.select;
    let Some((key, of)) = grouped_by_key(select, plan, knowledge) else { return };
    let Some(Condition::Compare { left: bounded, .. }) = &select.having else { return };
    let is_plain = plan.with.is_empty() && plan.set_operations.is_empty() && plan.limit.is_none();
    if !is_plain || !asks_for_figure(asked, links, of) {
        return;
    }
    let figures: Vec<&Expr> = select
        .projection
        .iter()
        .map(|shown| &shown.expr)
        .filter(|expr| !matches!(expr, Expr::Column(_)))
        .collect();
    let figure = match figures.as_slice() {
        [only] if counts(asked) || *only != bounded => *only,
        [figure, second] if *second == bounded => *figure,
        _ => return,
    };
    let groups = Select { projection: vec![Projection::from(Expr::Column(key.clone()))], ..select.clone() };
    let are_those = Condition::among(Expr::Column(key), QueryPlan::from(groups));
    let (figure, filter) = match share_of(figure) {
        Some(summed) => match only_where(&summed, are_those) {
            Some(part) => (Expr::percent(part, summed), select.filter.clone()),
            None => return,
        },
        None => {
            (figure.clone(), Condition::all(select.filter.clone().into_iter().chain([are_those]).collect()))
        }
    };
    let select = &mut plan.select;
    select.projection = vec![Projection::from(figure)];
    select.filter = filter;
    select.group_by.clear();
    select.having = None;
    plan.order_by.clear();
}

/// Counts the visits of *repeat customers*, where a query goes on to what they bought at each: orders, and no lines of them.
pub(super) fn visits_once(plan: &mut QueryPlan, asked: &Question, knowledge: &Knowledge) {
    let is_said = |at: usize| matches!(asked.word(at), "repeat" | "returning" | "recurring");
    if !(0..asked.tokens.len()).any(is_said) || plan.select.having.is_none() {
        return;
    }
    let Some((_, of)) = grouped_by_key(&plan.select, plan, knowledge) else { return };
    let used: Vec<(String, TableId)> = plan
        .select
        .tables()
        .filter_map(|used| Some((used.name().to_owned(), knowledge.table_named(&used.table)?)))
        .collect();
    let refers = |(_, table): &&(String, TableId)| knowledge.joins().refers(*table, of);
    // The rows that are counted are those of the first table.
    let Some((name, visits)) =
        used.iter().find(refers).filter(|(name, _)| used.first().is_some_and(|used| used.0 != *name))
    else {
        return;
    };
    let [key] = knowledge.table(*visits).key.as_slice() else { return };
    let key = Expr::Column(ColumnRef::new(name.clone(), knowledge.column(*key).name.clone()));
    let once = |expr: &Expr| (*expr == Expr::count_all()).then(|| Expr::count_distinct(vec![key.clone()]));
    plan.select.projection.iter_mut().for_each(|shown| shown.expr.replace(&mut |expr| once(expr)));
    plan.select.having.iter_mut().for_each(|having| having.replace(&mut |expr| once(expr)));
}

/// The key of the table by whose rows a query groups, where it shows nothing else of it but what it is called.
fn grouped_by_key(select: &Select, plan: &QueryPlan, knowledge: &Knowledge) -> Option<(ColumnRef, TableId)> {
    let column = |expr: &Expr| match expr {
        Expr::Column(column) => Some((column.clone(), knowledge.column_in(plan, column)?)),
        _ => None,
    };
    let groups: Vec<_> = select.group_by.iter().map(column).collect::<Option<_>>()?;
    let (key, id) = groups.iter().find(|(_, id)| knowledge.column(*id).is_key)?;
    let of = knowledge.column(*id).table;
    let entry = knowledge.table(of);
    let names_it = |id| entry.label.contains(&id) || entry.key.contains(&id);
    let shown = select.projection.iter().filter_map(|shown| column(&shown.expr));
    let is_plain = shown.into_iter().all(|(_, id)| names_it(id))
        && groups.iter().all(|(_, id)| knowledge.column(*id).table == of);
    is_plain.then(|| (key.clone(), of))
}

/// True where a figure is asked for of a table's rows: *from repeat customers*, *of customers who*, but not *which customers*.
fn asks_for_figure(asked: &Question, links: &[Link], of: TableId) -> bool {
    let lists = WordLists::embedded();
    let word = |at: usize| asked.word(at);
    if (0..asked.tokens.len()).any(|at| lists.has("each_of_them", word(at))) {
        return false;
    }
    let is_named = |at: usize| {
        links.iter().any(|link| link.target == Target::Table(of) && link.score >= NAMED && link.start == at)
    };
    let Some(named) = (0..asked.tokens.len()).find(|at| is_named(*at)) else { return false };
    let leads = |at: usize| {
        let before = at.checked_sub(1).map_or("", word);
        lists.has("is_of", word(at)) || word(at) == "by" && is_participle(before)
    };
    (named.saturating_sub(3)..named).any(|at| at > 0 && leads(at))
}

/// True where a number of rows is asked for.
fn counts(asked: &Question) -> bool {
    (0..asked.tokens.len()).any(|at| matches!(asked.word(at), "many" | "number" | "count"))
}

/// What is added up in a share of all groups.
fn share_of(figure: &Expr) -> Option<Expr> {
    let (mut summed, mut is_share) = (None, false);
    figure.for_each(&mut |expr| match expr {
        Expr::Aggregate { .. } if summed.is_none() => summed = Some(expr.clone()),
        Expr::Window(_) => is_share = true,
        _ => {}
    });
    summed.filter(|_| is_share)
}

/// The same summary of only those rows for which a condition holds.
fn only_where(summed: &Expr, condition: Condition) -> Option<Expr> {
    let Expr::Aggregate { function, distinct, argument } = summed else { return None };
    match argument.as_ref() {
        Expr::All(_) => Some(Expr::count_where(condition)),
        argument => Some(Expr::Aggregate {
            function: *function,
            distinct: *distinct,
            argument: Box::new(Expr::only_where(condition, argument.clone())),
        })
        .filter(|_| matches!(function, Aggregate::Count | Aggregate::Sum)),
    }
}
