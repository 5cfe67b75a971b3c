//! From a [`QueryPlan`](crate::plan::QueryPlan) to SQL text, and from foreign SQL text to something that may run.
//!
//! - [`render`] writes a plan as SQL for a [`Dialect`]; the same plan always gives the same text.
//! - [`guard`] decides whether a text is one read-only statement of bounded size. Its [`guard::Checked`] is the
//!   only thing a database accepts, so there is no way round it.
//!
//! Nothing here touches a database.

mod dialect;
pub(crate) mod functions;
pub mod guard;
mod keywords;
mod parse;
pub(crate) mod quote;
mod refusal;
mod render;
mod scan;
mod spelling;
mod walk;

pub use dialect::{Dialect, UnknownDialect};
pub use guard::Checked;
pub use refusal::{Refusal, RefusalCode};
pub use render::render;
