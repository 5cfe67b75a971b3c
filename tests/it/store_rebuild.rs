//! Whatever is undone, redone and branched, a session's state is the one that its turns lead to from the beginning.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sqlogue::conversation::ConversationState;
use sqlogue::graph::RunId;
use sqlogue::store::{Keep, Sessions, StoreError};

use crate::store_conformance::{memory, sqlite};
use crate::store_kit::{broken_turn, resume, stored, turn};

#[derive(Debug, Clone)]
enum Step {
    Turn,
    Undo,
    Redo,
    Clear,
    /// To the turn of this place among all turns.
    GoTo(usize),
    /// A new session at the turn of this place.
    Branch(usize),
    /// Another session.
    Switch(usize),
    /// A turn that dies after so many nodes, and is resumed.
    Broken(u32),
    /// A session is deleted, unless it is the one in use.
    Delete(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => Just(Step::Turn),
        4 => Just(Step::Undo),
        3 => Just(Step::Redo),
        1 => Just(Step::Clear),
        2 => any::<usize>().prop_map(Step::GoTo),
        2 => any::<usize>().prop_map(Step::Branch),
        2 => any::<usize>().prop_map(Step::Switch),
        2 => (0..3u32).prop_map(Step::Broken),
        1 => any::<usize>().prop_map(Step::Delete),
    ]
}

/// What each session should be: the line of turns to its tip, and how many of them are done.
#[derive(Debug, Clone, Default)]
struct Line {
    turns: Vec<RunId>,
    done: usize,
}

/// The model: what every turn led to when it was taken.
#[derive(Default)]
struct Model {
    lines: BTreeMap<String, Line>,
    parents: BTreeMap<RunId, Option<RunId>>,
    states: BTreeMap<RunId, ConversationState>,
}

impl Model {
    fn expected(&self, id: &str) -> ConversationState {
        let line = &self.lines[id];
        match line.done.checked_sub(1) {
            Some(last) => {
                let mut state = self.states[&line.turns[last]].clone();
                state.session_id = id.to_owned();
                state
            }
            None => ConversationState::new(id, "shop"),
        }
    }

    fn took(&mut self, id: &str, run: RunId, state: ConversationState) {
        let line = self.lines.get_mut(id).unwrap();
        line.turns.truncate(line.done);
        self.parents.insert(run, line.turns.last().copied());
        line.turns.push(run);
        line.done += 1;
        self.states.insert(run, stored(state));
    }

    fn line_to(&self, run: RunId) -> Line {
        let mut turns = vec![run];
        while let Some(parent) = self.parents[turns.last().unwrap()] {
            turns.push(parent);
        }
        turns.reverse();
        Line { done: turns.len(), turns }
    }
}

/// The state from the beginning, without any snapshot but the first.
async fn from_the_beginning(sessions: &Sessions, id: &str, line: &[RunId]) -> ConversationState {
    let mut state = ConversationState::new(id, "shop");
    for run in line {
        for step in sessions.record(id, *run).await.unwrap().steps {
            let changes: Vec<sqlogue::conversation::Change> = serde_json::from_str(&step.changes).unwrap();
            changes.iter().for_each(|change| state.apply(change));
        }
    }
    state
}

async fn follow(sessions: Sessions, steps: Vec<Step>) {
    let mut model = Model::default();
    let mut id = "s0".to_owned();
    turn_in(&sessions, &mut model, &id, 0, None).await;
    for (number, step) in (1..).zip(steps) {
        let line = model.lines[&id].clone();
        let mine: Vec<RunId> = sessions.turns(&id).await.unwrap().into_iter().map(|turn| turn.run).collect();
        match step {
            Step::Turn => turn_in(&sessions, &mut model, &id, number, None).await,
            Step::Broken(nodes) => turn_in(&sessions, &mut model, &id, number, Some(nodes)).await,
            Step::Undo => match line.done {
                0 => assert!(matches!(sessions.undo(&id).await, Err(StoreError::NothingTo { .. }))),
                done => {
                    sessions.undo(&id).await.unwrap();
                    model.lines.get_mut(&id).unwrap().done = done - 1;
                }
            },
            Step::Redo if line.done < line.turns.len() => {
                sessions.redo(&id).await.unwrap();
                model.lines.get_mut(&id).unwrap().done += 1;
            }
            Step::Redo => assert!(matches!(sessions.redo(&id).await, Err(StoreError::NothingTo { .. }))),
            Step::Clear => {
                sessions.clear(&id).await.unwrap();
                model.lines.get_mut(&id).unwrap().done = 0;
            }
            Step::GoTo(_) | Step::Branch(_) if mine.is_empty() => {}
            Step::GoTo(place) => {
                let run = mine[place % mine.len()];
                sessions.go_to(&id, Some(run)).await.unwrap();
                *model.lines.get_mut(&id).unwrap() = model.line_to(run);
            }
            Step::Branch(place) => {
                let run = mine[place % mine.len()];
                let name = format!("s{number}");
                sessions.branch(&id, Some(run), &name, jiff::Timestamp::UNIX_EPOCH).await.unwrap();
                model.lines.insert(name.clone(), model.line_to(run));
                id = name;
            }
            Step::Switch(place) => id = model.lines.keys().nth(place % model.lines.len()).unwrap().clone(),
            Step::Delete(place) => {
                let name = model.lines.keys().nth(place % model.lines.len()).unwrap().clone();
                if name != id {
                    sessions.delete(&name).await.unwrap();
                    model.lines.remove(&name);
                }
            }
        }
        for (id, line) in &model.lines {
            let opened = sessions.open(id).await.unwrap();
            assert_eq!(opened.state, model.expected(id), "{id}");
            assert_eq!(
                opened.state,
                from_the_beginning(&sessions, id, &line.turns[..line.done]).await,
                "{id}"
            );
            assert_eq!(opened.interrupted, []);
        }
    }
}

async fn turn_in(sessions: &Sessions, model: &mut Model, id: &str, number: usize, dies: Option<u32>) {
    let question = format!("question {number}");
    let (run, state) = match dies {
        None => turn(sessions, id, &question).await,
        Some(nodes) => {
            let run = broken_turn(sessions, id, &question, nodes).await;
            (run, resume(sessions, id, run).await)
        }
    };
    model.lines.entry(id.to_owned()).or_default();
    model.took(id, run, state);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_state_is_the_one_rebuilt_from_the_beginning(steps in proptest::collection::vec(step(), 1..24)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (in_memory, ()) = memory(Keep::Shape);
        runtime.block_on(follow(in_memory, steps.clone()));
        let (in_file, _folder) = sqlite(Keep::Shape);
        runtime.block_on(follow(in_file, steps));
    }
}
