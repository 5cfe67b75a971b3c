//! Questions about a small ferry line: what its days add up to, what things cost in all, where journeys begin and end, what units name.

use sqlogue::ConversationState;
use sqlogue::plan::Confidence;

use crate::support;

const BOATS: &str = "
CREATE TABLE piers (pier_id INTEGER PRIMARY KEY, pier_name TEXT NOT NULL, district TEXT NOT NULL);
CREATE TABLE boats (boat_id INTEGER PRIMARY KEY, boat_name TEXT NOT NULL, diesel TEXT NOT NULL, bought_on TEXT NOT NULL);
CREATE TABLE crew (crew_id INTEGER PRIMARY KEY, crew_name TEXT NOT NULL, birth_date TEXT NOT NULL, hired_on TEXT NOT NULL);
CREATE TABLE cruises (
  cruise_id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats(boat_id), crew_id INTEGER NOT NULL REFERENCES crew(crew_id),
  from_pier INTEGER NOT NULL REFERENCES piers(pier_id), to_pier INTEGER NOT NULL REFERENCES piers(pier_id),
  started_at TEXT NOT NULL, ended_at TEXT NOT NULL, miles REAL NOT NULL, passengers INTEGER NOT NULL, delayed INTEGER NOT NULL
);
CREATE TABLE diesel_loads (
  load_id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats(boat_id), loaded_on TEXT NOT NULL, gallons REAL NOT NULL,
  price_per_gallon REAL NOT NULL
);
CREATE TABLE upkeep (
  task_id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats(boat_id), opened_on TEXT NOT NULL, closed_on TEXT,
  trade TEXT NOT NULL, cost REAL NOT NULL, yard TEXT NOT NULL
);
CREATE TABLE mishaps (
  mishap_id INTEGER PRIMARY KEY, boat_id INTEGER NOT NULL REFERENCES boats(boat_id), crew_id INTEGER NOT NULL REFERENCES crew(crew_id),
  occurred_on TEXT NOT NULL, damage REAL NOT NULL, closed_on TEXT
);
CREATE TABLE pages (
  page_id INTEGER PRIMARY KEY, title TEXT NOT NULL, pier_id INTEGER NOT NULL REFERENCES piers(pier_id), word_count INTEGER NOT NULL,
  is_premium INTEGER NOT NULL, status TEXT NOT NULL
);
CREATE TABLE page_clicks (
  page_id INTEGER NOT NULL REFERENCES pages(page_id), click_date TEXT NOT NULL, clicks INTEGER NOT NULL, seconds_read INTEGER NOT NULL,
  PRIMARY KEY (page_id, click_date)
);
INSERT INTO piers VALUES (1, 'North Quay', 'Harbour'), (2, 'Mill Stairs', 'Old Town'), (3, 'Swan Point', 'Harbour');
INSERT INTO boats VALUES (1, 'Heron', 'marine', '2019-04-01'), (2, 'Tern', 'marine', '2021-05-02'), (3, 'Gull', 'none', '2023-03-03');
INSERT INTO crew VALUES (1, 'Ona Reed', '1980-02-02', '2019-05-01'), (2, 'Piet Vos', '1991-07-07', '2023-02-01');
INSERT INTO cruises VALUES
  (1, 1, 1, 1, 2, '2024-04-02T10:00:00', '2024-04-02T11:00:00', 4.5, 30, 0),
  (2, 1, 2, 2, 3, '2024-04-02T12:00:00', '2024-04-02T13:30:00', 7.0, 22, 1),
  (3, 2, 1, 1, 1, '2024-05-01T09:00:00', '2024-05-01T12:00:00', 6.0, 41, 0),
  (4, 2, 2, 3, 2, '2023-05-01T09:00:00', '2023-05-01T10:00:00', 3.0, 12, 1);
INSERT INTO diesel_loads VALUES (1, 1, '2024-04-01', 40.0, 3.5), (2, 2, '2024-04-20', 30.0, 3.6), (3, 1, '2023-10-01', 50.0, 3.2);
INSERT INTO upkeep VALUES
  (1, 1, '2024-03-01', '2024-03-05', 'hull', 400.0, 'Lowe'), (2, 1, '2024-04-10', NULL, 'engine', 900.0, 'Brandt'),
  (3, 2, '2024-02-10', '2024-02-11', 'hull', 1000.0, 'Lowe'), (4, 1, '2024-05-02', NULL, 'hull', 150.0, 'Lowe');
INSERT INTO mishaps VALUES (1, 1, 1, '2024-04-02', 120.0, NULL), (2, 2, 2, '2024-05-01', 80.0, '2024-05-10');
INSERT INTO pages VALUES
  (1, 'Tides', 1, 400, 0, 'published'), (2, 'Swans', 3, 1600, 1, 'published'), (3, 'Locks', 2, 900, 0, 'draft'), (4, 'Fog', 1, 700, 0, 'published');
INSERT INTO page_clicks VALUES (1, '2024-05-01', 10, 600), (1, '2024-05-02', 12, 700), (2, '2024-05-01', 40, 9000), (3, '2024-05-03', 1, 20);
";

async fn answers(questions: &[&str]) -> Vec<ConversationState> {
    support::answers(BOATS, questions).await
}

async fn all(cases: &[(&str, &str)]) {
    support::all_have(BOATS, cases).await;
}

#[tokio::test]
async fn what_is_counted_by_the_day_is_added_up() {
    all(&[
        ("how many clicks did we get in May 2024?", "sum(clicks)"),
        ("clicks per page", "sum(page_clicks.clicks)"),
        ("how many cruises did we have in 2024?", "count(*)"),
    ])
    .await;
}

#[tokio::test]
async fn a_unit_names_the_column() {
    all(&[
        ("average length in words by district", "avg(pages.word_count)"),
        ("average cruise length in miles", "avg(miles)"),
        ("how long is a cruise in miles on average?", "avg(miles)"),
        ("longest cruise in miles", "ORDER BY miles DESC LIMIT 1"),
        ("longest page", "ORDER BY word_count DESC LIMIT 1"),
        ("the two shortest pages", "ORDER BY word_count LIMIT 2"),
        // Where no unit is said, a cruise is as long as it takes.
        ("average length of cruises in hours", "strftime('%s', ended_at) - strftime('%s', started_at)"),
    ])
    .await;
}

#[tokio::test]
async fn a_share_is_of_what_stands_before_the_verb() {
    let share = "count(CASE WHEN is_premium = 1 THEN 1 END)) / count(*)";
    for question in [
        "what percentage of published pages is premium?",
        "premium share of published pages",
        "what share of published pages are premium?",
    ] {
        let state = answers(&[question]).await.remove(0);
        let sql = state.query.clone().unwrap_or_default();
        assert!(sql.contains(share) && sql.contains("WHERE status = 'published'"), "{question}: {sql}");
    }
    all(&[(
        "percentage of delayed cruises in 2024 per crew member",
        "WHERE cruises.started_at >= '2024-01-01' AND cruises.started_at < '2025-01-01' GROUP BY crew.crew_id",
    )])
    .await;
}

#[tokio::test]
async fn the_last_one_is_a_row_and_not_a_day() {
    all(&[
        ("last boat bought", "boat_name, bought_on FROM boats ORDER BY bought_on DESC LIMIT 1"),
        (
            "who was the last crew member we hired?",
            "crew_name, hired_on FROM crew ORDER BY hired_on DESC LIMIT 1",
        ),
        ("first boat we bought", "boat_name, bought_on FROM boats ORDER BY bought_on LIMIT 1"),
        ("when was the last boat bought?", "max(bought_on)"),
    ])
    .await;
}

#[tokio::test]
async fn a_date_in_a_list_is_that_of_what_happened() {
    all(&[
        (
            "open mishaps with date, crew name and damage",
            "SELECT mishaps.occurred_on, crew.crew_name, mishaps.damage",
        ),
        ("list the mishaps that are still open: date, crew and damage", "mishaps.occurred_on"),
        ("crew with birth date", "birth_date"),
    ])
    .await;
}

#[tokio::test]
async fn what_something_costs_is_added_up() {
    all(&[
        ("how much have we paid each yard?", "yard, sum(cost) AS"),
        ("what have we spent at each yard for upkeep?", "yard, sum(cost) AS"),
        ("boat with the most upkeep cost", "sum(upkeep.cost) AS total_cost FROM upkeep"),
        ("diesel cost per boat", "sum(diesel_loads.price_per_gallon * diesel_loads.gallons)"),
        ("what did diesel cost us in 2024?", "sum(price_per_gallon * gallons)"),
        ("how much did we spend on diesel?", "sum(price_per_gallon * gallons)"),
        ("average price per gallon", "avg(price_per_gallon)"),
    ])
    .await;
    // Prices of one gallon do not add up.
    let total = answers(&["total price per gallon"]).await.remove(0);
    assert!(!total.query.clone().unwrap_or_default().contains("sum(price_per_gallon)"), "{:?}", total.query);
}

#[tokio::test]
async fn rows_are_called_by_what_their_keys_number() {
    all(&[
        ("upkeep tasks that are not closed", "* FROM upkeep WHERE closed_on IS NULL"),
        ("how many tasks are not closed?", "count(*) FROM upkeep WHERE closed_on IS NULL"),
        ("5 most expensive upkeep tasks", "* FROM upkeep ORDER BY cost DESC LIMIT 5"),
    ])
    .await;
}

#[tokio::test]
async fn neither_is_not_both() {
    let neither = "boat_id NOT IN (SELECT boat_id FROM mishaps WHERE boat_id IS NOT NULL) AND boat_id NOT IN (SELECT boat_id FROM upkeep";
    all(&[
        ("boats without a mishap and without any upkeep task", neither),
        ("boats with no mishaps and no upkeep", neither),
    ])
    .await;
}

#[tokio::test]
async fn the_end_of_a_journey_is_the_one_that_is_said() {
    all(&[
        ("passengers per to pier", "to_pier.pier_name, sum(cruises.passengers)"),
        (
            "cruises, miles and passengers by from pier",
            "from_pier.pier_name, count(*) AS count, sum(cruises.miles) AS total_miles, sum(cruises.passengers)",
        ),
    ])
    .await;
    // Which of them is meant is not said: that is told.
    for state in answers(&["passengers per pier"]).await {
        assert_ne!(state.answer_confidence, Some(Confidence::High), "{:?}", state.query);
    }
    // Each is counted alone where both are.
    for state in answers(&["cruises from and cruises to each pier"]).await {
        let sql = state.query.unwrap_or_default();
        assert!(sql.contains("WHERE from_pier =") && sql.contains("WHERE to_pier ="), "{sql}");
    }
}

#[tokio::test]
async fn bands_end_where_the_next_begins() {
    all(&[
        (
            "pages by word count: under 500, 500 to less than 1000, at least 1000",
            "WHEN word_count < 1000 THEN",
        ),
        (
            "how many pages have under 500 words, from 500 to under 1,000, and 1,000 or more?",
            "WHEN word_count < 1000 THEN",
        ),
        ("cruises by miles: less than 4, 4 to less than 6.5, at least 6.5", "miles < 4"),
    ])
    .await;
}
