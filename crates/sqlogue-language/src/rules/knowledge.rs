//! What the reasoner knows about one database: names as words, keys, joins, and the values of cells.
//!
//! A [`Knowledge`] is built once for each database and shared by all questions; it never changes afterwards.

mod builder;

pub use builder::KnowledgeBuilder;

use std::collections::HashMap;
use std::sync::OnceLock;

use super::date_cells::DateCells;
use super::date_parts::DateParts;
use super::ends::{self, Ends};
use super::event_date;
use super::grammar::WordLists;
use super::grammar::amounts::ranked_amount;
use super::joins::JoinGraph;
use super::kind::ColumnKind;
use super::names::Forms;
use super::short::{abbreviates, begins};
use super::synonyms::{Backwards, similar};
use super::values::ValueIndex;
use sqlogue_sql::plan::{ColumnRef, Expr, QueryPlan};
use sqlogue_sql::schema::{Codes, ColumnType, Schema, Value};

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
    /// True for a view, whose rows are those of tables.
    pub is_view: bool,
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
    /// True where it is part of the primary key, or the number of one of the rows, as `flight` of flights is.
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
    /// True for a length of time whose name tells no unit, and whose numbers look like minutes.
    pub minutes: bool,
    /// True where every time of day that was seen is midnight.
    pub midnight: bool,
    /// For a year that has its month, and perhaps its day, in other columns: those.
    pub parts: Option<DateParts>,
    /// True where some cells are empty texts.
    pub blanks: bool,
    /// True for a number that rows share because they belong together, and by which they are called: that of an order in its lines.
    pub shared_number: bool,
    /// What its codes stand for, where a table of codes of several kinds says so.
    pub codes: Option<Codes>,
    /// Its distinct values, where there are few.
    pub few_values: Vec<Value>,
    /// How many distinct values were seen.
    pub distinct: u64,
    /// True where cells were seen at all.
    pub seen: bool,
}

impl ColumnEntry {
    /// True for how much something has grown: who is *paid best* has the highest salary, and not the highest `salary_increase`.
    pub fn tells_change(&self) -> bool {
        const CHANGES: [&str; 5] = ["hike", "increase", "raise", "change", "delta"];
        self.forms.iter().flatten().any(|word| CHANGES.contains(&word.as_str()))
    }

    /// True for dates without a time of day, though one may be written behind them: `2026-05-01 00:00:00`.
    pub fn tells_days(&self) -> bool {
        self.kind == ColumnKind::Date || self.midnight
    }

    /// True where a table of so many rows has most values of the column in several of them: a customer, a city.
    pub fn repeats(&self, rows: Option<u64>) -> bool {
        self.distinct > 0 && rows.is_some_and(|rows| self.distinct * 2 <= rows)
    }

    /// True for what only says which one it is, by what it is called: `order_no`, `customer_id`. A code may be a number too.
    pub fn says_which(&self) -> bool {
        let name = self.forms.first().and_then(|form| form.split_last());
        let is_key = matches!(self.kind, ColumnKind::Key | ColumnKind::Reference);
        name.is_some_and(|(last, of)| match last.as_str() {
            "id" | "key" => true,
            "number" => is_key || !of.is_empty(),
            "code" => is_key,
            _ => false,
        })
    }
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
    /// The parts of names that are no words, and may be short for some.
    short: Vec<String>,
    /// The words of names that are compounds, by the last of their words: `artwork` for *work*.
    compounds: HashMap<String, Vec<String>>,
    /// The columns whose names may be the initials of words.
    initials: Vec<(ColumnId, String)>,
    /// The table of English read backwards; none where it is not used.
    synonyms: Option<Backwards>,
    values: ValueIndex,
    joins: JoinGraph,
    /// The tables whose rows have two ends, found when they are first asked for.
    ends: OnceLock<Vec<(TableId, Ends)>>,
    /// What the columns of each table are for, found when it is first asked for.
    uses: OnceLock<Vec<Uses>>,
    checks_types: bool,
}

/// What the columns of a table are for.
#[derive(Debug, Clone)]
struct Uses {
    dates: Vec<ColumnId>,
    worth: Option<(u8, ColumnId)>,
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

/// The memory the value index may take where nothing else is said.
pub const DEFAULT_INDEX_BYTES: usize = 128 << 20;

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

    /// Says whether words that nothing else explains are looked up in the table of synonyms, as they are at first.
    pub fn use_synonyms(&mut self, uses: bool) {
        self.synonyms = uses.then(Backwards::default);
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

    /// The column that a plan means, whatever the plan calls its table; none for what the plan itself computes.
    pub fn column_in(&self, plan: &QueryPlan, column: &ColumnRef) -> Option<ColumnId> {
        let table = self.table_named(plan.table_in_use(&column.table)?)?;
        self.column_named(table, &column.column)
    }

    /// The column that an expression of a plan is; none where it is no column alone.
    pub fn column_of(&self, plan: &QueryPlan, expr: &Expr) -> Option<ColumnId> {
        match expr {
            Expr::Column(column) => self.column_in(plan, column),
            _ => None,
        }
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

    /// Where something stands that a stem may be written as for short, each with how surely: *vessel* as `vsl`.
    pub fn places_of_short(&self, stem: &str) -> impl Iterator<Item = (&[WordPlace], f32)> {
        let is_table = |piece: &str| self.tables.iter().any(|table| table.name.eq_ignore_ascii_case(piece));
        let sure = self.short.iter().filter_map(move |piece| {
            let begun = || begins(piece, stem).filter(|_| is_table(piece));
            Some((piece, abbreviates(piece, stem).or_else(begun)?))
        });
        sure.map(|(piece, sure)| (self.places_of_stem(piece), sure))
    }

    /// Where a compound stands in names that ends with a stem: *work* in `artworks`.
    pub fn places_of_compound(&self, last: &str) -> impl Iterator<Item = &[WordPlace]> {
        self.compounds.get(last).into_iter().flatten().map(|word| self.places_of_stem(word))
    }

    /// The columns whose names may be the initials of words, with these in small letters.
    pub(super) fn initials(&self) -> &[(ColumnId, String)] {
        &self.initials
    }

    /// Where a word with that root stands in names.
    pub fn places_of_root(&self, root: &str) -> &[WordPlace] {
        self.by_root.get(root).map_or(&[], Vec::as_slice)
    }

    /// The words that a word or phrase of the language may stand for, each with how alike they are.
    pub fn similar(&self, phrase: &str) -> Vec<(String, f32)> {
        let Some(synonyms) = &self.synonyms else { return Vec::new() };
        let mut found: Vec<(String, f32)> = similar(phrase).collect();
        for (word, alike) in synonyms.similar(phrase, self.by_stem.keys()) {
            match found.iter_mut().find(|(known, _)| known == word) {
                Some((_, known)) => *known = known.max(*alike),
                None => found.push((word.clone(), *alike)),
            }
        }
        // Money that goes back is no money that comes in, however near the words are.
        let goes_back = |word: &str| WordLists::embedded().has("goes_back", word);
        let is_back = goes_back(phrase);
        found.retain(|(word, _)| goes_back(word) == is_back);
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

    /// The columns of a table that hold dates, those first that say when its rows came to be.
    pub fn dates(&self, table: TableId) -> &[ColumnId] {
        self.uses(table).map_or(&[], |uses| &uses.dates)
    }

    /// The column that says what a row of a table is worth, with the place of its name among those that say so, the plainest first.
    pub fn worth(&self, table: TableId) -> Option<(u8, ColumnId)> {
        self.uses(table)?.worth
    }

    fn uses(&self, table: TableId) -> Option<&Uses> {
        let uses = |(table, _): (TableId, &TableEntry)| Uses {
            dates: event_date::in_order(self, table),
            worth: ranked_amount(self, table),
        };
        self.uses.get_or_init(|| self.tables().map(uses).collect()).get(table.0)
    }

    /// The tables whose rows have two ends: trips from one depot to another.
    pub fn two_ended(&self) -> &[(TableId, Ends)] {
        self.ends.get_or_init(|| {
            self.tables().filter_map(|(id, _)| Some((id, ends::of_table(self, id)?))).collect()
        })
    }

    /// The two ends of the rows of a table.
    pub fn ends(&self, table: TableId) -> Option<&Ends> {
        self.two_ended().iter().find(|(id, _)| *id == table).map(|(_, ends)| ends)
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
