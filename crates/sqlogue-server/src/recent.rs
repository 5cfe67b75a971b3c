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

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn rows(text: usize) -> Arc<Rows> {
        let cells = vec![vec![Value::Text("x".repeat(text))]];
        Arc::new(Rows {
            columns: vec!["n".to_owned()],
            rows: cells,
            truncated: false,
            cost: None,
            elapsed: std::time::Duration::ZERO,
        })
    }

    #[test]
    fn the_latest_are_kept_as_far_as_there_is_room() {
        let recent = Recent::default();
        let runs: Vec<RunId> =
            (0..TURNS + 10).map(|number| RunId::new(Uuid::from_u128(number as u128))).collect();
        for run in &runs {
            recent.keep(*run, &rows(1));
        }
        assert!(recent.get(runs[9]).is_none() && recent.get(runs[10]).is_some());
        assert_eq!(lock(&recent.kept).rows.len(), TURNS);
        let large = RunId::new(Uuid::max());
        recent.keep(large, &rows(MOST - 1_000));
        assert!(recent.get(large).is_some() && lock(&recent.kept).rows.len() < 10);
        recent.keep(runs[0], &rows(MOST + 1));
        assert!(recent.get(runs[0]).is_none());
        assert!(lock(&recent.kept).bytes <= MOST);
    }
}
