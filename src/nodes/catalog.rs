//! What is known of the database, read once and kept as long as it holds.

use std::sync::Arc;
use std::time::{Duration, Instant};

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
    /// The version of the rows when the values were read.
    content: Option<i64>,
    /// When the values were read, and how long that took.
    read: Instant,
    took: Duration,
}

/// Values are not read again before so many times the time has passed that reading them took: a database that is
/// written all the time costs a twentieth of the time at most.
const REST: u32 = 20;

impl Known {
    /// True while the values are those of the database, or as new as may be.
    fn holds(&self, schema: &Arc<Schema>, content: Option<i64>) -> bool {
        Arc::ptr_eq(&self.schema, schema)
            && (self.content == content || self.read.elapsed() < self.took * REST)
    }
}

impl Catalog {
    /// What is known of `database`, read now if it was not read before or has changed since.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn knowledge(&self, database: &dyn Database) -> Result<Arc<Knowledge>, DatabaseError> {
        let mut known = self.known.lock().await;
        let schema = self.schemas.schema(database).await?;
        let content = database.content_version().await?;
        if let Some(known) = known.as_ref()
            && known.holds(&schema, content)
        {
            return Ok(Arc::clone(&known.knowledge));
        }
        let read = Instant::now();
        let values = database.text_values(&schema, &ValueLimits::default()).await?;
        let values = values.into_iter().map(|column| (column.table, column.column, column.values));
        let knowledge = Arc::new(Knowledge::build(Arc::clone(&schema), values, INDEX_BYTES));
        let vocabulary = Arc::new(Vocabulary::of(&schema));
        let took = read.elapsed();
        *known = Some(Known { schema, knowledge: Arc::clone(&knowledge), vocabulary, content, read, took });
        Ok(knowledge)
    }

    /// The words of the schema, if it was read already: the classifier of intents works without them too.
    pub fn vocabulary(&self) -> Option<Arc<Vocabulary>> {
        let known = self.known.try_lock().ok()?;
        known.as_ref().map(|known| Arc::clone(&known.vocabulary))
    }
}
