//! Times after all that a database tells: the answer says where its dates end, and offers the last such time before that.

use std::sync::Arc;

use sqlogue::database::SqliteDatabase;
use sqlogue::{ConversationState, Engine, QueryInput};

use crate::support::{File, repeatable};

const SALES: &str = "
CREATE TABLE sales (sale_id INTEGER PRIMARY KEY, sold_on TEXT NOT NULL, shop TEXT NOT NULL, amount REAL NOT NULL);
INSERT INTO sales VALUES (1, '2021-03-05', 'Oslo', 10.0), (2, '2022-03-06', 'Oslo', 20.5), (3, '2022-03-31', 'Bergen', 4.5),
  (4, '2022-11-30', 'Oslo', 7.0), (5, '2022-12-30', 'Bergen', 3.0);
";

fn engine(file: &File) -> Engine {
    let database = Arc::new(SqliteDatabase::open(file.path()).unwrap());
    repeatable().today(jiff::civil::date(2024, 6, 15)).database(database).build().unwrap()
}

async fn said(engine: &Engine, words: &str, before: Option<ConversationState>) -> ConversationState {
    engine.query_database(QueryInput::new(words), before).await.unwrap()
}

#[tokio::test]
async fn the_last_such_time_is_offered_and_can_be_taken() {
    let file = File::new("sales.sqlite", SALES);
    let engine = engine(&file);
    for (question, earlier, bounds) in [
        ("total amount of sales in March", "2022-03-01 to 2022-03-31", ("2022-03-01", "2022-04-01")),
        ("total amount of sales in 2024", "2022-01-01 to 2022-12-31", ("2022-01-01", "2023-01-01")),
        ("number of sales in the last 7 days", "2022-12-23 to 2022-12-30", ("2022-12-23", "2022-12-31")),
        ("sales this month", "2022-06-01 to 2022-06-30", ("2022-06-01", "2022-07-01")),
    ] {
        let state = said(&engine, question, None).await;
        let message = state.message.clone().unwrap_or_default();
        assert!(
            message.contains("Nothing in `sales.sold_on` is later than 2022-12-30"),
            "{question}: {message}"
        );
        let offered = state.other_readings().first().map(|choice| choice.label.clone()).unwrap_or_default();
        assert_eq!(offered, earlier, "{question}");
        let taken = said(&engine, "2", Some(state)).await;
        let sql = taken.query.clone().unwrap_or_default();
        assert!(sql.contains(bounds.0) && sql.contains(bounds.1), "{question}: {sql}");
    }
}

#[tokio::test]
async fn nothing_is_said_of_times_that_are_told() {
    let file = File::new("sales.sqlite", SALES);
    let engine = engine(&file);
    for question in ["total amount of sales in 2022", "sales in Bergen in November 2022", "sales in May 2022"]
    {
        let state = said(&engine, question, None).await;
        let message = state.message.clone().unwrap_or_default();
        assert!(!message.contains("later than"), "{question}: {message}");
    }
}
