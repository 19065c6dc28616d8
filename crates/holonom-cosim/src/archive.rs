//! Archives of the kind ZIP, as far as a unit needs them: files one after the other, deflated where that makes them
//! smaller, then the list of them. All with the same time (1980-01-01), so that the same unit has the same bytes.

use miniz_oxide::deflate::compress_to_vec;

/// Bytes of a file with the limits of the plain format: 4 GiB.
const MOST: u64 = u32::MAX as u64;
/// Midnight of the first day there is.
const DATE: u16 = 1 << 5 | 1;
/// Names are UTF-8.
const UTF8: u16 = 1 << 11;

struct Entry {
    name: String,
    crc: u32,
    method: u16,
    packed: u32,
    size: u32,
    at: u32,
}

/// An archive in the making.
#[derive(Default)]
pub(crate) struct Archive {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

impl Archive {
    /// Add a file; `None` where the archive would be larger than the format allows.
    pub fn add(&mut self, name: &str, content: &[u8]) -> Option<()> {
        let deflated = compress_to_vec(content, 4);
        let smaller = deflated.len() < content.len();
        let (method, packed) = if smaller { (8, &deflated[..]) } else { (0, content) };
        if self.bytes.len() as u64 + packed.len() as u64 > MOST || content.len() as u64 > MOST {
            return None;
        }
        let entry = Entry {
            name: name.into(),
            crc: crc32(content),
            method,
            packed: packed.len() as u32,
            size: content.len() as u32,
            at: self.bytes.len() as u32,
        };
        self.bytes.extend_from_slice(b"PK\x03\x04");
        self.bytes.extend_from_slice(&entry.header());
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(packed);
        self.entries.push(entry);
        Some(())
    }

    /// With the list of files at its end.
    pub fn finish(mut self) -> Option<Vec<u8>> {
        let list = u32::try_from(self.bytes.len()).ok()?;
        for entry in &self.entries {
            self.bytes.extend_from_slice(b"PK\x01\x02");
            // made by version 2.0 on a system with permissions of its own
            self.bytes.extend_from_slice(&(3u16 << 8 | 20).to_le_bytes());
            self.bytes.extend_from_slice(&entry.header());
            // no comment, first disk, binary, an ordinary file that all may read
            self.bytes.extend_from_slice(&[0; 6]);
            self.bytes.extend_from_slice(&(0o100_644u32 << 16).to_le_bytes());
            self.bytes.extend_from_slice(&entry.at.to_le_bytes());
            self.bytes.extend_from_slice(entry.name.as_bytes());
        }
        let size = u32::try_from(self.bytes.len()).ok()? - list;
        let n = u16::try_from(self.entries.len()).ok()?;
        self.bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        self.bytes.extend_from_slice(&n.to_le_bytes());
        self.bytes.extend_from_slice(&n.to_le_bytes());
        self.bytes.extend_from_slice(&size.to_le_bytes());
        self.bytes.extend_from_slice(&list.to_le_bytes());
        self.bytes.extend_from_slice(&[0; 2]);
        Some(self.bytes)
    }
}

impl Entry {
    /// What stands before a file and in the list alike.
    fn header(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(26);
        for short in [20, UTF8, self.method, 0, DATE] {
            out.extend_from_slice(&short.to_le_bytes());
        }
        for long in [self.crc, self.packed, self.size] {
            out.extend_from_slice(&long.to_le_bytes());
        }
        out.extend_from_slice(&(self.name.len() as u16).to_le_bytes());
        out.extend_from_slice(&[0; 2]);
        out
    }
}

/// CRC-32 of ISO 3309.
fn crc32(bytes: &[u8]) -> u32 {
    let table: [u32; 256] =
        std::array::from_fn(|k| (0..8).fold(k as u32, |c, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 }));
    !bytes.iter().fold(!0u32, |c, byte| table[((c ^ u32::from(*byte)) & 255) as usize] ^ (c >> 8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::inflate::decompress_to_vec;

    #[test]
    fn files_come_out_as_they_went_in() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        let (long, short) = ([b'a'; 1000], b"xy");
        let mut archive = Archive::default();
        archive.add("folder/long.txt", &long).expect("small");
        archive.add("short", short).expect("small");
        let bytes = archive.finish().expect("small");
        let packed = u32::from_le_bytes(bytes[18..22].try_into().expect("four")) as usize;
        assert!(packed < 100 && bytes[8] == 8, "deflated");
        assert_eq!(decompress_to_vec(&bytes[45..45 + packed]).expect("valid"), long);
        assert_eq!(&bytes[bytes.len() - 12..bytes.len() - 10], &[2, 0], "two files");
    }
}
