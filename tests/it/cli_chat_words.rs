//! Commands in plain words: in the chat they do what the command does, and elsewhere a turn says what there is to say.

use serde_json::{Value, json};
use sqlogue::conversation::Status;
use sqlogue::intent::Intent;

use crate::cli_kit::{ECOMMERCE, call};
use crate::support::File;

/// What a chat says to these lines.
fn said(file: &File, arguments: &[&str], lines: &str) -> String {
    let outcome = call(file.folder(), &[&["--db", "shop.db", "chat"], arguments].concat(), lines);
    outcome.is_sound();
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{outcome:?}");
    outcome.stdout
}

#[test]
fn plain_words_do_what_the_command_does() {
    let file = File::new("shop.db", ECOMMERCE);
    let same = |words: &str, named: &str, command: &str| {
        let before = "Show me all users\nOnly active\n";
        let words = said(&file, &[], &format!("{before}/undo\n{words}\n"));
        let command = said(&file, &[], &format!("{before}/undo\n{command}\n"));
        // How long a query took differs.
        let tail = |shown: &str| shown.split_once("Took back: Only active\n").unwrap().1.to_owned();
        let expected = tail(&command);
        let (stands, shown) = expected.split_at(expected.find("rows\n").unwrap() + 5);
        assert_eq!(tail(&words), format!("{stands}({named})\n{shown}"), "{command}");
    };
    same("please undo that", "/undo", "/undo");
    same("bring it back", "/redo", "/redo");
    same("can you show me the SQL?", "/sql", "/sql");
    same("what tables are there?", "/tables", "/schema");
    same("What columns does customers have?", "/describe customers", "/schema customers");
    same("describe the table custmers", "/describe custmers", "/schema custmers");
    same("what can I ask?", "/help", "/help");
    same("what did I ask so far?", "/history", "/history");
    same("start over", "/new", "/new");
    same("forget everything", "/clear", "/clear");
    same("export that to users.csv", "/export users.csv", "/export users.csv");
    same("save it as 'all users.csv'", "/export 'all users.csv'", "/export 'all users.csv'");
    same("export that", "/export FILE", "/export");
    assert!(said(&file, &[], "Show me all users\nwhy?\n").contains("\n(/why)\ntaken for  a new question"));
    assert_eq!(said(&file, &[], "ok bye\nShow me all users\n"), "(/quit)\n");
    assert!(said(&file, &[], "/help\n").contains("in plain words, too"));
    let read = |name: &str| std::fs::read_to_string(file.folder().join(name)).unwrap();
    assert_eq!(read("users.csv").lines().count(), 4);
    assert_eq!(read("users.csv"), read("all users.csv"));
}

#[test]
fn to_a_program_only_rows_are_written() {
    let file = File::new("shop.db", ECOMMERCE);
    let outcome = call(
        file.folder(),
        &["--db", "shop.db", "--format", "csv", "chat"],
        "How many users are there?\nundo that\n",
    );
    assert!(outcome.stderr.contains("(/undo)") && !outcome.stdout.contains("(/undo)"), "{outcome:?}");
}

#[test]
fn a_table_of_that_name_is_asked_about() {
    let file = File::new(
        "shop.db",
        "CREATE TABLE tables (id INTEGER PRIMARY KEY, seats INTEGER); INSERT INTO tables VALUES (1, 4), (2, 2);
         CREATE TABLE help (id INTEGER PRIMARY KEY, topic TEXT); INSERT INTO help VALUES (1, 'refunds');",
    );
    assert!(said(&file, &[], "list the tables\n").contains("SELECT * FROM tables"));
    assert!(said(&file, &[], "show all help\n").contains("FROM help"));
    let shown = said(&file, &[], "what tables are in this database?\n/help\n");
    assert!(
        shown.starts_with("(/tables)\n") && shown.contains("| seats") | shown.contains("id, seats"),
        "{shown}"
    );
}

#[test]
fn what_failed_is_not_what_undo_takes_back() {
    let file = File::new("shop.db", ECOMMERCE);
    let lines =
        "Show me all users\nOnly active\nxyzzy plugh quux\nthanks\n/undoo\nundo\nundo\nredo\nredo\nredo\n";
    let shown = said(&file, &[], lines);
    let (_, shown) = shown.split_once("(/undo)\n").unwrap();
    assert!(shown.starts_with("Took back: Only active\nSELECT * FROM users\n"), "{shown}");
    assert!(
        shown.contains("(/undo)\nTook back: Show me all users\nThe conversation is at its beginning.\n"),
        "{shown}"
    );
    assert!(shown.contains("(/redo)\nBrought back: Show me all users\n"), "{shown}");
    assert!(shown.contains("(/redo)\nBrought back: Only active\n"), "{shown}");
    assert!(shown.ends_with("(/redo)\nThere is nothing to bring back.\n"), "{shown}");
    assert_eq!(
        said(&file, &[], "xyzzy plugh\nundo\n").lines().last(),
        Some("There is nothing to take back.")
    );
}

#[test]
fn what_failed_yesterday_is_not_taken_back_either() {
    let file = File::new("shop.db", ECOMMERCE);
    let store = ["--session", "s"];
    said(&file, &store, "Show me all users\nOnly active\nxyzzy plugh quux\n");
    let shown = said(&file, &store, "undo that\n");
    assert_eq!(shown, "(/undo)\nTook back: Only active\nSELECT * FROM users\n3 rows\n");
    said(&file, &store, "xyzzy plugh quux\n");
    let shown = said(&file, &store, "xyzzy plugh quux\ngo back\n");
    assert!(
        shown.ends_with("Took back: Show me all users\nThe conversation is at its beginning.\n"),
        "{shown}"
    );
}

#[test]
fn a_wrong_answer_is_followed_by_its_other_readings() {
    let file = File::new(
        "shop.db",
        "CREATE TABLE shipment (id INTEGER PRIMARY KEY, name TEXT, net_weight REAL, gross_weight REAL);
         INSERT INTO shipment VALUES (1, 'Ada', 1, 2), (2, 'Bea', 3, 9), (3, 'Cleo', 9, 4.5);",
    );
    let shown = said(&file, &[], "heaviest shipment\nno, that's not what I meant\n2\n");
    let (answer, after) = shown.split_once("The question can also be read so:\n  2  ").unwrap();
    assert!(answer.contains("| Cleo |"), "{shown}");
    assert!(after.contains("`2` takes the first of these."), "{shown}");
    assert!(after.contains("| Bea "), "{shown}");
    let shown = said(&file, &[], "How many shipments are there?\nthat's wrong\n");
    let after = shown.split_once("I know no other way to read the question.\n").unwrap().1;
    assert!(after.contains("Ask again in other words") && after.contains("shipment."), "{shown}");
    let shown = said(&file, &[], "How many glorbish shipments are there?\nno\n");
    if shown.contains("left out") {
        assert!(shown.contains("\nLeft out: `glorbish`."), "{shown}");
    }
    assert!(said(&file, &[], "no\n").starts_with("All right."));
}

#[test]
fn a_question_asked_back_stays_open() {
    let file = File::new(
        "shop.db",
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO customers VALUES (1, 'a');
         CREATE TABLE PROD_Customers (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO PROD_Customers VALUES (1, 'b');",
    );
    let inputs = ["show customers", "no", "what tables are there?", "2", "that's wrong"];
    let shown = said(&file, &[], &(inputs.join("\n") + "\n"));
    assert_eq!(shown.matches("  2. PROD_Customers").count(), 2, "{shown}");
    assert!(shown.contains("Say the number of the one you mean"), "{shown}");
    assert!(shown.contains("(/tables)\n") && shown.contains("SELECT * FROM PROD_Customers"), "{shown}");
    assert!(shown.contains("Say `use customers instead of PROD_Customers` for the other."), "{shown}");
    let lines = inputs.map(|input| json!({"session": "a", "input": input}).to_string() + "\n").concat();
    let answers = call(file.folder(), &["--db", "shop.db", "batch"], &lines).lines();
    for at in [1, 2] {
        assert_eq!(answers[at]["status"], json!("awaiting_correction"), "{}", answers[at]);
        assert_eq!(answers[at]["options"].as_array().unwrap().len(), 2);
    }
    assert!(answers[2]["message"].as_str().unwrap().starts_with("Tables: customers"), "{}", answers[2]);
    assert_eq!(answers[3]["sql"], json!("SELECT * FROM PROD_Customers"));
}

#[test]
fn a_batch_answers_commands_in_words() {
    let file = File::new("shop.db", ECOMMERCE);
    let inputs = [
        "what tables are there?",
        "How many users are there?",
        "show the SQL",
        "why?",
        "describe customers",
        "undo",
        "help",
        "that's wrong",
        "what columns does usrs have?",
        "start over",
        "only active",
    ];
    let lines: String =
        inputs.iter().map(|input| json!({"session": "a", "input": input}).to_string() + "\n").collect();
    let outcome = call(file.folder(), &["--db", "shop.db", "batch"], &lines);
    let answers = outcome.lines();
    let message = |at: usize| answers[at]["message"].as_str().unwrap_or_default();
    assert!(message(0).starts_with("Tables: ") && message(0).contains("users (3 rows)"), "{}", message(0));
    assert!(message(2).ends_with("\nSELECT count(*) FROM users"), "{}", message(2));
    assert!(message(3).contains("taken for a new question (high confidence)"), "{}", message(3));
    assert!(message(4).contains("`customers` has id (INTEGER), name (TEXT), city (TEXT)."), "{}", message(4));
    assert!(
        message(5).contains("`/undo`") && message(5).contains("The last answer stands."),
        "{}",
        message(5)
    );
    assert!(message(6).contains("`How many "), "{}", message(6));
    assert!(message(7).contains("in other words"), "{}", message(7));
    assert!(message(8).contains("Did you mean `users`?"), "{}", message(8));
    assert!(message(9).starts_with("A new question begins here"), "{}", message(9));
    // The shape is that of every turn, and a command in words counts as one with a slash does.
    let keys = |answer: &Value| answer.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for at in [0, 2, 3, 4, 5, 6, 7, 8] {
        assert_eq!(keys(&answers[at]), keys(&answers[1]));
        // To undo takes a chat; the others were told what they asked.
        let status = if at == 5 { "failed" } else { "completed" };
        assert_eq!((&answers[at]["status"], &answers[at]["intent"]), (&json!(status), &json!("command")));
    }
    // A follow-up goes on from the answer before the commands.
    assert_eq!(answers[10]["intent"], json!("refinement"));
}

/// *Did you mean `users`?* and *yes* are the question with that name; *no* is not.
#[test]
fn a_name_that_was_offered_is_taken_with_yes() {
    let file = File::new("shop.db", ECOMMERCE);
    let ask = |inputs: [&str; 2]| {
        let lines: String =
            inputs.iter().map(|input| json!({"session": "a", "input": input}).to_string() + "\n").collect();
        call(file.folder(), &["--db", "shop.db", "batch"], &lines).lines()[1].clone()
    };
    for words in ["yes", "Yes, please.", "yes, the first one", "users"] {
        let answer = ask(["SELECT name FROM usrs", words]);
        assert_eq!(answer["sql"], json!("SELECT name FROM users"), "{words}: {answer}");
    }
    assert!(
        ask(["what columns does usrs have?", "yes"])["message"].as_str().unwrap().starts_with("`users` has ")
    );
    let no = ask(["SELECT name FROM usrs", "no"]);
    assert!(no["sql"].is_null() && no["row_count"] == json!(0), "{no}");
}

#[test]
fn a_follow_up_that_is_not_sure_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let said = "Show the email of the loyal customers\nHow many are there?\n";
    let outcome = call(folder.path(), &["chat"], said);
    for reason in ["`loyal` left out; /why", "it goes on from an answer that is not sure; /why"] {
        let note = format!("note: not sure that this is what was meant: {reason}");
        assert_eq!(outcome.stdout.matches(&note).count(), 1, "{outcome:?}");
    }
}

#[test]
fn why_tells_of_the_question_and_not_of_the_thanks_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let said = "How many customers are there?\nonly from Germany\n/undo\nthanks\n/why\n";
    let outcome = call(folder.path(), &["chat"], said);
    let told = "`How many customers are there?` was taken for a new question (high confidence).";
    assert!(outcome.stdout.contains(told), "{outcome:?}");
    let outcome = call(folder.path(), &["chat"], "How many customers are there?\nthanks\n/why\n");
    assert!(outcome.stdout.contains("taken for  a new question (high confidence)"), "{outcome:?}");
}

#[test]
fn ask_tells_of_the_tables_without_an_error() {
    let file = File::new("shop.db", ECOMMERCE);
    let outcome = call(file.folder(), &["--db", "shop.db", "ask", "what tables are there?"], "");
    assert!(outcome.stdout.starts_with("Tables: ") && outcome.stderr.is_empty(), "{outcome:?}");
    assert_eq!(outcome.code, 0, "it was answered");
    let undo = call(file.folder(), &["--db", "shop.db", "ask", "undo that"], "");
    assert_eq!(undo.code, 3, "{undo:?}");
    let outcome = call(file.folder(), &["--db", "shop.db", "--format", "csv", "ask", "list the tables"], "");
    assert!(outcome.stderr.starts_with("Tables: ") && outcome.stdout.is_empty(), "{outcome:?}");
}

#[tokio::test]
async fn the_library_answers_commands_in_words() {
    let file = File::new("shop.db", ECOMMERCE);
    let engine = file.engine();
    let first = engine.query_database("Show me all users", None).await.unwrap();
    let why = engine.query_database("why?", Some(first.clone())).await.unwrap();
    assert_eq!((why.status, why.intent), (Status::Failed, Some(Intent::Command)));
    assert!(
        why.message.as_deref().unwrap_or_default().contains("taken for a new question"),
        "{:?}",
        why.message
    );
    assert_eq!(why.current_query, first.current_query);
    let next = engine.query_database("only active", Some(why)).await.unwrap();
    assert_eq!((next.status, next.intent), (Status::Completed, Some(Intent::Refinement)));
}

#[test]
fn what_changes_nothing_is_answered_by_what_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let long = "How many orders were placed by customers from Germany who bought products in the category Furniture in the \
                year 2025 and paid by card and whose name starts with A and what is the average value of those orders in \
                comparison with the orders of customers from France please?";
    let lines = format!("list products\n2\n{long}\nwhat is in here?\n.mode csv\n");
    let outcome = call(folder.path(), &["--today", "2026-05-01", "chat"], &lines);
    let said = &outcome.stdout;
    assert!(said.contains("The last answer offers no other reading that `2` could take.\n"), "{said}");
    assert!(said.contains("I do not understand the question well enough"), "{said}");
    assert!(!said.contains("how that changes the last query"), "{said}");
    assert!(said.contains("(/tables)\n") && said.contains("there is no command `.mode`"), "{said}");
}

#[test]
fn who_names_a_file_or_asks_at_once_learns_how() {
    let folder = tempfile::tempdir().unwrap();
    let code = |words: &[&str], hint: &str| call(folder.path(), words, "").fails(2, hint);
    code(&["shop.db"], "a database is named by `--db`");
    code(&["postgres://localhost/shop"], "a database is named by `--db`");
    code(&["How many customers are there?"], "a question stands behind `ask`");
    code(&["ask", "shop.db", "How many customers are there?"], "a database is named by `--db`");
    code(&["ask", "--db", "shop.db", "How", "many", "customers?"], "a question stands in quotes");
    code(&["aks", "How many customers are there?"], "a similar subcommand exists: 'ask'");
    code(&["sakila"], "`sqlogue --help` lists the commands");
}
