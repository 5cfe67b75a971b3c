//! Names that people would give to the columns of a result.

use super::{
    Aggregate, Arithmetic, Branch, ColumnRef, Comparison, Condition, Expr, Frame, FrameBound, Function, Join,
    JoinKind, Projection, QueryPlan, Select, TableUse, TimeUnit, Window, WindowFunction,
};
use crate::schema::{Value, row_words};

impl Expr {
    /// A name for a result's column that shows this: `month`, `total_price`, `running_orders`. None for a column, whose
    /// own name is the best, and where no name says more than the expression.
    ///
    /// `counted` names what `count(*)` counts, if that is known.
    ///
    /// ```
    /// use sqlogue_sql::plan::{Aggregate, Arithmetic, Condition, DateUnit, Expr};
    ///
    /// let placed = Expr::column("orders", "OrderDate");
    /// assert_eq!(Expr::truncate(DateUnit::Month, placed).suggested_alias(None).as_deref(), Some("month"));
    /// assert_eq!(Expr::count_all().suggested_alias(Some("Orders")).as_deref(), Some("orders"));
    /// let total = Expr::aggregate(Aggregate::Sum, Expr::column("orders", "Freight"));
    /// assert_eq!(total.suggested_alias(None).as_deref(), Some("total_freight"));
    /// let hours = Expr::arithmetic(Arithmetic::Divide, Expr::column("shifts", "minutes"), Expr::literal(60.0));
    /// assert_eq!(Expr::aggregate(Aggregate::Sum, hours).suggested_alias(None).as_deref(), Some("total_hours"));
    /// let unpaid = Condition::IsNull { expr: Expr::column("orders", "PaidOn"), negated: false };
    /// assert_eq!(Expr::count_where(unpaid).suggested_alias(None).as_deref(), Some("not_paid"));
    /// let total = Expr::aggregate(Aggregate::Sum, Expr::column("orders", "Cost Total $"));
    /// assert_eq!(total.suggested_alias(None).as_deref(), Some("cost_total"));
    /// assert_eq!(Expr::count_all().suggested_alias(Some("Sales Export (final)")).as_deref(), Some("sales"));
    /// ```
    pub fn suggested_alias(&self, counted: Option<&str>) -> Option<String> {
        match self {
            Self::Column(_) | Self::All(_) | Self::Literal(_) | Self::Test(_) => None,
            Self::Aggregate { function, argument, .. } => Some(aggregate(*function, argument, counted)),
            Self::Arithmetic { operator: Arithmetic::Divide, left, right } => {
                Some(quotient(left, right, counted))
            }
            Self::Arithmetic { operator: Arithmetic::Subtract, .. } => Some("difference".to_owned()),
            Self::Arithmetic { .. } => Some("total".to_owned()),
            Self::Function { function, arguments } => call(*function, arguments, counted),
            Self::Query(query) => {
                let [shown] = query.select.projection.as_slice() else { return None };
                shown.alias.clone().or_else(|| base(&shown.expr, None))
            }
            Self::Case { branches, .. } => {
                let names =
                    branches.iter().all(|branch| matches!(branch.then, Self::Literal(Value::Text(_))));
                names.then(|| "band".to_owned())
            }
            Self::Window(window) => Some(windowed(window, counted)),
        }
    }
}

impl QueryPlan {
    /// Gives every column of the result that has no name of its own the one that [`Select::heading`] suggests, and columns
    /// of several tables that are called alike a name with their table's. Names that are there stay, and none is given twice or to what another column of the query is called. A number of
    /// rows that is all of the result needs no name, unless it is of those alone for which a condition holds.
    pub fn name_columns(&mut self) {
        let select = &self.select;
        let is_one_number = matches!(
            select.projection.as_slice(),
            [Projection { expr: Expr::Aggregate { function: Aggregate::Count, argument, .. }, .. }]
                if !matches!(**argument, Expr::Case { .. })
        );
        // The whole of a combination is sorted by the names that its columns have.
        if is_one_number || !self.set_operations.is_empty() {
            return;
        }
        let mut taken = names_in_use(select);
        let mut names = Vec::with_capacity(select.projection.len());
        for shown in &select.projection {
            let suggested = || select.heading(&shown.expr).or_else(|| select.told_apart(&shown.expr));
            let name = shown.alias.is_none().then(suggested).flatten();
            let name = name.and_then(|name| {
                let numbered = (2..100).map(|number| format!("{name}_{number}"));
                let free = |name: &String| !taken.iter().any(|other| other.eq_ignore_ascii_case(name));
                std::iter::once(name.clone()).chain(numbered).find(free)
            });
            taken.extend(name.clone());
            names.push(name);
        }
        for (shown, name) in self.select.projection.iter_mut().zip(names) {
            shown.alias = shown.alias.take().or(name);
        }
    }
}

impl Select {
    /// What [`Expr::suggested_alias`] calls a column of this selection, which knows what rows it counts.
    pub fn heading(&self, expr: &Expr) -> Option<String> {
        expr.suggested_alias(self.counted().as_deref())
    }

    /// `manager_name` for a column that is shown beside one of another table with the same name; none for all others.
    fn told_apart(&self, expr: &Expr) -> Option<String> {
        let Expr::Column(column) = expr else { return None };
        let is_twin = |shown: &Projection| match &shown.expr {
            Expr::Column(other) => {
                shown.alias.is_none()
                    && other.column.eq_ignore_ascii_case(&column.column)
                    && !other.table.eq_ignore_ascii_case(&column.table)
            }
            _ => false,
        };
        let table = one_of(&Expr::All(None), Some(&column.table))?;
        self.projection.iter().any(is_twin).then(|| prefixed(&table, Some(snake(&column.column))))
    }

    /// The table whose rows `count(*)` counts: the only one, or the one that refers to the others. None where the columns
    /// that join them do not tell.
    fn counted(&self) -> Option<String> {
        // What is only looked up beside a row counts nothing.
        let looks_up = |join: &&Join| join.kind == JoinKind::Left && join.filter.is_some();
        let looked_up: Vec<&TableUse> = self.joins.iter().filter(looks_up).map(|join| &join.table).collect();
        let mut left: Vec<&TableUse> = self.tables().filter(|used| !looked_up.contains(used)).collect();
        if let [only] = left.as_slice() {
            return Some(only.table.clone());
        }
        let joins = self.joins.iter().filter(|join| !looks_up(join));
        for (one, other) in joins.flat_map(|join| &join.on) {
            let referred = if refers(one, other) {
                other
            } else if refers(other, one) {
                one
            } else {
                return None;
            };
            left.retain(|used| !used.name().eq_ignore_ascii_case(&referred.table));
        }
        match left.as_slice() {
            [only] => Some(only.table.clone()),
            _ => None,
        }
    }
}

/// Whether one column refers to another by its name: `customer_id` to `id`, or to a key of the same name in `customers`.
fn refers(from: &ColumnRef, to: &ColumnRef) -> bool {
    let (from, to, table) = (snake(&from.column), snake(&to.column), snake(&to.table));
    let stem = |name: &str| name.rsplit_once('_').map_or(name.to_owned(), |(stem, _)| stem.to_owned());
    let is_key = |name: &str| {
        let stem = stem(name);
        stem.len() > 2 && table.starts_with(stem.get(..stem.len() - 1).unwrap_or(&stem))
    };
    match from == to {
        true => is_key(&to),
        false => matches!(to.as_str(), "id" | "key" | "code" | "no") || is_key(&to) && !is_key(&from),
    }
}

/// What an alias must not be called: a column that is used would be hidden by it in some clauses of some dialects.
fn names_in_use(select: &Select) -> Vec<String> {
    let columns = select.exprs().into_iter().flat_map(Expr::columns).map(|column| column.column.clone());
    let on = select.joins.iter().flat_map(|join| &join.on);
    let joined = on.flat_map(|(left, right)| [left.column.clone(), right.column.clone()]);
    let aliases = select.projection.iter().filter_map(|shown| shown.alias.clone());
    columns.chain(joined).chain(aliases).collect()
}

/// What something is called inside a longer name.
fn base(expr: &Expr, counted: Option<&str>) -> Option<String> {
    match expr {
        Expr::Column(column) => Some(snake(&column.column)),
        _ => expr.suggested_alias(counted),
    }
}

fn aggregate(function: Aggregate, argument: &Expr, counted: Option<&str>) -> String {
    if let Expr::Case { branches, otherwise: None } = argument
        && let [Branch { when, then }] = branches.as_slice()
    {
        if let Some(period) = period(when) {
            let of = match function {
                Aggregate::Count => count(&Expr::All(None), counted),
                _ => aggregate(function, then, counted),
            };
            return format!("{of}_{period}");
        }
        let which = condition(when);
        return match (function, which, base(then, None)) {
            (Aggregate::Count, Some(which), _) => which,
            (_, Some(which), Some(of)) => format!("{which}_{of}"),
            (_, Some(which), None) => which,
            (_, None, _) => aggregate(function, then, counted),
        };
    }
    let prefix = match function {
        Aggregate::Count => return count(argument, counted),
        Aggregate::Sum => "total",
        Aggregate::Avg => "average",
        Aggregate::Min => "min",
        Aggregate::Max => "max",
        Aggregate::MEDIAN => "median",
        Aggregate::Deviation => "standard_deviation",
        Aggregate::Variance => "variance",
        Aggregate::Percentile(percent) | Aggregate::PercentileValue(percent) => {
            return prefixed(&format!("p{percent}"), base(argument, None));
        }
    };
    prefixed(prefix, base(argument, None))
}

fn prefixed(prefix: &str, of: Option<String>) -> String {
    match of {
        // `total_cost` and `cost_total` say it themselves.
        Some(of) if of.split('_').any(|word| word == prefix) => of,
        Some(of) => format!("{prefix}_{of}"),
        None => prefix.to_owned(),
    }
}

/// `customers` for counted customers, known by the table or by a key.
fn count(argument: &Expr, counted: Option<&str>) -> String {
    let Some(name) = counted_name(argument, counted) else { return "count".to_owned() };
    match name.strip_suffix('y') {
        _ if name.ends_with('s') => name,
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{name}s"),
    }
}

/// `order` for counted orders.
fn one_of(argument: &Expr, counted: Option<&str>) -> Option<String> {
    let name = counted_name(argument, counted)?;
    Some(match (name.strip_suffix("ies"), name.strip_suffix('s')) {
        (Some(stem), _) => format!("{stem}y"),
        (None, Some(stem)) if !stem.ends_with('s') => stem.to_owned(),
        _ => name,
    })
}

/// The name of what is counted, by the table or by a key.
fn counted_name(argument: &Expr, counted: Option<&str>) -> Option<String> {
    let name = match argument {
        Expr::Column(column) => {
            let name = snake(&column.column);
            let stem = ["_id", "_key", "_no", "_code", "id"].iter().find_map(|end| name.strip_suffix(end));
            // A bare `id` is told by its table.
            match stem {
                Some("") => snake(bare(&column.table)),
                Some(stem) => stem.to_owned(),
                None => name,
            }
        }
        Expr::All(_) => counted.map(|table| row_words(table).join("_")).unwrap_or_default(),
        _ => String::new(),
    };
    let name = name.trim_matches('_');
    (!name.is_empty()).then(|| name.to_owned())
}

/// A table's name without that of its schema.
fn bare(table: &str) -> &str {
    table.rsplit('.').next().unwrap_or(table)
}

/// What rows are called for which a condition holds: the value that tells them.
fn condition(condition: &Condition) -> Option<String> {
    match condition {
        Condition::Compare {
            left: Expr::Column(column),
            operator: Comparison::Equal,
            right: Expr::Literal(value),
        } if says_yes(value).is_some() => {
            let column = snake(&column.column);
            let name = column.strip_prefix("is_").or(column.strip_prefix("has_")).unwrap_or(&column);
            let name = ["_flg", "_flag", "_yn"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
            Some(match says_yes(value) {
                Some(true) if name == column => format!("is_{name}"),
                Some(true) => name.to_owned(),
                _ => format!("not_{name}"),
            })
        }
        Condition::Compare {
            operator: operator @ (Comparison::Equal | Comparison::NotEqual),
            right: Expr::Literal(Value::Text(text)),
            ..
        } => {
            let name = snake(text);
            let named = !name.is_empty() && name.len() <= 30;
            let name = if *operator == Comparison::Equal { name } else { format!("not_{name}") };
            named.then_some(name)
        }
        Condition::IsNull { expr: Expr::Column(column), negated } => {
            Some(known(&snake(&column.column), *negated))
        }
        Condition::And(conditions) => conditions.iter().find_map(self::condition),
        _ => None,
    }
}

/// `paid` for what has a `paid_on`, `not_paid` for the others; `with_email` and `without_email`.
fn known(column: &str, known: bool) -> String {
    let done = ["_on", "_at", "_date", "_dt", "_ts", "_day", "_time"]
        .iter()
        .find_map(|end| column.strip_suffix(end));
    match (done, known) {
        (Some(done), true) => done.to_owned(),
        (Some(done), false) => format!("not_{done}"),
        (None, true) => format!("with_{column}"),
        (None, false) => format!("without_{column}"),
    }
}

/// `2025` for a calendar year, `2025_q2` for a quarter, `2025_04` for a month.
fn period(condition: &Condition) -> Option<String> {
    let period = condition.as_period()?;
    let [from, until] = [period.from?, period.until?].map(|day| day.parse::<jiff::civil::Date>().ok());
    let (from, until) = (from?, until?);
    if from.day() != 1 || until.day() != 1 {
        return None;
    }
    let months = (i32::from(until.year()) - i32::from(from.year())) * 12 + i32::from(until.month())
        - i32::from(from.month());
    match (months, from.month()) {
        (12, 1) => Some(from.year().to_string()),
        (3, month @ (1 | 4 | 7 | 10)) => Some(format!("{}_q{}", from.year(), month / 3 + 1)),
        (1, month) => Some(format!("{}_{month:02}", from.year())),
        _ => None,
    }
}

/// Whether a value says yes or no; none for what says something else.
fn says_yes(value: &Value) -> Option<bool> {
    match value {
        Value::Boolean(yes) => Some(*yes),
        Value::Integer(1) => Some(true),
        Value::Integer(0) => Some(false),
        Value::Text(text) => match text.to_ascii_lowercase().as_str() {
            "y" | "yes" | "t" | "true" | "1" => Some(true),
            "n" | "no" | "f" | "false" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn quotient(left: &Expr, right: &Expr, counted: Option<&str>) -> String {
    // Another unit of the same: `hours` for minutes, `cost` for `cost_pence`.
    if let (Expr::Column(column), Expr::Literal(Value::Real(many))) = (left, right) {
        return in_unit(&snake(&column.column), *many);
    }
    // What there is of something for each of what is counted.
    if let (
        Expr::Aggregate { function: Aggregate::Sum, .. },
        Expr::Aggregate { function: Aggregate::Count, argument, .. },
    ) = (left, right)
        && let Some(of) = base(left, counted)
        && let Some(each) = one_of(argument, counted)
    {
        return format!("{of}_per_{each}");
    }
    let Expr::Arithmetic { operator: Arithmetic::Multiply, left: hundred, right: part } = left else {
        return "ratio".to_owned();
    };
    if !matches!(&**hundred, Expr::Literal(value) if value.as_f64() == Some(100.0)) {
        return "ratio".to_owned();
    }
    if matches!(**part, Expr::Arithmetic { operator: Arithmetic::Subtract, .. }) {
        return "growth_percent".to_owned();
    }
    match base(part, counted) {
        Some(part) if part != "count" => format!("{part}_percent"),
        _ => "percent".to_owned(),
    }
}

/// What a column is called once it is divided by so many.
fn in_unit(column: &str, many: f64) -> String {
    let cents = ["_cents", "_cent", "_pence", "_ct"].iter().find_map(|end| column.strip_suffix(end));
    if let Some(name) = cents.filter(|_| many == 100.0) {
        return name.to_owned();
    }
    let units = [
        ("minutes", 60.0, "hours"),
        ("mins", 60.0, "hours"),
        ("seconds", 60.0, "minutes"),
        ("seconds", 3600.0, "hours"),
    ];
    let unit = units.iter().find(|(unit, size, _)| *size == many && column.ends_with(unit));
    match unit {
        Some((unit, _, larger)) => format!("{}{larger}", column.strip_suffix(unit).unwrap_or_default()),
        None => column.to_owned(),
    }
}

fn call(function: Function, arguments: &[Expr], counted: Option<&str>) -> Option<String> {
    let first = arguments.first();
    match function {
        Function::Extract(part) => Some(part.name().replace(' ', "_")),
        Function::Truncate(unit) | Function::Label(unit) => Some(unit.name().to_owned()),
        Function::WeekdayName | Function::MonthName => Some(function.name().to_owned()),
        Function::Elapsed(TimeUnit::Year) if first.is_some_and(is_birth) => Some("age".to_owned()),
        Function::Elapsed(unit) => Some(unit.plural().to_owned()),
        Function::Concat => {
            let columns = arguments.iter().flat_map(Expr::columns);
            let mut names = columns.map(|column| snake(&column.column)).peekable();
            (names.peek().is_some() && names.all(|name| name.ends_with("name"))).then(|| "name".to_owned())
        }
        _ => first.and_then(|first| base(first, counted)),
    }
}

fn is_birth(expr: &Expr) -> bool {
    let is_name = |name: &str| name.contains("birth") || name.contains("born") || name == "dob";
    expr.columns().iter().any(|column| is_name(&snake(&column.column)))
}

fn windowed(window: &Window, counted: Option<&str>) -> String {
    let of = window.arguments.first().and_then(|argument| base(argument, counted));
    let prefix = match window.function {
        WindowFunction::RowNumber => return "position".to_owned(),
        WindowFunction::Rank | WindowFunction::DenseRank => return "rank".to_owned(),
        WindowFunction::CumulativeShare => return "cumulative_share".to_owned(),
        WindowFunction::Tile(_) => return "part".to_owned(),
        WindowFunction::Lag(_) => "previous",
        WindowFunction::Lead(_) => "next",
        WindowFunction::First => "first",
        WindowFunction::Last => "last",
        WindowFunction::Aggregate(function) => {
            let of = window.arguments.first().map(|argument| aggregate(function, argument, counted));
            let prefix = match window.frame {
                Some(Frame { from: FrameBound::Start, .. }) | None if !window.order_by.is_empty() => {
                    "running"
                }
                Some(_) => "moving",
                None => "overall",
            };
            return prefixed(prefix, of);
        }
    };
    prefixed(prefix, of)
}

/// `OrderDate` and `Order Date` as `order_date`.
fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut after_lower = false;
    for letter in name.chars() {
        if letter.is_alphanumeric() {
            if letter.is_uppercase() && after_lower && !out.ends_with('_') {
                out.push('_');
            }
            after_lower = letter.is_lowercase() || letter.is_ascii_digit();
            out.extend(letter.to_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    out.truncate(out.trim_end_matches('_').len());
    out
}
