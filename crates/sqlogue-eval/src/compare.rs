//! Whether two results say the same.
//!
//! Rows are compared as multisets, or in order where the gold query orders its outermost rows. Columns may stand in
//! another order. Numbers are equal whatever their type, to nine digits; text is compared exactly.

use std::collections::HashMap;

use sqlogue_sql::schema::Value;

/// A cell in a form in which equal cells are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Cell {
    Null,
    Number(String),
    Text(String),
    Blob(Vec<u8>),
}

/// True where both results hold the same rows; `ordered` says whether their order counts.
pub fn same(gold: &[Vec<Value>], answer: &[Vec<Value>], ordered: bool) -> bool {
    let width = |rows: &[Vec<Value>]| rows.first().map(Vec::len);
    width(gold) == width(answer) && matches(gold, answer, ordered, cell)
}

/// Rows without the columns that are left open, by their places, where others are left.
pub fn without(rows: Vec<Vec<Value>>, free: &[usize]) -> Vec<Vec<Value>> {
    let kept = |row: Vec<Value>| match row.len() > free.len() {
        true => {
            row.into_iter().enumerate().filter(|(at, _)| !free.contains(at)).map(|(_, cell)| cell).collect()
        }
        false => row,
    };
    rows.into_iter().map(kept).collect()
}

/// True where the answer holds the gold rows and perhaps more columns, as people accept it: a month is the same as its
/// first day, a day the same as its midnight, and a written number the same as the number.
pub fn contains(gold: &[Vec<Value>], answer: &[Vec<Value>], ordered: bool) -> bool {
    matches(gold, answer, ordered, lenient)
}

fn matches(gold: &[Vec<Value>], answer: &[Vec<Value>], ordered: bool, cell: fn(&Value) -> Cell) -> bool {
    if gold.len() != answer.len() {
        return false;
    }
    let (Some(first), Some(answered)) = (gold.first(), answer.first()) else { return true };
    let (width, wide) = (first.len(), answered.len());
    if answer.iter().any(|row| row.len() != wide) || gold.iter().any(|row| row.len() != width) {
        return false;
    }
    let gold: Vec<Vec<Cell>> = gold.iter().map(|row| row.iter().map(cell).collect()).collect();
    let answer: Vec<Vec<Cell>> = answer.iter().map(|row| row.iter().map(cell).collect()).collect();
    // Which of the answer's columns may be which of the gold's: those with the same cells.
    let gold_columns: Vec<Vec<&Cell>> = (0..width).map(|at| column(&gold, at, ordered)).collect();
    let answer_columns: Vec<Vec<&Cell>> = (0..wide).map(|at| column(&answer, at, ordered)).collect();
    let matching: Vec<Vec<usize>> = gold_columns
        .iter()
        .map(|gold| {
            answer_columns
                .iter()
                .enumerate()
                .filter(|(_, answer)| *answer == gold)
                .map(|(at, _)| at)
                .collect()
        })
        .collect();
    // With many columns of equal cells the permutations explode; so many tries are enough for real results.
    let mut tries = 5_000;
    permute(&matching, &mut Vec::new(), &mut tries, &mut |order| equal_in(&gold, &answer, order, ordered))
}

fn cell(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Boolean(truth) => Cell::Number(number(f64::from(u8::from(*truth)))),
        Value::Integer(whole) => Cell::Number(number(*whole as f64)),
        Value::Real(real) => Cell::Number(number(*real)),
        Value::Text(text) => Cell::Text(text.clone()),
        Value::Blob(bytes) => Cell::Blob(bytes.clone()),
    }
}

/// The cell as [`contains`] compares it.
fn lenient(value: &Value) -> Cell {
    let Value::Text(text) = value else {
        return match cell(value) {
            // Sums of parts and parts of sums differ in the last digits.
            Cell::Number(_) => value.as_f64().map_or(Cell::Null, |number| Cell::Number(rounded(number))),
            other => other,
        };
    };
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>()
        && text.starts_with(|first: char| first.is_ascii_digit() || first == '-')
    {
        return Cell::Number(rounded(number));
    }
    let day = text.strip_suffix(".0").unwrap_or(text);
    let day = [" 00:00:00", "T00:00:00", " 00:00", "T00:00"].iter().find_map(|end| day.strip_suffix(end));
    let text = day.unwrap_or(text);
    let bytes = text.as_bytes();
    let is_month = bytes.len() == 7
        && bytes
            .iter()
            .enumerate()
            .all(|(at, byte)| if at == 4 { *byte == b'-' } else { byte.is_ascii_digit() });
    match text.as_bytes() {
        [b'Q', quarter @ b'1'..=b'4'] => Cell::Number(rounded(f64::from(quarter - b'0'))),
        _ if is_month => Cell::Text(format!("{text}-01")),
        _ => Cell::Text(text.to_owned()),
    }
}

fn rounded(value: f64) -> String {
    format!("{:.5e}", if value == 0.0 { 0.0 } else { value })
}

fn number(value: f64) -> String {
    // Negative zero is zero.
    format!("{:.8e}", if value == 0.0 { 0.0 } else { value })
}

fn column(rows: &[Vec<Cell>], at: usize, ordered: bool) -> Vec<&Cell> {
    let mut cells: Vec<&Cell> = rows.iter().filter_map(|row| row.get(at)).collect();
    if !ordered {
        cells.sort_unstable();
    }
    cells
}

/// Tries the orders of columns that `matching` allows until one passes `check`.
fn permute(
    matching: &[Vec<usize>],
    chosen: &mut Vec<usize>,
    tries: &mut usize,
    check: &mut impl FnMut(&[usize]) -> bool,
) -> bool {
    let Some(options) = matching.get(chosen.len()) else {
        *tries = tries.saturating_sub(1);
        return check(chosen);
    };
    for option in options {
        if *tries == 0 {
            return false;
        }
        if chosen.contains(option) {
            continue;
        }
        chosen.push(*option);
        if permute(matching, chosen, tries, check) {
            return true;
        }
        chosen.pop();
    }
    false
}

fn equal_in(gold: &[Vec<Cell>], answer: &[Vec<Cell>], order: &[usize], ordered: bool) -> bool {
    let permuted =
        |row: &Vec<Cell>| -> Vec<Cell> { order.iter().filter_map(|at| row.get(*at)).cloned().collect() };
    if ordered {
        return gold.iter().zip(answer).all(|(gold, answer)| *gold == permuted(answer));
    }
    let mut counts: HashMap<&Vec<Cell>, i64> = HashMap::new();
    for row in gold {
        *counts.entry(row).or_default() += 1;
    }
    answer.iter().all(|row| match counts.get_mut(&permuted(row)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    })
}

/// True where a query orders its outermost rows.
pub fn is_ordered(sql: &str) -> bool {
    let lower = sql.to_ascii_lowercase();
    let mut depth = 0_i32;
    let mut quote = None;
    let mut outside = String::with_capacity(lower.len());
    for letter in lower.chars() {
        match quote {
            Some(open) => {
                if letter == open {
                    quote = None;
                }
                continue;
            }
            None if matches!(letter, '\'' | '"' | '`') => quote = Some(letter),
            None => {}
        }
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && quote.is_none() => outside.push(letter),
            _ => {}
        }
    }
    outside.split_whitespace().collect::<Vec<_>>().windows(2).any(|pair| pair == ["order", "by"])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> Vec<Value> {
        cells
            .iter()
            .map(|cell| match *cell {
                "null" => Value::Null,
                text => text.parse().map(Value::Integer).unwrap_or_else(|_| {
                    text.parse().map(Value::Real).unwrap_or_else(|_| Value::Text(text.to_owned()))
                }),
            })
            .collect()
    }

    #[test]
    fn columns_may_be_permuted_but_rows_stay_whole() {
        let gold = [row(&["a", "1"]), row(&["b", "2"])];
        assert!(same(&gold, &[row(&["1", "a"]), row(&["2", "b"])], false));
        assert!(!same(&gold, &[row(&["2", "a"]), row(&["1", "b"])], false));
        assert!(!same(&gold, &[row(&["a"]), row(&["b"])], false));
    }

    #[test]
    fn more_columns_and_other_spellings_are_accepted_where_people_would() {
        let gold = [row(&["2026-01", "3"]), row(&["2026-02", "4"])];
        let answer = [row(&["a", "2026-01-01", "3"]), row(&["b", "2026-02-01 00:00:00", "4"])];
        assert!(contains(&gold, &answer, true) && !same(&gold, &answer, true));
        assert!(!contains(&answer, &gold, true));
        assert!(contains(&[row(&["33.333333333"])], &[row(&["33.333333334"])], false));
        assert!(!contains(&[row(&["33.3"])], &[row(&["33.4"])], false));
    }

    #[test]
    fn order_counts_only_where_it_is_asked_for() {
        let gold = [row(&["1"]), row(&["2"])];
        let turned = [row(&["2"]), row(&["1"])];
        assert!(same(&gold, &turned, false));
        assert!(!same(&gold, &turned, true));
    }

    #[test]
    fn duplicates_nulls_and_floats() {
        assert!(!same(&[row(&["1"]), row(&["1"])], &[row(&["1"])], false));
        assert!(!same(
            &[row(&["1"]), row(&["1"]), row(&["2"])],
            &[row(&["1"]), row(&["2"]), row(&["2"])],
            false
        ));
        assert!(same(&[row(&["null"])], &[row(&["null"])], false));
        assert!(!same(&[row(&["null"])], &[row(&["0"])], false));
        assert!(same(&[row(&["0.30000000000000004"])], &[row(&["0.3"])], false));
        assert!(same(&[row(&["2"])], &[vec![Value::Real(2.0)]], false));
        assert!(!same(&[row(&["2"])], &[vec![Value::Text("2".into())]], false));
        assert!(same(&[], &[], true));
    }

    #[test]
    fn many_equal_columns_end() {
        let wide: Vec<Vec<Value>> = vec![vec![Value::Integer(1); 40]; 3];
        assert!(same(&wide, &wide, false));
    }

    #[test]
    fn only_the_outermost_order_counts() {
        assert!(is_ordered("SELECT a FROM t ORDER BY a"));
        assert!(!is_ordered("SELECT a FROM t WHERE b = (SELECT c FROM u ORDER BY c LIMIT 1)"));
        assert!(!is_ordered("SELECT 'order by'"));
    }
}
