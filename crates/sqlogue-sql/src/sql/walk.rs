//! A walk over a query's tree for what must not be in it.

use sqlparser::ast::{BinaryOperator, Expr, Function, Ident, ObjectName, Query, SetExpr, TableFactor};

use super::Dialect;
use super::functions::{is_allowed, is_allowed_as_table};
use super::parts::{Part, walk};
use super::refusal::{Refusal, RefusalCode};

/// Refuses a query that anywhere writes, locks, calls what may not be called or reads the database's inside.
pub(super) fn inspect(query: &Query, dialect: Dialect) -> Result<(), Refusal> {
    let inspector = Inspector { dialect };
    walk(query, |part| match part {
        Part::Query(query) => Inspector::query(query),
        Part::Select(select) if select.into.is_some() => refuse(RefusalCode::WriteStatement),
        Part::Relation(relation) => inspector.relation(relation),
        Part::TableFactor(table) => inspector.source(table),
        Part::Expr(expr) => inspector.expr(expr),
        // The query itself is no statement to the walk, so this is one inside it.
        Part::Statement => refuse(RefusalCode::WriteStatement),
        Part::Select(_) | Part::EndOfQuery => Ok(()),
    })
}

struct Inspector {
    dialect: Dialect,
}

type Inspected = Result<(), Refusal>;

fn refuse(code: RefusalCode) -> Inspected {
    Err(Refusal::new(code))
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

    fn function(&self, function: &Function) -> Inspected {
        match self.plain(&function.name) {
            Some(name) if is_allowed(name, self.dialect) => Ok(()),
            _ => Err(Refusal::function(&function.name.to_string())),
        }
    }

    fn table_function(&self, name: &ObjectName) -> Inspected {
        match self.plain(name) {
            Some(plain) if is_allowed_as_table(plain, self.dialect) => Ok(()),
            _ => Err(Refusal::function(&name.to_string())),
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

impl Inspector {
    fn query(query: &Query) -> Inspected {
        if !query.locks.is_empty() {
            return refuse(RefusalCode::Locking);
        }
        if query.for_clause.is_some() || query.settings.is_some() || query.format_clause.is_some() {
            return Err(Refusal::syntax("a clause of another dialect"));
        }
        match query.body.as_ref() {
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                refuse(RefusalCode::WriteStatement)
            }
            body if names_table(body) => Err(Refusal::syntax("`TABLE` where it cannot stand")),
            _ => Ok(()),
        }
    }

    fn relation(&self, relation: &ObjectName) -> Inspected {
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
        if is_inside { refuse(RefusalCode::ForbiddenTable) } else { Ok(()) }
    }

    fn source(&self, table: &TableFactor) -> Inspected {
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
            | TableFactor::Unpivot { .. } => Ok(()),
            TableFactor::JsonTable { .. } if self.dialect == Dialect::MySql => Ok(()),
            _ => Err(Refusal::syntax("a source of rows that the dialect does not have")),
        }
    }

    fn expr(&self, expr: &Expr) -> Inspected {
        match expr {
            Expr::Function(function) => self.function(function),
            Expr::BinaryOp { op: BinaryOperator::StringConcat, .. } if self.dialect == Dialect::MySql => {
                Err(Refusal::syntax(
                    "`||` means `OR` to MySQL and joins texts elsewhere; write `OR`, or `concat(a, b)`",
                ))
            }
            _ => Ok(()),
        }
    }
}
