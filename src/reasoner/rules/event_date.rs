//! The date of a thing: the one that bears what happened, as the `order_date` of an order.

use super::date_cells::DateCells;
use super::knowledge::{ColumnEntry, ColumnId, Knowledge, TableId};
use super::stem::stem;

/// True for a column whose cells are dates that compare with days.
pub(super) fn is_date(entry: &ColumnEntry) -> bool {
    entry.column_type.is_temporal() || entry.date_cells == Some(DateCells::Iso) && !entry.numeric
}

/// The date column of a table that bears its event; none where the table has no dates, or several of which none stands out.
pub(super) fn of_table(knowledge: &Knowledge, table: TableId) -> Option<ColumnId> {
    let entry = knowledge.table(table);
    let dates: Vec<ColumnId> =
        entry.columns.iter().copied().filter(|id| is_date(knowledge.column(*id))).collect();
    let says = |id: &ColumnId, words: &[String]| {
        knowledge.column(*id).forms.iter().flatten().any(|word| words.contains(word))
    };
    let stems = |words: &[&str]| words.iter().map(|word| stem(word)).collect::<Vec<_>>();
    if let [only] = dates.as_slice() {
        return Some(*only);
    }
    // The order date of an order, and then the date on which a row was made.
    let own = |id: &&ColumnId| {
        let name = knowledge.column(**id).name.to_lowercase();
        let table = knowledge.table_words(table);
        name.split(['_', ' ', '-']).any(|word| table.contains(&stem(word)))
    };
    let made = stems(&["created", "placed", "posted", "made"]);
    let marks = stems(&["updated", "modified", "changed", "deleted", "birth", "born", "birthday", "dob"]);
    let left: Vec<&ColumnId> = dates.iter().filter(|id| !says(id, &marks)).collect();
    let alone = |ids: Vec<&ColumnId>| match ids.as_slice() {
        [only] => Some(**only),
        _ => None,
    };
    dates
        .iter()
        .find(own)
        .copied()
        .or_else(|| alone(left.clone()))
        .or_else(|| alone(left.into_iter().filter(|id| says(id, &made)).collect()))
}

/// The date of what several tables are about: that of the first which has one.
pub(super) fn of_tables(
    knowledge: &Knowledge,
    tables: impl IntoIterator<Item = TableId>,
) -> Option<ColumnId> {
    tables.into_iter().find_map(|table| of_table(knowledge, table))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Column, ColumnType, Schema, Table};

    fn date_of(table: &str, columns: &[(&str, ColumnType)]) -> Option<String> {
        let columns = columns
            .iter()
            .map(|(name, column_type)| Column {
                name: (*name).into(),
                column_type: *column_type,
                ..Column::default()
            })
            .collect();
        let table = Table { name: table.into(), columns, ..Table::default() };
        let knowledge = Knowledge::from_schema(&Schema { tables: vec![table] });
        of_table(&knowledge, TableId(0)).map(|id| knowledge.column(id).name.clone())
    }

    #[test]
    fn the_date_that_bears_the_event_is_found() {
        use ColumnType::{Date, DateTime, Integer};
        let one = [("id", Integer), ("shipped", Date), ("order_date", Date)];
        assert_eq!(date_of("orders", &one).as_deref(), Some("order_date"));
        let made = [("created_at", DateTime), ("updated_at", DateTime)];
        assert_eq!(date_of("users", &made).as_deref(), Some("created_at"));
        assert_eq!(date_of("members", &[("birthday", Date), ("joined", Date)]).as_deref(), Some("joined"));
        assert_eq!(date_of("trips", &[("departure", DateTime), ("arrival", DateTime)]), None);
        assert_eq!(date_of("items", &[("id", Integer)]), None);
    }
}
