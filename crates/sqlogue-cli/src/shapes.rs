//! The JSON schemas of the lines that programs read and write.

use schemars::generate::SchemaSettings;
use schemars::transform::RestrictFormats;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::failure::{Exit, Failure};
use super::output::Output;

/// A line of the input.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "Line")]
struct Named<T> {
    /// What the line calls itself. The answer bears it too.
    #[serde(default)]
    id: Json,
    #[serde(flatten)]
    asked: T,
}

/// The answer to a line that cannot be read.
#[derive(Serialize, JsonSchema)]
struct Unreadable {
    /// What the line calls itself, as far as that could be read.
    id: Json,
    /// Always `failed`.
    #[schemars(extend("enum" = ["failed"]))]
    status: String,
    /// What is wrong, and in which line.
    message: String,
}

/// Prints the schemas of the lines that a command reads (`I`) and writes (`O`).
pub(super) fn print<I: JsonSchema, O: JsonSchema>() -> Result<Exit, Failure> {
    let input = generator(SchemaSettings::for_deserialize).into_root_schema_for::<Named<I>>();
    let answer = generator(SchemaSettings::for_serialize).into_root_schema_for::<O>();
    let unreadable = generator(SchemaSettings::for_serialize).into_root_schema_for::<Unreadable>();
    let schemas = json!({ "input": input, "output": { "anyOf": [answer, unreadable] } });
    let text =
        serde_json::to_string_pretty(&schemas).map_err(|error| Failure::internal(error.to_string()))?;
    let mut output = Output::standard();
    output.data(&(text + "\n"))?;
    std::io::Write::flush(&mut output)?;
    Ok(Exit::Answered)
}

fn generator(way: impl FnOnce(SchemaSettings) -> SchemaSettings) -> SchemaGenerator {
    way(SchemaSettings::draft2020_12())
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .with_transform(RestrictFormats::default())
        .into_generator()
}
