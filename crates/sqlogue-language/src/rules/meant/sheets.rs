//! Rows of sheets that are parts of things: each order stands in as many rows as it has lines, each customer in as many as he bought. They
//! are counted once, and *never* is said of all of them.

use super::flat::{WHOLES, name_things};
use crate::rules::event_date::holds_days;
use crate::rules::grammar::is_money;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::propose::Proposal;
use crate::rules::stem::root;
use crate::rules::text::Question;
use sqlogue_sql::plan::{
    Aggregate, ColumnRef, Comparison, Condition, Expr, Projection, QueryPlan, Select, Source,
};

/// Counts the orders of a sheet once each, where they are asked for by the number that their lines share.
pub(super) fn count_things_once(plan: &mut QueryPlan, question: &Question, knowledge: &Knowledge) {
    let Some((used, table)) = only_table(&plan.select, knowledge) else { return };
    let Some(number) = counted(table, question, knowledge) else { return };
    let number = Expr::Column(ColumnRef::new(used, knowledge.column(number).name.clone()));
    if plan.select.group_by.contains(&number) || !plan.set_operations.is_empty() {
        return;
    }
    let once = |expr: &Expr| (*expr == Expr::count_all()).then(|| Expr::count_distinct(vec![number.clone()]));
    plan.select.projection.iter_mut().for_each(|shown| shown.expr.replace(&mut |expr| once(expr)));
    let mut seen: Vec<Expr> = Vec::new();
    plan.select.projection.retain(|shown| {
        let is_new = !seen.contains(&shown.expr);
        seen.push(shown.expr.clone());
        is_new
    });
    plan.select.having.iter_mut().for_each(|having| having.replace(&mut |expr| once(expr)));
    plan.order_by.iter_mut().for_each(|order| order.expr.replace(&mut |expr| once(expr)));
}

/// The number that the lines of things share, where a question counts those things: *how many orders*, *ordered more than twice*.
fn counted(table: TableId, question: &Question, knowledge: &Knowledge) -> Option<ColumnId> {
    let tokens = &question.tokens;
    let lower = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    let begins = |at: usize| at == 0 && matches!(lower(1), "per" | "by" | "each" | "in" | "this" | "last");
    let counts_it = |at: usize| {
        let before = |back: usize| at.checked_sub(back).map_or("", |before| lower(before));
        let is_compared = matches!(before(2), "than" | "least" | "most" | "exactly");
        let is_number = before(1).chars().all(|sign| sign.is_ascii_digit()) && !before(1).is_empty();
        matches!((before(2), before(1)), ("how", "many") | ("number" | "count", "of"))
            || matches!(before(1), "most" | "fewest" | "#")
            || is_compared && is_number
            || begins(at)
    };
    // *ordered more than ten times*: the deed is counted.
    let comes_again = tokens.iter().any(|token| matches!(token.lower.as_str(), "repeat" | "returning"));
    let is_deed = |at: usize| {
        let told = (at + 1..at + 6).find(|at| matches!(lower(*at), "times" | "once" | "twice"));
        told.is_some() && lower(at).ends_with("ed")
    };
    // *invoice lines* and *order items* are the rows themselves.
    let words = knowledge.table_words(table);
    let is_of_lines = |end: usize| {
        let parts = ["line", "lines", "item", "items", "row", "rows", "record", "records"];
        tokens.get(end).is_some_and(|next| parts.contains(&next.lower.as_str()) || words.contains(&next.stem))
    };
    let named = |id: &ColumnId| {
        let entry = knowledge.column(*id);
        let Some(thing) = entry.forms.get(1).filter(|_| entry.shared_number) else { return false };
        let says = |at: usize| {
            let words = tokens.get(at..at + thing.len());
            words.is_some_and(|words| {
                words.iter().zip(thing).all(|(token, word)| token.stem == *word || token.root == root(word))
            })
        };
        let is_whole = || matches!(thing.as_slice(), [word] if WHOLES.contains(&word.as_str()));
        comes_again && is_whole()
            || (0..tokens.len()).any(|at| {
                says(at)
                    && !is_of_lines(at + thing.len())
                    && (counts_it(at) || thing.len() == 1 && is_deed(at))
            })
    };
    knowledge.table(table).columns.iter().copied().find(named)
}

/// Says *never* of all rows of a thing, where a plan says it of each: customers who never bought a desk are not those who bought
/// something else.
pub(super) fn never_in_any_row(plan: &mut QueryPlan, question: &Question, knowledge: &Knowledge) {
    let Some((_, table)) = only_table(&plan.select, knowledge) else { return };
    let select = &plan.select;
    let is_list = select.group_by.is_empty() && plan.order_by.is_empty() && plan.set_operations.is_empty();
    if !is_list || plan.limit.is_some() || !says_never(question) {
        return;
    }
    let Some(filter) = &select.filter else { return };
    let conditions: Vec<Condition> = filter.conjuncts().to_vec();
    let told = |condition: &&Condition| matches!(condition, Condition::IsNull { negated: true, .. });
    let shown = match select.projection.as_slice() {
        [one] => named_by(plan, &one.expr, knowledge).map(|_| one.expr.clone()),
        _ => None,
    };
    let present = || conditions.iter().find(told).and_then(|condition| condition.subject().cloned());
    let Some(thing) = shown.or_else(present) else { return };
    let rows = knowledge.table(table).rows;
    let is_thing = named_by(plan, &thing, knowledge).is_some_and(|id| {
        let entry = knowledge.column(id);
        !entry.is_key && (!entry.numeric || entry.says_which()) && entry.repeats(rows)
    });
    if !is_thing {
        return;
    }
    let others: Vec<Condition> =
        conditions.iter().filter(|one| !told(one) || one.subject() != Some(&thing)).cloned().collect();
    let Some(done) = what_was_done(plan, others, knowledge) else { return };
    let known = Condition::IsNull { expr: thing.clone(), negated: true };
    let shows = Projection::from(thing.clone());
    let mut inner = Select { from: plan.select.from.clone(), ..Select::default() };
    inner.projection = vec![shows.clone()];
    inner.filter = Condition::all(done.into_iter().chain([known.clone()]).collect());
    let never = Condition::InQuery { expr: thing, query: Box::new(QueryPlan::from(inner)), negated: true };
    plan.select.projection = vec![shows];
    plan.select.distinct = true;
    plan.select.filter = Condition::all(vec![known, never]);
    name_things(plan, knowledge);
}

/// What must have been done in no row, of conditions of which one says that it was not done in a row; none where none says so.
fn what_was_done(
    plan: &QueryPlan,
    conditions: Vec<Condition>,
    knowledge: &Knowledge,
) -> Option<Vec<Condition>> {
    let shared =
        |expr: &Expr| named_by(plan, expr, knowledge).is_some_and(|id| knowledge.column(id).shared_number);
    let is_time = |condition: &Condition| {
        let mut columns = condition.columns().into_iter();
        columns.all(|column| plan_holds_days(plan, column, knowledge))
    };
    // *Customers from Texas who never bought a desk*: whether the other is said of them or of what they did, the plan does not tell.
    if conditions.iter().filter(|one| !is_time(one) && !matches!(one, Condition::IsNull { .. })).count() > 1 {
        return None;
    }
    let mut denied = 0;
    let mut done = Vec::new();
    for condition in conditions {
        match condition {
            Condition::Compare { left, operator: Comparison::NotEqual, right } => {
                denied += 1;
                done.push(Condition::Compare { left, operator: Comparison::Equal, right });
            }
            Condition::Not(inner) => {
                denied += 1;
                done.push(*inner);
            }
            Condition::Like { expr, pattern, negated: true } => {
                denied += 1;
                done.push(Condition::Like { expr, pattern, negated: false });
            }
            // A line of an order without an order: none was made.
            Condition::IsNull { expr, negated: false } if shared(&expr) => denied += 1,
            other => done.push(other),
        }
    }
    (denied == 1 && !done.is_empty()).then_some(done)
}

fn plan_holds_days(plan: &QueryPlan, column: &ColumnRef, knowledge: &Knowledge) -> bool {
    knowledge.column_in(plan, column).is_some_and(|id| holds_days(knowledge.column(id)))
}

fn says_never(question: &Question) -> bool {
    let tokens = &question.tokens;
    tokens.iter().enumerate().any(|(at, token)| {
        // *have we not bought from*: the subject may stand between.
        let mut next = tokens.iter().skip(at + 1).take(2);
        let has = ["have", "has", "had", "did", "do", "does"];
        match token.lower.as_str() {
            "never" | "without" | "no" => true,
            word if word.ends_with("n't") => has.iter().any(|verb| word.starts_with(verb)),
            word => has.contains(&word) && next.any(|next| matches!(next.lower.as_str(), "not" | "never")),
        }
    })
}

/// True where a plan shows the highest or lowest of numbers that only say which one it is, and no such number is asked for: the *top
/// product* is not the one with the last number.
pub(super) fn takes_highest_number(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    const NUMBERS: [&str; 7] = ["id", "ids", "number", "numbers", "no", "code", "key"];
    let is_number = |expr: &Expr| {
        let Expr::Aggregate { function: Aggregate::Max | Aggregate::Min, argument, .. } = expr else {
            return false;
        };
        named_by(plan, argument, knowledge).is_some_and(|id| {
            let entry = knowledge.column(id);
            entry.says_which() && !entry.is_key && entry.shared_number
        })
    };
    let asks = question.tokens.iter().any(|token| NUMBERS.contains(&token.lower.as_str()));
    !asks && plan.select.projection.iter().any(|shown| is_number(&shown.expr))
}

/// Drops the readings that take the first of something by how many rows there are, where the rows are money and another reading adds
/// them up: *top 5 employees by expenses*.
pub(super) fn money_added_up_first(all: &mut Vec<Proposal>, question: &Question, knowledge: &Knowledge) {
    let is_named = |table: TableId| {
        let words = knowledge.table_words(table);
        let mut pairs = question.tokens.windows(2);
        pairs.any(|pair| matches!(pair, [by, what] if by.lower == "by" && words.contains(&what.stem)))
    };
    let first = |one: &Proposal| one.draft.plan.order_by.first().map(|order| order.expr.clone());
    let by_number = |one: &Proposal| {
        let table = only_table(&one.draft.plan.select, knowledge);
        let money = table.is_some_and(|(_, table)| is_money(knowledge, table) && is_named(table));
        money && one.draft.plan.limit.is_some() && first(one) == Some(Expr::count_all())
    };
    let by_sum = |one: &Proposal| {
        matches!(first(one), Some(Expr::Aggregate { function: Aggregate::Sum, .. }))
            && !one.draft.plan.select.group_by.is_empty()
    };
    if all.iter().any(by_sum) {
        all.retain(|one| !by_number(one));
    }
}

/// The name and the table of a query of one table.
fn only_table(select: &Select, knowledge: &Knowledge) -> Option<(String, TableId)> {
    let Source::Table(used) = &select.from else { return None };
    let table = knowledge.table_named(&used.table).filter(|_| select.joins.is_empty())?;
    Some((used.name().to_owned(), table))
}

fn named_by(plan: &QueryPlan, expr: &Expr, knowledge: &Knowledge) -> Option<ColumnId> {
    let Expr::Column(column) = expr else { return None };
    knowledge.column_in(plan, column)
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::table;
    use crate::rules::{Knowledge, Options, understand};
    use sqlogue_sql::schema::{ColumnType, Schema, Value};
    use sqlogue_sql::sql::{Dialect, render};

    fn first(question: &str, knowledge: &Knowledge) -> String {
        let read = understand(question, knowledge, &Options::default());
        read.candidates.first().map(|one| render(&one.plan, Dialect::Sqlite)).unwrap_or_default()
    }

    fn texts(words: &[&str]) -> Vec<Value> {
        words.iter().map(|word| Value::from(*word)).collect()
    }

    /// Lines of orders: twenty rows, eight orders, five customers.
    fn lines() -> Knowledge {
        use ColumnType::{Date, Integer, Real, Text};
        let columns = [
            ("line_no", Integer),
            ("order_no", Text),
            ("order_date", Date),
            ("customer_id", Text),
            ("customer_name", Text),
            ("product_id", Text),
            ("product_name", Text),
            ("category", Text),
            ("region", Text),
            ("sales", Real),
            ("quantity", Integer),
        ];
        let mut lines = table("shop_2025", &columns, &[]);
        lines.row_count = Some(20);
        let mut builder = Knowledge::builder(&Schema { tables: vec![lines] }, 1 << 20);
        builder.values("shop_2025", "category", texts(&["Furniture", "Technology", "Paper"]));
        builder.values("shop_2025", "region", texts(&["West", "East"]));
        builder.values("shop_2025", "product_id", texts(&["P1", "P2", "P3", "P4", "P5"]));
        builder.values("shop_2025", "product_name", texts(&["Desk", "Lamp", "Pen", "Chair", "Pad"]));
        builder.values("shop_2025", "order_no", texts(&["O1", "O2", "O3", "O4", "O5", "O6", "O7", "O8"]));
        builder.values("shop_2025", "customer_id", texts(&["C1", "C2", "C3", "C4", "C5"]));
        builder.values("shop_2025", "customer_name", texts(&["Ann", "Ben", "Cleo", "Dan", "Eve"]));
        builder.finish()
    }

    /// What people spent: twenty rows, four people.
    fn expenses() -> Knowledge {
        use ColumnType::{Date, Integer, Real, Text};
        let columns =
            [("id", Integer), ("date", Date), ("employee", Text), ("status", Text), ("amount", Real)];
        let mut expenses = table("expenses", &columns, &[]);
        expenses.row_count = Some(20);
        let mut builder = Knowledge::builder(&Schema { tables: vec![expenses] }, 1 << 20);
        builder.values("expenses", "employee", texts(&["Ann Roth", "Ben Graf", "Cleo Huber", "Dan Otto"]));
        builder.values("expenses", "status", texts(&["approved", "rejected"]));
        builder.finish()
    }

    #[test]
    fn an_order_of_several_lines_is_counted_once() {
        let lines = lines();
        for question in ["how many orders per month", "number of orders by region"] {
            let sql = first(question, &lines);
            assert!(
                sql.contains("count(DISTINCT order_no)") && !sql.contains("count(*)"),
                "{question}: {sql}"
            );
        }
        let sql = first("customers who ordered more than 10 times", &lines);
        assert!(sql.contains("HAVING count(DISTINCT order_no) > 10"), "{sql}");
        let sql = first("customers with more than one order", &lines);
        assert!(sql.contains("HAVING count(DISTINCT order_no) > 1"), "{sql}");
        let sql = first("repeat customers", &lines);
        assert!(sql.contains("HAVING count(DISTINCT order_no) >= 2"), "{sql}");
    }

    #[test]
    fn never_is_said_of_all_rows() {
        let sql = first("customers who never bought technology", &lines());
        let bought = "FROM shop_2025 WHERE category = 'Technology'";
        assert!(sql.contains("NOT IN (SELECT customer_") && sql.contains(bought), "{sql}");
        let sql = first("customers in the West who never bought technology", &lines());
        assert!(!sql.contains("region = 'West' AND category = 'Technology'"), "{sql}");
        let sql = first("employees without any rejected expenses", &expenses());
        let rejected = "employee NOT IN (SELECT employee FROM expenses WHERE status = 'rejected'";
        assert!(sql.contains(rejected), "{sql}");
    }

    #[test]
    fn the_first_in_each_group_have_names() {
        let lines = lines();
        for (question, by) in [
            ("best selling product in each category", "sum(quantity)"),
            ("top 3 products in each category by sales", "sum(sales)"),
            ("top product per region", "sum(sales)"),
        ] {
            let sql = first(question, &lines);
            assert!(sql.contains(&format!("ORDER BY {by} DESC) AS place")), "{question}: {sql}");
            assert!(sql.contains("product_name"), "{question}: {sql}");
        }
    }

    #[test]
    fn money_is_added_up() {
        let expenses = expenses();
        let sql = first("top 5 employees by expenses", &expenses);
        assert!(sql.contains("ORDER BY sum(amount) DESC LIMIT 5"), "{sql}");
        let sql = first("how much was rejected", &expenses);
        assert_eq!(sql, "SELECT sum(amount) FROM expenses WHERE status = 'rejected'");
    }
}
