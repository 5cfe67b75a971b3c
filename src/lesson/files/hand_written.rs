//! The YAML that people write.
//!
//! ```yaml
//! version: 1
//! table_mappings:
//!   - schema_name: Customers
//!     actual_name: PROD_Customers
//!     transformation_rule: prefix PROD_   # optional: found from the names
//!     instead_of: [Customers_Archive]     # optional
//!     database: shop                      # optional: every database
//!     confidence: 1.0                     # optional
//! column_mappings:
//!   - term: region
//!     column: Customers.geographic_area
//! error_patterns:
//!   - error: "no such column: custname"
//!     fix: use Customers.name
//! query_patterns:
//!   - question: orders of last month
//!     template: SELECT * FROM orders WHERE …
//!     tables: [orders]
//! metrics:
//!   - name: revenue
//!     expression: sum(order_items.quantity * order_items.unit_price)
//! references:
//!   - from: orders.cust_no
//!     to: customers.id
//!     holds: false                        # optional: it is no reference
//! keys:
//!   - columns: customers.no               # the primary key of the table
//! ```

use std::io::ErrorKind;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::error::LessonNotice;
use super::super::key::PrimaryKey;
use super::super::model::{Lesson, Origin};
use super::super::names::plain;
use super::super::reference::{Columns, Reference};
use super::super::rule::TransformationRule;
use super::super::teaching::Teaching;
use crate::base::input;
use crate::plan::{ColumnRef, JoinCondition};

/// A larger file is not one that people wrote.
const LARGEST: u64 = 4 * 1024 * 1024;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    schema_name: String,
    actual_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transformation_rule: Option<TransformationRule>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    instead_of: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Column {
    term: String,
    column: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mistake {
    error: String,
    fix: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wrong: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    right: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    question: String,
    template: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tables: Vec<String>,
    /// `orders.customer_id = customers.id`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    join: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Refers {
    /// `orders.customer_id`, or `order_lines.order_no, line`.
    from: String,
    to: String,
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    holds: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Metric {
    name: String,
    expression: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tells {
    /// `customers.no`, or `order_lines.order_no, line`.
    columns: String,
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    holds: bool,
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_true(holds: &bool) -> bool {
    *holds
}

const SECTIONS: [&str; 7] = [
    "table_mappings",
    "column_mappings",
    "error_patterns",
    "query_patterns",
    "references",
    "keys",
    "metrics",
];

/// The lessons that were understood, and for each entry that was not where it stands and why.
pub(crate) type Understood = (Vec<Lesson>, Vec<(String, String)>);

/// What people wrote, and what of it could not be used.
pub(super) fn read(path: &Path) -> (Vec<Lesson>, Vec<LessonNotice>) {
    let unusable =
        |problem: String| (Vec::new(), vec![LessonNotice::Unusable { path: path.to_owned(), problem }]);
    let text = match input::text(path, LARGEST) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return (Vec::new(), Vec::new()),
        Err(error) => return unusable(error.to_string()),
    };
    match read_text(&text) {
        Err(problem) => unusable(problem),
        Ok((lessons, problems)) => {
            let notice =
                |(place, problem)| LessonNotice::NotUnderstood { path: path.to_owned(), place, problem };
            (lessons, problems.into_iter().map(notice).collect())
        }
    }
}

/// The lessons in a text.
pub(crate) fn read_text(text: &str) -> Result<Understood, String> {
    // A file of comments only is an empty one.
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok((Vec::new(), Vec::new()));
    }
    let sections: Map<String, Value> =
        serde_saphyr::from_str(text).map_err(|error| plain(&error.to_string(), 300))?;
    let (mut lessons, mut problems) = (Vec::new(), Vec::new());
    for (section, entries) in sections {
        match (section.as_str(), entries) {
            ("version", Value::Number(version)) if version.as_u64() == Some(1) => {}
            ("version", version) => {
                return Err(format!("it has version {version}, and this release knows 1"));
            }
            (_, Value::Null) => {}
            (_, Value::Array(entries)) if SECTIONS.contains(&section.as_str()) => {
                for (number, entry) in entries.into_iter().enumerate() {
                    match lesson(&section, entry) {
                        Ok(lesson) => lessons.push(lesson),
                        Err(problem) => problems.push((format!("{section}[{number}]"), plain(&problem, 300))),
                    }
                }
            }
            (known, _) if SECTIONS.contains(&known) => problems.push((section, "it is no list".to_owned())),
            _ => {
                let problem = format!("there is no such section; there are {}", SECTIONS.join(", "));
                problems.push((plain(&section, 80), problem));
            }
        }
    }
    Ok((lessons, problems))
}

fn lesson(section: &str, entry: Value) -> Result<Lesson, String> {
    let Value::Object(mut fields) = entry else {
        return Err("it is no mapping of names to values".to_owned());
    };
    let database = match fields.remove("database") {
        None | Some(Value::Null) => None,
        Some(Value::String(database)) => Some(database),
        Some(_) => return Err("`database` is no text".to_owned()),
    };
    let confidence = match fields.remove("confidence") {
        None => None,
        Some(confidence) => {
            let confidence = confidence.as_f64().filter(|confidence| (0.0..=1.0).contains(confidence));
            Some(confidence.ok_or("`confidence` is no number from 0 to 1")?)
        }
    };
    let teaching = teaching(section, Value::Object(fields))?;
    let lesson = Lesson::new(teaching, database.as_deref(), Origin::HandWritten);
    let confidence = confidence.unwrap_or(lesson.confidence);
    Lesson { confidence, ..lesson }.sound().ok_or_else(|| "it says nothing".to_owned())
}

fn teaching(section: &str, fields: Value) -> Result<Teaching, String> {
    fn of<T: DeserializeOwned>(fields: Value) -> Result<T, String> {
        serde_json::from_value(fields).map_err(|error| error.to_string())
    }
    Ok(match section {
        "table_mappings" => {
            let Table { schema_name, actual_name, transformation_rule, instead_of } = of(fields)?;
            let found = || TransformationRule::between(&schema_name, &actual_name);
            let transformation_rule = transformation_rule.unwrap_or_else(found);
            Teaching::TableMapping { schema_name, actual_name, transformation_rule, instead_of }
        }
        "column_mappings" => {
            let Column { term, column, value } = of(fields)?;
            Teaching::ColumnMapping { term, column: column_ref(&column)?, value }
        }
        "error_patterns" => {
            let Mistake { error, fix, wrong, right } = of(fields)?;
            let right = right.as_deref().map(column_ref).transpose()?;
            Teaching::ErrorPattern { error, fix, wrong, right }
        }
        "references" => {
            let Refers { from, to, holds } = of(fields)?;
            let (from, to): (Columns, Columns) = (from.parse()?, to.parse()?);
            if from.columns.len() != to.columns.len() {
                return Err("`from` and `to` have different numbers of columns".to_owned());
            }
            Teaching::Reference { reference: Reference { from, to, holds } }
        }
        "metrics" => {
            let Metric { name, expression } = of(fields)?;
            Teaching::Definition { name, expression }
        }
        "keys" => {
            let Tells { columns, holds } = of(fields)?;
            Teaching::Key { key: PrimaryKey { columns: columns.parse()?, holds } }
        }
        _ => {
            let Query { question, template, tables, join } = of(fields)?;
            let join = join.as_deref().map(|join| {
                let (left, right) =
                    join.split_once('=').ok_or("`join` is not `table.column = table.column`")?;
                Ok::<_, String>(JoinCondition { left: column_ref(left)?, right: column_ref(right)? })
            });
            Teaching::QueryPattern { question, template, tables, join: join.transpose()? }
        }
    })
}

fn column_ref(text: &str) -> Result<ColumnRef, String> {
    let parts = text.trim().split_once('.').map(|(table, column)| (table.trim(), column.trim()));
    match parts {
        Some((table, column)) if !table.is_empty() && !column.is_empty() => Ok(ColumnRef::new(table, column)),
        _ => Err(format!("`{text}` is not `table.column`")),
    }
}

/// Lessons in the form that people write, to be looked through and put into their file.
pub(crate) fn write_text<'a>(lessons: impl IntoIterator<Item = &'a Lesson>) -> Result<String, String> {
    let mut sections: Map<String, Value> = Map::new();
    sections.insert("version".to_owned(), Value::from(1));
    for lesson in lessons {
        let column = |column: &ColumnRef| format!("{}.{}", column.table, column.column);
        let (section, fields) = match lesson.teaching.clone() {
            Teaching::TableMapping { schema_name, actual_name, transformation_rule, instead_of } => {
                let transformation_rule = Some(transformation_rule);
                let table = Table { schema_name, actual_name, transformation_rule, instead_of };
                ("table_mappings", serde_json::to_value(table))
            }
            Teaching::ColumnMapping { term, column: named, value } => {
                ("column_mappings", serde_json::to_value(Column { term, column: column(&named), value }))
            }
            Teaching::ErrorPattern { error, fix, wrong, right } => {
                let right = right.as_ref().map(column);
                ("error_patterns", serde_json::to_value(Mistake { error, fix, wrong, right }))
            }
            Teaching::QueryPattern { question, template, tables, join } => {
                let join = join.map(|join| format!("{} = {}", column(&join.left), column(&join.right)));
                ("query_patterns", serde_json::to_value(Query { question, template, tables, join }))
            }
            Teaching::Reference { reference: Reference { from, to, holds } } => {
                let (from, to) = (from.to_string(), to.to_string());
                ("references", serde_json::to_value(Refers { from, to, holds }))
            }
            Teaching::Definition { name, expression } => {
                ("metrics", serde_json::to_value(Metric { name, expression }))
            }
            Teaching::Key { key: PrimaryKey { columns, holds } } => {
                ("keys", serde_json::to_value(Tells { columns: columns.to_string(), holds }))
            }
        };
        let mut fields = fields.map_err(|error| error.to_string())?;
        if let Value::Object(fields) = &mut fields {
            fields.extend(
                lesson.database.clone().map(|database| ("database".to_owned(), Value::from(database))),
            );
            fields.insert("confidence".to_owned(), Value::from(lesson.confidence));
        }
        let entries = sections.entry(section).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(entries) = entries {
            entries.push(fields);
        }
    }
    serde_saphyr::to_string(&sections).map_err(|error| error.to_string())
}
