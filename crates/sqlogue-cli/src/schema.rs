//! `sqlogue schema`: what sqlogue sees of a database.

use std::io::Write as _;

use clap::Args;

use super::args::Format;
use super::connect::Setup;
use super::failure::{Exit, Failure};
use super::output::{self, Output};
use super::pager;
use super::references::{self, Said};
use super::show::answer::View;
use super::show::style::Ink;
use super::show::{counted, delimited, number, table, text};
use sqlogue::Error;
use sqlogue::engine::{Engine, open_lessons, read_dictionary};
use sqlogue::lesson::with_keys;
use sqlogue::schema::{Column, Schema, Table, TableKind, Value};
use sqlogue::source;
use sqlogue_base::near;

/// What `schema` takes.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct SchemaArguments {
    #[command(subcommand)]
    said: Option<Said>,
    /// Only these tables
    #[arg(value_name = "TABLE")]
    tables: Vec<String>,
}

/// Reads the schema and shows it.
pub(super) async fn run(arguments: &SchemaArguments, mut setup: Setup) -> Result<Exit, Failure> {
    if let Some(said) = &arguments.said {
        return references::run(said, &setup).await;
    }
    let formats = [Format::Table, Format::Json, Format::Jsonl, Format::Csv, Format::Markdown];
    let format = setup.format("schema", &formats)?;
    let mut output = Output::standard();
    let Known { mut schema, engine, told } = known(&mut setup).await?;
    if !arguments.tables.is_empty() {
        for name in &arguments.tables {
            if schema.table(name).is_none() {
                return Err(no_table(&schema, name));
            }
        }
        schema = schema
            .filtered(|table| arguments.tables.iter().any(|name| table.name.eq_ignore_ascii_case(name)));
    }
    let view = setup.view(&output, "");
    let (columns, rows) = listing(&schema);
    match format {
        Format::Json => {
            let json = serde_json::to_string_pretty(&schema)
                .map_err(|error| Failure::internal(error.to_string()))?;
            output.data(&(json + "\n"))?;
        }
        Format::Jsonl => output.data(&delimited::json_lines(&columns, &rows))?,
        Format::Csv => output.data(&delimited::csv(&columns, &rows, setup.texts))?,
        Format::Markdown => output.data(&delimited::markdown(&columns, &rows))?,
        _ => {
            let mut text = shown(&schema, &view);
            if !told.is_empty() && arguments.tables.is_empty() {
                let lines = told.iter().map(|line| view.style.paint(Ink::Dim, &text::clean(line)) + "\n");
                text.push_str(&format!("\n{}", lines.collect::<String>()));
            }
            if let Some(engine) = engine
                && arguments.tables.is_empty()
                && !schema.tables.is_empty()
            {
                text.push_str(&format!("\n{}\n", view.style.paint(Ink::Dim, &index(&engine).await?)));
            }
            pager::show(&mut output, &text)?;
        }
    }
    output.flush()?;
    Ok(Exit::Answered)
}

/// What is known of a database.
struct Known {
    schema: Schema,
    /// None for a data dictionary alone.
    engine: Option<Engine>,
    /// What people said of its keys, a line each.
    told: Vec<String>,
}

/// What is known of the database, a data dictionary included; what the two disagree about is told on standard error.
/// A dictionary without a database is shown alone.
async fn known(setup: &mut Setup) -> Result<Known, Failure> {
    let path = setup.settings.dictionary.take();
    let dictionary = path.map(|path| read_dictionary(&path, &setup.settings)).transpose()?;
    let (described, mut told) = match dictionary {
        Some(dictionary) => (Some(dictionary.schema), dictionary.problems),
        None => (None, Vec::new()),
    };
    let known = match described {
        Some(schema) if !setup.has_database => Known { schema, engine: None, told: Vec::new() },
        described => {
            let engine = setup.engine()?;
            let mut schema = engine.database().introspect().await.map_err(Error::from)?;
            let conflicts = described.map(|described| source::merge(&mut schema, &described));
            // After the dictionary, so that nothing is inferred that somebody wrote down.
            source::infer_keys(engine.database(), &mut schema).await;
            let mut said = Vec::new();
            if let Some(memory) = open_lessons(&setup.settings) {
                let (lessons, name) = (memory.lessons(), engine.database().name());
                said = references::told(&lessons, name, &schema);
                schema = with_keys(&schema, &lessons.keys(name, &schema));
            }
            told.extend(conflicts.iter().flatten().map(ToString::to_string));
            Known { schema, engine: Some(engine), told: said }
        }
    };
    for note in told {
        output::tell(&format!("note: {}", text::clean(&note)))?;
    }
    Ok(known)
}

/// What the index of values takes, and what did not fit into it.
async fn index(engine: &Engine) -> Result<String, Failure> {
    let knowledge = engine.knowledge().await?;
    let index = knowledge.words().values();
    let megabytes = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    let left_out = match index.left_out() {
        0 => String::new(),
        left_out => format!(", {} left out", counted(left_out as u64, "value")),
    };
    Ok(format!(
        "Index of values: {}, {:.1} MB of at most {} MB (`index_megabytes`){left_out}.",
        counted(index.len() as u64, "value"),
        megabytes(index.bytes()),
        engine.settings().index_megabytes,
    ))
}

/// The table that was meant is the nearest one.
fn no_table(schema: &Schema, name: &str) -> Failure {
    let failure = Failure::usage(format!("there is no table `{name}`"));
    match nearest(name, schema.tables.iter().map(|table| table.name.as_str())) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`sqlogue schema` lists all of them"),
    }
}

/// The name most like another, if any is like it at all.
pub(super) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    near::nearest(name, names, 0.4)
}

/// Every table with its columns, as text.
pub(super) fn shown(schema: &Schema, view: &View) -> String {
    if schema.tables.is_empty() {
        return "The database has no tables.\n".to_owned();
    }
    let tables: Vec<String> = schema.tables.iter().map(|table| table_shown(table, view)).collect();
    tables.join("\n")
}

/// The tables on a line each: what there is, before one asks for more.
pub(super) fn overview(schema: &Schema, view: &View) -> String {
    let written = |count: u64| if view.places.is_some() { number::grouped(count) } else { count.to_string() };
    let counts: Vec<String> =
        schema.tables.iter().map(|table| table.row_count.map_or("?".to_owned(), written)).collect();
    let widest = counts.iter().map(String::len).max().unwrap_or(0).max(4);
    let columns = ["table".to_owned(), format!("{:>widest$}", "rows"), "columns".to_owned()];
    let longest = schema.tables.iter().map(|table| text::width(&text::clean(&table.name))).max().unwrap_or(0);
    let room = room_beside(&[longest.max(5), widest], view);
    let rows: Vec<Vec<Value>> = (schema.tables.iter().zip(counts))
        .map(|(table, count)| {
            let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
            vec![table.name.as_str().into(), format!("{count:>widest$}").into(), in_room(&names, room).into()]
        })
        .collect();
    table::draw(&columns, &rows, view.places, view.style).lines
}

/// One table: its name, its columns, its keys.
pub(super) fn table_shown(table: &Table, view: &View) -> String {
    let kind = if table.kind == TableKind::View { "view, " } else { "" };
    let rows = table.row_count.map(|rows| format!("{}, ", counted(rows, "row"))).unwrap_or_default();
    let about = format!(" ({kind}{rows}{})", counted(table.columns.len() as u64, "column"));
    let mut text =
        view.style.paint(Ink::Bold, &text::clean(&table.name)) + &view.style.paint(Ink::Dim, &about) + "\n";
    if let Some(description) = &table.description {
        text.push_str(&format!("{}\n", text::clean(description)));
    }
    let headings = ["column", "type", "", "samples"].map(str::to_owned);
    let described: Vec<[String; 3]> = (table.columns.iter())
        .map(|column| {
            [column.name.clone(), column.declared_type.to_lowercase(), marks(table, column).join(", ")]
        })
        .collect();
    let widest: Vec<usize> = (headings.iter().take(3).enumerate())
        .map(|(at, heading)| {
            let cells = described.iter().filter_map(|cells| cells.get(at)).chain([heading]);
            cells.map(|cell| text::width(&text::clean(cell))).max().unwrap_or(0)
        })
        .collect();
    let room = room_beside(&widest, view);
    let rows: Vec<Vec<Value>> = (described.into_iter().zip(&table.columns))
        .map(|(cells, column)| {
            let last = Value::from(in_room(&samples(column), room));
            cells.into_iter().map(Value::from).chain([last]).collect()
        })
        .collect();
    text + &table::draw(&headings, &rows, view.places, view.style).lines + &inferred(table, view)
}

/// The places that are left for the last column of a table beside others; those of a line where nobody knows how many.
fn room_beside(others: &[usize], view: &View) -> usize {
    /// Where the others leave less, they are cut.
    const LEAST: usize = 20;
    let taken: usize = others.iter().map(|wide| wide + 3).sum();
    view.places.map_or(usize::MAX, |places| places.saturating_sub(taken + 2).max(LEAST))
}

/// As many names or values as there is room for, each of them whole.
fn in_room(items: &[impl AsRef<str>], room: usize) -> String {
    let mut list = String::new();
    for (number, item) in items.iter().enumerate() {
        let longer =
            if number == 0 { item.as_ref().to_owned() } else { format!("{list}, {}", item.as_ref()) };
        let more = if number + 1 < items.len() { text::width(", …") } else { 0 };
        // The first is cut by the table where it does not fit.
        if number > 0 && text::width(&text::clean(&longer)) + more > room {
            return list + ", …";
        }
        list = longer;
    }
    list
}

/// The keys of a table that nobody declared, a line each, with how likely they are and why.
fn inferred(table: &Table, view: &View) -> String {
    let of_key = table.columns.iter().filter(|column| column.primary_key);
    let key: Vec<&str> = of_key.clone().map(|column| column.name.as_str()).collect();
    let evidence = of_key.filter_map(|column| column.key_evidence.as_ref()).next();
    let own = evidence.map(|evidence| (format!("{} is the key", key.join(", ")), evidence));
    let references = table.foreign_keys.iter().filter_map(|key| {
        let (columns, referred) = (key.columns.join(", "), key.references.join(", "));
        Some((format!("{columns} → {}.{referred}", key.table), key.evidence.as_ref()?))
    });
    let lines = own.into_iter().chain(references).map(|(what, evidence)| {
        let line =
            format!("inferred, {} %: {what}, because {}", evidence.percent, evidence.because.join(", and "));
        let line = text::wrap(&text::clean(&line), view.places.unwrap_or(usize::MAX), "  ");
        line.lines().map(|line| view.style.paint(Ink::Dim, line) + "\n").collect::<String>()
    });
    lines.collect()
}

/// What a column is besides its type.
fn marks(table: &Table, column: &Column) -> Vec<String> {
    let mut marks = Vec::new();
    if column.primary_key {
        marks.push(if column.key_evidence.is_some() { "key (inferred)" } else { "key" }.to_owned());
    } else if column.unique {
        marks.push("unique".to_owned());
    }
    for key in &table.foreign_keys {
        let pairs = key.columns.iter().zip(&key.references);
        for (_, referred) in pairs.filter(|(name, _)| **name == column.name) {
            let how = match (key.declared, &key.evidence) {
                (true, _) => "",
                (false, Some(_)) => " (inferred)",
                (false, None) => " (written down)",
            };
            marks.push(format!("→ {}.{referred}{how}", key.table));
        }
    }
    if let Some(description) = &column.description {
        marks.push(description.clone());
    }
    marks
}

fn samples(column: &Column) -> Vec<String> {
    column.samples.iter().map(|value| text::cut(&table::cell(value), 30).into_owned()).collect()
}

/// A row for each column of each table.
fn listing(schema: &Schema) -> (Vec<String>, Vec<Vec<Value>>) {
    let columns =
        ["table", "column", "type", "nullable", "key", "refers_to", "samples"].map(str::to_owned).to_vec();
    let rows = schema.tables.iter().flat_map(|table| {
        table.columns.iter().map(move |column| {
            let refers = table.foreign_keys.iter().find_map(|key| {
                let mut pairs = key.columns.iter().zip(&key.references);
                let (_, referred) = pairs.find(|(name, _)| **name == column.name)?;
                Some(format!("{}.{referred}", key.table))
            });
            vec![
                table.name.as_str().into(),
                column.name.as_str().into(),
                column.declared_type.as_str().into(),
                column.nullable.into(),
                column.primary_key.into(),
                refers.map_or(Value::Null, Value::from),
                samples(column).join(", ").into(),
            ]
        })
    });
    (columns, rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_left_out_whole() {
        let values = ["2024-01-02", "2024-01-08", "2024-01-09"];
        assert_eq!(in_room(&values, 34), "2024-01-02, 2024-01-08, 2024-01-09");
        assert_eq!(in_room(&values, 33), "2024-01-02, 2024-01-08, …");
        assert_eq!(in_room(&values, 3), "2024-01-02, …");
        assert_eq!(in_room(&[] as &[&str], 3), "");
    }
}
