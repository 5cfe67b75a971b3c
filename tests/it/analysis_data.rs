//! Tables of what makes databases disagree: ends of months and years, leap days, NULLs, ties, negative and odd numbers,
//! numbers in texts, and times that are numbers. Prices are multiples of a quarter, so that sums are exact.

use std::fmt::Write as _;

use fastrand::Rng;

/// Days on which periods end and begin, years have a day more, and weeks belong to another year.
const DAYS: &[&str] = &[
    "2023-12-31",
    "2024-01-01",
    "2024-01-31",
    "2024-02-28",
    "2024-02-29",
    "2024-03-01",
    "2024-03-31",
    "2024-04-30",
    "2024-06-30",
    "2024-07-01",
    "2024-09-30",
    "2024-10-01",
    "2024-12-30",
    "2024-12-31",
    "2025-01-01",
    "2025-01-05",
    "2025-01-06",
    "2025-02-28",
    "2025-03-01",
    "2026-01-04",
    "2020-02-29",
    "1969-07-20",
];

const TIMES: &[&str] = &["00:00:00", "00:00:01", "12:30:00", "13:59:59", "23:59:59"];

/// The tables, with types that SQLite passes on.
pub fn tables() -> String {
    let mut rng = Rng::with_seed(7);
    let mut script = String::from(
        "CREATE TABLE people (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, born DATE, city TEXT);
CREATE TABLE visits (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES people (id), kind TEXT, \
opened TIMESTAMP, closed TIMESTAMP, day DATE, due DATE, seconds BIGINT, millis BIGINT, day_key INTEGER, \
said TEXT, quantity INTEGER, price REAL, paid BOOLEAN);\n",
    );
    for id in 1..=40 {
        let last = if id % 7 == 0 { "NULL".into() } else { format!("'Last{}'", id % 9) };
        let born = if id % 6 == 0 { "NULL".into() } else { format!("'{}'", day(&mut rng)) };
        let city = ["'Rome'", "'Oslo'", "'Bath'", "NULL"][rng.usize(..4)];
        writeln!(script, "INSERT INTO people VALUES ({id}, 'First{}', {last}, {born}, {city});", id % 5)
            .unwrap();
    }
    for id in 1..=220 {
        let maybe = |rng: &mut Rng, text: String| if rng.u8(..5) == 0 { "NULL".to_owned() } else { text };
        let person = rng.u8(1..31).to_string();
        let person = maybe(&mut rng, person);
        let kind = ["'new'", "'open'", "'done'", "'N/A'"][rng.usize(..4)].to_owned();
        let (opened, closed) = (time(&mut rng), time(&mut rng));
        let (date, due) = (day(&mut rng), day(&mut rng));
        let seconds = rng.i64(-90_000..1_900_000_000);
        let millis = rng.i64(0..1_900_000_000_000);
        let said = ["'12'", "'-3.5'", "'N/A'", "''", "'1-2'", "'.5'", "'1.2.3'", "'7 '"][rng.usize(..8)];
        let quantity = rng.i8(-4..9).to_string();
        let price = f64::from(rng.i16(-20..60)) / 4.0;
        let paid = if rng.bool() { "1" } else { "0" }.to_owned();
        let row = [
            id.to_string(),
            person,
            maybe(&mut rng, kind),
            format!("'{opened}'"),
            maybe(&mut rng, format!("'{closed}'")),
            format!("'{date}'"),
            maybe(&mut rng, format!("'{due}'")),
            seconds.to_string(),
            millis.to_string(),
            date.replace('-', ""),
            maybe(&mut rng, said.to_owned()),
            maybe(&mut rng, quantity),
            maybe(&mut rng, format!("{price:?}")),
            maybe(&mut rng, paid),
        ];
        writeln!(script, "INSERT INTO visits VALUES ({});", row.join(", ")).unwrap();
    }
    script
}

/// One of the days.
pub fn day(rng: &mut Rng) -> String {
    DAYS[rng.usize(..DAYS.len())].to_owned()
}

/// A time on one of the days.
pub fn time(rng: &mut Rng) -> String {
    format!("{} {}", day(rng), TIMES[rng.usize(..TIMES.len())])
}
