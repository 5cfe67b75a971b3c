//! The grammar: from words to logical forms, and from those to plans.
//!
//! ```text
//! links ──lattice──> spans ──chart, rules──> phrases ──merge──> queries ──bind──> bound ──lower──> plans
//! ```
//!
//! Phrases are found bottom-up over all spans with all their readings; a beam then reads the question from left to right and
//! puts phrases together to one flat query, leaving words out at a price; nouns are bound to tables and columns for the whole
//! query at once; what was left open (the date of a window, the label of a row, the joins) is supplied last. The order of the
//! words decides little, and no reading is chosen before all are compared.
//!
//! Floating semantic parsing: Pasupat and Liang (ACL 2015), Wang, Berant and Liang (ACL 2015).

mod add;
pub(super) mod amounts;
mod atoms;
mod bands;
mod bind;
mod chart;
pub(super) mod columns;
mod defined;
mod draft;
mod follow;
mod form;
mod lattice;
mod levels;
mod live;
mod lower;
mod matched;
mod merge;
mod noun;
mod opening;
mod part;
mod predicates;
mod recurring;
mod rules;
mod said;
mod time;
pub(super) mod units;
mod waiting;
mod words;

#[cfg(test)]
mod tests;

pub use amounts::amount;
pub use columns::{
    flag, is_rate, leads_up, paid_unit, price_and_quantity, price_and_units, sold_for, unit_of,
};
pub use draft::{drafts, features, keeps_definitions, left_out};
pub use follow::{Answered, followed};
pub use lattice::Lattice;
pub use levels::adds_up_days;
pub(in crate::rules) use lower::takings::{is_money, means_money};
pub use lower::who::is_called;
pub(in crate::rules) use lower::{EACH, has_people, people_of};
pub(in crate::rules) use rules::states::is_participle;
pub(in crate::rules) use time::windows;
pub use units::{measured, measured_one};
pub use words::{WordLists, is_neutral};
