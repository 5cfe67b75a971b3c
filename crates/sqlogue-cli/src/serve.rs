//! `sqlogue serve` and `sqlogue mcp`: from flags and settings to a server.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use tokio::net::TcpListener;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_util::sync::CancellationToken;

use super::args::Format;
use super::connect::{Setup, read_file};
use super::failure::{Exit, Failure};
use super::named::NamedDatabases;
use super::output::Output;
use sqlogue::dialog::Databases as _;
use sqlogue_base::secret::Secret;
use sqlogue_server::{Databases, Limits, Options, Server, StartError, TlsAcceptor, Tokens};

/// What `serve` takes.
#[derive(Debug, Args)]
pub(super) struct ServeArguments {
    /// Where to listen; other addresses than this machine's own need a token
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7878")]
    listen: SocketAddr,
    /// A file with a token in each line, or a name, a space and a token; `SQLOGUE_TOKEN` holds one
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// A name by which the server is addressed, beside `localhost` and addresses in numbers
    #[arg(long = "allow-host", value_name = "NAME")]
    hosts: Vec<String>,
    /// The certificate for TLS, with those that vouch for it, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// How many turns of one token run side by side; others wait
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1024))]
    turns: u16,
    /// How many requests a second one token may send in the long run; 0 for any number
    #[arg(long, value_name = "N", default_value_t = 100)]
    rate: u32,
    /// A collector that traces are sent to, by OTLP over HTTP, such as `http://127.0.0.1:4318`; the environment's unless given
    #[arg(long, value_name = "URL")]
    pub(super) otlp: Option<String>,
}

/// The token in the environment.
const TOKEN: &str = "SQLOGUE_TOKEN";

/// The most that a file of tokens, a certificate or a key may hold.
const LARGEST: u64 = 1 << 20;

/// Serves until somebody stops it.
pub(super) async fn run(arguments: &ServeArguments, setup: Setup) -> Result<Exit, Failure> {
    setup.format("serve", &[Format::Table])?;
    let tokens = tokens(arguments.token_file.as_deref())?;
    let tls = match (&arguments.tls_cert, &arguments.tls_key) {
        (Some(certificate), Some(key)) => Some(tls(certificate, key)?),
        _ => None,
    };
    let limits = Limits { running: usize::from(arguments.turns), rate: arguments.rate, ..Limits::default() };
    let options = Options { tokens, hosts: arguments.hosts.clone(), limits, ..Options::default() };
    let server = Server::new(databases(setup).await?, options);
    let listener = TcpListener::bind(arguments.listen).await.map_err(|error| {
        Failure::usage(format!("`{}` cannot be listened at: {error}", arguments.listen))
            .hint("another program may listen there; `--listen 127.0.0.1:0` takes any port that is free")
    })?;
    let address = listener.local_addr()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let stop = CancellationToken::new();
    let signalled = stop.clone();
    tokio::spawn(async move {
        asked_to_stop().await;
        signalled.cancel();
    });
    let mut output = Output::standard();
    if let Err(error) = server.may_serve(&address) {
        return Err(refused(&error));
    }
    writeln!(
        output,
        "Serving at {scheme}://{address}/ (the API under /api/v1, MCP at /mcp). Ctrl-C stops it."
    )?;
    output.flush()?;
    server.serve(listener, tls, stop).await.map_err(|error| refused(&error))?;
    Ok(Exit::Answered)
}

/// Serves an assistant on standard input and output.
pub(super) async fn mcp(setup: Setup) -> Result<Exit, Failure> {
    let server = Server::new(databases(setup).await?, Options::default());
    let served = server.serve_stdio().await;
    served.map_err(|error| Failure::usage(format!("the other side does not speak MCP: {error}")))?;
    Ok(Exit::Answered)
}

fn refused(error: &StartError) -> Failure {
    let (message, hint) = super::failure::split_hint(&error.to_string());
    let failure = Failure::usage(message);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// The database of the settings, and those that have names there. One that cannot be opened is told, and the others are
/// served.
async fn databases(setup: Setup) -> Result<Databases, Failure> {
    let first = setup.stored_engine().await?;
    let named = NamedDatabases::new(setup.settings, first.clone());
    let (mut others, mut closed) = (Vec::new(), Vec::new());
    for name in named.names().into_iter().skip(1) {
        match named.open(&name) {
            Ok(engine) => others.push(engine),
            Err(error) => {
                tracing::error!(name, %error, "a database cannot be opened");
                closed.push((name, error.to_string()));
            }
        }
    }
    Ok(Databases::new(first, others, closed))
}

/// The tokens of a file and of the environment.
fn tokens(file: Option<&Path>) -> Result<Tokens, Failure> {
    let unusable = |place: &str, error: sqlogue_server::TokenError| {
        let (message, hint) = super::failure::split_hint(&error.to_string());
        let failure = Failure::usage(format!("{place} cannot be used: {message}"));
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    };
    if let Some(path) = file {
        private(path)?;
        let text = Secret::new(read_file("file of tokens", path, LARGEST)?);
        return Tokens::read(text.expose())
            .map_err(|error| unusable(&format!("the file of tokens `{}`", path.display()), error));
    }
    match std::env::var(TOKEN) {
        Ok(token) if !token.is_empty() => {
            Tokens::of(&Secret::new(token)).map_err(|error| unusable(&format!("`{TOKEN}`"), error))
        }
        _ => Ok(Tokens::default()),
    }
}

/// Refuses a file of secrets that others may read.
#[cfg(unix)]
fn private(path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt as _;
    // A service's credentials are given to it by an entry for its user alone, which shows as a right of the group.
    let credential = std::env::var_os("CREDENTIALS_DIRECTORY").is_some_and(|folder| path.starts_with(folder));
    let foreign = if credential { 0o007 } else { 0o077 };
    let others = std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & foreign != 0);
    if others {
        return Err(Failure::usage(format!("others may read `{}`, so it is not used", path.display()))
            .hint("`chmod 600` corrects that"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn private(_: &Path) -> Result<(), Failure> {
    Ok(())
}

fn tls(certificate: &Path, key: &Path) -> Result<TlsAcceptor, Failure> {
    private(key)?;
    let wrong =
        |path: &Path, what: &str| Failure::usage(format!("there is no {what} in `{}`", path.display()));
    let chain = read_file("certificate", certificate, LARGEST)?;
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(chain.as_bytes()).collect();
    let chain = chain
        .ok()
        .filter(|chain| !chain.is_empty())
        .ok_or_else(|| wrong(certificate, "certificate in PEM"))?;
    let secret = Secret::new(read_file("private key", key, LARGEST)?);
    let secret = PrivateKeyDer::from_pem_slice(secret.expose().as_bytes())
        .map_err(|_| wrong(key, "private key in PEM"))?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, secret))
        .map_err(|error| Failure::usage(format!("the certificate and its key cannot be used: {error}")))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Waits for Ctrl-C, or for the system to end the program.
async fn asked_to_stop() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    // Where no signal can be waited for, the process is ended from outside.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
