//! Everyday questions through the whole engine, on two of the databases of `tests/data/everyday` that the rules may be made
//! on: how many are answered rightly, and that what is wrong says so. `docs/accuracy.md` has the figures of more.

use std::path::Path;

use serde::Deserialize;
use sqlogue::conversation::Status;
use sqlogue::database::SqliteDatabase;
use sqlogue::plan::Confidence;
use sqlogue::schema::Value;
use sqlogue::{Engine, sample};
use sqlogue_eval::compare;
use std::sync::Arc;

use crate::trust::rows_of;

/// A question with the queries whose rows are right.
#[derive(Debug, Deserialize)]
struct Question {
    id: String,
    db: String,
    question: String,
    sql: String,
    #[serde(default)]
    alternatives: Vec<String>,
    #[serde(default)]
    ordered: bool,
}

/// How questions were answered.
#[derive(Debug, Default)]
struct Tally {
    asked: u32,
    right: u32,
    wrong_unmarked: Vec<String>,
}

/// The first and the third wording of every question on one database.
async fn ask(database: &str, path: &Path) -> Tally {
    let gold = rusqlite::Connection::open(path).unwrap();
    let opened = Arc::new(SqliteDatabase::open(path).unwrap());
    let engine = Engine::builder().database(opened).today("2026-11-22".parse().unwrap()).build().unwrap();
    let mut tally = Tally::default();
    let lines = include_str!("../data/everyday/questions.jsonl").lines();
    let questions = lines.map(|line| serde_json::from_str::<Question>(line).unwrap());
    for question in questions.filter(|question| {
        question.db == database && (question.id.ends_with("-1") || question.id.ends_with("-3"))
    }) {
        tally.asked += 1;
        let answer = engine.ask(question.question.as_str(), None).await.unwrap();
        let state = &answer.state;
        let given: Vec<Vec<Value>> = answer.rows.as_ref().map(|rows| rows.rows.clone()).unwrap_or_default();
        let mut golds = std::iter::once(&question.sql).chain(&question.alternatives);
        let is_right = state.status == Status::Completed
            && golds.any(|sql| compare::contains(&rows_of(&gold, sql), &given, question.ordered));
        let is_marked = state.status != Status::Completed || state.answer_confidence == Some(Confidence::Low);
        if is_right {
            tally.right += 1;
        } else if !is_marked {
            let query = state.query.clone().unwrap_or_default();
            tally.wrong_unmarked.push(format!("{}: {query}", question.question));
        }
    }
    tally
}

#[tokio::test]
async fn everyday_questions_are_answered_or_marked() {
    let folder = tempfile::tempdir().unwrap();
    let (shop, clinic) = (folder.path().join("sample.sqlite"), folder.path().join("clinic.sqlite"));
    sample::write(&shop).unwrap();
    rusqlite::Connection::open(&clinic)
        .unwrap()
        .execute_batch(include_str!("../data/everyday/clinic.sql"))
        .unwrap();
    for (database, path, least) in [("sample", &shop, 0.80), ("clinic", &clinic, 0.50)] {
        let Tally { asked, right, wrong_unmarked } = ask(database, path).await;
        let share = f64::from(right) / f64::from(asked);
        assert!(asked > 90 && share >= least, "{database}: {right} of {asked} are right");
        let wrong = wrong_unmarked.len();
        assert!(
            wrong as f64 <= 0.05 * f64::from(asked),
            "{database}: {wrong} of {asked} are wrong without a mark:\n{}",
            wrong_unmarked.join("\n")
        );
    }
}
