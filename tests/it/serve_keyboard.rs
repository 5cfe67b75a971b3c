//! The page by its keyboard alone, in a real browser: everything is reached, is seen to be, and works. Skipped where there is
//! no browser.

use serde_json::{Value, json};

use crate::serve_page::{HARBOUR, Page, page};
use crate::support::File;

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const SPACE: &str = " ";
const PAGE_DOWN: &str = "\u{e00f}";

/// What a control is called.
const NAME: &str = "const name = (one) => one.id || one.ariaLabel || (one.innerText ?? '').trim() || one.name || one.tagName;";

/// What has the focus, and whether somebody who looks can see that it has.
const FOCUS: &str = "const one = document.activeElement; const ring = one.id === 'question' ? one.closest('form') : one; \
                     const { outlineStyle, outlineWidth } = getComputedStyle(ring); \
                     return [one === document.body ? null : name(one), \
                     one.matches(':focus-visible') && outlineStyle !== 'none' && outlineWidth !== '0px']";

const CONTROLS: &str = "return [...document.querySelectorAll('button, a[href], input, select, textarea, summary, \
                        [tabindex=\"0\"]')].filter((one) => one.checkVisibility() && !one.disabled && !one.closest('[inert]')).map(name)";

impl Page {
    async fn named(&self, script: &str) -> Value {
        self.browser.run(&format!("{NAME} {script}")).await
    }

    /// Goes round by Tab once, from where the page begins: what has the focus on the way.
    async fn round(&self) -> Vec<String> {
        self.browser
            .run("document.activeElement.blur(); getSelection().removeAllRanges(); return true")
            .await;
        let (mut found, mut begun) = (Vec::new(), false);
        for _ in 0..300 {
            self.browser.strike(TAB).await;
            let focus = self.named(FOCUS).await;
            match focus[0].as_str() {
                // Behind the last one the focus leaves the page, and comes back at the first.
                None if begun => return found,
                None => begun = true,
                Some(name) if begun => {
                    assert_eq!(focus[1], true, "{name} has the focus, and nobody sees it");
                    found.push(name.to_owned());
                }
                Some(_) => {}
            }
        }
        panic!("the focus never leaves: {found:?}");
    }

    async fn reach(&self, name: &str) {
        for _ in 0..300 {
            if self.named(FOCUS).await[0] == name {
                return;
            }
            self.browser.strike(TAB).await;
        }
        panic!("no way leads to {name}");
    }

    /// Goes to a control and presses a key there.
    async fn work(&self, name: &str, key: &str) {
        self.reach(name).await;
        self.browser.strike(key).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_reached_by_the_keyboard() {
    let file = File::new("harbour.sqlite", HARBOUR);
    let Some(page) = page("everything_is_reached_by_the_keyboard", &file).await else { return };
    page.work("Number of shipments per port", ENTER).await;
    page.settled(1).await;
    for what in ["SQL", "How it was read", "The way it took"] {
        page.work(what, SPACE).await;
    }
    page.browser.until("return document.querySelector('.drawing svg')").await;
    for what in ["Its turns, as a tree", "Tables and keys", "What words mean"] {
        page.work(what, SPACE).await;
    }
    for width in [1280, 360] {
        page.browser.look(width, 900, "light").await;
        let (controls, reached) = (page.named(CONTROLS).await, page.round().await);
        let controls: Vec<String> = serde_json::from_value(controls).unwrap();
        let missing: Vec<_> = controls.iter().filter(|name| !reached.contains(name)).collect();
        assert!(missing.is_empty() && controls.len() > 20, "{width}: {missing:?} of {controls:?}");
    }

    // Where the page is narrow, the side lies above the rest, which is out of reach as long as it does.
    page.work("menu", ENTER).await;
    assert_eq!(page.named(FOCUS).await, json!(["Conversations", true]));
    assert!(!page.round().await.contains(&"question".to_owned()));
    page.reach("Tables and keys").await;
    page.browser.strike(ESCAPE).await;
    assert_eq!(page.named(FOCUS).await, json!(["menu", true]));
    let address = page.browser.run("return location.href").await;
    page.work("Skip to the question", ENTER).await;
    assert_eq!(page.named(FOCUS).await[0], "question");
    assert_eq!(page.browser.run("return location.href").await, address);
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_works_by_the_keyboard() {
    let file = File::new("harbour.sqlite", HARBOUR);
    let Some(page) = page("everything_works_by_the_keyboard", &file).await else { return };
    page.ask("show all measurements", 1).await;
    page.browser.until("return document.querySelector('.count')?.textContent === '5,000 rows'").await;
    page.work("Rows", PAGE_DOWN).await;
    page.browser.until("return document.querySelector('.grid').scrollTop > 100").await;
    // Upwards, downwards, and as it was.
    for (order, first) in [("ascending", "0.0"), ("descending", "99.9"), ("order of the answer", "3.7")] {
        page.work("level", SPACE).await;
        page.has_status(order).await;
        let level = "return document.querySelector('.grid tbody td:last-child').innerText";
        assert_eq!(page.browser.run(level).await, first, "{order}");
    }

    page.work("SQL", ENTER).await;
    page.work("Edit and run", ENTER).await;
    assert_eq!(page.named(FOCUS).await[0], "SQL to run");
    page.browser
        .run("document.activeElement.value = 'SELECT count(*) AS number FROM shipment'; return true")
        .await;
    page.work("Run", ENTER).await;
    page.has_status("The SQL has run: 1 row").await;

    page.work("question", "how many?").await;
    page.browser.strike(ENTER).await;
    page.settled(2).await;
    page.work("undo", ENTER).await;
    page.settled(1).await;
    page.work("redo", ENTER).await;
    page.settled(2).await;
    // What a word means, and a chat's own words for the same buttons.
    page.work("What words mean", SPACE).await;
    page.work("name", "heft").await;
    page.work("expression", "sum(shipment.gross_weight)").await;
    page.browser.strike(ENTER).await;
    page.has_status("is known from now on").await;
    assert!(page.texts("#lessons li").await.concat().contains("heft"));
    page.work("question", "/new").await;
    page.browser.strike(ENTER).await;
    page.browser.until("return document.querySelector('.welcome')").await;
    assert_eq!(page.ask("heft", 1).await, "22.5 heft");
}
