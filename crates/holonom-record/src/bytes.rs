//! Bytes of a file, taken from the front. Nothing is trusted: a length is checked against what is left before anything
//! is made from it.

/// Why bytes cannot be what they should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub String);

impl Malformed {
    pub fn because<T>(reason: impl Into<String>) -> Result<T, Malformed> {
        Err(Malformed(reason.into()))
    }
}

/// Bytes not yet taken.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0 }
    }

    /// How many have been taken.
    pub fn position(&self) -> usize {
        self.at
    }

    /// How many are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub fn take(&mut self, n: usize) -> Result<&'a [u8], Malformed> {
        if n > self.left() {
            return Malformed::because(format!("{n} bytes announced, {} are left", self.left()));
        }
        let taken = &self.bytes[self.at..self.at + n];
        self.at += n;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.take(1)?[0])
    }

    pub fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub fn f64(&mut self) -> Result<f64, Malformed> {
        Ok(f64::from_bits(self.u64()?))
    }

    /// Bytes after their 32-bit length.
    pub fn counted(&mut self) -> Result<&'a [u8], Malformed> {
        let n = self.u32()?;
        self.take(n as usize)
    }

    /// A text after its 32-bit length in bytes.
    pub fn text(&mut self) -> Result<String, Malformed> {
        text(self.counted()?)
    }
}

/// Bytes as a text.
pub(crate) fn text(bytes: &[u8]) -> Result<String, Malformed> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(e) => Malformed::because(format!("a text is not UTF-8 ({e})")),
    }
}

/// A text with its 32-bit length before it. Texts are bounded by the schema, far below 2^32.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    debug_assert!(u32::try_from(text.len()).is_ok());
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}
