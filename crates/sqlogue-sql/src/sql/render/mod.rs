//! A plan as SQL text.

mod condition;
mod dates;
mod expr;
mod window;

use super::Dialect;
use super::quote::{self, push};
use super::spelling::Around;
use crate::plan::{
    ColumnRef, Condition, Expr, Join, JoinKind, Order, Projection, QueryPlan, Select, SetOperation, Source,
    TableUse,
};
use crate::schema::Value;

/// The plan as one line of SQL.
///
/// Columns are bare where one table is in use and qualified where there are more; names are quoted only where
/// they must be. Rendering cannot fail: a plan that makes no sense gives SQL that a database refuses.
///
/// ```
/// use sqlogue_sql::plan::{Comparison, Condition, Expr, QueryPlan, Select};
/// use sqlogue_sql::sql::{render, Dialect};
///
/// let older = Condition::compare(Expr::column("singer", "age"), Comparison::Greater, Expr::literal(20));
/// let plan = QueryPlan::from(
///     Select::from_table("singer").project(Expr::column("singer", "name")).filter(older),
/// );
/// assert_eq!(render(&plan, Dialect::Sqlite), "SELECT name FROM singer WHERE age > 20");
/// ```
pub fn render(plan: &QueryPlan, dialect: Dialect) -> String {
    let mut renderer = Renderer { dialect, out: String::with_capacity(128), depth: 0 };
    if dialect.has_percentiles() {
        renderer.query(plan);
    } else {
        renderer.query(&plan.without_percentiles());
    }
    renderer.out
}

/// The plan as [`render`] writes it, with a name for each computed column of the result: the one of
/// [`QueryPlan::name_columns`]. This is what people read and what databases run.
///
/// ```
/// use sqlogue_sql::plan::{Aggregate, Expr, QueryPlan, Select};
/// use sqlogue_sql::sql::{render_named, Dialect};
///
/// let oldest = Expr::aggregate(Aggregate::Max, Expr::column("singer", "age"));
/// let plan = QueryPlan::from(Select::from_table("singer").project(oldest));
/// assert_eq!(render_named(&plan, Dialect::Sqlite), "SELECT max(age) AS max_age FROM singer");
/// ```
pub fn render_named(plan: &QueryPlan, dialect: Dialect) -> String {
    let mut named = plan.clone();
    named.name_columns();
    render(&named, dialect)
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
        for (at, named) in plan.with.iter().enumerate() {
            self.push(if at == 0 { "WITH " } else { ", " });
            self.name(&named.name);
            self.push(" AS ");
            self.nested(&named.query);
        }
        self.push(if plan.with.is_empty() { "" } else { " " });
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
        // A constant sorts nothing, and a number would be taken for the number of a column.
        let keys = plan.order_by.iter().filter(|key| !matches!(key.expr, Expr::Literal(_)));
        for (at, Order { expr, direction }) in keys.enumerate() {
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
        // What has a name in the result is sorted by it.
        let named = projection.iter().find(|shown| shown.expr == *expr && !matches!(expr, Expr::Column(_)));
        if let Some(alias) = named.and_then(|shown| shown.alias.as_ref()) {
            return self.name(alias);
        }
        match expr {
            Expr::Column(column) if projection.iter().any(|shown| self.hides(shown, column)) => {
                self.column(column, Scope { only: None });
            }
            // A bare number would be taken for a result column's position.
            Expr::Literal(Value::Integer(_)) => self.around(("(", " + 0)"), expr, scope),
            _ => self.shown(expr, &plan.select, scope),
        }
    }

    /// A column or a key of a group. DuckDB does not know that a key determines the other columns of its table.
    fn shown(&mut self, expr: &Expr, select: &Select, scope: Scope<'_>) {
        let is_single = matches!(expr, Expr::Column(_)) && !select.group_by.is_empty();
        if self.dialect == Dialect::DuckDb && is_single && !select.group_by.contains(expr) {
            self.around(("any_value(", ")"), expr, scope);
        } else {
            self.expr(expr, scope);
        }
    }

    /// True where the bare name of a column would be taken for that of another result column.
    fn hides(&self, shown: &Projection, column: &ColumnRef) -> bool {
        let same = |name: &str| name.eq_ignore_ascii_case(&column.column);
        match (&shown.alias, &shown.expr) {
            (_, Expr::Column(other)) if other == column => false,
            (Some(alias), _) => same(alias),
            // PostgreSQL names what is computed after a column that it is computed from.
            (None, expr) => {
                self.dialect == Dialect::Postgres && expr.columns().iter().any(|used| same(&used.column))
            }
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
            self.shown(&projected.expr, select, scope);
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
        let is_bound = !join.on.is_empty() || join.filter.is_some();
        self.push(match (join.kind, is_bound) {
            (JoinKind::Inner, true) => " JOIN ",
            (JoinKind::Inner, false) => " CROSS JOIN ",
            (JoinKind::Left, _) => " LEFT JOIN ",
        });
        self.table_use(&join.table);
        if join.kind == JoinKind::Left && !is_bound {
            self.push(" ON 1 = 1");
        }
        for (at, (left, right)) in join.on.iter().enumerate() {
            self.push(if at == 0 { " ON " } else { " AND " });
            self.column(left, scope);
            self.push(" = ");
            self.column(right, scope);
        }
        if let Some(filter) = &join.filter {
            self.push(if join.on.is_empty() { " ON " } else { " AND " });
            self.condition(&Condition::And(filter.conjuncts().to_vec()), scope);
        }
    }

    fn table_use(&mut self, table: &TableUse) {
        quote::table(&mut self.out, &table.table, self.dialect);
        if let Some(alias) = &table.alias {
            self.push(" AS ");
            self.name(alias);
        }
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
