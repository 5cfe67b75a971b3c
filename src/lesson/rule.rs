//! How one table name becomes another.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How the name in a schema becomes the actual one.
///
/// It is written as text: `prefix PROD_`, `suffix _v2`, `rename`, `same`; `add PROD_ prefix` is understood too.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TransformationRule {
    /// The name stays: of several that look alike, this one is meant.
    Same,
    /// Something is put before it.
    Prefix(String),
    /// Something is put after it.
    Suffix(String),
    /// It is another name altogether.
    Rename,
}

impl TransformationRule {
    /// The rule that leads from one name to the other, ignoring ASCII case.
    pub fn between(schema_name: &str, actual_name: &str) -> Self {
        if schema_name.eq_ignore_ascii_case(actual_name) {
            return Self::Same;
        }
        let extra = actual_name.len().checked_sub(schema_name.len()).filter(|_| !schema_name.is_empty());
        let parts = extra.filter(|extra| *extra > 0).map(|extra| {
            (actual_name.split_at_checked(extra), actual_name.split_at_checked(schema_name.len()))
        });
        match parts {
            Some((Some((prefix, rest)), _)) if rest.eq_ignore_ascii_case(schema_name) => {
                Self::Prefix(prefix.to_owned())
            }
            Some((_, Some((rest, suffix)))) if rest.eq_ignore_ascii_case(schema_name) => {
                Self::Suffix(suffix.to_owned())
            }
            _ => Self::Rename,
        }
    }

    /// The name that this rule makes of another; `None` for [`Rename`](Self::Rename), which holds for one name only.
    pub fn apply(&self, name: &str) -> Option<String> {
        match self {
            Self::Same => Some(name.to_owned()),
            Self::Prefix(prefix) => Some(format!("{prefix}{name}")),
            Self::Suffix(suffix) => Some(format!("{name}{suffix}")),
            Self::Rename => None,
        }
    }
}

impl fmt::Display for TransformationRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same => f.write_str("same"),
            Self::Prefix(prefix) => write!(f, "prefix {prefix}"),
            Self::Suffix(suffix) => write!(f, "suffix {suffix}"),
            Self::Rename => f.write_str("rename"),
        }
    }
}

impl FromStr for TransformationRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split([' ', ':', '"', '\'', '`']).filter(|word| !word.is_empty()).collect();
        let is = |word: &str, wanted: &str| word.eq_ignore_ascii_case(wanted);
        match words.as_slice() {
            [word] if is(word, "same") => Ok(Self::Same),
            [word] if is(word, "rename") => Ok(Self::Rename),
            [.., kind, affix] if is(kind, "prefix") => Ok(Self::Prefix((*affix).to_owned())),
            [.., kind, affix] if is(kind, "suffix") => Ok(Self::Suffix((*affix).to_owned())),
            [.., affix, kind] if is(kind, "prefix") => Ok(Self::Prefix((*affix).to_owned())),
            [.., affix, kind] if is(kind, "suffix") => Ok(Self::Suffix((*affix).to_owned())),
            _ => Err("a transformation rule is `prefix X`, `suffix X`, `rename` or `same`".to_owned()),
        }
    }
}

impl Serialize for TransformationRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TransformationRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_between_two_names_is_found_and_leads_there() {
        for (from, to, expected) in [
            ("Customers", "PROD_Customers", "prefix PROD_"),
            ("customers", "PROD_Customers", "prefix PROD_"),
            ("Customers", "Customers_v2", "suffix _v2"),
            ("Customers", "customers", "same"),
            ("Customers", "clients", "rename"),
            ("", "clients", "rename"),
            ("größe", "ö", "rename"),
        ] {
            assert_eq!(TransformationRule::between(from, to).to_string(), expected, "{from} → {to}");
        }
        let rule = TransformationRule::Prefix("PROD_".to_owned());
        assert_eq!(rule.apply("Orders").as_deref(), Some("PROD_Orders"));
        assert_eq!(TransformationRule::Rename.apply("Orders"), None);
    }

    #[test]
    fn rules_are_read_as_people_write_them() {
        for (text, expected) in [
            ("prefix PROD_", "prefix PROD_"),
            ("add PROD_ prefix", "prefix PROD_"),
            ("Add suffix: _v2", "suffix _v2"),
            ("RENAME", "rename"),
        ] {
            assert_eq!(text.parse::<TransformationRule>().unwrap().to_string(), expected, "{text}");
        }
        for text in ["", "prefix", "upside down"] {
            assert!(text.parse::<TransformationRule>().is_err(), "{text}");
        }
    }
}
