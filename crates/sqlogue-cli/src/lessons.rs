//! `sqlogue lessons`: what was learnt about databases, and what people add to it.

use std::io::Write as _;

use clap::{Args, Subcommand, ValueEnum};

use super::args::Format;
use super::connect::Setup;
use super::failure::{Exit, Failure};
use super::line::to_json;
use super::output::{self, Output};
use super::pager;
use super::show::{table, text};
use sqlogue::engine::open_lessons;
use sqlogue::graph::{Clock as _, SystemClock};
use sqlogue::lesson::{Filter, Lesson, LessonError, LessonId, LessonKind, Origin, Teaching};
use sqlogue::plan::{ColumnRef, JoinCondition};
use sqlogue::schema::Value;
use sqlogue::sql::{Definition, Dialect, guard};

/// What `lessons` takes.
#[derive(Debug, Args)]
pub(super) struct LessonsArguments {
    #[command(subcommand)]
    command: LessonsCommand,
}

/// What is done with lessons.
#[derive(Debug, Subcommand)]
enum LessonsCommand {
    /// List them, those that people wrote first
    List(Which),
    /// Show one with where it comes from and how often it helped
    Show { id: String },
    /// Add one about the database of `--db`
    Add {
        /// About every database
        #[arg(long)]
        everywhere: bool,
        #[command(subcommand)]
        lesson: NewLesson,
    },
    /// Define a metric or a term for rows, of the database of `--db`: `define "revenue = sum(orders.total)"`,
    /// `define "active customer = customers.status = 'active'"`
    Define {
        /// NAME = EXPRESSION, in one argument or several
        #[arg(required = true, value_name = "NAME = EXPRESSION")]
        words: Vec<String>,
    },
    /// Forget one that was learnt
    Remove { id: String },
    /// Print them as YAML, to be looked through and kept in `lessons_learned.yaml`
    Export(Which),
}

/// Which lessons.
#[derive(Debug, Args)]
struct Which {
    /// Only those about this database, by its name, or about every one
    #[arg(long, value_name = "NAME")]
    database: Option<String>,
    /// Only those of this kind
    #[arg(long, value_name = "KIND")]
    kind: Option<Kind>,
    /// Also those that are retired
    #[arg(long)]
    retired: bool,
}

/// The kinds of lessons as they are typed.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    Table,
    Column,
    Error,
    Query,
    Reference,
    Key,
    Definition,
}

/// A lesson as it is typed.
#[derive(Debug, Subcommand)]
enum NewLesson {
    /// A table goes by another name: `table customers PROD_Customers`
    Table { name: String, table: String },
    /// A word means a column: `column revenue orders.total`
    Column {
        word: String,
        #[arg(value_name = "TABLE.COLUMN")]
        column: String,
        /// It means this value in that column
        #[arg(long)]
        value: Option<String>,
    },
    /// Two tables are joined so: `join orders.customer_id customers.id`
    Join { left: String, right: String },
    /// What mends an error: `error "no such column: total" "use amount"`
    Error { message: String, fix: String },
    /// The SQL for a kind of question
    Query { question: String, sql: String },
}

/// Does it.
pub(super) async fn run(arguments: &LessonsArguments, setup: Setup) -> Result<Exit, Failure> {
    let memory = open_lessons(&setup.settings).ok_or_else(|| nowhere(&setup))?;
    let mut output = Output::standard();
    let lessons = memory.lessons();
    for notice in memory.notices() {
        output::tell(&format!("note: {}", text::clean(&notice.to_string())))?;
    }
    match &arguments.command {
        LessonsCommand::List(which) => {
            let format = setup.format("lessons list", &[Format::Table, Format::Json, Format::Jsonl])?;
            let filter = which.filter();
            let found: Vec<_> = lessons.list(&filter).collect();
            match format {
                Format::Json => output.data(&(to_json(&found) + "\n"))?,
                Format::Jsonl => {
                    for lesson in &found {
                        output.data(&(to_json(lesson) + "\n"))?;
                    }
                }
                _ if found.is_empty() => output.data("There are no lessons yet.\n")?,
                _ => {
                    let view = setup.view(&output, "");
                    let columns = ["id", "database", "trust", "used", "lesson"].map(str::to_owned);
                    let rows: Vec<Vec<Value>> = found.iter().map(|lesson| row(lesson)).collect();
                    let drawn = table::draw(&columns, &rows, view.places, view.style);
                    pager::show(&mut output, &drawn.lines)?;
                }
            }
        }
        LessonsCommand::Show { id } => {
            let lesson = lessons.get(&LessonId::from(id.as_str())).ok_or_else(|| unknown(id))?;
            let shown =
                serde_json::to_string_pretty(lesson).map_err(|error| Failure::internal(error.to_string()))?;
            output.data(&format!("{lesson}\n{shown}\n"))?;
        }
        LessonsCommand::Add { everywhere, lesson } => {
            let lesson = added(lesson, *everywhere, &setup).await?;
            let said = format!("Added {}: {lesson}\n", lesson.id);
            memory.add(lesson).map_err(failed)?;
            output.data(&said)?;
        }
        LessonsCommand::Define { words } => {
            let lesson = defined(&words.join(" "), &setup).await?;
            let said = format!("Defined {}: {lesson}\n", lesson.id);
            memory.add(lesson).map_err(failed)?;
            output.data(&said)?;
        }
        LessonsCommand::Remove { id } => {
            memory.remove(&LessonId::from(id.as_str())).map_err(failed)?;
            output.data(&format!("Forgot {id}.\n"))?;
        }
        LessonsCommand::Export(which) => {
            let yaml = lessons.to_yaml(&which.filter()).map_err(Failure::internal)?;
            output.data(&yaml)?;
        }
    }
    output.flush()?;
    Ok(Exit::Answered)
}

/// Why there are no lessons at all.
pub(super) fn nowhere(setup: &Setup) -> Failure {
    let failure = Failure::usage("nothing says where lessons are kept");
    match setup.settings.apply_memory {
        true => failure.hint("set `memory_folder` in `sqlogue.toml`, or `SQLOGUE_MEMORY_FOLDER`"),
        false => failure.hint("`apply_memory` is switched off in the settings"),
    }
}

impl Which {
    fn filter(&self) -> Filter {
        let kind = self.kind.map(|kind| match kind {
            Kind::Table => LessonKind::TableMapping,
            Kind::Column => LessonKind::ColumnMapping,
            Kind::Error => LessonKind::ErrorPattern,
            Kind::Query => LessonKind::QueryPattern,
            Kind::Reference => LessonKind::Reference,
            Kind::Key => LessonKind::Key,
            Kind::Definition => LessonKind::Definition,
        });
        Filter { database: self.database.clone(), kind, retired: self.retired }
    }
}

fn row(lesson: &Lesson) -> Vec<Value> {
    let database = lesson.database.clone().unwrap_or_else(|| "every".to_owned());
    let retired = if lesson.retired.is_some() { " (retired)" } else { "" };
    vec![
        Value::Text(lesson.id.to_string()),
        Value::Text(database),
        Value::Text(format!("{:.2}{retired}", lesson.confidence)),
        Value::Integer(i64::try_from(lesson.usage_count).unwrap_or(i64::MAX)),
        Value::Text(lesson.to_string()),
    ]
}

/// The lesson that was typed. One about names that the database does not have would never be used.
async fn added(new: &NewLesson, everywhere: bool, setup: &Setup) -> Result<Lesson, Failure> {
    let teaching = match new {
        NewLesson::Table { name, table } => Teaching::table(name, table),
        NewLesson::Column { word, column, value } => {
            Teaching::ColumnMapping { term: word.clone(), column: column_of(column)?, value: value.clone() }
        }
        NewLesson::Join { left, right } => {
            let (left, right) = (column_of(left)?, column_of(right)?);
            Teaching::QueryPattern {
                question: format!("joining {} and {}", left.table, right.table),
                template: format!(
                    "{} JOIN {} ON {}.{} = {}.{}",
                    left.table, right.table, left.table, left.column, right.table, right.column
                ),
                tables: vec![left.table.clone(), right.table.clone()],
                join: Some(JoinCondition { left, right }),
            }
        }
        NewLesson::Error { message, fix } => {
            Teaching::ErrorPattern { error: message.clone(), fix: fix.clone(), wrong: None, right: None }
        }
        NewLesson::Query { question, sql } => Teaching::QueryPattern {
            question: question.clone(),
            template: sql.clone(),
            tables: Vec::new(),
            join: None,
        },
    };
    let origin = Origin::Added { at: SystemClock.now() };
    if everywhere {
        guarded(new, &Dialect::ALL)?;
        return Ok(Lesson::new(teaching, None, origin));
    }
    let engine = setup.engine()?;
    guarded(new, &[engine.database().dialect()])?;
    let lesson = Lesson::new(teaching, Some(engine.database().name()), origin);
    let knowledge = engine.knowledge().await?;
    lesson.check(knowledge.schema()).map_err(|wrong| {
        Failure::usage(format!("the lesson does not fit `{}`: {wrong}", engine.database().name()))
            .hint("`sqlogue schema` lists the tables; `--everywhere` adds it all the same")
    })?;
    Ok(lesson)
}

/// The definition that was typed, checked against the schema.
async fn defined(text: &str, setup: &Setup) -> Result<Lesson, Failure> {
    let form = || {
        Failure::usage("that is no definition")
            .hint("write NAME = EXPRESSION, as in \"revenue = sum(orders.total)\"")
    };
    let (name, expression) = text.split_once('=').ok_or_else(form)?;
    let (name, expression) = (name.trim(), expression.trim());
    if !name.contains(char::is_alphabetic) || expression.is_empty() {
        return Err(form());
    }
    let engine = setup.engine()?;
    let knowledge = engine.knowledge().await?;
    let database = engine.database();
    Definition::read(expression, knowledge.schema(), database.dialect()).map_err(|error| {
        let (message, hint) = super::failure::split_hint(&error.to_string());
        let failure = Failure::usage(format!("`{name}` cannot be defined so: {message}"));
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })?;
    let teaching = Teaching::Definition { name: name.to_owned(), expression: expression.to_owned() };
    Ok(Lesson::new(teaching, Some(database.name()), Origin::Added { at: SystemClock.now() }))
}

/// Refuses SQL that would be refused when it is used, in all of these dialects.
fn guarded(new: &NewLesson, dialects: &[Dialect]) -> Result<(), Failure> {
    let NewLesson::Query { sql, .. } = new else { return Ok(()) };
    let mut verdicts = dialects.iter().map(|dialect| guard::check(sql, *dialect));
    match verdicts.next() {
        Some(Err(refusal)) if !verdicts.any(|verdict| verdict.is_ok()) => {
            Err(Failure::usage(format!("this SQL would never run: {refusal}")))
        }
        _ => Ok(()),
    }
}

fn column_of(name: &str) -> Result<ColumnRef, Failure> {
    match name.rsplit_once('.') {
        Some((table, column)) if !table.is_empty() && !column.is_empty() => Ok(ColumnRef::new(table, column)),
        _ => Err(Failure::usage(format!("`{name}` is no column")).hint("write it as TABLE.COLUMN")),
    }
}

fn unknown(id: &str) -> Failure {
    Failure::usage(format!("there is no lesson `{id}`")).hint("`sqlogue lessons list` lists them")
}

pub(super) fn failed(error: LessonError) -> Failure {
    match error {
        LessonError::Unknown { id } => unknown(id.as_str()),
        error => {
            let (message, hint) = super::failure::split_hint(&error.to_string());
            match hint {
                Some(hint) => Failure::usage(message).hint(hint),
                None => Failure::usage(message),
            }
        }
    }
}
