//! The table of synonyms as the program holds it: words are found where they stand, and nothing is unpacked beforehand.
//!
//! `data/synonyms.packed` holds what `data/synonyms.tsv` does in two fifths of its room. It begins with the notice of
//! WordNet and a zero byte. Then come the number of blocks and where each begins (four bytes each, the lowest first), and
//! the blocks: sixteen words in their order. A word is how many bytes it shares with the one before, how many follow, these,
//! how many synonyms it has, and for each of them three bytes: the place of that word in the table, times sixteen, and how
//! alike the two are in tenths. A test compares the two files, and writes this one with `UPDATE_SYNONYMS=1`.

/// How many words are in a block.
const BLOCK: usize = 16;

/// A packed table.
pub(super) struct Packed<'t> {
    /// Where the blocks begin.
    starts: &'t [[u8; 4]],
    blocks: &'t [u8],
}

impl<'t> Packed<'t> {
    /// None where the bytes are no such table.
    pub(super) fn new(bytes: &'t [u8]) -> Option<Self> {
        let notice = bytes.iter().position(|byte| *byte == 0)?;
        let (count, rest) = bytes.get(notice + 1..)?.split_first_chunk::<4>()?;
        let (starts, blocks) = rest.split_at_checked(u32::from_le_bytes(*count) as usize * 4)?;
        Some(Self { starts: starts.as_chunks().0, blocks })
    }

    /// The synonyms of a word, best first, each with how alike they are in tenths; none where it is not in the table or has
    /// none of its own.
    pub(super) fn similar(&self, word: &str) -> Option<impl Iterator<Item = (String, u8)> + use<'_, 't>> {
        let follows = |start: &[u8; 4]| {
            self.block(start).next().is_some_and(|first| first.word.as_slice() <= word.as_bytes())
        };
        let block = self.starts.partition_point(follows).checked_sub(1)?;
        let found = self.block(self.starts.get(block)?).find(|entry| entry.word == word.as_bytes())?;
        let entries = found.synonyms.as_chunks::<3>().0;
        (!entries.is_empty()).then(|| {
            entries.iter().filter_map(|[low, middle, high]| {
                let packed = u32::from_le_bytes([*low, *middle, *high, 0]);
                Some((self.word((packed >> 4) as usize)?, low & 15))
            })
        })
    }

    /// The word at a place.
    fn word(&self, place: usize) -> Option<String> {
        let entry = self.block(self.starts.get(place / BLOCK)?).nth(place % BLOCK)?;
        String::from_utf8(entry.word).ok()
    }

    fn block(&self, start: &[u8; 4]) -> Entries<'t> {
        let rest = self.blocks.get(u32::from_le_bytes(*start) as usize..).unwrap_or_default();
        Entries { rest, before: Vec::new(), left: BLOCK }
    }
}

struct Entry<'t> {
    word: Vec<u8>,
    synonyms: &'t [u8],
}

/// The words of a block.
struct Entries<'t> {
    rest: &'t [u8],
    before: Vec<u8>,
    left: usize,
}

impl<'t> Iterator for Entries<'t> {
    type Item = Entry<'t>;

    fn next(&mut self) -> Option<Entry<'t>> {
        self.left = self.left.checked_sub(1)?;
        let ([shared, length], rest) = self.rest.split_first_chunk::<2>()?;
        let (own, rest) = rest.split_at_checked(usize::from(*length))?;
        let (count, rest) = rest.split_first()?;
        let (synonyms, rest) = rest.split_at_checked(usize::from(*count) * 3)?;
        self.rest = rest;
        self.before.truncate(usize::from(*shared));
        self.before.extend_from_slice(own);
        Some(Entry { word: self.before.clone(), synonyms })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    const TEXT: &str = include_str!("../../../../../data/synonyms.tsv");

    /// A word or phrase, then the words it may stand for, each with a digit for how alike they are.
    fn lines() -> impl Iterator<Item = (&'static str, Vec<(&'static str, u8)>)> {
        TEXT.lines().filter(|line| !line.starts_with('#')).map(|line| {
            let (word, rest) = line.split_once(' ').unwrap();
            let entry = |entry: &'static str| {
                let (other, digit) = entry.split_at(entry.len() - 1);
                (other, digit.parse().unwrap())
            };
            (word, rest.split(' ').map(entry).collect())
        })
    }

    fn pack() -> Vec<u8> {
        let table: BTreeMap<_, _> = lines().collect();
        let words: BTreeSet<&str> = table
            .iter()
            .flat_map(|(word, others)| others.iter().map(|(other, _)| *other).chain([*word]))
            .collect();
        let places: BTreeMap<&str, u32> = words.iter().copied().zip(0..).collect();
        let (mut starts, mut blocks, mut before) = (Vec::new(), Vec::new(), "");
        for (at, word) in words.iter().enumerate() {
            if at % BLOCK == 0 {
                starts.extend(u32::try_from(blocks.len()).unwrap().to_le_bytes());
                before = "";
            }
            let shared = before.bytes().zip(word.bytes()).take_while(|(one, other)| one == other).count();
            let others = table.get(word).map_or(&[][..], Vec::as_slice);
            blocks.extend([shared, word.len() - shared].map(|length| u8::try_from(length).unwrap()));
            blocks.extend(&word.as_bytes()[shared..]);
            blocks.push(u8::try_from(others.len()).unwrap());
            for (other, alike) in others {
                blocks.extend(&(places[other] << 4 | u32::from(*alike)).to_le_bytes()[..3]);
            }
            before = word;
        }
        let notice = TEXT.lines().take_while(|line| line.starts_with('#')).flat_map(|line| [line, "\n"]);
        let mut packed: Vec<u8> = notice.collect::<String>().into_bytes();
        packed.push(0);
        packed.extend(u32::try_from(starts.len() / 4).unwrap().to_le_bytes());
        packed.extend(starts);
        packed.extend(blocks);
        packed
    }

    #[test]
    fn every_word_of_the_table_is_found_with_its_synonyms() {
        if std::env::var_os("UPDATE_SYNONYMS").is_some() {
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/synonyms.packed"), pack())
                .unwrap();
        }
        let bytes = pack();
        assert!(
            bytes == super::super::TABLE,
            "`data/synonyms.packed` is another table (hint: UPDATE_SYNONYMS=1)"
        );
        assert!(bytes.len() <= 5 << 18, "{} bytes", bytes.len());
        let packed = Packed::new(&bytes).unwrap();
        let mut count = 0;
        for (word, others) in lines() {
            let found: Vec<_> = packed.similar(word).unwrap().collect();
            assert!(
                found.iter().map(|(other, alike)| (other.as_str(), *alike)).eq(others),
                "{word}: {found:?}"
            );
            count += 1;
        }
        assert!(count > 20_000, "{count}");
        for word in ["", "#", "zzzz", "aaaa", "notaword", "doctor who"] {
            assert!(packed.similar(word).is_none(), "{word}");
        }
    }

    #[test]
    fn what_is_no_table_has_no_words() {
        assert!(Packed::new(b"").is_none() && Packed::new(b"\0\xff\xff\xff\xff").is_none());
        let cut = pack();
        let cut = Packed::new(&cut[..cut.len() / 2]).unwrap();
        assert!(cut.similar("zoo").is_none());
    }
}
