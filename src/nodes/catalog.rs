//! What is known of the database, read once and kept as long as it holds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use crate::database::{Database, DatabaseError, ValueLimits};
use crate::intent::Vocabulary;
use crate::lesson::{Keys, LessonMemory, with_keys};
use crate::reasoner::Knowledge;
use crate::schema::Schema;
use crate::source;
use crate::sql::Dialect;

/// The schema, words and values of one database, shared by all conversations about it.
pub struct Catalog {
    /// How many bytes the index of values may take.
    index_bytes: usize,
    schemas: source::SchemaCache,
    known: Mutex<Option<Known>>,
}

struct Known {
    /// As it was read.
    read_schema: Arc<Schema>,
    /// What people say of its keys and references.
    keys: Keys,
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
    fn holds(&self, schema: &Arc<Schema>, keys: &Keys, content: Option<i64>) -> bool {
        Arc::ptr_eq(&self.read_schema, schema)
            && self.keys == *keys
            && (self.content == content || self.read.elapsed() < self.took * REST)
    }
}

impl Catalog {
    /// An empty catalog, whose index of values may take so many bytes.
    pub fn new(index_bytes: usize) -> Self {
        Self { index_bytes, schemas: source::SchemaCache::default(), known: Mutex::default() }
    }

    /// What is known of `database`, with what lessons say of its keys; read now if it was not read before or has
    /// changed since.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn knowledge(
        &self,
        database: &dyn Database,
        lessons: Option<&dyn LessonMemory>,
    ) -> Result<Arc<Knowledge>, DatabaseError> {
        let mut known = self.known.lock().await;
        let read_schema = self.schemas.schema(database).await?;
        let keys =
            lessons.map(|memory| memory.lessons().keys(database.name(), &read_schema)).unwrap_or_default();
        let content = database.content_version().await?;
        if let Some(known) = known.as_ref()
            && known.holds(&read_schema, &keys, content)
        {
            return Ok(Arc::clone(&known.knowledge));
        }
        let read = Instant::now();
        let schema = match keys.is_empty() {
            true => Arc::clone(&read_schema),
            false => Arc::new(with_keys(&read_schema, &keys)),
        };
        let values = database.text_values(&schema, &ValueLimits::default()).await?;
        let values = values.into_iter().map(|column| (column.table, column.column, column.values));
        let knowledge = Knowledge::build(Arc::clone(&schema), values, self.index_bytes);
        let knowledge = Arc::new(knowledge.of_dialect(database.dialect()));
        let vocabulary = Arc::new(Vocabulary::of(&schema));
        let took = read.elapsed();
        let index = knowledge.words().values();
        tracing::info!(
            values = index.len(),
            bytes = index.bytes(),
            allowed = self.index_bytes,
            left_out = index.left_out(),
            ?took,
            "indexed the values"
        );
        *known = Some(Known {
            read_schema,
            keys,
            knowledge: Arc::clone(&knowledge),
            vocabulary,
            content,
            read,
            took,
        });
        Ok(knowledge)
    }

    /// What is known by the names alone, without any value: there while the values are still being read. `None` where not even
    /// the schema was read.
    pub fn outline(&self, dialect: Dialect) -> Option<Knowledge> {
        let schema = self.schemas.latest()?;
        Some(Knowledge::build(schema, [], self.index_bytes).of_dialect(dialect))
    }

    /// The words of the schema, if it was read already: the classifier of intents works without them too.
    pub fn vocabulary(&self) -> Option<Arc<Vocabulary>> {
        let known = self.known.try_lock().ok()?;
        known.as_ref().map(|known| Arc::clone(&known.vocabulary))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::SqliteDatabase;

    #[tokio::test]
    async fn rows_that_somebody_else_writes_are_recognised() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.sqlite");
        let writer = rusqlite::Connection::open(&path).unwrap();
        writer.execute_batch("CREATE TABLE city (name TEXT); INSERT INTO city VALUES ('Oslo')").unwrap();
        let database = SqliteDatabase::open(&path).unwrap();
        let catalog = Catalog::new(1 << 20);
        let before = catalog.knowledge(&database, None).await.unwrap();
        assert!(before.words().values().find("Lima").is_empty());
        assert_eq!(catalog.knowledge(&database, None).await.unwrap().id(), before.id());
        writer.execute_batch("INSERT INTO city VALUES ('Lima')").unwrap();
        // The values rest for a while after they were read.
        let took = catalog.known.lock().await.as_ref().map(|known| known.took).unwrap();
        tokio::time::sleep(took * (REST + 1)).await;
        assert!(!catalog.knowledge(&database, None).await.unwrap().words().values().find("Lima").is_empty());
    }
}
