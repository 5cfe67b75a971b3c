//! Counts of one thing: *how many potholes were reported this year* counts the reports, as *pothole* is one of the kinds of reports and
//! there is one of it however many were reported.

use crate::rules::knowledge::Knowledge;
use sqlogue_sql::plan::{Aggregate, Comparison, Condition, Expr, QueryPlan, Source};
use sqlogue_sql::schema::ColumnType;

/// Counts the rows where a plan counts each row of a table once that it pins to a single one by its name.
pub(super) fn count_what_refers(plan: &mut QueryPlan, knowledge: &Knowledge) {
    let select = &plan.select;
    let (Source::Table(_), [shown]) = (&select.from, select.projection.as_slice()) else { return };
    if select.joins.is_empty() || !select.group_by.is_empty() || !plan.set_operations.is_empty() {
        return;
    }
    let counted = match &shown.expr {
        Expr::Aggregate { function: Aggregate::Count, argument, distinct: true, .. } => {
            match argument.as_ref() {
                Expr::Column(column) => column,
                _ => return,
            }
        }
        _ => return,
    };
    let Some(id) = knowledge.column_in(plan, counted) else { return };
    let table = knowledge.column(id).table;
    let names_one = |part: &Condition| match part {
        Condition::Compare {
            left: Expr::Column(column),
            operator: Comparison::Equal,
            right: Expr::Literal(_),
        } => {
            let named = knowledge.column_in(plan, column).map(|id| knowledge.column(id));
            named.is_some_and(|named| {
                named.table == table
                    && named.column_type == ColumnType::Text
                    && column.table == counted.table
                    && knowledge.table(table).rows.is_some_and(|rows| named.distinct >= rows)
            })
        }
        _ => false,
    };
    let is_key = knowledge.table(table).key.as_slice() == [id];
    let pinned = select.filter.iter().flat_map(Condition::conjuncts).any(names_one);
    if is_key
        && pinned
        && let [shown] = plan.select.projection.as_mut_slice()
    {
        shown.expr = Expr::count_all();
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::of_office;

    #[test]
    fn one_kind_is_not_counted_once() {
        let made = of_office("how many potholes were opened this year");
        assert!(!made.is_empty());
        assert!(!made.iter().any(|sql| sql.contains("count(DISTINCT category.category_id)")), "{made:?}");
    }
}
