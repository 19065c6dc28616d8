//! Geoms: shapes with half sizes, and the mass in them.

use super::Context;
use super::bodies::BodyIndex;
use super::contact::GeomContact;
use super::defaults::ClassId;
use super::settings::FromGeoms;
use super::tree::Item;
use super::values::{Attributes, towards};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::node::{DocTable, numbers};
use crate::scene::{Mass, Pose};
use holonom::MassProperties;
use holonom::math::{Vec3, vec3};

/// A geom on a body.
pub struct Geom {
    /// As a shape of a scene without its place; none for what cannot be drawn.
    pub shape: Option<DocTable>,
    /// In the frame of its MJCF body.
    pub pose: Pose,
    /// In the frame of its MJCF body; none for one without.
    pub mass: Option<Mass>,
    /// Which geoms it touches, and how.
    pub contact: GeomContact,
}

/// Mass at density 1 in the frame of the geom, or why it has none.
type UnitMass = Result<Mass, String>;

const TYPES: &[&str] = &["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];

impl<'d> Context<'d, '_> {
    /// `<geom>` on a body, inside frames that together stand at `frame`.
    pub fn geom(&mut self, item: Item<'_, 'd>, body: BodyIndex, frame: &Pose, class: Option<ClassId>) {
        let attrs = self.attributes(item.element(), class);
        let name = attrs.element.attr("name").map(|a| a.value.to_string());
        let kind = match (self.word(&attrs, "type", TYPES), attrs.attr("mesh")) {
            (Some(kind), _) => kind,
            (None, _) if attrs.attr("type").is_some() => return,
            (None, Some(_)) => "mesh",
            (None, None) => "sphere",
        };
        let Some((own, size)) = self.geom_size(&attrs, kind) else { return };
        let pose = frame.then(&own);
        let Some((mut shape, unit)) = self.geom_shape(&attrs, kind, &size) else { return };
        let mass = self.geom_mass(&attrs, unit, kind, body);
        self.appearance(&attrs, &mut shape, kind);
        let contact = self.geom_contact(&attrs, kind, name, body);
        // the file's own frame lies elsewhere in that of the mesh
        let drawn = match attrs.attr("mesh").and_then(|a| self.assets.meshes.get(a.value)) {
            Some(asset) if kind == "mesh" => pose.then(&asset.reference),
            _ => pose,
        };
        let shape = shape.get("kind").is_some().then_some(shape);
        let mass = mass.map(|m| m.placed(&pose));
        self.bodies[body].geoms.push(Geom { shape, pose: drawn, mass, contact });
    }

    /// Where a geom is by its own attributes, and its half sizes (m), as many as its kind needs.
    fn geom_size(&mut self, attrs: &Attributes<'d>, kind: &str) -> Option<(Pose, Vec<f64>)> {
        let mut pose = self.pose(attrs);
        let needed = match kind {
            "sphere" => 1,
            "capsule" | "cylinder" => 2,
            "ellipsoid" | "box" => 3,
            _ => 0,
        };
        let from_to = match attrs.attr("fromto").filter(|_| needed > 1) {
            Some(_) => Some(self.array::<6>(attrs, "fromto")?),
            None => None,
        };
        let mut size = match attrs.attr("size") {
            Some(a) => self.numbers(&a, 1, 3)?,
            None => Vec::new(),
        };
        if let Some([ax, ay, az, bx, by, bz]) = from_to {
            let (from, to) = (vec3(ax, ay, az), vec3(bx, by, bz));
            let length = (from - to).length();
            if !(length > 1e-12) {
                let (span, message) = (attrs.span_of("fromto"), "`fromto` has zero length");
                self.error(codes::ZERO_DIRECTION, span, message, "the two points must differ");
                return None;
            }
            pose = Pose { position: (from + to) * 0.5, rotation: towards((from - to) / length) };
            size.truncate(1);
            if needed == 3 {
                size.extend(size.first().copied());
            }
            size.push(0.5 * length);
        }
        if let Some(a) = attrs.attr("mesh").filter(|_| kind != "mesh" && kind != "sdf") {
            let message = format!("a {kind} is not fitted to a mesh here");
            self.error(codes::UNKNOWN_CHOICE, a.span, message, "give its `size`, or make its `type` mesh");
            return None;
        }
        if size.len() < needed || size[..needed].iter().any(|x| !(*x > 0.0)) {
            let label = format!("{size:?} m, must be {needed} half sizes greater than 0");
            let message = format!("the `size` of a {kind} is not usable");
            self.error(codes::OUT_OF_RANGE, attrs.span_of("size"), message, label);
            return None;
        }
        Some((pose, size))
    }

    /// A geom as a shape of a scene, without its place, and its mass at density 1, or why it has none. None for what
    /// cannot be used.
    fn geom_shape(&mut self, attrs: &Attributes<'d>, kind: &str, size: &[f64]) -> Option<(DocTable, UnitMass)> {
        let span = attrs.span();
        let table = DocTable::at(span).with("kind", kind);
        let (table, unit) = match (kind, size) {
            ("sphere", &[r, ..]) => (table.with("radius", r), MassProperties::sphere(1.0, r)),
            ("capsule" | "cylinder", &[r, half, ..]) => {
                let length = 2.0 * half;
                let solid = if kind == "capsule" { MassProperties::capsule } else { MassProperties::cylinder };
                (table.with("radius", r).with("length", length), solid(1.0, r, length))
            }
            ("ellipsoid", &[x, y, z]) => {
                let half = vec3(x, y, z);
                (table.vector("half_axes", half), MassProperties::ellipsoid(1.0, half))
            }
            ("box", &[x, y, z]) => {
                let full = vec3(x, y, z) * 2.0;
                (table.vector("size", full), MassProperties::cuboid(1.0, full))
            }
            ("mesh" | "sdf", _) => {
                let mut shape = DocTable::new();
                let mass = self.mesh_of(attrs, &mut shape)?;
                return Some((shape, mass));
            }
            ("plane", _) => {
                attrs.attr("size");
                return Some((table.into(), Err(String::new())));
            }
            _ => {
                self.note(span, format!("a geom of type {kind} is not used"), "it is neither drawn nor touched");
                return None;
            }
        };
        Some((table.into(), Ok(Mass::from(&unit))))
    }

    /// Fill in the shape of a mesh; its mass at density 1, or why it has none.
    fn mesh_of(&mut self, attrs: &Attributes<'d>, shape: &mut DocTable) -> Option<UnitMass> {
        let Some(a) = attrs.attr("mesh") else {
            self.error(codes::MISSING_FIELD, attrs.span(), "a geom of type mesh has no `mesh`", "which one?");
            return None;
        };
        let Some(asset) = self.assets.meshes.get(a.value) else {
            let names = self.assets.meshes.keys().map(String::as_str);
            self.report.push(Diagnostic::unknown(codes::UNKNOWN_REFERENCE, "mesh", a.value, names).at(a.span));
            return None;
        };
        let mass = asset.mass.clone();
        match &asset.file {
            Some((file, _)) => {
                shape.put("kind", attrs.span(), "mesh");
                // files are named from the folder of the main text
                shape.put("file", self.root, file.as_str());
                if asset.scale != Vec3::ONE {
                    shape.push("scale", attrs.span(), numbers(attrs.span(), &asset.scale.to_array()));
                }
            }
            None => {
                let message = "a mesh of the file itself is not drawn";
                self.note(attrs.span(), message, "only meshes from STL and OBJ files are");
            }
        }
        Some(mass)
    }

    /// The mass of a geom, if it has any and it counts.
    fn geom_mass(&mut self, attrs: &Attributes<'d>, unit: UnitMass, kind: &str, body: BodyIndex) -> Option<Mass> {
        let given = self.not_negative(attrs, "mass", "kg");
        let density = self.not_negative(attrs, "density", "kg/m^3").unwrap_or(1000.0);
        let group = self.number(attrs, "group").unwrap_or(0.0);
        let shell = attrs.attr("shellinertia").is_some_and(|a| a.value.trim() == "true");
        let (least, most) = self.settings.inertia_groups;
        let counts = group >= least && group <= most && body != 0;
        let from_geoms = match self.settings.inertia_from_geoms {
            FromGeoms::Always => true,
            FromGeoms::Never => false,
            FromGeoms::Auto => !self.bodies[body].has_inertial,
        };
        if !counts || !from_geoms || kind == "plane" || given == Some(0.0) || (given.is_none() && density == 0.0) {
            return None;
        }
        match unit {
            Ok(unit) => {
                if shell && kind != "mesh" {
                    self.note(attrs.span_of("shellinertia"), "`shellinertia` is not used", "the geom counts as solid");
                }
                Some(match given {
                    Some(mass) => unit.scaled(mass / unit.mass),
                    None => unit.scaled(density),
                })
            }
            Err(why) => {
                let d = Diagnostic::error(codes::OPEN_MESH, "the mass of a mesh cannot be found").at(attrs.span());
                self.report.push(d.label(why).help("give the body an <inertial>, or the geom mass=\"0\""));
                None
            }
        }
    }

    /// Colour, and that its mass is given elsewhere.
    fn appearance(&mut self, attrs: &Attributes<'d>, shape: &mut DocTable, kind: &str) {
        let span = attrs.span();
        if kind != "plane" {
            shape.put("massless", span, true);
        }
        let material = attrs.attr("material").and_then(|a| self.assets.materials.get(a.value).copied());
        let rgba = self.array(attrs, "rgba").or(material);
        if let Some([r, g, b, opacity]) = rgba {
            shape.push("colour", span, numbers(span, &[r, g, b].map(|x: f64| x.clamp(0.0, 1.0))));
            if opacity == 0.0 {
                shape.put("hidden", span, true);
            }
        }
    }
}
