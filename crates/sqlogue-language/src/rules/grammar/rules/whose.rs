//! Somebody who is asked for by what belongs to them: *whose books are overdue*, *who looks after Ann Smith*, *who does she report
//! to*.

use std::rc::Rc;

use super::lookups::named;
use super::takes::all;
use crate::rules::grammar::chart::{Part, Rule};
use crate::rules::grammar::form::{Group, Noun, Pred, Unsaid, Words};
use crate::rules::stem::root;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "whose_rows_are",
        pattern: "whose NOUN WHERE WHERE?",
        make: |found| {
            let rows = found.noun(0)?;
            // *customers whose email is missing* are named before, and a column is no rows.
            let asks = found.words.start == 0 && rows.table_score() > rows.column_score();
            let preds = (0..2).map_while(|at| found.pred(at)).collect();
            let theirs = Pred::Related(Group { of: rows.as_table()?, preds }, true);
            asks.then(|| all(vec![Part::Names, Part::Where(theirs)]))?
        },
    },
    Rule {
        name: "who_looks_after",
        pattern: "who|whom is|was? looks_after|looking_after|takes_care_of|taking_care_of|cares_for|in_charge_of|responsible_for|deals_with|dealing_with|works_with|assigned_to|attends_to|sees_to VALUE VALUE?",
        make: |found| {
            let before = found.value(0)?.words.start;
            let verb = (found.words.start + 1..before)
                .map(|at| found.lattice.question.word(at))
                .find(|word| !matches!(*word, "is" | "was" | "in"))?;
            let doer = Unsaid::Doer(Rc::from(root(verb)));
            let doer = Noun::unsaid(Words::new(found.words.start, before), doer);
            let mut parts = vec![Part::Shown(doer)];
            parts.extend(named(found, 0)?);
            all(parts)
        },
    },
    Rule {
        name: "whom_somebody_reports_to",
        pattern: "who|whom|to_whom|to_who do|does|did|must VALUE VALUE? directly? report|answer|work directly? to|for|under?",
        make: |found| {
            let superior =
                Noun::unsaid(Words::new(found.words.start, found.words.start + 1), Unsaid::Superior);
            let mut parts = vec![Part::Shown(superior)];
            parts.extend(named(found, 0)?);
            all(parts)
        },
    },
    Rule {
        name: "below_somebody",
        pattern: "subsidiaries|subsidiary|daughters|daughter_companies|children|subordinates|direct_reports|underlings|branches|parts|units of|under|below VALUE",
        make: |found| {
            let under = Part::Where(Pred::Under(found.value(0)?, None));
            all(vec![Part::Names, under])
        },
    },
];
