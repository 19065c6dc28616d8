//! COLLADA (`.dae`): the triangles of a scene where its nodes put them, and the colours of their materials.
//!
//! ```text
//! scene -> visual_scene -> node*  (matrix, translate, rotate, scale: in order, the first one outermost)
//!            instance_geometry -> geometry -> mesh -> triangles | polylist | polygons | tristrips | trifans
//!            instance_node     -> another node
//!          material symbol -> instance_material -> material -> effect -> diffuse colour
//! ```
//!
//! - Lengths are multiplied by `asset/unit`. `up_axis` is not applied: programs that show robots take coordinates of
//!   meshes as they are written, and URDF files are made for them.
//! - Polygons become fans about their first corner; lines, points, normals, textures, cameras, lights, skins and
//!   animations are passed over.
//! - The text goes through the guarded XML reader: no entities, budgets before anything is stored. Instances are
//!   counted, because nodes that instance nodes double at every level; triangles are charged for every instance, and a
//!   mesh keeps only the corners its triangles use, so that nothing can be multiplied for free. Nothing recurses.

use super::{Budget, Mesh, MeshFileError, Welder};
use crate::confine::shown;
use crate::limits::Limits;
use crate::xml::{Document, Element};
use holonom::math::{Mat3, Vec3, exp_quat, vec3};
use std::collections::HashMap;

/// Nodes that may be visited, those of instances counted again.
const MOST_NODES: usize = 100_000;

/// The triangles of one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaterialPart {
    /// The identifier of the material; empty where there is none.
    pub material: String,
    /// Its diffuse colour: red, green, blue, from 0 to 1.
    pub colour: Option<[f64; 3]>,
    /// Its triangles, m.
    pub mesh: Mesh,
}

/// All of it as one mesh.
pub fn parse(bytes: &[u8], budget: &mut Budget) -> Result<Mesh, MeshFileError> {
    let mut whole = Welder::default();
    for part in parts(bytes, budget)? {
        for t in &part.mesh.triangles {
            whole.triangle(t.map(|i| part.mesh.vertices[i]));
        }
    }
    Ok(whole.mesh)
}

/// Material by material, in the order in which they occur; parts without triangles are left out.
pub fn parts(bytes: &[u8], budget: &mut Budget) -> Result<Vec<MaterialPart>, MeshFileError> {
    let text = String::from_utf8_lossy(bytes);
    // the size of the file was checked when it was read
    let limits = Limits { file: u64::MAX, ..Limits::default() };
    let document = Document::parse(&text, 0, &limits).map_err(|d| {
        let line = d.span.map_or(0, |s| line_of(&text, s.start as usize));
        MeshFileError { code: d.code, why: format!("line {line}: {}", d.message) }
    })?;
    let root = document.root();
    if root.name() != "COLLADA" {
        return Err(MeshFileError::bad(format!("the root element is <{}>, not <COLLADA>", shown(root.name()))));
    }
    let mut reader = DaeReader { text: &text, ids: ids(root), geometries: HashMap::new(), parts: Vec::new() };
    let unit = root.child("asset").and_then(|a| a.child("unit")).and_then(|u| u.attr("meter"));
    let unit = unit.and_then(|a| a.value.trim().parse::<f64>().ok()).filter(|x| x.is_finite() && *x > 0.0);
    reader.scene(root, Placement::scaled(Vec3::splat(unit.unwrap_or(1.0))), budget)?;
    let parts = reader.parts.into_iter().map(|(part, welder)| MaterialPart { mesh: welder.mesh, ..part });
    let parts: Vec<MaterialPart> = parts.filter(|p| !p.mesh.triangles.is_empty()).collect();
    if parts.is_empty() {
        return Err(MeshFileError::bad("it has no triangles in its scene"));
    }
    Ok(parts)
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count() + 1
}

/// Everything that has an `id`.
fn ids<'d>(root: Element<'d>) -> HashMap<&'d str, Element<'d>> {
    let mut out = HashMap::new();
    let mut open = vec![root];
    while let Some(e) = open.pop() {
        if let Some(id) = e.peek("id") {
            out.entry(id.value).or_insert(e);
        }
        open.extend(e.children());
    }
    out
}

/// x -> linear x + offset.
#[derive(Clone, Copy)]
struct Placement {
    linear: Mat3,
    offset: Vec3,
}

impl Placement {
    fn scaled(factors: Vec3) -> Placement {
        Placement { linear: Mat3::from_diagonal(factors), offset: Vec3::ZERO }
    }

    fn then(self, inner: Placement) -> Placement {
        Placement { linear: self.linear * inner.linear, offset: self.linear * inner.offset + self.offset }
    }
}

/// A geometry: its positions, and triangles with the symbol of their material.
#[derive(Default)]
struct DaeGeometry<'d> {
    positions: Vec<Vec3>,
    groups: Vec<(&'d str, Vec<[usize; 3]>)>,
}

struct DaeReader<'d> {
    text: &'d str,
    ids: HashMap<&'d str, Element<'d>>,
    geometries: HashMap<usize, DaeGeometry<'d>>,
    parts: Vec<(MaterialPart, Welder)>,
}

impl<'d> DaeReader<'d> {
    fn wrong(&self, e: Element, why: impl std::fmt::Display) -> MeshFileError {
        MeshFileError::line(line_of(self.text, e.span().start as usize), why)
    }

    /// What `#id` means.
    fn target(&self, e: Element<'d>, attribute: &str) -> Result<Element<'d>, MeshFileError> {
        let name = e.peek(attribute).map_or("", |a| a.value);
        let found = name.strip_prefix('#').and_then(|id| self.ids.get(id));
        found.copied().ok_or_else(|| {
            self.wrong(e, format!("<{}> refers to `{}`, which is not there", shown(e.name()), shown(name)))
        })
    }

    /// The numbers in an element; `least` of them at least.
    fn numbers<T: std::str::FromStr>(&self, e: Element<'d>, least: usize) -> Result<Vec<T>, MeshFileError> {
        let text = e.text().map_or("", |t| t.0);
        let wrong = |w: &str| self.wrong(e, format!("`{}` in <{}> is not a number", shown(w), shown(e.name())));
        let all: Vec<T> =
            text.split_ascii_whitespace().map(|w| w.parse().map_err(|_| wrong(w))).collect::<Result<_, _>>()?;
        match all.len() < least {
            true => Err(self.wrong(e, format!("<{}> has {} numbers, needs {least}", shown(e.name()), all.len()))),
            false => Ok(all),
        }
    }

    fn finite(&self, e: Element<'d>, least: usize) -> Result<Vec<f64>, MeshFileError> {
        let all: Vec<f64> = self.numbers(e, least)?;
        match all.iter().all(|x| x.is_finite()) {
            true => Ok(all),
            false => Err(self.wrong(e, format!("a number in <{}> is not finite", shown(e.name())))),
        }
    }

    fn scene(&mut self, root: Element<'d>, unit: Placement, budget: &mut Budget) -> Result<(), MeshFileError> {
        let shown_scene = root.child("scene").and_then(|s| s.child("instance_visual_scene"));
        let scene = match shown_scene {
            Some(instance) => self.target(instance, "url")?,
            None => root
                .child("library_visual_scenes")
                .and_then(|l| l.child("visual_scene"))
                .ok_or_else(|| MeshFileError::bad("it has no scene"))?,
        };
        let mut open: Vec<(Element, Placement)> = scene.children().map(|n| (n, unit)).collect();
        open.reverse();
        let mut visited = 0;
        while let Some((e, around)) = open.pop() {
            visited += 1;
            if visited > MOST_NODES {
                return Err(self.wrong(e, format!("its nodes are more than {MOST_NODES}, instances counted")));
            }
            match e.name() {
                "node" => {
                    let here = self.placed(e, around)?;
                    let first = open.len();
                    open.extend(e.children().filter(|c| is_part_of_scene(c.name())).map(|c| (c, here)));
                    open[first..].reverse();
                }
                "instance_node" => open.push((self.target(e, "url")?, around)),
                "instance_geometry" => self.instance(e, around, budget)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Where a node puts what is in it: its transformations, the first one outermost.
    fn placed(&self, node: Element<'d>, around: Placement) -> Result<Placement, MeshFileError> {
        let mut at = around;
        for e in node.children() {
            at = at.then(match e.name() {
                "matrix" => {
                    let m = self.finite(e, 16)?;
                    let column = |k: usize| vec3(m[k], m[4 + k], m[8 + k]);
                    Placement { linear: Mat3::from_cols(column(0), column(1), column(2)), offset: column(3) }
                }
                "translate" => {
                    let t = self.finite(e, 3)?;
                    Placement { linear: Mat3::IDENTITY, offset: vec3(t[0], t[1], t[2]) }
                }
                "rotate" => {
                    let r = self.finite(e, 4)?;
                    let axis = vec3(r[0], r[1], r[2]).normalize_or_zero();
                    let turn = exp_quat(axis * r[3].to_radians());
                    Placement { linear: Mat3::from_quat(turn), offset: Vec3::ZERO }
                }
                "scale" => {
                    let s = self.finite(e, 3)?;
                    Placement::scaled(vec3(s[0], s[1], s[2]))
                }
                "skew" | "lookat" => return Err(self.wrong(e, format!("<{}> is not read", e.name()))),
                _ => continue,
            });
        }
        Ok(at)
    }

    /// The triangles of a geometry, where they are, with their materials.
    fn instance(&mut self, e: Element<'d>, at: Placement, budget: &mut Budget) -> Result<(), MeshFileError> {
        let geometry = self.target(e, "url")?;
        if !self.geometries.contains_key(&geometry.index()) {
            let read = self.geometry(geometry, budget)?;
            self.geometries.insert(geometry.index(), read);
        }
        let bound = e.child("bind_material").and_then(|b| b.child("technique_common"));
        let bound: Vec<_> = bound.into_iter().flat_map(|t| t.children_named("instance_material")).collect();
        let read = self.geometries.get(&geometry.index()).map_or(&[][..], |g| &g.groups);
        let n: usize = read.iter().map(|(_, t)| t.len()).sum();
        budget.charge(n as u64)?;
        let symbols: Vec<&str> = read.iter().map(|(symbol, _)| *symbol).collect();
        // a mirror image has its triangles turned over, so that they still face outwards
        let mirrored = at.linear.determinant() < 0.0;
        for (k, symbol) in symbols.into_iter().enumerate() {
            let material = bound.iter().find(|m| m.peek("symbol").is_some_and(|s| s.value == symbol));
            let material = material.map(|m| self.target(*m, "target")).transpose()?;
            let part = self.part(material)?;
            let Some(geometry) = self.geometries.get(&geometry.index()) else { continue };
            for &[a, b, c] in &geometry.groups[k].1 {
                let corners = if mirrored { [a, c, b] } else { [a, b, c] };
                let corners = corners.map(|i| at.linear * geometry.positions[i] + at.offset);
                // numbers that are finite alone may not be when they are multiplied
                if !corners.iter().all(|c| c.is_finite()) {
                    return Err(self.wrong(e, "a corner does not lie at a finite place"));
                }
                self.parts[part].1.triangle(corners);
            }
        }
        Ok(())
    }

    /// The part of a material, made where it is new.
    fn part(&mut self, material: Option<Element<'d>>) -> Result<usize, MeshFileError> {
        let name = material.and_then(|m| m.peek("id")).map_or("", |a| a.value);
        if let Some(known) = self.parts.iter().position(|(p, _)| p.material == name) {
            return Ok(known);
        }
        let effect = material.and_then(|m| m.child("instance_effect"));
        let colour = match effect {
            Some(e) => self.diffuse(self.target(e, "url")?)?,
            None => None,
        };
        self.parts.push((MaterialPart { material: name.into(), colour, ..MaterialPart::default() }, Welder::default()));
        Ok(self.parts.len() - 1)
    }

    fn diffuse(&self, effect: Element<'d>) -> Result<Option<[f64; 3]>, MeshFileError> {
        let technique = effect.child("profile_COMMON").and_then(|p| p.child("technique"));
        let shader = technique
            .and_then(|t| t.children().find(|s| matches!(s.name(), "phong" | "lambert" | "blinn" | "constant")));
        let Some(colour) = shader.and_then(|s| s.child("diffuse")).and_then(|d| d.child("color")) else {
            return Ok(None);
        };
        let c = self.finite(colour, 3)?;
        Ok(Some([c[0], c[1], c[2]].map(|x| x.clamp(0.0, 1.0))))
    }

    fn geometry(&self, e: Element<'d>, budget: &mut Budget) -> Result<DaeGeometry<'d>, MeshFileError> {
        let mut out = DaeGeometry::default();
        // splines and convex hulls of other geometries have no triangles of their own
        let Some(mesh) = e.child("mesh") else { return Ok(out) };
        let mut positions_of = None;
        for primitive in mesh.children() {
            let kind = primitive.name();
            if !matches!(kind, "triangles" | "polylist" | "polygons" | "tristrips" | "trifans") {
                continue;
            }
            let (mut stride, mut offset, mut vertices) = (1, 0, None);
            for input in primitive.children_named("input") {
                let at: usize = input.attr("offset").and_then(|a| a.value.trim().parse().ok()).unwrap_or(0);
                if at >= 64 {
                    return Err(self.wrong(input, "an input has an offset of 64 or more"));
                }
                stride = stride.max(at + 1);
                if input.attr("semantic").is_some_and(|s| s.value == "VERTEX") {
                    (offset, vertices) = (at, Some(input));
                }
            }
            let vertices = vertices.ok_or_else(|| self.wrong(primitive, format!("<{kind}> has no vertices")))?;
            let vertices = self.target(vertices, "source")?;
            // all primitives of a mesh share one list of vertices
            if positions_of.is_none_or(|i| i != vertices.index()) {
                if positions_of.is_some() {
                    return Err(self.wrong(vertices, "a mesh has two lists of vertices"));
                }
                positions_of = Some(vertices.index());
                out.positions = self.positions(vertices)?;
            }
            let faces = Faces { n: out.positions.len(), stride, offset };
            let symbol = primitive.attr("material").map_or("", |a| a.value);
            out.groups.push((symbol, self.triangles(primitive, faces, budget)?));
        }
        Ok(out)
    }

    /// The positions of a `<vertices>` element.
    fn positions(&self, vertices: Element<'d>) -> Result<Vec<Vec3>, MeshFileError> {
        let input =
            vertices.children_named("input").find(|i| i.attr("semantic").is_some_and(|s| s.value == "POSITION"));
        let input = input.ok_or_else(|| self.wrong(vertices, "<vertices> has no positions"))?;
        let source = self.target(input, "source")?;
        let array = source.child("float_array").ok_or_else(|| self.wrong(source, "<source> has no numbers"))?;
        let accessor = source.child("technique_common").and_then(|t| t.child("accessor"));
        let stride = accessor.and_then(|a| a.attr("stride")).and_then(|a| a.value.trim().parse::<usize>().ok());
        let stride = stride.unwrap_or(3);
        if !(3..=64).contains(&stride) {
            return Err(self.wrong(source, format!("positions have {stride} numbers each, must be 3 to 64")));
        }
        let all = self.finite(array, 0)?;
        Ok(all.chunks_exact(stride).map(|p| vec3(p[0], p[1], p[2])).collect())
    }

    /// The triangles of a primitive.
    fn triangles(
        &self,
        primitive: Element<'d>,
        faces: Faces,
        budget: &mut Budget,
    ) -> Result<Vec<[usize; 3]>, MeshFileError> {
        let mut out: Vec<[usize; 3]> = Vec::new();
        let counts: Option<Vec<usize>> = match primitive.name() {
            "polylist" => primitive.child("vcount").map(|v| self.numbers(v, 0)).transpose()?,
            _ => None,
        };
        for p in primitive.children_named("p") {
            let all: Vec<usize> = self.numbers(p, 0)?;
            let corners: Vec<usize> = all.chunks_exact(faces.stride).map(|c| c[faces.offset]).collect();
            if let Some(bad) = corners.iter().find(|i| **i >= faces.n) {
                return Err(self.wrong(p, format!("a face names corner {bad}, there are {}", faces.n)));
            }
            budget.charge(corners.len() as u64 / 3)?;
            match primitive.name() {
                "triangles" => out.extend(corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]])),
                "tristrips" => out.extend(corners.windows(3).enumerate().map(|(k, c)| match k % 2 {
                    0 => [c[0], c[1], c[2]],
                    _ => [c[1], c[0], c[2]],
                })),
                "polylist" => {
                    let mut rest = corners.as_slice();
                    for &n in counts.iter().flatten() {
                        let (face, tail) = rest
                            .split_at_checked(n)
                            .ok_or_else(|| self.wrong(p, "a polygon has more corners than are listed"))?;
                        fan(face, &mut out);
                        rest = tail;
                    }
                }
                _ => fan(&corners, &mut out),
            }
        }
        Ok(out)
    }
}

/// How corners of faces are listed: one in `stride` numbers, at `offset`, from `n` positions.
#[derive(Clone, Copy)]
struct Faces {
    n: usize,
    stride: usize,
    offset: usize,
}

fn is_part_of_scene(name: &str) -> bool {
    matches!(name, "node" | "instance_node" | "instance_geometry")
}

/// A polygon as triangles about its first corner.
fn fan(face: &[usize], out: &mut Vec<[usize; 3]>) {
    if let Some((first, rest)) = face.split_first() {
        out.extend(rest.windows(2).map(|c| [*first, c[0], c[1]]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit square of two triangles in the first material, and a polygon of four corners in the second, 1 mm units,
    /// under a node turned by a quarter about z.
    fn square(scene: &str) -> String {
        format!(
            r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="millimeter" meter="0.001"/><up_axis>Y_UP</up_axis></asset>
<library_effects>
<effect id="red-fx"><profile_COMMON><technique sid="common"><phong><diffuse><color>1 0.25 0 1</color></diffuse></phong></technique></profile_COMMON></effect>
</library_effects>
<library_materials><material id="red"><instance_effect url="#red-fx"/></material><material id="plain"/></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="pos"><float_array id="a" count="12">0 0 0 1 0 0 1 1 0 0 1 0</float_array>
<technique_common><accessor source="#a" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#pos"/></vertices>
<triangles count="2" material="A"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#pos" offset="1"/>
<p>0 0 1 0 2 0 0 0 2 0 3 0</p></triangles>
<polylist count="1" material="B"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 3 2 1</p></polylist>
</mesh></geometry></library_geometries>
<library_nodes><node id="twice"><instance_node url="#once"/><instance_node url="#once"/></node>
<node id="once"><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="s">{scene}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene>
</COLLADA>"##
        )
    }

    const BOUND: &str = r##"<node><translate>1000 0 0</translate><rotate>0 0 1 90</rotate><instance_geometry url="#g">
<bind_material><technique_common><instance_material symbol="A" target="#red"/><instance_material symbol="B" target="#plain"/>
</technique_common></bind_material></instance_geometry></node>"##;

    fn budget() -> Budget {
        Budget { used: 0, limit: 1000 }
    }

    #[test]
    fn materials_places_and_units() {
        let all = parts(square(BOUND).as_bytes(), &mut budget()).unwrap();
        let said: Vec<_> = all.iter().map(|p| (p.material.as_str(), p.colour, p.mesh.triangles.len())).collect();
        assert_eq!(said, [("red", Some([1.0, 0.25, 0.0]), 2), ("plain", None, 2)]);
        // (1, 0, 0) mm is turned to (0, 1, 0) mm and moved by a metre
        let corner = all[0].mesh.vertices[1];
        assert!((corner - vec3(1.0, 1e-3, 0.0)).length() < 1e-15, "{corner}");
        let whole = parse(square(BOUND).as_bytes(), &mut budget()).unwrap();
        assert_eq!((whole.vertices.len(), whole.triangles.len()), (4, 4), "corners of both parts are one");
        // both sides of a square enclose nothing and face away from each other
        let area = |m: &Mesh| -> Vec3 {
            m.triangles.iter().map(|t| t.map(|i| m.vertices[i])).map(|[a, b, c]| (b - a).cross(c - a) * 0.5).sum()
        };
        assert!((area(&all[0].mesh) - vec3(0.0, 0.0, 1e-6)).length() < 1e-18 && area(&whole).length() < 1e-18);
        // a mirror image still faces the same way out
        let mirrored = r##"<node><scale>-1 1 1</scale><instance_geometry url="#g"/></node>"##;
        let all = parts(square(mirrored).as_bytes(), &mut budget()).unwrap();
        assert_eq!((all.len(), all[0].material.as_str()), (1, ""));
        let first = all[0].mesh.triangles[0].map(|i| all[0].mesh.vertices[i]);
        assert!((first[1] - first[0]).cross(first[2] - first[0]).z > 0.0);
    }

    #[test]
    fn lies_and_bombs_are_refused() {
        let good = square(BOUND);
        let nested = |n: usize| {
            let levels: String = (1..=n)
                .map(|k| {
                    format!(
                        r##"<node id="n{k}"><instance_node url="#n{0}"/><instance_node url="#n{0}"/></node>"##,
                        k - 1
                    )
                })
                .collect();
            let root = format!(r##"<node><instance_node url="#n{n}"/></node>"##);
            let leaf = r##"<node id="n0"/>"##;
            square(&root).replace("<library_nodes>", &format!("<library_nodes>{leaf}{levels}"))
        };
        let circle = square(r##"<node><instance_node url="#loop"/></node>"##)
            .replace("<library_nodes>", r##"<library_nodes><node id="loop"><instance_node url="#loop"/></node>"##);
        for (text, code, why) in [
            ("<robot/>".to_string(), "E0114", "the root element is <robot>"),
            ("<!DOCTYPE a [<!ENTITY b 'c'>]><COLLADA/>".into(), "E0106", "document types and entities are refused"),
            ("<COLLADA>".into(), "E0103", "line 1: <COLLADA> is never closed"),
            ("<COLLADA/>".into(), "E0114", "it has no scene"),
            (square(""), "E0114", "it has no triangles in its scene"),
            (
                good.replace("1 0 2 0 0 0 2 0 3 0", "1 0 9 0 0 0 2 0 3 0"),
                "E0114",
                "line 13: a face names corner 9, there are 4",
            ),
            (good.replace("<vcount>4</vcount>", "<vcount>5</vcount>"), "E0114", "more corners than are listed"),
            (good.replace("0 0 0 1 0 0", "0 0 nan 1 0 0"), "E0114", "is not finite"),
            (good.replace("0 0 0 1 0 0", "0 x 0 1 0 0"), "E0114", "`x` in <float_array> is not a number"),
            (good.replace("url=\"#g\"", "url=\"#h\""), "E0114", "refers to `#h`, which is not there"),
            (good.replace("<translate>1000 0 0", "<translate>1000 0"), "E0114", "<translate> has 2 numbers, needs 3"),
            (
                good.replace("1000 0 0", "1e308 0 0")
                    .replace("<asset><unit name=\"millimeter\" meter=\"0.001\"", "<asset><unit meter=\"1e9\""),
                "E0114",
                "finite place",
            ),
            (nested(40), "E0114", "more than 100000"),
            (circle, "E0114", "more than 100000"),
        ] {
            let e = parts(text.as_bytes(), &mut budget()).unwrap_err();
            assert!(e.code.name() == code && e.why.contains(why), "{}: {}, expected {why}", e.code.name(), e.why);
        }
        let many = square(r##"<node><instance_node url="#twice"/><instance_node url="#twice"/></node>"##);
        let charged = |limit| parts(many.as_bytes(), &mut Budget { used: 0, limit }).err().map(|e| e.code.name());
        // 3 for reading, 4 for each of four instances
        assert_eq!((charged(19), charged(18)), (None, Some("E0506")));
    }
}
