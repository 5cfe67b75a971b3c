//! What is known of the database, read once and kept as long as it holds.

use std::sync::Arc;

use tokio::sync::Mutex;

use crate::database::{Database, DatabaseError, ValueLimits};
use crate::intent::Vocabulary;
use crate::reasoner::{INDEX_BYTES, Knowledge};
use crate::schema::Schema;
use crate::source;

/// The schema, words and values of one database, shared by all conversations about it.
#[derive(Default)]
pub struct Catalog {
    schemas: source::Catalog,
    known: Mutex<Option<Known>>,
}

struct Known {
    schema: Arc<Schema>,
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
        let schema = self.schemas.schema(database).await?;
        if let Some(known) = known.as_ref()
            && Arc::ptr_eq(&known.schema, &schema)
        {
            return Ok(Arc::clone(&known.knowledge));
        }
        let values = database.text_values(&schema, &ValueLimits::default()).await?;
        let values = values.into_iter().map(|column| (column.table, column.column, column.values));
        let knowledge = Arc::new(Knowledge::build(Arc::clone(&schema), values, INDEX_BYTES));
        let vocabulary = Arc::new(Vocabulary::of(&schema));
        *known = Some(Known { schema, knowledge: Arc::clone(&knowledge), vocabulary });
        Ok(knowledge)
    }

    /// The words of the schema, if it was read already: the classifier of intents works without them too.
    pub fn vocabulary(&self) -> Option<Arc<Vocabulary>> {
        let known = self.known.try_lock().ok()?;
        known.as_ref().map(|known| Arc::clone(&known.vocabulary))
    }
}
