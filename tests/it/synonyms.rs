//! Words that the sample's schema does not have, and English does.

use std::sync::Arc;

use sqlogue::sample;

use crate::cli_kit::call;
use crate::support::repeatable;

#[tokio::test]
async fn words_of_similar_meaning_are_understood() {
    let engine = repeatable().database(Arc::new(sample::open().unwrap())).build().unwrap();
    for (question, sql) in [
        ("How many critiques are there?", "SELECT count(*) FROM reviews"),
        ("How many commodities are there?", "SELECT count(*) FROM products"),
        ("How many patrons are there?", "SELECT count(*) FROM customers"),
    ] {
        let state = engine.query_database(question, None).await.unwrap();
        assert_eq!(state.query.as_deref(), Some(sql), "{question}: {:?}", state.message);
    }
}

#[test]
fn the_explanation_says_that_a_word_is_a_synonym() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = call(folder.path(), &["ask", "How many critiques are there?", "--explain"], "");
    let said = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(said.contains("`critiques` is taken for reviews (synonym)"), "{said}");
}
