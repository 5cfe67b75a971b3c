//! The parser: walks over the chunks from left to right and lets each construction take its turn.
//!
//! It is in one of two regions: the *head*, which says what is returned, and the *description*, which says of which
//! rows. The same words mean different things in them: *the highest salary* is returned in the head, and chooses a
//! row in a description.

use super::frame::{Connective, Filler, Filter, Frame, Measure, Slot, Test};
use super::oracle::Oracle;
use super::{compare, flag, group, like, negate, order, outputs, revenue, superlative, value};
use crate::rules::cue::Cue;
use crate::rules::event_date;
use crate::rules::knowledge::{Knowledge, TableId};
use crate::rules::link::Chunk;

/// Which part of the question is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Region {
    /// What is returned.
    Head,
    /// Of which rows.
    Description,
}

/// Reads one question.
#[derive(Debug)]
pub(crate) struct Parser<'a> {
    pub chunks: &'a [Chunk],
    pub knowledge: &'a Knowledge,
    pub oracle: &'a mut Oracle,
    pub frame: Frame,
    pub region: Region,
    /// The summaries that wait for their column.
    pub pending: Vec<(sqlogue_sql::plan::Aggregate, bool)>,
    /// True after *or*, until the next condition.
    pub connective: Connective,
    /// True inside a negated clause.
    pub absent: bool,
    /// True where the next condition is negated.
    pub negated: bool,
    /// True after *distinct*, until the next output.
    pub distinct: bool,
    /// The last table spoken of.
    pub last_table: Option<TableId>,
    /// The chunk of the last column spoken of.
    pub last_column: Option<usize>,
    /// The chunk of the column that was returned last.
    pub output_column: Option<usize>,
    /// True where that column is returned or already has its condition.
    pub last_column_used: bool,
    /// True after *which*, until its noun.
    pub which: bool,
    /// True after *both*, until the values it joins.
    pub both: bool,
    /// How the next two summaries are combined, after *difference between*.
    pub combining: Option<sqlogue_sql::plan::Arithmetic>,
    /// The number before what is returned: *the three cities with the most …*.
    pub leading: Option<u64>,
    /// True where the question began with *sort*.
    pub sorting: bool,
}

/// True where the next name in the head is one more output.
pub(crate) fn outputs_open(parser: &Parser<'_>, at: usize) -> bool {
    if parser.frame.outputs.is_empty() {
        return true;
    }
    let mut back = at;
    while back > 0 && ["the", "their", "its", "a", "an"].contains(&parser.text(back - 1)) {
        back -= 1;
    }
    let before = parser.before(back);
    before.may_be(Cue::And)
        || before.may_be(Cue::Comma)
        || before.may_be(Cue::Show)
        || before.may_be(Cue::Which)
}

/// Chunks that never are the words of a value or name.
pub(crate) const EMPTY: Chunk = Chunk {
    start: 0,
    end: 0,
    text: String::new(),
    tables: Vec::new(),
    columns: Vec::new(),
    values: Vec::new(),
    number: None,
    date: None,
    cue: None,
    other_cues: Vec::new(),
};

static NOTHING: Chunk = EMPTY;

/// Words without any meaning of their own here.
const SOFT: &[&str] = &[
    "the", "a", "an", "of", "'s", "is", "are", "was", "were", "be", "been", "being", "there", "their", "its",
    "his", "her", "it", "they", "them", "these", "those", "this", "that", "any", "some", "in", "to", "value",
    "values", "has", "have", "had", "s", "'", "am", "as", "on", "at", "does", "do", "did", "equal", "=", ":",
];

impl<'a> Parser<'a> {
    pub(crate) fn new(chunks: &'a [Chunk], knowledge: &'a Knowledge, oracle: &'a mut Oracle) -> Self {
        Self {
            chunks,
            knowledge,
            oracle,
            frame: Frame::default(),
            region: Region::Head,
            pending: Vec::new(),
            connective: Connective::And,
            absent: false,
            negated: false,
            distinct: false,
            last_table: None,
            last_column: None,
            output_column: None,
            last_column_used: false,
            which: false,
            both: false,
            leading: None,
            combining: None,
            sorting: false,
        }
    }

    /// Reads all chunks.
    pub(crate) fn run(mut self) -> Frame {
        let numbers = self.chunks.iter().filter_map(|chunk| chunk.number.as_ref());
        self.frame.percents =
            numbers.filter(|number| number.percent).map(|number| number.value.clone()).collect();
        let mut at = 0;
        while at < self.chunks.len() {
            let next = order::read(&mut self, at)
                .or_else(|| group::read(&mut self, at))
                .or_else(|| like::read(&mut self, at))
                .or_else(|| compare::read(&mut self, at))
                .or_else(|| superlative::read(&mut self, at))
                .or_else(|| revenue::read(&mut self, at))
                .or_else(|| negate::read(&mut self, at))
                .or_else(|| flag::read(&mut self, at))
                .or_else(|| value::read(&mut self, at))
                .or_else(|| outputs::read(&mut self, at));
            if next.is_none() {
                self.plain_word(at);
            }
            at = match next {
                Some(next) if next > at => next,
                _ => at + 1,
            };
        }
        self.finish();
        self.frame
    }

    /// A verb form that names nothing (*owned by*) still opens a description.
    fn plain_word(&mut self, at: usize) {
        let text = self.text(at);
        let verb = text.len() > 4 && (text.ends_with("ed") || text.ends_with("ing"))
            || matches!(
                text,
                "made"
                    | "held"
                    | "won"
                    | "taken"
                    | "written"
                    | "taught"
                    | "born"
                    | "sold"
                    | "bought"
                    | "kept"
                    | "worth"
                    | "lost"
                    | "led"
                    | "run"
            );
        if verb && self.region == Region::Head && !self.frame.outputs.is_empty() && !outputs_open(self, at) {
            self.region = Region::Description;
        }
    }

    /// What was begun and not ended.
    fn finish(&mut self) {
        for (function, distinct) in std::mem::take(&mut self.pending) {
            if function == sqlogue_sql::plan::Aggregate::Count {
                self.frame.outputs.push(Measure::Count(None, distinct));
            }
        }
        if self.distinct && self.frame.outputs.iter().any(|output| matches!(output, Measure::Plain(_))) {
            self.frame.distinct = true;
        }
        // *Sort the students by age*
        if self.sorting && self.frame.orders.is_empty() {
            let by = (1..self.chunks.len())
                .find(|at| self.text(*at) == "by")
                .map_or(0, |at| self.skip(at + 1, &["the", "their"]));
            if by > 0
                && let Some(slot) = self.column_slot(by)
            {
                self.frame.orders.push((Measure::Plain(slot), sqlogue_sql::plan::Direction::Ascending));
            }
        }
    }

    /// The chunk at a position; an empty one beyond the ends.
    pub(crate) fn chunk(&self, at: usize) -> &'a Chunk {
        self.chunks.get(at).unwrap_or(&NOTHING)
    }

    /// The words of the chunk at a position.
    pub(crate) fn text(&self, at: usize) -> &'a str {
        self.chunks.get(at).map_or("", |chunk| &chunk.text)
    }

    /// The chunk before a position.
    pub(crate) fn before(&self, at: usize) -> &'a Chunk {
        at.checked_sub(1).map_or(&NOTHING, |at| self.chunk(at))
    }

    /// True where the chunk may be this cue.
    pub(crate) fn is(&self, at: usize, cue: Cue) -> bool {
        self.chunk(at).may_be(cue)
    }

    /// The next position that is not a soft word (an article, a form of *be*).
    pub(crate) fn skip_soft(&self, mut at: usize) -> usize {
        while SOFT.contains(&self.text(at)) && !self.chunk(at).is_schema() && self.chunk(at).values.is_empty()
        {
            at += 1;
        }
        at
    }

    /// The next position that is none of these words.
    pub(crate) fn skip(&self, mut at: usize, words: &[&str]) -> usize {
        while words.contains(&self.text(at)) {
            at += 1;
        }
        at
    }

    /// Marks chunks as understood.
    pub(crate) fn mark(&mut self, from: usize, to: usize) {
        self.frame.used.extend(from..to);
    }

    /// A number at a position, as a count.
    pub(crate) fn count_at(&self, at: usize) -> Option<u64> {
        match self.chunk(at).number.as_ref()?.value {
            sqlogue_sql::schema::Value::Integer(number) => u64::try_from(number).ok(),
            _ => None,
        }
    }

    /// Adds a slot that any column or table named by a chunk may fill.
    pub(crate) fn name_slot(&mut self, at: usize) -> usize {
        let chunk = self.chunk(at);
        let mut options: Vec<Filler> = Vec::new();
        for (column, score) in &chunk.columns {
            let table = self.knowledge.column(*column).table;
            options.push(Filler { column: Some(*column), table, value: None, score: *score });
        }
        for (table, score) in &chunk.tables {
            options.push(Filler { column: None, table: *table, value: None, score: *score });
        }
        options.sort_by(|one, other| other.score.total_cmp(&one.score));
        // Beyond these no option was ever right, and schemas of thousands of columns offer many.
        options.truncate(24);
        self.add_slot(at, options)
    }

    /// Adds a slot that only columns named by a chunk may fill; none where it names no column.
    pub(crate) fn column_slot(&mut self, at: usize) -> Option<usize> {
        if self.chunk(at).columns.is_empty() {
            return None;
        }
        let slot = self.name_slot(at);
        if let Some(slot) = self.frame.slots.get_mut(slot) {
            slot.options.retain(|option| option.column.is_some());
        }
        Some(slot)
    }

    /// Adds a slot that only tables named by a chunk may fill; none where it names no table.
    pub(crate) fn table_slot(&mut self, at: usize) -> Option<usize> {
        if self.chunk(at).tables.is_empty() {
            return None;
        }
        let slot = self.name_slot(at);
        if let Some(slot) = self.frame.slots.get_mut(slot) {
            slot.options.retain(|option| option.column.is_none());
        }
        if let Some((table, _)) = self.chunk(at).table() {
            self.last_table = Some(table);
        }
        // What is said next is said of the table, not of a column that is already returned.
        if self.last_column_used {
            self.last_column = None;
        }
        Some(slot)
    }

    /// Adds a slot with these options.
    pub(crate) fn add_slot(&mut self, at: usize, options: Vec<Filler>) -> usize {
        let hints = self.hints(at);
        self.frame.slots.push(Slot { chunk: at, options, hints, tie: None, nested: self.absent });
        self.frame.slots.len() - 1
    }

    /// The tables that the words around a chunk speak of.
    fn hints(&self, at: usize) -> Vec<(TableId, f32)> {
        let mut hints = Vec::new();
        let mut give = |chunk: &Chunk, strength: f32| {
            for (table, score) in chunk.tables.iter().take(3) {
                hints.push((*table, strength * score));
            }
        };
        let mut back = at;
        if self.before(back).text == "'s" || self.before(back).text == "'" {
            back -= 1;
        }
        if back > 0 {
            give(self.before(back), 0.9);
        }
        // *name, age and city of the students*
        let mut ahead = at + 1;
        while ahead < at + 12 {
            let chunk = self.chunk(ahead);
            let listed = chunk.may_be(Cue::And)
                || chunk.may_be(Cue::Comma)
                || chunk.may_be(Cue::All)
                || chunk.may_be(Cue::Each)
                || chunk.may_be(Cue::Any)
                || chunk.may_be(Cue::Distinct)
                || ["of", "for", "from", "the", "in", "that", "a", "an", "those", "these"]
                    .contains(&chunk.text.as_str());
            if chunk.table_score() >= 0.6 && chunk.table_score() >= chunk.column_score() {
                let of = (at + 1..ahead).any(|between| {
                    ["of", "for", "from", "in"].contains(&self.text(between)) || self.is(between, Cue::Each)
                });
                if of {
                    give(chunk, 0.7);
                }
                break;
            }
            if !listed && chunk.columns.is_empty() {
                break;
            }
            ahead += 1;
        }
        if let Some(table) = self.last_table {
            hints.push((table, if self.region == Region::Description { 0.35 } else { 0.15 }));
        }
        hints
    }

    /// Adds a condition.
    pub(crate) fn filter(&mut self, measure: Measure, test: Test) {
        let filter =
            Filter { measure, test, negated: self.negated, connective: self.connective, absent: self.absent };
        self.frame.filters.push(filter);
        self.connective = Connective::And;
        self.negated = false;
    }

    /// A column of the tables at hand that an adjective speaks of: the fillers with their direction flipped or not.
    pub(crate) fn adjective_slot(
        &mut self,
        at: usize,
        adjective: usize,
        table: Option<TableId>,
    ) -> Option<(usize, bool)> {
        let entry = crate::rules::lexicon::Lexicon::embedded().adjective(adjective)?;
        let mut options: Vec<(Filler, bool)> = Vec::new();
        let by_time = entry.speaks_of_dates();
        for (names, grows) in [(&entry.grows, true), (&entry.shrinks, false)] {
            for (rank, words) in names.iter().enumerate() {
                let base = 0.9 - 0.05 * rank as f32;
                let mut found: Vec<crate::rules::knowledge::ColumnId> = Vec::new();
                if let Some(table) = table {
                    found.extend(self.knowledge.columns_like(table, words));
                } else {
                    for (id, _) in self.knowledge.tables().take(200) {
                        found.extend(self.knowledge.columns_like(id, words).into_iter().take(1));
                    }
                }
                for (extra, column) in found.into_iter().enumerate() {
                    let entry = self.knowledge.column(column);
                    let is_date = !by_time && event_date::holds_days(entry);
                    if entry.is_foreign || entry.is_key && !entry.numeric || is_date || entry.tells_change() {
                        continue;
                    }
                    let score = (base - 0.06 * extra as f32).max(0.1);
                    let filler = Filler { column: Some(column), table: entry.table, value: None, score };
                    options.push((filler, grows));
                }
            }
        }
        options.sort_by(|one, other| other.0.score.total_cmp(&one.0.score));
        options.truncate(12);
        let grows = options.first()?.1;
        // One slot cannot hold both directions; the better one decides.
        let fillers =
            options.into_iter().filter(|(_, other)| *other == grows).map(|(filler, _)| filler).collect();
        Some((self.add_slot(at, fillers), grows))
    }
}
