//! The names in a statement, found without understanding it.
//!
//! What is learned from a statement is checked against the schema afterwards, so a name too many does no harm; the
//! statement can be as broken as the one that failed.

/// A word of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A name; true where it was quoted, so that it is no keyword.
    Name(String, bool),
    /// Punctuation.
    Sign(char),
}

/// The names that a statement uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SqlNames {
    /// The tables it reads, each once, in order; without those it defines itself.
    pub(super) tables: Vec<String>,
    /// Every name in it, tables too, each once, in order; without those that it gives.
    pub(super) all: Vec<String>,
}

/// Words after which a list of tables is over.
const ENDS: [&str; 16] = [
    "where",
    "on",
    "group",
    "order",
    "having",
    "limit",
    "union",
    "intersect",
    "except",
    "using",
    "select",
    "window",
    "natural",
    "offset",
    "set",
    "values",
];

/// Words between tables that are no names.
const BETWEEN: [&str; 7] = ["left", "right", "full", "inner", "outer", "cross", "as"];

/// The names in `sql`.
pub(super) fn names(sql: &str) -> SqlNames {
    let tokens = tokens(sql);
    let mut found = SqlNames::default();
    let mut defined: Vec<String> = Vec::new();
    // What columns of results and uses of tables are called by the statement itself.
    let mut aliases: Vec<String> = Vec::new();
    // Whether the next name is a table, in this parenthesis and those around it.
    let mut wanted = vec![Wanted::No];
    for (index, token) in tokens.iter().enumerate() {
        let next = tokens.get(index + 1);
        let Some(current) = wanted.last_mut() else { break };
        match token {
            Token::Sign('(') => {
                // `FROM (a JOIN b)` lists tables; anything else in parentheses does not until it says so.
                let inside = if *current == Wanted::Now { Wanted::Now } else { Wanted::No };
                if *current == Wanted::Now {
                    *current = Wanted::AfterComma;
                }
                wanted.push(inside);
            }
            Token::Sign(')') => {
                if wanted.len() > 1 {
                    wanted.pop();
                }
            }
            Token::Sign(',') if *current == Wanted::AfterComma => *current = Wanted::Now,
            Token::Sign(_) => {}
            Token::Name(name, quoted) => {
                let lower = name.to_ascii_lowercase();
                let keyword = |list: &[&str]| !quoted && list.contains(&lower.as_str());
                if keyword(&["from", "join"]) {
                    *current = Wanted::Now;
                } else if keyword(&ENDS) {
                    *current = Wanted::No;
                } else if keyword(&BETWEEN) {
                } else if index.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(is_as) {
                    aliases.push(lower);
                } else if next == Some(&Token::Sign('.')) {
                    add(&mut found.all, name);
                } else if next == Some(&Token::Sign('(')) && !quoted {
                    if *current == Wanted::Now {
                        *current = Wanted::AfterComma;
                    }
                } else {
                    if defines(tokens.get(index + 1), tokens.get(index + 2)) {
                        defined.push(lower);
                    } else if *current == Wanted::Now {
                        add(&mut found.tables, name);
                        *current = Wanted::AfterComma;
                    }
                    add(&mut found.all, name);
                }
            }
        }
    }
    found.tables.retain(|table| !defined.contains(&table.to_ascii_lowercase()));
    found.all.retain(|name| !aliases.contains(&name.to_ascii_lowercase()));
    found
}

fn is_as(token: &Token) -> bool {
    matches!(token, Token::Name(name, false) if name.eq_ignore_ascii_case("as"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    No,
    Now,
    AfterComma,
}

/// Whether a name followed by these is defined: `name AS (`.
fn defines(first: Option<&Token>, second: Option<&Token>) -> bool {
    matches!(first, Some(Token::Name(name, false)) if name.eq_ignore_ascii_case("as"))
        && second == Some(&Token::Sign('('))
}

fn add(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        names.push(name.to_owned());
    }
}

fn tokens(sql: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = sql.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '-' if rest.peek() == Some(&'-') => {
                rest.by_ref().find(|character| *character == '\n');
            }
            '/' if rest.peek() == Some(&'*') => {
                let mut before = ' ';
                for character in rest.by_ref().skip(1) {
                    if before == '*' && character == '/' {
                        break;
                    }
                    before = character;
                }
            }
            '\'' => {
                rest.by_ref().find(|character| *character == '\'');
            }
            '"' | '`' | '[' => {
                let close = if character == '[' { ']' } else { character };
                let name: String = rest.by_ref().take_while(|character| *character != close).collect();
                tokens.push(Token::Name(name, true));
            }
            _ if character.is_alphabetic() || character == '_' => {
                let mut name = String::from(character);
                while let Some(more) =
                    rest.next_if(|more| more.is_alphanumeric() || matches!(more, '_' | '$'))
                {
                    name.push(more);
                }
                tokens.push(Token::Name(name, false));
            }
            // A number such as `1e5` must not leave the name `e5` behind.
            _ if character.is_ascii_digit() => {
                while rest.next_if(|more| more.is_alphanumeric() || *more == '.').is_some() {}
            }
            _ if character.is_whitespace() => {}
            _ => tokens.push(Token::Sign(character)),
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(sql: &str) -> String {
        names(sql).tables.join(" ")
    }

    #[test]
    fn tables_are_found_wherever_they_stand() {
        for (sql, expected) in [
            ("SELECT * FROM Customers", "Customers"),
            (
                "select a.x from main.\"My Table\" a left join b on a.id = b.id where x = 'from c'",
                "My Table b",
            ),
            ("SELECT * FROM a, b AS c, [d e] WHERE f IN (SELECT g FROM h)", "a b d e h"),
            ("WITH r AS (SELECT * FROM s) SELECT * FROM r JOIN t USING (id)", "s t"),
            ("SELECT extract(year FROM made) FROM (u JOIN v)", "made u v"),
            ("SELECT count(*) FROM generate_series(1, 3) -- FROM w", ""),
            ("SELECT 1 /* FROM x */ FROM y, (SELECT 1) z, q", "y q"),
            ("", ""),
            ("FROM ((((", ""),
        ] {
            assert_eq!(tables(sql), expected, "{sql}");
        }
    }

    #[test]
    fn every_name_counts_once() {
        let found = names("SELECT o.total, O.TOTAL FROM orders o WHERE o.paid > 1e5");
        assert!(found.all.iter().any(|name| name == "total"), "{found:?}");
        assert_eq!(found.all.iter().filter(|name| name.eq_ignore_ascii_case("total")).count(), 1);
        assert!(!found.all.iter().any(|name| name == "e5"), "{found:?}");
        // What a statement calls its own columns is no name that it needs.
        let found = names("SELECT avg(paid) AS mean FROM orders ORDER BY mean");
        assert!(!found.all.iter().any(|name| name == "mean"), "{found:?}");
    }
}
