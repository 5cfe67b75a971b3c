//! What only a PostgreSQL server can do wrong, and what is on it.

use std::sync::Arc;

use sqlogue::store::{Keep, PostgresStore, Sessions};

use crate::postgres_server::server;
use crate::store_kit::turn;

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Deleted rows are gone for everybody who asks; after a vacuum they are gone from the tables' files.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_deleted_is_gone_from_the_server() {
    let Some(server) = server("what_is_deleted_is_gone_from_the_server") else { return };
    let database = server.database("");
    let store = PostgresStore::at(&server.url(&database), Keep::Rows).unwrap();
    let sessions = Sessions::new(Arc::new(store));
    turn(&sessions, "kept", "a question to keep").await;
    for number in 0..5 {
        turn(&sessions, "a", &format!("the salary of Jane Roe {number}")).await;
    }
    assert!(contains(&server.bytes(&database, "sqlogue"), "Jane Roe"));
    sessions.delete("a").await.unwrap();
    let rows =
        "SELECT row_to_json(t) FROM sqlogue.sessions t UNION ALL SELECT row_to_json(t) FROM sqlogue.turns t
                UNION ALL SELECT row_to_json(t) FROM sqlogue.steps t;";
    let left = server.run(&database, rows);
    assert!(left.contains("a question to keep") && !left.contains("Jane Roe"), "{left}");
    let of_nobody = "SELECT count(*) FROM sqlogue.steps WHERE turn NOT IN (SELECT id FROM sqlogue.turns);";
    assert_eq!(server.run(&database, of_nobody).trim(), "0");
    sessions.vacuum().await.unwrap();
    let found = server.bytes(&database, "sqlogue");
    assert!(contains(&found, "a question to keep") && !contains(&found, "Jane Roe"));
}
