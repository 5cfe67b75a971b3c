//! What helps people at a terminal: the clipboard, charts of the kind they want, notebooks with drawings, totals.

use std::fs;
use std::sync::Arc;

use sqlogue::{Engine, sample, totals::totals_of};

use crate::cli_kit::{ECOMMERCE, call, sqlogue};
use crate::support::{File, repeatable};

/// What a chat about the sample says to these lines.
fn said(lines: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let outcome = call(folder.path(), &["--today", "2026-05-01", "chat"], lines);
    outcome.is_sound();
    outcome.stdout
}

#[cfg(unix)]
#[test]
fn rows_and_sql_are_copied_by_the_program_that_is_there() {
    use std::os::unix::fs::PermissionsExt as _;

    let file = File::new("shop.db", ECOMMERCE);
    let folder = file.folder();
    let program = folder.join("xclip");
    fs::write(&program, "#!/bin/sh\necho \"$@\" > arguments.txt\ncat > clipboard.txt\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let copied = |lines: &str, display: &str| {
        let mut command = sqlogue(folder);
        command.env("PATH", &path).env("DISPLAY", display).args(["--db", "shop.db", "chat"]);
        let output = command.write_stdin(lines.to_owned()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let clipboard = || fs::read_to_string(folder.join("clipboard.txt")).unwrap();
    let ask = "select name, price, category from products\n";
    let told = copied(&format!("{ask}/copy\n"), ":0");
    assert!(told.ends_with("3 rows are in the clipboard (by `xclip`).\n"), "{told}");
    assert_eq!(clipboard(), "name\tprice\tcategory\nLamp\t20.5\thome\nDesk\t150\thome\nPen\t1.2\toffice\n");
    assert_eq!(fs::read_to_string(folder.join("arguments.txt")).unwrap(), "-selection clipboard\n");
    let told = copied(&format!("{ask}/copy sql\n"), ":0");
    assert!(told.ends_with("The last SQL is in the clipboard (by `xclip`).\n"), "{told}");
    assert_eq!(clipboard(), "SELECT name, price, category FROM products");
    copied(&format!("{ask}/copy csv\n"), ":0");
    assert!(clipboard().starts_with("name,price,category\r\nLamp,20.5,home\r\n"));
    copied(&format!("{ask}/copy markdown\n"), ":0");
    assert!(clipboard().starts_with("| name | price | category |\n"));
    let none = copied(&format!("/copy\n{ask}/copy\n/copy pdf\n"), "");
    assert!(none.starts_with("There is no result to copy; ask something first.\n"), "{none}");
    assert!(
        none.contains("there is no clipboard here\nhint: install `wl-copy`, `xclip` or `xsel`"),
        "{none}"
    );
    assert!(none.ends_with("`/copy` takes `sql`, `csv`, `json` or `markdown`\n"), "{none}");
}

#[test]
fn a_chart_is_of_the_kind_that_somebody_wants_or_says_why_not() {
    let months = said("orders per month in 2025\n/chart\n/chart bars\nplot that as a line\nas a pie chart\n");
    let (lines, rest) = months.split_once("(/chart line)\n").unwrap();
    assert!(lines.contains("2025-01 █"), "bars of months: {lines}");
    let (line, pie) = rest.split_once("(/chart pie)\n").unwrap();
    assert!(line.contains('⠤') || line.contains('─') || line.contains('⣀'), "{line}");
    assert_eq!(pie, "No pie: bars are easier to compare.\n`/chart` draws what fits.\n");
    let status = said("orders by status\n/chart line\n/chart points\nas a bar chart\n");
    assert!(status.contains("No line: a line runs along a time, and no column holds one.\n"), "{status}");
    assert!(status.contains("No points: a point needs two numbers"), "{status}");
    assert!(status.contains("(/chart bars)\nOrders by status\n"), "{status}");
    let folder = tempfile::tempdir().unwrap();
    let asked = |arguments: &[&str]| call(folder.path(), arguments, "");
    let chart = asked(&["ask", "orders per month in 2025", "--chart=bars"]);
    assert!(chart.code == 0 && chart.stdout.contains("2025-01 █"), "{chart:?}");
    asked(&["ask", "orders per status", "--chart=line", "--format", "svg"]).fails(2, "No line: a line runs");
    asked(&["ask", "orders per status", "--chart=cake"]).fails(2, "a chart is `bars`, `line` or `points`");
    asked(&["ask", "orders per status", "--chart", "--format", "csv"]).fails(2, "draws below a table");
}

#[test]
fn a_notebook_has_its_charts_in_files_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let call = |arguments: &[&str]| call(folder.path(), arguments, "");
    for question in ["orders by status", "list the employees", "average price per category"] {
        assert_eq!(call(&["ask", question, "--session", "s"]).code, 0, "{question}");
    }
    let exported = call(&["sessions", "export", "s", "--format", "markdown", "--run", "-o", "my talk.md"]);
    assert_eq!(exported.code, 0, "{exported:?}");
    let text = fs::read_to_string(folder.path().join("my talk.md")).unwrap();
    assert!(text.contains("| Kitchen | 78.46 |\n"), "{text}");
    assert!(text.contains("\n![Orders by status](<my%20talk_files/1.svg>)\n"), "{text}");
    assert_eq!(text.matches("![").count(), 2, "a list of people has no chart: {text}");
    for name in ["1.svg", "3.svg"] {
        let drawing = fs::read_to_string(folder.path().join("my talk_files").join(name)).unwrap();
        assert!(drawing.starts_with("<svg") && drawing.trim_end().ends_with("</svg>"), "{name}");
    }
    let printed = call(&["sessions", "export", "s", "--format", "markdown", "--run"]);
    assert!(!printed.stdout.contains("!["), "a text without a place has no files beside it");
}

#[tokio::test]
async fn only_what_may_be_added_up_has_a_total() {
    let engine: Engine = repeatable().database(Arc::new(sample::open().unwrap())).build().unwrap();
    for (question, expected) in [
        ("orders by status", vec!["orders = 1200"]),
        ("number of orders per year", vec!["orders = 1200"]),
        ("average price per category", vec![]),
        ("select status, count(*), sum(id), avg(id) from orders group by status", vec!["orders = 1200"]),
        ("select count(*) from orders", vec![]),
        ("select id, price, stock from products where category = 'Furniture'", vec!["stock = 773"]),
        ("select o.quantity, p.name from order_items o join products p on o.product_id = p.id", vec![]),
        ("select * from order_items limit 5", vec![]),
        ("running total of orders by month in 2025", vec![]),
    ] {
        let state = engine.query_database(question, None).await.unwrap();
        let result = state.result.as_deref().unwrap_or_else(|| panic!("{question}: {:?}", state.error));
        let totals = totals_of(&state, &result.columns, &result.rows).unwrap_or_default();
        let named = result.columns.iter().zip(totals);
        let named: Vec<String> =
            named.filter_map(|(name, total)| Some(format!("{name} = {}", total?))).collect();
        assert_eq!(named, expected, "{question}");
    }
}
