//! `refine_query`: SQL in place of one that returned nothing, or something suspicious.

use super::{Judges, judged};
use crate::conversation::{Change, ConversationState};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::plan::Confidence;
use crate::reasoner::{WrittenQuery, no_such_values};

/// Finds the literal that matches nothing and what it nearly matches; tells whoever wrote the query what is suspicious about
/// its result.
pub struct RefineQuery {
    /// Who judges what words mean.
    pub judges: Judges,
}

impl Node<ConversationState> for RefineQuery {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        let mut changes = Vec::new();
        let sql = state.query.as_deref().unwrap_or_default();
        if let Some(doubt) = &state.scratch.doubt {
            return self.reconsidered(state, sql, doubt, context).await;
        }
        context.progress("nothing found; looking for a near match");
        let knowledge = self.judges.knowledge().await?;
        let ask = self.judges.ask(state, &knowledge, context);
        let plan = state.scratch.query_plan.as_ref();
        let change = match judged(self.judges.reasoner(ask).refine(ask, sql, plan).await, &mut changes) {
            Ok(Some(written)) if written.sql != sql => Change::QueryRefined {
                query: written.sql,
                plan: written.plan.map(Box::new),
                note: written.note,
            },
            Ok(_) => {
                let note = plan.and_then(|plan| no_such_values(&knowledge, plan));
                changes.extend(note.map(|note| Change::Noted { note }));
                Change::RefinementAbandoned { reason: "Nothing matches, and nothing comes near.".to_owned() }
            }
            Err(error) => Change::RefinementAbandoned { reason: error.message },
        };
        changes.push(change);
        Ok(Outcome::Done(changes))
    }
}

impl RefineQuery {
    /// What becomes of a query whose result is suspicious. One that is changed was not compared with any other, so the answer is
    /// no surer than that.
    async fn reconsidered(
        &self,
        state: &ConversationState,
        sql: &str,
        doubt: &str,
        context: &Context,
    ) -> Result<Outcome<Change>, NodeError> {
        context.progress("the result looks wrong; asking about it");
        let knowledge = self.judges.knowledge().await?;
        let ask = self.judges.ask(state, &knowledge, context);
        let mut changes = Vec::new();
        let stands = |why: &str| Change::RefinementAbandoned {
            reason: format!("The result looks odd: {doubt}. {why}"),
        };
        match judged(self.judges.reasoner(ask).reconsider(ask, sql, doubt).await, &mut changes) {
            Ok(Some(WrittenQuery { sql, plan, note })) => {
                let confidence = state.answer_confidence.unwrap_or_default().min(Confidence::Medium);
                changes.push(Change::QueryRefined { query: sql, plan: plan.map(Box::new), note });
                let (left_out, doubts) = (state.left_out.clone(), state.doubts.clone());
                changes.push(Change::AnswerJudged { confidence, left_out, doubts });
            }
            Ok(None) => changes.push(stands("The model was told, and keeps to its query.")),
            Err(error) => changes.push(stands(&error.message)),
        }
        Ok(Outcome::Done(changes))
    }
}
