//! Application-default credentials: the places where Google's own programs look, in their order.

use std::path::PathBuf;
use std::sync::Arc;

use reqwest::Client;

use super::address::Address;
use super::token::{Asking, TokenSource};
use crate::DatabaseError;

/// The credentials for an address; none for an endpoint that is not Google's, unless the URL names some.
pub(super) fn find(
    address: &Address,
    client: &Client,
) -> Result<Option<Arc<dyn TokenSource>>, DatabaseError> {
    let file = match (&address.credentials, address.is_foreign) {
        (Some(file), _) => Some(file.clone()),
        // A token must not travel to somebody else by default.
        (None, true) => return Ok(None),
        (None, false) => {
            std::env::var_os("GOOGLE_APPLICATION_CREDENTIALS").map(PathBuf::from).or_else(of_user)
        }
    };
    let tokens = match file {
        Some(file) => Asking::from_file(&file, client.clone())?,
        None => {
            let host =
                std::env::var("GCE_METADATA_HOST").unwrap_or_else(|_| "metadata.google.internal".into());
            Asking::machine(&host, client.clone())
        }
    };
    Ok(Some(Arc::new(tokens)))
}

/// The file that `gcloud auth application-default login` writes.
fn of_user() -> Option<PathBuf> {
    let folder = std::env::var_os("CLOUDSDK_CONFIG").map(PathBuf::from).or_else(|| {
        let base = if cfg!(windows) { std::env::var_os("APPDATA").map(PathBuf::from) } else { home_config() };
        Some(base?.join("gcloud"))
    })?;
    let file = folder.join("application_default_credentials.json");
    file.is_file().then_some(file)
}

fn home_config() -> Option<PathBuf> {
    Some(PathBuf::from(std::env::var_os("HOME")?).join(".config"))
}
