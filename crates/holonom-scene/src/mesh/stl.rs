//! STL, the binary and the text form.
//!
//! ```text
//! binary   80 bytes of anything, n: u32, then n times 50 bytes: normal 3 f32, corners 9 f32, 2 bytes of anything      (little-endian)
//! text     solid NAME  { facet normal X Y Z  outer loop  vertex X Y Z (three of them)  endloop  endfacet }  endsolid NAME
//! ```
//!
//! A file is binary if its length is exactly 84 + 50 n, even if it begins with `solid`, as many binary files do.
//! Normals are not read: the order of the corners says the same.

use super::{Budget, Mesh, MeshFileError, Welder, lines, three_numbers, words};
use crate::confine::shown;
use holonom::math::{Vec3, vec3};

const HEAD: usize = 84;
const TRIANGLE: usize = 50;

/// A mesh from the bytes of an STL file.
pub fn parse(bytes: &[u8], budget: &mut Budget) -> Result<Mesh, MeshFileError> {
    if bytes.is_empty() {
        return Err(MeshFileError::bad("it is empty"));
    }
    let said = bytes.get(80..HEAD).map(|n| u32::from_le_bytes([n[0], n[1], n[2], n[3]]));
    let needed = |n: u32| HEAD as u64 + TRIANGLE as u64 * n as u64;
    let mesh = match said {
        Some(n) if needed(n) == bytes.len() as u64 => binary(&bytes[HEAD..], budget)?,
        _ if is_text(bytes) => text(bytes, budget)?,
        Some(n) => {
            let (needed, length) = (needed(n), bytes.len());
            let why = format!("it says {n} triangles, which take {needed} bytes, but has {length} bytes");
            return Err(MeshFileError::bad(why));
        }
        None => {
            let why = format!("it is cut short: {} bytes, a binary file has {HEAD} before its triangles", bytes.len());
            return Err(MeshFileError::bad(why));
        }
    };
    if mesh.triangles.is_empty() {
        return Err(MeshFileError::bad("it has no triangles"));
    }
    Ok(mesh)
}

/// Begins with `solid`, and not only as the header of a binary file.
fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1000)];
    let has = |word: &[u8]| head.windows(word.len()).any(|w| w.eq_ignore_ascii_case(word));
    head.trim_ascii_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"))
        && (has(b"facet") || has(b"endsolid"))
}

fn binary(bytes: &[u8], budget: &mut Budget) -> Result<Mesh, MeshFileError> {
    let n = bytes.len() / TRIANGLE;
    budget.charge(n as u64)?;
    let mut welder = Welder::default();
    welder.mesh.triangles.reserve(n);
    for (i, record) in bytes.chunks_exact(TRIANGLE).enumerate() {
        let number = |k: usize| {
            let at = 12 + 4 * k;
            f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]) as f64
        };
        let corners: [Vec3; 3] = std::array::from_fn(|c| vec3(number(3 * c), number(3 * c + 1), number(3 * c + 2)));
        if !corners.iter().all(|c| c.is_finite()) {
            return Err(MeshFileError::bad(format!("triangle {} has a corner that is not finite", i + 1)));
        }
        welder.triangle(corners);
    }
    Ok(welder.mesh)
}

fn text(bytes: &[u8], budget: &mut Budget) -> Result<Mesh, MeshFileError> {
    let mut welder = Welder::default();
    let mut corners: Vec<Vec3> = Vec::with_capacity(3);
    let mut open = true;
    for (number, line) in lines(bytes) {
        let mut words = words(line);
        let first = words.next().unwrap_or_default().to_ascii_lowercase();
        match first.as_slice() {
            b"solid" => open = true,
            b"endsolid" => open = false,
            b"facet" | b"outer" | b"endloop" => {}
            b"vertex" => {
                let corner = three_numbers(&mut words, number)?;
                if corners.len() == 3 {
                    return Err(MeshFileError::line(number, "a facet has more than three corners"));
                }
                corners.push(corner);
            }
            b"endfacet" => {
                let Ok(three) = <[Vec3; 3]>::try_from(corners.as_slice()) else {
                    let why = format!("a facet has {} corners, must have three", corners.len());
                    return Err(MeshFileError::line(number, why));
                };
                budget.charge(1)?;
                welder.triangle(three);
                corners.clear();
            }
            other => {
                let word = String::from_utf8_lossy(other);
                return Err(MeshFileError::line(number, format!("`{}` does not belong here", shown(&word))));
            }
        }
    }
    if open || !corners.is_empty() {
        return Err(MeshFileError::bad("it is cut short: `endsolid` is missing"));
    }
    Ok(welder.mesh)
}
