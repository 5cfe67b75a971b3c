//! Groups: *for each city*, *per department*, *in every year*.

use super::frame::Measure;
use super::parse::{Parser, Region};
use crate::rules::cue::Cue;
use crate::rules::stem::stem;

/// Words between *for each* and what the rows are grouped by.
const KINDS: [&str; 13] = [
    "the",
    "of",
    "different",
    "distinct",
    "a",
    "an",
    "unique",
    "one",
    "individual",
    "type of",
    "kind of",
    "kind",
    "type",
];

/// Reads what the rows are grouped by.
pub(super) fn read(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let by = parser.text(at) == "by"
        && parser.region == Region::Head
        && parser.frame.outputs.iter().any(|output| !matches!(output, Measure::Plain(_)))
        && groups_by(parser, at);
    if !by && !parser.is(at, Cue::Each) || parser.absent {
        return None;
    }
    let mut noun = parser.skip(at + 1, &KINDS);
    while parser.is(noun, Cue::Distinct) || parser.is(noun, Cue::Each) {
        noun += 1;
    }
    let chunk = parser.chunk(noun);
    if !chunk.is_schema() || parser.text(at) == "per" && is_one_of_a_number(parser, noun) {
        return None;
    }
    // *for each student's name* and *each student name* group by the name.
    let mut target = noun;
    if parser.text(noun + 1) == "'s" && parser.chunk(noun + 2).column_score() > 0.6 {
        // *each student's name* in a list of outputs asks for names, not for groups.
        target = noun + 2;
    }
    let listed =
        parser.text(at) == "each" || parser.text(at) == "every" || parser.text(at).starts_with("respective");
    let output_before = !parser.frame.outputs.is_empty() || !parser.pending.is_empty();
    let (slot, table_first) = grouped(parser, noun, target)?;
    parser.mark(at, target + 1);
    let mut end = target + 1;
    if listed && !output_before && parser.region == Region::Head {
        // *Show each city and the number of …*
        parser.frame.outputs.push(Measure::Plain(slot));
        parser.frame.entity.get_or_insert(slot);
        parser.frame.groups.push(slot);
        return Some(end);
    }
    parser.frame.groups.push(slot);
    if !parser.frame.outputs.iter().any(|output| !matches!(output, Measure::Plain(_)))
        && parser.pending.is_empty()
        && output_before
        && table_first
    {
        // *the names of each student*: every one of them, no groups.
        if parser.oracle.decide("each_means_all", true) {
            parser.frame.groups.pop();
            parser.frame.entity.get_or_insert(slot);
            parser.frame.mentions.push(slot);
            return Some(end);
        }
    }
    if output_before {
        further(parser, &mut end);
        parser.region = Region::Description;
        let next = parser.chunk(end);
        if next.may_be(Cue::And) || next.may_be(Cue::Comma) {
            parser.region = Region::Head;
        }
    }
    Some(end)
}

/// The slot of what the rows are grouped by, and whether that is a table.
fn grouped(parser: &mut Parser<'_>, noun: usize, target: usize) -> Option<(usize, bool)> {
    let (table_score, column_score) =
        (parser.chunk(target).table_score(), parser.chunk(target).column_score());
    let mut table_first = table_score + 0.05 >= column_score;
    // *per booking* is no moment at which something was booked.
    if table_score > 0.6 && is_moment(parser, target) {
        table_first = true;
    } else if table_score > 0.4 && column_score > 0.4 {
        table_first = parser.oracle.decide("group_is_table", table_first);
    }
    let slot = if table_first { parser.table_slot(target) } else { parser.column_slot(target) }?;
    if !table_first && parser.chunk(noun).table_score() > 0.6 {
        parser.last_table = parser.chunk(noun).table().map(|(table, _)| table);
    }
    Some((slot, table_first))
}

fn is_moment(parser: &Parser<'_>, at: usize) -> bool {
    let column = parser.chunk(at).columns.first();
    column.is_some_and(|(column, _)| parser.knowledge.column(*column).kind.is_date())
}

/// *For each department and year*.
fn further(parser: &mut Parser<'_>, end: &mut usize) {
    while parser.is(*end, Cue::And)
        && parser.chunk(*end + 1).column_score() > 0.7
        && parser.chunk(*end + 1).cue.is_none()
    {
        let Some(slot) = parser.column_slot(*end + 1) else { return };
        parser.frame.groups.push(slot);
        parser.mark(*end, *end + 2);
        *end += 2;
    }
}

/// True for *seat* where a column says how many `seats` there are: *fee per seat* is a ratio.
fn is_one_of_a_number(parser: &Parser<'_>, noun: usize) -> bool {
    let chunk = parser.chunk(noun);
    let Some((column, _)) = chunk.columns.first().copied() else { return false };
    let entry = parser.knowledge.column(column);
    let name = entry.name.to_lowercase();
    let said = chunk.text.split(' ').next_back().unwrap_or_default();
    chunk.column_score() > chunk.table_score()
        && entry.numeric
        && !entry.is_key
        && !entry.is_foreign
        && stem(said) == said
        && name.split(['_', ' ', '-']).any(|word| word != said && stem(word) == said)
}

/// True where *by* is followed by what the summary before it is for each of: a column, or a table in the singular. *Paid by the
/// customer Ann* and *requested by members* say who did it.
fn groups_by(parser: &Parser<'_>, at: usize) -> bool {
    let noun = parser.chunk(parser.skip_soft(at + 1));
    let singular = |text: &str| text.split(' ').next_back().is_some_and(|word| stem(word) == word);
    let measured = parser.is(at.saturating_sub(1), Cue::Revenue) || parser.before(at).is_schema();
    noun.column_score() > 0.6
        || noun.table_score() > 0.6
            && noun.start == parser.before(at).end + 1
            && measured
            && singular(&noun.text)
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::reads;

    #[test]
    fn groups() {
        reads(&[
            (
                "What is the average price of books for each genre?",
                "SELECT genre, avg(price) FROM book GROUP BY genre",
            ),
            ("How many members live in each city?", "SELECT city, count(*) FROM member GROUP BY city"),
        ]);
    }
}
