//! Spans of time as people bound them: *since May 2024*, *from 2024-03-01 to 2024-03-31*, *until last week*, *2023 or later*.

use super::cue::Cue;
use super::dates::DateRange;
use super::link::Chunk;
use crate::plan::Comparison;

/// A span of time with the side of it that is meant, and the chunks that say it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct When {
    /// The days that are named.
    pub range: DateRange,
    /// What lies where: inside ([`Comparison::Equal`]), before, after.
    pub comparison: Comparison,
    /// The chunk after the last.
    pub end: usize,
}

/// Words between a bound and its date.
const SOFT: &[&str] = &["the", "on", "of", "in", "date", "day", "year", "month", "at", "end of"];

/// The days that are named at a chunk, and the chunk after them.
pub(super) type Day<'a> = &'a dyn Fn(usize) -> Option<(DateRange, usize)>;

/// The days that a chunk names by itself.
pub(super) fn dated(chunks: &[Chunk], at: usize) -> Option<(DateRange, usize)> {
    Some((chunks.get(at)?.date.clone()?, at + 1))
}

/// The span of time that starts at a chunk.
pub(super) fn spoken(chunks: &[Chunk], at: usize, day: Day<'_>) -> Option<When> {
    let reader = Reader { chunks, day };
    reader.pair(at).or_else(|| reader.onwards(at)).or_else(|| reader.bounded(at)).or_else(|| reader.named(at))
}

struct Reader<'a> {
    chunks: &'a [Chunk],
    day: Day<'a>,
}

impl Reader<'_> {
    fn text(&self, at: usize) -> &str {
        self.chunks.get(at).map_or("", |chunk| &chunk.text)
    }

    fn is(&self, at: usize, cue: Cue) -> bool {
        self.chunks.get(at).is_some_and(|chunk| chunk.may_be(cue))
    }

    fn skip(&self, mut at: usize) -> usize {
        while SOFT.contains(&self.text(at)) {
            at += 1;
        }
        at
    }

    /// *from A to B*, *between A and B*, *A until B*.
    fn pair(&self, at: usize) -> Option<When> {
        let between = self.is(at, Cue::Between);
        let introduced = between || ["from", "since", "starting"].contains(&self.text(at));
        let first_at = if introduced { self.skip(at + 1) } else { at };
        let (first, joint) = (self.day)(first_at)?;
        let joined = between && self.is(joint, Cue::And)
            || ["to", "-", "–", "through", "until", "till", "up to", "thru"].contains(&self.text(joint));
        let (last, end) = (self.day)(self.skip(joint + 1)).filter(|_| joined)?;
        // Whoever names the later one first means the time between the two all the same.
        let (first, last) = if last.last < first.first { (last, first) } else { (first, last) };
        let end = end + usize::from(self.text(end) == "inclusive");
        let range = DateRange { first: first.first, last: last.last };
        Some(When { range, comparison: Comparison::Equal, end })
    }

    /// *from A on*, *A or later*, *A and before*.
    fn onwards(&self, at: usize) -> Option<When> {
        let from = self.text(at) == "from";
        let day_at = if from { self.skip(at + 1) } else { at };
        let (range, end) = (self.day)(day_at)?;
        let after = self.chunks.get(end)?;
        let beyond = after.cues().find_map(|cue| match cue {
            Cue::OrBeyond(comparison) => Some(comparison),
            _ => None,
        });
        let on = from && ["on", "forward", "forwards"].contains(&after.text.as_str());
        let comparison = beyond.or(on.then_some(Comparison::GreaterOrEqual))?;
        Some(When { range, comparison, end: end + 1 })
    }

    /// *after A*, *on or before A*, *starting A*.
    fn bounded(&self, at: usize) -> Option<When> {
        let chunk = self.chunks.get(at)?;
        let comparison = chunk.cues().find_map(|cue| match cue {
            Cue::Compare(comparison) => Some(comparison),
            _ => None,
        });
        let (range, end) = (self.day)(self.skip(at + 1))?;
        // *over the last month* is in it.
        let comparison =
            comparison.filter(|_| chunk.text != "over").or_else(|| match chunk.text.as_str() {
                "over" | "within" | "during" | "throughout" => Some(Comparison::Equal),
                "starting" | "beginning" => Some(Comparison::GreaterOrEqual),
                "through" | "thru" => Some(Comparison::LessOrEqual),
                // *by last year* is no bound that anybody sets.
                "by" if range.first == range.last => Some(Comparison::LessOrEqual),
                _ => None,
            })?;
        Some(When { range, comparison, end })
    }

    /// The days themselves.
    fn named(&self, at: usize) -> Option<When> {
        (self.day)(at).map(|(range, end)| When { range, comparison: Comparison::Equal, end })
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::reasoner::rules::compose::testing::library;
    use crate::reasoner::rules::link;

    /// The first span of time in a text: its ends and what is meant.
    fn read(text: &str) -> Option<String> {
        let linked = link::link(text, &library(), date(2024, 6, 15));
        let (chunks, _) = linked.cuts.first()?;
        (0..chunks.len()).find_map(|at| {
            let when = spoken(chunks, at, &|at| dated(chunks, at))?;
            Some(format!("{} {} {}", when.comparison.symbol(), when.range.first, when.range.last))
        })
    }

    #[test]
    fn bounds_keep_their_day() {
        for (text, read_as) in [
            ("loans on 2024-05-03", "= 2024-05-03 2024-05-03"),
            ("loans after 2024-05-03", "> 2024-05-03 2024-05-03"),
            ("loans later than May 3, 2024", "> 2024-05-03 2024-05-03"),
            ("loans before 2024-05-03", "< 2024-05-03 2024-05-03"),
            ("loans on or after 2024-05-03", ">= 2024-05-03 2024-05-03"),
            ("loans from 2024-05-03 on", ">= 2024-05-03 2024-05-03"),
            ("loans from 2024-05-03 onwards", ">= 2024-05-03 2024-05-03"),
            ("loans starting 2024-05-03", ">= 2024-05-03 2024-05-03"),
            ("loans since the 3rd of May 2024", ">= 2024-05-03 2024-05-03"),
            ("loans not before 2024-05-03", ">= 2024-05-03 2024-05-03"),
            ("loans of 2024-05-03 or later", ">= 2024-05-03 2024-05-03"),
            ("loans >= 2024-05-03", ">= 2024-05-03 2024-05-03"),
            ("loans on or before 2024-05-03", "<= 2024-05-03 2024-05-03"),
            ("loans until 2024-05-03", "<= 2024-05-03 2024-05-03"),
            ("loans up to 2024-05-03", "<= 2024-05-03 2024-05-03"),
            ("loans by 2024-05-03", "<= 2024-05-03 2024-05-03"),
            ("loans no later than 2024-05-03", "<= 2024-05-03 2024-05-03"),
            ("loans not after 2024-05-03", "<= 2024-05-03 2024-05-03"),
            ("loans through May 2024", "<= 2024-05-01 2024-05-31"),
            ("loans over the last month", "= 2024-05-01 2024-05-31"),
            ("loans since last month", ">= 2024-05-01 2024-05-31"),
        ] {
            assert_eq!(read(text).as_deref(), Some(read_as), "{text}");
        }
    }

    #[test]
    fn pairs_go_from_the_first_day_to_the_last() {
        for text in [
            "loans between 2024-03-01 and 2024-05-31",
            "loans from 2024-03-01 to 2024-05-31",
            "loans from 2024-05-31 to 2024-03-01",
            "loans 2024-03-01 - 2024-05-31",
            "loans from March 2024 until May 2024",
            "loans from March to May 2024",
            "loans between March 1 and May 31, 2024",
            "loans between March and May 2024",
            "loans since 2024-03-01 until 2024-05-31",
        ] {
            assert_eq!(read(text).as_deref(), Some("= 2024-03-01 2024-05-31"), "{text}");
        }
        assert_eq!(read("loans from 1 to 15 March 2024").as_deref(), Some("= 2024-03-01 2024-03-15"));
        assert_eq!(read("loans on March 1-15, 2024").as_deref(), Some("= 2024-03-01 2024-03-15"));
    }
}
