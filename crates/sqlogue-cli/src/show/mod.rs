//! How answers look: tables, SQL, colours, and the formats for programs.
//!
//! Everything that people see is made here as text; nothing here writes. Characters that could control a terminal never
//! pass: cells, names and messages go through [`text`].

pub(super) mod answer;
pub(super) mod chart;
pub(super) mod delimited;
pub(super) mod html;
pub(super) mod number;
#[cfg(feature = "parquet")]
pub(super) mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
pub(super) mod parquet;
pub(super) mod records;
pub(super) mod sql;
pub(super) mod style;
pub(super) mod table;
pub(super) mod text;
#[cfg(feature = "excel")]
pub(super) mod workbook;
#[cfg(not(feature = "excel"))]
#[path = "no_workbook.rs"]
pub(super) mod workbook;

pub(super) use sqlogue::answer::counted;
