//! How answers look: tables, SQL, colours, and the formats for programs.
//!
//! Everything that people see is made here as text; nothing here writes. Characters that could control a terminal never
//! pass: cells, names and messages go through [`text`].

pub(super) mod answer;
pub(super) mod chart;
pub(super) mod delimited;
pub(super) mod number;
pub(super) mod sql;
pub(super) mod style;
pub(super) mod table;
pub(super) mod text;

pub(super) use sqlogue::answer::counted;
