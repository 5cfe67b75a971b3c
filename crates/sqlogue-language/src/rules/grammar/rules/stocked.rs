//! What there is and what there has to be: *stock value*, *products in stock*, *below their reorder level*, *what we should reorder*.

use super::conditions::condition;
use super::measures::measure;
use crate::rules::grammar::chart::{Phrase, Rule};
use crate::rules::grammar::form::{Attr, Level, Measure, Pred};
use crate::rules::grammar::matched::Matched;
use sqlogue_sql::plan::{Aggregate, Comparison};
use sqlogue_sql::schema::Value;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "stock_value",
        pattern: "$sum? stock|inventory|stockholding|warehouse value|worth|valuation $sum? at_cost|at_unit_cost?",
        make: worth,
    },
    Rule {
        name: "value_of_stock",
        pattern: "$sum? value|worth of our|all|the? stock|inventory on_hand|at_cost|in_the_warehouse|in_stock?",
        make: worth,
    },
    Rule {
        name: "what_stock_is_worth",
        pattern: "what|how_much is our|the|all? stock|inventory of|in? NOUN? on_hand? worth|valued_at at_cost|at_unit_cost|at_purchase_price?",
        make: worth,
    },
    Rule {
        name: "tied_up_in_stock",
        pattern: "how_much|how_much_money|what is|are|do_we_have tied_up|bound|invested in our|the|all? stock|inventory at_cost|at_unit_cost?",
        make: worth,
    },
    Rule {
        name: "how_much_stock",
        pattern: "how_much|total|amount_of|quantity_of|overall stock|inventory is|are|do|does|have? there|we|it|you|they? have|has|hold|holds|left|on_hand|got?",
        make: |found| measure(Measure::Of(Aggregate::Sum, Attr::Level(found.words, Level::OnHand))),
    },
    Rule {
        name: "in_stock",
        pattern: "that|which|we? are|is|have|has|that_are? still|currently|now|left|available|already? $in_stock",
        make: |found| on_hand(found, Comparison::Greater),
    },
    Rule {
        name: "out_of_stock",
        pattern: "that|which|we? are|is|have|has|that_are|ran|run|running|with? currently|now|completely|already? $out_of_stock",
        make: |found| on_hand(found, Comparison::LessOrEqual),
    },
    Rule {
        name: "below_reorder_level",
        pattern: "that|which? are|is|have|has|fell|fallen|dropped|drop|stand|stock|with? stock|stocks|quantity|inventory? $less|below|under|beneath their|its|the|a|own? $reorder_level",
        make: |found| short(found, Comparison::Less),
    },
    Rule {
        name: "at_reorder_level",
        pattern: "that|which? are|is|have|has? at_or_below|at_or_under|at their|its|the? $reorder_level",
        make: |found| short(found, Comparison::LessOrEqual),
    },
    Rule {
        name: "to_reorder",
        pattern: "that|which|we|you|i|do_we|should_we|to|must_we|do_we_have_to|shall_we? are|is|should|must|have|has|need|needs|ought? $reorder now|again|soon|urgently?",
        make: |found| {
            // *what do we have to reorder? parts whose stock is under the minimum* says itself what that means.
            let says = |at: usize| matches!(found.lattice.question.word(at), "under" | "below" | "less");
            let is_said = (found.words.end..found.lattice.question.tokens.len()).any(says);
            (!is_said).then(|| short(found, Comparison::LessOrEqual)).flatten()
        },
    },
];

/// What all that is in stock is worth.
fn worth(found: &Matched<'_>) -> Option<Phrase> {
    measure(Measure::Of(Aggregate::Sum, Attr::Stock(found.words)))
}

/// More than nothing in stock, or nothing. *How many are in stock* asks for the number of pieces, and *what we keep in stock* for
/// all that is sold.
fn on_hand(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let word = |at: usize| found.lattice.question.word(at);
    let asks_number = |at: usize| {
        matches!(
            word(at),
            "much"
                | "number"
                | "total"
                | "value"
                | "worth"
                | "quantity"
                | "less"
                | "fewer"
                | "more"
                | "keep"
                | "hold"
                | "carry"
                | ","
                | ":"
        )
    };
    let counts = operator == Comparison::Greater
        && ((0..found.words.end).any(asks_number) || word(found.words.end) == "than");
    (!counts)
        .then(|| {
            condition(Pred::Compare(Attr::Level(found.words, Level::OnHand), operator, Value::Integer(0)))
        })
        .flatten()
}

/// Less in stock than there has to be.
fn short(found: &Matched<'_>, operator: Comparison) -> Option<Phrase> {
    let of = |level: Level| Attr::Level(found.words, level);
    condition(Pred::Attrs(of(Level::OnHand), operator, of(Level::Wanted)))
}

#[cfg(test)]
mod tests {
    use crate::rules::compose::testing::table;
    use crate::rules::{Knowledge, Options, understand};
    use sqlogue_sql::schema::{ColumnType, Schema};
    use sqlogue_sql::sql::{Dialect, render};

    #[test]
    fn what_there_is_is_compared_with_what_there_has_to_be() {
        use ColumnType::{Integer, Real, Text};
        let columns = [
            ("product_id", Integer),
            ("product_name", Text),
            ("list_price", Real),
            ("in_stock", Integer),
            ("reorder_level", Integer),
        ];
        let knowledge = Knowledge::from_schema(&Schema { tables: vec![table("products", &columns, &[])] });
        for (question, wanted) in [
            ("which products are below their reorder level", "WHERE in_stock < reorder_level"),
            ("products we should reorder", "WHERE in_stock <= reorder_level"),
            ("which products are low on stock?", "WHERE in_stock <= reorder_level"),
            ("products still in stock under 20", "in_stock > 0"),
            ("how many products are out of stock", "SELECT count(*) FROM products WHERE in_stock <= 0"),
        ] {
            let read = understand(question, &knowledge, &Options { readings: 6, ..Options::default() });
            let made: Vec<String> =
                read.candidates.iter().map(|one| render(&one.plan, Dialect::Sqlite)).collect();
            assert!(made.iter().any(|sql| sql.contains(wanted)), "{question}: {made:?}");
        }
    }
}
