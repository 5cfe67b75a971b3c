//! What columns are for: amounts, dates of an end, flags. By their names and values, never by their tables.

use crate::reasoner::rules::date_cells::DateCells;
use crate::reasoner::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::reasoner::rules::stem::root;
use crate::schema::{ColumnType, Value};

/// The column that says what a row of a table is worth, where it has one: *invoices* have an amount, *payments* a total.
pub fn amount(knowledge: &Knowledge, table: TableId) -> Option<ColumnId> {
    const NAMES: [&str; 10] =
        ["amount", "total", "value", "revenue", "sum", "net", "gross", "cost", "price", "fee"];
    let columns = || knowledge.table(table).columns.iter().copied().filter(|id| is_number(knowledge, *id));
    NAMES.iter().find_map(|name| columns().find(|id| named(knowledge, *id, &[name])))
}

/// The table whose rows say what the rows of a table are worth: itself, or one of prices and quantities below it.
pub fn amounts_of(knowledge: &Knowledge, table: TableId) -> Option<TableId> {
    let below = |other: &TableId| {
        price_and_quantity(knowledge, *other).is_some()
            && knowledge.joins().between(*other, table).iter().any(|edge| edge.from == *other)
    };
    match amount(knowledge, table).is_some() || price_and_quantity(knowledge, table).is_some() {
        true => Some(table),
        false => knowledge.joins().neighbours(table).into_iter().find(below),
    }
}

/// The date that says when a row of a table came to its end, so that a row without it is still open. Where words say how
/// it ends (*unpaid*), the date must bear them.
pub fn end_date(knowledge: &Knowledge, table: TableId, how: Option<&str>) -> Option<ColumnId> {
    const ENDS: [&str; 16] = [
        "paid",
        "closed",
        "ended",
        "end",
        "finished",
        "completed",
        "returned",
        "resolved",
        "delivered",
        "shipped",
        "settled",
        "left",
        "done",
        "stopped",
        "fixed",
        "cancelled",
    ];
    let dates = || knowledge.table(table).columns.iter().copied().filter(|id| is_date(knowledge, *id));
    let bears = |id: &ColumnId, word: &str| {
        let word = root(word);
        knowledge.column(*id).forms.iter().flatten().any(|own| root(own) == word)
    };
    match how {
        Some(word) => dates().find(|id| bears(id, word)),
        None => ENDS.iter().find_map(|word| dates().find(|id| bears(id, word))),
    }
}

/// The date by which something must be done.
pub fn due_date(knowledge: &Knowledge, table: TableId) -> Option<ColumnId> {
    let columns = &knowledge.table(table).columns;
    columns.iter().copied().find(|id| is_date(knowledge, *id) && named(knowledge, *id, &["due", "deadline"]))
}

/// A column of prices and one of quantities in one table: what they make is what was taken in.
pub fn price_and_quantity(knowledge: &Knowledge, table: TableId) -> Option<(ColumnId, ColumnId)> {
    let find = |words: &[&str]| {
        let columns = &knowledge.table(table).columns;
        columns.iter().copied().find(|id| is_number(knowledge, *id) && named(knowledge, *id, words))
    };
    Some((find(&["price", "rate"])?, find(&["quantity", "qty", "unit sold"])?))
}

/// False for numbers whose total says nothing: prices, rates, ratings, ages, percentages.
pub fn adds_up(knowledge: &Knowledge, id: ColumnId) -> bool {
    const MEANS: [&str; 20] = [
        "price",
        "rate",
        "rating",
        "score",
        "age",
        "percent",
        "percentage",
        "pct",
        "ratio",
        "grade",
        "star",
        "temperature",
        "salary",
        "level",
        "height",
        "weight",
        "speed",
        "latitude",
        "longitude",
        "year",
    ];
    !named(knowledge, id, &MEANS)
}

/// True for a column with one of these words in its name.
pub fn named(knowledge: &Knowledge, id: ColumnId, words: &[&str]) -> bool {
    knowledge.column(id).forms.iter().any(|form| words.iter().any(|word| form.iter().any(|own| own == word)))
}

/// True for a column whose numbers may be summed or compared: no key, no date.
pub fn is_number(knowledge: &Knowledge, id: ColumnId) -> bool {
    let column = knowledge.column(id);
    (column.numeric || column.column_type.is_numeric()) && !column.is_key && !column.is_foreign
}

/// True for a column that holds dates or times.
pub fn is_date(knowledge: &Knowledge, id: ColumnId) -> bool {
    let column = knowledge.column(id);
    column.date_cells == Some(DateCells::Iso)
        || matches!(column.column_type, ColumnType::Date | ColumnType::DateTime)
}

/// The values with which a column says yes and no, where it holds only such.
pub fn flag(knowledge: &Knowledge, id: ColumnId) -> Option<(Value, Value)> {
    let column = knowledge.column(id);
    let values = &column.few_values;
    if values.is_empty() || values.len() > 2 {
        return None;
    }
    let says = |yes: &str, value: &Value| match value {
        Value::Text(text) => text.eq_ignore_ascii_case(yes),
        Value::Integer(number) => number.to_string() == yes,
        Value::Boolean(truth) => truth.to_string() == yes,
        _ => false,
    };
    for (yes, no) in [("y", "n"), ("yes", "no"), ("1", "0"), ("true", "false"), ("t", "f")] {
        if values.iter().all(|value| says(yes, value) || says(no, value)) {
            let find = |wanted: &str| values.iter().find(|value| says(wanted, value)).cloned();
            let other = |text: &str, like: Option<Value>| match like {
                Some(Value::Integer(_)) => text.parse().map_or(Value::Null, Value::Integer),
                Some(Value::Boolean(_)) => Value::Boolean(text == "true"),
                Some(Value::Text(sample)) if sample.chars().any(char::is_uppercase) => {
                    Value::Text(text.to_uppercase())
                }
                _ => Value::Text(text.to_owned()),
            };
            let yes_value = find(yes).unwrap_or_else(|| other(yes, find(no)));
            let no_value = find(no).unwrap_or_else(|| other(no, find(yes)));
            return Some((yes_value, no_value));
        }
    }
    None
}
