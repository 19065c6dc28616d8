//! `<asset>`: meshes and the colours of materials. Textures, skins and height fields are listed in the ledger.

use super::Context;
use super::tree::Item;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::mesh::{self, Mesh};
use crate::scene::{Mass, Pose};
use crate::source::Span;
use crate::xml::{Attr, Element};
use holonom::MassProperties;
use holonom::math::{Mat3, Quat, Vec3, vec3};
use std::collections::HashMap;
use std::path::Path;

/// How the mass of a mesh is spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshInertia {
    /// The volume inside, triangles facing outwards.
    Exact,
    /// Pyramids from the middle, all counted as positive.
    Legacy,
    /// The surface.
    Shell,
}

/// A mesh of the file.
pub struct MeshAsset {
    /// Where its file is named, if it has one; else it was written out and is not drawn.
    pub file: Option<(String, Span)>,
    pub scale: Vec3,
    /// The frame of the mesh as geoms see it, in that of the file.
    pub reference: Pose,
    /// Mass at 1 kg/m^3 (a shell: at 1 kg/m^2), in the frame of the geom; or why it has none.
    pub mass: Result<Mass, String>,
}

/// What geoms refer to.
#[derive(Default)]
pub struct Assets {
    pub meshes: HashMap<String, MeshAsset>,
    /// Red, green, blue, opacity.
    pub materials: HashMap<String, [f64; 4]>,
    /// Bytes on their way, so that a file is read once.
    read: HashMap<std::path::PathBuf, Mesh>,
    triangles: u64,
}

impl<'d> Context<'d, '_> {
    /// `<asset>`.
    pub fn assets(&mut self, section: Item<'_, 'd>) {
        section.element().take();
        for item in section.children() {
            match item.name() {
                "mesh" => self.mesh(item),
                "material" => {
                    let attrs = self.attributes(item.element(), None);
                    let Some(name) = attrs.element.attr("name") else { continue };
                    let rgba = self.array(&attrs, "rgba").unwrap_or([1.0; 4]);
                    self.assets.materials.insert(name.value.to_string(), rgba);
                }
                _ => {}
            }
        }
    }

    fn mesh(&mut self, item: Item<'_, 'd>) {
        let attrs = self.attributes(item.element(), None);
        let e = attrs.element;
        let scale = self.vector(&attrs, "scale").unwrap_or(Vec3::ONE);
        if !(scale.abs().min_element() > 0.0) {
            let span = attrs.span_of("scale");
            self.error(codes::OUT_OF_RANGE, span, "`scale` is out of range", "must not be 0 along any axis");
            return;
        }
        let file = e.attr("file");
        let Some(plain) = self.mesh_triangles(e, file) else { return };
        let kind = self.word(&attrs, "inertia", &["legacy", "exact", "convex", "shell"]).unwrap_or("legacy");
        let kind = match kind {
            "exact" => Ok(MeshInertia::Exact),
            "legacy" => Ok(MeshInertia::Legacy),
            "shell" => Ok(MeshInertia::Shell),
            _ => Err("the inertia of its convex hull is not found here".to_string()),
        };
        let position = self.vector(&attrs, "refpos").unwrap_or_default();
        let rotation = match self.array(&attrs, "refquat") {
            Some([w, x, y, z]) => Quat::from_xyzw(x, y, z, w).normalize(),
            None => Quat::IDENTITY,
        };
        let reference = Pose { position, rotation }.inverse();
        let mass = match (plain, kind) {
            (Ok(mesh), Ok(kind)) => mass(&mesh.scaled(scale), kind).map(|m| m.placed(&reference)),
            (Err(why), _) | (_, Err(why)) => Err(why),
        };
        let name = match (e.attr("name"), &file) {
            (Some(a), _) => a.value.to_string(),
            (None, Some(a)) => {
                let stem = Path::new(a.value).file_stem().and_then(|s| s.to_str());
                stem.unwrap_or(a.value).to_string()
            }
            (None, None) => return,
        };
        let file = file.map(|a| (self.file_name(a.value), a.span)).filter(|(n, _)| mesh::is_readable(n));
        self.assets.meshes.insert(name, MeshAsset { file, scale, reference, mass });
    }

    /// The triangles of a mesh, unscaled, or why its mass cannot be found. None, with an error in the report, if it
    /// cannot be used at all.
    fn mesh_triangles(&mut self, e: Element<'d>, file: Option<Attr<'d>>) -> Option<Result<Mesh, String>> {
        if let Some(a) = file {
            let named = self.file_name(a.value);
            return match self.mesh_file(&named) {
                Ok(mesh) => Some(Ok(mesh)),
                Err(d) if d.code == codes::BAD_MESH && !mesh::is_readable(&named) => Some(Err(d.label.clone())),
                Err(d) => {
                    self.report.push(if d.span.is_some() { *d } else { d.at(a.span) });
                    None
                }
            };
        }
        let Some(vertices) = e.attr("vertex") else {
            let message = "<mesh> has neither `file` nor `vertex`";
            self.error(codes::MISSING_FIELD, e.span(), message, "its shape is not known");
            return None;
        };
        let v = self.numbers(&vertices, 12, self.limits.values as usize)?;
        let vertices: Vec<Vec3> = v.chunks_exact(3).map(|c| vec3(c[0], c[1], c[2])).collect();
        let Some(a) = e.attr("face") else { return Some(Err("its convex hull is not made here".into())) };
        let faces = self.numbers(&a, 3, self.limits.values as usize)?;
        let n = vertices.len() as f64;
        if faces.len() % 3 != 0 || faces.iter().any(|i| !(*i >= 0.0 && *i < n && *i == i.trunc())) {
            let label = format!("must be numbers of vertices, 0 to {}, three for each face", n - 1.0);
            self.error(codes::BAD_MESH, a.span, "`face` is not a list of triangles", label);
            return None;
        }
        let triangles = faces.chunks_exact(3).map(|c| [c[0] as usize, c[1] as usize, c[2] as usize]).collect();
        Some(Ok(Mesh { triangles, vertices }))
    }

    /// As the file is named from the folder of the main file.
    fn file_name(&self, given: &str) -> String {
        let given = if self.settings.strippath { given.rsplit(['/', '\\']).next().unwrap_or(given) } else { given };
        let dir = self.settings.meshdir.trim_end_matches('/');
        if dir.is_empty() || given.starts_with('/') { given.to_string() } else { format!("{dir}/{given}") }
    }

    fn mesh_file(&mut self, name: &str) -> Result<Mesh, Box<Diagnostic>> {
        let path = self.confinement.resolve(name, &self.folder)?;
        if let Some(mesh) = self.assets.read.get(&path) {
            return Ok(mesh.clone());
        }
        let files = (self.assets.read.len() + self.n_files) as u64;
        let mut budget = mesh::Budget { used: self.assets.triangles, limit: self.limits.triangles };
        let mesh = mesh::read_file(&path, name, files, &self.limits, &mut budget)?;
        self.assets.triangles = budget.used;
        self.assets.read.insert(path, mesh.clone());
        Ok(mesh)
    }
}

/// Mass of a mesh at density 1.
fn mass(mesh: &Mesh, kind: MeshInertia) -> Result<Mass, String> {
    match kind {
        MeshInertia::Exact => MassProperties::from_mesh(&mesh.vertices, &mesh.triangles, 1.0)
            .map(|m| Mass::from(&m))
            .map_err(|e| e.to_string()),
        MeshInertia::Legacy => pyramids(mesh),
        MeshInertia::Shell => shell(mesh),
    }
}

fn corners(mesh: &Mesh) -> impl Iterator<Item = [Vec3; 3]> + '_ {
    mesh.triangles.iter().map(|t| t.map(|i| mesh.vertices[i]))
}

/// v v^T.
fn outer(v: Vec3) -> Mat3 {
    Mat3::from_cols(v * v.x, v * v.y, v * v.z)
}

/// Area and second moments (integral of r r^T over the surface) of a triangle.
fn triangle([a, b, c]: [Vec3; 3]) -> (f64, Vec3, Mat3) {
    let area = 0.5 * (b - a).cross(c - a).length();
    let sum = a + b + c;
    (area, sum / 3.0, (outer(a) + outer(b) + outer(c) + outer(sum)) * (area / 12.0))
}

fn from_moments(mass: f64, first: Vec3, second: Mat3) -> Mass {
    let centre = first / mass;
    let s = second - outer(centre) * mass;
    let trace = s.x_axis.x + s.y_axis.y + s.z_axis.z;
    Mass { mass, centre, inertia: Mat3::IDENTITY * trace - s }
}

/// The surface, 1 kg/m^2.
fn shell(mesh: &Mesh) -> Result<Mass, String> {
    let (mut area, mut first, mut second) = (0.0, Vec3::ZERO, Mat3::ZERO);
    for t in corners(mesh) {
        let (a, centre, s) = triangle(t);
        area += a;
        first += centre * a;
        second += s;
    }
    if area > 0.0 { Ok(from_moments(area, first, second)) } else { Err("it has no surface".into()) }
}

/// Pyramids to every triangle, all of positive volume: what is inside for bodies that can be seen whole from their
/// middle, too much for others. Once from the middle of the surface, which gives the centre, and again from there,
/// which gives the volume and the inertia.
fn pyramids(mesh: &Mesh) -> Result<Mass, String> {
    let from = |top: Vec3| {
        let (mut volume, mut first, mut second) = (0.0, Vec3::ZERO, Mat3::ZERO);
        for t in corners(mesh) {
            let [a, b, c] = t.map(|p| p - top);
            let v = (a.dot(b.cross(c)) / 6.0).abs();
            let sum = a + b + c;
            volume += v;
            first += sum * (v / 4.0);
            second += (outer(a) + outer(b) + outer(c) + outer(sum)) * (v / 20.0);
        }
        (volume, first, second)
    };
    let middle = shell(mesh)?.centre;
    let (volume, first, _) = from(middle);
    if !(volume > 0.0) {
        return Err("it encloses no volume".into());
    }
    let centre = middle + first / volume;
    let (mass, _, s) = from(centre);
    let trace = s.x_axis.x + s.y_axis.y + s.z_axis.z;
    Ok(Mass { mass, centre, inertia: Mat3::IDENTITY * trace - s })
}
