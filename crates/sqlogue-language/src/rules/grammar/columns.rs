//! What columns are for: amounts, dates of an end, flags. By their names and values, never by their tables.

use super::levels::says_on_hand;
use super::waiting::said_alike;
use crate::rules::event_date;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::stem::root;
use sqlogue_sql::plan::TimeUnit;
use sqlogue_sql::schema::Value;

/// What a thing is sold for, where a column is what we pay for it, or must get at least.
pub fn sold_for(knowledge: &Knowledge, id: ColumnId) -> Option<ColumnId> {
    const INNER: [&str; 7] = ["cost", "purchase", "buying", "wholesale", "reserve", "minimum", "deposit"];
    let is_price = |id: ColumnId| is_number(knowledge, id) && named(knowledge, id, &["price"]);
    let mut own = knowledge.table(knowledge.column(id).table).columns.iter().copied();
    own.find(|one| is_price(*one) && !named(knowledge, *one, &INNER)).filter(|_| named(knowledge, id, &INNER))
}

/// True for a column that says how long something lasted.
pub fn is_duration(knowledge: &Knowledge, id: ColumnId) -> bool {
    let paid_by = ["rate", "price", "wage", "cost", "fee", "salary", "pay", "per"];
    let lasts = unit_of(knowledge, id).is_some() || named(knowledge, id, &["duration", "length"]);
    is_number(knowledge, id) && lasts && !named(knowledge, id, &paid_by)
}

/// True for a length of time that is not called after the rows it is told of: `break_minutes` of a shift, but not `rental_days`.
pub fn lasts_otherwise(knowledge: &Knowledge, id: ColumnId) -> bool {
    let entry = knowledge.column(id);
    let own = knowledge.table_words(entry.table);
    let form = entry.forms.first().map_or(&[][..], Vec::as_slice);
    form.split_last().is_some_and(|(_, of)| of.iter().any(|word| !own.contains(word)))
}

/// The unit of time that a column counts, by its name or by its numbers.
pub fn unit_of(knowledge: &Knowledge, id: ColumnId) -> Option<TimeUnit> {
    // `run_min` is a number of minutes, where `min_age` is the least.
    let ends_with = |word: &str| {
        knowledge.column(id).forms.iter().any(|form| form.last().is_some_and(|last| last == word))
    };
    if ends_with("min") {
        return Some(TimeUnit::Minute);
    }
    let units: [(&[&str], TimeUnit); 4] = [
        (&["minute", "mins"], TimeUnit::Minute),
        (&["hour", "hr", "hrs"], TimeUnit::Hour),
        (&["second", "sec", "secs"], TimeUnit::Second),
        (&["day"], TimeUnit::Day),
    ];
    let told = units.into_iter().find(|(names, _)| named(knowledge, id, names)).map(|(_, unit)| unit);
    told.or(knowledge.column(id).minutes.then_some(TimeUnit::Minute))
}

/// The dates at which a row of a table begins and ends.
pub fn start_and_end(knowledge: &Knowledge, table: TableId) -> Option<(ColumnId, ColumnId)> {
    // Nothing lasts from a month on.
    let is_day = |id: &ColumnId| knowledge.column(*id).kind != ColumnKind::Month;
    // What was signed first lasts from its start on.
    let says_start = |id: &ColumnId| named(knowledge, *id, &["start", "begin", "started", "began"]);
    let dates: Vec<ColumnId> = knowledge.dates(table).iter().copied().filter(is_day).collect();
    let start = dates.iter().copied().find(says_start).or_else(|| dates.first().copied())?;
    let end = ended_by(knowledge, table, None, Some(start))?;
    Some((start, end))
}

/// The roots of the words that a column is called by.
fn roots(knowledge: &Knowledge, id: ColumnId) -> impl Iterator<Item = String> {
    knowledge.column(id).forms.iter().flatten().map(|word| root(word))
}

/// The dates between which a row of a table holds, both named as such: `opens_on` and `closes_on`, `valid_from` and `valid_to`.
/// What is done or paid at last is no end here.
pub fn span(knowledge: &Knowledge, table: TableId) -> Option<(ColumnId, ColumnId)> {
    const STARTS: [&str; 7] = ["start", "begin", "open", "from", "valid", "effective", "check in"];
    const ENDS: [&str; 10] =
        ["end", "close", "until", "till", "to", "expire", "expiry", "finish", "leave", "left"];
    let dates = |words: &'static [&str]| {
        let words: Vec<String> = words.iter().map(|word| root(word)).collect();
        let bears = move |id: &ColumnId| roots(knowledge, *id).any(|own| words.contains(&own));
        let columns = knowledge.table(table).columns.iter().copied();
        columns.filter(move |id| is_date(knowledge, *id) && bears(id))
    };
    // Where it is told when something ended, the day on which it was to end is not asked for.
    let end = dates(&ENDS).find(|id| !is_planned(knowledge, *id)).or_else(|| dates(&ENDS).next())?;
    let first = || knowledge.dates(table).iter().copied().find(|id| *id != end);
    let start = dates(&STARTS).find(|id| *id != end).or_else(first)?;
    Some((start, end))
}

/// The date that says when a row of a table came to its end, so that a row without it is still open. Where words say how
/// it ends (*unpaid*), the date must bear them.
pub fn end_date(knowledge: &Knowledge, table: TableId, how: Option<&str>) -> Option<ColumnId> {
    ended_by(knowledge, table, how, None)
}

/// The same, but never the date at which it starts.
fn ended_by(
    knowledge: &Knowledge,
    table: TableId,
    how: Option<&str>,
    start: Option<ColumnId>,
) -> Option<ColumnId> {
    const ENDS: [&str; 46] = [
        "paid",
        "pay",
        "payment",
        "closed",
        "ended",
        "end",
        "finished",
        "completed",
        "returned",
        "resolved",
        "delivered",
        "received",
        "fulfilled",
        "answered",
        "completion",
        "shipped",
        "settled",
        "left",
        "done",
        "stopped",
        "fixed",
        "repaired",
        "cancelled",
        "churned",
        "discharged",
        "checkout",
        "out",
        "terminated",
        "deactivated",
        "discontinued",
        "expired",
        "expires",
        "retired",
        "withdrawn",
        "resigned",
        "archived",
        "decommissioned",
        "exit",
        "quit",
        "until",
        "departed",
        "departure",
        "arrived",
        "actual",
        "to",
        "till",
    ];
    let columns = knowledge.table(table).columns.iter().copied();
    let dates = columns.filter(|id| is_date(knowledge, *id) && Some(*id) != start);
    let dates: Vec<(ColumnId, Vec<String>)> = dates.map(|id| (id, roots(knowledge, id).collect())).collect();
    if dates.is_empty() {
        return None;
    }
    // What was to be delivered one day was not delivered then.
    let bearing = |word: &str| {
        let word = root(word);
        let mut all = dates.iter().filter(|(_, own)| own.contains(&word)).map(|(id, _)| *id);
        let first = all.clone().next();
        all.find(|id| !is_planned(knowledge, *id)).or(first)
    };
    match how {
        Some(word) => {
            // *not fixed yet* is what has no date of repair.
            let alike = said_alike(word).into_iter();
            std::iter::once(word).chain(alike).find_map(bearing)
        }
        None => ENDS.into_iter().find_map(bearing),
    }
}

/// The date by which something must be done.
pub fn due_date(knowledge: &Knowledge, table: TableId) -> Option<ColumnId> {
    let columns = &knowledge.table(table).columns;
    columns.iter().copied().find(|id| is_date(knowledge, *id) && is_planned(knowledge, *id))
}

/// True for a column that says what should be, and not what was: `due_on`, `estimated_hours`, `target_days`.
pub fn is_planned(knowledge: &Knowledge, id: ColumnId) -> bool {
    const PLANNED: [&str; 15] = [
        "due",
        "deadline",
        "expect",
        "expected",
        "promise",
        "promised",
        "plan",
        "planned",
        "require",
        "required",
        "schedule",
        "scheduled",
        "estimated",
        "agreed",
        "target",
    ];
    named(knowledge, id, &PLANNED)
}

/// True for a table whose rows have a price.
pub fn has_price(knowledge: &Knowledge, table: TableId) -> bool {
    let columns = &knowledge.table(table).columns;
    columns.iter().any(|id| is_number(knowledge, *id) && named(knowledge, *id, &["price"]))
}

/// A column of prices and one of quantities in one table: what they make is what was taken in.
pub fn price_and_quantity(knowledge: &Knowledge, table: TableId) -> Option<(ColumnId, ColumnId)> {
    let columns = || knowledge.table(table).columns.iter().copied().filter(|id| is_number(knowledge, *id));
    let price = columns().find(|id| named(knowledge, *id, &["price", "rate"]))?;
    Some((price, columns().find(|id| *id != price && counts_pieces(knowledge, *id))?))
}

/// True for a column that says how many pieces a row is about: `quantity`, `units_sold`, but neither `units_in_stock` nor
/// `stock_qty`.
pub fn counts_pieces(knowledge: &Knowledge, id: ColumnId) -> bool {
    if says_on_hand(knowledge, id) {
        return false;
    }
    const SOLD: [&str; 4] = ["sold", "ordered", "bought", "purchased"];
    let is_piece = |word: &String| matches!(word.as_str(), "unit" | "piece" | "item" | "copy" | "number");
    let counts = |form: &Vec<String>| match form.as_slice() {
        [only] => matches!(only.as_str(), "unit" | "piece" | "copy"),
        [piece, done] => is_piece(piece) && SOLD.contains(&done.as_str()),
        _ => false,
    };
    named(knowledge, id, &["quantity", "qty"]) || knowledge.column(id).forms.iter().any(counts)
}

/// The same, or what all pieces of a row came to and how many they were, as in a sheet of sales.
pub fn worth_and_quantity(knowledge: &Knowledge, table: TableId) -> Option<(ColumnId, ColumnId)> {
    let of_a_sheet = || {
        let columns =
            || knowledge.table(table).columns.iter().copied().filter(|id| is_number(knowledge, *id));
        let worth = columns().find(|id| named(knowledge, *id, &["sale", "revenue", "amount", "total"]))?;
        // How many orders came in for a kind of pizza says how many were sold.
        let orders = |id: &ColumnId| {
            let form = knowledge.column(*id).forms.first();
            form.is_some_and(|form| matches!(form.as_slice(), [only] if only == "order"))
        };
        let is_other = |id: &ColumnId| *id != worth;
        let pieces = columns().filter(is_other).find(|id| counts_pieces(knowledge, *id));
        Some((worth, pieces.or_else(|| columns().filter(is_other).find(orders))?))
    };
    price_and_quantity(knowledge, table)
        .filter(|(_, quantity)| named(knowledge, *quantity, &["quantity", "qty"]))
        .or_else(of_a_sheet)
        .or_else(|| price_and_quantity(knowledge, table))
}

/// The same, or a price of one unit and the number of these units: what a table's own rows are worth.
pub fn price_and_units(knowledge: &Knowledge, table: TableId) -> Option<(ColumnId, ColumnId)> {
    price_and_quantity(knowledge, table).or_else(|| price_per_unit(knowledge, table))
}

/// A column of prices of one unit, and one that says how many of these units there were: `price_per_litre` and `litres`.
fn price_per_unit(knowledge: &Knowledge, table: TableId) -> Option<(ColumnId, ColumnId)> {
    const PRICES: [&str; 6] = ["price", "rate", "cost", "fee", "charge", "tariff"];
    let columns = || knowledge.table(table).columns.iter().copied().filter(|id| is_number(knowledge, *id));
    columns().filter(|id| named(knowledge, *id, &PRICES)).find_map(|price| {
        let (_, unit) = knowledge.column(price).per_unit()?;
        let counts = |id: &ColumnId| {
            let column = knowledge.column(*id);
            column.per_unit().is_none() && column.forms.iter().flatten().any(|word| root(word) == root(unit))
        };
        Some((price, columns().find(counts)?))
    })
}

/// What a line with a price and a quantity came to, where a column holds that: it has the discount taken off already.
pub fn line_total(knowledge: &Knowledge, table: TableId) -> Option<ColumnId> {
    const PARTS: [&str; 12] = [
        "discount", "tax", "vat", "shipping", "tip", "deposit", "fee", "refund", "cost", "unit", "quantity",
        "paid",
    ];
    let (price, quantity) = price_and_quantity(knowledge, table)?;
    let columns = &knowledge.table(table).columns;
    columns.iter().copied().find(|id| {
        let total = named(knowledge, *id, &["total", "amount", "amt"]) && !named(knowledge, *id, &PARTS);
        total && *id != price && *id != quantity && is_number(knowledge, *id)
    })
}

/// A column of prices, one of what a piece costs, and one of how many were sold where there is one: what was sold and what it
/// cost may be told by a table and one that it refers to.
pub fn price_and_cost(
    knowledge: &Knowledge,
    table: TableId,
) -> Option<(ColumnId, ColumnId, Option<ColumnId>)> {
    let find = |table: TableId, words: &[&str]| {
        let columns = &knowledge.table(table).columns;
        columns.iter().copied().find(|id| is_number(knowledge, *id) && named(knowledge, *id, words))
    };
    let joins = knowledge.joins();
    let above = joins.neighbours(table).into_iter().filter(|other| {
        let edges = joins.between(table, *other);
        edges.len() == 1 && edges.iter().all(|edge| edge.from == table)
    });
    let cost = || std::iter::once(table).chain(above).find_map(|table| find(table, &["cost"]));
    match price_and_quantity(knowledge, table) {
        Some((price, quantity)) => Some((price, cost()?, Some(quantity))),
        None => Some((find(table, &["price"])?, find(table, &["cost"])?, None)),
    }
}

/// False for numbers whose total says nothing: prices, rates, ratings, ages, percentages.
pub fn adds_up(knowledge: &Knowledge, id: ColumnId) -> bool {
    const MEANS: [&str; 29] = [
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
        "expectancy",
        "fertility",
        "index",
        "delay",
        "latency",
        "humidity",
        "pressure",
        "altitude",
        "elevation",
    ];
    !named(knowledge, id, &MEANS) || named(knowledge, id, &["weight"]) && is_of_goods(knowledge, id)
}

/// True for a column of things that are packed together, whose weights make one: those of a shipment, and not those of a team.
fn is_of_goods(knowledge: &Knowledge, id: ColumnId) -> bool {
    const GOODS: [&str; 10] =
        ["item", "line", "package", "packet", "parcel", "pallet", "piece", "load", "container", "shipment"];
    let forms = &knowledge.table(knowledge.column(id).table).forms;
    forms.iter().any(|form| form.last().is_some_and(|last| GOODS.contains(&last.as_str())))
}

/// The words for a unit in names of what is paid for each: a daily rate, a price per kg.
const RATES: [(&str, &[&str]); 8] = [
    ("hour", &["hour", "hourly", "hr"]),
    ("day", &["day", "daily"]),
    ("night", &["night", "nightly"]),
    ("week", &["week", "weekly"]),
    ("month", &["month", "monthly"]),
    ("year", &["year", "yearly", "annual", "annum"]),
    ("kg", &["kg", "kilo", "kilogram"]),
    ("km", &["km", "kilometre", "kilometer"]),
];

/// The unit that a word says after *a*, *per* or *each* in a price; none for other words.
pub fn paid_unit(word: &str) -> Option<&'static str> {
    RATES.iter().find(|(_, words)| words.contains(&word)).map(|(unit, _)| *unit)
}

/// True for a column of what is paid for each unit: a daily rate, but no number of days.
pub fn is_rate(knowledge: &Knowledge, id: ColumnId, unit: &str) -> bool {
    const PAID: [&str; 8] = ["rate", "price", "wage", "salary", "pay", "fee", "cost", "charge"];
    let own = RATES.iter().find(|(name, _)| *name == unit).map_or(&[][..], |(_, words)| words);
    is_number(knowledge, id) && named(knowledge, id, own) && named(knowledge, id, &PAID)
}

/// True for a column with one of these words in its name.
pub fn named(knowledge: &Knowledge, id: ColumnId, words: &[&str]) -> bool {
    knowledge.column(id).forms.iter().any(|form| words.iter().any(|word| form.iter().any(|own| own == word)))
}

/// True for a column whose numbers may be summed or compared: no key, no date.
pub fn is_number(knowledge: &Knowledge, id: ColumnId) -> bool {
    let column = knowledge.column(id);
    let counts = column.numeric || column.column_type.is_numeric();
    counts
        && !column.is_key
        && !column.is_foreign
        && !column.kind.is_date()
        && !is_calendar_part(&column.name)
}

/// True for `day`, `month` and the like, which say when and not how much: *hours* are worked, and an *hour* is one of the day.
fn is_calendar_part(name: &str) -> bool {
    const PARTS: [&str; 9] =
        ["month", "day", "hour", "quarter", "week", "weekday", "day_of_week", "dayofweek", "dow"];
    PARTS.iter().any(|part| part.eq_ignore_ascii_case(name))
}

/// True for a column that holds dates or times.
pub fn is_date(knowledge: &Knowledge, id: ColumnId) -> bool {
    event_date::holds_days(knowledge.column(id))
}

/// True for a column that refers to somebody above, by its name.
pub fn leads_up(knowledge: &Knowledge, id: ColumnId) -> bool {
    const SUPERIORS: [&str; 11] = [
        "manager",
        "manages",
        "boss",
        "supervisor",
        "superior",
        "report",
        "reports",
        "lead",
        "leader",
        "head",
        "parent",
    ];
    named(knowledge, id, &SUPERIORS)
}

/// The values with which a column says yes and no, where it holds only such.
pub fn flag(knowledge: &Knowledge, id: ColumnId) -> Option<(Value, Value)> {
    let column = knowledge.column(id);
    if let Some((yes, no)) = column.kind.is_flag() {
        return Some((yes.clone(), no.clone()));
    }
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
