//! A store in memory: for tests, and for programs that need undo but no file.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::future::ready;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::digest::{Digest, digest, title};
use super::lease;
use super::model::check_id;
use super::row::{GIVEN_UP, is_abandoned};
use super::{
    Keep, NewSession, Position, SessionFilter, Store, StoreError, StoreFuture, StoredSession, TurnInfo,
};
use crate::conversation::ConversationState;
use crate::graph::RunId;
use crate::graph::journal::{Entry, Header, Mark, RunRecord, Summary};

/// Keeps conversations for as long as it lives.
#[derive(Debug, Default)]
pub struct MemoryStore {
    keep: Keep,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    sessions: BTreeMap<String, StoredSession>,
    turns: HashMap<RunId, Turn>,
    /// The turns of each session that has some. No work is for all turns: a server keeps many.
    own: HashMap<String, Vec<RunId>>,
    /// How many turns were ever begun.
    begun: u64,
}

#[derive(Debug)]
struct Turn {
    info: TurnInfo,
    record: RunRecord,
    /// The place in the order in which turns began: parents come before children.
    place: u64,
    /// The turns that went on from it, of whichever session.
    children: Vec<RunId>,
}

impl Turn {
    /// What is listed of it now.
    fn info(&self) -> TurnInfo {
        let info = self.info.clone();
        TurnInfo { running: info.mark == Mark::Running && lease::is_walked_here(info.run), ..info }
    }
}

impl MemoryStore {
    /// An empty store.
    pub fn new(keep: Keep) -> Self {
        Self { keep, held: Mutex::default() }
    }

    fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Held) -> Result<T, StoreError>,
    ) -> StoreFuture<'static, T> {
        let done = work(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner));
        Box::pin(ready(done))
    }
}

impl Held {
    fn session(&mut self, id: &str) -> Result<&mut StoredSession, StoreError> {
        self.sessions.get_mut(id).ok_or_else(|| StoreError::UnknownSession { id: id.to_owned() })
    }

    fn turn(&self, run: RunId) -> Option<&Turn> {
        self.turns.get(&run)
    }

    fn unfinished(&mut self, run: RunId) -> Result<Option<&mut Turn>, StoreError> {
        match self.turns.get_mut(&run) {
            Some(turn) if turn.info.is_finished() => Err(StoreError::Finished { run }),
            Some(turn) if turn.info().running => Err(StoreError::Running { run }),
            turn => Ok(turn),
        }
    }

    fn create(&mut self, new: NewSession) -> Result<StoredSession, StoreError> {
        check_id(&new.id)?;
        let NewSession { id, database, title, at, position, read_only } = new;
        if self.sessions.contains_key(&id) {
            return Err(StoreError::SessionExists { id });
        }
        self.check(position)?;
        let session = StoredSession {
            id: id.clone(),
            database,
            title,
            created: at,
            updated: at,
            position,
            read_only,
            damaged: None,
        };
        self.sessions.insert(id, session.clone());
        Ok(session)
    }

    fn check(&self, position: Position) -> Result<(), StoreError> {
        let missing =
            [position.head, position.tip].into_iter().flatten().find(|run| self.turn(*run).is_none());
        missing.map_or(Ok(()), |run| Err(StoreError::UnknownTurn { run }))
    }

    fn list(&self, filter: &SessionFilter) -> Vec<StoredSession> {
        let mut sessions: Vec<StoredSession> =
            self.sessions.values().filter(|session| filter.fits(session)).cloned().collect();
        sessions.sort_by_key(|session| std::cmp::Reverse(session.updated));
        sessions.into_iter().skip(filter.skip).take(filter.limit.unwrap_or(usize::MAX)).collect()
    }

    /// The turns that lead to these, and these.
    fn ancestors(&self, from: impl IntoIterator<Item = RunId>) -> BTreeSet<RunId> {
        let mut seen = BTreeSet::new();
        let mut next: Vec<RunId> = from.into_iter().collect();
        while let Some(run) = next.pop() {
            if let Some(turn) = self.turn(run).filter(|_| seen.insert(run)) {
                next.extend(turn.info.parent);
            }
        }
        seen
    }

    /// The turns of a session's tree, parents before children.
    fn tree(&self, session: &StoredSession) -> Vec<&Turn> {
        let own = self.own.get(&session.id).into_iter().flatten().copied();
        let Position { head, tip } = session.position;
        let tree = self.ancestors(own.chain(head).chain(tip));
        let mut turns: Vec<&Turn> = tree.iter().filter_map(|run| self.turn(*run)).collect();
        turns.sort_by_key(|turn| turn.place);
        turns
    }

    fn delete(&mut self, id: &str) -> bool {
        if self.sessions.remove(id).is_none() {
            return false;
        }
        let mut left: HashSet<RunId> = self.own.remove(id).unwrap_or_default().into_iter().collect();
        // Turns at which another session stands, or from which it went on, and what led to them, become that session's.
        for (turn, heir) in self.shared(&left) {
            for run in self.ancestors([turn]) {
                if left.remove(&run) {
                    self.own.entry(heir.clone()).or_default().push(run);
                    self.turns.entry(run).and_modify(|turn| turn.info.session.clone_from(&heir));
                }
            }
        }
        for run in left {
            self.remove(run);
        }
        true
    }

    /// Those of a deleted session's turns that others refer to, with the sessions that do.
    fn shared(&self, left: &HashSet<RunId>) -> Vec<(RunId, String)> {
        let stand = self.sessions.values().flat_map(|session| {
            let Position { head, tip } = session.position;
            [head, tip].into_iter().flatten().map(|run| (run, session.id.clone()))
        });
        let children = left.iter().filter_map(|run| self.turn(*run)).flat_map(|turn| {
            let children = turn.children.iter().filter(|run| !left.contains(run));
            let children = children.filter_map(|run| self.turn(*run));
            children.map(|child| (turn.info.run, child.info.session.clone()))
        });
        stand.filter(|(run, _)| left.contains(run)).chain(children).collect()
    }

    /// Takes a turn out, wherever it is known.
    fn remove(&mut self, run: RunId) {
        let Some(Turn { info, .. }) = self.turns.remove(&run) else { return };
        if let Some(own) = self.own.get_mut(&info.session) {
            own.retain(|own| *own != run);
        }
        if let Some(parent) = info.parent.and_then(|parent| self.turns.get_mut(&parent)) {
            parent.children.retain(|child| *child != run);
        }
    }

    fn write(&mut self, session: &str, entry: Entry, digest: Digest) -> Result<(), StoreError> {
        let run = entry.run;
        // Everything is checked before anything is changed.
        let last = match (&entry.header, self.turn(run)) {
            (Some(_), Some(_)) => return Err(StoreError::TurnConflict { run, step: 0 }),
            (None, None) => return Err(StoreError::UnknownTurn { run }),
            (Some(_), None) => None,
            (None, Some(turn)) => turn.record.steps.last().map(|step| step.step),
        };
        let conflict = |step| Err(StoreError::TurnConflict { run, step });
        let given_up = self.turn(run).is_some_and(|turn| is_abandoned(&turn.info.mark));
        if last != entry.after || given_up {
            return conflict(entry.steps.first().map_or_else(|| last.unwrap_or(0), |step| step.step));
        }
        let mut before = last;
        for step in &entry.steps {
            if before.is_some_and(|before| step.step <= before) {
                return conflict(step.step);
            }
            before = Some(step.step);
        }
        let finishes = entry.mark == Some(Mark::Finished);
        if finishes && self.turn(run).is_some_and(|turn| turn.info.is_finished()) {
            return conflict(last.unwrap_or(0));
        }
        let known = self.turn(run).map(|turn| turn.record.header.parent);
        let parent = entry.header.as_ref().map(|header| header.parent).or(known).flatten();
        if let Some(known) = self.sessions.get(session) {
            if known.read_only && entry.header.is_some() {
                return Err(StoreError::ReadOnlySession { id: session.to_owned() });
            }
            if (finishes || entry.header.is_some())
                && let Err(conflict) = known.stands_at(parent)
            {
                self.give_up(run, GIVEN_UP);
                return Err(conflict);
            }
        } else if parent.is_some() {
            return Err(StoreError::Conflict { session: session.to_owned(), expected: parent, found: None });
        }
        if let Some(header) = entry.header {
            self.begin(session, run, header, &digest)?;
        }
        let Some(turn) = self.turns.get_mut(&run) else { return Ok(()) };
        let at = entry.steps.last().map_or(turn.info.at, |step| step.at);
        turn.record.steps.extend(entry.steps);
        turn.info.steps = turn.record.steps.last().map_or(0, |step| step.step + 1);
        turn.info.status = digest.status.map(str::to_owned).or(turn.info.status.take());
        turn.info.query = digest.query.or(turn.info.query.take());
        if let Some(mark) = entry.mark {
            turn.info.mark = mark.clone();
            turn.record.mark = mark;
        }
        if finishes {
            let session = self.session(session)?;
            session.position = Position::at(Some(run));
            session.updated = session.updated.max(at);
        }
        Ok(())
    }

    /// Marks a turn that was begun as one that leads nowhere any more.
    fn give_up(&mut self, run: RunId, reason: &str) {
        if let Some(turn) = self.turns.get_mut(&run) {
            turn.record.mark = Mark::Abandoned { reason: reason.to_owned() };
            turn.info.mark = turn.record.mark.clone();
        }
    }

    fn begin(
        &mut self,
        session: &str,
        run: RunId,
        header: Header,
        digest: &Digest,
    ) -> Result<(), StoreError> {
        let said = digest.input.as_deref().unwrap_or_default();
        if !self.sessions.contains_key(session) {
            let state: Option<ConversationState> =
                header.snapshot.as_deref().and_then(|text| serde_json::from_str(text).ok());
            let database = state.map_or_else(String::new, |state| state.database);
            let (id, title, at) = (session.to_owned(), title(said), header.at);
            self.create(NewSession {
                id,
                database,
                title,
                at,
                position: Position::default(),
                read_only: false,
            })?;
        }
        let known = self.session(session)?;
        if known.title.is_empty() {
            known.title = title(said);
        }
        let mut number = 1;
        if let Some(parent) = header.parent.and_then(|parent| self.turns.get_mut(&parent)) {
            number += parent.info.number;
            parent.children.push(run);
        }
        let info = TurnInfo {
            run,
            session: session.to_owned(),
            parent: header.parent,
            number,
            at: header.at,
            mark: Mark::Running,
            input: said.to_owned(),
            status: None,
            query: None,
            steps: 0,
            running: false,
            damaged: None,
        };
        self.begun += 1;
        let record = RunRecord { header, steps: Vec::new(), mark: Mark::Running };
        self.turns.insert(run, Turn { info, record, place: self.begun, children: Vec::new() });
        self.own.entry(session.to_owned()).or_default().push(run);
        Ok(())
    }
}

impl Store for MemoryStore {
    fn keep(&self) -> Keep {
        self.keep
    }

    fn create(&self, session: NewSession) -> StoreFuture<'_, StoredSession> {
        self.with(|held| held.create(session))
    }

    fn session<'a>(&'a self, id: &'a str) -> StoreFuture<'a, Option<StoredSession>> {
        self.with(|held| Ok(held.sessions.get(id).cloned()))
    }

    fn sessions(&self, filter: SessionFilter) -> StoreFuture<'_, Vec<StoredSession>> {
        self.with(|held| Ok(held.list(&filter)))
    }

    fn move_head<'a>(&'a self, id: &'a str, from: Option<RunId>, to: Position) -> StoreFuture<'a, ()> {
        self.with(|held| {
            let session = held.session(id)?;
            if session.read_only {
                return Err(StoreError::ReadOnlySession { id: id.to_owned() });
            }
            let found = session.position.head;
            if found != from {
                return Err(StoreError::Conflict { session: id.to_owned(), expected: from, found });
            }
            held.check(to)?;
            held.session(id)?.position = to;
            Ok(())
        })
    }

    fn protect<'a>(&'a self, id: &'a str) -> StoreFuture<'a, ()> {
        self.with(|held| {
            held.session(id)?.read_only = true;
            Ok(())
        })
    }

    fn delete<'a>(&'a self, id: &'a str) -> StoreFuture<'a, bool> {
        self.with(|held| Ok(held.delete(id)))
    }

    fn write<'a>(&'a self, session: &'a str, entry: Entry) -> StoreFuture<'a, ()> {
        let mut entry = entry;
        let digest = check_id(session).and_then(|()| digest(&mut entry, self.keep));
        self.with(|held| held.write(session, entry, digest?))
    }

    fn hold(&self, run: RunId) -> StoreFuture<'_, ()> {
        self.with(|held| match held.turn(run).map(|turn| &turn.info.mark) {
            Some(Mark::Finished) => Err(StoreError::Finished { run }),
            Some(Mark::Abandoned { .. }) => Err(StoreError::Abandoned { run }),
            Some(_) => Ok(()),
            None => Err(StoreError::UnknownTurn { run }),
        })
    }

    fn lease(&self) -> Duration {
        lease::LEASE
    }

    fn turns<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Vec<TurnInfo>> {
        self.with(|held| {
            let session = held.session(session)?.clone();
            Ok(held.tree(&session).into_iter().map(Turn::info).collect())
        })
    }

    fn unfinished<'a>(&'a self, session: &'a str) -> StoreFuture<'a, Vec<TurnInfo>> {
        self.with(|held| {
            held.session(session)?;
            let own = held.own.get(session).into_iter().flatten();
            let turns = own.filter_map(|run| held.turn(*run)).map(Turn::info);
            Ok(turns.filter(|turn| turn.running || turn.is_interrupted()).collect())
        })
    }

    fn turn(&self, run: RunId) -> StoreFuture<'_, Option<TurnInfo>> {
        self.with(|held| Ok(held.turn(run).map(Turn::info)))
    }

    fn record(&self, run: RunId) -> StoreFuture<'_, Option<RunRecord>> {
        self.with(|held| Ok(held.turn(run).map(|turn| turn.record.clone())))
    }

    fn summary(&self, run: RunId) -> StoreFuture<'_, Option<Summary>> {
        self.with(|held| {
            Ok(held.turn(run).map(|turn| Summary {
                run,
                header: Header { snapshot: None, ..turn.record.header.clone() },
                mark: turn.record.mark.clone(),
                last_step: turn.record.steps.last().map(|step| step.step),
            }))
        })
    }

    fn rewind(&self, run: RunId, steps: u32) -> StoreFuture<'_, ()> {
        self.with(|held| {
            let turn = held.unfinished(run)?.ok_or(StoreError::UnknownTurn { run })?;
            turn.record.steps.retain(|step| step.step < steps);
            turn.info.steps = turn.record.steps.last().map_or(0, |step| step.step + 1);
            (turn.info.status, turn.info.mark, turn.record.mark) = (None, Mark::Running, Mark::Running);
            Ok(())
        })
    }

    fn drop_turn(&self, run: RunId) -> StoreFuture<'_, bool> {
        self.with(|held| {
            let known = held.unfinished(run)?.is_some();
            held.remove(run);
            Ok(known)
        })
    }

    fn give_up<'a>(&'a self, run: RunId, reason: &'a str) -> StoreFuture<'a, bool> {
        self.with(|held| match held.turn(run).map(|turn| turn.info.is_finished()) {
            None => Ok(false),
            Some(true) => Err(StoreError::Finished { run }),
            Some(false) => {
                held.give_up(run, reason);
                Ok(true)
            }
        })
    }

    fn size(&self) -> StoreFuture<'_, u64> {
        self.with(|held| {
            let bytes = |turn: &Turn| {
                let steps: usize = turn.record.steps.iter().map(|step| step.changes.len()).sum();
                steps + turn.record.header.snapshot.as_ref().map_or(0, String::len) + turn.info.input.len()
            };
            Ok(held.turns.values().map(bytes).sum::<usize>() as u64)
        })
    }

    fn vacuum(&self) -> StoreFuture<'_, ()> {
        self.with(|_| Ok(()))
    }
}
