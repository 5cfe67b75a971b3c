-- A town library with four branches: members, books and their authors, loans, fines, holds and transfers between branches.
-- Every key is declared. Dates are text. A loan without a return date is still out; a fine without a payment date is unpaid.
-- The records end on 2026-11-21; only due dates go on. All people and titles are invented. The script gives the same database on every run.

CREATE TABLE branches (
  branch_id INTEGER PRIMARY KEY,
  branch_name TEXT NOT NULL,
  opened_year INTEGER NOT NULL
);
CREATE TABLE genres (
  genre_id INTEGER PRIMARY KEY,
  genre_name TEXT NOT NULL,
  is_fiction INTEGER NOT NULL
);
CREATE TABLE authors (
  author_id INTEGER PRIMARY KEY,
  author_name TEXT NOT NULL,
  nationality TEXT NOT NULL,
  birth_year INTEGER
);
CREATE TABLE books (
  book_id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  genre_id INTEGER NOT NULL REFERENCES genres(genre_id),
  published_year INTEGER NOT NULL,
  pages INTEGER NOT NULL,
  language TEXT NOT NULL,
  copies INTEGER NOT NULL,
  home_branch_id INTEGER NOT NULL REFERENCES branches(branch_id),
  acquired_on TEXT NOT NULL,
  sequel_of INTEGER REFERENCES books(book_id)
);
CREATE TABLE book_authors (
  book_id INTEGER NOT NULL REFERENCES books(book_id),
  author_id INTEGER NOT NULL REFERENCES authors(author_id),
  PRIMARY KEY (book_id, author_id)
);
CREATE TABLE members (
  member_id INTEGER PRIMARY KEY,
  member_name TEXT NOT NULL,
  category TEXT NOT NULL CHECK (category IN ('adult', 'student', 'senior', 'child')),
  suburb TEXT NOT NULL,
  email TEXT,
  joined_on TEXT NOT NULL,
  home_branch_id INTEGER NOT NULL REFERENCES branches(branch_id)
);
CREATE TABLE loans (
  loan_id INTEGER PRIMARY KEY,
  book_id INTEGER NOT NULL REFERENCES books(book_id),
  member_id INTEGER NOT NULL REFERENCES members(member_id),
  branch_id INTEGER NOT NULL REFERENCES branches(branch_id),
  loaned_on TEXT NOT NULL,
  due_on TEXT NOT NULL,
  returned_on TEXT,
  renewals INTEGER NOT NULL
);
CREATE TABLE fines (
  fine_id INTEGER PRIMARY KEY,
  loan_id INTEGER NOT NULL REFERENCES loans(loan_id),
  reason TEXT NOT NULL CHECK (reason IN ('late', 'damaged', 'lost')),
  amount REAL NOT NULL,
  issued_on TEXT NOT NULL,
  paid_on TEXT
);
CREATE TABLE holds (
  hold_id INTEGER PRIMARY KEY,
  book_id INTEGER NOT NULL REFERENCES books(book_id),
  member_id INTEGER NOT NULL REFERENCES members(member_id),
  placed_on TEXT NOT NULL,
  fulfilled_on TEXT,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'fulfilled', 'cancelled'))
);
CREATE TABLE transfers (
  transfer_id INTEGER PRIMARY KEY,
  book_id INTEGER NOT NULL REFERENCES books(book_id),
  from_branch_id INTEGER NOT NULL REFERENCES branches(branch_id),
  to_branch_id INTEGER NOT NULL REFERENCES branches(branch_id),
  sent_on TEXT NOT NULL,
  arrived_on TEXT
);

-- Even draws: eight full-period generators modulo the prime 2^31 - 1.
CREATE TEMP TABLE draws AS
WITH RECURSIVE d(i, a, b, c, d, e, f, g, h) AS (
  SELECT 1, 33013, 282828, 9123457, 55057, 2236067, 915965, 434294, 16180339
  UNION ALL
  SELECT i + 1, a * 48271 % 2147483647, b * 69621 % 2147483647, c * 16807 % 2147483647, d * 39373 % 2147483647,
         e * 630360016 % 2147483647, f * 742938285 % 2147483647, g * 950706376 % 2147483647, h * 1226874159 % 2147483647
  FROM d WHERE i < 5000)
SELECT * FROM d;

INSERT INTO branches VALUES (1, 'Central', 1924), (2, 'Northgate', 1968), (3, 'Lakeside', 1991), (4, 'Mobile Bus', 2022);
INSERT INTO genres VALUES (1, 'Crime', 1), (2, 'Fantasy', 1), (3, 'Romance', 1), (4, 'Children', 1), (5, 'History', 0), (6, 'Science', 0), (7, 'Cooking', 0), (8, 'Travel', 0), (9, 'Biography', 0), (10, 'Poetry', 1);

CREATE TEMP TABLE words (n INTEGER PRIMARY KEY, adj TEXT, noun TEXT, first TEXT, last TEXT);
INSERT INTO words (adj, noun, first, last) VALUES ('Last', 'Lighthouse', 'Anouk', 'Barlow'), ('Silent', 'Cartographer', 'Benedikt', 'Csonka'), ('Forgotten', 'Orchard', 'Clara', 'Dewitt'), ('Seventh', 'Witness', 'Desmond', 'Ekholm'),
  ('Winter', 'Kitchen', 'Eleni', 'Ferrer'), ('Borrowed', 'Horizon', 'Florian', 'Gallo'), ('Salt', 'Daughter', 'Gudrun', 'Hasek'), ('Iron', 'Museum', 'Harvey', 'Iversen'), ('Copper', 'Valley', 'Ilse', 'Jovic'),
  ('Invisible', 'Clockmaker', 'Jasper', 'Kowal'), ('Second', 'Harvest', 'Keziah', 'Lindholm'), ('Little', 'Fox', 'Leopold', 'Marchetti'), ('Drowned', 'Library', 'Marta', 'Nkemelu'), ('Northern', 'Bakery', 'Nestor', 'Ostrow'),
  ('Painted', 'Island', 'Ophelia', 'Petersen'), ('Hungry', 'River', 'Patrick', 'Quesada'), ('Blue', 'Staircase', 'Ronja', 'Rademaker'), ('Empty', 'Observatory', 'Stefan', 'Sorensen'), ('Wandering', 'Bridge', 'Tilda', 'Takacs');

INSERT INTO authors
SELECT i, (SELECT first FROM words WHERE n = 1 + i * 3 % 19) || ' ' || (SELECT last FROM words WHERE n = 1 + (i * 8 + i / 19) % 19),
       CASE WHEN a % 100 < 34 THEN 'British' WHEN a % 100 < 55 THEN 'Swedish' WHEN a % 100 < 71 THEN 'Italian' WHEN a % 100 < 86 THEN 'Nigerian' ELSE 'Polish' END,
       CASE WHEN b % 10 > 0 THEN 1915 + c % 82 END
FROM draws WHERE i <= 95;

INSERT INTO books
WITH drawn AS (SELECT *, date(CASE WHEN i <= 150 THEN '2019-02-01' ELSE '2023-12-01' END, '+' || (CASE WHEN i <= 150 THEN d % 1700 ELSE (i - 150) * 8 + d % 7 END) || ' days') AS day FROM draws WHERE i <= 280)
SELECT i, 'The ' || (SELECT adj FROM words WHERE n = 1 + i % 19) || ' ' || (SELECT noun FROM words WHERE n = 1 + (i * 4 + i / 19) % 19),
       1 + min(a % 10, b % 12), min(1948 + max(c % 79, e % 79), CAST(strftime('%Y', day) AS INTEGER)), 64 + f % 290 + (g % 290) * (h % 3) / 2,
       CASE WHEN g % 100 < 79 THEN 'English' WHEN g % 100 < 88 THEN 'Spanish' WHEN g % 100 < 95 THEN 'German' ELSE 'Polish' END, 1 + min(h % 6, a % 9), 1 + min(d % 4, e % 5),
       day, CASE WHEN i % 9 = 4 AND i > 9 THEN i - 3 - i % 5 END
FROM drawn;

INSERT INTO book_authors
SELECT i, who FROM (SELECT i, 1 + min(a % 92, b % 110) AS who FROM draws WHERE i <= 280 UNION SELECT i, 1 + (c % 92) FROM draws WHERE i <= 280 AND d % 6 = 0)
WHERE who <= 95;

INSERT INTO members
SELECT i, (SELECT first FROM words WHERE n = 1 + i % 19) || ' ' || (SELECT last FROM words WHERE n = 1 + (i * 5 + i / 19 + 1) % 19),
       CASE WHEN a % 100 < 46 THEN 'adult' WHEN a % 100 < 66 THEN 'student' WHEN a % 100 < 85 THEN 'senior' ELSE 'child' END,
       CASE WHEN b % 100 < 37 THEN 'Elmwood' WHEN b % 100 < 62 THEN 'Harbourside' WHEN b % 100 < 81 THEN 'Kingsmere' WHEN b % 100 < 94 THEN 'Oldfield' ELSE 'Pinewood' END,
       CASE WHEN c % 100 < 78 THEN 'reader' || (4000 + i) || '@mail.example' END, date('2022-01-10', '+' || (i * 1760 / 345 + d % 9) || ' days'), 1 + min(e % 4, f % 4)
FROM draws WHERE i <= 345;

INSERT INTO loans
WITH lent AS (
  SELECT *, date('2024-01-02', '+' || CASE WHEN h % 6 < 2 THEN max(a % 1054, b % 1054) ELSE a % 1054 END || ' days') AS day0 FROM draws WHERE i <= 3300),
opened AS (SELECT *, CASE strftime('%w', day0) WHEN '0' THEN date(day0, '-1 days') ELSE day0 END AS day FROM lent),
who AS (
  SELECT *, 1 + min(c % 1000, d % 1400) * (SELECT count(*) - 3 FROM members WHERE joined_on <= day) / 1000 AS reader, 1 + min(e % 276, f % 360) AS book, g % 100 AS speed FROM opened),
real AS (
  SELECT w.*, m.home_branch_id AS hb, CASE WHEN h % 9 = 0 THEN 2 WHEN h % 9 < 3 THEN 1 ELSE 0 END AS ren FROM who w JOIN members m ON m.member_id = reader JOIN books b ON b.book_id = book
  WHERE b.acquired_on <= day AND reader % 29 <> 3),
back AS (SELECT *, date(day, '+' || (21 + 14 * ren) || ' days') AS due, date(day, '+' || (2 + speed * (20 + 14 * ren) / 88 + (speed > 92) * (a % 30)) || ' days') AS ret FROM real)
SELECT row_number() OVER (ORDER BY day, i), book, reader, CASE WHEN b % 5 = 0 THEN 1 + c % 4 ELSE hb END, day, due, CASE WHEN ret <= '2026-11-21' AND a % 150 > 0 THEN ret END, ren
FROM back;

INSERT INTO fines
WITH owed AS (
  SELECT l.*, dr.a, dr.b, dr.c, CASE WHEN returned_on > due_on THEN 'late' WHEN returned_on IS NULL AND due_on < '2026-06-01' THEN 'lost' WHEN dr.a % 100 < 2 AND returned_on IS NOT NULL THEN 'damaged' END AS why
  FROM loans l JOIN draws dr ON dr.i = loan_id),
charged AS (
  SELECT *, CASE why WHEN 'late' THEN round(0.25 * (julianday(returned_on) - julianday(due_on)), 2) WHEN 'lost' THEN 24.5 ELSE 6 + b % 9 END AS sum,
         CASE why WHEN 'lost' THEN date(due_on, '+60 days') ELSE returned_on END AS day FROM owed WHERE why IS NOT NULL)
SELECT row_number() OVER (ORDER BY day, loan_id), loan_id, why, sum, day, CASE WHEN c % 100 < 74 AND date(day, '+' || (c % 45) || ' days') <= '2026-11-21' THEN date(day, '+' || (c % 45) || ' days') END
FROM charged;

INSERT INTO holds
WITH asked AS (SELECT *, date('2024-02-01', '+' || (max(a % 1020, b % 1024)) || ' days') AS day, 1 + min(c % 270, d % 120) AS book FROM draws WHERE i BETWEEN 3400 AND 3800),
who AS (SELECT *, 1 + e % (SELECT count(*) - 2 FROM members WHERE joined_on <= day) AS reader, date(day, '+' || (3 + f % 40) || ' days') AS got FROM asked WHERE day <= '2026-11-21')
SELECT row_number() OVER (ORDER BY day, i), book, reader, day, CASE WHEN g % 100 >= 14 AND got <= '2026-11-21' THEN got END, CASE WHEN g % 100 < 14 THEN 'cancelled' WHEN got <= '2026-11-21' THEN 'fulfilled' ELSE 'waiting' END
FROM who JOIN books ON book_id = book WHERE acquired_on <= day;

INSERT INTO transfers
WITH sent AS (SELECT *, 1 + min(a % 4, b % 4) AS src, date('2024-01-15', '+' || (c % 1041) || ' days') AS day FROM draws WHERE i BETWEEN 3900 AND 4260)
SELECT row_number() OVER (ORDER BY day, i), 1 + d % 280, src, 1 + (src + e % 3) % 4, day, CASE WHEN date(day, '+' || (1 + f % 5 + (f % 9 = 0) * 6) || ' days') <= '2026-11-21' AND g % 90 > 0 THEN date(day, '+' || (1 + f % 5 + (f % 9 = 0) * 6) || ' days') END
FROM sent;

DROP TABLE temp.draws;
DROP TABLE temp.words;
