//! The embedded reasoner: questions to plans without a language model.
//!
//! A question passes these stages, each with its own type:
//!
//! ```text
//! text      words, numbers, quotations                        text::Question
//! link      what spans of words may stand for                 link::Linked
//! grammar   candidate plans of what rules read                compose::Draft
//! compose   more candidate plans, for what no rule reads      compose::Draft
//! account   which words a plan leaves out                     account::Account
//! rank      scores, a calibrated confidence, readings         RankedReadings
//! ```
//!
//! It never touches a database and never fails: what it does not understand it says.

mod account;
mod agreed;
mod blank;
mod bridge;
mod cents;
mod chasm;
mod coded;
pub mod compose;
mod converse;
pub mod cue;
pub mod date_cells;
pub mod date_parts;
pub mod dates;
mod deeds;
mod different;
mod ends;
mod event_date;
mod explain;
mod flat;
pub mod follow_up;
mod grammar;
mod idle;
pub mod joins;
pub mod kind;
pub mod knowledge;
mod label;
mod last_sentence;
mod lasting;
pub mod lexicon;
pub mod link;
mod listed;
pub mod names;
mod numbers_of_rows;
mod of_groups;
mod opened;
mod people;
mod per_each;
mod periods;
mod pinned;
pub mod propose;
pub mod rank;
mod ranked;
mod repeated;
mod sheets;
mod short;
mod signs;
mod sound;
mod split_name;
pub mod stem;
mod stored;
pub mod synonyms;
mod takings;
pub mod text;
mod things;
mod trivial;
mod understand;
mod unit_costs;
pub mod values;
mod when;
mod window;
mod world;
mod worst;

pub use account::{Account, Doubt};
pub use kind::{ColumnKind, MoneyUnit, PercentScale};
pub use knowledge::{Knowledge, KnowledgeBuilder};
pub use understand::{
    Candidate, Defined, Evidence, FixedJoin, Hint, JoinReason, Options, RankedReadings, Recognised,
    WordMeaning, understand,
};
