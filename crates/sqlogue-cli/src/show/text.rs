//! Text that is safe to show and fits.

pub(crate) use sqlogue_base::text::{clean, clean_lines, cut, width, wrap};
