//! Bands of numbers: *under 18, 18-39, 40 to 64, 65 and over*.

use crate::rules::link::number_word;
use crate::rules::text::Question;

/// Bands of numbers: `edges` ascend, each begins a new band, and the first band lies below them all.
#[derive(Debug, Clone, PartialEq)]
pub struct Bands {
    /// Where the bands begin, and whether the number itself belongs to the new band.
    pub edges: Vec<(f64, bool)>,
    /// What they are called, one more than there are edges.
    pub labels: Vec<String>,
}

/// A number where a band begins or ends, and whether it belongs to the band.
type End = (f64, bool);

/// One band, with the tokens after it.
struct Band {
    /// Where it begins; none where it has no lower end.
    from: Option<End>,
    /// Where it ends; none where it has no upper end.
    to: Option<End>,
    /// True where its last number is said to belong to it: *up to 17*.
    closed: bool,
    start: usize,
    end: usize,
    /// The token after its last number: the unit behind the last band may name the column.
    bare_end: usize,
}

impl Bands {
    /// Ages by tens, where nobody says which groups are meant.
    pub(super) fn of_ages() -> Self {
        let tens = (2..=8).map(|ten| ten * 10);
        let edges = tens.clone().map(|from| (f64::from(from), true)).collect();
        let between = tens
            .map(|from| if from == 80 { "80 and over".to_owned() } else { format!("{from}-{}", from + 9) });
        Self { edges, labels: std::iter::once("under 20".to_owned()).chain(between).collect() }
    }
}

/// The bands that a span of tokens lists, at least two in ascending order, with the token after them.
pub(super) fn read(question: &Question, start: usize) -> Option<(Bands, usize)> {
    let mut bands: Vec<Band> = Vec::new();
    let mut at = start;
    while let Some(band) = band(question, at) {
        // *up to 10, up to 20*: the second begins where the first ends.
        let behind = |last: &Band| last.to.map(|(to, included)| (to, !included));
        let from = band.from.or_else(|| behind(bands.last()?));
        let rises = match (bands.last(), from) {
            (None, _) => true,
            (Some(last), Some((from, _))) => {
                last.to.is_some_and(|(to, _)| from >= to) && band.to.is_none_or(|(to, _)| to >= from)
            }
            (Some(_), None) => false,
        };
        let from = if bands.is_empty() { band.from } else { from };
        if !rises {
            break;
        }
        at = band.end;
        bands.push(Band { from, ..band });
        let mark = usize::from(matches!(question.word(at), "," | ";" | "/"));
        at += mark + usize::from(matches!(question.word(at + mark), "and" | "or" | "&"));
    }
    let (first, last) = (bands.first()?, bands.last()?);
    // *less than 5 or more than 20* leaves out what lies between, and so bounds rows.
    let leaves_out = |bands: &[Band]| match bands {
        [Band { from: None, to: Some((to, _)), .. }, Band { from: Some((from, _)), to: None, .. }] => {
            *from > to + 1.0
        }
        _ => false,
    };
    if bands.len() < 2 || leaves_out(&bands) {
        return None;
    }
    let end = last.bare_end;
    let mut edges: Vec<End> = Vec::new();
    let mut labels = Vec::new();
    if let Some((from, included)) = first.from {
        edges.push((from, included));
        labels.push(format!("under {from}"));
    }
    labels.push(question.span_text(first.start, first.end).to_owned());
    for (before, band) in bands.iter().zip(bands.iter().skip(1)) {
        let (from, included) = band.from?;
        // *up to 300, 300-600*: what is said to belong to the first does.
        let is_taken = before.closed && before.to == Some((from, true));
        edges.push((from, included && !is_taken));
        // *up to 10 min, over 10 min*: the last is called like the first.
        let unit = |band: &Band| question.word(band.end.saturating_sub(1));
        let named_until =
            if band.end == last.end && unit(band) != unit(first) { band.bare_end } else { band.end };
        // *from 500 to 1500* is the band *500 to 1500*.
        let named_from = band.start + usize::from(question.word(band.start) == "from" && band.to.is_some());
        labels.push(question.span_text(named_from, named_until).to_owned());
    }
    if let Some((to, included)) = last.to {
        edges.push((to, !included));
        labels.push(format!("over {to}"));
    }
    Some((Bands { edges, labels }, end))
}

fn band(question: &Question, start: usize) -> Option<Band> {
    let word = |at: usize| question.word(at);
    // *for more than 600*, *from under 10*
    let start = start + usize::from(matches!(word(start), "for" | "with") && !word(start + 1).is_empty());
    // *under 18*, *less than 18*, *up to 17*.
    if let Some((length, included)) = below(question, start) {
        let (to, bare_end, end) = number(question, start + length)?;
        return Some(Band { from: None, to: Some((to, included)), closed: included, start, end, bare_end });
    }
    // *over 64*, *more than 64*, *at least 65*.
    let above = match (word(start), word(start + 1)) {
        ("over" | "above" | ">", _) => Some((1, false)),
        ("more" | "older" | "greater" | "higher" | "longer" | "larger", "than") => Some((2, false)),
        ("at", "least") => Some((2, true)),
        // *from 19*, but *from 16 to 19*
        ("from", _) if ends_band(question, start + 1) => Some((1, true)),
        _ => None,
    };
    if let Some((length, included)) = above {
        let (from, bare_end, end) = number(question, start + length)?;
        return Some(Band { from: Some((from, included)), to: None, closed: false, start, end, bare_end });
    }
    let span = |from: f64, to: f64, included: bool, end: usize, bare_end: usize| {
        let (from, to) = (from < to).then_some(((from, true), (to, included)))?;
        Some(Band { from: Some(from), to: Some(to), closed: false, start, end, bare_end })
    };
    // *18-39* is one token.
    if let Some((from, to)) = joined_numbers(word(start)) {
        return span(from, to, true, behind_unit(question, start + 1), start + 1);
    }
    let lead = usize::from(matches!(word(start), "between" | "from"));
    let (from, _, at) = number(question, start + lead)?;
    let up_to = word(at) == "up" && word(at + 1) == "to";
    let joins = up_to || matches!(word(at), "to" | "-" | "–" | "through") || lead == 1 && word(at) == "and";
    if joins {
        let at = at + usize::from(up_to);
        // *500 to below 2,000*.
        let (length, included) = below(question, at + 1).unwrap_or((0, true));
        if let Some((to, bare_end, end)) = number(question, at + 1 + length) {
            return span(from, to, included, end, bare_end);
        }
    }
    // *300 or less*
    if lead == 0
        && matches!(word(at), "or" | "and")
        && matches!(word(at + 1), "less" | "under" | "below" | "fewer" | "younger" | "lower" | "cheaper")
    {
        let to = Some((from, true));
        return Some(Band { from: None, to, closed: true, start, end: at + 2, bare_end: at + 2 });
    }
    let open = match (word(at), word(at + 1)) {
        ("+" | "plus" | "upwards", _) => 1,
        (
            "and" | "or",
            "over" | "above" | "more" | "older" | "up" | "higher" | "greater" | "upwards" | "longer",
        ) => 2,
        _ => return None,
    };
    let end = at + open;
    let from = Some((from, true));
    (lead == 0).then_some(Band { from, to: None, closed: false, start, end, bare_end: end })
}

/// The length of words that put an end to a band, and whether the number after them belongs to it.
fn below(question: &Question, start: usize) -> Option<(usize, bool)> {
    match (question.word(start), question.word(start + 1)) {
        ("under" | "below" | "<", _) => Some((1, false)),
        ("less" | "younger" | "fewer" | "lower" | "shorter" | "smaller" | "cheaper", "than") => {
            Some((2, false))
        }
        ("up", "to") | ("at", "most") => Some((2, true)),
        ("not", "more") | ("no", "more") if question.word(start + 2) == "than" => Some((3, true)),
        _ => None,
    }
}

/// *18-39*, *300-600k*: two numbers in one token.
fn joined_numbers(word: &str) -> Option<(f64, f64)> {
    let (from, to) = word.split_once('-')?;
    let scale = if to.ends_with('k') { 1000.0 } else { 1.0 };
    let number = |text: &str| Some(decimal(&text.trim_end_matches('k').replace(',', ""))? * scale);
    Some((number(from)?, number(to)?))
}

/// A number in digits, with or without decimals.
fn decimal(text: &str) -> Option<f64> {
    let is_plain = text.starts_with(|letter: char| letter.is_ascii_digit())
        && text.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    is_plain.then(|| text.parse().ok())?
}

/// True where a number stands and the band ends behind it.
fn ends_band(question: &Question, at: usize) -> bool {
    number(question, at)
        .is_some_and(|(_, _, end)| matches!(question.word(end), "" | "," | ";" | "?" | "." | ")"))
}

/// A number, with the token after it, and the one after its unit too: *2,000*, *€500*, *6.5*, *300k*, *150 pages*.
fn number(question: &Question, at: usize) -> Option<(f64, usize, usize)> {
    let mark = usize::from(matches!(question.word(at), "$" | "€" | "£"));
    let text = question.word(at + mark).trim_start_matches(['$', '€', '£']).replace(',', "");
    let (digits, scale) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1000.0),
        None => (text.as_str(), 1.0),
    };
    let (number, length) = match decimal(digits) {
        Some(number) => (number * scale, 1),
        None => spelled(question, at + mark)?,
    };
    let end = at + mark + length;
    Some((number, end, behind_unit(question, end)))
}

/// *thirty*, *fifty nine*, *three thousand*, with how many tokens it takes.
fn spelled(question: &Question, at: usize) -> Option<(f64, usize)> {
    let mut total: Option<i64> = None;
    let mut length = 0;
    for part in question.word(at).split('-') {
        let (number, ordinal) = number_word(part)?;
        if ordinal {
            return None;
        }
        total = Some(total.unwrap_or(0).checked_add(number)?);
    }
    length += 1;
    while let Some((scale @ (100 | 1000 | 1_000_000), false)) = number_word(question.word(at + length)) {
        total = Some(total?.checked_mul(scale)?);
        length += 1;
    }
    total.map(|total| (total as f64, length))
}

/// The token after the unit that stands there, if one does: a word that a mark, the end of the band, or the end of the
/// question follows.
fn behind_unit(question: &Question, at: usize) -> usize {
    let is_end = |word: &str| {
        matches!(word, "" | "," | ";" | "/" | "to" | "-" | "–" | "and" | "or" | "+" | "plus" | "?" | ".")
    };
    let unit = question.word(at);
    let is_unit =
        unit.chars().all(|letter| letter.is_alphabetic() || matches!(letter, '€' | '$' | '£' | '%'));
    let stands_alone =
        is_unit && !is_end(unit) && !matches!(unit, "upwards" | "through" | "in" | "by" | "per");
    if stands_alone && is_end(question.word(at + 1)) { at + 1 } else { at }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(text: &str) -> Option<Vec<i64>> {
        let (bands, _) = read(&Question::new(text), 0)?;
        assert_eq!(bands.labels.len(), bands.edges.len() + 1);
        Some(bands.edges.iter().map(|(edge, included)| *edge as i64 + i64::from(!included)).collect())
    }

    #[test]
    fn bands_begin_where_the_one_before_ends() {
        for text in [
            "under 18, 18-39, 40 to 64, 65+",
            "less than 18, 18 to 39, 40-64 and 65 or older",
            "below 18, between 18 and 39, 40–64, over 64",
            "up to 17, 18-39, 40-64, 65 and over",
            "under 18 years, 18 to 39 years, 40-64 years, 65 years and over",
            "younger than 18, 18 to under 40, 40 to under 65, at least 65",
        ] {
            assert_eq!(edges(text), Some(vec![18, 40, 65]), "{text}");
        }
        let open =
            read(&Question::new("100 to less than 150, at least 150"), 0).map(|(bands, _)| bands.edges);
        assert_eq!(open, Some(vec![(100.0, true), (150.0, true)]), "149.5 is less than 150");
        let met = read(&Question::new("50 up to 100, 100 or above"), 0).map(|(bands, _)| bands.edges);
        assert_eq!(met, Some(vec![(50.0, true), (100.0, true)]));
        assert_eq!(edges("20-39, 40-59"), Some(vec![20, 40, 60]));
        assert_eq!(edges("0-50, 50-100, over 100"), Some(vec![0, 50, 101]));
        assert_eq!(edges("below 500, 500 to below 2,000 and 2k and more"), Some(vec![500, 2000]));
        assert_eq!(edges("under €50, €50 to €100, over €100"), Some(vec![50, 101]));
        assert_eq!(edges("up to 300k, 300-600k, over 600k"), Some(vec![300_001, 600_001]));
        assert_eq!(
            edges("at most 300,000, for 300,001 to 600,000, and for more than 600,000"),
            Some(vec![300_001, 600_001])
        );
        assert_eq!(edges("300 or less, up to 600, above 600"), Some(vec![301, 601]));
        assert_eq!(edges("below thirty, thirty to fifty-nine, sixty plus"), Some(vec![30, 60]));
        assert_eq!(edges("under 18"), None);
        assert_eq!(edges("2024-05 to 2024-07"), None);
    }
}
