//! One cell, whatever file it comes from.

/// A cell as it stands in a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    /// Nothing.
    Empty,
    /// Text, which may be anything else written as text.
    Text(String),
    /// A number.
    Number(f64),
    /// True or false.
    Truth(bool),
    /// A moment in ISO form: a date, a time, or both with a space between.
    Moment(String),
}

impl Cell {
    /// The cell as people see it.
    pub(crate) fn text(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Self::Empty => "".into(),
            Self::Text(text) | Self::Moment(text) => text.as_str().into(),
            Self::Number(number) => number.to_string().into(),
            Self::Truth(truth) => truth.to_string().into(),
        }
    }

    /// The bytes of its text.
    pub(super) fn length(&self) -> usize {
        match self {
            Self::Text(text) | Self::Moment(text) => text.len(),
            Self::Empty | Self::Number(_) | Self::Truth(_) => 0,
        }
    }

    /// True where there is nothing to see.
    pub(crate) fn is_blank(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Text(text) => text.trim().is_empty(),
            _ => false,
        }
    }
}

/// True for the words that programs write where there is no value.
pub(super) fn stands_for_nothing(text: &str) -> bool {
    text.len() <= 6
        && ["", "null", "na", "n/a", "#n/a", "nan", "none", "nil", "-", "--", "\\n"]
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word))
}
