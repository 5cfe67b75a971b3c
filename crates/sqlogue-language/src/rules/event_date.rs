//! The date of a thing: the one that bears what happened, as the `order_date` of an order.

use super::date_cells::DateCells;
use super::grammar::price_and_quantity;
use super::kind::ColumnKind;
use super::knowledge::{ColumnEntry, ColumnId, Knowledge, TableId};
use super::stem::{root, stem};
use sqlogue_sql::schema::ColumnType;

/// Words for a day on which something was to be, and not on which it was.
const PLANNED: [&str; 9] =
    ["promise", "promised", "expect", "expected", "plan", "planned", "estimated", "agreed", "target"];

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
        let is_of_rows =
            |only: &ColumnId| !comes_after(knowledge, *only) && !is_of_life(knowledge.column(*only));
        return Some(*only).filter(is_of_rows);
    }
    // The order date of an order, and then the date on which a row was made.
    let own = |id: &&ColumnId| {
        let name = knowledge.column(**id).name.to_lowercase();
        let table = knowledge.table_words(table);
        name.split(['_', ' ', '-']).any(|word| table.contains(&stem(word)))
    };
    let began = stems(&["started", "starts", "began", "begins", "occurred", "happened", "held", "scheduled"]);
    let alone = |ids: Vec<&ColumnId>| match ids.as_slice() {
        [only] => Some(**only),
        _ => None,
    };
    if is_arranged(knowledge.table_words(table))
        && let Some(start) = alone(dates.iter().filter(|id| says(id, &began)).collect())
    {
        return Some(start);
    }
    let made = stems(&["created", "placed", "posted", "made"]);
    let marks = stems(&["updated", "modified", "changed", "deleted", "birth", "born", "birthday", "dob"]);
    let planned = stems(&PLANNED);
    let left: Vec<&ColumnId> = dates.iter().filter(|id| !says(id, &marks) && !says(id, &planned)).collect();
    dates
        .iter()
        .find(own)
        .copied()
        .or_else(|| alone(left.clone()))
        .or_else(|| alone(left.iter().copied().filter(|id| says(id, &began)).collect()))
        .or_else(|| alone(left.into_iter().filter(|id| says(id, &made)).collect()))
}

/// The columns of a table that hold dates, those first that say when its rows came to be.
pub(super) fn in_order(knowledge: &Knowledge, table: TableId) -> Vec<ColumnId> {
    let words = knowledge.table_words(table);
    let columns = knowledge.table(table).columns.iter().copied();
    let mut dates: Vec<(i32, ColumnId)> = columns
        .filter(|id| holds_days(knowledge.column(*id)))
        .map(|id| (strangeness(knowledge.column(id), words), id))
        .collect();
    dates.sort();
    dates.into_iter().map(|(_, id)| id).collect()
}

/// True for a table of what is arranged ahead: *the bookings in October* take place then, whenever somebody made them.
fn is_arranged(table: &[String]) -> bool {
    let arranged = ["book", "booking", "reserv", "reserve", "reservation", "appointment"];
    table.iter().any(|word| arranged.contains(&word.as_str()) || arranged.contains(&root(word).as_str()))
}

/// True for a column of days or moments, however they are stored.
pub(super) fn holds_days(entry: &ColumnEntry) -> bool {
    entry.kind.is_date()
        || entry.kind == ColumnKind::Month
        || entry.parts.is_some()
        || entry.date_cells == Some(DateCells::Iso)
        || matches!(entry.column_type, ColumnType::Date | ColumnType::DateTime)
}

/// True for the date of a birth or a death: no window of time is meant by it unless it is named.
pub(super) fn is_of_life(entry: &ColumnEntry) -> bool {
    let words = ["birth", "dob", "death", "birthday", "born"];
    entry.forms.iter().flatten().any(|word| words.contains(&word.as_str()))
}

/// True for what became of some lines of what was sold, where something that they refer to is dated: they have a `returned_on`, and
/// are as old as their order.
pub(super) fn comes_after(knowledge: &Knowledge, id: ColumnId) -> bool {
    const UNDONE: [&str; 4] = ["return", "refund", "cancel", "exchange"];
    let entry = knowledge.column(id);
    let joins = knowledge.joins();
    let is_undone = entry.forms.iter().flatten().any(|word| UNDONE.contains(&root(word).as_str()));
    let is_dated =
        |table: TableId| knowledge.table(table).columns.iter().any(|id| holds_days(knowledge.column(*id)));
    is_undone
        && price_and_quantity(knowledge, entry.table).is_some()
        && joins.above(entry.table).any(is_dated)
}

/// How unlikely a date is to say when a row of its table came to be, from 0.
pub(super) fn strangeness_of(knowledge: &Knowledge, id: ColumnId) -> i32 {
    let entry = knowledge.column(id);
    strangeness(entry, knowledge.table_words(entry.table))
}

/// How unlikely a date is to say when a row of its table came to be.
fn strangeness(entry: &ColumnEntry, table: &[String]) -> i32 {
    let form = entry.forms.first().cloned().unwrap_or_default();
    let has = |wanted: &[&str]| form.iter().any(|word| wanted.contains(&word.as_str()));
    if is_of_life(entry) {
        return 9;
    }
    // The month that something is counted for is less than the day on which it was.
    if entry.kind == ColumnKind::Month {
        return 8;
    }
    if has(&[
        "due",
        "end",
        "ended",
        "close",
        "closed",
        "paid",
        "update",
        "updated",
        "renew",
        "expire",
        "left",
        "last",
        "cancel",
        "valid",
        "deliver",
        "ship",
        "stop",
        "return",
        "resolve",
        "modify",
        "deleted",
        "finish",
        "until",
        "discharge",
        "complete",
        "churn",
        "checkout",
    ]) {
        return 5;
    }
    // What was promised for a day may have come on another.
    if form.iter().any(|word| PLANNED.contains(&word.as_str())) {
        return 3;
    }
    if has(&["actual", "carry", "carried", "conduct", "conducted"]) {
        return 1;
    }
    // *booked on* and *created at* say when a row was written, *starts at* when what it tells of takes place.
    if has(&[
        "start",
        "begin",
        "occur",
        "happen",
        "place",
        "held",
        "visit",
        "perform",
        "schedule",
        "scheduled",
    ]) {
        return if is_arranged(table) { 0 } else { 1 };
    }
    // *reserved for*, *check in*.
    if is_arranged(table) && has(&["for", "in", "arrival", "arrive", "checkin"]) {
        return 0;
    }
    if form.iter().any(|word| table.contains(word) || table.iter().any(|own| root(own) == root(word))) {
        return if is_arranged(table) { 3 } else { 0 };
    }
    if has(&[
        "make", "made", "create", "created", "open", "opened", "order", "ordered", "book", "issue", "sign",
        "join", "register", "report", "submit", "hire", "purchase", "buy", "invoice",
    ]) {
        return if is_arranged(table) { 3 } else { 2 };
    }
    3
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
    use sqlogue_sql::schema::{Column, ColumnType, Schema, Table};

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
        let booked = [("booked_on", Date), ("starts_at", DateTime)];
        assert_eq!(date_of("appointments", &booked).as_deref(), Some("starts_at"));
        let scheduled = [("booked_at", DateTime), ("scheduled_at", DateTime)];
        assert_eq!(date_of("appointments", &scheduled).as_deref(), Some("scheduled_at"));
        assert_eq!(date_of("bookings", &booked).as_deref(), Some("starts_at"));
        assert_eq!(date_of("trips", &[("departure", DateTime), ("arrival", DateTime)]), None);
        assert_eq!(date_of("items", &[("id", Integer)]), None);
    }
}
