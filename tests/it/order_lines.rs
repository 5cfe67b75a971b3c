//! A sheet of order lines, as shops have them: what stands in several rows is counted once, and *never* is said of all of them.

use std::fmt::Write as _;
use std::fs;

use crate::cli_kit::call;

/// Twelve orders of four customers, two or three lines each. Dora bought no technology, and only Ann ordered in 2025.
fn sheet() -> String {
    let products = [
        ("P1", "Desk", "Furniture", 200),
        ("P2", "Chair", "Furniture", 80),
        ("P3", "Phone", "Technology", 300),
        ("P4", "Paper", "Supplies", 5),
    ];
    let customers = [("C1", "Ann"), ("C2", "Ben"), ("C3", "Cleo"), ("C4", "Dora")];
    let mut text = "Row ID,Order ID,Order Date,Customer ID,Customer Name,Product ID,Product Name,Category,Quantity,Sales\n".to_owned();
    let mut row = 0;
    for order in 0..12_usize {
        let (customer, name) = customers[order % 4];
        let year = if name == "Ann" && order > 7 { 2025 } else { 2024 };
        let bought: &[usize] = if name == "Dora" { &[0, 1, 3] } else { &[2, 3] };
        for at in bought {
            let (product, called, category, price) = products[*at];
            row += 1;
            let quantity = 1 + at;
            let _ = writeln!(
                text,
                "{row},O{order:02},{year}-{:02}-10,{customer},{name},{product},{called},{category},{quantity},{}",
                1 + order % 12,
                price * quantity
            );
        }
    }
    text
}

fn ask(question: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("superstore.csv"), sheet()).unwrap();
    let outcome = call(folder.path(), &["--db", "superstore.csv", "--format", "csv", "ask", question], "");
    assert_eq!(outcome.code, 0, "{question}: {outcome:?}");
    outcome.stdout.replace("\r\n", "\n")
}

/// The rows of an answer, without the names of its columns.
fn rows(question: &str) -> Vec<String> {
    ask(question).lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn orders_are_counted_and_not_their_lines() {
    assert_eq!(rows("how many orders are there"), ["12"]);
    let by_month = rows("how many orders per month in 2024");
    assert!(by_month.len() == 11 && by_month.iter().all(|row| row.ends_with(",1")), "{by_month:?}");
    assert_eq!(rows("customers who ordered more than twice").len(), 4);
    assert_eq!(rows("repeat customers").len(), 4);
}

#[test]
fn never_is_said_of_every_row() {
    assert_eq!(rows("customers who never bought technology"), ["C4,Dora"]);
    let without = rows("customers with no orders in 2025");
    assert!(without.len() == 3 && !without.iter().any(|row| row.contains("Ann")), "{without:?}");
}

#[test]
fn the_first_in_each_category_have_names() {
    let best = rows("best selling product in each category");
    assert_eq!(best.len(), 3, "{best:?}");
    assert!(best.iter().any(|row| row.contains("Furniture") && row.contains("Chair")), "{best:?}");
}
