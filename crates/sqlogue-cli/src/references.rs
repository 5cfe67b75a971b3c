//! `sqlogue schema accept|reject|add`: what people say of keys and references that nobody declared.

use std::io::Write as _;

use clap::Subcommand;

use super::connect::Setup;
use super::failure::{Exit, Failure};
use super::output::Output;
use super::schema::nearest;
use sqlogue::Error;
use sqlogue::engine::{Engine, open_lessons};
use sqlogue::graph::{Clock as _, SystemClock};
use sqlogue::lesson::{Columns, Contradiction, Lesson, Lessons, Origin, PrimaryKey, Reference, Teaching};
use sqlogue::schema::{ForeignKey, Schema};
use sqlogue::source;

/// What is said of a reference.
#[derive(Debug, Subcommand)]
pub(super) enum Said {
    /// An inferred reference or key is right: `accept orders.cust_no`, `accept orders.cust_no=customers.no`
    Accept {
        #[arg(value_name = "TABLE.COLUMN[=TABLE.COLUMN]")]
        from: String,
        /// What it refers to, where several were inferred
        #[arg(value_name = "TABLE.COLUMN")]
        to: Option<String>,
    },
    /// An inferred reference or key is wrong: `reject orders.shop=customers.id`
    Reject {
        #[arg(value_name = "TABLE.COLUMN[=TABLE.COLUMN]")]
        from: String,
        /// What it does not refer to, where several were inferred
        #[arg(value_name = "TABLE.COLUMN")]
        to: Option<String>,
    },
    /// A column refers to another, or several do together: `add orders.region=regions.code`,
    /// `add lines.order_no,line=order_lines.order_no,line`; alone, it is the key of its table: `add customers.no`
    Add {
        #[arg(value_name = "TABLE.COLUMN[=TABLE.COLUMN]")]
        from: String,
        #[arg(value_name = "TABLE.COLUMN")]
        to: Option<String>,
    },
}

/// Keeps what is said as a lesson about the database.
pub(super) async fn run(said: &Said, setup: &Setup) -> Result<Exit, Failure> {
    let memory = open_lessons(&setup.settings).ok_or_else(|| super::lessons::nowhere(setup))?;
    let engine = setup.engine()?;
    let schema = source::introspect(engine.database()).await.map_err(Error::from)?;
    let lesson = lesson(teaching(said, &schema)?, &engine);
    lesson.check(&schema).map_err(|wrong| unknown(&wrong, &schema, &engine))?;
    let told = format!("Kept as {}: {lesson}\n", lesson.id);
    memory.add(lesson).map_err(super::lessons::failed)?;
    let mut output = Output::standard();
    output.data(&told)?;
    output.flush()?;
    Ok(Exit::Answered)
}

fn lesson(teaching: Teaching, engine: &Engine) -> Lesson {
    let origin = Origin::Added { at: SystemClock.now() };
    Lesson::new(teaching, Some(engine.database().name()), origin)
}

/// What is wrong with a name, and the nearest one that there is.
fn unknown(wrong: &Contradiction, schema: &Schema, engine: &Engine) -> Failure {
    let failure = Failure::usage(format!("{wrong} in `{}`", engine.database().name()));
    let near = match wrong {
        Contradiction::NoTable { table } => {
            nearest(table, schema.tables.iter().map(|table| table.name.as_str())).map(str::to_owned)
        }
        Contradiction::NoColumn { table, column } => schema.table(table).and_then(|table| {
            let near = nearest(column, table.columns.iter().map(|column| column.name.as_str()))?;
            Some(format!("{}.{near}", table.name))
        }),
    };
    match near {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`sqlogue schema` lists the tables and their columns"),
    }
}

/// What people said of the keys of a database, a line each: accepted where the same was inferred, else added.
pub(super) fn told(lessons: &Lessons, database: &str, inferred: &Schema) -> Vec<String> {
    let line = |lesson: &Lesson| {
        let (holds, was_inferred) = match &lesson.teaching {
            Teaching::Reference { reference } => {
                let to = Some(&reference.to);
                (reference.holds, !keys_between(inferred, &reference.from, to).is_empty())
            }
            Teaching::Key { key } => (key.holds, is_key(inferred, &key.columns)),
            _ => return None,
        };
        let verb = match (holds, was_inferred) {
            (false, _) => "rejected",
            (true, true) => "accepted",
            (true, false) => "added",
        };
        Some(format!("{verb}: {lesson} ({})", lesson.id))
    };
    lessons.about_keys(database, inferred).iter().filter_map(|lesson| line(lesson)).collect()
}

/// What is said, in full.
fn teaching(said: &Said, schema: &Schema) -> Result<Teaching, Failure> {
    let (Said::Accept { from, to } | Said::Reject { from, to } | Said::Add { from, to }) = said;
    let (from, to) = match (from.split_once('='), to) {
        (Some((from, to)), None) => (columns(from)?, Some(columns(to)?)),
        (Some(_), Some(_)) => {
            return Err(Failure::usage("there are three columns").hint("write TABLE.COLUMN=TABLE.COLUMN"));
        }
        (None, to) => (columns(from)?, to.as_deref().map(columns).transpose()?),
    };
    let holds = !matches!(said, Said::Reject { .. });
    match (said, to) {
        (Said::Add { .. }, None) => Ok(Teaching::Key { key: PrimaryKey { columns: from, holds } }),
        (Said::Add { .. }, Some(to)) if from.columns.len() != to.columns.len() => {
            Err(Failure::usage(format!("`{from}` and `{to}` have different numbers of columns")))
        }
        (Said::Add { .. }, Some(to)) => Ok(Teaching::Reference { reference: Reference { from, to, holds } }),
        (Said::Accept { .. } | Said::Reject { .. }, to) => {
            let refers = !keys_between(schema, &from, to.as_ref()).is_empty();
            if to.is_none() && !refers && is_key(schema, &from) {
                return Ok(Teaching::Key { key: PrimaryKey { columns: from, holds } });
            }
            let known = [Some(&from), to.as_ref()].into_iter().flatten().all(|side| is_known(schema, side));
            // A name that is not there is the mistake, and not that nothing was inferred of it.
            if !known {
                let to = to.unwrap_or_else(|| from.clone());
                return Ok(Teaching::Reference { reference: Reference { from, to, holds } });
            }
            let (from, to) = inferred(schema, from, to)?;
            Ok(Teaching::Reference { reference: Reference { from, to, holds } })
        }
    }
}

fn is_known(schema: &Schema, side: &Columns) -> bool {
    let table = schema.table(&side.table);
    table.is_some_and(|table| side.columns.iter().all(|column| table.column(column).is_some()))
}

/// True where these columns are the key of their table by inference.
fn is_key(schema: &Schema, columns: &Columns) -> bool {
    let Some(table) = schema.table(&columns.table) else { return false };
    let key: Vec<String> = table
        .primary_key()
        .filter(|column| column.key_evidence.is_some())
        .map(|column| column.name.clone())
        .collect();
    !key.is_empty() && same(&key, &columns.columns)
}

fn same(one: &[String], other: &[String]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.eq_ignore_ascii_case(other))
}

/// The references of a schema between these columns, or from them to wherever they lead.
fn keys_between<'a>(schema: &'a Schema, from: &Columns, to: Option<&Columns>) -> Vec<&'a ForeignKey> {
    let keys = schema.table(&from.table).map_or(&[][..], |table| &table.foreign_keys);
    let leads = |key: &&ForeignKey| {
        to.is_none_or(|to| key.table.eq_ignore_ascii_case(&to.table) && same(&key.references, &to.columns))
    };
    keys.iter().filter(|key| same(&key.columns, &from.columns)).filter(leads).collect()
}

/// The inferred reference that is meant.
fn inferred(schema: &Schema, from: Columns, to: Option<Columns>) -> Result<(Columns, Columns), Failure> {
    let meant = keys_between(schema, &from, to.as_ref());
    match meant.as_slice() {
        [key] if key.declared => Err(Failure::usage(format!(
            "that `{from}` refers to `{}` is declared in the database",
            key.table
        ))),
        [key] => {
            let to = Columns { table: key.table.clone(), columns: key.references.clone() };
            Ok((Columns { columns: key.columns.clone(), ..from }, to))
        }
        [] => {
            let what = to.map_or_else(String::new, |to| format!(" to `{to}`"));
            Err(Failure::usage(format!("no reference from `{from}`{what} was inferred"))
                .hint("`sqlogue schema` lists those that were; `sqlogue schema add` adds one"))
        }
        several => {
            let tables: Vec<String> =
                several.iter().map(|key| format!("{}.{}", key.table, key.references.join(","))).collect();
            Err(Failure::usage(format!("`{from}` may refer to several: {}", tables.join(" and ")))
                .hint("say which, after the column"))
        }
    }
}

fn columns(text: &str) -> Result<Columns, Failure> {
    text.parse().map_err(|problem: String| {
        Failure::usage(problem).hint("write it as TABLE.COLUMN, and several columns as TABLE.COLUMN,COLUMN")
    })
}
