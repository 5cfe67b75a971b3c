//! Groups: whether a plan has those that the words ask for (*per city*, *by department*).

use super::words::{Words, is_named, is_superlative, named_columns, named_tables};
use crate::rules::cue::Cue;
use crate::rules::knowledge::ColumnId;
use crate::rules::lexicon::Lexicon;
use crate::rules::link::Chunk;
use crate::rules::stem::root;

impl Words<'_> {
    /// True unless the words ask for something of each group and the plan has no such groups.
    pub(super) fn is_grouped(&self, at: usize) -> bool {
        let Some(chunk) = self.chunk(at) else { return true };
        let each = chunk.cues().any(|cue| cue == Cue::Each);
        let by = chunk.text == "by";
        let without_group = chunk.text == "across" || chunk.text.starts_with("respective");
        if self.is_of_own(at) {
            return self.target(at).is_none_or(|target| self.is_compared_or_key(target));
        }
        if !each && !by || without_group {
            return true;
        }
        let Some(target) = self.target(at) else { return true };
        let facts = self.facts;
        // *the two longest in each group*: the first rows of all groups together are others.
        let ranks = self.chunks.iter().any(|chunk| chunk.cues().any(is_superlative));
        if each && ranks && facts.limited {
            return false;
        }
        // *the name of each member* asks for rows, *per member* for groups.
        let of_rows = each && !chunk.text.contains("per") && !facts.summarises && !facts.grouped;
        if of_rows || by && (!self.follows_measure(at) || self.has_a_value(target) || self.restricts(target))
        {
            return true;
        }
        self.has_key(target, by)
    }

    /// *above the average price of their category*: the mean is that of each group, and rows are compared with their own.
    fn is_of_own(&self, at: usize) -> bool {
        let own = self.text(at).split(' ').any(|word| matches!(word, "its" | "own" | "their"));
        let is_mean = |cue: Cue| matches!(cue, Cue::Aggregate(_));
        own && self.facts.nested && (0..at).any(|before| self.may_be(before, is_mean))
    }

    /// True where the rows of the plan, or those of a query in it, are brought together by what the words name.
    fn is_compared_or_key(&self, target: &Chunk) -> bool {
        let facts = self.facts;
        let by = |column: &ColumnId| facts.compared.contains(column) || facts.joined.contains(column);
        let tables: Vec<_> = named_tables(target).collect();
        let of_table = |column: &&ColumnId| tables.contains(&self.knowledge.column(**column).table);
        named_columns(target).any(|column| by(&column) || facts.keys.contains(&column))
            || facts.keys.iter().chain(&facts.compared).chain(&facts.joined).any(|column| of_table(&column))
    }

    /// What the groups are to be.
    fn target(&self, at: usize) -> Option<&Chunk> {
        let is_skipped = |at: &usize| {
            self.chunk(*at).is_some_and(|chunk| {
                let empty = self.is_soft(chunk) || Lexicon::embedded().is_generic(&chunk.text);
                empty && !chunk.is_schema()
                    || chunk.cues().any(|cue| matches!(cue, Cue::Distinct | Cue::Each))
            })
        };
        let at = (at + 1..self.chunks.len()).find(|at| !is_skipped(at))?;
        self.chunk(at).filter(|target| target.is_schema())
    }

    /// *revenue by city*, as against *written by the author*.
    fn follows_measure(&self, at: usize) -> bool {
        let Some(before) = self.previous(at) else { return false };
        let last = before.text.rsplit(' ').next().unwrap_or_default();
        let verb = last.ends_with("ed") || Lexicon::embedded().is_verb(last);
        (is_named(before) || !before.values.is_empty()) && !verb
            || before.cues().any(|cue| matches!(cue, Cue::Revenue | Cue::Aggregate(_)))
    }

    /// *orders by the customer named …*: the words restrict the rows.
    fn restricts(&self, target: &Chunk) -> bool {
        let tables: Vec<_> = named_tables(target).collect();
        self.facts.compared.iter().any(|column| tables.contains(&self.knowledge.column(*column).table))
    }

    /// True where rows are grouped by what the words name, or sorted by it where that may be meant.
    fn has_key(&self, target: &Chunk, or_sorted: bool) -> bool {
        let facts = self.facts;
        let sorted = facts.sorted.iter().filter(|_| or_sorted);
        let keys: Vec<ColumnId> = facts.keys.iter().chain(sorted).copied().collect();
        let tables: Vec<_> = named_tables(target).collect();
        let words: Vec<String> = target.text.split(' ').map(root).collect();
        let is_spelled = |key: ColumnId| {
            let forms = &self.knowledge.column(key).forms;
            words.iter().all(|word| forms.iter().flatten().any(|form| root(form) == *word))
        };
        let names_rows = |key: ColumnId| {
            let entry = self.knowledge.column(key);
            let table = self.knowledge.table(entry.table);
            tables.contains(&entry.table) && (entry.is_key || entry.unique || table.label.contains(&key))
        };
        named_columns(target).any(|column| keys.contains(&column))
            || keys.iter().any(|key| names_rows(*key) || is_spelled(*key))
    }
}
