//! Things by the last word of their names: *chairs* are the office chair and the ergonomic chair, and *laptops* all whose names begin
//! with that word and go on with a number.

use super::{Link, Linked, Target, ValueLink};
use crate::rules::cue::Cue;
use crate::rules::grammar::{WordLists, has_people};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::lexicon::Lexicon;
use crate::rules::text::{Question, Token, TokenKind};
use crate::rules::values::{MatchKind, folded};
use sqlogue_sql::plan::{Comparison, Condition, Expr, QueryPlan};
use sqlogue_sql::schema::Value;

/// How well such a word fits: nearly as well as a name, since nothing else explains it.
const SCORE: f32 = 0.75;

/// Words that name something as well as this need no other meaning.
const NAMED: f32 = 0.4;

/// What has a longer name is no kind of thing.
const LONGEST: usize = 4;

/// Shorter words are in too many names.
const SHORTEST: usize = 3;

/// Links the words that nothing else explains to the things whose names have them as their head.
pub(super) fn links(question: &Question, knowledge: &Knowledge, known: &[Link]) -> Vec<Link> {
    let is_known = |at: usize| {
        known.iter().any(|link| {
            (link.start..link.end).contains(&at)
                && (link.score >= NAMED
                    || matches!(link.target, Target::Cue(_) | Target::Number(_) | Target::Date(_)))
        })
    };
    // *with desk in their name* asks for the letters.
    let speaks_of_names = |token: &Token| {
        matches!(token.stem.as_str(), "name" | "named" | "called" | "title" | "word" | "letter")
    };
    if question.tokens.iter().any(speaks_of_names) {
        return Vec::new();
    }
    // *international passengers* are passengers, whatever an airport is called.
    let describes = |at: usize| {
        let next = known.iter().filter(|link| link.start == at + 1 && link.score >= NAMED);
        let best = next.max_by(|one, other| one.score.total_cmp(&other.score));
        best.is_some_and(|link| matches!(link.target, Target::Column(_)))
    };
    let tokens = question.tokens.iter().enumerate().filter(|(at, token)| {
        token.kind == TokenKind::Word
            && token.stem.len() >= SHORTEST
            && !Lexicon::embedded().is_soft(&token.lower)
            && !Lexicon::embedded().is_verb(&token.lower)
            && Lexicon::embedded().adjective_named(&token.lower).is_none()
            && !describes(*at)
            && !is_known(*at)
    });
    tokens.flat_map(|(at, token)| called(at, &token.stem, knowledge)).collect()
}

/// The question with the rows behind a head of a name that it opens with: *which desk sells best* asks for desk products. None where
/// it opens with no such word.
pub(super) fn with_their_rows(linked: &Linked, knowledge: &Knowledge) -> Option<Question> {
    let mut heads: Vec<(usize, usize, TableId)> = linked
        .links
        .iter()
        .filter_map(|link| match &link.target {
            Target::Value(value @ ValueLink { column: Some(id), .. })
                if value.kind == MatchKind::Head || names_kind(value, *id, knowledge) =>
            {
                let table = knowledge.column(*id).table;
                let has_rows = linked.links.iter().any(|next| {
                    next.start == link.end && next.score >= NAMED && next.target == Target::Table(table)
                });
                (!has_rows).then_some((link.start, link.end, table))
            }
            _ => None,
        })
        .collect();
    heads.retain(|(start, end, table)| {
        let has_name = !knowledge.table(*table).label.is_empty();
        let are_rows =
            !has_people(knowledge, *table) && opens(linked, *start) || makes_groups(linked, *start);
        has_name && are_rows || is_last_of_kind(linked, *start, *end)
    });
    heads.extend(linked.links.iter().filter_map(|link| flagged(linked, link, knowledge)));
    heads.sort_unstable();
    heads.dedup_by_key(|(at, ..)| *at);
    if heads.is_empty() {
        return None;
    }
    let mut question = linked.question.clone();
    for (at, end, table) in heads.iter().rev() {
        let last = end.saturating_sub(1);
        let (Some(head), Some(name)) = (question.tokens.get(last), knowledge.table(*table).forms.first())
        else {
            continue;
        };
        // *furniture* alone is several pieces.
        let is_many = head.lower != head.stem || *at == 0;
        let (behind, end) = (*end, head.end);
        let rows = name.iter().enumerate().map(|(place, word)| {
            let word = if is_many && place + 1 == name.len() { format!("{word}s") } else { word.clone() };
            Token::word(&word, end, end)
        });
        question.tokens.splice(behind..behind, rows.collect::<Vec<_>>());
    }
    Some(question)
}

/// The rows that a word calls by what a column says they are, where they make groups or a table would be taken for them: *members* are
/// the customers of whom `is_member` holds, and no staff. None where a table is called so, or their own name follows.
fn flagged(linked: &Linked, link: &Link, knowledge: &Knowledge) -> Option<(usize, usize, TableId)> {
    const BORNE: f32 = 0.8;
    let Target::Column(id) = link.target else { return None };
    let is_one_word = link.end == link.start + 1 && link.score >= BORNE;
    let is_flag = knowledge.column(id).kind.is_flag().is_some();
    let before = link.start.checked_sub(1).map_or("", |before| linked.question.word(before));
    let makes_groups = matches!(before, "per" | "each" | "every" | "by");
    let is_plural = linked.question.word(link.start).ends_with('s') && !is_one(linked, link.start);
    let tables = || linked.links.iter().filter(|other| matches!(other.target, Target::Table(_)));
    let rivals = || tables().filter(|other| (other.start, other.end) == (link.start, link.end));
    let is_named = rivals().any(|rival| rival.score >= link.score)
        || tables().any(|other| other.start == link.end && other.score >= NAMED)
        || linked.links.iter().any(|other| {
            other.start == link.end && matches!(other.target, Target::Column(_)) && other.score >= BORNE
        });
    let is_needed = makes_groups || is_plural && rivals().next().is_some();
    (is_one_word && is_flag && is_needed && !is_named)
        .then(|| (link.start, link.end, knowledge.column(id).table))
}

/// True where nothing behind a word says that it describes something else: *furniture sales* are no sales of each.
fn goes_on(linked: &Linked, at: usize) -> bool {
    let word = linked.question.word(at + 1);
    word.is_empty() || WordLists::embedded().has("goes_on_behind_rows", word)
}

/// The same of rows that make groups, or of which the last is asked for, where more may follow.
fn goes_on_behind_groups(linked: &Linked, at: usize) -> bool {
    goes_on(linked, at) || WordLists::embedded().has("goes_on_behind_groups", linked.question.word(at + 1))
}

/// True where a question opens with a word: *which desk sells best*.
fn opens(linked: &Linked, at: usize) -> bool {
    let asks = |before: usize| {
        let ranks = |link: &Link| {
            matches!(
                link.target,
                Target::Cue(Cue::Superlative(..) | Cue::MostCommon(_) | Cue::Most(_)) | Target::Number(_)
            )
        };
        let mut around = linked.links.iter().filter(|link| (link.start..link.end).contains(&before));
        WordLists::embedded().has("asks_for_rows", linked.question.word(before)) || around.any(ranks)
    };
    (0..at).all(asks) && goes_on(linked, at)
}

/// True for *orders per salesperson*, but not for *sales per office* where a column tells of offices: these are not the properties
/// of that kind.
fn makes_groups(linked: &Linked, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| linked.question.word(before));
    let names = |link: &&Link| matches!(link.target, Target::Table(_) | Target::Column(_));
    let mut named = linked.links.iter().filter(names).filter(|link| link.score >= NAMED);
    matches!(before, "per" | "by" | "each" | "every")
        && is_one(linked, at)
        && goes_on_behind_groups(linked, at)
        && !named.any(|link| (link.start, link.end) == (at, at + 1))
}

/// True for *the last boiler service of each customer*, which is the last of such jobs.
fn is_last_of_kind(linked: &Linked, start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).map_or("", |before| linked.question.word(before));
    let last = end.saturating_sub(1);
    WordLists::embedded().has("last_one", before)
        && is_one(linked, last)
        && (goes_on_behind_groups(linked, last) || matches!(linked.question.word(end), "date" | "day"))
}

/// True for a word in the singular.
fn is_one(linked: &Linked, at: usize) -> bool {
    linked.question.tokens.get(at).is_some_and(|token| token.lower == token.stem)
}

/// True for the kind of thing that a value is, or of people: *furniture*, *desserts*, *salesperson*.
fn names_kind(value: &ValueLink, id: ColumnId, knowledge: &Knowledge) -> bool {
    let column = knowledge.column(id);
    let kinds = if has_people(knowledge, column.table) { "kinds_of_people" } else { "kinds_of_things" };
    let bears = |form: &Vec<String>| form.last().is_some_and(|last| WordLists::embedded().has(kinds, last));
    matches!(value.kind, MatchKind::Exact | MatchKind::Folded | MatchKind::Stemmed)
        && !column.few_values.is_empty()
        && column.forms.iter().any(bears)
}

/// What things are called by a word, each column of names for itself.
fn called(at: usize, word: &str, knowledge: &Knowledge) -> Vec<Link> {
    let link = |(column, cells): (ColumnId, Vec<String>)| {
        let (text, kind) = match <[String; 1]>::try_from(cells) {
            Ok([cell]) => (cell, MatchKind::Part),
            Err(_) => (word.to_owned(), MatchKind::Head),
        };
        let value =
            ValueLink { column: Some(column), value: Value::Text(text), kind, score: SCORE, quoted: false };
        Link { start: at, end: at + 1, target: Target::Value(value), score: SCORE }
    };
    names_with(word, knowledge).into_iter().map(link).collect()
}

/// The names of things whose head is a word, by the columns that hold them.
fn names_with(word: &str, knowledge: &Knowledge) -> Vec<(ColumnId, Vec<String>)> {
    let mut found: Vec<(ColumnId, Vec<String>)> = Vec::new();
    for form in [word.to_owned(), format!("{word}s"), format!("{word}es")] {
        for hit in knowledge.values().containing(&form) {
            let table = knowledge.column(hit.column).table;
            // *The Iron Library* is a book, and no library.
            let is_title = knowledge.column(hit.column).forms.iter().flatten().any(|word| word == "title");
            let is_name =
                knowledge.table(table).label == [hit.column] && !is_title && !has_people(knowledge, table);
            if !is_name || !is_head(&form, &hit.text) {
                continue;
            }
            match found.iter_mut().find(|(column, _)| *column == hit.column) {
                Some((_, cells)) => cells.push(hit.text),
                None => found.push((hit.column, vec![hit.text])),
            }
        }
    }
    found
}

/// True for the last word of a name, and for the first where a number, a size or the like follows: *Laptop 14*, *Notebook A5*.
fn is_head(word: &str, name: &str) -> bool {
    let name = folded(name);
    let words: Vec<&str> = name.split(' ').collect();
    if words.len() > LONGEST {
        return false;
    }
    let is_mark = |word: &&str| word.len() <= 2 || word.chars().any(|sign| sign.is_ascii_digit());
    match words.as_slice() {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(is_mark) => *first == word,
        [.., last] => *last == word,
        [] => false,
    }
}

/// The heads of names that a question speaks of: the name of the column, the word, and the names that have it.
pub(in crate::rules) struct Heads(Vec<(String, String, Vec<Expr>)>);

impl Heads {
    pub(in crate::rules) fn of(links: &[Link], knowledge: &Knowledge) -> Self {
        let heads = links.iter().filter_map(|link| match &link.target {
            Target::Value(ValueLink {
                column: Some(id),
                value: Value::Text(text),
                kind: MatchKind::Head,
                ..
            }) => {
                let (_, cells) = names_with(text, knowledge).into_iter().find(|(column, _)| column == id)?;
                let cells = cells.into_iter().map(|cell| Expr::Literal(Value::Text(cell))).collect();
                Some((knowledge.column(*id).name.clone(), text.clone(), cells))
            }
            _ => None,
        });
        Self(heads.collect())
    }

    /// Turns conditions on the head of a name into those on the names that have it: `name = 'chair'` into
    /// `name IN ('Office Chair', ...)`.
    pub(in crate::rules) fn spell_out(&self, plan: &mut QueryPlan) {
        if self.0.is_empty() {
            return;
        }
        plan.for_each_condition_mut(&mut |condition| match condition {
            Condition::Compare {
                left,
                operator: operator @ (Comparison::Equal | Comparison::NotEqual),
                right,
            } => {
                if let Some(list) = self.names(left, right) {
                    let negated = *operator == Comparison::NotEqual;
                    *condition = Condition::In { expr: left.clone(), list, negated };
                }
            }
            Condition::In { expr, list, .. } => {
                let names = |value: &Expr| self.names(expr, value).unwrap_or_else(|| vec![value.clone()]);
                *list = list.iter().flat_map(names).collect();
            }
            _ => {}
        });
    }

    fn names(&self, left: &Expr, right: &Expr) -> Option<Vec<Expr>> {
        let (Expr::Column(column), Expr::Literal(Value::Text(text))) = (left, right) else { return None };
        let meant = self.0.iter().find(|(name, head, _)| *name == column.column && head == text);
        meant.map(|(_, _, cells)| cells.clone())
    }
}
