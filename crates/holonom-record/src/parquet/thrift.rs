//! Thrift's compact protocol, the part that Parquet's structures need.
//!
//! A structure is a list of fields and a zero byte. A field begins with one byte: distance from the last field's number
//! (1 to 15) times 16 plus the type; or the type alone and then the number, zigzag. Integers are zigzag varints,
//! binaries have a varint length before them, a list begins with its length (up to 14) times 16 plus the element type,
//! or 15 times 16 plus the type and then a varint length.

use crate::bytes::{Cursor, Malformed};

pub(crate) const TRUE: u8 = 1;
pub(crate) const FALSE: u8 = 2;
pub(crate) const BYTE: u8 = 3;
pub(crate) const I16: u8 = 4;
pub(crate) const I32: u8 = 5;
pub(crate) const I64: u8 = 6;
pub(crate) const DOUBLE: u8 = 7;
pub(crate) const BINARY: u8 = 8;
pub(crate) const LIST: u8 = 9;
pub(crate) const SET: u8 = 10;
pub(crate) const MAP: u8 = 11;
pub(crate) const STRUCT: u8 = 12;

/// Structures within structures: Parquet has six levels.
const DEPTH: usize = 16;

/// Bytes being written.
#[derive(Debug, Default)]
pub(crate) struct ThriftEncoder {
    pub bytes: Vec<u8>,
    /// Number of the last field in each open structure.
    last: Vec<i64>,
}

impl ThriftEncoder {
    /// A structure at the outside, or as an element of a list.
    pub fn structure(&mut self, fill: impl FnOnce(&mut ThriftEncoder)) {
        self.last.push(0);
        fill(self);
        self.last.pop();
        self.bytes.push(0);
    }

    pub fn int32(&mut self, field: i64, value: i64) {
        self.field(field, I32);
        self.zigzag(value);
    }

    pub fn int64(&mut self, field: i64, value: i64) {
        self.field(field, I64);
        self.zigzag(value);
    }

    pub fn text(&mut self, field: i64, value: &str) {
        self.field(field, BINARY);
        self.element_text(value);
    }

    pub fn nested(&mut self, field: i64, fill: impl FnOnce(&mut ThriftEncoder)) {
        self.field(field, STRUCT);
        self.structure(fill);
    }

    /// The head of a list; its elements follow.
    pub fn list(&mut self, field: i64, element: u8, length: usize) {
        self.field(field, LIST);
        if length < 15 {
            self.bytes.push((length as u8) << 4 | element);
        } else {
            self.bytes.push(0xf0 | element);
            self.varint(length as u64);
        }
    }

    pub fn element_int(&mut self, value: i64) {
        self.zigzag(value);
    }

    pub fn element_text(&mut self, value: &str) {
        self.varint(value.len() as u64);
        self.bytes.extend(value.as_bytes());
    }

    fn field(&mut self, number: i64, kind: u8) {
        let last = self.last.last_mut().map_or(0, |last| std::mem::replace(last, number));
        match number - last {
            step @ 1..=15 => self.bytes.push((step as u8) << 4 | kind),
            _ => {
                self.bytes.push(kind);
                self.zigzag(number);
            }
        }
    }

    fn zigzag(&mut self, value: i64) {
        self.varint((value << 1 ^ value >> 63) as u64);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }
}

/// Bytes being read. Lengths of lists are checked against what is left: an element takes at least a byte.
#[derive(Clone, Debug)]
pub(crate) struct ThriftDecoder<'a> {
    pub cursor: Cursor<'a>,
}

/// A field: its number and type.
pub(crate) type ThriftField = (i64, u8);

impl<'a> ThriftDecoder<'a> {
    pub fn new(bytes: &'a [u8]) -> ThriftDecoder<'a> {
        ThriftDecoder { cursor: Cursor::new(bytes) }
    }

    /// Calls `read` for each field of a structure; it says whether it has read the value, which is skipped otherwise.
    pub fn structure(
        &mut self,
        mut read: impl FnMut(&mut ThriftDecoder<'a>, ThriftField) -> Result<bool, Malformed>,
    ) -> Result<(), Malformed> {
        let mut last = 0;
        while let Some(field) = self.field(last)? {
            last = field.0;
            if !read(self, field)? {
                self.skip(field.1, 0)?;
            }
        }
        Ok(())
    }

    /// A list of `element`s: how many. Nothing may be reserved by it beyond the bytes that are left.
    pub fn list(&mut self, element: u8) -> Result<usize, Malformed> {
        let (found, length) = self.list_head()?;
        if found != element {
            return Malformed::because(format!("a list of type {found} where type {element} is due"));
        }
        Ok(length)
    }

    pub fn int(&mut self) -> Result<i64, Malformed> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    pub fn text(&mut self) -> Result<String, Malformed> {
        let length = self.length()?;
        crate::bytes::text(self.cursor.take(length)?)
    }

    fn field(&mut self, last: i64) -> Result<Option<ThriftField>, Malformed> {
        let byte = self.cursor.u8()?;
        if byte == 0 {
            return Ok(None);
        }
        let number = match byte >> 4 {
            0 => self.int()?,
            step => last.saturating_add(i64::from(step)),
        };
        Ok(Some((number, byte & 15)))
    }

    fn list_head(&mut self) -> Result<(u8, usize), Malformed> {
        let byte = self.cursor.u8()?;
        let length = if byte >> 4 == 15 { self.length()? } else { usize::from(byte >> 4) };
        if length > self.cursor.left() {
            return Malformed::because(format!("{length} elements announced, {} bytes are left", self.cursor.left()));
        }
        Ok((byte & 15, length))
    }

    fn length(&mut self) -> Result<usize, Malformed> {
        let value = self.varint()?;
        usize::try_from(value).map_err(|_| Malformed(format!("a length of {value}")))
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.cursor.u8()?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                break;
            }
            value |= part << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Malformed::because("an integer of more than 64 bits")
    }

    /// Passes over a value. As deep as Parquet may go and no deeper.
    fn skip(&mut self, kind: u8, depth: usize) -> Result<(), Malformed> {
        if depth > DEPTH {
            return Malformed::because(format!("structures nested more than {DEPTH} deep"));
        }
        match kind {
            TRUE | FALSE => {}
            BYTE => drop(self.cursor.take(1)?),
            I16 | I32 | I64 => drop(self.varint()?),
            DOUBLE => drop(self.cursor.take(8)?),
            BINARY => {
                let length = self.length()?;
                self.cursor.take(length)?;
            }
            LIST | SET => {
                let (element, length) = self.list_head()?;
                for _ in 0..length {
                    self.skip_element(element, depth)?;
                }
            }
            MAP => {
                let length = self.length()?;
                let kinds = if length > 0 { self.cursor.u8()? } else { 0 };
                for _ in 0..length {
                    self.skip_element(kinds >> 4, depth)?;
                    self.skip_element(kinds & 15, depth)?;
                }
            }
            STRUCT => {
                let mut last = 0;
                while let Some(field) = self.field(last)? {
                    last = field.0;
                    self.skip(field.1, depth + 1)?;
                }
            }
            _ => return Malformed::because(format!("a value of unknown type {kind}")),
        }
        Ok(())
    }

    /// Booleans take a byte of their own in lists, none as fields.
    fn skip_element(&mut self, kind: u8, depth: usize) -> Result<(), Malformed> {
        match kind {
            TRUE | FALSE => self.cursor.take(1).map(drop),
            _ => self.skip(kind, depth + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let numbers = [0, 1, -1, 63, 64, -65, 1 << 40, i64::MAX, i64::MIN];
        let mut encoder = ThriftEncoder::default();
        encoder.structure(|s| {
            s.list(2, I64, numbers.len());
            numbers.iter().for_each(|n| s.element_int(*n));
            s.int32(30, -7);
            s.nested(31, |inner| inner.text(1, "größe"));
            s.list(32, BINARY, 20);
            (0..20).for_each(|i| s.element_text(&i.to_string()));
            s.text(33, "end");
        });
        let mut seen = Vec::new();
        let mut decoder = ThriftDecoder::new(&encoder.bytes);
        decoder
            .structure(|d, field| {
                match field {
                    (2, LIST) => {
                        for expected in &numbers[..d.list(I64)?] {
                            assert_eq!(d.int()?, *expected);
                        }
                    }
                    (30, I32) => assert_eq!(d.int()?, -7),
                    (33, BINARY) => assert_eq!(d.text()?, "end"),
                    _ => return Ok(false),
                }
                seen.push(field.0);
                Ok(true)
            })
            .expect("sound");
        assert_eq!(seen, [2, 30, 33]);
        assert_eq!(decoder.cursor.left(), 0);
    }

    #[test]
    fn hostile_bytes_are_refused() {
        for bytes in [
            // A field of type struct, again and again.
            vec![0x1c; 10_000],
            // A list with 2^60 elements.
            vec![0x19, 0xf6, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10],
            // A varint that never ends.
            [vec![0x16], vec![0xff; 100]].concat(),
            // A map of 2^62 entries that take no bytes, and a text of 2^63 bytes.
            vec![0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f, 0x00],
            vec![0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
        ] {
            assert!(ThriftDecoder::new(&bytes).structure(|_, _| Ok(false)).is_err(), "{bytes:x?}");
        }
    }
}
