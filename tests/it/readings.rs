//! An answer with the other readings of its question beside it: when they are offered, how one is taken, where they are said.

use std::sync::Arc;

use serde_json::{Value, json};
use sqlogue::ambiguity::Choice;
use sqlogue::conversation::{ConversationState, LoadError, Route, Status};
use sqlogue::engine::{TurnOptions, Turned};
use sqlogue::graph::journal::{Journal, MemoryJournal};
use sqlogue::intent::Intent;
use sqlogue::lesson::{Filter, LessonMemory, VolatileLessons};
use sqlogue::plan::Confidence;
use sqlogue::{Engine, QueryInput};

use crate::cli_kit::{Outcome, call};
use crate::support::{File, converse};

const CARGO: &str = "
    CREATE TABLE shipment (id INTEGER PRIMARY KEY, name TEXT, port TEXT, net_weight REAL, gross_weight REAL);
    INSERT INTO shipment VALUES (1, 'Ada', 'Oslo', 1, 2), (2, 'Bea', 'Rome', 3, 9), (3, 'Cleo', 'Oslo', 9, 4.5),
        (4, 'Dora', 'Rome', 4, 7);
";

/// It does not say which weight, and the first of them is taken.
const HEAVIEST: &str = "name of the heaviest shipment";

/// It says neither, and asks for several.
const HEAVY: &str = "heaviest 3 shipments";

fn heaviest_by(column: &str) -> String {
    format!("SELECT name FROM shipment ORDER BY {column} DESC LIMIT 1")
}

/// The labels of the other readings with their SQL.
fn offered(choices: &[Choice]) -> Vec<(&str, &str)> {
    choices.iter().map(|choice| (choice.label.as_str(), choice.sql.as_deref().unwrap())).collect()
}

/// The conversation after an answer.
async fn answered(engine: &Engine, input: &str, before: Option<&ConversationState>) -> ConversationState {
    let state = engine.query_database(input, before.cloned()).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{input}: {:?} {:?}", state.error, state.pending);
    state
}

fn sql(state: &ConversationState) -> &str {
    state.query.as_deref().unwrap()
}

/// The same conversation as if no other reading had been offered.
fn without(state: &ConversationState) -> ConversationState {
    let mut state = state.clone();
    state.readings = None;
    state
}

#[tokio::test]
async fn the_likeliest_is_answered_and_the_others_stand_beside_it() {
    let file = File::new("cargo.sqlite", CARGO);
    let answer = file.engine().ask(HEAVIEST, None).await.unwrap();
    let state = &answer.state;
    assert_eq!((state.status, &state.pending), (Status::Completed, &None));
    assert_eq!(sql(state), heaviest_by("net_weight"));
    assert!(answer.rows.as_ref().is_some_and(|rows| rows.len() == 1));
    assert!(state.answer_confidence <= Some(Confidence::Medium), "{:?}", state.answer_confidence);
    let gross = heaviest_by("gross_weight");
    assert_eq!(offered(answer.readings()), [("shipment.gross_weight", gross.as_str())]);
    assert!(answer.readings().iter().all(|choice| choice.preview.is_none()), "rows stay out of the state");
}

/// What a person would say for the second reading, and for what was answered.
#[tokio::test]
async fn a_reading_is_taken_by_its_number_or_its_words() {
    let file = File::new("cargo.sqlite", CARGO);
    let engine = file.engine();
    let state = answered(&engine, HEAVIEST, None).await;
    for (said, column) in [
        ("2", "gross_weight"),
        ("#2", "gross_weight"),
        ("the second", "gross_weight"),
        ("the other one", "gross_weight"),
        ("shipment.gross_weight", "gross_weight"),
        ("take shipment.gross_weight", "gross_weight"),
        ("I meant the gross weight", "gross_weight"),
        ("1", "net_weight"),
        ("the first one", "net_weight"),
    ] {
        let taken = answered(&engine, said, Some(&state)).await;
        assert_eq!(sql(&taken), heaviest_by(column), "{said}");
        assert_eq!(
            (taken.intent, taken.route),
            (Some(Intent::Correction), Some(Route::Correction)),
            "{said}"
        );
        assert_eq!(taken.answer_confidence, Some(Confidence::High), "{said}");
        assert_eq!((taken.corrections.len(), taken.other_readings()), (1, [].as_slice()), "{said}");
        // It is the query that the next follow-up changes.
        let next = answered(&engine, "only from Oslo", Some(&taken)).await;
        assert!(
            sql(&next).contains("port = 'Oslo'") && sql(&next).contains(column),
            "{said}: {:?}",
            next.query
        );
    }
}

/// A number that stands for nothing, words for what was answered, a follow-up, a question: all as without readings.
#[tokio::test]
async fn other_inputs_are_what_they_are_without_readings() {
    let file = File::new("cargo.sqlite", CARGO);
    let engine = file.engine();
    let state = answered(&engine, HEAVIEST, None).await;
    assert!(!state.other_readings().is_empty());
    for said in [
        "3",
        "0",
        "by net weight",
        "only from Oslo",
        "How many shipments are there?",
        "/new 2",
        "thanks",
        "xyzzy",
    ] {
        let (beside, alone) = (state.clone(), without(&state));
        let beside = engine.query_database(said, Some(beside)).await.unwrap();
        let alone = engine.query_database(said, Some(alone)).await.unwrap();
        let seen = |state: &ConversationState| {
            (
                state.status,
                state.intent,
                state.route,
                state.query.clone(),
                state.error.clone(),
                state.message.clone(),
            )
        };
        assert_eq!(seen(&beside), seen(&alone), "{said}");
        assert_eq!(beside.other_readings(), alone.other_readings(), "{said}");
        assert!(beside.corrections.is_empty(), "{said}");
    }
}

/// Where a turn fails the answer before it stands, and so do the readings beside it. A new answer has its own.
#[tokio::test]
async fn readings_stand_until_the_next_answer() {
    let file = File::new("cargo.sqlite", CARGO);
    let engine = file.engine();
    for (inputs, stands) in [
        (&[HEAVIEST, "thanks", "xyzzy", "2"][..], true),
        (&[HEAVIEST, "How many shipments are there?", "2"], false),
        (&[HEAVIEST, "only from Oslo", "2"], false),
        (&[HEAVIEST, "2", "2"], false),
    ] {
        let last = converse(&engine, inputs).await.pop().unwrap();
        let taken = last.query == Some(heaviest_by("gross_weight"));
        assert_eq!(taken, stands, "{inputs:?}: {:?} {:?}", last.query, last.message);
        if stands {
            continue;
        }
        let mut before = converse(&engine, &inputs[..inputs.len() - 1]).await.pop().unwrap();
        assert_eq!(before.readings.take(), None, "{inputs:?}");
    }
}

#[tokio::test]
async fn readings_with_the_rows_of_the_answer_are_not_offered() {
    let file = File::new("cargo.sqlite", CARGO);
    file.execute("UPDATE shipment SET gross_weight = net_weight + 1");
    let state = answered(&file.engine(), HEAVIEST, None).await;
    assert_eq!((sql(&state), state.other_readings()), (heaviest_by("net_weight").as_str(), [].as_slice()));
}

/// What no word decides is still asked about before anything is answered.
#[tokio::test]
async fn a_tie_is_asked_about() {
    let file = File::new("cargo.sqlite", CARGO);
    let engine = file.engine();
    let state = engine.query_database("What is the average weight of shipments?", None).await.unwrap();
    assert_eq!((state.status, state.pending.is_some()), (Status::AwaitingCorrection, true));
    assert!(state.other_readings().is_empty() && state.readings.is_none());
}

/// The yes is for the one query that is shown: the readings beside it are offered without having run.
#[tokio::test]
async fn they_are_offered_after_a_yes_too() {
    let file = File::new("cargo.sqlite", CARGO);
    let engine = file.engine();
    let options = TurnOptions { confirm: true, ..TurnOptions::default() };
    let Turned::Paused(paused) = engine.turn(HEAVIEST, None, options.clone()).await.unwrap() else {
        panic!("it must wait for a yes")
    };
    assert_eq!(paused.sql(), heaviest_by("net_weight"));
    let Turned::Done(answer) = engine.approve(*paused, true, options).await.unwrap() else {
        panic!("one yes is enough")
    };
    assert_eq!(answer.state.status, Status::Completed);
    assert_eq!(answer.readings()[0].label, "shipment.gross_weight");
}

/// What was wanted beside the question holds for every reading of it.
#[tokio::test]
async fn what_was_wanted_beside_the_question_holds() {
    let file = File::new("cargo.sqlite", CARGO);
    let engine = file.engine();
    let state = engine.query_database(QueryInput::new(HEAVY).result_limit(2), None).await.unwrap();
    assert!(sql(&state).ends_with(" LIMIT 2"), "{:?}", state.query);
    let second = state.other_readings()[0].sql.clone().unwrap();
    assert!(second.ends_with(" LIMIT 2"), "{second}");
    let state = ConversationState::from_json(&state.to_json().unwrap()).unwrap();
    assert_eq!(sql(&answered(&engine, "2", Some(&state)).await), second);
}

/// A follow-up that stands for a question of its own has readings too, and taking one goes back to that question.
#[tokio::test]
async fn a_follow_up_has_them_too() {
    let file = File::new("cargo.sqlite", CARGO);
    let engine = file.engine();
    let inputs = ["How many shipments are there?", "and the heaviest shipment?", "2", "only from Oslo"];
    let states = converse(&engine, &inputs).await;
    // Whether the weight is shown beside the name is not what this is about.
    let goes_by = |at: usize, column: &str| {
        sql(&states[at]).ends_with(&format!(" FROM shipment ORDER BY {column} DESC LIMIT 1"))
    };
    assert!(goes_by(1, "net_weight") && states[1].route == Some(Route::Rewrite), "{}", sql(&states[1]));
    assert!(goes_by(2, "gross_weight") && states[2].route == Some(Route::Correction), "{}", sql(&states[2]));
    assert_eq!(states[2].answer_confidence, Some(Confidence::High));
    assert!(sql(&states[3]).contains("port = 'Oslo'") && sql(&states[3]).contains("gross_weight"));
}

/// A follow-up that changes the last query has them where other ways to take it come near: each says what it would change, has
/// other rows, and is taken by its number. The edits that were made first are not made again on top.
#[tokio::test]
async fn other_ways_to_change_the_last_query_stand_beside_it() {
    let engine = Engine::builder().database(Arc::new(sqlogue::sample::open().unwrap())).build().unwrap();
    let talks = [
        ("show the orders of last month", "which customers placed them?"),
        ("show all orders", "which customers placed them?"),
        ("show all orders", "also show the name of the customer"),
        ("revenue by country", "what about 2025?"),
        ("revenue by month in 2025", "per customer"),
        ("show the products", "cheap ones"),
        ("number of customers by segment", "and the country"),
    ];
    let mut offered = 0;
    for (first, then) in talks {
        let state = engine.query_database(first, None).await.unwrap();
        let state = engine.query_database(then, Some(state)).await.unwrap();
        let Some(other) = state.other_readings().first().cloned() else { continue };
        let changes = matches!(state.route, Some(Route::Inline | Route::Update));
        offered += usize::from(changes);
        assert!(!changes || state.answer_confidence < Some(Confidence::High), "{then}");
        assert!(
            !other.meaning.is_empty() && other.sql.as_deref() != state.query.as_deref(),
            "{then}: {other:?}"
        );
        let taken = answered(&engine, "2", Some(&state)).await;
        assert_eq!(
            (taken.query.as_deref(), taken.route),
            (other.sql.as_deref(), Some(Route::Correction)),
            "{then}"
        );
    }
    assert!(offered > 0, "nothing was offered");
}

/// It teaches what an answer to a question back teaches: the same question is answered so from then on.
#[tokio::test]
async fn what_was_taken_is_learnt() {
    let file = File::new("cargo.sqlite", CARGO);
    let memory: Arc<dyn LessonMemory> = Arc::new(VolatileLessons::default());
    let engine = file.builder().lessons(Arc::clone(&memory)).build().unwrap();
    let state = answered(&engine, HEAVIEST, None).await;
    assert_eq!(memory.lessons().list(&Filter::default()).count(), 0, "an answer alone teaches nothing");
    // The question that was read is learnt from, also where something else was said in between.
    let state = engine.query_database("thanks", Some(state)).await.unwrap();
    answered(&engine, "2", Some(&state)).await;
    assert_eq!(memory.lessons().list(&Filter::default()).count(), 1);
    let again = answered(&engine, HEAVIEST, None).await;
    assert_eq!((sql(&again), again.other_readings()), (heaviest_by("gross_weight").as_str(), [].as_slice()));
}

#[tokio::test]
async fn a_saved_conversation_keeps_them() {
    let file = File::new("cargo.sqlite", CARGO);
    let engine = file.engine();
    let state = answered(&engine, HEAVIEST, None).await;
    let saved = state.to_json().unwrap();
    let again = ConversationState::from_json(&saved).unwrap();
    assert_eq!(again, state);
    assert_eq!(sql(&answered(&engine, "2", Some(&again)).await), heaviest_by("gross_weight"));
    let mut json: Value = serde_json::from_str(&saved).unwrap();
    // One reading is no choice.
    let mut damaged = json.clone();
    damaged["readings"]["choices"]["options"].as_array_mut().unwrap().truncate(1);
    let error = ConversationState::from_json(&damaged.to_string()).unwrap_err();
    assert!(matches!(error, LoadError::Damaged { .. }), "{error}");
    // A conversation of an older release has none.
    json.as_object_mut().unwrap().remove("readings").unwrap();
    assert_eq!(ConversationState::from_json(&json.to_string()).unwrap(), without(&state));
}

/// One shot: in the foot of a table, and on standard error where rows are printed for programs.
#[test]
fn ask_says_them_where_it_says_its_doubts() {
    let file = File::new("cargo.sqlite", CARGO);
    let ask = |arguments: &[&str]| {
        let fixed = ["--db", "cargo.sqlite", "ask", HEAVIEST];
        let outcome = call(file.folder(), &[&fixed, arguments].concat(), "");
        assert_eq!(outcome.code, 0, "{outcome:?}");
        outcome.is_sound();
        outcome
    };
    let said = "Also possible:\n  2  sort by `shipment.gross_weight`\n";
    let table = ask(&[]);
    assert!(table.stdout.ends_with(said) && !table.stderr.contains("hint"), "{table:?}");
    for format in ["csv", "markdown", "jsonl"] {
        let outcome = ask(&["--format", format]);
        assert!(outcome.stderr.contains(said) && !outcome.stdout.contains("possible"), "{outcome:?}");
    }
    let line = &ask(&["--format", "json"]).lines()[0];
    let gross = json!([{"label": "shipment.gross_weight", "sql": heaviest_by("gross_weight")}]);
    assert_eq!((&line["readings"], &line["options"]), (&gross, &json!([])));
    let kept = ask(&["--session", "cargo"]);
    assert!(
        kept.stderr.contains("hint: take another reading with `sqlogue ask 2 --session cargo`"),
        "{kept:?}"
    );
    let taken = call(file.folder(), &["--db", "cargo.sqlite", "ask", "2", "--session", "cargo"], "");
    assert!(taken.stdout.contains("gross_weight DESC") && !taken.stdout.contains("possible"), "{taken:?}");
}

#[test]
fn a_batch_takes_one_by_its_number() {
    let file = File::new("cargo.sqlite", CARGO);
    let inputs = [
        json!({"session": "s", "input": HEAVIEST}),
        json!({"input": "2"}),
        json!({"session": "s", "input": "2"}),
        json!({"session": "s", "input": "2"}),
        json!("no object"),
    ];
    let inputs = inputs.map(|input| input.to_string()).join("\n");
    let lines = call(file.folder(), &["--db", "cargo.sqlite", "batch"], &inputs).lines();
    let labels: Vec<&Value> = lines.iter().map(|line| &line["readings"][0]["label"]).collect();
    assert_eq!(
        labels,
        [&json!("shipment.gross_weight"), &Value::Null, &Value::Null, &Value::Null, &Value::Null]
    );
    let seen: Vec<(&Value, &Value)> =
        lines[1..4].iter().map(|line| (&line["status"], &line["route"])).collect();
    let failed = json!("failed");
    assert_eq!(seen[0].0, &failed, "{lines:?}");
    assert_eq!(seen[1], (&json!("completed"), &json!("correction")));
    assert_eq!(lines[2]["sql"], json!(heaviest_by("gross_weight")));
    assert_eq!((&lines[3]["status"], &lines[3]["readings"]), (&failed, &json!([])));
}

#[test]
fn the_chat_lists_them_under_the_answer() {
    let file = File::new("cargo.sqlite", CARGO);
    let chat = |arguments: &[&str], input: &str| -> Outcome {
        let outcome = call(file.folder(), &[&["--db", "cargo.sqlite", "chat"], arguments].concat(), input);
        outcome.is_sound();
        outcome
    };
    for said in ["2", "gross weight"] {
        let outcome = chat(&[], &format!("{HEAVIEST}\n{said}\n"));
        let (first, second) = outcome.stdout.split_once("Also possible:\n").unwrap();
        assert!(first.contains("ORDER BY net_weight DESC"), "{said}: {outcome:?}");
        assert!(second.starts_with("  2  sort by `shipment.gross_weight`\n"), "{said}: {outcome:?}");
        assert!(second.contains("✨ Refined query"), "{said}: {outcome:?}");
        assert!(second.contains("ORDER BY gross_weight DESC"), "{said}: {outcome:?}");
    }
    let rows = chat(&["--format", "csv"], &format!("{HEAVIEST}\n2\n"));
    assert!(rows.stderr.contains("Also possible:") && !rows.stdout.contains("possible"), "{rows:?}");
    assert!(rows.stdout.contains("Cleo") && rows.stdout.contains("Bea"), "{rows:?}");
}

/// One node runs them, and journals what came of them: how many rows, and whether they agree. The rows themselves are kept
/// beside the state, for the answer.
#[tokio::test]
async fn one_node_tries_them_and_the_answer_has_its_rows() {
    let file = File::new("cargo.sqlite", CARGO);
    let journal = Arc::new(MemoryJournal::default());
    let engine = file.builder().journal(journal.clone()).build().unwrap();
    for (input, node) in [(HEAVIEST, "planner/compose_plan"), ("average weight of shipments", "cleanup")] {
        let answer = engine.ask(input, None).await.unwrap();
        let record = journal.read(answer.run).await.unwrap().unwrap();
        let tried: Vec<usize> = (0..record.steps.len())
            .filter(|at| record.steps[*at].changes.contains("\"readings_tried\""))
            .collect();
        assert_eq!(tried.len(), 1, "{input}");
        let step = &record.steps[tried[0]];
        assert_eq!(
            (&*step.node, &*record.steps[tried[0] + 1].node),
            ("planner/try_readings", node),
            "{input}"
        );
        let changes: Value = serde_json::from_str(&step.changes).unwrap();
        let change = &changes[0];
        let (run, trials) = (change["readings"].as_array().unwrap(), change["trials"].as_array().unwrap());
        assert!(run.len() >= 2 && run[0]["rows"] == json!(1), "{input}: {change}");
        assert!(trials.len() >= 2 && trials[0]["rows"]["count"] == json!(1), "{input}: {change}");
        assert!(!step.changes.contains("[[") || input != HEAVIEST, "rows are kept elsewhere: {changes}");
        let state = serde_json::to_value(&answer.state).unwrap();
        assert!(state["scratch"]["trials"].is_null(), "{input}");
        assert_eq!(answer.rows.is_some(), input == HEAVIEST, "{input}");
    }
}
