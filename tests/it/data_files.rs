//! Files as people have them, from the command line to an answer.

use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

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
