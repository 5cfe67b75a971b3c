//! What a plan holds, wherever in it: tables, columns, constants, clauses.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::rules::grammar::columns::{counts_pieces, flag};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::stem::root;
use crate::rules::values::folded;
use sqlogue_sql::plan::{
    Aggregate, Arithmetic, ColumnRef, Comparison, Condition, DatePart, DateUnit, Direction, Expr, Function,
    QueryPlan, Select, Source,
};
use sqlogue_sql::schema::Value;

/// The parts of a plan, those of nested queries and set operations included.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub tables: BTreeSet<TableId>,
    /// The tables of which every column is shown.
    pub whole: BTreeSet<TableId>,
    /// Columns that are shown as they are.
    pub shown: BTreeSet<ColumnId>,
    /// Columns that are summarised.
    pub summed: BTreeSet<ColumnId>,
    /// Columns that rows are restricted by.
    pub compared: BTreeSet<ColumnId>,
    /// Columns of one row that are compared with each other.
    pub matched: BTreeSet<ColumnId>,
    /// Columns that rows are grouped by.
    pub keys: BTreeSet<ColumnId>,
    /// Columns that tables are joined by.
    pub joined: BTreeSet<ColumnId>,
    /// Columns that rows are sorted by.
    pub sorted: BTreeSet<ColumnId>,
    /// The words that tables and columns with a part in the plan are called by, without their endings.
    pub words: HashSet<String>,
    /// Constants that are texts, folded.
    pub texts: Vec<String>,
    /// Constants that are numbers, and how many rows are returned or skipped.
    pub numbers: Vec<f64>,
    pub summaries: HashSet<Aggregate>,
    pub arithmetic: HashSet<Arithmetic>,
    pub comparisons: HashSet<Comparison>,
    pub parts: HashSet<DatePart>,
    /// Units of time that dates are cut to.
    pub units: HashSet<DateUnit>,
    pub directions: Vec<Direction>,
    pub grouped: bool,
    pub distinct: bool,
    pub limited: bool,
    pub nested: bool,
    pub between: bool,
    pub pattern: bool,
    pub missing: bool,
    pub negated: bool,
    pub alternatives: bool,
    /// The outermost rows are one summary of all, or one of each group.
    pub summarises: bool,
}

/// Where an expression stands.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Role {
    Shown,
    Summed,
    Compared,
    Key,
    Sorted,
}

struct Collector<'a> {
    facts: Facts,
    names: HashMap<String, TableId>,
    knowledge: &'a Knowledge,
}

impl Facts {
    /// The parts of a plan.
    pub(super) fn of(plan: &QueryPlan, knowledge: &Knowledge) -> Self {
        let mut collector = Collector { facts: Self::default(), names: HashMap::new(), knowledge };
        collector.plan(plan);
        collector.name_words();
        collector.facts.summarises = plan.select.projection.iter().any(|shown| shown.expr.is_aggregate());
        collector.facts
    }

    /// True where two things of a kind are shown, asked for or computed: what *both* speaks of.
    pub(super) fn are_several(&self) -> bool {
        let constants = self.texts.len() + self.numbers.len();
        let shown = self.shown.len() + self.summed.len() + self.summaries.len();
        shown > 1 || constants > 1 || self.compared.len() > 1 || self.alternatives || !self.whole.is_empty()
    }

    /// True where a column has any part in the plan.
    pub(super) fn has(&self, column: ColumnId, knowledge: &Knowledge) -> bool {
        self.uses(column) || self.whole.contains(&knowledge.column(column).table)
    }

    /// True where something must be greater than something else.
    pub(super) fn is_above(&self) -> bool {
        self.between
            || self.comparisons.contains(&Comparison::Greater)
            || self.comparisons.contains(&Comparison::GreaterOrEqual)
    }

    /// True where something must be less than something else.
    pub(super) fn is_below(&self) -> bool {
        self.between
            || self.comparisons.contains(&Comparison::Less)
            || self.comparisons.contains(&Comparison::LessOrEqual)
    }

    /// True where a column has a part in the plan of its own, and not only as one of all.
    pub(super) fn uses(&self, column: ColumnId) -> bool {
        let roles = [&self.shown, &self.summed, &self.compared, &self.keys, &self.sorted];
        roles.iter().any(|role| role.contains(&column))
    }

    /// True where the key of another table's rows has a part in the plan: *orders per customer* needs no customers.
    pub(super) fn refers_to(&self, table: TableId, knowledge: &Knowledge) -> bool {
        let roles = [&self.shown, &self.summed, &self.compared, &self.keys, &self.joined, &self.sorted];
        roles
            .into_iter()
            .flatten()
            .any(|column| knowledge.joins().reference(*column).is_some_and(|edge| edge.to == table))
            || self.sums_pieces_of(table, knowledge)
    }

    /// True where the plan adds up how many pieces of a table's rows there are: *products sold*.
    pub(super) fn sums_pieces_of(&self, table: TableId, knowledge: &Knowledge) -> bool {
        self.summed.iter().any(|column| {
            let lines = knowledge.column(*column).table;
            counts_pieces(knowledge, *column) && knowledge.joins().refers(lines, table)
        })
    }

    /// True where a number decides: it is summed, sorted by or compared.
    pub(super) fn has_number(&self, knowledge: &Knowledge) -> bool {
        let mut columns = self.summed.iter().chain(&self.sorted).chain(&self.compared);
        columns.any(|id| knowledge.column(*id).kind.is_number())
    }

    /// True where rows are sorted and cut, or an extreme is looked up.
    pub(super) fn has_extreme(&self) -> bool {
        let extreme = || self.summaries.contains(&Aggregate::Max) || self.summaries.contains(&Aggregate::Min);
        self.limited && !self.directions.is_empty() || extreme()
    }
}

impl Collector<'_> {
    fn name_words(&mut self) {
        let facts = &self.facts;
        let columns = [&facts.shown, &facts.summed, &facts.compared, &facts.keys, &facts.sorted];
        let all = facts.whole.iter().flat_map(|table| &self.knowledge.table(*table).columns);
        let columns = columns.into_iter().flatten().chain(all);
        let columns = columns.flat_map(|column| &self.knowledge.column(*column).forms);
        let tables = facts.tables.iter().flat_map(|table| &self.knowledge.table(*table).forms);
        self.facts.words = columns.chain(tables).flatten().map(|word| root(word)).collect();
    }

    fn plan(&mut self, plan: &QueryPlan) {
        for named in &plan.with {
            self.facts.nested = true;
            self.plan(&named.query);
        }
        for select in plan.selects() {
            self.select(select);
        }
        for operation in &plan.set_operations {
            match operation.operator {
                sqlogue_sql::plan::SetOperator::Except => self.facts.negated = true,
                _ => self.facts.alternatives = true,
            }
        }
        for order in &plan.order_by {
            self.expr(&order.expr, Role::Sorted);
            self.facts.directions.push(order.direction);
        }
        for count in [plan.limit, plan.offset].into_iter().flatten() {
            #[expect(clippy::cast_precision_loss, reason = "nobody asks for 2^52 rows")]
            self.facts.numbers.push(count as f64);
        }
        self.facts.limited |= plan.limit.is_some();
    }

    fn select(&mut self, select: &Select) {
        if let Source::Query { query, .. } = &select.from {
            self.facts.nested = true;
            self.plan(query);
        }
        for table in select.tables() {
            if let Some(id) = self.knowledge.table_named(&table.table) {
                self.facts.tables.insert(id);
                self.names.insert(table.name().to_owned(), id);
            }
        }
        for (left, right) in select.joins.iter().flat_map(|join| &join.on) {
            let both = [self.column(left), self.column(right)];
            self.facts.joined.extend(both.into_iter().flatten());
        }
        self.facts.distinct |= select.distinct;
        self.facts.grouped |= !select.group_by.is_empty();
        if select.projection.is_empty() {
            self.all_of(select);
        }
        for shown in &select.projection {
            match &shown.expr {
                Expr::All(None) => self.all_of(select),
                expr => self.expr(expr, Role::Shown),
            }
        }
        for key in &select.group_by {
            self.expr(key, Role::Key);
        }
        for condition in select.filter.iter().chain(&select.having) {
            self.condition(condition);
        }
    }

    fn all_of(&mut self, select: &Select) {
        let tables = select.tables().filter_map(|table| self.knowledge.table_named(&table.table));
        self.facts.whole.extend(tables.collect::<Vec<_>>());
    }

    fn column(&self, column: &ColumnRef) -> Option<ColumnId> {
        let table = self.names.get(&column.table).copied();
        let table = table.or_else(|| self.knowledge.table_named(&column.table))?;
        self.knowledge.column_named(table, &column.column)
    }

    fn expr(&mut self, expr: &Expr, role: Role) {
        match expr {
            Expr::Column(column) => {
                let Some(id) = self.column(column) else { return };
                let place = match role {
                    Role::Shown => &mut self.facts.shown,
                    Role::Summed => &mut self.facts.summed,
                    Role::Compared => &mut self.facts.compared,
                    Role::Key => &mut self.facts.keys,
                    Role::Sorted => &mut self.facts.sorted,
                };
                place.insert(id);
            }
            Expr::All(Some(table)) => {
                let table = self.names.get(table).copied().or_else(|| self.knowledge.table_named(table));
                self.facts.whole.extend(table);
            }
            Expr::All(None) => {}
            Expr::Literal(value) => self.literal(value),
            Expr::Aggregate { function, distinct, argument } => {
                self.facts.summaries.insert(*function);
                self.facts.distinct |= distinct;
                if !matches!(**argument, Expr::All(_)) {
                    self.expr(argument, Role::Summed);
                }
            }
            Expr::Arithmetic { operator, left, right } => {
                self.facts.arithmetic.insert(*operator);
                self.expr(left, role);
                self.expr(right, role);
            }
            Expr::Function { function, arguments } => {
                match function {
                    Function::Extract(part) => {
                        self.facts.parts.insert(*part);
                    }
                    Function::Truncate(unit) | Function::Label(unit) => {
                        self.facts.units.insert(*unit);
                    }
                    _ => {}
                }
                arguments.iter().for_each(|argument| self.expr(argument, role));
            }
            Expr::Query(query) => {
                self.facts.nested = true;
                self.plan(query);
            }
            Expr::Case { branches, otherwise } => {
                for branch in branches {
                    self.condition(&branch.when);
                    self.expr(&branch.then, role);
                }
                otherwise.iter().for_each(|other| self.expr(other, role));
            }
            Expr::Test(condition) => self.condition(condition),
            Expr::Window(window) => {
                window.arguments.iter().for_each(|argument| self.expr(argument, role));
                window.partition_by.iter().for_each(|key| self.expr(key, Role::Key));
                for order in &window.order_by {
                    self.expr(&order.expr, Role::Sorted);
                    self.facts.directions.push(order.direction);
                }
            }
        }
    }

    /// True for a column of yes and no with the value that says no.
    fn says_no(&self, left: &Expr, right: &Expr) -> bool {
        let (Expr::Column(column), Expr::Literal(value)) = (left, right) else { return false };
        let pair = self.column(column).and_then(|id| flag(self.knowledge, id));
        pair.is_some_and(|(_, no)| no == *value)
    }

    fn literal(&mut self, value: &Value) {
        match value {
            Value::Text(text) => self.facts.texts.push(folded(text)),
            other => self.facts.numbers.extend(other.as_f64()),
        }
    }

    fn condition(&mut self, condition: &Condition) {
        for expr in own_exprs(condition) {
            self.expr(expr, Role::Compared);
        }
        match condition {
            Condition::And(all) => all.iter().for_each(|one| self.condition(one)),
            Condition::Or(all) => {
                self.facts.alternatives = true;
                all.iter().for_each(|one| self.condition(one));
            }
            Condition::Not(inner) => {
                self.facts.negated = true;
                self.condition(inner);
            }
            Condition::Compare { left, operator, right } => {
                self.facts.comparisons.insert(*operator);
                let sides = [left, right].map(|side| side.columns());
                if sides.iter().all(|side| !side.is_empty()) {
                    let ids: Vec<ColumnId> =
                        sides.into_iter().flatten().filter_map(|column| self.column(column)).collect();
                    self.facts.matched.extend(ids);
                }
                self.facts.negated |= *operator == Comparison::NotEqual || self.says_no(left, right);
            }
            Condition::Between { .. } => self.facts.between = true,
            Condition::In { list, negated, .. } => {
                self.facts.negated |= negated;
                self.facts.alternatives |= list.len() > 1;
            }
            Condition::InQuery { query, negated, .. } | Condition::Exists { query, negated } => {
                self.facts.nested = true;
                self.facts.negated |= negated;
                self.plan(query);
            }
            Condition::Like { pattern, negated, .. } => {
                self.facts.negated |= negated;
                self.facts.pattern = true;
                self.facts.texts.push(folded(pattern.trim_matches('%')));
            }
            Condition::IsNull { negated, .. } => {
                self.facts.missing = true;
                self.facts.negated |= !negated;
            }
        }
    }
}

/// The expressions of a condition itself, not of those inside it.
fn own_exprs(condition: &Condition) -> Vec<&Expr> {
    match condition {
        Condition::And(_) | Condition::Or(_) | Condition::Not(_) => Vec::new(),
        other => other.exprs(),
    }
}
