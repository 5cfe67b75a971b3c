-- A consultancy: clients, projects, the people who work on them, their hours, invoices and expenses.
-- No key is declared. Flags are 'Y' and 'N'; dates are 'YYYY-MM-DD'. The records end on 2026-11-21.
-- All people and firms are invented. The script gives the same database on every run.

CREATE TABLE clients (
  client_no INTEGER,
  client_name TEXT,
  sector TEXT,
  city TEXT,
  client_since TEXT,
  active TEXT
);
CREATE TABLE people (
  person_no INTEGER,
  person_name TEXT,
  grade TEXT,
  office TEXT,
  hired_on TEXT,
  left_on TEXT,
  boss_id INTEGER,
  day_cost REAL
);
CREATE TABLE projects (
  project_no INTEGER,
  title TEXT,
  client_no INTEGER,
  lead_id INTEGER,
  sponsor_id INTEGER,
  pricing TEXT,
  start_date TEXT,
  end_date TEXT,
  budget REAL,
  remote TEXT
);
CREATE TABLE time_entries (
  entry_no INTEGER,
  project_no INTEGER,
  person_no INTEGER,
  work_date TEXT,
  hours REAL,
  rate REAL,
  billable TEXT,
  activity TEXT
);
CREATE TABLE invoices (
  invoice_no INTEGER,
  project_no INTEGER,
  sent_on TEXT,
  due_on TEXT,
  amount REAL,
  paid_on TEXT
);
CREATE TABLE expenses (
  expense_no INTEGER,
  project_no INTEGER,
  person_no INTEGER,
  spent_on TEXT,
  kind TEXT,
  amount REAL,
  approved TEXT
);

-- Even draws: eight full-period generators modulo the prime 2^31 - 1.
CREATE TEMP TABLE draws AS
WITH RECURSIVE d(i, a, b, c, d, e, f, g, h) AS (
  SELECT 1, 777013, 1203941, 99181, 4400211, 870017, 51515151, 20202, 1618033
  UNION ALL
  SELECT i + 1, a * 48271 % 2147483647, b * 69621 % 2147483647, c * 16807 % 2147483647, d * 39373 % 2147483647,
         e * 630360016 % 2147483647, f * 742938285 % 2147483647, g * 950706376 % 2147483647, h * 1226874159 % 2147483647
  FROM d WHERE i < 3200)
SELECT * FROM d;

INSERT INTO clients VALUES
  (101, 'Alder & Finch Legal', 'Professional services', 'Leeds', '2021-03-15', 'Y'),
  (102, 'Bluewater Ferries', 'Transport', 'Bristol', '2021-09-01', 'Y'),
  (103, 'Cobalt Insurance', 'Finance', 'London', '2021-11-20', 'Y'),
  (104, 'Dunmore Breweries', 'Food and drink', 'Leeds', '2022-02-07', 'Y'),
  (105, 'Eastgate Housing', 'Public sector', 'London', '2022-05-30', 'Y'),
  (106, 'Fernhill Schools Trust', 'Public sector', 'York', '2022-08-22', 'Y'),
  (107, 'Granite Bank', 'Finance', 'Edinburgh', '2022-10-03', 'Y'),
  (108, 'Harrow Rail Works', 'Transport', 'York', '2023-01-16', 'N'),
  (109, 'Islay Foods', 'Food and drink', 'Edinburgh', '2023-04-11', 'Y'),
  (110, 'Juniper Clinics', 'Health', 'London', '2023-06-26', 'Y'),
  (111, 'Kestrel Media', 'Media', 'Bristol', '2023-09-18', 'N'),
  (112, 'Larkfield Council', 'Public sector', 'Leeds', '2023-12-04', 'Y'),
  (113, 'Meridian Pensions', 'Finance', 'London', '2024-02-12', 'Y'),
  (114, 'Northstar Solar', 'Energy', 'Bristol', '2024-05-20', 'Y'),
  (115, 'Orchard Pharma', 'Health', 'London', '2024-09-09', 'Y'),
  (116, 'Pennine Water', 'Energy', 'Leeds', '2025-01-27', 'Y'),
  (117, 'Quayside Hotels', 'Food and drink', 'Bristol', '2025-04-14', 'Y'),
  (118, 'Redwood Publishing', 'Media', 'London', '2025-08-04', 'Y'),
  (119, 'Severn Biotech', 'Health', 'Bristol', '2026-02-23', 'Y'),
  (120, 'Thistle Energy', 'Energy', 'Edinburgh', '2026-06-15', 'Y'),
  (121, 'Umber Design', 'Media', 'Leeds', '2026-09-07', 'Y'),
  (122, 'Vale Savings', 'Finance', 'York', '2026-10-26', 'Y');

INSERT INTO people VALUES
  (1, 'Rosalind Achebe', 'Partner', 'London', '2018-01-08', NULL, NULL, 980),
  (2, 'Gareth Whitlock', 'Partner', 'Leeds', '2018-06-04', NULL, 1, 940),
  (3, 'Mei Tanaka', 'Manager', 'London', '2019-03-18', NULL, 1, 720),
  (4, 'Callum Frazer', 'Manager', 'Edinburgh', '2019-10-14', NULL, 2, 690),
  (5, 'Ingrid Solberg', 'Manager', 'London', '2020-02-03', NULL, 1, 735),
  (6, 'Tariq Mahmood', 'Manager', 'Leeds', '2020-09-21', NULL, 2, 665),
  (7, 'Bethan Price', 'Senior consultant', 'Bristol', '2021-01-11', NULL, 3, 560),
  (8, 'Diego Salazar', 'Senior consultant', 'London', '2021-05-24', NULL, 3, 575),
  (9, 'Hannah Voss', 'Senior consultant', 'Leeds', '2021-11-08', NULL, 6, 540),
  (10, 'Ewan Sinclair', 'Senior consultant', 'Edinburgh', '2022-03-28', NULL, 4, 535),
  (11, 'Leila Haddou', 'Senior consultant', 'London', '2022-07-04', '2026-03-31', 5, 580),
  (12, 'Marcus Odell', 'Consultant', 'London', '2023-01-09', NULL, 5, 430),
  (13, 'Nadia Petrenko', 'Consultant', 'Bristol', '2023-03-20', NULL, 7, 415),
  (14, 'Owen Farrell', 'Consultant', 'Leeds', '2023-09-04', NULL, 6, 405),
  (15, 'Pia Lindholm', 'Consultant', 'Edinburgh', '2024-01-15', NULL, 4, 410),
  (16, 'Rhys Morgan', 'Consultant', 'Bristol', '2024-06-10', '2025-09-30', 7, 400),
  (17, 'Sana Qureshi', 'Consultant', 'London', '2024-10-07', NULL, 3, 445),
  (18, 'Theo Blanchard', 'Analyst', 'London', '2025-02-17', NULL, 5, 310),
  (19, 'Ursula Keane', 'Analyst', 'Leeds', '2025-09-01', NULL, 6, 295),
  (20, 'Vikram Bose', 'Analyst', 'London', '2026-01-12', NULL, 3, 305),
  (21, 'Winnie Adeyemi', 'Analyst', 'Bristol', '2026-05-18', NULL, 7, 290),
  (22, 'Yannick Moreau', 'Analyst', 'Edinburgh', '2026-11-09', NULL, 4, 300);

INSERT INTO projects VALUES
  (1001, 'Case file archive', 101, 6, 2, 'fixed', '2024-01-15', '2024-06-28', 42000, 'N'),
  (1002, 'Ticketing revamp', 102, 7, 1, 'hourly', '2024-01-22', '2025-02-14', 96000, 'Y'),
  (1003, 'Claims triage', 103, 3, 1, 'hourly', '2024-02-05', '2025-05-30', 150000, 'N'),
  (1004, 'Brewery forecasting', 104, 6, 2, 'fixed', '2024-03-04', '2024-09-13', 38000, 'N'),
  (1005, 'Repairs backlog', 105, 5, 1, 'fixed', '2024-03-18', '2024-12-20', 61000, 'Y'),
  (1006, 'Timetable planner', 106, 9, 2, 'fixed', '2024-05-07', '2024-11-29', 29500, 'Y'),
  (1007, 'Fraud monitoring', 107, 4, 2, 'hourly', '2024-05-20', NULL, 210000, 'N'),
  (1008, 'Depot scheduling', 108, 9, 2, 'hourly', '2024-06-10', '2025-01-31', 54000, 'N'),
  (1009, 'Cold chain audit', 109, 10, 2, 'fixed', '2024-08-05', '2024-12-13', 24500, 'N'),
  (1010, 'Patient portal', 110, 8, 1, 'hourly', '2024-09-02', '2025-10-31', 132000, 'Y'),
  (1011, 'Audience analytics', 111, 7, 1, 'fixed', '2024-09-23', '2025-03-28', 36000, 'Y'),
  (1012, 'Council tax portal', 112, 6, 2, 'fixed', '2024-10-14', '2025-08-29', 74000, 'N'),
  (1013, 'Pension letters', 113, 11, 1, 'hourly', '2024-11-04', '2025-07-18', 58000, 'Y'),
  (1014, 'Panel yield model', 114, 7, 1, 'fixed', '2025-01-13', '2025-06-27', 33000, 'Y'),
  (1015, 'Trial data warehouse', 115, 8, 1, 'hourly', '2025-02-03', NULL, 188000, 'N'),
  (1016, 'Leak detection', 116, 9, 2, 'hourly', '2025-03-10', NULL, 117000, 'N'),
  (1017, 'Policy pricing', 103, 3, 1, 'hourly', '2025-04-28', '2026-06-30', 143000, 'N'),
  (1018, 'Booking engine', 117, 13, 1, 'fixed', '2025-05-19', '2025-12-19', 47000, 'Y'),
  (1019, 'Mortgage letters', 107, 10, 2, 'fixed', '2025-07-07', '2026-02-27', 52000, 'N'),
  (1020, 'Tenant survey', 105, 12, 1, 'fixed', '2025-09-15', '2026-01-30', 18500, 'Y'),
  (1021, 'Catalogue migration', 118, 5, 1, 'fixed', '2025-10-06', '2026-05-22', 64000, 'Y'),
  (1022, 'Grid balancing', 114, 13, 1, 'hourly', '2025-11-10', NULL, 91000, 'Y'),
  (1023, 'Fleet carbon report', 102, 7, 2, 'fixed', '2026-01-19', '2026-06-12', 27000, 'Y'),
  (1024, 'Lab sample tracking', 119, 8, 1, 'hourly', '2026-03-09', NULL, 84000, 'N'),
  (1025, 'Claims chatbot', 103, 3, 1, 'hourly', '2026-04-13', NULL, 126000, 'N'),
  (1026, 'Wards rota', 110, 12, 1, 'fixed', '2026-05-05', '2026-10-30', 45500, 'Y'),
  (1027, 'Smart meter rollout', 120, 4, 2, 'hourly', '2026-06-29', NULL, 108000, 'N'),
  (1028, 'Parking permits', 112, 14, 2, 'fixed', '2026-08-03', NULL, 31500, 'N'),
  (1029, 'Brand relaunch', 121, 6, 2, 'fixed', '2026-09-21', NULL, 22000, 'Y'),
  (1030, 'Savings app', 122, NULL, 1, 'fixed', NULL, NULL, 57000, 'N');

-- Entries fall on working days of a project's life, by somebody employed on that day.
INSERT INTO time_entries
WITH drawn AS (
  SELECT i, b, c, d, e, f, g, h, date('2024-01-15', '+' || CASE WHEN h % 3 = 0 THEN max(a % 1041, b % 1041) ELSE a % 1041 END || ' days') AS day
  FROM draws),
days AS (
  SELECT *, CASE strftime('%w', day) WHEN '0' THEN date(day, '-4 days') WHEN '6' THEN date(day, CASE WHEN g % 9 = 0 THEN '+0 days' ELSE '-1 days' END)
                 ELSE day END AS on_day
  FROM drawn),
matched AS (
  SELECT days.*, p.project_no, w.person_no, w.grade, p.pricing,
         row_number() OVER (PARTITION BY days.i ORDER BY (p.project_no * 53 + w.person_no * 1009) * (c % 99991) % 9973
                                                          * (CASE WHEN w.person_no = p.lead_id THEN 1 ELSE 4 END + w.person_no % 3)) AS pick
  FROM days
  JOIN projects p ON on_day BETWEEN p.start_date AND coalesce(p.end_date, '2026-11-21')
  JOIN people w ON on_day BETWEEN w.hired_on AND coalesce(w.left_on, '2026-11-21') AND w.person_no NOT IN (2, 22)
  WHERE (p.project_no * 31 + w.person_no * 17) % 5 < 2 OR w.person_no = p.lead_id)
SELECT row_number() OVER (ORDER BY on_day, i), project_no, person_no, on_day,
       CASE WHEN d % 10 < 5 THEN 7.5 WHEN d % 10 < 7 THEN 4 WHEN d % 10 < 8 THEN 3.25 WHEN d % 10 < 9 THEN 8 ELSE 1.5 END,
       CASE grade WHEN 'Partner' THEN 195 WHEN 'Manager' THEN 150 WHEN 'Senior consultant' THEN 122.5 WHEN 'Consultant' THEN 98 ELSE 72.5 END
         + CASE WHEN on_day >= '2026-01-01' THEN 6 ELSE 0 END,
       CASE WHEN e % 100 < 14 THEN 'N' ELSE 'Y' END,
       CASE WHEN f % 100 < 44 THEN 'Delivery' WHEN f % 100 < 66 THEN 'Analysis' WHEN f % 100 < 83 THEN 'Meetings' WHEN f % 100 < 94 THEN 'Testing' ELSE 'Travel' END
FROM matched WHERE pick = 1;

-- Hours are billed at the end of the month; a new project waits for its first bill.
INSERT INTO invoices
WITH months AS (
  SELECT project_no, date(max(work_date), 'start of month', '+1 month', '+2 days') AS sent, sum(hours * rate) AS worth, min(entry_no) AS k
  FROM time_entries WHERE billable = 'Y' AND project_no <> 1029
  GROUP BY project_no, strftime('%Y-%m', work_date)),
settled AS (
  SELECT project_no, sent, round(worth, 2) AS amount,
         CASE WHEN e % 100 >= 3 THEN date(sent, '+' || (9 + f % 38 + CASE WHEN g % 6 = 0 THEN 25 ELSE 0 END) || ' days') END AS settled_on
  FROM months JOIN draws ON draws.i = k
  WHERE sent <= '2026-11-21')
SELECT 5000 + row_number() OVER (ORDER BY sent, project_no), project_no, sent, date(sent, '+30 days'), amount,
       CASE WHEN settled_on <= '2026-11-21' THEN settled_on END
FROM settled;

INSERT INTO expenses
WITH spent AS (
  SELECT t.*, d.b, d.c, d.d, d.g
  FROM time_entries t JOIN draws d ON d.i = t.entry_no
  WHERE d.a % 100 < 16 AND t.project_no NOT IN (1006, 1020) AND t.person_no NOT IN (12, 20))
SELECT row_number() OVER (ORDER BY work_date, entry_no), project_no, person_no, work_date,
       CASE WHEN b % 100 < 38 THEN 'Train' WHEN b % 100 < 60 THEN 'Hotel' WHEN b % 100 < 82 THEN 'Meals' WHEN b % 100 < 92 THEN 'Taxi' ELSE 'Software' END,
       round(CASE WHEN b % 100 < 38 THEN 28 + c % 9000 / 100.0 WHEN b % 100 < 60 THEN 95 + c % 11000 / 100.0 WHEN b % 100 < 82 THEN 9 + c % 4100 / 100.0
                  WHEN b % 100 < 92 THEN 7 + c % 3000 / 100.0 ELSE 40 + c % 26000 / 100.0 END, 2),
       CASE WHEN work_date >= '2026-11-01' AND d % 3 < 2 THEN NULL WHEN g % 100 < 8 THEN 'N' ELSE 'Y' END
FROM spent;

DROP TABLE temp.draws;
