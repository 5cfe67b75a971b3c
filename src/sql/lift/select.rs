//! One selection: sources, joins, clauses.

use sqlparser::ast::{
    self as ast, Distinct, GroupByExpr, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart, SelectItem,
    SelectItemQualifiedWildcardKind, TableFactor,
};

use super::Lifter;
use super::scope::{Columns, Scope, Source, result_column};
use crate::plan::{
    self, ColumnRef, Comparison, Condition, Expr, Join, JoinKind, Projection, QueryPlan, Select, TableUse,
};

impl Lifter<'_> {
    /// The selection, with the names it knows.
    pub(super) fn select<'s>(
        &'s self,
        select: &ast::Select,
        outer: Option<&'s Scope<'s>>,
    ) -> Option<(Select, Scope<'s>)> {
        let is_plain = select.top.is_none()
            && select.exclude.is_none()
            && select.into.is_none()
            && select.lateral_views.is_empty()
            && select.prewhere.is_none()
            && select.connect_by.is_empty()
            && select.cluster_by.is_empty()
            && select.distribute_by.is_empty()
            && select.sort_by.is_empty()
            && select.named_window.is_empty()
            && select.qualify.is_none()
            && select.value_table_mode.is_none()
            && !select.from.is_empty();
        if !is_plain {
            return None;
        }
        let distinct = match &select.distinct {
            None | Some(Distinct::All) => false,
            Some(Distinct::Distinct) => true,
            Some(Distinct::On(_)) => return None,
        };
        let mut parts = Parts::default();
        let mut scope = Scope { sources: Vec::new(), projection: Vec::new(), outer };
        self.sources(&select.from, &mut scope, &mut parts)?;
        let stars = select
            .projection
            .iter()
            .any(|item| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)));
        // A star leaves out one of each pair of columns that are joined by name.
        if stars && parts.joined_by_name {
            return None;
        }
        let mut lifted = Select { distinct, ..Select::default() };
        for item in &select.projection {
            lifted.projection.push(projection(self, item, &scope)?);
        }
        scope.projection.clone_from(&lifted.projection);
        let mut filters = parts.filters;
        if let Some(selection) = &select.selection {
            filters.extend(conjuncts(self.condition(selection, &scope)?));
        }
        attach(&mut parts.joins, &mut filters);
        lifted.from = parts.from?;
        lifted.joins = parts.joins;
        lifted.filter = Condition::all(filters);
        let GroupByExpr::Expressions(keys, modifiers) = &select.group_by else { return None };
        if !modifiers.is_empty() {
            return None;
        }
        for key in keys {
            let is_column = matches!(key, ast::Expr::Identifier(name) if scope.sources.iter().any(|source| source.column(&name.value).is_some()));
            let key = match result_column(key, &lifted) {
                Some(expr) if !is_column => expr,
                _ => self.expr(key, &scope)?,
            };
            lifted.group_by.push(key);
        }
        lifted.having = match &select.having {
            Some(having) => Some(self.condition(having, &scope)?),
            None => None,
        };
        Some((lifted, scope))
    }

    fn sources<'s>(
        &'s self,
        from: &[ast::TableWithJoins],
        scope: &mut Scope<'s>,
        parts: &mut Parts,
    ) -> Option<()> {
        let factors = from.iter().flat_map(|item| {
            std::iter::once(&item.relation).chain(item.joins.iter().map(|join| &join.relation))
        });
        let uses: Vec<String> =
            factors.filter_map(|factor| table_name(factor).map(str::to_ascii_lowercase)).collect();
        for item in from {
            self.source(&item.relation, &uses, JoinKind::Inner, &JoinConstraint::None, scope, parts)?;
            for join in &item.joins {
                let (kind, constraint) = match &join.join_operator {
                    JoinOperator::Join(constraint)
                    | JoinOperator::Inner(constraint)
                    | JoinOperator::CrossJoin(constraint) => (JoinKind::Inner, constraint),
                    JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => {
                        (JoinKind::Left, constraint)
                    }
                    _ => return None,
                };
                self.source(&join.relation, &uses, kind, constraint, scope, parts)?;
            }
        }
        // Two sources of one name could not be told apart.
        let mut names: Vec<String> =
            scope.sources.iter().map(|source| source.name.to_ascii_lowercase()).collect();
        names.sort_unstable();
        names.windows(2).all(|pair| pair.first() != pair.last()).then_some(())
    }

    fn source<'s>(
        &'s self,
        factor: &ast::TableFactor,
        uses: &[String],
        kind: JoinKind,
        constraint: &JoinConstraint,
        scope: &mut Scope<'s>,
        parts: &mut Parts,
    ) -> Option<()> {
        match factor {
            TableFactor::Table {
                alias, args: None, version: None, sample: None, json_path: None, ..
            } => {
                let called = table_name(factor)?;
                let table = self.schema.table(called)?;
                if alias.as_ref().is_some_and(|alias| !alias.columns.is_empty()) {
                    return None;
                }
                let alias = alias.as_ref().map(|alias| alias.name.value.clone());
                let once = uses.iter().filter(|used| used.eq_ignore_ascii_case(called)).count() == 1;
                let used = TableUse {
                    table: table.name.clone(),
                    alias: alias.clone().filter(|_| self.keep_aliases || !once),
                };
                scope.sources.push(Source {
                    called: alias.unwrap_or_else(|| called.to_owned()),
                    name: used.name().to_owned(),
                    columns: Columns::Table(table),
                });
                if parts.from.is_none() {
                    parts.from = Some(plan::Source::Table(used));
                    return Some(());
                }
                let on = self.on(kind, constraint, scope, parts)?;
                parts.joins.push(Join::new(kind, used, on));
                Some(())
            }
            // The plan language has a nested query only in the first place.
            TableFactor::Derived { lateral: false, subquery, alias, sample: None }
                if parts.from.is_none() =>
            {
                let alias = match alias {
                    Some(alias) if alias.columns.is_empty() => alias.name.value.clone(),
                    Some(_) => return None,
                    None => "inner_query".to_owned(),
                };
                let query = self.query(subquery, None)?;
                let columns = self.result_names(&query);
                scope.sources.push(Source {
                    called: alias.clone(),
                    name: alias.clone(),
                    columns: Columns::Query(columns),
                });
                parts.from = Some(plan::Source::Query { query: Box::new(query), alias });
                Some(())
            }
            _ => None,
        }
    }

    /// The pairs of columns that join the newest source; what else the condition says becomes a filter.
    fn on(
        &self,
        kind: JoinKind,
        constraint: &JoinConstraint,
        scope: &Scope<'_>,
        parts: &mut Parts,
    ) -> Option<Vec<(ColumnRef, ColumnRef)>> {
        let (newest, earlier) = scope.sources.split_last()?;
        let by_name = |names: Vec<String>| -> Option<Vec<(ColumnRef, ColumnRef)>> {
            let pair = |name: &String| {
                let left =
                    earlier.iter().find_map(|source| source.column(name).map(|column| (source, column)));
                let (source, column) = left?;
                let right = newest.column(name)?;
                Some((ColumnRef::new(&source.name, column), ColumnRef::new(&newest.name, right)))
            };
            names.iter().map(pair).collect()
        };
        match constraint {
            JoinConstraint::None => Some(Vec::new()),
            JoinConstraint::Using(names) => {
                parts.joined_by_name = true;
                by_name(names.iter().map(|name| last_part(name).map(str::to_owned)).collect::<Option<_>>()?)
            }
            JoinConstraint::Natural => {
                parts.joined_by_name = true;
                let common = newest.column_names();
                by_name(
                    common
                        .into_iter()
                        .filter(|name| earlier.iter().any(|source| source.column(name).is_some()))
                        .collect(),
                )
            }
            JoinConstraint::On(condition) => {
                let mut on = Vec::new();
                for condition in conjuncts(self.condition(condition, scope)?) {
                    match joins(&condition, &newest.name) {
                        Some(pair) => on.push(pair),
                        // On an outer join it decides what is joined, not what is returned.
                        None if kind == JoinKind::Left => return None,
                        None => parts.filters.push(condition),
                    }
                }
                Some(on)
            }
        }
    }

    /// The names of a nested query's columns, as far as they can be referred to.
    fn result_names(&self, query: &QueryPlan) -> Vec<String> {
        let mut names = Vec::new();
        for projected in &query.select.projection {
            match (&projected.alias, &projected.expr) {
                (Some(alias), _) => names.push(alias.clone()),
                (None, Expr::Column(column)) => names.push(column.column.clone()),
                (None, Expr::All(_)) => {
                    for table in query.select.tables().filter_map(|used| self.schema.table(&used.table)) {
                        names.extend(table.columns.iter().map(|column| column.name.clone()));
                    }
                }
                (None, _) => {}
            }
        }
        names
    }
}

/// What the sources of a selection become.
#[derive(Default)]
struct Parts {
    from: Option<plan::Source>,
    joins: Vec<Join>,
    filters: Vec<Condition>,
    joined_by_name: bool,
}

fn projection(lifter: &Lifter<'_>, item: &SelectItem, scope: &Scope<'_>) -> Option<Projection> {
    Some(match item {
        SelectItem::UnnamedExpr(expr) => Projection::from(lifter.expr(expr, scope)?),
        SelectItem::ExprWithAlias { expr, alias } => {
            Projection { expr: lifter.expr(expr, scope)?, alias: Some(alias.value.clone()) }
        }
        SelectItem::Wildcard(options) if *options == ast::WildcardAdditionalOptions::default() => {
            Projection::from(Expr::All(None))
        }
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options)
            if *options == ast::WildcardAdditionalOptions::default() =>
        {
            let called = last_part(name)?;
            let source = scope.sources.iter().find(|source| source.called.eq_ignore_ascii_case(called))?;
            Projection::from(Expr::All(Some(source.name.clone())))
        }
        _ => return None,
    })
}

/// Moves equalities of columns from the filters to the joins that have none.
fn attach(joins: &mut [Join], filters: &mut Vec<Condition>) {
    for at in 0..joins.len() {
        let later: Vec<String> = joins.iter().skip(at + 1).map(|join| join.table.name().to_owned()).collect();
        let Some(join) = joins.get_mut(at) else { continue };
        if join.kind != JoinKind::Inner || !join.on.is_empty() {
            continue;
        }
        filters.retain(|condition| match joins_pair(condition, join.table.name(), &later) {
            Some(pair) => {
                join.on.push(pair);
                false
            }
            None => true,
        });
    }
}

fn joins_pair(condition: &Condition, newest: &str, later: &[String]) -> Option<(ColumnRef, ColumnRef)> {
    let (left, right) = joins(condition, newest)?;
    (!later.contains(&left.table)).then_some((left, right))
}

/// The pair of columns, if the condition is an equality of one of `newest` and one of another source.
fn joins(condition: &Condition, newest: &str) -> Option<(ColumnRef, ColumnRef)> {
    let Condition::Compare {
        left: Expr::Column(left),
        operator: Comparison::Equal,
        right: Expr::Column(right),
    } = condition
    else {
        return None;
    };
    match (left.table == newest, right.table == newest) {
        (false, true) => Some((left.clone(), right.clone())),
        (true, false) => Some((right.clone(), left.clone())),
        _ => None,
    }
}

fn conjuncts(condition: Condition) -> Vec<Condition> {
    match condition {
        Condition::And(all) => all,
        one => vec![one],
    }
}

/// The table's name, where it has no more than a schema before it.
fn table_name(factor: &TableFactor) -> Option<&str> {
    match factor {
        TableFactor::Table { name, .. } => last_part(name),
        _ => None,
    }
}

fn last_part(name: &ObjectName) -> Option<&str> {
    match name.0.as_slice() {
        [ObjectNamePart::Identifier(name)] => Some(&name.value),
        [ObjectNamePart::Identifier(schema), ObjectNamePart::Identifier(name)]
            if schema.value.eq_ignore_ascii_case("main") =>
        {
            Some(&name.value)
        }
        _ => None,
    }
}
