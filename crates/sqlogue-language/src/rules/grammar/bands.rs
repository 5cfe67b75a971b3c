//! Bands of numbers: *under 18, 18-39, 40 to 64, 65 and over*.

use super::form::Bands;
use crate::rules::text::Question;

/// One band, with the tokens after it.
#[derive(Default)]
struct Band {
    /// The number it begins with; none where it has no lower end.
    from: Option<f64>,
    /// True where the number it begins with belongs to the band before: *over 5 to 20*.
    behind: bool,
    /// The number it ends with; none where it has no upper end.
    to: Option<f64>,
    /// True where the number it ends with belongs to it: *up to 17*.
    included: bool,
    start: usize,
    end: usize,
    /// The token after its last number: the unit behind the last band may name the column.
    bare_end: usize,
}

/// The bands that a span of tokens lists, at least two in ascending order, with the token after them.
pub(super) fn read(question: &Question, start: usize) -> Option<(Bands, usize)> {
    let mut bands: Vec<Band> = Vec::new();
    let mut at = start;
    while let Some(band) = band(question, at).or_else(|| rest(question, at, bands.last()?)) {
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
    let mut edges: Vec<(f64, bool)> = Vec::new();
    let mut labels = Vec::new();
    if let Some(from) = first.from {
        edges.push((from, !first.behind));
        labels.push(format!("{} {from}", if first.behind { "up to" } else { "under" }));
    }
    labels.push(question.span_text(first.start, first.end).to_owned());
    let mut below = first.to;
    for band in bands.iter().skip(1) {
        let from = band.from?;
        // *18 to 39, over 39*: the second begins behind the first.
        edges.push((from, !(band.behind && Some(from) == below)));
        let named_until = if band.end == last.end { band.bare_end } else { band.end };
        labels.push(question.span_text(band.start, named_until).to_owned());
        below = band.to;
    }
    if let Some(to) = last.to {
        edges.push((to, !last.included));
        labels.push(format!("{} {to}", if last.included { "over" } else { "from" }));
    }
    Some((Bands { edges, labels }, end))
}

fn band(question: &Question, start: usize) -> Option<Band> {
    let word = |at: usize| question.word(at);
    // *under 18*, *less than 18*, *up to 17*.
    if let Some((length, included)) = below(question, start) {
        let (to, bare_end, end) = number(question, start + length)?;
        return Some(Band { to: Some(to), included, start, end, bare_end, ..Band::default() });
    }
    // *over 64*, *more than 64*, *at least 65*.
    let above = match (word(start), word(start + 1)) {
        ("over" | "above" | "after" | ">", _) => Some((1, true)),
        ("more" | "older" | "greater" | "higher" | "longer" | "larger" | "heavier", "than") => {
            Some((2, true))
        }
        ("at", "least") => Some((2, false)),
        _ => None,
    };
    // *18-39* is one token.
    if let Some((from, to)) = word(start).split_once('-')
        && let (Ok(from), Ok(to)) = (from.parse::<f64>(), to.parse::<f64>())
    {
        let (bare_end, end) = (start + 1, behind_unit(question, start + 1));
        let band =
            Band { from: Some(from), to: Some(to), included: true, start, end, bare_end, behind: false };
        return (from < to).then_some(band);
    }
    let lead = usize::from(matches!(word(start), "between" | "from"));
    let (length, behind) = above.unwrap_or((lead, false));
    let (from, first_end, first_behind) = number(question, start + length)?;
    // *more than 1 up to 5*, *500 to below 2,000*, *18 to 39*.
    let at =
        if above.is_some() && word(first_end) != "to" { first_behind } else { first_behind.max(first_end) };
    let joins = matches!(word(at), "to" | "-" | "–" | "through" | "but") || lead == 1 && word(at) == "and";
    let at_end = if joins { at + 1 } else { at };
    let bound = below(question, at_end).or(joins.then_some((0, true)));
    if let Some((length, included)) = bound
        && let Some((to, bare_end, end)) = number(question, at_end + length)
    {
        let band = Band { from: Some(from), behind, to: Some(to), included, start, end, bare_end };
        return (from < to).then_some(band);
    }
    if above.is_some() {
        return Some(Band {
            from: Some(from),
            behind,
            start,
            end: first_behind,
            bare_end: first_end,
            ..Band::default()
        });
    }
    let at = first_behind;
    let open = match (word(at), word(at + 1)) {
        ("+" | "plus" | "upwards", _) => 1,
        (
            "and" | "or",
            "over" | "above" | "more" | "older" | "up" | "higher" | "greater" | "upwards" | "longer"
            | "later" | "heavier",
        ) => 2,
        _ => return None,
    };
    let end = at + open;
    (lead == 0).then_some(Band { from: Some(from), start, end, bare_end: end, ..Band::default() })
}

/// What lies above the band before: *up to 1 minute, 1 to 5 minutes, longer*.
fn rest(question: &Question, start: usize, last: &Band) -> Option<Band> {
    let says = matches!(
        question.word(start),
        "longer" | "more" | "above" | "older" | "higher" | "larger" | "later" | "heavier" | "bigger"
    );
    let stands_alone = matches!(question.word(start + 1), "" | "," | ";" | ")" | "?" | ".");
    let from = last.to.filter(|_| says && stands_alone)?;
    let end = start + 1;
    Some(Band { from: Some(from), behind: last.included, start, end, bare_end: end, ..Band::default() })
}

/// The length of words that put an end to a band, and whether the number after them belongs to it.
fn below(question: &Question, start: usize) -> Option<(usize, bool)> {
    match (question.word(start), question.word(start + 1)) {
        ("under" | "below" | "before" | "<", _) => Some((1, false)),
        ("less" | "younger" | "fewer" | "lower" | "shorter" | "smaller" | "cheaper" | "lighter", "than") => {
            Some((2, false))
        }
        ("up", "to") => Some((2, true)),
        _ => None,
    }
}

/// A number, with the token after it, and the one after its unit too: *2,000*, *€500*, *300k*, *4.5 %*, *150 pages*.
fn number(question: &Question, at: usize) -> Option<(f64, usize, usize)> {
    let mark = usize::from(matches!(question.word(at), "$" | "€" | "£"));
    let text = question.word(at + mark).trim_start_matches(['$', '€', '£']).replace(',', "");
    let (digits, thousands) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1000.0),
        None => (text.as_str(), 1.0),
    };
    let is_number = digits.starts_with(|digit: char| digit.is_ascii_digit());
    let number = digits.parse::<f64>().ok().filter(|_| is_number)? * thousands;
    let end = at + mark + 1;
    Some((number, end, behind_unit(question, end)))
}

/// The token after the unit that stands there, if one does: a word that a mark, the end of the band, or the end of the
/// question follows.
fn behind_unit(question: &Question, at: usize) -> usize {
    let is_end = |word: &str| {
        matches!(
            word,
            "" | "," | ";" | "/" | "to" | "-" | "–" | "and" | "or" | "+" | "plus" | "?" | "." | ")" | "("
        )
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

    /// The edges as text, with a mark behind those that belong to the band before.
    fn edges(text: &str) -> Option<String> {
        let (bands, _) = read(&Question::new(text), 0)?;
        assert_eq!(bands.labels.len(), bands.edges.len() + 1);
        let edge = |(edge, included): &(f64, bool)| format!("{edge}{}", if *included { "" } else { "]" });
        Some(bands.edges.iter().map(edge).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn bands_begin_where_the_one_before_ends() {
        for text in [
            "under 18, 18-39, 40 to 64, 65+",
            "less than 18, 18 to 39, 40-64 and 65 or older",
            "below 18, between 18 and 39, 40–64, 65+",
            "up to 17, 18-39, 40-64, 65 and over",
            "under 18 years, 18 to 39 years, 40-64 years, 65 years and over",
            "younger than 18, 18 to under 40, 40 to under 65, at least 65",
        ] {
            assert_eq!(edges(text).as_deref(), Some("18 40 65"), "{text}");
        }
        for (text, wanted) in [
            ("up to 17, 18-39, 40-64, over 64", "18 40 64]"),
            ("20-39, 40-59", "20 40 59]"),
            ("0-50, 50-100, over 100", "0 50 100]"),
            ("below 500, 500 to below 2,000 and 2k and more", "500 2000"),
            ("under €50, €50 to €100, over €100", "50 100]"),
            ("below 4.5 %, 4.5 to below 5.5 %, 5.5 % and above", "4.5 5.5"),
            ("up to 1 kg, over 1 to 5 kg, over 5 to 20 kg, more than 20 kg", "1] 5] 20]"),
            ("up to 1 minute, more than 1 up to 5 minutes, longer", "1] 5]"),
            ("before 2010, 2010 to 2014, 2015 to 2019, 2020 and later", "2010 2015 2020"),
            ("under 200 euros, from 200 to under 500, and 500 or more", "200 500"),
        ] {
            assert_eq!(edges(text).as_deref(), Some(wanted), "{text}");
        }
        assert_eq!(edges("under 18"), None);
        assert_eq!(edges("2024-05 to 2024-07"), None);
    }
}
