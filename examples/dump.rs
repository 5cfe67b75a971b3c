//! throwaway
#[tokio::main]
async fn main() {
    let db = std::env::args().nth(1).unwrap();
    let engine = sqlogue::Engine::builder().database(sqlogue::engine::open(&db).unwrap()).build().unwrap();
    let mut state = None;
    for q in std::env::args().skip(2) {
        let a = engine.ask(q.as_str(), state.take()).await.unwrap();
        println!("== {q}\n{:?} {:?} {:?} {:?}\n{}\n{:?}\n{:?} {:?}", a.state.intent, a.state.confidence, a.state.route, a.state.status, a.state.query.clone().unwrap_or_default(), a.path, a.state.message, a.state.refinement_summary);
        println!("{}", a.state.result_table());
        state = Some(a.state);
    }
}
