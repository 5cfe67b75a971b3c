//! What a reading by the grammar leaves out: words that no rule has read, unless the plan does what they ask for all the same, and
//! words that one has read and that became no part of the plan.

use super::facts::Facts;
use crate::rules::compose::{Draft, Meaning};
use crate::rules::event_date;
use crate::rules::grammar::columns::{has_price, price_and_quantity};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::link::Linked;
use crate::rules::stem::root;
use crate::rules::text::Question;
use sqlogue_sql::plan::{Aggregate, Arithmetic, QueryPlan};

/// A question beside the plan that answers it.
pub(in crate::rules) struct Unread<'a> {
    question: &'a Question,
    facts: Facts,
    knowledge: &'a Knowledge,
}

impl<'a> Unread<'a> {
    pub(in crate::rules) fn new(question: &'a Question, plan: &QueryPlan, knowledge: &'a Knowledge) -> Self {
        Self { question, facts: Facts::of(plan, knowledge), knowledge }
    }

    /// True where the plan does what the word at a place asks for.
    pub(in crate::rules) fn is_met(&self, at: usize) -> bool {
        let facts = &self.facts;
        match self.question.word(at) {
            "percent" | "percentage" | "percentages" | "%" => {
                facts.arithmetic.contains(&Arithmetic::Divide) && facts.numbers.contains(&100.0)
            }
            "average" | "mean" => {
                facts.summaries.contains(&Aggregate::Avg) || facts.arithmetic.contains(&Arithmetic::Divide)
            }
            "total" | "sum" => facts.summaries.contains(&Aggregate::Sum),
            "number" | "numbers" | "count" | "counts" => facts.summaries.contains(&Aggregate::Count),
            "growth" | "change" => {
                [Arithmetic::Divide, Arithmetic::Subtract].iter().all(|one| facts.arithmetic.contains(one))
            }
            "each" | "every" => facts.grouped,
            "both" | "vs" | "versus" | "against" => facts.texts.len() > 1,
            "date" | "dates" => self.dated([&facts.shown, &facts.summed, &facts.keys].into_iter().flatten()),
            "type" | "kind" | "sort" | "types" | "kinds" | "sorts" | "method" | "methods" => {
                self.is_of_name(at)
            }
            "new" => self.is_new(at),
            "sold" => self.facts.tables.iter().any(|table| self.is_sold_itself(*table)),
            _ => false,
        }
    }

    /// The words that a draft took for a table or a column which has no part in its plan, as they were said: the reading was
    /// made into a plan only in part.
    pub(in crate::rules) fn lost(&self, linked: &Linked, draft: &Draft) -> Vec<String> {
        let Some((chunks, _)) = linked.cuts.get(draft.cut) else { return Vec::new() };
        let has_part = |meaning: &Meaning| {
            let table = match meaning.column_id {
                Some(column) => Some(self.knowledge.column(column).table),
                None => self.knowledge.table_named(&meaning.table),
            };
            let in_plan =
                |table| self.facts.tables.contains(&table) || self.facts.refers_to(table, self.knowledge);
            table.is_none_or(in_plan)
        };
        let lost = draft.meanings.iter().filter(|meaning| meaning.value.is_none() && !has_part(meaning));
        let chunks = lost.filter_map(|meaning| chunks.get(meaning.chunk));
        chunks.map(|chunk| self.question.span_text(chunk.start, chunk.end).to_owned()).collect()
    }

    /// *tickets sold*: each row was sold, and has a price; no lines of sales refer to it.
    fn is_sold_itself(&self, table: TableId) -> bool {
        let joins = self.knowledge.joins();
        let is_line = |table: TableId| price_and_quantity(self.knowledge, table).is_some();
        has_price(self.knowledge, table)
            && joins.above(table).next().is_some()
            && !joins.below(table).any(is_line)
            && !is_line(table)
    }

    /// *new members this year*: rows that are counted or chosen by a date of their own.
    fn is_new(&self, at: usize) -> bool {
        let next = root(self.question.word(at + 1));
        let own = |column: &&ColumnId| {
            let table = self.knowledge.table(self.knowledge.column(**column).table);
            table.forms.iter().flatten().any(|word| root(word) == next)
        };
        self.dated([&self.facts.compared, &self.facts.keys].into_iter().flatten().filter(own))
    }

    /// *insurance type*, *kind of insurance*: beside a name that is in the plan, a word for what columns hold.
    fn is_of_name(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or("", |before| self.question.word(before));
        let after = match self.question.word(at + 1) {
            "of" => self.question.word(at + 2),
            next => next,
        };
        const KINDS: [&str; 10] =
            ["type", "kind", "sort", "category", "class", "group", "style", "code", "genre", "method"];
        let columns = [&self.facts.shown, &self.facts.keys, &self.facts.compared];
        let mut forms = columns
            .into_iter()
            .flatten()
            .flat_map(|column| self.knowledge.column(*column).forms.iter().flatten());
        // *per kind of space* is not made by the names of the spaces.
        forms.any(|word| {
            KINDS.contains(&word.as_str()) || [before, after].iter().any(|said| root(said) == root(word))
        })
    }

    fn dated<'c>(&self, mut columns: impl Iterator<Item = &'c ColumnId>) -> bool {
        columns.any(|column| event_date::holds_days(self.knowledge.column(*column)))
    }
}
