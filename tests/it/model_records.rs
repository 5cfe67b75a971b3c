//! What people say of a model's answers: confirmed questions become examples, and the model's record says how far it is believed.

use std::sync::Arc;

use serde_json::json;
use sqlogue::Engine;
use sqlogue::conversation::{ConversationState, Status};
use sqlogue::engine::open;
use sqlogue::lesson::{Filter, LessonMemory, Origin, VolatileLessons};
use sqlogue::model::ModelSettings;
use sqlogue::plan::Confidence;
use sqlogue::reasoner::SecondedReasoner;

use crate::model_phases::Script;
use crate::model_server::{Act, Server};
use crate::support::{File, repeatable};

const SHOP: &str = "
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INTEGER);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id), total REAL, day TEXT);
    INSERT INTO customers VALUES (1, 'Ann', 'Paris', 30), (2, 'Bob', 'Rome', 41), (3, 'Cleo', 'Paris', 52);
    INSERT INTO orders VALUES (1, 1, 10, '2026-05-01'), (2, 1, 30, '2026-05-02'), (3, 2, 5, '2026-06-01'), (4, 3, 8, '2026-06-02');
";

struct Shop {
    engine: Engine,
    memory: Arc<VolatileLessons>,
    _file: File,
}

impl Shop {
    fn new(settings: &ModelSettings) -> Self {
        let (file, memory) = (File::new("shop.sqlite", SHOP), Arc::new(VolatileLessons::default()));
        let engine = repeatable()
            .database(open(file.path().to_str().unwrap()).unwrap())
            .reasoner(Arc::new(SecondedReasoner::from_settings(settings).unwrap()))
            .lessons(Arc::clone(&memory) as Arc<dyn LessonMemory>)
            .build()
            .unwrap();
        Self { engine, memory, _file: file }
    }

    /// Says one thing after the other; the state after the last.
    async fn say(&self, inputs: &[&str]) -> ConversationState {
        let mut state = None;
        for input in inputs {
            state = Some(self.engine.query_database(*input, state).await.unwrap());
        }
        state.unwrap()
    }

    /// What is known of the model: answers judged, and those that agreed.
    fn record(&self) -> Option<(u64, u64)> {
        let lessons = self.memory.lessons();
        let name = self.engine.database().name().to_owned();
        lessons.models(&name).next().map(|record| (record.judged, record.agreed))
    }

    fn lessons(&self) -> Vec<String> {
        self.memory.lessons().list(&Filter::default()).map(ToString::to_string).collect()
    }
}

#[tokio::test]
async fn a_confirmed_question_is_an_example_for_those_like_it() {
    let sql = "SELECT count(*) FROM customers WHERE city = 'Paris'";
    let server = Script::default().sql(&[sql, "SELECT 1"]).serve().await;
    let shop = Shop::new(&server.settings());
    shop.say(&["How many customers are from Paris?", "yes, that's right"]).await;
    assert_eq!(shop.lessons(), [format!("for \"How many customers are from Paris?\": {sql}")]);
    let (lessons, all) = (shop.memory.lessons(), Filter::default());
    let origins: Vec<&Origin> = lessons.list(&all).map(|lesson| &lesson.origin).collect();
    assert!(matches!(origins.as_slice(), [Origin::Confirmation { .. }]), "{origins:?}");

    shop.say(&["How many customers live in Rome?"]).await;
    let prompt = server.received().last().unwrap().message("user");
    let (_, shown) = prompt.split_once("<confirmed>").unwrap();
    assert!(shown.contains(&format!("\"How many customers are from Paris?\" -> {sql}")), "{prompt}");
    shop.say(&["Total of all orders"]).await;
    assert!(!server.received().last().unwrap().message("user").contains("<confirmed>"));

    // The very same question needs nobody any more.
    let hits = server.hits();
    let state = shop.say(&["how many customers are from Paris"]).await;
    assert_eq!((state.query.as_deref(), server.hits()), (Some(sql), hits));
}

#[tokio::test]
async fn a_guess_a_follow_up_and_a_date_that_moves_are_no_examples() {
    let server = Script::default()
        .sql(&["SELECT count(*) FROM orders WHERE day >= '2026-05-01' AND day < '2026-06-01'"])
        .serve()
        .await;
    let shop = Shop::new(&server.settings());
    shop.say(&["How many orders were there last month?"]).await;
    assert!(shop.lessons().is_empty(), "nobody confirmed it");
    shop.say(&["How many orders were there last month?", "yes"]).await;
    assert!(shop.lessons().is_empty(), "it means another month the next time");
    let server = Script::default()
        .sql(&["SELECT count(*) FROM customers"])
        .on("router", &[json!({"decision": "revise_query_inline", "query": "SELECT count(*) FROM customers WHERE city = 'Rome'", "instructions": "", "reasoning": "?"})])
        .serve()
        .await;
    let shop = Shop::new(&server.settings());
    let inputs = ["How many customers are there?", "only those from Rome", "yes"];
    let state = shop.say(&inputs).await;
    assert_eq!(state.turns[1].status, Status::Completed, "{:?}", state.turns[1].error);
    assert!(shop.lessons().is_empty(), "{:?}", shop.lessons());
}

#[tokio::test]
async fn what_people_say_is_right_is_the_models_record() {
    // Both judges have an answer, and not the same: the rules are surer.
    let server = Script::default().sql(&["SELECT count(*) FROM orders"]).serve().await;
    let shop = Shop::new(&server.settings());
    let question = "How many customers are there?";
    let state = shop.say(&[question]).await;
    assert!(state.query.as_deref().unwrap().contains("customers"), "{:?}", state.explanation);
    assert_eq!(shop.record(), None);
    shop.say(&[question, "yes"]).await;
    assert_eq!(shop.record(), Some((1, 0)));
    // Two judges that agree are both right.
    let server = Script::default().sql(&["SELECT count(id) FROM customers"]).serve().await;
    let shop = Shop::new(&server.settings());
    shop.say(&[question, "exactly"]).await;
    assert_eq!(shop.record(), Some((1, 1)));
}

#[tokio::test]
async fn the_reading_that_was_not_taken_is_a_choice() {
    let server = Script::default().sql(&["SELECT count(*) FROM orders"]).serve().await;
    let shop = Shop::new(&server.settings());
    let question = "How many customers are there?";
    let state = shop.say(&[question]).await;
    let others = state.other_readings();
    assert_eq!(others.len(), 1);
    assert_eq!(others[0].sql.as_deref(), Some("SELECT count(*) FROM orders"));
    assert!(others[0].meaning.contains("the model reads it"), "{}", others[0].meaning);
    let hits = server.hits();
    let state = shop.say(&[question, "2"]).await;
    assert_eq!(
        (state.status, state.query.as_deref()),
        (Status::Completed, Some("SELECT count(*) FROM orders"))
    );
    assert_eq!(state.answer_confidence, Some(Confidence::High));
    assert_eq!(server.hits(), hits + 1, "to choose asks nobody");
    // The model was right, and the question is settled.
    assert_eq!(shop.record(), Some((1, 1)));
    assert_eq!(shop.lessons().len(), 1);
}

#[tokio::test]
async fn a_model_that_was_often_wrong_is_believed_less() {
    let server = Script::default().sql(&["SELECT name FROM customers WHERE age > 40"]).serve().await;
    let shop = Shop::new(&server.settings());
    let name = shop.engine.database().name().to_owned();
    let judged = |agreed| sqlogue::lesson::LessonChange::Judged {
        database: name.clone(),
        model: "test".to_owned(),
        agreed,
    };
    let question = "Who is a frobnicator of the older kind?";
    let before = shop.say(&[question]).await;
    shop.memory.record(None, &vec![judged(false); 40]).unwrap();
    let after = shop.say(&[question]).await;
    assert_eq!(before.answer_confidence, Some(Confidence::Medium), "{:?}", before.explanation);
    assert_eq!(after.answer_confidence, Some(Confidence::Low), "{:?}", after.explanation);
}

/// A server that gives these statements in turn, whatever is asked.
async fn in_turn(statements: &'static [&'static str]) -> Server {
    Server::start(move |_, number| {
        Act::Say(json!({"sql": statements[number.min(statements.len() - 1)], "reasoning": "?"}).to_string())
    })
    .await
}

#[tokio::test]
async fn samples_are_taken_where_the_judges_differ_and_the_majority_by_rows_stands() {
    const ODD: &str = "SELECT name FROM customers WHERE age > 50";
    const FIRST: &str = "SELECT name FROM customers WHERE age > 40";
    const SAME: &str = "SELECT c.name FROM customers AS c WHERE c.age >= 41";
    let question = "Names of customers with an age of 30";
    for (samples, calls, taken) in [(1, 1, ODD), (3, 3, FIRST)] {
        let server = in_turn(&[ODD, FIRST, SAME]).await;
        let settings = ModelSettings { samples, concurrency: 1, ..server.settings() };
        let shop = Shop::new(&settings);
        let state = shop.say(&[question]).await;
        assert_eq!(server.hits(), calls, "{:?}", state.explanation);
        let choices =
            state.readings.as_ref().map(|readings| readings.choices.options().to_vec()).unwrap_or_default();
        let written: Vec<_> = choices.iter().filter_map(|choice| choice.sql.as_deref()).collect();
        assert!(written.contains(&taken), "{samples}: {written:?} {:?}", state.explanation);
        let asked: Vec<f64> = server
            .received()
            .iter()
            .map(|received| received.body["temperature"].as_f64().unwrap_or(0.0))
            .collect();
        assert!(asked[0] < 0.1 && asked[1..].iter().all(|one| *one > 0.6), "{asked:?}");
    }
    // Where both come to the same, nobody is asked again.
    let server = in_turn(&["SELECT name FROM customers WHERE age = 30"]).await;
    let shop = Shop::new(&ModelSettings { samples: 5, ..server.settings() });
    let state = shop.say(&[question]).await;
    assert_eq!((server.hits(), state.answer_confidence), (1, Some(Confidence::High)));
}

#[tokio::test]
async fn samples_keep_to_the_cap_of_a_turn() {
    let server = in_turn(&["SELECT count(*) FROM orders"]).await;
    let settings = ModelSettings { samples: 9, max_calls: 2, ..server.settings() };
    let state = Shop::new(&settings).say(&["How many customers are there?"]).await;
    assert_eq!((state.status, server.hits()), (Status::Completed, 3), "{:?}", state.error);
    assert_eq!(state.usage.llm_calls, 3);
}
