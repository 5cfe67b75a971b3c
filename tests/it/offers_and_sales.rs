//! What things are offered at and what they were sold for, rates and rankings, and kinds that stand for rows.

use crate::support::{File, rows};

const ACADEMY: &str = "
CREATE TABLE Teacher (TeacherID INTEGER PRIMARY KEY, FullName TEXT);
CREATE TABLE Learner (LearnerID INTEGER PRIMARY KEY, FullName TEXT, Email TEXT);
CREATE TABLE Course (
  CourseID INTEGER PRIMARY KEY, Title TEXT, Topic TEXT, ListPrice REAL, DurationHours REAL, TeacherID INTEGER REFERENCES Teacher(TeacherID)
);
CREATE TABLE Enrollment (
  EnrollmentID INTEGER PRIMARY KEY, LearnerID INTEGER REFERENCES Learner(LearnerID), CourseID INTEGER REFERENCES Course(CourseID),
  EnrolledDate TEXT, CompletedDate TEXT, PricePaid REAL
);
CREATE TABLE CourseReview (
  ReviewID INTEGER PRIMARY KEY, CourseID INTEGER REFERENCES Course(CourseID), LearnerID INTEGER REFERENCES Learner(LearnerID), Stars INTEGER, PostedDate TEXT
);
CREATE TABLE Refund (RefundID INTEGER PRIMARY KEY, EnrollmentID INTEGER REFERENCES Enrollment(EnrollmentID), Amount REAL, RefundDate TEXT);
INSERT INTO Teacher VALUES (1, 'Ines Wolf'), (2, 'Jan Pohl');
INSERT INTO Learner VALUES (1, 'Ann Ash', 'a@x.example'), (2, 'Ben Bell', 'b@x.example'), (3, 'Cid Cole', 'c@x.example'), (4, 'Dov Dale', 'd@x.example');
INSERT INTO Course VALUES (1, 'Bread', 'Food', 100.0, 4.0, 1), (2, 'Cake', 'Food', 20.0, 9.0, 2), (3, 'Wood', 'Craft', 50.0, 6.0, 1);
INSERT INTO Enrollment VALUES
  (1, 1, 1, '2026-01-05', NULL, 40.0), (2, 1, 2, '2026-02-05', '2026-03-01', 20.0), (3, 2, 2, '2026-02-07', NULL, 20.0),
  (4, 3, 2, '2026-04-01', '2026-06-01', 10.0), (5, 3, 3, '2026-05-01', '2026-05-20', 50.0), (6, 2, 3, '2026-05-02', NULL, 30.0),
  (7, 2, 1, '2026-06-02', NULL, 30.0), (8, 3, 1, '2026-07-01', NULL, 40.0);
INSERT INTO CourseReview VALUES (1, 1, 1, 5, '2026-02-01'), (2, 2, 1, 2, '2026-03-02'), (3, 3, 3, 5, '2026-06-01');
INSERT INTO Refund VALUES (1, 6, 30.0, '2026-05-03'), (2, 3, 10.0, '2026-02-09');
";

#[tokio::test]
async fn revenue_is_what_was_paid_and_not_what_was_asked() {
    let file = File::new("academy.sqlite", ACADEMY);
    let engine = file.engine();
    let found = rows(&engine, "revenue by topic").await;
    assert!(found.iter().any(|row| row.contains("80")), "{found:?}");
    assert!(found.iter().any(|row| row.contains("160")), "{found:?}");
    let found = rows(&engine, "refunds as a percentage of revenue").await;
    assert!(matches!(found.as_slice(), [one] if one.starts_with("16.6")), "{found:?}");
}

#[tokio::test]
async fn a_rate_of_mishaps_is_of_what_they_happened_to() {
    let file = File::new("academy.sqlite", ACADEMY);
    let engine = file.engine();
    assert_eq!(rows(&engine, "refund rate").await, ["25"]);
    let found = rows(&engine, "course with the highest refund rate").await;
    assert!(matches!(found.as_slice(), [one] if one.starts_with("Wood")), "{found:?}");
    let found = rows(&engine, "course with the highest completion rate").await;
    assert!(matches!(found.as_slice(), [one] if one.starts_with("Cake")), "{found:?}");
}

#[tokio::test]
async fn what_was_completed_is_not_merely_had() {
    let file = File::new("academy.sqlite", ACADEMY);
    let engine = file.engine();
    let found = rows(&engine, "percentage of learners who completed at least one course").await;
    assert_eq!(found, ["50"]);
}

#[tokio::test]
async fn numbers_before_names_say_which_rows() {
    let file = File::new("academy.sqlite", ACADEMY);
    let engine = file.engine();
    let found = rows(&engine, "how many 5 star reviews are there").await;
    assert_eq!(found, ["2"]);
    let found = rows(&engine, "how many 5-star reviews are there").await;
    assert_eq!(found, ["2"]);
}

#[tokio::test]
async fn who_teaches_it_is_the_teacher() {
    let file = File::new("academy.sqlite", ACADEMY);
    let engine = file.engine();
    let found = rows(&engine, "who teaches the longest course").await;
    assert!(matches!(found.as_slice(), [one] if one.starts_with("Jan Pohl")), "{found:?}");
}

const PRACTICE: &str = "
CREATE TABLE doctors (doctor_id INTEGER PRIMARY KEY, full_name TEXT);
CREATE TABLE dining_tables (table_id INTEGER PRIMARY KEY, label TEXT, area TEXT, seats INTEGER);
CREATE TABLE appointments (
  appointment_id INTEGER PRIMARY KEY, doctor_id INTEGER REFERENCES doctors(doctor_id), starts_at TEXT, status TEXT, price REAL
);
CREATE TABLE homes (home_id INTEGER PRIMARY KEY, address TEXT, district TEXT, kind TEXT, asking_price INTEGER, bedrooms INTEGER, has_garden TEXT, has_parking TEXT);
CREATE TABLE bills (
  bill_id INTEGER PRIMARY KEY, appointment_id INTEGER REFERENCES appointments(appointment_id), issued_on TEXT, due_on TEXT, amount REAL, paid_on TEXT
);
INSERT INTO doctors VALUES (1, 'Ann Ash'), (2, 'Ben Bell');
INSERT INTO dining_tables VALUES (1, 'W1', 'window', 2), (2, 'W2', 'window', 6), (3, 'G1', 'garden', 8);
INSERT INTO appointments VALUES
  (1, 1, '2026-01-05 10:00', 'no-show', 50.0), (2, 1, '2026-01-06 10:00', 'completed', 60.0), (3, 1, '2026-01-07 10:00', 'completed', 60.0),
  (4, 2, '2026-01-08 10:00', 'no-show', 50.0), (5, 2, '2026-01-09 10:00', 'no-show', 50.0), (6, 2, '2026-01-12 10:00', 'completed', 70.0);
INSERT INTO homes VALUES
  (1, '1 Elm', 'Hill', 'house', 400, 3, 'true', 'true'), (2, '2 Elm', 'Hill', 'house', 300, 2, 'true', 'false'),
  (3, '3 Oak', 'Port', 'house', 500, 4, 'false', 'true'), (4, '4 Oak', 'Port', 'flat', 100, 2, 'false', 'false');
INSERT INTO bills VALUES
  (1, 1, '2026-01-05', '2026-02-05', 50.0, NULL), (2, 2, '2026-01-06', '2026-02-06', 60.0, '2026-01-20'), (3, 3, '2026-01-07', '2026-02-07', 90.0, '2026-03-01');
";

#[tokio::test]
async fn kinds_stand_for_their_rows() {
    let file = File::new("practice.sqlite", PRACTICE);
    let engine = file.engine();
    assert_eq!(rows(&engine, "no-shows per doctor").await, ["Ann Ash|1", "Ben Bell|2"]);
    let found = rows(&engine, "cheapest house in each district").await;
    assert!(found.len() == 2 && found.iter().any(|row| row.contains("2 Elm")), "{found:?}");
    assert!(found.iter().any(|row| row.contains("3 Oak")), "{found:?}");
    let found = rows(&engine, "doctor with the highest no-show rate").await;
    assert!(matches!(found.as_slice(), [one] if one.starts_with("Ben Bell")), "{found:?}");
}

#[tokio::test]
async fn two_flags_are_two_conditions() {
    let file = File::new("practice.sqlite", PRACTICE);
    let engine = file.engine();
    assert_eq!(rows(&engine, "2-bedroom flats").await.len(), 1);
    assert_eq!(rows(&engine, "homes that have a garden and parking").await, ["1 Elm"]);
}

#[tokio::test]
async fn what_is_overdue_is_unpaid_and_past_its_day() {
    let file = File::new("practice.sqlite", PRACTICE);
    let engine = file.engine();
    assert_eq!(rows(&engine, "how much is overdue").await, ["50"]);
    let found = rows(&engine, "bills above average").await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(rows(&engine, "how many tables have more than 4 seats").await, ["2"]);
}
