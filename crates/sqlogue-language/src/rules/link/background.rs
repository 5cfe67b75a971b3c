//! What is said before a question and asks nothing: *I have to call them today. Which invoices are overdue?*
//!
//! Such a sentence is left out where it names nothing that the question would need. Where it names one thing and the question
//! speaks of it by a pronoun, the name takes the pronoun's place: *Paula Reed left a message. What is her phone number?* Whatever
//! else it may bind (a value, a number, a time) keeps it as it is.

use std::ops::Range;

use jiff::civil::Date;

use super::names::Named;
use super::{Link, Target, ValueLink, cells};
use crate::rules::grammar::{WordLists, windows};
use crate::rules::knowledge::Knowledge;
use crate::rules::text::{Question, Token, TokenKind};
use crate::rules::values::MatchKind;

/// As few words make no question of their own.
const SENTENCE: usize = 4;
/// With so many words, a question may stand by itself.
const WHOLE: usize = 7;

/// Leaves out what is only said before the question.
pub(super) fn leave_out(question: &mut Question, knowledge: &Knowledge, today: Date) {
    let Some(asked) = asked_from(question) else { return };
    let said = Said {
        question,
        cells: cells::links(question, knowledge),
        times: windows(question, today).into_iter().map(|(start, end, _)| start..end).collect(),
        names: Named::new(question, knowledge).links(),
        asked,
    };
    if said.binds_number() || said.binds_time() {
        return;
    }
    let replaced = match said.bound() {
        Bound::Several => return,
        Bound::Nothing if said.pronouns().is_empty() => Vec::new(),
        Bound::Nothing => return,
        Bound::Once(name) => {
            let pronouns = said.pronouns();
            let is_one = |at: &usize| {
                !matches!(question.word(*at), "they" | "them" | "these" | "those" | "ones" | "such")
            };
            if pronouns.is_empty() || !pronouns.iter().all(is_one) {
                return;
            }
            pronouns.into_iter().map(|at| (at, named(question, at, &name))).collect()
        }
    };
    question.background = question.span_text(0, asked).to_owned();
    for (at, tokens) in replaced.into_iter().rev() {
        question.tokens.splice(at..=at, tokens);
    }
    question.tokens.drain(..asked);
}

/// The name in the place of a pronoun, with the sign of the possessive behind it where the pronoun is one.
fn named(question: &Question, at: usize, name: &Range<usize>) -> Vec<Token> {
    let mut tokens = question.tokens.get(name.clone()).unwrap_or_default().to_vec();
    let noun_follows = question.tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Word);
    let is_possessive = match question.word(at) {
        "his" | "their" | "its" => true,
        "her" => noun_follows,
        "there" => {
            tokens.insert(0, Token::word("at", 0, 0));
            false
        }
        _ => false,
    };
    if is_possessive {
        tokens.push(Token { kind: TokenKind::Possessive, ..Token::word("'s", 0, 0) });
    }
    let place = question.tokens.get(at).map_or(0, |token| token.start);
    tokens.iter_mut().for_each(|token| (token.start, token.end) = (place, place));
    if let (Some(last), Some(pronoun)) = (tokens.last_mut(), question.tokens.get(at)) {
        last.end = pronoun.end;
    }
    tokens
}

/// Where what is asked begins, behind statements and behind questions that only lead to it.
fn asked_from(question: &Question) -> Option<usize> {
    let tokens = &question.tokens;
    let mut begin = 0;
    let mut asked = None;
    for at in 1..tokens.len().saturating_sub(SENTENCE) {
        let starts = tokens.get(at + 1).is_some_and(Token::is_capitalised);
        let ends = match question.word(at) {
            "?" | "!" => true,
            "." => starts && at - begin > 2,
            ":" | "," | ";" => asks(question, at + 1) && speaks(question, begin..at),
            _ => false,
        };
        if !ends {
            continue;
        }
        let is_question = question.word(at) == "?";
        let only_leads = match is_question {
            true => leads(question, begin),
            false => states(question, begin..at),
        };
        if !only_leads || !asks_in(question, at + 1) || !stands_alone(question, at + 1, is_question) {
            break;
        }
        begin = at + 1;
        asked = Some(begin);
    }
    asked
}

/// True where a word asks: *which*, *show*.
fn asks(question: &Question, at: usize) -> bool {
    WordLists::embedded().has("asking", question.word(at))
        || matches!(question.word(at), "tell" | "put" | "split")
}

/// True where the sentence from here on asks for something: *for each region, how many …*, *tell me …*.
fn asks_in(question: &Question, begin: usize) -> bool {
    let end = (begin..question.tokens.len()).find(|at| matches!(question.word(*at), "." | "?" | "!"));
    let end = end.unwrap_or(question.tokens.len());
    let opens = matches!(
        question.word(begin),
        "of" | "for" | "in" | "among" | "over" | "per" | "by" | "on" | "from" | "at"
    );
    asks(question, begin) || (opens && (begin..end).any(|at| asks(question, at)))
}

/// True where what is asked from here on needs nothing that was said before: it has words enough, and behind another question it
/// says itself of what it asks.
fn stands_alone(question: &Question, begin: usize, behind_question: bool) -> bool {
    const SAYS: [&str; 14] = [
        "each",
        "every",
        "per",
        "whose",
        "that",
        "who",
        "where",
        "with",
        "many",
        "much",
        "percent",
        "percentage",
        "average",
        "share",
    ];
    let words = || (begin..question.tokens.len()).filter(|at| !is_mark(question, *at));
    words().count() >= WHOLE
        && (!behind_question || words().skip(1).any(|at| SAYS.contains(&question.word(at))))
}

fn is_mark(question: &Question, at: usize) -> bool {
    question.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Mark)
}

/// True for a question that nobody answers with rows: *how reliable are they*, *do we lose customers*.
fn leads(question: &Question, begin: usize) -> bool {
    const COUNTED: [&str; 10] =
        ["many", "much", "often", "long", "old", "big", "large", "high", "far", "come"];
    match question.word(begin) {
        "do" | "does" | "did" | "is" | "are" | "was" | "were" | "have" | "has" | "can" | "why" => true,
        "how" => !COUNTED.contains(&question.word(begin + 1)),
        _ => false,
    }
}

/// True for a statement: nothing in it asks, and somebody does or wants something.
fn states(question: &Question, said: Range<usize>) -> bool {
    const SPEAKS: [&str; 40] = [
        "i", "we", "my", "our", "is", "are", "was", "were", "am", "has", "have", "want", "wants", "need",
        "needs", "says", "said", "asks", "asked", "think", "thinks", "worry", "must", "should", "will",
        "would", "can", "could", "might", "may", "seems", "seem", "keep", "keeps", "make", "makes", "do",
        "does", "notes", "did",
    ];
    let words = || said.clone().map(|at| question.word(at));
    const TELLS: [&str; 8] = ["some", "many", "most", "all", "several", "there", "these", "few"];
    !asks(question, said.start)
        && !TELLS.contains(&question.word(said.start))
        && said.len() >= SENTENCE
        && words().any(|word| SPEAKS.contains(&word))
        && !said
            .clone()
            .any(|at| matches!(question.word(at), "which" | "what" | "how" | "who" | "whose" | "many"))
        && !words().any(|word| matches!(word, "each" | "every" | "per" | "by"))
}

/// True where somebody speaks of themselves, or of what somebody wants to know.
fn speaks(question: &Question, said: Range<usize>) -> bool {
    const SPEAKERS: [&str; 14] = [
        "i", "we", "me", "us", "my", "our", "asks", "asked", "asking", "wants", "needs", "says", "somebody",
        "someone",
    ];
    said.into_iter().any(|at| SPEAKERS.contains(&question.word(at)))
}

/// What a statement names that the question may need.
enum Bound {
    /// Nothing.
    Nothing,
    /// One value, in these tokens.
    Once(Range<usize>),
    /// More than one.
    Several,
}

/// What is said, and what its words may stand for.
struct Said<'a> {
    question: &'a Question,
    cells: Vec<Link>,
    times: Vec<Range<usize>>,
    names: Vec<Link>,
    asked: usize,
}

impl Said<'_> {
    fn is_said(&self, link: &Link) -> bool {
        link.end <= self.asked
    }

    /// True for a number other than those of a name.
    fn binds_number(&self) -> bool {
        let number = |token: &Token| token.kind == TokenKind::Number;
        let named = |at: usize| self.values().any(|value| value.contains(&at));
        let tokens = self.question.tokens.iter().take(self.asked).enumerate();
        tokens.into_iter().any(|(at, token)| number(token) && !named(at) && !self.is_time(at))
    }

    fn is_time(&self, at: usize) -> bool {
        self.times.iter().any(|time| time.contains(&at))
    }

    /// True for a time that the question does not say itself.
    fn binds_time(&self) -> bool {
        const NOW: [&str; 9] =
            ["today", "tomorrow", "tonight", "now", "monday", "friday", "yesterday", "morning", "currently"];
        let is_now = |time: &Range<usize>| time.clone().any(|at| NOW.contains(&self.question.word(at)));
        let said = self.times.iter().any(|time| time.end <= self.asked && !is_now(time));
        said && !self.times.iter().any(|time| time.start >= self.asked)
    }

    /// The cells that the statement names for certain, widest first, none inside another.
    fn values(&self) -> impl Iterator<Item = Range<usize>> {
        let sure = |link: &&Link| match &link.target {
            Target::Value(ValueLink { kind, quoted, .. }) => {
                *quoted || matches!(kind, MatchKind::Exact | MatchKind::Folded | MatchKind::Stemmed)
            }
            _ => false,
        };
        let mut spans: Vec<Range<usize>> = self
            .cells
            .iter()
            .filter(|link| self.is_said(link))
            .filter(sure)
            .map(|link| link.start..link.end)
            .collect();
        spans.sort_by_key(|span| (std::cmp::Reverse(span.len()), span.start));
        let mut widest: Vec<Range<usize>> = Vec::new();
        for span in spans {
            if !widest.iter().any(|wide| span.start < wide.end && wide.start < span.end) {
                widest.push(span);
            }
        }
        widest.sort_by_key(|span| span.start);
        // A first name and a last name are one name.
        let mut joined: Vec<Range<usize>> = Vec::new();
        for span in widest {
            match joined.last_mut() {
                Some(last) if last.end == span.start && self.is_name(&span) && self.is_name(last) => {
                    last.end = span.end
                }
                _ => joined.push(span),
            }
        }
        joined.into_iter()
    }

    fn is_name(&self, span: &Range<usize>) -> bool {
        let tokens = self.question.tokens.get(span.clone()).unwrap_or_default();
        tokens
            .iter()
            .any(|token| token.is_capitalised() || token.text.chars().any(|letter| letter.is_ascii_digit()))
    }

    /// What the statement binds: a value that the question says itself is none.
    fn bound(&self) -> Bound {
        let again = |span: &Range<usize>| {
            let words = |from: usize| (0..span.len()).map(move |ahead| self.question.word(from + ahead));
            (self.asked..self.question.tokens.len()).any(|at| words(at).eq(words(span.start)))
        };
        let mut values = self.values().filter(|span| !again(span));
        match (values.next(), values.next()) {
            (None, _) => Bound::Nothing,
            (Some(one), None) if self.is_name(&one) => Bound::Once(one),
            _ => Bound::Several,
        }
    }

    /// The words of the question that point back into the statement.
    fn pronouns(&self) -> Vec<usize> {
        (self.asked..self.question.tokens.len()).filter(|at| self.points_back(*at)).collect()
    }

    fn points_back(&self, at: usize) -> bool {
        let word = |at: usize| self.question.word(at);
        match word(at) {
            "he" | "she" | "him" | "his" | "hers" | "her" => true,
            "these" | "those" | "ones" | "such" => true,
            "one" => {
                matches!(word(at - 1), "which" | "each" | "that" | "this" | "the") && word(at + 1) != "of"
            }
            "each" => self.question.tokens.get(at + 1).is_none_or(|_| is_mark(self.question, at + 1)),
            "there" => {
                !matches!(word(at - 1), "are" | "is" | "was" | "were" | "been" | "be")
                    && !matches!(word(at + 1), "are" | "is" | "was" | "were")
            }
            "this" | "that" => {
                self.question.tokens.get(at + 1).is_none_or(|_| is_mark(self.question, at + 1))
            }
            "they" | "them" | "their" | "it" | "its" => {
                let is_thing = |link: &Link| {
                    link.start >= self.asked
                        && link.end < at
                        && matches!(link.target, Target::Table(_) | Target::Value(_))
                };
                !self.names.iter().chain(&self.cells).any(is_thing)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::{library, office};
    use crate::rules::link::link;

    #[test]
    fn only_what_asks_for_nothing_is_left_out() {
        let today = jiff::civil::date(2024, 6, 15);
        let asked = |text: &str, knowledge| {
            let linked = link(text, &knowledge, today);
            let words: Vec<String> = linked.question.tokens.into_iter().map(|token| token.text).collect();
            words.join(" ")
        };
        for (text, left) in [
            (
                "I have to call them today. Which members had a fine in May 2024?",
                "Which members had a fine in May 2024 ?",
            ),
            (
                "Bob Hansen is on the phone. What is the email of his loans by month?",
                "What is the email of Bob Hansen 's loans by month ?",
            ),
            (
                "How reliable are we? For each member show how many loans came late",
                "For each member show how many loans came late",
            ),
        ] {
            assert_eq!(asked(text, library()), left);
            let said = link(text, &library(), today).question.background;
            assert!(!said.is_empty() && text.starts_with(&said), "{text}: {said}");
        }
        for text in [
            // What is said binds what is asked.
            "We had a campaign in March 2024. Which members had a loan with a fine?",
            "We had a campaign in March. Which members had a loan with a fine?",
            "We had a campaign last quarter. Which members had a loan with a fine?",
            "Some books are reserved. Which members have a loan of one of them?",
            "Potholes that nobody has closed yet : how many and how much money altogether ?",
            "How many members are there ? Which members have a loan in May 2024 ?",
            "Do we have books without loans ? List the titles",
        ] {
            assert!(asked(text, library()).len() + 2 >= text.len(), "{text}");
        }
        assert!(
            asked("We repair a lot. How many Pothole requests were opened in each district?", office())
                .starts_with("How")
        );
    }
}
