//! What an `.xls` file takes when it is read, measured before anything is made of it.
//!
//! The format is a small file system: a table says which sector follows which, and one stream in it holds the records of
//! the workbook. Sizes, places and chains that such a file tells need not be there, a chain can run in a circle, a cell
//! in a far corner makes a sheet of millions of empty ones, and one text can stand in every cell.

use std::ops::Range;

/// Why a file is not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    /// It is none, or something in it leads nowhere.
    Damaged,
    /// Its cells take more than is allowed.
    TooLarge,
}

/// What a cell takes in memory, without its text: the reader holds each sheet and hands out a copy.
const CELL: u64 = 64;

/// The most bytes that a character takes.
const CHARACTER: u64 = 3;

/// A byte of a formula becomes several of its text.
const FORMULA: u64 = 16;

/// The rows and columns of the largest sheet that the format has.
const ROWS: u32 = 1 << 16;
const COLUMNS: u32 = 1 << 8;

/// The most records that go on with another one; each of them holds 8 KB.
const CONTINUED: usize = 50_000;

/// The end of a chain of sectors, and the first number that is no sector.
const END: u32 = 0xFFFF_FFFE;
const NO_SECTOR: u32 = 0xFFFF_FFFA;

/// Checks that the cells of all sheets take at most so many bytes.
pub(super) fn check(file: &[u8], most: u64) -> Result<(), Unfit> {
    let stream = Compound::open(file)?.workbook()?;
    let mut sheets = Vec::new();
    let mut texts = Vec::new();
    for record in Records(&stream) {
        let record = record?;
        match record.kind {
            0x0085 => sheets.push(number(record.data, 0)? as usize),
            0x00FC => texts = shared_texts(record)?,
            0x000A => break,
            _ => {}
        }
    }
    let mut measured = Measured { bytes: 0, most, texts };
    // Each sheet has records of its own, so all of them together are no longer than the stream.
    let mut left = stream.len();
    for start in sheets {
        let sheet = stream.get(start..).ok_or(Unfit::Damaged)?;
        left = left.checked_sub(measured.sheet(sheet)?).ok_or(Unfit::Damaged)?;
    }
    Ok(())
}

fn number(bytes: &[u8], at: usize) -> Result<u32, Unfit> {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk).ok_or(Unfit::Damaged)?;
    Ok(u32::from_le_bytes(*bytes))
}

fn short(bytes: &[u8], at: usize) -> Result<u16, Unfit> {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk).ok_or(Unfit::Damaged)?;
    Ok(u16::from_le_bytes(*bytes))
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).filter_map(|chunk| chunk.first_chunk().copied()).map(u32::from_le_bytes)
}

/// The file system.
struct Compound<'a> {
    file: &'a [u8],
    sector: usize,
    next: Vec<u32>,
    small: Vec<u8>,
    next_small: Vec<u32>,
    entries: Vec<u8>,
}

impl<'a> Compound<'a> {
    fn open(file: &'a [u8]) -> Result<Self, Unfit> {
        if !file.starts_with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") {
            return Err(Unfit::Damaged);
        }
        let sector = match short(file, 30)? {
            9 => 512,
            12 => 4096,
            _ => return Err(Unfit::Damaged),
        };
        let mut compound = Self {
            file,
            sector,
            next: Vec::new(),
            small: Vec::new(),
            next_small: Vec::new(),
            entries: Vec::new(),
        };
        compound.read_table()?;
        let all = u64::MAX;
        compound.entries = compound.chain(number(file, 48)?, all)?;
        let small_sectors = u64::from(number(file, 64)?);
        if small_sectors > 0 {
            let (start, size) = compound.entry(0)?;
            compound.small = compound.chain(start, size)?;
            let table = compound.chain(number(file, 60)?, small_sectors * sector as u64)?;
            compound.next_small = numbers(&table).collect();
        }
        Ok(compound)
    }

    /// The table of which sector follows which. Its own sectors are listed in the header, and in a chain that goes on
    /// from there.
    fn read_table(&mut self) -> Result<(), Unfit> {
        let sectors = self.file.len() / self.sector + 1;
        let mut listed: Vec<u32> = numbers(self.file.get(76..512).ok_or(Unfit::Damaged)?).collect();
        let mut at = number(self.file, 68)?;
        let mut seen = 0;
        while at < NO_SECTOR {
            seen += 1;
            if seen > sectors {
                return Err(Unfit::Damaged);
            }
            listed.extend(numbers(self.sector(at)?));
            at = listed.pop().ok_or(Unfit::Damaged)?;
        }
        listed.retain(|number| *number < NO_SECTOR);
        if listed.len() > sectors {
            return Err(Unfit::Damaged);
        }
        for number in listed {
            let table: Vec<u32> = numbers(self.sector(number)?).collect();
            self.next.extend(table);
        }
        Ok(())
    }

    /// A sector; the last one of a file may be cut short.
    fn sector(&self, number: u32) -> Result<&'a [u8], Unfit> {
        let start = (number as usize + 1) * self.sector;
        let end = (start + self.sector).min(self.file.len());
        self.file.get(start..end).ok_or(Unfit::Damaged)
    }

    /// The sectors from one on, up to a size.
    fn chain(&self, start: u32, size: u64) -> Result<Vec<u8>, Unfit> {
        let sectors = self.file.len() / self.sector + 1;
        chain(start, size, &self.next, sectors, |number| self.sector(number))
    }

    /// Where an entry of the file system begins, and its size.
    fn entry(&self, at: usize) -> Result<(u32, u64), Unfit> {
        let entry = self.entries.get(at * 128..(at + 1) * 128).ok_or(Unfit::Damaged)?;
        let high = if self.sector == 512 { 0 } else { number(entry, 124)? };
        Ok((number(entry, 116)?, u64::from(high) << 32 | u64::from(number(entry, 120)?)))
    }

    /// The stream with the workbook.
    fn workbook(&self) -> Result<Vec<u8>, Unfit> {
        let is_called = |entry: &[u8], name: &str| {
            let units = entry.get(..64).unwrap_or_default().chunks_exact(2);
            let units = units.filter_map(|pair| pair.first_chunk().copied()).map(u16::from_le_bytes);
            let called = char::decode_utf16(units.take_while(|unit| *unit != 0));
            called.map(|unit| unit.unwrap_or('?').to_ascii_lowercase()).eq(name.chars())
        };
        let found = |name: &str| self.entries.chunks_exact(128).position(|entry| is_called(entry, name));
        let at = found("workbook").or_else(|| found("book")).ok_or(Unfit::Damaged)?;
        let (start, size) = self.entry(at)?;
        if size >= 4096 {
            return self.chain(start, size);
        }
        let sectors = self.small.len() / 64 + 1;
        chain(start, size, &self.next_small, sectors, |number| {
            let start = number as usize * 64;
            self.small.get(start..start + 64).ok_or(Unfit::Damaged)
        })
    }
}

/// Follows a chain. One that has more sectors than there are runs in a circle.
fn chain<'a>(
    start: u32,
    size: u64,
    next: &[u32],
    sectors: usize,
    sector: impl Fn(u32) -> Result<&'a [u8], Unfit>,
) -> Result<Vec<u8>, Unfit> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let mut found = Vec::new();
    let mut at = start;
    let mut steps = 0;
    while at != END {
        found.extend_from_slice(sector(at)?);
        steps += 1;
        if found.len() >= size {
            found.truncate(size);
            break;
        }
        if steps > sectors {
            return Err(Unfit::Damaged);
        }
        at = *next.get(at as usize).ok_or(Unfit::Damaged)?;
    }
    Ok(found)
}

/// A record, with those that go on with it.
struct Record<'a> {
    kind: u16,
    data: &'a [u8],
    continued: Vec<&'a [u8]>,
    /// How many bytes of the stream it takes.
    length: usize,
}

struct Records<'a>(&'a [u8]);

impl<'a> Records<'a> {
    fn take(&mut self) -> Result<(u16, &'a [u8]), Unfit> {
        let kind = short(self.0, 0)?;
        let end = usize::from(short(self.0, 2)?) + 4;
        let data = self.0.get(4..end).ok_or(Unfit::Damaged)?;
        self.0 = self.0.get(end..).unwrap_or_default();
        Ok((kind, data))
    }

    fn record(&mut self) -> Result<Record<'a>, Unfit> {
        let before = self.0.len();
        let (kind, data) = self.take()?;
        let mut continued = Vec::new();
        while self.0.len() > 4 && short(self.0, 0)? == 0x003C {
            continued.push(self.take()?.1);
            if continued.len() > CONTINUED {
                return Err(Unfit::Damaged);
            }
        }
        Ok(Record { kind, data, continued, length: before - self.0.len() })
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, Unfit>;

    fn next(&mut self) -> Option<Self::Item> {
        (!self.0.is_empty()).then(|| self.record())
    }
}

/// The bytes that each text of the table of shared texts takes at most.
fn shared_texts(record: Record<'_>) -> Result<Vec<u64>, Unfit> {
    let mut rest = record.continued.into_iter();
    let mut data = record.data.get(8..).ok_or(Unfit::Damaged)?;
    let mut texts = Vec::new();
    loop {
        if data.is_empty() {
            match rest.next() {
                Some(next) => data = next,
                None => return Ok(texts),
            }
            continue;
        }
        let characters = usize::from(short(data, 0)?);
        let flags = *data.get(2).ok_or(Unfit::Damaged)?;
        let mut head = 3;
        let mut behind = 0;
        if flags & 8 != 0 {
            behind += usize::from(short(data, head)?) * 4;
            head += 2;
        }
        if flags & 4 != 0 {
            behind += number(data, head)? as usize;
            head += 4;
        }
        data = data.get(head..).ok_or(Unfit::Damaged)?;
        texts.push(characters as u64 * CHARACTER);
        let mut left = characters;
        let mut wide = flags & 1 != 0;
        while left > 0 {
            let width = if wide { 2 } else { 1 };
            let here = (data.len() / width).min(left);
            data = data.get(here * width..).unwrap_or_default();
            left -= here;
            if left > 0 {
                // A text that goes on in the next record says there anew how wide its characters are.
                let next = rest.next().ok_or(Unfit::Damaged)?;
                wide = next.first().ok_or(Unfit::Damaged)? & 1 != 0;
                data = next.get(1..).unwrap_or_default();
            }
        }
        while behind > 0 {
            if data.is_empty() {
                data = rest.next().ok_or(Unfit::Damaged)?;
            }
            let here = behind.min(data.len());
            data = data.get(here..).unwrap_or_default();
            behind -= here;
        }
    }
}

/// What the sheets so far take.
struct Measured {
    bytes: u64,
    most: u64,
    texts: Vec<u64>,
}

impl Measured {
    fn take(&mut self, bytes: u64) -> Result<(), Unfit> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.most { Err(Unfit::TooLarge) } else { Ok(()) }
    }

    /// Measures a sheet, and says how many bytes of the stream it takes.
    fn sheet(&mut self, stream: &[u8]) -> Result<usize, Unfit> {
        let (mut values, mut formulas) = (Area::default(), Area::default());
        let mut length = 0;
        // What is drawn into a sheet has records of its own in between.
        let mut depth = 0_usize;
        for record in Records(stream) {
            let record = record?;
            let data = record.data;
            length += record.length;
            match record.kind {
                0x0809 => depth += 1,
                0x000A if depth <= 1 => break,
                0x000A => depth -= 1,
                _ if depth > 1 => {}
                0x0200 => announced(data)?,
                0x0203 | 0x0205 | 0x027E => values.hold(data, 1)?,
                0x0204 | 0x00D6 => {
                    values.hold(data, 1)?;
                    self.take(data.len() as u64 * CHARACTER)?;
                }
                0x0207 => self.take(data.len() as u64 * CHARACTER)?,
                0x00FD => {
                    values.hold(data, 1)?;
                    let text = self.texts.get(number(data, 6)? as usize).copied();
                    self.take(text.unwrap_or_default())?;
                }
                0x00BD => values.hold(data, u32::try_from(data.len() / 6).unwrap_or(COLUMNS))?,
                0x0006 => {
                    values.hold(data, 1)?;
                    formulas.hold(data, 1)?;
                    self.take(data.len() as u64 * FORMULA)?;
                }
                _ => {}
            }
        }
        self.take(values.cells().saturating_add(formulas.cells()).saturating_mul(CELL))?;
        Ok(length)
    }
}

/// A sheet is announced with the rows and columns it has, and room is made for them.
fn announced(data: &[u8]) -> Result<(), Unfit> {
    let (rows, columns) = match data.len() {
        10 => (u32::from(short(data, 0)?)..u32::from(short(data, 2)?), short(data, 4)?..short(data, 6)?),
        _ => (number(data, 0)?..number(data, 4)?, short(data, 8)?..short(data, 10)?),
    };
    let is_backwards = rows.start >= rows.end || columns.start == columns.end;
    let has_any = rows.end > 0 && columns.end > 0;
    if has_any && (is_backwards || rows.end > ROWS || u32::from(columns.end) > COLUMNS) {
        return Err(Unfit::Damaged);
    }
    Ok(())
}

/// The rows and columns between the cells that have something in them.
#[derive(Default)]
struct Area(Option<(Range<u32>, Range<u32>)>);

impl Area {
    /// Takes in some cells beside each other, by the record that holds them.
    fn hold(&mut self, record: &[u8], width: u32) -> Result<(), Unfit> {
        let (row, column) = (u32::from(short(record, 0)?), u32::from(short(record, 2)?));
        let (rows, columns) = self.0.get_or_insert((row..row + 1, column..column + 1));
        *rows = rows.start.min(row)..rows.end.max(row + 1);
        *columns = columns.start.min(column)..columns.end.max(column + width.max(1));
        Ok(())
    }

    fn cells(&self) -> u64 {
        self.0.as_ref().map_or(0, |(rows, columns)| rows.len() as u64 * columns.len() as u64)
    }
}
