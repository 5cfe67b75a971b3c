//! Cells that say nothing: empty texts where others have NULL, as in files that were imported as they are, and references to
//! nothing.
//!
//! A contract whose `end_date` is an empty text runs as much as one that has none, and did not end before every other.

use crate::rules::knowledge::{ColumnId, Knowledge};
use sqlogue_sql::plan::{ColumnRef, Comparison, Condition, Expr, Function, QueryPlan};

/// Makes conditions take empty texts for missing values, where a column has some.
pub(super) fn count_as_missing(plan: &mut QueryPlan, knowledge: &Knowledge) {
    for named in &mut plan.with {
        count_as_missing(&mut named.query, knowledge);
    }
    plan.select.filter.iter_mut().for_each(|filter| in_condition(filter, knowledge));
}

fn in_condition(condition: &mut Condition, knowledge: &Knowledge) {
    match condition {
        Condition::And(all) | Condition::Or(all) => {
            all.iter_mut().for_each(|part| in_condition(part, knowledge));
        }
        Condition::Not(inner) => in_condition(inner, knowledge),
        Condition::InQuery { expr: Expr::Column(column), query, negated: true }
            if may_refer_to_nothing(column, knowledge) =>
        {
            count_as_missing(query, knowledge);
            // *customers without an adviser*: what refers to nothing is in no list, and `NOT IN` loses it.
            let nothing = Condition::IsNull { expr: Expr::Column(column.clone()), negated: false };
            *condition = Condition::Or(vec![nothing, condition.clone()]);
        }
        Condition::InQuery { query, .. } | Condition::Exists { query, .. } => {
            count_as_missing(query, knowledge);
        }
        // An empty text is less than all others.
        Condition::IsNull { .. }
        | Condition::Compare { operator: Comparison::Less | Comparison::LessOrEqual, .. } => {
            condition.replace(&mut |expr| match expr {
                Expr::Column(column) if has_blanks(column, knowledge) => {
                    Some(Expr::function(Function::NullIf, vec![expr.clone(), Expr::literal("")]))
                }
                _ => None,
            });
        }
        Condition::Compare { .. }
        | Condition::Between { .. }
        | Condition::In { .. }
        | Condition::Like { .. } => {}
    }
}

fn has_blanks(column: &ColumnRef, knowledge: &Knowledge) -> bool {
    known(column, knowledge).is_some_and(|id| knowledge.column(id).blanks)
}

fn may_refer_to_nothing(column: &ColumnRef, knowledge: &Knowledge) -> bool {
    let refers = |id: ColumnId| knowledge.column(id).nullable && knowledge.joins().reference(id).is_some();
    known(column, knowledge).is_some_and(refers)
}

fn known(column: &ColumnRef, knowledge: &Knowledge) -> Option<ColumnId> {
    let table = knowledge.table_named(&column.table)?;
    knowledge.column_named(table, &column.column)
}

#[cfg(test)]
mod tests {
    use crate::rules::{Knowledge, Options, understand};
    use sqlogue_sql::schema::{Column, ColumnType, Schema, Table, Value};
    use sqlogue_sql::sql::{Dialect, render};

    fn contracts(ends: &[&str]) -> Knowledge {
        let column = |name: &str, column_type, primary_key| Column {
            name: name.into(),
            column_type,
            primary_key,
            nullable: !primary_key,
            ..Column::default()
        };
        let columns = vec![
            column("id", ColumnType::Integer, true),
            column("employee", ColumnType::Text, false),
            column("start_date", ColumnType::Date, false),
            column("end_date", ColumnType::Text, false),
        ];
        let schema = Schema { tables: vec![Table { name: "contracts".into(), columns, ..Table::default() }] };
        let mut builder = Knowledge::builder(&schema, 1 << 20);
        builder.values("contracts", "end_date", ends.iter().map(|end| Value::from(*end)));
        builder.finish()
    }

    fn sql(question: &str, knowledge: &Knowledge) -> String {
        let candidates = understand(question, knowledge, &Options::default()).candidates;
        candidates.first().map(|first| render(&first.plan, Dialect::Sqlite)).unwrap_or_default()
    }

    #[test]
    fn an_empty_end_is_no_end() {
        let knowledge = contracts(&["2023-05-01", "", "2024-01-31"]);
        for (question, expected) in [
            (
                "how many contracts have no end date",
                "SELECT count(*) FROM contracts WHERE nullif(end_date, '') IS NULL",
            ),
            (
                "how many contracts have an end date before 2024?",
                "SELECT count(*) FROM contracts WHERE nullif(end_date, '') < '2024-01-01'",
            ),
        ] {
            assert_eq!(sql(question, &knowledge), expected, "{question}");
        }
    }

    #[test]
    fn where_no_cell_is_empty_conditions_stay_as_they_are() {
        let knowledge = contracts(&["2023-05-01", "2024-01-31"]);
        let expected = "SELECT count(*) FROM contracts WHERE end_date IS NULL";
        assert_eq!(sql("how many contracts have no end date", &knowledge), expected);
    }
}
