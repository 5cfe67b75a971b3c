use super::*;
use sqlogue_sql::schema::Column;

fn table(name: &str, columns: &[&str]) -> Table {
    let column = |name: &&str| Column { name: (*name).to_owned(), ..Column::default() };
    Table { name: name.into(), columns: columns.iter().map(column).collect(), ..Table::default() }
}

fn read(name: &str, words: &[&str]) -> String {
    let table = table("t", &[name]);
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let reader = Reader::new(Lexicon::embedded(), &Schema { tables: vec![table.clone()] });
    reader.columns(&table, &words)[0][0].join(" ")
}

/// Every name of a schema, read: `table: column, column`.
fn read_all(tables: &[(&str, &[&str])]) -> Vec<String> {
    let tables: Vec<Table> = tables.iter().map(|(name, columns)| table(name, columns)).collect();
    let schema = Schema { tables };
    let reader = Reader::new(Lexicon::embedded(), &schema);
    let line = |table: &Table| {
        let words = reader.table(table)[0].clone();
        let columns = reader.columns(table, &words);
        let columns: Vec<String> = columns.iter().map(|forms| forms[0].join(" ")).collect();
        format!("{}: {}", words.join(" "), columns.join(", "))
    };
    schema.tables.iter().map(line).collect()
}

#[test]
fn names_read_as_people_say_them() {
    assert_eq!(read("StudentID", &[]), "student id");
    assert_eq!(read("stu_lname", &["student"]), "student last name");
    assert_eq!(read("stuid", &["student"]), "student id");
    assert_eq!(read("countrycode", &[]), "country code");
    assert_eq!(read("season", &[]), "season");
    assert_eq!(read("pName", &["player"]), "player name");
    assert_eq!(read("aid", &["aircraft"]), "aircraft id");
    assert_eq!(read("paid", &["customer"]), "paid");
    assert_eq!(read("order_qty", &[]), "order quantity");
}

#[test]
fn runs_are_cut_into_words() {
    for (run, expected) in [
        ("custno", "customer number"),
        ("openedat", "opened at"),
        ("firstreplyat", "first reply at"),
        ("leadagentid", "lead agent id"),
        ("unhelpfulvotes", "unhelpful vote"),
        ("deliverydate", "delivery date"),
        ("trxamt", "transaction amount"),
        // What is one word stays one, and what cannot be read as a whole is left.
        ("headquarters", "headquarter"),
        ("membership", "membership"),
        ("xyzamount", "xyzamount"),
    ] {
        assert_eq!(read(run, &[]), expected, "{run}");
    }
}

#[test]
fn what_repeats_is_no_word() {
    assert_eq!(
        read_all(&[
            ("hremp", &["hrempno", "hrempname", "hrempdeptno"]),
            ("hrdept", &["hrdeptno", "hrdeptname", "hrdepttown"]),
            ("hrjob", &["hrjobcode", "hrjobtitle", "hrjobgrade"]),
        ]),
        [
            "employee: number, name, department number",
            "department: number, name, town",
            "job: code, title, grade",
        ]
    );
    assert_eq!(
        read_all(&[
            ("dim_customer", &["customer_key", "customer_name", "city"]),
            ("fct_sales", &["customer_key", "qty", "total_amount"]),
            ("tblOrders", &["strCustomerName", "intQty", "dtOrdered"]),
            ("shop.acme_people", &["xq_first_name", "xq_born", "xq_town"]),
        ]),
        [
            "customer: customer key, customer name, city",
            "sale: customer key, quantity, total amount",
            "order: customer name, quantity, ordered",
            "acme person: first name, born, town",
        ]
    );
}

#[test]
fn folded_names_read_as_the_ones_that_were_folded() {
    assert_eq!(
        read_all(&[
            ("customertickets", &["ticketid", "customerid", "openedat", "replycount", "isurgent"]),
            ("supportagents", &["agentid", "fullname", "hiredate"]),
        ]),
        [
            "customer ticket: ticket id, customer id, opened at, reply count, is urgent",
            "support agent: agent id, full name, hire date",
        ]
    );
}

#[test]
fn abbreviations_are_written_out_by_their_context() {
    let tables = [table("adm", &["adm_dt", "ward"]), table("t", &["admission_type", "discharge_type"])];
    let reader = Reader::new(Lexicon::embedded(), &Schema { tables: tables.to_vec() });
    assert_eq!(reader.table(&tables[0])[0], ["admission"]);
    let complaints = table("complaints", &["compl_no", "compl_dt"]);
    let read = read_all(&[("complaints", &["compl_no", "compl_dt"])]);
    assert_eq!(read, ["complaint: complaint number, complaint date"]);
    let reader = Reader::new(Lexicon::embedded(), &Schema { tables: vec![complaints.clone()] });
    assert!(!reader.table(&complaints).iter().flatten().any(|word| word == "completed"));
    // Where nothing decides, the others are kept too.
    let alone = table("tx", &["tx_no"]);
    let reader = Reader::new(Lexicon::embedded(), &Schema { tables: vec![alone.clone()] });
    let forms = reader.table(&alone);
    assert!(
        forms.contains(&vec!["transaction".to_owned()]) && forms.contains(&vec!["treatment".to_owned()]),
        "{forms:?}"
    );
}
