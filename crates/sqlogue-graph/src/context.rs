//! What the engine hands to a node besides the state: who it is, the time, new ids, and a way to be heard.

use std::fmt::{self, Display};
use std::hash::{BuildHasher, RandomState};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The name of one walk through a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(Uuid);

impl RunId {
    /// Makes a run id of a UUID.
    pub const fn new(uuid: Uuid) -> Self {
        Self(uuid)
    }

    /// The UUID.
    pub const fn uuid(self) -> Uuid {
        self.0
    }
}

impl From<Uuid> for RunId {
    fn from(uuid: Uuid) -> Self {
        Self(uuid)
    }
}

impl Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl FromStr for RunId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        text.parse().map(Self)
    }
}

/// Where the time comes from.
pub trait Clock: Send + Sync {
    /// The time of day.
    fn now(&self) -> Timestamp;

    /// Time since some fixed moment, which never runs backwards: for durations.
    fn elapsed(&self) -> Duration;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn elapsed(&self) -> Duration {
        STARTED.elapsed()
    }
}

/// A clock for tests: it starts where it is told and advances by the same step each time it is asked.
///
/// Durations measured with it are zero unless [`advance`](Self::advance) is called.
///
/// ```
/// use std::time::Duration;
/// use sqlogue_graph::{Clock, FixedClock};
///
/// let clock = FixedClock::new("2026-01-01T00:00:00Z".parse().unwrap()).stepping(Duration::from_secs(1));
/// assert_eq!(clock.now().to_string(), "2026-01-01T00:00:00Z");
/// assert_eq!(clock.now().to_string(), "2026-01-01T00:00:01Z");
/// ```
#[derive(Debug)]
pub struct FixedClock {
    start: Timestamp,
    step: Duration,
    passed: Mutex<(Duration, Duration)>,
}

impl FixedClock {
    /// A clock that stands still at `start`.
    pub fn new(start: Timestamp) -> Self {
        Self { start, step: Duration::ZERO, passed: Mutex::default() }
    }

    /// Lets the clock advance by `step` after each question for the time of day.
    pub fn stepping(mut self, step: Duration) -> Self {
        self.step = step;
        self
    }

    /// Lets time pass.
    pub fn advance(&self, by: Duration) {
        let mut passed = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
        passed.0 += by;
        passed.1 += by;
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        let mut passed = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
        let now = SignedDuration::try_from(passed.0).ok().and_then(|by| self.start.checked_add(by).ok());
        passed.0 += self.step;
        now.unwrap_or(Timestamp::MAX)
    }

    fn elapsed(&self) -> Duration {
        self.passed.lock().unwrap_or_else(PoisonError::into_inner).1
    }
}

/// Where new ids come from.
pub trait IdSource: Send + Sync {
    /// An id that was never given out before.
    fn next_id(&self) -> Uuid;
}

/// Random ids that sort by the millisecond they were made in (UUID version 7).
///
/// They cost less than a tenth of a microsecond: the system is asked for randomness once, and a keyed hash of a counter
/// spreads it. They are unique, and nobody outside the process can guess one from another.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemIds;

// Its key is from the system.
static KEY: LazyLock<RandomState> = LazyLock::new(Default::default);
static COUNTER: AtomicU64 = AtomicU64::new(0);

impl IdSource for SystemIds {
    fn next_id(&self) -> Uuid {
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let [.., high, low] = count.to_be_bytes();
        let [a, b, c, d, e, f, g, h] = KEY.hash_one(count).to_be_bytes();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let millis = since.as_secs() * 1000 + u64::from(since.subsec_millis());
        uuid::Builder::from_unix_timestamp_millis(millis, &[high, low, a, b, c, d, e, f, g, h]).into_uuid()
    }
}

/// Ids for tests: 1, 2, 3, … as UUIDs.
#[derive(Debug, Default)]
pub struct SequentialIds {
    last: AtomicU64,
}

impl SequentialIds {
    /// The next id is one after `last`.
    pub fn after(last: u64) -> Self {
        Self { last: AtomicU64::new(last) }
    }
}

impl IdSource for SequentialIds {
    fn next_id(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.last.fetch_add(1, Ordering::Relaxed)) + 1)
    }
}

/// Takes the progress messages of nodes; the engine turns them into events.
pub(crate) trait ProgressSink: Send + Sync {
    fn progress(&self, run: RunId, step: u32, node: &str, message: &str);
}

/// What a node knows besides the state.
pub struct Context {
    pub(crate) run: RunId,
    pub(crate) step: u32,
    /// The ids of all points of the graph, and which of them this is: taken along as they are, because counting the
    /// references of an id at every node costs more than the rest of a step.
    pub(crate) names: Arc<[Arc<str>]>,
    pub(crate) at: u32,
    pub(crate) deadline: Option<Instant>,
    /// What the run was given from outside, if anything.
    pub(crate) given: Option<Arc<Given>>,
}

/// What a run's options hand to its nodes.
#[derive(Default)]
pub(crate) struct Given {
    pub(crate) clock: Option<Arc<dyn Clock>>,
    pub(crate) ids: Option<Arc<dyn IdSource>>,
    pub(crate) cancellation: Option<CancellationToken>,
    pub(crate) pauses: bool,
    pub(crate) sink: Option<Arc<dyn ProgressSink>>,
}

static NEVER: LazyLock<CancellationToken> = LazyLock::new(CancellationToken::new);

impl Context {
    /// A context outside any run, to call a node directly in a test.
    ///
    /// ```
    /// let context = sqlogue_graph::Context::for_test("planner");
    /// assert_eq!(context.node(), "planner");
    /// ```
    pub fn for_test(node: &str) -> Self {
        Self {
            run: RunId(Uuid::nil()),
            step: 1,
            names: Arc::from([Arc::from(node)]),
            at: 0,
            deadline: None,
            given: Some(Arc::new(Given {
                clock: Some(Arc::new(FixedClock::new(Timestamp::UNIX_EPOCH))),
                ids: Some(Arc::new(SequentialIds::default())),
                ..Given::default()
            })),
        }
    }

    /// The run this node works in.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// The node's own id, with the path of the nested graph before it: `planner/infer_joins`.
    pub fn node(&self) -> &str {
        self.names.get(self.at as usize).map_or("", |name| name)
    }

    /// The number of this step within the run; the first node is step 1.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// A key that is the same whenever this very step is run again after a crash, and different for every
    /// other: hand it to outside services that recognise repeated requests.
    pub fn idempotency_key(&self) -> String {
        format!("{}:{}", self.run, self.step)
    }

    /// The time of day, from the run's [`Clock`].
    pub fn now(&self) -> Timestamp {
        self.given(|given| given.clock.as_ref()).map_or_else(|| SystemClock.now(), |clock| clock.now())
    }

    /// Time since some fixed moment, for durations, from the run's [`Clock`].
    pub fn elapsed(&self) -> Duration {
        let clock = self.given(|given| given.clock.as_ref());
        clock.map_or_else(|| SystemClock.elapsed(), |clock| clock.elapsed())
    }

    /// A new id, from the run's [`IdSource`].
    pub fn new_id(&self) -> Uuid {
        self.given(|given| given.ids.as_ref()).map_or_else(|| SystemIds.next_id(), |ids| ids.next_id())
    }

    /// Tells the observers what the node is doing.
    pub fn progress(&self, message: &str) {
        if let Some(sink) = self.given(|given| given.sink.as_ref()) {
            sink.progress(self.run, self.step, self.node(), message);
        }
    }

    /// The same for work that outlives the call, such as a stream that tells how it grows; `None` where nobody watches.
    pub fn teller(&self) -> Option<impl Fn(&str) + Send + Sync + use<>> {
        let (sink, run, step) = (self.given(|given| given.sink.as_ref())?.clone(), self.run, self.step);
        let node: Arc<str> = self.node().into();
        Some(move |message: &str| sink.progress(run, step, &node, message))
    }

    /// Fires when the run is cancelled. The engine drops the node's future then; the token is for work that
    /// goes on elsewhere, such as a blocking thread.
    pub fn cancellation(&self) -> &CancellationToken {
        self.token().unwrap_or(&NEVER)
    }

    /// Whether the run was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.token().is_some_and(CancellationToken::is_cancelled)
    }

    /// Whether the run pauses at some node until somebody approves it, so that nothing that needs an approval may happen
    /// anywhere else.
    pub fn awaits_approval(&self) -> bool {
        self.given.as_ref().is_some_and(|given| given.pauses)
    }

    /// When the node must be done: the node timeout or the run's deadline, whichever comes first.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The token that cancels the run, where there is one.
    pub(crate) fn token(&self) -> Option<&CancellationToken> {
        self.given(|given| given.cancellation.as_ref())
    }

    fn given<'c, T>(&'c self, part: impl FnOnce(&'c Given) -> Option<T>) -> Option<T> {
        self.given.as_deref().and_then(part)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("run", &self.run)
            .field("step", &self.step)
            .field("node", &self.node())
            .finish_non_exhaustive()
    }
}
