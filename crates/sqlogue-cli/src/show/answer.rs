//! What people see after a turn.

use std::time::Duration;

use super::style::{Ink, Style};
use super::table::{Drawn, Numbers};
use super::{counted, number, records, sql, table, text};
pub(crate) use sqlogue::answer::{Shown as Result, replied};
use sqlogue::conversation::{ConversationState, ErrorKind, SentCells, Status, Usage};
use sqlogue::database::{Database, Rows};
use sqlogue::intent::Intent;
use sqlogue::plan::{Confidence, Expr};
use sqlogue::schema::Value;
use sqlogue::sentence::sentence;
use sqlogue::sql::Dialect;
use sqlogue::totals::totals_of;

/// How much of an answer is shown, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    /// The width of the terminal; none for a pipe.
    pub(crate) places: Option<usize>,
    /// Colours, or none.
    pub(crate) style: Style,
    /// Whether the SQL is shown.
    pub(crate) sql: bool,
    /// At most so many rows.
    pub(crate) rows: usize,
    /// How rows are laid out.
    pub(crate) layout: Layout,
    /// Whether the schema's numbers of rows are exact.
    pub(crate) counted: bool,
    /// Whether numbers that may be added up have their total below them.
    pub(crate) totals: bool,
    /// Whether there is a pager that shows lines wider than the terminal from left to right.
    pub(crate) sideways: bool,
    /// What to do to learn why an answer is what it is.
    pub(crate) ask_why: &'static str,
    /// What to do to see all of a row.
    pub(crate) ask_wide: &'static str,
}

impl View {
    /// The same for the answers of a database.
    pub(crate) fn of(self, database: &dyn Database) -> Self {
        // Servers estimate how many rows there are.
        Self { counted: database.dialect() == Dialect::Sqlite, ..self }
    }
}

/// How rows are laid out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Layout {
    /// As a table where its cells fit; else few rows as records, and many as a table that is wider than the terminal.
    #[default]
    Fitting,
    /// As a table, cut to the terminal.
    Table,
    /// As records, a line for each cell.
    Records,
}

/// The places of a table that is looked at through a pager, from left to right.
const WIDE: usize = 4_000;

/// So few rows are read as records with ease.
const FEW_ROWS: usize = 50;

impl Layout {
    /// The rows so laid out.
    pub(crate) fn draw(
        self,
        result: &Result<'_>,
        rows: &[Vec<Value>],
        numbers: &Numbers,
        view: &View,
    ) -> Drawn {
        let records = || records::draw(result.columns, rows, numbers, view.places, view.style);
        let table_in = |places| table::draw_with(result.columns, rows, numbers, places, view.style);
        let table = || table_in(view.places);
        match self {
            Self::Records => records(),
            Self::Table => table(),
            Self::Fitting => {
                let drawn = table();
                match drawn.left_out.is_empty() && !drawn.cut {
                    true => drawn,
                    false if rows.len() <= FEW_ROWS => records(),
                    false if !view.sideways => drawn,
                    false => Drawn { wide: true, ..table_in(Some(WIDE)) },
                }
            }
        }
    }
}

/// An answer in parts: who leaves a long one early still wants to know how long it was.
#[derive(Debug, Default)]
pub(crate) struct Answered {
    /// The SQL and the rows.
    pub(crate) body: String,
    /// How many rows there are.
    pub(crate) foot: String,
    /// What else there is to say.
    pub(crate) notes: String,
    /// Whether the rows are wider than the terminal, to be looked at from left to right.
    pub(crate) wide: bool,
}

/// The SQL, the rows, and what there is to say about them.
pub(crate) fn answered(
    state: &ConversationState,
    rows: Option<&Rows>,
    took: Duration,
    view: &View,
) -> Answered {
    let (mut shown, mut foot, mut wide) = (String::new(), String::new(), false);
    if view.sql
        && let Some(query) = &state.query
    {
        shown.push_str(&sql::show(query, view.places.unwrap_or(usize::MAX), view.style));
        shown.push_str("\n\n");
    }
    if let Some(sentence) = view.places.and_then(|_| sentence(state, view.counted)) {
        push_line(&mut shown, Ink::Bold, &sentence, view);
        shown.push('\n');
    }
    if let Some(result) = Result::of(state, rows) {
        let first = result.first(view.rows);
        if !first.is_empty() {
            let drawn = view.layout.draw(&result, first, &numbers(state, &result, first, view), view);
            wide = drawn.wide;
            shown.push_str(&drawn.lines);
            shown.push('\n');
            if !drawn.left_out.is_empty() {
                let what = format!("columns not shown: {}", drawn.left_out.join(", "));
                push_line(&mut foot, Ink::Dim, &what, view);
            }
            if drawn.cut || !drawn.left_out.is_empty() {
                push_line(&mut foot, Ink::Dim, view.ask_wide, view);
            }
        }
        let count = result.cut(first.len()).unwrap_or_else(|| counted(result.count, "row"));
        push_line(&mut foot, Ink::Dim, &format!("{count} ({})", number::duration(took)), view);
    }
    Answered { body: shown, foot, notes: said(state, view), wide }
}

/// What is known of the numbers of an answer. Only where all rows are shown do they have totals, and only for people.
pub(crate) fn numbers(
    state: &ConversationState,
    result: &Result<'_>,
    shown: &[Vec<Value>],
    view: &View,
) -> Numbers {
    let is_whole = result.cut(shown.len()).is_none() && view.places.is_some();
    let totals = is_whole.then(|| totals_of(state, result.columns, shown)).flatten();
    let projection = state.current_plan().map(|plan| plan.select.projection.as_slice()).unwrap_or_default();
    let computed = projection.iter().map(|one| !matches!(one.expr, Expr::Column(_) | Expr::All(_)));
    // Which expression stands in which column is not known where there is one for all.
    let computed = if projection.len() == result.columns.len() { computed.collect() } else { Vec::new() };
    let is_part = state.current_plan().is_some_and(|plan| plan.limit.is_some() || plan.offset.is_some());
    Numbers { totals: totals.filter(|_| view.totals), is_part, computed }
}

/// What there is to say about an answer besides its rows.
fn said(state: &ConversationState, view: &View) -> String {
    let mut shown = String::new();
    for note in state.message.iter().flat_map(|message| message.lines()) {
        push_line(&mut shown, Ink::Notice, &format!("note: {note}"), view);
    }
    for line in doubts(state, view.ask_why) {
        push_line(&mut shown, Ink::Notice, &line, view);
    }
    shown
}

/// The lines to say of an answer that may not be what was meant: that it is not sure, and the other ways to read the question,
/// each with the number that takes it.
pub(crate) fn doubts(state: &ConversationState, ask_why: &str) -> Vec<String> {
    let others = state.other_readings();
    let doubt = doubt(state, ask_why).map(|doubt| format!("note: {doubt}"));
    let heading = (!others.is_empty()).then(|| "Also possible:".to_owned());
    let readings = (2..).zip(others);
    let readings = readings.map(|(number, choice)| format!("  {number}  {}", text::clean(&choice.meaning)));
    doubt.into_iter().chain(heading).chain(readings).collect()
}

/// What there is to say of an answer that is not sure, and what to do to learn why.
fn doubt(state: &ConversationState, ask_why: &str) -> Option<String> {
    if state.status != Status::Completed {
        return None;
    }
    if state.answer_confidence != Some(Confidence::Low) && state.left_out.is_empty() {
        // What was chosen for the person is said of an answer that is probably right, too.
        return state.doubts.first().map(|doubt| text::clean(doubt).into_owned());
    }
    let words: Vec<String> = state.left_out.iter().map(|words| format!("`{}`", text::clean(words))).collect();
    let left_out = (!words.is_empty()).then(|| format!("{} left out", words.join(", ")));
    // The first of many reasons is enough to decide whether to ask for all of them.
    let reason = left_out.or_else(|| state.doubts.first().map(|doubt| text::clean(doubt).into_owned()));
    let because = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    Some(format!("not sure that this is what was meant{because}; {ask_why} says how it was read"))
}

/// True after what held no question: a greeting, a command in plain words.
pub(crate) fn asked_nothing(state: &ConversationState) -> bool {
    state.error.as_ref().is_some_and(|error| error.kind == ErrorKind::EmptyInput)
}

/// Why a turn failed.
pub(crate) fn failed(state: &ConversationState) -> String {
    let said = state.error.as_ref().map(|error| error.message.as_str()).or(state.message.as_deref());
    text::clean_lines(said.unwrap_or("the turn failed, and nothing is known about why")).into_owned()
}

/// The question that sqlogue asks back, with numbered options.
pub(crate) fn asked(state: &ConversationState, view: &View) -> String {
    let mut shown = String::new();
    let Some(pending) = &state.pending else { return shown };
    // What a command in words had to tell stands before the question that stays open.
    let told = state.message.iter().filter(|_| state.intent == Some(Intent::Command));
    for line in told.flat_map(|message| message.lines()).filter(|line| *line != pending.question) {
        push_line(&mut shown, Ink::Notice, line, view);
    }
    push_line(&mut shown, Ink::Bold, &pending.question, view);
    let widest = pending.options().iter().map(|option| text::width(&option.label)).max().unwrap_or(0);
    for (number, option) in (1..).zip(pending.options()) {
        let label = text::clean(&option.label);
        let padding = " ".repeat(widest.saturating_sub(text::width(&label)));
        let meaning = if option.meaning == option.label { "" } else { option.meaning.as_str() };
        let line = format!("  {number}. {label}{padding}  {}", text::clean(meaning));
        let line = wrapped(line.trim_end(), view, &" ".repeat(7 + widest));
        shown.push_str(&line);
        shown.push('\n');
        if let Some(preview) = option.preview.as_ref().filter(|preview| !preview.rows.is_empty()) {
            let places = view.places.map(|places| places.saturating_sub(5));
            let numbers = Numbers { computed: vec![true; preview.columns.len()], ..Numbers::default() };
            let drawn = table::draw_with(&preview.columns, &preview.rows, &numbers, places, view.style);
            for line in drawn.lines.lines() {
                shown.push_str(&format!("     {line}\n"));
            }
        }
    }
    shown
}

/// What a model was asked, in calls and tokens.
pub(crate) fn cost(usage: Usage) -> String {
    let Usage { llm_calls, prompt_tokens, completion_tokens } = usage;
    let grouped = number::grouped;
    match llm_calls {
        0 => "no model was asked".to_owned(),
        calls => format!(
            "{}, {} tokens of prompts and {} of answers",
            counted(calls, "model call"),
            grouped(prompt_tokens),
            grouped(completion_tokens)
        ),
    }
}

/// Which cells of the database a model was shown, on one line.
pub(crate) fn sent(cells: &[SentCells]) -> String {
    let columns = cells.iter().map(|sent| {
        let cells: Vec<String> = sent.cells.iter().map(|cell| format!("`{}`", text::clean(cell))).collect();
        format!("{}: {}", text::clean(&sent.column), cells.join(", "))
    });
    let columns: Vec<String> = columns.collect();
    if columns.is_empty() { "none".to_owned() } else { columns.join("; ") }
}

/// How a turn was understood: intent, route, reasons, and the way through the graph.
pub(crate) fn why(state: &ConversationState, path: &[String], view: &View) -> String {
    let mut shown = String::new();
    let mut fact = |name: &str, text: &str| {
        let line = wrapped(&format!("{name:<11}{}", text::clean(text)), view, &" ".repeat(11));
        let (name, rest) = line.split_at_checked(11).unwrap_or((&line, ""));
        shown.push_str(&format!("{}{rest}\n", view.style.paint(Ink::Dim, name)));
    };
    if let (Some(intent), Some(confidence)) = (state.intent, state.confidence) {
        let signals: Vec<String> = state.signals.iter().map(signal).collect();
        let because = if signals.is_empty() { String::new() } else { format!(": {}", signals.join(", ")) };
        fact(
            "taken for",
            &format!("{} ({} confidence){because}", intent_in_words(intent), confidence.name()),
        );
    }
    if let Some(route) = state.route {
        fact("route", route.name());
    }
    if let Some(instructions) = &state.router_instructions {
        fact("asked for", instructions);
    }
    // What was asked for is often the first of the reasons, and was said in the line above.
    let reasons =
        state.explanation.iter().filter(|reason| Some(*reason) != state.router_instructions.as_ref());
    for (number, reason) in reasons.enumerate() {
        fact(if number == 0 { "reasons" } else { "" }, reason);
    }
    if let Some(confidence) = state.answer_confidence {
        fact("answer", &format!("{} confidence", confidence.name()));
    }
    if state.usage.llm_calls > 0 {
        fact("cost", &cost(state.usage));
        fact("cells sent", &sent(&state.sent_cells));
    }
    if !path.is_empty() {
        fact("path", &path.join(" → "));
    }
    shown
}

fn signal(signal: &sqlogue::intent::Signal) -> String {
    let rule = signal.rule.name().replace('_', " ");
    if signal.evidence.is_empty() { rule } else { format!("{rule} `{}`", text::clean(&signal.evidence)) }
}

/// An intent as people would say it.
pub(crate) fn intent_in_words(intent: Intent) -> &'static str {
    match intent {
        Intent::NewQuery => "a new question",
        Intent::Refinement => "a follow-up",
        Intent::Correction => "a choice between readings",
        Intent::Command => "a command",
    }
}

fn push_line(shown: &mut String, ink: Ink, line: &str, view: &View) {
    // What goes on in another line stands below the first word, and beside the number of a reading.
    let indent = if line.starts_with("  ") { "     " } else { "" };
    let line = wrapped(&text::clean(line), view, indent);
    for line in line.lines() {
        shown.push_str(&view.style.paint(ink, line));
        shown.push('\n');
    }
}

fn wrapped(line: &str, view: &View, indent: &str) -> String {
    match view.places {
        Some(places) => text::wrap(line, places, indent),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_do_not_fit_are_laid_out_otherwise() {
        let columns = ["name", "comment"].map(str::to_owned);
        let row = vec![Value::from("Ada"), Value::from("a comment that is longer than the terminal is wide")];
        let rows = vec![row; 60];
        let result = Result { columns: &columns, rows: &rows, count: 60, truncated: false };
        let drawn_by = |sideways: bool, layout: Layout, places: usize, rows: &[Vec<Value>]| {
            let view = View {
                places: Some(places),
                sideways,
                style: Style::default(),
                sql: true,
                rows: usize::MAX,
                layout,
                counted: true,
                totals: true,
                ask_why: "",
                ask_wide: "",
            };
            layout.draw(&result, rows, &Numbers::default(), &view)
        };
        let drawn = |layout: Layout, places: usize, rows: &[Vec<Value>]| drawn_by(true, layout, places, rows);
        let fits = drawn(Layout::Fitting, 80, &rows);
        assert!(fits.lines.starts_with(" name │ comment") && !fits.wide && !fits.cut);
        let few = drawn(Layout::Fitting, 30, &rows[..2]);
        assert!(few.lines.starts_with("─ 1 ─") && !few.cut, "{}", few.lines);
        let many = drawn(Layout::Fitting, 30, &rows);
        assert!(many.wide && !many.cut && many.lines.contains("terminal is wide"), "looked at in the pager");
        let cut = drawn_by(false, Layout::Fitting, 30, &rows);
        assert!(
            !cut.wide && cut.cut && cut.lines.lines().all(|line| text::width(line) <= 30),
            "{}",
            cut.lines
        );
        let table = drawn(Layout::Table, 30, &rows[..2]);
        assert!(table.cut && table.lines.lines().all(|line| text::width(line) <= 30));
        assert!(drawn(Layout::Records, 80, &rows).lines.starts_with("─ 1 ─"));
    }
}
