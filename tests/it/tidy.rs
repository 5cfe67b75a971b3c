//! Conventions that the compiler does not check.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::root;

/// What the crates below the library offer it as. Which of them uses which is the compiler's to hold.
const CRATES: &[&str] =
    &["base", "files", "graph", "schema", "plan", "sql", "model", "database", "source", "sample", "intent"];

/// Which of our modules each module of the library may import: the table of `docs/architecture.md`.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("config", &["model"]),
    ("ambiguity", &["schema", "plan"]),
    ("lesson", &["schema", "plan", "sql", "files"]),
    ("conversation", &["schema", "plan", "sql", "intent", "ambiguity", "lesson", "graph"]),
    ("answer", &["schema", "plan", "intent", "conversation", "database", "sentence"]),
    ("store", &["schema", "ambiguity", "graph", "conversation", "database", "files"]),
    (
        "reasoner",
        &["schema", "plan", "sql", "intent", "ambiguity", "lesson", "conversation", "graph", "model"],
    ),
    (
        "nodes",
        &[
            "schema",
            "config",
            "plan",
            "sql",
            "intent",
            "ambiguity",
            "lesson",
            "conversation",
            "graph",
            "database",
            "source",
            "reasoner",
        ],
    ),
    ("workflow", &["conversation", "graph", "nodes"]),
    ("examples", &["schema", "plan", "reasoner"]),
    ("sentence", &["schema", "plan", "conversation"]),
    ("totals", &["schema", "plan", "conversation"]),
    ("chart", &["schema", "plan", "conversation", "database", "totals"]),
];

/// Modules that may import everything below the faces.
const ABOVE: &[&str] = &["blocking", "engine", "error", "dialog", "lib"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn imports_point_down() {
    let root = root().join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut wrong = BTreeSet::new();
    for file in files {
        let relative = file.strip_prefix(&root).unwrap();
        let module =
            relative.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs");
        let is_test =
            relative.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs")));
        if is_test || ABOVE.contains(&module) {
            continue;
        }
        let Some((_, allowed)) = MAY_IMPORT.iter().find(|(name, _)| *name == module) else {
            wrong.insert(format!("`{module}` is not in the table"));
            continue;
        };
        let text = fs::read_to_string(&file).unwrap();
        // Tests may use what they like.
        let code = text.split("#[cfg(test)]").next().unwrap();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in lines {
            for imported in line.split("crate::").skip(1) {
                let name: String =
                    imported.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                let ours = CRATES.contains(&name.as_str())
                    || MAY_IMPORT.iter().any(|(known, _)| *known == name)
                    || ABOVE.contains(&name.as_str());
                // What is at the bottom may be used by all.
                if ours && name != module && name != "base" && !allowed.contains(&name.as_str()) {
                    wrong.insert(format!("`{module}` imports `{name}` in {}", relative.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "imports that point up:\n{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
}

/// What a node does not publish as a change, no other node sees, and no journal keeps.
#[test]
fn no_node_applies_changes_itself() {
    let mut files = Vec::new();
    sources(&root().join("src/nodes"), &mut files);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        assert!(!code.contains(".apply(") && !code.contains("to_mut()"), "{}", file.display());
    }
}

/// A node holds what it may touch and no more: few hold the database, and none holds everything.
#[test]
fn few_nodes_hold_the_database() {
    const HOLD_IT: [&str; 4] = ["catalog.rs", "execute_query.rs", "readings.rs", "services.rs"];
    let mut files = Vec::new();
    sources(&root().join("src/nodes"), &mut files);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(!code.contains("dyn Database") || HOLD_IT.contains(&name), "{name} holds the database");
        assert!(!code.contains(": Services") && !code.contains("services."), "{name} holds everything");
    }
}

/// Who else opens files for writing, and why.
const WRITERS: &[(&str, &str)] = &[
    ("crates/sqlogue-base/src/files.rs", "it is the place"),
    ("crates/sqlogue-databases/src/sample/mod.rs", "the sample is nobody's data"),
];

#[test]
fn files_are_written_in_one_place() {
    let mut files = Vec::new();
    sources(&root().join("src"), &mut files);
    sources(&root().join("crates"), &mut files);
    let mut wrong = Vec::new();
    for file in files {
        let relative = file.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
        if WRITERS.iter().any(|(known, _)| *known == relative) || relative.contains("tests") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let writes =
                ["File::create", "fs::write(", "OpenOptions", "NamedTempFile", "fs::copy(", "save_to_file"];
            if writes.iter().any(|way| line.contains(way)) {
                wrong.push(format!("{relative}: {}", line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "written past `files`, where others may read it:\n{}", wrong.join("\n"));
}
