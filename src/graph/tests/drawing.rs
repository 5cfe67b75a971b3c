//! Pictures, plain and painted.

use std::sync::Arc;

use super::kit::{Change, Log, conversation, wait};
use crate::graph::{Picture, Recorder, RunOptions, Trace};

/// A follow-up that plans an update, meets one error and repairs it.
fn painted() -> (Picture, Trace) {
    let recorder = Arc::new(Recorder::new());
    let words = [
        "begin=follow-up",
        "route=update, rewrite, correction",
        "tables=found",
        "executed=rows, or nothing left to try",
    ];
    let input = words.iter().map(|word| Change::Said((*word).to_owned())).collect();
    let graph = conversation();
    wait(graph.run(Log::default(), RunOptions::new().input(input).observer(recorder.clone()))).unwrap();
    let trace = recorder.last().unwrap();
    (graph.picture_of(&trace), trace)
}

#[test]
fn dump() {
    let Ok(folder) = std::env::var("GRAPH_DUMP") else { return };
    for (name, picture) in [("plain", conversation().picture()), ("painted", painted().0)] {
        for (end, text) in [
            ("dot", picture.dot()),
            ("svg", picture.svg()),
            ("mmd", picture.mermaid()),
            ("json", picture.json()),
        ] {
            std::fs::write(format!("{folder}/{name}.{end}"), text).unwrap();
        }
    }
}
