//! Definitions: an SQL expression that stands alone, as an expression of the plan language.
//!
//! What people call *revenue* or *an active customer* is one expression over columns of the schema. It is read with the
//! same parser, guard and lifter as whole statements, with every table of the schema in scope.

use sqlparser::ast::{Expr as Tree, Select as SelectTree, SelectItem, SetExpr};

use super::scope::{Columns, Scope, Source};
use super::{Lifter, RefCell};
use crate::plan::{ColumnRef, Condition, Expr};
use crate::schema::Schema;
use crate::sql::parts::{Part, walk};
use crate::sql::resolve::near::near;
use crate::sql::{Dialect, Refusal, guard};

/// What a defined word stands for. Columns are named under the tables' own names.
#[derive(Debug, Clone, PartialEq)]
pub enum Definition {
    /// A number for a group of rows: *revenue*.
    Measure(Expr),
    /// Which rows are meant: *active customers*.
    Rows(Condition),
}

/// Why an expression defines nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// The guard would not let it run.
    #[error("{0}")]
    Refused(Refusal),
    /// It is more, or less, than one expression.
    #[error("`{expression}` is not one expression")]
    NotOne {
        /// What was written.
        expression: String,
    },
    /// It has a query inside.
    #[error(
        "a definition may not have a query inside (hint: write it with columns and sum, count, avg, min, max)"
    )]
    Nested,
    /// The schema has no such table.
    #[error("there is no table `{table}`{}", did_you_mean(near))]
    NoTable {
        /// The table.
        table: String,
        /// Tables with names like it, nearest first.
        near: Vec<String>,
    },
    /// No table has such a column.
    #[error("there is no column `{column}`{}", did_you_mean(near))]
    NoColumn {
        /// The column, with its table where one was named.
        column: String,
        /// Columns with names like it, nearest first.
        near: Vec<String>,
    },
    /// A column stands in several tables.
    #[error("`{column}` is a column of several tables (hint: write {})", tables.join(" or "))]
    Ambiguous {
        /// The column.
        column: String,
        /// The column under each table that has it.
        tables: Vec<String>,
    },
    /// The plan language cannot say it with the same meaning.
    #[error(
        "`{expression}` is more than a definition can say (hint: use columns, numbers, + - * /, CASE, comparisons, and sum, \
         count, avg, min, max; where a quotient should keep its fraction, write 1.0 * before it)"
    )]
    Unsupported {
        /// What was written.
        expression: String,
    },
    /// It is a value of one row.
    #[error(
        "`{expression}` is neither a summary nor a condition (hint: write sum(…), count(…) or avg(…) for a metric, or a \
         comparison for a term)"
    )]
    OneRow {
        /// What was written.
        expression: String,
    },
    /// A metric uses a column outside its summaries.
    #[error(
        "`{column}` stands outside the summary (hint: put it inside sum(…), count(…), avg(…), min(…) or max(…))"
    )]
    Outside {
        /// The column.
        column: String,
    },
    /// It speaks of no table.
    #[error("`{expression}` names no column, so nothing says which rows are meant")]
    NoTables {
        /// What was written.
        expression: String,
    },
}

fn did_you_mean(near: &[String]) -> String {
    match near {
        [] => " (hint: `sqlogue schema` lists the tables and their columns)".to_owned(),
        near => {
            let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
            format!(" (hint: did you mean {}?)", near.join(" or "))
        }
    }
}

impl Definition {
    /// The expression that people wrote, checked against a schema.
    ///
    /// # Errors
    /// What is wrong with it, with what to do about it.
    pub fn read(expression: &str, schema: &Schema, dialect: Dialect) -> Result<Self, DefinitionError> {
        let expression = expression.trim();
        let checked =
            guard::check(&format!("SELECT {expression}"), dialect).map_err(DefinitionError::Refused)?;
        let not_one = || DefinitionError::NotOne { expression: expression.to_owned() };
        // Comments that end the line could hide what follows.
        if checked.sql().len() < expression.len() {
            return Err(not_one());
        }
        let query = checked.tree();
        let plain = query.with.is_none() && query.order_by.is_none() && query.limit_clause.is_none();
        let SetExpr::Select(select) = query.body.as_ref() else { return Err(not_one()) };
        let tree = alone(select).filter(|_| plain).ok_or_else(not_one)?;
        names(tree, schema)?;
        let lifter = Lifter { schema, dialect, keep_aliases: false, named: RefCell::default() };
        let sources = schema.tables.iter().map(|table| Source {
            called: table.name.clone(),
            name: table.name.clone(),
            columns: Columns::Table(table),
        });
        let scope = Scope { sources: sources.collect(), ..Scope::default() };
        let defined = lifter.defined(tree, &scope);
        let defined =
            defined.ok_or_else(|| DefinitionError::Unsupported { expression: expression.to_owned() })?;
        defined.sound(expression)
    }

    /// The columns that it speaks of.
    pub fn columns(&self) -> Vec<&ColumnRef> {
        match self {
            Self::Measure(expr) => expr.columns(),
            Self::Rows(condition) => condition.columns(),
        }
    }

    /// The tables that it speaks of, each once.
    pub fn tables(&self) -> Vec<&str> {
        let mut tables: Vec<&str> = Vec::new();
        for column in self.columns() {
            if !tables.contains(&column.table.as_str()) {
                tables.push(&column.table);
            }
        }
        tables
    }

    /// What makes sense of rows or of groups, and of nothing between.
    fn sound(self, expression: &str) -> Result<Self, DefinitionError> {
        let expression = || expression.to_owned();
        let windowed = match &self {
            Self::Measure(expr) => expr.is_windowed(),
            Self::Rows(condition) => condition.is_windowed(),
        };
        if windowed {
            return Err(DefinitionError::Unsupported { expression: expression() });
        }
        if self.columns().is_empty() {
            return Err(DefinitionError::NoTables { expression: expression() });
        }
        match &self {
            Self::Measure(expr) if !expr.is_aggregate() => {
                Err(DefinitionError::OneRow { expression: expression() })
            }
            Self::Measure(expr) => match outside(expr) {
                Some(column) => {
                    Err(DefinitionError::Outside { column: format!("{}.{}", column.table, column.column) })
                }
                None => Ok(self),
            },
            Self::Rows(condition) if condition.is_aggregate() => {
                Err(DefinitionError::Unsupported { expression: expression() })
            }
            Self::Rows(_) => Ok(self),
        }
    }
}

impl Lifter<'_> {
    fn defined(&self, tree: &Tree, scope: &Scope<'_>) -> Option<Definition> {
        // A comparison is a value too where truth is a number; as a condition it says more.
        match self.condition(tree, scope).filter(|_| !matches!(tree, Tree::Function(_))) {
            Some(condition) if !condition.is_aggregate() => Some(Definition::Rows(condition)),
            _ => self.expr(tree, scope).map(Definition::Measure),
        }
    }
}

/// A column of a measure that no summary is made of.
fn outside(expr: &Expr) -> Option<&ColumnRef> {
    match expr {
        Expr::Aggregate { .. } => None,
        Expr::Column(column) => Some(column),
        _ => expr.parts().into_iter().find_map(outside),
    }
}

/// The one expression of a selection that has nothing else.
fn alone(select: &SelectTree) -> Option<&Tree> {
    let bare = select.from.is_empty()
        && select.selection.is_none()
        && select.having.is_none()
        && select.distinct.is_none()
        && select.qualify.is_none();
    match select.projection.as_slice() {
        [SelectItem::UnnamedExpr(tree)] if bare => Some(tree),
        _ => None,
    }
}

/// Checks every name in an expression.
fn names(tree: &Tree, schema: &Schema) -> Result<(), DefinitionError> {
    walk(tree, |part| match part {
        Part::Expr(Tree::Subquery(_) | Tree::InSubquery { .. } | Tree::Exists { .. }) => {
            Err(DefinitionError::Nested)
        }
        Part::Expr(Tree::Identifier(name)) => bare(&name.value, schema),
        Part::Expr(Tree::CompoundIdentifier(parts)) => match parts.as_slice() {
            [table, column] => qualified(&table.value, &column.value, schema),
            _ => Ok(()),
        },
        _ => Ok(()),
    })
}

fn bare(column: &str, schema: &Schema) -> Result<(), DefinitionError> {
    let having = schema.tables.iter().filter(|table| table.column(column).is_some());
    let tables: Vec<String> = having.map(|table| format!("`{}.{column}`", table.name)).collect();
    match tables.len() {
        1 => Ok(()),
        0 => {
            let all = schema.tables.iter().flat_map(|table| {
                let shown = |name: &str| format!("{}.{name}", table.name);
                table.columns.iter().map(move |column| (column.name.as_str(), shown(&column.name)))
            });
            Err(DefinitionError::NoColumn { column: column.to_owned(), near: near(column, all) })
        }
        _ => Err(DefinitionError::Ambiguous { column: column.to_owned(), tables }),
    }
}

fn qualified(table: &str, column: &str, schema: &Schema) -> Result<(), DefinitionError> {
    let Some(known) = schema.table(table) else {
        let all = schema.tables.iter().map(|table| (table.name.as_str(), table.name.clone()));
        return Err(DefinitionError::NoTable { table: table.to_owned(), near: near(table, all) });
    };
    if known.column(column).is_some() {
        return Ok(());
    }
    let all = known.columns.iter().map(|one| (one.name.as_str(), format!("{}.{}", known.name, one.name)));
    Err(DefinitionError::NoColumn { column: format!("{table}.{column}"), near: near(column, all) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Column, ColumnType, Table};

    fn read(expression: &str) -> Result<Definition, DefinitionError> {
        let column = |name: &str| {
            let declared_type = if name == "price" { "REAL" } else { "INTEGER" };
            let column_type = if name == "status" { ColumnType::Text } else { ColumnType::Integer };
            Column {
                name: name.into(),
                declared_type: declared_type.into(),
                column_type,
                ..Column::default()
            }
        };
        let table = |name: &str, columns: &[&str]| Table {
            name: name.into(),
            columns: columns.iter().map(|name| column(name)).collect(),
            ..Table::default()
        };
        let tables = vec![table("lines", &["id", "price", "quantity"]), table("clients", &["id", "status"])];
        Definition::read(expression, &Schema { tables }, Dialect::Sqlite)
    }

    #[test]
    fn metrics_and_terms_are_told_apart() {
        for (expression, tables) in [
            ("sum(lines.price * quantity)", vec!["lines"]),
            ("sum(lines.price) / count(distinct clients.id)", vec!["lines", "clients"]),
            ("sum(case when quantity > 3 then price else 0 end)", vec!["lines"]),
        ] {
            let defined = read(expression).unwrap();
            assert!(matches!(defined, Definition::Measure(_)), "{expression}");
            let mut found = defined.tables();
            found.sort_by_key(|table| tables.iter().position(|other| other == table));
            assert_eq!(found.len(), tables.len(), "{expression}: {found:?}");
        }
        for expression in ["status = 'active'", "clients.status in ('a', 'b') and clients.id > 3"] {
            assert!(matches!(read(expression), Ok(Definition::Rows(_))), "{expression}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_what_to_do() {
        for (expression, said) in [
            ("sum(lines.prize)", "there is no column `lines.prize` (hint: did you mean `lines.price`?)"),
            ("sum(line.price)", "there is no table `line` (hint: did you mean `lines`?)"),
            ("count(id)", "`id` is a column of several tables (hint: write `lines.id` or `clients.id`)"),
            ("price * 2", "`price * 2` is neither a summary nor a condition"),
            ("sum(price) + quantity", "`lines.quantity` stands outside the summary"),
            ("(select 1)", "a definition may not have a query inside"),
            ("clients.id in (select id from lines)", "a definition may not have a query inside"),
            ("sum(price) from lines", "`sum(price) from lines` is not one expression"),
            ("price as total", "`price as total` is not one expression"),
            ("1 union select 2", "`1 union select 2` is not one expression"),
            ("sum(price), 1", "is not one expression"),
            ("1; drop table lines", "more than one statement"),
            ("load_extension('x')", "the function `load_extension` is not one of those a query may call"),
            ("sum(price", "cannot be parsed"),
            ("", ""),
            ("1 = 1", "names no column"),
            ("sum(price) over ()", "more than a definition can say"),
        ] {
            let error = read(expression).unwrap_err().to_string();
            assert!(error.contains(said), "{expression}: {error}");
        }
    }
}
