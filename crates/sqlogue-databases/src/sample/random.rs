//! Numbers that look random and are the same in every build.

/// SplitMix64: small, fast, and good enough for names and prices.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number from 0 to `bound - 1`; 0 where `bound` is 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = (high - low).unsigned_abs() + 1;
        low + i64::try_from(self.below(span)).unwrap_or(0)
    }

    /// True `percent` times in a hundred.
    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of a list, the first ones more often than the last where `lean` is above 1.
    pub(super) fn pick<'a, T>(&mut self, list: &'a [T], lean: u32) -> Option<&'a T> {
        let length = list.len() as u64;
        let at = (0..lean.max(1)).map(|_| self.below(length)).min().unwrap_or(0);
        list.get(usize::try_from(at).unwrap_or(0))
    }
}
