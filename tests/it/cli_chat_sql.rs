//! SQL beside questions in the chat, rows as records, and the commands that fingers know from elsewhere.

use std::os::unix::fs::PermissionsExt as _;

use crate::cli_kit::{ECOMMERCE, call, sqlogue};
use crate::support::File;

fn said(file: &File, lines: &str) -> String {
    let outcome = call(file.folder(), &["--db", "shop.db", "chat"], lines);
    outcome.is_sound();
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{outcome:?}");
    outcome.stdout
}

#[test]
fn rows_are_shown_as_records() {
    let file = File::new("shop.db", ECOMMERCE);
    let shown = said(&file, "Show me all customers\\G\n");
    assert!(shown.contains("   id │ 2\n name │ Eli\n city │ Oslo\n"), "{shown}");
    let later = said(&file, "Show me all customers\n\\G\n");
    assert!(
        later.contains("| Eli  |") && later.contains(" name │ Eli\n") && later.ends_with("2 rows\n"),
        "{later}"
    );
    let always = said(&file, "/expand on\nShow me all customers\n/expand auto\nonly from Rome\n");
    assert!(always.contains(" name │ Eli\n") && always.contains("| Dee  |"), "{always}");
    assert!(said(&file, "/expand\n").contains("There is no result to show"));
    assert!(said(&file, "/expand sideways\n").contains("`/expand` takes `on`, `off` or `auto`"));
}

#[test]
fn typed_sql_runs_and_writing_does_not() {
    let file = File::new("shop.db", ECOMMERCE);
    assert!(said(&file, "select name from users where id = 2;\n").contains("| Bo   |"));
    let refused = said(&file, "delete from users\nHow many users are there?\n");
    assert!(refused.contains("|        3 |") && !refused.contains("|        0 |"), "{refused}");
}

#[test]
fn a_misspelt_keyword_is_told_and_nothing_else_runs() {
    let file = File::new("shop.db", ECOMMERCE);
    for (typed, told) in [
        ("selct name from users", "did you mean `SELECT name from users`?"),
        ("select * form users", "did you mean `FROM` by `form`?"),
        ("select id from users wher name = 'Bo'", "did you mean `WHERE` by `wher`?"),
    ] {
        let outcome = call(file.folder(), &["--db", "shop.db", "ask", typed], "");
        assert!(outcome.stdout.is_empty() && outcome.stderr.contains(told), "{outcome:?}");
    }
}

#[test]
fn all_rows_stay_at_hand_after_an_input_that_was_not_understood() {
    let rows = "CREATE TABLE numbers AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 300) \
                SELECT x FROM n;";
    let file = File::new("shop.db", rows);
    let saved = said(&file, "select x from numbers\nxyzzy plugh\n/export all.csv\n");
    assert!(saved.contains("300 rows saved in all.csv."), "{saved}");
    // What was taken back is not at hand.
    let saved = said(&file, "select 1\nselect x from numbers\n/undo\n/export one.csv\n");
    assert!(saved.contains("1 row saved in one.csv."), "{saved}");
}

#[test]
fn sql_is_edited_and_runs() {
    let file = File::new("shop.db", ECOMMERCE);
    let editor = file.folder().join("editor");
    std::fs::write(&editor, "#!/bin/sh\nsed -i 's/= 1/= 2/' \"$1\"\n").unwrap();
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    let edit = |lines: &str, editor: &str| {
        let output = sqlogue(file.folder())
            .args(["--db", "shop.db", "chat"])
            .env("EDITOR", editor)
            .write_stdin(lines)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let editor = editor.to_str().unwrap();
    let shown = edit("select name from users where id = 1\n/edit\nonly active\n", editor);
    assert!(shown.contains("WHERE id = 2\n") || shown.contains("where id = 2\n"), "{shown}");
    assert!(shown.contains("| Bo   |"), "{shown}");
    let same = edit("select name from users\n\\e\n", editor);
    assert!(same.contains("Nothing was changed, so nothing runs."), "{same}");
    assert!(edit("select 1\n/edit\n", "false").contains("the editor `false` gave up"));
    assert!(edit("select 1\n/edit\n", "no-such-editor").contains("hint: set EDITOR"));
    assert!(said(&file, "select 1\n/edit\n").contains("there is no editor"));
}

#[test]
fn scripts_are_saved_and_asked_again() {
    let file = File::new("shop.db", ECOMMERCE);
    let saved = said(&file, "Show me all users\nOnly active\n/save active.sql\n/save talk.txt\n");
    assert!(saved.contains("The last SQL is saved in active.sql;"), "{saved}");
    let read = |name: &str| std::fs::read_to_string(file.folder().join(name)).unwrap();
    assert_eq!(read("active.sql"), "SELECT * FROM users WHERE status = 'active';\n");
    assert_eq!(read("talk.txt"), "Show me all users\nOnly active\n");
    let again = said(&file, "/open active.sql\n/open talk.txt\n");
    assert_eq!(again.matches("\n2 rows (").count(), 2, "{again}");
    assert!(again.contains("> Only active\n✨ Refined query"), "{again}");
    std::fs::write(file.folder().join("self.txt"), "/open self.txt\n/quit\nShow me all users\n").unwrap();
    let ended = said(&file, "/open self.txt\n");
    assert!(ended.contains("a file cannot open another") && !ended.contains("SELECT"), "{ended}");
    std::fs::write(file.folder().join("bad.sql"), "DROP TABLE users;\nSELECT count(*) FROM users;\n")
        .unwrap();
    assert!(said(&file, "/open bad.sql\n").contains("|        3 |"), "a script is guarded as typed SQL is");
    assert!(said(&file, "/open missing.sql\n").contains("missing.sql"));
    assert!(said(&file, "/save q.sql\n").contains("There is no SQL to save"));
}

#[test]
fn commands_of_other_shells_are_known() {
    let file = File::new("shop.db", ECOMMERCE);
    let tables = said(&file, "/schema\n");
    for command in ["\\d", "\\dt", ".tables", ".schema", "/tables"] {
        assert_eq!(said(&file, &format!("{command}\n")), tables, "{command}");
    }
    let users = said(&file, "/schema users\n");
    for command in ["\\d users", "\\d users;", ".schema users"] {
        assert_eq!(said(&file, &format!("{command}\n")), users, "{command}");
    }
    for command in ["\\q", ".quit", ".exit", "/q"] {
        assert_eq!(said(&file, &format!("{command}\nShow me all users\n")), "", "{command}");
    }
    assert!(said(&file, "\\zap\n").contains("there is no command `\\zap`"));
}

#[test]
fn help_speaks_of_the_database_at_hand() {
    let file = File::new("shop.db", ECOMMERCE);
    let help = said(&file, "/help\n");
    assert!(help.contains("  How many users are there?\n"), "{help}");
    assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
}
