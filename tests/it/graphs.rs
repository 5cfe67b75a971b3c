//! The drawings under `graphs/` are those of the compiled graph.

use std::process::{Command, Stdio};
use std::sync::Arc;

use sqlogue::graph::Recorder;

use crate::support::{COMPANIES, File, repeatable, root};

/// Compares a file with what it should hold; `UPDATE_GRAPHS=1 cargo test` writes it instead.
fn holds(name: &str, text: &str) {
    let path = root().join("graphs").join(name);
    if std::env::var_os("UPDATE_GRAPHS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let held = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(held == text, "graphs/{name} is stale: run `UPDATE_GRAPHS=1 cargo test --test it graphs`");
}

#[test]
fn the_drawings_are_fresh() {
    let engine = repeatable().build().unwrap();
    let picture = engine.graph().picture();
    holds("conversation.dot", &picture.dot());
    holds("conversation.mmd", &picture.mermaid());
    holds("conversation.svg", &picture.svg());
}

/// A first question whose value is misspelt finds nothing, and is refined once. Times are left out: they differ each time.
#[tokio::test]
async fn the_drawn_run_is_fresh() {
    let recorder = Arc::new(Recorder::new());
    let file = File::new("companies.db", COMPANIES);
    let engine = file.builder().observer(recorder.clone()).build().unwrap();
    engine.query_database("Show me companies where the vendor is 'Hoolie'", None).await.unwrap();
    let mut trace = recorder.last().unwrap();
    let path: Vec<String> = trace.path().map(str::to_owned).collect();
    assert!(path.iter().any(|node| node == "refine_query"), "{path:?}");
    trace.steps.iter_mut().for_each(|step| step.took_us = 0);
    let picture = engine.graph().picture_of(&trace);
    holds("run.dot", &picture.dot());
    holds("run.mmd", &picture.mermaid());
    holds("run.svg", &picture.svg());
}

#[test]
fn graphviz_accepts_the_drawing() {
    let engine = repeatable().build().unwrap();
    let dot = engine.graph().picture().dot();
    let Ok(mut child) = Command::new("dot").arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
    else {
        eprintln!("SKIPPED: Graphviz is not installed, so nobody else has read the drawing");
        return;
    };
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), dot.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let svg = String::from_utf8(output.stdout).unwrap();
    for name in ["START", "END", "planner", "analyze_schema", "router", "generate_query", "execute_query"] {
        assert!(svg.contains(name), "{name}");
    }
}

#[test]
fn every_edge_of_the_flow_is_drawn_with_its_label() {
    let engine = repeatable().build().unwrap();
    let drawing = engine.graph().picture();
    let edges = [
        ("[start]", "new conversation", "analyze_schema"),
        ("[start]", "follow-up", "router"),
        ("router", "new query", "analyze_schema"),
        ("router", "inline", "execute_query"),
        ("router", "update", "planner"),
        ("router", "rewrite", "planner"),
        ("router", "correction", "planner"),
        ("router", "nothing to answer", "cleanup"),
        ("analyze_schema", "", "planner"),
        ("planner", "planned", "generate_query"),
        ("planner", "failed", "cleanup"),
        ("planner", "ambiguous", "cleanup"),
        ("generate_query", "", "execute_query"),
        ("execute_query", "error, retries left", "handle_error"),
        ("execute_query", "empty, refinements left", "refine_query"),
        ("execute_query", "rows, or nothing left to try", "cleanup"),
        ("handle_error", "", "execute_query"),
        ("refine_query", "", "execute_query"),
        ("cleanup", "", "[end]"),
    ];
    let room = |id: &str| id.split('/').next().unwrap_or_default().to_owned();
    for (from, label, to) in edges {
        let found = drawing.edges.iter().any(|edge| {
            room(&edge.from) == from
                && room(&edge.to) == to
                && edge.branch.as_deref().unwrap_or_default() == label
        });
        assert!(found, "{from} -[{label}]→ {to}");
    }
}
