//! What holds of rows, as people say it: *are from Germany*, *have a price below 400 and no manager*.

use crate::base::number::real;
use crate::base::text::clean;
use crate::plan::{Arithmetic, ColumnRef, Comparison, Condition, Expr, QueryPlan, Source};
use crate::schema::{ColumnType, Table, TableKind, Value, pieces, row_words};

/// Columns whose values are places, which people are from.
const PLACES: &[&str] = &["city", "country", "state", "region", "town", "county", "continent", "nationality"];

/// How words end that say what something is, such as `cancelled`, `returnable` and `inactive`; and some that end otherwise.
const SAYS_WHAT: &[&str] =
    &["ed", "able", "ible", "ive", "al", "ant", "ent", "paid", "sold", "open", "done", "public"];

/// More conditions than these make no sentence.
const MOST_CONDITIONS: usize = 3;

/// What rows are, what they have, or what they did.
enum Phrase {
    Are(String),
    Have(String),
    Did(String),
}

/// What holds of the rows of one table for which a condition does; of a single row where `one`. None where it takes more
/// than a few words.
pub(super) fn said(filter: &Condition, known: Option<&Table>, one: bool) -> Option<String> {
    let parts = filter.parts();
    if parts.len() > MOST_CONDITIONS {
        return Some(format!("{} {} conditions", if one { "meets" } else { "meet" }, parts.len()));
    }
    let (mut are, mut have, mut did) = (Vec::new(), Vec::new(), Vec::new());
    for part in &parts {
        match phrase(part, known, one) {
            Some(Phrase::Are(what)) => are.push(what),
            Some(Phrase::Have(what)) => have.push(what),
            Some(Phrase::Did(what)) => did.push(what),
            // What a nested query finds is not said in a few words.
            None if part.queries().is_empty() => return Some(matched(&parts, one)),
            None => return None,
        }
    }
    let (is, has) = if one { ("is", "has") } else { ("are", "have") };
    let said = [(is, are), (has, have), ("", did)];
    let said = said.iter().filter(|(_, what)| !what.is_empty());
    let said: Vec<String> =
        said.map(|(verb, what)| format!("{verb} {}", listed(what)).trim().to_owned()).collect();
    Some(clean(&said.join(" and ")).into_owned())
}

/// What rows without it lack, with its article, where that is the only condition.
pub(super) fn lacking(filter: &Condition) -> Option<String> {
    match filter.parts().as_slice() {
        [Condition::IsNull { expr: Expr::Column(column), negated: false }] => {
            Some(clean(&a(&thing(column))).into_owned())
        }
        _ => None,
    }
}

/// Conditions as they are, for which there are no words.
fn matched(parts: &[Condition], one: bool) -> String {
    let parts: Vec<String> = parts.iter().map(|part| format!("{part:#}")).collect();
    format!("{} {}", if one { "matches" } else { "match" }, clean(&parts.join(" and ")))
}

/// `a`, `a and b`, `a, b and c`.
fn listed(what: &[String]) -> String {
    match what {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => what.concat(),
    }
}

fn phrase(condition: &Condition, known: Option<&Table>, one: bool) -> Option<Phrase> {
    if let Some(window) = condition.as_period() {
        let Expr::Column(column) = window.expr else { return None };
        let said = format!("{condition:#}");
        let when = said.strip_prefix(&format!("{column:#} "))?;
        let words = words(column);
        // What was visited at a time has no *visited at*, and who joined has no *joined*.
        let done = words.strip_suffix(" at").or(words.strip_suffix(" on"));
        return Some(match done {
            Some(done) => Phrase::Did(format!("{} {done} {when}", if one { "was" } else { "were" })),
            None if words.ends_with("ed") => Phrase::Did(format!("{words} {when}")),
            None => Phrase::Have(format!("{} {when}", a(&words))),
        });
    }
    match condition {
        Condition::Compare { left: Expr::Column(column), operator, right: Expr::Literal(value) } => {
            compared(column, *operator, value, known)
        }
        // *longer than 3 hours* of a number of minutes.
        Condition::Compare {
            left: Expr::Arithmetic { operator: Arithmetic::Divide, left, right },
            operator,
            right: Expr::Literal(value),
        } => match (left.as_ref(), right.as_ref()) {
            (Expr::Column(column), Expr::Literal(unit)) => {
                compared(column, *operator, &product(value, unit)?, known)
            }
            _ => None,
        },
        Condition::Between {
            expr: Expr::Column(column),
            low: Expr::Literal(low),
            high: Expr::Literal(high),
        } => Some(Phrase::Have(format!("{} from {} to {}", a(&words(column)), cell(low)?, cell(high)?))),
        Condition::In { expr: Expr::Column(column), list, negated: false } => {
            let values = list.iter().map(|one| match one {
                Expr::Literal(value) => cell(value),
                _ => None,
            });
            let values = values.collect::<Option<Vec<_>>>()?.join(" or ");
            Some(if is_place(column) {
                Phrase::Are(format!("from {values}"))
            } else {
                Phrase::Have(format!("the {} {values}", words(column)))
            })
        }
        Condition::Like { expr: Expr::Column(column), pattern, negated: false } => {
            let (begins, ends) = (pattern.ends_with('%'), pattern.starts_with('%'));
            let text = pattern.trim_matches('%');
            let how = match (ends, begins) {
                _ if text.contains(['%', '_']) => return None,
                (true, true) => "with",
                (false, true) => "that begins with",
                (true, false) => "that ends with",
                (false, false) => return None,
            };
            Some(Phrase::Have(format!("{} {how} `{text}`", a(&words(column)))))
        }
        Condition::IsNull { expr: Expr::Column(column), negated } => {
            let thing = thing(column);
            Some(Phrase::Have(if *negated { a(&thing) } else { format!("no {thing}") }))
        }
        Condition::InQuery { expr: Expr::Column(_), query, negated } => {
            let things = whole_table(query)?;
            Some(Phrase::Have(if *negated { format!("no {things}") } else { things }))
        }
        _ => None,
    }
}

/// So many units of a quantity; none where one of both is no number above zero.
fn product(value: &Value, unit: &Value) -> Option<Value> {
    let number = |value: &Value| match value {
        Value::Integer(whole) => Some(*whole as f64),
        Value::Real(real) => Some(*real),
        _ => None,
    };
    let product = number(value)? * number(unit).filter(|unit| *unit > 0.0)?;
    let is_whole = product.fract() == 0.0 && product.abs() < 1e15;
    Some(if is_whole { Value::Integer(product as i64) } else { Value::Real(product) })
}

fn compared(
    column: &ColumnRef,
    operator: Comparison,
    value: &Value,
    known: Option<&Table>,
) -> Option<Phrase> {
    let words = words(column);
    if matches!(operator, Comparison::Equal | Comparison::NotEqual)
        && let Some(is) = flag(column, value, known)
    {
        let is = is == (operator == Comparison::Equal);
        // What ends with a question mark asks what a row is: `VIP?`.
        let asks = column.column.trim_end().ends_with('?') && !words.starts_with("has ");
        if asks && !says_what(&words) {
            let answer = if is { "yes" } else { "no" };
            return Some(Phrase::Have(format!("a {answer} in `{}`", column.column.trim())));
        }
        if !says_what(&words) {
            let thing = words.strip_prefix("has ").unwrap_or(&words);
            return Some(Phrase::Have(if is { a(thing) } else { format!("no {thing}") }));
        }
        let word = words.strip_prefix("is ").unwrap_or(&words);
        return Some(Phrase::Are(if is { word.to_owned() } else { format!("not {word}") }));
    }
    let (shown, is_number) = (cell(value)?, !matches!(value, Value::Text(_)));
    Some(match operator {
        Comparison::Equal if is_place(column) => Phrase::Are(format!("from {shown}")),
        Comparison::NotEqual if is_place(column) => Phrase::Are(format!("not from {shown}")),
        Comparison::Equal if is_number && !is_key(column) => {
            Phrase::Have(format!("{} of {shown}", a(&words)))
        }
        Comparison::Equal => Phrase::Have(format!("the {words} {shown}")),
        Comparison::NotEqual => Phrase::Have(format!("another {words} than {shown}")),
        // Texts come before and after each other only where they are times.
        _ if !is_number => return None,
        Comparison::Less => Phrase::Have(format!("{} below {shown}", a(&words))),
        Comparison::Greater => Phrase::Have(format!("{} above {shown}", a(&words))),
        Comparison::LessOrEqual => Phrase::Have(format!("{} of at most {shown}", a(&words))),
        Comparison::GreaterOrEqual => Phrase::Have(format!("{} of at least {shown}", a(&words))),
    })
}

/// Whether a column's name says what rows are, and not what they have.
fn says_what(words: &str) -> bool {
    words.starts_with("is ") || SAYS_WHAT.iter().any(|end| words.ends_with(end))
}

/// What a yes or a no in a column says, where the column holds nothing else, or its name says what rows are.
fn flag(column: &ColumnRef, value: &Value, known: Option<&Table>) -> Option<bool> {
    let yes = match value {
        Value::Boolean(yes) => *yes,
        Value::Integer(0) => false,
        Value::Integer(1) => true,
        Value::Text(text) => match text.to_lowercase().as_str() {
            "1" | "y" | "yes" | "t" | "true" => true,
            "0" | "n" | "no" | "f" | "false" => false,
            _ => return None,
        },
        _ => return None,
    };
    let declared = known.and_then(|table| table.column(&column.column)).map(|column| column.column_type);
    let is_said = matches!(value, Value::Text(_)) && says_what(&words(column));
    (declared == Some(ColumnType::Boolean) || is_said).then_some(yes)
}

/// The name of a table of which a nested query has every row that refers to something; none for other queries.
fn whole_table(query: &QueryPlan) -> Option<String> {
    let select = &query.select;
    let Source::Table(table) = &select.from else { return None };
    let is_any = |filter: &Condition| matches!(filter, Condition::IsNull { negated: true, .. });
    let is_whole = select.joins.is_empty()
        && select.group_by.is_empty()
        && select.having.is_none()
        && query.set_operations.is_empty()
        && query.with.is_empty()
        && query.limit.is_none()
        && select.filter.as_ref().is_none_or(is_any);
    is_whole.then(|| things(&table.table, None, 2))
}

/// What so many rows of a table are called.
pub(super) fn things(table: &str, known: Option<&Table>, count: u64) -> String {
    let mut words = row_words(table);
    // A view that lists customers has customers in it.
    let is_list = known.is_some_and(|table| table.kind == TableKind::View);
    if is_list && words.len() > 1 && words.last().is_some_and(|last| last == "list") {
        words.pop();
    }
    // A price list has prices in it, and an HR list has no HRs.
    if words.last().is_some_and(|last| last == "list") {
        words = vec!["row".to_owned()];
    }
    pluralizer::pluralize(&words.join(" "), isize::try_from(count).unwrap_or(2), false)
}

fn is_place(column: &ColumnRef) -> bool {
    pieces(&column.column).last().is_some_and(|last| PLACES.contains(&last.as_str()))
}

fn is_key(column: &ColumnRef) -> bool {
    pieces(&column.column).last().is_some_and(|last| last == "id" || last == "year")
}

/// The words of a column's name, without a unit in parentheses.
fn words(column: &ColumnRef) -> String {
    let name = column.column.as_str();
    let outside = name.split_once('(').map_or(name, |(before, _)| before);
    pieces(if outside.is_empty() { name } else { outside }).join(" ")
}

/// What a column refers to: a manager, and not the number of one.
fn thing(column: &ColumnRef) -> String {
    let words = words(column);
    words.strip_suffix(" id").map(str::to_owned).unwrap_or(words)
}

/// A thing with its article; things have none.
fn a(thing: &str) -> String {
    let is_many = thing.ends_with('s') && !thing.ends_with("ss") && !thing.ends_with("us");
    match thing.chars().next() {
        _ if is_many => thing.to_owned(),
        Some('a' | 'e' | 'i' | 'o') => format!("an {thing}"),
        _ => format!("a {thing}"),
    }
}

/// A value as it stands in a sentence; none for what has no words.
fn cell(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) if text.is_empty() => None,
        Value::Text(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Real(number) => Some(real(*number)),
        _ => None,
    }
}
