//! `use X instead of Y`: a table, a column or a value of the last query in place of another.

use super::Correction;
use super::detect::look_alikes;
use crate::base::near::{self, plain};
use crate::plan::{ColumnRef, QueryPlan};
use crate::schema::{Schema, Table};

/// What came of `use X instead of Y`.
#[derive(Debug, Clone, PartialEq)]
pub enum Replaced {
    /// The query with X, and what was settled by it.
    Query {
        /// The query.
        plan: Box<QueryPlan>,
        /// What was settled.
        correction: Correction,
    },
    /// It cannot be done; why, and what might have been meant.
    Impossible {
        /// A sentence or two.
        message: String,
    },
}

/// Reads `use X instead of Y` as a correction of a query; `None` where it is none: other words, or a Y that the query does
/// not have.
pub fn replace(input: &str, plan: &QueryPlan, schema: &Schema) -> Option<Replaced> {
    let (wanted, unwanted) = split(input)?;
    table(&wanted, &unwanted, plan, schema)
        .or_else(|| column(&wanted, &unwanted, plan, schema))
        .or_else(|| value(&wanted, &unwanted, plan))
}

/// `no, use the other one` in full: of two tables the one that was not chosen, by the last correction. `None` where other
/// words were said, or there is no one other.
pub fn the_other(input: &str, corrections: &[Correction]) -> Option<String> {
    const LEADS: [&str; 9] =
        ["no, ", "no ", "please ", "rather ", "i mean ", "i meant ", "use ", "take ", "instead "];
    let said = input.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let mut rest = said.trim_end_matches(['.', '!']);
    while let Some(shorter) = LEADS.iter().find_map(|lead| rest.strip_prefix(lead)) {
        rest = shorter;
    }
    let rest = rest.strip_suffix(" instead").unwrap_or(rest);
    let Some(Correction::TableSelection { selected_table, rejected_tables }) = corrections.last() else {
        return None;
    };
    let [other] = rejected_tables.as_slice() else { return None };
    ["the other one", "the other table", "the other"]
        .contains(&rest)
        .then(|| format!("use {other} instead of {selected_table}"))
}

/// X and Y of `use X instead of Y`, `X instead of Y`, `select X not Y`, `not Y but X`.
fn split(input: &str) -> Option<(String, String)> {
    const LEADS: [&str; 12] = [
        "no, ", "no ", "please ", "i mean ", "i meant ", "use ", "take ", "select ", "show ", "by ", "the ",
        "table ",
    ];
    let words: Vec<&str> = input.split_whitespace().collect();
    let said = words.join(" ");
    let said = said.trim_end_matches(['.', '!', '?']);
    if said.len() > 400 {
        return None;
    }
    let bare = |mut part: &str| {
        part = part.trim();
        while let Some(lead) = LEADS
            .iter()
            .find(|lead| part.get(..lead.len()).is_some_and(|start| start.eq_ignore_ascii_case(lead)))
        {
            part = part.get(lead.len()..).unwrap_or_default();
        }
        let part = part.trim().trim_end_matches(" table").trim_end_matches(" column");
        part.trim_matches(['`', '"', '\'', '“', '”']).to_owned()
    };
    let lower = said.to_lowercase();
    // Positions in the lower-case text hold for the other only where both are as long.
    let at = |middle: &str| lower.find(middle).filter(|_| lower.len() == said.len());
    let parts = if let Some(place) = at(" instead of ") {
        (said.get(..place)?, said.get(place + " instead of ".len()..)?)
    } else if let (Some(place), true) = (at(" but "), lower.starts_with("not ")) {
        (said.get(place + " but ".len()..)?, said.get("not ".len()..place)?)
    } else {
        let place = at(" not ").filter(|_| LEADS.iter().any(|lead| lower.starts_with(lead)))?;
        (said.get(..place)?, said.get(place + " not ".len()..)?)
    };
    let (wanted, unwanted) = (bare(parts.0), bare(parts.1));
    (!wanted.is_empty() && !unwanted.is_empty()).then_some((wanted, unwanted))
}

/// A name as people write it: without case, quotes, and the signs between its words.
fn alike(one: &str, other: &str) -> bool {
    let (one, other) = (plain(one), plain(other));
    one == other || format!("{one}s") == other || one == format!("{other}s")
}

fn table(wanted: &str, unwanted: &str, plan: &QueryPlan, schema: &Schema) -> Option<Replaced> {
    let used = plan.selects().flat_map(|select| select.tables());
    let old = used.map(|used| used.table.clone()).find(|table| alike(table, unwanted))?;
    let Some(new) = named(wanted, schema) else {
        // A column may have the name of its table; then it is the column that is spoken of.
        if schema.tables.iter().any(|table| column_of(wanted, table).is_some()) {
            return None;
        }
        return Some(no_such(wanted, "table", schema.tables.iter().map(|table| table.name.as_str())));
    };
    let plan = match plan.with_table(&old, new) {
        Ok(plan) => plan,
        Err(column) => {
            let message =
                format!("`{}` has no column `{column}`, which the last query uses of `{old}`.", new.name);
            return Some(Replaced::Impossible { message });
        }
    };
    let rejected_tables = not_meant(&old, &new.name, schema);
    let correction = Correction::TableSelection { selected_table: new.name.clone(), rejected_tables };
    Some(Replaced::Query { plan: Box::new(plan), correction })
}

/// The tables that are not meant: the old one, and where old and new look alike, all others that look like them.
fn not_meant(old: &str, new: &str, schema: &Schema) -> Vec<String> {
    let mut tables = vec![old.to_owned()];
    for base in schema.tables.iter().map(|table| table.name.as_str()) {
        let mut alike = look_alikes(base, schema);
        alike.push(base);
        if alike.contains(&old) && alike.contains(&new) {
            for table in alike {
                if table != new && !tables.iter().any(|known| known == table) {
                    tables.push(table.to_owned());
                }
            }
        }
    }
    tables
}

fn named<'a>(name: &str, schema: &'a Schema) -> Option<&'a Table> {
    let exact = schema.table(name);
    exact.or_else(|| schema.tables.iter().find(|table| alike(&table.name, name)))
}

fn column(wanted: &str, unwanted: &str, plan: &QueryPlan, schema: &Schema) -> Option<Replaced> {
    let mut changed = plan.clone();
    let mut old: Option<ColumnRef> = None;
    let (place, name) =
        unwanted.rsplit_once('.').map_or((None, unwanted), |(table, name)| (Some(table), name));
    changed.for_each_column_mut(&mut |column| {
        if old.is_none()
            && alike(&column.column, name)
            && place.is_none_or(|table| alike(table, &column.table))
        {
            old = Some(column.clone());
        }
    });
    let old = old?;
    let uses: Vec<(String, &Table)> = plan
        .selects()
        .flat_map(|select| select.tables())
        .filter_map(|used| Some((used.name().to_owned(), schema.table(&used.table)?)))
        .collect();
    // The same table first: that is the column's own.
    let own = uses.iter().filter(|(name, _)| *name == old.table);
    let found = own.chain(&uses).find_map(|(name, table)| Some((name, *table, column_of(wanted, table)?)));
    let Some((place, table, new)) = found else {
        let names =
            uses.iter().flat_map(|(_, table)| table.columns.iter().map(|column| column.name.as_str()));
        return Some(no_such(wanted, "column", names));
    };
    let new = ColumnRef::new(place.clone(), new);
    let selected = ColumnRef::new(table.name.clone(), new.column.clone());
    changed.for_each_column_mut(&mut |column| {
        if *column == old {
            column.clone_from(&new);
        }
    });
    let term = unwanted.rsplit('.').next().unwrap_or(unwanted).to_owned();
    Some(Replaced::Query {
        plan: Box::new(changed),
        correction: Correction::ColumnSelection { term, selected },
    })
}

/// The column of a table that `column` or `table.column` names.
fn column_of(name: &str, table: &Table) -> Option<String> {
    let name = match name.rsplit_once('.') {
        Some((place, name)) if alike(place, &table.name) => name,
        Some(_) => return None,
        None => name,
    };
    let exact = table.column(name);
    exact
        .or_else(|| table.columns.iter().find(|column| alike(&column.name, name)))
        .map(|column| column.name.clone())
}

fn value(wanted: &str, unwanted: &str, plan: &QueryPlan) -> Option<Replaced> {
    let mut plan = plan.clone();
    let mut found = None;
    plan.for_each_compared_text_mut(&mut |column, text| {
        if text.eq_ignore_ascii_case(unwanted) {
            found = Some((column.clone(), text.clone()));
            wanted.clone_into(text);
        }
    });
    let (column, rejected) = found?;
    // A column is called by its table, not by the table's name in this one query.
    let table = plan.table_in_use(&column.table).unwrap_or(&column.table).to_owned();
    let column = ColumnRef::new(table, column.column);
    let correction = Correction::ValueSelection { column, selected: wanted.to_owned(), rejected };
    Some(Replaced::Query { plan: Box::new(plan), correction })
}

/// There is nothing of that name; what comes near it.
fn no_such<'a>(name: &str, what: &str, names: impl Iterator<Item = &'a str>) -> Replaced {
    Replaced::Impossible { message: missing(what, name, " to use instead", nearest(name, names)) }
}

/// That there is nothing of that name, and what comes near it.
pub(super) fn missing(what: &str, name: &str, purpose: &str, near: Option<&str>) -> String {
    let name: String = name.chars().filter(|character| !character.is_control()).take(80).collect();
    let hint = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
    format!("There is no {what} `{name}`{purpose}.{hint}")
}

/// The name that comes nearest, where one comes near.
pub(crate) fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    near::nearest(name, names, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Condition, Expr, Select};
    use crate::schema::Column;

    fn schema() -> Schema {
        let table = |name: &str, columns: &[&str]| Table {
            name: name.to_owned(),
            columns: columns
                .iter()
                .map(|name| Column { name: (*name).to_owned(), ..Column::default() })
                .collect(),
            ..Table::default()
        };
        Schema {
            tables: vec![
                table("Customers", &["id", "name", "city", "home_city"]),
                table("PROD_Customers", &["id", "name", "city"]),
                table("orders", &["id", "amount"]),
            ],
        }
    }

    fn plan() -> QueryPlan {
        let city = Expr::column("Customers", "city");
        QueryPlan::from(
            Select::from_table("Customers")
                .project(Expr::column("Customers", "name"))
                .filter(Condition::equal(city, Expr::literal("Rome"))),
        )
    }

    fn said(input: &str) -> String {
        match replace(input, &plan(), &schema()) {
            None => "no correction".to_owned(),
            Some(Replaced::Query { plan, correction }) => {
                format!("{correction}: {}", crate::sql::render(&plan, crate::sql::Dialect::Sqlite))
            }
            Some(Replaced::Impossible { message }) => message,
        }
    }

    #[test]
    fn of_two_tables_the_other_one_is_known() {
        let chosen = |rejected: &[&str]| Correction::TableSelection {
            selected_table: "Customers".into(),
            rejected_tables: rejected.iter().map(|&table| table.to_owned()).collect(),
        };
        let two = [chosen(&["PROD_Customers"])];
        for said in ["no, use the other one", "The other table!", "use the other one instead"] {
            assert_eq!(the_other(said, &two).as_deref(), Some("use PROD_Customers instead of Customers"));
        }
        assert_eq!(the_other("show the other one", &two), None);
        assert_eq!(the_other("the other one", &[chosen(&["a", "b"])]), None);
        assert_eq!(the_other("the other one", &[]), None);
    }

    #[test]
    fn tables_columns_and_values_are_replaced() {
        insta::assert_snapshot!(
            [
                "use PROD_Customers instead of Customers",
                "no, use table prod customers not customers",
                "use home city instead of city",
                "Rome instead of Milan",
                "use Milan instead of Rome",
                "not Rome but Milan",
                "use orders instead of Customers",
                "use PROD_Custmers instead of Customers",
                "use hom_city instead of city",
                "show orders that are not paid",
                "how many customers instead of orders",
            ]
            .map(|input| format!("{input}\n    {}", said(input)))
            .join("\n")
        );
    }
}
