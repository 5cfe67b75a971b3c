//! Names cut into words, where their spelling says how.

/// Cuts a name at underscores, spaces, changes of case and digits, into lower-case pieces.
pub fn pieces(name: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut current = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (at, &letter) in letters.iter().enumerate() {
        let previous = at.checked_sub(1).and_then(|before| letters.get(before)).copied().unwrap_or('_');
        let next = letters.get(at + 1).copied().unwrap_or('_');
        let boundary = (letter.is_uppercase() && previous.is_lowercase())
            || (letter.is_uppercase() && previous.is_uppercase() && next.is_lowercase() && next != 's')
            || (letter.is_ascii_digit() != previous.is_ascii_digit() && previous.is_alphanumeric());
        if !letter.is_alphanumeric() || boundary {
            if !current.is_empty() {
                pieces.push(std::mem::take(&mut current));
            }
            if !letter.is_alphanumeric() {
                continue;
            }
        }
        current.extend(letter.to_lowercase());
    }
    if !current.is_empty() {
        pieces.push(current);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_says_where_words_end() {
        for (name, expected) in [
            ("StudentID", "student id"),
            ("home_team_id", "home team id"),
            ("HTTPStatus2", "http status 2"),
            ("customerIDs", "customer ids"),
            ("ticketid", "ticketid"),
            ("", ""),
        ] {
            assert_eq!(pieces(name).join(" "), expected);
        }
    }
}
