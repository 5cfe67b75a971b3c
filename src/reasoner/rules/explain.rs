//! Explanations: what a reading was made of, and why there is none, in sentences.

use super::compose::Meaning;
use super::{Evidence, Understanding};

impl Evidence {
    /// Why this reading, one sentence a reason: what words meant, which joins were taken, what was ignored.
    pub fn reasons(&self) -> Vec<String> {
        let mut reasons: Vec<String> = Vec::new();
        for meaning in &self.meanings {
            let reason = match meaning.words.as_str() {
                "" => continue,
                words => format!("“{words}” was taken for {}.", named(&meaning.meaning)),
            };
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        for join in &self.joins {
            let why = if join.declared { "a declared key" } else { "a key inferred from names and values" };
            let ((from_table, from), (to_table, to)) = (&join.from, &join.to);
            reasons.push(format!("Joined on {from_table}.{from} = {to_table}.{to}, {why}."));
        }
        if !self.ignored.is_empty() {
            let quoted: Vec<String> = self.ignored.iter().map(|words| format!("“{words}”")).collect();
            reasons.push(format!("Ignored: {}.", quoted.join(", ")));
        }
        reasons
    }
}

fn named(meaning: &Meaning) -> String {
    let name = match &meaning.column {
        Some(column) => format!("{}.{column}", meaning.table),
        None => format!("the table {}", meaning.table),
    };
    match &meaning.value {
        Some(value) => format!("the value '{value}' of {name}"),
        None => name,
    }
}

impl Understanding {
    /// True where nothing was recognised and most words are unknown: another language, or no question at all.
    pub fn is_foreign(&self, question: &str) -> bool {
        let words = question.split_whitespace().count();
        self.recognised.is_empty() && self.unexplained.len() >= 2 && self.unexplained.len() * 2 >= words
    }

    /// Why there is no answer: what was recognised, and what was not.
    pub fn why_not(&self) -> String {
        let recognised: Vec<String> = self
            .recognised
            .iter()
            .take(4)
            .filter_map(|recognised| Some(format!("“{}” ({})", recognised.words, recognised.names.first()?)))
            .collect();
        let unknown: Vec<String> = self.unexplained.iter().take(6).map(|words| format!("“{words}”")).collect();
        let mut message = String::from("I do not understand the question well enough to answer it.");
        match recognised.as_slice() {
            [] => message.push_str(" I recognised nothing in it."),
            some => message.push_str(&format!(" I recognised {}.", some.join(", "))),
        }
        if !unknown.is_empty() {
            message.push_str(&format!(" I could not place {}.", unknown.join(", ")));
        }
        message
    }
}
