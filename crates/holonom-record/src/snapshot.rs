//! Snapshots: one state of one scene in a small file of its own (`.snap`).
//!
//! Version 1, little endian; texts are UTF-8 with a u32 length in bytes before them.
//!
//! ```text
//!    0   8   magic  89 48 53 4e 50 0d 0a 1a  ("\x89HSNP\r\n\x1a")
//!    8   4   u32    version, 1
//!   12   8   u64    n, length of the body
//!   20   4   u32    CRC-32C of bytes 0 .. 20
//!   24   n   body   u64 fingerprint; f64 time, s; text scene; text settings;
//!                   u32 number of names + 1 (0: no names given), a text each; u64 length of the state; the state
//! 24+n   4   u32    CRC-32C of the body
//! ```
//! The first 24 bytes stay as they are in all versions. A file is written under another name and renamed: it is whole
//! or not there.

use crate::bytes::{Cursor, Malformed, put_text};
use crate::checksum::crc32c;
use crate::files;
use crate::recording::DEFAULT_BUDGET;
use crate::{RecordError, schema::MAX_METADATA};
use std::io::Read;
use std::path::Path;

const MAGIC: [u8; 8] = *b"\x89HSNP\r\n\x1a";
const VERSION: u32 = 1;
const HEAD: usize = 24;

/// A state to resume from, and what is needed to know whose it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The scene: its name or path.
    pub scene: String,
    /// A number that differs between models that cannot exchange states; the caller's.
    pub fingerprint: u64,
    /// Time of the state, s.
    pub time: f64,
    /// Names of what the state holds, such as bodies and joints; where given, a state can be explained when the model
    /// has changed.
    pub names: Option<Vec<String>>,
    /// The caller's settings, as JSON text: integrator, step, tolerances ...
    pub settings: String,
    /// The state, in the caller's bytes.
    pub state: Vec<u8>,
}

impl Snapshot {
    /// The bytes of the file; they also serve as a blob in a recording.
    pub fn to_bytes(&self) -> Result<Vec<u8>, RecordError> {
        for (what, text) in [("scene", &self.scene), ("settings", &self.settings)] {
            if text.len() > MAX_METADATA {
                let reason = format!("{what} of a snapshot has {} bytes, at most {MAX_METADATA}", text.len());
                return Err(RecordError::Schema { reason });
            }
        }
        let mut out = vec![0; HEAD];
        out.extend(self.fingerprint.to_le_bytes());
        out.extend(self.time.to_le_bytes());
        put_text(&mut out, &self.scene);
        put_text(&mut out, &self.settings);
        match &self.names {
            None => out.extend(0u32.to_le_bytes()),
            Some(names) => {
                let n = u32::try_from(names.len()).ok().and_then(|n| n.checked_add(1));
                let long = names.iter().any(|name| name.len() > MAX_METADATA);
                let Some(n) = n.filter(|_| !long) else {
                    let reason = "a snapshot with too many names, or names that are too long".into();
                    return Err(RecordError::Schema { reason });
                };
                out.extend(n.to_le_bytes());
                names.iter().for_each(|name| put_text(&mut out, name));
            }
        }
        out.extend((self.state.len() as u64).to_le_bytes());
        out.extend(&self.state);
        let check = crc32c(&out[HEAD..]);
        let n = (out.len() - HEAD) as u64;
        out[..8].copy_from_slice(&MAGIC);
        out[8..12].copy_from_slice(&VERSION.to_le_bytes());
        out[12..20].copy_from_slice(&n.to_le_bytes());
        let head = crc32c(&out[..20]);
        out[20..24].copy_from_slice(&head.to_le_bytes());
        out.extend(check.to_le_bytes());
        Ok(out)
    }

    /// A snapshot from its bytes; `path` is where they come from, for messages.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Snapshot, RecordError> {
        let begins = bytes.len().min(MAGIC.len());
        if begins == 0 || bytes[..begins] != MAGIC[..begins] {
            return Err(RecordError::foreign(path, "a snapshot", "it does not begin as one"));
        }
        let cut = |wanted: u64| {
            let reason = format!("it is cut off: {} of {wanted} bytes are there", bytes.len());
            RecordError::damaged(path, bytes.len() as u64, reason)
        };
        if bytes.len() < HEAD {
            return Err(cut(HEAD as u64));
        }
        let at = |offset: usize| move |Malformed(reason)| RecordError::damaged(path, offset as u64, reason);
        let mut head = Cursor::new(&bytes[8..HEAD]);
        let (version, n) = (head.u32().map_err(at(8))?, head.u64().map_err(at(12))?);
        if head.u32().map_err(at(20))? != crc32c(&bytes[..20]) {
            return Err(RecordError::damaged(path, 0, "the check of its first bytes is wrong"));
        }
        if version != VERSION {
            return Err(RecordError::Version { path: path.to_path_buf(), found: version, known: VERSION });
        }
        let whole = n.saturating_add((HEAD + 4) as u64);
        if whole > bytes.len() as u64 {
            return Err(cut(whole));
        }
        if whole < bytes.len() as u64 {
            return Err(RecordError::damaged(path, whole, "something follows the snapshot"));
        }
        let (body, check) = bytes[HEAD..].split_at(n as usize);
        if check != crc32c(body).to_le_bytes() {
            return Err(RecordError::damaged(path, HEAD as u64, "the check of its body is wrong"));
        }
        Snapshot::body(body).map_err(at(HEAD))
    }

    fn body(bytes: &[u8]) -> Result<Snapshot, Malformed> {
        let mut cursor = Cursor::new(bytes);
        let (fingerprint, time) = (cursor.u64()?, cursor.f64()?);
        let (scene, settings) = (cursor.text()?, cursor.text()?);
        let names = match cursor.u32()? {
            0 => None,
            // Nothing is reserved by this number: each name is looked for where it should be.
            n => Some((1..n).map(|_| cursor.text()).collect::<Result<Vec<String>, Malformed>>()?),
        };
        let length = cursor.u64()?;
        if length != cursor.left() as u64 {
            return Malformed::because(format!("a state of {length} bytes announced, {} are left", cursor.left()));
        }
        let state = cursor.take(cursor.left())?.to_vec();
        Ok(Snapshot { scene, fingerprint, time, names, settings, state })
    }

    /// Writes the file, whole or not at all; one that is there is replaced. Devices and pipes are written to as they
    /// are.
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        let bytes = self.to_bytes()?;
        files::replace_file(path, &bytes)
    }

    /// Reads a file of at most 2 GiB.
    pub fn read(path: &Path) -> Result<Snapshot, RecordError> {
        let (file, length) = files::open_file(path)?;
        // The first bytes decide whether the rest is worth reading.
        let mut bytes = Vec::new();
        let read =
            |n: u64, bytes: &mut Vec<u8>| (&file).take(n).read_to_end(bytes).map_err(RecordError::io(path, "read"));
        read(MAGIC.len() as u64, &mut bytes)?;
        let begins = bytes.len();
        if bytes[..] == MAGIC[..begins] && begins > 0 {
            if length > DEFAULT_BUDGET {
                let (path, what) = (path.to_path_buf(), "the snapshot".to_owned());
                return Err(RecordError::TooLarge { path, what, needed: length, allowed: DEFAULT_BUDGET });
            }
            read(length, &mut bytes)?;
        }
        Snapshot::from_bytes(&bytes, path)
    }
}
