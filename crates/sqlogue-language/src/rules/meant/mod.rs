//! What readings can mean. A reading that no one means by these words is dropped, the fitter of two is kept, and the plans that
//! are left are made to say what their words mean in this database.
//!
//! ```text
//! spell_out      who is named, and through which rows tables are joined: before anything is judged
//! can_be         which plans can be meant at all
//! fittest_only   which of them take no word for less than another does
//! mend           which rows are counted, how money is stored, what a code stands for
//! ```
//!
//! Each file is one idea of the language, with what it drops and what it mends.

pub(super) mod agreed;
mod as_listed;
mod banded;
mod blank;
mod bridge;
pub(super) mod cents;
pub(super) mod chasm;
mod coded;
mod converse;
pub(super) mod deeds;
mod different;
mod done;
mod ended;
mod flat;
mod idle;
mod last_sentence;
pub(super) mod lasting;
pub(super) mod listed;
mod numbers_of_rows;
mod of_groups;
mod opened;
mod own_kind;
mod own_totals;
pub(super) mod people;
mod per_each;
mod periods;
mod pinned;
mod present;
mod ranked;
mod repeated;
mod sheets;
pub(super) mod takings;
mod trivial;
mod unit_costs;
pub(super) mod worst;

use super::account::Doubt;
use super::compose::Draft;
use super::date_parts;
use super::grammar::{self, Lattice};
use super::knowledge::Knowledge;
use super::link::{Link, heads::Heads};
use super::propose::Proposal;
use super::text::Question;
use sqlogue_sql::plan::{Aggregate, Expr, QueryPlan, Select};

/// Names people by their names, and joins tables through the rows that the question speaks of.
pub(super) fn spell_out<'a>(
    drafts: impl Iterator<Item = &'a mut Draft>,
    asked: &Question,
    links: &[Link],
    lattice: &Lattice<'_>,
    knowledge: &Knowledge,
) {
    let events = bridge::events(lattice, knowledge);
    let heads = Heads::of(links, knowledge);
    let other_ends = converse::other_ends(asked, knowledge);
    for draft in drafts {
        people::name_them(&mut draft.plan, asked, knowledge);
        listed::rows_of_groups(draft, asked, knowledge);
        if !events.is_empty() {
            bridge::through_named(draft, &events, knowledge);
        }
        heads.spell_out(&mut draft.plan);
        for end in &other_ends {
            converse::lead_to_other(&mut draft.plan, &mut draft.joins, end, knowledge);
        }
    }
}

/// Drops the readings that take words for less than another does.
pub(super) fn fittest_only(
    all: &mut Vec<Proposal>,
    asked: &Question,
    columns: &[Vec<String>],
    links: &[Link],
    knowledge: &Knowledge,
) {
    numbers_first(all);
    decisive_words_kept(all);
    listed::columns_as_asked(all, columns);
    as_listed::counts_shown_first(all, asked);
    chasm::related_rows_first(all, asked, knowledge);
    ranked::totals_first(all, asked, knowledge);
    ranked::places_in_each_first(all, asked);
    flat::totals_of_things_first(all, asked, knowledge);
    own_totals::of_rows_first(all, asked, knowledge);
    sheets::money_added_up_first(all, asked, knowledge);
    periods::every_period_first(all, asked);
    periods::named_times_first(all);
    periods::shares_in_time_first(all, asked);
    deeds::all_of_theirs_first(all);
    done::deeds_said_first(all, asked, knowledge);
    ended::own_days_first(all, asked, knowledge);
    own_kind::averages_of_kinds_first(all, asked);
    per_each::counts_on_average_first(all, asked, links, knowledge);
    opened::whole_rows_first(all, asked, links);
    different::those_who_came_first(all, asked, knowledge);
    idle::times_of_absence_first(all, asked, knowledge);
}

/// Makes a plan say what its words mean in this database: which rows are counted, how money is stored, what a code stands for.
pub(super) fn mend(plan: &mut QueryPlan, asked: &Question, links: &[Link], knowledge: &Knowledge) {
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
    cents::show_whole_money(plan, asked, knowledge);
    periods::share_of_times_rows(plan, asked);
    periods::change_alone(plan, asked);
    worst::most_of_what_is_bad(plan, asked);
    takings::rank_by_money(plan, asked, knowledge);
    unit_costs::multiply_by_quantity(plan, asked, knowledge);
    done::leave_out_undone(plan, asked, knowledge);
    ended::rate_of_ended(plan, asked, knowledge);
    blank::count_as_missing(plan, knowledge);
    of_groups::visits_once(plan, asked, knowledge);
    of_groups::figure_of_all(plan, asked, links, knowledge);
    last_sentence::shows_no_more(plan, asked, links, knowledge);
    as_listed::show_all(plan, asked, links, knowledge);
    coded::show_meanings(plan, knowledge);
}

/// False for plans that answer something else than what is asked, whatever is said: a mean of rates for a total, or the key of a
/// row for what it is worth.
pub(super) fn can_be(draft: &Draft, links: &[Link], asked: &Question, knowledge: &Knowledge) -> bool {
    let plan = &draft.plan;
    !crate::rules::sound::bounds_twice(plan)
        && !listed::names_apart(plan, asked, links, knowledge)
        && !lasting::ignores_unit(plan, asked, knowledge)
        && !lasting::ignores_rate(plan, asked, knowledge)
        && !lasting::shows_other_rate(plan, asked, knowledge)
        && !lasting::counts_rows_for_hours(plan, asked)
        && !lasting::counts_rows_beside_time(plan, asked)
        && !lasting::keeps_what_stays_so(plan, asked)
        && !takings::adds_up_costs(plan, asked, knowledge)
        && !takings::adds_up_what_is_not_paid(plan, knowledge)
        && !takings::adds_up_what_is_billed(plan, asked, knowledge)
        && !takings::counts_what_was_collected(plan, asked, knowledge)
        && !takings::bounds_money_by_percent(plan, asked)
        && !takings::adds_up_unit_prices(plan, knowledge)
        && !unit_costs::compares_pieces(plan, asked, knowledge)
        && !takings::adds_up_unit_margins(plan, knowledge)
        && !ranked::ranks_doers(plan, asked, knowledge)
        && !ranked::takes_highest_for_latest(plan, asked, links, knowledge)
        && !ranked::ranks_by_price_of_others(plan, asked, knowledge)
        && !people::takes_staff(plan, links, asked, knowledge)
        && !people::ignores_pay(plan, asked, knowledge)
        && !people::rates_people(plan, asked, knowledge)
        && !people::names_things(plan, asked, knowledge)
        && !people::shows_nobody(plan, asked, knowledge)
        && !people::shows_half_a_name(plan, asked, knowledge)
        && !people::shows_buyers(plan, asked, knowledge)
        && !people::names_the_served(plan, asked, knowledge)
        && !people::lists_everybody(plan, asked, knowledge)
        && !numbers_of_rows::compares_references(plan, asked, knowledge)
        && !numbers_of_rows::counts_owners(plan, asked, knowledge)
        && !deeds::shows_what_was_done(plan, asked, links, knowledge)
        && !deeds::denies_one_row(plan, asked, knowledge)
        && !deeds::denies_all_rows(plan, asked)
        && !done::tells_days_apart(plan, asked, knowledge)
        && !repeated::forgets_second(plan, asked)
        && !repeated::counts_once(plan, asked)
        && !opened::shows_what_is_compared(plan, asked, links, knowledge)
        && !trivial::is_known(plan, knowledge)
        && !trivial::shows_twice(plan)
        && !banded::adds_up_what_makes_bands(plan, asked)
        && !present::tells_values_apart(plan, asked, knowledge)
        && !present::forgets_second(plan, asked, links, knowledge)
        && !flat::groups_by_amounts(plan, knowledge)
        && !sheets::takes_highest_number(plan, asked, knowledge)
        && !ranked::takes_percent_for_number(plan, asked)
        && !ranked::tells_date_for_first(plan, asked, knowledge)
        && !ranked::ranks_by_spelling(plan, asked, knowledge)
        && !ranked::adds_up_single_rows(plan, asked, knowledge)
        && !date_parts::mixes_years(plan, asked, knowledge)
        && !date_parts::adds_up_years(plan, knowledge)
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
