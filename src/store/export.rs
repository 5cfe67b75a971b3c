//! One session in one file.
//!
//! The file has two lines of JSON: what it is, with a checksum of the second, and the session. The checksum shows damage
//! and careless edits; it proves nothing about who made the file. What is imported is as untrusted as any other input:
//! every turn is replayed before anything is stored.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::digest::digest;
use super::model::check_id;
use super::{Keep, NewSession, OpenedSession, Position, Sessions, StoreError, StoredSession, rebuild};
use crate::base::json;
use crate::conversation::{Change, ConversationState};
use crate::graph::checksum::Checksum;
use crate::graph::journal::{Entry, Mark, RunRecord};
use crate::graph::{IdSource, RunId};

/// The version of the exported form that this release writes, and the newest that it reads.
pub const EXPORT_VERSION: u32 = 1;

/// A larger file is not read.
const LARGEST: usize = 256 * 1024 * 1024;

const FORMAT: &str = "sqlogue-session";

/// What becomes of an imported session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportAs {
    /// It can be looked at and branched.
    ReadOnly,
    /// It can be gone on with.
    Branch,
}

#[derive(Serialize, Deserialize)]
struct Label {
    format: String,
    version: u32,
    checksum: String,
}

#[derive(Serialize, Deserialize)]
struct Exported {
    session: StoredSession,
    turns: Vec<ExportedTurn>,
}

#[derive(Serialize, Deserialize)]
struct ExportedTurn {
    run: RunId,
    #[serde(flatten)]
    record: RunRecord,
}

impl Sessions {
    /// A session with all its finished turns, also those undone, as the text of a file.
    ///
    /// Rows are left out, also where the store keeps them, unless [`Keep::Rows`] asks for them.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`], [`StoreError::Damaged`].
    pub async fn export(&self, id: &str, keep: Keep) -> Result<String, StoreError> {
        let session = self.session(id).await?;
        let mut turns = Vec::new();
        for turn in self.store.turns(id).await? {
            let run = turn.run;
            if !turn.is_finished() {
                continue;
            }
            let RunRecord { header, steps, mark } =
                self.store.record(run).await?.ok_or(StoreError::UnknownTurn { run })?;
            let mut entry = Entry { run, header: Some(header), after: None, steps, mark: Some(mark) };
            digest(&mut entry, keep)?;
            if let (Some(header), Some(mark)) = (entry.header, entry.mark) {
                turns.push(ExportedTurn { run, record: RunRecord { header, steps: entry.steps, mark } });
            }
        }
        let json = |error: serde_json::Error| StoreError::Other(error.into());
        let body = serde_json::to_string(&Exported { session, turns }).map_err(json)?;
        let label = Label { format: FORMAT.to_owned(), version: EXPORT_VERSION, checksum: checksum(&body) };
        Ok(format!("{}\n{body}\n", serde_json::to_string(&label).map_err(json)?))
    }

    /// Makes a session of an exported one. Its turns get new ids, so the same file can be imported often.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] says what is wrong with the file, [`StoreError::NewerFormat`] that a later release made it,
    /// [`StoreError::SessionExists`] that `new_id` is taken.
    pub async fn import(
        &self,
        text: &str,
        new_id: &str,
        import_as: ImportAs,
        ids: &dyn IdSource,
        at: Timestamp,
    ) -> Result<OpenedSession, StoreError> {
        check_id(new_id)?;
        let Exported { session, turns } = read(text)?;
        if self.store.session(new_id).await?.is_some() {
            return Err(StoreError::SessionExists { id: new_id.to_owned() });
        }
        let names: BTreeMap<RunId, RunId> =
            turns.iter().map(|turn| (turn.run, RunId::new(ids.next_id()))).collect();
        let renamed = |run: Option<RunId>| {
            run.map(|run| {
                names.get(&run).copied().ok_or_else(|| damaged("it speaks of a turn that it lacks"))
            })
            .transpose()
        };
        let position =
            Position { head: renamed(session.position.head)?, tip: renamed(session.position.tip)? };
        check(&turns, &session)?;
        for ExportedTurn { run, record } in turns {
            let RunRecord { mut header, mut steps, mark } = record;
            let from = renamed(header.parent)?;
            header.parent = from;
            header.snapshot = header.snapshot.map(|snapshot| rename(&snapshot, &names));
            for step in &mut steps {
                step.changes = rename(&step.changes, &names);
            }
            let run = renamed(Some(run))?.unwrap_or(run);
            self.stand_at(new_id, from).await?;
            let written = self
                .store
                .write(new_id, Entry { run, header: Some(header), after: None, steps, mark: Some(mark) });
            if let Err(error) = written.await {
                // Half an import is none.
                self.store.delete(new_id).await?;
                return Err(error);
            }
        }
        match self.store.session(new_id).await? {
            Some(made) => self.store.move_head(new_id, made.position.head, position).await?,
            None => {
                let StoredSession { database, title, .. } = session;
                let id = new_id.to_owned();
                self.store.create(NewSession { id, database, title, at, position, read_only: false }).await?;
            }
        }
        if import_as == ImportAs::ReadOnly {
            self.store.protect(new_id).await?;
        }
        self.open(new_id).await
    }

    /// Moves the head to where the next turn was begun.
    async fn stand_at(&self, id: &str, head: Option<RunId>) -> Result<(), StoreError> {
        match self.store.session(id).await? {
            Some(session) if session.position.head != head => {
                self.store.move_head(id, session.position.head, Position::at(head)).await
            }
            _ => Ok(()),
        }
    }
}

fn damaged(problem: impl std::fmt::Display) -> StoreError {
    StoreError::Damaged {
        what: "the exported session".to_owned(),
        problem: problem.to_string().chars().take(300).collect(),
    }
}

fn read(text: &str) -> Result<Exported, StoreError> {
    if text.len() > LARGEST {
        return Err(damaged(format_args!("it is larger than {LARGEST} bytes")));
    }
    let (label, body) = text.split_once('\n').ok_or_else(|| damaged("it has one line only"))?;
    let label: Label = serde_json::from_str(label).map_err(|_| damaged("it is another kind of file"))?;
    if label.format != FORMAT {
        return Err(damaged("it is another kind of file"));
    }
    if label.version > EXPORT_VERSION {
        let (found, known) = (i64::from(label.version), i64::from(EXPORT_VERSION));
        return Err(StoreError::NewerFormat { found, known });
    }
    let body = body.trim_end_matches(['\r', '\n']);
    if checksum(body) != label.checksum {
        return Err(damaged("its checksum is wrong: it was changed or cut off"));
    }
    json::read(body).map_err(damaged)
}

/// Replays every turn, parents first, and checks the states that it leads to.
fn check(turns: &[ExportedTurn], session: &StoredSession) -> Result<(), StoreError> {
    let mut states = BTreeMap::new();
    for ExportedTurn { run, record } in turns {
        if record.mark != Mark::Finished {
            return Err(damaged("it has a turn that is not finished"));
        }
        let parent = record.header.parent.map(|parent| {
            states
                .get(&parent)
                .cloned()
                .ok_or_else(|| damaged("a turn stands before the one that it follows"))
        });
        let mut state = parent.transpose()?;
        if record.header.state_version == ConversationState::VERSION {
            check_shapes(record).map_err(damaged)?;
        }
        rebuild::fold(&mut state, *run, record, &record.steps)?;
        let state = state.ok_or_else(|| damaged("a turn leads to no state"))?;
        state.validate().map_err(damaged)?;
        if states.insert(*run, state).is_some() {
            return Err(damaged("a turn stands in it twice"));
        }
    }
    let known = |run: Option<RunId>| run.is_none_or(|run| states.contains_key(&run));
    if !known(session.position.head) || !known(session.position.tip) {
        return Err(damaged("the session stands at a turn that it lacks"));
    }
    Ok(())
}

/// Refuses texts of this release in which a list stands for an object.
fn check_shapes(record: &RunRecord) -> Result<(), String> {
    if let Some(snapshot) = &record.header.snapshot {
        json::read::<ConversationState>(snapshot)?;
    }
    record.steps.iter().try_for_each(|step| json::read::<Vec<Change>>(&step.changes).map(drop))
}

/// FNV-1a, as 16 hexadecimal digits.
fn checksum(text: &str) -> String {
    format!("fnv1a64:{}", Checksum::new().bytes(text.as_bytes()).hex())
}

/// The same text with the turns' new ids in place of the old, wherever one stands in quotes.
fn rename(text: &str, names: &BTreeMap<RunId, RunId>) -> String {
    let mut renamed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(quote) = rest.find('"') {
        let (before, after) = rest.split_at(quote + 1);
        renamed.push_str(before);
        rest = after;
        let id = after.get(..36).filter(|_| after.as_bytes().get(36) == Some(&b'"'));
        let new = id.and_then(|id| id.parse::<Uuid>().ok()).and_then(|id| names.get(&RunId::new(id)));
        if let Some(new) = new {
            renamed.push_str(&new.to_string());
            rest = after.get(36..).unwrap_or_default();
        }
    }
    renamed + rest
}
