//! *Who*: the people whom the rows refer to that tell what was done, where nothing names them. *Who bought a desk?* and *who has
//! more than 12 orders?* ask for customers, *who sold a desk?* for employees.

use super::related::falls_due;
use super::states::told_by;
use crate::rules::grammar::amounts::amounts_of;
use crate::rules::grammar::bind::{Binding, Filler};
use crate::rules::grammar::columns::{end_date, price_and_quantity};
use crate::rules::grammar::form::{Again, Attr, By, Group, Key, Measure, Noun, Pred, Query, Show, Words};
use crate::rules::grammar::words::WordLists;
use crate::rules::kind::ColumnKind;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::stem::stem;

/// Where the people stand that no word names.
const UNSAID: Words = Words { start: 0, end: 0 };

/// The query with the people as its subject; none where it does not ask for any, or names them.
pub(super) fn asked_who(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<(Query, Binding)> {
    if query.of_each_person {
        return each_of_them(query, binding, knowledge);
    }
    if !query.names || !query.show.is_empty() {
        return None;
    }
    if !query.keys.is_empty() {
        let is_open = query.subject.is_none();
        return is_open.then(|| first_of_each_kind(query, binding, knowledge)).flatten();
    }
    if let Some(thing) = &query.subject {
        return asks_things(query, binding, knowledge)
            .then(|| done_with(query, thing, binding, knowledge))
            .flatten();
    }
    if let Some(staff) = staff_of(query, binding, knowledge) {
        let (subject, binding) = with_people(staff, binding);
        return Some((Query { subject: Some(subject), names: false, ..query.clone() }, binding));
    }
    let done = Done { binding, knowledge };
    let (told, sells) = done.of(query)?;
    let is_person = |table: &TableId| is_called(knowledge, *table, if sells { "sellers" } else { "buyers" });
    let above_told = || knowledge.joins().above(told);
    // An account is somebody's, where it says nothing of people itself.
    let belongs = || !has_people(knowledge, told) && above_told().any(|table| has_people(knowledge, table));
    if is_person(&told) && !belongs() {
        return None;
    }
    let far = || above_told().flat_map(|table| knowledge.joins().above(table));
    let Some(table) = above_told().chain(far()).find(is_person) else {
        return whose_deeds(query, told, binding, knowledge);
    };
    let (subject, binding) = with_people(table, binding);
    Some((Query { subject: Some(subject), names: false, ..query.clone() }, binding))
}

/// *who spent the most in each country*: the first of the people of each group, and no group alone.
fn first_of_each_kind(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<(Query, Binding)> {
    if let Some(people) = taken(query, binding).filter(|table| has_people(knowledge, *table)) {
        let (subject, binding) = with_people(people, binding);
        return Some((Query { subject: Some(subject), names: false, ..query.clone() }, binding));
    }
    let (told, sells) = query.take.as_ref().and_then(|_| Done { binding, knowledge }.of(query))?;
    let is_person = |table: &TableId| is_called(knowledge, *table, if sells { "sellers" } else { "buyers" });
    let far = || knowledge.joins().above(told).flat_map(|table| knowledge.joins().above(table));
    let table = knowledge.joins().above(told).chain(far()).find(is_person)?;
    let (people, binding) = with_people(table, binding);
    let keys = std::iter::once(Key::Noun(people)).chain(query.keys.iter().cloned()).collect();
    Some((Query { keys, names: false, ..query.clone() }, binding))
}

/// *who borrowed the most books*, *who has never borrowed a book*: what is counted, or is not there, are the rows that bring
/// people and things together.
fn done_with(
    query: &Query,
    thing: &Noun,
    binding: &Binding,
    knowledge: &Knowledge,
) -> Option<(Query, Binding)> {
    let of = binding.fillers.get(&thing.words)?.table;
    let joins = knowledge.joins();
    let is_person = |table: &TableId| is_called(knowledge, *table, "buyers");
    let told = joins
        .below(of)
        .filter(|event| joins.above(*event).any(|table| is_person(&table)))
        .max_by_key(|event| knowledge.table(*event).rows)?;
    let table = knowledge.joins().above(told).find(is_person)?;
    let (subject, mut binding) = with_people(table, binding);
    binding.fillers.get_mut(&thing.words)?.table = told;
    let mut asked = Query { subject: Some(subject), names: false, ..query.clone() };
    let mut is_done = false;
    for pred in &mut asked.preds {
        if let Pred::Used(_, preds, used) = pred {
            is_done = true;
            *pred = Pred::Related(Group { of: thing.clone(), preds: std::mem::take(preds) }, *used);
        }
    }
    let ends = asked.ends.iter_mut().map(|(by, _)| by);
    let of_take = asked.take.iter_mut().map(|take| &mut take.by).chain(ends).filter_map(|by| match by {
        By::Measure(measure) => Some(measure),
        By::Attr(_) | By::Shown | By::Date | By::Name => None,
    });
    let counted = asked.having.iter_mut().map(|having| &mut having.measure).chain(of_take);
    for measure in counted.filter(|measure| **measure == Measure::Count(None)) {
        is_done = true;
        *measure = Measure::Count(Some(thing.clone()));
    }
    is_done.then_some((asked, binding))
}

/// *whose books are overdue*: the state is that of what brings people and things together, where only that has such a state.
fn whose_deeds(
    query: &Query,
    things: TableId,
    binding: &Binding,
    knowledge: &Knowledge,
) -> Option<(Query, Binding)> {
    let [Pred::Related(group, true)] = query.preds.as_slice() else { return None };
    let has_state = |table: TableId| {
        group.preds.iter().all(|pred| match pred {
            Pred::Open { end, .. } => end_date(knowledge, table, end.as_deref()).is_some(),
            Pred::State(state) => told_by(knowledge, table, state).is_some(),
            _ => false,
        })
    };
    let joins = knowledge.joins();
    let person_of =
        |deed: TableId| knowledge.joins().above(deed).find(|table| is_called(knowledge, *table, "buyers"));
    let deed = joins.below(things).find(|deed| has_state(*deed) && person_of(*deed).is_some())?;
    let (subject, mut binding) = with_people(person_of(deed)?, binding);
    binding.fillers.get_mut(&group.of.words)?.table = deed;
    (!has_state(things)).then(|| (Query { subject: Some(subject), names: false, ..query.clone() }, binding))
}

/// *who was hired last*, *who earns the most*: the people whose date or pay it is.
pub(super) fn taken(query: &Query, binding: &Binding) -> Option<TableId> {
    match &query.take.as_ref().filter(|_| query.names)?.by {
        By::Attr(Attr::Noun(date)) => binding.fillers.get(&date.words).map(|filler| filler.table),
        By::Attr(Attr::Adjective(words, _)) => binding.fillers.get(words).map(|filler| filler.table),
        _ => None,
    }
}

/// *who sold how many tickets*: of each person whom the rows refer to that are measured.
fn each_of_them(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<(Query, Binding)> {
    let [Show::Measure(measure)] = query.show.as_slice() else { return None };
    let told = Done { binding, knowledge }.measured(measure)?;
    // The lines of an order are served by who served the order.
    let far = || knowledge.joins().above(told).flat_map(|table| knowledge.joins().above(table));
    let above = || knowledge.joins().above(told).chain(far());
    let is_called = |list: &str| {
        // Suppliers sell too, but they are no people.
        let mut called = above().filter(|table| is_called(knowledge, *table, list)).peekable();
        let first = called.peek().copied();
        called.find(|table| has_people(knowledge, *table)).or(first)
    };
    // *who sold the most roses* asks for nobody who bought them.
    let buyers = || is_called("buyers").filter(|_| query.take.is_none());
    let (people, binding) = match seller_in(knowledge, told) {
        Some(seller) => with_person_in(seller, told, binding),
        None => with_people(is_called("sellers").or_else(buyers)?, binding),
    };
    let keys = std::iter::once(Key::Noun(people)).chain(query.keys.iter().cloned()).collect();
    let subject = query.subject.clone().filter(|noun| noun.words != UNSAID);
    Some((Query { keys, subject, of_each_person: false, names: false, ..query.clone() }, binding))
}

/// The people whom the rows of a table refer to that did what a verb says; none where they refer to none.
pub(in crate::rules) fn people_of(knowledge: &Knowledge, rows: TableId, verb: &str) -> Option<TableId> {
    let lists = WordLists::embedded();
    let called = |list: &str| {
        let far = || knowledge.joins().above(rows).flat_map(|table| knowledge.joins().above(table));
        knowledge.joins().above(rows).chain(far()).find(|table| is_called(knowledge, *table, list))
    };
    match lists.has("selling", verb) || lists.has("serving", verb) {
        true => called("sellers").or_else(|| called("buyers")),
        false => called("buyers").or_else(|| called("sellers")),
    }
}

/// *who works at the Lumen*: the people who belong to what is named, where that is no person.
fn staff_of(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<TableId> {
    let [Pred::Is { values, negated: false, .. }] = query.preds.as_slice() else { return None };
    let place = binding.fillers.get(&values.first()?.words)?.table;
    let is_staff = |table: &TableId| is_called(knowledge, *table, "sellers");
    let is_person = is_staff(&place) || has_people(knowledge, place);
    if is_person || query.take.is_some() || !query.having.is_empty() {
        return None;
    }
    knowledge.joins().below(place).find(is_staff)
}

/// The column with the names of those who sold, where the rows refer to nobody: `sold_by` of a sheet.
fn seller_in(knowledge: &Knowledge, told: TableId) -> Option<ColumnId> {
    let lists = WordLists::embedded();
    let sold = |word: &String| ["selling", "sellers"].iter().any(|list| lists.has(list, word));
    let names = |id: &&ColumnId| {
        let entry = knowledge.column(**id);
        entry.kind == ColumnKind::Text && !entry.is_foreign && entry.forms.iter().flatten().any(sold)
    };
    knowledge.table(told).columns.iter().find(names).copied()
}

/// The people as a subject that no word names.
fn with_people(table: TableId, binding: &Binding) -> (Noun, Binding) {
    let subject = Noun { tables: [(table, 1.0)].into(), ..nobody_named() };
    (subject, with_filler(table, None, binding))
}

/// The people whom a column of the rows names, where no word does.
fn with_person_in(column: ColumnId, table: TableId, binding: &Binding) -> (Noun, Binding) {
    let subject = Noun { columns: [(column, 1.0)].into(), ..nobody_named() };
    (subject, with_filler(table, Some(column), binding))
}

fn nobody_named() -> Noun {
    Noun { words: UNSAID, tables: [].into(), columns: [].into(), says_when: false, unsaid: None }
}

fn with_filler(table: TableId, column: Option<ColumnId>, binding: &Binding) -> Binding {
    let mut binding = binding.clone();
    binding.fillers.insert(UNSAID, Filler { table, column, value: None, score: 1.0, shrinks: false });
    binding
}

/// True where *who* is asked and what is named is no person: *who has never borrowed a book?* asks for no titles.
pub(super) fn asks_things(query: &Query, binding: &Binding, knowledge: &Knowledge) -> bool {
    let table = |noun: &Noun| binding.fillers.get(&noun.words).map(|filler| filler.table);
    let is_thing = |table: TableId| {
        !has_people(knowledge, table)
            && !is_called(knowledge, table, "buyers")
            && !is_called(knowledge, table, "sellers")
    };
    let shown = query.show.iter().filter_map(|show| match show {
        Show::Noun(noun) => Some(noun),
        Show::Measure(_) => None,
    });
    let mut named = query.subject.iter().chain(shown).filter_map(table).peekable();
    query.names && named.peek().is_some() && named.all(is_thing)
}

/// True for a table with columns of what only people have.
pub(in crate::rules) fn has_people(knowledge: &Knowledge, table: TableId) -> bool {
    const OF_PEOPLE: [&str; 12] = [
        "surname",
        "forename",
        "birth",
        "age",
        "gender",
        "sex",
        "email",
        "salary",
        "nationality",
        "hire",
        "phone",
        "job",
    ];
    knowledge.table(table).columns.iter().any(|id| {
        let forms = &knowledge.column(*id).forms;
        let first_or_last = |form: &[String]| {
            form.iter().any(|word| word == "name")
                && form.iter().any(|word| matches!(word.as_str(), "first" | "last" | "full"))
        };
        forms.iter().any(|form| {
            first_or_last(form) || OF_PEOPLE.iter().any(|word| form.iter().any(|own| *own == stem(word)))
        })
    })
}

/// True for a table that is called by a word of the list.
pub fn is_called(knowledge: &Knowledge, table: TableId, list: &str) -> bool {
    let words = WordLists::embedded().list(list);
    let forms = knowledge.table(table).forms.iter();
    forms.flatten().any(|own| words.iter().flatten().any(|word| stem(word) == *own))
}

/// Finds the table whose rows tell what was done.
struct Done<'a> {
    binding: &'a Binding,
    knowledge: &'a Knowledge,
}

impl Done<'_> {
    /// The table, and whether something was sold.
    fn of(&self, query: &Query) -> Option<(TableId, bool)> {
        let of_preds = query.preds.iter().find_map(|pred| match pred {
            Pred::Late(None, _) if query.take.is_some() => {
                let tables = self.knowledge.tables().map(|(table, _)| table);
                let mut due = tables.filter(|table| falls_due(self.knowledge, *table));
                Some((due.next().filter(|_| due.next().is_none())?, false))
            }
            Pred::Through(_, Some(trade), _, _) => Some((self.at(trade.words)?, trade.sells)),
            Pred::Related(group, _) => Some((self.at(group.of.words)?, false)),
            Pred::Range(Attr::Between(_, done, _), ..) => match done.as_ref() {
                Attr::When(rows) => Some((self.at(rows.words)?, false)),
                _ => None,
            },
            Pred::Again(again) => Some((self.done_with_same(again)?, false)),
            Pred::Used(Some(verb), ..) => Some((verb.tables.first()?.0, false)),
            _ => None,
        });
        let of_having = || query.having.iter().find_map(|having| self.measured(&having.measure));
        let of_take = || match &query.take.as_ref()?.by {
            By::Measure(measure) => self.measured(measure),
            By::Attr(_) | By::Shown | By::Date | By::Name => None,
        };
        of_preds.or_else(|| Some((of_having().or_else(of_take)?, false)))
    }

    /// The rows that tell what was done again with the same: what was sold, or what else people did with it.
    fn done_with_same(&self, again: &Again) -> Option<TableId> {
        let joins = self.knowledge.joins();
        let is_sale = |table: &TableId| price_and_quantity(self.knowledge, *table).is_some();
        let of_people =
            |table: &TableId| joins.above(*table).any(|owner| is_called(self.knowledge, owner, "buyers"));
        let fits = |table: &TableId| if again.sold { is_sale(table) } else { of_people(table) };
        joins.below(self.at(again.same.words)?).find(fits)
    }

    fn measured(&self, measure: &Measure) -> Option<TableId> {
        match measure {
            Measure::Count(Some(noun)) => self.at(noun.words),
            Measure::Of(_, Attr::Revenue(words) | Attr::Sold(words) | Attr::Lasting(words, ..)) => {
                self.at(*words)
            }
            Measure::Of(_, Attr::Noun(noun)) => self.at(noun.words),
            Measure::Of(_, Attr::Amount(noun)) => amounts_of(self.knowledge, self.at(noun.words)?),
            Measure::Where(part, _) => self.measured(part),
            _ => None,
        }
    }

    fn at(&self, words: Words) -> Option<TableId> {
        self.binding.fillers.get(&words).map(|filler| filler.table)
    }
}
