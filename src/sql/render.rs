//! A plan as SQL text.

use super::Dialect;
use super::quote::{self, push};
use super::spelling::Around;
use crate::plan::{
    Aggregate, Arithmetic, ColumnRef, Condition, Expr, Function, Join, JoinKind, Order, QueryPlan, Select,
    SetOperation, Source, TableUse,
};
use crate::schema::Value;

/// The plan as one line of SQL.
///
/// Columns are bare where one table is in use and qualified where there are more; names are quoted only where
/// they must be. Rendering cannot fail: a plan that makes no sense gives SQL that a database refuses.
///
/// ```
/// use sqlogue::plan::{Comparison, Condition, Expr, QueryPlan, Select};
/// use sqlogue::sql::{render, Dialect};
///
/// let older = Condition::compare(Expr::column("singer", "age"), Comparison::Greater, Expr::literal(20));
/// let plan = QueryPlan::from(
///     Select::from_table("singer").project(Expr::column("singer", "name")).filter(older),
/// );
/// assert_eq!(render(&plan, Dialect::Sqlite), "SELECT name FROM singer WHERE age > 20");
/// ```
pub fn render(plan: &QueryPlan, dialect: Dialect) -> String {
    let mut renderer = Renderer { dialect, out: String::with_capacity(128), depth: 0 };
    renderer.query(plan);
    renderer.out
}

struct Renderer {
    dialect: Dialect,
    out: String,
    /// In how many queries the one being written is nested.
    depth: usize,
}

/// The only source of a selection, whose columns need no qualifier.
#[derive(Clone, Copy)]
struct Scope<'a> {
    only: Option<&'a str>,
}

impl<'a> Scope<'a> {
    fn of(select: &'a Select) -> Self {
        Self { only: select.joins.is_empty().then(|| select.from.name()) }
    }
}

impl Renderer {
    fn query(&mut self, plan: &QueryPlan) {
        // Where operators bind differently, everything before an operator of another kind is put in parentheses.
        let changes = if self.dialect.combines_left_to_right() {
            0
        } else {
            let pairs = plan.set_operations.iter().zip(plan.set_operations.iter().skip(1));
            pairs.filter(|(one, next)| one.operator != next.operator).count()
        };
        // Inside an expression, parentheses in parentheses are read as an expression by some parsers; a source of
        // rows is read as one everywhere.
        let (open, close) = if self.depth == 0 { ("(", ")") } else { ("SELECT * FROM (", ") AS combined") };
        (0..changes).for_each(|_| self.push(open));
        self.select(&plan.select);
        let mut previous = plan.set_operations.first().map(|operation| operation.operator);
        for SetOperation { operator, select } in &plan.set_operations {
            if previous != Some(*operator) {
                if !self.dialect.combines_left_to_right() {
                    self.push(close);
                }
                previous = Some(*operator);
            }
            self.push(" ");
            self.push(self.dialect.set_operator(*operator));
            self.push(" ");
            self.select(select);
        }
        self.order_by(plan);
        self.limit(plan.limit, plan.offset);
    }

    fn order_by(&mut self, plan: &QueryPlan) {
        let scope = Scope::of(&plan.select);
        for (at, Order { expr, direction }) in plan.order_by.iter().enumerate() {
            self.push(if at == 0 { " ORDER BY " } else { ", " });
            self.order_key(expr, plan, scope);
            self.push(self.dialect.direction(*direction));
        }
    }

    fn order_key(&mut self, expr: &Expr, plan: &QueryPlan, scope: Scope<'_>) {
        let projection = &plan.select.projection;
        if !plan.set_operations.is_empty() {
            // The whole of a combination is sorted by its result's columns: by name, or by number where the
            // column has no name that can be relied on.
            if let Some(at) = projection.iter().position(|projected| &projected.expr == expr) {
                return match projection.get(at).map(|projected| (&projected.alias, &projected.expr)) {
                    Some((Some(alias), _)) => self.name(alias),
                    // SQLite looks for the expression, the others for the column's name.
                    Some((None, Expr::Column(column))) if self.dialect == Dialect::Sqlite => {
                        self.column(column, scope);
                    }
                    Some((None, Expr::Column(column))) => self.name(&column.column),
                    _ => push(&mut self.out, format_args!("{}", at + 1)),
                };
            }
            if let Expr::Column(column) = expr
                && self.dialect != Dialect::Sqlite
            {
                return self.name(&column.column);
            }
        }
        match expr {
            // A bare name would be taken for the alias of something else.
            Expr::Column(column)
                if projection.iter().any(|projected| {
                    projected.alias.as_deref().is_some_and(|alias| alias.eq_ignore_ascii_case(&column.column))
                        && &projected.expr != expr
                }) =>
            {
                self.column(column, Scope { only: None });
            }
            // A bare number would be taken for a result column's position.
            Expr::Literal(Value::Integer(_)) => self.around(("(", " + 0)"), expr, scope),
            _ => self.expr(expr, scope),
        }
    }

    fn limit(&mut self, limit: Option<u64>, offset: Option<u64>) {
        let bounded = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        match limit {
            Some(limit) => push(&mut self.out, format_args!(" LIMIT {}", bounded(limit))),
            None if offset.is_some() => self.push(self.dialect.no_limit()),
            None => {}
        }
        if let Some(offset) = offset {
            push(&mut self.out, format_args!(" OFFSET {}", bounded(offset)));
        }
    }

    fn select(&mut self, select: &Select) {
        let scope = Scope::of(select);
        self.push(if select.distinct { "SELECT DISTINCT " } else { "SELECT " });
        if select.projection.is_empty() {
            self.push("*");
        }
        for (at, projected) in select.projection.iter().enumerate() {
            self.comma(at);
            self.expr(&projected.expr, scope);
            if let Some(alias) = &projected.alias {
                self.push(" AS ");
                self.name(alias);
            }
        }
        self.push(" FROM ");
        match &select.from {
            Source::Table(table) => self.table_use(table),
            Source::Query { query, alias } => {
                self.nested(query);
                self.push(" AS ");
                self.name(alias);
            }
        }
        for join in &select.joins {
            self.join(join, scope);
        }
        if let Some(filter) = &select.filter {
            self.push(" WHERE ");
            self.condition(filter, scope);
        }
        for (at, expr) in select.group_by.iter().enumerate() {
            self.push(if at == 0 { " GROUP BY " } else { ", " });
            self.expr(expr, scope);
        }
        if let Some(having) = &select.having {
            self.push(" HAVING ");
            self.condition(having, scope);
        }
    }

    fn join(&mut self, join: &Join, scope: Scope<'_>) {
        self.push(match (join.kind, join.on.is_empty()) {
            (JoinKind::Inner, false) => " JOIN ",
            (JoinKind::Inner, true) => " CROSS JOIN ",
            (JoinKind::Left, _) => " LEFT JOIN ",
        });
        self.table_use(&join.table);
        if join.kind == JoinKind::Left && join.on.is_empty() {
            self.push(" ON 1 = 1");
        }
        for (at, (left, right)) in join.on.iter().enumerate() {
            self.push(if at == 0 { " ON " } else { " AND " });
            self.column(left, scope);
            self.push(" = ");
            self.column(right, scope);
        }
    }

    fn table_use(&mut self, table: &TableUse) {
        quote::table(&mut self.out, &table.table, self.dialect);
        if let Some(alias) = &table.alias {
            self.push(" AS ");
            self.name(alias);
        }
    }

    fn condition(&mut self, condition: &Condition, scope: Scope<'_>) {
        match condition {
            Condition::And(all) => self.list(all, " AND ", "1 = 1", scope),
            Condition::Or(any) => self.list(any, " OR ", "1 = 0", scope),
            Condition::Not(inner) => {
                self.push("NOT (");
                self.condition(inner, scope);
                self.push(")");
            }
            Condition::Compare { left, operator, right } => {
                self.operand(left, scope);
                push(&mut self.out, format_args!(" {} ", operator.symbol()));
                self.operand(right, scope);
            }
            Condition::Between { expr, low, high } => {
                self.operand(expr, scope);
                self.push(" BETWEEN ");
                self.operand(low, scope);
                self.push(" AND ");
                self.operand(high, scope);
            }
            // An empty list is no SQL in most dialects; nothing is in it.
            Condition::In { list, negated, .. } if list.is_empty() => {
                self.push(if *negated { "1 = 1" } else { "1 = 0" });
            }
            Condition::In { expr, list, negated } => {
                self.operand(expr, scope);
                self.push(if *negated { " NOT IN (" } else { " IN (" });
                for (at, item) in list.iter().enumerate() {
                    self.comma(at);
                    self.expr(item, scope);
                }
                self.push(")");
            }
            Condition::InQuery { expr, query, negated } => {
                self.operand(expr, scope);
                self.push(if *negated { " NOT IN " } else { " IN " });
                self.nested(query);
            }
            Condition::Like { expr, pattern, negated } => self.like(expr, pattern, *negated, scope),
            Condition::IsNull { expr, negated } => {
                self.operand(expr, scope);
                self.push(if *negated { " IS NOT NULL" } else { " IS NULL" });
            }
            Condition::Exists { query, negated } => {
                self.push(if *negated { "NOT EXISTS " } else { "EXISTS " });
                self.nested(query);
            }
        }
    }

    fn list(&mut self, conditions: &[Condition], between: &str, empty: &str, scope: Scope<'_>) {
        if conditions.is_empty() {
            self.push(empty);
        }
        for (at, condition) in conditions.iter().enumerate() {
            if at > 0 {
                self.push(between);
            }
            let nested = matches!(condition, Condition::And(list) | Condition::Or(list) if list.len() > 1);
            self.push(if nested { "(" } else { "" });
            self.condition(condition, scope);
            self.push(if nested { ")" } else { "" });
        }
    }

    fn like(&mut self, expr: &Expr, pattern: &str, negated: bool, scope: Scope<'_>) {
        let (before, operator, after, pattern) = match self.dialect {
            Dialect::Sqlite => ("", "LIKE", "", pattern.to_owned()),
            // The other two take a backslash in a pattern for an escape.
            Dialect::Postgres => ("", "ILIKE", "", pattern.replace('\\', "\\\\")),
            Dialect::BigQuery => ("lower(", "LIKE", ")", pattern.to_lowercase().replace('\\', "\\\\")),
        };
        self.push(before);
        self.operand(expr, scope);
        self.push(after);
        self.push(if negated { " NOT " } else { " " });
        self.push(operator);
        self.push(" ");
        quote::string(&mut self.out, &pattern, self.dialect);
    }

    fn expr(&mut self, expr: &Expr, scope: Scope<'_>) {
        match expr {
            Expr::Column(column) => self.column(column, scope),
            Expr::All(None) => self.push("*"),
            Expr::All(Some(table)) => {
                quote::table(&mut self.out, table, self.dialect);
                self.push(".*");
            }
            Expr::Literal(value) => quote::literal(&mut self.out, value, self.dialect),
            Expr::Aggregate { function, distinct, argument } => {
                self.push(match function {
                    Aggregate::Count => "count(",
                    Aggregate::Sum => "sum(",
                    Aggregate::Avg => "avg(",
                    Aggregate::Min => "min(",
                    Aggregate::Max => "max(",
                });
                self.push(if *distinct { "DISTINCT " } else { "" });
                self.expr(argument, scope);
                self.push(")");
            }
            Expr::Arithmetic { operator, left, right } => self.arithmetic(*operator, left, right, scope),
            Expr::Function { function, arguments } => self.function(*function, arguments, scope),
            Expr::Query(query) => self.nested(query),
        }
    }

    /// An expression beside an operator.
    fn operand(&mut self, expr: &Expr, scope: Scope<'_>) {
        match expr {
            Expr::Arithmetic { .. } => self.around(("(", ")"), expr, scope),
            _ => self.expr(expr, scope),
        }
    }

    fn arithmetic(&mut self, operator: Arithmetic, left: &Expr, right: &Expr, scope: Scope<'_>) {
        let symbol = match operator {
            Arithmetic::Add => " + ",
            Arithmetic::Subtract => " - ",
            Arithmetic::Multiply => " * ",
            Arithmetic::Divide => " / ",
        };
        if operator == Arithmetic::Divide && !is_fraction(left) && !is_fraction(right) {
            match self.dialect.dividend() {
                ("", "") => self.operand(left, scope),
                around => self.around(around, left, scope),
            }
        } else {
            self.operand(left, scope);
        }
        self.push(symbol);
        match (operator, right) {
            (Arithmetic::Divide, Expr::Literal(_)) => self.operand(right, scope),
            (Arithmetic::Divide, _) => match self.dialect.divisor() {
                ("", "") => self.operand(right, scope),
                around => self.around(around, right, scope),
            },
            _ => self.operand(right, scope),
        }
    }

    fn function(&mut self, function: Function, arguments: &[Expr], scope: Scope<'_>) {
        let name = match function {
            Function::Extract(part) => {
                let (before, after) = self.dialect.extract(part);
                self.push(before);
                self.arguments(arguments, scope);
                return self.push(after);
            }
            Function::Round if arguments.len() > 1 => {
                self.push("round(");
                for (at, argument) in arguments.iter().enumerate() {
                    self.comma(at);
                    self.around(if at == 0 { self.dialect.rounded() } else { ("", "") }, argument, scope);
                }
                return self.push(")");
            }
            Function::Lower => "lower(",
            Function::Upper => "upper(",
            Function::Length => "length(",
            Function::Abs => "abs(",
            Function::Round => "round(",
            Function::Coalesce => "coalesce(",
        };
        self.push(name);
        self.arguments(arguments, scope);
        self.push(")");
    }

    fn arguments(&mut self, arguments: &[Expr], scope: Scope<'_>) {
        for (at, argument) in arguments.iter().enumerate() {
            self.comma(at);
            self.expr(argument, scope);
        }
    }

    fn column(&mut self, column: &ColumnRef, scope: Scope<'_>) {
        // A name without a table is that of a result column, which has none.
        let bare = column.table.is_empty()
            || scope.only.is_some_and(|only| only.eq_ignore_ascii_case(&column.table));
        if !bare {
            quote::table(&mut self.out, &column.table, self.dialect);
            self.push(".");
        }
        self.name(&column.column);
    }

    fn nested(&mut self, query: &QueryPlan) {
        self.push("(");
        self.depth += 1;
        self.query(query);
        self.depth -= 1;
        self.push(")");
    }

    fn around(&mut self, (before, after): Around, expr: &Expr, scope: Scope<'_>) {
        self.push(before);
        self.expr(expr, scope);
        self.push(after);
    }

    fn comma(&mut self, at: usize) {
        self.push(if at > 0 { ", " } else { "" });
    }

    fn name(&mut self, name: &str) {
        quote::name(&mut self.out, name, self.dialect);
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }
}

/// True where a value is known to be a fraction, so that a division by it or of it keeps its own.
fn is_fraction(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(Value::Real(_)) | Expr::Aggregate { function: Aggregate::Avg, .. } => true,
        Expr::Arithmetic { operator: Arithmetic::Divide, .. } => true,
        Expr::Arithmetic { left, right, .. } => is_fraction(left) || is_fraction(right),
        _ => false,
    }
}
