//! Checksums of what is written down, so that damage is told from what was written.

/// FNV-1a of 64 bits: the same on every platform and in every release, and changed by any change of one byte. It shows
/// damage; it proves nothing about who wrote what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Checksum(u64);

impl Checksum {
    /// Of nothing.
    pub(crate) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Goes on from an earlier one.
    pub(crate) fn after(sum: i64) -> Self {
        Self(sum.cast_unsigned())
    }

    pub(crate) fn bytes(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)))
    }

    pub(crate) fn number(self, number: i64) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    /// A text as one of several fields: with its length, so that no text can move into the next field.
    pub(crate) fn text(self, text: &str) -> Self {
        self.number(i64::try_from(text.len()).unwrap_or(i64::MAX)).bytes(text.as_bytes())
    }

    /// A field that may be empty.
    pub(crate) fn maybe<T>(self, value: Option<T>, add: impl FnOnce(Self, T) -> Self) -> Self {
        match value {
            Some(value) => add(self.bytes(&[1]), value),
            None => self.bytes(&[0]),
        }
    }

    /// As a database stores it.
    pub(crate) fn signed(self) -> i64 {
        self.0.cast_signed()
    }

    /// As 16 hexadecimal digits.
    pub(crate) fn hex(self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Checksum;

    #[test]
    fn every_flipped_bit_changes_it() {
        let text = b"SELECT name FROM customers".to_vec();
        let whole = Checksum::new().bytes(&text);
        for bit in 0..text.len() * 8 {
            let mut flipped = text.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(Checksum::new().bytes(&flipped), whole, "bit {bit}");
        }
    }

    #[test]
    fn fields_do_not_run_into_one_another() {
        let of = |one: &str, two: &str| Checksum::new().text(one).text(two);
        assert_ne!(of("ab", "c"), of("a", "bc"));
        let maybe = |one: Option<&str>, two: Option<&str>| {
            Checksum::new().maybe(one, Checksum::text).maybe(two, Checksum::text)
        };
        assert_ne!(maybe(Some(""), None), maybe(None, Some("")));
    }
}
