//! States that dates tell of: what is going on today, who is alive, what was last done long ago.

use jiff::civil::Date;

use super::Lowering;
use super::grain::Grain;
use super::related::Ends;
use crate::rules::grammar::columns::{end_date, is_date, named, span};
use crate::rules::grammar::form::{Pred, State};
use crate::rules::knowledge::{ColumnId, TableId};
use crate::rules::stem::{root, stem};
use sqlogue_sql::plan::Condition;

impl Lowering<'_> {
    /// Rows in a state, those of the entity or of what refers to it.
    pub(super) fn state(&self, state: &State, grain: &Grain, pred: &Pred) -> Option<Condition> {
        match self.ends(grain, pred) {
            Ends::Here(table) => self.state_in(table, state),
            Ends::Below(condition) => condition,
        }
    }

    /// True for a table whose dates tell of the state.
    pub(super) fn tells_state(&self, table: TableId, state: &State) -> bool {
        self.state_in(table, state).is_some()
    }

    fn state_in(&self, table: TableId, state: &State) -> Option<Condition> {
        match state {
            State::OnNow(today) => self.on_now(table, *today),
            State::Alive(alive) => {
                let death = self.death(table)?;
                Some(Condition::IsNull { expr: self.expr(death), negated: !*alive })
            }
            State::NeverDone(verb) => {
                let last = self.last_time(table, verb)?;
                Some(Condition::IsNull { expr: self.expr(last), negated: false })
            }
            State::NotSince(verb, window) => {
                let last = self.last_time(table, verb)?;
                Condition::period(self.date_expr(last), None, Some(window.from?))
            }
            State::Awaits(verb) => {
                let done = end_date(self.knowledge, table, Some(verb))?;
                Some(Condition::IsNull { expr: self.expr(done), negated: false })
            }
        }
    }

    /// It has begun, and the day of its end has not gone by; what has no end goes on.
    fn on_now(&self, table: TableId, today: Date) -> Option<Condition> {
        let (start, end) = span(self.knowledge, table)?;
        let begun = Condition::period(self.date_expr(start), None, Some(today.tomorrow().ok()?))?;
        let lasts = Condition::period(self.date_expr(end), Some(today), None)?;
        let lasts = match self.knowledge.column(end).nullable {
            true => Condition::Or(vec![Condition::IsNull { expr: self.expr(end), negated: false }, lasts]),
            false => lasts,
        };
        Some(begun.and(lasts))
    }

    /// The date or year of a death.
    fn death(&self, table: TableId) -> Option<ColumnId> {
        const DEATH: [&str; 4] = ["death", "died", "deceased", "dead"];
        let columns = self.knowledge.table(table).columns.iter().copied();
        columns.into_iter().find(|id| named(self.knowledge, *id, &DEATH) && !self.knowledge.column(*id).is_key)
    }

    /// The date of the last time something was done, by the words of the verb: *logged in* for `last_login`.
    fn last_time(&self, table: TableId, verb: &[String]) -> Option<ColumnId> {
        let last = ["last", "latest", "recent"].map(stem);
        // *logged in*, *signed up*: the verb without its ending, and the particle.
        let bare = verb.first().map(|verb| verb.strip_suffix("ged").map_or_else(|| root(verb), str::to_owned));
        let joined: String = bare.into_iter().chain(verb.iter().skip(1).cloned()).collect();
        let columns = self.knowledge.table(table).columns.iter().copied();
        columns.filter(|id| is_date(self.knowledge, *id)).find(|id| {
            self.knowledge.column(*id).forms.iter().any(|form| {
                // *login* may be one word or two.
                let rest: String = form.iter().filter(|word| !last.contains(word)).cloned().collect();
                let same = |word: &String| verb.first().is_some_and(|verb| root(verb) == root(word));
                let bears = rest.starts_with(&joined) || form.iter().any(same);
                form.iter().any(|word| last.contains(word)) && bears
            })
        })
    }
}
