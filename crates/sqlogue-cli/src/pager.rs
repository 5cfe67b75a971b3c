//! Long answers go through the pager, where there is a terminal and a pager.

use std::io::{self, Write as _};
use std::process::{Command, Stdio};

use super::output::{Output, Size};
use super::show::text;

/// Shows a text: through the pager if it is longer than the terminal is high, or wider, else as it is.
pub(super) fn show(output: &mut Output, text: &str) -> io::Result<()> {
    answer(output, text, "", "")
}

/// The same with a foot, which is seen in any case, and with notes: they are the end, and in the pager the beginning, which
/// nobody misses.
pub(super) fn answer(output: &mut Output, text: &str, foot: &str, notes: &str) -> io::Result<()> {
    let lines = [text, foot, notes].map(|text| text.lines().count()).iter().sum::<usize>() + 2;
    let is_large = |size: Size| lines > size.height || text.lines().any(|line| places(line) > size.width);
    let large = output.terminal().is_some_and(is_large);
    if large && page(output, &format!("{notes}{text}"))? {
        output.write_all(foot.as_bytes())?;
        return output.flush();
    }
    for part in [text, foot, notes] {
        output.write_all(part.as_bytes())?;
    }
    output.flush()
}

/// How wide a line is without its colours.
fn places(line: &str) -> usize {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().map_or(0, text::width);
    let coloured = parts.filter_map(|part| part.split_once('m'));
    first + coloured.map(|(_, shown)| text::width(shown)).sum::<usize>()
}

/// Runs the pager; false where there is none, so that the text is still to be shown.
fn page(output: &mut Output, text: &str) -> io::Result<bool> {
    output.flush()?;
    let words = std::env::var("PAGER").unwrap_or_default();
    let mut words = words.split_whitespace();
    let pager = words.next().unwrap_or("less");
    let mut command = Command::new(pager);
    command.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Colours as they are, lines cut and not folded, and no pager for what fits after all.
        command.env("LESS", "-RSFX");
    }
    let Ok(mut child) = command.spawn() else { return Ok(false) };
    if let Some(mut stdin) = child.stdin.take() {
        // Whoever leaves the pager before the end has seen enough.
        drop(stdin.write_all(text.as_bytes()));
    }
    child.wait()?;
    Ok(true)
}
