//! BigQuery, by its REST API.
//!
//! Every query is first run dry: BigQuery then says what kind of statement it is and how many bytes it would read,
//! for nothing. Only a `SELECT` that reads no more than may be billed is run, with that limit set for BigQuery too.
//! Samples come from the listing of table data, which costs nothing either.

mod address;
mod catalog;
mod credentials;
mod http;
mod query;
mod token;
mod values;
mod wire;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::{BoxFuture, ColumnValues, Database, DatabaseError, Limits, Rows, ValueLimits};
use address::Address;
use http::Http;
use sqlogue_sql::schema::{Schema, Table, Value};
use sqlogue_sql::sql::{Checked, Dialect};
pub use token::{FixedToken, TokenSource};

/// How long a look at the list of tables counts.
const FRESH: Duration = Duration::from_secs(60);

/// A dataset in BigQuery, used for reading only.
///
/// Arrays and structs are JSON; points in time are in UTC.
pub struct BigQueryDatabase {
    address: Address,
    http: Http,
    /// Tells this database from all others that are open in this process.
    number: u64,
    version: Mutex<Option<(Instant, String)>>,
}

/// What a query would cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// The bytes that it would read.
    pub bytes: u64,
    /// The most bytes that it may read.
    pub limit: u64,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of at most {}", address::size(self.bytes), address::size(self.limit))
    }
}

impl BigQueryDatabase {
    /// The dataset at a URL, `bigquery://project/dataset?parameters`. Nobody is connected to until the first call.
    ///
    /// Parameters: `location`; `billing_project`, where jobs run in another project than the data's;
    /// `maximum_bytes_billed` (10 GB unless given); `credentials`, the file of a service account or of a user, in
    /// place of the application-default credentials; `endpoint`, for an emulator or a proxy, which is called without
    /// credentials unless some are named.
    ///
    /// # Errors
    /// Where the URL or the credentials cannot be read.
    pub fn at(url: &str) -> Result<Self, DatabaseError> {
        let address = Address::parse(url)?;
        let client = http::client(&address.name())?;
        let tokens = credentials::find(&address, &client)?;
        Self::new(address, client, tokens)
    }

    /// The same as [`BigQueryDatabase::at`], with tokens from a source of the caller's.
    ///
    /// # Errors
    /// Where the URL cannot be read.
    pub fn with_tokens(url: &str, tokens: Arc<dyn TokenSource>) -> Result<Self, DatabaseError> {
        let address = Address::parse(url)?;
        let client = http::client(&address.name())?;
        Self::new(address, client, Some(tokens))
    }

    fn new(
        address: Address,
        client: reqwest::Client,
        tokens: Option<Arc<dyn TokenSource>>,
    ) -> Result<Self, DatabaseError> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let http = Http::new(client, &address, tokens);
        Ok(Self { address, http, number: NUMBER.fetch_add(1, Ordering::Relaxed), version: Mutex::new(None) })
    }

    /// What a query would cost, at no cost.
    ///
    /// # Errors
    /// Where BigQuery refuses the query, or it is no `SELECT`.
    pub async fn estimate(&self, query: &Checked) -> Result<Estimate, DatabaseError> {
        let deadline = Instant::now() + Duration::from_secs(30);
        query::dry_run(&self.http, &self.address, query.sql(), deadline).await
    }
}

/// Without credentials.
impl fmt::Debug for BigQueryDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BigQueryDatabase").field("dataset", &self.address.name()).finish_non_exhaustive()
    }
}

impl Database for BigQueryDatabase {
    fn name(&self) -> &str {
        &self.address.dataset
    }

    fn dialect(&self) -> Dialect {
        Dialect::BigQuery
    }

    fn schema_version(&self) -> BoxFuture<'_, Result<String, DatabaseError>> {
        Box::pin(async move {
            let known = self.version.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some((at, version)) = known
                && at.elapsed() < FRESH
            {
                return Ok(version);
            }
            let tables = catalog::version(&self.http, &self.address).await?;
            let version = format!("bigquery-{}-{tables}", self.number);
            *self.version.lock().unwrap_or_else(PoisonError::into_inner) =
                Some((Instant::now(), version.clone()));
            Ok(version)
        })
    }

    fn introspect(&self) -> BoxFuture<'_, Result<Schema, DatabaseError>> {
        Box::pin(catalog::schema(&self.http, &self.address))
    }

    fn cost<'a>(&'a self, query: &'a Checked) -> BoxFuture<'a, Result<Option<String>, DatabaseError>> {
        Box::pin(async move { Ok(Some(self.estimate(query).await?.to_string())) })
    }

    fn execute<'a>(
        &'a self,
        query: &'a Checked,
        limits: &'a Limits,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Rows, DatabaseError>> {
        Box::pin(async move {
            if cancel.is_cancelled() {
                return Err(DatabaseError::Cancelled);
            }
            let started = Instant::now();
            let deadline = started + limits.deadline;
            let work = async {
                let estimate = query::check(&self.http, &self.address, query.sql(), deadline).await?;
                let rows = query::run(&self.http, &self.address, query.sql(), limits, deadline).await?;
                Ok(Rows { cost: Some(estimate.to_string()), ..rows })
            };
            // Dropping the work cancels the job.
            tokio::select! {
                result = tokio::time::timeout_at(deadline.into(), work) => match result {
                    Ok(Ok(rows)) => Ok(Rows { elapsed: started.elapsed(), ..rows }),
                    // Requests give up at the deadline too, and may be first to notice.
                    Ok(Err(error)) if Instant::now() < deadline => Err(error),
                    Ok(Err(_)) | Err(_) => Err(DatabaseError::Deadline { limit: limits.deadline }),
                },
                () = cancel.cancelled() => Err(DatabaseError::Cancelled),
            }
        })
    }

    fn peek<'a>(
        &'a self,
        table: &'a Table,
        columns: &'a [&'a str],
        rows: usize,
        deadline: Duration,
    ) -> BoxFuture<'a, Result<Vec<Vec<Value>>, DatabaseError>> {
        Box::pin(catalog::peek(&self.http, &self.address, table, columns, rows, Instant::now() + deadline))
    }

    fn values<'a>(
        &'a self,
        table: &'a str,
        column: &'a str,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<(Value, u64)>, DatabaseError>> {
        Box::pin(catalog::frequent(&self.http, &self.address, table, column, limit))
    }

    fn text_values<'a>(
        &'a self,
        schema: &'a Schema,
        limits: &'a ValueLimits,
    ) -> BoxFuture<'a, Result<Vec<ColumnValues>, DatabaseError>> {
        Box::pin(catalog::texts(&self.http, &self.address, schema, limits))
    }
}
