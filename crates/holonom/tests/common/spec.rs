//! A mechanism as data: it can be built, moved, scaled, renumbered, and built again.

use holonom::joints::{Constraint, pairs};
use holonom::math::{Mat3, SplitMix, Vec3, vec3};
use holonom::prelude::*;
use holonom::{ForceId, JointId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Particle,
    Planar,
    Rigid,
    Affine,
    /// With one scale.
    Uniform,
    /// With three scales.
    PerAxis,
}

impl Kind {
    /// How many scales it has.
    pub fn scales(self) -> usize {
        match self {
            Kind::Uniform => 1,
            Kind::PerAxis => 3,
            _ => 0,
        }
    }

    /// Has it a quaternion?
    pub fn turns(self) -> bool {
        matches!(self, Kind::Rigid | Kind::Uniform | Kind::PerAxis)
    }
}

/// The scale at which springs inside scaled bodies are slack.
pub const REST: f64 = 1.1;

#[derive(Clone, Debug)]
pub struct BodySpec {
    pub kind: Kind,
    pub mass: f64,
    /// Integral of X X^T dm about the centre of mass, body axes. The inertia tensor follows from it.
    pub second: Mat3,
    pub centre: Vec3,
    /// Start position of the origin, and start orientation.
    pub position: Vec3,
    pub turn: Mat3,
    /// Affine and scaled: the start shape is `turn * stretch`. Planar: the start angle and the coordinates of the origin in its plane.
    pub stretch: Mat3,
    pub in_plane: Vec3,
    pub velocity: Vec3,
    pub spin: Vec3,
    pub shape_rate: Mat3,
    /// Scaled: rates of the scales, and the stiffness of their springs (J).
    pub scale_rates: Vec3,
    pub stiffness: f64,
}

impl BodySpec {
    pub fn inertia(&self) -> Mat3 {
        let s = self.second;
        Mat3::from_diagonal(Vec3::splat(s.x_axis.x + s.y_axis.y + s.z_axis.z)) - s
    }

    /// Axes of the plane of a planar body.
    pub fn plane(&self) -> Mat3 {
        self.turn * Mat3::from_rotation_z(-self.in_plane.z)
    }

    /// Start scales.
    pub fn scales(&self) -> Vec3 {
        vec3(self.stretch.x_axis.x, self.stretch.y_axis.y, self.stretch.z_axis.z)
    }

    /// Shape at the start: where body vectors go.
    pub fn shape(&self) -> Mat3 {
        if self.kind == Kind::Affine || self.kind.scales() > 0 { self.turn * self.stretch } else { self.turn }
    }

    fn add(&self, m: &mut ModelBuilder, name: String) -> BodyId {
        match self.kind {
            Kind::Particle => m.body(name, Particle::new(self.mass, self.position).velocity(self.velocity)),
            Kind::Rigid => m.body(
                name,
                Rigid::new(self.mass, self.inertia())
                    .centre(self.centre)
                    .position(self.position)
                    .orientation(Quat::from_mat3(&self.turn))
                    .velocity(self.velocity)
                    .spin(self.spin),
            ),
            Kind::Affine => m.body(
                name,
                Affine::new(self.mass, self.second)
                    .centre(self.centre)
                    .pose(self.position, self.shape())
                    .velocity(self.velocity, self.shape_rate),
            ),
            Kind::Uniform | Kind::PerAxis => {
                let new = if self.kind == Kind::Uniform { Scaled::uniform } else { Scaled::per_axis };
                let body = new(self.mass, self.second)
                    .centre(self.centre)
                    .position(self.position)
                    .orientation(Quat::from_mat3(&self.turn))
                    .scales(self.scales())
                    .velocity(self.velocity)
                    .spin(self.spin)
                    .scale_rates(self.scale_rates)
                    .spring(self.stiffness, REST);
                m.body(name, body)
            }
            Kind::Planar => {
                let plane = self.plane();
                let [x, y, angle] = self.in_plane.to_array();
                let origin = self.position - plane * vec3(x, y, 0.0);
                m.body(
                    name,
                    Planar::new(self.mass, self.inertia().z_axis.z)
                        .plane(origin, plane.x_axis, plane.y_axis)
                        .centre(self.centre.x, self.centre.y)
                        .pose(x, y, angle)
                        .velocity(self.velocity.x, self.velocity.y, self.spin.z),
                )
            }
        }
    }
}

#[derive(Clone, Debug)]
pub struct JointSpec {
    /// Place in the table of joints.
    pub kind: usize,
    pub a: Marker,
    pub b: Marker,
    /// For the parameters that the table draws.
    pub seed: u64,
    /// Multiplies lengths among the parameters.
    pub scale: f64,
}

impl JointSpec {
    pub fn constraint(&self) -> Box<dyn Constraint> {
        match self.length() {
            Some(length) => Box::new(Distance::new(self.a, self.b, length)),
            None => (pairs()[self.kind].sample.expect("a sample"))(self.a, self.b, &mut SplitMix(self.seed)),
        }
    }

    /// Length of a rod: the same draw as in the table, scaled.
    pub fn length(&self) -> Option<f64> {
        (self.name() == "distance").then(|| self.scale * (0.5 + SplitMix(self.seed).unit()))
    }

    pub fn name(&self) -> &'static str {
        pairs()[self.kind].name()
    }

    /// The same condition with the roles of the two bodies exchanged; `None` for joints whose two sides differ.
    pub fn turned(&self) -> Option<JointSpec> {
        let (mut a, mut b) = (self.b, self.a);
        match self.name() {
            "universal" => {
                // x of the first and y of the second marker are the axes of the cross
                let quarter = Mat3::from_cols(Vec3::Y, -Vec3::X, Vec3::Z);
                a.axes *= quarter;
                b.axes *= quarter.transpose();
            }
            "point-on-line" | "point-on-plane" | "pin-slot" => return None,
            _ => {}
        }
        Some(JointSpec { a, b, ..self.clone() })
    }
}

#[derive(Clone, Debug)]
pub enum ForceSpec {
    Spring {
        a: Marker,
        b: Marker,
        stiffness: f64,
        rest: f64,
        damping: f64,
    },
    Torsion {
        a: Marker,
        b: Marker,
        stiffness: f64,
        rest: f64,
        damping: f64,
    },
    Point {
        on: Marker,
        force: Vec3,
    },
    Torque {
        on: BodyId,
        torque: Vec3,
    },
    /// -c v + f cos(rate t) on a point.
    User {
        on: Marker,
        damping: f64,
        force: Vec3,
        rate: f64,
    },
}

/// A whole mechanism.
#[derive(Clone, Debug)]
pub struct Spec {
    pub bodies: Vec<BodySpec>,
    pub joints: Vec<JointSpec>,
    pub forces: Vec<ForceSpec>,
    pub gravity: Vec3,
    pub general_rows: bool,
}

pub fn body_id(i: usize) -> BodyId {
    BodyId::from_index(i)
}

impl Spec {
    pub fn builder(&self) -> ModelBuilder {
        let mut m = ModelBuilder::new();
        m.gravity(self.gravity);
        if self.general_rows {
            m.general_rows_only();
        }
        for (i, body) in self.bodies.iter().enumerate() {
            body.add(&mut m, format!("body {i}"));
        }
        for (i, joint) in self.joints.iter().enumerate() {
            m.boxed_joint(format!("joint {i}"), joint.constraint());
        }
        for (i, force) in self.forces.iter().enumerate() {
            add_force(force, &mut m, format!("force {i}"));
        }
        m
    }

    pub fn build(&self) -> Result<Model, ModelError> {
        self.builder().build()
    }

    /// A simulation at the assembled start state.
    pub fn simulation(&self) -> Simulation {
        Simulation::new(self.build().expect("a mechanism that was built before"))
    }

    /// What the springs inside scaled bodies hold, J.
    pub fn stored(&self, state: &State, model: &Model) -> f64 {
        let inside = |(i, b): (usize, &BodySpec)| {
            let scales = &state.q[model.q_range(body_id(i))];
            let logs = scales[scales.len() - b.kind.scales()..].iter().map(|s| libm::log(s / REST));
            logs.map(|x| 0.5 * b.stiffness * x * x).sum::<f64>()
        };
        self.bodies.iter().enumerate().map(inside).sum()
    }

    pub fn joint_ids(&self) -> Vec<JointId> {
        self.build().expect("a mechanism that was built before").joints().collect()
    }

    /// For long runs: without torsion springs, whose torque jumps half a turn from rest, and without torques that spin a small body up until
    /// every rounding error is multiplied by 10^4.
    pub fn smooth(&self) -> Spec {
        let rough = |f: &&ForceSpec| matches!(f, ForceSpec::Torsion { .. } | ForceSpec::Torque { .. });
        let forces = self.forces.iter().filter(|f| !rough(f)).cloned().collect();
        Spec { forces, ..self.clone() }
    }

    /// Everything turned by `q` and shifted by `s`, gravity and constant forces included.
    pub fn moved(&self, q: Mat3, s: Vec3) -> Spec {
        let marker = |m: Marker| {
            if m.body.is_ground() { Marker { point: q * m.point + s, axes: q * m.axes, ..m } } else { m }
        };
        let body = |b: &BodySpec| {
            let (velocity, spin) =
                if b.kind == Kind::Planar { (b.velocity, b.spin) } else { (q * b.velocity, q * b.spin) };
            let (position, turn, shape_rate) = (q * b.position + s, q * b.turn, q * b.shape_rate);
            BodySpec { position, turn, velocity, spin, shape_rate, ..b.clone() }
        };
        Spec {
            bodies: self.bodies.iter().map(body).collect(),
            joints: self.joints.iter().map(|j| JointSpec { a: marker(j.a), b: marker(j.b), ..j.clone() }).collect(),
            forces: self.forces.iter().map(|f| f.map(marker, |f| q * f)).collect(),
            gravity: q * self.gravity,
            general_rows: self.general_rows,
        }
    }

    /// The same mechanism in other units: lengths, masses and times multiplied.
    pub fn scaled(&self, l: f64, m: f64, t: f64) -> Spec {
        let marker = |x: Marker| Marker { point: x.point * l, ..x };
        let body = |b: &BodySpec| {
            let planar = b.kind == Kind::Planar;
            BodySpec {
                mass: b.mass * m,
                second: b.second * (m * l * l),
                centre: b.centre * l,
                position: b.position * l,
                in_plane: if planar { b.in_plane * vec3(l, l, 1.0) } else { b.in_plane },
                velocity: b.velocity * (l / t),
                spin: b.spin / t,
                shape_rate: b.shape_rate * (1.0 / t),
                scale_rates: b.scale_rates / t,
                stiffness: b.stiffness * (m * l * l / (t * t)),
                ..b.clone()
            }
        };
        let joint = |j: &JointSpec| JointSpec { a: marker(j.a), b: marker(j.b), scale: j.scale * l, ..j.clone() };
        Spec {
            bodies: self.bodies.iter().map(body).collect(),
            joints: self.joints.iter().map(joint).collect(),
            forces: self.forces.iter().map(|f| f.scaled(marker, l, m, t)).collect(),
            gravity: self.gravity * (l / (t * t)),
            general_rows: self.general_rows,
        }
    }

    /// Bodies and joints declared in another order: new place k holds old body `bodies[k]`, old joint `joints[k]`.
    pub fn renumbered(&self, bodies: &[usize], joints: &[usize]) -> Spec {
        let id = |b: BodyId| match b.index() {
            Some(i) => body_id(bodies.iter().position(|&k| k == i).expect("a permutation")),
            None => b,
        };
        let marker = |m: Marker| Marker { body: id(m.body), ..m };
        let joint = |&k: &usize| {
            let j = &self.joints[k];
            JointSpec { a: marker(j.a), b: marker(j.b), ..j.clone() }
        };
        let force = |f: &ForceSpec| match f.map(marker, |f| f) {
            ForceSpec::Torque { on, torque } => ForceSpec::Torque { on: id(on), torque },
            other => other,
        };
        Spec {
            bodies: bodies.iter().map(|&k| self.bodies[k].clone()).collect(),
            joints: joints.iter().map(joint).collect(),
            forces: self.forces.iter().map(force).collect(),
            ..self.clone()
        }
    }
}

impl ForceSpec {
    /// Other markers and other world vectors.
    fn map(&self, marker: impl Fn(Marker) -> Marker, vector: impl Fn(Vec3) -> Vec3) -> ForceSpec {
        match *self {
            ForceSpec::Spring { a, b, stiffness, rest, damping } => {
                ForceSpec::Spring { a: marker(a), b: marker(b), stiffness, rest, damping }
            }
            ForceSpec::Torsion { a, b, stiffness, rest, damping } => {
                ForceSpec::Torsion { a: marker(a), b: marker(b), stiffness, rest, damping }
            }
            ForceSpec::Point { on, force } => ForceSpec::Point { on: marker(on), force: vector(force) },
            ForceSpec::Torque { on, torque } => ForceSpec::Torque { on, torque: vector(torque) },
            ForceSpec::User { on, damping, force, rate } => {
                ForceSpec::User { on: marker(on), damping, force: vector(force), rate }
            }
        }
    }

    fn scaled(&self, marker: impl Fn(Marker) -> Marker, l: f64, m: f64, t: f64) -> ForceSpec {
        let f = m * l / (t * t);
        match self.map(marker, |x| x * f) {
            ForceSpec::Spring { a, b, stiffness, rest, damping } => ForceSpec::Spring {
                a,
                b,
                stiffness: stiffness * (m / (t * t)),
                rest: rest * l,
                damping: damping * m / t,
            },
            ForceSpec::Torsion { a, b, stiffness, rest, damping } => {
                ForceSpec::Torsion { a, b, stiffness: stiffness * f * l, rest, damping: damping * f * l * t }
            }
            ForceSpec::Torque { on, torque } => ForceSpec::Torque { on, torque: torque * l },
            ForceSpec::User { on, damping, force, rate } => {
                ForceSpec::User { on, damping: damping * m / t, force, rate: rate / t }
            }
            other => other,
        }
    }
}

fn add_force(force: &ForceSpec, m: &mut ModelBuilder, name: String) -> ForceId {
    match *force {
        ForceSpec::Spring { a, b, stiffness, rest, damping } => {
            m.force(name, Spring::new(a, b, stiffness, rest).damping(damping))
        }
        ForceSpec::Torsion { a, b, stiffness, rest, damping } => {
            m.force(name, TorsionSpring::new(a, b, stiffness, rest).damping(damping))
        }
        ForceSpec::Point { on, force } => m.force(name, PointForce::new(on, force)),
        ForceSpec::Torque { on, torque } => m.force(name, Torque::new(on, torque)),
        ForceSpec::User { on, damping, force, rate } => m.force(
            name,
            UserForce::new([Attachment::point(on.body, on.point)], move |a, t, push| {
                push.on(0, force * libm::cos(rate * t) - a.rate(0) * damping);
            }),
        ),
    }
}
