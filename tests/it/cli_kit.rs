//! What the tests of the command line share.

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

/// Two tables that the documents' conversations speak of. Dates lie before the fixed clock of the tests, in May 2026.
pub(crate) const ECOMMERCE: &str = "
    CREATE TABLE users (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, status TEXT NOT NULL, created_at DATE NOT NULL);
    INSERT INTO users VALUES
        (1, 'Ada', 'ada@example.com', 'active', '2026-05-20'),
        (2, 'Bo', 'bo@example.com', 'inactive', '2026-05-02'),
        (3, 'Cy', NULL, 'active', '2025-11-30');
    CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL NOT NULL, category TEXT);
    INSERT INTO products VALUES (1, 'Lamp', 20.5, 'home'), (2, 'Desk', 150, 'home'), (3, 'Pen', 1.2, 'office');
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);
    INSERT INTO customers VALUES (1, 'Dee', 'Rome'), (2, 'Eli', 'Oslo');
";

/// The program, in a folder and an environment where nothing is set.
pub(crate) fn sqlogue(folder: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("sqlogue"));
    command
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.timeout(std::time::Duration::from_secs(120));
    command
}

/// What came of a call.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// The lines of standard output, each as JSON.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    /// Checks the code and what is said on standard error, and that nothing went to pieces.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, said: &str) {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.stderr.contains(said), "{said:?} is missing in {self:?}");
        self.is_sound();
    }

    /// No panic, and nothing that could control a terminal.
    #[track_caller]
    pub(crate) fn is_sound(&self) {
        for text in [&self.stdout, &self.stderr] {
            assert!(!text.contains("panicked"), "{self:?}");
            assert!(!text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r')), "{self:?}");
        }
    }
}

/// Calls the program with arguments and standard input.
pub(crate) fn call(folder: &Path, arguments: &[&str], input: &str) -> Outcome {
    call_bytes(folder, arguments, input.as_bytes())
}

pub(crate) fn call_bytes(folder: &Path, arguments: &[&str], input: &[u8]) -> Outcome {
    let output = sqlogue(folder).args(arguments).write_stdin(input).output().unwrap();
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
