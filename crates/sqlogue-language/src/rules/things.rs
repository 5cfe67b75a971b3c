//! What people call the rows of a table besides its name: the things whose records they are, and what their numbers number.

use super::knowledge::{ColumnEntry, TableEntry};
use super::stem::stem;

/// What ends the names of numbers that tell rows apart.
const NUMBERS: [&str; 4] = ["number", "id", "key", "reference"];

/// Calls tables by the things whose records they are, where no other table bears that name: *tickets* for `ticket_sales`.
pub(super) fn name_things(tables: &mut [TableEntry]) {
    const RECORDS: [&str; 7] = ["sale", "record", "log", "history", "data", "list", "register"];
    let thing = |table: &TableEntry| match table.forms.first()?.split_last()? {
        (last, thing) if !thing.is_empty() && RECORDS.iter().any(|word| stem(word) == *last) => {
            Some(thing.to_vec())
        }
        _ => None,
    };
    let things: Vec<Option<Vec<String>>> = tables.iter().map(thing).collect();
    let is_free = |name: &Vec<String>| {
        let named = tables.iter().filter(|table| table.forms.contains(name)).count();
        named == 0 && things.iter().flatten().filter(|other| *other == name).count() == 1
    };
    let free: Vec<bool> = things.iter().map(|thing| thing.as_ref().is_some_and(is_free)).collect();
    for ((table, thing), is_free) in tables.iter_mut().zip(things).zip(free) {
        if let Some(thing) = thing.filter(|_| is_free) {
            table.forms.push(thing);
        }
    }
}

/// Calls the numbers of pieces in sales of something by what is sold: *tickets* for the `quantity` of `ticket_sales`, of which each
/// row may be of several.
pub(super) fn name_pieces(tables: &[TableEntry], columns: &mut [ColumnEntry]) {
    for table in tables {
        let Some((last, thing)) = table.forms.first().and_then(|form| form.split_last()) else { continue };
        if *last != stem("sale") || thing.is_empty() || !table.forms.iter().any(|form| form == thing) {
            continue;
        }
        let is_quantity = |column: &ColumnEntry| {
            column.column_type.is_numeric()
                && column
                    .forms
                    .iter()
                    .any(|form| matches!(form.as_slice(), [word] if *word == stem("quantity")))
        };
        // `ticket_type` beside them says that tickets are sold, and `taproom_sales` are of no taprooms.
        let speaks_of_it = |column: &ColumnEntry| {
            column.forms.first().is_some_and(|form| form.len() > thing.len() && form.starts_with(thing))
        };
        let own = || table.columns.iter().filter_map(|id| columns.get(id.0));
        if !own().any(speaks_of_it) {
            continue;
        }
        let at = table.columns.iter().map(|id| id.0).find(|at| columns.get(*at).is_some_and(is_quantity));
        if let Some(column) = at.and_then(|at| columns.get_mut(at)) {
            column.forms.push(thing.to_vec());
        }
    }
}

/// Calls tables by what their keys number, where no table bears that name: *jobs* for the rows of `maintenance` with a `job_id`.
pub(super) fn name_by_keys(tables: &mut [TableEntry], columns: &[ColumnEntry]) {
    let numbered = |table: &TableEntry| {
        let [key] = table.key[..] else { return None };
        let key = columns.get(key.0).filter(|key| !key.is_foreign)?;
        let (last, thing) = key.forms.first()?.split_last()?;
        (NUMBERS.contains(&last.as_str()) && !thing.is_empty()).then(|| thing.to_vec())
    };
    let things: Vec<Option<Vec<String>>> = tables.iter().map(numbered).collect();
    // What is a word of any other name, table or column, may mean that too.
    let is_free = |at: usize, name: &Vec<String>| {
        let is_column = columns.iter().filter(|column| !column.is_key && !column.is_foreign);
        let is_table = tables.iter().enumerate().any(|(other, table)| {
            table
                .forms
                .iter()
                .any(|form| form == name || other == at && name.iter().all(|word| form.contains(word)))
        });
        !is_table
            && !is_column.into_iter().any(|column| column.forms.contains(name))
            && things.iter().flatten().filter(|other| *other == name).count() == 1
    };
    let free: Vec<bool> = things
        .iter()
        .enumerate()
        .map(|(at, thing)| thing.as_ref().is_some_and(|name| is_free(at, name)))
        .collect();
    for ((table, thing), is_free) in tables.iter_mut().zip(things).zip(free) {
        let Some(thing) = thing.filter(|_| is_free) else { continue };
        // *maintenance jobs* says both.
        if let Some(form) = table.forms.first() {
            table.forms.push(form.iter().chain(&thing).cloned().collect());
        }
        table.forms.push(thing);
    }
}

/// Calls the numbers by which rows are told to belong together by what they number, where no table bears that name: *orders*
/// for `Order No` in the lines of orders.
pub(super) fn name_numbered(tables: &[TableEntry], columns: &mut [ColumnEntry]) {
    for column in columns {
        let Some(table) = tables.get(column.table.0) else { continue };
        let alone = column.is_key && table.key.len() == 1;
        if alone || column.unique || column.is_foreign {
            continue;
        }
        let Some((last, numbered)) = column.forms.first().and_then(|form| form.split_last()) else {
            continue;
        };
        let is_table = || tables.iter().any(|table| table.forms.iter().any(|form| form == numbered));
        if NUMBERS.contains(&last.as_str()) && !numbered.is_empty() && !is_table() {
            let numbered = numbered.to_vec();
            column.forms.insert(1, numbered);
            column.shared_number = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::table;
    use crate::rules::{Knowledge, Options, understand};
    use sqlogue_sql::schema::{ColumnType, Schema};
    use sqlogue_sql::sql::{Dialect, render};

    fn first(question: &str, sales: &[(&str, ColumnType)]) -> String {
        use ColumnType::{Integer, Text};
        let showings = table("showings", &[("showing_id", Integer), ("film", Text)], &[]);
        let name = sales[2].0.split('_').next().map(|thing| format!("{thing}_sales")).unwrap_or_default();
        let keys = [("showing_id", "showings", "showing_id")];
        let knowledge =
            Knowledge::from_schema(&Schema { tables: vec![showings, table(&name, sales, &keys)] });
        let read = understand(question, &knowledge, &Options::default());
        read.candidates.first().map(|one| render(&one.plan, Dialect::Sqlite)).unwrap_or_default()
    }

    #[test]
    fn a_sale_may_be_of_several_pieces() {
        use ColumnType::{Integer, Real, Text};
        let tickets = [
            ("sale_id", Integer),
            ("showing_id", Integer),
            ("ticket_type", Text),
            ("quantity", Integer),
            ("unit_price", Real),
        ];
        let pieces = first("number of tickets for each showing", &tickets);
        assert!(pieces.contains("sum(ticket_sales.quantity)"), "{pieces}");
        let sales = first("how many ticket sales", &tickets);
        assert!(sales.contains("count(*) FROM ticket_sales"), "{sales}");
        // Nobody sells a taproom.
        let taproom = [
            ("sale_id", Integer),
            ("showing_id", Integer),
            ("taproom", Text),
            ("quantity", Integer),
            ("unit_price", Real),
        ];
        let sales = first("how many taproom sales", &taproom);
        assert!(sales.contains("count(*) FROM taproom_sales"), "{sales}");
    }
}
