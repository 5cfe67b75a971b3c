//! Files of values becoming a database: how far it is, on a terminal, and what was noticed.

use std::sync::Arc;

use super::output;
use super::show::{number, text};
use super::ticker::Ticker;
use sqlogue::Error;
use sqlogue::config::Settings;
use sqlogue::database::Database;
use sqlogue::database::memory_tables::Progress;
use sqlogue::engine::{OpenedDatabase, open_database};

/// Opens the database of the settings.
///
/// What was noticed in files of values, such as dates that can be read in two ways, is told on standard error.
pub(super) fn open(settings: &Settings) -> Result<Arc<dyn Database>, Error> {
    let mut ticker = Ticker::new();
    let opened = open_database(settings, &mut |progress| ticker.draw(|| shown(&progress)));
    ticker.wipe();
    let OpenedDatabase { database, tables } = opened?;
    for table in &tables {
        for note in &table.notes {
            // Nobody needs to read it for the answer to be right.
            let _ = output::tell(&format!("note: {}: {note}", text::clean(&table.source)));
        }
    }
    Ok(database)
}

fn shown(progress: &Progress<'_>) -> String {
    let percent = progress.done.saturating_mul(100) / progress.total.max(1);
    let name = text::cut(progress.table, 40);
    format!("loading {name}: {} rows, {percent} %", number::grouped(progress.rows))
}
