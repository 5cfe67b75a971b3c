//! Cues of what is returned (summaries, counts), and everything else that moves the parser from the head to a
//! description and back.

use super::frame::Connective;
use super::name;
use super::parse::{Parser, Region};
use crate::rules::cue::Cue;
use sqlogue_sql::plan::Aggregate;

/// Reads a cue that changes the region, or a name.
pub(super) fn read(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    let chunk = parser.chunk(at);
    if chunk.is_schema() && !cue_wins(parser, at) {
        return name::read(parser, at);
    }
    let cue = chunk.cue?;
    match cue {
        Cue::Show => {
            parser.region = Region::Head;
            parser.absent = false;
        }
        // *the state of the college which Charles attends*: not asked again, but described.
        Cue::Which if !parser.frame.outputs.is_empty() && !asks_again(parser, at) => {
            parser.region = Region::Description;
            if parser.last_column_used {
                parser.last_column = None;
            }
        }
        Cue::Which => {
            parser.region = Region::Head;
            parser.which = true;
            parser.absent = false;
        }
        Cue::Who if at < 2 => {
            parser.region = Region::Head;
            parser.frame.who = true;
            parser.region = Region::Description;
        }
        // *phone number of the shops*
        Cue::HowMany
            if chunk.text == "number of"
                && parser.before(at).column_score() > 0.5
                && parser.before(at).cue.is_none() => {}
        Cue::HowMany => how_many(parser, at),
        Cue::HowMuch => parser.region = Region::Head,
        Cue::Aggregate(function) => {
            if parser.region == Region::Head || starts_clause(parser, at) {
                parser.region = Region::Head;
                parser.pending.push((function, false));
            }
        }
        // *the average and the largest salary*: beside another summary it is one too.
        Cue::Superlative(direction, adjective) if adjective.is_none() || !parser.pending.is_empty() => {
            let function = match direction {
                sqlogue_sql::plan::Direction::Descending => Aggregate::Max,
                sqlogue_sql::plan::Direction::Ascending => Aggregate::Min,
            };
            if parser.region == Region::Head {
                parser.pending.push((function, false));
            }
        }
        Cue::Difference => parser.combining = Some(sqlogue_sql::plan::Arithmetic::Subtract),
        Cue::Ratio => parser.combining = Some(sqlogue_sql::plan::Arithmetic::Divide),
        Cue::Distinct => parser.distinct = true,
        Cue::Details => {
            if parser.region == Region::Head {
                parser.frame.all_columns = true;
            }
        }
        Cue::Whose | Cue::Relative | Cue::Who if at > 0 => {
            parser.region = Region::Description;
            if parser.last_column_used {
                parser.last_column = None;
            }
        }
        Cue::Have if at > 0 => {
            if !parser.frame.outputs.is_empty() || !parser.pending.is_empty() {
                parser.region = Region::Description;
            }
        }
        Cue::Or => parser.connective = Connective::Or,
        Cue::Both => parser.both = true,
        Cue::And | Cue::Comma => go_on(parser, at, cue),
        Cue::Stop => request_again(parser, at),
        _ => return None,
    }
    parser.mark(at, at + 1);
    Some(at + 1)
}

/// A count is asked for, of each or of what differs.
fn how_many(parser: &mut Parser<'_>, at: usize) {
    if parser.region != Region::Head && !starts_clause(parser, at) {
        return;
    }
    parser.region = Region::Head;
    let distinct = parser.chunk(at).text.ends_with("different");
    match parser.pending.iter_mut().find(|(function, _)| *function == Aggregate::Count) {
        Some(counting) => counting.1 |= distinct,
        None => parser.pending.push((Aggregate::Count, distinct)),
    }
}

/// What comes behind *and* or a comma may be returned too.
fn go_on(parser: &mut Parser<'_>, at: usize, cue: Cue) {
    let next = parser.skip(at + 1, &["the", "their", "and", "also", "then", ","]);
    let asks = matches!(parser.chunk(next).cue, Some(Cue::Show | Cue::Which));
    let more = asks || parser.region == Region::Description && goes_on(parser, at);
    // *For students older than 20, what is …*
    let opens = cue == Cue::Comma && parser.frame.outputs.is_empty() && parser.pending.is_empty();
    if more || opens {
        parser.region = Region::Head;
        parser.absent = false;
    }
}

/// A new sentence may ask for something else: *Which city …? Give me its name.*
fn request_again(parser: &mut Parser<'_>, at: usize) {
    let next = parser.skip(at + 1, &["also", "and", "please"]);
    let again = matches!(parser.chunk(next).cue, Some(Cue::Show));
    let adds = parser.skip(at + 1, &["and"]) != parser.skip(at + 1, &["and", "also"]);
    if again
        && !adds
        && !parser.frame.outputs.is_empty()
        && parser.oracle.decide("second_request_replaces", true)
    {
        let replaced = std::mem::take(&mut parser.frame.outputs);
        parser.frame.mentions.extend(replaced.iter().filter_map(super::build::slot_of));
    }
    parser.region = Region::Head;
    parser.absent = false;
    parser.last_column = None;
}

/// True where a chunk that names something is a cue all the same (*list*, *name* as verbs).
fn cue_wins(parser: &Parser<'_>, at: usize) -> bool {
    let chunk = parser.chunk(at);
    match chunk.cue {
        Some(Cue::Show) => {
            let opens = starts_clause(parser, at);
            at == 0 || opens && chunk.column_score().max(chunk.table_score()) < 0.5
        }
        Some(Cue::Relative | Cue::Who) if at == 0 => false,
        Some(
            Cue::And
            | Cue::Or
            | Cue::Comma
            | Cue::Stop
            | Cue::Which
            | Cue::HowMany
            | Cue::Have
            | Cue::Be
            | Cue::Relative,
        ) => true,
        Some(Cue::Aggregate(_) | Cue::Distinct | Cue::Superlative(..)) => {
            chunk.column_score().max(chunk.table_score()) < 0.8
        }
        Some(Cue::OrderBy | Cue::Ordinal(_) | Cue::Times | Cue::Null | Cue::Same | Cue::Direction(_)) => {
            chunk.column_score().max(chunk.table_score()) < 0.4
        }
        Some(_) => chunk.column_score().max(chunk.table_score()) < 0.6,
        None => false,
    }
}

/// True for *… and in which country*, as against *the country in which …*.
fn asks_again(parser: &Parser<'_>, at: usize) -> bool {
    let preposition =
        ["in", "on", "at", "of", "for", "from", "to", "by"].contains(&parser.before(at).text.as_str());
    starts_clause(parser, if preposition { at - 1 } else { at })
}

/// True for *… who teach a course, as well as the corresponding course id*: one more column is asked for.
fn goes_on(parser: &Parser<'_>, at: usize) -> bool {
    let beside = ["as well as", "along with", "together with", "alongside"].contains(&parser.text(at));
    let next = parser.skip(at + 1, &["the", "their", "its"]);
    let corresponding = ["corresponding", "respective"].contains(&parser.text(next));
    let noun = if corresponding { next + 1 } else { next };
    let chunk = parser.chunk(noun);
    let after = parser.chunk(parser.skip_soft(noun + 1));
    (beside || corresponding)
        && chunk.cue.is_none()
        && chunk.column_score() > 0.7
        && chunk.column_score() > chunk.table_score()
        && after.number.is_none()
        && after.values.is_empty()
        && !after.cues().any(|cue| matches!(cue, Cue::Compare(_) | Cue::Equal | Cue::Contains))
}

/// True where a new request starts after *and* or a comma.
fn starts_clause(parser: &Parser<'_>, at: usize) -> bool {
    let before = parser.before(at);
    before.may_be(Cue::And)
        || before.may_be(Cue::Comma)
        || before.may_be(Cue::Show)
        || before.may_be(Cue::Stop)
        || at == 0
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::reads;

    #[test]
    fn what_is_returned() {
        reads(&[
            ("Show the title and price of all books.", "SELECT title, price FROM book"),
            ("How many members are there?", "SELECT count(*) FROM member"),
            ("What is the average age of the members?", "SELECT avg(age) FROM member"),
            ("What are the minimum and maximum price of books?", "SELECT min(price), max(price) FROM book"),
            ("What are the different genres of books?", "SELECT DISTINCT genre FROM book"),
            ("What are the first and last names of all members?", "SELECT first_name, last_name FROM member"),
        ]);
    }
}
