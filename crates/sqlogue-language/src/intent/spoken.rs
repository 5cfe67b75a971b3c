//! Commands in plain words: `undo that`, `export this to sales.xlsx`, `what tables are there?`.
//!
//! `data/commands.tsv` holds the patterns; its head says how they are written. A pattern has to cover the whole sentence, so
//! that a question about data that begins alike (`undo the discount`) stays a question.

use std::sync::LazyLock;

use super::lexicon::is_slip_of;
use super::words::stem;
use sqlogue_sql::schema::Schema;

/// What somebody asks of the session, in plain words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spoken {
    /// `undo`, `go back`.
    Undo,
    /// `redo`, `bring it back`.
    Redo,
    /// `start over`.
    StartOver,
    /// `forget everything`.
    Clear,
    /// `export that to sales.xlsx`: the file, where one is named.
    Export(Option<String>),
    /// `plot that`, `as a bar chart`.
    Chart,
    /// `show the SQL`.
    Sql,
    /// `why?`.
    Why,
    /// `what tables are there?`.
    Tables,
    /// `describe customers`: the table, spelt as in the schema where it is there.
    Describe(String),
    /// `what can I ask?`.
    Help,
    /// `that's wrong`: the last answer is not what was meant.
    Wrong,
    /// `bye`.
    Quit,
    /// `what did I ask?`.
    History,
}

/// The command that a sentence is; none for a question.
///
/// A name of the schema wins over the word for a command: where there is a table `tables`, `list the tables` asks about it.
/// Without a schema it is only told whether a sentence may be a command, any word being the name of a table.
///
/// ```
/// use sqlogue_language::intent::{Spoken, spoken};
///
/// assert_eq!(spoken("ok, go back one step", None), Some(Spoken::Undo));
/// assert_eq!(spoken("Save this as Q1.csv, please.", None), Some(Spoken::Export(Some("Q1.csv".to_owned()))));
/// assert_eq!(spoken("undo the discount", None), None);
/// ```
pub fn spoken(input: &str, schema: Option<&Schema>) -> Option<Spoken> {
    let said = cut(input)?;
    let (starts, ends) = (TABLE.starts(&said), TABLE.ends(&said));
    let reader = Reader { schema };
    for line in &TABLE.lines {
        if reader.is_of_schema(&line.names, &said) {
            continue;
        }
        for pattern in &line.patterns {
            for &start in &starts {
                for &end in &ends {
                    let all = start == 0 && end == said.len();
                    let part = said.get(start..end).unwrap_or_default();
                    if part.is_empty() || pattern.alone && !all {
                        continue;
                    }
                    if let Some(found) = reader.read(&pattern.parts, part, None) {
                        return command(&line.kind, found);
                    }
                }
            }
        }
    }
    None
}

/// A command by its name in the table, with what was found for it.
fn command(kind: &str, found: Option<String>) -> Option<Spoken> {
    Some(match kind {
        "undo" => Spoken::Undo,
        "redo" => Spoken::Redo,
        "new" => Spoken::StartOver,
        "clear" => Spoken::Clear,
        "export" => Spoken::Export(found),
        "chart" => Spoken::Chart,
        "sql" => Spoken::Sql,
        "why" => Spoken::Why,
        "tables" => Spoken::Tables,
        "describe" => Spoken::Describe(found?),
        "help" => Spoken::Help,
        "wrong" => Spoken::Wrong,
        "quit" => Spoken::Quit,
        "history" => Spoken::History,
        _ => return None,
    })
}

/// A longer sentence says more than a command.
const MOST_WORDS: usize = 16;

/// The name of a table has at most so many words.
const WORDS_OF_NAME: usize = 4;

/// A word that was said.
struct Word {
    /// As it was written, without the marks around it.
    written: String,
    /// In lower case, without apostrophes, for comparing.
    plain: String,
    quoted: bool,
}

/// The words of a sentence; none where there are more than a command has.
fn cut(input: &str) -> Option<Vec<Word>> {
    let mut said = Vec::new();
    let mut rest = input.trim_start();
    while let Some(first) = rest.chars().next() {
        if said.len() == MOST_WORDS {
            return None;
        }
        let closed = matches!(first, '"' | '`' | '\'').then(|| rest.get(1..)?.split_once(first)).flatten();
        let word = match closed {
            Some((inside, after)) => {
                rest = after;
                Word { written: inside.to_owned(), plain: plain(inside), quoted: true }
            }
            None => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                rest = after;
                let word = word.trim_start_matches(['(', '"', '\'', '¿', '¡']);
                let word = word
                    .trim_end_matches(['?', '!', '.', ',', ';', ':', ')', '"', '\'', '…'])
                    .trim_matches('`');
                Word { written: word.to_owned(), plain: plain(word), quoted: false }
            }
        };
        if !word.plain.is_empty() {
            said.push(word);
        }
        rest = rest.trim_start_matches(|c: char| {
            c.is_whitespace() || matches!(c, ',' | '.' | '?' | '!' | '-' | '–')
        });
    }
    Some(said)
}

fn plain(word: &str) -> String {
    word.chars().filter(|c| !matches!(c, '\'' | '’')).flat_map(char::to_lowercase).collect()
}

/// One part of a pattern.
#[derive(Debug)]
enum Part {
    /// One of these, each a run of words.
    Words {
        any: Vec<Vec<String>>,
        optional: bool,
    },
    File,
    Table,
    Name,
    Word,
}

#[derive(Debug)]
struct Pattern {
    parts: Vec<Part>,
    /// Whether it has to be all that is said, without politeness.
    alone: bool,
}

#[derive(Debug)]
struct Line {
    kind: String,
    names: Vec<String>,
    patterns: Vec<Pattern>,
}

/// The table of phrases.
#[derive(Debug, Default)]
struct Table {
    lines: Vec<Line>,
    leads: Vec<Vec<String>>,
    tails: Vec<Vec<String>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::parse(include_str!("../../../../data/commands.tsv")));

fn phrase(text: &str) -> Vec<String> {
    text.split([' ', '_']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

impl Table {
    fn parse(text: &str) -> Self {
        let mut table = Self::default();
        let mut sets: Vec<(String, Vec<Vec<String>>)> = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut fields = line.split('\t');
            let (Some(kind), Some(names), Some(phrases)) = (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            let phrases = phrases.split('|');
            match kind {
                "set" => sets.push((format!("<{names}>"), phrases.map(phrase).collect())),
                "lead" => table.leads.extend(phrases.map(phrase)),
                "tail" => table.tails.extend(phrases.map(phrase)),
                kind => table.lines.push(Line {
                    kind: kind.to_owned(),
                    names: names.split(' ').filter(|name| *name != "-").map(str::to_owned).collect(),
                    patterns: phrases.map(|phrase| Pattern::parse(phrase, &sets)).collect(),
                }),
            }
        }
        table
    }

    /// Where what is more than politeness may begin.
    fn starts(&self, said: &[Word]) -> Vec<usize> {
        let mut starts = vec![0];
        let mut at = 0;
        while let Some(&start) = starts.get(at) {
            let rest = said.get(start..).unwrap_or_default();
            let longer = self.leads.iter().filter(|lead| begins(rest, lead)).map(|lead| start + lead.len());
            for next in longer {
                if !starts.contains(&next) {
                    starts.push(next);
                }
            }
            at += 1;
        }
        starts
    }

    /// Where it may end.
    fn ends(&self, said: &[Word]) -> Vec<usize> {
        let mut ends = vec![said.len()];
        let mut at = 0;
        while let Some(&end) = ends.get(at) {
            for tail in &self.tails {
                let Some(next) = end.checked_sub(tail.len()) else { continue };
                let last = said.get(next..end).unwrap_or_default();
                if begins(last, tail) && !ends.contains(&next) {
                    ends.push(next);
                }
            }
            at += 1;
        }
        ends
    }
}

fn begins(said: &[Word], words: &[String]) -> bool {
    said.len() >= words.len()
        && said.iter().zip(words).all(|(said, word)| !said.quoted && said.plain == *word)
}

impl Pattern {
    fn parse(text: &str, sets: &[(String, Vec<Vec<String>>)]) -> Self {
        let (text, alone) = text.strip_prefix('=').map_or((text, false), |text| (text, true));
        let parts = text.split(' ').filter(|part| !part.is_empty()).map(|part| match part {
            "{file}" => Part::File,
            "{table}" => Part::Table,
            "{name}" => Part::Name,
            "{word}" => Part::Word,
            part => {
                let (part, optional) = part.strip_suffix('?').map_or((part, false), |part| (part, true));
                let any = match sets.iter().find(|(name, _)| name == part) {
                    Some((_, any)) => any.clone(),
                    None => part.split('/').map(phrase).collect(),
                };
                Part::Words { any, optional }
            }
        });
        Self { parts: parts.collect(), alone }
    }
}

/// Reads with the names of a schema at hand.
struct Reader<'a> {
    schema: Option<&'a Schema>,
}

impl Reader<'_> {
    /// Whether the parts cover all the words; with what was found for the slot among them.
    #[expect(clippy::option_option, reason = "it may fit with nothing to find")]
    fn read(&self, parts: &[Part], said: &[Word], found: Option<String>) -> Option<Option<String>> {
        let Some((part, parts)) = parts.split_first() else { return said.is_empty().then_some(found) };
        let after = |words: usize| said.get(words..).unwrap_or_default();
        match part {
            Part::Words { any, optional } => {
                let fitting = any.iter().filter(|words| self.says(said, words));
                let mut taken =
                    fitting.filter_map(|words| self.read(parts, after(words.len()), found.clone()));
                taken.next().or_else(|| optional.then(|| self.read(parts, said, found.clone())).flatten())
            }
            Part::File => {
                let file = said.first().filter(|word| self.is_file(word))?;
                self.read(parts, after(1), Some(file.written.clone()))
            }
            Part::Word => {
                let word = said.first().filter(|word| is_name(&word.plain))?;
                self.read(parts, after(1), Some(word.written.clone()))
            }
            Part::Table => {
                self.tables(said).find_map(|(length, name)| self.read(parts, after(length), Some(name)))
            }
            Part::Name => {
                let known =
                    self.tables(said).find_map(|(length, name)| self.read(parts, after(length), Some(name)));
                known.or_else(|| {
                    let word = said.first().filter(|word| is_name(&word.plain))?;
                    let points = NO_NAMES.contains(&word.plain.as_str());
                    (!points).then(|| self.read(parts, after(1), Some(word.written.clone()))).flatten()
                })
            }
        }
    }

    /// Whether the sentence begins with these words, a slip in one of them aside.
    fn says(&self, said: &[Word], words: &[String]) -> bool {
        said.len() >= words.len()
            && said.iter().zip(words).all(|(said, word)| {
                let slipped =
                    || said.plain.len() > 3 && is_slip_of(&said.plain, word) && !self.names(&said.plain);
                !said.quoted && (said.plain == *word || slipped())
            })
    }

    /// The tables that the sentence begins with, with how many words name each, the longest first.
    fn tables<'s>(&'s self, said: &'s [Word]) -> impl Iterator<Item = (usize, String)> + 's {
        (1..=WORDS_OF_NAME.min(said.len())).rev().filter_map(|length| {
            let words = said.get(..length)?;
            let joined = || words.iter().map(|word| word.written.as_str()).collect::<Vec<_>>().join(" ");
            match self.schema {
                None => Some((length, joined())),
                Some(schema) => Some((length, table(schema, &joined())?.to_owned())),
            }
        })
    }

    /// Whether one of these words was said and names a table or a column.
    fn is_of_schema(&self, names: &[String], said: &[Word]) -> bool {
        names.iter().any(|name| said.iter().any(|word| stem(&word.plain) == stem(name)) && self.names(name))
    }

    /// Whether a table or a column is called like this.
    fn names(&self, word: &str) -> bool {
        let Some(schema) = self.schema else { return false };
        let mut names = schema.tables.iter().flat_map(|table| {
            let columns = table.columns.iter().map(|column| column.name.as_str());
            columns.chain([table.name.as_str()])
        });
        names.any(|name| stem(&name.to_lowercase()) == stem(word))
    }

    /// Whether a word is the name of a file: with an ending of letters, and not a column with its table.
    fn is_file(&self, word: &Word) -> bool {
        let Some((name, ending)) = word.written.rsplit_once('.') else { return false };
        let ends = (1..=8).contains(&ending.len()) && ending.starts_with(|c: char| c.is_ascii_alphabetic());
        let column = self.schema.and_then(|schema| {
            schema.table(name)?.columns.iter().find(|column| column.name.eq_ignore_ascii_case(ending))
        });
        ends && ending.chars().all(|c| c.is_ascii_alphanumeric()) && !name.is_empty() && column.is_none()
    }
}

/// Words in the place of a name that point at something else.
const NO_NAMES: &[&str] = &[
    "the", "a", "an", "it", "that", "this", "them", "they", "each", "every", "all", "table", "tables",
    "database", "schema", "result", "results", "answer", "query", "there", "you", "we", "i", "most", "best",
];

fn is_name(word: &str) -> bool {
    word.starts_with(char::is_alphabetic)
        && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$'))
}

/// The table of this name: spelt so, or another form of its words (`order items` for `order_item`).
fn table<'s>(schema: &'s Schema, said: &str) -> Option<&'s str> {
    if let Some(table) = schema.table(said) {
        return Some(&table.name);
    }
    let bare = |name: &str| -> String {
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let last = |name: &'s str| name.rsplit_once('.').map_or(name, |(_, last)| last);
    let (said, mut tables) = (bare(said), schema.tables.iter());
    let same = |name: &str| bare(name) == said || stem(&bare(name)) == stem(&said);
    tables.find(|table| same(&table.name) || same(last(&table.name))).map(|table| table.name.as_str())
}

#[cfg(test)]
mod tests;
