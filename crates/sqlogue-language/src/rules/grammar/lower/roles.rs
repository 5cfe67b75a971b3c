//! Roles: rows that a column refers to by its own name, as an employee's manager or the depot a trip starts from. Such a row
//! is joined under the name of its role, so that a table may stand in a query twice.

use super::Lowering;
use crate::rules::knowledge::{ColumnId, TableId};
use sqlogue_sql::plan::{ColumnRef, Expr, Join, JoinKind, Select, TableUse};

/// A row that a column refers to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Role {
    column: ColumnId,
    to: ColumnId,
    table: TableId,
    kind: JoinKind,
}

/// The endings of a column's name that say only that it refers to something.
const ENDINGS: [&str; 8] = ["_id", "id", "_no", "_nr", "_code", "_key", "_number", "_ref"];

impl Lowering<'_> {
    /// The columns by which people call the row that a column refers to, with its key; none for a column that refers to
    /// nothing, or to rows without a name.
    pub(super) fn role(&self, column: ColumnId, kind: JoinKind) -> Option<(Vec<Expr>, Vec<Expr>)> {
        if self.style.bare {
            return None;
        }
        let edge = self.knowledge.joins().reference(column)?;
        let (_, to) = edge.columns.first()?;
        let label = &self.knowledge.table(edge.to).label;
        if label.is_empty() || label.contains(to) {
            return None;
        }
        let role = Role { column, to: *to, table: edge.to, kind };
        let name = self.role_name(&role);
        let called: Vec<Expr> = label
            .iter()
            .map(|id| Expr::column(name.clone(), self.knowledge.column(*id).name.clone()))
            .collect();
        let key = Expr::column(name, self.knowledge.column(*to).name.clone());
        if !self.roles.borrow().contains(&role) {
            self.roles.borrow_mut().push(role);
        }
        self.supply("role", 0.0);
        Some((std::iter::once(key).chain(called.iter().cloned()).collect(), called))
    }

    /// Joins the rows of the roles that were asked for.
    pub(super) fn join_roles(&self, select: &mut Select) {
        for role in self.roles.borrow().iter() {
            let name = self.role_name(role);
            let table = TableUse {
                alias: Some(name.clone()),
                ..TableUse::new(self.knowledge.table(role.table).name.clone())
            };
            let to = ColumnRef::new(name, self.knowledge.column(role.to).name.clone());
            select.joins.push(Join {
                kind: role.kind,
                table,
                on: vec![(self.reference(role.column), to)],
                filter: None,
            });
        }
    }

    /// What a role is called in the query: the column's name without the ending that says that it refers, and never as a
    /// table is called.
    fn role_name(&self, role: &Role) -> String {
        let shorter = self.called_without_ending(role.column);
        match self.knowledge.table_named(shorter) {
            Some(_) => format!("{shorter}_row"),
            None => shorter.to_owned(),
        }
    }

    /// A column's name without the ending that says that it refers.
    pub(super) fn called_without_ending(&self, column: ColumnId) -> &str {
        let name = &self.knowledge.column(column).name;
        let lower = name.to_ascii_lowercase();
        let ending = ENDINGS.iter().find_map(|ending| lower.strip_suffix(ending));
        let length = ending.map(str::len).filter(|length| *length > 0);
        length.and_then(|length| name.get(..length)).unwrap_or(name)
    }
}
