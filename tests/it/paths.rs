//! Every way through the conversation graph, walked with scripted outcomes.

use std::sync::Arc;

use sqlogue::ConversationState;
use sqlogue::conversation::Change;
use sqlogue::graph::{Graph, Outcome, RunOptions, node_fn};
use sqlogue::workflow::{LoopLimits, conversation_graph, step_limit};

use crate::support::repeatable;

/// The conversation graph as it is wired, with nodes that only leave their name behind.
fn scripted(budgets: LoopLimits) -> Graph<ConversationState> {
    let engine = repeatable().build().unwrap();
    let graph = conversation_graph(engine.services(), budgets).unwrap();
    let ids: Vec<String> = graph.node_ids().map(str::to_owned).collect();
    ids.iter().fold(graph, |graph, id| {
        let note = id.clone();
        let node = node_fn(move |_: &ConversationState, _: &_| {
            Ok(Outcome::Done(vec![Change::Explained { reasons: vec![note.clone()] }]))
        });
        graph.with_node(id, node).unwrap()
    })
}

#[tokio::test]
async fn every_path_leads_to_the_end_through_the_nodes_it_names() {
    let budgets = LoopLimits { retries: 3, refinements: 1, table_batches: 2 };
    let graph = scripted(budgets);
    let mut walked = 0;
    let mut edges = std::collections::BTreeSet::new();
    for path in graph.paths(100_000) {
        let options = RunOptions::new().step_limit(step_limit(budgets)).follow(&path);
        let ended = graph.run(ConversationState::new("s", "d"), options).await.unwrap();
        assert!(ended.is_finished(), "{path}");
        let planned: Vec<&str> = path.nodes().collect();
        let ran: Vec<&str> = ended.path().iter().map(Arc::as_ref).collect();
        assert_eq!(ran, planned, "{path}");
        assert_eq!(ended.state().explanation, planned, "every node's change is in the state");
        assert!(planned.len() <= step_limit(budgets) as usize);
        assert_eq!(planned.last(), Some(&"cleanup"), "{path}");
        edges.extend(path.steps.iter().map(|step| (step.from.clone(), step.choice, step.to.clone())));
        walked += 1;
    }
    assert!((500..100_000).contains(&walked), "{walked} paths");
    assert_eq!(edges.len(), graph.picture().edges.len(), "every edge is on some path");
}
