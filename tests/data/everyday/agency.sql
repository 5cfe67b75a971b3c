-- An estate agency with three offices: agents, clients (owners and buyers), properties, viewings, offers and sales.
-- CamelCase names; primary keys only; truth values are the words 'true' and 'false'; the state of a property is a code.
-- The records end on 2026-11-21. All people, streets and places are invented. The script gives the same database on every run.

CREATE TABLE Agents (
  AgentID INTEGER PRIMARY KEY,
  FullName TEXT NOT NULL,
  Office TEXT NOT NULL,
  JoinedOn TEXT NOT NULL,
  LeftOn TEXT,
  TeamLeadID INTEGER
);
CREATE TABLE Clients (
  ClientID INTEGER PRIMARY KEY,
  FullName TEXT NOT NULL,
  HomeCity TEXT NOT NULL,
  Phone TEXT,
  Email TEXT,
  IsInvestor TEXT NOT NULL,
  RegisteredOn TEXT NOT NULL
);
CREATE TABLE StatusCodes (
  Code TEXT PRIMARY KEY,
  Label TEXT NOT NULL
);
CREATE TABLE Properties (
  PropertyID INTEGER PRIMARY KEY,
  Address TEXT NOT NULL,
  District TEXT NOT NULL,
  PropertyType TEXT NOT NULL,
  Bedrooms INTEGER NOT NULL,
  AreaSqm INTEGER NOT NULL,
  BuiltYear INTEGER,
  AskingPrice INTEGER NOT NULL,
  HasGarden TEXT NOT NULL,
  HasParking TEXT NOT NULL,
  ListedOn TEXT NOT NULL,
  StatusCode TEXT NOT NULL,
  OwnerID INTEGER NOT NULL,
  ListingAgentID INTEGER NOT NULL
);
CREATE TABLE Viewings (
  ViewingID INTEGER PRIMARY KEY,
  PropertyID INTEGER NOT NULL,
  ClientID INTEGER NOT NULL,
  AgentID INTEGER NOT NULL,
  ViewedAt TEXT NOT NULL,
  Stars INTEGER
);
CREATE TABLE Offers (
  OfferID INTEGER PRIMARY KEY,
  PropertyID INTEGER NOT NULL,
  BidderID INTEGER NOT NULL,
  Amount INTEGER NOT NULL,
  MadeOn TEXT NOT NULL,
  Outcome TEXT NOT NULL
);
CREATE TABLE Sales (
  SaleID INTEGER PRIMARY KEY,
  PropertyID INTEGER NOT NULL,
  SellerID INTEGER NOT NULL,
  BuyerID INTEGER NOT NULL,
  AgentID INTEGER NOT NULL,
  SalePrice INTEGER NOT NULL,
  Commission REAL NOT NULL,
  SoldOn TEXT NOT NULL
);

-- Even draws: eight full-period generators modulo the prime 2^31 - 1.
CREATE TEMP TABLE draws AS
WITH RECURSIVE d(i, a, b, c, d, e, f, g, h) AS (
  SELECT 1, 60607, 505151, 4040404, 91939, 1618033, 693147, 230258, 22360679
  UNION ALL
  SELECT i + 1, a * 48271 % 2147483647, b * 69621 % 2147483647, c * 16807 % 2147483647, d * 39373 % 2147483647,
         e * 630360016 % 2147483647, f * 742938285 % 2147483647, g * 950706376 % 2147483647, h * 1226874159 % 2147483647
  FROM d WHERE i < 6000)
SELECT * FROM d;

INSERT INTO Agents VALUES
  (1, 'Leopold Crane', 'Harbour', '2013-02-01', NULL, NULL), (2, 'Vera Montague', 'Old Town', '2015-06-15', NULL, 1), (3, 'Idris Okafor', 'Riverside', '2016-09-01', NULL, 1),
  (4, 'Simone Archer', 'Harbour', '2018-03-12', NULL, 1), (5, 'Milan Petek', 'Old Town', '2019-11-04', '2025-08-31', 2), (6, 'Greta Solberg', 'Riverside', '2021-01-18', NULL, 3),
  (7, 'Hector Lima', 'Harbour', '2022-05-02', NULL, 4), (8, 'Paula Nemeth', 'Old Town', '2023-08-21', NULL, 2), (9, 'Owen Farrell', 'Riverside', '2024-02-05', '2026-06-30', 3),
  (10, 'Celine Baptiste', 'Old Town', '2025-09-15', NULL, 2), (11, 'Dag Rosen', 'Riverside', '2026-07-06', NULL, 3), (12, 'Nadia Rahal', 'Harbour', '2026-11-02', NULL, 4);
INSERT INTO StatusCodes VALUES ('AV', 'Available'), ('UO', 'Under offer'), ('SO', 'Sold'), ('WD', 'Withdrawn');

CREATE TEMP TABLE first_names (n INTEGER PRIMARY KEY, name TEXT);
INSERT INTO first_names (name) VALUES ('Alan'), ('Beate'), ('Cyril'), ('Dora'), ('Emil'), ('Flora'), ('Gino'), ('Hilda'), ('Igor'), ('Judith'), ('Karl'), ('Lena'), ('Moritz'),
  ('Nora'), ('Oskar'), ('Petra'), ('Rolf'), ('Stella'), ('Timo'), ('Ulla'), ('Vito'), ('Wilma'), ('Yves');
CREATE TEMP TABLE last_names (n INTEGER PRIMARY KEY, name TEXT);
INSERT INTO last_names (name) VALUES ('Ames'), ('Bosch'), ('Croft'), ('Drake'), ('Evans'), ('Flint'), ('Grant'), ('Haas'), ('Ibsen'), ('Jarvis'), ('Kling'), ('Loren'), ('Maier'),
  ('Norris'), ('Ott'), ('Pavlov'), ('Reyes'), ('Seidel'), ('Tate'), ('Ullman'), ('Voss'), ('Wagner'), ('Xander'), ('York'), ('Zahn'), ('Abbot'), ('Byrne'), ('Cole'), ('Dietz');
CREATE TEMP TABLE streets (n INTEGER PRIMARY KEY, name TEXT);
INSERT INTO streets (name) VALUES ('Mill Lane'), ('Quay Street'), ('Church Road'), ('Elm Avenue'), ('Station Road'), ('Castle Hill'), ('Garden Row'), ('Bridge Street'), ('Lime Walk'),
  ('North Parade'), ('Orchard Close'), ('Tanner Street'), ('Willow Drive');

INSERT INTO Clients
SELECT i, (SELECT name FROM first_names WHERE n = 1 + i % 23) || ' ' || (SELECT name FROM last_names WHERE n = 1 + i * 7 % 29),
       CASE WHEN a % 100 < 44 THEN 'Port Ellis' WHEN a % 100 < 68 THEN 'Danbury' WHEN a % 100 < 86 THEN 'Westmoor' ELSE 'Carrick' END,
       CASE WHEN b % 100 < 91 THEN '0' || (600000000 + i * 7919 % 99999999) END, CASE WHEN c % 100 < 84 THEN 'client' || (2000 + i) || '@mail.example' END,
       CASE WHEN d % 100 < 22 THEN 'true' ELSE 'false' END, date('2023-05-02', '+' || (i * 1255 / 340 + e % 8) || ' days')
FROM draws WHERE i <= 340;

CREATE TEMP TABLE listed AS
WITH base AS (
  SELECT i, a, b, c, d, e, f, g, h, date('2023-09-04', '+' || (i * 1160 / 430 + a % 9) || ' days') AS day,
         CASE WHEN b % 100 < 52 THEN 'Apartment' WHEN b % 100 < 78 THEN 'House' WHEN b % 100 < 90 THEN 'Townhouse' WHEN b % 100 < 96 THEN 'Studio' ELSE 'Office' END AS kind
  FROM draws WHERE i <= 430),
sized AS (
  SELECT *, CASE kind WHEN 'Studio' THEN 0 WHEN 'Office' THEN 0 WHEN 'Apartment' THEN 1 + c % 3 WHEN 'Townhouse' THEN 2 + c % 3 ELSE 3 + c % 4 END AS beds FROM base),
priced AS (
  SELECT *, CASE kind WHEN 'Studio' THEN 24 + c % 15 WHEN 'Office' THEN 60 + c % 200 ELSE 32 + beds * 24 + d % 30 + (kind = 'House') * 35 END AS sqm,
         CASE WHEN e % 100 < 27 THEN 'Seafront' WHEN e % 100 < 55 THEN 'Old Town' WHEN e % 100 < 76 THEN 'Riverside' WHEN e % 100 < 91 THEN 'Hillcrest' ELSE 'Station Quarter' END AS area
  FROM sized)
SELECT *, (sqm * (CASE area WHEN 'Seafront' THEN 4300 WHEN 'Old Town' THEN 3700 WHEN 'Riverside' THEN 3200 WHEN 'Hillcrest' THEN 3500 ELSE 2600 END + f % 700 + i) / 1000 + f % 3) * 1000 AS price,
       CASE WHEN g % 100 < 66 THEN date(day, '+' || (28 + h % 90 + (h % 7) * 12) || ' days') END AS sold, g % 100 BETWEEN 66 AND 74 AS pulled
FROM priced WHERE day <= '2026-11-19';

INSERT INTO Properties
SELECT i, (1 + a % 89) || ' ' || (SELECT name FROM streets WHERE n = 1 + d % 13), area, kind, beds, sqm, CASE WHEN b % 17 > 0 THEN 1905 + c % 119 END, price,
       CASE WHEN kind = 'House' OR (kind = 'Townhouse' AND e % 2 = 0) OR f % 11 = 0 THEN 'true' ELSE 'false' END, CASE WHEN f % 100 < 47 THEN 'true' ELSE 'false' END, day,
       CASE WHEN sold <= '2026-11-21' THEN 'SO' WHEN sold <= '2026-12-15' THEN 'UO' WHEN pulled AND day < '2026-09-01' THEN 'WD' ELSE 'AV' END,
       1 + (h % 97 * 3 + i * 11) % (SELECT count(*) - 2 FROM Clients WHERE RegisteredOn <= day),
       (SELECT min((AgentID * 37 + c) % 23 * 100 + AgentID) % 100 FROM Agents WHERE JoinedOn <= day AND (LeftOn IS NULL OR LeftOn > day))
FROM listed;

-- People come to see a property while it is on the market.
INSERT INTO Viewings
WITH seen AS (
  SELECT l.i AS prop, l.area, l.day, l.sold, l.pulled, k, dr.* FROM listed l
  JOIN (SELECT 0 AS k UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6)
  JOIN draws dr ON dr.i = 1 + (l.i * 13 + k * 701) % 5900 WHERE k < 1 + l.e % 8 AND l.i % 31 <> 5),
dated AS (SELECT *, date(day, '+' || (3 + a % CASE WHEN sold IS NULL THEN 75 ELSE CAST(julianday(sold) - julianday(day) - 14 AS INTEGER) END) || ' days') AS on_day FROM seen),
staffed AS (
  SELECT *, CASE strftime('%w', on_day) WHEN '0' THEN date(on_day, '-1 days') ELSE on_day END AS on_date,
         (SELECT min((AgentID * 53 + d) % 29 * 100 + AgentID) % 100 FROM Agents WHERE JoinedOn <= on_day AND (LeftOn IS NULL OR LeftOn > on_day)) AS agent,
         1 + min(b % 338, c % 360) % (SELECT count(*) - 1 FROM Clients WHERE RegisteredOn <= on_day) AS who FROM dated WHERE on_day <= '2026-11-21')
SELECT row_number() OVER (ORDER BY on_date, e % 20, prop), prop, who, agent,
       on_date || ' ' || printf('%02d:%02d', 9 + e % 10, 15 * (f % 4)), CASE WHEN g % 100 < 72 THEN 1 + max(g / 100 % 5, h % 4) END
FROM staffed JOIN Properties ON PropertyID = prop WHERE who <> OwnerID;

INSERT INTO Sales
WITH sold AS (
  SELECT l.*, p.OwnerID, p.ListingAgentID, 1 + (a % 89 * 3 + h % 211) % (SELECT count(*) - 1 FROM Clients WHERE RegisteredOn <= sold) AS who,
         (price * (905 + d % 125) / 1000) / 500 * 500 AS paid
  FROM listed l JOIN Properties p ON p.PropertyID = l.i WHERE sold <= '2026-11-21')
SELECT row_number() OVER (ORDER BY sold, i), i, OwnerID, CASE WHEN who = OwnerID THEN who + 1 ELSE who END,
       CASE WHEN EXISTS (SELECT 1 FROM Agents WHERE AgentID = ListingAgentID AND LeftOn <= sold) THEN (SELECT TeamLeadID FROM Agents WHERE AgentID = ListingAgentID) ELSE ListingAgentID END,
       paid, round(paid * CASE WHEN kind = 'Office' THEN 0.03 WHEN paid > 600000 THEN 0.022 ELSE 0.025 END, 2), sold
FROM sold;

-- The winning bid comes two weeks or more before the sale; others are turned down, taken back or still open.
INSERT INTO Offers
WITH won AS (SELECT PropertyID AS prop, BuyerID AS who, SalePrice AS amount, date(SoldOn, '-' || (12 + SaleID % 9) || ' days') AS day, 'accepted' AS result FROM Sales),
others AS (
  SELECT l.i AS prop, 1 + (dr.a % 83 * 3 + dr.b % 301) % (SELECT count(*) - 1 FROM Clients WHERE RegisteredOn <= l.day) AS who,
         (l.price * (850 + dr.c % 110) / 1000) / 500 * 500 AS amount, date(l.day, '+' || (9 + dr.d % 60) || ' days') AS day, l.sold, dr.e AS e
  FROM listed l JOIN (SELECT 0 AS k UNION ALL SELECT 1) JOIN draws dr ON dr.i = 1 + (l.i * 19 + k * 907) % 5900 WHERE dr.f % 100 < 58),
bids AS (
  SELECT * FROM won UNION ALL
  SELECT prop, who, amount, day, CASE WHEN day >= '2026-11-06' THEN 'pending' WHEN sold > '2026-11-21' AND sold <= '2026-12-15' AND e % 2 = 0 THEN 'accepted' WHEN e % 10 < 2 THEN 'withdrawn' ELSE 'rejected' END
  FROM others JOIN Properties ON PropertyID = prop WHERE day <= '2026-11-21' AND (sold IS NULL OR day < date(sold, '-20 days')) AND who <> OwnerID)
SELECT row_number() OVER (ORDER BY day, prop, who), prop, who, amount, day, result FROM bids;

DROP TABLE temp.draws;
DROP TABLE temp.listed;
DROP TABLE temp.first_names;
DROP TABLE temp.last_names;
DROP TABLE temp.streets;
