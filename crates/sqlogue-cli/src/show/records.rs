//! Rows one below the other, a line for each cell: for rows that are wider than the terminal.

use super::number;
use super::style::{Ink, Style};
use super::table::{Drawn, Numbers, Way};
use super::text;
use sqlogue::schema::Value;

/// Below this many places for values, names are cut.
const NARROWEST: usize = 16;

/// Draws rows as records, each under a line with its number. Long cells are broken and not cut.
pub(crate) fn draw(
    columns: &[String],
    rows: &[Vec<Value>],
    numbers: &Numbers,
    places: Option<usize>,
    style: Style,
) -> Drawn {
    let ways = Way::all(columns, rows, numbers, places);
    let places = places.unwrap_or(usize::MAX);
    let widest = columns.iter().map(|name| text::width(&text::clean(name))).max().unwrap_or(0);
    let widest = widest.min(places.saturating_sub(NARROWEST + 4).max(1));
    let indent = " ".repeat(widest + 4);
    let mut lines = String::new();
    for (number, row) in rows.iter().enumerate() {
        let heading = format!("─ {} ", number::grouped(number as u64 + 1));
        let long = places.min(widest + 30).saturating_sub(text::width(&heading));
        lines.push_str(&style.paint(Ink::Dim, &format!("{heading}{}", "─".repeat(long))));
        lines.push('\n');
        for ((name, way), value) in columns.iter().zip(&ways).zip(row) {
            let name = text::clean(name);
            let shown = text::cut(&name, widest);
            let padding = " ".repeat(widest.saturating_sub(text::width(&shown)));
            let cell = way.write(value);
            let cell = folded(&cell, places.saturating_sub(indent.len()).max(NARROWEST), &indent);
            let cell = if value.is_null() { style.paint(Ink::Dim, &cell) } else { cell };
            lines.push_str(&format!(" {padding}{} │ {cell}\n", style.paint(Ink::Bold, &shown)));
        }
    }
    Drawn { lines, ..Drawn::default() }
}

/// A text in lines of at most `places`, broken between words where that can be, else inside them.
fn folded(cell: &str, places: usize, indent: &str) -> String {
    let wrapped = text::wrap(cell, places, "");
    let mut lines: Vec<String> = Vec::new();
    for line in wrapped.lines() {
        let mut line = line.to_owned();
        while text::width(&line) > places {
            let mut taken = 0;
            let at = line.char_indices().find(|(_, character)| {
                taken += text::width(character.encode_utf8(&mut [0; 4]));
                taken > places
            });
            let Some((at, _)) = at.filter(|(at, _)| *at > 0) else { break };
            let rest = line.split_off(at);
            lines.push(std::mem::replace(&mut line, rest));
        }
        lines.push(line);
    }
    lines.join(&format!("\n{indent}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_a_line_and_none_is_cut() {
        let columns = ["id", "comment"].map(str::to_owned);
        let rows = [
            vec![Value::from(12_345), Value::from("a long comment about something")],
            vec![Value::from(2), Value::Null],
        ];
        let drawn = draw(&columns, &rows, &Numbers::default(), Some(32), Style::default());
        assert_eq!(
            drawn.lines,
            "─ 1 ────────────────────────────\n      \
                  id │ 12345\n \
             comment │ a long comment about\n           \
                       something\n\
             ─ 2 ────────────────────────────\n      \
                  id │ 2\n \
             comment │ NULL\n"
        );
        assert!(drawn.lines.lines().all(|line| text::width(line) <= 32));
        let (columns_of_one, average) = (["average".to_owned()], [vec![Value::from(1_000.554_347_1)]]);
        let numbers = Numbers { computed: vec![true], ..Numbers::default() };
        let rounded = draw(&columns_of_one, &average, &numbers, Some(40), Style::default());
        assert!(rounded.lines.ends_with(" average │ 1,000.55\n"), "{}", rounded.lines);
        let rows = [vec![Value::Null, Value::from("x".repeat(100))]];
        let one_word = draw(&columns, &rows, &Numbers::default(), Some(40), Style::default());
        assert_eq!(one_word.lines.matches('x').count(), 100);
    }
}
