//! What the commands of the chat do.

use std::io::Write as _;

use super::super::failure::Failure;
use super::super::pager;
use super::super::schema;
use super::super::show::style::{Ink, Style};
use super::super::show::{answer, chart::PLACES, counted, number, sql, text};
use super::command::{COMMANDS, Order};
use super::{Chat, export};
use sqlogue::Error;
use sqlogue::chart::Chart;
use sqlogue::conversation::{ErrorKind, Status, Turn};
use sqlogue::engine::otherwise;
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
            Order::Chart(file) => self.chart(file.as_deref()),
            Order::Export(file) => self.export(&file),
            Order::Otherwise => self.otherwise(),
            Order::Help => self.help(),
            Order::Quit => Ok(()),
        }
    }

    /// What was last shown is no longer what stands.
    fn forget(&mut self) {
        self.last = None;
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
            lines.push_str(&format!("({} before these)\n", counted(dropped, "turn")));
        }
        for turn in &state.turns {
            lines.push_str(&line_of(turn, places, style));
        }
        Ok(pager::show(&mut self.output, &lines, "")?)
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
        let state = self.session.state();
        if state.turn_number == 0 {
            return self.remark("Nothing was asked yet.");
        }
        let path = self.last.as_ref().map(|answer| answer.path.as_slice()).unwrap_or_default();
        let shown = answer::why(state, path, &self.view());
        Ok(self.output.write_all(shown.as_bytes())?)
    }

    fn cost(&mut self) -> Result<(), Failure> {
        let state = self.session.state();
        let (turn, all) = (answer::cost(state.usage), answer::cost(state.total_usage()));
        let said = format!("last answer   {turn}\nconversation  {all}\n");
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
            return Ok(pager::show(&mut self.output, &shown, "")?);
        };
        match known.table(name) {
            Some(table) => Ok(pager::show(&mut self.output, &schema::table_shown(table, &view), "")?),
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

    fn chart(&mut self, file: Option<&str>) -> Result<(), Failure> {
        let rows = self.last.as_ref().and_then(|answer| answer.rows.as_deref());
        let Some(chart) = Chart::of_answer(self.session.state(), rows) else {
            return self.remark("There is no result to draw; ask something first.");
        };
        let Some(file) = file else {
            let shown = chart.to_terminal(self.places().unwrap_or(PLACES), self.output.colour());
            return Ok(self.output.write_all(shown.as_bytes())?);
        };
        match export::chart(file, &chart) {
            Ok(()) => self.remark(&format!("{} It is drawn in {file}.", chart.reason())),
            Err(problem) => self.complain(&problem),
        }
    }

    fn export(&mut self, file: &str) -> Result<(), Failure> {
        let state = self.session.state();
        // After a turn that failed, the result that stands is the one before it.
        let last = self.last.as_ref().filter(|answer| answer.state.status == Status::Completed);
        let result = match (last, &state.current_result) {
            (Some(answer), _) => answer::Result::of(&answer.state, answer.rows.as_deref()),
            (None, Some(kept)) => Some(answer::Result::kept(kept)),
            (None, None) => None,
        };
        let Some(result) = result else {
            return self.remark("There is no result to save; ask something first.");
        };
        let saved = result.rows.len();
        let note = result.cut_note(saved, self.session.engine().settings().max_rows);
        match export::rows(file, &result, self.texts) {
            Ok(()) => {
                self.remark(&format!("{} saved in {file}.", counted(saved as u64, "row")))?;
                note.map_or(Ok(()), |note| self.remark(&note))
            }
            Err(problem) => self.complain(&problem),
        }
    }

    fn help(&mut self) -> Result<(), Failure> {
        let mut shown =
            "Ask in plain words; follow up in fewer: `only those from Rome`, `sort by name`, `how many?`\n\
             Commands can be said in plain words, too: `undo that`, `export this to sales.xlsx`, `what tables are there?`\n\n"
                .to_owned();
        let style = self.style();
        for (name, takes, does) in COMMANDS {
            let usage = format!("{name} {takes}");
            shown.push_str(&format!("  {}  {does}\n", style.paint(Ink::Keyword, &format!("{usage:<16}"))));
        }
        shown.push_str(
            "\nTab completes commands, tables and columns, and values after a quote. Ctrl-C ends a turn.\n",
        );
        Ok(pager::show(&mut self.output, &shown, "")?)
    }
}

/// A turn on one line.
fn line_of(turn: &Turn, places: usize, style: Style) -> String {
    let asked_nothing = turn.error.as_ref().is_some_and(|error| error.kind == ErrorKind::EmptyInput);
    let mark = match (turn.status, turn.intent) {
        (Status::Failed, _) if asked_nothing => "💬",
        (Status::Failed, _) => "❌",
        (Status::AwaitingCorrection, _) => "❓",
        (_, Intent::Refinement | Intent::Correction) => "✨",
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
