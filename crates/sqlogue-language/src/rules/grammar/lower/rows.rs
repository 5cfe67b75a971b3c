//! How rows are shown: by the names that people give them, with their keys where two may bear one name.

use super::Lowering;
use super::grain::Grain;
use crate::rules::grammar::columns::{adds_up, is_number};
use crate::rules::grammar::form::{Attr, Bands, Key, Measure, Named, Noun};
use crate::rules::grammar::units::Unit;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, TableId};
use crate::rules::split_name;
use sqlogue_sql::plan::{Aggregate, Comparison, Condition, DatePart, Expr, JoinKind, Projection};

/// Something that groups are made by.
#[derive(Debug, Clone)]
pub(super) struct Grouped {
    /// What is grouped by.
    pub(super) by: Vec<Expr>,
    /// What is shown of it.
    pub(super) shown: Vec<Projection>,
    /// The expression that sorts as the key does.
    pub(super) sorts: Expr,
    /// Whether groups are shown in its order where no other is asked for: units of time, bands.
    pub(super) in_order: bool,
}

impl Lowering<'_> {
    /// The columns by which the rows of a table are shown.
    pub(super) fn label(&self, table: TableId) -> Vec<ColumnId> {
        let entry = self.knowledge.table(table);
        let mut shown: Vec<ColumnId> = if self.style.keyed { entry.key.clone() } else { Vec::new() };
        shown.extend(entry.label.iter().filter(|id| !shown.contains(id)).copied().collect::<Vec<_>>());
        if shown.is_empty() {
            shown = entry.key.clone();
        }
        shown
    }

    pub(super) fn grouped(&self, key: &Key, grain: &Grain) -> Option<Grouped> {
        match key {
            // *by decade* of a column that holds years.
            Key::Time(Unit::Decade, noun) if self.years(noun.as_ref(), grain).is_some() => {
                let first = super::decade(self.expr(self.years(noun.as_ref(), grain)?));
                let shown = vec![Projection::from(first.clone())];
                Some(Grouped { by: vec![first.clone()], shown, sorts: first, in_order: true })
            }
            Key::Time(unit, noun) => {
                let id = match noun {
                    Some(noun) => self.bound(noun)?.column?,
                    None => grain.date?,
                };
                // A day has no hour.
                let by_hour = matches!(unit, Unit::Hour | Unit::HourOfDay);
                if by_hour && self.knowledge.column(id).kind == ColumnKind::Date {
                    return None;
                }
                let bucket = self.bucket(*unit, id)?;
                let shown = vec![Projection::from(bucket.clone())];
                // Days of the week stand in their own order, not in that of the alphabet.
                let sorts = match unit {
                    Unit::Weekday => Expr::part(DatePart::Weekday, self.date_expr(id)),
                    _ => bucket.clone(),
                };
                let mut by = vec![bucket];
                if !by.contains(&sorts) {
                    by.push(sorts.clone());
                }
                Some(Grouped { by, shown, sorts, in_order: true })
            }
            Key::Bands(attr, bands) => {
                // Bands of money are said in whole money, however it is stored.
                let stored = match attr {
                    Attr::Noun(noun) => self.bound(noun)?.column,
                    _ => None,
                };
                let number = match stored {
                    Some(id) => self.money(id, true),
                    None => self.attr(attr)?,
                };
                let band = band(&number, bands);
                let sorts = Expr::aggregate(Aggregate::Min, number);
                let shown = vec![Projection::from(band.clone())];
                Some(Grouped { by: vec![band], shown, sorts, in_order: true })
            }
            Key::ColumnOf(Named { words, .. }) | Key::Place(words, _) => {
                let expr = self.expr(self.filler(*words)?.column?);
                let shown = vec![Projection::from(expr.clone())];
                Some(Grouped { by: vec![expr.clone()], shown, sorts: expr, in_order: false })
            }
            Key::Noun(noun) => {
                let filler = self.bound(noun)?;
                if let Some(ends) = self.way_of(noun) {
                    return Some(self.by_way(ends));
                }
                if let Some(id) = filler.column {
                    if let Some((by, called)) = self.role(id, JoinKind::Inner) {
                        let shown: Vec<Projection> = called.into_iter().map(Projection::from).collect();
                        let sorts = shown.first()?.expr.clone();
                        return Some(Grouped { by, shown, sorts, in_order: false });
                    }
                    // *revenue per guest* divides, and does not ask how much came of tables with two guests.
                    let of_money = grain.measures.iter().any(|measure| {
                        matches!(measure, Measure::Of(Aggregate::Sum, Attr::Revenue(_) | Attr::Amount(_)))
                    });
                    if of_money && is_number(self.knowledge, id) && adds_up(self.knowledge, id) {
                        self.supply("money_by_number", 0.5);
                    }
                    let expr = self.expr(id);
                    return Some(Grouped {
                        by: vec![expr.clone()],
                        shown: vec![Projection::from(expr.clone())],
                        sorts: expr,
                        in_order: false,
                    });
                }
                self.rows_of(filler.table)
            }
        }
    }

    /// The column of years that is named, or the entity's.
    pub(super) fn years(&self, noun: Option<&Noun>, grain: &Grain) -> Option<ColumnId> {
        let is_years = |id: &ColumnId| self.knowledge.column(*id).kind == ColumnKind::Year;
        match noun {
            Some(noun) => self.bound(noun)?.column.filter(is_years),
            None => self.knowledge.table(grain.entity).columns.iter().copied().find(is_years),
        }
    }

    /// The rows of a table, each a group of its own.
    pub(super) fn rows_of(&self, table: TableId) -> Option<Grouped> {
        let label = self.label(table);
        let mut by: Vec<Expr> = self.knowledge.table(table).key.iter().map(|id| self.expr(*id)).collect();
        let shown: Vec<Projection> = label.iter().map(|id| Projection::from(self.expr(*id))).collect();
        for projection in &shown {
            if !by.contains(&projection.expr) {
                by.push(projection.expr.clone());
            }
        }
        let sorts = shown.first()?.expr.clone();
        Some(Grouped { by, shown, sorts, in_order: false })
    }

    /// What a shown noun stands for: a column, or the rows of a table by their names.
    pub(super) fn shown(&self, noun: &Noun) -> Option<Vec<Projection>> {
        let filler = self.bound(noun)?;
        if let Some(ends) = self.way_of(noun) {
            return Some(self.shown_way(ends));
        }
        Some(match filler.column {
            Some(id) => match self.role(id, JoinKind::Left) {
                Some((_, called)) => called.into_iter().map(Projection::from).collect(),
                None => {
                    // *the manager of each branch*, whose name is in two columns.
                    // *the manager's first name* asks for a part of it.
                    let columns = split_name::whole(self.knowledge, id, noun.column_score());
                    columns.into_iter().map(|id| Projection::from(self.expr(id))).collect()
                }
            },
            None => self.label(filler.table).into_iter().map(|id| Projection::from(self.expr(id))).collect(),
        })
    }
}

/// The name of the band that a number lies in; none where the number is not known.
pub(super) fn band(number: &Expr, bands: &Bands) -> Expr {
    let name = |name: &String| Expr::literal(name.as_str());
    let below = |(edge, included): &(f64, bool)| {
        let operator = if *included { Comparison::Less } else { Comparison::LessOrEqual };
        let whole = edge.fract() == 0.0 && edge.abs() < 1e15;
        let edge = if whole { Expr::literal(*edge as i64) } else { Expr::literal(*edge) };
        Condition::compare(number.clone(), operator, edge)
    };
    let mut branches: Vec<(Condition, Expr)> =
        bands.edges.iter().zip(&bands.labels).map(|(edge, label)| (below(edge), name(label))).collect();
    if let Some(last) = bands.labels.last() {
        branches.push((Condition::IsNull { expr: number.clone(), negated: true }, name(last)));
    }
    Expr::case(branches, None)
}

/// Where the noun of a key stands; none for units of time.
pub(super) fn key_start(key: &Key) -> Option<usize> {
    match key {
        Key::Noun(noun) => Some(noun.words.start),
        Key::ColumnOf(Named { words, .. }) | Key::Place(words, _) => Some(words.start),
        Key::Time(..) | Key::Bands(..) => None,
    }
}
