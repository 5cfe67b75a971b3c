//! `sqlogue chat`: a conversation, with a person at a terminal or with lines from a pipe.

mod command;
mod complete;
mod copy;
mod editor;
mod export;
mod orders;
mod progress;
mod scripts;
mod turn;

use std::io::{IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::runtime::Runtime;

use super::args::Format;
use super::connect::Setup;
use super::failure::{Exit, Failure};
use super::named::NamedDatabases;
use super::output::Output;
use super::pager;
use super::show::answer::{Layout, View};
use super::show::delimited::Texts;
use super::show::style::{Ink, Style};
use super::show::text;
use sqlogue::database::Rows;
use sqlogue::dialog::{Notice, Session};
use sqlogue::engine::Answer;
use sqlogue::examples::examples;
use sqlogue::graph::Trace;
use sqlogue::sample;
use sqlogue_base::secret::redact;

use command::Typed;
use complete::ChatCompleter;
use editor::{ChatPrompt, Entry, Source};

/// How long examples wait for the values of the database, which the best of them are made from.
const PATIENCE: Duration = Duration::from_secs(2);

/// How much longer they wait where not even the names are known. Reading them takes less, however large the database is.
const LONG_PATIENCE: Duration = Duration::from_secs(5);

/// So many examples are shown.
const EXAMPLES: usize = 3;

/// What `chat` takes.
#[derive(Debug, Default, Args)]
pub(super) struct ChatArguments {
    /// Show the SQL and wait for a yes before it runs
    #[arg(long)]
    confirm: bool,
    /// Go on with the conversation of this name, or begin it; it is kept
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

/// A conversation under way.
struct Chat<'a> {
    runtime: &'a Runtime,
    session: Session,
    source: Source,
    output: Output,
    format: Format,
    /// What becomes of texts in CSV.
    texts: Texts,
    /// Whether the SQL is shown with every answer.
    sql: bool,
    /// Whether SQL waits for a yes.
    confirm: bool,
    /// How rows are laid out.
    layout: Layout,
    /// At most so many rows are shown.
    rows: usize,
    /// The last turn, with all its rows; none after it was taken back.
    last: Option<Answer>,
    /// All rows of the last answer that was one, for after a turn that failed.
    stood: Option<Arc<Rows>>,
    /// The way it took.
    trace: Option<Trace>,
}

/// Talks until there is nothing more to say.
pub(super) fn run(runtime: &Runtime, arguments: &ChatArguments, mut setup: Setup) -> Result<Exit, Failure> {
    let format =
        setup.format("chat", &[Format::Table, Format::Json, Format::Jsonl, Format::Csv, Format::Markdown])?;
    let (engine, problem) = runtime.block_on(setup.kept_engine(arguments.session.as_deref()))?;
    let output = Output::standard();
    let source = if std::io::stdin().is_terminal() && output.terminal().is_some() {
        let completer = ChatCompleter::new(engine.clone(), runtime.handle().clone());
        Source::editor(completer, output.colour())
    } else {
        Source::Pipe
    };
    let databases = NamedDatabases::new(setup.settings.clone(), engine.clone());
    let session = match &arguments.session {
        Some(id) => runtime.block_on(Session::open(engine, id))?,
        None => Session::new(engine),
    };
    let mut session = session.with_databases(databases);
    if let Some(problem) = problem {
        session.tell(Notice::NotKept { problem: problem.message() });
    }
    let mut chat = Chat {
        runtime,
        session,
        source,
        output,
        format,
        texts: setup.texts,
        sql: true,
        confirm: arguments.confirm,
        layout: Layout::default(),
        rows: setup.result_limit.unwrap_or(usize::MAX),
        last: None,
        stood: None,
        trace: None,
    };
    if chat.source.is_person() {
        chat.greet()?;
    }
    chat.notices()?;
    chat.talk()?;
    Ok(Exit::Answered)
}

impl Chat<'_> {
    fn talk(&mut self) -> Result<(), Failure> {
        loop {
            let prompt = self.prompt();
            let line = match self.source.next(&prompt)? {
                Entry::Line(line) => line,
                Entry::GivenUp => continue,
                Entry::End => return Ok(()),
            };
            if self.hear(&line)?.is_break() {
                return Ok(());
            }
            if self.source.is_person() && !line.trim().is_empty() {
                writeln!(self.output)?;
            }
            self.output.flush()?;
        }
    }

    /// Does what a line says; breaks off after one that ends the session.
    fn hear(&mut self, line: &str) -> Result<ControlFlow<()>, Failure> {
        let typed = match command::read(line) {
            Typed::Question(question) => self.spoken(question)?,
            typed => typed,
        };
        match typed {
            Typed::Nothing => return Ok(ControlFlow::Continue(())),
            Typed::Order(command::Order::Quit) => return Ok(ControlFlow::Break(())),
            Typed::Order(order) => self.obey(order)?,
            Typed::Wrong(wrong) => self.complain(&wrong)?,
            Typed::Question(question) => self.ask(question)?,
            Typed::Expanded(question) => {
                let before = std::mem::replace(&mut self.layout, Layout::Records);
                let asked = self.ask(question);
                self.layout = before;
                asked?;
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Takes a command in plain words for what it is, and says how it is called.
    fn spoken<'l>(&mut self, question: &'l str) -> Result<Typed<'l>, Failure> {
        let spoken = self.session.engine().spoken(question, self.session.state());
        let Some(spoken) = self.runtime.block_on(spoken) else { return Ok(Typed::Question(question)) };
        let (usage, typed) = command::of_words(spoken, question);
        if let Some(usage) = usage {
            let usage = self.style().paint(Ink::Dim, &format!("({})", text::clean(&usage)));
            // Programs that read the answers read nothing else there.
            if self.format == Format::Table {
                writeln!(self.output, "{usage}")?;
            } else {
                writeln!(std::io::stderr(), "{usage}")?;
            }
        }
        Ok(typed)
    }

    fn greet(&mut self) -> Result<(), Failure> {
        let style = self.style();
        let name = self.session.engine().database().name().to_owned();
        let about = if name == sample::NAME {
            "the sample database: a small shop with customers, products, orders and employees".to_owned()
        } else {
            format!("the database {}", text::clean(&name))
        };
        let examples = self.examples();
        const TITLE: &str = concat!("sqlogue ", env!("CARGO_PKG_VERSION"));
        let places = self.places().unwrap_or(80);
        let opening = text::wrap(&format!("{TITLE} · {about}"), places, "");
        writeln!(self.output, "{}", opening.replacen(TITLE, &style.paint(Ink::Bold, TITLE), 1))?;
        let ask = if examples.is_empty() { "Ask in plain words." } else { "Ask in plain words, such as" };
        let help = "/help lists what else can be said, Tab completes, /quit leaves.";
        writeln!(self.output, "{}", style.paint(Ink::Dim, ask))?;
        for example in examples {
            for line in text::wrap(&format!("  {}", text::clean(&example)), places, "    ").lines() {
                writeln!(self.output, "{}", style.paint(Ink::Keyword, line))?;
            }
        }
        for line in text::wrap(help, places, "").lines() {
            writeln!(self.output, "{}", style.paint(Ink::Dim, line))?;
        }
        writeln!(self.output)?;
        Ok(self.output.flush()?)
    }

    /// Questions about this database that are surely answered: made from its values, or where reading these takes long from
    /// its names alone. None where it cannot be read.
    fn examples(&self) -> Vec<String> {
        let engine = self.session.engine();
        let reader = engine.clone();
        // It goes on behind the prompt, so that the first question finds it done.
        let mut reading = self.runtime.spawn(async move { reader.knowledge().await });
        for patience in [PATIENCE, LONG_PATIENCE] {
            let known = self.runtime.block_on(async { tokio::time::timeout(patience, &mut reading).await });
            let outline = match known {
                Ok(Ok(Ok(known))) => return examples(&known, EXAMPLES),
                Ok(_) => return Vec::new(),
                Err(_) => engine.outline(),
            };
            if let Some(outline) = outline {
                return examples(&outline, EXAMPLES);
            }
        }
        Vec::new()
    }

    fn prompt(&self) -> ChatPrompt {
        let text = match &self.session.state().pending {
            Some(pending) => format!("1–{} or in your words", pending.options().len()),
            None => text::clean(self.session.engine().database().name()).into_owned(),
        };
        ChatPrompt { text }
    }

    fn complain(&mut self, wrong: &str) -> Result<(), Failure> {
        let (style, places) = (self.style(), self.places().unwrap_or(usize::MAX));
        for line in text::clean_lines(&redact(wrong)).lines() {
            let ink = if line.starts_with("hint: ") { Ink::Dim } else { Ink::Bad };
            for line in text::wrap(line, places, "").lines() {
                writeln!(self.output, "{}", style.paint(ink, line))?;
            }
        }
        Ok(())
    }

    /// Says something that is no answer.
    fn remark(&mut self, remark: &str) -> Result<(), Failure> {
        let line = text::wrap(&text::clean(remark), self.places().unwrap_or(usize::MAX), "");
        Ok(writeln!(self.output, "{line}")?)
    }

    fn style(&self) -> Style {
        Style::new(self.output.colour())
    }

    fn places(&self) -> Option<usize> {
        self.output.terminal().map(|size| size.width)
    }

    fn view(&self) -> View {
        let view = View {
            places: self.places(),
            style: self.style(),
            sql: self.sql,
            rows: self.rows,
            layout: self.layout,
            sideways: pager::shows_sideways(),
            ask_why: "/why",
            ask_wide: "(cut to the width of the terminal; `\\G` shows every row in full)",
            counted: false,
            totals: self.session.engine().settings().totals,
        };
        view.of(self.session.engine().database())
    }
}
