//! *Who*: the people whom the rows refer to that tell what was done, where nothing names them. *Who bought a desk?* and *who has
//! more than 12 orders?* ask for customers, *who sold a desk?* for employees.

use crate::rules::grammar::bind::{Binding, Filler};
use crate::rules::grammar::columns::amounts_of;
use crate::rules::grammar::form::{Attr, By, Measure, Noun, Pred, Query, Words};
use crate::rules::grammar::words::WordLists;
use crate::rules::knowledge::{Knowledge, TableId};
use crate::rules::stem::stem;

/// Where the people stand that no word names.
const UNSAID: Words = Words { start: 0, end: 0 };

/// The query with the people as its subject; none where it does not ask for any, or names them.
pub(super) fn asked_who(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<(Query, Binding)> {
    if !query.names || query.subject.is_some() || !query.keys.is_empty() || !query.show.is_empty() {
        return None;
    }
    let done = Done { binding, knowledge };
    let (told, sells) = done.of(query)?;
    let people = WordLists::embedded().list(if sells { "sellers" } else { "buyers" });
    let is_person = |table: &TableId| {
        let forms = knowledge.table(*table).forms.iter();
        forms.flatten().any(|own| people.iter().flatten().any(|word| stem(word) == *own))
    };
    if is_person(&told) {
        return None;
    }
    let joins = knowledge.joins();
    let above = |table: TableId| {
        let refers =
            move |other: &TableId| joins.between(table, *other).iter().any(|edge| edge.from == table);
        joins.neighbours(table).into_iter().filter(refers)
    };
    let table = above(told).chain(above(told).flat_map(above)).find(is_person)?;
    let subject = Noun { words: UNSAID, tables: [(table, 1.0)].into(), columns: [].into(), says_when: false };
    let mut binding = binding.clone();
    let filler = Filler { table, column: None, value: None, score: 1.0, shrinks: false };
    binding.fillers.insert(UNSAID, filler);
    Some((Query { subject: Some(subject), names: false, ..query.clone() }, binding))
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
            Pred::Through(_, Some(trade), _, _) => Some((self.at(trade.words)?, trade.sells)),
            Pred::Related(group, _) => Some((self.at(group.of.words)?, false)),
            Pred::Used(Some(verb), ..) => Some((verb.tables.first()?.0, false)),
            _ => None,
        });
        let of_having = || query.having.iter().find_map(|having| self.measured(&having.measure));
        let of_take = || match &query.take.as_ref()?.by {
            By::Measure(measure) => self.measured(measure),
            By::Attr(_) | By::Shown => None,
        };
        of_preds.or_else(|| Some((of_having().or_else(of_take)?, false)))
    }

    fn measured(&self, measure: &Measure) -> Option<TableId> {
        match measure {
            Measure::Count(Some(noun)) => self.at(noun.words),
            Measure::Of(_, Attr::Revenue(words) | Attr::Sold(words)) => self.at(*words),
            Measure::Of(_, Attr::Amount(noun)) => amounts_of(self.knowledge, self.at(noun.words)?),
            Measure::Where(part, _) => self.measured(part),
            _ => None,
        }
    }

    fn at(&self, words: Words) -> Option<TableId> {
        self.binding.fillers.get(&words).map(|filler| filler.table)
    }
}
