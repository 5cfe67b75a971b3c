//! Names that come near another.

use sqlogue_base::near;

/// The most names given as near.
pub(super) const MOST: usize = 3;

/// How alike two names must be, from 0 to 1.
const ALIKE: f64 = 0.6;

/// Those of `candidates` (a name, and how it is shown) whose names come near `name`, nearest first.
pub(in crate::sql) fn near<'a>(
    name: &str,
    candidates: impl Iterator<Item = (&'a str, String)>,
) -> Vec<String> {
    let mut scored: Vec<(f64, String)> = candidates
        .map(|(candidate, shown)| (likeness(name, candidate), shown))
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    scored.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut shown: Vec<String> = Vec::new();
    for (_, candidate) in scored {
        if !shown.contains(&candidate) {
            shown.push(candidate);
        }
    }
    shown.truncate(MOST);
    shown
}

fn likeness(name: &str, candidate: &str) -> f64 {
    let (one, other) = (near::plain(name), near::plain(candidate));
    // A name that is the whole of another's beginning or end is near it, whatever the rest.
    let is_part = one.len() >= 3
        && other.len() >= 3
        && (other.starts_with(&one)
            || other.ends_with(&one)
            || one.starts_with(&other)
            || one.ends_with(&other));
    let likeness = near::likeness(&one, &other);
    if is_part { likeness.max(0.75) } else { likeness }
}
