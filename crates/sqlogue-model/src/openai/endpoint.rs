//! Where the server is, and the headers that every request carries.

use async_openai::config::Config;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::SecretString;

use crate::{AuthStyle, ModelSettings, Secret};

/// An address with its query, and headers.
///
/// The crate's own configuration reads the environment and panics on headers that are none; here both are settled once,
/// by the settings.
#[derive(Clone)]
pub(super) struct Endpoint {
    base: String,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    key: SecretString,
    pub(super) is_loopback: bool,
    /// Whether the server is one that surely wants a key, and there is none.
    pub(super) lacks_key: bool,
}

impl Endpoint {
    pub(super) fn new(settings: &ModelSettings) -> Result<Self, String> {
        let text = settings.base_url.trim();
        let mut url = Url::parse(text).map_err(|error| format!("`base_url` is no URL: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err("`base_url` must begin with `http://` or `https://`".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                "`base_url` must not hold a user or a password; use `api_key` or `headers`".to_owned()
            );
        }
        let host = url.host_str().unwrap_or_default().to_owned();
        let query = url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        url.set_query(None);
        url.set_fragment(None);
        if matches!(url.path(), "" | "/") {
            // People name the server and leave the version out.
            url.set_path("/v1");
        }
        let base = url.as_str().trim_end_matches('/').trim_end_matches("/chat/completions").to_owned();
        let azure = host.ends_with(".azure.com");
        let style = match settings.auth {
            AuthStyle::Auto if azure => AuthStyle::ApiKey,
            AuthStyle::Auto => AuthStyle::Bearer,
            chosen => chosen,
        };
        let headers = headers(settings, style)?;
        let has_key = headers.contains_key(AUTHORIZATION) || headers.contains_key("api-key");
        Ok(Self {
            base,
            query,
            lacks_key: !has_key && (azure || host == "api.openai.com"),
            headers,
            key: SecretString::from(settings.api_key.expose().to_owned()),
            is_loopback: is_loopback(&host),
        })
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn headers(settings: &ModelSettings, style: AuthStyle) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    if !settings.api_key.is_empty() {
        let key = settings.api_key.expose();
        let (name, text) = match style {
            AuthStyle::ApiKey => (HeaderName::from_static("api-key"), key.to_owned()),
            AuthStyle::Auto | AuthStyle::Bearer => (AUTHORIZATION, format!("Bearer {key}")),
        };
        headers.insert(name, value("the key", &text)?);
    }
    for (name, text) in [
        ("openai-organization", settings.organization.as_str()),
        ("openai-project", settings.project.as_str()),
    ] {
        if !text.trim().is_empty() {
            headers.insert(HeaderName::from_static(name), value(name, text.trim())?);
        }
    }
    for (name, text) in &settings.headers {
        let parsed = HeaderName::try_from(name.as_str());
        let parsed = parsed.map_err(|_| format!("`{name}` in `headers` is no name of a header"))?;
        headers.insert(parsed, value(name, Secret::expose(text))?);
    }
    Ok(headers)
}

fn value(name: &str, text: &str) -> Result<HeaderValue, String> {
    let mut value = HeaderValue::try_from(text)
        .map_err(|_| format!("the value of {name} holds characters that no header may hold"))?;
    value.set_sensitive(true);
    Ok(value)
}

impl Config for Endpoint {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn query(&self) -> Vec<(&str, &str)> {
        self.query.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    fn api_base(&self) -> &str {
        &self.base
    }

    fn api_key(&self) -> &SecretString {
        &self.key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(base_url: &str) -> Result<Endpoint, String> {
        Endpoint::new(&ModelSettings { base_url: base_url.to_owned(), ..ModelSettings::default() })
    }

    #[test]
    fn addresses_as_people_write_them() {
        for (written, meant) in [
            ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
            ("https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions"),
            ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
            ("http://127.0.0.1:8080/v1/chat/completions", "http://127.0.0.1:8080/v1/chat/completions"),
            ("https://host/api/openai", "https://host/api/openai/chat/completions"),
        ] {
            assert_eq!(endpoint(written).unwrap().url("/chat/completions"), meant);
        }
    }

    #[test]
    fn an_azure_address_keeps_its_version_and_sends_the_key_its_way() {
        let settings = ModelSettings {
            base_url: "https://me.openai.azure.com/openai/deployments/gpt?api-version=2024-10-21".to_owned(),
            api_key: "topsecret".into(),
            ..ModelSettings::default()
        };
        let endpoint = Endpoint::new(&settings).unwrap();
        assert_eq!(
            endpoint.url("/chat/completions"),
            "https://me.openai.azure.com/openai/deployments/gpt/chat/completions"
        );
        assert_eq!(endpoint.query(), [("api-version", "2024-10-21")]);
        assert_eq!(endpoint.headers().get("api-key").unwrap(), "topsecret");
        assert!(!format!("{:?}", endpoint.headers()).contains("topsecret"));
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["", "localhost:80", "ftp://x/", "http://user:pass@x/"] {
            assert!(endpoint(text).is_err(), "{text}");
        }
    }
}
