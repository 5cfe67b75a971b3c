//! Questions about a small boat hire: how long ago something last happened, both ends of one order, months from and to.

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use sqlogue::plan::Confidence;

use crate::support;

const BOATS: &str = "
CREATE TABLE harbours (id INTEGER PRIMARY KEY, name TEXT NOT NULL, region TEXT NOT NULL, moorings INTEGER NOT NULL);
CREATE TABLE boats (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, hull TEXT NOT NULL, daily_price REAL NOT NULL, built_on TEXT NOT NULL,
  harbour_id INTEGER NOT NULL REFERENCES harbours(id)
);
CREATE TABLE skippers (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, birth_date TEXT NOT NULL, joined_on TEXT NOT NULL
);
CREATE TABLE hires (
  id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats(id), skipper_id INTEGER NOT NULL REFERENCES skippers(id),
  hired_on TEXT NOT NULL, miles REAL NOT NULL
);
CREATE TABLE overhauls (
  id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats(id), opened_on TEXT NOT NULL, cost REAL NOT NULL
);
INSERT INTO harbours VALUES (1, 'Eastquay', 'coast', 40), (2, 'Ferrypoint', 'river', 12), (3, 'Millbay', 'coast', 25);
INSERT INTO boats VALUES
  (1, 'Plover', 'wood', 80.0, '2011-04-01', 1), (2, 'Teal', 'steel', 150.0, '2018-03-01', 1),
  (3, 'Heron', 'wood', 60.0, '2002-07-01', 2), (4, 'Gannet', 'steel', 210.0, '2021-05-01', 3),
  (5, 'Smew', 'wood', 95.0, '2015-02-01', 1);
INSERT INTO skippers VALUES
  (1, 'Ada Falk', '1980-01-05', '2019-03-01'), (2, 'Ben Orth', '1995-06-12', '2021-08-15'),
  (3, 'Cleo Marsh', '1971-11-30', '2016-05-20');
INSERT INTO hires VALUES
  (1, 1, 1, '2026-01-10', 12.5), (2, 1, 2, '2026-03-20', 30.0), (3, 2, 1, '2026-05-31', 8.0),
  (4, 3, 3, '2026-06-05', 44.0), (5, 4, 1, '2025-08-09', 21.0), (6, 2, 2, '2025-07-14', 16.0);
INSERT INTO overhauls VALUES
  (1, 1, '2026-04-16', 300.0), (2, 2, '2026-06-05', 120.0), (3, 2, '2025-12-01', 90.0), (4, 4, '2026-05-16', 800.0);
";

/// The rows of the answer to a question, each as its values with bars between; numbers without their fraction.
fn rows(sql: &str) -> Vec<String> {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(BOATS).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let columns = statement.column_count();
    let said = |value: ValueRef<'_>| match value {
        ValueRef::Null => "none".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => format!("{number:.0}"),
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into_owned(),
    };
    let mut found: Vec<String> = statement
        .query_map([], |row| {
            let values: Vec<String> = (0..columns).map(|at| said(row.get_ref(at).unwrap())).collect();
            Ok(values.join("|"))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    found.sort();
    found
}

async fn all(cases: &[(&str, &[&str])]) {
    let questions: Vec<&str> = cases.iter().map(|(question, _)| *question).collect();
    let mut wrong = Vec::new();
    for ((question, wanted), state) in cases.iter().zip(support::answers(BOATS, &questions).await) {
        let sql = state.query.unwrap_or_else(|| "SELECT 'no answer'".to_owned());
        let found = rows(&sql);
        if found != *wanted {
            wrong.push(format!("{question}\n  wanted {wanted:?}\n  got    {found:?}\n  by     {sql}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn the_time_since_the_last_of_each() {
    let overhauled: &[&str] = &["Gannet|30", "Plover|60", "Teal|10"];
    all(&[
        ("days since the last overhaul per boat", overhauled),
        ("How many days ago was the last overhaul of each boat opened?", overhauled),
        ("for every boat, how many days have passed since the most recent overhaul", overhauled),
        ("number of days since each boat's latest overhaul", overhauled),
        ("weeks since the last hire per skipper", &["Ada Falk|2", "Ben Orth|12", "Cleo Marsh|1"]),
        (
            "how long ago did each skipper last hire a boat (in months)",
            &["Ada Falk|0", "Ben Orth|2", "Cleo Marsh|0"],
        ),
    ])
    .await;
}

#[tokio::test]
async fn the_time_since_the_last_of_all() {
    all(&[
        ("how many days since the last hire?", &["10"]),
        ("how long has it been since the last overhaul?", &["10"]),
        ("days since Ben Orth's last hire", &["87"]),
        ("how many days since the last hire of Plover?", &["87"]),
    ])
    .await;
}

#[tokio::test]
async fn both_ends_of_a_column() {
    let by_moorings: &[&str] = &["Eastquay|40", "Ferrypoint|12"];
    let by_joining: &[&str] = &["Ben Orth|2021-08-15", "Cleo Marsh|2016-05-20"];
    let by_price: &[&str] = &["Gannet|210", "Heron|60"];
    all(&[
        ("first and last skipper to join", by_joining),
        ("which skipper joined first and which joined last?", by_joining),
        ("who joined first and who last?", by_joining),
        ("harbour with the most and harbour with the fewest moorings", by_moorings),
        ("biggest and smallest harbour by number of moorings", by_moorings),
        ("the harbours with the most and the fewest moorings", by_moorings),
        ("which harbour has the most moorings and which has the fewest?", by_moorings),
        ("the oldest and the youngest skipper", &["Ben Orth|1995-06-12", "Cleo Marsh|1971-11-30"]),
        ("the newest and the oldest boat", &["Gannet|2021-05-01", "Heron|2002-07-01"]),
        ("the cheapest and the most expensive boat", by_price),
        ("boat with the lowest and boat with the highest daily price", by_price),
    ])
    .await;
}

#[tokio::test]
async fn both_ends_among_those_that_are_asked_for() {
    all(&[
        ("the cheapest and the most expensive boat with a steel hull", &["Gannet|210", "Teal|150"]),
        ("cheapest and most expensive wood boat", &["Heron|60", "Smew|95"]),
        (
            "the cheapest and the most expensive boat per harbour",
            &["Eastquay|Plover|80", "Eastquay|Teal|150", "Ferrypoint|Heron|60", "Millbay|Gannet|210"],
        ),
        ("the skippers with the most and the fewest hires", &["Ada Falk|3", "Cleo Marsh|1"]),
        ("harbours with the most and the fewest boats", &["Eastquay|3", "Ferrypoint|1", "Millbay|1"]),
    ])
    .await;
}

#[tokio::test]
async fn one_end_and_other_things_are_not_both_ends() {
    all(&[("the lowest and the highest daily price", &["60|210"]), ("the cheapest boat", &["Heron|60"])])
        .await;
    // What is more than two ends is not answered by one, at least not for sure.
    let asked = [
        "the 2 cheapest and the 2 most expensive boats",
        "harbours with the most moorings and the fewest boats",
        "how long ago was each boat last painted?",
    ];
    for state in support::answers(BOATS, &asked).await {
        assert!(state.answer_confidence <= Some(Confidence::Low), "{:?}", state.query);
    }
}

#[tokio::test]
async fn months_from_and_to() {
    support::all_have(
        BOATS,
        &[
            (
                "hires jan-mar 2026, how many",
                "count(*) FROM hires WHERE hired_on >= '2026-01-01' AND hired_on < '2026-04-01'",
            ),
            ("how many hires Jul–Sept 2025", "hired_on >= '2025-07-01' AND hired_on < '2025-10-01'"),
            ("overhauls april-may", "opened_on >= '2026-04-01' AND opened_on < '2026-06-01'"),
            ("hires between may and june 2026", "hired_on >= '2026-05-01' AND hired_on < '2026-07-01'"),
            ("how many hires from march on", "hired_on >= '2026-03-01'"),
            ("how many overhauls since January", "opened_on >= '2026-01-01'"),
            (
                "hires July to September, last year against this year",
                "hired_on >= '2025-07-01' AND hired_on < '2025-10-01'",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_column_called_since_is_no_bound() {
    const CLUB: &str = "
        CREATE TABLE readers (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE passes (
          id INTEGER PRIMARY KEY, reader_id INTEGER NOT NULL REFERENCES readers(id), since TEXT NOT NULL);
        INSERT INTO readers VALUES (1, 'Ida'), (2, 'Jon');
        INSERT INTO passes VALUES (1, 1, '2026-01-05'), (2, 2, '2026-03-01'), (3, 1, '2025-02-02');
    ";
    support::all_have(CLUB, &[("how many passes since January 2026", "since >= '2026-01-01'")]).await;
    let state = &support::answers(CLUB, &["how many passes since January 2026"]).await[0];
    let sql = state.query.clone().unwrap_or_default();
    assert!(!sql.contains("2026-02-01"), "{sql}");
}
