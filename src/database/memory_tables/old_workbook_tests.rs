//! OpenDocument and `.xls`: that they are read, and that a small file of either takes no more than is allowed.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use tokio_util::sync::CancellationToken;

use super::{LoadLimits, load, load_within};
use crate::database::{Database as _, DatabaseError, Limits};
use crate::schema::Value;
use crate::sql::{Dialect, guard};

async fn rows(path: &Path, sql: &str) -> Vec<Vec<Value>> {
    let database = load(path, &mut |_| {}).unwrap().database;
    let checked = guard::check(sql, Dialect::Sqlite).unwrap();
    database.execute(&checked, &Limits::default(), &CancellationToken::new()).await.unwrap().rows
}

/// A spreadsheet with this between its `office:spreadsheet` tags.
fn write_ods(path: &Path, sheets: &str) {
    let mut archive = zip::ZipWriter::new(fs::File::create(path).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    let content = format!(
        "<?xml version=\"1.0\"?><office:document-content><office:automatic-styles>\
         <style:style style:name=\"off\"><style:table-properties table:display=\"false\"/></style:style>\
         </office:automatic-styles><office:body><office:spreadsheet>{sheets}</office:spreadsheet></office:body>\
         </office:document-content>"
    );
    for (name, text) in [
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        ("META-INF/manifest.xml", "<manifest:manifest/>"),
        ("content.xml", &content),
    ] {
        archive.start_file(name, options).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
}

fn text_cell(text: &str) -> String {
    format!("<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>")
}

#[tokio::test]
async fn an_open_document_is_read_with_its_types_and_repeats() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits.ods");
    let cell = |kind: &str, attributes: &str| {
        format!(
            "<table:table-cell office:value-type=\"{kind}\" {attributes}><text:p>shown</text:p></table:table-cell>"
        )
    };
    let blank = "<table:table-cell table:style-name=\"x\" table:number-columns-repeated=\"16379\"/>";
    let headings: String = ["Day", "At", "Guest", "Paid", "Sum"].map(text_cell).concat();
    let guest = "<table:table-cell office:value-type=\"string\"><office:annotation><text:p>a comment</text:p>\
                 </office:annotation><text:p>Mo<text:s text:c=\"2\"/>&amp; <text:span>J&#246;rg</text:span></text:p>\
                 <text:p>two</text:p></table:table-cell>";
    let row = [
        cell("date", "office:date-value=\"2024-01-02\""),
        cell("time", "office:time-value=\"PT10H20M30S\""),
        guest.to_owned(),
        cell("boolean", "office:boolean-value=\"true\""),
        cell("float", "office:value=\"12.5\""),
    ]
    .concat();
    write_ods(
        &path,
        &format!(
            "<table:table table:name=\"Hidden\" table:style-name=\"off\"><table:table-row>{headings}\
             </table:table-row></table:table><table:table table:name=\"Visits\"><table:table-header-rows>\
             <table:table-row>{headings}{blank}</table:table-row></table:table-header-rows>\
             <table:table-row table:number-rows-repeated=\"3\">{row}{blank}</table:table-row>\
             <table:table-row table:number-rows-repeated=\"1048572\">{blank}</table:table-row></table:table>"
        ),
    );
    let all = rows(&path, "SELECT * FROM visits").await;
    let expected: Vec<Value> =
        vec!["2024-01-02".into(), "10:20:30".into(), "Mo  & Jörg\ntwo".into(), 1.into(), 12.5.into()];
    assert_eq!(all, vec![expected; 3]);
}

#[test]
fn an_open_document_that_repeats_cells_without_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.ods");
    let long = "x".repeat(10_000);
    let many = |rows: u64, columns: u64, text: &str| {
        format!(
            "<table:table table:name=\"A\"><table:table-row table:number-rows-repeated=\"{rows}\"><table:table-cell \
             table:number-columns-repeated=\"{columns}\" office:value-type=\"string\"><text:p>{text}</text:p>\
             </table:table-cell></table:table-row></table:table>"
        )
    };
    for (sheets, said) in [
        // Within what a sheet can hold, and still far too much.
        (many(1_000_000, 2_000, "1"), "its cells take more than 512 MB of memory"),
        (many(1_000_000, 1, &long), "its cells take more than 512 MB of memory"),
        (many(1, 16_384, "1"), "more than 2000 columns or 1048576 rows"),
        (many(5_000_000_000, 1, "1"), "more than 2000 columns or 1048576 rows"),
        (many(u64::MAX, u64::MAX, "1"), "more than 2000 columns or 1048576 rows"),
    ] {
        write_ods(&path, &sheets);
        assert!(fs::metadata(&path).unwrap().len() < 20_000);
        let error = load(&path, &mut |_| {}).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
        assert!(error.hint().is_some());
    }
    // Empty ones are stepped over, however many there are, and so are spaces.
    let blank = "<table:table-row table:number-rows-repeated=\"99999999999\"><table:table-cell \
                 table:number-columns-repeated=\"99999999999\"/></table:table-row>";
    let spaces = text_cell("a<text:s text:c=\"99999999999\"/>b");
    let headings = text_cell("name");
    write_ods(
        &path,
        &format!(
            "<table:table table:name=\"A\"><table:table-row>{headings}</table:table-row><table:table-row>{spaces}\
             </table:table-row>{blank}</table:table>"
        ),
    );
    assert_eq!(load(&path, &mut |_| {}).unwrap().tables[0].rows, 1);
}

#[test]
fn the_limit_on_workbooks_can_be_set() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.ods");
    let row = |text: &str| {
        format!("<table:table-row table:number-rows-repeated=\"40000\">{}</table:table-row>", text_cell(text))
    };
    write_ods(&path, &format!("<table:table table:name=\"A\">{}{}</table:table>", row("name"), row("Ann")));
    let within = |workbook| load_within(&path, LoadLimits { workbook, ..LoadLimits::default() }, &mut |_| {});
    assert_eq!(within(64 << 20).unwrap().tables[0].rows, 79_999);
    let error = within(2 << 20).unwrap_err();
    assert!(error.to_string().ends_with("its cells take more than 2 MB of memory"), "{error}");
}

#[test]
fn a_protected_or_damaged_open_document_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.ods");
    write_ods(&path, "<table:table table:name=\"A\"><table:table-row></table:table>");
    let error = load(&path, &mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("its content is damaged"), "{error}");
    let mut archive = zip::ZipWriter::new(fs::File::create(&path).unwrap());
    archive.start_file("META-INF/manifest.xml", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(b"<manifest:manifest><manifest:encryption-data/></manifest:manifest>").unwrap();
    archive.finish().unwrap();
    let error = load(&path, &mut |_| {}).unwrap_err().to_string();
    assert!(error.ends_with("it is protected by a password"), "{error}");
}

/// A record of an `.xls` file.
fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).unwrap();
    [&kind.to_le_bytes(), &length.to_le_bytes(), data].concat()
}

fn shorts(numbers: &[u16]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A number in a cell, and a shared text.
fn number_cell(row: u16, column: u16, number: f64) -> Vec<u8> {
    record(0x0203, &[shorts(&[row, column, 0]), number.to_le_bytes().to_vec()].concat())
}

fn shared_cell(row: u16, column: u16) -> Vec<u8> {
    record(0x00FD, &shorts(&[row, column, 0, 0, 0]))
}

/// The stream of a workbook with one sheet, and one shared text of so many characters.
fn stream(text: u16, sheet: &[Vec<u8>]) -> Vec<u8> {
    let begin = record(0x0809, &shorts(&[0x0600, 5, 0, 0, 0, 0, 0, 0]));
    let end = record(0x000A, &[]);
    let head = [1, 0, 0, 0, 1, 0, 0, 0].into_iter().chain(text.to_le_bytes()).chain([0]);
    let in_first = text.min(8_000);
    let mut texts = record(0x00FC, &head.chain(vec![b'a'; usize::from(in_first)]).collect::<Vec<_>>());
    for piece in vec![b'a'; usize::from(text - in_first)].chunks(8_000) {
        texts.extend(record(0x003C, &[&[0], piece].concat()));
    }
    let bound = |at: u32| record(0x0085, &[&at.to_le_bytes()[..], &[0, 0, 1, 0, b'S']].concat());
    let start = begin.len() + bound(0).len() + texts.len() + end.len();
    let mut stream =
        [begin.clone(), bound(u32::try_from(start).unwrap()), texts, end.clone(), begin].concat();
    stream.extend(sheet.concat());
    stream.extend(end);
    // A shorter one would be kept elsewhere.
    stream.resize(stream.len().max(4096), 0);
    stream
}

/// A compound file with one stream. `twist` may change which sector follows which.
fn write_xls(path: &Path, stream: &[u8], twist: impl Fn(&mut Vec<u32>)) {
    let sectors = stream.len().div_ceil(512);
    // Sector 0 holds the entries; the stream follows, and then the table of sectors.
    let tables = (sectors + 1).div_ceil(127);
    let mut next: Vec<u32> = vec![0xFFFF_FFFE];
    next.extend(
        (1..=sectors).map(|at| if at == sectors { 0xFFFF_FFFE } else { u32::try_from(at + 1).unwrap() }),
    );
    next.resize(tables * 128, 0xFFFF_FFFF);
    twist(&mut next);
    let mut header = vec![0; 512];
    header[..8].copy_from_slice(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1");
    for (at, number) in [(26, 3_u16), (28, 0xFFFE), (30, 9), (32, 6)] {
        header[at..at + 2].copy_from_slice(&number.to_le_bytes());
    }
    header[68..].fill(0xFF);
    let table_places = (0..tables).map(|at| (76 + at * 4, u32::try_from(sectors + 1 + at).unwrap()));
    let numbers = [
        (44, u32::try_from(tables).unwrap()),
        (48, 0),
        (60, 0xFFFF_FFFE),
        (64, 0),
        (68, 0xFFFF_FFFE),
        (72, 0),
    ];
    for (at, number) in numbers.into_iter().chain(table_places) {
        header[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }
    let mut entries = vec![0; 512];
    for (at, name, start, size) in [(0, "Root Entry", 0xFFFF_FFFE_u32, 0), (128, "Workbook", 1, stream.len())]
    {
        let name = shorts(&name.encode_utf16().collect::<Vec<_>>());
        entries[at..at + name.len()].copy_from_slice(&name);
        entries[at + 116..at + 120].copy_from_slice(&start.to_le_bytes());
        entries[at + 120..at + 124].copy_from_slice(&u32::try_from(size).unwrap().to_le_bytes());
    }
    let mut file = [header, entries, stream.to_vec()].concat();
    file.resize(512 * (2 + sectors), 0);
    file.extend(next.iter().flat_map(|number| number.to_le_bytes()));
    fs::write(path, file).unwrap();
}

fn dimensions(rows: (u32, u32), columns: (u16, u16)) -> Vec<u8> {
    let rows = [rows.0.to_le_bytes(), rows.1.to_le_bytes()].concat();
    record(0x0200, &[rows, shorts(&[columns.0, columns.1, 0])].concat())
}

#[tokio::test]
async fn an_old_workbook_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.xls");
    let mut sheet = vec![dimensions((0, 300), (0, 2)), shared_cell(0, 0), shared_cell(0, 1)];
    sheet.extend((1..300).flat_map(|row| [number_cell(row, 0, f64::from(row)), shared_cell(row, 1)]));
    write_xls(&path, &stream(4, &sheet), |_| {});
    let all = rows(&path, "SELECT count(*), sum(aaaa), max(aaaa_2) FROM old").await;
    assert_eq!(all, [vec![299.into(), 44_850.into(), "aaaa".into()]]);
}

#[test]
fn an_old_workbook_that_takes_too_much_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.xls");
    let corner = [dimensions((0, 65_536), (0, 256)), number_cell(0, 0, 1.0), number_cell(65_535, 255, 1.0)];
    // Every text takes 60 KB, and each of its cells 14 bytes.
    let shared: Vec<Vec<u8>> = (0..20_000).map(|row| shared_cell(row, 0)).collect();
    for (text, sheet) in [(4, &corner[..]), (60_000, &shared)] {
        write_xls(&path, &stream(text, sheet), |_| {});
        assert!(fs::metadata(&path).unwrap().len() < 400_000);
        let error = load(&path, &mut |_| {}).unwrap_err();
        assert!(matches!(error, DatabaseError::TooLarge { .. }), "{error}");
        assert!(error.to_string().ends_with("its cells take more than 512 MB of memory"), "{error}");
    }
}

#[test]
fn an_old_workbook_that_leads_nowhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("liar.xls");
    let refused = |stream: &[u8], twist: &dyn Fn(&mut Vec<u32>)| {
        write_xls(&path, stream, twist);
        let error = load(&path, &mut |_| {}).unwrap_err().to_string();
        assert!(error.ends_with("it is no Excel workbook, or damaged"), "{error}");
    };
    let cells: Vec<Vec<u8>> = (0..300).map(|row| number_cell(row, 0, 1.0)).collect();
    let honest = stream(4, &cells);
    // The entries, and the stream, run in a circle, or to a sector that is not there.
    refused(&honest, &|next| next[0] = 0);
    refused(&honest, &|next| next[2] = 70_000);
    // Room for more rows than any sheet has, or fewer than none.
    refused(&stream(4, &[dimensions((0, u32::MAX), (0, 255)), number_cell(0, 0, 1.0)]), &|_| {});
    refused(&stream(4, &[dimensions((9, 3), (0, 5)), number_cell(0, 0, 1.0)]), &|_| {});
    // A sheet that begins behind the end, and one sheet that is told of a thousand times.
    let mut behind = honest.clone();
    let at = behind.windows(4).position(|window| window == [0x85, 0, 9, 0]).unwrap() + 4;
    behind[at..at + 4].copy_from_slice(&9_999_999_u32.to_le_bytes());
    refused(&behind, &|_| {});
    let bound = honest[at - 4..at + 9].to_vec();
    let start = u32::from_le_bytes(bound[4..8].try_into().unwrap());
    let mut again = bound.clone();
    let moved = start + u32::try_from(bound.len() * 1_000).unwrap();
    again[4..8].copy_from_slice(&moved.to_le_bytes());
    let many = [&honest[..at - 4], &again.repeat(1_001), &honest[at + 9..]].concat();
    refused(&many, &|_| {});
}
