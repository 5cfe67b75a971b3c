//! What an assistant may read: schemas, and drawings of the graph.

use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use sqlogue::graph::Trace;

use crate::desk::Desk;
use crate::owner::Owner;
use crate::problem::Problem;

const SCHEMA: &str = "sqlogue://schema/";
const GRAPH: &str = "sqlogue://graph";
const TURN: &str = "sqlogue://graph/";

/// The resources that can be listed.
pub(super) fn all(desk: &Desk) -> Vec<Resource> {
    let schemas = desk.conversations.databases.engines().iter().map(|engine| {
        let name = engine.database().name();
        Resource::new(format!("{SCHEMA}{}", encoded(name)), format!("schema of {name}"))
            .with_description("Tables, columns, keys and samples")
            .with_mime_type("application/json")
    });
    let graph = Resource::new(GRAPH, "graph")
        .with_description("The graph that every turn walks through")
        .with_mime_type("image/svg+xml");
    schemas.chain([graph]).collect()
}

/// Those that need to be told which.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{TURN}{{conversation}}/{{turn}}"), "way of a turn")
            .with_description("The graph with the way that a turn took; `session` and `id` of an answer")
            .with_mime_type("image/svg+xml"),
    ]
}

/// Reads one.
///
/// # Errors
/// There is no such resource.
pub(super) async fn read(desk: &Desk, owner: &Owner, uri: &str) -> Result<ResourceContents, Problem> {
    let unknown = || Problem::unknown("there is no such resource");
    let svg = |drawing: String| ResourceContents::text(drawing, uri).with_mime_type("image/svg+xml");
    if let Some(name) = uri.strip_prefix(SCHEMA) {
        let engines = desk.conversations.databases.engines();
        let engine =
            engines.iter().find(|engine| encoded(engine.database().name()) == name).ok_or_else(unknown)?;
        let knowledge = engine.knowledge().await?;
        let text = serde_json::to_string_pretty(knowledge.schema()).map_err(Problem::internal)?;
        return Ok(ResourceContents::text(text, uri).with_mime_type("application/json"));
    }
    let graph = desk.engine(None)?.graph();
    if uri == GRAPH {
        return Ok(svg(graph.picture().svg()));
    }
    let (id, turn) = uri.strip_prefix(TURN).and_then(|place| place.rsplit_once('/')).ok_or_else(unknown)?;
    let run = turn.parse().map_err(|_| unknown())?;
    let (_, record) = desk.record(owner, id, run).await?;
    Ok(svg(graph.picture_of(&Trace::of_record(run, &record)).svg()))
}

/// A name as part of an address.
fn encoded(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    name.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
