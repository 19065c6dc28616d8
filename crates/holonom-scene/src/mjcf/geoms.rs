//! Geoms: shapes with half sizes, and the mass in them.

use super::Context;
use super::bodies::BodyId;
use super::contact::Touching;
use super::defaults::ClassId;
use super::document::{Fields, vector};
use super::settings::FromGeoms;
use super::tree::Item;
use super::values::{Look, towards};
use crate::codes;
use crate::confine::shown;
use crate::diagnostic::{Diagnostic, nearest};
use crate::node::Table;
use crate::scene::{Mass, Pose};
use holonom::MassProperties;
use holonom::math::{Vec3, vec3};

/// A geom on a body.
pub struct Geom {
    /// As a shape of a scene without its place; none for what cannot be drawn.
    pub shape: Option<Table>,
    /// In the frame of its MJCF body.
    pub pose: Pose,
    /// In the frame of its MJCF body; none for one without.
    pub mass: Option<Mass>,
    /// What it touches, and how.
    pub contact: Touching,
}

const TYPES: &[&str] = &["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];

impl<'d> Context<'d, '_> {
    /// `<geom>` on a body, inside frames that together stand at `frame`.
    pub fn geom(&mut self, item: Item<'_, 'd>, body: BodyId, frame: &Pose, class: Option<ClassId>) {
        let look = self.look(item.element(), class);
        let name = look.element.attr("name").map(|a| a.value.to_string());
        let span = look.span();
        let kind = match (self.word(&look, "type", TYPES), look.attr("mesh")) {
            (Some(kind), _) => kind,
            (None, _) if look.attr("type").is_some() => return,
            (None, Some(_)) => "mesh",
            (None, None) => "sphere",
        };
        let mut own = self.pose(&look);
        let needed = match kind {
            "sphere" => 1,
            "capsule" | "cylinder" => 2,
            "ellipsoid" | "box" => 3,
            _ => 0,
        };
        let from_to = match look.attr("fromto").filter(|_| ["capsule", "cylinder", "ellipsoid", "box"].contains(&kind))
        {
            Some(a) => match self.numbers(&a, 6, 6) {
                Some(v) => Some((vec3(v[0], v[1], v[2]), vec3(v[3], v[4], v[5]), a.span)),
                None => return,
            },
            None => None,
        };
        let mut size = match look.attr("size") {
            Some(a) => match self.numbers(&a, 1, 3) {
                Some(v) => v,
                None => return,
            },
            None => Vec::new(),
        };
        if let Some((from, to, span)) = from_to {
            let way = from - to;
            let length = way.length();
            if !(length > 1e-12) {
                self.error(codes::ZERO_DIRECTION, span, "`fromto` has zero length", "the two points must differ");
                return;
            }
            own = Pose { position: (from + to) * 0.5, rotation: towards(way / length) };
            size.truncate(1);
            if needed == 3 {
                size.extend(size.first().copied());
            }
            size.push(0.5 * length);
        }
        let fitted = look.attr("mesh").filter(|_| kind != "mesh" && kind != "sdf");
        if let Some(a) = fitted {
            self.error(
                codes::UNKNOWN_CHOICE,
                a.span,
                format!("a {kind} is not fitted to a mesh here"),
                "give its `size`, or make its `type` mesh",
            );
            return;
        }
        if size.len() < needed || size[..needed].iter().any(|x| !(*x > 0.0)) {
            let at = look.attr("size").map_or(span, |a| a.span);
            let label = format!("{size:?} m, must be {needed} half sizes greater than 0");
            self.error(codes::OUT_OF_RANGE, at, format!("the `size` of a {kind} is not usable"), label);
            return;
        }
        let pose = frame.then(&own);
        let mut shape = Table::new();
        let unit = match kind {
            "sphere" => {
                shape.put("kind", span, "sphere");
                shape.put("radius", span, size[0]);
                Ok(Mass::from(&MassProperties::sphere(1.0, size[0])))
            }
            "capsule" | "cylinder" => {
                let (r, l) = (size[0], 2.0 * size[1]);
                shape.put("kind", span, kind);
                shape.put("radius", span, r);
                shape.put("length", span, l);
                let capsule = kind == "capsule";
                let made = if capsule { MassProperties::capsule } else { MassProperties::cylinder };
                Ok(Mass::from(&made(1.0, r, l)))
            }
            "ellipsoid" => {
                let half = vec3(size[0], size[1], size[2]);
                shape.put("kind", span, "ellipsoid");
                shape.push("half_axes", span, vector(span, half));
                Ok(Mass::from(&MassProperties::ellipsoid(1.0, half)))
            }
            "box" => {
                let full = vec3(size[0], size[1], size[2]) * 2.0;
                shape.put("kind", span, "box");
                shape.push("size", span, vector(span, full));
                Ok(Mass::from(&MassProperties::cuboid(1.0, full)))
            }
            "mesh" | "sdf" => match self.mesh_of(&look, &mut shape) {
                Some(mass) => mass,
                None => return,
            },
            "plane" => {
                shape.put("kind", span, "plane");
                look.attr("size");
                Err(String::new())
            }
            _ => {
                self.note(span, format!("a geom of type {kind} is not used"), "it is neither drawn nor touched");
                return;
            }
        };
        let mass = self.geom_mass(&look, unit, kind, body);
        self.looks(&look, &mut shape, kind);
        let contact = self.touch(&look, kind, name, body);
        // the file's own frame lies elsewhere in that of the mesh
        let drawn = match look.attr("mesh").and_then(|a| self.assets.meshes.get(a.value)) {
            Some(asset) if kind == "mesh" => pose.then(&asset.reference),
            _ => pose,
        };
        let shape = shape.get("kind").is_some().then_some(shape);
        let mass = mass.map(|m| m.placed(&pose));
        self.bodies[body].geoms.push(Geom { shape, pose: drawn, mass, contact });
    }

    /// Fill in the shape of a mesh; its mass at density 1, or why it has none.
    fn mesh_of(&mut self, look: &Look<'d>, shape: &mut Table) -> Option<Result<Mass, String>> {
        let Some(a) = look.attr("mesh") else {
            self.error(codes::MISSING_FIELD, look.span(), "a geom of type mesh has no `mesh`", "which one?");
            return None;
        };
        let Some(asset) = self.assets.meshes.get(a.value) else {
            let d = Diagnostic::error(codes::UNKNOWN_REFERENCE, format!("there is no mesh `{}`", shown(a.value)));
            let d = match nearest(a.value, self.assets.meshes.keys().map(String::as_str)) {
                Some(near) => d.label(format!("did you mean `{near}`?")),
                None => d.label("not known"),
            };
            self.report.push(d.at(a.span));
            return None;
        };
        match &asset.file {
            Some((file, _)) => {
                shape.put("kind", look.span(), "mesh");
                // files are named from the folder of the main text
                shape.put("file", self.root, file.as_str());
                if asset.scale != Vec3::ONE {
                    shape.push("scale", look.span(), vector(look.span(), asset.scale));
                }
            }
            None => {
                let mass = asset.mass.clone();
                self.note(
                    look.span(),
                    "a mesh of the file itself is not drawn",
                    "only meshes from STL and OBJ files are",
                );
                return Some(mass);
            }
        }
        Some(asset.mass.clone())
    }

    /// The mass of a geom, if it has any and it counts.
    fn geom_mass(&mut self, look: &Look<'d>, unit: Result<Mass, String>, kind: &str, body: BodyId) -> Option<Mass> {
        let given = self.not_negative(look, "mass", "kg");
        let density = self.not_negative(look, "density", "kg/m^3").unwrap_or(1000.0);
        let group = self.number(look, "group").unwrap_or(0.0);
        let shell = look.attr("shellinertia").is_some_and(|a| a.value.trim() == "true");
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
                    let span = look.attr("shellinertia").map_or(look.span(), |a| a.span);
                    self.note(span, "`shellinertia` is not used", "the geom counts as solid");
                }
                Some(match given {
                    Some(mass) => unit.scaled(mass / unit.mass),
                    None => unit.scaled(density),
                })
            }
            Err(why) => {
                let d = Diagnostic::error(codes::OPEN_MESH, "the mass of a mesh cannot be found").at(look.span());
                self.report.push(d.label(why).help("give the body an <inertial>, or the geom mass=\"0\""));
                None
            }
        }
    }

    /// Colour, and that its mass is said elsewhere.
    fn looks(&mut self, look: &Look<'d>, shape: &mut Table, kind: &str) {
        let span = look.span();
        if kind != "plane" {
            shape.put("massless", span, true);
        }
        let material = look.attr("material").and_then(|a| self.assets.materials.get(a.value).copied());
        let rgba = match look.attr("rgba").and_then(|a| self.numbers(&a, 4, 4)) {
            Some(v) => Some([v[0], v[1], v[2], v[3]]),
            None => material,
        };
        if let Some([r, g, b, opacity]) = rgba {
            shape.push("colour", span, crate::node::numbers(span, &[r, g, b].map(|x: f64| x.clamp(0.0, 1.0))));
            if opacity == 0.0 {
                shape.put("hidden", span, true);
            }
        }
    }
}

/// A shape with its place on the body that carries it.
pub fn placed(mut shape: Table, at: &Pose, span: crate::source::Span) -> Table {
    shape.place(at, span);
    shape
}
