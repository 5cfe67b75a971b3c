//! The tables on the server, and how those of an earlier release become those of this one.

use tokio_postgres::Transaction;

use super::super::StoreError;
use super::super::row::{key_of, sum_of_text};
use super::{sessions, turns};

/// The format of the tables, kept in `sqlogue.format`. Format 1 had no checksums and no leases.
pub(super) const FORMAT: i64 = 2;

const SCHEMA: &str = "
    CREATE SCHEMA IF NOT EXISTS sqlogue;
    CREATE TABLE IF NOT EXISTS sqlogue.format (number bigint NOT NULL);
    CREATE TABLE IF NOT EXISTS sqlogue.sessions (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text COLLATE \"C\" NOT NULL UNIQUE,
        database text NOT NULL,
        title text NOT NULL,
        created bigint NOT NULL,
        updated bigint NOT NULL,
        read_only boolean NOT NULL,
        head_run bytea,
        tip_run bytea,
        turns bigint NOT NULL DEFAULT 0,
        key bigint NOT NULL DEFAULT 0,
        sum bigint NOT NULL DEFAULT 0
    );
    CREATE INDEX IF NOT EXISTS sessions_by_use ON sqlogue.sessions (updated);
    CREATE INDEX IF NOT EXISTS sessions_by_key ON sqlogue.sessions (key);
    CREATE INDEX IF NOT EXISTS sessions_by_head ON sqlogue.sessions (head_run);
    CREATE INDEX IF NOT EXISTS sessions_by_tip ON sqlogue.sessions (tip_run);
    CREATE TABLE IF NOT EXISTS sqlogue.turns (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        run bytea NOT NULL UNIQUE,
        session bigint NOT NULL,
        parent bigint,
        parent_run bytea,
        number bigint NOT NULL,
        graph text NOT NULL,
        fingerprint text NOT NULL,
        state_version bigint NOT NULL,
        since_snapshot bigint NOT NULL,
        at bigint NOT NULL,
        mark text NOT NULL,
        input text NOT NULL,
        status text,
        query text,
        snapshot text,
        snapshot_sum bigint,
        steps bigint NOT NULL DEFAULT 0,
        steps_sum bigint NOT NULL DEFAULT 0,
        sum bigint NOT NULL DEFAULT 0,
        holder text,
        lease bigint
    );
    CREATE INDEX IF NOT EXISTS turns_by_session ON sqlogue.turns (session);
    CREATE INDEX IF NOT EXISTS turns_unfinished ON sqlogue.turns (session) WHERE mark <> '\"finished\"';
    CREATE INDEX IF NOT EXISTS turns_by_parent ON sqlogue.turns (parent) WHERE parent IS NOT NULL;
    CREATE TABLE IF NOT EXISTS sqlogue.steps (
        turn bigint NOT NULL,
        step bigint NOT NULL,
        node text NOT NULL,
        changes text NOT NULL,
        walk text NOT NULL,
        at bigint NOT NULL,
        took_us bigint NOT NULL,
        PRIMARY KEY (turn, step)
    );
";

/// Columns get other names where a program of release 0.1.0 that is connected would write them without their checksum: it
/// fails instead, and its conversation goes on in memory.
const FROM_FORMAT_1: &str = "
    ALTER TABLE sqlogue.sessions
        ADD COLUMN head_run bytea, ADD COLUMN tip_run bytea, ADD COLUMN turns bigint NOT NULL DEFAULT 0,
        ADD COLUMN key bigint NOT NULL DEFAULT 0, ADD COLUMN sum bigint NOT NULL DEFAULT 0;
    UPDATE sqlogue.sessions
        SET head_run = (SELECT run FROM sqlogue.turns WHERE turns.id = head),
            tip_run = (SELECT run FROM sqlogue.turns WHERE turns.id = tip),
            turns = (SELECT count(*) FROM sqlogue.turns WHERE turns.session = sessions.id);
    ALTER TABLE sqlogue.sessions DROP COLUMN head, DROP COLUMN tip;
    CREATE INDEX sessions_by_key ON sqlogue.sessions (key);
    CREATE INDEX sessions_by_head ON sqlogue.sessions (head_run);
    CREATE INDEX sessions_by_tip ON sqlogue.sessions (tip_run);
    ALTER TABLE sqlogue.turns
        ADD COLUMN snapshot_sum bigint, ADD COLUMN steps bigint NOT NULL DEFAULT 0,
        ADD COLUMN steps_sum bigint NOT NULL DEFAULT 0, ADD COLUMN sum bigint NOT NULL DEFAULT 0,
        ADD COLUMN holder text, ADD COLUMN lease bigint;
    ALTER TABLE sqlogue.steps RENAME COLUMN moved TO walk;
";

/// So many turns are brought to this format at a time.
const AT_A_TIME: i64 = 200;

/// The format of the tables that are there; none where there are none.
pub(super) async fn found(transaction: &Transaction<'_>) -> Result<Option<i64>, StoreError> {
    let there: bool =
        transaction.query_one("SELECT to_regclass('sqlogue.format') IS NOT NULL", &[]).await?.try_get(0)?;
    if !there {
        return Ok(None);
    }
    let found: Option<i64> =
        transaction.query_one("SELECT max(number) FROM sqlogue.format", &[]).await?.try_get(0)?;
    match found {
        Some(found) if found > FORMAT => Err(StoreError::NewerFormat { found, known: FORMAT }),
        found => Ok(found),
    }
}

/// Makes the tables where there are none, and brings those of format 1 to this one. Nobody else may do so meanwhile.
pub(super) async fn make_tables(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    match found(transaction).await? {
        Some(FORMAT) => return Ok(()),
        Some(_) => migrate(transaction).await?,
        None => transaction.batch_execute(SCHEMA).await?,
    }
    transaction.execute("INSERT INTO sqlogue.format (number) VALUES ($1)", &[&FORMAT]).await?;
    Ok(())
}

async fn migrate(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    transaction.batch_execute(FROM_FORMAT_1).await?;
    for row in transaction.query(sessions::SELECT, &[]).await? {
        let row = sessions::session_row(&row)?;
        transaction
            .execute(
                "UPDATE sqlogue.sessions SET key = $2, sum = $3 WHERE id = $1",
                &[&row.id, &key_of(&row.session.id), &row.summed()],
            )
            .await?;
    }
    let mut after = i64::MIN;
    loop {
        let query = format!("{} WHERE turns.id > $1 ORDER BY turns.id LIMIT $2", turns::SELECT);
        let rows = transaction.query(&query, &[&after, &AT_A_TIME]).await?;
        if rows.is_empty() {
            return Ok(());
        }
        let (mut ids, mut sums) = (Vec::new(), [const { Vec::new() }; 4]);
        for row in rows {
            after = row.try_get("id")?;
            // One that cannot be read keeps a wrong sum, and the others are none the worse.
            let Ok((mut row, _)) = turns::turn_row(&row) else { continue };
            row.snapshot_sum = turns::snapshot(transaction, &row).await?.as_deref().map(sum_of_text);
            for (step, moved) in turns::steps(transaction, &row).await? {
                row.add(&step, &moved);
            }
            ids.push(row.id);
            let [snapshots, steps, steps_sums, all] = &mut sums;
            all.push(Some(row.summed()));
            snapshots.push(row.snapshot_sum);
            steps.push(Some(i64::from(row.steps)));
            steps_sums.push(Some(row.steps_sum));
        }
        let [snapshots, steps, steps_sums, all] = &sums;
        transaction
            .execute(
                "UPDATE sqlogue.turns SET snapshot_sum = new.snapshot_sum, steps = new.steps,
                                          steps_sum = new.steps_sum, sum = new.sum
                 FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
                      AS new (id, snapshot_sum, steps, steps_sum, sum)
                 WHERE turns.id = new.id",
                &[&ids, snapshots, steps, steps_sums, all],
            )
            .await?;
    }
}
