//! What is shown: `also show the email`, `without the price`, `their names instead`.

use super::previous::{Found, Previous};
use super::reading::{self, Reading};
use super::{Proposal, extreme};
use crate::rules::cue::Cue;
use crate::rules::knowledge::ColumnId;
use crate::rules::link::Chunk;
use crate::rules::stem::root;
use sqlogue_sql::plan::{Aggregate, Expr, Order, PlanEdit};

/// The columns that are named, where nothing else is.
fn only_columns(reading: &Reading, previous: &Previous<'_>, ignored: &[&str]) -> Option<Vec<Found>> {
    let mut columns: Vec<Found> = Vec::new();
    let shown: Vec<Expr> = previous.plan.select.projection.iter().map(|shown| shown.expr.clone()).collect();
    let mut named_to = 0;
    for chunk in reading.content(ignored) {
        // *phone numbers* are what the phone is called by.
        let is_number = matches!(chunk.text.as_str(), "number" | "numbers");
        if is_number && !columns.is_empty() && chunk.start == named_to {
            continue;
        }
        // `also the name for those ids`: the ids are there.
        if reading.also && reading::names_any(chunk, &shown, previous) {
            continue;
        }
        if matches!(
            chunk.cue,
            Some(
                Cue::Show
                    | Cue::And
                    | Cue::Comma
                    | Cue::Stop
                    | Cue::Each
                    | Cue::Be
                    | Cue::All
                    | Cue::Have
                    | Cue::Distinct
                    | Cue::HowMuch
            )
        ) && !chunk.is_schema()
        {
            continue;
        }
        if let Some(found) = reading::column(chunk, previous) {
            named_to = chunk.end;
            for found in whole_name(chunk, found, previous) {
                if !columns.iter().any(|other| other.column == found.column) {
                    columns.push(found);
                }
            }
        } else if !is_entity(chunk, previous) && (chunk.number.is_some() || !previous.has_said(&chunk.text)) {
            return None;
        }
    }
    (!columns.is_empty()).then_some(columns)
}

/// *their names* are the first and the last name, where a name is kept in two columns.
fn whole_name(chunk: &Chunk, found: Found, previous: &Previous<'_>) -> Vec<Found> {
    let entry = previous.knowledge.column(found.id);
    let label = &previous.knowledge.table(entry.table).label;
    let is_bare = matches!(chunk.text.as_str(), "name" | "names" | "full name" | "full names");
    if !is_bare || label.len() < 2 || !label.contains(&found.id) {
        return vec![found];
    }
    label.iter().filter_map(|id| previous.find(&[(*id, found.score)])).collect()
}

pub(super) fn is_entity(chunk: &Chunk, previous: &Previous<'_>) -> bool {
    reading::is_known_table(chunk, previous)
}

pub(super) fn joins(columns: &[Found]) -> Vec<PlanEdit> {
    let joins: Vec<_> =
        columns.iter().flat_map(|found| found.joins.clone()).fold(Vec::new(), |mut all, join| {
            if !all.contains(&join) {
                all.push(join);
            }
            all
        });
    if joins.is_empty() { Vec::new() } else { vec![PlanEdit::AddJoin { joins }] }
}

/// `add the email`, `show their cities too`.
pub(super) fn added(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let with = reading.starts(&["with", "and their", "along with", "together with", "plus"]);
    // `and their emails`, but not `and who …`
    let and = reading.and && !reading.starts(&["what", "which", "who", "where", "when", "show", "in", "for"]);
    if !reading.also && !with && !and {
        return None;
    }
    if reading.has(&["how many", "number of", "filter", "condition"]) {
        return None;
    }
    let columns = only_columns(
        reading,
        previous,
        &[
            "what", "addition", "field", "want", "know", "extra", "find", "list", "get", "need", "like",
            "number",
        ],
    )?;
    if previous.is_one_summary() {
        return extreme::beside(&columns, previous);
    }
    if columns.iter().any(|found| is_summed(found, previous)) {
        return None;
    }
    let columns: Vec<Found> = columns.into_iter().map(|found| previous.beside_every_row(found)).collect();
    let mut edits = joins(&columns);
    let shown = previous.plan.select.projection.iter().map(|shown| &shown.expr).collect::<Vec<_>>();
    let new: Vec<&Found> = columns.iter().filter(|found| !shown.contains(&&found.expr())).collect();
    if new.is_empty() {
        return Some(Proposal::new("that is shown already", Vec::new()));
    }
    edits.extend(new.into_iter().map(|found| PlanEdit::AddColumn { expr: found.expr() }));
    Some(Proposal::new("columns on top", edits))
}

/// *seats as well* of groups whose rows are summed up: a number that each row has is summed up too, and makes no groups.
fn is_summed(found: &Found, previous: &Previous<'_>) -> bool {
    let column = previous.knowledge.column(found.id);
    let (select, table) = (&previous.plan.select, &found.column.table);
    let is_of = |expr: &Expr| expr.columns().iter().any(|column| column.table == *table);
    let is_number = column.numeric && !column.is_key && !column.is_foreign;
    is_number
        && !select.group_by.is_empty()
        && !select.group_by.iter().any(is_of)
        && previous.summaries().into_iter().any(is_of)
}

/// `when were they hired?`: the date whose name is nearest to what happened, or the only one.
pub(super) fn when(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    // *when did they last order?* asks for the last time of many, which no date of theirs is.
    let asks_for_end = reading.has(&["first", "last", "latest", "recently"]);
    if !reading.starts(&["when", "since when"]) || asks_for_end || previous.is_one_summary() {
        return None;
    }
    let column = date_said(reading, previous)?;
    // Whoever asks when *they* were hired wants to see who they are.
    let shown = &previous.plan.select.projection;
    let names_rows = shown.iter().any(|one| match &one.expr {
        Expr::Column(column) => previous.id_of(column).is_some_and(|id| previous.is_name(id)),
        _ => false,
    });
    let edit = match names_rows && !shown.iter().any(|one| one.expr == column) {
        true => PlanEdit::AddColumn { expr: column },
        false => PlanEdit::ReplaceColumns { columns: vec![column] },
    };
    Some(Proposal::new("the date of what was shown", vec![edit]))
}

/// What people do is told by.
const OCCUPATIONS: &[&str] = &["role", "job", "position", "occupation", "profession", "title", "trade"];

/// `what do they do?` after names of people: their work beside their names.
pub(super) fn occupation(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let words: Vec<&str> = reading.bare().split(' ').collect();
    let asks = match words.as_slice() {
        ["what", "do" | "does", "they" | "he" | "she", "do" | "work", rest @ ..] => rest
            .iter()
            .all(|word| matches!(*word, "there" | "as" | "all" | "exactly" | "for" | "living" | "a")),
        _ => false,
    };
    let select = &previous.plan.select;
    if !asks || !select.group_by.is_empty() || select.projection.is_empty() || previous.is_one_summary() {
        return None;
    }
    let (name, table) = previous.entity();
    let columns = &previous.knowledge.table(table).columns;
    let is_called = |id: &ColumnId, work: &str| {
        previous.knowledge.column(*id).forms.iter().any(|form| form.last().is_some_and(|word| word == work))
    };
    let id = OCCUPATIONS.iter().find_map(|work| columns.iter().find(|id| is_called(id, work)))?;
    let expr = Expr::column(name, &previous.knowledge.column(*id).name);
    (!previous.shown().contains(&expr))
        .then(|| Proposal::new("what they do", vec![PlanEdit::AddColumn { expr }]))
}

/// `where do they live?`: where the rows are that were shown, beside their names.
pub(super) fn place(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let words: Vec<&str> = reading.bare().split(' ').collect();
    let asks = match words.as_slice() {
        ["where" | "from where", verb, subject, rest @ ..] => {
            matches!(*verb, "do" | "does" | "are" | "is" | "did")
                && matches!(*subject, "they" | "he" | "she" | "it" | "these" | "those" | "them")
                && rest.iter().all(|word| AT_A_PLACE.contains(word))
        }
        _ => false,
    };
    let select = &previous.plan.select;
    if !asks || previous.is_one_summary() || !select.group_by.is_empty() || select.projection.is_empty() {
        return None;
    }
    let (name, table) = previous.entity();
    let columns = &previous.knowledge.table(table).columns;
    let is_called = |id: &ColumnId, place: &str| {
        let forms = &previous.knowledge.column(*id).forms;
        forms.iter().any(|form| form.last().is_some_and(|word| word == place))
    };
    let shown = previous.shown();
    let id = PLACES.iter().find_map(|place| columns.iter().find(|id| is_called(id, place)))?;
    let expr = Expr::column(name, &previous.knowledge.column(*id).name);
    (!shown.contains(&expr)).then(|| Proposal::new("where they are", vec![PlanEdit::AddColumn { expr }]))
}

/// Columns that tell where something is, the plainest first.
const PLACES: &[&str] = &[
    "city", "town", "village", "location", "area", "district", "region", "state", "province", "country",
    "address",
];
/// What may stand behind *where do they*.
const AT_A_PLACE: &[&str] = &[
    "live", "lives", "living", "come", "from", "located", "based", "situated", "reside", "sit", "all", "be",
    "at", "found",
];

/// `which one joined first?`
pub(super) fn earliest(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let direction = reading.chunks.iter().find_map(|chunk| {
        chunk.cues().find_map(|cue| match cue {
            Cue::Ordinal(direction) => Some(direction),
            _ => None,
        })
    })?;
    let words = ["first", "last", "recently", "most", "earliest", "latest"];
    let verbs: Vec<_> = reading
        .content(&words)
        .into_iter()
        .filter(|chunk| {
            !matches!(chunk.cue, Some(Cue::Which | Cue::Who | Cue::Stop | Cue::Be))
                && !reading::is_known_table(chunk, previous)
        })
        .collect();
    if !reading.starts(&["which", "who"])
        || verbs.len() != 1
        || previous.is_one_summary()
        || previous.plan.limit.is_some()
    {
        return None;
    }
    let expr = date_said(reading, previous)?;
    let order = vec![Order { expr, direction }];
    let edits = vec![PlanEdit::SetOrder { order }, PlanEdit::SetLimit { limit: 1 }];
    Some(Proposal::new("the first or the last by date", edits))
}

/// The date of what was asked about that the words speak of, or its only date.
fn date_said(reading: &Reading, previous: &Previous<'_>) -> Option<Expr> {
    let (name, table) = previous.entity();
    let columns = &previous.knowledge.table(table).columns;
    let dates: Vec<ColumnId> = columns
        .iter()
        .copied()
        .filter(|id| previous.knowledge.column(*id).column_type.is_temporal())
        .collect();
    let is_said = |id: &&ColumnId| {
        reading.text.split(' ').any(|word| {
            let said = root(word);
            previous.knowledge.column(**id).forms.iter().flatten().any(|part| root(part) == said)
        })
    };
    let date = dates.iter().find(is_said).or(match dates.as_slice() {
        [one] => Some(one),
        // What has a beginning and an end is since the first of its dates.
        [one, ..] if reading.starts(&["since when"]) => Some(one),
        _ => None,
    })?;
    Some(Expr::column(name, &previous.knowledge.column(*date).name))
}

/// `without duplicates`, `only the distinct ones`.
pub(super) fn distinct(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let asks = reading.has(&[
        "duplicates",
        "duplicate",
        "distinct",
        "unique",
        "repeats",
        "repetitions",
        "deduplicate",
        "deduplicated",
        "twice",
    ]);
    let words = [
        "duplicates",
        "duplicate",
        "distinct",
        "unique",
        "remove",
        "without",
        "filter",
        "no",
        "any",
        "different",
        "repeats",
        "repetitions",
        "deduplicate",
        "deduplicated",
        "results",
        "result",
        "not",
        "twice",
        "eliminate",
        "get",
        "rid",
        "drop",
        "list",
        "entries",
    ];
    let shown = previous.shown();
    let nothing_else = reading.content(&words).iter().all(|chunk| {
        reading::is_known_table(chunk, previous)
            || matches!(
                chunk.cue,
                Some(Cue::Show | Cue::Distinct | Cue::All | Cue::Not | Cue::Which | Cue::Be | Cue::Stop)
            )
            || reading::column(chunk, previous).is_some_and(|found| shown.contains(&found.expr()))
    });
    if !asks || !nothing_else || previous.plan.select.distinct || reading.starts(&["how many", "count"]) {
        return None;
    }
    let mut edits = Vec::new();
    // `the distinct names in that list`: of the columns shown only these.
    let named: Vec<Expr> = reading
        .content(&words)
        .into_iter()
        .filter_map(|chunk| reading::column(chunk, previous))
        .map(|found| found.expr())
        .collect();
    if !named.is_empty() && named.len() < shown.len() {
        edits.push(PlanEdit::ReplaceColumns { columns: named });
    }
    edits.push(PlanEdit::SetDistinct { distinct: true });
    Some(Proposal::new("equal rows once", edits))
}

/// `remove the price`, `without the city column`.
pub(super) fn removed(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    const VERBS: &[&str] = &[
        "remove",
        "drop",
        "hide",
        "exclude",
        "without",
        "omit",
        "leave out",
        "delete",
        "do not show",
        "don't show",
        "skip",
        "do not include",
        "get rid of",
        "take out",
        "take away",
        "no",
    ];
    if !reading.starts(VERBS) || reading.has(&["filter", "condition", "limit"]) {
        return None;
    }
    let ignored = &[
        "remove", "drop", "hide", "exclude", "without", "omit", "leave", "delete", "not", "don't", "skip",
        "rid", "get", "take", "away", "no",
    ];
    let summary = reading.content(ignored);
    if let [one] = summary.as_slice()
        && let Some(expr) = summary_named(one, previous)
    {
        return Some(Proposal::new("a summary less", vec![PlanEdit::RemoveColumn { expr }]));
    }
    let columns = only_columns(reading, previous, ignored)?;
    let shown = previous.shown();
    if !columns.iter().all(|found| shown.contains(&found.expr())) {
        return None;
    }
    let stars = previous.plan.select.projection.is_empty()
        || previous.plan.select.projection.iter().any(|shown| matches!(shown.expr, Expr::All(_)));
    let edits = if stars {
        let kept =
            shown.into_iter().filter(|expr| !columns.iter().any(|found| found.expr() == *expr)).collect();
        vec![PlanEdit::ReplaceColumns { columns: kept }]
    } else {
        columns.iter().map(|found| PlanEdit::RemoveColumn { expr: found.expr() }).collect()
    };
    Some(Proposal::new("columns less", edits))
}

/// The summary beside groups that `the count`, `the average` speaks of.
fn summary_named(chunk: &Chunk, previous: &Previous<'_>) -> Option<Expr> {
    let says_count = super::order::says_number(chunk);
    let function = super::count::function(chunk);
    previous
        .summaries()
        .into_iter()
        .find(|expr| match expr {
            Expr::Aggregate { function: Aggregate::Count, .. } => says_count,
            Expr::Aggregate { function: there, .. } => function == Some(*there),
            _ => false,
        })
        .cloned()
}

/// `show their names instead`, `what are their cities?`, `give me the emails`.
pub(super) fn replaced(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let refers = reading.refers();
    let asks = reading.starts(&[
        "what", "show", "give", "list", "find", "which", "return", "display", "tell", "get", "who", "when",
        "where",
    ]);
    let only = reading.only
        && (asks || reading.has(&["show", "list", "give", "see", "know", "need", "want", "tell"]));
    if !(reading.instead || (refers && asks) || only || reading.again) {
        return None;
    }
    // `instead of the name show the city`
    let columns = only_columns(
        reading,
        previous,
        &[
            "want",
            "know",
            "see",
            "need",
            "replace",
            "change",
            "swap",
            "rather",
            "come",
            "find",
            "get",
            "tell",
            "return",
            "list",
            "different",
            "when",
            "where",
        ],
    )?;
    let (gone, kept): (Vec<Found>, Vec<Found>) =
        if reading.has(&["instead of", "rather than", "replace", "change", "swap"]) && columns.len() > 1 {
            let shown = previous.shown();
            columns.into_iter().partition(|found| shown.contains(&found.expr()))
        } else {
            (Vec::new(), columns)
        };
    if kept.is_empty() || previous.is_one_summary() && previous.conditions().next().is_none() && !refers {
        return None;
    }
    let mut edits = joins(&kept);
    if super::counted::different(previous).is_some() {
        // What was counted once is shown once.
        edits.push(PlanEdit::SetDistinct { distinct: true });
    }
    if gone.is_empty() || previous.plan.select.projection.is_empty() {
        edits.push(PlanEdit::ReplaceColumns { columns: kept.iter().map(Found::expr).collect() });
    } else {
        edits.extend(kept.iter().map(|found| PlanEdit::AddColumn { expr: found.expr() }));
        edits.extend(gone.iter().map(|found| PlanEdit::RemoveColumn { expr: found.expr() }));
    }
    if reading.cue(Cue::Distinct) || reading.has(&["different", "distinct", "unique"]) {
        edits.push(PlanEdit::SetDistinct { distinct: true });
    }
    Some(Proposal::new("other columns of the same rows", edits))
}

/// `what are their phone numbers?` after names: the numbers beside the names, so that it is seen whose they are.
pub(super) fn kept(reading: &Reading, previous: &Previous<'_>) -> Option<Proposal> {
    let shown = &previous.plan.select.projection;
    let names_rows = shown.iter().any(|one| match &one.expr {
        Expr::Column(column) => previous.id_of(column).is_some_and(|id| previous.is_name(id)),
        _ => false,
    });
    let asks = reading.starts(&["what", "show", "give", "list", "tell", "where", "which", "when"]);
    if !names_rows || !asks || !reading.refers() || reading.only || reading.instead || reading.also {
        return None;
    }
    let columns = only_columns(reading, previous, &["tell", "find", "get", "where", "when", "want", "know"])?;
    let columns: Vec<Found> = columns.into_iter().map(|found| previous.beside_every_row(found)).collect();
    let new: Vec<&Found> =
        columns.iter().filter(|found| !shown.iter().any(|one| one.expr == found.expr())).collect();
    if new.is_empty() {
        return None;
    }
    let mut edits = joins(&columns);
    edits.extend(new.into_iter().map(|found| PlanEdit::AddColumn { expr: found.expr() }));
    Some(Proposal::new("columns beside the names", edits))
}
