//! What the dialects spell differently, in one place.

use super::Dialect;
use crate::plan::{Arithmetic, CastType, Direction, SetOperator};

/// A format with a hole: what stands before and after an operand.
pub(super) type Around = (&'static str, &'static str);

impl Dialect {
    /// What stands around a dividend so that the quotient keeps its fraction.
    pub(super) fn dividend(self) -> Around {
        match self {
            Self::Sqlite => ("CAST(", " AS REAL)"),
            Self::Postgres => ("CAST(", " AS double precision)"),
            Self::BigQuery | Self::DuckDb => ("", ""),
            // It has a fraction there too, of four digits.
            Self::MySql => ("CAST(", " AS DOUBLE)"),
        }
    }

    /// What stands around a divisor so that a division by zero is NULL, as it is in SQLite.
    pub(super) fn divisor(self) -> Around {
        match self {
            Self::Sqlite | Self::MySql => ("", ""),
            Self::Postgres | Self::BigQuery | Self::DuckDb => ("nullif(", ", 0)"),
        }
    }

    /// What stands before two whole numbers and between them where they are divided to a whole number, or for what
    /// remains.
    pub(super) fn whole(self, operator: Arithmetic) -> (&'static str, &'static str) {
        match (self, operator) {
            (Self::Sqlite | Self::MySql, Arithmetic::Remainder) => ("", " % "),
            (Self::Sqlite, _) => ("", " / "),
            (Self::MySql, _) => ("", " DIV "),
            (Self::DuckDb, Arithmetic::DivideWhole) => ("", " // "),
            (_, Arithmetic::Remainder) => ("mod(", ", "),
            (_, _) => ("div(", ", "),
        }
    }

    /// What stands around a condition that is a number: 1, 0 or NULL.
    pub(super) fn truth_as_number(self) -> Around {
        match self {
            Self::Sqlite | Self::MySql => ("(", ")"),
            Self::Postgres | Self::DuckDb => ("CAST((", ") AS integer)"),
            Self::BigQuery => ("CAST((", ") AS INT64)"),
        }
    }

    /// What stands around a value to make another type of it.
    pub(super) fn cast(self, to: CastType) -> Around {
        match (self, to) {
            (Self::Sqlite, CastType::Integer) => ("CAST(", " AS INTEGER)"),
            (Self::Sqlite, CastType::Real) => ("CAST(", " AS REAL)"),
            (Self::Sqlite, CastType::Text) => ("CAST(", " AS TEXT)"),
            (Self::Sqlite, CastType::Timestamp) => ("datetime(", ")"),
            // The others round to a whole number where SQLite cuts.
            (Self::Postgres, CastType::Integer) => ("CAST(trunc(CAST(", " AS numeric)) AS bigint)"),
            (Self::Postgres, CastType::Real) => ("CAST(", " AS double precision)"),
            (Self::Postgres, CastType::Text) => ("CAST(", " AS text)"),
            (Self::Postgres, CastType::Timestamp) => ("CAST(", " AS timestamp)"),
            (Self::BigQuery, CastType::Integer) => ("CAST(trunc(CAST(", " AS FLOAT64)) AS INT64)"),
            (Self::BigQuery, CastType::Real) => ("CAST(", " AS FLOAT64)"),
            (Self::BigQuery, CastType::Text) => ("CAST(", " AS STRING)"),
            (Self::BigQuery, CastType::Timestamp) => ("CAST(", " AS DATETIME)"),
            (Self::MySql, CastType::Integer) => ("CAST(truncate(", ", 0) AS SIGNED)"),
            (Self::MySql, CastType::Real) => ("CAST(", " AS DOUBLE)"),
            (Self::MySql, CastType::Text) => ("CAST(", " AS CHAR)"),
            (Self::DuckDb, CastType::Integer) => ("CAST(trunc(CAST(", " AS double)) AS bigint)"),
            (Self::DuckDb, CastType::Real) => ("CAST(", " AS double)"),
            (Self::DuckDb, CastType::Text) => ("CAST(", " AS varchar)"),
            (Self::DuckDb, CastType::Timestamp) => ("CAST(", " AS timestamp)"),
            // Without room for its fraction, a second is rounded, and the last one of a day is in the next.
            (Self::MySql, CastType::Timestamp) => ("CAST(", " AS DATETIME(6))"),
        }
    }

    /// What must hold of a text that spells a number, and what makes a number of it.
    pub(super) fn number_in_text(self) -> (&'static [Around], Around) {
        match self {
            Self::Sqlite => (
                &[
                    ("", " GLOB '*[0-9]*'"),
                    ("NOT ", " GLOB '*[^-.0-9]*'"),
                    ("NOT ", " GLOB '?*-*'"),
                    ("NOT ", " GLOB '*.*.*'"),
                ],
                ("CAST(", " AS REAL)"),
            ),
            Self::Postgres => {
                (&[("", " ~ '^-?([0-9]+[.]?[0-9]*|[.][0-9]+)$'")], ("CAST(", " AS double precision)"))
            }
            Self::BigQuery => {
                (&[("regexp_contains(", ", '^-?([0-9]+[.]?[0-9]*|[.][0-9]+)$')")], ("CAST(", " AS FLOAT64)"))
            }
            Self::DuckDb => {
                (&[("regexp_matches(", ", '^-?([0-9]+[.]?[0-9]*|[.][0-9]+)$')")], ("CAST(", " AS double)"))
            }
            Self::MySql => (&[("", " REGEXP '^-?([0-9]+[.]?[0-9]*|[.][0-9]+)$'")], ("CAST(", " AS DOUBLE)")),
        }
    }

    /// True where percentiles are aggregates as others are.
    pub(super) fn has_percentiles(self) -> bool {
        matches!(self, Self::Postgres | Self::DuckDb)
    }

    /// What stands around a number that is rounded.
    pub(super) fn rounded(self) -> Around {
        match self {
            // PostgreSQL rounds to decimals only what is exact, and halves of all else to the even number.
            Self::Postgres => ("CAST(", " AS numeric)"),
            // So does MySQL.
            Self::MySql => ("CAST(", " AS DECIMAL(65, 30))"),
            Self::Sqlite | Self::BigQuery | Self::DuckDb => ("", ""),
        }
    }

    /// How an ordering's direction is written so that NULL counts as the smallest value everywhere.
    pub(super) fn direction(self, direction: Direction) -> &'static str {
        match (self, direction) {
            (Self::Postgres | Self::DuckDb, Direction::Ascending) => " NULLS FIRST",
            (Self::Postgres | Self::DuckDb, Direction::Descending) => " DESC NULLS LAST",
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
            Self::Postgres | Self::DuckDb => "",
            Self::BigQuery | Self::MySql => " LIMIT 9223372036854775807",
        }
    }
}
