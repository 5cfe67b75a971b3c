//! Passwords: asked for without showing them, and warned about where others can see them.

use std::ffi::OsString;

use super::args::Common;
use super::failure::Failure;
use sqlogue::config::Settings;
use sqlogue_base::secret::{holds_secret, redact};

/// Asks for the passwords of the PostgreSQL and MySQL servers in the settings whose addresses have none.
pub(super) fn ask(settings: &mut Settings) -> Result<(), Failure> {
    let database = settings.databases.get_mut(&settings.database).unwrap_or(&mut settings.database);
    let servers: Vec<&mut String> =
        [database, &mut settings.store].into_iter().filter(|url| is_postgres(url) || is_mysql(url)).collect();
    if servers.is_empty() {
        return Err(Failure::usage("`--password` is for PostgreSQL and MySQL databases, and none is named")
            .hint("name one with `--db postgres://USER@HOST/DATABASE`"));
    }
    for url in servers.into_iter().filter(|url| !holds_secret(url)) {
        let password =
            rpassword::prompt_password(format!("Password for {}: ", redact(url))).map_err(|_| {
                Failure::usage("there is no terminal on which a password could be asked for")
                    .hint(otherwise(url))
            })?;
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str("password=");
        url.extend(password.bytes().map(|byte| format!("%{byte:02X}")));
    }
    Ok(())
}

fn is_postgres(url: &str) -> bool {
    has_scheme(url, ["postgres", "postgresql"])
}

fn is_mysql(url: &str) -> bool {
    has_scheme(url, ["mysql", "mariadb"])
}

fn has_scheme(url: &str, schemes: [&str; 2]) -> bool {
    url.split_once("://")
        .is_some_and(|(scheme, _)| schemes.iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}

/// Where else a server's password can be.
fn otherwise(url: &str) -> &'static str {
    if is_mysql(url) { "set `MYSQL_PWD`" } else { "set `PGPASSWORD`, or write a line into `~/.pgpass`" }
}

/// What to say where a password stands on the command line itself; none where it came from the environment.
pub(super) fn exposed(common: &Common, words: &[OsString]) -> Option<String> {
    let is_there = |url: &str| words.iter().any(|word| word.to_str().is_some_and(|word| word.contains(url)));
    [("--db", &common.db), ("--store", &common.store)].into_iter().find_map(|(flag, url)| {
        let url = url.as_deref().filter(|url| holds_secret(url) && is_there(url))?;
        Some(format!(
            "note: everybody on this machine can see the password in `{flag} {}` while sqlogue runs. Leave it out, and {}, \
             or be asked for it with `--password`.",
            redact(url),
            otherwise(url)
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_typed_is_warned_about() {
        let common = Common { db: Some("postgres://u:PW@h/x".to_owned()), ..Common::default() };
        let said = exposed(&common, &["sqlogue".into(), "--db=postgres://u:PW@h/x".into()]).unwrap();
        assert!(said.contains("`--db postgres://u:[hidden]@h/x`") && !said.contains("PW"), "{said}");
        assert_eq!(exposed(&common, &["sqlogue".into()]), None, "it came from the environment");
        let common = Common { db: Some("postgres://u@h/x".to_owned()), ..Common::default() };
        assert_eq!(exposed(&common, &["--db=postgres://u@h/x".into()]), None);
    }
}
