//! Summaries: one row for each group, or one for all.

use super::Lowering;
use super::grain::Grain;
use super::list::{KEEPS, LARGEST};
use super::measure::Over;
use super::rows::Grouped;
use crate::rules::grammar::columns::is_date;
use crate::rules::grammar::form::{Against, Attr, By, Compare, Having, Key, Measure, Noun, Per, Pred};
use crate::rules::joins::JoinTree;
use sqlogue_sql::plan::{
    Aggregate, Arithmetic, Condition, Expr, NamedQuery, Order, Projection, QueryPlan, Select,
};

impl Lowering<'_> {
    pub(super) fn summary(&self, grain: &Grain) -> Option<(QueryPlan, JoinTree)> {
        if let Some(kind) = self.own_kind() {
            return self.beside_kind(kind, grain);
        }
        if let [Measure::Mean(inner, per)] = grain.measures.as_slice() {
            // A bound of a mean of totals is not made.
            if !self.query.having.is_empty() {
                return None;
            }
            let mean = |value| Expr::aggregate(Aggregate::Avg, value);
            return self.of_each(inner, per, grain, "average", mean);
        }
        if let [Measure::Interval(summary, rows, whose, unit)] = grain.measures.as_slice() {
            return self.intervals(*summary, (rows, whose.as_ref()), *unit, grain);
        }
        if let [Measure::Percentile(percent, attr @ Attr::Amount(noun))] = grain.measures.as_slice()
            && self.attr_table(attr)? != self.table(noun)?
        {
            let total = Measure::Of(Aggregate::Sum, attr.clone());
            let called = if *percent == 50 { "median".to_owned() } else { format!("percentile_{percent}") };
            let within = |value| Expr::aggregate(Aggregate::Percentile(*percent), value);
            return self.of_each(&total, &Per::Row(noun.clone()), grain, &called, within);
        }
        let known = |pred: &Pred| matches!(pred, Pred::Known(..));
        let is_split = || !grain.attrs.is_empty() || self.query.preds.iter().any(known);
        if self.query.share_of_groups && (self.query.having.is_empty() || is_split()) {
            return None;
        }
        // One row has no first few.
        if self.query.limit.is_some() && self.query.take.is_none() && grain.keys.is_empty() {
            return None;
        }
        if grain.measures.iter().any(|measure| matches!(measure, Measure::At(..))) {
            return self.at_each_end(grain);
        }
        if let Some(apart) = self.numbers_apart(grain) {
            return Some(apart);
        }
        if let Some(net) = self.two_apart(grain) {
            return Some(net);
        }
        if let Some(banded) = self.banded_totals(grain) {
            return Some(banded);
        }
        if self.style.apart {
            return self.apart(grain);
        }
        if self.is_apart(grain)
            && let Some(apart) = self.apart(grain)
        {
            return Some(apart);
        }
        self.summarised(grain)
    }

    /// One query with a row for each group.
    fn summarised(&self, grain: &Grain) -> Option<(QueryPlan, JoinTree)> {
        let (mut select, tree, optional) = self.summed(grain)?;
        let groups: Vec<Grouped> =
            grain.keys.iter().map(|key| self.grouped(key, grain)).collect::<Option<_>>()?;
        let in_bands = grain.keys.iter().any(|key| matches!(key, Key::Bands(..)));
        if in_bands && self.repeats(grain.entity, &tree) {
            // A row with several below it would lie in several bands.
            return None;
        }
        let over = Over { grain, tree: &tree, grouped: !groups.is_empty(), optional };
        let measures: Vec<Expr> =
            grain.measures.iter().map(|measure| self.measure(measure, over)).collect::<Option<_>>()?;
        for expr in groups.iter().flat_map(|group| &group.by) {
            if !select.group_by.contains(expr) {
                select.group_by.push(expr.clone());
            }
        }
        let mut shown: Vec<Projection> = Vec::new();
        for projection in groups.iter().flat_map(|group| &group.shown) {
            push(&mut shown, projection.clone());
        }
        self.beside(grain, &mut select, &mut shown)?;
        self.show_own(grain, &mut select, &mut shown)?;
        for (measure, expr) in grain.measures.iter().zip(&measures).take(grain.shown) {
            let alias = match measure {
                Measure::Defined(term) => Some(Self::defined_name(term)),
                _ => None,
            };
            push(&mut shown, Projection { expr: expr.clone(), alias });
        }
        if shown.is_empty() {
            return None;
        }
        self.join_roles(&mut select);
        select.projection = shown;
        for having in &self.query.having {
            let condition = self.having(having, over, &select)?;
            select.having = Some(match select.having {
                Some(known) => known.and(condition),
                None => condition,
            });
        }
        if self.query.share_of_groups {
            return Some((self.share_of_groups(select, grain)?, tree));
        }
        if self.query.share_of_first {
            let [total] = measures.as_slice() else { return None };
            return Some((self.share_of_first(select, total.clone())?, tree));
        }
        if grain.counts_groups {
            return Some((counted(select), tree));
        }
        let plan = QueryPlan::from(select);
        let by = grain.by.as_ref().and_then(|by| self.measure(by, over)).or_else(|| {
            let asked = grain.asked.checked_sub(1).and_then(|last| measures.get(last));
            asked.or(measures.last()).cloned()
        });
        let windows = self.query.preds.iter().filter(|pred| matches!(pred, Pred::In(None, _))).count();
        // *change on the previous month* names no second window.
        if self.query.compare.is_some() && windows > 1 {
            return None;
        }
        if let Some(compare) = self.query.compare.filter(|_| self.query.versus.is_empty()) {
            return Some((self.compared(plan, compare, grain, &groups, measures.last()?.clone())?, tree));
        }
        let mut plan = self.ordered(plan, grain, &groups, by, over)?;
        if self.query.beside_overall {
            let ([measure], [value]) = (grain.measures.as_slice(), measures.as_slice()) else { return None };
            self.show_overall(&mut plan, measure, value)?;
        }
        Some((plan, tree))
    }

    /// Shows beside the mean of each group that of all rows, and beside its total what the groups have on average: *average price
    /// by category next to the overall average*.
    fn show_overall(&self, plan: &mut QueryPlan, measure: &Measure, value: &Expr) -> Option<()> {
        if plan.select.group_by.is_empty() || !plan.with.is_empty() {
            return None;
        }
        let overall = if measure.is_mean() { value.clone() } else { per_group(value, &plan.select)? };
        let expr = Expr::Query(Box::new(QueryPlan::from(ungrouped(&plan.select).project(overall))));
        plan.select.projection.push(Projection { expr, alias: Some("overall_average".to_owned()) });
        Some(())
    }

    /// What part of all rows of a table the groups are that are kept.
    fn share_of_groups(&self, select: Select, grain: &Grain) -> Option<QueryPlan> {
        let [Key::Noun(key)] = grain.keys.as_slice() else { return None };
        if self.query.of_doers {
            return of_doers(select);
        }
        let table = self.table(key).filter(|_| self.bound(key).is_some_and(|of| of.column.is_none()))?;
        let all = Select::from_table(self.knowledge.table(table).name.clone()).project(Expr::count_all());
        let mut plan = counted(select);
        if let Some(shown) = plan.select.projection.first_mut() {
            let all = Expr::Query(Box::new(QueryPlan::from(all)));
            *shown =
                Projection { expr: Expr::percent(Expr::count_all(), all), alias: Some("percent".into()) };
        }
        Some(plan)
    }

    /// The rows that are summarised: joined, filtered, and with groups kept that have none where that is asked.
    pub(super) fn summed(&self, grain: &Grain) -> Option<(Select, JoinTree, bool)> {
        let conditions = self.conditions(grain)?;
        let mut tables = self.tables(grain);
        if !self.query.zeros {
            let (mut select, tree) = self.joined(&tables)?;
            select.filter = Condition::all(conditions);
            return Some((select, tree, false));
        }
        // Groups first, so that the left join keeps them; conditions on the other rows belong to the join.
        let Some(Key::Noun(noun)) = grain.keys.first() else { return None };
        let first = self.table(noun)?;
        if first == grain.entity {
            return None;
        }
        tables.retain(|table| *table != first);
        tables.insert(0, first);
        let (mut select, tree) = self.joined(&tables)?;
        select.joins.iter_mut().for_each(|join| join.kind = KEEPS);
        let first_name = &self.knowledge.table(first).name;
        for condition in conditions {
            let of_first = condition_table(&condition).is_some_and(|table| table == first_name.as_str());
            if of_first {
                select = select.filter(condition);
            } else {
                let last = select.joins.pop()?;
                select.joins.push(last.only(condition));
            }
        }
        Some((select, tree, true))
    }

    /// What is shown beside the groups: a column that follows from a key is grouped by too.
    fn beside(&self, grain: &Grain, select: &mut Select, shown: &mut Vec<Projection>) -> Option<()> {
        for noun in &grain.attrs {
            for projection in self.shown(noun)? {
                let of_key = grain.keys.iter().any(|key| match key {
                    Key::Noun(of) => {
                        self.bound(of).is_some_and(|filler| filler.column.is_none())
                            && self.table(of) == self.table(noun)
                    }
                    Key::Time(..) | Key::Bands(..) | Key::ColumnOf(_) | Key::Place(..) => false,
                });
                if !of_key && !self.follows_from_key(noun, grain) {
                    // A column beside a summary has no one value in a group: it is one more key.
                    self.supply("column_is_key", 1.1);
                }
                if !select.group_by.contains(&projection.expr) {
                    select.group_by.push(projection.expr.clone());
                }
                push(shown, projection);
            }
        }
        Some(())
    }

    /// True for what each group has one of: *the five most played tracks with their artist*.
    fn follows_from_key(&self, noun: &Noun, grain: &Grain) -> bool {
        let Some(of) = self.table(noun) else { return false };
        grain.keys.iter().any(|key| {
            let Key::Noun(key) = key else { return false };
            let Some(filler) = self.bound(key).filter(|filler| filler.column.is_none()) else { return false };
            let tree = self.knowledge.joins().connect(&[filler.table, of]);
            tree.is_some_and(|tree| !self.repeats(filler.table, &tree))
        })
    }

    fn having(&self, having: &Having, over: Over<'_>, grouped: &Select) -> Option<Condition> {
        let measure = self.measure(&having.measure, over)?;
        let other = match &having.with {
            Against::Value(value) => Expr::Literal(value.clone()),
            Against::AllThereAre if matches!(having.measure, Measure::Periods(_)) => {
                Expr::Query(Box::new(QueryPlan::from(ungrouped(grouped).project(measure.clone()))))
            }
            Against::AllThereAre => {
                let Measure::Distinct(noun) = &having.measure else { return None };
                let all = Select::from_table(self.knowledge.table(self.table(noun)?).name.clone());
                Expr::Query(Box::new(QueryPlan::from(all.project(measure.clone()))))
            }
            Against::Own(noun) => self.own_column(noun, over.grain)?,
            // Made by `beside_kind`, and nowhere else.
            Against::MeanOfKind(_) => return None,
            Against::MeanOfGroups(times) => {
                let mean = per_group(&measure, grouped)?;
                let mean = Expr::Query(Box::new(QueryPlan::from(ungrouped(grouped).project(mean))));
                match *times == 1.0 {
                    true => mean,
                    false => Expr::arithmetic(Arithmetic::Multiply, Expr::literal(*times), mean),
                }
            }
            Against::Overall | Against::Named(_) => {
                let mut all = ungrouped(grouped);
                if let Against::Named(named) = &having.with {
                    let row = self.filler(named.words)?;
                    let name = self.knowledge.column(row.column?);
                    // The name is that of one of the groups.
                    if !grouped.tables().any(|table| table.table == self.knowledge.table(name.table).name) {
                        return None;
                    }
                    let value = Expr::Literal(row.value.clone()?);
                    all = all.filter(Condition::equal(self.expr(row.column?), value));
                }
                Expr::Query(Box::new(QueryPlan::from(all.project(measure.clone()))))
            }
        };
        Some(Condition::compare(measure, having.operator, other))
    }

    fn ordered(
        &self,
        mut plan: QueryPlan,
        grain: &Grain,
        groups: &[Grouped],
        by: Option<Expr>,
        over: Over<'_>,
    ) -> Option<QueryPlan> {
        if let Some(take) = &self.query.take {
            let by = match &take.by {
                By::Attr(attr) if grain.by.is_none() => self.attr(attr)?,
                _ => by?,
            };
            if let Some(ends) = &self.query.ends {
                // Only what the same groups are put in order by has two ends.
                let same = match (&ends.0, &take.by) {
                    (By::Measure(other), By::Measure(_)) => self.measure(other, over)? == by,
                    _ => false,
                };
                self.are_ends(take, ends)?;
                let plain = grain.each.is_none() && !groups.is_empty();
                return (same && plain).then(|| self.both_ends_of_groups(plan.select, by)).flatten();
            }
            if let Some(each) = &grain.each {
                let each = self.grouped(each, grain)?;
                return self.top_of_each(plan, &each, by, self.direction(&take.by, take.direction));
            }
            plan.order_by.push(Order { expr: by, direction: self.direction(&take.by, take.direction) });
            plan.limit = Some(self.query.limit.unwrap_or(1));
            plan.offset = self.query.skip;
            return Some(plan);
        }
        for (by_said, direction) in &self.query.order {
            let expr = match by_said {
                By::Attr(attr) => match (&grain.by, groups.iter().find(|group| group.in_order)) {
                    (Some(_), _) => by.clone()?,
                    // *by month, newest first*: months are the newest, and no single dates in them.
                    (None, Some(time)) if self.tells_when(attr) => time.sorts.clone(),
                    (None, _) => self.attr(attr)?,
                },
                By::Measure(_) | By::Shown => by.clone()?,
                By::Date => groups.iter().find(|group| group.in_order)?.sorts.clone(),
                By::Name => groups.first()?.sorts.clone(),
            };
            plan.order_by.push(Order { expr, direction: self.direction(by_said, *direction) });
        }
        if self.query.limit.is_some() {
            // A number that keeps no rows may have been meant otherwise.
            self.supply("number_unheeded", 0.3);
        }
        if plan.order_by.is_empty()
            && let Some(time) = groups.iter().find(|group| group.in_order)
        {
            plan.order_by
                .push(Order { expr: time.sorts.clone(), direction: sqlogue_sql::plan::Direction::Ascending });
        }
        Some(plan)
    }

    /// True for an adjective that speaks of a date.
    fn tells_when(&self, attr: &Attr) -> bool {
        let Attr::Adjective(words, _) = attr else { return false };
        let column = self.filler(*words).and_then(|filler| filler.column);
        column.is_some_and(|id| is_date(self.knowledge, id))
    }

    fn compared(
        &self,
        plan: QueryPlan,
        compare: Compare,
        grain: &Grain,
        groups: &[Grouped],
        measure: Expr,
    ) -> Option<QueryPlan> {
        match compare {
            Compare::Rank => self.ranked(plan, measure, LARGEST, grain),
            _ => {
                let time = groups.iter().find(|group| group.in_order)?;
                let unit = grain.keys.iter().find_map(|key| match key {
                    Key::Time(unit, _) => Some(*unit),
                    Key::Noun(_) | Key::Bands(..) | Key::ColumnOf(_) | Key::Place(..) => None,
                })?;
                self.against_before(plan, compare, time, unit, measure)
            }
        }
    }
}

/// The same rows, not yet grouped, with nothing shown of them.
fn ungrouped(grouped: &Select) -> Select {
    Select {
        from: grouped.from.clone(),
        joins: grouped.joins.clone(),
        filter: grouped.filter.clone(),
        ..Select::default()
    }
}

/// What the groups of a query have of a measure on average.
fn per_group(measure: &Expr, grouped: &Select) -> Option<Expr> {
    let groups = Expr::count_distinct(vec![grouped.group_by.first()?.clone()]);
    Some(Expr::ratio(measure.clone(), groups))
}

fn push(shown: &mut Vec<Projection>, projection: Projection) {
    if !shown.iter().any(|other| other.expr == projection.expr) {
        shown.push(projection);
    }
}

/// The one table that a condition speaks of.
fn condition_table(condition: &Condition) -> Option<&str> {
    match condition {
        Condition::Compare { left, .. } => {
            super::condition::column_of(left).map(|column| column.table.as_str())
        }
        Condition::In { expr, .. }
        | Condition::InQuery { expr, .. }
        | Condition::IsNull { expr, .. }
        | Condition::Like { expr, .. }
        | Condition::Between { expr, .. } => {
            super::condition::column_of(expr).map(|column| column.table.as_str())
        }
        Condition::And(all) => all.first().and_then(condition_table),
        _ => None,
    }
}

/// How many groups there are.
fn counted(mut groups: Select) -> QueryPlan {
    groups.projection.truncate(1);
    if let Some(first) = groups.projection.first_mut() {
        first.alias = Some("one".to_owned());
    }
    let mut plan = QueryPlan::from(Select::from_table(EACH).project(Expr::count_all()));
    plan.with = vec![NamedQuery::new(EACH, groups)];
    plan
}

/// What part of the groups those are that are kept, in percent.
fn of_doers(mut groups: Select) -> Option<QueryPlan> {
    const TIMES: &str = "times";
    let kept = groups.having.take()?;
    let Condition::Compare { left, operator, right } = kept else { return None };
    groups.projection.truncate(1);
    if let Some(first) = groups.projection.first_mut() {
        first.alias = Some("one".to_owned());
    }
    let groups = groups.project_as(left, TIMES);
    let holds = Condition::compare(Expr::column(EACH, TIMES), operator, right);
    let percent = Expr::percent(Expr::count_where(holds), Expr::count_all());
    let mut plan = QueryPlan::from(Select::from_table(EACH).project_as(percent, "percent"));
    plan.with = vec![NamedQuery::new(EACH, groups)];
    Some(plan)
}

/// The name of the query whose groups are summarised once more.
pub(in crate::rules) const EACH: &str = "each_one";
