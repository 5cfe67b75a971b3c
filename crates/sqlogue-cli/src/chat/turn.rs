//! One turn of the chat: asked, watched, shown.

use std::io::{self, Write as _};
use std::sync::Arc;

use serde_json::Value as Json;
use tokio_util::sync::CancellationToken;

use super::super::args::Format;
use super::super::ask::is_yes;
use super::super::failure::{Failure, split_hint};
use super::super::line::{Form, Line, to_json};
use super::super::output::{self, colours};
use super::super::pager;
use super::super::show::answer;
use super::super::show::style::{Ink, Style};
use super::super::show::{delimited, sql, text};
use super::Chat;
use super::progress::{Spinner, Watch};
use sqlogue::Error;
use sqlogue::conversation::{ConversationState, Status};
use sqlogue::dialog::{Notice, Reply, Said};
use sqlogue::engine::{Answer, TurnOptions};
use sqlogue::intent::Intent;

impl Chat<'_> {
    /// Asks the engine and shows what it says.
    pub(super) fn ask(&mut self, question: &str) -> Result<(), Failure> {
        let watch = Arc::new(Watch::default());
        let mut said = self.watched(&watch, question);
        let reply = loop {
            match said {
                Said::Reply(reply) => break *reply,
                Said::Waiting(waiting) => {
                    let approved = self.approved(waiting.sql())?;
                    let options = TurnOptions { observer: Some(watch.clone()), ..TurnOptions::default() };
                    said = self.runtime.block_on(self.session.approve(*waiting, approved, options));
                }
            }
        };
        if self.reply(reply)? {
            self.trace = watch.trace();
        }
        Ok(())
    }

    /// Runs a turn; Ctrl-C ends it and nothing else.
    fn watched(&mut self, watch: &Arc<Watch>, question: &str) -> Said {
        let cancellation = CancellationToken::new();
        let fired = cancellation.clone();
        let _spinner = self.output.terminal().filter(|_| self.source.is_person()).map(|size| {
            Spinner::start(Arc::clone(watch), self.runtime.handle(), size, Style::new(colours(&io::stderr())))
        });
        let interrupted = self.source.is_person().then(|| {
            self.runtime.spawn(async move {
                if tokio::signal::ctrl_c().await.is_ok() {
                    fired.cancel();
                }
            })
        });
        let options = TurnOptions {
            confirm: self.confirm,
            cancellation: Some(cancellation),
            observer: Some(watch.clone()),
            ..TurnOptions::default()
        };
        let said = self.runtime.block_on(self.session.turn(question, options));
        if let Some(task) = interrupted {
            task.abort();
        }
        said
    }

    /// Shows the SQL, with its cost where the database says it, and waits for a yes.
    fn approved(&mut self, query: &str) -> Result<bool, Failure> {
        let places = self.places().unwrap_or(usize::MAX);
        writeln!(self.output, "{}", sql::show(query, places, self.style()))?;
        if let Some(cost) = self.runtime.block_on(self.session.engine().cost(query)) {
            writeln!(self.output, "It would read {cost}.")?;
        }
        if self.source.is_person() {
            write!(self.output, "Run this? [y/N] ")?;
        }
        self.output.flush()?;
        Ok(is_yes(&self.source.answer()?))
    }

    /// Shows what was said; false after a courtesy, which leaves the answer before it the last.
    fn reply(&mut self, reply: Reply) -> Result<bool, Failure> {
        let Reply { answer, failure, notices, .. } = reply;
        self.notes(notices)?;
        match (answer, failure) {
            (Some(answer), _) => {
                self.show(&answer)?;
                if answer::asked_nothing(&answer.state) {
                    return Ok(false);
                }
                if answer.state.status == Status::Completed {
                    self.stood.clone_from(&answer.rows);
                }
                self.last = Some(answer);
            }
            (None, Some(Error::Cancelled)) => {
                self.remark("Cancelled. The conversation is as it was before.")?
            }
            (None, Some(error)) => {
                self.wrong(&error)?;
            }
            (None, None) => {}
        }
        Ok(true)
    }

    /// Says what went wrong, and what to do.
    pub(super) fn wrong(&mut self, error: &Error) -> Result<(), Failure> {
        let (message, hint) = split_hint(&error.to_string());
        let hint = hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
        self.complain(&format!("error: {message}{hint}"))
    }

    /// What the session has to tell before anything was said.
    pub(super) fn notices(&mut self) -> Result<(), Failure> {
        let notices = self.session.take_notices();
        self.notes(notices)
    }

    pub(super) fn notes(&mut self, notices: Vec<Notice>) -> Result<(), Failure> {
        // How far back the conversation is remembered, `/history` tells whoever wants to know.
        for notice in notices.into_iter().filter(|notice| !matches!(notice, Notice::Trimmed { .. })) {
            let notice = text::clean(&notice.to_string()).into_owned();
            let notice = self.style().paint(Ink::Notice, &format!("note: {notice}"));
            // Programs that read the answers read nothing else there.
            if self.format == Format::Table {
                writeln!(self.output, "{notice}")?
            } else {
                writeln!(io::stderr(), "{notice}")?
            }
        }
        Ok(())
    }

    fn show(&mut self, answered: &Answer) -> Result<(), Failure> {
        let Answer { state, rows, path, elapsed, .. } = answered;
        let view = self.view();
        let rows = rows.as_deref();
        if self.format == Format::Json {
            let form = Form { rows: true, most: view.rows, ..Form::default() };
            let line =
                Line::new(state, rows, path, *elapsed, form).to(Json::Null, state.session_id.as_str().into());
            return Ok(self.output.data(&(to_json(&line) + "\n"))?);
        }
        if self.format != Format::Table {
            answer::doubts(state, view.ask_why).iter().try_for_each(|line| output::tell(line))?;
        }
        match (state.status, self.format) {
            (Status::Completed, Format::Table) => {
                let mut answered = answer::answered(state, rows, *elapsed, &view);
                answered.body.insert_str(0, &indicator(state, &view));
                pager::answer(&mut self.output, &answered)?;
            }
            (Status::Completed, format) => {
                let result = answer::Result::of(state, rows).unwrap_or_default();
                self.output.data(&delimited::written(&result, format, view.rows, self.texts))?;
                let max_rows = self.session.engine().settings().max_rows;
                if let Some(note) = result.cut_note(result.first(view.rows).len(), max_rows) {
                    self.output.flush()?;
                    output::tell(&note)?;
                }
            }
            (Status::AwaitingCorrection, _) => {
                let shown = indicator(state, &view) + &answer::asked(state, &view);
                self.output.write_all(shown.as_bytes())?;
            }
            // Nothing was asked, so nothing went wrong.
            (Status::Failed, Format::Table) if answer::asked_nothing(state) => {
                answer::failed(state).lines().try_for_each(|line| self.remark(line))?;
            }
            (Status::Failed | Status::Open, _) => {
                let (message, hint) = split_hint(&answer::failed(state));
                let hint = hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
                self.complain(&format!("{message}{hint}"))?;
            }
        }
        Ok(())
    }
}

/// What the input was taken for, and what it changed.
fn indicator(state: &ConversationState, view: &answer::View) -> String {
    let taken = match state.intent {
        Some(Intent::Refinement | Intent::Correction)
            if state.route != Some(sqlogue::conversation::Route::New) && !state.is_new_after_all() =>
        {
            "✨ Refined query"
        }
        _ => "🆕 New query",
    };
    let summary = state.refinement_summary.as_deref().map(text::clean).unwrap_or_default();
    let line = if summary.is_empty() { taken.to_owned() } else { format!("{taken}: {summary}") };
    let line = text::wrap(&line, view.places.unwrap_or(usize::MAX), "   ");
    line.lines().map(|line| view.style.paint(Ink::Good, line) + "\n").collect()
}
