#![no_main]

#[path = "../targets.rs"]
#[allow(dead_code, reason = "each target uses its own part")]
mod targets;

libfuzzer_sys::fuzz_target!(|text: &str| targets::guard(text));
