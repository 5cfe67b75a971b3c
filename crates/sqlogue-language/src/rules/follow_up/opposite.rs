//! The opposite: `which did not?`, `show the others`.

use super::Proposal;
use super::previous::Previous;
use super::reading::Reading;
use crate::rules::cue::Cue;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{Condition, Expr, PlanEdit, TableUse};

const OTHERS: &[&str] = &[
    "the others",
    "the rest",
    "the opposite",
    "the other ones",
    "all others",
    "everyone else",
    "the remaining ones",
    "the remaining",
];

/// `and which have?` after `which have never …`: the rows that were left out.
fn positive(text: &str, previous: &Previous<'_>) -> Option<Proposal> {
    const WORDS: &[&str] = &[
        "which", "who", "ones", "of", "them", "those", "have", "has", "do", "does", "did", "are", "were",
        "is",
    ];
    let bare = text.starts_with("which") || text.starts_with("who");
    if !bare || !text.split(' ').all(|word| WORDS.contains(&word)) || text.split(' ').count() < 2 {
        return None;
    }
    let left_out = previous
        .conditions()
        .find(|condition| matches!(condition, Condition::InQuery { negated: true, .. }))?;
    let Condition::InQuery { expr, query, .. } = left_out else { return None };
    let condition = Condition::InQuery { expr: expr.clone(), query: query.clone(), negated: false };
    Some(Proposal::new("those that were left out before", vec![PlanEdit::ReplaceFilter { condition }]))
}

/// What asks for the opposite, and names no column.
const PASSED_OVER: &[&str] = &[
    "except",
    "besides",
    "excluding",
    "apart",
    "than",
    "all",
    "show",
    "but",
    "which",
    "who",
    "what",
    "not",
    "never",
    "don't",
    "opposite",
    "others",
    "other",
    "rest",
    "remaining",
    "everyone",
    "else",
    "had",
    "list",
    "none",
    "without",
    "any",
    "among",
    "part",
];

/// How a follow-up ends that asks which rows do not.
const NOT: &[&str] = &[
    "not",
    "don't",
    "do not",
    "does not",
    "did not",
    "have not",
    "has not",
    "are not",
    "is not",
    "were not",
    "was not",
    "never",
    "with none",
    "have none",
    "has none",
    "had none",
    "without any",
    "with no one",
    "for none",
    "by none",
    "in none",
];

/// What a question of nothing but *not* has beside it.
const AUXILIARIES: &[&str] =
    &["do", "does", "did", "not", "have", "has", "are", "is", "were", "was", "never", "had"];

/// True for `show all shops except for those`.
fn leaves_those_out(text: &str) -> bool {
    ["those", "these", "them", "that", "these ones", "those ones"].iter().any(|set| {
        [
            "except for",
            "except",
            "other than",
            "besides",
            "but not",
            "excluding",
            "apart from",
            "not one of",
            "not any of",
            "none of",
            "not among",
            "not part of",
        ]
        .iter()
        .any(|but| text.ends_with(&format!("{but} {set}")))
    })
}

/// The columns that are asked for of the other rows; none where the opposite is not asked for.
fn shown_too(text: &str, reading: &Reading, previous: &Previous<'_>) -> Option<Vec<Expr>> {
    let bare_not = NOT.iter().any(|ending| text.ends_with(ending));
    let of_entity = |chunk: &Chunk| {
        chunk.tables.iter().any(|(table, score)| *score > 0.6 && *table == previous.entity().1)
    };
    let is_auxiliary = |chunk: &Chunk| chunk.text.split(' ').all(|word| AUXILIARIES.contains(&word));
    let mut rest = reading.content(PASSED_OVER);
    // *which are compatible with none?* after *compatible with at least one*
    let was_said = |chunk: &Chunk| bare_not && chunk.number.is_none() && previous.has_said(&chunk.text);
    rest.retain(|chunk| !of_entity(chunk) && !is_auxiliary(chunk) && !was_said(chunk));
    let other = reading.starts(&[
        "list all the other",
        "show all the other",
        "list the other",
        "show the other",
        "what are the other",
        "all the other",
        "the other",
    ]);
    // `show the names of all shops except for those`
    if leaves_those_out(text) || other || bare_not && reading.starts(&["which", "what"]) {
        rest.retain(|chunk| {
            !matches!(chunk.cue, Some(Cue::NotEqual | Cue::Show | Cue::All | Cue::Which | Cue::Not))
        });
        let column = |chunk: &Chunk| {
            let found = super::reading::column(chunk, previous)?;
            (found.column.table == previous.entity().0).then(|| found.expr())
        };
        return rest.into_iter().map(column).collect();
    }
    // *what about no races?* after those that have some
    let select = previous.select();
    let none_of = reading.again && reading.has(&["no", "without", "without any"]) && !select.joins.is_empty();
    let joined = |chunk: &Chunk| {
        let is_other = |(table, score): &(_, f32)| {
            *score > 0.6 && *table != previous.entity().1 && previous.uses(*table).is_some()
        };
        chunk.tables.iter().any(is_other)
    };
    let rows: Vec<&Chunk> = reading.content(&["no", "without", "any", "all"]);
    if none_of
        && !rows.is_empty()
        && rows.iter().all(|chunk| joined(chunk))
        && previous.conditions().all(Condition::is_aggregate)
    {
        return Some(Vec::new());
    }
    // `which singer names do not?` says what to show as well; that is for the composer.
    (rest.is_empty() && (bare_not || reading.has(OTHERS))).then(Vec::new)
}

/// The rows that were not meant before.
pub(super) fn opposite(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let text = reading.text.trim_end_matches(['?', '.', '!', ' ']);
    if let Some(proposal) = positive(text, previous) {
        return Some(proposal);
    }
    let columns = shown_too(text, reading, previous)?;
    let (name, table) = previous.entity();
    let key = previous.key()?;
    // The rows of a group are not told apart by the group, so there are no other rows to speak of.
    if previous.plan.select.group_by.iter().any(|by| *by != Expr::Column(key.clone())) {
        return None;
    }
    let entity = TableUse { table: previous.knowledge.table(table).name.clone(), alias: None };
    let entity =
        if entity.table == name { entity } else { TableUse { alias: Some(name.to_owned()), ..entity } };
    let mut edits = vec![PlanEdit::Negate { entity, key }];
    if !columns.is_empty() {
        edits.push(PlanEdit::ReplaceColumns { columns });
    }
    Some(Proposal::new("those that were not meant before", edits))
}
