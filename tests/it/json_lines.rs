//! What `docs/json.md` says of lines of JSON, against what the program prints.

use std::fs;

use serde_json::{Value as Json, json};

use crate::cli_kit::{ECOMMERCE, call};
use crate::support::{File, root};

/// The schemas that a command prints: of the lines that it reads, and of those that it writes.
fn schemas(command: &str) -> (Json, Vec<Json>) {
    let folder = tempfile::tempdir().unwrap();
    let outcome = call(folder.path(), &[command, "--json-schema"], "");
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let printed: Json = serde_json::from_str(&outcome.stdout).unwrap();
    (printed["input"].clone(), printed["output"]["anyOf"].as_array().unwrap().clone())
}

/// Whether a value is what a schema says, and has no field that the schema does not speak of.
fn fits(value: &Json, schema: &Json) -> Result<(), String> {
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("schema.json", schema.clone()).unwrap();
    let compiled = compiler.compile("schema.json", &mut schemas).unwrap();
    schemas.validate(value, compiled).map_err(|error| format!("{error:#}"))?;
    let unknown = value.as_object().unwrap().keys().find(|key| schema["properties"].get(key).is_none());
    unknown.map_or(Ok(()), |key| Err(format!("`{key}` is not in the schema")))
}

/// Runs a command, and holds each line against the schemas.
fn check(arguments: &[&str], lines: &[Json], file: &File) -> Vec<Json> {
    let (input, output) = schemas(arguments[0]);
    for line in lines.iter().filter(|line| line.get("broken").is_none()) {
        fits(line, &input).unwrap_or_else(|problem| panic!("{line}: {problem}"));
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let outcome = call(file.folder(), arguments, &text);
    let answers = outcome.lines();
    assert_eq!(answers.len(), lines.len(), "{outcome:?}");
    for (line, answer) in lines.iter().zip(&answers) {
        let schema = &output[usize::from(line.get("broken").is_some())];
        fits(answer, schema).unwrap_or_else(|problem| panic!("{answer}: {problem}"));
    }
    answers
}

#[test]
fn the_page_shows_what_the_program_prints() {
    let page = fs::read_to_string(root().join("docs/json.md")).unwrap();
    let blocks: Vec<Json> = page
        .split("```json\n")
        .skip(1)
        .map(|block| serde_json::from_str(block.split("```").next().unwrap()).unwrap())
        .collect();
    let mut printed = Vec::new();
    for command in ["batch", "classify", "check"] {
        let (input, output) = schemas(command);
        printed.extend([input, output[0].clone()]);
    }
    printed.push(schemas("check").1[1].clone());
    assert_eq!(blocks, printed);
}

#[test]
fn answers_are_as_the_schema_says() {
    let file = File::new("shop.db", ECOMMERCE);
    let lines = [
        json!({"id": "1", "session": "a", "input": "How many users are there?"}),
        json!({"id": 2, "session": "a", "input": "Only active ones"}),
        json!({"id": null, "input": "Show me everything that is green"}),
        json!({"input": "SELECT 1.5, NULL, x'0aff', 9e999"}),
        json!({"input": "hi"}),
        json!({"input": ""}),
        json!({"input": "what tables are there?"}),
        json!({"input": "x", "database": "nowhere"}),
        json!({"broken": true}),
    ];
    let answers = check(&["batch", "--db", "shop.db"], &lines, &file);
    let status = |at: usize| answers[at]["status"].as_str().unwrap();
    assert_eq!([status(0), status(1), status(3)], ["completed"; 3]);
    // A greeting is answered as politely, and what everybody may know is told; no words are no question.
    assert_eq!([status(4), status(5), status(6), status(7)], ["completed", "failed", "completed", "failed"]);
    assert_eq!((&answers[4]["sql"], &answers[4]["columns"]), (&Json::Null, &json!([])));
    assert!(answers[4]["message"].as_str().is_some_and(|message| !message.is_empty()));
    let asked = call(file.folder(), &["ask", "--db", "shop.db", "--format", "json", "--explain", "hi"], "");
    assert_eq!(asked.code, 0, "{asked:?}");
    fits(&asked.lines()[0], &schemas("batch").1[0]).unwrap();
    assert_eq!(asked.lines()[0]["status"], "completed");
    let asked = call(file.folder(), &["ask", "--db", "shop.db", "hi"], "");
    assert!(asked.code == 0 && asked.stderr.is_empty() && !asked.stdout.is_empty(), "{asked:?}");
}

#[test]
fn judgements_and_verdicts_are_as_the_schema_says() {
    let file = File::new("shop.db", ECOMMERCE);
    let lines = [
        json!({"id": "1", "input": "How many users are there?"}),
        json!({"id": "2", "history": [{"input": "List users", "sql": "SELECT * FROM users"}], "input": "only active ones"}),
        json!({"broken": true}),
    ];
    let judged = check(&["classify"], &lines, &file);
    assert_eq!(judged[1]["intent"], "refinement");
    let lines = [
        json!({"id": "1", "sql": "SELECT * FROM users"}),
        json!({"id": "2", "sql": "DROP TABLE users"}),
        json!({"id": "3", "sql": "SELECT nothing FROM users"}),
        json!({"broken": true}),
    ];
    check(&["check"], &lines, &file);
    let run = check(&["check", "--execute", "--db", "shop.db"], &lines, &file);
    assert_eq!((&run[0]["row_count"], &run[2]["outcome"]), (&json!(3), &json!("error")));
}

#[test]
fn question_is_read_as_input() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "{\"question\": \"How many customers are there?\"}\n{\"question\": \"How many products are there?\"}\n";
    let outcome = call(folder.path(), &["batch"], lines);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(outcome.lines()[0]["rows"], json!([[120]]));
    assert_eq!(outcome.stderr.matches("note:").count(), 1, "{outcome:?}");
    assert!(outcome.stderr.contains("line 1 has `question`"), "{outcome:?}");
    let outcome = call(folder.path(), &["classify"], "{\"question\": \"How many?\"}\n");
    assert!(outcome.code == 0 && outcome.lines()[0]["intent"].is_string(), "{outcome:?}");
}

#[test]
fn unknown_fields_are_named_once() {
    let folder = tempfile::tempdir().unwrap();
    let line = "{\"sesion\": \"a\", \"x\": 1, \"input\": \"How many customers are there?\"}\n";
    let outcome = call(folder.path(), &["batch"], &line.repeat(2));
    assert_eq!((outcome.code, outcome.lines().len()), (0, 2), "{outcome:?}");
    assert_eq!(
        outcome.stderr.lines().collect::<Vec<_>>(),
        [
            "note: line 1 has `sesion`, which is no field and ignored; did you mean `session`?",
            "note: line 1 has `x`, which is no field and ignored",
        ]
    );
    let outcome = call(folder.path(), &["check"], "{\"question\": \"?\", \"sql\": \"SELECT 1\"}\n");
    assert!(outcome.stderr.contains("`question`, which is no field"), "{outcome:?}");
}

#[test]
fn exit_codes_tell_all_failed_from_all_answered() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) =
        ("{\"input\": \"How many customers are there?\"}\n", "{\"input\": \"Xyzzy plugh frotz\"}\n");
    let code = |arguments: &[&str], lines: &str| call(folder.path(), arguments, lines).code;
    assert_eq!(code(&["batch"], good), 0);
    assert_eq!(code(&["batch"], &[good, bad].concat()), 0);
    assert_eq!(code(&["batch"], bad), 3);
    assert_eq!(code(&["batch"], ""), 0);
    assert_eq!(code(&["batch", "--strict"], &[good, bad].concat()), 3);
    assert_eq!(code(&["batch", "--strict"], good), 0);
    let (allowed, rejected) = ("{\"sql\": \"SELECT 1\"}\n", "{\"sql\": \"DROP TABLE x\"}\n");
    assert_eq!(code(&["check"], &[allowed, rejected].concat()), 0);
    assert_eq!(code(&["check"], rejected), 3);
    assert_eq!(code(&["check", "--strict"], &[allowed, rejected].concat()), 3);
    assert_eq!(code(&["classify"], "nonsense\n"), 3);
}

#[test]
fn completions_and_man_pages_are_printed_and_installed() {
    let folder = tempfile::tempdir().unwrap();
    for (shell, said) in
        [("bash", "complete -F"), ("zsh", "#compdef sqlogue"), ("fish", "complete -c sqlogue")]
    {
        let outcome = call(folder.path(), &["completions", shell], "");
        assert!(outcome.code == 0 && outcome.stdout.contains(said), "{shell}: {outcome:?}");
        let outcome = call(folder.path(), &["completions", shell, "--install"], "");
        assert!(outcome.code == 0 && outcome.stderr.contains("installed"), "{shell}: {outcome:?}");
    }
    let home = folder.path();
    for path in [
        ".local/share/bash-completion/completions/sqlogue",
        ".local/share/zsh/site-functions/_sqlogue",
        ".config/fish/completions/sqlogue.fish",
        ".local/share/man/man1/sqlogue.1",
        ".local/share/man/man1/sqlogue-ask.1",
    ] {
        assert!(home.join(path).is_file(), "{path}");
    }
    let manual = home.join(".local/share/man/man1");
    let mut pages =
        fs::read_dir(&manual).unwrap().map(|page| page.unwrap().file_name().into_string().unwrap());
    assert!(pages.all(|page| !page.contains("help")), "what `help` explains has a page already");
    let page = fs::read_to_string(manual.join("sqlogue-batch.1")).unwrap();
    assert!(page.contains(".TH sqlogue-batch 1") && page.contains("json\\-schema"), "{page}");
    call(home, &["completions", "powershell", "--install"], "").fails(2, "no usual place");
}

#[test]
fn help_begins_with_what_is_the_commands_own() {
    let folder = tempfile::tempdir().unwrap();
    for (command, own) in
        [("ask", "--explain"), ("batch", "--jobs"), ("check", "--execute"), ("eval", "--questions")]
    {
        let help = call(folder.path(), &[command, "--help"], "").stdout;
        assert!(help.find(own).unwrap() < help.find("Flags of every command:").unwrap(), "{help}");
        assert!(help.find("Flags of every command:").unwrap() < help.find("--dictionary").unwrap(), "{help}");
    }
}
