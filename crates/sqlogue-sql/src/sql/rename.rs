//! Names that the schema does not know, replaced by those that come near.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Ident, ObjectName, ObjectNamePart, Query, TableFactor, VisitMut, VisitorMut};

use super::resolve::{Finding, resolve};
use super::{Checked, Dialect, guard};
use crate::schema::Schema;

/// Once a table is known its columns can be looked at, so names are replaced in so many rounds at most.
const ROUNDS: usize = 3;

/// The ways to say a statement with names that the schema knows: every unknown name is replaced by one that comes near,
/// the nearest first. Where something unknown has nothing near it, or all is known, there is none.
pub fn renamed(checked: &Checked, schema: &Schema) -> Vec<String> {
    let most = resolve(checked, schema).iter().map(|finding| near(finding).len()).max().unwrap_or(0);
    let mut ways = Vec::new();
    for choice in 0..most {
        if let Some(way) = mended(checked, schema, choice)
            && !ways.contains(&way)
        {
            ways.push(way);
        }
    }
    ways
}

/// The statement with the unknown names replaced by those that come near in that place, or by the nearest where there are
/// not so many.
fn mended(checked: &Checked, schema: &Schema, choice: usize) -> Option<String> {
    let mut checked = checked.clone();
    for _ in 0..ROUNDS {
        let mut statement = checked.tree().clone();
        for finding in resolve(&checked, schema) {
            let near = near(&finding);
            let right = near.get(choice).or_else(|| near.first())?;
            replace(&mut statement, &finding, right, checked.dialect());
        }
        checked = guard::check(&statement.to_string(), checked.dialect()).ok()?;
        if resolve(&checked, schema).is_empty() {
            return Some(checked.sql().to_owned());
        }
    }
    None
}

fn near(finding: &Finding) -> &[String] {
    match finding {
        Finding::UnknownTable { near, .. } | Finding::UnknownColumn { near, .. } => near,
        Finding::TableNotInUse { .. } => &[],
    }
}

fn replace(statement: &mut Query, finding: &Finding, right: &str, dialect: Dialect) {
    let mut renaming = match finding {
        Finding::UnknownTable { table, .. } => Renaming { table: Some(table), column: None, right, dialect },
        Finding::UnknownColumn { column, .. } => {
            let right = right.rsplit_once('.').map_or(right, |(_, column)| column);
            Renaming { table: None, column: Some(column), right, dialect }
        }
        Finding::TableNotInUse { .. } => return,
    };
    let flow: ControlFlow<()> = statement.visit(&mut renaming);
    debug_assert!(flow.is_continue(), "nothing ends the walk early");
}

/// One name on its way to be another.
struct Renaming<'a> {
    table: Option<&'a str>,
    column: Option<&'a str>,
    right: &'a str,
    dialect: Dialect,
}

impl Renaming<'_> {
    fn rename(&self, wrong: Option<&str>, name: &mut Ident) {
        if wrong.is_some_and(|wrong| name.value.eq_ignore_ascii_case(wrong)) {
            let plain = |first: char| first.is_ascii_alphabetic() || first == '_';
            let is_plain = self.right.starts_with(plain)
                && self.right.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
            let has_backticks = matches!(self.dialect, Dialect::BigQuery | Dialect::MySql);
            let quotes = if has_backticks { '`' } else { '"' };
            let quote = if is_plain { name.quote_style } else { name.quote_style.or(Some(quotes)) };
            *name = Ident { value: self.right.to_owned(), quote_style: quote, span: name.span };
        }
    }
}

impl VisitorMut for Renaming<'_> {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<()> {
        if let TableFactor::Table { name: ObjectName(parts), args: None, .. } = factor
            && let [ObjectNamePart::Identifier(name)] = parts.as_mut_slice()
        {
            self.rename(self.table, name);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(name) => self.rename(self.column, name),
            Expr::CompoundIdentifier(names) => {
                if let [table, column] = names.as_mut_slice() {
                    self.rename(self.table, table);
                    self.rename(self.column, column);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Column, Table};
    use crate::sql::Dialect;

    fn ways(sql: &str) -> Vec<String> {
        let table = |name: &str, columns: &[&str]| Table {
            name: name.to_owned(),
            columns: columns
                .iter()
                .map(|name| Column { name: (*name).to_owned(), ..Column::default() })
                .collect(),
            ..Table::default()
        };
        let schema = Schema {
            tables: vec![
                table("singers", &["singer_id", "name", "home town"]),
                table("songs", &["song_id", "singer_id", "title"]),
            ],
        };
        renamed(&guard::check(sql, Dialect::Sqlite).unwrap(), &schema)
    }

    #[test]
    fn unknown_names_become_those_near_them() {
        assert_eq!(ways("SELECT s.names FROM singer AS s")[0], "SELECT s.name FROM singers AS s");
        assert_eq!(ways("SELECT count(title_name) FROM songs")[0], "SELECT count(title) FROM songs");
        assert_eq!(ways("SELECT home_town FROM singers"), ["SELECT \"home town\" FROM singers"]);
        assert_eq!(
            ways("SELECT title FROM songs WHERE singer_idx IN (SELECT singer_id FROM singers)")[0],
            "SELECT title FROM songs WHERE singer_id IN (SELECT singer_id FROM singers)"
        );
    }

    #[test]
    fn what_is_known_or_comes_near_nothing_stays() {
        assert!(ways("SELECT name FROM singers").is_empty());
        assert!(ways("SELECT zzz FROM singers").is_empty());
        assert!(ways("SELECT names, zzz FROM singers").is_empty());
        assert_eq!(ways("SELECT 'names' FROM singer"), ["SELECT 'names' FROM singers"]);
    }
}
