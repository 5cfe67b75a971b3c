//! From JSON that nearly has a shape to JSON that has it.
//!
//! The JSON schema of the shape says what is wanted; names in another case, numbers as text, one value in place of a
//! list and near misses of a choice are bent into it, and what is missing gets a default.

use serde_json::{Map, Value, json};

use crate::base::near::{nearest, plain};

/// Below this likeness two names are not the same name misspelt.
const NEAR: f64 = 0.8;

/// Bends `value` into the shape of `schema`.
///
/// # Errors
/// What is wrong, in words for whoever wrote the value.
pub(super) fn coerce(value: Value, schema: &Value, needed: &[&str]) -> Result<Value, String> {
    let value = unwrap(value, needed);
    let value = match (&value, schema.get("properties").and_then(Value::as_object)) {
        // A list in place of the object that has one list.
        (Value::Array(_), Some(properties)) => {
            let lists: Vec<&String> = properties
                .iter()
                .filter(|(_, schema)| schema.get("type") == Some(&json!("array")))
                .map(|(name, _)| name)
                .collect();
            match lists.as_slice() {
                [only] => json!({ *only: value }),
                _ => return Err("the answer is a list where an object is wanted".to_owned()),
            }
        }
        _ => value,
    };
    if let Value::Object(object) = &value {
        for name in needed {
            if find(object, name, &[]).is_none() {
                return Err(format!("the field `{name}` is missing"));
            }
        }
    }
    bend(value, schema, schema, "the answer")
}

/// The answer inside a list of one, or inside an object that holds nothing else.
fn unwrap(value: Value, needed: &[&str]) -> Value {
    let has = |value: &Value| {
        let object = value.as_object();
        object.is_some_and(|object| needed.iter().all(|name| find(object, name, &[]).is_some()))
    };
    let inner = match &value {
        Value::Array(list) if list.len() == 1 => list.first(),
        Value::Object(object) if object.len() == 1 && !has(&value) => object.values().next(),
        _ => None,
    };
    match inner {
        Some(inner) if !needed.is_empty() && has(inner) => inner.clone(),
        _ => value,
    }
}

fn bend(value: Value, schema: &Value, root: &Value, place: &str) -> Result<Value, String> {
    let schema = resolve(schema, root);
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        if value.is_null() && choices.iter().any(|choice| choice.get("type") == Some(&json!("null"))) {
            return Ok(Value::Null);
        }
        let mut problem = format!("{place} has no shape that is known");
        for choice in choices.iter().filter(|choice| choice.get("type") != Some(&json!("null"))) {
            match bend(value.clone(), choice, root, place) {
                Ok(value) => return Ok(value),
                Err(error) => problem = error,
            }
        }
        return Err(problem);
    }
    if let Some(names) = schema.get("enum").and_then(Value::as_array) {
        return choice(&value, names, place);
    }
    let (kind, nullable) = kind(schema);
    match (kind, value) {
        (_, Value::Null) if nullable => Ok(Value::Null),
        ("object", Value::Object(object)) => bend_object(object, schema, root, place),
        ("array", value) => bend_array(value, schema, root, place),
        ("string", value) => Ok(text(&value).map_or(Value::Null, Value::String)).map(|value| match value {
            Value::Null => json!(""),
            value => value,
        }),
        ("boolean", value) => {
            truth(&value).map(Value::Bool).ok_or_else(|| format!("{place} must be true or false"))
        }
        ("number", value) => {
            number(&value).map(|number| json!(number)).ok_or_else(|| format!("{place} must be a number"))
        }
        ("integer", value) => match number(&value) {
            Some(number) => Ok(json!(number.round().clamp(-9e15, 9e15) as i64)),
            None if nullable => Ok(Value::Null),
            None => Err(format!("{place} must be a whole number")),
        },
        (kind, _) => Err(format!("{place} must be an {kind}")),
    }
}

fn resolve<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
    target.and_then(|path| root.pointer(path)).unwrap_or(schema)
}

/// A schema's type, and whether null will do.
fn kind(schema: &Value) -> (&str, bool) {
    match schema.get("type") {
        Some(Value::String(kind)) => (kind, false),
        Some(Value::Array(kinds)) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            let kind = kinds.iter().find(|kind| **kind != "null").copied().unwrap_or("null");
            (kind, kinds.contains(&"null"))
        }
        _ => ("object", false),
    }
}

fn bend_object(
    mut object: Map<String, Value>,
    schema: &Value,
    root: &Value,
    place: &str,
) -> Result<Value, String> {
    let mut bent = Map::new();
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Ok(Value::Object(object));
    };
    let names: Vec<&str> = properties.keys().map(String::as_str).collect();
    for (name, schema) in properties {
        let found = find(&object, name, &names);
        let value = match found.and_then(|key| object.remove(&key)) {
            Some(value) => match bend(value, schema, root, &format!("`{name}`")) {
                Ok(value) => value,
                // A choice that nobody can guess has no default.
                Err(problem) if is_choice(schema, root) => return Err(problem),
                Err(_) => default(schema, root, place)?,
            },
            None => default(schema, root, name)?,
        };
        bent.insert(name.clone(), value);
    }
    Ok(Value::Object(bent))
}

fn is_choice(schema: &Value, root: &Value) -> bool {
    resolve(schema, root).get("enum").is_some()
}

/// The key under which a property is found: its name, in any case and spelling that is near.
fn find(object: &Map<String, Value>, name: &str, others: &[&str]) -> Option<String> {
    if object.contains_key(name) {
        return Some(name.to_owned());
    }
    let wanted = plain(name);
    if let Some(key) = object.keys().find(|key| plain(key) == wanted) {
        return Some(key.clone());
    }
    let free = object.keys().map(String::as_str).filter(|key| !others.contains(key));
    nearest(name, free, NEAR).map(str::to_owned)
}

fn default(schema: &Value, root: &Value, place: &str) -> Result<Value, String> {
    let schema = resolve(schema, root);
    if schema.get("anyOf").is_some() {
        return Ok(Value::Null);
    }
    if let Some(names) = schema.get("enum").and_then(Value::as_array) {
        // Where a choice is not needed, its last and weakest member stands for silence.
        return names.last().cloned().ok_or_else(|| format!("`{place}` is missing"));
    }
    match kind(schema) {
        (_, true) => Ok(Value::Null),
        ("array", _) => Ok(json!([])),
        ("string", _) => Ok(json!("")),
        ("boolean", _) => Ok(json!(false)),
        // Half sure: a model that does not say how sure it is has said nothing about it.
        ("number", _) => Ok(json!(0.5)),
        ("integer", _) => Ok(json!(0)),
        _ => Err(format!("`{place}` is missing")),
    }
}

fn bend_array(value: Value, schema: &Value, root: &Value, place: &str) -> Result<Value, String> {
    let items = schema.get("items").unwrap_or(&Value::Null);
    let list = match value {
        Value::Array(list) => list,
        Value::Null => Vec::new(),
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        Value::Object(object) => match by_name(&object, resolve(items, root)) {
            Some(list) => list,
            None => vec![Value::Object(object)],
        },
        one => vec![one],
    };
    let mut bent = Vec::new();
    for item in list {
        if item.is_null() {
            continue;
        }
        let item = name_alone(item, resolve(items, root));
        if let Ok(item) = bend(item, items, root, place)
            && item != json!("")
        {
            bent.push(item);
        }
    }
    Ok(Value::Array(bent))
}

/// `{"orders": ["id"]}` in place of `[{"name": "orders", "columns": ["id"]}]`.
fn by_name(object: &Map<String, Value>, items: &Value) -> Option<Vec<Value>> {
    let properties = items.get("properties")?.as_object()?;
    if properties.keys().any(|name| find(object, name, &[]).is_some()) {
        return None;
    }
    let of_kind = |wanted: &str| {
        let found = properties.iter().find(|(_, schema)| schema.get("type") == Some(&json!(wanted)));
        found.map(|(name, _)| name.clone())
    };
    let (name, list) = (of_kind("string")?, of_kind("array")?);
    let entry = |(key, value): (&String, &Value)| json!({ &name: key, &list: value });
    Some(object.iter().map(entry).collect())
}

/// `"orders"` in place of `{"name": "orders", …}`, and `"a.id = b.id"` in place of `{"left": …, "right": …}`.
fn name_alone(item: Value, items: &Value) -> Value {
    let (Value::String(text), Some(properties)) = (&item, items.get("properties").and_then(Value::as_object))
    else {
        return item;
    };
    if let (Some((left, right)), true, true) =
        (text.split_once('='), properties.contains_key("left"), properties.contains_key("right"))
    {
        return json!({"left": left.trim(), "right": right.trim()});
    }
    match properties.keys().next() {
        Some(first) => json!({ first: text }),
        None => item,
    }
}

fn choice(value: &Value, names: &[Value], place: &str) -> Result<Value, String> {
    let said = text(value).unwrap_or_default();
    let said = plain(&said);
    let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
    if let Some(name) = names.iter().find(|name| plain(name) == said) {
        return Ok(json!(name));
    }
    // `inline` for `revise_query_inline`: a part that only one of them has.
    let parts: Vec<&&str> =
        names.iter().filter(|name| said.len() >= 3 && plain(name).contains(&said)).collect();
    if let [only] = parts.as_slice() {
        return Ok(json!(only));
    }
    let wholes: Vec<&&str> = names.iter().filter(|name| said.contains(&plain(name))).collect();
    if let [only] = wholes.as_slice() {
        return Ok(json!(only));
    }
    match nearest(&said, names.iter().copied(), NEAR) {
        Some(name) => Ok(json!(name)),
        None => Err(format!("{place} must be one of `{}`", names.join("`, `"))),
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(list) => Some(list.iter().filter_map(text).collect::<Vec<_>>().join(", ")),
        Value::Object(object) => Some(object.values().filter_map(text).collect::<Vec<_>>().join(" ")),
    }
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::Number(number) => number.as_f64().map(|number| number != 0.0),
        Value::String(text) => match plain(text).as_str() {
            "true" | "yes" | "y" | "1" | "relevant" => Some(true),
            "false" | "no" | "n" | "0" | "irrelevant" | "" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match plain(text).as_str() {
            "high" | "veryhigh" | "certain" => Some(0.9),
            "medium" | "moderate" => Some(0.6),
            "low" | "verylow" => Some(0.3),
            _ => match text.trim().strip_suffix('%') {
                Some(percent) => percent.trim().parse::<f64>().ok().map(|number| number / 100.0),
                None => text.trim().parse().ok(),
            },
        },
        _ => None,
    }
    .filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reasoner::model::answers::*;
    use crate::reasoner::model::shape::schema;

    fn read<A: Answer>(value: Value) -> Result<A, String> {
        let value = coerce(value, &schema::<A>(), A::NEEDED)?;
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn near_misses_are_bent_into_shape() {
        let answer = json!({"isRelevant": "yes", "Confidence": "80%", "relevant_column": "name", "extra": 1});
        let answer: RelevanceAnswer = read(answer).unwrap();
        assert!(answer.is_relevant && answer.confidence == 0.8 && answer.relevant_columns == ["name"]);

        let answer: RouterAnswer = read(json!({"decision": "inline", "query": null})).unwrap();
        assert_eq!((answer.decision, answer.query), (Decision::ReviseQueryInline, None));
        let answer: RouterAnswer =
            read(json!({"decision": "Update plan.", "instructions": ["a", "b"]})).unwrap();
        assert_eq!((answer.decision, answer.instructions.as_str()), (Decision::UpdatePlan, "a, b"));

        let answer: UnderstandingAnswer =
            read(json!({"tables": {"orders": ["id", null]}, "limit": "5"})).unwrap();
        assert_eq!((answer.tables[0].name.as_str(), answer.tables[0].columns.len()), ("orders", 1));
        assert_eq!((answer.limit, answer.joins_needed), (Some(5), None));

        let answer: JoinsAnswer = read(json!({"joins": ["a.id = b.a_id"], "confidence": "high"})).unwrap();
        assert_eq!((answer.joins[0].left.as_str(), answer.joins[0].right.as_str()), ("a.id", "b.a_id"));

        let answer: TablesAnswer = read(json!([{"table": "orders"}, "customers"])).unwrap();
        assert_eq!(answer.tables.len(), 2);
    }

    #[test]
    fn what_cannot_be_guessed_is_said() {
        assert_eq!(
            read::<RelevanceAnswer>(json!({"reasoning": "x"})).unwrap_err(),
            "the field `is_relevant` is missing"
        );
        let error = read::<RouterAnswer>(json!({"decision": "dance"})).unwrap_err();
        assert!(error.starts_with("`decision` must be one of `revise_query_inline`"), "{error}");
        assert!(read::<SqlAnswer>(json!({"sql": null})).unwrap().sql.is_none());
    }
}
