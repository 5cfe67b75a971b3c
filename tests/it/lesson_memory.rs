//! Lessons at work: what was asked about once is not asked about again.

use std::sync::Arc;

use sqlogue::Engine;
use sqlogue::ambiguity::Correction;
use sqlogue::conversation::{ConversationState, Route, Status};
use sqlogue::engine::open;
use sqlogue::lesson::{Filter, LessonFiles, LessonMemory, Teaching, VolatileLessons};

use crate::support::File;

const CUSTOMERS: &str = "
    CREATE TABLE Customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    CREATE TABLE PROD_Customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    CREATE TABLE Customers_Archive (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    INSERT INTO Customers VALUES (1, 'Ada', 'Rome');
    INSERT INTO PROD_Customers VALUES (1, 'Ada', 'Rome'), (2, 'Bob', 'Oslo');
    INSERT INTO Customers_Archive VALUES (1, 'Cyd', 'Bonn'), (2, 'Dan', 'Bonn'), (3, 'Eve', 'Rome');
";

const QUESTION: &str = "How many customers are there?";

fn engine(file: &File, memory: Arc<dyn LessonMemory>) -> Engine {
    Engine::builder().database(open(file.path().to_str().unwrap()).unwrap()).lessons(memory).build().unwrap()
}

fn count(state: &ConversationState) -> String {
    let result = state.result.as_ref().unwrap_or_else(|| panic!("{:?}", state.error));
    format!("{} {}", result.rows[0][0], state.query.as_deref().unwrap())
}

#[tokio::test]
async fn what_was_settled_is_not_asked_again() {
    let file = File::new("customers.sqlite", CUSTOMERS);
    let folder = tempfile::TempDir::new().unwrap();
    let memory = || Arc::new(LessonFiles::new(folder.path()));

    // The first conversation asks, shows what the choices are, and learns from the answer.
    let engine_one = engine(&file, memory());
    let asked = engine_one.query_database(QUESTION, None).await.unwrap();
    assert_eq!(asked.status, Status::AwaitingCorrection, "{:?}", asked.query);
    let options = asked.pending.as_ref().unwrap().options();
    let labels: Vec<&str> = options.iter().map(|option| option.label.as_str()).collect();
    assert_eq!(labels, ["Customers", "PROD_Customers", "Customers_Archive"]);
    let rows: Vec<usize> = options.iter().map(|option| option.preview.as_ref().unwrap().rows.len()).collect();
    assert_eq!(rows, [1, 2, 3]);
    let saved = asked.to_json().unwrap();
    let answered = ConversationState::from_json(&saved).unwrap();
    let answered = engine_one.query_database("use table PROD_Customers", Some(answered)).await.unwrap();
    assert_eq!(count(&answered), "2 SELECT count(*) FROM PROD_Customers");
    assert_eq!(answered.route, Some(Route::Correction));

    // The next one, in another program, answers at once, and says why.
    let engine_two = engine(&file, memory());
    let known = engine_two.query_database(QUESTION, None).await.unwrap();
    assert_eq!(count(&known), "2 SELECT count(*) FROM PROD_Customers");
    assert!(known.explanation.iter().any(|reason| reason.contains("lesson")), "{:?}", known.explanation);
    let before = memory().lessons().list(&Filter::default()).next().unwrap().confidence;

    // A word that speaks for another table is heard.
    let archived = engine_two.query_database("How many archived customers are there?", None).await.unwrap();
    assert!(archived.query.as_deref().is_none_or(|query| !query.contains("PROD")), "{:?}", archived.query);

    // The newest correction wins, and the older lesson loses trust.
    let correction = "use Customers_Archive instead of PROD_Customers";
    let corrected = engine_two.query_database(correction, Some(known)).await.unwrap();
    assert_eq!(count(&corrected), "3 SELECT count(*) FROM Customers_Archive");
    let lessons = memory().lessons();
    let filter = Filter { retired: true, ..Filter::default() };
    let old = lessons.list(&filter).find(|lesson| is_for(&lesson.teaching, "PROD_Customers")).unwrap();
    assert!(old.confidence < before, "{} after {before}", old.confidence);
    let engine_three = engine(&file, memory());
    let newest = engine_three.query_database(QUESTION, None).await.unwrap();
    assert_eq!(count(&newest), "3 SELECT count(*) FROM Customers_Archive");
}

fn is_for(teaching: &Teaching, table: &str) -> bool {
    matches!(teaching, Teaching::TableMapping { actual_name, .. } if actual_name == table)
}

#[tokio::test]
async fn memory_can_be_switched_off() {
    let file = File::new("customers.sqlite", CUSTOMERS);
    let memory: Arc<dyn LessonMemory> = Arc::new(VolatileLessons::default());
    let with = engine(&file, Arc::clone(&memory));
    let asked = with.query_database(QUESTION, None).await.unwrap();
    with.query_database("2", Some(asked)).await.unwrap();
    assert_eq!(memory.lessons().len(), 1);
    let settings = sqlogue::config::Settings { apply_memory: false, ..Default::default() };
    let without = Engine::builder().settings(settings).database(open(file.path().to_str().unwrap()).unwrap());
    let without = without.lessons(Arc::clone(&memory)).build().unwrap();
    let asked = without.query_database(QUESTION, None).await.unwrap();
    assert_eq!(asked.status, Status::AwaitingCorrection);
}

#[tokio::test]
async fn a_structured_correction_is_one_too() {
    let file = File::new("customers.sqlite", CUSTOMERS);
    let memory: Arc<dyn LessonMemory> = Arc::new(VolatileLessons::default());
    let engine = engine(&file, Arc::clone(&memory));
    let asked = engine.query_database(QUESTION, None).await.unwrap();
    let correction = Correction::TableSelection {
        selected_table: "Customers".to_owned(),
        rejected_tables: vec!["PROD_Customers".to_owned(), "Customers_Archive".to_owned()],
    };
    let state = engine.continue_with_correction(correction, asked).await.unwrap();
    assert_eq!(count(&state), "1 SELECT count(*) FROM Customers");
    let again = engine.query_database(QUESTION, None).await.unwrap();
    assert_eq!(count(&again), "1 SELECT count(*) FROM Customers");
    // The lesson helped: it is trusted more.
    let lesson = memory.lessons().list(&Filter::default()).next().unwrap().clone();
    assert_eq!((lesson.usage_count, lesson.success_rate), (1, 1.0));
}

#[tokio::test]
async fn an_answer_that_nobody_confirmed_teaches_nothing() {
    let memory: Arc<dyn LessonMemory> = Arc::new(VolatileLessons::default());
    let engine = Engine::builder().lessons(Arc::clone(&memory)).build().unwrap();
    let first = engine.query_database(QUESTION, None).await.unwrap();
    engine.query_database("Only from Germany", Some(first)).await.unwrap();
    assert!(memory.lessons().is_empty());
}

#[tokio::test]
async fn a_column_and_a_value_can_be_corrected() {
    let memory: Arc<dyn LessonMemory> = Arc::new(VolatileLessons::default());
    let engine = Engine::builder().lessons(memory).build().unwrap();
    let first = engine.query_database("How many customers are from Germany?", None).await.unwrap();
    let query = first.query.clone().unwrap();
    let second = engine.query_database("use France instead of Germany", Some(first)).await.unwrap();
    assert_eq!(second.query.unwrap(), query.replace("Germany", "France"));
    let mut before = again(&engine).await;
    before.query = None;
    let wrong = engine.query_database("use contry instead of country", Some(before)).await.unwrap();
    assert_eq!(wrong.status, Status::Failed);
    assert!(wrong.error.unwrap().message.contains("Did you mean `country`?"));
}

async fn again(engine: &Engine) -> ConversationState {
    engine.query_database("How many customers are from Germany?", None).await.unwrap()
}
