//! The commands of the chat: what they are called, what they take, what they do.

use super::super::schema::nearest;
use super::super::show::answer::Layout;
use super::copy::Copied;
use sqlogue::chart::Wish;
use sqlogue::intent::Spoken;

/// Something asked of the session instead of the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Order {
    New,
    History,
    Clear,
    Undo,
    Redo,
    Branch(Option<String>),
    Use(Option<String>),
    Sql(Option<bool>),
    Why,
    Cost,
    Graph(Option<String>),
    Schema(Option<String>),
    Export(String),
    /// The last rows as a picture: of this kind, into this file.
    Chart(Option<Wish>, Option<String>),
    Copy(Copied),
    /// The last rows as records.
    Expand,
    /// How rows are laid out from now on.
    Layout(Layout),
    Edit,
    Save(String),
    Open(String),
    /// The last answer is not what was meant; only said in plain words.
    Otherwise,
    Help,
    Quit,
}

/// A line that was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Typed<'a> {
    /// Nothing.
    Nothing,
    /// A question for the engine.
    Question(&'a str),
    /// One whose rows are shown as records.
    Expanded(&'a str),
    /// A command.
    Order(Order),
    /// What is wrong with the command, ready to be shown.
    Wrong(String),
}

/// Every command with what it takes and does, in the order of the help.
pub(super) const COMMANDS: &[(&str, &str, &str)] = &[
    ("/new", "[QUESTION]", "ask something new, whatever it sounds like"),
    ("/history", "", "the questions so far"),
    ("/undo", "", "take the last turn back"),
    ("/redo", "", "bring it back"),
    ("/branch", "[NAME]", "go on in a conversation of its own from here"),
    ("/clear", "", "forget the conversation"),
    ("/use", "[DATABASE]", "ask another database; without a name, list them"),
    ("/sql", "[on|off]", "the SQL of the last answer; show it with every answer, or not"),
    ("/edit", "", "open the last SQL in $EDITOR, and run what becomes of it"),
    (
        "/expand",
        "[on|off|auto]",
        "the last rows one below the other; all of them, none, or those that do not fit",
    ),
    ("/why", "", "how the last question was understood"),
    ("/cost", "", "what a model was asked for the last answer and for all, in calls and tokens"),
    ("/graph", "[FILE]", "the way it took through the graph; as a drawing in a .svg, .dot or .mmd file"),
    ("/schema", "[TABLE]", "the tables, or the columns of one"),
    (
        "/chart",
        "[KIND] [FILE]",
        "the last result as a picture: of the kind that fits, or bars, line, points; into a .svg or .json (Vega-Lite) file",
    ),
    ("/copy", "[FORM]", "the last rows to the clipboard, also as csv, json or markdown; or the sql"),
    ("/export", "FILE", "save the last result as .xlsx, .csv, .json, .jsonl, .md, .html or .parquet"),
    ("/save", "FILE", "save the last SQL as .sql, or the questions so far as .txt"),
    ("/open", "FILE", "ask what is in such a file, one after the other"),
    ("/help", "", "this list"),
    ("/quit", "", "leave (also Ctrl-D)"),
];

/// Other names that people try.
const ALIASES: &[(&str, &str)] = &[
    ("/exit", "/quit"),
    ("/q", "/quit"),
    ("/bye", "/quit"),
    ("/?", "/help"),
    ("/h", "/help"),
    ("/tables", "/schema"),
    ("/describe", "/schema"),
    ("/plot", "/chart"),
    ("/reset", "/clear"),
    // What fingers know from psql, the shell of SQLite and others.
    ("\\q", "/quit"),
    ("\\?", "/help"),
    ("\\h", "/help"),
    ("\\d", "/schema"),
    ("\\dt", "/schema"),
    ("\\d+", "/schema"),
    ("\\x", "/expand"),
    ("\\g", "/expand"),
    ("\\e", "/edit"),
    ("\\i", "/open"),
    ("\\w", "/save"),
    ("\\s", "/history"),
    ("\\c", "/use"),
    ("\\l", "/use"),
    (".quit", "/quit"),
    (".exit", "/quit"),
    (".help", "/help"),
    (".tables", "/schema"),
    (".schema", "/schema"),
    (".databases", "/use"),
    (".open", "/use"),
    (".read", "/open"),
    (".once", "/export"),
];

/// Reads a line. A path or a comment with a slash is a question, as it is to the classifier.
pub(super) fn read(line: &str) -> Typed<'_> {
    let line = line.trim();
    if line.is_empty() {
        return Typed::Nothing;
    }
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let lower = name.trim_end_matches(';').to_lowercase();
    let known = ALIASES.iter().find(|(alias, _)| *alias == lower).map(|(_, name)| *name);
    let is_command = match name.chars().next() {
        Some('/') => !name.get(1..).is_none_or(|word| word.contains('/')),
        Some('\\') => true,
        // `.mode` is a command of other shells; `.5` and `.NET` are none.
        Some('.') if known.is_none() => {
            name.len() > 2 && name.chars().skip(1).all(|letter| letter.is_ascii_lowercase())
        }
        _ => known.is_some(),
    };
    if !is_command {
        let vertical = ["\\G", "\\gx"].iter().find_map(|end| line.strip_suffix(end));
        return vertical.map_or(Typed::Question(line), |line| Typed::Expanded(line.trim_end()));
    }
    let name = known.unwrap_or(&lower);
    let rest = rest.trim().trim_end_matches(';').trim_end();
    let given = || (!rest.is_empty()).then(|| unquoted(rest).to_owned());
    let order = match (name, rest) {
        // The engine knows `/new` itself when a question follows.
        ("/new", question) if !question.is_empty() => return Typed::Question(line),
        ("/new", _) => Order::New,
        ("/branch", _) => Order::Branch(given()),
        ("/use", _) => Order::Use(given()),
        ("/graph", _) => Order::Graph(given()),
        ("/schema", _) => Order::Schema(given()),
        ("/chart", rest) => chart(rest),
        ("/copy", what) => match Copied::named(what) {
            Some(what) => Order::Copy(what),
            None => return Typed::Wrong("`/copy` takes `sql`, `csv`, `json` or `markdown`".to_owned()),
        },
        ("/expand", "") => Order::Expand,
        ("/expand", "on") => Order::Layout(Layout::Records),
        ("/expand", "off") => Order::Layout(Layout::Table),
        ("/expand", "auto") => Order::Layout(Layout::Fitting),
        ("/expand", _) => return Typed::Wrong("`/expand` takes `on`, `off` or `auto`".to_owned()),
        ("/edit", "") => Order::Edit,
        ("/save" | "/open", "") => {
            return Typed::Wrong(format!("`{name}` needs a file, such as `{name} report.sql`"));
        }
        ("/save", file) => Order::Save(unquoted(file).to_owned()),
        ("/open", file) => Order::Open(unquoted(file).to_owned()),
        ("/export", "") => return Typed::Wrong(NO_FILE.to_owned()),
        ("/export", file) => Order::Export(unquoted(file).to_owned()),
        ("/sql", "") => Order::Sql(None),
        ("/sql", "on") => Order::Sql(Some(true)),
        ("/sql", "off") => Order::Sql(Some(false)),
        ("/sql", _) => return Typed::Wrong("`/sql` takes `on` or `off`".to_owned()),
        ("/history", "") => Order::History,
        ("/clear", "") => Order::Clear,
        ("/undo", "") => Order::Undo,
        ("/redo", "") => Order::Redo,
        ("/why", "") => Order::Why,
        ("/cost", "") => Order::Cost,
        ("/help", _) => Order::Help,
        ("/quit", "") => Order::Quit,
        (name, _) if COMMANDS.iter().any(|(known, ..)| *known == name) => {
            return Typed::Wrong(format!("`{name}` takes nothing"));
        }
        (name, _) => return Typed::Wrong(unknown(name)),
    };
    Typed::Order(order)
}

/// `bars`, `bars sales.svg`, `sales.svg`.
fn chart(rest: &str) -> Order {
    let (first, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let wish = Wish::named(&first.to_lowercase());
    let file = if wish.is_some() { behind.trim() } else { rest };
    Order::Chart(wish, (!file.is_empty()).then(|| unquoted(file).to_owned()))
}

const NO_FILE: &str = "`/export` needs a file, such as `/export result.csv`";

/// What a command in plain words is called, where it has a name, and what it asks for.
pub(super) fn of_words(spoken: Spoken, said: &str) -> (Option<String>, Typed<'static>) {
    let order = |usage: &str, order| (Some(usage.to_owned()), Typed::Order(order));
    match spoken {
        Spoken::Undo => order("/undo", Order::Undo),
        Spoken::Redo => order("/redo", Order::Redo),
        Spoken::StartOver => order("/new", Order::New),
        Spoken::Clear => order("/clear", Order::Clear),
        Spoken::Export(Some(file)) => {
            let quoted = if file.contains(char::is_whitespace) { format!("'{file}'") } else { file.clone() };
            order(&format!("/export {quoted}"), Order::Export(file))
        }
        Spoken::Export(None) => (Some("/export FILE".to_owned()), Typed::Wrong(NO_FILE.to_owned())),
        Spoken::Chart => {
            let wish = Wish::said(said);
            let usage = wish.map_or("/chart".to_owned(), |wish| format!("/chart {}", wish.name()));
            order(&usage, Order::Chart(wish, None))
        }
        Spoken::Sql => order("/sql", Order::Sql(None)),
        Spoken::Why => order("/why", Order::Why),
        Spoken::Tables => order("/tables", Order::Schema(None)),
        Spoken::Describe(table) => order(&format!("/describe {table}"), Order::Schema(Some(table))),
        Spoken::Help => order("/help", Order::Help),
        Spoken::History => order("/history", Order::History),
        Spoken::Quit => order("/quit", Order::Quit),
        Spoken::Wrong => (None, Typed::Order(Order::Otherwise)),
    }
}

fn unknown(name: &str) -> String {
    let name = super::super::show::text::clean(name);
    // What all of them begin with makes none of them alike.
    let bare = name.trim_start_matches(['/', '\\', '.']);
    let names = || COMMANDS.iter().map(|(known, ..)| known.trim_start_matches('/'));
    // People get the first letters of a name right: `/che` is `/chart`, however many letters it shares with `/schema`.
    let only = bare.get(..2).and_then(|begun| {
        let mut begin_so = names().filter(|known| known.starts_with(begun));
        begin_so.next().filter(|_| begin_so.next().is_none())
    });
    match only.or_else(|| nearest(bare, names())) {
        Some(near) => format!("there is no command `{name}`\nhint: did you mean `/{near}`?"),
        None => format!("there is no command `{name}`\nhint: `/help` lists them"),
    }
}

/// A name without the quotes around it.
fn unquoted(name: &str) -> &str {
    let inside = |quote: char| name.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_questions() {
        assert_eq!(read("  "), Typed::Nothing);
        assert_eq!(read(" who buys most? "), Typed::Question("who buys most?"));
        assert_eq!(read("/new show customers"), Typed::Question("/new show customers"));
        assert_eq!(read("/NEW"), Typed::Order(Order::New));
        assert_eq!(read("start over: show customers"), Typed::Question("start over: show customers"));
        assert_eq!(read("/data/shop.csv rows"), Typed::Question("/data/shop.csv rows"));
        assert_eq!(read("/export 'my file.csv'"), Typed::Order(Order::Export("my file.csv".into())));
        assert_eq!(read("/sql off"), Typed::Order(Order::Sql(Some(false))));
        assert_eq!(read("/exit"), Typed::Order(Order::Quit));
        assert_eq!(read("\\q"), Typed::Order(Order::Quit));
        assert_eq!(read(".tables"), Typed::Order(Order::Schema(None)));
        assert_eq!(read("\\d orders;"), Typed::Order(Order::Schema(Some("orders".into()))));
        assert_eq!(read("\\G"), Typed::Order(Order::Expand));
        assert_eq!(read("select 1;\\G"), Typed::Expanded("select 1;"));
        assert_eq!(read("show orders \\G"), Typed::Expanded("show orders"));
        assert_eq!(read("/copy"), Typed::Order(Order::Copy(Copied::Rows)));
        assert_eq!(read("/copy SQL"), Typed::Order(Order::Copy(Copied::Sql)));
        assert_eq!(read("/chart line"), Typed::Order(Order::Chart(Some(Wish::Line), None)));
        assert_eq!(
            read("/chart bars 'my sales.svg'"),
            Typed::Order(Order::Chart(Some(Wish::Bars), Some("my sales.svg".into())))
        );
        assert_eq!(read("/chart x.svg"), Typed::Order(Order::Chart(None, Some("x.svg".into()))));
        assert_eq!(read("/expand off"), Typed::Order(Order::Layout(Layout::Table)));
        assert_eq!(read(".5 or more stars"), Typed::Question(".5 or more stars"));
        assert_eq!(read("/describe orders"), Typed::Order(Order::Schema(Some("orders".into()))));
    }

    #[test]
    fn mistakes_get_an_answer() {
        let wrong = |line| match read(line) {
            Typed::Wrong(wrong) => wrong,
            typed => panic!("{typed:?}"),
        };
        assert_eq!(wrong("/undoo"), "there is no command `/undoo`\nhint: did you mean `/undo`?");
        assert_eq!(wrong("/hist"), "there is no command `/hist`\nhint: did you mean `/history`?");
        assert_eq!(wrong("/che"), "there is no command `/che`\nhint: did you mean `/chart`?");
        assert_eq!(wrong("/nonsense"), "there is no command `/nonsense`\nhint: `/help` lists them");
        assert_eq!(wrong(".mode csv"), "there is no command `.mode`\nhint: `/help` lists them");
        assert_eq!(wrong("/xyzzy"), "there is no command `/xyzzy`\nhint: `/help` lists them");
        assert_eq!(wrong("/clear all"), "`/clear` takes nothing");
        assert!(wrong("/export").contains("needs a file"));
        assert_eq!(wrong("/copy pdf"), "`/copy` takes `sql`, `csv`, `json` or `markdown`");
        assert!(!wrong("/\u{1b}[2J").contains('\u{1b}'));
    }

    #[test]
    fn every_command_of_the_help_is_understood() {
        for (name, takes, _) in COMMANDS {
            let line = if *takes == "FILE" { format!("{name} x.csv") } else { (*name).to_owned() };
            assert!(matches!(read(&line), Typed::Order(_)), "{line}");
        }
    }
}
