//! What is known of the database, read once and kept as long as it holds.

use std::sync::Arc;

use tokio::sync::Mutex;

use crate::database::{Database, DatabaseError, ValueLimits};
use crate::intent::Vocabulary;
use crate::reasoner::Knowledge;

/// The schema and values of one database, shared by all conversations about it.
///
/// A database says cheaply whether its schema may have changed ([`Database::schema_version`]); only then is it read
/// again.
#[derive(Default)]
pub struct Catalog {
    known: Mutex<Option<Known>>,
}

struct Known {
    version: String,
    knowledge: Arc<Knowledge>,
    vocabulary: Arc<Vocabulary>,
}

impl Catalog {
    /// What is known of `database`, read now if it was not read before or has changed since.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn knowledge(&self, database: &dyn Database) -> Result<Arc<Knowledge>, DatabaseError> {
        let mut known = self.known.lock().await;
        let version = database.schema_version().await?;
        if let Some(known) = known.as_ref()
            && known.version == version
        {
            return Ok(Arc::clone(&known.knowledge));
        }
        let schema = database.introspect().await?;
        let values = database.text_values(&schema, &ValueLimits::default()).await?;
        let vocabulary = Arc::new(Vocabulary::of(&schema));
        let knowledge = Arc::new(Knowledge::build(schema, values));
        *known = Some(Known { version, knowledge: Arc::clone(&knowledge), vocabulary });
        Ok(knowledge)
    }

    /// The words of the schema, if it was read already: the classifier of intents works without them too.
    pub fn vocabulary(&self) -> Option<Arc<Vocabulary>> {
        let known = self.known.try_lock().ok()?;
        known.as_ref().map(|known| Arc::clone(&known.vocabulary))
    }
}
