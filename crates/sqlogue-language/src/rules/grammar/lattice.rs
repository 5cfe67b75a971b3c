//! The lattice: every span of a question with all that it may stand for, and no cut chosen beforehand.

use std::collections::BTreeMap;
use std::rc::Rc;

use jiff::civil::Date;

use super::defined::{Term, terms};
use super::form::{Named, Noun, Unsaid, Words};
use super::time::{self, Timed};
use super::words::{WordLists, is_neutral};
use crate::rules::ends::Ends;
use crate::rules::event_date::holds_days;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::link::{Link, Number, Target, ValueLink};
use crate::rules::text::{Question, TokenKind};
use crate::rules::understand::Defined;
use crate::rules::values::MatchKind;

/// A span keeps at most so many tables, columns or values.
const KEPT: usize = 24;
/// A position keeps at most so many nouns and so many values.
const SPANS: usize = 4;
/// How well words for both ends of a row fit its start.
const WAY: f32 = 0.9;

/// A question with what its spans may stand for, by the token at which they start.
#[derive(Debug)]
pub struct Lattice<'a> {
    /// The question's tokens.
    pub question: &'a Question,
    /// The day that is today.
    pub today: Date,
    nouns: Vec<Vec<Noun>>,
    values: Vec<Vec<Named>>,
    numbers: Vec<Vec<(usize, Number)>>,
    times: Vec<Vec<(usize, Timed)>>,
    terms: Vec<Rc<Term>>,
    /// The ends of rows that have two.
    ends: Vec<(TableId, Ends)>,
    /// The columns of what is at those ends.
    at_ends: Vec<ColumnId>,
    /// True where the database knows of years, and of no days.
    pub tells_years_only: bool,
}

/// What a span may be, while it is collected.
#[derive(Default)]
struct Span {
    tables: Vec<(TableId, f32)>,
    columns: Vec<(ColumnId, f32)>,
    values: Vec<ValueLink>,
}

impl<'a> Lattice<'a> {
    /// Collects the links of a question by their spans.
    pub fn new(question: &'a Question, links: &[Link], today: Date) -> Self {
        let length = question.tokens.len();
        let mut lattice = Self {
            question,
            today,
            nouns: vec![Vec::new(); length],
            values: vec![Vec::new(); length],
            numbers: vec![Vec::new(); length],
            times: vec![Vec::new(); length],
            terms: Vec::new(),
            ends: Vec::new(),
            at_ends: Vec::new(),
            tells_years_only: false,
        };
        let mut spans: BTreeMap<(usize, usize), Span> = BTreeMap::new();
        for link in links {
            let span = spans.entry((link.start, link.end)).or_default();
            match &link.target {
                Target::Table(table) => span.tables.push((*table, link.score)),
                Target::Column(column) => span.columns.push((*column, link.score)),
                Target::Value(value) => span.values.push(value.clone()),
                Target::Number(number) => {
                    if let Some(numbers) = lattice.numbers.get_mut(link.start) {
                        numbers.push((link.end, number.clone()));
                    }
                }
                Target::Date(_) | Target::Cue(_) => {}
            }
        }
        // *Oak Desk* is one thing where a cell says just that, and no desk beside.
        let whole: Vec<(usize, usize)> = spans
            .iter()
            .filter(|((start, end), span)| end - start > 1 && span.values.iter().any(is_whole))
            .map(|(words, _)| *words)
            .collect();
        for ((start, end), mut span) in spans {
            let inside =
                |(from, to): &(usize, usize)| *from <= start && end <= *to && end - start < to - from;
            if whole.iter().any(inside) {
                span.values.clear();
            }
            lattice.add(Words::new(start, end), span);
        }
        for (start, end, timed) in time::windows(question, today) {
            if let Some(times) = lattice.times.get_mut(start) {
                times.push((end, timed));
            }
        }
        for nouns in &mut lattice.nouns {
            nouns.sort_by(|one, other| worth(other).total_cmp(&worth(one)));
            nouns.truncate(SPANS);
        }
        for values in &mut lattice.values {
            values.sort_by(|one, other| value_worth(other).total_cmp(&value_worth(one)));
            values.truncate(SPANS);
        }
        lattice
    }

    /// The same with what people have defined, which nothing else may read.
    #[must_use]
    pub fn defining(mut self, definitions: &[Defined], knowledge: &Knowledge) -> Self {
        self.terms = terms(self.question, definitions, knowledge);
        self.tells_years_only = tells_years_only(knowledge);
        self.ends = knowledge.two_ended().to_vec();
        let columns = |(_, ends): &(TableId, Ends)| match ends.to {
            Some((table, _)) => knowledge.table(table).columns.clone(),
            None => vec![ends.start, ends.end],
        };
        self.at_ends = self.ends.iter().flat_map(columns).collect();
        if !self.ends.is_empty() {
            // A route is both ends of a flight, and no other word for a flight, unless something is called so.
            let (question, lists) = (self.question, WordLists::embedded());
            let is_way = |noun: &Noun| {
                noun.words.end == noun.words.start + 1
                    && lists.has("route", question.word(noun.words.start))
                    && noun.score() < WAY
            };
            self.nouns.iter_mut().for_each(|nouns| nouns.retain(|noun| !is_way(noun)));
        }
        let terms = &self.terms;
        let touches = |words: Words| {
            terms.iter().any(|term| words.start < term.words.end && term.words.start < words.end)
        };
        self.nouns.iter_mut().for_each(|nouns| nouns.retain(|noun| !touches(noun.words)));
        self.values.iter_mut().for_each(|values| values.retain(|named| !touches(named.words)));
        for (start, times) in self.times.iter_mut().enumerate() {
            times.retain(|(end, _)| !touches(Words::new(start, *end)));
        }
        self
    }

    /// What is defined of the words that start at a token.
    pub fn terms_at(&self, at: usize) -> impl Iterator<Item = &Rc<Term>> {
        self.terms.iter().filter(move |term| term.words.start == at)
    }

    /// True where some of these tokens are a defined word.
    pub fn is_defined(&self, start: usize, end: usize) -> bool {
        self.terms.iter().any(|term| start < term.words.end && term.words.start < end)
    }

    /// The way from one end of a row to the other, of rows whose ends are what a noun names; of any where none is given.
    pub fn way(&self, words: Words, noun: Option<&Noun>) -> Option<Noun> {
        self.way_where(words, |_, ends| {
            noun.is_none_or(|noun| {
                let leads = ends.to.is_some_and(|(to, _)| noun.tables.iter().any(|(table, _)| *table == to));
                leads || noun.columns.iter().any(|(id, _)| *id == ends.start || *id == ends.end)
            })
        })
    }

    /// The same of the rows that a noun names: *flight routes*.
    pub fn way_of_rows(&self, words: Words, rows: &Noun) -> Option<Noun> {
        self.way_where(words, |own, _| rows.tables.iter().any(|(table, _)| *table == own))
    }

    fn way_where(&self, words: Words, is_meant: impl Fn(TableId, &Ends) -> bool) -> Option<Noun> {
        let meant = self.ends.iter().filter(|(table, ends)| is_meant(*table, ends));
        let columns: Vec<(ColumnId, f32)> = meant.map(|(_, ends)| (ends.start, WAY)).collect();
        let unsaid = Some(Unsaid::Way);
        (!columns.is_empty()).then(|| Noun {
            words,
            tables: Rc::from([]),
            columns: columns.into(),
            says_when: false,
            unsaid,
        })
    }

    /// True for a value of what may be at an end of a row.
    pub fn is_at_end(&self, value: &Named) -> bool {
        value.links.iter().any(|link| link.column.is_some_and(|column| self.at_ends.contains(&column)))
    }

    /// The rows that have two ends; none where there are none.
    pub fn two_ended(&self, words: Words) -> Option<Noun> {
        let tables: Vec<(TableId, f32)> = self.ends.iter().map(|(table, _)| (*table, WAY)).collect();
        (!tables.is_empty()).then(|| Noun {
            words,
            tables: tables.into(),
            columns: Rc::from([]),
            says_when: false,
            unsaid: None,
        })
    }

    /// The rows with two sides that each have a score; none where there are none.
    pub fn contests(&self, words: Words) -> Option<Noun> {
        let scored = |(_, ends): &&(TableId, Ends)| ends.score.is_some();
        let tables: Vec<(TableId, f32)> =
            self.ends.iter().filter(scored).map(|(table, _)| (*table, WAY)).collect();
        let rows = self.two_ended(words)?;
        (!tables.is_empty()).then(|| Noun { tables: tables.into(), ..rows })
    }

    /// True where anything is defined of the question's words.
    pub fn has_terms(&self) -> bool {
        !self.terms.is_empty()
    }

    fn add(&mut self, words: Words, mut span: Span) {
        let best = |scores: &mut dyn Iterator<Item = f32>| scores.fold(0.0_f32, f32::max);
        span.tables.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        span.columns.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        span.values
            .sort_by(|one, other| other.score.total_cmp(&one.score).then(one.column.cmp(&other.column)));
        span.tables.truncate(KEPT);
        span.columns.truncate(KEPT);
        span.values.truncate(KEPT);
        let crosses = (words.start + 1..words.end.saturating_sub(1))
            .any(|at| matches!(self.question.word(at), "and" | "for" | "or" | "by" | "per"));
        let noun = best(&mut span.tables.iter().map(|(_, score)| *score))
            .max(best(&mut span.columns.iter().map(|(_, score)| *score)));
        // *price per kg* is the name of a column where one is called just so.
        if noun > 0.0
            && (!crosses || noun >= 0.9)
            && let Some(nouns) = self.nouns.get_mut(words.start)
        {
            let says_when = (words.start..words.end).any(|at| {
                matches!(
                    self.question.word(at),
                    "date"
                        | "dates"
                        | "day"
                        | "days"
                        | "time"
                        | "times"
                        | "month"
                        | "year"
                        | "when"
                        | "since"
                )
            });
            let (tables, columns) = (span.tables.into(), span.columns.into());
            nouns.push(Noun { words, tables, columns, says_when, unsaid: None });
        }
        let common = words.end == words.start + 1
            && self.question.tokens.get(words.start).is_some_and(|token| {
                token.kind == TokenKind::Word
                    && !token.is_capitalised()
                    && WordLists::embedded().has("courtesy", &token.lower)
                    && !WordLists::embedded().has("state_of_rows", &token.lower)
            });
        if !span.values.is_empty()
            && !common
            && let Some(values) = self.values.get_mut(words.start)
        {
            values.push(Named { words, links: Rc::from(span.values) });
        }
    }

    /// The nouns that start at a token, the most telling first.
    pub fn nouns(&self, at: usize) -> &[Noun] {
        self.nouns.get(at).map_or(&[], Vec::as_slice)
    }

    /// The values that start at a token, the most telling first.
    pub fn values(&self, at: usize) -> &[Named] {
        self.values.get(at).map_or(&[], Vec::as_slice)
    }

    /// The numbers that start at a token, with the token after each.
    pub fn numbers(&self, at: usize) -> &[(usize, Number)] {
        self.numbers.get(at).map_or(&[], Vec::as_slice)
    }

    /// What is said about time from a token on, with the token after it.
    pub fn times(&self, at: usize) -> &[(usize, Timed)] {
        self.times.get(at).map_or(&[], Vec::as_slice)
    }

    /// True for *number of* behind the name of a column: *phone number of*, *account number of*.
    pub fn ends_name_in_number(&self, at: usize) -> bool {
        const NAMED: f32 = 0.8;
        if self.question.word(at) != "number" || self.question.word(at + 1) != "of" {
            return false;
        }
        let names = |noun: &Noun| {
            (noun.words.end == at || noun.words.end == at + 1 && noun.words.start < at)
                && noun.column_score() >= NAMED
                && noun.column_score() > noun.table_score()
        };
        let is_trigger = at
            .checked_sub(1)
            .is_none_or(|before| WordLists::embedded().has("trigger", self.question.word(before)));
        !is_trigger && (at.saturating_sub(3)..at).any(|start| self.nouns(start).iter().any(names))
    }

    /// True for a word that only says that something was done, where it names nothing here: *invoices **issued** in May*.
    pub fn only_says_done(&self, at: usize) -> bool {
        let word = self.question.word(at);
        let participle = word.len() > 4 && ["ed", "wn", "ght"].iter().any(|ending| word.ends_with(ending));
        let describes = self.question.opens_with_participle(at) && !self.nouns(at + 1).is_empty();
        participle
            && !describes
            && self.nouns(at).is_empty()
            && self.values(at).is_empty()
            && !WordLists::embedded().has("trigger", word)
    }

    /// True behind the name of a table.
    fn follows_rows(&self, at: usize) -> bool {
        const NAMED: f32 = 0.8;
        let ends_here = |noun: &Noun| noun.words.end == at && noun.table_score() >= NAMED;
        at.checked_sub(1).is_some_and(|before| self.nouns(before).iter().any(ends_here))
    }

    /// What it costs to leave a token unread. The prices are those at which leaving out a word of the kind says that a
    /// reading is wrong, as far as could be measured.
    pub fn skip(&self, at: usize) -> f32 {
        let Some(token) = self.question.tokens.get(at) else { return 0.0 };
        // Nothing answers a question that leaves out what people have defined.
        if self.is_defined(at, at + 1) {
            return 6.0;
        }
        let linked = self.nouns(at).first().map_or(0.0, Noun::score);
        let valued =
            self.values(at).first().and_then(|named| named.links.first()).map_or(0.0, |link| link.score);
        match token.kind {
            TokenKind::Mark if token.lower == "%" => 1.6,
            TokenKind::Mark => 0.02,
            TokenKind::Possessive => 0.05,
            TokenKind::Number | TokenKind::Quoted => 2.4,
            // *show*, *name*, *list*, *count* at the beginning ask; they name nothing.
            TokenKind::Word if at == 0 && WordLists::embedded().has("asking", &token.lower) => 0.05,
            TokenKind::Word
                if WordLists::embedded().has("trigger", &token.lower)
                    || WordLists::embedded().says_takings(&token.lower) =>
            {
                1.6
            }
            // *over their limit* compares with it.
            TokenKind::Word
                if matches!(
                    token.lower.as_str(),
                    "over" | "above" | "below" | "under" | "beyond" | "exceeding"
                ) && matches!(self.question.word(at + 1), "their" | "its" | "his" | "her") =>
            {
                1.4
            }
            TokenKind::Word if self.question.says_out(at) => 1.4,
            // *bought together* speaks of pairs.
            TokenKind::Word
                if token.lower == "together"
                    && at.checked_sub(1).is_some_and(|before| {
                        WordLists::embedded().has("trading", self.question.word(before))
                    }) =>
            {
                1.2
            }
            // *report to* asks to show nothing.
            TokenKind::Word if at > 0 && token.lower == "report" && self.question.word(at + 1) == "to" => 1.2,
            // *per kind of room* asks for more than the rooms.
            TokenKind::Word
                if matches!(token.stem.as_str(), "kind" | "type" | "sort" | "category")
                    && self.question.word(at + 1) == "of"
                    && at.checked_sub(1).is_some_and(|before| {
                        WordLists::embedded().has("per", self.question.word(before))
                    }) =>
            {
                let of = self.nouns(at + 2).first();
                if of.is_some_and(|of| of.table_score() > of.column_score()) { 1.4 } else { 0.1 }
            }
            // *by order value* asks for more than the orders.
            TokenKind::Word if token.lower == "value" && self.follows_rows(at) => 0.9,
            // *done jobs*, where that is how jobs stand.
            TokenKind::Word if WordLists::embedded().has("courtesy", &token.lower) => {
                if valued >= 0.8 {
                    1.2
                } else if linked >= 0.8 {
                    0.3
                } else {
                    0.08
                }
            }
            TokenKind::Word if linked.max(valued) == 0.0 && is_neutral(self.question, at) => 0.09,
            TokenKind::Word if valued >= 0.9 && token.is_capitalised() && at > 0 => 1.8,
            TokenKind::Word if linked >= 0.8 || valued >= 0.8 => 1.2,
            TokenKind::Word if token.is_capitalised() && at > 0 => 1.2,
            TokenKind::Word if linked > 0.0 => 0.9,
            TokenKind::Word => 0.6,
        }
    }
}

/// True for a cell that holds just the words.
fn is_whole(value: &ValueLink) -> bool {
    matches!(value.kind, MatchKind::Exact | MatchKind::Folded)
}

/// How much a noun explains.
fn worth(noun: &Noun) -> f32 {
    let length = (noun.words.end - noun.words.start) as f32;
    noun.score() * (1.0 + 0.6 * (length - 1.0).min(2.0))
}

/// How much a value explains.
fn value_worth(named: &Named) -> f32 {
    let length = (named.words.end - named.words.start) as f32;
    named.links.first().map_or(0.0, |link| link.score) * (1.0 + 0.6 * (length - 1.0))
}

/// True where nothing is dated, but some years are told.
fn tells_years_only(knowledge: &Knowledge) -> bool {
    let columns = || knowledge.tables().flat_map(|(_, table)| &table.columns).map(|id| knowledge.column(*id));
    columns().any(|column| column.kind == ColumnKind::Year) && !columns().any(holds_days)
}
