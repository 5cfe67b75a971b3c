//! Cues: whether a plan does what the words that give a question its structure ask for.

use super::words::{Words, is_superlative};
use crate::rules::cue::Cue;
use crate::rules::lexicon::Lexicon;
use sqlogue_sql::plan::{Aggregate, Arithmetic, Comparison, Direction};

impl Words<'_> {
    /// True where the plan does what a cue asks for, or the cue asks for nothing that a plan could lack.
    pub(super) fn heeds(&self, cue: Cue, at: usize) -> bool {
        let (facts, text) = (self.facts, self.text(at));
        match cue {
            // *report to* speaks of two people, and asks to show nothing.
            Cue::Show => !self.reports_to(at) || !facts.joined.is_empty(),
            Cue::Which | Cue::Who | Cue::Be | Cue::Have | Cue::And | Cue::Comma | Cue::Stop => true,
            Cue::Relative | Cue::Whose | Cue::But | Cue::All | Cue::Any | Cue::Details => true,
            Cue::Both => facts.are_several(),
            Cue::Either | Cue::Equal | Cue::Times | Cue::Distinct => true,
            Cue::HowMany | Cue::HowMuch => self.heeds_amount(cue, at),
            Cue::Aggregate(Aggregate::Sum) => {
                facts.summaries.contains(&Aggregate::Sum) || facts.summaries.contains(&Aggregate::Count)
            }
            Cue::Aggregate(Aggregate::Avg) => {
                facts.summaries.contains(&Aggregate::Avg) || facts.arithmetic.contains(&Arithmetic::Divide)
            }
            Cue::Aggregate(_) => facts.has_extreme(),
            Cue::Each => facts.grouped || !facts.summarises || text == "across",
            Cue::OrderBy => !facts.directions.is_empty() || text.starts_with("listed"),
            Cue::Direction(_) | Cue::Alphabetical => !facts.directions.is_empty(),
            Cue::Compare(_) | Cue::Comparative(_) | Cue::OrBeyond(_) => self.heeds_comparison(cue, at),
            Cue::NotEqual | Cue::Not | Cue::Neither | Cue::Nor => facts.negated || facts.missing,
            Cue::Between => facts.between || facts.is_above() && facts.is_below(),
            // *including* asks for a pattern now and then; what it includes has words of its own.
            Cue::Contains => {
                facts.pattern || ["inc", "contain", "that has"].iter().any(|word| text.starts_with(word))
            }
            Cue::StartsWith | Cue::EndsWith => facts.pattern,
            cue if is_superlative(cue) => facts.has_extreme() || self.leads(at),
            Cue::Ordinal(direction) => {
                let first = direction == Direction::Ascending;
                facts.has_extreme() || first && (facts.limited || at > 0 && self.leads(at - 1))
            }
            // One thing may have a name with *or* in it, or be *he or she*.
            Cue::Or => facts.alternatives || facts.texts.len() + facts.numbers.len() < 2,
            Cue::Once => facts.grouped || facts.negated,
            Cue::Null => facts.missing,
            Cue::Difference => facts.arithmetic.contains(&Arithmetic::Subtract),
            Cue::Ratio | Cue::Percentage => facts.arithmetic.contains(&Arithmetic::Divide),
            Cue::Same => facts.nested || facts.alternatives,
            Cue::Revenue => facts.arithmetic.contains(&Arithmetic::Multiply),
            Cue::Superlative(..) | Cue::Most(_) | Cue::MostCommon(_) => false,
        }
    }

    /// True for the second of two opposite ends that are both asked for (*the 3 cheapest and the 3 dearest*), where the plan
    /// has only one.
    pub(super) fn is_other_end(&self, at: usize) -> bool {
        const FAR: usize = 8;
        let facts = self.facts;
        let has_both = facts.summaries.contains(&Aggregate::Min) && facts.summaries.contains(&Aggregate::Max)
            || facts.directions.len() > 1;
        let is_opposite = |one: Cue, other: Cue| match (one, other) {
            (Cue::Superlative(_, Some(one)), Cue::Superlative(_, Some(other))) => {
                Lexicon::embedded().are_opposite(one, other)
            }
            (Cue::Most(one), Cue::Most(other)) => one != other,
            _ => false,
        };
        let opposite =
            |before: &usize| self.may_be(*before, |one| self.may_be(at, |other| is_opposite(one, other)));
        let joins = |between: usize| {
            self.may_be(between, |cue| matches!(cue, Cue::And | Cue::Comma | Cue::But | Cue::Or))
        };
        let mut before = (at.saturating_sub(FAR)..at).filter(opposite);
        !has_both && before.any(|before| (before + 1..at).any(joins))
    }

    fn reports_to(&self, at: usize) -> bool {
        let ends = self.chunk(at).map_or(0, |chunk| chunk.end);
        self.text(at).starts_with("report") && self.question.word(ends) == "to"
    }

    /// *how many*, *how much*: by a summary, or by a column that holds the number.
    fn heeds_amount(&self, cue: Cue, at: usize) -> bool {
        let facts = self.facts;
        if cue == Cue::HowMuch && facts.grouped {
            return !facts.summed.is_empty();
        }
        // *the phone number of* is a column.
        let of_column =
            || self.previous(at).is_some_and(|before| !before.columns.is_empty() && self.has_name(before));
        let mut columns = facts.shown.iter().chain(&facts.sorted).chain(&facts.compared);
        self.text(at) == "number of" && of_column()
            || !facts.summaries.is_empty()
            || columns.any(|column| self.knowledge.column(*column).numeric)
    }

    fn heeds_comparison(&self, cue: Cue, at: usize) -> bool {
        use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual};
        let (facts, text) = (self.facts, self.text(at));
        // *the most*, *the longer of the two* may be found by order.
        let by_order = !text.ends_with("than") && facts.has_extreme();
        match cue {
            // *under the category*, *before that*
            Cue::Compare(_)
                if matches!(text, "under" | "over" | "before" | "beyond")
                    && !self.is_bound(at)
                    && !self.is_of_their_own(at) =>
            {
                true
            }
            Cue::Compare(Greater | GreaterOrEqual) => facts.is_above() || by_order,
            Cue::Compare(Less | LessOrEqual) => facts.is_below() || by_order,
            Cue::Comparative(_) => facts.is_above() || facts.is_below() || by_order,
            Cue::OrBeyond(Less | LessOrEqual) => facts.is_below(),
            Cue::OrBeyond(_) => facts.is_above(),
            _ => true,
        }
    }

    /// *over their credit limit*: compares with a number of the same row.
    fn is_of_their_own(&self, at: usize) -> bool {
        let ends = self.chunk(at).map_or(0, |chunk| chunk.end);
        matches!(self.question.word(ends), "their" | "its" | "his" | "her")
    }

    /// True where something follows that can be compared with: a number, a date, a summary.
    fn is_bound(&self, at: usize) -> bool {
        let is_summary = |cue: Cue| matches!(cue, Cue::Aggregate(_) | Cue::Superlative(..));
        (at + 1..at + 5)
            .filter_map(|at| self.chunk(at))
            .any(|chunk| chunk.number.is_some() || chunk.date.is_some() || chunk.cues().any(is_summary))
    }

    /// *one or more*: any at all.
    pub(super) fn is_any(&self, at: usize) -> bool {
        let is_one = |at: usize| matches!(self.text(at), "one" | "1");
        is_one(at) && self.text(at + 1) == "or more"
            || self.text(at) == "or more" && at.checked_sub(1).is_some_and(is_one)
    }

    /// *highest first*: a superlative that says which rows come first.
    fn leads(&self, at: usize) -> bool {
        let is_first = |cue: Cue| cue == Cue::Ordinal(Direction::Ascending);
        self.may_be(at, is_superlative) && self.may_be(at + 1, is_first) && !self.facts.directions.is_empty()
    }
}
