//! What a question means: understood as a whole at once, or found out phase by phase.

use std::sync::Arc;

use super::rule_reasoner::{in_words, typed};
use super::rules::Candidate;
use super::statement;
use super::whole::{Basis, Whole};
use super::{Alternatives, Ask, Judged, Judgement, ReasonerError, RuleReasoner, Trial, WrittenQuery};
use crate::ambiguity::Ambiguity;
use crate::conversation::{ErrorKind, Judge, ProposedQuery, TurnError};
use crate::plan::{
    Confidence, JoinInference, PlannedTable, PlannerOutput, QueryPlan, QueryUnderstanding, TableRefinement,
    TableRelevance,
};

/// What somebody makes of a question, and what the phases of planning find by it.
#[derive(Clone)]
#[non_exhaustive]
pub enum Understanding<'a> {
    /// It was understood as a whole.
    Whole(Arc<Whole>),
    /// It is found out phase by phase, and each phase has to be asked for.
    Phases {
        /// Who is asked.
        phases: &'a dyn Phases,
        /// Who judges instead where they cannot be asked.
        instead: Option<&'a RuleReasoner>,
    },
}

/// The phases of somebody who understands a question step by step. Each is told in the state what the ones before found.
pub trait Phases: Send + Sync {
    /// The model that is asked, as its server calls it; empty where none is.
    fn author(&self) -> String {
        String::new()
    }

    /// How many tables one call of [`Phases::evaluate_tables`] is given.
    fn tables_at_once(&self, ask: Ask<'_>) -> usize;

    /// Phase 1: which of `tables` the question may need, each judged alone. One answer for each table, in order.
    fn evaluate_tables<'a>(
        &'a self,
        ask: Ask<'a>,
        tables: &'a [String],
    ) -> Judgement<'a, Vec<TableRelevance>>;

    /// Phase 2: which of the `candidates` stay when they are seen together.
    fn refine_tables<'a>(
        &'a self,
        ask: Ask<'a>,
        candidates: &'a [TableRelevance],
    ) -> Judgement<'a, TableRefinement>;

    /// Phase 3: what the query has to do.
    fn synthesize<'a>(
        &'a self,
        ask: Ask<'a>,
        tables: &'a [PlannedTable],
    ) -> Judgement<'a, QueryUnderstanding>;

    /// How the tables are joined.
    fn infer_joins<'a>(
        &'a self,
        ask: Ask<'a>,
        understanding: &'a QueryUnderstanding,
    ) -> Judgement<'a, JoinInference>;

    /// The reading that the phases come to. Nobody is asked any more.
    ///
    /// # Errors
    /// They come to none.
    fn compose(&self, ask: Ask<'_>) -> Result<Reading, TurnError>;
}

/// One way to read a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The plan, with how sure it is and the words that it leaves out.
    pub output: PlannerOutput,
    /// SQL that runs as it stands, where somebody wrote it.
    pub sql: Option<String>,
    /// Why the question is read so, one reason a line: what words mean, which tables, how they are joined.
    pub evidence: Vec<String>,
}

impl Reading {
    /// A reading whose SQL is made from its plan.
    pub fn new(output: PlannerOutput, evidence: Vec<String>) -> Self {
        Self { output, sql: None, evidence }
    }

    /// The reading that the person has chosen.
    pub(super) fn chosen(plan: &QueryPlan) -> Self {
        let reason = "That reading was chosen.".to_owned();
        Self::new(PlannerOutput::from_plan(plan, reason.clone(), Confidence::High), vec![reason])
    }
}

impl From<Candidate> for Reading {
    fn from(candidate: Candidate) -> Self {
        let evidence = candidate.explanation();
        let output = PlannerOutput::from_plan(&candidate.plan, evidence.join(" "), candidate.confidence);
        let doubts = in_words(&candidate.account.doubts);
        Self::new(PlannerOutput { left_out: candidate.account.left_out, doubts, ..output }, evidence)
    }
}

impl<'a> Understanding<'a> {
    /// The understanding of somebody who knows the SQL that answers the question: a [`Reasoner`](super::Reasoner) of one's
    /// own. The SQL is checked against the guard and the schema, and again before it runs. Follow-ups can go on from it.
    /// `reason` is told to those who ask why.
    ///
    /// # Errors
    /// Why it may not run, as what the turn fails with.
    pub fn of_sql(ask: Ask<'_>, sql: &str, reason: &str) -> Result<Self, TurnError> {
        statement::fits(sql, ask.knowledge.schema(), ask.dialect)
            .map_err(|problem| TurnError::new(ErrorKind::QueryFailed, problem))?;
        let reading = Reading { sql: Some(sql.to_owned()), ..typed(ask, sql, reason) };
        Ok(Self::Whole(Arc::new(Whole::new(reading, Basis::Statement, Vec::new(), None))))
    }

    /// True where the question is answered without any table, as `SELECT 1 + 1` is.
    pub fn needs_no_table(&self) -> bool {
        matches!(self, Self::Whole(whole) if whole.needs_no_table())
    }

    /// The same with the readings of the rules beside a query that was written, so that each judges the other.
    #[must_use]
    pub(super) fn beside(self, rules: &RuleReasoner, ask: Ask<'_>) -> Self {
        match self {
            Self::Whole(whole) => Self::Whole(Arc::new(whole.beside(|| rules.readings(ask)))),
            phases @ Self::Phases { .. } => phases,
        }
    }

    /// The query that was written for the question as a whole.
    pub fn proposed(&self) -> Option<WrittenQuery> {
        match self {
            Self::Whole(whole) => whole.proposed(),
            Self::Phases { .. } => None,
        }
    }

    /// Whether the query that was written and the readings beside it come to different answers, as far as is known.
    pub fn is_disputed(&self, proposal: &ProposedQuery, trials: &[Trial]) -> bool {
        matches!(self, Self::Whole(whole) if whole.is_disputed(proposal, trials))
    }

    /// Both answers to choose from, that which is taken first, where two judges differ.
    pub fn disputed(&self, ask: Ask<'_>, proposal: &ProposedQuery, trials: &[Trial]) -> Option<Ambiguity> {
        match self {
            Self::Whole(whole) => whole.disputed(ask, proposal, trials),
            Self::Phases { .. } => None,
        }
    }

    /// The model that finds it out phase by phase, as its server calls it; empty where there is none.
    pub fn author(&self) -> String {
        match self {
            Self::Whole(_) => String::new(),
            Self::Phases { phases, .. } => phases.author(),
        }
    }

    /// How many tables may be judged in one go.
    pub fn tables_at_once(&self, ask: Ask<'_>) -> usize {
        match self {
            Self::Whole(_) => usize::MAX,
            Self::Phases { phases, .. } => phases.tables_at_once(ask),
        }
    }

    /// Phase 1: which of `tables` the question may need, each judged alone.
    ///
    /// # Errors
    /// It cannot be judged; so with the others.
    pub async fn evaluate_tables(
        &self,
        ask: Ask<'a>,
        tables: &'a [String],
    ) -> Result<Judged<Vec<TableRelevance>>, ReasonerError> {
        let judged = |whole: &Whole| tables.iter().map(|table| whole.relevance(table)).collect();
        self.phase(ask, |phases| phases.evaluate_tables(ask, tables), judged).await
    }

    /// Phase 2: which of the `candidates` stay when they are seen together.
    ///
    /// # Errors
    /// It cannot be judged.
    pub async fn refine_tables(
        &self,
        ask: Ask<'a>,
        candidates: &'a [TableRelevance],
    ) -> Result<Judged<TableRefinement>, ReasonerError> {
        let judged = |whole: &Whole| whole.refinement(candidates);
        self.phase(ask, |phases| phases.refine_tables(ask, candidates), judged).await
    }

    /// Phase 3: what the query has to do.
    ///
    /// # Errors
    /// It cannot be judged.
    pub async fn synthesize(
        &self,
        ask: Ask<'a>,
        tables: &'a [PlannedTable],
    ) -> Result<Judged<QueryUnderstanding>, ReasonerError> {
        let judged = |whole: &Whole| whole.requirements(tables);
        self.phase(ask, |phases| phases.synthesize(ask, tables), judged).await
    }

    /// How the tables are joined.
    ///
    /// # Errors
    /// It cannot be judged.
    pub async fn infer_joins(
        &self,
        ask: Ask<'a>,
        understanding: &'a QueryUnderstanding,
    ) -> Result<Judged<JoinInference>, ReasonerError> {
        self.phase(ask, |phases| phases.infer_joins(ask, understanding), Whole::joins).await
    }

    /// Queries whose rows would tell how sure the likeliest reading is, its own first.
    pub fn worth_trying(&self) -> Vec<QueryPlan> {
        match self {
            Self::Whole(whole) => whole.worth_trying(),
            Self::Phases { .. } => Vec::new(),
        }
    }

    /// What may be put to choose, the most urgent first, where several readings are about equally likely once the queries of
    /// [`Understanding::worth_trying`] were tried.
    pub fn alternatives(&self, trials: &[Trial]) -> Vec<Alternatives> {
        match self {
            Self::Whole(whole) => whole.alternatives(trials),
            Self::Phases { .. } => Vec::new(),
        }
    }

    /// The reading to answer with, from all that the phases and the trials found.
    ///
    /// # Errors
    /// There is none that deserves to run.
    pub fn compose(&self, ask: Ask<'_>) -> Result<Reading, TurnError> {
        match self {
            Self::Whole(whole) => Ok(whole.composed(ask)),
            Self::Phases { phases, .. } => phases.compose(ask),
        }
    }

    /// What one phase finds: asked for, or read from the whole.
    async fn phase<T>(
        &self,
        ask: Ask<'_>,
        asked: impl FnOnce(&'a dyn Phases) -> Judgement<'a, T>,
        found: impl FnOnce(&Whole) -> T,
    ) -> Result<Judged<T>, ReasonerError> {
        let (phases, instead) = match self {
            Self::Whole(whole) => return Ok(Judged::free(found(whole))),
            Self::Phases { phases, instead } => (*phases, *instead),
        };
        match (asked(phases).await, instead) {
            (Err(error), Some(rules)) => in_place(error, rules.whole(ask).map(|whole| found(&whole))),
            (judged, _) => judged,
        }
    }
}

/// The judgement of the rules in place of one that the model could not make; where they cannot make it either, what kept
/// the model is what to say.
pub(super) fn in_place<T, E>(error: ReasonerError, rules: Result<T, E>) -> Result<Judged<T>, ReasonerError> {
    tracing::warn!(%error, "the model cannot be used; the rules judge the rest of the turn");
    match rules {
        Ok(value) => {
            let judge = Some(Judge::RulesInstead { why: error.error.message });
            Ok(Judged { usage: error.usage, cells: error.cells, judge, ..Judged::free(value) })
        }
        Err(_) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::ConversationState;
    use crate::reasoner::Knowledge;
    use crate::schema::{Column, ForeignKey, Schema, Table};
    use crate::sql::Dialect;

    fn knowledge() -> Knowledge {
        let column =
            |name: &str| Column { name: name.into(), declared_type: "TEXT".into(), ..Column::default() };
        let customers = Table {
            name: "customers".into(),
            columns: vec![column("id"), column("city")],
            ..Table::default()
        };
        let orders = Table {
            name: "orders".into(),
            columns: vec![column("id"), column("customer_id")],
            foreign_keys: vec![ForeignKey {
                columns: vec!["customer_id".into()],
                table: "customers".into(),
                references: vec!["id".into()],
                declared: true,
                ..ForeignKey::default()
            }],
            ..Table::default()
        };
        let reviews = Table { name: "reviews".into(), columns: vec![column("id")], ..Table::default() };
        Knowledge::build(Arc::new(Schema { tables: vec![customers, orders, reviews] }), [], 1 << 20)
    }

    fn ask<'a>(question: &'a str, state: &'a ConversationState, knowledge: &'a Knowledge) -> Ask<'a> {
        let now = jiff::Timestamp::UNIX_EPOCH;
        let dialect = Dialect::Sqlite;
        Ask { question, state, lessons: &[], knowledge, dialect, now, progress: None }
    }

    #[test]
    fn a_question_is_understood_once_however_often_it_is_asked_for() {
        let (rules, knowledge) = (RuleReasoner::default(), knowledge());
        let (mut state, question) = (ConversationState::new("s", "shop"), "How many orders per city?");
        let first = rules.whole(ask(question, &state, &knowledge)).unwrap();
        // What the nodes publish on the way changes nothing of it.
        state.scratch.evaluated.push(first.relevance("orders"));
        state.scratch.refinement = Some(first.refinement(&state.scratch.evaluated));
        assert!(Arc::ptr_eq(&first, &rules.whole(ask(question, &state, &knowledge)).unwrap()));
        let other = rules.whole(ask("How many reviews are there?", &state, &knowledge)).unwrap();
        assert!(!Arc::ptr_eq(&first, &other));
    }

    #[test]
    fn what_the_phases_find_belongs_together() {
        let (rules, knowledge) = (RuleReasoner::default(), knowledge());
        let state = ConversationState::new("s", "shop");
        let whole = rules.whole(ask("How many orders per city?", &state, &knowledge)).unwrap();
        let judged = ["customers", "orders", "reviews"].map(|table| whole.relevance(table));
        assert_eq!(judged.each_ref().map(|table| table.is_relevant), [true, true, false]);
        let refined = whole.refinement(&judged);
        assert_eq!((refined.final_tables.len(), refined.removed_tables.len()), (2, 1));
        let (needed, joins) = (whole.requirements(&[]), whole.joins());
        assert!(
            needed.joins_needed
                && needed.tables.iter().all(|table| refined.final_tables.contains(&table.name))
        );
        assert!(joins.joins.iter().any(|join| join.is_between("orders", "customers")));
        let understanding = Understanding::Whole(whole);
        let reading = understanding.compose(ask("How many orders per city?", &state, &knowledge)).unwrap();
        assert_eq!((reading.output.joins, reading.output.tables), (joins.joins, needed.tables));
        assert!(!reading.evidence.is_empty());
    }

    #[test]
    fn sql_that_was_typed_leaves_nothing_to_try_or_to_choose() {
        let (rules, knowledge) = (RuleReasoner::default(), knowledge());
        let state = ConversationState::new("s", "shop");
        let whole = rules.whole(ask("SELECT 1 + 1", &state, &knowledge)).unwrap();
        let understanding = Understanding::Whole(whole);
        assert!(understanding.needs_no_table() && understanding.worth_trying().is_empty());
        assert!(understanding.alternatives(&[]).is_empty());
        assert!(rules.whole(ask("drop table customers", &state, &knowledge)).is_err());
    }
}
