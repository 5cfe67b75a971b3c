//! The two loops of the graph, each reached by a question about real data.

use sqlogue::conversation::{ErrorKind, Status};

use crate::support::{COMPANIES, File};

#[tokio::test]
async fn a_column_that_was_renamed_in_the_meantime_is_repaired() {
    let file = File::new("companies.db", COMPANIES);
    let engine = file.engine();
    let first = engine.query_database("Show the name and vendor of all companies", None).await.unwrap();
    assert_eq!(first.query.as_deref(), Some("SELECT Name, Vendor FROM Companies"));

    file.execute("ALTER TABLE Companies RENAME COLUMN Vendor TO Vendors");
    let answer = engine.ask("Only active companies", Some(first)).await.unwrap();
    assert_eq!(
        answer.path,
        ["router", "planner", "generate_query", "execute_query", "handle_error", "execute_query", "cleanup"]
    );
    let state = answer.state;
    assert_eq!(state.status, Status::Completed);
    assert_eq!(state.query.as_deref(), Some("SELECT Name, Vendors FROM Companies WHERE Status = 'Active'"));
    assert_eq!((state.retry_count, state.result.unwrap().rows.len()), (1, 2));
    assert_eq!(state.queries.len(), 2, "only the statement that ran is in the history");
    assert!(state.explanation.iter().any(|reason| reason.contains("`Companies.Vendors` was taken instead")));
}

#[tokio::test]
async fn what_cannot_be_repaired_fails_the_turn_and_leaves_the_last_answer() {
    let file = File::new("companies.db", COMPANIES);
    let engine = file.engine();
    let first = engine.query_database("Show the name and vendor of all companies", None).await.unwrap();

    file.execute("ALTER TABLE Companies DROP COLUMN Vendor");
    let state = engine.query_database("Only active companies", Some(first.clone())).await.unwrap();
    assert_eq!(state.status, Status::Failed);
    let error = state.error.unwrap();
    assert_eq!(error.kind, ErrorKind::QueryFailed);
    assert!(error.message.contains("Vendor"), "{}", error.message);
    assert_eq!(state.current_query, first.current_query);
    assert_eq!(state.current_result, first.current_result);
    assert_eq!(state.turns.len(), 2);
}

#[tokio::test]
async fn a_misspelt_value_is_refined_to_the_one_it_nearly_is() {
    let file = File::new("companies.db", COMPANIES);
    let question = "Show the names of the companies whose status is 'Actve'";
    let answer = file.engine().ask(question, None).await.unwrap();
    assert_eq!(
        answer.path,
        [
            "analyze_schema",
            "planner",
            "generate_query",
            "execute_query",
            "refine_query",
            "execute_query",
            "cleanup"
        ]
    );
    let state = answer.state;
    assert_eq!(state.status, Status::Completed);
    assert_eq!(state.query.as_deref(), Some("SELECT Name FROM Companies WHERE Status = 'Active'"));
    assert_eq!(state.message.as_deref(), Some("Nothing matches `Actve`; `Active` was taken instead."));
    assert_eq!((state.refined_count, state.queries.len()), (1, 1));
}

#[tokio::test]
async fn an_empty_answer_that_nothing_comes_near_stays_empty() {
    let file = File::new("companies.db", COMPANIES);
    let question = "Show the names of the companies whose status is 'Zzz'";
    let state = file.engine().query_database(question, None).await.unwrap();
    assert_eq!(state.status, Status::Completed);
    assert_eq!(state.query.as_deref(), Some("SELECT Name FROM Companies WHERE Status = 'Zzz'"));
    assert_eq!(state.result.unwrap().row_count, 0);
}

/// What holds no question has nothing to plan: a greeting, an empty line, and what is not understood go to the end at once.
#[tokio::test]
async fn a_follow_up_without_a_question_goes_straight_to_the_end() {
    let file = File::new("companies.db", COMPANIES);
    let engine = file.engine();
    let first = engine.query_database("Show the name and vendor of all companies", None).await.unwrap();
    for (input, kind) in [
        ("thanks", ErrorKind::EmptyInput),
        ("   ", ErrorKind::EmptyInput),
        ("xyzzy", ErrorKind::NotUnderstood),
    ] {
        let answer = engine.ask(input, Some(first.clone())).await.unwrap();
        assert_eq!(answer.path, ["router", "cleanup"], "{input}");
        assert_eq!(answer.state.error.map(|error| error.kind), Some(kind), "{input}");
        assert_eq!(answer.state.current_query, first.current_query, "{input}");
    }
}
