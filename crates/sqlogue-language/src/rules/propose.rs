//! Proposing: all candidate plans of a question, from both generators, with what speaks for and against each.
//!
//! The composer and the grammar read the same links. What both make counts once, and that both make it speaks for it.

use std::collections::HashMap;

use super::account::{Account, Doubt, Unread, says_by_what};
use super::compose::{Draft, compose_with};
use super::grammar::{self, Lattice};
use super::knowledge::{Knowledge, TableId};
use super::link::{Link, Linked, Target, link_with};
use super::meant::{self, agreed::agreed_columns_only, chasm, listed, takings};
use super::rank::{Aspects, Features, Standing, circumstances, features};
use super::text::TokenKind;
use super::understand::Options;
use sqlogue_sql::plan::{Condition, Expr, JoinKind, QueryPlan, Source};

/// A question with its candidates, in no order.
#[derive(Debug)]
pub struct Proposals {
    /// The question and what its words may name.
    pub linked: Linked,
    /// The candidates.
    pub all: Vec<Proposal>,
}

/// A candidate with what tells how good it is.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// The candidate.
    pub draft: Draft,
    /// What speaks for and against it.
    pub features: Features,
    /// What it leaves out of the question.
    pub account: Account,
}

impl Proposals {
    /// One of the candidates as it is to be put in order with others, by its linear score.
    pub fn standing(&self, proposal: &Proposal, linear: f32, knowledge: &Knowledge) -> Standing {
        Standing {
            features: proposal.features.clone(),
            circumstances: circumstances(&proposal.draft, &self.linked, knowledge),
            linear,
            aspects: Aspects::of(&proposal.draft.plan),
        }
    }
}

/// What a draft leaves out of the question; where the grammar made it, `read_by_grammar` are the words that no rule has read or
/// that became no part of the plan.
fn account(
    linked: &Linked,
    draft: &Draft,
    read_by_grammar: Option<Vec<String>>,
    knowledge: &Knowledge,
) -> Account {
    let mut account = Account::of_question(linked, draft, knowledge);
    if let Some(left_out) = read_by_grammar {
        // A word that a rule has read is part of what the plan means, whatever the plan shows of it, as long as the thing that
        // it names has a part in the plan.
        account.left_out = left_out;
        let supplied = |name: &str| draft.choices.iter().any(|choice| choice.name == name);
        if supplied("number_unheeded") {
            let numbers = linked.question.tokens.iter().filter(|token| token.kind == TokenKind::Number);
            account.left_out.extend(numbers.take(1).map(|token| token.text.clone()));
        }
        if supplied("by_month") {
            account.doubts.push(Doubt::AnyPeriod);
        }
        if supplied("counts_unsaid") || supplied("money_by_number") {
            account.doubts.push(Doubt::AnyMeasure);
        }
        // *best* alone does not say by what.
        let best =
            ["best_rows", "biggest_buyers", "top_of_each", "top_of_each_time", "best_time", "time_was_best"];
        let is_vague = best.into_iter().any(supplied) && !says_by_what(&linked.question);
        if is_vague && !account.doubts.contains(&Doubt::AnyOrder) {
            account.doubts.push(Doubt::AnyOrder);
        }
    }
    if takings::shares_number_of_money(&draft.plan, &linked.question, knowledge) {
        account.doubts.push(Doubt::CountedMoney);
    }
    if chasm::crosses(&draft.plan, knowledge) && !chasm::compares(&linked.question) {
        account.doubts.push(Doubt::OnlyParent);
    }
    account
}

/// The candidates of a question. `hints` are words with what somebody said they mean, `mandatory` tables that every
/// candidate joins, and `allowed` says which plans may be proposed at all.
pub fn propose(
    question: &str,
    knowledge: &Knowledge,
    options: &Options,
    hints: &[(String, Target)],
    mandatory: &[TableId],
    allowed: impl Fn(&Draft) -> bool,
) -> Proposals {
    let mut linked = link_with(question, knowledge, options.today, hints);
    let links: Vec<Link> = std::mem::take(&mut linked.links);
    let asked = linked.question.clone();
    let lattice = Lattice::new(&asked, &links, options.today).defining(&options.definitions, knowledge);
    let mut drafts = compose_with(&linked, knowledge, mandatory);
    if lattice.has_terms() {
        // What people have defined wins over all that its words might mean otherwise, which is all the composer knows.
        drafts.clear();
    }
    drafts.iter_mut().for_each(|draft| keys_first(&mut draft.plan));
    let mut parsed = grammar::drafts(&mut linked, &lattice, &links, knowledge);
    meant::spell_out(drafts.iter_mut().chain(&mut parsed), &asked, &links, &lattice, knowledge);
    let account = |draft: &Draft| {
        let left_out = draft.grammar.map(|_| {
            let unread = Unread::new(&asked, &draft.plan, knowledge);
            let mut left_out = grammar::left_out(&linked, &lattice, draft, |at| unread.is_met(at));
            left_out.extend(unread.lost(&linked, draft));
            left_out
        });
        account(&linked, draft, left_out, knowledge)
    };
    let asked_columns = listed::columns_asked(&parsed, |draft| account(draft).left_out.is_empty());
    add_parsed(&mut drafts, parsed, knowledge, |draft| account(draft).left_out.len());
    agreed_columns_only(&mut drafts, knowledge);
    let propose = |draft: Draft| {
        let mut features = features(&draft, &linked, knowledge);
        grammar::features(&draft, &linked, &lattice, &mut features);
        let account = account(&draft);
        features.extend(account.features());
        Proposal { draft, features, account }
    };
    let is_meant = |draft: &Draft| {
        allowed(draft)
            && meant::can_be(draft, &links, &asked, knowledge)
            && grammar::keeps_definitions(draft, &linked, &lattice)
    };
    let mut all: Vec<Proposal> = drafts.into_iter().filter(is_meant).map(propose).collect();
    meant::fittest_only(&mut all, &asked, &asked_columns, &links, knowledge);
    all.iter_mut().for_each(|proposal| meant::mend(&mut proposal.draft.plan, &asked, &links, knowledge));
    Proposals { linked, all }
}

/// Shows what groups are made by before what is counted or summed for them, as people read a table.
fn keys_first(plan: &mut QueryPlan) {
    if !plan.select.group_by.is_empty() && plan.set_operations.is_empty() {
        plan.select.projection.sort_by_key(|shown| shown.expr.is_aggregate());
    }
}

/// Adds what the grammar makes to what the composer makes. Where both make the same plan, the draft stays, marked, that
/// leaves fewer words out.
fn add_parsed(
    drafts: &mut Vec<Draft>,
    parsed: Vec<Draft>,
    knowledge: &Knowledge,
    left_out: impl Fn(&Draft) -> usize,
) {
    let whole = |plan: &QueryPlan| {
        let mut plan = plan.clone();
        plan.select.filter.iter_mut().for_each(without_guards);
        serde_json::to_string(&plan).unwrap_or_default()
    };
    let known: HashMap<String, usize> =
        drafts.iter().enumerate().map(|(at, draft)| (whole(&draft.plan), at)).collect();
    for draft in parsed {
        match known.get(&whole(&draft.plan)).and_then(|at| drafts.get_mut(*at)) {
            Some(same) => {
                let agreed = draft.grammar;
                // The grammar guards against missing values, where there may be any.
                if may_miss(&draft.plan, knowledge) {
                    same.plan = draft.plan.clone();
                }
                if left_out(&draft) < left_out(same) {
                    *same = draft;
                }
                same.agreed = agreed;
            }
            None if super::sound::is_sound(&draft.plan, knowledge) => drafts.push(draft),
            None => {}
        }
    }
}

/// Leaves out that what must not be among the rows of a query is known there: that guards against missing values and means
/// nothing.
fn without_guards(condition: &mut Condition) {
    for part in condition.conjuncts_mut() {
        let Condition::InQuery { query, negated: true, .. } = part else { continue };
        let Some(shown) = query.select.projection.first().map(|shown| shown.expr.clone()) else { continue };
        let is_guard =
            |part: &Condition| matches!(part, Condition::IsNull { expr, negated: true } if *expr == shown);
        let rest = query.select.filter.take().map_or_else(Vec::new, |filter| {
            filter.conjuncts().iter().filter(|part| !is_guard(part)).cloned().collect()
        });
        query.select.filter = Condition::all(rest);
    }
}

/// True where what must not be among the rows of a query may be missing there.
fn may_miss(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    let conditions = plan.select.filter.iter().flat_map(Condition::conjuncts);
    conditions.into_iter().any(|condition| {
        let Condition::InQuery { query, negated: true, .. } = condition else { return false };
        let Some(Expr::Column(column)) = query.select.projection.first().map(|shown| &shown.expr) else {
            return false;
        };
        let table = knowledge.table_named(&column.table);
        let id = table.and_then(|table| knowledge.column_named(table, &column.column));
        id.is_some_and(|id| knowledge.column(id).nullable)
    })
}

/// What two plans have in common that are the same but for the order in which their tables are joined, and for what guards
/// against missing values.
pub(super) fn key(plan: &QueryPlan) -> String {
    let mut plan = plan.clone();
    plan.select.filter.iter_mut().for_each(without_guards);
    let select = &mut plan.select;
    let is_free = matches!(select.from, Source::Table(_))
        && select.joins.iter().all(|join| join.kind == JoinKind::Inner && join.filter.is_none())
        && !select.projection.iter().any(|shown| matches!(shown.expr, Expr::All(None)));
    let mut tables = Vec::new();
    if is_free && let Source::Table(first) = std::mem::take(&mut select.from) {
        let joins = std::mem::take(&mut select.joins);
        let mut pairs: Vec<[String; 2]> = joins
            .iter()
            .flat_map(|join| &join.on)
            .map(|(one, other)| {
                let mut pair = [one, other].map(|column| format!("{}.{}", column.table, column.column));
                pair.sort_unstable();
                pair
            })
            .collect();
        pairs.sort_unstable();
        let used = std::iter::once(first).chain(joins.into_iter().map(|join| join.table));
        tables.extend(used.map(|table| format!("{} {}", table.table, table.name())));
        tables.sort_unstable();
        tables.extend(pairs.into_iter().flatten());
    }
    serde_json::to_string(&(tables, plan)).unwrap_or_default()
}
