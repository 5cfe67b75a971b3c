//! `analyze_schema`: what the database looks like.

use super::Known;
use crate::conversation::{Change, ConversationState, ErrorKind, TurnError};
use crate::graph::{Context, Node, NodeError, Outcome};
use crate::schema::Fingerprint;

/// Reads the schema, or finds that the one in memory still holds.
pub struct AnalyzeSchema {
    /// What is known of the database.
    pub known: Known,
}

impl Node<ConversationState> for AnalyzeSchema {
    async fn run(&self, state: &ConversationState, context: &Context) -> Result<Outcome<Change>, NodeError> {
        context.progress("reading the schema");
        let knowledge = self.known.knowledge().await?;
        let schema = knowledge.schema();
        let mut changes = vec![Change::SchemaLoaded {
            fingerprint: Fingerprint::of(schema),
            tables: schema.tables.iter().map(|table| table.name.clone()).collect(),
        }];
        if schema.tables.is_empty() {
            let message =
                format!("The database `{}` has no tables, so there is nothing to ask about.", state.database);
            changes.push(Change::TurnFailed { error: TurnError::new(ErrorKind::NoRelevantTables, message) });
        }
        Ok(Outcome::Done(changes))
    }
}
