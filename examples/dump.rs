//! throwaway
fn main() {
    let engine = sqlogue::Engine::builder().build().unwrap();
    std::fs::write("/tmp/g.svg", engine.graph().picture().svg()).unwrap();
    std::fs::write("/tmp/g.dot", engine.graph().picture().dot()).unwrap();
    std::fs::write("/tmp/g.mmd", engine.graph().picture().mermaid()).unwrap();
}
