//! Superlatives as conditions: rows whose value is the largest of all, or of their group.

use super::build::Builder;
use super::frame::{Measure, Superlative};
use super::grouping::Grouping;
use crate::rules::knowledge::{ColumnId, Knowledge};
use sqlogue_sql::plan::{Aggregate, Condition, Direction, Expr, Order, QueryPlan, Select, Source, TableUse};

impl Builder<'_> {
    /// `column = (the largest of that column)`.
    pub(super) fn extremum(&mut self, measure: &Measure, direction: Direction) -> Option<Condition> {
        let Measure::Plain(slot) = measure else { return None };
        let column = self.binding.fillers.get(*slot)?.column?;
        let function = match direction {
            Direction::Ascending => Aggregate::Min,
            Direction::Descending => Aggregate::Max,
        };
        let outer = self.column(column);
        Some(Condition::equal(outer, summary_of_all(self.knowledge, function, column)))
    }

    /// `column = (the largest of that column among the rows of the same group)`.
    pub(super) fn extremum_of_group(
        &mut self,
        superlative: &Superlative,
        grouping: &Grouping,
    ) -> Option<Condition> {
        let Measure::Plain(slot) = &superlative.measure else { return None };
        let column = self.binding.fillers.get(*slot)?.column?;
        let entry = self.knowledge.column(column);
        let table = entry.table;
        let name = &self.knowledge.table(table).name;
        let [Expr::Column(key)] = grouping.by.as_slice() else { return None };
        // The group's key in the table itself: its own column, or what refers to the group's table.
        let key_table = self.knowledge.table_named(&key.table)?;
        let own = if key_table == table {
            key.column.clone()
        } else {
            let (own, other) = self.knowledge.link_columns(table, key_table)?;
            (self.knowledge.column(other).name == key.column).then_some(())?;
            self.knowledge.column(own).name.clone()
        };
        let function = match superlative.direction {
            Direction::Ascending => Aggregate::Min,
            Direction::Descending => Aggregate::Max,
        };
        let inner = format!("{name}_of_group");
        let select = Select {
            from: Source::Table(TableUse { table: name.clone(), alias: Some(inner.clone()) }),
            filter: Some(Condition::equal(Expr::column(&inner, &own), Expr::column(name, &own))),
            ..Select::default()
        }
        .project(Expr::aggregate(function, Expr::column(&inner, &entry.name)));
        let query = Expr::Query(Box::new(QueryPlan::from(select)));
        Some(Condition::equal(self.column(column), query))
    }

    /// `column = (the value that most rows have)`.
    pub(super) fn most_common(&mut self, slot: usize, direction: Direction) -> Option<Condition> {
        let column = self.binding.fillers.get(slot)?.column?;
        let entry = self.knowledge.column(column);
        let table = self.knowledge.table(entry.table).name.clone();
        let inner = Expr::column(&table, &entry.name);
        let mut query = QueryPlan::from(Select::from_table(&table).project(inner.clone()));
        query.select.group_by.push(inner);
        query.order_by.push(Order { expr: Expr::count_all(), direction });
        query.limit = Some(1);
        Some(Condition::equal(self.column(column), Expr::Query(Box::new(query))))
    }
}

/// True for *the cheapest product in each category*: one row of every group, not the first of all groups.
pub(super) fn nest_in_groups(grouping: &Grouping, superlative: &Superlative) -> bool {
    !grouping.by.is_empty()
        && !grouping.has_counts
        && superlative.count == 1
        && matches!(superlative.measure, Measure::Plain(_))
}

/// `(SELECT max(column) FROM table)`.
pub(crate) fn summary_of_all(knowledge: &Knowledge, function: Aggregate, column: ColumnId) -> Expr {
    let entry = knowledge.column(column);
    let table = &knowledge.table(entry.table).name;
    let select =
        Select::from_table(table).project(Expr::aggregate(function, Expr::column(table, &entry.name)));
    Expr::Query(Box::new(QueryPlan::from(select)))
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::reads;

    #[test]
    fn the_first_of_each_group() {
        reads(&[(
            "Show the title of the cheapest book in each genre.",
            "SELECT title, genre FROM book WHERE price = (SELECT min(price) FROM book AS book_of_group \
             WHERE genre = book.genre)",
        )]);
    }
}
