//! Plans about the sample, made at random from everything the plan language has.

use fastrand::Rng;
use sqlogue::plan::{
    Aggregate, Arithmetic, ColumnRef, Comparison, Condition, DatePart, Direction, Expr, Function, Join,
    JoinKind, Order, Projection, QueryPlan, Select, SetOperation, SetOperator, Source, TableUse,
};
use sqlogue::schema::{Column, ColumnType, Schema, Table, Value};

/// The plan that a number makes.
pub fn plan(schema: &Schema, seed: u64) -> QueryPlan {
    Maker { schema, rng: Rng::with_seed(seed), used: Vec::new() }.plan()
}

/// Makes one plan.
struct Maker<'a> {
    schema: &'a Schema,
    rng: Rng,
    /// The tables of the selection being made.
    used: Vec<&'a Table>,
}

impl<'a> Maker<'a> {
    fn plan(&mut self) -> QueryPlan {
        match self.rng.u8(..8) {
            0..3 => self.listing(),
            3..6 => self.grouping(),
            6 => self.combination(),
            _ => self.nesting(),
        }
    }

    /// Rows of one table or two, sorted completely where there is a limit.
    fn listing(&mut self) -> QueryPlan {
        let mut select = self.source();
        for _ in 0..self.rng.usize(1..4) {
            let projected = if self.rng.bool() { self.text(2) } else { self.number(2) };
            select.projection.push(projected.into());
        }
        select.filter = self.rng.bool().then(|| self.condition(2));
        select.distinct = self.rng.u8(..4) == 0;
        let mut plan = QueryPlan::from(select);
        if plan.select.distinct || self.rng.bool() {
            return plan;
        }
        let (table, column) = self.any(|_| true);
        let direction = self.direction();
        plan.order_by.push(Order { expr: Expr::column(&table.name, &column.name), direction });
        for table in self.used.clone() {
            let keys = table.primary_key().map(|key| Expr::column(&table.name, &key.name));
            plan.order_by.extend(keys.map(|expr| Order { expr, direction: Direction::Ascending }));
        }
        self.cut(&mut plan);
        plan
    }

    /// Groups with aggregates, sorted by what makes the groups.
    fn grouping(&mut self) -> QueryPlan {
        let mut select = self.source();
        for _ in 0..self.rng.usize(0..3) {
            let key = self.key();
            if !select.group_by.contains(&key) {
                select.projection.push(key.clone().into());
                select.group_by.push(key);
            }
        }
        for _ in 0..self.rng.usize(1..3) {
            select.projection.push(self.aggregate().into());
        }
        select.filter = self.rng.bool().then(|| self.condition(1));
        if !select.group_by.is_empty() && self.rng.bool() {
            let bound = Expr::literal(i64::from(self.rng.u8(..6)));
            select.having = Some(Condition::compare(Expr::count_all(), self.comparison(), bound));
        }
        let mut plan = QueryPlan::from(select);
        if !plan.select.group_by.is_empty() && self.rng.bool() {
            if self.rng.bool() {
                plan.order_by.push(Order { expr: Expr::count_all(), direction: self.direction() });
            }
            for expr in plan.select.group_by.clone() {
                let direction = self.direction();
                plan.order_by.push(Order { expr, direction });
            }
            self.cut(&mut plan);
        }
        plan
    }

    /// Selections of one column of text each, put together.
    fn combination(&mut self) -> QueryPlan {
        let part = |maker: &mut Self| {
            let mut select = maker.source();
            select.projection.push(maker.text(0).into());
            select.filter = maker.rng.bool().then(|| maker.condition(1));
            select
        };
        let mut plan = QueryPlan::from(part(self));
        for _ in 0..self.rng.usize(1..4) {
            let operators =
                [SetOperator::Union, SetOperator::UnionAll, SetOperator::Intersect, SetOperator::Except];
            let operator = operators[self.rng.usize(..4)];
            let select = part(self);
            plan.set_operations.push(SetOperation { operator, select });
        }
        if self.rng.bool()
            && let Some(first) = plan.select.projection.first()
            && matches!(first.expr, Expr::Column(_))
        {
            plan.order_by.push(Order { expr: first.expr.clone(), direction: self.direction() });
            self.cut(&mut plan);
        }
        plan
    }

    /// A question to the answer of another.
    fn nesting(&mut self) -> QueryPlan {
        let mut inner = self.source();
        let key = self.key();
        inner.projection.push(Projection { expr: key.clone(), alias: Some("part".into()) });
        inner.projection.push(Projection { expr: Expr::count_all(), alias: Some("many".into()) });
        inner.group_by.push(key);
        let from = Source::Query { query: Box::new(QueryPlan::from(inner)), alias: "parts".into() };
        let many = Expr::column("parts", "many");
        let mut outer = Select { from, ..Select::default() }
            .project(Expr::count_all())
            .project(Expr::aggregate(Aggregate::Avg, many.clone()))
            .project(Expr::aggregate(Aggregate::Max, many.clone()));
        if self.rng.bool() {
            outer = outer.filter(Condition::compare(many, self.comparison(), Expr::literal(3)));
        }
        QueryPlan::from(outer)
    }

    /// One table, or one with a table that it refers to.
    fn source(&mut self) -> Select {
        let table = &self.schema.tables[self.rng.usize(..self.schema.tables.len())];
        let mut select = Select::from_table(&table.name);
        self.used = vec![table];
        let others = table.foreign_keys.iter().filter(|key| key.table != table.name).collect::<Vec<_>>();
        if !others.is_empty() && self.rng.bool() {
            let key = others[self.rng.usize(..others.len())];
            let pairs = key.columns.iter().zip(&key.references);
            let on = pairs
                .map(|(one, other)| (ColumnRef::new(&table.name, one), ColumnRef::new(&key.table, other)));
            let kind = if self.rng.bool() { JoinKind::Inner } else { JoinKind::Left };
            select.joins.push(Join::new(kind, TableUse::new(&key.table), on.collect()));
            self.used.push(self.schema.table(&key.table).unwrap());
        }
        select
    }

    /// A column of the tables in use that fits; every table has an id, so that there is one.
    fn any(&mut self, fits: impl Fn(&Column) -> bool) -> (&'a Table, &'a Column) {
        let columns: Vec<_> = self
            .used
            .iter()
            .flat_map(|table| table.columns.iter().map(move |column| (*table, column)))
            .filter(|(_, column)| fits(column))
            .collect();
        if columns.is_empty() {
            // A table without texts is left for one that has some.
            return (self.used[0], &self.used[0].columns[0]);
        }
        columns[self.rng.usize(..columns.len())]
    }

    fn column(&mut self, kinds: &[ColumnType]) -> Option<(Expr, &'a Column)> {
        let (table, column) = self.any(|column| kinds.contains(&column.column_type));
        kinds.contains(&column.column_type).then(|| (Expr::column(&table.name, &column.name), column))
    }

    fn number(&mut self, depth: u8) -> Expr {
        if depth == 0 || self.rng.bool() {
            return match self.column(&[ColumnType::Integer, ColumnType::Real]) {
                Some((expr, _)) => expr,
                None => Expr::literal(7),
            };
        }
        let function = |function, argument| Expr::Function { function, arguments: vec![argument] };
        match self.rng.u8(..6) {
            0 => {
                let arithmetic =
                    [Arithmetic::Add, Arithmetic::Subtract, Arithmetic::Multiply, Arithmetic::Divide];
                let operator = arithmetic[self.rng.usize(..4)];
                let right =
                    if self.rng.bool() { self.number(depth - 1) } else { Expr::literal(self.rng.i64(-2..5)) };
                Expr::Arithmetic { operator, left: Box::new(self.number(depth - 1)), right: Box::new(right) }
            }
            1 => function(Function::Abs, self.number(depth - 1)),
            2 => function(Function::Length, self.text(depth - 1)),
            3 => Expr::Function {
                function: Function::Coalesce,
                arguments: vec![self.number(depth - 1), Expr::literal(0)],
            },
            4 => function(Function::Round, self.number(0)),
            _ => self.part().unwrap_or_else(|| Expr::literal(1)),
        }
    }

    /// A part of a date.
    fn part(&mut self) -> Option<Expr> {
        let (date, _) = self.column(&[ColumnType::Date])?;
        let parts = [DatePart::Year, DatePart::Quarter, DatePart::Month, DatePart::Day, DatePart::Weekday];
        let part = parts[self.rng.usize(..parts.len())];
        Some(Expr::Function { function: Function::Extract(part), arguments: vec![date] })
    }

    fn text(&mut self, depth: u8) -> Expr {
        let text = self.column(&[ColumnType::Text]).map_or_else(|| Expr::literal("none"), |(expr, _)| expr);
        if depth == 0 || self.rng.bool() {
            return text;
        }
        match self.rng.u8(..3) {
            0 => Expr::Function { function: Function::Lower, arguments: vec![text] },
            1 => Expr::Function { function: Function::Upper, arguments: vec![text] },
            _ => Expr::Function {
                function: Function::Coalesce,
                arguments: vec![text, Expr::literal("it's \\ \"none\"")],
            },
        }
    }

    /// Something to group by.
    fn key(&mut self) -> Expr {
        if self.rng.u8(..3) == 0
            && let Some(part) = self.part()
        {
            return part;
        }
        let (table, column) = self.any(|_| true);
        Expr::column(&table.name, &column.name)
    }

    fn aggregate(&mut self) -> Expr {
        let functions = [Aggregate::Count, Aggregate::Sum, Aggregate::Avg, Aggregate::Min, Aggregate::Max];
        match functions[self.rng.usize(..5)] {
            Aggregate::Count if self.rng.bool() => Expr::count_all(),
            Aggregate::Count => {
                let (table, column) = self.any(|_| true);
                let argument = Box::new(Expr::column(&table.name, &column.name));
                Expr::Aggregate { function: Aggregate::Count, distinct: self.rng.bool(), argument }
            }
            function @ (Aggregate::Min | Aggregate::Max) if self.rng.bool() => {
                Expr::aggregate(function, self.text(1))
            }
            function => Expr::aggregate(function, self.number(1)),
        }
    }

    fn condition(&mut self, depth: u8) -> Condition {
        if depth > 0 && self.rng.u8(..3) == 0 {
            let pair = vec![self.condition(depth - 1), self.condition(depth - 1)];
            return match self.rng.u8(..3) {
                0 => Condition::And(pair),
                1 => Condition::Or(pair),
                _ => Condition::Not(Box::new(Condition::And(pair))),
            };
        }
        match self.rng.u8(..10) {
            0 => Condition::compare(self.number(1), self.comparison(), Expr::literal(self.rng.i64(0..50))),
            1 => self.like(),
            2 => {
                let (table, column) = self.any(|_| true);
                let expr = Expr::column(&table.name, &column.name);
                Condition::IsNull { expr, negated: self.rng.bool() }
            }
            3 => match self.column(&[ColumnType::Boolean]) {
                Some((expr, _)) => Condition::equal(expr, Expr::literal(self.rng.bool())),
                None => self.like(),
            },
            4 => match self.column(&[ColumnType::Date]) {
                Some((expr, column)) => {
                    let (low, high) = (self.sampled(column), self.sampled(column));
                    Condition::Between { expr, low, high }
                }
                None => self.like(),
            },
            5 => {
                let (table, column) = self.any(|column| !column.samples.is_empty());
                let list = vec![self.sampled(column), self.sampled(column)];
                let expr = Expr::column(&table.name, &column.name);
                Condition::In { expr, list, negated: self.rng.bool() }
            }
            6 => self.within(),
            7 => {
                let (expr, column) = match self.column(&[ColumnType::Real, ColumnType::Integer]) {
                    Some(found) => found,
                    None => return self.like(),
                };
                let Expr::Column(reference) = &expr else { return self.like() };
                let average = Expr::aggregate(Aggregate::Avg, Expr::column(&reference.table, &column.name));
                let query = QueryPlan::from(Select::from_table(&reference.table).project(average));
                Condition::compare(expr, Comparison::Greater, Expr::Query(Box::new(query)))
            }
            _ => {
                let (table, column) = self.any(|column| !column.samples.is_empty());
                let value = self.sampled(column);
                Condition::compare(Expr::column(&table.name, &column.name), self.comparison(), value)
            }
        }
    }

    /// A part of a text that occurs, in whatever case.
    fn like(&mut self) -> Condition {
        let Some((expr, column)) = self.column(&[ColumnType::Text]) else {
            return Condition::And(Vec::new());
        };
        let sample = match column.samples.first() {
            Some(Value::Text(text)) => text.chars().take(self.rng.usize(1..4)).collect::<String>(),
            _ => "a".into(),
        };
        let sample = if self.rng.bool() { sample.to_uppercase() } else { sample.to_lowercase() };
        let pattern = if self.rng.bool() { format!("%{sample}%") } else { format!("{sample}%") };
        Condition::Like { expr, pattern, negated: self.rng.bool() }
    }

    /// Rows that another table refers to, or does not.
    fn within(&mut self) -> Condition {
        let table = self.used[0];
        let referring = self.schema.tables.iter().find_map(|child| {
            let key = child.foreign_keys.iter().find(|key| key.table == table.name)?;
            Some((child, key))
        });
        let Some((child, key)) = referring else { return Condition::Or(Vec::new()) };
        let column = Expr::column(&child.name, &key.columns[0]);
        let known = Condition::IsNull { expr: column.clone(), negated: true };
        let query = Box::new(QueryPlan::from(Select::from_table(&child.name).project(column).filter(known)));
        if self.rng.u8(..4) == 0 {
            return Condition::Exists { query, negated: self.rng.bool() };
        }
        let expr = Expr::column(&table.name, &key.references[0]);
        Condition::InQuery { expr, query, negated: self.rng.bool() }
    }

    /// A value that occurs in the column.
    fn sampled(&mut self, column: &Column) -> Expr {
        let value = match column.samples.get(self.rng.usize(..column.samples.len().max(1))) {
            Some(value) => value.clone(),
            None => Value::Null,
        };
        // SQLite has numbers where others have truth values.
        match (value, column.column_type) {
            (Value::Integer(number), ColumnType::Boolean) => Expr::literal(number != 0),
            (value, _) => Expr::Literal(value),
        }
    }

    fn comparison(&mut self) -> Comparison {
        let comparisons = [
            Comparison::Equal,
            Comparison::NotEqual,
            Comparison::Less,
            Comparison::LessOrEqual,
            Comparison::Greater,
            Comparison::GreaterOrEqual,
        ];
        comparisons[self.rng.usize(..comparisons.len())]
    }

    fn direction(&mut self) -> Direction {
        if self.rng.bool() { Direction::Ascending } else { Direction::Descending }
    }

    fn cut(&mut self, plan: &mut QueryPlan) {
        plan.limit = self.rng.bool().then(|| self.rng.u64(1..12));
        plan.offset = (self.rng.u8(..3) == 0).then(|| self.rng.u64(..5));
    }
}
