//! Which rows of one table refer to which of another, as people say it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::model::Contradiction;
use crate::schema::{ForeignKey, Schema};

/// Columns of one table, written as `orders.customer_id` or, where there are several, as `order_lines.order_no, line`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Columns {
    /// The table.
    pub table: String,
    /// Its columns.
    pub columns: Vec<String>,
}

/// What people say of one reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The columns that refer.
    pub from: Columns,
    /// The columns referred to, in the same order.
    pub to: Columns,
    /// False where it is none, whatever names and values say.
    pub holds: bool,
}

impl Columns {
    /// What of it a schema does not have.
    pub(super) fn check(&self, schema: &Schema) -> Result<(), Contradiction> {
        let table =
            schema.table(&self.table).ok_or_else(|| Contradiction::NoTable { table: self.table.clone() })?;
        match self.columns.iter().find(|column| table.column(column).is_none()) {
            None => Ok(()),
            Some(column) => {
                Err(Contradiction::NoColumn { table: self.table.clone(), column: column.clone() })
            }
        }
    }

    /// The same, spelt as the schema spells it.
    pub(super) fn spelt(&self, schema: &Schema) -> Option<Self> {
        let table = schema.table(&self.table)?;
        let columns = self.columns.iter().map(|column| Some(table.column(column)?.name.clone()));
        Some(Self { table: table.name.clone(), columns: columns.collect::<Option<_>>()? })
    }
}

impl Reference {
    /// Puts it into a schema: what a person says takes the place of what was inferred, and leaves what is declared.
    pub(super) fn apply(&self, schema: &mut Schema) {
        let (Some(from), Some(to)) = (self.from.spelt(schema), self.to.spelt(schema)) else { return };
        let Some(table) = schema.tables.iter_mut().find(|table| table.name == from.table) else { return };
        let is_this = |key: &ForeignKey| {
            key.columns == from.columns && key.table == to.table && key.references == to.columns
        };
        if !self.holds {
            table.foreign_keys.retain(|key| key.declared || !is_this(key));
        } else if !table.foreign_keys.iter().any(|key| key.declared && is_this(key)) {
            let was_said = |key: &ForeignKey| key.evidence.is_none() && !is_this(key);
            table.foreign_keys.retain(|key| key.columns != from.columns || was_said(key));
            table.foreign_keys.push(ForeignKey {
                columns: from.columns,
                table: to.table,
                references: to.columns,
                ..ForeignKey::default()
            });
        }
    }
}

impl FromStr for Columns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unclear = || format!("`{text}` is not `table.column`");
        let mut parts = text.split(',').map(str::trim);
        let (table, first) = parts.next().and_then(|part| part.rsplit_once('.')).ok_or_else(unclear)?;
        // The table may be said again before each column.
        let column = |part: &str| match part.rsplit_once('.') {
            Some((again, column)) if again.trim().eq_ignore_ascii_case(table.trim()) => {
                column.trim().to_owned()
            }
            _ => part.trim().to_owned(),
        };
        let columns: Vec<String> = std::iter::once(first).chain(parts).map(column).collect();
        if table.trim().is_empty() || columns.iter().any(String::is_empty) {
            return Err(unclear());
        }
        Ok(Self { table: table.trim().to_owned(), columns })
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.table, self.columns.join(", "))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.holds { "refers to" } else { "does not refer to" };
        write!(f, "`{}` {verb} `{}`", self.from, self.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::{Lesson, Lessons, Origin, Teaching, with_keys};
    use crate::schema::{Column, KeyEvidence, Table};

    fn schema() -> Schema {
        let table = |name: &str, columns: &[&str]| Table {
            name: name.into(),
            columns: columns
                .iter()
                .map(|name| Column { name: (*name).into(), ..Column::default() })
                .collect(),
            ..Table::default()
        };
        let mut schema = Schema {
            tables: vec![
                table("orders", &["id", "cust"]),
                table("Customers", &["id"]),
                table("shops", &["id"]),
            ],
        };
        schema.tables[0].foreign_keys.push(ForeignKey {
            columns: vec!["cust".into()],
            table: "shops".into(),
            references: vec!["id".into()],
            declared: false,
            evidence: Some(KeyEvidence::default()),
        });
        schema
    }

    fn told(from: &str, to: &str, holds: bool) -> Lesson {
        let (from, to) = (from.parse().unwrap(), to.parse().unwrap());
        let reference = Reference { from, to, holds };
        Lesson::new(Teaching::Reference { reference }, None, Origin::HandWritten)
    }

    fn keys(lessons: &[Lesson]) -> Vec<String> {
        let schema = schema();
        let keys = Lessons::new(lessons.iter().cloned()).keys("shop", &schema);
        let schema = with_keys(&schema, &keys);
        schema.tables[0].foreign_keys.iter().map(|key| key.table.clone()).collect()
    }

    #[test]
    fn what_people_say_takes_the_place_of_what_was_inferred() {
        assert_eq!(keys(&[]), ["shops"]);
        assert_eq!(keys(&[told("orders.cust", "shops.id", false)]), [""; 0]);
        assert_eq!(keys(&[told("ORDERS.CUST", "customers.ID", true)]), ["Customers"]);
        // Of two entries in one file the first holds, and what a schema does not have is nothing to go by.
        let twice = [told("orders.cust", "shops.id", true), told("orders.cust", "shops.id", false)];
        assert_eq!(keys(&twice), ["shops"]);
        assert_eq!(keys(&[told("orders.cust", "clients.id", true)]), ["shops"]);
    }

    #[test]
    fn columns_are_read_as_people_write_them() {
        for (text, expected) in [
            ("orders.cust", "orders.cust"),
            ("sales.orders.cust", "sales.orders.cust"),
            ("lines.order_no, line", "lines.order_no, line"),
            ("lines.order_no,lines.line", "lines.order_no, line"),
        ] {
            assert_eq!(text.parse::<Columns>().unwrap().to_string(), expected);
        }
        for text in ["", "orders", "orders.", ".cust", "orders.a,"] {
            assert!(text.parse::<Columns>().is_err(), "{text}");
        }
    }
}
