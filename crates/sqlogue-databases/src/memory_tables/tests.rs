use std::fs;

use rust_xlsxwriter::{ExcelDateTime, Format, Workbook};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{Database as _, Limits};
use sqlogue_sql::schema::Value;
use sqlogue_sql::sql::{Dialect, guard};

pub(super) async fn rows(loaded: &Loaded, sql: &str) -> Vec<Vec<Value>> {
    let checked = guard::check(sql, Dialect::Sqlite).unwrap();
    let limits = Limits::default();
    loaded.database.execute(&checked, &limits, &CancellationToken::new()).await.unwrap().rows
}

pub(super) async fn types(loaded: &Loaded) -> Vec<String> {
    let schema = loaded.database.introspect().await.unwrap();
    let columns = schema.tables.iter().flat_map(|table| {
        table.columns.iter().map(move |column| {
            let key = if column.primary_key { " key" } else { "" };
            format!("{}.{} {}{key}", table.name, column.name, column.declared_type)
        })
    });
    columns.collect()
}

fn csv(content: impl AsRef<[u8]>) -> Result<Loaded, DatabaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.csv");
    fs::write(&path, content).unwrap();
    load(&path, &mut |_| {})
}

#[tokio::test]
async fn csv_columns_get_types() {
    let loaded = csv("id,Name,Born,Paid,Member,Seen,zip,Share,Name\n\
         1,Ada,31/12/1990,\"$1,200.50\",yes,2024-01-31 10:20,01234,5%,x\n\
         2,\"Bo, \"\"B\"\"\",1/2/1991,$3,no,,00000,6.5%,\n\
         3,,,,,2024-02-01T09:00:00Z,,,\n")
    .unwrap();
    assert_eq!(
        types(&loaded).await,
        [
            "data.id INTEGER key",
            "data.Name TEXT",
            "data.Born DATE",
            "data.Paid REAL",
            "data.Member BOOLEAN",
            "data.Seen DATETIME",
            "data.zip TEXT",
            "data.Share REAL",
            "data.Name_2 TEXT",
        ]
    );
    let all = rows(&loaded, "SELECT * FROM data").await;
    let expected: [Vec<Value>; 3] = [
        vec![
            1.into(),
            "Ada".into(),
            "1990-12-31".into(),
            1200.5.into(),
            1.into(),
            "2024-01-31 10:20:00".into(),
            "01234".into(),
            5.0.into(),
            "x".into(),
        ],
        vec![
            2.into(),
            "Bo, \"B\"".into(),
            "1991-02-01".into(),
            3.0.into(),
            0.into(),
            Value::Null,
            "00000".into(),
            6.5.into(),
            Value::Null,
        ],
        vec![
            3.into(),
            Value::Null,
            Value::Null,
            Value::Null,
            Value::Null,
            "2024-02-01 09:00:00Z".into(),
            Value::Null,
            Value::Null,
            Value::Null,
        ],
    ];
    assert_eq!(all, expected);
    let notes: Vec<String> = loaded.tables[0].notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["`Paid` is in $", "`Share` is in %"]);
}

#[tokio::test]
async fn other_signs_and_encodings_are_read() {
    let loaded = csv(b"Stadt;Wert;Tag\nK\xf6ln;1.234,50;03.04.2024\nBonn;7;04.04.2024\n").unwrap();
    assert_eq!(
        rows(&loaded, "SELECT * FROM data").await,
        [
            ["Köln".into(), 1234.5.into(), "2024-04-03".into()],
            ["Bonn".into(), 7.0.into(), "2024-04-04".into()]
        ]
    );
    assert_eq!(loaded.tables[0].notes, [Note::OldEncoding]);
    let wide: Vec<u8> = "\u{feff}a\tb\n1\té\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let loaded = csv(wide).unwrap();
    assert_eq!(rows(&loaded, "SELECT a, b FROM data").await, [[1.into(), "é".into()]]);
    let loaded = csv("a,b\n3/4/2024,1\n").unwrap();
    assert_eq!(rows(&loaded, "SELECT a FROM data").await, [["2024-03-04".into()]]);
    assert_eq!(loaded.tables[0].notes, [Note::AmbiguousDates { column: "a".into(), day_first: false }]);
}

#[tokio::test]
async fn ragged_and_odd_files_are_read() {
    let loaded = csv("Report of May\n\na,b\n1,2,3\n4\n,,\n").unwrap();
    assert_eq!(types(&loaded).await, ["data.a INTEGER", "data.b INTEGER", "data.column_3 INTEGER"]);
    assert_eq!(
        rows(&loaded, "SELECT * FROM data").await,
        [vec![1.into(), 2.into(), 3.into()], vec![4.into(), Value::Null, Value::Null]]
    );
    let loaded = csv("1,x\n2,y\n").unwrap();
    assert_eq!(types(&loaded).await[0], "data.column_1 INTEGER");
    assert_eq!(loaded.tables[0].rows, 2);
    assert!(matches!(csv(""), Err(DatabaseError::Unreadable { .. })));
    assert!(matches!(csv(b"a\0b\xff"), Err(DatabaseError::Unreadable { .. })));
    let long = format!("a,b\n{},1\n", "é".repeat(60_000));
    let loaded = csv(long).unwrap();
    assert_eq!(loaded.tables[0].notes, [Note::CutCells { count: 1 }]);
    assert_eq!(rows(&loaded, "SELECT length(a) FROM data").await, [[49_500.into()]]);
}

#[tokio::test]
async fn a_folder_is_a_database() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("customers.csv"), "id,name\n1,Ada\n").unwrap();
    fs::write(folder.path().join("orders.csv"), "id,customer_id\n10,1\n").unwrap();
    fs::write(folder.path().join("notes.txt"), "not data").unwrap();
    fs::write(folder.path().join(".hidden.csv"), "x\n1\n").unwrap();
    let mut last = (0, 0);
    let loaded = load(folder.path(), &mut |progress| last = (progress.done, progress.total)).unwrap();
    let names: Vec<_> = loaded.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["customers", "orders"]);
    assert_eq!(last.0, last.1);
    let joined = "SELECT name FROM orders JOIN customers ON customer_id = customers.id";
    assert_eq!(rows(&loaded, joined).await, [["Ada".into()]]);
    let checked = guard::check("SELECT name FROM customers", Dialect::Sqlite).unwrap();
    assert!(loaded.database.execute(&checked, &Limits::default(), &CancellationToken::new()).await.is_ok());
    assert!(is_loadable(folder.path()) && is_loadable("x.CSV") && !is_loadable("x.db"));
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(load(empty.path(), &mut |_| {}), Err(DatabaseError::Unreadable { .. })));
    assert!(matches!(load("nowhere.csv", &mut |_| {}), Err(DatabaseError::NotFound { .. })));
}

#[tokio::test]
async fn workbooks_are_read_sheet_by_sheet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.xlsx");
    let mut workbook = Workbook::new();
    let date = Format::new().set_num_format("yyyy-mm-dd");
    let moment = Format::new().set_num_format("yyyy-mm-dd hh:mm");
    let sheet = workbook.add_worksheet().set_name("Sales").unwrap();
    sheet.write(0, 0, "Sales of 2024").unwrap();
    for (at, heading) in ["Id", "Day", "Sum", "Paid", "Seen", "Note", "Sum"].into_iter().enumerate() {
        sheet.write(2, at as u16, heading).unwrap();
    }
    for row in 0..2_u32 {
        sheet.write(3 + row, 0, row + 1).unwrap();
        sheet
            .write_with_format(3 + row, 1, ExcelDateTime::from_ymd(2024, 1, 30 + row as u8).unwrap(), &date)
            .unwrap();
        sheet.write(3 + row, 2, 10.5 * f64::from(row)).unwrap();
        sheet.write(3 + row, 3, row == 0).unwrap();
        let seen = ExcelDateTime::from_ymd(2024, 1, 2).unwrap().and_hms(10, 20, 30).unwrap();
        sheet.write_with_format(3 + row, 4, seen, &moment).unwrap();
    }
    sheet.write(3, 5, "first").unwrap();
    sheet.write(4, 6, 7).unwrap();
    let other = workbook.add_worksheet().set_name("Other one").unwrap();
    other.write(0, 0, "a").unwrap();
    other.write(1, 0, 1).unwrap();
    // A stray cell far away must cost nothing.
    other.write(900_000, 1, "stray").unwrap();
    workbook.add_worksheet().set_name("Empty").unwrap();
    let hidden = workbook.add_worksheet().set_name("Hidden").unwrap();
    hidden.write(0, 0, "secret").unwrap();
    hidden.set_hidden(true);
    workbook.save(&path).unwrap();

    let loaded = load(&path, &mut |_| {}).unwrap();
    let names: Vec<_> = loaded.tables.iter().map(|table| (table.name.as_str(), table.rows)).collect();
    assert_eq!(names, [("Sales", 2), ("Other one", 2)]);
    assert_eq!(
        types(&loaded).await[..7],
        [
            "Sales.Id INTEGER key",
            "Sales.Day DATE",
            "Sales.Sum REAL",
            "Sales.Paid BOOLEAN",
            "Sales.Seen DATETIME",
            "Sales.Note TEXT",
            "Sales.Sum_2 INTEGER",
        ]
    );
    let all = rows(&loaded, "SELECT * FROM Sales").await;
    let expected: [Vec<Value>; 2] = [
        vec![
            1.into(),
            "2024-01-30".into(),
            0.0.into(),
            1.into(),
            "2024-01-02 10:20:30".into(),
            "first".into(),
            Value::Null,
        ],
        vec![
            2.into(),
            "2024-01-31".into(),
            10.5.into(),
            0.into(),
            "2024-01-02 10:20:30".into(),
            Value::Null,
            7.into(),
        ],
    ];
    assert_eq!(all, expected);
    fs::write(&path, "no workbook").unwrap();
    assert!(matches!(load(&path, &mut |_| {}), Err(DatabaseError::Unreadable { .. })));
}

#[test]
fn what_is_no_workbook_is_said_in_plain_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("letter.xlsx");
    std::fs::write(&path, "a letter").unwrap();
    let error = load(&path, &mut |_| {}).unwrap_err().to_string();
    assert!(error.ends_with("cannot be read: it is no Excel workbook, or damaged"), "{error}");
}

/// A workbook with one cell, of which some parts are replaced by others.
fn workbook_with(path: &Path, parts: &[(&str, Vec<u8>)]) {
    let mut workbook = Workbook::new();
    workbook.add_worksheet().write(0, 0, "a").unwrap();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(workbook.save_to_buffer().unwrap())).unwrap();
    let mut writer = zip::ZipWriter::new(fs::File::create(path).unwrap());
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .compression_level(Some(1));
    for at in 0..archive.len() {
        let mut part = archive.by_index(at).unwrap();
        let name = String::from_utf8(part.name_raw().to_vec()).unwrap();
        writer.start_file(name.as_str(), options).unwrap();
        match parts.iter().find(|(known, _)| *known == name) {
            Some((_, content)) => std::io::Write::write_all(&mut writer, content).unwrap(),
            None => drop(std::io::copy(&mut part, &mut writer).unwrap()),
        }
    }
    writer.finish().unwrap();
}

const SHEET: &str = "xl/worksheets/sheet1.xml";
const TEXTS: &str = "xl/sharedStrings.xml";

#[test]
fn a_small_workbook_that_unpacks_to_much_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.xlsx");
    let mut sheet = b"<worksheet><sheetData>".to_vec();
    sheet.resize(520 << 20, b' ');
    let size = u32::try_from(sheet.len()).unwrap().to_le_bytes();
    workbook_with(&path, &[(SHEET, sheet)]);
    assert!(fs::metadata(&path).unwrap().len() < 16 << 20);
    let refusals = || [load(&path, &mut |_| {}).unwrap_err(), crate::source::excel::read(&path).unwrap_err()];
    for error in refusals() {
        assert!(matches!(error, DatabaseError::TooLarge { .. }), "{error:?}");
        assert!(error.to_string().ends_with("or more, and at most 512 MB are read"), "{error}");
        assert!(error.hint().is_some());
    }
    // One that says that it unpacks to less is refused as soon as it is found out.
    let mut content = fs::read(&path).unwrap();
    let mut found = 0;
    while let Some(at) = content.windows(4).position(|window| window == size) {
        content[at..at + 4].copy_from_slice(&1000_u32.to_le_bytes());
        found += 1;
    }
    assert!(found >= 1);
    fs::write(&path, content).unwrap();
    for error in refusals() {
        assert!(error.to_string().contains("larger than its declared uncompressed size"), "{error}");
    }
}

#[test]
fn a_text_that_many_cells_share_counts_for_each() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shared.xlsx");
    let text = "x".repeat(1 << 20);
    let texts = format!("<sst uniqueCount=\"1\"><si><t>{text}</t></si></sst>").into_bytes();
    let cells: String =
        (1..=600).map(|row| format!("<row r=\"{row}\"><c r=\"A{row}\" t=\"s\"><v>0</v></c></row>")).collect();
    let sheet = format!("<worksheet><sheetData>{cells}</sheetData></worksheet>").into_bytes();
    workbook_with(&path, &[(SHEET, sheet), (TEXTS, texts)]);
    let error = load(&path, &mut |_| {}).unwrap_err();
    assert!(error.to_string().ends_with("its cells take more than 512 MB of memory"), "{error}");
}

#[test]
fn a_workbook_that_announces_more_than_it_holds_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("liar.xlsx");
    for count in ["18446744073709551615", "9000000000", "5000"] {
        let texts = format!(
            "<?xml version=\"1.0\"?><sst count=\"1\" uniqueCount = '{count}'><si><t>a</t></si></sst>"
        );
        workbook_with(&path, &[(TEXTS, texts.into_bytes())]);
        let error = load(&path, &mut |_| {}).unwrap_err();
        assert!(error.to_string().contains("more texts than it has room for"), "{error}");
    }
}

#[tokio::test]
async fn totals_below_a_table_are_no_data() {
    let content =
        "Order ID,Region ,,Cost Total $,Paid?\nA1,North,,10.5,yes\nA2,South,,2,no\nA3,North,,1,yes\n";
    let loaded = csv(format!("{content}Grand total:,,,13.5,\n")).unwrap();
    assert_eq!(
        types(&loaded).await,
        ["data.Order ID TEXT key", "data.Region TEXT", "data.Cost Total $ REAL", "data.Paid? BOOLEAN"],
        "a column with neither a name nor a value is left out"
    );
    let schema = loaded.database.introspect().await.unwrap();
    assert_eq!(schema.tables[0].row_count, Some(3), "the total is no row, and is not counted");
    let sum = rows(&loaded, "SELECT count(*), sum(\"Cost Total $\") FROM data").await;
    assert_eq!(sum, [[Value::from(3), Value::from(13.5)]]);
    assert_eq!(loaded.tables[0].rows, 3);
    let notes: Vec<String> = loaded.tables[0].notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["the last row is a total (`Grand total:`) and no row of data, so it was left out"]);
    // In the middle, or beside texts, it is a row like any other.
    for (row, behind) in [("Total,,,13.5,\n", "A4,East,,5,no\n"), ("Total,France,,4,no\n", "")] {
        let loaded = csv(format!("{content}{row}{behind}")).unwrap();
        let count = rows(&loaded, "SELECT count(*) FROM data WHERE \"Order ID\" = 'Total'").await;
        assert_eq!(count, [[Value::from(1)]], "{row}");
    }
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    for (at, (name, amount)) in [("a", 1.0), ("b", 2.0), ("c", 4.0), ("Total", 7.0)].into_iter().enumerate() {
        let row = u32::try_from(at).unwrap() + 1;
        sheet.write_string(row, 0, name).unwrap();
        sheet.write_number(row, 1, amount).unwrap();
    }
    sheet.write_string(0, 0, "Shop").unwrap();
    sheet.write_string(0, 1, "Amount").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shops.xlsx");
    workbook.save(&path).unwrap();
    let loaded = load(&path, &mut |_| {}).unwrap();
    assert_eq!(rows(&loaded, "SELECT sum(Amount) FROM shops").await, [[Value::from(7)]]);
}
