//! Files of values becoming a database: how far it is, on a terminal, and what was noticed.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::show::{number, text};
use sqlogue::Error;
use sqlogue::config::Settings;
use sqlogue::database::Database;
use sqlogue::database::memory_tables::Progress;
use sqlogue::engine::{Opened, open_database};

/// How often the line is drawn anew; loading that is done sooner shows nothing.
const STEP: Duration = Duration::from_millis(150);

/// Opens the database of the settings.
///
/// What was noticed in files of values, such as dates that can be read in two ways, is told on standard error.
pub(super) fn open(settings: &Settings) -> Result<Arc<dyn Database>, Error> {
    let mut line = Line { shown: false, drawn: Instant::now(), terminal: io::stderr().is_terminal() };
    let opened = open_database(settings, &mut |progress| line.draw(&progress));
    line.wipe();
    let Opened { database, tables } = opened?;
    for table in &tables {
        for note in &table.notes {
            // Nobody needs to read it for the answer to be right.
            let _ = writeln!(io::stderr(), "note: {}: {note}", text::clean(&table.source));
        }
    }
    Ok(database)
}

/// A line at the bottom of the terminal.
struct Line {
    shown: bool,
    drawn: Instant,
    terminal: bool,
}

impl Line {
    fn draw(&mut self, progress: &Progress<'_>) {
        if !self.terminal || self.drawn.elapsed() < STEP {
            return;
        }
        self.drawn = Instant::now();
        self.shown = true;
        let percent = progress.done.saturating_mul(100) / progress.total.max(1);
        let name = text::cut(&text::clean(progress.table), 40).into_owned();
        let rows = number::grouped(progress.rows);
        let _ = write!(io::stderr(), "\r\u{1b}[Kloading {name}: {rows} rows, {percent} %");
    }

    fn wipe(&self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}
