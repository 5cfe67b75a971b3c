//! Choices: how one composer gives many candidates.
//!
//! A construction that can be read in several ways asks the [`Oracle`], which answers 0 (the usual reading) unless
//! it was told otherwise. Every question asked is recorded, so the search can run the composer again with one
//! answer changed. The names of the choices are features of the ranking: how often each reading is right is
//! learnt, not guessed.

/// A choice that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What was to be chosen.
    pub name: &'static str,
    /// How many readings there were.
    pub options: usize,
    /// Which one was taken; 0 is the usual one.
    pub taken: usize,
}

/// Answers the composer's questions, from a script and then always 0.
#[derive(Debug, Default)]
pub struct Oracle {
    script: Vec<usize>,
    trace: Vec<Choice>,
}

impl Oracle {
    /// An oracle that gives these answers first.
    pub fn scripted(script: Vec<usize>) -> Self {
        Self { script, trace: Vec::new() }
    }

    /// Which of `options` readings to take; always 0 where there is only one.
    pub fn choose(&mut self, name: &'static str, options: usize) -> usize {
        if options < 2 {
            return 0;
        }
        let taken = self.script.get(self.trace.len()).copied().unwrap_or(0).min(options - 1);
        self.trace.push(Choice { name, options, taken });
        taken
    }

    /// A yes-or-no question whose usual answer is `usual`.
    pub fn decide(&mut self, name: &'static str, usual: bool) -> bool {
        (self.choose(name, 2) == 0) == usual
    }

    /// The choices made so far.
    pub fn trace(&self) -> &[Choice] {
        &self.trace
    }

    /// The scripts that differ from this run in one later answer.
    pub fn variations(&self) -> Vec<Vec<usize>> {
        let mut scripts = Vec::new();
        for (at, choice) in self.trace.iter().enumerate().skip(self.script.len()) {
            let prefix: Vec<usize> = self.trace.iter().take(at).map(|choice| choice.taken).collect();
            for taken in 1..choice.options {
                let mut script = prefix.clone();
                script.push(taken);
                scripts.push(script);
            }
        }
        scripts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_is_reached_once() {
        let mut scripts = vec![Vec::new()];
        let mut seen = Vec::new();
        while let Some(script) = scripts.pop() {
            let mut oracle = Oracle::scripted(script);
            let answer = (oracle.choose("a", 2), oracle.choose("b", 3), oracle.choose("c", 1));
            seen.push(answer);
            scripts.extend(oracle.variations());
        }
        seen.sort_unstable();
        assert_eq!(seen, [(0, 0, 0), (0, 1, 0), (0, 2, 0), (1, 0, 0), (1, 1, 0), (1, 2, 0)]);
    }
}
