//! What people wrote about a schema, added to what the database says.

use std::fmt;

use sqlogue_sql::schema::{ColumnType, ForeignKey, Schema, Table};

/// Something that a description says and the database says otherwise. The database is believed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conflict {
    /// A table that the database does not have.
    UnknownTable {
        /// The table.
        table: String,
    },
    /// A column that the database's table does not have.
    UnknownColumn {
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
    /// A column of another kind of type.
    Type {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// The type as described.
        described: String,
        /// The type in the database.
        actual: String,
    },
    /// A column that one calls a key and the other does not.
    PrimaryKey {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// Whether the description calls it a key.
        described: bool,
    },
    /// A foreign key that leads elsewhere in the database.
    ForeignKey {
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// Where it leads as described.
        described: String,
        /// Where it leads in the database.
        actual: String,
    },
    /// A comment in the database that says something else. The written description is used.
    Description {
        /// The table.
        table: String,
        /// The column, or none for the table's own description.
        column: Option<String>,
        /// The comment in the database.
        actual: String,
    },
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownTable { table } => {
                write!(f, "`{table}` is described, but the database has no such table")
            }
            Self::UnknownColumn { table, column } => {
                write!(f, "`{table}.{column}` is described, but the table has no such column")
            }
            Self::Type { table, column, described, actual } => {
                write!(f, "`{table}.{column}` is described as {described}, but is {actual}")
            }
            Self::PrimaryKey { table, column, described: true } => {
                write!(f, "`{table}.{column}` is described as a key, but is none in the database")
            }
            Self::PrimaryKey { table, column, described: false } => {
                write!(f, "`{table}.{column}` is a key in the database, but is not described as one")
            }
            Self::ForeignKey { table, column, described, actual } => {
                write!(f, "`{table}.{column}` is described as leading to {described}, but leads to {actual}")
            }
            Self::Description { table, column, actual } => {
                let place =
                    column.as_ref().map_or_else(|| table.clone(), |column| format!("{table}.{column}"));
                write!(f, "`{place}` has another comment in the database: {actual}")
            }
        }
    }
}

/// Adds to `schema` what `described` knows beyond it, and tells what they disagree about.
///
/// Descriptions are taken over, and win over comments in the database. Foreign keys that the database does not
/// declare are taken over where both ends are there; so are keys of tables for which it declares none, as views and
/// imported tables do. Everything else stays as the database says. Names are compared without regard to case; a
/// schema's name before a table may be missing on either side.
pub fn merge(schema: &mut Schema, described: &Schema) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    for table in &described.tables {
        let Some(at) = place(schema, &table.name) else {
            conflicts.push(Conflict::UnknownTable { table: table.name.clone() });
            continue;
        };
        // Looked up first, because the table is changed below.
        let targets: Vec<Option<Target>> = table.foreign_keys.iter().map(|key| target(schema, key)).collect();
        let Some(actual) = schema.tables.get_mut(at) else { continue };
        let conflict = describe(&mut actual.description, table.description.as_ref());
        conflicts.extend(conflict.map(|description| Conflict::Description {
            table: actual.name.clone(),
            column: None,
            actual: description,
        }));
        merge_columns(actual, table, &mut conflicts);
        for (key, target) in table.foreign_keys.iter().zip(targets) {
            if let Some(target) = target {
                conflicts.extend(merge_foreign_key(actual, key, target));
            }
        }
    }
    conflicts
}

/// The columns that are there, with what is known of them beside; and the primary key, which they make up.
fn merge_columns(actual: &mut Table, described: &Table, conflicts: &mut Vec<Conflict>) {
    let name = actual.name.clone();
    let knows_keys = actual.primary_key().any(|column| column.key_evidence.is_none());
    let tells_keys = described.primary_key().next().is_some();
    if tells_keys && !knows_keys {
        // What was only inferred gives way to what somebody wrote.
        for column in actual.columns.iter_mut().filter(|column| column.key_evidence.is_some()) {
            (column.primary_key, column.unique, column.key_evidence) = (false, false, None);
        }
    }
    for column in &described.columns {
        let known = actual.columns.iter_mut().find(|known| known.name.eq_ignore_ascii_case(&column.name));
        let Some(known) = known else {
            conflicts.push(Conflict::UnknownColumn { table: name.clone(), column: column.name.clone() });
            continue;
        };
        let conflict = describe(&mut known.description, column.description.as_ref());
        conflicts.extend(conflict.map(|actual| Conflict::Description {
            table: name.clone(),
            column: Some(known.name.clone()),
            actual,
        }));
        if !column.declared_type.is_empty() && !agree(column.column_type, known.column_type) {
            conflicts.push(Conflict::Type {
                table: name.clone(),
                column: known.name.clone(),
                described: column.declared_type.clone(),
                actual: known.declared_type.clone(),
            });
        }
        if knows_keys && tells_keys && column.primary_key != known.primary_key {
            conflicts.push(Conflict::PrimaryKey {
                table: name.clone(),
                column: known.name.clone(),
                described: column.primary_key,
            });
        } else if !knows_keys && column.primary_key {
            known.primary_key = true;
            known.unique |= described.primary_key().count() == 1;
        }
        if known.samples.is_empty() {
            known.samples.clone_from(&column.samples);
        }
    }
}

/// Where a foreign key leads to, as the database spells it.
struct Target {
    table: String,
    columns: Vec<String>,
}

/// Where a described key leads to, if that is there.
fn target(schema: &Schema, key: &ForeignKey) -> Option<Target> {
    let table = schema.tables.get(place(schema, &key.table)?)?;
    Some(Target { table: table.name.clone(), columns: spelled(table, &key.references)? })
}

/// The names of columns as the table spells them, if it has them all.
fn spelled(table: &Table, names: &[String]) -> Option<Vec<String>> {
    names.iter().map(|name| table.column(name).map(|column| column.name.clone())).collect()
}

/// Takes a foreign key over, unless the database declares another one for the same columns.
fn merge_foreign_key(actual: &mut Table, key: &ForeignKey, target: Target) -> Option<Conflict> {
    let columns = spelled(actual, &key.columns)?;
    let Target { table, columns: references } = target;
    let known = actual.foreign_keys.iter().find(|known| known.columns == columns);
    let same = known.is_some_and(|known| known.table == table && known.references == references);
    match known {
        Some(known) if same && known.evidence.is_none() => None,
        Some(known) if known.declared => Some(Conflict::ForeignKey {
            table: actual.name.clone(),
            column: columns.join(", "),
            described: format!("{table}.{}", references.join(", ")),
            actual: format!("{}.{}", known.table, known.references.join(", ")),
        }),
        // Not declared there either; of two that were inferred for one column, both give way.
        _ => {
            actual.foreign_keys.retain(|known| known.columns != columns);
            actual.foreign_keys.push(ForeignKey {
                columns,
                table,
                references,
                declared: false,
                ..ForeignKey::default()
            });
            None
        }
    }
}

/// Where a table is, by its whole name, or by the part behind the schema's where that means one table only.
fn place(schema: &Schema, name: &str) -> Option<usize> {
    let whole = schema.tables.iter().position(|table| table.name.eq_ignore_ascii_case(name));
    let plain = |name: &str| name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    whole.or_else(|| {
        let wanted = plain(name);
        let mut places = schema
            .tables
            .iter()
            .enumerate()
            .filter(|(_, table)| plain(&table.name) == wanted)
            .map(|(at, _)| at);
        places.next().filter(|_| places.next().is_none())
    })
}

/// Takes a description over; gives the one that was there where it said something else.
fn describe(known: &mut Option<String>, described: Option<&String>) -> Option<String> {
    let described = described?;
    let before = known.replace(described.clone());
    before.filter(|before| before != described)
}

/// True where two families can be the same column in the words of two people.
fn agree(described: ColumnType, actual: ColumnType) -> bool {
    let group = |kind: ColumnType| match kind {
        ColumnType::Integer | ColumnType::Real => 0,
        // Databases without truth values have numbers.
        ColumnType::Boolean => 1,
        ColumnType::Date | ColumnType::DateTime => 2,
        ColumnType::Text | ColumnType::Other => 3,
        ColumnType::Time => 4,
        ColumnType::Blob => 5,
    };
    let pair = (group(described), group(actual));
    pair.0 == pair.1 || matches!(pair, (0, 1) | (1, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlogue_sql::schema::Column;

    fn table(name: &str, columns: &[(&str, ColumnType)]) -> Table {
        let columns = columns.iter().map(|(name, column_type)| Column {
            name: (*name).into(),
            declared_type: format!("{column_type:?}"),
            column_type: *column_type,
            nullable: true,
            ..Column::default()
        });
        Table { name: name.into(), columns: columns.collect(), ..Table::default() }
    }

    fn key(column: &str, table: &str, declared: bool) -> ForeignKey {
        ForeignKey {
            columns: vec![column.into()],
            table: table.into(),
            references: vec!["id".into()],
            declared,
            ..ForeignKey::default()
        }
    }

    #[test]
    fn the_database_is_believed_and_words_are_taken_over() {
        use ColumnType::{Integer, Text};
        let mut schema = Schema {
            tables: vec![
                table("customers", &[("id", Integer), ("name", Text)]),
                table("sales.orders", &[("id", Integer), ("customer_id", Integer), ("agent_id", Integer)]),
                table("agents", &[("id", Integer)]),
            ],
        };
        schema.tables[0].columns[0].primary_key = true;
        schema.tables[0].description = Some("old".into());
        schema.tables[1].foreign_keys.push(key("agent_id", "agents", true));
        let mut described = Schema {
            tables: vec![
                table("Customers", &[("ID", Text), ("NAME", Text), ("gone", Text)]),
                table("orders", &[("id", Integer), ("Customer_Id", Integer)]),
                table("nowhere", &[("x", Text)]),
            ],
        };
        described.tables[0].description = Some("People who buy".into());
        described.tables[0].columns[1].description = Some("Full name".into());
        described.tables[0].columns[1].primary_key = true;
        described.tables[1].columns[0].primary_key = true;
        described.tables[1].foreign_keys =
            vec![key("customer_id", "CUSTOMERS", true), key("agent_id", "customers", true)];
        let conflicts: Vec<String> = merge(&mut schema, &described).iter().map(ToString::to_string).collect();
        assert_eq!(
            conflicts,
            [
                "`customers` has another comment in the database: old",
                "`customers.id` is described as Text, but is Integer",
                "`customers.id` is a key in the database, but is not described as one",
                "`customers.name` is described as a key, but is none in the database",
                "`customers.gone` is described, but the table has no such column",
                "`sales.orders.agent_id` is described as leading to customers.id, but leads to agents.id",
                "`nowhere` is described, but the database has no such table",
            ]
        );
        assert_eq!(schema.tables[0].description.as_deref(), Some("People who buy"));
        assert_eq!(schema.tables[0].columns[1].description.as_deref(), Some("Full name"));
        assert!(schema.tables[1].columns[0].primary_key && schema.tables[1].columns[0].unique);
        assert_eq!(
            schema.tables[1].foreign_keys,
            [key("agent_id", "agents", true), key("customer_id", "customers", false)]
        );
        // A second time nothing is new.
        assert_eq!(merge(&mut schema, &described).len(), conflicts.len() - 1);
    }
}
