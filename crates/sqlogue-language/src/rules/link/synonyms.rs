//! Words that nothing in the database explains, taken for names and cells of similar meaning.

use super::{Link, Target, ValueLink, names, weights};
use crate::rules::knowledge::{Item, Knowledge, WordPlace};
use crate::rules::lexicon::Lexicon;
use crate::rules::stem::stem;
use crate::rules::text::{Question, TokenKind};
use crate::rules::values::MatchKind;
use sqlogue_sql::schema::Value;

/// A link to a name, or to a cell, that is as good as this explains its words.
const NAMED: f32 = 0.45;
const VALUED: f32 = 0.6;
/// Words that are as near as this mean the same; those that are less near are only related, as pupils and teachers are.
const SAME: f32 = 0.6;
/// A word is taken for a word of a name where it is as near as the nearest of them, but for this.
const CLOSE: f32 = 0.15;
/// Phrases have to be nearer than words, and so have cells: they are only looked for.
const PHRASE: f32 = 0.7;
const CELL: f32 = 0.85;
/// A phrase has at most so many words.
const MAX_WORDS: usize = 3;

/// How much a synonym counts against the word itself: less than a synonym of the lexicon does.
fn quality(alike: f32) -> f32 {
    0.4 + 0.4 * alike
}

/// What unexplained words may stand for by their synonyms, and the words for which only something related was found.
/// `known` are the links that rest on no synonym.
pub(super) fn links(
    question: &Question,
    knowledge: &Knowledge,
    mut named: names::Named<'_>,
    known: &[Link],
) -> (Vec<Link>, Vec<usize>) {
    let mut links = phrases(question, knowledge, known);
    let explained = explained(question, knowledge, known);
    let mut stretched = Vec::new();
    let mut is_new = false;
    for (at, token) in question.tokens.iter().enumerate() {
        if explained.get(at).is_none_or(|explained| *explained) {
            continue;
        }
        let words = meanings(knowledge, &token.lower, &token.stem);
        let places: Vec<(&[WordPlace], f32)> = words
            .iter()
            .flat_map(|(word, alike)| {
                let word = stem(word);
                let short = knowledge.places_of_short(&word).map(|(places, sure)| (places, sure * *alike));
                let mut places: Vec<_> = short.collect();
                places.push((knowledge.places_of_stem(&word), *alike));
                places
            })
            .filter(|(places, _)| !places.is_empty())
            .collect();
        let is_table = |place: &WordPlace| matches!(place.item, Item::Table(_));
        let names_rows = places.iter().any(|(places, _)| places.iter().any(is_table))
            || known.iter().any(|link| {
                (link.start, link.end) == (at, at + 1) && matches!(link.target, Target::Table(_))
            });
        // *customers* may be the subscribers, but not those of the kind `consumer`.
        let cells = match names_rows || is_predicate(question, at, known) {
            true => Vec::new(),
            false => cells(knowledge, at, &words),
        };
        let best = places.iter().map(|(_, alike)| *alike).fold(0.0, f32::max);
        // Whoever asks for the architects should learn that those shown are called designers.
        let is_cell = places.is_empty() && !cells.is_empty();
        links.extend(cells);
        if is_cell || best > 0.0 && best < SAME {
            stretched.push(at);
        }
        let least = if best < SAME { best - CLOSE } else { SAME.max(best - CLOSE) };
        for (places, alike) in places.into_iter().filter(|(_, alike)| *alike >= least) {
            named.add(at, places, quality(alike));
            is_new = true;
        }
    }
    if is_new {
        let words = named.links();
        let is_better = |link: &Link| !is_beaten(link, known) && !is_beaten(link, &links);
        let words: Vec<Link> = words.into_iter().filter(is_better).collect();
        links.retain(|link| !words.iter().any(|word| word.replaces(link)));
        links.extend(words);
    }
    links.retain(|link| !is_repeated(link, known));
    (links, stretched)
}

/// True where the words beside a single word name the very thing already: in *gold medals* the column `gold` is named once.
fn is_repeated(link: &Link, known: &[Link]) -> bool {
    let is_beside = |other: &&Link| other.end == link.start || other.start == link.end;
    link.end == link.start + 1
        && matches!(link.target, Target::Column(_))
        && known.iter().filter(is_beside).any(|other| other.target == link.target)
}

/// True where one of the links says the same, and no worse.
fn is_beaten(link: &Link, links: &[Link]) -> bool {
    links.iter().any(|other| other.replaces(link) && other.score >= link.score)
}

/// True for words that need no explanation, and for those that mean just what they say: a decade is no year.
fn is_plain(word: &str) -> bool {
    let is_unit = matches!(word, "decade" | "decades" | "century" | "centuries" | "fortnight");
    is_unit || names::is_silent(word) || Lexicon::embedded().is_soft(word)
}

/// True for a verb between two things, which says no more than that they belong together: *taught by*, *who use*.
fn is_relating(question: &Question, at: usize) -> bool {
    let word = question.word(at);
    let is_form = word.ends_with("ed")
        || word.ends_with("ing")
        || at.checked_sub(1).is_some_and(|before| {
            matches!(
                question.word(before),
                "who"
                    | "that"
                    | "which"
                    | "we"
                    | "they"
                    | "you"
                    | "has"
                    | "have"
                    | "had"
                    | "is"
                    | "are"
                    | "was"
                    | "were"
                    | "be"
                    | "been"
            )
        });
    is_form && Lexicon::embedded().is_verb(word)
}

/// True for *play* in *actors play in*: what things in the plural do is no value of theirs.
fn is_predicate(question: &Question, at: usize, known: &[Link]) -> bool {
    let word = question.word(at);
    let follows_things = known.iter().any(|link| {
        let last = question.word(link.end.saturating_sub(1));
        link.end == at && matches!(link.target, Target::Table(_)) && stem(last) != last
    });
    let goes_on = matches!(
        question.word(at + 1),
        "in" | "at"
            | "for"
            | "on"
            | "with"
            | "to"
            | "from"
            | "of"
            | "the"
            | "a"
            | "an"
            | "more"
            | "most"
            | "less"
            | "fewer"
    );
    follows_things && goes_on && stem(word) == word
}

/// The tokens that something explains well enough, or that need no explanation.
pub(super) fn explained(question: &Question, knowledge: &Knowledge, known: &[Link]) -> Vec<bool> {
    let tokens = question.tokens.iter().enumerate();
    let mut explained: Vec<bool> = tokens
        .map(|(at, token)| {
            token.kind != TokenKind::Word
                || is_plain(&token.lower)
                || at > 0 && token.is_capitalised()
                // A word of the database's own is nobody else's synonym, however little of a name it is.
                || !knowledge.places_of_stem(&token.stem).is_empty()
                || is_relating(question, at)
        })
        .collect();
    for link in known {
        let is_firm = match &link.target {
            Target::Value(value) => value.column.is_some() && link.score >= VALUED,
            Target::Table(_) | Target::Column(_) => link.score >= NAMED,
            Target::Number(_) | Target::Date(_) | Target::Cue(_) => true,
        };
        if is_firm {
            explained.iter_mut().take(link.end).skip(link.start).for_each(|explained| *explained = true);
        }
    }
    explained
}

/// What a word may stand for: by the word as it is, its singular, or what it is a form of.
fn meanings(knowledge: &Knowledge, word: &str, stem: &str) -> Vec<(String, f32)> {
    let mut words = knowledge.similar(word);
    if stem != word {
        let more = knowledge.similar(stem);
        let is_new = |(other, _): &(String, f32)| !words.iter().any(|(known, _)| known == other);
        let more: Vec<_> = more.into_iter().filter(is_new).collect();
        words.extend(more);
    }
    if words.is_empty() {
        words = bases(word)
            .iter()
            .map(|base| knowledge.similar(base))
            .find(|found: &Vec<_>| !found.is_empty())
            .unwrap_or_default();
    }
    words
}

/// The plain forms that an inflected verb may have.
fn bases(word: &str) -> Vec<String> {
    let mut bases = Vec::new();
    for base in ["ed", "ing"].iter().filter_map(|ending| word.strip_suffix(ending)) {
        if base.len() < 3 {
            continue;
        }
        bases.extend([base.to_owned(), format!("{base}e")]);
        // *planned* doubles its last letter.
        let mut letters = base.chars();
        let last = letters.next_back();
        if last.is_some() && last == letters.clone().next_back() {
            bases.push(letters.collect());
        }
    }
    bases
}

/// Phrases that mean one thing, on either side: *family name*, or *forename* for `first_name`.
fn phrases(question: &Question, knowledge: &Knowledge, known: &[Link]) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    for start in 0..question.tokens.len() {
        for end in start + 1..=(start + MAX_WORDS).min(question.tokens.len()) {
            let Some((words, is_single)) = phrase(question, knowledge, start, end) else { break };
            for (other, alike) in words {
                if alike < PHRASE || is_single && !other.contains(' ') {
                    continue;
                }
                let stems: Vec<String> = other.split(' ').map(stem).collect();
                for (item, cover) in places(knowledge, &stems) {
                    let link = Link { start, end, target: target(item), score: quality(alike) * cover };
                    if !is_beaten(&link, known) && !is_beaten(&link, &links) {
                        links.retain(|known| !link.replaces(known));
                        links.push(link);
                    }
                }
            }
        }
    }
    links
}

/// What the words of a span may stand for together, and whether it is one word; none where they are no words of a phrase.
fn phrase(
    question: &Question,
    knowledge: &Knowledge,
    start: usize,
    end: usize,
) -> Option<(Vec<(String, f32)>, bool)> {
    let tokens = question.tokens.get(start..end)?;
    let is_word = |token: &crate::rules::text::Token| {
        token.kind == TokenKind::Word && (start == 0 || !token.is_capitalised())
    };
    let (last, before) = tokens.split_last()?;
    if !tokens.iter().all(is_word) || before.is_empty() && is_plain(&last.lower) {
        return None;
    }
    let before: String = before.iter().flat_map(|token| [token.lower.as_str(), " "]).collect();
    let mut found = knowledge.similar(&format!("{before}{}", last.lower));
    if found.is_empty() && last.stem != last.lower {
        found = knowledge.similar(&format!("{before}{}", last.stem));
    }
    Some((found, before.is_empty()))
}

/// The names in which some words stand beside each other, with how much of the name they are.
fn places<'k>(knowledge: &'k Knowledge, stems: &'k [String]) -> impl Iterator<Item = (Item, f32)> {
    let first = stems.first().map_or(&[][..], |first| knowledge.places_of_stem(first));
    first.iter().filter_map(move |place| {
        let form = knowledge.forms(place.item).get(usize::from(place.form))?;
        let at = usize::from(place.position);
        let cover = weights::cover(knowledge, place, stems.len());
        (cover > 0.0 && form.get(at..at + stems.len())? == stems).then_some((place.item, cover))
    })
}

fn target(item: Item) -> Target {
    match item {
        Item::Table(table) => Target::Table(table),
        Item::Column(column) => Target::Column(column),
    }
}

/// The cells of columns with few values that a word may stand for: *verse* for `poetry`.
fn cells(knowledge: &Knowledge, at: usize, words: &[(String, f32)]) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    for (word, alike) in words.iter().filter(|(_, alike)| *alike >= CELL) {
        for hit in knowledge.values().find(word) {
            if knowledge.column(hit.column).few_values.is_empty() || hit.kind > MatchKind::Stemmed {
                continue;
            }
            let (kind, score) = (MatchKind::Synonym, quality(*alike));
            let value = Value::Text(hit.text);
            let value = ValueLink { column: Some(hit.column), value, kind, score, quoted: false };
            let link = Link { start: at, end: at + 1, target: Target::Value(value), score };
            if !links.iter().any(|known| known.replaces(&link)) {
                links.push(link);
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::{library, reads};
    use crate::rules::link::{Linked, Target, link};
    use crate::rules::propose::{Proposal, propose};
    use crate::rules::{Options, understand};
    use sqlogue_sql::plan::Confidence;
    use std::collections::HashSet;

    fn linked(question: &str) -> Linked {
        link(question, &library(), jiff::civil::date(2024, 6, 15))
    }

    #[test]
    fn unexplained_words_are_taken_for_names_and_cells_of_similar_meaning() {
        reads(&[
            ("How many novelists are there?", "SELECT count(*) FROM author"),
            ("How many tomes are there?", "SELECT count(*) FROM book"),
            ("How many verse books are there?", "SELECT count(*) FROM book WHERE genre = 'poetry'"),
        ]);
    }

    #[test]
    fn both_readers_take_them() {
        let options = Options { today: jiff::civil::date(2024, 6, 15), ..Options::default() };
        let proposals = propose("number of tomes per genre", &library(), &options, &[], &[], |_| true);
        let rests_on_one = |proposal: &&Proposal| {
            proposal.features.iter().any(|(name, value)| name == "synonyms" && *value == 1.0)
        };
        let readers: HashSet<bool> = proposals
            .all
            .iter()
            .filter(rests_on_one)
            .map(|proposal| proposal.draft.grammar.is_some())
            .collect();
        assert_eq!(readers.len(), 2, "{readers:?}");
    }

    #[test]
    fn a_phrase_is_found_as_a_whole() {
        let knowledge = library();
        let member = knowledge.table_named("member").unwrap();
        let wanted = Target::Column(knowledge.column_named(member, "last_name").unwrap());
        let found = linked("Show the maiden name of each member");
        assert!(found.synonyms.iter().any(|link| link.target == wanted && link.score > 0.6), "{found:?}");
    }

    #[test]
    fn what_something_else_explains_has_no_synonym() {
        for question in [
            "How many books are there?",
            "Show books by Novelist",
            "books of \"novelists\"",
            "the oldest members",
            // A word of the database's own, and a verb that only says that two things belong together.
            "the birth of each author",
            "titles published by each author",
        ] {
            assert!(linked(question).synonyms.is_empty(), "{question}");
        }
    }

    #[test]
    fn a_word_beside_the_name_of_a_thing_does_not_name_it_again() {
        let knowledge = library();
        let book = knowledge.table_named("book").unwrap();
        let price = Target::Column(knowledge.column_named(book, "price").unwrap());
        let named = |question: &str| linked(question).synonyms.iter().any(|link| link.target == price);
        assert!(named("the valuation of each book"));
        assert!(!named("the price valuation of each book"));
    }

    #[test]
    fn what_is_only_related_is_never_sure() {
        let options = Options { today: jiff::civil::date(2024, 6, 15), ..Options::default() };
        let first = |question: &str| understand(question, &library(), &options).candidates.swap_remove(0);
        let related = first("How many critics are there?");
        let same = first("How many novelists are there?");
        assert_eq!(related.confidence, Confidence::Low);
        let doubt =
            "`critics` names nothing here, and was taken for what is only near it in meaning".to_owned();
        assert!(related.explanation().contains(&doubt), "{:?}", related.explanation());
        assert!(same.account.is_clear(), "{:?}", same.explanation());
    }

    #[test]
    fn a_synonym_counts_less_than_the_word_itself() {
        let score = |question: &str| {
            let found = linked(question);
            found
                .links
                .iter()
                .filter(|link| matches!(link.target, Target::Table(_)))
                .map(|link| link.score)
                .fold(0.0, f32::max)
        };
        let (word, synonym) = (score("authors"), score("novelists"));
        assert!(synonym > 0.5 && synonym < 0.85 * word, "{word} {synonym}");
    }

    #[test]
    fn the_evidence_says_that_it_is_a_synonym() {
        let options = Options { today: jiff::civil::date(2024, 6, 15), ..Options::default() };
        let lines = |question: &str| understand(question, &library(), &options).candidates[0].explanation();
        let taken = "`novelists` is taken for author (synonym)".to_owned();
        assert!(lines("How many novelists are there?").contains(&taken));
        assert!(!lines("How many authors are there?").iter().any(|line| line.contains("synonym")));
    }
}
