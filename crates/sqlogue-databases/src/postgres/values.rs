//! Values as they come over the wire, in binary form.

use std::error::Error;

use jiff::tz::TimeZone;
use serde_json::Value as Json;
use tokio_postgres::Column;
use tokio_postgres::types::{FromSql, Kind, Type};

use super::{number, text, time};
use sqlogue_sql::schema::Value;

/// A cell's bytes, NULL as none.
pub(super) struct Raw<'a>(pub(super) Option<&'a [u8]>);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Some(raw)))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(None))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// The zone that points in time are shown in.
#[derive(Debug, Clone)]
pub(super) struct Zone(TimeZone);

impl Zone {
    /// The zone of a server's setting; UTC where the setting is none that is known.
    pub(super) fn named(name: Option<&str>) -> Self {
        Self(name.and_then(|name| TimeZone::get(name).ok()).unwrap_or(TimeZone::UTC))
    }
}

/// How the values of one column are read.
pub(super) struct Reading {
    kind: Type,
    declared: bool,
}

impl Reading {
    pub(super) fn of(column: &Column) -> Self {
        Self { kind: column.type_().clone(), declared: column.type_modifier() >= 0 }
    }

    /// False where the values would be shown as bytes.
    pub(super) fn is_known(&self) -> bool {
        is_known(&self.kind)
    }

    pub(super) fn value(&self, bytes: &[u8], zone: &Zone) -> Value {
        value(&self.kind, bytes, self.declared, zone).unwrap_or_else(|| Value::Blob(bytes.to_vec()))
    }
}

fn is_known(kind: &Type) -> bool {
    match kind.kind() {
        Kind::Enum(_) => true,
        Kind::Array(inner) | Kind::Domain(inner) | Kind::Range(inner) => is_known(inner),
        Kind::Composite(fields) => fields.iter().all(|field| is_known(field.type_())),
        Kind::Simple | Kind::Pseudo => is_text(kind) || is_simple(kind),
        _ => false,
    }
}

fn is_text(kind: &Type) -> bool {
    matches!(
        *kind,
        Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN | Type::JSON | Type::XML
    ) || kind.name() == "citext"
}

fn is_simple(kind: &Type) -> bool {
    matches!(
        *kind,
        Type::BOOL
            | Type::INT2
            | Type::INT4
            | Type::INT8
            | Type::OID
            | Type::XID
            | Type::CHAR
            | Type::FLOAT4
            | Type::FLOAT8
            | Type::NUMERIC
            | Type::DATE
            | Type::TIME
            | Type::TIMETZ
            | Type::TIMESTAMP
            | Type::TIMESTAMPTZ
            | Type::INTERVAL
            | Type::BYTEA
            | Type::UUID
            | Type::JSONB
            | Type::INET
            | Type::CIDR
            | Type::MACADDR
            | Type::MACADDR8
            | Type::BIT
            | Type::VARBIT
            | Type::POINT
            | Type::VOID
    )
}

/// A value of a type; none where the bytes are not what the type promises.
fn value(kind: &Type, bytes: &[u8], declared: bool, zone: &Zone) -> Option<Value> {
    let mut reader = Reader::new(bytes);
    Some(match kind.kind() {
        Kind::Enum(_) => Value::Text(utf8(bytes)),
        Kind::Domain(inner) => return value(inner, bytes, declared, zone),
        Kind::Array(inner) => Value::Text(array(inner, bytes, zone)?.to_string()),
        Kind::Composite(_) => Value::Text(record(kind, bytes, zone)?.to_string()),
        Kind::Range(inner) => Value::Text(text::range(bytes, |bound| {
            value(inner, bound, false, zone).map(|bound| bound.to_string())
        })?),
        _ if is_text(kind) => Value::Text(utf8(bytes)),
        _ => match *kind {
            Type::BOOL => Value::Boolean(reader.u8()? != 0),
            Type::INT2 => Value::Integer(i64::from(reader.i16()?)),
            Type::INT4 => Value::Integer(i64::from(reader.i32()?)),
            Type::INT8 => Value::Integer(reader.i64()?),
            Type::OID | Type::XID => Value::Integer(i64::from(reader.u32()?)),
            Type::CHAR => Value::Text(char::from(reader.u8()?).to_string()),
            // By way of its shortest decimal form, so that 0.1 stays 0.1.
            Type::FLOAT4 => Value::Real(f32::from_bits(reader.u32()?).to_string().parse().ok()?),
            Type::FLOAT8 => Value::Real(reader.f64()?),
            Type::NUMERIC => number::numeric(bytes, declared)?,
            Type::DATE => Value::Text(time::date(reader.i32()?)),
            Type::TIME => Value::Text(time::time(reader.i64()?)),
            Type::TIMETZ => Value::Text(time::time_with_zone(reader.i64()?, reader.i32()?)),
            Type::TIMESTAMP => Value::Text(time::timestamp(reader.i64()?, None)),
            Type::TIMESTAMPTZ => Value::Text(time::timestamp(reader.i64()?, Some(&zone.0))),
            Type::INTERVAL => Value::Text(time::interval(reader.i64()?, reader.i32()?, reader.i32()?)),
            Type::BYTEA => Value::Blob(bytes.to_vec()),
            Type::UUID => Value::Text(text::uuid(bytes)?),
            // Its first byte is a version.
            Type::JSONB => Value::Text(utf8(bytes.get(1..)?)),
            Type::INET | Type::CIDR => Value::Text(text::network(bytes)?),
            Type::MACADDR | Type::MACADDR8 => Value::Text(text::hardware(bytes)),
            Type::BIT | Type::VARBIT => Value::Text(text::bits(bytes)?),
            Type::POINT => Value::Text(text::point(bytes)?),
            Type::VOID => Value::Null,
            _ => return None,
        },
    })
}

fn utf8(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A value as JSON, inside an array or a record. JSON stays JSON there.
fn json(kind: &Type, bytes: Option<&[u8]>, zone: &Zone) -> Option<Json> {
    let Some(bytes) = bytes else { return Some(Json::Null) };
    match (kind.kind(), kind) {
        (Kind::Array(inner), _) => array(inner, bytes, zone),
        (Kind::Composite(_), _) => record(kind, bytes, zone),
        (Kind::Domain(inner), _) => json(inner, Some(bytes), zone),
        (_, &Type::JSON) => serde_json::from_slice(bytes).ok(),
        (_, &Type::JSONB) => serde_json::from_slice(bytes.get(1..)?).ok(),
        _ => match value(kind, bytes, false, zone)? {
            Value::Text(text) => Some(Json::String(text)),
            Value::Real(number) if !number.is_finite() => Some(Json::String(number.to_string())),
            other => serde_json::to_value(other).ok(),
        },
    }
}

fn array(inner: &Type, bytes: &[u8], zone: &Zone) -> Option<Json> {
    let mut reader = Reader::new(bytes);
    let dimensions = reader.i32()?;
    let (_has_nulls, _inner) = (reader.i32()?, reader.u32()?);
    if dimensions == 0 {
        return Some(Json::Array(Vec::new()));
    }
    let mut sizes = Vec::new();
    for _ in 0..dimensions.min(6) {
        let (size, _lower_bound) = (reader.i32()?, reader.i32()?);
        sizes.push(usize::try_from(size).ok()?);
    }
    level(&sizes, inner, &mut reader, zone)
}

fn level(sizes: &[usize], inner: &Type, reader: &mut Reader<'_>, zone: &Zone) -> Option<Json> {
    let Some((size, deeper)) = sizes.split_first() else {
        let cell = reader.cell()?;
        return json(inner, cell, zone);
    };
    let mut elements = Vec::new();
    for _ in 0..*size {
        elements.push(level(deeper, inner, reader, zone)?);
    }
    Some(Json::Array(elements))
}

fn record(kind: &Type, bytes: &[u8], zone: &Zone) -> Option<Json> {
    let Kind::Composite(fields) = kind.kind() else { return None };
    let mut reader = Reader::new(bytes);
    let _count = reader.i32()?;
    let mut object = serde_json::Map::new();
    for field in fields {
        let _kind = reader.u32()?;
        object.insert(field.name().to_owned(), json(field.type_(), reader.cell()?, zone)?);
    }
    Some(Json::Object(object))
}

/// Reads bytes from the front.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.0
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// The next cell with its length before it; NULL has the length -1.
    fn cell(&mut self) -> Option<Option<&'a [u8]>> {
        match self.i32()? {
            -1 => Some(None),
            length => self.take(usize::try_from(length).ok()?).map(Some),
        }
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_be_bytes)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn i16(&mut self) -> Option<i16> {
        self.array().map(i16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_be_bytes)
    }

    pub(super) fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_be_bytes)
    }

    pub(super) fn f64(&mut self) -> Option<f64> {
        self.array().map(f64::from_be_bytes)
    }
}
