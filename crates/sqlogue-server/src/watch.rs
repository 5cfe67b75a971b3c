//! Watches a turn: counts what happens, and tells it as it happens to whoever listens.

use std::sync::Arc;

use serde_json::json;
use sqlogue::conversation::{Change, ConversationState, ErrorKind};
use sqlogue::graph::{Event, Observer};
use tokio::sync::mpsc::UnboundedSender;

use crate::metrics::Metrics;

/// Something that happened in a turn: its name, and what goes with it.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    pub(crate) name: &'static str,
    pub(crate) data: serde_json::Value,
}

/// The observer of one turn.
pub(crate) struct Watch {
    metrics: Arc<Metrics>,
    /// It has no bound, because a turn has one: its steps and their changes.
    listener: Option<UnboundedSender<Told>>,
}

impl Watch {
    pub(crate) fn new(metrics: Arc<Metrics>, listener: Option<UnboundedSender<Told>>) -> Self {
        Self { metrics, listener }
    }

    fn tell(&self, name: &'static str, data: impl FnOnce() -> serde_json::Value) {
        if let Some(listener) = &self.listener {
            // Who listens no more misses nothing that the answer does not hold.
            drop(listener.send(Told { name, data: data() }));
        }
    }

    fn changed(&self, change: &Change) {
        match change {
            Change::QuerySet { query, .. } | Change::QueryRepaired { query, .. } => {
                self.tell("sql", || json!({ "sql": query }));
            }
            Change::QueryExecuted { result } => self.tell("rows", || {
                json!({
                    "columns": result.columns, "rows": result.rows, "row_count": result.row_count,
                    "truncated": result.truncated,
                })
            }),
            Change::QueryFailed { error } if error.kind == ErrorKind::Refused => {
                self.metrics.refused("in_turn");
            }
            _ => {}
        }
    }
}

impl Observer<ConversationState> for Watch {
    fn on_event(&self, event: &Event<'_, Change>) {
        match event {
            Event::RunStarted { run, .. } => self.tell("turn", || json!({ "id": run.to_string() })),
            Event::NodeStarted { node, .. } => {
                self.tell("node", || json!({ "node": node, "status": "started" }));
            }
            Event::NodeFinished { node, took_us, .. } => {
                self.metrics.node(node, *took_us);
                self.tell("node", || json!({ "node": node, "status": "finished", "took_us": took_us }));
            }
            Event::Progress { node, message, .. } => {
                self.tell("progress", || json!({ "node": node, "message": message }));
            }
            Event::Changed { change, .. } => self.changed(change),
            _ => {}
        }
    }
}
