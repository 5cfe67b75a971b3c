//! Composing: from a question cut into chunks to candidate plans.
//!
//! One composer makes one plan; where a construction can be read in several ways it asks the [`Oracle`], and the
//! search runs it again with other answers. So each construction is written once, straight on, in a file of its
//! own, and still gives every reading:
//!
//! ```text
//! parse      chunks → frame: what is returned, filtered, grouped, ordered (one file a construction)
//! bind       the frame's slots → columns and tables that fit the words and each other
//! build      frame and binding → plan, with its joins
//! ```

mod absent;
mod bare;
mod bind;
mod build;
mod compare;
mod conditions;
mod extremum;
mod flag;
mod frame;
mod group;
mod grouping;
mod heeded;
mod like;
mod name;
mod negate;
mod oracle;
mod order;
mod outputs;
mod parse;
mod returned;
mod revenue;
mod subject;
mod superlative;
mod value;

use std::collections::HashSet;

pub(crate) use heeded::bounds;
pub use oracle::{Choice, Oracle};

use super::joins::JoinTree;
use super::knowledge::{Knowledge, TableId};
use super::link::{Chunk, Linked};
use super::sound;
use sqlogue_sql::plan::{Expr, QueryPlan};

/// A candidate plan before ranking, with all that speaks for it.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The plan.
    pub plan: QueryPlan,
    /// The readings that were chosen.
    pub choices: Vec<Choice>,
    /// How well its columns and tables fit the words and each other.
    pub binding: f32,
    /// How far nearby words speak for other tables than those taken.
    pub hint_loss: f32,
    /// How well the worst of them fits.
    pub worst: f32,
    /// The joins.
    pub joins: JoinTree,
    /// Which cut of the question it comes from, and that cut's score.
    pub cut: usize,
    /// How much better the best cut explains the question.
    pub cut_loss: f32,
    /// The chunks of that cut that were understood.
    pub used: Vec<usize>,
    /// What each understood span of words was taken for: chunk, table, column.
    pub meanings: Vec<Meaning>,
    /// For a draft of the grammar: how far its own score is below that of the grammar's best.
    pub grammar: Option<f32>,
    /// For a draft that composer and grammar make: how far the grammar's own score is below that of its best.
    pub agreed: Option<f32>,
}

/// What a chunk was taken for.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// The chunk.
    pub chunk: usize,
    /// The table's name.
    pub table: String,
    /// The column's number; none where the table itself is meant.
    pub column_id: Option<super::knowledge::ColumnId>,
    /// The column's name; none where the table itself is meant.
    pub column: Option<String>,
    /// The value, where the words name one.
    pub value: Option<sqlogue_sql::schema::Value>,
    /// How well it fits, 0 to 1.
    pub score: f32,
}

/// How many runs of the composer one question may take.
const MAX_RUNS: usize = 90;
/// How many answers may differ from the usual ones.
const MAX_CHANGES: usize = 3;

/// All candidate plans of a linked question, in the order they were found: the usual readings first.
pub fn compose(linked: &Linked, knowledge: &Knowledge) -> Vec<Draft> {
    compose_with(linked, knowledge, &[])
}

/// As [`compose`], with tables that every plan joins.
pub fn compose_with(linked: &Linked, knowledge: &Knowledge, mandatory: &[TableId]) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    let best = linked.cuts.first().map_or(0.0, |(_, score)| *score);
    let mut distances = bind::Distances::new(knowledge);
    for (cut, (chunks, score)) in linked.cuts.iter().enumerate() {
        let runs = if cut == 0 { MAX_RUNS } else { MAX_RUNS / 4 };
        let mut queue: std::collections::VecDeque<Vec<usize>> = [Vec::new()].into();
        let mut made = 0;
        while let Some(script) = queue.pop_front() {
            if made >= runs {
                break;
            }
            made += 1;
            let mut oracle = Oracle::scripted(script);
            let draft = draft(chunks, (knowledge, mandatory), &mut distances, &mut oracle, cut, best - score);
            let changes = oracle.trace().iter().filter(|choice| choice.taken > 0).count();
            if changes < MAX_CHANGES {
                queue.extend(oracle.variations());
            }
            if let Some(draft) = draft
                && seen.insert(serde_json::to_string(&draft.plan).unwrap_or_default())
            {
                drafts.push(draft);
            }
        }
    }
    drafts
}

/// True for every column with one of them once more: nobody asks for that in one breath.
fn mixes_all_columns(plan: &QueryPlan) -> bool {
    let shown = &plan.select.projection;
    shown.len() > 1 && shown.iter().any(|item| matches!(item.expr, Expr::All(_)))
}

/// One run of the composer.
fn draft(
    chunks: &[Chunk],
    (knowledge, mandatory): (&Knowledge, &[TableId]),
    distances: &mut bind::Distances<'_>,
    oracle: &mut Oracle,
    cut: usize,
    cut_loss: f32,
) -> Option<Draft> {
    let frame = parse::Parser::new(chunks, knowledge, oracle).run();
    if !heeded::operators(&frame, chunks) {
        return None;
    }
    let binding = bind::bind(&frame, distances, oracle)?;
    let (plan, joins) = build::Builder::new(knowledge, &frame, &binding, oracle).build(mandatory)?;
    if mixes_all_columns(&plan) || !sound::is_sound(&plan, knowledge) {
        return None;
    }
    let meanings = frame
        .slots
        .iter()
        .zip(&binding.fillers)
        .map(|(slot, filler)| Meaning {
            chunk: slot.chunk,
            table: knowledge.table(filler.table).name.clone(),
            column_id: filler.column,
            column: filler.column.map(|column| knowledge.column(column).name.clone()),
            value: filler.value.clone(),
            score: filler.score,
        })
        .collect();
    Some(Draft {
        plan,
        choices: oracle.trace().to_vec(),
        binding: binding.score,
        hint_loss: binding.hint_loss,
        worst: binding.worst,
        joins,
        cut,
        cut_loss,
        used: frame.used.clone(),
        meanings,
        grammar: None,
        agreed: None,
    })
}

#[cfg(test)]
pub(crate) mod testing {
    //! A small library, for the tests of the constructions.

    use crate::rules::rank::KEPT;
    use crate::rules::{Knowledge, Options, understand};
    use sqlogue_sql::schema::ColumnType::{Boolean, Date, DateTime, Integer, Real, Text};
    use sqlogue_sql::schema::{Column, ColumnType, ForeignKey, Schema, Table, Value};
    use sqlogue_sql::sql::{Dialect, render};

    pub(crate) fn table(name: &str, columns: &[(&str, ColumnType)], keys: &[(&str, &str, &str)]) -> Table {
        Table {
            name: name.into(),
            columns: columns
                .iter()
                .enumerate()
                .map(|(at, (name, column_type))| Column {
                    name: (*name).into(),
                    column_type: *column_type,
                    primary_key: at == 0,
                    unique: at == 0,
                    ..Column::default()
                })
                .collect(),
            foreign_keys: keys
                .iter()
                .map(|(column, table, other)| ForeignKey {
                    columns: vec![(*column).into()],
                    table: (*table).into(),
                    references: vec![(*other).into()],
                    declared: true,
                    ..ForeignKey::default()
                })
                .collect(),
            ..Table::default()
        }
    }

    type Columns = &'static [(&'static str, ColumnType)];
    /// Columns, and the table and column that each refers to.
    type Keys = &'static [(&'static str, &'static str, &'static str)];

    /// The tables of a library.
    const TABLES: &[(&str, Columns, Keys)] = &[
        (
            "author",
            &[("author_id", Integer), ("name", Text), ("country", Text), ("birth_year", Integer)],
            &[],
        ),
        (
            "book",
            &[
                ("book_id", Integer),
                ("title", Text),
                ("author_id", Integer),
                ("genre", Text),
                ("pages", Integer),
                ("price", Real),
                ("reserved", Text),
            ],
            &[("author_id", "author", "author_id")],
        ),
        (
            "member",
            &[
                ("member_id", Integer),
                ("first_name", Text),
                ("last_name", Text),
                ("city", Text),
                ("gender", Text),
                ("age", Integer),
                ("active", Boolean),
            ],
            &[],
        ),
        (
            "sale",
            &[("sale_id", Integer), ("book_id", Integer), ("quantity", Integer), ("unit_price", Real)],
            &[("book_id", "book", "book_id")],
        ),
        (
            "loan",
            &[("loan_id", Integer), ("member_id", Integer), ("book_id", Integer), ("loan_date", Date)],
            &[("member_id", "member", "member_id"), ("book_id", "book", "book_id")],
        ),
        (
            "librarian",
            &[
                ("librarian_id", Integer),
                ("name", Text),
                ("birth_date", Date),
                ("hired_on", Date),
                ("left_on", Date),
            ],
            &[],
        ),
        (
            "workshop",
            &[
                ("workshop_id", Integer),
                ("librarian_id", Integer),
                ("room", Text),
                ("starts_at", DateTime),
                ("ends_at", DateTime),
            ],
            &[("librarian_id", "librarian", "librarian_id")],
        ),
        (
            "fine",
            &[
                ("fine_id", Integer),
                ("member_id", Integer),
                ("method", Text),
                ("amount_cents", Integer),
                ("issued_on", Date),
                ("due_on", Date),
                ("paid_on", Date),
            ],
            &[("member_id", "member", "member_id")],
        ),
    ];

    /// Some values of its columns.
    const VALUES: &[(&str, &str, &[&str])] = &[
        ("author", "name", &["Ada Byron", "Bo Lund", "Cy Dean"]),
        ("author", "country", &["France", "Norway", "Peru"]),
        ("book", "title", &["Red Rivers", "The Long Night", "Maps"]),
        ("book", "genre", &["poetry", "crime", "travel"]),
        ("book", "reserved", &["Y", "N"]),
        ("member", "city", &["Oslo", "Lima", "New York"]),
        ("member", "gender", &["F", "M"]),
        ("member", "first_name", &["Ann", "Bob"]),
        ("member", "last_name", &["Smith", "Hansen"]),
        ("loan", "loan_date", &["2024-01-02", "2023-05-06"]),
        ("librarian", "name", &["Eva Roth", "Finn Moe"]),
        ("librarian", "birth_date", &["1961-03-04", "1999-10-11"]),
        ("librarian", "hired_on", &["2010-05-01", "2022-02-01"]),
        ("librarian", "left_on", &["2023-12-31"]),
        ("workshop", "room", &["Hall", "Attic"]),
        ("workshop", "starts_at", &["2024-02-03 10:00:00", "2024-03-04 18:30:00"]),
        ("workshop", "ends_at", &["2024-02-03 11:30:00", "2024-03-04 20:00:00"]),
        ("fine", "method", &["cash", "card", "transfer"]),
        ("fine", "issued_on", &["2024-01-10", "2024-04-02"]),
        ("fine", "due_on", &["2024-02-10", "2024-05-02"]),
        ("fine", "paid_on", &["2024-02-14", "2024-04-20"]),
    ];

    pub(crate) fn library() -> Knowledge {
        let tables = TABLES.iter().map(|(name, columns, keys)| table(name, columns, keys)).collect();
        let mut builder = Knowledge::builder(&Schema { tables }, 1 << 20);
        for (table, column, values) in VALUES {
            builder.values(table, column, values.iter().copied().map(Value::from));
        }
        builder.finish()
    }

    /// An office: requests of a category in a district, permits of a district, and lines of fees.
    pub(crate) fn office() -> Knowledge {
        let tables = [
            table("district", &[("district_id", Integer), ("district_name", Text)], &[]),
            table("category", &[("category_id", Integer), ("category_name", Text)], &[]),
            table(
                "request",
                &[
                    ("request_id", Integer),
                    ("category_id", Integer),
                    ("district_id", Integer),
                    ("opened_on", Date),
                    ("closed_on", Date),
                    ("cost", Real),
                ],
                &[("category_id", "category", "category_id"), ("district_id", "district", "district_id")],
            ),
            table(
                "permit",
                &[
                    ("permit_id", Integer),
                    ("permit_no", Text),
                    ("district_id", Integer),
                    ("permit_type", Text),
                ],
                &[("district_id", "district", "district_id")],
            ),
            table(
                "fee_line",
                &[("fee_line_id", Integer), ("permit_id", Integer), ("amount", Real), ("paid_on", Date)],
                &[("permit_id", "permit", "permit_id")],
            ),
        ];
        let mut builder = Knowledge::builder(&Schema { tables: tables.to_vec() }, 1 << 20);
        let values = [
            ("category", "category_name", ["Pothole", "Water Leak", "Graffiti"]),
            ("district", "district_name", ["Old Town", "Riverside", "Mill End"]),
            ("permit", "permit_type", ["Deck", "Garage", "Fence"]),
            ("permit", "permit_no", ["P-1", "P-2", "P-3"]),
        ];
        for (table, column, values) in values {
            builder.values(table, column, values.map(Value::from));
        }
        builder.finish()
    }

    /// The SQL of the readings of a question on the office, the best first.
    pub(crate) fn of_office(question: &str) -> Vec<String> {
        let options = Options { today: jiff::civil::date(2024, 6, 15), readings: KEPT, ..Options::default() };
        let read = understand(question, &office(), &options);
        read.candidates.iter().map(|one| render(&one.plan, Dialect::Sqlite)).collect()
    }

    /// The SQL of the readings that come into question: which of them comes first is a matter of fitted weights, and not of the
    /// rules.
    pub(crate) fn sql(question: &str) -> Vec<String> {
        let options = Options { today: jiff::civil::date(2024, 6, 15), readings: KEPT, ..Options::default() };
        let understanding = understand(question, &library(), &options);
        understanding.candidates.iter().map(|one| render(&one.plan, Dialect::Sqlite)).collect()
    }

    /// Checks that questions have the wanted SQL among their readings.
    pub(crate) fn reads(cases: &[(&str, &str)]) {
        let wrong: Vec<String> = cases
            .iter()
            .map(|(question, wanted)| (question, wanted, sql(question)))
            .filter(|(_, wanted, got)| !got.iter().any(|got| got == *wanted))
            .map(|(question, wanted, got)| {
                format!(
                    "{question}\n  wanted {wanted}\n  got    {}",
                    got.first().cloned().unwrap_or_default()
                )
            })
            .collect();
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }
}
