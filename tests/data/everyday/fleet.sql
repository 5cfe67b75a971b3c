-- Delivery vans: depots, vehicles, drivers, trips, fuel, incidents and maintenance.
-- Only primary keys are declared. Flags are 0 and 1; times are local, as 'YYYY-MM-DD HH:MM:SS'. The records end on 2026-11-21.
-- All people and places are invented. The script gives the same database on every run.

CREATE TABLE depots (
  depot_id INTEGER PRIMARY KEY,
  depot_name TEXT,
  region TEXT,
  bays INTEGER
);
CREATE TABLE vehicles (
  vehicle_id INTEGER PRIMARY KEY,
  plate TEXT,
  model TEXT,
  fuel TEXT,
  payload_kg INTEGER,
  purchase_price REAL,
  bought_on TEXT,
  sold_on TEXT,
  depot_id INTEGER,
  refrigerated INTEGER
);
CREATE TABLE drivers (
  driver_id INTEGER PRIMARY KEY,
  driver_name TEXT,
  birth_date TEXT,
  hired_on TEXT,
  left_on TEXT,
  depot_id INTEGER,
  hourly_wage REAL,
  night_shift INTEGER
);
CREATE TABLE trips (
  trip_id INTEGER PRIMARY KEY,
  vehicle_id INTEGER,
  driver_id INTEGER,
  from_depot INTEGER,
  to_depot INTEGER,
  start_time TEXT,
  end_time TEXT,
  km REAL,
  parcels INTEGER,
  late INTEGER
);
CREATE TABLE fuel_fills (
  fill_id INTEGER PRIMARY KEY,
  vehicle_id INTEGER,
  filled_on TEXT,
  litres REAL,
  price_per_litre REAL
);
CREATE TABLE incidents (
  incident_id INTEGER PRIMARY KEY,
  vehicle_id INTEGER,
  driver_id INTEGER,
  happened_on TEXT,
  kind TEXT,
  damage REAL,
  at_fault INTEGER,
  closed_on TEXT
);
CREATE TABLE maintenance (
  job_id INTEGER PRIMARY KEY,
  vehicle_id INTEGER,
  opened_on TEXT,
  closed_on TEXT,
  work TEXT,
  cost REAL,
  garage TEXT
);

-- Even draws: eight full-period generators modulo the prime 2^31 - 1.
CREATE TEMP TABLE draws AS
WITH RECURSIVE d(i, a, b, c, d, e, f, g, h) AS (
  SELECT 1, 5150515, 88001, 4747, 9191919, 120033, 7002007, 333667, 24681357
  UNION ALL
  SELECT i + 1, a * 48271 % 2147483647, b * 69621 % 2147483647, c * 16807 % 2147483647, d * 39373 % 2147483647,
         e * 630360016 % 2147483647, f * 742938285 % 2147483647, g * 950706376 % 2147483647, h * 1226874159 % 2147483647
  FROM d WHERE i < 3000)
SELECT * FROM d;

INSERT INTO depots VALUES
  (1, 'Ashford Cross', 'South', 14), (2, 'Brackley Mill', 'Midlands', 9), (3, 'Carrow Quay', 'East', 11), (4, 'Denholm Park', 'North', 8),
  (5, 'Elmstead', 'South', 6), (6, 'Foxley Junction', 'Midlands', 12), (7, 'Garth Moor', 'North', 5), (8, 'Hadley Point', 'East', 4);

INSERT INTO vehicles VALUES
  (1, 'KX21 ABD', 'Carrier 35', 'diesel', 1350, 31200, '2021-03-11', NULL, 1, 0),
  (2, 'KX21 ABF', 'Carrier 35', 'diesel', 1350, 31200, '2021-03-11', NULL, 1, 0),
  (3, 'KX21 CGH', 'Carrier 50', 'diesel', 2100, 42750, '2021-06-02', NULL, 2, 1),
  (4, 'LM21 DLO', 'Swift', 'petrol', 640, 18900, '2021-07-19', '2025-03-28', 5, 0),
  (5, 'LM22 EFA', 'Swift', 'petrol', 640, 19400, '2022-01-24', NULL, 5, 0),
  (6, 'LM22 EFB', 'Swift', 'petrol', 640, 19400, '2022-01-24', '2026-02-13', 3, 0),
  (7, 'NB22 GTR', 'Carrier 50', 'diesel', 2100, 44100, '2022-05-16', NULL, 6, 1),
  (8, 'NB22 GTS', 'Carrier 35', 'diesel', 1350, 32600, '2022-05-16', NULL, 6, 0),
  (9, 'NB22 HAK', 'Volta E', 'electric', 900, 46800, '2022-10-03', NULL, 1, 0),
  (10, 'PR23 JJC', 'Volta E', 'electric', 900, 47500, '2023-02-20', NULL, 3, 0),
  (11, 'PR23 JJD', 'Volta E', 'electric', 900, 47500, '2023-02-20', NULL, 3, 0),
  (12, 'PR23 KMN', 'Carrier 50', 'diesel', 2100, 45900, '2023-06-12', NULL, 4, 1),
  (13, 'PR23 LLE', 'Carrier 35', 'diesel', 1350, 33900, '2023-08-28', NULL, 4, 0),
  (14, 'ST24 MOP', 'Carrier 35', 'diesel', 1350, 34800, '2024-01-15', NULL, 7, 0),
  (15, 'ST24 MOR', 'Swift', 'petrol', 640, 20900, '2024-01-15', NULL, 7, 0),
  (16, 'ST24 NAV', 'Volta E', 'electric', 900, 48200, '2024-04-08', NULL, 6, 0),
  (17, 'ST24 OXY', 'Volta XL', 'electric', 1500, 61500, '2024-09-23', NULL, 2, 1),
  (18, 'UV25 PPA', 'Volta XL', 'electric', 1500, 62300, '2025-02-17', NULL, 1, 1),
  (19, 'UV25 PPB', 'Carrier 50', 'diesel', 2100, 47600, '2025-05-06', NULL, 2, 1),
  (20, 'UV25 RST', 'Volta E', 'electric', 900, 49900, '2025-09-01', NULL, 6, 0),
  (21, 'WX26 SAB', 'Volta XL', 'electric', 1500, 63800, '2026-01-26', NULL, 3, 1),
  (22, 'WX26 SAC', 'Volta E', 'electric', 900, 50600, '2026-04-13', NULL, 4, 0),
  (23, 'WX26 TUV', 'Volta E', 'electric', 900, 51200, '2026-08-17', NULL, 5, 0),
  (24, 'WX26 UVW', 'Volta XL', 'electric', 1500, 64900, '2026-11-16', NULL, 8, 0);

INSERT INTO drivers VALUES
  (1, 'Adil Rahimi', '1979-04-12', '2020-02-10', NULL, 1, 16.8, 0), (2, 'Bryony Tate', '1988-09-30', '2020-06-22', NULL, 1, 16.4, 0),
  (3, 'Cesar Moya', '1992-01-17', '2020-11-02', NULL, 2, 15.9, 1), (4, 'Dorota Wilk', '1969-12-05', '2021-01-18', NULL, 3, 17.2, 0),
  (5, 'Eamon Doyle', '1964-07-23', '2021-03-29', '2025-06-30', 4, 17.5, 0), (6, 'Freya Lund', '1995-05-08', '2021-08-09', NULL, 6, 15.4, 1),
  (7, 'Goran Peric', '1983-10-27', '2021-10-25', NULL, 6, 16.1, 0), (8, 'Hetty Marsh', '1997-02-14', '2022-02-28', NULL, 5, 14.9, 0),
  (9, 'Imran Siddiq', '1986-06-19', '2022-05-09', NULL, 3, 15.7, 1), (10, 'Jolanta Bis', '1974-11-11', '2022-09-12', NULL, 2, 16.0, 0),
  (11, 'Kofi Mensah', '1990-08-03', '2023-01-09', NULL, 4, 15.2, 0), (12, 'Liam Corrigan', '2000-03-26', '2023-03-20', '2026-01-31', 1, 14.2, 0),
  (13, 'Maeve Brannigan', '1985-12-29', '2023-06-05', NULL, 7, 15.5, 0), (14, 'Nuno Teixeira', '1993-07-07', '2023-11-13', NULL, 6, 14.8, 1),
  (15, 'Oksana Hrytsak', '1981-05-21', '2024-02-05', NULL, 3, 15.1, 0), (16, 'Piers Hallam', '1999-10-16', '2024-07-15', NULL, 1, 14.0, 0),
  (17, 'Rukhsana Ali', '1977-01-31', '2024-11-25', NULL, 2, 15.6, 0), (18, 'Stellan Berg', '2002-06-09', '2025-03-17', NULL, 7, 13.7, 1),
  (19, 'Tamsin Grey', '1994-04-02', '2025-08-11', NULL, 4, 14.6, 0), (20, 'Umar Farooq', '1989-09-14', '2026-01-19', NULL, 5, 14.7, 0),
  (21, 'Vera Kolb', '2001-12-20', '2026-05-25', NULL, 6, 13.5, 1), (22, 'Wilf Ansah', '1998-08-25', '2026-11-16', NULL, 8, 13.4, 0);

-- A trip starts at the van's depot three times in five; driver and van were both with the firm on that day.
INSERT INTO trips
WITH drawn AS (
  SELECT *, date('2024-01-02', '+' || CASE WHEN h % 4 = 0 THEN max(a % 1055, b % 1055) ELSE a % 1055 END || ' days') AS day
  FROM draws WHERE i <= 2600),
working AS (
  SELECT *, CASE WHEN strftime('%w', day) = '0' AND g % 5 > 0 THEN date(day, '-' || (1 + f % 6) || ' days') ELSE day END AS on_day
  FROM drawn),
crewed AS (
  SELECT x.*, v.vehicle_id, v.depot_id AS home, v.fuel, w.driver_id,
         row_number() OVER (PARTITION BY x.i ORDER BY (v.vehicle_id * 53 + w.driver_id * 1009) * (c % 99991) % 9973
                                                       * (CASE WHEN w.depot_id = v.depot_id THEN 1 ELSE 3 END + v.vehicle_id % 4 + w.driver_id % 3)) AS pick
  FROM working x
  JOIN vehicles v ON on_day >= v.bought_on AND on_day <= coalesce(v.sold_on, '2026-11-21') AND v.vehicle_id NOT IN (13, 24)
  JOIN drivers w ON on_day >= w.hired_on AND on_day <= coalesce(w.left_on, '2026-11-21') AND w.driver_id <> 22
  WHERE (v.vehicle_id * 13 + w.driver_id * 29 + x.d) % 6 = 0),
routed AS (
  SELECT *, CASE WHEN d % 5 < 3 THEN home ELSE 1 + e % 8 END AS leaves, 5 + f % 13 AS hour, g % 60 AS minute,
         round(18 + b % 1600 / 10.0 + CASE WHEN fuel = 'electric' THEN 0 ELSE 45 END, 1) AS distance
  FROM crewed WHERE pick = 1),
sent AS (
  SELECT *, CASE WHEN c % 8 + 1 <> leaves AND c % 3 > 0 THEN c % 8 + 1 WHEN c % 2 = 0 THEN leaves ELSE 1 + (leaves + h % 3) % 7 END AS arrives,
         on_day || ' ' || printf('%02d:%02d:00', hour, minute) AS starts
  FROM routed)
SELECT row_number() OVER (ORDER BY starts, i), vehicle_id, driver_id, leaves, arrives, starts,
       CASE WHEN on_day < '2026-11-20' OR e % 3 = 0 THEN datetime(starts, '+' || CAST(25 + distance * (1.2 + d % 50 / 60.0) AS INTEGER) || ' minutes') END,
       distance, 8 + (h % 90) + CASE WHEN strftime('%m', on_day) IN ('11', '12') THEN 25 ELSE 0 END,
       CASE WHEN (a + driver_id) % 100 < 7 + driver_id % 5 * 3 THEN 1 ELSE 0 END
FROM sent;

-- Electric vans never fill up.
INSERT INTO fuel_fills
WITH fills AS (
  SELECT t.vehicle_id, date(t.start_time) AS day, max(t.trip_id) AS k
  FROM trips t JOIN vehicles v ON v.vehicle_id = t.vehicle_id JOIN draws d ON d.i = t.trip_id
  WHERE v.fuel <> 'electric' AND d.g % 100 < 48
  GROUP BY t.vehicle_id, day)
SELECT row_number() OVER (ORDER BY day, fills.vehicle_id), fills.vehicle_id, day,
       round(22 + d.a % 3800 / 100.0 + v.payload_kg / 100.0, 2),
       round(1.42 + (d.b % 14) / 100.0 + CASE strftime('%Y', day) WHEN '2024' THEN 0.02 WHEN '2025' THEN 0.06 ELSE 0.11 END + CASE v.fuel WHEN 'diesel' THEN 0.07 ELSE 0 END, 3)
FROM fills JOIN vehicles v ON v.vehicle_id = fills.vehicle_id JOIN draws d ON d.i = k;

INSERT INTO incidents
WITH hit AS (
  SELECT t.*, d.a, d.b, d.c, d.d, d.e
  FROM trips t JOIN draws d ON d.i = t.trip_id
  WHERE (d.f + t.driver_id * 7) % 100 < 4 + t.driver_id % 4 AND t.driver_id NOT IN (4, 17) AND t.vehicle_id <> 16)
SELECT row_number() OVER (ORDER BY start_time, trip_id), vehicle_id, driver_id, date(start_time),
       CASE WHEN a % 100 < 40 THEN 'scratch' WHEN a % 100 < 62 THEN 'collision' WHEN a % 100 < 79 THEN 'flat tyre' WHEN a % 100 < 93 THEN 'breakdown' ELSE 'theft' END,
       CASE WHEN a % 100 < 40 THEN 60 + b % 540 WHEN a % 100 < 62 THEN 450 + b % 5200 WHEN a % 100 < 79 THEN 90 + b % 160 WHEN a % 100 < 93 THEN 180 + b % 1900 ELSE 800 + b % 2400 END,
       CASE WHEN a % 100 < 62 AND c % 9 < 5 THEN 1 ELSE 0 END,
       CASE WHEN date(start_time, '+' || (3 + d % 55) || ' days') <= '2026-11-21' AND e % 40 > 0 THEN date(start_time, '+' || (3 + d % 55) || ' days') END
FROM hit;

INSERT INTO maintenance
WITH jobs AS (
  SELECT v.vehicle_id, d.*, date('2024-01-08', '+' || (d.a % 1048) || ' days') AS opened
  FROM draws d JOIN vehicles v ON v.vehicle_id = 1 + d.b % 23
  WHERE d.i BETWEEN 2601 AND 2960 AND v.vehicle_id <> 20)
SELECT row_number() OVER (ORDER BY opened, i), vehicle_id, opened,
       CASE WHEN date(opened, '+' || (1 + c % 16) || ' days') <= '2026-11-21' THEN date(opened, '+' || (1 + c % 16) || ' days') END,
       CASE WHEN d % 100 < 34 THEN 'service' WHEN d % 100 < 54 THEN 'tyres' WHEN d % 100 < 71 THEN 'brakes' WHEN d % 100 < 86 THEN 'inspection' ELSE 'bodywork' END,
       round(CASE WHEN d % 100 < 34 THEN 180 + e % 21000 / 100.0 WHEN d % 100 < 54 THEN 220 + e % 42000 / 100.0 WHEN d % 100 < 71 THEN 150 + e % 36000 / 100.0
                  WHEN d % 100 < 86 THEN 75 + e % 6000 / 100.0 ELSE 300 + e % 160000 / 100.0 END, 2),
       CASE f % 4 WHEN 0 THEN 'Northway Motors' WHEN 1 THEN 'Quick Van Care' WHEN 2 THEN 'In-house' ELSE 'Sutton & Sons' END
FROM jobs JOIN vehicles USING (vehicle_id)
WHERE opened > bought_on AND opened <= coalesce(sold_on, '2026-11-21') AND opened <= '2026-11-20';

DROP TABLE temp.draws;
