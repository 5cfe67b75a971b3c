use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::*;
use crate::intent::{DialogContext, PastTurn, classify};
use sqlogue_databases::Database as _;
use sqlogue_sql::plan::{
    Aggregate, ColumnRef, Comparison, Condition, DatePart, Direction, Expr, Function, Join, JoinKind, Order,
    Select, TableUse,
};

pub(super) fn options() -> Options {
    Options { today: jiff::civil::date(2026, 11, 21), ..Options::default() }
}

pub(super) static KNOWLEDGE: LazyLock<Knowledge> = LazyLock::new(|| {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let database = sqlogue_databases::sample::open().unwrap();
        let schema = sqlogue_databases::source::introspect(&database).await.unwrap();
        let mut builder = Knowledge::builder(&schema, crate::rules::knowledge::DEFAULT_INDEX_BYTES);
        for table in &schema.tables {
            for column in &table.columns {
                let values = database.values(&table.name, &column.name, 5_000).await.unwrap();
                builder.values(&table.name, &column.name, values.into_iter().map(|(value, _)| value));
            }
        }
        builder.finish()
    })
});

pub(super) fn list(table: &str, columns: &[&str]) -> QueryPlan {
    let select = Select::from_table(table);
    QueryPlan::from(
        columns.iter().fold(select, |select, column| select.project(Expr::column(table, *column))),
    )
}

fn with(mut plan: QueryPlan, condition: Condition) -> QueryPlan {
    plan.select = plan.select.filter(condition);
    plan
}

fn is(table: &str, column: &str, value: &str) -> Condition {
    Condition::equal(Expr::column(table, column), Expr::literal(value))
}

fn sorted(mut plan: QueryPlan, column: &str, direction: Direction) -> QueryPlan {
    plan.order_by = vec![Order { expr: Expr::column("products", column), direction }];
    plan
}

/// The previous questions that the examples speak of, with their plans.
fn previous(name: &str) -> (&'static str, QueryPlan) {
    let previous = listed(name).or_else(|| summarised(name));
    previous.unwrap_or_else(|| panic!("no previous query is called {name}"))
}

/// Those that list rows.
fn listed(name: &str) -> Option<(&'static str, QueryPlan)> {
    Some(match name {
        "customers" => ("Show all customers", list("customers", &["name"])),
        "rome" => (
            "Which customers live in Rome?",
            with(list("customers", &["name"]), is("customers", "city", "Rome")),
        ),
        "products" => ("List the products with their prices", list("products", &["name", "price"])),
        "sorted" => (
            "List the products by price",
            sorted(list("products", &["name", "price"]), "price", Direction::Ascending),
        ),
        "cheap" => {
            let cheap =
                Condition::compare(Expr::column("products", "price"), Comparison::Less, Expr::literal(20));
            ("Which products cost less than 20?", with(list("products", &["name", "price"]), cheap))
        }
        "top" => {
            let mut plan = sorted(list("products", &["name"]), "price", Direction::Descending);
            plan.limit = Some(1);
            ("Which product is the most expensive?", plan)
        }
        "employees" => ("Show the name and title of the employees", list("employees", &["name", "title"])),
        "all_orders" => ("Show all orders", list("orders", &[])),
        "pending" => {
            ("Show the pending orders", with(list("orders", &[]), is("orders", "status", "pending")))
        }
        "never" => {
            let mut bought = Select::from_table("orders").project(Expr::column("orders", "customer_id"));
            bought.filter = None;
            let none = Condition::InQuery {
                expr: Expr::column("customers", "id"),
                query: Box::new(QueryPlan::from(bought)),
                negated: true,
            };
            ("Which customers have never ordered?", with(list("customers", &["name"]), none))
        }
        "categories" => {
            let mut plan = list("products", &["category"]);
            plan.select.distinct = true;
            ("What are the categories of the products?", plan)
        }
        "cities" => ("List the cities of the customers", list("customers", &["city"])),
        "buyers" => {
            let mut plan = list("customers", &["name"]);
            plan.select.joins.push(Join::new(
                JoinKind::Inner,
                TableUse::new("orders"),
                vec![(ColumnRef::new("customers", "id"), ColumnRef::new("orders", "customer_id"))],
            ));
            ("Which customers have placed orders?", plan)
        }
        _ => return None,
    })
}

/// Those that count and summarise.
fn summarised(name: &str) -> Option<(&'static str, QueryPlan)> {
    let count = |table: &str| QueryPlan::from(Select::from_table(table).project(Expr::count_all()));
    Some(match name {
        "count_orders" => ("How many orders are there?", count("orders")),
        "how_many_berlin" => {
            ("How many customers are in Berlin?", with(count("customers"), is("customers", "city", "Berlin")))
        }
        "year" => {
            let year = Expr::Function {
                function: Function::Extract(DatePart::Year),
                arguments: vec![Expr::column("orders", "order_date")],
            };
            (
                "How many orders were placed in 2024?",
                with(count("orders"), Condition::equal(year, Expr::literal(2024))),
            )
        }
        "mean" => {
            let mean = Expr::aggregate(Aggregate::Avg, Expr::column("products", "price"));
            (
                "What is the average price of the products?",
                QueryPlan::from(Select::from_table("products").project(mean)),
            )
        }
        "by_city" => {
            let city = Expr::column("customers", "city");
            let mut plan = list("customers", &["city"]);
            plan.select = plan.select.project(Expr::count_all());
            plan.select.group_by = vec![city];
            ("How many customers are in each city?", plan)
        }
        "by_category" => {
            let mut plan = list("products", &["category"]);
            let mean = Expr::aggregate(Aggregate::Avg, Expr::column("products", "price"));
            plan.select = plan.select.project(mean);
            plan.select.group_by = vec![Expr::column("products", "category")];
            ("What is the average price in each category?", plan)
        }
        "largest" => {
            let mut plan = list("products", &["category"]);
            plan.select.group_by = vec![Expr::column("products", "category")];
            plan.order_by = vec![Order { expr: Expr::count_all(), direction: Direction::Descending }];
            plan.limit = Some(1);
            ("Which category has the most products?", plan)
        }
        _ => return None,
    })
}

pub(super) fn said(result: &FollowUp) -> String {
    match result {
        FollowUp::Edits { plan, .. } | FollowUp::NewQuestion { plan, .. } => format!("{plan:#}"),
        FollowUp::NotUnderstood { evidence } => format!("not understood: {}", evidence.join("; ")),
    }
}

#[test]
fn at_least_nine_of_ten_follow_ups_of_each_kind_are_right() {
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut misses = Vec::new();
    for line in
        include_str!("../../../../../tests/data/follow_ups.tsv").lines().filter(|line| !line.starts_with('#'))
    {
        let [kind, name, input, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not four fields: {line}")
        };
        let (question, plan) = previous(name);
        let result = follow(input, &plan, &after(question, &plan), intent(input, question), &KNOWLEDGE);
        let (right, all) = kinds.entry(kind).or_default();
        *all += 1;
        if said(&result) == expected {
            *right += 1;
        } else {
            let chunks = reading::Reading::new(input, &KNOWLEDGE, options().today).chunks;
            let words: Vec<String> =
                chunks.iter().map(|chunk| format!("{}/{:?}", chunk.text, chunk.cue)).collect();
            let why = match &result {
                FollowUp::Edits { edits, evidence, .. } => {
                    format!("{} <- {}", sqlogue_sql::plan::instructions(edits), evidence.join("; "))
                }
                FollowUp::NewQuestion { question, .. } => format!("new question: {question}"),
                FollowUp::NotUnderstood { .. } => String::new(),
            };
            misses.push(format!(
                "{kind}: {input}\n  wanted {expected}\n  got    {}\n  {why}\n  {}",
                said(&result),
                words.join(" | ")
            ));
        }
    }
    let right: usize = kinds.values().map(|(right, _)| right).sum();
    let all: usize = kinds.values().map(|(_, all)| all).sum();
    assert!(kinds.values().all(|(_, all)| *all >= 5), "{kinds:?}");
    let misses = misses.join("\n");
    assert!(kinds.values().all(|(right, all)| right * 10 >= all * 9), "{kinds:?}\n{misses}");
    assert!(right * 10 >= all * 9, "{right} of {all} right\n{kinds:?}\n{misses}");
}

#[test]
fn a_column_is_revised_inline_and_a_filter_updates_the_plan() {
    use sqlogue_sql::schema::{Column, Schema, Table, Value};
    let column = |name: &str| Column { name: name.to_owned(), ..Column::default() };
    let columns = ["Id", "Name", "Vendor", "Status"].map(column).to_vec();
    let schema = Schema { tables: vec![Table { name: "Companies".to_owned(), columns, ..Table::default() }] };
    let mut builder = Knowledge::builder(&schema, crate::rules::knowledge::DEFAULT_INDEX_BYTES);
    builder.values("Companies", "Status", ["Active", "Inactive"].map(Value::from));
    builder.values("Companies", "Name", ["Acme", "Globex"].map(Value::from));
    let knowledge = builder.finish();
    let all = list("Companies", &[]);

    let first = follow("Add vendor column", &all, &after("Show me companies", &all), None, &knowledge);
    assert_eq!(said(&first), "*, Vendor from Companies");
    assert_eq!(first.weight(), Some(EditWeight::Inline));

    let FollowUp::Edits { plan, .. } = first else { panic!("not an edit: {first:?}") };
    let second = follow("Only active companies", &plan, &after("Add vendor column", &plan), None, &knowledge);
    assert_eq!(said(&second), "*, Vendor from Companies where Status = 'Active'");
    assert_eq!(second.weight(), Some(EditWeight::Update));
    let FollowUp::Edits { edits, .. } = second else { panic!("not an edit: {second:?}") };
    assert_eq!(sqlogue_sql::plan::instructions(&edits), "Add filter Status = 'Active'");
}

#[test]
fn any_input_is_read_after_any_plan() {
    let names = [
        "customers",
        "rome",
        "products",
        "sorted",
        "cheap",
        "top",
        "employees",
        "all_orders",
        "pending",
        "count_orders",
        "year",
        "mean",
        "by_city",
        "categories",
        "cities",
        "buyers",
    ];
    let said = include_str!("../../../../../tests/data/follow_ups.tsv")
        .lines()
        .filter_map(|line| line.split('\t').nth(2));
    let odd = [
        "",
        " ",
        "?",
        "'",
        "\u{0}",
        "их имена",
        "which of them",
        "not",
        "the the the",
        "top 99999999999999999999",
        ", ,",
    ];
    for (at, input) in said.chain(odd).enumerate() {
        let (question, plan) = previous(names[at % names.len()]);
        if let FollowUp::Edits { edits, plan: after, .. } =
            follow(input, &plan, &after(question, &plan), None, &KNOWLEDGE)
        {
            assert_eq!(plan.apply_all(&edits).as_ref(), Ok(&*after), "{input}");
        }
    }
}

/// What a follow-up most likely does.
pub(super) fn follow(
    input: &str,
    previous: &QueryPlan,
    earlier: &[Answered<'_>],
    intent: Option<(Intent, Confidence)>,
    knowledge: &Knowledge,
) -> FollowUp {
    propose(input, previous, earlier, intent, knowledge, &options()).follow_up
}

/// What the words of a follow-up say that it is.
fn intent(input: &str, question: &str) -> Option<(Intent, Confidence)> {
    let context = DialogContext::new([PastTurn::answered(question, "SELECT * FROM orders")]);
    let found = classify(input, &context);
    Some((found.intent, found.confidence))
}

fn after<'a>(said: &'a str, plan: &'a QueryPlan) -> [Answered<'a>; 1] {
    [Answered { said, plan }]
}
