//! How somebody is reached: an *email address* is an email, and a *phone number* a phone, where no column is called by both words.

use crate::rules::knowledge::{Item, Knowledge};
use crate::rules::text::Question;

/// Ways to reach somebody, and the words behind them that say no more.
const WAYS: [(&[&str], &str); 2] = [
    (&["email", "e-mail", "mail"], "address"),
    (&["phone", "telephone", "mobile", "cell", "cellphone", "fax"], "number"),
];

/// Leaves out the words that say no more.
pub(super) fn shorten(question: &mut Question, knowledge: &Knowledge) {
    let says_no_more = |at: usize| {
        let (way, last) = (question.tokens.get(at)?, question.tokens.get(at + 1)?);
        let (_, noun) =
            WAYS.iter().find(|(ways, noun)| ways.contains(&way.stem.as_str()) && last.stem == *noun)?;
        let is_column = |stem: &str| {
            knowledge.places_of_stem(stem).iter().any(|place| matches!(place.item, Item::Column(_)))
        };
        let bears_both =
            knowledge.tables().flat_map(|(table, _)| &knowledge.table(table).columns).any(|id| {
                let form = knowledge.column(*id).forms.iter();
                form.into_iter().any(|form| form.contains(&way.stem) && form.iter().any(|word| word == noun))
            });
        (is_column(&way.stem) && !bears_both).then_some(())
    };
    let out: Vec<usize> = (0..question.tokens.len()).filter(|at| says_no_more(*at).is_some()).collect();
    for at in out.into_iter().rev() {
        question.tokens.remove(at + 1);
    }
}
