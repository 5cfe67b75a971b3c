//! Names in schemas as words: `StudentID`, `stu_lname` and `countrycode` read as people would say them.

use std::collections::HashSet;

use super::lexicon::Lexicon;
use super::stem::stem;
pub use sqlogue_sql::schema::pieces;

/// The ways to read one name, each as stems; the first is the fullest.
pub type Forms = Vec<Vec<String>>;

/// Reads names with the lexicon's words and those of one schema.
#[derive(Debug)]
pub struct Reader<'a> {
    lexicon: &'a Lexicon,
    vocabulary: HashSet<String>,
}

impl<'a> Reader<'a> {
    /// A reader that also knows the words of these names.
    pub fn new<'n>(lexicon: &'a Lexicon, names: impl Iterator<Item = &'n str>) -> Self {
        let mut vocabulary = HashSet::new();
        for name in names {
            let pieces = pieces(name);
            // A name of one piece may itself be a run of words, which must not become a word here.
            if pieces.len() > 1 {
                vocabulary.extend(pieces.iter().filter(|piece| piece.len() >= 3).map(|piece| stem(piece)));
            }
        }
        Self { lexicon, vocabulary }
    }

    /// The ways to read a name, where `table` holds the stems of the table it belongs to (empty for a table).
    pub fn forms(&self, name: &str, table: &[String]) -> Forms {
        let raw: Vec<String> = pieces(name).iter().flat_map(|piece| self.segment(piece)).collect();
        let mut full: Vec<String> = Vec::new();
        for (at, piece) in raw.iter().enumerate() {
            // A short first piece often repeats the table (`pName` in `player`).
            let of_table = table.first().or(table.last()).filter(|word| {
                at == 0
                    && raw.len() > 1
                    && piece.len() <= 4
                    && word.starts_with(piece.as_str())
                    && *word != piece
            });
            if let Some(word) = of_table {
                full.push(word.clone());
            } else if let Some(long) = self.expansion(piece, at, table) {
                full.extend(long.iter().map(|word| stem(word)));
            } else {
                full.push(stem(piece));
            }
        }
        let plain: Vec<String> = raw.iter().map(|piece| stem(piece)).collect();
        let mut forms = vec![full];
        // A short run before *id* is the table's name, or another's (`aid` in `aircraft`).
        if let [run] = raw.as_slice()
            && let Some(before) = run.strip_suffix("id").filter(|before| (1..=3).contains(&before.len()))
            && table.first().is_some_and(|word| word.starts_with(before))
        {
            forms.insert(0, table.iter().cloned().chain(["id".to_owned()]).collect());
        }
        if !forms.contains(&plain) {
            forms.push(plain);
        }
        let joined: String =
            name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let joined = vec![stem(&joined)];
        if !forms.contains(&joined) {
            forms.push(joined);
        }
        forms
    }

    fn expansion(&self, piece: &str, at: usize, table: &[String]) -> Option<&[String]> {
        let expansions = self.lexicon.expansions(piece);
        // `id` reads as `id`; its long form is a synonym. `no` and `long` at the end of a name are `number`, `longitude`.
        if matches!(piece, "id") || (at == 0 && matches!(piece, "no" | "long" | "co" | "int" | "pay")) {
            return None;
        }
        expansions
            .iter()
            .find(|long| long.iter().any(|word| table.contains(&stem(word))))
            .or_else(|| {
                expansions.iter().find(|long| long.iter().all(|word| self.vocabulary.contains(&stem(word))))
            })
            .or_else(|| expansions.first())
            .map(Vec::as_slice)
    }

    /// Cuts a run of words without separators (`countrycode`) into its words, where all of it can be read.
    fn segment(&self, piece: &str) -> Vec<String> {
        let whole = vec![piece.to_owned()];
        if piece.len() < 5
            || !piece.is_ascii()
            || self.known(piece)
            || !self.lexicon.expansions(piece).is_empty()
        {
            return whole;
        }
        // Fewest words wins; ties go to the longest first word.
        let mut best: Vec<Option<(usize, usize)>> = vec![None; piece.len() + 1];
        if let Some(last) = best.last_mut() {
            *last = Some((0, piece.len()));
        }
        for start in (0..piece.len()).rev() {
            for end in (start + 2..=piece.len()).rev() {
                let Some(word) = piece.get(start..end) else { continue };
                let good = if word.len() <= 3 {
                    matches!(
                        word,
                        "id" | "no"
                            | "num"
                            | "of"
                            | "by"
                            | "age"
                            | "day"
                            | "sex"
                            | "zip"
                            | "tax"
                            | "fax"
                            | "end"
                            | "key"
                            | "url"
                            | "car"
                            | "bus"
                            | "job"
                            | "pet"
                            | "dog"
                            | "cat"
                    ) || !self.lexicon.expansions(word).is_empty() && word.len() == 3
                } else {
                    self.known(word) || !self.lexicon.expansions(word).is_empty()
                };
                let Some((count, _)) = best.get(end).copied().flatten().filter(|_| good) else { continue };
                let slot = best.get(start).copied().flatten();
                if slot.is_none_or(|(known, _)| count + 1 < known)
                    && let Some(place) = best.get_mut(start)
                {
                    *place = Some((count + 1, end));
                }
            }
        }
        let mut words = Vec::new();
        let mut at = 0;
        while at < piece.len() {
            let Some((_, end)) = best.get(at).copied().flatten() else { return whole };
            words.extend(piece.get(at..end).map(str::to_owned));
            at = end;
        }
        if words.len() > 3 { whole } else { words }
    }

    fn known(&self, word: &str) -> bool {
        let stem = stem(word);
        self.lexicon.is_word(&stem) || self.vocabulary.contains(&stem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, table: &[&str]) -> String {
        let table: Vec<String> = table.iter().map(|word| (*word).to_owned()).collect();
        let reader = Reader::new(Lexicon::embedded(), [name].into_iter());
        reader.forms(name, &table)[0].join(" ")
    }

    #[test]
    fn names_read_as_people_say_them() {
        assert_eq!(read("StudentID", &[]), "student id");
        assert_eq!(read("stu_lname", &["student"]), "student last name");
        assert_eq!(read("stuid", &["student"]), "student id");
        assert_eq!(read("countrycode", &[]), "country code");
        assert_eq!(read("season", &[]), "season");
        assert_eq!(read("pName", &["player"]), "player name");
        assert_eq!(read("aid", &["aircraft"]), "aircraft id");
        assert_eq!(read("paid", &["customer"]), "paid");
        assert_eq!(read("order_qty", &[]), "order quantity");
    }
}
