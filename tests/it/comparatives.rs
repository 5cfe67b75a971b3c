//! Comparatives before a number: the adjective says which column is meant, and people say money in whole units and ages in years.

use sqlogue::QueryInput;

use crate::support::{File, converse, rows};

const HIRE: &str = "
CREATE TABLE skippers (id INTEGER PRIMARY KEY, name TEXT, birth_date TEXT);
CREATE TABLE yachts (
  id INTEGER PRIMARY KEY, name TEXT, length_m REAL, built_year INTEGER, insured_until TEXT, day_price_cents INTEGER, berths INTEGER
);
CREATE TABLE trips (
  id INTEGER PRIMARY KEY, yacht_id INTEGER REFERENCES yachts(id), skipper_id INTEGER REFERENCES skippers(id),
  starts_on TEXT, ends_on TEXT, paid_cents INTEGER, min_age INTEGER
);
INSERT INTO skippers VALUES (1, 'Ida Holm', '1950-04-01'), (2, 'Per Lund', '1990-04-01');
INSERT INTO yachts VALUES
  (1, 'Alba', 9.5, 1990, '2027-01-01', 12000, 4), (2, 'Brisa', 14, 2022, '2026-03-01', 30000, 8),
  (3, 'Corva', 11, 2012, NULL, 4950, 6);
INSERT INTO trips VALUES
  (1, 1, 1, '2024-05-01', '2024-05-15', 168000, 12), (2, 2, 2, '2026-02-01', '2026-02-04', 90000, 18),
  (3, 3, 1, '2026-03-01', '2026-03-03', 9900, 6);
";

#[tokio::test]
async fn money_in_cents_is_compared_as_people_say_it() {
    let file = File::new("hire.sqlite", HIRE);
    let engine = file.engine();
    for question in [
        "yachts cheaper than 100",
        "which yachts cost less than 100 a day?",
        "yachts with a day price under 100",
        "yachts less expensive than 100",
        "yachts with a price below 10000 cents",
    ] {
        let found = rows(&engine, question).await;
        assert!(matches!(found.as_slice(), [one] if one.contains("Corva")), "{question}: {found:?}");
    }
    let between = rows(&engine, "yachts with a day price between 100 and 200").await;
    assert!(matches!(between.as_slice(), [one] if one.contains("Alba")), "{between:?}");
    assert_eq!(rows(&engine, "how many trips cost more than 1000?").await, ["1"]);
    let takings = rows(&engine, "skippers with total paid over 1000").await;
    assert_eq!(takings, ["Ida Holm|177900"]);
}

#[tokio::test]
async fn what_is_older_is_told_by_an_age_and_by_no_other_date() {
    let file = File::new("hire.sqlite", HIRE);
    let engine = file.engine();
    for question in ["yachts older than 10 years", "yachts older than 10", "yachts over 10 years old"] {
        assert_eq!(rows(&engine, question).await, ["Alba", "Corva"], "{question}");
    }
    for question in ["skippers older than 65 years", "skippers over 65", "skippers older than 65"] {
        assert_eq!(rows(&engine, question).await, ["Ida Holm"], "{question}");
    }
    let trips = rows(&engine, "how many trips are older than 2 years?").await;
    assert_eq!(trips, ["1"]);
}

#[tokio::test]
async fn lengths_and_sizes_are_told_by_their_adjectives() {
    let file = File::new("hire.sqlite", HIRE);
    let engine = file.engine();
    for question in ["yachts longer than 10 m", "yachts longer than 10", "yachts over 10 metres long"] {
        assert_eq!(rows(&engine, question).await, ["Brisa", "Corva"], "{question}");
    }
    assert_eq!(rows(&engine, "yachts shorter than 10 m").await, ["Alba"]);
    // `min_age` is no number of minutes.
    let longest = rows(&engine, "longest trip").await;
    assert!(matches!(longest.as_slice(), [one] if one.contains("2024-05-15")), "{longest:?}");
    let state = engine.query_database(QueryInput::new("trips lasting more than 7 days"), None).await.unwrap();
    assert!(state.left_out.is_empty(), "{:?}", state.left_out);
}

#[tokio::test]
async fn follow_ups_say_money_in_whole_units_too() {
    let file = File::new("hire.sqlite", HIRE);
    let engine = file.engine();
    let turns = converse(&engine, &["yachts with a day price under 100", "under 200"]).await;
    let last = turns.last().and_then(|turn| turn.query.clone()).unwrap_or_default();
    assert!(last.contains("day_price_cents < 20000"), "{last}");
}
