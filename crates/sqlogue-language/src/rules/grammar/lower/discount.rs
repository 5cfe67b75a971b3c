//! Prices and what is granted off them: *revenue after discount*, *total discount*.

use super::Lowering;
use crate::rules::grammar::columns::{is_number, named, price_and_quantity};
use crate::rules::grammar::form::Noun;
use crate::rules::kind::{ColumnKind, PercentScale};
use crate::rules::knowledge::{ColumnId, TableId};
use sqlogue_sql::plan::{Arithmetic, Expr};

impl Lowering<'_> {
    /// What a line brings in once its discount is taken off: the one that is named, or the table's own.
    pub(super) fn net(&self, lines: TableId, discount: Option<&Noun>) -> Option<Expr> {
        let id = match discount {
            Some(noun) => self.bound(noun)?.column?,
            None => {
                let columns = &self.knowledge.table(lines).columns;
                *columns.iter().find(|id| self.is_discount(**id))?
            }
        };
        if self.knowledge.column(id).table != lines {
            return None;
        }
        let full = self.price_times_quantity(lines)?;
        Some(match self.part_of_one(id) {
            Some(part) => {
                let rest = Expr::arithmetic(Arithmetic::Subtract, Expr::literal(1), part);
                Expr::arithmetic(Arithmetic::Multiply, full, rest)
            }
            None if matches!(self.knowledge.column(id).kind, ColumnKind::Money(_)) => {
                Expr::arithmetic(Arithmetic::Subtract, full, self.expr(id))
            }
            None => return None,
        })
    }

    /// What a discount in percent takes off the price of its line, in money.
    pub(super) fn granted(&self, noun: &Noun) -> Option<Expr> {
        let id = self.bound(noun)?.column.filter(|id| self.is_discount(*id))?;
        let table = self.knowledge.column(id).table;
        price_and_quantity(self.knowledge, table)?;
        let full = self.price_times_quantity(table)?;
        Some(Expr::arithmetic(Arithmetic::Multiply, full, self.part_of_one(id)?))
    }

    /// True for what is granted off a price; zero where nothing is.
    fn is_discount(&self, id: ColumnId) -> bool {
        is_number(self.knowledge, id) && named(self.knowledge, id, &["discount", "rebate", "reduction"])
    }

    /// A percentage as a part of one; none for another column.
    fn part_of_one(&self, id: ColumnId) -> Option<Expr> {
        match self.knowledge.column(id).kind {
            ColumnKind::Percentage(PercentScale::OfOne) => Some(self.expr(id)),
            ColumnKind::Percentage(PercentScale::OfHundred) => {
                Some(Expr::arithmetic(Arithmetic::Divide, self.expr(id), Expr::literal(100.0)))
            }
            _ => None,
        }
    }
}
