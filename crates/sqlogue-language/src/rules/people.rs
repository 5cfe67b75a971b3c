//! What is said of people and not of what they deal with: *who earns the most* asks for pay, and the *best* customers are not
//! those who rate best.

use super::grammar::is_called;
use super::knowledge::{ColumnId, Knowledge};
use super::stem::root;
use super::text::Question;
use sqlogue_sql::plan::{Aggregate, ColumnRef, Expr, QueryPlan, Select};

/// True where a plan takes people's takings for their pay, though the database knows what they are paid.
pub(super) fn ignores_pay(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let earns = |word: &str| matches!(word, "earn" | "earns" | "earned" | "earning");
    let who = |word: &str| matches!(word, "who" | "whoever");
    let asks = question
        .tokens
        .windows(2)
        .any(|pair| matches!(pair, [one, other] if who(&one.lower) && earns(&other.lower)));
    if !asks {
        return false;
    }
    let is_pay = |id: &ColumnId| {
        let column = knowledge.column(*id);
        let says = |form: &Vec<String>| {
            let has = |word: &str| form.iter().any(|own| own == word);
            has("salary") || has("wage") || (has("hourly") || has("hour")) && has("rate")
        };
        column.forms.iter().any(says) && is_called(knowledge, column.table, "sellers")
    };
    let pay: Vec<ColumnId> =
        knowledge.tables().flat_map(|(_, entry)| entry.columns.iter().copied()).filter(is_pay).collect();
    let uses = |id: &ColumnId| {
        let column = knowledge.column(*id);
        let table = &knowledge.table(column.table).name;
        columns(plan).iter().any(|used| used.table == *table && used.column == column.name)
    };
    !pay.is_empty() && !pay.iter().any(uses)
}

/// True where a plan puts people in order by how something else was rated, which nobody says.
pub(super) fn rates_people(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let praises = question.tokens.iter().any(|token| matches!(token.lower.as_str(), "best" | "worst"));
    let Some(order) = plan.order_by.first().filter(|_| praises) else { return false };
    let by = match &order.expr {
        Expr::Aggregate { function: Aggregate::Avg, argument, .. } => argument.as_ref(),
        other => other,
    };
    let (Expr::Column(by), Some(Expr::Column(shown))) =
        (by, plan.select.projection.first().map(|one| &one.expr))
    else {
        return false;
    };
    let id = |column: &ColumnRef| {
        let table = plan.select.tables().find(|table| table.name() == column.table)?;
        let table = knowledge.table_named(&table.table)?;
        Some((table, knowledge.column_named(table, &column.column)?))
    };
    let (Some((rated, column)), Some((people, _))) = (id(by), id(shown)) else { return false };
    let forms = knowledge.column(column).forms.iter().chain(&knowledge.table(rated).forms);
    let roots: Vec<String> = forms.flatten().map(|word| root(word)).collect();
    let is_said = question.tokens.iter().any(|token| roots.contains(&token.root));
    rated != people && is_called(knowledge, people, "buyers") && !is_said
}

/// The columns of a plan, those of queries nested in it included.
fn columns(plan: &QueryPlan) -> Vec<&ColumnRef> {
    let sorts = plan.order_by.iter().map(|order| &order.expr);
    let own = plan.selects().flat_map(Select::exprs).chain(sorts).flat_map(Expr::columns);
    own.chain(plan.queries().into_iter().flat_map(columns)).collect()
}
