//! `/copy`: the last rows or the last SQL to the clipboard.
//!
//! A program of the desktop is asked where there is one, and else the terminal itself (OSC 52), which also works from another
//! machine. What a terminal does with it, it does not tell.

use std::io::Write as _;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::super::args::Format;
use super::super::failure::Failure;
use super::super::show::{counted, delimited, text};
use super::Chat;
use sqlogue::answer::{Shown, Texts, csv};
use sqlogue::schema::Value;

/// More bytes than these many terminals do not take.
const MOST_BYTES: usize = 74_994;

/// What is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Copied {
    /// The rows as spreadsheets take them: a line each, tabs between the cells.
    Rows,
    Sql,
    Csv,
    Json,
    Markdown,
}

impl Copied {
    /// What is named behind `/copy`.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name.to_lowercase().as_str() {
            "" | "rows" => Self::Rows,
            "sql" => Self::Sql,
            "csv" => Self::Csv,
            "json" => Self::Json,
            "markdown" | "md" => Self::Markdown,
            _ => return None,
        })
    }
}

impl Chat<'_> {
    /// Copies, and says what was copied to where.
    pub(super) fn copy(&mut self, copied: Copied) -> Result<(), Failure> {
        let (content, what) = match copied {
            Copied::Sql => match &self.session.state().current_query {
                Some(query) => (query.clone(), "The last SQL is".to_owned()),
                None => return self.remark("There is no SQL to copy; ask something first."),
            },
            rows => {
                let Some(result) = self.standing() else {
                    return self.remark("There is no result to copy; ask something first.");
                };
                let content = match rows {
                    Copied::Csv => csv(result.columns, result.rows, self.texts),
                    Copied::Json => delimited::json(result.columns, result.rows),
                    Copied::Markdown => delimited::written(&result, Format::Markdown, usize::MAX, self.texts),
                    _ => tabbed(&result, self.texts),
                };
                let rows = result.rows.len() as u64;
                let are = if rows == 1 { "is" } else { "are" };
                (content, format!("{} {are}", counted(rows, "row")))
            }
        };
        self.output.flush()?;
        if let Some(program) = programs().into_iter().find(|program| fed(program, &content)) {
            let name = program.first().copied().unwrap_or_default();
            return self.remark(&format!("{what} in the clipboard (by `{name}`)."));
        }
        if self.output.terminal().is_none() {
            return self.complain(
                "there is no clipboard here\nhint: install `wl-copy`, `xclip` or `xsel`, or save the rows with `/export FILE`",
            );
        }
        if content.len() > MOST_BYTES {
            return self.complain(&format!(
                "{} bytes are more than a terminal takes for its clipboard\nhint: save them with `/export FILE`, or install \
                 `wl-copy`, `xclip` or `xsel`",
                content.len()
            ));
        }
        // Written past the filter for control characters: it is one, and the rest of it is Base64.
        write!(self.output, "\u{1b}]52;c;{}\u{7}", STANDARD.encode(&content))?;
        self.remark(&format!("{what} handed to the terminal, which puts it into its clipboard if it may."))
    }
}

/// The rows with tabs between the cells, the columns' names above.
fn tabbed(result: &Shown<'_>, texts: Texts) -> String {
    // A tab or the end of a line inside a cell would be the end of the cell.
    let cell = |text: &str| text::clean(&texts.written(text)).into_owned();
    let names: Vec<String> = result.columns.iter().map(|name| cell(name)).collect();
    let mut lines = names.join("\t") + "\n";
    for row in result.rows {
        let cells = row.iter().map(|value| match value {
            Value::Null => String::new(),
            Value::Text(text) => cell(text),
            value => value.to_string(),
        });
        lines.push_str(&(cells.collect::<Vec<_>>().join("\t") + "\n"));
    }
    lines
}

/// The programs that may reach a clipboard here, the nearest first.
fn programs() -> Vec<&'static [&'static str]> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let mut programs: Vec<&[&str]> = Vec::new();
    // Over SSH the desktop of this machine is not that of the person: the terminal is.
    if !set("SSH_CONNECTION") && !set("SSH_TTY") {
        if cfg!(target_os = "macos") {
            programs.push(&["pbcopy"]);
        }
        if cfg!(windows) {
            programs.push(&["clip"]);
        }
        if set("WAYLAND_DISPLAY") {
            programs.push(&["wl-copy"]);
        }
        if set("DISPLAY") {
            programs.push(&["xclip", "-selection", "clipboard"]);
            programs.push(&["xsel", "--clipboard", "--input"]);
        }
    }
    // tmux keeps the sequence for itself, and hands on what it is given so.
    if set("TMUX") {
        programs.push(&["tmux", "load-buffer", "-w", "-"]);
    }
    programs
}

/// Whether a program took the text.
fn fed(program: &[&str], content: &str) -> bool {
    let Some((name, arguments)) = program.split_first() else { return false };
    let quiet = || Stdio::null();
    let child =
        Command::new(name).args(arguments).stdin(Stdio::piped()).stdout(quiet()).stderr(quiet()).spawn();
    let Ok(mut child) = child else { return false };
    let written = child.stdin.take().is_some_and(|mut stdin| stdin.write_all(content.as_bytes()).is_ok());
    child.wait().is_ok_and(|status| status.success()) && written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_copied_as_spreadsheets_take_them() {
        let columns = ["name", "n"].map(str::to_owned);
        let rows = [
            vec![Value::from("a\tb"), Value::from(-1.5)],
            vec![Value::from("=1+1"), Value::Null],
            vec![Value::from("-"), Value::from(2)],
        ];
        let result = Shown { columns: &columns, rows: &rows, count: 3, truncated: false };
        assert_eq!(tabbed(&result, Texts::Harmless), "name\tn\na b\t-1.5\n'=1+1\t\n'-\t2\n");
        assert!(tabbed(&result, Texts::Raw).contains("\n=1+1\t\n"));
    }
}
