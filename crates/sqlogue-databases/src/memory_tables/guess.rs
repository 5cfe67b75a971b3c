//! What a column holds, found out from every one of its cells.

use super::cell::stands_for_nothing;
use super::date::{self, Order};
use super::number::{self, Form, Style};

/// What a column turned out to hold, with how it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Whole(Style),
    Fraction(Style),
    Truth,
    Date(Order),
    DateTime(Order),
    Time,
    Text,
    /// What no text is.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code, reason = "only Parquet files hold it"))]
    Bytes,
}

impl Holds {
    /// The type that the column is declared with.
    pub(super) fn declaration(self) -> &'static str {
        match self {
            Self::Whole(_) => "INTEGER",
            Self::Fraction(_) => "REAL",
            Self::Truth => "BOOLEAN",
            Self::Date(_) => "DATE",
            Self::DateTime(_) => "DATETIME",
            Self::Time => "TIME",
            Self::Text => "TEXT",
            Self::Bytes => "BLOB",
        }
    }
}

// What all cells so far could be, as a set.
const WHOLE_POINT: u32 = 1;
const FRACTION_POINT: u32 = 1 << 1;
const WHOLE_COMMA: u32 = 1 << 2;
const FRACTION_COMMA: u32 = 1 << 3;
const NUMBERS: u32 = 0xF;
const TRUE_FALSE: u32 = 1 << 4;
const YES_NO: u32 = 1 << 5;
const Y_N: u32 = 1 << 6;
const T_F: u32 = 1 << 7;
const TRUTHS: u32 = 0xF << 4;
const ORDERS: u32 = 0xF << 8;
const NO_TIME: u32 = 1 << 12;
const TIME: u32 = 1 << 13;
const ALL: u32 = NUMBERS | TRUTHS | ORDERS | NO_TIME | TIME;

fn order_bit(order: Order) -> u32 {
    match order {
        Order::YearFirst => 1 << 8,
        Order::DayFirst => 1 << 9,
        Order::MonthFirst => 1 << 10,
        Order::Named => 1 << 11,
    }
}

/// A guess about a column that gets narrower with every cell.
#[derive(Debug, Clone)]
pub(super) struct Guess {
    possible: u32,
    seen: bool,
    /// The unit of the first number, and whether others differ.
    unit: Option<Option<char>>,
    /// Whether a number was written with a sign in it that styles read differently.
    has_separators: bool,
}

impl Default for Guess {
    fn default() -> Self {
        Self { possible: ALL, seen: false, unit: None, has_separators: false }
    }
}

impl Guess {
    /// Takes note of a text.
    pub(super) fn text(&mut self, text: &str) {
        if self.possible == 0 {
            return;
        }
        let text = text.trim();
        if stands_for_nothing(text) {
            return;
        }
        self.seen = true;
        // Most cells are plain whole numbers.
        if self.possible & !NUMBERS == 0 && is_plain(text) && self.unit == Some(None) {
            return;
        }
        let mut kinds = 0;
        if self.possible & NUMBERS != 0 {
            kinds |= self.number(text);
        }
        if self.possible & TRUTHS != 0 {
            kinds |= truth(text);
        }
        if self.possible & (ORDERS | TIME) != 0 {
            kinds |= self.moment(text);
        }
        self.narrow(kinds);
    }

    /// Takes note of a number that the file itself says is one.
    pub(super) fn number_cell(&mut self, number: f64) {
        self.seen = true;
        let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
        self.narrow(if is_whole { NUMBERS } else { FRACTION_POINT | FRACTION_COMMA });
        self.unit.get_or_insert(None);
    }

    /// Takes note of a whole number that the file itself says is one.
    pub(super) fn whole_cell(&mut self) {
        self.seen = true;
        self.narrow(NUMBERS);
        self.unit.get_or_insert(None);
    }

    /// Takes note of a number that the file itself says is a fraction, whatever stands behind its point.
    pub(super) fn fraction_cell(&mut self) {
        self.seen = true;
        self.narrow(FRACTION_POINT | FRACTION_COMMA);
        self.unit.get_or_insert(None);
    }

    /// Takes note of a text that the file itself says is one. It can be a moment, because files have no other way to
    /// write those; it is no number, or it would be written as one.
    pub(super) fn text_cell(&mut self, text: &str) {
        let text = text.trim();
        if self.possible == 0 || stands_for_nothing(text) {
            return;
        }
        self.seen = true;
        let kinds = if self.possible & (ORDERS | TIME) == 0 { 0 } else { self.moment(text) };
        self.narrow(kinds);
    }

    /// Takes note of a truth value that the file itself says is one.
    pub(super) fn truth_cell(&mut self) {
        self.seen = true;
        self.narrow(TRUTHS);
    }

    /// Takes note of a moment that the file itself says is one.
    pub(super) fn moment_cell(&mut self, text: &str) {
        self.seen = true;
        self.narrow(match (text.contains('-'), text.contains(':')) {
            (true, true) => ORDERS,
            (true, false) => ORDERS | NO_TIME,
            (false, _) => TIME,
        });
    }

    fn narrow(&mut self, kinds: u32) {
        self.possible &= kinds;
        // What is left of a date without an order is nothing.
        if self.possible & !NO_TIME == 0 {
            self.possible = 0;
        }
    }

    fn number(&mut self, text: &str) -> u32 {
        let Some(parts) = number::parts(text) else { return 0 };
        let mut kinds = 0;
        for (style, whole, fraction) in
            [(Style::Point, WHOLE_POINT, FRACTION_POINT), (Style::Comma, WHOLE_COMMA, FRACTION_COMMA)]
        {
            kinds |= match parts.form(style) {
                Some(Form::Whole) => whole | fraction,
                Some(Form::Fraction) => fraction,
                None => 0,
            };
        }
        if kinds != 0 {
            // Amounts in two units are no column of numbers.
            if *self.unit.get_or_insert(parts.unit) != parts.unit {
                return 0;
            }
            self.has_separators |= text.contains(['.', ',']);
        }
        kinds
    }

    fn moment(&self, text: &str) -> u32 {
        let Some(moment) = date::moment(text) else { return 0 };
        if !moment.time.is_empty() && date::time(moment.time).is_none() {
            return 0;
        }
        if moment.date.is_empty() {
            return TIME;
        }
        let orders = Order::ALL
            .into_iter()
            .filter(|order| {
                self.possible & order_bit(*order) != 0 && date::date(moment.date, *order).is_some()
            })
            .fold(0, |orders, order| orders | order_bit(order));
        if orders == 0 {
            0
        } else if moment.time.is_empty() {
            orders | NO_TIME
        } else {
            orders
        }
    }

    /// True where nothing but the comma as a decimal sign makes sense of the numbers.
    pub(super) fn needs_comma(&self) -> bool {
        self.seen
            && self.possible & (WHOLE_COMMA | FRACTION_COMMA) != 0
            && self.possible & (WHOLE_POINT | FRACTION_POINT) == 0
    }

    /// True where the dates make sense in only one of the two orders that are easily confused.
    pub(super) fn only_order(&self) -> Option<Order> {
        let (day, month) = (order_bit(Order::DayFirst), order_bit(Order::MonthFirst));
        match (self.seen, self.possible & (day | month)) {
            (true, left) if left == day => Some(Order::DayFirst),
            (true, left) if left == month => Some(Order::MonthFirst),
            _ => None,
        }
    }

    /// True where there was any cell with something in it.
    pub(super) fn is_seen(&self) -> bool {
        self.seen
    }

    /// The unit of the numbers, where they have one.
    pub(super) fn unit(&self) -> Option<char> {
        self.unit.flatten()
    }

    /// What the column holds. Where the cells can be read in two ways, the file's habits decide; `true` says that
    /// nothing did but a default.
    pub(super) fn holds(&self, habits: Habits) -> (Holds, bool) {
        let left = if self.seen { self.possible } else { 0 };
        let has = |kinds: u32| left & kinds != 0;
        if has(TRUTHS) {
            return (Holds::Truth, false);
        }
        if has(NUMBERS) {
            let comma_first = habits.comma && self.has_separators;
            let point =
                [(WHOLE_POINT, Holds::Whole(Style::Point)), (FRACTION_POINT, Holds::Fraction(Style::Point))];
            let comma =
                [(WHOLE_COMMA, Holds::Whole(Style::Comma)), (FRACTION_COMMA, Holds::Fraction(Style::Comma))];
            let order = if comma_first { [comma, point] } else { [point, comma] };
            let found = order.into_iter().flatten().find(|(kinds, _)| has(*kinds));
            return (found.map_or(Holds::Text, |(_, holds)| holds), false);
        }
        if has(ORDERS) {
            let possible = |order: Order| has(order_bit(order));
            let (order, by_default) = if possible(Order::YearFirst) || possible(Order::Named) {
                (if possible(Order::YearFirst) { Order::YearFirst } else { Order::Named }, false)
            } else if possible(Order::DayFirst) && possible(Order::MonthFirst) {
                match habits.order {
                    Some(order) => (order, false),
                    None => (if habits.comma { Order::DayFirst } else { Order::MonthFirst }, true),
                }
            } else {
                (if possible(Order::DayFirst) { Order::DayFirst } else { Order::MonthFirst }, false)
            };
            return (if has(NO_TIME) { Holds::Date(order) } else { Holds::DateTime(order) }, by_default);
        }
        (if has(TIME) { Holds::Time } else { Holds::Text }, false)
    }
}

/// How the rest of a file writes what can be read in two ways.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Habits {
    /// Commas are decimal signs.
    pub(super) comma: bool,
    /// The order of dates.
    pub(super) order: Option<Order>,
}

impl Habits {
    /// The habits that the columns which can be read in only one way speak for.
    pub(super) fn of<'a>(guesses: impl Iterator<Item = &'a Guess> + Clone, semicolons: bool) -> Self {
        let mut orders = guesses.clone().filter_map(Guess::only_order);
        let first = orders.next();
        let order = first.filter(|first| orders.all(|order| order == *first));
        let comma = guesses.clone().any(Guess::needs_comma)
            || (semicolons
                && !guesses.clone().any(|guess| guess.seen && guess.possible & NUMBERS == FRACTION_POINT));
        Self { comma, order }
    }
}

/// True for a plain whole number without a sign.
fn is_plain(text: &str) -> bool {
    (1..=18).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'))
}

fn truth(text: &str) -> u32 {
    let any = |words: [&str; 2]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    [(["true", "false"], TRUE_FALSE), (["yes", "no"], YES_NO), (["y", "n"], Y_N), (["t", "f"], T_F)]
        .into_iter()
        .filter(|(words, _)| text.len() <= 5 && any(*words))
        .fold(0, |kinds, (_, kind)| kinds | kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(texts: &[&str]) -> Holds {
        let mut guess = Guess::default();
        texts.iter().for_each(|text| guess.text(text));
        guess.holds(Habits::of([&guess].into_iter(), false)).0
    }

    #[test]
    fn columns_are_what_all_their_cells_can_be() {
        use Holds::{Date, DateTime, Fraction, Text, Time, Truth, Whole};
        for (texts, expected) in [
            (&["1", "-2", ""][..], Whole(Style::Point)),
            (&["1", "2.5", "n/a"], Fraction(Style::Point)),
            (&["1,234", "5"], Whole(Style::Point)),
            (&["1.234,5", "1,5"], Fraction(Style::Comma)),
            (&["$1", "$2.50"], Fraction(Style::Point)),
            (&["$1", "€2"], Text),
            (&["5%", "6"], Text),
            (&["01", "02"], Text),
            (&["1", "x"], Text),
            (&["yes", "No", ""], Truth),
            (&["yes", "true"], Text),
            (&["0", "1"], Whole(Style::Point)),
            (&["2024-01-31", "2024-02-01"], Date(Order::YearFirst)),
            (&["2024-01-31", "2024-02-01 10:00"], DateTime(Order::YearFirst)),
            (&["1/2/2024", "13/2/2024"], Date(Order::DayFirst)),
            (&["1/2/2024", "2/13/2024"], Date(Order::MonthFirst)),
            (&["13/2/2024", "2/13/2024"], Text),
            (&["5 May 2024"], Date(Order::Named)),
            (&["10:20", "11:30"], Time),
            (&["10:20", "2024-01-01"], Text),
            (&["", "NULL"], Text),
            (&[], Text),
        ] {
            assert_eq!(holds(texts), expected, "{texts:?}");
        }
    }

    #[test]
    fn a_choice_between_orders_is_told() {
        let mut guess = Guess::default();
        guess.text("3/4/2024");
        assert_eq!(guess.holds(Habits::default()), (Holds::Date(Order::MonthFirst), true));
        let habits = Habits { order: Some(Order::DayFirst), ..Habits::default() };
        assert_eq!(guess.holds(habits), (Holds::Date(Order::DayFirst), false));
    }
}
