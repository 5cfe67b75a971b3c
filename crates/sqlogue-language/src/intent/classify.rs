//! The decision.

use super::context::DialogContext;
use super::evidence::{Background, evidence};
use super::rule::{Rule, Signal};
use super::vocabulary::SqlWords;
use super::words::Words;
use super::{Classification, Intent, command, correction, indicators};
use sqlogue_sql::plan::Confidence;

/// Tells what an input wants of the conversation.
///
/// The promised rules come first and decide where they are decisive: a reset, a first turn, a refinement keyword, a
/// short modification. Where the input starts like a new question, as most follow-ups of real people do (`How many
/// are there?`), the evidence is weighed: each rule that fires adds its weight, and the sign of the sum decides.
pub fn classify(input: &str, context: &DialogContext) -> Classification {
    decide_by_form(input, context).unwrap_or_else(|| decide_by_words(input, context))
}

/// Resets, commands and answers are known by their form.
fn decide_by_form(input: &str, context: &DialogContext) -> Option<Classification> {
    let sure = |intent, rule, evidence: &str| Classification {
        intent,
        confidence: Confidence::High,
        signals: vec![Signal::new(rule, evidence)],
    };
    if let Some((words, _)) = command::resets(input) {
        return Some(sure(Intent::NewQuery, Rule::Reset, words));
    }
    if let Some(name) = command::command(input) {
        return Some(sure(Intent::Command, Rule::Command, name));
    }
    let pending = context.pending.as_ref()?;
    let words = correction::is_correction(input, &pending.options)?;
    Some(sure(Intent::Correction, Rule::AnswersPending, &words))
}

fn decide_by_words(input: &str, context: &DialogContext) -> Classification {
    let words = Words::read(input);
    let answer = |intent, confidence, signals| Classification { intent, confidence, signals };
    if words.list.is_empty() {
        return answer(Intent::NewQuery, Confidence::Low, vec![Signal::new(Rule::Empty, "")]);
    }
    let Some((previous, sql)) = context.last_answered() else {
        return answer(Intent::NewQuery, Confidence::High, vec![Signal::new(Rule::NoPreviousQuery, "")]);
    };
    let new_query = indicators::of_new_query(&words);
    if let Some(refinement) = indicators::of_refinement(&words) {
        // Both kinds of indicator: the refinement wins, and says that it is not sure.
        let confidence = match (&new_query, refinement.rule) {
            (_, Rule::RefinementKeyword) => Confidence::High,
            (Some(other), _) if other.rule == Rule::QuestionWord => Confidence::Low,
            _ => Confidence::Medium,
        };
        let signals = [Some(refinement), new_query].into_iter().flatten().collect();
        return answer(Intent::Refinement, confidence, signals);
    }
    let follows_success = context.turns.last().is_some_and(|turn| turn.succeeded);
    if new_query.is_none() && follows_success {
        let short = indicators::is_short(&words);
        return answer(Intent::Refinement, Confidence::Medium, short.into_iter().collect());
    }
    let sql = SqlWords::read(sql);
    let vocabulary = context.vocabulary.as_deref();
    let background = Background {
        question: Words::read(&previous.input),
        previous_tables: vocabulary.map_or(0, |vocabulary| vocabulary.tables(&sql.table_names)),
        sql,
        earlier_tables: earlier_tables(context),
        vocabulary,
    };
    let mut signals = evidence(&words, &background);
    let score: i32 = BIAS + signals.iter().map(|signal| signal.rule.weight()).sum::<i32>();
    signals.splice(0..0, new_query);
    let sure = score.abs() >= SURE;
    if score > 0 {
        // An input with indicators of both kinds is never sure.
        answer(Intent::Refinement, if sure { Confidence::Medium } else { Confidence::Low }, signals)
    } else {
        let against = signals.iter().any(|signal| signal.rule.weight() > 0);
        let confidence = match (sure, against) {
            (true, _) => Confidence::High,
            (false, false) => Confidence::High,
            (false, true) => Confidence::Medium,
        };
        answer(Intent::NewQuery, confidence, signals)
    }
}

/// What the sum starts from where no rule fires.
const BIAS: i32 = -4;

/// From this distance on the sum is trusted.
const SURE: i32 = 15;

/// The stems of the tables that earlier queries used: what else people speak of in this conversation.
fn earlier_tables(context: &DialogContext) -> Vec<Box<str>> {
    const LOOK_BACK: usize = 3;
    let earlier = context.turns.iter().rev().filter_map(|turn| turn.sql.as_deref()).skip(1).take(LOOK_BACK);
    earlier.flat_map(SqlWords::tables_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intent::PastTurn;

    fn after(turns: &[(&str, &str)]) -> DialogContext {
        DialogContext::new(turns.iter().map(|(input, sql)| PastTurn::answered(*input, *sql)))
    }

    fn users() -> DialogContext {
        after(&[("Show me all users", "SELECT * FROM users;")])
    }

    fn result(input: &str, context: &DialogContext) -> (Intent, Confidence) {
        let classification = classify(input, context);
        (classification.intent, classification.confidence)
    }

    #[test]
    fn dm_req_02_detect_refinement_from_keyword() {
        assert_eq!(result("Only from last month", &users()), (Intent::Refinement, Confidence::High));
    }

    #[test]
    fn dm_req_02_detect_refinement_from_short_modification() {
        let context = after(&[("Show products by price", "SELECT * FROM products ORDER BY price;")]);
        assert_eq!(result("limit 10", &context), (Intent::Refinement, Confidence::Medium));
    }

    #[test]
    fn dm_req_02_every_keyword_and_phrase_is_an_indicator() {
        for input in [
            "only active ones",
            "also their emails please and cities",
            "add the email column",
            "remove the id",
            "change the city to Rome",
            "instead use the last year",
            "but not the old ones of last year at all",
            "actually I meant the active users of this year",
            "sort by name",
            "limit to 5 rows",
            "filter on city",
            "exclude the inactive ones",
        ] {
            assert_eq!(result(input, &users()), (Intent::Refinement, Confidence::High), "{input}");
        }
        for input in [
            "that is too many rows for my screen",
            "too few",
            "this looks wrong to me somehow",
            "some users are missing from here",
            "show emails too",
        ] {
            assert_eq!(classify(input, &users()).intent, Intent::Refinement, "{input}");
        }
    }

    #[test]
    fn dm_req_02_needs_a_previous_query() {
        let failed = DialogContext::new([PastTurn::failed("Show me all users")]);
        assert_eq!(result("only active users", &failed), (Intent::NewQuery, Confidence::High));
    }

    #[test]
    fn dm_req_03_detect_new_query_from_question_word() {
        assert_eq!(result("Show me all products", &users()), (Intent::NewQuery, Confidence::High));
        let same = after(&[("List the products by price", "SELECT * FROM products ORDER BY price")]);
        assert_eq!(result("Show me all products", &same), (Intent::NewQuery, Confidence::High));
    }

    #[test]
    fn dm_req_03_first_turn_always_new_query() {
        for input in ["expensive items", "only active users", "what about those?", "limit 10"] {
            assert_eq!(
                result(input, &DialogContext::default()),
                (Intent::NewQuery, Confidence::High),
                "{input}"
            );
        }
    }

    #[test]
    fn dm_req_03_explicit_reset_command() {
        let context =
            after(&[("Show me all users", "SELECT * FROM users"), ("Only active", "SELECT * FROM users")]);
        for input in ["/new show customers", "/NEW", "new query: only customers", "start over"] {
            let classification = classify(input, &context);
            assert_eq!(classification.intent, Intent::NewQuery, "{input}");
            assert_eq!(classification.confidence, Confidence::High, "{input}");
            assert!(classification.signals.iter().any(|signal| signal.rule == Rule::Reset), "{input}");
        }
    }

    #[test]
    fn dm_req_04_ambiguous_input_with_previous_query() {
        assert_eq!(result("Show me only active users", &users()), (Intent::Refinement, Confidence::Low));
        assert_eq!(result("Show me only active users", &DialogContext::default()).0, Intent::NewQuery);
    }

    #[test]
    fn follow_ups_that_start_like_questions_are_refinements() {
        for input in [
            "How many are there?",
            "What are their names?",
            "Show the ones with a gmail address.",
            "Which of them live in Rome?",
            "What about the inactive ones?",
            "ok, now please show me thier emails",
            "Which is the oldest?",
            "and in Paris?",
            "Wihch one is the newest",
            "Give me their emails",
        ] {
            let (intent, confidence) = result(input, &users());
            assert_eq!(intent, Intent::Refinement, "{input}");
            assert!(confidence < Confidence::High, "{input}");
        }
    }

    #[test]
    fn commands_and_answers_are_told_apart() {
        let pending = users().with_pending(["Customers".to_owned(), "PROD_Customers".to_owned()]);
        assert_eq!(classify("/history", &pending).intent, Intent::Command);
        assert_eq!(classify("the second one", &pending).intent, Intent::Correction);
        assert_eq!(classify("Show me all products", &pending).intent, Intent::NewQuery);
        // Without an open question the same words change the last query.
        assert_eq!(classify("the second one", &users()).intent, Intent::Refinement);
    }

    #[test]
    fn a_short_input_after_a_failure_is_weighed() {
        let mut context = users();
        context.turns.push(PastTurn::failed("list the gizmos"));
        assert_eq!(classify("sorted by name", &context).intent, Intent::Refinement);
        assert!(
            classify("sorted by name", &context).signals.iter().all(|signal| signal.rule != Rule::ShortInput)
        );
    }
}
