//! The one writer to standard output, and what is known of the terminal behind it.

use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal, Write};

use super::show::text;
use sqlogue_base::secret::redact;

/// Standard output. Everything a command answers goes through it.
pub(super) struct Output {
    sink: BufWriter<io::Stdout>,
    terminal: Option<Size>,
    colour: bool,
}

/// The size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Output {
    /// Standard output as it is.
    pub(super) fn standard() -> Self {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal().then(size);
        let colour = colours(&stdout);
        Self { sink: BufWriter::new(stdout), terminal, colour }
    }

    /// The size of the terminal, measured now: windows change. None where the output goes elsewhere.
    pub(super) fn terminal(&self) -> Option<Size> {
        self.terminal.map(|_| size())
    }

    /// Whether it may be coloured.
    pub(super) fn colour(&self) -> bool {
        self.colour
    }

    /// Writes data as it is, except that a terminal never sees a character that could control it.
    pub(super) fn data(&mut self, data: &str) -> io::Result<()> {
        let data = if self.terminal.is_some() { text::clean_lines(data) } else { Cow::Borrowed(data) };
        self.sink.write_all(data.as_bytes())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// Standard error for the trace of what is done: libraries write into it too, so secrets are taken out at its end.
pub struct TraceOutput(io::Stderr);

/// Where the trace goes.
pub fn trace_output() -> TraceOutput {
    TraceOutput(io::stderr())
}

impl Write for TraceOutput {
    // A message comes in one piece.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(redact(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Says something on standard error: on a terminal broken between words, for everybody else as it is.
pub(super) fn tell(said: &str) -> io::Result<()> {
    let mut stderr = io::stderr();
    let places = stderr.is_terminal().then(|| size().width);
    for line in said.lines() {
        match places {
            Some(places) => writeln!(stderr, "{}", text::wrap(line, places, ""))?,
            None => writeln!(stderr, "{line}")?,
        }
    }
    Ok(())
}

/// Whether a stream takes colours: it is a terminal that knows them, and nobody asked for none.
pub(super) fn colours(stream: &impl IsTerminal) -> bool {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    stream.is_terminal() && set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb")
}

/// The size of the terminal, or the usual one where it does not say.
fn size() -> Size {
    // Where the output goes elsewhere, standard error may still be that terminal.
    match terminal_size::terminal_size() {
        Some((terminal_size::Width(width), terminal_size::Height(height))) if width > 0 && height > 0 => {
            Size { width: width.into(), height: height.into() }
        }
        _ => Size { width: 80, height: 24 },
    }
}
