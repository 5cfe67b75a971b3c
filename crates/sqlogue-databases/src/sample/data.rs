//! The tables of the sample and what is in them.

use jiff::civil::{Date, date};
use jiff::{Span, ToSpan as _};
use rusqlite::{Connection, Result, Transaction, params};

use super::names::{CITIES, COMMENTS, EMPLOYEES, FIRST_NAMES, LAST_NAMES, PRODUCTS};
use super::random::Random;

const TABLES: &str = "
CREATE TABLE employees (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  title TEXT NOT NULL,
  department TEXT NOT NULL,
  city TEXT NOT NULL,
  hire_date DATE NOT NULL,
  salary REAL NOT NULL,
  manager_id INTEGER REFERENCES employees(id)
);
CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT UNIQUE,
  phone TEXT,
  city TEXT NOT NULL,
  country TEXT NOT NULL,
  segment TEXT NOT NULL CHECK (segment IN ('Consumer', 'Business', 'Education')),
  joined DATE NOT NULL
);
CREATE TABLE products (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  category TEXT NOT NULL,
  price REAL NOT NULL,
  stock INTEGER NOT NULL,
  discontinued BOOLEAN NOT NULL DEFAULT 0
);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers(id),
  employee_id INTEGER REFERENCES employees(id),
  order_date DATE NOT NULL,
  shipped_date DATE,
  status TEXT NOT NULL CHECK (status IN ('pending', 'shipped', 'delivered', 'cancelled', 'returned'))
);
CREATE TABLE order_items (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders(id),
  product_id INTEGER NOT NULL REFERENCES products(id),
  quantity INTEGER NOT NULL,
  unit_price REAL NOT NULL,
  discount REAL NOT NULL DEFAULT 0
);
CREATE TABLE reviews (
  id INTEGER PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES products(id),
  customer_id INTEGER NOT NULL REFERENCES customers(id),
  rating INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
  comment TEXT,
  review_date DATE NOT NULL
);
CREATE INDEX orders_customer ON orders(customer_id);
CREATE INDEX order_items_order ON order_items(order_id);
";

/// The first and the last day with orders.
const FIRST: Date = date(2024, 1, 2);
const LAST: Date = date(2026, 11, 20);

const ORDERS: i64 = 1_200;
const CUSTOMERS: i64 = 120;

/// Customers from here on have joined but never ordered.
const FIRST_SILENT: i64 = 113;

/// Those who take orders: the sales managers and representatives.
const SELLERS: [i64; 7] = [6, 7, 8, 9, 10, 4, 5];

/// Creates the tables and fills them, in one transaction.
pub(super) fn fill(connection: &mut Connection) -> Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(TABLES)?;
    let mut random = Random::new(20_240_102);
    employees(&transaction)?;
    let joined = customers(&transaction, &mut random)?;
    let stock = products(&transaction, &mut random)?;
    orders(&transaction, &mut random, &joined, &stock)?;
    reviews(&transaction, &mut random)?;
    transaction.commit()
}

fn employees(transaction: &Transaction<'_>) -> Result<()> {
    let mut insert = transaction.prepare("INSERT INTO employees VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?;
    for (id, (name, title, department, city, hired, salary, manager)) in (1_i64..).zip(EMPLOYEES) {
        insert.execute(params![id, name, title, department, city, hired.to_string(), salary, manager])?;
    }
    Ok(())
}

/// Returns the day on which each customer joined.
fn customers(transaction: &Transaction<'_>, random: &mut Random) -> Result<Vec<Date>> {
    let mut insert = transaction.prepare("INSERT INTO customers VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?;
    let mut all_joined = Vec::new();
    for id in 1..=CUSTOMERS {
        // Steps without a common factor give every customer another pair of names.
        let at = usize::try_from(id).unwrap_or(0);
        let first = FIRST_NAMES.get(at * 7 % FIRST_NAMES.len()).copied().unwrap_or("Alex");
        let last = LAST_NAMES.get((at * 11 + at / 40) % LAST_NAMES.len()).copied().unwrap_or("Smith");
        let (city, country) = random.pick(&CITIES, 2).copied().unwrap_or(("London", "United Kingdom"));
        let address = format!("{first}.{}@example.com", last.replace('\'', "")).to_lowercase();
        let email = (!random.chance(6)).then_some(address);
        let phone = (!random.chance(20)).then(|| format!("+44 20 7946 {:04}", random.between(0, 999)));
        let segment = random.pick(&["Consumer", "Consumer", "Business", "Business", "Education"], 1);
        // Most were customers before the first order here; the others join as the years go.
        let days = if random.chance(60) { random.between(-700, 0) } else { random.between(1, 900) };
        let joined = later(FIRST, days);
        insert.execute(params![
            id,
            format!("{first} {last}"),
            email,
            phone,
            city,
            country,
            segment,
            joined.to_string()
        ])?;
        all_joined.push(joined);
    }
    Ok(all_joined)
}

/// Returns the price of each product.
fn products(transaction: &Transaction<'_>, random: &mut Random) -> Result<Vec<f64>> {
    let mut insert = transaction.prepare("INSERT INTO products VALUES (?, ?, ?, ?, ?, ?)")?;
    for (id, (name, category, price)) in (1_i64..).zip(PRODUCTS) {
        let discontinued = matches!(name, "Coat Stand" | "Fountain Pen" | "Tablet");
        let stock = if discontinued || random.chance(5) { 0 } else { random.between(3, 240) };
        insert.execute(params![id, name, category, price, stock, discontinued])?;
    }
    Ok(PRODUCTS.iter().map(|(_, _, price)| *price).collect())
}

fn orders(transaction: &Transaction<'_>, random: &mut Random, joined: &[Date], prices: &[f64]) -> Result<()> {
    let mut days: Vec<Date> = (0..ORDERS).map(|_| order_day(random)).collect();
    days.sort_unstable();
    let mut insert = transaction.prepare("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)")?;
    let mut insert_item = transaction.prepare("INSERT INTO order_items VALUES (?, ?, ?, ?, ?, ?)")?;
    let mut item = 0_i64;
    for (id, day) in (1_i64..).zip(days) {
        // Somebody who had joined by then; a few good customers order much more than others.
        let candidates: Vec<i64> = (1..FIRST_SILENT)
            .zip(joined)
            .filter(|(_, joined)| **joined <= day)
            .map(|(customer, _)| customer)
            .collect();
        let customer = random.pick(&candidates, 2).copied().unwrap_or(1);
        // Orders from the web shop have no seller.
        let seller = (!random.chance(15)).then(|| random.pick(&SELLERS, 1).copied()).flatten();
        let (status, shipped) = fate(random, day);
        let shipped = shipped.map(|shipped| shipped.to_string());
        insert.execute(params![id, customer, seller, day.to_string(), shipped, status])?;
        let mut seen = Vec::new();
        for _ in 0..random.between(1, 4) {
            let product = random.between(1, 40);
            if seen.contains(&product) {
                continue;
            }
            seen.push(product);
            item += 1;
            let price =
                usize::try_from(product - 1).ok().and_then(|at| prices.get(at)).copied().unwrap_or(10.0);
            let most = if price < 50.0 { 12 } else { 3 };
            // Prices were lower in earlier years.
            let years_ago = f64::from(LAST.year() - day.year());
            let price = (price * (1.0 - 0.04 * years_ago) * 100.0).round() / 100.0;
            let discount = if random.chance(18) { 0.1 } else { 0.0 };
            insert_item.execute(params![item, id, product, random.between(1, most), price, discount])?;
        }
    }
    Ok(())
}

/// A day with orders: more every year, and more before the holidays.
fn order_day(random: &mut Random) -> Date {
    let year = *random.pick(&[2024, 2025, 2025, 2025, 2026, 2026, 2026], 1).unwrap_or(&2025);
    let month = *random.pick(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11, 12, 12], 1).unwrap_or(&1);
    let day = i8::try_from(random.between(1, 28)).unwrap_or(1);
    let chosen = Date::new(year, month, day).unwrap_or(FIRST);
    if chosen > LAST {
        // The year is not over: what would lie beyond its last day is spread over the months before.
        later(date(2026, 1, 5), random.between(0, 318))
    } else {
        chosen.max(FIRST)
    }
}

/// What became of an order: its status, and the day on which it was shipped.
fn fate(random: &mut Random, day: Date) -> (&'static str, Option<Date>) {
    let shipped = later(day, random.between(1, 6));
    let age = LAST.since(day).map_or(0, |span| span.get_days());
    match random.below(100) {
        0..6 => ("cancelled", None),
        _ if age < 7 => ("pending", None),
        _ if age < 16 => ("shipped", Some(shipped)),
        6..10 => ("returned", Some(shipped)),
        _ => ("delivered", Some(shipped)),
    }
}

fn reviews(transaction: &Transaction<'_>, random: &mut Random) -> Result<()> {
    // Who bought what, and when.
    let mut statement = transaction.prepare(
        "SELECT item.product_id, o.customer_id, o.order_date FROM order_items AS item JOIN orders AS o \
         ON o.id = item.order_id WHERE o.status = 'delivered' ORDER BY item.id",
    )?;
    let bought = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, String>(2)?)))?;
    let bought: Vec<(i64, i64, String)> = bought.collect::<Result<_>>()?;
    let mut insert = transaction.prepare("INSERT INTO reviews VALUES (?, ?, ?, ?, ?, ?)")?;
    let mut id = 0_i64;
    for (product, customer, day) in bought {
        if !random.chance(14) {
            continue;
        }
        id += 1;
        let (rating, comment) = random.pick(&COMMENTS, 2).copied().unwrap_or((4, "Fine"));
        let comment = (!random.chance(30)).then_some(comment);
        let day = later(day.parse().unwrap_or(FIRST), random.between(8, 40)).min(LAST);
        insert.execute(params![id, product, customer, rating, comment, day.to_string()])?;
    }
    Ok(())
}

fn later(day: Date, days: i64) -> Date {
    let span: Span = days.days();
    day.saturating_add(span)
}
