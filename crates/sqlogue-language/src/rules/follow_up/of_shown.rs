//! What is asked of the rows that were shown: *how often were they sold?*, *what did she spend?*
//!
//! The pronoun is read as the name of the rows, the question as one of its own, and its plan as one of these rows alone.

use super::previous::Previous;
use super::reading::Reading;
use crate::rules::grammar::has_people;
use crate::rules::link::Chunk;
use crate::rules::text::Question;
use crate::rules::understand::Candidate;
use crate::rules::{Options, names, understand};
use sqlogue_sql::plan::{
    Aggregate, ColumnRef, Comparison, Condition, Expr, Function, Join, JoinKind, NamedQuery, Projection,
    QueryPlan, Select, Source, TableUse,
};

/// Pronouns that stand for the rows shown.
const PRONOUNS: &[&str] = &["they", "them", "he", "she", "him", "it"];
/// What stands behind *which of them*.
const VERBS: &[&str] =
    &["have", "has", "had", "are", "is", "were", "was", "do", "does", "did", "never", "also", "can", "could"];
/// How a question opens that is asked of each row.
const OF_EACH: &[&str] = &["how many", "how often", "how much", "how long", "when", "and how", "and when"];
/// How many readings of a question come into question.
const READINGS: usize = 3;
/// What a query of something for each row is called.
const OF_EACH_ROW: &str = "of_each";

/// A question about the rows shown, as it is asked of all rows, with its plan about these alone.
pub(super) struct OfShown {
    pub question: String,
    pub candidate: Candidate,
    pub place: usize,
}

/// What is asked of the rows that were shown; nothing where no pronoun stands for them, or where a row of the result is none of a
/// table.
pub(super) fn of_shown(reading: &Reading, previous: &Previous<'_>, options: &Options) -> Vec<OfShown> {
    // *members of that club* is of the club, whatever was shown of it.
    let by_name = named(reading, previous).is_some() || points_at_one(reading, previous);
    let Some(rows) = Rows::of(previous, by_name) else { return Vec::new() };
    let mut made: Vec<OfShown> = Vec::new();
    for question in questions(reading, previous) {
        let candidates = understand(&question, previous.knowledge, options).candidates;
        for (place, mut candidate) in candidates.into_iter().take(READINGS).enumerate() {
            if rows.only_lists_them(&candidate.plan) {
                continue;
            }
            match rows.beside(&candidate.plan) {
                Some(plan) => candidate.plan = plan,
                None if !rows.restrict(&mut candidate.plan) => continue,
                None => {}
            }
            if !made.iter().any(|other| other.candidate.plan == candidate.plan) {
                made.push(OfShown { question: question.clone(), candidate, place });
            }
        }
    }
    made
}

/// Where the rows that were shown are pointed at by their name: *photos of these mountains*. *That* is a pronoun of its own in
/// *papers that authors wrote*, so it points only where nothing comes behind the name.
pub(super) fn named(reading: &Reading, previous: &Previous<'_>) -> Option<usize> {
    let question = &reading.question;
    let (_, entity) = previous.entity();
    let rows = reading
        .chunks
        .iter()
        .filter(|chunk| chunk.tables.iter().any(|(table, score)| *score > 0.6 && *table == entity));
    let points = |chunk: &Chunk| {
        let at = chunk.start.checked_sub(1)?;
        let ends = (chunk.end..question.tokens.len()).all(|at| question.word(at).is_empty());
        // What authors wrote is no *that authors*, and *that author* is one.
        let is_one = || !chunk.text.ends_with('s');
        let does = match question.word(at) {
            "these" | "those" | "this" => true,
            "that" => ends || is_one(),
            _ => false,
        };
        does.then_some(at)
    };
    rows.into_iter().find_map(points)
}

/// True where one row was asked about by its name, and a pronoun stands for it: *what clubs is he in?* after what he is called.
fn points_at_one(reading: &Reading, previous: &Previous<'_>) -> bool {
    let (name, table) = previous.entity();
    let label = &previous.knowledge.table(table).label;
    let is_name = |column: &ColumnRef| {
        column.table == name && previous.id_of(column).is_some_and(|id| label.contains(&id))
    };
    let names_one = |condition: &Condition| match condition {
        Condition::Compare {
            left: Expr::Column(column),
            operator: Comparison::Equal,
            right: Expr::Literal(_),
        } => is_name(column),
        _ => false,
    };
    reading.has(&["he", "she", "him", "it"]) && previous.conditions().any(names_one)
}

/// What is said with the name of the rows in the place of the pronoun.
fn questions(reading: &Reading, previous: &Previous<'_>) -> Vec<String> {
    let question = Question::new(&reading.question.text);
    let word = |at: usize| question.word(at);
    // *how many of them* is some of the rows, and *how many units of it* none.
    let part_of = |at: usize| {
        let counted =
            at > 1 && matches!(word(at - 2), "many" | "much" | "all" | "some" | "most" | "any" | "which");
        word(at - 1) == "of" && (counted || word(at) != "it")
    };
    let stands_for_rows = |at: &usize| {
        PRONOUNS.contains(&word(*at))
            && !(*at > 0 && (matches!(word(at - 1), "among" | "is") || part_of(*at)))
            && !matches!((word(at + 1), word(*at)), ("is" | "was", "it"))
    };
    let all = question.tokens.len();
    // *each of them* is each row.
    let each_of = |at: &usize| {
        matches!(word(*at), "each" | "every" | "all")
            && word(at + 1) == "of"
            && matches!(word(at + 2), "them" | "these" | "those")
    };
    // *Of those, which have five students?*, *which of them had an accident?*
    let which = match (word(0), word(1), word(2)) {
        ("which" | "who", "of", "them" | "these" | "those") if VERBS.contains(&word(3)) => Some(3),
        ("which" | "who", verb, _) if reading.of_set && VERBS.contains(&verb) => Some(1),
        _ => None,
    };
    if let Some(at) = which {
        return vec![format!("which {} {}", previous.noun(), question.span_text(at, all))];
    }
    let (start, end) = match ((0..all).find(each_of), (0..all).find(stands_for_rows)) {
        (Some(at), _) => (at, at + 3),
        (None, Some(at)) => (at, at + 1),
        (None, None) => {
            // *which one of these festivals* is some of the rows.
            let is_part =
                |at: &usize| *at > 1 && word(at - 1) == "of" && matches!(word(at - 2), "one" | "which");
            let Some(at) = named(reading, previous).filter(|at| !is_part(at)) else {
                return there(&question, previous).into_iter().collect();
            };
            let (before, after) = (question.span_text(0, at), question.span_text(at + 1, all));
            return vec![format!("{before} the {after}").trim().to_owned()];
        }
    };
    let (before, after) = (question.span_text(0, start), question.span_text(end, all));
    let noun = previous.noun();
    let said = |which: &str| format!("{before} {which} {noun} {after}").trim().to_owned();
    if reading.starts(OF_EACH) { vec![said("each"), said("the")] } else { vec![said("the")] }
}

/// *who lives there?* as *who lives at the addresses?*
fn there(question: &Question, previous: &Previous<'_>) -> Option<String> {
    let last = (0..question.tokens.len()).rev().find(|at| !question.word(*at).is_empty())?;
    let is_place = question.word(last) == "there"
        && last > 1
        && !matches!(question.word(last - 1), "is" | "are" | "was" | "were");
    if is_place && question.word(0) == "who" && question.word(1).starts_with("work") {
        // *who works there?* asks for the staff.
        let (knowledge, (_, rows)) = (previous.knowledge, previous.entity());
        let staff = knowledge.joins().below(rows).find(|table| has_people(knowledge, *table))?;
        let staff = names::pieces(&knowledge.table(staff).name).join(" ");
        return Some(format!("{staff} in the {}", previous.noun()));
    }
    is_place.then(|| format!("{} in the {}", question.span_text(0, last), previous.noun()))
}

/// The rows that were shown, each one of a table.
struct Rows<'a> {
    previous: &'a Previous<'a>,
    /// The name of the table in the plan that showed them, and its key.
    key: ColumnRef,
    /// True where they were asked about, and not shown by their names.
    hidden: bool,
}

impl<'a> Rows<'a> {
    /// The rows that were shown; those that were asked about too, where they are pointed at by their name.
    fn of(previous: &'a Previous<'a>, by_name: bool) -> Option<Self> {
        let plan = previous.plan;
        let of_table = |table: &TableUse| plan.with.iter().all(|named| named.name != table.table);
        let is_plain = plan.set_operations.is_empty()
            && matches!(&plan.select.from, Source::Table(table) if of_table(table));
        let key = previous.key().filter(|_| is_plain)?;
        let names_row = |expr: &Expr| match expr {
            Expr::Column(column) if column.table == key.table => {
                *column == key || previous.id_of(column).is_some_and(|id| previous.is_name(id))
            }
            Expr::All(table) => table.as_ref().is_none_or(|table| *table == key.table),
            _ => false,
        };
        let select = &plan.select;
        let shown =
            || select.projection.is_empty() || select.projection.iter().any(|one| names_row(&one.expr));
        let is_row = match select.group_by.as_slice() {
            [] => shown() && !select.projection.iter().any(|one| one.expr.is_aggregate()),
            keys => keys.iter().any(names_row),
        };
        let is_meant = by_name && select.group_by.is_empty();
        (is_row || is_meant).then_some(Self { previous, key, hidden: !is_row })
    }

    /// Makes a plan one of these rows alone, with their names; false where it does not speak of their table.
    fn restrict(&self, plan: &mut QueryPlan) -> bool {
        let table = self.previous.knowledge.table(self.previous.entity().1).name.clone();
        let Some(select) = selects(plan).into_iter().find(|select| uses(select, &table).is_some()) else {
            return false;
        };
        let Some(name) = uses(select, &table) else { return false };
        let condition = self.among(&name);
        select.filter = match (select.filter.take(), condition) {
            (Some(filter), Some(condition)) if filter != condition => Some(filter.and(condition)),
            (filter, condition) => filter.or(condition),
        };
        self.name_rows(plan, &table);
        true
    }

    /// What was shown with a summary of each row beside it, which a plan makes of all rows of the table; none where it makes something
    /// else.
    fn beside(&self, plan: &QueryPlan) -> Option<QueryPlan> {
        const KEY: &str = "one";
        const VALUE: &str = "value";
        let select = &plan.select;
        let is_plain = plan.with.is_empty()
            && plan.set_operations.is_empty()
            && plan.limit.is_none()
            && select.having.is_none()
            && matches!(select.from, Source::Table(_));
        let table = &self.previous.knowledge.table(self.previous.entity().1).name;
        let name = uses(select, table).filter(|_| is_plain)?;
        let of_rows = |expr: &Expr| matches!(expr, Expr::Column(column) if column.table == name);
        let is_of_each = !select.group_by.is_empty() && select.group_by.iter().all(of_rows);
        let mut summaries = select.projection.iter().map(|one| &one.expr).filter(|expr| expr.is_aggregate());
        let (summary, None) = (summaries.next()?, summaries.next()) else { return None };
        let shown = &self.previous.plan.select.projection;
        if self.hidden
            || !is_of_each
            || shown.is_empty()
            || shown.iter().any(|one| matches!(one.expr, Expr::All(_)))
        {
            return None;
        }
        let key = Expr::column(&name, &self.key.column);
        let called = |expr: Expr, name: &str| Projection { expr, alias: Some(name.to_owned()) };
        let of_each = Select {
            distinct: false,
            projection: vec![called(key.clone(), KEY), called(summary.clone(), VALUE)],
            group_by: vec![key],
            ..select.clone()
        };
        let mut made = self.previous.plan.clone();
        let of_each_name = match made.with.len() {
            0 => OF_EACH_ROW.to_owned(),
            before => format!("{OF_EACH_ROW}_{}", before + 1),
        };
        let value = Expr::column(&of_each_name, VALUE);
        let counts = matches!(summary, Expr::Aggregate { function: Aggregate::Count, .. });
        let shown = if counts {
            Expr::function(Function::Coalesce, vec![value.clone(), Expr::literal(0)])
        } else {
            value.clone()
        };
        made.with.push(NamedQuery::new(&of_each_name, of_each));
        made.select.projection.push(Projection { expr: shown, alias: select.heading(summary) });
        let on = vec![(self.key.clone(), ColumnRef::new(&of_each_name, KEY))];
        made.select.joins.push(Join::new(JoinKind::Left, TableUse::new(&of_each_name), on));
        if !made.select.group_by.is_empty() {
            made.select.group_by.push(value);
        }
        Some(made)
    }

    /// True for a list of all rows of the table by their names, which says nothing of them.
    fn only_lists_them(&self, plan: &QueryPlan) -> bool {
        let (select, knowledge) = (&plan.select, self.previous.knowledge);
        let says_nothing = |expr: &Expr| match expr {
            Expr::Column(column) => knowledge
                .column_in(plan, column)
                .is_some_and(|id| knowledge.column(id).is_key || self.previous.is_name(id)),
            other => matches!(other, Expr::All(_)),
        };
        plan.with.is_empty()
            && plan.limit.is_none()
            && select.joins.is_empty()
            && select.filter.is_none()
            && select.having.is_none()
            && select.projection.iter().all(|one| says_nothing(&one.expr))
    }

    /// True of the rows of a table, under a name, that were shown; none where all of them were.
    fn among(&self, name: &str) -> Option<Condition> {
        let plan = self.previous.plan;
        let select = &plan.select;
        let is_cut = plan.limit.is_some() || plan.offset.is_some();
        let is_alone = select.joins.is_empty() && select.group_by.is_empty() && !is_cut;
        if is_alone && self.key.table == name {
            return select.filter.clone();
        }
        let keys = QueryPlan {
            select: Select {
                distinct: false,
                projection: vec![Projection::from(Expr::Column(self.key.clone()))],
                ..select.clone()
            },
            order_by: if is_cut { plan.order_by.clone() } else { Vec::new() },
            ..plan.clone()
        };
        let expr = Expr::column(name, &self.key.column);
        let query = Box::new(if is_cut { cut_apart(keys, &self.key.column) } else { keys });
        Some(Condition::InQuery { expr, query, negated: false })
    }

    /// What a list shows of rows says nothing without their names.
    fn name_rows(&self, plan: &mut QueryPlan, table: &str) {
        let select = &mut plan.select;
        let Some(name) = uses(select, table) else { return };
        let of_rows = |expr: &Expr| matches!(expr, Expr::Column(column) if column.table == name);
        let is_list = select.group_by.is_empty()
            && !select.projection.is_empty()
            && select.projection.iter().all(|one| of_rows(&one.expr));
        if !is_list {
            return;
        }
        let shown = self.previous.plan.select.projection.iter().filter_map(|one| match &one.expr {
            Expr::Column(column) if column.table == self.key.table => Some(&column.column),
            _ => None,
        });
        let names = shown.map(|column| Projection::from(Expr::column(&name, column)));
        let known = std::mem::take(&mut select.projection);
        select.projection = names.collect();
        for one in known {
            if !select.projection.iter().any(|other| other.expr == one.expr) {
                select.projection.push(one);
            }
        }
        select.distinct = false;
    }
}

/// What stands beside the rows of a plan: a named query, how it is joined, and what is shown of it.
pub(super) struct Beside {
    named: NamedQuery,
    join: Join,
    shown: Vec<Projection>,
    groups: Vec<Expr>,
}

/// A plan without what was put beside its rows, and that; none where nothing was, or where rows are sorted by it.
pub(super) fn without_beside(plan: &QueryPlan) -> Option<(QueryPlan, Vec<Beside>)> {
    if plan.with.is_empty() {
        return None;
    }
    let mut bare = plan.clone();
    let mut all = Vec::new();
    for named in std::mem::take(&mut bare.with) {
        let is_of = |expr: &Expr| expr.columns().iter().any(|column| column.table == named.name);
        let at = bare.select.joins.iter().position(|join| join.table.table == named.name)?;
        if !named.name.starts_with(OF_EACH_ROW) || bare.order_by.iter().any(|order| is_of(&order.expr)) {
            return None;
        }
        let join = bare.select.joins.remove(at);
        let shown: (Vec<_>, Vec<_>) = bare.select.projection.into_iter().partition(|one| is_of(&one.expr));
        let groups: (Vec<_>, Vec<_>) = bare.select.group_by.into_iter().partition(is_of);
        (bare.select.projection, bare.select.group_by) = (shown.1, groups.1);
        all.push(Beside { named, join, shown: shown.0, groups: groups.0 });
    }
    Some((bare, all))
}

/// Puts what stood beside the rows back, where a plan still shows these rows.
pub(super) fn put_beside(plan: &mut QueryPlan, all: &[Beside]) {
    for Beside { named, join, shown, groups } in all {
        let select = &plan.select;
        let table = join.on.first().map_or("", |(key, _)| key.table.as_str());
        let of_rows = |expr: &Expr| expr.columns().iter().any(|column| column.table == table);
        let is_read =
            matches!(select.from, Source::Table(_)) && select.tables().any(|one| one.name() == table);
        let is_of_rows = match select.group_by.as_slice() {
            [] => !select.projection.iter().any(|one| one.expr.is_aggregate()),
            keys => keys.iter().any(of_rows),
        };
        let is_list = select.projection.iter().any(|one| of_rows(&one.expr));
        if !is_read || !is_of_rows || !is_list || !plan.set_operations.is_empty() {
            return;
        }
        plan.with.push(named.clone());
        plan.select.joins.push(join.clone());
        plan.select.projection.extend(shown.iter().cloned());
        if !plan.select.group_by.is_empty() {
            plan.select.group_by.extend(groups.iter().cloned());
        }
    }
}

/// The keys of the first few rows: not every database takes `LIMIT` in a query that a condition reads.
fn cut_apart(keys: QueryPlan, key: &str) -> QueryPlan {
    const SHOWN: &str = "shown";
    QueryPlan {
        select: Select {
            projection: vec![Projection::from(Expr::column(SHOWN, key))],
            from: Source::Query { query: Box::new(keys), alias: SHOWN.to_owned() },
            ..Select::default()
        },
        ..QueryPlan::default()
    }
}

/// The selections that read tables: those of named queries, and the plan's own.
fn selects(plan: &mut QueryPlan) -> Vec<&mut Select> {
    let named = plan.with.iter_mut().map(|named| &mut named.query.select);
    named.chain([&mut plan.select]).collect()
}

/// The name under which a selection reads a table, where it does so once.
fn uses(select: &Select, table: &str) -> Option<String> {
    let mut used = select.tables().filter(|one| one.table == table);
    let name = used.next()?.name().to_owned();
    used.next().is_none().then_some(name)
}
