//! The interactive session: the thin owner of one conversation around the engine.
//!
//! A [`Session`] holds the state between turns, so that whoever talks with a person only hands over what was said. It
//! adds what belongs to a session and not to a turn: the context of a refinement ([`RefinementContext`]), results with
//! what surrounds them ([`EnrichedResult`]), notices, clearing, undo and redo. It decides nothing about questions: what
//! kind of input one is and where it goes is the graph's business.
//!
//! ```
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! use sqlogue::Engine;
//! use sqlogue::dialog::Session;
//!
//! let mut session = Session::new(Engine::builder().build()?);
//! let first = session.say("How many customers are there?").await;
//! assert_eq!(first.result.turn_number, 1);
//! assert!(session.undo().await?.is_some());
//! assert_eq!(session.state().turn_number, 0);
//! # Ok::<(), sqlogue::Error>(())
//! # }).unwrap();
//! ```

mod context;
mod databases;
mod durable;
mod enrich;
mod history;
mod notice;
mod session;

pub use context::{ContextTurn, RefinementContext};
pub use databases::Databases;
pub use enrich::EnrichedResult;
pub use notice::Notice;
pub use session::{Reply, Said, Session, Waiting};
