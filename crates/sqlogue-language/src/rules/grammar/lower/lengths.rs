//! Lengths of time: how long a row lasted or waited, in the unit that is asked for.

use super::Lowering;
use super::grain::Grain;
use crate::rules::grammar::bind::Filler;
use crate::rules::grammar::columns::{start_and_end, unit_of};
use crate::rules::grammar::form::{Attr, Noun, Waiting};
use crate::rules::grammar::waiting::waits;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, TableId};
use sqlogue_sql::plan::{Arithmetic, Comparison, Condition, DateUnit, Expr, Function, TimeUnit};

impl Lowering<'_> {
    /// How long a row waited.
    pub(super) fn waited(&self, table: TableId, how: &Waiting, unit: TimeUnit) -> Option<Expr> {
        let (from, to) = waits(self.knowledge, table, how)?;
        let [from, to] = [from, to].map(|id| match (unit, &self.knowledge.column(id).kind) {
            // Days are counted from one date to the other, whatever the hour.
            (TimeUnit::Day, kind) if *kind != ColumnKind::Date && !matches!(how, Waiting::Until(_)) => {
                Expr::truncate(DateUnit::Day, self.date_expr(id))
            }
            _ => self.date_expr(id),
        });
        let today = || Expr::literal(self.today.to_string());
        let to = match how {
            Waiting::Belonging if from == to => today(),
            Waiting::Belonging => Expr::function(Function::Coalesce, vec![to, today()]),
            Waiting::Still | Waiting::Overdue => today(),
            Waiting::Until(_) | Waiting::Late | Waiting::Ahead => to,
        };
        Some(Expr::elapsed(unit, from, to))
    }

    /// A column of times in another unit; none where its own is not known.
    pub(super) fn converted(&self, id: ColumnId, asked: TimeUnit) -> Option<Expr> {
        let own = unit_of(self.knowledge, id)?;
        if own == asked {
            return Some(self.expr(id));
        }
        let (own, asked) = (seconds(own)?, seconds(asked)?);
        Some(match own < asked {
            true => Expr::arithmetic(Arithmetic::Divide, self.expr(id), Expr::literal(asked / own)),
            false => Expr::arithmetic(Arithmetic::Multiply, self.expr(id), Expr::literal(own / asked)),
        })
    }

    /// How long a row lasted or waited, beside a column that says how long it may, in the unit of that column.
    pub(super) fn took_beside(
        &self,
        took: &Attr,
        operator: Comparison,
        allowed: &Noun,
        grain: &Grain,
    ) -> Option<Condition> {
        let allowed = self.bound(allowed)?.column?;
        let unit = unit_of(self.knowledge, allowed)?;
        let took = match took {
            Attr::Waited(words, how, _) => self.waited(self.filler(*words)?.table, how, unit)?,
            Attr::Lasting(words, ..) => match self.filler(*words)?.column {
                Some(own) if own != allowed => self.converted(own, unit)?,
                _ => {
                    let (start, end) = start_and_end(self.knowledge, self.subject_of(grain)?)?;
                    Expr::elapsed(unit, self.date_expr(start), self.date_expr(end))
                }
            },
            _ => return None,
        };
        Some(Condition::compare(took, operator, self.expr(allowed)))
    }

    /// How long a row lasted, in the unit that is asked for where it can be told.
    pub(super) fn lasting(&self, filler: &Filler, unit: Option<TimeUnit>) -> Option<Expr> {
        let unit = unit.or(self.query.in_unit);
        let Some(id) = filler.column else {
            let (start, end) = start_and_end(self.knowledge, filler.table)?;
            let days = [start, end].iter().any(|id| self.knowledge.column(*id).tells_days());
            let usual = if days { TimeUnit::Day } else { TimeUnit::Hour };
            return Some(Expr::elapsed(unit.unwrap_or(usual), self.date_expr(start), self.date_expr(end)));
        };
        match unit {
            Some(unit) => self.converted(id, unit),
            None => Some(self.expr(id)),
        }
    }
}

/// How many seconds a unit has; none where that differs.
fn seconds(unit: TimeUnit) -> Option<f64> {
    match unit {
        TimeUnit::Second => Some(1.0),
        TimeUnit::Minute => Some(60.0),
        TimeUnit::Hour => Some(3_600.0),
        TimeUnit::Day => Some(86_400.0),
        TimeUnit::Month | TimeUnit::Year => None,
    }
}
