//! A table or a column in its place: returned, described, or said only to tell whose the outputs are.

use super::frame::Measure;
use super::parse::{Parser, Region};
use crate::rules::cue::Cue;
use sqlogue_sql::plan::Aggregate;

/// Words after which a table says what the outputs belong to, not what is returned.
const BELONGING: &[&str] = &[
    "of", "for", "from", "in", "by", "on", "at", "with", "among", "to", "within", "inside", "about", "into",
    "during", "under", "through", "as",
];

/// A table or a column in its place.
pub(super) fn read(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let table_score = parser.chunk(at).table_score();
    let column_score = parser.chunk(at).column_score();
    let is_table = reads_as_table(parser, at, table_score, column_score);
    parser.mark(at, at + 1);
    if parser.region == Region::Head && describes(parser, at) {
        parser.region = Region::Description;
    }
    match (parser.region, is_table) {
        (Region::Head, true) => table_in_head(parser, at),
        (Region::Head, false) => column_in_head(parser, at),
        (Region::Description, true) => {
            if let Some(slot) = parser.table_slot(at) {
                if parser.absent {
                    parser.frame.absent.get_or_insert_default().push(slot);
                } else if parser.frame.entity.is_none() && parser.frame.outputs.is_empty() {
                    parser.frame.entity = Some(slot);
                } else {
                    parser.frame.mentions.push(slot);
                }
            }
        }
        (Region::Description, false) => {
            parser.last_column = Some(at);
            parser.last_column_used = false;
            if parser.absent
                && let Some(slot) = parser.column_slot(at)
            {
                parser.frame.absent.get_or_insert_default().push(slot);
            }
        }
    }
    Some(at + 1)
}

/// A verb form after the outputs (*students enrolled in*) opens a description.
fn describes(parser: &Parser<'_>, at: usize) -> bool {
    let chunk = parser.chunk(at);
    if parser.frame.outputs.is_empty() || !parser.pending.is_empty() {
        return false;
    }
    let verb = !chunk.text.contains(' ')
        && (chunk.text.ends_with("ed")
            || chunk.text.ends_with("ing")
            || [
                "live", "lives", "born", "taught", "held", "made", "won", "own", "owns", "written", "sold",
                "bought",
            ]
            .contains(&chunk.text.as_str()));
    let before = parser.before(at);
    let listed = before.may_be(Cue::And)
        || before.may_be(Cue::Comma)
        || before.may_be(Cue::Show)
        || before.may_be(Cue::Distinct)
        || ["the", "their", "of", "all"].contains(&before.text.as_str());
    verb && !listed
}

fn reads_as_table(parser: &mut Parser<'_>, at: usize, table: f32, column: f32) -> bool {
    if table <= 0.0 {
        return false;
    }
    if column <= 0.0 {
        return true;
    }
    let counting = parser.pending.last().is_some_and(|(function, _)| *function == Aggregate::Count);
    let belongs = BELONGING.contains(&parser.before(at).text.as_str())
        || (["the", "all", "each", "these"].contains(&parser.before(at).text.as_str())
            && at >= 2
            && BELONGING.contains(&parser.before(at - 1).text.as_str()));
    let summing = parser.pending.last().is_some_and(|(function, _)| *function != Aggregate::Count);
    let usual = if summing {
        table > column + 0.2
    } else if counting || belongs {
        table + 0.1 >= column
    } else {
        table + 0.02 >= column
    };
    if (table - column).abs() > 0.5 {
        return usual;
    }
    parser.oracle.decide("table_or_column", usual)
}

fn table_in_head(parser: &mut Parser<'_>, at: usize) {
    let belonging = {
        let back = (1..=3).find(|back| {
            at.checked_sub(*back).is_none_or(|at| {
                !["the", "all", "any", "all the", "all of the", "these", "those", "a", "an"]
                    .contains(&parser.text(at))
            })
        });
        back.and_then(|back| at.checked_sub(back)).is_some_and(|at| BELONGING.contains(&parser.text(at)))
    };
    let next = parser.chunk(at + 1);
    let introduces = next.text == "'s"
        || next.text == "'"
        || (next.column_score() > 0.6
            && next.cue.is_none()
            && !next.text.ends_with("ed")
            && next.column_score() > next.table_score());
    let counting = parser.pending.iter().position(|(function, _)| *function == Aggregate::Count);
    if counting.is_none() && !parser.pending.is_empty() && summary_of_table(parser, at) {
        return;
    }
    let Some(slot) = parser.table_slot(at) else { return };
    if let Some(position) = counting {
        let (_, distinct) = parser.pending.remove(position);
        parser.pending.clear();
        if parser.distinct {
            parser.distinct = false;
        }
        parser.frame.outputs.push(Measure::Count(Some(slot), distinct));
        parser.frame.entity.get_or_insert(slot);
        parser.region = Region::Description;
        let next = parser.chunk(at + 1);
        if next.may_be(Cue::And) || next.may_be(Cue::Comma) {
            parser.region = Region::Head;
        }
        return;
    }
    if introduces {
        // *student names*: the table only says whose names.
        if parser.frame.entity.is_none() {
            parser.frame.entity = Some(slot);
        } else {
            parser.frame.mentions.push(slot);
        }
        return;
    }
    if parser.frame.all_columns && parser.frame.entity.is_none() {
        parser.frame.entity = Some(slot);
        return;
    }
    let begun =
        !parser.frame.outputs.is_empty() || !parser.pending.is_empty() || !parser.frame.groups.is_empty();
    if belonging && (begun || at < 3) {
        if parser.frame.entity.is_none() {
            parser.frame.entity = Some(slot);
        } else {
            parser.frame.mentions.push(slot);
        }
        return;
    }
    if !parser.frame.outputs.is_empty() && !listed(parser, at) {
        parser.frame.mentions.push(slot);
        return;
    }
    take_distinct(parser);
    parser.frame.outputs.push(Measure::Plain(slot));
    parser.frame.entity.get_or_insert(slot);
    leave_which(parser, at);
}

/// *the average rating*, where a rating is a table: of its only number.
fn summary_of_table(parser: &mut Parser<'_>, at: usize) -> bool {
    let adjacent =
        parser.before(at).cues().any(|cue| matches!(cue, Cue::Aggregate(_) | Cue::Superlative(..)));
    let next = parser.chunk(at + 1);
    if !adjacent || (next.column_score() > 0.6 && next.cue.is_none()) {
        return false;
    }
    let mut options = Vec::new();
    for (table, score) in &parser.chunk(at).tables {
        for column in &parser.knowledge.table(*table).columns {
            let entry = parser.knowledge.column(*column);
            let key = entry.is_key || entry.is_foreign || entry.name.to_ascii_lowercase().ends_with("id");
            if entry.column_type.is_numeric() && !key {
                options.push(super::frame::Filler {
                    column: Some(*column),
                    table: *table,
                    value: None,
                    score: 0.7 * score,
                });
            }
        }
    }
    options.truncate(6);
    if options.is_empty() {
        return false;
    }
    let slot = parser.add_slot(at, options);
    for (function, _) in std::mem::take(&mut parser.pending) {
        parser.frame.outputs.push(Measure::Summary(function, false, slot));
    }
    true
}

/// True where a chunk continues the list of outputs.
fn listed(parser: &Parser<'_>, at: usize) -> bool {
    let back = (1..=4).find(|back| {
        at.checked_sub(*back).is_none_or(|at| {
            !["the", "all", "their", "its", "each", "a"].contains(&parser.text(at))
                && !parser.is(at, Cue::Distinct)
                && parser.chunk(at).values.is_empty()
        })
    });
    let Some(before) = back.and_then(|back| at.checked_sub(back)) else { return true };
    let chunk = parser.chunk(before);
    chunk.may_be(Cue::And) || chunk.may_be(Cue::Comma) || chunk.may_be(Cue::Show) || chunk.may_be(Cue::Which)
}

fn column_in_head(parser: &mut Parser<'_>, at: usize) {
    let Some(slot) = parser.column_slot(at) else { return };
    let mut back = at;
    while back > 0 && ["the", "a", "an", "all", "their", "any"].contains(&parser.text(back - 1)) {
        back -= 1;
    }
    let belongs = BELONGING.contains(&parser.before(back).text.as_str());
    if parser.pending.is_empty() && !parser.frame.outputs.is_empty() && belongs && !parser.which {
        // *the number of students in grade 5*: no output, but perhaps the column of a condition.
        let next = parser.chunk(at + 1);
        if !next.values.is_empty() || next.number.is_some() {
            parser.last_column = Some(at);
            parser.last_column_used = false;
            parser.frame.slots.pop();
            return;
        }
        let names_it = parser.before(back).text == "of"
            && parser.frame.outputs.len() == 1
            && back >= 2
            && is_name(parser.text(back - 2));
        if names_it && parser.oracle.decide("name_of_a_column_is_the_column", true) {
            // *the names of the directors*, where a director is a column.
            parser.frame.outputs.pop();
        } else if !names_it && parser.oracle.decide("belonging_column_is_no_output", true) {
            parser.last_column = Some(at);
            parser.last_column_used = false;
            return;
        }
    }
    if parser.pending.is_empty()
        && is_name(parser.text(at))
        && let Some(table) = named_table(parser, slot)
    {
        take_distinct(parser);
        let thing = super::frame::Filler { column: None, table, value: None, score: 1.0 };
        let slot = parser.add_slot(at, vec![thing]);
        parser.frame.named.push(slot);
        parser.frame.outputs.push(Measure::Plain(slot));
        parser.last_column = Some(at);
        parser.last_column_used = true;
        leave_which(parser, at);
        return;
    }
    let mut pending = std::mem::take(&mut parser.pending);
    if pending.len() > 1 && pending.iter().any(|(function, _)| *function != Aggregate::Count) {
        // *the average number of floors*: the number is the column.
        pending.retain(|(function, _)| *function != Aggregate::Count);
    }
    if pending.is_empty() {
        take_distinct(parser);
        parser.frame.outputs.push(Measure::Plain(slot));
    } else {
        let operator = parser.combining.take();
        if let (Some(operator), [(one, _), (other, _)]) = (operator, pending.as_slice()) {
            // *the difference between the highest and the lowest price*
            let summary = |function: Aggregate| Box::new(Measure::Summary(function, false, slot));
            parser.frame.outputs.push(Measure::Combined(operator, summary(*one), summary(*other)));
            parser.last_column = Some(at);
            parser.last_column_used = true;
            return;
        }
        for (function, distinct) in &pending {
            let measure = summary_of(parser, slot, *function, *distinct);
            parser.frame.outputs.push(measure);
        }
        parser.distinct = false;
        // *average age and weight*
        let next = parser.chunk(at + 1);
        let second = parser.skip(at + 2, &["the"]);
        if next.may_be(Cue::And)
            && parser.chunk(second).column_score() > 0.6
            && parser.chunk(second).cue.is_none()
            && pending.iter().all(|(function, _)| *function != Aggregate::Count)
            && parser.oracle.decide("summary_carries_over", true)
        {
            parser.pending = pending;
        }
    }
    parser.last_column = Some(at);
    parser.output_column = Some(at);
    parser.last_column_used = true;
    leave_which(parser, at);
}

/// A column that is summed up: its values are counted, or what they say.
fn summary_of(parser: &mut Parser<'_>, slot: usize, function: Aggregate, distinct: bool) -> Measure {
    if function != Aggregate::Count {
        return Measure::Summary(function, false, slot);
    }
    let number = !distinct && !parser.distinct && holds_numbers(parser, slot);
    if number && !parser.oracle.decide("number_counts_the_column", true) {
        // *the number of rooms*, where a column has it.
        return match parser.oracle.decide("number_is_of_one_row", true) {
            true => Measure::Plain(slot),
            false => Measure::Summary(Aggregate::Sum, false, slot),
        };
    }
    let distinct = distinct || parser.distinct || !parser.oracle.decide("count_every_value", true);
    Measure::Count(Some(slot), distinct)
}

/// True where what fits a slot best is a number of each row, and neither a key nor yes or no.
pub(super) fn holds_numbers(parser: &Parser<'_>, slot: usize) -> bool {
    let best = parser.frame.slots.get(slot).and_then(|slot| slot.options.first()?.column);
    best.is_some_and(|column| {
        let entry = parser.knowledge.column(column);
        entry.numeric && !entry.is_key && !entry.is_foreign && entry.kind.is_flag().is_none()
    })
}

/// True for words that ask for a name.
fn is_name(text: &str) -> bool {
    matches!(text, "name" | "names" | "full name" | "full names" | "title" | "titles")
}

/// The table whose rows are to be named, where it has no column of that very name.
fn named_table(parser: &Parser<'_>, slot: usize) -> Option<crate::rules::knowledge::TableId> {
    let slot = parser.frame.slots.get(slot)?;
    let (table, strength) = slot.hints.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let label = &parser.knowledge.table(table).label;
    // *full names* are all their parts.
    if parser.text(slot.chunk).starts_with("full") && label.len() > 1 && strength > 0.2 {
        return Some(table);
    }
    let exact = slot.options.iter().any(|option| {
        option.table == table
            && (option.score > 0.7 || option.column.is_some_and(|column| label.contains(&column)))
    });
    (strength > 0.4 && !exact && !label.is_empty()).then_some(table)
}

fn take_distinct(parser: &mut Parser<'_>) {
    if parser.distinct {
        parser.frame.distinct = true;
        parser.distinct = false;
    }
}

/// After *which students* comes what is said of them.
fn leave_which(parser: &mut Parser<'_>, at: usize) {
    if !parser.which {
        return;
    }
    let next = parser.chunk(at + 1);
    let goes_on = next.may_be(Cue::And)
        || next.may_be(Cue::Comma)
        || next.is_schema()
        || next.text == "'s"
        || next.text == "of";
    if !goes_on {
        parser.which = false;
        parser.region = Region::Description;
    }
}
