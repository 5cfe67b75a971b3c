//! Words that must be quoted where they name a table or a column.

/// Words reserved by SQLite, PostgreSQL or BigQuery, or by the parser that checks SQL.
///
/// One list for all: quoting a word too many is harmless, and a name then looks the same in every dialect.
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

/// True where `word` cannot stand unquoted as a name.
pub(super) fn is_reserved(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    RESERVED.binary_search(&word.as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(RESERVED.is_sorted());
        assert!(is_reserved("Order") && !is_reserved("orders"));
    }
}
