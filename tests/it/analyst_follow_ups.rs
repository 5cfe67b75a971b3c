//! What analysts say after an answer, on the sample: `tests/data/analyst_follow_ups.tsv`. A follow-up gives the rows of the
//! same asked in full, and where it does not, it says that it is not sure.

use std::collections::BTreeMap;
use std::sync::Arc;

use sqlogue::conversation::ConversationState;
use sqlogue::database::Rows;
use sqlogue::graph::{FixedClock, SequentialIds};
use sqlogue::plan::Confidence;
use sqlogue::{Engine, sample};
use sqlogue_eval::compare;

/// What a line asks for: the kind, the question before, what is said then, the same in full.
fn lines() -> impl Iterator<Item = [&'static str; 4]> {
    let text = include_str!("../data/analyst_follow_ups.tsv").lines();
    text.filter(|line| !line.starts_with('#')).map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        fields.try_into().expect("four fields a line")
    })
}

fn engine() -> Engine {
    let clock = FixedClock::new("2026-11-22T12:00:00Z".parse().unwrap());
    Engine::builder()
        .clock(Arc::new(clock))
        .ids(Arc::new(SequentialIds::default()))
        .database(Arc::new(sample::open().unwrap()))
        .build()
        .unwrap()
}

async fn ask(
    engine: &Engine,
    said: &str,
    before: Option<ConversationState>,
) -> (ConversationState, Option<Arc<Rows>>) {
    let answer = engine.ask(said, before).await.unwrap();
    (answer.state, answer.rows)
}

#[tokio::test]
async fn what_analysts_say_after_an_answer_changes_it() {
    let engine = engine();
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut wrong, mut unmarked) = (Vec::new(), Vec::new());
    for [kind, first, said, full] in lines() {
        let (before, _) = ask(&engine, first, None).await;
        let (state, rows) = ask(&engine, said, Some(before)).await;
        let (in_full, wanted) = ask(&engine, full, None).await;
        let wanted = wanted.unwrap_or_else(|| panic!("{full}: {:?}", in_full.error));
        let right = rows.is_some_and(|rows| compare::same(&wanted.rows, &rows.rows, false));
        let (known, all) = kinds.entry(kind).or_default();
        *known += usize::from(right);
        *all += 1;
        if !right {
            let query = state.query.clone().unwrap_or_default();
            if state.error.is_none() && state.answer_confidence > Some(Confidence::Low) {
                unmarked.push(said);
            }
            wrong.push(format!("{kind}: {first} / {said}\n  {query}"));
        }
    }
    let right: usize = kinds.values().map(|(right, _)| right).sum();
    let all: usize = kinds.values().map(|(_, all)| all).sum();
    let report = format!("{right} of {all} right, {kinds:?}\n{}", wrong.join("\n"));
    assert!(right * 10 >= all * 9, "{report}");
    assert!(kinds.values().all(|(right, all)| right * 10 >= all * 7), "{report}");
    assert!(unmarked.len() <= 1, "{unmarked:?}\n{report}");
}

/// A chain of follow-ups, each of the one before.
#[tokio::test]
async fn a_follow_up_can_be_followed() {
    let engine = engine();
    let mut state = None;
    let mut queries = Vec::new();
    for said in [
        "revenue by month in 2025",
        "by quarter instead",
        "only Germany",
        "and France?",
        "as a share of the total",
        "back to all customers",
    ] {
        let (next, _) = ask(&engine, said, state.take()).await;
        queries.push(next.query.clone().unwrap_or_default());
        state = Some(next);
    }
    let holds = |at: usize, part: &str| assert!(queries[at].contains(part), "{part} in {}", queries[at]);
    holds(1, "quarter");
    holds(2, "'Germany'");
    holds(3, "'France'");
    holds(4, "100.0 *");
    for (at, query) in queries.iter().enumerate().skip(3) {
        assert!(!query.contains("'Germany'"), "{at}: {query}");
    }
    assert!(!queries[5].contains("'France'"), "{}", queries[5]);
    assert!(queries.iter().all(|query| query.contains("2025-01-01")), "{queries:#?}");
}

/// SQL that somebody typed has no question that could be read again.
#[tokio::test]
async fn typed_sql_can_be_followed() {
    let engine = engine();
    let typed = "SELECT country, count(*) FROM customers GROUP BY country";
    let (before, _) = ask(&engine, typed, None).await;
    let (state, _) = ask(&engine, "by segment instead", Some(before)).await;
    let query = state.query.unwrap_or_default();
    assert_eq!(query, "SELECT segment, count(*) AS customers FROM customers GROUP BY segment");
}

/// Every column that is named can be meant in several ways; that must not multiply for ever.
#[tokio::test]
async fn a_long_list_of_columns_takes_no_longer_than_a_question() {
    let engine = engine();
    let (before, _) = ask(&engine, "revenue by country in 2025", None).await;
    let said =
        format!("add {} and Berlin, Paris, London, Rome", "name, email, phone, city, segment, ".repeat(6));
    let start = std::time::Instant::now();
    let (state, _) = ask(&engine, &said, Some(before)).await;
    assert!(start.elapsed() < std::time::Duration::from_secs(10), "{:?}", start.elapsed());
    assert!(state.answer_confidence <= Some(Confidence::Low), "{:?}", state.query);
}
