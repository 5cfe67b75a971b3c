//! A folder of CSV files and a data dictionary in Excel, from files to a described schema.

use rust_xlsxwriter::Workbook;
use sqlogue::database::{Database as _, Limits, memory_tables};
use sqlogue::source::{self, excel};
use sqlogue::sql::{Dialect, guard};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn files_become_a_described_database() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| std::fs::write(folder.path().join(name), content).unwrap();
    write("customers.csv", "id;Name;Joined\n1;Ada;03.02.2024\n2;Bo;14.05.2024\n");
    write("orders.csv", "id,customer_id,Amount,Paid\n10,1,\"1,250.00\",yes\n11,2,80,no\n12,1,,yes\n");
    let loaded = memory_tables::load(folder.path(), &mut |_| {}).unwrap();
    let mut schema = source::introspect(&loaded.database).await.unwrap();
    // Nobody declared a key in a CSV file; names and values speak for it.
    let key = &schema.table("orders").unwrap().foreign_keys[0];
    assert_eq!((key.table.as_str(), key.declared), ("customers", false));

    let dictionary = folder.path().join("dictionary.xlsx");
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    let rows = [
        ["Table", "Column", "Type", "Description"],
        ["Orders", "Amount", "decimal", "Without tax"],
        ["Orders", "Paid", "date", "Whether the money is here"],
        ["Orders", "Agent", "text", "Who sold it"],
    ];
    for (row, cells) in rows.iter().enumerate() {
        for (column, text) in cells.iter().enumerate() {
            sheet.write(row as u32 + 2, column as u16, *text).unwrap();
        }
    }
    workbook.save(&dictionary).unwrap();
    let described = excel::read(&dictionary).unwrap();
    let conflicts = source::merge(&mut schema, &described.schema);
    let conflicts: Vec<String> = conflicts.iter().map(ToString::to_string).collect();
    assert_eq!(
        conflicts,
        [
            "`orders.Paid` is described as date, but is BOOLEAN",
            "`orders.Agent` is described, but the table has no such column",
        ]
    );
    let amount = schema.table("orders").unwrap().column("amount").unwrap();
    assert_eq!(amount.description.as_deref(), Some("Without tax"));

    let sql = "SELECT c.Name, sum(o.Amount) FROM orders AS o JOIN customers AS c ON o.customer_id = c.id \
               WHERE c.Joined < '2024-03-01' GROUP BY c.Name";
    let checked = guard::check(sql, Dialect::Sqlite).unwrap();
    let rows =
        loaded.database.execute(&checked, &Limits::default(), &CancellationToken::new()).await.unwrap();
    assert_eq!(rows.rows, [["Ada".into(), 1250.0.into()]]);
}
