//! What a plan reads from queries of its own: named ones and its source.
//!
//! An edit speaks of tables. Where those are read by a query inside, and not by the outermost selection, the edit reaches
//! them there.

use super::aggregate::name_in_result;
use super::{EditError, columns, uses};
use crate::plan::{ColumnRef, Condition, Expr, NamedQuery, Projection, QueryPlan, Select, Source, TableUse};

/// The name of the previous query's rows where they are asked about.
pub(super) const SHOWN: &str = "shown";

impl QueryPlan {
    /// The queries that this one reads its rows from.
    fn sources_mut(&mut self) -> Vec<&mut QueryPlan> {
        let Self { with, select, set_operations, .. } = self;
        let others = set_operations.iter_mut().map(|operation| &mut operation.select);
        let own = std::iter::once(select).chain(others).filter_map(|select| match &mut select.from {
            Source::Query { query, .. } => Some(query.as_mut()),
            Source::Table(_) => None,
        });
        with.iter_mut().map(|named| &mut named.query).chain(own).collect()
    }

    /// True where the first selection of this plan, or of one that it reads from, uses these tables.
    fn reaches(&self, columns: &[&ColumnRef]) -> bool {
        columns.iter().all(|column| uses(&self.select, &column.table))
            || self.with.iter().any(|named| named.query.reaches(columns))
            || matches!(&self.select.from, Source::Query { query, .. } if query.reaches(columns))
    }

    /// True for a condition on a value that looks at other rows: what a rank leaves over.
    pub(super) fn is_on_window(&self, condition: &Condition) -> bool {
        let of_source = |column: &&ColumnRef| {
            let used = self.select.tables().find(|used| used.name() == column.table);
            let named = used.and_then(|used| self.named(&used.table)).map(|named| &named.query);
            let source = named.or(match &self.select.from {
                Source::Query { query, alias } if *alias == column.table => Some(query.as_ref()),
                _ => None,
            });
            let shown = source.into_iter().flat_map(|query| &query.select.projection);
            shown
                .into_iter()
                .any(|shown| shown.alias.as_deref() == Some(&column.column) && shown.expr.is_windowed())
        };
        condition.is_windowed() || condition.columns().iter().any(of_source)
    }
}

/// Applies a change to every query that a plan reads its rows from, and to itself last.
pub(super) fn each_layer(plan: &mut QueryPlan, change: &mut dyn FnMut(&mut QueryPlan)) {
    plan.sources_mut().into_iter().for_each(|source| each_layer(source, change));
    change(plan);
}

/// Applies an edit to those of a plan's sources that use the tables of these columns; nothing where none does.
pub(super) fn in_sources(
    plan: &mut QueryPlan,
    columns: &[&ColumnRef],
    edit: &mut dyn FnMut(QueryPlan) -> Result<QueryPlan, EditError>,
) -> Result<bool, EditError> {
    let mut reached = false;
    for source in plan.sources_mut().into_iter().filter(|source| source.reaches(columns)) {
        *source = edit(source.clone())?;
        reached = true;
    }
    Ok(reached)
}

/// The expression in terms of the first selection's sources: columns of tables that are read further inside are shown by
/// the queries on the way, and taken from there. As it is where the selection uses all its tables.
pub(super) fn brought_out(plan: &mut QueryPlan, expr: &Expr) -> Result<Expr, EditError> {
    let mut brought = expr.clone();
    let missing = expr.columns().into_iter().filter(|column| !plan.uses(&column.table));
    for column in missing.cloned().collect::<Vec<_>>() {
        let outside = taken_from_source(plan, &mut Vec::new(), &column)?
            .ok_or_else(|| EditError::TableNotUsed(column.table.clone()))?;
        let wanted = Expr::Column(column);
        brought.replace(&mut |part| (*part == wanted).then(|| outside.clone()));
    }
    Ok(brought)
}

/// The column of one of a query's sources that shows a column which is read further inside. `around` are the named
/// queries of the plans around.
fn taken_from_source(
    query: &mut QueryPlan,
    around: &mut Vec<NamedQuery>,
    column: &ColumnRef,
) -> Result<Option<Expr>, EditError> {
    let uses: Vec<TableUse> = query.select.tables().cloned().collect();
    for used in uses {
        let is_used = |named: &NamedQuery| named.name.eq_ignore_ascii_case(&used.table);
        let own = query.with.iter().position(is_used);
        let (list, at) = match own {
            Some(at) => (&mut query.with, at),
            None => match around.iter().rposition(is_used) {
                Some(at) => (&mut *around, at),
                None => continue,
            },
        };
        // It is taken out while it changes, because it may read what stands beside it.
        let Some(named) = list.get_mut(at) else { continue };
        let mut source = std::mem::take(&mut named.query);
        let shown = shown_by(&mut source, list, column);
        if let Some(named) = list.get_mut(at) {
            named.query = source;
        }
        if let Some(name) = shown? {
            return Ok(Some(Expr::column(used.name(), name)));
        }
    }
    let Source::Query { query: source, alias } = &mut query.select.from else { return Ok(None) };
    let mut known = around.clone();
    known.extend(query.with.iter().cloned());
    let before = known.clone();
    let shown = shown_by(source, &mut known, column)?;
    // A named query outside of it would have to change for it.
    let fits = shown.is_some() && known == before;
    Ok(shown.filter(|_| fits).map(|name| Expr::column(alias.as_str(), name)))
}

/// The name under which a query shows a column, which is added to it; none where it does not come to it.
fn shown_by(
    query: &mut QueryPlan,
    around: &mut Vec<NamedQuery>,
    column: &ColumnRef,
) -> Result<Option<String>, EditError> {
    let inside = match query.uses(&column.table) {
        true => Expr::Column(column.clone()),
        false => match taken_from_source(query, around, column)? {
            Some(inside) => inside,
            None => return Ok(None),
        },
    };
    *query = columns::add(query.clone(), &inside)?;
    let name = name_in_result(query, &inside)?;
    let has_name = |shown: &Projection| match (&shown.alias, &shown.expr) {
        (Some(alias), _) => alias.eq_ignore_ascii_case(&name),
        (None, Expr::Column(other)) => other.column.eq_ignore_ascii_case(&name),
        (None, _) => false,
    };
    if query.select.projection.iter().filter(|shown| has_name(shown)).count() < 2 {
        return Ok(Some(name));
    }
    // Two columns of one name could not be told apart outside.
    let longer = format!("{}_{}", column.table, column.column);
    for shown in query.select.projection.iter_mut().filter(|shown| shown.expr == inside) {
        shown.alias = Some(longer.clone());
    }
    Ok(Some(longer))
}

/// The plan's rows as a source, shown column by column and sorted and cut as before. What is sorted by must be shown.
pub(super) fn over_rows(mut plan: QueryPlan) -> Result<QueryPlan, EditError> {
    plan.name_columns();
    let mut columns = Vec::with_capacity(plan.select.projection.len());
    for at in 0..plan.select.projection.len() {
        let Some(shown) = plan.select.projection.get(at).map(|shown| shown.expr.clone()) else { continue };
        if matches!(shown, Expr::All(_)) {
            return Err(EditError::WhichColumn);
        }
        let name = name_in_result(&mut plan, &shown)?;
        columns.push((shown, Expr::column(SHOWN, name)));
    }
    let mut order_by = std::mem::take(&mut plan.order_by);
    for order in &mut order_by {
        let shown = columns.iter().find(|(expr, _)| *expr == order.expr);
        let (_, column) = shown.ok_or_else(|| EditError::OrderNotShown(Box::new(order.expr.clone())))?;
        order.expr = column.clone();
    }
    let (limit, offset) = (plan.limit.take(), plan.offset.take());
    let projection = columns.into_iter().map(|(_, column)| Projection::from(column)).collect();
    let from = Source::Query { query: Box::new(plan), alias: SHOWN.to_owned() };
    let select = Select { projection, from, ..Select::default() };
    Ok(QueryPlan { order_by, limit, offset, ..QueryPlan::from(select) })
}

/// True for what has one value in each group: a summary, a key, and what is computed from these.
pub(super) fn is_of_group(expr: &Expr, keys: &[Expr]) -> bool {
    match expr {
        Expr::Aggregate { .. } | Expr::Literal(_) | Expr::Query(_) => true,
        _ if keys.contains(expr) => true,
        Expr::Column(_) | Expr::All(_) => false,
        other => other.parts().into_iter().all(|part| is_of_group(part, keys)),
    }
}
