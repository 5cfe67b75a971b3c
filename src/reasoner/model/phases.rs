//! The three phases of query understanding, and the joins.

use futures_util::StreamExt as _;
use futures_util::stream;

use super::answers::{
    JoinsAnswer, NamedJoin, RefinementAnswer, RelevanceAnswer, TablesAnswer, UnderstandingAnswer,
};
use super::budget::{Lines, Parts};
use super::call::{Trouble, Turn};
use super::context;
use super::data::{self, quoted};
use super::describe::Described;
use super::prompts::Task;
use super::{ModelReasoner, names, shape};
use crate::ambiguity::Correction;
use crate::plan::{
    JoinCondition, JoinInference, PlannedTable, PlannerOutput, QueryUnderstanding, TableRefinement,
    TableRelevance,
};
use crate::schema::{Schema, Table};

/// Tokens of an answer that one relevant table takes, where all tables are judged at once.
const TABLE_ANSWER: usize = 35;

impl ModelReasoner {
    /// Whether all of these tables fit into one prompt, and the judgement of all into one answer.
    pub(super) fn fits_at_once(&self, turn: &Turn<'_>, tables: &[&Table]) -> bool {
        if tables.len() < 2 || tables.len() * TABLE_ANSWER > self.budget.answer_tokens {
            return false;
        }
        let shape = self.shape_tokens(&shape::schema::<TablesAnswer>());
        match self.budget.fit(&self.prompts, Task::RelevantTables, &self.planning_parts(turn), shape) {
            Ok(fitted) => {
                let room = self.budget.room().saturating_sub(fitted.tokens);
                Described::whole(tables.iter().copied()).fits(room, self.budget.tokenizer.as_ref())
            }
            Err(_) => false,
        }
    }

    pub(super) async fn judge_tables(
        &self,
        turn: &Turn<'_>,
        tables: &[String],
    ) -> Result<Vec<TableRelevance>, Trouble> {
        let schema = turn.ask.knowledge.schema();
        let known: Vec<&Table> = tables.iter().filter_map(|name| schema.table(name)).collect();
        // All at once only where all tables of the database fit: a part of them is judged as part of a large schema is.
        let whole: Vec<&Table> = schema.tables.iter().collect();
        let mut judged = match known.len() > 1 && self.fits_at_once(turn, &whole) {
            true => self.judge_at_once(turn, &known).await?,
            false => self.judge_one_by_one(turn, &known).await?,
        };
        for relevance in &mut judged {
            if is_selected(turn, &relevance.table) && !relevance.is_relevant {
                relevance.is_relevant = true;
                relevance.confidence = 1.0;
                relevance.reasoning = "settled by the person".to_owned();
            }
        }
        Ok(judged)
    }

    async fn judge_at_once(
        &self,
        turn: &Turn<'_>,
        tables: &[&Table],
    ) -> Result<Vec<TableRelevance>, Trouble> {
        let schema = turn.ask.knowledge.schema();
        let parts = || self.planning_parts(turn).wish("tables", Described::whole(tables.iter().copied()));
        let check = |answer: TablesAnswer| {
            let names = names::tables(schema, answer.tables.iter().map(|table| table.table.as_str()))?;
            Ok((names, answer.tables))
        };
        let outcome = self.ask_model::<TablesAnswer, _>(turn, Task::RelevantTables, parts, check).await;
        let (_, answers) = match outcome {
            // One by one the tables can still be judged, each by a simpler question.
            Err(Trouble::Unusable(_)) => return self.judge_one_by_one(turn, tables).await,
            outcome => outcome?,
        };
        let judged = tables.iter().map(|table| {
            let answer = answers.iter().find(|answer| {
                names::table(schema, &answer.table).is_some_and(|named| named.name == table.name)
            });
            match answer {
                Some(answer) => TableRelevance {
                    table: table.name.clone(),
                    is_relevant: true,
                    confidence: answer.confidence.clamp(0.0, 1.0),
                    relevant_columns: names::columns(table, &answer.relevant_columns),
                    reasoning: data::cut(&answer.reasoning, 400),
                },
                None => irrelevant(table, "not among the tables that were chosen"),
            }
        });
        Ok(judged.collect())
    }

    async fn judge_one_by_one(
        &self,
        turn: &Turn<'_>,
        tables: &[&Table],
    ) -> Result<Vec<TableRelevance>, Trouble> {
        let mut each = Vec::with_capacity(tables.len());
        for table in tables {
            each.push(self.judge_table(turn, table));
        }
        let mut judging = stream::iter(each).buffered(self.caps.concurrency.max(1));
        let mut judged = Vec::with_capacity(tables.len());
        let (mut unusable, mut last) = (0_usize, None);
        while let Some(outcome) = judging.next().await {
            match outcome {
                Ok(relevance) => judged.push(relevance),
                Err((table, Trouble::Unusable(problem))) => {
                    unusable += 1;
                    judged.push(by_words(turn, table, &problem));
                    last = Some(Trouble::Unusable(problem));
                }
                Err((_, trouble)) => return Err(trouble),
            }
        }
        match last {
            Some(trouble) if unusable == tables.len() => Err(trouble),
            _ => Ok(judged),
        }
    }

    /// One table, in as many parts as its columns need.
    async fn judge_table<'t>(
        &self,
        turn: &Turn<'_>,
        table: &'t Table,
    ) -> Result<TableRelevance, (&'t Table, Trouble)> {
        let shape = self.shape_tokens(&shape::schema::<RelevanceAnswer>());
        let bare = self.planning_parts(turn).need("part", "part 100 of 100");
        let fitted = self.budget.fit(&self.prompts, Task::TableRelevance, &bare, shape);
        let room = fitted.map(|fitted| self.budget.room().saturating_sub(fitted.tokens));
        // A twentieth is kept for what a text costs more together than in pieces.
        let room = room.map_err(|unfit| (table, Trouble::Unfit(unfit)))? * 19 / 20;
        let count = Described::parts(table, room, self.budget.tokenizer.as_ref()).len();
        let mut whole = irrelevant(table, "");
        for at in 0..count {
            let parts = || {
                let mut cut = Described::parts(table, room, self.budget.tokenizer.as_ref());
                let described = if at < cut.len() { cut.swap_remove(at) } else { Described::whole([]) };
                let part = if count > 1 { format!("part {} of {count}", at + 1) } else { String::new() };
                self.planning_parts(turn).need("part", part).wish("tables", described)
            };
            let answer = self.ask_model::<RelevanceAnswer, _>(turn, Task::TableRelevance, parts, Ok).await;
            let answer = answer.map_err(|trouble| (table, trouble))?;
            let confidence = answer.confidence.clamp(0.0, 1.0);
            whole.confidence = if at == 0 { confidence } else { whole.confidence.max(confidence) };
            whole.is_relevant |= answer.is_relevant;
            if answer.is_relevant {
                whole.relevant_columns.extend(names::columns(table, &answer.relevant_columns));
            }
            if answer.is_relevant || whole.reasoning.is_empty() {
                whole.reasoning = data::cut(&answer.reasoning, 400);
            }
        }
        Ok(whole)
    }

    pub(super) async fn judge_candidates(
        &self,
        turn: &Turn<'_>,
        candidates: &[TableRelevance],
    ) -> Result<TableRefinement, Trouble> {
        let schema = turn.ask.knowledge.schema();
        let mut candidates: Vec<&TableRelevance> =
            candidates.iter().filter(|table| table.is_relevant).collect();
        candidates.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
        let parts = || {
            let chosen =
                candidates.iter().map(|table| (table.table.as_str(), table.relevant_columns.as_slice()));
            let lines = candidates.iter().map(|table| {
                let (name, why) =
                    (quoted(&table.table, data::NAME), data::fenced(&data::cut(&table.reasoning, 120)));
                format!("- {name}, {:.2}: {why}", table.confidence)
            });
            let lines = Lines { what: "judgements", lines: lines.collect(), reversed: false };
            self.planning_parts(turn)
                .wish("tables", Described::chosen(schema, chosen))
                .wish("candidates", lines)
        };
        let check = |answer: RefinementAnswer| {
            let mut kept = names::tables(schema, answer.final_tables.iter().map(String::as_str))?;
            kept.retain(|name| candidates.iter().any(|table| table.table == *name));
            if kept.is_empty() && !answer.removed_tables.is_empty() {
                // Some only say what goes.
                let gone = names::tables(schema, answer.removed_tables.iter().map(String::as_str))?;
                let left = candidates.iter().map(|table| &table.table).filter(|name| !gone.contains(name));
                kept = left.cloned().collect();
            }
            for table in &candidates {
                if is_selected(turn, &table.table) && !kept.contains(&table.table) {
                    kept.push(table.table.clone());
                }
            }
            match kept.is_empty() {
                true => Err("`final_tables` must hold at least one of the given tables".to_owned()),
                false => Ok((kept, answer.reasoning)),
            }
        };
        let outcome = self.ask_model::<RefinementAnswer, _>(turn, Task::TableRefinement, parts, check).await;
        let (final_tables, reasoning) = match outcome {
            // To keep all is what not asking would have meant.
            Err(Trouble::Unusable(problem)) => {
                let all = candidates.iter().map(|table| table.table.clone()).collect();
                (all, format!("all were kept, because the model's review could not be used: {problem}"))
            }
            outcome => outcome?,
        };
        let removed = candidates.iter().map(|table| &table.table).filter(|name| !final_tables.contains(name));
        Ok(TableRefinement {
            removed_tables: removed.cloned().collect(),
            final_tables,
            reasoning: data::cut(&reasoning, 400),
        })
    }

    pub(super) async fn judge_requirements(
        &self,
        turn: &Turn<'_>,
        tables: &[PlannedTable],
    ) -> Result<QueryUnderstanding, Trouble> {
        let schema = turn.ask.knowledge.schema();
        let parts = || {
            let chosen = tables.iter().map(|table| (table.name.as_str(), table.columns.as_slice()));
            self.planning_parts(turn).wish("tables", Described::chosen(schema, chosen))
        };
        let check = |answer: UnderstandingAnswer| {
            let named = answer.tables.iter().map(|table| (table.name.as_str(), table.columns.as_slice()));
            let mut planned = names::planned(schema, named)?;
            if planned.is_empty() {
                planned = tables.to_vec();
            }
            // A table that was settled stays, whatever the model thinks of it.
            for table in tables.iter().filter(|table| is_selected(turn, &table.name)) {
                if !planned.iter().any(|known| known.name == table.name) {
                    planned.push(table.clone());
                }
            }
            Ok(QueryUnderstanding {
                joins_needed: planned.len() > 1 && answer.joins_needed.unwrap_or(true),
                tables: planned,
                filters: answer.filters,
                aggregations: answer.aggregations,
                grouping: answer.grouping,
                ordering: answer.ordering,
                limit: answer.limit.and_then(|limit| u64::try_from(limit).ok()).filter(|limit| *limit > 0),
                reasoning: data::cut(&answer.reasoning, 600),
            })
        };
        match self.ask_model(turn, Task::QueryUnderstanding, parts, check).await {
            // What the tables are is known, and the query itself is still to be asked for.
            Err(Trouble::Unusable(problem)) => Ok(QueryUnderstanding {
                tables: tables.to_vec(),
                joins_needed: tables.len() > 1,
                reasoning: format!("the model's requirements could not be used: {problem}"),
                ..QueryUnderstanding::default()
            }),
            outcome => outcome,
        }
    }

    pub(super) async fn judge_joins(
        &self,
        turn: &Turn<'_>,
        understanding: &QueryUnderstanding,
    ) -> Result<JoinInference, Trouble> {
        let schema = turn.ask.knowledge.schema();
        let settled = settled_joins(turn);
        if settled.is_empty()
            && let Some(joins) = declared(schema, &understanding.tables)
        {
            let reasoning = "the database declares exactly one way to join these tables".to_owned();
            return Ok(JoinInference { joins, confidence: 1.0, candidates: Vec::new(), reasoning });
        }
        let requirements = PlannerOutput {
            tables: understanding.tables.clone(),
            filters: understanding.filters.clone(),
            aggregations: understanding.aggregations.clone(),
            ..PlannerOutput::default()
        };
        let requirements = data::fenced(&context::plan_json(&requirements));
        let parts = || -> Parts<'_> {
            let chosen =
                understanding.tables.iter().map(|table| (table.name.as_str(), table.columns.as_slice()));
            let requirements = self.budget.cut(&requirements, self.budget.room() / 4);
            self.planning_parts(turn)
                .need("plan", requirements)
                .wish("tables", Described::chosen(schema, chosen))
        };
        let check = |answer: JoinsAnswer| {
            let mut joins = conditions(schema, &answer.joins)?;
            for join in &settled {
                joins.retain(|other| !same_tables(other, join));
                joins.push(join.clone());
            }
            // Another way whose names do not exist is no other way.
            let others = answer.candidates.iter().filter_map(|way| conditions(schema, &way.joins).ok());
            let mut candidates: Vec<Vec<JoinCondition>> = Vec::new();
            for way in others.filter(|way| !way.is_empty() && *way != joins) {
                if !candidates.contains(&way) {
                    candidates.push(way);
                }
            }
            let confidence = if settled.is_empty() { answer.confidence.clamp(0.0, 1.0) } else { 1.0 };
            Ok(JoinInference { joins, confidence, candidates, reasoning: data::cut(&answer.reasoning, 400) })
        };
        match self.ask_model(turn, Task::JoinInference, parts, check).await {
            Err(Trouble::Unusable(problem)) => Ok(JoinInference {
                joins: settled.clone(),
                confidence: 1.0,
                reasoning: format!("the model's joins could not be used: {problem}"),
                ..JoinInference::default()
            }),
            outcome => outcome,
        }
    }
}

fn irrelevant(table: &Table, reasoning: &str) -> TableRelevance {
    TableRelevance { table: table.name.clone(), reasoning: reasoning.to_owned(), ..TableRelevance::default() }
}

/// Whether the person settled that this table is used.
fn is_selected(turn: &Turn<'_>, table: &str) -> bool {
    turn.ask.state.corrections.iter().any(|correction| {
        matches!(correction, Correction::TableSelection { selected_table, .. } if selected_table.eq_ignore_ascii_case(table))
    })
}

/// A table whose judgement could not be read is judged by the words that it shares with the question.
fn by_words(turn: &Turn<'_>, table: &Table, problem: &str) -> TableRelevance {
    let question: Vec<String> = words(turn.ask.question);
    let shares = |name: &str| words(name).iter().any(|word| question.contains(word));
    let columns: Vec<String> = table
        .columns
        .iter()
        .filter(|column| shares(&column.name))
        .map(|column| column.name.clone())
        .collect();
    TableRelevance {
        table: table.name.clone(),
        is_relevant: shares(&table.name),
        confidence: 0.3,
        relevant_columns: columns,
        reasoning: format!(
            "judged by its name, because the model's answer could not be used: {}",
            data::cut(problem, 200)
        ),
    }
}

/// Words of three letters and more, in lower case, without a plural's `s`.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|character: char| !character.is_alphanumeric()).map(str::to_lowercase);
    words.map(|word| word.trim_end_matches('s').to_owned()).filter(|word| word.chars().count() >= 3).collect()
}

fn settled_joins(turn: &Turn<'_>) -> Vec<JoinCondition> {
    let joins = turn.ask.state.corrections.iter().filter_map(|correction| match correction {
        Correction::JoinClarification { left, right } => {
            Some(JoinCondition { left: left.clone(), right: right.clone() })
        }
        _ => None,
    });
    joins.collect()
}

fn same_tables(one: &JoinCondition, other: &JoinCondition) -> bool {
    let pair = |join: &JoinCondition| {
        let mut pair = [join.left.table.to_ascii_lowercase(), join.right.table.to_ascii_lowercase()];
        pair.sort();
        pair
    };
    pair(one) == pair(other)
}

/// Pairs of columns, found in the schema.
pub(super) fn conditions(schema: &Schema, joins: &[NamedJoin]) -> Result<Vec<JoinCondition>, String> {
    let find = |text: &str| {
        let shown: String = text.chars().filter(|character| !character.is_control()).take(80).collect();
        names::column_ref(schema, text).ok_or_else(|| format!("`{shown}` is no `table.column` of the schema"))
    };
    let mut found = Vec::new();
    for join in joins {
        let condition = JoinCondition { left: find(&join.left)?, right: find(&join.right)? };
        if !found.contains(&condition) {
            found.push(condition);
        }
    }
    Ok(found)
}

/// The joins that the declared keys give, where there is exactly one way to connect the tables by them.
fn declared(schema: &Schema, tables: &[PlannedTable]) -> Option<Vec<JoinCondition>> {
    let is_used = |name: &str| tables.iter().any(|table| table.name.eq_ignore_ascii_case(name));
    let mut keys = Vec::new();
    for table in schema.tables.iter().filter(|table| is_used(&table.name)) {
        for key in table.foreign_keys.iter().filter(|key| key.declared && is_used(&key.table)) {
            keys.push((table, key));
        }
    }
    // As many keys as a tree has edges, all tables reached: no other choice is left.
    if keys.len() + 1 != tables.len() {
        return None;
    }
    let mut reached: Vec<&str> = tables.first().map(|table| table.name.as_str()).into_iter().collect();
    for _ in 0..tables.len() {
        for (table, key) in &keys {
            let has =
                |name: &str, reached: &[&str]| reached.iter().any(|known| known.eq_ignore_ascii_case(name));
            match (has(&table.name, &reached), has(&key.table, &reached)) {
                (true, false) => reached.push(&key.table),
                (false, true) => reached.push(&table.name),
                _ => {}
            }
        }
    }
    if reached.len() != tables.len() {
        return None;
    }
    let mut joins = Vec::new();
    for (table, key) in keys {
        let other = schema.table(&key.table)?;
        for (own, theirs) in key.columns.iter().zip(&key.references) {
            joins.push(JoinCondition {
                left: crate::plan::ColumnRef::new(table.name.clone(), own.clone()),
                right: crate::plan::ColumnRef::new(other.name.clone(), theirs.clone()),
            });
        }
    }
    Some(joins)
}
