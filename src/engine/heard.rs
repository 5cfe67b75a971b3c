//! What is said to those who ask nothing of the data: commands in plain words, and courtesies.
//!
//! A turn that holds a command is answered here and goes no further: what the database and the last answer have to tell
//! is told, and what only a chat can do is said.

use super::Engine;
use crate::ambiguity::{self, Correction, nearest};
use crate::conversation::{ConversationState, ErrorKind, Status, Turn, TurnError};
use crate::intent::{self, Courtesy, Intent, Spoken};
use crate::schema::Schema;
use sqlogue_base::number::grouped;

/// A question longer than this many bytes is not read; what is longer is a document, not a question.
const MAX_INPUT_BYTES: usize = 8 * 1024;

/// Of a large schema only so many tables are named.
const MOST_TABLES: usize = 50;

/// A command in plain words, with what there is to say to it.
pub(super) struct Heard {
    pub(super) command: &'static str,
    pub(super) reply: String,
}

impl Engine {
    /// The command that an input is in plain words (`undo that`, `what tables are there?`); none for a question, and for
    /// what answers the question that was asked back or takes another reading.
    ///
    /// Only a caller that keeps the conversation can obey every one of them; a turn with one says what there is to say.
    pub async fn spoken(&self, input: &str, state: &ConversationState) -> Option<Spoken> {
        self.spoken_with(input, state).await.map(|(spoken, _)| spoken)
    }

    async fn spoken_with(&self, input: &str, state: &ConversationState) -> Option<(Spoken, Schema)> {
        if input.len() > MAX_INPUT_BYTES {
            return None;
        }
        // Reading the schema is worth it only for what may be a command.
        intent::spoken(input, None)?;
        let answers = |pending| ambiguity::answer(input, pending).is_some();
        let chooses = match (&state.pending, &state.readings) {
            (Some(pending), _) => answers(pending),
            (None, Some(readings)) => ambiguity::taken(input, &readings.choices).is_some(),
            (None, None) => false,
        };
        if chooses {
            return None;
        }
        // A database that cannot be read has no tables to tell of; the rest can be said without.
        let schema = match self.knowledge().await {
            Ok(knowledge) => knowledge.schema().clone(),
            Err(error) => {
                tracing::warn!(%error, "the tables are not known");
                Schema::default()
            }
        };
        let spoken = intent::spoken(input, Some(&schema))?;
        let has_answer = state.current_query.is_some() || state.pending.is_some();
        match &spoken {
            Spoken::Wrong if !has_answer => None,
            Spoken::Tables | Spoken::Describe(_) if schema.tables.is_empty() => None,
            _ => Some((spoken, schema)),
        }
    }

    /// The command in an input, with what a turn says to it.
    pub(super) async fn heard(&self, words: &str, state: &ConversationState) -> Option<Heard> {
        let input = match intent::resets(words) {
            Some((_, rest)) => rest,
            None => words,
        };
        let (spoken, schema) = self.spoken_with(input, state).await?;
        let (command, reply) = match spoken {
            // Whoever says goodbye is answered as politely.
            Spoken::Quit => {
                intent::courtesy(words).is_none().then(|| ("quit", returned(Courtesy::Farewell, state)))?
            }
            Spoken::Undo => ("undo", only_in_chat("take a turn back", "/undo", state)),
            Spoken::Redo => ("redo", only_in_chat("bring a turn back", "/redo", state)),
            Spoken::Clear => ("clear", only_in_chat("forget the conversation", "/clear", state)),
            Spoken::Export(_) => ("export", only_in_chat("save a result", "/export FILE", state)),
            Spoken::Chart => ("chart", only_in_chat("draw a result", "/chart", state)),
            Spoken::StartOver => ("new", NOTHING_NEW.to_owned()),
            Spoken::Sql => (
                "sql",
                match &state.current_query {
                    Some(query) => format!("The SQL of the last answer:\n{query}"),
                    None => "There is no SQL yet; ask a question first.".to_owned(),
                },
            ),
            Spoken::Why => ("why", why(state)),
            Spoken::Tables => ("tables", tables(&schema)),
            Spoken::Describe(name) => ("describe", described(&schema, &name)),
            Spoken::Help => ("help", help(&schema)),
            Spoken::Wrong => ("wrong", otherwise(state)),
            Spoken::History => ("history", history(state)),
        };
        Some(Heard { command, reply })
    }
}

/// What is said where a new question was announced and not asked.
pub(super) const NOTHING_NEW: &str =
    "A new question begins here, and none was asked. Ask it in the same line.";

/// What is said of what needs a conversation that somebody keeps.
fn only_in_chat(what: &str, command: &str, state: &ConversationState) -> String {
    let stands = if state.current_query.is_some() { " The last answer stands." } else { "" };
    format!("Only a chat can {what}: `{command}` does it there.{stands}")
}

/// The tables, with how many rows they have where that is known.
fn tables(schema: &Schema) -> String {
    let shown = schema.tables.iter().take(MOST_TABLES).map(|table| match table.row_count {
        Some(1) => format!("{} (1 row)", table.name),
        Some(rows) => format!("{} ({} rows)", table.name, grouped(rows)),
        None => table.name.clone(),
    });
    let shown: Vec<String> = shown.collect();
    let more = match schema.tables.len().saturating_sub(MOST_TABLES) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let example = schema.tables.first().map(|table| table.name.as_str()).unwrap_or_default();
    format!("Tables: {}{more}. `describe {example}` lists the columns of one.", shown.join(", "))
}

/// The columns of a table.
fn described(schema: &Schema, name: &str) -> String {
    let Some(table) = schema.table(name) else {
        let near = nearest(name, schema.tables.iter().map(|table| table.name.as_str()));
        let hint = match near {
            Some(near) => format!("Did you mean `{near}`?"),
            None => "`list the tables` names all of them.".to_owned(),
        };
        return format!("There is no table `{name}`. {hint}");
    };
    let columns: Vec<String> =
        table.columns.iter().map(|column| format!("{} ({})", column.name, column.declared_type)).collect();
    let about = table.description.as_deref().map(|about| format!("\n{about}")).unwrap_or_default();
    format!("`{}` has {}.{about}", table.name, columns.join(", "))
}

/// What can be asked, with a table of the database as the example.
fn help(schema: &Schema) -> String {
    let names: Vec<&str> = schema.tables.iter().take(3).map(|table| table.name.as_str()).collect();
    let (about, example) = match names.as_slice() {
        [] => (String::new(), String::new()),
        [first, ..] => {
            (format!(" about {} and so on", names.join(", ")), format!(": `How many {first} are there?`"))
        }
    };
    format!(
        "Ask in plain words{about}{example}. Follow up in fewer: `only those from Rome`, `sort by name`.\n\
         You can also say `what tables are there?`, `describe` and a table, `show the SQL`, `why?` and `that's wrong`."
    )
}

/// The last turn that asked something.
fn last_asked(state: &ConversationState) -> Option<&Turn> {
    state.turns.iter().rev().find(|turn| !said_nothing(turn))
}

fn said_nothing(turn: &Turn) -> bool {
    turn.error.as_ref().is_some_and(|error| error.kind == ErrorKind::EmptyInput)
}

/// What is said where no question is remembered.
fn forgotten(state: &ConversationState) -> String {
    match &state.current_query {
        Some(query) => format!("The last question is too long ago to tell of. SQL: {query}"),
        None => "Nothing was asked yet.".to_owned(),
    }
}

/// How the last question was understood.
pub fn why(state: &ConversationState) -> String {
    let Some(turn) = last_asked(state) else { return forgotten(state) };
    if let (Status::Failed, Some(error)) = (turn.status, &turn.error) {
        return format!("`{}` was not answered. {}", turn.input, error.message);
    }
    let taken = match turn.intent {
        Intent::NewQuery => "a new question",
        Intent::Refinement => "a follow-up",
        Intent::Correction => "a choice between readings",
        Intent::Command => "a command",
    };
    let mut lines =
        vec![format!("`{}` was taken for {taken} ({} confidence).", turn.input, turn.confidence.name())];
    lines.extend(turn.refinement_summary.clone().filter(|summary| !summary.is_empty()));
    // The reasons are those of the turn before; a command in between has none.
    if state.turns.last().is_some_and(|last| last.id == turn.id) {
        lines.extend(state.explanation.iter().cloned());
    }
    if let Some(confidence) = turn.answer_confidence {
        lines.push(format!("The answer has {} confidence.", confidence.name()));
    }
    lines.extend(left_out(turn));
    lines.extend(turn.query.as_ref().map(|query| format!("SQL: {query}")));
    lines.join("\n")
}

/// That words were left out of an answer.
fn left_out(turn: &Turn) -> Option<String> {
    let words: Vec<String> = turn.left_out.iter().map(|words| format!("`{words}`")).collect();
    (!words.is_empty()).then(|| format!("Left out: {}.", words.join(", ")))
}

/// The other ways to take the last question, for somebody whom the answer does not suit; where there are none, how to say
/// it otherwise.
pub fn otherwise(state: &ConversationState) -> String {
    if state.pending.is_some() {
        // The choices are shown beside it.
        return "Say the number of the one you mean, or ask in other words.".to_owned();
    }
    let Some(turn) = last_asked(state) else { return forgotten(state) };
    if turn.status == Status::Failed {
        return format!("`{}` was not answered. Say it in other words.", turn.input);
    }
    let others = state.readings.as_ref().map(|readings| readings.choices.others()).unwrap_or_default();
    let mut lines: Vec<String> = left_out(turn).into_iter().collect();
    if let Some(Correction::TableSelection { selected_table, rejected_tables }) = state.corrections.last()
        && let Some(other) = rejected_tables.first()
    {
        lines.push(format!(
            "You chose `{selected_table}`. Say `use {other} instead of {selected_table}` for the other."
        ));
    } else if others.is_empty() {
        lines.push("I know no other way to read the question.".to_owned());
        let table = state.schema.iter().flat_map(|schema| &schema.tables).next();
        let column = table.and_then(|table| Some((table, table.columns.last()?)));
        let example = column
            .map(|(table, column)| format!(", such as `{}.{}`", table.name, column.name))
            .unwrap_or_default();
        lines.push(format!(
            "Ask again in other words and name the tables or columns you mean{example}, or say what to change: \
             `only …`, `without …`, `by …`."
        ));
    } else {
        lines.push("The question can also be read so:".to_owned());
        let others = (2..).zip(others);
        lines.extend(others.map(|(number, choice)| format!("  {number}  {}", choice.meaning)));
        lines.push("`2` takes the first of these. If none fits, ask again in other words.".to_owned());
    }
    lines.join("\n")
}

/// The questions so far.
fn history(state: &ConversationState) -> String {
    let asked = state.turns.iter().filter(|turn| !said_nothing(turn));
    let lines: Vec<String> = asked.map(|turn| format!("{}  {}", turn.number, turn.input)).collect();
    if lines.is_empty() { forgotten(state) } else { lines.join("\n") }
}

/// What is said to somebody who was friendly and asked nothing.
pub(super) fn returned(courtesy: Courtesy, state: &ConversationState) -> String {
    let said = match courtesy {
        Courtesy::Greeting => "Hello!",
        Courtesy::Thanks => "You are welcome.",
        Courtesy::Farewell => "Goodbye.",
        Courtesy::Agreement => "Good.",
        Courtesy::Remark => "All right.",
    };
    if state.current_query.is_some() {
        return format!("{said} The last answer stands; follow up on it, or ask something new.");
    }
    let tables = state.schema.iter().flat_map(|schema| &schema.tables).map(|table| table.name.as_str());
    let tables: Vec<&str> = tables.take(3).collect();
    match tables.as_slice() {
        [] => format!("{said} Ask in plain words what you want to know of the data in `{}`.", state.database),
        tables => format!("{said} Ask in plain words about {} and so on.", tables.join(", ")),
    }
}

/// The input without characters that control a terminal, cut to what is read, and what is wrong with it.
pub(super) fn readable(words: &str) -> (String, Option<TurnError>) {
    if words.len() > MAX_INPUT_BYTES {
        let shown: String = words.chars().filter(|character| !character.is_control()).take(80).collect();
        let message = format!(
            "The question is {} bytes long, and at most {MAX_INPUT_BYTES} are read. Please ask for one thing at a time.",
            words.len()
        );
        return (format!("{shown}…"), Some(TurnError::new(ErrorKind::InputTooLong, message)));
    }
    let input: String =
        words.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    let input = input.trim().to_owned();
    let problem = (!input.chars().any(char::is_alphanumeric)).then(|| {
        let message = "There is no question. Ask something like: How many customers are there?";
        TurnError::new(ErrorKind::EmptyInput, message)
    });
    (input, problem)
}
