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
    let end = last.end;
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
        labels.push(question.span_text(band.start, band.end).to_owned());
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
    let number =
        |at: usize| word(at).trim_start_matches(['$', '€', '£']).replace(',', "").parse::<i64>().ok();
    // *under 18*, *less than 18*, *up to 17*.
    let below = match (word(start), word(start + 1)) {
        ("under" | "below" | "<", _) => Some((1, 0)),
        ("less" | "younger" | "fewer" | "lower", "than") => Some((2, 0)),
        ("up", "to") => Some((2, 1)),
        _ => None,
    };
    if let Some((length, included)) = below {
        // The band ends before the number, so that the number begins the next.
        let to = number(start + length)?.checked_add(included)?;
        return Some(Band { from: None, to: Some(to - 1), start, end: start + length + 1 });
    }
    // *over 64*, *more than 64*.
    let above = match (word(start), word(start + 1)) {
        ("over" | "above" | ">", _) => Some(1),
        ("more" | "older" | "greater" | "higher", "than") => Some(2),
        _ => None,
    };
    if let Some(length) = above {
        return Some(Band { from: Some(number(start + length)?), to: None, start, end: start + length + 1 });
    }
    // *18-39* is one token.
    if let Some((from, to)) = word(start).split_once('-')
        && let (Ok(from), Ok(to)) = (from.parse(), to.parse())
    {
        return (from < to).then_some(Band { from: Some(from), to: Some(to), start, end: start + 1 });
    }
    let lead = usize::from(matches!(word(start), "between" | "from"));
    let from = number(start + lead)?;
    let at = start + lead + 1;
    let joins = matches!(word(at), "to" | "-" | "–" | "through") || lead == 1 && word(at) == "and";
    if joins && let Some(to) = number(at + 1) {
        return (from < to).then_some(Band { from: Some(from), to: Some(to), start, end: at + 2 });
    }
    let open = match (word(at), word(at + 1)) {
        ("+" | "plus" | "upwards", _) => 1,
        ("and" | "or", "over" | "above" | "more" | "older" | "up" | "higher" | "greater" | "upwards") => 2,
        _ => return None,
    };
    (lead == 0).then_some(Band { from: Some(from), to: None, start, end: at + open })
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
        ] {
            assert_eq!(edges(text), Some(vec![18, 40, 65]), "{text}");
        }
        assert_eq!(edges("20-39, 40-59"), Some(vec![20, 40, 60]));
        assert_eq!(edges("0-50, 50-100, over 100"), Some(vec![0, 50, 101]));
        assert_eq!(edges("under 18"), None);
        assert_eq!(edges("2024-05 to 2024-07"), None);
    }
}
