//! By which columns people name the rows of a table: the answer to *which students?* is their names.

use super::knowledge::{ColumnId, Knowledge, TableId};
use sqlogue_sql::schema::ColumnType;

/// True for a name that comes again in many rows of a table whose rows it cannot name: customers and products have names in each line of a
/// sheet, and a ticket has a number of its own, and is not called as the customer who opened it.
fn is_of_several(knowledge: &Knowledge, table: TableId, name: ColumnId) -> bool {
    let entry = knowledge.table(table);
    let comes_again = |id: ColumnId| knowledge.column(id).repeats(entry.rows);
    if !comes_again(name) {
        return false;
    }
    let words = knowledge.table_words(table);
    let is_again_name = |id: &ColumnId| {
        let column = knowledge.column(*id);
        let is_text =
            column.column_type == ColumnType::Text && !column.kind.is_temporal() && !column.is_foreign;
        let form = column.forms.first().and_then(|form| form.last());
        is_text && comes_again(*id) && form.is_some_and(|last| last.ends_with("name"))
    };
    let is_own_number = |id: &ColumnId| {
        let column = knowledge.column(*id);
        let is_free = !column.is_foreign && !column.shared_number && column.says_which();
        let form = column.forms.first().and_then(|form| form.split_last());
        is_free && form.is_some_and(|(_, of)| of.iter().all(|word| words.contains(word)))
    };
    entry.columns.iter().any(is_own_number)
        || entry.columns.iter().copied().filter(|id| is_again_name(id)).count() > 1
}

/// What clients and users are called by where no column says *name*.
const CALLED: [&str; 7] =
    ["company", "organisation", "organization", "firm", "business", "nickname", "username"];

/// True for rows of which each is a person that another table tells of.
fn refers_to_a_person(knowledge: &Knowledge, table: TableId) -> bool {
    let is_person =
        |word: &String| matches!(word.as_str(), "people" | "person" | "user" | "member" | "individual");
    knowledge.table(table).columns.iter().any(|id| {
        let column = knowledge.column(*id);
        column.is_foreign && column.forms.iter().flatten().any(is_person)
    })
}

/// The columns that name a table's rows, best guess; empty where none stands out.
pub(super) fn label_of(knowledge: &Knowledge, table: TableId) -> Vec<ColumnId> {
    let entry = knowledge.table(table);
    let words = knowledge.table_words(table);
    let own = |id: &&ColumnId| !knowledge.column(**id).is_foreign;
    // The name without the words of the table: `student name` is `name`; an abbreviation is what it stands for.
    let is = |id: ColumnId, wanted: &str| {
        knowledge.column(id).forms.iter().any(|form| {
            let rest: Vec<&str> =
                form.iter().filter(|word| !words.contains(word)).map(String::as_str).collect();
            if rest.is_empty() { form.join(" ") == wanted } else { rest.join(" ") == wanted }
        })
    };
    let first_form = |id: ColumnId| knowledge.column(id).forms.first().cloned().unwrap_or_default().join(" ");
    let any = |names: &[&str]| {
        let mut wanted = names.iter();
        wanted.find_map(|wanted| entry.columns.iter().filter(own).find(|id| is(**id, wanted)).copied())
    };
    if let Some(name) = any(&["name", "full name"]) {
        return vec![name];
    }
    // What is the title of a book is that of a job where the rows have names of people.
    let first = any(&["first name", "given name", "forename"]);
    let last = any(&["last name", "family name", "surname"]);
    if let (Some(first), Some(last)) = (first, last) {
        return vec![first, last];
    }
    if let Some(title) = any(&["title"]) {
        return vec![title];
    }
    // A column called as the table itself (`country.country`).
    let joined = words.join(" ");
    let text = |id: ColumnId| {
        let column = knowledge.column(id);
        column.column_type == ColumnType::Text && !column.kind.is_temporal()
    };
    let same = |id: &&ColumnId| knowledge.column(**id).forms.iter().any(|form| form.join(" ") == joined);
    if let Some(id) = entry.columns.iter().filter(own).find(|id| same(id) && text(**id)) {
        return vec![*id];
    }
    let is_one = |id: &&ColumnId| text(**id) && !is_of_several(knowledge, table, **id);
    for ending in ["name", "title"] {
        let ends = |id: &&ColumnId| first_form(**id).ends_with(ending);
        if let Some(id) = entry.columns.iter().filter(own).filter(is_one).find(ends) {
            return vec![*id];
        }
    }
    // What many rows share names none of them.
    let tells_apart = |id: ColumnId| {
        let column = knowledge.column(id);
        let rows = entry.rows.unwrap_or(u64::MAX);
        column.few_values.is_empty() || rows <= column.few_values.len() as u64
    };
    // Clients that are companies are called by theirs; an entrepreneur has a name where the people are.
    let company = any(&CALLED).filter(|id| text(*id) && tells_apart(*id));
    if let Some(id) = company.filter(|_| !refers_to_a_person(knowledge, table)) {
        return vec![id];
    }
    for ending in ["description", "detail", "type", "model", "text", "meaning"] {
        let ends = |id: &&ColumnId| first_form(**id).ends_with(ending);
        let mut columns = entry.columns.iter().filter(own).filter(|id| text(**id) && tells_apart(**id));
        if let Some(id) = columns.find(ends) {
            return vec![*id];
        }
    }
    // A warehouse is called by its town where no other stands in it.
    let stands_alone = |id: &&ColumnId| {
        let seen = knowledge.column(**id).few_values.len() as u64;
        text(**id) && entry.rows == Some(seen) && seen > 1
    };
    for wanted in ["city", "town", "location", "place"] {
        let named = |id: &&ColumnId| first_form(**id) == wanted;
        if let Some(id) = entry.columns.iter().filter(own).filter(named).find(stands_alone) {
            return vec![*id];
        }
    }
    for wanted in ["address", "email", "plate", "subject", "sku", "reference", "label", "code", "number"] {
        // The address that a bill goes to is not the name of the bill.
        let of_itself = matches!(wanted, "address" | "email");
        let named = |id: &&ColumnId| match of_itself {
            true => is(**id, wanted),
            false => knowledge.column(**id).forms.iter().flatten().any(|word| word == wanted),
        };
        let is_text = |id: &&ColumnId| text(**id) && !knowledge.column(**id).is_key && tells_apart(**id);
        if let Some(id) = entry.columns.iter().filter(own).filter(is_text).find(named) {
            return vec![*id];
        }
    }
    Vec::new()
}
