//! Keys of several columns, and references to them.

use std::collections::{BTreeMap, HashMap};

use super::Perhaps;
use super::primary;
use super::profile::Reader;
use super::read::Read;
use sqlogue_sql::schema::{ForeignKey, KeyEvidence, Schema, Table, TableKind};

/// From so many rows on it is no chance that no two have the same value: with other references, and without.
const ALONE: usize = 40;
const LEAST: usize = 4;

/// Finds the keys of tables that no single column identifies, or one only perhaps.
pub(super) fn keys(reader: &Reader<'_>, schema: &mut Schema, read: &Read, perhaps: &Perhaps) {
    for (at, table) in schema.tables.iter_mut().enumerate() {
        if table.kind != TableKind::Table || table.primary_key().next().is_some() {
            continue;
        }
        let Some(profile) = reader.profile(at) else { continue };
        let refers = |place: usize| {
            let column = table.columns.get(place);
            column
                .is_some_and(|column| table.foreign_keys.iter().any(|key| key.columns.contains(&column.name)))
        };
        let several = primary::composite(table, &read.columns(at), profile, refers);
        // A reference that no two rows share makes one row of another table out of one of this, unless the rows are few
        // and there are other references.
        let alone = perhaps.iter().filter(|((table, _), _)| *table == at);
        let alone =
            alone.max_by_key(|((_, column), single)| (single.evidence.percent, std::cmp::Reverse(*column)));
        if let Some((_, single)) = alone
            && (refers(single.column) || (single.column == 0 && single.likely))
            && profile.rows >= if several.is_some() { ALONE } else { LEAST }
        {
            super::become_key(table, single.column, single.evidence.clone());
            continue;
        }
        let Some((columns, evidence)) = several else { continue };
        for place in columns {
            if let Some(column) = table.columns.get_mut(place) {
                (column.primary_key, column.key_evidence) = (true, Some(evidence.clone()));
            }
        }
    }
}

/// Finds the keys of tables that others refer to by several columns, where the tables themselves show none: columns of the
/// same names, without duplicates here, and with no other values there.
pub(super) fn shared(reader: &Reader<'_>, schema: &mut Schema, read: &Read) {
    let named = by_name(read);
    for to in 0..schema.tables.len() {
        let is_open = |table: &&Table| table.kind == TableKind::Table && table.primary_key().next().is_none();
        let (Some(table), Some(profile)) = (schema.tables.get(to).filter(is_open), reader.profile(to)) else {
            continue;
        };
        if !profile.whole || profile.rows < ALONE / 4 {
            continue;
        }
        // The other tables with columns of the same names: the places here, and there.
        let mut others: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for place in 0..table.columns.len() {
            let name = read.column((to, place)).first().filter(|name| !name.roles.measure);
            for (from, at) in name.and_then(|name| named.get(name.flat.as_str())).into_iter().flatten() {
                let (parts, columns) = others.entry(*from).or_default();
                if *from != to && parts.last() != Some(&place) {
                    parts.push(place);
                    columns.push(*at);
                }
            }
        }
        let found = others.into_iter().find_map(|(from, (parts, columns))| {
            if !(2..=4).contains(&parts.len()) || !profile.is_unique(&parts) {
                return None;
            }
            let (values, filled) = reader.profile(from)?.tuples(&columns)?;
            let (keys, _) = profile.tuples(&parts)?;
            let contained = filled > 1 && values.is_subset(&keys);
            contained.then_some((parts, schema.tables.get(from)?.name.clone()))
        });
        let Some((parts, from)) = found else { continue };
        let because = vec![
            format!("no two of {} rows have the same values in these columns", profile.rows),
            format!("`{from}` has columns of these names, and no other values"),
        ];
        let Some(table) = schema.tables.get_mut(to) else { continue };
        for place in parts {
            if let Some(column) = table.columns.get_mut(place) {
                let evidence = KeyEvidence { percent: 85, because: because.clone() };
                (column.primary_key, column.key_evidence) = (true, Some(evidence));
            }
        }
    }
}

/// The columns of each name, as it is spelt, in the order of the tables.
fn by_name(read: &Read) -> HashMap<&str, Vec<(usize, usize)>> {
    let mut named: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    for at in 0..read.tables.len() {
        for (place, names) in read.columns(at).into_iter().enumerate() {
            if let Some(name) = names.first() {
                named.entry(&name.flat).or_default().push((at, place));
            }
        }
    }
    named
}

/// Finds columns that together are called as a key of several columns is, and whose values are all found there.
pub(super) fn references(reader: &Reader<'_>, schema: &mut Schema, read: &Read) {
    let keys: Vec<(usize, Vec<usize>)> = schema
        .tables
        .iter()
        .enumerate()
        .filter_map(|(at, table)| {
            let parts = table.columns.iter().enumerate().filter(|(_, column)| column.primary_key);
            let parts: Vec<usize> = parts.map(|(place, _)| place).collect();
            (parts.len() > 1).then_some((at, parts))
        })
        .collect();
    let mut found: Vec<(usize, ForeignKey)> = Vec::new();
    for at in 0..schema.tables.len() {
        for (to, parts) in keys.iter().filter(|(to, _)| *to != at) {
            found.extend(reference(reader, schema, read, at, *to, parts).map(|key| (at, key)));
        }
    }
    // What refers to a table by the same columns as another that refers to it too, refers to the first.
    let same =
        |one: &ForeignKey, other: &ForeignKey| one.table == other.table && one.references == other.references;
    let all = found.clone();
    found.retain(|(at, key)| {
        let between = schema.tables.iter().position(|table| table.name == key.table);
        let further =
            all.iter().filter(|(from, further)| Some(*from) == between && further.columns == key.references);
        !further
            .into_iter()
            .any(|(_, further)| all.iter().any(|(from, direct)| from == at && same(direct, further)))
    });
    for (at, key) in found {
        let Some(table) = schema.tables.get_mut(at) else { continue };
        let known =
            table.foreign_keys.iter().any(|known| known.columns == key.columns && known.table == key.table);
        if !known {
            table.foreign_keys.push(key);
        }
    }
}

fn reference(
    reader: &Reader<'_>,
    schema: &Schema,
    read: &Read,
    from: usize,
    to: usize,
    parts: &[usize],
) -> Option<ForeignKey> {
    let (table, target) = (schema.tables.get(from)?, schema.tables.get(to)?);
    // Each part by its very name; what differs in a role is left to the references of single columns.
    let columns: Vec<usize> = parts
        .iter()
        .map(|part| {
            let wanted = &read.column((to, *part)).first()?.flat;
            let same =
                |place: &usize| read.column((from, *place)).first().is_some_and(|name| name.flat == *wanted);
            (0..table.columns.len()).find(same)
        })
        .collect::<Option<_>>()?;
    let name = |table: &Table, places: &[usize]| -> Option<Vec<String>> {
        places.iter().map(|place| Some(table.columns.get(*place)?.name.clone())).collect()
    };
    // The key of one of both is a part of the other's where both have the same: the larger refers to the smaller.
    let own: Vec<usize> = (0..table.columns.len())
        .filter(|place| table.columns.get(*place).is_some_and(|column| column.primary_key))
        .collect();
    let (profile, keys) = (reader.profile(from)?, reader.profile(to)?);
    let (values, filled) = profile.tuples(&columns)?;
    let (known, _) = keys.tuples(parts)?;
    let same_key = own.len() == columns.len() && own.iter().all(|place| columns.contains(place));
    let first = from < to && same_key && values.len() == known.len();
    if filled < 2 || !keys.whole || !values.is_subset(&known) || first {
        return None;
    }
    // A link between two tables is not what another link between them refers to.
    let refers = |part: &usize| {
        let part = target.columns.get(*part);
        part.is_some_and(|part| target.foreign_keys.iter().any(|key| key.columns == [part.name.clone()]))
    };
    if parts.iter().all(refers) {
        return None;
    }
    let because = vec![
        format!("all {} combinations of their values are in `{}`", values.len(), target.name),
        "they are called as the parts of its key are".to_owned(),
    ];
    Some(ForeignKey {
        columns: name(table, &columns)?,
        table: target.name.clone(),
        references: name(target, parts)?,
        declared: false,
        evidence: Some(KeyEvidence { percent: 93, because }),
    })
}
