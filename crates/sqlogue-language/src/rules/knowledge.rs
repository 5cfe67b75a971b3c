//! What the reasoner knows about one database: names as words, keys, joins, and the values of cells.
//!
//! A [`Knowledge`] is built once for each database and shared by all questions; it never changes afterwards.

use std::collections::{HashMap, HashSet};

use super::date_cells::{self, DateCells};
use super::joins::{JoinEdge, JoinGraph};
use super::kind::{self, ColumnKind, Looks, Tally};
use super::lexicon::Lexicon;
use super::names::{Forms, Reader, name_things};
use super::stem::root;
use super::stored::{are_fractions, is_missing, is_text};
use super::synonyms::{Backwards, similar};
use super::values::ValueIndex;
use sqlogue_sql::schema::{ColumnType, ForeignKey, Schema, TableKind, Value};

/// A table's number in a [`Knowledge`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub usize);

/// A column's number in a [`Knowledge`], over all tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnId(pub usize);

/// A table or a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    /// A table.
    Table(TableId),
    /// A column.
    Column(ColumnId),
}

/// A table, as the reasoner sees it.
#[derive(Debug, Clone, Default)]
pub struct TableEntry {
    /// The name in the schema.
    pub name: String,
    /// The name as stems, in several readings.
    pub forms: Forms,
    /// Its columns, in order.
    pub columns: Vec<ColumnId>,
    /// Its primary key.
    pub key: Vec<ColumnId>,
    /// The columns by which people name its rows, best first; empty where none stands out.
    pub label: Vec<ColumnId>,
    /// True where it only links other tables: a key of foreign keys and hardly anything else.
    pub is_link: bool,
    /// The number of rows, where known.
    pub rows: Option<u64>,
}

/// A column, as the reasoner sees it.
#[derive(Debug, Clone)]
pub struct ColumnEntry {
    /// The table it belongs to.
    pub table: TableId,
    /// The name in the schema.
    pub name: String,
    /// The name as stems, in several readings, and its description's words.
    pub forms: Forms,
    /// The declared family of types.
    pub column_type: ColumnType,
    /// What its values are, by declaration, values and name together.
    pub kind: ColumnKind,
    /// True where it is part of the primary key.
    pub is_key: bool,
    /// True where it refers to another table.
    pub is_foreign: bool,
    /// True where no two rows share a value, as far as known.
    pub unique: bool,
    /// True where the table is declared to have rows without a value, or does not say.
    pub nullable: bool,
    /// True where all cells seen are numbers, whatever the declared type.
    pub numeric: bool,
    /// True where the numbers are stored as text.
    pub text_numbers: bool,
    /// True where some of the texts seen are words: neither numbers nor marks of a missing value.
    pub words: bool,
    /// True where the declared type is one of the database's own for a few fixed labels.
    pub labels: bool,
    /// True where the numbers seen are fractions of one: 10 % is stored as 0.1.
    pub fractions: bool,
    /// How the cells spell dates; none where they hold something else.
    pub date_cells: Option<DateCells>,
    /// Its distinct values, where there are few.
    pub few_values: Vec<Value>,
    /// True where cells were seen at all.
    pub seen: bool,
}

/// Everything known about one database.
#[derive(Debug)]
pub struct Knowledge {
    tables: Vec<TableEntry>,
    columns: Vec<ColumnEntry>,
    nowhere: TableEntry,
    nothing: ColumnEntry,
    by_stem: HashMap<String, Vec<WordPlace>>,
    by_root: HashMap<String, Vec<WordPlace>>,
    synonyms: Backwards,
    values: ValueIndex,
    joins: JoinGraph,
    checks_types: bool,
}

/// Where a word stands in a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WordPlace {
    /// Whose name.
    pub item: Item,
    /// Which of its readings.
    pub form: u16,
    /// Which of its words.
    pub position: u16,
}

/// Collects a schema and its values into a [`Knowledge`].
#[derive(Debug)]
pub struct KnowledgeBuilder {
    knowledge: Knowledge,
    places: HashMap<(String, String), ColumnId>,
    /// What was seen in each column.
    tallies: Vec<Tally>,
}

/// The memory the value index may take where nothing else is said.
pub const DEFAULT_INDEX_BYTES: usize = 128 << 20;
/// Columns with at most so many distinct values keep them as a list.
const FEW: usize = 24;

impl Knowledge {
    /// Starts with a schema; cell values may be added before it is finished.
    pub fn builder(schema: &Schema, index_bytes: usize) -> KnowledgeBuilder {
        KnowledgeBuilder::new(schema, index_bytes)
    }

    /// A knowledge of a schema alone, without any cell values.
    pub fn from_schema(schema: &Schema) -> Self {
        Self::builder(schema, 0).finish()
    }

    /// Whether the database refuses to compare and to add values of kinds that do not fit. SQLite does not.
    pub fn checks_types(&self) -> bool {
        self.checks_types
    }

    /// Says whether the database checks types.
    pub fn check_types(&mut self, checks: bool) {
        self.checks_types = checks;
    }

    /// The table of that number; an empty one for a number of another knowledge.
    pub fn table(&self, id: TableId) -> &TableEntry {
        self.tables.get(id.0).unwrap_or(&self.nowhere)
    }

    /// The column of that number; an empty one for a number of another knowledge.
    pub fn column(&self, id: ColumnId) -> &ColumnEntry {
        self.columns.get(id.0).unwrap_or(&self.nothing)
    }

    /// All tables.
    pub fn tables(&self) -> impl Iterator<Item = (TableId, &TableEntry)> {
        self.tables.iter().enumerate().map(|(at, table)| (TableId(at), table))
    }

    /// The table of that name, ignoring ASCII case.
    pub fn table_named(&self, name: &str) -> Option<TableId> {
        self.tables.iter().position(|table| table.name.eq_ignore_ascii_case(name)).map(TableId)
    }

    /// The column of that name in a table, ignoring ASCII case.
    pub fn column_named(&self, table: TableId, name: &str) -> Option<ColumnId> {
        self.table(table).columns.iter().copied().find(|id| self.column(*id).name.eq_ignore_ascii_case(name))
    }

    /// Where a stem stands in names.
    pub fn places_of_stem(&self, stem: &str) -> &[WordPlace] {
        self.by_stem.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Where the stems stand that differ from this one by a single slip: a letter more, less, other or exchanged.
    pub fn places_of_misspelt(&self, stem: &str) -> impl Iterator<Item = &[WordPlace]> {
        let first = stem.chars().next();
        let near = move |known: &str| {
            known.len().abs_diff(stem.len()) <= 1
                && known.len() >= 5
                && known.chars().next() == first
                && strsim::osa_distance(known, stem) == 1
        };
        self.by_stem.iter().filter(move |(known, _)| near(known)).map(|(_, places)| places.as_slice())
    }

    /// Where a word with that root stands in names.
    pub fn places_of_root(&self, root: &str) -> &[WordPlace] {
        self.by_root.get(root).map_or(&[], Vec::as_slice)
    }

    /// The words that a word or phrase of the language may stand for, each with how alike they are.
    pub fn similar(&self, phrase: &str) -> Vec<(String, f32)> {
        let mut found: Vec<(String, f32)> = similar(phrase).collect();
        for (word, alike) in self.synonyms.similar(phrase, self.by_stem.keys()) {
            match found.iter_mut().find(|(known, _)| known == word) {
                Some((_, known)) => *known = known.max(*alike),
                None => found.push((word.clone(), *alike)),
            }
        }
        found
    }

    /// The cells' values.
    pub fn values(&self) -> &ValueIndex {
        &self.values
    }

    /// How tables can be joined.
    pub fn joins(&self) -> &JoinGraph {
        &self.joins
    }

    /// The readings of an item's name.
    pub fn forms(&self, item: Item) -> &Forms {
        match item {
            Item::Table(table) => &self.table(table).forms,
            Item::Column(column) => &self.column(column).forms,
        }
    }

    /// The table an item belongs to, or is.
    pub fn table_of(&self, item: Item) -> TableId {
        match item {
            Item::Table(table) => table,
            Item::Column(column) => self.column(column).table,
        }
    }

    /// The stems of a table's name.
    pub fn table_words(&self, table: TableId) -> &[String] {
        self.table(table).forms.first().map_or(&[], Vec::as_slice)
    }

    /// The columns that a name read as these stems may mean in a table, best first.
    pub fn columns_like(&self, table: TableId, words: &[String]) -> Vec<ColumnId> {
        let mut found: Vec<(usize, ColumnId)> = Vec::new();
        for &id in &self.table(table).columns {
            let column = self.column(id);
            let best = column
                .forms
                .iter()
                .filter(|form| words.iter().all(|word| form.contains(word)))
                .map(|form| form.iter().filter(|word| !words.contains(word)).count())
                .min();
            if let Some(extra) = best {
                found.push((extra, id));
            }
        }
        found.sort_by_key(|(extra, id)| (*extra, *id));
        found.into_iter().map(|(_, id)| id).collect()
    }

    /// The column of `table` that refers to `other`, or that `other` refers to.
    pub fn link_columns(&self, table: TableId, other: TableId) -> Option<(ColumnId, ColumnId)> {
        let edge = self.joins.between(table, other).into_iter().next()?;
        let (left, right) = edge.columns.first().copied()?;
        Some(if self.column(left).table == table { (left, right) } else { (right, left) })
    }
}

impl KnowledgeBuilder {
    fn new(schema: &Schema, index_bytes: usize) -> Self {
        let lexicon = Lexicon::embedded();
        let reader = Reader::new(lexicon, schema);
        let mut knowledge = Knowledge {
            tables: Vec::with_capacity(schema.tables.len()),
            columns: Vec::with_capacity(schema.column_count()),
            nowhere: TableEntry::default(),
            nothing: ColumnEntry {
                table: TableId(usize::MAX),
                name: String::new(),
                forms: Forms::new(),
                column_type: ColumnType::Other,
                kind: ColumnKind::Other,
                is_key: false,
                is_foreign: false,
                unique: false,
                nullable: true,
                numeric: false,
                text_numbers: false,
                words: false,
                labels: false,
                fractions: false,
                date_cells: None,
                few_values: Vec::new(),
                seen: false,
            },
            by_stem: HashMap::new(),
            by_root: HashMap::new(),
            synonyms: Backwards::default(),
            values: ValueIndex::new(index_bytes),
            joins: JoinGraph::default(),
            checks_types: false,
        };
        let mut places = HashMap::new();
        let mut tallies = Vec::with_capacity(schema.column_count());
        for table in &schema.tables {
            let id = TableId(knowledge.tables.len());
            let forms = reader.table(table);
            let words = forms.first().cloned().unwrap_or_default();
            let foreign: HashSet<String> = table
                .foreign_keys
                .iter()
                .flat_map(|key| &key.columns)
                .map(|name| name.to_ascii_lowercase())
                .collect();
            let mut columns = Vec::new();
            let read = reader.columns(table, &words);
            for (column, mut forms) in table.columns.iter().zip(read) {
                let column_id = ColumnId(knowledge.columns.len());
                if let Some(description) = &column.description {
                    let words: Vec<String> =
                        description.split_whitespace().take(6).map(super::stem::stem).collect();
                    forms.push(words);
                }
                let is_foreign = foreign.contains(&column.name.to_ascii_lowercase());
                knowledge.columns.push(ColumnEntry {
                    table: id,
                    name: column.name.clone(),
                    forms,
                    column_type: column.column_type,
                    kind: ColumnKind::default(),
                    is_key: column.primary_key,
                    is_foreign,
                    unique: column.unique,
                    nullable: column.nullable,
                    numeric: column.column_type.is_numeric(),
                    text_numbers: false,
                    words: false,
                    labels: column.column_type == ColumnType::Text && !is_text(&column.declared_type),
                    fractions: are_fractions(&column.samples),
                    date_cells: date_cells::expected(column.column_type, &column.samples),
                    few_values: Vec::new(),
                    seen: false,
                });
                places.insert((table.name.to_ascii_lowercase(), column.name.to_ascii_lowercase()), column_id);
                columns.push(column_id);
                tallies.push(Tally::of_samples(&column.samples));
            }
            let key = columns.iter().copied().filter(|column| knowledge.column(*column).is_key).collect();
            let is_link = table.kind == TableKind::Table
                && table.foreign_keys.len() >= 2
                && columns.len() <= foreign.len() + 2;
            knowledge.tables.push(TableEntry {
                name: table.name.clone(),
                forms,
                columns,
                key,
                label: Vec::new(),
                is_link,
                rows: table.row_count,
            });
        }
        name_things(&mut knowledge.tables);
        let mut builder = Self { knowledge, places, tallies };
        builder.join(schema);
        builder
    }

    /// Adds the distinct values of one column.
    pub fn values(&mut self, table: &str, column: &str, values: impl IntoIterator<Item = Value>) {
        let place = (table.to_ascii_lowercase(), column.to_ascii_lowercase());
        let Some(&id) = self.places.get(&place) else { return };
        let (mut numbers, mut texts, mut text_numbers) = (0_usize, 0_usize, 0_usize);
        let mut spelt = date_cells::Tally::default();
        let mut words = false;
        let mut few: Vec<Value> = Vec::new();
        let mut tally = Tally::default();
        for value in values {
            tally.add(&value);
            match &value {
                Value::Integer(_) | Value::Real(_) | Value::Boolean(_) => numbers += 1,
                Value::Text(text) => {
                    texts += 1;
                    let is_number = text.trim().parse::<f64>().is_ok();
                    text_numbers += usize::from(is_number);
                    words |= !is_number && !is_missing(text);
                    spelt.add(text);
                    self.knowledge.values.add(id, text);
                }
                Value::Null | Value::Blob(_) => continue,
            }
            if few.len() <= FEW {
                few.push(value);
            }
        }
        if let Some(known) = self.tallies.get_mut(id.0).filter(|_| !tally.is_empty()) {
            tally.add_numbers(known);
            *known = tally;
        }
        if let Some(entry) = self.knowledge.columns.get_mut(id.0) {
            entry.seen = numbers + texts > 0;
            if entry.seen {
                entry.numeric = texts == text_numbers;
                entry.text_numbers = texts > 0 && texts == text_numbers;
                entry.date_cells = spelt.spelling();
                entry.words = words;
            }
            if few.len() <= FEW {
                entry.fractions |= are_fractions(&few);
                entry.few_values = few;
            }
        }
    }

    /// Ends the collection.
    pub fn finish(mut self) -> Knowledge {
        self.tell_kinds();
        let labels: Vec<Vec<ColumnId>> =
            self.knowledge.tables().map(|(id, _)| super::label::label_of(&self.knowledge, id)).collect();
        for (table, label) in self.knowledge.tables.iter_mut().zip(labels) {
            table.label = label;
        }
        let mut by_stem: HashMap<String, Vec<WordPlace>> = HashMap::new();
        let mut by_root: HashMap<String, Vec<WordPlace>> = HashMap::new();
        let mut add = |item: Item, forms: &Forms| {
            for (form_at, form) in forms.iter().enumerate() {
                for (at, word) in form.iter().enumerate() {
                    let place = WordPlace {
                        item,
                        form: u16::try_from(form_at).unwrap_or(u16::MAX),
                        position: u16::try_from(at).unwrap_or(u16::MAX),
                    };
                    by_stem.entry(word.clone()).or_default().push(place);
                    by_root.entry(root(word)).or_default().push(place);
                }
            }
        };
        for (id, table) in self.knowledge.tables() {
            add(Item::Table(id), &table.forms);
        }
        for (at, column) in self.knowledge.columns.iter().enumerate() {
            add(Item::Column(ColumnId(at)), &column.forms);
        }
        self.knowledge.by_stem = by_stem;
        self.knowledge.by_root = by_root;
        self.knowledge
    }

    /// Says of each column what it is.
    fn tell_kinds(&mut self) {
        let rows: Vec<Option<u64>> = self.knowledge.tables.iter().map(|table| table.rows).collect();
        for (column, tally) in self.knowledge.columns.iter_mut().zip(&self.tallies) {
            let words: Vec<String> = column.forms.iter().take(2).flatten().cloned().collect();
            let looks = Looks {
                words: &words,
                column_type: column.column_type,
                is_key: column.is_key,
                is_foreign: column.is_foreign,
                rows: rows.get(column.table.0).copied().flatten(),
                tally,
            };
            column.kind = looks.kind();
        }
    }

    /// Fills the join graph from the keys of the schema, declared and inferred.
    fn join(&mut self, schema: &Schema) {
        let mut graph = JoinGraph::new((0..self.knowledge.tables.len()).map(TableId));
        for table in &schema.tables {
            // Of several ways to join two tables that cost the same, the one added first is taken.
            let in_reserve = |key: &&ForeignKey| {
                let places = key.columns.iter().filter_map(|column| self.place(&table.name, column));
                places.map(|id| self.knowledge.column(id)).any(|column| kind::is_in_reserve(&column.forms))
            };
            let (last, first): (Vec<&ForeignKey>, Vec<&ForeignKey>) =
                table.foreign_keys.iter().partition(in_reserve);
            for key in first.into_iter().chain(last) {
                let columns: Vec<(ColumnId, ColumnId)> = key
                    .columns
                    .iter()
                    .zip(&key.references)
                    .filter_map(|(from, to)| {
                        Some((self.place(&table.name, from)?, self.place(&key.table, to)?))
                    })
                    .collect();
                let Some(&(from, to)) = columns.first() else { continue };
                let (from, to) = (self.knowledge.column(from).table, self.knowledge.column(to).table);
                let percent = key.evidence.as_ref().map_or(100, |evidence| evidence.percent);
                graph.add(JoinEdge {
                    columns,
                    from,
                    to,
                    declared: key.declared,
                    confidence: f32::from(percent) / 100.0,
                });
            }
        }
        self.knowledge.joins = graph;
    }

    fn place(&self, table: &str, column: &str) -> Option<ColumnId> {
        self.places.get(&(table.to_ascii_lowercase(), column.to_ascii_lowercase())).copied()
    }
}
