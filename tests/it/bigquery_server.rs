//! A server on this machine that follows BigQuery's published protocol.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value as Json, json};
use sqlogue::database::BigQueryDatabase;
use sqlogue::database::bigquery::FixedToken;

/// One request as the server saw it.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) line: String,
    pub(crate) token: Option<String>,
    pub(crate) body: Json,
}

type Answer = dyn Fn(&Seen, usize) -> (u16, Json) + Send + Sync;

/// A server that answers by a function of the request and its number.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    pub(crate) fn start(answer: impl Fn(&Seen, usize) -> (u16, Json) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (log, answer): (_, Arc<Answer>) = (Arc::clone(&seen), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream.unwrap(), &log, &*answer));
            }
        });
        Self { port, seen }
    }

    pub(crate) fn database(&self, parameters: &str) -> BigQueryDatabase {
        let url = format!("bigquery://proj/shop?endpoint=http://127.0.0.1:{}{parameters}", self.port);
        BigQueryDatabase::with_tokens(&url, Arc::new(FixedToken::new("secret"))).unwrap()
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.seen.lock().unwrap().iter().map(|seen| seen.line.clone()).collect()
    }
}

fn serve(stream: TcpStream, log: &Mutex<Vec<Seen>>, answer: &Answer) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let (mut length, mut token) = (0, None);
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).unwrap();
            let Some((name, value)) = header.trim_end().split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().unwrap(),
                "authorization" => token = Some(value.to_owned()),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
        let body = serde_json::from_slice(&body)
            .unwrap_or_else(|_| Json::String(String::from_utf8_lossy(&body).into_owned()));
        let seen = Seen { line, token, body };
        let number = {
            let mut log = log.lock().unwrap();
            log.push(seen.clone());
            log.len()
        };
        let (status, body) = answer(&seen, number);
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        if stream.write_all(format!("{head}{body}").as_bytes()).is_err() {
            return;
        }
    }
}

pub(crate) fn dry(bytes: u64) -> (u16, Json) {
    let statistics =
        json!({ "totalBytesProcessed": bytes.to_string(), "query": { "statementType": "SELECT" } });
    (200, json!({ "status": { "state": "DONE" }, "statistics": statistics }))
}

pub(crate) fn job() -> Json {
    json!({ "projectId": "proj", "jobId": "job 1", "location": "EU" })
}

pub(crate) fn cells(values: &[&str]) -> Json {
    json!({ "f": values.iter().map(|value| json!({ "v": value })).collect::<Vec<_>>() })
}

/// A dataset with customers and orders: its tables, its columns, and one row for every query.
pub(crate) fn shop(seen: &Seen) -> (u16, Json) {
    let text = |names: &[&str]| json!({ "fields": names.iter().map(|name| json!({ "name": name, "type": "STRING" })).collect::<Vec<_>>() });
    let answer = |names: &[&str], rows: Vec<Json>| {
        (200, json!({ "jobComplete": true, "jobReference": job(), "schema": text(names), "rows": rows }))
    };
    let sql = seen.body["query"].as_str().unwrap_or_default();
    let view =
        sql.split("INFORMATION_SCHEMA.").nth(1).and_then(|rest| rest.split('`').next()).unwrap_or_default();
    match (seen.line.split('?').next().unwrap(), view) {
        (_, "TABLES") => answer(
            &["t", "k"],
            vec![
                cells(&["orders", "BASE TABLE"]),
                cells(&["customers", "BASE TABLE"]),
                cells(&["recent", "VIEW"]),
            ],
        ),
        (_, "COLUMNS") => answer(
            &["t", "c", "d", "n"],
            vec![
                cells(&["customers", "id", "INT64", "NO"]),
                cells(&["customers", "name", "STRING", "YES"]),
                cells(&["orders", "id", "INT64", "NO"]),
                cells(&["orders", "customer_id", "INT64", "YES"]),
                cells(&["orders", "items", "ARRAY<STRUCT<n INT64>>", "NO"]),
                cells(&["recent", "at", "TIMESTAMP", "YES"]),
            ],
        ),
        (_, "COLUMN_FIELD_PATHS") => {
            answer(&["t", "c", "d"], vec![cells(&["customers", "name", "Full name"])])
        }
        (_, "TABLE_OPTIONS") => {
            answer(&["t", "o"], vec![cells(&["customers", "\"People \\\"who\\\" buy\""])])
        }
        (_, "KEY_COLUMN_USAGE") => answer(
            &["n", "t", "c", "p"],
            vec![
                json!({ "f": [{ "v": "customers.pk" }, { "v": "customers" }, { "v": "id" }, { "v": null }] }),
                cells(&["orders.fk", "orders", "customer_id", "1"]),
            ],
        ),
        (_, "CONSTRAINT_COLUMN_USAGE") => {
            answer(&["n", "t", "c"], vec![cells(&["orders.fk", "customers", "id"])])
        }
        ("GET /bigquery/v2/projects/proj/datasets/shop/tables/customers/data", _) => {
            (200, json!({ "rows": [cells(&["1", "Ada"]), cells(&["2", "Bo"])] }))
        }
        ("GET /bigquery/v2/projects/proj/datasets/shop/tables/orders/data", _) => {
            (200, json!({ "totalRows": "0" }))
        }
        ("GET /bigquery/v2/projects/proj/datasets/shop/tables", _) => {
            (200, json!({ "tables": [{ "tableReference": { "tableId": "orders" }, "creationTime": "1" }] }))
        }
        // A query, which is run dry first.
        ("POST /bigquery/v2/projects/proj/jobs", _) => dry(1_500_000_000),
        ("POST /bigquery/v2/projects/proj/queries", "") => {
            let fields = json!({ "fields": [{ "name": "n", "type": "INTEGER" }] });
            (
                200,
                json!({ "jobComplete": true, "jobReference": job(), "schema": fields, "rows": [cells(&["3"])] }),
            )
        }
        other => panic!("{other:?}"),
    }
}
