//! How wide a text is on a terminal, and text that fits; what is safe to show is decided by [`clean`].

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub(in crate::cli) use crate::base::text::{clean, clean_lines};

/// How many places the text takes on a terminal.
pub(in crate::cli) fn width(text: &str) -> usize {
    text.width()
}

/// The text, cut with an ellipsis where it is wider than `places`.
pub(in crate::cli) fn cut(text: &str, places: usize) -> Cow<'_, str> {
    if width(text) <= places {
        return Cow::Borrowed(text);
    }
    let mut left = places.saturating_sub(1);
    let mut shown = String::new();
    for character in text.chars() {
        let wide = character.width().unwrap_or(0);
        if wide > left {
            break;
        }
        left -= wide;
        shown.push(character);
    }
    let kept = shown.trim_end().len();
    shown.truncate(kept);
    shown.push('…');
    shown.into()
}

/// The text broken between words into lines of at most `places`, the later ones indented by `indent`.
pub(in crate::cli) fn wrap(text: &str, places: usize, indent: &str) -> String {
    let mut wrapped = String::new();
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            wrapped.push('\n');
            wrapped.push_str(indent);
        }
        let mut at = if number > 0 { width(indent) } else { 0 };
        for (position, word) in line.split(' ').enumerate() {
            let wide = width(word);
            if position > 0 && at + 1 + wide > places {
                wrapped.push('\n');
                wrapped.push_str(indent);
                at = width(indent);
            } else if position > 0 {
                wrapped.push(' ');
                at += 1;
            }
            wrapped.push_str(word);
            at += wide;
        }
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_with_an_ellipsis() {
        assert_eq!(cut("Sophia Wanderer", 15), "Sophia Wanderer");
        assert_eq!(cut("Sophia Wanderer", 8), "Sophia…");
        assert_eq!(cut("大きさ大きさ", 6), "大き…");
        assert_eq!(cut("abc", 0), "…");
    }

    #[test]
    fn text_breaks_between_words() {
        assert_eq!(wrap("one two three four", 9, "  "), "one two\n  three\n  four");
        assert_eq!(wrap("averylongword b", 5, ""), "averylongword\nb");
    }
}
