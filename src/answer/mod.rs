//! What an answer is to programs: rows as CSV and workbooks, and a turn as one object of JSON.
//!
//! Every face hands out the same: the command line writes it to files and pipes, the server sends it. How answers look to
//! people is each face's own.

mod cell;
mod csv;
mod line;
mod shown;
#[cfg(feature = "excel")]
mod workbook;

pub use cell::cell;
pub use csv::{Texts, csv};
pub use line::{Form, Line, cell_schema, replied};
pub use shown::{Shown, counted};
#[cfg(feature = "excel")]
pub use workbook::xlsx;
