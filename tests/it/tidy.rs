//! Conventions that the compiler does not check.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::root;

/// What the crates below the library offer it as. Which of them uses which is the compiler's to hold.
const CRATES: &[&str] =
    &["base", "files", "graph", "schema", "plan", "sql", "model", "database", "source", "sample", "intent"];

/// Modules that may import everything below the faces.
const ABOVE: &[&str] = &["blocking", "engine", "error", "dialog", "lib"];

fn architecture() -> String {
    fs::read_to_string(root().join("docs/architecture.md")).unwrap()
}

/// Which of our modules each module of the library may import, as the architecture lists it.
fn may_import(architecture: &str) -> Vec<(&str, Vec<&str>)> {
    let (_, list) = architecture.split_once("```text\nconfig ").unwrap();
    let (list, _) = list.split_once("```").unwrap();
    std::iter::once(("config", list.lines().next().unwrap()))
        .chain(list.lines().skip(1).map(|line| line.split_once(' ').unwrap()))
        .filter(|(module, _)| !ABOVE.contains(module))
        .map(|(module, imports)| (module, imports.trim().split(", ").collect()))
        .collect()
}

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
    let architecture = architecture();
    let may_import = may_import(&architecture);
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
        let Some((_, allowed)) = may_import.iter().find(|(name, _)| *name == module) else {
            wrong.insert(format!("`{module}` is not in the list"));
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
                    || may_import.iter().any(|(known, _)| *known == name)
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

/// The compiler holds what each package's `Cargo.toml` says; this holds that the architecture says the same.
#[test]
fn packages_use_what_the_architecture_says() {
    let architecture = architecture();
    let rows = architecture.lines().filter_map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let package = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        (package.starts_with("sqlogue") || package == "xtask")
            .then(|| (package, cells.nth(1).unwrap_or_default()))
    });
    let mut above: BTreeSet<String> = BTreeSet::new();
    for (package, uses) in rows {
        let folder = match package {
            "sqlogue" => root().to_owned(),
            "xtask" => root().join("xtask"),
            other => root().join("crates").join(other),
        };
        let manifest: toml::Table = fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap();
        let used: BTreeSet<String> = manifest["dependencies"]
            .as_table()
            .unwrap()
            .keys()
            .filter(|name| name.starts_with("sqlogue"))
            .map(|name| name.trim_start_matches("sqlogue-").to_owned())
            .collect();
        let said: BTreeSet<String> = match uses {
            "no other package here" => BTreeSet::new(),
            "all of the above" => above.clone(),
            some => some.split(", ").filter(|name| !name.contains(' ')).map(str::to_owned).collect(),
        };
        assert_eq!(used, said, "{package}");
        above.insert(package.trim_start_matches("sqlogue-").to_owned());
    }
    assert_eq!(above.len(), fs::read_dir(root().join("crates")).unwrap().count() + 2, "{above:?}");
}

#[test]
fn the_architecture_names_every_folder() {
    let architecture = architecture();
    for entry in fs::read_dir(root()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let is_ours = entry.path().is_dir() && !name.starts_with('.') && name != "target";
        assert!(
            !is_ours || architecture.contains(&format!("| `{name}/")),
            "`{name}/` is not in `docs/architecture.md`"
        );
    }
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
