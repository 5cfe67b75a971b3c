//! How many lines were answered, and what that says of the whole.

use clap::Args;

use super::failure::Exit;

/// What the commands for JSON lines take alike.
#[derive(Debug, Default, Args)]
pub(super) struct LineArguments {
    /// Exit with 3 where any line was not answered, and not only where none was
    #[arg(long)]
    pub(super) strict: bool,
    /// Print the JSON schemas of the lines that are read and written, and do nothing else
    #[arg(long)]
    pub(super) json_schema: bool,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Became {
    Answered,
    Failed,
    Awaiting,
}

/// The lines so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    answered: u64,
    failed: u64,
    awaiting: u64,
}

impl Tally {
    /// Counts a line.
    pub(super) fn count(&mut self, became: Became) {
        match became {
            Became::Answered => self.answered += 1,
            Became::Failed => self.failed += 1,
            Became::Awaiting => self.awaiting += 1,
        }
    }

    /// How the command ends. A few lines that fail are what is to be expected of many; none that is answered is not.
    pub(super) fn exit(self, strict: bool) -> Exit {
        let Self { answered, failed, awaiting } = self;
        let is_fine = if strict { failed + awaiting == 0 } else { answered > 0 || failed + awaiting == 0 };
        match (is_fine, awaiting > 0 && (failed == 0 || answered == 0 && !strict)) {
            (true, _) => Exit::Answered,
            (false, true) => Exit::Awaiting,
            (false, false) => Exit::Failed,
        }
    }

    /// For people: `120 lines, 3 failed`.
    pub(super) fn shown(self) -> String {
        let all = self.answered + self.failed + self.awaiting;
        let mut text = super::show::counted(all, "line");
        for (number, what) in [(self.failed, "failed"), (self.awaiting, "awaiting a correction")] {
            if number > 0 {
                text += &format!(", {} {what}", super::show::number::grouped(number));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exit(lines: &[Became], strict: bool) -> Exit {
        let mut tally = Tally::default();
        lines.iter().for_each(|line| tally.count(*line));
        tally.exit(strict)
    }

    #[test]
    fn all_failed_is_told_from_all_answered() {
        use Became::{Answered, Awaiting, Failed};
        assert_eq!(exit(&[], false), Exit::Answered);
        assert_eq!(exit(&[Answered, Answered], false), Exit::Answered);
        assert_eq!(exit(&[Answered, Failed, Awaiting], false), Exit::Answered);
        assert_eq!(exit(&[Failed, Failed], false), Exit::Failed);
        assert_eq!(exit(&[Failed, Awaiting], false), Exit::Awaiting);
        assert_eq!(exit(&[Answered, Answered], true), Exit::Answered);
        assert_eq!(exit(&[Answered, Failed], true), Exit::Failed);
        assert_eq!(exit(&[Failed, Awaiting], true), Exit::Failed);
        assert_eq!(exit(&[Answered, Awaiting], true), Exit::Awaiting);
    }
}
