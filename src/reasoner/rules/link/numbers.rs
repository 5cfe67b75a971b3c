//! Numbers: digits, number words, ordinals.

use super::{Link, Number, Target};
use crate::reasoner::rules::signs;
use crate::reasoner::rules::text::{Question, TokenKind};
use crate::schema::Value;

/// All numbers in the question.
pub(super) fn links(question: &Question) -> Vec<Link> {
    let mut links = Vec::new();
    for (start, token) in question.tokens.iter().enumerate() {
        let (number, length) = match token.kind {
            TokenKind::Number => {
                let Some((value, bare)) = signs::value(&token.text) else { continue };
                let (number, length) = scaled(value, question.word(start + 1));
                let money = number.money || signs::is_money(&token.text);
                (Number { year: number.year && bare && !money, money, ..number }, length)
            }
            TokenKind::Word if thousands(&token.lower).is_some() => {
                (number(thousands(&token.lower).unwrap_or_default(), false), 1)
            }
            TokenKind::Word => match words(question, start) {
                Some(found) => found,
                None => continue,
            },
            _ => continue,
        };
        let end = start + length;
        links.push(Link { start, end, target: Target::Number(number), score: 1.0 });
    }
    links
}

/// *50k*
fn thousands(word: &str) -> Option<f64> {
    let (digits, bare) = word.strip_suffix('k').and_then(signs::value)?;
    (bare || digits.fract() != 0.0).then_some(digits * 1e3)
}

fn scaled(value: f64, next: &str) -> (Number, usize) {
    let factor = match next {
        "thousand" => 1e3,
        "million" | "millions" => 1e6,
        "billion" | "billions" => 1e9,
        "%" | "percent" | "pct" => return (Number { percent: true, year: false, ..number(value, false) }, 2),
        "dollars" | "dollar" | "euros" | "euro" | "pounds" | "usd" | "eur" | "gbp" | "€" | "£" => {
            return (Number { money: true, ..number(value, false) }, 2);
        }
        _ => return (number(value, false), 1),
    };
    (number(value * factor, false), 2)
}

fn number(value: f64, ordinal: bool) -> Number {
    let whole = value.fract() == 0.0 && value.abs() < 9e15;
    // The cast is exact: the number is whole and small enough.
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
    let cell = if whole { Value::Integer(value as i64) } else { Value::Real(value) };
    let year = whole && (1000.0..2200.0).contains(&value) && !ordinal;
    Number { value: cell, ordinal, year, percent: false, money: false }
}

/// The number that a word stands for, and whether it is an ordinal.
pub fn number_word(word: &str) -> Option<(i64, bool)> {
    let cardinal = match word {
        "zero" => 0,
        "one" => 1,
        "two" => 2,
        "three" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "seven" => 7,
        "eight" => 8,
        "nine" => 9,
        "ten" => 10,
        "eleven" => 11,
        "twelve" | "dozen" => 12,
        "thirteen" => 13,
        "fourteen" => 14,
        "fifteen" => 15,
        "sixteen" => 16,
        "seventeen" => 17,
        "eighteen" => 18,
        "nineteen" => 19,
        "twenty" => 20,
        "thirty" => 30,
        "forty" => 40,
        "fifty" => 50,
        "sixty" => 60,
        "seventy" => 70,
        "eighty" => 80,
        "ninety" => 90,
        "hundred" => 100,
        "thousand" => 1000,
        "million" => 1_000_000,
        _ => return ordinal_word(word).map(|number| (number, true)),
    };
    Some((cardinal, false))
}

fn ordinal_word(word: &str) -> Option<i64> {
    Some(match word {
        "second" => 2,
        "third" => 3,
        "fourth" => 4,
        "fifth" => 5,
        "sixth" => 6,
        "seventh" => 7,
        "eighth" => 8,
        "ninth" => 9,
        "tenth" => 10,
        _ => {
            let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending))?;
            return digits.parse().ok().filter(|_| digits.len() <= 4);
        }
    })
}

/// A run of number words that starts here: *two hundred*, *twenty five*.
fn words(question: &Question, start: usize) -> Option<(Number, usize)> {
    let (first, ordinal) = number_word(question.word(start))?;
    // `second` alone is more often a unit of time than a rank, and `one` more often a pronoun.
    if ordinal {
        return Some((number(first as f64, true), 1));
    }
    let (mut total, mut current, mut length) = (0_i64, first, 1_usize);
    if first >= 100 {
        return None;
    }
    while length < 6 {
        match number_word(question.word(start + length)) {
            Some((scale @ (100 | 1000 | 1_000_000), false)) => {
                current *= scale;
                if scale >= 1000 {
                    total += current;
                    current = 0;
                }
            }
            Some((more, false)) if more < 10 && current % 10 == 0 && (20..100).contains(&(current % 100)) => {
                current += more
            }
            _ => break,
        }
        length += 1;
    }
    Some((number((total + current) as f64, false), length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        links(&Question::new(text))
            .into_iter()
            .map(|link| match link.target {
                Target::Number(number) => number.value.to_string(),
                other => format!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn digits_and_words() {
        assert_eq!(read("over 1,500.5 and 3 million"), ["1500.5", "3000000"]);
        assert_eq!(read("at least two hundred"), ["200"]);
        assert_eq!(read("the third and 2nd"), ["3", "2"]);
        assert_eq!(read("below -5, over $2,000.50 or .5"), ["-5", "2000.5", "0.5"]);
    }

    #[test]
    fn years_and_percentages_are_told_from_other_numbers() {
        let number = |text: &str| {
            let question = Question::new(text);
            links(&question).into_iter().find_map(|link| match link.target {
                Target::Number(number) => Some((number.year, number.percent, link.end - link.start)),
                _ => None,
            })
        };
        assert_eq!(number("2000"), Some((true, false, 1)));
        assert_eq!(number("$2000"), Some((false, false, 1)));
        assert_eq!(number("2,000"), Some((false, false, 1)));
        assert_eq!(number("10%"), Some((false, true, 2)));
        assert_eq!(number("2000 euros"), Some((false, false, 2)));
        assert_eq!(number("50k"), Some((false, false, 1)));
        assert_eq!(number("2000 percent"), Some((false, true, 2)));
    }
}
