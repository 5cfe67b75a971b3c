//! Prompts that fit: what is needed goes in whole, the rest by priority until the room is used up.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::describe::escaped;
use super::prompts::{Prompts, Rendered, Task};
use super::tokens::Tokenizer;
use crate::conversation::SentCells;

/// What a request holds beside its texts: names of fields, roles, the model, and what a template adds for each message.
const WRAPPING: usize = 90;

/// How many tokens a request may have.
#[derive(Clone)]
pub(super) struct Budget {
    /// Prompt and answer.
    pub(super) max_tokens: usize,
    /// Of these, for the answer.
    pub(super) answer_tokens: usize,
    pub(super) tokenizer: Arc<dyn Tokenizer>,
}

/// Something that takes as much room as it is given, the most important first.
pub(super) trait Fill {
    /// As much of it as fits into so many tokens.
    fn fill(&self, room: usize, tokenizer: &dyn Tokenizer) -> Filled;
}

/// What fitted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Filled {
    pub(super) text: String,
    /// What did not, in words.
    pub(super) left_out: Vec<String>,
    /// The cells of the database that are in it.
    pub(super) cells: Vec<SentCells>,
}

/// Lines, the most important first; `shown_reversed` where the most important is the last one shown (a history).
pub(super) struct Lines {
    pub(super) what: &'static str,
    pub(super) lines: Vec<String>,
    pub(super) reversed: bool,
}

impl Fill for Lines {
    fn fill(&self, room: usize, tokenizer: &dyn Tokenizer) -> Filled {
        let mut left = room;
        let mut kept: Vec<&str> = Vec::new();
        for line in &self.lines {
            let cost = tokenizer.count(&escaped(line)) + 2;
            if cost > left {
                break;
            }
            left -= cost;
            kept.push(line);
        }
        let dropped = self.lines.len() - kept.len();
        if self.reversed {
            kept.reverse();
        }
        let left_out = (dropped > 0).then(|| format!("{dropped} {}", self.what)).into_iter().collect();
        Filled { text: kept.join("\n"), left_out, cells: Vec::new() }
    }
}

/// Lines that hold cells of the database, the most important first.
pub(super) struct CellLines {
    pub(super) what: &'static str,
    /// Each line with the cells in it.
    pub(super) lines: Vec<(String, Vec<SentCells>)>,
}

impl Fill for CellLines {
    fn fill(&self, room: usize, tokenizer: &dyn Tokenizer) -> Filled {
        let lines: Vec<String> = self.lines.iter().map(|(line, _)| line.clone()).collect();
        let filled = Lines { what: self.what, lines, reversed: false }.fill(room, tokenizer);
        // Lines are taken from the first on, and none has a line end in it.
        let kept = self.lines.iter().take(filled.text.lines().count());
        Filled { cells: kept.flat_map(|(_, cells)| cells.clone()).collect(), ..filled }
    }
}

/// The parts of a prompt.
#[derive(Default)]
pub(super) struct Parts<'a> {
    /// What must be in it.
    pub(super) needed: BTreeMap<&'static str, String>,
    /// What may be in it, the most important first.
    pub(super) wished: Vec<(&'static str, Box<dyn Fill + Send + Sync + 'a>)>,
    /// How often the same was asked before: the model is to choose its words more freely each time.
    pub(super) sample: u8,
}

/// A prompt that fits.
#[derive(Debug, Clone)]
pub(super) struct Fitted {
    pub(super) rendered: Rendered,
    /// Tokens of the whole request, without the answer.
    pub(super) tokens: usize,
    /// What was left out, in words.
    pub(super) left_out: Vec<String>,
    /// The cells of the database that are in it, a column may come more than once.
    pub(super) cells: Vec<SentCells>,
}

/// Why a prompt cannot be made.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unfit {
    /// What must be in it is too long.
    #[error(
        "what must be said takes {needed} tokens and there is room for {room} (raise `max_tokens`, or ask for less)"
    )]
    TooLong { needed: usize, room: usize },
    /// A template is wrong.
    #[error("{0}")]
    Template(String),
}

impl<'a> Parts<'a> {
    pub(super) fn need(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.needed.insert(name, text.into());
        self
    }

    pub(super) fn wish(mut self, name: &'static str, fill: impl Fill + Send + Sync + 'a) -> Self {
        self.wished.push((name, Box::new(fill)));
        self
    }
}

impl Parts<'_> {
    pub(super) fn sample(self, sample: u8) -> Self {
        Self { sample, ..self }
    }
}

impl Budget {
    /// Tokens for a prompt, all that belongs to the request included.
    pub(super) fn room(&self) -> usize {
        // Another tokenizer than ours counts a little more or less: a fortieth is kept free for it.
        let safety = self.max_tokens / 40;
        self.max_tokens.saturating_sub(self.answer_tokens).saturating_sub(safety)
    }

    /// The same for a server that takes at most so many tokens, where that is less.
    pub(super) fn within(&self, most: usize) -> Self {
        Self { max_tokens: self.max_tokens.min(most), ..self.clone() }
    }

    /// What to try where a request of this size is longer than the server takes; none where hardly anything would be left.
    pub(super) fn smaller(&self) -> Option<usize> {
        let half = self.max_tokens / 2;
        (half >= self.answer_tokens + LEAST_PROMPT).then_some(half)
    }

    /// Tokens that a rendered prompt takes with a schema of so many.
    pub(super) fn cost(&self, rendered: &Rendered, schema: usize) -> usize {
        let text = |text: &str| self.tokenizer.count(&escaped(text));
        text(&rendered.system) + text(&rendered.user) + schema + WRAPPING
    }

    /// The prompt of a task, as full as it may be.
    pub(super) fn fit(
        &self,
        prompts: &Prompts,
        task: Task,
        parts: &Parts<'_>,
        schema: usize,
    ) -> Result<Fitted, Unfit> {
        let room = self.room();
        let mut values: BTreeMap<&'static str, String> = parts.needed.clone();
        let render =
            |values: &BTreeMap<&'static str, String>| prompts.render(task, values).map_err(Unfit::Template);
        let base = self.cost(&render(&values)?, schema);
        if base > room {
            return Err(Unfit::TooLong { needed: base, room });
        }
        // Texts cost a little more or less together than alone; what is too much is taken off and tried again.
        let mut spare = room - base;
        loop {
            let mut left = spare;
            let (mut left_out, mut cells) = (Vec::new(), Vec::new());
            for (name, fill) in &parts.wished {
                // The heading that the template puts over a part.
                let heading = HEADING.min(left);
                let filled = fill.fill(left - heading, self.tokenizer.as_ref());
                if !filled.text.is_empty() {
                    left -= heading;
                    left = left.saturating_sub(self.tokenizer.count(&escaped(&filled.text)));
                }
                left_out.extend(filled.left_out);
                cells.extend(filled.cells);
                values.insert(name, filled.text);
            }
            let rendered = render(&values)?;
            let tokens = self.cost(&rendered, schema);
            if tokens <= room {
                return Ok(Fitted { rendered, tokens, left_out, cells });
            }
            if spare == 0 {
                return Err(Unfit::TooLong { needed: tokens, room });
            }
            spare = spare.saturating_sub(tokens - room + 8);
        }
    }

    /// As much of a text as takes at most so many tokens.
    pub(super) fn cut(&self, text: &str, tokens: usize) -> String {
        // Hardly a token is longer than this; counting all of a huge text only to cut it would be slow.
        let mut cut = super::data::cut(text, tokens.saturating_mul(LONGEST_TOKEN));
        let mut longest = cut.chars().count();
        loop {
            let cost = self.tokenizer.count(&escaped(&cut));
            if cost <= tokens || longest == 0 {
                return cut;
            }
            longest = (longest * tokens / cost.max(1)).min(longest - 1);
            cut = super::data::cut(text, longest);
        }
    }
}

/// Tokens of a prompt below which no question can be put.
const LEAST_PROMPT: usize = 300;

/// Characters of a long token.
const LONGEST_TOKEN: usize = 16;

/// Tokens of a heading or a pair of tags around a part.
const HEADING: usize = 24;
