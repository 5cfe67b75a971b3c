//! Linking: from the words of a question to tables, columns, cell values, numbers, dates and cues.
//!
//! [`link`] proposes everything that a span of words may stand for, each proposal with a score, and then cuts the
//! question into *chunks* so that the proposals explain as much of it as they can. A chunk keeps all readings of
//! its words; which of them holds is for the composer to say. Two or three ways to cut are kept.

mod background;
mod cells;
mod contacts;
mod deeds;
pub(in crate::rules) mod families;
pub(in crate::rules) mod heads;
mod hinted;
mod initials;
mod lone;
mod names;
pub(in crate::rules) mod numbers;
mod numbers_of_rows;
mod prices;
mod segment;
mod superiors;
mod synonyms;
mod told;
mod weights;

pub(super) use initials::initials_of;
pub use numbers::number_word;
pub(super) use told::words_told;

use super::compose::Meaning;
use super::cue::Cue;
use super::dates::DateRange;
use super::grammar::columns::end_date;
use super::knowledge::{ColumnId, Knowledge, TableId};
use super::text::Question;
use super::values::MatchKind;
use sqlogue_sql::schema::Value;

/// One thing that a span of tokens may stand for.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The first token.
    pub start: usize,
    /// The token after the last.
    pub end: usize,
    /// What the span may stand for.
    pub target: Target,
    /// How well it fits, 0 to 1.
    pub score: f32,
}

/// What a span may stand for.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A table.
    Table(TableId),
    /// A column.
    Column(ColumnId),
    /// A cell's value, or a literal whose column is not known yet.
    Value(ValueLink),
    /// A number.
    Number(Number),
    /// A span of time.
    Date(DateRange),
    /// A cue.
    Cue(Cue),
}

/// A value that a span may stand for.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueLink {
    /// The column whose cells hold it; none for a literal found nowhere.
    pub column: Option<ColumnId>,
    /// The value.
    pub value: Value,
    /// How the words and the cell agree.
    pub kind: MatchKind,
    /// How well it fits, 0 to 1.
    pub score: f32,
    /// True where the words stood in quotes.
    pub quoted: bool,
}

/// A number in a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// The number.
    pub value: Value,
    /// True for *first*, *2nd* and the like.
    pub ordinal: bool,
    /// True where it may be a year.
    pub year: bool,
    /// True for *10 %*, whose value is 10: what it means is for the column to say.
    pub percent: bool,
    /// True for an amount of money: *$20*, *20 euros*.
    pub money: bool,
}

/// A span of tokens with all that it may stand for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chunk {
    /// The first token.
    pub start: usize,
    /// The token after the last.
    pub end: usize,
    /// The words in lower case, with single spaces.
    pub text: String,
    /// Tables, best first.
    pub tables: Vec<(TableId, f32)>,
    /// Columns, best first.
    pub columns: Vec<(ColumnId, f32)>,
    /// Values, best first.
    pub values: Vec<ValueLink>,
    /// A number.
    pub number: Option<Number>,
    /// A span of time.
    pub date: Option<DateRange>,
    /// A cue.
    pub cue: Option<Cue>,
    /// Other cues that the same words may be.
    pub other_cues: Vec<Cue>,
}

/// The result of linking: the question, and the ways to cut it into chunks, best first.
#[derive(Debug, Clone, Default)]
pub struct Linked {
    /// The question's tokens.
    pub question: Question,
    /// Everything that spans of tokens may stand for.
    pub links: Vec<Link>,
    /// Those of the links that rest on a synonym of the language.
    pub synonyms: Vec<Link>,
    /// The cuts, each with its score, best first; at least one for a question that has tokens.
    pub cuts: Vec<(Vec<Chunk>, f32)>,
}

/// What fits as well as this is meant.
const CLEAR: f32 = 0.8;

/// The score of a meaning that a correction or a lesson gives.
pub(super) const GIVEN: f32 = 1.3;

/// Links a question, or a fragment of one, to a database.
pub fn link(text: &str, knowledge: &Knowledge, today: jiff::civil::Date) -> Linked {
    link_with(text, knowledge, today, &[])
}

/// As [`link`], with words whose meaning somebody has told: they weigh more than what names alone suggest.
pub fn link_with(
    text: &str,
    knowledge: &Knowledge,
    today: jiff::civil::Date,
    told: &[(String, Target)],
) -> Linked {
    let mut question = Question::new(text);
    cells::divide_names(&mut question, knowledge);
    contacts::shorten(&mut question, knowledge);
    background::leave_out(&mut question, knowledge, today);
    let linked = link_question(question, knowledge, today, told);
    match heads::with_their_rows(&linked, knowledge) {
        Some(question) => link_question(question, knowledge, today, told),
        None => linked,
    }
}

fn link_question(
    mut question: Question,
    knowledge: &Knowledge,
    today: jiff::civil::Date,
    told: &[(String, Target)],
) -> Linked {
    let named = names::Named::new(&question, knowledge);
    let mut links = named.links();
    prices::sold_for_first(&mut links, &question, knowledge);
    links.extend(initials::links(&question, knowledge, &links));
    links.extend(cells::links(&question, knowledge));
    links.extend(families::links(&question, knowledge));
    links.extend(lone::links(&question, knowledge, &links));
    links.extend(numbers::links(&question));
    links.extend(numbers_of_rows::links(&question, knowledge, &links));
    links.extend(super::dates::links(&question, today));
    let since: Vec<usize> =
        links.iter().filter(|link| bounds_date(link, &question)).map(|link| link.start).collect();
    links.retain(|link| !matches!(link.target, Target::Column(_)) || !since.contains(&link.end));
    links.retain(|link| !says_state(link, &question, knowledge));
    links.extend(cues(&question));
    links.extend(superiors::links(&question, knowledge, &links));
    for (words, target) in told {
        let words: Vec<String> = words.split_whitespace().map(super::stem::stem).collect();
        for start in 0..question.tokens.len() {
            let same = |(ahead, word): (usize, &String)| {
                question.tokens.get(start + ahead).is_some_and(|token| token.stem == *word)
            };
            if !words.is_empty() && words.iter().enumerate().all(same) {
                links.push(Link { start, end: start + words.len(), target: target.clone(), score: GIVEN });
            }
        }
    }
    links.extend(heads::links(&question, knowledge, &links));
    let (synonyms, stretched) = synonyms::links(&question, knowledge, named, &links);
    for at in stretched {
        if let Some(token) = question.tokens.get_mut(at) {
            token.is_stretched = true;
        }
    }
    links.retain(|link| !synonyms.iter().any(|synonym| synonym.replaces(link)));
    links.extend(synonyms.iter().cloned());
    // *cancelled orders left out*: nobody left.
    let goes_out = |link: &Link| {
        matches!(question.word(link.start), "left" | "leaving" | "leave")
            && question.word(link.start + 1) == "out"
    };
    links.retain(|link| !goes_out(link));
    let others: Vec<Link> = links
        .iter()
        .filter(|link| is_state_of_other_rows(link, &links, &question, knowledge))
        .cloned()
        .collect();
    links.retain(|link| !others.contains(link));
    let kinds: Vec<Link> =
        links.iter().filter(|link| is_kind_of_rows(link, &links, knowledge)).cloned().collect();
    links.retain(|link| !kinds.contains(link));
    let explained = synonyms::explained(&question, knowledge, &links);
    let left = explained.iter().enumerate().filter(|(_, explained)| !**explained);
    links.extend(left.flat_map(|(at, _)| cells::misspelt(&question, at, knowledge)).collect::<Vec<_>>());
    let cuts = segment::cuts(&question, &links);
    Linked { question, links, cuts, synonyms }
}

/// True for a table that the words name only by what they are near to, where they say of which kind its rows are: *waiters* are
/// the staff whose job that is, and *houses* not all properties.
fn is_kind_of_rows(link: &Link, links: &[Link], knowledge: &Knowledge) -> bool {
    const OWN_NAME: f32 = 0.95;
    let Target::Table(table) = link.target else { return false };
    // Of *business customers*, the customers name the table by themselves.
    let names_rest = |start: usize| {
        let rest = |other: &&Link| (other.start, other.end) == (start, link.end);
        links.iter().filter(rest).any(|other| other.target == link.target && other.score >= link.score)
    };
    let says_kind = |other: &Link| match &other.target {
        Target::Value(ValueLink { column: Some(id), kind, .. }) => {
            let column = knowledge.column(*id);
            other.start == link.start
                && (other.end == link.end || other.end < link.end && names_rest(other.end))
                && column.table == table
                && !column.few_values.is_empty()
                && matches!(kind, MatchKind::Exact | MatchKind::Folded | MatchKind::Stemmed)
        }
        _ => false,
    };
    link.score < OWN_NAME && links.iter().any(says_kind)
}

/// True for a cell of another table than that of the rows behind the word, which have such a cell too: *open invoices* are no
/// invoices of open jobs. So it is where they have a date of their end: *open damages* are not repaired.
fn is_state_of_other_rows(link: &Link, links: &[Link], question: &Question, knowledge: &Knowledge) -> bool {
    let Target::Value(ValueLink { column: Some(id), .. }) = link.target else { return false };
    let of = knowledge.column(id).table;
    // What the rows are called, as the *History department* is, may stand in any row that belongs to them.
    let is_own = |table: TableId| {
        links.iter().any(|other| match other.target {
            Target::Value(ValueLink { column: Some(id), .. }) => {
                (other.start, other.end) == (link.start, link.end)
                    && other.score >= link.score
                    && knowledge.column(id).table == table
                    && !knowledge.table(table).label.contains(&id)
            }
            _ => false,
        })
    };
    let mut rows = links.iter().filter_map(|next| match next.target {
        Target::Table(table) if next.start == link.end && next.score >= CLEAR => Some(table),
        _ => None,
    });
    let is_open = link.end == link.start + 1 && question.word(link.start) == "open";
    let ends = |table: TableId| is_open && end_date(knowledge, table, None).is_some();
    rows.any(|table| table != of && (is_own(table) || ends(table)))
}

/// True for a date behind *since* or *until*, which say from or up to when, whatever columns are called so.
fn bounds_date(link: &Link, question: &Question) -> bool {
    let before = link.start.checked_sub(1).map_or("", |before| question.word(before));
    matches!(link.target, Target::Date(_)) && matches!(before, "since" | "until" | "till")
}

/// True for a date that *open* is taken for: *open requests* are those that are not closed, and not all that were opened.
fn says_state(link: &Link, question: &Question, knowledge: &Knowledge) -> bool {
    let Target::Column(id) = link.target else { return false };
    let is_date = knowledge.column(id).kind.is_temporal();
    let asks_when =
        matches!(question.word(link.end), "date" | "dates" | "time" | "day" | "on" | "at" | "since" | "for");
    is_date && !asks_when && link.end == link.start + 1 && question.word(link.start) == "open"
}

fn cues(question: &Question) -> Vec<Link> {
    let lexicon = super::lexicon::Lexicon::embedded();
    let mut links = Vec::new();
    for start in 0..question.tokens.len() {
        if question.tokens.get(start).is_some_and(|token| token.kind == super::text::TokenKind::Quoted) {
            continue;
        }
        let trades = says_trade(question, start);
        for (length, cue) in lexicon.cues_at(|ahead| question.word(start + ahead)) {
            if trades && length == 1 && cue == Cue::OrderBy {
                continue;
            }
            links.push(Link { start, end: start + length, target: Target::Cue(cue), score: 1.0 });
        }
    }
    links
}

/// True where *order* is a thing and *ordered* a deed, and nothing is to be sorted: *with more than one order*, *who never ordered*.
fn says_trade(question: &Question, at: usize) -> bool {
    const ARTICLES: [&str; 14] = [
        "a", "an", "one", "each", "every", "per", "this", "last", "first", "latest", "biggest", "largest",
        "smallest", "average",
    ];
    const DOERS: [&str; 12] =
        ["who", "that", "which", "have", "has", "had", "never", "not", "ever", "also", "we", "they"];
    let before = at.checked_sub(1).map_or("", |before| question.word(before));
    let is_number = !before.is_empty() && before.chars().all(|sign| sign.is_ascii_digit());
    match question.word(at) {
        "order" => is_number || ARTICLES.contains(&before),
        "ordered" => DOERS.contains(&before) || before.ends_with("n't"),
        _ => false,
    }
}

impl Link {
    /// True where both take the same words for the same thing.
    fn replaces(&self, other: &Self) -> bool {
        (self.start, self.end) == (other.start, other.end) && self.target == other.target
    }
}

impl Linked {
    /// True where a chunk stands for a table, a column or a value by a synonym of the language only.
    pub(super) fn is_synonym(&self, chunk: &Chunk, meaning: &Meaning, knowledge: &Knowledge) -> bool {
        self.synonyms.iter().filter(|link| (link.start, link.end) == (chunk.start, chunk.end)).any(|link| {
            match &link.target {
                Target::Table(table) => {
                    meaning.value.is_none()
                        && meaning.column_id.is_none()
                        && knowledge.table(*table).name == meaning.table
                }
                Target::Column(column) => meaning.value.is_none() && meaning.column_id == Some(*column),
                Target::Value(value) => {
                    meaning.column_id == value.column && meaning.value.as_ref() == Some(&value.value)
                }
                Target::Number(_) | Target::Date(_) | Target::Cue(_) => false,
            }
        })
    }
}

impl Chunk {
    /// A span of a question with what it may stand for.
    pub(super) fn of(question: &Question, start: usize, end: usize, readings: &[&Link]) -> Self {
        segment::chunk(question, start, end, readings)
    }

    /// The best table with its score.
    pub fn table(&self) -> Option<(TableId, f32)> {
        self.tables.first().copied()
    }

    /// The best column with its score.
    pub fn column(&self) -> Option<(ColumnId, f32)> {
        self.columns.first().copied()
    }

    /// True where the chunk may be this cue.
    pub fn may_be(&self, cue: Cue) -> bool {
        self.cue == Some(cue) || self.other_cues.contains(&cue)
    }

    /// All cues the chunk may be.
    pub fn cues(&self) -> impl Iterator<Item = Cue> {
        self.cue.into_iter().chain(self.other_cues.iter().copied())
    }

    /// True where it names a table or a column.
    pub fn is_schema(&self) -> bool {
        !self.tables.is_empty() || !self.columns.is_empty()
    }

    /// How well it names a table, 0 where it does not.
    pub fn table_score(&self) -> f32 {
        self.table().map_or(0.0, |(_, score)| score)
    }

    /// How well it names a column, 0 where it does not.
    pub fn column_score(&self) -> f32 {
        self.column().map_or(0.0, |(_, score)| score)
    }
}
