//! `sqlogue schema accept|reject|add`: what people say of references that nobody declared.

use std::io::Write as _;

use clap::Subcommand;

use super::connect::Setup;
use super::failure::{Exit, Failure};
use super::output::Output;
use sqlogue::Error;
use sqlogue::engine::{Engine, open_lessons};
use sqlogue::graph::{Clock as _, SystemClock};
use sqlogue::lesson::{Columns, Lesson, Origin, Reference, Teaching};
use sqlogue::schema::{ForeignKey, Schema};
use sqlogue::source;

/// What is said of a reference.
#[derive(Debug, Subcommand)]
pub(super) enum Said {
    /// An inferred reference is right: `accept orders.cust_no`
    Accept {
        #[arg(value_name = "TABLE.COLUMN")]
        from: String,
        /// What it refers to, where several were inferred
        #[arg(value_name = "TABLE.COLUMN")]
        to: Option<String>,
    },
    /// An inferred reference is wrong: `reject orders.shop customers.id`
    Reject {
        #[arg(value_name = "TABLE.COLUMN")]
        from: String,
        /// What it does not refer to, where several were inferred
        #[arg(value_name = "TABLE.COLUMN")]
        to: Option<String>,
    },
    /// A column refers to another, or several do together: `add lines.order_no,line order_lines.order_no,line`
    Add {
        #[arg(value_name = "TABLE.COLUMN")]
        from: String,
        #[arg(value_name = "TABLE.COLUMN")]
        to: String,
    },
}

/// Keeps what is said as a lesson about the database.
pub(super) async fn run(said: &Said, setup: &Setup) -> Result<Exit, Failure> {
    let memory = open_lessons(&setup.settings).ok_or_else(|| super::lessons::nowhere(setup))?;
    let engine = setup.engine()?;
    let schema = source::introspect(engine.database()).await.map_err(Error::from)?;
    let reference = reference(said, &schema)?;
    let lesson = lesson(reference, &engine);
    lesson.check(&schema).map_err(|wrong| {
        Failure::usage(format!("{wrong} in `{}`", engine.database().name()))
            .hint("`sqlogue schema` lists the tables and their columns")
    })?;
    let told = format!("Kept as {}: {lesson}\n", lesson.id);
    memory.add(lesson).map_err(super::lessons::failed)?;
    let mut output = Output::standard();
    output.data(&told)?;
    output.flush()?;
    Ok(Exit::Answered)
}

fn lesson(reference: Reference, engine: &Engine) -> Lesson {
    let origin = Origin::Added { at: SystemClock.now() };
    Lesson::new(Teaching::Reference { reference }, Some(engine.database().name()), origin)
}

/// What is said, in full.
fn reference(said: &Said, schema: &Schema) -> Result<Reference, Failure> {
    match said {
        Said::Accept { from, to } => {
            let (from, to) = inferred(schema, from, to.as_deref())?;
            Ok(Reference { from, to, holds: true })
        }
        Said::Reject { from, to } => {
            let (from, to) = inferred(schema, from, to.as_deref())?;
            Ok(Reference { from, to, holds: false })
        }
        Said::Add { from, to } => {
            let (from, to) = (columns(from)?, columns(to)?);
            if from.columns.len() != to.columns.len() {
                return Err(Failure::usage(format!("`{from}` and `{to}` have different numbers of columns")));
            }
            Ok(Reference { from, to, holds: true })
        }
    }
}

/// The inferred reference that is meant.
fn inferred(schema: &Schema, from: &str, to: Option<&str>) -> Result<(Columns, Columns), Failure> {
    let (from, to) = (columns(from)?, to.map(columns).transpose()?);
    let same = |one: &[String], other: &[String]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.eq_ignore_ascii_case(other))
    };
    let keys = schema.table(&from.table).map_or(&[][..], |table| &table.foreign_keys);
    let of_columns: Vec<&ForeignKey> = keys.iter().filter(|key| same(&key.columns, &from.columns)).collect();
    let meant: Vec<&ForeignKey> = of_columns
        .iter()
        .copied()
        .filter(|key| {
            to.as_ref().is_none_or(|to| {
                key.table.eq_ignore_ascii_case(&to.table) && same(&key.references, &to.columns)
            })
        })
        .collect();
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
