//! Numbers and durations for people.

use std::time::Duration;

pub(crate) use sqlogue_base::number::{apart, grouped};

/// How long something took.
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        seconds if seconds < 0.1 => format!("{:.1} ms", seconds * 1e3),
        seconds if seconds < 1.0 => format!("{:.0} ms", seconds * 1e3),
        seconds if seconds < 60.0 => format!("{seconds:.1} s"),
        seconds => format!("{:.0} min {:.0} s", (seconds / 60.0).floor(), (seconds % 60.0).floor()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        let said = [0.0019, 0.42, 3.25, 75.0].map(|seconds| duration(Duration::from_secs_f64(seconds)));
        assert_eq!(said, ["1.9 ms", "420 ms", "3.2 s", "1 min 15 s"]);
    }
}
