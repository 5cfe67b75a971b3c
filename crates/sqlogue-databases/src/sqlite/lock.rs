//! What SQLite itself forbids to the connection that runs queries.

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;

use sqlogue_sql::sql::functions::is_allowed_in_sqlite;

/// The longest text or blob in bytes. One call of a built-in function on a longer one can take minutes, during
/// which nothing can stop it.
pub(super) const LENGTH: i32 = 100_000;

/// The bytes that all of SQLite may take in this process, databases in memory left out. What was freed in small pieces
/// is not always there for a large one, so that the process can take about twice as much.
pub(super) const HEAP: i64 = 128 << 20;

/// How many threads may sort for a query beside the one that reads: what is sorted comes in pieces, and one is sorted while
/// the next is read. Nothing of ours runs in them.
const SORTING_THREADS: i32 = 1;

/// Takes from a connection everything but reading, for good.
pub(super) fn lock_down(connection: &mut Connection) -> rusqlite::Result<()> {
    for (setting, value) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false),
    ] {
        connection.set_db_config(setting, value)?;
    }
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, LENGTH),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, LENGTH),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 400),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
        (Limit::SQLITE_LIMIT_VDBE_OP, 100_000),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 100),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 100),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, SORTING_THREADS),
    ] {
        connection.set_limit(limit, value)?;
    }
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.authorizer(Some(authorize))
}

/// An allow-list: what is not reading is refused, whatever SQLite learns to do later.
fn authorize(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Read { table_name, .. } if is_readable(table_name) => Authorization::Allow,
        AuthAction::Function { function_name } if is_allowed_in_sqlite(function_name) => Authorization::Allow,
        // Full-text search asks for it to see whether its index is still current.
        AuthAction::Pragma { pragma_name: "data_version", pragma_value: None } => Authorization::Allow,
        _ => Authorization::Deny,
    }
}

fn is_readable(table: &str) -> bool {
    let table = table.to_ascii_lowercase();
    // What tables there are is no secret; the other tables of SQLite's own tell of settings, pages and statements.
    let is_list =
        matches!(table.as_str(), "sqlite_master" | "sqlite_schema" | "sqlite_sequence" | "sqlite_stat1");
    let is_inner = table.starts_with("sqlite_")
        || table.starts_with("pragma_")
        || matches!(table.as_str(), "dbstat" | "bytecode" | "tables_used");
    is_list || !is_inner
}
