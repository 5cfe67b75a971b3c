//! What everything else may use: text that is safe to show, numbers for people, names of months, secrets, files that people
//! name, names that are nearly others, JSON of an exact shape.
//!
//! Nothing here knows of SQL, conversations or models.

pub mod calendar;
pub mod files;
pub mod input;
pub mod json;
pub mod near;
pub mod number;
pub mod secret;
pub mod text;
