//! The embedded reasoner: questions to plans without a language model.
//!
//! A question passes these stages, each with its own type:
//!
//! ```text
//! text      words, numbers, quotations                        text::Question
//! link      what spans of words may stand for                 link::Linked
//! grammar   candidate plans of what rules read                compose::Draft
//! compose   more candidate plans, for what no rule reads      compose::Draft
//! meant     which of them can be meant, and their plans mended propose::Proposal
//! account   which words a plan leaves out                     account::Account
//! rank      scores, a calibrated confidence, readings         RankedReadings
//! ```
//!
//! It never touches a database and never fails: what it does not understand it says.

mod account;
pub mod compose;
pub mod cue;
pub mod date_cells;
pub mod date_parts;
pub mod dates;
mod ends;
mod event_date;
mod explain;
pub mod follow_up;
mod grammar;
pub mod joins;
pub mod kind;
pub mod knowledge;
mod label;
pub mod lexicon;
pub mod link;
mod meant;
pub mod names;
pub mod propose;
pub mod rank;
mod short;
mod signs;
mod sound;
mod split_name;
pub mod stem;
mod stored;
pub mod synonyms;
pub mod text;
mod things;
mod understand;
pub mod values;
mod when;
mod window;
mod world;

pub use account::{Account, Doubt};
pub use kind::{ColumnKind, MoneyUnit, PercentScale};
pub use knowledge::{Knowledge, KnowledgeBuilder};
pub use understand::{
    Candidate, Defined, Evidence, FixedJoin, Hint, JoinReason, Options, RankedReadings, Recognised,
    WordMeaning, understand,
};
