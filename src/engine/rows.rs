//! The rows of an answer, or why there are none.

use thiserror::Error;

use super::Answer;
use crate::conversation::Status;
use crate::database::Rows;

/// Why a turn has no rows: it was not answered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct NotAnswered {
    /// Whether the turn failed or asks back.
    pub status: Status,
    /// What there is to tell the person.
    pub message: String,
    /// What can be answered to a question back, in order; `1` takes the first.
    pub options: Vec<String>,
}

impl Answer {
    /// The rows, as far as the limits of the engine allow: as typed values by [`Rows::iter`], as structures of one's own by
    /// [`Rows::deserialize`].
    ///
    /// ```
    /// # tokio::runtime::Runtime::new().unwrap().block_on(async {
    /// use serde::Deserialize;
    /// use sqlogue::Engine;
    ///
    /// #[derive(Deserialize)]
    /// struct Count { country: String, customers: u64 }
    ///
    /// let engine = Engine::builder().build()?;
    /// let answer = engine.ask("How many customers are there in each country?", None).await?;
    /// let counts: Vec<Count> = answer.rows()?.deserialize()?;
    /// assert!(counts.iter().any(|count| count.country == "Germany" && count.customers == 30));
    /// # Ok::<(), sqlogue::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// The question was not answered, or it is one that is to be made clear first.
    pub fn rows(&self) -> Result<&Rows, NotAnswered> {
        self.rows.as_deref().ok_or_else(|| {
            let state = &self.state;
            let pending = state.pending.as_ref();
            let error = state.error.as_ref().map(|error| error.message.as_str());
            let said =
                error.or(pending.map(|pending| pending.question.as_str())).or(state.message.as_deref());
            NotAnswered {
                status: state.status,
                message: said.unwrap_or("the turn has no rows").to_owned(),
                options: pending
                    .iter()
                    .flat_map(|pending| pending.options())
                    .map(|option| option.label.clone())
                    .collect(),
            }
        })
    }
}
