//! Questions that can be read in several ways, through the engine: what is asked, what answers mean, and when nothing is
//! asked.

use std::sync::Arc;

use sqlogue::Engine;
use sqlogue::ambiguity::{Ambiguity, AmbiguityKind};
use sqlogue::conversation::{ConversationState, Status};
use sqlogue::lesson::{Filter, LessonMemory, VolatileLessons};

use crate::cli_kit::call;
use crate::support::{File, with_snapshots};

const CARGO: &str = "
    CREATE TABLE shipment (id INTEGER PRIMARY KEY, sent_date TEXT, arrival_date TEXT, net_weight REAL, gross_weight REAL);
    INSERT INTO shipment VALUES (1, '2024-01-01', '2024-01-05', 1, 2), (2, '2024-01-28', '2024-02-02', 3, 5),
        (3, '2024-02-01', '2024-02-03', 4, 4.5), (4, '2024-02-04', '2024-03-03', 4, 7);
";

const SONGS: &str = "
    CREATE TABLE song (song_id INTEGER PRIMARY KEY, song_name TEXT, language TEXT, country TEXT);
    INSERT INTO song VALUES (1, 'Alpha', 'English', 'Malta'), (2, 'Beta', 'Maltese', 'Malta'), (3, 'Gamma', 'Georgia', 'USA'),
        (4, 'Delta', 'Georgian', 'Georgia'), (5, 'Epsilon', 'English', 'Georgia');
";

const LEAGUE: &str = "
    CREATE TABLE team (team_id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE deal (deal_id INTEGER PRIMARY KEY, seller_team_id INTEGER REFERENCES team(team_id),
        buyer_team_id INTEGER REFERENCES team(team_id), fee INTEGER);
    INSERT INTO team VALUES (1, 'Lions'), (2, 'Bears'), (3, 'Cubs');
    INSERT INTO deal VALUES (1, 1, 2, 3), (2, 1, 3, 4), (3, 2, 1, 5), (4, 1, 2, 2);
";

const SHOP: &str = "
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), amount REAL);
    INSERT INTO customers VALUES (1, 'Ada'), (2, 'Bob'), (3, 'Cyd');
    INSERT INTO orders VALUES (1, 1, 10), (2, 1, 20), (3, 2, 5);
";

async fn asked(engine: &Engine, question: &str) -> (ConversationState, Ambiguity) {
    let state = engine.query_database(question, None).await.unwrap();
    assert_eq!(state.status, Status::AwaitingCorrection, "{question}: {:?} {:?}", state.query, state.error);
    assert!(state.query.is_none() && state.error.is_none() && state.result.is_none(), "nothing ran");
    let pending = state.pending.clone().unwrap();
    assert_eq!(state.message.as_deref(), Some(pending.question.as_str()));
    (state, pending)
}

/// The question with its options and their first rows, as a person sees them.
fn shown(pending: &Ambiguity) -> String {
    let option = |(at, option): (usize, &sqlogue::ambiguity::Choice)| {
        let preview = option.preview.as_ref().unwrap();
        let rows: Vec<String> = preview
            .rows
            .iter()
            .map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
            .collect();
        format!("{}. {} ({}): {}", at + 1, option.label, option.meaning, rows.join(", "))
    };
    let options = pending.options().iter().enumerate().map(option);
    std::iter::once(pending.question.clone()).chain(options).collect::<Vec<_>>().join("\n")
}

async fn answered(engine: &Engine, asked: &ConversationState, said: &str) -> String {
    let state = engine.query_database(said, Some(asked.clone())).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{said}: {:?} {:?}", state.error, state.pending);
    assert!(state.result.is_some());
    state.query.unwrap()
}

#[tokio::test]
async fn of_two_date_columns_the_one_that_is_chosen_is_used() {
    let file = File::new("cargo.sqlite", CARGO);
    let engine = file.engine();
    let (state, pending) = asked(&engine, "How many shipments were there in January 2024?").await;
    assert_eq!(pending.kind, AmbiguityKind::Reading);
    with_snapshots(|| insta::assert_snapshot!("ambiguity_two_dates", shown(&pending)));
    for (said, column) in [
        ("1", "sent_date"),
        ("2", "arrival_date"),
        ("the second one", "arrival_date"),
        ("shipment.arrival_date", "arrival_date"),
        ("arrival date", "arrival_date"),
        ("by the sent date", "sent_date"),
    ] {
        let sql = answered(&engine, &state, said).await;
        assert!(sql.contains(column), "{said}: {sql}");
    }
}

#[tokio::test]
async fn a_value_of_two_columns_is_asked_about() {
    let file = File::new("songs.sqlite", SONGS);
    let engine = file.engine();
    let (state, pending) = asked(&engine, "Show the names of songs of Georgia.").await;
    with_snapshots(|| insta::assert_snapshot!("ambiguity_value_of_two_columns", shown(&pending)));
    let sql = answered(&engine, &state, "country").await;
    assert_eq!(sql, "SELECT song_name FROM song WHERE country = 'Georgia'");
}

#[tokio::test]
async fn of_two_amounts_the_one_that_is_chosen_is_used() {
    let file = File::new("cargo.sqlite", CARGO);
    let engine = file.engine();
    let (state, pending) = asked(&engine, "What is the average weight of shipments?").await;
    with_snapshots(|| insta::assert_snapshot!("ambiguity_two_amounts", shown(&pending)));
    assert_eq!(
        answered(&engine, &state, "gross").await,
        "SELECT avg(gross_weight) AS average_gross_weight FROM shipment"
    );
}

/// Who has several orders counts once: there is nothing to ask.
#[tokio::test]
async fn those_who_have_something_are_counted_once() {
    let file = File::new("shop.sqlite", SHOP);
    let state = file.engine().query_database("How many customers have orders?", None).await.unwrap();
    assert_eq!(state.status, Status::Completed, "{:?}", state.pending);
    let rows = &state.result.as_ref().unwrap().rows;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0][0].to_string(), "2");
}

/// The rules ask about joins as a model does, and what was said is kept: the next question is not asked about.
#[tokio::test]
async fn of_two_keys_the_one_that_is_chosen_is_joined_by() {
    let file = File::new("league.sqlite", LEAGUE);
    let memory: Arc<dyn LessonMemory> = Arc::new(VolatileLessons::default());
    let engine = file.builder().lessons(Arc::clone(&memory)).build().unwrap();
    let question = "What is the total fee of the Lions?";
    let (state, pending) = asked(&engine, question).await;
    assert_eq!(pending.kind, AmbiguityKind::JoinInference);
    with_snapshots(|| insta::assert_snapshot!("ambiguity_two_keys", shown(&pending)));
    let sql = answered(&engine, &state, "join deal.seller_team_id with team.team_id").await;
    assert!(sql.contains("seller_team_id"), "{sql}");
    assert_eq!(memory.lessons().list(&Filter::default()).count(), 1);
    let again = engine.query_database(question, None).await.unwrap();
    assert_eq!(again.query.as_deref(), Some(sql.as_str()));
}

/// What was settled about a question is not asked about again: a word is remembered by what it means.
#[tokio::test]
async fn what_was_chosen_is_not_asked_about_again() {
    for (name, statements, question, said, kind, again) in [
        (
            "cargo.sqlite",
            CARGO,
            "What is the average weight of shipments?",
            "gross",
            "\"weight\" means",
            "What is the maximum weight?",
        ),
        (
            "songs.sqlite",
            SONGS,
            "Show the names of songs of Georgia.",
            "country",
            "\"Georgia\" means",
            "How many songs are from Georgia?",
        ),
    ] {
        let file = File::new(name, statements);
        let memory: Arc<dyn LessonMemory> = Arc::new(VolatileLessons::default());
        let engine = file.builder().lessons(Arc::clone(&memory)).build().unwrap();
        let (state, _) = asked(&engine, question).await;
        let chosen = answered(&engine, &state, said).await;
        let learnt: Vec<String> =
            memory.lessons().list(&Filter::default()).map(ToString::to_string).collect();
        assert!(matches!(learnt.as_slice(), [lesson] if lesson.contains(kind)), "{learnt:?}");
        let state = engine.query_database(question, None).await.unwrap();
        assert_eq!(state.query.as_deref(), Some(chosen.as_str()), "{:?}", state.pending);
        assert!(
            state.explanation.iter().any(|reason| reason.starts_with("By lesson")),
            "{:?}",
            state.explanation
        );
        let state = engine.query_database(again, None).await.unwrap();
        assert_eq!(state.status, Status::Completed, "{again}: {:?}", state.pending);
    }
}

#[tokio::test]
async fn readings_that_give_the_same_rows_are_one() {
    let file = File::new("cargo.sqlite", CARGO);
    file.execute("UPDATE shipment SET arrival_date = sent_date, gross_weight = net_weight");
    let engine = file.engine();
    for question in
        ["How many shipments were there in January 2024?", "What is the average weight of shipments?"]
    {
        let state = engine.query_database(question, None).await.unwrap();
        assert_eq!(state.status, Status::Completed, "{question}: {:?}", state.pending);
    }
}

#[tokio::test]
async fn a_plain_question_is_not_asked_about() {
    for (name, statements, questions) in [
        ("cargo.sqlite", CARGO, ["Show shipments", "How many shipments are there?", "Show me all shipments"]),
        ("songs.sqlite", SONGS, ["Show songs", "Show the names of songs", "How many songs are there?"]),
        (
            "shop.sqlite",
            SHOP,
            ["Show customers", "Show the names of customers", "How many orders are there?"],
        ),
    ] {
        let file = File::new(name, statements);
        let engine = file.engine();
        for question in questions {
            let state = engine.query_database(question, None).await.unwrap();
            assert_eq!(state.status, Status::Completed, "{question}: {:?}", state.pending);
        }
    }
}

/// What goes wrong is an error with its reason, never a question to the person.
#[tokio::test]
async fn a_failure_is_never_a_question() {
    let file = File::new("cargo.sqlite", CARGO);
    let engine = file.engine();
    let question = "What is the average weight of shipments?";
    let _ = asked(&engine, question).await;
    // No query can run within no time.
    let broken = file.builder().limits(sqlogue::database::Limits {
        deadline: std::time::Duration::ZERO,
        ..sqlogue::database::Limits::default()
    });
    let state = broken.build().unwrap().query_database(question, None).await.unwrap();
    assert_eq!(state.status, Status::Failed, "{:?}", state.pending);
    assert!(state.pending.is_none() && state.error.is_some());
    for question in ["Who wrote Hamlet?", "DROP TABLE shipment", "SELECT nothing FROM nowhere", "xyzzy"] {
        let state = engine.query_database(question, None).await.unwrap();
        assert_eq!(state.status, Status::Failed, "{question}");
        assert!(state.pending.is_none() && state.error.is_some(), "{question}");
    }
}

#[test]
fn options_are_answered_in_chat() {
    let file = File::new("cargo.sqlite", CARGO);
    let question = "What is the average weight of shipments?";
    for (said, sql) in [
        ("2", "avg(gross_weight)"),
        ("the second one", "avg(gross_weight)"),
        ("the gross weight", "avg(gross_weight)"),
        ("1", "avg(net_weight)"),
    ] {
        let outcome =
            call(file.folder(), &["--db", "cargo.sqlite", "chat"], &format!("{question}\n{said}\n"));
        outcome.is_sound();
        assert!(outcome.stdout.contains("1. ") && outcome.stdout.contains("2. "), "{outcome:?}");
        assert!(outcome.stdout.contains(sql), "{said}: {outcome:?}");
    }
}

#[tokio::test]
async fn the_other_of_two_tables_is_taken_in_words() {
    let statements = "
        CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE prod_customers (id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO prod_customers VALUES (1, 'Ada');";
    let file = File::new("shop.sqlite", statements);
    let engine = file.engine();
    let (state, pending) = asked(&engine, "How many customers are there?").await;
    // A slip in an answer does not end the question.
    let slip = engine.query_database("use table prod_custmers", Some(state)).await.unwrap();
    assert_eq!((slip.status, slip.pending.as_ref()), (Status::AwaitingCorrection, Some(&pending)));
    assert!(slip.message.as_ref().unwrap().contains("Did you mean `prod_customers`?"), "{:?}", slip.message);
    let state = ConversationState::from_json(&slip.to_json().unwrap()).unwrap();
    let one = engine.query_database("1", Some(state)).await.unwrap();
    assert_eq!(one.query.as_deref(), Some("SELECT count(*) FROM customers"));
    let other = engine.query_database("no, use the other one", Some(one)).await.unwrap();
    assert_eq!(other.query.as_deref(), Some("SELECT count(*) FROM prod_customers"));
    let wrong =
        engine.query_database("use prod_custmers2 instead of prod_customers", Some(other)).await.unwrap();
    assert!(wrong.error.unwrap().message.contains("Did you mean `prod_customers`?"));
}

/// Whoever corrects what a lesson made of a word corrects the lesson, and the newest holds.
#[tokio::test]
async fn a_lesson_about_a_column_can_be_corrected() {
    let file = File::new("cargo.sqlite", CARGO);
    let memory: Arc<dyn LessonMemory> = Arc::new(VolatileLessons::default());
    let engine = file.builder().lessons(Arc::clone(&memory)).build().unwrap();
    let question = "What is the average weight of shipments?";
    let (state, _) = asked(&engine, question).await;
    answered(&engine, &state, "net").await;
    let known = engine.query_database(question, None).await.unwrap();
    assert_eq!(known.query.as_deref(), Some("SELECT avg(net_weight) AS average_net_weight FROM shipment"));
    let trust = |column: &str| {
        let lessons = memory.lessons();
        let filter = Filter { retired: true, ..Filter::default() };
        lessons
            .list(&filter)
            .find(|lesson| lesson.to_string().contains(column))
            .map(|lesson| lesson.confidence)
    };
    let before = trust("net_weight").unwrap();
    answered(&engine, &known, "use gross_weight instead of net_weight").await;
    assert!(trust("net_weight").unwrap() < before && trust("gross_weight") == Some(0.95));
    let newest = engine.query_database(question, None).await.unwrap();
    assert_eq!(
        newest.query.as_deref(),
        Some("SELECT avg(gross_weight) AS average_gross_weight FROM shipment")
    );
}

#[test]
fn the_date_that_bears_the_tables_name_is_not_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = call(folder.path(), &["ask", "How many orders did each customer place last year?"], "");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.stdout.contains("orders.order_date >= '"), "{outcome:?}");
    assert!(outcome.stdout.contains("GROUP BY customers.id"), "{outcome:?}");
}
