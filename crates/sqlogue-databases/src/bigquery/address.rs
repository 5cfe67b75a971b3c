//! A dataset's URL, taken apart.

use std::path::PathBuf;

use reqwest::Url;

use crate::DatabaseError;

/// What a query may be billed for where the URL does not say.
const BILLED: u64 = 10_000_000_000;

const ENDPOINT: &str = "https://bigquery.googleapis.com";

/// Where a dataset is and who pays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) project: String,
    pub(super) dataset: String,
    /// The project that jobs run in.
    pub(super) billing: String,
    pub(super) location: Option<String>,
    pub(super) maximum_bytes: u64,
    pub(super) credentials: Option<PathBuf>,
    /// The address of the API, without a slash at its end.
    pub(super) endpoint: String,
    /// True where the endpoint is not Google's.
    pub(super) is_foreign: bool,
}

impl Address {
    /// Reads `bigquery://project/dataset?parameters`.
    pub(super) fn parse(url: &str) -> Result<Self, DatabaseError> {
        let wrong = |problem: &str| DatabaseError::Address { problem: problem.to_owned() };
        let rest =
            url.strip_prefix("bigquery://").ok_or_else(|| wrong("it does not begin with `bigquery://`"))?;
        let (path, parameters) = rest.split_once('?').unwrap_or((rest, ""));
        let (project, dataset) = path
            .trim_end_matches('/')
            .split_once('/')
            .ok_or_else(|| wrong("it names no dataset: `bigquery://PROJECT/DATASET`"))?;
        // Both go into paths and SQL, so nothing else may be in them.
        let is_name = |name: &str, more: &str| {
            !name.is_empty()
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || more.contains(c))
        };
        if !is_name(project, "-.:") || !is_name(dataset, "") {
            return Err(wrong("a project is letters, digits and `-`, a dataset is letters, digits and `_`"));
        }
        let mut address = Self {
            project: project.to_owned(),
            dataset: dataset.to_owned(),
            billing: project.to_owned(),
            location: None,
            maximum_bytes: BILLED,
            credentials: None,
            endpoint: ENDPOINT.to_owned(),
            is_foreign: false,
        };
        for pair in parameters.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            match key {
                "location" if is_name(value, "-") => address.location = Some(value.to_owned()),
                "billing_project" if is_name(value, "-.:") => value.clone_into(&mut address.billing),
                "maximum_bytes_billed" => {
                    address.maximum_bytes =
                        value.parse().map_err(|_| wrong("`maximum_bytes_billed` is a number of bytes"))?;
                }
                "credentials" if !value.is_empty() => address.credentials = Some(value.into()),
                "endpoint" if value.starts_with("https://") || is_loopback(value) => {
                    value.trim_end_matches('/').clone_into(&mut address.endpoint);
                    address.is_foreign = address.endpoint != ENDPOINT;
                }
                "endpoint" => {
                    return Err(wrong("an `endpoint` begins with `https://`, or is on this machine"));
                }
                _ => {
                    return Err(wrong(
                        "parameters are `location`, `billing_project`, `maximum_bytes_billed`, `credentials` and `endpoint`",
                    ));
                }
            }
        }
        Ok(address)
    }

    /// The name in messages.
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.project, self.dataset)
    }
}

/// True where a token that is sent there stays on this machine.
fn is_loopback(url: &str) -> bool {
    let host = |url: &Url| matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    Url::parse(url).is_ok_and(|url| url.scheme() == "http" && host(&url))
}

/// A number of bytes for people.
pub(super) fn size(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB"];
    let mut amount = bytes as f64;
    let mut unit = 0;
    while amount >= 1000.0 && unit + 1 < units.len() {
        amount /= 1000.0;
        unit += 1;
    }
    let unit = units.get(unit).copied().unwrap_or_default();
    if amount >= 10.0 || amount.fract() == 0.0 {
        format!("{amount:.0} {unit}")
    } else {
        format!("{amount:.1} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        let address = Address::parse(
            "bigquery://my-project/shop?location=EU&billing_project=payer&maximum_bytes_billed=5&endpoint=http://127.0.0.1:9050/",
        )
        .unwrap();
        assert_eq!((address.project.as_str(), address.dataset.as_str()), ("my-project", "shop"));
        assert_eq!((address.billing.as_str(), address.maximum_bytes), ("payer", 5));
        assert_eq!((address.endpoint.as_str(), address.is_foreign), ("http://127.0.0.1:9050", true));
        assert!(!Address::parse("bigquery://p/d").unwrap().is_foreign);
        for url in [
            "bigquery://p",
            "bigquery://p/d/e",
            "bigquery://p/d`; DROP",
            "bigquery://p/d?x=1",
            "bigquery://p/d?endpoint=http://example.com",
            "bigquery://p/d?endpoint=http://localhost.evil.com",
            "bigquery://p/d?endpoint=http://localhost:80@evil.com",
            "postgres://p/d",
        ] {
            assert!(matches!(Address::parse(url), Err(DatabaseError::Address { .. })), "{url}");
        }
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!(
            [size(0), size(999), size(1_500), size(25_300_000_000)],
            ["0 B", "999 B", "1.5 kB", "25 GB"]
        );
    }
}
