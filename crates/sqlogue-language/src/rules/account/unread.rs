//! Words that no rule has read, of which the plan does what they ask for all the same.

use super::facts::Facts;
use crate::rules::event_date;
use crate::rules::knowledge::{ColumnId, Knowledge};
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
            "type" | "kind" | "sort" | "types" | "kinds" | "sorts" => self.is_of_name(at),
            "new" => self.is_new(at),
            _ => false,
        }
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
        [before, after].iter().any(|word| self.facts.words.contains(&root(word)))
    }

    fn dated<'c>(&self, mut columns: impl Iterator<Item = &'c ColumnId>) -> bool {
        columns.any(|column| event_date::holds_days(self.knowledge.column(*column)))
    }
}
