//! What no word decides: which of two dates, columns, roles or orders is meant.

use std::collections::BTreeSet;

use super::shape::Said;
use super::words::{is_superlative, named_columns, named_tables};
use crate::rules::cue::Cue;
use crate::rules::event_date;
use crate::rules::grammar::WordLists;
use crate::rules::joins::JoinEdge;
use crate::rules::kind;
use crate::rules::knowledge::{ColumnId, TableId};
use crate::rules::lexicon::Lexicon;
use crate::rules::link::{ValueLink, words_told};
use crate::rules::meant::takings;
use crate::rules::stem::root;
use crate::rules::text::Question;

impl Said<'_> {
    /// The date that the plan restricts or groups by, where others may be meant as well, it has no word, and it does not bear
    /// its table's name. Others are those that say no less when the rows came to be: hardly the end of what has a start, and not
    /// those of the rows that are referred to.
    pub(super) fn any_date(&self) -> Option<String> {
        let (facts, knowledge) = (self.words.facts, self.words.knowledge);
        let is_date = |column: ColumnId| event_date::is_date(knowledge.column(column));
        let all: Vec<ColumnId> =
            facts.tables.iter().flat_map(|table| &knowledge.table(*table).columns).copied().collect();
        // *late* compares two dates of a row, and no window is of either.
        let compared = facts.compared.iter().filter(|column| !facts.matched.contains(column));
        let taken = compared.chain(&facts.keys).copied().find(|column| {
            let is_own = || {
                let table = knowledge.table(knowledge.column(*column).table);
                let words = &knowledge.column(*column).forms;
                table.forms.iter().flatten().any(|word| words.iter().flatten().any(|other| other == word))
            };
            // *unpaid* says which date as well as *paid* does, and *overdue* as well as *due date*.
            let is_turned = || {
                let said = self.words.question.tokens.iter().filter_map(|token| match token.lower.as_str() {
                    "overdue" => Some("due"),
                    // *out*, *on loan*: not back.
                    "out" | "loan" | "hire" | "rent" | "rented" | "lent" | "borrowed" | "back" => {
                        Some("returned")
                    }
                    word => word.strip_prefix("un").filter(|rest| rest.len() >= 4),
                });
                let forms = &knowledge.column(*column).forms;
                said.map(root).any(|said| forms.iter().flatten().any(|word| root(word) == said))
            };
            is_date(*column) && !self.names(*column) && !is_own() && !is_turned()
        })?;
        let entry = knowledge.column(taken);
        let strangeness = |column: ColumnId| event_date::strangeness_of(knowledge, column);
        let is_rival = |column: ColumnId| {
            let table = knowledge.column(column).table;
            let ways = knowledge.joins().between(entry.table, table);
            let is_above = table != entry.table && ways.iter().any(|way| way.from == entry.table);
            column != taken && is_date(column) && !is_above && strangeness(column) <= strangeness(taken) + 2
        };
        let others = all.iter().filter(|column| is_rival(**column));
        (others.count() > 0).then(|| format!("{}.{}", knowledge.table(entry.table).name, entry.name))
    }

    /// *weight* of what has a gross and a net weight: the words, and the column that was taken.
    pub(super) fn any_column(&self) -> Option<(String, String)> {
        let knowledge = self.words.knowledge;
        let same_table =
            |one: ColumnId, other: ColumnId| knowledge.column(one).table == knowledge.column(other).table;
        // *Georgia*, which is a language and a country here.
        let any_value = self.meanings.iter().filter(|meaning| meaning.value.is_some()).find_map(|meaning| {
            let (chunk, taken) = (self.words.chunk(meaning.chunk)?, meaning.column_id?);
            let own = chunk.values.iter().find(|link| link.column == Some(taken))?;
            let said = |column: ColumnId| words_told(self.words.question, knowledge, column);
            let told = said(taken);
            let is_rival = |link: &&ValueLink| {
                link.kind == own.kind
                    && link.score > own.score - 0.1
                    && link.value == own.value
                    && link.column.is_some_and(|column| {
                        column != taken && same_table(column, taken) && said(column) >= told
                    })
            };
            let entry = knowledge.column(taken);
            let said = self.words.chunks.iter().any(|chunk| named_columns(chunk).any(|named| named == taken));
            (chunk.values.iter().any(|link| is_rival(&link)) && !said).then(|| {
                (chunk.text.clone(), format!("{}.{}", knowledge.table(entry.table).name, entry.name))
            })
        });
        any_value.or_else(|| self.any_name(same_table))
    }

    /// *heaviest* of what has a gross and a net weight: the adjective, and the column that was taken.
    pub(super) fn any_measure(&self) -> Option<(String, String)> {
        let (facts, knowledge) = (self.words.facts, self.words.knowledge);
        let has = |column: ColumnId, noun: &[String]| {
            let forms = &knowledge.column(column).forms;
            noun.iter().all(|word| forms.iter().flatten().any(|own| own == word))
        };
        let adjectives = self.words.chunks.iter().flat_map(|chunk| chunk.cues().map(move |cue| (chunk, cue)));
        adjectives.into_iter().find_map(|(chunk, cue)| {
            let Cue::Superlative(_, Some(index)) = cue else { return None };
            let adjective = Lexicon::embedded().adjective(index)?;
            let nouns = || adjective.grows.iter().chain(&adjective.shrinks);
            let others = || self.words.chunks.iter().filter(|other| other.start != chunk.start);
            let is_said =
                |column: ColumnId| others().any(|other| named_columns(other).any(|own| own == column));
            let taken = facts
                .sorted
                .iter()
                .copied()
                .find(|column| !event_date::holds_days(knowledge.column(*column)) && !is_said(*column))?;
            let noun = nouns().find(|noun| has(taken, noun))?;
            let table = knowledge.table(knowledge.column(taken).table);
            let is_rival = |column: &ColumnId| {
                *column != taken && knowledge.column(*column).numeric && has(*column, noun)
            };
            let named = || format!("{}.{}", table.name, knowledge.column(taken).name);
            table.columns.iter().any(is_rival).then(|| (chunk.text.clone(), named()))
        })
    }

    /// The same for words that name a column.
    fn any_name(&self, same_table: impl Fn(ColumnId, ColumnId) -> bool) -> Option<(String, String)> {
        let knowledge = self.words.knowledge;
        self.meanings.iter().filter(|meaning| meaning.value.is_none()).find_map(|meaning| {
            let (chunk, taken) = (self.words.chunk(meaning.chunk)?, meaning.column_id?);
            let own = chunk.columns.iter().find(|(column, _)| *column == taken)?.1;
            let is_rival = |(column, score): &(ColumnId, f32)| {
                // *goals* of a match are those of both sides, and none was chosen.
                let sides = knowledge.ends(knowledge.column(taken).table).and_then(|ends| ends.score);
                let is_side = |id: ColumnId| sides.is_some_and(|(one, other)| [one, other].contains(&id));
                let has_both = is_side(taken) && is_side(*column) && self.words.facts.uses(*column);
                *column != taken && !has_both && same_table(*column, taken) && (score - own).abs() < 0.01
            };
            let entry = knowledge.column(taken);
            (own < 0.97 && chunk.columns.iter().any(is_rival)).then(|| {
                (chunk.text.clone(), format!("{}.{}", knowledge.table(entry.table).name, entry.name))
            })
        })
    }

    /// *the games of the Lions*, who play at home and away: the column that joins, where another could and none is named.
    pub(super) fn any_role(&self) -> Option<String> {
        let (facts, knowledge) = (self.words.facts, self.words.knowledge);
        let taken = facts.joined.iter().copied().find(|column| {
            knowledge.joins().reference(*column).is_some_and(|edge| {
                // A backup supplier is not meant where nobody names it, so it makes no doubt of the other one.
                let in_reserve = |way: &JoinEdge| {
                    way.columns.iter().any(|(from, _)| kind::is_in_reserve(&knowledge.column(*from).forms))
                };
                let mut ways = knowledge.joins().between(edge.from, edge.to);
                ways.retain(|way| way.from == edge.from);
                let usual = ways.iter().filter(|way| !in_reserve(way)).count();
                let is_usual = usual == 1 && !in_reserve(edge);
                let is_told = self.names(*column) && !ways.iter().any(|way| self.may_be_rival(edge, way));
                // *the busiest routes*: both are taken.
                let is_joined =
                    |way: &&JoinEdge| way.columns.iter().any(|(from, _)| facts.joined.contains(from));
                let are_both = self.says_way() && ways.iter().all(is_joined);
                let is_told = is_told || self.says_end(*column);
                ways.len() > 1 && !are_both && !is_usual && !facts.keys.contains(column) && !is_told
            })
        })?;
        let entry = knowledge.column(taken);
        Some(format!("{}.{}", knowledge.table(entry.table).name, entry.name))
    }

    /// *revenue per site*, where tickets and snacks bring money in that neither are parts of the other nor named: the table whose
    /// money was added up.
    pub(super) fn any_takings(&self) -> Option<(String, String)> {
        let (facts, knowledge) = (self.words.facts, self.words.knowledge);
        let token = self.words.question.tokens.iter().find(|token| takings::is_word_for(&token.lower))?;
        let taken = facts.summed.iter().copied().find(|id| knowledge.column(*id).numeric)?;
        let own = knowledge.column(taken).table;
        let is_named = |table: TableId| {
            self.words.chunks.iter().any(|chunk| named_tables(chunk).any(|named| named == table))
        };
        let joins = knowledge.joins();
        let is_rival = |table: TableId| {
            let is_apart = table != own && !joins.leads(table, own) && !joins.leads(own, table);
            is_apart && !facts.tables.contains(&table) && takings::sells(knowledge, table)
        };
        let several = knowledge.tables().any(|(table, _)| is_rival(table));
        (several && takings::sells(knowledge, own) && !is_named(own))
            .then(|| (token.text.clone(), knowledge.table(own).name.clone()))
    }

    /// *donors who gave last year*, where both donations and appointments are dated and neither is named: the table that was taken to
    /// tell of it.
    pub(super) fn any_event(&self) -> Option<String> {
        let (facts, knowledge) = (self.words.facts, self.words.knowledge);
        let joins = knowledge.joins();
        let is_named = |table: TableId| {
            self.words.chunks.iter().any(|chunk| named_tables(chunk).any(|named| named == table))
                || knowledge.table(table).columns.iter().any(|column| self.names(*column))
        };
        let is_dated = |table: TableId| !knowledge.dates(table).is_empty();
        let dates = facts.compared.iter().copied().filter(|id| event_date::is_date(knowledge.column(*id)));
        let taken = dates.map(|id| knowledge.column(id).table).find(|table| !is_named(*table))?;
        let things =
            facts.tables.iter().copied().find(|table| joins.refers(taken, *table) && is_named(*table))?;
        let is_rival = |table: TableId| !facts.tables.contains(&table) && is_dated(table);
        joins.below(things).any(is_rival).then(|| knowledge.table(taken).name.clone())
    }

    /// *buyers by city*, where no table is called so and sales refer to clients as buyers: the word, and the table that was taken
    /// whole.
    pub(super) fn any_part_of_people(&self) -> Option<(String, String)> {
        let (facts, knowledge) = (self.words.facts, self.words.knowledge);
        let bears = |forms: &[Vec<String>], word: &str| forms.iter().flatten().any(|own| root(own) == word);
        let names_table = |word: &str| knowledge.tables().any(|(_, table)| bears(&table.forms, word));
        let is_value = |word: &str| facts.texts.iter().any(|text| text.to_lowercase().contains(word));
        let role = |word: &str| {
            let columns = knowledge.tables().flat_map(|(_, table)| table.columns.iter().copied());
            let mut roles = columns
                .filter(|column| bears(&knowledge.column(*column).forms, word))
                .filter_map(|column| Some((column, knowledge.joins().reference(column)?)));
            // Where the rows say it of themselves, or several do, nothing is left out.
            let (column, edge) = roles.next()?;
            let is_other = edge.from != edge.to && facts.tables.contains(&edge.to);
            (is_other && !facts.uses(column) && !facts.joined.contains(&column)).then_some(edge.to)
        };
        self.words.question.tokens.iter().find_map(|token| {
            let is_plural = token.lower.ends_with("ers") || token.lower.ends_with("ors");
            if !is_plural || names_table(&token.root) || is_value(&token.stem) {
                return None;
            }
            Some((token.text.clone(), knowledge.table(role(&token.root)?).name.clone()))
        })
    }

    /// True where the question speaks of both ends at once: *routes*, *between depots*.
    fn says_way(&self) -> bool {
        let says = |word: &str| {
            word == "between" || ["route", "pair"].iter().any(|list| WordLists::embedded().has(list, word))
        };
        self.words.question.tokens.iter().any(|token| says(&token.lower))
    }

    /// True for the end of a row that the question speaks of: *flights to Oslo*, *away matches*.
    pub(super) fn says_end(&self, column: ColumnId) -> bool {
        let knowledge = self.words.knowledge;
        let Some(ends) = knowledge.ends(knowledge.column(column).table) else { return false };
        let (lists, preposition) = match (column == ends.start, column == ends.end) {
            (true, _) => (["at_start", "leaving", "departures"], "from"),
            (_, true) => (["at_end", "arriving", "arrivals"], "to"),
            _ => return false,
        };
        let says = |word: &str| {
            word == preposition || lists.iter().any(|list| WordLists::embedded().has(list, word))
        };
        self.words.question.tokens.iter().any(|token| says(&token.lower))
    }

    /// True where the words may as well mean another way between two tables, which the plan does not take: *depot* says neither
    /// `from_depot` nor `to_depot`, and *trips from and to each depot* says both.
    fn may_be_rival(&self, taken: &JoinEdge, rival: &JoinEdge) -> bool {
        let (facts, knowledge) = (self.words.facts, self.words.knowledge);
        let first = |edge: &JoinEdge| edge.columns.first().map(|(from, _)| *from);
        let (Some(own), Some(other)) = (first(taken), first(rival)) else { return false };
        let words = |id: ColumnId| knowledge.column(id).forms.first().cloned().unwrap_or_default();
        let (own_words, other_words) = (words(own), words(other));
        let said = |words: &[String], except: &[String]| {
            let mut only = words.iter().filter(|word| !except.contains(word)).peekable();
            let is_same = only.peek().is_none();
            is_same || only.any(|word| self.words.question.tokens.iter().any(|token| token.stem == *word))
        };
        let is_used = facts.uses(other) || facts.joined.contains(&other);
        own != other
            && !is_used
            && !own_words.is_empty()
            && own_words.iter().any(|word| other_words.contains(word))
            && (!said(&own_words, &other_words) || said(&other_words, &own_words))
    }

    /// *the most popular box*, which is in contents as well as in subscriptions: no word says what is counted.
    fn any_popularity(&self) -> bool {
        let (facts, knowledge) = (self.words.facts, self.words.knowledge);
        let tokens = &self.words.question.tokens;
        let says = tokens.windows(2).any(|pair| match pair {
            [one, other] => matches!(one.lower.as_str(), "most" | "least") && other.lower == "popular",
            _ => false,
        });
        let is_named = |table: TableId| {
            self.words.chunks.iter().any(|chunk| named_tables(chunk).any(|named| named == table))
        };
        let refers = |other: &TableId, table: TableId| {
            knowledge.joins().between(*other, table).iter().any(|way| way.from == *other)
        };
        let tables: BTreeSet<TableId> =
            facts.keys.iter().map(|column| knowledge.column(*column).table).collect();
        let may_be_several = |table: &TableId| {
            let near = knowledge.joins().neighbours(*table);
            let counted: BTreeSet<TableId> = near.into_iter().filter(|other| refers(other, *table)).collect();
            counted.len() > 1 && !counted.iter().any(|other| is_named(*other))
        };
        says && tables.iter().any(may_be_several)
    }

    /// *the best customers*, sorted by a column that has no word.
    pub(super) fn any_order(&self) -> bool {
        let popular = self
            .words
            .chunks
            .iter()
            .any(|chunk| chunk.text.contains("popular") && chunk.cues().any(is_superlative));
        if popular || self.any_popularity() {
            return true;
        }
        let vague = self.words.chunks.iter().any(|chunk| {
            let worth = |word| matches!(word, "best" | "worst" | "top" | "bottom");
            chunk.cues().any(|cue| matches!(cue, Cue::Superlative(_, None)))
                && chunk.text.split(' ').any(worth)
        });
        let sorted = &self.words.facts.sorted;
        let said = |column: &ColumnId| {
            let table = self.words.knowledge.column(*column).table;
            self.names(*column)
                || self.words.chunks.iter().any(|chunk| named_tables(chunk).any(|named| named == table))
                    && self.words.chunks.iter().any(|chunk| chunk.cues().any(|cue| cue == Cue::Revenue))
        };
        vague && !sorted.is_empty() && !sorted.iter().any(said) && !says_by_what(self.words.question)
    }
}

/// True for *our best month by revenue* and *the top shops by number of orders*: what decides is said.
pub(in crate::rules) fn says_by_what(question: &Question) -> bool {
    const MEASURES: [&str; 12] = [
        "number", "count", "total", "quantity", "volume", "profit", "margin", "spend", "spending", "amount",
        "value", "units",
    ];
    let word = |at: usize| question.word(at);
    let measures = |at: usize| MEASURES.contains(&word(at)) || WordLists::embedded().says_takings(word(at));
    let begins = |at: usize| match word(at) {
        "by" => true,
        "of" => word(at.wrapping_sub(1)) == "terms",
        _ => false,
    };
    (0..question.tokens.len()).any(|at| begins(at) && (measures(at + 1) || measures(at + 2)))
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::table;
    use crate::rules::{Doubt, Knowledge, Options, understand};
    use sqlogue_sql::schema::{ColumnType, Schema};

    #[test]
    fn what_is_popular_is_counted_by_what_is_said() {
        use ColumnType::{Integer, Text};
        let boxes = table("boxes", &[("box_id", Integer), ("name", Text)], &[]);
        let of_boxes = |name: &str, key: &str| {
            table(name, &[(key, Integer), ("box_id", Integer)], &[("box_id", "boxes", "box_id")])
        };
        let tables =
            vec![boxes, of_boxes("contents", "content_id"), of_boxes("subscriptions", "subscription_id")];
        let knowledge = Knowledge::from_schema(&Schema { tables });
        let doubts = |question: &str| {
            let read = understand(question, &knowledge, &Options::default());
            read.candidates.first().is_some_and(|one| one.account.doubts.contains(&Doubt::AnyOrder))
        };
        assert!(doubts("the most popular box"));
        assert!(!doubts("the most popular box by subscriptions"));
    }
}
