//! SVG, without an outside program.

use std::fmt::Write;

use super::layout::{Item, Layout, Line, lay_out};
use super::{NodeKind, Picture, PictureNode};

const INK: &str = "#57606a";
const FAINT: &str = "#b7bdc4";
const TAKEN: &str = "#0969da";
const NODE_FONT: f64 = 13.0;
const LABEL_FONT: f64 = 11.0;
/// Around the text of a cluster and its nodes.
const PADDING: f64 = 14.0;
/// How far a loop from a node to itself swings out.
const LOOP: f64 = 34.0;

pub(super) fn write(picture: &Picture) -> String {
    let block = Block::new(picture, None);
    let (width, height) = (block.layout.width + 2.0 * PADDING, block.layout.height + 2.0 * PADDING);
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = write_document(&mut out, picture, &block, width, height);
    out
}

fn write_document(
    out: &mut String,
    picture: &Picture,
    block: &Block<'_>,
    width: f64,
    height: f64,
) -> std::fmt::Result {
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"Helvetica, Arial, sans-serif\">"
    )?;
    writeln!(out, "  <title>{}</title>", escaped(&picture.graph))?;
    writeln!(out, "  <defs>")?;
    for (name, colour) in [("plain", INK), ("faint", FAINT), ("taken", TAKEN)] {
        writeln!(
            out,
            "    <marker id=\"arrow-{name}\" viewBox=\"0 0 8 8\" refX=\"7.4\" refY=\"4\" markerWidth=\"8\" \
             markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0,0.6 L8,4 L0,7.4 z\" \
             fill=\"{colour}\"/></marker>"
        )?;
    }
    writeln!(out, "  </defs>")?;
    writeln!(out, "  <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>")?;
    block.write(out, picture, PADDING, PADDING)?;
    writeln!(out, "</svg>")
}

/// One level of the picture, laid out: a nested graph is one box among the nodes around it.
struct Block<'a> {
    boxes: Vec<Shape<'a>>,
    /// For every line of the layout the index of its edge in the picture.
    edges: Vec<usize>,
    /// The edges from a node to itself.
    loops: Vec<(usize, usize)>,
    layout: Layout,
}

/// What is drawn as a box.
enum Shape<'a> {
    Node(&'a PictureNode, Item),
    Cluster { id: &'a str, label: &'a str, inner: Block<'a>, item: Item },
}

impl Shape<'_> {
    fn item(&self) -> Item {
        match self {
            Self::Node(_, item) | Self::Cluster { item, .. } => *item,
        }
    }
}

impl<'a> Block<'a> {
    fn new(picture: &'a Picture, cluster: Option<&str>) -> Self {
        let mut boxes: Vec<Shape<'a>> = vec![];
        for node in picture.nodes.iter().filter(|node| node.cluster.as_deref() == cluster) {
            boxes.push(Shape::Node(node, node_item(picture, node)));
        }
        for nested in picture.clusters.iter().filter(|nested| nested.parent.as_deref() == cluster) {
            let inner = Block::new(picture, Some(&nested.id));
            let width = inner.layout.width.max(text_width(&nested.label, NODE_FONT)) + 2.0 * PADDING;
            let item = Item { width, height: inner.layout.height + 2.0 * PADDING + 12.0, right: 0.0 };
            boxes.push(Shape::Cluster { id: &nested.id, label: &nested.label, inner, item });
        }
        let mut block = Self { boxes, edges: vec![], loops: vec![], layout: Layout::default() };
        let mut lines = vec![];
        for (index, edge) in picture.edges.iter().enumerate() {
            let ends = (block.leaves(picture, &edge.from), block.enters(picture, &edge.to));
            let (Some(from), Some(to)) = ends else { continue };
            let label = label_size(&edge.label(picture.painted));
            if from == to {
                block.loops.push((index, from));
                if let Some(Shape::Node(_, item) | Shape::Cluster { item, .. }) = block.boxes.get_mut(from) {
                    item.right = item.right.max(LOOP + label.0);
                }
            } else {
                block.edges.push(index);
                lines.push(Line { from, to, label });
            }
        }
        let items: Vec<Item> = block.boxes.iter().map(Shape::item).collect();
        block.layout = lay_out(&items, &lines);
        block
    }

    /// The box that a line from this point leaves, if it is on this level.
    fn leaves(&self, picture: &Picture, id: &str) -> Option<usize> {
        self.find(picture, id, NodeKind::End)
    }

    /// The box that a line to this point enters, if it is on this level.
    fn enters(&self, picture: &Picture, id: &str) -> Option<usize> {
        self.find(picture, id, NodeKind::Start)
    }

    /// The start and end of a nested graph are, from outside, the nested graph itself.
    fn find(&self, picture: &Picture, id: &str, boundary: NodeKind) -> Option<usize> {
        let node = picture.nodes.iter().find(|node| &*node.id == id)?;
        let as_boundary = node.kind == boundary && node.cluster.is_some();
        self.boxes.iter().position(|found| match found {
            Shape::Node(found, _) => !as_boundary && found.id == node.id,
            Shape::Cluster { id, .. } => as_boundary && node.cluster.as_deref() == Some(*id),
        })
    }

    fn write(&self, out: &mut String, picture: &Picture, left: f64, top: f64) -> std::fmt::Result {
        for (place, found) in self.layout.items.iter().zip(&self.boxes) {
            let (x, y) = (place.0 + left, place.1 + top);
            match found {
                Shape::Node(node, item) => write_node(out, picture, node, *item, x, y)?,
                Shape::Cluster { label, inner, item, .. } => {
                    let (box_left, box_top) = (x - item.width / 2.0, y - item.height / 2.0);
                    writeln!(
                        out,
                        "  <rect x=\"{box_left:.1}\" y=\"{box_top:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\" \
                         fill=\"#ffffff\" stroke=\"{FAINT}\" stroke-dasharray=\"4 3\"/>",
                        item.width, item.height
                    )?;
                    let label_x = box_left + 10.0;
                    let label_y = box_top + 18.0;
                    writeln!(
                        out,
                        "  <text x=\"{label_x:.1}\" y=\"{label_y:.1}\" font-size=\"{NODE_FONT}\" font-weight=\"bold\" \
                         fill=\"{INK}\">{}</text>",
                        escaped(label)
                    )?;
                    let indent = (item.width - inner.layout.width) / 2.0;
                    inner.write(out, picture, box_left + indent, box_top + PADDING + 6.0)?;
                }
            }
        }
        for (index, box_index) in &self.loops {
            self.write_loop(out, picture, *index, *box_index, left, top)?;
        }
        // What the run took is drawn last, over what it did not.
        let mut lines: Vec<_> = self
            .layout
            .lines
            .iter()
            .zip(&self.edges)
            .filter_map(|(line, index)| Some((line, picture.edges.get(*index)?)))
            .collect();
        lines.sort_by_key(|(_, edge)| edge.taken > 0);
        for ((points, label), edge) in lines {
            let points: Vec<_> = points.iter().map(|(x, y)| (x + left, y + top)).collect();
            write_line(out, style(picture.painted, edge.taken), &curve(&points))?;
            let text = edge.label(picture.painted);
            write_label(out, picture.painted, edge.taken, &text, (label.0 + left, label.1 + top))?;
        }
        Ok(())
    }

    /// A loop swings out of the right border and back into it.
    fn write_loop(
        &self,
        out: &mut String,
        picture: &Picture,
        index: usize,
        box_index: usize,
        left: f64,
        top: f64,
    ) -> std::fmt::Result {
        let at = self.layout.items.get(box_index).zip(self.boxes.get(box_index));
        let (Some(((x, y), found)), Some(edge)) = (at, picture.edges.get(index)) else { return Ok(()) };
        let item = found.item();
        let (x, y, bend) = (x + left + item.width / 2.0, y + top, LOOP - 6.0);
        let (high, low) = (y - item.height / 4.0, y + item.height / 4.0);
        let path = format!(
            "M{x:.1},{high:.1} C{:.1},{:.1} {:.1},{:.1} {x:.1},{low:.1}",
            x + bend,
            high - 8.0,
            x + bend,
            low + 8.0
        );
        write_line(out, style(picture.painted, edge.taken), &path)?;
        let lines = edge.label(picture.painted);
        let (width, _) = label_size(&lines);
        write_label(out, picture.painted, edge.taken, &lines, (x + LOOP - 8.0 + width / 2.0, y))
    }
}

fn node_item(picture: &Picture, node: &PictureNode) -> Item {
    let lines = node.lines(picture.painted);
    if node.kind != NodeKind::Node && node.cluster.is_some() {
        return Item { width: 12.0, height: 12.0, right: 0.0 };
    }
    let width = lines.iter().map(|line| text_width(line, NODE_FONT)).fold(0.0, f64::max);
    Item {
        width: (width + 2.0 * PADDING).max(56.0),
        height: rows(&lines, NODE_FONT + 4.0) + 15.0,
        right: 0.0,
    }
}

fn write_node(
    out: &mut String,
    picture: &Picture,
    node: &PictureNode,
    item: Item,
    x: f64,
    y: f64,
) -> std::fmt::Result {
    let visited = node.visits > 0;
    let (stroke, fill, text) = match (picture.painted, visited) {
        (false, _) => (INK, "#f6f8fa", "#1f2328"),
        (true, true) => (TAKEN, "#ddf4ff", "#1f2328"),
        (true, false) => (FAINT, "#ffffff", "#8c959f"),
    };
    if node.kind != NodeKind::Node && node.cluster.is_some() {
        let radius = if node.kind == NodeKind::Start { 5.0 } else { 3.2 };
        if node.kind == NodeKind::End {
            writeln!(
                out,
                "  <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" fill=\"#ffffff\" stroke=\"{stroke}\"/>"
            )?;
        }
        return writeln!(out, "  <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{stroke}\"/>");
    }
    let radius = if node.kind == NodeKind::Node { 6.0 } else { item.height / 2.0 };
    let fill = if node.kind == NodeKind::Node || picture.painted && visited { fill } else { "#ffffff" };
    writeln!(
        out,
        "  <rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{radius:.1}\" fill=\"{fill}\" \
         stroke=\"{stroke}\" stroke-width=\"{}\"><title>{}</title></rect>",
        x - item.width / 2.0,
        y - item.height / 2.0,
        item.width,
        item.height,
        if picture.painted && visited { 2 } else { 1 },
        escaped(&node.id)
    )?;
    write_text(out, &node.lines(picture.painted), NODE_FONT, text, (x, y))
}

/// How a line looks: its colour, its width and its arrow.
fn style(painted: bool, taken: u32) -> (&'static str, f64, &'static str) {
    match (painted, taken > 0) {
        (false, _) => (INK, 1.2, "plain"),
        (true, true) => (TAKEN, 2.2, "taken"),
        (true, false) => (FAINT, 1.2, "faint"),
    }
}

fn write_line(out: &mut String, (colour, width, arrow): (&str, f64, &str), path: &str) -> std::fmt::Result {
    writeln!(
        out,
        "  <path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
         marker-end=\"url(#arrow-{arrow})\"/>"
    )
}

/// Cubic curves from point to point that leave and arrive vertically.
fn curve(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    let mut last: Option<(f64, f64)> = None;
    for (x, y) in points.iter().copied() {
        // Writing into a string cannot fail.
        let _ = match last {
            None => write!(path, "M{x:.1},{y:.1}"),
            Some((from_x, _)) if (from_x - x).abs() < 0.5 => write!(path, " L{x:.1},{y:.1}"),
            Some((from_x, from_y)) => {
                let middle = f64::midpoint(from_y, y);
                write!(path, " C{from_x:.1},{middle:.1} {x:.1},{middle:.1} {x:.1},{y:.1}")
            }
        };
        last = Some((x, y));
    }
    path
}

fn write_label(
    out: &mut String,
    painted: bool,
    taken: u32,
    lines: &[String],
    at: (f64, f64),
) -> std::fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    let (width, height) = label_size(lines);
    let (left, top) = (at.0 - width / 2.0, at.1 - height / 2.0);
    writeln!(
        out,
        "  <rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"#ffffff\"/>"
    )?;
    let colour = match (painted, taken > 0) {
        (true, true) => TAKEN,
        (true, false) => "#8c959f",
        (false, _) => INK,
    };
    write_text(out, lines, LABEL_FONT, colour, at)
}

fn write_text(
    out: &mut String,
    lines: &[String],
    size: f64,
    colour: &str,
    (x, y): (f64, f64),
) -> std::fmt::Result {
    let spacing = size + if size > LABEL_FONT { 4.0 } else { 2.0 };
    // The baseline of the first line, so that all lines together are centred: letters stand about 0.72 em high.
    let mut baseline = y - rows(lines, spacing) / 2.0 + spacing / 2.0 + size * 0.36;
    for line in lines {
        writeln!(
            out,
            "  <text x=\"{x:.1}\" y=\"{baseline:.1}\" font-size=\"{size}\" text-anchor=\"middle\" fill=\"{colour}\">{}</text>",
            escaped(line)
        )?;
        baseline += spacing;
    }
    Ok(())
}

fn label_size(lines: &[String]) -> (f64, f64) {
    if lines.is_empty() {
        return (0.0, 0.0);
    }
    let width = lines.iter().map(|line| text_width(line, LABEL_FONT)).fold(0.0, f64::max);
    (width + 6.0, rows(lines, LABEL_FONT + 2.0) + 4.0)
}

fn rows(lines: &[String], spacing: f64) -> f64 {
    lines.iter().map(|_| spacing).sum()
}

/// About how wide a text is in Helvetica; a little too wide rather than too narrow.
fn text_width(text: &str, size: f64) -> f64 {
    let em = |character: char| match character {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '('
        | ')' => 0.34,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.9,
        'A'..='Z' | '≤' | '×' | '<' | '>' | '&' | '"' => 0.7,
        other if !other.is_ascii() => 1.0,
        _ => 0.57,
    };
    text.chars().map(em).sum::<f64>() * size
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push(' '),
            other if other.is_control() => {}
            other => out.push(other),
        }
    }
    out
}
