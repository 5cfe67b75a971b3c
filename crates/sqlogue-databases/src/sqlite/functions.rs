//! Functions that SQLite has only where it was built with them, so that queries find them everywhere.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Result};

type One = (&'static str, fn(f64) -> f64);
type Two = (&'static str, fn(f64, f64) -> f64);

/// Registers the mathematical functions with the meaning they have in SQLite's own build.
pub(super) fn register(connection: &Connection) -> Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    let one: [One; 20] = [
        ("acos", f64::acos),
        ("acosh", f64::acosh),
        ("asin", f64::asin),
        ("asinh", f64::asinh),
        ("atan", f64::atan),
        ("atanh", f64::atanh),
        ("cos", f64::cos),
        ("cosh", f64::cosh),
        ("degrees", f64::to_degrees),
        ("exp", f64::exp),
        ("ln", logarithm),
        ("log", |number| logarithm(number) / std::f64::consts::LN_10),
        ("log10", |number| if number > 0.0 { number.log10() } else { f64::NAN }),
        ("log2", |number| if number > 0.0 { number.log2() } else { f64::NAN }),
        ("radians", f64::to_radians),
        ("sin", f64::sin),
        ("sinh", f64::sinh),
        ("sqrt", f64::sqrt),
        ("tan", f64::tan),
        ("tanh", f64::tanh),
    ];
    for (name, function) in one {
        connection.create_scalar_function(name, 1, flags, move |context| {
            Ok(number(context, 0).map(function).filter(|number| !number.is_nan()))
        })?;
    }
    let two: [Two; 5] = [
        ("atan2", f64::atan2),
        ("log", |base, number| logarithm(number) / logarithm(base)),
        ("mod", |number, divisor| number % divisor),
        ("pow", f64::powf),
        ("power", f64::powf),
    ];
    for (name, function) in two {
        connection.create_scalar_function(name, 2, flags, move |context| {
            let pair = number(context, 0).zip(number(context, 1));
            Ok(pair.map(|(left, right)| function(left, right)).filter(|number| !number.is_nan()))
        })?;
    }
    let rounding: [One; 4] =
        [("ceil", f64::ceil), ("ceiling", f64::ceil), ("floor", f64::floor), ("trunc", f64::trunc)];
    for (name, function) in rounding {
        connection.create_scalar_function(name, 1, flags, move |context| {
            Ok(match context.get_raw(0) {
                // A whole number stays one.
                ValueRef::Integer(number) => Value::Integer(number),
                _ => number(context, 0).map_or(Value::Null, |number| Value::Real(function(number))),
            })
        })?;
    }
    connection.create_scalar_function("pi", 0, flags, |_| Ok(std::f64::consts::PI))
}

fn logarithm(number: f64) -> f64 {
    if number > 0.0 { number.ln() } else { f64::NAN }
}

/// The argument as a number, where it is one or a text that spells one.
fn number(context: &Context<'_>, at: usize) -> Option<f64> {
    match context.get_raw(at) {
        ValueRef::Integer(number) => Some(number as f64),
        ValueRef::Real(number) => Some(number),
        ValueRef::Text(text) => std::str::from_utf8(text).ok()?.trim().parse().ok(),
        ValueRef::Null | ValueRef::Blob(_) => None,
    }
}
