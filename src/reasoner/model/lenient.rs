//! JSON as models write it.
//!
//! In fences, between prose, with trailing commas, single quotes, comments, Python's `True` and `None`, without its last
//! braces. What can be read without guessing is read.

use serde_json::{Map, Number, Value};

/// The deepest nesting that is read; real answers have four levels.
const DEEPEST: usize = 32;

/// The most places at which JSON is looked for in one answer.
const MOST_STARTS: usize = 50;

/// The objects in a text, outermost ones, in order.
pub(super) fn objects(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut from = 0;
    for _ in 0..MOST_STARTS {
        let Some(start) = text.get(from..).and_then(|rest| rest.find(['{', '['])).map(|at| from + at) else {
            break;
        };
        let mut parser = Parser { text, at: start };
        match parser.value(0) {
            Some(value @ Value::Object(_)) => {
                found.push(value);
                from = parser.at.max(start + 1);
            }
            Some(value @ Value::Array(_)) if value.as_array().is_some_and(|list| !list.is_empty()) => {
                found.push(value);
                from = parser.at.max(start + 1);
            }
            _ => from = start + 1,
        }
    }
    found
}

/// The contents of the fenced blocks of a text, in order, each with its label (`sql`).
pub(super) fn fences(text: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut parts = text.split("```");
    parts.next();
    while let Some(block) = parts.next() {
        let (label, body) = block.split_once('\n').unwrap_or(("", block));
        let is_label = label.trim().chars().all(|character| character.is_ascii_alphanumeric());
        match is_label {
            true => blocks.push((label.trim().to_ascii_lowercase(), body.trim().to_owned())),
            false => blocks.push((String::new(), block.trim().to_owned())),
        }
        // What comes between two blocks is prose.
        parts.next();
    }
    blocks
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    /// Skips spaces, comments and commas too many.
    fn skip(&mut self, also: &str) {
        loop {
            let rest = self.rest();
            let comment_end = if rest.starts_with("//") {
                Some(rest.find('\n').unwrap_or(rest.len()))
            } else if rest.starts_with("/*") {
                Some(rest.find("*/").map_or(rest.len(), |end| end + 2))
            } else {
                None
            };
            if let Some(end) = comment_end {
                self.at += end;
                continue;
            }
            match self.peek() {
                Some(character) if character.is_whitespace() || also.contains(character) => {
                    self.next();
                }
                _ => return,
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        self.skip("");
        match self.peek()? {
            '{' => self.object(depth),
            '[' => self.array(depth),
            quote @ ('"' | '\'' | '“') => self.string(quote).map(Value::String),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.next();
        let mut object = Map::new();
        loop {
            self.skip(",");
            match self.peek() {
                // The text ends before its last braces: what is there is complete in itself.
                None if object.is_empty() => return None,
                None => return Some(Value::Object(object)),
                Some('}') => {
                    self.next();
                    return Some(Value::Object(object));
                }
                Some(quote @ ('"' | '\'' | '“')) => {
                    let key = self.string(quote)?;
                    self.entry(key, &mut object, depth)?;
                }
                Some(_) => {
                    let key = self.bare()?;
                    self.entry(key, &mut object, depth)?;
                }
            }
        }
    }

    fn entry(&mut self, key: String, object: &mut Map<String, Value>, depth: usize) -> Option<()> {
        self.skip("");
        if !matches!(self.next()?, ':' | '=') {
            return None;
        }
        let value = self.value(depth + 1)?;
        object.insert(key, value);
        Some(())
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.next();
        let mut list = Vec::new();
        loop {
            self.skip(",");
            match self.peek() {
                None => return Some(Value::Array(list)),
                Some(']') => {
                    self.next();
                    return Some(Value::Array(list));
                }
                // A list that was never closed ends with the object around it.
                Some('}') => return Some(Value::Array(list)),
                Some(_) => list.push(self.value(depth + 1)?),
            }
        }
    }

    fn string(&mut self, quote: char) -> Option<String> {
        self.next();
        let end = if quote == '“' { '”' } else { quote };
        let mut text = String::new();
        loop {
            match self.next()? {
                character if character == end => return Some(text),
                '\\' => match self.next()? {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' | 'b' | 'f' => text.push(' '),
                    'u' => text.push(self.escape()),
                    other => text.push(other),
                },
                character => text.push(character),
            }
        }
    }

    fn escape(&mut self) -> char {
        let code = self.rest().get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let Some(code) = code else { return '\u{fffd}' };
        self.at += 4;
        // The second half of a pair follows as its own escape.
        if (0xd800..0xdc00).contains(&code)
            && let Some(low) = self.rest().strip_prefix("\\u").and_then(|rest| rest.get(..4))
            && let Ok(low @ 0xdc00..0xe000) = u32::from_str_radix(low, 16)
        {
            self.at += 6;
            return char::from_u32(0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)).unwrap_or('\u{fffd}');
        }
        char::from_u32(code).unwrap_or('\u{fffd}')
    }

    /// A name without quotes.
    fn bare(&mut self) -> Option<String> {
        let rest = self.rest();
        let end = rest.find(|character: char| !(character.is_alphanumeric() || "_-$.".contains(character)));
        let word = rest.get(..end.unwrap_or(rest.len())).filter(|word| !word.is_empty())?.to_owned();
        self.at += word.len();
        Some(word)
    }

    fn word(&mut self) -> Option<Value> {
        let word = self.rest().strip_prefix('+').map(|_| 1).unwrap_or(0);
        self.at += word;
        let word = self.bare()?;
        let value = match word.to_ascii_lowercase().as_str() {
            "true" | "yes" => Value::Bool(true),
            "false" | "no" => Value::Bool(false),
            "null" | "none" | "nan" | "undefined" => Value::Null,
            _ => match (word.parse::<i64>(), word.parse::<f64>()) {
                (Ok(whole), _) => Value::from(whole),
                (_, Ok(number)) => Number::from_f64(number).map_or(Value::Null, Value::Number),
                _ => Value::String(word),
            },
        };
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_models_write_is_read() {
        let meant = json!({"a": [1, 2.5, true, null], "b": {"c": "x\ny"}});
        for text in [
            r#"{"a": [1, 2.5, true, null], "b": {"c": "x\ny"}}"#,
            "Sure! Here it is:\n```json\n{\"a\": [1, 2.5, true, null,], \"b\": {\"c\": \"x\ny\"},}\n```\nAnything else?",
            "{'a': [1, 2.5, True, None], 'b': {'c': 'x\\ny'}}",
            "{a: [1 2.5, true, null], // note\n b: {c: \"x\\ny\"}}",
            "{\"a\": [1, 2.5, true, null], \"b\": {\"c\": \"x\\ny\"",
        ] {
            assert_eq!(objects(text).first(), Some(&meant), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_passed_over() {
        assert_eq!(objects("use {x} of [ ] and {"), Vec::<Value>::new());
        assert_eq!(objects(&"[".repeat(100_000)), Vec::<Value>::new());
        assert_eq!(objects("{\"a\": \"unfinished"), Vec::<Value>::new());
        assert_eq!(objects("first {\"a\": 1} then {\"a\": 2}").len(), 2);
        assert_eq!(objects(r#"{"a":"\ud83d\ude00 \ud83d x"}"#), [json!({"a": "😀 \u{fffd} x"})]);
    }

    #[test]
    fn fences_have_labels() {
        let text = "so:\n```sql\nSELECT 1\n```\nor\n```\nSELECT 2\n```";
        assert_eq!(
            fences(text),
            [("sql".to_owned(), "SELECT 1".to_owned()), (String::new(), "SELECT 2".to_owned())]
        );
        assert_eq!(fences("```SELECT 1```"), [(String::new(), "SELECT 1".to_owned())]);
    }
}
