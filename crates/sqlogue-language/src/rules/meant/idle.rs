//! Who did nothing for a time: in *members who have not booked in the last 6 months* the time is that of what was not done.

use crate::rules::event_date::holds_days;
use crate::rules::knowledge::Knowledge;
use crate::rules::propose::Proposal;
use crate::rules::text::{Question, Token};
use sqlogue_sql::plan::{Condition, QueryPlan, Select};

/// Words of time; a number may be a year or say how many days.
const TIMES: [&str; 20] = [
    "today",
    "yesterday",
    "since",
    "last",
    "past",
    "this",
    "recent",
    "recently",
    "day",
    "week",
    "month",
    "quarter",
    "year",
    "lately",
    "before",
    "after",
    "until",
    "between",
    "ago",
    "during",
];

/// Drops the readings that bound something else by the time of what was not done, where another reading bounds just that and
/// leaves nothing out.
pub(super) fn times_of_absence_first(all: &mut Vec<Proposal>, question: &Question, knowledge: &Knowledge) {
    let is_negation = |token: &Token| {
        matches!(token.lower.as_str(), "not" | "never" | "no" | "without") || token.lower.ends_with("n't")
    };
    let is_time = |token: &Token| {
        let word = token.stem.as_str();
        TIMES.contains(&word) || word.contains(|letter: char| letter.is_ascii_digit())
    };
    let Some(at) = question.tokens.iter().position(is_negation) else { return };
    let (before, after) = question.tokens.split_at(at);
    if before.iter().any(is_time) || !after.iter().any(is_time) {
        return;
    }
    let inside = |proposal: &Proposal| {
        let plan = &proposal.draft.plan;
        proposal.account.left_out.is_empty()
            && absent(plan).any(|query| is_dated(query, knowledge))
            && !is_dated(plan, knowledge)
    };
    let outside = |proposal: &Proposal| {
        let plan = &proposal.draft.plan;
        absent(plan).count() > 0
            && !absent(plan).any(|query| is_dated(query, knowledge))
            && is_dated(plan, knowledge)
    };
    if all.iter().any(inside) {
        all.retain(|proposal| !outside(proposal));
    }
}

/// The queries among whose rows something must not be.
fn absent(plan: &QueryPlan) -> impl Iterator<Item = &QueryPlan> {
    let conditions = plan.select.filter.iter().flat_map(Condition::conjuncts);
    conditions.filter_map(|condition| match condition {
        Condition::InQuery { query, negated: true, .. } => Some(query.as_ref()),
        _ => None,
    })
}

/// True where a query is bounded by a date, not counting the queries in it.
fn is_dated(plan: &QueryPlan, knowledge: &Knowledge) -> bool {
    let bounds = |select: &Select| {
        let conditions: Vec<&Condition> = select.filter.iter().flat_map(Condition::conjuncts).collect();
        conditions.into_iter().any(|condition| {
            let own = !matches!(
                condition,
                Condition::InQuery { .. } | Condition::IsNull { .. } | Condition::Exists { .. }
            );
            own && condition.columns().into_iter().any(|column| {
                let id = knowledge.column_in(plan, column);
                id.is_some_and(|id| holds_days(knowledge.column(id)))
            })
        })
    };
    plan.selects().any(bounds)
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::table;
    use crate::rules::{Knowledge, Options, understand};
    use sqlogue_sql::schema::{ColumnType, Schema};
    use sqlogue_sql::sql::{Dialect, render};

    #[test]
    fn the_time_is_that_of_what_was_not_done() {
        use ColumnType::{Date, Integer, Text};
        let tables = vec![
            table(
                "patrons",
                &[("id", Integer), ("name", Text), ("member_since", Date), ("level", Text)],
                &[],
            ),
            table(
                "bookings",
                &[("booking_id", Integer), ("patron_id", Integer), ("booked_at", Date)],
                &[("patron_id", "patrons", "id")],
            ),
        ];
        let knowledge = Knowledge::from_schema(&Schema { tables });
        for question in
            ["patrons who haven't booked in the last 6 months", "members who have not booked since May"]
        {
            let read = understand(question, &knowledge, &Options { readings: 4, ..Options::default() });
            let made: Vec<String> =
                read.candidates.iter().map(|one| render(&one.plan, Dialect::Sqlite)).collect();
            let first = made.first().cloned().unwrap_or_default();
            assert!(
                first.contains("NOT IN (SELECT patron_id FROM bookings WHERE booked_at >="),
                "{question}: {made:?}"
            );
        }
    }
}
