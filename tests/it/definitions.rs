//! Metrics and terms that people define: how they are checked, kept and answered by.

use crate::cli_kit::call;
use crate::support::File;

/// A shop, and a table that nothing leads to.
fn shop() -> File {
    let file = File::new(
        "shop.db",
        "CREATE TABLE clients (id INTEGER PRIMARY KEY, name TEXT, city TEXT, state TEXT);
         CREATE TABLE bills (id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients(id), day DATE, price REAL, pieces INTEGER);
         CREATE TABLE weather (station TEXT, degrees REAL);
         INSERT INTO clients VALUES (1, 'Ada', 'Oslo', 'on'), (2, 'Bo', 'Oslo', 'off'), (3, 'Cy', 'Lima', 'on');
         INSERT INTO bills VALUES (1, 1, '2024-03-01', 10.0, 2), (2, 1, '2025-03-01', 5.0, 1), (3, 2, '2024-05-01', 4.0, 5),
           (4, 3, '2024-06-01', 7.0, 1);
         INSERT INTO weather VALUES ('north', 3.5);",
    );
    std::fs::write(file.folder().join("sqlogue.toml"), "memory_folder = \".\"\n").unwrap();
    file
}

fn define(file: &File, words: &[&str]) -> crate::cli_kit::Outcome {
    call(file.folder(), &[&["--db", "shop.db", "lessons", "define"][..], words].concat(), "")
}

fn asked(file: &File, question: &str) -> serde_json::Value {
    let done = call(file.folder(), &["--db", "shop.db", "--format", "json", "ask", question], "");
    serde_json::from_str(&done.stdout).unwrap_or_else(|_| panic!("{question}: {done:?}"))
}

#[test]
fn questions_are_answered_by_definitions() {
    let file = shop();
    for definition in [
        "turnover = sum(bills.price * bills.pieces)",
        "ARPU = sum(bills.price * bills.pieces) / count(distinct clients.id)",
        "active client = clients.state = 'on'",
    ] {
        assert_eq!(define(&file, &[definition]).code, 0, "{definition}");
    }
    for (question, rows) in [
        ("turnover by city", serde_json::json!([["Lima", 7.0], ["Oslo", 45.0]])),
        ("Turnover", serde_json::json!([[52.0]])),
        ("total ARPU in 2024", serde_json::json!([[47.0 / 3.0]])),
        ("how many active clients", serde_json::json!([[2]])),
        ("Active Clients by city", serde_json::json!([["Lima", 1], ["Oslo", 1]])),
        ("top 1 city by turnover", serde_json::json!([["Oslo", 45.0]])),
    ] {
        let answer = asked(&file, question);
        assert_eq!(answer["rows"], rows, "{question}: {answer}");
    }
    let why = call(file.folder(), &["--db", "shop.db", "ask", "--explain", "turnover by city"], "");
    let told = "By your definition (";
    assert!(why.stdout.contains(told) || why.stderr.contains(told), "{why:?}");
}

#[test]
fn a_definition_is_never_left_out_in_silence() {
    let file = shop();
    assert_eq!(define(&file, &["heat", "=", "avg(weather.degrees)"]).code, 0);
    let answer = asked(&file, "heat by city");
    let low = answer["answer_confidence"] == "low" || answer["status"] == "failed";
    assert!(low, "{answer}");
    // A definition wins over a column of the same name.
    assert_eq!(define(&file, &["price = avg(bills.price)"]).code, 0);
    assert_eq!(asked(&file, "price")["rows"], serde_json::json!([[6.5]]));
}

#[test]
fn what_is_wrong_with_a_definition_is_said() {
    let file = shop();
    for (definition, said) in [
        ("x = sum(bills.prise)", "did you mean `bills.price`?"),
        ("x = sum(bill.price)", "did you mean `bills`?"),
        ("x = sum((select 1))", "may not have a query inside"),
        ("x = load_extension('a')", "is not one of those a query may call"),
        ("x = sum(price); drop table bills", "more than one statement"),
        ("x = price", "neither a summary nor a condition"),
        ("x", "write NAME = EXPRESSION"),
        ("= sum(price)", "write NAME = EXPRESSION"),
    ] {
        define(&file, &[definition]).fails(2, said);
    }
}

#[test]
fn definitions_are_listed_shared_and_removed() {
    let file = shop();
    assert_eq!(define(&file, &["turnover = sum(bills.price * bills.pieces)"]).code, 0);
    let listed = call(file.folder(), &["lessons", "list", "--kind", "definition"], "").stdout;
    assert!(listed.contains("turnover = sum(bills.price * bills.pieces)"), "{listed}");
    let yaml = call(file.folder(), &["lessons", "export"], "").stdout;
    assert!(yaml.contains("metrics:") && yaml.contains("name: turnover"), "{yaml}");
    let team = shop();
    std::fs::write(team.folder().join("lessons_learned.yaml"), &yaml).unwrap();
    assert_eq!(asked(&team, "turnover")["rows"], serde_json::json!([[52.0]]));
    let id = listed.split_whitespace().find(|word| word.starts_with("define-")).unwrap().to_owned();
    assert_eq!(call(file.folder(), &["lessons", "remove", &id], "").code, 0);
    assert!(!call(file.folder(), &["lessons", "list"], "").stdout.contains("turnover"));
}
