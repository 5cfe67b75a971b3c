//! Questions on the library schema, with the SQL that the grammar must make of them: `tests/data/grammar.tsv`.

use super::draft::drafts;
use crate::reasoner::rules::compose::testing::library;
use crate::reasoner::rules::link::link;
use crate::sql::{Dialect, render};

/// The SQL of the grammar's best reading.
fn sql(question: &str) -> String {
    let knowledge = library();
    let today = jiff::civil::date(2024, 6, 15);
    let mut linked = link(question, &knowledge, today);
    let links = std::mem::take(&mut linked.links);
    let best = drafts(&mut linked, &links, &knowledge, today).into_iter().next();
    best.map(|draft| render(&draft.plan, Dialect::Sqlite)).unwrap_or_default()
}

#[test]
fn every_example_gives_its_sql() {
    let examples = include_str!("../../../../tests/data/grammar.tsv");
    let mut wrong = Vec::new();
    for line in examples.lines().filter(|line| !line.starts_with('#')) {
        let (question, wanted) = line.split_once('\t').unwrap_or((line, ""));
        let made = sql(question);
        if made != wanted {
            wrong.push(format!("{question}\n  wanted {wanted}\n  got    {made}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
