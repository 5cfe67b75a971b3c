//! The memory as a whole, on the shop that has three tables of customers.

use std::sync::Arc;

use jiff::Timestamp;

use super::*;
use crate::plan::ColumnRef;
use crate::schema::{Column, Schema, Table};

fn schema(tables: &[(&str, &[&str])]) -> Schema {
    let column = |name: &&str| Column { name: (*name).to_owned(), ..Column::default() };
    let table = |(name, columns): &(&str, &[&str])| Table {
        name: (*name).to_owned(),
        columns: columns.iter().map(column).collect(),
        ..Table::default()
    };
    Schema { tables: tables.iter().map(table).collect() }
}

fn shop() -> Schema {
    schema(&[
        ("Customers", &["id", "name"]),
        ("PROD_Customers", &["id", "name", "geographic_area"]),
        ("Customers_Archive", &["id", "name"]),
        ("PROD_Orders", &["id", "customer_id", "total"]),
    ])
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// A turn that asked about customers and succeeded at once.
fn facts<'a>(question: &'a str, sql: &'a str) -> TurnFacts<'a> {
    TurnFacts {
        turn: "turn-1",
        question,
        database: "shop",
        at: at(1),
        outcome: Outcome::Succeeded,
        failed: &[],
        sql: Some(sql),
        settled: &[],
        used: &[],
    }
}

fn chose(selected: &str, rejected: &[&str]) -> [Settled; 1] {
    let rejected = rejected.iter().map(|table| (*table).to_owned()).collect();
    [Settled::Table { selected: selected.to_owned(), rejected }]
}

fn sentences(changes: &[LessonChange]) -> Vec<String> {
    let sentence = |change: &LessonChange| match change {
        LessonChange::Learn { lesson } => format!("{:.2} {lesson}", lesson.confidence),
        LessonChange::Use { succeeded, .. } => format!("used, succeeded: {succeeded}"),
        LessonChange::Remove { .. } => "remove".to_owned(),
        LessonChange::Judged { agreed, .. } => format!("judged, agreed: {agreed}"),
    };
    changes.iter().map(sentence).collect()
}

const THREE: [&str; 3] = ["Customers", "PROD_Customers", "Customers_Archive"];

#[test]
fn a_correction_is_asked_for_once() {
    let memory = VolatileLessons::default();
    let settled = chose("PROD_Customers", &["Customers", "Customers_Archive"]);
    let facts =
        TurnFacts { settled: &settled, ..facts("show customer data", "SELECT * FROM PROD_Customers") };
    let changes = learn(&facts, &shop());
    assert_eq!(
        sentences(&changes),
        ["0.95 use table `PROD_Customers` for `Customers` (prefix PROD_), not `Customers_Archive`"]
    );
    memory.record(Some(facts.turn), &changes).unwrap();

    let settle =
        |question: &str| memory.lessons().settle(question, &THREE, "shop", &shop()).map(|(table, _)| table);
    assert_eq!(settle("How many customers are there?"), Some("PROD_Customers"));
    assert_eq!(settle("How many clients are there?"), Some("PROD_Customers"), "by another word");
    assert_eq!(settle("list the archived customers"), None, "the question speaks for another table");
    let recall = memory.lessons().recall("all customers", "another shop", &shop());
    assert_eq!(
        recall,
        memory.lessons().recall("customers", "another shop", &shop()),
        "it is about one database"
    );
    assert!(recall.relevant.is_empty());
    let four = ["Customers", "PROD_Customers", "Customers_Archive", "PROD_Orders"];
    assert_eq!(memory.lessons().settle("customers", &four, "shop", &shop()), None, "one was never ruled out");
}

#[test]
fn the_newest_correction_wins_and_the_older_one_loses_trust() {
    let memory = VolatileLessons::default();
    let first = chose("PROD_Customers", &["Customers", "Customers_Archive"]);
    let first = TurnFacts { settled: &first, ..facts("show customers", "SELECT * FROM PROD_Customers") };
    memory.record(Some("1"), &learn(&first, &shop())).unwrap();
    let known = Arc::clone(memory.lessons().list(&Filter::default()).next().unwrap());

    let second = chose("Customers", &["PROD_Customers", "Customers_Archive"]);
    let used = [Arc::clone(&known)];
    let second = TurnFacts {
        turn: "turn-2",
        at: at(2),
        settled: &second,
        used: &used,
        ..facts("show customers", "SELECT * FROM Customers")
    };
    let changes = learn(&second, &shop());
    assert_eq!(
        sentences(&changes),
        ["0.95 use table `Customers`, not `PROD_Customers`, `Customers_Archive`"],
        "the lesson that was contradicted is not counted as a success"
    );
    let recorded = memory.record(Some("2"), &changes).unwrap();
    assert!(matches!(
        recorded.effects.as_slice(),
        [Effect::Contradicted { id, confidence, .. }, Effect::Learned { .. }] if *id == known.id && *confidence < 0.5
    ));
    let settled = || memory.lessons().settle("customers", &THREE, "shop", &shop()).map(|(table, _)| table);
    assert_eq!(settled(), Some("Customers"));
    assert_eq!(TableMapper::new(&memory.lessons(), "shop", &shop()).transform("Customers").to, "Customers");

    // And back again: the first one is trusted as much as the new one would be.
    let third = TurnFacts { turn: "turn-3", at: at(3), ..first };
    memory.record(Some("3"), &learn(&third, &shop())).unwrap();
    assert_eq!(settled(), Some("PROD_Customers"));
}

#[test]
fn a_recovery_teaches_the_one_name_that_was_exchanged() {
    let schema = shop();
    let learned = |failed: &str, error: &str, sql: &str| {
        let failed = [FailedAttempt { sql: failed, error }];
        sentences(&learn(&TurnFacts { failed: &failed, ..facts("total of orders", sql) }, &schema))
    };
    assert_eq!(
        learned(
            "SELECT sum(total) FROM Orders",
            "no such table: Orders",
            "SELECT sum(total) FROM PROD_Orders"
        ),
        ["0.90 use table `PROD_Orders` for `Orders` (prefix PROD_)"]
    );
    assert_eq!(
        learned("SELECT sum(total) FROM Sales", "no such table: Sales", "SELECT sum(total) FROM PROD_Orders"),
        ["0.80 use table `PROD_Orders` for `Sales` (rename)"]
    );
    assert_eq!(
        learned(
            "SELECT sum(amount) FROM PROD_Orders",
            "no such column: amount in SELECT sum(amount) at offset 11",
            "SELECT sum(total) FROM PROD_Orders"
        ),
        ["0.85 after \"no such column: amount\": use `PROD_Orders.total` instead of `amount`"]
    );
    let nothing: [&str; 0] = [];
    assert_eq!(
        learned(
            "SELECT a FROM Orders",
            "no such table: Orders",
            "SELECT b, c FROM PROD_Customers, PROD_Orders"
        ),
        nothing
    );
    assert_eq!(
        learned("SELECT 1 FROM Customers", "timeout", "SELECT 1 FROM PROD_Customers"),
        nothing,
        "both exist"
    );
    assert_eq!(learned("SELECT total FROM Orders", "syntax", "SELECT total FROM nowhere"), nothing);
}

#[test]
fn nothing_is_learned_from_a_guess() {
    let settled = chose("PROD_Customers", &["Customers"]);
    let guess = facts("customers", "SELECT * FROM PROD_Customers");
    assert_eq!(learn(&guess, &shop()), []);
    for outcome in [Outcome::Failed, Outcome::Open] {
        assert_eq!(learn(&TurnFacts { outcome, settled: &settled, ..guess }, &shop()), []);
    }
    let other = TurnFacts { settled: &settled, ..facts("customers", "SELECT * FROM PROD_Orders") };
    assert_eq!(learn(&other, &shop()), [], "the statement does not use the table");
    let gone = chose("PROD_Clients", &["Customers"]);
    let gone = TurnFacts { settled: &gone, ..facts("customers", "SELECT * FROM PROD_Clients") };
    assert_eq!(learn(&gone, &shop()), [], "there is no such table");
}

#[test]
fn every_kind_is_learned_and_recalled() {
    let settled = [
        Settled::Column {
            term: "region".into(),
            column: ColumnRef::new("PROD_Customers", "geographic_area"),
        },
        Settled::Value {
            term: "EMEA".into(),
            column: ColumnRef::new("PROD_Customers", "geographic_area"),
            value: "Europe".into(),
        },
        Settled::Join {
            left: ColumnRef::new("PROD_Orders", "customer_id"),
            right: ColumnRef::new("PROD_Customers", "id"),
        },
        Settled::Reading,
    ];
    let facts = TurnFacts {
        settled: &settled,
        ..facts("revenue of the best customers", "SELECT 1 FROM PROD_Orders")
    };
    let changes = learn(&facts, &shop());
    assert_eq!(
        sentences(&changes),
        [
            "0.95 \"region\" means the column `PROD_Customers.geographic_area`",
            "0.95 \"EMEA\" means `PROD_Customers.geographic_area` = 'Europe'",
            "0.95 join `PROD_Orders` with `PROD_Customers` on `PROD_Orders.customer_id` = `PROD_Customers.id`",
            "0.95 for \"revenue of the best customers\": SELECT 1 FROM PROD_Orders",
        ]
    );
    let memory = VolatileLessons::default();
    memory.record(None, &changes).unwrap();
    let lessons = memory.lessons();
    let recalled = |question: &str| lessons.recall(question, "shop", &shop()).relevant;
    // The question that was confirmed is an example for those that are like it.
    assert_eq!(recalled("customers by Regions").len(), 2);
    assert_eq!(recalled("customers in EMEA").len(), 2);
    assert_eq!(recalled("the best customers by revenue").len(), 1);
    assert_eq!(recalled("what else is there").len(), 0);
    let (join, _) = lessons.join_between("prod_customers", "PROD_ORDERS", "shop", &shop()).unwrap();
    assert_eq!(join.left.column, "customer_id");
    assert!(lessons.join_between("Customers", "PROD_Orders", "shop", &shop()).is_none());
}

#[test]
fn use_raises_and_lowers_trust_until_a_lesson_is_retired() {
    let memory = VolatileLessons::default();
    let origin = Origin::Recovery { at: at(1), question: String::new(), turn: String::new() };
    let lesson = Lesson::new(Teaching::table("Orders", "PROD_Orders"), Some("shop"), origin);
    memory.add(lesson.clone()).unwrap();
    let used = |turn: &str, succeeded: bool| {
        let change = LessonChange::Use { id: lesson.id.clone(), succeeded, at: at(9) };
        memory.record(Some(turn), &[change]).unwrap();
        Arc::clone(memory.lessons().get(&lesson.id).unwrap())
    };
    let after = used("a", true);
    assert!(after.confidence > 0.8 && after.usage_count == 1 && after.success_rate == 1.0);
    let again = used("a", true);
    assert_eq!(again.usage_count, 1, "the same turn counts once");
    let mut turn = 0;
    while memory.lessons().get(&lesson.id).unwrap().retired.is_none() {
        turn += 1;
        used(&turn.to_string(), false);
    }
    assert_eq!(turn, 5);
    assert_eq!(memory.lessons().list(&Filter::default()).count(), 0);
    assert_eq!(memory.lessons().list(&Filter { retired: true, ..Filter::default() }).count(), 1);
    assert_eq!(TableMapper::new(&memory.lessons(), "shop", &shop()).transform("Orders").lesson, None);
}

#[test]
fn hand_written_lessons_win_and_lessons_that_contradict_the_schema_are_reported() {
    let hand = Lesson::new(Teaching::table("Clients", "Customers"), None, Origin::HandWritten);
    let gone = Lesson::new(Teaching::table("Invoices", "PROD_Invoices"), None, Origin::HandWritten);
    let memory = VolatileLessons::new([hand.clone(), gone.clone()]);
    let origin = Origin::Correction { at: at(1), question: "clients".into(), turn: "t".into() };
    memory.add(Lesson::new(Teaching::table("Clients", "PROD_Customers"), Some("shop"), origin)).unwrap();
    let lessons = memory.lessons();
    let mapper = TableMapper::new(&lessons, "shop", &shop());
    let names = mapper.transform_multiple(["clients", "Invoices", "PROD_Orders"]);
    let names: Vec<&str> = names.iter().map(|name| name.to.as_str()).collect();
    assert_eq!(names, ["Customers", "Invoices", "PROD_Orders"]);
    let recall = lessons.recall("clients", "shop", &shop());
    assert_eq!(recall.ignored.len(), 1);
    assert_eq!(recall.ignored[0].lesson.id, gone.id);
    assert_eq!(recall.ignored[0].because.to_string(), "there is no table `PROD_Invoices`");
    assert_eq!(recall.relevant[0].lesson.id, hand.id);
}

#[test]
fn a_rule_is_tried_on_names_that_the_schema_does_not_have() {
    let lessons = Lessons::new([Lesson::new(
        Teaching::table("Customers", "PROD_Customers"),
        None,
        Origin::HandWritten,
    )]);
    let mapper = TableMapper::new(&lessons, "shop", &shop());
    assert_eq!(mapper.transform("orders").to, "PROD_Orders");
    assert_eq!(mapper.transform("Customers_Archive").to, "Customers_Archive", "it exists as it is");
    assert_eq!(mapper.transform("Products").to, "Products");
    assert_eq!(mapper.clone().keeping(["customers"]).transform("Customers").to, "Customers");
    assert_eq!(TableMapper::identity().transform("Customers").to, "Customers");
}

#[test]
fn yaml_says_which_entry_is_wrong_and_the_rest_counts() {
    let text = "
version: 1
table_mappings:
  - schema_name: Customers
    actual_name: PROD_Customers
    transformation_rule: add PROD_ prefix
    database: shop
  - schema_name: Orders
  - schema_name: A
    actual_name: B
    colour: red
column_mappings:
  - {term: region, column: Customers.geographic_area, confidence: 0.7}
  - {term: region, column: nowhere}
error_patterns:
  - {error: 'no such table: Customers', fix: use the PROD_ prefix}
query_patterns:
  - {question: orders of customers, template: '…', join: orders.customer_id = customers.id}
recipes: []
";
    let (lessons, problems) = Lessons::from_yaml(text).unwrap();
    assert_eq!(lessons.len(), 4);
    let problems: Vec<String> =
        problems.iter().map(|(place, problem)| format!("{place}: {problem}")).collect();
    assert_eq!(
        problems,
        [
            "table_mappings[1]: missing field `actual_name`",
            "table_mappings[2]: unknown field `colour`, expected one of `schema_name`, `actual_name`, `transformation_rule`, `instead_of`",
            "column_mappings[1]: `nowhere` is not `table.column`",
            "recipes: there is no such section; there are table_mappings, column_mappings, error_patterns, query_patterns, references, keys, metrics",
        ]
    );
    let again = Lessons::from_yaml(&lessons.to_yaml(&Filter::default()).unwrap()).unwrap();
    assert_eq!(again, (lessons, vec![]));
    assert!(Lessons::from_yaml("version: 7").unwrap_err().contains("version 7"));
    assert!(Lessons::from_yaml("table_mappings: [").is_err());
    assert!(Lessons::from_yaml("just words").is_err());
    assert!(Lessons::from_yaml("\n# nothing yet\n").unwrap().0.is_empty());
}
