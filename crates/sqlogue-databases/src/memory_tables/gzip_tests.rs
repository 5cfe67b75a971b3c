use std::fs;

use super::tests::rows;
use super::*;

/// What gzip makes of a text.
fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, content).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn packed_csv_is_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    // Several members after each other are one text.
    let members = [gzip(b"id,name\n1,Ada\n"), gzip(b"2,Bo\n")].concat();
    fs::write(path("people.csv.gz"), members).unwrap();
    fs::write(path("Orders.TSV.GZ"), gzip(b"id\tpeople_id\tnote\n10,5\t1\ta,b\n11\t2\tc\n")).unwrap();
    let content: Vec<u8> = "id;Wert\n1;1,5\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    fs::write(path("wide.csv.gz"), gzip(&[b"\xFE\xFF".as_slice(), &content].concat())).unwrap();
    fs::write(path("plain.csv"), "a\n1\n").unwrap();
    fs::write(path("backup.gz"), gzip(b"nothing")).unwrap();
    let mut last = (0, 0);
    let loaded = load(folder.path(), &mut |progress| last = (progress.done, progress.total)).unwrap();
    assert_eq!(last.0, last.1);
    let names: Vec<_> = loaded.tables.iter().map(|table| (table.name.as_str(), table.rows)).collect();
    assert_eq!(names, [("Orders", 2), ("people", 2), ("plain", 1), ("wide", 1)]);
    let joined = "SELECT name, note FROM Orders JOIN people ON people_id = people.id ORDER BY name";
    assert_eq!(rows(&loaded, joined).await, [["Ada".into(), "a,b".into()], ["Bo".into(), "c".into()]]);
    assert_eq!(rows(&loaded, "SELECT Wert FROM wide").await, [[1.5.into()]]);
    assert_eq!(loaded.tables[0].source, "Orders.TSV.GZ");
    assert!(is_loadable("x.csv.gz") && !is_loadable("x.gz") && !is_loadable("x.xlsx.gz"));
}

#[test]
fn damaged_and_swollen_packed_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.csv.gz");
    let refused = |content: &[u8], megabytes: u64| {
        fs::write(&path, content).unwrap();
        let limits = LoadLimits { files: megabytes << 20, ..LoadLimits::default() };
        load_within(&path, limits, &mut |_| {}).unwrap_err()
    };
    let text = (0..20_000).map(|row| format!("{row},{}\n", row * 7919 % 1000)).collect::<String>();
    let packed = gzip(format!("a,b\n{text}").as_bytes());
    let mut flipped = packed.clone();
    let middle = flipped.len() / 2;
    flipped[middle..middle + 8].iter_mut().for_each(|byte| *byte ^= 0x55);
    for (content, expected) in [
        (&packed[..packed.len() / 2], "it is packed with gzip, and its end is missing"),
        (&packed[..packed.len() - 2], "it is packed with gzip, and its end is missing"),
        (&flipped, "it is not packed with gzip, or damaged"),
        (b"id,name\n1,Ada\n", "it is not packed with gzip, or damaged"),
        (b"", "the file is empty"),
    ] {
        let error = refused(content, 2048);
        assert!(matches!(error, DatabaseError::Unreadable { .. }), "{error:?}");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(error.to_string().contains("data.csv.gz"), "{error}");
    }
    assert!(refused(&gzip(b""), 1).to_string().contains("the file is empty"));
    let bomb = gzip(&vec![b'\n'; 20 << 20]);
    assert!(bomb.len() < 100 << 10);
    let error = refused(&bomb, 10);
    assert!(matches!(error, DatabaseError::TooLarge { .. }), "{error:?}");
    assert!(error.to_string().contains("unpacks to more than the 10 MB"), "{error}");
    assert!(error.hint().is_some());
}

#[test]
fn other_json_files_beside_data_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| fs::write(folder.path().join(name), content).unwrap();
    write("sales.csv", "a\n1\n");
    write("package.json", "{\"name\": \"sales\"}");
    write("tags.json", "[\"a\", \"b\"]");
    write("empty.json", "");
    write("rows.json", " [ {\"a\": 1} ]");
    let loaded = load(folder.path(), &mut |_| {}).unwrap();
    let names: Vec<_> = loaded.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["rows", "sales"]);
}
