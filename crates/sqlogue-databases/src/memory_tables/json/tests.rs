use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::super::tests::{rows, types};
use super::super::{LoadLimits, Loaded, load, load_within};
use crate::DatabaseError;
use sqlogue_sql::schema::Value;

fn named(name: &str, content: impl AsRef<[u8]>) -> Result<Loaded, DatabaseError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    load(&path, &mut |_| {})
}

fn refused(name: &str, content: impl AsRef<[u8]>) -> String {
    named(name, content).unwrap_err().to_string()
}

#[tokio::test]
async fn keys_are_columns() {
    let loaded = named(
        "people.jsonl",
        r#"{"id": 1, "name": "Ada", "born": "1990-12-31", "score": 1.0, "member": true, "zip": "01234"}
{"id": 2, "name": "Bo\n\"B\"", "score": 2, "seen": "2024-01-31T10:20:00Z", "member": false, "zip": "9"}

{"id": 3, "born": null, "seen": "2024-02-01 09:00", "zip": "", "name": "NULL", "large": 18446744073709551615}
"#,
    )
    .unwrap();
    assert_eq!(
        types(&loaded).await,
        [
            "people.id INTEGER key",
            "people.name TEXT",
            "people.born DATE",
            "people.score REAL",
            "people.member BOOLEAN",
            "people.zip TEXT",
            "people.seen DATETIME",
            "people.large TEXT",
        ]
    );
    let expected: [Vec<Value>; 3] = [
        vec![
            1.into(),
            "Ada".into(),
            "1990-12-31".into(),
            1.0.into(),
            1.into(),
            "01234".into(),
            Value::Null,
            Value::Null,
        ],
        vec![
            2.into(),
            "Bo\n\"B\"".into(),
            Value::Null,
            2.0.into(),
            0.into(),
            "9".into(),
            "2024-01-31 10:20:00Z".into(),
            Value::Null,
        ],
        vec![
            3.into(),
            "NULL".into(),
            Value::Null,
            Value::Null,
            Value::Null,
            Value::Null,
            "2024-02-01 09:00:00".into(),
            "18446744073709551615".into(),
        ],
    ];
    assert_eq!(rows(&loaded, "SELECT * FROM people").await, expected);
    assert_eq!(loaded.tables[0].source, "people.jsonl");
}

#[tokio::test]
async fn objects_within_are_columns_and_lists_are_json() {
    let loaded = named(
        "events.ndjson",
        r#"{"user": null, "tags": ["a", {"b": 1}], "a": {"b": {"c": {"d": {"e": 5}, "f": 1}}}, "none": null}
{"user": {"id": 7, "name": {"first": "Ada"}}, "user_id": "x", "a": {"b": 2}, "tags": []}
"#,
    )
    .unwrap();
    assert_eq!(
        types(&loaded).await,
        [
            "events.tags TEXT",
            "events.a_b_c_d TEXT",
            "events.a_b_c_f INTEGER",
            "events.none TEXT",
            "events.user_id INTEGER",
            "events.user_name_first TEXT",
            "events.user_id_2 TEXT",
            "events.a_b INTEGER",
        ]
    );
    assert_eq!(
        rows(&loaded, "SELECT tags, a_b_c_d, a_b_c_f, user_id, user_name_first, user_id_2, a_b FROM events")
            .await,
        [
            vec![
                r#"["a",{"b":1}]"#.into(),
                r#"{"e":5}"#.into(),
                1.into(),
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null
            ],
            vec!["[]".into(), Value::Null, Value::Null, 7.into(), "Ada".into(), "x".into(), 2.into()],
        ]
    );
}

#[tokio::test]
async fn a_list_of_objects_is_a_table_too() {
    let list = "\u{feff}[\n  {\"a\": \"x, ]}\\\"\", \"b\": [1, 2]},\n  {\"a\": \"y\"}\n]\n";
    let wide: Vec<u8> = list.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for content in [list.as_bytes(), &wide] {
        let loaded = named("list.json", content).unwrap();
        assert_eq!(
            rows(&loaded, "SELECT a, b FROM list").await,
            [vec!["x, ]}\"".into(), "[1,2]".into()], vec!["y".into(), Value::Null]]
        );
    }
    // Many programs call an object a line `.json`.
    let loaded = named("lines.json", "{\"a\": 1}\n{\"a\": 2}").unwrap();
    assert_eq!(rows(&loaded, "SELECT sum(a) FROM lines").await, [[3.into()]]);
    // Objects that lie across the end of what is read at once.
    let long: Vec<String> =
        (0..5000).map(|row| format!("{{\"n\": {row}, \"t\": \"{row:0>200}\"}}")).collect();
    for content in [format!("[{}]", long.join(",\n")), long.join("\n")] {
        let loaded = named("long.json", content).unwrap();
        assert_eq!(
            rows(&loaded, "SELECT count(*), sum(n), sum(length(t)) FROM long").await,
            [[5000.into(), 12_497_500.into(), 1_000_000.into()]]
        );
    }
}

#[test]
fn what_is_broken_is_told_with_its_line() {
    for (name, content, expected) in [
        ("a.jsonl", "{\"a\": 1}\n\n{\"a\": }\n", "line 3: expected value"),
        ("a.jsonl", "{\"a\": 1}\n{\"a\": 1", "line 2: EOF while parsing an object"),
        ("a.jsonl", "{\"a\": 1} {\"a\": 2}\n", "line 1: trailing characters"),
        ("a.jsonl", "{\"a\": 1}\n[1]\n", "line 2: invalid type: sequence, expected an object"),
        ("a.jsonl", "{\"a\": 1e999}\n", "line 1: number out of range"),
        ("a.jsonl", "{}\n{}\n", "there is no object with a key in it"),
        ("a.jsonl", " \n", "the file is empty"),
        ("a.json", "", "the file is empty"),
        ("a.json", "[]", "there is no object with a key in it"),
        ("a.json", "[\n{\"a\": 1},\n{\"a\":\n x}]", "line 4: expected value"),
        ("a.json", "[{\"a\": 1},\n]", "line 2: nothing stands behind a comma of its list"),
        ("a.json", "[{\"a\": 1},\n{\"a\": 2}\n", "line 3: its list has no end"),
        ("a.json", "[{\"a\": 1}]\n{}", "line 2: something follows the end of its list"),
        ("a.json", "[1, 2]", "line 1: invalid type: integer `1`, expected an object"),
        ("a.json", "{\n\"a\": [{\"b\": 1}]\n}", "it is neither a list of objects nor an object a line"),
        ("a.json", "{\"a\": [{\"b\": 1}]}", "it is one object and no list of objects"),
        ("a.json", "\"text\"", "it is neither a list of objects nor an object a line"),
        ("a.json", b"{\"a\": \"\xff\0\"}".as_slice().escape_ascii().to_string().as_str(), "it is neither"),
    ] {
        let error = refused(name, content);
        assert!(error.contains(expected), "{content:?}: {error}");
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn what_is_too_deep_too_long_or_too_wide_is_refused() {
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(5000), "]".repeat(5000));
    assert!(refused("a.jsonl", &deep).contains("line 1: recursion limit exceeded"));
    let deep = format!("[{}1{}]", "{\"a\":".repeat(5000), "}".repeat(5000));
    assert!(refused("a.json", &deep).contains("line 1: recursion limit exceeded"));
    let long = format!("{{\"a\": 1}}\n{{\"a\": \"{}\"}}\n", "x".repeat(17 << 20));
    assert!(refused("a.jsonl", &long).contains("line 2: an object takes more than 16 MB"));
    let long = format!("[{{\"a\": 1}},\n{{\"a\": \"{}\"}}]", "x".repeat(17 << 20));
    assert!(refused("a.json", &long).contains("line 2: an object takes more than 16 MB"));
    let wide: Vec<String> = (0..3000).map(|key| format!("{{\"k{key}\": 1}}")).collect();
    assert!(
        refused("a.jsonl", wide.join("\n")).contains("line 2001: there are more than 2000 different keys")
    );
}

#[tokio::test]
async fn packed_lines_are_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&b"{\"a\": 1, \"b\": \"x\"}\n".repeat(100_000)).unwrap();
    let packed = packed.finish().unwrap();
    for name in ["one.jsonl.gz", "two.ndjson.gz", "three.json.GZ"] {
        fs::write(folder.path().join(name), &packed).unwrap();
    }
    let loaded = load(folder.path().join("one.jsonl.gz"), &mut |_| {}).unwrap();
    assert_eq!(rows(&loaded, "SELECT sum(a) FROM one").await, [[100_000.into()]]);
    // All three take 6 MB.
    let limits = |megabytes: u64| LoadLimits { files: megabytes << 20, ..LoadLimits::default() };
    let all = ["one.jsonl.gz", "two.ndjson.gz", "three.json.GZ"];
    for name in all {
        assert!(load_within(folder.path().join(name), limits(2), &mut |_| {}).is_ok(), "{name}");
    }
    // What lies in a folder is a table only if it is a list.
    let loaded = load_within(folder.path(), limits(4), &mut |_| {}).unwrap();
    let names: Vec<_> = loaded.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["one", "two"]);
    let error = load_within(folder.path(), limits(3), &mut |_| {}).unwrap_err();
    assert!(matches!(error, DatabaseError::TooLarge { .. }), "{error:?}");
}
