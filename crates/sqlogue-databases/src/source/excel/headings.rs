//! What the columns of a data dictionary are called, and what they mean.

use crate::memory_tables::workbook::Cell;

/// How many rows are looked at for headings.
const LOOKED_AT: usize = 20;

/// What a column of a data dictionary tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Table,
    TableDescription,
    Column,
    Type,
    Description,
    /// Primary, unique or foreign, in one column for all.
    Key,
    PrimaryKey,
    ForeignKey,
    RefersToTable,
    RefersToColumn,
    Nullable,
    Required,
    Unique,
    Samples,
}

/// The words for each meaning, in the form that [`plain`] gives them; a meaning's first match wins.
const WORDS: &[(Meaning, &[&str])] = &[
    (
        Meaning::TableDescription,
        &[
            "table description",
            "table comment",
            "entity description",
            "description of table",
            "table definition",
        ],
    ),
    (
        Meaning::RefersToTable,
        &[
            "referenced table",
            "references table",
            "foreign table",
            "reference table",
            "ref table",
            "parent table",
            "fk table",
        ],
    ),
    (
        Meaning::RefersToColumn,
        &[
            "referenced column",
            "references column",
            "foreign column",
            "reference column",
            "ref column",
            "parent column",
            "fk column",
        ],
    ),
    (Meaning::PrimaryKey, &["primary key", "pk", "is primary key", "is pk", "primary"]),
    (
        Meaning::ForeignKey,
        &[
            "foreign key",
            "fk",
            "references",
            "reference",
            "refers to",
            "foreign key to",
            "is foreign key",
            "is fk",
            "links to",
            "related to",
        ],
    ),
    (Meaning::Key, &["key", "key type", "keys", "constraint", "constraints", "index"]),
    (Meaning::Unique, &["unique", "is unique"]),
    (
        Meaning::Nullable,
        &[
            "nullable",
            "null",
            "nulls",
            "is nullable",
            "allow null",
            "allows null",
            "null allowed",
            "optional",
        ],
    ),
    (Meaning::Required, &["required", "mandatory", "not null", "is required"]),
    (
        Meaning::Samples,
        &[
            "example",
            "examples",
            "sample",
            "samples",
            "example value",
            "example values",
            "sample value",
            "sample values",
            "allowed values",
            "values",
            "valid values",
        ],
    ),
    (Meaning::Type, &["type", "data type", "datatype", "column type", "field type", "format", "sql type"]),
    (
        Meaning::Description,
        &[
            "description",
            "column description",
            "field description",
            "comment",
            "comments",
            "meaning",
            "definition",
            "business description",
            "business definition",
            "business meaning",
            "notes",
            "remarks",
            "explanation",
            "desc",
            "details",
            "documentation",
        ],
    ),
    (
        Meaning::Table,
        &[
            "table",
            "table name",
            "tablename",
            "entity",
            "entity name",
            "object",
            "dataset",
            "relation",
            "view",
            "table view",
        ],
    ),
    (
        Meaning::Column,
        &[
            "column",
            "column name",
            "columnname",
            "field",
            "field name",
            "fieldname",
            "attribute",
            "attribute name",
            "name",
            "variable",
            "physical name",
            "technical name",
            "col",
            "element",
        ],
    ),
];

/// The headings of a sheet: where they are, and what each column means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Headings {
    pub(super) row: usize,
    columns: Vec<Option<Meaning>>,
}

impl Headings {
    /// Finds the row that names the columns: it must name where columns are told, and something about them.
    pub(super) fn find(rows: &[Vec<Cell>]) -> Option<Self> {
        let candidates = rows.iter().take(LOOKED_AT).enumerate().filter_map(|(row, cells)| {
            let headings = Self { row, columns: meanings(cells) };
            let known = headings.columns.iter().flatten().count();
            let is_table = headings.has(Meaning::Column) && known >= 2 || headings.is_list_of_tables();
            is_table.then_some((known, headings))
        });
        // The first of the rows that tell most.
        candidates
            .reduce(|best, next| if next.0 > best.0 { next } else { best })
            .map(|(_, headings)| headings)
    }

    pub(super) fn has(&self, meaning: Meaning) -> bool {
        self.columns.contains(&Some(meaning))
    }

    /// True for a sheet that describes tables but no columns.
    pub(super) fn is_list_of_tables(&self) -> bool {
        let describes = self.has(Meaning::Description) || self.has(Meaning::TableDescription);
        !self.has(Meaning::Column) && self.has(Meaning::Table) && describes
    }

    /// A cell of a row by its meaning, without space around it; none where it is empty.
    pub(super) fn cell(&self, row: &[Cell], meaning: Meaning) -> Option<String> {
        let at = self.columns.iter().position(|known| *known == Some(meaning))?;
        let text = row.get(at)?.text();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then_some(text)
    }
}

/// What each heading means; a meaning is given to the first heading that has it.
fn meanings(cells: &[Cell]) -> Vec<Option<Meaning>> {
    let mut taken = Vec::new();
    let mut found: Vec<Option<Meaning>> = Vec::with_capacity(cells.len());
    for cell in cells {
        let words = plain(&cell.text());
        let meaning =
            WORDS.iter().find(|(_, all)| all.contains(&words.as_str())).map(|(meaning, _)| *meaning);
        let meaning = meaning.filter(|meaning| !taken.contains(meaning));
        taken.extend(meaning);
        found.push(meaning);
    }
    found
}

/// Lower-case words with single spaces: `Column_Name *` is `column name`.
pub(super) fn plain(text: &str) -> String {
    // A question in parentheses or behind a sign is no part of the name: `Nullable?`, `Key (PK/FK)`.
    let text = text.split(['(', '[']).next().unwrap_or_default();
    let spaced: String = text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
