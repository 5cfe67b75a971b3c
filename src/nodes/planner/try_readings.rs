//! `try_readings`: readings are run before one is taken, where that costs nobody anything.
//!
//! It is the one place of the planner that runs queries. What came of them is published: how far the likeliest reading can
//! be relied on, which others stand beside it, and what is to be asked first.

use std::time::Duration;

use super::{Judges, Memory, Trying, found, granted, judged, raised};
use crate::conversation::{Change, ConversationState};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::nodes::readings::{BESIDE_TIME, without_rows};
use crate::plan::{Confidence, PlannerOutput};
use crate::reasoner::{Alternatives, Ask};
use crate::sql;

/// Tries the readings of a question, and looks at what the choices of a question back would give.
pub struct TryReadings {
    /// Who judges what words mean.
    pub judges: Judges,
    /// What was learnt.
    pub memory: Memory,
    /// Who runs readings.
    pub trying: Trying,
}

impl Node<ConversationState> for TryReadings {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let mut readings = self.trying.readings(context);
        if let Some(pending) = &state.pending {
            let shown = readings.previewed(pending.clone()).await;
            let mut changes: Vec<Change> = readings.change(Vec::new()).into_iter().collect();
            changes.extend((shown != *pending).then(|| raised(shown)));
            return Ok(Outcome::Done(changes));
        }
        let knowledge = self.judges.knowledge().await?;
        let ask = self.judges.ask(state, &knowledge, context);
        let mut changes = Vec::new();
        let understanding = match judged(self.judges.understand(ask).await, &mut changes) {
            Ok(understanding) => understanding,
            Err(error) => return found(changes, Err(error)),
        };
        let plans = understanding.worth_trying();
        let trials = readings.trials(&plans).await;
        let mut disputed = None;
        if let (Some(query), Some(proposal)) = (understanding.proposed(), &state.scratch.proposal) {
            let mut proposal = readings.proposed(query, &plans, ask, proposal).await;
            if understanding.is_disputed(&proposal, &trials) {
                let samples = judged(self.judges.reasoner(ask).samples(ask).await, &mut changes);
                proposal = readings.majority(proposal, samples.unwrap_or_default(), &plans, ask).await;
                disputed = understanding.disputed(ask, &proposal, &trials);
            }
            changes.push(Change::QueryProposed { proposal: Box::new(proposal) });
        }
        let mut alternatives = understanding.alternatives(&trials);
        self.as_they_run(&mut alternatives, ask);
        let asks_first = self.asks_first(&alternatives);
        // A person who is asked sees rows of every choice; an answer does not wait for what stands beside it.
        let time = if asks_first { Duration::MAX } else { BESIDE_TIME };
        let offered = readings.apart(&alternatives, time).await;
        changes.extend(readings.change(trials));
        changes.extend(offered.map(|offered| match asks_first {
            true => raised(offered),
            false => Change::ReadingsOffered { readings: Box::new(without_rows(offered)) },
        }));
        changes.extend(disputed.map(|choices| Change::ReadingsOffered { readings: Box::new(choices) }));
        Ok(Outcome::Done(changes))
    }
}

impl TryReadings {
    /// Whether nothing is answered before the person has chosen a reading: an answer costs something, or it would be
    /// chosen at random.
    fn asks_first(&self, alternatives: &[Alternatives]) -> bool {
        !self.trying.is_free() || alternatives.iter().any(|unclear| unclear.is_tie)
    }

    /// Puts into each choice the SQL that taking it would run: under the names that lessons give, and with what is wanted
    /// beside the question. That is also what choices are compared by.
    fn as_they_run(&self, alternatives: &mut [Alternatives], ask: Ask<'_>) {
        for (choice, plan) in alternatives.iter_mut().flat_map(|unclear| &mut unclear.readings) {
            let mut output = PlannerOutput::from_plan(plan, String::new(), Confidence::Medium);
            // What it took is said once, of the reading that is answered.
            let _ = self.memory.mapped(&mut output, ask.state, ask.knowledge.schema());
            let _ = granted(ask, &mut output);
            if let Some(run) = output.query_plan {
                choice.sql = Some(sql::render_named(&run, ask.dialect));
                *plan = run;
            }
        }
    }
}
