//! Which of several columns with the same value is meant: the one of whose name more is said.

use super::{Link, Target};
use crate::rules::knowledge::{ColumnId, Knowledge};
use crate::rules::lexicon::Lexicon;
use crate::rules::text::Question;

/// How much each word of a column's name that is said makes its cells better.
const TOLD: f32 = 0.04;
/// Words that are as near as this mean the same.
const SAME: f32 = 0.86;

/// Of several columns of a table that hold the same value, the one is meant of whose name more is said: *born in Boston* is of
/// `birth_city`, and *died in Boston* of `death_city`.
pub(super) fn tell_apart(links: &mut [Link], question: &Question, knowledge: &Knowledge) {
    let column = |link: &Link| match &link.target {
        Target::Value(value) => value.column,
        _ => None,
    };
    let place = |link: &Link| column(link).map(|id| (link.start, link.end, knowledge.column(id).table));
    let places: Vec<_> = links.iter().filter_map(place).collect();
    for link in links {
        let is_one_of_several =
            place(link).is_some_and(|own| places.iter().filter(|other| **other == own).count() > 1);
        let Some(id) = column(link).filter(|_| is_one_of_several) else { continue };
        let told = words_told(question, knowledge, id) as f32 * TOLD;
        link.score += told;
        if let Target::Value(value) = &mut link.target {
            value.score += told;
        }
    }
}

/// How many words of a column's name are said, in these words or the same in others: *born in Japan* tells of `birth_country`.
pub(in crate::rules) fn words_told(question: &Question, knowledge: &Knowledge, column: ColumnId) -> usize {
    let is_told = |word: &&String| {
        question.tokens.iter().any(|token| {
            let same = |(other, alike): &(String, f32)| other == *word && *alike >= SAME;
            token.stem == **word || Lexicon::embedded().similar(&token.stem).iter().any(same)
        })
    };
    knowledge.column(column).forms.first().map_or(0, |form| form.iter().filter(is_told).count())
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::table;
    use crate::rules::{Knowledge, Options, understand};
    use sqlogue_sql::schema::{ColumnType, Schema, Value};
    use sqlogue_sql::sql::{Dialect, render};

    #[test]
    fn people_have_names_and_two_places() {
        use ColumnType::{Date, Integer, Text};
        let columns = [
            ("player_id", Integer),
            ("nameFirst", Text),
            ("nameLast", Text),
            ("title", Text),
            ("birthCity", Text),
            ("deathCity", Text),
            ("hire_date", Date),
        ];
        let mut builder =
            Knowledge::builder(&Schema { tables: vec![table("players", &columns, &[])] }, 1 << 20);
        for column in ["birthCity", "deathCity"] {
            builder.values("players", column, ["Boston", "Lima"].map(Value::from));
        }
        let knowledge = builder.finish();
        for (question, part) in [
            ("players born in Boston", "SELECT nameFirst, nameLast FROM players WHERE birthCity = 'Boston'"),
            ("players who died in Boston", "WHERE deathCity = 'Boston'"),
            ("players hired before 2015", "WHERE hire_date < '2015-01-01'"),
        ] {
            let read = understand(question, &knowledge, &Options::default());
            let first =
                read.candidates.first().map(|one| render(&one.plan, Dialect::Sqlite)).unwrap_or_default();
            assert!(first.contains(part), "{question}: {first}");
        }
    }
}
