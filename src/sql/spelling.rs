//! What the dialects spell differently, in one place.

use super::Dialect;
use crate::plan::{DatePart, Direction, SetOperator};

/// A format with a hole: what stands before and after an operand.
pub(super) type Around = (&'static str, &'static str);

impl Dialect {
    /// What stands around a date to get a part of it as a whole number.
    pub(super) fn extract(self, part: DatePart) -> Around {
        match self {
            Self::Sqlite => match part {
                DatePart::Year => ("CAST(strftime('%Y', ", ") AS INTEGER)"),
                // Whole numbers divide to whole numbers here, which is what a quarter needs.
                DatePart::Quarter => ("((CAST(strftime('%m', ", ") AS INTEGER) + 2) / 3)"),
                DatePart::Month => ("CAST(strftime('%m', ", ") AS INTEGER)"),
                DatePart::Day => ("CAST(strftime('%d', ", ") AS INTEGER)"),
                DatePart::Weekday => ("CAST(strftime('%w', ", ") AS INTEGER)"),
                DatePart::Hour => ("CAST(strftime('%H', ", ") AS INTEGER)"),
            },
            Self::Postgres => match part {
                DatePart::Year => ("CAST(EXTRACT(YEAR FROM ", ") AS integer)"),
                DatePart::Quarter => ("CAST(EXTRACT(QUARTER FROM ", ") AS integer)"),
                DatePart::Month => ("CAST(EXTRACT(MONTH FROM ", ") AS integer)"),
                DatePart::Day => ("CAST(EXTRACT(DAY FROM ", ") AS integer)"),
                DatePart::Weekday => ("CAST(EXTRACT(DOW FROM ", ") AS integer)"),
                DatePart::Hour => ("CAST(EXTRACT(HOUR FROM ", ") AS integer)"),
            },
            Self::BigQuery => match part {
                DatePart::Year => ("EXTRACT(YEAR FROM ", ")"),
                DatePart::Quarter => ("EXTRACT(QUARTER FROM ", ")"),
                DatePart::Month => ("EXTRACT(MONTH FROM ", ")"),
                DatePart::Day => ("EXTRACT(DAY FROM ", ")"),
                // BigQuery counts from 1, Sunday.
                DatePart::Weekday => ("(EXTRACT(DAYOFWEEK FROM ", ") - 1)"),
                DatePart::Hour => ("EXTRACT(HOUR FROM ", ")"),
            },
        }
    }

    /// What stands around a dividend so that the quotient keeps its fraction.
    pub(super) fn dividend(self) -> Around {
        match self {
            Self::Sqlite => ("CAST(", " AS REAL)"),
            Self::Postgres => ("CAST(", " AS double precision)"),
            Self::BigQuery => ("", ""),
        }
    }

    /// What stands around a divisor so that a division by zero is NULL, as it is in SQLite.
    pub(super) fn divisor(self) -> Around {
        match self {
            Self::Sqlite => ("", ""),
            Self::Postgres | Self::BigQuery => ("nullif(", ", 0)"),
        }
    }

    /// What stands around a number that is rounded.
    pub(super) fn rounded(self) -> Around {
        match self {
            // PostgreSQL rounds to decimals only what is exact, and halves of all else to the even number.
            Self::Postgres => ("CAST(", " AS numeric)"),
            Self::Sqlite | Self::BigQuery => ("", ""),
        }
    }

    /// How an ordering's direction is written so that NULL counts as the smallest value everywhere.
    pub(super) fn direction(self, direction: Direction) -> &'static str {
        match (self, direction) {
            (Self::Postgres, Direction::Ascending) => " NULLS FIRST",
            (Self::Postgres, Direction::Descending) => " DESC NULLS LAST",
            (_, Direction::Ascending) => "",
            (_, Direction::Descending) => " DESC",
        }
    }

    /// How a set operator is written.
    pub(super) fn set_operator(self, operator: SetOperator) -> &'static str {
        match (self, operator) {
            (_, SetOperator::UnionAll) => "UNION ALL",
            (Self::BigQuery, SetOperator::Union) => "UNION DISTINCT",
            (Self::BigQuery, SetOperator::Intersect) => "INTERSECT DISTINCT",
            (Self::BigQuery, SetOperator::Except) => "EXCEPT DISTINCT",
            (_, SetOperator::Union) => "UNION",
            (_, SetOperator::Intersect) => "INTERSECT",
            (_, SetOperator::Except) => "EXCEPT",
        }
    }

    /// True where set operators are read from left to right whatever they are.
    pub(super) fn combines_left_to_right(self) -> bool {
        matches!(self, Self::Sqlite)
    }

    /// What an offset without a limit needs before it.
    pub(super) fn no_limit(self) -> &'static str {
        match self {
            Self::Sqlite => " LIMIT -1",
            Self::Postgres => "",
            Self::BigQuery => " LIMIT 9223372036854775807",
        }
    }
}
