//! Who walks a turn, and whether they are alive.
//!
//! A turn that is being walked bears the name of its process and a time until which that process is taken for alive. The
//! process renews it, also while a single node works for long. One that died is found out at once on the same machine, by
//! its number and the time at which it was started; elsewhere its turn counts as interrupted when the lease has run out.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use jiff::Timestamp;
use tokio::runtime::Handle;

use super::{Store, StoreError};
use crate::graph::RunId;

/// How long a process that says no more is taken for alive.
pub(super) const LEASE: Duration = Duration::from_secs(20);

/// A longer lease is none: a clock was set back since, or the number is damaged.
const LONGEST: Duration = Duration::from_secs(600);

/// What a turn's row says of its walker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Lease {
    /// The process.
    pub(super) holder: Option<String>,
    /// Until when it is taken for alive, in microseconds.
    pub(super) until: Option<i64>,
}

impl Lease {
    /// A lease of this process from now on.
    pub(super) fn mine(now: i64, lease: Duration) -> Self {
        let length = i64::try_from(lease.min(LONGEST).as_micros()).unwrap_or_default();
        Self { holder: Some(ME.clone()), until: Some(now.saturating_add(length)) }
    }

    /// Whether a living process, this one or another, walks the turn.
    pub(super) fn is_held(&self, run: RunId, now: i64) -> bool {
        match &self.holder {
            Some(holder) if *holder == *ME => is_walked_here(run),
            _ => self.is_held_by_another(now),
        }
    }

    /// Whether a living process that is not this one walks the turn.
    pub(super) fn is_held_by_another(&self, now: i64) -> bool {
        let (Some(holder), Some(until)) = (&self.holder, self.until) else { return false };
        let longest = i64::try_from(LONGEST.as_micros()).unwrap_or(i64::MAX);
        let left = until.saturating_sub(now);
        *holder != *ME && (1..=longest).contains(&left) && !process::is_dead(holder)
    }
}

/// The name of this process.
static ME: LazyLock<String> = LazyLock::new(process::name);

/// The time of this machine, in microseconds.
pub(super) fn now() -> i64 {
    Timestamp::now().as_microsecond()
}

/// Turns that are walked in this process.
#[derive(Default)]
struct Keeper {
    walks: Mutex<BTreeMap<u64, Walk>>,
    changed: Condvar,
}

struct Walk {
    run: RunId,
    store: Arc<dyn Store>,
    /// The runtime in which the turn is walked.
    runtime: Option<Handle>,
    /// When the lease is to be renewed.
    due: Instant,
}

static KEEPER: LazyLock<Keeper> = LazyLock::new(Keeper::default);

fn walks() -> MutexGuard<'static, BTreeMap<u64, Walk>> {
    KEEPER.walks.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a task of this process walks the turn.
pub(super) fn is_walked_here(run: RunId) -> bool {
    walks().values().any(|walk| walk.run == run)
}

/// Renews the lease of a turn for as long as it lives.
pub(super) struct Walking(u64);

impl Walking {
    pub(super) fn new(store: &Arc<dyn Store>, run: RunId) -> Self {
        // A thread, because a task would need a runtime whose timer is on, and would wait where nodes keep it busy.
        static THREAD: Once = Once::new();
        THREAD.call_once(|| {
            // Without it leases are renewed by the steps alone.
            let started = std::thread::Builder::new().name("leases".into()).spawn(keep);
            if let Err(error) = started {
                tracing::warn!(%error, "leases are renewed at the end of each node only");
            }
        });
        let due = Instant::now() + store.lease() / 4;
        let walk = Walk { run, store: Arc::clone(store), runtime: Handle::try_current().ok(), due };
        let mut walks = walks();
        let number = walks.last_key_value().map_or(0, |(last, _)| last + 1);
        walks.insert(number, walk);
        KEEPER.changed.notify_one();
        Self(number)
    }
}

impl Drop for Walking {
    fn drop(&mut self) {
        walks().remove(&self.0);
    }
}

/// Renews what is due, for ever.
fn keep() {
    let mut held = walks();
    loop {
        let now = Instant::now();
        let mut due = Vec::new();
        for walk in held.values_mut().filter(|walk| walk.due <= now) {
            walk.due = now + walk.store.lease() / 4;
            due.push((walk.run, Arc::clone(&walk.store), walk.runtime.clone()));
        }
        if due.is_empty() {
            let next = held.values().map(|walk| walk.due).min();
            let changed = &KEEPER.changed;
            held = match next {
                None => changed.wait(held).unwrap_or_else(PoisonError::into_inner),
                Some(next) => {
                    let waited = changed.wait_timeout(held, next.saturating_duration_since(now));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
            continue;
        }
        drop(held);
        for (run, store, runtime) in due {
            let renew = async move {
                match store.hold(run).await {
                    // Its first step may not be written yet.
                    Ok(()) | Err(StoreError::UnknownTurn { .. }) => {}
                    Err(error) => tracing::warn!(%run, %error, "the lease of a turn was not renewed"),
                }
            };
            match runtime {
                Some(runtime) => drop(runtime.spawn(renew)),
                // Without a runtime only a file can be the store, and that does not wait for anything else.
                None => drop(renew.now_or_never()),
            }
        }
        held = walks();
    }
}

/// Processes by name. On Linux a name says where the process can be looked for, so that its death is noticed at once.
mod process {
    #[cfg(target_os = "linux")]
    pub(super) fn name() -> String {
        let found = || {
            let here = here()?;
            let id = std::process::id();
            Some(format!("{here}/{id}/{}", started(id)?))
        };
        found().unwrap_or_else(unknown)
    }

    /// Whether a process is known not to live any more.
    #[cfg(target_os = "linux")]
    pub(super) fn is_dead(name: &str) -> bool {
        let known = || {
            let (rest, at) = name.rsplit_once('/')?;
            let (place, id) = rest.rsplit_once('/')?;
            // Elsewhere, and for another user, the process may live and not be seen.
            if here()? != place {
                return None;
            }
            Some(started(id.parse().ok()?).as_deref() != Some(at))
        };
        known().unwrap_or(false)
    }

    /// Which numbers of processes are those of this one: since when the machine runs, the namespace, and the user.
    #[cfg(target_os = "linux")]
    fn here() -> Option<String> {
        use std::os::unix::fs::MetadataExt as _;
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let namespace = std::fs::read_link("/proc/self/ns/pid").ok()?;
        let user = std::fs::metadata("/proc/self").ok()?.uid();
        Some(format!("{}/{}/{user}", boot.trim(), namespace.display()))
    }

    /// When a living process was started, in the kernel's units: a number may be given out again.
    #[cfg(target_os = "linux")]
    fn started(id: u32) -> Option<String> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name of the program stands in brackets and may hold anything.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
        let state = fields.next()?;
        // One that was killed stays until its parent has asked for its end.
        (!matches!(state, "Z" | "X")).then(|| fields.nth(18).map(str::to_owned))?
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn name() -> String {
        unknown()
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn is_dead(_: &str) -> bool {
        false
    }

    fn unknown() -> String {
        uuid::Uuid::new_v4().to_string()
    }

    #[cfg(all(test, target_os = "linux"))]
    mod tests {
        #[test]
        fn a_process_is_dead_when_it_was_killed_and_before_anybody_asked_for_its_end() {
            let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
            let name =
                format!("{}/{}/{}", super::here().unwrap(), child.id(), super::started(child.id()).unwrap());
            assert!(!super::is_dead(&super::name()) && !super::is_dead(&name));
            child.kill().unwrap();
            let begun = std::time::Instant::now();
            while !super::is_dead(&name) {
                assert!(begun.elapsed().as_secs() < 10);
                std::thread::yield_now();
            }
            child.wait().unwrap();
            assert!(super::is_dead(&name));
            assert!(!super::is_dead("elsewhere/1/2"), "of others nothing is known");
        }
    }
}
