//! Tells the linker how the program that a person builds to try it becomes smaller.

use std::env;
use std::process::Command;

/// The first glibc that reads packed relocations.
const READS_PACKED: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // What is built for distribution (the profile `dist` optimises for speed) has to run elsewhere too.
    let is_small = var("OPT_LEVEL") == "z";
    let runs_here = var("HOST") == var("TARGET") && var("TARGET") == "x86_64-unknown-linux-gnu";
    if is_small && runs_here && glibc().is_some_and(|version| version >= READS_PACKED) {
        // Addresses that differ in every run are corrected by a list; packed it has a thirtieth of the size.
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

fn var(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// The version of this machine's glibc; none where it does not say.
fn glibc() -> Option<(u32, u32)> {
    let said = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let (major, minor) = str::from_utf8(&said.stdout).ok()?.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
