//! A walk over a query's tree for what must not be in it.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Function, Ident, ObjectName, Query, Select, SetExpr, Statement, TableFactor,
    Visit as _, Visitor,
};

use super::Dialect;
use super::functions::{is_allowed, is_allowed_as_table};
use super::refusal::{Refusal, RefusalCode};

/// Refuses a query that anywhere writes, locks, calls what may not be called or reads the database's inside.
pub(super) fn inspect(query: &Query, dialect: Dialect) -> Result<(), Refusal> {
    match query.visit(&mut Inspector { dialect }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(refusal) => Err(refusal),
    }
}

struct Inspector {
    dialect: Dialect,
}

type Flow = ControlFlow<Refusal>;

fn refuse(code: RefusalCode) -> Flow {
    ControlFlow::Break(Refusal::new(code))
}

impl Inspector {
    /// The name of a function without its quotes. A qualified name can be anybody's function, and gives none; so does
    /// one whose quotes keep capitals, where the database tells them apart.
    fn plain<'a>(&self, name: &'a ObjectName) -> Option<&'a str> {
        let [part] = name.0.as_slice() else { return None };
        let name = part.as_ident()?;
        let keeps_case = self.dialect == Dialect::Postgres && name.quote_style.is_some();
        let is_other = keeps_case && name.value.contains(|letter: char| letter.is_ascii_uppercase());
        (!is_other).then_some(&name.value)
    }

    fn function(&self, function: &Function) -> Flow {
        match self.plain(&function.name) {
            Some(name) if is_allowed(name, self.dialect) => Flow::Continue(()),
            _ => Flow::Break(Refusal::function(&function.name.to_string())),
        }
    }

    fn table_function(&self, name: &ObjectName) -> Flow {
        match self.plain(name) {
            Some(plain) if is_allowed_as_table(plain, self.dialect) => Flow::Continue(()),
            _ => Flow::Break(Refusal::function(&name.to_string())),
        }
    }
}

/// Whether a query is `TABLE x` in part. The visitor does not see the table of such a query, so none may pass; where it is
/// allowed, the grammar has made a `SELECT` of it before.
fn names_table(body: &SetExpr) -> bool {
    match body {
        SetExpr::Table(_) => true,
        SetExpr::SetOperation { left, right, .. } => names_table(left) || names_table(right),
        _ => false,
    }
}

/// What of its own schemas MySQL may be asked about: what there is, and nobody's password, statement or setting.
const MYSQL_CATALOG: &[&str] = &[
    "check_constraints",
    "columns",
    "key_column_usage",
    "referential_constraints",
    "schemata",
    "statistics",
    "table_constraints",
    "tables",
    "views",
];

fn is_inside_mysql(relation: &ObjectName) -> bool {
    let mut names = relation.0.iter().rev().filter_map(|part| part.as_ident());
    let (name, schema) = (names.next(), names.next());
    let lower = |name: Option<&Ident>| name.map(|name| name.value.to_ascii_lowercase()).unwrap_or_default();
    match lower(schema).as_str() {
        "mysql" | "performance_schema" | "sys" => true,
        "information_schema" => !MYSQL_CATALOG.contains(&lower(name).as_str()),
        _ => false,
    }
}

/// What of its own schemas DuckDB may be asked about: what there is, and no setting, secret or statement.
const DUCKDB_CATALOG: &[&str] = &[
    "character_sets",
    "columns",
    "constraint_column_usage",
    "key_column_usage",
    "referential_constraints",
    "schemata",
    "table_constraints",
    "tables",
    "views",
];

/// DuckDB takes a name that is no table for a file, in single quotes and in double ones. No table of a schema has such a name.
fn is_file_or_inside_duckdb(relation: &ObjectName) -> bool {
    let names: Vec<&Ident> = relation.0.iter().filter_map(|part| part.as_ident()).collect();
    let is_file = |name: &Ident| {
        name.quote_style == Some('\'') || name.value.contains(['.', '/', '\\', ':', '*', '?', '[', '~'])
    };
    if names.len() < relation.0.len() || names.iter().any(|name| is_file(name)) {
        return true;
    }
    let lower = |name: &Ident| name.value.to_ascii_lowercase();
    match names.iter().rev().map(|name| lower(name)).collect::<Vec<_>>().as_slice() {
        [name, schema, ..] if schema == "information_schema" => !DUCKDB_CATALOG.contains(&name.as_str()),
        names => {
            names.iter().skip(1).any(|name| matches!(name.as_str(), "pg_catalog" | "system" | "temp"))
                || names.first().is_some_and(|name| {
                    ["duckdb_", "pragma_", "pg_", "sqlite_"].iter().any(|prefix| name.starts_with(prefix))
                })
        }
    }
}

impl Visitor for Inspector {
    type Break = Refusal;

    // The query itself is no statement to the visitor, so this is one inside it.
    fn pre_visit_statement(&mut self, _: &Statement) -> Flow {
        refuse(RefusalCode::WriteStatement)
    }

    fn pre_visit_query(&mut self, query: &Query) -> Flow {
        if !query.locks.is_empty() {
            return refuse(RefusalCode::Locking);
        }
        if query.for_clause.is_some() || query.settings.is_some() || query.format_clause.is_some() {
            return Flow::Break(Refusal::syntax("a clause of another dialect"));
        }
        match query.body.as_ref() {
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                refuse(RefusalCode::WriteStatement)
            }
            body if names_table(body) => Flow::Break(Refusal::syntax("`TABLE` where it cannot stand")),
            _ => Flow::Continue(()),
        }
    }

    fn pre_visit_select(&mut self, select: &Select) -> Flow {
        if select.into.is_some() { refuse(RefusalCode::WriteStatement) } else { Flow::Continue(()) }
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> Flow {
        let last = relation.0.last().and_then(|part| part.as_ident());
        let name = last.map(|name| name.value.to_ascii_lowercase()).unwrap_or_default();
        let is_inside = match self.dialect {
            Dialect::Sqlite => {
                name.starts_with("pragma_")
                    || matches!(
                        name.as_str(),
                        "dbstat" | "sqlite_dbpage" | "sqlite_stmt" | "bytecode" | "tables_used"
                    )
            }
            Dialect::Postgres => {
                matches!(
                    name.as_str(),
                    "pg_authid"
                        | "pg_shadow"
                        | "pg_user_mapping"
                        | "pg_user_mappings"
                        | "pg_file_settings"
                        | "pg_hba_file_rules"
                        | "pg_settings"
                        | "pg_stat_activity"
                        | "pg_largeobject"
                        | "pg_subscription"
                        | "pg_stat_replication"
                        | "pg_stat_ssl"
                )
            }
            Dialect::BigQuery => false,
            Dialect::MySql => is_inside_mysql(relation),
            Dialect::DuckDb => is_file_or_inside_duckdb(relation),
        };
        if is_inside { refuse(RefusalCode::ForbiddenTable) } else { Flow::Continue(()) }
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> Flow {
        match table {
            TableFactor::Table { name, args: Some(_), .. } | TableFactor::Function { name, .. } => {
                self.table_function(name)
            }
            TableFactor::Table { .. }
            | TableFactor::Derived { .. }
            | TableFactor::NestedJoin { .. }
            | TableFactor::UNNEST { .. }
            | TableFactor::TableFunction { .. }
            | TableFactor::Pivot { .. }
            | TableFactor::Unpivot { .. } => Flow::Continue(()),
            TableFactor::JsonTable { .. } if self.dialect == Dialect::MySql => Flow::Continue(()),
            _ => Flow::Break(Refusal::syntax("a source of rows that the dialect does not have")),
        }
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> Flow {
        match expr {
            Expr::Function(function) => self.function(function),
            Expr::BinaryOp { op: BinaryOperator::StringConcat, .. } if self.dialect == Dialect::MySql => {
                Flow::Break(Refusal::syntax(
                    "`||` means `OR` to MySQL and joins texts elsewhere; write `OR`, or `concat(a, b)`",
                ))
            }
            _ => Flow::Continue(()),
        }
    }
}
