use crate::rules::compose::testing::table;
use crate::rules::{Knowledge, Options, understand};
use sqlogue_sql::schema::{ColumnType, Schema};
use sqlogue_sql::sql::{Dialect, render};

fn first(question: &str) -> String {
    use ColumnType::{Date, Integer, Text};
    let staff = table("staff", &[("staff_id", Integer), ("full_name", Text)], &[]);
    let columns = [
        ("batch_no", Integer),
        ("brewed_on", Date),
        ("due", Date),
        ("litres", Integer),
        ("brewer_id", Integer),
    ];
    let batches = table("batches", &columns, &[("brewer_id", "staff", "staff_id")]);
    let knowledge = Knowledge::from_schema(&Schema { tables: vec![staff, batches] });
    let read = understand(question, &knowledge, &Options::default());
    read.candidates.first().map(|one| render(&one.plan, Dialect::Sqlite)).unwrap_or_default()
}

#[test]
fn who_does_it_is_no_date_of_doing_it() {
    let brewers = first("batches with litres and brewer");
    assert!(brewers.contains("full_name") && !brewers.contains("brewed_on"), "{brewers}");
}

#[test]
fn a_date_need_not_say_that_it_is_one() {
    let due = first("batches with litres and due date");
    assert!(due.contains("due") && !due.contains("brewed_on"), "{due}");
}
