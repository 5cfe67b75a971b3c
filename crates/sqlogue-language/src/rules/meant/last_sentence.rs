//! What a last sentence asks for: *Which customers never ordered? Return their emails*. It says what is shown, and the sentence before
//! it of which rows.

use crate::rules::grammar::WordLists;
use crate::rules::knowledge::{ColumnId, Knowledge};
use crate::rules::link::{Link, Target};
use crate::rules::text::Question;
use sqlogue_sql::plan::{ColumnRef, Expr, Projection, QueryPlan};
use std::ops::Range;

/// How well words fit a column that they name.
const NAMED: f32 = 0.8;

/// Shows nothing but what the last sentence asks for, where it names columns of what is shown.
pub(super) fn shows_no_more(plan: &mut QueryPlan, asked: &Question, links: &[Link], knowledge: &Knowledge) {
    let Some(sentence) = last_sentence(asked) else { return };
    if !plan.with.is_empty() || !plan.set_operations.is_empty() {
        return;
    }
    let counts = (0..asked.tokens.len()).any(|at| WordLists::embedded().has("numbers", asked.word(at)));
    let is_said = |shown: &Projection| match &shown.expr {
        Expr::Column(column) => {
            knowledge.column_in(plan, column).is_none_or(|id| names(asked, &sentence, links, id, knowledge))
        }
        Expr::All(_) => true,
        _ => counts,
    };
    let is_column = |shown: &&Projection| matches!(shown.expr, Expr::Column(_));
    let (said, unsaid): (Vec<Projection>, Vec<Projection>) =
        plan.select.projection.iter().cloned().partition(is_said);
    if unsaid.is_empty() || !said.iter().any(|shown| is_column(&shown)) {
        return;
    }
    // Rows are grouped by a key as by the key and what goes with it.
    let is_key =
        |column: &ColumnRef| knowledge.column_in(plan, column).is_some_and(|id| knowledge.column(id).is_key);
    let column = |expr: &Expr| match expr {
        Expr::Column(column) => Some(column.clone()),
        _ => None,
    };
    let keys: Vec<ColumnRef> = plan.select.group_by.iter().filter_map(column).filter(is_key).collect();
    let goes_with_key =
        |expr: &Expr| column(expr).is_some_and(|own| keys.iter().any(|key| key.table == own.table));
    let is_unsaid = |expr: &Expr| unsaid.iter().any(|shown| shown.expr == *expr);
    if plan.select.group_by.iter().any(|expr| is_unsaid(expr) && !goes_with_key(expr)) {
        return;
    }
    let stays = |expr: &Expr| !is_unsaid(expr) || column(expr).is_some_and(|column| keys.contains(&column));
    plan.select.group_by.retain(stays);
    plan.select.projection = said;
}

/// The words of a last sentence that says what to show, behind its verb.
pub(super) fn last_sentence(asked: &Question) -> Option<Range<usize>> {
    let lists = WordLists::embedded();
    let words = asked.tokens.len();
    let begins =
        |at: &usize| matches!(asked.word(*at), "." | "?" | "!") && lists.has("asks_for", asked.word(at + 1));
    let start = (2..words.saturating_sub(2)).rfind(begins)? + 2;
    // *Also give their emails* adds to what is shown.
    let adds = (start - 1..words).any(|at| lists.has("adds_to_shown", asked.word(at)));
    (!adds).then_some(start..words)
}

/// True where a sentence names a column, says the last word of its name, or names the things that it is the name of.
fn names(
    asked: &Question,
    sentence: &Range<usize>,
    links: &[Link],
    id: ColumnId,
    knowledge: &Knowledge,
) -> bool {
    let entry = knowledge.column(id);
    let is_within = |link: &&Link| link.score >= NAMED && link.start >= sentence.start;
    let goes_on = |link: &Link| {
        let is_longer = |other: &Link| other.start <= link.start && other.end > link.end;
        links
            .iter()
            .filter(is_within)
            .any(|other| matches!(other.target, Target::Column(_)) && is_longer(other))
    };
    let is_named = |link: &Link| match link.target {
        Target::Column(column) => column == id,
        // *the customer*, but not *the customer number*.
        Target::Table(table) => {
            table == entry.table && knowledge.table(table).label.contains(&id) && !goes_on(link)
        }
        _ => false,
    };
    let says =
        |word: &str| sentence.clone().any(|at| asked.tokens.get(at).is_some_and(|token| token.stem == word));
    // *The date* is whatever date there is.
    let says_date = || ["date", "day", "time", "when"].into_iter().any(says);
    let mut heads = entry.forms.iter().filter_map(|form| form.last());
    entry.kind.is_date() && says_date()
        || links.iter().filter(is_within).any(is_named)
        || heads.any(|head| says(head))
}
