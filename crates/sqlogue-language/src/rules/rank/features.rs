//! What speaks for and against a candidate, as named numbers.

use crate::rules::compose::Draft;
use crate::rules::cue::Cue;
use crate::rules::knowledge::Knowledge;
use crate::rules::link::{Chunk, Linked};
use sqlogue_sql::plan::{Aggregate, Condition, Expr, QueryPlan, Select};

/// Named numbers; a name that is missing counts 0.
pub type Features = Vec<(String, f32)>;

/// Words that need no explanation.
const SOFT: &[&str] = &[
    "the", "a", "an", "of", "'s", "is", "are", "was", "were", "be", "been", "being", "there", "their", "its",
    "his", "her", "it", "they", "them", "these", "those", "this", "that", "in", "to", "on", "as", "at",
    "for", "by", "from", "with", "do", "does", "did", "we", "i", "you", "our", "my", "your", "all", "any",
    "some", "'", "me", "us", "also", "so", "then", "please", "total", "?", ".", ",", "and", "have", "has",
    "value", "values", "each", "s", "which", "what", "who", "that",
];

/// True for words that need no explanation.
pub(super) fn is_soft(text: &str) -> bool {
    SOFT.contains(&text)
}

/// The features of one candidate.
pub fn features(draft: &Draft, linked: &Linked, knowledge: &Knowledge) -> Features {
    let mut features = Features::new();
    let mut add = |name: &str, value: f32| {
        if value != 0.0 {
            features.push((name.to_owned(), value));
        }
    };
    add("binding_worst", draft.worst);
    add("binding_mean", draft.binding / draft.meanings.len().max(1) as f32);
    add("joins", draft.joins.edges.len() as f32);
    add("joins_inferred", draft.joins.edges.iter().filter(|edge| !edge.declared).count() as f32);
    let chunks = linked.cuts.get(draft.cut).map_or(&[][..], |(chunks, _)| chunks);
    super::naming::naming(draft, chunks, knowledge, &mut add);
    super::naming::outputs(draft, knowledge, &mut add);
    super::dates::dates(draft, knowledge, &mut add);
    super::naming::synonyms(draft, chunks, linked, knowledge, &mut add);
    shape(&draft.plan, &mut add);
    match draft.grammar {
        Some(_) => wording(linked.cuts.first().map_or(&[][..], |(chunks, _)| chunks), &draft.plan, &mut add),
        None => {
            composed(draft, chunks, linked, &mut add);
            wording(chunks, &draft.plan, &mut add);
        }
    }
    features
}

/// What a plan has and what the words beside it ask for: the features of a plan of which no draft tells how it came about.
pub(in crate::rules) fn of_plan(chunks: &[Chunk], plan: &QueryPlan) -> Features {
    let mut features = Features::new();
    let mut add = |name: &str, value: f32| {
        if value != 0.0 {
            features.push((name.to_owned(), value));
        }
    };
    shape(plan, &mut add);
    wording(chunks, plan, &mut add);
    features
}

/// What only the composer's drafts have: the readings it took, and the chunks that have no part in them.
fn composed(draft: &Draft, chunks: &[Chunk], linked: &Linked, add: &mut impl FnMut(&str, f32)) {
    let changes = draft.choices.iter().filter(|choice| choice.taken > 0).count();
    add("changes", changes as f32);
    add("binding", draft.binding);
    add("cut", draft.cut.min(1) as f32);
    add("cut_loss", draft.cut_loss);
    for choice in draft.choices.iter().filter(|choice| choice.taken > 0) {
        add(&format!("{}={}", choice.name, choice.taken), 1.0);
    }
    let opening = linked.question.word(0);
    for choice in &draft.choices {
        if matches!(
            choice.name,
            "each_once"
                | "thing_returned_as"
                | "group_returned"
                | "group_shown_as"
                | "groups_by_key"
                | "superlative_sorts"
        ) {
            add(&format!("{}={}@{opening}", choice.name, choice.taken), 1.0);
        }
    }
    add("hint_loss", draft.hint_loss);
    // A value that no cell of the column has.
    let unfound = draft.meanings.iter().filter(|meaning| {
        meaning.value.is_some()
            && !chunks.get(meaning.chunk).is_some_and(|chunk| {
                chunk.values.iter().any(|link| {
                    link.column == meaning.column_id && Some(&link.value) == meaning.value.as_ref()
                })
            })
    });
    add("values_unfound", unfound.count() as f32);
    let weak = draft.meanings.iter().filter(|meaning| meaning.score < 0.6).count();
    add("weak_meanings", weak as f32);
    unexplained(chunks, draft, add);
}

/// The chunks that a candidate does not account for, soft words left out.
pub fn ignored(chunks: &[Chunk], draft: &Draft) -> Vec<usize> {
    let accounted = |at: usize, chunk: &Chunk| {
        let bound = draft.meanings.iter().any(|meaning| meaning.chunk == at);
        bound
            || draft.used.contains(&at) && !chunk.is_schema()
            || chunk.text.is_empty()
            || SOFT.contains(&chunk.text.as_str())
    };
    chunks.iter().enumerate().filter(|(at, chunk)| !accounted(*at, chunk)).map(|(at, _)| at).collect()
}

/// The words that the candidate does not account for.
fn unexplained(chunks: &[Chunk], draft: &Draft, add: &mut impl FnMut(&str, f32)) {
    let (mut words, mut names, mut values, mut numbers, mut cues) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let content =
        chunks.iter().filter(|chunk| !chunk.text.is_empty() && !SOFT.contains(&chunk.text.as_str())).count()
            as f32;
    for chunk in ignored(chunks, draft).into_iter().filter_map(|at| chunks.get(at)) {
        if chunk.number.is_some() {
            numbers += 1.0;
        } else if chunk.values.first().is_some_and(|value| value.score > 0.8) {
            values += 1.0;
        } else if chunk.is_schema() {
            names += chunk.table_score().max(chunk.column_score()).min(1.0);
        } else if chunk.cue.is_some() {
            cues += 1.0;
        } else {
            words += 1.0;
        }
    }
    add("unexplained_words", words);
    add("unexplained_names", names);
    add("unexplained_values", values);
    add("unexplained_numbers", numbers);
    add("unexplained_cues", cues);
    add("unexplained_share", (words + names + values + numbers + cues) / f32::max(content, 1.0));
    add("content", content / 10.0);
}

/// The plan's clauses.
fn shape(plan: &QueryPlan, add: &mut impl FnMut(&str, f32)) {
    let select = &plan.select;
    let flag = |truth: bool| f32::from(u8::from(truth));
    add("outputs", select.projection.len() as f32);
    add("star", flag(select.projection.iter().any(|item| matches!(item.expr, Expr::All(_)))));
    add("grouped", flag(!select.group_by.is_empty()));
    add("having", flag(select.having.is_some()));
    add("ordered", flag(!plan.order_by.is_empty()));
    add("limited", flag(plan.limit.is_some()));
    add("distinct", flag(select.distinct));
    add("combined", flag(!plan.set_operations.is_empty()));
    let summaries = select.projection.iter().filter(|item| item.expr.is_aggregate()).count();
    add("summaries", summaries as f32);
    let mixed = summaries > 0 && summaries < select.projection.len();
    add("mixed_without_groups", flag(mixed && select.group_by.is_empty()));
    add("conditions", conditions(select) as f32);
    add("nested", flag(nested(select)));
    add(
        "joined_and_plain",
        flag(!select.joins.is_empty() && select.group_by.is_empty() && plan.order_by.is_empty()),
    );
    // Joined tables that give nothing but their rows.
    let mut said: Vec<&str> = Vec::new();
    collect_tables(select, &mut said);
    for order in &plan.order_by {
        expr_tables(&order.expr, &mut said);
    }
    let idle = select.tables().filter(|table| !said.contains(&table.name())).count();
    add("idle_tables", idle as f32);
}

fn conditions(select: &Select) -> usize {
    select.filter.iter().chain(&select.having).map(|condition| condition.parts().len()).sum()
}

/// True where a condition compares with what another query returns.
pub fn nested(select: &Select) -> bool {
    select.filter.as_ref().is_some_and(|filter| {
        filter.conjuncts().iter().any(|condition| match condition {
            Condition::InQuery { .. } | Condition::Exists { .. } => true,
            Condition::Compare { right, .. } => matches!(right, Expr::Query(_)),
            _ => false,
        })
    })
}

fn collect_tables<'a>(select: &'a Select, said: &mut Vec<&'a str>) {
    for item in &select.projection {
        expr_tables(&item.expr, said);
    }
    for expr in &select.group_by {
        expr_tables(expr, said);
    }
    for condition in select.filter.iter().chain(&select.having) {
        condition_tables(condition, said);
    }
}

fn condition_tables<'a>(condition: &'a Condition, said: &mut Vec<&'a str>) {
    match condition {
        Condition::And(all) | Condition::Or(all) => all.iter().for_each(|one| condition_tables(one, said)),
        Condition::Not(one) => condition_tables(one, said),
        Condition::Compare { left, right, .. } => {
            expr_tables(left, said);
            expr_tables(right, said);
        }
        Condition::Between { expr, .. }
        | Condition::In { expr, .. }
        | Condition::InQuery { expr, .. }
        | Condition::Like { expr, .. }
        | Condition::IsNull { expr, .. } => expr_tables(expr, said),
        Condition::Exists { .. } => {}
    }
}

fn expr_tables<'a>(expr: &'a Expr, said: &mut Vec<&'a str>) {
    match expr {
        Expr::Column(column) => said.push(&column.table),
        Expr::All(Some(table)) => said.push(table),
        other => other.parts().into_iter().for_each(|part| expr_tables(part, said)),
    }
}

/// Words that usually come with a clause, and clauses without their words.
fn wording(chunks: &[Chunk], plan: &QueryPlan, add: &mut impl FnMut(&str, f32)) {
    let has = |test: fn(Cue) -> bool| chunks.iter().any(|chunk| chunk.cues().any(test));
    let flag = |truth: bool| f32::from(u8::from(truth));
    let distinct = has(|cue| cue == Cue::Distinct);
    add(
        "distinct_word_unheeded",
        flag(distinct && !plan.select.distinct && !counts_distinct(plan) && plan.select.group_by.is_empty()),
    );
    let each = has(|cue| cue == Cue::Each);
    add("each_without_groups", flag(each && plan.select.group_by.is_empty()));
    let sup = has(|cue| matches!(cue, Cue::Superlative(..) | Cue::Most(_) | Cue::MostCommon(_)));
    let heeded = plan.limit.is_some()
        || nested(&plan.select)
        || plan.select.projection.iter().any(|item| item.expr.is_aggregate());
    add("superlative_unheeded", flag(sup && !heeded));
    let not = has(|cue| matches!(cue, Cue::Not | Cue::NotEqual));
    let limited = plan.select.filter.is_some() || plan.select.having.is_some();
    add("negation_unheeded", flag(not && !limited));
    let ordering = has(|cue| matches!(cue, Cue::OrderBy | Cue::Direction(_) | Cue::Alphabetical));
    add("order_unheeded", flag(ordering && plan.order_by.is_empty()));
    add("order_unasked", flag(!ordering && !sup && !plan.order_by.is_empty()));
    let comparison = has(|cue| matches!(cue, Cue::Compare(_) | Cue::Comparative(_) | Cue::Between));
    add("comparison_unheeded", flag(comparison && !limited));
    let counting = has(|cue| matches!(cue, Cue::HowMany));
    let counts = |function: Aggregate| counted(plan, function);
    add("count_unheeded", flag(counting && !counts(Aggregate::Count)));
    add("count_unasked", flag(!counting && !sup && !comparison && counts(Aggregate::Count)));
    for function in [Aggregate::Avg, Aggregate::Sum, Aggregate::Max, Aggregate::Min] {
        let said = chunks.iter().any(|chunk| chunk.cues().any(|cue| cue == Cue::Aggregate(function)));
        add("summary_unheeded", flag(said && !counts(function) && !nested(&plan.select)));
        add("summary_unasked", flag(!said && !sup && counts(function)));
    }
    let or = has(|cue| matches!(cue, Cue::Or | Cue::Either));
    add("or_unheeded", flag(or && !alternatives(plan)));
    add(
        "both_unheeded",
        flag(has(|cue| cue == Cue::Both) && plan.set_operations.is_empty() && !alternatives(plan)),
    );
}

/// True where a summary of that kind is returned, compared or sorted by.
fn counted(plan: &QueryPlan, function: Aggregate) -> bool {
    fn within(expr: &Expr, function: Aggregate) -> bool {
        match expr {
            Expr::Aggregate { function: own, .. } => *own == function,
            Expr::Arithmetic { left, right, .. } => within(left, function) || within(right, function),
            _ => false,
        }
    }
    let compared = plan.select.having.iter().flat_map(|having| having.conjuncts()).any(|condition| {
        matches!(condition, Condition::Compare { left, .. } if within(left, function))
            || matches!(condition, Condition::Between { expr, .. } if within(expr, function))
    });
    compared
        || plan.select.projection.iter().any(|item| within(&item.expr, function))
        || plan.order_by.iter().any(|order| within(&order.expr, function))
}

/// True where rows of one kind or another are wanted.
fn alternatives(plan: &QueryPlan) -> bool {
    let of = |condition: &Condition| {
        condition.conjuncts().iter().any(|one| matches!(one, Condition::Or(_) | Condition::In { .. }))
    };
    !plan.set_operations.is_empty() || plan.select.filter.iter().chain(&plan.select.having).any(of)
}

fn counts_distinct(plan: &QueryPlan) -> bool {
    plan.select.projection.iter().any(|item| matches!(item.expr, Expr::Aggregate { distinct: true, .. }))
}
