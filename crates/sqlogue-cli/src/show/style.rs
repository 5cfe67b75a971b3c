//! Colours, or none.

/// Whether text is coloured. Every colour goes through one of these, so that none appears where it was not asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Style {
    colour: bool,
}

/// The ways in which text stands out. Only the sixteen basic colours: they follow the theme of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Headings.
    Bold,
    /// What matters less.
    Dim,
    /// Keywords of SQL.
    Keyword,
    /// Texts in SQL.
    Quoted,
    /// Numbers in SQL.
    Number,
    /// Something went well.
    Good,
    /// Something went wrong.
    Bad,
    /// Something to look at.
    Notice,
}

impl Style {
    /// Colours, or none.
    pub(crate) fn new(colour: bool) -> Self {
        Self { colour }
    }

    /// The text in that ink.
    pub(crate) fn paint(self, ink: Ink, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        let code = match ink {
            Ink::Bold => "1",
            Ink::Dim => "2",
            Ink::Keyword => "34",
            Ink::Quoted | Ink::Good => "32",
            Ink::Number => "36",
            Ink::Bad => "31",
            Ink::Notice => "33",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}
