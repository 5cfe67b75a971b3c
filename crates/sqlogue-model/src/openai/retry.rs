//! When to try again, and how long to wait before.

use std::time::Duration;

use crate::{ModelError, ModelErrorKind};

/// The wait before the second attempt, doubled for each further one.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// A server that loads a model needs seconds, not moments.
const LOADING_WAIT: Duration = Duration::from_secs(4);

/// The longest wait, whatever a server asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// How long to wait before the next attempt; `None` where another attempt would not help.
pub(super) fn delay(error: &ModelError, sent: u32) -> Option<Duration> {
    if !error.kind.is_transient() {
        return None;
    }
    match error.retry_after {
        // To come back earlier than asked would only be refused again.
        Some(asked) if asked > LONGEST_WAIT => return None,
        Some(asked) => return Some(asked),
        None => {}
    }
    let base = if error.kind == ModelErrorKind::Loading { LOADING_WAIT } else { FIRST_WAIT };
    let wait = base.saturating_mul(1_u32.checked_shl(sent.saturating_sub(1)).unwrap_or(u32::MAX));
    // Clients that failed together must not come back together.
    let jitter = 0.5 + fastrand::f64();
    Some(wait.min(LONGEST_WAIT).mul_f64(jitter).min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_with_jitter_and_have_an_end() {
        let error = ModelError::new(ModelErrorKind::Server, "");
        for (sent, base) in [(1, 250.0), (2, 500.0), (3, 1000.0)] {
            let wait = delay(&error, sent).unwrap().as_secs_f64() * 1000.0;
            assert!((base * 0.5..=base * 1.5).contains(&wait), "{sent}: {wait}");
        }
        assert!(delay(&error, 99).unwrap() <= LONGEST_WAIT);
    }

    #[test]
    fn a_server_may_ask_for_a_wait_but_not_for_any() {
        let asks = |seconds| ModelError {
            retry_after: Some(Duration::from_secs(seconds)),
            ..ModelError::new(ModelErrorKind::RateLimited, "")
        };
        assert_eq!(delay(&asks(2), 1), Some(Duration::from_secs(2)));
        assert_eq!(delay(&asks(864_000), 1), None);
    }

    #[test]
    fn what_would_fail_again_is_not_tried_again() {
        for kind in [ModelErrorKind::Unauthorized, ModelErrorKind::ContextLength, ModelErrorKind::Cut] {
            assert_eq!(delay(&ModelError::new(kind, ""), 1), None);
        }
    }
}
