//! Rows that a query joins twice by one reference: *names of the scientists on a project* takes the scientists as the table and
//! as the role that refers to it, and means the same ones.

use sqlogue_sql::plan::{ColumnRef, Join, JoinKind, QueryPlan};

/// The plan with each reference followed once.
pub(super) fn joined_once(mut plan: QueryPlan) -> QueryPlan {
    let select = &plan.select;
    let again = select.joins.iter().find(|join| select.joins.iter().any(|first| repeats(join, first)));
    let Some((role, name)) =
        again.and_then(|join| Some((join.table.alias.clone()?, join.table.table.clone())))
    else {
        return plan;
    };
    plan.select.joins.retain(|join| join.table.alias.as_ref() != Some(&role));
    plan.for_each_column_mut(&mut |column| {
        if column.table == role {
            column.table.clone_from(&name);
        }
    });
    let mut shown = Vec::new();
    for projection in std::mem::take(&mut plan.select.projection) {
        if !shown.contains(&projection) {
            shown.push(projection);
        }
    }
    plan.select.projection = shown;
    joined_once(plan)
}

/// True for a join of a role that pairs the rows which another join pairs under the table's own name.
fn repeats(role: &Join, first: &Join) -> bool {
    let (true, [(from, to)], [(one, other)]) =
        (first.kind == JoinKind::Inner && first.filter.is_none(), role.on.as_slice(), first.on.as_slice())
    else {
        return false;
    };
    let is_key = |column: &ColumnRef| column.table == role.table.table && column.column == to.column;
    role.table.alias.is_some() && (one == from && is_key(other) || other == from && is_key(one))
}

#[cfg(test)]
mod tests {
    use super::joined_once;
    use sqlogue_sql::plan::{ColumnRef, Expr, Join, JoinKind, Projection, QueryPlan, Select, TableUse};
    use sqlogue_sql::sql::{Dialect, render};

    #[test]
    fn a_role_is_the_table_that_is_joined_by_its_reference() {
        let join = |kind, name: &str, alias: Option<&str>, column: &str| Join {
            kind,
            table: TableUse { alias: alias.map(str::to_owned), ..TableUse::new(name) },
            on: vec![(ColumnRef::new("book", column), ColumnRef::new(alias.unwrap_or(name), "author_id"))],
            filter: None,
        };
        let plan = |reference: &str| {
            let mut select = Select::from_table("book");
            select.joins.push(join(JoinKind::Inner, "author", None, "author_id"));
            select.joins.push(join(JoinKind::Left, "author", Some("writer"), reference));
            for table in ["author", "writer"] {
                select.projection.push(Projection::from(Expr::column(table, "name")));
            }
            render(&joined_once(QueryPlan::from(select)), Dialect::Sqlite)
        };
        assert_eq!(
            plan("author_id"),
            "SELECT author.name FROM book JOIN author ON book.author_id = author.author_id"
        );
        // Another reference leads to other rows.
        assert!(
            plan("editor_id").contains("LEFT JOIN author AS writer ON book.editor_id = writer.author_id")
        );
    }
}
