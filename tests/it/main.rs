//! Tests from the outside, in one binary.

// `cfg(test)` always holds here; it tells clippy that the helpers are tests too and may unwrap.
#[cfg(test)]
mod engine_kill;
