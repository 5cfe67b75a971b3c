//! What a model would be asked, without asking it.

use std::sync::Arc;

use super::connect::Setup;
use super::failure::Failure;
use super::output::Output;
use super::show::text;
use sqlogue::config::ReasonerKind;
use sqlogue::conversation::ConversationState;
use sqlogue::model::{ModelError, ModelErrorKind, Scripted};
use sqlogue::reasoner::{HybridReasoner, ModelReasoner, Reasoner, RuleHints, RuleReasoner, SecondedReasoner};

/// Shows the prompts of a turn as they would be sent. Nobody answers them, so that those which depend on an answer are not
/// shown.
pub(super) async fn show(
    question: &str,
    previous: Option<ConversationState>,
    setup: &Setup,
    output: &mut Output,
) -> Result<(), Failure> {
    let silent = || ModelError::new(ModelErrorKind::NotRecorded, "nobody is asked in a dry run");
    let client = Arc::new(Scripted::answering(move |_| Err(silent())));
    let settings = &setup.settings;
    let model = ModelReasoner::new(client.clone(), &settings.model)
        .map_err(|error| Failure::usage(error.to_string()))?
        .with_hints(Arc::new(RuleHints));
    let (rules, model) = (Arc::new(RuleReasoner::default()), Arc::new(model));
    let reasoner: Arc<dyn Reasoner> = match settings.reasoner {
        ReasonerKind::Rules => rules,
        ReasonerKind::Openai => Arc::new(SecondedReasoner::new(rules, model)),
        ReasonerKind::Hybrid => Arc::new(HybridReasoner::new(rules, model)),
    };
    setup.engine_judging_by(reasoner)?.ask(question, previous).await?;
    let asked = client.asked();
    for request in &asked {
        let prompt = format!(
            "=== {}: system ===\n{}\n=== {}: user ===\n{}\n",
            request.task, request.system, request.task, request.user
        );
        // Line by line, because what is cleaned has no ends of lines left.
        for line in prompt.lines() {
            output.data(&(text::clean(line).into_owned() + "\n"))?;
        }
    }
    if asked.is_empty() {
        output.data("No model would be asked.\n")?;
    }
    Ok(())
}
