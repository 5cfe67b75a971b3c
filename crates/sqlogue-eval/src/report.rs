//! What is told of a measurement besides the figures of the whole: precision by confidence, accuracy by kind of clause,
//! and the misses.

use std::collections::BTreeMap;

use serde::Serialize;

use sqlogue_sql::plan::Confidence;

/// One scored turn.
#[derive(Debug, Clone)]
pub struct Scored {
    /// The database.
    pub database: String,
    /// The question.
    pub question: String,
    /// The gold query.
    pub gold: String,
    /// The query that was answered; none where no answer was given.
    pub answer: Option<String>,
    /// How sure the answer was.
    pub confidence: Confidence,
    /// True where both give the same rows.
    pub right: bool,
    /// What went wrong when the answer ran, if it did not run.
    pub error: Option<String>,
}

/// The parts of what was measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Parts {
    /// Wrong answers not marked low, as a share of all questions.
    pub wrong_not_low: f64,
    /// By confidence: the share of questions marked so, and the share of them that is right.
    pub by_confidence: BTreeMap<String, Share>,
    /// If only answers down to this confidence were given: coverage and precision, from high to low.
    pub precision_coverage: Vec<(String, Share)>,
    /// By clause of the gold query.
    pub by_clause: BTreeMap<String, Share>,
}

/// A share of the questions, and how many of them are right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Share {
    /// How many questions.
    pub questions: usize,
    /// As a share of all questions.
    pub share: f64,
    /// How many of them are answered rightly, as a share of them.
    pub right: f64,
}

impl Parts {
    /// Sums up scored turns.
    pub fn of(scored: &[Scored]) -> Self {
        let total = scored.len();
        let count = |keep: &dyn Fn(&Scored) -> bool| scored.iter().filter(|turn| keep(turn)).count();
        let share = |keep: &dyn Fn(&Scored) -> bool| {
            let questions = count(keep);
            let right = count(&|turn| keep(turn) && turn.right);
            Share { questions, share: ratio(questions, total), right: ratio(right, questions) }
        };
        let mut parts = Self {
            wrong_not_low: ratio(
                count(&|turn| turn.answer.is_some() && !turn.right && turn.confidence > Confidence::Low),
                total,
            ),
            ..Self::default()
        };
        for level in [Confidence::High, Confidence::Medium, Confidence::Low] {
            let name = level.name().to_owned();
            let marked = share(&|turn| turn.answer.is_some() && turn.confidence == level);
            parts.by_confidence.insert(name.clone(), marked);
            let down_to = share(&|turn| turn.answer.is_some() && turn.confidence >= level);
            parts.precision_coverage.push((name, down_to));
        }
        for clause in CLAUSES {
            let part = share(&|turn| has_clause(&turn.gold, clause));
            if part.questions > 0 {
                parts.by_clause.insert((*clause).to_owned(), part);
            }
        }
        parts
    }

    /// The parts as tables for people.
    pub fn text(&self) -> String {
        use std::fmt::Write as _;
        let mut text = String::new();
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\nby confidence      questions   right");
        for name in ["high", "medium", "low"] {
            if let Some(part) = self.by_confidence.get(name) {
                let _ = writeln!(text, "  {name:<16} {:>8}  {:>8}", percent(part.share), percent(part.right));
            }
        }
        let _ = writeln!(text, "\nanswering down to  coverage  precision");
        for (name, part) in &self.precision_coverage {
            let _ = writeln!(text, "  {name:<16} {:>8}  {:>8}", percent(part.share), percent(part.right));
        }
        let _ = writeln!(text, "\nby clause          questions   right");
        for (name, part) in &self.by_clause {
            let _ = writeln!(text, "  {name:<16} {:>8}  {:>8}", part.questions, percent(part.right));
        }
        text
    }
}

/// The misses with both queries, as text.
pub fn misses(scored: &[Scored]) -> String {
    let mut text = String::new();
    for turn in scored.iter().filter(|turn| !turn.right) {
        use std::fmt::Write as _;
        let answer = turn.answer.as_deref().unwrap_or("no answer");
        let _ = writeln!(
            text,
            "{}: {}\n  gold   {}\n  answer {answer} ({})",
            turn.database,
            turn.question,
            turn.gold,
            turn.confidence.name()
        );
        if let Some(error) = &turn.error {
            let _ = writeln!(text, "  error  {error}");
        }
    }
    text
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

const CLAUSES: &[&str] = &[
    "plain",
    "join",
    "where",
    "group by",
    "having",
    "order by",
    "limit",
    "distinct",
    "nested",
    "set operation",
    "like",
    "or",
    "aggregate",
];

/// True where a query has a clause, by its words.
fn has_clause(sql: &str, clause: &str) -> bool {
    let words: Vec<String> = sql
        .to_ascii_lowercase()
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let has = |word: &str| words.iter().any(|other| other == word);
    let pair =
        |one: &str, two: &str| words.windows(2).any(|pair| matches!(pair, [a, b] if a == one && b == two));
    let set = has("intersect") || has("union") || has("except");
    match clause {
        "plain" => {
            !["join", "where", "group", "order", "intersect", "union", "except"].iter().any(|word| has(word))
        }
        "group by" => pair("group", "by"),
        "order by" => pair("order", "by"),
        "set operation" => set,
        "nested" => !set && words.iter().filter(|word| *word == "select").count() > 1,
        "aggregate" => ["count", "sum", "avg", "min", "max"].iter().any(|word| has(word)),
        word => has(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(confidence: Confidence, right: bool, gold: &str) -> Scored {
        Scored {
            database: "d".into(),
            question: "q".into(),
            gold: gold.into(),
            answer: Some("SELECT 1".into()),
            confidence,
            right,
            error: None,
        }
    }

    #[test]
    fn shares_are_of_all_questions() {
        let turns = [
            scored(Confidence::High, true, "SELECT a FROM t"),
            scored(Confidence::Medium, false, "SELECT a FROM t JOIN u ON 1"),
            scored(Confidence::Low, false, "SELECT a FROM t WHERE b = (SELECT 1)"),
            Scored { answer: None, ..scored(Confidence::Low, false, "SELECT 1 UNION SELECT 2") },
        ];
        let parts = Parts::of(&turns);
        assert_eq!(parts.wrong_not_low, 0.25);
        assert_eq!(parts.by_confidence["high"].right, 1.0);
        assert_eq!(parts.precision_coverage[2].1.share, 0.75);
        assert_eq!(parts.by_clause["join"].questions, 1);
        assert_eq!(parts.by_clause["nested"].questions, 1);
        assert_eq!(parts.by_clause["set operation"].questions, 1);
        assert!(misses(&turns).contains("no answer"));
    }

    #[test]
    fn nothing_measured_is_no_error() {
        assert_eq!(Parts::of(&[]).wrong_not_low, 0.0);
    }
}
