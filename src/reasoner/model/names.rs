//! Names that a model wrote, found in the schema.

use crate::base::near::likeness;
use crate::plan::{ColumnRef, PlannedTable};
use crate::schema::{Schema, Table};

/// Below this likeness a name is another name, not a misspelt one.
const NEAR: f64 = 0.8;

/// Names shown where one was not found.
const SHOWN: usize = 8;

/// The table that a text names: exactly, in another case, with quotes or a schema before it, or nearly.
pub(super) fn table<'a>(schema: &'a Schema, text: &str) -> Option<&'a Table> {
    let name = bare(text);
    if let Some(table) = schema.table(&name) {
        return Some(table);
    }
    if let Some(table) = name.rsplit('.').next().and_then(|last| schema.table(&bare(last))) {
        return Some(table);
    }
    nearest(&name, schema.tables.iter().map(|table| (table.name.as_str(), table)))
}

/// The column that a text names in a table, in the schema's spelling. The text may name the table too.
pub(super) fn column(table: &Table, text: &str) -> Option<String> {
    let name = bare(text);
    if let Some(column) = table.column(&name) {
        return Some(column.name.clone());
    }
    let last = name.rsplit('.').next().map(bare).unwrap_or_default();
    if let Some(column) = table.column(&last) {
        return Some(column.name.clone());
    }
    nearest(&last, table.columns.iter().map(|column| (column.name.as_str(), column.name.clone())))
}

/// The columns that texts name, each once, in the order of the table; `*` is all of them.
pub(super) fn columns(table: &Table, texts: &[String]) -> Vec<String> {
    if texts.iter().any(|text| text.trim() == "*") {
        return table.columns.iter().map(|column| column.name.clone()).collect();
    }
    let found: Vec<String> = texts.iter().filter_map(|text| column(table, text)).collect();
    table.columns.iter().map(|column| &column.name).filter(|name| found.contains(name)).cloned().collect()
}

/// The column that `table.column` names.
pub(super) fn column_ref(schema: &Schema, text: &str) -> Option<ColumnRef> {
    let (name, field) = text.trim().rsplit_once('.')?;
    let table = self::table(schema, name)?;
    Some(ColumnRef::new(table.name.clone(), column(table, field)?))
}

/// The tables that texts name, each once.
///
/// # Errors
/// The first name that is none, with those that come near, for whoever wrote it.
pub(super) fn tables<'a>(
    schema: &Schema,
    texts: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<String>, String> {
    let mut found: Vec<String> = Vec::new();
    for text in texts {
        match table(schema, text) {
            Some(table) if found.contains(&table.name) => {}
            Some(table) => found.push(table.name.clone()),
            None => return Err(unknown(schema, text)),
        }
    }
    Ok(found)
}

/// Tables with columns. Columns that do not exist are left out; a table without any left is kept.
///
/// # Errors
/// As [`tables`].
pub(super) fn planned<'a>(
    schema: &Schema,
    named: impl IntoIterator<Item = (&'a str, &'a [String])>,
) -> Result<Vec<PlannedTable>, String> {
    let mut planned: Vec<PlannedTable> = Vec::new();
    for (name, texts) in named {
        let table = table(schema, name).ok_or_else(|| unknown(schema, name))?;
        let columns = columns(table, texts);
        match planned.iter_mut().find(|planned| planned.name == table.name) {
            Some(known) => known.columns.extend(columns),
            None => planned.push(PlannedTable { name: table.name.clone(), columns }),
        }
    }
    Ok(planned)
}

/// That there is no such table, and which there are.
fn unknown(schema: &Schema, text: &str) -> String {
    let name = bare(text);
    let mut names: Vec<&str> = schema.tables.iter().map(|table| table.name.as_str()).collect();
    names.sort_by(|one, other| likeness(other, &name).total_cmp(&likeness(one, &name)));
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let name: String = name.chars().filter(|character| !character.is_control()).take(60).collect();
    format!("there is no table `{name}`; near it are {}", shown.join(", "))
}

fn nearest<'a, T>(name: &str, candidates: impl Iterator<Item = (&'a str, T)>) -> Option<T> {
    let mut best: Option<(f64, T)> = None;
    let mut tied = false;
    for (candidate, value) in candidates {
        let likeness = likeness(candidate, name);
        match &best {
            Some((highest, _)) if likeness < *highest => {}
            Some((highest, _)) if (likeness - *highest).abs() < 1e-9 => tied = true,
            _ => {
                tied = false;
                best = Some((likeness, value));
            }
        }
    }
    // Two names that are equally near are no better than none.
    best.filter(|(likeness, _)| *likeness >= NEAR && !tied).map(|(_, value)| value)
}

fn bare(text: &str) -> String {
    text.trim().trim_matches(['"', '`', '\'', '[', ']']).replace(['"', '`', '[', ']'], "").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Column;

    fn schema() -> Schema {
        let column = |name: &str| Column { name: name.into(), ..Column::default() };
        let table = |name: &str, columns: &[&str]| Table {
            name: name.into(),
            columns: columns.iter().map(|name| column(name)).collect(),
            ..Table::default()
        };
        Schema {
            tables: vec![
                table("Customers", &["id", "Full Name", "city"]),
                table("orders", &["id", "customer_id"]),
                table("item1", &["id"]),
                table("item2", &["id"]),
            ],
        }
    }

    #[test]
    fn names_are_found_however_they_are_written() {
        let schema = schema();
        for text in ["customers", "`Customers`", "main.\"Customers\"", "[customers]", "custmers"] {
            assert_eq!(table(&schema, text).map(|table| table.name.as_str()), Some("Customers"), "{text}");
        }
        for text in ["item3", "products", ""] {
            assert!(table(&schema, text).is_none(), "{text}");
        }
        let joined = column_ref(&schema, "main.Customers.\"full name\"").unwrap();
        assert_eq!(joined, ColumnRef::new("Customers", "Full Name"));
        assert_eq!(
            columns(schema.table("orders").unwrap(), &["orders.customer_id".into(), "x".into()]),
            ["customer_id"]
        );
    }

    #[test]
    fn what_is_not_there_is_said_with_what_is_near() {
        let error = tables(&schema(), ["orders", "costumer_list"]).unwrap_err();
        assert!(error.starts_with("there is no table `costumer_list`; near it are `Customers`"), "{error}");
    }
}
