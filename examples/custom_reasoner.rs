//! A reasoner of one's own: the house has names for its reports and a query for each, and the embedded rules do the rest.
//!
//! `cargo run --example custom_reasoner`

use std::collections::BTreeMap;
use std::sync::Arc;

use sqlogue::conversation::{Failure, TurnError, Usage};
use sqlogue::plan::{PlannerOutput, QueryPlan};
use sqlogue::reasoner::{
    Ask, Judged, Judgement, Reading, Reasoner, ReasonerError, RouterOutput, RuleReasoner, Understanding,
    WrittenQuery,
};
use sqlogue::{Engine, Error};

/// Answers what the house has a name for, and leaves all else to the rules.
pub struct HouseReasoner {
    reports: BTreeMap<String, String>,
    rules: RuleReasoner,
}

impl HouseReasoner {
    /// A reasoner with these reports: a name as people say it, and its SQL.
    pub fn new<'a>(reports: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let reports = reports.into_iter().map(|(name, sql)| (name.to_lowercase(), sql.to_owned()));
        Self { reports: reports.collect(), rules: RuleReasoner::default() }
    }

    fn report(&self, question: &str) -> Option<(&String, &String)> {
        self.reports.get_key_value(question.trim_end_matches(['.', '?', '!']).trim().to_lowercase().as_str())
    }
}

impl Reasoner for HouseReasoner {
    fn name(&self) -> &'static str {
        "house"
    }

    /// A report is a new question, also in the middle of a conversation.
    fn route<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, RouterOutput> {
        match self.report(ask.question) {
            Some(_) => Box::pin(async { Ok(Judged::free(RouterOutput::New)) }),
            None => self.rules.route(ask),
        }
    }

    fn understand<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Understanding<'a>> {
        let Some((name, sql)) = self.report(ask.question) else { return self.rules.understand(ask) };
        Box::pin(async move {
            let understood = Understanding::of_sql(ask, sql, &format!("`{name}` is a report of the house."));
            understood.map(Judged::free).map_err(|error| ReasonerError { error, usage: Usage::default() })
        })
    }

    // The rest follows from what was understood, and the rules do it.

    fn update_plan<'a>(&'a self, ask: Ask<'a>) -> Judgement<'a, Result<Reading, TurnError>> {
        self.rules.update_plan(ask)
    }

    fn generate_sql<'a>(&'a self, ask: Ask<'a>, plan: &'a PlannerOutput) -> Judgement<'a, WrittenQuery> {
        self.rules.generate_sql(ask, plan)
    }

    fn repair<'a>(&'a self, ask: Ask<'a>, failure: &'a Failure) -> Judgement<'a, Option<WrittenQuery>> {
        self.rules.repair(ask, failure)
    }

    fn refine<'a>(
        &'a self,
        ask: Ask<'a>,
        sql: &'a str,
        plan: Option<&'a QueryPlan>,
    ) -> Judgement<'a, Option<WrittenQuery>> {
        self.rules.refine(ask, sql, plan)
    }
}

/// An engine for the sample database that knows the board's report.
///
/// # Errors
/// The engine cannot be built.
pub fn engine() -> Result<Engine, Error> {
    let reasoner = HouseReasoner::new([(
        "the board's numbers",
        "SELECT country, count(*) AS customers FROM customers GROUP BY country ORDER BY customers DESC",
    )]);
    Engine::builder().reasoner(Arc::new(reasoner)).build()
}

#[allow(clippy::print_stdout, reason = "it is a program")]
#[tokio::main]
async fn main() -> Result<(), Error> {
    let engine = engine()?;
    let report = engine.ask("The board's numbers", None).await?;
    println!("{}\n{}", report.state.explanation.join("\n"), report.state.result_table());
    // A follow-up goes on from the report as from any other answer.
    let germany = engine.ask("Only Germany", Some(report.state)).await?;
    println!("{}", germany.state.result_table());
    Ok(())
}
