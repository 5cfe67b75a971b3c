//! A practice: people who come and people who work there, states said in other words, and money that came in.

use crate::support::{File, rows};

const PRACTICE: &str = "
CREATE TABLE staff (staff_code TEXT PRIMARY KEY, full_name TEXT, role TEXT, hired_on TEXT);
CREATE TABLE patient (patient_no TEXT PRIMARY KEY, first_name TEXT, last_name TEXT, birth_date TEXT, registered_on TEXT);
CREATE TABLE appointment (
  appt_no TEXT PRIMARY KEY, patient_no TEXT REFERENCES patient(patient_no), staff_code TEXT REFERENCES staff(staff_code),
  site TEXT, starts_at TEXT, status TEXT
);
CREATE TABLE appointment_line (line_no TEXT PRIMARY KEY, appt_no TEXT REFERENCES appointment(appt_no), quantity INTEGER, unit_price REAL);
CREATE TABLE payment (payment_no TEXT PRIMARY KEY, appt_no TEXT REFERENCES appointment(appt_no), paid_on TEXT, amount REAL, payer TEXT);
INSERT INTO staff VALUES ('S1', 'Una Fell', 'dentist', '2019-01-01'), ('S2', 'Wim Oak', 'receptionist', '2020-01-01');
INSERT INTO patient VALUES ('P1', 'Ann', 'Ash', '1980-01-01', '2025-01-01'), ('P2', 'Bob', 'Birch', '1990-01-01', '2025-02-01'), ('P3', 'Cem', 'Cedar', '1970-01-01', '2026-01-01');
INSERT INTO appointment VALUES
  ('A1', 'P1', 'S1', 'North', '2026-01-10 09:00', 'done'), ('A2', 'P1', 'S1', 'South', '2026-02-10 09:00', 'no show'),
  ('A3', 'P2', 'S1', 'North', '2026-03-10 09:00', 'done'), ('A4', 'P2', 'S1', 'North', '2026-04-10 09:00', 'booked');
INSERT INTO appointment_line VALUES ('L1', 'A1', 1, 90), ('L2', 'A3', 2, 50);
INSERT INTO payment VALUES ('Y1', 'A1', '2026-01-12', 60, 'patient'), ('Y2', 'A1', '2025-12-30', 30, 'insurer'), ('Y3', 'A3', '2026-03-12', 20, 'insurer');
";

#[tokio::test]
async fn people_are_those_who_come() {
    let file = File::new("practice.sqlite", PRACTICE);
    let engine = file.engine();
    assert_eq!(rows(&engine, "which people never had an appointment?").await, ["Cem|Cedar"]);
    // Whoever was hired works there.
    let hired = rows(&engine, "people hired in 2019").await;
    assert!(hired.iter().all(|row| row.contains("Una Fell")), "{hired:?}");
}

#[tokio::test]
async fn states_are_said_in_other_words() {
    let file = File::new("practice.sqlite", PRACTICE);
    let engine = file.engine();
    assert_eq!(rows(&engine, "number of completed appointments by site").await, ["North|2"]);
    assert_eq!(rows(&engine, "how many appointments were missed?").await, ["1"]);
}

#[tokio::test]
async fn money_that_came_in_is_what_was_paid() {
    let file = File::new("practice.sqlite", PRACTICE);
    let engine = file.engine();
    for question in ["how much money did we take in in 2026?", "how much money came in in 2026?"] {
        assert_eq!(rows(&engine, question).await, ["80"], "{question}");
    }
}
