//! Questions on the library schema, with the SQL that the grammar must make of them: `tests/data/grammar.tsv`.

use super::draft::drafts;
use super::lattice::Lattice;
use crate::rules::compose::testing::library;
use crate::rules::link::link;
use sqlogue_sql::sql::{Dialect, render};

/// The SQL of the grammar's readings, the best first.
fn readings(question: &str) -> Vec<String> {
    let knowledge = library();
    let today = jiff::civil::date(2024, 6, 15);
    let mut linked = link(question, &knowledge, today);
    let links = std::mem::take(&mut linked.links);
    let question = linked.question.clone();
    let lattice = Lattice::new(&question, &links, today);
    let drafts = drafts(&mut linked, &lattice, &links, &knowledge);
    drafts.into_iter().map(|draft| render(&draft.plan, Dialect::Sqlite)).collect()
}

#[test]
fn every_example_gives_its_sql() {
    let examples = include_str!("../../../../../tests/data/grammar.tsv");
    let mut wrong = Vec::new();
    for line in examples.lines().filter(|line| !line.starts_with('#')) {
        let (question, wanted) = line.split_once('\t').unwrap_or((line, ""));
        let made = readings(question).into_iter().next().unwrap_or_default();
        if made != wanted {
            wrong.push(format!("{question}\n  wanted {wanted}\n  got    {made}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_nobody_says_is_another_reading() {
    for (question, wanted) in [
        (
            "loans last month",
            "SELECT count(*) FROM loan WHERE loan_date >= '2024-05-01' AND loan_date < '2024-06-01'",
        ),
        ("pages of crime books", "SELECT sum(pages) FROM book WHERE genre = 'crime'"),
        (
            "how many crime, poetry and travel books?",
            "SELECT genre, count(*) FROM book WHERE genre IN ('crime', 'poetry', 'travel') GROUP BY genre",
        ),
        (
            "last month, which active members had a fine?",
            "SELECT first_name, last_name FROM member WHERE active = 1 AND member_id IN (SELECT member_id FROM fine \
             WHERE issued_on >= '2024-05-01' AND issued_on < '2024-06-01')",
        ),
    ] {
        let made = readings(question);
        assert!(made.iter().any(|sql| sql == wanted), "{question}\n{}", made.join("\n"));
    }
}
