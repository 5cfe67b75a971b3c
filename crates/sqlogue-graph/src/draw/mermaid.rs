//! A Mermaid flowchart.

use std::fmt::Write;

use super::{NodeKind, Picture};

pub(super) fn write(picture: &Picture) -> String {
    let mut out = String::from("flowchart TD\n");
    // Writing into a string cannot fail.
    let _ = write_graph(&mut out, picture);
    out
}

fn write_graph(out: &mut String, picture: &Picture) -> std::fmt::Result {
    write_cluster(out, picture, None, 1)?;
    for edge in &picture.edges {
        let (from, to) = (name(picture, &edge.from), name(picture, &edge.to));
        let label = edge.label(picture.painted).join("\n");
        if label.is_empty() {
            writeln!(out, "  {from} --> {to}")?;
        } else {
            writeln!(out, "  {from} -->|\"{}\"| {to}", escaped(&label))?;
        }
    }
    if picture.painted {
        writeln!(out, "  classDef taken fill:#ddf4ff,stroke:#0969da,stroke-width:2px")?;
        for node in picture.nodes.iter().filter(|node| node.visits > 0) {
            writeln!(out, "  class {} taken", name(picture, &node.id))?;
        }
        for (index, _) in picture.edges.iter().enumerate().filter(|(_, edge)| edge.taken > 0) {
            writeln!(out, "  linkStyle {index} stroke:#0969da,stroke-width:2.5px")?;
        }
    }
    Ok(())
}

fn write_cluster(
    out: &mut String,
    picture: &Picture,
    cluster: Option<&str>,
    depth: usize,
) -> std::fmt::Result {
    let indent = "  ".repeat(depth);
    for node in picture.nodes.iter().filter(|node| node.cluster.as_deref() == cluster) {
        let id = name(picture, &node.id);
        let label = escaped(&node.lines(picture.painted).join("\n"));
        match (node.kind, cluster) {
            (NodeKind::Node, _) => writeln!(out, "{indent}{id}[\"{label}\"]")?,
            (_, None) => writeln!(out, "{indent}{id}([\"{label}\"])")?,
            (NodeKind::Start, Some(_)) => writeln!(out, "{indent}{id}((\" \"))")?,
            (NodeKind::End, Some(_)) => writeln!(out, "{indent}{id}(((\" \")))")?,
        }
    }
    for (index, nested) in picture.clusters.iter().enumerate() {
        if nested.parent.as_deref() == cluster {
            writeln!(out, "{indent}subgraph cluster{index}[\"{}\"]", escaped(&nested.label))?;
            write_cluster(out, picture, Some(&nested.id), depth + 1)?;
            writeln!(out, "{indent}end")?;
        }
    }
    Ok(())
}

/// A name that Mermaid accepts. The number keeps names apart that differ only in what it does not accept, and
/// keeps a node called `end` from being read as the keyword.
fn name(picture: &Picture, id: &str) -> String {
    let index = picture.nodes.iter().position(|node| &*node.id == id).unwrap_or_default();
    let plain = id.chars().map(|character| if character.is_ascii_alphanumeric() { character } else { '_' });
    let plain: String = plain.collect();
    format!("n{index}_{}", plain.trim_matches('_'))
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '"' => out.push_str("#quot;"),
            '#' => out.push_str("#35;"),
            '&' => out.push_str("#amp;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '`' => out.push_str("#96;"),
            '\n' => out.push_str("<br/>"),
            other if other.is_control() => {}
            other => out.push(other),
        }
    }
    out
}
