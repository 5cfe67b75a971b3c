//! `write_query`: the SQL of a question that was found out phase by phase.
//!
//! It is written before readings are tried, so that it is tried like one of them.

use super::{Judges, Memory, found, judged, memory};
use crate::conversation::{Change, ConversationState, ProposedQuery};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::reasoner::{Ask, Understanding};

/// Asks for SQL where the phases have come to a plan in words. What was understood as a whole has its query already.
pub struct WriteQuery {
    /// Who judges what words mean.
    pub judges: Judges,
    /// What was learnt.
    pub memory: Memory,
}

impl Node<ConversationState> for WriteQuery {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let knowledge = self.judges.knowledge().await?;
        let ask = self.judges.ask(state, &knowledge, context);
        let mut changes = Vec::new();
        let written = async {
            let understanding = judged(self.judges.understand(ask).await, &mut changes)?;
            if let Understanding::Whole(_) = understanding {
                return Ok(Vec::new());
            }
            let mut plan = understanding.compose(ask)?.output;
            let recalled: Vec<Change> =
                self.memory.mapped(&mut plan, state, knowledge.schema()).into_iter().collect();
            let ask = Ask { lessons: memory::after(&recalled, state), ..ask };
            let written = self.judges.reasoner(ask).generate_sql(ask, &plan).await;
            let written = judged(written, &mut changes)?;
            let proposal = ProposedQuery {
                sql: Some(written.sql),
                by: understanding.author(),
                reasoning: written.note,
                by_phases: true,
                ..ProposedQuery::default()
            };
            let proposed = Change::QueryProposed { proposal: Box::new(proposal) };
            Ok(recalled.into_iter().chain([proposed]).collect())
        }
        .await;
        found(changes, written)
    }
}
