//! Ways to take a follow-up that its words cannot mean, whatever speaks for them.

use super::previous::Previous;
use super::reading::{self, Reading};
use super::{asked_for, extreme, impossible, order};
use crate::rules::cue::Cue;
use crate::rules::knowledge::ColumnId;
use crate::rules::link::Chunk;
use crate::rules::meant::people;
use sqlogue_sql::plan::{Aggregate, Comparison, Condition, Expr, QueryPlan, Select, Source};
use sqlogue_sql::schema::Value;

/// Words for the numbers by which rows are told apart and referred to.
pub(super) const NUMBERS_OF_ROWS: &[&str] =
    &["id", "ids", "number", "numbers", "no", "code", "codes", "key", "keys", "reference", "references"];

/// True for a plan that takes words for what they do not say.
pub(super) fn misreads(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let new_limit = plan.limit.filter(|limit| previous.plan.limit != Some(*limit));
    let which = new_limit.is_some_and(|limit| reading.says_which(limit));
    let cut = new_limit.is_some() && reading.only_sorts();
    let sorted = sorts_one_row(plan) && !sorts_one_row(previous.plan);
    which
        || cut
        || sorted
        || loses_extreme(reading, previous, plan)
        || counts_equal_ones(reading, previous, plan)
        || names_no_place(reading, previous, plan)
        || names_nobody(reading, previous, plan)
        || loses_names(reading, previous, plan)
        || speaks_of_all(reading, previous, plan)
        || shows_reference(reading, previous, plan)
        || sorts_nothing(reading, plan)
        || sorts_against(reading, previous, plan)
        || adds_unwanted(reading, previous, plan)
        || counts_times(reading, previous, plan)
        || contradicts(previous, plan)
        || shows_key(reading, previous, plan)
        || counts_one_of(reading, previous, plan)
        || only_asks_if_known(reading, previous, plan)
        || forgets_set(reading, previous, plan)
        || counts_years(reading, previous, plan)
        || forgets_year(reading, plan)
        || bounds_the_first(reading, previous, plan)
        || ranks_one_row(previous, plan)
        || sorts_by_unsaid(reading, previous, plan)
        || adds_alternatives(reading, previous, plan)
        || impossible::is_impossible(reading, previous, plan)
        || asked_for::is_missed(reading, previous, plan)
        || people::shows_half_a_name(plan, &reading.question, previous.knowledge)
        || people::shows_nobody(plan, &reading.question, previous.knowledge)
}

/// No row meets two conditions that exclude each other, as *the dear ones* and *the cheap ones* do.
fn contradicts(previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let clash = |plan: &QueryPlan| {
        let all: Vec<&Condition> =
            plan.select.filter.iter().chain(&plan.select.having).flat_map(Condition::conjuncts).collect();
        let clashes = |(at, one): (usize, &&Condition)| {
            all.iter().skip(at + 1).any(|other| {
                one.excludes(other) || turns(one, other) || lacks(one, other) || lacks(other, one)
            })
        };
        all.iter().enumerate().any(clashes)
    };
    clash(plan) && !clash(previous.plan)
}

/// `a < b` and `a > b`.
fn turns(one: &Condition, other: &Condition) -> bool {
    match (one, other) {
        (
            Condition::Compare { left, operator, right },
            Condition::Compare { left: also, operator: turned, right: with },
        ) => {
            (left, right) == (also, with)
                && !matches!(right, Expr::Literal(_))
                && on_other_sides(*operator, *turned)
                || (left, right) == (with, also) && on_other_sides(*operator, turned.turned())
        }
        _ => false,
    }
}

fn on_other_sides(one: Comparison, other: Comparison) -> bool {
    use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual};
    matches!(
        (one, other),
        (Less, Greater | GreaterOrEqual)
            | (LessOrEqual, Greater)
            | (Greater, Less | LessOrEqual)
            | (GreaterOrEqual, Less)
    )
}

/// A name that has to be this one and to contain what it does not contain.
fn lacks(one: &Condition, other: &Condition) -> bool {
    match (one, other) {
        (
            Condition::Compare { left, operator: Comparison::Equal, right: Expr::Literal(Value::Text(text)) },
            Condition::Like { expr, pattern, negated: false },
        ) => {
            let part = pattern.trim_matches('%').to_lowercase();
            left == expr && !text.to_lowercase().contains(&part)
        }
        _ => false,
    }
}

/// *address and phone?* of rows that were shown by their names asks for no number that tells them apart.
fn shows_key(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let knowledge = previous.knowledge;
    let id_of = |expr: &Expr| match expr {
        Expr::Column(column) => knowledge.column_in(plan, column),
        _ => None,
    };
    let is_said = |id: ColumnId| {
        let names = |chunk: &Chunk| chunk.columns.iter().any(|(known, score)| *known == id && *score >= 0.5);
        reading.chunks.iter().any(names)
    };
    let shown = &plan.select.projection;
    let has_name = |id: ColumnId| {
        let label = &knowledge.table(knowledge.column(id).table).label;
        !label.contains(&id)
            && shown.iter().any(|one| id_of(&one.expr).is_some_and(|other| label.contains(&other)))
    };
    let before = &previous.plan.select.projection;
    let is_new =
        |expr: &Expr| !before.iter().any(|one| one.expr == *expr || matches!(one.expr, Expr::All(_)));
    !before.is_empty()
        && !reading.has(NUMBERS_OF_ROWS)
        && shown
            .iter()
            .filter(|one| is_new(&one.expr))
            .filter_map(|one| id_of(&one.expr))
            .any(|id| knowledge.column(id).is_key && has_name(id) && !is_said(id))
}

/// *which are not one of those?* says of which set they are none, and no number.
fn counts_one_of(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let one = Expr::literal(1);
    let compares =
        |condition: &Condition| matches!(condition, Condition::Compare { right, .. } if *right == one);
    let said = reading.chunks.iter().filter_map(|chunk| chunk.number.as_ref()).count();
    reading.has(&["one of them", "one of those", "one of these"])
        && said < 2
        && plan
            .select
            .filter
            .iter()
            .chain(&plan.select.having)
            .flat_map(Condition::conjuncts)
            .any(|condition| compares(condition) && !previous.conditions().any(|other| other == condition))
}

/// *what jobs do they have?*, *do we have their addresses?* ask to see these, and not for the rows that have one.
fn only_asks_if_known(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    const ASKS: &[&str] = &[
        "what",
        "and what",
        "do we have",
        "do you have",
        "do we know",
        "do you know",
        "their",
        "and their",
        "i only want",
        "i want",
        "i just want",
        "i only need",
        "i need",
        "just tell me",
        "only tell me",
    ];
    let is_new = |condition: &&Condition| !previous.conditions().any(|other| other == *condition);
    let mut new = plan.select.filter.iter().flat_map(Condition::conjuncts).filter(is_new).peekable();
    let shows_the_same = plan.select.projection == previous.plan.select.projection;
    reading.starts(ASKS)
        && shows_the_same
        && new.peek().is_some()
        && new.all(|condition| matches!(condition, Condition::IsNull { negated: true, .. }))
}

/// *of those, which have five students?* shows some of those, and nothing of other tables alone.
fn forgets_set(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let table = &previous.knowledge.table(previous.entity().1).name;
    let of_rows = |expr: &Expr| match expr {
        Expr::All(_) => true,
        other => {
            other.is_aggregate()
                || other.columns().iter().any(|column| plan.table_in_use(&column.table) == Some(table))
        }
    };
    let is_read = plan.with.is_empty() && matches!(plan.select.from, Source::Table(_));
    let shown = &plan.select.projection;
    let asks = reading.starts(&["which", "who"]) && reading.of_set;
    asks && is_read && !shown.is_empty() && !shown.iter().any(|one| of_rows(&one.expr))
}

/// *debit or credit?* after a number asks for the number of each.
fn adds_alternatives(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let [first, or, second, rest @ ..] = reading.chunks.as_slice() else { return false };
    let is_value = |chunk: &Chunk| !chunk.values.is_empty() && chunk.number.is_none();
    let asks = or.text == "or" && rest.iter().any(|chunk| chunk.text == "?") && rest.len() == 1;
    asks && is_value(first)
        && is_value(second)
        && previous.is_one_summary()
        && plan.select.group_by.is_empty()
        && plan.select.projection == previous.plan.select.projection
}

/// *and for 2026?* after those with ten orders or more says a time, and no number of orders.
fn counts_years(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let said = reading.chunks.iter().filter_map(|chunk| chunk.number.as_ref()).filter(|number| number.year);
    let years: Vec<Expr> = said.map(|number| Expr::Literal(number.value.clone())).collect();
    let bounds = |condition: &&Condition| matches!(condition, Condition::Compare { right, .. } if years.contains(right));
    let is_new = |condition: &&Condition| !previous.conditions().any(|other| other == *condition);
    let compares = reading.chunks.iter().flat_map(Chunk::cues).any(|cue| matches!(cue, Cue::Compare(_)));
    let mut having = plan.select.having.iter().flat_map(Condition::conjuncts);
    !years.is_empty() && !compares && having.any(|condition| bounds(&condition) && is_new(&condition))
}

/// *and for 2026 only* is nothing without the year.
fn forgets_year(reading: &Reading, plan: &QueryPlan) -> bool {
    let is_of_time = |chunk: &Chunk| {
        let before = chunk.start.checked_sub(1).map_or("", |at| reading.question.word(at));
        matches!(before, "in" | "for" | "from" | "of" | "since" | "during" | "before" | "after" | "until")
    };
    let said = reading.chunks.iter().filter(|chunk| chunk.number.as_ref().is_some_and(|number| number.year));
    let mut years =
        said.filter(|chunk| is_of_time(chunk)).filter_map(|chunk| match chunk.number.as_ref()?.value {
            Value::Integer(year) => Some(year),
            _ => None,
        });
    let Some(year) = years.next().filter(|_| years.next().is_none()) else { return false };
    // Until the end of a year is before the next one.
    ![year, year + 1].iter().any(|year| compares_with(plan, *year))
}

/// True where a year, or a day of it, stands anywhere in a plan.
fn compares_with(plan: &QueryPlan, year: i64) -> bool {
    let is_of_year = |expr: &Expr| match expr {
        Expr::Literal(Value::Text(text)) => text.starts_with(&year.to_string()),
        Expr::Literal(value) => *value == Value::Integer(year),
        _ => false,
    };
    let mut found = false;
    for expr in plan.selects().flat_map(Select::exprs) {
        expr.for_each(&mut |part| found |= is_of_year(part));
    }
    found || plan.queries().into_iter().any(|query| compares_with(query, year))
}

/// *only those with more than five* after the one that came first speaks of several.
fn bounds_the_first(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let bounds = |plan: &QueryPlan| plan.select.having.iter().flat_map(Condition::conjuncts).count();
    reading.has(&["those", "ones", "these"])
        && previous.plan.limit == Some(1)
        && plan.limit == Some(1)
        && bounds(plan) > bounds(previous.plan)
}

/// Of one row that is called by its name nothing comes first.
fn ranks_one_row(previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let select = &plan.select;
    let is_one = |condition: &Condition| match condition {
        Condition::Compare { left: Expr::Column(column), operator: Comparison::Equal, .. } => previous
            .knowledge
            .column_in(plan, column)
            .is_some_and(|id| previous.knowledge.column(id).unique || previous.knowledge.column(id).is_key),
        _ => false,
    };
    plan.limit.is_some()
        && !select.group_by.is_empty()
        && select.joins.is_empty()
        && previous.plan.limit.is_none()
        && select.filter.iter().flat_map(Condition::conjuncts).any(is_one)
}

/// *sort by amount* sorts by nothing that it does not name before that.
fn sorts_by_unsaid(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    // How well a word names what the rows are sorted by.
    let said = |expr: &Expr| match expr {
        Expr::Column(column) => previous.knowledge.column_in(plan, column).map_or(0.0, |id| {
            let named = reading.chunks.iter().flat_map(|chunk| &chunk.columns);
            named.filter(|(known, _)| *known == id).map(|(_, score)| *score).fold(0.0, f32::max)
        }),
        _ => 1.0,
    };
    let [first, second, ..] = plan.order_by.as_slice() else { return false };
    let was_there = previous.plan.order_by.iter().any(|order| order.expr == first.expr);
    reading.starts(&["sort", "order", "rank", "arrange"])
        && !was_there
        && said(&first.expr) + 0.1 < said(&second.expr)
}

/// *order the countries by their number* asks for an order.
fn sorts_nothing(reading: &Reading, plan: &QueryPlan) -> bool {
    const SORTS: &[&str] = &[
        "sort",
        "order by",
        "order the",
        "order them",
        "order it",
        "order all",
        "order this",
        "order these",
        "order those",
        "order that",
    ];
    reading.starts(SORTS) && plan.order_by.is_empty()
}

/// *by popularity, from the most to the least* begins with the most.
fn sorts_against(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let [order] = plan.order_by.as_slice() else { return false };
    order.expr.is_aggregate()
        && previous.plan.order_by != plan.order_by
        && order::from_end_to_end(&reading.text).is_some_and(|said| said != order.direction)
}

/// *I don't need the id* adds nothing to what was shown.
fn adds_unwanted(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    const UNWANTED: &[&str] = &[
        "i do not need",
        "i don't need",
        "we do not need",
        "we don't need",
        "no need for",
        "do not show",
        "don't show",
        "leave out",
        "drop",
        "remove",
        "hide",
    ];
    let before = &previous.plan.select.projection;
    // Of all columns, those that stay are named one by one.
    let shows_all = before.is_empty() || before.iter().any(|one| matches!(one.expr, Expr::All(_)));
    reading.starts(UNWANTED) && !shows_all && plan.select.projection.len() > before.len()
}

/// *when were they shown?* asks for times, and not how often.
fn counts_times(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let is_count = |expr: &Expr| matches!(expr, Expr::Aggregate { function: Aggregate::Count, .. });
    let counts = |plan: &QueryPlan| {
        let named = plan.with.iter().map(|named| &named.query.select);
        let shown = named.chain([&plan.select]).flat_map(|select| &select.projection);
        shown.filter(|one| is_count(&one.expr)).count()
    };
    reading.starts(&["when", "and when"]) && counts(plan) > counts(previous.plan)
}

/// *where do they live?* asks for a place that was not shown, and for no more than that.
fn names_no_place(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let before = &previous.plan.select.projection;
    let names_some = plan.select.projection.iter().any(|one| match &one.expr {
        Expr::All(_) => before.is_empty() || before.iter().any(|other| matches!(other.expr, Expr::All(_))),
        expr => !before.iter().any(|other| other.expr == *expr),
    });
    reading.starts(&["where", "and where", "from where"]) && !names_some
}

/// One summary of all rows is one row: there is nothing to sort and nothing to cut.
fn sorts_one_row(plan: &QueryPlan) -> bool {
    let select = &plan.select;
    !plan.order_by.is_empty()
        && select.group_by.is_empty()
        && !select.projection.is_empty()
        && select.projection.iter().all(|shown| shown.expr.is_aggregate())
}

/// *which product is that?* after the highest price is no list of all products.
fn loses_extreme(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let select = &plan.select;
    let points = reading.has(&["this", "that", "its", "it", "his", "her", "their"]);
    let lists = plan.limit.is_none()
        && select.filter == previous.plan.select.filter
        && !select.projection.iter().any(|shown| shown.expr.is_aggregate());
    points && lists && extreme::row(reading, previous).is_some()
}

/// *who has the cancelled ones?* after a number for each status asks for somebody's name, and for no number.
fn names_nobody(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let names_row = |expr: &Expr| match expr {
        Expr::Column(column) => {
            previous.knowledge.column_in(plan, column).is_some_and(|id| previous.is_name(id))
        }
        other => matches!(other, Expr::All(_)),
    };
    let select = &plan.select;
    let asks = reading.starts(&["who", "who's", "whos", "and who"]);
    let is_number = select.group_by.is_empty()
        && !select.projection.is_empty()
        && select.projection.iter().all(|one| one.expr.is_aggregate());
    if asks && is_number && !reading.has(&["how many", "how often", "how much"]) {
        return true;
    }
    asks && select.projection.iter().any(|one| one.expr.is_aggregate())
        && !select.group_by.is_empty()
        && plan.limit.is_none()
        && !select.projection.iter().any(|one| names_row(&one.expr))
}

/// *when were they hired?* asks for something of each row that was shown by its name, which a list of dates does not tell.
fn loses_names(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let question = &reading.question;
    let asks_of_rows = |at: usize| {
        matches!(
            question.word(at),
            "do" | "did" | "does" | "are" | "were" | "is" | "was" | "have" | "has" | "had"
        ) && matches!(question.word(at + 1), "they" | "he" | "she")
    };
    let is_name = |expr: &Expr| match expr {
        Expr::Column(column) => previous.id_of(column).is_some_and(|id| previous.is_name(id)),
        _ => false,
    };
    let names = |plan: &QueryPlan| plan.select.projection.iter().any(|one| is_name(&one.expr));
    let is_list = |plan: &QueryPlan| {
        let mut shown = plan.select.projection.iter();
        plan.select.group_by.is_empty() && shown.all(|one| matches!(one.expr, Expr::Column(_)))
    };
    // Nor does a number of rows for each place.
    let asks_where = reading.starts(&["where", "and where"]);
    (0..question.tokens.len()).any(asks_of_rows)
        && names(previous.plan)
        && is_list(previous.plan)
        && (is_list(plan) || asks_where)
        && !plan.select.projection.is_empty()
        && !names(plan)
}

/// *how much did they spend?* after the first ten asks of these, and a plan without their number is one of all.
fn speaks_of_all(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let pronoun = reading.speaks_of_them() || reading.has(&["their"]);
    let was_cut = previous.plan.limit.is_some() && plan.limit.is_none();
    pronoun && was_cut && plan.select.filter == previous.plan.select.filter && plan.with == previous.plan.with
}

/// *also their manager* asks for somebody's name, and not for the number by which the rows refer to them.
fn shows_reference(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let knowledge = previous.knowledge;
    let before = &previous.plan.select.projection;
    let refers = |expr: &Expr| match expr {
        Expr::Column(column) => previous.id_of(column).is_some_and(|id| {
            let to = knowledge.joins().reference(id);
            to.is_some_and(|edge| !knowledge.table(edge.to).label.is_empty())
        }),
        _ => false,
    };
    let is_new = |expr: &Expr| !before.iter().any(|one| one.expr == *expr);
    !before.is_empty()
        && !reading.has(NUMBERS_OF_ROWS)
        && plan.select.projection.iter().any(|one| refers(&one.expr) && is_new(&one.expr))
}

/// *how many different cities?* counts no city twice.
fn counts_equal_ones(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> bool {
    let select = &plan.select;
    let [shown] = select.projection.as_slice() else { return false };
    let counts_rows = matches!(
        &shown.expr,
        Expr::Aggregate { function: Aggregate::Count, distinct: false, argument } if matches!(**argument, Expr::All(_))
    );
    let of_rows = matches!(select.from, Source::Table(_)) && select.group_by.is_empty();
    let asks =
        reading.has(&["different", "distinct", "unique"]) && reading.has(&["how many", "number", "count"]);
    let of_column = || {
        reading.chunks.iter().any(|chunk| {
            chunk.column_score() > chunk.table_score() + 0.05 && reading::column(chunk, previous).is_some()
        })
    };
    counts_rows && of_rows && asks && of_column()
}
