//! The rows of the latest answers, so that pages and downloads need not ask the database again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use sqlogue::database::Rows;
use sqlogue::graph::RunId;
use sqlogue::schema::Value;

use crate::conversations::lock;

/// So many bytes of rows are kept, all together.
const MOST: usize = 64 << 20;

/// Of so many turns at most: those with few rows take more than their rows.
const TURNS: usize = 2_000;

/// Rows by the turn that fetched them; the latest, as far as there is room.
#[derive(Default)]
pub(crate) struct Recent {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    rows: HashMap<RunId, (Arc<Rows>, usize)>,
    order: VecDeque<RunId>,
    bytes: usize,
}

impl Recent {
    /// Keeps the rows of a turn.
    pub(crate) fn keep(&self, run: RunId, rows: &Arc<Rows>) {
        let size = size(rows);
        let mut kept = lock(&self.kept);
        if size > MOST || kept.rows.contains_key(&run) {
            return;
        }
        kept.rows.insert(run, (Arc::clone(rows), size));
        kept.order.push_back(run);
        kept.bytes += size;
        while (kept.bytes > MOST || kept.order.len() > TURNS)
            && let Some(oldest) = kept.order.pop_front()
        {
            let freed = kept.rows.remove(&oldest).map_or(0, |(_, size)| size);
            kept.bytes -= freed;
        }
    }

    /// The rows of a turn, where they are still at hand.
    pub(crate) fn get(&self, run: RunId) -> Option<Arc<Rows>> {
        lock(&self.kept).rows.get(&run).map(|(rows, _)| Arc::clone(rows))
    }
}

/// About how many bytes rows take in memory.
fn size(rows: &Rows) -> usize {
    let cell = |value: &Value| {
        size_of::<Value>()
            + match value {
                Value::Text(text) => text.len(),
                Value::Blob(bytes) => bytes.len(),
                _ => 0,
            }
    };
    let columns = rows.columns.iter().map(|name| 24 + name.len()).sum::<usize>();
    rows.rows.iter().map(|row| 24 + row.iter().map(cell).sum::<usize>()).sum::<usize>() + columns + 256
}
