//! From a [`QueryPlan`](crate::plan::QueryPlan) to SQL text, and from foreign SQL text to something that may run.
//!
//! - [`render`] writes a plan as SQL for a [`Dialect`]; the same plan always gives the same text. [`render_named`] names
//!   the columns of its result too.
//! - [`lift`] reads SQL text back into a plan, where it fits the plan language.
//! - [`resolve`] finds names that the schema does not know, before a database does.
//! - [`guard`] decides whether a text is one read-only statement of bounded size. Its [`guard::Checked`] is the
//!   only thing a database accepts, so there is no way round it.
//!
//! Nothing here touches a database.

mod dialect;
pub mod functions;
mod grammar;
pub mod guard;
mod keywords;
mod lift;
mod parse;
mod parts;
pub mod quote;
mod refusal;
mod rename;
mod render;
mod resolve;
mod scan;
mod spelling;
mod walk;

pub use dialect::{Dialect, UnknownDialect};
pub use guard::Checked;
pub use lift::{Definition, DefinitionError, lift, lift_checked};
pub use refusal::{Refusal, RefusalCode};
pub use rename::renamed;
pub use render::{render, render_named};
pub use resolve::{Finding, resolve};

#[cfg(test)]
mod analysis_tests;
#[cfg(test)]
mod tests;
