//! What one owner may use at a time: how often they ask, how many turns run, how many wait.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::options::Limits;
use crate::owner::Owner;
use crate::problem::Problem;

/// Lets owners in, as far as the limits allow.
pub(crate) struct Gate {
    limits: Limits,
    owners: Mutex<HashMap<Owner, Arc<Place>>>,
}

/// One owner's.
struct Place {
    turns: Arc<Semaphore>,
    /// Those that run and those that wait.
    all: Arc<Semaphore>,
    bucket: Mutex<Bucket>,
}

/// Requests that may still come: a bucket that fills at the rate, and is full with ten seconds' worth.
struct Bucket {
    left: f64,
    at: Instant,
}

/// The right to run a turn, for as long as it lives.
pub(crate) struct Permit {
    _turn: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl Gate {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, owners: Mutex::default() }
    }

    /// Counts a request.
    ///
    /// # Errors
    /// There were too many of late.
    pub(crate) fn request(&self, owner: &Owner) -> Result<(), Problem> {
        let rate = f64::from(self.limits.rate);
        if rate == 0.0 {
            return Ok(());
        }
        let place = self.place(owner);
        let mut bucket = place.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        bucket.left = (bucket.left + now.duration_since(bucket.at).as_secs_f64() * rate).min(rate * 10.0);
        bucket.at = now;
        if bucket.left < 1.0 {
            let wait = Duration::from_secs_f64((1.0 - bucket.left) / rate);
            return Err(Problem::too_many("there were too many requests of late", wait));
        }
        bucket.left -= 1.0;
        Ok(())
    }

    /// A place to run a turn in; waits for one where there is room to wait.
    ///
    /// # Errors
    /// Too many turns wait already.
    pub(crate) async fn turn(&self, owner: &Owner) -> Result<Permit, Problem> {
        let place = self.place(owner);
        let full = || Problem::too_many("too many turns are running and waiting", Duration::from_secs(1));
        let all = Arc::clone(&place.all).try_acquire_owned().map_err(|_| full())?;
        let turn = Arc::clone(&place.turns).acquire_owned().await.map_err(|_| full())?;
        Ok(Permit { _turn: turn, _all: all })
    }

    fn place(&self, owner: &Owner) -> Arc<Place> {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = owners.get(owner) {
            return Arc::clone(place);
        }
        let Limits { running, waiting, rate, .. } = self.limits;
        let place = Arc::new(Place {
            turns: Arc::new(Semaphore::new(running)),
            all: Arc::new(Semaphore::new(running.saturating_add(waiting).min(Semaphore::MAX_PERMITS))),
            bucket: Mutex::new(Bucket { left: f64::from(rate) * 10.0, at: Instant::now() }),
        });
        owners.insert(owner.clone(), Arc::clone(&place));
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_owner_does_not_take_the_place_of_another() {
        let gate = Gate::new(Limits { running: 1, waiting: 0, rate: 1, ..Limits::default() });
        let other = Owner::Token("other".to_owned());
        let held = gate.turn(&Owner::Local).await.unwrap();
        assert_eq!(gate.turn(&Owner::Local).await.map(drop).unwrap_err().status(), 429);
        assert!(gate.turn(&other).await.is_ok());
        drop(held);
        assert!(gate.turn(&Owner::Local).await.is_ok());
        let taken = (0..20).filter(|_| gate.request(&Owner::Local).is_ok()).count();
        assert_eq!(taken, 10);
        assert!(gate.request(&other).is_ok());
    }
}
