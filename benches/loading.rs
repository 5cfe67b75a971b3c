//! How fast CSV, JSON lines and Parquet become a database, CSV beside the `sqlite3` shell's `.import` in the same run.
//!
//! `cargo bench --bench loading` prints one line each; `ROWS=100000` makes it shorter.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench is a test that prints"
)]

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flate2::write::GzEncoder;
use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use sqlogue::database::memory_tables;

fn main() {
    let rows: u64 = std::env::var("ROWS").ok().and_then(|rows| rows.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sales.csv");
    let content = content(rows);
    std::fs::write(&path, &content).unwrap();
    println!("{rows} rows, 8 columns, {} MB", content.len() >> 20);
    let ours = load("typed, into a private file", rows, &path);
    let import = format!(".import --csv '{}' sales", path.display());
    if Command::new("sqlite3").arg("--version").output().is_ok() {
        let theirs = best_of(3, || {
            let status = Command::new("sqlite3").args([":memory:", &import]).status().unwrap();
            assert!(status.success());
        });
        report("sqlite3 .import, all text", rows, theirs);
        println!("ours takes {:.2} times as long", ours.as_secs_f64() / theirs.as_secs_f64());
    } else {
        println!("SKIPPED the comparison: `sqlite3` is not installed");
    }
    let packed = folder.path().join("sales.csv.gz");
    let mut encoder = GzEncoder::new(File::create(&packed).unwrap(), flate2::Compression::default());
    encoder.write_all(content.as_bytes()).unwrap();
    encoder.finish().unwrap();
    load("the same packed with gzip", rows, &packed);
    let lines = folder.path().join("sales.jsonl");
    std::fs::write(&lines, json(&content)).unwrap();
    load("the same as JSON lines", rows, &lines);
    for (what, packing) in [("snappy", Compression::SNAPPY), ("zstd", Compression::ZSTD(Default::default()))]
    {
        let file = folder.path().join(format!("sales-{what}.parquet"));
        write_parquet(&file, rows, packing);
        load(&format!("the same as Parquet ({what})"), rows, &file);
    }
}

fn load(what: &str, rows: u64, path: &Path) -> Duration {
    let took = best_of(3, || {
        let loaded = memory_tables::load(path, &mut |_| {}).unwrap();
        assert_eq!(loaded.tables[0].rows, rows);
    });
    let megabytes = std::fs::metadata(path).unwrap().len() >> 20;
    report(&format!("{what} ({megabytes} MB)"), rows, took);
    took
}

/// An object for each line, with the headings as keys.
fn json(content: &str) -> String {
    let mut lines = String::new();
    for line in content.lines().skip(1) {
        let (before, after) = line.split_once('"').unwrap();
        let (product, after) = after.split_once('"').unwrap();
        let before: Vec<&str> = before.split(',').collect();
        let after: Vec<&str> = after.split(',').collect();
        writeln!(
            lines,
            "{{\"id\":{},\"day\":\"{}\",\"customer\":\"{}\",\"city\":\"{}\",\"product\":\"{product}\",\"quantity\":{},\"price\":{},\"paid\":{}}}",
            before[0], before[1], before[2], before[3], after[1], after[2], after[3] == "yes"
        )
        .unwrap();
    }
    lines
}

/// The same rows, 100,000 in a group.
fn write_parquet(path: &Path, rows: u64, packing: Compression) {
    const GROUP: u64 = 100_000;
    let schema = "message sales {
        REQUIRED INT64 id; REQUIRED INT32 day (DATE); REQUIRED BYTE_ARRAY customer (UTF8);
        REQUIRED BYTE_ARRAY city (UTF8); REQUIRED BYTE_ARRAY product (UTF8); REQUIRED INT32 quantity;
        REQUIRED DOUBLE price; REQUIRED BOOLEAN paid;
    }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(packing).build());
    let mut writer = SerializedFileWriter::new(File::create(path).unwrap(), schema, properties).unwrap();
    let cities = ["London", "Berlin", "Paris", "New York", "Tokyo"];
    for start in (1..=rows).step_by(usize::try_from(GROUP).unwrap()) {
        let all = start..(start + GROUP).min(rows + 1);
        let texts = |text: &dyn Fn(u64) -> String| -> Vec<ByteArray> {
            all.clone().map(|row| ByteArray::from(text(row).as_str())).collect()
        };
        let whole = |number: &dyn Fn(u64) -> u64| -> Vec<i32> {
            all.clone().map(|row| i32::try_from(number(row)).unwrap()).collect()
        };
        let mut group = writer.next_row_group().unwrap();
        column::<Int64Type>(&mut group, &all.clone().map(u64::cast_signed).collect::<Vec<_>>());
        column::<Int32Type>(&mut group, &whole(&|row| 19_723 + row % 366));
        column::<ByteArrayType>(&mut group, &texts(&|row| format!("Customer {}", row % 5000)));
        let city = |row: u64| cities[usize::try_from(row % 5).unwrap()].to_owned();
        column::<ByteArrayType>(&mut group, &texts(&city));
        column::<ByteArrayType>(&mut group, &texts(&|row| format!("Product, {}", row % 200)));
        column::<Int32Type>(&mut group, &whole(&|row| row % 9 + 1));
        let price = |row: u64| (row % 1000) as f64 + (row % 100) as f64 / 100.0;
        column::<DoubleType>(&mut group, &all.clone().map(price).collect::<Vec<_>>());
        column::<BoolType>(&mut group, &all.clone().map(|row| row % 3 == 0).collect::<Vec<_>>());
        group.close().unwrap();
    }
    writer.close().unwrap();
}

fn column<T: DataType>(group: &mut SerializedRowGroupWriter<'_, File>, values: &[T::T]) {
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(values, None, None).unwrap();
    column.close().unwrap();
}

/// What a shop's export looks like.
fn content(rows: u64) -> String {
    let mut content = String::from("id,day,customer,city,product,quantity,price,paid\n");
    let cities = ["London", "Berlin", "Paris", "New York", "Tokyo"];
    for row in 1..=rows {
        let (month, day) = (row % 12 + 1, row % 28 + 1);
        let city = cities[usize::try_from(row % 5).unwrap()];
        let (quantity, price) = (row % 9 + 1, row % 1000);
        let paid = if row % 3 == 0 { "yes" } else { "no" };
        writeln!(
            content,
            "{row},2024-{month:02}-{day:02},Customer {},{city},\"Product, {}\",{quantity},{price}.{:02},{paid}",
            row % 5000,
            row % 200,
            row % 100
        )
        .unwrap();
    }
    content
}

fn best_of(times: u32, mut work: impl FnMut()) -> Duration {
    let run = |_| {
        let started = Instant::now();
        work();
        started.elapsed()
    };
    (0..times).map(run).min().unwrap()
}

fn report(what: &str, rows: u64, took: Duration) {
    println!("{what}: {:.2} s, {:.0} rows/s", took.as_secs_f64(), rows as f64 / took.as_secs_f64());
}
