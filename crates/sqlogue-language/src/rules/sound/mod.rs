//! Whether a plan means something, and whether a database runs it in the sense of the words.
//!
//! Candidates of questions and of follow-ups pass the same check before any is run: a plan that fails it is no reading, and
//! the next one is tried. It looks at four things, one file each:
//!
//! ```text
//! shape     no summary beside single rows, no column of a group that its rows differ in
//! single    no summary of groups that are one row each
//! types     numbers are summed and compared with numbers, dates with dates, texts with texts
//! sense     nothing that contradicts itself, nothing taken away from itself
//! ```

mod sense;
mod shape;
mod single;
mod types;

use super::Knowledge;
use sqlogue_sql::plan::QueryPlan;

/// True where every part of the plan, nested queries included, can be answered in one way only.
pub(super) fn is_sound(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    shape::is_sound(plan, knowledge)
        && single::is_sound(plan, knowledge)
        && types::is_sound(plan, knowledge)
        && sense::is_sound(plan)
}
