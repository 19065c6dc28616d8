//! From a document to a [`Scene`]: section by section, every error reported, nothing built yet.

use crate::codes;
use crate::confine::{Confinement, shown};
use crate::contact;
use crate::diagnostic::{Diagnostic, Report, field_error};
use crate::fields::*;
use crate::generators;
use crate::kinds::{self, BODIES, DRIVES, FORCES, JOINTS};
use crate::limits::Limits;
use crate::masses::{self, Filled, Meshes};
use crate::names::{NameRegistry, Namespace};
use crate::node::{DocNode, DocTable};
use crate::params;
use crate::reader::Reader;
use crate::scene::*;
use crate::source::Span;
use holonom::math::{Mat3, Vec3, perpendicular, quat_from_axes, vec3};
use std::path::PathBuf;
use std::sync::Arc;

/// Sections of a scene file, and what they are.
pub static SECTIONS: &[(&str, &str)] = &[
    ("title", "a name for people"),
    ("description", "what it shows, for people"),
    ("include", "other scene files whose contents are added"),
    ("gravity", "m/s^2; [0, 0, -9.81] if not said"),
    ("params", "numbers that expressions `${}` may use, and --set may change"),
    ("ground", "points and shapes of the ground"),
    ("body", "bodies: [body.NAME]"),
    ("joint", "joints and relations: [joint.NAME]"),
    ("drive", "drives: [drive.NAME]"),
    ("force", "forces: [force.NAME]"),
    ("chain", "a row of bodies: [chain.NAME]"),
    ("tree", "a branching tree of bodies: [tree.NAME]"),
    ("star", "bodies around a hub: [star.NAME]"),
    ("ring", "a closed row of bodies: [ring.NAME]"),
    ("ladder", "two chains joined by rungs: [ladder.NAME]"),
    ("grid", "bodies in rows and columns: [grid.NAME]"),
    ("repeat", "anything several times: [repeat.NAME]"),
    ("start", "where bodies start that do not start where they are drawn: [start.BODY]"),
    ("contact", "contacts: with this section shapes collide, unless they say that they do not"),
    ("run", "how it is to be run"),
    ("record", "what is to be recorded"),
    ("camera", "where one looks from: [camera.NAME]"),
];

/// Fields of `[ground]`.
pub const GROUND: &[Field] = &[
    optional("points", Type::Map(&POSITION), "none", "named points of the ground"),
    optional(
        "frames",
        Type::Map(&Type::Record(&[
            optional("at", POSITION, "[0, 0, 0]", "where it is"),
            optional("rotation", Type::Rotation, "none", "its axes"),
            optional("axis", Type::Direction, "[0, 0, 1]", "its z axis, instead of a rotation"),
        ])),
        "none",
        "named points with axes",
    ),
    optional("shapes", Type::Kinds(&kinds::SHAPES), "none", "what the ground looks like"),
];

/// Fields of `[run]`.
pub const RUN: &[Field] = &[
    optional("time", Type::Number(Allowed::NotNegative, "s"), "10", "end time"),
    optional("dt", Type::Number(Allowed::Positive, "s"), "chosen by the integrator", "fixed step"),
    optional(
        "integrator",
        Type::Choice(&["euler", "rk4", "dop853", "sdirk4", "implicit", "rattle", "stepping"]),
        "dop853, or stepping where much may touch",
        "how time is stepped; with `stepping` contacts, limits and friction are laws between velocities, with any other their events are found",
    ),
    optional(
        "solver",
        Type::Choice(holonom::SolverKind::NAMES),
        "tree, or sparse where there are loops",
        "how the equations are solved",
    ),
    optional(
        "law",
        Type::Choice(&["dynamic", "first-order", "kinematic"]),
        "dynamic",
        "f = m a, or f = m v; `kinematic` is the older word for `first-order`",
    ),
    optional(
        "tolerance",
        Type::Number(Allowed::Positive, ""),
        "1e-10 (dop853), 1e-8 (sdirk4)",
        "relative tolerance of adaptive integrators, and absolute one relative to the size of the mechanism",
    ),
    optional(
        "max_step",
        Type::Number(Allowed::Positive, "s"),
        "0.3 √(L/g), L being the size of the mechanism; 0.3 without gravity",
        "longest step of adaptive integrators",
    ),
    optional(
        "drift",
        Type::Choice(&["projection", "once", "feedback", "none"]),
        "projection",
        "how joints are kept closed: pulled shut after every step, the same with one correction and no look at what it \
         leaves, by forces that grow with their gaps, or not at all",
    ),
    optional(
        "gap_tolerance",
        Type::Number(Allowed::Positive, "m or rad"),
        "rounding",
        "of `projection`: how far joints may stay open after a step",
    ),
    optional("ks", Type::Number(Allowed::NotNegative, "1/s^2"), "400", "of `feedback`: acceleration per gap"),
    optional("kd", Type::Number(Allowed::NotNegative, "1/s"), "40", "of `feedback`: acceleration per rate of the gap"),
    optional("coordinates", Type::Choice(&["maximal", "joint"]), "maximal", "in which coordinates time is stepped"),
    optional(
        "assembly",
        Type::Choice(&["newton", "gradual", "none"]),
        "newton",
        "how rough poses are brought together; `none` lets joints start open, for `feedback` to close them in time",
    ),
    optional(
        "ideal",
        Type::Flag,
        "false",
        "without contacts, limits and friction of joints, and caps on drives: the smooth motion alone",
    ),
];

/// Fields of `[record]`.
pub const RECORD: &[Field] = &[
    optional("rate", Type::Number(Allowed::Positive, "1/s"), "100", "samples per second"),
    optional("columns", Type::Texts, "all", "names of quantities; `*` stands for anything"),
];

/// Fields of a camera.
pub const CAMERA: &[Field] = &[
    required("from", POSITION, "where the eye is"),
    optional("look_at", POSITION, "[0, 0, 0]", "what it looks at"),
    optional("up", Type::Direction, "[0, 0, 1]", "which way is up"),
    optional("angle", Type::Number(Allowed::Positive, "rad"), "0.8", "vertical angle of view"),
    optional("follow", Type::Text, "stays where it is", "a body: the eye goes with it over the ground"),
];

/// Fields of `[start.BODY]`.
pub const START: &[Field] = &[
    optional("at", POSITION, "as drawn", "position of the body's origin in the world"),
    optional("rotation", Type::Rotation, "as drawn", "orientation in the world"),
    optional("velocity", Type::Vector("m/s"), "that of the body", "velocity of the origin, world axes"),
    optional("spin", Type::Vector("rad/s"), "that of the body", "angular velocity, world axes"),
];

/// What is needed to read a scene besides its text: limits, and which files it may read.
pub struct Environment<'a> {
    /// Budgets.
    pub limits: Limits,
    /// Which files may be read.
    pub confinement: &'a Confinement,
    /// Folder of each source text, by its number.
    pub folders: &'a [Option<PathBuf>],
}

/// Reads a scene, section by section.
pub struct SceneReader<'r, 's> {
    /// Reads values and reports errors.
    pub reader: Reader<'r>,
    /// Limits and files.
    pub around: &'s Environment<'s>,
    /// The scene so far.
    pub scene: Scene,
    /// Names in use.
    pub names: NameRegistry,
    meshes: Meshes,
}

/// Read a scene. There may be errors in the report even where something is returned.
pub fn read(document: &DocTable, around: &Environment, report: &mut Report) -> Scene {
    let names = params::evaluate(document, &around.limits, report);
    let params = names.in_order(document);
    let mut scene_reader = SceneReader {
        reader: Reader::new(names, around.limits, report),
        around,
        scene: Scene { params, gravity: vec3(0.0, 0.0, -9.81), ..Scene::default() },
        names: NameRegistry::default(),
        meshes: Meshes::default(),
    };
    scene_reader.document(document);
    scene_reader.scene
}

impl SceneReader<'_, '_> {
    fn document(&mut self, document: &DocTable) {
        for entry in document.entries() {
            if !SECTIONS.iter().any(|(name, _)| *name == entry.key) {
                let message = format!("a scene has no section `{}`", shown(&entry.key));
                let sections = || SECTIONS.iter().map(|s| s.0);
                let d = Diagnostic::error(codes::UNKNOWN_FIELD, message).suggest(&entry.key, sections(), "");
                let list = sections().collect::<Vec<_>>().join(", ");
                self.reader.complain(d.at(entry.key_span).help(format!("sections: {list}")));
            }
        }
        let text =
            |reader: &mut Reader, key: &str| document.get(key).and_then(|n| reader.text(n, key)).unwrap_or_default();
        self.scene.title = text(&mut self.reader, "title");
        self.scene.description = text(&mut self.reader, "description");
        if let Some(node) = document.get("gravity")
            && let Some(g) = self.reader.vector(node, "gravity")
        {
            self.scene.gravity = g;
        }
        if let Some(node) = document.get("ground") {
            self.ground(node);
        }
        self.each(document, "body", |m, name, node, span| m.body(name, node, span));
        self.each(document, "joint", |m, name, node, span| m.joint(name, node, span));
        self.each(document, "drive", |m, name, node, span| m.drive(name, node, span));
        self.each(document, "force", |m, name, node, span| m.force(name, node, span));
        if generators::room_for_all(self, document) {
            for kind in generators::KINDS {
                self.each(document, kind, |m, name, node, span| generators::generate(m, kind, name, node, span));
            }
        }
        self.each(document, "start", |m, name, node, span| m.start(name, node, span));
        if let Some(node) = document.get("contact") {
            self.scene.contact = contact::read(node, &mut self.reader).unwrap_or_default();
        }
        if let Some(node) = document.get("run") {
            self.run(node);
        }
        if let Some(node) = document.get("record") {
            self.record(node);
        }
        self.each(document, "camera", |m, name, node, _| m.camera(name, node));
    }

    /// Every table of a section.
    fn each(&mut self, document: &DocTable, section: &'static str, mut f: impl FnMut(&mut Self, &str, &DocNode, Span)) {
        let Some(node) = document.get(section) else { return };
        let Some(table) = self.reader.table(node, section) else { return };
        if let Err(d) = self.around.limits.bodies(&format!("entries of [{section}]"), table.entries().len() as u64) {
            self.reader.complain(d.at(node.span));
            return;
        }
        for entry in table.entries() {
            if self.reader.good_name(&entry.key, entry.key_span) {
                let path = format!("{section}/{}", entry.key);
                self.within(&path, |m| f(m, &entry.key, &entry.node, entry.key_span));
            }
        }
    }

    /// The fields of a table of one sort.
    fn fields(&mut self, node: &DocNode, name: &str, fields: &'static [Field]) -> Option<Record> {
        let table = self.reader.table(node, name)?;
        self.reader.fields(table, node.span, name, &[fields], None)
    }

    /// Do something inside the table of that name.
    pub fn within(&mut self, name: &str, f: impl FnOnce(&mut Self)) {
        let before = self.reader.enter(name);
        f(self);
        self.reader.leave(before);
    }

    /// Register a name. False, with an error in the report, if it is taken.
    pub fn register(&mut self, space: Namespace, name: &str, span: Span) -> bool {
        let index = self.scene.bodies.len();
        if self.names.register(space, name, span, index).is_ok() {
            return true;
        }
        let kind = ["body", "joint or drive", "force"][space as usize];
        let message = format!("there are two of the name `{}`", shown(name));
        self.reader.error(codes::DUPLICATE, span, message, format!("another {kind}, or a generator, has it"));
        false
    }

    /// May so many more bodies be made?
    pub fn room_for(&mut self, more: u64, span: Span, what: &str) -> bool {
        let total = (self.scene.bodies.len() as u64).saturating_add(more);
        match self.around.limits.bodies(what, total) {
            Ok(()) => true,
            Err(d) => {
                self.reader.complain(d.at(span));
                false
            }
        }
    }

    fn ground(&mut self, node: &DocNode) {
        let Some(record) = self.fields(node, "ground", GROUND) else { return };
        self.scene.ground_points = named_points(&record);
        for (value, _) in record.list("shapes") {
            let Val::Record(shape) = value else { continue };
            match masses::shape(shape, None, self.around, &mut self.meshes) {
                Ok((shape, _)) => self.scene.ground_shapes.push(shape),
                Err(d) => self.reader.complain(*d),
            }
        }
    }

    /// `[body.NAME]`.
    pub fn body(&mut self, name: &str, node: &DocNode, span: Span) {
        if !self.register(Namespace::Body, name, span) || !self.room_for(1, span, "bodies") {
            return;
        }
        let Some(record) = self.reader.kind(node, name, &BODIES) else { return };
        match self.body_from(name, Arc::new(record), span) {
            Ok(body) => self.scene.bodies.push(body),
            Err(d) => self.reader.complain(*d),
        }
    }

    /// A body from its record.
    pub fn body_from(&mut self, name: &str, record: Arc<Record>, span: Span) -> Result<BodyRecord, Box<Diagnostic>> {
        let (pose, length) = placement(&record)?;
        let placed = length.is_some() || ["at", "rotation", "angle"].iter().any(|f| record.has(f));
        let body = self.body_at(name, record, span, pose, length)?;
        Ok(BodyRecord { placed, ..body })
    }

    /// A body from its record, at a place; with a length if it has two ends.
    pub fn body_at(
        &mut self,
        name: &str,
        record: Arc<Record>,
        span: Span,
        pose: Pose,
        length: Option<f64>,
    ) -> Result<BodyRecord, Box<Diagnostic>> {
        let Filled { shapes, mass, volume } = masses::fill(&record, length, self.around, &mut self.meshes)?;
        let mut points = named_points(&record);
        if let Some(length) = length {
            for (name, x) in [("from", 0.0), ("to", length)] {
                let pose = Pose { position: vec3(x, 0.0, 0.0), ..Pose::IDENTITY };
                points.push(NamedPoint { name: name.into(), pose, has_axes: false });
            }
        }
        Ok(BodyRecord {
            name: name.into(),
            span,
            pose,
            placed: true,
            moves: record.has("velocity") || record.has("spin"),
            velocity: record.vector("velocity").unwrap_or_default(),
            spin: record.vector("spin").unwrap_or_default(),
            mass,
            volume,
            shapes: shapes.into(),
            points: points.into(),
            record,
        })
    }

    /// `[joint.NAME]`.
    pub fn joint(&mut self, name: &str, node: &DocNode, span: Span) {
        if let Some(link) = self.link(name, node, span, &JOINTS, Namespace::Joint) {
            self.scene.joints.push(link);
        }
    }

    /// `[drive.NAME]`.
    pub fn drive(&mut self, name: &str, node: &DocNode, span: Span) {
        if let Some(link) = self.link(name, node, span, &DRIVES, Namespace::Joint) {
            self.scene.drives.push(link);
        }
    }

    /// `[force.NAME]`.
    pub fn force(&mut self, name: &str, node: &DocNode, span: Span) {
        if let Some(link) = self.link(name, node, span, &FORCES, Namespace::Force) {
            self.scene.forces.push(link);
        }
    }

    fn link(
        &mut self,
        name: &str,
        node: &DocNode,
        span: Span,
        family: &'static Family,
        space: Namespace,
    ) -> Option<InteractionRecord> {
        if !self.register(space, name, span) {
            return None;
        }
        let record = self.reader.kind(node, name, family)?;
        let side = |name: &str| record.point(name).cloned();
        Some(InteractionRecord { name: name.into(), span, a: side("a"), b: side("b"), record: Arc::new(record) })
    }

    fn run(&mut self, node: &DocNode) {
        let Some(r) = self.fields(node, "run", RUN) else { return };
        let text = |name: &str| r.text(name).map(str::to_string);
        self.scene.run = Run {
            time: r.number("time"),
            dt: r.number("dt"),
            integrator: text("integrator"),
            solver: text("solver"),
            law: text("law").map(|law| if law == "kinematic" { "first-order".into() } else { law }),
            tolerance: r.number("tolerance"),
            max_step: r.number("max_step"),
            drift: text("drift"),
            gap_tolerance: r.number("gap_tolerance"),
            ks: r.number("ks"),
            kd: r.number("kd"),
            coordinates: text("coordinates"),
            assembly: text("assembly"),
            ideal: r.flag("ideal"),
        };
    }

    fn record(&mut self, node: &DocNode) {
        let Some(r) = self.fields(node, "record", RECORD) else { return };
        let name = |(value, span): &(Val, Span)| match value {
            Val::Text(name) => Some((name.to_string(), *span)),
            _ => None,
        };
        let columns = r.list("columns").iter().filter_map(name).collect();
        self.scene.record = Recording { rate: r.number("rate"), columns };
    }

    fn start(&mut self, name: &str, node: &DocNode, span: Span) {
        let Some(r) = self.fields(node, name, START) else { return };
        self.scene.starts.push(Start {
            body: name.into(),
            span,
            at: r.vector("at"),
            rotation: r.rotation("rotation"),
            velocity: r.vector("velocity"),
            spin: r.vector("spin"),
        });
    }

    fn camera(&mut self, name: &str, node: &DocNode) {
        let Some(r) = self.fields(node, name, CAMERA) else { return };
        let follow = r.text("follow").map(str::to_string);
        if let Some(body) = follow.as_deref().filter(|b| !self.scene.bodies.iter().any(|have| &*have.name == *b)) {
            let message = format!("there is no body `{}` to follow", shown(body));
            let names = self.scene.bodies.iter().take(1000).map(|b| &*b.name);
            let d = Diagnostic::error(codes::UNKNOWN_BODY, message).suggest(body, names, "");
            self.reader.complain(d.at(r.span_of("follow")));
        }
        self.scene.cameras.push(Camera {
            follow,
            name: name.to_string(),
            from: r.vector("from").unwrap_or_default(),
            look_at: r.vector("look_at").unwrap_or_default(),
            up: r.vector("up").unwrap_or(Vec3::Z),
            angle: r.number("angle").unwrap_or(0.8),
        });
    }
}

/// Points and frames of a record.
fn named_points(record: &Record) -> Vec<NamedPoint> {
    let mut out = Vec::new();
    for (name, value, _) in record.map("points") {
        if let Val::Vector(p) = value {
            let pose = Pose { position: *p, ..Pose::IDENTITY };
            out.push(NamedPoint { name: name.clone(), pose, has_axes: false });
        }
    }
    for (name, value, _) in record.map("frames") {
        let Val::Record(r) = value else { continue };
        let position = r.vector("at").unwrap_or_default();
        let rotation = match (r.rotation("rotation"), r.vector("axis")) {
            (Some(q), _) => q,
            (None, Some(z)) => {
                let (x, y) = perpendicular(z);
                quat_from_axes(Mat3::from_cols(x, y, z))
            }
            (None, None) => Default::default(),
        };
        out.push(NamedPoint { name: name.clone(), pose: Pose { position, rotation }, has_axes: true });
    }
    out
}

/// Pose, and the length of a body with two ends. A body that moves in a plane keeps its z axis across it.
pub fn placement(record: &Record) -> Result<(Pose, Option<f64>), Box<Diagnostic>> {
    let exclusive = |field: &str, others: &str| {
        let m = field_error(record, field, codes::EXCLUSIVE, format!("`{field}` and {others} exclude each other"));
        Err(Box::new(m.help("keep one of them")))
    };
    let plane = kinds::plane_axes(record)?;
    match (record.vector("from"), record.vector("to")) {
        (Some(from), Some(to)) => {
            if let Some(field) = ["at", "rotation", "angle"].into_iter().find(|f| record.has(f)) {
                return exclusive(field, "`from`, `to`");
            }
            let length = (to - from).length();
            if !(length > 1e-12) {
                let m = field_error(record, "to", codes::ZERO_DIRECTION, "`from` and `to` are the same point");
                return Err(Box::new(m.label("must differ by more than 1e-12 m")));
            }
            let x = (to - from) / length;
            let axes = match plane {
                // one that leaves the plane is refused when the body is made
                Some(plane) if x.dot(plane.z_axis).abs() < 1e-9 => {
                    Mat3::from_cols(x, plane.z_axis.cross(x), plane.z_axis)
                }
                _ => along(x),
            };
            Ok((Pose { position: from, rotation: quat_from_axes(axes) }, Some(length)))
        }
        (None, None) => {
            let position = record.vector("at").unwrap_or_default();
            let rotation = match (record.rotation("rotation"), plane, record.number("angle")) {
                (Some(_), _, Some(_)) => return exclusive("angle", "`rotation`"),
                (Some(rotation), ..) => rotation,
                (None, Some(plane), angle) => {
                    let (s, c) = libm::sincos(angle.unwrap_or(0.0));
                    let (x, y) = (plane.x_axis, plane.y_axis);
                    quat_from_axes(Mat3::from_cols(c * x + s * y, c * y - s * x, plane.z_axis))
                }
                (None, None, _) => Default::default(),
            };
            Ok((Pose { position, rotation }, None))
        }
        (given, _) => {
            let (have, lack) = if given.is_some() { ("from", "to") } else { ("to", "from") };
            let d = Diagnostic::error(codes::MISSING_FIELD, format!("`{have}` without `{lack}`")).at(record.span);
            Err(Box::new(
                d.label(format!("`{lack}` is missing")).help("a body with two ends needs both `from` and `to`"),
            ))
        }
    }
}

/// Axes with x along a direction and z as near to the vertical as can be; y near the world's for a vertical one.
pub(crate) fn along(x: Vec3) -> Mat3 {
    let flat = x.z.abs() < 0.999_999;
    let up = if flat { Vec3::Z } else { Vec3::Y };
    let side = (up - x * x.dot(up)).normalize();
    if flat { Mat3::from_cols(x, side.cross(x), side) } else { Mat3::from_cols(x, side, x.cross(side)) }
}
