//! The conversation graph: which node comes after which, and why.
//!
//! One turn is one walk through this graph. It is a value: the same graph runs, is drawn by `sqlogue graph`, and is
//! checked when it is built.

use crate::conversation::{ConversationState, ErrorKind, Route, RouterMode};
use crate::graph::{BuildProblems, Graph, State, To, branches, decision, nodes};
use crate::nodes::Services;
use crate::nodes::analyze_schema::AnalyzeSchema;
use crate::nodes::cleanup::Cleanup;
use crate::nodes::generate_query::GenerateQuery;
use crate::nodes::handle_error::HandleError;
use crate::nodes::planner::{
    ApplyCorrections, ComposePlan, EvaluateTables, InferJoins, RecallLessons, RefineTables,
    SynthesizeRequirements, TryReadings, UpdatePlan, WriteQuery,
};
use crate::nodes::refine_query::RefineQuery;
use crate::nodes::router::Router;

nodes! {
    /// The nodes of a turn.
    pub enum Stage {
        AnalyzeSchema => "analyze_schema",
        Router => "router",
        Planner => "planner",
        GenerateQuery => "generate_query",
        ExecuteQuery => "execute_query",
        HandleError => "handle_error",
        RefineQuery => "refine_query",
        Cleanup => "cleanup",
    }
}

nodes! {
    /// The nodes of the planner.
    pub enum Planning {
        RecallLessons => "recall_lessons",
        ApplyCorrections => "apply_corrections",
        EvaluateTables => "evaluate_tables",
        RefineTables => "refine_tables",
        SynthesizeRequirements => "synthesize_requirements",
        InferJoins => "infer_joins",
        WriteQuery => "write_query",
        TryReadings => "try_readings",
        ComposePlan => "compose_plan",
        UpdatePlan => "update_plan",
    }
}

branches! {
    /// Whether a turn follows another.
    pub enum Opening {
        New => "new conversation",
        FollowUp => "follow-up",
    }
}

branches! {
    /// Where the router sends a follow-up.
    pub enum Routing {
        New => "new query",
        Inline => "inline",
        Update => "update",
        Rewrite => "rewrite",
        Correction => "correction",
        Nowhere => "nothing to answer",
    }
}

branches! {
    /// What became of planning.
    pub enum PlanningEnd {
        Planned => "planned",
        Failed => "failed",
        Ambiguous => "ambiguous",
    }
}

branches! {
    /// What became of a statement.
    pub enum Execution {
        Error => "error, retries left",
        Empty => "empty, refinements left",
        Done => "rows, or nothing left to try",
    }
}

branches! {
    /// How the planner begins.
    pub enum PlanningStart {
        Full => "initial, rewrite",
        Update => "update",
        Failed => "failed",
    }
}

branches! {
    /// Whether a phase of the planner went well.
    pub enum Phase {
        Next => "done",
        Failed => "failed",
    }
}

branches! {
    /// What the judgement of the tables came to.
    pub enum Candidates {
        More => "more tables",
        Several => "several candidates",
        One => "one candidate",
        None => "none, or failed",
    }
}

branches! {
    /// Whether the tables must be joined.
    pub enum Joining {
        Needed => "joins needed",
        NotNeeded => "no joins",
        Ambiguous => "ambiguous",
        Failed => "failed",
    }
}

branches! {
    /// Whether it is clear what is meant.
    pub enum Meant {
        Clear => "clear",
        Unclear => "ambiguous, or failed",
    }
}

/// The budget of `execute_query → handle_error`.
pub const RETRIES: &str = "retries";
/// The budget of `execute_query → refine_query`.
pub const REFINEMENTS: &str = "refinements";
/// The budget of the planner's loop over tables.
pub const TABLE_BATCHES: &str = "table batches";

/// How often the loops of the graph may be taken in one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopLimits {
    /// Repairs of SQL that failed.
    pub retries: u32,
    /// Refinements of SQL that returned nothing, or something suspicious.
    pub refinements: u32,
    /// Rounds of judging tables.
    pub table_batches: u32,
}

impl Default for LoopLimits {
    /// 3 repairs, 1 refinement, and rounds enough for thousands of tables.
    fn default() -> Self {
        Self { retries: 3, refinements: 1, table_batches: 2000 }
    }
}

/// At most this many nodes a turn: every loop at its budget, and some more.
pub fn step_limit(budgets: LoopLimits) -> u32 {
    budgets.table_batches.saturating_add(2 * (budgets.retries + budgets.refinements)).saturating_add(50)
}

impl State for ConversationState {
    type Change = crate::conversation::Change;
    const VERSION: u32 = ConversationState::VERSION;

    fn apply(&mut self, change: &Self::Change) {
        ConversationState::apply(self, change);
    }
}

/// Builds the conversation graph.
///
/// # Errors
/// None as long as this module is right; a test builds it.
pub fn conversation_graph(
    services: &Services,
    budgets: LoopLimits,
) -> Result<Graph<ConversationState>, BuildProblems> {
    let known = || services.known();
    let judges = || services.judges();
    let memory = || services.memory();
    Graph::builder::<Stage>("conversation")
        .budget(RETRIES, budgets.retries)
        .budget(REFINEMENTS, budgets.refinements)
        .start_by(decision("is_continuation", opening), |opening| match opening {
            Opening::New => To::node(Stage::AnalyzeSchema),
            Opening::FollowUp => To::node(Stage::Router),
        })
        .node(Stage::AnalyzeSchema, AnalyzeSchema { known: known() })
        .edge(Stage::AnalyzeSchema, Stage::Planner)
        .node(
            Stage::Router,
            Router {
                judges: judges(),
                memory: memory(),
                trying: services.trying(),
                intent_strategy: services.intent_strategy,
            },
        )
        .decide(Stage::Router, decision("route", routing), |routing| match routing {
            Routing::New => To::node(Stage::AnalyzeSchema),
            Routing::Inline => To::node(Stage::ExecuteQuery),
            Routing::Update | Routing::Rewrite | Routing::Correction => To::node(Stage::Planner),
            Routing::Nowhere => To::node(Stage::Cleanup),
        })
        .nested(Stage::Planner, planner_graph(services, budgets)?)
        .decide(Stage::Planner, decision("planning", planning_end), |end| match end {
            PlanningEnd::Planned => To::node(Stage::GenerateQuery),
            PlanningEnd::Failed | PlanningEnd::Ambiguous => To::node(Stage::Cleanup),
        })
        .node(Stage::GenerateQuery, GenerateQuery { judges: judges() })
        .edge(Stage::GenerateQuery, Stage::ExecuteQuery)
        .node(Stage::ExecuteQuery, services.execute_query())
        .decide(Stage::ExecuteQuery, decision("execution", execution), |execution| match execution {
            Execution::Error => To::node(Stage::HandleError).within(RETRIES),
            Execution::Empty => To::node(Stage::RefineQuery).within(REFINEMENTS),
            Execution::Done => To::node(Stage::Cleanup),
        })
        .node(Stage::HandleError, HandleError { judges: judges(), memory: memory() })
        .edge(Stage::HandleError, Stage::ExecuteQuery)
        .node(Stage::RefineQuery, RefineQuery { judges: judges() })
        .edge(Stage::RefineQuery, Stage::ExecuteQuery)
        .node(Stage::Cleanup, Cleanup { known: known(), memory: memory(), max_turns: services.max_turns })
        .end(Stage::Cleanup)
        .build()
}

fn planner_graph(
    services: &Services,
    budgets: LoopLimits,
) -> Result<Graph<ConversationState>, BuildProblems> {
    let known = || services.known();
    let judges = || services.judges();
    let memory = || services.memory();
    Graph::builder::<Planning>("planner")
        .budget(TABLE_BATCHES, budgets.table_batches)
        .start_by(decision("planner_mode", planning_start), |start| match start {
            PlanningStart::Full => To::node(Planning::RecallLessons),
            PlanningStart::Update => To::node(Planning::UpdatePlan),
            PlanningStart::Failed => To::end(),
        })
        .node(Planning::RecallLessons, RecallLessons { known: known(), memory: memory() })
        .edge(Planning::RecallLessons, Planning::ApplyCorrections)
        .node(
            Planning::ApplyCorrections,
            ApplyCorrections {
                known: known(),
                memory: memory(),
                max_correction_attempts: services.max_correction_attempts,
            },
        )
        .decide(Planning::ApplyCorrections, decision("corrections", phase), |phase| match phase {
            Phase::Next => To::node(Planning::EvaluateTables),
            Phase::Failed => To::end(),
        })
        .node(Planning::EvaluateTables, EvaluateTables { judges: judges() })
        .decide(Planning::EvaluateTables, decision("candidates", candidates), |candidates| match candidates {
            Candidates::More => To::node(Planning::EvaluateTables).within(TABLE_BATCHES),
            Candidates::Several => To::node(Planning::RefineTables),
            Candidates::One => To::node(Planning::SynthesizeRequirements),
            Candidates::None => To::end(),
        })
        .node(Planning::RefineTables, RefineTables { judges: judges() })
        .decide(Planning::RefineTables, decision("refined", phase), |phase| match phase {
            Phase::Next => To::node(Planning::SynthesizeRequirements),
            Phase::Failed => To::end(),
        })
        .node(Planning::SynthesizeRequirements, SynthesizeRequirements { judges: judges(), memory: memory() })
        .decide(
            Planning::SynthesizeRequirements,
            decision("joins_needed", joining),
            |joining| match joining {
                Joining::Needed => To::node(Planning::InferJoins),
                Joining::NotNeeded => To::node(Planning::WriteQuery),
                // What the choices would give is shown with the question.
                Joining::Ambiguous => To::node(Planning::TryReadings),
                Joining::Failed => To::end(),
            },
        )
        .node(
            Planning::InferJoins,
            InferJoins {
                judges: judges(),
                memory: memory(),
                confidence_threshold: services.confidence_threshold,
            },
        )
        .decide(Planning::InferJoins, decision("joins", meant), |joins| match joins {
            Meant::Clear => To::node(Planning::WriteQuery),
            Meant::Unclear => To::end(),
        })
        .node(Planning::WriteQuery, WriteQuery { judges: judges(), memory: memory() })
        .decide(Planning::WriteQuery, decision("written", phase), |phase| match phase {
            Phase::Next => To::node(Planning::TryReadings),
            Phase::Failed => To::end(),
        })
        .node(
            Planning::TryReadings,
            TryReadings { judges: judges(), memory: memory(), trying: services.trying() },
        )
        .decide(Planning::TryReadings, decision("readings", meant), |readings| match readings {
            Meant::Clear => To::node(Planning::ComposePlan),
            Meant::Unclear => To::end(),
        })
        .node(Planning::ComposePlan, ComposePlan { judges: judges(), memory: memory() })
        .end(Planning::ComposePlan)
        .node(Planning::UpdatePlan, UpdatePlan { judges: judges() })
        .end(Planning::UpdatePlan)
        .build()
}

type Left<'a> = crate::graph::Budgets<'a>;

fn opening(state: &ConversationState, _: &Left<'_>) -> Opening {
    if state.is_continuation { Opening::FollowUp } else { Opening::New }
}

fn routing(state: &ConversationState, _: &Left<'_>) -> Routing {
    match state.route {
        // A greeting, nothing at all, a slip in an answer, or what was not understood.
        _ if stopped(state) => Routing::Nowhere,
        Some(Route::Inline) => Routing::Inline,
        Some(Route::Update) => Routing::Update,
        Some(Route::Rewrite) => Routing::Rewrite,
        Some(Route::Correction) => Routing::Correction,
        Some(Route::New) | None => Routing::New,
    }
}

fn planning_start(state: &ConversationState, _: &Left<'_>) -> PlanningStart {
    match state.router_mode {
        _ if stopped(state) => PlanningStart::Failed,
        // Whoever chooses another way to take a follow-up takes a whole query.
        Some(RouterMode::Update) if state.route != Some(Route::Correction) => PlanningStart::Update,
        Some(RouterMode::Update | RouterMode::Rewrite) | None => PlanningStart::Full,
    }
}

/// Whether planning has come to an end that is no plan.
fn stopped(state: &ConversationState) -> bool {
    state.error.is_some() || state.pending.is_some()
}

fn phase(state: &ConversationState, _: &Left<'_>) -> Phase {
    if stopped(state) { Phase::Failed } else { Phase::Next }
}

fn candidates(state: &ConversationState, left: &Left<'_>) -> Candidates {
    let more = !state.scratch.tables_left.is_empty() && left.left(TABLE_BATCHES) > 0;
    match state.scratch.evaluated.iter().filter(|table| table.is_relevant).count() {
        _ if stopped(state) => Candidates::None,
        _ if more => Candidates::More,
        // Where the lack of tables is a failure, planning has stopped already.
        0 | 1 => Candidates::One,
        _ => Candidates::Several,
    }
}

fn joining(state: &ConversationState, _: &Left<'_>) -> Joining {
    match &state.scratch.understanding {
        _ if state.error.is_some() => Joining::Failed,
        _ if state.pending.is_some() => Joining::Ambiguous,
        Some(understanding) if understanding.joins_needed => Joining::Needed,
        _ => Joining::NotNeeded,
    }
}

fn meant(state: &ConversationState, _: &Left<'_>) -> Meant {
    if stopped(state) { Meant::Unclear } else { Meant::Clear }
}

fn planning_end(state: &ConversationState, _: &Left<'_>) -> PlanningEnd {
    match () {
        () if state.error.is_some() => PlanningEnd::Failed,
        () if state.pending.is_some() => PlanningEnd::Ambiguous,
        () => PlanningEnd::Planned,
    }
}

fn execution(state: &ConversationState, left: &Left<'_>) -> Execution {
    if state.scratch.settled {
        return Execution::Done;
    }
    let failed = state.error.as_ref().is_some_and(|error| error.kind == ErrorKind::QueryFailed);
    // What cannot be believed is as good as nothing.
    let empty =
        state.result.as_ref().is_some_and(|result| result.is_empty()) || state.scratch.doubt.is_some();
    if failed && !state.scratch.failures.is_empty() && left.left(RETRIES) > 0 {
        Execution::Error
    } else if empty && state.error.is_none() && left.left(REFINEMENTS) > 0 {
        Execution::Empty
    } else {
        Execution::Done
    }
}
