//! What two judges of one question do not agree on, as a choice for the person who asked.

use super::Ask;
use super::rules::Candidate;
use super::settle::Taken;
use crate::ambiguity::{Ambiguity, AmbiguityKind, Choice, Correction};
use crate::conversation::ProposedQuery;
use crate::sql;

/// A reading of the rules that is less likely is not worth a choice.
const OFFERED: f32 = 0.15;

/// The two answers to choose from, that which was taken first; `None` where the one that was not is hardly worth a look.
pub(super) fn choices(
    ask: Ask<'_>,
    taken: Taken,
    proposal: &ProposedQuery,
    rules: &Candidate,
) -> Option<Ambiguity> {
    if rules.probability < OFFERED || !rules.account.left_out.is_empty() {
        return None;
    }
    let written = proposal.sql.as_ref()?;
    let meaning = match sql::lift(written, ask.knowledge.schema(), ask.dialect) {
        Some(plan) => format!("{plan:#}"),
        None => written.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    let model = Choice {
        label: "model".to_owned(),
        meaning: format!("as the model reads it: {meaning}"),
        correction: Correction::Statement { sql: written.clone() },
        sql: Some(written.clone()),
        preview: None,
    };
    let rules = Choice {
        label: "rules".to_owned(),
        meaning: format!("as the embedded rules read it: {:#}", rules.plan),
        correction: Correction::Reading { query_plan: Box::new(rules.plan.clone()), means: None },
        sql: Some(sql::render_named(&rules.plan, ask.dialect)),
        preview: None,
    };
    let options = match taken {
        Taken::Rules => vec![rules, model],
        Taken::Both(_) | Taken::Written => vec![model, rules],
    };
    Ambiguity::new(AmbiguityKind::Reading, "Which reading do you mean?", options)
}
