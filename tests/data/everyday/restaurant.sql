-- A restaurant with a terrace: menu, tables, staff, shifts, reservations, orders and what was on them.
-- Every key is declared. Times are local, as 'YYYY-MM-DD HH:MM:SS'; flags are 0 and 1. The house is shut on Mondays.
-- The records end on 2026-11-21. All people are invented. The script gives the same database on every run.

CREATE TABLE staff (
  staff_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  hourly_wage REAL NOT NULL,
  hired_on TEXT NOT NULL,
  left_on TEXT,
  manager_id INTEGER REFERENCES staff(staff_id)
);
CREATE TABLE dining_tables (
  table_id INTEGER PRIMARY KEY,
  label TEXT NOT NULL,
  area TEXT NOT NULL,
  seats INTEGER NOT NULL
);
CREATE TABLE menu_items (
  item_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  section TEXT NOT NULL,
  price REAL NOT NULL,
  cost REAL NOT NULL,
  is_vegetarian INTEGER NOT NULL,
  is_available INTEGER NOT NULL
);
CREATE TABLE orders (
  order_id INTEGER PRIMARY KEY,
  table_id INTEGER REFERENCES dining_tables(table_id),
  waiter_id INTEGER NOT NULL REFERENCES staff(staff_id),
  order_type TEXT NOT NULL CHECK (order_type IN ('dine_in', 'takeaway', 'delivery')),
  opened_at TEXT NOT NULL,
  closed_at TEXT,
  guests INTEGER,
  payment_method TEXT,
  tip REAL NOT NULL DEFAULT 0
);
CREATE TABLE order_items (
  order_item_id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders(order_id),
  item_id INTEGER NOT NULL REFERENCES menu_items(item_id),
  quantity INTEGER NOT NULL,
  unit_price REAL NOT NULL
);
CREATE TABLE reservations (
  reservation_id INTEGER PRIMARY KEY,
  guest_name TEXT NOT NULL,
  phone TEXT,
  party_size INTEGER NOT NULL,
  made_on TEXT NOT NULL,
  reserved_for TEXT NOT NULL,
  table_id INTEGER REFERENCES dining_tables(table_id),
  status TEXT NOT NULL CHECK (status IN ('seated', 'cancelled', 'no_show'))
);
CREATE TABLE shifts (
  shift_id INTEGER PRIMARY KEY,
  staff_id INTEGER NOT NULL REFERENCES staff(staff_id),
  starts_at TEXT NOT NULL,
  ends_at TEXT NOT NULL
);

-- Even draws: eight full-period generators modulo the prime 2^31 - 1.
CREATE TEMP TABLE draws AS
WITH RECURSIVE d(i, a, b, c, d, e, f, g, h) AS (
  SELECT 1, 20771, 918273, 5550123, 77041, 3141592, 271828, 161803, 14142135
  UNION ALL
  SELECT i + 1, a * 48271 % 2147483647, b * 69621 % 2147483647, c * 16807 % 2147483647, d * 39373 % 2147483647,
         e * 630360016 % 2147483647, f * 742938285 % 2147483647, g * 950706376 % 2147483647, h * 1226874159 % 2147483647
  FROM d WHERE i < 6000)
SELECT * FROM d;

INSERT INTO staff VALUES
  (1, 'Rosalind Achterberg', 'manager', 29.5, '2018-04-01', NULL, NULL),
  (2, 'Teodor Blanc', 'head chef', 27, '2019-02-15', NULL, 1),
  (3, 'Marisol Quintero', 'floor manager', 23.5, '2020-06-01', NULL, 1),
  (4, 'Piet Hollander', 'cook', 18.2, '2021-03-10', NULL, 2),
  (5, 'Yasmin Farouk', 'cook', 17.9, '2022-08-01', NULL, 2),
  (6, 'Gabor Szel', 'cook', 17.1, '2023-05-20', '2025-06-30', 2),
  (7, 'Linnea Strand', 'cook', 16.8, '2025-06-15', NULL, 2),
  (8, 'Odile Perrin', 'waiter', 14.9, '2020-09-01', NULL, 3),
  (9, 'Marcus Tew', 'waiter', 14.6, '2021-11-12', NULL, 3),
  (10, 'Ines Calado', 'waiter', 14.2, '2022-04-01', '2025-09-30', 3),
  (11, 'Jakub Wrona', 'waiter', 13.8, '2023-06-19', NULL, 3),
  (12, 'Freya Lindqvist', 'waiter', 13.5, '2024-05-02', NULL, 3),
  (13, 'Dario Mancini', 'waiter', 13.4, '2024-10-15', '2026-03-15', 3),
  (14, 'Sunniva Aas', 'waiter', 13.3, '2025-04-07', NULL, 3),
  (15, 'Bela Orsos', 'waiter', 13, '2026-02-16', NULL, 3),
  (16, 'Clement Dubois', 'bartender', 15.8, '2021-07-05', NULL, 3),
  (17, 'Hanne Vik', 'bartender', 15.1, '2024-03-11', NULL, 3),
  (18, 'Tariq Bensaid', 'dishwasher', 12.6, '2022-01-17', '2024-12-31', 2),
  (19, 'Nuno Pires', 'dishwasher', 12.4, '2025-01-07', NULL, 2),
  (20, 'Ottilie Kern', 'host', 14, '2023-03-01', NULL, 3),
  (21, 'Wim Dekker', 'host', 13.7, '2026-05-04', NULL, 3),
  (22, 'Salma Idrissi', 'apprentice', 10.5, '2026-11-09', NULL, 2);

INSERT INTO dining_tables VALUES
  (1, 'T1', 'Main room', 2), (2, 'T2', 'Main room', 2), (3, 'T3', 'Main room', 4), (4, 'T4', 'Main room', 4), (5, 'T5', 'Main room', 6),
  (6, 'W1', 'Window', 2), (7, 'W2', 'Window', 2), (8, 'W3', 'Window', 4), (9, 'B1', 'Bar', 2), (10, 'B2', 'Bar', 2), (11, 'G1', 'Terrace', 4),
  (12, 'G2', 'Terrace', 4), (13, 'G3', 'Terrace', 6), (14, 'G4', 'Terrace', 8), (15, 'P1', 'Private room', 12);

INSERT INTO menu_items VALUES
  (1, 'House Lemonade', 'Drinks', 4.5, 0.8, 1, 1), (2, 'Grilled Sea Bream', 'Mains', 24.5, 9.6, 0, 1), (3, 'Mushroom Risotto', 'Mains', 17.9, 4.7, 1, 1),
  (4, 'Espresso', 'Drinks', 2.8, 0.4, 1, 1), (5, 'Beef Tagliata', 'Mains', 27.5, 11.2, 0, 1), (6, 'Tomato Soup', 'Starters', 7.5, 1.6, 1, 1),
  (7, 'Draught Beer', 'Drinks', 5.2, 1.5, 1, 1), (8, 'Fries', 'Sides', 4.9, 0.9, 1, 1), (9, 'Tiramisu', 'Desserts', 8.2, 2.1, 1, 1),
  (10, 'Caesar Salad', 'Starters', 11.5, 3.4, 0, 1), (11, 'Glass of Red', 'Drinks', 6.8, 2.2, 1, 1), (12, 'Burger Royale', 'Mains', 18.5, 6.1, 0, 1),
  (13, 'Green Salad', 'Sides', 5.5, 1.3, 1, 1), (14, 'Glass of White', 'Drinks', 6.6, 2.1, 1, 1), (15, 'Chocolate Fondant', 'Desserts', 8.9, 2.3, 1, 1),
  (16, 'Pumpkin Ravioli', 'Mains', 18.9, 5.2, 1, 1), (17, 'Garlic Bread', 'Starters', 5.8, 1.1, 1, 1), (18, 'Mussels in Cider', 'Mains', 21.5, 8.3, 0, 1),
  (19, 'Still Water', 'Drinks', 3.2, 0.3, 1, 1), (20, 'Duck Confit', 'Mains', 26.9, 10.1, 0, 1), (21, 'Panna Cotta', 'Desserts', 7.4, 1.7, 0, 1),
  (22, 'Beetroot Carpaccio', 'Starters', 9.8, 2.5, 1, 1), (23, 'Roast Vegetables', 'Sides', 6.4, 1.6, 1, 1), (24, 'Kids Pasta', 'Mains', 9.5, 2, 1, 1),
  (25, 'Prawn Cocktail', 'Starters', 13.2, 5, 0, 0), (26, 'Cheese Board', 'Desserts', 12.9, 4.8, 1, 1), (27, 'Negroni', 'Drinks', 10.5, 2.9, 1, 1),
  (28, 'Lamb Shoulder', 'Mains', 29.8, 12.4, 0, 0), (29, 'Lobster Bisque', 'Starters', 16.5, 6.2, 0, 1), (30, 'Sorbet Trio', 'Desserts', 6.9, 1.4, 1, 0),
  (31, 'Truffle Mash', 'Sides', 8.5, 2.6, 1, 1), (32, 'Alcohol-free Spritz', 'Drinks', 7.2, 1.8, 1, 1), (33, 'Smoked Tofu Bowl', 'Mains', 16.4, 4.4, 1, 0);

-- Takings grow over time; Fridays and Saturdays are full; a Monday moves to the Saturday before.
CREATE TEMP TABLE days AS
SELECT i, a, b, c, d, e, f, g, h, CASE strftime('%w', day) WHEN '1' THEN date(day, '-2 days') WHEN '2' THEN CASE WHEN c % 2 = 0 THEN date(day, '-4 days') ELSE day END ELSE day END AS day
FROM (SELECT *, date('2024-01-06', '+' || CASE WHEN h % 5 < 2 THEN max(a % 1051, b % 1051) ELSE a % 1051 END || ' days') AS day FROM draws);

INSERT INTO orders
WITH placed AS (
  SELECT *, CASE WHEN d % 100 < 71 THEN 'dine_in' WHEN d % 100 < 89 - (day < '2025-01-01') * 6 THEN 'takeaway' ELSE 'delivery' END AS kind,
         day || ' ' || printf('%02d:%02d:00', CASE WHEN e % 10 < 3 THEN 11 + e / 10 % 3 WHEN e % 10 < 9 THEN 17 + e / 10 % 5 ELSE 14 + e / 10 % 2 END, f % 12 * 5) AS opened
  FROM days WHERE i <= 1900),
seated AS (
  SELECT *, CASE WHEN kind = 'dine_in' THEN CASE WHEN strftime('%m', day) IN ('05', '06', '07', '08', '09') AND g % 10 < 4 THEN 11 + g / 10 % 4 ELSE 1 + min(g / 10 % 15, c % 15) END END AS tab,
         (SELECT min((staff_id * 37 + c) % 101 * 100 + staff_id) % 100 FROM staff WHERE role = 'waiter' AND hired_on <= day AND (left_on IS NULL OR left_on >= day)) AS waiter
  FROM placed)
SELECT row_number() OVER (ORDER BY opened, i), tab,
       waiter,
       kind, opened,
       CASE WHEN opened < '2026-11-21 20:00:00' THEN datetime(opened, '+' || (CASE kind WHEN 'dine_in' THEN 45 + b % 75 WHEN 'takeaway' THEN 12 + b % 14 ELSE 28 + b % 35 END) || ' minutes') END,
       CASE WHEN tab IS NOT NULL THEN 1 + min(b % (SELECT seats FROM dining_tables WHERE table_id = tab), g % 6) END,
       CASE WHEN opened < '2026-11-21 20:00:00' THEN CASE WHEN f % 100 < 58 + (day >= '2025-06-01') * 14 THEN 'card' WHEN f % 100 < 94 THEN 'cash' ELSE 'voucher' END END,
       CASE WHEN kind = 'dine_in' AND a % 10 < 7 AND opened < '2026-11-21 20:00:00' THEN round((a % 90) / 10.0 + 0.5, 1) WHEN kind = 'delivery' AND a % 10 < 3 THEN 2 ELSE 0 END
FROM seated;

INSERT INTO order_items
WITH wanted AS (
  SELECT order_id AS o, opened_at, k, draws.* FROM orders JOIN (SELECT 0 AS k UNION ALL SELECT 1 UNION ALL SELECT 2) JOIN draws ON draws.i = order_id + 1900 * k
  WHERE k = 0 OR (k = 1 AND draws.f % 100 < 85) OR (k = 2 AND draws.f % 100 < 55)),
chosen AS (
  SELECT *, CASE k WHEN 0 THEN min(a % 31, b % 37) WHEN 1 THEN min(a % 24, c % 31) ELSE a % 32 END + 1 AS what FROM wanted)
SELECT row_number() OVER (ORDER BY o, k), o, what, CASE WHEN g % 10 < 6 THEN 1 WHEN g % 10 < 9 THEN 2 ELSE 3 END,
       round(price * CASE WHEN opened_at < '2025-01-01' THEN 0.92 WHEN opened_at < '2026-02-01' THEN 0.96 ELSE 1 END, 1)
FROM chosen JOIN menu_items ON item_id = what WHERE what <= 31;

CREATE TEMP TABLE first_names (n INTEGER PRIMARY KEY, name TEXT);
INSERT INTO first_names (name) VALUES ('Agnes'), ('Bruno'), ('Celia'), ('Derek'), ('Esther'), ('Fabio'), ('Gwen'), ('Henrik'), ('Irma'), ('Joel'),
  ('Kerstin'), ('Lars'), ('Maud'), ('Noel'), ('Oriana'), ('Paul'), ('Rita');
CREATE TEMP TABLE last_names (n INTEGER PRIMARY KEY, name TEXT);
INSERT INTO last_names (name) VALUES ('Ashby'), ('Berger'), ('Corten'), ('Dufour'), ('Elling'), ('Fairley'), ('Gomez'), ('Hartog'), ('Ilves'), ('Jaspers'),
  ('Kimura'), ('Lambert'), ('Muller'), ('Neri'), ('Osei'), ('Pichler'), ('Renard'), ('Soto'), ('Thorne'), ('Ueda'), ('Varga'), ('Wouters'), ('Ziegler');

INSERT INTO reservations
WITH booked AS (SELECT *, 1 + min(a % 280, b % 330) AS who, 2 + min(f % 7, g % 5) + (h % 40 = 0) * 5 AS people FROM days WHERE i BETWEEN 4001 AND 4900),
placed AS (SELECT *, (SELECT min(seats * 10000 + (table_id * 7 + g) % 17 * 100 + table_id) % 100 FROM dining_tables WHERE seats >= people) AS tab FROM booked)
SELECT row_number() OVER (ORDER BY date(day, '-' || (e % 1000 * (f % 1000) / 40000) || ' days'), i),
       (SELECT name FROM first_names WHERE n = 1 + who % 17) || ' ' || (SELECT name FROM last_names WHERE n = 1 + who % 23),
       CASE WHEN d % 100 < 88 THEN '555-' || printf('%04d', who * 31 % 10000) END, people,
       date(day, '-' || (e % 1000 * (f % 1000) / 40000) || ' days'),
       day || ' ' || printf('%02d:%02d:00', CASE WHEN c % 10 < 3 THEN 12 ELSE 18 + c / 10 % 3 END, c / 100 % 4 * 15),
       tab,
       CASE WHEN g % 100 < 11 THEN 'cancelled' WHEN g % 100 < 18 + (people > 5) * 6 THEN 'no_show' ELSE 'seated' END
FROM placed;

INSERT INTO shifts
WITH worked AS (SELECT *, 2 + c % 20 AS who FROM days WHERE i BETWEEN 2001 AND 4000),
started AS (SELECT *, CASE WHEN d % 10 < 4 THEN day || ' 10:00:00' ELSE day || ' 16:30:00' END AS begins FROM worked)
SELECT row_number() OVER (ORDER BY begins, who), who, begins, datetime(begins, '+' || (240 + e % 7 * 30) || ' minutes')
FROM started JOIN staff ON staff_id = who WHERE hired_on <= day AND (left_on IS NULL OR left_on >= day)
GROUP BY who, begins;

DROP TABLE temp.draws;
DROP TABLE temp.days;
DROP TABLE temp.first_names;
DROP TABLE temp.last_names;
