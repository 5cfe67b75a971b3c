//! What is going on, while it goes on: the node at work, on a terminal, once a turn takes long enough to be noticed.

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::super::output::Size;
use super::super::show::style::{Ink, Style};
use super::super::show::text;
use sqlogue::conversation::{Change, ConversationState};
use sqlogue::graph::{Event, Observer, Recorder, Trace};

/// A turn shorter than this shows nothing: what flickers says nothing.
const PATIENCE: Duration = Duration::from_millis(150);
const STEP: Duration = Duration::from_millis(80);
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// Watches one turn: keeps its trace, and knows what is going on.
#[derive(Default)]
pub(super) struct Watch {
    recorder: Recorder,
    now: Mutex<String>,
}

impl Watch {
    /// The way the turn took.
    pub(super) fn trace(&self) -> Option<Trace> {
        self.recorder.last()
    }

    fn set(&self, now: String) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    fn now(&self) -> String {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Observer<ConversationState> for Watch {
    fn on_event(&self, event: &Event<'_, Change>) {
        match event {
            Event::NodeStarted { node, .. } => self.set(readable(node)),
            Event::Progress { node, message, .. } => self.set(format!("{}: {message}", readable(node))),
            _ => {}
        }
        Observer::<ConversationState>::on_event(&self.recorder, event);
    }
}

/// `planner/infer_joins` as people read it.
fn readable(node: &str) -> String {
    node.replace('_', " ").replace('/', " › ")
}

/// A line at the bottom of the terminal; it disappears with the value.
pub(super) struct Spinner {
    task: JoinHandle<()>,
    /// Whether something was drawn. Held while drawing, so that nothing is drawn after it was wiped.
    drawn: Arc<Mutex<Drawn>>,
}

#[derive(Default)]
struct Drawn {
    something: bool,
    over: bool,
}

impl Spinner {
    /// Begins to show what `watch` sees.
    pub(super) fn start(watch: Arc<Watch>, runtime: &Handle, size: Size, style: Style) -> Self {
        let drawn = Arc::new(Mutex::new(Drawn::default()));
        let shared = Arc::clone(&drawn);
        let task = runtime.spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            for frame in FRAMES.iter().cycle() {
                {
                    let mut drawn = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    if drawn.over {
                        return;
                    }
                    drawn.something = true;
                    let now = watch.now();
                    let now = text::cut(&text::clean(&now), size.width.saturating_sub(4)).into_owned();
                    let mut stderr = io::stderr().lock();
                    // Progress that cannot be shown is not missed.
                    drop(write!(
                        stderr,
                        "\r{} {}\u{1b}[K",
                        style.paint(Ink::Notice, frame),
                        style.paint(Ink::Dim, &now)
                    ));
                    drop(stderr.flush());
                }
                tokio::time::sleep(STEP).await;
            }
        });
        Self { task, drawn }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.task.abort();
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        drawn.over = true;
        if drawn.something {
            let mut stderr = io::stderr().lock();
            drop(write!(stderr, "\r\u{1b}[K"));
            drop(stderr.flush());
        }
    }
}
