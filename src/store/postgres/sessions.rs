//! Sessions in PostgreSQL.

use jiff::Timestamp;
use tokio_postgres::{Error, Row, Transaction};
use uuid::Uuid;

use super::super::row::{SessionRow, key_of};
use super::super::{NewSession, Position, SessionFilter, StoreError, StoredSession};
use super::turns;
use crate::graph::RunId;

pub(super) const SELECT: &str = "
    SELECT id, name, database, title, created, updated, read_only, head_run, tip_run, turns, sum
    FROM sqlogue.sessions";

pub(super) fn run_of(bytes: Option<&[u8]>) -> Option<RunId> {
    Uuid::from_slice(bytes?).ok().map(RunId::new)
}

pub(super) fn session_row(row: &Row) -> Result<SessionRow, Error> {
    let time = |name: &str| row.try_get(name).map(|at| Timestamp::from_microsecond(at).unwrap_or_default());
    let session = StoredSession {
        id: row.try_get("name")?,
        database: row.try_get("database")?,
        title: row.try_get("title")?,
        created: time("created")?,
        updated: time("updated")?,
        position: Position { head: run_of(row.try_get("head_run")?), tip: run_of(row.try_get("tip_run")?) },
        read_only: row.try_get("read_only")?,
        damaged: None,
    };
    Ok(SessionRow { id: row.try_get("id")?, session, turns: row.try_get("turns")?, sum: row.try_get("sum")? })
}

/// The row of a name, whatever its checksum says; none where there is no such session.
async fn look_up(transaction: &Transaction<'_>, id: &str) -> Result<Option<SessionRow>, StoreError> {
    // No text with a NUL can be sent, and no session has one in its name.
    if id.contains('\0') {
        return Ok(None);
    }
    // The key finds the row also where the name in it was changed.
    let query = format!("{SELECT} WHERE name = $1 OR key = $2 ORDER BY (name = $1) DESC");
    let rows = transaction.query(&query, &[&id, &key_of(id)]).await?;
    for row in &rows {
        let row = session_row(row)?;
        if row.session.id == id || !row.is_sound() {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

pub(super) async fn find(transaction: &Transaction<'_>, id: &str) -> Result<Option<SessionRow>, StoreError> {
    match look_up(transaction, id).await? {
        Some(row) if !row.is_sound() => Err(StoreError::damaged_session(id)),
        row => Ok(row),
    }
}

pub(super) async fn known(transaction: &Transaction<'_>, id: &str) -> Result<SessionRow, StoreError> {
    find(transaction, id).await?.ok_or_else(|| StoreError::UnknownSession { id: id.to_owned() })
}

/// The row of a session, whatever its checksum says: its turns are looked up also where it is damaged itself.
pub(super) async fn found(transaction: &Transaction<'_>, id: &str) -> Result<SessionRow, StoreError> {
    look_up(transaction, id).await?.ok_or_else(|| StoreError::UnknownSession { id: id.to_owned() })
}

pub(super) async fn list(
    transaction: &Transaction<'_>,
    filter: &SessionFilter,
) -> Result<Vec<StoredSession>, StoreError> {
    let before = filter.used_before.map(Timestamp::as_microsecond);
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let (limit, skip) = (filter.limit.map(number), number(filter.skip));
    let database = filter.database.as_ref().map(|name| name.replace('\0', ""));
    let begins = filter.id_begins.as_ref().map(|begin| begin.replace('\0', ""));
    let query = format!(
        "{SELECT} WHERE ($1::text IS NULL OR database = $1) AND ($2::bigint IS NULL OR updated < $2)
         AND ($5::text IS NULL OR starts_with(name, $5))
         ORDER BY updated DESC, sessions.id DESC LIMIT $3::bigint OFFSET $4::bigint"
    );
    let rows = transaction.query(&query, &[&database, &before, &limit, &skip, &begins]).await?;
    rows.iter().map(|row| Ok(session_row(row)?.listed())).collect()
}

pub(super) async fn create(
    transaction: &Transaction<'_>,
    new: &NewSession,
) -> Result<SessionRow, StoreError> {
    if find(transaction, &new.id).await?.is_some() {
        return Err(StoreError::SessionExists { id: new.id.clone() });
    }
    let NewSession { id, at, position, read_only, .. } = new.clone();
    check(transaction, position).await?;
    let (database, title) = (new.database.replace('\0', ""), new.title.replace('\0', ""));
    let row = transaction
        .query_one(
            "INSERT INTO sqlogue.sessions (name, database, title, created, updated, read_only, key)
             VALUES ($1, $2, $3, $4, $4, $5, $6) RETURNING id",
            &[&id, &database, &title, &at.as_microsecond(), &read_only, &key_of(&id)],
        )
        .await?;
    // As it is stored, which is to the microsecond.
    let at = Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at);
    let session =
        StoredSession { id, database, title, created: at, updated: at, position, read_only, damaged: None };
    let row = SessionRow { id: row.try_get(0)?, session, turns: 0, sum: 0 };
    update(transaction, &row).await?;
    Ok(row)
}

/// Writes what can change of a session, and its checksum.
pub(super) async fn update(transaction: &Transaction<'_>, row: &SessionRow) -> Result<(), StoreError> {
    let StoredSession { title, updated, position, read_only, .. } = &row.session;
    let run = |run: Option<RunId>| run.map(|run| run.uuid().as_bytes().to_vec());
    transaction
        .execute(
            "UPDATE sqlogue.sessions SET title = $2, updated = $3, head_run = $4, tip_run = $5, read_only = $6,
                                         turns = $7, sum = $8
             WHERE id = $1",
            &[
                &row.id,
                title,
                &updated.as_microsecond(),
                &run(position.head),
                &run(position.tip),
                read_only,
                &row.turns,
                &row.summed(),
            ],
        )
        .await?;
    Ok(())
}

/// Adds to the number of a session's own turns; who does so has locked the session. One that is damaged stays so.
pub(super) async fn add_turns(
    transaction: &Transaction<'_>,
    session: i64,
    number: i64,
) -> Result<(), StoreError> {
    let row = transaction.query_opt(&format!("{SELECT} WHERE id = $1"), &[&session]).await?;
    let Some(mut row) = row.as_ref().map(session_row).transpose()?.filter(SessionRow::is_sound) else {
        return Ok(());
    };
    row.turns += number;
    update(transaction, &row).await
}

/// Checks that there are the turns at which a session is to stand.
async fn check(transaction: &Transaction<'_>, position: Position) -> Result<(), StoreError> {
    for run in [position.head, position.tip].into_iter().flatten() {
        turns::find(transaction, run).await?.ok_or(StoreError::UnknownTurn { run })?;
    }
    Ok(())
}

pub(super) async fn move_head(
    transaction: &Transaction<'_>,
    id: &str,
    from: Option<RunId>,
    to: Position,
) -> Result<(), StoreError> {
    let mut row = known(transaction, id).await?;
    if row.session.read_only {
        return Err(StoreError::ReadOnlySession { id: id.to_owned() });
    }
    row.session.stands_at(from)?;
    check(transaction, to).await?;
    row.session.position = to;
    update(transaction, &row).await
}

pub(super) async fn protect(transaction: &Transaction<'_>, id: &str) -> Result<(), StoreError> {
    let mut row = known(transaction, id).await?;
    row.session.read_only = true;
    update(transaction, &row).await
}

/// Deletes a session. One that is damaged can be deleted too.
pub(super) async fn delete(transaction: &Transaction<'_>, id: &str) -> Result<bool, StoreError> {
    let Some(SessionRow { id: row, .. }) = look_up(transaction, id).await? else { return Ok(false) };
    // Turns at which another session stands, or from which it went on, and what led to them, become that session's.
    let shared = transaction
        .query(
            "SELECT turns.id, sessions.id FROM sqlogue.turns JOIN sqlogue.sessions
                 ON sessions.head_run = turns.run OR sessions.tip_run = turns.run
             WHERE turns.session = $1 AND sessions.id <> $1
             UNION
             SELECT turns.id, child.session FROM sqlogue.turns JOIN sqlogue.turns child ON child.parent = turns.id
             WHERE turns.session = $1 AND child.session <> $1",
            &[&row],
        )
        .await?;
    for shared in shared {
        let (turn, heir): (i64, i64) = (shared.try_get(0)?, shared.try_get(1)?);
        let inherited = transaction
            .query(
                "WITH RECURSIVE line (id) AS (
                     SELECT $1::bigint UNION
                     SELECT parent FROM sqlogue.turns JOIN line USING (id) WHERE parent IS NOT NULL
                 )
                 SELECT id FROM sqlogue.turns WHERE session = $2 AND id IN (SELECT id FROM line)",
                &[&turn, &row],
            )
            .await?;
        for turn in &inherited {
            turns::inherit(transaction, turn.try_get(0)?, heir).await?;
        }
        add_turns(transaction, heir, i64::try_from(inherited.len()).unwrap_or(i64::MAX)).await?;
    }
    transaction
        .execute(
            "DELETE FROM sqlogue.steps WHERE turn IN (SELECT id FROM sqlogue.turns WHERE session = $1)",
            &[&row],
        )
        .await?;
    transaction.execute("DELETE FROM sqlogue.turns WHERE session = $1", &[&row]).await?;
    transaction.execute("DELETE FROM sqlogue.sessions WHERE id = $1", &[&row]).await?;
    Ok(true)
}
