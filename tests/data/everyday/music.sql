-- A music streaming service: artists, albums, tracks, users on plans, payments, plays and playlists.
-- No key is declared. Moments are Unix time in seconds (UTC), release dates are text, money is in cents, flags are 0 and 1.
-- The records end on 2026-11-21. All artists, titles and users are invented. The script gives the same database on every run.

CREATE TABLE countries (code TEXT, name TEXT);
CREATE TABLE plans (code TEXT, name TEXT, price_cents INTEGER, max_devices INTEGER);
CREATE TABLE artists (id INTEGER, name TEXT, genre TEXT, country_code TEXT, follower_count INTEGER);
CREATE TABLE albums (id INTEGER, artist_id INTEGER, title TEXT, kind TEXT, released_on TEXT);
CREATE TABLE tracks (id INTEGER, album_id INTEGER, track_no INTEGER, title TEXT, duration_sec INTEGER, is_explicit INTEGER);
CREATE TABLE users (id INTEGER, username TEXT, email TEXT, country_code TEXT, birth_year INTEGER, plan_code TEXT, signed_up_at INTEGER, cancelled_at INTEGER, invited_by INTEGER);
CREATE TABLE payments (id INTEGER, user_id INTEGER, amount_cents INTEGER, method TEXT, paid_at INTEGER, is_refunded INTEGER);
CREATE TABLE plays (id INTEGER, user_id INTEGER, track_id INTEGER, played_at INTEGER, listened_sec INTEGER, device TEXT, is_skipped INTEGER);
CREATE TABLE playlists (id INTEGER, owner_id INTEGER, name TEXT, created_at INTEGER, is_public INTEGER, track_count INTEGER);
CREATE TABLE playlist_tracks (playlist_id INTEGER, track_id INTEGER, position INTEGER, added_at INTEGER);

-- Even draws: eight full-period generators modulo the prime 2^31 - 1.
CREATE TEMP TABLE draws AS
WITH RECURSIVE d(i, a, b, c, d, e, f, g, h) AS (
  SELECT 1, 81233, 399989, 7778777, 33391, 1732050, 862069, 301029, 26457513
  UNION ALL
  SELECT i + 1, a * 48271 % 2147483647, b * 69621 % 2147483647, c * 16807 % 2147483647, d * 39373 % 2147483647,
         e * 630360016 % 2147483647, f * 742938285 % 2147483647, g * 950706376 % 2147483647, h * 1226874159 % 2147483647
  FROM d WHERE i < 6000)
SELECT * FROM d;

INSERT INTO countries VALUES ('DE', 'Germany'), ('FR', 'France'), ('SE', 'Sweden'), ('BR', 'Brazil'), ('US', 'United States'), ('JP', 'Japan'), ('NG', 'Nigeria');
INSERT INTO plans VALUES ('FREE', 'Free', 0, 1), ('STU', 'Student', 499, 1), ('IND', 'Individual', 999, 2), ('FAM', 'Family', 1599, 6);

CREATE TEMP TABLE words (n INTEGER PRIMARY KEY, adj TEXT, noun TEXT);
INSERT INTO words (adj, noun) VALUES ('Silver', 'Harbor'), ('Midnight', 'Garden'), ('Broken', 'Compass'), ('Velvet', 'Engine'), ('Golden', 'Lanterns'), ('Paper', 'Oceans'), ('Hollow', 'Mirrors'),
  ('Neon', 'Deserts'), ('Quiet', 'Thunder'), ('Crimson', 'Windows'), ('Lonely', 'Satellites'), ('Frozen', 'Rivers'), ('Electric', 'Orchards'), ('Distant', 'Sirens'), ('Wooden', 'Stars'), ('Burning', 'Letters'),
  ('Gentle', 'Giants'), ('Hidden', 'Bridges'), ('Restless', 'Sparrows'), ('Marble', 'Clouds'), ('Secret', 'Parade'), ('Amber', 'Tides'), ('Stolen', 'Summers');

INSERT INTO artists
SELECT i, (SELECT adj FROM words WHERE n = 1 + i * 5 % 23) || ' ' || (SELECT noun FROM words WHERE n = 1 + (i * 9 + i / 23) % 23),
       CASE WHEN a % 100 < 29 THEN 'Pop' WHEN a % 100 < 50 THEN 'Rock' WHEN a % 100 < 67 THEN 'Electronic' WHEN a % 100 < 80 THEN 'Hip-Hop' WHEN a % 100 < 91 THEN 'Jazz' ELSE 'Classical' END,
       (SELECT code FROM countries WHERE rowid = 1 + b % 7), 120 + c % 9000 + (46 - i) * 137
FROM draws WHERE i <= 46;

INSERT INTO albums
SELECT row_number() OVER (ORDER BY i, k), i, (SELECT noun FROM words WHERE n = 1 + (i * 3 + k * 7) % 23) || CASE k WHEN 0 THEN ' at Dawn' WHEN 1 THEN ' Revisited' ELSE ' in Blue' END,
       CASE WHEN c % 10 < 7 THEN 'LP' WHEN c % 10 < 9 THEN 'EP' ELSE 'Live' END, date('2016-01-15', '+' || ((i * 37 + k * 1200 + a % 400) % 3950) || ' days')
FROM draws JOIN (SELECT 0 AS k UNION ALL SELECT 1 UNION ALL SELECT 2) WHERE i <= 45 AND (k = 0 OR b % 3 >= k);

INSERT INTO tracks
SELECT row_number() OVER (ORDER BY al.id, k), al.id, k,
       (SELECT adj FROM words WHERE n = 1 + (al.id * 11 + k * 4) % 23) || ' ' || (SELECT noun FROM words WHERE n = 1 + (al.id * 2 + k * 9 + al.id / 23) % 23),
       142 + dr.a % 170 + (dr.b % 12 = 0) * 180, dr.c % 100 < 14
FROM albums al JOIN (SELECT 1 AS k UNION ALL VALUES (2), (3), (4), (5), (6), (7), (8)) JOIN draws dr ON dr.i = al.id * 31 + k
WHERE k <= CASE al.kind WHEN 'LP' THEN 8 WHEN 'EP' THEN 4 ELSE 6 END;

INSERT INTO users
WITH base AS (SELECT *, CAST(strftime('%s', '2023-11-01') AS INTEGER) + (i - 1) * 228000 + a % 200000 AS up FROM draws WHERE i <= 420)
SELECT i, (SELECT lower(adj) FROM words WHERE n = 1 + i % 23) || '_' || (SELECT lower(noun) FROM words WHERE n = 1 + i * 7 % 19) || (10 + i % 89),
       CASE WHEN b % 100 < 94 THEN 'user' || (3000 + i) || '@mail.example' END,
       CASE WHEN c % 100 < 31 THEN 'DE' WHEN c % 100 < 49 THEN 'US' WHEN c % 100 < 64 THEN 'FR' WHEN c % 100 < 77 THEN 'BR' WHEN c % 100 < 88 THEN 'SE' ELSE 'JP' END,
       CASE WHEN d % 20 > 0 THEN 1955 + max(d % 54, e % 54) END,
       CASE WHEN e % 100 < 38 THEN 'FREE' WHEN e % 100 < 52 THEN 'STU' WHEN e % 100 < 86 THEN 'IND' ELSE 'FAM' END, up,
       CASE WHEN f % 100 < 17 AND up + (30 + g % 500) * 86400 < CAST(strftime('%s', '2026-11-21') AS INTEGER) THEN up + (30 + g % 500) * 86400 END,
       CASE WHEN h % 100 < 23 AND i > 8 THEN 1 + (h % 311 * (h % 97)) / 97 % (i - 1) END
FROM base WHERE up < CAST(strftime('%s', '2026-11-21') AS INTEGER);

-- Paying users are charged every 30 days.
INSERT INTO payments
WITH RECURSIVE k(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM k WHERE k < 38),
charged AS (
  SELECT u.id AS who, p.price_cents AS cents, u.signed_up_at + (7 + k * 30) * 86400 + 3600 AS at, dr.*
  FROM users u JOIN plans p ON p.code = u.plan_code JOIN k JOIN draws dr ON dr.i = 1 + (u.id * 40 + k.k * 7) % 5990
  WHERE p.price_cents > 0 AND u.signed_up_at + (7 + k.k * 30) * 86400 + 3600 < coalesce(u.cancelled_at, CAST(strftime('%s', '2026-11-22') AS INTEGER)))
SELECT row_number() OVER (ORDER BY at, who), who, cents - CASE WHEN at < CAST(strftime('%s', '2025-01-01') AS INTEGER) THEN 100 ELSE 0 END,
       CASE WHEN who % 10 < 6 THEN 'card' WHEN who % 10 < 9 THEN 'paypal' ELSE 'voucher' END, at, a % 100 < 2
FROM charged WHERE b % 100 < 97 AND at < CAST(strftime('%s', '2026-11-22') AS INTEGER);

INSERT INTO plays
WITH heard AS (
  SELECT *, CAST(strftime('%s', '2024-01-03') AS INTEGER) + CASE WHEN h % 5 < 3 THEN max(a % 1052, b % 1052) ELSE a % 1052 END * 86400 AS day FROM draws WHERE i <= 5000),
timed AS (
  SELECT *, day + (CASE WHEN c % 10 < 2 THEN 7 + c / 10 % 3 WHEN c % 10 < 5 THEN 11 + c / 10 % 6 ELSE 17 + c / 10 % 6 END) * 3600 + d % 3600 AS at FROM heard),
who AS (
  SELECT *, 1 + min(e % 1000, f % 1300) * (SELECT count(*) - 1 FROM users WHERE signed_up_at < day) / 1300 AS user,
         1 + min(g % 620, b % 700) % (SELECT count(*) FROM tracks) AS song FROM timed),
real AS (SELECT w.*, t.duration_sec AS dur, t.is_explicit FROM who w JOIN users u ON u.id = w.user JOIN tracks t ON t.id = w.song JOIN albums al ON al.id = t.album_id
  WHERE w.at < coalesce(u.cancelled_at, 9999999999) AND al.released_on <= date(w.day, 'unixepoch') AND w.user % 23 <> 6)
SELECT row_number() OVER (ORDER BY at, i), user, song, at, CASE WHEN (c + i) % 100 < 18 THEN 4 + d % 26 ELSE dur - (d % 7 = 0) * (d % 40) END,
       CASE WHEN f % 100 < 54 THEN 'mobile' WHEN f % 100 < 78 THEN 'desktop' WHEN f % 100 < 93 THEN 'speaker' ELSE 'tv' END, (c + i) % 100 < 18
FROM real;

INSERT INTO playlists
WITH made AS (SELECT *, 1 + (e % 199 * 2 + f % 21) % 400 AS who FROM draws WHERE i <= 230)
SELECT i, who, (SELECT adj FROM words WHERE n = 1 + a % 23) || ' ' || CASE c % 5 WHEN 0 THEN 'Mix' WHEN 1 THEN 'Workout' WHEN 2 THEN 'Evenings' WHEN 3 THEN 'Focus' ELSE 'Party' END,
       (SELECT signed_up_at FROM users WHERE id = who) + (CAST(strftime('%s', '2026-11-20') AS INTEGER) - (SELECT signed_up_at FROM users WHERE id = who)) / 1000 * (g % 1000), h % 100 < 61, 0
FROM made WHERE who <= (SELECT max(id) FROM users);

INSERT INTO playlist_tracks
WITH RECURSIVE k(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM k WHERE k < 22),
filled AS (
  SELECT p.id AS list, 1 + min(dr.a % 600, dr.b % 640) AS song, k, p.created_at + k * 60 + (CAST(strftime('%s', '2026-11-21') AS INTEGER) - p.created_at) / 1000 * (dr.c % 900) AS at
  FROM playlists p JOIN k JOIN draws dr ON dr.i = 1 + (p.id * 23 + k * 211) % 5990 WHERE k <= p.id * 7 % 22 AND p.id % 37 <> 4)
SELECT list, song, row_number() OVER (PARTITION BY list ORDER BY at, k), at FROM filled WHERE song <= (SELECT count(*) FROM tracks) GROUP BY list, song;
UPDATE playlists SET track_count = (SELECT count(*) FROM playlist_tracks WHERE playlist_id = playlists.id);

DROP TABLE temp.draws;
DROP TABLE temp.words;
