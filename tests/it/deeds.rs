//! Who did what: verbs are told by the columns and rows that say so, and *who* asks for somebody.

use crate::support::{File, rows};

const SALEROOM: &str = "
CREATE TABLE clients (id INTEGER PRIMARY KEY, name TEXT, country TEXT, do_not_contact TEXT);
CREATE TABLE specialists (id INTEGER PRIMARY KEY, name TEXT, hired_on TEXT);
CREATE TABLE sales (id INTEGER PRIMARY KEY, title TEXT, held_on TEXT, auctioneer_id INTEGER REFERENCES specialists(id));
CREATE TABLE lots (
  id INTEGER PRIMARY KEY, sale_id INTEGER REFERENCES sales(id), title TEXT, seller_id INTEGER REFERENCES clients(id),
  buyer_id INTEGER REFERENCES clients(id), reserve_price INTEGER, hammer_price INTEGER, estimate INTEGER, is_star TEXT
);
CREATE TABLE bids (id INTEGER PRIMARY KEY, lot_id INTEGER REFERENCES lots(id), bidder_id INTEGER REFERENCES clients(id), made_on TEXT, amount INTEGER);
CREATE TABLE refunds (id INTEGER PRIMARY KEY, lot_id INTEGER REFERENCES lots(id), refunded_on TEXT, amount INTEGER);
INSERT INTO clients VALUES (1, 'Ada', 'Austria', 'N'), (2, 'Ben', 'France', 'Y'), (3, 'Cleo', 'Austria', 'N'), (4, 'Dov', 'Italy', 'N');
INSERT INTO specialists VALUES (1, 'Ida', '2019-01-01'), (2, 'Per', '2021-01-01');
INSERT INTO sales VALUES (1, 'Spring', '2026-03-01', 1), (2, 'Summer', '2026-06-01', 2), (3, 'Autumn', '2025-10-01', 1);
INSERT INTO lots VALUES
  (1, 1, 'Clock', 3, 1, 80, 150, 100, 'Y'), (2, 1, 'Chair', 3, 1, 60, 70, 90, 'N'),
  (3, 2, 'Ring', 4, 2, 300, 500, 450, 'N'), (4, 3, 'Coin', 2, NULL, 20, NULL, 30, 'N');
INSERT INTO bids VALUES (1, 1, 1, '2026-03-01', 120), (2, 1, 3, '2026-03-01', 110), (3, 3, 2, '2026-06-01', 500), (4, 3, 4, '2026-06-01', 480), (5, 2, 1, '2026-03-01', 70);
INSERT INTO refunds VALUES (1, 2, '2026-04-01', 70);
";

#[tokio::test]
async fn those_who_bought_are_told_by_the_column_of_buyers() {
    let file = File::new("saleroom.sqlite", SALEROOM);
    let engine = file.engine();
    // All of them have bid, and only two have bought.
    for question in [
        "clients who never bought anything",
        "clients who have never bought",
        "which clients have not bought anything",
    ] {
        assert_eq!(rows(&engine, question).await, ["Cleo", "Dov"], "{question}");
    }
    assert_eq!(rows(&engine, "clients who never bid").await, Vec::<String>::new());
}

#[tokio::test]
async fn who_did_it_to_the_first_row_is_somebody() {
    let file = File::new("saleroom.sqlite", SALEROOM);
    let engine = file.engine();
    for question in ["who bought the most expensive lot?", "who bought the priciest lot"] {
        let found = rows(&engine, question).await;
        assert!(matches!(found.as_slice(), [one] if one.starts_with("Ben")), "{question}: {found:?}");
    }
}

const CLUB: &str = "
CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE matches (id INTEGER PRIMARY KEY, played_on TEXT, opponent TEXT);
CREATE TABLE appearances (
  id INTEGER PRIMARY KEY, player_id INTEGER REFERENCES players(id), match_id INTEGER REFERENCES matches(id), is_captain TEXT
);
INSERT INTO players VALUES (1, 'Ann'), (2, 'Bea'), (3, 'Cid');
INSERT INTO matches VALUES (1, '2026-01-01', 'Reds'), (2, '2026-02-01', 'Blues');
INSERT INTO appearances VALUES (1, 1, 1, 'true'), (2, 2, 1, 'false'), (3, 1, 2, 'false'), (4, 3, 2, 'true');
";

#[tokio::test]
async fn who_was_never_so_is_so_in_no_row() {
    let file = File::new("club.sqlite", CLUB);
    let engine = file.engine();
    for question in ["players who have never been captain", "players who were never captain"] {
        assert_eq!(rows(&engine, question).await, ["Bea"], "{question}");
    }
}

#[tokio::test]
async fn what_a_column_denies_is_not_denied_again() {
    let file = File::new("saleroom.sqlite", SALEROOM);
    let engine = file.engine();
    assert_eq!(rows(&engine, "do not contact clients").await, ["Ben"]);
    let others = rows(&engine, "clients without do not contact").await;
    assert!(!others.iter().any(|row| row.contains("Ben")), "{others:?}");
}

#[tokio::test]
async fn things_are_sold_for_their_price_and_not_for_what_they_must_fetch() {
    let file = File::new("saleroom.sqlite", SALEROOM);
    let engine = file.engine();
    assert_eq!(rows(&engine, "lots sold below estimate").await, ["Chair"]);
    let above = rows(&engine, "lots sold above the estimate").await;
    assert_eq!(above, ["Clock", "Ring"]);
}

#[tokio::test]
async fn nothing_is_a_share_of_all_of_itself() {
    let file = File::new("saleroom.sqlite", SALEROOM);
    let engine = file.engine();
    for question in ["refund rate by sale", "refunds as a percentage of refunds"] {
        let state = engine.query_database(question, None).await.unwrap();
        let sql = state.query.clone().unwrap_or_default();
        assert!(
            !sql.contains("refunded_on IS NOT NULL THEN 1") && !sql.contains("count(*)) / count(*)"),
            "{question}: {sql}"
        );
    }
}

#[tokio::test]
async fn two_roles_stand_side_by_side() {
    let file = File::new("saleroom.sqlite", SALEROOM);
    file.execute("UPDATE lots SET seller_id = 1 WHERE id = 2");
    let engine = file.engine();
    for question in ["lots with the same seller and buyer", "lots whose seller is also the buyer"] {
        let found = rows(&engine, question).await;
        assert!(matches!(found.as_slice(), [one] if one.contains("Chair")), "{question}: {found:?}");
    }
}
