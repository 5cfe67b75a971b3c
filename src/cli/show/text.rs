//! Text that is safe to show, and how wide it is.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What stands for a character that may not be shown.
const HIDDEN: char = '\u{fffd}';

/// The text on one line: line breaks and tabs become spaces, what could control a terminal a mark.
pub(in crate::cli) fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_dangerous) {
        return Cow::Borrowed(text);
    }
    text.chars()
        .map(|character| match character {
            '\n' | '\r' | '\t' => ' ',
            character if is_dangerous(character) => HIDDEN,
            character => character,
        })
        .collect::<String>()
        .into()
}

/// The text with its line breaks; what could control a terminal becomes a mark.
pub(in crate::cli) fn clean_lines(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|character| character != '\n' && is_dangerous(character)) {
        return Cow::Borrowed(text);
    }
    text.replace("\r\n", "\n")
        .chars()
        .map(|character| match character {
            '\n' => '\n',
            '\t' => ' ',
            character if is_dangerous(character) => HIDDEN,
            character => character,
        })
        .collect::<String>()
        .into()
}

/// Control characters, and those that turn the direction of writing, so that what is read is not what is there.
fn is_dangerous(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

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
    fn nothing_that_controls_a_terminal_passes() {
        assert_eq!(clean("a\u{1b}[31mb\tc\nd\u{9b}e\u{202e}f"), "a\u{fffd}[31mb c d\u{fffd}e\u{fffd}f");
        assert_eq!(clean_lines("one\r\ntwo\u{7}\r"), "one\ntwo\u{fffd}\u{fffd}");
        assert!(matches!(clean("Größe 大きさ"), Cow::Borrowed(_)));
    }

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
