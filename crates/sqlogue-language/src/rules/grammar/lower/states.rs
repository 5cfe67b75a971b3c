//! States that dates tell of: what is going on today, who is alive, what was last done long ago.

use jiff::civil::Date;

use super::Lowering;
use super::grain::Grain;
use super::related::Ends;
use crate::rules::grammar::columns::{end_date, is_date, named, span};
use crate::rules::grammar::form::{Pred, State};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::stem::{root, stem};
use sqlogue_sql::plan::Condition;

impl Lowering<'_> {
    /// Rows in a state, those of the entity or of what refers to it.
    pub(super) fn state(&self, state: &State, grain: &Grain, pred: &Pred) -> Option<Condition> {
        match self.ends(grain, pred) {
            Ends::Here(table) => self.state_in(table, state),
            // *staff who work here* are not those with something going on today.
            Ends::Below(_) if matches!(state, State::OnNow(_)) => None,
            Ends::Below(condition) => condition,
        }
    }

    /// Something has happened, as a date tells, or has not. What runs out has its day from the beginning: it has run out once
    /// that day is gone.
    pub(super) fn happened(&self, date: ColumnId, holds: bool) -> Option<Condition> {
        const RUNS_OUT: [&str; 4] = ["expire", "expiry", "expiration", "lapse"];
        let own = self.knowledge.column(date).forms.iter().flatten();
        let runs_out = own.into_iter().any(|own| RUNS_OUT.iter().any(|word| root(own) == root(word)));
        match (runs_out, holds) {
            (false, _) => Some(Condition::IsNull { expr: self.expr(date), negated: holds }),
            (true, true) => Condition::period(self.date_expr(date), None, Some(self.today)),
            (true, false) => {
                let ahead = Condition::period(self.date_expr(date), Some(self.today), None)?;
                let unknown = Condition::IsNull { expr: self.expr(date), negated: false };
                Some(match self.knowledge.column(date).nullable {
                    true => Condition::Or(vec![unknown, ahead]),
                    false => ahead,
                })
            }
        }
    }

    /// True where *in force today* was taken for what is in force and came to be today.
    pub(super) fn began_today(&self) -> bool {
        let preds = &self.query.preds;
        let lasts = |pred: &Pred| {
            matches!(pred, Pred::Open { end: None, late_on: None } | Pred::State(State::OnNow(_)))
        };
        let today = |pred: &Pred| matches!(pred, Pred::In(None, window) if window.from == Some(self.today) && window.last() == Some(self.today));
        preds.iter().any(lasts) && preds.iter().any(today)
    }

    fn state_in(&self, table: TableId, state: &State) -> Option<Condition> {
        let date = told_by(self.knowledge, table, state)?;
        match state {
            State::OnNow(today) => self.on_now(table, *today),
            State::Alive(alive) => Some(Condition::IsNull { expr: self.expr(date), negated: !*alive }),
            State::NeverDone(_) | State::Awaits(_) => {
                Some(Condition::IsNull { expr: self.expr(date), negated: false })
            }
            State::NotSince(_, window) => Condition::period(self.date_expr(date), None, Some(window.from?)),
            State::EndsIn(window) => Condition::period(self.date_expr(date), window.from, window.until),
        }
    }

    /// It has begun, and the day of its end has not gone by; what has no end goes on.
    fn on_now(&self, table: TableId, today: Date) -> Option<Condition> {
        let (start, end) = span(self.knowledge, table)?;
        let begun = Condition::period(self.date_expr(start), None, Some(today.tomorrow().ok()?))?;
        let lasts = Condition::period(self.date_expr(end), Some(today), None)?;
        let lasts = match self.knowledge.column(end).nullable {
            true => {
                // Where the end is told once it has come, *running* mostly means that it is not told yet.
                self.supply("ends_after_today", 0.2);
                Condition::Or(vec![Condition::IsNull { expr: self.expr(end), negated: false }, lasts])
            }
            false => lasts,
        };
        Some(begun.and(lasts))
    }
}

/// The date of a table that tells of a state; none where it has none.
pub fn told_by(knowledge: &Knowledge, table: TableId, state: &State) -> Option<ColumnId> {
    match state {
        State::OnNow(_) | State::EndsIn(_) => span(knowledge, table).map(|(_, end)| end),
        State::Alive(_) => death(knowledge, table),
        State::NeverDone(verb) | State::NotSince(verb, _) => last_time(knowledge, table, verb),
        State::Awaits(verb) => end_date(knowledge, table, Some(verb)),
    }
}

/// The date or year of a death.
fn death(knowledge: &Knowledge, table: TableId) -> Option<ColumnId> {
    const DEATH: [&str; 4] = ["death", "died", "deceased", "dead"];
    let columns = &knowledge.table(table).columns;
    columns.iter().copied().find(|id| named(knowledge, *id, &DEATH) && !knowledge.column(*id).is_key)
}

/// The date of the last time something was done, by the words of the verb: *logged in* for `last_login`.
fn last_time(knowledge: &Knowledge, table: TableId, verb: &[String]) -> Option<ColumnId> {
    let last = ["last", "latest", "recent"].map(stem);
    // *logged in*, *signed up*: the verb without its ending, and the particle.
    let bare = verb.first().map(|verb| verb.strip_suffix("ged").map_or_else(|| root(verb), str::to_owned));
    let joined: String = bare.into_iter().chain(verb.iter().skip(1).cloned()).collect();
    let columns = knowledge.table(table).columns.iter().copied();
    columns.filter(|id| is_date(knowledge, *id)).find(|id| {
        knowledge.column(*id).forms.iter().any(|form| {
            // *login* may be one word or two.
            let rest: String = form.iter().filter(|word| !last.contains(word)).cloned().collect();
            let same = |word: &String| verb.first().is_some_and(|verb| root(verb) == root(word));
            let bears = rest.starts_with(&joined) || form.iter().any(same);
            form.iter().any(|word| last.contains(word)) && bears
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::grammar::columns::line_total;
    use crate::rules::grammar::form::Waiting;
    use crate::rules::grammar::time::Window;
    use crate::rules::grammar::waiting::waits;
    use sqlogue_sql::schema::ColumnType::{Date, Integer, Real};
    use sqlogue_sql::schema::{Column, ColumnType, Schema, Table};

    fn knowledge(columns: &[(&str, ColumnType)]) -> Knowledge {
        let column = |(name, column_type): &(&str, ColumnType)| Column {
            name: (*name).into(),
            column_type: *column_type,
            ..Column::default()
        };
        let columns = columns.iter().map(column).collect();
        let table = Table { name: "things".into(), columns, ..Table::default() };
        Knowledge::from_schema(&Schema { tables: vec![table] })
    }

    fn name(knowledge: &Knowledge, id: Option<ColumnId>) -> Option<String> {
        id.map(|id| knowledge.column(id).name.clone())
    }

    #[test]
    fn states_are_told_by_dates() {
        let known = knowledge(&[("signup_date", Date), ("last_login", Date), ("death_year", Integer)]);
        let told = |state: &State| name(&known, told_by(&known, TableId(0), state));
        let words = |verb: &[&str]| verb.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(told(&State::Alive(true)).as_deref(), Some("death_year"));
        assert_eq!(told(&State::NeverDone(words(&["logged", "in"]))).as_deref(), Some("last_login"));
        assert_eq!(told(&State::NeverDone(words(&["bought"]))), None);
        assert_eq!(told(&State::EndsIn(Window::default())), None);
    }

    #[test]
    fn what_was_booked_or_is_due_waits() {
        let known =
            knowledge(&[("made_on", Date), ("starts_on", Date), ("due_on", Date), ("repaired_on", Date)]);
        let waited = |how: &Waiting| {
            waits(&known, TableId(0), how)
                .map(|(from, to)| (name(&known, Some(from)), name(&known, Some(to))))
        };
        let dates = |from: &str, to: &str| Some((Some(from.to_owned()), Some(to.to_owned())));
        assert_eq!(waited(&Waiting::Ahead), dates("made_on", "starts_on"));
        assert_eq!(waited(&Waiting::Until("fixed".to_owned())), dates("starts_on", "repaired_on"));
    }

    #[test]
    fn lines_hold_what_they_came_to() {
        let line = [("unit_price", Real), ("quantity", Integer), ("discount_amount", Real)];
        let known = knowledge(&line);
        assert_eq!(line_total(&known, TableId(0)), None);
        let known = knowledge(&[line.as_slice(), &[("line_total", Real)]].concat());
        assert_eq!(name(&known, line_total(&known, TableId(0))).as_deref(), Some("line_total"));
    }
}
