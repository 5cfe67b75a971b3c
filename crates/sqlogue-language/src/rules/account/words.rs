//! The words of a question that its plan does not account for.

use jiff::civil::Date;

use super::facts::Facts;
use crate::rules::cue::Cue;
use crate::rules::dates::DateRange;
use crate::rules::grammar::is_neutral;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::lexicon::Lexicon;
use crate::rules::link::{Chunk, Number, ValueLink};
use crate::rules::names::pieces;
use crate::rules::short::{abbreviates, is_short_form};
use crate::rules::stem::{root, stem};
use crate::rules::text::{Question, Token};
use crate::rules::values::{MatchKind, folded};
use sqlogue_sql::plan::{Aggregate, Arithmetic};
use sqlogue_sql::schema::Value;

/// A name that fits words less than this does not explain them.
const NAMED: f32 = 0.4;

/// Words that fit the name of a table less than this may be a verb that looks like one.
const PLAIN: f32 = 0.6;

/// A part of a name is short for a word as surely as this: the first letter, and all the consonants or the beginning.
const SHORTENED: f32 = 0.85;

/// The words of a question beside what its plan holds.
pub(super) struct Words<'a> {
    pub question: &'a Question,
    pub chunks: &'a [Chunk],
    pub facts: &'a Facts,
    /// What the plan held before it was changed; none where it was made anew.
    pub before: Option<&'a Facts>,
    /// The chunks that the composer made something of.
    pub used: &'a [usize],
    pub knowledge: &'a Knowledge,
}

impl<'a> Words<'a> {
    /// The chunks with content that the plan does not account for, in order.
    pub(super) fn left_out(&self) -> Vec<usize> {
        (0..self.chunks.len()).filter(|at| !self.is_accounted(*at) || !self.is_grouped(*at)).collect()
    }

    pub(super) fn chunk(&self, at: usize) -> Option<&'a Chunk> {
        self.chunks.get(at)
    }

    /// The chunk before a place.
    pub(super) fn previous(&self, at: usize) -> Option<&'a Chunk> {
        at.checked_sub(1).and_then(|before| self.chunk(before))
    }

    /// The words of the chunk at a place; empty beyond the ends.
    pub(super) fn text(&self, at: usize) -> &'a str {
        self.chunk(at).map_or("", |chunk| &chunk.text)
    }

    /// True where one of the words at a place has a capital letter that does not come from its place.
    pub(super) fn is_capitalised(&self, at: usize) -> bool {
        let Some(chunk) = self.chunk(at) else { return false };
        let tokens = self.question.tokens.get(chunk.start..chunk.end).unwrap_or_default();
        tokens.iter().any(|token| token.is_capitalised() && token.start > 0)
    }

    pub(super) fn may_be(&self, at: usize, test: impl FnMut(Cue) -> bool) -> bool {
        self.chunk(at).is_some_and(|chunk| chunk.cues().any(test))
    }

    /// The words that are in the plan only by something that is near them in meaning.
    pub(super) fn stretched(&self) -> impl Iterator<Item = String> {
        // *by month*: the plan cuts dates to months, whatever column is near that word.
        let is_unit = |token: &Token| self.facts.units.iter().any(|unit| stem(unit.name()) == token.stem);
        self.chunks.iter().filter(|chunk| self.is_in_plan(chunk)).flat_map(move |chunk| {
            let tokens = self.question.tokens.get(chunk.start..chunk.end).unwrap_or_default();
            // *only the open ones* asks for what stays, whatever *only* may be near to.
            let is_said_after = |token: &Token| {
                self.before.is_some() && Lexicon::embedded().is_soft_in_follow_up(&token.lower)
            };
            let stretched = tokens
                .iter()
                .filter(move |token| token.is_stretched && !is_unit(token) && !is_said_after(token));
            stretched.map(|token| token.text.clone())
        })
    }

    fn is_accounted(&self, at: usize) -> bool {
        let Some(chunk) = self.chunk(at) else { return true };
        if chunk.text == "%" && !self.has_percent(at) {
            return false;
        }
        if !chunk.text.chars().any(char::is_alphanumeric) || self.is_any(at) {
            return true;
        }
        if self.is_beside_column(at) || self.is_out(at) {
            return false;
        }
        if chunk.values.iter().any(|value| value.quoted) {
            return self.has_a_value(chunk);
        }
        if self.is_other_end(at) {
            return false;
        }
        if self.has_time(chunk) || self.is_in_plan(chunk) || chunk.cues().any(|cue| self.heeds(cue, at)) {
            return true;
        }
        let is_pronoun = matches!(chunk.text.as_str(), "one" | "ones");
        if chunk.number.is_some() && !is_pronoun || chunk.date.is_some() || chunk.cue.is_some() {
            return false;
        }
        let is_unknown = !chunk.is_schema() && chunk.values.is_empty();
        is_unknown && self.used.contains(&at)
            || self.is_soft(chunk)
            || chunk.values.is_empty() && self.is_spelled(chunk)
            || self.is_generic(at)
            || self.relates(at)
            || self.is_measure(at)
            || self.is_unit(at)
            || self.is_of_state(at)
            || self.is_new(at)
            || self.is_counted_by_reference(at)
            || is_unknown && is_neutral(self.question, chunk.start)
    }

    /// True for *out* where things are, and the plan tells nothing of what is missing there.
    fn is_out(&self, at: usize) -> bool {
        self.chunk(at).is_some_and(|chunk| {
            self.question.says_out(chunk.start) && chunk.values.is_empty() && !self.facts.missing
        })
    }

    /// True for a word that says on which side of a column things lie, where the plan compares nothing: *sites over budget* are no
    /// list of budgets.
    fn is_beside_column(&self, at: usize) -> bool {
        const SIDES: [&str; 9] =
            ["over", "above", "below", "under", "beyond", "within", "exceed", "exceeds", "exceeding"];
        let owner = usize::from(matches!(self.text(at + 1), "their" | "its" | "the" | "his" | "her"));
        let is_number = |chunk: &Chunk| {
            chunk.columns.first().is_some_and(|(id, score)| {
                let kind = &self.knowledge.column(*id).kind;
                *score > chunk.table_score() && matches!(kind, ColumnKind::Number | ColumnKind::Money(_))
            })
        };
        SIDES.contains(&self.text(at))
            && self.chunk(at + 1 + owner).is_some_and(is_number)
            && !self.facts.is_above()
            && !self.facts.is_below()
    }

    /// True where the plan has the percentage that a sign asks for: one it works out, one that a number is given in, or one in a
    /// column.
    fn has_percent(&self, at: usize) -> bool {
        let is_of_number = self.previous(at).is_some_and(|before| before.number.is_some());
        let in_column = ["percent", "percentage", "pct", "rate", "ratio", "share"]
            .iter()
            .any(|word| self.facts.words.contains(&root(word)));
        is_of_number || in_column || self.facts.arithmetic.contains(&Arithmetic::Divide)
    }

    /// True for words that say nothing of what is asked for.
    pub(super) fn is_soft(&self, chunk: &Chunk) -> bool {
        let lexicon = Lexicon::embedded();
        let soft = |word: &str| {
            !word.chars().any(char::is_alphanumeric)
                || lexicon.is_soft(word)
                || self.before.is_some() && lexicon.is_soft_in_follow_up(word)
        };
        chunk.text.split(' ').all(soft)
    }

    /// True where the words are part of the names of what is in the plan, written out or not: *built* for `blt_yr`.
    fn is_spelled(&self, chunk: &Chunk) -> bool {
        let lexicon = Lexicon::embedded();
        let shortened = |word: &str| {
            self.facts.shown.iter().any(|column| {
                let pieces = pieces(&self.knowledge.column(*column).name);
                pieces.iter().any(|piece| {
                    is_short_form(piece, lexicon)
                        && abbreviates(piece, word).is_some_and(|sure| sure >= SHORTENED)
                })
            })
        };
        let named =
            |word: &str| lexicon.is_soft(word) || self.facts.words.contains(&root(word)) || shortened(word);
        chunk.text.split(' ').all(named)
    }

    /// *the status code*, *faculty members*: after a name, a word for what columns or tables hold says no more.
    fn is_generic(&self, at: usize) -> bool {
        let Some(before) = self.previous(at) else { return false };
        let (lexicon, text) = (Lexicon::embedded(), self.text(at));
        lexicon.is_generic(text) && named_columns(before).any(|column| self.facts.has(column, self.knowledge))
            || lexicon.is_one_of_many(text) && self.has_name(before)
    }

    /// *members who attend courses*: between two things that the plan brings together, a verb says no more than that.
    fn relates(&self, at: usize) -> bool {
        let Some(chunk) = self.chunk(at) else { return false };
        let is_verb = chunk.text.split(' ').all(|word| Lexicon::embedded().is_verb(word));
        if !is_verb || chunk.table_score() >= PLAIN || !chunk.values.is_empty() {
            return false;
        }
        if chunk.columns.iter().any(|(column, _)| self.facts.joined.contains(column)) {
            return true;
        }
        let describes =
            self.question.opens_with_participle(chunk.start) && self.chunk(at + 1).is_some_and(is_named);
        if describes {
            return false;
        }
        let names = |at: &usize| {
            self.chunk(*at).is_some_and(|chunk| {
                is_named(chunk) || !chunk.values.is_empty() || chunk.date.is_some() || is_year(chunk)
            })
        };
        let accounted =
            |at: usize| self.chunk(at).is_some_and(|chunk| self.is_in_plan(chunk) || self.has_time(chunk));
        let mut before = (0..at).rev().filter(names);
        let subject = before.next();
        let after = (at + 1..self.chunks.len()).find(names);
        // *which segment spends the most* asks for money, and not for how many there are.
        const OF_MONEY: [&str; 9] =
            ["spend", "spends", "spent", "earn", "earns", "earned", "pay", "pays", "paid"];
        if after.is_none()
            && OF_MONEY.contains(&chunk.text.as_str())
            && !self.facts.has_number(self.knowledge)
        {
            return false;
        }
        // *used the most*, *that we sell* and *the courses that each member attends* need nothing after the verb.
        let by_us = self.previous(at).is_some_and(|before| matches!(before.text.as_str(), "we" | "you"));
        let mut alone = || {
            by_us
                || self.may_be(at + 1, is_superlative) && self.facts.has_extreme()
                || before.next().is_some_and(accounted)
        };
        subject.is_some_and(accounted) && after.map_or_else(&mut alone, accounted)
    }

    /// *how long is …*: the adjective is answered by the number that the plan shows.
    fn is_measure(&self, at: usize) -> bool {
        let lexicon = Lexicon::embedded();
        let Some(adjective) =
            lexicon.adjective_named(self.text(at)).and_then(|index| lexicon.adjective(index))
        else {
            return false;
        };
        let is_asked = self.previous(at).is_some_and(|before| before.text == "how");
        let told = |column: &ColumnId| {
            let forms = &self.knowledge.column(*column).forms;
            let bears =
                |name: &Vec<String>| forms.iter().any(|form| name.iter().all(|word| form.contains(word)));
            is_asked && self.knowledge.column(*column).numeric
                || adjective.is_verb && adjective.grows.iter().any(bears)
        };
        self.facts.shown.iter().chain(&self.facts.summed).any(told)
    }

    /// *who borrowed the most books*: the plan counts loans, each of which is of one book.
    fn is_counted_by_reference(&self, at: usize) -> bool {
        let Some(chunk) = self.chunk(at) else { return false };
        let is_asked = self.previous(at).is_some_and(|before| {
            before.cues().any(|cue| matches!(cue, Cue::HowMany | Cue::Most(_) | Cue::MostCommon(_)))
        });
        let counts = |table: &TableId| {
            let refers = |other: &TableId| {
                let ways = self.knowledge.joins().between(*other, *table);
                ways.iter().any(|way| way.from == *other && way.to == *table)
            };
            // The verb says which rows are counted.
            let verb = |other: &TableId| {
                self.chunks.iter().any(|said| {
                    said.start != chunk.start && said.tables.iter().any(|(named, _)| named == other)
                })
            };
            self.facts.tables.iter().any(|other| refers(other) && verb(other))
        };
        named_tables(chunk).any(|table| self.facts.sums_pieces_of(table, self.knowledge))
            || is_asked
                && self.facts.summaries.contains(&Aggregate::Count)
                && named_tables(chunk).any(|table| counts(&table))
    }

    /// *100 minutes*: the unit of a number that the plan has, unless a column there has its own.
    fn is_unit(&self, at: usize) -> bool {
        let lexicon = Lexicon::embedded();
        let number = self.previous(at).and_then(|before| before.number.as_ref());
        let other = |column: &ColumnId| {
            let mut words = self.knowledge.column(*column).forms.iter().flatten();
            words.any(|word| lexicon.is_unit(word) && root(word) != root(self.text(at)))
        };
        lexicon.is_unit(self.text(at))
            && number.is_some_and(|number| self.has_number(number))
            && !self.facts.compared.iter().any(other)
    }

    /// *still pending*: beside the value that says so, a word for how things stand says no more.
    fn is_of_state(&self, at: usize) -> bool {
        let beside = [self.previous(at), self.chunk(at + 1)];
        Lexicon::embedded().is_of_state(self.text(at))
            && beside.into_iter().flatten().any(|chunk| !chunk.values.is_empty() && self.has_a_value(chunk))
    }

    /// *new members this year*: the rows that the plan restricts by a date.
    fn is_new(&self, at: usize) -> bool {
        let is_dated = |table: TableId| {
            self.facts.compared.iter().any(|column| {
                let entry = self.knowledge.column(*column);
                entry.table == table
                    && (entry.column_type.is_temporal()
                        || entry.date_cells == Some(crate::rules::date_cells::DateCells::Iso))
            })
        };
        self.text(at) == "new"
            && self.chunks.iter().any(|chunk| chunk.date.is_some() || is_year(chunk))
            && self.chunk(at + 1).is_some_and(|chunk| named_tables(chunk).any(is_dated))
    }

    /// True where a table, a column or a value that the words name is in the plan.
    pub(super) fn is_in_plan(&self, chunk: &Chunk) -> bool {
        self.has_name(chunk) || self.has_a_value(chunk)
    }

    /// True where a table or column that the words name is in the plan, or was and is gone as they ask.
    pub(super) fn has_name(&self, chunk: &Chunk) -> bool {
        named_tables(chunk).any(|table| self.facts.tables.contains(&table))
            || named_columns(chunk).any(|column| {
                let has = |facts: &Facts| facts.has(column, self.knowledge);
                has(self.facts) || self.before.is_some_and(has)
            })
    }

    /// True where a date or number that the words say is in the plan.
    fn has_time(&self, chunk: &Chunk) -> bool {
        chunk.number.as_ref().is_some_and(|number| self.has_number(number))
            || chunk.date.as_ref().is_some_and(|date| self.has_date(date))
    }

    pub(super) fn has_a_value(&self, chunk: &Chunk) -> bool {
        chunk.values.iter().any(|value| self.has_value(value))
    }

    fn has_value(&self, link: &ValueLink) -> bool {
        match &link.value {
            Value::Text(head) if link.kind == MatchKind::Head => self.has_name_with(head),
            Value::Text(text) => self.has_text(&folded(text)),
            other => self.has_constant(other),
        }
    }

    /// True where the plan names a thing by a name in which the word is.
    fn has_name_with(&self, head: &str) -> bool {
        let has = |facts: &Facts| {
            facts.texts.iter().any(|known| known.split(' ').any(|word| stem(word) == stem(head)))
        };
        has(self.facts) || self.before.is_some_and(has)
    }

    fn has_text(&self, text: &str) -> bool {
        let known = |facts: &Facts| facts.texts.iter().any(|known| known == text);
        known(self.facts)
            || self.before.is_some_and(known)
            || text.parse().is_ok_and(|number| self.facts.numbers.contains(&number))
    }

    fn has_number(&self, number: &Number) -> bool {
        let written = number.value.to_string();
        let in_text = |text: &String| text.split(' ').any(|word| word == written);
        // A year that bounds a date on one side only is half of what was said, unless the words say on which.
        let whole = !number.year || self.compares() || self.facts.is_above() == self.facts.is_below();
        // *address line 2*: a number may be part of a name.
        // *20 %* may be stored as 0.2.
        let share =
            number.value.as_f64().filter(|_| number.percent).map(|percent| Value::Real(percent / 100.0));
        self.has_constant(&number.value)
            || share.is_some_and(|share| self.has_constant(&share))
            || whole && self.facts.texts.iter().any(in_text)
            || self.facts.words.contains(&written)
    }

    fn has_constant(&self, value: &Value) -> bool {
        let Some(number) = value.as_f64() else { return false };
        self.facts.numbers.iter().any(|known| (known - number).abs() <= 1e-9 * number.abs().max(1.0))
    }

    fn has_date(&self, range: &DateRange) -> bool {
        let has = |day: Date| {
            let day = folded(&day.to_string());
            self.facts.texts.iter().any(|text| text.starts_with(&day))
        };
        let (begins, ends) = (has(range.first), has(range.last) || range.last.tomorrow().is_ok_and(has));
        let is_year = |year: i16| self.has_constant(&Value::Integer(i64::from(year)));
        begins && ends
            || (begins || ends) && self.compares()
            || is_year(range.first.year()) && is_year(range.last.year())
    }

    /// True where the words say on which side of something a thing lies.
    fn compares(&self) -> bool {
        let side = |cue: Cue| matches!(cue, Cue::Compare(_) | Cue::Comparative(_) | Cue::OrBeyond(_));
        (0..self.chunks.len()).any(|at| self.may_be(at, side))
    }
}

/// True for words that name a table or a column well enough.
pub(super) fn is_named(chunk: &Chunk) -> bool {
    chunk.table_score().max(chunk.column_score()) >= NAMED
}

fn is_year(chunk: &Chunk) -> bool {
    chunk.number.as_ref().is_some_and(|number| number.year)
}

/// The tables that words name well enough.
pub(super) fn named_tables(chunk: &Chunk) -> impl Iterator<Item = TableId> {
    chunk.tables.iter().filter(|(_, score)| *score >= NAMED).map(|(table, _)| *table)
}

/// The columns that words name well enough.
pub(super) fn named_columns(chunk: &Chunk) -> impl Iterator<Item = ColumnId> {
    chunk.columns.iter().filter(|(_, score)| *score >= NAMED).map(|(column, _)| *column)
}

/// True for the cues of rows that come first in some order.
pub(super) fn is_superlative(cue: Cue) -> bool {
    matches!(cue, Cue::Most(_) | Cue::MostCommon(_) | Cue::Superlative(..))
}
