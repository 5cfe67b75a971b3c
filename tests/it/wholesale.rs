//! Questions about a small wholesaler, as its clerks type them: lists of columns, amounts, names with an article, who invited whom.

use std::sync::Arc;

use sqlogue::database::SqliteDatabase;
use sqlogue::plan::Confidence;
use sqlogue::{ConversationState, Engine};

use crate::support::{self, File, repeatable};

const WHOLESALE: &str = "
CREATE TABLE reps (
  id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, hired_on TEXT NOT NULL, left_on TEXT,
  invited_by_id INTEGER REFERENCES reps(id)
);
CREATE TABLE shops (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, town TEXT NOT NULL, rep_id INTEGER REFERENCES reps(id)
);
CREATE TABLE goods (id INTEGER PRIMARY KEY, name TEXT NOT NULL, is_active INTEGER NOT NULL, tasted_on TEXT);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, order_no TEXT NOT NULL, shop_id INTEGER NOT NULL REFERENCES shops(id),
  ordered_on TEXT NOT NULL, wanted_on TEXT, status TEXT NOT NULL
);
CREATE TABLE order_lines (
  id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders(id),
  good_id INTEGER NOT NULL REFERENCES goods(id), quantity INTEGER NOT NULL, unit_price REAL NOT NULL
);
CREATE TABLE bills (
  id INTEGER PRIMARY KEY, bill_no TEXT NOT NULL, order_id INTEGER NOT NULL REFERENCES orders(id),
  issued_on TEXT NOT NULL, due_on TEXT NOT NULL, paid_on TEXT, total REAL NOT NULL
);
INSERT INTO reps VALUES
  (1, 'Ada', 'Falk', '2021-02-01', NULL, NULL), (2, 'Ben', 'Orth', '2022-05-01', '2024-05-20', 1),
  (3, 'Cleo', 'Marsh', '2023-01-10', '2024-04-02', 1), (4, 'Dov', 'Ames', '2020-01-10', NULL, 2);
INSERT INTO shops VALUES (1, 'The Lantern', 'Arden', 1), (2, 'Corner Deli', 'Arden', 2), (3, 'Pantry', 'Holm', 1);
INSERT INTO goods VALUES
  (1, 'Oat biscuits', 1, '2024-01-05'), (2, 'Rye crackers', 0, '2023-03-01'), (3, 'Fig jam', 1, NULL);
INSERT INTO orders VALUES
  (1, 'A-1', 1, '2024-03-01', '2024-03-05', 'delivered'), (2, 'A-2', 2, '2024-04-01', NULL, 'new'),
  (3, 'A-3', 3, '2024-05-02', '2024-05-09', 'confirmed'), (4, 'A-4', 1, '2024-05-12', '2024-05-20', 'new');
INSERT INTO order_lines VALUES
  (1, 1, 1, 10, 3.5), (2, 1, 3, 4, 5.0), (3, 2, 2, 100, 0.2), (4, 3, 1, 6, 3.5), (5, 4, 3, 20, 5.0);
INSERT INTO bills VALUES
  (1, 'B-1', 1, '2024-03-06', '2024-04-05', '2024-04-01', 55.0), (2, 'B-2', 2, '2024-04-02', '2024-05-02', NULL, 20.0),
  (3, 'B-3', 3, '2024-05-03', '2024-06-02', NULL, 21.0);
";

async fn answers(questions: &[&str]) -> Vec<ConversationState> {
    support::answers(WHOLESALE, questions).await
}

async fn all(cases: &[(&str, &str)]) {
    support::all_have(WHOLESALE, cases).await;
}

#[tokio::test]
async fn a_column_of_days_is_called_by_what_was_done_on_them() {
    all(&[
        ("goods: name, tasted date", "SELECT name, tasted_on FROM goods"),
        ("orders with their wanted date", "SELECT order_no, wanted_on FROM orders"),
        ("reps who left since April 2024, latest first", "ORDER BY left_on DESC"),
    ])
    .await;
}

#[tokio::test]
async fn an_amount_is_money_where_there_is_a_price() {
    all(&[
        ("top 2 shops by order value", "sum(order_lines.unit_price * order_lines.quantity)"),
        ("top 2 shops by amount billed", "sum(bills.total)"),
        (
            "overdue bills: number, shop, amount, due date, oldest due date first",
            "bills.total, bills.due_on FROM",
        ),
    ])
    .await;
}

#[tokio::test]
async fn what_is_named_by_common_words_is_found() {
    all(&[
        ("orders of the lantern", "shops.name = 'The Lantern'"),
        ("orders that are new or confirmed", "status = 'new' OR status = 'confirmed'"),
        ("shops w/o an order", "NOT IN (SELECT shop_id FROM orders"),
        ("orders - order no, wanted date", "SELECT order_no, wanted_on FROM orders"),
    ])
    .await;
}

#[tokio::test]
async fn what_is_still_in_use_is_told_by_a_flag() {
    all(&[("current goods", "is_active = 1"), ("goods we still make", "is_active = 1")]).await;
}

#[tokio::test]
async fn a_full_name_in_two_columns_says_who_did_it() {
    let file = File::new("wholesale.sqlite", WHOLESALE);
    let database = Arc::new(SqliteDatabase::open(file.path()).unwrap());
    let engine: Engine = repeatable().database(database).build().unwrap();
    for question in ["who did Ada Falk invite?", "reps invited by Ada Falk"] {
        let answer = engine.ask(question, None).await.unwrap();
        let rows = format!("{:?}", answer.rows.unwrap().rows);
        assert!(rows.contains("Ben") && rows.contains("Cleo") && !rows.contains("Dov"), "{question}: {rows}");
    }
}

#[tokio::test]
async fn a_statement_before_the_question_is_left_out_and_said() {
    let states = answers(&["I have to call them this afternoon. Which bills are overdue?"]).await;
    let state = states.first().unwrap();
    let sql = state.query.clone().unwrap_or_default();
    assert!(sql.contains("paid_on IS NULL AND due_on <"), "{sql}");
    assert_eq!(state.answer_confidence, Some(Confidence::Low));
}
