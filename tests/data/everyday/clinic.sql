-- A group practice: doctors, patients, appointments, what was done in them and the invoices.
-- Every key is declared. Times are local, as 'YYYY-MM-DD HH:MM:SS'. The records end on 2026-11-21.
-- All people are invented. The script gives the same database on every run.

CREATE TABLE doctors (
  doctor_id INTEGER PRIMARY KEY,
  full_name TEXT NOT NULL,
  specialty TEXT NOT NULL,
  joined_on TEXT NOT NULL,
  supervisor_id INTEGER REFERENCES doctors(doctor_id)
);
CREATE TABLE patients (
  patient_id INTEGER PRIMARY KEY,
  full_name TEXT NOT NULL,
  birth_date TEXT NOT NULL,
  gender TEXT NOT NULL CHECK (gender IN ('female', 'male')),
  town TEXT NOT NULL,
  insurance TEXT NOT NULL CHECK (insurance IN ('public', 'private', 'none')),
  registered_on TEXT NOT NULL,
  email TEXT
);
CREATE TABLE appointments (
  appointment_id INTEGER PRIMARY KEY,
  patient_id INTEGER NOT NULL REFERENCES patients(patient_id),
  doctor_id INTEGER NOT NULL REFERENCES doctors(doctor_id),
  booked_on TEXT NOT NULL,
  starts_at TEXT NOT NULL,
  minutes INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('completed', 'cancelled', 'no-show')),
  room TEXT
);
CREATE TABLE procedures (
  procedure_id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  category TEXT NOT NULL,
  list_price REAL NOT NULL
);
CREATE TABLE treatments (
  treatment_id INTEGER PRIMARY KEY,
  appointment_id INTEGER NOT NULL REFERENCES appointments(appointment_id),
  procedure_id INTEGER NOT NULL REFERENCES procedures(procedure_id),
  price REAL NOT NULL
);
CREATE TABLE invoices (
  invoice_id INTEGER PRIMARY KEY,
  appointment_id INTEGER NOT NULL REFERENCES appointments(appointment_id),
  patient_id INTEGER NOT NULL REFERENCES patients(patient_id),
  issued_on TEXT NOT NULL,
  due_on TEXT NOT NULL,
  amount REAL NOT NULL,
  paid_on TEXT
);

-- Even draws: eight full-period generators modulo the prime 2^31 - 1.
CREATE TEMP TABLE draws AS
WITH RECURSIVE d(i, a, b, c, d, e, f, g, h) AS (
  SELECT 1, 11939, 400721, 7190313, 90211, 5588321, 1777, 626262, 31415927
  UNION ALL
  SELECT i + 1, a * 48271 % 2147483647, b * 69621 % 2147483647, c * 16807 % 2147483647, d * 39373 % 2147483647,
         e * 630360016 % 2147483647, f * 742938285 % 2147483647, g * 950706376 % 2147483647, h * 1226874159 % 2147483647
  FROM d WHERE i < 2600)
SELECT * FROM d;

CREATE TEMP TABLE first_names (n INTEGER PRIMARY KEY, name TEXT, gender TEXT);
INSERT INTO first_names (name, gender) VALUES ('Ada', 'female'), ('Ben', 'male'), ('Carla', 'female'), ('Dmitri', 'male'),
  ('Elena', 'female'), ('Farid', 'male'), ('Greta', 'female'), ('Hugo', 'male'), ('Ines', 'female'), ('Jonas', 'male'),
  ('Katya', 'female'), ('Leon', 'male'), ('Mira', 'female'), ('Nils', 'male'), ('Olga', 'female'), ('Pavel', 'male'),
  ('Quinn', 'female'), ('Ravi', 'male'), ('Sofia', 'female'), ('Tomas', 'male'), ('Uma', 'female'), ('Viktor', 'male'), ('Wanda', 'female');
CREATE TEMP TABLE last_names (n INTEGER PRIMARY KEY, name TEXT);
INSERT INTO last_names (name) VALUES ('Abel'), ('Bauer'), ('Castell'), ('Dorn'), ('Eriksen'), ('Falk'), ('Gruber'), ('Holt'),
  ('Ivanov'), ('Jansen'), ('Kovac'), ('Lund'), ('Marek'), ('Novak'), ('Orlov'), ('Pell'), ('Quist'), ('Rossi'), ('Sand'),
  ('Tanner'), ('Urban'), ('Vogt'), ('Weber'), ('Yilmaz'), ('Zander'), ('Arnold'), ('Brandt'), ('Conti'), ('Dahl'), ('Egger'),
  ('Fuchs'), ('Graf'), ('Hansen'), ('Imhof'), ('Jung'), ('Keller'), ('Lenz'), ('Moser'), ('Nagy'), ('Olsen'), ('Petrov');

INSERT INTO doctors VALUES
  (1, 'Dr. Helene Brandauer', 'General practice', '2012-03-01', NULL),
  (2, 'Dr. Samuel Okoro', 'General practice', '2016-09-15', 1),
  (3, 'Dr. Lucia Ferrante', 'Paediatrics', '2014-01-07', 1),
  (4, 'Dr. Martin Schell', 'Cardiology', '2017-05-02', 1),
  (5, 'Dr. Priya Nair', 'Dermatology', '2019-10-01', 1),
  (6, 'Dr. Otto Lindgren', 'Orthopaedics', '2018-02-19', 1),
  (7, 'Dr. Amelie Roth', 'General practice', '2021-08-30', 2),
  (8, 'Dr. Karim Haddad', 'Cardiology', '2022-04-11', 4),
  (9, 'Dr. Jana Dvorak', 'Paediatrics', '2023-01-16', 3),
  (10, 'Dr. Peter Vance', 'Orthopaedics', '2023-11-06', 6),
  (11, 'Dr. Noor Aziz', 'Dermatology', '2025-02-03', 5),
  (12, 'Dr. Felix Baumann', 'General practice', '2026-11-02', 2);

INSERT INTO procedures VALUES
  (1, 'Consultation', 'Consultation', 55), (2, 'Extended consultation', 'Consultation', 95), (3, 'Check-up', 'Consultation', 120),
  (4, 'Blood panel', 'Laboratory', 48), (5, 'Urine test', 'Laboratory', 22), (6, 'Allergy test', 'Laboratory', 85),
  (7, 'Flu shot', 'Vaccination', 30), (8, 'Travel vaccination', 'Vaccination', 64), (9, 'ECG', 'Diagnostics', 70),
  (10, 'Ultrasound', 'Diagnostics', 110), (11, 'X-ray', 'Diagnostics', 98), (12, 'Sleep study', 'Diagnostics', 340),
  (13, 'Mole removal', 'Minor surgery', 180), (14, 'Wound care', 'Minor surgery', 75), (15, 'Joint injection', 'Minor surgery', 140);

INSERT INTO patients
SELECT i,
       (SELECT name FROM first_names WHERE n = 1 + i % 23) || ' ' || (SELECT name FROM last_names WHERE n = 1 + i * 3 % 41),
       date('1938-02-11', '+' || (a % 30000) || ' days'),
       (SELECT gender FROM first_names WHERE n = 1 + i % 23),
       CASE WHEN b % 100 < 34 THEN 'Lindenau' WHEN b % 100 < 58 THEN 'Marbach' WHEN b % 100 < 76 THEN 'Oberfeld'
            WHEN b % 100 < 89 THEN 'Steinach' WHEN b % 100 < 97 THEN 'Talheim' ELSE 'Weiler' END,
       CASE WHEN c % 100 < 66 THEN 'public' WHEN c % 100 < 91 THEN 'private' ELSE 'none' END,
       date('2022-06-01', '+' || (i * 1633 / 260 - d % 7) || ' days'),
       CASE WHEN e % 100 < 83 THEN 'p' || (1000 + i) || '@mail.example' END
FROM draws WHERE i <= 260;

-- A visit goes to somebody who had registered by then; patients 9, 18, 27, ... never came.
INSERT INTO appointments
WITH drawn AS (
  SELECT i, a, b, c, d, e, f, g, h,
         date('2024-01-02', '+' || CASE WHEN h % 5 < 2 THEN max(a % 1054, b % 1054) ELSE a % 1054 END || ' days') AS day
  FROM draws WHERE i <= 1800),
placed AS (
  SELECT *, CASE strftime('%w', day) WHEN '0' THEN date(day, '-2 days') WHEN '6' THEN date(day, CASE WHEN g % 4 = 0 THEN '+0 days' ELSE '-3 days' END)
                 ELSE day END AS on_day
  FROM drawn),
visits AS (
  SELECT *, 1 + (c % 1000) * (SELECT count(*) - 4 FROM patients WHERE registered_on < on_day) / 1000 AS who,
         CASE WHEN d % 100 < 21 THEN 1 WHEN d % 100 < 40 THEN 2 WHEN d % 100 < 52 THEN 3 WHEN d % 100 < 61 THEN 4 WHEN d % 100 < 71 THEN 5
              WHEN d % 100 < 79 THEN 6 WHEN d % 100 < 88 THEN 7 WHEN d % 100 < 92 THEN 8 WHEN d % 100 < 96 THEN 9 WHEN d % 100 < 98 THEN 10
              ELSE CASE WHEN on_day < '2025-02-03' THEN 5 ELSE 11 END END AS doctor
  FROM placed)
SELECT row_number() OVER (ORDER BY on_day, e % 20, i), who, doctor, date(on_day, '-' || (f % 1000 * (g % 1000) / 24000) || ' days'),
       on_day || ' ' || printf('%02d:%02d:00', 8 + e % 20 / 2, 30 * (e % 2)),
       CASE WHEN f % 10 < 5 THEN 15 WHEN f % 10 < 8 THEN 30 WHEN f % 10 < 9 THEN 45 ELSE 60 END,
       CASE WHEN g % 100 < 9 + doctor % 4 THEN 'cancelled' WHEN g % 100 < 15 + doctor % 4 + (h % 3) THEN 'no-show' ELSE 'completed' END,
       CASE WHEN h % 50 > 1 THEN 'R' || (1 + doctor % 6) END
FROM visits WHERE who % 9 <> 0;

-- One or two things are done in a completed visit; what depends on the doctor's specialty.
INSERT INTO treatments
WITH done AS (
  SELECT appointment_id AS ap, 1 + k AS line, d.specialty, draws.a, draws.b, draws.c
  FROM appointments JOIN doctors d USING (doctor_id) JOIN draws ON draws.i = appointment_id
  JOIN (SELECT 0 AS k UNION ALL SELECT 1)
  WHERE status = 'completed' AND (k = 0 OR draws.c % 100 < 43)),
chosen AS (
  SELECT *, CASE
    WHEN line = 1 THEN CASE WHEN a % 10 < 6 THEN 1 WHEN a % 10 < 8 THEN 2 ELSE 3 END
    WHEN specialty = 'Cardiology' THEN CASE WHEN b % 3 = 0 THEN 10 ELSE 9 END
    WHEN specialty = 'Dermatology' THEN CASE WHEN b % 5 < 2 THEN 13 ELSE 6 END
    WHEN specialty = 'Orthopaedics' THEN CASE WHEN b % 5 < 3 THEN 11 WHEN b % 5 = 3 THEN 15 ELSE 14 END
    WHEN specialty = 'Paediatrics' THEN CASE WHEN b % 2 = 0 THEN 7 ELSE 5 END
    ELSE CASE b % 7 WHEN 0 THEN 5 WHEN 1 THEN 7 WHEN 2 THEN 8 WHEN 3 THEN 10 WHEN 4 THEN 14 ELSE 4 END END AS what
  FROM done)
SELECT row_number() OVER (ORDER BY ap, line), ap, what,
       round(list_price * (CASE WHEN c % 8 = 0 THEN 0.9 WHEN c % 8 = 1 THEN 1.15 ELSE 1 END) + (a % 7) * 0.5, 2)
FROM chosen JOIN procedures ON procedure_id = what;

INSERT INTO invoices
WITH billed AS (
  SELECT appointment_id AS ap, patient_id AS who, date(starts_at, '+' || (1 + draws.d % 4) || ' days') AS sent, sum(price) AS total,
         draws.e AS e, draws.f AS f
  FROM appointments JOIN treatments USING (appointment_id) JOIN draws ON draws.i = appointment_id
  WHERE draws.h % 20 <> 0
  GROUP BY ap),
settled AS (
  SELECT *, CASE WHEN e % 100 >= 4 THEN date(sent, '+' || (2 + f % 31 + CASE WHEN e % 7 = 0 THEN 24 ELSE 0 END) || ' days') END AS settled_on
  FROM billed WHERE sent <= '2026-11-21')
SELECT row_number() OVER (ORDER BY sent, ap), ap, who, sent, date(sent, '+30 days'), round(total, 2),
       CASE WHEN settled_on <= '2026-11-21' THEN settled_on END
FROM settled;

DROP TABLE temp.draws;
DROP TABLE temp.first_names;
DROP TABLE temp.last_names;
