//! Text that is safe to show, and text that fits.
//!
//! Cells, names, questions and the words of servers are other people's text. On a terminal it must not move the cursor,
//! change colours, hide anything or turn the direction of writing.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What stands for a character that may not be shown.
const MARK: char = '\u{fffd}';

/// The text on one line: line breaks and tabs become spaces, what could control a terminal or hides becomes a mark.
pub fn clean(text: &str) -> Cow<'_, str> {
    cleaned(text, |character| match character {
        '\n' | '\r' | '\t' => Some(' '),
        _ => None,
    })
}

/// The text with its line breaks; what could control a terminal or hides becomes a mark.
pub fn clean_lines(text: &str) -> Cow<'_, str> {
    fn lines(text: &str) -> Cow<'_, str> {
        cleaned(text, |character| match character {
            '\n' => Some('\n'),
            '\t' => Some(' '),
            _ => None,
        })
    }
    match text.contains("\r\n") {
        true => lines(&text.replace("\r\n", "\n")).into_owned().into(),
        false => lines(text),
    }
}

/// The text with marks; `in_place_of` says what stands for a character that is let through in another form.
fn cleaned(text: &str, in_place_of: impl Fn(char) -> Option<char>) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    for character in text.chars() {
        shown.push(match in_place_of(character) {
            Some(other) => other,
            None if is_hidden(character) && !belongs(character, before) => MARK,
            None => character,
        });
        before = character;
    }
    match shown == text {
        true => Cow::Borrowed(text),
        false => Cow::Owned(shown),
    }
}

/// Characters that nobody sees, or that change how others are seen: controls, marks of direction, joiners, fillers,
/// variations and tags.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character that is seen by its effect alone has one after `before`: a joiner inside the scripts and emoji that
/// are written with joiners, and the sign that chooses between the two looks of a symbol.
fn belongs(character: char, before: char) -> bool {
    let is_symbol =
        matches!(before, '\u{2190}'..='\u{2bff}' | '\u{3030}'..='\u{303d}' | '\u{1f000}'..='\u{1faff}');
    match character {
        '\u{200c}' | '\u{200d}' => {
            is_symbol
                || before == '\u{fe0f}'
                || matches!(before, '\u{620}'..='\u{109f}' | '\u{1780}'..='\u{18af}') && !is_hidden(before)
        }
        '\u{fe0e}' | '\u{fe0f}' => is_symbol || matches!(before, '0'..='9' | '#' | '*' | '©' | '®'),
        _ => false,
    }
}

/// The text on one line of Markdown, in which nothing is markup and no HTML.
pub fn markdown(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in clean(text).trim().chars() {
        match character {
            '<' => line.push_str("&lt;"),
            '>' => line.push_str("&gt;"),
            '&' => line.push_str("&amp;"),
            '*' | '_' | '`' | '[' | ']' | '#' | '\\' | '|' | '~' => line.extend(['\\', character]),
            _ => line.push(character),
        }
    }
    line
}

/// How many places the text takes on a terminal.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text, cut with an ellipsis where it is wider than `places`.
pub fn cut(text: &str, places: usize) -> Cow<'_, str> {
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
pub fn wrap(text: &str, places: usize, indent: &str) -> String {
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
    fn what_nobody_sees_is_marked() {
        for hidden in [
            '\u{200b}',
            '\u{200d}',
            '\u{2060}',
            '\u{feff}',
            '\u{2066}',
            '\u{ad}',
            '\u{e0041}',
            '\u{fe0f}',
            '\u{3164}',
        ] {
            assert_eq!(clean(&format!("pay{hidden}ment")), "pay\u{fffd}ment", "{hidden:?}");
            assert_eq!(clean_lines(&format!("pay{hidden}ment")), "pay\u{fffd}ment", "{hidden:?}");
        }
    }

    #[test]
    fn joiners_stay_where_people_write_them() {
        for text in ["می\u{200c}خواهم", "क्\u{200d}ष", "👩\u{200d}💻", "❤\u{fe0f}\u{200d}🔥", "1\u{fe0f}"]
        {
            assert!(matches!(clean(text), Cow::Borrowed(_)), "{text:?}");
        }
    }

    #[test]
    fn markdown_has_no_markup_of_others() {
        assert_eq!(
            markdown("<script>a|b</script> *x* & [y](z)\n`c`\u{202e}"),
            "&lt;script&gt;a\\|b&lt;/script&gt; \\*x\\* &amp; \\[y\\](z) \\`c\\`\u{fffd}"
        );
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
