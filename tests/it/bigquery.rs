//! BigQuery at the wire, against a server on this machine that follows the published protocol.

use std::io::Write as _;
use std::time::Duration;

use serde_json::{Value as Json, json};
use sqlogue::database::{BigQueryDatabase, Database as _, DatabaseError, Limits, ValueLimits};
use sqlogue::schema::Value;
use sqlogue::sql::{Dialect, guard};
use tokio_util::sync::CancellationToken;

use crate::bigquery_server::{Server, cells, dry, job, shop};
use crate::cli_kit::call;
use crate::support::{query, query_within};

#[tokio::test]
async fn a_query_is_dry_run_polled_and_paged() {
    let fields = json!({ "fields": [
        { "name": "n", "type": "INTEGER" },
        { "name": "at", "type": "TIMESTAMP" },
        { "name": "tags", "type": "STRING", "mode": "REPEATED" } ] });
    let server = Server::start(move |seen, _| {
        let row =
            |n: &str| json!({ "f": [{ "v": n }, { "v": "1706695200000000" }, { "v": [{ "v": "a" }] }] });
        match seen.line.split('?').next().unwrap() {
            "POST /bigquery/v2/projects/payer/jobs" => dry(1_000),
            "POST /bigquery/v2/projects/payer/queries" => {
                (200, json!({ "jobComplete": false, "jobReference": job() }))
            }
            "GET /bigquery/v2/projects/proj/queries/job%201" if seen.line.contains("pageToken=p%2F2") => (
                200,
                json!({ "jobComplete": true, "jobReference": job(), "schema": fields, "rows": [row("3")] }),
            ),
            "GET /bigquery/v2/projects/proj/queries/job%201" => (
                200,
                json!({
                "jobComplete": true, "jobReference": job(), "schema": fields, "rows": [row("1"), row("2")],
                "pageToken": "p/2", "totalRows": "3" }),
            ),
            other => panic!("{other}"),
        }
    });
    let database = server.database("&location=EU&billing_project=payer&maximum_bytes_billed=5000");
    let rows = query(&database, "SELECT n, at, tags FROM t").await.unwrap();
    assert_eq!(rows.columns, ["n", "at", "tags"]);
    assert_eq!(rows.rows.len(), 3);
    assert_eq!(rows.rows[2], [3.into(), "2024-01-31 10:00:00+00:00".into(), "[\"a\"]".into()]);
    assert!(!rows.truncated);
    let seen = server.seen.lock().unwrap().clone();
    assert!(seen.iter().all(|seen| seen.token.as_deref() == Some("Bearer secret")));
    assert_eq!(seen[0].body["configuration"]["dryRun"], true);
    assert_eq!(seen[0].body["configuration"]["query"]["useLegacySql"], false);
    assert_eq!(seen[0].body["jobReference"], json!({ "projectId": "payer", "location": "EU" }));
    assert_eq!(seen[1].body["maximumBytesBilled"], "5000");
    assert_eq!(seen[1].body["defaultDataset"], json!({ "projectId": "proj", "datasetId": "shop" }));
    assert_eq!(seen[1].body["location"], "EU");
    assert!(seen[2].line.contains("location=EU"));
    assert_eq!(seen.len(), 4);
}

#[tokio::test]
async fn what_costs_too_much_or_writes_is_not_run() {
    let server = Server::start(|seen, _| {
        let sql = seen.body["configuration"]["query"]["query"].as_str().unwrap_or_default();
        if sql.contains("large") {
            dry(25_000_000_000)
        } else {
            (
                200,
                json!({ "statistics": { "query": { "statementType": "SCRIPT", "totalBytesProcessed": "0" } } }),
            )
        }
    });
    let database = server.database("");
    let error = query(&database, "SELECT * FROM large").await.unwrap_err();
    assert!(error.to_string().contains("10 GB; it would read 25 GB"), "{error}");
    let error = query(&database, "SELECT * FROM odd").await.unwrap_err();
    assert!(matches!(error, DatabaseError::Refused(_)), "{error:?}");
    for sql in [
        "DELETE FROM t WHERE true",
        "SELECT 1; DROP TABLE t",
        "CREATE TABLE x AS SELECT 1",
        "SELECT * FROM EXTERNAL_QUERY('x', 'y')",
        "EXPORT DATA OPTIONS(uri='gs://x') AS SELECT 1",
        "SELECT ML.PREDICT(1)",
    ] {
        assert!(matches!(query(&database, sql).await, Err(DatabaseError::Refused(_))), "{sql}");
    }
    assert_eq!(server.lines(), vec!["POST /bigquery/v2/projects/proj/jobs"; 2]);
    let estimate =
        database.estimate(&guard::check("SELECT * FROM large", Dialect::BigQuery).unwrap()).await.unwrap();
    assert_eq!(estimate.to_string(), "25 GB of at most 10 GB");
}

#[tokio::test]
async fn errors_are_told_and_passing_ones_repeated() {
    let server = Server::start(|seen, number| {
        let sql = seen.body["configuration"]["query"]["query"].as_str().unwrap_or_default();
        let refusal = |status: u16, reason: &str, message: &str| {
            (
                status,
                json!({ "error": { "code": status, "message": message, "errors": [{ "reason": reason, "message": message }] } }),
            )
        };
        match sql {
            "SELECT\n 'é', nope" => refusal(400, "invalidQuery", "Unrecognized name: nope at [2:7]"),
            "SELECT 1" => refusal(403, "accessDenied", "Access Denied"),
            "SELECT 2" if number % 2 == 0 => refusal(503, "backendError", "try again"),
            "SELECT 2" => refusal(400, "invalidQuery", "reached"),
            "SELECT 3" => refusal(403, "quotaExceeded", "Quota exceeded"),
            _ => (502, json!("not even JSON of the right kind")),
        }
    });
    let database = server.database("");
    let error = query(&database, "SELECT\n 'é', nope").await.unwrap_err();
    assert_eq!(
        error,
        DatabaseError::Query { message: "Unrecognized name: nope at [2:7]".into(), offset: Some(14) }
    );
    assert!(matches!(query(&database, "SELECT 3").await, Err(DatabaseError::Limit { .. })));
    assert!(matches!(query(&database, "SELECT 1").await, Err(DatabaseError::Login { .. })));
    let error = query(&database, "SELECT 2").await.unwrap_err();
    assert!(error.is_query_fault(), "{error:?}");
    let before = server.lines().len();
    assert!(matches!(query(&database, "SELECT 4").await, Err(DatabaseError::Failed { .. })));
    assert_eq!(server.lines().len() - before, 3);
    let nobody = BigQueryDatabase::at("bigquery://p/d?endpoint=http://127.0.0.1:1").unwrap();
    assert!(matches!(query(&nobody, "SELECT 1").await, Err(DatabaseError::Unreachable { .. })));
}

#[tokio::test]
async fn limits_cut_and_deadlines_cancel() {
    let server = Server::start(|seen, _| match seen.line.split('?').next().unwrap() {
        "POST /bigquery/v2/projects/proj/jobs" => dry(0),
        "POST /bigquery/v2/projects/proj/queries"
            if seen.body["query"].as_str().unwrap().contains("many") =>
        {
            let rows: Vec<Json> = (0..11).map(|n| cells(&[&n.to_string()])).collect();
            (
                200,
                json!({ "jobComplete": true, "jobReference": job(), "rows": rows, "pageToken": "x",
                "schema": { "fields": [{ "name": "n", "type": "INTEGER" }] } }),
            )
        }
        "POST /bigquery/v2/projects/proj/queries" => {
            (200, json!({ "jobComplete": false, "jobReference": job() }))
        }
        "GET /bigquery/v2/projects/proj/queries/job%201" => {
            std::thread::sleep(Duration::from_millis(100));
            (200, json!({ "jobComplete": false, "jobReference": job() }))
        }
        "POST /bigquery/v2/projects/proj/jobs/job%201/cancel" => {
            (200, json!({ "kind": "bigquery#jobCancelResponse" }))
        }
        other => panic!("{other}"),
    });
    let database = server.database("");
    let few = Limits { rows: 10, ..Limits::default() };
    let rows = query_within(&database, "SELECT n FROM many", &few).await.unwrap();
    assert_eq!((rows.len(), rows.truncated), (10, true));
    let short = Limits { deadline: Duration::from_millis(600), ..Limits::default() };
    let started = std::time::Instant::now();
    let error = query_within(&database, "SELECT n FROM slow", &short).await.unwrap_err();
    assert!(matches!(error, DatabaseError::Deadline { .. }), "{error:?}");
    assert!(started.elapsed() < Duration::from_millis(1_100));
    let cancel = CancellationToken::new();
    let soon = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        soon.cancel();
    });
    let slow = guard::check("SELECT n FROM slow", Dialect::BigQuery).unwrap();
    assert_eq!(database.execute(&slow, &Limits::default(), &cancel).await, Err(DatabaseError::Cancelled));
    let started = std::time::Instant::now();
    while server.lines().iter().filter(|line| line.contains("/cancel")).count() < 2 {
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", server.lines());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn the_schema_is_read() {
    let server = Server::start(|seen, _| shop(seen));
    let database = server.database("");
    let schema = database.introspect().await.unwrap();
    let names: Vec<_> = schema.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["orders", "customers", "recent"]);
    let customers = schema.table("customers").unwrap();
    assert_eq!(customers.description.as_deref(), Some("People \"who\" buy"));
    assert_eq!(customers.columns[1].description.as_deref(), Some("Full name"));
    assert!(
        customers.columns[0].primary_key && customers.columns[0].unique && !customers.columns[0].nullable
    );
    assert_eq!(customers.columns[1].samples, ["Ada".into(), Value::from("Bo")]);
    assert_eq!(customers.row_count, Some(2));
    assert_eq!(schema.tables[0].foreign_keys[0].table, "customers");
    let texts = database.text_values(&schema, &ValueLimits::default()).await.unwrap();
    assert_eq!((texts[0].column.as_str(), texts[0].values.len(), texts[0].complete), ("name", 2, true));
    let version = database.schema_version().await.unwrap();
    assert_eq!(database.schema_version().await.unwrap(), version);
    assert_ne!(server.database("").schema_version().await.unwrap(), version);
}

#[tokio::test]
async fn accounts_and_users_get_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key.pem");
    let made = std::process::Command::new("openssl")
        .args(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out"])
        .arg(&key)
        .output();
    let server = Server::start(|seen, _| match (seen.line.as_str(), &seen.body) {
        ("POST /token", Json::String(form)) if form.contains("refresh_token=r%2F1") => {
            (200, json!({ "access_token": "of-user", "expires_in": 3600 }))
        }
        ("POST /token", Json::String(form))
            if form.contains("jwt-bearer") && form.contains("assertion=ey") =>
        {
            (200, json!({ "access_token": "of-account", "expires_in": 3600 }))
        }
        ("POST /token", _) => (400, json!({ "error": "invalid_grant", "error_description": "hunter2" })),
        _ => dry(1),
    });
    let at = format!("http://127.0.0.1:{}", server.port);
    let mut files = vec![(
        json!({ "type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r/1", "token_uri": format!("{at}/token") }),
        "Bearer of-user",
    )];
    match made {
        Ok(output) if output.status.success() => {
            let key = std::fs::read_to_string(&key).unwrap();
            files.push((json!({ "type": "service_account", "client_email": "a@b", "private_key": key, "token_uri": format!("{at}/token") }), "Bearer of-account"));
        }
        _ => {
            let _ = writeln!(std::io::stderr(), "SKIPPED service accounts: `openssl` is not installed");
        }
    }
    let path = folder.path().join("credentials.json");
    let select = guard::check("SELECT 1", Dialect::BigQuery).unwrap();
    for (file, expected) in files {
        std::fs::write(&path, file.to_string()).unwrap();
        let database =
            BigQueryDatabase::at(&format!("bigquery://p/d?endpoint={at}&credentials={}", path.display()))
                .unwrap();
        database.estimate(&select).await.unwrap();
        let asked = server.lines().iter().filter(|line| *line == "POST /token").count();
        database.estimate(&select).await.unwrap();
        assert_eq!(
            server.lines().iter().filter(|line| *line == "POST /token").count(),
            asked,
            "a token is kept"
        );
        assert_eq!(server.seen.lock().unwrap().last().unwrap().token.as_deref(), Some(expected));
    }
    let refused = json!({ "type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "old", "token_uri": format!("{at}/token") });
    std::fs::write(&path, refused.to_string()).unwrap();
    let database =
        BigQueryDatabase::at(&format!("bigquery://p/d?endpoint={at}&credentials={}", path.display()))
            .unwrap();
    let error = database.estimate(&select).await.unwrap_err();
    assert!(
        matches!(error, DatabaseError::Login { .. }) && !error.to_string().contains("hunter2"),
        "{error:?}"
    );
    std::fs::write(&path, "{}").unwrap();
    assert!(BigQueryDatabase::at(&format!("bigquery://p/d?credentials={}", path.display())).is_err());
    // A token must not travel to another host by default.
    let foreign = BigQueryDatabase::at(&format!("bigquery://p/d?endpoint={at}")).unwrap();
    foreign.estimate(&select).await.unwrap();
    assert_eq!(server.seen.lock().unwrap().last().unwrap().token, None);
}

/// What a query costs is said before it runs, where somebody is asked for a yes, and afterwards.
#[test]
fn people_are_told_what_a_query_would_read() {
    let server = Server::start(|seen, _| shop(seen));
    let folder = tempfile::tempdir().unwrap();
    let address = format!("bigquery://proj/shop?endpoint=http://127.0.0.1:{}", server.port);
    let runs = || server.lines().iter().filter(|line| line.ends_with("/queries")).count();
    let cost = "It would read 1.5 GB of at most 10 GB.";
    let asked = ["--db", &address, "ask", "How many orders are there?", "--confirm"];

    let declined = call(folder.path(), &asked, "n\n");
    declined.fails(3, cost);
    let before = runs();
    let told = call(folder.path(), &asked, "y\n");
    assert!(told.stderr.contains(cost) && told.code == 0, "{told:?}");
    assert!(runs() > before, "it ran");
    let chat = call(
        folder.path(),
        &["--db", &address, "chat", "--confirm"],
        "How many orders are there?\nyes\n/why\n",
    );
    chat.is_sound();
    let (asking, answered) = chat.stdout.split_once(cost).unwrap_or_else(|| panic!("{chat:?}"));
    assert!(asking.contains("SELECT") && answered.contains("| 3 |"), "{chat:?}");
    assert!(answered.contains("note: The query read 1.5 GB of at most 10 GB."), "{chat:?}");

    let small = format!("{address}&maximum_bytes_billed=1000000");
    let refused = call(folder.path(), &["--db", &small, "ask", "How many orders are there?"], "");
    refused.fails(3, "1 MB; it would read 1.5 GB");
}
