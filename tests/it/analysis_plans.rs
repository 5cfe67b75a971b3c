//! Plans for analysis, made at random: dates, cases, shares, window functions, named queries, percentiles.

use fastrand::Rng;
use sqlogue::plan::{
    Aggregate, Arithmetic, CastType, ColumnRef, Comparison, Condition, DatePart, DateUnit, Direction,
    EpochUnit, Expr, Function, Join, JoinKind, NamedQuery, Order, PlanEdit, QueryPlan, Select, SetOperation,
    SetOperator, Source, TableUse, TimeUnit, Window, WindowFunction,
};

use crate::analysis_data::{day, time};

/// The plan that a number makes.
pub fn plan(seed: u64) -> QueryPlan {
    let mut maker = Maker { rng: Rng::with_seed(seed), people: false };
    match maker.rng.u8(..8) {
        0 | 1 => maker.listing(),
        2 | 3 => maker.grouping(),
        4 => maker.top_of_each(),
        5 => maker.against_group(),
        6 => maker.zeros_kept(),
        _ => maker.series(),
    }
}

/// A change to a plan that a person might ask for next.
pub fn edit(seed: u64) -> PlanEdit {
    let mut maker = Maker { rng: Rng::with_seed(seed), people: false };
    let direction = maker.pick(&[Direction::Ascending, Direction::Descending]);
    let person = |name| Expr::column("people", name);
    match maker.rng.u8(..14) {
        0 => PlanEdit::AddColumn { expr: visit("kind") },
        1 => PlanEdit::AddColumn { expr: maker.day(1) },
        2 => PlanEdit::AddColumn { expr: person("city") },
        3 => PlanEdit::AddColumn { expr: maker.aggregate() },
        4 => PlanEdit::AddColumn { expr: maker.window_over_rows().into() },
        5 => PlanEdit::AddFilter { condition: maker.condition(1) },
        6 => PlanEdit::AddFilter { condition: Condition::equal(person("city"), Expr::literal("Rome")) },
        7 => {
            let place = maker.window_over_rows().into();
            let last = Expr::literal(2);
            PlanEdit::AddFilter { condition: Condition::compare(place, Comparison::LessOrEqual, last) }
        }
        8 => PlanEdit::SetOrder { order: vec![by(maker.key(), direction)] },
        9 => PlanEdit::SetOrder { order: vec![by(maker.aggregate(), direction)] },
        10 => PlanEdit::SetLimit { limit: 3 },
        11 => PlanEdit::GroupBy { by: vec![maker.key()], measures: Vec::new() },
        12 => {
            let function = maker.pick(&[Aggregate::Count, Aggregate::Avg, Aggregate::MEDIAN]);
            let argument = (function != Aggregate::Count).then(|| visit("price"));
            PlanEdit::Aggregate { function, argument }
        }
        _ => PlanEdit::ClearFilters,
    }
}

struct Maker {
    rng: Rng,
    /// Whether people are joined to the visits.
    people: bool,
}

fn visit(column: &str) -> Expr {
    Expr::column("visits", column)
}

fn by(expr: Expr, direction: Direction) -> Order {
    Order { expr, direction }
}

impl Maker {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.rng.usize(..from.len())]
    }

    fn visits(&mut self) -> Select {
        self.people = self.rng.bool();
        let mut select = Select::from_table("visits");
        if self.people {
            let on = vec![(ColumnRef::new("visits", "person_id"), ColumnRef::new("people", "id"))];
            let kind = self.pick(&[JoinKind::Inner, JoinKind::Left]);
            select.joins.push(Join::new(kind, TableUse::new("people"), on));
        }
        if self.rng.bool() {
            select = select.filter(self.condition(1));
        }
        select
    }

    /// A day: a column or a period's first day.
    fn day(&mut self, depth: u8) -> Expr {
        match self.rng.u8(..if depth == 0 { 4 } else { 8 }) {
            0 | 1 => visit("day"),
            2 => visit("due"),
            3 if self.people => Expr::column("people", "born"),
            3 => Expr::from_date_key(visit("day_key")),
            4 | 5 => {
                let units =
                    [DateUnit::Day, DateUnit::Week, DateUnit::Month, DateUnit::Quarter, DateUnit::Year];
                let unit = self.pick(&units);
                Expr::truncate(unit, self.date(depth - 1))
            }
            _ => {
                let unit = self.pick(&[TimeUnit::Day, TimeUnit::Month, TimeUnit::Year]);
                Expr::shift(unit, self.date(depth - 1), self.steps())
            }
        }
    }

    fn steps(&mut self) -> Expr {
        if self.rng.bool() { Expr::literal(self.rng.i64(-14..15)) } else { visit("quantity") }
    }

    /// A time of day on a day.
    fn time(&mut self, depth: u8) -> Expr {
        match self.rng.u8(..if depth == 0 { 5 } else { 8 }) {
            0 | 1 => visit("opened"),
            2 => visit("closed"),
            3 => Expr::from_epoch(EpochUnit::Second, visit("seconds")),
            4 => Expr::from_epoch(EpochUnit::Millisecond, visit("millis")),
            5 => Expr::truncate(DateUnit::Hour, self.date(depth - 1)),
            6 => Expr::cast(CastType::Timestamp, self.date(depth - 1)),
            _ => {
                let unit = self.pick(&[TimeUnit::Second, TimeUnit::Minute, TimeUnit::Hour]);
                Expr::shift(unit, self.date(depth - 1), self.steps())
            }
        }
    }

    fn date(&mut self, depth: u8) -> Expr {
        if self.rng.bool() { self.day(depth) } else { self.time(depth) }
    }

    fn number(&mut self, depth: u8) -> Expr {
        if depth == 0 {
            let column = self.pick(&["quantity", "price", "id", "price"]);
            return visit(column);
        }
        let whole = |maker: &mut Self| maker.whole(depth - 1);
        match self.rng.u8(..10) {
            0 => {
                let (one, other) = (self.number(depth - 1), self.number(depth - 1));
                Expr::ratio(one, other)
            }
            1 => Expr::percent(self.number(depth - 1), visit("quantity")),
            2 => Expr::growth(visit("quantity"), self.number(depth - 1)),
            3 => {
                let units = [TimeUnit::Second, TimeUnit::Minute, TimeUnit::Hour, TimeUnit::Day];
                let unit = self.pick(&units);
                Expr::elapsed(unit, self.date(depth - 1), self.date(depth - 1))
            }
            4 => Expr::function(Function::ToNumber, vec![visit("said")]),
            5 => Expr::cast(CastType::Real, whole(self)),
            6 => {
                let (one, other) = (self.condition(0), self.condition(0));
                let otherwise = self.rng.bool().then(|| self.number(0));
                Expr::case(vec![(one, self.number(0)), (other, visit("price"))], otherwise)
            }
            7 => Expr::function(Function::Coalesce, vec![visit("price"), self.number(0)]),
            _ => whole(self),
        }
    }

    fn whole(&mut self, depth: u8) -> Expr {
        if depth == 0 {
            let column = self.pick(&["quantity", "id", "person_id"]);
            return visit(column);
        }
        match self.rng.u8(..8) {
            0 => {
                let operator = self.pick(&[Arithmetic::DivideWhole, Arithmetic::Remainder]);
                Expr::arithmetic(operator, self.whole(depth - 1), visit("quantity"))
            }
            1 => Expr::elapsed(TimeUnit::Month, self.date(depth - 1), self.date(depth - 1)),
            2 => Expr::age(self.date(depth - 1), self.date(depth - 1)),
            3 => Expr::test(self.condition(0)),
            4 => Expr::cast(CastType::Integer, visit("price")),
            5 => Expr::function(Function::NullIf, vec![self.whole(depth - 1), visit("quantity")]),
            _ => self.part(depth - 1),
        }
    }

    fn part(&mut self, depth: u8) -> Expr {
        let parts = [
            DatePart::Year,
            DatePart::Quarter,
            DatePart::Month,
            DatePart::Week,
            DatePart::Day,
            DatePart::DayOfYear,
            DatePart::Weekday,
        ];
        if self.rng.u8(..4) == 0 {
            let part = self.pick(&[DatePart::Hour, DatePart::Minute]);
            return Expr::part(part, self.time(depth));
        }
        Expr::part(self.pick(&parts), self.date(depth))
    }

    fn text(&mut self, depth: u8) -> Expr {
        match self.rng.u8(..8) {
            0 => Expr::label(
                self.pick(&[DateUnit::Year, DateUnit::Quarter, DateUnit::Month]),
                self.date(depth),
            ),
            1 => Expr::function(Function::WeekdayName, vec![self.date(depth)]),
            2 => Expr::function(Function::MonthName, vec![self.date(depth)]),
            3 if self.people => {
                let name = |name| Expr::column("people", name);
                Expr::concat(vec![name("first_name"), Expr::literal(" "), name("last_name")])
            }
            4 => Expr::bands(
                visit("quantity"),
                &[0.into(), 3.into()],
                &["below 0".into(), "0 to 2".into(), "3 or more".into()],
            ),
            5 => Expr::function(Function::NullIf, vec![visit("kind"), Expr::literal("N/A")]),
            6 => Expr::cast(CastType::Text, self.whole(1)),
            _ => visit("kind"),
        }
    }

    fn condition(&mut self, depth: u8) -> Condition {
        let comparisons = [Comparison::Equal, Comparison::Less, Comparison::GreaterOrEqual];
        let operator = self.pick(&comparisons);
        match self.rng.u8(..9) {
            0 => Condition::compare(self.day(depth), operator, Expr::literal(day(&mut self.rng))),
            1 => Condition::compare(self.time(depth), operator, Expr::literal(time(&mut self.rng))),
            2 => Condition::compare(self.number(depth), operator, Expr::literal(self.rng.i64(-2..4))),
            3 => Condition::equal(visit("kind"), Expr::literal(self.pick(&["new", "open", "done"]))),
            4 => Condition::IsNull { expr: self.number(depth), negated: self.rng.bool() },
            5 => {
                let list = vec![Expr::literal(0), Expr::literal(6)];
                let expr = Expr::part(DatePart::Weekday, self.date(depth));
                Condition::In { expr, list, negated: self.rng.bool() }
            }
            6 => Condition::equal(visit("paid"), Expr::literal(self.rng.bool())),
            7 => {
                let mut seen = Select::from_table("visits").project(visit("person_id"));
                if self.rng.bool() {
                    seen = seen.filter(Condition::equal(visit("kind"), Expr::literal("new")));
                }
                Condition::none_of(visit("person_id"), seen.into())
            }
            _ => {
                let (one, other) = (self.plain(), self.plain());
                if self.rng.bool() {
                    Condition::Or(vec![one, other])
                } else {
                    Condition::Not(Box::new(one.and(other)))
                }
            }
        }
    }

    fn plain(&mut self) -> Condition {
        let operator = self.pick(&[Comparison::Greater, Comparison::NotEqual]);
        Condition::compare(visit("quantity"), operator, Expr::literal(self.rng.i64(-2..4)))
    }

    fn aggregate(&mut self) -> Expr {
        match self.rng.u8(..10) {
            0 => Expr::count_all(),
            1 => Expr::count_where(self.condition(0)),
            2 => {
                let function = self.pick(&[Aggregate::Sum, Aggregate::Avg, Aggregate::Min]);
                Expr::aggregate_where(function, visit("price"), self.condition(0))
            }
            3 => Expr::median(self.number(1)),
            // PostgreSQL computes between two values in floating point, exact for quarters.
            4 => Expr::aggregate(Aggregate::Percentile(self.rng.u8(..5) * 25), visit("price")),
            5 => Expr::aggregate(Aggregate::PercentileValue(self.rng.u8(..101)), visit("quantity")),
            6 => Expr::count_distinct(vec![visit("person_id"), visit("quantity")]),
            7 => Expr::count_distinct(vec![visit("person_id")]),
            8 => Expr::aggregate(Aggregate::Sum, Expr::test(self.condition(0))),
            _ => {
                let function = self.pick(&[Aggregate::Sum, Aggregate::Avg, Aggregate::Min, Aggregate::Max]);
                Expr::aggregate(function, self.number(1))
            }
        }
    }

    /// Rows with values that look at other rows.
    fn listing(&mut self) -> QueryPlan {
        let mut select = self.visits().project(visit("id"));
        for _ in 0..self.rng.usize(1..4) {
            let shown = match self.rng.u8(..5) {
                0 => self.number(2),
                1 => self.text(1),
                2 => self.date(2),
                3 => self.whole(2),
                _ => self.window_over_rows().into(),
            };
            select = select.project(shown);
        }
        let mut plan = QueryPlan::from(select);
        if self.rng.bool() {
            plan.name_columns();
        }
        if self.rng.bool() {
            let direction = self.pick(&[Direction::Ascending, Direction::Descending]);
            plan.order_by = vec![by(self.number(1), direction), by(visit("id"), Direction::Ascending)];
            plan.limit = self.rng.bool().then(|| self.rng.u64(1..20));
        }
        plan
    }

    fn window_over_rows(&mut self) -> Window {
        let value = self.number(0);
        let rows = self.rng.u32(1..4);
        let window = match self.rng.u8(..11) {
            0 => Window::row_number(),
            1 => return self.partitioned(Window::rank()).by(value, Direction::Descending),
            2 => return self.partitioned(Window::dense_rank()).by(value, Direction::Ascending),
            3 => Window::lag(value, rows),
            4 => Window::lead(value, rows),
            5 => Window::first(value),
            6 => Window::last(value),
            7 => Window::running(Aggregate::Sum, value),
            8 => Window::moving(Aggregate::Avg, value, rows),
            9 => return self.partitioned(Window::aggregate(Aggregate::Max, value)),
            _ => Window::new(WindowFunction::Tile(3), Vec::new()),
        };
        let first = self.day(0);
        let direction = self.pick(&[Direction::Ascending, Direction::Descending]);
        self.partitioned(window).by(first, direction).by(visit("id"), Direction::Ascending)
    }

    fn partitioned(&mut self, window: Window) -> Window {
        match self.rng.u8(..3) {
            0 => window.per(visit("kind")),
            1 => window.per(Expr::truncate(DateUnit::Year, visit("day"))),
            _ => window,
        }
    }

    fn key(&mut self) -> Expr {
        match self.rng.u8(..5) {
            0 => self.text(1),
            1 | 2 => self.day(2),
            3 => self.part(1),
            _ => visit("kind"),
        }
    }

    /// Groups with summaries, and what those are of the whole.
    fn grouping(&mut self) -> QueryPlan {
        let mut select = self.visits();
        for _ in 0..self.rng.usize(0..3) {
            let key = self.key();
            if !select.group_by.contains(&key) {
                select = select.group(key);
            }
        }
        for _ in 0..self.rng.usize(1..4) {
            select = select.project(self.aggregate());
        }
        let keys = select.group_by.clone();
        if !keys.is_empty() && self.rng.bool() {
            let part = Expr::aggregate(Aggregate::Count, visit("price"));
            let whole = Window::aggregate(Aggregate::Sum, part.clone());
            select = select.project(Expr::percent(part.clone(), whole.into()));
            let rank = Window::rank().by(part, Direction::Descending);
            select = select.project(rank.into());
        }
        if !keys.is_empty() && self.rng.bool() {
            let bound = Condition::compare(self.aggregate(), Comparison::Greater, Expr::literal(0));
            // Truth and days are not compared with numbers.
            select.having = Some(bound);
        }
        let mut plan = QueryPlan::from(select);
        if self.rng.bool() {
            plan.name_columns();
        }
        if self.rng.bool() && !keys.is_empty() {
            plan.order_by.push(by(self.aggregate(), Direction::Descending));
            plan.order_by.extend(keys.into_iter().map(|key| by(key, Direction::Ascending)));
            plan.limit = self.rng.bool().then(|| self.rng.u64(1..9));
        }
        plan
    }

    /// The first few of each group.
    fn top_of_each(&mut self) -> QueryPlan {
        let window = if self.rng.bool() { Window::row_number() } else { Window::rank() };
        let base = self.visits();
        let (key, value) = (self.key(), self.number(1));
        let place = window.per(key.clone()).by(value.clone(), Direction::Descending);
        let place = place.by(visit("id"), Direction::Ascending);
        let ranked = base
            .project_as(visit("id"), "visit")
            .project_as(key, "part")
            .project_as(value, "amount")
            .project_as(place.into(), "place");
        let column = |name| Expr::column("ranked", name);
        let last = Expr::literal(self.rng.i64(1..4));
        let top = Select::from_table("ranked")
            .project(column("part"))
            .project(column("visit"))
            .project(column("amount"))
            .filter(Condition::compare(column("place"), Comparison::LessOrEqual, last));
        QueryPlan { with: vec![NamedQuery::new("ranked", ranked)], ..QueryPlan::from(top) }
    }

    /// Rows beside the summary of their group, which is joined as a named query.
    fn against_group(&mut self) -> QueryPlan {
        self.people = false;
        let key = if self.rng.bool() { visit("kind") } else { visit("person_id") };
        let Expr::Column(key_column) = key.clone() else { unreachable!() };
        let function = self.pick(&[Aggregate::Avg, Aggregate::MEDIAN, Aggregate::Max]);
        let mean = Expr::aggregate(function, visit("price"));
        let groups = Select::from_table("visits").group_as(key, "part").project_as(mean, "mean");
        let on = vec![(key_column, ColumnRef::new("groups", "part"))];
        let kind = self.pick(&[JoinKind::Inner, JoinKind::Left]);
        let mean = Expr::column("groups", "mean");
        let mut select = Select::from_table("visits")
            .project(visit("id"))
            .project(mean.clone())
            .project(Expr::growth(mean.clone(), visit("price")));
        select.joins.push(Join::new(kind, TableUse::new("groups"), on));
        if self.rng.bool() {
            select = select.filter(Condition::compare(visit("price"), Comparison::Greater, mean));
        }
        QueryPlan { with: vec![NamedQuery::new("groups", groups)], ..QueryPlan::from(select) }
    }

    /// Every person with a count of some visits, also those with none.
    fn zeros_kept(&mut self) -> QueryPlan {
        self.people = false;
        let on = vec![(ColumnRef::new("people", "id"), ColumnRef::new("visits", "person_id"))];
        let join = Join::new(JoinKind::Left, TableUse::new("visits"), on).only(self.condition(1));
        let mut select = Select::from_table("people")
            .group(Expr::column("people", "id"))
            .project(Expr::aggregate(Aggregate::Count, visit("id")))
            .project(self.aggregate());
        select.joins.push(join);
        let mut plan = QueryPlan::from(select);
        plan.name_columns();
        plan
    }

    /// Totals by period with the period before, or labelled totals one below the other.
    fn series(&mut self) -> QueryPlan {
        let base = self.visits();
        let unit = self.pick(&[DateUnit::Month, DateUnit::Quarter, DateUnit::Year, DateUnit::Week]);
        let period = Expr::truncate(unit, self.date(0));
        let totals = base.group_as(period, "period").project_as(self.aggregate(), "total");
        let column = |name| Expr::column("totals", name);
        let before = Window::lag(column("total"), 1).by(column("period"), Direction::Ascending);
        let so_far = Window::running(Aggregate::Count, column("total"));
        let source = Source::Query { query: Box::new(totals.clone().into()), alias: "totals".into() };
        let mut select = Select { from: source, ..Select::default() }.project(column("period"));
        if self.rng.bool() {
            select = select
                .project(Expr::growth(before.into(), column("total")))
                .project(so_far.by(column("period"), Direction::Ascending).into());
            return QueryPlan::from(select);
        }
        let labelled = |label: &str, condition: Condition| {
            Select::from_table("visits")
                .project_as(Expr::literal(label), "which")
                .project_as(Expr::aggregate(Aggregate::Sum, visit("quantity")), "total")
                .filter(condition)
        };
        self.people = false;
        let mut plan = QueryPlan::from(labelled("first", self.condition(1)));
        let select = labelled("second", self.condition(1));
        plan.set_operations.push(SetOperation { operator: SetOperator::UnionAll, select });
        plan.order_by.push(by(Expr::literal("first"), Direction::Ascending));
        plan.order_by.clear();
        plan
    }
}
