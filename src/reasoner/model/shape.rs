//! JSON schemas that servers take in their strict mode.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Value, json};

use super::answers::Answer;

/// The schema of a shape: every object closed, every property required, nothing that strict modes do not know.
pub(super) fn schema<A: Answer>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with_transform(Strict);
    settings.into_generator().into_root_schema_for::<A>().to_value()
}

#[derive(Debug, Clone)]
struct Strict;

impl Transform for Strict {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(object) = schema.as_object_mut() {
            if let Some(choices) = object.remove("oneOf") {
                match constants(&choices) {
                    Some(names) => {
                        object.insert("type".to_owned(), json!("string"));
                        object.insert("enum".to_owned(), names);
                    }
                    None => {
                        object.insert("anyOf".to_owned(), choices);
                    }
                }
            }
            if let Some(constant) = object.remove("const") {
                object.insert("enum".to_owned(), json!([constant]));
            }
            // Documentation is for readers of this code; in a request it would only cost tokens.
            for key in [
                "format",
                "default",
                "minimum",
                "maximum",
                "minLength",
                "maxLength",
                "title",
                "$schema",
                "description",
            ] {
                object.remove(key);
            }
            if object.contains_key("properties") || object.get("type") == Some(&json!("object")) {
                let properties = object.get("properties").and_then(Value::as_object);
                let names: Vec<String> =
                    properties.map(|all| all.keys().cloned().collect()).unwrap_or_default();
                object.insert("required".to_owned(), json!(names));
                object.insert("additionalProperties".to_owned(), json!(false));
            }
        }
        transform_subschemas(self, schema);
    }
}

fn constants(choices: &Value) -> Option<Value> {
    let names: Option<Vec<Value>> =
        choices.as_array()?.iter().map(|choice| choice.get("const").cloned()).collect();
    names.map(Value::Array)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reasoner::model::answers::*;

    fn check(schema: &Value, name: &str) {
        for forbidden in ["oneOf", "allOf", "not", "const", "format", "$schema", "title"] {
            assert!(schema.get(forbidden).is_none(), "{name}: {forbidden} in {schema}");
        }
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            let required: Vec<&str> =
                schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert_eq!(required, properties.keys().map(String::as_str).collect::<Vec<_>>(), "{name}");
            assert_eq!(schema["additionalProperties"], false, "{name}");
        }
        match schema {
            Value::Object(object) => {
                // The names of properties are no keywords.
                for (key, value) in object {
                    match (key.as_str(), value) {
                        ("properties" | "$defs", Value::Object(inner)) => {
                            inner.values().for_each(|schema| check(schema, name));
                        }
                        _ => check(value, name),
                    }
                }
            }
            Value::Array(list) => list.iter().for_each(|schema| check(schema, name)),
            _ => {}
        }
    }

    #[test]
    fn every_shape_fits_strict_servers() {
        fn one<A: Answer>() {
            let schema = schema::<A>();
            assert_eq!(schema["type"], "object");
            for needed in A::NEEDED {
                assert!(schema["properties"].get(needed).is_some(), "{needed}");
            }
            check(&schema, A::NAME);
        }
        one::<RelevanceAnswer>();
        one::<TablesAnswer>();
        one::<RefinementAnswer>();
        one::<UnderstandingAnswer>();
        one::<JoinsAnswer>();
        one::<PlanAnswer>();
        one::<RouterAnswer>();
        one::<SqlAnswer>();
        one::<IntentAnswer>();
    }
}
