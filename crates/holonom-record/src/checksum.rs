//! Cyclic redundancy checks, eight bytes at a time: CRC-32C (Castagnoli) for our own files, CRC-32 (IEEE) for the pages
//! of Parquet files.
//!
//! What CRC-32C catches for certain, up to 2^31 bits (256 MiB): one, two or three flipped bits anywhere; any odd number
//! of them; any burst of at most 32 bits. Anything else slips through with probability 2^-32. It is no protection
//! against people who change a file on purpose.
//!
//! Both are reflected, start from all ones and are inverted at the end, as in RFC 3720 (CRC-32C) and in gzip (CRC-32).

/// The remainder of bytes seen so far.
#[derive(Clone, Debug)]
pub(crate) struct Crc {
    tables: &'static [[u32; 256]; 8],
    state: u32,
}

const CASTAGNOLI: [[u32; 256]; 8] = tables(0x82f6_3b78);
const IEEE: [[u32; 256]; 8] = tables(0xedb8_8320);

/// `tables[k][b]`: what byte b contributes when k more bytes follow it.
const fn tables(polynomial: u32) -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 { (rest >> 1) ^ polynomial } else { rest >> 1 };
            bit += 1;
        }
        tables[0][byte] = rest;
        byte += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        k += 1;
    }
    tables
}

impl Crc {
    /// CRC-32C of nothing yet.
    pub fn castagnoli() -> Crc {
        static TABLES: [[u32; 256]; 8] = CASTAGNOLI;
        Crc { tables: &TABLES, state: !0 }
    }

    /// CRC-32 of nothing yet.
    pub fn ieee() -> Crc {
        static TABLES: [[u32; 256]; 8] = IEEE;
        Crc { tables: &TABLES, state: !0 }
    }

    /// More bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        let t = self.tables;
        let mut state = self.state;
        let (eights, rest) = bytes.as_chunks::<8>();
        for eight in eights {
            let low = u32::from_le_bytes([eight[0], eight[1], eight[2], eight[3]]) ^ state;
            state = t[7][(low & 0xff) as usize]
                ^ t[6][(low >> 8 & 0xff) as usize]
                ^ t[5][(low >> 16 & 0xff) as usize]
                ^ t[4][(low >> 24) as usize]
                ^ t[3][eight[4] as usize]
                ^ t[2][eight[5] as usize]
                ^ t[1][eight[6] as usize]
                ^ t[0][eight[7] as usize];
        }
        for byte in rest {
            state = (state >> 8) ^ t[0][((state ^ u32::from(*byte)) & 0xff) as usize];
        }
        self.state = state;
    }

    /// The check of all bytes so far.
    pub fn value(&self) -> u32 {
        !self.state
    }
}

/// CRC-32C of some bytes.
pub(crate) fn crc32c(bytes: &[u8]) -> u32 {
    let mut crc = Crc::castagnoli();
    crc.add(bytes);
    crc.value()
}

/// CRC-32 (IEEE) of some bytes.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc::ieee();
    crc.add(bytes);
    crc.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The customary test string, and the examples of RFC 3720, B.4.
    #[test]
    fn known_checks() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(crc32c(&(0..32).collect::<Vec<u8>>()), 0x46dd_794e);
    }

    #[test]
    fn pieces_give_the_check_of_the_whole() {
        let bytes: Vec<u8> = (0..1000u32).map(|i| ((i * i) >> 3) as u8).collect();
        for cut in [0, 1, 7, 8, 9, 500, 999, 1000] {
            let mut crc = Crc::castagnoli();
            crc.add(&bytes[..cut]);
            crc.add(&bytes[cut..]);
            assert_eq!(crc.value(), crc32c(&bytes), "cut at {cut}");
        }
    }
}
