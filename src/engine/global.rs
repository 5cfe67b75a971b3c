//! `query_database` for those who want one call and nothing to keep.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Engine, QueryInput};
use crate::config::Settings;
use crate::conversation::ConversationState;
use crate::error::Error;

/// The engines of this process, with the URL each was opened by.
static ENGINES: Mutex<Vec<(String, Arc<Engine>)>> = Mutex::new(Vec::new());

/// One turn of a conversation: takes the question and the state before, returns the state after.
///
/// The engine is built from `sqlogue.toml` and the environment at the first call, one for each database, and kept. A
/// follow-up finds its database by the conversation's name of it, so only the first turn has to say where it is.
///
/// A turn that fails for the person's reasons is `Ok` with [`Status::Failed`](crate::conversation::Status::Failed): the
/// conversation goes on.
///
/// ```no_run
/// # async fn example() -> Result<(), sqlogue::Error> {
/// use sqlogue::{QueryInput, query_database};
///
/// let first = query_database(QueryInput::new("Show me companies").database("sqlite:shop.db"), None).await?;
/// let second = query_database("Add vendor column", Some(first)).await?;
/// println!("{}\n{}", second.query.as_deref().unwrap_or_default(), second.result_table());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// What stops a caller: a database that cannot be opened, a conversation about another database, bad settings.
pub async fn query_database(
    input: impl Into<QueryInput>,
    previous_state: Option<ConversationState>,
) -> Result<ConversationState, Error> {
    let input = input.into();
    let engine = engine_for(&input, previous_state.as_ref())?;
    engine.query_database(input, previous_state).await
}

fn engine_for(input: &QueryInput, previous: Option<&ConversationState>) -> Result<Arc<Engine>, Error> {
    let mut engines = ENGINES.lock().unwrap_or_else(PoisonError::into_inner);
    let url = match (&input.database, previous) {
        (Some(url), _) => url.clone(),
        (None, Some(state)) => {
            // The one opened last is the one meant, where two files have the same name.
            let opened = engines.iter().rev().find(|(_, engine)| engine.database().name() == state.database);
            if let Some((_, engine)) = opened {
                return Ok(Arc::clone(engine));
            }
            let settings = Settings::load(None)?;
            let engine = Engine::builder().settings(settings.clone()).build()?;
            if engine.database().name() != state.database {
                return Err(Error::UnknownDatabase { name: state.database.clone() });
            }
            settings.database
        }
        (None, None) => Settings::load(None)?.database,
    };
    if let Some((_, engine)) = engines.iter().find(|(opened, _)| *opened == url) {
        return Ok(Arc::clone(engine));
    }
    let settings = Settings { database: url.clone(), ..Settings::load(None)? };
    let engine = Arc::new(Engine::builder().settings(settings).build()?);
    engines.push((url, Arc::clone(&engine)));
    Ok(engine)
}
