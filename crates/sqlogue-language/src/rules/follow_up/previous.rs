//! The previous plan, as a follow-up sees it.

use jiff::civil::Date;

use super::single;
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::meant::{cents, worst};
use crate::rules::stem::stem;
use crate::rules::text::Question;
use crate::rules::{names, sound};
use sqlogue_sql::plan::{
    ColumnRef, Condition, Expr, Join, JoinKind, PlanEdit, QueryPlan, Select, Source, TableUse,
};

/// A plan with what is known of its tables.
#[derive(Debug)]
pub(super) struct Previous<'a> {
    pub plan: &'a QueryPlan,
    pub question: &'a str,
    pub knowledge: &'a Knowledge,
    /// The plan that was run before this one.
    pub earlier: Option<&'a QueryPlan>,
    /// The day that a month without a year is counted from.
    pub today: Date,
    /// The tables in use under the names by which columns refer to them.
    pub tables: Vec<(String, TableId)>,
    /// What the rows that were shown are: the table that was asked about.
    pub entity: usize,
    /// The conditions of the plan's first selection, on rows and on groups, each window of time as one.
    conditions: Vec<Condition>,
}

/// A column with the joins that bring its table in.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub column: ColumnRef,
    pub id: ColumnId,
    pub joins: Vec<Join>,
    pub score: f32,
}

impl Found {
    pub(super) fn expr(&self) -> Expr {
        Expr::Column(self.column.clone())
    }
}

impl<'a> Previous<'a> {
    /// Makes a plan that changes this one compare money in cents as people say it, where that is newly said, put first what
    /// they call the worst, and leave out of the groups what is the same in all of them.
    pub(super) fn as_people_say(&self, plan: &mut QueryPlan, asked: &Question) {
        cents::compare_new_whole_money(plan, Some(self.plan), asked, self.knowledge);
        worst::most_of_what_is_bad(plan, asked);
        single::leave_out_key(plan, self.plan);
    }

    /// The plan that edits make of this one, with those that make it; none where they cannot be applied.
    pub(super) fn changed_by(
        &self,
        edits: Vec<PlanEdit>,
        asked: &Question,
    ) -> Option<(QueryPlan, Vec<PlanEdit>)> {
        let plan = self.plan.apply_all(&edits).ok()?;
        let mut meant = plan.clone();
        self.as_people_say(&mut meant, asked);
        let edits = if meant == plan { edits } else { vec![PlanEdit::restate(self.plan, meant.clone())] };
        Some((meant, edits))
    }

    /// None where the plan reads no table that is known.
    pub(super) fn new(plan: &'a QueryPlan, question: &'a str, knowledge: &'a Knowledge) -> Option<Self> {
        let select = base(plan);
        let tables: Vec<(String, TableId)> = select
            .tables()
            .filter_map(|table| Some((table.name().to_owned(), knowledge.table_named(&table.table)?)))
            .collect();
        let shown = select.projection.iter().map(|shown| &shown.expr).filter(|expr| !expr.is_aggregate());
        let named = shown.chain(&select.group_by).flat_map(Expr::columns).map(|column| column.table.as_str());
        let all = select.projection.iter().find_map(|shown| match &shown.expr {
            Expr::All(Some(table)) => Some(table.as_str()),
            _ => None,
        });
        let entity = all
            .or_else(|| named.into_iter().next())
            .and_then(|name| tables.iter().position(|(table, _)| table == name))
            .unwrap_or(0);
        let conditions = select.filter.iter().chain(&select.having).flat_map(Condition::parts).collect();
        let today = Date::default();
        let earlier = None;
        (!tables.is_empty()).then_some(Self {
            plan,
            question,
            knowledge,
            earlier,
            today,
            tables,
            entity,
            conditions,
        })
    }

    /// The same after another plan.
    pub(super) fn after(self, earlier: Option<&'a QueryPlan>) -> Self {
        Self { earlier, ..self }
    }

    /// True where the question before has all of these words too, so that they say nothing new: *and the longest duration?*
    /// after *what is the average duration?*, whatever the duration was taken for.
    pub(super) fn has_said(&self, words: &str) -> bool {
        let said = |word: &str| {
            let stemmed = stem(word);
            let bare = |other: &str| other.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            word.len() > 3 && self.question.split_whitespace().any(|other| stem(&bare(other)) == stemmed)
        };
        words.split(' ').all(said)
    }

    /// The same as seen on a day.
    pub(super) fn today(self, today: Date) -> Self {
        Self { today, ..self }
    }

    /// True for a plan that means something. After SQL of other origin that does not, nothing better is asked for.
    pub(super) fn stays_sound(&self, plan: &QueryPlan) -> bool {
        sound::is_sound(plan, self.knowledge) || !sound::is_sound(self.plan, self.knowledge)
    }

    /// The first selection of the plan, inside the rows it may read from another query.
    pub(super) fn select(&self) -> &'a Select {
        base(self.plan)
    }

    /// The table that was asked about: its name in the plan, and itself.
    pub(super) fn entity(&self) -> (&str, TableId) {
        self.tables.get(self.entity).map_or(("", TableId(usize::MAX)), |(name, id)| (name, *id))
    }

    /// The words for what was asked about: `order items`.
    pub(super) fn noun(&self) -> String {
        names::pieces(&self.knowledge.table(self.entity().1).name).join(" ")
    }

    pub(super) fn uses(&self, table: TableId) -> Option<&str> {
        self.tables.iter().find(|(_, id)| *id == table).map(|(name, _)| name.as_str())
    }

    /// The key of the table that was asked about, where one column is the key.
    pub(super) fn key(&self) -> Option<ColumnRef> {
        let (name, table) = self.entity();
        match self.knowledge.table(table).key.as_slice() {
            [key] => Some(ColumnRef::new(name, &self.knowledge.column(*key).name)),
            _ => None,
        }
    }

    /// The best of some columns: one of a table in use before one that needs a join.
    pub(super) fn find(&self, columns: &[(ColumnId, f32)]) -> Option<Found> {
        // Each further table on the way is one more thing that was not said.
        const FAR: f32 = 0.08;
        let mut best: Option<(f32, ColumnId)> = None;
        for (id, score) in columns {
            let table = self.knowledge.column(*id).table;
            let worth = score
                + if table == self.entity().1 {
                    0.3
                } else if self.uses(table).is_some() {
                    0.25
                } else {
                    -FAR * self.joins_to(table).map_or(10.0, |joins| joins.len() as f32)
                };
            if best.is_none_or(|(other, _)| worth > other + 1e-4) {
                best = Some((worth, *id));
            }
        }
        let (_, id) = best?;
        let score = columns.iter().find(|(other, _)| *other == id).map_or(0.0, |(_, score)| *score);
        let table = self.knowledge.column(id).table;
        let joins = self.joins_to(table)?;
        let name = self.uses(table).map_or_else(|| self.knowledge.table(table).name.clone(), str::to_owned);
        Some(Found { column: ColumnRef::new(name, &self.knowledge.column(id).name), id, joins, score })
    }

    /// The joins from the tables in use to another; none needed where it is in use, none possible gives nothing.
    pub(super) fn joins_to(&self, table: TableId) -> Option<Vec<Join>> {
        if self.uses(table).is_some() {
            return Some(Vec::new());
        }
        let mut wanted: Vec<TableId> = vec![self.entity().1];
        wanted.push(table);
        let tree = self.knowledge.joins().connect(&wanted)?;
        let name_of =
            |id: TableId| self.uses(id).map_or_else(|| self.knowledge.table(id).name.clone(), str::to_owned);
        let mut joins = Vec::new();
        for (added, edge) in tree.tables.iter().skip(1).zip(&tree.edges) {
            if self.uses(*added).is_some() {
                continue;
            }
            let side = |id: ColumnId| {
                let column = self.knowledge.column(id);
                ColumnRef::new(name_of(column.table), &column.name)
            };
            let on = edge
                .columns
                .iter()
                .map(
                    |(from, to)| {
                        if edge.to == *added { (side(*from), side(*to)) } else { (side(*to), side(*from)) }
                    },
                )
                .collect();
            let table = TableUse::new(&self.knowledge.table(*added).name);
            joins.push(Join::new(JoinKind::Inner, table, on));
        }
        Some(joins)
    }

    /// A column with joins that keep every row: those whose reference is missing stay, and have nothing in that column.
    pub(super) fn beside_every_row(&self, mut found: Found) -> Found {
        self.keep_rows(&mut found.joins);
        found
    }

    /// The same plan, where it only shows more of the rows that were shown, with joins that keep every row.
    pub(super) fn with_every_row(&self, mut plan: QueryPlan) -> QueryPlan {
        let (old, new) = (&self.plan.select, &plan.select);
        let shows_more = !old.projection.is_empty()
            && new.projection.len() > old.projection.len()
            && old.projection.iter().zip(&new.projection).all(|(one, other)| one.expr == other.expr);
        let only_shows = new.joins.starts_with(&old.joins)
            && (&new.from, &new.filter, &new.group_by, &new.having)
                == (&old.from, &old.filter, &old.group_by, &old.having)
            && plan.set_operations.is_empty();
        if shows_more && only_shows {
            self.keep_rows(plan.select.joins.get_mut(old.joins.len()..).unwrap_or_default());
        }
        plan
    }

    /// The same plan with the joins that kept every row before, where it has them: what a query says of its tables is not
    /// which rows stay.
    pub(super) fn with_kept_rows(&self, mut plan: QueryPlan) -> QueryPlan {
        let kept = |join: &Join| {
            self.plan.select.joins.iter().any(|before| {
                before.kind == JoinKind::Left && before.table == join.table && before.on == join.on
            })
        };
        if plan.select.from == self.plan.select.from {
            for join in plan.select.joins.iter_mut().filter(|join| kept(join)) {
                join.kind = JoinKind::Left;
            }
        }
        plan
    }

    /// Makes joins that may find no partner keep the row: a reference that may be missing, and what is joined to such a row.
    fn keep_rows(&self, joins: &mut [Join]) {
        let may_be_missing = |column: &ColumnRef| {
            let table = || self.knowledge.table_named(&column.table);
            let id = self
                .id_of(column)
                .or_else(|| table().and_then(|table| self.knowledge.column_named(table, &column.column)));
            id.is_some_and(|id| {
                self.knowledge.column(id).nullable && self.knowledge.joins().reference(id).is_some()
            })
        };
        let mut open: Vec<String> = Vec::new();
        for join in joins {
            let name = join.table.name().to_owned();
            let mut partners =
                join.on.iter().flat_map(|(left, right)| [left, right]).filter(|column| column.table != name);
            if partners.any(|column| open.contains(&column.table) || may_be_missing(column)) {
                join.kind = JoinKind::Left;
                open.push(name);
            }
        }
    }

    /// The column behind a reference in the plan.
    pub(super) fn id_of(&self, column: &ColumnRef) -> Option<ColumnId> {
        let (_, table) = self.tables.iter().find(|(name, _)| *name == column.table)?;
        self.knowledge.column_named(*table, &column.column)
    }

    /// The conditions of the plan's first selection, on rows and on groups, each window of time as one.
    pub(super) fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.conditions.iter()
    }

    /// The condition on a column, if there is one.
    pub(super) fn condition_on(&self, column: &ColumnRef) -> Option<&Condition> {
        self.conditions().find(|condition| condition.subject() == Some(&Expr::Column(column.clone())))
    }

    /// The only column that is shown, where it is an attribute that rows share and not what tells them apart.
    pub(super) fn shown_attribute(&self) -> Option<ColumnRef> {
        self.shared_column().filter(|column| {
            self.id_of(column).is_some_and(|id| {
                let entry = self.knowledge.column(id);
                !entry.numeric && !entry.column_type.is_temporal()
            })
        })
    }

    /// True for a column that names the rows of its table: their label, where that is a name or a title.
    pub(super) fn is_name(&self, id: ColumnId) -> bool {
        let entry = self.knowledge.column(id);
        let says_name =
            || entry.forms.iter().flatten().any(|word| word.ends_with("name") || word.starts_with("titl"));
        self.knowledge.table(entry.table).label.contains(&id) && (entry.unique || says_name())
    }

    /// The same, where it may be a number or a date too.
    pub(super) fn shared_column(&self) -> Option<ColumnRef> {
        let [shown] = self.plan.select.projection.as_slice() else { return None };
        let Expr::Column(column) = &shown.expr else { return None };
        let id = self.id_of(column)?;
        let entry = self.knowledge.column(id);
        let tells_apart = entry.is_key || entry.unique || entry.is_foreign || self.is_name(id);
        (!tells_apart).then(|| column.clone())
    }

    /// The only column that is shown, where it refers to rows of another table.
    pub(super) fn shown_reference(&self) -> Option<ColumnRef> {
        let [shown] = self.plan.select.projection.as_slice() else { return None };
        let Expr::Column(column) = &shown.expr else { return None };
        let entry = self.knowledge.column(self.id_of(column)?);
        (entry.is_foreign && !entry.is_key && !entry.unique).then(|| column.clone())
    }

    /// The summaries that the plan shows.
    pub(super) fn summaries(&self) -> Vec<&'a Expr> {
        self.plan
            .select
            .projection
            .iter()
            .map(|shown| &shown.expr)
            .filter(|expr| expr.is_aggregate())
            .collect()
    }

    /// True where all rows are summarised in one.
    pub(super) fn is_one_summary(&self) -> bool {
        !self.plan.select.projection.is_empty()
            && self.plan.select.group_by.is_empty()
            && self.summaries().len() == self.plan.select.projection.len()
    }

    /// The columns that the plan shows, those of `*` included, with their references.
    pub(super) fn shown(&self) -> Vec<Expr> {
        let all_of = |name: &str, id: TableId| -> Vec<Expr> {
            let columns = &self.knowledge.table(id).columns;
            columns.iter().map(|column| Expr::column(name, &self.knowledge.column(*column).name)).collect()
        };
        let every = || self.tables.iter().flat_map(|(name, id)| all_of(name, *id)).collect::<Vec<_>>();
        let projection = &self.plan.select.projection;
        if projection.is_empty() {
            return every();
        }
        projection
            .iter()
            .flat_map(|shown| match &shown.expr {
                Expr::All(None) => every(),
                Expr::All(Some(table)) => self
                    .tables
                    .iter()
                    .find(|(name, _)| name == table)
                    .map(|(name, id)| all_of(name, *id))
                    .unwrap_or_default(),
                other => vec![other.clone()],
            })
            .collect()
    }
}

/// The first selection that reads tables of the database, inside what the plan reads as rows or by a name.
fn base(plan: &QueryPlan) -> &Select {
    let named = |query: &QueryPlan| match &query.select.from {
        Source::Table(table) => {
            plan.with.iter().position(|named| named.name.eq_ignore_ascii_case(&table.table))
        }
        Source::Query { .. } => None,
    };
    let mut query = plan;
    let mut earlier = plan.with.len();
    loop {
        query = match (&query.select.from, named(query)) {
            (Source::Query { query, .. }, _) => query,
            // A named query reads those before it only.
            (Source::Table(_), Some(at)) if at < earlier => {
                earlier = at;
                match plan.with.get(at) {
                    Some(named) => &named.query,
                    None => return &query.select,
                }
            }
            _ => return &query.select,
        };
    }
}
