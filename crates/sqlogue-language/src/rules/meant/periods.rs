//! What was done in every month: *customers who ordered every month* asks for customers, and not how many orders each month had.

use crate::rules::account::Doubt;
use crate::rules::propose::Proposal;
use crate::rules::text::{Question, TokenKind};
use jiff::civil::Date;
use sqlogue_sql::plan::{Arithmetic, Comparison, Condition, Expr, Projection, QueryPlan};
use sqlogue_sql::schema::Value;

/// Drops the readings that make a group of each period where somebody is asked for who did something in all of them, and another
/// reading asks that.
pub(super) fn every_period_first(all: &mut Vec<Proposal>, question: &Question) {
    let asks_all = |one: &Proposal| one.account.left_out.is_empty() && is_of_all_periods(&one.draft.plan);
    if tells_deed(question) && all.iter().any(asks_all) {
        let by_period =
            |plan: &QueryPlan| plan.select.group_by.iter().any(|key| !matches!(key, Expr::Column(_)));
        all.retain(|one| is_of_all_periods(&one.draft.plan) || !by_period(&one.draft.plan));
    }
}

/// Drops the readings that compare month with month, which nobody said, where another compares the two times that are named:
/// *tickets last month compared to the month before*.
pub(super) fn named_times_first(all: &mut Vec<Proposal>) {
    let has_both = |one: &Proposal| one.draft.choices.iter().any(|choice| choice.name == "versus");
    if all.iter().any(|one| has_both(one) && one.account.left_out.is_empty()) {
        all.retain(|one| !one.account.doubts.contains(&Doubt::AnyPeriod));
    }
}

/// Drops the readings that ask how many percent of such rows were of a time, where another asks how many percent of a time's rows were
/// such: *percentage of cancelled orders this year*. Only a verb before the time asks the first: *of the cancelled orders, were placed
/// this year*.
pub(super) fn shares_in_time_first(all: &mut Vec<Proposal>, question: &Question) {
    let is_told = question.tokens.iter().any(|token| {
        matches!(
            token.lower.as_str(),
            "is" | "are" | "was" | "were" | "have" | "has" | "came" | "come" | "fell" | "happened"
        )
    });
    let of_time = |one: &Proposal| share(&one.draft.plan).is_some_and(|(part, rest)| part && !rest);
    let in_time = |one: &Proposal| {
        share(&one.draft.plan).is_some_and(|(part, rest)| !part && rest) && one.account.left_out.is_empty()
    };
    if !is_told && all.iter().any(in_time) {
        all.retain(|one| !of_time(one));
    }
}

/// Makes *percent of this year's payments that came from insurers* a share of this year's, where the time was taken for what they are
/// a share by.
pub(super) fn share_of_times_rows(plan: &mut QueryPlan, question: &Question) {
    let owns = |at: usize| {
        let is_time = matches!(question.word(at), "day" | "week" | "month" | "quarter" | "year");
        let behind = question.tokens.get(at + 1);
        is_time && behind.is_some_and(|behind| behind.kind == TokenKind::Possessive)
    };
    if !(0..question.tokens.len()).any(owns) || !matches!(share(plan), Some((true, false))) {
        return;
    }
    let Some(such) = plan.select.filter.clone() else { return };
    let mut time = None;
    for shown in &mut plan.select.projection {
        shown.expr.replace(&mut |expr| match expr {
            Expr::Case { branches, otherwise: None } => {
                let [branch] = branches.as_slice() else { return None };
                time = Some(branch.when.clone());
                Some(Expr::only_where(such.clone(), branch.then.clone()))
            }
            _ => None,
        });
    }
    plan.select.filter = time;
}

/// Shows the change alone where nothing else is asked for: *by how many percent did revenue rise from 2024 to 2025?*
pub(super) fn change_alone(plan: &mut QueryPlan, question: &Question) {
    let word = |at: usize| question.word(at);
    let percent = |at: usize| matches!(word(at), "percent" | "percentage" | "%");
    let asks = word(0) == "by" && (word(1) == "what" && percent(2) || word(1) == "how" && percent(3));
    let is_change =
        |shown: &Projection| matches!(shown.expr, Expr::Arithmetic { operator: Arithmetic::Divide, .. });
    let is_total = |shown: &Projection| matches!(shown.expr, Expr::Aggregate { .. });
    let shown = &mut plan.select.projection;
    if asks && shown.len() > 2 && shown.iter().filter(|shown| is_change(shown)).count() == 1 {
        shown.retain(|shown| !is_total(shown));
    }
}

/// For a plan that counts a share of rows which meet one condition: whether that is one of time, and whether all rows are kept by
/// nothing but time.
fn share(plan: &QueryPlan) -> Option<(bool, bool)> {
    let mut part = None;
    for shown in &plan.select.projection {
        shown.expr.for_each(&mut |expr| {
            if let Expr::Case { branches, otherwise: None } = expr
                && let [branch] = branches.as_slice()
            {
                part = Some(is_of_time(&branch.when));
            }
        });
    }
    let rest: Vec<&Condition> = plan.select.filter.iter().flat_map(Condition::conjuncts).collect();
    part.map(|part| (part, !rest.is_empty() && rest.iter().all(|condition| is_of_time(condition))))
}

/// True for a condition that bounds a date.
fn is_of_time(condition: &Condition) -> bool {
    let bounds = |one: &Condition| match one {
        Condition::Compare { operator, right: Expr::Literal(Value::Text(text)), .. } => {
            let is_bound = !matches!(operator, Comparison::Equal | Comparison::NotEqual);
            is_bound && text.get(..10).unwrap_or(text).parse::<Date>().is_ok()
        }
        _ => false,
    };
    condition.conjuncts().iter().all(bounds)
}

/// True for *who ordered every month* and *placed an order in every quarter*: what somebody did stands before the period.
fn tells_deed(question: &Question) -> bool {
    let units = ["day", "week", "month", "quarter", "year"];
    let words = || (0..question.tokens.len()).map(|at| question.word(at));
    let mut says_who = false;
    !words().any(|word| matches!(word, "how" | "we" | "i" | "our"))
        && (0..question.tokens.len()).any(|at| {
            let word = question.word(at);
            says_who |= matches!(word, "who" | "that") || word.len() > 4 && word.ends_with("ed");
            says_who && word == "every" && units.contains(&question.word(at + 1))
        })
}

/// True for groups that have as many different periods as there are.
fn is_of_all_periods(plan: &QueryPlan) -> bool {
    let conditions = plan.select.having.iter().flat_map(Condition::conjuncts);
    conditions
        .into_iter()
        .any(|condition| matches!(condition, Condition::Compare { right: Expr::Query(_), .. }))
}
