//! Evidence as text: what `/why` and `ask --explain` show.

use super::account::quoted;
use super::lexicon::Lexicon;
use super::understand::{Candidate, Evidence, RankedReadings};

impl Evidence {
    /// The evidence as lines for people.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.background.is_empty() {
            lines.push(format!("`{}` is not part of what is asked", self.background));
        }
        for word in &self.meanings {
            let name = match &word.meaning.column {
                Some(column) => format!("{}.{column}", word.meaning.table),
                None => word.meaning.table.clone(),
            };
            let line = match &word.meaning.value {
                Some(value) if word.is_synonym => {
                    format!("`{}` is taken for the value `{value}` of {name} (synonym)", word.words)
                }
                None if word.is_synonym => format!("`{}` is taken for {name} (synonym)", word.words),
                Some(value) => format!("`{}` is the value `{value}` of {name}", word.words),
                None if word.meaning.column.is_some() => format!("`{}` is the column {name}", word.words),
                None => format!("`{}` is the table {name}", word.words),
            };
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        for join in &self.joins {
            let why = if join.declared { "a declared key" } else { "a key inferred from names and values" };
            lines.push(format!(
                "{}.{} is joined to {}.{}: {why}",
                join.from.0, join.from.1, join.to.0, join.to.1
            ));
        }
        if !self.unusual.is_empty() {
            lines.push(format!("read in a less usual way: {}", self.unusual.join(", ")));
        }
        lines
    }
}

impl Candidate {
    /// Why this reading, and how sure it is, as lines for people.
    pub fn explanation(&self) -> Vec<String> {
        let mut lines = self.evidence.lines();
        lines.extend(self.account.lines());
        lines.push(format!("confidence {} ({:.0} %)", self.confidence.name(), 100.0 * self.probability));
        lines
    }
}

impl RankedReadings {
    /// True where nothing was recognised and most words are unknown: another language, or no question at all.
    pub fn is_foreign(&self, question: &str) -> bool {
        let words = question.split_whitespace().count();
        let unknown = self.unexplained.iter().filter(|word| word.chars().all(char::is_alphabetic)).count();
        self.recognised.is_empty() && unknown >= 3 && unknown * 2 >= words
    }

    /// What was recognised and what was not, for a question without an answer.
    pub fn not_understood(&self) -> String {
        let mut parts = Vec::new();
        if !self.recognised.is_empty() {
            let names: Vec<String> = self
                .recognised
                .iter()
                .take(6)
                .map(|recognised| {
                    format!(
                        "`{}` ({})",
                        recognised.words,
                        recognised.names.iter().take(2).cloned().collect::<Vec<_>>().join(" or ")
                    )
                })
                .collect();
            parts.push(format!("I recognised {}", names.join(", ")));
        } else {
            parts.push("I recognised nothing in it that this database knows".to_owned());
        }
        let lexicon = Lexicon::embedded();
        let with_content = |word: &&String| !lexicon.is_soft(&word.to_lowercase());
        let unknown: Vec<String> = self.unexplained.iter().filter(with_content).cloned().collect();
        if !unknown.is_empty() {
            parts.push(format!("I do not know what to make of {}", quoted(&unknown)));
        }
        parts.join("; ")
    }
}
