//! What is to be listed. *List employees by department* asks for the employees, department after department, and not for how many there are.

use crate::rules::compose::Draft;
use crate::rules::knowledge::{ColumnId, Knowledge};
use crate::rules::link::{Link, Target};
use crate::rules::propose::Proposal;
use crate::rules::text::Question;
use sqlogue_sql::plan::{ColumnRef, Direction, Expr, Order, Projection, QueryPlan, Select, Source, TableUse};

/// Lists the rows of groups that nobody asked to be counted.
pub(super) fn rows_of_groups(draft: &mut Draft, question: &Question, knowledge: &Knowledge) {
    let is_guess = draft.choices.iter().any(|choice| choice.name == "implicit_count");
    let plan = &draft.plan;
    let select = &plan.select;
    let is_plain = select.having.is_none()
        && plan.order_by.is_empty()
        && plan.limit.is_none()
        && plan.with.is_empty()
        && plan.set_operations.is_empty();
    if question.word(0) != "list" || !is_guess || !is_plain || select.group_by.is_empty() {
        return;
    }
    let Source::Table(used) = &select.from else { return };
    let Some(table) = knowledge.table_named(&used.table) else { return };
    let label = &knowledge.table(table).label;
    let named = label.iter().map(|id| {
        let column = ColumnRef::new(used.name().to_owned(), knowledge.column(*id).name.clone());
        Projection::from(Expr::Column(column))
    });
    // Rows that nothing names are shown as they are.
    let whole = label.is_empty().then(|| Projection::from(Expr::All(Some(used.name().to_owned()))));
    let named: Vec<Projection> = named.chain(whole).collect();
    let (counts, keys): (Vec<Projection>, Vec<Projection>) =
        select.projection.iter().cloned().partition(|shown| shown.expr == Expr::count_all());
    let are_columns = keys.iter().all(|key| matches!(key.expr, Expr::Column(_)));
    if counts.len() != 1 || keys.is_empty() || !are_columns {
        return;
    }
    let order = keys.iter().map(|key| Order { expr: key.expr.clone(), direction: Direction::Ascending });
    let order: Vec<Order> = order.collect();
    let shown: Vec<Projection> = keys.into_iter().chain(named).collect();
    draft.plan.order_by = order;
    draft.plan.select.projection = shown;
    draft.plan.select.group_by.clear();
}

/// What the readings of the grammar show that read columns asked for one after the other, behind what they are columns of, and
/// leave nothing out of the question.
pub(in crate::rules) fn columns_asked(
    parsed: &[Draft],
    leaves_nothing_out: impl Fn(&Draft) -> bool,
) -> Vec<Vec<String>> {
    let comes_first = |draft: &Draft| draft.choices.iter().any(|choice| choice.name == "columns_first");
    let read = parsed.iter().filter(|draft| lists_columns(draft) && !comes_first(draft));
    let read = read.filter(|draft| leaves_nothing_out(draft));
    read.map(|draft| columns_shown(&draft.plan.select)).collect()
}

/// Where columns are asked for one after the other, and a reading has all of them, no others are meant.
pub(super) fn columns_as_asked(all: &mut Vec<Proposal>, asked: &[Vec<String>]) {
    let shows = |proposal: &Proposal| asked.contains(&columns_shown(&proposal.draft.plan.select));
    if all.iter().any(shows) {
        all.retain(|proposal| shows(proposal) || lists_columns(&proposal.draft));
    }
}

/// True where a plan takes the *name* in *category name* for a name of its own, though it is what a column of categories says.
pub(super) fn names_apart(plan: &QueryPlan, asked: &Question, links: &[Link], knowledge: &Knowledge) -> bool {
    const NAMED: f32 = 0.9;
    let says_name = |at: &usize| matches!(asked.word(*at), "name" | "names");
    let mut said = (1..asked.tokens.len()).filter(says_name);
    let (Some(at), None) = (said.next(), said.next()) else { return false };
    let before = || links.iter().filter(|link| link.end == at && link.score >= NAMED);
    let is_thing = |link: &Link| matches!(link.target, Target::Table(_));
    if before().any(is_thing) {
        return false;
    }
    let shown = plan.select.projection.iter();
    let shown: Vec<ColumnId> = shown.filter_map(|own| knowledge.column_of(plan, &own.expr)).collect();
    let is_of = |column: ColumnId, own: ColumnId| {
        let is_name = |form: &Vec<String>| matches!(form.as_slice(), [only] if only == "name");
        own != column
            && knowledge.column(own).table == knowledge.column(column).table
            && knowledge.column(own).forms.iter().any(is_name)
    };
    before().any(|link| match link.target {
        Target::Column(column) => shown.contains(&column) && shown.iter().any(|own| is_of(column, *own)),
        _ => false,
    })
}

/// True for what was made of columns that are asked for one after the other.
fn lists_columns(draft: &Draft) -> bool {
    draft.choices.iter().any(|choice| choice.name == "columns_asked_for")
}

/// What a query shows, whatever its tables are called in it, in the order of its names.
fn columns_shown(select: &Select) -> Vec<String> {
    let used: Vec<&TableUse> = select.tables().collect();
    let table = |name: &str| {
        let known = used.iter().find(|used| used.name() == name);
        known.map_or_else(|| name.to_owned(), |used| used.table.clone())
    };
    let mut shown: Vec<String> = select
        .projection
        .iter()
        .map(|shown| match &shown.expr {
            Expr::Column(column) => format!("{}.{}", table(&column.table), column.column),
            other => format!("{other:?}"),
        })
        .collect();
    shown.sort_unstable();
    shown
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::{of_office, sql};

    #[test]
    fn a_list_by_group_shows_the_rows() {
        let by_district = of_office("list permits by district");
        let wanted = "SELECT district.district_name, permit.* FROM permit JOIN district ON permit.district_id = \
                      district.district_id ORDER BY district.district_name";
        assert!(by_district.iter().any(|sql| sql == wanted), "{by_district:?}");
        assert!(sql("books by genre").iter().any(|sql| sql.contains("count(*)")));
    }
}
