//! sqlogue
fn main() {}
