//! Tools for those who work on sqlogue itself.
//!
//! ```text
//! cargo xtask measure …       how many questions are answered rightly, and fitting the weights of the rules
//! cargo xtask follow-ups …    the same for follow-ups in conversations
//! cargo xtask intent …        how often a follow-up is told from a new question
//! cargo xtask candidates …    the candidates of questions as SQL, best first
//! cargo xtask keys …          how many keys are found where none is declared
//! cargo xtask names FILE…     how the names of databases are read
//! cargo xtask synonyms …      makes the table of synonyms from WordNet and word vectors
//! cargo xtask drawings        writes the drawings under `graphs/` anew
//! cargo xtask sample FILE     writes the sample database, so that it can be measured like others
//! ```

mod candidates;
mod follow_ups;
mod intents;
mod keys;
mod known;
mod measure;
mod names;
mod synonyms;
mod workers;

use std::io::{self, Write as _};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("measure") => measure::main(),
        Some("follow-ups") => follow_ups::main(),
        Some("intent") => intents::main(),
        Some("candidates") => candidates::main(),
        Some("keys") => keys::main(),
        Some("names") => names::main(),
        Some("synonyms") => synonyms::main(),
        Some("drawings") => return drawings(),
        Some("sample") => return sample(),
        _ => {
            // Where standard error is closed there is nobody to tell.
            drop(writeln!(
                io::stderr(),
                "usage: cargo xtask measure|follow-ups|intent|candidates|keys|names|synonyms|drawings|sample …"
            ));
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// The test that compares the drawings with the program writes them when it is told to.
fn drawings() -> ExitCode {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut test = Command::new(cargo);
    test.args(["test", "--package", "sqlogue-cli", "--test", "it", "graphs"]).env("UPDATE_GRAPHS", "1");
    match test.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Writes the sample database to the file that is named.
fn sample() -> ExitCode {
    let Some(file) = std::env::args_os().nth(2) else { return ExitCode::from(2) };
    match sqlogue::sample::write(std::path::Path::new(&file)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            drop(writeln!(io::stderr(), "error: {error}"));
            ExitCode::FAILURE
        }
    }
}
