//! The engine for programs that wait: every call returns when the turn is over.
//!
//! It brings threads of its own, so that no runtime is needed. It may be called from async code too, where it holds up the
//! thread that calls it.

use std::future::Future;
use std::sync::{Arc, mpsc};

use tokio::runtime::{Builder, Runtime};

use crate::conversation::ConversationState;
use crate::engine::{Answer, CorrectionInput, EngineBuilder, Paused, QueryInput, TurnOptions, Turned};
use crate::error::Error;

/// An [`Engine`](crate::Engine) whose calls wait for their end.
///
/// ```
/// use sqlogue::blocking;
///
/// let engine = blocking::Engine::open("")?; // the embedded sample; `shop.db`, `postgres://…`
/// let first = engine.ask("How many customers are there?", None)?;
/// assert_eq!(first.rows()?.deserialize::<u64>()?, [120]);
/// let second = engine.ask("Only from Germany", Some(first.state))?;
/// assert_eq!(second.rows()?.deserialize::<u64>()?, [30]);
/// # Ok::<(), sqlogue::Error>(())
/// ```
#[derive(Clone)]
pub struct Engine {
    engine: crate::Engine,
    threads: Arc<Threads>,
}

/// The runtime behind it. It is let go without waiting: waiting for it is not allowed where async code drops it.
struct Threads(Option<Runtime>);

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Engine {
    /// An engine for the database at a path or URL, as [`Engine::open`](crate::Engine::open).
    ///
    /// # Errors
    /// The URL is of no kind that is known, or the database cannot be opened.
    pub fn open(url: &str) -> Result<Self, Error> {
        Self::new(crate::Engine::builder().url(url))
    }

    /// The engine that a builder describes.
    ///
    /// # Errors
    /// As [`EngineBuilder::build`], and where the system has no threads left.
    pub fn new(builder: EngineBuilder) -> Result<Self, Error> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .thread_name("sqlogue")
            // Plans nest, and walking them on the default 2 MB leaves little room in an unoptimised build.
            .thread_stack_size(8 << 20)
            .build()
            .map_err(|error| Error::internal("the threads of the engine", error))?;
        let threads = Arc::new(Threads(Some(runtime)));
        // What servers need of a runtime they find while they are opened.
        let _entered = threads.0.as_ref().map(Runtime::enter);
        Ok(Self { engine: builder.build()?, threads: Arc::clone(&threads) })
    }

    /// The engine itself, for all that waits for nobody.
    pub fn inner(&self) -> &crate::Engine {
        &self.engine
    }

    /// One turn, as [`Engine::query_database`](crate::Engine::query_database).
    ///
    /// # Errors
    /// As [`crate::query_database`].
    pub fn query_database(
        &self,
        input: impl Into<QueryInput>,
        previous_state: Option<ConversationState>,
    ) -> Result<ConversationState, Error> {
        Ok(self.ask(input, previous_state)?.state)
    }

    /// One turn with all rows, as [`Engine::ask`](crate::Engine::ask).
    ///
    /// # Errors
    /// As [`crate::query_database`].
    pub fn ask(
        &self,
        input: impl Into<QueryInput>,
        previous_state: Option<ConversationState>,
    ) -> Result<Answer, Error> {
        let (engine, input) = (self.engine.clone(), input.into());
        self.wait(async move { engine.ask(input, previous_state).await })
    }

    /// One turn with options, as [`Engine::turn`](crate::Engine::turn).
    ///
    /// # Errors
    /// As [`crate::query_database`], and [`Error::Cancelled`].
    pub fn turn(
        &self,
        input: impl Into<QueryInput>,
        previous_state: Option<ConversationState>,
        options: TurnOptions,
    ) -> Result<Turned, Error> {
        let (engine, input) = (self.engine.clone(), input.into());
        self.wait(async move { engine.turn(input, previous_state, options).await })
    }

    /// Goes on with a turn that waits for an approval, as [`Engine::approve`](crate::Engine::approve).
    ///
    /// # Errors
    /// As [`crate::query_database`].
    pub fn approve(&self, paused: Paused, approved: bool, options: TurnOptions) -> Result<Turned, Error> {
        let engine = self.engine.clone();
        self.wait(async move { engine.approve(paused, approved, options).await })
    }

    /// The turn that answers a question put to the person, as
    /// [`Engine::continue_with_correction`](crate::Engine::continue_with_correction).
    ///
    /// # Errors
    /// As [`crate::query_database`].
    pub fn continue_with_correction(
        &self,
        correction: impl Into<CorrectionInput>,
        state: ConversationState,
    ) -> Result<ConversationState, Error> {
        let (engine, correction) = (self.engine.clone(), correction.into());
        self.wait(async move { engine.continue_with_correction(correction, state).await })
    }

    /// Waits for a future on the threads of the engine. Where the thread that calls is one of another runtime, waiting
    /// for it there would not be allowed.
    fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        let gone = || Error::internal("the threads of the engine", "the turn ended without a result");
        let runtime = self.threads.0.as_ref().ok_or_else(gone)?;
        let (sender, receiver) = mpsc::sync_channel(1);
        runtime.spawn(async move {
            // Nobody is there to be told where the caller's thread is gone.
            drop(sender.send(future.await));
        });
        receiver.recv().map_err(|_| gone())?
    }
}
