-- A private secondary school: pupils, teachers, courses, who took what with which grade, attendance and fees.
-- Every key is declared. Dates are text; flags are 'Y' and 'N'; attendance is coded, the codes are explained in a table.
-- The records end on 2026-11-21; only due dates go on. All people are invented. The script gives the same database on every run.

CREATE TABLE teacher (
  teacher_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  department TEXT NOT NULL,
  hired_on TEXT NOT NULL,
  left_on TEXT,
  weekly_hours INTEGER NOT NULL,
  head_id INTEGER REFERENCES teacher(teacher_id)
);
CREATE TABLE student (
  student_id INTEGER PRIMARY KEY,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  date_of_birth TEXT NOT NULL,
  gender TEXT NOT NULL CHECK (gender IN ('F', 'M')),
  year_group INTEGER NOT NULL,
  city TEXT NOT NULL,
  has_scholarship TEXT NOT NULL CHECK (has_scholarship IN ('Y', 'N')),
  admitted_on TEXT NOT NULL,
  left_on TEXT,
  tutor_id INTEGER REFERENCES teacher(teacher_id)
);
CREATE TABLE course (
  course_id INTEGER PRIMARY KEY,
  code TEXT NOT NULL,
  title TEXT NOT NULL,
  department TEXT NOT NULL,
  credits INTEGER NOT NULL,
  seats INTEGER NOT NULL,
  is_elective TEXT NOT NULL CHECK (is_elective IN ('Y', 'N')),
  teacher_id INTEGER NOT NULL REFERENCES teacher(teacher_id)
);
CREATE TABLE enrolment (
  enrolment_id INTEGER PRIMARY KEY,
  student_id INTEGER NOT NULL REFERENCES student(student_id),
  course_id INTEGER NOT NULL REFERENCES course(course_id),
  term TEXT NOT NULL,
  enrolled_on TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'completed', 'dropped')),
  grade REAL
);
CREATE TABLE attendance_code (
  code TEXT PRIMARY KEY,
  meaning TEXT NOT NULL
);
CREATE TABLE attendance (
  attendance_id INTEGER PRIMARY KEY,
  student_id INTEGER NOT NULL REFERENCES student(student_id),
  course_id INTEGER NOT NULL REFERENCES course(course_id),
  lesson_date TEXT NOT NULL,
  code TEXT NOT NULL REFERENCES attendance_code(code)
);
CREATE TABLE fee (
  fee_id INTEGER PRIMARY KEY,
  student_id INTEGER NOT NULL REFERENCES student(student_id),
  kind TEXT NOT NULL,
  billed_on TEXT NOT NULL,
  due_on TEXT NOT NULL,
  amount REAL NOT NULL,
  paid_on TEXT
);

-- Even draws: eight full-period generators modulo the prime 2^31 - 1.
CREATE TEMP TABLE draws AS
WITH RECURSIVE d(i, a, b, c, d, e, f, g, h) AS (
  SELECT 1, 48817, 733511, 6120077, 60013, 2718281, 577215, 141421, 17320508
  UNION ALL
  SELECT i + 1, a * 48271 % 2147483647, b * 69621 % 2147483647, c * 16807 % 2147483647, d * 39373 % 2147483647,
         e * 630360016 % 2147483647, f * 742938285 % 2147483647, g * 950706376 % 2147483647, h * 1226874159 % 2147483647
  FROM d WHERE i < 6500)
SELECT * FROM d;

INSERT INTO teacher VALUES
  (1, 'Cordelia Finch', 'Languages', '2009-08-15', NULL, 12, NULL), (2, 'Anselm Krog', 'Mathematics', '2011-08-15', NULL, 18, 1),
  (3, 'Bettina Sauer', 'Science', '2012-08-20', NULL, 18, 1), (4, 'Ruben Castano', 'Humanities', '2014-08-18', NULL, 20, 1),
  (5, 'Mei Tanaka', 'Arts', '2015-08-17', NULL, 16, 1), (6, 'Lorcan Daly', 'Mathematics', '2018-08-20', NULL, 24, 2),
  (7, 'Zofia Malik', 'Science', '2019-08-19', NULL, 22, 3), (8, 'Edwin Prakash', 'Science', '2021-08-16', '2025-07-31', 24, 3),
  (9, 'Paola Greco', 'Languages', '2020-08-17', NULL, 24, 1), (10, 'Henk Visser', 'Languages', '2022-08-15', NULL, 20, 1),
  (11, 'Adaeze Obi', 'Humanities', '2023-08-21', NULL, 22, 4), (12, 'Tove Nyberg', 'Sports', '2017-08-21', NULL, 26, 1),
  (13, 'Silvan Egli', 'Arts', '2024-08-19', NULL, 10, 5), (14, 'Roisin Keane', 'Science', '2025-08-18', NULL, 23, 3), (15, 'Basil Antoun', 'Sports', '2026-08-17', NULL, 8, 12);

INSERT INTO course VALUES
  (1, 'MA1', 'Algebra', 'Mathematics', 6, 90, 'N', 2), (2, 'EN1', 'English Literature', 'Languages', 6, 90, 'N', 1), (3, 'BI1', 'Biology', 'Science', 5, 80, 'N', 3),
  (4, 'HI1', 'World History', 'Humanities', 4, 80, 'N', 4), (5, 'CH1', 'Chemistry', 'Science', 5, 70, 'N', 7), (6, 'FR1', 'French', 'Languages', 4, 60, 'Y', 9),
  (7, 'PE1', 'Athletics', 'Sports', 2, 90, 'N', 12), (8, 'MA2', 'Geometry', 'Mathematics', 5, 70, 'N', 6), (9, 'AR1', 'Drawing', 'Arts', 3, 40, 'Y', 5),
  (10, 'PH1', 'Physics', 'Science', 5, 70, 'N', 14), (11, 'ES1', 'Spanish', 'Languages', 4, 60, 'Y', 10), (12, 'GE1', 'Geography', 'Humanities', 4, 60, 'N', 11),
  (13, 'MU1', 'Choir', 'Arts', 2, 50, 'Y', 13), (14, 'ST1', 'Statistics', 'Mathematics', 4, 40, 'Y', 6), (15, 'CS1', 'Programming', 'Science', 5, 45, 'Y', 7),
  (16, 'EC1', 'Economics', 'Humanities', 4, 45, 'Y', 4), (17, 'DR1', 'Theatre', 'Arts', 3, 30, 'Y', 5), (18, 'SW1', 'Swimming', 'Sports', 2, 40, 'Y', 12),
  (19, 'PL1', 'Philosophy', 'Humanities', 3, 30, 'Y', 11), (20, 'LA1', 'Latin', 'Languages', 4, 25, 'Y', 9), (21, 'RO1', 'Robotics', 'Science', 4, 20, 'Y', 14),
  (22, 'RW1', 'Rowing', 'Sports', 2, 16, 'Y', 15);

INSERT INTO attendance_code VALUES ('P', 'present'), ('A', 'absent'), ('L', 'late'), ('E', 'excused');

CREATE TEMP TABLE first_names (n INTEGER PRIMARY KEY, name TEXT, gender TEXT);
INSERT INTO first_names (name, gender) VALUES ('Alba', 'F'), ('Bram', 'M'), ('Cleo', 'F'), ('Dion', 'M'), ('Edda', 'F'), ('Finn', 'M'), ('Gitta', 'F'), ('Hamid', 'M'),
  ('Iris', 'F'), ('Jorg', 'M'), ('Kaja', 'F'), ('Liam', 'M'), ('Malin', 'F'), ('Nico', 'M'), ('Orla', 'F'), ('Per', 'M'), ('Rania', 'F'), ('Sven', 'M'), ('Thea', 'F');
CREATE TEMP TABLE last_names (n INTEGER PRIMARY KEY, name TEXT);
INSERT INTO last_names (name) VALUES ('Adler'), ('Brook'), ('Carver'), ('Dunne'), ('Elster'), ('Frost'), ('Garland'), ('Hobbs'), ('Irving'), ('Joyce'), ('Kemp'),
  ('Larkin'), ('Mercer'), ('Nolan'), ('Oakes'), ('Price'), ('Quill'), ('Ramsey'), ('Stone'), ('Tully'), ('Usher'), ('Vale'), ('Winter'), ('Young'), ('Zeller'),
  ('Amara'), ('Bellini'), ('Cruz'), ('Demir'), ('Engel'), ('Fontaine');

INSERT INTO student
SELECT i, (SELECT name FROM first_names WHERE n = 1 + i % 19), (SELECT name FROM last_names WHERE n = 1 + i * 5 % 31),
       date((2015 - (7 + i % 6) + 6) || '-01-01', '+' || (a % 360) || ' days'), (SELECT gender FROM first_names WHERE n = 1 + i % 19), 7 + i % 6,
       CASE WHEN b % 100 < 41 THEN 'Harrowgate' WHEN b % 100 < 66 THEN 'Millbrook' WHEN b % 100 < 84 THEN 'Eastham' WHEN b % 100 < 95 THEN 'Norwood' ELSE 'Quarry Bay' END,
       CASE WHEN c % 100 < 17 THEN 'Y' ELSE 'N' END,
       CASE WHEN i % 6 = 0 THEN CASE WHEN d % 10 < 8 THEN '2026-08-' || (24 + d % 5) ELSE date('2026-09-01', '+' || (d % 60) || ' days') END
            ELSE date(CASE WHEN d % 10 < 7 THEN max(2023, 2026 - i % 6) ELSE 2024 + d % 2 END || '-08-20', '+' || (e % 12 + (e % 9 = 0) * 120) || ' days') END,
       CASE WHEN f % 100 < 6 AND i % 6 > 1 THEN date('2025-12-01', '+' || (f / 100 % 300) || ' days') END, 1 + min(g % 14, h % 15)
FROM draws WHERE i <= 234;

INSERT INTO enrolment
WITH terms(term, starts, ends) AS (VALUES ('2023/24 spring', '2024-01-29', '2024-06-28'), ('2024/25 autumn', '2024-08-26', '2025-01-24'), ('2024/25 spring', '2025-01-27', '2025-06-27'),
  ('2025/26 autumn', '2025-08-25', '2026-01-23'), ('2025/26 spring', '2026-01-26', '2026-06-26'), ('2026/27 autumn', '2026-08-24', '2027-01-22')),
picked AS (
  SELECT s.student_id, s.has_scholarship AS sch, t.*, k, dr.* FROM student s JOIN terms t ON s.admitted_on <= date(t.starts, '+20 days') AND coalesce(s.left_on, '9999') > t.starts
  JOIN (SELECT 0 AS k UNION ALL SELECT 1 UNION ALL SELECT 2)
  JOIN draws dr ON dr.i = 1 + (s.student_id * 41 + k * 2003 + CAST(substr(t.term, 6, 2) AS INTEGER) * 733 + (t.term LIKE '%autumn') * 311) % 6400
  WHERE s.student_id % 39 <> 7),
chosen AS (SELECT *, 1 + min(a % 22, b % 23) AS crs FROM picked WHERE k < 2 OR c % 3 = 0),
once AS (SELECT * FROM chosen WHERE crs <= 21 AND NOT (crs = 21 AND starts < '2025-08-01') GROUP BY student_id, term, crs)
SELECT row_number() OVER (ORDER BY starts, student_id, crs), student_id, crs, term, date(starts, '-' || (d % 20) || ' days'),
       CASE WHEN e % 100 < 7 THEN 'dropped' WHEN ends <= '2026-11-21' THEN 'completed' ELSE 'active' END,
       CASE WHEN e % 100 >= 7 AND ends <= '2026-11-21' THEN min(100, 38 + (f % 35) + (g % 23) + crs % 4 + (sch = 'Y') * 6 + (h % 10) / 2.0) END
FROM once;

INSERT INTO attendance
WITH held AS (
  SELECT e.*, n, dr.a, dr.b, dr.c FROM enrolment e JOIN (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2)
  JOIN draws dr ON dr.i = 1 + (e.enrolment_id * 3 + n * 1777) % 6400 WHERE e.status <> 'dropped' AND NOT (n = 2 AND e.enrolment_id % 5 < 2)),
dated AS (SELECT *, date(enrolled_on, '+' || (22 + a % CASE WHEN status = 'active' THEN 66 ELSE 118 END) || ' days') AS day FROM held)
SELECT row_number() OVER (ORDER BY day, student_id, course_id), student_id, course_id,
       CASE strftime('%w', day) WHEN '0' THEN date(day, '-3 days') WHEN '6' THEN date(day, '-4 days') ELSE day END,
       CASE WHEN b % 100 < 5 + student_id % 5 THEN 'A' WHEN b % 100 < 14 + student_id % 3 THEN 'L' WHEN b % 100 < 20 THEN 'E' ELSE 'P' END
FROM dated WHERE day <= '2026-11-20' GROUP BY student_id, course_id, day;

INSERT INTO fee
WITH billed AS (
  SELECT s.student_id, q.day, q.kind, q.price * CASE WHEN s.has_scholarship = 'Y' AND q.kind = 'tuition' THEN 0.5 ELSE 1 END AS price, dr.*
  FROM student s JOIN (SELECT '2024-02-01' AS day, 'tuition' AS kind, 1450 AS price UNION ALL VALUES ('2024-09-02', 'tuition', 1500), ('2025-02-03', 'tuition', 1500), ('2025-09-01', 'tuition', 1580), ('2026-02-02', 'tuition', 1580),
    ('2026-09-01', 'tuition', 1650), ('2024-09-16', 'materials', 85), ('2025-09-15', 'materials', 90), ('2026-09-14', 'materials', 95), ('2025-04-07', 'trip', 240), ('2026-04-13', 'trip', 265), ('2026-11-02', 'trip', 180)) q
  ON s.admitted_on <= q.day AND coalesce(s.left_on, '9999') > q.day
  JOIN draws dr ON dr.i = 1 + (s.student_id * 29 + CAST(strftime('%j', q.day) AS INTEGER) * 17 + CAST(strftime('%Y', q.day) AS INTEGER)) % 6400
  WHERE q.kind <> 'trip' OR s.student_id % 3 = CAST(strftime('%m', q.day) AS INTEGER) % 3),
sent AS (SELECT *, date(day, '+' || (a % 6) || ' days') AS on_day FROM billed)
SELECT row_number() OVER (ORDER BY on_day, student_id), student_id, kind, on_day, date(on_day, '+30 days'), price,
       CASE WHEN b % 100 >= 5 AND date(on_day, '+' || (3 + c % 33 + (c % 8 = 0) * 21) || ' days') <= '2026-11-21' THEN date(on_day, '+' || (3 + c % 33 + (c % 8 = 0) * 21) || ' days') END
FROM sent;

DROP TABLE temp.draws;
DROP TABLE temp.first_names;
DROP TABLE temp.last_names;
