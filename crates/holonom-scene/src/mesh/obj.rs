//! OBJ: corners (`v x y z`) and faces (`f a b c ...`); all other lines are about appearance and are ignored.
//!
//! A corner of a face is `v`, `v/vt`, `v//vn` or `v/vt/vn`, of which the first number counts: from 1, or backwards from
//! the last corner so far (-1). Faces of more than three corners become fans about their first one, which encloses the
//! right volume for flat faces of any outline; those of one or two have no area and are left out.

use super::{Budget, Mesh, MeshFileError, lines, push_triangle, three_numbers, words};
use crate::confine::shown;

/// A mesh from the bytes of an OBJ file.
pub fn parse(bytes: &[u8], budget: &mut Budget) -> Result<Mesh, MeshFileError> {
    let mut mesh = Mesh::default();
    // a face may name corners that come later
    let total = lines(bytes).filter(|(_, line)| words(line).next() == Some(b"v")).count();
    let mut face: Vec<usize> = Vec::new();
    for (number, line) in lines(bytes) {
        let mut words = words(line);
        match words.next() {
            Some(b"v") => mesh.vertices.push(three_numbers(&mut words, number)?),
            Some(b"f") => {
                face.clear();
                for word in words {
                    face.push(corner(word, mesh.vertices.len(), total, number)?);
                }
                let Some(first) = face.first().copied() else {
                    return Err(MeshFileError::line(number, "a face has no corners"));
                };
                budget.charge(face.len().saturating_sub(2) as u64)?;
                for pair in face[1..].windows(2) {
                    push_triangle(&mut mesh.triangles, [first, pair[0], pair[1]]);
                }
            }
            _ => {}
        }
    }
    if mesh.triangles.is_empty() {
        return Err(MeshFileError::bad("it has no triangles"));
    }
    Ok(mesh)
}

/// Number from 0 of the corner that a word names; `so_far` and `total` corners are there.
fn corner(word: &[u8], so_far: usize, total: usize, line: usize) -> Result<usize, MeshFileError> {
    let first = word.split(|b| *b == b'/').next().unwrap_or_default();
    let text = String::from_utf8_lossy(first);
    let wrong = || MeshFileError::line(line, format!("`{}` is not the number of a corner", shown(&text)));
    let n: i64 = text.parse().map_err(|_| wrong())?;
    let index = match n {
        1.. => n as u64 - 1,
        0 => u64::MAX,
        _ => (so_far as u64).checked_sub(n.unsigned_abs()).unwrap_or(u64::MAX),
    };
    if index >= total as u64 {
        return Err(MeshFileError::line(line, format!("the face names corner {n}, there are {total}")));
    }
    Ok(index as usize)
}
