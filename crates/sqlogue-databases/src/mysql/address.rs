//! A database's URL, taken apart.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mysql_async::{Opts, OptsBuilder, SslOpts};
use rustls::RootCertStore;
use sqlogue_base::input;

use crate::DatabaseError;
use crate::url::decoded;

/// How long connecting may take where the URL does not say.
const CONNECT: Duration = Duration::from_secs(5);

/// The largest packet that is read, in bytes: one row, with all its cells.
pub(super) const ONE_ROW: usize = 24 << 20;

/// A file of authorities needs no more: those of a whole system have half a megabyte.
const LARGEST: u64 = 16 << 20;

/// The databases in which the server keeps accounts, settings and what it measures.
const INNER: [&str; 4] = ["information_schema", "mysql", "performance_schema", "sys"];

/// What every session begins with, also after it was cleaned. Its SQL is the one that the guard reads: backslashes escape,
/// double quotes are those of texts, and a function is the server's own, whatever blank follows its name. Differences of
/// numbers without a sign may be negative; a quotient and a mean have as many digits as a floating-point number. MariaDB
/// does not know what a key determines, and would refuse to group by it.
const SETUP: [&str; 2] = [
    "SET SESSION sql_mode = CONCAT('IGNORE_SPACE,NO_UNSIGNED_SUBTRACTION', \
       IF(VERSION() LIKE '%MariaDB%', '', ',ONLY_FULL_GROUP_BY')), SESSION div_precision_increment = 15, SESSION group_concat_max_len = 1048576, SESSION lc_time_names = 'en_US', \
     SESSION lock_wait_timeout = 2, SESSION innodb_lock_wait_timeout = 2",
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
];

/// How much of TLS is wanted, in the words of MySQL's own programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// `PREFERRED`: encrypt where the server can, whoever it is.
    Prefer,
    /// `DISABLED`: never encrypt.
    Disable,
    /// `REQUIRED`: always encrypt, whoever the server is.
    Require,
    /// `VERIFY_IDENTITY`: encrypt, and check that an authority vouches for the server under the name that is connected to.
    VerifyFull,
}

/// Where a database is and how it is to be entered.
#[derive(Clone)]
pub(super) struct Address {
    /// How to connect with encryption, unless it is switched off.
    pub(super) opts: Opts,
    /// How to connect where the server does not encrypt and need not.
    pub(super) plain: Option<Opts>,
    /// The name of the database.
    pub(super) name: String,
    /// Where the server is, for people.
    pub(super) place: String,
    /// How long connecting may take.
    pub(super) within: Duration,
}

impl Address {
    /// Reads `mysql://user:password@host:port/database?parameters`, or the same with `mariadb`.
    ///
    /// Parameters are called as in MySQL's own programs: `ssl-mode`, `ssl-ca`, `connect-timeout`, `socket`. Messages repeat
    /// no part of the URL, because any part may be a mistyped password.
    pub(super) fn parse(url: &str) -> Result<Self, DatabaseError> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let Some((_, rest)) = base.split_once("://") else { return Err(form()) };
        // Such an address can be read, with a part of the password for the name of the database.
        if rest.split_once('/').is_some_and(|(_, path)| path.contains('@')) {
            return Err(wrong(
                "it has an `@` behind the host; write special characters of a password as %XX",
            ));
        }
        // The parser's own message can quote the text.
        let opts = Opts::from_url(&format!("mysql://{rest}")).map_err(|_| form())?;
        let name = opts.db_name().unwrap_or_default().to_owned();
        if name.is_empty() {
            return Err(wrong(
                "it names no database; write it behind the host, as in `mysql://HOST/DATABASE`",
            ));
        }
        if INNER.contains(&name.to_ascii_lowercase().as_str()) {
            return Err(wrong("it names one of the server's own databases; name one with data"));
        }
        let parameters = Parameters::read(query)?;
        let place = match &parameters.socket {
            Some(path) => format!("socket {path}"),
            None => format!("{} port {}", opts.ip_or_hostname(), opts.tcp_port()),
        };
        // Kept out of the URL, a password does not show in lists of processes.
        let password = parameters.password.clone().or_else(|| opts.pass().map(str::to_owned));
        let password = password.or_else(|| std::env::var("MYSQL_PWD").ok());
        let names = ["USER", "LOGNAME", "USERNAME"];
        let user = opts.user().map(str::to_owned);
        let user = user.or_else(|| names.iter().find_map(|name| std::env::var(name).ok()));
        let builder = OptsBuilder::from_opts(opts)
            .user(user)
            .pass(password)
            .socket(parameters.socket.clone())
            .prefer_socket(false)
            .max_allowed_packet(Some(ONE_ROW))
            .wait_timeout(Some(0))
            .connect_attribute("program_name", "sqlogue")
            .setup(SETUP.to_vec());
        let plain = matches!(parameters.trust, Trust::Prefer | Trust::Disable);
        let plain = plain.then(|| Opts::from(builder.clone()));
        // What goes through a socket leaves no machine, and the client does not encrypt it.
        let trust = if parameters.socket.is_some() { Trust::Disable } else { parameters.trust };
        let opts = match encryption(trust, parameters.authorities.as_deref())? {
            Some(encryption) => builder.ssl_opts(encryption).into(),
            None => builder.into(),
        };
        let name = name.chars().filter(|character| !character.is_control()).take(100).collect();
        Ok(Self { opts, plain, name, place, within: parameters.within })
    }
}

/// The parameters behind the `?` of a URL.
struct Parameters {
    trust: Trust,
    authorities: Option<PathBuf>,
    socket: Option<String>,
    password: Option<String>,
    within: Duration,
}

impl Parameters {
    fn read(query: &str) -> Result<Self, DatabaseError> {
        let mut read =
            Self { trust: Trust::Prefer, authorities: None, socket: None, password: None, within: CONNECT };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decoded(value);
            match key.replace('_', "-").as_str() {
                "ssl-mode" => read.trust = Trust::read(&value)?,
                "ssl-ca" => read.authorities = Some(PathBuf::from(value)),
                "socket" => read.socket = Some(value),
                "password" => read.password = Some(value),
                "connect-timeout" => {
                    let seconds = value.parse().ok().filter(|seconds| (1..=3600).contains(seconds));
                    let seconds = seconds.ok_or_else(|| wrong("`connect-timeout` is a number of seconds"))?;
                    read.within = Duration::from_secs(seconds);
                }
                _ => {
                    return Err(wrong(
                        "a parameter behind its `?` is not known; known are `ssl-mode`, `ssl-ca`, `socket`, \
                         `password` and `connect-timeout`",
                    ));
                }
            }
        }
        Ok(read)
    }
}

impl Trust {
    fn read(word: &str) -> Result<Self, DatabaseError> {
        match word.to_ascii_uppercase().as_str() {
            "DISABLED" => Ok(Self::Disable),
            "PREFERRED" => Ok(Self::Prefer),
            "REQUIRED" => Ok(Self::Require),
            "VERIFY_IDENTITY" => Ok(Self::VerifyFull),
            "VERIFY_CA" => Err(wrong(
                "`ssl-mode=VERIFY_CA` takes a server for any other that its authority vouches for, and is not offered; \
                 write `VERIFY_IDENTITY`",
            )),
            _ => Err(wrong("`ssl-mode` is `DISABLED`, `PREFERRED`, `REQUIRED` or `VERIFY_IDENTITY`")),
        }
    }
}

/// What the client is told about encryption; none where there is to be none.
fn encryption(trust: Trust, authorities: Option<&Path>) -> Result<Option<SslOpts>, DatabaseError> {
    // The client takes its cryptography from what the process has chosen. Who chose before has chosen.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Ok(match (trust, authorities) {
        (Trust::Disable, _) => None,
        // As MySQL's own programs do: a file of authorities is there to be used.
        (Trust::VerifyFull, _) | (Trust::Require, Some(_)) => {
            let roots = roots(authorities)?.into_iter().map(Into::into).collect();
            Some(SslOpts::default().with_disable_built_in_roots(true).with_root_certs(roots))
        }
        (Trust::Prefer | Trust::Require, _) => {
            Some(SslOpts::default().with_danger_accept_invalid_certs(true))
        }
    })
}

/// The certificates of the authorities to trust: those of a file, or the system's.
fn roots(authorities: Option<&Path>) -> Result<Vec<Vec<u8>>, DatabaseError> {
    if let Some(path) = authorities {
        let pem = input::bytes(path, LARGEST);
        return Ok(vec![pem.map_err(|error| wrong(&format!("`ssl-ca` cannot be read: {error}")))?]);
    }
    let found = rustls_native_certs::load_native_certs().certs.into_iter();
    // One that cannot be read must not cost all others.
    let found = found.filter(|certificate| RootCertStore::empty().add(certificate.clone()).is_ok());
    let roots: Vec<Vec<u8>> = found.map(|certificate| certificate.to_vec()).collect();
    if roots.is_empty() {
        return Err(wrong("no certificate authorities were found; name a file of them as `ssl-ca`"));
    }
    Ok(roots)
}

fn form() -> DatabaseError {
    wrong("it is not of the form `mysql://USER:PASSWORD@HOST:PORT/DATABASE`, with special characters as %XX")
}

fn wrong(problem: &str) -> DatabaseError {
    DatabaseError::Address { problem: problem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        let url = "mariadb://ada:s%40cret@db.example:3307/shop?ssl-mode=disabled&connect_timeout=3";
        let address = Address::parse(url).unwrap();
        assert_eq!((address.name.as_str(), address.place.as_str()), ("shop", "db.example port 3307"));
        assert_eq!(address.opts.pass(), Some("s@cret"));
        assert_eq!(address.within, Duration::from_secs(3));
        assert!(address.opts.ssl_opts().is_none());
        let address = Address::parse("mysql://ada@h/shop?socket=/run/my%20sql.sock").unwrap();
        assert_eq!(address.place, "socket /run/my sql.sock");
        assert!(address.opts.ssl_opts().is_none());
        let address = Address::parse("mysql://ada@h/shop").unwrap();
        assert!(address.opts.ssl_opts().is_some() && address.plain.is_some());
        assert!(Address::parse("mysql://ada@h/shop?ssl-mode=REQUIRED").unwrap().plain.is_none());
    }

    #[test]
    fn messages_repeat_nothing_secret() {
        for url in [
            "mysql://a:hunter2@h:port/x",
            "mysql://h/x?ssl-mode=hunter2",
            "mysql://a:hunter2@h/x?ssl-mode=VERIFY_CA",
            "mysql://h/x?hunter2=1",
            "mysql://a:1/hunter2@h/x",
            "mysql://a:hunter2@h",
            "mysql://a:hunter2@h/mysql",
        ] {
            let Err(error) = Address::parse(url) else { panic!("{url}") };
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }
}
