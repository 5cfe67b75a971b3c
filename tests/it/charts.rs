//! Charts of real answers, in the library and through the command line.

use serde_json::Value;
use sqlogue::chart::{Chart, Kind, Theme};
use sqlogue::engine::Engine;

use crate::cli_kit::{ECOMMERCE, call};
use crate::support::{File, with_snapshots};

/// Questions about the sample whose picture nobody would argue about.
const OBVIOUS: &[(&str, Kind, &str)] = &[
    ("How many customers are there?", Kind::Number, "Number of customers"),
    ("average price of products", Kind::Number, "Average price"),
    ("orders per status", Kind::Bars, "Orders by status"),
    ("orders per weekday", Kind::Bars, "Orders by weekday"),
    ("reviews per rating", Kind::Bars, "Reviews by rating"),
    ("average price by category", Kind::Bars, "Average price by category"),
    ("top 5 products by revenue", Kind::Bars, "Total by product"),
    ("employees and their salary", Kind::Bars, "Salary by employee"),
    ("share of orders by status", Kind::Bars, "Orders by status"),
    ("revenue by month", Kind::Lines, "Total by month"),
    ("revenue by quarter", Kind::Lines, "Total by quarter"),
    ("revenue by year", Kind::Lines, "Total by year"),
    ("number of orders per day", Kind::Lines, "Orders by day"),
    ("revenue by month and category", Kind::Lines, "Total by month and category"),
    ("number of orders by month and status", Kind::Lines, "Orders by month and status"),
    ("average days between order and shipping by month", Kind::Lines, "Average days by month"),
    ("number of customers by country and year joined", Kind::GroupedBars, "Customers by country and year"),
    ("revenue by category and quarter in 2025", Kind::GroupedBars, "Total by category and quarter"),
    ("orders per country: 2024, 2025, 2026", Kind::GroupedBars, "Orders by country"),
    ("price range by category", Kind::GroupedBars, "Price by category"),
    ("customers by country and segment", Kind::StackedBars, "Customers by country and segment"),
    ("price and stock of each product", Kind::Points, "Price against stock"),
    ("salary and hire date of employees", Kind::Points, "Salary against hire date"),
    ("list the names of customers", Kind::Table, ""),
    ("name, email and city of customers", Kind::Table, ""),
    ("customers from Mars", Kind::Table, ""),
];

async fn charted(engine: &Engine, question: &str) -> Option<Chart> {
    let answer = engine.turn(question, None, Default::default()).await.unwrap();
    let sqlogue::engine::Turned::Done(answer) = answer else { panic!("{question} waits") };
    Chart::of_answer(&answer.state, answer.rows.as_deref())
}

#[tokio::test]
async fn the_obvious_picture_is_chosen() {
    let engine = Engine::builder().build().unwrap();
    let mut wrong = Vec::new();
    for (question, kind, title) in OBVIOUS {
        let chart = charted(&engine, question).await.expect(question);
        if (chart.kind(), chart.title()) != (*kind, title) {
            wrong.push(format!("{question}: {:?} `{}`: {}", chart.kind(), chart.title(), chart.reason()));
        }
        let reason = chart.reason();
        assert!(reason.ends_with('.') && reason.matches(". ").count() == 0, "one sentence: {reason}");
        assert_eq!(chart.to_vega_lite().is_some(), chart.is_picture());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What Vega-Lite is told about an answer: names in their order, times as times, every row once.
#[tokio::test]
async fn vega_lite_says_it_all() {
    let engine = Engine::builder().build().unwrap();
    let spec = charted(&engine, "revenue by month and category").await.unwrap().to_vega_lite().unwrap();
    let values = spec["data"]["values"].as_array().unwrap();
    assert_eq!(values.len(), 175);
    assert_eq!(values[0]["at"], "2024-01-01T00:00:00Z");
    assert_eq!(values[0]["name"], "2024-01");
    assert_eq!(spec["encoding"]["x"]["type"], "temporal");
    assert_eq!(spec["encoding"]["color"]["title"], "category");
    assert_eq!(spec["$schema"], "https://vega.github.io/schema/vega-lite/v6.json");
    let spec = charted(&engine, "orders per status").await.unwrap().to_vega_lite().unwrap();
    let order: Vec<&str> =
        spec["encoding"]["y"]["sort"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(order, ["delivered", "cancelled", "returned", "shipped", "pending"]);
}

#[tokio::test]
async fn pictures_stay_what_they_are() {
    let engine = Engine::builder().build().unwrap();
    let mut drawn = String::new();
    for question in ["orders per status", "revenue by quarter", "customers by country and segment"] {
        drawn +=
            &format!("{question}\n\n{}\n", charted(&engine, question).await.unwrap().to_terminal(72, false));
    }
    let svg = charted(&engine, "orders per status").await.unwrap().to_svg(Theme::Light, 480, 240);
    with_snapshots(|| {
        insta::assert_snapshot!("charts_terminal", drawn);
        insta::assert_snapshot!("charts_svg", svg);
    });
}

#[test]
fn ask_draws() {
    let file = File::new("shop.db", ECOMMERCE);
    let ask = |extra: &[&str]| {
        let arguments = [&["--db", "shop.db", "ask", "number of products per category"], extra].concat();
        call(file.folder(), &arguments, "")
    };
    let shown = ask(&["--chart"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""), "{shown:?}");
    assert!(
        shown.stdout.contains("Products by category\n") && shown.stdout.contains("home ███"),
        "{shown:?}"
    );
    let svg = ask(&["--format", "svg"]);
    assert!(svg.code == 0 && svg.stdout.starts_with("<svg ") && svg.stdout.ends_with("</svg>\n"), "{svg:?}");
    let spec: Value = serde_json::from_str(&ask(&["--format", "vega-lite"]).stdout).unwrap();
    assert_eq!(spec["data"]["values"][0]["name"], "home");
    ask(&["--chart", "--format", "csv"]).fails(2, "`--chart` draws below a table");
    let nothing =
        call(file.folder(), &["--db", "shop.db", "ask", "Show me all users", "--format", "svg"], "");
    nothing.fails(2, "there is no picture of this answer: ");
}

#[test]
fn the_chat_draws() {
    let file = File::new("shop.db", ECOMMERCE);
    let said = |lines: &str| {
        let outcome = call(file.folder(), &["--db", "shop.db", "chat"], lines);
        outcome.is_sound();
        outcome.stdout
    };
    let asked = "number of products per category\n";
    let drawn = said(&format!("{asked}/chart\n"));
    assert!(drawn.contains("Products by category\n"), "{drawn}");
    for (words, command) in [
        ("plot that", "/chart"),
        ("draw a bar chart of this", "/chart bars"),
        ("as a bar chart please", "/chart bars"),
        ("can you visualize it?", "/chart"),
    ] {
        let shown = said(&format!("{asked}{words}\n"));
        assert!(shown.contains(&format!("({command})\nProducts by category\n")), "{words}: {shown}");
    }
    assert!(said("/chart\n").contains("There is no result to draw"));
    let saved = said(&format!("{asked}/chart picture.svg\n/chart spec.json\n/chart picture.bmp\n"));
    assert!(saved.contains("It is drawn in picture.svg.") && saved.contains("end it with .svg"), "{saved}");
    let read = |name: &str| std::fs::read_to_string(file.folder().join(name)).unwrap();
    assert!(read("picture.svg").starts_with("<svg "));
    assert!(serde_json::from_str::<Value>(&read("spec.json")).unwrap()["mark"].is_object());
    let plots = File::new(
        "shop.db",
        "CREATE TABLE plots (id INTEGER PRIMARY KEY, area INTEGER); INSERT INTO plots VALUES (1, 40);",
    );
    let asked = call(plots.folder(), &["--db", "shop.db", "chat"], "show the plots\n").stdout;
    assert!(asked.contains("FROM plots"), "a table of that name is asked about: {asked}");
}
