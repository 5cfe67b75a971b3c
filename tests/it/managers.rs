//! Those above others in their own table, and how many are below them.

use crate::support::{File, rows};

const MUSEUM: &str = "
CREATE TABLE staff (
  staff_id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, salary INTEGER NOT NULL, manager_id INTEGER REFERENCES staff(staff_id)
);
INSERT INTO staff VALUES
  (1, 'Ada Ash', 90, NULL), (2, 'Ben Bell', 70, 1), (3, 'Cid Cole', 60, 1), (4, 'Dov Dale', 40, 2), (5, 'Eva Eck', 30, 2), (6, 'Fay Fox', 20, 2);
";

#[tokio::test]
async fn managers_are_those_who_have_people_below_them() {
    let file = File::new("museum.sqlite", MUSEUM);
    let engine = file.engine();
    for question in ["managers", "list all managers", "who are the managers?"] {
        assert_eq!(rows(&engine, question).await, ["Ada Ash", "Ben Bell"], "{question}");
    }
    assert_eq!(rows(&engine, "how many managers are there?").await, ["2"]);
    assert_eq!(rows(&engine, "average salary of managers").await, ["80"]);
    let others = ["Cid Cole", "Dov Dale", "Eva Eck", "Fay Fox"];
    assert_eq!(rows(&engine, "staff who are not managers").await, others);
    // Who is named beside them is meant, too.
    assert_eq!(rows(&engine, "each employee with their manager").await.len(), 6);
}

#[tokio::test]
async fn reports_are_counted_by_whom_they_report_to() {
    let file = File::new("museum.sqlite", MUSEUM);
    let engine = file.engine();
    for question in ["reports per manager", "number of direct reports of each manager"] {
        assert_eq!(rows(&engine, question).await, ["Ada Ash|2", "Ben Bell|3"], "{question}");
    }
    for question in
        ["who has the most direct reports?", "manager with the largest team", "who manages the most people?"]
    {
        assert_eq!(rows(&engine, question).await, ["Ben Bell|3"], "{question}");
    }
    assert_eq!(rows(&engine, "managers with more than 2 reports").await, ["Ben Bell|3"]);
    assert_eq!(rows(&engine, "average number of direct reports per manager").await, ["2.5"]);
    for question in ["who reports to nobody?", "staff who do not report to anyone"] {
        assert_eq!(rows(&engine, question).await, ["Ada Ash"], "{question}");
    }
}
