//! Rows that are money: who asks for *payments this quarter against last* or *cumulative payments* asks how much was paid, and
//! seldom how often.

use crate::rules::grammar::amounts::amount;
use crate::rules::grammar::bind::Binding;
use crate::rules::grammar::form::{Attr, Measure, Noun, Pred, Query, Show};
use crate::rules::knowledge::{Knowledge, TableId};
use crate::rules::stem::stem;
use sqlogue_sql::plan::Aggregate;

/// What tables of money are called by.
const MONEY: [&str; 26] = [
    "payment",
    "repayment",
    "expense",
    "expenditure",
    "donation",
    "refund",
    "fine",
    "transaction",
    "deposit",
    "withdrawal",
    "contribution",
    "fee",
    "charge",
    "tip",
    "instalment",
    "installment",
    "bonus",
    "grant",
    "pledge",
    "quota",
    "budget",
    "invoice",
    "bill",
    "due",
    "cost",
    "sale",
];
/// So many of them are counted and summed at once where nothing is said; of the others, how many there are is asked for
/// as often.
const PLAINLY: usize = 21;

/// True for a word that tables of money are called by.
pub(in crate::rules) fn means_money(word: &str) -> bool {
    MONEY.contains(&stem(word).as_str())
}

/// True for rows that are money and nothing else: payments, expenses, refunds.
pub(in crate::rules) fn is_money(knowledge: &Knowledge, table: TableId) -> bool {
    called(knowledge, table, MONEY.get(..PLAINLY).unwrap_or_default())
}

fn called(knowledge: &Knowledge, table: TableId, words: &[&str]) -> bool {
    let bears = |word: &str| {
        let word = stem(word);
        knowledge.table(table).forms.iter().any(|form| form.last().is_some_and(|own| *own == word))
    };
    words.iter().any(|word| bears(word)) && amount(knowledge, table).is_some()
}

/// True for *fees of the last 60 days*: what was taken in then, sooner than a list.
fn is_of_a_time(query: &Query) -> bool {
    query.preds.iter().any(|pred| matches!(pred, Pred::In(..)))
}

/// The query with the total of what the rows are worth in the place of their number, where nobody said that they are counted.
pub(super) fn summed_rows(query: &Query, binding: &Binding, knowledge: &Knowledge) -> Option<Query> {
    let is_bare_list = query.show.is_empty() && query.having.is_empty() && query.take.is_none();
    let lists = is_bare_list && query.keys.is_empty() && query.order.is_empty() && is_of_a_time(query);
    let compares = !query.versus.is_empty() || query.compare.is_some();
    let counted: Option<&Noun> = match query.show.as_slice() {
        [] if compares || lists || is_bare_list && !query.keys.is_empty() => query.subject.as_ref(),
        [Show::Measure(Measure::Count(noun))] if compares && !query.counts => {
            noun.as_ref().or(query.subject.as_ref())
        }
        _ => None,
    };
    let rows = counted?;
    let filler = binding.fillers.get(&rows.words).filter(|filler| filler.column.is_none())?;
    if !called(knowledge, filler.table, &MONEY) {
        return None;
    }
    let total = Measure::Of(Aggregate::Sum, Attr::Amount(rows.clone()));
    Some(Query { show: vec![Show::Measure(total)], counts: false, ..query.clone() })
}
