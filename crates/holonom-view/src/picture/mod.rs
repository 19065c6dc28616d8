//! What is to be drawn of a scene: everything that does not move.
//!
//! Decisions. Shapes that look the same are one geometry, however many bodies have them. A body without a shape that
//! can be seen is a point at its centre of mass. Meshes are thinned out where all of them together have more triangles
//! than a page can show ([`shapes::MOST_TRIANGLES`]), and a note says so. Structure (loops, what is held twice, which
//! loads are unique) comes from the doctor where that is quick, and from the graph of joints alone where it is not
//! ([`structure`]).

pub mod frames;
pub mod shapes;
pub mod structure;

use crate::catalogue::{CoordinateMeasure, force_glyph, glyph_of};
use crate::message::Triple;
use crate::numbers::is_hand;
use holonom::joints::CoordinateKind;
use holonom::math::{Mat3, Quat, Vec3, quat_from_axes};
use holonom::{Attachment, BodyId, JointCondition, Marker, Model, Simulation};
use holonom_scene::Loaded;
use holonom_scene::scene::Pose;
use serde::Serialize;
use std::collections::HashSet;

/// A scene to draw.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Default, Serialize)]
pub struct Picture {
    /// Frames that belong to this picture carry the same number.
    pub revision: u64,
    /// Name of the gallery or file.
    pub name: String,
    /// For people.
    pub title: String,
    /// For people.
    pub description: String,
    /// m/s^2.
    pub gravity: Triple,
    /// How large the mechanism is at its start, m, planes left out: for grids, arrows, glyphs.
    pub size: f64,
    /// Length of a tick, s.
    pub tick: f64,
    /// Shapes by number, each listed once however often it is used.
    pub geometries: Vec<GeometryPicture>,
    /// Bodies in the order of the model.
    pub bodies: Vec<BodyPicture>,
    /// Bodies (by number) that shear and stretch: see section `shears` of frames.
    pub deforming: Vec<u32>,
    /// Shapes that do not move.
    pub ground: Vec<ShapePicture>,
    /// Named points of the ground.
    pub ground_points: Vec<PointPicture>,
    /// Joints in the order of the model; hands are not among them.
    pub joints: Vec<JointPicture>,
    /// Force laws.
    pub forces: Vec<ForcePicture>,
    /// Views that the scene recommends.
    pub cameras: Vec<CameraPicture>,
    /// Has the scene contacts?
    pub contacts: bool,
    /// Is there a change to undo?
    pub can_undo: bool,
    /// Is there a change to make again?
    pub can_redo: bool,
    /// What is not shown as it is; for people.
    pub notes: Vec<String>,
}

/// A frame in another.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PlacedFrame {
    /// Origin, m.
    pub at: Triple,
    /// Quaternion x, y, z, w.
    pub turn: [f64; 4],
}

/// What a shape looks like; round ones stand along z.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum GeometryPicture {
    /// Edge lengths.
    Box {
        /// m.
        size: Triple,
    },
    /// A ball.
    Sphere {
        /// m.
        radius: f64,
    },
    /// Half axes.
    Ellipsoid {
        /// m.
        radii: Triple,
    },
    /// Along z, centred.
    Cylinder {
        /// m.
        radius: f64,
        /// m.
        length: f64,
    },
    /// Along z, centred; length of the straight part.
    Capsule {
        /// m.
        radius: f64,
        /// m.
        length: f64,
    },
    /// Base at z = 0, tip above.
    Cone {
        /// m.
        radius: f64,
        /// m.
        height: f64,
    },
    /// Along z, centred.
    Tube {
        /// m.
        inner: f64,
        /// m.
        outer: f64,
        /// m.
        length: f64,
    },
    /// About z.
    Torus {
        /// Of the ring, m.
        radius: f64,
        /// Of the tube, m.
        tube: f64,
    },
    /// Triangles.
    Mesh {
        /// x y z of each corner, m.
        positions: Vec<f32>,
        /// Three corners each.
        triangles: Vec<u32>,
    },
    /// A body that has mass and no shape: drawn as a small ball.
    Point,
    /// The plane z = 0.
    Plane,
}

/// A shape on a body.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShapePicture {
    /// Number of its geometry.
    pub geometry: u32,
    /// Where it stands on the body.
    pub pose: PlacedFrame,
    /// Red, green, blue, 0 to 1.
    pub colour: Option<Triple>,
}

/// A body.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BodyPicture {
    /// Its name.
    pub name: String,
    /// `rigid`, `particle`, ...
    pub kind: &'static str,
    /// kg.
    pub mass: f64,
    /// Centre of mass in the body frame, m.
    pub centre: Triple,
    /// Shapes.
    pub shapes: Vec<ShapePicture>,
    /// Named points.
    pub points: Vec<PointPicture>,
    /// Is it made by a generator, and so not to be edited by itself?
    pub generated: bool,
}

/// A named point.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointPicture {
    /// Its name.
    pub name: String,
    /// Body frame, m.
    pub at: Triple,
}

/// What a joint is in the structure of the mechanism.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StructureRole {
    /// In the tree.
    Primary,
    /// On a loop.
    Loop,
    /// On a loop, with rows that hold something twice.
    Redundant,
    /// Inequality rows: limits, ropes, friction, bounded drives.
    Inequality,
}

/// A joint or drive.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointPicture {
    /// Its name.
    pub name: String,
    /// `revolute`, `spherical`, ...
    pub kind: &'static str,
    /// Number of its first body; -1 is the ground.
    pub a: i64,
    /// Number of its second body; -1 is the ground.
    pub b: i64,
    /// Frame on the first body: z is the axis where there is one.
    pub on_a: PlacedFrame,
    /// Frame on the second body.
    pub on_b: PlacedFrame,
    /// Its place in the structure.
    pub role: StructureRole,
    /// Are all components of its reaction unique?
    pub unique: bool,
    /// Does it hold, and as what?
    pub condition: ConditionPicture,
    /// Does it move something by itself?
    pub drive: bool,
    /// How it is drawn.
    #[cfg_attr(test, ts(type = "DrawnGlyph"))]
    pub glyph: &'static str,
    /// Rows.
    pub rows: usize,
    /// Its coordinates, in their order.
    pub coordinates: Vec<CoordinatePicture>,
    /// Is it made by a generator?
    pub generated: bool,
}

/// A coordinate of a joint.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CoordinatePicture {
    /// The quantity that it is: `pin.coordinate`, `pin.coordinate.1`.
    pub name: String,
    /// m or rad.
    pub measure: CoordinateMeasure,
}

/// Does a joint hold?
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConditionPicture {
    /// As its kind says.
    Active,
    /// As a weld.
    Locked,
    /// Not at all.
    Broken,
}

/// A force law.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForcePicture {
    /// Its name.
    pub name: String,
    /// `spring`, ...
    pub kind: &'static str,
    /// How it is drawn.
    #[cfg_attr(test, ts(type = "DrawnForce"))]
    pub glyph: &'static str,
    /// What it acts on: body number (-1 is the ground) and point in the body frame. Section `applied` of frames has one
    /// entry for each of them, force by force.
    pub on: Vec<(i64, Triple)>,
}

/// Where to look from.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CameraPicture {
    /// Its name.
    pub name: String,
    /// Eye, m.
    pub from: Triple,
    /// What it looks at, m.
    pub look_at: Triple,
    /// Vertical angle of view, rad.
    pub angle: f64,
    /// What it goes with, over the ground.
    pub follows: Option<Followed>,
}

/// A body that a camera goes with.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Followed {
    /// Its number.
    pub body: u32,
    /// Its origin at the start of the scene, m: that is what the camera's place is meant for.
    pub start: Triple,
}

/// A quaternion as it is sent.
fn quaternion(q: Quat) -> [f64; 4] {
    [q.x, q.y, q.z, q.w]
}

impl From<&Pose> for PlacedFrame {
    fn from(pose: &Pose) -> Self {
        PlacedFrame { at: pose.position.to_array(), turn: quaternion(pose.rotation) }
    }
}

impl From<&Marker> for PlacedFrame {
    fn from(marker: &Marker) -> Self {
        PlacedFrame { at: marker.point.to_array(), turn: quaternion(quat_from_axes(marker.axes)) }
    }
}

/// Number of a body as it is sent.
pub fn number(body: BodyId) -> i64 {
    body.index().map_or(-1, |i| i as i64)
}

/// Is a body anywhere? A rotor has a coordinate and no place.
pub fn is_somewhere(model: &Model, body: BodyId) -> bool {
    model.mass(body) > 0.0
}

/// What a body is, in a word or a few: `rigid`, `particle`, `body with a scale`.
pub fn kind_of(model: &Model, body: BodyId) -> &'static str {
    let kind = model.body_kind(body);
    kind.strip_suffix(" body").unwrap_or(kind)
}

/// The point of a body at which its centre of mass lies, in the body's frame; `None` for a body that is nowhere, or
/// bends. Solved from where four points are at the start.
pub fn local_centre(model: &Model, body: BodyId) -> Option<Vec3> {
    if !is_somewhere(model, body) {
        return None;
    }
    let state = model.initial_state();
    let place = |p: Vec3| model.carried(state, &Attachment::point(body, p));
    let origin = place(Vec3::ZERO)?;
    let arm = model.centre(state, body) - origin;
    if arm == Vec3::ZERO {
        return Some(Vec3::ZERO);
    }
    let column = |p: Vec3| place(p).map(|p| p - origin);
    let frame = Mat3::from_cols(column(Vec3::X)?, column(Vec3::Y)?, column(Vec3::Z)?);
    if !(frame.determinant().abs() > 1e-12) {
        return None;
    }
    let local = frame.inverse() * arm;
    let found = column(local)?;
    ((found - arm).length() <= 1e-9 * (arm.length() + origin.length())).then_some(local)
}

/// Names that a section of the document says one by one, not by way of a generator.
fn written<'a>(loaded: &'a Loaded, section: &str) -> HashSet<&'a str> {
    let table = loaded.document.get(section).and_then(|n| n.as_table());
    table.map_or_else(HashSet::new, |t| t.entries().iter().map(|e| &*e.key).collect())
}

/// The picture of a scene whose model a simulation runs. Its first `joints` joints are the model's own; hands come
/// after them.
pub fn picture(loaded: &Loaded, sim: &mut Simulation, joints: usize) -> Picture {
    let scene = &loaded.scene;
    let model = sim.model().clone();
    let structure = structure::of(sim, joints);
    let frames = frames::of(scene, &model, joints);
    let mut shapes = shapes::ShapePictures::default();
    let by_itself = written(loaded, "body");
    let points = |list: &[holonom_scene::scene::NamedPoint]| -> Vec<PointPicture> {
        list.iter().map(|p| PointPicture { name: p.name.to_string(), at: p.pose.position.to_array() }).collect()
    };
    let mut bodies = Vec::with_capacity(model.n_bodies());
    for (i, id) in model.bodies().enumerate() {
        let said = scene.bodies.get(i);
        let centre = local_centre(&model, id);
        let mut seen = said.map_or_else(Vec::new, |b| shapes.all(&b.shapes));
        if let (true, Some(centre)) = (seen.is_empty(), centre) {
            seen.push(shapes.point(centre));
        }
        bodies.push(BodyPicture {
            name: model.body_name(id).into(),
            kind: kind_of(&model, id),
            mass: model.mass(id),
            centre: centre.unwrap_or(Vec3::ZERO).to_array(),
            shapes: seen,
            points: said.map_or_else(Vec::new, |b| points(&b.points)),
            generated: !by_itself.contains(model.body_name(id)),
        });
    }
    let ground = shapes.all(&scene.ground_shapes);
    let size = shapes::extent(scene, &model, &frames);
    let (geometries, notes) = shapes.finish();
    Picture {
        title: scene.title.clone(),
        description: scene.description.clone(),
        gravity: model.gravity().to_array(),
        size,
        geometries,
        deforming: model.bodies().filter(|b| deforms(&model, *b)).map(|b| number(b) as u32).collect(),
        joints: joint_pictures(loaded, &model, &frames, &structure),
        forces: force_pictures(&model),
        bodies,
        ground,
        ground_points: points(&scene.ground_points),
        cameras: scene
            .cameras
            .iter()
            .map(|c| CameraPicture {
                name: c.name.clone(),
                from: c.from.to_array(),
                look_at: c.look_at.to_array(),
                angle: c.angle,
                follows: c.follow.as_deref().and_then(|name| followed(&model, name)),
            })
            .collect(),
        contacts: model.n_shapes() > 0,
        notes,
        ..Picture::default()
    }
}

fn followed(model: &Model, name: &str) -> Option<Followed> {
    let body = model.body(name)?;
    let start = model.carried(model.initial_state(), &Attachment::point(body, Vec3::ZERO))?.to_array();
    Some(Followed { body: number(body) as u32, start })
}

/// Does a body shear or stretch?
fn deforms(model: &Model, body: BodyId) -> bool {
    let axis = Attachment::direction(body, Vec3::X);
    !model.keeps_shape(body) && model.carried(model.initial_state(), &axis).is_some()
}

fn joint_pictures(
    loaded: &Loaded,
    model: &Model,
    frames: &[frames::JointSides],
    structure: &structure::JointRoles,
) -> Vec<JointPicture> {
    let (joints, drives) = (written(loaded, "joint"), written(loaded, "drive"));
    let all = model.joints().zip(frames).enumerate();
    all.map(|(k, (id, sides))| {
        let (constraint, name) = (model.constraint(id), model.joint_name(id));
        let condition = model.condition(id);
        // what stands in the place of a locked joint is a weld
        let kind = match condition {
            JointCondition::Locked => sides.kind.unwrap_or(constraint.kind()),
            _ => constraint.kind(),
        };
        let coordinate = |(i, kind): (usize, &CoordinateKind)| CoordinatePicture {
            name: coordinate_name(name, i),
            measure: (*kind).into(),
        };
        JointPicture {
            name: name.into(),
            kind,
            glyph: glyph_of(kind),
            a: number(sides.a.body),
            b: number(sides.b.body),
            on_a: PlacedFrame::from(&sides.a),
            on_b: PlacedFrame::from(&sides.b),
            role: if model.is_sided(id) { StructureRole::Inequality } else { structure.roles[k] },
            unique: structure.unique[k],
            condition: match condition {
                JointCondition::Active => ConditionPicture::Active,
                JointCondition::Locked => ConditionPicture::Locked,
                JointCondition::Broken => ConditionPicture::Broken,
            },
            drive: sides.drive,
            rows: model.n_multipliers(id),
            coordinates: model.coordinate_kinds(id).iter().enumerate().map(coordinate).collect(),
            generated: !joints.contains(name) && !drives.contains(name),
        }
    })
    .collect()
}

/// The quantity of coordinate `i` of a joint.
pub fn coordinate_name(joint: &str, i: usize) -> String {
    if i == 0 { format!("{joint}.coordinate") } else { format!("{joint}.coordinate.{i}") }
}

fn force_pictures(model: &Model) -> Vec<ForcePicture> {
    let place = |p: frames::ActionPoint| (number(p.body), p.point.to_array());
    let of = |id| ForcePicture {
        name: model.force_name(id).into(),
        kind: model.law(id).kind(),
        glyph: force_glyph(model.law(id).kind()),
        on: frames::places(model, model.law(id).attachments()).into_iter().map(place).collect(),
    };
    model.forces().filter(|f| !is_hand(model.force_name(*f))).map(of).collect()
}
