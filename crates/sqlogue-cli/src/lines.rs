//! JSON lines from standard input: every line is reported, also one that cannot be read.

use std::collections::BTreeSet;
use std::io::{BufRead, Read as _, Write as _};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::schema::nearest;
use super::show::text;
use sqlogue_base::json;

/// The longest line that is read. A question may be a megabyte; a history of ten of them still fits.
const LONGEST: u64 = 32 << 20;

/// A file with more unknown fields than these has them on purpose.
const MOST_NOTED: usize = 5;

/// One line of the input, understood or not.
#[derive(Debug)]
pub(super) struct Input<T> {
    /// What it calls itself, as far as that could be read.
    pub(super) id: Json,
    /// What it asks; else what is wrong with it, and in which line.
    pub(super) asked: Result<T, String>,
}

/// Reads lines one by one, each when it is asked for, so that a program can wait for an answer before it asks on.
pub(super) struct Lines<R> {
    from: R,
    number: u64,
    /// The fields of which something was said; said once, it is enough.
    noted: BTreeSet<String>,
}

impl<R: BufRead> Lines<R> {
    /// The lines of a reader.
    pub(super) fn new(from: R) -> Self {
        Self { from, number: 0, noted: BTreeSet::new() }
    }

    /// The next line; none at the end, or where nothing more can be read.
    pub(super) fn next<T: DeserializeOwned + Serialize>(&mut self) -> Option<Input<T>> {
        let mut bytes = Vec::new();
        let read = self.from.by_ref().take(LONGEST).read_until(b'\n', &mut bytes);
        self.number += 1;
        match read {
            Ok(0) => None,
            Ok(length) if length as u64 == LONGEST && !bytes.ends_with(b"\n") => {
                self.skip_rest();
                Some(self.problem(Json::Null, &format!("longer than the {LONGEST} bytes that are read")))
            }
            Ok(_) => Some(self.understand(&bytes)),
            Err(error) => {
                tracing::error!(%error, line = self.number, "standard input cannot be read any further");
                None
            }
        }
    }

    fn understand<T: DeserializeOwned + Serialize>(&mut self, bytes: &[u8]) -> Input<T> {
        let Ok(text) = str::from_utf8(bytes) else {
            return self.problem(Json::Null, "not text in UTF-8");
        };
        // Some programs begin a file with a byte order mark.
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return self.problem(Json::Null, "empty");
        }
        let object: Json = match serde_json::from_str(text) {
            Ok(object) => object,
            Err(error) => return self.problem(Json::Null, &format!("not valid JSON: {}", place(&error))),
        };
        if !object.is_object() {
            return self.problem(Json::Null, "not a JSON object");
        }
        let id = object.get("id").cloned().unwrap_or(Json::Null);
        let asked = T::deserialize(&object).map_err(|error| error.to_string());
        match asked.and_then(|asked| json::same_shape(&object, &asked).map(|()| asked)) {
            Ok(asked) => {
                self.note(&object, &asked);
                Input { id, asked: Ok(asked) }
            }
            Err(problem) => self.problem(id, &problem),
        }
    }

    /// Says of each field that is no field, once, that nobody reads it; and that `question` was read as `input`, for which
    /// many programs write it.
    fn note<T: Serialize>(&mut self, object: &Json, asked: &T) {
        let known = serde_json::to_value(asked).unwrap_or_default();
        let Some((given, known)) = object.as_object().zip(known.as_object()) else { return };
        for field in given.keys().filter(|field| *field != "id" && !known.contains_key(*field)) {
            if self.noted.len() == MOST_NOTED || !self.noted.insert(field.clone()) {
                continue;
            }
            let what = match field.as_str() {
                "question" if known.contains_key("input") => {
                    "read as `input`, the name of that field".to_owned()
                }
                field => match nearest(field, known.keys().map(String::as_str)) {
                    Some(near) => format!("no field and ignored; did you mean `{near}`?"),
                    None => "no field and ignored".to_owned(),
                },
            };
            // Nobody needs to read it for the answer to be right.
            let _ = writeln!(
                std::io::stderr(),
                "note: line {} has `{}`, which is {what}",
                self.number,
                text::clean(field)
            );
        }
    }

    fn problem<T>(&self, id: Json, problem: &str) -> Input<T> {
        Input { id, asked: Err(format!("line {}: {problem}", self.number)) }
    }

    fn skip_rest(&mut self) {
        loop {
            let Ok(buffer) = self.from.fill_buf() else { return };
            if buffer.is_empty() {
                return;
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(buffer.len(), |end| end + 1);
            self.from.consume(length);
            if end.is_some() {
                return;
            }
        }
    }
}

/// What serde says, without its line number: it counts from each line's own beginning.
fn place(error: &serde_json::Error) -> String {
    let said = error.to_string();
    match said.rsplit_once(" at line ") {
        Some((said, _)) => format!("{said} at column {}", error.column()),
        None => said,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn no_line_is_lost() {
        let mut text = b"{\"id\":1,\"a\":\"b\"}\n\n[1]\nnonsense\n{\"id\":\"x\",\"a\":2}\n\xff\n".to_vec();
        text.extend(b"[".repeat(5000));
        text.extend(b"\n{\"id\":null,\"a\":\"end\"}");
        let mut lines = Lines::new(text.as_slice());
        let mut said = Vec::new();
        while let Some(Input { id, asked }) = lines.next::<BTreeMap<String, Json>>() {
            said.push(
                asked
                    .map_or_else(|problem| format!("{id} {problem}"), |asked| format!("{id} {}", asked["a"])),
            );
        }
        assert_eq!(
            said,
            [
                "1 \"b\"",
                "null line 2: empty",
                "null line 3: not a JSON object",
                "null line 4: not valid JSON: expected ident at column 2",
                "\"x\" 2",
                "null line 6: not text in UTF-8",
                "null line 7: not valid JSON: recursion limit exceeded at column 128",
                "null \"end\"",
            ]
        );
    }
}
