//! Which columns tell the rows of a table apart, as people say it, and all that people say of keys together.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::lessons::{Filter, Lessons};
use super::model::Lesson;
use super::reference::{Columns, Reference};
use super::teaching::{LessonKind, Teaching};
use crate::schema::Schema;

/// What people say of the primary key of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrimaryKey {
    /// The columns that tell the rows apart together.
    #[serde(flatten)]
    pub columns: Columns,
    /// False where they do not, whatever the values say.
    pub holds: bool,
}

/// What people said of the keys and references of a database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    /// Of its references, one entry for each.
    pub references: Vec<Reference>,
    /// Of its primary keys.
    pub primary: Vec<PrimaryKey>,
}

impl Keys {
    /// True where nobody said anything.
    pub fn is_empty(&self) -> bool {
        self.references.is_empty() && self.primary.is_empty()
    }
}

impl PrimaryKey {
    /// Puts it into a schema: what a person says takes the place of what was inferred, and leaves what is declared.
    fn apply(&self, schema: &mut Schema) {
        let Some(columns) = self.columns.spelt(schema) else { return };
        let Some(table) = schema.tables.iter_mut().find(|table| table.name == columns.table) else { return };
        if table.primary_key().any(|column| column.key_evidence.is_none()) {
            return;
        }
        let is_this = |name: &String| columns.columns.contains(name);
        let inferred: Vec<String> = table.primary_key().map(|column| column.name.clone()).collect();
        let is_same = inferred.len() == columns.columns.len() && inferred.iter().all(is_this);
        if !self.holds && !is_same {
            return;
        }
        let alone = columns.columns.len() == 1;
        for column in &mut table.columns {
            let was_alone = inferred.len() == 1 && column.primary_key;
            let is_key = self.holds && is_this(&column.name);
            column.unique = (column.unique && !was_alone) || (is_key && alone);
            (column.primary_key, column.key_evidence) = (is_key, None);
        }
    }
}

impl Lessons {
    /// What people said of the keys and references of a database.
    pub fn keys(&self, database: &str, schema: &Schema) -> Keys {
        let mut keys = Keys::default();
        for lesson in self.about_keys(database, schema) {
            match &lesson.teaching {
                Teaching::Reference { reference } => keys.references.push(reference.clone()),
                Teaching::Key { key } => keys.primary.push(key.clone()),
                _ => {}
            }
        }
        keys
    }

    /// The lessons that say so.
    pub fn about_keys(&self, database: &str, schema: &Schema) -> Vec<Arc<Lesson>> {
        let of = |kind| {
            let filter = Filter { kind: Some(kind), ..Filter::default() };
            self.list(&filter).cloned().collect::<Vec<_>>()
        };
        let told = [LessonKind::Key, LessonKind::Reference].into_iter().flat_map(of);
        Self::of(told).in_force(database, schema).0
    }
}

/// A schema with what people said of its keys.
pub fn with_keys(schema: &Schema, keys: &Keys) -> Schema {
    let mut schema = schema.clone();
    keys.primary.iter().for_each(|key| key.apply(&mut schema));
    // What does not hold goes first, so that nothing that holds is taken away by it.
    let mut sorted: Vec<&Reference> = keys.references.iter().collect();
    sorted.sort_by_key(|reference| reference.holds);
    sorted.into_iter().for_each(|reference| reference.apply(&mut schema));
    schema
}

impl fmt::Display for PrimaryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.holds { "is" } else { "is not" };
        write!(f, "`{}` {verb} the key of `{}`", self.columns, self.columns.table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Column, KeyEvidence, Table};

    fn keys_of(said: &[(&str, bool)]) -> Vec<String> {
        let column = |name: &str, inferred: bool| Column {
            name: name.into(),
            primary_key: inferred,
            key_evidence: inferred.then(KeyEvidence::default),
            ..Column::default()
        };
        let columns = vec![column("no", true), column("code", false)];
        let schema = Schema { tables: vec![Table { name: "shops".into(), columns, ..Table::default() }] };
        let primary = said
            .iter()
            .map(|(columns, holds)| PrimaryKey { columns: columns.parse().unwrap(), holds: *holds });
        let keys = Keys { primary: primary.collect(), ..Keys::default() };
        let schema = with_keys(&schema, &keys);
        schema.tables[0].primary_key().map(|column| column.name.clone()).collect()
    }

    #[test]
    fn what_people_say_takes_the_place_of_an_inferred_key() {
        assert_eq!(keys_of(&[]), ["no"]);
        assert_eq!(keys_of(&[("shops.code", true)]), ["code"]);
        assert_eq!(keys_of(&[("SHOPS.no,CODE", true)]), ["no", "code"]);
        assert_eq!(keys_of(&[("shops.no", false)]), [""; 0]);
        // A key that was not inferred cannot be taken away.
        assert_eq!(keys_of(&[("shops.code", false)]), ["no"]);
        assert_eq!(keys_of(&[("shops.gone", true)]), ["no"]);
    }
}
