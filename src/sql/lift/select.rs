//! One selection: sources, joins, clauses.

use sqlparser::ast::{
    self as ast, Distinct, GroupByExpr, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart, SelectItem,
    SelectItemQualifiedWildcardKind, TableFactor,
};

use super::kind::Kind;
use super::scope::{Columns, Output, Scope, Source, result_column};
use super::{Lifter, Named};
use crate::plan::{
    self, ColumnRef, Comparison, Condition, Expr, Join, JoinKind, NamedQuery, Projection, Select, TableUse,
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
        let mut scope = Scope { outer, ..Scope::default() };
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
        let mut outputs = Vec::new();
        for item in &select.projection {
            let (shown, mut output) = self.projection(item, &scope)?;
            lifted.projection.push(shown);
            outputs.append(&mut output);
        }
        scope.outputs = outputs;
        scope.projection.clone_from(&lifted.projection);
        scope.named = parts.named;
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
                _ => self.shown(key, &scope)?,
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
                let (table, columns) = self.table_columns(called)?;
                if alias.as_ref().is_some_and(|alias| !alias.columns.is_empty()) {
                    return None;
                }
                let alias = alias.as_ref().map(|alias| alias.name.value.clone());
                let once = uses.iter().filter(|used| used.eq_ignore_ascii_case(called)).count() == 1;
                let used = TableUse { table, alias: alias.clone().filter(|_| self.keep_aliases || !once) };
                scope.sources.push(Source {
                    called: alias.unwrap_or_else(|| called.to_owned()),
                    name: used.name().to_owned(),
                    columns,
                });
                if parts.from.is_none() {
                    parts.from = Some(plan::Source::Table(used));
                    return Some(());
                }
                self.join(kind, used, constraint, scope, parts)
            }
            TableFactor::Derived { lateral: false, subquery, alias, sample: None } => {
                let alias = match alias {
                    Some(alias) if alias.columns.is_empty() => alias.name.value.clone(),
                    Some(_) => return None,
                    None => "inner_query".to_owned(),
                };
                let (query, outputs) = self.source_query(subquery, None)?;
                scope.sources.push(Source {
                    called: alias.clone(),
                    name: alias.clone(),
                    columns: Columns::Query(outputs.clone()),
                });
                if parts.from.is_none() {
                    parts.from = Some(plan::Source::Query { query: Box::new(query), alias });
                    return Some(());
                }
                // Queries that are joined have names in a plan.
                let name = self.fresh_name(&alias);
                let used = TableUse { table: name.clone(), alias: (name != alias).then_some(alias) };
                parts.named.push(NamedQuery { name: name.clone(), query });
                self.named.borrow_mut().push(Named { name, outputs });
                self.join(kind, used, constraint, scope, parts)
            }
            _ => None,
        }
    }

    /// What a name in `FROM` stands for, as the plan calls it, with its columns.
    fn table_columns<'s>(&'s self, called: &str) -> Option<(String, Columns<'s>)> {
        let known = self.named.borrow();
        if let Some(named) = known.iter().rev().find(|named| named.name.eq_ignore_ascii_case(called)) {
            return Some((named.name.clone(), Columns::Query(named.outputs.clone())));
        }
        let table = self.schema.table(called)?;
        Some((table.name.clone(), Columns::Table(table)))
    }

    /// A name for a query that no table and no other named query has.
    fn fresh_name(&self, alias: &str) -> String {
        let known = self.named.borrow();
        let is_taken = |name: &str| {
            self.schema.table(name).is_some()
                || known.iter().any(|named| named.name.eq_ignore_ascii_case(name))
        };
        let numbered = (2..).map(|number| format!("{alias}_{number}"));
        let mut names = std::iter::once(alias.to_owned()).chain(numbered);
        names.find(|name| !is_taken(name)).unwrap_or_default()
    }

    fn join(
        &self,
        kind: JoinKind,
        used: TableUse,
        constraint: &JoinConstraint,
        scope: &Scope<'_>,
        parts: &mut Parts,
    ) -> Option<()> {
        let mut partners = Vec::new();
        let on = self.on(kind, constraint, scope, parts, &mut partners)?;
        parts.joins.push(Join { filter: Condition::all(partners), ..Join::new(kind, used, on) });
        Some(())
    }

    /// The pairs of columns that join the newest source. What else the condition says becomes a filter of the rows, or
    /// of the `partners` on an outer join, where it decides what is joined and not what is returned.
    fn on(
        &self,
        kind: JoinKind,
        constraint: &JoinConstraint,
        scope: &Scope<'_>,
        parts: &mut Parts,
        partners: &mut Vec<Condition>,
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
                        None if kind == JoinKind::Left => partners.push(condition),
                        None => parts.filters.push(condition),
                    }
                }
                Some(on)
            }
        }
    }

    /// One item of what is returned, with the columns that it is for those who read from the selection.
    fn projection(&self, item: &SelectItem, scope: &Scope<'_>) -> Option<(Projection, Vec<Output>)> {
        let plain = ast::WildcardAdditionalOptions::default();
        let (tree, alias) = match item {
            SelectItem::UnnamedExpr(tree) => (tree, None),
            SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias.value.clone())),
            SelectItem::Wildcard(options) if *options == plain => {
                let outputs = scope.sources.iter().flat_map(|source| source.outputs(self.dialect)).collect();
                return Some((Projection::from(Expr::All(None)), outputs));
            }
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options)
                if *options == plain =>
            {
                let called = last_part(name)?;
                let mut sources = scope.sources.iter();
                let source = sources.find(|source| source.called.eq_ignore_ascii_case(called))?;
                let all = Expr::All(Some(source.name.clone()));
                return Some((Projection::from(all), source.outputs(self.dialect)));
            }
            _ => return None,
        };
        let (expr, kind) = match self.digits(tree, scope) {
            Some((expr, width)) => (expr, Kind::Digits(width)),
            None => {
                let expr = self.expr(tree, scope)?;
                let kind = self.kind(&expr, scope);
                (expr, kind)
            }
        };
        let name = match (&alias, &expr) {
            (Some(alias), _) => alias.clone(),
            (None, Expr::Column(column)) => column.column.clone(),
            (None, _) => String::new(),
        };
        Some((Projection { expr, alias }, vec![Output { name, kind }]))
    }
}

/// What the sources of a selection become.
#[derive(Default)]
struct Parts {
    from: Option<plan::Source>,
    joins: Vec<Join>,
    filters: Vec<Condition>,
    joined_by_name: bool,
    /// Queries in parentheses that are joined.
    named: Vec<NamedQuery>,
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
