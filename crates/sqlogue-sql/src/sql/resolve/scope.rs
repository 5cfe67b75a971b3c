//! What a query reads from, and under which names.

use sqlparser::ast::{
    Cte, Expr, ObjectName, ObjectNamePart, Query, Select, SelectItem, SetExpr, TableAlias, TableFactor,
    TableWithJoins,
};

use crate::schema::{Schema, Table};

/// The names of one query: all of its selections together, which lets a few wrong names pass, and no right one fail.
#[derive(Default)]
pub(super) struct Frame<'a> {
    pub(super) sources: Vec<Source<'a>>,
    aliases: Vec<String>,
    /// Tables that the query itself defines.
    commons: Vec<(String, Option<Vec<String>>)>,
}

pub(super) struct Source<'a> {
    pub(super) called: String,
    pub(super) columns: Columns<'a>,
}

pub(super) enum Columns<'a> {
    Table(&'a Table),
    Named(Vec<String>),
    /// Anything may be a column of it.
    Unknown,
}

impl Columns<'_> {
    pub(super) fn may_have(&self, name: &str) -> bool {
        match self {
            Self::Table(table) => table.column(name).is_some(),
            Self::Named(names) => names.iter().any(|known| known.eq_ignore_ascii_case(name)),
            Self::Unknown => true,
        }
    }

    pub(super) fn names(&self) -> Vec<&str> {
        match self {
            Self::Table(table) => table.columns.iter().map(|column| column.name.as_str()).collect(),
            Self::Named(names) => names.iter().map(String::as_str).collect(),
            Self::Unknown => Vec::new(),
        }
    }
}

impl<'a> Frame<'a> {
    pub(super) fn of(query: &Query, schema: &'a Schema, outer: &[Frame<'a>]) -> Self {
        let mut frame = Self::default();
        if let Some(with) = &query.with {
            frame.commons = with.cte_tables.iter().map(common).collect();
        }
        let mut bodies = vec![query.body.as_ref()];
        while let Some(body) = bodies.pop() {
            match body {
                SetExpr::Select(select) => frame.select(select, schema, outer),
                SetExpr::SetOperation { left, right, .. } => bodies.extend([left.as_ref(), right.as_ref()]),
                // The parentheses hide nothing: the order of the whole may name its columns.
                SetExpr::Query(query) => bodies.push(&query.body),
                _ => {}
            }
        }
        frame
    }

    pub(super) fn common(&self, name: &str) -> Option<&Option<Vec<String>>> {
        self.commons.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, columns)| columns)
    }

    pub(super) fn has_alias(&self, name: &str) -> bool {
        self.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
    }

    pub(super) fn source(&self, name: &str) -> Option<&Source<'a>> {
        self.sources.iter().find(|source| source.called.eq_ignore_ascii_case(name))
    }

    fn select(&mut self, select: &Select, schema: &'a Schema, outer: &[Frame<'a>]) {
        for item in &select.projection {
            if let SelectItem::ExprWithAlias { alias, .. } = item {
                self.aliases.push(alias.value.clone());
            }
        }
        for item in &select.from {
            self.joined(item, schema, outer);
        }
    }

    fn joined(&mut self, item: &TableWithJoins, schema: &'a Schema, outer: &[Frame<'a>]) {
        self.factor(&item.relation, schema, outer);
        for join in &item.joins {
            self.factor(&join.relation, schema, outer);
        }
    }

    fn factor(&mut self, factor: &TableFactor, schema: &'a Schema, outer: &[Frame<'a>]) {
        let source = match factor {
            TableFactor::Table { name, alias, args: None, .. } => {
                let plain = plain_name(name);
                let common = plain.and_then(|plain| {
                    self.common(plain).or_else(|| outer.iter().rev().find_map(|frame| frame.common(plain)))
                });
                let columns = match (common, plain.and_then(|plain| schema.table(plain))) {
                    (Some(Some(names)), _) => Columns::Named(names.clone()),
                    (Some(None), _) | (None, None) => Columns::Unknown,
                    (None, Some(table)) => Columns::Table(table),
                };
                renamed(alias.as_ref(), plain.unwrap_or_default(), columns)
            }
            TableFactor::Derived { subquery, alias, .. } => {
                let columns = result_names(subquery).map_or(Columns::Unknown, Columns::Named);
                renamed(alias.as_ref(), "", columns)
            }
            TableFactor::NestedJoin { table_with_joins, alias } => {
                self.joined(table_with_joins, schema, outer);
                match alias {
                    Some(alias) => renamed(Some(alias), "", Columns::Unknown),
                    None => return,
                }
            }
            _ => Source { called: String::new(), columns: Columns::Unknown },
        };
        self.sources.push(source);
    }
}

fn renamed<'a>(alias: Option<&TableAlias>, name: &str, columns: Columns<'a>) -> Source<'a> {
    match alias {
        None => Source { called: name.to_owned(), columns },
        Some(alias) if alias.columns.is_empty() => Source { called: alias.name.value.clone(), columns },
        Some(alias) => {
            let names = alias.columns.iter().map(|column| column.name.value.clone()).collect();
            Source { called: alias.name.value.clone(), columns: Columns::Named(names) }
        }
    }
}

fn common(cte: &Cte) -> (String, Option<Vec<String>>) {
    let columns = if cte.alias.columns.is_empty() {
        result_names(&cte.query)
    } else {
        Some(cte.alias.columns.iter().map(|column| column.name.value.clone()).collect())
    };
    (cte.alias.name.value.clone(), columns)
}

/// The names of a query's columns, where all of them are told by the query alone.
fn result_names(query: &Query) -> Option<Vec<String>> {
    let mut body = query.body.as_ref();
    let select = loop {
        match body {
            SetExpr::Select(select) => break select,
            SetExpr::SetOperation { left, .. } => body = left,
            SetExpr::Query(query) => body = &query.body,
            _ => return None,
        }
    };
    let name = |item: &SelectItem| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name.value.clone()),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(names)) => {
            names.last().map(|name| name.value.clone())
        }
        // Databases name these each in their own way; quoted, such a name can be used.
        SelectItem::UnnamedExpr(expr) => Some(expr.to_string()),
        _ => None,
    };
    select.projection.iter().map(name).collect()
}

/// The name of a table that has no schema before it.
pub(super) fn plain_name(name: &ObjectName) -> Option<&str> {
    match name.0.as_slice() {
        [ObjectNamePart::Identifier(name)] => Some(&name.value),
        _ => None,
    }
}
