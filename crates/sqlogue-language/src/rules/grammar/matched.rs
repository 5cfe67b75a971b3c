//! What a rule of the grammar has found, by kind.

use super::recurring::Recurring;
use std::rc::Rc;

use super::chart::{Part, Phrase};
use super::form::{Attr, Bands, Group, Key, Measure, Named, Noun, Pred, Take, Words};
use super::lattice::Lattice;
use super::time::Window;
use super::units::Unit;
use sqlogue_sql::plan::{Comparison, Direction, TimeUnit};
use sqlogue_sql::schema::Value;

/// What a rule has found.
pub struct Matched<'a> {
    /// The tokens.
    pub words: Words,
    /// The question.
    pub lattice: &'a Lattice<'a>,
    /// What was found for each element of the pattern; none where it is words, or is missing.
    pub(super) parts: &'a [Option<Phrase>],
}

impl Matched<'_> {
    fn nth<'m, T>(&'m self, at: usize, pick: impl Fn(&'m Phrase) -> Option<T>) -> Option<T> {
        self.parts.iter().flatten().filter_map(pick).nth(at)
    }

    /// The noun of that number, from 0.
    pub fn noun(&self, at: usize) -> Option<Noun> {
        self.nth(at, |phrase| match phrase {
            Phrase::Noun(noun) => Some(noun.clone()),
            _ => None,
        })
    }

    /// The value of that number.
    pub fn value(&self, at: usize) -> Option<Named> {
        self.nth(at, |phrase| match phrase {
            Phrase::Named(named) => Some(named.clone()),
            _ => None,
        })
    }

    /// True where one of these words is among those that were matched.
    pub fn says(&self, words: &[&str]) -> bool {
        (self.words.start..self.words.end).any(|at| words.contains(&self.lattice.question.word(at)))
    }

    /// The one word that a pattern leaves open, as it is spelt.
    pub fn named_word(&self) -> Option<String> {
        self.named_place().map(|at| self.lattice.question.word(at).to_owned())
    }

    /// Where that word stands.
    pub fn named_place(&self) -> Option<usize> {
        self.value(0).filter(|named| named.links.is_empty()).map(|named| named.words.start)
    }

    /// The number of that number.
    pub fn number(&self, at: usize) -> Option<Value> {
        self.nth(at, |phrase| match phrase {
            Phrase::Number(number) | Phrase::Money(number) => Some(number.clone()),
            _ => None,
        })
    }

    /// So many of a hundred.
    pub fn percent(&self) -> Option<f64> {
        self.nth(0, |phrase| match phrase {
            Phrase::Percent(percent) => percent.as_f64().filter(|percent| (0.0..=100.0).contains(percent)),
            _ => None,
        })
    }

    /// The whole number that comes first.
    pub fn count(&self) -> Option<u64> {
        match self.number(0)? {
            Value::Integer(number) => u64::try_from(number).ok(),
            _ => None,
        }
    }

    /// How many come before the place in an order.
    pub fn before(&self) -> Option<u64> {
        self.nth(0, |phrase| match phrase {
            Phrase::Ordinal(place) => place.checked_sub(1),
            _ => None,
        })
    }

    /// The window of time.
    pub fn window(&self, at: usize) -> Option<Window> {
        self.nth(at, |phrase| match phrase {
            Phrase::Window(window) => Some(*window),
            _ => None,
        })
    }

    /// The days of the week, or hours of the day.
    pub fn recurring(&self) -> Option<Recurring> {
        self.nth_recurring(0)
    }

    /// Those of that number.
    pub fn nth_recurring(&self, at: usize) -> Option<Recurring> {
        self.nth(at, |phrase| match phrase {
            Phrase::Recurring(times) => Some(times.clone()),
            _ => None,
        })
    }

    /// The unit of time.
    pub fn unit(&self) -> Option<Unit> {
        self.nth(0, |phrase| match phrase {
            Phrase::Unit(unit) | Phrase::Period(unit) => Some(*unit),
            _ => None,
        })
    }

    /// The operator.
    pub fn operator(&self) -> Option<Comparison> {
        self.nth_operator(0)
    }

    /// The operator of that number.
    pub fn nth_operator(&self, at: usize) -> Option<Comparison> {
        self.nth(at, |phrase| match phrase {
            Phrase::Operator(operator) => Some(*operator),
            _ => None,
        })
    }

    /// The measure of that number.
    pub fn measure(&self, at: usize) -> Option<Measure> {
        self.nth(at, |phrase| match phrase {
            Phrase::Measure(measure) => Some(measure.clone()),
            _ => None,
        })
    }

    /// The group of rows.
    pub fn group(&self, at: usize) -> Option<Group> {
        self.nth(at, |phrase| match phrase {
            Phrase::Group(group) => Some(group.clone()),
            _ => None,
        })
    }

    /// The point in time of that number.
    pub fn event(&self, at: usize) -> Option<Attr> {
        self.nth(at, |phrase| match phrase {
            Phrase::Event(event) => Some(event.clone()),
            _ => None,
        })
    }

    /// What two columns of a row make.
    pub fn math(&self) -> Option<Attr> {
        self.nth(0, |phrase| match phrase {
            Phrase::Math(attr) => Some(attr.clone()),
            _ => None,
        })
    }

    /// The bands of numbers.
    pub fn bands(&self) -> Option<Rc<Bands>> {
        self.nth(0, |phrase| match phrase {
            Phrase::Bands(bands) => Some(Rc::clone(bands)),
            _ => None,
        })
    }

    /// The unit in which a time is measured.
    pub fn measured(&self) -> Option<TimeUnit> {
        self.nth(0, |phrase| match phrase {
            Phrase::Measured(unit) => Some(*unit),
            _ => None,
        })
    }

    /// What the first rows are taken by, of that number.
    pub fn take(&self, at: usize) -> Option<&Take> {
        self.nth(at, |phrase| match phrase {
            Phrase::Part(Part::All(parts)) => taken(parts),
            _ => None,
        })
    }

    /// The columns that are asked for, of that number.
    pub fn columns(&self, at: usize) -> Option<&Vec<Part>> {
        self.nth(at, |phrase| match phrase {
            Phrase::Columns(columns) => Some(columns),
            _ => None,
        })
    }

    /// The condition of that number.
    pub fn pred(&self, at: usize) -> Option<Pred> {
        self.nth(at, |phrase| match phrase {
            Phrase::Part(Part::Where(pred)) => Some(pred.clone()),
            _ => None,
        })
    }

    /// What one row of the result stands for.
    pub fn key(&self) -> Option<Key> {
        self.nth(0, |phrase| match phrase {
            Phrase::Part(Part::Key(key)) => Some(key.clone()),
            _ => None,
        })
    }

    /// The adjective: the end it puts first, its number, where it stands.
    pub fn adjective(&self) -> Option<(Direction, usize, Words)> {
        self.nth_adjective(0)
    }

    /// The adjective of that number.
    pub fn nth_adjective(&self, at: usize) -> Option<(Direction, usize, Words)> {
        self.nth(at, |phrase| match phrase {
            Phrase::Adjective(direction, index, words) => Some((*direction, *index, *words)),
            _ => None,
        })
    }
}

/// What parts take the first rows by, where they say nothing else.
pub(super) fn taken(parts: &[Part]) -> Option<&Take> {
    match parts {
        [Part::Take(take)] | [Part::Names, Part::Take(take)] => Some(take),
        _ => None,
    }
}
