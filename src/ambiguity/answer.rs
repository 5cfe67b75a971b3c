//! What a person answers to a question put to them.

use super::instead::{missing, nearest};
use super::{Ambiguity, AmbiguityKind, Choice, Correction};
use crate::plan::ColumnRef;
use crate::schema::Schema;

/// The correction that `input` means as an answer to `pending`; `None` where it is no answer to it.
///
/// Understood are an option's number (`2`), its place (`the second one`), its label or words that are only its own,
/// `use table X`, `table X`, `select X not Y`, `join A.x with B.y` and `A.x = B.y`.
pub fn answer(input: &str, pending: &Ambiguity) -> Option<Correction> {
    let said = said_after_yes_or_no(&plain(input)).to_owned();
    let options = pending.options();
    if let Some(choice) = numbered(&said).and_then(|number| options.get(number)) {
        return Some(choice.correction.clone());
    }
    let last = ["the last one", "last", "the last"].contains(&said.as_str());
    // Of two, the other one is the one that was not put first.
    let other = options.len() == 2 && ["the other one", "the other", "other"].contains(&said.as_str());
    if last || other {
        return options.last().map(|choice| choice.correction.clone());
    }
    if let Some(choice) = options.iter().find(|choice| plain(&choice.label) == said) {
        return Some(choice.correction.clone());
    }
    join(&said, options).or_else(|| table(&said, options)).or_else(|| in_words(&said, options))
}

/// The correction by which `input` takes one of the readings that an answer stands among, its own being the first; `None`
/// where it is another input.
///
/// All that answers a question back takes a reading. But nobody waits for an answer here: what was not offered is no
/// choice, and words for what was answered are more likely the next question.
pub fn taken(input: &str, readings: &Ambiguity) -> Option<Correction> {
    let correction = answer(input, readings)?;
    let is_other = readings.others().iter().any(|choice| choice.correction == correction);
    (is_other || numbered(said_after_yes_or_no(&plain(input))) == Some(0)).then_some(correction)
}

/// *yes, the first one*, *no, the second*: what is said behind the agreement, which alone says nothing of which one.
fn said_after_yes_or_no(said: &str) -> &str {
    const LEADS: [&str; 10] = ["yes", "yeah", "yep", "no", "nope", "sure", "ok", "okay", "right", "sorry"];
    let (lead, rest) = said.split_once(' ').unwrap_or((said, ""));
    let rest = rest.trim_start();
    if LEADS.contains(&lead.trim_end_matches([',', '.', '!'])) && !rest.is_empty() { rest } else { said }
}

/// The one option in whose words all that was said is found: `once` for `count each id once`.
fn in_words(said: &str, options: &[Choice]) -> Option<Correction> {
    const LEADS: [&str; 8] = ["i mean ", "i meant ", "please ", "use ", "take ", "choose ", "the ", "by "];
    let mut rest = said;
    while let Some(shorter) = LEADS.iter().find_map(|lead| rest.strip_prefix(lead)) {
        rest = shorter;
    }
    let rest = rest.strip_suffix(" please").unwrap_or(rest);
    let rest = [" one", " ones"].iter().find_map(|end| rest.strip_suffix(end)).unwrap_or(rest);
    let said: Vec<String> = words(rest).collect();
    if said.is_empty() {
        return None;
    }
    let mut fitting = options.iter().filter(|choice| {
        let known: Vec<String> = words(&choice.label).chain(words(&choice.meaning)).collect();
        said.iter().all(|word| known.contains(word))
    });
    let (choice, None) = (fitting.next()?, fitting.next()) else { return None };
    Some(choice.correction.clone())
}

/// The words of a text in lower case; a name is one word, and also each of its parts.
fn words(text: &str) -> impl Iterator<Item = String> {
    let part = |character: char| !(character.is_alphanumeric() || character == '_');
    let names = text.split(part).map(str::to_lowercase);
    let parts = text.split(|character: char| !character.is_alphanumeric()).map(str::to_lowercase);
    names.chain(parts).filter(|word| !word.is_empty()).collect::<Vec<_>>().into_iter()
}

/// Lower case, single spaces, no punctuation at the ends.
pub(super) fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ").to_lowercase();
    text.trim_matches(['.', '!', '?', '"', '\'', '`', ')', '(']).to_owned()
}

/// The place of the option that a number or an ordinal names, from 0.
pub(super) fn numbered(said: &str) -> Option<usize> {
    const ORDINALS: [&str; 9] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"];
    const LEADS: [&str; 7] = ["option ", "number ", "no. ", "#", "the ", "take ", "use "];
    let mut rest = said;
    while let Some(shorter) = LEADS.iter().find_map(|lead| rest.strip_prefix(lead)) {
        rest = shorter;
    }
    let rest = rest.strip_suffix(" one").or_else(|| rest.strip_suffix(" option")).unwrap_or(rest);
    if let Some(place) = ORDINALS.iter().position(|ordinal| *ordinal == rest) {
        return Some(place);
    }
    rest.parse::<usize>().ok()?.checked_sub(1)
}

/// `use table X`, `select X not Y`, `table X`.
fn table(said: &str, options: &[Choice]) -> Option<Correction> {
    const LEADS: [&str; 9] =
        ["i mean ", "i meant ", "please ", "use ", "select ", "take ", "choose ", "the ", "table "];
    let mut rest = said;
    let mut led = false;
    while let Some(shorter) = LEADS.iter().find_map(|lead| rest.strip_prefix(lead)) {
        rest = shorter;
        led = true;
    }
    let (wanted, unwanted) = match rest.split_once(" not ").or_else(|| rest.split_once(" instead of ")) {
        Some((wanted, unwanted)) => (wanted, Some(unwanted)),
        None => (rest, None),
    };
    if !led && unwanted.is_none() {
        return None;
    }
    let tables = || {
        options.iter().filter_map(|choice| match &choice.correction {
            Correction::TableSelection { selected_table, .. } => Some(selected_table),
            _ => None,
        })
    };
    let named = |name: &str| {
        let name = name
            .trim()
            .trim_start_matches("table ")
            .trim_end_matches(" table")
            .trim_matches(['`', '"', '\'']);
        tables().find(|table| table.eq_ignore_ascii_case(name)).cloned()
    };
    let selected_table = named(wanted)?;
    let rejected_tables = match unwanted {
        Some(names) => names.split([',', ' ']).filter_map(named).collect(),
        None => tables().filter(|table| **table != selected_table).cloned().collect(),
    };
    Some(Correction::TableSelection { selected_table, rejected_tables })
}

/// `join A.x with B.y`, `A.x = B.y`.
fn join(said: &str, options: &[Choice]) -> Option<Correction> {
    let said = said.strip_prefix("join ").unwrap_or(said);
    let said = said.strip_prefix("on ").unwrap_or(said);
    let separators = ["=", " with ", " and ", " to "];
    let (left, right) = separators.iter().find_map(|separator| said.split_once(separator))?;
    let (left, right) = (column(left)?, column(right)?);
    let same = |one: &ColumnRef, other: &ColumnRef| {
        one.table.eq_ignore_ascii_case(&other.table) && one.column.eq_ignore_ascii_case(&other.column)
    };
    let offered = options.iter().find_map(|choice| match &choice.correction {
        Correction::JoinClarification { left: a, right: b }
            if (same(a, &left) && same(b, &right)) || (same(a, &right) && same(b, &left)) =>
        {
            Some(choice.correction.clone())
        }
        _ => None,
    });
    Some(offered.unwrap_or(Correction::JoinClarification { left, right }))
}

/// What agrees, and says nothing of which one.
const AGREEMENTS: [&str; 8] = ["yes", "yeah", "yep", "yes please", "sure", "ok", "okay", "please"];

/// What is wrong with an input that plainly means to answer `pending` and names something that there is not; `None` where
/// nothing is, or where it is no answer.
pub fn mistake(input: &str, pending: &Ambiguity, schema: &Schema) -> Option<String> {
    let said = plain(input);
    if let Some(Correction::JoinClarification { left, right }) = join(&said, pending.options()) {
        return [left, right].iter().find_map(|side| no_column(side, schema));
    }
    if AGREEMENTS.contains(&said.as_str()) {
        return Some("That does not say which one. Say its number, or ask in other words.".to_owned());
    }
    if pending.kind != AmbiguityKind::TableSelection || answer(input, pending).is_some() {
        return None;
    }
    let tables = || pending.options().iter().map(|choice| choice.label.as_str());
    let rest = said.strip_prefix("use ").or_else(|| said.strip_prefix("select ")).unwrap_or(&said);
    let rest = rest.strip_prefix("the ").unwrap_or(rest);
    let named = rest.strip_prefix("table ").or_else(|| rest.strip_suffix(" table"));
    let name = named.or_else(|| (rest.len() < said.len()).then_some(rest))?;
    let name = name.split(" not ").next().unwrap_or(name).trim_matches(['`', '"', '\'']);
    let near = nearest(name, tables());
    (named.is_some() || near.is_some()).then(|| missing("table", name, " to choose", near))
}

/// That a table or its column does not exist.
fn no_column(column: &ColumnRef, schema: &Schema) -> Option<String> {
    let Some(table) = schema.table(&column.table) else {
        let near = nearest(&column.table, schema.tables.iter().map(|table| table.name.as_str()));
        return Some(missing("table", &column.table, "", near));
    };
    let near = nearest(&column.column, table.columns.iter().map(|column| column.name.as_str()));
    let kind = format!("column of `{}`", table.name);
    table.column(&column.column).is_none().then(|| missing(&kind, &column.column, "", near))
}

fn column(text: &str) -> Option<ColumnRef> {
    let (table, column) = text.trim().split_once('.')?;
    let name = |part: &str| {
        let part = part.trim().trim_matches(['`', '"', '\'']);
        let valid = !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        valid.then(|| part.to_owned())
    };
    Some(ColumnRef::new(name(table)?, name(column)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> Ambiguity {
        let choice = |table: &str, others: [&str; 2]| Choice {
            label: table.to_owned(),
            meaning: format!("use the table `{table}`"),
            correction: Correction::TableSelection {
                selected_table: table.to_owned(),
                rejected_tables: others.map(str::to_owned).to_vec(),
            },
            sql: None,
            preview: None,
        };
        let options = vec![
            choice("Customers", ["PROD_Customers", "Archive"]),
            choice("PROD_Customers", ["Customers", "Archive"]),
            choice("Archive", ["Customers", "PROD_Customers"]),
        ];
        Ambiguity::new(AmbiguityKind::TableSelection, "Which table?", options).unwrap()
    }

    fn selected(input: &str) -> Option<String> {
        match answer(input, &tables())? {
            Correction::TableSelection { selected_table, .. } => Some(selected_table),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn options_are_taken_by_number_place_or_name() {
        for input in
            ["2", "2.", "option 2", "#2", "the second one", "second", "prod_customers", "`PROD_Customers`"]
        {
            assert_eq!(selected(input).as_deref(), Some("PROD_Customers"), "{input}");
        }
        assert_eq!(selected("the last one").as_deref(), Some("Archive"));
        assert_eq!(selected("4"), None);
        assert_eq!(selected("0"), None);
    }

    #[test]
    fn tables_are_named_in_words() {
        for input in
            ["use table PROD_Customers", "table prod_customers", "select PROD_Customers not Customers"]
        {
            assert_eq!(selected(input).as_deref(), Some("PROD_Customers"), "{input}");
        }
        let correction = answer("select PROD_Customers not Customers", &tables()).unwrap();
        let rejected = vec!["Customers".to_owned()];
        assert_eq!(
            correction,
            Correction::TableSelection { selected_table: "PROD_Customers".into(), rejected_tables: rejected }
        );
    }

    #[test]
    fn joins_are_said_in_both_ways() {
        let expected = Correction::JoinClarification {
            left: ColumnRef::new("orders", "customer_id"),
            right: ColumnRef::new("customers", "id"),
        };
        for input in ["join Orders.customer_id with Customers.id", "orders.customer_id = customers.id"] {
            assert_eq!(answer(input, &tables()), Some(expected.clone()), "{input}");
        }
    }

    #[test]
    fn a_name_that_there_is_not_is_said_with_the_nearest() {
        let said = |input: &str| mistake(input, &tables(), &Schema::default()).unwrap_or_default();
        let near = "There is no table `custmers` to choose. Did you mean `Customers`?";
        for input in ["use table Custmers", "use custmers", "table custmers", "select custmers not archive"] {
            assert_eq!(said(input), near, "{input}");
        }
        assert_eq!(said("use table xyz"), "There is no table `xyz` to choose.");
        for input in ["use fewer words", "how many orders?", "select the orders of Rome", "custmers"] {
            assert_eq!(said(input), "", "{input}");
        }
    }

    #[test]
    fn words_of_one_option_take_it() {
        let choice = |label: &str, meaning: &str| Choice {
            label: label.to_owned(),
            meaning: meaning.to_owned(),
            correction: Correction::TableSelection {
                selected_table: label.to_owned(),
                rejected_tables: Vec::new(),
            },
            sql: None,
            preview: None,
        };
        let options = vec![
            choice("every row", "count every row"),
            choice("each customer_id once", "count each `orders.customer_id` once"),
        ];
        let asked = Ambiguity::new(AmbiguityKind::Reading, "What is to be counted?", options).unwrap();
        let taken = |input: &str| match answer(input, &asked) {
            Some(Correction::TableSelection { selected_table, .. }) => selected_table,
            _ => "none".to_owned(),
        };
        let once = "each customer_id once";
        for (input, expected) in [
            ("once", once),
            ("Each customer once.", once),
            ("count every row", "every row"),
            ("the other one", once),
            ("no, the second", once),
            ("yes, 2", once),
            ("Yes, the first one.", "every row"),
            ("no, each customer once", once),
            ("yes", "none"),
            ("no", "none"),
            ("the second one", once),
            ("the customer ones please", once),
            ("count", "none"),
            ("count the rows of orders in Rome", "none"),
        ] {
            assert_eq!(taken(input), expected, "{input}");
        }
    }

    #[test]
    fn beside_an_answer_only_what_is_offered_is_taken() {
        let choice = |column: &str| Choice {
            label: format!("orders.{column}"),
            meaning: format!("take `orders.{column}`"),
            correction: Correction::JoinClarification {
                left: ColumnRef::new("orders", column),
                right: ColumnRef::new("days", "day"),
            },
            sql: None,
            preview: None,
        };
        let columns = ["order_date", "due_date", "paid_date"];
        let readings =
            Ambiguity::new(AmbiguityKind::Reading, "Which?", columns.map(choice).to_vec()).unwrap();
        for (input, expected) in [
            ("1", Some("order_date")),
            ("3", Some("paid_date")),
            ("third", Some("paid_date")),
            ("by the due date", Some("due_date")),
            ("orders.paid_date", Some("paid_date")),
            // What was answered is named by its number only.
            ("by order date", None),
            ("orders.order_date", None),
            ("4", None),
            ("date", None),
            // As an answer to a question back it would be a join of one's own.
            ("orders.id and days.day", None),
            ("join orders.id with days.day", None),
        ] {
            let expected = expected.map(|column| choice(column).correction);
            assert_eq!(taken(input, &readings), expected, "{input}");
        }
        assert!(answer("join orders.id with days.day", &readings).is_some());
    }

    #[test]
    fn another_question_is_no_answer() {
        for input in ["How many orders are there?", "show me the second customer", "=", "a.b", "", "use"] {
            assert_eq!(answer(input, &tables()), None, "{input}");
        }
    }
}
