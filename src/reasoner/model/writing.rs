//! SQL: written, repaired, refined; and where a follow-up goes.

use super::answers::{Decision, IntentAnswer, NamedConfidence, NamedIntent, RouterAnswer, SqlAnswer};
use super::budget::{CellLines, Lines};
use super::call::{Trouble, Turn};
use super::context;
use super::data::{self, quoted};
use super::describe::Described;
use super::prompts::Task;
use super::{ModelReasoner, names};
use crate::conversation::{ErrorKind, Failure, RouterMode, SentCells};
use crate::intent::Intent;
use crate::plan::{Confidence, PlannerOutput};
use crate::reasoner::{Ask, Assurance, JudgedIntent, RouterOutput, WrittenQuery};
use crate::schema::{Schema, Table};
use crate::sql;

impl ModelReasoner {
    pub(super) async fn write_sql(
        &self,
        turn: &Turn<'_>,
        plan: &PlannerOutput,
    ) -> Result<WrittenQuery, Trouble> {
        if let Some(query) = &plan.query_plan {
            // A typed plan is its own SQL, and costs nothing.
            let sql = sql::render_named(query, turn.ask.dialect);
            return Ok(WrittenQuery { sql, plan: Some(query.clone()), note: String::new() });
        }
        self.one_more_call(turn)?;
        self.write_sample(turn, plan, 0).await
    }

    /// The SQL of a plan in words, for the first time or once more.
    pub(super) async fn write_sample(
        &self,
        turn: &Turn<'_>,
        plan: &PlannerOutput,
        sample: u8,
    ) -> Result<WrittenQuery, Trouble> {
        let schema = turn.ask.knowledge.schema();
        let plan_text = data::fenced(&context::plan_json(plan));
        let parts = || {
            let chosen = plan.tables.iter().map(|table| (table.name.as_str(), table.columns.as_slice()));
            let parts =
                self.basic_parts(turn).need("plan", self.budget.cut(&plan_text, self.budget.room() / 3));
            let parts = parts.wish("tables", Described::chosen(schema, chosen));
            let others = Lines { what: "other tables", lines: others(schema, plan), reversed: false };
            self.hinted(turn, parts)
                .wish("examples", context::examples(turn))
                .wish("others", others)
                .sample(sample)
        };
        let check = |answer: SqlAnswer| match answer.sql.as_deref().map(tidy).filter(|sql| !sql.is_empty()) {
            Some(sql) => Ok((sql, answer.reasoning)),
            None => Err("`sql` must hold a query".to_owned()),
        };
        let (sql, reasoning) = self.ask_model(turn, Task::GenerateSql, parts, check).await?;
        Ok(written(turn.ask, sql, data::cut(&reasoning, 400)))
    }

    pub(super) async fn write_repair(
        &self,
        turn: &Turn<'_>,
        failure: &Failure,
    ) -> Result<Option<WrittenQuery>, Trouble> {
        if failure.error.kind == ErrorKind::Refused {
            // What may not run is not to be put in other words until it may.
            return Ok(None);
        }
        self.one_more_call(turn)?;
        let state = turn.ask.state;
        let earlier: Vec<String> = state
            .scratch
            .failures
            .iter()
            .filter(|other| other.sql != failure.sql)
            .map(|other| data::fenced(&data::cut(&one_line(&other.sql), 400)))
            .collect();
        let near = near_values(turn, &self.tables_of(turn, &failure.sql), &failure.sql);
        let names = near_names(turn, failure);
        let plan = state.planner_output.as_ref().map(|plan| data::fenced(&context::plan_json(plan)));
        let plan: Vec<String> = plan.into_iter().collect();
        let parts = || {
            let tables = self.tables_of(turn, &failure.sql);
            let parts = self
                .basic_parts(turn)
                .need("sql", data::fenced(&failure.sql))
                .need("error", self.budget.cut(&data::fenced(&failure.error.message), self.budget.room() / 8))
                .wish("near_names", Lines { what: "near names", lines: names.clone(), reversed: false })
                .wish("near_values", CellLines { what: "values", lines: near.clone() })
                .wish("tables", Described::whole(tables))
                .wish("failures", Lines { what: "failed attempts", lines: earlier.clone(), reversed: false })
                .wish("plan", Lines { what: "plan", lines: plan.clone(), reversed: false });
            self.hinted(turn, parts)
        };
        let check = |answer: SqlAnswer| match answer.sql.as_deref().map(tidy).filter(|sql| !sql.is_empty()) {
            Some(sql) => Ok(Some((sql, answer.reasoning))),
            None => Ok(None),
        };
        let repaired = match self.ask_model(turn, Task::RepairSql, parts, check).await {
            Err(Trouble::Unusable(_)) => None,
            outcome => outcome?,
        };
        // The same statement again would fail again, and the same question would be answered by it again.
        let tried = |sql: &str| {
            let fails = |other: &str| normal(other) == normal(sql);
            fails(&failure.sql) || state.scratch.failures.iter().any(|failure| fails(&failure.sql))
        };
        Ok(repaired.filter(|(sql, _)| !tried(sql)).map(|(sql, reasoning)| {
            let why = if reasoning.is_empty() { one_line(&failure.error.message) } else { reasoning };
            let note = format!("The query failed and was corrected: {}", data::cut(&why, 300));
            written(turn.ask, sql, note)
        }))
    }

    pub(super) async fn write_reconsidered(
        &self,
        turn: &Turn<'_>,
        sql: &str,
        doubt: &str,
    ) -> Result<Option<WrittenQuery>, Trouble> {
        self.one_more_call(turn)?;
        let near = near_values(turn, &self.tables_of(turn, sql), sql);
        let parts = || {
            let parts = self
                .basic_parts(turn)
                .need("sql", data::fenced(sql))
                .need("doubt", data::fenced(&data::cut(doubt, 600)))
                .wish("near_values", CellLines { what: "values", lines: near.clone() })
                .wish("tables", Described::whole(self.tables_of(turn, sql)));
            self.hinted(turn, parts)
        };
        let check = |answer: SqlAnswer| Ok((answer.sql, answer.reasoning));
        let (answer, reasoning) = match self.ask_model(turn, Task::ReconsiderSql, parts, check).await {
            Err(Trouble::Unusable(_)) => return Ok(None),
            outcome => outcome?,
        };
        let changed = answer.as_deref().map(tidy).filter(|changed| !changed.is_empty());
        Ok(changed.filter(|changed| normal(changed) != normal(sql)).map(|changed| {
            let why = if reasoning.is_empty() { doubt.to_owned() } else { reasoning };
            let note =
                format!("The result looked wrong, and the query was changed: {}", data::cut(&why, 300));
            written(turn.ask, changed, note)
        }))
    }

    pub(super) async fn write_refinement(
        &self,
        turn: &Turn<'_>,
        sql: &str,
    ) -> Result<Option<WrittenQuery>, Trouble> {
        if literals(sql).1 == 0 {
            // Nothing is compared with a text, so no spelling can be at fault.
            return Ok(None);
        }
        self.one_more_call(turn)?;
        let near = near_values(turn, &self.tables_of(turn, sql), sql);
        let parts = || {
            let tables = self.tables_of(turn, sql);
            self.basic_parts(turn)
                .need("sql", data::fenced(sql))
                .wish("near_values", CellLines { what: "values", lines: near.clone() })
                .wish("tables", Described::whole(tables))
        };
        let check = |answer: SqlAnswer| Ok((answer.sql, answer.reasoning));
        let (answer, reasoning) = match self.ask_model(turn, Task::RefineSql, parts, check).await {
            Err(Trouble::Unusable(_)) => return Ok(None),
            outcome => outcome?,
        };
        let Some(refined) = answer.as_deref().map(tidy).filter(|refined| !refined.is_empty()) else {
            return Ok(None);
        };
        // Whatever changes more than how a value is spelt answers another question.
        if literals(&refined).0 != literals(sql).0 || normal(&refined) == normal(sql) {
            return Ok(None);
        }
        let why =
            if reasoning.is_empty() { "a value was spelt as in the database".to_owned() } else { reasoning };
        let note = format!("Nothing matched, so a near match was tried: {}", data::cut(&why, 300));
        Ok(Some(written(turn.ask, refined, note)))
    }

    pub(super) async fn judge_route(&self, turn: &Turn<'_>) -> Result<RouterOutput, Trouble> {
        self.one_more_call(turn)?;
        let state = turn.ask.state;
        let current = state.current_query.clone().unwrap_or_default();
        let routes = self.hinter.as_ref().map(|hinter| hinter.routes(&turn.ask)).unwrap_or_default();
        let routes: Vec<String> = routes.iter().map(|route| data::fenced(&data::cut(route, 800))).collect();
        let parts = || {
            let mut parts = self
                .basic_parts(turn)
                .need("sql", self.budget.cut(&data::fenced(&current), self.budget.room() / 3));
            if let Some(plan) = context::previous_plan(turn) {
                parts = parts
                    .need("previous_plan", self.budget.cut(&data::fenced(&plan), self.budget.room() / 4));
            }
            parts = self.after_answer(turn, parts);
            let routes = Lines { what: "candidates", lines: routes.clone(), reversed: false };
            parts = parts.wish("candidates", routes);
            if let Some(schema) = &state.schema {
                parts = parts.wish("tables", Described::whole(&schema.tables));
            }
            self.hinted(turn, parts.wish("history", context::history(turn)))
        };
        let question = turn.ask.question;
        let planned = |mode, answer: &RouterAnswer| RouterOutput::Plan {
            mode,
            instructions: match answer.instructions.trim() {
                "" => question.to_owned(),
                instructions => data::cut(instructions, 2000),
            },
            edits: Vec::new(),
            question: None,
            assurance: None,
        };
        let check = |answer: RouterAnswer| match answer.decision {
            Decision::NewQuery => Ok(RouterOutput::New),
            Decision::UpdatePlan => Ok(planned(RouterMode::Update, &answer)),
            Decision::RewritePlan => Ok(planned(RouterMode::Rewrite, &answer)),
            Decision::ReviseQueryInline => {
                let query = answer.query.as_deref().map(tidy).unwrap_or_default();
                if query.is_empty() || normal(&query) == normal(&current) {
                    return Err("`query` must hold the whole changed query".to_owned());
                }
                let reason = Some(data::cut(&answer.reasoning, 400)).filter(|reason| !reason.is_empty());
                let plan = sql::lift(&query, turn.ask.knowledge.schema(), turn.ask.dialect);
                Ok(RouterOutput::Inline {
                    query,
                    plan: plan.map(Box::new),
                    explanation: reason.into_iter().collect(),
                    // Nobody else has seen what the model made of it.
                    assurance: Assurance { confidence: Confidence::Medium, ..Assurance::default() },
                })
            }
        };
        match self.ask_model(turn, Task::Router, parts, check).await {
            // To change the plan as the person said is what most follow-ups want.
            Err(Trouble::Unusable(_)) => Ok(RouterOutput::Plan {
                mode: RouterMode::Update,
                instructions: question.to_owned(),
                edits: Vec::new(),
                question: None,
                assurance: None,
            }),
            outcome => outcome,
        }
    }

    pub(super) async fn judge_intent(&self, turn: &Turn<'_>) -> Result<Option<JudgedIntent>, Trouble> {
        self.one_more_call(turn)?;
        let parts = || self.basic_parts(turn).wish("history", context::history(turn));
        let check = |answer: IntentAnswer| {
            Ok(JudgedIntent {
                intent: match answer.intent {
                    NamedIntent::NewQuery => Intent::NewQuery,
                    NamedIntent::Refinement => Intent::Refinement,
                },
                confidence: match answer.confidence {
                    NamedConfidence::High => Confidence::High,
                    NamedConfidence::Medium => Confidence::Medium,
                    NamedConfidence::Low => Confidence::Low,
                },
                reasoning: data::cut(&answer.reasoning, 300),
            })
        };
        match self.ask_model(turn, Task::Intent, parts, check).await {
            Err(Trouble::Unusable(_)) => Ok(None),
            outcome => outcome.map(Some),
        }
    }

    /// Takes one of the calls that a turn may make beyond the phases of planning.
    fn one_more_call(&self, turn: &Turn<'_>) -> Result<(), Trouble> {
        if turn.phase || turn.open.take_call(self.caps.max_calls) {
            return Ok(());
        }
        Err(Trouble::Cap(format!(
            "this turn has made the {} model calls that it may make beside planning (raise `max_calls`, or ask more \
             simply)",
            self.caps.max_calls
        )))
    }

    /// The tables that a statement speaks of, and those of the plan.
    fn tables_of<'s>(&self, turn: &Turn<'s>, sql: &str) -> Vec<&'s Table> {
        let schema: &'s Schema = turn.ask.knowledge.schema();
        let lower = sql.to_lowercase();
        let planned = turn.ask.state.planner_output.iter().flat_map(|plan| &plan.tables);
        let mut tables: Vec<&Table> = planned.filter_map(|table| schema.table(&table.name)).collect();
        for table in &schema.tables {
            let used = lower.contains(&table.name.to_lowercase());
            if used && !tables.iter().any(|known| known.name == table.name) {
                tables.push(table);
            }
        }
        if tables.is_empty() {
            // A statement that names no table that exists: what exists is what it needs.
            let word = lower.split_whitespace().skip_while(|word| *word != "from").nth(1).unwrap_or_default();
            tables.extend(names::table(schema, word));
            tables.extend(schema.tables.iter().take(20));
        }
        tables
    }
}

/// The tables that a plan leaves out, each with its columns on a line: a phase may have been wrong about one.
fn others(schema: &Schema, plan: &PlannerOutput) -> Vec<String> {
    let left_out = schema
        .tables
        .iter()
        .filter(|table| !plan.tables.iter().any(|planned| planned.name.eq_ignore_ascii_case(&table.name)));
    let line = |table: &Table| {
        let columns: Vec<String> =
            table.columns.iter().map(|column| quoted(&column.name, data::NAME)).collect();
        format!("table {}: {}", quoted(&table.name, data::NAME), columns.join(", "))
    };
    left_out.take(OTHERS).map(line).collect()
}

/// Of the tables that a plan leaves out so many are named.
const OTHERS: usize = 40;

/// What is known of the names in a statement that failed, a line each, where the error does not say it already.
fn near_names(turn: &Turn<'_>, failure: &Failure) -> Vec<String> {
    let Ok(checked) = sql::guard::check(&failure.sql, turn.ask.dialect) else { return Vec::new() };
    let findings = sql::resolve(&checked, turn.ask.knowledge.schema());
    let lines = findings.iter().map(ToString::to_string);
    lines.filter(|line| !failure.error.message.contains(line)).map(|line| data::fenced(&line)).collect()
}

/// Values of the database that come near the texts of a statement, a line each with the cell in it.
fn near_values(turn: &Turn<'_>, tables: &[&Table], sql: &str) -> Vec<(String, Vec<SentCells>)> {
    let mut lines = Vec::new();
    // Every second piece between quotes is a text.
    for text in sql.split('\'').skip(1).step_by(2).filter(|text| !text.is_empty()).take(8) {
        for table in tables {
            for column in &table.columns {
                let text = text.trim_matches('%');
                if let Some(near) = turn.ask.knowledge.near_value(&table.name, &column.name, text) {
                    let at =
                        format!("{}.{}", quoted(&table.name, data::NAME), quoted(&column.name, data::NAME));
                    let sent = SentCells::one(
                        format!("{}.{}", table.name, column.name),
                        data::cut(&near, data::VALUE),
                    );
                    let [near, text] = [near.as_str(), text].map(|text| quoted(text, data::VALUE));
                    lines.push((format!("{at} has {near}, near {text}"), vec![sent]));
                }
            }
        }
    }
    lines
}

/// SQL with the plan it stands for, where the plan language can say it: later follow-ups can then be edits.
pub(super) fn written(ask: Ask<'_>, sql: String, note: String) -> WrittenQuery {
    let plan = sql::lift(&sql, ask.knowledge.schema(), ask.dialect);
    WrittenQuery { sql, plan, note }
}

/// SQL without the fence and the semicolon that models put around it.
pub(super) fn tidy(sql: &str) -> String {
    let sql = match super::lenient::fences(sql).into_iter().next() {
        Some((_, body)) if sql.trim_start().starts_with("```") => body,
        _ => sql.to_owned(),
    };
    sql.trim().trim_end_matches(';').trim().to_owned()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// SQL without what does not matter: case outside of quotes, spaces, the semicolon.
fn normal(sql: &str) -> String {
    let mut quote: Option<char> = None;
    let mut normal = String::new();
    for character in sql.trim().trim_end_matches(';').chars() {
        match quote {
            Some(open) => {
                normal.push(character);
                if character == open {
                    quote = None;
                }
            }
            None if matches!(character, '\'' | '"' | '`') => {
                quote = Some(character);
                normal.push(character);
            }
            None if character.is_whitespace() => {}
            None => normal.extend(character.to_lowercase()),
        }
    }
    normal
}

/// A statement with every text literal replaced, and how many there were.
fn literals(sql: &str) -> (String, usize) {
    let mut without = String::new();
    let mut count = 0;
    let mut parts = sql.split('\'');
    if let Some(first) = parts.next() {
        without.push_str(first);
    }
    // Between two quotes stands a literal; a doubled quote inside one counts as two of them on both sides.
    while parts.next().is_some() {
        count += 1;
        without.push('?');
        if let Some(between) = parts.next() {
            without.push_str(between);
        }
    }
    (normal(&without.replace("??", "?")), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_say_the_same_are_the_same() {
        assert_eq!(normal("SELECT *\n FROM t;"), normal("select * from T"));
        assert_ne!(normal("SELECT 'A'"), normal("SELECT 'a'"));
    }

    #[test]
    fn only_the_spelling_of_values_may_change() {
        let before = "SELECT * FROM c WHERE city = 'Pari''s' AND x = 'a'";
        let (shape, count) = literals(before);
        assert!(count >= 2);
        assert_eq!(literals("select * from c where city = 'PARIS' AND x = 'b'").0, shape);
        assert_ne!(literals("SELECT * FROM c WHERE town = 'PARIS' AND x = 'a'").0, shape);
        assert_eq!(literals("SELECT 1").1, 0);
    }

    #[test]
    fn fences_and_semicolons_go() {
        assert_eq!(tidy("```sql\nSELECT 1;\n```"), "SELECT 1");
        assert_eq!(tidy(" SELECT 1 ; "), "SELECT 1");
    }
}
