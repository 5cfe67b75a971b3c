//! The tables of the real tokenizers.
//!
//! They are those of `tiktoken-rs`, whose own copies are text: packed here they take a quarter of the room in the program.
//! A file under `data/` is compressed by zlib: the number of tokens (four bytes, the lowest first), the length of each in
//! a byte, then the tokens, all in the order of their ranks. A test compares them with those of `tiktoken-rs`, and writes
//! them anew with `UPDATE_TOKENS=1`.

use std::io::Read as _;
use std::sync::OnceLock;

use tiktoken_rs::{CoreBPE, O200K_BASE_PAT_STR};

use super::{Estimate, Tokenizer};

/// Counts as one of the tokenizers does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Table {
    O200k,
    Cl100k,
}

impl Table {
    fn packed(self) -> &'static [u8] {
        match self {
            Self::O200k => include_bytes!("../../../../data/o200k.tokens"),
            Self::Cl100k => include_bytes!("../../../../data/cl100k.tokens"),
        }
    }

    /// What cuts a text into words. `tiktoken-rs` does not export that of the older tokenizer.
    fn words(self) -> &'static str {
        match self {
            Self::O200k => O200K_BASE_PAT_STR,
            Self::Cl100k => {
                r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
            }
        }
    }

    /// Reads it, once for the whole process.
    fn read(self) -> Option<&'static CoreBPE> {
        static O200K: OnceLock<Option<CoreBPE>> = OnceLock::new();
        static CL100K: OnceLock<Option<CoreBPE>> = OnceLock::new();
        let read = match self {
            Self::O200k => &O200K,
            Self::Cl100k => &CL100K,
        };
        let tables = || {
            let encoder = tokens(self.packed())?.into_iter().zip(0..).collect();
            CoreBPE::new(encoder, std::iter::empty().collect(), self.words()).ok()
        };
        read.get_or_init(tables).as_ref()
    }
}

/// The tokens of a packed table, in the order of their ranks.
fn tokens(packed: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut bytes = Vec::new();
    flate2::read::ZlibDecoder::new(packed).read_to_end(&mut bytes).ok()?;
    let (count, rest) = bytes.split_first_chunk::<4>()?;
    let (lengths, mut rest) = rest.split_at_checked(u32::from_le_bytes(*count) as usize)?;
    lengths
        .iter()
        .map(|length| {
            let (token, later) = rest.split_at_checked(usize::from(*length))?;
            rest = later;
            Some(token.to_vec())
        })
        .collect()
}

impl Tokenizer for Table {
    fn count(&self, text: &str) -> usize {
        // The tables are part of the program, so they can be read; were they not, an estimate is too much rather than too little.
        self.read().map_or_else(|| Estimate.count(text), |tables| count(tables, text))
    }
}

/// The tokenizer works on words; cutting a text that has none every so many bytes keeps its cost linear.
const PIECE: usize = 1000;

fn count(tables: &CoreBPE, text: &str) -> usize {
    let mut rest = text;
    let mut tokens = 0;
    while !rest.is_empty() {
        let piece =
            rest.get(..rest.floor_char_boundary(PIECE)).filter(|piece| !piece.is_empty()).unwrap_or(rest);
        // A cut at the last break between words counts as the whole would.
        let end = match piece.len() < rest.len() {
            true => piece.rfind([' ', '\n']).filter(|at| *at > 0).unwrap_or(piece.len()),
            false => piece.len(),
        };
        let (now, later) = rest.split_at_checked(end).unwrap_or((rest, ""));
        tokens += tables.count_ordinary(now);
        rest = later;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    /// Each table, its file, and the one of `tiktoken-rs`.
    fn all() -> [(Table, &'static str, &'static CoreBPE); 2] {
        [
            (Table::O200k, "data/o200k.tokens", tiktoken_rs::o200k_base_singleton()),
            (Table::Cl100k, "data/cl100k.tokens", tiktoken_rs::cl100k_base_singleton()),
        ]
    }

    #[test]
    fn the_tables_are_those_of_tiktoken() {
        for (table, file, theirs) in all() {
            // Behind the last token of the table there is a gap, and then the special ones.
            let wanted: Vec<Vec<u8>> = (0..).map_while(|rank| theirs.decode_bytes(&[rank]).ok()).collect();
            assert!(wanted.len() > 100_000);
            if std::env::var_os("UPDATE_TOKENS").is_some() {
                let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
                packed.write_all(&u32::try_from(wanted.len()).unwrap().to_le_bytes()).unwrap();
                let lengths: Vec<u8> = wanted.iter().map(|token| token.len().try_into().unwrap()).collect();
                packed.write_all(&lengths).unwrap();
                packed.write_all(&wanted.concat()).unwrap();
                let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
                std::fs::write(path, packed.finish().unwrap()).unwrap();
            } else {
                let tokens = tokens(table.packed()).unwrap();
                assert!(tokens == wanted, "{file} differs (hint: `UPDATE_TOKENS=1` writes it anew)");
            }
        }
    }

    #[test]
    fn texts_are_cut_as_tiktoken_cuts_them() {
        let texts = [
            "How many singers are there in each country, and what's their average age?\n\n  SELECT 12345, 'é' FROM t;\r\n",
            "I'LL don't WE'VE 𝒳 日本語のテキスト — ümlauts\t\ttabs   end   ",
            "CREATE TABLE x (\n    id INTEGER,\n    name TEXT -- ünïcode\n);\n\n\n",
        ];
        for (table, file, theirs) in all() {
            for text in texts {
                let ours = table.read().unwrap();
                assert_eq!(ours.encode_ordinary(text), theirs.encode_ordinary(text), "{file}");
            }
        }
    }
}
