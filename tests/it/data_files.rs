//! Files as people have them, from the command line to an answer.

use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::data_type::{DoubleType, Int32Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::cli_kit::call;

fn gzip(content: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn packed_csv_and_json_answer_questions_together() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &[u8]| fs::write(folder.path().join(name), content).unwrap();
    write("customers.csv.gz", &gzip("id,name\n1,Ada\n2,Bo\n"));
    write(
        "orders.jsonl",
        b"{\"id\": 10, \"customer_id\": 1, \"amount\": 12.5}\n{\"id\": 11, \"customer_id\": 1, \"amount\": 2.5}\n",
    );
    write("products.json", b"[{\"id\": 1, \"name\": \"Lamp\", \"size\": {\"width\": 3}}]");
    let outcome = call(folder.path(), &["--db", ".", "schema", "--format", "csv"], "");
    for column in ["customers,name", "orders,amount", "products,size_width"] {
        assert!(outcome.code == 0 && outcome.stdout.contains(column), "{column}: {outcome:?}");
    }
    let question = "What is the total amount of orders of each customer?";
    let outcome = call(folder.path(), &["--db", ".", "--format", "csv", "ask", question], "");
    assert!(outcome.code == 0 && outcome.stdout.contains("Ada,15"), "{outcome:?}");
    let count = ["--db", "customers.csv.gz", "--format", "csv", "ask", "How many customers are there?"];
    let outcome = call(folder.path(), &count, "");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (0, "count(*)\r\n2\r\n"), "{outcome:?}");
}

#[test]
fn a_parquet_file_answers_questions() {
    let folder = tempfile::tempdir().unwrap();
    let file = fs::File::create(folder.path().join("sales.parquet")).unwrap();
    let schema = "message sales { REQUIRED INT32 day (DATE); OPTIONAL DOUBLE amount; }";
    let schema = parse_message_type(schema).unwrap().into();
    let mut writer = SerializedFileWriter::new(file, schema, Default::default()).unwrap();
    for _ in 0..2 {
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&[19_782, 19_783, 19_784], None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&[1.5, 2.0], Some(&[1, 0, 1]), None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
    let ask = |question: &str| {
        let words = ["--db", "sales.parquet", "--format", "csv", "ask", question];
        let outcome = call(folder.path(), &words, "");
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{outcome:?}");
        outcome.stdout
    };
    assert!(ask("How many sales are there?").ends_with("\r\n6\r\n"));
    assert!(ask("What is the total amount of sales?").ends_with("\r\n7\r\n"));
    assert!(ask("Show me sales").contains("2024-02-29,1.5\r\n2024-03-01,\r\n"));
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &[u8]| fs::write(folder.path().join(name), content).unwrap();
    let packed = gzip(&"1,2\n".repeat(10_000));
    write("cut.csv.gz", &packed[..packed.len() - 9]);
    write("broken.jsonl", b"{\"a\": 1}\n{\"a\": 2,}\n");
    write("settings.json", b"{\"a\": {\n\"b\": 1}}");
    write("letter.parquet", b"a letter, and no table");
    fs::create_dir(folder.path().join("large")).unwrap();
    write("large/rows.csv.gz", &gzip(&"1,2\n".repeat(600_000)));
    write("small.toml", b"load_megabytes = 1\n");
    for (database, said) in [
        ("cut.csv.gz", "`cut.csv.gz` cannot be read: it is packed with gzip, and its end is missing"),
        ("broken.jsonl", "`broken.jsonl` cannot be read: line 2: "),
        ("settings.json", "it is neither a list of objects nor an object a line"),
        ("letter.parquet", "`letter.parquet` cannot be read: "),
        ("large", "it unpacks to more than the 1 MB that may still be loaded"),
        ("large/rows.csv.gz", "it unpacks to more than the 1 MB that may still be loaded"),
    ] {
        call(folder.path(), &["--config", "small.toml", "--db", database, "ask", "How many?"], "")
            .fails(2, said);
    }
}
