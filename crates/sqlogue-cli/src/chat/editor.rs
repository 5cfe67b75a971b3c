//! Where lines come from: an editor on a terminal, standard input elsewhere.

use std::borrow::Cow;
use std::fs;
use std::io::{self, BufRead as _, Read as _};
use std::path::PathBuf;

use reedline::{
    Color, ColumnarMenu, DefaultHinter, EditCommand, Emacs, FileBackedHistory, KeyCode, KeyModifiers,
    MenuBuilder as _, Prompt, PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus, Reedline,
    ReedlineEvent, ReedlineMenu, Signal, default_emacs_keybindings,
};

use super::super::failure::Failure;
use super::complete::ChatCompleter;
use sqlogue_base::files;

/// How many lines are remembered across sessions.
const REMEMBERED: usize = 2_000;

/// The longest line that is read from a pipe; the engine says what it thinks of a question far shorter.
const LONGEST: u64 = 4 << 20;

/// Where lines come from.
pub(super) enum Source {
    /// A person at a terminal.
    Editor(Box<Reedline>),
    /// A program or a file.
    Pipe,
}

/// What came.
pub(super) enum Entry {
    /// A line.
    Line(String),
    /// Ctrl-C: the line is given up, the session is not.
    GivenUp,
    /// There is nothing more.
    End,
}

impl Source {
    /// An editor with history and completion.
    pub(super) fn editor(completer: ChatCompleter, colour: bool) -> Self {
        let mut keys = default_emacs_keybindings();
        let menu = || ReedlineEvent::Menu(MENU.to_owned());
        keys.add_binding(
            KeyModifiers::NONE,
            KeyCode::Tab,
            ReedlineEvent::UntilFound(vec![menu(), ReedlineEvent::MenuNext]),
        );
        keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, ReedlineEvent::MenuPrevious);
        keys.add_binding(
            KeyModifiers::ALT,
            KeyCode::Enter,
            ReedlineEvent::Edit(vec![EditCommand::InsertNewline]),
        );
        let mut editor = Reedline::create()
            .with_ansi_colors(colour)
            // Lines that are pasted together are one query.
            .use_bracketed_paste(true)
            .with_completer(Box::new(completer))
            .with_quick_completions(true)
            .with_partial_completions(true)
            .with_menu(ReedlineMenu::EngineCompleter(Box::new(
                ColumnarMenu::default().with_name(MENU).with_marker("> "),
            )))
            .with_edit_mode(Box::new(Emacs::new(keys)))
            // A line that begins with a space is not remembered, as in a shell.
            .with_history_exclusion_prefix(Some(" ".to_owned()));
        if colour {
            editor = editor.with_hinter(Box::new(
                DefaultHinter::default().with_style(Color::DarkGray.normal()).with_min_chars(3),
            ));
        }
        match history() {
            Ok(history) => editor = editor.with_history(Box::new(history)),
            Err(problem) => tracing::info!(problem, "the lines of this session will not be remembered"),
        }
        Self::Editor(Box::new(editor))
    }

    /// Waits for a line.
    pub(super) fn next(&mut self, prompt: &ChatPrompt) -> Result<Entry, Failure> {
        match self {
            Self::Editor(editor) => match editor.read_line(prompt) {
                Ok(Signal::Success(line)) => {
                    // Now and not at the end, so that a terminal that is closed loses no line.
                    if let Err(error) = editor.sync_history() {
                        tracing::info!(%error, "the line is not remembered");
                    }
                    Ok(Entry::Line(line))
                }
                Ok(Signal::CtrlD) => Ok(Entry::End),
                Ok(_) => Ok(Entry::GivenUp),
                Err(error) => Err(unreadable(&error)),
            },
            Self::Pipe => Ok(read_line()?.map_or(Entry::End, Entry::Line)),
        }
    }

    /// Waits for a short answer, which is no line of the conversation: it is not remembered.
    pub(super) fn answer(&self) -> Result<String, Failure> {
        Ok(read_line()?.unwrap_or_default())
    }

    /// Whether somebody types.
    pub(super) fn is_person(&self) -> bool {
        matches!(self, Self::Editor(_))
    }
}

/// A line of standard input; none at its end.
fn read_line() -> Result<Option<String>, Failure> {
    let mut bytes = Vec::new();
    let read =
        io::stdin().lock().take(LONGEST).read_until(b'\n', &mut bytes).map_err(|error| unreadable(&error))?;
    Ok((read > 0).then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

fn unreadable(error: &dyn std::fmt::Display) -> Failure {
    Failure::usage(format!("the input cannot be read any further: {error}"))
}

/// The name by which the editor knows its menu.
const MENU: &str = "completions";

/// The lines of earlier sessions. A session without them is as good as any.
fn history() -> Result<FileBackedHistory, String> {
    let folder = data_folder().ok_or("there is no folder for a user's data")?;
    fs::create_dir_all(&folder).map_err(|error| format!("`{}` cannot be made: {error}", folder.display()))?;
    let path = folder.join("history.txt");
    // Questions hold names and numbers; the editor itself would make a file that everybody may read.
    files::ensure(&path)
        .and_then(|_| files::make_private(&path))
        .map_err(|error| format!("`{}` cannot be made: {error}", path.display()))?;
    FileBackedHistory::with_file(REMEMBERED, path).map_err(|error| error.to_string())
}

/// Where the system keeps what programs remember of a user.
fn data_folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else {
        variable("XDG_DATA_HOME").filter(|path| path.is_absolute()).or_else(|| {
            let home = variable("HOME")?;
            Some(home.join(if cfg!(target_os = "macos") {
                "Library/Application Support"
            } else {
                ".local/share"
            }))
        })
    };
    folder.map(|folder| folder.join("sqlogue"))
}

/// What stands before the line: the database, or what is asked for.
pub(super) struct ChatPrompt {
    /// The text, without its arrow.
    pub(super) text: String,
}

impl Prompt for ChatPrompt {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.text)
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("> ")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("… ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let found = match search.status {
            PromptHistorySearchStatus::Passing => "search",
            PromptHistorySearchStatus::Failing => "not found",
        };
        Cow::Owned(format!("({found}: {}) ", search.term))
    }
}
