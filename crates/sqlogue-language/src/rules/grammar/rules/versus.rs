//! The same measure in two or more windows of time, side by side: *2024 against 2025*, *last quarter and the same quarter a
//! year before*, *January to March, last year against this year*.

use crate::rules::grammar::chart::{Part, Phrase, Rule};
use crate::rules::grammar::form::{Attr, Compare, Key, Measure, Noun, Words};
use crate::rules::grammar::matched::Matched;
use crate::rules::grammar::time::Window;
use crate::rules::grammar::units::{Unit, bucket};
use jiff::ToSpan;
use sqlogue_sql::plan::Aggregate;

/// What a time is said to be beside another.
const MORE: &str = "more|fewer|less|higher|lower|better|worse|busier";

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "versus",
        pattern: "in|during|of|for|from? WINDOW ,? $versus in|during|of|for|from|those_of|that_of? the_whole_of|whole|the_whole|all_of|the_entire|entire|the? WINDOW",
        make: |found| {
            let [one, other] = [found.window(0)?, found.window(1)?];
            side_by_side(one, alike(one, other)?)
        },
    },
    Rule {
        name: "window_and_in_window",
        pattern: "in|during|of|for|from WINDOW ,? and|or in|during|of|for|from the? WINDOW",
        make: |found| {
            let [one, other] = [found.window(0)?, found.window(1)?];
            side_by_side(one, alike(one, other)?)
        },
    },
    Rule {
        name: "then_or_now",
        pattern: "in|during? WINDOW ,? or in|during? the? WINDOW",
        make: |found| {
            asks_for_more(found)?;
            side_by_side(found.window(0)?, alike(found.window(0)?, found.window(1)?)?)
        },
    },
    Rule {
        name: "more_now_than_then",
        pattern: "in|during? the? WINDOW than|compared_to|compared_with it_was|we_did? in|during|of|for? the? WINDOW",
        make: |found| {
            asks_for_more(found)?;
            side_by_side(found.window(0)?, alike(found.window(0)?, found.window(1)?)?)
        },
    },
    Rule {
        name: "more_then_or_now",
        pattern: MORE,
        make: |found| {
            asks_for_more(found)?;
            let length = found.lattice.question.tokens.len();
            let windows = (0..length).filter(|at| !found.lattice.times(*at).is_empty()).count();
            (windows > 1).then(|| Phrase::Part(Part::All(Vec::new())))
        },
    },
    Rule {
        name: "did_we_sell_more",
        pattern: "did|do|have|has we|you|they? sell|sold|make|made|earn|earned|turn_over|take_in|taken_in|bring_in more|less|better money?",
        make: |found| {
            asks_for_more(found)?;
            let said = Words::new(found.words.start, found.words.end);
            Some(Phrase::Measure(Measure::Of(Aggregate::Sum, Attr::Revenue(said))))
        },
    },
    Rule {
        name: "by_period_against_year",
        pattern: "UNIT MEASURE? ,? compared_to|compared_with|compared_against|in_comparison_to|in_comparison_with|vs|vs_.|versus|against|next_to|beside that_of|those_of|the_same_months_of|the_same_month? WINDOW",
        make: |found| against_year(found),
    },
    Rule {
        name: "rows_by_period_against_year",
        pattern: "UNIT NOUN ,? compared_to|compared_with|compared_against|in_comparison_to|in_comparison_with|vs|vs_.|versus|against|next_to|beside that_of|those_of? WINDOW",
        make: |found| {
            let Some(Phrase::Part(beside)) = against_year(found) else { return None };
            let total = Part::Measure(total_of(&found.noun(0)?)?);
            Some(Phrase::Part(Part::All(vec![beside, total])))
        },
    },
    Rule {
        name: "against_year_by_period",
        pattern: "compared_to|compared_with|compared_against|in_comparison_to|in_comparison_with|vs|vs_.|versus|against|next_to|beside WINDOW ,? UNIT",
        make: |found| against_year(found),
    },
    Rule {
        name: "part_of_years",
        pattern: "in|during|of|for|from|between? WINDOW ,|: in|of|for|during? WINDOW ,? $versus|and|or in|of|for|during? WINDOW",
        make: |found| part_of_years(found.window(0)?, [found.window(1)?, found.window(2)?]),
    },
    Rule {
        name: "part_in_years",
        pattern: "in|during|of|for|from|between? WINDOW in|of|for|during WINDOW ,? $versus|and|or in|of|for|during? WINDOW",
        make: |found| part_of_years(found.window(0)?, [found.window(1)?, found.window(2)?]),
    },
    Rule {
        name: "years_of_part",
        pattern: "in|of|for|during? WINDOW ,? $versus|and|or in|of|for|during? WINDOW ,|: in|during|of|for|from|between|always|each|both|each_time? WINDOW each|both|each_time|in_each|in_both?",
        make: |found| part_of_years(found.window(2)?, [found.window(0)?, found.window(1)?]),
    },
    Rule {
        name: "against_same_time_earlier",
        pattern: "in|during|of|for|from? WINDOW ,? $versus|$against|and|or in|of|for|during|with|those_of|that_of|it_did_in? the? same|corresponding|equivalent $stretch_of_time of|in|the|a|one? $year_before",
        make: |found| side_by_side(found.window(0)?, found.window(0)?.months_earlier(12)?),
    },
    Rule {
        name: "against_same_time_of_year",
        pattern: "in|during|of|for|from? WINDOW ,? $versus|$against|and|or in|of|for|during|with|those_of|that_of|it_did_in? the? same|corresponding|equivalent $stretch_of_time of|in|the? WINDOW",
        make: |found| {
            let [one, other] = [found.window(0)?, found.window(1)?];
            side_by_side(one, alike(one, other)?)
        },
    },
    Rule {
        name: "against_up_to_same_day",
        pattern: "in|during|of|for|from? WINDOW so_far? ,? $versus|$against|and in|during|of|for|from? the? WINDOW ,|(? up_to|until|till|to the? same day|date|point|time|point_in_time",
        make: |found| up_to_today(found, found.window(0)?, found.window(1)?),
    },
    Rule {
        name: "against_same_part_so_far",
        pattern: "in|during|of|for|from? WINDOW so_far? ,? $versus|$against|and the? same|corresponding|equivalent $stretch_of_time of|in the? WINDOW",
        make: |found| up_to_today(found, found.window(0)?, found.window(1)?),
    },
    Rule {
        name: "against_year_before_so_far",
        pattern: "in|during|of|for|from? WINDOW so_far? ,? $versus|$against|and the? same|corresponding|equivalent $stretch_of_time of|in|the|a|one? $year_before",
        make: |found| up_to_today(found, found.window(0)?, found.window(0)?.months_earlier(12)?),
    },
    Rule {
        name: "against_time_before",
        pattern: "in|during|of|for|from? WINDOW ,? $versus|$against in|of|for|during|with|those_of|that_of? the? $stretch_of_time before|earlier|prior|previously|before_that|before_it|preceding_it",
        make: |found| side_by_side(found.window(0)?, found.window(0)?.before()?),
    },
    Rule {
        name: "against_window_before_this",
        pattern: "vs|versus|against|compared_to|compared_with|in_comparison_to|relative_to the? WINDOW",
        make: |found| {
            // *by month compared to last year* goes by months.
            let question = &found.lattice.question;
            let alone = (0..question.tokens.len()).all(|at| {
                let inside = found.words.start <= at && at < found.words.end;
                inside || found.lattice.times(at).is_empty() && bucket(question, at, false).is_none()
            });
            let window = found.window(0)?;
            let last = window.next().filter(|_| alone)?;
            side_by_side(last, window)
        },
    },
    Rule {
        name: "growth_over",
        pattern: "$growth in|during|of|for|from? WINDOW over|on|$against|$versus|compared_with|compared_to WINDOW",
        make: |found| in_percent(vec![], found),
    },
    Rule {
        name: "window_on_window",
        pattern: "in? WINDOW over|on|$against|$versus|compared_with|compared_to WINDOW ,|:? the? change|growth|difference|increase|development in|as|by? a? percent|%|percentage|per_cent?",
        make: |found| in_percent(vec![], found),
    },
    Rule {
        name: "by_how_many_percent",
        pattern: "by_how_many_percent|by_how_many_per_cent|by_what_percentage|by_what_percent|how_many_percent did|has|have|does|do MEASURE $grew",
        make: |found| Some(Phrase::Part(Part::Compare(Compare::Growth, Some(found.measure(0)?)))),
    },
    Rule {
        name: "by_how_many_percent_rows",
        pattern: "by_how_many_percent|by_how_many_per_cent|by_what_percentage|by_what_percent|how_many_percent did|has|have|does|do NOUN $grew",
        make: |found| Some(Phrase::Part(Part::Compare(Compare::Growth, Some(total_of(&found.noun(0)?)?)))),
    },
    Rule {
        name: "up_or_down",
        pattern: "by? how_many|how_much percent|per_cent|% up_or_down|more_or_less|up|down|more|less|higher_or_lower|higher|lower",
        make: |_| Some(Phrase::Part(Part::InPercent)),
    },
    Rule {
        name: "versus",
        pattern: "in|during|of|for|from? WINDOW ,? $versus in|during|of|for|from|those_of|that_of? WINDOW",
        make: |found| Some(Phrase::Part(Part::Versus(vec![found.window(0)?, found.window(1)?]))),
    },
    Rule {
        name: "windows_side_by_side",
        pattern: "with? columns|a_column_each|one_column_each|a_number_each|separately? in|during|of|for|from|:|,? WINDOW ,|and and? in|during|of|for|from? WINDOW ,|and and? in|during|of|for|from? WINDOW ,? and? in|during|of|for|from? WINDOW? as_columns|side_by_side|next_to_each_other?",
        make: |found| {
            let windows: Vec<_> = (0..4).map_while(|at| found.window(at)).collect();
            let rise = windows.windows(2).all(|pair| matches!(pair, [one, other] if one.until <= other.from));
            rise.then_some(Phrase::Part(Part::Versus(windows)))
        },
    },
    Rule {
        name: "versus_last",
        pattern: "in|during|of|for|from? WINDOW ,? $versus that_of|those_of? last|last_one|the_last|previous|the_previous|the_one_before|the_year_before|the_month_before|before one|year|month|quarter|week?",
        make: |found| {
            let window = found.window(0)?;
            Some(Phrase::Part(Part::Versus(vec![window, window.before()?])))
        },
    },
    Rule {
        name: "how_did_it_change",
        pattern: "by_how_many_percent|by_what_percentage|by_how_much|how_much|how did|does|do|has|have MEASURE change|changed|grow|grown|differ|differed|develop|developed|rise|risen|fall|fallen|increase|increased|decrease|decreased from WINDOW to|and WINDOW",
        make: |found| in_percent(vec![Part::Measure(found.measure(0)?)], found),
    },
    Rule {
        name: "growth_from_to",
        pattern: "$growth MEASURE from|between|of|in? WINDOW to|and|until WINDOW",
        make: |found| in_percent(vec![Part::Measure(found.measure(0)?)], found),
    },
    Rule {
        name: "noun_growth_from_to",
        pattern: "$growth NOUN from|between|of|in? WINDOW to|and|until WINDOW",
        make: |found| in_percent(vec![Part::Measure(total_of(&found.noun(0)?)?)], found),
    },
    Rule {
        name: "changed_from_to",
        pattern: "change|changed|changes|grow|grew|grown|growth|differ|differed|differs|develop|developed|rise|rose|fall|fell|increase|increased from WINDOW to WINDOW",
        make: |found| in_percent(Vec::new(), found),
    },
    Rule {
        name: "versus_in_percent",
        pattern: "in|as|,? a? percent|%|percentage|per_cent change|difference|growth|increase?",
        make: |_| Some(Phrase::Part(Part::InPercent)),
    },
];

/// Two windows side by side.
pub(super) fn side_by_side(one: Window, other: Window) -> Option<Phrase> {
    (one != other).then(|| Phrase::Part(Part::Versus(vec![one, other])))
}

/// A window that goes on still, and the same part of another: *this year against last year, up to the same day*.
fn up_to_today(found: &Matched<'_>, one: Window, other: Window) -> Option<Phrase> {
    let today = found.lattice.today;
    let (from, until) = (one.from?, one.until?);
    if !(from <= today && today < until) {
        return None;
    }
    let passed = today.tomorrow().ok()?.since(from).ok()?;
    let then = other.from?;
    let years = i32::from(from.year()) - i32::from(then.year());
    // The same day of the year, whatever day February ended on.
    let same_day = match from.month() == then.month() && from.day() == then.day() {
        true => today.tomorrow().ok()?.checked_sub(years.years()).ok()?,
        false => then.checked_add(passed).ok()?,
    };
    let so_far = Window { from: Some(from), until: Some(today.tomorrow().ok()?) };
    side_by_side(so_far, Window { from: Some(then), until: Some(same_day) })
}

/// *did we sell more in May or in June?*, *were there more orders this year than last year?*: the numbers of both answer that.
pub(super) fn asks_for_more(found: &Matched<'_>) -> Option<()> {
    let word = |at: usize| found.lattice.question.word(at);
    let asks = matches!(word(0), "did" | "do" | "does" | "were" | "was" | "are" | "is" | "have" | "has");
    let length = found.lattice.question.tokens.len();
    let more = (0..length).any(|at| MORE.split('|').any(|more| more == word(at)));
    (asks && more && (0..length).any(|at| matches!(word(at), "or" | "than"))).then_some(())
}

/// The second window as it is meant beside the first: *first quarter 2024 vs 2025* is that quarter of both years.
pub(super) fn alike(one: Window, other: Window) -> Option<Window> {
    let is_part = one.one_year().is_none() && one.from?.year() == one.last()?.year();
    match other.one_year().filter(|_| is_part) {
        Some(year) => one.in_year(year),
        None => Some(other),
    }
}

/// *revenue by month compared to last year*: each month of this year beside the same month of that one.
fn against_year(found: &Matched<'_>) -> Option<Phrase> {
    let (unit, year) = (found.unit()?, found.window(0)?);
    let this_year = Window::year(found.lattice.today.year())?;
    let (Unit::Month | Unit::Quarter | Unit::MonthOfYear | Unit::QuarterOfYear) = unit else { return None };
    year.one_year().filter(|_| year != this_year)?;
    // *this year against last year by month* says both.
    let is_outside = |at: &usize| !(found.words.start..found.words.end).contains(at);
    let mut others = (0..found.lattice.question.tokens.len()).filter(is_outside);
    if others.any(|at| !found.lattice.times(at).is_empty()) {
        return None;
    }
    let mut parts = vec![Part::Key(Key::Time(unit, None)), Part::Versus(vec![this_year, year])];
    parts.extend(found.measure(0).map(Part::Measure));
    Some(Phrase::Part(Part::All(parts)))
}

/// The same part of two years: *January to March, 2024 against 2025*.
fn part_of_years(part: Window, years: [Window; 2]) -> Option<Phrase> {
    let [one, other] = years.map(|year| year.one_year());
    if part.one_year().is_some() {
        return None;
    }
    side_by_side(part.in_year(one?)?, part.in_year(other?)?)
}

/// Two windows side by side, and how much they differ in percent.
fn in_percent(mut parts: Vec<Part>, found: &Matched<'_>) -> Option<Phrase> {
    let [one, other] = [found.window(0)?, found.window(1)?];
    parts.push(Part::Versus(vec![one, alike(one, other)?]));
    parts.push(Part::InPercent);
    Some(Phrase::Part(Part::All(parts)))
}

/// How many rows there are of a table, or the total of a column.
pub(super) fn total_of(noun: &Noun) -> Option<Measure> {
    Some(match noun.table_score() >= noun.column_score() {
        true => Measure::Count(noun.as_table()),
        false => Measure::Of(Aggregate::Sum, Attr::Noun(noun.as_column()?)),
    })
}
