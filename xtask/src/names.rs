//! Prints how the names of databases are read: the forms of each table and column, and what each column is.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::path::Path;

use sqlogue::database::SqliteDatabase;
use sqlogue::reasoner::rules::names::Forms;

use crate::known::{self, Without};

pub(crate) fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for file in std::env::args().skip(2) {
        let database = SqliteDatabase::open(Path::new(&file)).unwrap();
        let knowledge = known::read(&database, Without::default(), &runtime);
        println!("{file}");
        for (_, table) in knowledge.tables() {
            println!("  {}: {}", table.name, said(&table.forms));
            for column in table.columns.iter().map(|column| knowledge.column(*column)) {
                println!("    {} {:?}: {}", column.name, column.kind, said(&column.forms));
            }
        }
    }
}

/// The forms of a name, the fullest first.
fn said(forms: &Forms) -> String {
    forms.iter().map(|form| form.join(" ")).collect::<Vec<_>>().join(" | ")
}
