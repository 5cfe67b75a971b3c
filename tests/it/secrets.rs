//! Passwords and keys: never repeated, never written down, and not needed on the command line.

use std::fs;
use std::path::Path;

use crate::cli_kit::{ECOMMERCE, Outcome, call, sqlogue};
use crate::support::File;

/// What must not be seen. It has no sign that an address could not hold.
const SECRET: &str = "hunter2hunter2";

/// Calls the program with variables set.
fn call_with(folder: &Path, variables: &[(&str, &str)], words: &[&str]) -> Outcome {
    let output =
        sqlogue(folder).envs(variables.iter().copied()).args(words).write_stdin("").output().unwrap();
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[track_caller]
fn is_silent(outcome: &Outcome) {
    for text in [&outcome.stdout, &outcome.stderr] {
        assert!(!text.contains(SECRET), "{outcome:?}");
    }
}

#[test]
fn settings_that_cannot_be_read_are_not_repeated() {
    let file = File::new("shop.db", ECOMMERCE);
    for line in [
        format!("[model]\napi_key = \"{SECRET}\n"),
        format!("[model]\napi_key = {SECRET}\n"),
        format!("store = postgres://u:{SECRET}@h/x\n"),
        format!("database = 'postgres://u:{SECRET}@h/x\n"),
        format!("reasoner = 'sk-{SECRET}'\n"),
        format!("max_rows = 'postgres://u:{SECRET}@h'\n"),
        format!("databases = 'postgres://u:{SECRET}@h'\n"),
    ] {
        fs::write(file.folder().join("sqlogue.toml"), &line).unwrap();
        let outcome = call(file.folder(), &["ask", "hi"], "");
        outcome.fails(2, "error: ");
        is_silent(&outcome);
    }
}

#[test]
fn addresses_that_cannot_be_used_are_not_repeated() {
    let file = File::new("shop.db", ECOMMERCE);
    for address in [
        format!("postgres:/u:{SECRET}@h"),
        format!("postgres:u:{SECRET}@h/x"),
        format!("postgres//u:{SECRET}@h/x"),
        format!("postgres://u:{SECRET}@h:port/x"),
        format!("postgres://u:{SECRET}/{SECRET}@h/x"),
        format!("postgres://u:1/{SECRET}@h/x"),
        format!("postgres://h/x?password={SECRET}&sslmode=maybe"),
        format!("mysql://u:{SECRET}@h/x"),
        format!("u:{SECRET}@h/x"),
        format!("host=h user=u password={SECRET}"),
        format!("u:{SECRET}@h/x.csv"),
        format!("u:{SECRET}@h/x.xlsx"),
    ] {
        for words in [
            &["--db", &address, "ask", "hi"][..],
            &["--store", &address, "sessions", "list"],
            &["--db", &address, "schema"],
            &["ask", "hi", &address],
            &["-vvv", "--db", &address, "ask", "hi"],
        ] {
            let outcome = call(file.folder(), words, "");
            is_silent(&outcome);
            if words.first() == Some(&"--db") {
                assert_eq!(outcome.code, 2, "{words:?} gave {outcome:?}");
            }
        }
        // Lines of JSON tell the same to programs.
        let outcome = call(file.folder(), &["--db", &address, "batch"], "{\"input\": \"hi\"}\n");
        is_silent(&outcome);
        for entry in fs::read_dir(file.folder()).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(!name.contains(SECRET) && name != "postgres", "{address} made {name}");
        }
    }
}

#[test]
fn a_password_on_the_command_line_is_warned_about() {
    let file = File::new("shop.db", ECOMMERCE);
    let address = format!("postgres://u:{SECRET}@127.0.0.1:1/x?connect_timeout=1");
    for (words, flag) in [
        (&["--db", &address, "ask", "hi"][..], "`--db "),
        (&["ask", "hi", &format!("--db={address}")], "`--db "),
        (&["--store", &address, "sessions", "list"], "`--store "),
    ] {
        let outcome = call(file.folder(), words, "");
        assert!(
            outcome.stderr.starts_with("note: everybody on this machine can see the password in "),
            "{outcome:?}"
        );
        assert!(outcome.stderr.contains(flag) && outcome.stderr.contains("PGPASSWORD"), "{outcome:?}");
        is_silent(&outcome);
    }
    let outcome = call_with(file.folder(), &[("SQLOGUE_DATABASE", &address)], &["-vvv", "ask", "hi"]);
    assert!(!outcome.stderr.contains("everybody on this machine"), "{outcome:?}");
    is_silent(&outcome);
    let outcome = call(file.folder(), &["--db", "shop.db", "--password", "ask", "hi"], "");
    outcome.fails(2, "`--password` is for PostgreSQL and MySQL databases");
}

#[cfg(feature = "postgres")]
mod with_a_server {
    use std::io::{Read as _, Write as _};
    use std::process::{Command, Stdio};

    use super::*;
    use crate::postgres_server::server;

    /// The password of the role `writer`.
    const PASSWORD: &str = "wr/te";

    const ASK: [&str; 2] = ["ask", "How many users are there?"];

    /// The address without the password.
    fn address(url: &str) -> String {
        url.replace(":wr%2Fte@", "@")
    }

    fn port(address: &str) -> &str {
        address.rsplit_once(':').unwrap().1.split('/').next().unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn the_password_comes_from_where_postgresql_looks_for_it() {
        use std::os::unix::fs::PermissionsExt as _;

        let Some(server) = server("secrets") else { return };
        let address = address(&server.url(&server.database(ECOMMERCE)));
        let file = File::new("shop.db", ECOMMERCE);
        let folder = file.folder();
        let ask = |variables: &[(&str, &str)], more: &str| {
            let database = format!("{address}{more}");
            call_with(folder, &[variables, &[("SQLOGUE_DATABASE", database.as_str())]].concat(), &ASK)
        };
        ask(&[], "").fails(2, "asks for a password; set `PGPASSWORD`, write a line into `~/.pgpass`");
        assert_eq!(ask(&[("PGPASSWORD", PASSWORD)], "").code, 0);
        ask(&[("PGPASSWORD", "no")], "").fails(2, "refused the login");

        let pass = folder.join(".pgpass");
        fs::write(&pass, format!("# mine\n127.0.0.1:{}:*:writer:{PASSWORD}\n", port(&address))).unwrap();
        fs::set_permissions(&pass, fs::Permissions::from_mode(0o644)).unwrap();
        ask(&[], "").fails(2, "is not used, because others may read it; `chmod 600` mends that");
        fs::set_permissions(&pass, fs::Permissions::from_mode(0o600)).unwrap();
        let asked = ask(&[], "");
        assert!(asked.code == 0 && asked.stdout.contains("|     3 |"), "{asked:?}");

        let elsewhere = folder.join("elsewhere");
        fs::rename(&pass, &elsewhere).unwrap();
        assert_eq!(ask(&[], "").code, 2);
        let path = elsewhere.to_str().unwrap();
        assert_eq!(ask(&[("PGPASSFILE", path)], "").code, 0);
        assert_eq!(ask(&[], &format!("?passfile={path}")).code, 0);
    }

    #[test]
    fn what_is_saved_holds_no_password() {
        let Some(server) = server("secrets") else { return };
        let url = server.url(&server.database(ECOMMERCE));
        let file = File::new("shop.db", ECOMMERCE);
        let folder = file.folder();
        let words = [
            &["-vvv", "--store", "kept.sqlite"][..],
            &ASK,
            &["--session", "a", "--save-state", "talk.json", "--save-run", "run.json"],
        ]
        .concat();
        let outcome = call_with(folder, &[("SQLOGUE_DATABASE", &url)], &words);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        call(folder, &["--store", "kept.sqlite", "sessions", "export", "a", "-o", "a.json"], "");
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            for part in ["wr/te", "wr%2Fte"] {
                assert!(
                    !bytes.windows(part.len()).any(|window| window == part.as_bytes()),
                    "{}",
                    path.display()
                );
            }
        }
        assert!(!outcome.stderr.contains("wr/te") && !outcome.stderr.contains("wr%2Fte"), "{outcome:?}");
    }

    /// `script` gives the program a terminal of its own.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_password_is_asked_for_and_not_shown() {
        let Some(server) = server("secrets") else { return };
        if Command::new("script").arg("--version").output().is_err() {
            assert!(std::env::var_os("CI").is_none(), "`script` is not installed");
            return;
        }
        let address = address(&server.url(&server.database(ECOMMERCE)));
        let program = assert_cmd::cargo::cargo_bin!("sqlogue").display().to_string();
        let line = format!("'{program}' --db '{address}' --password ask 'How many users are there?'");
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new("script")
            .args(["-qec", &line, "/dev/null"])
            .current_dir(folder.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("TERM", "dumb")
            .env("PAGER", "cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut seen = Vec::new();
        let mut buffer = [0; 1024];
        while !String::from_utf8_lossy(&seen).contains("Password for ") {
            let count = stdout.read(&mut buffer).unwrap();
            assert!(count > 0, "{}", String::from_utf8_lossy(&seen));
            seen.extend_from_slice(&buffer[..count]);
        }
        // The prompt is written a moment before the terminal stops repeating what is typed.
        std::thread::sleep(std::time::Duration::from_millis(500));
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(format!("{PASSWORD}\n").as_bytes()).unwrap();
        stdout.read_to_end(&mut seen).unwrap();
        drop(stdin);
        assert!(child.wait().unwrap().success());
        let seen = String::from_utf8_lossy(&seen);
        assert!(seen.contains(&format!("Password for {address}: ")), "{seen}");
        assert!(seen.contains(" 3") && !seen.contains(PASSWORD), "{seen}");
    }
}
