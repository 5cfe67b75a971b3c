//! Types that are shown as text: addresses, bits, ranges, points, identifiers.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::values::Reader;

/// A network or a host in one.
pub(super) fn network(bytes: &[u8]) -> Option<String> {
    let mut reader = Reader::new(bytes);
    let (_family, bits, is_network, _length) = (reader.u8()?, reader.u8()?, reader.u8()?, reader.u8()?);
    let (address, all) = match reader.rest() {
        rest if rest.len() == 4 => (Ipv4Addr::from(<[u8; 4]>::try_from(rest).ok()?).to_string(), 32),
        rest => (Ipv6Addr::from(<[u8; 16]>::try_from(rest).ok()?).to_string(), 128),
    };
    let whole = bits == all && is_network == 0;
    Some(if whole { address } else { format!("{address}/{bits}") })
}

/// A hardware address.
pub(super) fn hardware(bytes: &[u8]) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.join(":")
}

/// An identifier of sixteen bytes.
pub(super) fn uuid(bytes: &[u8]) -> Option<String> {
    Some(uuid::Uuid::from_slice(bytes).ok()?.to_string())
}

/// A string of bits.
pub(super) fn bits(bytes: &[u8]) -> Option<String> {
    let mut reader = Reader::new(bytes);
    let length = usize::try_from(reader.i32()?).ok()?;
    let mut text = String::with_capacity(length);
    for byte in reader.rest() {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:08b}");
    }
    text.truncate(length);
    Some(text)
}

/// A point, `(1,2)`.
pub(super) fn point(bytes: &[u8]) -> Option<String> {
    let mut reader = Reader::new(bytes);
    Some(format!("({},{})", reader.f64()?, reader.f64()?))
}

/// A range, `[1,5)`; `show` writes its bounds.
pub(super) fn range(bytes: &[u8], show: impl Fn(&[u8]) -> Option<String>) -> Option<String> {
    let mut reader = Reader::new(bytes);
    let flags = reader.u8()?;
    if flags & 0x01 != 0 {
        return Some("empty".into());
    }
    let mut bound = |is_open: bool| -> Option<String> {
        if is_open {
            return Some(String::new());
        }
        let length = usize::try_from(reader.i32()?).ok()?;
        show(reader.take(length)?)
    };
    let (lower, upper) = (bound(flags & 0x08 != 0)?, bound(flags & 0x10 != 0)?);
    let open = if flags & 0x02 != 0 { '[' } else { '(' };
    let close = if flags & 0x04 != 0 { ']' } else { ')' };
    Some(format!("{open}{lower},{upper}{close}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_written_as_people_know_it() {
        assert_eq!(network(&[2, 32, 0, 4, 10, 0, 0, 1]).unwrap(), "10.0.0.1");
        assert_eq!(network(&[2, 8, 1, 4, 10, 0, 0, 0]).unwrap(), "10.0.0.0/8");
        let mut six = vec![3, 128, 0, 16];
        six.extend([0; 15]);
        six.push(1);
        assert_eq!(network(&six).unwrap(), "::1");
        assert_eq!(hardware(&[8, 0, 0x2b]), "08:00:2b");
        assert_eq!(bits(&[0, 0, 0, 5, 0b1010_1000]).unwrap(), "10101");
        let number = |bytes: &[u8]| Reader::new(bytes).i32().map(|number| number.to_string());
        assert_eq!(range(&[0x02, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 5], number).unwrap(), "[1,5)");
        assert_eq!(range(&[0x12, 0, 0, 0, 4, 0, 0, 0, 1], number).unwrap(), "[1,)");
        assert_eq!(range(&[1], number).unwrap(), "empty");
        assert_eq!(range(&[2, 0, 0, 0, 9], number), None);
    }
}
