//! Functions that somebody made under the names of a server's own.

use std::collections::BTreeSet;

use sqlogue_sql::sql::{Checked, Refusal, RefusalCode};

/// Refuses a query that mentions a function which need not be the one the guard thinks it is.
pub(crate) fn refuse(impostors: &BTreeSet<String>, query: &Checked) -> Result<(), Refusal> {
    if impostors.is_empty() {
        return Ok(());
    }
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let words = query.sql().split(|character| !is_word(character));
    let found = words.map(str::to_lowercase).find(|word| impostors.contains(word));
    match found {
        None => Ok(()),
        Some(word) => Err(Refusal {
            code: RefusalCode::ForbiddenFunction,
            reason: format!(
                "somebody made a function `{}` of their own in this database, which may do anything; write the query without it",
                word.chars().take(60).collect::<String>()
            ),
        }),
    }
}
