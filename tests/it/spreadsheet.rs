//! A folder of CSV files and a data dictionary in Excel, from files to a described schema.

use rust_xlsxwriter::Workbook;
use sqlogue::database::{Database as _, Limits, memory_tables};
use sqlogue::source::{self, excel};
use sqlogue::sql::{Dialect, guard};
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn files_become_a_described_database() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| std::fs::write(folder.path().join(name), content).unwrap();
    write("customers.csv", "id;Name;Joined\n1;Ada;03.02.2024\n2;Bo;14.05.2024\n");
    write("orders.csv", "id,customer_id,Amount,Paid\n10,1,\"1,250.00\",yes\n11,2,80,no\n12,1,,yes\n");
    let loaded = memory_tables::load(folder.path(), &mut |_| {}).unwrap();
    let mut schema = source::introspect(&loaded.database).await.unwrap();
    // Nobody declared a key in a CSV file; names and values speak for it.
    let key = &schema.table("orders").unwrap().foreign_keys[0];
    assert_eq!((key.table.as_str(), key.declared), ("customers", false));

    let dictionary = folder.path().join("dictionary.xlsx");
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    let rows = [
        ["Table", "Column", "Type", "Description"],
        ["Orders", "Amount", "decimal", "Without tax"],
        ["Orders", "Paid", "date", "Whether the money is here"],
        ["Orders", "Agent", "text", "Who sold it"],
    ];
    for (row, cells) in rows.iter().enumerate() {
        for (column, text) in cells.iter().enumerate() {
            sheet.write(row as u32 + 2, column as u16, *text).unwrap();
        }
    }
    workbook.save(&dictionary).unwrap();
    let described = excel::read(&dictionary).unwrap();
    let conflicts = source::merge(&mut schema, &described.schema);
    let conflicts: Vec<String> = conflicts.iter().map(ToString::to_string).collect();
    assert_eq!(
        conflicts,
        [
            "`orders.Paid` is described as date, but is BOOLEAN",
            "`orders.Agent` is described, but the table has no such column",
        ]
    );
    let amount = schema.table("orders").unwrap().column("amount").unwrap();
    assert_eq!(amount.description.as_deref(), Some("Without tax"));

    let sql = "SELECT c.Name, sum(o.Amount) FROM orders AS o JOIN customers AS c ON o.customer_id = c.id \
               WHERE c.Joined < '2024-03-01' GROUP BY c.Name";
    let checked = guard::check(sql, Dialect::Sqlite).unwrap();
    let rows =
        loaded.database.execute(&checked, &Limits::default(), &CancellationToken::new()).await.unwrap();
    assert_eq!(rows.rows, [["Ada".into(), 1250.0.into()]]);
}

/// What `sqlogue schema` shows of a database with a dictionary, and of a dictionary alone.
#[test]
fn a_dictionary_is_given_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("orders.csv");
    std::fs::write(&data, "id,Amount,Day\n1,3.5,03/04/2024\n2,4,05/06/2024\n").unwrap();
    let dictionary = folder.path().join("dictionary.xlsx");
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    let rows = [
        ["Table", "Column", "Type", "Description"],
        ["orders", "Amount", "decimal", "Without tax"],
        ["orders", "Day", "integer", "When it was paid"],
    ];
    for (row, cells) in rows.iter().enumerate() {
        for (column, text) in cells.iter().enumerate() {
            sheet.write(row as u32, column as u16, *text).unwrap();
        }
    }
    workbook.save(&dictionary).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("sqlogue"));
        let output =
            command.current_dir(folder.path()).env_remove("SQLOGUE_DATABASE").args(arguments).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    let [shown, told] = run(&["schema", "--db", "orders.csv", "--dictionary", "dictionary.xlsx"]);
    assert!(shown.contains("Without tax") && shown.contains("When it was paid"), "{shown}");
    assert_eq!(
        told,
        "note: orders.csv: the dates in `Day` were read as month/day; nothing in the file says which\n\
         note: `orders.Day` is described as integer, but is DATE\n"
    );
    let [alone, told] = run(&["schema", "--dictionary", "dictionary.xlsx", "--format", "csv"]);
    assert!(alone.starts_with("table,column,type") && alone.contains("orders,Amount,decimal"), "{alone}");
    assert_eq!(told, "");
    // A description that is given in the settings reaches the answers as well.
    let settings = "database = \"orders.csv\"\ndictionary = \"dictionary.xlsx\"\n";
    std::fs::write(folder.path().join("sqlogue.toml"), settings).unwrap();
    let [answer, _] = run(&["ask", "How many orders are there?", "--format", "csv"]);
    assert_eq!(answer.lines().collect::<Vec<_>>(), ["count(*)", "2"]);
}

/// Loading that takes its time is shown on a terminal only, and leaves nothing there.
#[cfg(target_os = "linux")]
#[test]
fn how_far_loading_is_shows_on_a_terminal_only() {
    use crate::cli_kit::{call, sqlogue};
    let folder = tempfile::tempdir().unwrap();
    let row = |row: u32| format!("{row},Customer {row},2024-01-{:02},{row}.5\n", row % 28 + 1);
    let rows: String = (0..ROWS).map(row).collect();
    std::fs::write(folder.path().join("sales.csv"), format!("id,customer,day,amount\n{rows}")).unwrap();
    let question = ["--db", "sales.csv", "--format", "csv", "ask", "How many sales are there?"];
    let piped = call(folder.path(), &question, "");
    let answer = format!("count(*)\r\n{ROWS}\r\n");
    assert_eq!((piped.code, piped.stdout.as_str(), piped.stderr.as_str()), (0, answer.as_str(), ""));

    // `script` runs a command on a terminal of its own and writes down what appears there.
    if std::process::Command::new("script").arg("--version").output().is_err() {
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "SKIPPED loading on a terminal: `script` is not installed");
        return;
    }
    let program = sqlogue(folder.path()).get_program().to_str().unwrap().to_owned();
    for store in ["", " --store kept.sqlite"] {
        // A file that was loaded before would be there at once.
        let words = format!(
            "'{program}'{store} --no-file-cache --db sales.csv --format csv ask 'How many sales are there?'"
        );
        let mut script = assert_cmd::Command::new("script");
        script.args(["-q", "-e", "-c", &format!("{words} > answer.csv"), "/dev/null"]);
        let seen = script.current_dir(folder.path()).env("TERM", "xterm").output().unwrap();
        let seen = String::from_utf8(seen.stdout).unwrap();
        assert!(seen.contains("\r\u{1b}[Kloading sales: ") && seen.contains(" rows, "), "{seen:?}");
        assert!(seen.ends_with("\r\u{1b}[K"), "the line is wiped: {seen:?}");
        assert_eq!(std::fs::read_to_string(folder.path().join("answer.csv")).unwrap(), answer);
    }
}

/// So many that loading them takes long enough to be shown.
const ROWS: u32 = 200_000;
