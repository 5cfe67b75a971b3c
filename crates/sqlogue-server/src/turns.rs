//! Taking turns: one at a time in each conversation, and each once, however often it is asked for.
//!
//! A turn goes on when whoever asked for it goes away, so that asking again with the same key finds its answer.

use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use sqlogue::Error;
use sqlogue::conversation::Route;
use sqlogue::dialog::{Reply, Said};
use sqlogue::engine::{Answer, TurnOptions, Turned};
use sqlogue::graph::RunId;
use sqlogue::graph::journal::Mark;
use sqlogue::store::TurnInfo;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;
use uuid::{Builder, Uuid};

use crate::conversations::Held;
use crate::desk::{Desk, Taken};
use crate::owner::Owner;
use crate::problem::Problem;
use crate::traces;
use crate::watch::{Told, Watch};
use crate::wire::Approval;

/// How often it is looked whether another server has cancelled a turn.
const LOOK: Duration = Duration::from_secs(1);

/// What is asked, and how.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    pub(crate) input: String,
    pub(crate) confirm: bool,
    pub(crate) fresh: bool,
    /// The turn that the caller thinks is the last one.
    pub(crate) after: Option<RunId>,
    /// The caller's name for this turn: it is taken once.
    pub(crate) key: Option<String>,
}

/// What came of it.
pub(crate) enum Came {
    /// The turn is over.
    Over(Box<Taken>),
    /// The turn waits for an approval.
    Waits(Approval),
}

impl Desk {
    /// Takes a turn.
    ///
    /// # Errors
    /// There is no such conversation, somebody else changes it, or the turn was not carried out.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        owner: &Owner,
        id: &str,
        asked: Asked,
        listener: Option<UnboundedSender<Told>>,
    ) -> Result<Came, Problem> {
        let run =
            asked.key.as_deref().map_or_else(|| RunId::new(Uuid::now_v7()), |key| run_of(owner, id, key));
        if asked.key.is_some()
            && let Some(came) = self.asked_before(owner, id, run, &asked).await?
        {
            return Ok(came);
        }
        let (desk, owner, id) = (Arc::clone(self), owner.clone(), id.to_owned());
        let work = async move { desk.carry_out(&owner, &id, run, asked, listener).await };
        self.finish(work).await
    }

    /// Lets a turn go on to its end, also where nobody waits for it any more.
    async fn finish(
        &self,
        work: impl Future<Output = Result<Came, Problem>> + Send + 'static,
    ) -> Result<Came, Problem> {
        if self.stop.is_cancelled() {
            return Err(Problem::unavailable("the server is shutting down"));
        }
        self.turns
            .spawn(work.instrument(traces::turn()))
            .await
            .unwrap_or_else(|error| Err(Problem::internal(format!("a turn stopped: {error}"))))
    }

    async fn carry_out(
        &self,
        owner: &Owner,
        id: &str,
        run: RunId,
        asked: Asked,
        listener: Option<UnboundedSender<Told>>,
    ) -> Result<Came, Problem> {
        traces::taken(run);
        let permit = self.gate.turn(owner).await?;
        let mut held = match self.conversations.hold(owner, id).await {
            Err(problem) => return Err(self.standing(owner, id, problem).await),
            Ok(held) => held,
        };
        let open = held.open()?;
        if open.waiting.is_some() {
            let problem =
                Problem::conflict("a turn waits for an approval (hint: approve or cancel it first)");
            return Err(self.standing(owner, id, problem).await);
        }
        if asked.after.is_some_and(|turn| !Self::stands_at(&open.session, turn)) {
            let problem = Problem::conflict("the conversation does not end with the turn that `after` names");
            return Err(self.standing(owner, id, problem).await);
        }
        let cancellation = self.stop.child_token();
        held.begin(run, cancellation.clone());
        let running = self.metrics.running();
        let options = TurnOptions {
            confirm: asked.confirm,
            cancellation: Some(cancellation.clone()),
            observer: Some(Arc::new(Watch::new(Arc::clone(&self.metrics), listener))),
            run: Some(run),
            ..TurnOptions::default()
        };
        let open = held.open()?;
        if asked.fresh {
            open.session.start_afresh();
        }
        let turn = open.session.turn(&asked.input, options);
        let said = self.unless_given_up(run, &cancellation, turn).await;
        drop(running);
        let came = self.said(&mut held, run, said, &cancellation).await;
        drop((held, permit));
        self.forget_old().await;
        match came {
            Err(problem) => Err(self.standing(owner, id, problem).await),
            came => came,
        }
    }

    /// Works on a turn, and cancels it where another server that shares the store has given it up.
    async fn unless_given_up<T>(
        &self,
        run: RunId,
        cancellation: &CancellationToken,
        turn: impl Future<Output = T>,
    ) -> T {
        let given_up = async {
            loop {
                tokio::time::sleep(LOOK).await;
                let known = self.sessions().store().turn(run).await;
                if known
                    .is_ok_and(|turn| turn.is_some_and(|turn| matches!(turn.mark, Mark::Abandoned { .. })))
                {
                    cancellation.cancel();
                    // The turn comes to its end by itself now.
                    return std::future::pending::<T>().await;
                }
            }
        };
        tokio::select! {
            came = turn => came,
            never = given_up => never,
        }
    }

    /// What a session said, and what becomes of the conversation.
    async fn said(
        &self,
        held: &mut Held,
        run: RunId,
        said: Said,
        cancellation: &CancellationToken,
    ) -> Result<Came, Problem> {
        match said {
            Said::Waiting(waiting) => {
                let open = held.open()?;
                let sql = waiting.sql().to_owned();
                let cost = open.session.engine().cost(&sql).await;
                open.waiting = Some((run, *waiting));
                let approval = Approval { turn: run.to_string(), status: "awaiting_approval", sql, cost };
                held.end(Some(approval.clone()));
                Ok(Came::Waits(approval))
            }
            Said::Reply(reply) => {
                held.end(None);
                if held.open()?.session.engine().sessions().is_none() {
                    // The store failed, and the turn was taken all the same, as its notice says. The next one goes on from what
                    // is stored, because another server would too.
                    held.forget();
                }
                let Reply { answer, failure, notices, .. } = *reply;
                let notices = notices.iter().map(ToString::to_string).collect();
                match (answer, failure) {
                    (Some(answer), _) => Ok(Came::Over(Box::new(self.answered(answer, notices)))),
                    (None, failure) => {
                        held.forget();
                        // One that was given up in the store fails there too, which is not what is wrong.
                        let failure =
                            if cancellation.is_cancelled() { Some(Error::Cancelled) } else { failure };
                        self.left(run, failure.as_ref()).await;
                        Err(failure.map_or_else(
                            || Problem::internal("a turn ended without an answer"),
                            Problem::from,
                        ))
                    }
                }
            }
        }
    }

    fn answered(&self, answer: Answer, notices: Vec<String>) -> Taken {
        let Answer { state, rows, path, run, elapsed } = answer;
        self.metrics.turn(&state, elapsed);
        traces::ended(state.status.name(), state.route.map_or("none", Route::name));
        if let Some(rows) = &rows {
            self.recent.keep(run, rows);
        }
        let counted = self.counts(&state);
        Taken { run, state, rows, path, elapsed, counted, notices, replayed: false }
    }

    /// Clears away what is left in the store of a turn that was not carried out.
    async fn left(&self, run: RunId, failure: Option<&Error>) {
        let status = if matches!(failure, Some(Error::Cancelled)) { "cancelled" } else { "error" };
        self.metrics.no_turn(status);
        traces::ended(status, "none");
        // A shutdown leaves turns to be resumed, by this server or another.
        if !self.stop.is_cancelled() {
            // What cannot be dropped is listed as interrupted, and harms nobody.
            drop(self.sessions().drop_turn(run).await);
        }
    }

    /// The same problem, with how the conversation stands where that is what is wrong.
    async fn standing(&self, owner: &Owner, id: &str, problem: Problem) -> Problem {
        if !problem.is_conflict() {
            return problem;
        }
        match self.conversations.look(owner, id).await {
            Ok(conversation) => problem.standing(conversation),
            Err(_) => problem,
        }
    }

    /// What came of a turn that was asked for before under the same key; none where it was not, or died on its way and has
    /// to be taken again.
    async fn asked_before(
        self: &Arc<Self>,
        owner: &Owner,
        id: &str,
        run: RunId,
        asked: &Asked,
    ) -> Result<Option<Came>, Problem> {
        let Some(turn) = self.sessions().store().turn(run).await? else { return Ok(None) };
        if turn.input.trim() != asked.input.trim() {
            return Err(Problem::unusable(
                "this `Idempotency-Key` was used for another input (hint: use a new one for each turn)",
            ));
        }
        match &turn.mark {
            Mark::Finished => Ok(Some(Came::Over(Box::new(self.turn(owner, id, run).await?)))),
            Mark::Abandoned { .. } => {
                let problem =
                    Problem::conflict("the turn was given up, because the conversation had moved on");
                Err(self.standing(owner, id, problem).await)
            }
            _ if turn.running => {
                let problem = Problem::conflict("the turn is running (hint: ask for it again later)");
                Err(self.standing(owner, id, problem).await)
            }
            Mark::Interrupted { .. } => {
                Ok(self.conversations.look(owner, id).await?.waiting.map(Came::Waits))
            }
            _ => Ok(Some(self.resume(owner, id, Some(run), asked.confirm).await?)),
        }
    }

    /// Goes on with a turn that waits, or lets it go.
    ///
    /// # Errors
    /// No turn waits.
    pub(crate) async fn approve(
        self: &Arc<Self>,
        owner: &Owner,
        id: &str,
        approved: bool,
    ) -> Result<Came, Problem> {
        let (desk, owner, id) = (Arc::clone(self), owner.clone(), id.to_owned());
        let work = async move { desk.approve_here(&owner, &id, approved).await };
        self.finish(work).await
    }

    async fn approve_here(
        self: &Arc<Self>,
        owner: &Owner,
        id: &str,
        approved: bool,
    ) -> Result<Came, Problem> {
        let permit = self.gate.turn(owner).await?;
        let mut held = self.conversations.hold(owner, id).await?;
        let open = held.open()?;
        let Some((run, waiting)) = open.waiting.take() else {
            drop((held, permit));
            return self.approve_stored(owner, id, approved).await;
        };
        traces::taken(run);
        let cancellation = self.stop.child_token();
        held.begin(run, cancellation.clone());
        let running = self.metrics.running();
        let watch = Watch::new(Arc::clone(&self.metrics), None);
        let options = TurnOptions {
            cancellation: Some(cancellation.clone()),
            observer: Some(Arc::new(watch)),
            ..TurnOptions::default()
        };
        let turn = held.open()?.session.approve(waiting, approved, options);
        let said = self.unless_given_up(run, &cancellation, turn).await;
        drop(running);
        self.said(&mut held, run, said, &cancellation).await
    }

    /// The same for a turn that was left waiting by a server that is gone.
    async fn approve_stored(
        self: &Arc<Self>,
        owner: &Owner,
        id: &str,
        approved: bool,
    ) -> Result<Came, Problem> {
        let nothing = || Problem::conflict("no turn waits for an approval");
        let turn = self.interrupted(owner, id, |turn| matches!(turn.mark, Mark::Interrupted { .. })).await?;
        let turn = turn.ok_or_else(nothing)?;
        if approved {
            return self.resume(owner, id, Some(turn.run), false).await;
        }
        self.sessions().drop_turn(turn.run).await?;
        Err(Problem::cancelled())
    }

    /// Goes on with a turn whose server died.
    ///
    /// # Errors
    /// There is none; it is still running; the conversation has moved on.
    pub(crate) async fn resume(
        self: &Arc<Self>,
        owner: &Owner,
        id: &str,
        run: Option<RunId>,
        confirm: bool,
    ) -> Result<Came, Problem> {
        let (desk, owner, id) = (Arc::clone(self), owner.clone(), id.to_owned());
        let work = async move { desk.resume_here(&owner, &id, run, confirm).await };
        // It may be called from within a turn that is tracked already, so it is not tracked again.
        tokio::spawn(work.instrument(traces::turn()))
            .await
            .unwrap_or_else(|error| Err(Problem::internal(format!("a turn stopped: {error}"))))
    }

    async fn resume_here(
        &self,
        owner: &Owner,
        id: &str,
        run: Option<RunId>,
        confirm: bool,
    ) -> Result<Came, Problem> {
        let _permit = self.gate.turn(owner).await?;
        let mut held = self.conversations.hold(owner, id).await?;
        let turn = self.interrupted(owner, id, |turn| run.is_none_or(|run| run == turn.run)).await?;
        let turn = turn.ok_or_else(|| Problem::conflict("no turn was interrupted"))?;
        traces::taken(turn.run);
        let confirm = confirm && !matches!(turn.mark, Mark::Interrupted { .. });
        let cancellation = self.stop.child_token();
        held.begin(turn.run, cancellation.clone());
        let engine = held.open()?.session.engine().clone();
        let running = self.metrics.running();
        let resumed = self.resumed(&engine, turn.run, confirm, cancellation.clone());
        let turned = self.unless_given_up(turn.run, &cancellation, resumed).await;
        drop(running);
        // What is held open does not know of it.
        held.forget();
        match turned {
            Ok(Turned::Done(answer)) => {
                held.end(None);
                Ok(Came::Over(Box::new(self.answered(*answer, Vec::new()))))
            }
            Ok(Turned::Paused(paused)) => {
                let sql = paused.sql().to_owned();
                let cost = engine.cost(&sql).await;
                held.end(None);
                Ok(Came::Waits(Approval {
                    turn: turn.run.to_string(),
                    status: "awaiting_approval",
                    sql,
                    cost,
                }))
            }
            Err(problem) => {
                held.end(None);
                Err(problem)
            }
        }
    }

    /// A turn of the conversation that stands still.
    async fn interrupted(
        &self,
        owner: &Owner,
        id: &str,
        which: impl Fn(&TurnInfo) -> bool,
    ) -> Result<Option<TurnInfo>, Problem> {
        let stored = owner.stored(id).ok_or_else(|| Problem::no_conversation(id))?;
        Ok(self.sessions().interrupted(&stored).await?.into_iter().find(which))
    }

    /// Cancels the turn that runs or waits, here or at another server of the store, or drops the one that was interrupted.
    ///
    /// # Errors
    /// There is none.
    pub(crate) async fn cancel(self: &Arc<Self>, owner: &Owner, id: &str) -> Result<(), Problem> {
        if self.conversations.cancel(owner, id).is_some() {
            return Ok(());
        }
        let Some(turn) = self.interrupted(owner, id, |_| true).await? else {
            return self.cancel_elsewhere(owner, id).await;
        };
        if let Ok(mut held) = self.conversations.hold(owner, id).await {
            held.open()?.waiting = None;
            held.end(None);
        }
        self.sessions().drop_turn(turn.run).await?;
        Ok(())
    }

    /// Gives up a turn that runs at another server, in the store that both share: that server looks there, and cancels it.
    async fn cancel_elsewhere(&self, owner: &Owner, id: &str) -> Result<(), Problem> {
        let stored = owner.stored(id).ok_or_else(|| Problem::no_conversation(id))?;
        let running = self.sessions().running(&stored).await?;
        if running.is_empty() {
            return Err(Problem::conflict("no turn is running, waiting or interrupted"));
        }
        for turn in running {
            self.sessions().give_up(turn.run, "it was cancelled").await?;
        }
        Ok(())
    }
}

/// The id of the turn that an owner calls by this key: the same at every server, so the store takes it once.
fn run_of(owner: &Owner, id: &str, key: &str) -> RunId {
    let mut digest = Sha256::new();
    for part in [owner.begins().unwrap_or_default().as_str(), id, key] {
        // The lengths keep the parts apart.
        digest.update(part.len().to_le_bytes());
        digest.update(part.as_bytes());
    }
    let digest: [u8; 32] = digest.finalize().into();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(digest.get(..16).unwrap_or(&[0; 16]));
    RunId::new(Builder::from_custom_bytes(bytes).into_uuid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_one_turn_of_one_conversation() {
        let (ann, local) = (Owner::Token("ann".to_owned()), Owner::Local);
        let one = run_of(&ann, "c", "k");
        assert_eq!(one, run_of(&ann, "c", "k"));
        for other in [run_of(&ann, "c", "l"), run_of(&ann, "ck", ""), run_of(&local, "c", "k")] {
            assert_ne!(one, other);
        }
    }
}
