//! Which names a selection knows.

use sqlparser::ast::{Expr as Tree, Ident, Value as Literal};

use super::kind::{Kind, column_kind};
use crate::plan::{ColumnRef, Expr, NamedQuery, Projection, Select};
use crate::schema::{Column, Table};
use crate::sql::Dialect;

/// The sources of a selection, and those of the selections around it.
#[derive(Default)]
pub(super) struct Scope<'a> {
    pub(super) sources: Vec<Source<'a>>,
    /// What the selection returns, whose names its clauses may use.
    pub(super) projection: Vec<Projection>,
    /// The columns of its result, as those see them who read from it.
    pub(super) outputs: Vec<Output>,
    /// Queries in parentheses that it joins.
    pub(super) named: Vec<NamedQuery>,
    pub(super) outer: Option<&'a Scope<'a>>,
}

/// One source of rows under its two names.
pub(super) struct Source<'a> {
    /// As the SQL calls it.
    pub(super) called: String,
    /// As the plan calls it.
    pub(super) name: String,
    pub(super) columns: Columns<'a>,
}

/// What is known of a source's columns.
pub(super) enum Columns<'a> {
    Table(&'a Table),
    Query(Vec<Output>),
}

/// A column of a query's result.
#[derive(Debug, Clone)]
pub(super) struct Output {
    pub(super) name: String,
    pub(super) kind: Kind,
}

impl Source<'_> {
    /// The column as the schema spells it.
    pub(super) fn column(&self, name: &str) -> Option<&str> {
        match &self.columns {
            Columns::Table(table) => table.column(name).map(|column| column.name.as_str()),
            Columns::Query(outputs) => {
                let known = outputs.iter().find(|output| output.name.eq_ignore_ascii_case(name));
                known.map(|output| output.name.as_str())
            }
        }
    }

    pub(super) fn column_names(&self) -> Vec<String> {
        match &self.columns {
            Columns::Table(table) => table.columns.iter().map(|column| column.name.clone()).collect(),
            Columns::Query(outputs) => outputs.iter().map(|output| output.name.clone()).collect(),
        }
    }

    /// The columns with their kinds.
    pub(super) fn outputs(&self, dialect: Dialect) -> Vec<Output> {
        match &self.columns {
            Columns::Query(outputs) => outputs.clone(),
            Columns::Table(table) => {
                let output = |column: &Column| Output {
                    name: column.name.clone(),
                    kind: column_kind(column, dialect),
                };
                table.columns.iter().map(output).collect()
            }
        }
    }

    fn kind_of(&self, name: &str, dialect: Dialect) -> Kind {
        let kind = match &self.columns {
            Columns::Query(outputs) => {
                outputs.iter().find(|output| output.name == name).map(|output| output.kind)
            }
            Columns::Table(table) => table.column(name).map(|column| column_kind(column, dialect)),
        };
        kind.unwrap_or_default()
    }
}

impl<'a> Scope<'a> {
    /// The expression that a bare name stands for: a column here, a result column here, or one further out.
    pub(super) fn bare(&self, name: &str) -> Option<Expr> {
        let mut scope = Some(self);
        while let Some(here) = scope {
            // Two sources with the column would be ambiguous, were they not joined by it; then the first will do.
            if let Some((source, column)) =
                here.sources.iter().find_map(|source| source.column(name).map(|column| (source, column)))
            {
                return self.reference(&source.name, column, here);
            }
            let alias = |projected: &&Projection| {
                projected.alias.as_deref().is_some_and(|alias| alias.eq_ignore_ascii_case(name))
            };
            if let Some(projected) = here.projection.iter().find(alias) {
                return std::ptr::eq(here, self).then(|| projected.expr.clone());
            }
            scope = here.outer;
        }
        None
    }

    /// True where the name stands for anything at all.
    pub(super) fn knows(&self, name: &str) -> bool {
        let mut scope = Some(self);
        while let Some(here) = scope {
            let is_alias = |projected: &Projection| {
                projected.alias.as_deref().is_some_and(|alias| alias.eq_ignore_ascii_case(name))
            };
            if here.sources.iter().any(|source| source.column(name).is_some())
                || here.projection.iter().any(is_alias)
            {
                return true;
            }
            scope = here.outer;
        }
        false
    }

    /// The column that `table.column` stands for.
    pub(super) fn qualified(&self, table: &str, column: &str) -> Option<Expr> {
        let mut scope = Some(self);
        while let Some(here) = scope {
            if let Some(source) = here.sources.iter().find(|source| source.called.eq_ignore_ascii_case(table))
            {
                return self.reference(&source.name, source.column(column)?, here);
            }
            scope = here.outer;
        }
        None
    }

    /// A reference to a source of `found`, unless a source nearer than that has taken its name.
    fn reference(&self, name: &str, column: &str, found: &Scope<'_>) -> Option<Expr> {
        let mut scope = Some(self);
        while let Some(here) = scope {
            if std::ptr::eq(here, found) {
                return Some(Expr::Column(ColumnRef::new(name, column)));
            }
            if here.sources.iter().any(|source| source.name.eq_ignore_ascii_case(name)) {
                return None;
            }
            scope = here.outer;
        }
        None
    }

    /// The kind of a column's values.
    pub(super) fn kind_of(&self, column: &ColumnRef, dialect: Dialect) -> Kind {
        let mut scope = Some(self);
        while let Some(here) = scope {
            if let Some(source) = here.sources.iter().find(|source| source.name == column.table) {
                return source.kind_of(&column.column, dialect);
            }
            scope = here.outer;
        }
        Kind::Other
    }

    /// The table that a column comes from.
    pub(super) fn table_of(&self, column: &ColumnRef) -> Option<&'a Table> {
        let mut scope = Some(self);
        while let Some(here) = scope {
            if let Some(source) = here.sources.iter().find(|source| source.name == column.table) {
                return match source.columns {
                    Columns::Table(table) => Some(table),
                    Columns::Query(_) => None,
                };
            }
            scope = here.outer;
        }
        None
    }
}

/// The result column that a sorting or grouping key names by number or by alias.
pub(super) fn result_column(key: &Tree, select: &Select) -> Option<Expr> {
    match key {
        Tree::Value(value) => match &value.value {
            Literal::Number(digits, _) => {
                let at = digits.parse::<usize>().ok()?.checked_sub(1)?;
                // A star before it moves what the number means.
                let before = select.projection.get(..=at)?;
                let has_star = before.iter().any(|projected| matches!(projected.expr, Expr::All(_)));
                if has_star { None } else { before.last().map(|projected| projected.expr.clone()) }
            }
            _ => None,
        },
        Tree::Identifier(Ident { value, .. }) => {
            let mut named = select.projection.iter().filter(|projected| {
                projected.alias.as_deref().is_some_and(|alias| alias.eq_ignore_ascii_case(value))
            });
            named.next().map(|projected| projected.expr.clone())
        }
        _ => None,
    }
}
