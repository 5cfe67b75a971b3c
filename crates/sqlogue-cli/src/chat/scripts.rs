//! SQL in an editor, and questions and SQL in files.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::process::Command;

use super::super::connect::read_file;
use super::super::failure::Failure;
use super::super::show::text;
use super::Chat;
use sqlogue_base::{files, input};

/// More than this nobody edits or asks at once, in bytes.
const LONGEST: u64 = 1 << 20;

impl Chat<'_> {
    /// Opens the last SQL in an editor, and asks what becomes of it.
    pub(super) fn edit(&mut self) -> Result<(), Failure> {
        let state = self.session.state();
        let before = state.query.clone().or_else(|| state.current_query.clone()).unwrap_or_default();
        self.output.flush()?;
        match edited(&before) {
            Ok(after) if after.trim().is_empty() || after.trim() == before.trim() => {
                self.remark("Nothing was changed, so nothing runs.")
            }
            Ok(after) => self.ask(after.trim()),
            Err(problem) => self.complain(&problem),
        }
    }

    /// Saves the last SQL or the questions so far; which, the name of the file says.
    pub(super) fn save(&mut self, file: &str) -> Result<(), Failure> {
        let state = self.session.state();
        let (what, content) = match is_sql(file) {
            true => match &state.current_query {
                Some(query) => ("The last SQL is", format!("{};\n", query.trim_end().trim_end_matches(';'))),
                None => return self.remark("There is no SQL to save; ask something first."),
            },
            false if state.user_questions.is_empty() => return self.remark("Nothing was asked yet."),
            false => {
                let lines: Vec<String> =
                    state.user_questions.iter().map(|question| question.replace('\n', " ")).collect();
                // A long conversation remembers only its last turns.
                let forgotten = state.turns.first().is_some_and(|turn| turn.number > 1);
                let which = if forgotten { "The last questions are" } else { "The questions so far are" };
                (which, lines.join("\n") + "\n")
            }
        };
        match files::replace(Path::new(file), content.as_bytes()) {
            Ok(()) => self.remark(&format!("{what} saved in {file}; `/open {file}` asks again.")),
            Err(error) => self.complain(&format!("`{file}` cannot be written: {error}")),
        }
    }

    /// Asks what is in a file: the statements of an SQL file, else every line.
    pub(super) fn open(&mut self, file: &str) -> Result<(), Failure> {
        let content = match read_file("file", Path::new(file), LONGEST) {
            Ok(content) => content,
            Err(failure) => return self.complain(&failure.message()),
        };
        let asked = if is_sql(file) { statements(&content) } else { lines(&content) };
        if asked.is_empty() {
            return self.remark(&format!("There is nothing to ask in {file}."));
        }
        for (number, question) in asked.iter().enumerate() {
            if number > 0 {
                writeln!(self.output)?;
            }
            self.remark(&format!("> {}", text::clean(question)))?;
            // A file that opens itself would never end.
            if question.trim_start().starts_with("/open") || question.trim_start().starts_with(".read") {
                self.complain("a file cannot open another")?;
                continue;
            }
            if self.hear(question)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn is_sql(file: &str) -> bool {
    Path::new(file).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sql"))
}

/// The statements of a file, each without the semicolon at the end of its last line.
fn statements(content: &str) -> Vec<String> {
    let mut statements = vec![String::new()];
    for line in content.lines().filter(|line| !line.trim_start().starts_with("--")) {
        let Some(open) = statements.last_mut() else { break };
        open.push_str(line);
        open.push('\n');
        if line.trim_end().ends_with(';') {
            statements.push(String::new());
        }
    }
    let statements = statements.iter().map(|statement| statement.trim().trim_end_matches(';').trim_end());
    statements.filter(|statement| !statement.is_empty()).map(str::to_owned).collect()
}

/// The lines of a file, without those that are empty or remarks.
fn lines(content: &str) -> Vec<String> {
    let lines = content.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

/// What becomes of a text in the editor of the environment.
fn edited(before: &str) -> Result<String, String> {
    let set = |name: &str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR"));
    if editor.is_none() && !std::io::stdin().is_terminal() {
        return Err("there is no editor\nhint: set EDITOR, such as `export EDITOR=nano`".to_owned());
    }
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    let folder =
        files::temporary_folder().map_err(|error| format!("no file can be made to edit: {error}"))?;
    let path = folder.path().join("query.sql");
    files::replace(&path, format!("{before}\n").as_bytes())
        .map_err(|error| format!("no file can be made to edit: {error}"))?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let status = Command::new(program).args(words).arg(&path).status();
    match status {
        Ok(status) if status.success() => {
            let after = input::text(&path, LONGEST)
                .map_err(|error| format!("what was edited cannot be read: {error}"))?;
            Ok(after.trim().trim_end_matches(';').to_owned())
        }
        Ok(_) => Err(format!("the editor `{editor}` gave up, so nothing runs")),
        Err(error) => Err(format!(
            "the editor `{editor}` cannot be started: {error}\nhint: set EDITOR, such as `export EDITOR=nano`"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_cut_into_what_is_asked() {
        let script = "-- all\nSELECT 'a;b'\nFROM t;\n\nSELECT 2;\n;\nSELECT 3";
        assert_eq!(statements(script), ["SELECT 'a;b'\nFROM t", "SELECT 2", "SELECT 3"]);
        assert_eq!(lines("# talk\n\nHow many?\n  only active \n"), ["How many?", "only active"]);
    }
}
