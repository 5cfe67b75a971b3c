//! What the turns under way have used of their limits.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Turns that are remembered; far more than are ever under way at once.
const KEPT: usize = 1024;

/// The turns of all conversations that a reasoner serves, the latest last.
#[derive(Default)]
pub(super) struct Book {
    turns: Mutex<VecDeque<Entry>>,
}

#[derive(Default, Clone)]
struct Entry {
    turn: String,
    /// Time spent waiting for the model; the time that people take to confirm something is not theirs to lose.
    spent: Duration,
    /// Calls beyond the phases of planning.
    calls: u32,
    left_out: Vec<String>,
}

/// A judgement of a turn, whose time is written down when it ends.
pub(super) struct Open<'a> {
    book: &'a Book,
    turn: String,
    began: Instant,
    /// When the turn's time is over.
    pub(super) deadline: Instant,
}

impl Book {
    /// Begins a judgement of a turn that may take `limit` in all.
    pub(super) fn open(&self, turn: &str, limit: Duration) -> Open<'_> {
        let began = Instant::now();
        let spent = self.with(turn, |entry| entry.spent);
        Open { book: self, turn: turn.to_owned(), began, deadline: began + limit.saturating_sub(spent) }
    }

    /// What was left out of the prompts of a turn, in words.
    pub(super) fn left_out(&self, turn: &str) -> Vec<String> {
        self.with(turn, |entry| entry.left_out.clone())
    }

    fn with<T>(&self, turn: &str, act: impl FnOnce(&mut Entry) -> T) -> T {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = turns.iter_mut().rev().find(|entry| entry.turn == turn) {
            return act(entry);
        }
        let mut entry = Entry { turn: turn.to_owned(), ..Entry::default() };
        let value = act(&mut entry);
        if turns.len() >= KEPT {
            turns.pop_front();
        }
        turns.push_back(entry);
        value
    }
}

impl Open<'_> {
    /// Takes one of `limit` calls beyond the phases; false where none is left.
    pub(super) fn take_call(&self, limit: u32) -> bool {
        self.book.with(&self.turn, |entry| {
            let free = entry.calls < limit;
            entry.calls += u32::from(free);
            free
        })
    }

    /// Remembers what a prompt had no room for.
    pub(super) fn left_out(&self, task: &str, what: &[String]) {
        let line = format!("The prompt `{task}` was too long for {}", what.join(", "));
        self.book.with(&self.turn, |entry| {
            if entry.left_out.len() < 8 && !entry.left_out.contains(&line) {
                entry.left_out.push(line);
            }
        });
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let took = self.began.elapsed();
        self.book.with(&self.turn, |entry| entry.spent += took);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turns_time_is_shared_by_its_judgements() {
        let book = Book::default();
        let limit = Duration::from_secs(10);
        let first = book.open("a", limit);
        std::thread::sleep(Duration::from_millis(40));
        drop(first);
        let left = |turn: &str| book.open(turn, limit).deadline - Instant::now();
        assert!(left("a") <= limit - Duration::from_millis(40));
        assert!(left("b") > limit - Duration::from_millis(40));
    }

    #[test]
    fn calls_are_counted_for_each_turn() {
        let book = Book::default();
        let limit = Duration::from_secs(1);
        assert!(book.open("a", limit).take_call(2) && book.open("a", limit).take_call(2));
        assert!(!book.open("a", limit).take_call(2));
        assert!(book.open("b", limit).take_call(2));
    }
}
