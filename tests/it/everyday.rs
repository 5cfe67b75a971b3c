//! Everyday questions through the whole engine, on some of the databases that the rules may be made
//! on: how many are answered rightly, and that what is wrong says so. `docs/accuracy.md` has the figures of more.

use std::path::{Path, PathBuf};

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
    /// Columns of the queries whose cells are left open: names of bands, say.
    #[serde(default)]
    free_columns: Vec<usize>,
}

/// How questions were answered.
#[derive(Debug, Default)]
struct Tally {
    asked: u32,
    right: u32,
    wrong_unmarked: Vec<String>,
}

/// Questions, and the day that is today for them.
struct Set {
    lines: &'static str,
    today: &'static str,
    /// Which of them are asked, by their ids.
    is_asked: fn(&str) -> bool,
}

/// The first and the third wording of every everyday question.
const EVERYDAY: Set = Set {
    lines: include_str!("../data/everyday/questions.jsonl"),
    today: "2026-11-22",
    is_asked: |id| id.ends_with("-1") || id.ends_with("-3"),
};

/// What people ask in their first ten minutes.
const BASICS: Set =
    Set { lines: include_str!("../data/everyday/basics.jsonl"), today: "2026-11-22", is_asked: |_| true };

/// All that analysts ask.
const ANALYSTS: Set =
    Set { lines: include_str!("../data/analysts/questions.jsonl"), today: "2026-07-01", is_asked: |_| true };

/// The questions of a set on one database.
async fn ask(set: &Set, database: &str, path: &Path) -> Tally {
    let gold = rusqlite::Connection::open(path).unwrap();
    let opened = Arc::new(SqliteDatabase::open(path).unwrap());
    let engine = Engine::builder().database(opened).today(set.today.parse().unwrap()).build().unwrap();
    let mut tally = Tally::default();
    let questions = set.lines.lines().map(|line| serde_json::from_str::<Question>(line).unwrap());
    for question in questions.filter(|question| question.db == database && (set.is_asked)(&question.id)) {
        tally.asked += 1;
        let answer = engine.ask(question.question.as_str(), None).await.unwrap();
        let state = &answer.state;
        let given: Vec<Vec<Value>> = answer.rows.as_ref().map(|rows| rows.rows.clone()).unwrap_or_default();
        let mut golds = std::iter::once(&question.sql).chain(&question.alternatives);
        let is_right = state.status == Status::Completed
            && golds.any(|sql| {
                let right = compare::without(rows_of(&gold, sql), &question.free_columns);
                compare::contains(&right, &given, question.ordered)
            });
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

/// Asks the questions of a set on one database: at least this share of them is right, and hardly any is wrong without a mark.
async fn holds(set: &Set, database: &str, path: &Path, least: f64) {
    let Tally { asked, right, wrong_unmarked } = ask(set, database, path).await;
    let share = f64::from(right) / f64::from(asked);
    assert!(asked >= 60 && share >= least, "{database}: {right} of {asked} are right");
    let wrong = wrong_unmarked.len();
    assert!(
        wrong as f64 <= 0.05 * f64::from(asked),
        "{database}: {wrong} of {asked} are wrong without a mark:\n{}",
        wrong_unmarked.join("\n")
    );
}

/// A database made by a script.
fn made(folder: &Path, name: &str, script: &str) -> PathBuf {
    let path = folder.join(name).with_extension("sqlite");
    rusqlite::Connection::open(&path).unwrap().execute_batch(script).unwrap();
    path
}

#[tokio::test]
async fn everyday_questions_are_answered_or_marked() {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().join("sample.sqlite");
    sample::write(&shop).unwrap();
    let clinic = made(folder.path(), "clinic", include_str!("../data/everyday/clinic.sql"));
    holds(&EVERYDAY, "sample", &shop, 0.80).await;
    holds(&EVERYDAY, "clinic", &clinic, 0.50).await;
}

#[tokio::test]
async fn simple_questions_are_answered_or_marked() {
    let folder = tempfile::tempdir().unwrap();
    let bank = made(folder.path(), "bank", include_str!("../data/everyday/bank.sql"));
    holds(&BASICS, "bank", &bank, 0.65).await;
}

#[tokio::test]
async fn analysts_questions_are_answered_or_marked() {
    let folder = tempfile::tempdir().unwrap();
    let claims = made(folder.path(), "claims", include_str!("../data/analysts/claims.sql"));
    let repairs = made(folder.path(), "repairs", include_str!("../data/analysts/repairs.sql"));
    holds(&ANALYSTS, "claims", &claims, 0.45).await;
    holds(&ANALYSTS, "repairs", &repairs, 0.20).await;
}
