//! Tables that tell of several kinds of things at once, as sheets do: a customer, a city and a product in each row. Nobody who asks for
//! the *most profitable city* means the city of one row.

use crate::rules::grammar::EACH;
use crate::rules::grammar::columns::{adds_up, is_number};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::propose::Proposal;
use crate::rules::text::Question;
use sqlogue_sql::plan::{Aggregate, ColumnRef, Expr, NamedQuery, Projection, QueryPlan, Select, Source};
use sqlogue_sql::schema::ColumnType;

/// What a query of totals calls them.
const TOTAL: &str = "total";

/// What several rows of a sheet are parts of.
pub(super) const WHOLES: [&str; 9] =
    ["order", "invoice", "transaction", "receipt", "basket", "booking", "purchase", "bill", "ticket"];

/// More values than these make no groups to be read.
const MANY: u64 = 20;

/// Drops the readings that take single rows by an amount where what is asked for stands in several rows, and another reading adds the
/// amount up for each of them.
pub(super) fn totals_of_things_first(all: &mut Vec<Proposal>, question: &Question, knowledge: &Knowledge) {
    let single: Vec<Option<(ColumnId, ColumnId)>> =
        all.iter().map(|one| single_row(&one.draft.plan, question, knowledge)).collect();
    let summed: Vec<(Vec<ColumnId>, ColumnId)> = all
        .iter()
        .filter(|one| one.account.left_out.is_empty())
        .filter_map(|one| totals(&one.draft.plan, knowledge))
        .collect();
    let is_beaten = |(thing, amount): &(ColumnId, ColumnId)| {
        summed.iter().any(|(things, total)| things.contains(thing) && total == amount)
    };
    let mut keep = single.iter().map(|single| !single.as_ref().is_some_and(is_beaten));
    all.retain(|_| keep.next().unwrap_or(true));
}

/// True where a plan makes groups by an amount that differs from row to row, or by several columns of which one is an amount: nobody
/// counts customers by each of their sales.
pub(super) fn groups_by_amounts(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    let is_amount = |expr: &Expr| {
        let id = column(plan, expr, knowledge);
        id.is_some_and(|id| {
            let entry = knowledge.column(id);
            is_number(knowledge, id) && adds_up(knowledge, id) && entry.column_type == ColumnType::Real
        })
    };
    let differs = |expr: &Expr| {
        let id = column(plan, expr, knowledge);
        id.map(|id| knowledge.column(id))
            .is_some_and(|entry| entry.distinct > MANY && !entry.repeats(knowledge.table(entry.table).rows))
    };
    let is_alone = plan.select.joins.is_empty();
    match plan.select.group_by.as_slice() {
        // *by carrier* is not by `carrier_cost`, of which no two rows have the same.
        [key] => is_alone && is_amount(key) && differs(key),
        keys => is_alone && keys.iter().any(is_amount),
    }
}

/// Counts or lists the things of a table once each where it tells of each of them in many rows, as one of the sales of pizzas does.
pub(super) fn things_once(plan: &mut QueryPlan, question: &Question, knowledge: &Knowledge) {
    let Source::Table(used) = &plan.select.from else { return };
    let table = knowledge.table_named(&used.table);
    let Some(name) = table.and_then(|table| named_again(table, knowledge)) else { return };
    let name = Expr::Column(ColumnRef::new(used.name().to_owned(), knowledge.column(name).name.clone()));
    let select = &mut plan.select;
    let is_plain = select.joins.is_empty() && select.group_by.is_empty() && plan.set_operations.is_empty();
    let [shown] = select.projection.as_mut_slice() else { return };
    let differ = || {
        question
            .tokens
            .iter()
            .any(|token| matches!(token.lower.as_str(), "different" | "distinct" | "unique"))
    };
    if is_plain && shown.expr == name && plan.order_by.is_empty() {
        select.distinct = true;
    } else if is_plain && shown.expr == Expr::count_all() && differ() {
        shown.expr = Expr::count_distinct(vec![name]);
    }
}

/// Makes one mean of the totals where a mean is made for each of what its rows are parts of: the *average quantity per order* is no
/// list of orders. And *sales of phones* are added up, where a plan shows each amount once.
pub(super) fn totals_of_parts(plan: &mut QueryPlan, question: &Question, knowledge: &Knowledge) {
    if let Some(of_wholes) = mean_of_wholes(plan, question, knowledge) {
        *plan = of_wholes;
        return;
    }
    let [shown] = plan.select.projection.as_slice() else { return };
    let Some(id) = column(plan, &shown.expr, knowledge) else { return };
    let entry = knowledge.column(id);
    let begins = question
        .tokens
        .first()
        .is_some_and(|first| entry.forms.iter().flatten().any(|word| *word == first.stem));
    let is_list = plan.select.distinct && plan.order_by.is_empty() && plan.set_operations.is_empty();
    if is_list
        && begins
        && entry.column_type == ColumnType::Real
        && adds_up(knowledge, id)
        && is_number(knowledge, id)
    {
        let total = Expr::aggregate(Aggregate::Sum, shown.expr.clone());
        plan.select.distinct = false;
        plan.select.projection = vec![Projection::from(total)];
    }
}

fn mean_of_wholes(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> Option<QueryPlan> {
    let ([key], [one, other]) = (plan.select.group_by.as_slice(), plan.select.projection.as_slice()) else {
        return None;
    };
    let Expr::Aggregate { function: Aggregate::Avg, argument, .. } = &other.expr else { return None };
    let (whole, amount) = (column(plan, key, knowledge)?, column(plan, argument, knowledge)?);
    let entry = knowledge.column(whole);
    let rows = knowledge.table(entry.table).rows;
    let says_whole = entry.forms.first()?.iter().any(|word| WHOLES.contains(&word.as_str()));
    let is_asked = question.tokens.windows(2).any(|pair| match pair {
        [per, noun] => {
            matches!(per.lower.as_str(), "per" | "an" | "each") && WHOLES.contains(&noun.lower.as_str())
        }
        _ => false,
    });
    let is_plain = plan.order_by.is_empty() && plan.limit.is_none() && plan.set_operations.is_empty();
    let is_part = one.expr == *key && entry.says_which() && !entry.is_key && entry.repeats(rows);
    if !(is_plain
        && is_asked
        && is_part
        && says_whole
        && adds_up(knowledge, amount)
        && plan.select.having.is_none())
    {
        return None;
    }
    let totals = Select { projection: Vec::new(), ..plan.select.clone() }
        .project_as(Expr::aggregate(Aggregate::Sum, argument.as_ref().clone()), TOTAL);
    let mean = Expr::aggregate(Aggregate::Avg, Expr::column(EACH, TOTAL));
    let mut of_wholes = QueryPlan::from(Select::from_table(EACH).project_as(mean, "average_total"));
    of_wholes.with = vec![NamedQuery::new(EACH, totals)];
    Some(of_wholes)
}

/// The column that says what the things of a table are called, where most of them stand in several rows of it.
fn named_again(table: TableId, knowledge: &Knowledge) -> Option<ColumnId> {
    let entry = knowledge.table(table);
    let [name] = entry.label.as_slice() else { return None };
    // Where each row has a key, it is a thing of its own, whatever it is called.
    if !entry.key.is_empty() {
        return None;
    }
    let words = knowledge.table_words(table);
    let is_own = |form: &Vec<String>| {
        let mut rest = form.iter().filter(|word| !words.contains(word));
        matches!(rest.next().map(String::as_str), Some("name" | "title") | None) && rest.next().is_none()
    };
    let column = knowledge.column(*name);
    (column.repeats(entry.rows) && column.forms.first().is_some_and(is_own)).then_some(*name)
}

/// Shows what things are called beside the numbers by which a sheet tells them apart: `customer_name` beside `customer_id`.
pub(super) fn name_things(plan: &mut QueryPlan, knowledge: &Knowledge) {
    name_ranked(plan, knowledge);
    let key = match (plan.select.group_by.as_slice(), plan.select.projection.as_slice()) {
        ([key], _) => key,
        ([], [shown]) if plan.select.distinct => &shown.expr,
        _ => return,
    };
    let Some((at, name)) = shown_number(plan, key, knowledge).filter(|_| plan.set_operations.is_empty())
    else {
        return;
    };
    let name = Expr::Column(name);
    plan.select.projection.insert(at + 1, Projection::from(name.clone()));
    if !plan.select.group_by.is_empty() {
        plan.select.group_by.push(name);
    }
}

/// The same for the first few in each group, which a query of its own puts in order.
fn name_ranked(plan: &mut QueryPlan, knowledge: &Knowledge) {
    let [ranked] = plan.with.as_mut_slice() else { return };
    let query = &mut ranked.query;
    let named = query.select.group_by.iter().find_map(|key| shown_number(query, key, knowledge));
    let Some((at, name)) = named else { return };
    let label = query.select.projection.get(at).and_then(|shown| shown.alias.clone());
    let outer = label.map(|label| Expr::column(ranked.name.clone(), label));
    let place = plan.select.projection.iter().position(|shown| Some(&shown.expr) == outer.as_ref());
    let Some(place) = place.filter(|_| plan.select.group_by.is_empty()) else { return };
    let shown = Expr::column(ranked.name.clone(), name.column.clone());
    let alias = Some(name.column.clone());
    let name = Expr::Column(name);
    query.select.group_by.push(name.clone());
    query.select.projection.insert(at + 1, Projection { expr: name, alias });
    plan.select.projection.insert(place + 1, Projection::from(shown));
}

/// Where a plan shows a number that it makes groups by, and the name that belongs to it, which is not shown yet.
fn shown_number(plan: &QueryPlan, key: &Expr, knowledge: &Knowledge) -> Option<(usize, ColumnRef)> {
    let Expr::Column(told) = key else { return None };
    let number = column(plan, key, knowledge)?;
    let at = plan.select.projection.iter().position(|shown| shown.expr == *key)?;
    let name = ColumnRef::new(told.table.clone(), knowledge.column(name_of(number, knowledge)?).name.clone());
    let is_shown = |shown: &Projection| matches!(&shown.expr, Expr::Column(column) if *column == name);
    (!plan.select.projection.iter().any(is_shown)).then_some((at, name))
}

/// The column of names that belongs to a column of numbers which many rows share, neither of which refers to another table.
fn name_of(number: ColumnId, knowledge: &Knowledge) -> Option<ColumnId> {
    let entry = knowledge.column(number);
    let table = knowledge.table(entry.table);
    let repeats = |id: ColumnId| {
        let column = knowledge.column(id);
        !column.is_key && !column.is_foreign && column.repeats(table.rows)
    };
    let (last, thing) = entry.forms.first()?.split_last()?;
    let numbers = matches!(last.as_str(), "id" | "key" | "code" | "no" | "number");
    let is_name = |id: &ColumnId| {
        let form = knowledge.column(*id).forms.first().and_then(|form| form.split_last());
        form.is_some_and(|(last, of)| last == "name" && of == thing)
    };
    let name = table.columns.iter().copied().find(is_name);
    name.filter(|name| numbers && !thing.is_empty() && repeats(number) && repeats(*name))
}

/// The thing and the amount of a plan that takes the first rows of one table by an amount, and shows a thing that stands in several
/// of them; none where the rows themselves are asked for.
fn single_row(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> Option<(ColumnId, ColumnId)> {
    let select = &plan.select;
    let Source::Table(used) = &select.from else { return None };
    let table = knowledge.table_named(&used.table)?;
    let is_list = select.joins.is_empty() && select.group_by.is_empty() && plan.set_operations.is_empty();
    plan.limit.filter(|_| is_list)?;
    let names_rows = || {
        if named_again(table, knowledge).is_some() {
            return false;
        }
        let last = knowledge.table(table).forms.iter().filter_map(|form| form.last());
        last.into_iter().any(|word| question.tokens.iter().any(|token| token.stem == *word))
    };
    let amount = column(plan, &plan.order_by.first()?.expr, knowledge)?;
    let rows = knowledge.table(table).rows;
    let is_thing = |id: &ColumnId| {
        let entry = knowledge.column(*id);
        !entry.is_key && !entry.numeric && !entry.kind.is_temporal() && entry.repeats(rows)
    };
    let shown: Option<Vec<ColumnId>> =
        select.projection.iter().map(|shown| column(plan, &shown.expr, knowledge)).collect();
    let things: Vec<ColumnId> = shown?.into_iter().filter(|id| *id != amount).collect();
    let adds = is_number(knowledge, amount) && adds_up(knowledge, amount);
    let all_things = !things.is_empty() && things.iter().all(is_thing);
    (adds && all_things && !names_rows()).then(|| things.first().map(|thing| (*thing, amount)))?
}

/// What a plan makes groups by that it takes the first of by a total, and what is added up.
fn totals(plan: &QueryPlan, knowledge: &Knowledge) -> Option<(Vec<ColumnId>, ColumnId)> {
    let Expr::Aggregate { function: Aggregate::Sum, argument, .. } = &plan.order_by.first()?.expr else {
        return None;
    };
    let amount = column(plan, argument, knowledge)?;
    let things = plan.select.group_by.iter().filter_map(|key| column(plan, key, knowledge)).collect();
    Some((things, amount))
}

fn column(plan: &QueryPlan, expr: &Expr, knowledge: &Knowledge) -> Option<ColumnId> {
    let Expr::Column(column) = expr else { return None };
    knowledge.column_in(plan, column)
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::table;
    use crate::rules::{Knowledge, Options, understand};
    use sqlogue_sql::schema::{ColumnType, Schema, Value};
    use sqlogue_sql::sql::{Dialect, render};

    /// A sheet of sales: twenty rows, four cities, five customers.
    fn sheet() -> Knowledge {
        use ColumnType::{Date, Integer, Real, Text};
        let columns = [
            ("row_no", Integer),
            ("order_no", Text),
            ("order_date", Date),
            ("customer_id", Text),
            ("customer_name", Text),
            ("product_name", Text),
            ("city", Text),
            ("sales", Real),
            ("quantity", Integer),
            ("profit", Real),
        ];
        let mut sales = table("sales_2025", &columns, &[]);
        sales.row_count = Some(20);
        let mut builder = Knowledge::builder(&Schema { tables: vec![sales] }, 1 << 20);
        let texts = |words: &[&str]| words.iter().map(|word| Value::from(*word)).collect::<Vec<_>>();
        builder.values("sales_2025", "city", texts(&["Oslo", "Bergen", "Turku", "Espoo"]));
        builder.values("sales_2025", "product_name", texts(&["Desk", "Lamp", "Chair"]));
        builder.values("sales_2025", "order_no", texts(&["O1", "O2", "O3", "O4", "O5", "O6", "O7", "O8"]));
        builder.values("sales_2025", "customer_id", texts(&["C1", "C2", "C3", "C4", "C5"]));
        builder.values("sales_2025", "customer_name", texts(&["Ann", "Ben", "Cleo", "Dan", "Eve"]));
        builder.finish()
    }

    fn first(question: &str) -> String {
        let read = understand(question, &sheet(), &Options::default());
        read.candidates.first().map(|one| render(&one.plan, Dialect::Sqlite)).unwrap_or_default()
    }

    #[test]
    fn a_city_of_many_rows_is_ranked_by_its_total() {
        for question in
            ["most profitable city", "which city has the highest profit", "top 3 cities by profit"]
        {
            let sql = first(question);
            assert!(sql.contains("GROUP BY city ORDER BY sum(profit) DESC"), "{question}: {sql}");
        }
        let sql = first("top 3 customers by sales");
        assert!(
            sql.starts_with("SELECT customer_id, customer_name, sum(sales)")
                && sql.contains("GROUP BY customer_id, customer_name ORDER BY sum(sales) DESC LIMIT 3"),
            "{sql}"
        );
    }

    #[test]
    fn the_name_of_somebody_in_many_rows_names_no_row() {
        let knowledge = sheet();
        let sales = knowledge.table_named("sales_2025").unwrap();
        assert!(knowledge.table(sales).label.is_empty());
    }

    #[test]
    fn what_orders_come_to_is_added_up_before_the_mean() {
        let sql = first("average quantity per order");
        assert!(sql.contains("sum(quantity) AS total") && sql.contains("SELECT avg(total)"), "{sql}");
        let sql = first("sales of lamps in Oslo");
        assert!(sql.starts_with("SELECT sum(sales)"), "{sql}");
    }

    #[test]
    fn profit_that_is_stored_is_divided_by_what_was_sold() {
        let sql = first("profit margin by city");
        assert!(sql.contains("(100.0 * sum(profit)) / sum(sales)"), "{sql}");
    }
}
