//! What is to be drawn of a scene: everything that does not move.

use crate::message::Triple;
use holonom::Simulation;
use holonom_scene::Scene;
use serde::Serialize;

/// A scene to draw.
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
    /// A length that is neither small nor large here, m: for grids, arrows, glyphs.
    pub size: f64,
    /// Length of a tick, s.
    pub tick: f64,
    /// Shapes by number, each listed once however often it is used.
    pub geometries: Vec<Geometry>,
    /// Bodies in the order of the model.
    pub bodies: Vec<BodyPicture>,
    /// Bodies (by number) that shear and stretch: see [`crate::message::Section::Shears`].
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
    /// Can the scene be edited: is there a change to undo, to redo?
    pub can_undo: bool,
    /// See above.
    pub can_redo: bool,
}

/// A frame in another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Placed {
    /// Origin, m.
    pub at: Triple,
    /// Quaternion x, y, z, w.
    pub turn: [f64; 4],
}

/// What a shape looks like; round ones stand along z. As `holonom_scene::scene::Geometry`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Geometry {
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShapePicture {
    /// Number of its geometry.
    pub geometry: u32,
    /// Where it stands on the body.
    pub pose: Placed,
    /// Red, green, blue, 0 to 1.
    pub colour: Option<Triple>,
}

/// A body.
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointPicture {
    /// Its name.
    pub name: String,
    /// Body frame, m.
    pub at: Triple,
}

/// What a joint is in the structure of the mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// In the tree.
    Primary,
    /// On a loop.
    Loop,
    /// On a loop, with rows that hold something twice.
    Redundant,
    /// Contacts, limits, ropes, friction: acts on one side or up to a bound only.
    Sided,
}

/// A joint or drive.
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
    pub on_a: Placed,
    /// Frame on the second body.
    pub on_b: Placed,
    /// Its place in the structure.
    pub role: Role,
    /// Are all components of its reaction unique?
    pub unique: bool,
    /// `active`, `locked` or `broken`.
    pub condition: &'static str,
    /// Does it move something by itself?
    pub drive: bool,
    /// Rows.
    pub rows: usize,
    /// Names of its coordinates.
    pub coordinates: Vec<String>,
    /// Is it made by a generator?
    pub generated: bool,
}

/// A force law.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForcePicture {
    /// Its name.
    pub name: String,
    /// `spring`, ...
    pub kind: &'static str,
    /// What it acts on: body number (-1 is the ground) and point in the body frame.
    pub on: Vec<(i64, Triple)>,
}

/// Where to look from.
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
}

/// The picture of a scene whose model a simulation runs. Its first `joints` joints are the model's own; hands come after them.
pub fn picture(scene: &Scene, sim: &mut Simulation, joints: usize) -> Picture {
    let _ = joints;
    Picture {
        title: scene.title.clone(),
        description: scene.description.clone(),
        gravity: scene.gravity.to_array(),
        size: sim.model().length_scale(),
        bodies: sim
            .model()
            .bodies()
            .map(|id| BodyPicture {
                name: sim.model().body_name(id).into(),
                kind: sim.model().body_kind(id),
                mass: sim.model().mass(id),
                centre: [0.0; 3],
                shapes: Vec::new(),
                points: Vec::new(),
                generated: false,
            })
            .collect(),
        ..Picture::default()
    }
}
