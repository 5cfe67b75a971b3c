//! A result of which rows are missing says so, in every format and to everybody who reads it.

use std::fs;

use crate::cli_kit::call;
use crate::support::File;

const NUMBERS: &str = "
    CREATE TABLE numbers (n INTEGER);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) INSERT INTO numbers SELECT i FROM n;
";

const ALL: &str = "SELECT n FROM numbers";

fn numbers() -> File {
    let file = File::new("numbers.db", NUMBERS);
    fs::write(file.folder().join("sqlogue.toml"), "database = 'numbers.db'\nmax_rows = 30\n").unwrap();
    file
}

#[test]
fn programs_are_told_on_standard_error() {
    let file = numbers();
    for format in ["csv", "jsonl", "markdown"] {
        let cut = call(file.folder(), &["ask", ALL, "--format", format], "");
        assert_eq!(cut.code, 0, "{cut:?}");
        assert_eq!(
            cut.stderr,
            "note: only the first 30 rows; `max_rows` in the settings, or `SQLOGUE_MAX_ROWS=ROWS`, allows more.\n",
            "{format}"
        );
        let shown = call(file.folder(), &["ask", ALL, "--format", format, "--result-limit", "5"], "");
        assert_eq!(
            shown.stderr, "note: 5 of more than 30 rows; `--result-limit ROWS` shows more.\n",
            "{format}"
        );
        let whole = call(file.folder(), &["ask", "SELECT n FROM numbers LIMIT 3", "--format", format], "");
        assert_eq!(whole.stderr, "", "{format}");
        let chat = call(file.folder(), &["chat", "--format", format], &format!("{ALL}\n"));
        assert!(chat.stderr.contains("the first 30 rows"), "{chat:?}");
    }
    let json = call(file.folder(), &["ask", ALL, "--format", "json"], "");
    assert_eq!(json.lines()[0]["truncated"], true);
}

#[test]
fn markdown_and_tables_say_it_in_the_text() {
    let file = numbers();
    let markdown = call(file.folder(), &["ask", ALL, "--format", "markdown"], "");
    assert!(markdown.stdout.ends_with("| 30 |\n\n(the first 30 rows; there are more)\n"), "{markdown:?}");
    let table = call(file.folder(), &["ask", ALL, "--result-limit", "5"], "");
    assert!(table.stdout.contains("5 of more than 30 rows ("), "{table:?}");
}

#[test]
fn exports_say_it() {
    let file = numbers();
    let chat = call(
        file.folder(),
        &["chat"],
        &format!("{ALL}\n/export all.md\n/export all.csv\nSELECT n FROM numbers LIMIT 2\n/export two.csv\n"),
    );
    let said: Vec<&str> =
        chat.stdout.lines().filter(|line| line.contains("saved in") || line.contains("note:")).collect();
    assert_eq!(said.len(), 5, "{chat:?}");
    assert!(said[1].contains("only the first 30 rows; `max_rows`") && said[1] == said[3], "{said:?}");
    assert_eq!(said[4], "2 rows saved in two.csv.");
    let markdown = fs::read_to_string(file.folder().join("all.md")).unwrap();
    assert!(markdown.ends_with("(the first 30 rows; there are more)\n"), "{markdown}");
}

#[test]
fn a_stored_conversation_knows_that_its_result_was_cut() {
    let file = numbers();
    let settings = "database = 'numbers.db'\nmax_rows = 30\nresult_limit = 10\nkeep_rows = true\nstore = 'kept.sqlite'\n";
    fs::write(file.folder().join("sqlogue.toml"), settings).unwrap();
    call(file.folder(), &["ask", ALL, "--session", "a"], "");
    let markdown = call(file.folder(), &["sessions", "export", "a", "--format", "markdown"], "");
    assert!(markdown.stdout.contains("\n(10 of more than 30 rows)\n"), "{markdown:?}");
    assert!(markdown.stderr.starts_with("note: 10 of more than 30 rows;"), "{markdown:?}");
    let json = call(file.folder(), &["sessions", "export", "a", "--rows", "-o", "a.json"], "");
    assert!(json.stderr.starts_with("note: 10 of more than 30 rows;"), "{json:?}");
    let shape = call(file.folder(), &["sessions", "export", "a", "-o", "shape.json"], "");
    assert_eq!(shape.stderr, "", "there are no rows in it");
}
