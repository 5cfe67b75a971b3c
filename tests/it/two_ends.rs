//! Rows with two ends: where they come from and where they go, and matches between two sides.

use sqlogue::QueryInput;
use sqlogue::plan::Confidence;

use crate::support::{File, rows};

const LINES: &str = "
CREATE TABLE airports (iata TEXT PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE flights (
  flight_id INTEGER PRIMARY KEY, origin TEXT REFERENCES airports(iata), destination TEXT REFERENCES airports(iata),
  departed_at TEXT, passengers INTEGER
);
CREATE TABLE parcels (parcel_id INTEGER PRIMARY KEY, from_city TEXT, to_city TEXT, weight REAL);
INSERT INTO airports VALUES
  ('OSL', 'Gardermoen', 'Norway'), ('BGO', 'Flesland', 'Norway'), ('ARN', 'Arlanda', 'Sweden');
INSERT INTO flights VALUES
  (1, 'OSL', 'BGO', '2026-01-01 08:00:00', 100), (2, 'OSL', 'BGO', '2026-01-02 08:00:00', 90),
  (3, 'BGO', 'OSL', '2026-01-03 08:00:00', 80), (4, 'OSL', 'ARN', '2026-01-04 08:00:00', 120),
  (5, 'ARN', 'ARN', '2026-01-05 08:00:00', 10);
INSERT INTO parcels VALUES
  (1, 'Lyon', 'Nice', 1), (2, 'Lyon', 'Nice', 2), (3, 'Nice', 'Lyon', 6), (4, 'Lyon', 'Brest', 4);
";

const LEAGUE: &str = "
CREATE TABLE teams (team_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE matches (
  match_id INTEGER PRIMARY KEY, played_on TEXT, home_team_id INTEGER REFERENCES teams(team_id),
  away_team_id INTEGER REFERENCES teams(team_id), home_goals INTEGER, away_goals INTEGER
);
INSERT INTO teams VALUES (1, 'Harbour'), (2, 'Redhill'), (3, 'Larkton');
INSERT INTO matches VALUES
  (1, '2025-03-01', 1, 2, 2, 1), (2, '2025-03-08', 2, 1, 0, 3), (3, '2025-03-15', 3, 1, 1, 1),
  (4, '2025-03-22', 2, 3, 2, 0), (5, '2025-03-29', 1, 3, 0, 1), (6, '2026-04-05', 3, 2, NULL, NULL);
";

#[tokio::test]
async fn a_route_is_both_ends() {
    let file = File::new("lines.sqlite", LINES);
    let engine = file.engine();
    let all = ["Arlanda|Arlanda|1", "Flesland|Gardermoen|1", "Gardermoen|Arlanda|1", "Gardermoen|Flesland|2"];
    for question in ["how many flights from which airport to which airport", "flights between airports"] {
        assert_eq!(rows(&engine, question).await, all, "{question}");
    }
    let by_passengers = rows(&engine, "total passengers per flight route").await;
    let all =
        ["Arlanda|Arlanda|10", "Flesland|Gardermoen|80", "Gardermoen|Arlanda|120", "Gardermoen|Flesland|190"];
    assert_eq!(by_passengers, all);
    assert_eq!(
        rows(&engine, "average weight of parcels per route").await,
        ["Lyon|Brest|4", "Lyon|Nice|1.5", "Nice|Lyon|6"]
    );
}

#[tokio::test]
async fn one_end_is_meant_where_it_is_said() {
    let file = File::new("lines.sqlite", LINES);
    let engine = file.engine();
    let count = async |question: &str| rows(&engine, question).await.concat();
    assert_eq!(count("how many flights to Sweden").await, "2");
    assert_eq!(count("how many flights from Norway").await, "4");
    assert_eq!(count("how many flights are departing from Sweden").await, "1");
    assert_eq!(count("how many flights within Norway").await, "3");
    assert_eq!(count("how many flights between Gardermoen and Flesland").await, "3");
    assert_eq!(
        rows(&engine, "departures and arrivals per airport").await,
        ["Arlanda|1|2", "Flesland|1|2", "Gardermoen|3|1"]
    );
    assert_eq!(count("how many flights end at the same airport").await, "1");
}

#[tokio::test]
async fn a_match_belongs_to_both_sides() {
    let file = File::new("league.sqlite", LEAGUE);
    let engine = file.engine();
    assert_eq!(rows(&engine, "matches per team").await, ["Harbour|4", "Larkton|4", "Redhill|4"]);
    assert_eq!(
        rows(&engine, "number of away matches by team").await,
        ["Harbour|2", "Larkton|2", "Redhill|2"]
    );
    assert_eq!(
        rows(&engine, "how many goals did each team score").await,
        ["Harbour|6", "Larkton|2", "Redhill|3"]
    );
    assert_eq!(rows(&engine, "wins per team").await, ["Harbour|2", "Larkton|1", "Redhill|1"]);
    assert_eq!(rows(&engine, "which team has the most away wins").await.len(), 1);
    assert_eq!(rows(&engine, "how many draws were there in 2025").await, ["1"]);
    assert_eq!(rows(&engine, "teams that never lost at home").await, ["Larkton"]);
    assert_eq!(rows(&engine, "matches between Redhill and Larkton").await.len(), 2);
    assert_eq!(rows(&engine, "how many matches are not yet played").await, ["1"]);
}

#[tokio::test]
async fn who_says_no_end_is_told_which_was_taken() {
    let file = File::new("lines.sqlite", LINES);
    let state = file.engine().query_database(QueryInput::new("flights per airport"), None).await.unwrap();
    assert_ne!(state.answer_confidence, Some(Confidence::High), "{:?}", state.message);
}
