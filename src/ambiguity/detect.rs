//! When to ask: only where the planner is plainly unsure.
//!
//! A planner that picks one table is trusted. Asking is for the two cases in which it could not decide: several tables for
//! a question that joins none, and several ways to join with none that convinces.

use super::{Ambiguity, AmbiguityKind, Choice, Correction};
use crate::plan::{JoinCondition, JoinInference, PlannedTable, QueryUnderstanding};
use crate::schema::{Schema, Table, TableKind};

/// Several tables, no joins, and nobody has said which table is meant.
pub fn tables(understanding: &QueryUnderstanding, corrections: &[Correction]) -> Option<Ambiguity> {
    let settled =
        corrections.iter().any(|correction| matches!(correction, Correction::TableSelection { .. }));
    if understanding.joins_needed || settled {
        return None;
    }
    let names: Vec<&str> = understanding.tables.iter().map(|table| table.name.as_str()).collect();
    let choice = |table: &PlannedTable| Choice {
        label: table.name.clone(),
        meaning: match table.columns.as_slice() {
            [] => format!("use the table `{}`", table.name),
            columns => format!("use the table `{}` ({})", table.name, columns.join(", ")),
        },
        correction: Correction::TableSelection {
            selected_table: table.name.clone(),
            rejected_tables: names
                .iter()
                .filter(|name| **name != table.name)
                .map(|name| (*name).to_owned())
                .collect(),
        },
        sql: None,
        preview: None,
    };
    let question = format!("Several tables fit: {}. Which one do you mean?", listed(&names));
    Ambiguity::new(AmbiguityKind::TableSelection, question, understanding.tables.iter().map(choice).collect())
}

/// Whether each of these tables could stand for another of them: its name says the same, and half of all columns are in both.
///
/// Other tables are no choice: unions, sets and nested queries bring them together without joining them.
pub fn may_stand_for_each_other(tables: &[PlannedTable], schema: &Schema) -> bool {
    let known: Vec<&Table> = tables.iter().filter_map(|table| schema.table(&table.name)).collect();
    let says = |one: &Table, other: &Table| {
        let (one, other) = (words(&one.name), words(&other.name));
        one.iter().all(|word| other.contains(word))
    };
    let alike = |one: &Table, other: &Table| {
        one.name != other.name && (says(one, other) || says(other, one)) && shared(one, other, 1, 2)
    };
    known.iter().all(|one| known.iter().any(|other| alike(one, other)))
}

/// The tables that a question may mean as well as this one: each bears the same name with something added, and has nearly
/// the same columns (`customers`, `prod_customers`, `customers_archive`). A view that shows a table is no other choice.
pub fn look_alikes<'a>(table: &str, schema: &'a Schema) -> Vec<&'a str> {
    let Some(meant) = schema.table(table) else { return Vec::new() };
    let own = words(&meant.name);
    let alike = |other: &&Table| {
        let name = words(&other.name);
        // Four in five.
        let shows = meant.kind == TableKind::Table && other.kind == TableKind::View;
        !shows
            && name.len() > own.len()
            && own.iter().all(|word| name.contains(word))
            && shared(meant, other, 4, 5)
    };
    schema.tables.iter().filter(alike).map(|other| other.name.as_str()).collect()
}

/// Whether so many of all columns of two tables are in both: `part` in `whole`.
fn shared(one: &Table, other: &Table, part: usize, whole: usize) -> bool {
    let both = one.columns.iter().filter(|column| other.column(&column.name).is_some()).count();
    let all = one.columns.len() + other.columns.len() - both;
    all > 0 && both * whole >= all * part
}

/// The words of a name in lower case, each without the `s` of the plural.
fn words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut after_small = false;
    for character in name.chars() {
        if (character.is_uppercase() && after_small) || !character.is_alphanumeric() {
            spaced.push(' ');
        }
        after_small = character.is_lowercase();
        spaced.extend(character.to_lowercase().filter(|character| character.is_alphanumeric()));
    }
    spaced.split_whitespace().map(|word| word.strip_suffix('s').unwrap_or(word).to_owned()).collect()
}

/// A join below the `threshold` of confidence with several candidates, and nobody has said which is meant.
pub fn joins(inference: &JoinInference, threshold: f64, corrections: &[Correction]) -> Option<Ambiguity> {
    let settled =
        corrections.iter().any(|correction| matches!(correction, Correction::JoinClarification { .. }));
    if settled || inference.confidence >= threshold {
        return None;
    }
    let ways: Vec<&JoinCondition> = std::iter::once(&inference.joins)
        .chain(&inference.candidates)
        .filter_map(|way| way.first())
        .fold(Vec::new(), |mut ways, way| {
            if !ways.contains(&way) {
                ways.push(way);
            }
            ways
        });
    let options = ways.iter().map(|way| {
        let JoinCondition { left, right } = way;
        let text = format!("{}.{} = {}.{}", left.table, left.column, right.table, right.column);
        Choice {
            meaning: format!("join `{}` and `{}` where {text}", left.table, right.table),
            label: text,
            correction: Correction::JoinClarification { left: left.clone(), right: right.clone() },
            sql: None,
            preview: None,
        }
    });
    let first = ways.first()?;
    let question = format!(
        "`{}` and `{}` can be joined in several ways. Which one do you mean?",
        first.left.table, first.right.table
    );
    Ambiguity::new(AmbiguityKind::JoinInference, question, options.collect())
}

fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ColumnRef;

    fn understanding(tables: &[&str], joins_needed: bool) -> QueryUnderstanding {
        let tables = tables
            .iter()
            .map(|name| PlannedTable { name: (*name).to_owned(), columns: Vec::new() })
            .collect();
        QueryUnderstanding { tables, joins_needed, ..QueryUnderstanding::default() }
    }

    #[test]
    fn several_tables_without_joins_are_asked_about() {
        let ambiguity = tables(&understanding(&["Customers", "PROD_Customers"], false), &[]).unwrap();
        assert_eq!(ambiguity.kind, AmbiguityKind::TableSelection);
        assert_eq!(
            ambiguity.question,
            "Several tables fit: `Customers` and `PROD_Customers`. Which one do you mean?"
        );
        assert_eq!(
            ambiguity.options()[1].correction,
            Correction::TableSelection {
                selected_table: "PROD_Customers".into(),
                rejected_tables: vec!["Customers".into()]
            }
        );
    }

    #[test]
    fn only_tables_that_look_alike_stand_for_each_other() {
        let table = |name: &str, columns: &[&str]| Table {
            name: name.to_owned(),
            columns: columns
                .iter()
                .map(|name| crate::schema::Column { name: (*name).to_owned(), ..Default::default() })
                .collect(),
            ..Table::default()
        };
        let schema = Schema {
            tables: vec![
                table("customers", &["id", "name", "city"]),
                table("prod_customers", &["id", "name"]),
                table("customer_addresses", &["customer_id", "street"]),
                table("reviews", &["id", "name", "city"]),
            ],
        };
        let alike = |names: &[&str]| may_stand_for_each_other(&understanding(names, false).tables, &schema);
        assert!(alike(&["customers", "prod_customers"]));
        for others in [["customers", "customer_addresses"], ["customers", "reviews"]] {
            assert!(!alike(&others), "{others:?}");
        }
    }

    #[test]
    fn one_table_is_trusted_and_joined_tables_are_expected() {
        assert_eq!(tables(&understanding(&["Customers"], false), &[]), None);
        assert_eq!(tables(&understanding(&["Customers", "Orders"], true), &[]), None);
    }

    #[test]
    fn what_was_settled_is_not_asked_again() {
        let settled =
            Correction::TableSelection { selected_table: "Customers".into(), rejected_tables: vec![] };
        assert_eq!(tables(&understanding(&["Customers", "PROD_Customers"], false), &[settled]), None);
    }

    #[test]
    fn only_unconvincing_joins_with_candidates_are_asked_about() {
        let join = |column: &str| JoinCondition {
            left: ColumnRef::new("orders", column),
            right: ColumnRef::new("customers", "id"),
        };
        let inference = |confidence, candidates| JoinInference {
            joins: vec![join("buyer_id")],
            confidence,
            candidates,
            reasoning: String::new(),
        };
        let several = vec![vec![join("buyer_id")], vec![join("payer_id")]];
        let asked = joins(&inference(0.5, several.clone()), 0.75, &[]).unwrap();
        assert_eq!(asked.options().len(), 2);
        assert_eq!(asked.options()[1].label, "orders.payer_id = customers.id");
        assert_eq!(joins(&inference(0.75, several), 0.75, &[]), None);
        assert_eq!(joins(&inference(0.5, vec![]), 0.75, &[]), None);
    }
}
