//! How often a model was right about a database, as far as people said what is right.

use serde::{Deserialize, Serialize};

/// So many models and databases are kept, those heard of longest ago go first.
const MOST: usize = 200;

/// So much a setting weighs beside what people said: as much as this many answers.
const PRIOR: f64 = 10.0;

/// How often the SQL of a model gave the same as an answer that a person confirmed or chose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackRecord {
    /// The database.
    pub database: String,
    /// The model, as its server calls it.
    pub model: String,
    /// Answers of which a person said what is right.
    pub judged: u64,
    /// Of these, those for which the model's SQL gave that.
    pub agreed: u64,
}

impl TrackRecord {
    /// How likely the model is right, from 0.05 to 0.95, where `before` is how likely it was taken to be before anybody judged
    /// it: the mean of a beta distribution.
    #[expect(clippy::cast_precision_loss, reason = "nobody judges 2^52 answers")]
    pub fn reliability(&self, before: f64) -> f64 {
        let right = before * PRIOR + self.agreed.min(self.judged) as f64;
        (right / (PRIOR + self.judged as f64)).clamp(0.05, 0.95)
    }

    /// Whether it is that of a model about a database.
    pub fn is_of(&self, database: &str, model: &str) -> bool {
        self.database.eq_ignore_ascii_case(database) && self.model == model
    }
}

/// Counts one more judged answer of a model.
pub(super) fn count(records: &mut Vec<TrackRecord>, database: &str, model: &str, agreed: bool) {
    let place = records.iter().position(|record| record.is_of(database, model));
    let new =
        || TrackRecord { database: database.to_owned(), model: model.to_owned(), ..TrackRecord::default() };
    let mut record = place.map_or_else(new, |place| records.remove(place));
    record.judged = record.judged.saturating_add(1);
    record.agreed = record.agreed.saturating_add(u64::from(agreed));
    records.push(record);
    records.drain(..records.len().saturating_sub(MOST));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_say_moves_the_setting_the_more_the_more_they_say() {
        let record = |judged, agreed| TrackRecord { judged, agreed, ..TrackRecord::default() };
        assert!((record(0, 0).reliability(0.7) - 0.7).abs() < 1e-9);
        assert!((record(10, 3).reliability(0.7) - 0.5).abs() < 1e-9);
        assert!(record(1000, 1000).reliability(0.7) <= 0.95);
        assert!(record(1000, 0).reliability(0.7) >= 0.05);
    }

    #[test]
    fn each_model_and_database_has_its_own_record() {
        let mut records = Vec::new();
        count(&mut records, "shop", "a", true);
        count(&mut records, "Shop", "a", false);
        count(&mut records, "shop", "b", true);
        assert_eq!(
            records.iter().map(|record| (record.judged, record.agreed)).collect::<Vec<_>>(),
            [(2, 1), (1, 1)]
        );
    }
}
