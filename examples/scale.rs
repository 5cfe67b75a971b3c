//! How the rule reasoner grows: a schema of 1,000 tables and 20,000 columns, and an index of a million cells.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a measurement that prints"
)]

use std::time::Instant;

use sqlogue::reasoner::rules::{Knowledge, Options, understand};
use sqlogue::schema::{Column, ColumnType, ForeignKey, Schema, Table, Value};

const NOUNS: &[&str] = &[
    "order", "customer", "product", "invoice", "employee", "store", "shipment", "payment", "review",
    "supplier",
];
const PARTS: &[&str] =
    &["name", "city", "status", "total", "date", "email", "type", "country", "price", "quantity"];

fn main() {
    let tables = (0..1000)
        .map(|number| {
            let name = format!("{}_{}", NOUNS[number % NOUNS.len()], number);
            let mut columns = vec![Column {
                name: format!("{name}_id"),
                column_type: ColumnType::Integer,
                primary_key: true,
                unique: true,
                ..Column::default()
            }];
            columns.extend((0..19).map(|at| Column {
                name: format!("{}_{}", PARTS[at % PARTS.len()], at / PARTS.len() + number % 7),
                column_type: ColumnType::Text,
                ..Column::default()
            }));
            let foreign_keys = if number == 0 {
                Vec::new()
            } else {
                let other = (number - 1) / 2;
                let table = format!("{}_{}", NOUNS[other % NOUNS.len()], other);
                vec![ForeignKey {
                    columns: vec![format!("name_{}", number % 7)],
                    references: vec![format!("{table}_id")],
                    table,
                    declared: true,
                    ..ForeignKey::default()
                }]
            };
            Table { name, columns, foreign_keys, ..Table::default() }
        })
        .collect();
    let schema = Schema { tables };
    let start = Instant::now();
    let knowledge = Knowledge::from_schema(&schema);
    println!("knowledge of {} columns: {:?}", schema.column_count(), start.elapsed());
    let options = Options::default();
    for question in [
        "How many customers are there?",
        "Show the name and city of customer 11 with the most invoices",
        "What is the average price of products for each country?",
        "List the names of employees who do not have any reviews",
    ] {
        let start = Instant::now();
        let understanding = understand(question, &knowledge, &options);
        println!("{question}: {:?}, {} readings", start.elapsed(), understanding.candidates.len());
    }
    let start = Instant::now();
    let mut builder = Knowledge::builder(&schema, 256 << 20);
    for table in &schema.tables {
        for column in table.columns.iter().skip(1).take(10) {
            builder.values(
                &table.name,
                &column.name,
                (0..100).map(|at| Value::Text(format!("{} cell {} {at}", column.name, table.name))),
            );
        }
    }
    let knowledge = builder.finish();
    println!(
        "{} cells: {:?}, {} MB, {} left out",
        knowledge.values().len(),
        start.elapsed(),
        knowledge.values().bytes() >> 20,
        knowledge.values().left_out()
    );
}
