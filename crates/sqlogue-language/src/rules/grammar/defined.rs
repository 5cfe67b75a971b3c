//! Words that people have defined: where they stand in a question.

use std::rc::Rc;

use super::form::{Noun, Words};
use crate::rules::knowledge::{Knowledge, TableId};
use crate::rules::text::Question;
use crate::rules::understand::Defined;
use sqlogue_sql::sql::Definition;

/// A defined word in a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The words that no other rule may read.
    pub words: Words,
    /// What it is called.
    pub name: String,
    /// What it means.
    pub meaning: Definition,
    /// The tables that it speaks of, the one whose rows it is about first.
    pub tables: Vec<TableId>,
    /// The rows that it names by itself, where no noun beside it does.
    pub rows: Option<Noun>,
}

/// The defined words of a question, the longest where several begin alike.
pub fn terms(question: &Question, definitions: &[Defined], knowledge: &Knowledge) -> Vec<Rc<Term>> {
    let mut found: Vec<Rc<Term>> = Vec::new();
    let named: Vec<(&Defined, Vec<String>)> = definitions
        .iter()
        .map(|defined| {
            let words = Question::new(&defined.name.replace(['_', '-'], " "));
            (defined, words.tokens.into_iter().map(|token| token.stem).collect())
        })
        .collect();
    let mut at = 0;
    while at < question.tokens.len() {
        let stands = |words: &&(&Defined, Vec<String>)| {
            let mut ahead = words.1.iter().enumerate();
            !words.1.is_empty()
                && ahead.all(|(ahead, word)| {
                    question.tokens.get(at + ahead).is_some_and(|token| token.stem == *word)
                })
        };
        let Some((defined, words)) = named.iter().filter(stands).max_by_key(|(_, words)| words.len()) else {
            at += 1;
            continue;
        };
        let end = at + words.len();
        found.extend(term(defined, words, Words::new(at, end), knowledge).map(Rc::new));
        at = end;
    }
    found
}

fn term(defined: &Defined, stems: &[String], words: Words, knowledge: &Knowledge) -> Option<Term> {
    let tables = tables(&defined.meaning, knowledge)?;
    let first = *tables.first()?;
    let mut term =
        Term { words, name: defined.name.clone(), meaning: defined.meaning.clone(), tables, rows: None };
    if matches!(defined.meaning, Definition::Rows(_)) {
        let own = knowledge.table_words(first);
        // *active customers*: the noun stays one, and what stands before it is the condition.
        match stems.strip_suffix(own).filter(|before| !before.is_empty() && !own.is_empty()) {
            Some(before) => term.words.end = words.start + before.len(),
            None => {
                let tables = Rc::from([(first, 1.0)]);
                term.rows =
                    Some(Noun { words, tables, columns: Rc::from([]), says_when: false, unsaid: None });
            }
        }
    }
    Some(term)
}

/// The tables of a definition, the one first to whose rows all others lead up; none where they cannot be joined.
fn tables(meaning: &Definition, knowledge: &Knowledge) -> Option<Vec<TableId>> {
    let mut tables: Vec<TableId> =
        meaning.tables().into_iter().map(|name| knowledge.table_named(name)).collect::<Option<_>>()?;
    let tree = knowledge.joins().connect(&tables)?;
    let refers = |table: &TableId| tree.edges.iter().any(|edge| edge.to == *table);
    tables.sort_by_key(refers);
    Some(tables)
}
