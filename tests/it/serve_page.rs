//! The page in a real browser, from the first question to a query that is cancelled. Skipped where there is no browser.
//!
//! `SQLOGUE_SCREENSHOTS=FOLDER` keeps pictures of it, wide and narrow, light and dark; `SQLOGUE_AXE=FILE` (axe.min.js of the
//! package axe-core) has it checked for what keeps people out.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sqlogue::database::Limits;
use sqlogue::engine::Engine;
use sqlogue::lesson::VolatileLessons;
use sqlogue_server::Options;

use crate::browser::Browser;
use crate::serve_kit::{Running, start_with};
use crate::support::File;

pub(crate) const HARBOUR: &str = "
    CREATE TABLE shipment (id INTEGER PRIMARY KEY, name TEXT, port TEXT, net_weight REAL, gross_weight REAL);
    INSERT INTO shipment VALUES (1, 'Ada', 'Oslo', 1, 2), (2, 'Bea', 'Rome', 3, 9), (3, 'Cleo', 'Oslo', 9, 4.5),
        (4, '<b>Dora</b>', 'Rome', 4, 7);
    CREATE TABLE measurement (id INTEGER PRIMARY KEY, place TEXT, level REAL);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO measurement SELECT i, 'place ' || (i % 7), (i * 37 % 1000) / 10.0 FROM n;
    CREATE VIEW wave AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000000000)
        SELECT i AS wave_id FROM n;
";

const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const UP: &str = "\u{e013}";

/// The page of one server.
pub(crate) struct Page {
    pub(crate) browser: Browser,
    pub(crate) server: Running,
}

impl Page {
    pub(crate) async fn texts(&self, selector: &str) -> Vec<String> {
        let script = format!(
            "return [...document.querySelectorAll({})].map((one) => one.innerText.trim())",
            json!(selector)
        );
        serde_json::from_value(self.browser.run(&script).await).unwrap()
    }

    /// Asks by the keyboard alone, and waits for so many questions to stand in the thread.
    pub(crate) async fn ask(&self, question: &str, standing: usize) -> String {
        self.browser.until("return document.activeElement.id === 'question'").await;
        self.browser.keys(&format!("{question}{ENTER}")).await;
        self.settled(standing).await
    }

    /// Waits until so many turns stand and none runs; what the last one answers.
    pub(crate) async fn settled(&self, standing: usize) -> String {
        let script = format!(
            "return document.getElementById('cancel').hidden && document.querySelectorAll('article').length === {standing} \
             && !document.querySelector('.drawing.live') && [...document.querySelectorAll('.answer')].at(-1)?.innerText.trim()"
        );
        self.browser.until(&script).await.as_str().unwrap().to_owned()
    }

    pub(crate) async fn has_status(&self, text: &str) {
        self.browser
            .until(&format!("return document.getElementById('status').textContent.includes({})", json!(text)))
            .await;
    }

    /// Pictures of the page as it stands, and what keeps people out, where somebody wants to know.
    pub(crate) async fn look(&self, name: &str) {
        let (pictures, axe) = (std::env::var("SQLOGUE_SCREENSHOTS"), std::env::var("SQLOGUE_AXE"));
        if pictures.is_err() && axe.is_err() {
            return;
        }
        for (width, height) in [(1280, 900), (360, 740)] {
            for light in ["light", "dark"] {
                self.browser.look(width, height, light).await;
                tokio::time::sleep(Duration::from_millis(700)).await;
                if let Ok(folder) = &pictures {
                    let file = Path::new(folder).join(format!("{name}-{width}-{light}.png"));
                    std::fs::write(file, self.browser.picture().await).unwrap();
                }
                if let Ok(axe) = &axe {
                    let found = self.faults(axe).await;
                    assert_eq!(found, json!([]), "{name}, {width} px, {light}");
                }
            }
        }
        self.browser.look(1280, 900, "light").await;
    }

    async fn faults(&self, axe: &str) -> Value {
        self.browser.run(&std::fs::read_to_string(axe).unwrap()).await;
        let script = "return axe.run().then(({ violations }) => violations.filter(({ impact }) => ['serious', 'critical'] \
                      .includes(impact)).map(({ id, nodes }) => [id, nodes[0].html]))";
        self.browser.run(script).await
    }
}

pub(crate) async fn page(test: &str, file: &File) -> Option<Page> {
    let browser = Browser::start(test).await?;
    let lessons = Arc::new(VolatileLessons::new([]));
    // Somebody has to be quicker than the query that never ends.
    let limits = Limits { deadline: Duration::from_secs(600), ..Limits::default() };
    let engine = Engine::builder().database(file.path().to_str().unwrap()).lessons(lessons).limits(limits);
    let engine = engine.build().unwrap();
    let server = start_with(Options::default(), engine, None).await;
    browser.look(1280, 900, "light").await;
    browser.go(&format!("http://{}/", server.address)).await;
    browser.until("return document.querySelector('.examples button')").await;
    Some(Page { browser, server })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_in_a_browser() {
    let file = File::new("harbour.sqlite", HARBOUR);
    let Some(page) = page("a_conversation_in_a_browser", &file).await else { return };
    page.look("welcome").await;
    // Looking leaves nothing behind.
    let kept = page.server.get("/api/v1/conversations").await.json();
    assert_eq!(kept["conversations"], json!([]));

    // A question, a reading that is chosen, a follow-up.
    assert!(page.ask("heaviest shipment", 1).await.contains("Cleo"));
    page.browser.press("shipment.gross_weight").await;
    assert!(page.settled(2).await.contains("Bea"));
    // It is said in its words, and kept where somebody says that it is right.
    assert_eq!(page.texts("article h2").await, ["heaviest shipment", "shipment.gross_weight"]);
    page.browser.press("That is right").await;
    page.settled(3).await;
    assert_eq!(page.texts("article:last-child h2").await, ["Yes, that is right"]);
    page.browser.until("return document.querySelector('#lessons li')").await;
    assert_eq!(page.ask("How many shipments are there?", 4).await, "There are 4 shipments.");
    let from_oslo = page.ask("only from Oslo", 5).await;
    assert!(from_oslo.starts_with("2 of 4 shipments"), "{from_oslo}");

    // A chart, rows in another order, files.
    page.ask("average level of measurements per place", 6).await;
    page.browser.until("return document.querySelector('img.chart')?.naturalWidth > 200").await;
    let summary = page.texts(".picture p").await.remove(0);
    assert_eq!(summary, "Highest: place 2, 50.06. Lowest: place 6, 49.81.");
    page.look("chart").await;
    page.browser.press("average_level").await;
    page.has_status("Sorted by").await;
    let levels = page.texts("article:last-of-type .grid tbody td:nth-child(2)").await;
    assert!(levels.len() == 7 && levels.is_sorted(), "{levels:?}");
    let downloads = tempfile::tempdir().unwrap();
    let place = json!({ "behavior": "allow", "downloadPath": downloads.path() });
    page.browser.tool("Page.setDownloadBehavior", &place).await;
    page.browser.press("Download all rows as CSV").await;
    let csv = downloads.path().join("rows.csv");
    for _ in 0..400 {
        if csv.exists() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert_eq!(std::fs::read_to_string(csv).unwrap().lines().count(), 8);

    // SQL of one's own, with its picture; what is refused says why.
    page.browser.press("SQL").await;
    page.browser.press("Edit and run").await;
    let write =
        |sql: &str| format!("document.querySelector('.sql-edit').value = {}; return true", json!(sql));
    page.browser.run(&write("SELECT port, count(*) AS number FROM shipment GROUP BY port")).await;
    page.browser.press("Run").await;
    page.browser.until("return document.querySelector('.panel img.chart')").await;
    page.look("sql").await;
    page.browser.run(&write("DROP TABLE shipment")).await;
    page.browser.press("Run").await;
    page.browser.until("return document.querySelector('.panel .answer.failed')").await;
    page.browser.run("document.getElementById('question').focus()").await;

    way_back(&page).await;
    errors_and_much(&page).await;
}

/// Undo, redo, a branch, a reload, a link to read.
async fn way_back(page: &Page) {
    page.browser.press("Undo").await;
    page.settled(5).await;
    page.browser.press("Redo").await;
    page.settled(6).await;
    // A branch is made by its first question, and by no look at where it might begin.
    let kept = async || page.server.get("/api/v1/conversations").await.json()["conversations"].take();
    let before = page.browser.run("return location.hash").await;
    page.browser.press("Branch from here").await;
    page.has_status("begins a branch").await;
    page.browser.reload().await;
    page.settled(6).await;
    page.has_status("begins a branch").await;
    assert_eq!(kept().await.as_array().unwrap().len(), 1);
    page.ask("only place 3", 7).await;
    let branch = page.browser.run("return location.hash").await;
    assert!(before != branch && !branch.as_str().unwrap().contains("from"), "{before} {branch}");
    assert_eq!(kept().await.as_array().unwrap().len(), 2);
    page.browser.reload().await;
    page.settled(7).await;
    assert_eq!(page.browser.run("return location.hash").await, branch);
    page.browser.press("Share").await;
    let link =
        page.browser.until("return document.querySelector('input[aria-label=\"The link\"]')?.value").await;
    let address = page.browser.run("return location.href").await;
    page.browser.go(link.as_str().unwrap()).await;
    page.browser.reload().await;
    page.browser.until("return document.querySelector('.read-only .banner')").await;
    assert_eq!(page.texts("article h2").await.len(), 7);
    assert_eq!(page.browser.run("return document.getElementById('question').checkVisibility()").await, false);
    page.look("shared").await;
    page.browser.go(address.as_str().unwrap()).await;
    page.browser.reload().await;
    page.settled(7).await;
}

/// What goes wrong, what takes long, and what is large.
async fn errors_and_much(page: &Page) {
    assert!(!page.ask("xyzzy plugh", 8).await.is_empty());
    assert_eq!(page.texts("article:last-child .answer.failed").await.len(), 1);
    page.browser.press("New").await;
    page.browser.until("return document.querySelector('.welcome')").await;
    page.browser.keys(&format!("How many waves are there?{ENTER}")).await;
    page.browser.until("return document.querySelector('.drawing.live rect.at-work')").await;
    // Who loads the page anew finds the question still at work.
    page.browser.reload().await;
    page.has_status("Still working").await;
    assert_eq!(page.texts("article h2").await, ["How many waves are there?"]);
    page.browser.press("Cancel").await;
    page.browser.until("return document.querySelector('.welcome')").await;
    page.browser.keys(&format!("How many waves are there?{ENTER}")).await;
    page.browser.until("return document.querySelector('.drawing.live rect.at-work')").await;
    page.browser.keys(ESCAPE).await;
    assert!(page.settled(1).await.contains("cancelled"));
    page.browser.keys(UP).await;
    let again = page.browser.run("const box = document.getElementById('question'); const { value } = box; box.value = ''; return value");
    assert_eq!(again.await, "How many waves are there?");

    // Thousands of rows, of which only those in sight are in the page, and texts that stay texts.
    page.ask("show all measurements", 2).await;
    page.browser.until("return document.querySelector('.count')?.textContent === '5,000 rows'").await;
    let scrolled = "const grid = document.querySelector('.grid'); grid.scrollTop = 100000; return true";
    page.browser.run(scrolled).await;
    let seen = "const cells = [...document.querySelectorAll('.grid tbody td:first-child')].map((one) => one.textContent); \
                return cells.includes('3130') && cells.length < 200 && cells.length";
    page.browser.until(seen).await;
    page.look("thousands").await;
    page.ask("show all shipments", 3).await;
    page.browser
        .until("return document.querySelector('article:last-child .grid')?.innerText.includes('<b>Dora</b>')")
        .await;
}
