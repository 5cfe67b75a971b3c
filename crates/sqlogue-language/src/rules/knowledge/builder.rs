//! Collecting a schema and its values into a [`Knowledge`].

use std::collections::{HashMap, HashSet};

use super::{ColumnEntry, ColumnId, Item, Knowledge, TableEntry, TableId, WordPlace};
use crate::rules::date_cells;
use crate::rules::date_parts;
use crate::rules::event_date;
use crate::rules::joins::{JoinEdge, JoinGraph};
use crate::rules::kind::{self, ColumnKind, Looks, Tally};
use crate::rules::label::label_of;
use crate::rules::lexicon::Lexicon;
use crate::rules::link::initials_of;
use crate::rules::meant::lasting;
use crate::rules::names::{Forms, Reader};
use crate::rules::short::{is_short_form, last_of_compound};
use crate::rules::split_name;
use crate::rules::stem::{root, stem};
use crate::rules::stored::{are_fractions, is_missing, is_text};
use crate::rules::synonyms::Backwards;
use crate::rules::things::{name_by_keys, name_numbered, name_pieces, name_things};
use crate::rules::values::ValueIndex;
use sqlogue_sql::schema::{Column, ColumnType, ForeignKey, Schema, Table, TableKind, Value};

/// Columns with at most so many distinct values keep them as a list.
const FEW: usize = 24;

/// Collects a schema and its values into a [`Knowledge`].
#[derive(Debug)]
pub struct KnowledgeBuilder {
    knowledge: Knowledge,
    places: HashMap<(String, String), ColumnId>,
    /// What was seen in each column.
    tallies: Vec<Tally>,
    /// The columns, in small letters with their tables, that say what the codes of others stand for.
    meanings: HashSet<(String, String)>,
}

impl KnowledgeBuilder {
    pub(super) fn new(schema: &Schema, index_bytes: usize) -> Self {
        let lexicon = Lexicon::embedded();
        let reader = Reader::new(lexicon, schema);
        let knowledge = empty(schema, index_bytes);
        let tallies = Vec::with_capacity(schema.column_count());
        let columns = schema.tables.iter().flat_map(|table| &table.columns);
        let meanings = columns
            .filter_map(|column| column.codes.as_ref())
            .map(|codes| (codes.table.to_ascii_lowercase(), codes.text_column.to_ascii_lowercase()))
            .collect();
        let mut builder = Self { knowledge, places: HashMap::new(), tallies, meanings };
        for table in &schema.tables {
            builder.table(table, &reader);
        }
        name_things(&mut builder.knowledge.tables);
        name_pieces(&builder.knowledge.tables, &mut builder.knowledge.columns);
        name_by_keys(&mut builder.knowledge.tables, &builder.knowledge.columns);
        name_numbered(&builder.knowledge.tables, &mut builder.knowledge.columns);
        builder.join(schema);
        builder
    }

    fn table(&mut self, table: &Table, reader: &Reader<'_>) {
        let id = TableId(self.knowledge.tables.len());
        let forms = reader.table(table);
        let words = forms.first().cloned().unwrap_or_default();
        let foreign: HashSet<String> = table
            .foreign_keys
            .iter()
            .flat_map(|key| &key.columns)
            .map(|name| name.to_ascii_lowercase())
            .collect();
        let mut columns = Vec::new();
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let people = split_name::of_columns(&names);
        for (column, mut forms) in table.columns.iter().zip(reader.columns(table, &words)) {
            if let Some(description) = &column.description {
                forms.push(description.split_whitespace().take(6).map(stem).collect());
            }
            forms.extend(
                people.iter().filter(|(first, _)| *first == column.name).map(|(_, role)| role.clone()),
            );
            let column_id = ColumnId(self.knowledge.columns.len());
            let is_foreign = foreign.contains(&column.name.to_ascii_lowercase());
            self.knowledge.columns.push(entry(id, column, forms, is_foreign));
            let place = (table.name.to_ascii_lowercase(), column.name.to_ascii_lowercase());
            self.places.insert(place, column_id);
            for (code, meaning) in column.codes.iter().flat_map(|codes| &codes.meanings) {
                self.knowledge.values.add_meaning(column_id, code, meaning);
            }
            columns.push(column_id);
            self.tallies.push(Tally::of_samples(&column.samples));
        }
        let key = columns.iter().copied().filter(|column| self.knowledge.column(*column).is_key).collect();
        let is_link = table.kind == TableKind::Table
            && table.foreign_keys.len() >= 2
            && columns.len() <= foreign.len() + 2;
        self.knowledge.tables.push(TableEntry {
            name: table.name.clone(),
            forms,
            columns,
            key,
            label: Vec::new(),
            is_view: table.kind == TableKind::View,
            is_link,
            rows: table.row_count,
        });
    }

    /// Adds the distinct values of one column; an empty text says that it has empty cells.
    pub fn values(&mut self, table: &str, column: &str, values: impl IntoIterator<Item = Value>) {
        let place = (table.to_ascii_lowercase(), column.to_ascii_lowercase());
        let Some(&id) = self.places.get(&place) else { return };
        // Whoever says *captain* means the rows with the code, and not that of the table of codes.
        let is_meaning = self.meanings.contains(&place);
        let (mut numbers, mut texts, mut text_numbers) = (0_usize, 0_usize, 0_usize);
        let mut spelt = date_cells::Tally::default();
        let (mut words, mut blanks) = (false, false);
        let mut few: Vec<Value> = Vec::new();
        let mut tally = Tally::default();
        for value in values {
            if value.as_str() == Some("") {
                blanks = true;
                continue;
            }
            tally.add(&value);
            match &value {
                Value::Integer(_) | Value::Real(_) | Value::Boolean(_) => numbers += 1,
                Value::Text(text) => {
                    texts += 1;
                    let is_number = text.trim().parse::<f64>().is_ok();
                    text_numbers += usize::from(is_number);
                    words |= !is_number && !is_missing(text);
                    spelt.add(text);
                    if !is_meaning {
                        self.knowledge.values.add(id, text);
                    }
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
            entry.blanks = blanks;
            entry.nullable |= blanks;
            entry.seen = numbers + texts > 0;
            entry.distinct = (numbers + texts) as u64;
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
            self.knowledge.tables().map(|(id, _)| label_of(&self.knowledge, id)).collect();
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
        let lexicon = Lexicon::embedded();
        let mut short: Vec<String> =
            by_stem.keys().filter(|piece| is_short_form(piece, lexicon)).cloned().collect();
        short.sort();
        self.knowledge.short = short;
        for word in by_stem.keys() {
            if let Some(last) = last_of_compound(word) {
                self.knowledge.compounds.entry(last.to_owned()).or_default().push(word.clone());
            }
        }
        self.knowledge.compounds.values_mut().for_each(|words| words.sort());
        let columns = self.knowledge.columns.iter().enumerate();
        let initials = columns.filter_map(|(at, column)| Some((ColumnId(at), initials_of(&column.name)?)));
        self.knowledge.initials = initials.collect();
        self.knowledge.by_stem = by_stem;
        self.knowledge.by_root = by_root;
        self.knowledge
    }

    /// Says of each column what it is.
    fn tell_kinds(&mut self) {
        let rows: Vec<Option<u64>> = self.knowledge.tables.iter().map(|table| table.rows).collect();
        let tables = &self.knowledge.tables;
        for (column, tally) in self.knowledge.columns.iter_mut().zip(&self.tallies) {
            let words: Vec<String> = column.forms.iter().take(2).flatten().cloned().collect();
            let table = tables.get(column.table.0);
            let is_plural = table.is_some_and(|table| {
                let name = table.name.to_ascii_lowercase();
                name.ends_with('s') && name != column.name.to_ascii_lowercase()
            });
            let table = table.and_then(|table| table.forms.first());
            let looks = Looks {
                words: &words,
                column_type: column.column_type,
                is_key: column.is_key,
                is_foreign: column.is_foreign,
                rows: rows.get(column.table.0).copied().flatten(),
                rows_called: table.filter(|_| is_plural).map_or(&[], Vec::as_slice),
                tally,
            };
            column.kind = looks.kind();
            column.midnight = tally.is_at_midnight();
            // The number of a flight tells it apart, though nobody declared that.
            column.is_key |= column.kind == ColumnKind::Key;
            column.minutes = lasting::looks_like_minutes(column, table.map_or(&[], Vec::as_slice), tally);
        }
        // *due date*, *date issued*: `due` and `issued`, which do not say what they hold.
        for column in self.knowledge.columns.iter_mut().filter(|column| event_date::holds_days(column)) {
            if let Some([word]) = column.forms.first().map(Vec::as_slice) {
                let dated = vec![word.clone(), "date".to_owned()];
                if !matches!(word.as_str(), "date" | "day" | "time" | "month" | "year")
                    && !column.forms.contains(&dated)
                {
                    column.forms.push(dated);
                }
            }
        }
        let knowledge = &self.knowledge;
        let parts = |table: &TableEntry| {
            date_parts::of_table(table, |id| knowledge.column(id), |id| self.tallies.get(id.0))
        };
        let found: Vec<_> = knowledge.tables.iter().filter_map(parts).collect();
        for (year, parts) in found {
            if let Some(column) = self.knowledge.columns.get_mut(year.0) {
                column.parts = Some(parts);
            }
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

/// What is known before any table is read.
fn empty(schema: &Schema, index_bytes: usize) -> Knowledge {
    let nothing = Column { column_type: ColumnType::Other, nullable: true, ..Column::default() };
    Knowledge {
        tables: Vec::with_capacity(schema.tables.len()),
        columns: Vec::with_capacity(schema.column_count()),
        nowhere: TableEntry::default(),
        nothing: ColumnEntry {
            kind: ColumnKind::Other,
            ..entry(TableId(usize::MAX), &nothing, Forms::new(), false)
        },
        by_stem: HashMap::new(),
        by_root: HashMap::new(),
        short: Vec::new(),
        compounds: HashMap::new(),
        initials: Vec::new(),
        ends: std::sync::OnceLock::new(),
        uses: std::sync::OnceLock::new(),
        synonyms: Some(Backwards::default()),
        values: ValueIndex::new(index_bytes),
        joins: JoinGraph::default(),
        checks_types: false,
    }
}

/// A column as its schema describes it.
fn entry(table: TableId, column: &Column, forms: Forms, is_foreign: bool) -> ColumnEntry {
    ColumnEntry {
        table,
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
        minutes: false,
        midnight: false,
        parts: None,
        blanks: false,
        distinct: 0,
        shared_number: false,
        codes: column.codes.clone(),
        few_values: Vec::new(),
        seen: false,
    }
}
