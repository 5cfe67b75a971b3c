//! What the fuzz targets do with a text, whoever makes the texts.
//!
//! Each returns where everything holds and panics where it does not. They run on a stack of 2 MB, as threads have it.

use std::cell::RefCell;
use std::rc::Rc;

use rusqlite::Connection;
use sqlogue::ambiguity::{self, Ambiguity, AmbiguityKind, Choice, Correction};
use sqlogue::conversation::ConversationState;
use sqlogue::intent::{DialogContext, PastTurn, Vocabulary, classify, is_correction};
use sqlogue::plan::ColumnRef;
use sqlogue::schema::{Column, Schema, Table};
use sqlogue::sql::{self, Dialect, RefusalCode, guard};

/// The tables that statements can speak of.
const TABLES: [(&str, &[&str]); 3] = [
    ("t", &["id", "name", "n"]),
    ("orders", &["id", "customer_id", "total"]),
    ("customers", &["id", "name", "city"]),
];

/// What the guard lets through is one query that only reads, as SQLite itself sees it; what it refuses, it refuses in
/// words that can be shown.
pub fn guard(text: &str) {
    let schema = schema();
    for dialect in Dialect::ALL {
        match guard::check(text, dialect) {
            Err(refusal) => {
                assert!(refusal.reason.chars().count() <= 300);
                assert!(!refusal.reason.contains(char::is_control));
            }
            Ok(checked) => {
                let again = guard::check(checked.sql(), dialect);
                assert_eq!(
                    again.ok().as_ref().map(guard::Checked::sql),
                    Some(checked.sql()),
                    "checked twice"
                );
                sql::resolve(&checked, &schema);
                if let Some(plan) = sql::lift_checked(&checked, &schema) {
                    let rendered = sql::render(&plan, dialect);
                    // BigQuery's own way to write a backtick in a name is not known to the parser.
                    let is_odd = dialect == Dialect::BigQuery && rendered.contains("\\`");
                    if let Err(refusal) = guard::check(&rendered, dialect) {
                        let grew = [RefusalCode::TooLong, RefusalCode::TooComplex].contains(&refusal.code);
                        assert!(grew || is_odd, "{dialect}: {refusal}: {rendered}");
                    }
                }
                if dialect == Dialect::Sqlite {
                    sqlite_agrees(checked.sql());
                }
            }
        }
    }
}

/// SQLite sees one statement as well, and one that only reads.
fn sqlite_agrees(sql: &str) {
    CONNECTION.with_borrow(|connection| match connection.prepare(sql) {
        Ok(statement) => {
            assert!(statement.readonly(), "it writes: {sql}");
            assert!(statement.column_count() > 0, "it is no query: {sql}");
            assert!(connection.is_autocommit(), "it began a transaction: {sql}");
        }
        Err(error) => assert_ne!(error, rusqlite::Error::MultipleStatement, "{sql}"),
    });
}

/// A state that can be loaded can be saved and loaded again, and says the same.
pub fn state(text: &str) {
    if let Ok(state) = ConversationState::from_json(text) {
        let saved = state.to_json().expect("a state can be saved");
        let again = ConversationState::from_json(&saved).expect("what was saved can be loaded");
        assert_eq!(again, state);
        let _ = state.result_table();
        if let Some(query) = &state.query {
            let _ = guard::check(query, Dialect::Sqlite);
        }
    }
}

/// An answer to a question is one of the corrections that can be given, and can be said in words.
pub fn correction(text: &str) {
    for pending in pending() {
        if let Some(taken) = ambiguity::taken(text, &pending) {
            assert!(pending.options().iter().any(|choice| choice.correction == taken));
        }
        if let Some(correction) = ambiguity::answer(text, &pending) {
            let _ = correction.to_string();
        }
        let labels: Vec<String> = pending.options().iter().map(|choice| choice.label.clone()).collect();
        let _ = is_correction(text, &labels);
    }
    if let Ok(correction) = serde_json::from_str::<Correction>(text) {
        let json = serde_json::to_string(&correction).expect("a correction can be written");
        assert_eq!(serde_json::from_str::<Correction>(&json).expect("and read again"), correction);
    }
}

/// Every input has an intent, whatever was said before it.
pub fn intent(text: &str) {
    let context = CONTEXT.with(Rc::clone);
    let _ = classify(text, &context.0);
    let _ = classify(text, &context.1);
    // The text as something that was said, or run, before.
    let past = DialogContext::new([PastTurn::answered(text, text)]);
    let _ = classify("only those with more than 3", &past);
    let _ = classify(text, &past.with_pending([text.to_owned()]));
}

thread_local! {
    static CONNECTION: RefCell<Connection> = RefCell::new(connection());
    static CONTEXT: Rc<(DialogContext, DialogContext)> = Rc::new(contexts());
}

fn connection() -> Connection {
    let connection = Connection::open_in_memory().expect("there is memory");
    for (table, columns) in TABLES {
        connection.execute_batch(&format!("CREATE TABLE {table} ({})", columns.join(", "))).expect("a table");
    }
    connection
}

fn schema() -> Schema {
    let column = |name: &&str| Column { name: (*name).into(), ..Column::default() };
    let table = |(name, columns): (&str, &[&str])| Table {
        name: name.into(),
        columns: columns.iter().map(column).collect(),
        ..Table::default()
    };
    Schema { tables: TABLES.into_iter().map(table).collect() }
}

fn contexts() -> (DialogContext, DialogContext) {
    let past = PastTurn::answered("Show me orders", "SELECT * FROM orders WHERE total > 5 ORDER BY total");
    let known = DialogContext::new([past]).with_vocabulary(Vocabulary::of(&schema()).into());
    (DialogContext::new([]), known.with_pending(["orders".into(), "customers".into()]))
}

fn pending() -> [Ambiguity; 2] {
    let tables = ["orders", "Customers"].map(|table| Choice {
        label: table.into(),
        meaning: String::new(),
        sql: None,
        preview: None,
        correction: Correction::TableSelection { selected_table: table.into(), rejected_tables: vec![] },
    });
    let joins = ["customer_id", "id"].map(|column| Choice {
        label: format!("orders.{column} = customers.id"),
        meaning: String::new(),
        sql: None,
        preview: None,
        correction: Correction::JoinClarification {
            left: ColumnRef::new("orders", column),
            right: ColumnRef::new("customers", "id"),
        },
    });
    let new =
        |kind, options: [Choice; 2]| Ambiguity::new(kind, "Which?", options.into()).expect("two options");
    [new(AmbiguityKind::TableSelection, tables), new(AmbiguityKind::JoinInference, joins)]
}
