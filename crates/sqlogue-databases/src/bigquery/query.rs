//! Running one checked query: dry first, then for real, page by page.

use std::time::{Duration, Instant};

use serde_json::json;

use super::Estimate;
use super::address::{Address, size};
use super::http::{Http, Request, encoded};
use super::values;
use super::wire::{Job, JobReference, QueryAnswer};
use crate::{DatabaseError, Limits, Rows};
use sqlogue_sql::schema::Value;
use sqlogue_sql::sql::{Refusal, RefusalCode};

/// How long the first request waits for a job to finish; only its answer names the job, which can be cancelled then.
const FIRST: Duration = Duration::from_millis(500);

/// How long each further request waits.
const POLL: Duration = Duration::from_secs(10);

/// How many rows one page has at most.
const PAGE: usize = 10_000;

/// Asks what a query would read. BigQuery checks names and types on the way.
pub(super) async fn dry_run(
    http: &Http,
    address: &Address,
    sql: &str,
    deadline: Instant,
) -> Result<Estimate, DatabaseError> {
    let mut body = json!({
        "configuration": { "dryRun": true, "query": {
            "query": sql,
            "useLegacySql": false,
            "defaultDataset": { "projectId": address.project, "datasetId": address.dataset },
        } },
        "jobReference": { "projectId": address.billing },
    });
    if let (Some(location), Some(reference)) = (&address.location, body.get_mut("jobReference")) {
        *reference = json!({ "projectId": address.billing, "location": location });
    }
    let path = format!("/projects/{}/jobs", address.billing);
    let job: Job = http.call(&Request { path, query: Vec::new(), body: Some(body) }, sql, deadline).await?;
    if let Some(error) = job.status.error_result {
        return Err(error.error(None, http.name(), sql));
    }
    // There is no read-only mode; this is what stands in for it.
    let kind = job.statistics.query.statement_type.unwrap_or_default();
    if kind != "SELECT" {
        return Err(DatabaseError::Refused(Refusal {
            code: RefusalCode::NotAQuery,
            reason: "BigQuery says that the statement is not a `SELECT`, and only queries may run; write a `SELECT`"
                .into(),
        }));
    }
    let bytes = job.statistics.query.total_bytes_processed.or(job.statistics.total_bytes_processed);
    let bytes = bytes.and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
    tracing::info!(bytes, "the query would read {}", size(bytes));
    Ok(Estimate { bytes, limit: address.maximum_bytes })
}

/// Runs a query dry and refuses one that would read too much.
pub(super) async fn check(
    http: &Http,
    address: &Address,
    sql: &str,
    deadline: Instant,
) -> Result<Estimate, DatabaseError> {
    let estimate = dry_run(http, address, sql, deadline).await?;
    let Estimate { bytes, limit } = estimate;
    if bytes <= limit {
        return Ok(estimate);
    }
    let limit = format!("{}; it would read {}", size(limit), size(bytes));
    Err(DatabaseError::Limit { what: "data to be read", limit })
}

/// Runs a query and fetches its rows.
pub(super) async fn run(
    http: &Http,
    address: &Address,
    sql: &str,
    limits: &Limits,
    deadline: Instant,
) -> Result<Rows, DatabaseError> {
    let left = || deadline.saturating_duration_since(Instant::now());
    let page = limits.rows.saturating_add(1).min(PAGE);
    let mut body = json!({
        "query": sql,
        "useLegacySql": false,
        "defaultDataset": { "projectId": address.project, "datasetId": address.dataset },
        "maximumBytesBilled": address.maximum_bytes.to_string(),
        "maxResults": page,
        "timeoutMs": u64::try_from(left().min(FIRST).as_millis()).unwrap_or(u64::MAX),
        // The job ends at the deadline even where nobody is left to cancel it.
        "jobTimeoutMs": left().as_millis().to_string(),
        "formatOptions": { "useInt64Timestamp": true },
        "labels": { "program": "sqlogue" },
        // A repeated request is the same job.
        "requestId": uuid::Uuid::new_v4().to_string(),
    });
    if let (Some(location), Some(fields)) = (&address.location, body.as_object_mut()) {
        fields.insert("location".into(), json!(location));
    }
    let path = format!("/projects/{}/queries", address.billing);
    let mut answer: QueryAnswer =
        http.call(&Request { path, query: Vec::new(), body: Some(body) }, sql, deadline).await?;
    let mut running = Running { http, job: answer.job_reference.clone(), done: false };
    let mut rows = Rows::default();
    let mut schema = None;
    let mut bytes = 0_usize;
    loop {
        if !answer.job_complete && left().is_zero() {
            return Err(DatabaseError::Deadline { limit: limits.deadline });
        }
        if answer.job_complete {
            running.done = true;
            if let (Some(error), None) = (answer.errors.first(), &answer.schema) {
                return Err(error.clone().error(None, http.name(), sql));
            }
            if schema.is_none() {
                schema = answer.schema.take();
            }
            let fields = schema.as_ref().map(|schema| schema.fields.as_slice()).unwrap_or_default();
            rows.columns = fields.iter().map(|field| field.name.clone()).collect();
            for row in answer.rows {
                if rows.rows.len() >= limits.rows {
                    rows.truncated = true;
                    return Ok(rows);
                }
                let values = values::row(fields, row);
                bytes = bytes.saturating_add(values.iter().map(Value::size).sum());
                if bytes > limits.bytes {
                    rows.truncated = true;
                    return Ok(rows);
                }
                rows.rows.push(values);
            }
            if answer.page_token.is_none() {
                return Ok(rows);
            }
        }
        let Some(job) = running.job.as_ref() else {
            let message = "it has more rows but names no job to ask for them".to_owned();
            return Err(DatabaseError::Failed { name: http.name().to_owned(), message });
        };
        let mut query = vec![
            ("maxResults", page.to_string()),
            ("timeoutMs", left().min(POLL).as_millis().to_string()),
            ("formatOptions.useInt64Timestamp", "true".to_owned()),
        ];
        query.extend(job.location.clone().map(|location| ("location", location)));
        query.extend(answer.page_token.take().map(|token| ("pageToken", token)));
        let path = format!("/projects/{}/queries/{}", encoded(&job.project_id), encoded(&job.job_id));
        answer = http.call(&Request { path, query, body: None }, sql, deadline).await?;
    }
}

/// A job that is cancelled when nobody waits for it any more.
struct Running<'a> {
    http: &'a Http,
    job: Option<JobReference>,
    done: bool,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let Some(job) = self.job.take().filter(|_| !self.done) else { return };
        let http = self.http.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let path =
                    format!("/projects/{}/jobs/{}/cancel", encoded(&job.project_id), encoded(&job.job_id));
                let query = job.location.map(|location| ("location", location)).into_iter().collect();
                let request = Request { path, query, body: Some(json!({})) };
                let deadline = Instant::now() + Duration::from_secs(10);
                let cancelled: Result<serde_json::Value, _> = http.call(&request, "", deadline).await;
                if let Err(error) = cancelled {
                    tracing::debug!(%error, "a job could not be cancelled; it ends at its time limit");
                }
            });
        }
    }
}
