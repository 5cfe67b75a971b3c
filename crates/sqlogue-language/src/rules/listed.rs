//! *List employees by department* asks for the employees, department after department, and not for how many there are.

use super::compose::Draft;
use super::knowledge::Knowledge;
use super::text::Question;
use sqlogue_sql::plan::{ColumnRef, Direction, Expr, Order, Projection, Source};

/// Lists the rows of groups that nobody asked to be counted.
pub(super) fn rows_of_groups(draft: &mut Draft, question: &Question, knowledge: &Knowledge) {
    let is_guess = draft.choices.iter().any(|choice| choice.name == "implicit_count");
    let plan = &draft.plan;
    let select = &plan.select;
    let is_plain = select.having.is_none()
        && plan.order_by.is_empty()
        && plan.limit.is_none()
        && plan.with.is_empty()
        && plan.set_operations.is_empty();
    if question.word(0) != "list" || !is_guess || !is_plain || select.group_by.is_empty() {
        return;
    }
    let Source::Table(used) = &select.from else { return };
    let Some(table) = knowledge.table_named(&used.table) else { return };
    let label = &knowledge.table(table).label;
    let named = label.iter().map(|id| {
        let column = ColumnRef::new(used.name().to_owned(), knowledge.column(*id).name.clone());
        Projection::from(Expr::Column(column))
    });
    // Rows that nothing names are shown as they are.
    let whole = label.is_empty().then(|| Projection::from(Expr::All(Some(used.name().to_owned()))));
    let named: Vec<Projection> = named.chain(whole).collect();
    let (counts, keys): (Vec<Projection>, Vec<Projection>) =
        select.projection.iter().cloned().partition(|shown| shown.expr == Expr::count_all());
    let are_columns = keys.iter().all(|key| matches!(key.expr, Expr::Column(_)));
    if counts.len() != 1 || keys.is_empty() || !are_columns {
        return;
    }
    let order = keys.iter().map(|key| Order { expr: key.expr.clone(), direction: Direction::Ascending });
    let order: Vec<Order> = order.collect();
    let shown: Vec<Projection> = keys.into_iter().chain(named).collect();
    draft.plan.order_by = order;
    draft.plan.select.projection = shown;
    draft.plan.select.group_by.clear();
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::{of_office, sql};

    #[test]
    fn a_list_by_group_shows_the_rows() {
        let by_district = of_office("list permits by district");
        let wanted = "SELECT district.district_name, permit.* FROM permit JOIN district ON permit.district_id = \
                      district.district_id ORDER BY district.district_name";
        assert!(by_district.iter().any(|sql| sql == wanted), "{by_district:?}");
        assert!(sql("books by genre").iter().any(|sql| sql.contains("count(*)")));
    }
}
