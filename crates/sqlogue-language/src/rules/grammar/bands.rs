//! Bands of numbers: *under 18, 18-39, 40 to 64, 65 and over*.

use super::form::Bands;
use crate::rules::text::Question;

/// One band, with the tokens after it.
struct Band {
    /// The lowest number in it; none where it has no lower end.
    from: Option<i64>,
    /// The highest number in it; none where it has no upper end.
    to: Option<i64>,
    start: usize,
    end: usize,
    /// The token after its last number: the unit behind the last band may name the column.
    bare_end: usize,
}

/// The bands that a span of tokens lists, at least two in ascending order, with the token after them.
pub(super) fn read(question: &Question, start: usize) -> Option<(Bands, usize)> {
    let mut bands: Vec<Band> = Vec::new();
    let mut at = start;
    while let Some(band) = band(question, at) {
        let rises = match (bands.last(), band.from) {
            (None, _) => true,
            (Some(last), Some(from)) => last.to.is_some_and(|to| from >= to),
            (Some(_), None) => false,
        };
        if !rises {
            break;
        }
        at = band.end;
        bands.push(band);
        let mark = usize::from(matches!(question.word(at), "," | ";" | "/"));
        at += mark + usize::from(matches!(question.word(at + mark), "and" | "or" | "&"));
    }
    let (first, last) = (bands.first()?, bands.last()?);
    if bands.len() < 2 {
        return None;
    }
    let end = last.bare_end;
    let mut edges: Vec<(i64, bool)> = Vec::new();
    let mut labels = Vec::new();
    if let Some(from) = first.from {
        edges.push((from, true));
        labels.push(format!("under {from}"));
    }
    labels.push(question.span_text(first.start, first.end).to_owned());
    let mut below = first.to;
    for band in bands.iter().skip(1) {
        let from = band.from?;
        // *18 to 39, over 39*: the second begins behind the first.
        edges.push((from, band.to.is_some() || Some(from) != below));
        let named_until = if band.end == last.end { band.bare_end } else { band.end };
        labels.push(question.span_text(band.start, named_until).to_owned());
        below = band.to;
    }
    if let Some(to) = last.to {
        edges.push((to, false));
        labels.push(format!("over {to}"));
    }
    Some((Bands { edges, labels }, end))
}

fn band(question: &Question, start: usize) -> Option<Band> {
    let word = |at: usize| question.word(at);
    // *under 18*, *less than 18*, *up to 17*.
    if let Some((length, included)) = below(question, start) {
        // The band ends before the number, so that the number begins the next.
        let (to, bare_end, end) = number(question, start + length)?;
        return Some(Band { from: None, to: Some(to.checked_add(included)? - 1), start, end, bare_end });
    }
    // *over 64*, *more than 64*, *at least 65*.
    let above = match (word(start), word(start + 1)) {
        ("over" | "above" | ">", _) => Some((1, 0)),
        ("more" | "older" | "greater" | "higher" | "longer" | "larger", "than") => Some((2, 0)),
        ("at", "least") => Some((2, 1)),
        _ => None,
    };
    if let Some((length, included)) = above {
        let (from, bare_end, end) = number(question, start + length)?;
        return Some(Band { from: Some(from.checked_sub(included)?), to: None, start, end, bare_end });
    }
    // *18-39* is one token.
    if let Some((from, to)) = word(start).split_once('-')
        && let (Ok(from), Ok(to)) = (from.parse(), to.parse())
    {
        let (bare_end, end) = (start + 1, behind_unit(question, start + 1));
        return (from < to).then_some(Band { from: Some(from), to: Some(to), start, end, bare_end });
    }
    let lead = usize::from(matches!(word(start), "between" | "from"));
    let (from, _, at) = number(question, start + lead)?;
    let joins = matches!(word(at), "to" | "-" | "–" | "through") || lead == 1 && word(at) == "and";
    if joins {
        // *500 to below 2,000*.
        let (length, included) = below(question, at + 1).unwrap_or((0, 1));
        if let Some((to, bare_end, end)) = number(question, at + 1 + length) {
            let to = to.checked_add(included)? - 1;
            return (from < to).then_some(Band { from: Some(from), to: Some(to), start, end, bare_end });
        }
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
    (lead == 0).then_some(Band { from: Some(from), to: None, start, end, bare_end: end })
}

/// The length of words that put an end to a band, and whether the number after them belongs to it.
fn below(question: &Question, start: usize) -> Option<(usize, i64)> {
    match (question.word(start), question.word(start + 1)) {
        ("under" | "below" | "<", _) => Some((1, 0)),
        ("less" | "younger" | "fewer" | "lower" | "shorter" | "smaller" | "cheaper", "than") => Some((2, 0)),
        ("up", "to") => Some((2, 1)),
        _ => None,
    }
}

/// A whole number, with the token after it, and the one after its unit too: *2,000*, *€500*, *300k*, *150 pages*.
fn number(question: &Question, at: usize) -> Option<(i64, usize, usize)> {
    let mark = usize::from(matches!(question.word(at), "$" | "€" | "£"));
    let text = question.word(at + mark).trim_start_matches(['$', '€', '£']).replace(',', "");
    let (digits, thousands) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1000),
        None => (text.as_str(), 1),
    };
    let number = digits.parse::<i64>().ok()?.checked_mul(thousands)?;
    let end = at + mark + 1;
    Some((number, end, behind_unit(question, end)))
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
        Some(bands.edges.iter().map(|(edge, included)| edge + i64::from(!included)).collect())
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
        assert_eq!(edges("20-39, 40-59"), Some(vec![20, 40, 60]));
        assert_eq!(edges("0-50, 50-100, over 100"), Some(vec![0, 50, 101]));
        assert_eq!(edges("below 500, 500 to below 2,000 and 2k and more"), Some(vec![500, 2000]));
        assert_eq!(edges("under €50, €50 to €100, over €100"), Some(vec![50, 101]));
        assert_eq!(edges("under 18"), None);
        assert_eq!(edges("2024-05 to 2024-07"), None);
    }
}
