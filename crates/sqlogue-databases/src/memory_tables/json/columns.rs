//! The keys of all objects as columns, and an object as a row of them.
//!
//! Nothing is made of an object but the row: most keys come in the same order in every object, so each is looked for first
//! where it was before.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::Deserialize as _;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::super::table::COLUMNS;
use super::records::Record;

/// So many keys, one within the other, make a column's name; what is deeper stays JSON.
pub(super) const DEEPEST: usize = 4;

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar<'a> {
    /// `null`, or no such key.
    Null,
    Whole(i64),
    Fraction(f64),
    Truth(bool),
    /// A text, a number too large for the others, or JSON.
    Text(Cow<'a, str>),
}

/// The columns so far.
#[derive(Default)]
pub(super) struct Columns {
    top: Level,
    known: Known,
}

#[derive(Default)]
struct Known {
    names: Vec<String>,
    /// How many keys there are on all levels.
    keys: usize,
}

/// The keys of objects at one place.
#[derive(Default)]
struct Level {
    keys: Vec<Key>,
    places: HashMap<String, usize>,
}

struct Key {
    name: String,
    /// The name of the column that it is or would be.
    path: String,
    column: Option<usize>,
    inner: Level,
}

impl Columns {
    /// The names of the columns, as they are in the file.
    pub(super) fn names(&self) -> &[String] {
        &self.known.names
    }

    /// The columns whose keys hold objects too, in rising order.
    pub(super) fn outer(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.top.outer(&mut found);
        found.sort_unstable();
        found
    }

    /// An object as a row. It may be shorter than there are columns.
    pub(super) fn row<'a>(&mut self, record: &Record<'a>) -> Result<Vec<Scalar<'a>>, serde_json::Error> {
        let mut row = vec![Scalar::Null; self.known.names.len()];
        let mut deserializer = serde_json::Deserializer::from_slice(record.text);
        let object =
            Object { level: &mut self.top, known: &mut self.known, row: &mut row, path: "", depth: 1 };
        deserializer.deserialize_map(object)?;
        deserializer.end()?;
        Ok(row)
    }
}

impl Level {
    fn outer(&self, found: &mut Vec<usize>) {
        for key in self.keys.iter().filter(|key| !key.inner.keys.is_empty()) {
            found.extend(key.column);
            key.inner.outer(found);
        }
    }

    /// Where a key is, which may be a new one; most often it is where it is expected.
    fn find(&mut self, name: &str, expected: usize, path: &str, known: &mut Known) -> Option<usize> {
        if self.keys.get(expected).is_some_and(|key| key.name == name) {
            return Some(expected);
        }
        if let Some(at) = self.places.get(name) {
            return Some(*at);
        }
        known.keys += 1;
        if known.keys > COLUMNS {
            return None;
        }
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}_{name}") };
        let at = self.keys.len();
        self.keys.push(Key { name: name.to_owned(), path, column: None, inner: Level::default() });
        self.places.insert(name.to_owned(), at);
        Some(at)
    }
}

/// Reads an object into a row.
struct Object<'c, 'a> {
    level: &'c mut Level,
    known: &'c mut Known,
    row: &'c mut Vec<Scalar<'a>>,
    path: &'c str,
    depth: usize,
}

impl<'a> Visitor<'a> for Object<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<(), M::Error> {
        let Self { level, known, row, path, depth } = self;
        let mut expected = 0;
        while let Some(Scalar::Text(name)) = map.next_key_seed(Text)? {
            let at = level.find(&name, expected, path, known);
            let Some((at, key)) = at.and_then(|at| Some((at, level.keys.get_mut(at)?))) else {
                return Err(M::Error::custom(format!("there are more than {COLUMNS} different keys")));
            };
            expected = at + 1;
            map.next_value_seed(Inner { key, known, row, depth })?;
        }
        Ok(())
    }
}

/// Reads a text without copying it where it can be read as it stands.
struct Text;

impl<'a> DeserializeSeed<'a> for Text {
    type Value = Scalar<'a>;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<Scalar<'a>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a> Visitor<'a> for Text {
    type Value = Scalar<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar<'a>, E> {
        Ok(Scalar::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_borrowed_str<E>(self, text: &'a str) -> Result<Scalar<'a>, E> {
        Ok(Scalar::Text(Cow::Borrowed(text)))
    }
}

/// Reads what a key holds into its column, or into those of the keys within.
struct Inner<'c, 'a> {
    key: &'c mut Key,
    known: &'c mut Known,
    row: &'c mut Vec<Scalar<'a>>,
    depth: usize,
}

impl<'a> Inner<'_, 'a> {
    fn put(self, scalar: Scalar<'a>) {
        let names = &mut self.known.names;
        let path = &self.key.path;
        let at = *self.key.column.get_or_insert_with(|| {
            names.push(path.clone());
            names.len() - 1
        });
        if self.row.len() <= at {
            self.row.resize(at + 1, Scalar::Null);
        }
        if let Some(place) = self.row.get_mut(at) {
            *place = scalar;
        }
    }
}

impl<'a> DeserializeSeed<'a> for Inner<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Inner<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.put(Scalar::Null);
        Ok(())
    }

    fn visit_bool<E>(self, truth: bool) -> Result<(), E> {
        self.put(Scalar::Truth(truth));
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.put(Scalar::Whole(number));
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        // Beyond what SQLite counts with it can only be a name for something, and must not be rounded.
        let whole = i64::try_from(number);
        self.put(whole.map_or_else(|_| Scalar::Text(number.to_string().into()), Scalar::Whole));
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.put(Scalar::Fraction(number));
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.put(Scalar::Text(Cow::Owned(text.to_owned())));
        Ok(())
    }

    fn visit_borrowed_str<E>(self, text: &'a str) -> Result<(), E> {
        self.put(Scalar::Text(Cow::Borrowed(text)));
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'a>>(self, list: S) -> Result<(), S::Error> {
        let list = Value::deserialize(SeqAccessDeserializer::new(list))?;
        self.put(Scalar::Text(list.to_string().into()));
        Ok(())
    }

    fn visit_map<M: MapAccess<'a>>(self, map: M) -> Result<(), M::Error> {
        if self.depth >= DEEPEST {
            let object = Value::deserialize(MapAccessDeserializer::new(map))?;
            self.put(Scalar::Text(object.to_string().into()));
            return Ok(());
        }
        let Self { key, known, row, depth } = self;
        let Key { path, inner, .. } = key;
        Object { level: inner, known, row, path, depth: depth + 1 }.visit_map(map)
    }
}
