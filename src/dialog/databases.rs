//! Several databases in one conversation.
//!
//! A conversation is about one database at a time. `/use NAME` or a database named in the question leads over to another;
//! the line of refinement about each stays its own, so that a follow-up after a switch goes on from what was last asked
//! about that database, and says so.

use super::notice::Notice;
use super::session::Session;
use crate::engine::Engine;
use crate::error::Error;

/// The databases that a conversation may go over to, by name.
pub trait Databases: Send + Sync {
    /// Their names.
    fn names(&self) -> Vec<String>;

    /// The engine for one of them.
    ///
    /// # Errors
    /// There is no database of that name, or it cannot be opened.
    fn open(&self, name: &str) -> Result<Engine, Error>;
}

impl Session {
    /// The same session with other databases within reach.
    #[must_use]
    pub fn with_databases(mut self, databases: impl Databases + 'static) -> Self {
        self.databases = Some(std::sync::Arc::new(databases));
        self
    }

    /// The names of the databases within reach.
    pub fn databases(&self) -> Vec<String> {
        self.databases.as_ref().map(|databases| databases.names()).unwrap_or_default()
    }

    /// Makes what is asked from now on a question about another database; says what a follow-up would go on from.
    ///
    /// # Errors
    /// There is no database of that name, or it cannot be opened.
    pub fn use_database(&mut self, name: &str) -> Result<Notice, Error> {
        let known = self.databases();
        let unknown = || Error::NoDatabase { name: name.to_owned(), known: known.clone() };
        let databases = self.databases.as_ref().ok_or_else(unknown)?;
        let name = known.iter().find(|known| known.eq_ignore_ascii_case(name)).ok_or_else(unknown)?;
        if self.engine.database().name() != name {
            let engine = databases.open(name)?;
            // A conversation that is not kept any more stays in memory, wherever it goes.
            let kept = self.engine.sessions().is_some();
            self.engine = if kept { engine } else { engine.without_store() };
        }
        let query = self.state.query_about(name).map(str::to_owned);
        Ok(Notice::Switched { database: name.clone(), query })
    }

    /// Goes over to a database that the input names; the input without the name, and what to tell.
    pub(super) fn led_over(&mut self, input: &str) -> Result<Option<(String, Notice)>, Error> {
        let names = self.databases();
        let Some((name, rest)) = names.iter().find_map(|name| Some((name, without(input, name)?))) else {
            // What is said to a database that is not there is no question to another.
            return match addressed(input).filter(|_| self.databases.is_some()) {
                Some(name) => Err(Error::NoDatabase { name: name.to_owned(), known: names }),
                None => Ok(None),
            };
        };
        if self.engine.database().name() == name {
            return Ok(None);
        }
        let notice = self.use_database(name)?;
        Ok(Some((rest, notice)))
    }
}

/// The name that an input begins with as one begins a question to a database: `@shop how many orders?`.
fn addressed(input: &str) -> Option<&str> {
    let (name, _) = input.strip_prefix('@')?.split_once(' ')?;
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// The input without the database that it names: `@shop`, `in shop: …`, `… in the shop database`, `… from database shop`.
fn without(input: &str, name: &str) -> Option<String> {
    let lower = input.to_ascii_lowercase();
    let name = name.to_ascii_lowercase();
    let leads = ["in", "from", "of", "about", "on", "using", "use"];
    let leading = |lead: &&str| {
        [format!("{lead} {name}:"), format!("{lead} {name},"), format!("{lead} the {name} database")]
    };
    let trailing = |lead: &&str| {
        [
            format!(" {lead} the {name} database"),
            format!(" {lead} the database {name}"),
            format!(" {lead} database {name}"),
        ]
    };
    let at = |place: usize, length: usize| {
        let before = input.get(..place)?.trim();
        let after = input.get(place + length..)?.trim_start_matches([',', ':', ' ']);
        let rest = format!("{before} {after}");
        let rest = rest.trim().to_owned();
        rest.chars().any(char::is_alphanumeric).then_some(rest)
    };
    let ends = |place: usize| !lower.get(place..).is_some_and(|rest| rest.starts_with(is_name));
    let begins = |phrase: &String| lower.starts_with(phrase.as_str()) && ends(phrase.len());
    if let Some(phrase) = leads.iter().flat_map(leading).chain([format!("{name}:")]).find(begins) {
        return at(0, phrase.len());
    }
    let phrases = leads.iter().flat_map(trailing).chain([format!("@{name}")]);
    phrases.into_iter().find_map(|phrase| {
        let place = lower.find(&phrase)?;
        if ends(place + phrase.len()) { at(place, phrase.len()) } else { None }
    })
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_named_in_the_question() {
        for (input, rest) in [
            ("@zoo how many animals?", "how many animals?"),
            ("How many animals are there in the zoo database?", "How many animals are there ?"),
            ("in zoo: how many animals?", "how many animals?"),
            ("zoo: how many animals?", "how many animals?"),
            ("List animals from database Zoo", "List animals"),
        ] {
            assert_eq!(without(input, "zoo").as_deref(), Some(rest), "{input}");
        }
    }

    #[test]
    fn a_question_may_begin_with_a_database() {
        assert_eq!(addressed("@shop how many orders?"), Some("shop"));
        for input in ["@shop", "@ shop", "who is @shop today", "@a.b c", "how many orders?"] {
            assert_eq!(addressed(input), None, "{input}");
        }
    }

    #[test]
    fn a_word_is_no_database() {
        for input in
            ["How many are in zoo cages?", "@zoology", "which zoo is largest?", "in zoo:", "zoos: all"]
        {
            assert_eq!(without(input, "zoo"), None, "{input}");
        }
    }
}
