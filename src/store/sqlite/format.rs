//! The tables of the file, and how those of an earlier release become those of this one.

use rusqlite::{Connection, params};
use uuid::Uuid;

use super::super::StoreError;
use super::super::row::{key_of, sum_of_text};
use super::{records, sessions, turns};
use crate::graph::RunId;
use crate::graph::journal::file::{Kind, Unusable};

/// Format 1 had no checksums and no leases.
pub(super) const KIND: Kind = Kind {
    // "sqls"
    application: 0x7371_6c73,
    format: 2,
    schema: SCHEMA,
};

const SCHEMA: &str = "
    CREATE TABLE sessions (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        database TEXT NOT NULL,
        title TEXT NOT NULL,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL,
        read_only INTEGER NOT NULL,
        head_run BLOB,
        tip_run BLOB,
        turns INTEGER NOT NULL DEFAULT 0,
        key INTEGER NOT NULL DEFAULT 0,
        sum INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    -- A name is looked for in two indexes, so that damage in one does not hide a conversation.
    CREATE INDEX sessions_by_key ON sessions (key);
    CREATE INDEX sessions_by_head ON sessions (head_run);
    CREATE INDEX sessions_by_tip ON sessions (tip_run);
    CREATE TABLE turns (
        id INTEGER PRIMARY KEY,
        run BLOB NOT NULL UNIQUE,
        session INTEGER NOT NULL,
        parent INTEGER,
        parent_run BLOB,
        number INTEGER NOT NULL,
        graph TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        state_version INTEGER NOT NULL,
        since_snapshot INTEGER NOT NULL,
        at INTEGER NOT NULL,
        mark TEXT NOT NULL,
        input TEXT NOT NULL,
        status TEXT,
        query TEXT,
        snapshot_sum INTEGER,
        steps INTEGER NOT NULL DEFAULT 0,
        steps_sum INTEGER NOT NULL DEFAULT 0,
        sum INTEGER NOT NULL DEFAULT 0,
        holder TEXT,
        lease INTEGER
    ) STRICT;
    CREATE INDEX turns_by_session ON turns (session);
    CREATE INDEX turns_by_parent ON turns (parent) WHERE parent IS NOT NULL;
    -- Apart from `turns`, so that setting a mark does not write the state again.
    CREATE TABLE snapshots (id INTEGER PRIMARY KEY, state TEXT NOT NULL) STRICT;
    -- A step's id is its turn's, shifted, plus its number: a turn's steps lie together, and writing one twice is a
    -- conflict without a second index.
    CREATE TABLE steps (
        id INTEGER PRIMARY KEY,
        node TEXT NOT NULL,
        changes TEXT NOT NULL,
        walk TEXT NOT NULL,
        at INTEGER NOT NULL,
        took_us INTEGER NOT NULL
    ) STRICT;
";

/// Columns get other names where a process of release 0.1.0 that has the file open would write them without their checksum:
/// it fails instead, and its conversation goes on in memory.
const FROM_FORMAT_1: &str = "
    ALTER TABLE sessions ADD COLUMN head_run BLOB;
    ALTER TABLE sessions ADD COLUMN tip_run BLOB;
    ALTER TABLE sessions ADD COLUMN turns INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN key INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sessions ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
    UPDATE sessions SET head_run = (SELECT run FROM turns WHERE turns.id = head),
                        tip_run = (SELECT run FROM turns WHERE turns.id = tip),
                        turns = (SELECT count(*) FROM turns WHERE turns.session = sessions.id);
    DROP INDEX sessions_by_use;
    DROP INDEX sessions_by_head;
    DROP INDEX sessions_by_tip;
    ALTER TABLE sessions DROP COLUMN head;
    ALTER TABLE sessions DROP COLUMN tip;
    CREATE INDEX sessions_by_key ON sessions (key);
    CREATE INDEX sessions_by_head ON sessions (head_run);
    CREATE INDEX sessions_by_tip ON sessions (tip_run);
    DROP INDEX turns_unfinished;
    ALTER TABLE turns ADD COLUMN snapshot_sum INTEGER;
    ALTER TABLE turns ADD COLUMN steps INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE turns ADD COLUMN steps_sum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE turns ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE turns ADD COLUMN holder TEXT;
    ALTER TABLE turns ADD COLUMN lease INTEGER;
    ALTER TABLE steps RENAME COLUMN moved TO walk;
";

/// Brings a file of format 1 to format 2.
pub(super) fn migrate(connection: &Connection, _: i64) -> Result<(), StoreError> {
    connection.execute_batch(FROM_FORMAT_1)?;
    let ids = |query: &str| -> Result<Vec<i64>, StoreError> {
        let mut select = connection.prepare(query)?;
        Ok(select.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    };
    for id in ids("SELECT id FROM sessions")? {
        readable(sum_session(connection, id))?;
    }
    for id in ids("SELECT id FROM turns")? {
        readable(sum_turn(connection, id))?;
    }
    Ok(())
}

/// What cannot be read keeps a wrong sum, and the rest is none the worse.
fn readable(summed: Result<(), StoreError>) -> Result<(), StoreError> {
    if let Err(StoreError::Damaged { .. }) = summed { Ok(()) } else { summed }
}

fn sum_session(connection: &Connection, id: i64) -> Result<(), StoreError> {
    let Some(row) = sessions::unchecked(connection, id)? else { return Ok(()) };
    connection.prepare_cached("UPDATE sessions SET key = ?2, sum = ?3 WHERE id = ?1")?.execute(params![
        id,
        key_of(&row.session.id),
        row.summed()
    ])?;
    Ok(())
}

fn sum_turn(connection: &Connection, id: i64) -> Result<(), StoreError> {
    let Some(mut row) = records::unchecked(connection, id)? else { return Ok(()) };
    row.snapshot_sum = records::snapshot(connection, &row)?.as_deref().map(sum_of_text);
    for (step, moved) in records::steps(connection, &row)? {
        row.add(&step, &moved);
    }
    turns::update(connection, &row)
}

impl From<Unusable> for StoreError {
    fn from(problem: Unusable) -> Self {
        match problem {
            Unusable::Foreign(problem) => Self::NotAStore(problem),
            Unusable::Newer { found, known } => Self::NewerFormat { found, known },
            Unusable::Sqlite(error) => error.into(),
        }
    }
}

/// A run's id as it is stored.
pub(super) fn run_of(bytes: [u8; 16]) -> RunId {
    RunId::new(Uuid::from_bytes(bytes))
}
