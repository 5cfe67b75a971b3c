//! What holds in every session, whatever is said and in whatever order: ids, turn numbers, limits, the last good query.

use proptest::prelude::*;
use sqlogue::Engine;
use sqlogue::config::Settings;
use sqlogue::conversation::{ErrorKind, Route, Status};
use sqlogue::dialog::Session;

use crate::support::repeatable;

/// Something done in a session.
#[derive(Debug, Clone)]
enum Step {
    Say(String),
    Clear,
    Undo,
    Redo,
    Afresh,
}

/// What people say, on the sample database.
const SAID: &[&str] = &[
    "Show all customers",
    "How many orders are there?",
    "How many customers are there in each city?",
    "Which products cost more than 100?",
    "What is the average salary in each department?",
    "only those from Berlin",
    "what about Paris?",
    "sort by name",
    "the other way round",
    "top 3",
    "Top 3 by number of orders",
    "how many are there?",
    "also show the email",
    "remove the name",
    "remove the count",
    "which of them placed the most orders?",
    "for each country",
    "all of them",
    "show the others",
    "which do not?",
    "what is their average price?",
    "more than 5",
    "hired after 2018",
    "and in 2025?",
    "thanks",
    "/new show products",
    "start over",
    "/history",
    "drop table customers",
    "SELECT * FROM customers WHERE id < 4",
    "2",
];

/// The words that these are made of, for inputs that nobody would say.
const WORDS: &[&str] = &[
    "show",
    "the",
    "customers",
    "orders",
    "products",
    "price",
    "city",
    "name",
    "of",
    "by",
    "per",
    "each",
    "most",
    "fewest",
    "average",
    "count",
    "only",
    "not",
    "without",
    "remove",
    "add",
    "also",
    "sort",
    "top",
    "3",
    "100",
    "2025",
    "and",
    "or",
    "with",
    "more",
    "than",
    "less",
    "Berlin",
    "cancelled",
    "them",
    "their",
    "which",
    "how",
    "many",
    "one",
    "instead",
    "what",
    "about",
    "highest",
    "first",
    "last",
    "?",
    ",",
    "'",
];

fn step() -> impl Strategy<Value = Step> {
    let word = prop::sample::select(WORDS);
    prop_oneof![
        12 => prop::sample::select(SAID).prop_map(|said| Step::Say(said.to_owned())),
        6 => prop::collection::vec(word, 1..8).prop_map(|words| Step::Say(words.join(" "))),
        2 => any::<String>().prop_map(Step::Say),
        2 => Just(Step::Undo),
        1 => Just(Step::Redo),
        1 => Just(Step::Clear),
        1 => Just(Step::Afresh),
    ]
}

/// What a session must remember: how many turns there were, and the last query that was answered.
#[derive(Debug, Clone, PartialEq, Default)]
struct Remembered {
    number: u64,
    query: Option<String>,
}

/// A step past which undo and redo go: what was remembered on its other side, and whether it changed anything.
#[derive(Debug)]
struct Passed {
    beyond: Remembered,
    changed: bool,
}

/// Goes past the nearest step that changed something, as undo and redo do; gives what is remembered there.
fn travel(from: &mut Vec<Passed>, to: &mut Vec<Passed>, mut here: Remembered) -> Option<Remembered> {
    while let Some(Passed { beyond, changed }) = from.pop() {
        to.push(Passed { beyond: std::mem::replace(&mut here, beyond), changed });
        if changed {
            return Some(here);
        }
    }
    None
}

fn remembered(session: &Session) -> Remembered {
    Remembered { number: session.state().turn_number, query: session.state().current_query.clone() }
}

async fn walk(engine: &Engine, most: usize, steps: &[Step]) {
    let mut session = Session::with_id(engine.clone(), "abc-123");
    let database = session.state().database.clone();
    let (mut past, mut future): (Vec<Passed>, Vec<Passed>) = (Vec::new(), Vec::new());
    for step in steps {
        let before = remembered(&session);
        match step {
            Step::Say(input) => {
                let pending = session.state().pending.clone();
                let reply = session.say(input).await;
                let state = session.state();
                assert!(reply.failure.is_none(), "{input:?}: {:?}", reply.failure);
                assert_eq!(reply.result.turn_number, before.number + 1, "{input:?}");
                let good = if state.status == Status::Completed { &state.query } else { &before.query };
                assert_eq!(state.current_query, *good, "{input:?}: the last good query stands");
                // A change of the last query is never one that no database runs.
                let changes = state.route.is_some_and(|route| route != Route::New);
                let refused =
                    state.error.as_ref().filter(|error| changes && error.kind == ErrorKind::QueryFailed);
                assert!(refused.is_none(), "{input:?} after {:?}: {refused:?}", before.query);
                assert_eq!(state.turns.last().unwrap().number, state.turn_number);
                let changed = state.status != Status::Failed || state.pending != pending;
                past.push(Passed { beyond: before, changed });
                future.clear();
            }
            Step::Clear => {
                session.clear().await.unwrap();
                assert_eq!(remembered(&session), Remembered::default());
                assert!(session.state().turns.is_empty() && session.state().current_result.is_none());
                past.push(Passed { beyond: before, changed: true });
                future.clear();
            }
            Step::Undo => match session.undo().await.unwrap() {
                Some(_) => assert_eq!(Some(remembered(&session)), travel(&mut past, &mut future, before)),
                // What lies too far back is given up to keep a session small.
                None => assert_eq!(remembered(&session), before),
            },
            Step::Redo => match session.redo().await.unwrap() {
                Some(_) => assert_eq!(Some(remembered(&session)), travel(&mut future, &mut past, before)),
                None => assert_eq!(remembered(&session), before),
            },
            Step::Afresh => session.start_afresh(),
        }
        let state = session.state();
        assert_eq!((session.id(), state.database.as_str()), ("abc-123", database.as_str()));
        assert!(state.turns.len() <= most, "{} turns", state.turns.len());
        let numbers: Vec<u64> = state.turns.iter().map(|turn| turn.number).collect();
        let first = numbers.first().copied().unwrap_or(1);
        assert_eq!(numbers, (first..first + numbers.len() as u64).collect::<Vec<_>>(), "one after the other");
        assert!(session.size() < 100 * 1024, "{} bytes", session.size());
    }
}

fn hold(most: usize, cases: u32, length: std::ops::Range<usize>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let settings = Settings { max_conversation_turns: most, query_timeout: 2.0, ..Settings::default() };
    let engine = repeatable().settings(settings).build().unwrap();
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    };
    proptest!(config, |(steps in prop::collection::vec(step(), length))| {
        runtime.block_on(walk(&engine, most, &steps));
    });
}

#[test]
fn every_session_keeps_its_invariants() {
    hold(10, 24, 1..24);
}

#[test]
fn short_memories_keep_them_too() {
    hold(1, 8, 1..8);
    hold(3, 12, 1..12);
}
