//! Names in SQL that the schema does not know.
//!
//! A database says `no such column` for one name at a time and knows no way out. This says it for all names before
//! the database is asked, with the names that come near. Where it cannot be sure it says nothing: a name that is
//! not found here may still be an alias, a column of a table function, or a text in double quotes.

pub(super) mod near;
mod scope;

use std::convert::Infallible;
use std::fmt;

use serde::{Deserialize, Serialize};
use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName, Query, SelectItem, SetExpr,
    TableFactor,
};

use super::parts::{Part, walk};
use super::{Checked, Dialect};
use crate::schema::Schema;
use near::near;
use scope::{Columns, Frame, Source};

/// A name that the schema does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Finding {
    /// There is no such table.
    UnknownTable {
        /// The name as written.
        table: String,
        /// Tables whose names come near, nearest first.
        near: Vec<String>,
    },
    /// There is no such column in the tables in use.
    UnknownColumn {
        /// The name as written.
        column: String,
        /// The table it was said to be in, in schema spelling, or the only one that is read.
        table: Option<String>,
        /// Columns (`table.column`) whose names come near, nearest first; those of tables in use come first.
        near: Vec<String>,
    },
    /// The table is there, but the query does not read it where its column is used.
    TableNotInUse {
        /// The table, in schema spelling.
        table: String,
        /// The column as written.
        column: String,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hint = |f: &mut fmt::Formatter<'_>, near: &[String]| {
            for (at, name) in near.iter().enumerate() {
                f.write_str(if at == 0 { "; near it: " } else { ", " })?;
                write!(f, "`{name}`")?;
            }
            Ok(())
        };
        match self {
            Self::UnknownTable { table, near } => {
                write!(f, "there is no table `{table}`")?;
                hint(f, near)
            }
            Self::UnknownColumn { column, table: Some(table), near } => {
                write!(f, "table `{table}` has no column `{column}`")?;
                hint(f, near)
            }
            Self::UnknownColumn { column, table: None, near } => {
                write!(f, "no table in use has a column `{column}`")?;
                hint(f, near)
            }
            Self::TableNotInUse { table, column } => {
                write!(f, "`{table}.{column}` is used, but the query does not read `{table}` there")
            }
        }
    }
}

/// The names in a statement that `schema` does not know, each once, in the order in which they occur.
pub fn resolve(checked: &Checked, schema: &Schema) -> Vec<Finding> {
    let mut resolver =
        Resolver { schema, dialect: checked.dialect(), frames: Vec::new(), findings: Vec::new() };
    let Ok(()) = walk(checked.tree(), |part| {
        resolver.look(part);
        Ok::<(), Infallible>(())
    });
    resolver.findings
}

struct Resolver<'a> {
    schema: &'a Schema,
    dialect: Dialect,
    /// The queries round the place of the walk, the innermost last.
    frames: Vec<Frame<'a>>,
    findings: Vec<Finding>,
}

impl Resolver<'_> {
    fn look(&mut self, part: Part<'_>) {
        match part {
            Part::Query(query) => {
                self.frames.push(Frame::of(query, self.schema, &self.frames));
                self.shown(query);
            }
            Part::EndOfQuery => drop(self.frames.pop()),
            Part::TableFactor(TableFactor::Table { name, args: None, .. }) => self.table(name),
            Part::Expr(Expr::Identifier(name)) => self.bare(name),
            Part::Expr(Expr::CompoundIdentifier(names)) => {
                if let [table, column] = names.as_slice() {
                    self.qualified(table, column);
                }
            }
            _ => {}
        }
    }

    fn report(&mut self, finding: Finding) {
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    fn is_common_table(&self, name: &str) -> bool {
        self.frames.iter().any(|frame| frame.common(name).is_some())
    }

    fn table(&mut self, name: &ObjectName) {
        let Some(table) = scope::plain_name(name) else { return };
        // Databases answer about themselves, too.
        let is_inner = self.dialect == Dialect::Sqlite && table.to_ascii_lowercase().starts_with("sqlite_")
            || self.dialect == Dialect::Postgres && table.to_ascii_lowercase().starts_with("pg_");
        if is_inner || self.schema.table(table).is_some() || self.is_common_table(table) {
            return;
        }
        let near =
            near(table, self.schema.tables.iter().map(|table| (table.name.as_str(), table.name.clone())));
        self.report(Finding::UnknownTable { table: table.to_owned(), near });
    }

    fn bare(&mut self, name: &Ident) {
        // In double quotes, SQLite takes what is no column for a text.
        let may_be_text = self.dialect == Dialect::Sqlite && name.quote_style == Some('"');
        if !may_be_text {
            self.column(name);
        }
    }

    /// Names that are shown or added up. Nobody wants to see the same text in every row, so they are columns in any quotes.
    fn shown(&mut self, query: &Query) {
        let SetExpr::Select(select) = query.body.as_ref() else { return };
        for item in select.projection.iter().filter(|_| !select.from.is_empty()) {
            let expr = match item {
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => expr,
                _ => continue,
            };
            match expr {
                Expr::Identifier(name) => self.column(name),
                Expr::Function(call) if is_aggregate(&call.name) => {
                    let FunctionArguments::List(list) = &call.args else { continue };
                    for argument in &list.args {
                        if let FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(name))) = argument
                        {
                            self.column(name);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn column(&mut self, name: &Ident) {
        if is_special(&name.value, self.dialect) {
            return;
        }
        let sources = || self.frames.iter().flat_map(|frame| &frame.sources);
        let is_known = sources().any(|source| {
            source.columns.may_have(&name.value) || source.called.eq_ignore_ascii_case(&name.value)
        }) || self.frames.iter().any(|frame| frame.has_alias(&name.value));
        if is_known {
            return;
        }
        let mut candidates: Vec<(String, String)> = Vec::new();
        for source in sources() {
            for column in source.columns.names() {
                candidates.push((column.to_owned(), format!("{}.{column}", source.called)));
            }
        }
        let mut close =
            near(&name.value, candidates.iter().map(|(name, shown)| (name.as_str(), shown.clone())));
        // The very name in a table that is not in use means that a join is missing.
        for table in &self.schema.tables {
            if let Some(column) = table.column(&name.value) {
                close.push(format!("{}.{}", table.name, column.name));
            }
        }
        close.truncate(near::MOST);
        let mut read = sources();
        let table = match (read.next(), read.next()) {
            (Some(Source { columns: Columns::Table(table), .. }), None) => Some(table.name.clone()),
            _ => None,
        };
        self.report(Finding::UnknownColumn { column: name.value.clone(), table, near: close });
    }

    fn qualified(&mut self, table: &Ident, column: &Ident) {
        let found = self.frames.iter().rev().find_map(|frame| frame.source(&table.value));
        let Some(source) = found else {
            // It may be a column with fields rather than a table.
            let is_column = self
                .frames
                .iter()
                .any(|frame| frame.sources.iter().any(|source| source.columns.may_have(&table.value)));
            if is_column {
                return;
            }
            let finding = match self.schema.table(&table.value) {
                Some(known) => {
                    Finding::TableNotInUse { table: known.name.clone(), column: column.value.clone() }
                }
                None => {
                    let sources = self.frames.iter().flat_map(|frame| &frame.sources);
                    let near = near(
                        &table.value,
                        sources.map(|source| (source.called.as_str(), source.called.clone())),
                    );
                    Finding::UnknownTable { table: table.value.clone(), near }
                }
            };
            return self.report(finding);
        };
        if source.columns.may_have(&column.value) || is_special(&column.value, self.dialect) {
            return;
        }
        let called = match source.columns {
            Columns::Table(table) => table.name.clone(),
            Columns::Named(_) | Columns::Unknown => source.called.clone(),
        };
        let names = source.columns.names();
        let near = near(&column.value, names.iter().map(|name| (*name, format!("{called}.{name}"))));
        self.report(Finding::UnknownColumn { column: column.value.clone(), table: Some(called), near });
    }
}

fn is_aggregate(name: &ObjectName) -> bool {
    let name = scope::plain_name(name).unwrap_or_default();
    ["sum", "avg", "min", "max", "count", "total"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Names that mean something without being declared.
fn is_special(name: &str, dialect: Dialect) -> bool {
    let name = name.to_ascii_lowercase();
    match dialect {
        // `rank` is a column of every full-text table.
        Dialect::Sqlite => matches!(name.as_str(), "rowid" | "oid" | "_rowid_" | "rank"),
        Dialect::Postgres => {
            matches!(name.as_str(), "ctid" | "xmin" | "xmax" | "tableoid" | "user" | "current_user")
        }
        // Parts of dates are written like columns.
        Dialect::BigQuery => {
            let is_part = matches!(
                name.as_str(),
                "isoyear" | "isoweek" | "dayofweek" | "dayofyear" | "millisecond" | "date" | "time"
            );
            name.starts_with('_') || is_part || is_unit(&name)
        }
        Dialect::MySql => is_unit(&name) || name == "current_user",
        Dialect::DuckDb => matches!(name.as_str(), "rowid" | "user" | "current_user"),
    }
}

fn is_unit(name: &str) -> bool {
    matches!(
        name,
        "year" | "quarter" | "month" | "week" | "day" | "hour" | "minute" | "second" | "microsecond"
    )
}

#[cfg(test)]
mod tests;
