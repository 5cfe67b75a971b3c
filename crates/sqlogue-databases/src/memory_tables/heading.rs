//! Where a table's headings are, and what its columns are called.

use std::collections::HashSet;

use super::guess::{Guess, Habits, Holds};
use super::number;

/// How many rows are looked at for headings.
pub(super) const LOOKED_AT: usize = 20;

/// The longest name of a column, in characters.
const LENGTH: usize = 80;

/// The headings of a table.
#[derive(Debug, PartialEq)]
pub(super) struct Headings {
    /// One for each column; all empty where the table has none.
    pub(super) names: Vec<String>,
    /// How many rows they and what stands above them take.
    pub(super) rows: usize,
    /// True where the first row is data.
    pub(super) missing: bool,
}

/// The headings among the first rows. Where they take two rows, a merged one above the others belongs to each of them:
/// `2024 Q1`, `2024 Q2`.
pub(super) fn of(rows: &[Vec<String>]) -> Headings {
    let at = row(rows);
    let own = rows.get(at).cloned().unwrap_or_default();
    if is_data(&own) {
        return Headings { names: vec![String::new(); own.len()], rows: at, missing: true };
    }
    let above = at.checked_sub(1).and_then(|above| rows.get(above));
    let (names, last) = if let Some(names) = rows.get(at + 1).and_then(|below| joined(&own, below)) {
        (names, at + 1)
    } else {
        (above.and_then(|above| joined(above, &own)).unwrap_or(own), at)
    };
    Headings { names, rows: last + 1, missing: false }
}

/// The headings of two rows as one, where cells of the first are merged over several of the second; none where the rows do
/// not look so.
fn joined(groups: &[String], parts: &[String]) -> Option<Vec<String>> {
    let cell = |row: &[String], at: usize| row.get(at).map_or("", |text| text.trim()).to_owned();
    let width = groups.len().max(parts.len());
    let (mut names, mut seen) = (Vec::with_capacity(width), HashSet::new());
    let (mut repeats, mut over, mut group) = (false, 0, String::new());
    for at in 0..width {
        let (above, below) = (cell(groups, at), cell(parts, at));
        if is_data(std::slice::from_ref(&below)) {
            return None;
        }
        // What a cell stands over ends with the next one.
        let spans = above.is_empty() || (cell(groups, at + 1).is_empty() && !cell(parts, at + 1).is_empty());
        over += usize::from(!above.is_empty() && spans);
        group = if above.is_empty() { group } else { above };
        match (below.is_empty(), group.is_empty()) {
            (true, true) => return None,
            // A cell that is as high as both rows.
            (true, false) if !spans => {}
            (true, false) => return None,
            (false, _) if !spans => return None,
            _ => repeats |= !below.is_empty() && !seen.insert(below.to_lowercase()),
        }
        names.push(format!("{group} {below}").trim().to_owned());
    }
    // A title stands alone, and over headings that all differ.
    (repeats && over >= 2).then_some(names)
}

/// Where the headings are among the first rows: the first row that is about as wide as the widest. What stands
/// above is a title.
fn row(rows: &[Vec<String>]) -> usize {
    let filled = |row: &[String]| row.iter().filter(|text| !text.trim().is_empty()).count();
    let widest = rows.iter().map(|row| filled(row)).max().unwrap_or(0);
    rows.iter().position(|row| filled(row) > 0 && filled(row) * 5 >= widest * 3).unwrap_or(0)
}

/// True where a row reads like data: at least half of its cells are numbers or dates. Years count as headings,
/// because tables often have a column for each.
fn is_data(row: &[String]) -> bool {
    let texts: Vec<&str> = row.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    let data = texts.iter().filter(|text| {
        let is_year = text.len() == 4 && text.parse().is_ok_and(|year: u32| (1800..2200).contains(&year));
        let mut guess = Guess::default();
        guess.text(text);
        !is_year && !matches!(guess.holds(Habits::default()).0, Holds::Text | Holds::Truth)
    });
    !texts.is_empty() && data.count() * 2 >= texts.len()
}

/// What the last row of a table is called that holds the totals of the others.
const TOTALS: &[&str] = &[
    "total",
    "totals",
    "grand total",
    "overall total",
    "sum",
    "gesamt",
    "gesamtsumme",
    "summe",
    "totale",
    "suma",
];

/// In a table of so few rows, none holds the totals of the others.
pub(super) const FEW: usize = 2;

/// What a row calls itself that reads like the totals of a table: it begins with that word, and all else in it are numbers.
pub(super) fn total<'a>(row: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut cells = row.map(str::trim).filter(|text| !text.is_empty());
    let label = cells.next()?;
    let word = label.trim_end_matches(':').to_lowercase();
    let mut numbers = cells.map(|text| number::parts(text).is_some()).peekable();
    let is_total = TOTALS.contains(&word.as_str()) && numbers.peek().is_some() && numbers.all(|is| is);
    is_total.then(|| clean(label))
}

/// Names for so many columns: the headings, numbers where there is none, each only once.
pub(super) fn names(headings: &[String], width: usize) -> Vec<String> {
    let mut taken = HashSet::new();
    (0..width)
        .map(|at| {
            let heading = headings.get(at).map(|heading| clean(heading)).unwrap_or_default();
            let wanted = if heading.is_empty() { format!("column_{}", at + 1) } else { heading };
            let mut name = wanted.clone();
            let mut number = 1;
            while !taken.insert(name.to_lowercase()) {
                number += 1;
                name = format!("{wanted}_{number}");
            }
            name
        })
        .collect()
}

/// A name on one line, without what cannot be seen.
pub(super) fn clean(text: &str) -> String {
    let visible = text.chars().map(|character| {
        if character.is_control() || matches!(character, '\u{a0}' | '\u{feff}' | '\u{200b}') {
            ' '
        } else {
            character
        }
    });
    let visible: String = visible.collect();
    let words: Vec<&str> = visible.split_whitespace().collect();
    words.join(" ").chars().take(LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn headings_are_found_below_titles() {
        let rows = [
            strings(&["Sales of 2024", "", ""]),
            strings(&[]),
            strings(&["Day", "Shop", "Sum"]),
            strings(&["1", "x", "2"]),
        ];
        assert_eq!(row(&rows), 2);
        assert_eq!(row(&[strings(&["a"]), strings(&["1"])]), 0);
        assert!(is_data(&strings(&["1", "2.5", "x"])));
        assert!(!is_data(&strings(&["Country", "2023", "2024"])));
        assert!(!is_data(&strings(&["id", "name"])));
    }

    #[test]
    fn merged_headings_belong_to_what_stands_below_them() {
        let names = |rows: &[&[&str]]| {
            let rows: Vec<Vec<String>> = rows.iter().map(|row| strings(row)).collect();
            let found = of(&rows);
            (found.names.join("|"), found.rows)
        };
        let expected = "Region|2023 Q1|2023 Q2|2024 Q1|2024 Q2".to_owned();
        let data: &[&str] = &["North", "1", "2", "3", "4"];
        // As wide as two columns; as high as two rows as well; below a title.
        let quarters: &[&str] = &["Region", "Q1", "Q2", "Q1", "Q2"];
        assert_eq!(names(&[&["", "2023", "", "2024", ""], quarters, data]), (expected.clone(), 2));
        let quarters: &[&str] = &["", "Q1", "Q2", "Q1", "Q2"];
        let years: &[&str] = &["Region", "2023", "", "2024"];
        assert_eq!(names(&[years, quarters, data]), (expected.clone(), 2));
        assert_eq!(names(&[&["Sales"], years, quarters, data]), (expected, 3));
        // A title, a heading that is missing, and rows of texts are no merged headings.
        assert_eq!(names(&[&["Sales", "", ""], &["a", "b", "a"], &["x", "y", "z"]]).0, "a|b|a");
        assert_eq!(names(&[&["id", "name", "", "city"], &["1", "Ann", "x", "Oslo"]]).1, 1);
        assert_eq!(names(&[&["name", "", "city"], &["Ann", "x", "Ann"]]).1, 1);
    }

    #[test]
    fn totals_are_told_from_data() {
        let is = |row: &[&str]| total(row.iter().copied()).is_some();
        assert!(is(&["Total", "", "12", "3,400.50 €"]) && is(&["", "Grand total:", "7"]));
        assert!(!is(&["Total", "France", "12"]) && !is(&["Total"]) && !is(&["Totaller", "1"]) && !is(&[]));
    }

    #[test]
    fn names_are_there_and_differ() {
        assert_eq!(
            names(&strings(&["Name", " ", "name", "Unit\n price"]), 5),
            ["Name", "column_2", "name_2", "Unit price", "column_5"]
        );
    }
}
