//! What months and days of the week are called, in English.

/// The months, from the first of the year.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The days of the week. It begins with Monday, as ISO 8601 has it.
pub const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// The number of a month by its name or the first letters of it, at least three, in whatever case; *Sept* too.
pub fn month(text: &str) -> Option<u8> {
    let at = MONTHS.iter().position(|name| begins(name, text))?;
    u8::try_from(at + 1).ok()
}

/// True for the name of a day of the week or the first letters of it, at least three, in whatever case.
pub fn is_weekday(text: &str) -> bool {
    WEEKDAYS.iter().any(|name| begins(name, text))
}

fn begins(name: &str, text: &str) -> bool {
    text.len() >= 3 && name.get(..text.len()).is_some_and(|letters| letters.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_their_first_letters_are_known() {
        assert_eq!(["jan", "SEPT", "May", "december"].map(month), [Some(1), Some(9), Some(5), Some(12)]);
        assert_eq!(["", "ja", "januaryish", "moon", "ään"].map(month), [None; 5]);
        assert!(is_weekday("Thu") && is_weekday("sunday") && !is_weekday("mo") && !is_weekday("today"));
    }
}
