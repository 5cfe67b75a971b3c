//! Which tables a plan joins, and whether a join would count rows twice.

use super::Lowering;
use super::grain::Grain;
use crate::rules::grammar::columns::price_and_cost;
use crate::rules::grammar::form::{Attr, By, Key, Measure, Named, Per, Pred};
use crate::rules::grammar::levels::price_and_stock;
use crate::rules::grammar::waiting::waits;
use crate::rules::joins::JoinTree;
use crate::rules::knowledge::{ColumnId, TableId};
use sqlogue_sql::plan::{ColumnRef, Select};

impl Lowering<'_> {
    /// The tables that the rows of a grain come from, the entity first.
    pub(super) fn tables(&self, grain: &Grain) -> Vec<TableId> {
        let mut tables = vec![grain.entity];
        for key in &grain.keys {
            self.key_tables(key, grain, &mut tables);
        }
        for measure in &grain.measures {
            self.measure_tables(measure, grain, &mut tables);
        }
        for noun in &grain.attrs {
            Self::note_table(&mut tables, self.table(noun));
        }
        for pred in &self.query.preds {
            self.pred_tables(pred, grain, &mut tables);
        }
        let ordered = self.query.order.iter().map(|(by, _)| by);
        for by in ordered.chain(self.query.take.iter().map(|take| &take.by)) {
            if let By::Attr(attr) = by {
                self.attr_tables(attr, &mut tables);
            }
        }
        if let Some(key) = &grain.each {
            self.key_tables(key, grain, &mut tables);
        }
        tables
    }

    pub(super) fn key_tables(&self, key: &Key, grain: &Grain, tables: &mut Vec<TableId>) {
        match key {
            Key::Noun(noun) => Self::note_table(tables, self.table(noun)),
            Key::Time(_, Some(noun)) => Self::note_table(tables, self.table(noun)),
            Key::Time(_, None) => self.date_table(grain, tables),
            Key::Bands(attr, _) => self.attr_tables(attr, tables),
            Key::ColumnOf(Named { words, .. }) | Key::Place(words, _) => {
                Self::note_table(tables, self.filler(*words).map(|filler| filler.table));
            }
        }
    }

    fn date_table(&self, grain: &Grain, tables: &mut Vec<TableId>) {
        Self::note_table(tables, grain.date.map(|id| self.knowledge.column(id).table));
    }

    fn attr_tables(&self, attr: &Attr, tables: &mut Vec<TableId>) {
        match attr {
            Attr::Noun(noun) => Self::note_table(tables, self.table(noun)),
            Attr::Between(from, to, _) | Attr::Math(_, from, to) => {
                self.attr_tables(from, tables);
                self.attr_tables(to, tables);
            }
            Attr::Times(_, of) | Attr::Since(of, _) => self.attr_tables(of, tables),
            Attr::When(noun) | Attr::Begin(noun) => Self::note_table(tables, self.table(noun)),
            Attr::Pieces(noun) => Self::note_table(tables, self.lines_of(noun)),
            Attr::Given(_, table) => Self::note_table(tables, Some(*table)),
            Attr::Amount(_) | Attr::Use(..) => Self::note_table(tables, self.attr_table(attr)),
            Attr::Profit(words) => {
                let Some(filler) = self.filler(*words) else { return };
                Self::note_table(tables, Some(filler.table));
                let cost = price_and_cost(self.knowledge, filler.table).map(|(_, cost, _)| cost);
                Self::note_table(tables, cost.map(|id| self.knowledge.column(id).table));
            }
            Attr::Waited(words, how, _) => {
                let Some(filler) = self.filler(*words) else { return };
                Self::note_table(tables, Some(filler.table));
                for id in
                    waits(self.knowledge, filler.table, how).into_iter().flat_map(|(from, to)| [from, to])
                {
                    Self::note_table(tables, Some(self.knowledge.column(id).table));
                }
            }
            Attr::Stock(words) => {
                let table = self.filler(*words).map(|filler| filler.table);
                Self::note_table(tables, table);
                let price = table.and_then(|table| price_and_stock(self.knowledge, table));
                Self::note_table(tables, price.map(|(price, _)| self.knowledge.column(price).table));
            }
            Attr::Revenue(words)
            | Attr::Recurring(words)
            | Attr::Net(words, _)
            | Attr::Level(words, _)
            | Attr::Sold(words)
            | Attr::Adjective(words, _)
            | Attr::Age(words, _)
            | Attr::Price(words)
            | Attr::Rate(words, _)
            | Attr::Lasting(words, ..) => {
                Self::note_table(tables, self.filler(*words).map(|filler| filler.table));
            }
        }
    }

    fn measure_tables(&self, measure: &Measure, grain: &Grain, tables: &mut Vec<TableId>) {
        match measure {
            Measure::Count(noun) => {
                noun.iter().for_each(|noun| Self::note_table(tables, self.table(noun)));
            }
            Measure::Distinct(noun) | Measure::Interval(_, noun, ..) => {
                Self::note_table(tables, self.table(noun))
            }
            Measure::Periods(_) => {}
            Measure::Percentile(_, attr @ Attr::Amount(noun)) => {
                Self::note_table(tables, self.table(noun));
                self.attr_tables(attr, tables);
            }
            Measure::Of(_, attr) | Measure::Percentile(_, attr) | Measure::Spread(attr) => {
                self.attr_tables(attr, tables);
            }
            Measure::Ratio(one, other)
            | Measure::Percent(one, other)
            | Measure::Less(one, other)
            | Measure::Change(one, other) => {
                self.measure_tables(one, grain, tables);
                self.measure_tables(other, grain, tables);
            }
            Measure::Share(part, _) | Measure::At(part, _) => self.measure_tables(part, grain, tables),
            Measure::Defined(term) => {
                term.tables.iter().for_each(|table| Self::note_table(tables, Some(*table)));
            }
            Measure::Mean(measure, per) => {
                self.measure_tables(measure, grain, tables);
                match per {
                    Per::Row(per) => Self::note_table(tables, self.table(per)),
                    Per::Whole => {
                        Self::note_table(tables, self.home(measure).and_then(|home| self.bearer(home)));
                    }
                    Per::Time(_) => self.date_table(grain, tables),
                }
            }
            Measure::Where(measure, preds) => {
                self.measure_tables(measure, grain, tables);
                preds.iter().for_each(|pred| self.pred_tables(pred, grain, tables));
            }
        }
    }

    pub(super) fn pred_tables(&self, pred: &Pred, grain: &Grain, tables: &mut Vec<TableId>) {
        match pred {
            Pred::In(None, _) | Pred::Outside(None, _) | Pred::On(None, _) | Pred::LastDay(None) => {
                self.date_table(grain, tables)
            }
            Pred::Any(preds) => preds.iter().for_each(|pred| self.pred_tables(pred, grain, tables)),
            Pred::Given(_, of) => of.iter().for_each(|table| Self::note_table(tables, Some(*table))),
            Pred::Defined(term) => {
                term.tables.iter().for_each(|table| Self::note_table(tables, Some(*table)));
            }
            Pred::Attrs(one, _, other) => {
                self.attr_tables(one, tables);
                self.attr_tables(other, tables);
            }
            Pred::SameAs(column, rows, _) => {
                Self::note_table(tables, self.table(column));
                Self::note_table(tables, self.table(rows));
            }
            other => Self::note_table(tables, self.pred_table(other)),
        }
    }

    /// The tables as joins; the tree too.
    pub(super) fn joined(&self, tables: &[TableId]) -> Option<(Select, JoinTree)> {
        let tree = self.knowledge.joins().connect(tables)?;
        let (from, mut joins) = tree.source(self.knowledge)?;
        self.lead_to_end(&tree, &mut joins);
        Some((Select { from, joins, ..Select::default() }, tree))
    }

    pub(super) fn reference(&self, id: ColumnId) -> ColumnRef {
        let column = self.knowledge.column(id);
        ColumnRef::new(self.knowledge.table(column.table).name.clone(), column.name.clone())
    }

    /// True where a join brings in a table that refers to what is there: one row becomes several.
    pub(super) fn multiplies(tree: &JoinTree) -> bool {
        tree.edges.iter().zip(tree.tables.iter().skip(1)).any(|(edge, table)| edge.from == *table)
    }
}
