//! Takes the declared keys away from databases, infers keys from names and values, and says how many of the declared ones
//! were found, and how many were found that nobody declared.
//!
//! ```text
//! keys FOLDER [--questions FILE] [--split fit|held-out] [--held-out NAME,NAME] [--db NAME] [--keep] [--show]
//! ```
//! The databases are `FOLDER/*.sqlite` or `FOLDER/*/*.sqlite`. With questions, in Spider's shape or one JSON object a line, it also says how
//! many of the references that the gold queries join were found. `--keep` leaves the declared keys, `--show` prints what
//! was found and what was missed. Half of the databases are fit and half held out: Spider's by their names, others by
//! `--held-out NAME,NAME`.
//!
//! What was found and nobody declared is told apart: a reference that leads over declared ones to the same row, one within
//! its own table, one that stands beside the declared one of its column as the other way to read it, and what is left, which
//! may be wrong.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::Instant;

use sqlogue::database::{Database, SqliteDatabase};
use sqlogue::schema::{ForeignKey, Schema};
use sqlogue::source;
use sqlogue_eval::split::Split;

use crate::known::take_keys_away;

/// A column, in lower case.
type Place = (String, String);

/// The two sides of a join, in order.
type Pair = (Place, Place);

fn place(table: &str, column: &str) -> Place {
    (table.to_lowercase(), column.to_lowercase())
}

fn pairs(table: &str, key: &ForeignKey) -> Vec<(Place, Place)> {
    let columns = key.columns.iter().zip(&key.references);
    columns.map(|(from, to)| (place(table, from), place(&key.table, to))).collect()
}

/// What was declared, before it was taken away.
#[derive(Default)]
struct Declared {
    references: BTreeSet<Pair>,
    keys: BTreeMap<String, BTreeSet<String>>,
}

impl Declared {
    /// True where two columns hang together by declared references, in whatever direction: where both have the same value,
    /// they lead to the same row.
    fn leads(&self, from: &Place, to: &Place) -> bool {
        let mut group = BTreeSet::from([from.clone()]);
        loop {
            let ways = self.references.iter().flat_map(|(one, other)| [(one, other), (other, one)]);
            let more: Vec<Place> = ways
                .filter(|(one, other)| group.contains(*one) && !group.contains(*other))
                .map(|(_, other)| other.clone())
                .collect();
            if more.is_empty() {
                return group.contains(to);
            }
            group.extend(more);
        }
    }
}

fn take_away(schema: &mut Schema) -> Declared {
    let mut declared = declared(schema);
    take_keys_away(schema);
    declared.keys.retain(|_, columns| !columns.is_empty());
    declared
}

fn declared(schema: &Schema) -> Declared {
    let mut declared = Declared::default();
    for table in &schema.tables {
        let keys = table.foreign_keys.iter().filter(|key| key.declared);
        declared.references.extend(keys.flat_map(|key| pairs(&table.name, key)));
        let columns = table.primary_key().map(|column| column.name.to_lowercase()).collect();
        declared.keys.insert(table.name.to_lowercase(), columns);
    }
    declared
}

/// The joins of a query: pairs of columns of named tables that it compares for equality.
fn joins(sql: &str, schema: &Schema) -> BTreeSet<Pair> {
    let mut words: Vec<String> = Vec::new();
    let mut quoted = None;
    for letter in sql.chars() {
        match quoted {
            Some(end) if letter == end => quoted = None,
            Some('\'') => {}
            _ if letter == '\'' || letter == '"' || letter == '`' => {
                quoted = Some(letter);
                words.push(String::new());
            }
            _ if letter.is_alphanumeric() || letter == '_' => {
                if words.last().is_none_or(|word| {
                    !word.chars().all(|c| c.is_alphanumeric() || c == '_') || word.is_empty()
                }) {
                    words.push(String::new());
                }
                words.last_mut().unwrap().extend(letter.to_lowercase());
            }
            _ => words.push(letter.to_string()),
        }
    }
    words.retain(|word| !word.trim().is_empty());
    let mut called: HashMap<String, String> = HashMap::new();
    for at in 0..words.len() {
        let follows = at > 0 && matches!(words[at - 1].as_str(), "from" | "join" | ",");
        if follows && let Some(table) = schema.table(&words[at]) {
            let table = table.name.to_lowercase();
            called.insert(table.clone(), table.clone());
            let name = match words.get(at + 1).map(String::as_str) {
                Some("as") => words.get(at + 2),
                _ => words.get(at + 1),
            };
            if let Some(name) = name {
                called.insert(name.clone(), table);
            }
        }
    }
    let column = |at: usize| -> Option<Place> {
        let dot = words.get(at + 1)? == ".";
        let table = called.get(words.get(at)?).filter(|_| dot)?;
        let column = words.get(at + 2)?;
        schema.table(table)?.column(column)?;
        Some((table.clone(), column.clone()))
    };
    let mut found = BTreeSet::new();
    for (at, word) in words.iter().enumerate().skip(3) {
        if word == "="
            && let (Some(one), Some(other)) = (column(at - 3), column(at + 1))
            && one != other
        {
            found.insert(if one < other { (one, other) } else { (other, one) });
        }
    }
    found
}

/// The gold queries of each database.
fn golds(path: &Path) -> HashMap<String, Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<serde_json::Value> = match serde_json::from_str(&text) {
        Ok(serde_json::Value::Array(all)) => all,
        _ => text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
    };
    let mut golds: HashMap<String, Vec<String>> = HashMap::new();
    for line in lines {
        let name = line["db_id"].as_str().or(line["db"].as_str()).unwrap();
        if let Some(sql) = line["query"].as_str().or(line["sql"].as_str()) {
            golds.entry(name.to_owned()).or_default().push(sql.to_owned());
        }
    }
    golds
}

/// What a reference is that was found and not declared.
#[derive(Debug, Clone, Copy, PartialEq)]
enum More {
    SameRow,
    OwnTable,
    BesideDeclared,
    Left,
}

impl More {
    const ALL: [(More, &'static str); 4] = [
        (More::SameRow, "lead to the same row over declared ones"),
        (More::OwnTable, "within their own table"),
        (More::BesideDeclared, "beside the declared one of their column"),
        (More::Left, "left"),
    ];

    fn of(pair: &Pair, truth: &Declared, found: impl Fn(&Pair) -> bool) -> Self {
        let (from, to) = pair;
        if truth.leads(from, to) {
            More::SameRow
        } else if from.0 == to.0 {
            More::OwnTable
        } else if truth.references.iter().any(|other| other.0 == *from && found(other)) {
            More::BesideDeclared
        } else {
            More::Left
        }
    }
}

#[derive(Default)]
struct Sum {
    declared: usize,
    found_declared: usize,
    found: usize,
    judged: usize,
    more: [usize; More::ALL.len()],
    keys: usize,
    found_keys: usize,
    wrong_keys: usize,
    joined: usize,
    found_joined: usize,
}

pub fn main() {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let option = |name: &str| {
        arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1)).cloned()
    };
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let split = option("--split").and_then(|name| Split::named(&name));
    let golds = option("--questions").map(|path| golds(Path::new(&path))).unwrap_or_default();
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(&arguments[0]).unwrap() {
        let path = entry.unwrap().path();
        let inside: Vec<PathBuf> = match std::fs::read_dir(&path) {
            Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
            Err(_) => vec![path],
        };
        files.extend(inside.into_iter().filter(|path| path.extension().is_some_and(|end| end == "sqlite")));
    }
    files.sort();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let mut sum = Sum::default();
    let mut times = Vec::new();
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let part = match option("--held-out") {
            Some(named) if named.split(',').any(|held_out| held_out == name) => Split::HeldOut,
            Some(_) => Split::Fit,
            None => Split::of(&name),
        };
        if split.is_some_and(|split| part != split) || option("--db").is_some_and(|only| only != name) {
            continue;
        }
        let database = SqliteDatabase::open(&file).unwrap();
        let mut schema = runtime.block_on(database.introspect()).unwrap();
        let truth = if has("--keep") { declared(&schema) } else { take_away(&mut schema) };
        let start = Instant::now();
        runtime.block_on(source::infer_keys(&database, &mut schema));
        let elapsed = start.elapsed();
        times.push(elapsed);
        let golds = golds.get(&name).map_or(&[][..], Vec::as_slice);
        let joined: BTreeSet<Pair> = golds.iter().flat_map(|sql| joins(sql, &schema)).collect();
        report(&name, &schema, &truth, &joined, &mut sum, has("--show"));
        if has("--show") {
            println!("  {elapsed:?}");
        }
    }
    let share = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
    println!(
        "declared references {} of {} ({:.1} %); joined by golds {} of {} ({:.1} %); of {} found, {} in databases whose \
         keys seem complete, {} not declared ({:.1} %); primary keys {} of {} ({:.1} %), {} wrong",
        sum.found_declared,
        sum.declared,
        share(sum.found_declared, sum.declared),
        sum.found_joined,
        sum.joined,
        share(sum.found_joined, sum.joined),
        sum.found,
        sum.judged,
        sum.more.iter().sum::<usize>(),
        share(sum.more.iter().sum(), sum.judged),
        sum.found_keys,
        sum.keys,
        share(sum.found_keys, sum.keys),
        sum.wrong_keys,
    );
    for ((_, name), count) in More::ALL.iter().zip(sum.more) {
        println!(
            "  of what is not declared: {count} {name} ({:.1} % of what was found)",
            share(count, sum.judged)
        );
    }
    times.sort();
    if let Some(longest) = times.last() {
        println!("{} databases: median {:?}, longest {longest:?}", times.len(), times[times.len() / 2]);
    }
}

fn report(name: &str, schema: &Schema, truth: &Declared, joined: &BTreeSet<Pair>, sum: &mut Sum, show: bool) {
    let mut found: BTreeMap<(Place, Place), &ForeignKey> = BTreeMap::new();
    for table in &schema.tables {
        for key in &table.foreign_keys {
            found.extend(pairs(&table.name, key).into_iter().map(|pair| (pair, key)));
        }
    }
    // Two columns that refer to the same key may be joined, and so may those that are joined over others.
    let same = |one: &Place, other: &Place| {
        let mut group = BTreeSet::from([one.clone()]);
        loop {
            let more: Vec<Place> = found
                .keys()
                .flat_map(|(from, to)| [(from, to), (to, from)])
                .filter(|(from, to)| group.contains(*from) && !group.contains(*to))
                .map(|(_, to)| to.clone())
                .collect();
            if more.is_empty() {
                return group.contains(other);
            }
            group.extend(more);
        }
    };
    let text = |(one, other): &(Place, Place)| format!("{}.{} -> {}.{}", one.0, one.1, other.0, other.1);
    let hits = truth.references.iter().filter(|pair| found.contains_key(*pair)).count();
    let hit_joins = joined.iter().filter(|(one, other)| same(one, other)).count();
    // Declared keys seem complete where each table has a key and hangs together with another, and no gold joins what is
    // not declared.
    let touched =
        |table: &str| truth.references.iter().any(|((one, _), (other, _))| one == table || other == table);
    let complete = !truth.references.is_empty()
        && schema.tables.iter().all(|table| touched(&table.name.to_lowercase()))
        && joined.iter().all(|(one, other)| {
            let direct = |a: &Place, b: &Place| truth.references.contains(&(a.clone(), b.clone()));
            direct(one, other)
                || direct(other, one)
                || truth.references.iter().any(|(from, to)| from == one && direct(other, to))
        });
    let inferred: Vec<_> = found.iter().filter(|(_, key)| !key.declared).collect();
    let more: Vec<_> = inferred.iter().filter(|(pair, _)| !truth.references.contains(*pair)).collect();
    sum.declared += truth.references.len();
    sum.found_declared += hits;
    sum.joined += joined.len();
    sum.found_joined += hit_joins;
    sum.found += inferred.len();
    if complete {
        sum.judged += inferred.len();
        for (pair, _) in &more {
            let kind = More::of(pair, truth, |other| found.contains_key(other));
            let at = More::ALL.iter().position(|(known, _)| *known == kind).unwrap();
            sum.more[at] += 1;
        }
    }
    let mut keys = Vec::new();
    for table in &schema.tables {
        let own: BTreeSet<String> = table.primary_key().map(|column| column.name.to_lowercase()).collect();
        let Some(wanted) = truth.keys.get(&table.name.to_lowercase()) else { continue };
        sum.keys += 1;
        sum.found_keys += usize::from(*wanted == own);
        if *wanted != own {
            sum.wrong_keys += usize::from(!own.is_empty());
            keys.push(format!("  key of {}: {wanted:?}, found {own:?}", table.name));
        }
    }
    if show {
        println!("{name}{}", if complete { "" } else { " (not all declared)" });
        for pair in truth.references.iter().filter(|pair| !found.contains_key(*pair)) {
            println!("  missed {}", text(pair));
        }
        for pair in joined.iter().filter(|(one, other)| !same(one, other)) {
            println!("  missed join {}", text(pair));
        }
        for (pair, key) in more {
            let evidence = key.evidence.as_ref();
            let (percent, because) =
                evidence.map_or((0, String::new()), |e| (e.percent, e.because.join("; ")));
            println!("  more {} {percent} % {because}", text(pair));
        }
        keys.iter().for_each(|key| println!("{key}"));
    }
}
