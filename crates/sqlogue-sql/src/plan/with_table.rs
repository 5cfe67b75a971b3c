//! A plan with one table in place of another.

use super::{ColumnRef, PlannerOutput, QueryPlan};
use crate::schema::Table;

impl QueryPlan {
    /// The same query of the table `new` in place of `old`.
    ///
    /// # Errors
    /// A column that the query uses of the old table and that the new one does not have.
    pub fn with_table(&self, old: &str, new: &Table) -> Result<Self, String> {
        let mut plan = self.clone();
        let mut missing = None;
        plan.for_each_column_mut(&mut |column| {
            let used = self.table_in_use(&column.table).unwrap_or(&column.table);
            if !used.eq_ignore_ascii_case(old) {
                return;
            }
            match new.column(&column.column) {
                Some(known) => column.column.clone_from(&known.name),
                None => missing = Some(column.column.clone()),
            }
            // An alias stays what it is.
            if column.table.eq_ignore_ascii_case(old) {
                column.table.clone_from(&new.name);
            }
        });
        plan.for_each_table_mut(&mut |used| {
            if used.table.eq_ignore_ascii_case(old) {
                used.table.clone_from(&new.name);
            }
        });
        missing.map_or(Ok(plan), Err)
    }
}

impl PlannerOutput {
    /// The same plan of the table `new` in place of `old`.
    ///
    /// # Errors
    /// As [`QueryPlan::with_table`].
    pub fn with_table(&self, old: &str, new: &Table) -> Result<Self, String> {
        if let Some(plan) = &self.query_plan {
            return Ok(Self::from_plan(&plan.with_table(old, new)?, &self.reasoning, self.confidence));
        }
        let mut output = self.clone();
        for table in output.tables.iter_mut().filter(|table| table.name.eq_ignore_ascii_case(old)) {
            if let Some(missing) = table.columns.iter().find(|column| new.column(column).is_none()) {
                return Err(missing.clone());
            }
            table.name.clone_from(&new.name);
        }
        let rename = |column: &mut ColumnRef| {
            if column.table.eq_ignore_ascii_case(old) {
                column.table.clone_from(&new.name);
            }
        };
        output
            .joins
            .iter_mut()
            .for_each(|join| [&mut join.left, &mut join.right].into_iter().for_each(rename));
        let texts =
            [&mut output.filters, &mut output.aggregations, &mut output.grouping, &mut output.ordering];
        for text in texts.into_iter().flatten() {
            *text = renamed(text, old, &new.name);
        }
        Ok(output)
    }
}

/// A text with every `old.` that is a name of its own as `new.`.
fn renamed(text: &str, old: &str, new: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(place) = rest.find(&format!("{old}.")) {
        let (before, found) = rest.split_at(place);
        let inside = before.chars().next_back().is_some_and(|last| last.is_alphanumeric() || last == '_');
        result.push_str(before);
        result.push_str(if inside { old } else { new });
        rest = found.get(old.len()..).unwrap_or_default();
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Condition, Confidence, Expr, PlannedTable, Select};
    use crate::schema::Column;
    use crate::sql::{Dialect, render};

    fn table(name: &str, columns: &[&str]) -> Table {
        let column = |name: &&str| Column { name: (*name).to_owned(), ..Column::default() };
        Table { name: name.to_owned(), columns: columns.iter().map(column).collect(), ..Table::default() }
    }

    fn plan() -> QueryPlan {
        let rome = Condition::equal(Expr::column("Customers", "city"), Expr::literal("Rome"));
        QueryPlan::from(
            Select::from_table("Customers").project(Expr::column("Customers", "name")).filter(rome),
        )
    }

    #[test]
    fn every_use_of_a_table_is_exchanged() {
        let changed = plan().with_table("customers", &table("PROD_Customers", &["NAME", "city"])).unwrap();
        assert_eq!(render(&changed, Dialect::Sqlite), "SELECT NAME FROM PROD_Customers WHERE city = 'Rome'");
        assert_eq!(
            plan().with_table("Customers", &table("PROD_Customers", &["name"])),
            Err("city".to_owned())
        );
    }

    #[test]
    fn a_plan_in_words_is_exchanged_too() {
        let output = PlannerOutput {
            tables: vec![PlannedTable { name: "Customers".into(), columns: vec!["name".into()] }],
            filters: vec!["Customers.city = 'Rome' and Old_Customers.id = 1".into()],
            confidence: Confidence::Low,
            ..PlannerOutput::default()
        };
        let changed = output.with_table("Customers", &table("PROD_Customers", &["name"])).unwrap();
        assert_eq!(changed.tables[0].name, "PROD_Customers");
        assert_eq!(changed.filters, ["PROD_Customers.city = 'Rome' and Old_Customers.id = 1"]);
        assert_eq!(output.with_table("Customers", &table("PROD_Customers", &[])), Err("name".to_owned()));
    }
}
