//! The dialects of SQL that are spoken here.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A dialect of SQL.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// SQLite 3.
    #[default]
    Sqlite,
    /// PostgreSQL, and databases that speak its dialect.
    Postgres,
    /// BigQuery's GoogleSQL.
    #[serde(rename = "bigquery")]
    BigQuery,
    /// MySQL 8 and MariaDB, as sqlogue sets their sessions up: backslashes escape in texts, double quotes are those of
    /// texts, and a backtick is that of a name.
    #[serde(rename = "mysql")]
    MySql,
    /// DuckDB.
    #[serde(rename = "duckdb")]
    DuckDb,
}

/// A name that is no dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown SQL dialect; known are `sqlite`, `postgres`, `bigquery`, `mysql` and `duckdb`")]
pub struct UnknownDialect;

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 5] = [Self::Sqlite, Self::Postgres, Self::BigQuery, Self::MySql, Self::DuckDb];

    /// The name as written in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::BigQuery => "bigquery",
            Self::MySql => "mysql",
            Self::DuckDb => "duckdb",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        match name.to_ascii_lowercase().as_str() {
            "sqlite" | "sqlite3" => Ok(Self::Sqlite),
            "postgres" | "postgresql" => Ok(Self::Postgres),
            "bigquery" => Ok(Self::BigQuery),
            "mysql" | "mariadb" => Ok(Self::MySql),
            "duckdb" => Ok(Self::DuckDb),
            _ => Err(UnknownDialect),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.name().parse(), Ok(dialect));
            assert_eq!(serde_json::to_string(&dialect).unwrap(), format!("\"{dialect}\""));
        }
        assert_eq!("PostgreSQL".parse(), Ok(Dialect::Postgres));
        assert_eq!("MariaDB".parse(), Ok(Dialect::MySql));
        assert_eq!("oracle".parse::<Dialect>(), Err(UnknownDialect));
    }
}
