//! Runs every way to take every follow-up of conversations, and fits the weights that choose among them. The conversation
//! goes on from what is right: a right way where there is one, or else the gold query.
//!
//! ```text
//! follow-ups [--split fit|held-out] [--each N] [--fit FILE] [--weights FILE] [--misses FILE [--ways N]] SET...
//! ```
//! A set is `CONVERSATIONS@FOLDER[@TODAY[@TIMES[@more]]]`: a file of SParC's shape, the folder of its SQLite databases, the
//! day that is today, how often each turn counts in a fit, and `more` where an answer may show more columns.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs
)]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::civil::Date;
use rusqlite::{Connection, OpenFlags};
use sqlogue::database::SqliteDatabase;
use sqlogue::intent::{self, DialogContext, Intent, PastTurn, Vocabulary};
use sqlogue::nodes::Catalog;
use sqlogue::plan::{Confidence, QueryPlan};
use sqlogue::reasoner::Trial;
use sqlogue::reasoner::rules::follow_up::{Answered, Way, ways};
use sqlogue::reasoner::rules::rank::{Weights, words};
use sqlogue::reasoner::rules::text::Question;
use sqlogue::reasoner::rules::{Options, understand};
use sqlogue::sql::{Dialect, lift, render};
use sqlogue_eval::fit::{self, Aims, Labelled, LabelledCandidate};
use sqlogue_eval::load::{self, Example};
use sqlogue_eval::{compare, split::Split};

use crate::known;
use crate::measure::run;
use crate::workers::on_two_threads;

struct Set {
    folder: PathBuf,
    today: Date,
    times: usize,
    more: bool,
}

/// A follow-up with the ways to take it.
struct Outcome {
    database: String,
    times: usize,
    turn: usize,
    before: String,
    /// The query that what was said follows.
    after: String,
    said: String,
    gold: String,
    labelled: Labelled,
    sql: Vec<String>,
}

pub(crate) fn main() {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let wanted = option("--split").and_then(|name| Split::named(&name));
    let each: usize = option("--each").map_or(usize::MAX, |each| each.parse().unwrap());
    let sets = arguments.iter().filter(|argument| argument.contains('@'));
    let work = sets.flat_map(|set| conversations(set, wanted, each)).collect();
    let outcomes = on_two_threads(work, |(set, name, examples), runtime| ask(&set, &name, examples, runtime));
    let weights = match option("--weights") {
        Some(file) => serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap(),
        None => Weights::of_follow_ups().clone(),
    };
    report(&weights, &outcomes, "these weights");
    let weights = match option("--fit") {
        Some(file) => {
            let each = outcomes.iter().flat_map(|one| (0..one.times).map(|_| one.labelled.clone()));
            let fitted = fit::fit(&each.collect::<Vec<Labelled>>(), Aims::FOLLOW_UPS);
            std::fs::write(file, fitted.weights.to_json()).unwrap();
            report(&fitted.weights, &outcomes, "new weights");
            fitted.weights
        }
        None => weights,
    };
    let ways: usize = option("--ways").map_or(0, |ways| ways.parse().unwrap());
    if let Some(file) = option("--misses") {
        write_misses(&mut std::fs::File::create(file).unwrap(), &weights, &outcomes, ways);
    }
}

/// The conversations of a set by their databases, `each` of a database at most.
fn conversations(
    argument: &str,
    wanted: Option<Split>,
    each: usize,
) -> impl Iterator<Item = (Arc<Set>, String, Vec<Example>)> {
    let parts: Vec<&str> = argument.split('@').collect();
    let set = Arc::new(Set {
        folder: PathBuf::from(parts[1]),
        today: parts.get(2).map_or_else(|| jiff::civil::date(2024, 1, 1), |day| day.parse().unwrap()),
        times: parts.get(3).map_or(1, |times| times.parse().unwrap()),
        more: parts.get(4).is_some(),
    });
    let mut by_database: BTreeMap<String, Vec<Example>> = BTreeMap::new();
    for example in load::examples(&std::fs::read_to_string(parts[0]).unwrap()).unwrap() {
        let counts = set.more || wanted.is_none_or(|part| part == Split::of(&example.database));
        let of_database = by_database.entry(example.database.clone()).or_default();
        if counts && of_database.len() < each {
            of_database.push(example);
        }
    }
    by_database.into_iter().map(move |(name, examples)| (Arc::clone(&set), name, examples))
}

/// The follow-ups that were not taken rightly, each with what was right, what was made, and the first `ways` to take it.
fn write_misses(file: &mut impl Write, weights: &Weights, outcomes: &[Outcome], ways: usize) {
    for outcome in outcomes {
        let order = fit::order_of(weights, &outcome.labelled);
        let right = |at: &usize| outcome.labelled.candidates[*at].right;
        if order.first().is_some_and(right) {
            continue;
        }
        let reach = if order.iter().any(right) { "within reach" } else { "out of reach" };
        let unmarked = fit::first_of(weights, &outcome.labelled).is_some_and(|first| {
            first.untried.most > Confidence::Low
                && weights.untried.probability(&first.untried.features) >= weights.untried.medium
        });
        let mark = if unmarked { ", not low" } else { "" };
        let made = order.first().map_or("nothing", |at| outcome.sql[*at].as_str());
        let is_unified =
            |one: &&LabelledCandidate| one.features.iter().any(|(name, _)| name == "made unified");
        let unified = outcome.labelled.candidates.iter().filter(is_unified).count();
        let (database, turn, before) = (&outcome.database, outcome.turn, &outcome.before);
        writeln!(
            file,
            "[{database} {turn}] {before} ⏎ {}   {reach}{mark}, {unified} unified\n    after {}\n    gold {}\n    got  {made}",
            outcome.said, outcome.after, outcome.gold
        )
        .unwrap();
        if let Some(at) = order.iter().find(|at| right(at)) {
            writeln!(file, "    was  {}", outcome.sql[*at]).unwrap();
        }
        for at in order.iter().take(ways) {
            let features = &outcome.labelled.candidates[*at].features;
            let of_making = |name: &&str| name.starts_with("made ") || name.starts_with("rule ");
            let made: Vec<&str> = features.iter().map(|(name, _)| name.as_str()).filter(of_making).collect();
            let score = weights.score(features);
            writeln!(file, "    {score:.2} {}: {}", made.join(", "), outcome.sql[*at]).unwrap();
        }
    }
}

/// Asks the conversations of one database.
fn ask(set: &Set, name: &str, examples: Vec<Example>, runtime: &tokio::runtime::Runtime) -> Vec<Outcome> {
    let path = known::file(&set.folder, name);
    let database = SqliteDatabase::open(&path).unwrap();
    let known = runtime.block_on(Catalog::new(64 << 20).knowledge(&database, None)).unwrap();
    let knowledge = known.words();
    let mut connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let options = Options { today: set.today, ..Options::default() };
    let vocabulary = Arc::new(Vocabulary::of(known.schema()));
    let same = if set.more { compare::contains } else { compare::same };
    let mut outcomes = Vec::new();
    for example in examples {
        let mut earlier: Vec<(String, QueryPlan)> = Vec::new();
        for (turn, asked) in example.turns.into_iter().enumerate() {
            let Some(gold) = run(&mut connection, &asked.gold).filter(|_| asked.scored) else { break };
            let ordered = compare::is_ordered(&asked.gold);
            let mut judge = |plan: &QueryPlan| {
                let sql = render(plan, Dialect::Sqlite);
                let rows = run(&mut connection, &sql);
                let right = rows.as_ref().is_some_and(|rows| same(&gold, rows, ordered));
                let holds = right
                    || rows.as_ref().is_some_and(|rows| {
                        compare::contains(&gold, rows, ordered) || compare::contains(rows, &gold, ordered)
                    });
                (sql, right, holds)
            };
            let right_plan = match earlier.last() {
                None => {
                    let candidates = understand(&asked.question, knowledge, &options).candidates;
                    candidates.into_iter().map(|one| one.plan).find(|plan| judge(plan).1)
                }
                Some((before, previous)) => {
                    let answered: Vec<Answered<'_>> =
                        earlier.iter().map(|(said, plan)| Answered { said, plan }).collect();
                    let intent = classified(&asked.question, &answered, &vocabulary);
                    let all = ways(&asked.question, previous, &answered, Some(intent), knowledge, &options);
                    let (sql, candidates) = all.iter().map(|way| labelled(way, judge(&way.plan))).unzip();
                    let labelled = Labelled {
                        database: name.to_owned(),
                        is_everyday: set.more,
                        words: words(&Question::new(&asked.question)),
                        candidates,
                    };
                    let order = fit::order_of(Weights::of_follow_ups(), &labelled);
                    let right = order.into_iter().find(|at| labelled.candidates[*at].right);
                    outcomes.push(Outcome {
                        database: name.to_owned(),
                        times: set.times,
                        turn: turn + 1,
                        before: before.clone(),
                        after: render(previous, Dialect::Sqlite),
                        said: asked.question.clone(),
                        gold: asked.gold.clone(),
                        labelled,
                        sql,
                    });
                    right.map(|at| all[at].plan.clone())
                }
            };
            let plan = right_plan.or_else(|| lift(&asked.gold, known.schema(), Dialect::Sqlite));
            let Some(plan) = plan else { break };
            earlier.push((asked.question, plan));
        }
    }
    outcomes
}

/// A way to take a follow-up with what is known of it, beside its query, which was judged.
fn labelled(way: &Way, (sql, right, holds): (String, bool, bool)) -> (String, LabelledCandidate) {
    let standing = way.standing(0.0);
    let candidate = LabelledCandidate {
        features: standing.features,
        circumstances: standing.circumstances,
        aspects: standing.aspects,
        clauses: way.clauses.clone(),
        trial: Trial::Untried,
        most: way.account.most(),
        right,
        holds,
    };
    (sql, candidate)
}

/// What the words of a follow-up say that it is.
fn classified(said: &str, earlier: &[Answered<'_>], words: &Arc<Vocabulary>) -> (Intent, Confidence) {
    let turns = earlier.iter().map(|one| PastTurn::answered(one.said, render(one.plan, Dialect::Sqlite)));
    let context = DialogContext::new(turns).with_vocabulary(Arc::clone(words));
    let found = intent::classify(said, &context);
    (found.intent, found.confidence)
}

fn report(weights: &Weights, outcomes: &[Outcome], name: &str) {
    for (part, more) in [("same rows", false), ("rows and perhaps more columns", true)] {
        let inside: Vec<&Outcome> =
            outcomes.iter().filter(|outcome| outcome.labelled.is_everyday == more).collect();
        if inside.is_empty() {
            continue;
        }
        let total = inside.len() as f64;
        let (mut right, mut reach, mut high, mut high_right, mut wrong_unmarked) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let mut not_low = 0.0;
        for outcome in inside {
            let candidates = &outcome.labelled.candidates;
            reach += f64::from(u8::from(candidates.iter().any(|one| one.right)));
            let Some(first) = fit::first_of(weights, &outcome.labelled) else { continue };
            let sight = &first.untried;
            let probability = weights.untried.probability(&sight.features);
            let is_right = f64::from(u8::from(sight.right));
            right += is_right;
            if sight.most == Confidence::High && probability >= weights.untried.high {
                high += 1.0;
                high_right += is_right;
            }
            if sight.most > Confidence::Low && probability >= weights.untried.medium {
                not_low += 1.0;
                wrong_unmarked += 1.0 - is_right;
            }
        }
        println!(
            "{name}, {part}: {total} follow-ups, {:.1} % right, {:.1} % within reach; high {:.1} % of {:.1} %; not low {:.1} %, of all wrong and not low {:.1} %",
            100.0 * right / total,
            100.0 * reach / total,
            100.0 * high_right / f64::max(high, 1.0),
            100.0 * high / total,
            100.0 * not_low / total,
            100.0 * wrong_unmarked / total
        );
    }
}
