//! What a plan returns: columns as they were said, and for a thing asked for its name, its key, or all about it.

use super::build::{Builder, slot_of};
use super::frame::Measure;
use super::grouping;
use crate::rules::joins::JoinEdge;
use crate::rules::knowledge::{ColumnId, TableId};
use crate::rules::split_name;
use sqlogue_sql::plan::Expr;

impl Builder<'_> {
    /// What is returned, where the question did not say: its entity.
    pub(super) fn outputs(&mut self) -> Option<Vec<Measure>> {
        if !self.frame.outputs.is_empty() {
            return Some(self.frame.outputs.clone());
        }
        if self.frame.all_columns {
            return self.main_slot().map(|slot| vec![Measure::Plain(slot)]);
        }
        let slot = self
            .frame
            .entity
            .or_else(|| self.frame.groups.first().copied())
            .or_else(|| self.frame.mentions.first().copied())
            .or_else(|| self.frame.superlatives.first().and_then(|superlative| slot_of(&superlative.measure)))
            .or_else(|| self.frame.filters.iter().find_map(|filter| slot_of(&filter.measure)))?;
        Some(vec![Measure::Plain(slot)])
    }

    /// True where a column whose values repeat is asked for and each of them is wanted once (*Which cities do they
    /// live in?*), although nobody says so.
    pub(super) fn lists_kinds(&mut self, projection: &[Expr], grouping: &grouping::Grouping) -> bool {
        let [Expr::Column(column)] = projection else { return false };
        let frame = self.frame;
        if frame.distinct
            || !grouping.by.is_empty()
            || !frame.orders.is_empty()
            || !frame.superlatives.is_empty()
            || frame.limit.is_some()
        {
            return false;
        }
        let Some(table) = self.knowledge.table_named(&column.table) else { return false };
        let Some(id) = self.knowledge.column_named(table, &column.column) else { return false };
        let entry = self.knowledge.column(id);
        let of_table = self.knowledge.table(table);
        let names = of_table.label.len() == 1 && of_table.label.contains(&id);
        let unique = entry.unique || entry.is_key && of_table.key.len() == 1;
        let plain = !unique && !names;
        plain && self.oracle.decide("each_once", false)
    }

    /// True where joined tables repeat what is returned (*the reviewers who rated a film of 2001*) and each of it is
    /// wanted once.
    pub(super) fn names_once(
        &mut self,
        projection: &[Expr],
        grouping: &grouping::Grouping,
        combined: bool,
    ) -> bool {
        let frame = self.frame;
        if frame.distinct
            || combined
            || !grouping.by.is_empty()
            || !frame.superlatives.is_empty()
            || frame.limit.is_some()
        {
            return false;
        }
        let mut reached: Vec<TableId> = Vec::new();
        for expr in projection {
            let Expr::Column(column) = expr else { return false };
            reached.extend(self.knowledge.table_named(&column.table));
        }
        // From the tables returned outwards: a step to a table that refers to this one meets several rows.
        let mut left: Vec<&JoinEdge> = self.tree.edges.iter().collect();
        let mut repeats = false;
        while let Some(at) =
            left.iter().position(|edge| reached.contains(&edge.from) || reached.contains(&edge.to))
        {
            let edge = left.swap_remove(at);
            repeats |= !reached.contains(&edge.from);
            reached.extend([edge.from, edge.to]);
        }
        repeats && self.oracle.decide("each_once_joined", false)
    }

    /// True where a table is asked for and nothing is said about it (`Show me companies`): then all of it is meant.
    pub(super) fn lists_a_table(&self) -> bool {
        let frame = self.frame;
        frame.outputs.len() <= 1
            && !frame.distinct
            && frame.limit.is_none()
            && frame.filters.is_empty()
            && frame.groups.is_empty()
            && frame.orders.is_empty()
            && frame.superlatives.is_empty()
            && frame.absent.is_none()
            && frame.mentions.is_empty()
            && self.tables.len() <= 1
    }

    /// The expressions that an output returns.
    pub(super) fn returned(&mut self, output: &Measure) -> Vec<Expr> {
        let Measure::Plain(slot) = output else { return self.expr(output).into_iter().collect() };
        let Some(filler) = self.binding.fillers.get(*slot).cloned() else { return Vec::new() };
        let named_column =
            filler.column.filter(|_| filler.value.is_none() && self.frame.outputs.contains(output));
        if let Some(column) = named_column {
            // *the manager of each branch*, whose name is in two columns.
            let columns = split_name::whole(self.knowledge, column, filler.score);
            return columns.into_iter().map(|column| self.column(column)).collect();
        }
        // A thing is asked for: its name, its key, or all about it.
        self.need(filler.table);
        let entry = self.knowledge.table(filler.table);
        if self.frame.all_columns || self.lists_a_table() {
            return vec![Expr::All((self.tables.len() > 1).then(|| entry.name.clone()))];
        }
        let label: Vec<ColumnId> = entry.label.clone();
        let mut readings: Vec<Vec<ColumnId>> = Vec::new();
        if !label.is_empty() {
            readings.push(label);
        }
        if self.frame.named.contains(slot) && !readings.is_empty() {
            return entry.label.clone().into_iter().map(|column| self.column(column)).collect();
        }
        if !entry.key.is_empty() {
            readings.push(entry.key.clone());
        }
        if let (Some(label), Some(key)) = (entry.label.first(), entry.key.first())
            && label != key
        {
            readings.push(vec![*key, *label]);
        }
        let taken = self.oracle.choose("thing_returned_as", readings.len() + 1);
        match readings.get(taken) {
            Some(columns) => columns.clone().into_iter().map(|column| self.column(column)).collect(),
            None => vec![Expr::All(None)],
        }
    }
}
