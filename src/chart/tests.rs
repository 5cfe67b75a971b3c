//! Which picture is chosen, and that every picture of every result can be drawn.

use super::{Chart, Kind, Theme};
use crate::schema::Value;

fn names(columns: &[&str]) -> Vec<String> {
    columns.iter().map(|column| (*column).to_owned()).collect()
}

fn chart(columns: &[&str], rows: &[Vec<Value>]) -> Chart {
    Chart::of(&names(columns), rows, None)
}

/// Rows of a name and a number.
fn named(rows: &[(&str, f64)]) -> Vec<Vec<Value>> {
    rows.iter().map(|(name, number)| vec![Value::from(*name), Value::from(*number)]).collect()
}

/// Every form of a chart, none of which may hold what could do harm, or a number that is none.
fn drawn(chart: &Chart) -> [String; 4] {
    let svg = |theme| chart.to_svg(theme, 600, 300);
    let spec = chart.to_vega_lite().map(|spec| spec.to_string()).unwrap_or_default();
    let drawn = [svg(Theme::Auto), svg(Theme::Dark), spec, chart.to_terminal(60, false)];
    for text in &drawn {
        let odd = ["\"NaN", "\"inf", "NaN,", "inf,"];
        assert!(!text.starts_with("<svg") || !odd.iter().any(|odd| text.contains(odd)), "{text}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    }
    drawn
}

#[test]
fn names_and_values_are_enough_to_choose() {
    let kind = |columns: &[&str], rows: &[Vec<Value>]| chart(columns, rows).kind();
    let months = named(&[("2024-01", 3.0), ("2024-02", 4.0), ("2024-03", 2.0)]);
    assert_eq!(kind(&["month", "total"], &months), Kind::Lines);
    assert_eq!(kind(&["month", "total"], &months[..2]), Kind::Bars);
    assert_eq!(kind(&["status", "orders"], &named(&[("open", 3.0), ("done", 4.0)])), Kind::Bars);
    assert_eq!(kind(&["count(*)"], &[vec![Value::from(120)]]), Kind::Number);
    assert_eq!(kind(&["name"], &[vec![Value::from("Ada")], vec![Value::from("Bo")]]), Kind::Table);
    assert_eq!(kind(&["name", "total"], &[]), Kind::Table);
    let pairs: Vec<Vec<Value>> =
        (0..40).map(|number| vec![Value::from(number * 7 % 40), Value::from(number)]).collect();
    assert_eq!(kind(&["price", "weight"], &pairs), Kind::Points);
    assert_eq!(kind(&["id", "weight"], &pairs), Kind::Table);
    let side_by_side = [vec![Value::from(10), Value::from(12)]];
    assert_eq!(kind(&["orders_2024", "orders_2025"], &side_by_side), Kind::Bars);
    assert_eq!(kind(&["orders", "sales"], &[vec![Value::from(1), Value::from(1_000_000)]]), Kind::Table);
}

#[test]
fn long_lists_are_cut_and_it_is_said() {
    let rows: Vec<Vec<Value>> =
        (0..67).map(|number| vec![Value::from(format!("thing {number}")), Value::from(number)]).collect();
    let bars = chart(&["thing", "stock"], &rows);
    assert_eq!((bars.kind(), bars.notes()), (Kind::Bars, &["And 37 others are not drawn.".to_owned()][..]));
    let [svg, _, spec, terminal] = drawn(&bars);
    assert!(svg.contains("thing 66") && !svg.contains("thing 36<"), "the largest are kept");
    assert!(spec.contains("And 37 others") && terminal.ends_with("And 37 others are not drawn.\n"));
}

#[test]
fn nothing_is_drawn_as_if_it_were_something() {
    let mut rows = named(&[("Rome", 3.5), ("Oslo", -2.0)]);
    rows.push(vec![Value::Null, Value::from(1.0)]);
    rows.push(vec![Value::from("Bern"), Value::Null]);
    let bars = chart(&["city", "change"], &rows);
    assert_eq!(
        bars.to_terminal(50, false),
        "Change by city\n  \
           Rome               ████████████████████████ 3.5\n\
         (none)               ██████▉ 1.0\n  \
           Oslo ██████████████ -2.0\n  \
           Bern                NULL\n"
    );
    assert!(drawn(&bars)[0].contains(">NULL</text>"));
    let mut months = named(&[("2024-01", 3.0), ("2024-02", 4.0), ("2024-03", 2.0), ("2024-04", 5.0)]);
    months[1][1] = Value::Null;
    months.push(vec![Value::Null, Value::from(9.0)]);
    let line = chart(&["month", "total"], &months);
    assert_eq!(line.notes(), ["1 row without month: not drawn."]);
    let svg = &drawn(&line)[0];
    let path = svg.lines().find(|line| line.starts_with("<path")).unwrap();
    assert_eq!(path.matches('M').count(), 2, "a gap where nothing is known: {path}");
}

#[test]
fn other_peoples_text_does_no_harm() {
    let rows = named(&[("<script>alert(\"1\")</script>", 2.0), ("a & b\u{1b}[31m\u{202e}", 1.0)]);
    let [svg, dark, _, terminal] = drawn(&chart(&["</title><b>", "n"], &rows));
    for picture in [&svg, &dark] {
        assert!(
            !picture.contains("<script") && !picture.contains("</title><b>") && !picture.contains('\u{202e}')
        );
        assert!(picture.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"));
    }
    assert!(!terminal.contains('\u{1b}') && svg.contains("prefers-color-scheme") && !dark.contains("<style"));
}

#[test]
fn odd_numbers_are_drawn_somehow() {
    let odd = [f64::NAN, f64::INFINITY, f64::MAX, f64::MIN, 1e-320, 0.0, -0.0];
    for one in odd {
        for other in odd {
            drawn(&chart(&["name", "n"], &named(&[("a", one), ("b", other), ("c", 1.0)])));
            drawn(&chart(&["month", "n"], &named(&[("2024-01", one), ("9999-12", other), ("0001-01", 1.0)])));
            let points: Vec<Vec<Value>> =
                (0..6).map(|_| vec![Value::from(one), Value::from(other)]).collect();
            drawn(&chart(&["y", "x"], &points));
            drawn(&chart(&["n"], &[vec![Value::from(one)]]));
        }
    }
}

#[test]
fn thousands_of_points_stay_a_picture() {
    let days: Vec<Vec<Value>> = (0..2_000)
        .map(|day| {
            let date = jiff::civil::date(2020, 1, 1).saturating_add(jiff::Span::new().days(day));
            vec![Value::from(date.to_string()), Value::from((day * 37 % 101) as f64)]
        })
        .collect();
    let line = chart(&["day", "orders"], &days);
    assert_eq!(line.kind(), Kind::Lines);
    let [svg, _, _, terminal] = drawn(&line);
    assert!(svg.matches("<circle").count() == 0 && svg.contains(">2023</text>"), "a line without dots");
    assert!(terminal.lines().all(|line| crate::base::text::width(line) <= 60));
    let rows: Vec<Vec<Value>> =
        (0..20_000).map(|number| vec![Value::from(number * 31 % 997), Value::from(number)]).collect();
    let points = chart(&["price", "stock"], &rows);
    assert_eq!(points.notes(), ["5,000 of 20,000 points are drawn, evenly chosen."]);
    assert_eq!(drawn(&points)[0].matches("<circle").count(), 5_000);
}

#[test]
fn at_most_eight_colours() {
    let rows: Vec<Vec<Value>> = (0..12)
        .flat_map(|city| {
            (1..=9).map(move |month| {
                vec![
                    Value::from(format!("2024-{month:02}")),
                    Value::from(format!("city {city}")),
                    Value::from(i64::from(city * 10 + month)),
                ]
            })
        })
        .collect();
    let lines = chart(&["month", "city", "orders"], &rows);
    assert_eq!(lines.kind(), Kind::Lines);
    assert_eq!(lines.notes(), ["The 8 largest of city, and 4 others that are not drawn."]);
    let svg = &drawn(&lines)[0];
    assert!(svg.matches("<path").count() == 8 && svg.contains("city 11") && !svg.contains("city 3<"));
}

#[test]
fn namesakes_keep_a_bar_each() {
    let mut people: Vec<(String, f64)> = (0..12).map(|at| (format!("person {at}"), at as f64)).collect();
    people.push(("person 3".to_owned(), 40.0));
    let rows: Vec<Vec<Value>> =
        people.iter().map(|(name, n)| vec![Value::from(name.as_str()), Value::from(*n)]).collect();
    let bars = chart(&["name", "orders"], &rows);
    assert!(bars.kind() == Kind::Bars && drawn(&bars)[0].contains("person 3 (2)"));
    let many: Vec<Vec<Value>> = rows.iter().cycle().take(40).cloned().collect();
    assert_eq!(chart(&["name", "orders"], &many).reason(), "A table: the same name comes in several rows.");
}

#[test]
fn units_stand_beside_titles() {
    let rows = named(&[("a", 3.0), ("b", 4.0)]);
    let title = |column: &str| {
        chart(&["box", column], &rows).to_terminal(60, false).lines().next().unwrap().to_owned()
    };
    assert_eq!(title("weight_kg"), "Weight by box (kg)");
    assert_eq!(title("orders_percent"), "Orders by box (%)");
    assert_eq!(title("price_per_kg"), "Price per kg by box");
    assert_eq!(title("average_days"), "Average days by box");
}

#[test]
fn a_key_beside_a_time_says_whose_each_line_is() {
    use crate::plan::{Aggregate, Expr, QueryPlan, Select};

    let (month, store) = (Expr::column("payment", "month"), Expr::column("payment", "store_id"));
    let total = Expr::aggregate(Aggregate::Sum, Expr::column("payment", "amount"));
    let mut select =
        Select::from_table("payment").project(month.clone()).project(store.clone()).project(total);
    select.group_by = vec![month, store];
    let rows: Vec<Vec<Value>> = (1..=8)
        .flat_map(|month| [1, 2].map(|store| (month, store)))
        .map(|(month, store)| {
            vec![Value::from(format!("2025-0{month}")), Value::from(store), Value::from(month * 10 + store)]
        })
        .collect();
    let columns = names(&["month", "store_id", "total_amount"]);
    let lines = Chart::of(&columns, &rows, Some(&QueryPlan::from(select)));
    assert_eq!(lines.kind(), Kind::Lines);
    assert_eq!(lines.series.len(), 2);
    drawn(&lines);
}
