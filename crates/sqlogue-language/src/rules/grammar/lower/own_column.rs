//! What groups come to beside a column of their own: *reps below their monthly target in May*.

use super::Lowering;
use super::grain::Grain;
use crate::rules::grammar::form::{Against, Key, Noun, Pred};
use crate::rules::grammar::time::Window;
use sqlogue_sql::plan::{Expr, Projection, Select};

impl Lowering<'_> {
    /// The columns that groups are compared with are one more thing that they are made by, and are shown. None where a column belongs
    /// to something else than the groups, or is meant for another time than is asked about.
    pub(super) fn show_own(
        &self,
        grain: &Grain,
        select: &mut Select,
        shown: &mut Vec<Projection>,
    ) -> Option<()> {
        for having in &self.query.having {
            let Against::Own(noun) = &having.with else { continue };
            let own = self.own_column(noun, grain)?;
            if !select.group_by.contains(&own) {
                select.group_by.push(own.clone());
            }
            shown.push(Projection::from(own));
        }
        Some(())
    }

    /// A column of the rows that groups stand for.
    pub(super) fn own_column(&self, noun: &Noun, grain: &Grain) -> Option<Expr> {
        let id = self.bound(noun)?.column?;
        let column = self.knowledge.column(id);
        let is_own = |key: &Key| match key {
            Key::Noun(key) => {
                self.bound(key).is_some_and(|of| of.column.is_none() && of.table == column.table)
            }
            _ => false,
        };
        let says = |word: &str| column.forms.iter().flatten().any(|own| own == word);
        let months =
            [("daily", 0), ("weekly", 0), ("monthly", 1), ("quarterly", 3), ("yearly", 12), ("annual", 12)];
        let period = months.into_iter().find(|(word, _)| says(word)).map(|(_, months)| months);
        let lasts = |window: &Window| period.is_none_or(|months| window.whole_months() == Some(months));
        let mut windows = self.query.preds.iter().filter_map(|pred| match pred {
            Pred::In(_, window) => Some(window),
            _ => None,
        });
        let is_of_time = windows.next().map_or(period.is_none(), lasts) && windows.next().is_none();
        (grain.keys.iter().any(is_own) && is_of_time).then(|| self.value(id))
    }
}
