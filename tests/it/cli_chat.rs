//! `chat` from a pipe: no prompts, no colours, every command.

use crate::cli_kit::{ECOMMERCE, call, sqlogue};
use crate::support::{COMPANIES, File};

#[test]
fn a_conversation_from_a_pipe() {
    let file = File::new("companies.db", COMPANIES);
    let lines = "Show me companies\nAdd vendor column\nOnly active companies\n/history\n";
    let outcome = call(file.folder(), &["--db", "companies.db", "chat"], lines);
    outcome.is_sound();
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let stdout = &outcome.stdout;
    assert!(stdout.starts_with("🆕 New query\nSELECT * FROM Companies\n"), "{stdout}");
    assert!(stdout.contains("✨ Refined query: Added column: Vendor."), "{stdout}");
    assert!(stdout.contains("✨ Refined query: Added filter: Companies.Status = 'Active'."), "{stdout}");
    assert!(stdout.contains("\n2 rows ("), "{stdout}");
    assert!(stdout.contains("  1 🆕 Show me companies  3 rows\n"), "{stdout}");
    assert!(!stdout.contains("> "), "no prompt: {stdout}");
}

#[test]
fn a_question_to_a_database_that_is_not_there_is_an_error() {
    let file = File::new("companies.db", COMPANIES);
    let outcome = call(file.folder(), &["--db", "companies.db", "chat"], "@nosuch Show me companies\n");
    assert!(outcome.stdout.contains("there is no database `nosuch` here"), "{outcome:?}");
    assert!(!outcome.stdout.contains("SELECT"), "{outcome:?}");
}

#[test]
fn every_command_answers() {
    let file = File::new("companies.db", COMPANIES);
    let said = |lines: &str| {
        let outcome = call(file.folder(), &["--db", "companies.db", "chat"], lines);
        outcome.is_sound();
        assert_eq!(outcome.code, 0, "{outcome:?}");
        outcome.stdout
    };
    assert_eq!(said(""), "");
    assert_eq!(
        said("\n  \n/history\n/undo\n/redo\n/why\n/sql\n"),
        "Nothing was asked yet.\nThere is nothing to take back.\nThere is nothing to bring back.\nNothing was asked yet.\nThere is no SQL yet.\n"
    );
    assert!(said("/help\n").contains("/export FILE"));
    assert!(said("/hsitory\n").contains("hint: did you mean `/history`?"));
    assert!(said("/schema\n").contains("| Companies |"));
    assert!(said("/schema companies\n").contains("Companies (3 rows, 4 columns)"));
    assert!(said("/schema compnies\n").contains("hint: did you mean `Companies`?"));
    assert!(!said("/sql off\nShow me companies\n").contains("SELECT"));
    assert!(said("Show me companies\n/sql\n").ends_with("\nSELECT * FROM Companies\n"));
    assert!(said("Show me companies\n/why\n").contains("taken for  a new question (high confidence)"));
    let way = said("Show me companies\n/graph\n");
    assert!(way.contains("→ new conversation") && way.contains("execute_query"), "{way}");
    let back = said(
        "Show me companies\nOnly active companies\n/undo\n/redo\n/clear\n/history\n/undo\n/quit\nignored\n",
    );
    assert!(back.contains("Took back: Only active companies\nSELECT * FROM Companies\n3 rows\n"), "{back}");
    assert!(back.contains("Brought back: Only active companies\n"), "{back}");
    assert!(
        back.contains("is cleared; /undo brings it back.\nNothing was asked yet.\nTook back: /clear\n"),
        "{back}"
    );
    assert!(!back.contains("ignored"));
}

#[test]
fn results_and_drawings_are_saved() {
    let file = File::new("companies.db", COMPANIES);
    let lines = "/export a.csv\nShow me companies\n/export a.csv\n/export a.json\n/export a.md\n/export 'b c.jsonl'\n\
                 /export a.exe\n/export a\n/export no/a.csv\n/graph a.svg\n/graph a.dot\nxyzzy plugh\n/export last.csv\n";
    let outcome = call(file.folder(), &["--db", "companies.db", "chat"], lines);
    let read = |name: &str| std::fs::read_to_string(file.folder().join(name)).unwrap();
    assert!(outcome.stdout.starts_with("There is no result to save"), "{outcome:?}");
    assert!(outcome.stdout.contains("3 rows saved in a.csv."), "{outcome:?}");
    assert!(outcome.stdout.contains("results are not exported as .exe\nhint: use"), "{outcome:?}");
    assert!(outcome.stdout.contains("`no/a.csv` cannot be written"), "{outcome:?}");
    assert_eq!(read("a.csv").lines().count(), 4);
    assert_eq!(read("b c.jsonl").lines().count(), 3);
    assert!(read("a.md").starts_with("| Id |"));
    assert!(read("a.svg").starts_with("<svg") || read("a.svg").contains("<svg "));
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&read("a.json")).unwrap().as_array().unwrap().len(),
        3
    );
    assert_eq!(read("last.csv"), read("a.csv"), "a turn that fails leaves the last good result");
}

#[test]
fn workbooks_are_saved_with_their_types() {
    use calamine::{Data, Reader as _, Xlsx};
    let file = File::new("companies.db", COMPANIES);
    let outcome = call(
        file.folder(),
        &["--db", "companies.db", "chat"],
        "Show me companies\n/export all.xlsx\n/export ALL.XLSX\n",
    );
    outcome.is_sound();
    assert!(outcome.stdout.contains("3 rows saved in all.xlsx."), "{outcome:?}");
    let mut book: Xlsx<_> = calamine::open_workbook(file.folder().join("all.xlsx")).unwrap();
    let sheet = book.worksheet_range_at(0).unwrap().unwrap();
    let rows: Vec<Vec<Data>> = sheet.rows().map(<[Data]>::to_vec).collect();
    let text = |text: &str| Data::String(text.to_owned());
    assert_eq!(rows[0], ["Id", "Name", "Vendor", "Status"].map(text));
    assert_eq!(rows[1], [Data::Float(1.0), text("Acme"), text("Initech"), text("Active")]);
    assert_eq!(rows[3], [Data::Float(3.0), text("Umbrella"), Data::Empty, text("Active")]);
    assert_eq!(rows.len(), 4);
}

#[test]
fn courtesies_and_slips_are_part_of_a_conversation() {
    let file = File::new("companies.db", COMPANIES);
    let lines = "hi\nShow me companies\nthanks!\nonyl active companies\nok\nstart over\n/history\n/why\n";
    let outcome = call(file.folder(), &["--db", "companies.db", "chat"], lines);
    outcome.is_sound();
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let stdout = &outcome.stdout;
    assert!(stdout.starts_with("Hello! Ask in plain words what you want to know of"), "{stdout}");
    assert!(stdout.contains("You are welcome. The last answer stands;"), "{stdout}");
    assert!(stdout.contains("✨ Refined query: Added filter: Companies.Status = 'Active'."), "{stdout}");
    assert!(stdout.contains("The next question stands on its own."), "{stdout}");
    assert!(stdout.contains("  3 💬 thanks!\n") || stdout.contains("  3 💬 thanks!  \n"), "{stdout}");
    assert!(!stdout.contains('❌'), "{stdout}");
}

#[test]
fn the_last_answer_stands_after_thanks() {
    let file = File::new("companies.db", COMPANIES);
    let lines = "Show me companies\nonly active companies\nthanks\n/why\n/graph\n";
    let outcome = call(file.folder(), &["--db", "companies.db", "chat"], lines);
    let (_, why) = outcome.stdout.split_once("You are welcome.").unwrap();
    assert!(why.contains("\ntaken for  a follow-up") && why.contains("`only`"), "{why}");
    assert!(why.contains("execute_query") && !why.contains("1 word"), "{why}");
}

#[test]
fn mistakes_do_not_end_the_session() {
    let file = File::new("shop.db", ECOMMERCE);
    let mut lines = b"\xff\xfe\n\x1b[2J\n".to_vec();
    lines.extend("x".repeat(100_000).bytes());
    lines.extend(b"\n/export\n/sql maybe\nOnly from last month\nHow many users are there?\n");
    let outcome = crate::cli_kit::call_bytes(file.folder(), &["--db", "shop.db", "chat"], &lines);
    outcome.is_sound();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.contains("note: Starting new query (no previous query to refine)"), "{outcome:?}");
    assert!(outcome.stdout.contains("|        3 |"), "{outcome:?}");
}

#[test]
fn a_chat_can_wait_for_a_yes() {
    let file = File::new("shop.db", ECOMMERCE);
    let lines = "Show me all users\ny\nShow me all products\nno\n/history\n";
    let outcome = call(file.folder(), &["--db", "shop.db", "chat", "--confirm"], lines);
    assert!(outcome.stdout.contains("Ada"), "{outcome:?}");
    assert!(!outcome.stdout.contains("Lamp") && outcome.stdout.contains("not confirmed"), "{outcome:?}");
    assert!(outcome.stdout.contains("  2 ❌ Show me all products  failed"), "{outcome:?}");
}

#[test]
fn without_a_command_it_chats_about_the_sample() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = sqlogue(folder.path()).write_stdin("How many customers are there?\n").output().unwrap();
    let stdout = String::from_utf8(outcome.stdout).unwrap();
    assert!(stdout.contains("120"), "{stdout}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
}
