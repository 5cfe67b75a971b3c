//! The file of passwords that PostgreSQL's own programs read: `~/.pgpass`.
//!
//! A line is `host:port:database:user:password`; `*` stands for anything, and `\` keeps a `:` or another `\` from being a
//! sign. The first line that fits counts.

use std::fs;
use std::path::{Path, PathBuf};

use super::address::Place;
use crate::base::input;

/// A larger file is none that people wrote.
const LARGEST: u64 = 1 << 20;

/// What a file says about a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// The password.
    Password(String),
    /// No line fits, or there is no file.
    Nothing,
    /// The file is not used, for this reason.
    Refused(String),
}

/// The file that is read where the address names none: `PGPASSFILE`, or the usual one of this user.
pub(super) fn usual() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("PGPASSFILE").filter(|path| !path.is_empty()) {
        return Some(path.into());
    }
    if cfg!(windows) {
        return Some(PathBuf::from(std::env::var_os("APPDATA")?).join("postgresql").join("pgpass.conf"));
    }
    Some(PathBuf::from(std::env::var_os("HOME")?).join(".pgpass"))
}

/// The password for a login.
pub(super) fn find(path: &Path, place: &Place, database: &str, user: &str) -> Found {
    let Ok(metadata) = fs::metadata(path) else { return Found::Nothing };
    if is_open_to_others(&metadata) {
        return Found::Refused(format!(
            "`{}` is not used, because others may read it; `chmod 600` mends that",
            path.display()
        ));
    }
    match input::text(path, LARGEST) {
        Ok(text) => password(&text, place, database, user).map_or(Found::Nothing, Found::Password),
        Err(error) => Found::Refused(format!("`{}` cannot be read: {error}", path.display())),
    }
}

#[cfg(unix)]
fn is_open_to_others(metadata: &fs::Metadata) -> bool {
    metadata.is_file() && std::os::unix::fs::MetadataExt::mode(metadata) & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_: &fs::Metadata) -> bool {
    false
}

fn password(text: &str, place: &Place, database: &str, user: &str) -> Option<String> {
    let (hosts, port) = match place {
        Place::Tcp { host, name, port } => (vec![name.clone(), host.clone()], port.to_string()),
        #[cfg(unix)]
        Place::Socket(path) => {
            let folder = path.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
            let port = path.extension().map(|port| port.to_string_lossy().into_owned()).unwrap_or_default();
            // The usual folders of sockets are called so in the file.
            (vec![folder, "localhost".to_owned()], port)
        }
    };
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = fields(line);
        let [host, at_port, of_database, of_user, password] = fields.as_slice() else { return None };
        let fits = |field: &str, value: &str| field == "*" || unescaped(field) == value;
        let fits_all = hosts.iter().any(|known| fits(host, known))
            && fits(at_port, &port)
            && fits(of_database, database)
            && fits(of_user, user);
        (fits_all && !password.is_empty()).then(|| unescaped(password))
    })
}

/// The first five fields of a line as they are written.
fn fields(line: &str) -> Vec<&str> {
    let mut fields = Vec::new();
    let (mut start, mut is_escaped) = (0, false);
    for (at, character) in line.char_indices() {
        if character == ':' && !is_escaped {
            fields.extend(line.get(start..at));
            start = at + 1;
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    fields.extend(line.get(start..));
    fields.truncate(5);
    fields
}

fn unescaped(field: &str) -> String {
    let mut text = String::with_capacity(field.len());
    let mut characters = field.chars();
    while let Some(character) = characters.next() {
        let next = if character == '\\' { characters.next() } else { None };
        text.push(next.unwrap_or(character));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_counts() {
        let text = "# mine\n\
            other:5432:*:*:no\n\
            db.example:5432:shop:ada:s\\:cr\\\\et\n\
            db.example:*:*:*:any\n\
            localhost:5433:*:*:socket\n";
        let at = |host: &str, port| Place::Tcp { host: host.into(), name: host.into(), port };
        let found = |place: Place, database: &str, user: &str| password(text, &place, database, user);
        assert_eq!(found(at("db.example", 5432), "shop", "ada").as_deref(), Some("s:cr\\et"));
        assert_eq!(found(at("db.example", 5432), "shop", "bo").as_deref(), Some("any"));
        assert_eq!(found(at("db.example", 1), "x", "y").as_deref(), Some("any"));
        assert_eq!(found(at("nowhere", 5432), "shop", "ada"), None);
        #[cfg(unix)]
        assert_eq!(found(Place::Socket("/tmp/.s.PGSQL.5433".into()), "x", "y").as_deref(), Some("socket"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_is_not_used() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pass");
        fs::write(&path, "*:*:*:*:PW\n").unwrap();
        let place = Place::Tcp { host: "h".into(), name: "h".into(), port: 1 };
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let Found::Refused(why) = find(&path, &place, "d", "u") else { panic!() };
        assert!(why.contains("chmod 600") && !why.contains("PW"), "{why}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(find(&path, &place, "d", "u"), Found::Password("PW".to_owned()));
        assert_eq!(find(&folder.path().join("none"), &place, "d", "u"), Found::Nothing);
    }
}
