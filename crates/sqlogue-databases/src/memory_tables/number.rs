//! Numbers as people write them: `1,234.50`, `1.234,50`, `(12)`, `$5`, `12 %`.

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Style {
    /// `1,234.5`
    Point,
    /// `1.234,5`
    Comma,
}

/// What a text is as a number in one style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Whole,
    Fraction,
}

/// A text without sign and unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    negative: bool,
    /// The sign before or behind that is not part of the value.
    pub(super) unit: Option<char>,
    digits: &'a str,
}

/// More digits than this are a name for something, not an amount.
const DIGITS: usize = 18;

/// Takes sign and unit off; none where what remains cannot be a number.
pub(super) fn parts(text: &str) -> Option<Parts<'_>> {
    let mut rest = text;
    let mut negative = false;
    let mut unit = None;
    if let Some(inner) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        (negative, rest) = (true, inner);
    }
    let is_unit = |character: char| matches!(character, '$' | '€' | '£' | '¥' | '₹');
    // `-$5` and `$-5` are both written.
    for _ in 0..2 {
        if let Some(after) = rest.strip_prefix(['-', '\u{2212}']) {
            if negative {
                return None;
            }
            (negative, rest) = (true, after);
        }
        if let Some(first) = rest.chars().next().filter(|first| is_unit(*first)) {
            if unit.replace(first).is_some() {
                return None;
            }
            rest = rest.get(first.len_utf8()..).unwrap_or_default().trim_start();
        }
    }
    if let Some(last) = rest.chars().next_back().filter(|last| is_unit(*last) || *last == '%') {
        if unit.replace(last).is_some() {
            return None;
        }
        rest = rest.get(..rest.len() - last.len_utf8()).unwrap_or_default().trim_end();
    }
    let starts_well = rest.starts_with(|first: char| first.is_ascii_digit() || first == '.' || first == ',');
    (starts_well && rest.len() <= 40).then_some(Parts { negative, unit, digits: rest })
}

impl Parts<'_> {
    /// What the digits are in a style.
    pub(super) fn form(&self, style: Style) -> Option<Form> {
        let (decimal, group) = style.signs();
        let (mantissa, exponent) = match self.digits.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (self.digits, None),
        };
        let (whole, fraction) = match mantissa.split_once(decimal) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if fraction.is_some_and(|fraction| !all_digits(fraction)) {
            return None;
        }
        if let Some(exponent) = exponent {
            let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if !all_digits(exponent) || exponent.len() > 3 || !all_digits(whole) {
                return None;
            }
            return Some(Form::Fraction);
        }
        let digits = if all_digits(whole) { whole.len() } else { grouped(whole, group, fraction.is_some())? };
        // `007` is a name, and so is what has too many digits.
        if whole.len() > 1 && whole.starts_with('0') || digits > DIGITS {
            return None;
        }
        Some(if fraction.is_some() { Form::Fraction } else { Form::Whole })
    }

    /// The number with nothing in it but digits, a point and a sign.
    pub(super) fn plain(&self, style: Style) -> String {
        let (decimal, _) = style.signs();
        let mut plain = String::with_capacity(self.digits.len() + 1);
        if self.negative {
            plain.push('-');
        }
        for character in self.digits.chars() {
            match character {
                other if other == decimal => plain.push('.'),
                '0'..='9' | 'e' | 'E' | '+' | '-' => plain.push(character),
                _ => {}
            }
        }
        plain
    }
}

impl Style {
    fn signs(self) -> (char, char) {
        match self {
            Self::Point => ('.', ','),
            Self::Comma => (',', '.'),
        }
    }
}

/// The number of digits in groups of three; none where the groups are not of three, or the signs between differ.
fn grouped(whole: &str, group: char, has_fraction: bool) -> Option<usize> {
    if whole.is_empty() {
        return has_fraction.then_some(0);
    }
    let sign = whole.chars().find(|character| !character.is_ascii_digit())?;
    if sign != group && !matches!(sign, ' ' | '\u{a0}' | '\u{202f}' | '\'' | '\u{2019}') {
        return None;
    }
    let mut digits = 0;
    for (at, part) in whole.split(sign).enumerate() {
        let fits = if at == 0 { (1..=3).contains(&part.len()) } else { part.len() == 3 };
        if !fits || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        digits += part.len();
    }
    Some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_told_apart() {
        use Form::{Fraction, Whole};
        for (text, point, comma) in [
            ("1,234.50", Some(Fraction), None),
            ("1.234,50", None, Some(Fraction)),
            ("1,234", Some(Whole), Some(Fraction)),
            ("1.5", Some(Fraction), None),
            ("12 345 678", Some(Whole), Some(Whole)),
            ("1e5", Some(Fraction), Some(Fraction)),
            (".5", Some(Fraction), None),
            ("0.5", Some(Fraction), None),
            ("0", Some(Whole), Some(Whole)),
            ("007", None, None),
            ("1,23,456", None, None),
            ("1.2.3", None, None),
            ("12345678901234567890", None, None),
            ("5-5", None, None),
            ("1,", None, None),
        ] {
            let parts = parts(text).unwrap();
            assert_eq!((parts.form(Style::Point), parts.form(Style::Comma)), (point, comma), "{text}");
        }
        for text in ["", "x", "+49 30", "-", "$", "1 kg", "--5"] {
            let number = parts(text).and_then(|parts| parts.form(Style::Point));
            assert_eq!(number, None, "{text}");
        }
    }

    #[test]
    fn signs_and_units_are_taken_off() {
        let plain = |text: &str, style| {
            let parts = parts(text).unwrap();
            (parts.plain(style), parts.unit)
        };
        assert_eq!(plain("-$1,234.50", Style::Point), ("-1234.50".into(), Some('$')));
        assert_eq!(plain("$ -5", Style::Point), ("-5".into(), Some('$')));
        assert_eq!(plain("(1,000)", Style::Point), ("-1000".into(), None));
        assert_eq!(plain("12,5 %", Style::Comma), ("12.5".into(), Some('%')));
        assert_eq!(plain("1.234,5 €", Style::Comma), ("1234.5".into(), Some('€')));
    }
}
