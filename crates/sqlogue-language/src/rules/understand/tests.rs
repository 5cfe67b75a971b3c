//! Readings of questions on the library schema.

use super::*;
use crate::rules::compose::testing::library;
use sqlogue_sql::plan::QueryPlan;

/// The tables of the best reading.
fn tables(readings: &RankedReadings) -> Vec<&str> {
    readings.candidates[0].plan.tables().into_iter().map(|used| used.table.as_str()).collect()
}

fn options() -> Options {
    Options { today: jiff::civil::date(2024, 6, 15), ..Options::default() }
}

#[test]
fn what_it_does_not_understand_it_says() {
    let knowledge = library();
    for question in ["", "?", "Wie ist das Wetter heute in Köln?", "\u{0}\u{7}", "'", "the of and"] {
        let understanding = understand(question, &knowledge, &options());
        assert!(
            understanding.answer().is_none_or(|answer| answer.confidence < Confidence::High),
            "{question}"
        );
        assert!(!understanding.not_understood().is_empty());
    }
    let _ = understand(&"show the title ".repeat(70_000), &knowledge, &options());
}

#[test]
fn a_question_about_something_unknown_is_not_answered_from_its_question_word() {
    let understanding = understand("Where is the moon?", &library(), &options());
    assert!(understanding.answer().is_none() && understanding.unexplained.contains(&"moon".to_owned()));
}

#[test]
fn corrections_and_hints_are_kept_to() {
    let knowledge = library();
    let forbidden = Options { forbidden_tables: vec!["book".into()], ..options() };
    let understanding = understand("Show the titles of books", &knowledge, &forbidden);
    assert!(
        understanding.candidates.iter().all(|candidate| !candidate
            .evidence
            .joins
            .iter()
            .any(|join| join.to.0 == "book"))
    );
    assert!(!tables(&understanding).contains(&"book"));
    let mandatory = Options { mandatory_tables: vec!["loan".into()], ..options() };
    let understanding = understand("Show the titles of books", &knowledge, &mandatory);
    assert_eq!(tables(&understanding), ["book", "loan"]);
    let hint = Hint { words: "reader".into(), table: "member".into(), column: None, value: None };
    let hinted = Options { hints: vec![hint], ..options() };
    let understanding = understand("How many readers are there?", &knowledge, &hinted);
    assert_eq!(tables(&understanding), ["member"]);
}

#[test]
fn every_reading_says_why() {
    let knowledge = library();
    let understanding = understand("What are the titles of books by Ada Byron?", &knowledge, &options());
    let lines = understanding.candidates[0].explanation();
    assert!(
        lines.iter().any(|line| line.contains("`Ada Byron` is the value `Ada Byron` of author.name")),
        "{lines:?}"
    );
    assert!(lines.iter().any(|line| line.contains("a declared key")), "{lines:?}");
    assert_eq!(tables(&understanding), ["book", "author"]);
}

#[test]
fn the_same_question_is_judged_alike_each_time() {
    let knowledge = library();
    let examples = include_str!("../../../../../tests/data/grammar.tsv");
    let lines = examples.lines().filter(|line| !line.starts_with('#'));
    for question in lines.step_by(7).map(|line| line.split_once('\t').map_or(line, |(question, _)| question))
    {
        let judged = || -> Vec<(QueryPlan, f32)> {
            let understanding = understand(question, &knowledge, &options());
            let candidates = understanding.candidates.iter();
            candidates.map(|one| (one.plan.clone(), one.score)).collect()
        };
        let first = judged();
        assert!((0..4).all(|_| judged() == first), "{question}");
    }
}

#[test]
fn only_the_bare_name_of_a_table_lists_it() {
    let knowledge = library();
    let lists = |question: &str| {
        let understanding = understand(question, &knowledge, &options());
        understanding.candidates.first().is_some_and(|best| bare::lists_a_table(&best.plan))
    };
    for question in ["books", "show me all the books", "list of books", "what books are there?"] {
        assert!(lists(question), "{question}");
    }
    for question in
        ["books by genre", "books by month", "percentage of books sold", "books with their authors"]
    {
        assert!(!lists(question), "{question}");
    }
}
