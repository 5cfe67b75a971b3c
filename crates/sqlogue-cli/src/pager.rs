//! Long answers go through the pager, where there is a terminal and a pager.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use super::output::Output;
use super::show::answer::Answered;

/// Shows a text: through the pager if it is longer than the terminal is high, else as it is.
pub(super) fn show(output: &mut Output, text: &str) -> io::Result<()> {
    answer(output, &Answered { body: text.to_owned(), ..Answered::default() })
}

/// Shows an answer. Its foot is seen in any case; its notes are its end, and in the pager its beginning, which nobody misses.
pub(super) fn answer(output: &mut Output, answered: &Answered) -> io::Result<()> {
    let Answered { body, foot, notes, wide } = answered;
    let lines = [body, foot, notes].map(|text| text.lines().count()).iter().sum::<usize>() + 2;
    let large = output.terminal().is_some_and(|size| *wide || lines > size.height);
    if large && page(output, &format!("{notes}{body}"))? {
        output.write_all(foot.as_bytes())?;
        return output.flush();
    }
    for part in [body, foot, notes] {
        output.write_all(part.as_bytes())?;
    }
    output.flush()
}

/// Whether the pager shows what is wider than the terminal from left to right. Others fold such lines, and a table with them.
pub(super) fn shows_sideways() -> bool {
    const SIDEWAYS: [&str; 4] = ["less", "moar", "most", "ov"];
    let set = std::env::var("PAGER").unwrap_or_default();
    let pager = Path::new(set.split_whitespace().next().unwrap_or("less"));
    let is_known = pager.file_stem().is_some_and(|name| SIDEWAYS.iter().any(|known| name == *known));
    let paths = std::env::var_os("PATH").unwrap_or_default();
    // A name with a folder in it stays what it is when it is joined.
    let is_there = || std::env::split_paths(&paths).any(|folder| folder.join(pager).is_file());
    is_known && (cfg!(windows) || is_there())
}

/// Runs the pager; false where there is none, so that the text is still to be shown.
fn page(output: &mut Output, text: &str) -> io::Result<bool> {
    output.flush()?;
    let words = std::env::var("PAGER").unwrap_or_default();
    let mut words = words.split_whitespace();
    let pager = words.next().unwrap_or("less");
    let mut command = Command::new(pager);
    command.args(words).stdin(Stdio::piped());
    if Path::new(pager).file_stem().is_some_and(|name| name == "less") {
        // Colours as they are, and lines that go on to the right and are not folded, whatever `LESS` says of them.
        command.arg("-RS");
    }
    if std::env::var_os("LESS").is_none() {
        // No pager for what fits after all, and what was read stays on the screen.
        command.env("LESS", "-FX");
    }
    let Ok(mut child) = command.spawn() else { return Ok(false) };
    if let Some(mut stdin) = child.stdin.take() {
        // Whoever leaves the pager before the end has seen enough.
        drop(stdin.write_all(text.as_bytes()));
    }
    child.wait()?;
    Ok(true)
}
