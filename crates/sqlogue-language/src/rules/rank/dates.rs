//! By which dates a candidate counts time: by one that was named, by the one that bears the event, or by another.

use crate::rules::compose::Draft;
use crate::rules::event_date;
use crate::rules::knowledge::{ColumnId, Knowledge};
use sqlogue_sql::plan::{ColumnRef, Condition, Expr, Function, Select};
use sqlogue_sql::schema::Value;

/// The dates that windows and units of time count by and that nobody named.
pub(super) fn dates(draft: &Draft, knowledge: &Knowledge, add: &mut impl FnMut(&str, f32)) {
    let mut columns: Vec<&ColumnRef> = Vec::new();
    collect(&draft.plan.select, &mut columns);
    for named in &draft.plan.with {
        collect(&named.query.select, &mut columns);
    }
    let mut seen: Vec<ColumnId> = Vec::new();
    let (mut first, mut other, mut of_life, mut beside) = (0.0, 0.0, 0.0, 0.0);
    let named: Vec<ColumnId> = draft.meanings.iter().filter_map(|meaning| meaning.column_id).collect();
    for column in columns {
        let Some(table) = knowledge.table_named(&column.table) else { continue };
        let Some(id) = knowledge.column_named(table, &column.column) else { continue };
        if named.contains(&id) || seen.contains(&id) || !event_date::holds_days(knowledge.column(id)) {
            continue;
        }
        seen.push(id);
        // *paid in May* counts by the payment.
        let other_said = named.iter().any(|known| {
            knowledge.column(*known).table == table && event_date::holds_days(knowledge.column(*known))
        });
        beside += f32::from(u8::from(other_said));
        if event_date::is_of_life(knowledge.column(id)) {
            of_life += 1.0;
        } else if knowledge.dates(table).first() == Some(&id) {
            first += 1.0;
        } else {
            other += 1.0;
        }
    }
    add("date_of_event", first);
    add("date_of_something_else", other);
    add("date_of_life", of_life);
    add("date_beside_one_said", beside);
    add("dates_unsaid", f32::from(u8::from(seen.len() > 1)));
}

/// The columns that are compared with days or cut to units of time.
fn collect<'a>(select: &'a Select, columns: &mut Vec<&'a ColumnRef>) {
    for condition in select.filter.iter().flat_map(Condition::conjuncts) {
        compared(condition, columns);
    }
    for expr in select.group_by.iter().chain(select.projection.iter().map(|item| &item.expr)) {
        if let Expr::Function {
            function: Function::Extract(_) | Function::Truncate(_) | Function::Label(_),
            ..
        } = expr
        {
            columns.extend(expr.columns());
        }
    }
}

fn compared<'a>(condition: &'a Condition, columns: &mut Vec<&'a ColumnRef>) {
    match condition {
        Condition::And(all) | Condition::Or(all) => all.iter().for_each(|one| compared(one, columns)),
        Condition::Not(one) => compared(one, columns),
        Condition::Compare { left, right: Expr::Literal(Value::Text(_)), .. } => {
            columns.extend(left.columns())
        }
        Condition::Between { expr, low: Expr::Literal(Value::Text(_)), .. } => columns.extend(expr.columns()),
        Condition::InQuery { query, .. } => collect(&query.select, columns),
        _ => {}
    }
}
