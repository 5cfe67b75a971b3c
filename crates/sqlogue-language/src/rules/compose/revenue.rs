//! Revenue: what was taken in, where no column has it: a price times a quantity in the same row.

use super::frame::{Filler, Measure};
use super::parse::{Parser, Region};
use crate::rules::cue::Cue;
use crate::rules::grammar::columns::{line_total, price_and_quantity};
use crate::rules::knowledge::ColumnId;
use sqlogue_sql::plan::Aggregate;

/// Reads *revenue* where it is asked for.
pub(super) fn read(parser: &mut Parser<'_>, at: usize) -> Option<usize> {
    if parser.region != Region::Head {
        return None;
    }
    let function = parser.pending.last().map(|(function, _)| *function);
    let measure = measure(parser, at, function)?;
    parser.pending.clear();
    parser.frame.outputs.push(measure);
    parser.mark(at, at + 1);
    Some(at + 1)
}

/// Revenue as something to return or to sort by; none where the words name a column, or no table has what it takes.
pub(super) fn measure(parser: &mut Parser<'_>, at: usize, function: Option<Aggregate>) -> Option<Measure> {
    if !parser.is(at, Cue::Revenue) || parser.chunk(at).column_score() > 0.8 {
        return None;
    }
    let products: Vec<(ColumnId, ColumnId)> = parser
        .knowledge
        .tables()
        // Where the lines hold what they came to, that is what was taken in.
        .filter(|(table, _)| line_total(parser.knowledge, *table).is_none())
        .filter_map(|(table, _)| price_and_quantity(parser.knowledge, table))
        .take(3)
        .collect();
    let taken = parser.oracle.choose("revenue_of_table", products.len());
    let (price, quantity) = products.get(taken).copied()?;
    let mut slot = |column: ColumnId| {
        let table = parser.knowledge.column(column).table;
        parser.add_slot(at, vec![Filler { column: Some(column), table, value: None, score: 0.8 }])
    };
    let (price, quantity) = (slot(price), slot(quantity));
    let function = function.filter(|function| *function != Aggregate::Count).unwrap_or(Aggregate::Sum);
    Some(Measure::Product(function, price, quantity))
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::reads;

    #[test]
    fn revenue() {
        reads(&[
            (
                "Total revenue by genre",
                "SELECT book.genre, sum(sale.unit_price * sale.quantity) FROM sale JOIN book ON sale.book_id = \
                 book.book_id GROUP BY book.genre",
            ),
            ("What is the total revenue?", "SELECT sum(unit_price * quantity) FROM sale"),
        ]);
    }
}
