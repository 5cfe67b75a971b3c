//! What speaks against a plan besides the words that it leaves out: what it does that nobody asked for, or that is rarely
//! what is meant.

use std::collections::HashSet;
use std::fmt;

use super::words::{Words, named_columns, named_tables};
use crate::plan::{Aggregate, ColumnRef, Comparison, Condition, Expr, QueryPlan, Select};
use crate::reasoner::rules::compose::Meaning;
use crate::reasoner::rules::cue::Cue;
use crate::reasoner::rules::date_cells::DateCells;
use crate::reasoner::rules::knowledge::{ColumnId, Knowledge};

/// A reason to doubt an answer that accounts for all words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// Somebody is asked for, and what is shown is no name.
    NoName,
    /// A sum or a mean counts rows of a table as often as a joined table has rows for them.
    CountedTwice,
    /// One of several dates was taken, and no word says which.
    AnyDate {
        /// The date that was taken.
        taken: String,
    },
    /// Rows are said to be the best, and no word says by what.
    AnyOrder,
    /// Words were taken for a value that no cell has, or that are hardly ever one.
    GuessedValue {
        /// The words.
        words: String,
    },
    /// Rows are grouped by a column that a condition fixes, so that there is one group.
    FixedKey,
    /// A column is summarised in groups that are made by that very column.
    SummarisedKey,
    /// What was shown before is gone, and nobody asked for that.
    LostColumns,
    /// What restricted the rows before does not any longer, and nobody asked for that.
    LostConditions,
    /// Something was to come instead, and it came on top.
    NotReplaced,
    /// The query is the same as before.
    NothingChanged,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName => write!(f, "somebody is asked for, and what is shown is no name"),
            Self::CountedTwice => {
                write!(f, "rows may be counted more than once, because a joined table has several for each")
            }
            Self::AnyDate { taken } => write!(f, "no word says which date is meant; {taken} was taken"),
            Self::AnyOrder => write!(f, "no word says by what the rows are ranked"),
            Self::GuessedValue { words } => {
                write!(f, "`{words}` was taken for a value, which is no more than a guess")
            }
            Self::FixedKey => write!(f, "there is only one group, because a condition fixes what it is by"),
            Self::SummarisedKey => write!(f, "each group has one value of what is summarised"),
            Self::LostColumns => write!(f, "what was shown before is not shown any longer"),
            Self::LostConditions => write!(f, "what restricted the rows before does not any longer"),
            Self::NotReplaced => {
                write!(f, "it came on top of what was asked before, and in place of nothing")
            }
            Self::NothingChanged => write!(f, "the query is the same as before"),
        }
    }
}

/// Words taken for a value that fits less than this are a guess.
const GUESS: f32 = 0.6;

/// What speaks against a plan for these words, which were taken for these things.
pub(super) fn doubts(words: &Words<'_>, plan: &QueryPlan, meanings: &[Meaning]) -> Vec<Doubt> {
    let said = Said { words, meanings };
    let mut doubts = Vec::new();
    if said.asks_for_somebody() && !said.shows_a_name() {
        doubts.push(Doubt::NoName);
    }
    if plan.selects().any(|select| counts_twice(select, words.knowledge)) {
        doubts.push(Doubt::CountedTwice);
    }
    doubts.extend(said.any_date().map(|taken| Doubt::AnyDate { taken }));
    if said.any_order() {
        doubts.push(Doubt::AnyOrder);
    }
    if plan.selects().any(fixes_key) {
        doubts.push(Doubt::FixedKey);
    }
    if plan.selects().any(summarises_key) {
        doubts.push(Doubt::SummarisedKey);
    }
    doubts.extend(said.guesses().map(|words| Doubt::GuessedValue { words }));
    doubts
}

/// What the words say of columns.
struct Said<'a> {
    words: &'a Words<'a>,
    meanings: &'a [Meaning],
}

impl Said<'_> {
    fn names(&self, column: ColumnId) -> bool {
        let by_words = self.words.chunks.iter().any(|chunk| {
            named_columns(chunk).any(|named| named == column)
                || chunk.values.iter().any(|value| value.column == Some(column))
        });
        by_words || self.meanings.iter().any(|meaning| meaning.column_id == Some(column))
    }

    fn asks_for_somebody(&self) -> bool {
        let first = self.words.text(0);
        first == "who" || first.starts_with("who ")
    }

    fn shows_a_name(&self) -> bool {
        let facts = self.words.facts;
        let is_name = |column: &ColumnId| {
            let forms = &self.words.knowledge.column(*column).forms;
            self.names(*column)
                || forms.iter().flatten().any(|word| {
                    word.ends_with("name") || matches!(word.as_str(), "first" | "last" | "person")
                })
        };
        !facts.whole.is_empty() || facts.shown.iter().any(is_name)
    }

    /// The date that the plan restricts, where there are others, it has no word, and it does not bear its table's name.
    fn any_date(&self) -> Option<String> {
        let (facts, knowledge) = (self.words.facts, self.words.knowledge);
        let is_date = |column: ColumnId| {
            let entry = knowledge.column(column);
            entry.column_type.is_temporal() || entry.date_cells == Some(DateCells::Iso)
        };
        let all: Vec<ColumnId> =
            facts.tables.iter().flat_map(|table| &knowledge.table(*table).columns).copied().collect();
        let taken = facts.compared.iter().copied().find(|column| {
            let is_own = || {
                let table = knowledge.table(knowledge.column(*column).table);
                let words = &knowledge.column(*column).forms;
                table.forms.iter().flatten().any(|word| words.iter().flatten().any(|other| other == word))
            };
            is_date(*column) && !self.names(*column) && !is_own()
        })?;
        let others = all.iter().filter(|column| **column != taken && is_date(**column));
        let entry = knowledge.column(taken);
        (others.count() > 0).then(|| format!("{}.{}", knowledge.table(entry.table).name, entry.name))
    }

    /// *the best customers*, sorted by a column that has no word.
    fn any_order(&self) -> bool {
        let vague = self.words.chunks.iter().any(|chunk| {
            let worth = |word| matches!(word, "best" | "worst" | "top" | "bottom");
            chunk.cues().any(|cue| matches!(cue, Cue::Superlative(_, None)))
                && chunk.text.split(' ').any(worth)
        });
        let sorted = &self.words.facts.sorted;
        let said = |column: &ColumnId| {
            let table = self.words.knowledge.column(*column).table;
            self.names(*column)
                || self.words.chunks.iter().any(|chunk| named_tables(chunk).any(|named| named == table))
                    && self.words.chunks.iter().any(|chunk| chunk.cues().any(|cue| cue == Cue::Revenue))
        };
        vague && !sorted.is_empty() && !sorted.iter().any(said)
    }

    /// The words without quotes that were taken for a value of a column whose cells do not have it, or that are hardly ever
    /// meant so: *us* is no country.
    fn guesses(&self) -> impl Iterator<Item = String> {
        self.meanings.iter().filter_map(|meaning| {
            let chunk = self.words.chunk(meaning.chunk)?;
            let quoted = chunk.values.iter().any(|value| value.quoted);
            let is_cell = chunk
                .values
                .iter()
                .any(|link| link.column == meaning.column_id && Some(&link.value) == meaning.value.as_ref());
            let is_soft = self.words.is_soft(chunk) && !self.words.is_capitalised(meaning.chunk);
            let is_guess = !is_cell && meaning.score < GUESS || is_soft;
            (meaning.value.is_some() && !quoted && is_guess).then(|| chunk.text.clone())
        })
    }
}

/// True where the only thing that rows are grouped by has one value in all of them.
fn fixes_key(select: &Select) -> bool {
    let fixed = |key: &Expr| {
        select.filter.iter().flat_map(Condition::conjuncts).any(|condition| {
            matches!(condition, Condition::Compare { left, operator: Comparison::Equal, right: Expr::Literal(_) }
                if left == key)
        })
    };
    matches!(select.group_by.as_slice(), [key] if fixed(key))
}

/// True where a sum, mean or extreme is shown of a column that rows are grouped by.
fn summarises_key(select: &Select) -> bool {
    let is_key = |expr: &Expr| match expr {
        Expr::Aggregate { function, argument, .. } => {
            *function != Aggregate::Count && select.group_by.contains(argument)
        }
        _ => false,
    };
    select.projection.iter().any(|shown| is_key(&shown.expr))
}

/// True where a sum or a mean counts a row more than once because a joined table has several rows for it. A table that only
/// links others has one row for each pair, which is what is meant.
fn counts_twice(select: &Select, knowledge: &Knowledge) -> bool {
    let mut summed: HashSet<String> = HashSet::new();
    for shown in &select.projection {
        shown.expr.for_each(&mut |expr| {
            if let Expr::Aggregate { function: Aggregate::Sum | Aggregate::Avg, distinct: false, argument } =
                expr
            {
                summed.extend(argument.columns().iter().map(|column| column.table.clone()));
            }
        });
    }
    // A product is one of each row of its most detailed table.
    !summed.is_empty() && summed.iter().all(|table| is_multiplied(table, select, knowledge))
}

/// True where one of the joins, seen from a table, leads to several rows for one.
fn is_multiplied(table: &str, select: &Select, knowledge: &Knowledge) -> bool {
    let leads_to_many = |to: &ColumnRef| {
        let used = select.tables().find(|used| used.name() == to.table);
        let Some(table) = used.and_then(|used| knowledge.table_named(&used.table)) else { return false };
        let Some(column) = knowledge.column_named(table, &to.column) else { return false };
        let is_key = knowledge.column(column).unique || knowledge.table(table).key == [column];
        !is_key && !knowledge.table(table).is_link
    };
    let mut reached = vec![table];
    let mut next = 0;
    while let Some(from) = reached.get(next).copied() {
        next += 1;
        for join in select.joins.iter().filter(|join| join.on.len() == 1) {
            for (left, right) in &join.on {
                for (one, other) in [(left, right), (right, left)] {
                    if one.table != from || reached.contains(&other.table.as_str()) {
                        continue;
                    }
                    if leads_to_many(other) {
                        return true;
                    }
                    reached.push(&other.table);
                }
            }
        }
    }
    false
}
