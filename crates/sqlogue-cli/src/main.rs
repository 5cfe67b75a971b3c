//! The program `sqlogue`. What it does is in the library beside it, which is compiled while the crates below it still are.

use std::process::ExitCode;

fn main() -> ExitCode {
    sqlogue_cli::main()
}
