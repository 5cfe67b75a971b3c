//! Words that must be quoted where they name a table or a column.

use super::Dialect;

/// Words reserved by SQLite, PostgreSQL or BigQuery, or by the parser that checks SQL.
///
/// One list for all, but for what MySQL adds to it: quoting a word too many is harmless, and a name then looks the same in every dialect.
/// Sorted, so that it can be searched by halves.
#[rustfmt::skip] // One word a line would fill pages.
const RESERVED: &[&str] = &[
    "add", "all", "alter", "analyse", "analyze", "and", "any", "apply", "array", "as", "asc", "asof",
    "assert_rows_modified", "asymmetric", "at", "authorization", "autoincrement", "begin", "between",
    "both", "by", "case", "cast", "check", "cluster", "collate", "collation", "column", "commit",
    "concurrently", "connect", "constraint", "contains", "create", "cross", "cube", "current",
    "current_catalog", "current_date", "current_role", "current_schema", "current_time",
    "current_timestamp", "current_user", "database", "default", "deferrable", "define", "delete", "desc",
    "describe", "distinct", "distribute", "do", "drop", "else", "end", "end-exec", "enum", "escape",
    "except", "exclude", "exists", "explain", "extract", "false", "fetch", "final", "following", "for",
    "foreign", "format", "freeze", "from", "full", "glob", "global", "grant", "group", "grouping",
    "groups", "hash", "having", "if", "ignore", "ilike", "in", "index", "initially", "inner", "insert",
    "intersect", "interval", "into", "is", "isnull", "join", "lateral", "leading", "left", "like",
    "limit", "localtime", "localtimestamp", "lookup", "match", "match_recognize", "materialized", "merge",
    "minus", "natural", "new", "no", "not", "nothing", "notnull", "null", "nulls", "of", "offset", "on",
    "only", "open", "or", "order", "outer", "over", "overlaps", "partition", "pivot", "placing", "pragma",
    "preceding", "prewhere", "primary", "proto", "qualify", "raise", "range", "recursive", "references",
    "regexp", "respect", "returning", "right", "rlike", "rollup", "row", "rows", "sample", "select",
    "semi", "session_user", "set", "settings", "similar", "some", "sort", "start", "struct", "symmetric",
    "table", "tablesample", "then", "to", "top", "trailing", "transaction", "treat", "trigger", "trim",
    "true", "try_cast", "unbounded", "union", "unique", "unnest", "unpivot", "update", "user", "using",
    "vacuum", "values", "variadic", "verbose", "view", "when", "where", "window", "with", "within",
    "without",
];

/// What MySQL and MariaDB reserve besides. These are words that people call columns by (`key`, `read`, `rank`), so that they
/// are quoted only there.
#[rustfmt::skip] // One word a line would fill pages.
const RESERVED_IN_MYSQL: &[&str] = &[
    "accessible", "asensitive", "before", "bigint", "binary", "blob", "call", "cascade", "change", "char",
    "character", "condition", "continue", "convert", "cume_dist", "cursor", "databases", "day_hour",
    "day_microsecond", "day_minute", "day_second", "dec", "decimal", "declare", "delayed",
    "delete_domain_id", "dense_rank", "deterministic", "distinctrow", "div", "do_domain_ids", "double",
    "dual", "each", "elseif", "empty", "enclosed", "escaped", "exit", "first_value", "float", "float4",
    "float8", "force", "fulltext", "function", "generated", "get", "high_priority", "hour_microsecond",
    "hour_minute", "hour_second", "ignore_domain_ids", "infile", "inout", "insensitive", "int", "int1",
    "int2", "int3", "int4", "int8", "integer", "io_after_gtids", "io_before_gtids", "iterate", "json_table",
    "key", "keys", "kill", "lag", "last_value", "lead", "leave", "library", "linear", "lines", "load",
    "lock", "long", "longblob", "longtext", "loop", "low_priority", "manual", "master_bind",
    "master_demote_to_replica", "master_demote_to_slave", "master_ssl_verify_server_cert", "maxvalue",
    "mediumblob", "mediumint", "mediumtext", "middleint", "minute_microsecond", "minute_second", "mod",
    "modifies", "no_write_to_binlog", "nth_value", "ntile", "numeric", "optimize", "optimizer_costs",
    "optionally", "out", "outfile", "page_checksum", "parallel", "parse_vcol_expr", "percent_rank",
    "portion", "precision", "procedure", "purge", "rank", "read", "read_write", "reads", "real",
    "ref_system_id", "release", "rename", "repeat", "replace", "require", "resignal", "restrict", "return",
    "revoke", "row_number", "schemas", "second_microsecond", "sensitive", "separator", "show", "signal",
    "smallint", "spatial", "specific", "sql", "sql_after_gtids", "sql_before_gtids", "sql_big_result",
    "sql_buffer_result", "sql_cache", "sql_calc_found_rows", "sql_no_cache", "sql_small_result",
    "sqlexception", "sqlstate", "sqlwarning", "ssl", "starting", "stats_auto_recalc", "stats_persistent",
    "stats_sample_pages", "stored", "straight_join", "system", "terminated", "tinyblob", "tinyint",
    "tinytext", "undo", "unlock", "unsigned", "usage", "use", "utc_date", "utc_time", "utc_timestamp",
    "varbinary", "varchar", "varcharacter", "varying", "virtual", "while", "write", "xor", "year_month",
    "zerofill",
];

/// What DuckDB reserves besides.
const RESERVED_IN_DUCKDB: &[&str] = &[
    "anti",
    "binary",
    "columns",
    "generated",
    "lambda",
    "map",
    "pivot_longer",
    "pivot_wider",
    "positional",
    "qualify",
    "show",
    "summarize",
    "unpack",
];

/// True where `word` cannot stand unquoted as a name.
pub(super) fn is_reserved(word: &str, dialect: Dialect) -> bool {
    let word = word.to_ascii_lowercase();
    let is_in = |list: &[&str]| list.binary_search(&word.as_str()).is_ok();
    is_in(RESERVED)
        || dialect == Dialect::MySql && is_in(RESERVED_IN_MYSQL)
        || dialect == Dialect::DuckDb && is_in(RESERVED_IN_DUCKDB)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(RESERVED.is_sorted() && RESERVED_IN_MYSQL.is_sorted() && RESERVED_IN_DUCKDB.is_sorted());
        for dialect in Dialect::ALL {
            assert!(is_reserved("Order", dialect) && !is_reserved("orders", dialect));
            assert_eq!(is_reserved("Rank", dialect), dialect == Dialect::MySql);
        }
    }
}
