//! Names of people that two columns of another thing hold: `manager_first_name` and `manager_last_name` of a branch are its
//! manager.

use super::knowledge::{ColumnId, Knowledge};
use super::stem::stem;

/// Words for the first part of a name, and for the last.
const FIRST: [&str; 4] = ["first", "given", "forename", "firstname"];
const LAST: [&str; 4] = ["last", "family", "surname", "lastname"];

/// Words that name a column as well as this name a part of the name, and others the person.
const FULL_NAME: f32 = 0.97;

fn words(name: &str) -> Vec<String> {
    name.to_lowercase().split(['_', ' ', '-']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whose name a column is a part of, by the words for a part: `manager` for `manager_first_name`.
fn role(name: &str, part: &[&str]) -> Option<Vec<String>> {
    let words = words(name);
    let at = words.iter().position(|word| part.contains(&word.as_str()))?;
    let (role, rest) = words.split_at(at);
    let ends = rest.get(1).is_none_or(|word| word == "name") && rest.len() <= 2;
    (ends && !role.is_empty()).then(|| role.to_vec())
}

/// Whose first name each column is, by the names of all columns of a table: only where the last name is there too.
pub(super) fn of_columns<'a>(names: &[&'a str]) -> Vec<(&'a str, Vec<String>)> {
    let lasts: Vec<Vec<String>> = names.iter().filter_map(|name| role(name, &LAST)).collect();
    let firsts = names.iter().filter_map(|name| Some((*name, role(name, &FIRST)?)));
    firsts
        .filter(|(_, role)| lasts.contains(role))
        .map(|(name, role)| (name, role.iter().map(|word| stem(word)).collect()))
        .collect()
}

/// The column with the last name of the person whose first name a column holds.
pub(super) fn last_of(knowledge: &Knowledge, first: ColumnId) -> Option<ColumnId> {
    let entry = knowledge.column(first);
    let whose = role(&entry.name, &FIRST)?;
    let mut columns = knowledge.table(entry.table).columns.iter().copied();
    columns.find(|id| role(&knowledge.column(*id).name, &LAST).as_ref() == Some(&whose))
}

/// The columns of the name that words name by one of them, as well as so much: both parts where the person is meant.
pub(super) fn whole(knowledge: &Knowledge, column: ColumnId, score: f32) -> Vec<ColumnId> {
    let last = last_of(knowledge, column).filter(|_| score < FULL_NAME);
    std::iter::once(column).chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_is_known_by_two_columns() {
        let names =
            ["id", "manager_first_name", "manager_last_name", "first_name", "last_name", "site_first_name"];
        assert_eq!(of_columns(&names), [("manager_first_name", vec!["manager".to_owned()])]);
    }
}
