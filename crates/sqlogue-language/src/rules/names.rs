//! Names in schemas as words: `StudentID`, `stu_lname`, `countrycode` and `hrempname` read as people would say them.

mod runs;

use std::collections::{HashMap, HashSet};

use super::grammar::WordLists;
use super::lexicon::Lexicon;
use super::short::{behind_letter, is_short_form, skeleton};
use super::stem::{root, stem};
use super::synonyms;
pub use sqlogue_sql::schema::pieces;
use sqlogue_sql::schema::{
    Column, ColumnType, Schema, SharedNames, Table, column_prefix, plain_name, table_words,
};

/// The ways to read one name, each as stems; the first is the fullest.
pub type Forms = Vec<Vec<String>>;

/// Short words that names written together are made of.
pub(super) const SHORT: &[&str] = &[
    "id", "no", "num", "of", "by", "at", "on", "to", "age", "day", "sex", "zip", "tax", "fax", "end", "key",
    "url", "car", "bus", "job", "pet", "dog", "cat", "fee", "pay", "due", "net", "sum", "log", "tag", "map",
    "bed", "gas", "max", "min", "avg", "per", "new", "old", "first", "last", "is", "has", "qty",
];

/// What stands before names that say their type: `strName`, `intQty`.
const TYPES: &[&str] = &[
    "str", "int", "lng", "dbl", "flt", "dec", "cur", "dt", "dte", "dtm", "bln", "bool", "bit", "txt", "chr",
    "vch", "nvc", "num", "sng", "byt", "mny", "ts",
];

/// Which of somebody's names a column holds, where that stands behind: `nameLast`.
const PARTS_OF_NAMES: [&str; 5] = ["first", "last", "given", "family", "middle"];

/// Units of measurement that names end with: `Speed in knots`.
const UNITS: [&str; 44] = [
    "knots",
    "mph",
    "kmh",
    "kph",
    "km",
    "kilometers",
    "kilometres",
    "miles",
    "m",
    "meters",
    "metres",
    "cm",
    "mm",
    "feet",
    "ft",
    "inches",
    "kg",
    "g",
    "grams",
    "lbs",
    "pounds",
    "tons",
    "tonnes",
    "seconds",
    "minutes",
    "mins",
    "hours",
    "days",
    "weeks",
    "months",
    "years",
    "percent",
    "pct",
    "usd",
    "eur",
    "gbp",
    "dollars",
    "euros",
    "celsius",
    "fahrenheit",
    "litres",
    "liters",
    "mb",
    "gb",
];

/// How many ways to write out the abbreviations of a name are kept besides the first.
const MORE_FORMS: usize = 2;

/// Reads names with the lexicon's words and those of one schema.
#[derive(Debug)]
pub struct Reader<'a> {
    lexicon: &'a Lexicon,
    vocabulary: HashSet<String>,
    /// What tables' names begin with, and what says nothing.
    shared: SharedNames,
    /// First letters of tables' names that say nothing: `hr` in `hremp`, `hrdept`, `hrpay`.
    letters: Vec<String>,
    /// The tables' names as stems.
    tables: HashSet<Vec<String>>,
}

impl<'a> Reader<'a> {
    /// A reader that also knows the words of a schema's names.
    pub fn new(lexicon: &'a Lexicon, schema: &Schema) -> Self {
        let mut vocabulary = HashSet::new();
        let names = schema.tables.iter().flat_map(|table| {
            std::iter::once(plain_name(&table.name))
                .chain(table.columns.iter().map(|column| column.name.as_str()))
        });
        for name in names {
            let pieces = pieces(name);
            // A name of one piece may itself be a run of words, which must not become a word here.
            if pieces.len() > 1 {
                vocabulary.extend(pieces.iter().filter(|piece| piece.len() >= 3).map(|piece| stem(piece)));
            }
        }
        let shared = SharedNames::of(&schema.tables);
        let tables = schema
            .tables
            .iter()
            .map(|table| table_words(&table.name, &shared).iter().map(|word| stem(word)).collect());
        let tables = tables.collect();
        let mut reader = Self { lexicon, vocabulary, shared, letters: Vec::new(), tables };
        reader.letters = reader.shared_letters(&schema.tables);
        reader
    }

    /// The ways to read a table's name: without what says nothing, then as it is.
    pub fn table(&self, table: &Table) -> Forms {
        let mut words = table_words(&table.name, &self.shared);
        // The years or the number of a file are no words of what is in its rows.
        let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
        while words.len() > 1 && words.last().is_some_and(is_number) {
            words.pop();
        }
        if let [run] = words.as_slice()
            && let Some(rest) = self.without_letters(run)
        {
            words = vec![rest.to_owned()];
        }
        let mut forms = self.forms_of(&words, &[], false);
        if let Some(plain) = self.without_tail(table, &words) {
            keep_new(&mut forms, vec![plain.iter().map(|word| stem(word)).collect()]);
        }
        let whole = pieces(plain_name(&table.name));
        if whole != words {
            keep_new(
                &mut forms,
                vec![whole.iter().flat_map(|piece| self.segment(piece)).map(|w| stem(&w)).collect()],
            );
        }
        keep_new(&mut forms, vec![vec![stem(&whole.concat())]]);
        forms
    }

    /// A table's name without what only says that its rows are parts of something: a `FeeLine` is a fee where no table has that name
    /// and no column says which fee it belongs to.
    fn without_tail<'w>(&self, table: &Table, words: &'w [String]) -> Option<&'w [String]> {
        const TAILS: [&str; 4] = ["line", "record", "detail", "row"];
        let (tail, plain) = words.split_last().filter(|(_, plain)| !plain.is_empty())?;
        let run: Vec<String> = plain.iter().map(|word| stem(word)).collect();
        let says_which = table.columns.iter().any(|column| {
            let name: Vec<String> = pieces(&column.name).iter().map(|piece| stem(piece)).collect();
            let of = name
                .split_last()
                .filter(|(last, _)| matches!(last.as_str(), "id" | "no" | "number" | "key" | "code"));
            of.is_some_and(|(_, of)| of == run)
        });
        let is_tail = TAILS.iter().any(|known| *known == tail || stem(tail) == *known);
        (is_tail && !says_which && !self.tables.contains(&run)).then_some(plain)
    }

    /// The ways to read the names of a table's columns, where `words` are those of the table.
    pub fn columns(&self, table: &Table, words: &[String]) -> Vec<Forms> {
        let prefix = column_prefix(table);
        let typed = says_types(table);
        let own = pieces(plain_name(&table.name)).concat();
        let read = |column: &Column| {
            let name = column.name.as_str();
            let whole = pieces(name);
            let kept = match whole.as_slice() {
                [first, rest @ ..] if typed && !rest.is_empty() && TYPES.contains(&first.as_str()) => {
                    rest.to_vec()
                }
                _ => self.without_prefix(&whole, &prefix, &own, words).unwrap_or_else(|| whole.clone()),
            };
            let mut forms = self.forms_of(&kept, words, kept != whole);
            if let Some(plain) = without_unit(&kept) {
                forms.insert(0, self.written_out(plain, words, kept != whole, 0));
            }
            keep_new(&mut forms, vec![vec![stem(&whole.concat())]]);
            // Nobody is a number with a fraction: `unit_cst` is a cost and no customer.
            if column.column_type == ColumnType::Real {
                let is_somebody = |form: &Vec<String>| form.last().is_some_and(|word| is_person(word));
                let (others, people): (Forms, Forms) = forms.into_iter().partition(|form| !is_somebody(form));
                forms = if others.is_empty() { people } else { others };
            }
            forms
        };
        table.columns.iter().map(read).collect()
    }

    /// The words of a name without the letters that all columns of its table begin with, where those letters are the
    /// table's name or no word, and where what is left can be read.
    fn without_prefix(
        &self,
        whole: &[String],
        prefix: &str,
        own: &str,
        words: &[String],
    ) -> Option<Vec<String>> {
        let [run] = whole else {
            // Set apart by the spelling: a word of the table, or an abbreviation, may well be asked for.
            let (first, rest) = whole.split_first()?;
            let means_something = self.is_known(first) || !self.lexicon.expansions(first).is_empty();
            let of_table = words.iter().any(|word| word.starts_with(first.as_str()));
            return (first == prefix && !means_something && !of_table).then(|| rest.to_vec());
        };
        if prefix.len() < 2 || self.is_known(run) {
            return None;
        }
        // The longest common letters may take the first of the next word with them.
        let cuts = (2..=prefix.len())
            .rev()
            .filter(|at| own.starts_with(prefix.get(..*at).unwrap_or_default()) || *at == prefix.len());
        cuts.filter_map(|at| run.get(at..)).find(|rest| self.reads(rest)).map(|rest| vec![rest.to_owned()])
    }

    /// A run without the letters that many tables begin with.
    fn without_letters<'n>(&self, run: &'n str) -> Option<&'n str> {
        if self.is_known(run) {
            return None;
        }
        let rests = self.letters.iter().filter_map(|letters| run.strip_prefix(letters.as_str()));
        rests.filter(|rest| self.reads(rest)).max_by_key(|rest| rest.len())
    }

    /// Two to four letters that at least three tables begin with, and leave what can be read.
    fn shared_letters(&self, tables: &[Table]) -> Vec<String> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let runs: Vec<String> = tables
            .iter()
            .map(|table| pieces(plain_name(&table.name)))
            .filter_map(|words| match words.as_slice() {
                [run] if run.is_ascii() && !self.is_known(run) => Some(run.clone()),
                _ => None,
            })
            .collect();
        for run in &runs {
            for length in 2..=4_usize {
                if let Some((letters, rest)) = run.split_at_checked(length)
                    && self.reads(rest)
                {
                    *counts.entry(letters).or_default() += 1;
                }
            }
        }
        let shared = counts.into_iter().filter(|(_, count)| *count >= 3);
        shared.map(|(letters, _)| letters.to_owned()).collect()
    }

    /// True where all of a run can be read.
    fn reads(&self, run: &str) -> bool {
        !run.is_empty() && (self.is_word(run) || self.segment(run).len() > 1)
    }

    /// True for a word, or what is known to be short for one.
    fn is_word(&self, run: &str) -> bool {
        self.is_known(run)
            || is_english(run)
            || !self.lexicon.expansions(run).is_empty()
            || SHORT.contains(&run)
    }

    fn is_known(&self, word: &str) -> bool {
        let stem = stem(word);
        self.lexicon.is_word(&stem) || self.vocabulary.contains(&stem)
    }

    /// The ways to read pieces of a name, where `table` holds the stems of the table it belongs to (empty for a table), and
    /// something may have been cut off before them.
    fn forms_of(&self, pieces: &[String], table: &[String], is_cut: bool) -> Forms {
        let raw: Vec<String> = match pieces {
            // `LName` is `lname`, and one abbreviation.
            [letter, rest]
                if letter.len() == 1 && !self.lexicon.expansions(&format!("{letter}{rest}")).is_empty() =>
            {
                vec![format!("{letter}{rest}")]
            }
            _ => pieces.iter().flat_map(|piece| self.segment(piece)).collect(),
        };
        let plain: Vec<String> = raw.iter().map(|piece| stem(piece)).collect();
        let mut forms = vec![self.written_out(&raw, table, is_cut, 0)];
        // `nameFirst` is a first name.
        if let Some([name, part]) = forms.first().map(Vec::as_slice)
            && name == "name"
            && PARTS_OF_NAMES.contains(&part.as_str())
        {
            forms.insert(0, vec![part.clone(), name.clone()]);
        }
        // A short run before *id* is the table's name, or another's (`aid` in `aircraft`).
        if let [run] = raw.as_slice()
            && let Some(before) = run.strip_suffix("id").filter(|before| (1..=3).contains(&before.len()))
            && table.first().is_some_and(|word| word.starts_with(before))
        {
            forms.insert(0, table.iter().cloned().chain(["id".to_owned()]).collect());
        }
        keep_new(&mut forms, vec![plain]);
        // What else an abbreviation may be short for.
        keep_new(
            &mut forms,
            (1..=MORE_FORMS).map(|other| self.written_out(&raw, table, is_cut, other)).collect(),
        );
        let joined: String = pieces.concat();
        if let Some(rest) = self.behind_table_letter(&raw, table) {
            forms.insert(0, rest);
        }
        if let [run] = raw.as_slice()
            && let Some(rest) = behind_letter(run).filter(|rest| !self.is_word(run) && is_english(rest))
        {
            keep_new(&mut forms, vec![vec![stem(rest)]]);
        }
        keep_new(&mut forms, vec![vec![stem(&joined)]]);
        forms
    }

    /// The pieces with their abbreviations written out, in the likeliest way or in another.
    fn written_out(&self, raw: &[String], table: &[String], is_cut: bool, other: usize) -> Vec<String> {
        let mut full: Vec<String> = Vec::new();
        for (at, piece) in raw.iter().enumerate() {
            // A short first piece often repeats the table (`pName` in `player`, `compl_no` in `complaints`).
            let is_short = piece.len() <= 4 || !self.lexicon.expansions(piece).is_empty();
            let of_table = table.first().or(table.last()).filter(|word| {
                at == 0 && raw.len() > 1 && is_short && word.starts_with(piece.as_str()) && *word != piece
            });
            if let Some(word) = of_table {
                full.push(word.clone());
            } else if at == 0 && raw.len() > 1 && piece == "min" {
                // `min_age` is the least, where `run_min` is a number of minutes.
                full.push(stem("minimum"));
            } else if let Some(long) = self.expansion(piece, at + usize::from(is_cut), table, other) {
                full.extend(long.iter().map(|word| stem(word)));
            } else {
                full.push(self.completed(piece).unwrap_or_else(|| stem(piece)));
            }
        }
        full
    }

    fn expansion(&self, piece: &str, at: usize, table: &[String], other: usize) -> Option<&[String]> {
        let expansions = self.lexicon.expansions(piece);
        // `id` reads as `id`; its long form is a synonym. `no` and `long` at the end of a name are `number`, `longitude`.
        if matches!(piece, "id") || (at == 0 && matches!(piece, "no" | "long" | "co" | "int" | "pay")) {
            return None;
        }
        let likeliest = expansions
            .iter()
            .position(|long| long.iter().any(|word| table.contains(&stem(word))))
            .or_else(|| {
                expansions
                    .iter()
                    .position(|long| long.iter().all(|word| self.vocabulary.contains(&stem(word))))
            })
            .unwrap_or(0);
        let others = (0..expansions.len()).filter(|at| *at != likeliest);
        let order: Vec<usize> = std::iter::once(likeliest).chain(others).collect();
        // Where there are not so many, the likeliest stays.
        let at = order.get(other).or(order.first()).copied()?;
        expansions.get(at).map(Vec::as_slice)
    }

    /// The one word of the schema's that an unknown piece begins (`adm` where there are admissions), or the one word of
    /// schemas whose consonants it is (`rslv`).
    fn completed(&self, piece: &str) -> Option<String> {
        if piece.len() < 3
            || self.is_known(piece) && piece.len() > 4
            || is_english(piece)
            || SHORT.contains(&piece)
            || !piece.is_ascii()
        {
            return None;
        }
        let begins =
            |word: &str| word.len() >= piece.len() + 3 && word.starts_with(piece) && is_english(word);
        let spells = |word: &str| word.len() > piece.len() && is_short_form(piece, self.lexicon);
        let longer: Vec<&String> = self.vocabulary.iter().filter(|word| begins(word)).collect();
        let spelt = || self.lexicon.words_spelt(&skeleton(piece)).filter(|word| spells(word)).collect();
        let found: Vec<&String> = if longer.len() == 1 { longer } else { spelt() };
        if let [only] = found.as_slice() { Some((*only).clone()) } else { None }
    }
}

/// True for a word for people of any kind.
fn is_person(word: &str) -> bool {
    ["buyers", "sellers", "people_roles"].iter().any(|list| WordLists::embedded().has(list, word))
}

/// A name without the unit behind it: `Speed in knots`, but all of `units in stock`.
fn without_unit(name: &[String]) -> Option<&[String]> {
    let at = name.iter().position(|piece| piece == "in").filter(|at| *at > 0 && at + 2 == name.len())?;
    name.get(..at).filter(|_| name.last().is_some_and(|last| UNITS.contains(&last.as_str())))
}

/// Adds the forms that are not there yet.
fn keep_new(forms: &mut Forms, more: Forms) {
    for form in more {
        if !form.is_empty() && !forms.contains(&form) {
            forms.push(form);
        }
    }
}

/// True where most columns of a table begin with what says their type.
fn says_types(table: &Table) -> bool {
    let typed = table.columns.iter().filter(|column| {
        let words = pieces(&column.name);
        words.len() > 1 && words.first().is_some_and(|first| TYPES.contains(&first.as_str()))
    });
    table.columns.len() >= 2 && typed.count() * 3 >= table.columns.len() * 2
}

/// True for an ordinary English word, in any form.
fn is_english(word: &str) -> bool {
    // Endings are only cut from words that are long enough to keep something.
    let is_form = || {
        word.len() >= 6
            && has_ending(word)
            && (synonyms::is_word(&root(word))
                // *issued* and *moving* drop an *e* that their root lacks.
                || ["d", "ing"].iter().filter_map(|ending| word.strip_suffix(ending)).any(|base| {
                    synonyms::is_word(base) || synonyms::is_word(&format!("{base}e"))
                }))
    };
    word.len() >= 4 && (synonyms::is_word(word) || synonyms::is_word(&stem(word)) || is_form())
}

/// True for words with an ending that verbs take.
fn has_ending(word: &str) -> bool {
    ["ed", "ing", "er", "ion", "al", "ly", "or"].iter().any(|ending| word.ends_with(ending))
}

#[cfg(test)]
mod tests;
