//! Undo and redo: the states before and after, kept small.
//!
//! A session must stay under 100 KB, and each state holds the last ten turns, nearly all of them the same as in the
//! state next to it. So a state is kept as the difference to its neighbour: the lists as overlap, the rows of results
//! only where the neighbour does not hold them and they are the nearest.

use std::sync::Arc;

use crate::conversation::{ConversationState, QueryResult, Status};

/// How many steps back are kept.
const DEPTH: usize = 20;

/// What a session may take with all its steps, in bytes; a little is left for what is not counted.
const MOST_BYTES: usize = 96 * 1024;

/// The states before the current one, and those that were taken back.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    undo: Vec<Step>,
    redo: Vec<Step>,
}

/// A state, without what it shares with its neighbour.
#[derive(Debug, Clone)]
struct Step {
    /// What leads from it to the neighbour: the input, or what was done instead.
    label: String,
    /// Whether it changed anything but the list of what was said: a question that was not understood did not.
    changed: bool,
    state: Box<ConversationState>,
    turns: Overlap,
    questions: Overlap,
    queries: Overlap,
    outputs: Overlap,
    /// What it takes.
    bytes: usize,
}

/// The part of a list that the neighbour's list has too: `length` items from `own` here, from `other` there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Overlap {
    own: usize,
    other: usize,
    length: usize,
}

impl History {
    /// Remembers the state before a step; what had been taken back is gone.
    pub(super) fn record(&mut self, label: &str, before: &ConversationState, after: &ConversationState) {
        self.redo.clear();
        // Only one step back keeps its rows: further back, the query is enough to get them again.
        if let Some(last) = self.undo.last_mut() {
            last.drop_rows();
        }
        self.undo.push(Step::new(label, changed(before, after), before, after));
        if self.undo.len() > DEPTH {
            self.undo.remove(0);
        }
        self.trim(after);
    }

    /// Gives up the steps that are farthest from the current state until the session is small enough.
    fn trim(&mut self, current: &ConversationState) {
        let mut bytes = size(current) + self.size();
        while bytes > MOST_BYTES {
            let farthest = if self.undo.len() > self.redo.len() { &mut self.undo } else { &mut self.redo };
            if farthest.is_empty() {
                return;
            }
            bytes = bytes.saturating_sub(farthest.remove(0).bytes);
        }
    }

    /// About how many bytes all steps take, by their saved form.
    pub(super) fn size(&self) -> usize {
        self.undo.iter().chain(&self.redo).map(|step| step.bytes).sum()
    }

    /// The state before the last step that changed something, and what that step was. What failed after it goes with it.
    pub(super) fn undo(&mut self, current: &ConversationState) -> Option<(String, ConversationState)> {
        travel(&mut self.undo, &mut self.redo, current).inspect(|(_, state)| self.trim(state))
    }

    /// The state after the step that was taken back last, and what that step was.
    pub(super) fn redo(&mut self, current: &ConversationState) -> Option<(String, ConversationState)> {
        travel(&mut self.redo, &mut self.undo, current).inspect(|(_, state)| self.trim(state))
    }
}

/// Goes from a state past the nearest step that changed something; each step passed can be gone the other way.
fn travel(
    from: &mut Vec<Step>,
    to: &mut Vec<Step>,
    current: &ConversationState,
) -> Option<(String, ConversationState)> {
    let nearest = from.iter().rposition(|step| step.changed)?;
    let mut passed = current.clone();
    for step in from.drain(nearest..).rev() {
        let (label, changed) = (step.label.clone(), step.changed);
        let state = step.restore(&passed);
        if let Some(last) = to.last_mut() {
            last.drop_rows();
        }
        to.push(Step::new(&label, changed, &passed, &state));
        if changed {
            return Some((label, state));
        }
        passed = state;
    }
    None
}

/// Whether a step is worth taking back.
fn changed(before: &ConversationState, after: &ConversationState) -> bool {
    after.status != Status::Failed
        || before.pending != after.pending
        || before.database != after.database
        || before.current_query != after.current_query
}

impl Step {
    fn new(label: &str, changed: bool, state: &ConversationState, neighbour: &ConversationState) -> Self {
        let mut state = Box::new(state.clone());
        let turns = Overlap::take(&mut state.turns, &neighbour.turns);
        let questions = Overlap::take(&mut state.user_questions, &neighbour.user_questions);
        let queries = Overlap::take(&mut state.queries, &neighbour.queries);
        let outputs = Overlap::take(&mut state.planner_outputs, &neighbour.planner_outputs);
        let bytes = size(&state);
        Self { label: label.to_owned(), changed, state, turns, questions, queries, outputs, bytes }
    }

    fn restore(self, neighbour: &ConversationState) -> ConversationState {
        let mut state = *self.state;
        self.turns.put_back(&mut state.turns, &neighbour.turns);
        self.questions.put_back(&mut state.user_questions, &neighbour.user_questions);
        self.queries.put_back(&mut state.queries, &neighbour.queries);
        self.outputs.put_back(&mut state.planner_outputs, &neighbour.planner_outputs);
        state
    }

    fn drop_rows(&mut self) {
        let bare =
            |result: &Option<Arc<_>>| result.as_ref().map(|kept: &Arc<QueryResult>| Arc::new(kept.shape()));
        self.state.result = bare(&self.state.result);
        self.state.current_result = bare(&self.state.current_result);
        self.bytes = size(&self.state);
    }
}

/// About how many bytes a state takes, by its saved form; rows that it holds in two places are there once.
pub(super) fn size(state: &ConversationState) -> usize {
    let mut state = state.clone();
    if let (Some(result), Some(current)) = (&state.result, &state.current_result)
        && Arc::ptr_eq(result, current)
    {
        state.result = None;
    }
    serde_json::to_vec(&state).map_or(0, |bytes| bytes.len())
}

impl Overlap {
    /// Finds the longest run of items that ends one list and begins the other, and takes it out of `own`.
    ///
    /// Histories only grow at the end and are cut at the beginning, so what they share is always such a run.
    fn take<T: PartialEq>(own: &mut Vec<T>, other: &[T]) -> Self {
        let begins_other = (0..own.len()).find_map(|start| {
            let tail = own.get(start..)?;
            other.starts_with(tail).then_some(Self { own: start, other: 0, length: tail.len() })
        });
        let begins_own = (0..other.len()).find_map(|start| {
            let tail = other.get(start..)?;
            own.starts_with(tail).then_some(Self { own: 0, other: start, length: tail.len() })
        });
        let found = begins_other
            .into_iter()
            .chain(begins_own)
            .max_by_key(|overlap| overlap.length)
            .unwrap_or_default();
        own.drain(found.own..found.own + found.length);
        own.shrink_to_fit();
        found
    }

    fn put_back<T: Clone>(self, own: &mut Vec<T>, other: &[T]) {
        // The neighbour is the one it was taken from, so the items are there; were they not, less history is kept.
        let shared = other.get(self.other..self.other + self.length).unwrap_or_default();
        let at = self.own.min(own.len());
        own.splice(at..at, shared.iter().cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_overlap_is_put_back() {
        let lists: [&[u8]; 7] = [&[], &[1], &[1, 2, 3], &[2, 3, 4], &[3, 4, 5], &[1, 2, 3, 4], &[9, 9]];
        for own in lists {
            for other in lists {
                let mut kept = own.to_vec();
                let overlap = Overlap::take(&mut kept, other);
                assert_eq!(kept.len() + overlap.length, own.len());
                overlap.put_back(&mut kept, other);
                assert_eq!(kept, own, "{own:?} beside {other:?}");
            }
        }
    }

    #[test]
    fn only_what_differs_is_kept() {
        let mut kept = vec![1, 2, 3];
        assert_eq!(Overlap::take(&mut kept, &[2, 3, 4]), Overlap { own: 1, other: 0, length: 2 });
        assert_eq!(kept, [1]);
    }
}
