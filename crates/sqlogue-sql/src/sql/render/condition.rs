//! Conditions as text.

use super::{Renderer, Scope};
use crate::plan::{Condition, Expr};
use crate::sql::quote::push;
use crate::sql::{Dialect, quote};

impl Renderer {
    pub(super) fn condition(&mut self, condition: &Condition, scope: Scope<'_>) {
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
                // MySQL takes no limit just there, and takes it one query further in.
                if self.dialect == Dialect::MySql && (query.limit.is_some() || query.offset.is_some()) {
                    self.push("(SELECT * FROM ");
                    self.nested(query);
                    self.push(" AS few)");
                } else {
                    self.nested(query);
                }
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
            Dialect::DuckDb => ("", "ILIKE", "", pattern.to_owned()),
            // The others take a backslash in a pattern for an escape.
            Dialect::Postgres => ("", "ILIKE", "", pattern.replace('\\', "\\\\")),
            // Whether case counts in MySQL is for each column's collation to say.
            Dialect::BigQuery | Dialect::MySql => {
                ("lower(", "LIKE", ")", pattern.to_lowercase().replace('\\', "\\\\"))
            }
        };
        self.push(before);
        self.operand(expr, scope);
        self.push(after);
        self.push(if negated { " NOT " } else { " " });
        self.push(operator);
        self.push(" ");
        quote::string(&mut self.out, &pattern, self.dialect);
    }
}
