//! Turns the names that a schema or a person uses into those that the database has.

use std::sync::Arc;

use super::lessons::Lessons;
use super::model::Lesson;
use super::rule::TransformationRule;
use super::teaching::{LessonId, Teaching};
use crate::schema::Schema;

/// Transforms table names before SQL is made of them.
///
/// ```
/// use sqlogue::lesson::{Lesson, Lessons, Origin, TableMapper, Teaching};
/// use sqlogue::schema::{Schema, Table};
///
/// let table = |name: &str| Table { name: name.to_owned(), ..Table::default() };
/// let schema = Schema { tables: vec![table("Customers"), table("PROD_Customers")] };
/// let lesson = Lesson::new(Teaching::table("Customers", "PROD_Customers"), None, Origin::HandWritten);
///
/// let mapper = TableMapper::new(&Lessons::new([lesson]), "shop", &schema);
/// assert_eq!(mapper.transform("customers").to, "PROD_Customers");
/// assert_eq!(mapper.transform("Orders").to, "Orders");
/// ```
#[derive(Debug, Clone, Default)]
pub struct TableMapper {
    mappings: Vec<Arc<Lesson>>,
    tables: Vec<String>,
    kept: Vec<String>,
}

/// What became of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transformed {
    /// The name before.
    pub from: String,
    /// The name after; the same where no lesson speaks of it.
    pub to: String,
    /// The lesson that was applied.
    pub lesson: Option<LessonId>,
}

impl TableMapper {
    /// A mapper with the table mappings in force for a database.
    pub fn new(lessons: &Lessons, database: &str, schema: &Schema) -> Self {
        let (in_force, _) = lessons.in_force(database, schema);
        let mappings = in_force
            .into_iter()
            .filter(|lesson| matches!(lesson.teaching, Teaching::TableMapping { .. }))
            .collect();
        Self { mappings, tables: schema.tables.iter().map(|table| table.name.clone()).collect(), kept: Vec::new() }
    }

    /// A mapper that leaves every name as it is: for `apply_memory` switched off.
    pub fn identity() -> Self {
        Self::default()
    }

    /// Leaves these names as they are, because the person named them in so many words.
    #[must_use]
    pub fn keeping<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.kept.extend(names.into_iter().map(Into::into));
        self
    }

    /// The name that a table really has.
    ///
    /// A lesson about this very name comes first. A name that the schema does not have is then tried with the rules of
    /// the other lessons (`prefix PROD_`), and taken where they lead to one table of the schema.
    pub fn transform(&self, name: &str) -> Transformed {
        let found = if self.kept.iter().any(|kept| kept.eq_ignore_ascii_case(name)) {
            None
        } else {
            self.mapped(name).or_else(|| self.ruled(name))
        };
        let (to, lesson) = found.map_or_else(|| (name.to_owned(), None), |(to, lesson)| (to, Some(lesson)));
        Transformed { from: name.to_owned(), to, lesson }
    }

    /// The names that several tables really have, in the same order.
    pub fn transform_multiple<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Vec<Transformed> {
        names.into_iter().map(|name| self.transform(name)).collect()
    }

    fn mapped(&self, name: &str) -> Option<(String, LessonId)> {
        self.mappings.iter().find_map(|lesson| match &lesson.teaching {
            Teaching::TableMapping { schema_name, actual_name, .. }
                if schema_name.eq_ignore_ascii_case(name) && !actual_name.eq_ignore_ascii_case(name) =>
            {
                Some((actual_name.clone(), lesson.id.clone()))
            }
            _ => None,
        })
    }

    fn ruled(&self, name: &str) -> Option<(String, LessonId)> {
        let spelled = |name: &str| self.tables.iter().find(|table| table.eq_ignore_ascii_case(name));
        if self.tables.is_empty() || spelled(name).is_some() {
            return None;
        }
        let mut found: Option<(String, LessonId)> = None;
        for lesson in &self.mappings {
            let Teaching::TableMapping { transformation_rule, .. } = &lesson.teaching else { continue };
            let affix = matches!(transformation_rule, TransformationRule::Prefix(_) | TransformationRule::Suffix(_));
            let applied = transformation_rule.apply(name).filter(|_| affix);
            let Some(table) = applied.as_deref().and_then(spelled) else { continue };
            match &found {
                // Two rules that lead to two tables settle nothing.
                Some((other, _)) if other != table => return None,
                Some(_) => {}
                None => found = Some((table.clone(), lesson.id.clone())),
            }
        }
        found
    }
}
