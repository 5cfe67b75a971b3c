//! What differs between two states, field by field.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value as Json;
use sqlogue_base::json;

/// A line for each field that differs: `- field: before`, `+ field: after`.
pub(super) fn of(before: &impl Serialize, after: &impl Serialize) -> Vec<String> {
    let (before, after) = (fields(before), fields(after));
    let mut lines = Vec::new();
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let (old, new) = (before.get(name), after.get(name));
        if old == new {
            continue;
        }
        lines.extend(old.map(|old| format!("- {name}: {old}")));
        lines.extend(new.map(|new| format!("+ {name}: {new}")));
    }
    lines
}

/// Every value that holds no other, under its path.
fn fields(value: &impl Serialize) -> BTreeMap<String, String> {
    let mut fields = BTreeMap::new();
    // What cannot be written as JSON has no fields; states always can.
    if let Ok(json) = json::value(value) {
        collect("", &json, &mut fields);
    }
    fields
}

fn collect(path: &str, value: &Json, fields: &mut BTreeMap<String, String>) {
    match value {
        Json::Object(object) => {
            for (name, value) in object {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                collect(&path, value, fields);
            }
        }
        Json::Array(items) => {
            for (number, value) in items.iter().enumerate() {
                collect(&format!("{path}[{number}]"), value, fields);
            }
        }
        // An empty field and one that is not there say the same.
        Json::Null => {}
        value => {
            fields.insert(path.to_owned(), value.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn only_what_differs_is_told() {
        let before = json!({"same": 1, "query": null, "turns": ["a"], "status": {"is": "open"}});
        let after = json!({"same": 1, "query": "SELECT 1", "turns": ["a", "b"], "status": {"is": "done"}});
        assert_eq!(
            super::of(&before, &after),
            ["+ query: \"SELECT 1\"", "- status.is: \"open\"", "+ status.is: \"done\"", "+ turns[1]: \"b\""]
        );
    }
}
