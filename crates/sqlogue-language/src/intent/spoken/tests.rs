//! What is a command, and what is a question that only sounds like one.

use super::*;
use sqlogue_sql::schema::{Column, Table as SchemaTable};

fn schema(tables: &[(&str, &[&str])]) -> Schema {
    let table = |(name, columns): &(&str, &[&str])| SchemaTable {
        name: (*name).to_owned(),
        columns: columns
            .iter()
            .map(|name| Column { name: (*name).to_owned(), ..Column::default() })
            .collect(),
        ..SchemaTable::default()
    };
    Schema { tables: tables.iter().map(table).collect() }
}

fn shop() -> Schema {
    schema(&[
        ("customers", &["id", "name", "city"]),
        ("orders", &["id", "total"]),
        ("order_items", &["order_id", "quantity"]),
        ("products", &["id", "name", "discount"]),
    ])
}

#[track_caller]
fn are(schema: &Schema, command: Option<Spoken>, inputs: &[&str]) {
    for input in inputs {
        assert_eq!(spoken(input, Some(schema)), command, "{input}");
        if command.is_some() {
            assert!(spoken(input, None).is_some(), "not even without a schema: {input}");
        }
    }
}

#[test]
fn plain_words_are_commands() {
    let shop = shop();
    let are = |command, inputs: &[&str]| are(&shop, Some(command), inputs);
    are(
        Spoken::Undo,
        &[
            "undo",
            "Undo that!",
            "go back",
            "please undo that",
            "ok, go back one step",
            "can you take that back?",
            "Revert the last step.",
            "no, undo the last change please",
            "oops, scratch that",
            "udno that",
        ],
    );
    are(Spoken::Redo, &["redo", "Redo that.", "bring it back", "please redo the last step", "undo the undo"]);
    are(
        Spoken::StartOver,
        &["start over", "let's start over", "OK start again please", "start from scratch", "begin anew"],
    );
    are(
        Spoken::Clear,
        &[
            "forget everything",
            "clear the conversation",
            "reset this chat",
            "new conversation",
            "forget all that",
        ],
    );
}

#[test]
fn plain_words_ask_about_what_was_said() {
    let shop = shop();
    let are = |command, inputs: &[&str]| are(&shop, Some(command), inputs);
    are(
        Spoken::Sql,
        &[
            "show the SQL",
            "show me the query",
            "can you show me the SQL?",
            "What's the SQL behind that?",
            "which query did you run?",
            "sql please",
        ],
    );
    are(
        Spoken::Why,
        &["why?", "but why?", "How did you get that?", "explain that", "how did you understand my question?"],
    );
    are(
        Spoken::Tables,
        &[
            "what tables are there?",
            "list the tables",
            "Show me all tables, please",
            "which tables do you have?",
            "What tables are in this database?",
            "what's in the database?",
            "What is in here?",
            "show me what tables there are",
            "what columns are there?",
            "how many rows in each table?",
            "how many rows does each table have?",
            "number of records per table",
            "row counts of all tables",
        ],
    );
    are(
        Spoken::Help,
        &["help", "Help me!", "what can I ask?", "what can you do?", "how does this work?", "I need help"],
    );
    are(
        Spoken::Wrong,
        &[
            "that's wrong",
            "no, that's not what I meant",
            "No",
            "that isn’t right",
            "not what I meant",
            "I meant something else",
            "you misunderstood me",
        ],
    );
    are(Spoken::Quit, &["quit", "bye", "Goodbye!", "ok bye", "I'm done, thanks"]);
    are(
        Spoken::History,
        &["what did I ask so far?", "show the history", "show history", "show me what I asked"],
    );
}

#[test]
fn commands_take_files_and_tables() {
    let shop = shop();
    let file = |name: &str| Some(Spoken::Export(Some(name.to_owned())));
    are(
        &shop,
        file("sales.xlsx"),
        &[
            "export that to sales.xlsx",
            "Export this to sales.xlsx.",
            "please save the result as sales.xlsx",
            "can you write the rows into a file called 'sales.xlsx'?",
            "download it as \"sales.xlsx\" please",
            "export to sales.xlsx",
        ],
    );
    are(&shop, file("out/Orders 1.csv"), &["save this as 'out/Orders 1.csv'"]);
    are(&shop, file("orders.csv"), &["save this as orders.csv", "save that in orders.csv please"]);
    are(
        &shop,
        Some(Spoken::Export(None)),
        &["export that", "save this to a file", "export it to excel", "save the result as csv", "export"],
    );
    let table = |name: &str| Some(Spoken::Describe(name.to_owned()));
    are(
        &shop,
        table("customers"),
        &[
            "describe customers",
            "Describe the customers table",
            "what columns does customers have?",
            "which columns are in the customer table?",
            "show me the columns of customers",
            "what's in the customers table?",
        ],
    );
    are(
        &shop,
        table("order_items"),
        &[
            "describe order items",
            "what columns do order items have?",
            "columns of order_items",
            "show the structure of order_items",
            "what fields does the Order Items table have",
        ],
    );
    are(&shop, table("custmers"), &["what columns does custmers have?", "describe the table custmers"]);
}

#[test]
fn questions_about_data_stay_questions() {
    are(
        &shop(),
        None,
        &[
            "",
            "?",
            "undo the discount",
            "undo the discounts of last year",
            "describe the best customers",
            "describe customers from Rome",
            "show the tables with the most orders",
            "list the tables and chairs",
            "what tables did customer 5 order?",
            "what tables are there in Berlin?",
            "why do customers return products?",
            "why is revenue so low in March?",
            "export revenue by month",
            "which exports are late",
            "export orders.total",
            "save the most",
            "show the query with the most rows",
            "help requests per month",
            "what can I sell?",
            "who said bye?",
            "go back to customers from Rome",
            "go back one year",
            "start with customers",
            "no, only the ones from Berlin",
            "no thanks",
            "that's right",
            "yes, that is correct",
            "not only Rome",
            "thanks",
            "that's all, thanks",
            "what columns does it have",
            "which products are wrong?",
            "quit customers",
            &"undo ".repeat(40),
        ],
    );
}

#[test]
fn a_name_of_the_schema_wins() {
    let restaurant =
        schema(&[("tables", &["id", "seats"]), ("exports", &["id"]), ("undo", &["id"]), ("help", &["id"])]);
    are(
        &restaurant,
        None,
        &["list the tables", "what tables are there?", "show all tables", "tables", "undo", "help", "export"],
    );
    // Nobody can mean the rows of the table by these.
    are(
        &restaurant,
        Some(Spoken::Tables),
        &["what tables are in this database?", "list the tables of the database"],
    );
    are(&restaurant, Some(Spoken::Undo), &["undo that", "go back", "please undo the last step"]);
    are(&restaurant, Some(Spoken::Help), &["what can I ask?"]);
    are(&restaurant, Some(Spoken::Export(Some("a.csv".to_owned()))), &["export that to a.csv"]);
    let log = schema(&[("log", &["query", "columns"])]);
    are(&log, None, &["show me the query", "what columns does log have?"]);
    are(&log, Some(Spoken::Sql), &["show me the SQL", "show me the query behind that"]);
    are(&log, Some(Spoken::Describe("log".to_owned())), &["describe log", "structure of the log table"]);
}

#[test]
fn every_line_of_the_table_is_read() {
    assert!(!TABLE.lines.is_empty() && !TABLE.leads.is_empty() && !TABLE.tails.is_empty());
    for line in &TABLE.lines {
        let found = Some(String::new());
        assert!(command(&line.kind, found).is_some(), "{}", line.kind);
        for pattern in &line.patterns {
            assert!(!pattern.parts.is_empty(), "{line:?}");
            for part in &pattern.parts {
                if let Part::Words { any, .. } = part {
                    let odd = |word: &String| word.contains(['<', '>', '{', '}', '\'', '?']);
                    assert!(any.iter().all(|words| !words.is_empty() && !words.iter().any(odd)), "{part:?}");
                }
            }
        }
    }
}
