-- A factory for garden tools: employees, machines, products, production runs, defects, downtime, suppliers, parts and purchase orders.
-- Short names, no key declared; flags are 'Y' and 'N'; reasons of downtime and kinds of defects are codes with a table of their texts.
-- Moments are 'YYYY-MM-DD HH:MM', days are 'YYYY-MM-DD'. A stop without an end is still going on; an order without a receipt date is open.
-- The records end on 2026-11-21; only due dates go on. All people and firms are invented. The script gives the same database on every run.

CREATE TABLE emp (emp_no INTEGER, emp_nm TEXT, dept TEXT, shift_cd TEXT, hire_dt TEXT, term_dt TEXT, boss_no INTEGER);
CREATE TABLE mach (mach_no TEXT, mach_nm TEXT, line TEXT, mfr TEXT, inst_dt TEXT, cap_per_hr INTEGER, act_flg TEXT);
CREATE TABLE prod (prod_no TEXT, descr TEXT, family TEXT, std_cost REAL, list_prc REAL, disc_flg TEXT);
CREATE TABLE prod_run (run_no INTEGER, mach_no TEXT, prod_no TEXT, emp_no INTEGER, start_ts TEXT, end_ts TEXT, qty_plan INTEGER, qty_good INTEGER, qty_scrap INTEGER);
CREATE TABLE code_txt (code TEXT, code_type TEXT, txt TEXT);
CREATE TABLE defect (defect_no INTEGER, run_no INTEGER, defect_cd TEXT, qty INTEGER, found_dt TEXT);
CREATE TABLE downtime (dt_no INTEGER, mach_no TEXT, reason_cd TEXT, from_ts TEXT, to_ts TEXT, planned_flg TEXT, rep_amt REAL);
CREATE TABLE supp (supp_no INTEGER, supp_nm TEXT, ctry TEXT, rating INTEGER);
CREATE TABLE part (part_no TEXT, descr TEXT, supp_no INTEGER, unit_cost REAL, qty_oh INTEGER, reord_pt INTEGER);
CREATE TABLE bom (prod_no TEXT, part_no TEXT, qty_per INTEGER);
CREATE TABLE po (po_no INTEGER, part_no TEXT, supp_no INTEGER, qty INTEGER, unit_prc REAL, ord_dt TEXT, due_dt TEXT, recv_dt TEXT);

-- Even draws: eight full-period generators modulo the prime 2^31 - 1.
CREATE TEMP TABLE draws AS
WITH RECURSIVE d(i, a, b, c, d, e, f, g, h) AS (
  SELECT 1, 27011, 616161, 8080807, 44021, 1414213, 550001, 198019, 19283746
  UNION ALL
  SELECT i + 1, a * 48271 % 2147483647, b * 69621 % 2147483647, c * 16807 % 2147483647, d * 39373 % 2147483647,
         e * 630360016 % 2147483647, f * 742938285 % 2147483647, g * 950706376 % 2147483647, h * 1226874159 % 2147483647
  FROM d WHERE i < 5000)
SELECT * FROM d;

INSERT INTO emp VALUES
  (100, 'Agathe Brunner', 'Management', 'D', '2008-01-07', NULL, NULL), (110, 'Lucjan Mazur', 'Production', 'D', '2011-04-01', NULL, 100), (120, 'Corinna Weiss', 'Maintenance', 'D', '2012-09-03', NULL, 100),
  (130, 'Teun Bakker', 'Purchasing', 'D', '2016-02-15', NULL, 100), (140, 'Imke Oldenburg', 'Quality', 'D', '2014-06-02', NULL, 100),
  (201, 'Danilo Prado', 'Production', 'A', '2015-03-02', NULL, 110), (202, 'Eszter Kiss', 'Production', 'A', '2017-08-14', NULL, 110), (203, 'Samir Belkacem', 'Production', 'B', '2018-10-01', NULL, 110),
  (204, 'Ludmila Petrak', 'Production', 'B', '2019-05-20', '2025-05-30', 110), (205, 'Jonte Ahlberg', 'Production', 'C', '2020-01-13', NULL, 110), (206, 'Mirela Popa', 'Production', 'A', '2021-09-06', NULL, 110),
  (207, 'Declan Roche', 'Production', 'C', '2022-11-07', '2026-02-27', 110), (208, 'Aiko Mori', 'Production', 'B', '2024-04-15', NULL, 110), (209, 'Viggo Holm', 'Production', 'A', '2025-06-02', NULL, 110),
  (210, 'Zeynep Arslan', 'Production', 'C', '2026-03-02', NULL, 110), (301, 'Bartosz Lis', 'Maintenance', 'A', '2016-07-18', NULL, 120), (302, 'Oona Virtanen', 'Maintenance', 'B', '2021-02-08', NULL, 120),
  (303, 'Kwame Asante', 'Maintenance', 'C', '2025-01-20', NULL, 120), (401, 'Fleur Jansens', 'Purchasing', 'D', '2022-05-16', NULL, 130), (501, 'Rasmus Kjeld', 'Quality', 'A', '2020-08-10', NULL, 140),
  (502, 'Noemi Conti', 'Quality', 'B', '2023-10-02', '2026-08-31', 140), (503, 'Petar Ilic', 'Quality', 'B', '2026-09-14', NULL, 140);
INSERT INTO mach VALUES
  ('M01', 'Press North', 'Forming', 'Halvorsen', '2012-05-14', 220, 'Y'), ('M02', 'Press South', 'Forming', 'Halvorsen', '2014-09-01', 220, 'Y'), ('M03', 'Forge Hammer', 'Forming', 'Brockmann', '2009-03-20', 140, 'Y'),
  ('M04', 'Lathe One', 'Machining', 'Tessaro', '2015-11-10', 90, 'Y'), ('M05', 'Lathe Two', 'Machining', 'Tessaro', '2018-02-26', 95, 'Y'), ('M06', 'Mill Alpha', 'Machining', 'Okada', '2017-06-12', 80, 'Y'),
  ('M07', 'Mill Beta', 'Machining', 'Okada', '2022-01-31', 110, 'Y'), ('M08', 'Paint Booth', 'Finishing', 'Lumex', '2013-10-07', 180, 'Y'), ('M09', 'Powder Line', 'Finishing', 'Lumex', '2021-04-19', 240, 'Y'),
  ('M10', 'Assembly Cell A', 'Assembly', 'Brockmann', '2016-08-22', 120, 'Y'), ('M11', 'Assembly Cell B', 'Assembly', 'Brockmann', '2019-12-02', 130, 'Y'), ('M12', 'Old Grinder', 'Machining', 'Tessaro', '2003-02-17', 40, 'N'),
  ('M13', 'Laser Marker', 'Finishing', 'Okada', '2026-11-16', 300, 'Y');
INSERT INTO prod VALUES
  ('P-100', 'Garden Spade', 'Digging', 9.4, 24.9, 'N'), ('P-110', 'Digging Fork', 'Digging', 10.2, 27.5, 'N'), ('P-120', 'Hand Trowel', 'Digging', 2.9, 8.9, 'N'), ('P-130', 'Bulb Planter', 'Digging', 3.8, 11.5, 'Y'),
  ('P-200', 'Bypass Pruner', 'Cutting', 6.7, 21.9, 'N'), ('P-210', 'Hedge Shears', 'Cutting', 11.9, 34.5, 'N'), ('P-220', 'Lopper', 'Cutting', 13.5, 39.9, 'N'), ('P-230', 'Grass Shears', 'Cutting', 5.6, 16.9, 'N'),
  ('P-300', 'Leaf Rake', 'Raking', 5.1, 15.9, 'N'), ('P-310', 'Bow Rake', 'Raking', 6.9, 19.9, 'N'), ('P-320', 'Soil Rake Mini', 'Raking', 2.4, 7.5, 'Y'), ('P-400', 'Watering Can', 'Watering', 4.4, 14.5, 'N'),
  ('P-410', 'Hose Reel', 'Watering', 15.8, 49, 'N'), ('P-420', 'Spray Nozzle', 'Watering', 1.9, 6.9, 'N'), ('P-500', 'Wheelbarrow', 'Transport', 28.6, 89, 'N'), ('P-510', 'Folding Cart', 'Transport', 34.2, 109, 'N');
INSERT INTO code_txt VALUES ('MEC', 'DOWN', 'Mechanical failure'), ('ELE', 'DOWN', 'Electrical failure'), ('SET', 'DOWN', 'Changeover'), ('MAT', 'DOWN', 'No material'), ('PM', 'DOWN', 'Planned maintenance'),
  ('SCR', 'DEF', 'Scratch'), ('CRK', 'DEF', 'Crack'), ('DIM', 'DEF', 'Wrong dimension'), ('PNT', 'DEF', 'Paint fault'), ('ASM', 'DEF', 'Assembly error');
INSERT INTO supp VALUES (1, 'Nordstahl Works', 'Sweden', 5), (2, 'Ferrum Iberia', 'Spain', 3), (3, 'Kowalczyk Steel', 'Poland', 4), (4, 'Tambora Timber', 'Sweden', 4), (5, 'Polyplast Lodz', 'Poland', 2), (6, 'Schraubwerk Dahl', 'Germany', 5),
  (7, 'Gummi Petersen', 'Germany', 3), (8, 'Colorex', 'Spain', 4), (9, 'Anatolia Fasteners', 'Turkey', 3), (10, 'Baltic Bearings', 'Poland', NULL);
INSERT INTO part VALUES
  ('B-01', 'Steel sheet 2 mm', 1, 3.2, 5400, 3000), ('B-02', 'Steel sheet 3 mm', 1, 4.1, 1850, 2500), ('B-03', 'Steel rod', 3, 1.9, 7200, 4000), ('B-04', 'Spring steel', 3, 2.6, 900, 1500), ('B-05', 'Ash handle long', 4, 2.2, 3100, 3500),
  ('B-06', 'Ash handle short', 4, 1.1, 6800, 3000), ('B-07', 'Grip rubber', 7, 0.45, 12500, 6000), ('B-08', 'Plastic housing', 5, 1.35, 640, 2000), ('B-09', 'Screw M5', 6, 0.04, 88000, 40000), ('B-10', 'Bolt M8', 6, 0.09, 35500, 30000),
  ('B-11', 'Rivet', 9, 0.03, 21000, 25000), ('B-12', 'Wheel 350 mm', 7, 6.4, 480, 600), ('B-13', 'Bearing', 6, 1.2, 2300, 1200), ('B-14', 'Green paint', 8, 5.8, 310, 250), ('B-15', 'Powder coat black', 8, 7.1, 190, 200),
  ('B-16', 'Hose coupling', 5, 0.7, 0, 800), ('B-17', 'Blade blank', 2, 2.75, 4100, 2200), ('B-18', 'Tray steel', 2, 8.9, 720, 500), ('B-19', 'Cardboard box', 9, 0.6, 9400, 5000), ('B-20', 'Brass nozzle', 9, 0.85, 3300, 1000), ('B-21', 'Old label', 8, 0.02, 150000, 0);
INSERT INTO bom VALUES ('P-100', 'B-02', 1), ('P-100', 'B-05', 1), ('P-100', 'B-11', 2), ('P-100', 'B-14', 1), ('P-110', 'B-03', 4), ('P-110', 'B-05', 1), ('P-110', 'B-11', 2), ('P-120', 'B-01', 1), ('P-120', 'B-06', 1), ('P-130', 'B-01', 1), ('P-130', 'B-07', 1),
  ('P-200', 'B-17', 2), ('P-200', 'B-04', 1), ('P-200', 'B-07', 2), ('P-200', 'B-09', 1), ('P-210', 'B-17', 2), ('P-210', 'B-06', 2), ('P-210', 'B-10', 1), ('P-220', 'B-17', 2), ('P-220', 'B-03', 2), ('P-220', 'B-07', 2), ('P-220', 'B-10', 1), ('P-230', 'B-17', 2),
  ('P-230', 'B-04', 1), ('P-300', 'B-04', 12), ('P-300', 'B-05', 1), ('P-310', 'B-03', 2), ('P-310', 'B-05', 1), ('P-320', 'B-03', 1), ('P-320', 'B-06', 1), ('P-400', 'B-01', 2), ('P-400', 'B-14', 1), ('P-410', 'B-08', 2), ('P-410', 'B-09', 8), ('P-410', 'B-16', 2),
  ('P-410', 'B-13', 1), ('P-420', 'B-20', 1), ('P-420', 'B-16', 1), ('P-500', 'B-18', 1), ('P-500', 'B-12', 1), ('P-500', 'B-10', 12), ('P-500', 'B-13', 2), ('P-500', 'B-15', 1), ('P-510', 'B-12', 4), ('P-510', 'B-10', 16), ('P-510', 'B-13', 4), ('P-510', 'B-02', 2), ('P-510', 'B-15', 1);

CREATE TEMP TABLE ops AS SELECT row_number() OVER (ORDER BY emp_no) - 1 AS k, emp_no, hire_dt, term_dt FROM emp WHERE dept = 'Production' AND emp_no > 200;

INSERT INTO prod_run
WITH drawn AS (
  SELECT *, date('2024-01-03', '+' || CASE WHEN h % 7 < 2 THEN max(a % 1051, b % 1051) ELSE a % 1051 END || ' days') AS day0, 'M' || printf('%02d', 1 + min(c % 11, d % 13)) AS mach FROM draws WHERE i <= 2600),
dated AS (SELECT *, CASE strftime('%w', day0) WHEN '0' THEN date(day0, '-2 days') WHEN '6' THEN CASE WHEN g % 3 = 0 THEN day0 ELSE date(day0, '-3 days') END ELSE day0 END AS day FROM drawn),
staffed AS (
  SELECT *, (SELECT min((k * 53 + e) % 31 * 1000 + emp_no) % 1000 FROM ops WHERE hire_dt <= day AND (term_dt IS NULL OR term_dt >= day)) AS who,
         (SELECT prod_no FROM prod WHERE rowid = 1 + min(e % 16, f % 20)) AS what, 60 + g % 300 AS mins,
         day || ' ' || CASE f % 3 WHEN 0 THEN '06:' WHEN 1 THEN '10:' ELSE '14:' END || printf('%02d', h % 60) AS begins FROM dated),
planned AS (SELECT s.*, (cap_per_hr * mins / 60 * 9 / 10 + 5) / 10 * 10 AS plan FROM staffed s JOIN mach ON mach_no = mach),
scrapped AS (SELECT *, CASE WHEN a % 100 < 22 THEN 0 ELSE plan * (1 + b % 50 + (mach IN ('M03', 'M08')) * 22 + (what IN ('P-220', 'P-410')) * 12) / 1000 END AS bad FROM planned)
SELECT row_number() OVER (ORDER BY begins, i), mach, what, who, begins, strftime('%Y-%m-%d %H:%M', begins, '+' || mins || ' minutes'), plan, plan * (880 + c % 140) / 1000 - bad, bad
FROM scrapped;

INSERT INTO defect
WITH found AS (
  SELECT r.*, dr.a, dr.b, dr.c, k FROM prod_run r JOIN (SELECT 0 AS k UNION ALL SELECT 1) JOIN draws dr ON dr.i = 1 + (r.run_no + k * 2401) % 4990
  WHERE qty_scrap >= 4 AND (k = 0 AND dr.d % 100 < 62 OR k = 1 AND dr.d % 100 < 17))
SELECT row_number() OVER (ORDER BY start_ts, run_no, k), run_no,
       CASE WHEN mach_no IN ('M08', 'M09') THEN CASE WHEN a % 10 < 7 THEN 'PNT' ELSE 'SCR' END WHEN mach_no IN ('M10', 'M11') THEN CASE WHEN a % 10 < 6 THEN 'ASM' ELSE 'SCR' END
            WHEN a % 10 < 5 THEN 'DIM' WHEN a % 10 < 8 THEN 'CRK' ELSE 'SCR' END,
       CASE k WHEN 0 THEN 1 + qty_scrap / 2 ELSE 1 + qty_scrap / 4 END, CASE WHEN date(start_ts, '+' || (b % 4) || ' days') > '2026-11-21' THEN date(start_ts) ELSE date(start_ts, '+' || (b % 4) || ' days') END
FROM found;

INSERT INTO downtime
WITH stops AS (
  SELECT *, 'M' || printf('%02d', 1 + min(c % 11, d % 12)) AS mach, date('2024-01-04', '+' || (a % 1051) || ' days') || ' ' || printf('%02d:%02d', 6 + e % 15, f % 60) AS begins,
         CASE WHEN g % 100 < 27 THEN 'MEC' WHEN g % 100 < 41 THEN 'ELE' WHEN g % 100 < 67 THEN 'SET' WHEN g % 100 < 81 THEN 'MAT' ELSE 'PM' END AS why FROM draws WHERE i BETWEEN 2700 AND 3520),
timed AS (SELECT *, strftime('%Y-%m-%d %H:%M', begins, '+' || (CASE why WHEN 'SET' THEN 15 + h % 50 WHEN 'PM' THEN 90 + h % 240 WHEN 'MEC' THEN 40 + h % 600 ELSE 20 + h % 260 END) || ' minutes') AS ends FROM stops)
SELECT row_number() OVER (ORDER BY begins, i), mach, why, begins, CASE WHEN ends < '2026-11-21 20:00' AND NOT (begins >= '2026-11-12' AND h % 4 = 0) THEN ends END, CASE WHEN why IN ('PM', 'SET') THEN 'Y' ELSE 'N' END,
       CASE WHEN why IN ('MEC', 'ELE') THEN round(35 + b % 900 + (b % 13 = 0) * 1400 + (c % 100) / 100.0, 2) WHEN why = 'PM' THEN 120 + b % 160 END
FROM timed;

INSERT INTO po
WITH ordered AS (
  SELECT *, 1 + min(a % 20, b % 23) AS p, date('2024-01-08', '+' || (c % 1048) || ' days') AS day FROM draws WHERE i BETWEEN 3600 AND 4500),
terms AS (SELECT o.*, part.*, date(day, '+' || (14 + d % 3 * 7) || ' days') AS due, date(day, '+' || (9 + e % 19 + (supp_no IN (2, 5, 9)) * (f % 17)) || ' days') AS came FROM ordered o JOIN part ON part.rowid = p)
SELECT row_number() OVER (ORDER BY day, i), part_no, CASE WHEN g % 12 = 0 THEN 1 + g % 9 ELSE supp_no END, (1 + h % 12) * CASE WHEN unit_cost < 0.2 THEN 2000 WHEN unit_cost < 2 THEN 300 ELSE 60 END,
       round(unit_cost * (0.9 + (julianday(day) - julianday('2024-01-01')) / 8000 + (h % 9) / 100.0), 3), day, due, CASE WHEN came <= '2026-11-21' THEN came END
FROM terms;

DROP TABLE temp.draws;
DROP TABLE temp.ops;
