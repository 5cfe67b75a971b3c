//! Answers and conversations as files for other programs, and what is said where a file or an address cannot be used.

use std::fs;
use std::io::Cursor;

use calamine::{Data, Reader as _, Xlsx};

use crate::cli_kit::{ECOMMERCE, call, sqlogue};
use crate::support::File;

/// What `ask` writes in a format, as bytes.
fn written(file: &File, format: &str, question: &str) -> Vec<u8> {
    let output = sqlogue(file.folder())
        .args(["--db", "shop.db", "--format", format, "ask", question])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn an_answer_is_a_workbook_a_parquet_file_or_a_page() {
    let file = File::new("shop.db", ECOMMERCE);
    file.execute("INSERT INTO products VALUES (4, '<script>alert(1)</script> & co', 2, NULL)");
    let sql = "SELECT name, price, category, category FROM products ORDER BY id";
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(written(&file, "xlsx", sql))).unwrap();
    let sheet = book.worksheet_range_at(0).unwrap().unwrap();
    assert_eq!(sheet.get_value((1, 1)), Some(&Data::Float(20.5)));

    let parquet = written(&file, "parquet", sql);
    fs::write(file.folder().join("answer.parquet"), parquet).unwrap();
    let again = ["--db", "answer.parquet", "--format", "jsonl", "ask", "SELECT * FROM answer"];
    let outcome = call(file.folder(), &again, "");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let rows = outcome.lines();
    assert_eq!(rows.len(), 4);
    assert_eq!((&rows[0]["name"], &rows[0]["price"]), (&"Lamp".into(), &20.5.into()));
    assert_eq!((&rows[1]["category_2"], &rows[3]["category"]), (&"home".into(), &serde_json::Value::Null));

    let page = String::from_utf8(written(&file, "html", sql)).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"), "{page}");
    assert!(page.contains("<td>&lt;script&gt;alert(1)&lt;/script&gt; &amp; co</td>"), "{page}");
    assert!(!page.contains("<script") && page.contains("<td class=\"n\">20.5</td>"), "{page}");
    assert_eq!(page.matches("<td class=\"null\">NULL</td>").count(), 2, "{page}");
}

#[test]
fn a_conversation_is_a_notebook() {
    let file = File::new("shop.db", ECOMMERCE);
    let database = ["--db", "shop.db"];
    let call = |arguments: &[&str]| call(file.folder(), &[&database, arguments].concat(), "");
    for question in ["How many users are there?", "Only active ones", "Xyzzy plugh frotz"] {
        call(&["ask", question, "--session", "s"]);
    }
    let plain = call(&["sessions", "export", "s", "--format", "markdown"]);
    assert!(plain.code == 0 && !plain.stdout.contains("| count"), "{plain:?}");
    let notebook = call(&["sessions", "export", "s", "--format", "markdown", "--run"]);
    let text = notebook.stdout.replace('\\', "");
    let after = |text: &str, word: &str| {
        text.split_once(word).unwrap_or_else(|| panic!("{word}: {text}")).1.to_owned()
    };
    let text = after(&text, "## 1. How many users are there?");
    let text = after(&text, "SELECT count(*) FROM users");
    let text = after(&text, "| 3 |");
    let text = after(&text, "## 2. Only active ones");
    let text = after(&text, "status = 'active'");
    let text = after(&text, "| 2 |");
    assert!(after(&text, "## 3. Xyzzy plugh frotz").contains("Failed"), "{text}");
    call(&["sessions", "export", "s", "--run"]).fails(2, "--format markdown");
}

#[test]
fn what_cannot_be_used_is_told_with_what_would_work() {
    let folder = tempfile::tempdir().unwrap();
    for name in
        ["notes.txt", "letter.docx", "script.sql", "shop.duckdb", "data.zip", "fake.xlsx", "nothing.bin"]
    {
        fs::write(
            folder.path().join(name),
            "This is a text, and neither a database nor a workbook at all.\n",
        )
        .unwrap();
    }
    for (arguments, said) in [
        (
            ["--dictionary", "nope.xlsx"],
            ["the data dictionary `nope.xlsx` cannot be read: there is no such file", "leave it out"],
        ),
        (["--dictionary", "fake.xlsx"], ["the data dictionary `fake.xlsx` cannot be read", "Excel workbook"]),
        (["--db", "notes.txt"], ["`notes.txt` is not a SQLite database", "`.csv`"]),
        (["--db", "letter.docx"], ["`letter.docx` is not a SQLite database", "as CSV or as a workbook"]),
        (["--db", "script.sql"], ["`script.sql` is not a SQLite database", "sqlite3 new.db"]),
        (
            ["--db", "shop.duckdb"],
            ["`shop.duckdb` is not a SQLite database", "write `duckdb:` before its path"],
        ),
        (["--db", "data.zip"], ["`data.zip` is not a SQLite database", "unpack it first"]),
        (["--db", "nothing.bin"], ["`nothing.bin` is not a SQLite database", "Parquet or a workbook"]),
        (["--db", "nope.csv"], ["`nope.csv`", "check the path"]),
        (
            ["--db", "mssql://host/shop"],
            ["`mssql` is no kind of database that sqlogue can ask", "postgres://USER@HOST/NAME"],
        ),
    ] {
        let outcome =
            call(folder.path(), &[&arguments[..], &["ask", "How many customers are there?"]].concat(), "");
        for said in said {
            outcome.fails(2, said);
        }
        assert_eq!(outcome.stderr.matches("\nhint: ").count(), 1, "{outcome:?}");
    }
    let asked = call(folder.path(), &["ask", "How many customers are there?", "--reasoner", "openai"], "");
    asked.fails(3, "no key is set: set `OPENAI_API_KEY`");
    let hybrid = call(folder.path(), &["ask", "How many customers are there?", "--reasoner", "hybrid"], "");
    assert!(hybrid.code == 0 && hybrid.stdout.contains("120"), "{hybrid:?}");
}

/// A large file is loaded once, and anew when it changes or somebody asks for it.
#[cfg(unix)]
#[test]
fn an_unchanged_file_is_loaded_once() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |last: u32| {
        (0..=last).map(|row| format!("{row},a city with a long name {}\n", row % 7)).collect::<String>()
    };
    let write =
        |last| fs::write(folder.path().join("trips.csv"), "id,city\n".to_owned() + &rows(last)).unwrap();
    let kept = || {
        let folder = folder.path().join(".cache/sqlogue/tables");
        fs::read_dir(folder).map_or(0, |entries| entries.filter(|entry| entry.is_ok()).count())
    };
    let count = |flags: &[&str]| {
        let ask = ["--db", "trips.csv", "--format", "csv", "ask", "How many trips are there?"];
        let outcome = call(folder.path(), &[&ask[..], flags].concat(), "");
        assert_eq!(outcome.code, 0, "{outcome:?}");
        outcome.stdout.lines().last().unwrap().to_owned()
    };
    write(49_999);
    std::thread::sleep(std::time::Duration::from_millis(2100));
    assert_eq!((count(&["--no-file-cache"]).as_str(), kept()), ("50000", 0));
    assert_eq!((count(&[]).as_str(), kept()), ("50000", 3));
    assert_eq!((count(&[]).as_str(), kept()), ("50000", 3));
    write(50_000);
    assert_eq!(count(&[]), "50001");
}
