//! Graphviz DOT.

use std::fmt::Write;

use super::{NodeKind, Picture};

pub(super) fn write(picture: &Picture) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = write_graph(&mut out, picture);
    out
}

fn write_graph(out: &mut String, picture: &Picture) -> std::fmt::Result {
    writeln!(out, "digraph {} {{", quoted(&picture.graph))?;
    writeln!(out, "  graph [rankdir=TB, fontname=\"Helvetica\", fontsize=12, nodesep=0.4, ranksep=0.5];")?;
    writeln!(
        out,
        "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#f6f8fa\", color=\"#57606a\", fontname=\"Helvetica\", fontsize=12];"
    )?;
    writeln!(out, "  edge [color=\"#57606a\", fontname=\"Helvetica\", fontsize=10];")?;
    write_cluster(out, picture, None, 1)?;
    for edge in &picture.edges {
        let mut attributes = vec![];
        let label = edge.label(picture.painted).join("\n");
        if !label.is_empty() {
            attributes.push(format!("label={}", quoted(&label)));
        }
        if let Some(decision) = &edge.decision {
            attributes.push(format!("tooltip={}", quoted(decision)));
        }
        if picture.painted {
            attributes.push(if edge.taken > 0 {
                "color=\"#0969da\", fontcolor=\"#0969da\", penwidth=2.2".to_owned()
            } else {
                "color=\"#b7bdc4\", fontcolor=\"#8c959f\"".to_owned()
            });
        }
        let list =
            if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
        writeln!(out, "  {} -> {}{list};", quoted(&edge.from), quoted(&edge.to))?;
    }
    writeln!(out, "}}")
}

/// The nodes of one nested graph, or of the outermost one, and the nested graphs in it.
fn write_cluster(
    out: &mut String,
    picture: &Picture,
    cluster: Option<&str>,
    depth: usize,
) -> std::fmt::Result {
    let indent = "  ".repeat(depth);
    for node in picture.nodes.iter().filter(|node| node.cluster.as_deref() == cluster) {
        let mut attributes = vec![format!("label={}", quoted(&node.lines(picture.painted).join("\n")))];
        match (node.kind, cluster) {
            (NodeKind::Node, _) => {}
            (_, None) => attributes.push("shape=oval, fillcolor=\"#ffffff\"".to_owned()),
            (NodeKind::Start, Some(_)) => {
                attributes.push("shape=circle, width=0.12, fixedsize=true, fillcolor=\"#57606a\"".to_owned());
            }
            (NodeKind::End, Some(_)) => {
                attributes
                    .push("shape=doublecircle, width=0.1, fixedsize=true, fillcolor=\"#57606a\"".to_owned());
            }
        }
        if picture.painted {
            attributes.push(if node.visits > 0 {
                "color=\"#0969da\", penwidth=2, fillcolor=\"#ddf4ff\"".to_owned()
            } else {
                "color=\"#b7bdc4\", fontcolor=\"#8c959f\"".to_owned()
            });
        }
        writeln!(out, "{indent}{} [{}];", quoted(&node.id), attributes.join(", "))?;
    }
    for nested in picture.clusters.iter().filter(|nested| nested.parent.as_deref() == cluster) {
        writeln!(out, "{indent}subgraph {} {{", quoted(&format!("cluster_{}", nested.id)))?;
        writeln!(
            out,
            "{indent}  label={}; style=\"rounded\"; color=\"#8c959f\"; margin=12;",
            quoted(&nested.label)
        )?;
        write_cluster(out, picture, Some(&nested.id), depth + 1)?;
        writeln!(out, "{indent}}}")?;
    }
    Ok(())
}

/// A quoted string, in which nothing is markup or an escape of Graphviz's own.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            other if other.is_control() => {}
            other => out.push(other),
        }
    }
    out.push('"');
    out
}
