//! Columns that are asked for one after the other: each is one of the rows that are spoken of, or of what these refer to.

use sqlogue::QueryInput;

use crate::support::{File, rows};

const WORKSHOP: &str = "
CREATE TABLE clients (id INTEGER PRIMARY KEY, name TEXT, city TEXT, opened_on TEXT, contact_days INTEGER);
CREATE TABLE mechanics (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, email TEXT, town TEXT);
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY, job_no TEXT UNIQUE, client_id INTEGER REFERENCES clients(id),
  mechanic_id INTEGER REFERENCES mechanics(id), checked_by_id INTEGER REFERENCES mechanics(id),
  opened_on TEXT, due_on TEXT, closed_on TEXT, job_type TEXT, total REAL
);
CREATE TABLE parts (id INTEGER PRIMARY KEY, job_id INTEGER REFERENCES jobs(id), title TEXT, number INTEGER, price REAL);
INSERT INTO clients VALUES (1, 'Harbour Taxi', 'Oslo', '2020-01-01', 5), (2, 'Green Vans', 'Bergen', '2021-01-01', 9);
INSERT INTO mechanics VALUES (1, 'Ida', 'Holm', 'ida@x', 'Oslo'), (2, 'Per', 'Lund', 'per@x', 'Bergen');
INSERT INTO jobs VALUES
  (1, 'J-1', 1, 1, 2, '2026-01-05', '2026-01-09', '2026-01-08', 'brakes', 300),
  (2, 'J-2', 1, 2, NULL, '2026-01-06', '2026-01-12', NULL, 'tyres', 500),
  (3, 'J-3', 2, NULL, 1, '2026-01-07', '2026-01-14', NULL, 'brakes', 700);
INSERT INTO parts VALUES (1, 1, 'pad', 4, 20), (2, 2, 'tyre', 2, 90), (3, 2, 'valve', 2, 3);
";

#[tokio::test]
async fn columns_behind_a_mark_are_all_that_is_shown() {
    let file = File::new("workshop.sqlite", WORKSHOP);
    let engine = file.engine();
    // A job without a mechanic is one of them too, and `opened` is that of the job.
    let all = ["J-1|Harbour Taxi|Ida|Holm|2026-01-05", "J-2|Harbour Taxi|Per|Lund|2026-01-06"];
    let last = "J-3|Green Vans|NULL|NULL|2026-01-07";
    for question in [
        "jobs: number, client, mechanic, opened",
        "jobs - number, client, mechanic and date",
        "list the jobs: number, client, who the mechanic is, when it was opened",
        "all jobs. Show the number, the client, the mechanic and the date.",
    ] {
        let found = rows(&engine, question).await;
        assert_eq!(found, [all[0], all[1], last], "{question}");
    }
}

#[tokio::test]
async fn conditions_stand_before_the_columns() {
    let file = File::new("workshop.sqlite", WORKSHOP);
    let engine = file.engine();
    for question in [
        "open jobs: number, client, due date",
        "which jobs are not closed yet? number, client and due date please",
        "For each job that is still open I need the number, the client and the due date",
    ] {
        let found = rows(&engine, question).await;
        assert_eq!(found, ["J-2|Harbour Taxi|2026-01-12", "J-3|Green Vans|2026-01-14"], "{question}");
    }
    let largest = rows(&engine, "the 2 biggest jobs: number, client, date, total").await;
    assert_eq!(largest, ["J-2|Harbour Taxi|2026-01-06|500", "J-3|Green Vans|2026-01-07|700"]);
}

#[tokio::test]
async fn the_name_of_a_person_is_whole() {
    let file = File::new("workshop.sqlite", WORKSHOP);
    let engine = file.engine();
    for question in
        ["mechanics: name, email", "for each mechanic: full name, email", "mechanics - name and email"]
    {
        let found = rows(&engine, question).await;
        assert_eq!(found, ["Ida|Holm|ida@x", "Per|Lund|per@x"], "{question}");
    }
    let of_jobs = rows(&engine, "jobs: number, mechanic's name, type").await;
    assert_eq!(of_jobs, ["J-1|Ida|Holm|brakes", "J-2|Per|Lund|tyres", "J-3|NULL|NULL|brakes"]);
}

#[tokio::test]
async fn rows_keep_their_names_beside_columns() {
    let file = File::new("workshop.sqlite", WORKSHOP);
    let engine = file.engine();
    let found = rows(&engine, "all clients with city and number of jobs").await;
    assert_eq!(found, ["Green Vans|Bergen|1", "Harbour Taxi|Oslo|2"]);
    let found = rows(&engine, "jobs of Harbour Taxi with client, mechanic and type").await;
    assert_eq!(found, ["J-1|Harbour Taxi|Ida|Holm|brakes", "J-2|Harbour Taxi|Per|Lund|tyres"]);
}

#[tokio::test]
async fn what_is_no_column_of_the_rows_is_not_taken_for_one() {
    let file = File::new("workshop.sqlite", WORKSHOP);
    let engine = file.engine();
    // Groups are summed up, and have no columns of rows.
    let found = rows(&engine, "jobs by type: count and total").await;
    assert_eq!(found, ["brakes|2|1000", "tyres|1|500"]);
    // A colour is nowhere, and that is said.
    let state = engine.query_database(QueryInput::new("jobs: number, colour"), None).await.unwrap();
    assert!(state.left_out.iter().any(|word| word.contains("colour")), "{:?}", state.left_out);
}
