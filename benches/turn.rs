//! What a turn costs: the whole of `query_database` on the sample database, the classifier of intents, and linking.
//!
//! `cargo bench --bench turn`. The baseline of a whole turn is the same SQL run by the database alone, in the same run.

#![expect(clippy::unwrap_used, reason = "a benchmark, not the library")]

use std::sync::Arc;

use divan::{Bencher, black_box};
use sqlogue::engine::Engine;
use sqlogue::intent::{self, DialogContext, PastTurn, Vocabulary};
use sqlogue::reasoner::Knowledge;
use sqlogue::{ConversationState, sql};
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

/// An engine on the sample that has read the schema already, as it has after the first question.
fn warm() -> (Runtime, Engine, ConversationState) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let engine = Engine::builder().build().unwrap();
    let state =
        runtime.block_on(engine.query_database("How many orders did each customer place?", None)).unwrap();
    (runtime, engine, state)
}

#[divan::bench]
fn new_question(bencher: Bencher) {
    let (runtime, engine, _) = warm();
    let mut price = 0_u64;
    // The reasoner keeps what it understood last, so every question must be a new one.
    let question = move || {
        price += 1;
        format!("How many products that cost more than {price} are there in each category?")
    };
    bencher.with_inputs(question).bench_local_values(|question| {
        runtime.block_on(engine.query_database(black_box(question), None)).unwrap()
    });
}

#[divan::bench]
fn follow_up(bencher: Bencher) {
    let (runtime, engine, state) = warm();
    bencher.with_inputs(|| state.clone()).bench_local_values(|state| {
        runtime.block_on(engine.query_database(black_box("only from Germany"), Some(state))).unwrap()
    });
}

/// The statement of `follow_up`, without anything around it: the baseline.
#[divan::bench]
fn the_sql_alone(bencher: Bencher) {
    let (runtime, engine, state) = warm();
    let state = runtime.block_on(engine.query_database("only from Germany", Some(state))).unwrap();
    let checked = sql::guard::check(state.query.as_deref().unwrap(), engine.database().dialect()).unwrap();
    let (limits, cancel) = Default::default();
    bencher.bench_local(|| runtime.block_on(engine.database().execute(&checked, &limits, &cancel)).unwrap());
}

#[divan::bench]
fn guard_and_names(bencher: Bencher) {
    let (runtime, engine, state) = warm();
    let knowledge: Arc<Knowledge> = runtime.block_on(engine.knowledge()).unwrap();
    let text = state.query.unwrap();
    bencher.bench_local(|| {
        let checked = sql::guard::check(black_box(&text), engine.database().dialect()).unwrap();
        sql::resolve(&checked, knowledge.schema())
    });
}

#[divan::bench]
fn intent_with_ten_turns(bencher: Bencher) {
    let (runtime, engine, state) = warm();
    let knowledge = runtime.block_on(engine.knowledge()).unwrap();
    let turn = PastTurn { input: state.user_question.clone(), sql: state.query.clone(), succeeded: true };
    let context = DialogContext::new(std::iter::repeat_n(turn, 10))
        .with_vocabulary(Arc::new(Vocabulary::of(knowledge.schema())));
    bencher.bench_local(|| intent::classify(black_box("which of them are from Germany or Italy?"), &context));
}

#[divan::bench]
fn saving_and_loading_the_state(bencher: Bencher) {
    let (_, _, state) = warm();
    bencher.bench_local(|| ConversationState::from_json(&black_box(&state).to_json().unwrap()).unwrap());
}
