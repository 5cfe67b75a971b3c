//! A plan and the queries that it reads its rows from, seen as one.

use super::{Condition, Expr, NamedQuery, Order, Projection, QueryPlan, Select, Source};

/// What a plan asks for, whichever of its queries says it: columns of queries inside are what those compute them from.
#[derive(Default)]
pub(super) struct Flat {
    /// The tables that are read, named queries left out.
    pub(super) tables: Vec<String>,
    /// What is returned.
    pub(super) shown: Vec<Expr>,
    /// The conditions on rows and on partners of rows.
    pub(super) filters: Vec<Condition>,
    /// What rows are grouped by.
    pub(super) groups: Vec<Expr>,
    /// The conditions on groups.
    pub(super) having: Vec<Condition>,
    /// How the whole is sorted.
    pub(super) order_by: Vec<Order>,
}

impl Flat {
    pub(super) fn of(plan: &QueryPlan) -> Self {
        let mut flat = Self::default();
        flat.add(plan, &[]);
        flat
    }

    /// Adds a plan after those that it reads from; what is shown and sorted is that of the last.
    fn add<'a>(&mut self, plan: &'a QueryPlan, around: &[&'a NamedQuery]) {
        let mut named = around.to_vec();
        for query in &plan.with {
            self.add(&query.query, &named);
            named.push(query);
        }
        let select = &plan.select;
        if let Source::Query { query, .. } = &select.from {
            self.add(query, &named);
        }
        for used in select.tables() {
            let is_named = named.iter().any(|query| query.name.eq_ignore_ascii_case(&used.table));
            if !is_named && !self.tables.contains(&used.table) {
                self.tables.push(used.table.clone());
            }
        }
        let resolved = |expr: &Expr| resolved(expr, select, &named);
        let condition = |mut condition: Condition| {
            condition.replace(&mut |part| of_source(part, select, &named));
            condition
        };
        self.shown = match select.projection.as_slice() {
            [] => vec![Expr::All(None)],
            some => some.iter().map(|Projection { expr, .. }| resolved(expr)).collect(),
        };
        let partners = select.joins.iter().filter_map(|join| join.filter.as_ref());
        let filters = partners.chain(&select.filter).flat_map(Condition::parts);
        self.filters.extend(filters.map(condition));
        self.groups.extend(select.group_by.iter().map(resolved));
        self.having.extend(select.having.iter().flat_map(Condition::parts).map(condition));
        let sorted = plan.order_by.iter();
        self.order_by =
            sorted.map(|order| Order { expr: resolved(&order.expr), direction: order.direction }).collect();
    }
}

/// The expression with columns of queries inside replaced by what those show under their names.
fn resolved(expr: &Expr, select: &Select, named: &[&NamedQuery]) -> Expr {
    let mut expr = expr.clone();
    expr.replace(&mut |part| of_source(part, select, named));
    expr
}

fn of_source(part: &Expr, select: &Select, named: &[&NamedQuery]) -> Option<Expr> {
    let Expr::Column(column) = part else { return None };
    let used = select.tables().find(|used| used.name() == column.table);
    let place =
        used.and_then(|used| named.iter().rposition(|query| query.name.eq_ignore_ascii_case(&used.table)));
    let (query, around) = match (place, &select.from) {
        (Some(place), _) => (&named.get(place)?.query, named.get(..place)?),
        (None, Source::Query { query, alias }) if *alias == column.table => (query.as_ref(), named),
        (None, _) => return None,
    };
    let shown = query.select.projection.iter().find(|shown| match (&shown.alias, &shown.expr) {
        (Some(alias), _) => alias.eq_ignore_ascii_case(&column.column),
        (None, Expr::Column(other)) => other.column.eq_ignore_ascii_case(&column.column),
        (None, _) => false,
    })?;
    let around: Vec<&NamedQuery> = around.iter().copied().chain(&query.with).collect();
    Some(resolved(&shown.expr, &query.select, &around))
}
