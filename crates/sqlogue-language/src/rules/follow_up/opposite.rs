//! The opposite: `which did not?`, `show the others`.

use super::previous::Previous;
use super::reading::Reading;
use super::{Proposal, order};
use crate::rules::cue::Cue;
use crate::rules::knowledge::TableId;
use crate::rules::link::Chunk;
use sqlogue_sql::plan::{
    Aggregate, ColumnRef, Condition, Expr, PlanEdit, Projection, QueryPlan, Select, Source, TableUse,
};

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
            "not in",
        ]
        .iter()
        .any(|but| text.ends_with(&format!("{but} {set}")))
    }) || OUTSIDE.iter().any(|outside| text.ends_with(outside))
}

/// What is said of rows that are not in what was shown.
const OUTSIDE: &[&str] = &[
    "not in there",
    "not in it",
    "not on it",
    "not in this",
    "not in the list",
    "not in this list",
    "not in that list",
    "not on the list",
    "not on this list",
    "not on that list",
    "not in the result",
    "not in the results",
    "not in the result list",
];

/// Where the other rows of a table are spoken of: *the titles of all other courses*.
fn speaks_of_other(reading: &Reading, table: TableId) -> bool {
    let names = |chunk: &Chunk| chunk.tables.iter().any(|(id, score)| *score > 0.6 && *id == table);
    let question = &reading.question;
    reading.chunks.iter().filter(|chunk| names(chunk)).any(|chunk| {
        let word = |back: usize| chunk.start.checked_sub(back).map_or("", |at| question.word(at));
        matches!(word(1), "other" | "remaining") && matches!(word(2), "the" | "all" | "any" | "every")
    })
}

/// The columns that are asked for of the other rows; none where the opposite is not asked for.
fn shown_too(text: &str, reading: &Reading, previous: &Previous<'_>, rows: &Rows) -> Option<Vec<Expr>> {
    let bare_not = NOT.iter().any(|ending| text.ends_with(ending));
    let of_entity =
        |chunk: &Chunk| chunk.tables.iter().any(|(table, score)| *score > 0.6 && *table == rows.table);
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
    let of_set = leaves_those_out(text) || speaks_of_other(reading, rows.table);
    if of_set || other || bare_not && reading.starts(&["which", "what"]) {
        rest.retain(|chunk| {
            !matches!(
                chunk.cue,
                Some(Cue::NotEqual | Cue::Show | Cue::All | Cue::Which | Cue::Not | Cue::HowMany)
            ) && chunk.number.is_none()
        });
        let knowledge = previous.knowledge;
        let column = |chunk: &Chunk| {
            let named = chunk
                .columns
                .iter()
                .filter(|(id, score)| *score >= 0.5 && knowledge.column(*id).table == rows.table);
            let (id, _) = named.max_by(|one, other| one.1.total_cmp(&other.1))?;
            Some(Expr::column(&rows.name, &knowledge.column(*id).name))
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

/// The rows that are told apart from those that were shown.
struct Rows {
    /// Their table, by which name a plan of the others uses it.
    table: TableId,
    name: String,
    /// The key of the table.
    key: ColumnRef,
    /// The column that refers to them in what was shown, where they are of another table than what was asked about.
    reference: Option<Expr>,
}

impl Rows {
    /// The rows that were shown; where they were shown by the numbers that refer to them, those of the other table.
    fn of(previous: &Previous<'_>) -> Option<Self> {
        let knowledge = previous.knowledge;
        if let Some((reference, table)) = referred(previous) {
            let [key] = knowledge.table(table).key.as_slice() else { return None };
            let name = knowledge.table(table).name.clone();
            let key = ColumnRef::new(&name, &knowledge.column(*key).name);
            return Some(Self { table, name, key, reference: Some(reference) });
        }
        let (name, table) = previous.entity();
        let key = previous.key()?;
        // The rows of a group are not told apart by the group, so there are no other rows to speak of.
        let of_groups = previous.plan.select.group_by.iter().any(|by| *by != Expr::Column(key.clone()));
        (!of_groups).then(|| Self { table, name: name.to_owned(), key, reference: None })
    }

    /// The rows of the table that nothing which was shown refers to.
    fn not_referred_to(&self, reference: &Expr, columns: &[Expr], previous: &Previous<'_>) -> QueryPlan {
        let mut meant = previous.plan.clone();
        meant.order_by.clear();
        meant.select.distinct = false;
        meant.select.projection = vec![Projection::from(reference.clone())];
        let key = Expr::Column(self.key.clone());
        let shown = if columns.is_empty() { vec![key.clone()] } else { columns.to_vec() };
        QueryPlan::from(Select {
            projection: shown.into_iter().map(Projection::from).collect(),
            from: Source::Table(TableUse::new(&self.name)),
            filter: Some(Condition::none_of(key, meant)),
            ..Select::default()
        })
    }
}

/// The one column that was shown, and the table to whose rows it refers.
fn referred(previous: &Previous<'_>) -> Option<(Expr, TableId)> {
    let plan = previous.plan;
    let [shown] = plan.select.projection.as_slice() else { return None };
    let Expr::Column(column) = &shown.expr else { return None };
    let id = previous.id_of(column)?;
    let edge = previous.knowledge.joins().reference(id)?;
    let is_plain = plan.set_operations.is_empty() && plan.limit.is_none() && plan.with.is_empty();
    let other = edge.to != previous.knowledge.column(id).table && edge.columns.len() == 1;
    (is_plain && other).then(|| (shown.expr.clone(), edge.to))
}

/// The rows that were not meant before.
pub(super) fn opposite(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    if order::asks_for_other_end(reading, previous) {
        return None;
    }
    let text = reading.bare();
    if let Some(proposal) = positive(text, previous) {
        return Some(proposal);
    }
    let rows = Rows::of(previous)?;
    let columns = shown_too(text, reading, previous, &rows)?;
    let mut edits = match &rows.reference {
        Some(reference) => {
            let others = rows.not_referred_to(reference, &columns, previous);
            vec![PlanEdit::restate(previous.plan, others)]
        }
        None => negation(&rows, columns, previous)?,
    };
    if reading.starts(&["how many", "count"]) {
        edits.push(PlanEdit::Aggregate { function: Aggregate::Count, argument: None });
    }
    Some(Proposal::new("those that were not meant before", edits))
}

/// The edits that show the rows of the table that were not meant; none where all of them were.
fn negation(rows: &Rows, columns: Vec<Expr>, previous: &Previous<'_>) -> Option<Vec<PlanEdit>> {
    let plan = previous.plan;
    let meant_all = plan.select.filter.is_none()
        && plan.select.having.is_none()
        && plan.select.joins.is_empty()
        && plan.limit.is_none()
        && plan.set_operations.is_empty()
        && matches!(plan.select.from, Source::Table(_));
    if meant_all {
        return None;
    }
    let table = previous.knowledge.table(rows.table).name.clone();
    let alias = (table != rows.name).then(|| rows.name.clone());
    let mut edits = vec![PlanEdit::Negate { entity: TableUse { table, alias }, key: rows.key.clone() }];
    if !columns.is_empty() {
        edits.push(PlanEdit::ReplaceColumns { columns });
    }
    Some(edits)
}
