//! Runs every candidate of every question and says how many questions are answered rightly by the first candidate,
//! and how many by any. For those who work on the rules; `sqlogue eval` measures what users get.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use sqlogue::database::{Database, SqliteDatabase, ValueLimits};
use sqlogue::eval::fit::{self, First, Fit, Judged, Labelled, LabelledCandidate};
use sqlogue::eval::{compare, load, split::Split};
use sqlogue::plan::Confidence;
use sqlogue::reasoner::Trial;
use sqlogue::reasoner::rules::compose::compose;
use sqlogue::reasoner::rules::knowledge::{DEFAULT_INDEX_BYTES, Knowledge};
use sqlogue::reasoner::rules::link::link;
use sqlogue::reasoner::rules::rank::{Aspects, Certainty, Weights, circumstances, features};
use sqlogue::schema::Value;
use sqlogue::source;
use sqlogue::sql::{Dialect, render};

struct Outcome {
    question: String,
    database: String,
    gold: String,
    answers: Vec<Answer>,
    elapsed: Duration,
}

impl Outcome {
    fn labelled(&self) -> Labelled {
        Labelled {
            database: self.database.clone(),
            candidates: self.answers.iter().map(|answer| answer.candidate.clone()).collect(),
        }
    }
}

struct Answer {
    sql: String,
    score: f32,
    candidate: LabelledCandidate,
}

fn run(connection: &mut Connection, sql: &str) -> Option<Vec<Vec<Value>>> {
    let start = Instant::now();
    connection.progress_handler(5_000, Some(move || start.elapsed() > Duration::from_secs(2))).ok()?;
    let mut statement = connection.prepare(sql).ok()?;
    let width = statement.column_count();
    let mut rows = statement.query([]).ok()?;
    let mut result = Vec::new();
    while let Ok(next) = rows.next() {
        let Some(row) = next else { return Some(result) };
        let cell = |at| match row.get_ref_unwrap(at) {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => Value::Integer(number),
            ValueRef::Real(number) => Value::Real(number),
            ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
        };
        result.push((0..width).map(cell).collect());
        if result.len() > 50_000 {
            return None;
        }
    }
    None
}

/// What is known of a database; with `no_keys` as if it had declared none.
fn knowledge(path: &Path, runtime: &tokio::runtime::Runtime, no_keys: bool) -> Knowledge {
    runtime.block_on(async {
        let database = SqliteDatabase::open(path).unwrap();
        let mut schema = database.introspect().await.unwrap();
        for table in schema.tables.iter_mut().filter(|_| no_keys) {
            table.foreign_keys.clear();
            for column in &mut table.columns {
                (column.primary_key, column.unique, column.nullable) = (false, false, true);
            }
        }
        source::infer_keys(&database, &mut schema).await;
        let limits = ValueLimits {
            per_column: 50_000,
            length: 120,
            bytes: 64 << 20,
            deadline: Duration::from_secs(20),
        };
        let values = database.text_values(&schema, &limits).await.unwrap();
        let mut builder = Knowledge::builder(&schema, DEFAULT_INDEX_BYTES);
        for column in values {
            builder.values(&column.table, &column.column, column.values.into_iter().map(Value::Text));
        }
        builder.finish()
    })
}

/// How good the first answers are, by confidence.
fn report(weights: &Weights, questions: &[Labelled], name: &str) {
    if questions.is_empty() {
        return;
    }
    let total = questions.len() as f64;
    let mut counts: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    let any = questions
        .iter()
        .filter(|question| question.candidates.iter().any(|candidate| candidate.right))
        .count();
    for question in questions {
        let Some(First { untried, tried, is_bound, right }) = fit::first_of(weights, question) else {
            continue;
        };
        let given = weights.untried.probability(&untried) >= weights.answered;
        let confidence = weights.tried.confidence(weights.tried.probability(&tried));
        let tier = match (given, is_bound) {
            (false, _) => "none",
            (true, true) => Confidence::Low.name(),
            (true, false) => confidence.name(),
        };
        let entry = counts.entry(tier).or_default();
        entry.0 += f64::from(u8::from(right));
        entry.1 += 1.0;
    }
    let right: f64 = counts.values().map(|count| count.0).sum();
    print!(
        "{name}: {total} questions, {:.1} % right, {:.1} % within reach;",
        100.0 * right / total,
        100.0 * any as f64 / total
    );
    for (tier, (right, all)) in counts {
        print!(" {tier} {:.1} % of {:.1} %;", 100.0 * right / all, 100.0 * all / total);
    }
    println!();
}

fn confidence(weights: &Certainty, judged: &Judged) -> Confidence {
    if judged.is_bound { Confidence::Low } else { weights.confidence(judged.probability) }
}

/// How good the answers are by confidence, each judged by weights fitted to other databases.
fn report_unseen(weights: &Certainty, judged: &[&Judged], name: &str) {
    let right = judged.iter().filter(|judged| judged.right).count();
    let wrong =
        judged.iter().filter(|judged| !judged.right && confidence(weights, judged) > Confidence::Low).count();
    let share = |count: usize| 100.0 * count as f64 / judged.len().max(1) as f64;
    println!("{name}, judged unseen: {:.1} % right, {:.1} % wrong and not low", share(right), share(wrong));
    let mut sorted = judged.to_vec();
    sorted.sort_by(|one, other| other.probability.total_cmp(&one.probability));
    for percent in (10..=100).step_by(10) {
        let part = &sorted[..sorted.len() * percent / 100];
        let right = part.iter().filter(|judged| judged.right).count();
        print!("  {percent} %: {:.1}", 100.0 * right as f64 / part.len().max(1) as f64);
    }
    println!("  (precision by coverage)");
    for wanted in [Confidence::High, Confidence::Medium, Confidence::Low] {
        let of: Vec<&&Judged> =
            judged.iter().filter(|judged| confidence(weights, judged) == wanted).collect();
        let right = of.iter().filter(|judged| judged.right).count();
        println!(
            "  {} {:.1} % right, {:.1} % of the questions",
            wanted.name(),
            100.0 * right as f64 / of.len().max(1) as f64,
            share(of.len())
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let weights: Arc<Weights> = {
        let path = arguments
            .iter()
            .position(|argument| argument == "--weights")
            .map_or("data/weights.json", |at| &arguments[at + 1]);
        Arc::new(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    };
    let option = |name: &str| {
        arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1)).cloned()
    };
    let data = PathBuf::from(&arguments[0]);
    let split = option("--split").and_then(|name| Split::named(&name));
    let only = option("--db");
    let no_keys = arguments.iter().any(|argument| argument == "--no-keys");
    let file =
        ["train.json", "dev.json"].iter().map(|name| data.join(name)).find(|path| path.exists()).unwrap();
    let examples = load::examples(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut by_database: BTreeMap<String, Vec<load::Turn>> = BTreeMap::new();
    for example in examples {
        if split.is_none_or(|split| Split::of(&example.database) == split)
            && only.as_ref().is_none_or(|only| *only == example.database)
        {
            by_database.entry(example.database).or_default().extend(example.turns.into_iter().take(1));
        }
    }
    if let Some(question) = option("--ask") {
        let name = only.clone().unwrap();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let knowledge =
            knowledge(&data.join("database").join(&name).join(format!("{name}.sqlite")), &runtime, no_keys);
        let linked = link(&question, &knowledge, jiff::civil::date(2024, 1, 1));
        for (chunks, score) in &linked.cuts {
            println!("--- cut {score}");
            for chunk in chunks {
                let columns: Vec<String> = chunk
                    .columns
                    .iter()
                    .take(4)
                    .map(|(column, score)| {
                        let entry = knowledge.column(*column);
                        format!("{}.{} {score:.2}", knowledge.table(entry.table).name, entry.name)
                    })
                    .collect();
                let tables: Vec<String> = chunk
                    .tables
                    .iter()
                    .take(3)
                    .map(|(table, score)| format!("{} {score:.2}", knowledge.table(*table).name))
                    .collect();
                let values: Vec<String> = chunk
                    .values
                    .iter()
                    .take(3)
                    .map(|value| {
                        format!(
                            "{:?} {:?} {:.2}",
                            value.column.map(|column| knowledge.column(column).name.clone()),
                            value.value,
                            value.score
                        )
                    })
                    .collect();
                println!(
                    "{:?} cue {:?} {:?} T{tables:?} C{columns:?} V{values:?} N{:?}",
                    chunk.text,
                    chunk.cue,
                    chunk.other_cues,
                    chunk.number.as_ref().map(|number| &number.value)
                );
            }
        }
        for draft in compose(&linked, &knowledge).iter().take(12) {
            let features = features(draft, &linked, &knowledge);
            println!(
                "{:.2} {}\n      {:?}",
                weights.score(&features),
                render(&draft.plan, Dialect::Sqlite),
                draft
                    .choices
                    .iter()
                    .filter(|choice| choice.taken > 0)
                    .map(|choice| format!("{}={}", choice.name, choice.taken))
                    .collect::<Vec<_>>()
            );
        }
        return;
    }
    let queue = Arc::new(Mutex::new(by_database.into_iter().collect::<Vec<_>>()));
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let (queue, data, weights) = (Arc::clone(&queue), data.clone(), Arc::clone(&weights));
            std::thread::Builder::new()
                .stack_size(16 << 20)
                .spawn(move || {
                    let runtime = tokio::runtime::Builder::new_multi_thread()
                        .worker_threads(1)
                        .enable_all()
                        .build()
                        .unwrap();
                    let mut outcomes = Vec::new();
                    loop {
                        let Some((name, turns)) = queue.lock().unwrap().pop() else { return outcomes };
                        let path = data.join("database").join(&name).join(format!("{name}.sqlite"));
                        let knowledge = knowledge(&path, &runtime, no_keys);
                        let mut connection =
                            Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
                        let today = jiff::civil::date(2024, 1, 1);
                        for turn in turns {
                            let start = Instant::now();
                            let linked = link(&turn.question, &knowledge, today);
                            let drafts = compose(&linked, &knowledge);
                            let mut answers: Vec<Answer> = drafts
                                .iter()
                                .map(|draft| {
                                    let features = features(draft, &linked, &knowledge);
                                    Answer {
                                        sql: render(&draft.plan, Dialect::Sqlite),
                                        score: weights.score(&features),
                                        candidate: LabelledCandidate {
                                            features,
                                            circumstances: circumstances(draft, &linked, &knowledge),
                                            aspects: Aspects::of(&draft.plan),
                                            trial: Trial::Untried,
                                            right: false,
                                        },
                                    }
                                })
                                .collect();
                            answers.sort_by(|one, other| other.score.total_cmp(&one.score));
                            let elapsed = start.elapsed();
                            let gold = run(&mut connection, &turn.gold);
                            let ordered = compare::is_ordered(&turn.gold);
                            let mut cache: HashMap<String, (Trial, bool)> = HashMap::new();
                            for answer in &mut answers {
                                (answer.candidate.trial, answer.candidate.right) =
                                    *cache.entry(answer.sql.clone()).or_insert_with(|| {
                                        let Some(rows) = run(&mut connection, &answer.sql) else {
                                            return (Trial::Failed, false);
                                        };
                                        let same =
                                            |gold: &Vec<Vec<Value>>| compare::same(gold, &rows, ordered);
                                        (Trial::of(&rows), gold.as_ref().is_some_and(same))
                                    });
                            }
                            outcomes.push(Outcome {
                                question: turn.question,
                                database: name.clone(),
                                gold: turn.gold,
                                answers,
                                elapsed,
                            });
                        }
                    }
                })
                .unwrap()
        })
        .collect();
    let mut outcomes: Vec<Outcome> = workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect();
    outcomes.sort_by(|one, other| one.database.cmp(&other.database));
    let total = outcomes.len().max(1);
    let first = outcomes
        .iter()
        .filter(|outcome| outcome.answers.first().is_some_and(|answer| answer.candidate.right))
        .count();
    let any =
        outcomes.iter().filter(|outcome| outcome.answers.iter().any(|answer| answer.candidate.right)).count();
    let none = outcomes.iter().filter(|outcome| outcome.answers.is_empty()).count();
    let mut times: Vec<Duration> = outcomes.iter().map(|outcome| outcome.elapsed).collect();
    times.sort();
    let candidates: usize = outcomes.iter().map(|outcome| outcome.answers.len()).sum();
    println!(
        "{total} questions: first right {:.1} %, any right {:.1} %, none {none}, {:.1} candidates; median {:?}, p95 {:?}",
        100.0 * first as f64 / total as f64,
        100.0 * any as f64 / total as f64,
        candidates as f64 / total as f64,
        times[total / 2],
        times[total * 95 / 100],
    );
    if let Some(path) = option("--misses") {
        let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
        for outcome in &outcomes {
            if outcome.answers.first().is_some_and(|answer| answer.candidate.right) {
                continue;
            }
            let right = outcome.answers.iter().position(|answer| answer.candidate.right);
            let labelled = outcome.labelled();
            let probability = fit::first_of(&weights, &labelled)
                .map_or(0.0, |first| weights.tried.probability(&first.tried));
            writeln!(
                file,
                "{} | {} | {probability:.2}\n  gold {}\n  mine {}",
                outcome.database,
                outcome.question,
                outcome.gold,
                outcome.answers.first().map_or("-", |answer| &answer.sql)
            )
            .unwrap();
            if let Some(right) = right {
                writeln!(file, "  {right:>4} {}", outcome.answers[right].sql).unwrap();
            }
        }
    }
    let labelled: Vec<Labelled> = outcomes.iter().map(Outcome::labelled).collect();
    report(&weights, &labelled, "all");
    let part = |wanted: Split| -> Vec<Labelled> {
        labelled.iter().filter(|question| Split::of(&question.database) == wanted).cloned().collect()
    };
    report(&weights, &part(Split::Fit), "fit");
    report(&weights, &part(Split::HeldOut), "held out");
    if let Some(path) = option("--fit") {
        let all = arguments.iter().any(|argument| argument == "--fit-all");
        let Fit { weights: fitted, untried, tried } =
            fit::fit(&if all { labelled.clone() } else { part(Split::Fit) });
        std::fs::write(path, fitted.to_json()).unwrap();
        for (certainty, judged, name) in
            [(&fitted.tried, &tried, "tried"), (&fitted.untried, &untried, "untried")]
        {
            report_unseen(certainty, &judged.iter().collect::<Vec<_>>(), &format!("all, {name}"));
            let held_out: Vec<&Judged> =
                judged.iter().filter(|judged| Split::of(&judged.database) == Split::HeldOut).collect();
            report_unseen(certainty, &held_out, &format!("held out, {name}"));
        }
        report(&fitted, &part(Split::Fit), "fit, new weights");
        report(&fitted, &part(Split::HeldOut), "held out, new weights");
    }
}
