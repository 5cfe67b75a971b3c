//! What was taken in is neither what was paid out nor the sum of prices: no cost, no purchase price and no price per seat is
//! *revenue*.

use super::done::stored;
use crate::rules::grammar::amounts::amount;
use crate::rules::grammar::columns::{named, price_and_cost, price_and_quantity};
use crate::rules::grammar::{is_called, is_money, is_rate, means_money, price_and_units};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::stem::stem;
use crate::rules::text::{Question, Token};
use sqlogue_sql::plan::{Aggregate, Arithmetic, Condition, Expr, Projection, QueryPlan, Select, Source};

/// Words, in names of columns, for what a thing is offered at.
const OFFERED_AT: [&str; 6] = ["price", "fee", "rate", "fare", "tariff", "charge"];
/// Words, in names of columns, for a price that is nobody's yet, wherever it stands.
const NOT_YET_PAID: [&str; 7] = ["list", "base", "standard", "catalogue", "catalog", "asking", "rrp"];

/// True for what a thing is offered at, where rows that refer to the thing tell what was paid for it: a course has a price, and
/// each enrolment another.
pub(in crate::rules) fn is_listed_price(knowledge: &Knowledge, id: ColumnId) -> bool {
    let table = knowledge.column(id).table;
    let joins = knowledge.joins();
    let sold = named(knowledge, id, &["total", "paid", "final"]);
    // Whoever bought it stands in the row of a deal.
    let is_deal = || joins.above(table).any(|other| is_called(knowledge, other, "buyers"));
    if !named(knowledge, id, &OFFERED_AT) || sold || is_deal() && !named(knowledge, id, &NOT_YET_PAID) {
        return false;
    }
    let out = PAID_OUT.map(stem);
    let is_paid_out =
        |id: ColumnId| knowledge.column(id).forms.iter().flatten().any(|word| out.contains(word));
    let takes_in = |other: &TableId| {
        amount(knowledge, *other).is_some_and(|id| !is_paid_out(id))
            && !is_called(knowledge, *other, "given_back")
    };
    joins.below(table).any(|other| takes_in(&other) || joins.below(other).any(|next| takes_in(&next)))
}

/// Words for what was taken in.
const TAKEN_IN: [&str; 5] = ["revenue", "revenues", "takings", "turnover", "income"];
/// Words, in names of columns and in questions, for what is paid out.
const PAID_OUT: [&str; 11] = [
    "cost",
    "purchase",
    "expense",
    "salary",
    "wage",
    "repair",
    "maintenance",
    "refund",
    "spending",
    "profit",
    "margin",
];

/// True for a word for what was taken in.
pub(in crate::rules) fn is_word_for(word: &str) -> bool {
    TAKEN_IN.contains(&word)
}

/// True where a plan compares money that is added up with what the question says in percent.
pub(in crate::rules) fn bounds_money_by_percent(plan: &QueryPlan, question: &Question) -> bool {
    let percents: Vec<f64> = question
        .tokens
        .windows(2)
        .filter(|pair| matches!(pair, [_, sign] if matches!(sign.lower.as_str(), "%" | "percent" | "pct")))
        .filter_map(|pair| pair.first()?.lower.parse().ok())
        .collect();
    let is_money = |expr: &Expr| match expr {
        Expr::Aggregate { function: Aggregate::Sum, argument, .. } => {
            matches!(argument.as_ref(), Expr::Arithmetic { operator: Arithmetic::Multiply, .. })
        }
        _ => false,
    };
    let bounds = |condition: &Condition| match condition {
        Condition::Compare { left, right: Expr::Literal(value), .. } => {
            is_money(left) && value.as_f64().is_some_and(|value| percents.contains(&value))
        }
        _ => false,
    };
    plan.selects().flat_map(|select| &select.having).flat_map(Condition::conjuncts).any(bounds)
}

/// True for rows of what was sold, each with a price and a quantity, and not of what was bought.
pub(in crate::rules) fn sells(knowledge: &Knowledge, table: TableId) -> bool {
    let joins = knowledge.joins();
    let out = PAID_OUT.map(stem);
    let is_bought =
        |table: TableId| knowledge.table(table).forms.iter().flatten().any(|word| out.contains(word));
    price_and_quantity(knowledge, table).is_some() && !is_bought(table) && !joins.above(table).any(is_bought)
}

/// Puts what they come to in the place of the number of rows that are money, where the first few are named by these alone: *the top 5
/// customers by payments* have paid the most, however often.
pub(in crate::rules) fn rank_by_money(plan: &mut QueryPlan, asked: &Question, knowledge: &Knowledge) {
    let by_money =
        (1..asked.tokens.len()).any(|at| means_money(asked.word(at)) && asked.word(at - 1) == "by");
    let is_cut = plan.limit.is_some() && plan.order_by.first().is_some_and(|order| counts_rows(&order.expr));
    let Some(total) = total_of_rows(plan, knowledge).filter(|_| by_money && is_cut && !counts(asked)) else {
        return;
    };
    plan.for_each_expr_mut(&mut |expr| {
        if counts_rows(expr) {
            *expr = total.clone();
        }
    });
}

/// True for a share of the number of rows that are money, where no word says that they are counted.
pub(in crate::rules) fn shares_number_of_money(
    plan: &QueryPlan,
    asked: &Question,
    knowledge: &Knowledge,
) -> bool {
    let divides = |shown: &Projection| match &shown.expr {
        Expr::Arithmetic { operator: Arithmetic::Divide, right, .. } => {
            let mut counted = false;
            right.for_each(&mut |part| counted |= counts_rows(part));
            counted
        }
        _ => false,
    };
    let is_share = plan.select.projection.iter().any(divides);
    is_share && !counts(asked) && total_of_rows(plan, knowledge).is_some()
}

/// True where a plan counts or lists rows that are money, of which it is said that they were collected or earned, and nobody asks how
/// many or which: *rent collected by month* is a sum.
pub(in crate::rules) fn counts_what_was_collected(
    plan: &QueryPlan,
    asked: &Question,
    knowledge: &Knowledge,
) -> bool {
    let said = |token: &Token| matches!(token.lower.as_str(), "collected" | "earned" | "taken");
    let lists = ["which", "list", "show", "who", "when", "all", ":", "with"];
    let asks_rows = || asked.tokens.iter().any(|token| lists.contains(&token.lower.as_str()));
    let shown = || plan.select.projection.iter();
    let counts = shown().any(|shown| counts_rows(&shown.expr));
    let whole = shown().any(|shown| matches!(shown.expr, Expr::All(_)));
    asked.tokens.iter().any(said)
        && (counts || whole)
        && !(0..asked.tokens.len()).any(|at| asked.asks_number(at) || asked.word(at) == "often")
        && !asks_rows()
        && total_of_rows(plan, knowledge).is_some()
}

fn counts_rows(expr: &Expr) -> bool {
    let of_all = |argument: &Expr| matches!(argument, Expr::All(_));
    matches!(expr, Expr::Aggregate { function: Aggregate::Count, distinct: false, argument } if of_all(argument))
}

/// True where a word says that rows are counted.
fn counts(asked: &Question) -> bool {
    let words = ["number", "count", "many", "often", "most", "how", "rate"];
    asked.tokens.iter().any(|token| words.contains(&token.lower.as_str()))
}

/// The total of the rows that a plan reads first, where these are money.
fn total_of_rows(plan: &QueryPlan, knowledge: &Knowledge) -> Option<Expr> {
    let Source::Table(rows) = &plan.select.from else { return None };
    let table = knowledge.table_named(&rows.table).filter(|table| is_money(knowledge, *table))?;
    let column = amount(knowledge, table)?;
    let of_each = Expr::column(rows.name(), &knowledge.column(column).name);
    Some(Expr::aggregate(Aggregate::Sum, of_each))
}

/// True where takings are asked for, and a plan adds up what was paid out, or what is paid a week, and nothing else.
pub(in crate::rules) fn adds_up_costs(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let out = PAID_OUT.map(stem);
    let asks = question.tokens.iter().any(|token| is_word_for(&token.lower));
    if !asks || question.tokens.iter().any(|token| out.contains(&token.stem)) {
        return false;
    }
    let is_paid_out = |id: &ColumnId| {
        let units = ["hour", "day", "night", "week", "month", "year"];
        units.iter().any(|unit| is_rate(knowledge, *id, unit))
            || knowledge.column(*id).forms.iter().flatten().any(|word| out.contains(word))
            || is_listed_price(knowledge, *id)
    };
    let nested = plan.queries().into_iter().any(|query| adds_up_costs(query, question, knowledge));
    nested || summed(plan, knowledge).iter().any(is_paid_out)
}

/// True where a plan adds up what was paid of rows that nobody has paid.
pub(in crate::rules) fn adds_up_what_is_not_paid(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    let says_paid = |id: ColumnId| knowledge.column(id).forms.iter().flatten().any(|word| word == "paid");
    let is_unpaid = |condition: &Condition| match condition {
        Condition::IsNull { expr: Expr::Column(column), negated: false } => {
            knowledge.column_in(plan, column).is_some_and(says_paid)
        }
        _ => false,
    };
    let mut conditions = plan.select.filter.iter().flat_map(Condition::conjuncts);
    conditions.any(is_unpaid) && summed(plan, knowledge).into_iter().any(says_paid)
}

/// True where a plan adds up something else than payments where money is asked for that came in, and payments are told: *how much
/// money did we take in?*, *takings by month*, *who has paid us the most?*
pub(in crate::rules) fn adds_up_what_is_billed(
    plan: &QueryPlan,
    question: &Question,
    knowledge: &Knowledge,
) -> bool {
    let word = |at: usize| question.word(at);
    let comes_in = |at: usize| {
        matches!(word(at), "take" | "took" | "taken" | "taking" | "come" | "came" | "coming" | "get" | "got")
            && word(at + 1) == "in"
            || matches!(word(at), "received" | "receive")
    };
    let tokens = || 0..question.tokens.len();
    let is_money = |at: usize| word(at) == "money" || word(at) == "takings";
    let paid_us = |at: usize| word(at) == "paid" && word(at + 1) == "us";
    let takes_money = |at: usize| matches!(word(at), "take" | "takes" | "took" | "takings") || comes_in(at);
    let is_asked = tokens().any(paid_us) || tokens().any(is_money) && tokens().any(takes_money);
    if !is_asked {
        return false;
    }
    let is_payment = |table: TableId| {
        let called =
            knowledge.table(table).forms.iter().any(|form| form.last().is_some_and(|own| own == "payment"));
        called && amount(knowledge, table).is_some() && !knowledge.dates(table).is_empty()
    };
    let is_sum = |expr: &&Expr| matches!(expr, Expr::Aggregate { function: Aggregate::Sum, .. });
    let named = plan.with.iter().flat_map(|named| named.query.selects());
    let orders = plan.order_by.iter().map(|order| &order.expr);
    let exprs = plan.selects().chain(named).flat_map(Select::exprs).chain(orders);
    let columns = exprs.filter(is_sum).flat_map(Expr::columns);
    let summed: Vec<ColumnId> = columns.filter_map(|column| stored(plan, column, knowledge)).collect();
    let of_payments = |id: &ColumnId| is_payment(knowledge.column(*id).table);
    !summed.is_empty()
        && knowledge.tables().any(|(table, _)| is_payment(table))
        && !summed.iter().any(of_payments)
}

/// True where a plan adds up what one seat costs, though each row says for how many seats it is.
pub(in crate::rules) fn adds_up_unit_prices(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    let is_of_one = |id: &ColumnId| {
        let column = knowledge.column(*id);
        let priced = price_and_units(knowledge, column.table);
        column.per_unit().is_some() && priced.is_some_and(|(price, _)| price == *id)
    };
    let nested = plan.queries().into_iter().any(|query| adds_up_unit_prices(query, knowledge));
    nested || summed(plan, knowledge).iter().any(is_of_one)
}

/// True where a plan adds up what is earned with one piece of each thing, though it is told how many were sold.
pub(in crate::rules) fn adds_up_unit_margins(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    let column = |expr: &Expr| {
        let Expr::Column(column) = expr else { return None };
        knowledge.column_in(plan, column)
    };
    let of_one = |expr: &Expr| {
        let Expr::Aggregate { function: Aggregate::Sum, argument, .. } = expr else { return false };
        let Expr::Arithmetic { operator: Arithmetic::Subtract, left, right } = argument.as_ref() else {
            return false;
        };
        let Some((price, cost)) = column(left).zip(column(right)) else { return false };
        let table = knowledge.column(price).table;
        let is_margin = matches!(price_and_cost(knowledge, table), Some((one, other, None)) if (one, other) == (price, cost));
        let sells = |other: TableId| matches!(price_and_cost(knowledge, other), Some((_, known, Some(_))) if known == cost);
        is_margin && knowledge.joins().neighbours(table).into_iter().any(sells)
    };
    let nested = plan.queries().into_iter().any(|query| adds_up_unit_margins(query, knowledge));
    nested || plan.selects().flat_map(Select::exprs).any(of_one)
}

/// The columns that a plan adds up as they are, without the queries in it.
fn summed(plan: &QueryPlan, knowledge: &Knowledge) -> Vec<ColumnId> {
    let column = |expr: &Expr| {
        let Expr::Aggregate { function: Aggregate::Sum, argument, .. } = expr else { return None };
        // *this year and last year*: a sum of each is of the same column where a condition holds.
        let summed = match argument.as_ref() {
            Expr::Case { branches, otherwise: None } => branches.first().map(|branch| &branch.then),
            other => Some(other),
        };
        let Some(Expr::Column(column)) = summed else { return None };
        knowledge.column_in(plan, column)
    };
    plan.selects().flat_map(Select::exprs).filter_map(column).collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::table;
    use crate::rules::{Knowledge, Options, understand};
    use sqlogue_sql::schema::{ColumnType, Schema};
    use sqlogue_sql::sql::{Dialect, render};

    #[test]
    fn revenue_is_what_was_paid_to_us() {
        use ColumnType::{Date, Integer, Real, Text};
        let tables = vec![
            table("branches", &[("branch_id", Integer), ("name", Text)], &[]),
            table(
                "cars",
                &[
                    ("car_id", Integer),
                    ("branch_id", Integer),
                    ("purchased_on", Date),
                    ("purchase_price", Real),
                ],
                &[("branch_id", "branches", "branch_id")],
            ),
            table(
                "payments",
                &[("payment_id", Integer), ("car_id", Integer), ("paid_on", Date), ("amount", Real)],
                &[("car_id", "cars", "car_id")],
            ),
        ];
        let knowledge = Knowledge::from_schema(&Schema { tables });
        let first = |question: &str| {
            let read = understand(question, &knowledge, &Options::default());
            read.candidates.first().map(|one| render(&one.plan, Dialect::Sqlite)).unwrap_or_default()
        };
        assert!(
            first("revenue by branch").contains("sum(payments.amount)"),
            "{}",
            first("revenue by branch")
        );
        let both = first("revenue by branch this year compared to last year");
        assert!(both.contains("THEN payments.amount"), "{both}");
        let paid = first("total purchase price by branch");
        assert!(paid.contains("sum(cars.purchase_price)"), "{paid}");
    }
}
