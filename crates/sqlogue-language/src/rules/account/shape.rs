//! What speaks against a plan besides the words that it leaves out: what it does that nobody asked for, or that is rarely
//! what is meant.

use std::collections::HashSet;

use super::doubt::Doubt;
use super::facts::Facts;
use super::words::{Words, is_superlative, named_columns};
use crate::rules::compose::Meaning;
use crate::rules::cue::Cue;
use crate::rules::event_date;
use crate::rules::knowledge::{ColumnId, Knowledge};
use crate::rules::link::Chunk;
use crate::rules::meant::lasting;
use crate::rules::stem::{root, stem};
use sqlogue_sql::plan::{Aggregate, ColumnRef, Expr, QueryPlan, Select};
use sqlogue_sql::schema::{Value, pieces};

/// Words taken for a value that fits less than this are a guess.
const GUESS: f32 = 0.6;

/// Words that fit a table better than this mean it.
const SURE: f32 = 0.8;

/// What speaks against a plan for these words, which were taken for these things.
pub(super) fn doubts(words: &Words<'_>, plan: &QueryPlan, meanings: &[Meaning]) -> Vec<Doubt> {
    let said = Said { words, meanings };
    let mut doubts = Vec::new();
    if said.asks_for_somebody() && !said.shows_a_name() || said.shows_another_label() {
        doubts.push(Doubt::NoName);
    }
    if said.asks_for_one() && lists_everything(words.facts) {
        doubts.push(Doubt::ListForOne);
    }
    // *The genres with the most loans* may well be one; *our best customers* never are.
    let says_best = words
        .chunks
        .iter()
        .any(|chunk| chunk.text.split(' ').any(|word| matches!(word, "best" | "worst" | "top")));
    if said.asks_for_several_firsts() && plan.limit == Some(1) && (!words.facts.grouped || says_best) {
        doubts.push(Doubt::OneOfSeveral);
    }
    doubts.extend(said.two_for_one().map(|words| Doubt::TwoForOne { words }));
    doubts.extend(said.only_key().map(|word| Doubt::OnlyKey { word }));
    doubts.extend(said.not_shown().map(|word| Doubt::NotShown { word }));
    doubts.extend(said.table_for_number().map(|word| Doubt::TableForNumber { word }));
    if echoes(plan) && !said.asks_whether() {
        doubts.push(Doubt::Echo);
    }
    doubts.extend(said.foretold().map(|taken| Doubt::Foretold { taken }));
    doubts.extend(said.size_for_limit(plan).map(|words| Doubt::SizeForLimit { words }));
    let everything = words.facts.compared.is_empty();
    if plan.selects().any(|select| counts_twice(select, everything, words.knowledge)) {
        doubts.push(Doubt::CountedTwice);
    }
    doubts.extend(said.any_date().map(|taken| Doubt::AnyDate { taken }));
    doubts.extend(said.any_column().map(|(word, taken)| Doubt::AnyColumn { word, taken }));
    doubts.extend(said.any_measure().map(|(word, taken)| Doubt::AnyMeasured { word, taken }));
    doubts.extend(said.any_role().map(|taken| Doubt::AnyRole { taken }));
    doubts.extend(said.any_event().map(|taken| Doubt::AnyEvent { taken }));
    doubts.extend(said.any_takings().map(|(word, taken)| Doubt::AnyTable { word, taken }));
    doubts.extend(said.any_part_of_people().map(|(word, taken)| Doubt::WholeTable { word, taken }));
    if said.any_order() {
        doubts.push(Doubt::AnyOrder);
    }
    if plan.selects().any(fixes_key) {
        doubts.push(Doubt::FixedKey);
    }
    if plan.selects().any(summarises_key) {
        doubts.push(Doubt::SummarisedKey);
    }
    let any_unit = lasting::any_unit(plan, words.question, words.knowledge);
    doubts.extend(any_unit.map(|taken| Doubt::AnyUnit { taken }));
    doubts.extend(said.lost_count(plan).map(|word| Doubt::LostCount { word }));
    doubts.extend(words.stretched().map(|word| Doubt::Stretched { word }));
    doubts.extend(said.guesses().map(|words| Doubt::GuessedValue { words }));
    doubts
}

/// True where all that is shown is fixed by a condition.
fn echoes(plan: &QueryPlan) -> bool {
    let select = &plan.select;
    let fixed = |shown: &Expr| select.filter.as_ref().and_then(|filter| filter.fixed(shown).cloned());
    !select.projection.is_empty()
        && select.group_by.is_empty()
        && plan.set_operations.is_empty()
        && select.projection.iter().all(|shown| matches!(fixed(&shown.expr), Some(Value::Text(_))))
}

/// What the words say of columns.
pub(super) struct Said<'a> {
    pub(super) words: &'a Words<'a>,
    pub(super) meanings: &'a [Meaning],
}

impl Said<'_> {
    /// The date of what has been done by which it is told what will be done: *how many will sign up next month?*
    fn foretold(&self) -> Option<String> {
        let says_will = self.words.question.tokens.iter().any(|token| token.lower == "will");
        let knowledge = self.words.knowledge;
        let has_been = |id: &&ColumnId| {
            let entry = knowledge.column(**id);
            let own = |word: &String| {
                word.ends_with("ed") || matches!(word.as_str(), "paid" | "sold" | "sent" | "made")
            };
            event_date::holds_days(entry) && pieces(&entry.name).iter().any(own)
        };
        let date = self.words.facts.compared.iter().find(has_been).filter(|_| says_will)?;
        Some(knowledge.column(*date).name.clone())
    }

    pub(super) fn names(&self, column: ColumnId) -> bool {
        let by_words = self.words.chunks.iter().any(|chunk| {
            named_columns(chunk).any(|named| named == column)
                || chunk.values.iter().any(|value| value.column == Some(column))
        });
        by_words
            // A date that is compared with a column does not name it, nor does the number of a year.
            || self.meanings.iter().any(|meaning| {
                let is_year = |chunk: &Chunk| {
                    chunk.number.is_some() && event_date::is_date(self.words.knowledge.column(column))
                };
                let chunk = self.words.chunk(meaning.chunk);
                let is_date = chunk.is_some_and(|chunk| chunk.date.is_some() || is_year(chunk));
                meaning.column_id == Some(column) && !is_date
            })
            // What the plan had before was spoken of before.
            || self.words.before.is_some_and(|before| before.has(column, self.words.knowledge))
    }

    fn asks_for_somebody(&self) -> bool {
        let first = self.words.text(0);
        first == "who" || first.starts_with("who ")
    }

    fn shows_a_name(&self) -> bool {
        let facts = self.words.facts;
        let is_named = |column: &ColumnId| self.names(*column) || is_name(self.words.knowledge, *column);
        !facts.whole.is_empty() || facts.shown.iter().any(is_named)
    }

    /// True where people are shown by something else than their names, which no word asks for.
    fn shows_another_label(&self) -> bool {
        let (facts, knowledge) = (self.words.facts, self.words.knowledge);
        let is_name_of = |column: &ColumnId, which: &str| {
            let mut words = knowledge.column(*column).forms.iter().flatten();
            is_name(knowledge, *column) && words.any(|word| word == which)
        };
        facts.shown.iter().any(|column| {
            let columns = &knowledge.table(knowledge.column(*column).table).columns;
            let has = |which: &str| columns.iter().any(|column| is_name_of(column, which));
            // A key brings rows together, and `only_key` says where it is all that is shown.
            let is_label = !knowledge.column(*column).is_key && !self.names(*column);
            is_label && !is_name(knowledge, *column) && has("first") && has("last")
        })
    }

    /// *is there a customer called …*, to which the name itself is an answer.
    fn asks_whether(&self) -> bool {
        const WORDS: [&str; 12] =
            ["is", "are", "was", "were", "do", "does", "did", "has", "have", "can", "any", "check"];
        let first = self.words.text(0);
        WORDS.contains(&first.split(' ').next().unwrap_or_default())
    }

    /// *a table with 12 seats*, of which twelve are listed.
    fn size_for_limit(&self, plan: &QueryPlan) -> Option<String> {
        let limit = plan.limit? as f64;
        let chunks = self.words.chunks;
        chunks.iter().zip(chunks.iter().skip(1)).enumerate().find_map(|(at, (number, counted))| {
            let is_limit = number.number.as_ref().and_then(|number| number.value.as_f64()) == Some(limit);
            let before = at.checked_sub(1).map_or("", |before| self.words.text(before));
            let is_size = counted.column_score() > counted.table_score().max(SURE);
            (is_limit && is_size && matches!(before, "with" | "of" | "for" | "has" | "have" | "having"))
                .then(|| format!("{} {}", number.text, counted.text))
        })
    }

    /// *what is the …*, with no word for several.
    fn asks_for_one(&self) -> bool {
        let several = |cue: Cue| matches!(cue, Cue::Each | Cue::All | Cue::Details);
        matches!(self.words.text(0), "what is" | "what's" | "what was")
            && !self.words.chunks.iter().any(|chunk| chunk.cues().any(several))
    }

    /// *the cheapest products*, without a number.
    fn asks_for_several_firsts(&self) -> bool {
        let chunks = self.words.chunks;
        let is_plural = |chunk: &Chunk| {
            let last = chunk.text.rsplit(' ').next().unwrap_or_default();
            chunk.table_score() > SURE && last.ends_with('s') && stem(last) != last
        };
        let first = chunks.iter().find(|chunk| chunk.is_schema());
        first.is_some_and(is_plural)
            && chunks.iter().any(|chunk| chunk.cues().any(is_superlative))
            && !chunks.iter().any(|chunk| chunk.number.is_some())
    }

    /// *stock value*: words beside each other, each taken for a column of its own that is shown.
    fn two_for_one(&self) -> Option<String> {
        let shown = |chunk: &Chunk| -> Vec<ColumnId> {
            named_columns(chunk).filter(|column| self.words.facts.shown.contains(column)).collect()
        };
        let is_column = |chunk: &Chunk| chunk.cue.is_none() && chunk.table_score() < SURE;
        let pair = self.words.chunks.windows(2).find(|pair| match pair {
            [one, other] => {
                let (of_one, of_other) = (shown(one), shown(other));
                is_column(one)
                    && is_column(other)
                    && !of_one.is_empty()
                    && !of_other.is_empty()
                    && !of_one.iter().any(|column| of_other.contains(column))
            }
            _ => false,
        });
        pair.map(|pair| pair.iter().map(|chunk| chunk.text.as_str()).collect::<Vec<_>>().join(" "))
    }

    /// A word for a column that refers to another table and is only shown among all columns: *with their manager*.
    fn only_key(&self) -> Option<String> {
        let (facts, knowledge) = (self.words.facts, self.words.knowledge);
        let is_only_shown = |chunk: &&Chunk| {
            let mut columns = named_columns(chunk).peekable();
            chunk.tables.is_empty()
                && chunk.values.is_empty()
                && columns.peek().is_some()
                && columns.all(|column| {
                    knowledge.column(column).is_foreign && !facts.uses(column) && !self.says_end(column)
                })
        };
        if facts.whole.is_empty() {
            return None;
        }
        self.words.chunks.iter().find(is_only_shown).map(|chunk| chunk.text.clone())
    }

    /// *what products do we sell in every country*: the rows that a question begins with, where only numbers about them are shown.
    fn not_shown(&self) -> Option<String> {
        let (facts, knowledge) = (self.words.facts, self.words.knowledge);
        let begins = matches!(self.words.text(0), "which" | "what");
        let counts = |cue: Cue| matches!(cue, Cue::HowMany | Cue::HowMuch | Cue::Aggregate(_));
        if !begins || (0..self.words.chunks.len()).any(|at| self.words.may_be(at, counts)) {
            return None;
        }
        let asked = self.words.chunk(1)?;
        let (table, score) = asked.table().filter(|(table, _)| facts.tables.contains(table))?;
        let is_theirs = |column: &ColumnId| {
            knowledge.column(*column).table == table
                || knowledge.joins().reference(*column).is_some_and(|edge| edge.to == table)
        };
        let is_shown = facts.whole.contains(&table) || facts.shown.iter().any(is_theirs);
        (score > SURE && score > asked.column_score() && !is_shown).then(|| asked.text.clone())
    }

    /// *number of orders and number of customers*: what is said to be counted, where fewer numbers than that are made.
    fn lost_count(&self, plan: &QueryPlan) -> Option<String> {
        let question = self.words.question;
        let word = |at: usize| question.word(at);
        let mut counted: Vec<&str> = Vec::new();
        for at in 0..question.tokens.len() {
            let asks = question.asks_number(at);
            let mut of = at + 2;
            while matches!(word(of), "different" | "distinct" | "unique" | "the" | "all" | "of") {
                of += 1;
            }
            let names = !word(of).is_empty() && !matches!(word(of), "them" | "these" | "those" | "times");
            if asks && names && !counted.iter().any(|known| root(known) == root(word(of))) {
                counted.push(word(of));
            }
        }
        (counted.len() > 1 && summaries(plan) < counted.len())
            .then(|| counted.pop().map(str::to_owned))
            .flatten()
    }

    /// A word that names a number as well as the table it is in (*sales*), where the number has no part in the plan.
    fn table_for_number(&self) -> Option<String> {
        let (facts, knowledge) = (self.words.facts, self.words.knowledge);
        let unused = |column: ColumnId| {
            let entry = knowledge.column(column);
            let is_number = entry.numeric || entry.column_type.is_numeric();
            let roles = [&facts.shown, &facts.summed, &facts.compared, &facts.sorted];
            let is_used = roles.iter().any(|role| role.contains(&column));
            is_number && !entry.is_key && !entry.is_foreign && !is_used
        };
        let is_taken = |chunk: &&Chunk| {
            chunk.table().is_some_and(|(table, score)| {
                facts.tables.contains(&table)
                    && chunk.columns.iter().any(|(column, named)| {
                        *named >= score - 0.05 && knowledge.column(*column).table == table && unused(*column)
                    })
            })
        };
        self.words.chunks.iter().find(is_taken).map(|chunk| chunk.text.clone())
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
            let is_soft = chunk.text.len() <= 3
                && self.words.is_soft(chunk)
                && !self.words.is_capitalised(meaning.chunk);
            let is_guess = !is_cell && meaning.score < GUESS || is_soft;
            let said = || self.words.question.span_text(chunk.start, chunk.end).to_owned();
            (meaning.value.is_some() && !quoted && is_guess).then(said)
        })
    }
}

fn is_name(knowledge: &Knowledge, column: ColumnId) -> bool {
    knowledge.column(column).forms.iter().flatten().any(|word| word.ends_with("name") || word == "person")
}

/// True for a plain list of all rows.
fn lists_everything(facts: &Facts) -> bool {
    !facts.summarises
        && !facts.grouped
        && !facts.limited
        && !facts.nested
        && !facts.distinct
        && facts.compared.is_empty()
}

/// True where the only thing that rows are grouped by has one value in all of them.
fn fixes_key(select: &Select) -> bool {
    let fixed = |key: &Expr| select.filter.as_ref().is_some_and(|filter| filter.fixed(key).is_some());
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
fn counts_twice(select: &Select, everything: bool, knowledge: &Knowledge) -> bool {
    let mut summed: HashSet<String> = HashSet::new();
    for shown in &select.projection {
        shown.expr.for_each(&mut |expr| {
            // A mean over the rows that some condition leaves is not far from what is meant.
            if let Expr::Aggregate { function, distinct: false, argument } = expr
                && (*function == Aggregate::Sum || *function == Aggregate::Avg && everything)
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
/// How many summaries a plan makes, those of nested queries included.
fn summaries(plan: &QueryPlan) -> usize {
    fn inside(expr: &Expr) -> usize {
        usize::from(matches!(expr, Expr::Aggregate { .. }))
            + expr.parts().into_iter().map(inside).sum::<usize>()
    }
    let own: usize = plan.selects().flat_map(Select::exprs).map(inside).sum();
    own + plan.queries().into_iter().map(summaries).sum::<usize>()
}
