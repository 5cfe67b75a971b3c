//! What a turn is asked.

use crate::conversation::Wanted;

/// A question, and what goes with it.
///
/// ```
/// use sqlogue::QueryInput;
///
/// let input = QueryInput::new("Show me companies").database("sqlite:shop.db").result_limit(20);
/// let plain: QueryInput = "Show me companies".into();
/// # let _ = (input, plain);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryInput {
    pub(crate) question: String,
    pub(crate) database: Option<String>,
    pub(crate) wanted: Wanted,
}

impl QueryInput {
    /// A question in a person's words.
    pub fn new(question: impl Into<String>) -> Self {
        Self { question: question.into(), ..Self::default() }
    }

    /// The database that is asked, by path or URL. Only the free function [`crate::query_database`] looks at it; an
    /// engine has its database already.
    #[must_use]
    pub fn database(mut self, url: impl Into<String>) -> Self {
        self.database = Some(url.into());
        self
    }

    /// How the result is to be sorted, in words: `name`, `newest first`.
    #[must_use]
    pub fn sort_order(mut self, order: impl Into<String>) -> Self {
        self.wanted.sort_order = Some(order.into());
        self
    }

    /// At most this many rows.
    #[must_use]
    pub fn result_limit(mut self, rows: u64) -> Self {
        self.wanted.result_limit = Some(rows);
        self
    }

    /// The time that is asked about, in words: `last month`, `since 2024`.
    #[must_use]
    pub fn time_filter(mut self, time: impl Into<String>) -> Self {
        self.wanted.time_filter = Some(time.into());
        self
    }

    /// What is wanted beside the question.
    #[must_use]
    pub(crate) fn with(mut self, wanted: Wanted) -> Self {
        self.wanted = wanted;
        self
    }
}

impl From<&str> for QueryInput {
    fn from(question: &str) -> Self {
        Self::new(question)
    }
}

impl From<String> for QueryInput {
    fn from(question: String) -> Self {
        Self::new(question)
    }
}
