//! The join graph: which tables can be joined on which columns, and the cheapest way to connect some of them.

use std::collections::{BTreeSet, BinaryHeap, HashMap};

use petgraph::graph::{EdgeIndex, NodeIndex, UnGraph};
use petgraph::visit::EdgeRef;

use super::knowledge::{ColumnId, Knowledge, TableId};
use sqlogue_sql::plan::{ColumnRef, Join, JoinKind, Source, TableUse};

/// One way to join two tables.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinEdge {
    /// The referring columns with the columns they refer to.
    pub columns: Vec<(ColumnId, ColumnId)>,
    /// The table that refers.
    pub from: TableId,
    /// The table referred to.
    pub to: TableId,
    /// False where the key was inferred from names and values, or written down by people.
    pub declared: bool,
    /// How likely the key is one, from 0 to 1.
    pub confidence: f32,
}

impl JoinEdge {
    /// What it costs to join by it: a key of which nobody can be sure is taken only where no other path is about as short.
    fn cost(&self) -> f32 {
        if self.declared { 1.0 } else { 1.1 + 1.5 * (1.0 - self.confidence) }
    }
}

/// Tables connected by joins, each join naming a table that is already there and a new one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JoinTree {
    /// The tables, the first one first, in the order they are joined.
    pub tables: Vec<TableId>,
    /// The joins; the n-th brings in the (n + 1)-th table.
    pub edges: Vec<JoinEdge>,
    /// The sum of the joins' costs.
    pub cost: f32,
}

impl JoinTree {
    /// The tables as a source with its joins.
    pub fn source(&self, knowledge: &Knowledge) -> Option<(Source, Vec<Join>)> {
        let name = |table: TableId| TableUse::new(knowledge.table(table).name.clone());
        let column = |id: ColumnId| {
            let column = knowledge.column(id);
            ColumnRef::new(knowledge.table(column.table).name.clone(), column.name.clone())
        };
        let join = |(edge, table): (&JoinEdge, &TableId)| {
            let sides = |(from, to): &(ColumnId, ColumnId)| match edge.from == *table {
                true => (column(*to), column(*from)),
                false => (column(*from), column(*to)),
            };
            Join::new(JoinKind::Inner, name(*table), edge.columns.iter().map(sides).collect())
        };
        let joins = self.edges.iter().zip(self.tables.iter().skip(1)).map(join).collect();
        Some((Source::Table(name(*self.tables.first()?)), joins))
    }
}

/// The tables of a schema with their possible joins.
#[derive(Debug, Default)]
pub struct JoinGraph {
    graph: UnGraph<TableId, JoinEdge>,
    nodes: HashMap<TableId, NodeIndex>,
    self_references: Vec<JoinEdge>,
}

/// What it costs to join two tables over a parent that both refer to, in tenths of a join.
const COMMON_PARENT: u32 = 12;

/// Tables further apart than this, in tenths of a join, have nothing to do with each other.
const FAR: u32 = 45;

impl JoinGraph {
    /// A graph of tables without joins.
    pub fn new(tables: impl Iterator<Item = TableId>) -> Self {
        let mut graph = UnGraph::default();
        let nodes = tables.map(|table| (table, graph.add_node(table))).collect();
        Self { graph, nodes, self_references: Vec::new() }
    }

    /// Adds a way to join two tables, or a table with itself.
    pub fn add(&mut self, edge: JoinEdge) {
        if edge.from == edge.to {
            self.self_references.push(edge);
            return;
        }
        if let (Some(&from), Some(&to)) = (self.nodes.get(&edge.from), self.nodes.get(&edge.to)) {
            self.graph.add_edge(from, to, edge);
        }
    }

    /// The keys by which rows of a table refer to others of it: a manager's, a parent's. They connect no tables.
    pub fn self_references(&self, table: TableId) -> impl Iterator<Item = &JoinEdge> {
        self.self_references.iter().filter(move |edge| edge.from == table)
    }

    /// The key by which one column alone refers to rows of a table, its own or another.
    pub fn reference(&self, column: ColumnId) -> Option<&JoinEdge> {
        let all = self.graph.edge_weights().chain(&self.self_references);
        // Where nobody declared a key and two are likely, the likelier.
        all.filter(|edge| matches!(edge.columns.as_slice(), [(from, _)] if *from == column))
            .min_by(|one, other| one.cost().total_cmp(&other.cost()))
    }

    /// The joins between two tables, in either direction, in the order in which they were added: several where one refers to the other in several roles.
    pub fn between(&self, one: TableId, other: TableId) -> Vec<&JoinEdge> {
        let (Some(&one), Some(&other)) = (self.nodes.get(&one), self.nodes.get(&other)) else {
            return Vec::new();
        };
        let mut edges: Vec<_> = self.graph.edges_connecting(one, other).collect();
        edges.sort_by_key(|edge| edge.id());
        edges.into_iter().map(|edge| edge.weight()).collect()
    }

    /// True where rows of one table refer to rows of another.
    pub fn refers(&self, table: TableId, other: TableId) -> bool {
        self.between(table, other).iter().any(|edge| edge.from == table)
    }

    /// True where rows of one table refer to rows of another, by themselves or through what they refer to.
    pub fn leads(&self, table: TableId, other: TableId) -> bool {
        let mut reached = vec![table];
        let mut next = 0;
        while let Some(from) = reached.get(next).copied() {
            next += 1;
            let new: Vec<TableId> = self.above(from).filter(|to| !reached.contains(to)).collect();
            reached.extend(new);
        }
        reached.iter().skip(1).any(|to| *to == other)
    }

    /// The tables that a table can be joined to directly.
    pub fn neighbours(&self, table: TableId) -> Vec<TableId> {
        let Some(&node) = self.nodes.get(&table) else { return Vec::new() };
        let found: BTreeSet<TableId> =
            self.graph.neighbors(node).filter_map(|other| self.graph.node_weight(other).copied()).collect();
        found.into_iter().collect()
    }

    /// The tables that a table's rows refer to.
    pub fn above(&self, table: TableId) -> impl Iterator<Item = TableId> {
        self.neighbours(table).into_iter().filter(move |other| self.refers(table, *other))
    }

    /// The tables whose rows refer to a table's.
    pub fn below(&self, table: TableId) -> impl Iterator<Item = TableId> {
        self.neighbours(table).into_iter().filter(move |other| self.refers(*other, table))
    }

    /// Connects the tables, the first one first, by the cheapest joins found; none where they do not hang together.
    ///
    /// Each further table is attached by its shortest path to what is connected already, nearest first: not always
    /// the cheapest tree, but it is for the few tables of a question.
    pub fn connect(&self, wanted: &[TableId]) -> Option<JoinTree> {
        self.connect_avoiding(wanted, &[])
    }

    /// As [`JoinGraph::connect`], without the joins given.
    pub fn connect_avoiding(&self, wanted: &[TableId], avoided: &[JoinEdge]) -> Option<JoinTree> {
        let first = *wanted.first()?;
        let mut tree = JoinTree { tables: vec![first], ..JoinTree::default() };
        let mut missing: BTreeSet<TableId> = wanted.iter().copied().filter(|table| *table != first).collect();
        while !missing.is_empty() {
            let connected: Vec<(TableId, bool)> = tree
                .tables
                .iter()
                .enumerate()
                .map(|(at, table)| {
                    (*table, at > 0 && tree.edges.get(at - 1).is_some_and(|edge| edge.to == *table))
                })
                .collect();
            let path = self.nearest(&connected, &missing, avoided, u32::MAX)?;
            for (table, edge) in path {
                let Some(edge) = self.graph.edge_weight(edge) else { continue };
                if !tree.tables.contains(&table) {
                    tree.cost += edge.cost();
                    tree.tables.push(table);
                    tree.edges.push(edge.clone());
                }
                missing.remove(&table);
            }
        }
        Some(tree)
    }

    /// About what it costs to join two tables; none where it takes more than a few joins.
    pub fn distance(&self, one: TableId, other: TableId) -> Option<f32> {
        let missing = BTreeSet::from([other]);
        let path = self.nearest(&[(one, false)], &missing, &[], FAR)?;
        let cost = |edge: &EdgeIndex| self.graph.edge_weight(*edge).map_or(0.0, JoinEdge::cost);
        Some(path.iter().map(|(_, edge)| cost(edge)).sum())
    }

    /// The path from the connected tables, each with whether the way went up to it, to the nearest missing one: each table
    /// with the join that brings it in.
    fn nearest(
        &self,
        connected: &[(TableId, bool)],
        missing: &BTreeSet<TableId>,
        avoided: &[JoinEdge],
        limit: u32,
    ) -> Option<Vec<(TableId, EdgeIndex)>> {
        // A path that goes up to a common parent and down again (two people of one city) says much less than one
        // through a table that links the two, so the way up is remembered.
        type Place = (NodeIndex, bool);
        let mut came_by: HashMap<Place, (Place, EdgeIndex)> = HashMap::new();
        let mut best: HashMap<Place, u32> = HashMap::new();
        let mut queue = BinaryHeap::new();
        for (table, went_up) in connected {
            if let Some(node) = self.nodes.get(table) {
                best.insert((*node, *went_up), 0);
                queue.push((std::cmp::Reverse(0_u32), std::cmp::Reverse((*node, *went_up))));
            }
        }
        while let Some((std::cmp::Reverse(cost), std::cmp::Reverse(place))) = queue.pop() {
            if best.get(&place).is_some_and(|known| *known < cost) {
                continue;
            }
            let (node, went_up) = place;
            if self.graph.node_weight(node).is_some_and(|table| missing.contains(table)) {
                let mut path = Vec::new();
                let mut at = place;
                while let Some((previous, edge)) = came_by.get(&at) {
                    path.extend(self.graph.node_weight(at.0).map(|table| (*table, *edge)));
                    at = *previous;
                }
                path.reverse();
                return Some(path);
            }
            let mut edges: Vec<_> = self.graph.edges(node).collect();
            edges.sort_by_key(|edge| edge.id());
            for edge in edges {
                if avoided.contains(edge.weight()) {
                    continue;
                }
                let next = if edge.source() == node { edge.target() } else { edge.source() };
                let up = self.graph.node_weight(node) == Some(&edge.weight().from);
                // At least ten, and far below what fits.
                let step = (edge.weight().cost() * 10.0).round() as u32;
                let total = cost + step + if went_up && !up { COMMON_PARENT } else { 0 };
                if total > limit {
                    continue;
                }
                if best.get(&(next, up)).is_none_or(|known| total < *known) {
                    best.insert((next, up), total);
                    came_by.insert((next, up), (place, edge.id()));
                    queue.push((std::cmp::Reverse(total), std::cmp::Reverse((next, up))));
                }
            }
        }
        None
    }
}
