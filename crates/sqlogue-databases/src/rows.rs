//! What a database returns, to be read as typed values, as structures of one's own, or as Arrow.

#[cfg(feature = "arrow")]
mod arrow;
mod typed;

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use sqlogue_sql::schema::Value;

pub use typed::RowError;

/// The rows of a query.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    /// The names of the columns as the database gives them, equal ones included.
    pub columns: Vec<String>,
    /// The rows, each as long as `columns`.
    pub rows: Vec<Vec<Value>>,
    /// True where a limit cut the result: there were more rows than these.
    #[serde(default)]
    pub truncated: bool,
    /// What the query cost, for people, where the database counts it: `1.2 GB of at most 10 GB`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
    /// The time from the call to the last row.
    #[serde(default)]
    pub elapsed: Duration,
}

/// The distinct texts of one column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnValues {
    /// The table's name in the schema.
    pub table: String,
    /// The column's name in the schema.
    pub column: String,
    /// Distinct values, in the order in which they first occur; an empty text where a cell is one.
    pub values: Vec<String>,
    /// False where a limit left some out.
    pub complete: bool,
}

impl Rows {
    /// The number of rows returned.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True where no row was returned.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows, each with the names of its columns.
    ///
    /// ```
    /// use sqlogue_databases::Rows;
    ///
    /// let rows = Rows {
    ///     columns: vec!["city".into(), "orders".into()],
    ///     rows: vec![vec!["Rome".into(), 3.into()]],
    ///     ..Rows::default()
    /// };
    /// for row in rows.iter() {
    ///     assert_eq!(row.get("City").and_then(|city| city.as_str()), Some("Rome"));
    /// }
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        self.rows.iter().map(|values| Row { columns: &self.columns, values })
    }

    /// Every row as a value of `T`: a structure with a field for each column that is wanted, a tuple of all columns in
    /// their order, a map, or a plain value where there is one column. A field that may be NULL is an `Option`.
    ///
    /// Numbers and truth are as the database has them, except that a 0 or 1 can be read as a `bool`, because SQLite knows
    /// no other. Dates and times are texts in ISO 8601 form, as `jiff` and `chrono` read them.
    ///
    /// # Errors
    /// A value does not fit its field, or a field has no column. The error says which row and column.
    ///
    /// ```
    /// use serde::Deserialize;
    /// use sqlogue_databases::Rows;
    ///
    /// #[derive(Deserialize)]
    /// struct City { city: String, orders: Option<u64> }
    ///
    /// let rows = Rows {
    ///     columns: vec!["city".into(), "orders".into()],
    ///     rows: vec![vec!["Rome".into(), 3.into()]],
    ///     ..Rows::default()
    /// };
    /// let cities: Vec<City> = rows.deserialize()?;
    /// assert_eq!((cities[0].city.as_str(), cities[0].orders), ("Rome", Some(3)));
    /// let pairs: Vec<(String, f64)> = rows.deserialize()?;
    /// assert_eq!(pairs[0].1, 3.0);
    /// # Ok::<(), sqlogue_databases::RowError>(())
    /// ```
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<Vec<T>, RowError> {
        let numbered = (1..).zip(self.iter());
        numbered.map(|(number, row)| row.deserialize().map_err(|error| error.in_row(number))).collect()
    }
}

impl<'a> IntoIterator for &'a Rows {
    type Item = Row<'a>;
    type IntoIter = Box<dyn ExactSizeIterator<Item = Row<'a>> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

/// One row, with the names of its columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    columns: &'a [String],
    values: &'a [Value],
}

impl<'a> Row<'a> {
    /// The value of the column of that name, whatever its case; that of the first where several have it.
    pub fn get(&self, column: &str) -> Option<&'a Value> {
        let at = self.columns.iter().position(|name| name == column);
        let at = at.or_else(|| self.columns.iter().position(|name| name.eq_ignore_ascii_case(column)))?;
        self.values.get(at)
    }

    /// The values in the order of the columns.
    pub fn values(&self) -> &'a [Value] {
        self.values
    }

    /// The names of the columns, equal ones included.
    pub fn columns(&self) -> &'a [String] {
        self.columns
    }

    /// The row as a value of `T`, as [`Rows::deserialize`] reads it.
    ///
    /// # Errors
    /// A value does not fit its field, or a field has no column.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, RowError> {
        T::deserialize(*self)
    }
}
