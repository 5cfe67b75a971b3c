//! What the commands of the chat do.

use std::io::Write as _;

use super::super::failure::Failure;
use super::super::pager;
use super::super::schema;
use super::super::show::answer::{self, Answered, Layout};
use super::super::show::chart::{PLACES, no_picture};
use super::super::show::style::{Ink, Style};
use super::super::show::{counted, number, sql, text};
use super::command::{COMMANDS, Order};
use super::{Chat, export};
use sqlogue::Error;
use sqlogue::chart::{Chart, Wish};
use sqlogue::conversation::{ErrorKind, Route, Status, Turn};
use sqlogue::engine::{otherwise, why};
use sqlogue::graph::Trace;
use sqlogue::intent::Intent;

impl Chat<'_> {
    /// Does what was asked of the session.
    pub(super) fn obey(&mut self, order: Order) -> Result<(), Failure> {
        match order {
            Order::New => {
                self.session.start_afresh();
                self.remark("The next question stands on its own.")
            }
            Order::History => self.history(),
            Order::Clear => match self.runtime.block_on(self.session.clear()) {
                Ok(()) => {
                    self.forget();
                    self.remark("The conversation is cleared; /undo brings it back.")
                }
                Err(error) => self.wrong(&error),
            },
            Order::Undo => match self.runtime.block_on(self.session.undo()) {
                Ok(Some(input)) => self.went("Took back", &input),
                Ok(None) => self.remark("There is nothing to take back."),
                Err(error) => self.wrong(&error),
            },
            Order::Redo => match self.runtime.block_on(self.session.redo()) {
                Ok(Some(input)) => self.went("Brought back", &input),
                Ok(None) => self.remark("There is nothing to bring back."),
                Err(error) => self.wrong(&error),
            },
            Order::Branch(id) => self.branch(id.as_deref()),
            Order::Use(name) => self.use_database(name.as_deref()),
            Order::Sql(Some(on)) => {
                self.sql = on;
                self.remark(if on { "SQL is shown with every answer." } else { "SQL is shown only by /sql." })
            }
            Order::Sql(None) => self.sql(),
            Order::Why => self.why(),
            Order::Cost => self.cost(),
            Order::Graph(file) => self.graph(file.as_deref()),
            Order::Schema(table) => self.schema(table.as_deref()),
            Order::Chart(wish, file) => self.chart(wish, file.as_deref()),
            Order::Export(file) => self.export(&file),
            Order::Expand => self.expand(),
            Order::Layout(layout) => {
                self.layout = layout;
                self.remark(match layout {
                    Layout::Records => "Rows are shown one below the other.",
                    Layout::Table => "Rows are shown as a table, cut to the terminal.",
                    Layout::Fitting => "Rows are shown as a table where they fit, else one below the other.",
                })
            }
            Order::Copy(what) => self.copy(what),
            Order::Edit => self.edit(),
            Order::Save(file) => self.save(&file),
            Order::Open(file) => self.open(&file),
            Order::Otherwise => self.otherwise(),
            Order::Help => self.help(),
            Order::Quit => Ok(()),
        }
    }

    /// What was last shown is no longer what stands.
    fn forget(&mut self) {
        self.last = None;
        self.stood = None;
        self.trace = None;
    }

    fn went(&mut self, way: &str, input: &str) -> Result<(), Failure> {
        self.forget();
        self.remark(&format!("{way}: {input}"))?;
        let state = self.session.state();
        let stands = match (&state.current_query, &state.current_result) {
            (Some(query), Some(result)) => {
                let places = self.places().unwrap_or(usize::MAX);
                let about = self.style().paint(Ink::Dim, &counted(result.row_count, "row"));
                format!("{}\n{about}", sql::show(query, places, self.style()))
            }
            _ => "The conversation is at its beginning.".to_owned(),
        };
        Ok(writeln!(self.output, "{stands}")?)
    }

    fn branch(&mut self, id: Option<&str>) -> Result<(), Failure> {
        let left = self.session.id().to_owned();
        match self.runtime.block_on(self.session.branch(id)) {
            Ok(id) if self.session.engine().sessions().is_some() => {
                self.remark(&format!("On the branch {id} now; `sqlogue chat --session {left}` goes back."))
            }
            Ok(_) => {
                self.remark("On a branch now. This conversation is not stored, so only /undo leads back.")
            }
            Err(error) => self.wrong(&error),
        }
    }

    fn use_database(&mut self, name: Option<&str>) -> Result<(), Failure> {
        let Some(name) = name else {
            let names = self.session.databases().join(", ");
            return self.remark(&format!("Databases: {names}. `/use NAME` goes over to one."));
        };
        match self.session.use_database(name) {
            Ok(notice) => self.notes(vec![notice]),
            Err(Error::NoDatabase { .. }) => {
                let names = self.session.databases();
                let hint = match schema::nearest(name, names.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => {
                        "name it under `[databases]` in the settings, as `name = \"path or URL\"`".to_owned()
                    }
                };
                self.complain(&format!("there is no database `{name}` here\nhint: {hint}"))
            }
            Err(error) => self.wrong(&error),
        }
    }

    fn history(&mut self) -> Result<(), Failure> {
        let state = self.session.state();
        if state.turns.is_empty() {
            return self.remark("Nothing was asked yet.");
        }
        let (style, places) = (self.style(), self.places().unwrap_or(usize::MAX));
        let dropped = state.turns.first().map_or(0, |turn| turn.number.saturating_sub(1));
        let mut lines = String::new();
        if dropped > 0 {
            lines.push_str(&format!("({} before these, no longer remembered)\n", counted(dropped, "turn")));
        }
        for turn in &state.turns {
            lines.push_str(&line_of(turn, places, style));
        }
        Ok(pager::show(&mut self.output, &lines)?)
    }

    fn sql(&mut self) -> Result<(), Failure> {
        let state = self.session.state();
        let Some(query) = state.query.as_ref().or(state.current_query.as_ref()) else {
            return self.remark("There is no SQL yet.");
        };
        let shown = sql::show(query, self.places().unwrap_or(usize::MAX), self.style());
        Ok(writeln!(self.output, "{shown}")?)
    }

    fn why(&mut self) -> Result<(), Failure> {
        let state = self.last.as_ref().map_or(self.session.state(), |answer| &answer.state);
        if state.turn_number == 0 {
            return self.remark("Nothing was asked yet.");
        }
        if self.last.is_none() && answer::asked_nothing(state) {
            // The reasons for what was asked before a greeting are gone with the answer; what is left is told.
            return why(state).lines().try_for_each(|line| self.remark(line));
        }
        let path = self.last.as_ref().map(|answer| answer.path.as_slice()).unwrap_or_default();
        let shown = answer::why(state, path, &self.view());
        Ok(self.output.write_all(shown.as_bytes())?)
    }

    fn cost(&mut self) -> Result<(), Failure> {
        let state = self.session.state();
        let (turn, all) = (answer::cost(state.usage), answer::cost(state.total_usage()));
        let sent = answer::sent(&state.sent_cells);
        let said = format!("last answer   {turn}\nconversation  {all}\ncells sent    {sent}\n");
        Ok(self.output.write_all(said.as_bytes())?)
    }

    /// Shows the other readings to somebody whom the answer does not suit.
    fn otherwise(&mut self) -> Result<(), Failure> {
        let state = self.session.state();
        let said = otherwise(state);
        if state.pending.is_some() {
            let asked = answer::asked(state, &self.view());
            self.output.write_all(asked.as_bytes())?;
        }
        for line in said.lines() {
            self.remark(line)?;
        }
        Ok(writeln!(
            self.output,
            "{}",
            self.style().paint(Ink::Dim, "(/why says how the question was read)")
        )?)
    }

    fn graph(&mut self, file: Option<&str>) -> Result<(), Failure> {
        let Some(trace) = &self.trace else {
            return self.remark("No turn to show the way of; ask something first.");
        };
        match file {
            None => {
                let shown = way(trace, self.style());
                Ok(self.output.write_all(shown.as_bytes())?)
            }
            Some(file) => {
                let picture = self.session.engine().graph().picture_of(trace);
                match export::picture(file, &picture) {
                    Ok(()) => self.remark(&format!("The way of the last turn is drawn in {file}.")),
                    Err(problem) => self.complain(&problem),
                }
            }
        }
    }

    fn schema(&mut self, table: Option<&str>) -> Result<(), Failure> {
        let database = self.session.engine().database();
        let known = self.runtime.block_on(database.introspect()).map_err(Error::from)?;
        let view = self.view();
        let Some(name) = table else {
            let shown = schema::overview(&known, &view);
            return Ok(pager::show(&mut self.output, &shown)?);
        };
        match known.table(name) {
            Some(table) => Ok(pager::show(&mut self.output, &schema::table_shown(table, &view))?),
            None => {
                let near = schema::nearest(name, known.tables.iter().map(|table| table.name.as_str()));
                let hint = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "/schema lists all of them".to_owned(),
                };
                self.complain(&format!("there is no table `{name}`\nhint: {hint}"))
            }
        }
    }

    fn chart(&mut self, wish: Option<Wish>, file: Option<&str>) -> Result<(), Failure> {
        let rows = self.last.as_ref().and_then(|answer| answer.rows.as_deref());
        let Some(chart) = Chart::of_answer_as(self.session.state(), rows, wish) else {
            return self.remark("There is no result to draw; ask something first.");
        };
        if wish.is_some() && !chart.is_picture() {
            let fitting = Chart::of_answer_as(self.session.state(), rows, None);
            let is_drawn = fitting.is_some_and(|fitting| fitting.is_picture());
            self.remark(&no_picture(chart.reason()))?;
            return if is_drawn { self.remark("`/chart` draws what fits.") } else { Ok(()) };
        }
        let Some(file) = file else {
            let shown = chart.to_terminal(self.places().unwrap_or(PLACES), self.output.colour());
            let shown = no_picture(&shown);
            return Ok(self.output.write_all(shown.as_bytes())?);
        };
        match export::chart(file, &chart) {
            Ok(()) => self.remark(&format!("{} It is drawn in {file}.", chart.reason())),
            Err(problem) => self.complain(&problem),
        }
    }

    /// The rows that stand: all of the last answer, or after a turn that failed those of the one before it.
    pub(super) fn standing(&self) -> Option<answer::Result<'_>> {
        let last = self.last.as_ref().filter(|answer| answer.state.status == Status::Completed);
        match (last, &self.session.state().current_result) {
            (Some(answer), _) => answer::Result::of(&answer.state, answer.rows.as_deref()),
            (None, Some(kept)) => match self.stood.as_deref() {
                Some(rows) => Some(answer::Result::whole(rows)),
                None => Some(answer::Result::kept(kept)),
            },
            (None, None) => None,
        }
    }

    fn expand(&mut self) -> Result<(), Failure> {
        let view = self.view();
        let Some(result) = self.standing() else {
            return self.remark("There is no result to show; ask something first.");
        };
        let first = result.first(view.rows);
        let count = result.cut(first.len()).unwrap_or_else(|| counted(result.count, "row"));
        let numbers = answer::numbers(self.session.state(), &result, first, &view);
        let shown = Layout::Records.draw(&result, first, &numbers, &view).lines;
        let count = format!("\n{}\n", view.style.paint(Ink::Dim, &count));
        let shown = Answered { body: shown, foot: count, ..Answered::default() };
        Ok(pager::answer(&mut self.output, &shown)?)
    }

    fn export(&mut self, file: &str) -> Result<(), Failure> {
        let Some(result) = self.standing() else {
            return self.remark("There is no result to save; ask something first.");
        };
        let saved = result.rows.len();
        let note = result.cut_note(saved, self.session.engine().settings().max_rows);
        let question = (self.last.as_ref())
            .filter(|answer| answer.state.status == Status::Completed)
            .map_or("", |answer| answer.state.user_question.as_str());
        match export::rows(file, question, &result, self.texts) {
            Ok(()) => {
                self.remark(&format!("{} saved in {file}.", counted(saved as u64, "row")))?;
                note.map_or(Ok(()), |note| self.remark(&note))
            }
            Err(problem) => self.complain(&problem),
        }
    }

    fn help(&mut self) -> Result<(), Failure> {
        let (style, places) = (self.style(), self.places().unwrap_or(PLACES));
        let mut shown = String::new();
        let mut say = |line: &str, indent: &str| {
            shown.push_str(&text::wrap(line, places, indent));
            shown.push('\n');
        };
        say(
            "Ask in plain words, and follow up in fewer: `only the first 5`, `sort by name`, `how many?`",
            "",
        );
        for example in self.examples() {
            say(&format!("  {}", text::clean(&example)), "    ");
        }
        say(
            "SQL can be typed too; it is checked and runs read-only. `\\G` at its end shows rows one below the other.",
            "",
        );
        say(
            "Commands can be said in plain words, too: `undo that`, `plot that`, `export this to sales.xlsx`, \
             `what tables are there?`",
            "",
        );
        say("", "");
        let usages: Vec<String> =
            COMMANDS.iter().map(|(name, takes, _)| format!("{name} {takes}").trim_end().to_owned()).collect();
        let widest = usages.iter().map(String::len).max().unwrap_or(0);
        for (usage, (.., does)) in usages.iter().zip(COMMANDS) {
            // On a narrow terminal what a command does stands below it.
            let (between, indent) = match places >= widest + 30 {
                true => (" ".repeat(widest.saturating_sub(usage.len()) + 2), " ".repeat(widest + 4)),
                false => ("\n      ".to_owned(), "      ".to_owned()),
            };
            let does = text::wrap(does, places.saturating_sub(indent.len()), "")
                .replace('\n', &format!("\n{indent}"));
            shown.push_str(&format!("  {}{between}{does}\n", style.paint(Ink::Keyword, usage)));
        }
        let end = "\\d, \\dt, .tables, .schema, \\x, \\e, \\q and the like do what they do elsewhere. Tab completes commands, tables \
                   and columns, and values after a quote. Ctrl-C ends a turn.";
        shown.push_str(&format!("\n{}\n", text::wrap(end, places, "")));
        Ok(pager::show(&mut self.output, &shown)?)
    }
}

/// A turn on one line.
fn line_of(turn: &Turn, places: usize, style: Style) -> String {
    let asked_nothing = turn.error.as_ref().is_some_and(|error| error.kind == ErrorKind::EmptyInput);
    let mark = match (turn.status, turn.intent) {
        (Status::Failed, _) if asked_nothing => "💬",
        (Status::Failed, _) => "❌",
        (Status::AwaitingCorrection, _) => "❓",
        (_, Intent::Refinement | Intent::Correction) if turn.route != Some(Route::New) => "✨",
        _ => "🆕",
    };
    let outcome = match (turn.status, &turn.result) {
        (Status::Failed, _) if asked_nothing => String::new(),
        (Status::Failed, _) => "failed".to_owned(),
        (Status::AwaitingCorrection, _) => "asked back".to_owned(),
        (_, Some(result)) => counted(result.row_count, "row"),
        (_, None) => String::new(),
    };
    let about = match &turn.refinement_summary {
        Some(summary) if !summary.is_empty() => format!("{outcome} · {summary}"),
        _ => outcome,
    };
    let (input, about) = (text::clean(&turn.input), text::clean(&about));
    let left = places.saturating_sub(10);
    let input = text::cut(&input, left);
    let about = text::cut(&about, left.saturating_sub(text::width(&input)).max(1)).into_owned();
    format!("{:>3} {mark} {input}  {}\n", turn.number, style.paint(Ink::Dim, &about))
}

/// The way a turn took, a line for each node, with the decision after it.
fn way(trace: &Trace, style: Style) -> String {
    let widest = trace.path().map(|node| shown_node(node).len()).max().unwrap_or(0);
    let mut lines = String::new();
    let (mut steps, mut took) = (0_u64, 0_u64);
    for step in &trace.steps {
        let decided: Vec<String> =
            step.decided.iter().map(|choice| choice.branch.replace('_', " ")).collect();
        let decided =
            if decided.is_empty() { String::new() } else { format!("→ {}", decided.join(" → ")) };
        let (name, time) = if step.node.starts_with('[') {
            ("start".to_owned(), String::new())
        } else {
            steps += 1;
            took += step.took_us;
            (shown_node(&step.node), number::duration(std::time::Duration::from_micros(step.took_us)))
        };
        let padding = " ".repeat(widest.saturating_sub(name.len()));
        let line = format!(
            "{}{padding}  {}  {decided}",
            style.paint(Ink::Bold, &name),
            style.paint(Ink::Dim, &format!("{time:>8}"))
        );
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    let sum =
        format!("{}, {}", counted(steps, "step"), number::duration(std::time::Duration::from_micros(took)));
    lines + &style.paint(Ink::Dim, &sum) + "\n"
}

/// A node of the planner stands a little to the right.
fn shown_node(node: &str) -> String {
    match node.split_once('/') {
        Some((_, inner)) => format!("  {inner}"),
        None => node.to_owned(),
    }
}
