//! What bears on a question besides its words: the day, what the person settled, and what lessons tell.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::Ask;
use super::rules::{Defined, FixedJoin, Hint, Options, RankedReadings, understand};
use crate::ambiguity::{Correction, Meaning};
use crate::lesson::{Lesson, Teaching};
use crate::plan::{ColumnRef, JoinCondition, QueryPlan};
use crate::sql::Definition;

/// Reads a question. Where no key of the schema joins two tables as the person says, they are joined so all the same.
pub(super) fn read(ask: Ask<'_>) -> RankedReadings {
    let options = &options(ask);
    let words = ask.knowledge.words();
    let understanding = understand(ask.question, words, options);
    if options.fixed_joins.is_empty() || !understanding.candidates.is_empty() {
        return understanding;
    }
    let mut freely = understand(ask.question, words, &Options { fixed_joins: Vec::new(), ..options.clone() });
    for candidate in &mut freely.candidates {
        options.fixed_joins.iter().for_each(|join| rejoin(&mut candidate.plan, join));
    }
    freely
}

/// Joins the tables of `fixed` by its columns wherever a plan joins them.
fn rejoin(plan: &mut QueryPlan, fixed: &FixedJoin) {
    let [left, right] = [&fixed.left, &fixed.right].map(|(table, column)| ColumnRef::new(table, column));
    let fixed = JoinCondition { left, right };
    let combined = plan.set_operations.iter_mut().map(|operation| &mut operation.select);
    for join in std::iter::once(&mut plan.select).chain(combined).flat_map(|select| &mut select.joins) {
        if join.on.first().is_some_and(|(one, other)| fixed.is_between(&one.table, &other.table)) {
            join.on = vec![(fixed.left.clone(), fixed.right.clone())];
        }
    }
}

/// What bears on the question besides its words: the day, and what the person settled.
pub(super) fn options(ask: Ask<'_>) -> Options {
    let mut options = Options { today: today(ask), ..Options::default() };
    for correction in &ask.state.corrections {
        match correction {
            Correction::TableSelection { selected_table, rejected_tables } => {
                options.mandatory_tables.push(selected_table.clone());
                options.forbidden_tables.extend(rejected_tables.iter().cloned());
            }
            Correction::JoinClarification { left, right } => options.fixed_joins.push(FixedJoin {
                left: (left.table.clone(), left.column.clone()),
                right: (right.table.clone(), right.column.clone()),
            }),
            Correction::ColumnSelection { term, selected } => {
                options.hints.push(hint(term, selected, None));
            }
            // A value that there is stays what it is: only this one query is to have another.
            Correction::ValueSelection { column, rejected, .. }
                if ask.knowledge.is_value(column, rejected) => {}
            Correction::ValueSelection { column, selected, rejected } => {
                options.hints.push(hint(rejected, column, Some(selected)));
            }
            Correction::Reading { means: Some(Meaning { term, column, value }), .. } => {
                options.hints.push(hint(term, column, value.as_ref()));
            }
            Correction::Reading { means: None, .. } | Correction::Statement { .. } => {}
        }
    }
    for lesson in ask.lessons {
        remember(&mut options, lesson);
        options.definitions.extend(defined(lesson, ask));
    }
    options
}

/// What a lesson says, as evidence for linking. What the person settled in this conversation stands above it.
fn remember(options: &mut Options, lesson: &Lesson) {
    match &lesson.teaching {
        Teaching::TableMapping { schema_name, actual_name, instead_of, .. } => {
            let chosen = options.mandatory_tables.clone();
            let others = instead_of.iter().chain([schema_name]);
            let others: Vec<String> =
                others.filter(|other| !other.eq_ignore_ascii_case(actual_name)).cloned().collect();
            if others.iter().any(|other| chosen.iter().any(|chosen| chosen.eq_ignore_ascii_case(other))) {
                return;
            }
            options.hints.push(Hint {
                words: schema_name.replace('_', " "),
                table: actual_name.clone(),
                column: None,
                value: None,
            });
            options.forbidden_tables.extend(others);
        }
        Teaching::ColumnMapping { term, column, value } => {
            options.hints.push(hint(term, column, value.as_ref()));
        }
        // A name that was wrong once is how people call the column that was right.
        Teaching::ErrorPattern { wrong: Some(wrong), right: Some(right), .. } => {
            options.hints.push(hint(wrong, right, None));
        }
        Teaching::QueryPattern { join: Some(join), .. } => {
            let JoinCondition { left, right } = join;
            let sides = [left, right].map(|side| side.table.to_ascii_lowercase());
            let settled = options.fixed_joins.iter().any(|fixed| {
                [&fixed.left, &fixed.right].iter().all(|side| sides.contains(&side.0.to_ascii_lowercase()))
            });
            if !settled {
                options.fixed_joins.push(FixedJoin {
                    left: (left.table.clone(), left.column.clone()),
                    right: (right.table.clone(), right.column.clone()),
                });
            }
        }
        Teaching::ErrorPattern { .. }
        | Teaching::QueryPattern { .. }
        | Teaching::Reference { .. }
        | Teaching::Definition { .. }
        | Teaching::Key { .. } => {}
    }
}

/// What a lesson defines, where it fits the database as it is.
fn defined(lesson: &Lesson, ask: Ask<'_>) -> Option<Defined> {
    let Teaching::Definition { name, expression } = &lesson.teaching else { return None };
    let meaning = Definition::read(expression, ask.knowledge.schema(), ask.dialect).ok()?;
    Some(Defined { name: name.clone(), meaning })
}

/// Words that mean a column, or a value in it.
fn hint(words: &str, column: &ColumnRef, value: Option<&String>) -> Hint {
    Hint {
        words: words.replace('_', " "),
        table: column.table.clone(),
        column: Some(column.column.clone()),
        value: value.cloned(),
    }
}

/// The day on which the question is asked, where the person is.
pub(super) fn today(ask: Ask<'_>) -> Date {
    ask.now.to_zoned(TimeZone::system()).date()
}
