//! Runs every candidate of every question and says how many questions are answered rightly by the first candidate,
//! and how many by any; fits the weights. For those who work on the rules; `sqlogue eval` measures what users get.
//!
//! ```text
//! measure [--split fit|held-out] [--db NAME] [--every N] [--held-out NAME,NAME] [--weights FILE] [--misses FILE]
//!         [--marked FILE]
//!         [--without-keys] [--without-inferring] [--without-synonyms] [--fit FILE [--fit-all]] SET...
//! ```
//! `--without-keys` takes declared keys away, so that they are inferred; `--without-inferring` infers none, and
//! `--without-synonyms` leaves the table of synonyms out.
//!
//! A set is `QUESTIONS@FOLDER[@TODAY[@TIMES]]`: a file of questions, the folder of its SQLite databases, the day that is
//! today, and how often each question counts in a fit. `.json` has Spider's shape, and its rows must be the same as the
//! answer's; `.jsonl` has an object a line (`db`, `question`, `sql`, perhaps `ordered` and `alternatives`), and an answer
//! may show more columns. A question without `sql` cannot be answered.
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
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::civil::Date;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use sqlogue::database::SqliteDatabase;
use sqlogue::plan::Confidence;
use sqlogue::reasoner::Trial;
use sqlogue::reasoner::rules::propose::propose;
use sqlogue::reasoner::rules::rank::{Certainty, Weights, clauses, words};
use sqlogue::reasoner::rules::{Account, Options};
use sqlogue::schema::Value;
use sqlogue::sql::{Dialect, render};
use sqlogue_eval::fit::{self, Aims, First, Fit, Judged, Labelled, LabelledCandidate};
use sqlogue_eval::{compare, load, split::Split};

use crate::known::{self, Without};
use crate::workers::on_two_threads;

pub(crate) type Rows = Vec<Vec<Value>>;

/// A question of a set.
struct Question {
    set: usize,
    database: String,
    text: String,
    /// Queries of which each is a right answer; none where there is no right answer.
    golds: Vec<String>,
    ordered: bool,
    /// Columns of the golds whose cells are left open.
    free: Vec<usize>,
}

/// A file of questions with its databases.
struct Set {
    name: String,
    folder: PathBuf,
    today: Date,
    times: usize,
    is_exact: bool,
}

struct Outcome {
    question: Question,
    part: Split,
    words: Vec<String>,
    answers: Vec<Answer>,
    elapsed: Duration,
}

impl Outcome {
    fn labelled(&self, is_everyday: bool) -> Labelled {
        Labelled {
            database: self.question.database.clone(),
            is_everyday,
            words: self.words.clone(),
            candidates: self.answers.iter().map(|answer| answer.candidate.clone()).collect(),
        }
    }

    /// Puts the answers in order, the one that is given first.
    fn order(&mut self, weights: &Weights) {
        let order = fit::order_of(weights, &self.labelled(false));
        let mut answers: Vec<Option<Answer>> =
            std::mem::take(&mut self.answers).into_iter().map(Some).collect();
        self.answers = order.into_iter().filter_map(|at| answers[at].take()).collect();
    }

    fn is_right(&self) -> bool {
        self.answers.first().is_some_and(|answer| answer.candidate.right)
    }
}

struct Answer {
    sql: String,
    is_parsed: bool,
    account: Account,
    candidate: LabelledCandidate,
}

/// The words of the command line.
struct Arguments(Vec<String>);

impl Arguments {
    fn option(&self, name: &str) -> Option<&str> {
        let at = self.0.iter().position(|argument| argument == name)?;
        self.0.get(at + 1).map(String::as_str)
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|argument| argument == name)
    }

    fn without(&self) -> Without {
        Without {
            keys: self.has("--without-keys"),
            inferring: self.has("--without-inferring"),
            synonyms: self.has("--without-synonyms"),
        }
    }

    fn sets(&self) -> Vec<(Set, PathBuf)> {
        let sets = self.0.iter().filter(|argument| argument.contains('@'));
        sets.map(|argument| {
            let parts: Vec<&str> = argument.split('@').collect();
            let file = PathBuf::from(parts[0]);
            let set = Set {
                name: file.file_stem().unwrap().to_string_lossy().into_owned(),
                folder: PathBuf::from(parts[1]),
                today: parts.get(2).map_or_else(|| jiff::civil::date(2024, 1, 1), |day| day.parse().unwrap()),
                times: parts.get(3).map_or(1, |times| times.parse().unwrap()),
                is_exact: file.extension().is_some_and(|extension| extension == "json"),
            };
            (set, file)
        })
        .collect()
    }

    /// The part that a database belongs to.
    fn part(&self, set: &Set, database: &str) -> Split {
        let named = self.option("--held-out").unwrap_or_default().split(',').any(|name| name == database);
        match (set.is_exact, named) {
            (_, true) => Split::HeldOut,
            (true, false) => Split::of(database),
            (false, false) => Split::Fit,
        }
    }
}

/// The questions of a set.
fn questions(number: usize, set: &Set, file: &Path) -> Vec<Question> {
    let text = std::fs::read_to_string(file).unwrap();
    if set.is_exact {
        let examples = load::examples(&text).unwrap();
        return examples
            .into_iter()
            .filter_map(|example| {
                let turn = example.turns.into_iter().next()?;
                Some(Question {
                    set: number,
                    database: example.database,
                    text: turn.question,
                    ordered: compare::is_ordered(&turn.gold),
                    golds: vec![turn.gold],
                    free: Vec::new(),
                })
            })
            .collect();
    }
    let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    lines
        .filter(|line| line["turn"].as_u64().unwrap_or(1) == 1)
        .map(|line| {
            let golds = line["sql"].as_str().into_iter();
            let others = line["alternatives"].as_array().into_iter().flatten().filter_map(|sql| sql.as_str());
            Question {
                set: number,
                database: line["db"].as_str().unwrap().to_owned(),
                text: line["question"].as_str().unwrap().to_owned(),
                golds: golds.chain(others).map(str::to_owned).collect(),
                ordered: line["ordered"].as_bool().unwrap_or_default(),
                free: line["free_columns"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(|at| usize::try_from(at.as_u64()?).ok())
                    .collect(),
            }
        })
        .collect()
}

pub(crate) fn run(connection: &mut Connection, sql: &str) -> Option<Rows> {
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

/// Asks all questions of one database.
fn ask(
    set: &Set,
    part: Split,
    questions: Vec<Question>,
    weights: &Weights,
    without: Without,
    runtime: &tokio::runtime::Runtime,
) -> Vec<Outcome> {
    let Some(name) = questions.first().map(|question| question.database.clone()) else { return Vec::new() };
    let path = known::file(&set.folder, &name);
    let database = SqliteDatabase::open(&path).unwrap();
    let knowledge = &known::read(&database, without, runtime);
    let mut connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let options = Options { today: set.today, ..Options::default() };
    let mut outcomes = Vec::new();
    for question in questions {
        let start = Instant::now();
        let proposals = propose(&question.text, knowledge, &options, &[], &[], |_| true);
        let mut answers: Vec<Answer> = proposals
            .all
            .iter()
            .map(|proposal| {
                let standing = proposals.standing(proposal, 0.0, knowledge);
                Answer {
                    sql: render(&proposal.draft.plan, Dialect::Sqlite),
                    is_parsed: proposal.draft.grammar.is_some(),
                    account: proposal.account.clone(),
                    candidate: LabelledCandidate {
                        features: standing.features,
                        circumstances: standing.circumstances,
                        aspects: standing.aspects,
                        clauses: clauses(&proposal.draft.plan, knowledge),
                        trial: Trial::Untried,
                        most: proposal.account.most(),
                        right: false,
                        holds: false,
                    },
                }
            })
            .collect();
        let elapsed = start.elapsed();
        let golds = question.golds.iter().filter_map(|gold| run(&mut connection, gold));
        let golds: Vec<Rows> = golds.map(|rows| compare::without(rows, &question.free)).collect();
        let same = if set.is_exact { compare::same } else { compare::contains };
        let mut cache: HashMap<String, (Trial, bool, bool)> = HashMap::new();
        for answer in &mut answers {
            let candidate = &mut answer.candidate;
            (candidate.trial, candidate.right, candidate.holds) =
                *cache.entry(answer.sql.clone()).or_insert_with(|| {
                    let Some(rows) = run(&mut connection, &answer.sql) else {
                        return (Trial::Failed, false, false);
                    };
                    let right = golds.iter().any(|gold| same(gold, &rows, question.ordered));
                    let holds = right
                        || set.is_exact
                            && golds.iter().any(|gold| {
                                compare::contains(gold, &rows, question.ordered)
                                    || compare::contains(&rows, gold, question.ordered)
                            });
                    (Trial::of(&rows), right, holds)
                });
        }
        let words = words(&proposals.linked.question);
        let mut outcome = Outcome { question, part, words, answers, elapsed };
        outcome.order(weights);
        outcomes.push(outcome);
    }
    outcomes
}

/// Asks all questions, two databases at a time.
fn ask_all(
    arguments: &Arguments,
    weights: &Arc<Weights>,
    sets: &Arc<Vec<Set>>,
    files: &[PathBuf],
) -> Vec<Outcome> {
    let every: usize = arguments.option("--every").map_or(1, |every| every.parse().unwrap());
    let wanted = arguments.option("--split").and_then(Split::named);
    let only = arguments.option("--db");
    let without = arguments.without();
    let mut by_database: BTreeMap<(usize, String), Vec<Question>> = BTreeMap::new();
    for (number, (set, file)) in sets.iter().zip(files).enumerate() {
        let step = if set.is_exact { every } else { 1 };
        for question in questions(number, set, file).into_iter().step_by(step) {
            let part = arguments.part(set, &question.database);
            if wanted.is_none_or(|wanted| wanted == part) && only.is_none_or(|only| only == question.database)
            {
                by_database.entry((number, question.database.clone())).or_default().push(question);
            }
        }
    }
    let work: Vec<(usize, Split, Vec<Question>)> = by_database
        .into_iter()
        .map(|((set, database), questions)| (set, arguments.part(&sets[set], &database), questions))
        .collect();
    let mut outcomes = on_two_threads(work, |(set, part, questions), runtime| {
        ask(&sets[set], part, questions, weights, without, runtime)
    });
    outcomes.sort_by(|one, other| {
        (one.question.set, &one.question.database).cmp(&(other.question.set, &other.question.database))
    });
    outcomes
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
    let mut marked = 0.0;
    for question in questions {
        let Some(First { untried, tried, .. }) = fit::first_of(weights, question) else { continue };
        let (most, right) = (tried.most, tried.right);
        let given = weights.untried.probability(&untried.features) >= weights.answered;
        let confidence = weights.tried.confidence(weights.tried.probability(&tried.features));
        let tier = if given { confidence.min(most).name() } else { "none" };
        marked += f64::from(u8::from(given && most == Confidence::Low && right));
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
    for (tier, (right, all)) in &counts {
        print!(" {tier} {:.1} % of {:.1} %;", 100.0 * right / all, 100.0 * all / total);
    }
    let unmarked = counts.iter().filter(|(tier, _)| !matches!(**tier, "none" | "low"));
    let wrong: f64 = unmarked.map(|(_, (right, all))| all - right).sum();
    println!(
        " wrong without a mark {:.1} %; right and left out or doubted {:.1} %",
        100.0 * wrong / total,
        100.0 * marked / right.max(1.0)
    );
}

fn confidence(weights: &Certainty, judged: &Judged) -> Confidence {
    weights.confidence(judged.probability).min(judged.most)
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

/// Writes the questions whose first answer is wrong, with the first answer, and the first right one where there is one.
fn write_misses(path: &str, outcomes: &[Outcome], weights: &Weights) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    for outcome in outcomes.iter().filter(|outcome| !outcome.is_right()) {
        let (question, labelled) = (&outcome.question, outcome.labelled(false));
        let probability = fit::first_of(weights, &labelled)
            .map_or(0.0, |first| weights.tried.probability(&first.tried.features));
        writeln!(
            file,
            "{} | {} | {probability:.2}\n  gold {}\n  mine {}",
            question.database,
            question.text,
            question.golds.first().map_or("-", String::as_str),
            outcome.answers.first().map_or("-", |answer| &answer.sql)
        )
        .unwrap();
        if let Some(at) = outcome.answers.iter().position(|answer| answer.candidate.right) {
            writeln!(file, "  {at:>4} {}", outcome.answers[at].sql).unwrap();
        }
    }
}

/// Writes the questions whose first answer is right and not sure, with how likely it is and what speaks against it.
fn write_marked(path: &str, outcomes: &[Outcome], weights: &Weights) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    for outcome in outcomes.iter().filter(|outcome| outcome.is_right()) {
        let Some(First { tried, .. }) = fit::first_of(weights, &outcome.labelled(false)) else { continue };
        let probability = weights.tried.probability(&tried.features);
        if weights.tried.confidence(probability).min(tried.most) > Confidence::Low {
            continue;
        }
        let (question, answer) = (&outcome.question, &outcome.answers[0]);
        let Account { left_out, doubts, .. } = &answer.account;
        let told = format!("left out {left_out:?}, doubts {doubts:?}");
        writeln!(
            file,
            "{} | {} | {probability:.2} | {told}\n  {}",
            question.database, question.text, answer.sql
        )
        .unwrap();
    }
}

/// What the candidates of a set are worth.
fn summarise(name: &str, outcomes: &[&Outcome]) {
    let total = outcomes.len().max(1);
    let share = |count: usize| 100.0 * count as f64 / total as f64;
    let count =
        |test: &dyn Fn(&Outcome) -> bool| share(outcomes.iter().filter(|outcome| test(outcome)).count());
    let reach = |parsed: bool| {
        count(&|outcome| {
            outcome.answers.iter().any(|answer| answer.is_parsed == parsed && answer.candidate.right)
        })
    };
    let mut times: Vec<Duration> = outcomes.iter().map(|outcome| outcome.elapsed).collect();
    times.sort();
    let candidates: usize = outcomes.iter().map(|outcome| outcome.answers.len()).sum();
    println!(
        "{name}: {total} questions: first right {:.1} % (by the grammar {:.1} %), within reach {:.1} % (composer {:.1} %, \
         grammar {:.1} %), none {:.1} %, {:.1} candidates; median {:?}, p95 {:?}",
        count(&|outcome| outcome.is_right()),
        count(&|outcome| outcome.is_right() && outcome.answers[0].is_parsed),
        count(&|outcome| outcome.answers.iter().any(|answer| answer.candidate.right)),
        reach(false),
        reach(true),
        count(&|outcome| outcome.answers.is_empty()),
        candidates as f64 / total as f64,
        times.get(total / 2).copied().unwrap_or_default(),
        times.get(total * 95 / 100).copied().unwrap_or_default(),
    );
}

pub(crate) fn main() {
    let arguments = Arguments(std::env::args().skip(2).collect());
    let weights: Arc<Weights> = {
        let path = arguments.option("--weights").unwrap_or("data/weights.json");
        Arc::new(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    };
    let (sets, files): (Vec<Set>, Vec<PathBuf>) = arguments.sets().into_iter().unzip();
    let sets = Arc::new(sets);
    let outcomes = ask_all(&arguments, &weights, &sets, &files);
    for (number, set) in sets.iter().enumerate() {
        let of: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.question.set == number).collect();
        summarise(&set.name, &of);
    }
    if let Some(path) = arguments.option("--misses") {
        write_misses(path, &outcomes, &weights);
    }
    if let Some(path) = arguments.option("--marked") {
        write_marked(path, &outcomes, &weights);
    }
    let labelled = |set: Option<usize>, part: Option<Split>, counted: bool| -> Vec<Labelled> {
        let of = outcomes.iter().filter(|outcome| {
            set.is_none_or(|set| outcome.question.set == set) && part.is_none_or(|part| outcome.part == part)
        });
        of.flat_map(|outcome| {
            let times = if counted { sets[outcome.question.set].times } else { 1 };
            let is_everyday = !sets[outcome.question.set].is_exact;
            std::iter::repeat_n(outcome, times).map(move |outcome| outcome.labelled(is_everyday))
        })
        .collect()
    };
    let report_all = |weights: &Weights, note: &str| {
        for (number, set) in sets.iter().enumerate() {
            for (part, name) in [(Split::Fit, "fit"), (Split::HeldOut, "held out")] {
                report(
                    weights,
                    &labelled(Some(number), Some(part), false),
                    &format!("{}, {name}{note}", set.name),
                );
            }
        }
    };
    report_all(&weights, "");
    if let Some(path) = arguments.option("--fit") {
        let all = arguments.has("--fit-all");
        let mut questions = labelled(None, Some(Split::Fit), true);
        // The held-out databases of people's questions tell how good all of it is, so they are never fitted to.
        let exact = |number: &usize| all && sets[*number].is_exact;
        for number in (0..sets.len()).filter(exact) {
            questions.extend(labelled(Some(number), Some(Split::HeldOut), true));
        }
        let Fit { weights: fitted, untried, tried } = fit::fit(&questions, Aims::QUESTIONS);
        std::fs::write(path, fitted.to_json()).unwrap();
        for (certainty, judged, name) in
            [(&fitted.tried, &tried, "tried"), (&fitted.untried, &untried, "untried")]
        {
            report_unseen(certainty, &judged.iter().collect::<Vec<_>>(), &format!("all, {name}"));
        }
        report_all(&fitted, ", new weights");
    }
}
