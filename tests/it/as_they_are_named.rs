//! Names that nobody chose for reading, each on a few rows: what is asked, and the query that answers it.

use crate::as_they_are::asks;

#[tokio::test]
async fn runs_behind_a_prefix_are_cut_into_words() {
    asks(
        "CREATE TABLE hremp (hrempid INTEGER, hrempname TEXT, hrempdept INTEGER, hrempsalary REAL);
         INSERT INTO hremp VALUES (101, 'Ann', 11, 50), (102, 'Ben', 12, 60), (103, 'Cy', 11, 70), (104, 'Di', 12, 80);
         CREATE TABLE hrdept (hrdeptid INTEGER, hrdeptname TEXT);
         INSERT INTO hrdept VALUES (11, 'Sales'), (12, 'IT');
         CREATE TABLE hrpay (hrpayid INTEGER, hrpayemp INTEGER, hrpaydate TEXT, hrpayamt REAL);
         INSERT INTO hrpay VALUES (1001, 101, '2024-01-31', 5), (1002, 102, '2024-01-31', 6), (1003, 103, '2024-02-29', 7),
           (1004, 103, '2024-03-29', 7);",
        &[
            ("how many employees are there?", "SELECT count(*) FROM hremp"),
            (
                "employee name with the highest salary",
                "SELECT hrempname FROM hremp ORDER BY hrempsalary DESC LIMIT 1",
            ),
            (
                "average salary per department",
                "SELECT hrdept.hrdeptname, avg(hremp.hrempsalary) AS average_hrempsalary FROM hremp JOIN hrdept ON \
                 hremp.hrempdept = hrdept.hrdeptid GROUP BY hrdept.hrdeptid, hrdept.hrdeptname",
            ),
            (
                "total pay amount per employee",
                "SELECT hremp.hrempname, sum(hrpay.hrpayamt) AS total_hrpayamt FROM hrpay JOIN hremp ON \
                 hrpay.hrpayemp = hremp.hrempid GROUP BY hremp.hrempid, hremp.hrempname",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn types_before_names_are_no_words() {
    asks(
        "CREATE TABLE tblCustomer (lngCustomerID INTEGER PRIMARY KEY, strFirstName TEXT, strLastName TEXT, dtmBirthDate TEXT,
           curCreditLimit REAL, blnActive INTEGER);
         INSERT INTO tblCustomer VALUES (1, 'Ann', 'Lee', '1990-01-01', 100, -1), (2, 'Ben', 'Day', '1991-01-01', 200, 0),
           (3, 'Cy', 'Fox', '1980-01-01', 300, -1);
         CREATE TABLE tblProduct (lngProductID INTEGER PRIMARY KEY, strProductName TEXT, curPrice REAL);
         INSERT INTO tblProduct VALUES (1, 'Pen', 2), (2, 'Ink', 5);
         CREATE TABLE tblStore (lngStoreID INTEGER PRIMARY KEY, strTown TEXT);
         INSERT INTO tblStore VALUES (1, 'Rome');",
        &[
            ("how many active customers?", "SELECT count(*) FROM tblCustomer WHERE blnActive = -1"),
            ("average credit limit of customers", "SELECT avg(curCreditLimit) AS average_cur_credit_limit FROM tblCustomer"),
            (
                "customers born before 1985",
                "SELECT strFirstName, strLastName FROM tblCustomer WHERE dtmBirthDate < '1985-01-01'",
            ),
            ("list product names and prices", "SELECT strProductName, curPrice FROM tblProduct"),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_begins_all_tables_is_no_word() {
    asks(
        "CREATE TABLE dim_customer (customer_key INTEGER, customer_name TEXT, city TEXT);
         INSERT INTO dim_customer VALUES (501, 'Ann', 'Oslo'), (502, 'Ben', 'Rome'), (503, 'Cy', 'Oslo');
         CREATE TABLE fct_sales (sale_key INTEGER, customer_key INTEGER, amount REAL);
         INSERT INTO fct_sales VALUES (1, 501, 10), (2, 502, 20), (3, 501, 30), (4, 503, 5);",
        &[
            ("how many customers?", "SELECT count(*) FROM dim_customer"),
            (
                "total sales per city",
                "SELECT dim_customer.city, sum(fct_sales.amount) AS total_amount FROM fct_sales JOIN dim_customer ON \
                 fct_sales.customer_key = dim_customer.customer_key GROUP BY dim_customer.city",
            ),
        ],
    )
    .await;
    asks(
        "CREATE TABLE acme_customers (id INTEGER PRIMARY KEY, name TEXT);
         INSERT INTO acme_customers VALUES (1, 'Ann'), (2, 'Ben');
         CREATE TABLE acme_invoices (id INTEGER PRIMARY KEY, customer_id INTEGER, inv_dt TEXT, amt REAL);
         INSERT INTO acme_invoices VALUES (1, 1, '2024-01-01', 10), (2, 1, '2024-02-01', 20), (3, 2, '2024-03-01', 20);
         CREATE TABLE acme_visits (id INTEGER PRIMARY KEY, day TEXT);
         INSERT INTO acme_visits VALUES (1, '2024-01-02');",
        &[
            ("how many customers", "SELECT count(*) FROM acme_customers"),
            (
                "total invoice amount per customer",
                "SELECT acme_customers.name, sum(acme_invoices.amt) AS total_amt FROM acme_invoices JOIN acme_customers ON \
                 acme_invoices.customer_id = acme_customers.id GROUP BY acme_customers.id, acme_customers.name",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn abbreviations_are_read_by_what_stands_around_them() {
    asks(
        "CREATE TABLE pt (pid INTEGER, fname TEXT, lname TEXT, dob TEXT);
         INSERT INTO pt VALUES (401, 'Ann', 'Lee', '1990-01-01'), (402, 'Ben', 'Day', '1991-01-01'),
           (403, 'Cy', 'Fox', '1980-01-01');
         CREATE TABLE adm (aid INTEGER, pid INTEGER, adm_dt TEXT, adm_typ TEXT);
         INSERT INTO adm VALUES (901, 401, '2024-01-01', 'EM'), (902, 402, '2024-02-01', 'EL'), (903, 401, '2024-03-01', 'EM');
         CREATE TABLE admission_types (code TEXT, label TEXT);
         INSERT INTO admission_types VALUES ('EM', 'emergency'), ('EL', 'elective');",
        &[
            ("how many patients are there", "SELECT count(*) FROM pt"),
            (
                "how many admissions per patient",
                "SELECT pt.fname, pt.lname, count(*) AS count FROM adm JOIN pt ON adm.pid = pt.pid GROUP BY pt.pid, pt.fname, \
                 pt.lname",
            ),
            // The code is found by what it stands for.
            (
                "how many elective admissions?",
                "SELECT count(*) FROM adm JOIN admission_types ON adm.adm_typ = admission_types.code WHERE \
                 admission_types.label = 'elective'",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_view_stands_behind_the_table_that_it_shows() {
    asks(
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, total REAL, day TEXT);
         INSERT INTO orders VALUES (1, 'Ann', 10, '2024-01-01'), (2, 'Ben', 20, '2024-02-01'), (3, 'Ben', 5, '2024-02-02');
         CREATE VIEW v_orders AS SELECT * FROM orders;
         CREATE VIEW order_totals AS SELECT customer, sum(total) AS total FROM orders GROUP BY customer;
         CREATE VIEW v_good_customers AS SELECT customer FROM orders WHERE total > 8;",
        &[
            ("how many orders are there?", "SELECT count(*) FROM orders"),
            (
                "total of orders per customer",
                "SELECT customer, sum(total) AS total_2 FROM orders GROUP BY customer",
            ),
            // What only a view has is still found there.
            ("how many good customers?", "SELECT count(*) FROM v_good_customers"),
        ],
    )
    .await;
}

#[tokio::test]
async fn abbreviations_are_read_by_the_words_of_the_question() {
    asks(
        "CREATE TABLE mch (mch_cd TEXT PRIMARY KEY, mch_nm TEXT, wgt_kg INTEGER);
         INSERT INTO mch VALUES ('M1', 'Big Lathe', 900), ('M2', 'Small Lathe', 300), ('M3', 'Press', 700);
         CREATE TABLE rpr (rpr_id INTEGER PRIMARY KEY, mch_cd TEXT REFERENCES mch, rpr_dt TEXT, prc REAL);
         INSERT INTO rpr VALUES (1, 'M1', '2024-05-02', 50), (2, 'M1', '2024-06-02', 70), (3, 'M2', '2024-06-03', 20);",
        &[
            ("how many machines do we have?", "SELECT count(*) FROM mch"),
            ("how many repairs in June 2024", "SELECT count(*) FROM rpr WHERE rpr_dt >= '2024-06-01' AND rpr_dt < '2024-07-01'"),
            (
                "number of repairs per machine",
                "SELECT mch.mch_nm, count(*) AS rprs FROM rpr JOIN mch ON rpr.mch_cd = mch.mch_cd GROUP BY mch.mch_cd, mch.mch_nm",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn one_table_explains_the_codes_of_several_kinds() {
    asks(
        "CREATE TABLE tasks (task_id INTEGER PRIMARY KEY, title TEXT, task_st TEXT, prio_cd TEXT);
         INSERT INTO tasks VALUES (1, 'Paint', 'O', 'H'), (2, 'Sweep', 'D', 'L'), (3, 'Mend', 'O', 'L'), (4, 'Wash', 'X', 'M');
         CREATE TABLE lookup (typ TEXT, cd TEXT, txt TEXT, PRIMARY KEY (typ, cd));
         INSERT INTO lookup VALUES ('TASK_ST', 'O', 'ongoing'), ('TASK_ST', 'D', 'finished'), ('TASK_ST', 'X', 'abandoned'),
           ('PRIO', 'H', 'urgent'), ('PRIO', 'M', 'normal'), ('PRIO', 'L', 'trifling');",
        &[
            ("how many abandoned tasks", "SELECT count(*) FROM tasks WHERE task_st = 'X'"),
            ("which tasks are urgent?", "SELECT title FROM tasks WHERE prio_cd = 'H'"),
            (
                "tasks by priority",
                "SELECT prio_cd_text.txt, count(*) AS tasks FROM tasks LEFT JOIN \"lookup\" AS prio_cd_text ON tasks.prio_cd = \
                 prio_cd_text.cd AND prio_cd_text.typ = 'PRIO' GROUP BY prio_cd_text.txt",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_has_a_number_in_several_rows_is_counted_once() {
    asks(
        "CREATE TABLE \"Invoice Lines 2024\" (\"Invoice No\" INTEGER, Article TEXT, Buyer TEXT, Qty INTEGER, Day TEXT);
         INSERT INTO \"Invoice Lines 2024\" VALUES (1, 'Pen', 'Ann', 2, '2024-05-01'), (1, 'Ink', 'Ann', 1, '2024-05-01'),
           (2, 'Pen', 'Ben', 5, '2024-06-01'), (3, 'Cup', 'Ann', 1, '2024-06-02'), (3, 'Pen', 'Ann', 1, '2024-06-02');",
        &[
            ("how many invoices", "SELECT count(DISTINCT \"Invoice No\") FROM \"Invoice Lines 2024\""),
            ("how many invoice lines", "SELECT count(*) FROM \"Invoice Lines 2024\""),
        ],
    )
    .await;
}
