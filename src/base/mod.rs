//! What everything else may use: text that is safe to show, secrets, files that people name, JSON of an exact shape.
//!
//! Nothing here knows of SQL, conversations or models.

pub(crate) mod input;
pub(crate) mod json;
pub(crate) mod secret;
pub(crate) mod text;
