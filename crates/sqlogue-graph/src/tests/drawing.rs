//! Pictures, plain and painted.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

use super::kit::{Change, Log, conversation, retrying, say, wait};
use crate::journal::{Journal, MemoryJournal};
use crate::{Graph, Picture, Recorder, RunOptions, To, Trace, branches, decision, nodes};

/// A follow-up that plans an update of the whole query.
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
fn dot_shows_every_edge_with_its_label() {
    let dot = conversation().picture().dot();
    for line in [
        r##"  "[start]" -> "analyze_schema" [label="new conversation", tooltip="begin"];"##,
        r##"  "router" -> "planner/[start]" [label="update, rewrite, correction", tooltip="route"];"##,
        r##"  "planner/[end]" -> "generate_query" [label="planned", tooltip="planned"];"##,
        r##"  "execute_query" -> "handle_error" [label="error, retries left\n(retries ≤ 3)", tooltip="executed"];"##,
        r##"  "planner/evaluate_tables" -> "planner/evaluate_tables" [label="more tables\n(tables ≤ 2)", tooltip="tables"];"##,
        r##"  subgraph "cluster_planner" {"##,
    ] {
        assert!(dot.lines().any(|found| found == line), "{line} in\n{dot}");
    }
    assert_eq!(dot.matches(" -> ").count(), conversation().picture().edges.len());
}

#[test]
fn a_painted_run_counts_what_it_touched() {
    let (picture, trace) = painted();
    let of = |from: &str, to: &str| {
        let edge = picture.edges.iter().find(|edge| *edge.from == *from && *edge.to == *to);
        edge.map(|edge| edge.taken).unwrap()
    };
    assert_eq!(of("[start]", "router"), 1);
    assert_eq!(of("[start]", "analyze_schema"), 0);
    assert_eq!(of("router", "planner/[start]"), 1);
    assert_eq!(of("planner/compose_plan", "planner/[end]"), 1);
    assert_eq!(of("cleanup", "[end]"), 1);
    let visits = picture.nodes.iter().filter(|node| node.visits > 0).map(|node| &*node.id);
    assert_eq!(visits.clone().filter(|id| !id.ends_with(']')).count(), trace.path().count());

    let recorder = Arc::new(Recorder::new());
    let journal = Arc::new(MemoryJournal::new());
    let options = || RunOptions::new().observer(recorder.clone());
    let first = options().input(vec![Change::ErrorsToCome(2)]).journal(journal.clone()).pause_after("repair");
    let asked = wait(retrying().run(Log::default(), first)).unwrap();
    wait(retrying().resume(journal.clone(), asked.run(), options())).unwrap();
    let record = wait(journal.read(asked.run())).unwrap().unwrap();
    let traces = [recorder.last().unwrap(), Trace::of_record(asked.run(), &record)];
    for trace in traces {
        let picture = retrying().picture_of(&trace);
        let taken: Vec<u32> = picture.edges.iter().map(|edge| edge.taken).collect();
        // start → read, read → run, rows, error, repair → run, close → end.
        assert_eq!(taken, [1, 1, 1, 2, 2, 1], "{trace:?}");
        assert!(picture.dot().contains("taken 2 of 3"));
        let saved = serde_json::to_string(&trace).unwrap();
        assert_eq!(serde_json::from_str::<Trace>(&saved).unwrap(), trace);
    }
}

#[test]
fn labels_are_text_whatever_is_in_them() {
    nodes! { enum Odd { Quote => "say \"hi\"\\", Markup => "<b>&amp;</b>\nsecond line #1 `x`" } }
    branches! { enum Way { Odd => "a | \"b\"\n--> <c>" } }
    let graph = Graph::<Log>::builder::<Odd>("odd");
    let graph = graph.start(Odd::Quote).node(Odd::Quote, say("x")).node(Odd::Markup, say("x"));
    let found = graph
        .decide(Odd::Quote, decision("d\"", |_: &Log, _| Way::Odd), |_| To::node(Odd::Markup))
        .end(Odd::Markup)
        .build();
    // `</b>` holds the separator of nested names, and is refused for that alone.
    assert!(found.unwrap_err().to_string().contains("cannot be a name"));

    nodes! { enum Fine { Quote => "say \"hi\"\\", Markup => "<b>&amp;\nsecond line #1 `x`" } }
    let picture = Graph::<Log>::builder::<Fine>("odd \"graph\" <&>")
        .start(Fine::Quote)
        .node(Fine::Quote, say("x"))
        .node(Fine::Markup, say("x"))
        .decide(Fine::Quote, decision("d\"", |_: &Log, _| Way::Odd), |_| To::node(Fine::Markup))
        .end(Fine::Markup)
        .build()
        .unwrap()
        .picture();
    assert!(picture.svg().contains("&lt;b&gt;&amp;amp;</text>"));
    assert!(picture.mermaid().contains("#lt;b#gt;#amp;amp;<br/>second line #35;1 #96;x#96;"));
    assert!(picture.dot().contains(r#""say \"hi\"\\""#));
    graphviz_accepts(&picture.dot());
    graphviz_accepts(&conversation().picture().dot());
    graphviz_accepts(&painted().0.dot());
}

/// Only where Graphviz is installed; there is nothing to ask elsewhere.
fn graphviz_accepts(dot: &str) {
    let started = Command::new("dot").arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
    let Ok(mut graphviz) = started else { return };
    graphviz.stdin.take().unwrap().write_all(dot.as_bytes()).unwrap();
    assert!(graphviz.wait().unwrap().success(), "{dot}");
}
