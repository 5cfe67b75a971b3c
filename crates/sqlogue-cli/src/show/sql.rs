//! SQL as people like to read it: highlighted, and on several lines where one is too long.

use super::style::{Ink, Style};
use super::text;

/// The words that are highlighted. They are for the eye only, so a word too many does no harm.
const KEYWORDS: &[&str] = &[
    "all",
    "and",
    "as",
    "asc",
    "avg",
    "between",
    "by",
    "case",
    "cast",
    "count",
    "cross",
    "desc",
    "distinct",
    "else",
    "end",
    "escape",
    "except",
    "exists",
    "false",
    "filter",
    "from",
    "full",
    "group",
    "having",
    "in",
    "inner",
    "intersect",
    "is",
    "join",
    "left",
    "like",
    "limit",
    "max",
    "min",
    "not",
    "null",
    "nulls",
    "offset",
    "on",
    "or",
    "order",
    "outer",
    "over",
    "partition",
    "recursive",
    "right",
    "select",
    "sum",
    "then",
    "true",
    "union",
    "using",
    "values",
    "when",
    "where",
    "with",
];

/// The words that begin a line when the statement does not fit on one.
const CLAUSES: &[&str] = &[
    "from",
    "where",
    "group",
    "having",
    "order",
    "limit",
    "union",
    "intersect",
    "except",
    "join",
    "left",
    "inner",
    "cross",
    "and",
    "or",
];

/// A piece of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Number,
    Quoted,
    Space,
    Open,
    Close,
    Other,
}

/// The statement, laid out for lines of `places` and highlighted.
pub(crate) fn show(sql: &str, places: usize, style: Style) -> String {
    let sql = text::clean(sql);
    let fits = text::width(&sql) <= places;
    let mut shown = String::with_capacity(sql.len() * 2);
    let (mut depth, mut between) = (0_usize, false);
    // The queries in parentheses that have lines of their own, each with the parentheses that are open around it.
    let mut inner: Vec<usize> = Vec::new();
    let mut previous = "";
    // How many places of the line are taken.
    let mut at = 0;
    let pieces = pieces(&sql);
    for (position, (kind, piece)) in pieces.iter().copied().enumerate() {
        let word = piece.to_ascii_lowercase();
        let margin = FOLDED.repeat(inner.len());
        match kind {
            Kind::Open if !fits && depth == 0 && is_long_query(&pieces, position, at, places) => {
                shown.push_str(&format!("(\n{margin}{FOLDED}"));
                at = margin.len() + FOLDED.len();
                inner.push(depth);
                (depth, between, previous) = (0, false, piece);
                continue;
            }
            Kind::Open => depth += 1,
            Kind::Close if depth == 0 && !inner.is_empty() => {
                depth = inner.pop().unwrap_or_default();
                let margin = FOLDED.repeat(inner.len());
                shown.truncate(shown.trim_end().len());
                shown.push_str(&format!("\n{margin}"));
                at = margin.len();
            }
            Kind::Close => depth = depth.saturating_sub(1),
            Kind::Word if !fits && depth == 0 && breaks(&word, previous, between) => {
                shown.truncate(shown.trim_end().len());
                let indent = if matches!(word.as_str(), "and" | "or") { "  " } else { "" };
                shown.push_str(&format!("\n{margin}{indent}"));
                at = margin.len() + indent.len();
            }
            Kind::Space if !fits && folds(&pieces, position, (at, depth), places) => {
                // A clause that begins here takes the line for itself.
                shown.push_str(&format!("\n{margin}{FOLDED}"));
                at = margin.len() + FOLDED.len();
                continue;
            }
            _ => {}
        }
        at += text::width(piece);
        if kind == Kind::Word {
            // The `AND` of a `BETWEEN` belongs to it.
            between = word == "between" || between && word != "and";
        }
        let ink = match kind {
            Kind::Word if KEYWORDS.contains(&word.as_str()) => Some(Ink::Keyword),
            Kind::Quoted if piece.starts_with('\'') => Some(Ink::Quoted),
            Kind::Number => Some(Ink::Number),
            _ => None,
        };
        match ink {
            Some(ink) => shown.push_str(&style.paint(ink, piece)),
            None => shown.push_str(piece),
        }
        if kind != Kind::Space {
            previous = piece;
        }
    }
    shown
}

/// What the rest of a clause begins with that is longer than a line.
const FOLDED: &str = "    ";

/// Whether the parenthesis that opens here has a query in it that does not fit on the rest of the line: it has lines of its own.
fn is_long_query(pieces: &[(Kind, &str)], open: usize, at: usize, places: usize) -> bool {
    let inside = pieces.get(open + 1..).unwrap_or_default();
    let (mut depth, mut taken) = (1_usize, 1);
    for (kind, piece) in inside {
        match kind {
            Kind::Open => depth += 1,
            Kind::Close => depth -= 1,
            _ => {}
        }
        taken += text::width(piece);
        if depth == 0 {
            break;
        }
    }
    let is_query = inside.first().is_some_and(|(_, word)| word.eq_ignore_ascii_case("select"));
    is_query && at + taken > places
}

/// Whether a line ends at a space, where so many of its `places` are taken and so many parentheses are open. A clause that is
/// too long is cut between the items of its list; one of those, outside its parentheses where what is in them fits on a line,
/// and else between words.
fn folds(pieces: &[(Kind, &str)], space: usize, (at, depth): (usize, usize), places: usize) -> bool {
    let before = space.checked_sub(1).and_then(|before| pieces.get(before)).map_or("", |(_, piece)| piece);
    let rest = pieces.get(space + 1..).unwrap_or_default();
    if before == "," && depth == 0 {
        return at + 1 + item(rest) > places;
    }
    let whole = unbroken(rest, true);
    // What fits on no line at all is not made to begin one.
    let next = if whole + FOLDED.len() <= places { whole } else { unbroken(rest, false) };
    !before.eq_ignore_ascii_case("as") && !is_empty_list(rest, 0) && at + 1 + next > places
}

/// The places that an item of a list takes, with the comma behind it.
fn item(pieces: &[(Kind, &str)]) -> usize {
    let (mut taken, mut depth) = (0, 0_usize);
    for (kind, piece) in pieces {
        match kind {
            Kind::Open => depth += 1,
            // The end of the query that the list is in.
            Kind::Close if depth == 0 => break,
            Kind::Close => depth = depth.saturating_sub(1),
            Kind::Word if depth == 0 && CLAUSES.contains(&piece.to_ascii_lowercase().as_str()) => break,
            Kind::Other if depth == 0 && *piece == "," => return taken + 1,
            _ => {}
        }
        taken += text::width(piece);
    }
    taken
}

/// The places up to the next space where a line may end, with what is in parentheses from here on counted as one. A name stays
/// with its `AS`, and that with what it names, where both are short.
fn unbroken(pieces: &[(Kind, &str)], as_one: bool) -> usize {
    let (mut taken, mut depth) = (0, 0_usize);
    for (at, (kind, piece)) in pieces.iter().enumerate() {
        let is_as = |at: usize| pieces.get(at).is_some_and(|(_, word)| word.eq_ignore_ascii_case("as"));
        match kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.saturating_sub(1),
            Kind::Space
                if (depth == 0 || !as_one)
                    && !is_as(at + 1)
                    && !at.checked_sub(1).is_some_and(is_as)
                    && !is_empty_list(pieces, at + 1) =>
            {
                break;
            }
            _ => {}
        }
        taken += text::width(piece);
    }
    taken
}

/// True for the `()` of `OVER ()`, which stays behind its word.
fn is_empty_list(pieces: &[(Kind, &str)], at: usize) -> bool {
    matches!(pieces.get(at..), Some([(Kind::Open, _), (Kind::Close, _), ..]))
}

/// Whether a line begins with this word. The second word of `LEFT JOIN` does not begin another.
fn breaks(word: &str, previous: &str, between: bool) -> bool {
    // A query that follows another one in parentheses: what all the others are for.
    (CLAUSES.contains(&word) || word == "select" && previous == ")")
        && !(between && word == "and")
        && !(word == "join"
            && ["left", "inner", "cross", "outer"].iter().any(|kind| previous.eq_ignore_ascii_case(kind)))
}

/// The statement in pieces that together are the statement again.
fn pieces(sql: &str) -> Vec<(Kind, &str)> {
    let mut pieces = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = match first {
            '\'' | '"' | '`' => (Kind::Quoted, quoted(rest, first)),
            '(' => (Kind::Open, 1),
            ')' => (Kind::Close, 1),
            first if first.is_whitespace() => (Kind::Space, run(rest, char::is_whitespace)),
            first if first.is_ascii_digit() => (Kind::Number, run(rest, |c| c.is_ascii_digit() || c == '.')),
            first if first.is_alphabetic() || first == '_' => {
                (Kind::Word, run(rest, |c| c.is_alphanumeric() || c == '_'))
            }
            first => (Kind::Other, first.len_utf8()),
        };
        let (piece, after) = rest.split_at(length.clamp(1, rest.len()));
        pieces.push((kind, piece));
        rest = after;
    }
    pieces
}

/// How many bytes of `text` hold from its beginning.
fn run(text: &str, holds: impl Fn(char) -> bool) -> usize {
    text.find(|character| !holds(character)).unwrap_or(text.len())
}

/// The length of what is quoted; a doubled quote ends one piece and begins the next, which looks the same.
fn quoted(text: &str, quote: char) -> usize {
    text.char_indices().skip(1).find(|(_, c)| *c == quote).map_or(text.len(), |(at, c)| at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_statement_stays_as_it_is() {
        let sql = "SELECT name FROM customers WHERE city = 'Rome''s' AND a BETWEEN 1 AND 2.5";
        assert_eq!(show(sql, 200, Style::default()), sql);
    }

    #[test]
    fn a_long_statement_has_a_line_for_each_clause() {
        let sql = "SELECT c.name, count(*) FROM customers AS c JOIN orders AS o ON o.c = c.id LEFT JOIN x ON (x.a = 1 \
                   AND x.b = 2) WHERE c.a BETWEEN 1 AND 2 AND c.city = 'and' GROUP BY c.id ORDER BY count(*) DESC LIMIT 5";
        assert_eq!(
            show(sql, 60, Style::default()),
            "SELECT c.name, count(*)\nFROM customers AS c\nJOIN orders AS o ON o.c = c.id\nLEFT JOIN x ON (x.a = 1 AND \
             x.b = 2)\nWHERE c.a BETWEEN 1 AND 2\n  AND c.city = 'and'\nGROUP BY c.id\nORDER BY count(*) DESC\nLIMIT 5"
        );
    }

    #[test]
    fn a_clause_that_is_longer_than_the_line_is_folded_between_words() {
        let sql = "SELECT customers.name, sum(order_items.unit_price * order_items.quantity) AS total FROM order_items";
        assert_eq!(
            show(sql, 60, Style::default()),
            "SELECT customers.name,\n    sum(order_items.unit_price *\n    order_items.quantity) AS total\nFROM order_items"
        );
        let sql = "SELECT country, CAST(sum(unit_price * quantity) AS REAL) / count(DISTINCT id) AS mean FROM orders";
        assert_eq!(
            show(sql, 60, Style::default()),
            "SELECT country,\n    CAST(sum(unit_price * quantity) AS REAL) /\n    count(DISTINCT id) AS mean\nFROM orders"
        );
        let sql = "SELECT region, sum(goal) / sum(sum(goal)) OVER () AS share FROM sales";
        assert_eq!(
            show(sql, 47, Style::default()),
            "SELECT region,\n    sum(goal) / sum(sum(goal)) OVER () AS share\nFROM sales"
        );
        let sql = "SELECT customers.name, sum(order_items.unit_price * order_items.quantity) AS total FROM order_items";
        assert_eq!(
            show(sql, 70, Style::default()),
            "SELECT customers.name,\n    sum(order_items.unit_price * order_items.quantity) AS total\nFROM order_items"
        );
        let sql = "SELECT customers.name, sum(order_items.unit_price) AS total FROM order_items";
        assert_eq!(
            show(sql, 56, Style::default()),
            "SELECT customers.name,\n    sum(order_items.unit_price) AS total\nFROM order_items"
        );
        let sql = "WITH ranked AS (SELECT name, row_number() OVER (PARTITION BY city ORDER BY spent) AS place FROM customers \
                   WHERE city IN (SELECT city FROM stores)) SELECT name FROM ranked WHERE place <= 1";
        assert_eq!(
            show(sql, 60, Style::default()),
            "WITH ranked AS (\n    SELECT name,\n        row_number() OVER\n        (PARTITION BY city ORDER BY spent) AS place\n    \
             FROM customers\n    WHERE city IN (SELECT city FROM stores)\n)\nSELECT name\nFROM ranked\nWHERE place <= 1"
        );
        let word = "x".repeat(90);
        assert_eq!(show(&format!("SELECT {word}"), 60, Style::default()), format!("SELECT\n    {word}"));
    }

    #[test]
    fn any_text_can_be_shown() {
        for sql in ["", "'", "'é", "大きさ = \"", "((((", "))))", "1.2.3é", "\u{1b}[0m"] {
            let shown = show(sql, 10, Style::new(true));
            assert!(!shown.contains("\u{1b}[0m\u{1b}[0m"), "{sql:?}");
        }
    }
}
