//! The name that was meant, where another was given.

/// How alike two names are, from 0 to 1, whatever their case and whatever stands between their words.
pub fn likeness(one: &str, other: &str) -> f64 {
    // Long texts are no names, and the comparison is quadratic.
    if one.len() > 200 || other.len() > 200 {
        return 0.0;
    }
    strsim::normalized_damerau_levenshtein(&plain(one), &plain(other))
}

/// The name most like another, where one is at least so much like it.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>, least: f64) -> Option<&'a str> {
    names
        .into_iter()
        .map(|other| (likeness(name, other), other))
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .filter(|(likeness, _)| *likeness >= least)
        .map(|(_, near)| near)
}

/// A name in lower case, without what stands between its words.
pub fn plain(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_in_any_spelling() {
        let names = ["customer_id", "city", "country"];
        assert_eq!(nearest("CustomerID", names, 1.0), Some("customer_id"));
        assert_eq!(nearest("contry", names, 0.8), Some("country"));
        assert_eq!(nearest("weight", names, 0.5), None);
        assert_eq!(nearest("city", [], 0.0), None);
        assert_eq!(likeness(&"a".repeat(201), "a"), 0.0);
    }
}
