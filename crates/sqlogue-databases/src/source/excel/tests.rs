use rust_xlsxwriter::{Workbook, Worksheet};

use super::*;

fn fill(sheet: &mut Worksheet, rows: &[&[&str]]) {
    for (row, cells) in rows.iter().enumerate() {
        for (column, text) in cells.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            sheet.write(row as u32, column as u16, *text).unwrap();
        }
    }
}

fn dictionary(sheets: &[(&str, &[&[&str]])]) -> Result<Dictionary, DatabaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dictionary.xlsx");
    let mut workbook = Workbook::new();
    for (name, rows) in sheets {
        fill(workbook.add_worksheet().set_name(*name).unwrap(), rows);
    }
    workbook.save(&path).unwrap();
    read(&path)
}

fn shown(dictionary: &Dictionary) -> Vec<String> {
    let mut lines = Vec::new();
    for table in &dictionary.schema.tables {
        lines.push(format!("{}: {}", table.name, table.description.as_deref().unwrap_or("-")));
        for column in &table.columns {
            let mut flags = String::new();
            for (is_set, flag) in
                [(column.primary_key, " key"), (column.unique, " unique"), (!column.nullable, " required")]
            {
                flags.push_str(if is_set { flag } else { "" });
            }
            let description = column.description.as_deref().unwrap_or("-");
            lines.push(format!("  {} {:?}{flags}: {description}", column.name, column.column_type));
        }
        for key in &table.foreign_keys {
            lines.push(format!("  {:?} -> {}{:?}", key.columns, key.table, key.references));
        }
    }
    lines
}

#[test]
fn one_sheet_for_all_tables() {
    let dictionary = dictionary(&[(
        "Data Dictionary",
        &[
            &["Shop data dictionary, version 3"],
            &[],
            &["Table Name", "Column_Name", "Data Type", "Key", "Nullable?", "Description"],
            &["customers", "id", "INT64", "PK", "No", "Number of the customer"],
            &["", "name", "STRING", "", "No", "Full\n name"],
            &["orders", "id", "INT64", "PK", "", ""],
            &["", "customer_id", "INT64", "FK -> customers.id", "Yes", "Who ordered"],
            &["", "status", "STRING", "", "Yes", "State"],
            &["", "status", "STRING", "", "", "again"],
            &["", "", "STRING", "", "", "no name"],
            &["orders", "agent", "INT64", "references agents", "", ""],
        ],
    )])
    .unwrap();
    assert_eq!(
        shown(&dictionary),
        [
            "customers: -",
            "  id Integer key unique required: Number of the customer",
            "  name Text required: Full name",
            "orders: -",
            "  id Integer key unique required: -",
            "  customer_id Integer: Who ordered",
            "  status Text: State",
            "  agent Integer: -",
            "  [\"customer_id\"] -> customers[\"id\"]",
        ]
    );
    assert_eq!(
        dictionary.problems,
        [
            "sheet `Data Dictionary`, row 9 describes `orders.status` again and was left out",
            "sheet `Data Dictionary`, row 10 names no column and was left out",
            "`orders.agent` refers to `agents`, which is not described",
        ]
    );
}

#[test]
fn one_sheet_a_table() {
    let dictionary = dictionary(&[
        (
            "Tables",
            &[&["Table", "Description"], &["customers", "People who buy"], &["orders", "What they bought"]],
        ),
        (
            "customers",
            &[
                &["Field", "Type", "PK", "Comments", "Examples"],
                &["id", "integer", "x", "Number", "1, 2"],
                &["name", "text", "", "Name", "Ada; Bo"],
            ],
        ),
        (
            "Sheet 3",
            &[
                &["Table:", "orders"],
                &["Description: Every order ever made"],
                &["Attribute", "Meaning", "Foreign Key", "Required", "Unique"],
                &["id", "Number", "", "yes", "yes"],
                &["customer", "Who ordered", "customers(id)", "", ""],
            ],
        ),
        ("Notes", &[&["This is the work of many."]]),
    ])
    .unwrap();
    assert_eq!(
        shown(&dictionary),
        [
            "customers: People who buy",
            "  id Integer key unique required: Number",
            "  name Text: Name",
            "orders: What they bought",
            "  id Text unique required: Number",
            "  customer Text: Who ordered",
            "  [\"customer\"] -> customers[\"id\"]",
        ]
    );
    assert_eq!(dictionary.schema.tables[0].columns[1].samples, ["Ada".into(), "Bo".into()]);
    assert_eq!(dictionary.problems, ["sheet `Notes` has no headings of a data dictionary and was left out"]);
}

#[test]
fn what_is_no_dictionary_is_an_error() {
    let error = dictionary(&[("Sales", &[&["Day", "Sum"], &["Monday", "5"]])]).unwrap_err();
    assert!(matches!(error, DatabaseError::Unreadable { .. }), "{error:?}");
    assert!(matches!(read("nowhere.xlsx"), Err(DatabaseError::NotFound { .. })));
}
