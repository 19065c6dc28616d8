//! Shared libraries of units: which machine one is for, and whether it is one of ours, by its bytes alone. Nothing is
//! loaded or run.

use std::path::{Path, PathBuf};

/// Stands in every library that `holonom-fmi` makes, followed by the version and a NUL.
pub const MARK: &str = "holonom co-simulation unit, version ";

/// Names the folder or file that holds the library, besides its usual places.
pub const ENVIRONMENT: &str = "HOLONOM_FMI_LIB";

/// A machine that a library is for, as the two versions of the standard call its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    /// In FMI 3.0.
    pub tuple: &'static str,
    /// In FMI 2.0; empty for machines that it does not know.
    pub plain: &'static str,
    /// Suffix of libraries.
    pub suffix: &'static str,
}

const PLATFORMS: [Platform; 6] = [
    Platform { tuple: "x86_64-linux", plain: "linux64", suffix: "so" },
    Platform { tuple: "aarch64-linux", plain: "", suffix: "so" },
    Platform { tuple: "x86_64-windows", plain: "win64", suffix: "dll" },
    Platform { tuple: "aarch64-windows", plain: "", suffix: "dll" },
    Platform { tuple: "x86_64-darwin", plain: "darwin64", suffix: "dylib" },
    Platform { tuple: "aarch64-darwin", plain: "", suffix: "dylib" },
];

/// The machine that a shared library is for; none where it is not one, or for another machine.
pub fn platform(library: &[u8]) -> Option<Platform> {
    let short = |at: usize| Some(u16::from_le_bytes(*library.get(at..)?.first_chunk()?));
    let long = |at: usize| Some(u32::from_le_bytes(*library.get(at..)?.first_chunk()?));
    let index = if library.starts_with(b"\x7fELF\x02\x01") {
        match short(18)? {
            62 => 0,
            183 => 1,
            _ => return None,
        }
    } else if library.starts_with(b"MZ") {
        let at = long(0x3c)? as usize;
        match (library.get(at..at + 4)?, short(at + 4)?) {
            (b"PE\0\0", 0x8664) => 2,
            (b"PE\0\0", 0xaa64) => 3,
            _ => return None,
        }
    } else if library.starts_with(&0xfeed_facf_u32.to_le_bytes()) {
        match long(4)? {
            0x0100_0007 => 4,
            0x0100_000c => 5,
            _ => return None,
        }
    } else {
        return None;
    };
    Some(PLATFORMS[index])
}

/// The version of `holonom-fmi` that a library was made from, if it is one of those.
pub fn version(library: &[u8]) -> Option<&str> {
    let mark = MARK.as_bytes();
    let at = library.windows(mark.len()).position(|w| w == mark)? + mark.len();
    let rest = &library[at..library.len().min(at + 64)];
    let end = rest.iter().position(|b| *b == 0)?;
    std::str::from_utf8(&rest[..end]).ok()
}

/// Where the library of this machine is looked for, in order: what the environment names, beside the program, and in
/// the `lib` beside the program's folder.
pub fn places(named: Option<&Path>, program: Option<&Path>) -> Vec<PathBuf> {
    let file = format!("{}holonom_fmi{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let mut places = Vec::new();
    if let Some(named) = named {
        places.push(if named.is_dir() { named.join(&file) } else { named.to_path_buf() });
    }
    if let Some(folder) = program.and_then(Path::parent) {
        places.push(folder.join(&file));
        if let Some(above) = folder.parent() {
            places.push(above.join("lib").join(&file));
            places.push(above.join("lib").join("holonom").join(&file));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_says_which_machine_it_is_for() {
        let mut elf = vec![0u8; 64];
        elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
        elf[18] = 62;
        assert_eq!(platform(&elf).map(|p| p.tuple), Some("x86_64-linux"));
        elf[18] = 183;
        assert_eq!(platform(&elf).map(|p| p.tuple), Some("aarch64-linux"));
        elf[18] = 3;
        assert_eq!(platform(&elf), None);
        let mut pe = vec![0u8; 256];
        pe[..2].copy_from_slice(b"MZ");
        pe[0x3c] = 0x80;
        pe[0x80..0x86].copy_from_slice(b"PE\0\0\x64\x86");
        assert_eq!(platform(&pe).map(|p| p.plain), Some("win64"));
        // an address beyond the end
        pe[0x3c..0x40].copy_from_slice(&[255; 4]);
        assert_eq!(platform(&pe), None);
        assert_eq!(platform(b"\xcf\xfa\xed\xfe\x0c\0\0\x01").map(|p| p.tuple), Some("aarch64-darwin"));
        assert_eq!(platform(b""), None);
        assert_eq!(platform(b"MZ"), None);
    }

    #[test]
    fn a_library_says_its_version() {
        let bytes = [b"..", MARK.as_bytes(), b"0.1.0\0more"].concat();
        assert_eq!(version(&bytes), Some("0.1.0"));
        assert_eq!(version(b"something else"), None);
        assert_eq!(version(MARK.as_bytes()), None);
    }
}
