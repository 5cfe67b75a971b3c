//! The functions that a query may call.

use super::Dialect;

/// Which of SQLite's built-in functions may be called: those that read their arguments, and nothing else.
///
/// Left out are those that load code (`load_extension`), touch files (`readfile`, `writefile`, `edit`), write to
/// the log (`sqlite_log`), take pointers (`fts3_tokenizer`), change an index (`optimize`) or tell how SQLite was
/// built. Sorted, so that it can be searched by halves.
#[rustfmt::skip] // One word a line would fill pages.
const SQLITE: &[&str] = &[
    "->", "->>", "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "avg", "bm25", "ceil",
    "ceiling", "changes", "char", "coalesce", "concat", "concat_ws", "cos", "cosh", "count", "cume_dist",
    "current_date", "current_time", "current_timestamp", "date", "datetime", "degrees", "dense_rank",
    "exp", "first_value", "floor", "format", "geopoly_area", "geopoly_bbox", "geopoly_blob",
    "geopoly_contains_point", "geopoly_json", "geopoly_overlap", "geopoly_within", "glob", "group_concat",
    "hex", "highlight", "if", "ifnull", "iif", "instr", "json", "json_array", "json_array_insert",
    "json_array_length", "json_each", "json_error_position", "json_extract", "json_group_array",
    "json_group_object", "json_insert", "json_object", "json_patch", "json_pretty", "json_quote",
    "json_remove", "json_replace", "json_set", "json_tree", "json_type", "json_valid", "jsonb",
    "jsonb_array", "jsonb_array_insert", "jsonb_each", "jsonb_extract", "jsonb_group_array",
    "jsonb_group_object", "jsonb_insert", "jsonb_object", "jsonb_patch", "jsonb_remove", "jsonb_replace",
    "jsonb_set", "jsonb_tree", "julianday", "lag", "last_insert_rowid", "last_value", "lead", "length",
    "like", "likelihood", "likely", "ln", "log", "log10", "log2", "lower", "ltrim", "match", "matchinfo",
    "max", "median", "min", "mod", "nth_value", "ntile", "nullif", "octet_length", "offsets",
    "percent_rank", "percentile", "percentile_cont", "percentile_disc", "pi", "pow", "power", "printf",
    "quote", "radians", "random", "randomblob", "rank", "regexp", "replace", "round", "row_number",
    "rtrim", "sign", "sin", "sinh", "snippet", "soundex", "sqlite_version", "sqrt", "strftime",
    "string_agg", "substr", "substring", "subtype", "sum", "tan", "tanh", "time", "timediff", "total",
    "total_changes", "trim", "trunc", "typeof", "unhex", "unicode", "unistr", "unistr_quote", "unixepoch",
    "unlikely", "upper", "zeroblob",
];

/// What PostgreSQL may call: functions that compute from their arguments, none that sleeps, locks, reads files or settings,
/// or sends anything anywhere.
#[rustfmt::skip] // One word a line would fill pages.
const POSTGRES: &[&str] = &[
    "abs", "acos", "acosd", "age", "any_value", "array_agg", "array_cat", "array_length",
    "array_position", "array_remove", "array_to_string", "ascii", "asin", "asind", "atan", "atan2",
    "atand", "avg", "bit_and", "bit_length", "bit_or", "bool_and", "bool_or", "btrim", "cardinality",
    "cbrt", "ceil", "ceiling", "char_length", "character_length", "chr", "clock_timestamp", "coalesce",
    "concat", "concat_ws", "convert_from", "corr", "cos", "cosd", "cot", "count", "covar_pop", "covar_samp",
    "cume_dist", "current_date", "current_time", "current_timestamp", "date", "date_bin", "date_part",
    "date_trunc", "decode", "degrees", "dense_rank", "div", "encode", "every", "exp", "extract",
    "factorial", "first_value", "floor", "format", "gcd", "gen_random_uuid", "generate_series", "generate_subscripts",
    "greatest", "grouping", "initcap", "isfinite", "json_agg", "json_array_elements",
    "json_array_elements_text", "json_array_length", "json_build_array", "json_build_object", "json_each",
    "json_each_text", "json_extract_path", "json_extract_path_text", "json_object", "json_object_agg",
    "json_object_keys", "json_typeof", "jsonb_agg", "jsonb_array_elements", "jsonb_array_elements_text",
    "jsonb_array_length", "jsonb_build_array", "jsonb_build_object", "jsonb_each", "jsonb_each_text",
    "jsonb_extract_path", "jsonb_extract_path_text", "jsonb_object", "jsonb_object_agg",
    "jsonb_object_keys", "jsonb_path_exists", "jsonb_path_query", "jsonb_path_query_array",
    "jsonb_path_query_first", "jsonb_pretty", "jsonb_strip_nulls", "jsonb_typeof", "justify_days",
    "justify_hours", "justify_interval", "lag", "last_value", "lcm", "lead", "least", "left", "length",
    "ln", "localtime", "localtimestamp", "log", "log10", "lower", "lpad", "ltrim", "make_date",
    "make_interval", "make_time", "make_timestamp", "make_timestamptz", "max", "md5", "min", "min_scale",
    "mod", "mode", "normalize", "now", "nth_value", "ntile", "nullif", "numnode", "octet_length",
    "overlay", "percent_rank", "percentile_cont", "percentile_disc", "phraseto_tsquery", "pi",
    "plainto_tsquery", "position", "power", "quote_ident", "quote_literal", "quote_nullable", "radians",
    "random", "rank", "regexp_count", "regexp_instr", "regexp_like", "regexp_match", "regexp_matches",
    "regexp_replace", "regexp_split_to_array", "regexp_split_to_table", "regexp_substr", "regr_avgx",
    "regr_avgy", "regr_count", "regr_intercept", "regr_r2", "regr_slope", "repeat", "replace", "reverse",
    "right", "round", "row_number", "row_to_json", "rpad", "rtrim", "scale", "sha256", "sign", "sin",
    "sind", "split_part", "sqrt", "starts_with", "statement_timestamp", "stddev", "stddev_pop", "stddev_samp", "string_agg",
    "string_to_array", "string_to_table", "strpos", "substr", "substring", "sum", "tan", "tand",
    "timeofday", "timezone", "to_ascii", "to_char", "to_date", "to_hex", "to_json", "to_jsonb",
    "to_number", "to_timestamp", "to_tsquery", "to_tsvector", "transaction_timestamp", "translate", "trim", "trim_scale", "trunc",
    "ts_headline", "ts_rank", "unnest", "upper", "var_pop", "var_samp", "variance", "version",
    "websearch_to_tsquery", "width_bucket",
];

/// What BigQuery may call: functions that compute from their arguments, none that reaches out of the query.
#[rustfmt::skip] // One word a line would fill pages.
const BIGQUERY: &[&str] = &[
    "abs", "acos", "acosh", "any_value", "approx_count_distinct", "approx_quantiles", "approx_top_count",
    "approx_top_sum", "array_agg", "array_concat", "array_concat_agg", "array_length", "array_reverse",
    "array_to_string", "ascii", "asin", "asinh", "atan", "atan2", "atanh", "avg", "bit_and", "bit_count",
    "bit_or", "bit_xor", "byte_length", "cast", "cbrt", "ceil", "ceiling", "char_length",
    "character_length", "chr", "coalesce", "code_points_to_bytes", "code_points_to_string", "collate",
    "concat", "contains_substr", "corr", "cos", "cosh", "cot", "count", "countif", "covar_pop",
    "covar_samp", "cume_dist", "current_date", "current_datetime", "current_time", "current_timestamp",
    "date", "date_add", "date_bucket", "date_diff", "date_from_unix_date", "date_sub", "date_trunc",
    "datetime", "datetime_add", "datetime_diff", "datetime_sub", "datetime_trunc", "dense_rank", "div",
    "ends_with", "exp", "extract", "farm_fingerprint", "first_value", "floor", "format", "format_date",
    "format_datetime", "format_time", "format_timestamp", "from_base64", "from_hex", "generate_array",
    "generate_date_array", "generate_timestamp_array", "greatest", "grouping", "ieee_divide", "if",
    "ifnull", "initcap", "instr", "is_inf", "is_nan", "json_extract", "json_extract_array",
    "json_extract_scalar", "json_query", "json_query_array", "json_type", "json_value",
    "json_value_array", "lag", "last_day", "last_value", "lead", "least", "left", "length", "ln", "log",
    "log10", "logical_and", "logical_or", "lower", "lpad", "ltrim", "max", "max_by", "md5", "min",
    "min_by", "mod", "normalize", "normalize_and_casefold", "nth_value", "ntile", "nullif",
    "octet_length", "offset", "ordinal", "parse_date", "parse_datetime", "parse_json", "parse_time",
    "parse_timestamp", "percent_rank", "percentile_cont", "percentile_disc", "pow", "power", "rand",
    "range_bucket", "rank", "regexp_contains", "regexp_extract", "regexp_extract_all", "regexp_instr",
    "regexp_replace", "regexp_substr", "repeat", "replace", "reverse", "right", "round", "row_number",
    "rpad", "rtrim", "safe_add", "safe_cast", "safe_divide", "safe_multiply", "safe_negate",
    "safe_offset", "safe_ordinal", "safe_subtract", "sha1", "sha256", "sha512", "sign", "sin", "sinh",
    "soundex", "split", "sqrt", "st_area", "st_asgeojson", "st_astext", "st_contains", "st_distance",
    "st_dwithin", "st_geogfromtext", "st_geogpoint", "st_intersects", "st_length", "st_within",
    "starts_with", "stddev", "stddev_pop", "stddev_samp", "string", "string_agg", "strpos", "struct",
    "substr", "substring", "sum", "tan", "tanh", "time", "time_add", "time_diff", "time_sub",
    "time_trunc", "timestamp", "timestamp_add", "timestamp_diff", "timestamp_micros", "timestamp_millis",
    "timestamp_seconds", "timestamp_sub", "timestamp_trunc", "to_base64", "to_code_points", "to_hex",
    "to_json", "to_json_string", "translate", "trim", "trunc", "unicode", "unix_date", "unix_micros",
    "unix_millis", "unix_seconds", "unnest", "upper", "var_pop", "var_samp", "variance", "week",
];

/// What MySQL and MariaDB may call: functions that compute from their arguments, none that sleeps, locks, reads files, settings
/// or other people's sessions, or counts something up. Not every server has each of them.
#[rustfmt::skip] // One word a line would fill pages.
const MYSQL: &[&str] = &[
    "abs", "acos", "adddate", "addtime", "any_value", "ascii", "asin", "atan", "atan2", "avg", "bin",
    "bit_and", "bit_count", "bit_length", "bit_or", "bit_xor", "cast", "ceil", "ceiling", "char",
    "char_length", "character_length", "coalesce", "concat", "concat_ws", "conv", "convert", "convert_tz",
    "cos", "cot", "count", "crc32", "cume_dist", "curdate", "current_date", "current_time",
    "current_timestamp", "curtime", "date", "date_add", "date_format", "date_sub", "datediff", "day",
    "dayname", "dayofmonth", "dayofweek", "dayofyear", "degrees", "dense_rank", "elt", "exp", "extract",
    "field", "find_in_set", "first_value", "floor", "format", "from_base64", "from_days", "from_unixtime",
    "greatest", "group_concat", "grouping", "hex", "hour", "if", "ifnull", "inet6_aton", "inet6_ntoa",
    "inet_aton", "inet_ntoa", "instr", "is_ipv4", "is_ipv6", "isnull", "json_array",
    "json_arrayagg", "json_contains", "json_contains_path", "json_depth", "json_exists", "json_extract",
    "json_insert", "json_keys", "json_length", "json_merge_patch", "json_merge_preserve", "json_object",
    "json_objectagg", "json_overlaps", "json_pretty", "json_quote", "json_remove", "json_replace",
    "json_search", "json_set", "json_type", "json_unquote", "json_valid", "json_value", "lag", "last_day",
    "last_value", "lcase", "lead", "least", "left", "length", "ln", "localtime", "localtimestamp", "locate",
    "log", "log10", "log2", "lower", "lpad", "ltrim", "makedate", "maketime", "max", "md5", "median",
    "microsecond", "mid", "min", "minute", "mod", "month", "monthname", "now", "nth_value", "ntile",
    "nullif", "nvl", "nvl2", "oct", "octet_length", "ord", "percent_rank", "percentile_cont",
    "percentile_disc", "period_add", "period_diff", "pi", "point", "position", "pow", "power", "quarter",
    "quote", "radians", "rand", "rank", "regexp_instr", "regexp_like", "regexp_replace", "regexp_substr",
    "repeat", "replace", "reverse", "right", "round", "row", "row_number", "rpad", "rtrim", "sec_to_time",
    "second", "sha", "sha1", "sha2", "sign", "sin", "soundex", "space", "sqrt", "st_area", "st_asgeojson",
    "st_astext", "st_contains", "st_distance", "st_distance_sphere", "st_geomfromtext", "st_intersects",
    "st_length", "st_within", "st_x", "st_y", "std", "stddev", "stddev_pop", "stddev_samp", "str_to_date",
    "strcmp", "subdate", "substr", "substring", "substring_index", "subtime", "sum", "tan", "time",
    "time_format", "time_to_sec", "timediff", "timestamp", "timestampadd", "timestampdiff", "to_base64",
    "to_days", "to_seconds", "trim", "truncate", "ucase", "unhex", "unix_timestamp", "upper", "utc_date",
    "utc_time", "utc_timestamp", "var_pop", "var_samp", "variance", "version", "week", "weekday",
    "weekofyear", "weight_string", "year", "yearweek",
];

/// What DuckDB may call: functions that compute from their arguments, none that sleeps, reads files, settings, secrets or
/// other sessions, runs a text as SQL, writes a log, or counts something up.
#[rustfmt::skip] // One word a line would fill pages.
const DUCKDB: &[&str] = &[
    "abs", "acos", "acosh", "add", "age", "any_value", "approx_count_distinct", "approx_quantile",
    "approx_top_k", "arbitrary", "arg_max", "arg_max_null", "arg_min", "arg_min_null", "argmax", "argmin",
    "array_agg", "array_append", "array_cat", "array_concat", "array_contains", "array_distinct",
    "array_extract", "array_has", "array_has_all", "array_has_any", "array_intersect", "array_length",
    "array_position", "array_prepend", "array_reverse", "array_slice", "array_sort", "array_to_string",
    "array_unique", "array_value", "ascii", "asin", "asinh", "atan", "atan2", "atanh", "avg", "base64", "bin",
    "bit_and", "bit_count", "bit_length", "bit_or", "bit_xor", "bool_and", "bool_or", "cardinality", "cbrt",
    "ceil", "ceiling", "century", "char_length", "character_length", "chr", "coalesce", "concat", "concat_ws",
    "contains", "corr", "cos", "cosh", "cot", "count", "count_if", "count_star", "countif", "covar_pop",
    "covar_samp", "cume_dist", "current_date", "current_localtime", "current_localtimestamp", "current_time",
    "current_timestamp", "damerau_levenshtein", "date_add", "date_diff", "date_part", "date_sub", "date_trunc",
    "datediff", "datepart", "datesub", "datetrunc", "day", "dayname", "dayofmonth", "dayofweek", "dayofyear",
    "days_in_month", "decade", "decode", "degrees", "dense_rank", "divide", "element_at", "encode", "ends_with",
    "entropy", "enum_code", "enum_first", "enum_last", "enum_range", "epoch", "epoch_ms", "epoch_ns",
    "epoch_us", "era", "even", "exp", "extract", "factorial", "favg", "fdiv", "first", "first_value", "flatten",
    "floor", "fmod", "format", "format_bytes", "from_base64", "from_hex", "fsum", "gamma", "gcd",
    "gen_random_uuid", "generate_series", "generate_subscripts", "geomean", "geometric_mean",
    "get_current_time", "get_current_timestamp", "greatest", "greatest_common_divisor", "group_concat",
    "grouping", "grouping_id", "hamming", "hash", "hex", "histogram", "hour", "if", "ifnull", "instr",
    "isfinite", "isinf", "isnan", "isodow", "isoyear", "jaccard", "jaro_similarity", "jaro_winkler_similarity",
    "json_array", "json_array_length", "json_contains", "json_each", "json_exists", "json_extract",
    "json_extract_path", "json_extract_path_text", "json_extract_string", "json_group_array",
    "json_group_object", "json_keys", "json_merge_patch", "json_object", "json_pretty", "json_quote",
    "json_structure", "json_tree", "json_type", "json_valid", "json_value", "julian", "kahan_sum", "kurtosis",
    "kurtosis_pop", "lag", "last", "last_day", "last_value", "lcase", "lcm", "lead", "least",
    "least_common_multiple", "left", "len", "length", "levenshtein", "lgamma", "list", "list_aggregate",
    "list_any_value", "list_append", "list_avg", "list_concat", "list_contains", "list_count", "list_distinct",
    "list_element", "list_extract", "list_filter", "list_first", "list_has", "list_has_all", "list_has_any",
    "list_intersect", "list_last", "list_max", "list_median", "list_min", "list_position", "list_prepend",
    "list_reduce", "list_reverse", "list_reverse_sort", "list_slice", "list_sort", "list_sum", "list_transform",
    "list_unique", "list_value", "list_zip", "listagg", "ln", "log", "log10", "log2", "lower", "lpad", "ltrim",
    "mad", "make_date", "make_time", "make_timestamp", "make_timestamp_ms", "make_timestamptz", "map",
    "map_concat", "map_contains", "map_entries", "map_extract", "map_from_entries", "map_keys", "map_values",
    "max", "max_by", "md5", "mean", "median", "microsecond", "millennium", "millisecond", "min", "min_by",
    "minute", "mismatches", "mod", "mode", "month", "monthname", "multiply", "nanosecond", "now", "nth_value",
    "ntile", "nullif", "nvl", "octet_length", "ord", "overlay", "percent_rank", "percentile_cont",
    "percentile_disc", "pi", "position", "pow", "power", "prefix", "printf", "product", "quantile",
    "quantile_cont", "quantile_disc", "quarter", "radians", "random", "range", "rank", "rank_dense",
    "regexp_escape", "regexp_extract", "regexp_extract_all", "regexp_full_match", "regexp_matches",
    "regexp_replace", "regexp_split_to_array", "regexp_split_to_table", "regr_avgx", "regr_avgy", "regr_count",
    "regr_intercept", "regr_r2", "regr_slope", "regr_sxx", "regr_sxy", "regr_syy", "repeat", "replace",
    "reverse", "right", "round", "round_even", "row", "row_number", "row_to_json", "rpad", "rtrim", "second",
    "sem", "sha1", "sha256", "sign", "sin", "sinh", "skewness", "split", "split_part", "sqrt", "starts_with",
    "stddev", "stddev_pop", "stddev_samp", "str_split", "str_split_regex", "strftime", "string_agg",
    "string_split", "string_split_regex", "string_to_array", "strip_accents", "strlen", "strpos", "strptime",
    "struct_extract", "struct_pack", "substr", "substring", "subtract", "suffix", "sum", "sum_no_overflow",
    "sumkahan", "tan", "tanh", "time_bucket", "timezone", "to_base64", "to_centuries", "to_days", "to_decades",
    "to_hours", "to_json", "to_microseconds", "to_milliseconds", "to_minutes", "to_months", "to_quarters",
    "to_seconds", "to_timestamp", "to_weeks", "to_years", "today", "transaction_timestamp", "translate", "trim",
    "trunc", "try_strptime", "typeof", "ucase", "unhex", "unicode", "unnest", "upper", "url_decode",
    "url_encode", "uuid", "var_pop", "var_samp", "variance", "version", "wavg", "week", "weekday", "weekofyear",
    "weighted_avg", "xor", "year", "yearweek",
];

/// The functions of DuckDB that may stand for a table.
const DUCKDB_TABLES: &[&str] =
    &["generate_series", "json_each", "json_tree", "range", "regexp_split_to_table", "unnest"];

/// The functions of SQLite that may stand for a table.
const SQLITE_TABLES: &[&str] = &["json_each", "json_tree", "jsonb_each", "jsonb_tree"];

/// True where a query on SQLite may call the function.
pub fn is_allowed_in_sqlite(function: &str) -> bool {
    contains(SQLITE, function)
}

/// True where a query may call the function.
pub fn is_allowed(function: &str, dialect: Dialect) -> bool {
    match dialect {
        Dialect::Sqlite => is_allowed_in_sqlite(function),
        Dialect::Postgres => contains(POSTGRES, function),
        Dialect::BigQuery => contains(BIGQUERY, function),
        Dialect::MySql => contains(MYSQL, function),
        Dialect::DuckDb => contains(DUCKDB, function),
    }
}

/// True where a query may call the function in the place of a table.
pub(super) fn is_allowed_as_table(function: &str, dialect: Dialect) -> bool {
    match dialect {
        Dialect::Sqlite => contains(SQLITE_TABLES, function),
        Dialect::Postgres | Dialect::BigQuery => is_allowed(function, dialect),
        // `JSON_TABLE` is all there is, and the grammar knows it by itself.
        Dialect::MySql => false,
        Dialect::DuckDb => contains(DUCKDB_TABLES, function),
    }
}

fn contains(list: &[&str], function: &str) -> bool {
    let function = function.to_ascii_lowercase();
    list.binary_search(&function.as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        for list in [SQLITE, POSTGRES, BIGQUERY, MYSQL, DUCKDB, DUCKDB_TABLES, SQLITE_TABLES] {
            let wrong: Vec<_> = list.windows(2).filter(|pair| pair[0] >= pair[1]).collect();
            assert!(wrong.is_empty(), "{wrong:?}");
        }
    }
}
