use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::basic::{Compression, GzipLevel, ZstdLevel};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType,
    FloatType, Int32Type, Int64Type, Int96, Int96Type,
};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::parser::parse_message_type;
use tempfile::TempDir;

use super::super::tests::{rows, types};
use super::super::{LoadLimits, Loaded, Note, load, load_within};
use crate::DatabaseError;
use sqlogue_sql::schema::Value;

/// A group of rows that is being written.
type Group<'a> = SerializedRowGroupWriter<'a, File>;

/// Writes the next column of a group: its values, and which rows have one.
fn column<T: DataType>(group: &mut Group<'_>, values: &[T::T], levels: Option<&[i16]>) {
    column_of_lists::<T>(group, values, levels, None);
}

fn column_of_lists<T: DataType>(
    group: &mut Group<'_>,
    values: &[T::T],
    levels: Option<&[i16]>,
    repeats: Option<&[i16]>,
) {
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(values, levels, repeats).unwrap();
    column.close().unwrap();
}

fn texts(texts: &[&str]) -> Vec<ByteArray> {
    texts.iter().map(|text| ByteArray::from(*text)).collect()
}

/// Writes a file whose groups of rows are written one after the other.
fn file(
    name: &str,
    schema: &str,
    packing: Compression,
    groups: &[&dyn Fn(&mut Group<'_>)],
) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(packing).build());
    let mut writer = SerializedFileWriter::new(File::create(&path).unwrap(), schema, properties).unwrap();
    for group in groups {
        let mut next = writer.next_row_group().unwrap();
        group(&mut next);
        next.close().unwrap();
    }
    writer.close().unwrap();
    (folder, path)
}

fn loaded(path: &Path) -> Loaded {
    load(path, &mut |_| {}).unwrap()
}

#[tokio::test]
async fn columns_are_what_the_file_says() {
    let schema = "message schema {
        REQUIRED INT64 id; OPTIONAL BYTE_ARRAY name (UTF8); OPTIONAL BOOLEAN member; OPTIONAL INT32 born (DATE);
        OPTIONAL FLOAT weight; OPTIONAL DOUBLE height; OPTIONAL INT32 price (DECIMAL(9, 2));
        OPTIONAL FIXED_LEN_BYTE_ARRAY (9) debt (DECIMAL(20, 3)); OPTIONAL INT64 seen (TIMESTAMP(MICROS, true));
        OPTIONAL INT64 left (TIMESTAMP_MILLIS); OPTIONAL INT32 wakes (TIME_MILLIS); OPTIONAL INT96 old;
        OPTIONAL INT64 large (INTEGER(64, false)); OPTIONAL INT32 small (INTEGER(32, false));
        OPTIONAL FIXED_LEN_BYTE_ARRAY (16) uuid (UUID); OPTIONAL BYTE_ARRAY photo; OPTIONAL INT64 count (DECIMAL(10, 0));
    }";
    let some: Option<&[i16]> = Some(&[1, 0]);
    let write = |group: &mut Group<'_>| {
        column::<Int64Type>(group, &[1, 2], None);
        column::<ByteArrayType>(group, &texts(&["Ada", " "]), Some(&[1, 1]));
        column::<BoolType>(group, &[true], some);
        column::<Int32Type>(group, &[19_782], some);
        column::<FloatType>(group, &[1.1], some);
        column::<DoubleType>(group, &[f64::NAN, 1.75], Some(&[1, 1]));
        column::<Int32Type>(group, &[1999], some);
        let debt = FixedLenByteArray::from(vec![0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFB, 0x2E]);
        column::<FixedLenByteArrayType>(group, &[debt], some);
        column::<Int64Type>(group, &[1_706_696_400_000_001], some);
        column::<Int64Type>(group, &[1_706_696_400_000], some);
        column::<Int32Type>(group, &[3_661_000], some);
        let mut old = Int96::new();
        old.set_data(1_000_000_000, 0, 2_440_589);
        column::<Int96Type>(group, &[old], some);
        column::<Int64Type>(group, &[-1], some);
        column::<Int32Type>(group, &[-1], some);
        column::<FixedLenByteArrayType>(group, &[FixedLenByteArray::from(vec![0xAB; 16])], some);
        column::<ByteArrayType>(group, &[ByteArray::from(vec![0, 0xFF])], some);
        column::<Int64Type>(group, &[1_234_567], some);
    };
    let (_folder, path) = file("people.parquet", schema, Compression::UNCOMPRESSED, &[&write]);
    let loaded = loaded(&path);
    assert_eq!(
        types(&loaded).await.join(" "),
        "people.id INTEGER key people.name TEXT people.member BOOLEAN people.born DATE people.weight REAL \
         people.height REAL people.price REAL people.debt REAL people.seen DATETIME people.left DATETIME \
         people.wakes TIME people.old DATETIME people.large INTEGER people.small INTEGER people.uuid TEXT \
         people.photo BLOB people.count INTEGER"
    );
    let all = rows(&loaded, "SELECT * FROM people").await;
    let expected: Vec<Value> = vec![
        1.into(),
        "Ada".into(),
        1.into(),
        "2024-02-29".into(),
        1.1.into(),
        Value::Null,
        19.99.into(),
        (-1.234).into(),
        "2024-01-31 10:20:00.000001".into(),
        "2024-01-31 10:20:00".into(),
        "01:01:01".into(),
        "1970-01-02 00:00:01".into(),
        18_446_744_073_709_551_615.0.into(),
        4_294_967_295_i64.into(),
        "abababab-abab-abab-abab-abababababab".into(),
    ];
    assert_eq!(all[0][..15], expected);
    assert_eq!(all[0][16], 1_234_567.into());
    assert_eq!(rows(&loaded, "SELECT hex(photo) FROM people").await[0], ["00FF".into()]);
    let mut empty = vec![Value::Null; 17];
    (empty[0], empty[5]) = (2.into(), 1.75.into());
    assert_eq!(all[1], empty);
}

#[tokio::test]
async fn groups_of_rows_follow_each_other_however_they_are_packed() {
    let gzip = Compression::GZIP(GzipLevel::default());
    for packing in [Compression::SNAPPY, gzip, Compression::ZSTD(ZstdLevel::default())] {
        let numbers: Vec<i64> = (0..5000).collect();
        let names: Vec<String> = numbers.iter().map(|number| format!("name {}", number % 7)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let levels: Vec<i16> = numbers.iter().map(|number| i16::from(number % 5 != 0)).collect();
        let there: Vec<ByteArray> = texts(&names)
            .into_iter()
            .zip(&levels)
            .filter(|(_, level)| **level == 1)
            .map(|(text, _)| text)
            .collect();
        let write = |group: &mut Group<'_>| {
            column::<Int64Type>(group, &numbers, None);
            column::<ByteArrayType>(group, &there, Some(&levels));
        };
        let schema = "message m { REQUIRED INT64 id; OPTIONAL BYTE_ARRAY name (STRING); }";
        let (_folder, path) = file("t.parquet", schema, packing, &[&write, &write, &write]);
        let mut last = (0, 0);
        let loaded = load(&path, &mut |progress| last = (progress.done, progress.total)).unwrap();
        assert_eq!(last.0, last.1);
        // The same ids three times are no key.
        assert_eq!(types(&loaded).await, ["t.id INTEGER", "t.name TEXT"]);
        let sql = "SELECT count(*), sum(id), count(name), sum(name = 'name 3'), sum(name <> 'name ' || (id % 7)) FROM t";
        let expected: [Value; 5] = [15_000.into(), 37_492_500.into(), 12_000.into(), 1713.into(), 0.into()];
        assert_eq!(rows(&loaded, sql).await, [expected]);
    }
}

#[tokio::test]
async fn lists_and_groups_are_json() {
    let schema = "message m {
        OPTIONAL group tags (LIST) { REPEATED group list { OPTIONAL BYTE_ARRAY element (UTF8); } }
        REQUIRED INT32 n;
        OPTIONAL group place { REQUIRED DOUBLE x; OPTIONAL INT32 day (DATE); }
        REQUIRED group marks (MAP) { REPEATED group key_value { REQUIRED BYTE_ARRAY key (UTF8); REQUIRED INT32 value; } }
    }";
    let write = |group: &mut Group<'_>| {
        column_of_lists::<ByteArrayType>(
            group,
            &texts(&["a", "b\""]),
            Some(&[3, 3, 2, 0]),
            Some(&[0, 1, 1, 0]),
        );
        column::<Int32Type>(group, &[5, 6], None);
        column::<DoubleType>(group, &[1.5], Some(&[1, 0]));
        column::<Int32Type>(group, &[0], Some(&[2, 0]));
        column_of_lists::<ByteArrayType>(group, &texts(&["k"]), Some(&[1, 0]), Some(&[0, 0]));
        column_of_lists::<Int32Type>(group, &[9], Some(&[1, 0]), Some(&[0, 0]));
    };
    let (_folder, path) = file("nested.parquet", schema, Compression::SNAPPY, &[&write]);
    let loaded = loaded(&path);
    assert_eq!(
        types(&loaded).await,
        ["nested.tags TEXT", "nested.n INTEGER", "nested.place TEXT", "nested.marks TEXT"]
    );
    assert_eq!(
        rows(&loaded, "SELECT * FROM nested").await,
        [
            vec![
                r#"["a","b\"",null]"#.into(),
                5.into(),
                r#"{"x":1.5,"day":"1970-01-01"}"#.into(),
                r#"{"k":9}"#.into()
            ],
            vec![Value::Null, 6.into(), Value::Null, "{}".into()],
        ]
    );
}

const PLAIN: &str = "message m { REQUIRED INT64 id; REQUIRED BYTE_ARRAY name (UTF8); }";

fn plain(group: &mut Group<'_>) {
    column::<Int64Type>(group, &(0..3000).collect::<Vec<i64>>(), None);
    let names: Vec<String> = (0..3000).map(|number| format!("name {number}")).collect();
    column::<ByteArrayType>(group, &texts(&names.iter().map(String::as_str).collect::<Vec<_>>()), None);
}

#[tokio::test]
async fn a_folder_holds_files_of_all_kinds() {
    let (folder, _) = file("sales.parquet", PLAIN, Compression::SNAPPY, &[&plain]);
    fs::write(folder.path().join("customers.csv"), "id,name\n1,Ada\n").unwrap();
    fs::write(folder.path().join("visits.jsonl"), "{\"sales_id\": 7}\n").unwrap();
    let loaded = loaded(folder.path());
    let names: Vec<_> = loaded.tables.iter().map(|table| (table.name.as_str(), table.rows)).collect();
    assert_eq!(names, [("customers", 1), ("sales", 3000), ("visits", 1)]);
    let joined = "SELECT name FROM visits JOIN sales ON sales_id = sales.id";
    assert_eq!(rows(&loaded, joined).await, [["name 7".into()]]);
    assert_eq!(types(&loaded).await[2], "sales.id INTEGER key");
}

#[test]
fn no_damage_ends_the_program() {
    let (_folder, path) = file("data.parquet", PLAIN, Compression::SNAPPY, &[&plain]);
    let whole = fs::read(&path).unwrap();
    let refused = |content: &[u8]| {
        fs::write(&path, content).unwrap();
        load(&path, &mut |_| {}).err()
    };
    for content in [&b""[..], b"PAR1", b"a,b\n1,2\n3,4\n5,6\n", &whole[..whole.len() / 2], &whole[1..]] {
        let error = refused(content).unwrap();
        assert!(matches!(error, DatabaseError::Unreadable { .. }), "{error:?}");
        assert!(error.to_string().contains("it is no Parquet file, or damaged"), "{error}");
    }
    // Wherever a byte is wrong, there are rows or an error, and nothing else.
    let mut errors = 0;
    for round in 0..400_usize {
        let mut content = whole.clone();
        // Most of them in the description, where most can go wrong.
        let at = if round % 4 == 0 { round * 7919 % whole.len() } else { whole.len() - 1 - round % 300 };
        content[at] ^= 1 << (round % 8) | 0x80 >> (round / 300 % 8);
        errors += usize::from(refused(&content).is_some());
    }
    assert!(errors > 100, "{errors}");
}

#[test]
fn what_unpacks_to_too_much_is_refused() {
    let write = |group: &mut Group<'_>| {
        let text = ByteArray::from(vec![b'x'; 1 << 20]);
        let different = |number: u8| ByteArray::from([text.data(), &[number]].concat());
        column::<ByteArrayType>(group, &(0..16).map(different).collect::<Vec<_>>(), None);
    };
    let schema = "message m { REQUIRED BYTE_ARRAY a (UTF8); }";
    let (_folder, path) = file("bomb.parquet", schema, Compression::SNAPPY, &[&write]);
    assert!(fs::metadata(&path).unwrap().len() < 2 << 20);
    let refused = |files: u64, workbook: u64| {
        let limits = LoadLimits { files: files << 20, workbook: workbook << 20 };
        load_within(&path, limits, &mut |_| {}).unwrap_err()
    };
    let error = refused(8, 512);
    assert!(matches!(error, DatabaseError::TooLarge { .. }), "{error:?}");
    assert!(error.to_string().contains("it unpacks to 16 MB, and 7 MB may still be loaded"), "{error}");
    let error = refused(512, 1);
    assert!(matches!(error, DatabaseError::TooLarge { .. }), "{error:?}");
    assert!(error.to_string().contains("its pages take more than 1 MB of memory at once"), "{error}");
    let loaded = loaded(&path);
    assert_eq!(loaded.tables[0].notes, [Note::CutCells { count: 16 }]);
}
