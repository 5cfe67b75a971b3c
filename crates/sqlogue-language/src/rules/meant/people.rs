//! What is said of people and not of what they deal with: *who earns the most* asks for pay, and the *best* customers are not
//! those who rate best.

use crate::rules::grammar::{WordLists, has_people, is_called, leads_up, people_of};
use crate::rules::knowledge::{ColumnId, Knowledge, TableId};
use crate::rules::link::{Link, Target};
use crate::rules::stem::{is_doer, root, stem};
use crate::rules::text::{Question, Token};
use sqlogue_sql::plan::{
    Aggregate, ColumnRef, Expr, Join, JoinKind, Projection, QueryPlan, Select, Source, TableUse,
};

/// Words that fit less well than this name nothing by themselves.
const NAMED: f32 = 0.6;

/// True where a plan takes people's takings for their pay, though the database knows what they are paid.
pub(super) fn ignores_pay(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let earns = |word: &str| matches!(word, "earn" | "earns" | "earned" | "earning");
    let who = |word: &str| matches!(word, "who" | "whoever");
    let asks = question
        .tokens
        .windows(2)
        .any(|pair| matches!(pair, [one, other] if who(&one.lower) && earns(&other.lower)));
    if !asks {
        return false;
    }
    let is_pay = |id: &ColumnId| {
        let column = knowledge.column(*id);
        let says = |form: &Vec<String>| {
            let has = |word: &str| form.iter().any(|own| own == word);
            has("salary") || has("wage") || (has("hourly") || has("hour")) && has("rate")
        };
        column.forms.iter().any(says) && is_called(knowledge, column.table, "sellers")
    };
    let pay: Vec<ColumnId> =
        knowledge.tables().flat_map(|(_, entry)| entry.columns.iter().copied()).filter(is_pay).collect();
    let uses = |id: &ColumnId| {
        let column = knowledge.column(*id);
        let table = &knowledge.table(column.table).name;
        columns(plan).iter().any(|used| used.table == *table && used.column == column.name)
    };
    !pay.is_empty() && !pay.iter().any(uses)
}

/// True where a plan puts people, or times, in order by how something else was rated, which nobody says: *our best month* is no
/// month of good marks.
pub(super) fn rates_people(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let praises = question.tokens.iter().any(|token| matches!(token.lower.as_str(), "best" | "worst"));
    let Some(order) = plan.order_by.first().filter(|_| praises) else { return false };
    let by = match &order.expr {
        Expr::Aggregate { function: Aggregate::Avg, argument, .. } => argument.as_ref(),
        other => other,
    };
    let (Expr::Column(by), Some(shown)) = (by, plan.select.projection.first().map(|one| &one.expr)) else {
        return false;
    };
    let id = |column: &ColumnRef| {
        let table = plan.select.tables().find(|table| table.name() == column.table)?;
        let table = knowledge.table_named(&table.table)?;
        Some((table, knowledge.column_named(table, &column.column)?))
    };
    let Some((rated, column)) = id(by) else { return false };
    let forms = knowledge.column(column).forms.iter().chain(&knowledge.table(rated).forms);
    let roots: Vec<String> = forms.flatten().map(|word| root(word)).collect();
    let is_said = question.tokens.iter().any(|token| roots.contains(&token.root));
    let is_rated_itself = match shown {
        Expr::Column(shown) => {
            id(shown).is_none_or(|(people, _)| rated == people || !is_called(knowledge, people, "buyers"))
        }
        time => !plan.select.group_by.contains(time),
    };
    !is_rated_itself && !is_said
}

/// True where *who* is asked, and a plan names things instead of people: *who has never borrowed a book* asks for no titles,
/// where loans tell who borrowed which book.
pub(super) fn names_things(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    if question.word(0) != "who" {
        return false;
    }
    let ordered = |expr: &Expr| plan.order_by.iter().any(|order| order.expr == *expr);
    let known = |expr: &Expr| match expr {
        Expr::Column(column) => knowledge.column_in(plan, column),
        _ => None,
    };
    let exprs = || plan.select.projection.iter().map(|shown| &shown.expr);
    let is_label = |id: &ColumnId| {
        knowledge.table(knowledge.column(*id).table).label.contains(id) && !named_for_people(knowledge, *id)
    };
    let Some(label) = exprs().filter_map(known).find(is_label) else { return false };
    let things = knowledge.column(label).table;
    // The key of the thing and numbers by which rows are ordered may stand beside.
    let is_own =
        |id: ColumnId| id == label || knowledge.column(id).table == things && knowledge.column(id).is_key;
    let alone = exprs().all(|expr| ordered(expr) || known(expr).is_some_and(is_own));
    let joins = knowledge.joins();
    // Who is above whom is somebody, too.
    let leads = |(from, _): &(ColumnId, ColumnId)| leads_up(knowledge, *from);
    let are_people = has_people(knowledge, things)
        || joins.self_references(things).any(|edge| edge.columns.iter().any(leads))
        || is_called(knowledge, things, "buyers")
        || is_called(knowledge, things, "sellers");
    let tells_who = |rows: TableId| people_of(knowledge, rows, "").is_some_and(|people| people != things);
    let below = || joins.below(things).any(tells_who);
    alone && !are_people && (tells_who(things) || below())
}

/// True where *who* is asked, and only days and numbers are shown: *who filled the most jobs* asks for no day.
pub(in crate::rules) fn shows_nobody(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let mut ids = Vec::new();
    for shown in &plan.select.projection {
        match &shown.expr {
            Expr::Column(column) => ids.push(knowledge.column_in(plan, column)),
            Expr::Aggregate { .. } => {}
            _ => return false,
        }
    }
    let is_day = |id: &Option<ColumnId>| id.is_some_and(|id| knowledge.column(id).kind.is_date());
    question.word(0) == "who" && !ids.is_empty() && ids.iter().all(is_day)
}

/// True where *full names* are asked for, and a plan shows a part of them alone.
pub(in crate::rules) fn shows_half_a_name(
    plan: &QueryPlan,
    question: &Question,
    knowledge: &Knowledge,
) -> bool {
    const PARTS: [&str; 9] =
        ["first", "last", "given", "family", "middle", "forename", "surname", "fname", "lname"];
    let says_part = |token: &Token| PARTS.contains(&token.stem.as_str()) || token.lower == "surnames";
    let is_whole = (1..question.tokens.len())
        .any(|at| question.word(at - 1) == "full" && matches!(question.word(at), "name" | "names"));
    if !is_whole || question.tokens.iter().any(says_part) {
        return false;
    }
    let shown: Vec<ColumnId> =
        columns_shown(plan).filter_map(|column| knowledge.column_in(plan, column)).collect();
    shown.iter().any(|id| {
        let label = &knowledge.table(knowledge.column(*id).table).label;
        label.len() > 1 && label.contains(id) && !label.iter().all(|part| shown.contains(part))
    })
}

/// True where it is asked what somebody buys, and a plan shows nothing but people: *what do customers who buy desks also buy*.
pub(super) fn shows_buyers(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let buys = |token: &Token| ["buy", "bought", "purchas"].iter().any(|verb| token.lower.starts_with(verb));
    let goes_on = |token: &Token| matches!(token.lower.as_str(), "buying" | "purchasing" | "ordering");
    let asks = question.word(0) == "what"
        && match question.word(1) {
            "do" | "does" | "did" | "have" | "has" => question.tokens.iter().any(buys),
            "are" => question.tokens.iter().any(goes_on),
            _ => false,
        };
    let shown = || columns_shown(plan).filter_map(|column| knowledge.column_in(plan, column));
    let of_people = |id: ColumnId| {
        let table = knowledge.column(id).table;
        is_called(knowledge, table, "buyers") || is_called(knowledge, table, "sellers")
    };
    asks && shown().next().is_some() && shown().all(of_people)
}

/// The columns that a plan shows, also within summaries.
fn columns_shown(plan: &QueryPlan) -> impl Iterator<Item = &ColumnRef> {
    plan.select.projection.iter().flat_map(|shown| shown.expr.columns())
}

/// True where it is asked who sold or served something, and a plan names those who bought it, though the rows tell who served them:
/// *who handled the most orders* asks for no customer.
pub(super) fn names_the_served(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let verb = match question.word(1) {
        "has" | "have" | "had" => 2,
        _ => 1,
    };
    let lists = WordLists::embedded();
    let serves = question
        .tokens
        .get(verb)
        .is_some_and(|token| lists.has("selling", &token.lower) || lists.has("selling", &token.root));
    if question.word(0) != "who" || !serves {
        return false;
    }
    let known = |expr: &Expr| match expr {
        Expr::Column(column) => knowledge.column_in(plan, column),
        _ => None,
    };
    let called = |table: TableId, list: &str| is_called(knowledge, table, list);
    let shown =
        plan.select.projection.iter().find_map(|one| known(&one.expr)).map(|id| knowledge.column(id).table);
    let Some(people) = shown.filter(|table| called(*table, "buyers") && !called(*table, "sellers")) else {
        return false;
    };
    let joins = knowledge.joins();
    let serves =
        |rows: TableId| joins.refers(rows, people) && joins.above(rows).any(|other| called(other, "sellers"));
    let named: Vec<TableId> =
        plan.select.tables().filter_map(|table| knowledge.table_named(&table.table)).collect();
    named.into_iter().any(serves)
}

/// Counts those who did something, and not what they did, where a word for them is all that names the rows: *reviewers per category*.
pub(super) fn count_doers(plan: &mut QueryPlan, question: &Question, knowledge: &Knowledge) {
    let Source::Table(rows) = &plan.select.from else { return };
    let Some(table) = knowledge.table_named(&rows.table) else { return };
    let entry = knowledge.table(table);
    let names =
        |token: &Token| entry.forms.iter().filter_map(|form| form.last()).any(|own| root(own) == token.root);
    let mut named = question.tokens.iter().filter(|token| names(token)).peekable();
    let is_doer = |token: &Token| {
        entry.forms.iter().filter_map(|form| form.last()).all(|own| is_doer(&token.stem, own))
    };
    if named.peek().is_none() || !named.all(is_doer) || has_people(knowledge, table) {
        return;
    }
    let mut doers = entry.columns.iter().filter(|id| {
        let edge = knowledge.joins().reference(**id);
        edge.is_some_and(|edge| has_people(knowledge, edge.to) || is_called(knowledge, edge.to, "buyers"))
    });
    let (Some(doer), None) = (doers.next(), doers.next()) else { return };
    let column = ColumnRef::new(rows.name().to_owned(), knowledge.column(*doer).name.clone());
    for shown in &mut plan.select.projection {
        if let Expr::Aggregate { function: Aggregate::Count, distinct, argument } = &mut shown.expr
            && matches!(argument.as_ref(), Expr::All(_))
        {
            *distinct = true;
            **argument = Expr::Column(column.clone());
        }
    }
}

/// True where somebody's superiors are asked for, and a plan lists everybody with theirs: *managers* are those who have people
/// below them.
pub(super) fn lists_everybody(plan: &QueryPlan, question: &Question, knowledge: &Knowledge) -> bool {
    let words: Vec<&str> = question.tokens.iter().map(|token| token.lower.as_str()).collect();
    let says = |phrase: &Vec<&str>| words.windows(phrase.len()).any(|said| said == phrase.as_slice());
    let select = &plan.select;
    let Source::Table(own) = &select.from else { return false };
    let Some(people) = knowledge.table_named(&own.table) else { return false };
    let is_self_join = |join: &Join| join.kind == JoinKind::Left && join.table.table == own.table;
    let below: Vec<&String> = knowledge.table(people).forms.iter().filter_map(|form| form.last()).collect();
    // *employees and their managers*, *everybody with managers*, *managers by employee*.
    let names_them = question.tokens.iter().any(|token| below.contains(&&token.stem))
        || words.iter().any(|word| {
            matches!(
                *word,
                "and" | "with" | "their" | "each" | "every" | "everybody" | "everyone" | "by" | "per"
            )
        })
        || words.iter().any(|word| is_word_for_people(word));
    select.group_by.is_empty()
        && matches!(select.joins.as_slice(), [join] if is_self_join(join))
        && !names_them
        && WordLists::embedded().list("superiors").iter().any(says)
}

/// True for words for people of any kind.
fn is_word_for_people(word: &str) -> bool {
    ["sellers", "buyers"].iter().any(|list| WordLists::embedded().has(list, root(word).as_str()))
}

/// True where *people* were taken for those who work there, and nothing but that word names them, though others are told who come,
/// buy or belong: *people who never had an appointment* are patients.
pub(super) fn takes_staff(plan: &QueryPlan, links: &[Link], asked: &Question, knowledge: &Knowledge) -> bool {
    let is_anybody =
        |at: usize| matches!(asked.word(at), "people" | "persons" | "anyone" | "anybody" | "somebody");
    if !(0..asked.tokens.len()).any(is_anybody) {
        return false;
    }
    let used: Vec<TableId> =
        plan.select.tables().filter_map(|used| knowledge.table_named(&used.table)).collect();
    let works =
        |table: &TableId| is_called(knowledge, *table, "sellers") && !is_called(knowledge, *table, "buyers");
    let Some(staff) = used.iter().copied().find(works) else { return false };
    let names_staff = |link: &Link| {
        let is_theirs = match &link.target {
            Target::Table(table) => *table == staff,
            Target::Column(column) => knowledge.column(*column).table == staff,
            Target::Value(value) => {
                value.column.is_some_and(|column| knowledge.column(column).table == staff)
            }
            _ => false,
        };
        is_theirs && link.score >= NAMED && !is_anybody(link.start)
    };
    let is_meant = |table: TableId| {
        let refer = |other: &TableId| *other == staff || knowledge.joins().refers(*other, table);
        !used.contains(&table)
            && is_called(knowledge, table, "buyers")
            && has_people(knowledge, table)
            && used.iter().all(refer)
    };
    !links.iter().any(names_staff) && knowledge.tables().any(|(table, _)| is_meant(table))
}

/// Shows who it was where *who* is asked and a plan shows whole rows that refer to people: the actor, and not the row of the cast.
pub(super) fn name_them(plan: &mut QueryPlan, question: &Question, knowledge: &Knowledge) {
    name_own(plan, question, knowledge);
    if let Some((join, names)) = those_of(plan, knowledge).filter(|_| question.word(0) == "who") {
        let by: Vec<Projection> =
            plan.order_by.iter().map(|order| Projection::from(order.expr.clone())).collect();
        plan.select.projection =
            names.into_iter().map(|name| Projection::from(Expr::Column(name))).chain(by).collect();
        plan.select.joins.push(join);
    }
}

/// Shows the name of somebody that rows tell themselves, where *who* is asked and a plan shows the rows whole or by their number.
fn name_own(plan: &mut QueryPlan, question: &Question, knowledge: &Knowledge) {
    let Source::Table(used) = &plan.select.from else { return };
    let Some(rows) = knowledge.table_named(&used.table).filter(|_| question.word(0) == "who") else { return };
    let entry = knowledge.table(rows);
    if !plan.select.joins.is_empty() || !plan.set_operations.is_empty() || !entry.label.is_empty() {
        return;
    }
    let is_name = |id: &ColumnId| {
        let ends = |form: &Vec<String>| form.last().is_some_and(|last| last == "name");
        knowledge.column(*id).forms.iter().any(ends) && named_for_people(knowledge, *id)
    };
    let Some(name) = entry.columns.iter().copied().find(is_name) else { return };
    let name = Expr::Column(ColumnRef::new(used.name().to_owned(), knowledge.column(name).name.clone()));
    let is_row = |shown: &Expr| match shown {
        Expr::All(_) => true,
        Expr::Column(column) => knowledge.column_named(rows, &column.column).is_some_and(|id| {
            let column = knowledge.column(id);
            column.says_which() && !column.is_foreign && !column.shared_number
        }),
        _ => false,
    };
    let is_asked = plan.select.projection.iter().any(|shown| shown.expr == name);
    let row = plan.select.projection.iter_mut().find(|shown| is_row(&shown.expr));
    if let Some(row) = row.filter(|_| !is_asked) {
        *row = Projection::from(name);
    }
}

/// The people whom the rows of one table refer to that are shown whole, and what they are called.
fn those_of(plan: &QueryPlan, knowledge: &Knowledge) -> Option<(Join, Vec<ColumnRef>)> {
    let select = &plan.select;
    let whole = |shown: &Projection| matches!(&shown.expr, Expr::All(_));
    let is_list = select.projection.len() == 1 && select.projection.iter().all(whole);
    let Source::Table(used) = &select.from else { return None };
    let rows = knowledge.table_named(&used.table)?;
    if !is_list || !select.joins.is_empty() || !plan.set_operations.is_empty() || has_people(knowledge, rows)
    {
        return None;
    }
    let joins = knowledge.joins();
    let are_people = |table: TableId| {
        has_people(knowledge, table)
            || ["buyers", "sellers"].iter().any(|list| is_called(knowledge, table, list))
    };
    let edges = joins.neighbours(rows).into_iter().flat_map(|other| joins.between(rows, other));
    let mut to_people = edges.filter(|edge| edge.from == rows && edge.to != rows && are_people(edge.to));
    let edge = to_people.next().filter(|_| to_people.next().is_none())?;
    let of = |table: &str, id: ColumnId| ColumnRef::new(table.to_owned(), knowledge.column(id).name.clone());
    let target = knowledge.table(edge.to);
    let on = edge.columns.iter().map(|(from, to)| (of(used.name(), *from), of(&target.name, *to))).collect();
    let join = Join::new(JoinKind::Inner, TableUse::new(target.name.clone()), on);
    let names: Vec<ColumnRef> = target.label.iter().map(|id| of(&target.name, *id)).collect();
    (!names.is_empty()).then_some((join, names))
}

/// True for a column that is called by what people are, such as `owner` or `author_name`.
fn named_for_people(knowledge: &Knowledge, id: ColumnId) -> bool {
    let words = ["buyers", "sellers"].into_iter().flat_map(|list| WordLists::embedded().list(list)).flatten();
    let words: Vec<String> = words.map(|word| stem(word)).collect();
    knowledge.column(id).forms.iter().flatten().any(|own| words.contains(own))
}

/// The columns of a plan, those of queries nested in it included.
fn columns(plan: &QueryPlan) -> Vec<&ColumnRef> {
    let sorts = plan.order_by.iter().map(|order| &order.expr);
    let own = plan.selects().flat_map(Select::exprs).chain(sorts).flat_map(Expr::columns);
    own.chain(plan.queries().into_iter().flat_map(columns)).collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::{sql, table};
    use crate::rules::{Knowledge, Options, understand};
    use sqlogue_sql::schema::{ColumnType, Schema};
    use sqlogue_sql::sql::{Dialect, render};

    #[test]
    fn who_did_something_is_somebody() {
        for question in ["who has never borrowed a book", "Who never borrowed a book?"] {
            let first = sql(question).into_iter().next().unwrap_or_default();
            assert!(first.contains("FROM member"), "{question}: {first}");
        }
        let now = sql("who borrowed a book this month");
        assert!(!now.iter().any(|sql| sql.starts_with("SELECT title")), "{now:?}");
        let things = sql("which books were never borrowed");
        assert!(things.iter().any(|sql| sql.starts_with("SELECT title FROM book")), "{things:?}");
    }

    #[test]
    fn what_counts_as_something_is_not_counted() {
        let genres = sql("which genres count as crime");
        assert!(!genres.is_empty() && genres.iter().all(|sql| !sql.contains("count(")), "{genres:?}");
    }

    #[test]
    fn whom_each_reports_to_is_the_one_above() {
        let columns = [
            ("employee_id", ColumnType::Integer),
            ("name", ColumnType::Text),
            ("manager_id", ColumnType::Integer),
        ];
        let employees = table("employees", &columns, &[("manager_id", "employees", "employee_id")]);
        let knowledge = Knowledge::from_schema(&Schema { tables: vec![employees] });
        for question in ["who does each employee report to", "Who do the employees report to?"] {
            let read = understand(question, &knowledge, &Options::default());
            let first =
                read.candidates.first().map(|one| render(&one.plan, Dialect::Sqlite)).unwrap_or_default();
            assert!(first.contains("LEFT JOIN employees AS manager"), "{question}: {first}");
        }
    }

    #[test]
    fn twice_bounds_a_number_of_times() {
        let more = sql("members who borrowed more than twice");
        assert!(more.first().is_some_and(|sql| sql.contains("HAVING count(*) > 2")), "{more:?}");
        let twice = sql("books with a price more than twice the average price");
        assert!(twice.iter().any(|sql| sql.contains("(2.0 * (SELECT avg(price)")), "{twice:?}");
    }
}
