//! Sessions in PostgreSQL.

use jiff::Timestamp;
use tokio_postgres::{Error, Row, Transaction};
use uuid::Uuid;

use super::super::{NewSession, Position, Session, SessionFilter, StoreError};
use super::turns;
use crate::graph::RunId;

const SELECT: &str = "
    SELECT sessions.id, name, database, title, created, updated, read_only, head.run AS head, tip.run AS tip
    FROM sqlogue.sessions LEFT JOIN sqlogue.turns head ON head.id = sessions.head
    LEFT JOIN sqlogue.turns tip ON tip.id = sessions.tip";

pub(super) fn run_of(bytes: Option<&[u8]>) -> Option<RunId> {
    Uuid::from_slice(bytes?).ok().map(RunId::new)
}

/// A session and the number of its row.
fn session(row: &Row) -> Result<(i64, Session), Error> {
    let time = |name: &str| row.try_get(name).map(|at| Timestamp::from_microsecond(at).unwrap_or_default());
    let session = Session {
        id: row.try_get("name")?,
        database: row.try_get("database")?,
        title: row.try_get("title")?,
        created: time("created")?,
        updated: time("updated")?,
        position: Position { head: run_of(row.try_get("head")?), tip: run_of(row.try_get("tip")?) },
        read_only: row.try_get("read_only")?,
    };
    Ok((row.try_get("id")?, session))
}

pub(super) async fn find(
    transaction: &Transaction<'_>,
    id: &str,
) -> Result<Option<(i64, Session)>, StoreError> {
    // No text with a NUL can be sent, and no session has one in its name.
    if id.contains('\0') {
        return Ok(None);
    }
    let row = transaction.query_opt(&format!("{SELECT} WHERE name = $1"), &[&id]).await?;
    Ok(row.as_ref().map(session).transpose()?)
}

pub(super) async fn known(transaction: &Transaction<'_>, id: &str) -> Result<(i64, Session), StoreError> {
    find(transaction, id).await?.ok_or_else(|| StoreError::UnknownSession { id: id.to_owned() })
}

pub(super) async fn list(
    transaction: &Transaction<'_>,
    filter: &SessionFilter,
) -> Result<Vec<Session>, StoreError> {
    let before = filter.used_before.map(Timestamp::as_microsecond);
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let (limit, skip) = (filter.limit.map(number), number(filter.skip));
    let database = filter.database.as_ref().map(|name| name.replace('\0', ""));
    let query = format!(
        "{SELECT} WHERE ($1::text IS NULL OR database = $1) AND ($2::bigint IS NULL OR updated < $2)
         ORDER BY updated DESC, sessions.id DESC LIMIT $3::bigint OFFSET $4::bigint"
    );
    let rows = transaction.query(&query, &[&database, &before, &limit, &skip]).await?;
    rows.iter().map(|row| Ok(session(row)?.1)).collect()
}

pub(super) async fn create(transaction: &Transaction<'_>, new: &NewSession) -> Result<Session, StoreError> {
    if find(transaction, &new.id).await?.is_some() {
        return Err(StoreError::SessionExists { id: new.id.clone() });
    }
    let (head, tip) = rows_of(transaction, new.position).await?;
    let (database, title) = (new.database.replace('\0', ""), new.title.replace('\0', ""));
    transaction
        .execute(
            "INSERT INTO sqlogue.sessions (name, database, title, created, updated, head, tip, read_only)
             VALUES ($1, $2, $3, $4, $4, $5, $6, $7)",
            &[&new.id, &database, &title, &new.at.as_microsecond(), &head, &tip, &new.read_only],
        )
        .await?;
    known(transaction, &new.id).await.map(|(_, session)| session)
}

async fn rows_of(
    transaction: &Transaction<'_>,
    position: Position,
) -> Result<(Option<i64>, Option<i64>), StoreError> {
    let mut rows = [None, None];
    for (row, run) in rows.iter_mut().zip([position.head, position.tip]) {
        if let Some(run) = run {
            *row = Some(turns::find(transaction, run).await?.ok_or(StoreError::UnknownTurn { run })?);
        }
    }
    let [head, tip] = rows;
    Ok((head, tip))
}

pub(super) async fn move_head(
    transaction: &Transaction<'_>,
    id: &str,
    from: Option<RunId>,
    to: Position,
) -> Result<(), StoreError> {
    let (row, session) = known(transaction, id).await?;
    if session.read_only {
        return Err(StoreError::ReadOnlySession { id: id.to_owned() });
    }
    stands_at(&session, from)?;
    let (head, tip) = rows_of(transaction, to).await?;
    transaction
        .execute("UPDATE sqlogue.sessions SET head = $2, tip = $3 WHERE id = $1", &[&row, &head, &tip])
        .await?;
    Ok(())
}

pub(super) async fn protect(transaction: &Transaction<'_>, id: &str) -> Result<(), StoreError> {
    let (row, _) = known(transaction, id).await?;
    transaction.execute("UPDATE sqlogue.sessions SET read_only = true WHERE id = $1", &[&row]).await?;
    Ok(())
}

/// Checks that a session stands where the caller thinks it does.
pub(super) fn stands_at(session: &Session, expected: Option<RunId>) -> Result<(), StoreError> {
    let found = session.position.head;
    if found == expected {
        return Ok(());
    }
    Err(StoreError::Conflict { session: session.id.clone(), expected, found })
}

pub(super) async fn delete(transaction: &Transaction<'_>, id: &str) -> Result<bool, StoreError> {
    let Some((row, _)) = find(transaction, id).await? else { return Ok(false) };
    // Turns at which another session stands, or from which it went on, and what led to them, become that session's.
    let shared = transaction
        .query(
            "SELECT turns.id, sessions.id FROM sqlogue.turns JOIN sqlogue.sessions
                 ON sessions.head = turns.id OR sessions.tip = turns.id
             WHERE turns.session = $1 AND sessions.id <> $1
             UNION
             SELECT turns.id, child.session FROM sqlogue.turns JOIN sqlogue.turns child ON child.parent = turns.id
             WHERE turns.session = $1 AND child.session <> $1",
            &[&row],
        )
        .await?;
    for shared in shared {
        let (turn, heir): (i64, i64) = (shared.try_get(0)?, shared.try_get(1)?);
        transaction
            .execute(
                "WITH RECURSIVE line (id) AS (
                     SELECT $1::bigint UNION
                     SELECT parent FROM sqlogue.turns JOIN line USING (id) WHERE parent IS NOT NULL
                 )
                 UPDATE sqlogue.turns SET session = $2 WHERE session = $3 AND id IN (SELECT id FROM line)",
                &[&turn, &heir, &row],
            )
            .await?;
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
