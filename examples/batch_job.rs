//! A batch job: questions that are asked every morning, their rows as structures, a report as text. No async code.
//!
//! `cargo run --example batch_job`

use std::error::Error;

use serde::Deserialize;
use sqlogue::blocking::Engine;

/// What the job asks; a field for each column.
#[derive(Debug, Deserialize)]
struct Country {
    country: String,
    customers: u64,
}

/// The lines of the report.
///
/// # Errors
/// A question was not answered, or its rows are other ones than the job counts on: nobody is there to ask.
pub fn report(url: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let engine = Engine::open(url)?;
    let total = engine.ask("How many customers are there?", None)?;
    let total: u64 = total.rows()?.deserialize::<u64>()?.into_iter().sum();
    let mut lines = vec![format!("{total} customers")];

    let answer = engine.ask("How many customers are there in each country?", None)?;
    // Nobody looks at the answer, so one that is not sure is no answer.
    if !answer.left_out().is_empty() {
        return Err(format!("these words were not understood: {}", answer.left_out().join(", ")).into());
    }
    let mut countries: Vec<Country> = answer.rows()?.deserialize()?;
    countries.sort_by_key(|country| std::cmp::Reverse(country.customers));
    for Country { country, customers } in countries.iter().take(3) {
        let share = *customers as f64 / total as f64 * 100.0;
        lines.push(format!("{country}: {customers} ({share:.0} %)"));
    }
    Ok(lines)
}

#[allow(clippy::print_stdout, reason = "it is a program")]
fn main() -> Result<(), Box<dyn Error>> {
    // Without an argument it asks the sample database.
    let url = std::env::args().nth(1).unwrap_or_default();
    for line in report(&url)? {
        println!("{line}");
    }
    Ok(())
}
