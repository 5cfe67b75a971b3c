//! Plans that are well formed and can never be meant: rows without themselves, conditions that nothing fulfils.

use sqlogue_sql::plan::{
    Aggregate, Arithmetic, Comparison, Condition, Expr, Function, QueryPlan, Select, SetOperator,
};

/// False where a part of the plan takes a selection away from itself or asks for what cannot be.
pub(super) fn is_sound(plan: &QueryPlan) -> bool {
    let combined =
        || plan.set_operations.iter().filter(|operation| operation.operator != SetOperator::UnionAll);
    // A union, an intersection or a difference with itself says nothing, or leaves nothing.
    if combined().any(|operation| operation.select == plan.select) {
        return false;
    }
    // Two totals that happen to be equal are no set.
    let is_total = |select: &Select| {
        select.group_by.is_empty() && select.projection.iter().any(|shown| shown.expr.is_aggregate())
    };
    if combined().any(|operation| operation.operator != SetOperator::Union && is_total(&operation.select)) {
        return false;
    }
    plan.selects().all(is_select_sound)
        && !plan
            .order_by
            .iter()
            .any(|order| is_of_itself(&order.expr) || is_missing(&order.expr, &plan.select))
        && !counts_what_is_joined(plan)
}

/// True for what a number and the same number make: nothing, or one.
fn is_of_itself(expr: &Expr) -> bool {
    match expr {
        Expr::Arithmetic { operator: Arithmetic::Subtract | Arithmetic::Divide, left, right }
            if left == right =>
        {
            true
        }
        // No time passes from a date to itself.
        Expr::Function { function: Function::Elapsed(_), arguments } => {
            matches!(arguments.as_slice(), [from, to] if from == to)
        }
        _ => expr.parts().into_iter().any(is_of_itself),
    }
}

/// True where rows are counted over a join that nothing is asked of: one table's rows, by a detour.
fn counts_what_is_joined(plan: &QueryPlan) -> bool {
    let select = &plan.select;
    let counts = matches!(select.projection.as_slice(), [only] if only.expr == Expr::count_all());
    counts
        && !select.joins.is_empty()
        && select.filter.is_none()
        && select.having.is_none()
        && select.group_by.is_empty()
        && plan.set_operations.is_empty()
        && select.joins.iter().all(|join| join.filter.is_none())
}

fn is_select_sound(select: &Select) -> bool {
    let conditions = || select.filter.iter().chain(&select.having);
    let queries = conditions().flat_map(Condition::queries);
    let from = match &select.from {
        sqlogue_sql::plan::Source::Query { query, .. } => Some(query.as_ref()),
        sqlogue_sql::plan::Source::Table(_) => None,
    };
    conditions().all(|condition| can_hold(condition, select))
        && !select.exprs().into_iter().any(is_of_itself)
        && !summarises_what_is_fixed(select)
        && !groups_what_is_missing(select)
        && !select.projection.iter().any(|shown| sums_what_is_left_out(&shown.expr, select))
        && queries.chain(from).all(is_sound)
}

/// True where a column is summed or averaged that has one value in all rows, because a condition says so.
fn summarises_what_is_fixed(select: &Select) -> bool {
    let fixed = |of: &Expr| select.filter.as_ref().is_some_and(|filter| filter.fixed(of).is_some());
    select.projection.iter().any(|shown| match &shown.expr {
        Expr::Aggregate { function: Aggregate::Sum | Aggregate::Avg, argument, .. } => fixed(argument),
        _ => false,
    })
}

/// True where a part of the rows is summed up, and a condition on all rows leaves just those out.
fn sums_what_is_left_out(expr: &Expr, select: &Select) -> bool {
    let apart =
        |one: &Condition, other: &Condition| lie_apart(one, other).unwrap_or_else(|| one.excludes(other));
    let is_left_out = |when: &Condition| {
        let kept = select.filter.iter().flat_map(Condition::conjuncts);
        kept.into_iter().any(|kept| when.conjuncts().iter().any(|part| apart(kept, part)))
    };
    match expr {
        Expr::Aggregate { argument, .. } => match argument.as_ref() {
            Expr::Case { branches, .. } => branches.iter().any(|branch| is_left_out(&branch.when)),
            _ => false,
        },
        _ => expr.parts().into_iter().any(|part| sums_what_is_left_out(part, select)),
    }
}

/// Whether two windows of one date have no day in common; none where they are no windows.
fn lie_apart(one: &Condition, other: &Condition) -> Option<bool> {
    let (one, other) = (one.as_period()?, other.as_period()?);
    let ends_before = |until: Option<&str>, from: Option<&str>| {
        until.is_some_and(|until| from.is_some_and(|from| until <= from))
    };
    let apart = ends_before(one.until, other.from) || ends_before(other.until, one.from);
    Some(one.expr == other.expr && apart)
}

/// True where groups are made by a column that no row has a value in.
fn groups_what_is_missing(select: &Select) -> bool {
    select.group_by.iter().any(|expr| is_missing(expr, select))
}

/// True for what is made of a column that no row has a value in, because a condition says so.
fn is_missing(expr: &Expr, select: &Select) -> bool {
    let columns = expr.columns();
    select.filter.iter().flat_map(Condition::conjuncts).any(|condition| match condition {
        Condition::IsNull { expr: Expr::Column(known), negated: false } => columns.contains(&known),
        _ => false,
    })
}

/// False for a condition that no row fulfils.
fn can_hold(condition: &Condition, select: &Select) -> bool {
    match condition {
        Condition::Or(any) => any.iter().any(|one| can_hold(one, select)),
        Condition::Between { low, high, .. } => low.compared(high) != Some(std::cmp::Ordering::Greater),
        // What is in a table is not in none of its rows.
        Condition::InQuery { expr, query, negated: true } => !is_everything(expr, query, select),
        Condition::And(_) => {
            let parts = condition.parts();
            parts.iter().all(|part| part == condition || can_hold(part, select))
                && parts
                    .iter()
                    .enumerate()
                    .all(|(at, one)| parts.iter().skip(at + 1).all(|other| !one.excludes(other)))
                && condition.as_period().is_none_or(|window| !window.is_empty())
        }
        _ => true,
    }
}

/// True where the nested query returns the very column of every row.
fn is_everything(expr: &Expr, query: &QueryPlan, select: &Select) -> bool {
    let [shown] = query.select.projection.as_slice() else { return false };
    let (Expr::Column(outer), Expr::Column(inner)) = (expr, &shown.expr) else { return false };
    let table = |select: &Select, name: &str| {
        select.tables().find(|table| table.name() == name).map(|table| table.table.clone())
    };
    let all = query.select.filter.is_none()
        && query.select.having.is_none()
        && query.select.joins.is_empty()
        && query.set_operations.is_empty()
        && query.limit.is_none();
    all && outer.column == inner.column
        && table(select, &outer.table).is_some_and(|outer| Some(outer) == table(&query.select, &inner.table))
}

/// True where a part of the plan bounds the same end twice: nobody who asks for less than 20 says that it is less than 30 too.
/// Who narrows down what was asked before may.
pub(super) fn bounds_twice(plan: &QueryPlan) -> bool {
    let twice = |condition: &Condition| {
        let parts = condition.parts();
        let mut pairs = parts.iter().enumerate();
        pairs.any(|(at, one)| parts.iter().skip(at + 1).any(|other| bound_the_same(one, other)))
    };
    plan.selects()
        .flat_map(|select| select.filter.iter().chain(&select.having))
        .any(|condition| twice(condition) || condition.queries().into_iter().any(bounds_twice))
}

fn is_bound(operator: Comparison) -> bool {
    !matches!(operator, Comparison::Equal | Comparison::NotEqual)
}

/// True for two windows or bounds of the same end, and for a span with a bound beside it.
fn bound_the_same(one: &Condition, other: &Condition) -> bool {
    let in_span = |span: &Condition, bound: &Condition| match (span, bound) {
        (Condition::Between { expr, .. }, Condition::Compare { left, operator, right: Expr::Literal(_) }) => {
            expr == left && is_bound(*operator)
        }
        _ => false,
    };
    // What was in 2025 was not in 2026: nobody who says both speaks of one date.
    let leaves_out = |window: &Condition, other: &Condition| match other {
        Condition::Not(left_out) => lie_apart(window, left_out) == Some(true),
        _ => false,
    };
    if in_span(one, other) || in_span(other, one) || leaves_out(one, other) || leaves_out(other, one) {
        return true;
    }
    if let (Some(one), Some(other)) = (one.as_period(), other.as_period()) {
        return one.expr == other.expr
            && (one.from.is_some() && other.from.is_some() || one.until.is_some() && other.until.is_some());
    }
    match (one, other) {
        (
            Condition::Compare { left: one, operator: first, right: Expr::Literal(_) },
            Condition::Compare { left: other, operator: second, right: Expr::Literal(_) },
        ) => {
            let is_upper = |operator| matches!(operator, Comparison::Less | Comparison::LessOrEqual);
            one == other && is_bound(*first) && is_bound(*second) && is_upper(*first) == is_upper(*second)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlogue_sql::plan::SetOperation;
    use sqlogue_sql::schema::Value;

    fn price() -> Expr {
        Expr::column("book", "price")
    }

    fn filtered(condition: Condition) -> QueryPlan {
        QueryPlan::from(Select::from_table("book").project(Expr::column("book", "title")).filter(condition))
    }

    fn compare(operator: Comparison, value: impl Into<Value>) -> Condition {
        Condition::compare(price(), operator, Expr::literal(value))
    }

    #[test]
    fn nothing_is_taken_away_from_itself() {
        let select = Select::from_table("book").project(Expr::column("book", "title"));
        for (operator, sound) in [
            (SetOperator::Except, false),
            (SetOperator::Intersect, false),
            (SetOperator::Union, false),
            (SetOperator::UnionAll, true),
        ] {
            let mut plan = QueryPlan::from(select.clone());
            plan.set_operations.push(SetOperation { operator, select: select.clone() });
            assert_eq!(is_sound(&plan), sound, "{operator:?}");
        }
        let ids =
            |table: &str| QueryPlan::from(Select::from_table(table).project(Expr::column(table, "book_id")));
        let none_of = |query| Condition::InQuery {
            expr: Expr::column("book", "book_id"),
            query: Box::new(query),
            negated: true,
        };
        assert!(!is_sound(&filtered(none_of(ids("book")))));
        assert!(is_sound(&filtered(none_of(ids("loan")))));
    }

    #[test]
    fn a_number_is_not_compared_with_itself() {
        for (operator, right, sound) in [
            (Arithmetic::Subtract, "price", false),
            (Arithmetic::Divide, "price", false),
            (Arithmetic::Multiply, "price", true),
            (Arithmetic::Subtract, "cost", true),
        ] {
            let made = Expr::arithmetic(operator, price(), Expr::column("book", right));
            let plan = QueryPlan::from(Select::from_table("book").project(made));
            assert_eq!(is_sound(&plan), sound, "{operator:?} {right}");
        }
    }

    #[test]
    fn what_is_summed_up_is_among_the_rows() {
        let sold = || Expr::column("book", "sold_on");
        let from = |day: &str| Condition::compare(sold(), Comparison::GreaterOrEqual, Expr::literal(day));
        let until = |day: &str| Condition::compare(sold(), Comparison::Less, Expr::literal(day));
        let of_2025 = from("2025-01-01").and(until("2026-01-01"));
        let total = Expr::aggregate(Aggregate::Sum, Expr::only_where(of_2025, price()));
        let plan = |filter| QueryPlan::from(Select::from_table("book").project(total.clone()).filter(filter));
        assert!(!is_sound(&plan(from("2026-01-01"))));
        assert!(is_sound(&plan(from("2025-06-01"))));
    }

    #[test]
    fn an_end_is_bound_once() {
        let span = Condition::Between { expr: price(), low: Expr::literal(20), high: Expr::literal(30) };
        for (one, other, twice) in [
            (compare(Comparison::Less, 20), compare(Comparison::LessOrEqual, 30), true),
            (compare(Comparison::Less, 30), compare(Comparison::Greater, 20), false),
            (span, compare(Comparison::Less, 25), true),
            (compare(Comparison::Less, 20), compare(Comparison::NotEqual, 30), false),
        ] {
            assert_eq!(bounds_twice(&filtered(one.clone().and(other.clone()))), twice, "{one} and {other}");
        }
    }

    #[test]
    fn what_nothing_fulfils_is_not_meant() {
        for (one, other, sound) in [
            (compare(Comparison::Greater, 20), compare(Comparison::Less, 30), true),
            (compare(Comparison::Greater, 30), compare(Comparison::Less, 20), false),
            (compare(Comparison::GreaterOrEqual, 20), compare(Comparison::LessOrEqual, 20), true),
            (compare(Comparison::Greater, 20), compare(Comparison::LessOrEqual, 20), false),
            (compare(Comparison::Equal, 20), compare(Comparison::Equal, 30), false),
            (compare(Comparison::Equal, 20), compare(Comparison::Equal, 20.0), true),
            (compare(Comparison::Equal, 20), compare(Comparison::NotEqual, 20), false),
            (compare(Comparison::Less, 20), compare(Comparison::Equal, 25), false),
            (Condition::IsNull { expr: price(), negated: false }, compare(Comparison::Less, 20), false),
        ] {
            let plan = filtered(one.clone().and(other.clone()));
            assert_eq!(is_sound(&plan), sound, "{one} and {other}");
        }
        let between = Condition::Between { expr: price(), low: Expr::literal(20), high: Expr::literal(10) };
        assert!(!is_sound(&filtered(between)));
        let city = |name: &str| Condition::equal(Expr::column("book", "city"), Expr::literal(name));
        assert!(!is_sound(&filtered(city("Rome").and(city("Paris")))));
        assert!(is_sound(&filtered(city("Rome").and(city("rome")))));
        // One of several readings of a row may be impossible.
        let either = Condition::Or(vec![compare(Comparison::Less, 20), compare(Comparison::Greater, 30)]);
        assert!(is_sound(&filtered(either)));
    }
}
