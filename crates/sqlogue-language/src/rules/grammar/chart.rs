//! The chart: which phrases the rules find from every token on.
//!
//! Rules are rows of a table ([`Rule`]). Positions are worked through from the last to the first, so everything that
//! starts later is known when a rule looks for it; at one position the rules run in the order of the table, so a rule may
//! begin with what an earlier one has made.

use super::recurring::Recurring;
use std::rc::Rc;
use std::sync::OnceLock;

use super::atoms::atoms;
use super::form::{Attr, Bands, Group, Measure, Named, Noun, Words};
use super::lattice::Lattice;
use super::matched::{Matched, taken};
pub use super::part::Part;
use super::said::{Said, Spelling, Spellings};
use super::time::Window;
use super::units::Unit;
use super::words::WordLists;
use crate::rules::text::TokenKind;
use sqlogue_sql::plan::{Comparison, Direction, TimeUnit};
use sqlogue_sql::schema::Value;

/// What a span of tokens is.
#[derive(Debug, Clone, PartialEq)]
pub enum Phrase {
    /// A table or a column.
    Noun(Noun),
    /// A cell's value.
    Named(Named),
    /// A number.
    Number(Value),
    /// An amount of money.
    Money(Value),
    /// So many of a hundred.
    Percent(Value),
    /// A place in an order, from the second on: *third*.
    Ordinal(u64),
    /// A span of time.
    Window(Window),
    /// Days of the week, or hours of the day.
    Recurring(Recurring),
    /// A unit of time with the word before it: *per month*.
    Unit(Unit),
    /// A unit of time by itself: *month*.
    Period(Unit),
    /// How two values compare.
    Operator(Comparison),
    /// The end of an order that an adjective puts first, with the adjective and where it stands.
    Adjective(Direction, usize, Words),
    /// A summary.
    Measure(Measure),
    /// What two columns of a row make.
    Math(Attr),
    /// Rows of a table with conditions of their own.
    Group(Group),
    /// When something happened.
    Event(Attr),
    /// Bands of numbers.
    Bands(Rc<Bands>),
    /// A unit in which a time is measured.
    Measured(TimeUnit),
    /// Columns that are asked for, one after the other.
    Columns(Vec<Part>),
    /// Part of a query.
    Part(Part),
}

/// A phrase that was found, from a token that is known to before another.
#[derive(Debug, Clone)]
pub struct Item {
    /// The token after the last.
    pub end: usize,
    /// What it is.
    pub phrase: Phrase,
    /// How much of the question it explains.
    pub worth: f32,
    /// The rules it was made by, the last first.
    pub rules: Vec<&'static str>,
}

/// One row of the grammar.
pub struct Rule {
    /// Its name, which is also the name of its feature in the ranking.
    pub name: &'static str,
    /// What it looks for: words, `$lists` of `data/grammar.tsv`, and categories in capitals; `?` where it may be missing.
    pub pattern: &'static str,
    /// What it means.
    pub make: fn(&Matched<'_>) -> Option<Phrase>,
}

/// One thing a pattern looks for.
#[derive(Debug)]
struct Element {
    looks_for: LooksFor,
    optional: bool,
}

#[derive(Debug)]
enum LooksFor {
    /// Any of these phrases.
    Words(Spelling),
    Category(Category),
    /// Any one word, for what it is spelt like.
    Word,
}

/// The kinds of phrases that patterns name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Category {
    Noun,
    Value,
    Number,
    Window,
    Days,
    Unit,
    Operator,
    Measure,
    Group,
    Event,
    Where,
    Key,
    Adjective,
    Bands,
    Measured,
    Money,
    Percent,
    Ordinal,
    Period,
    Math,
    Take,
    Columns,
}

/// What a position keeps at most of items that end at one token.
const KEPT: usize = 8;
/// A rule with its pattern taken apart.
struct Compiled {
    rule: &'static Rule,
    elements: Vec<Element>,
}

/// All patterns taken apart.
struct Table {
    /// The rows for questions.
    questions: Vec<Compiled>,
    /// Those for follow-ups only.
    follow_ups: Vec<Compiled>,
    spellings: Spellings,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut spellings = Spellings::default();
        let mut compiled =
            |rule: &'static Rule| Compiled { rule, elements: elements(rule.pattern, &mut spellings) };
        let questions = super::rules::all().map(&mut compiled).collect();
        let follow_ups = super::rules::for_follow_ups().map(compiled).collect();
        Table { questions, follow_ups, spellings }
    })
}

fn elements(pattern: &'static str, spellings: &mut Spellings) -> Vec<Element> {
    let element = |text: &'static str| {
        let (text, optional) = match text.strip_suffix('?') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let looks_for = match text {
            "NOUN" => LooksFor::Category(Category::Noun),
            "VALUE" => LooksFor::Category(Category::Value),
            "NUM" => LooksFor::Category(Category::Number),
            "WINDOW" => LooksFor::Category(Category::Window),
            "DAYS" => LooksFor::Category(Category::Days),
            "UNIT" => LooksFor::Category(Category::Unit),
            "OP" => LooksFor::Category(Category::Operator),
            "MEASURE" => LooksFor::Category(Category::Measure),
            "EVENT" => LooksFor::Category(Category::Event),
            "GROUP" => LooksFor::Category(Category::Group),
            "WHERE" => LooksFor::Category(Category::Where),
            "KEY" => LooksFor::Category(Category::Key),
            "ADJ" => LooksFor::Category(Category::Adjective),
            "MATH" => LooksFor::Category(Category::Math),
            "TAKE" => LooksFor::Category(Category::Take),
            "COLUMNS" => LooksFor::Category(Category::Columns),
            "PERIOD" => LooksFor::Category(Category::Period),
            "MONEY" => LooksFor::Category(Category::Money),
            "PERCENT" => LooksFor::Category(Category::Percent),
            "ORDINAL" => LooksFor::Category(Category::Ordinal),
            "BANDS" => LooksFor::Category(Category::Bands),
            "MEASURED" => LooksFor::Category(Category::Measured),
            "WORD" => LooksFor::Word,
            _ => LooksFor::Words(spellings.add(text)),
        };
        Element { looks_for, optional }
    };
    pattern.split_whitespace().map(element).collect()
}

/// The phrases that start at each token; from the token `follow_ups` on also those that only follow-ups have.
pub fn chart(lattice: &Lattice<'_>, follow_ups: usize) -> Vec<Vec<Item>> {
    let table = table();
    let said = Said::of(lattice, &table.spellings);
    let length = lattice.question.tokens.len();
    let mut chart: Vec<Vec<Item>> = vec![Vec::new(); length + 1];
    for start in (0..length).rev() {
        let atoms = atoms(lattice, start);
        if let Some(items) = chart.get_mut(start) {
            items.extend(atoms);
        }
        let follows = if start >= follow_ups { table.follow_ups.as_slice() } else { &[] };
        for compiled in table.questions.iter().chain(follows) {
            let mut found = Vec::new();
            let mut search =
                Search { lattice, said: &said, chart: &chart, compiled, start, found: &mut found };
            search.run(0, start, 0.0, &mut Vec::new(), &mut Vec::new());
            if let Some(items) = chart.get_mut(start) {
                for item in found {
                    keep(items, item);
                }
            }
        }
    }
    chart
}

/// Adds an item unless the same is there, or enough that explain more.
fn keep(items: &mut Vec<Item>, item: Item) {
    let alike = |other: &&mut Item| other.end == item.end && other.phrase == item.phrase;
    if let Some(known) = items.iter_mut().find(alike) {
        if item.worth > known.worth {
            *known = item;
        }
        return;
    }
    let kind = std::mem::discriminant(&item.phrase);
    let alternatives = items
        .iter()
        .filter(|other| other.end == item.end && std::mem::discriminant(&other.phrase) == kind)
        .count();
    if alternatives < KEPT {
        items.push(item);
    }
}

struct Search<'s, 'l> {
    lattice: &'s Lattice<'l>,
    said: &'s Said,
    chart: &'s [Vec<Item>],
    compiled: &'s Compiled,
    start: usize,
    found: &'s mut Vec<Item>,
}

impl Search<'_, '_> {
    fn run(
        &mut self,
        element: usize,
        at: usize,
        worth: f32,
        parts: &mut Vec<Option<Phrase>>,
        rules: &mut Vec<&'static str>,
    ) {
        let Some(wanted) = self.compiled.elements.get(element) else {
            if at > self.start {
                let matched = Matched { words: Words::new(self.start, at), lattice: self.lattice, parts };
                if let Some(phrase) = (self.compiled.rule.make)(&matched) {
                    let mut made = vec![self.compiled.rule.name];
                    made.extend(rules.iter().copied());
                    self.found.push(Item { end: at, phrase, worth, rules: made });
                }
            }
            return;
        };
        if wanted.optional {
            parts.push(None);
            self.run(element + 1, at, worth, parts, rules);
            parts.pop();
        }
        // An article may stand before anything but the first part.
        let mut skipped = 0;
        loop {
            self.take(element, at + skipped, worth - 0.02 * skipped as f32, parts, rules);
            if element == 0 || skipped == 2 || !self.said.goes_between(at + skipped) {
                break;
            }
            skipped += 1;
        }
    }

    fn take(
        &mut self,
        element: usize,
        at: usize,
        worth: f32,
        parts: &mut Vec<Option<Phrase>>,
        rules: &mut Vec<&'static str>,
    ) {
        let Some(wanted) = self.compiled.elements.get(element) else { return };
        match &wanted.looks_for {
            LooksFor::Words(spelling) => {
                let said = self.said;
                for end in said.ends(*spelling, at).iter().rev() {
                    self.go_on(element, *end, worth + 0.8 * (end - at) as f32, None, parts, rules);
                }
            }
            LooksFor::Word => {
                let is_word = self.lattice.question.tokens.get(at).is_some_and(|token| {
                    matches!(token.kind, TokenKind::Word | TokenKind::Number)
                        && (token.lower.len() == 1 || !WordLists::embedded().has("courtesy", &token.lower))
                });
                if is_word && !self.lattice.is_defined(at, at + 1) {
                    let spelt = Named { words: Words::new(at, at + 1), links: Rc::from([]) };
                    self.go_on(element, at + 1, worth + 0.5, Some(Phrase::Named(spelt)), parts, rules);
                }
            }
            LooksFor::Category(category) => {
                let chart = self.chart;
                for item in chart.get(at).into_iter().flatten() {
                    if category.holds(&item.phrase) {
                        let made = rules.len();
                        rules.extend(item.rules.iter().copied());
                        let phrase = Some(item.phrase.clone());
                        self.go_on(element, item.end, worth + item.worth, phrase, parts, rules);
                        rules.truncate(made);
                    }
                }
            }
        }
    }

    fn go_on(
        &mut self,
        element: usize,
        end: usize,
        worth: f32,
        phrase: Option<Phrase>,
        parts: &mut Vec<Option<Phrase>>,
        rules: &mut Vec<&'static str>,
    ) {
        parts.push(phrase);
        self.run(element + 1, end, worth, parts, rules);
        parts.pop();
    }
}

impl Category {
    fn holds(self, phrase: &Phrase) -> bool {
        matches!(
            (self, phrase),
            (Self::Noun, Phrase::Noun(_))
                | (Self::Value, Phrase::Named(_))
                | (Self::Number, Phrase::Number(_))
                | (Self::Window, Phrase::Window(_))
                | (Self::Days, Phrase::Recurring(_))
                | (Self::Unit, Phrase::Unit(_))
                | (Self::Operator, Phrase::Operator(_))
                | (Self::Measure, Phrase::Measure(_))
                | (Self::Group, Phrase::Group(_))
                | (Self::Event, Phrase::Event(_))
                | (Self::Where, Phrase::Part(Part::Where(_)))
                | (Self::Key, Phrase::Part(Part::Key(_)))
                | (Self::Adjective, Phrase::Adjective(..))
                | (Self::Math, Phrase::Math(_))
                | (Self::Period, Phrase::Period(_))
                | (Self::Money, Phrase::Money(_))
                | (Self::Percent, Phrase::Percent(_))
                | (Self::Ordinal, Phrase::Ordinal(_))
                | (Self::Bands, Phrase::Bands(_))
                | (Self::Measured, Phrase::Measured(_))
                | (Self::Columns, Phrase::Columns(_))
        ) || matches!((self, phrase), (Self::Take, Phrase::Part(Part::All(parts))) if taken(parts).is_some())
    }
}
