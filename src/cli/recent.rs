//! The conversations of a batch: those used last in memory, the others in a private temporary file until they are gone on
//! with. However many there are, memory does not grow with them.

use std::collections::{BTreeMap, HashMap};
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use rusqlite::{Connection, OptionalExtension as _};
use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::oneshot::{Receiver, Sender, channel};

use crate::conversation::ConversationState;

/// Conversations by name.
pub(super) struct Recent {
    /// So many stay in memory.
    most: usize,
    here: HashMap<String, (u64, Here)>,
    /// Those that are here by their last use.
    order: BTreeMap<u64, String>,
    uses: u64,
    away: Option<Away>,
    /// Why nothing more can be put away.
    full: bool,
}

/// What a line leaves: a conversation, or none yet, or why there is none any more.
pub(super) type Left = Result<Option<Box<ConversationState>>, String>;

/// A conversation in memory.
enum Here {
    /// What its latest line leaves will arrive.
    Coming(Receiver<Left>),
    Arrived(Left),
}

/// What a line goes on from.
pub(super) enum Before {
    /// Nothing was said yet.
    Nothing,
    Coming(Receiver<Left>),
    Arrived(Left),
    /// The conversation was put away.
    Away(Packed),
}

impl Before {
    /// What the line before left. A conversation that is lost stays so: it does not begin anew without a word.
    pub(super) async fn left(self) -> Left {
        match self {
            Self::Nothing => Ok(None),
            Self::Coming(left) => left.await.unwrap_or_else(|_| Err(BROUGHT_DOWN.to_owned())),
            Self::Arrived(left) => left,
            Self::Away(packed) => {
                packed.state().map(|state| Some(Box::new(state))).map_err(|error| error.to_string())
            }
        }
    }
}

const BROUGHT_DOWN: &str = "an internal error ended the line before";

impl Recent {
    pub(super) fn new(most: usize) -> Self {
        let (here, order) = (HashMap::new(), BTreeMap::new());
        Self { most, here, order, uses: 0, away: None, full: false }
    }

    /// Gives a conversation to its next line, and takes from it what it leaves. Those that were not used for longest are put
    /// away.
    pub(super) fn next(&mut self, name: String) -> (Before, Sender<Left>) {
        let before = self.take(&name);
        let (sender, receiver) = channel();
        self.put(name, receiver);
        (before, sender)
    }

    fn take(&mut self, name: &str) -> Before {
        if let Some((used, here)) = self.here.remove(name) {
            self.order.remove(&used);
            return match here {
                Here::Coming(left) => Before::Coming(left),
                Here::Arrived(left) => Before::Arrived(left),
            };
        }
        match self.away.as_ref().map(|away| away.take(name)) {
            None | Some(Ok(None)) => Before::Nothing,
            Some(Ok(Some(packed))) => Before::Away(packed),
            Some(Err(error)) => Before::Arrived(Err(error.to_string())),
        }
    }

    fn put(&mut self, name: String, left: Receiver<Left>) {
        self.uses += 1;
        self.order.insert(self.uses, name.clone());
        self.here.insert(name, (self.uses, Here::Coming(left)));
        let mut after = 0;
        while self.here.len() > self.most && !self.full {
            let Some((used, name)) = self.order.range(after..).next() else { return };
            let (used, name) = (*used, name.clone());
            after = used + 1;
            self.put_away(used, name);
        }
    }

    /// Puts one away, unless its line is still being answered.
    fn put_away(&mut self, used: u64, name: String) {
        let left = match self.here.remove(&name) {
            Some((_, Here::Arrived(left))) => left,
            Some((_, Here::Coming(mut coming))) => match coming.try_recv() {
                Ok(left) => left,
                Err(TryRecvError::Empty) => {
                    self.here.insert(name, (used, Here::Coming(coming)));
                    return;
                }
                Err(TryRecvError::Closed) => Err(BROUGHT_DOWN.to_owned()),
            },
            None => Ok(None),
        };
        match &left {
            Ok(None) => {}
            Ok(Some(state)) => {
                if let Err(error) = self.keep(&name, state) {
                    tracing::warn!(%error, "conversations stay in memory");
                    self.full = true;
                    self.here.insert(name, (used, Here::Arrived(left)));
                    return;
                }
            }
            // Why it is lost takes no room worth a file.
            Err(_) => {
                self.here.insert(name, (used, Here::Arrived(left)));
                return;
            }
        }
        self.order.remove(&used);
    }

    fn keep(&mut self, name: &str, state: &ConversationState) -> Result<(), Problem> {
        let packed = Packed::of(state)?;
        if self.away.is_none() {
            self.away = Some(Away::new()?);
        }
        self.away.as_ref().map_or(Ok(()), |away| Ok(away.put(name, &packed)?))
    }
}

type Problem = Box<dyn std::error::Error + Send + Sync>;

/// A saved conversation, compressed: an eighth of its size.
pub(super) struct Packed(Vec<u8>);

impl Packed {
    fn of(state: &ConversationState) -> Result<Self, Problem> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(state.to_json()?.as_bytes())?;
        Ok(Self(encoder.finish()?))
    }

    fn state(&self) -> Result<ConversationState, Problem> {
        let mut json = String::new();
        DeflateDecoder::new(self.0.as_slice()).read_to_string(&mut json)?;
        Ok(ConversationState::from_json(&json)?)
    }
}

/// A file in the system's folder for temporary files that only this process can read, and that is gone with it, however it
/// ends. Which conversations are in it stands in it too.
struct Away(Connection);

impl Away {
    fn new() -> rusqlite::Result<Self> {
        // An empty path is what SQLite calls such a file.
        let file = Connection::open("")?;
        file.execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;
             CREATE TABLE away (name TEXT PRIMARY KEY, state BLOB NOT NULL) STRICT, WITHOUT ROWID;",
        )?;
        Ok(Self(file))
    }

    fn put(&self, name: &str, packed: &Packed) -> rusqlite::Result<()> {
        let mut insert =
            self.0.prepare_cached("INSERT OR REPLACE INTO away (name, state) VALUES (?1, ?2)")?;
        insert.execute((name, &packed.0)).map(|_| ())
    }

    fn take(&self, name: &str) -> rusqlite::Result<Option<Packed>> {
        let mut select = self.0.prepare_cached("SELECT state FROM away WHERE name = ?1")?;
        let packed = select.query_row([name], |row| row.get(0).map(Packed)).optional()?;
        if packed.is_some() {
            self.0.prepare_cached("DELETE FROM away WHERE name = ?1")?.execute([name])?;
        }
        Ok(packed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn said(recent: &mut Recent, name: &str) -> Result<Option<String>, String> {
        let (before, sender) = recent.next(name.to_owned());
        let left = before.left().await;
        sender.send(left.clone()).unwrap();
        left.map(|state| state.map(|state| state.user_question))
    }

    fn say(recent: &mut Recent, name: &str, question: &str) {
        let mut state = ConversationState::new(name, "shop");
        state.user_question = question.to_owned();
        recent.next(name.to_owned()).1.send(Ok(Some(Box::new(state)))).unwrap();
    }

    #[tokio::test]
    async fn conversations_come_back_from_wherever_they_are() {
        let mut recent = Recent::new(3);
        for name in 0..50 {
            say(&mut recent, &name.to_string(), &format!("question {name}"));
            assert!(recent.here.len() <= 4 && recent.here.len() == recent.order.len());
        }
        for name in 0..50 {
            let name = name.to_string();
            assert_eq!(said(&mut recent, &name).await, Ok(Some(format!("question {name}"))));
            say(&mut recent, &name, "again");
        }
        assert_eq!(said(&mut recent, "7").await, Ok(Some("again".to_owned())));
        assert_eq!(said(&mut recent, "never").await, Ok(None));
    }

    #[tokio::test]
    async fn one_whose_line_is_being_answered_stays() {
        let mut recent = Recent::new(1);
        let (_, slow) = recent.next("slow".to_owned());
        for name in ["a", "b", "c"] {
            say(&mut recent, name, name);
        }
        assert!(!slow.is_closed() && recent.here.contains_key("slow"));
        assert_eq!(said(&mut recent, "a").await, Ok(Some("a".to_owned())));
    }

    #[tokio::test]
    async fn one_that_is_lost_does_not_begin_anew() {
        let mut recent = Recent::new(1);
        for name in ["a", "b", "c"] {
            say(&mut recent, name, name);
        }
        recent
            .away
            .as_ref()
            .unwrap()
            .0
            .execute("UPDATE away SET state = x'00' WHERE name = 'a'", [])
            .unwrap();
        assert!(said(&mut recent, "a").await.is_err());
        for name in ["d", "e", "f"] {
            say(&mut recent, name, name);
        }
        assert!(said(&mut recent, "a").await.is_err(), "also when others were asked meanwhile");
        // A line that brought its task down.
        drop(recent.next("b".to_owned()));
        say(&mut recent, "c", "c");
        assert!(said(&mut recent, "b").await.is_err());
    }
}
