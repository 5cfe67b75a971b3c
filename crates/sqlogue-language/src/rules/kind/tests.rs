//! What columns are taken for.

use super::*;

fn kind(name: &str, column_type: ColumnType, values: &[Value]) -> ColumnKind {
    looks(name, column_type, values, false, false)
}

fn looks(
    name: &str,
    column_type: ColumnType,
    values: &[Value],
    is_key: bool,
    is_foreign: bool,
) -> ColumnKind {
    let words: Vec<String> = super::super::names::pieces(name).iter().map(|piece| stem(piece)).collect();
    let mut tally = Tally::default();
    values.iter().for_each(|value| tally.add(value));
    Looks {
        words: &words,
        column_type,
        is_key,
        is_foreign,
        rows: Some(1_000),
        rows_called: &[],
        tally: &tally,
    }
    .kind()
}

fn texts(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|text| Value::from(*text)).collect()
}

fn numbers(numbers: &[i64]) -> Vec<Value> {
    numbers.iter().map(|number| Value::from(*number)).collect()
}

#[test]
fn dates_in_all_their_dress() {
    use ColumnType::{Date, DateTime, Integer, Text};
    for (name, column_type, values, expected) in [
        ("hired", Date, texts(&["2024-05-01"]), ColumnKind::Date),
        ("hired", DateTime, texts(&[]), ColumnKind::Timestamp),
        ("hired", Text, texts(&["2024-05-01", "-", "2023-01-31"]), ColumnKind::Date),
        ("hired", Text, texts(&["2024-05-01", "2023-01-31 10:30"]), ColumnKind::Timestamp),
        ("hired", Text, texts(&["2024-05-01", "last spring"]), ColumnKind::Code),
        ("starts", Text, texts(&["09:30", "23:15"]), ColumnKind::Time),
        ("fee_month", Text, texts(&["2024-05", "2024-12"]), ColumnKind::Month),
        ("fee_month", Text, texts(&["2024-05", "2024-13"]), ColumnKind::Code),
        ("date_key", Integer, numbers(&[20_240_501]), ColumnKind::DateKey),
        ("shipped", Text, texts(&["20240501", "20240502", "20240503"]), ColumnKind::DateKey),
        // No thirteenth month, so no days.
        ("date_key", Integer, numbers(&[20_240_501, 20_241_301]), ColumnKind::Number),
        ("serial", Integer, numbers(&[20_240_501]), ColumnKind::Number),
        ("occurred_at", Integer, numbers(&[1_767_252_306]), ColumnKind::Epoch(EpochUnit::Second)),
        ("issued_on", Integer, numbers(&[1_767_252_306_000]), ColumnKind::Epoch(EpochUnit::Millisecond)),
        // Neither a number of that size without a word for time, nor the word without the size.
        ("distance", Integer, numbers(&[1_767_252_306]), ColumnKind::Number),
        ("race_time", Integer, numbers(&[94_306]), ColumnKind::Number),
        ("founded_year", Integer, numbers(&[1899, 2004]), ColumnKind::Year),
        ("year_count", Integer, numbers(&[3, 5]), ColumnKind::Number),
    ] {
        assert_eq!(kind(name, column_type, &values), expected, "{name} {values:?}");
    }
}

#[test]
fn flags_as_they_are_stored() {
    use ColumnType::{Boolean, Integer, Text};
    let pair = |yes: &str, no: &str| Some((Value::from(yes), Value::from(no)));
    let bits = Some((Value::from(1), Value::from(0)));
    for (name, column_type, values, expected) in [
        ("certified", Text, texts(&["Y", "N"]), pair("Y", "N")),
        ("newsletter", Text, texts(&["false", "true"]), pair("true", "false")),
        ("newsletter", Text, texts(&["No", "n/a"]), pair("Yes", "No")),
        ("won", Text, texts(&["F", "T"]), pair("T", "F")),
        ("gender", Text, texts(&["F"]), None),
        ("gender", Text, texts(&["F", "M"]), None),
        ("is_open", Text, texts(&["Y"]), pair("Y", "N")),
        ("is_trial", Integer, numbers(&[0]), bits.clone()),
        ("discontinued", Integer, numbers(&[0, 1]), bits.clone()),
        ("discontinued", Integer, numbers(&[0, 1, 2]), None),
        ("harm", Integer, numbers(&[0, 1]), bits),
        ("reopen_count", Integer, numbers(&[0, 1]), None),
        ("active", Boolean, vec![], Some((Value::Boolean(true), Value::Boolean(false)))),
        ("active", Boolean, texts(&["true"]), pair("true", "false")),
    ] {
        let found = kind(name, column_type, &values);
        let expected = expected.as_ref().map(|(yes, no)| (yes, no));
        assert_eq!(found.is_flag(), expected, "{name} {values:?}");
    }
}

#[test]
fn numbers_and_what_they_count() {
    use ColumnType::{Integer, Real, Text};
    let reals = |reals: &[f64]| reals.iter().map(|real| Value::from(*real)).collect::<Vec<_>>();
    for (name, column_type, values, expected) in [
        ("list_price_cents", Integer, numbers(&[2900]), ColumnKind::Money(MoneyUnit::Cents)),
        ("unit_price", Real, reals(&[9.5]), ColumnKind::Money(MoneyUnit::Whole)),
        ("discount_pct", Integer, numbers(&[10, 20]), ColumnKind::Percentage(PercentScale::OfHundred)),
        ("discount_pct", Real, reals(&[0.1, 0.2]), ColumnKind::Percentage(PercentScale::OfOne)),
        ("click_rate", Real, reals(&[0.1, 0.2]), ColumnKind::Percentage(PercentScale::OfOne)),
        ("interest_rate", Real, reals(&[3.5, 4.2]), ColumnKind::Percentage(PercentScale::OfHundred)),
        ("tax_rate", Real, reals(&[0.07, 0.19]), ColumnKind::Percentage(PercentScale::OfOne)),
        ("hourly_rate", Real, reals(&[21.5, 40.0]), ColumnKind::Number),
        ("pulse_rate", Integer, numbers(&[70, 81]), ColumnKind::Number),
        ("horsepower", Text, texts(&["130", "n/a", "95.5", "NULL"]), ColumnKind::Number),
        ("horsepower", Text, texts(&["130", "many"]), ColumnKind::Code),
        ("beds", Integer, numbers(&[24]), ColumnKind::Number),
    ] {
        assert_eq!(kind(name, column_type, &values), expected, "{name} {values:?}");
    }
    assert!(kind("beds", Integer, &numbers(&[24])).is_number());
    assert!(!kind("year", Integer, &numbers(&[2024])).is_number());
    assert!(kind("year", Integer, &numbers(&[2024])).is_temporal());
}

#[test]
fn texts_and_what_only_identifies() {
    use ColumnType::{Integer, Text};
    let prose = "It came in a box that had been opened before, and nobody could say by whom.";
    for (name, values, expected) in [
        ("status", texts(&["open", "closed"]), ColumnKind::Code),
        ("product_name", texts(&["Red lamp", "Blue lamp"]), ColumnKind::Name),
        ("remark", texts(&[prose]), ColumnKind::Text),
    ] {
        assert_eq!(kind(name, Text, &values), expected, "{name}");
    }
    assert_eq!(looks("id", Integer, &numbers(&[1, 2]), true, false), ColumnKind::Key);
    assert_eq!(looks("owner", Integer, &numbers(&[1, 2]), false, true), ColumnKind::Reference);
    assert_eq!(looks("name", Text, &texts(&["Oslo"]), true, false), ColumnKind::Name);
    assert_eq!(looks("day_key", Integer, &numbers(&[20_240_501]), false, true), ColumnKind::DateKey);
}

#[test]
fn a_few_samples_are_not_all_values() {
    let samples = texts(&["Ash", "Birch", "Cedar", "Elm", "Fir"]);
    let words = ["tree".to_owned()];
    let tally = Tally::of_samples(&samples);
    let looks = |tally| Looks {
        words: &words,
        column_type: ColumnType::Text,
        is_key: false,
        is_foreign: false,
        rows: Some(1_000),
        rows_called: &[],
        tally,
    };
    assert_eq!(looks(&tally).kind(), ColumnKind::Text);
    assert_eq!(looks(&Tally::of_samples(&samples[..2])).kind(), ColumnKind::Code);
}

#[test]
fn the_number_of_a_row_is_no_amount() {
    let rows_called = |word: &str| vec![word.to_owned()];
    let of = |name: &str, row: &[String]| {
        let words = vec![stem(name)];
        let mut tally = Tally::default();
        [101, 5, 5, 2044].map(Value::from).iter().for_each(|value| tally.add(value));
        let (is_key, is_foreign, rows) = (false, false, Some(1_000));
        let column_type = ColumnType::Integer;
        Looks { words: &words, column_type, is_key, is_foreign, rows, rows_called: row, tally: &tally }.kind()
    };
    assert_eq!(of("flight", &rows_called("flight")), ColumnKind::Key);
    assert_eq!(of("flight", &[]), ColumnKind::Number);
    // What is measured may be called as the rows are.
    assert_eq!(of("salary", &rows_called("salary")), ColumnKind::Money(MoneyUnit::Whole));
    assert_eq!(of("score", &rows_called("score")), ColumnKind::Number);
}
