//! The flow's conversation of three turns: how the state evolves, and what each turn's journal holds.

use std::sync::Arc;

use serde_json::{Value, json};
use sqlogue::ConversationState;
use sqlogue::conversation::{Change, RouterMode};
use sqlogue::graph::RunId;
use sqlogue::graph::journal::{Journal, MemoryJournal};

use crate::support::{COMPANIES, File, with_snapshots};

const TURNS: [&str; 3] = ["Show me companies", "Add vendor column", "Only active companies"];

#[tokio::test]
async fn three_turns_evolve_as_the_flow_says() {
    let file = File::new("companies.db", COMPANIES);
    let journal = Arc::new(MemoryJournal::default());
    let engine = file.builder().journal(journal.clone()).build().unwrap();

    let mut state: Option<ConversationState> = None;
    for (number, question) in (1..).zip(TURNS) {
        let answer = engine.ask(question, state.clone()).await.unwrap();
        let record = journal.read(answer.run).await.unwrap().unwrap();
        let evolution = json!({
            "before": state.as_ref().map(shown),
            "after": shown(&answer.state),
            "path": answer.path,
        });
        let steps: Vec<Value> = record
            .steps
            .iter()
            .map(|step| {
                json!({
                    "step": step.step,
                    "node": step.node,
                    "changes": serde_json::from_str::<Value>(&step.changes).unwrap(),
                    "decided": step.decided.iter().map(|choice| format!("{}: {}", choice.decision, choice.branch)).collect::<Vec<_>>(),
                })
            })
            .collect();
        with_snapshots(|| {
            insta::assert_json_snapshot!(format!("flow_turn_{number}_state"), evolution);
            insta::assert_json_snapshot!(format!("flow_turn_{number}_journal"), steps);
        });
        state = Some(answer.state);
    }
}

/// The state without what is known of the schema, which is the same all the time.
fn shown(state: &ConversationState) -> Value {
    let mut value = serde_json::to_value(state).unwrap();
    value.as_object_mut().unwrap().remove("schema");
    value
}

#[tokio::test]
async fn three_turns_field_by_field() {
    let file = File::new("companies.db", COMPANIES);
    let states = crate::support::converse(&file.engine(), &TURNS).await;
    let [first, second, third] = states.as_slice() else { panic!() };

    assert_eq!(states.iter().map(|state| state.is_continuation).collect::<Vec<_>>(), [false, true, true]);
    assert_eq!(states.iter().map(|state| state.user_questions.len()).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(states.iter().map(|state| state.queries.len()).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(states.iter().map(|state| state.planner_outputs.len()).collect::<Vec<_>>(), [1, 1, 2]);
    assert_eq!(
        states.iter().map(|state| state.router_mode).collect::<Vec<_>>(),
        [None, None, Some(RouterMode::Update)]
    );
    assert_eq!(third.router_instructions.as_deref(), Some("Add filter Status = 'Active'"));
    assert_eq!(
        third.queries,
        [
            "SELECT * FROM Companies",
            "SELECT *, Vendor FROM Companies",
            "SELECT *, Vendor FROM Companies WHERE Status = 'Active'"
        ]
    );
    assert!(states.iter().all(|state| state.session_id == first.session_id));
    assert_eq!(first.result.as_ref().unwrap().rows.len(), 3);
    assert_eq!(second.result.as_ref().unwrap().columns, ["Id", "Name", "Vendor", "Status", "Vendor"]);
    assert_eq!(third.result.as_ref().unwrap().rows.len(), 2);
    assert_eq!(third.original_question.as_deref(), Some(TURNS[0]));
}

/// Wherever a turn is cut off, resuming it gives the state it would have had.
#[tokio::test]
async fn a_turn_cut_off_anywhere_resumes_to_the_same_state() {
    for cut in 0.. {
        let file = File::new("companies.db", COMPANIES);
        let journal = Arc::new(MemoryJournal::default());
        let engine = file.builder().journal(journal.clone()).build().unwrap();
        let first = engine.query_database(TURNS[0], None).await.unwrap();
        let whole = engine.ask(TURNS[2], Some(first.clone())).await.unwrap();
        let record = journal.read(whole.run).await.unwrap().unwrap();
        if cut >= record.steps.len() {
            assert!(cut > 3, "the turn has {cut} steps");
            break;
        }
        // A journal that ends after this step is what a killed process leaves behind.
        let cut_off = Arc::new(cut_after(&journal, whole.run, cut).await);
        let engine = file.builder().journal(cut_off).build().unwrap();
        let resumed = engine.resume(whole.run).await.unwrap();
        let sqlogue::engine::Turned::Done(resumed) = resumed else {
            panic!("cut after step {cut}: it waits")
        };
        let times = |state: &ConversationState| {
            let mut state = state.clone();
            state.turns.iter_mut().for_each(|turn| turn.timestamp = jiff::Timestamp::UNIX_EPOCH);
            state
        };
        assert_eq!(times(&resumed.state), times(&whole.state), "cut after step {cut}");
    }
}

/// A copy of a journal in which `run` ends after its step `last`.
async fn cut_after(journal: &MemoryJournal, run: RunId, last: usize) -> MemoryJournal {
    use sqlogue::graph::journal::Entry;
    let copy = MemoryJournal::default();
    for summary in journal.runs().await.unwrap() {
        let record = journal.read(summary.run).await.unwrap().unwrap();
        let whole = summary.run != run;
        let steps = record.steps.into_iter().take(if whole { usize::MAX } else { last + 1 }).collect();
        let entry = Entry {
            run: summary.run,
            header: Some(record.header),
            after: None,
            steps,
            mark: whole.then_some(record.mark),
        };
        copy.write(entry).await.unwrap();
    }
    copy
}

/// The changes of a turn, applied to the state before it, are the state after it.
#[tokio::test]
async fn the_changes_of_a_turn_are_the_turn() {
    let file = File::new("companies.db", COMPANIES);
    let journal = Arc::new(MemoryJournal::default());
    let engine = file.builder().journal(journal.clone()).build().unwrap();
    let first = engine.query_database(TURNS[0], None).await.unwrap();
    let second = engine.ask(TURNS[2], Some(first.clone())).await.unwrap();
    let record = journal.read(second.run).await.unwrap().unwrap();
    let mut rebuilt = first;
    for step in record.steps {
        for change in serde_json::from_str::<Vec<Change>>(&step.changes).unwrap() {
            rebuilt.apply(&change);
        }
    }
    assert_eq!(rebuilt, second.state);
}
