//! A real browser without a window, driven by its driver (WebDriver), for tests of the page.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::serve_kit::Running;

/// A machine that is busy takes its time.
const PATIENCE: Duration = Duration::from_secs(30);

/// A page in a browser of its own.
pub(crate) struct Browser {
    process: Child,
    driver: Running,
    session: String,
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

impl Browser {
    /// A browser; none where this machine has none, which is said.
    pub(crate) async fn start(test: &str) -> Option<Self> {
        let spawned =
            Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let Ok(mut process) = spawned else {
            println!("{test} is skipped: there is no `chromedriver` here (Debian: chromium-driver)");
            return None;
        };
        let lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port = lines
            .filter_map(|line| line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok())
            .next()
            .expect("the driver says where it listens");
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let driver = Running { address, stop: CancellationToken::new(), served: None };
        let mut browser = Self { process, driver, session: String::new() };
        // Root has no sandbox, and containers have little shared memory.
        let arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
        let options =
            json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": { "args": arguments } } } });
        let made = browser.driver.post("/session", &options).await.json();
        browser.session = made["value"]["sessionId"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
        Some(browser)
    }

    async fn command(&self, what: &str, body: &Value) -> Value {
        let answer = self.driver.post(&format!("/session/{}/{what}", self.session), body).await;
        assert_eq!(answer.status, 200, "{what} {body}: {}", answer.text());
        answer.json()["value"].take()
    }

    pub(crate) async fn go(&self, url: &str) {
        self.command("url", &json!({ "url": url })).await;
    }

    pub(crate) async fn reload(&self) {
        self.command("refresh", &json!({})).await;
    }

    /// What a script returns.
    pub(crate) async fn run(&self, script: &str) -> Value {
        self.command("execute/sync", &json!({ "script": script, "args": [] })).await
    }

    /// Waits until a script returns something that is not false.
    #[track_caller]
    pub(crate) fn until(&self, script: &str) -> impl Future<Output = Value> {
        let (caller, begun) = (std::panic::Location::caller(), Instant::now());
        async move {
            loop {
                let found = self.run(script).await;
                if !matches!(found, Value::Null | Value::Bool(false)) {
                    return found;
                }
                if begun.elapsed() > PATIENCE {
                    panic!(
                        "{caller}: `{script}` was never true: {}",
                        self.run("return document.body.innerText").await
                    );
                }
                tokio::time::sleep(Duration::from_millis(30)).await;
            }
        }
    }

    /// Types into what has the focus, as a person does without a mouse.
    pub(crate) async fn keys(&self, text: &str) {
        let active = self.driver.get(&format!("/session/{}/element/active", self.session)).await.json();
        let element = active["value"].as_object().and_then(|found| found.values().next()?.as_str());
        let element = element.unwrap_or_else(|| panic!("nothing has the focus: {active}"));
        self.command(&format!("element/{element}/value"), &json!({ "text": text })).await;
    }

    /// Presses keys one after the other, wherever the focus is or goes.
    pub(crate) async fn strike(&self, keys: &str) {
        let stroke = |key: char| ["keyDown", "keyUp"].map(|what| json!({ "type": what, "value": key }));
        let strokes: Vec<Value> = keys.chars().flat_map(stroke).collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": strokes });
        self.command("actions", &json!({ "actions": [keyboard] })).await;
    }

    /// Presses the last button in sight that is called so.
    pub(crate) async fn press(&self, name: &str) {
        self.until(&format!(
            "const name = {}; const found = [...document.querySelectorAll('button')].filter((one) => one.checkVisibility() \
             && !one.disabled && [one.textContent.trim(), one.innerText.trim(), one.ariaLabel].includes(name)).at(-1); \
             found?.click(); return !!found;",
            json!(name)
        ))
        .await;
    }

    /// How large the window is, and in which light the page is read.
    pub(crate) async fn look(&self, width: u32, height: u32, light: &str) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.tool("Emulation.setDeviceMetricsOverride", &size).await;
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": light }] });
        self.tool("Emulation.setEmulatedMedia", &features).await;
    }

    /// Something that only this browser's own tools can do.
    pub(crate) async fn tool(&self, name: &str, parameters: &Value) -> Value {
        self.command("goog/cdp/execute", &json!({ "cmd": name, "params": parameters })).await
    }

    /// The page as a picture (PNG).
    pub(crate) async fn picture(&self) -> Vec<u8> {
        let shot = self.driver.get(&format!("/session/{}/screenshot", self.session)).await.json();
        base64::engine::general_purpose::STANDARD.decode(shot["value"].as_str().unwrap()).unwrap()
    }
}
