//! What people have defined, as expressions.

use super::Lowering;
use super::measure::Over;
use crate::rules::grammar::defined::Term;
use crate::rules::joins::JoinTree;
use crate::rules::knowledge::TableId;
use sqlogue_sql::plan::{Aggregate, Condition, Expr};
use sqlogue_sql::sql::Definition;

impl Lowering<'_> {
    /// A defined measure, of the rows for which a condition holds; none where a join would count its rows twice.
    pub(super) fn defined(&self, term: &Term, only: Option<&Condition>, over: Over<'_>) -> Option<Expr> {
        let Definition::Measure(expr) = &term.meaning else { return None };
        let mut sound = true;
        let mut expr = expr.clone();
        expr.replace(&mut |part| {
            let Expr::Aggregate { function, distinct, argument } = part else { return None };
            let repeatable = *distinct || matches!(function, Aggregate::Min | Aggregate::Max);
            sound &= repeatable || !self.repeated(argument, term, over.tree);
            let argument = match (only, argument.as_ref()) {
                (None, _) => argument.as_ref().clone(),
                (Some(only), Expr::All(_)) => Expr::only_where(only.clone(), Expr::literal(1)),
                (Some(only), argument) => Expr::only_where(only.clone(), argument.clone()),
            };
            Some(Expr::Aggregate { function: *function, distinct: *distinct, argument: Box::new(argument) })
        });
        sound.then_some(expr)
    }

    /// True where the joins repeat what a summary is made of: no one of its tables has one row for each that is joined.
    fn repeated(&self, argument: &Expr, term: &Term, tree: &JoinTree) -> bool {
        let tables = argument.columns().into_iter().map(|column| self.knowledge.table_named(&column.table));
        let mut tables: Vec<TableId> = tables.flatten().collect();
        if tables.is_empty() {
            tables.extend(term.tables.first());
        }
        tables.iter().all(|table| self.repeats(*table, tree))
    }

    /// The name of a defined measure's column.
    pub(super) fn defined_name(term: &Term) -> String {
        let letter = |letter: char| if letter.is_alphanumeric() { letter } else { '_' };
        term.name.to_lowercase().chars().map(letter).collect()
    }
}
