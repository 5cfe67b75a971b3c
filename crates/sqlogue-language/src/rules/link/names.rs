//! Tables and columns by the words of their names.

use std::collections::{BTreeMap, HashMap};

use super::weights::{tells_all, weights_of};
use super::{Link, Target, deeds, hinted};
use crate::rules::event_date;
use crate::rules::grammar::price_and_quantity;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{Item, Knowledge, WordPlace};
use crate::rules::lexicon::Lexicon;
use crate::rules::stem::{is_doer, root, stem};
use crate::rules::text::{Question, Token, TokenKind};

/// Words that are part of names (*date of birth*) but never name anything alone.
pub(super) const WEAK: &[&str] = &[
    "of", "the", "a", "an", "in", "to", "by", "at", "on", "and", "for", "with", "is", "or", "not", "has",
    "have", "from", "as", "per",
];
/// Other words of a question that name nothing, whatever synonyms they have.
const SILENT: &[&str] = &[
    "what", "which", "who", "whose", "how", "many", "much", "show", "find", "give", "me", "are", "do",
    "does", "did", "was", "were", "be", "been", "that", "than", "more", "all", "there", "their", "them",
    "they", "its", "it", "each", "every", "any", "some", "please", "tell", "we", "our", "you", "your", "i",
    "my", "these", "those", "this", "return", "most", "least", "less", "between", "also", "both", "either",
];

/// Matches weaker than this say nothing.
pub(super) const MIN_COLUMN: f32 = 0.31;
pub(super) const MIN_TABLE: f32 = 0.45;
/// A view and a table of one name: the table is meant.
const VIEW: f32 = 0.97;
/// *amount* and *date* in a list, for the columns of a table that say what its rows are worth and when they happened, whatever
/// these are called.
const LISTED: f32 = 0.7;
/// A compound by its last word: *work* for `artwork`.
const COMPOUND: f32 = 0.75;
/// *fuel* for `fuel_fills`, where it is asked what that costs.
const COSTING: f32 = 0.5;
/// The column that a unit names, *length in words*, however little of its name that is.
const UNIT: f32 = 0.85;
/// A date that says when something was done, by another verb: *made* for `booked_on`.
const DEED: f32 = 0.85;
/// A verb with its particle, for the noun that both make.
const RUN_TOGETHER: f32 = 0.9;
/// What a name that says *total* is better than the same without it.
const WHOLE: f32 = 0.02;
/// What is less than this is near, and not the same.
const NEARER: f32 = 0.8;
/// No name has more words than this.
const MAX_WORDS: usize = 6;

/// The places in names that a token matches, with how well: (item, form) to (position, quality).
pub(super) type Matches = HashMap<(Item, u16), Vec<(u16, f32)>>;

/// The words of a question with the places in names that each matches.
pub(super) struct Named<'a> {
    question: &'a Question,
    knowledge: &'a Knowledge,
    matches: Vec<Matches>,
}

impl<'a> Named<'a> {
    /// Looks up the words.
    pub(super) fn new(question: &'a Question, knowledge: &'a Knowledge) -> Self {
        let mut matches: Vec<Matches> =
            question.tokens.iter().map(|token| matches(token, knowledge)).collect();
        let dates: Vec<_> =
            (0..matches.len()).map(|at| deeds::dates(question, at, &matches, knowledge)).collect();
        for ((at, found), dates) in matches.iter_mut().enumerate().zip(dates) {
            add(found, &dates, DEED);
            for places in run_together(question, at, knowledge) {
                add(found, places, RUN_TOGETHER);
            }
        }
        if let Some(verb) = verb(question, &matches)
            && let Some(found) = matches.get_mut(verb)
        {
            // *did each customer place*: a verb is no synonym of a noun, whatever it looks like.
            for places in found.values_mut() {
                places.retain(|(_, quality)| *quality >= 1.0);
            }
            found.retain(|_, places| !places.is_empty());
        }
        Self { question, knowledge, matches }
    }

    /// Takes a word of the question for words of names.
    pub(super) fn add(&mut self, token: usize, places: &[WordPlace], quality: f32) {
        if let Some(matches) = self.matches.get_mut(token) {
            add(matches, places, quality);
        }
    }

    /// All tables and columns that spans of the question may name.
    pub(super) fn links(&self) -> Vec<Link> {
        links(self.question, self.knowledge, &self.matches)
    }
}

/// True for a word that names nothing, whatever it means.
pub(super) fn is_silent(word: &str) -> bool {
    WEAK.contains(&word) || SILENT.contains(&word)
}

fn links(question: &Question, knowledge: &Knowledge, matches: &[Matches]) -> Vec<Link> {
    let mut best: BTreeMap<(usize, usize, Item), f32> = BTreeMap::new();
    for start in 0..question.tokens.len() {
        if WEAK.contains(&question.word(start)) && !hinted::begins_role(question, knowledge, start) {
            continue;
        }
        let Some(first) = matches.get(start) else { continue };
        for (&(item, form), places) in first {
            // A column may be introduced by its table's name: *student name*, *the student's name*.
            if let Item::Table(table) = item
                && form == 0
            {
                for &column in &knowledge.table(table).columns {
                    for (form, _) in knowledge.column(column).forms.iter().enumerate() {
                        let form = u16::try_from(form).unwrap_or(u16::MAX);
                        extend(
                            question,
                            knowledge,
                            matches,
                            (Item::Column(column), form),
                            start,
                            true,
                            &mut best,
                        );
                    }
                }
            }
            let _ = places;
            extend(question, knowledge, matches, (item, form), start, false, &mut best);
        }
    }
    for (at, table) in hinted::costing(question, knowledge) {
        let slot = best.entry((at, at + 1, Item::Table(table))).or_insert(0.0);
        *slot = slot.max(COSTING);
    }
    for (at, column) in hinted::listed(question, knowledge, &best) {
        let slot = best.entry((at, at + 1, Item::Column(column))).or_insert(0.0);
        *slot = slot.max(LISTED);
    }
    // A word that begins the name of a role names nothing else.
    best.retain(|(start, end, item), _| match item {
        _ if !WEAK.contains(&question.word(*start)) => true,
        Item::Column(id) => {
            let form = knowledge.column(*id).forms.first();
            form.is_some_and(|form| form.len() == end - start)
                && hinted::begins_role(question, knowledge, *start)
        }
        Item::Table(_) => false,
    });
    for (start, end, table, score) in hinted::members(question, knowledge, &best) {
        best.insert((start, end, Item::Table(table)), score);
    }
    for (start, end, id, score) in hinted::units(question, knowledge, &best) {
        best.insert((start, end, Item::Column(id)), score.max(UNIT));
    }
    // Nobody's birth is *the date* of anything unless it is said.
    let says_date = |at: usize| matches!(question.word(at), "date" | "dates" | "day" | "time");
    best.retain(|(start, end, item), _| match item {
        Item::Column(id) => {
            *end > start + 1 || !says_date(*start) || !event_date::is_of_life(knowledge.column(*id))
        }
        Item::Table(_) => true,
    });
    let names_table = |at: usize| {
        matches.get(at).is_some_and(|found| found.keys().any(|(item, _)| matches!(item, Item::Table(_))))
    };
    best.retain(|(_, end, item), _| {
        let of_rows = end.checked_sub(2).is_some_and(names_table);
        !of_rows || !takes_a_part_for_all(question, *end, *item, knowledge)
    });
    best.into_iter()
        .map(|((start, end, item), score)| {
            let target = match item {
                Item::Table(table) => Target::Table(table),
                Item::Column(column) => Target::Column(column),
            };
            Link { start, end, target, score }
        })
        .collect()
}

/// True for *order value* taken for how many pieces were ordered, or for the price of one, where there are both.
fn takes_a_part_for_all(question: &Question, end: usize, item: Item, knowledge: &Knowledge) -> bool {
    let Item::Column(column) = item else { return false };
    let last = end.checked_sub(1).map_or("", |last| question.word(last));
    matches!(last, "amount" | "amounts" | "value")
        && question.word(end) != "of"
        && knowledge.column(column).forms.iter().flatten().all(|word| *word != stem(last))
        && price_and_quantity(knowledge, knowledge.column(column).table)
            .is_some_and(|(price, quantity)| price == column || quantity == column)
}

/// A word that fits the name of a table as well as this may be a subject, by a synonym or with a slip: *did each custmer place*.
const SUBJECT: f32 = 0.7;

/// The verb that *do*, *does* or *did* leaves in its plain form behind its subject, where the subject is a table.
fn verb(question: &Question, matches: &[Matches]) -> Option<usize> {
    let auxiliary =
        (0..question.tokens.len()).find(|at| matches!(question.word(*at), "do" | "does" | "did"))?;
    let names_table = |found: &Matches| {
        found.iter().any(|((item, _), places)| {
            matches!(item, Item::Table(_)) && places.iter().any(|(_, quality)| *quality >= SUBJECT)
        })
    };
    let subject =
        (auxiliary + 1..question.tokens.len()).find(|at| matches.get(*at).is_some_and(names_table))?;
    // What is followed by another verb belongs to the subject: *does each customer group have*.
    let another = matches!(question.word(subject + 2), "have" | "has" | "get" | "contain" | "include");
    (subject + 1 < question.tokens.len() && !another).then_some(subject + 1)
}

/// Follows one name from a token on, as long as each token is a word of it that was not used yet.
fn extend(
    question: &Question,
    knowledge: &Knowledge,
    matches: &[Matches],
    (item, form): (Item, u16),
    start: usize,
    after_table: bool,
    best: &mut BTreeMap<(usize, usize, Item), f32>,
) {
    let forms = knowledge.forms(item);
    let Some(words) = forms.get(usize::from(form)) else { return };
    let table_words: &[String] = match item {
        Item::Table(_) => &[],
        Item::Column(column) => knowledge.table_words(knowledge.column(column).table),
    };
    let weights = weights_of(knowledge, item, words, table_words);
    let total: f32 = weights.iter().sum();
    let mut used: Vec<u16> = Vec::new();
    let mut score = 0.0_f32;
    let mut at = start;
    let mut bonus = 0.0;
    if after_table {
        // Skip the table's words, and a possessive.
        let table = knowledge.table_of(item);
        while at < start + 3
            && matches
                .get(at)
                .is_some_and(|found| found.keys().any(|(other, _)| *other == Item::Table(table)))
            && !matches.get(at).is_some_and(|found| found.contains_key(&(item, form)))
        {
            at += 1;
            bonus = 0.12;
        }
        if at == start {
            return;
        }
        if question.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Possessive) {
            at += 1;
        }
    }
    while used.len() < MAX_WORDS {
        let Some(found) = matches.get(at) else { break };
        let place = found.get(&(item, form)).and_then(|places| {
            places
                .iter()
                .filter(|(place, _)| !used.contains(place))
                .max_by(|one, other| one.1.total_cmp(&other.1))
        });
        let Some(&(place, quality)) = place else { break };
        used.push(place);
        score += quality * weights.get(usize::from(place)).copied().unwrap_or(0.0);
        at += 1;
        if WEAK.contains(&question.word(at - 1)) || total <= 0.0 {
            continue;
        }
        // Later forms are poorer readings of the name.
        let penalty = if form == 0 { 1.0 } else { 0.95 };
        let penalty =
            if knowledge.table(knowledge.table_of(item)).is_view { penalty * VIEW } else { penalty };
        let mut cover = (score / total * penalty).min(1.0);
        // Words in another order than the name's are a weaker sign.
        if used.windows(2).any(|pair| matches!(pair, [one, other] if one > other)) {
            cover *= 0.95;
        }
        let least = if matches!(item, Item::Table(_)) { MIN_TABLE } else { MIN_COLUMN };
        if cover >= least {
            if matches!(item, Item::Column(_)) && form == 0 && tells_all(words, &used) {
                bonus += WHOLE;
            }
            let slot = best.entry((start, at, item)).or_insert(0.0);
            *slot = slot.max((cover + bonus).min(1.1));
        }
    }
}

fn add(matches: &mut Matches, places: &[WordPlace], quality: f32) {
    for place in places {
        let found = matches.entry((place.item, place.form)).or_default();
        match found.iter_mut().find(|(position, _)| *position == place.position) {
            Some((_, known)) => *known = known.max(quality),
            None => found.push((place.position, quality)),
        }
    }
}

/// *sign-ups* of a column `signed_up_on`: the parts are words of one name, of which the first stands for all.
fn hyphenated(token: &Token, knowledge: &Knowledge, add: &mut impl FnMut(&[WordPlace], f32)) {
    let parts: Vec<&str> = token.lower.split('-').collect();
    let [first, rest @ ..] = parts.as_slice() else { return };
    if rest.is_empty() {
        return;
    }
    let places = |part: &str| {
        let mut places = knowledge.places_of_stem(&stem(part)).to_vec();
        places.extend_from_slice(knowledge.places_of_root(&root(part)));
        places
    };
    let others: Vec<Vec<WordPlace>> = rest.iter().map(|part| places(part)).collect();
    let same = |one: &WordPlace, other: &WordPlace| one.item == other.item && one.form == other.form;
    let mut found = places(first);
    found.retain(|place| others.iter().all(|other| other.iter().any(|other| same(place, other))));
    add(&found, parts.len() as f32);
}

/// *checked in* of a table `checkins`, *logged in* of a `last_login`: the verb and its particle are one word there.
fn run_together<'a>(question: &Question, at: usize, knowledge: &'a Knowledge) -> Vec<&'a [WordPlace]> {
    const PARTICLES: [&str; 7] = ["in", "out", "up", "off", "on", "back", "over"];
    let particle = question.word(at + 1);
    let Some(token) = question.tokens.get(at).filter(|_| PARTICLES.contains(&particle)) else {
        return Vec::new();
    };
    let root =
        token.lower.strip_suffix("ed").or_else(|| token.lower.strip_suffix("ing")).unwrap_or(&token.lower);
    let bytes = root.as_bytes();
    let is_doubled = bytes.len() > 2 && bytes.last() == bytes.iter().rev().nth(1);
    let single = root.get(..root.len() - 1).filter(|_| is_doubled);
    let verbs = [Some(root), single, Some(token.stem.as_str())];
    let joined = verbs.into_iter().flatten().map(|verb| format!("{verb}{particle}"));
    joined.map(|word| knowledge.places_of_stem(&word)).filter(|places| !places.is_empty()).collect()
}

fn matches(token: &Token, knowledge: &Knowledge) -> Matches {
    let mut matches = Matches::new();
    if !matches!(token.kind, TokenKind::Word | TokenKind::Number) || SILENT.contains(&token.lower.as_str()) {
        return matches;
    }
    let mut add = |places: &[WordPlace], quality: f32| add(&mut matches, places, quality);
    let found = !knowledge.places_of_stem(&token.stem).is_empty()
        || !knowledge.places_of_root(&token.root).is_empty()
        || !Lexicon::embedded().similar(&token.stem).is_empty()
        || !Lexicon::embedded().expansions(&token.lower).is_empty();
    add(knowledge.places_of_stem(&token.stem), 1.0);
    if WEAK.contains(&token.lower.as_str()) {
        return matches;
    }
    // *brewed date*, *date opened*: `brewed_on`, `opened_at`.
    for (word, said) in [("on", ["date", "dates", "day"]), ("at", ["date", "dates", "time"])] {
        if said.contains(&token.lower.as_str()) {
            add(knowledge.places_of_stem(word), 1.0);
        }
    }
    let lexicon = Lexicon::embedded();
    for expansion in lexicon.expansions(&token.lower) {
        if let [word] = expansion.as_slice() {
            add(knowledge.places_of_stem(word), 0.9);
        }
    }
    if token.root.len() >= 3 {
        add(knowledge.places_of_root(&token.root), 0.85);
    }
    let is_written_out = token.kind == TokenKind::Word && token.lower.len() >= 4;
    for (similar, quality) in lexicon.similar(&token.stem) {
        add(knowledge.places_of_stem(similar), *quality);
        if is_written_out {
            for (places, sure) in knowledge.places_of_short(similar) {
                add(places, sure * *quality);
            }
        }
    }
    if is_written_out {
        // A name that is only here abbreviated so: `vsl` for *vessel*.
        for (places, sure) in knowledge.places_of_short(&token.stem) {
            add(places, sure);
        }
    }
    if token.stem != token.lower {
        for (similar, quality) in lexicon.similar(&token.lower) {
            add(knowledge.places_of_stem(similar), *quality);
        }
    }
    if knowledge.places_of_stem(&token.stem).is_empty() {
        hyphenated(token, knowledge, &mut add);
        for places in knowledge.places_of_compound(&token.stem) {
            add(places, COMPOUND);
        }
    }
    if !found && token.kind == TokenKind::Word && token.lower.len() >= 5 && !lexicon.is_word(&token.stem) {
        // A slip of the keyboard: *salaray*.
        for places in knowledge.places_of_misspelt(&token.stem) {
            add(places, 0.8);
        }
    }
    if token.root != token.stem {
        for (similar, quality) in lexicon.similar(&token.root) {
            add(knowledge.places_of_stem(similar), quality * 0.9);
        }
    }
    own_name_only(&mut matches, knowledge);
    doers_only(token, &mut matches, knowledge);
    deeds_only(token, &mut matches, knowledge);
    matches
}

/// Where a column bears the very word for who does something, no date is meant of when it was done: a *brewer* is `brewer_id`, and
/// not `brewed_on`.
fn doers_only(token: &Token, matches: &mut Matches, knowledge: &Knowledge) {
    let is_doer = token.stem != token.root && (token.stem.ends_with("er") || token.stem.ends_with("or"));
    let is_said = |places: &[(u16, f32)]| places.iter().any(|(_, quality)| *quality >= 1.0);
    let is_reference = |item: &Item| match item {
        Item::Column(column) => knowledge.column(*column).kind == ColumnKind::Reference,
        Item::Table(_) => false,
    };
    if is_doer && matches.iter().any(|((item, _), places)| is_reference(item) && is_said(places)) {
        matches.retain(|(item, _), places| match item {
            Item::Column(column) => is_said(places) || !event_date::holds_days(knowledge.column(*column)),
            Item::Table(_) => true,
        });
    }
}

/// Where a date says when something was done, no table is meant of those who do it, nor a text: *shipped* is `shipped_on`, and
/// neither the shippers nor a `ship_name`.
fn deeds_only(token: &Token, matches: &mut Matches, knowledge: &Knowledge) {
    let tells_when = |(item, places): (&Item, &Vec<(u16, f32)>)| match item {
        Item::Column(column) => {
            event_date::holds_days(knowledge.column(*column))
                && places.iter().any(|(_, quality)| *quality >= 1.0)
        }
        Item::Table(_) => false,
    };
    if !token.lower.ends_with("ed") || !matches.iter().any(|((item, _), places)| tells_when((item, places))) {
        return;
    }
    matches.retain(|(item, _), places| {
        let is_said = places.iter().any(|(_, quality)| *quality >= 1.0);
        is_said
            || match item {
                Item::Table(table) => {
                    let last = knowledge.table(*table).forms.first().and_then(|form| form.last());
                    !last.is_some_and(|last| is_doer(last, &token.lower) && root(last) == token.root)
                }
                Item::Column(column) => {
                    let column = knowledge.column(*column);
                    column.numeric || event_date::holds_days(column)
                }
            }
    });
}

/// Where a word is the whole name of a table, it is nobody else's near synonym: *newsletters* are not the `email`.
fn own_name_only(matches: &mut Matches, knowledge: &Knowledge) {
    let is_name = |((item, form), places): (&(Item, u16), &Vec<(u16, f32)>)| match item {
        Item::Table(table) => {
            let forms = &knowledge.table(*table).forms;
            forms.get(usize::from(*form)).is_some_and(|form| form.len() == 1)
                && places.iter().any(|(_, quality)| *quality >= 1.0)
        }
        Item::Column(_) => false,
    };
    if matches.iter().any(is_name) {
        for places in matches.values_mut() {
            places.retain(|(_, quality)| *quality >= NEARER);
        }
        matches.retain(|_, places| !places.is_empty());
    }
}

#[cfg(test)]
mod tests;
