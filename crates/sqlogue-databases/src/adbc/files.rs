//! Files of Parquet, CSV and JSON that DuckDB reads as tables.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// The files of one table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) files: Vec<PathBuf>,
    /// DuckDB's function that reads them.
    pub(super) reader: &'static str,
}

/// The function that reads a file, by what its name ends in; none for what is no file of values.
pub(super) fn reader(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
    let plain = name.strip_suffix(".gz").unwrap_or(&name);
    match plain.rsplit_once('.')?.1 {
        "parquet" | "pq" => Some("read_parquet"),
        "csv" | "tsv" => Some("read_csv"),
        "json" | "jsonl" | "ndjson" => Some("read_json"),
        _ => None,
    }
}

/// The tables that files make: files in one folder whose names differ in numbers alone are parts of one table
/// (`part-0.parquet`, `part-1.parquet`; `sales_2024.csv`, `sales_2025.csv`).
pub(super) fn groups(files: &[PathBuf]) -> Vec<Group> {
    let mut groups: BTreeMap<(String, &'static str), Vec<PathBuf>> = BTreeMap::new();
    for file in files {
        let Some(reader) = reader(file) else { continue };
        groups.entry((common(file), reader)).or_default().push(file.clone());
    }
    let mut made: Vec<Group> = Vec::new();
    for ((common, reader), files) in groups {
        // A file alone keeps the numbers in its name.
        let wanted = match files.as_slice() {
            [file] => stem(file),
            _ => common,
        };
        let mut name = wanted.clone();
        let mut number = 1;
        while made.iter().any(|other| other.name.eq_ignore_ascii_case(&name)) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        made.push(Group { name, files, reader });
    }
    made
}

/// The same group as a table for each file.
pub(super) fn singly(group: &Group) -> Vec<Group> {
    let one = |file: &PathBuf| Group { name: stem(file), files: vec![file.clone()], reader: group.reader };
    group.files.iter().map(one).collect()
}

/// A file's name up to its first dot, of signs that a table's name has.
fn stem(file: &Path) -> String {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    tidy(stem).unwrap_or_else(|| "data".to_owned())
}

/// What is left of a file's name without its numbers, or else the name of its folder, or of the one above where that folder
/// stands for a value (`year=2024`).
fn common(file: &Path) -> String {
    let letters: String =
        stem(file).chars().map(|sign| if sign.is_ascii_digit() { '_' } else { sign }).collect();
    let is_part = matches!(tidy(&letters).as_deref(), None | Some("part" | "data" | "file" | "chunk"));
    if !is_part && let Some(name) = tidy(&letters) {
        return name;
    }
    let folders = file.ancestors().skip(1).filter_map(Path::file_name).map(|name| name.to_string_lossy());
    let named = folders.into_iter().find(|name| !name.contains('=')).and_then(|name| tidy(&name));
    named.or_else(|| tidy(&letters)).unwrap_or_else(|| "data".to_owned())
}

/// A name with an underscore for every run of signs that a name should not have; none where nothing is left.
fn tidy(name: &str) -> Option<String> {
    let is_sign = |sign: char| !(sign.is_alphanumeric());
    let parts: Vec<&str> = name.split(is_sign).filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join("_"))
}

/// A number that changes when one of the files does.
pub(super) fn fingerprint(files: &[PathBuf]) -> i64 {
    let mut hasher = DefaultHasher::new();
    for file in files {
        let known = file.metadata().ok().map(|known| (known.len(), known.modified().ok()));
        (file, known).hash(&mut hasher);
    }
    hasher.finish().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(files: &[&str]) -> Vec<String> {
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        let groups = groups(&files);
        groups.iter().map(|group| format!("{} {} {}", group.name, group.reader, group.files.len())).collect()
    }

    #[test]
    fn parts_of_a_table_are_put_together() {
        assert_eq!(tables(&["/d/sales/part-0.parquet", "/d/sales/part-1.parquet"]), ["sales read_parquet 2"]);
        assert_eq!(tables(&["/d/sales_2024.csv", "/d/sales_2025.csv"]), ["sales read_csv 2"]);
        assert_eq!(tables(&["/d/sales_2024.csv", "/d/notes.txt"]), ["sales_2024 read_csv 1"]);
        assert_eq!(
            tables(&["/d/visits/year=2024/0.parquet", "/d/visits/year=2025/0.parquet"]),
            ["visits read_parquet 2"]
        );
        assert_eq!(
            tables(&["/d/Order Lines.parquet", "/d/customers.csv.gz", "/d/customers.parquet"]),
            ["Order_Lines read_parquet 1", "customers read_csv 1", "customers_2 read_parquet 1"]
        );
    }
}
