//! Splitting questions by database, so that what is fitted on some databases is measured on others.

/// Which part of the databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// Those that rules and weights may be fitted to: about two thirds.
    Fit,
    /// The others, at whose misses nobody looks.
    HeldOut,
}

impl Split {
    /// The part a database belongs to; it depends on nothing but the name.
    pub fn of(database: &str) -> Self {
        // FNV-1a: the same on every machine and in every version of the compiler.
        let hash = database.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        if (hash >> 17) % 3 == 0 { Self::HeldOut } else { Self::Fit }
    }

    /// The part of that name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "fit" => Some(Self::Fit),
            "held-out" => Some(Self::HeldOut),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_split_is_stable_and_uneven() {
        assert_eq!(Split::of("library"), Split::of("library"));
        let held_out = (0..3000).filter(|number| Split::of(&format!("db{number}")) == Split::HeldOut).count();
        assert!((850..1150).contains(&held_out), "{held_out}");
    }
}
