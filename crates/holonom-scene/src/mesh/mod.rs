//! Triangle meshes from STL, OBJ and COLLADA files.
//!
//! - A file is found through the scene's [`crate::confine::Confinement`] alone, relative to the folder of the text that
//!   names it, and read once.
//! - What a file says about its size is checked against its length before anything is allocated; triangles are charged
//!   to the budget `triangles` of all meshes together, files to the budget `files`.
//! - Corners that are equal to the last bit are one (STL repeats each of them about six times). Triangles with two
//!   equal corners have no area and are left out. Numbers that are not finite are refused.
//! - `scale` has a factor for every axis. A mirror image (an odd number of negative factors) has its triangles turned
//!   over, so that they still face outwards.

pub mod dae;
pub mod obj;
pub mod stl;

use crate::codes::{self, Code};
use crate::confine::{read_bytes, shown};
use crate::diagnostic::{Diagnostic, field_error};
use crate::fields::Record;
use crate::limits::Limits;
use crate::read::Environment;
use holonom::math::{Vec3, vec3};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Vertices and triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners, m.
    pub vertices: Vec<Vec3>,
    /// Three corners each, counter-clockwise seen from outside.
    pub triangles: Vec<[usize; 3]>,
}

/// Why a mesh cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFileError {
    /// E0114, or E0506 where it is too large.
    pub code: Code,
    /// In words, to follow "the mesh file `x.stl` cannot be read: ".
    pub why: String,
}

impl MeshFileError {
    fn bad(why: impl Into<String>) -> MeshFileError {
        MeshFileError { code: codes::BAD_MESH, why: why.into() }
    }

    /// As a diagnostic about the file of that name.
    fn diagnostic(self, name: &str) -> Box<Diagnostic> {
        let d = Diagnostic::error(self.code, format!("the mesh file `{}` cannot be read", shown(name)));
        Box::new(match self.code == codes::TOO_LARGE_MESH {
            true => d.label(self.why).help("--limit triangles=N allows more"),
            false => d.label(self.why),
        })
    }

    fn line(line: usize, why: impl std::fmt::Display) -> MeshFileError {
        MeshFileError::bad(format!("line {line}: {why}"))
    }
}

/// Triangles that may still be read.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Of all meshes so far.
    pub used: u64,
    /// At most so many.
    pub limit: u64,
}

impl Budget {
    /// May so many more triangles be read?
    pub fn charge(&mut self, more: u64) -> Result<(), MeshFileError> {
        self.used = self.used.saturating_add(more);
        if self.used <= self.limit {
            return Ok(());
        }
        let why = format!("with it there are more than {} triangles, the limit of all meshes together", self.limit);
        Err(MeshFileError { code: codes::TOO_LARGE_MESH, why })
    }
}

/// Is a mesh of that name one of those that can be read? By its suffix.
pub fn is_readable(name: &str) -> bool {
    matches!(suffix(name).as_str(), "stl" | "obj" | "dae")
}

fn suffix(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or(name);
    last.rsplit_once('.').map_or_else(String::new, |(_, s)| s.to_ascii_lowercase())
}

/// A mesh from the bytes of a file; the suffix of the name says what it is.
pub fn parse(name: &str, bytes: &[u8], budget: &mut Budget) -> Result<Mesh, MeshFileError> {
    match suffix(name).as_str() {
        "stl" => stl::parse(bytes, budget),
        "obj" => obj::parse(bytes, budget),
        "dae" => dae::parse(bytes, budget),
        _ => Err(MeshFileError::bad("meshes are read from .stl, .obj and .dae files")),
    }
}

/// The mesh of a shape (fields `file` and `scale`), read once.
pub fn load(
    record: &Record,
    around: &Environment,
    known: &mut HashMap<PathBuf, Arc<Mesh>>,
    triangles: &mut u64,
) -> Result<Arc<Mesh>, Box<Diagnostic>> {
    let name = record.text("file").unwrap_or_default();
    let span = record.span_of("file");
    let here = |d: Box<Diagnostic>| if d.span.is_some() { d } else { Box::new(d.at(span)) };
    let scale = match (record.vector("scale"), record.numbers("scale")) {
        (Some(v), _) => v,
        (None, None) => Vec3::ONE,
        (None, Some([x])) => Vec3::splat(*x),
        (None, Some([x, y, z])) => vec3(*x, *y, *z),
        (None, Some(other)) => {
            let d = field_error(record, "scale", codes::WRONG_LENGTH, "`scale` must have 1 or 3 elements");
            return Err(Box::new(d.label(format!("{} elements", other.len()))));
        }
    };
    if !(scale.abs().min_element() > 0.0) {
        let d = field_error(record, "scale", codes::OUT_OF_RANGE, "`scale` is out of range");
        return Err(Box::new(d.label(format!("{scale}, must not be 0 along any axis"))));
    }
    let folder = around.folders.get(span.file as usize).cloned().flatten().unwrap_or_default();
    let path = around.confinement.resolve(name, &folder).map_err(here)?;
    let mut budget = Budget { used: *triangles, limit: around.limits.triangles };
    let files = (known.len() + around.folders.len()) as u64;
    // below a file there is no other file, so that names there are free
    let of_material = |m: &str| path.join(format!("material={}", m.replace(['/', '\\'], "|")));
    let wanted = record.text("material").map_or_else(|| path.clone(), of_material);
    let plain = match (known.get(&wanted), record.text("material")) {
        (Some(mesh), _) => mesh.clone(),
        (None, None) => {
            let mesh = Arc::new(read_file(&path, name, files, &around.limits, &mut budget).map_err(here)?);
            known.insert(path.clone(), mesh.clone());
            mesh
        }
        (None, Some(material)) => {
            let parts = read_parts(&path, name, files, &around.limits, &mut budget).map_err(here)?;
            let names: Vec<String> = parts.iter().map(|p| p.material.clone()).collect();
            for part in parts {
                known.insert(of_material(&part.material), Arc::new(part.mesh));
            }
            known.get(&wanted).cloned().ok_or_else(|| {
                let d = Diagnostic::unknown(codes::UNKNOWN_REFERENCE, "material", material, names.iter().map(|n| &**n));
                Box::new(d.at(record.span_of("material")))
            })?
        }
    };
    let path = wanted;
    let mesh = if scale == Vec3::ONE {
        plain
    } else {
        let key = path.join(format!("{}x{}x{}", scale.x, scale.y, scale.z));
        match known.get(&key) {
            Some(mesh) => mesh.clone(),
            None => {
                let n = plain.triangles.len() as u64;
                budget.charge(n).map_err(|e| here(e.diagnostic(name)))?;
                let mesh = Arc::new(plain.scaled(scale));
                known.insert(key, mesh.clone());
                mesh
            }
        }
    };
    *triangles = budget.used;
    Ok(mesh)
}

/// Read a file that may be read; `files` others were read before it.
pub(crate) fn read_file(
    path: &Path,
    name: &str,
    files: u64,
    limits: &Limits,
    budget: &mut Budget,
) -> Result<Mesh, Box<Diagnostic>> {
    Limits::check(codes::TOO_MANY_FILES, "files", files + 1, limits.files, "files")?;
    let bytes = read_bytes(path, name, limits.file)?;
    parse(name, &bytes, budget).map_err(|e| e.diagnostic(name))
}

/// The same, material by material; files of other formats than `.dae` are one part without a material.
pub(crate) fn read_parts(
    path: &Path,
    name: &str,
    files: u64,
    limits: &Limits,
    budget: &mut Budget,
) -> Result<Vec<dae::MaterialPart>, Box<Diagnostic>> {
    if suffix(name) != "dae" {
        let mesh = read_file(path, name, files, limits, budget)?;
        return Ok(vec![dae::MaterialPart { mesh, ..dae::MaterialPart::default() }]);
    }
    Limits::check(codes::TOO_MANY_FILES, "files", files + 1, limits.files, "files")?;
    let bytes = read_bytes(path, name, limits.file)?;
    dae::parts(&bytes, budget).map_err(|e| e.diagnostic(name))
}

impl Mesh {
    /// Stretched along the axes; turned over where that is a mirror image.
    pub fn scaled(&self, scale: Vec3) -> Mesh {
        let mirrored = scale.x * scale.y * scale.z < 0.0;
        Mesh {
            vertices: self.vertices.iter().map(|v| *v * scale).collect(),
            triangles: self.triangles.iter().map(|&[a, b, c]| if mirrored { [a, c, b] } else { [a, b, c] }).collect(),
        }
    }
}

/// Puts corners together that are equal to the last bit.
#[derive(Default)]
struct Welder {
    mesh: Mesh,
    known: HashMap<[u64; 3], usize>,
}

impl Welder {
    fn corner(&mut self, v: Vec3) -> usize {
        // 0 and -0 are the same place
        let v = v + Vec3::ZERO;
        *self.known.entry([v.x.to_bits(), v.y.to_bits(), v.z.to_bits()]).or_insert_with(|| {
            self.mesh.vertices.push(v);
            self.mesh.vertices.len() - 1
        })
    }

    fn triangle(&mut self, corners: [Vec3; 3]) {
        let [a, b, c] = corners.map(|v| self.corner(v));
        push_triangle(&mut self.mesh.triangles, [a, b, c]);
    }
}

/// Add a triangle unless two of its corners are one.
fn push_triangle(to: &mut Vec<[usize; 3]>, [a, b, c]: [usize; 3]) {
    if a != b && b != c && c != a {
        to.push([a, b, c]);
    }
}

/// Three finite numbers that a line of text begins with.
fn three_numbers<'a>(words: &mut impl Iterator<Item = &'a [u8]>, line: usize) -> Result<Vec3, MeshFileError> {
    let mut out = [0.0_f64; 3];
    for x in &mut out {
        let word = words.next().ok_or_else(|| MeshFileError::line(line, "a corner has fewer than three numbers"))?;
        let text = String::from_utf8_lossy(word);
        *x = text.parse().map_err(|_| MeshFileError::line(line, format!("`{}` is not a number", shown(&text))))?;
        if !x.is_finite() {
            return Err(MeshFileError::line(line, format!("`{}` is not finite", shown(&text))));
        }
    }
    Ok(vec3(out[0], out[1], out[2]))
}

/// Lines that say something, numbered from 1, as words.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    bytes.split(|b| *b == b'\n').enumerate().map(|(i, line)| (i + 1, line.trim_ascii())).filter(|(_, l)| !l.is_empty())
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonom::MassProperties;

    /// A box from 0 to (1, 2, 3), faces outwards.
    fn quads() -> ([[f64; 3]; 8], [[usize; 4]; 6]) {
        let v = |i: usize| [(i & 1) as f64, 2.0 * ((i >> 1) & 1) as f64, 3.0 * ((i >> 2) & 1) as f64];
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        (std::array::from_fn(v), faces)
    }

    fn triangles() -> Vec<[[f64; 3]; 3]> {
        let (v, faces) = quads();
        faces.iter().flat_map(|[a, b, c, d]| [[v[*a], v[*b], v[*c]], [v[*a], v[*c], v[*d]]]).collect()
    }

    fn binary(header: &str) -> Vec<u8> {
        let mut out = vec![b' '; 80];
        out[..header.len()].copy_from_slice(header.as_bytes());
        out.extend((triangles().len() as u32).to_le_bytes());
        for t in triangles() {
            out.extend([0u8; 12]);
            for x in t.iter().flatten() {
                out.extend((*x as f32).to_le_bytes());
            }
            out.extend([0u8; 2]);
        }
        out
    }

    fn text() -> String {
        let mut out = "solid vertex box\n".to_string();
        for t in triangles() {
            out += "facet normal 0 0 0\n outer loop\n";
            for v in t {
                out += &format!("  vertex {} {} {:e}\r\n", v[0], v[1], v[2]);
            }
            out += " endloop\nendfacet\n";
        }
        out + "endsolid\n"
    }

    fn object() -> String {
        let (v, faces) = quads();
        let v = v.map(|v| format!("v {} {} {} 1.0\n", v[0], v[1], v[2])).concat();
        let f = faces.map(|f| format!("f {}/1/2 {}//3 {} {}/4\n", f[0] + 1, f[1] as i64 - 8, f[2] + 1, f[3] + 1));
        format!("# box\nmtllib x.mtl\no box\n{v}vn 0 0 1\n{}", f.concat())
    }

    fn budget() -> Budget {
        Budget { used: 0, limit: 1000 }
    }

    fn volume(m: &Mesh) -> f64 {
        let at = |i: usize| m.vertices[i];
        m.triangles.iter().map(|&[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0).sum()
    }

    #[test]
    fn the_same_box_from_every_format() {
        for (name, bytes) in
            [("a.stl", binary("solid x")), ("b.STL", text().into_bytes()), ("c.obj", object().into_bytes())]
        {
            let mut used = budget();
            let mesh = parse(name, &bytes, &mut used).unwrap();
            assert_eq!((mesh.vertices.len(), mesh.triangles.len(), used.used), (8, 12, 12), "{name}");
            assert!((volume(&mesh) - 6.0).abs() < 1e-12);
            let solid = MassProperties::from_mesh(&mesh.vertices, &mesh.triangles, 1.0).unwrap();
            assert!((solid.mass() - 6.0).abs() < 1e-12);
            assert!((solid.centre() - vec3(0.5, 1.0, 1.5)).length() < 1e-12);
            // a mirror image encloses the same volume, and not its negative
            assert!((volume(&mesh.scaled(vec3(-1.0, 2.0, 1.0))) - 12.0).abs() < 1e-12);
            assert!((volume(&mesh.scaled(vec3(-1.0, -1.0, 1.0))) - 6.0).abs() < 1e-12);
        }
    }

    #[test]
    fn lies_and_damage_are_refused() {
        let code = |name: &str, bytes: &[u8]| parse(name, bytes, &mut budget()).map_err(|e| (e.code.name(), e.why));
        let whole = binary("solid");
        let mut lie = whole.clone();
        lie[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        let mut poison = whole.clone();
        poison[84 + 12..84 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
        for (name, bytes, why) in [
            ("a.stl", lie, "it says 4294967295 triangles, which take 214748364834 bytes, but has 684 bytes"),
            ("a.stl", whole[..whole.len() - 1].to_vec(), "which take 684 bytes, but has 683 bytes"),
            ("a.stl", Vec::new(), "it is empty"),
            ("a.stl", vec![7; 83], "cut short"),
            ("a.stl", poison, "triangle 1 has a corner that is not finite"),
            ("a.stl", text().replacen("1e0", "NaN", 1).replacen("3e0", "NaN", 1).into(), "`NaN` is not finite"),
            ("a.stl", text().replacen("endfacet", "", 1).into(), "line 11: a facet has more than three corners"),
            ("a.stl", text()[..text().find("endfacet").unwrap()].into(), "it is cut short"),
            ("a.stl", text().replacen("endsolid", "", 1).into(), "it is cut short"),
            ("a.obj", object().replacen("v 1 0 0", "v 1 x 0", 1).into(), "line 5: `x` is not a number"),
            ("a.obj", "v 0 0 0\nf 1 2 0\n".into(), "line 2: the face names corner 2, there are 1"),
            ("a.obj", "v 0 0 0\nf 1 -2 1\n".into(), "line 2: the face names corner -2, there are 1"),
            ("a.obj", "v 0 0 0\nf 0 1 1\n".into(), "line 2: the face names corner 0"),
            ("a.obj", "v 0 0 0\nf\n".into(), "line 2: a face has no corners"),
            ("a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n".into(), "it has no triangles"),
            ("a.obj", "v 0 0 0\nf 1 a 1\n".into(), "line 2: `a` is not the number of a corner"),
            ("a.obj", "v 0 0 0\n".into(), "it has no triangles"),
            ("a.ply", "ply".into(), "meshes are read from .stl, .obj and .dae files"),
        ] {
            let (code, said) = code(name, &bytes).unwrap_err();
            assert!(code == "E0114" && said.contains(why), "{name}: {code} {said}, expected {why}");
        }
        for (name, bytes) in [("a.stl", binary("x")), ("a.stl", text().into_bytes()), ("a.obj", object().into_bytes())]
        {
            let e = parse(name, &bytes, &mut Budget { used: 5, limit: 16 }).unwrap_err();
            assert_eq!(e.code.name(), "E0506");
        }
    }
}
