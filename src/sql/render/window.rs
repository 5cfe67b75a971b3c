//! Window functions as text.

use super::{Renderer, Scope};
use crate::plan::{Frame, FrameBound, Order, Window, WindowFunction};
use crate::sql::quote::push;

impl Renderer {
    pub(super) fn window(&mut self, window: &Window, scope: Scope<'_>) {
        let Window { function, arguments, partition_by, order_by, frame } = window;
        match (function, arguments.as_slice()) {
            (WindowFunction::Aggregate(function), [argument]) => {
                self.aggregate(*function, false, argument, scope);
            }
            (function, arguments) => {
                self.push(name(*function));
                self.arguments(arguments, scope);
                match function {
                    WindowFunction::Tile(parts) => push(&mut self.out, format_args!("{parts}")),
                    WindowFunction::Lag(rows) | WindowFunction::Lead(rows) if *rows != 1 => {
                        push(&mut self.out, format_args!(", {rows}"));
                    }
                    _ => {}
                }
                self.push(")");
            }
        }
        self.push(" OVER (");
        let mut between = "";
        for (at, key) in partition_by.iter().enumerate() {
            self.push(if at == 0 { "PARTITION BY " } else { ", " });
            self.expr(key, scope);
            between = " ";
        }
        for (at, Order { expr, direction }) in order_by.iter().enumerate() {
            self.push(if at == 0 { between } else { "" });
            self.push(if at == 0 { "ORDER BY " } else { ", " });
            self.expr(expr, scope);
            self.push(self.dialect.direction(*direction));
            between = " ";
        }
        if let Some(Frame { from, to }) = frame {
            self.push(between);
            self.push("ROWS BETWEEN ");
            self.bound(*from);
            self.push(" AND ");
            self.bound(*to);
        }
        self.push(")");
    }

    fn bound(&mut self, bound: FrameBound) {
        match bound {
            FrameBound::Start => self.push("UNBOUNDED PRECEDING"),
            FrameBound::Before(rows) => push(&mut self.out, format_args!("{rows} PRECEDING")),
            FrameBound::Current => self.push("CURRENT ROW"),
            FrameBound::After(rows) => push(&mut self.out, format_args!("{rows} FOLLOWING")),
            FrameBound::End => self.push("UNBOUNDED FOLLOWING"),
        }
    }
}

fn name(function: WindowFunction) -> &'static str {
    match function {
        WindowFunction::RowNumber => "row_number(",
        WindowFunction::Rank => "rank(",
        WindowFunction::DenseRank => "dense_rank(",
        WindowFunction::CumulativeShare => "cume_dist(",
        WindowFunction::Tile(_) => "ntile(",
        WindowFunction::Lag(_) => "lag(",
        WindowFunction::Lead(_) => "lead(",
        WindowFunction::First => "first_value(",
        WindowFunction::Last => "last_value(",
        WindowFunction::Aggregate(_) => "(",
    }
}
