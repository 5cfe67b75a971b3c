//! Proposing: all candidate plans of a question, from both generators, with what speaks for and against each.
//!
//! The composer and the grammar read the same links. What both make counts once, and that both make it speaks for it.

use std::collections::HashMap;

use super::account::{Account, Doubt, Unread, says_by_what};
use super::agreed::agreed_columns_only;
use super::compose::{Draft, compose_with};
use super::grammar::{self, Lattice};
use super::knowledge::{Knowledge, TableId};
use super::link::{Link, Linked, Target, heads::Heads, link_with};
use super::rank::{Aspects, Features, Standing, circumstances, features};
use super::text::{Question, TokenKind};
use super::understand::Options;
use super::{
    blank, bridge, cents, chasm, coded, converse, date_parts, deeds, different, flat, idle, last_sentence,
    lasting, listed, numbers_of_rows, of_groups, opened, people, per_each, periods, pinned, ranked, repeated,
    sheets, takings, trivial, unit_costs, worst,
};
use sqlogue_sql::plan::{Aggregate, Condition, Expr, JoinKind, QueryPlan, Select, Source};

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
    for draft in drafts.iter_mut().chain(&mut parsed) {
        people::name_them(&mut draft.plan, &asked, knowledge);
        listed::rows_of_groups(draft, &asked, knowledge);
    }
    let events = bridge::events(&lattice, knowledge);
    let heads = Heads::of(&links, knowledge);
    let other_ends = converse::other_ends(&asked, knowledge);
    for draft in drafts.iter_mut().chain(&mut parsed) {
        if !events.is_empty() {
            bridge::through_named(draft, &events, knowledge);
        }
        heads.spell_out(&mut draft.plan);
        for end in &other_ends {
            converse::lead_to_other(&mut draft.plan, &mut draft.joins, end, knowledge);
        }
    }
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
            && can_be_meant(draft, &links, &asked, knowledge)
            && grammar::keeps_definitions(draft, &linked, &lattice)
    };
    let mut all: Vec<Proposal> = drafts.into_iter().filter(is_meant).map(propose).collect();
    fittest_only(&mut all, &asked, &asked_columns, &links, knowledge);
    all.iter_mut().for_each(|proposal| mend(&mut proposal.draft.plan, &asked, &links, knowledge));
    Proposals { linked, all }
}

/// Drops the readings that take words for less than another does.
fn fittest_only(
    all: &mut Vec<Proposal>,
    asked: &Question,
    columns: &[Vec<String>],
    links: &[Link],
    knowledge: &Knowledge,
) {
    numbers_first(all);
    decisive_words_kept(all);
    listed::columns_as_asked(all, columns);
    chasm::related_rows_first(all, asked, knowledge);
    ranked::totals_first(all, asked, knowledge);
    ranked::places_in_each_first(all, asked);
    flat::totals_of_things_first(all, asked, knowledge);
    sheets::money_added_up_first(all, asked, knowledge);
    periods::every_period_first(all, asked);
    periods::named_times_first(all);
    periods::shares_in_time_first(all, asked);
    deeds::all_of_theirs_first(all);
    per_each::counts_on_average_first(all, asked, links, knowledge);
    opened::whole_rows_first(all, asked, links);
    different::those_who_came_first(all, asked, knowledge);
    idle::times_of_absence_first(all, asked, knowledge);
}

/// Makes a plan say what its words mean in this database: which rows are counted, how money is stored, what a code stands for.
fn mend(plan: &mut QueryPlan, asked: &Question, links: &[Link], knowledge: &Knowledge) {
    ranked::known_groups_only(plan, knowledge);
    ranked::known_rows_only(plan, knowledge);
    sheets::never_in_any_row(plan, asked, knowledge);
    sheets::count_things_once(plan, asked, knowledge);
    flat::name_things(plan, knowledge);
    flat::totals_of_parts(plan, asked, knowledge);
    flat::things_once(plan, asked, knowledge);
    people::count_doers(plan, asked, knowledge);
    different::counted_once(plan, asked);
    pinned::count_what_refers(plan, knowledge);
    cents::compare_whole_money(plan, asked, knowledge);
    periods::share_of_times_rows(plan, asked);
    worst::most_of_what_is_bad(plan, asked);
    takings::rank_by_money(plan, asked, knowledge);
    unit_costs::multiply_by_quantity(plan, asked, knowledge);
    blank::count_as_missing(plan, knowledge);
    of_groups::visits_once(plan, asked, knowledge);
    of_groups::figure_of_all(plan, asked, links, knowledge);
    last_sentence::shows_no_more(plan, asked, links, knowledge);
    coded::show_meanings(plan, knowledge);
}

/// False for plans that answer something else than what is asked, whatever is said: a mean of rates for a total, or the key of a
/// row for what it is worth.
fn can_be_meant(draft: &Draft, links: &[Link], asked: &Question, knowledge: &Knowledge) -> bool {
    let plan = &draft.plan;
    !super::sound::bounds_twice(plan)
        && !listed::names_apart(plan, asked, links, knowledge)
        && !lasting::ignores_unit(plan, asked, knowledge)
        && !lasting::ignores_rate(plan, asked, knowledge)
        && !lasting::shows_other_rate(plan, asked, knowledge)
        && !lasting::counts_rows_for_hours(plan, asked)
        && !lasting::keeps_what_stays_so(plan, asked)
        && !takings::adds_up_costs(plan, asked, knowledge)
        && !takings::adds_up_what_is_not_paid(plan, knowledge)
        && !takings::adds_up_what_is_billed(plan, asked, knowledge)
        && !takings::bounds_money_by_percent(plan, asked)
        && !takings::adds_up_unit_prices(plan, knowledge)
        && !unit_costs::compares_pieces(plan, asked, knowledge)
        && !takings::adds_up_unit_margins(plan, knowledge)
        && !ranked::ranks_doers(plan, asked, knowledge)
        && !people::takes_staff(plan, links, asked, knowledge)
        && !people::ignores_pay(plan, asked, knowledge)
        && !people::rates_people(plan, asked, knowledge)
        && !people::names_things(plan, asked, knowledge)
        && !people::shows_nobody(plan, asked, knowledge)
        && !people::shows_buyers(plan, asked, knowledge)
        && !people::names_the_served(plan, asked, knowledge)
        && !people::lists_everybody(plan, asked, knowledge)
        && !numbers_of_rows::compares_references(plan, asked, knowledge)
        && !numbers_of_rows::counts_owners(plan, asked, knowledge)
        && !deeds::shows_what_was_done(plan, asked, links, knowledge)
        && !deeds::denies_one_row(plan, asked, knowledge)
        && !deeds::denies_all_rows(plan, asked)
        && !repeated::forgets_second(plan, asked)
        && !opened::shows_what_is_compared(plan, asked, links, knowledge)
        && !trivial::is_known(plan, knowledge)
        && !flat::groups_by_amounts(plan, knowledge)
        && !sheets::takes_highest_number(plan, asked, knowledge)
        && !ranked::takes_percent_for_number(plan, asked)
        && !ranked::tells_date_for_first(plan, asked, knowledge)
        && !ranked::ranks_by_spelling(plan, asked, knowledge)
        && !ranked::adds_up_single_rows(plan, asked, knowledge)
        && !date_parts::mixes_years(plan, asked, knowledge)
        && !date_parts::takes_year_for_amount(plan, asked, knowledge)
        && !date_parts::takes_amount_for_year(plan, knowledge)
}

/// Drops the readings that count rows where a word names a number in them too, and another reading sums that number up and leaves
/// nothing out: *how many views* of a table that holds how many there were each day.
fn numbers_first(all: &mut Vec<Proposal>) {
    let counts_rows = |proposal: &Proposal| {
        proposal.account.doubts.iter().any(|doubt| matches!(doubt, Doubt::TableForNumber { .. }))
    };
    let sums = |proposal: &Proposal| {
        let exprs = proposal.draft.plan.selects().flat_map(Select::exprs);
        exprs.into_iter().any(|expr| matches!(expr, Expr::Aggregate { function: Aggregate::Sum, .. }))
    };
    let is_clear = |proposal: &Proposal| !counts_rows(proposal) && proposal.account.left_out.is_empty();
    if all.iter().any(|proposal| is_clear(proposal) && sums(proposal)) {
        all.retain(|proposal| !counts_rows(proposal));
    }
}

/// Drops the readings that leave out a word that decides which rows are meant, where another leaves nothing out: *the largest order*
/// is not all orders, and *never* is not once.
fn decisive_words_kept(all: &mut Vec<Proposal>) {
    let decides = |said: &String| {
        said.split(' ').any(|word| grammar::WordLists::embedded().has("decisive", &word.to_lowercase()))
    };
    // The first by one thing and then by another is seldom what both words ask for.
    let is_whole = |one: &Proposal| {
        one.draft.grammar.is_some() && one.account.is_clear() && one.draft.plan.order_by.len() < 2
    };
    if all.iter().any(is_whole) {
        all.retain(|one| !one.account.left_out.iter().any(decides));
    }
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
