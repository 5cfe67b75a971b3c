//! A database's URL, taken apart.

use std::path::PathBuf;
use std::str::FromStr as _;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::passfile::{self, Found};
use crate::DatabaseError;
use crate::url::decoded;

/// How long connecting may take where the URL does not say.
const CONNECT: Duration = Duration::from_secs(5);

/// How much of TLS is wanted, in the words of PostgreSQL's own programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Encrypt where the server can, whoever it is.
    Prefer,
    /// Never encrypt.
    Disable,
    /// Always encrypt, whoever the server is.
    Require,
    /// Encrypt, and check that an authority vouches for the server.
    VerifyAuthority,
    /// Encrypt, and check that an authority vouches for the server under the name that is connected to.
    VerifyFull,
}

/// Where a database is and how it is to be entered.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) trust: Trust,
    /// The authorities to trust instead of the system's.
    pub(super) authorities: Option<PathBuf>,
    /// The file of passwords, where there is none elsewhere.
    pub(super) passfile: Option<PathBuf>,
    /// The schemas to look at, where the URL names some.
    pub(super) schemas: Vec<String>,
    /// The name of the database.
    pub(super) name: String,
}

impl Address {
    /// Reads `postgres://user:password@host:port/database?parameters`.
    ///
    /// Beyond what `tokio-postgres` knows, `sslmode` may also be `verify-ca` or `verify-full`, `sslrootcert` names
    /// a file of authorities, and `search_path` the schemas. Messages repeat no part of the URL, because any part
    /// may be a mistyped password.
    pub(super) fn parse(url: &str) -> Result<Self, DatabaseError> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        // Such an address can be read, with a part of the password for the name of the database.
        let path = base.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map(|(_, path)| path);
        if path.is_some_and(|path| path.contains('@')) {
            return Err(wrong(
                "it has an `@` behind the host; write special characters of a password as %XX",
            ));
        }
        let Parameters { trust, authorities, passfile, schemas, others } = Parameters::read(query)?;
        let mut config = read_config(base, &others)?;
        complete(&mut config);
        config.ssl_mode(match trust {
            Trust::Disable => SslMode::Disable,
            Trust::Prefer => SslMode::Prefer,
            Trust::Require | Trust::VerifyAuthority | Trust::VerifyFull => SslMode::Require,
        });
        if !schemas.is_empty() {
            let path = schemas.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
            let option = format!("-csearch_path={}", path.replace('\\', "\\\\").replace(' ', "\\ "));
            let options = config.get_options().map_or(option.clone(), |given| format!("{given} {option}"));
            config.options(options);
        }
        let name = config.get_dbname().or(config.get_user()).unwrap_or("postgres");
        let name = name.chars().filter(|character| !character.is_control()).take(100).collect();
        let passfile = passfile.or_else(passfile::usual);
        Ok(Self { config, trust, authorities, passfile, schemas, name })
    }

    /// The settings for a login at one place, with the password of the file where there is no other; and why the file was
    /// not used, where it was not.
    pub(super) fn login(&self, place: &Place) -> (Config, Option<String>) {
        let mut config = self.config.clone();
        if config.get_password().is_some() {
            return (config, None);
        }
        let names = ["USER", "LOGNAME", "USERNAME"];
        let user = config.get_user().map(str::to_owned);
        let user =
            user.or_else(|| names.iter().find_map(|name| std::env::var(name).ok())).unwrap_or_default();
        let database = config.get_dbname().unwrap_or(&user).to_owned();
        match self.passfile.as_ref().map(|path| passfile::find(path, place, &database, &user)) {
            Some(Found::Password(password)) => {
                config.password(password);
                (config, None)
            }
            Some(Found::Refused(why)) => (config, Some(why)),
            Some(Found::Nothing) | None => (config, None),
        }
    }

    /// The places where the server may be, in the order in which they are tried.
    pub(super) fn places(&self) -> Vec<Place> {
        let ports = self.config.get_ports();
        let port = |at: usize| ports.get(at).or(ports.first()).copied().unwrap_or(5432);
        let addresses = self.config.get_hostaddrs();
        let hosts = self.config.get_hosts();
        (0..hosts.len().max(addresses.len()))
            .map(|at| match (addresses.get(at), hosts.get(at)) {
                (Some(address), Some(Host::Tcp(host))) => {
                    Place::Tcp { host: address.to_string(), name: host.clone(), port: port(at) }
                }
                (Some(address), _) => {
                    Place::Tcp { host: address.to_string(), name: address.to_string(), port: port(at) }
                }
                (None, Some(Host::Tcp(host))) => {
                    Place::Tcp { host: host.clone(), name: host.clone(), port: port(at) }
                }
                #[cfg(unix)]
                (None, Some(Host::Unix(folder))) => {
                    Place::Socket(folder.join(format!(".s.PGSQL.{}", port(at))))
                }
                _ => Place::Tcp { host: "localhost".into(), name: "localhost".into(), port: port(at) },
            })
            .collect()
    }
}

/// The parameters behind the `?` of a URL: those that are read here, and the others as they stand.
struct Parameters<'u> {
    trust: Trust,
    authorities: Option<PathBuf>,
    passfile: Option<PathBuf>,
    schemas: Vec<String>,
    others: Vec<&'u str>,
}

impl<'u> Parameters<'u> {
    fn read(query: &'u str) -> Result<Self, DatabaseError> {
        let mut read = Self {
            trust: Trust::Prefer,
            authorities: None,
            passfile: None,
            schemas: Vec::new(),
            others: Vec::new(),
        };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            match key {
                "sslmode" => read.trust = Trust::read(value)?,
                "passfile" => read.passfile = Some(PathBuf::from(decoded(value))),
                "sslrootcert" => read.authorities = Some(PathBuf::from(decoded(value))),
                "search_path" | "schema" => {
                    let value = decoded(value);
                    let names = value.split(',').map(str::trim).filter(|name| !name.is_empty());
                    read.schemas.extend(names.map(str::to_owned));
                }
                _ => read.others.push(pair),
            }
        }
        Ok(read)
    }
}

impl Trust {
    fn read(word: &str) -> Result<Self, DatabaseError> {
        match word {
            "disable" => Ok(Self::Disable),
            "allow" | "prefer" => Ok(Self::Prefer),
            "require" => Ok(Self::Require),
            "verify-ca" => Ok(Self::VerifyAuthority),
            "verify-full" => Ok(Self::VerifyFull),
            _ => Err(wrong("`sslmode` is `disable`, `prefer`, `require`, `verify-ca` or `verify-full`")),
        }
    }
}

/// What the driver itself reads of a URL.
fn read_config(base: &str, parameters: &[&str]) -> Result<Config, DatabaseError> {
    let whole =
        if parameters.is_empty() { base.to_owned() } else { format!("{base}?{}", parameters.join("&")) };
    // The parser's own message can quote the text.
    Config::from_str(&whole).map_err(|_| match Config::from_str(base) {
        Ok(_) => wrong(
            "a parameter behind its `?` is not known, or cannot have that value; known are `sslmode`, `sslrootcert`, \
             `search_path`, and `connect_timeout`, `host`, `options` and the like as PostgreSQL's own programs have them",
        ),
        Err(_) => wrong(
            "it is not of the form `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with special characters as %XX",
        ),
    })
}

/// Fills in what the URL leaves open: the host, the password, how long to wait, and who asks.
fn complete(config: &mut Config) {
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        let socket = ["/var/run/postgresql", "/tmp"]
            .into_iter()
            .find(|folder| std::path::Path::new(folder).join(".s.PGSQL.5432").exists());
        match socket {
            Some(folder) => config.host_path(folder),
            None => config.host("localhost"),
        };
    }
    // Kept out of the URL, a password does not show in lists of processes.
    if config.get_password().is_none()
        && let Some(password) = std::env::var_os("PGPASSWORD")
    {
        config.password(password.as_encoded_bytes());
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT);
    }
    if config.get_application_name().is_none() {
        config.application_name("sqlogue");
    }
}

/// One place where a server may listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// A host and a port; `name` is what the server's certificate must say.
    Tcp { host: String, name: String, port: u16 },
    /// A socket in the file system.
    #[cfg(unix)]
    Socket(PathBuf),
}

fn wrong(problem: &str) -> DatabaseError {
    DatabaseError::Address { problem: problem.to_owned() }
}

/// A name in double quotes.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        let address = Address::parse(
            "postgres://ada:s%40cret@db.example:6432/shop?sslmode=verify-full&search_path=sales,%22My%20x&connect_timeout=3",
        )
        .unwrap();
        assert_eq!((address.name.as_str(), address.trust), ("shop", Trust::VerifyFull));
        assert_eq!(address.config.get_password(), Some(b"s@cret".as_slice()));
        assert_eq!(address.config.get_options(), Some("-csearch_path=\"sales\",\"\"\"My\\ x\""));
        assert_eq!(address.config.get_connect_timeout(), Some(&Duration::from_secs(3)));
        let name = "db.example".to_owned();
        assert_eq!(address.places(), [Place::Tcp { host: name.clone(), name, port: 6432 }]);
    }

    #[test]
    fn messages_repeat_nothing_secret() {
        for url in [
            "postgres://a:hunter2@h:port/x",
            "postgres://h/x?sslmode=hunter2",
            "postgres://h/x?hunter2=1",
            "postgres://a:1/hunter2@h/x",
        ] {
            let Err(error) = Address::parse(url) else { panic!("{url}") };
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_host_can_be_a_folder_of_sockets() {
        let address = Address::parse("postgres:///shop?host=/run/pg&port=5433").unwrap();
        assert_eq!(address.places(), [Place::Socket("/run/pg/.s.PGSQL.5433".into())]);
    }
}
